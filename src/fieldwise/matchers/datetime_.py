"""Instants: dates with their time of day, in every CLDR language.

* Two values with an offset (`Z`, `+01:00`, `EST`, `Europe/Paris`) compare as instants, all others as written. `zone` supplies or
  requires an offset.
* A value without a time of day matches only another one without: a date alone does not match a date with a time.
* A time of day without a date (`14:30`, `2:30 PM`) matches only another one without a date.
* Seconds or milliseconds since 1970 (10 or 13 digits) are instants. 14 digits are a date and a time (`20240301100000`).

>>> datetime_(Pairs(["2024-03-01T10:00Z"] * 2, ["2024-03-01T11:00+01:00", "2024-03-01T22:45Z"]), Datetime()).value.tolist()
[1.0, 0.0]
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from math import inf
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.calendar_moment import AmbiguousMoment, Moment, TimeOfDay
from fieldwise.kernels.clock_times import SECOND_IN_NANOSECONDS
from fieldwise.kernels.measures import read_duration
from fieldwise.kernels.moments import DateReading, read_moment, read_time_of_day
from fieldwise.matchers._date_survey import NO_DATE_EVIDENCE, collect_date_evidence, reading_languages, resolve_date_options
from fieldwise.matchers._keys import quote_value
from fieldwise.matchers._readings import Agreement, ReadingMatcher, no_key, plain_number
from fieldwise.matchers.date import check_languages, moment_of_date
from fieldwise.model.pairs import Measurements, Pairs, Scores
from fieldwise.pattern import compile_on_use
from fieldwise.registry import matcher
from fieldwise.specs import ColumnSurvey, Example, StoredDecision

_LONGEST_SECONDS: Final = 10_000 * 366 * 86_400
"""No two dates are further apart."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_UNIX_DIGITS: Final = (10, 13)
_DIGITS_TO_SECONDS: Final = 14
_UNIX_TIME_LIMIT: Final = 10 ** max(_UNIX_DIGITS)
"""Larger numbers are no times, and Python refuses to write integers of over 4,300 digits as text."""
_ASSUME: Final = "assume: "
_ANY_DAY: Final = date(2000, 1, 1)
"""Times of day are compared on this day."""
_DAY: Final = timedelta(days=1)
_NO_TIME: Final = timedelta(0)
_MICROSECOND: Final = timedelta(microseconds=1)
ONE_ZONE: Final = "one side has no time zone; the times were compared as written"


@dataclass(frozen=True, slots=True, kw_only=True)
class Datetime:
    """How far apart two instants may be, and how zones count."""

    tolerance: float | str = 0
    """Largest difference, in seconds or as text such as `60s` or `5min`; inclusive."""
    zone: str | Mapping[str, str] | None = None
    """Unset: values that both have an offset compare as instants, otherwise as wall clock. `require`: a value without one never passes.
    `{assume: Europe/Paris}`, or only `Europe/Paris`: the zone of values without one."""
    day_first: bool | None = None
    """Whether 03/04/2025 is 3 April (true) or March 4 (false); default: the rest of the column."""
    actual_day_first: bool | None = None
    """The same for actual values; default: as `day_first`, or the rest of their own column where that contradicts the expected one."""
    languages: tuple[str, ...] = ()
    """Languages of month names that mean different months elsewhere, such as `pl`."""

    def __post_init__(self) -> None:
        if isinstance(self.tolerance, str) and read_duration(self.tolerance) is None:
            raise ValueError(f'`tolerance` is no length of time: `{self.tolerance}`; write seconds, "60s" or "5min"')
        if self.tolerance_seconds < 0:
            raise ValueError("`tolerance` must not be negative")
        check_languages(self.languages)
        if isinstance(self.zone, Mapping):
            if set(self.zone) != {"assume"}:
                raise ValueError("`zone` takes one key, `assume`: {assume: Europe/Paris}")
            object.__setattr__(self, "zone", f"{_ASSUME}{self.zone['assume']}")  # options are hashed, and a mapping cannot be
        if self.assumed_zone is not None:
            try:
                ZoneInfo(self.assumed_zone)
            except (ZoneInfoNotFoundError, ValueError, OSError) as error:
                raise ValueError(f"`zone`: there is no time zone `{self.assumed_zone}`; write a name such as Europe/Paris") from error

    @property
    def may_reject_equal_values(self) -> bool:
        """True if a value may fail against itself: a time without the zone that is required."""
        return self.zone == "require"

    @property
    def reads_sides_apart(self) -> bool:
        """True if the same text may be another day on the other side."""
        return self.actual_day_first is not None and self.actual_day_first != self.day_first

    @property
    def assumed_zone(self) -> str | None:
        """The zone of values without one; None if none is assumed."""
        return None if self.zone in (None, "require") else str(self.zone).removeprefix(_ASSUME).strip()

    @property
    def tolerance_seconds(self) -> float:
        """The tolerance in seconds."""
        if isinstance(self.tolerance, str):
            duration = read_duration(self.tolerance)
            return duration.seconds if duration is not None else 0.0
        return float(self.tolerance)


