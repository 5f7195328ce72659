"""Shared by `date` and `datetime`: what a column shows about the order of day and month and about the language of month names."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, Protocol, TypeVar

from fieldwise.kernels.calendar_moment import AmbiguousMoment
from fieldwise.kernels.moments import DateReading, calendar_languages_of, is_iso_date, read_moment

_AMBIGUOUS_ORDER, _AMBIGUOUS_NAME, _LANGUAGES = "ambiguous order", "ambiguous month name", "languages "
_DAY_FIRST, _MONTH_FIRST = "day first", "month first"
_ORDER_NAMES: Final[Mapping[bool | None, str]] = {True: _DAY_FIRST, False: _MONTH_FIRST}
MIN_SHARE: Final = 0.9
"""Share of the evidence that must agree before a column decides."""
NO_DATE_EVIDENCE: Final = r'null|true|false|-?[0-9][0-9.eE+-]*|"[0-9]{4}-(?:0[0-9]|1[0-2])-[0-3][0-9](?:T[0-2][0-9]:[0-5][0-9][0-9:.]*Z?)?"'
"""ISO dates and times read one way, and no number is a date."""


class DateOptions(Protocol):
    """The options that a column can decide."""

    @property
    def day_first(self) -> bool | None: ...
    @property
    def actual_day_first(self) -> bool | None: ...
    @property
    def languages(self) -> tuple[str, ...]: ...


OptionsT = TypeVar("OptionsT", bound=DateOptions)


def collect_date_evidence(values: Sequence[Any], config: DateOptions) -> Counter[str]:
    """Count the dates that only read one way, those that read two ways, and the languages of month names."""
    reading = DateReading(config.day_first, reading_languages(config.languages))
    evidence: Counter[str] = Counter()
    for text, count in count_texts(values).items():
        sign = _sign_of(text.strip(), reading)
        if sign:
            evidence[sign] += count
    return evidence


def count_texts(values: Sequence[Any]) -> dict[str, int]:
    """The number of times that each text occurs among values of any type."""
    try:
        counts: Counter[Any] = Counter(values)
    except TypeError:  # a list or an object
        counts = Counter(value for value in values if isinstance(value, str))
    return {text: count for text, count in counts.items() if isinstance(text, str)}


def reading_languages(codes: Iterable[str]) -> frozenset[str]:
    """The languages of the option `languages`, as readers know them."""
    return frozenset().union(*map(calendar_languages_of, codes))


def _sign_of(text: str, reading: DateReading) -> str:
    moment = None if is_iso_date(text) else read_moment(text, reading)
    if moment is None:
        return ""
    if isinstance(moment, AmbiguousMoment):
        return _AMBIGUOUS_ORDER if moment.option == "day_first" else _AMBIGUOUS_NAME
    if moment.month_languages and "en" not in moment.month_languages:
        return _LANGUAGES + _join_languages(moment.month_languages)
    return moment.numeric_order


# A column has few distinct sets of languages, one for each month name.
@lru_cache(maxsize=1 << 10)
def _join_languages(languages: frozenset[str]) -> str:
    return " ".join(sorted(languages))


def resolve_date_options(config: OptionsT, evidence: Counter[str]) -> tuple[OptionsT, str | None]:
    """The options with the order and the languages that the column decides, and what decided them."""
    changes: dict[str, Any] = {}
    sentences: list[str] = []
    if config.day_first is None and evidence[_AMBIGUOUS_ORDER]:
        order = _decide_order(evidence)
        orders = _decide_order(evidence, "expected: "), _decide_order(evidence, "actual: ")
        how = None
        if config.actual_day_first is None and None not in orders and orders[0] != orders[1]:
            changes["day_first"], changes["actual_day_first"] = orders
            how = f"{_ORDER_NAMES[orders[0]]} in expected values and {_ORDER_NAMES[orders[1]]} in actual values"
        elif order is not None:
            changes["day_first"] = order
            how = _ORDER_NAMES[order]
        if how is not None:
            counts = f"{evidence[_DAY_FIRST]} values only read day first, {evidence[_MONTH_FIRST]} only month first"
            sentences.append(f"{evidence[_AMBIGUOUS_ORDER]} dates that read both ways were read {how}: {counts}")
    languages = _shared_languages(evidence)
    if not config.languages and evidence[_AMBIGUOUS_NAME] and languages:
        changes["languages"] = languages
        sentences.append(f"{evidence[_AMBIGUOUS_NAME]} month names that mean different months were read as {' or '.join(languages)}")
    return (replace(config, **changes), "; ".join(sentences)) if changes else (config, None)  # pyright: ignore[reportArgumentType]


def _decide_order(evidence: Counter[str], side: str = "") -> bool | None:
    """True where the dates of a side show that the day comes first, False for the month, None where they show neither."""
    day_first, month_first = evidence[side + _DAY_FIRST], evidence[side + _MONTH_FIRST]
    return day_first > month_first if max(day_first, month_first) >= MIN_SHARE * (day_first + month_first) > 0 else None


def _shared_languages(evidence: Counter[str]) -> tuple[str, ...]:
    """The languages that have all month names of the column; empty if there are none."""
    sets = [frozenset(sign.removeprefix(_LANGUAGES).split(" ")) for sign in evidence if sign.startswith(_LANGUAGES)]
    return tuple(sorted(filter(calendar_languages_of, frozenset.intersection(*sets)))) if sets else ()
