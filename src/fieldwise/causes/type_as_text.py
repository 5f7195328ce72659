"""A number or a truth value given as text, or the other way round."""

from fieldwise.kernels.written_numbers import plain
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause

LABEL = "right value, wrong type"
ADVICE = "Give the field its type in the output schema, e.g. `type: number`."
SCREEN = "other kinds"
_TRUTH = {"true": True, "yes": True, "y": True, "false": False, "no": False, "n": False}


@cause(rank=30)
def type_as_text(expected: Json, actual: Json, _context: Context) -> bool:
    """Whether one side is the plain text of the other, or a truth value stands as 0 or 1."""
    if isinstance(actual, str):
        return _is_text_of(actual, expected)
    if isinstance(expected, str):
        return _is_text_of(expected, actual)
    if isinstance(expected, bool) != isinstance(actual, bool):
        return isinstance(expected, int) and isinstance(actual, int | float) and expected == actual
    return False


def _is_text_of(text: str, value: Json) -> bool:
    text = text.strip()
    if isinstance(value, bool):
        return _TRUTH.get(text.lower()) is value
    return isinstance(value, int | float) and text in {plain(value), str(value)}
