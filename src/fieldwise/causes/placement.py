"""Causes in where a value was taken from: another field or a neighbouring item of the same record."""

import re

from fieldwise.model.context import Context, is_distinctive, is_short_amount
from fieldwise.model.values import Json
from fieldwise.registry import cause

_MAX_ITEM_DISTANCE = 3
_INDEX = re.compile(r"\[\d+\]")


@cause(
    rank=110,
    label="value of a neighbouring item",
    advice="Rows slipped: look at how the table was read, or pair the items with `align: best` or `align: key`.",
    copied=True,
)
def item_shifted(_expected: Json, actual: Json, context: Context) -> bool:
    """The value that expected has at the same field of an item at most three places away."""
    return is_distinctive(actual) and any(value == actual for value in context.neighbours(_MAX_ITEM_DISTANCE))


@cause(
    rank=120,
    label="value of another field",
    advice="Two fields were confused: say in the schema how they differ, e.g. billing against shipping address.",
    copied=True,
)
def value_of_another_field(_expected: Json, actual: Json, context: Context) -> bool:
    """The value that expected has at another field of the same record; for an integer of three digits, at another amount beside it."""
    if is_short_amount(actual):
        return any(value == actual for value in context.other_amounts())
    own_fields = {_INDEX.sub("[*]", context.path), context.field}
    return any(_INDEX.sub("[*]", path) not in own_fields for path in context.paths_with_value(actual))
