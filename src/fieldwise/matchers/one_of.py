"""A value that is one of several accepted values.

The alternatives are `values`, or else the items of the expected list; any other expected value is the only alternative. Values
are compared as `exact` does.

>>> one_of(Pairs([["EUR", "€"], "USD"], ["€", "US"]), OneOf()).value.tolist()
[1.0, 0.0]
>>> one_of(Pairs(["x"], ["open"]), OneOf(values=("open", "closed"))).value.tolist()
[1.0]
"""

from typing import Annotated, Any

from fieldwise.dataclass import dataclass
from fieldwise.kernels.values import canonical_json, values_equal
from fieldwise.model.bounds import MinLen
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.values import json_kind
from fieldwise.registry import matcher
from fieldwise.specs import Example


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf:
    """The accepted values."""

    values: Annotated[tuple[bool | int | float | str, ...], MinLen(1)] | None = None
    """The alternatives; default: the items of the expected list."""


@matcher(
    reflexive=False,
    examples=[
        Example(expected="anything", actual="EUR", options={"values": ("EUR", "USD")}, score=1),
        Example(expected="anything", actual="GBP", options={"values": ("EUR", "USD")}, score=0),
        Example(expected=["EUR", "€"], actual="€", score=1),
    ],
)
def one_of(pairs: Pairs, config: OneOf) -> Scores:
    """1 where the actual value is one of the alternatives, else 0."""
    if config.values is None:
        return Scores.of([_is_one_of(actual, expected) for expected, actual in zip(pairs.expected, pairs.actual, strict=True)])
    alternatives = {canonical_json(value) for value in config.values} - {None}
    return Scores.of([canonical_json(actual) in alternatives for actual in pairs.actual])


def _is_one_of(value: Any, alternatives: Any) -> bool:
    if values_equal(value, alternatives):
        return True
    return json_kind(alternatives) == "list" and any(values_equal(value, alternative) for alternative in alternatives)