def grid(expected: Sequence[object], actual: Sequence[object], config: Datetime) -> NDArray[np.float64]:
    """1 where an expected instant agrees with an actual one, else 0."""
    return _datetime_matcher(config).score_grid(expected, actual)


def unread_note(value: Any, config: Datetime) -> str | None:
    """Why a value cannot be read; None if it can."""
    return _datetime_matcher(config).unread_note(value)


def _decide_stored(stored: Measurements, config: Datetime) -> NDArray[np.bool_]:
    """Whether the tolerance accepts stored distances, in seconds."""
    return stored.distance <= _limit_of(config).total_seconds()


def _limit_of(config: Datetime) -> timedelta:
    return timedelta(seconds=min(config.tolerance_seconds, _LONGEST_SECONDS))


@matcher(
    grid=grid,
    unread_note=unread_note,
    column_survey=ColumnSurvey(
        is_open=lambda config: config.day_first is None or not config.languages,
        collect=collect_date_evidence,
        resolve=resolve_date_options,
        no_evidence=NO_DATE_EVIDENCE,
    ),
    stored_decision=StoredDecision(options=("tolerance",), decide=_decide_stored),
    examples=[
        Example(expected="2024-03-01T10:00:00Z", actual="2024-03-01T11:00:00+01:00", score=1),
        Example(expected="2024-03-01T10:00:00Z", actual="2024-03-01T22:45:00Z", score=0),
        Example(expected="2024-03-15 22:45", actual="March 15, 2024 10:45 p.m.", score=1),
        Example(expected="2024-03-15 22:45:00", actual="2024-03-15 22:45:30", options={"tolerance": "60s"}, score=1),
        Example(expected="2024-03-15 22:45", actual="2024-03-15", score=0),
        Example(expected="14:30", actual="2:30 PM", score=1),
        Example(expected="14:30", actual="2024-03-15 14:30", score=0),
    ],
)
def datetime_(pairs: Pairs, config: Datetime) -> Scores:
    """1 for the same instant, else 0."""
    return _datetime_matcher(config).score_pairs(pairs)


def _datetime_matcher(config: Datetime) -> ReadingMatcher[Moment | TimeOfDay]:
    reading = DateReading(config.day_first, reading_languages(config.languages))
    zone = None if config.assumed_zone is None else ZoneInfo(config.assumed_zone)

    def read(value: Any) -> Moment | TimeOfDay | str | None:
        moment = _read_value(value, reading)
        if moment is None or isinstance(moment, str):
            return moment
        if isinstance(moment, Moment) and moment.day is None:
            return None
        if config.zone == "require" and moment.offset is None:
            return f'no time zone: "{value}"'
        if zone is not None and moment.offset is None:
            # without a date, only a zone whose offset never changes has one
            offset = moment.offset_in(zone) if isinstance(moment, Moment) else zone.utcoffset(None)
            return moment._replace(offset=offset)
        return moment

    of_actual = None
    if config.reads_sides_apart:
        of_actual = _datetime_matcher(replace(config, day_first=config.actual_day_first, actual_day_first=None))
    return ReadingMatcher(
        "a date with a time",
        read,
        partial(_compare_moments, limit=_limit_of(config)),
        of_actual=of_actual,
        unread_key=no_key if config.may_reject_equal_values else None,
    )


