"""Things that are made once: the last few of them, and never twice at the same time."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Cache(Generic[T]):
    """The `size` values that were asked for last. Whoever asks for one that is being made waits for it instead of making another.

    >>> squares = Cache[int](2)
    >>> squares.get("three", lambda: 3 * 3), squares.get("three", lambda: 0)
    (9, 9)
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value for this key. If making it raises, nothing is kept, and the next to ask tries again."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._values:
                    return self._values[key]
            try:
                made = make()
            finally:
                with self._lock:
                    self._making.pop(key, None)
            with self._lock:
                self._values[key] = made
                while len(self._values) > self._size:
                    self._values.popitem(last=False)
        return made
