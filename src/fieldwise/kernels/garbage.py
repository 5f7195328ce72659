"""Cyclic garbage collection, out of the way while millions of records come and go that hold no cycles."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

_NEW_OBJECTS = 500_000
"""So many new objects call for a collection: tens of thousands of records."""


@contextmanager
def rarely_collected() -> Generator[None]:
    """Look for cycles seldom. Records are freed as soon as nobody holds them, with or without it; looking costs a tenth of a run.

    >>> with rarely_collected():
    ...     gc.get_threshold()[0] >= 500_000
    True
    """
    before = gc.get_threshold()
    if gc.isenabled():
        gc.set_threshold(max(before[0], _NEW_OBJECTS), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
