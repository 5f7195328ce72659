"""Languages by code or by name, in every CLDR language; a name that means several agrees with each of them.

>>> language(Pairs(["deu", "Slovak"], ["German", "Slovenian"]), Language()).value.tolist()
[1.0, 0.0]
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.terms import languages_called
from fieldwise.matchers._readings import Agreement, ReadingMatcher
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import matcher
from fieldwise.specs import Example


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """No options."""


def grid(expected: Sequence[object], actual: Sequence[object], config: Language) -> NDArray[np.float64]:
    """1 where an expected value denotes the same as an actual one, else 0."""
    return _TERMS.score_grid(expected, actual)


def unread_note(value: Any, config: Language) -> str | None:
    """Why a value cannot be read; None if it can."""
    return _TERMS.unread_note(value)


@matcher(
    grid=grid,
    unread_note=unread_note,
    examples=[
        Example(expected="deu", actual="German", score=1),
        Example(expected="Slovak", actual="Slovenian", score=0),
    ],
)
def language(pairs: Pairs, config: Language) -> Scores:
    """1 if both values denote the same language, else 0."""
    return _TERMS.score_pairs(pairs)


def _read_term(value: Any) -> frozenset[str] | None:
    return languages_called(value) or None if isinstance(value, str) else None


_TERMS = ReadingMatcher[frozenset[str]]("a language", _read_term, lambda expected, actual: Agreement(bool(expected & actual)))
