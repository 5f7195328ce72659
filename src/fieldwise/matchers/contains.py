"""Text that contains the expected text, or a list that contains the expected items.

* In text: the expected text, or `value`, is part of the actual text. Empty expected text is contained only in empty text;
  otherwise it would match everything.
* In a list: every item of an expected list, or the one expected value, equals an actual item, as `exact` defines it.
* Any other value contains only itself.

>>> contains(Pairs(["604"], ["The answer is 604."]), Contains()).value.tolist()
[1.0]
>>> contains(Pairs(["a"], ["Total: 604 EUR"]), Contains(value="eur", ignore_case=True)).value.tolist()
[1.0]
"""

from collections.abc import Sequence
from typing import Annotated, Any

from fieldwise.dataclass import dataclass
from fieldwise.kernels.text_normalize import fold_case
from fieldwise.kernels.values import canonical_json, to_nfc
from fieldwise.model.bounds import MinLen
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.values import json_kind
from fieldwise.registry import matcher
from fieldwise.specs import Example


@dataclass(frozen=True, slots=True, kw_only=True)
class Contains:
    """What the actual value must contain."""

    value: Annotated[str, MinLen(1)] | None = None
    """Text to look for; default: the expected value."""
    ignore_case: bool = False
    """Upper and lower case are the same."""


@matcher(
    reflexive=False,
    examples=[
        Example(expected="604", actual="The answer is 604.", score=1),
        Example(expected=["a"], actual=["a", "b"], score=1),
        Example(expected=["a", "c"], actual=["a", "b"], score=0),
    ],
)
def contains(pairs: Pairs, config: Contains) -> Scores:
    """1 where the actual value contains the expected one, else 0."""
    parts = pairs.expected if config.value is None else [config.value] * len(pairs)
    return Scores.of([_contains_part(actual, part, config.ignore_case) for part, actual in zip(parts, pairs.actual, strict=True)])


def _contains_part(whole: Any, part: Any, ignore_case: bool) -> bool:
    if isinstance(whole, str) and isinstance(part, str):
        normalize = fold_case if ignore_case else to_nfc
        whole_text, part_text = normalize(whole), normalize(part)
        return part_text in whole_text if part_text else not whole_text
    items = whole if json_kind(whole) == "list" else [whole]
    parts = part if json_kind(part) == "list" and items is whole else [part]
    return _contains_all(items, parts, ignore_case)


def _contains_all(items: Sequence[Any], parts: Sequence[Any], ignore_case: bool) -> bool:
    """True if every part equals one of the items; no parts are contained only in no items."""
    item_keys = {_equality_key(item, ignore_case) for item in items}
    part_keys = {_equality_key(part, ignore_case) for part in parts}
    if None in part_keys:
        return False
    return part_keys <= item_keys if part_keys else not item_keys


def _equality_key(value: Any, ignore_case: bool) -> str | None:
    """Equal for equal values; None for a value with a NaN in it."""
    text = canonical_json(value)
    return fold_case(text) if text is not None and ignore_case else text
