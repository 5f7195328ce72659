"""A value that is one of several that are right.

The alternatives are `values`, or else the items of the expected list; any other expected value is the only alternative. A value
is one of them if it is the same, as `exact` has it.

>>> one_of(Pairs([["EUR", "€"], "USD"], ["€", "US"]), OneOf()).value.tolist()
[1.0, 0.0]
>>> one_of(Pairs(["x"], ["open"]), OneOf(values=("open", "closed"))).value.tolist()
[1.0]
"""

from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import MinLen

from fieldwise.kernels.values import canonical, same
from fieldwise.matchers._keys import non_finite_notes
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.values import kind
from fieldwise.registry import matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf:
    """What is right."""

    values: Annotated[tuple[bool | int | float | str, ...], MinLen(1)] | None = None
    """The alternatives; the items of the expected list if not given."""


@matcher(reflexive=False)
def one_of(pairs: Pairs, config: OneOf) -> Scores:
    """1 where the actual value is one of the alternatives, else 0."""
    if config.values is None:
        matched = [_is_one(actual, expected) for expected, actual in zip(pairs.expected, pairs.actual, strict=True)]
    else:
        known = {canonical(value) for value in config.values} - {None}
        matched = [canonical(actual) in known for actual in pairs.actual]
    failed = (row for row, good in enumerate(matched) if not good)
    return Scores.of(matched, notes=non_finite_notes([None] * len(pairs), pairs.actual, failed))


def _is_one(value: Any, alternatives: Any) -> bool:
    if same(value, alternatives):
        return True
    return kind(alternatives) == "list" and any(same(value, alternative) for alternative in alternatives)
