"""Dates in given formats: strptime directives (`%d/%m/%Y`) or tokens (`DD MMM YYYY`), month names in every CLDR language.

A format is compiled without the locale tables; they are read when a value has a month name.

>>> format = compile_date_format("D. MMMM YYYY")
>>> read_formatted_date("9. Januar 2017", [format]).date, read_formatted_date("9. STYCZNIA 2017", [format]).date
(datetime.date(2017, 1, 9), datetime.date(2017, 1, 9))
"""

import re
from collections.abc import Sequence
from datetime import date, time, timedelta
from typing import Final
from unicodedata import normalize

from fieldwise.kernels.calendar_moment import AmbiguousMoment, Moment
from fieldwise.kernels.moments import LONGEST, DateReading, expand_year, is_weekday, read_month_name

_MONTH, _DAY = r"(?P<month>1[0-2]|0?[1-9])", r"(?P<day>3[01]|[12]\d|0?[1-9])"
_MONTH_NAME, _WEEKDAY = r"(?P<name>[^\W\d_][^\d,/()]*?)\.?", r"(?P<weekday>[^\W\d_][^\d,/()]*?)\.?"
_HOUR, _TWELVE_HOURS = r"(?P<hour>[01]?\d|2[0-3])", r"(?P<hour>1[0-2]|0?[1-9])"
_MERIDIEM, _OFFSET = r"(?P<meridiem>[ap])\.?m\.?", r"(?:z|[-+]\d\d:?\d\d(?::?\d\d)?)"
_DIRECTIVES: Final = {
    "Y": r"(?P<year>\d{4})",
    "y": r"(?P<short>\d\d)",
    "m": _MONTH,
    "d": _DAY,
    "e": _DAY,
    "b": _MONTH_NAME,
    "B": _MONTH_NAME,
    "h": _MONTH_NAME,
    "j": r"(?P<nth>\d{1,3})",
    "a": _WEEKDAY,
    "A": _WEEKDAY,
    "H": _HOUR,
    "I": _TWELVE_HOURS,
    "M": r"(?P<minute>[0-5]?\d)",
    "S": r"(?P<second>[0-5]?\d|6[01])",
    "f": r"\d{1,6}",
    "p": _MERIDIEM,
    "z": _OFFSET,
    "Z": r"[a-z]{1,5}",
    "%": "%",
}
_TOKENS: Final = {
    "YYYY": _DIRECTIVES["Y"],
    "YY": _DIRECTIVES["y"],
    "MMMM": _MONTH_NAME,
    "MMM": _MONTH_NAME,
    "MM": r"(?P<month>\d\d)",
    "M": _MONTH,
    "DD": r"(?P<day>\d\d)",
    "Do": rf"{_DAY}(?:st|nd|rd|th|er|º|ª|\.)",
    "D": _DAY,
    "dddd": _WEEKDAY,
    "ddd": _WEEKDAY,
    "HH": r"(?P<hour>[01]\d|2[0-3])",
    "H": _HOUR,
    "hh": r"(?P<hour>0[1-9]|1[0-2])",
    "h": _TWELVE_HOURS,
    "mm": r"(?P<minute>[0-5]\d)",
    "m": r"(?P<minute>[0-5]?\d)",
    "ss": r"(?P<second>[0-5]\d)",
    "s": r"(?P<second>[0-5]?\d)",
    "SSS": r"\d{3}",
    "A": _MERIDIEM,
    "a": _MERIDIEM,
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
    """
    has_directives = "%" in format
    pieces = [_compile_piece(format, match, has_directives) for match in _FORMAT_PIECE.finditer(format)]
    try:
        pattern = re.compile("".join(pieces), re.IGNORECASE)
    except re.error:
        raise ValueError(f"date format `{format}` names a part of the date twice") from None
    parts = set(pattern.groupindex)
    if not parts & {"year", "short"}:
        raise ValueError(f"date format `{format}` has no year; add {'%Y' if has_directives else 'YYYY'}")
    if "nth" not in parts and not ("day" in parts and parts & {"month", "name"}):
        raise ValueError(f"date format `{format}` needs a day and a month; add {'%d and %m' if has_directives else 'DD and MM'}")
    return pattern


def _compile_piece(format: str, match: re.Match[str], has_directives: bool) -> str:
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


def read_formatted_date(
    text: str, patterns: Sequence[re.Pattern[str]], reading: DateReading | None = None
) -> Moment | AmbiguousMoment | None:
    """The date by the first pattern that fits the whole text, outer whitespace aside; None if no pattern does."""
    text = normalize("NFC", text.strip())
    if len(text) > LONGEST:
        return None
    for pattern in patterns:
        match = pattern.fullmatch(text)
        moment = _moment_of_parts(match.groupdict(), reading or DateReading()) if match else None
        if moment is not None:
            return moment
    return None


def _moment_of_parts(parts: dict[str, str], reading: DateReading) -> Moment | AmbiguousMoment | None:
    year = expand_year(parts.get("short") or parts["year"], reading)
    if year is None or ("weekday" in parts and not is_weekday(parts["weekday"])):
        return None
    if "day" not in parts:
        return _nth_day(year, int(parts["nth"]))
    month = read_month_name(parts["name"], reading) if "name" in parts else int(parts["month"])
    if not isinstance(month, int):
        return month
    try:
        return Moment(year, month, date(year, month, int(parts["day"])).day, _clock_of_parts(parts))
    except ValueError:
        return None


def _nth_day(year: int, day_of_year: int) -> Moment | None:
    try:
        day = date(year, 1, 1) + timedelta(days=day_of_year - 1)
    except (ValueError, OverflowError):
        return None
    return Moment(day.year, day.month, day.day) if day.year == year else None


def _clock_of_parts(parts: dict[str, str]) -> time | None:
    if parts.get("hour") is None:
        return None
    hour = int(parts["hour"])
    if parts.get("meridiem"):
        hour = hour % 12 + (12 if parts["meridiem"].lower() == "p" else 0)
    return time(hour, int(parts.get("minute") or 0), min(int(parts.get("second") or 0), 59))
