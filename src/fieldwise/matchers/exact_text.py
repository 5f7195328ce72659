"""Values with the same text in Python, ignoring letter case: `str(x).lower()`, and JSON with sorted keys for lists and objects.

The comparison is literal: 1 is not 1.0, `true` is "true" and "True", and text is not composed (NFC). NaN and Infinity match nothing.

>>> exact_text(Pairs([True, 1, "INV", {"b": 1, "a": 2}], ["true", 1.0, "inv", {"a": 2, "b": 1}]), ExactText()).value.tolist()
[1.0, 0.0, 1.0, 1.0]
"""

import json
from collections.abc import Sequence
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.values import canonical_json, find_non_finite
from fieldwise.matchers._keys import equal_key_grid
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import matcher
from fieldwise.specs import Example


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactText:
    """No options."""


def grid(expected: Sequence[object], actual: Sequence[object], config: ExactText) -> NDArray[np.float64]:
    """1 where an expected value has the same text as an actual one, else 0."""
    return equal_key_grid(expected, actual, _python_text)


@matcher(
    grid=grid,
    examples=[
        Example(expected="Yes", actual="yes", score=1),
        Example(expected=True, actual="true", score=1),
        Example(expected=1, actual=1.0, score=0),
    ],
)
def exact_text(pairs: Pairs, config: ExactText) -> Scores:
    """1 for values with the same text, else 0."""
    return Scores.of(list(map(_have_same_text, pairs.expected, pairs.actual)))


_CONTAINERS: Final = (dict, list)


def _have_same_text(expected: object, actual: object) -> bool:
    if isinstance(expected, _CONTAINERS) and isinstance(actual, _CONTAINERS):
        if _differ_for_certain(expected, actual):
            return False
        expected_json, actual_json = _fast_json(expected), _fast_json(actual)
        if expected_json is not None and actual_json is not None:
            return expected_json == actual_json
    text = _python_text(expected)
    return text is not None and text == _python_text(actual)


def _differ_for_certain(expected: object, actual: object) -> bool:
    """True if two containers have different texts, as far as that shows without writing them."""
    try:
        return _containers_differ(expected, actual)
    except RecursionError:
        return False


def _containers_differ(expected: object, actual: object) -> bool:
    """True at the first part that differs. Different keys prove nothing: they may differ in letter case only.

    Parts that Python finds equal rarely have different texts (1 and 1.0 do), so they are left to the comparison of texts.
    """
    if type(expected) is dict and type(actual) is dict:
        if expected.keys() != actual.keys():
            return len(expected) != len(actual)
        for key, part in expected.items():
            if part != actual[key] and _parts_differ(part, actual[key]):
                return True
    elif type(expected) is list and type(actual) is list:
        if len(expected) != len(actual):
            return True
        for part, actual_part in zip(expected, actual, strict=True):
            if part != actual_part and _parts_differ(part, actual_part):
                return True
    return False


_PLAIN_TYPES: Final = frozenset((str, int, float, bool, type(None)))


def _parts_differ(expected: object, actual: object) -> bool:
    """True for unequal parts of containers with different texts. Within JSON, values of different types never have the same text."""
    if type(expected) is str and type(actual) is str:
        return expected.lower() != actual.lower()
    if type(expected) in _PLAIN_TYPES and type(actual) in _PLAIN_TYPES:
        return True  # also NaN, which matches nothing
    return _containers_differ(expected, actual)


def _fast_json(value: object) -> bytes | None:
    """A list or object as JSON with sorted keys, written at C speed; None if it contains NaN or cannot be written.

    Lower-casing bytes folds ASCII letters only. That equals lower-casing Python's JSON, which escapes all other letters.
    """
    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (TypeError, ValueError, RecursionError):
        return None
    if b"null" in text and orjson.loads(text) != value:  # NaN is written as null, and does not equal it
        return None
    return text.lower()


def _python_text(value: object) -> str | None:
    """The text to compare; None for a value with NaN or Infinity."""
    if type(value) is str:
        return value.lower()
    if find_non_finite(value):
        return None
    try:
        text = json.dumps(value, sort_keys=True) if isinstance(value, dict | list | tuple) else str(value)
    except Exception:  # too deep or too long for Python to write, or not JSON: compared by fieldwise's own JSON text
        text = canonical_json(value) or ""
    return text.lower()
