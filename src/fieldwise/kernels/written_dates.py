"""Calendar dates as people write them, with every reading that makes sense.

>>> written_date("4 March 2025").readings
((2025, 3, 4),)
>>> written_date("03/04/2025").readings                  # day first, then month first
((2025, 4, 3), (2025, 3, 4))
>>> written_date("30/02/2025") is None
True
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from fieldwise.kernels.dates import MONTHS
from fieldwise.kernels.text_normalize import letters_and_digits

Day = tuple[int, int, int]
"""Year, month, day; day 0 where only the month is given."""

_NAMES: Final = {
    "en": " ".join(MONTHS).lower(),
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
}
_MONTHS: Final = {name: at for names in _NAMES.values() for at, name in enumerate(names.split(), 1)}
_MONTHS.update({name[:3]: at for at, name in enumerate(_NAMES["en"].split(), 1)} | {"sept": 9, "mär": 3, "okt": 10, "dez": 12})
MONTH_WORDS: Final = (*map(letters_and_digits, _MONTHS), "de", "t", "z", "am", "pm", "utc", "gmt", "th", "st", "nd", "rd")
"""What letters of a date may end in, without accents."""
_TIME: Final = r"(?:[T\s,]\s*(?P<time>\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[ap]\.?m\.?)?)\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?"
_NUMERIC: Final = re.compile(rf"(?P<a>\d{{1,4}})(?P<mark>[-/.\s]|\.\s)(?P<b>\d{{1,2}})(?P=mark)(?P<c>\d{{2}}|\d{{4}}){_TIME}", re.I)
_COMPACT: Final = re.compile(r"(?P<a>(?:19|20)\d\d)(?P<b>\d\d)(?P<c>\d\d)")
_NAMED: Final = re.compile(
    rf"(?:[^\W\d_]{{2,10}}\.?,\s*)?(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?[-\s/]*(?:of\s+|de\s+)?)?(?P<month>[^\W\d_]{{3,10}})\.?"
    rf"(?:[-\s/]+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?=\s*,|\s+\d{{4}}))?\s*(?:[-,/]|de\s)?\s*['’]?(?P<year>\d{{4}}|\d{{2}}){_TIME}",
    re.I,
)
_MONTH_ONLY: Final = re.compile(r"(?P<y>\d{4})[-/](?P<m>\d{1,2})|(?P<m2>\d{1,2})[-/.](?P<y2>\d{4})")
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LETTERS: Final = re.compile(r"[^\W\d_]{3,}")
_LAST_LETTERS: Final = "ZzMmTtCc"
"""Of Z, am, pm, GMT and UTC: a text that ends otherwise is no date."""
_SHORTEST, _LONGEST, _LONGEST_MONTH = 6, 45, 7


class WrittenDate(NamedTuple):
    """A date in text."""

    readings: tuple[Day, ...]
    """The days it may mean: one, or two where day and month cannot be told apart, the day-first reading first."""
    time: str = ""
    """The time of day as written, without zeros that say nothing; empty at midnight."""

    @property
    def ambiguous(self) -> bool:
        """Whether day and month cannot be told apart."""
        return len(self.readings) > 1


@lru_cache(maxsize=512)
def written_date(text: str) -> WrittenDate | None:
    """The date this text is, or None if it is something else or no day of the calendar."""
    text = text.strip()
    if not _SHORTEST <= len(text) <= _LONGEST or (text[-1].isalpha() and text[-1] not in _LAST_LETTERS):
        return None
    if not text[0].isdecimal() and not (text[:2].isalpha() and not text[2].isdecimal()):  # neither a number nor a name is first
        return None
    if len(text) == 10 and text[4] == text[7] == "-":
        if not (text[:4] + text[5:7] + text[8:]).isdecimal():
            return None
        day = int(text[:4]), int(text[5:7]), int(text[8:])
        return WrittenDate((day,)) if _exists(day) else None
    return _any(text)


def _any(text: str) -> WrittenDate | None:
    if len(text) <= _LONGEST_MONTH and (found := _MONTH_ONLY.fullmatch(text)):
        readings, time = ((int(found["y"] or found["y2"]), int(found["m"] or found["m2"]), 0),), None
    elif text[0].isdecimal() and (found := _NUMERIC.fullmatch(text) or _COMPACT.fullmatch(text)):
        readings, time = _of_numbers(found["a"], found["b"], found["c"]), found.groupdict().get("time")
    elif not _MONTHS.keys().isdisjoint(_LETTERS.findall(text.casefold())) and (found := _NAMED.fullmatch(text)):
        readings, time = _of_names(found), found["time"]
    else:
        return None
    valid = tuple(dict.fromkeys(day for day in readings if _exists(day)))
    return WrittenDate(valid, _plain_time(time) if time else "") if valid else None


def _of_numbers(a: str, b: str, c: str) -> tuple[Day, ...]:
    if len(a) >= 3:
        return ((int(a), int(b), int(c)),) if len(a) == 4 and len(c) == 2 else ()
    year = _year(c)
    return (year, int(b), int(a)), (year, int(a), int(b))


def _of_names(found: re.Match[str]) -> tuple[Day, ...]:
    month = _MONTHS.get(found["month"].casefold())
    if month is None or (found["day"] and found["day2"]):
        return ()
    day = found["day"] or found["day2"]
    if day is None and len(found["year"]) == 2:
        return ()
    return ((_year(found["year"]), month, int(day or 0)),)


def _year(text: str) -> int:
    """Two digits are a year near ours: 68 is 2068, 69 is 1969, as in POSIX."""
    if len(text) == 4:
        return int(text)
    return 2000 + int(text) if int(text) < 69 else 1900 + int(text)


def _exists(day: Day) -> bool:
    year, month, date = day
    if not (1 <= month <= 12 and 1 <= year <= 9999):
        return False
    leap = month == 2 and (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))
    return 0 <= date <= _DAYS[month - 1] + leap


def _plain_time(time: str) -> str:
    """
    >>> _plain_time("00:00:00"), _plain_time("09:30:00"), _plain_time("9:30")
    ('', '9:30', '9:30')
    """
    time = re.sub(r"\.0+$", "", time.strip().lower().replace(".m", "m"))
    time = re.sub(r"^(\d{1,2}:\d{2}):00", r"\1", time).removeprefix("0")
    return "" if time in {"0:00", "12:00 am", "12:00am"} else time
