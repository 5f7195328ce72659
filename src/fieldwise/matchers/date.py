"""Dates that are the same calendar day, in whatever format.

Without `formats`, ISO 8601 and unambiguous formats: 2025-04-03, 20250403, 2025/04/03, 13/04/2025, 3 April 2025,
Apr 3, 2025, each with or without a time. A time of day and a time zone never move the date. 03/04/2025 (or 03.04.2025) could be
two days and matches only the same text, leading zeros aside, unless `day_first` says which. Two-digit years need
`formats`. Values that are not dates match only if they are the same text.

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

from fieldwise.kernels.dates import AmbiguousDate, compile_date_format, parse_date, parse_date_with_formats
from fieldwise.kernels.values import canonical_json, to_nfc
from fieldwise.matchers._keys import equal_key_grid, quote_value
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import Example, matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Date:
    """Formats of dates."""

    formats: Annotated[tuple[str, ...], MinLen(1)] | None = None
    """strptime directives (`%d/%m/%Y`) or tokens (`DD/MM/YYYY`, `D MMM YYYY`). A value in none of them is not a
    date; the first format that fits is used."""
    day_first: bool | None = None
    """Whether 03/04/2025 is 3 April (true) or March 4 (false). Unambiguous dates are not affected."""

    def __post_init__(self) -> None:
        if self.formats and self.day_first is not None:
            raise ValueError("`formats` already say which number is the day; remove `day_first`")
        for format in self.formats or ():
            compile_date_format(format)


_LEADING_ZEROS: Final = re.compile(r"(?<!\d)0+(?=\d)")
_DateKey = int | str | None
"""A day as its ordinal, another value as its JSON text, None for NaN."""
_KeyWithNote = tuple[_DateKey, str | None]
"""The key of a value, and a note if the value is not a date."""


def grid(expected: Sequence[object], actual: Sequence[object], config: Date) -> NDArray[np.float64]:
    """1 where an expected date is the same day as an actual one, else 0."""
    read_key = _key_reader(config)
    return equal_key_grid(expected, actual, lambda value: read_key(value)[0])


@matcher(
    grid=grid,
    examples=[
        Example(expected="2025-04-03", actual="3 April 2025", score=1),
        Example(expected="2025-04-03", actual="03/04/2025", score=0),
        Example(expected="2025-04-03", actual="03/04/2025", options={"day_first": True}, score=1),
    ],
)
def date(pairs: Pairs, config: Date) -> Scores:
    """1 for the same day, else 0."""
    read_key = _key_reader(config)
    matched: list[bool] = []
    notes: dict[int, str] = {}
    for row, (expected, actual) in enumerate(zip(pairs.expected, pairs.actual, strict=True)):
        (expected_key, expected_note), (actual_key, actual_note) = read_key(expected), read_key(actual)
        is_match = expected_key == actual_key and expected_key is not None
        matched.append(is_match)
        if not is_match and (expected_note or actual_note):
            notes[row] = "; ".join(dict.fromkeys(note for note in (expected_note, actual_note) if note))
    return Scores.of(matched, notes=notes)


def _key_reader(config: Date) -> Callable[[Any], _KeyWithNote]:
    """A function that reads a value as the key to compare; it reads each text once."""
    formats = [compile_date_format(format) for format in config.formats or ()]
    keys_by_text: dict[str, _KeyWithNote] = {}

    def read_key(value: Any) -> _KeyWithNote:
        if isinstance(value, str):
            if value not in keys_by_text:
                keys_by_text[value] = read_text(value)
            return keys_by_text[value]
        if isinstance(value, datetime.date):
            return value.toordinal(), None
        return canonical_json(value), f"not a date: {quote_value(value)}"

    def read_text(text: str) -> _KeyWithNote:
        day = parse_date_with_formats(text, formats) if formats else parse_date(text, config.day_first)
        if isinstance(day, datetime.date):
            return day.toordinal(), None
        plain = to_nfc(text).strip()
        if day is not None:
            plain = _LEADING_ZEROS.sub("", plain)  # 03/04/2025 and 3/4/2025 are the same day in either reading
        return canonical_json(plain), _note_unread_date(text.strip(), day, config)

    return read_key


def _note_unread_date(text: str, ambiguous: AmbiguousDate | None, config: Date) -> str:
    if ambiguous is not None:
        return f"ambiguous date: {ambiguous}; set day_first or formats"
    if config.formats:
        return f"{quote_value(text)} fits none of the formats {', '.join(config.formats)}"
    return f"not a date: {quote_value(text)}"
