"""Records as JSON has them: keys are text, composed (NFC) as all text is compared, and values are of JSON's kinds.

Python's may have other keys, and a value under such a key must not be overlooked; and other values, such as decimals and dates.

>>> text_keys({1: "a", None: [{True: "b"}], "c": 2})
{'1': 'a', 'null': [{'true': 'b'}], 'c': 2}
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any
from unicodedata import is_normalized, normalize

from fieldwise.kernels.json_scalars import OTHERS, as_json_value

_PLAIN = frozenset((str, int, float, bool, type(None)))
_WORDS = {None: "null", True: "true", False: "false"}


def text_keys(value: Any) -> Any:
    """The value itself where all of it is as JSON has it, as is usual; else a copy in which it is, as JSON would write it."""
    return value if is_composed(value) else _copied(value)


def is_composed(value: Any) -> bool:
    """Whether every key is text in NFC and no value needs another form.

    A list of what is left to look at, since records may be nested deeper than calls can be.
    """
    left, seen = [value], set[int]()
    while left:
        one = left.pop()
        if one.__class__ in _PLAIN:
            continue
        if isinstance(one, OTHERS):
            return False
        if not isinstance(one, Mapping | list | tuple) or id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, Mapping):
            if not all(isinstance(key, str) and is_normalized("NFC", key) for key in one):
                return False
            left.extend(one.values())
        else:
            left.extend(one)
    return True


def _copied(value: Any) -> Any:
    copies: dict[int, Any] = {}
    left: list[tuple[Any, Any]] = []

    def copy(one: Any) -> Any:
        if isinstance(one, OTHERS):
            one = as_json_value(one)
        if not isinstance(one, Mapping | list | tuple):
            return one
        if id(one) not in copies:
            copies[id(one)] = {} if isinstance(one, Mapping) else []
            left.append((one, copies[id(one)]))
        return copies[id(one)]

    whole = copy(value)
    while left:
        _fill(*left.pop(), copy)
    return whole


def _fill(source: Any, target: Any, copy: Callable[[Any], Any]) -> None:
    if not isinstance(source, Mapping):
        target.extend(map(copy, source))
        return
    shared = Counter(map(_named, source))
    for key, one in source.items():
        name = _named(key)
        if name != key and shared[name] > 1:  # 1 beside "1": neither may hide the other
            name = key if isinstance(key, str) else f"{name} ({type(key).__name__})"
        target[name] = copy(one)


def _named(key: Any) -> str:
    if isinstance(key, str):
        return normalize("NFC", key)
    return _WORDS[key] if key is None or isinstance(key, bool) else str(key)
