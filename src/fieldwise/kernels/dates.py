"""Calendar dates from text: ISO 8601 and what cannot be misread, or exactly the formats that are asked for.

A time of day and a time zone may follow and are never computed with: the date is the one that is written. Month names are
English, long or short, in any case. Nothing is guessed: `03/04/2025` is `Ambiguous`, and a year needs four digits unless a
format says otherwise.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final
from unicodedata import normalize

MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_MONTH_OF: Final = {
    **{name.lower(): number for number, name in enumerate(MONTHS, 1)},
    **{name[:3].lower(): number for number, name in enumerate(MONTHS, 1)},
    "sept": 9,
}
_LONGEST = 80
"""No date is longer than so many characters."""

_NAME = "|".join(sorted(_MONTH_OF, key=len, reverse=True))
_WEEKDAY = r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
_HOUR, _SIXTIETH = r"(?:[01]?\d|2[0-3])", r"[0-5]\d"
_SECOND = rf"(?:{_SIXTIETH}|60)(?:[.,]\d+)?"
_ZONE = r"(?:z|utc|gmt|[ecmp][sd]t|ces?t|bst|(?:utc|gmt)?[-+]\d\d(?::?\d\d)?)(?: ?(?:\[[\w/+-]+\]|\(\w+\)))?"
_CLOCK = rf"(?:{_HOUR}:{_SIXTIETH}(?::{_SECOND})?(?: ?[ap]\.?m\.?)?|24:00(?::00)?|{_HOUR} ?[ap]\.?m\.?)"
_COMPACT = rf"(?:[01]\d|2[0-3])(?:{_SIXTIETH}(?:{_SECOND})?)?"
_TIME = rf"(?:(?:t|,? (?:at )?){_CLOCK}(?: ?{_ZONE})?|t{_COMPACT}(?:{_ZONE})?)?"


def _form(dated: str) -> re.Pattern[str]:
    return re.compile(f"{dated}{_TIME}", re.ASCII)


_LEAD = rf"(?:{_WEEKDAY}\.?,? )?"
_YEAR_FIRST = _form(rf"{_LEAD}(\d{{4}})(?:([-/ ]|\. ?)(\d\d?)\2(\d\d?)|(\d\d)(\d\d))")
_YEAR_LAST = _form(rf"{_LEAD}(\d\d?)([-/ ]|\. ?)(\d\d?)\2(\d{{4}})")
_NAMED: Final = (
    _form(rf"{_LEAD}(?P<day>\d\d?)(?:st|nd|rd|th|\.)?(?:[-/ ]| of )?(?P<month>{_NAME})\.?,?[-/ ]?(?P<year>\d{{4}})"),
    _form(rf"{_LEAD}(?P<month>{_NAME})\.?[-/ ]?(?P<day>\d\d?)(?:st|nd|rd|th)?(?:,? ?|[-/ ])(?<!\d)(?P<year>\d{{4}})"),
    _form(rf"(?P<year>\d{{4}})[-/ ]?(?P<month>{_NAME})\.?[-/ ]?(?P<day>\d\d?)"),
)
_WEEK = _form(r"(\d{4})(-?)w(\d\d)\2(\d)")
_DAY_OF_YEAR = _form(r"(\d{4})-(\d{3})")


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A date whose first two numbers may be day and month or month and day."""

    first: int
    second: int
    year: int

    def __str__(self) -> str:
        """
        >>> str(Ambiguous(3, 4, 2025))
        '3 April or March 4'
        """
        return f"{self.first} {MONTHS[self.second - 1]} or {MONTHS[self.first - 1]} {self.second}"


def parse_date(text: str, day_first: bool | None = None) -> date | Ambiguous | None:
    """The calendar date a text gives; None if it gives none. `day_first` decides what can be read both ways.

    >>> parse_date("2025-01-01T23:00:00-05:00"), parse_date("3rd April 2025"), parse_date("13/04/2025")
    (datetime.date(2025, 1, 1), datetime.date(2025, 4, 3), datetime.date(2025, 4, 13))
    >>> parse_date("03/04/2025"), parse_date("03/04/2025", day_first=True), parse_date("30 February 2025")
    (Ambiguous(first=3, second=4, year=2025), datetime.date(2025, 4, 3), None)
    """
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    text = " ".join(text.split()).lower()
    if found := _YEAR_FIRST.fullmatch(text):
        year, _, month, day, compact_month, compact_day = found.groups()
        return _date(year, month or compact_month, day or compact_day)
    if found := _YEAR_LAST.fullmatch(text):
        return _year_last(int(found[1]), int(found[3]), int(found[4]), day_first)
    for form in _NAMED:
        if found := form.fullmatch(text):
            return _date(found["year"], _MONTH_OF[found["month"]], found["day"])
    return _of_week_or_year(text)


def _date(year: str | int, month: str | int, day: str | int) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _year_last(first: int, second: int, year: int, day_first: bool | None) -> date | Ambiguous | None:
    as_day_first, as_month_first = _date(year, second, first), _date(year, first, second)
    if as_day_first and as_month_first and first != second:
        if day_first is None:
            return Ambiguous(first, second, year)
        return as_day_first if day_first else as_month_first
    return as_day_first or as_month_first


def _of_week_or_year(text: str) -> date | None:
    if found := _DAY_OF_YEAR.fullmatch(text):
        return _of_day(int(found[1]), int(found[2]))
    if found := _WEEK.fullmatch(text):
        try:
            return date.fromisocalendar(int(found[1]), int(found[3]), int(found[4]))
        except ValueError:
            return None
    return None


