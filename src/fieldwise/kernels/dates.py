"""Calendar dates in text for causes and for grounding; `moments` reads dates for everything else.

* `parse_date_readings` explains mismatches: it returns every reading that is a day of the calendar, day first and month first.
* `spell_iso_date` writes a date in the spellings that documents use.
"""

import re
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple

from fieldwise.kernels.moments import DEFAULT_PIVOT, ENGLISH_MONTHS
from fieldwise.kernels.text_normalize import keep_letters_and_digits

_FIRST_SHORT_YEAR: Final = DEFAULT_PIVOT
"""Two-digit years from here on are of the 20th century, as in POSIX: 69 is 1969, 68 is 2068."""


def _expand_year(digits: str) -> int:
    """Return the year of two or four digits."""
    if len(digits) == 4:
        return int(digits)
    return int(digits) + (1900 if int(digits) >= _FIRST_SHORT_YEAR else 2000)


def _date_or_none(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


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
