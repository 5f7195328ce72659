"""The same day written otherwise: `2025-03-04` and `4 March 2025`."""

from fieldwise.kernels.written_dates import written_date
from fieldwise.model.context import Context
from fieldwise.registry import cause

LABEL = "date format"
ADVICE = "Compare calendar days, e.g. `match: date`, or ask for ISO dates."
SCREEN = "dates"


@cause(rank=50, kinds="text", label=LABEL, advice=ADVICE, screens=SCREEN)
def date_format(expected: str, actual: str, _context: Context) -> bool:
    """Whether both are the same day; two dates that leave day and month open are read alike."""
    one, other = written_date(expected), written_date(actual)
    if one is None or other is None or (one.time and other.time and one.time != other.time):
        return False
    if one.ambiguous and other.ambiguous:
        return one.readings == other.readings
    return not set(one.readings).isdisjoint(other.readings)
