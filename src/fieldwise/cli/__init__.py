"""The command line: one file for each command. `main` is what `fieldwise` calls."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line. Ctrl-C while its parts are still being loaded is no reason for a traceback either."""
    try:
        from fieldwise.cli.app import main as run
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        sys.exit(130)
    run()
