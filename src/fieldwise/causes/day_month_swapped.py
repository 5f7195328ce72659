"""A date whose day and month changed places."""

import re

from fieldwise.kernels.written_dates import Day, written_date
from fieldwise.model.context import Context
from fieldwise.registry import cause

LABEL = "day and month swapped"
ADVICE = "Say how the source writes dates, e.g. `match: date` with `day_first: true`, and ask for ISO dates."
SCREEN = ("dates", "same characters")
_YEAR_FIRST = re.compile(r"(\d{4})([-/.]?)(\d\d)\2(\d\d)", re.ASCII)


@cause(rank=140, kinds="text", label=LABEL, advice=ADVICE, screens=SCREEN)
def day_month_swapped(expected: str, actual: str, _context: Context) -> bool:
    """Whether exchanging day and month makes both the same day."""
    one, other = written_date(expected), written_date(actual)
    if one is None or other is None:
        return one is not None and _as_if_swapped(actual) == expected
    days = one.readings[:1] if one.ambiguous and other.ambiguous else one.readings
    others = other.readings[:1] if one.ambiguous and other.ambiguous else other.readings
    return set(days).isdisjoint(others) and any(_swapped(day) in others for day in days)


def _as_if_swapped(text: str) -> str:
    """`2025-25-03`, which is no date, as `2025-03-25`."""
    return _YEAR_FIRST.sub(r"\1\2\4\2\3", text)


def _swapped(day: Day) -> Day:
    return day[0], day[2], day[1]
