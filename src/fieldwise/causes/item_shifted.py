"""The value of a neighbouring item of the same list."""

import re

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause

LABEL = "value of a neighbouring item"
ADVICE = "Rows slipped: look at how the table was read, or pair the items with `align: best` or `align: key`."
SCREEN = "elsewhere"
_FARTHEST = 3
_INDEX = re.compile(r"\[(\d+)\]")


@cause(rank=110)
def item_shifted(_expected: Json, actual: Json, context: Context) -> bool:
    """Whether actual stands in expected at the same field of an item at most three places away."""
    return any(_are_neighbours(context.path, place) for place in context.places_of(actual))


def _are_neighbours(path: str, place: str) -> bool:
    """
    >>> _are_neighbours("a[2].b[0].c", "a[1].b[0].c"), _are_neighbours("a[2].c", "a[2].d"), _are_neighbours("a[2].c", "a[9].c")
    (True, False, False)
    """
    here, there = _INDEX.split(path), _INDEX.split(place)
    if len(here) != len(there):
        return False
    apart = [(a, b) for a, b in zip(here, there, strict=True) if a != b]
    return len(apart) == 1 and all(part.isdecimal() for part in apart[0]) and abs(int(apart[0][0]) - int(apart[0][1])) <= _FARTHEST
