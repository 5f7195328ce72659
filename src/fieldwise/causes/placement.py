"""Causes in where a value was taken from: another field or a neighbouring item of the same record."""

import re
from typing import Final

from fieldwise.causes.misreadings import ocr
from fieldwise.causes.numbers import decimal_point_lost, digit_changed, scale
from fieldwise.kernels.numbers import format_number, to_number
from fieldwise.model.context import Context, is_distinctive, is_short_amount, names_amount
from fieldwise.model.values import Json
from fieldwise.registry import cause

_MAX_ITEM_DISTANCE: Final = 3
_INDEX: Final = re.compile(r"\[\d+\]")
_ROOT_PATHS: Final = ("", "(root)")
_MIN_MOVED_DIGITS: Final = 3
"""Fewer digits are the same by chance in two numbers that differ by their decimal points."""


@cause(
    rank=110,
    label="value of a neighbouring item",
    advice="Rows slipped: look at how the table was read, or pair the items with `align: best` or `align: key`.",
    copied=True,
)
def item_shifted(expected: Json, actual: Json, context: Context) -> bool:
    """The value that expected has at the same field of one item, at most three places away, and of no other item.

    Not where the field's values are a small set, such as Yes and No. A value that is also a misreading of the expected one is shifted only
    if another field of the item comes from the same neighbour.
    """
    if not is_distinctive(actual) or not context.has_neighbour_with(actual, _MAX_ITEM_DISTANCE):
        return False
    return not _is_misread(expected, actual, context) or context.has_neighbour_with(actual, _MAX_ITEM_DISTANCE, with_another_field=True)


@cause(
    rank=120,
    label="value of another field",
    advice="Two fields were confused: say in the schema how they differ, e.g. billing against shipping address.",
    copied=True,
)
def value_of_another_field(expected: Json, actual: Json, context: Context) -> bool:
    """The value that expected has at another field of the same record; for an integer of three digits, at another amount beside it.

    Neither a value inside the field itself nor, except between two amounts, one that is also a misreading of the expected value.
    """
    if is_short_amount(actual):
        return any(value == actual for value in context.other_amounts())
    other_paths = _exclude_own_paths(context.paths_with_value(actual), context)
    if not other_paths or not _is_misread(expected, actual, context):
        return bool(other_paths)
    return names_amount(context.path) and any(map(names_amount, other_paths))  # net and gross often differ by one digit


def _exclude_own_paths(paths: list[str], context: Context) -> list[str]:
    """The paths of other fields: not of the same field, of a value inside it or of one around it, in any list item."""
    if not paths or context.path in _ROOT_PATHS:
        return []
    own_field = _INDEX.sub("[*]", context.path)
    other_paths: list[str] = []
    for path in paths:
        field = _INDEX.sub("[*]", path)
        if field != context.field and not _is_inside(field, own_field) and not _is_inside(own_field, field):
            other_paths.append(path)
    return other_paths


def _is_inside(field: str, outer: str) -> bool:
    """True for `a.b`, `a[*]` and `a` itself inside `a`."""
    return field.startswith(outer) and field[len(outer) :][:1] in ("", ".", "[")


def _is_misread(expected: Json, actual: Json, context: Context) -> bool:
    """True if a number differs by one digit or by its decimal point, or a text by characters that look alike.

    Such values are close to each other in many columns (4.143 and 4.148), so that a misread one is equal to another by chance. One digit of
    a longer text is no misreading here: `Rack 1` and `Rack 2` are two items.
    """
    if to_number(expected) is not None and to_number(actual) is not None and digit_changed(expected, actual, context):
        return True
    return _is_decimal_point_moved(expected, actual, context) or ocr(expected, actual, context)


def _is_decimal_point_moved(expected: Json, actual: Json, context: Context) -> bool:
    """True for 2941 and 29.41, not for 120 and 1200, which are usual numbers of one column."""
    left, right = to_number(expected), to_number(actual)
    if left is None or right is None or (left % 1 == 0 and right % 1 == 0):
        return False
    digits = format_number(abs(left)).replace(".", "").strip("0")
    if len(digits) < _MIN_MOVED_DIGITS or digits != format_number(abs(right)).replace(".", "").strip("0"):
        return False
    return decimal_point_lost(expected, actual, context) or scale(expected, actual, context)
