"""Calendar dates in text for causes and for grounding: the readings of `moments`, with a short way for what is no date.

* `parse_date_readings` explains mismatches: it returns every reading that is a day of the calendar, day first and month first.
* `spell_iso_date` writes a date in the spellings that documents use.
"""

from datetime import timedelta
from functools import lru_cache
from typing import Final, NamedTuple

from fieldwise.kernels.calendar_moment import Moment
from fieldwise.kernels.moments import ENGLISH_MONTHS, DateReading, expand_year, is_calendar_date, month_words, read_moment
from fieldwise.pattern import compile_on_use

YearMonthDay = tuple[int, int, int]
"""Year, month, day; day 0 for a month without a day."""

_NUMERIC: Final = compile_on_use(r"(?P<first>\d{1,4})(?P<mark>[-/.\s]|\.\s)(?P<second>\d{1,2})(?P=mark)(?P<third>\d{2}|\d{4})")
_COMPACT: Final = compile_on_use(r"(?P<first>(?:19|20)\d\d)(?P<second>\d\d)(?P<third>\d\d)")
_MONTH_ONLY: Final = compile_on_use(r"(?P<y>\d{4})[-/](?P<m>\d{1,2})|(?P<m2>\d{1,2})[-/.](?P<y2>\d{4})")
_MONTH_LENGTHS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_WORD: Final = compile_on_use(r"[^\W\d_]{3,}")
_CLOCK: Final = compile_on_use(r"\d:\d\d")
_LAST_LETTERS: Final = "ZzMmTtCc"
"""Of Z, am, pm, GMT and UTC: a text that ends in another ASCII letter is not a date."""
_MIN_READING_LENGTH, _MAX_READING_LENGTH, _MAX_MONTH_LENGTH = 6, 45, 7
_MAX_DIGITS, _MAX_WORDS = 23, 4
"""Of a date with a time of day, a fraction of a second and an offset; and of one with a day of the week and two fillers."""
_DEFAULT: Final = DateReading()
_ORDERS: Final = (DateReading(day_first=True), DateReading(day_first=False))


class DateReadings(NamedTuple):
    """Every calendar date that a text may mean."""

    readings: tuple[YearMonthDay, ...]
    """One date, or two where day and month are indistinguishable, the day-first reading first."""
    time: str = ""
    """The time of day, without redundant zeros; empty at midnight."""
    offset: timedelta | None = None
    """Distance from UTC, where the text gives one."""

    @property
    def ambiguous(self) -> bool:
        """True if day and month are indistinguishable."""
        return len(self.readings) > 1

    def has_time_of(self, other: "DateReadings") -> bool:
        """True for the same time of day, and the same offset where both give one."""
        return self.time == other.time and (self.offset == other.offset or None in (self.offset, other.offset))


@lru_cache(maxsize=1 << 12)  # texts repeat within a column, and the causes of a mismatch read the same two texts again and again
def parse_date_readings(text: str) -> DateReadings | None:
    """Return every reading of a date, or None if the text is not a date or not a day of the calendar.

    >>> parse_date_readings("4 March 2025").readings, parse_date_readings("5 marca 2024").readings
    (((2025, 3, 4),), ((2024, 3, 5),))
    >>> parse_date_readings("03/04/2025").readings                  # day first, then month first
    ((2025, 4, 3), (2025, 3, 4))
    >>> parse_date_readings("30/02/2025") is None
    True
    """
    text = text.strip()
    if not _has_ends_of_date(text):
        return None
    if len(text) == 10 and text[4] == text[7] == "-":
        return _parse_iso_reading(text)
    return _parse_numeric_reading(text) if text[0].isdecimal() and _is_numeric(text) else _parse_written_reading(text)


def may_be_date(text: str) -> bool:
    """False if a text without white space around it is no date, whatever its digits are."""
    if not _has_ends_of_date(text):
        return False
    return (text[0].isdecimal() and _is_numeric(text)) or bool(_find_orders(text))


def _has_ends_of_date(text: str) -> bool:
    if not _MIN_READING_LENGTH <= len(text) <= _MAX_READING_LENGTH:
        return False
    last = text[-1]
    if last.isalpha() and last.isascii() and last not in _LAST_LETTERS:
        return False
    begins_with_word = text[:2].isalpha() and not text[2].isdecimal()
    return text[0].isdecimal() or begins_with_word


def _is_numeric(text: str) -> bool:
    """True if a text has no letters and no time of day."""
    return ":" not in text and not any(map(str.isalpha, text))


