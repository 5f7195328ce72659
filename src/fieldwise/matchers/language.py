"""Languages by code or by name, in every CLDR language; a name that means several agrees with each of them.

Where both values name a region, a script or a variant, these must agree too; where only one does, the values agree with a note. As in
CLDR's likely subtags, `zh-CN` is `zh-Hans` and `zh-TW` is `zh-Hant`.

>>> language(Pairs(["deu", "Slovak", "pt-BR", "pt-BR"], ["German", "Slovenian", "pt-PT", "Portuguese"]), Language()).value.tolist()
[1.0, 0.0, 0.0, 1.0]
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.languages import Varieties, find_shared_variety, name_differing_parts, name_disagreeing_parts, varieties_called
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
        Example(expected="pt-BR", actual="pt-PT", score=0),
        Example(expected="zh-Hans", actual="zh-CN", score=1),
    ],
)
def language(pairs: Pairs, config: Language) -> Scores:
    """1 if both values denote the same language, and the same region, script and variant where both name one; else 0."""
    return _TERMS.score_pairs(pairs)


def _read_varieties(value: Any) -> Varieties | None:
    return varieties_called(value) or None if isinstance(value, str) else None


def _compare(expected: Varieties, actual: Varieties) -> Agreement:
    shared = find_shared_variety(expected, actual)
    if shared is None:
        parts = name_disagreeing_parts(expected, actual)
        return Agreement(False, f"same language, another {' and '.join(parts)}" if parts else None)
    parts = name_differing_parts(*shared)
    return Agreement(True, f"only one side names a {' and a '.join(parts)}" if parts else None)


_TERMS = ReadingMatcher[Varieties]("a language", _read_varieties, _compare)
