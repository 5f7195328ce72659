"""The value of a neighbouring item of the same list."""

from fieldwise.model.context import Context, is_telling
from fieldwise.model.values import Json
from fieldwise.registry import cause

LABEL = "value of a neighbouring item"
ADVICE = "Rows slipped: look at how the table was read, or pair the items with `align: best` or `align: key`."
SCREEN = "elsewhere"
_FARTHEST = 3


@cause(rank=110, label=LABEL, advice=ADVICE, screens=SCREEN)
def item_shifted(_expected: Json, actual: Json, context: Context) -> bool:
    """Whether actual stands in expected at the same field of an item at most three places away."""
    return is_telling(actual) and any(value == actual for value in context.neighbours(_FARTHEST))