def _parse_iso_reading(text: str) -> DateReadings | None:
    """Read `2025-03-04` without a regular expression: most dates are written so."""
    if is_calendar_date(text):
        return DateReadings(((int(text[:4]), int(text[5:7]), int(text[8:])),))
    if text.isascii() or not (text[:4] + text[5:7] + text[8:]).isdecimal():
        return None
    day = int(text[:4]), int(text[5:7]), int(text[8:])  # in digits of another script
    return DateReadings((day,)) if _is_calendar_day(day) else None


def _parse_numeric_reading(text: str) -> DateReadings | None:
    if len(text) <= _MAX_MONTH_LENGTH and (match := _MONTH_ONLY.fullmatch(text)):
        readings = ((int(match["y"] or match["y2"]), int(match["m"] or match["m2"]), 0),)
    elif match := _NUMERIC.fullmatch(text) or _COMPACT.fullmatch(text):
        readings = _numeric_readings(match["first"], match["second"], match["third"])
    else:
        return None
    valid = tuple(dict.fromkeys(day for day in readings if _is_calendar_day(day)))
    return DateReadings(valid) if valid else None


def _numeric_readings(first: str, second: str, third: str) -> tuple[YearMonthDay, ...]:
    if len(first) >= 3:
        return ((int(first), int(second), int(third)),) if len(first) == 4 and len(third) == 2 else ()
    year = expand_year(third, _DEFAULT) or 0
    return (year, int(second), int(first)), (year, int(first), int(second))


def _parse_written_reading(text: str) -> DateReadings | None:
    """Read a date with a month by name, or with a time of day."""
    orders = _find_orders(text)
    if not orders or not 1 < sum(map(str.isdecimal, text)) <= _MAX_DIGITS:
        return None
    moments = [moment for moment in (read_moment(text, order) for order in orders) if isinstance(moment, Moment)]
    if not moments:
        return None
    readings = tuple(dict.fromkeys((moment.year, moment.month, moment.day or 0) for moment in moments))
    return DateReadings(readings, _format_time(moments[0]), moments[0].offset)


def _find_orders(text: str) -> tuple[DateReading, ...]:
    """The orders of day and month in which a text may be read; none without a month by name and without a time of day."""
    words = _WORD.findall(text.casefold())
    if len(words) <= _MAX_WORDS and (not month_words().isdisjoint(words) or "年" in text or "년" in text):
        return _ORDERS[:1]
    return _ORDERS if len(words) <= 1 and ":" in text and _CLOCK.search(text) else ()


def _is_calendar_day(year_month_day: YearMonthDay) -> bool:
    year, month, day = year_month_day
    if not (1 <= month <= 12 and 1 <= year <= 9999):
        return False
    leap_day = month == 2 and (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))
    return 0 <= day <= _MONTH_LENGTHS[month - 1] + leap_day


def _format_time(moment: Moment) -> str:
    """The time of day as `9:30`; empty at midnight and without one."""
    clock = moment.clock
    if moment.later:
        return moment.time_text
    if clock is None or (clock.hour, clock.minute, clock.second) == (0, 0, 0):
        return ""
    return f"{clock.hour}:{clock.minute:02}" + (f":{clock.second:02}" if clock.second else "")


# Writing

_ISO_DATE = compile_on_use(r"(\d{4})-(\d{2})-(\d{2})(?:[T ].*)?")


def spell_iso_date(text: str) -> list[str]:
    """Return an ISO date in the spellings that documents use; nothing for any other text.

    >>> spell_iso_date("2025-01-31")[:4]
    ['2025-01-31', '31 January 2025', '31 Jan 2025', 'January 31 2025']
    """
    match = _ISO_DATE.fullmatch(text.strip())
    if match is None or not int(match[3]) or not _is_calendar_day((int(match[1]), int(match[2]), int(match[3]))):
        return []
    y, m, d = int(match[1]), int(match[2]), int(match[3])
    name = ENGLISH_MONTHS[m - 1]
    words = [f"{d} {name} {y}", f"{d} {name[:3]} {y}", f"{name} {d} {y}", f"{name[:3]} {d} {y}", f"{d} of {name} {y}"]
    padded = []
    for mark in "/.-":
        padded += [f"{d:02}{mark}{m:02}{mark}{y}", f"{m:02}{mark}{d:02}{mark}{y}", f"{y}{mark}{m:02}{mark}{d:02}"]
    short = [f"{d}{mark}{m}{mark}{y}" for mark in "/."] + [f"{m}{mark}{d}{mark}{y}" for mark in "/."]
    return list(dict.fromkeys([f"{y:04}-{m:02}-{d:02}", *words, *padded, *short, f"{y}年{m}月{d}日"]))
