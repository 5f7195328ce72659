"""Text that contains the expected text, or a list that contains the expected items.

* In text: the expected text, or `value`, is part of the actual text. Empty expected text is contained only in empty text: it
  would otherwise be a point for anything.
* In a list: every item of an expected list, or the one expected value, is among the actual items, as `exact` has it.
* Anything else contains only itself.

>>> contains(Pairs(["604"], ["The answer is 604."]), Contains()).value.tolist()
[1.0]
>>> contains(Pairs(["a"], ["Total: 604 EUR"]), Contains(value="eur", ignore_case=True)).value.tolist()
[1.0]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import MinLen

from fieldwise.kernels.strings import fold_case
from fieldwise.kernels.values import canonical, nfc
from fieldwise.matchers._keys import non_finite_notes
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.values import kind
from fieldwise.registry import matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Contains:
    """What the actual value must contain."""

    value: Annotated[str, MinLen(1)] | None = None
    """This text; the expected value if not given."""
    ignore_case: bool = False


@matcher(reflexive=False)
def contains(pairs: Pairs, config: Contains) -> Scores:
    """1 where the actual value contains what it must, else 0."""
    wanted = pairs.expected if config.value is None else [config.value] * len(pairs)
    matched = [_contains(actual, part, config.ignore_case) for part, actual in zip(wanted, pairs.actual, strict=True)]
    failed = (row for row, good in enumerate(matched) if not good)
    return Scores.of(matched, notes=non_finite_notes(wanted, pairs.actual, failed))


def _contains(whole: Any, part: Any, ignore_case: bool) -> bool:
    if isinstance(whole, str) and isinstance(part, str):
        text, wanted = (fold_case(whole), fold_case(part)) if ignore_case else (nfc(whole), nfc(part))
        return wanted in text if wanted else not text
    if kind(whole) != "list":
        return _among([part], [whole], ignore_case)
    return _among(part if kind(part) == "list" else [part], whole, ignore_case)


def _among(parts: Sequence[Any], items: Sequence[Any], ignore_case: bool) -> bool:
    """Whether every part is the same as one of the items; an empty list is among the items of an empty list only."""
    known = {_key(item, ignore_case) for item in items}
    wanted = {_key(part, ignore_case) for part in parts}
    return None not in wanted and (wanted <= known if wanted else not known)


def _key(value: Any, ignore_case: bool) -> str | None:
    text = canonical(value)
    return fold_case(text) if text is not None and ignore_case else text
