"""Dates that are the same calendar day, in any format and CLDR language.

* Without `formats`, it reads ISO 8601 (2025-04-03, 20250403, 2025-W14-4), numbers (13/04/2025, 13.4.25), month names (3 April 2025,
  Apr 3, 2025, 9 stycznia 2017) and CJK dates (2017年1月9日), each with or without a time. Bounds (`until 3 April 2025`) are no dates.
* A time of day and a time zone never move the date. If both values have a time and the times differ, the pair matches with a note.
* 03/04/2025 is ambiguous: it matches only the same text (leading zeros aside), unless `day_first` or the rest of the column decides.
* Two-digit years from 69 on are 19xx, the others 20xx.
* A day without a year (`Sep 30`) matches only the same day without a year (`30 September`).
* Values that are not dates match only if they are the same text.

>>> date(Pairs(["2025-04-03", "2025-04-03", "2025-04-03"], ["3 April 2025", "3. dubna 2025", "03/04/2025"]), Date()).value.tolist()
[1.0, 1.0, 0.0]
>>> date(Pairs(["2025-04-03"], ["03/04/2025"]), Date(day_first=True)).value.tolist()
[1.0]
"""

from __future__ import annotations

import datetime
import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple

from fieldwise.dataclass import dataclass
from fieldwise.kernels.calendar_moment import AmbiguousMoment, Moment, same_time_of_day
from fieldwise.kernels.date_formats import compile_date_format, read_formatted_date
from fieldwise.kernels.moments import DEFAULT_PIVOT, DateReading, calendar_languages_of, read_moment
from fieldwise.kernels.values import canonical_json, key_equality_grid, to_nfc
from fieldwise.matchers._date_survey import NO_DATE_EVIDENCE, collect_date_evidence, reading_languages, resolve_date_options
from fieldwise.matchers._keys import ABSENT, is_absent, quote_value
from fieldwise.model.bounds import Ge, Le, MinLen
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.numpy_on_use import np
from fieldwise.registry import matcher
from fieldwise.specs import ColumnSurvey, Example

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Date:
    """How dates are read, and which parts of them count."""

    formats: Annotated[tuple[str, ...], MinLen(1)] | None = None
    """strptime directives (`%d/%m/%Y`) or tokens (`DD/MM/YYYY`, `D MMM YYYY`), month names in any language. A value in none of them is not
    a date; the first format that fits is used."""
    day_first: bool | None = None
    """Whether 03/04/2025 is 3 April (true) or March 4 (false); default: the rest of the column. Unambiguous dates are not affected."""
    actual_day_first: bool | None = None
    """The same for actual values; default: as `day_first`, or the rest of their own column where that contradicts the expected one."""
    languages: tuple[str, ...] = ()
    """Languages of month names that mean different months elsewhere: `[pl]` makes `listopad` November; default: the rest of the column.
    English names always win."""
    two_digit_years: Annotated[int, Ge(0), Le(100)] | Literal["off"] = DEFAULT_PIVOT
    """Two-digit years from this number on are of the 20th century, the others of the 21st; `off` refuses them."""
    precision: Literal["day", "month"] = "day"
    """`month` compares year and month only, so that `2025-04` and `April 2025` are dates too."""

    def __post_init__(self) -> None:
        for name in ("day_first", "actual_day_first"):
            if self.formats and getattr(self, name) is not None:
                raise ValueError(f"`formats` already say which number is the day; remove `{name}`")
        for format in self.formats or ():
            compile_date_format(format)
        check_languages(self.languages)

    @property
    def reads_sides_apart(self) -> bool:
        """True if the same text may be another day on the other side."""
        return self.actual_day_first is not None and self.actual_day_first != self.day_first


def check_languages(languages: Sequence[str]) -> None:
    """Raise ValueError for what is no code of a language."""
    unknown = [language for language in languages if not calendar_languages_of(language)]
    if unknown:
        raise ValueError(f"`languages` has no language `{unknown[0]}`; write codes such as `pl` or `pt-BR`")


