"""Calendar dates in text, read and written.

* `parse_date` reads data: ISO 8601 (also weeks and days of the year), numeric dates with a four-digit year, English month names.
  It refuses two-digit years and months without a day, and returns `AmbiguousDate` where day and month may be swapped.
* `parse_date_with_formats` reads exactly the formats passed to `compile_date_format`.
* `parse_date_readings` explains mismatches: it also reads two-digit years, months without a day, and month names in English, German,
  French and Spanish, and returns every reading that is a day of the calendar.
* `spell_iso_date` writes a date in the spellings that documents use.

A time of day and a time zone may follow a date; they are never computed with: the date is the one that is written.
The month names of other languages are in `_MONTH_NAMES`; every other table here is English.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple
from unicodedata import normalize

from fieldwise.kernels.text_normalize import keep_letters_and_digits

ENGLISH_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_ENGLISH_MONTH_NUMBERS: Final = {
    **{name.lower(): number for number, name in enumerate(ENGLISH_MONTHS, 1)},
    **{name[:3].lower(): number for number, name in enumerate(ENGLISH_MONTHS, 1)},
    "sept": 9,
}
_FIRST_SHORT_YEAR: Final = 69
"""Two-digit years from here on are of the 20th century, as in POSIX: 69 is 1969, 68 is 2068."""


# Strict: `parse_date`

_MAX_LENGTH = 80
_MONTH_NAME = "|".join(sorted(_ENGLISH_MONTH_NUMBERS, key=len, reverse=True))
_WEEKDAY = r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
_HOUR, _SIXTIETH = r"(?:[01]?\d|2[0-3])", r"[0-5]\d"
_SECOND = rf"(?:{_SIXTIETH}|60)(?:[.,]\d+)?"
_ZONE = r"(?:z|utc|gmt|[ecmp][sd]t|ces?t|bst|(?:utc|gmt)?[-+]\d\d(?::?\d\d)?)(?: ?(?:\[[\w/+-]+\]|\(\w+\)))?"
_CLOCK = rf"(?:{_HOUR}:{_SIXTIETH}(?::{_SECOND})?(?: ?[ap]\.?m\.?)?|24:00(?::00)?|{_HOUR} ?[ap]\.?m\.?)"
_COMPACT_CLOCK = rf"(?:[01]\d|2[0-3])(?:{_SIXTIETH}(?:{_SECOND})?)?"
_TIME = rf"(?:(?:t|,? (?:at )?){_CLOCK}(?: ?{_ZONE})?|t{_COMPACT_CLOCK}(?:{_ZONE})?)?"


def _compile_with_time(date_pattern: str) -> re.Pattern[str]:
    return re.compile(f"{date_pattern}{_TIME}", re.ASCII)


_LEAD = rf"(?:{_WEEKDAY}\.?,? )?"
_YEAR_FIRST = _compile_with_time(rf"{_LEAD}(\d{{4}})(?:([-/ ]|\. ?)(\d\d?)\2(\d\d?)|(\d\d)(\d\d))")
_YEAR_LAST = _compile_with_time(rf"{_LEAD}(\d\d?)([-/ ]|\. ?)(\d\d?)\2(\d{{4}})")
_NAMED_MONTH: Final = (
    _compile_with_time(rf"{_LEAD}(?P<day>\d\d?)(?:st|nd|rd|th|\.)?(?:[-/ ]| of )?(?P<month>{_MONTH_NAME})\.?,?[-/ ]?(?P<year>\d{{4}})"),
    _compile_with_time(rf"{_LEAD}(?P<month>{_MONTH_NAME})\.?[-/ ]?(?P<day>\d\d?)(?:st|nd|rd|th)?(?:,? ?|[-/ ])(?<!\d)(?P<year>\d{{4}})"),
    _compile_with_time(rf"(?P<year>\d{{4}})[-/ ]?(?P<month>{_MONTH_NAME})\.?[-/ ]?(?P<day>\d\d?)"),
)
_ISO_WEEK = _compile_with_time(r"(\d{4})(-?)w(\d\d)\2(\d)")
_DAY_OF_YEAR = _compile_with_time(r"(\d{4})-(\d{3})")


@dataclass(frozen=True, slots=True)
class AmbiguousDate:
    """A date whose first two numbers may be day and month or month and day."""

    first: int
    second: int
    year: int

    def __str__(self) -> str:
        """
        >>> str(AmbiguousDate(3, 4, 2025))
        '3 April or March 4'
        """
        return f"{self.first} {ENGLISH_MONTHS[self.second - 1]} or {ENGLISH_MONTHS[self.first - 1]} {self.second}"


def parse_date(text: str, day_first: bool | None = None) -> date | AmbiguousDate | None:
    """Return the calendar date of a text, or None if it is not a date. `day_first` decides what can be read both ways.

    >>> parse_date("2025-01-01T23:00:00-05:00"), parse_date("3rd April 2025"), parse_date("13/04/2025")
    (datetime.date(2025, 1, 1), datetime.date(2025, 4, 3), datetime.date(2025, 4, 13))
    >>> parse_date("03/04/2025"), parse_date("03/04/2025", day_first=True), parse_date("30 February 2025")
    (AmbiguousDate(first=3, second=4, year=2025), datetime.date(2025, 4, 3), None)
    """
    text = text.strip()
    if len(text) > _MAX_LENGTH:
        return None
    text = " ".join(text.split()).lower()
    if match := _YEAR_FIRST.fullmatch(text):
        year, _, month, day, compact_month, compact_day = match.groups()
        return _date_or_none(year, month or compact_month, day or compact_day)
    if match := _YEAR_LAST.fullmatch(text):
        return _resolve_day_and_month(int(match[1]), int(match[3]), int(match[4]), day_first)
    for pattern in _NAMED_MONTH:
        if match := pattern.fullmatch(text):
            return _date_or_none(match["year"], _ENGLISH_MONTH_NUMBERS[match["month"]], match["day"])
    return _parse_week_or_day_of_year(text)


def _date_or_none(year: str | int, month: str | int, day: str | int) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _resolve_day_and_month(first: int, second: int, year: int, day_first: bool | None) -> date | AmbiguousDate | None:
    as_day_first, as_month_first = _date_or_none(year, second, first), _date_or_none(year, first, second)
    if as_day_first and as_month_first and first != second:
        if day_first is None:
            return AmbiguousDate(first, second, year)
        return as_day_first if day_first else as_month_first
    return as_day_first or as_month_first


def _parse_week_or_day_of_year(text: str) -> date | None:
    if match := _DAY_OF_YEAR.fullmatch(text):
        return _date_from_day_of_year(int(match[1]), int(match[2]))
    if match := _ISO_WEEK.fullmatch(text):
        try:
            return date.fromisocalendar(int(match[1]), int(match[3]), int(match[4]))
        except ValueError:
            return None
    return None


def _date_from_day_of_year(year: int, day_of_year: int) -> date | None:
    try:
        day = date.fromordinal(date(year, 1, 1).toordinal() + day_of_year - 1)
    except ValueError:
        return None
    return day if day.year == year else None


def _expand_year(digits: str) -> int:
    """Return the year of two or four digits."""
    if len(digits) == 4:
        return int(digits)
    return int(digits) + (1900 if int(digits) >= _FIRST_SHORT_YEAR else 2000)


# By format: `compile_date_format`, `parse_date_with_formats`

_MONTH, _DAY = r"(?P<month>1[0-2]|0?[1-9])", r"(?P<day>3[01]|[12]\d|0?[1-9])"
_ANY_MONTH_NAME, _AM_PM, _OFFSET = rf"(?P<name>{_MONTH_NAME})\.?", r"[ap]\.?m\.?", r"(?:z|[-+]\d\d:?\d\d(?::?\d\d)?)"
_TWELVE_HOURS = r"(?:1[0-2]|0?[1-9])"
_DIRECTIVES: Final = {
    "Y": r"(?P<year>\d{4})",
    "y": r"(?P<short>\d\d)",
    "m": _MONTH,
    "d": _DAY,
    "e": _DAY,
    "b": _ANY_MONTH_NAME,
    "B": _ANY_MONTH_NAME,
    "h": _ANY_MONTH_NAME,
    "j": r"(?P<nth>\d{1,3})",
    "a": rf"{_WEEKDAY}\.?",
    "A": rf"{_WEEKDAY}\.?",
    "H": _HOUR,
    "I": _TWELVE_HOURS,
    "M": r"[0-5]?\d",
    "S": r"(?:[0-5]?\d|6[01])",
    "f": r"\d{1,6}",
    "p": _AM_PM,
    "z": _OFFSET,
    "Z": r"[a-z]{1,5}",
    "%": "%",
}
_TOKENS: Final = {
    "YYYY": _DIRECTIVES["Y"],
    "YY": _DIRECTIVES["y"],
    "MMMM": _ANY_MONTH_NAME,
    "MMM": _ANY_MONTH_NAME,
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
    "h": _TWELVE_HOURS,
    "mm": _SIXTIETH,
    "m": r"[0-5]?\d",
    "ss": _SIXTIETH,
    "s": r"[0-5]?\d",
    "SSS": r"\d{3}",
    "A": _AM_PM,
    "a": _AM_PM,
    "ZZ": _OFFSET,
    "Z": _OFFSET,
    "T": "t",
}
_FORMAT_PIECE: Final = re.compile(
    r"%-?(?P<directive>.?)|\[(?P<literal>[^\]]*)\]|(?P<token>YYYY|YY|Do|SSS|([A-Za-z])\4*)|(?P<space>\s+)|(?P<other>.)", re.DOTALL
)


def compile_date_format(format: str) -> re.Pattern[str]:
    """Compile a date format: strptime directives if it holds a `%`, else tokens such as `DD MMM YYYY`.

    Raise ValueError with the reason if the format cannot be used.

    >>> parse_date_with_formats("3 APR 2025", [compile_date_format("D MMM YYYY")])
    datetime.date(2025, 4, 3)
    """
    has_directives = "%" in format
    pieces = [_compile_format_piece(format, match, has_directives) for match in _FORMAT_PIECE.finditer(format)]
    try:
        pattern = re.compile("".join(pieces), re.ASCII | re.IGNORECASE)
    except re.error:
        raise ValueError(f"date format `{format}` names a part of the date twice") from None
    parts = set(pattern.groupindex)
    if not parts & {"year", "short"}:
        raise ValueError(f"date format `{format}` has no year; add {'%Y' if has_directives else 'YYYY'}")
    if "nth" not in parts and not ("day" in parts and parts & {"month", "name"}):
        raise ValueError(f"date format `{format}` needs a day and a month; add {'%d and %m' if has_directives else 'DD and MM'}")
    return pattern


def _compile_format_piece(format: str, match: re.Match[str], has_directives: bool) -> str:
    kind, text = match.lastgroup, match[0]
    if kind == "space":
        return r"\s+"
    if kind == "directive":
        if match["directive"] not in _DIRECTIVES:
            supported = " ".join(f"%{name}" for name in _DIRECTIVES)
            raise ValueError(f"unknown directive `{text}` in date format `{format}`; supported: {supported}")
        return _DIRECTIVES[match["directive"]]
    if has_directives or kind == "other":
        return re.escape(text)
    if kind == "literal":
        return re.escape(match["literal"])
    if text in _TOKENS:
        return _TOKENS[text]
    supported = f"supported: {' '.join(_TOKENS)}; put words in [brackets]"
    hint = f"did you mean `{text.upper()}`?" if text.upper() in _TOKENS else supported
    raise ValueError(f"unknown token `{text}` in date format `{format}`; {hint}")


def parse_date_with_formats(text: str, patterns: Sequence[re.Pattern[str]]) -> date | None:
    """Return the date by the first pattern that matches the whole text, outer whitespace aside; None if no pattern does."""
    text = normalize("NFC", text.strip())
    if len(text) > _MAX_LENGTH:
        return None
    for pattern in patterns:
        match = pattern.fullmatch(text)
        if match and (day := _date_from_parts(match.groupdict())):
            return day
    return None


def _date_from_parts(parts: dict[str, str]) -> date | None:
    year = _expand_year(parts["short"]) if "short" in parts else int(parts["year"])
    if "day" not in parts:
        return _date_from_day_of_year(year, int(parts["nth"]))
    month = _ENGLISH_MONTH_NUMBERS[parts["name"].lower()] if "name" in parts else parts["month"]
    return _date_or_none(year, month, parts["day"])


# Lenient: `parse_date_readings`

YearMonthDay = tuple[int, int, int]
"""Year, month, day; day 0 for a month without a day."""

_MONTH_NAMES: Final = {
    "en": " ".join(ENGLISH_MONTHS).lower(),
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
}
_MONTH_NUMBERS: Final = {
    **{name: number for names in _MONTH_NAMES.values() for number, name in enumerate(names.split(), 1)},
    **{name[:3]: number for number, name in enumerate(_MONTH_NAMES["en"].split(), 1)},
    **{"sept": 9, "mär": 3, "okt": 10, "dez": 12},
}
_OTHER_DATE_WORDS: Final = ("de", "t", "z", "am", "pm", "utc", "gmt", "th", "st", "nd", "rd")
DATE_WORDS: Final = (*map(keep_letters_and_digits, _MONTH_NUMBERS), *_OTHER_DATE_WORDS)
"""The words that `parse_date_readings` accepts, without accents: a text whose letters end in none of them is not a date."""
_WRITTEN_TIME: Final = (
    r"(?:[T\s,]\s*(?P<time>\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[ap]\.?m\.?)?)\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?"
)
_NUMERIC: Final = re.compile(
    rf"(?P<first>\d{{1,4}})(?P<mark>[-/.\s]|\.\s)(?P<second>\d{{1,2}})(?P=mark)(?P<third>\d{{2}}|\d{{4}}){_WRITTEN_TIME}", re.I
)
_COMPACT: Final = re.compile(r"(?P<first>(?:19|20)\d\d)(?P<second>\d\d)(?P<third>\d\d)")
_NAMED: Final = re.compile(
    rf"(?:[^\W\d_]{{2,10}}\.?,\s*)?(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?[-\s/]*(?:of\s+|de\s+)?)?(?P<month>[^\W\d_]{{3,10}})\.?"
    rf"(?:[-\s/]+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?=\s*,|\s+\d{{4}}))?\s*(?:[-,/]|de\s)?\s*['’]?(?P<year>\d{{4}}|\d{{2}}){_WRITTEN_TIME}",
    re.I,
)
_MONTH_ONLY: Final = re.compile(r"(?P<y>\d{4})[-/](?P<m>\d{1,2})|(?P<m2>\d{1,2})[-/.](?P<y2>\d{4})")
_MONTH_LENGTHS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LETTERS: Final = re.compile(r"[^\W\d_]{3,}")
_LAST_LETTERS: Final = "ZzMmTtCc"
"""Of Z, am, pm, GMT and UTC: a text that ends in another letter is not a date."""
_MIN_READING_LENGTH, _MAX_READING_LENGTH, _MAX_MONTH_LENGTH = 6, 45, 7


class DateReadings(NamedTuple):
    """Every calendar date that a text may mean."""

    readings: tuple[YearMonthDay, ...]
    """One date, or two where day and month are indistinguishable, the day-first reading first."""
    time: str = ""
    """The time of day as written, without redundant zeros; empty at midnight."""

    @property
    def ambiguous(self) -> bool:
        """True if day and month are indistinguishable."""
        return len(self.readings) > 1


@lru_cache(maxsize=512)  # pure function of the text; the causes of a mismatch read the same two texts again and again
def parse_date_readings(text: str) -> DateReadings | None:
    """Return every reading of a date, or None if the text is not a date or not a day of the calendar.

    >>> parse_date_readings("4 March 2025").readings
    ((2025, 3, 4),)
    >>> parse_date_readings("03/04/2025").readings                  # day first, then month first
    ((2025, 4, 3), (2025, 3, 4))
    >>> parse_date_readings("30/02/2025") is None
    True
    """
    text = text.strip()
    if not _MIN_READING_LENGTH <= len(text) <= _MAX_READING_LENGTH:
        return None
    if text[-1].isalpha() and text[-1] not in _LAST_LETTERS:
        return None
    begins_with_word = text[:2].isalpha() and not text[2].isdecimal()
    if not text[0].isdecimal() and not begins_with_word:
        return None
    if len(text) == 10 and text[4] == text[7] == "-":
        return _parse_iso_reading(text)
    return _parse_any_reading(text)


def _parse_iso_reading(text: str) -> DateReadings | None:
    """Read `2025-03-04` without a regular expression: most dates are written so."""
    if not (text[:4] + text[5:7] + text[8:]).isdecimal():
        return None
    day = int(text[:4]), int(text[5:7]), int(text[8:])
    return DateReadings((day,)) if _is_calendar_day(day) else None


def _parse_any_reading(text: str) -> DateReadings | None:
    time = None
    if len(text) <= _MAX_MONTH_LENGTH and (match := _MONTH_ONLY.fullmatch(text)):
        readings = ((int(match["y"] or match["y2"]), int(match["m"] or match["m2"]), 0),)
    elif text[0].isdecimal() and (match := _NUMERIC.fullmatch(text) or _COMPACT.fullmatch(text)):
        readings, time = _numeric_readings(match["first"], match["second"], match["third"]), match.groupdict().get("time")
    elif not _MONTH_NUMBERS.keys().isdisjoint(_LETTERS.findall(text.casefold())) and (match := _NAMED.fullmatch(text)):
        readings, time = _named_readings(match), match["time"]
    else:
        return None
    valid = tuple(dict.fromkeys(day for day in readings if _is_calendar_day(day)))
    if not valid:
        return None
    return DateReadings(valid, _normalize_time(time) if time else "")


def _numeric_readings(first: str, second: str, third: str) -> tuple[YearMonthDay, ...]:
    if len(first) >= 3:
        return ((int(first), int(second), int(third)),) if len(first) == 4 and len(third) == 2 else ()
    year = _expand_year(third)
    return (year, int(second), int(first)), (year, int(first), int(second))


def _named_readings(match: re.Match[str]) -> tuple[YearMonthDay, ...]:
    month = _MONTH_NUMBERS.get(match["month"].casefold())
    if month is None or (match["day"] and match["day2"]):
        return ()
    day = match["day"] or match["day2"]
    if day is None and len(match["year"]) == 2:
        return ()
    return ((_expand_year(match["year"]), month, int(day or 0)),)


def _is_calendar_day(year_month_day: YearMonthDay) -> bool:
    year, month, day = year_month_day
    if not (1 <= month <= 12 and 1 <= year <= 9999):
        return False
    leap_day = month == 2 and (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))
    return 0 <= day <= _MONTH_LENGTHS[month - 1] + leap_day


def _normalize_time(time: str) -> str:
    """
    >>> _normalize_time("00:00:00"), _normalize_time("09:30:00"), _normalize_time("9:30")
    ('', '9:30', '9:30')
    """
    time = re.sub(r"\.0+$", "", time.strip().lower().replace(".m", "m"))
    time = re.sub(r"^(\d{1,2}:\d{2}):00", r"\1", time).removeprefix("0")
    return "" if time in {"0:00", "12:00 am", "12:00am"} else time


# Writing

_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ].*)?")


def spell_iso_date(text: str) -> list[str]:
    """Return an ISO date in the spellings that documents use; nothing for any other text.

    >>> spell_iso_date("2025-01-31")[:4]
    ['2025-01-31', '31 January 2025', '31 Jan 2025', 'January 31 2025']
    """
    match = _ISO_DATE.fullmatch(text.strip())
    day = _date_or_none(match[1], match[2], match[3]) if match else None
    if day is None:
        return []
    y, m, d, name = day.year, day.month, day.day, ENGLISH_MONTHS[day.month - 1]
    words = [f"{d} {name} {y}", f"{d} {name[:3]} {y}", f"{name} {d} {y}", f"{name[:3]} {d} {y}", f"{d} of {name} {y}"]
    padded = []
    for mark in "/.-":
        padded += [f"{d:02}{mark}{m:02}{mark}{y}", f"{m:02}{mark}{d:02}{mark}{y}", f"{y}{mark}{m:02}{mark}{d:02}"]
    short = [f"{d}{mark}{m}{mark}{y}" for mark in "/."] + [f"{m}{mark}{d}{mark}{y}" for mark in "/."]
    return list(dict.fromkeys([day.isoformat(), *words, *padded, *short, f"{y}年{m}月{d}日"]))
