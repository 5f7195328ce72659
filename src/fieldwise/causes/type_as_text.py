"""A number or a truth value given as text, or the other way round."""

from fieldwise.kernels.written_numbers import plain
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause

LABEL = "right value, wrong type"
ADVICE = "Give the field its type in the output schema, e.g. `type: number`."
SCREEN = "other kinds"
_TRUTH = {"true": True, "yes": True, "y": True, "false": False, "no": False, "n": False}


@cause(rank=30, label=LABEL, advice=ADVICE, screens=SCREEN)
def type_as_text(expected: Json, actual: Json, _context: Context) -> bool:
    """Whether one side is the plain text of the other."""
    if isinstance(actual, str):
        return _is_text_of(actual, expected)
    return isinstance(expected, str) and _is_text_of(expected, actual)


def _is_text_of(text: str, value: Json) -> bool:
    text = text.strip()
    if isinstance(value, bool):
        return _TRUTH.get(text.lower()) is value
    if isinstance(value, float):
        return text == repr(value) or text == plain(value)
    return isinstance(value, int) and text == plain(value)