_SHORT_YEAR: Final = re.compile(r"[^\W\d_][^\d]*['’]?\d\d")
"""A month with a year of two digits, `Apr-25`: a day in any other precision."""
_DAY_AND_MONTH: Final = re.compile(r"(?=\D*\d{1,2}\D*$)(?=.*[^\W\d_]{3}).*|\d{1,2} ?[月월] ?\d{1,2} ?[日号號일]")
"""A day and the name of a month, or the signs for them in East Asia."""
_ANY_LEAP_YEAR: Final = 2000
_LEADING_ZEROS: Final = re.compile(r"(?<!\d)0+(?=\d)")


class _DateValue(NamedTuple):
    """A value as `date` sees it."""

    key: int | str | None
    """A day or month as its ordinal, another value as its JSON text, None for NaN."""
    note: str | None = None
    """Why the value is not a date."""
    moment: Moment | None = None
    """The date with its time of day."""


def grid(expected: Sequence[object], actual: Sequence[object], config: Date) -> NDArray[np.float64]:
    """1 where an expected date is the same day as an actual one, else 0."""
    read_expected, read_actual = _value_reader(config), _value_reader(_options_of_actual(config))
    return key_equality_grid(
        [ABSENT if is_absent(value) else read_expected(value).key for value in expected],
        [ABSENT if is_absent(value) else read_actual(value).key for value in actual],
    )


def _options_of_actual(config: Date) -> Date:
    """The options that actual values are read with."""
    return replace(config, day_first=config.actual_day_first, actual_day_first=None) if config.reads_sides_apart else config


def unread_note(value: Any, config: Date) -> str | None:
    """Why a value is not a date; None if it is one."""
    return _value_reader(config)(value).note


def reads_column(values: Sequence[Any], config: Date) -> bool:
    """True for texts in the forms `2025-04-03` and `2025-W14-4`, as most dates are written; reading them takes ten times as long."""
    if config.formats is not None or {*map(type, values)} != {str} or {*map(len, values)} != {10}:
        return False
    try:
        deque(map(datetime.date.fromisoformat, values), maxlen=0)
    except ValueError:
        return False
    return True


@matcher(
    grid=grid,
    unread_note=unread_note,
    reads_column=reads_column,
    column_survey=ColumnSurvey(
        is_open=lambda config: config.formats is None and (config.day_first is None or not config.languages),
        collect=collect_date_evidence,
        resolve=resolve_date_options,
        no_evidence=NO_DATE_EVIDENCE,
    ),
    examples=[
        Example(expected="2025-04-03", actual="3 April 2025", score=1),
        Example(expected="2017-01-09", actual="9 stycznia 2017", score=1),
        Example(expected="2017-01-09", actual="2017年1月9日", score=1),
        Example(expected="2025-04-03", actual="03/04/2025", score=0),
        Example(expected="2025-04-03", actual="03/04/2025", options={"day_first": True}, score=1),
        Example(expected="2018-03-14", actual="14/03/18", score=1),
        Example(expected="2018-03-14", actual="14/03/18", options={"two_digit_years": "off"}, score=0),
        Example(expected="2025-04", actual="April 3, 2025", options={"precision": "month"}, score=1),
    ],
)
def date(pairs: Pairs, config: Date) -> Scores:
    """1 for the same day, else 0."""
    read_expected, read_actual = _value_reader(config), _value_reader(_options_of_actual(config))
    matched: list[bool] = []
    notes: dict[int, str] = {}
    for row, (expected, actual) in enumerate(zip(pairs.expected, pairs.actual, strict=True)):
        left, right = read_expected(expected), read_actual(actual)
        is_match = left.key == right.key and left.key is not None
        matched.append(is_match)
        if not is_match and (left.note or right.note):
            notes[row] = "; ".join(dict.fromkeys(note for note in (left.note, right.note) if note))
        elif is_match and left.moment is not None and right.moment is not None and not same_time_of_day(left.moment, right.moment):
            notes[row] = f"the times of day differ: {left.moment.time_text} and {right.moment.time_text}"
    return Scores.of(matched, notes=notes)


