"""Yes and no: booleans, 1 and 0, words of every CLDR language, check-box marks.

>>> boolean(Pairs([True, True, False], ["Oui", "no", "☐"]), Boolean()).value.tolist()
[1.0, 0.0, 1.0]
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.terms import boolean_called
from fieldwise.matchers._readings import Agreement, ReadingMatcher
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import matcher
from fieldwise.specs import Example


@dataclass(frozen=True, slots=True, kw_only=True)
class Boolean:
    """No options."""


def grid(expected: Sequence[object], actual: Sequence[object], config: Boolean) -> NDArray[np.float64]:
    """1 where an expected value means the same as an actual one, else 0."""
    return _BOOLEANS.score_grid(expected, actual)


def unread_note(value: Any, config: Boolean) -> str | None:
    """Why a value cannot be read; None if it can."""
    return _BOOLEANS.unread_note(value)


@matcher(
    grid=grid,
    unread_note=unread_note,
    examples=[
        Example(expected=True, actual="yes", score=1),
        Example(expected="Ja", actual="☑", score=1),
        Example(expected=False, actual=0, score=1),
        Example(expected=True, actual="no", score=0),
        Example(expected=True, actual="maybe", score=0),
    ],
)
def boolean(pairs: Pairs, config: Boolean) -> Scores:
    """1 if both values mean yes or both mean no, else 0."""
    return _BOOLEANS.score_pairs(pairs)


def _read_boolean(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    return boolean_called(value) if isinstance(value, str) else None


_BOOLEANS = ReadingMatcher[bool]("yes or no", _read_boolean, lambda expected, actual: Agreement(expected == actual))
