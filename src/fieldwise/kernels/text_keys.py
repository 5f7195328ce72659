"""Records as JSON has them: keys are text, composed (NFC) as all text is compared, and values are of JSON's kinds.

Python's may have other keys, and a value under such a key must not be overlooked; and other values, such as decimals and dates.

>>> text_keys({1: "a", None: [{True: "b"}], "c": 2})
{'1': 'a', 'null': [{'true': 'b'}], 'c': 2}
"""

from collections import Counter
from collections.abc import Callable
from typing import Any
from unicodedata import is_normalized, normalize

from fieldwise.kernels.json_scalars import as_json_value, has_another_form

_PLAIN = frozenset((str, int, float, bool, type(None)))
_CONTAINERS = frozenset((dict, list, tuple))
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
        if one.__class__ not in _CONTAINERS and has_another_form(one):
            return False
        if not isinstance(one, dict | list | tuple) or id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, dict):
            if not all(isinstance(key, str) and is_normalized("NFC", key) for key in one):
                return False
            left.extend(one.values())
        else:
            left.extend(one)
    return True


def contains_itself(value: Any) -> bool:
    """Whether a list or an object is somewhere inside itself, so that whoever walks down it comes to no end.

    >>> record = {"a": [1]}
    >>> record["a"].append(record)
    >>> contains_itself(record), contains_itself({"a": [1], "b": [1]})
    (True, False)
    """
    above, done = set[int](), set[int]()
    left: list[tuple[Any, bool]] = [(value, False)]
    while left:
        one, leaving = left.pop()
        if not isinstance(one, dict | list | tuple) or id(one) in done:
            continue
        if leaving:
            above.discard(id(one))
            done.add(id(one))
            continue
        if id(one) in above:
            return True
        above.add(id(one))
        left.append((one, True))
        left.extend((inner, False) for inner in (one.values() if isinstance(one, dict) else one) if inner.__class__ not in _PLAIN)
    return False


def _copied(value: Any) -> Any:
    copies: dict[int, tuple[Any, Any]] = {}
    """By id: a value with its copy. The value is kept, because one that is made here would be thrown away, and the next get its id."""
    left: list[tuple[Any, Any]] = []

    def copy(one: Any) -> Any:
        if id(one) in copies:
            return copies[id(one)][1]
        given = one
        while has_another_form(one):
            one = as_json_value(one)
        if not isinstance(one, dict | list | tuple):
            return one
        copies[id(given)] = (given, {} if isinstance(one, dict) else [])
        left.append((one, copies[id(given)][1]))
        return copies[id(given)][1]

    whole = copy(value)
    while left:
        _fill(*left.pop(), copy)
    return whole


def _fill(source: Any, target: Any, copy: Callable[[Any], Any]) -> None:
    if not isinstance(source, dict):
        target.extend(map(copy, source))
        return
    record: dict[Any, Any] = source
    shared = Counter(map(_named, record))
    for key, one in record.items():
        name = _named(key)
        if name != key and shared[name] > 1:  # 1 beside "1": neither may hide the other
            name = key if isinstance(key, str) else f"{name} ({type(key).__name__})"
        target[name] = copy(one)


def _named(key: Any) -> str:
    if isinstance(key, str):
        return normalize("NFC", key)
    return _WORDS[key] if key is None or isinstance(key, bool) else str(key)