def _compare_moments(expected: Moment | TimeOfDay, actual: Moment | TimeOfDay, limit: timedelta) -> Agreement:
    if isinstance(expected, TimeOfDay) or isinstance(actual, TimeOfDay):
        return _compare_times(expected, actual, limit)
    if (expected.clock is None) != (actual.clock is None):
        side = "expected" if expected.clock is None else "actual"
        return Agreement(False, f"no time of day on the {side} side", inf)
    has_one_offset = (expected.offset is None) != (actual.offset is None)
    if has_one_offset:
        expected, actual = expected._replace(offset=None), actual._replace(offset=None)
    left, right = expected.at_offset(_NO_TIME), actual.at_offset(_NO_TIME)
    assert left is not None
    assert right is not None
    if expected.later or actual.later:
        agrees, distance = _compare_nanoseconds(left - right, expected.later % 1000 - actual.later % 1000, limit)
    else:
        difference = abs(left - right)
        agrees, distance = difference <= limit, difference.total_seconds()
    return Agreement(agrees, ONE_ZONE if has_one_offset and agrees else None, distance)


def _compare_nanoseconds(difference: timedelta, nanoseconds: int, limit: timedelta) -> tuple[bool, float]:
    """Whether a difference, and the nanoseconds beyond it, keep within a limit of whole microseconds; and both in seconds."""
    total = abs(difference // _MICROSECOND * 1000 + nanoseconds)
    return total <= limit // _MICROSECOND * 1000, total / SECOND_IN_NANOSECONDS


def _compare_times(expected: Moment | TimeOfDay, actual: Moment | TimeOfDay, limit: timedelta) -> Agreement:
    """Whether two times of day agree; with a date on one side, they do not."""
    if not isinstance(expected, TimeOfDay) or not isinstance(actual, TimeOfDay):
        return Agreement(False, f"no date on the {'expected' if isinstance(expected, TimeOfDay) else 'actual'} side", inf)
    days = [_ANY_DAY]
    if expected.offset is not None and actual.offset is not None:
        days = [_ANY_DAY - _DAY, _ANY_DAY, _ANY_DAY + _DAY]  # 23:30Z is 00:30+01:00 of the next day
    agreements = [_compare_moments(expected.on(_ANY_DAY), actual.on(day), limit) for day in days]
    return min(agreements, key=lambda agreement: agreement.distance or 0)


_TIME_RANGE: Final = compile_on_use(r":\d\d ?[-–—] ?\d?\d:\d\d")
"""Two times of day, which are read apart: `5 March 2024 10:00-11:00`."""


def _read_value(value: Any, reading: DateReading) -> Moment | TimeOfDay | str | None:
    """The moment of a value; a text that says why it has none, or None."""
    moment = _find_moment(value, reading)
    if isinstance(moment, AmbiguousMoment):
        return f"ambiguous date: {moment}; set {moment.option}"
    if isinstance(moment, Moment) and moment.has_impossible_time:
        if _TIME_RANGE.search(value):
            return None
        return f"no time of day has an hour above 12 and AM: {quote_value(value)}"
    return moment


def _find_moment(value: Any, reading: DateReading) -> Moment | AmbiguousMoment | TimeOfDay | None:
    if isinstance(value, date):
        return moment_of_date(value)
    if isinstance(value, time):
        return TimeOfDay(value.replace(tzinfo=None), value.utcoffset())
    number = plain_number(value)
    if number is not None:
        return _unix_time(str(number).removesuffix(".0")) if abs(number) < _UNIX_TIME_LIMIT else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    return read_moment(text, reading) or _unix_time(text) or _moment_in_digits(text) or read_time_of_day(text)


def _unix_time(number: str) -> Moment | None:
    """The instant of seconds or milliseconds since 1970, from September 2001 on: 10 or 13 digits, or 10 with decimals."""
    digits, _, decimals = number.partition(".")
    if not (digits.isascii() and digits.isdecimal() and len(digits) in _UNIX_DIGITS) or digits[0] == "0":
        return None
    if decimals and not (len(digits) == _UNIX_DIGITS[0] and decimals.isascii() and decimals.isdecimal()):
        return None
    microseconds = int(decimals[:6].ljust(6, "0"))
    instant = _EPOCH + timedelta(seconds=int(digits[:10]), milliseconds=int(digits[10:] or 0), microseconds=microseconds)
    return Moment(instant.year, instant.month, instant.day, instant.time(), timedelta(0))


def _moment_in_digits(text: str) -> Moment | None:
    """The moment of 14 digits, from the year down to the second: `20240301100000`."""
    if len(text) != _DIGITS_TO_SECONDS or not (text.isascii() and text.isdecimal()):
        return None
    try:
        moment = datetime.strptime(text, "%Y%m%d%H%M%S")
    except ValueError:
        return None
    return moment_of_date(moment)