def _of_day(year: int, day: int) -> date | None:
    try:
        found = date.fromordinal(date(year, 1, 1).toordinal() + day - 1)
    except ValueError:
        return None
    return found if found.year == year else None


_MONTH, _DAY = r"(?P<month>1[0-2]|0?[1-9])", r"(?P<day>3[01]|[12]\d|0?[1-9])"
_ANY_NAME, _HALF, _OFFSET = rf"(?P<name>{_NAME})\.?", r"[ap]\.?m\.?", r"(?:z|[-+]\d\d:?\d\d(?::?\d\d)?)"
_TWELVE = r"(?:1[0-2]|0?[1-9])"
_DIRECTIVES: Final = {
    "Y": r"(?P<year>\d{4})",
    "y": r"(?P<short>\d\d)",
    "m": _MONTH,
    "d": _DAY,
    "e": _DAY,
    "b": _ANY_NAME,
    "B": _ANY_NAME,
    "h": _ANY_NAME,
    "j": r"(?P<nth>\d{1,3})",
    "a": rf"{_WEEKDAY}\.?",
    "A": rf"{_WEEKDAY}\.?",
    "H": _HOUR,
    "I": _TWELVE,
    "M": r"[0-5]?\d",
    "S": r"(?:[0-5]?\d|6[01])",
    "f": r"\d{1,6}",
    "p": _HALF,
    "z": _OFFSET,
    "Z": r"[a-z]{1,5}",
    "%": "%",
}
_TOKENS: Final = {
    "YYYY": _DIRECTIVES["Y"],
    "YY": _DIRECTIVES["y"],
    "MMMM": _ANY_NAME,
    "MMM": _ANY_NAME,
    "MM": r"(?P<month>\d\d)",
    "M": _MONTH,
    "DD": r"(?P<day>\d\d)",
    "Do": rf"{_DAY}(?:st|nd|rd|th)",
    "D": _DAY,
    "dddd": rf"{_WEEKDAY}\.?",
    "ddd": rf"{_WEEKDAY}\.?",
    "HH": r"(?:[01]\d|2[0-3])",
    "H": _HOUR,
    "hh": r"(?:0[1-9]|1[0-2])",
    "h": _TWELVE,
    "mm": _SIXTIETH,
    "m": r"[0-5]?\d",
    "ss": _SIXTIETH,
    "s": r"[0-5]?\d",
    "SSS": r"\d{3}",
    "A": _HALF,
    "a": _HALF,
    "ZZ": _OFFSET,
    "Z": _OFFSET,
    "T": "t",
}
_PIECE: Final = re.compile(
    r"%-?(?P<directive>.?)|\[(?P<literal>[^\]]*)\]|(?P<token>YYYY|YY|Do|SSS|([A-Za-z])\4*)|(?P<space>\s+)|(?P<other>.)", re.DOTALL
)


def compile_format(format: str) -> re.Pattern[str]:
    """The pattern of a date format: strptime directives if it holds a `%`, else tokens such as `DD MMM YYYY`.

    ValueError says what is wrong with a format that cannot be used.

    >>> parse_with("3 APR 2025", [compile_format("D MMM YYYY")])
    datetime.date(2025, 4, 3)
    """
    directives = "%" in format
    pieces = [_piece(format, found, directives) for found in _PIECE.finditer(format)]
    try:
        pattern = re.compile("".join(pieces), re.ASCII | re.IGNORECASE)
    except re.error:
        raise ValueError(f"date format `{format}` names a part of the date twice") from None
    parts = set(pattern.groupindex)
    if not parts & {"year", "short"}:
        raise ValueError(f"date format `{format}` has no year; add {'%Y' if directives else 'YYYY'}")
    if "nth" not in parts and not ("day" in parts and parts & {"month", "name"}):
        raise ValueError(f"date format `{format}` needs a day and a month; add {'%d and %m' if directives else 'DD and MM'}")
    return pattern


def _piece(format: str, found: re.Match[str], directives: bool) -> str:
    """The pattern of one piece of a format."""
    kind, text = found.lastgroup, found[0]
    if kind == "space":
        return r"\s+"
    if kind == "directive":
        if found["directive"] not in _DIRECTIVES:
            raise ValueError(
                f"unknown directive `{text}` in date format `{format}`; known are " + " ".join(f"%{name}" for name in _DIRECTIVES)
            )
        return _DIRECTIVES[found["directive"]]
    if directives or kind == "other":
        return re.escape(text)
    if kind == "literal":
        return re.escape(found["literal"])
    if text not in _TOKENS:
        hint = (
            f"did you mean `{text.upper()}`?" if text.upper() in _TOKENS else "known are " + " ".join(_TOKENS) + "; put words in [brackets]"
        )
        raise ValueError(f"unknown token `{text}` in date format `{format}`; {hint}")
    return _TOKENS[text]


def parse_with(text: str, patterns: Sequence[re.Pattern[str]]) -> date | None:
    """The date by the first pattern that fits the whole text, outer whitespace aside; None if none fits.

    Two-digit years are 1969 to 2068, as POSIX reads them.
    """
    text = normalize("NFC", text.strip())
    if len(text) > _LONGEST:
        return None
    for pattern in patterns:
        found = pattern.fullmatch(text)
        if found and (read := _from_parts(found.groupdict())):
            return read
    return None


def _from_parts(parts: dict[str, str]) -> date | None:
    if "short" in parts:
        short = int(parts["short"])
        year = short + (1900 if short >= 69 else 2000)
    else:
        year = int(parts["year"])
    if "day" not in parts:
        return _of_day(year, int(parts["nth"]))
    month = _MONTH_OF[parts["name"].lower()] if "name" in parts else parts["month"]
    return _date(year, month, parts["day"])
