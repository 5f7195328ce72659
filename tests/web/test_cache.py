"""Things that are made once."""

import threading
import time

import pytest

from fieldwise.web.cache import Cache


def test_what_many_ask_for_at_the_same_time_is_made_once() -> None:
    cache, made = Cache[int](4), list[int]()

    def make() -> int:
        time.sleep(0.05)
        made.append(1)
        return 7

    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(cache.get("a", make))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (found, made) == ([7] * 8, [1])


def test_only_the_last_are_kept() -> None:
    cache = Cache[str](2)
    for key in "abac":
        cache.get(key, lambda key=key: key)
    assert cache.get("a", lambda: "new") == "a"
    assert cache.get("b", lambda: "new") == "new"


def test_what_could_not_be_made_is_tried_again() -> None:
    cache = Cache[int](2)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 // 0)
    assert cache.get("a", lambda: 5) == 5
