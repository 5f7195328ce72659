"""Interpreter settings for long runs: raise the GC threshold and pin BLAS to one thread."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

_GC_THRESHOLD = 500_000
"""New objects between two garbage collections: tens of thousands of records."""


@contextmanager
def throughput_settings() -> Generator[None]:
    """Collect garbage rarely and multiply matrices in one thread, until the context ends.

    Records hold no reference cycles and are freed without the collector, which would cost a tenth of a run. The threads of a matrix
    product wait for each other actively, which doubles the processor time and takes a core from another worker.

    >>> with throughput_settings():
    ...     gc.get_threshold()[0] >= 500_000
    True
    """
    from threadpoolctl import threadpool_limits  # imported late: it inspects every library that is loaded

    before = gc.get_threshold()
    if gc.isenabled():
        gc.set_threshold(max(before[0], _GC_THRESHOLD), *before[1:])
    try:
        with threadpool_limits(limits=1, user_api="blas"):
            yield
    finally:
        gc.set_threshold(*before)
