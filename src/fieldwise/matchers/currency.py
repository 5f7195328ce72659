"""Currencies by code or by name, in every CLDR language; a name that means several agrees with each of them.

>>> currency(Pairs(["USD", "SEK"], ["US Dollar", "NOK"]), Currency()).value.tolist()
[1.0, 0.0]
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.terms import currencies_called, currencies_numbered
from fieldwise.matchers._readings import Agreement, ReadingMatcher
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import matcher
from fieldwise.specs import Example


@dataclass(frozen=True, slots=True, kw_only=True)
class Currency:
    """No options."""


def grid(expected: Sequence[object], actual: Sequence[object], config: Currency) -> NDArray[np.float64]:
    """1 where an expected value denotes the same as an actual one, else 0."""
    return _TERMS.score_grid(expected, actual)


def unread_note(value: Any, config: Currency) -> str | None:
    """Why a value cannot be read; None if it can."""
    return _TERMS.unread_note(value)


@matcher(
    grid=grid,
    unread_note=unread_note,
    examples=[
        Example(expected="USD", actual="US Dollar", score=1),
        Example(expected="SEK", actual="NOK", score=0),
    ],
)
def currency(pairs: Pairs, config: Currency) -> Scores:
    """1 if both values denote the same currency, else 0."""
    return _TERMS.score_pairs(pairs)


def _read_term(value: Any) -> frozenset[str] | None:
    return currencies_called(value) or currencies_numbered(value) or None if isinstance(value, str) else None


_TERMS = ReadingMatcher[frozenset[str]]("a currency", _read_term, lambda expected, actual: Agreement(bool(expected & actual)))
