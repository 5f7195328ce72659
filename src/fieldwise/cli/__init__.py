"""The command line: one module per command; modules with a leading underscore are shared by several.

Called by the console script `fieldwise` and by `python -m fieldwise`.
Commands parse options and print; they hold no metrics or decisions. Heavy modules are imported inside functions to keep `--help` fast.
"""

import atexit
import gc
import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line. Ctrl-C while modules are being imported exits 130 without a traceback."""
    gc.set_threshold(500_000)  # importing creates 200,000 objects that stay: collecting among them takes a tenth of the start-up time
    atexit.register(gc.freeze)  # nor are they worth a collection at the end of the process
    # The threads that NumPy's OpenBLAS starts on import wait actively: 0.1 s of CPU time, and nothing here multiplies large matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from fieldwise.cli.app import main as run_app
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        sys.exit(130)
    run_app()
