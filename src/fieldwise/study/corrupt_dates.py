"""Corruptions of dates in text: each cause of a date mismatch run backwards. The format of the date stays.

>>> swap_day_and_month("2025-03-04", 0), shift_year("4 March 2025", 0), shift_month("4 March 2025", 0), change_century("14/03/2018", 0)
('2025-04-03', '4 March 2026', '4 April 2025', '14/03/1918')
"""

import re
from typing import Final

from fieldwise.kernels.dates import YearMonthDay, parse_date_readings
from fieldwise.kernels.moments import ENGLISH_MONTHS

_DIGITS: Final = re.compile(r"[0-9]+")
_MONTH_WORD: Final = re.compile(r"[A-Za-z]{3,9}")
_CLOCK: Final = re.compile(r"(?<![0-9])([01]?[0-9]|2[0-3]):([0-5][0-9])")
_LOOKALIKE_DAYS: Final = {"6": "8", "8": "6", "0": "8", "3": "8", "1": "7", "7": "1", "4": "9", "9": "4", "2": "7"}
_LAST_SAFE_DAY: Final = 28


class _DateText:
    """A date in text with the places of its parts."""

    def __init__(self, text: str) -> None:
        self.text = text
        readings = parse_date_readings(text)
        self.day: YearMonthDay | None = readings.readings[0] if readings is not None else None
        self.spans: dict[str, tuple[int, int]] = {}
        if self.day is not None:
            self._find_parts(self.day)

    def _find_parts(self, day: YearMonthDay) -> None:
        """Find year, month and day: the first tokens that spell them, the year by its four digits or at the end."""
        tokens = [match.span() for match in _DIGITS.finditer(self.text.partition(":")[0])][:3]
        if len(tokens) == 1 and tokens[0][1] - tokens[0][0] == 8:  # 20250304
            start = tokens[0][0]
            self.spans = {"year": (start, start + 4), "month": (start + 4, start + 6), "day": (start + 6, start + 8)}
            return
        word = next((match for match in _MONTH_WORD.finditer(self.text) if _month_number(match[0]) == day[1]), None)
        if word is not None:
            self.spans["month"] = word.span()
        day_parts = ["month", "day"] if word is None else ["day"]
        if tokens and tokens[0][1] - tokens[0][0] == 4:
            order = ["year", *day_parts]
        elif word is None:
            order = ["day", "month", "year"]
        else:
            order = [*day_parts, "year"]
        values = {"year": day[0], "month": day[1], "day": day[2]}
        for part, span in zip(order, tokens, strict=False):
            number = int(self.text[span[0] : span[1]])
            if number in (values[part], values[part] % 100):
                self.spans[part] = span

    def write(self, **parts: int) -> str | None:
        """The date with other parts; None if it does not read as that date."""
        if self.day is None or any(name not in self.spans for name in parts):
            return None
        text = self.text
        for name in sorted(parts, key=lambda name: self.spans[name], reverse=True):
            start, end = self.spans[name]
            text = f"{text[:start]}{_write_part(text[start:end], parts[name])}{text[end:]}"
        date = (parts.get("year", self.day[0]), parts.get("month", self.day[1]), parts.get("day", self.day[2]))
        readings = parse_date_readings(text)
        return text if readings is not None and date in readings.readings else None


def _month_number(word: str) -> int | None:
    for number, name in enumerate(ENGLISH_MONTHS, 1):
        if word.casefold() in (name.casefold(), name[:3].casefold()):
            return number
    return None


def _write_part(old: str, number: int) -> str:
    if old.isdecimal():
        return f"{number % 100:02}" if len(old) == 2 and number > 99 else f"{number:0{len(old)}}"
    name = ENGLISH_MONTHS[number - 1]
    name = name[:3] if len(old) == 3 and old.casefold() != "may" else name
    return name.upper() if old.isupper() else name


def swap_day_and_month(text: str, pick: int) -> str | None:
    """Day and month change places."""
    del pick
    date = _DateText(text)
    if date.day is None or date.day[1] == date.day[2]:
        return None
    return date.write(day=date.day[1], month=date.day[2]) if 0 < date.day[2] <= 12 else None


def shift_year(text: str, pick: int) -> str | None:
    """A year later."""
    del pick
    date = _DateText(text)
    return None if date.day is None else date.write(year=date.day[0] + 1)


def shift_month(text: str, pick: int) -> str | None:
    """A month later, or earlier in December."""
    del pick
    date = _DateText(text)
    if date.day is None:
        return None
    return date.write(month=date.day[1] + 1 if date.day[1] < 12 else 11)


def shift_day(text: str, pick: int) -> str | None:
    """A day later, or earlier at the end of a month."""
    del pick
    date = _DateText(text)
    if date.day is None or not date.day[2]:
        return None
    return date.write(day=date.day[2] + 1 if date.day[2] < _LAST_SAFE_DAY else date.day[2] - 1)


def misread_date_part(text: str, pick: int) -> str | None:
    """The last digit of the day as one that looks alike, where that is a day of the month."""
    del pick
    date = _DateText(text)
    if date.day is None or not date.day[2]:
        return None
    digits = f"{date.day[2]:02}"
    return date.write(day=int(f"{digits[0]}{_LOOKALIKE_DAYS.get(digits[1], '0')}"))


def change_century(text: str, pick: int) -> str | None:
    """The same day a hundred years earlier."""
    del pick
    date = _DateText(text)
    return None if date.day is None else date.write(year=date.day[0] - 100)


def rewrite_date(text: str, pick: int) -> str | None:
    """The same day in another format."""
    del pick
    date = _DateText(text)
    readings = parse_date_readings(text)
    if date.day is None or readings is None or readings.ambiguous or readings.time or not date.day[2]:
        return None
    year, month, day = date.day
    written = f"{day} {ENGLISH_MONTHS[month - 1]} {year}"
    return written if written != text else f"{year:04}-{month:02}-{day:02}"


def shift_hour(text: str, pick: int) -> str | None:
    """An hour later, where the text has a time of day."""
    del pick
    clock = _CLOCK.search(text)
    if clock is None:
        return None
    hour = int(clock[1])
    hour = hour + 1 if hour < 23 and hour != 12 else hour - 1
    return f"{text[: clock.start(1)]}{hour:0{len(clock[1])}}{text[clock.end(1) :]}"
