"""Lengths of time: ISO 8601, `1:30`, numbers with units, number words, in every CLDR language.

`1:30` alone is 90 minutes or 90 seconds and agrees with both, `1 год` an hour in Ukrainian or a year in Russian. A number
without a unit agrees with any unit, with a note. Nights and business days are no days: they agree with their own kind. A bound (`< 2 h`)
agrees only with the same one.

>>> duration(Pairs(["PT1H30M"] * 3, ["90 min", "1:30", "1 h"]), Duration()).value.tolist()
[1.0, 1.0, 0.0]
"""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels import measures
from fieldwise.kernels.amounts import read_figure
from fieldwise.kernels.tolerance import is_close
from fieldwise.matchers._readings import Agreement, ReadingMatcher, plain_number
from fieldwise.matchers.quantity import NO_UNIT, conversion_rounding
from fieldwise.model.bounds import Ge, Lt
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import matcher
from fieldwise.specs import Example


@dataclass(frozen=True, slots=True, kw_only=True)
class Duration:
    """How far apart two lengths of time may be."""

    tolerance: Annotated[float, Ge(0), Lt(float("inf"))] | str = 0
    """Largest difference, as a number in the expected value's unit (seconds where it has several) or as text such as `5min`; inclusive."""

    def __post_init__(self) -> None:
        if isinstance(self.tolerance, str) and measures.read_duration(self.tolerance) is None:
            raise ValueError(f'`tolerance` is no length of time: `{self.tolerance}`; write a number or "5min"')


def grid(expected: Sequence[object], actual: Sequence[object], config: Duration) -> NDArray[np.float64]:
    """1 where an expected length of time agrees with an actual one, else 0."""
    return _duration_matcher(config).score_grid(expected, actual)


def unread_note(value: Any, config: Duration) -> str | None:
    """Why a value cannot be read; None if it can."""
    return _duration_matcher(config).unread_note(value)


@matcher(
    grid=grid,
    unread_note=unread_note,
    examples=[
        Example(expected="PT1H30M", actual="1h 30min", score=1),
        Example(expected="90 min", actual="1:30", score=1),
        Example(expected="two hours", actual="120 minutes", score=1),
        Example(expected="2 h", actual="2 min", score=0),
        Example(expected="60 min", actual="62 min", options={"tolerance": "5min"}, score=1),
        Example(expected="60 min", actual="62 min", options={"tolerance": 1}, score=0),
    ],
)
def duration(pairs: Pairs, config: Duration) -> Scores:
    """1 for the same length of time, else 0."""
    return _duration_matcher(config).score_pairs(pairs)


def _duration_matcher(config: Duration) -> ReadingMatcher[measures.DurationReading | float]:
    def compare(expected: measures.DurationReading | float, actual: measures.DurationReading | float) -> Agreement:
        if isinstance(expected, measures.DurationReading) and isinstance(actual, measures.DurationReading):
            if expected.counted_days != actual.counted_days:
                kinds = f"{expected.counted_days or 'length of time'} and {actual.counted_days or 'length of time'}"
                return Agreement(False, f"other unit: {kinds}")
            limit = _limit_in_seconds(config, expected)
            readings = [(left, right) for left in _readings(expected) for right in _readings(actual)]
            return Agreement(
                any(abs(left - right) <= limit + conversion_rounding(left, right) * max(abs(left), abs(right)) for left, right in readings)
            )
        limit = config.tolerance if not isinstance(config.tolerance, str) else 0.0
        pairs = [(left, right) for left in _numbers_of(expected) for right in _numbers_of(actual)]
        agrees = any(is_close(left, right, limit) for left, right in pairs)
        has_unit = isinstance(expected, measures.DurationReading) or isinstance(actual, measures.DurationReading)
        return Agreement(agrees, NO_UNIT if agrees and has_unit else None)

    return ReadingMatcher("a length of time", _read_value, compare)


def _read_value(value: Any) -> measures.DurationReading | float | None:
    number = plain_number(value)
    if number is not None:
        return number
    if not isinstance(value, str):
        return None
    length = measures.read_duration(value)
    if length is not None:
        return length
    figure = read_figure(value.strip())
    return figure.value if figure is not None and not (figure.currencies or figure.percent or figure.units) else None


def _readings(length: measures.DurationReading) -> list[float]:
    return [length.seconds, *length.alternatives]


def _numbers_of(reading: measures.DurationReading | float) -> list[float]:
    """The number as written; for a length of time in several units (`1h 30min`, `1:30`), what it is in each unit of a clock."""
    if not isinstance(reading, measures.DurationReading):
        return [reading]
    if reading.unit is not None:
        return [reading.seconds / measures.seconds_per(reading.unit)]
    return [seconds / measures.seconds_per(unit) for seconds in _readings(reading) for unit in ("second", "minute", "hour", "day")]


def _limit_in_seconds(config: Duration, expected: measures.DurationReading) -> float:
    if isinstance(config.tolerance, str):
        length = measures.read_duration(config.tolerance)
        return length.seconds if length is not None else 0.0
    return config.tolerance * (measures.seconds_per(expected.unit) if expected.unit else 1.0)
