"""Values that Python writes alike, letter case aside: `str(x).lower()`, and JSON with sorted keys for lists and objects.

This is literal: 1 is not 1.0, `true` is "true" and "True", and text is not composed. NaN and Infinity match nothing.

>>> exact_text(Pairs([True, 1, "INV", {"b": 1, "a": 2}], ["true", 1.0, "inv", {"a": 2, "b": 1}]), ExactText()).value.tolist()
[1.0, 0.0, 1.0, 1.0]
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray

from fieldwise.kernels.values import canonical, non_finite
from fieldwise.matchers._keys import grid_of_keys, non_finite_notes
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactText:
    """There is nothing to set."""


def grid(expected: Sequence[object], actual: Sequence[object], config: ExactText) -> NDArray[np.float64]:  # noqa: ARG001
    """1 where an expected value is written as an actual one is, else 0."""
    return grid_of_keys(expected, actual, _written)


@matcher(grid=grid)
def exact_text(pairs: Pairs, config: ExactText) -> Scores:  # noqa: ARG001
    """1 for values that are written alike, else 0."""
    matched: list[bool] = []
    failed: list[int] = []
    for row, (one, other) in enumerate(zip(pairs.expected, pairs.actual, strict=True)):
        if isinstance(one, dict | list) and isinstance(other, dict | list):
            if _surely_differ(one, other):
                matched.append(False)
                continue
            packed, others = _packed(one), _packed(other)
            if packed is not None and others is not None:
                matched.append(packed == others)
                continue
        written = _written(one)
        matched.append(written is not None and written == _written(other))
        if not matched[row]:
            failed.append(row)
    return Scores.of(matched, notes=non_finite_notes(pairs.expected, pairs.actual, failed))


def _surely_differ(one: object, other: object) -> bool:
    """Whether two values are written in different ways, as far as that shows before anything is written."""
    try:
        return _differ(one, other)
    except RecursionError:
        return False


def _differ(one: object, other: object) -> bool:
    """Seen at the first part that differs. Keys may differ in letter case alone, so they show nothing."""
    if type(one) is dict and type(other) is dict:
        if one.keys() == other.keys():
            return _some_differ(one.values(), map(other.__getitem__, one))
        return len(one) != len(other)
    if type(one) is list and type(other) is list:
        return len(one) != len(other) or _some_differ(one, other)
    return False


def _some_differ(ones: Iterable[object], others: Iterable[object]) -> bool:
    # parts that Python finds equal hardly ever differ, and are let go at once
    return any(one != other and _differ_as_parts(one, other) for one, other in zip(ones, others, strict=True))


_PLAIN: Final = frozenset((str, int, bool, type(None)))


def _differ_as_parts(one: object, other: object) -> bool:
    """The same for values within lists and objects, where JSON writes no value of one kind as it writes one of another."""
    if one is other:
        return False
    if type(one) is str and type(other) is str:
        return one != other and one.lower() != other.lower()
    if type(one) is float and type(other) is float:
        return one != other and one == one and other == other  # noqa: PLR0124 - NaN is told of  # fmt: skip
    if type(one) in _PLAIN and type(other) in _PLAIN:
        return type(one) is not type(other) or one != other
    return _differ(one, other)


def _packed(value: object) -> bytes | None:
    """A list or object as JSON with sorted keys, written at C speed; None where there is a NaN in it or that cannot be done.

    Bytes fold ASCII letters only, as lower-casing Python's JSON does, which writes the others as escapes.
    """
    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (TypeError, ValueError, RecursionError):
        return None
    if b"null" in text and orjson.loads(text) != value:  # a NaN is written as null, and is not equal to it
        return None
    return text.lower()


def _written(value: object) -> str | None:
    """The text to compare; None for a NaN or an Infinity."""
    if type(value) is str:
        return value.lower()
    if non_finite(value):
        return None
    try:
        written = json.dumps(value, sort_keys=True) if isinstance(value, dict | list | tuple) else str(value)
    except Exception:  # too deep or too long for Python to write, or not JSON at all
        written = canonical(value) or ""
    return written.lower()
