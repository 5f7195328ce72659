"""Countries by code or by name, in every CLDR language; a name that means several agrees with each of them.

>>> country(Pairs(["DE", "Slovakia"], ["Allemagne", "Slovenia"]), Country()).value.tolist()
[1.0, 0.0]
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.terms import countries_called
from fieldwise.matchers._readings import Agreement, ReadingMatcher
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import matcher
from fieldwise.specs import Example


@dataclass(frozen=True, slots=True, kw_only=True)
class Country:
    """No options."""


def grid(expected: Sequence[object], actual: Sequence[object], config: Country) -> NDArray[np.float64]:
    """1 where an expected value denotes the same as an actual one, else 0."""
    return _TERMS.score_grid(expected, actual)


def unread_note(value: Any, config: Country) -> str | None:
    """Why a value cannot be read; None if it can."""
    return _TERMS.unread_note(value)


@matcher(
    grid=grid,
    unread_note=unread_note,
    examples=[
        Example(expected="DE", actual="Allemagne", score=1),
        Example(expected="Slovakia", actual="Slovenia", score=0),
    ],
)
def country(pairs: Pairs, config: Country) -> Scores:
    """1 if both values denote the same country, else 0."""
    return _TERMS.score_pairs(pairs)


def _read_term(value: Any) -> frozenset[str] | None:
    is_code = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1000
    text = f"{value:03d}" if is_code else value  # 276 and 040 are codes
    return countries_called(text) or None if isinstance(text, str) else None


_TERMS = ReadingMatcher[frozenset[str]]("a country", _read_term, lambda expected, actual: Agreement(bool(expected & actual)))
