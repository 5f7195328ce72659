"""Field strategies of response quality: EXACT, FUZZY, SEMANTIC, IGNORE, and which one a value gets where nothing is said."""

import re
from typing import Any, Final, Literal, get_args

from fieldwise.model.values import kind

Strategy = Literal["EXACT", "FUZZY", "SEMANTIC", "IGNORE"]
STRATEGIES: Final[tuple[Strategy, ...]] = get_args(Strategy)

# a whole address and nothing else; the local part and the domain may hold anything but spaces and a second @
_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)+")
_ISO_DATE: Final = re.compile(
    r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
    r"(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
)


def detected(value: Any, default_text: Strategy) -> Strategy:
    """The strategy for a value by its type.

    >>> [detected(v, "SEMANTIC") for v in (5, True, "2025-01-31", "a@b.org", [1], {"a": 1}, "free text")]
    ['EXACT', 'EXACT', 'EXACT', 'EXACT', 'EXACT', 'EXACT', 'SEMANTIC']
    """
    if type(value) is not str and kind(value) != "string":
        return "EXACT"
    text = str(value).strip()
    # what must stand in an address and in a date is looked for first: most text is neither
    is_exact = ("@" in text and _EMAIL.fullmatch(text)) or (text[4:5] == "-" and _ISO_DATE.fullmatch(text))
    return "EXACT" if is_exact else default_text
