"""What the text of a date gives: a moment, a time of day without a date, or two readings that contradict each other.

>>> TimeOfDay(time(14, 30)).on(date(2024, 3, 15)).at_offset(timedelta(0)).isoformat()
'2024-03-15T14:30:00+00:00'
"""

from datetime import date, datetime, time, timedelta, timezone, tzinfo
from typing import Final, NamedTuple

from fieldwise.dataclass import dataclass
from fieldwise.kernels import locale_tables
from fieldwise.kernels.clock_times import DAY_IN_NANOSECONDS, SECOND_IN_NANOSECONDS

_WEEKDAYS_BEFORE_NUMBERS: Final = frozenset({"de", "nl", "fi", "cs", "sk"})
"""Languages that write a day of the week of two letters before numbers: `do 12.01.2017`."""


class Moment(NamedTuple):
    """A date with what else its text gives. A NamedTuple, because many are created."""

    year: int
    month: int
    day: int | None
    """None where the text gives a month only."""
    clock: time | None = None
    """The time of day, where the text gives one."""
    offset: timedelta | None = None
    """Distance from UTC, where the text gives one."""
    numeric_order: str = ""
    """`day first` or `month first` where numbers alone show it (`13/04/2025`), else nothing."""
    month_languages: frozenset[str] = frozenset()
    """Languages that call the month by the name it has in the text."""
    has_impossible_time: bool = False
    """True if the text gives a time of day that there is not: `13:00 AM`."""
    later: int = 0
    """Nanoseconds from `clock` on that date to the instant: digits behind the microseconds, a leap second, or the day of `24:00`."""

    @property
    def date(self) -> date | None:
        """The calendar date, as written: never moved by the offset."""
        return None if self.day is None else date(self.year, self.month, self.day)

    def at_offset(self, default: timedelta | None = None) -> datetime | None:
        """The instant, if the text gives a date and an offset is known; midnight where it gives no time."""
        offset = self.offset if self.offset is not None else default
        if self.day is None or offset is None:
            return None
        instant = datetime.combine(date(self.year, self.month, self.day), self.clock or time(), timezone(offset))
        return _add_nanoseconds(instant, self.later) if self.later else instant

    def offset_in(self, zone: tzinfo) -> timedelta | None:
        """The offset of a zone at this local time, if the text gives a date; the earlier one in an hour that occurs twice."""
        if self.day is None:
            return None
        local = datetime.combine(date(self.year, self.month, self.day), self.clock or time(), zone)
        return (_add_nanoseconds(local, self.later) if self.later else local).utcoffset()

    @property
    def time_text(self) -> str:
        """The time of day as text; empty where there is none."""
        if self.clock is None or not self.later:
            return "" if self.clock is None else str(self.clock)
        if self.later == DAY_IN_NANOSECONDS:
            return "24:00:00"
        if self.later >= SECOND_IN_NANOSECONDS:
            return f"{self.clock.hour:02}:{self.clock.minute:02}:60"
        return f"{self.clock.isoformat('microseconds')}{self.later:03}"


def _add_nanoseconds(instant: datetime, nanoseconds: int) -> datetime:
    """The instant to the microsecond; the last one of the calendar for what follows it."""
    try:
        return instant + timedelta(microseconds=nanoseconds // 1000)
    except OverflowError:
        return datetime.combine(date.max, time.max, instant.tzinfo)


class TimeOfDay(NamedTuple):
    """A time of day without a date."""

    clock: time
    offset: timedelta | None = None
    later: int = 0
    """As in `Moment`."""

    def on(self, day: date) -> Moment:
        """The same time on a day."""
        return Moment(day.year, day.month, day.day, self.clock, self.offset, later=self.later)


@dataclass(frozen=True, slots=True)
class AmbiguousMoment:
    """A text that can be read in two ways."""

    reason: str
    option: str = "day_first"
    """The option that would decide it: `day_first` or `languages`."""

    def __str__(self) -> str:
        return self.reason


def same_time_of_day(expected: Moment, actual: Moment) -> bool:
    """False if both give a time of day and the times differ: as instants where both give an offset, else as written."""
    if expected.clock is None or actual.clock is None:
        return True
    if expected.offset is not None and actual.offset is not None:
        return expected.at_offset() == actual.at_offset() and expected.later % 1000 == actual.later % 1000
    return expected.clock == actual.clock and expected.later == actual.later


def is_weekday_of(word: str, moment: Moment) -> bool:
    """True if a folded word is the day of the week of a date, in a language of its month where that is a name."""
    if moment.date is None:
        return False
    languages = locale_tables.day_names().get(word, {}).get(moment.date.weekday(), frozenset())
    return bool(languages & (moment.month_languages or _WEEKDAYS_BEFORE_NUMBERS))
