"""Interpreter settings for long runs: raise the GC threshold and pin BLAS to one thread."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

_GC_THRESHOLD = 500_000
"""New objects between two garbage collections: tens of thousands of records."""


@contextmanager
def rare_garbage_collection() -> Generator[None]:
    """Collect garbage rarely until the context ends.

    Records and rules hold no reference cycles and are freed without the collector, which would cost a tenth of a run.

    >>> with rare_garbage_collection():
    ...     gc.get_threshold()[0] >= 500_000
    True
    """
    before = gc.get_threshold()
    if gc.isenabled():
        gc.set_threshold(max(before[0], _GC_THRESHOLD), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def throughput_settings() -> Generator[None]:
    """Collect garbage rarely and multiply matrices in one thread, until the context ends.

    The threads of a matrix product wait for each other actively, which doubles the processor time and takes a core from another worker.
    """
    from threadpoolctl import threadpool_limits  # imported late: it inspects every library that is loaded

    with rare_garbage_collection(), threadpool_limits(limits=1, user_api="blas"):
        yield
