"""Interpreter settings for long runs: raise the GC threshold and pin BLAS to one thread."""

import gc
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import Lock
from typing import Final

_GC_THRESHOLD = 500_000
"""New objects between two garbage collections: tens of thousands of records."""


class SharedSetting:
    """A setting of the whole process: the first thread that needs it applies it, the last one undoes it.

    Two runs in threads of one process would otherwise restore what the other had set, in the order in which they end.
    """

    def __init__(self, apply: Callable[[], AbstractContextManager[object]]) -> None:
        self._apply = apply
        self._lock = Lock()
        self._users = 0
        self._applied = ExitStack()

    @contextmanager
    def use(self) -> Generator[None]:
        """Keep the setting applied until the context ends."""
        with self._lock:
            if not self._users:
                self._applied.enter_context(self._apply())
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._applied.close()


@contextmanager
def rare_garbage_collection() -> Generator[None]:
    """Collect garbage rarely until the context ends, in every thread.

    Records and rules hold no reference cycles and are freed without the collector, which would cost a tenth of a run.

    >>> with rare_garbage_collection():
    ...     gc.get_threshold()[0] >= 500_000
    True
    """
    with _RARE_COLLECTION.use():
        yield


@contextmanager
def throughput_settings() -> Generator[None]:
    """Collect garbage rarely and multiply matrices in one thread, until the context ends.

    The threads of a matrix product wait for each other actively, which doubles the processor time and takes a core from another worker.
    """
    with _RARE_COLLECTION.use(), _ONE_BLAS_THREAD.use():
        yield


@contextmanager
def _raised_threshold() -> Generator[None]:
    before = gc.get_threshold()
    if gc.isenabled():
        gc.set_threshold(max(before[0], _GC_THRESHOLD), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _one_blas_thread() -> AbstractContextManager[object]:
    from threadpoolctl import threadpool_limits  # imported late: it inspects every library that is loaded

    return threadpool_limits(limits=1, user_api="blas")


_RARE_COLLECTION: Final = SharedSetting(_raised_threshold)
_ONE_BLAS_THREAD: Final = SharedSetting(_one_blas_thread)
