"""A steady hand for long runs: no search for cycles among millions of records that hold none, no threads for small matrices."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

_NEW_OBJECTS = 500_000
"""So many new objects call for a collection: tens of thousands of records."""


@contextmanager
def throughput_settings() -> Generator[None]:
    """Look for cycles seldom, and multiply matrices in one thread.

    Records are freed as soon as nobody holds them, whether or not anybody looks for cycles; looking costs a tenth of a run. Threads of a
    matrix product wait for each other by turning, which takes as much processor time again and keeps another process from its core.

    >>> with throughput_settings():
    ...     gc.get_threshold()[0] >= 500_000
    True
    """
    from threadpoolctl import threadpool_limits  # it looks at every library that is loaded

    before = gc.get_threshold()
    if gc.isenabled():
        gc.set_threshold(max(before[0], _NEW_OBJECTS), *before[1:])
    try:
        with threadpool_limits(limits=1, user_api="blas"):
            yield
    finally:
        gc.set_threshold(*before)