# The options decide the reader; a run has few of them and asks for the same ones in every batch.
@lru_cache(maxsize=64)
def _value_reader(config: Date) -> Callable[[Any], _DateValue]:
    """A function that reads a value as `date` sees it."""
    formats = [compile_date_format(format) for format in config.formats or ()]
    pivot = None if config.two_digit_years == "off" else config.two_digit_years
    reading = DateReading(config.day_first, reading_languages(config.languages), pivot)

    def read_value(value: Any) -> _DateValue:
        if isinstance(value, str):
            return read_text(value)
        if isinstance(value, datetime.date):
            moment = moment_of_date(value)
            return _DateValue(_ordinal(moment, config.precision), None, moment)
        return _DateValue(canonical_json(value), f"not a date: {quote_value(value)}")

    # Dates repeat within a column and between evaluators; the text alone decides, once the options are fixed.
    @lru_cache(maxsize=1 << 14)
    def read_text(text: str) -> _DateValue:
        moment = read_formatted_date(text, formats, reading) if formats else read_moment(text.strip(), reading)
        if moment is None and config.precision == "month" and not formats and _SHORT_YEAR.fullmatch(text.strip()):
            moment = read_moment(f"1 {text.strip()}", reading)
        if isinstance(moment, Moment):
            ordinal = _ordinal(moment, config.precision)
            if ordinal is not None:
                return _DateValue(ordinal, None, moment if moment.clock is not None else None)
        return _read_other_text(text.strip(), moment, config, reading)

    return read_value


def _read_other_text(text: str, moment: Moment | AmbiguousMoment | None, config: Date, reading: DateReading) -> _DateValue:
    """A text that is no day of a year, or not certainly one."""
    if moment is None and not config.formats and config.precision == "day":
        day = _read_day_without_year(text, reading)
        if day is not None:
            return _DateValue(day)
    plain = to_nfc(text)
    if any(character.isdigit() for character in plain):
        plain = plain.casefold()  # 02/JAN/2017 and 02/Jan/2017 are the same day in any reading
    if isinstance(moment, AmbiguousMoment):
        plain = _LEADING_ZEROS.sub("", plain)  # and so are 03/04/2025 and 3/4/2025
    return _DateValue(canonical_json(plain), _note_unread_date(text, moment, config))


def _read_day_without_year(text: str, reading: DateReading) -> str | None:
    """A key of a day of the year, the same for other spellings of it: `Sep 30`, `30 September`; None for anything else."""
    if not _DAY_AND_MONTH.fullmatch(text):
        return None
    moment = read_moment(f"{_ANY_LEAP_YEAR}年{text}" if text[-1] in "日号號일" else f"{text} {_ANY_LEAP_YEAR}", reading)
    if not isinstance(moment, Moment) or moment.day is None or moment.clock is not None:
        return None
    return f"--{moment.month:02}-{moment.day:02}"


def moment_of_date(value: datetime.date) -> Moment:
    """A date or datetime of Python as a moment."""
    if isinstance(value, datetime.datetime):
        nanosecond = getattr(value, "nanosecond", 0)  # of a timestamp of pandas
        return Moment(value.year, value.month, value.day, value.time(), value.utcoffset(), later=nanosecond)
    return Moment(value.year, value.month, value.day)


def _ordinal(moment: Moment, precision: str) -> int | None:
    """The number of the day, or of the month; None for a month without a day where the day counts."""
    if precision == "month":
        return moment.year * 12 + moment.month
    return None if moment.day is None else datetime.date(moment.year, moment.month, moment.day).toordinal()


def _note_unread_date(text: str, moment: Moment | AmbiguousMoment | None, config: Date) -> str:
    if isinstance(moment, AmbiguousMoment):
        option = "day_first or formats" if moment.option == "day_first" else moment.option
        return f"ambiguous date: {moment}; set {option}"
    if config.formats:
        return f"{quote_value(text)} fits none of the formats {', '.join(config.formats)}"
    return f"not a date: {quote_value(text)}"
