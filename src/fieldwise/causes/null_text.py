"""Text that stands for no value, such as `N/A`, where a value was expected."""

from fieldwise.kernels.text_normalize import letters_and_digits
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause

LABEL = "placeholder instead of a value"
ADVICE = "The value was not found: ask for null, or read such text as null with `null_values`, so that it counts as an omission."
SCREEN = ("placeholder", "other kinds")
_WORDS = frozenset(
    letters_and_digits(text)
    for text in (
        "n/a",
        "null",
        "none",
        "nil",
        "NaN",
        "undefined",
        "unknown",
        "not found",
        "not available",
        "not applicable",
        "missing",
        "tbd",
        "tba",
    )
) | {f"not{done}" for done in ("provided", "specified", "stated", "given", "mentioned", "known")}
_STROKES = frozenset("-–—_?.…/*()[]<>")


@cause(rank=100, label=LABEL, advice=ADVICE, screens=SCREEN)
def null_text(expected: Json, actual: Json, _context: Context) -> bool:
    """Whether actual is a placeholder and expected is not one."""
    return isinstance(actual, str) and _is_placeholder(actual) and not (isinstance(expected, str) and _is_placeholder(expected))


def _is_placeholder(text: str) -> bool:
    return letters_and_digits(text) in _WORDS or _STROKES.issuperset(text.strip())
