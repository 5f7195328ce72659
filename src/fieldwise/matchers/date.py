"""Dates that are the same day of the calendar, however they are written.

Without `formats`, ISO 8601 and what can be read one way only: 2025-04-03, 20250403, 2025/04/03, 13/04/2025, 3 April 2025,
Apr 3, 2025, each with or without a time. A time of day and a time zone never move the date. 03/04/2025 (or 03.04.2025) could be
two days and matches only what is written the same, zeros in front aside, unless `day_first` says which. Two-digit years need
`formats`. Values that are no dates match only if they are the same text.

>>> date(Pairs(["2025-04-03", "2025-04-03"], ["3 April 2025", "03/04/2025"]), Date()).value.tolist()
[1.0, 0.0]
>>> date(Pairs(["2025-04-03"], ["03/04/2025"]), Date(day_first=True)).value.tolist()
[1.0]
"""

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
from annotated_types import MinLen
from numpy.typing import NDArray

from fieldwise.kernels.dates import Ambiguous, compile_format, parse_date, parse_with
from fieldwise.kernels.values import canonical, nfc
from fieldwise.matchers._keys import grid_of_keys, non_finite_notes, shown
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Date:
    """How dates are written."""

    formats: Annotated[tuple[str, ...], MinLen(1)] | None = None
    """strptime directives (`%d/%m/%Y`) or tokens (`DD/MM/YYYY`, `D MMM YYYY`). A value that fits none is no date; where
    several fit, the first counts."""
    day_first: bool | None = None
    """Whether 03/04/2025 is 3 April (true) or March 4 (false). A date that can be read one way only is read that way."""

    def __post_init__(self) -> None:
        if self.formats and self.day_first is not None:
            raise ValueError("`formats` already say which number is the day; remove `day_first`")
        for format in self.formats or ():
            compile_format(format)


_ZEROS: Final = re.compile(r"(?<!\d)0+(?=\d)")
_Key = int | str | None
"""A day as its ordinal, any other value as text, None for a NaN."""
_Reader = Callable[[Any], tuple[_Key, str | None]]


def grid(expected: Sequence[object], actual: Sequence[object], config: Date) -> NDArray[np.float64]:
    """1 where an expected date is the day of an actual one, else 0."""
    read = _reader(config)
    return grid_of_keys(expected, actual, lambda value: read(value)[0])


@matcher(grid=grid)
def date(pairs: Pairs, config: Date) -> Scores:
    """1 for the same day, else 0."""
    read = _reader(config)
    matched, notes, failed = list[bool](), dict[int, str](), list[int]()
    for row, (expected, actual) in enumerate(zip(pairs.expected, pairs.actual, strict=True)):
        (one, note), (other, other_note) = read(expected), read(actual)
        matched.append(one == other and one is not None)
        if not matched[row]:
            failed.append(row)
            if note or other_note:
                notes[row] = "; ".join(dict.fromkeys(text for text in (note, other_note) if text))
    return Scores.of(matched, notes={**notes, **non_finite_notes(pairs.expected, pairs.actual, failed)})


def _reader(config: Date) -> _Reader:
    """Reads a value as the key it is compared by, and a note if it is no date; each text once."""
    patterns = [compile_format(format) for format in config.formats or ()]
    known: dict[str, tuple[_Key, str | None]] = {}

    def read(value: Any) -> tuple[_Key, str | None]:
        if isinstance(value, str):
            found = known.get(value)
            if found is None:
                found = known[value] = _read(value)
            return found
        if isinstance(value, datetime.date):
            return value.toordinal(), None
        return canonical(value), f"not a date: {shown(value)}"

    def _read(text: str) -> tuple[_Key, str | None]:
        found = parse_with(text, patterns) if patterns else parse_date(text, config.day_first)
        if isinstance(found, datetime.date):
            return found.toordinal(), None
        plain = nfc(text).strip()
        if found is not None:
            plain = _ZEROS.sub("", plain)  # 03/04/2025 is 3/4/2025, whichever day that is
        return canonical(plain), _why_not(text.strip(), found, config)

    return read


def _why_not(text: str, found: Ambiguous | None, config: Date) -> str:
    if found is not None:
        return f"ambiguous date: {found}; set day_first or formats"
    if config.formats:
        return f"{shown(text)} fits none of the formats {', '.join(config.formats)}"
    return f"not a date: {shown(text)}"
