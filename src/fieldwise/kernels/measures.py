"""Read quantities with units and durations, and convert between units of one dimension.

>>> [read_quantity(text).to_base()[0][:2] for text in ("1.5 kg", "1500 Gramm")]
[('kilogram', 1.5), ('kilogram', 1.5)]
>>> read_duration("1h 30min").seconds, read_duration("PT1H30M").seconds, read_duration("drei Wochen").seconds
(5400.0, 5400.0, 1814400.0)
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from fieldwise.kernels import number_words
from fieldwise.kernels.amounts import find_decimal_mark, read_figure
from fieldwise.kernels.currencies import currencies_of
from fieldwise.kernels.locale_tables import fold_name
from fieldwise.kernels.numerals import DecimalMark, normalize_characters, read_numeral, split_numeral
from fieldwise.kernels.spoken_durations import rewrite_duration
from fieldwise.kernels.units import unit_factor, units_called, wider_units

_ISO_DURATION: Final = re.compile(
    r"(?P<sign>[-+]?)P(?:(?P<year>[\d.,]+)Y)?(?:(?P<month>[\d.,]+)M)?(?:(?P<week>[\d.,]+)W)?(?:(?P<day>[\d.,]+)D)?"
    r"(?:T(?:(?P<hour>[\d.,]+)H)?(?:(?P<minute>[\d.,]+)M)?(?:(?P<second>[\d.,]+)S)?)?",
    re.ASCII | re.IGNORECASE,
)
_CLOCK: Final = re.compile(r"(-?)(\d+):([0-5]\d)(?::([0-5]\d))?(?:[.,](\d+))?", re.ASCII)
_DAYS_AND_CLOCK: Final = re.compile(r"(\d+) (?:days?|d),? (\d{1,2}:[0-5]\d:[0-5]\d(?:[.,]\d+)?)", re.ASCII | re.IGNORECASE)
"""As Python and databases print it: `1 day, 2:03:04`."""
_JOINERS: Final = re.compile(r"(?:^|\s)(?:and|und|et|y|e|i|и|en|och|og|ja|&|\+)(?=\s)|;|,(?!\d)|(?<!\d),")
_HOURS_AND_MINUTES: Final = re.compile(r"(\d{1,3}) ?[hu] ?([0-5]\d)", re.ASCII | re.IGNORECASE)
"""`1h30`: minutes without a unit."""
_AND_A_HALF: Final = re.compile(
    r"(?:and a half|半|반|et demie?|y media|y medio|e mezz[ao]|e meia|e meio|en (?:een )?half|und (?:eine )?halbe)$"
)
_NUMBER_AND_A_HALF: Final = re.compile(
    r"(\d+) (?:and an? half|et demie?|y medi[oa]|e mezz[oa]|e mei[oa]|en een half|und (?:ein|eine) halbe?|i pół)(?= [^\W\d_])",
    re.IGNORECASE,
)
"""`5 and a half minutes`."""
_AND_A_QUARTER: Final = re.compile(r"([^\W_]+) and (?:a |one )?quarter (hours?)", re.IGNORECASE)
_CJK_HALF: Final = re.compile(r"([\d一二两兩三四五六七八九十])[个個]半(?=[^\W\d_])")
"""`一個半小時`."""
_QUARTERS: Final = re.compile(r"(three quarters|3/4|¾|(?:a )?quarter|1/4|¼) of (?:an? )?")
_NAMED_FIRST: Final = re.compile(
    r"(?P<name>摂氏|攝氏|摄氏|섭씨|華氏|华氏|화씨|時速|时速|시속|毎時|每小时|每小時|秒速|每秒|毎秒|초속)(?:温度|溫度)?の?\s*(?P<minus>マイナス|마이너스|零下|영하|-)?\s*(?P<number>\d[\d.,]*)\s*"
    r"(?P<unit>\D*)"
)
_SCALES_FIRST: Final = {"摂氏": "°C", "攝氏": "°C", "摄氏": "°C", "섭씨": "°C", "華氏": "°F", "华氏": "°F", "화씨": "°F"}
"""What stands before a temperature in Chinese, Japanese and Korean: `摂氏20度`. The other names are speeds: `時速120キロ`."""
_POWER_OF_TEN: Final = re.compile(r"(?<=\d)\s?[×xX*·]\s?10(?:\^|\*)?\(?([⁺⁻]?[⁰¹²³⁴-⁹]{1,3}|(?<=[\^*(])[-+]?\d{1,2})\)?(?=\s*[^\W\d])")
"""A power of ten before a unit: `1×10³ g`."""
_THOUSANDS: Final = re.compile(r"(?<=\d)[kK] (?=[^\W\d_]{2})")
"""Thousands of a unit: `0.5k miles`."""
_RECIPROCAL: Final = re.compile(r"(?<=\d) ?(min|[shd])(?:\^?-1|⁻¹)$|(?<=\d) 1/(min|[shd])$")
"""How often in a unit of time: `1500 min-1`, `1500 1/min`."""
_COUNT_PER_UNIT: Final = re.compile(
    r"(?P<number>\d[\d.,]*)\s*(?:[×xX*]\s?)?10(?:[\^*]|[eE])?(?P<power>[⁰¹²³⁴-⁹]{1,2}|\d{1,2})/(?P<unit>[^\W\d_]\S*)"
)
"""Cells in blood: `250 ×10⁹/L`, `250 10*9/L`."""
_SCALED_COUNT: Final = re.compile(
    r"(?P<number>\d[\d.,]*)\s*(?P<scale>[kK]|M|thou(?:sand)?s?|mill?(?:ion)?s?|Mio\.?|Tsd\.?)\s?/\s?(?P<unit>[µμu]L|mcL|[µμu]l|mm3|mm³|cumm|cmm)"
)
"""Thousands and millions of cells in blood: `5.2 K/µL`, `4.7 M/uL`."""
_SCALED_COUNT_UNITS: Final = {"mm3": "cubic-millimeter", "mm³": "cubic-millimeter", "cumm": "cubic-millimeter", "cmm": "cubic-millimeter"}
_HOW_OFTEN: Final = re.compile(r"\s+(hourly|daily|weekly|monthly|yearly|annually)$", re.IGNORECASE)
_HOW_OFTEN_UNITS: Final = {"hourly": "h", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year"}
"""`5 mg daily` is `5 mg/day`."""
_SUPERSCRIPTS: Final = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_HYPHENATED: Final = re.compile(r"(?<=\d)-(?=[^\W\d_])")
"""`30-day`."""
_ELIDED: Final = re.compile(r"\b(un|d|l)['’](?=[^\W\d_])", re.IGNORECASE)
"""`un'ora`."""
_MINUTES_AND_SECONDS: Final = re.compile(r"(\d{1,3})[′'’](?!')\s?(?:([0-5]?\d)(?:″|\"|”|''))?|(\d{1,3})(?:″|\"|”|'')")
"""`1′30″`, `90′`, `30″`: in a duration, never feet and inches."""
_CLOCK_WITH_UNIT: Final = re.compile(r"(\d+):([0-5]\d) ?([^\W\d_]+\.?)", re.ASCII)
"""`2:30 h`, `2:30 min`: the unit of the first number."""
_MINUTES_WITHOUT_UNIT: Final = re.compile(r"(\d{1,3}) ?(?:heures?|hours?|horas?|ore?|std\.?|stunden?|uur) ([0-5]\d)", re.IGNORECASE)
"""`1 heure 30`."""
_MONTH_SECONDS: Final = 30.436875 * 86400
_DURATION_UNITS: Final = {
    "millisecond": 0.001, "microsecond": 1e-6, "nanosecond": 1e-9, "picosecond": 1e-12, "femtosecond": 1e-15, "second": 1.0,
    "minute": 60.0, "quarter-hour": 900.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0, "fortnight": 1209600.0,
    "night": 86400.0, "business-day": 86400.0, "weekday": 86400.0,
    "month": _MONTH_SECONDS, "quarter": 3 * _MONTH_SECONDS,
    "year": 12 * _MONTH_SECONDS, "decade": 120 * _MONTH_SECONDS, "century": 1200 * _MONTH_SECONDS,
}  # fmt: skip
_COUNTED_DAYS: Final = frozenset({"night", "business-day", "weekday"})
"""Units that count some days and no others: 3 nights are not 3 days, and 10 business days are two weeks."""
_FRACTION: Final = re.compile(r"(?<![\d/.,])(?:(\d+)[\s-]+)?(\d+)\s*/\s*(2|3|4|5|6|8|10|12|16|32|64)(?=\s*(?:[^\W\d]|[\"'″′]))")
"""A fraction before a unit: `1 1/2 cups`."""
_FEET_AND_INCHES: Final = re.compile(r"(?<![\d.,])(\d{1,3})['′’]\s?(\d{1,2}(?:\.\d+)?)(?:\"|″|”|'')")
_DOZENS: Final = re.compile(r"\s*(\d+(?:[.,]\d+)?|[^\W\d_]+) ?(?:dozen|doz\.?|dutzend|dz\.?)\s*", re.IGNORECASE)
_UNIT_FIRST: Final = re.compile(r"([^\W\d_][^\d\s-]+)\s*(\d[\d.,'\s]*)")
"""A unit before its number: `kg 5,5`, `Kg. 12`."""
_ACIDITY: Final = re.compile(r"\s*pH(?:[ -]value)?\s*[:=]?\s*(\d{1,2}(?:[.,]\d+)?)\s*|\s*(\d{1,2}(?:[.,]\d+)?)\s*pH\s*")
"""`pH 7.4`: a scale with its name before the number; behind it, `pH` may be picohenry as well."""
_SIGNED_WORD: Final = re.compile(r"\s*[-−–+]\s*[^\W\d]")
"""A sign before a word, which no number in words has: `-fünf Kilogramm`."""
_MAX_WORDS: Final = 8
_MAX_READINGS: Final = 8
"""Lengths that a text may mean; more of them say nothing."""


class BaseValue(NamedTuple):
    """A quantity in the base unit of its dimension."""

    dimension: str
    value: float
    factor: float
    """How many base units its own unit is."""
    offset: float = 0.0
    """The zero of its own unit in base units: 255.37 for degrees Fahrenheit."""


@dataclass(frozen=True, slots=True)
class QuantityReading:
    """A number and the units it may be in."""

    value: int | float
    units: frozenset[str]
    """Empty where the text names no unit."""

    def to_base(self) -> list[BaseValue]:
        """The value in base units, for each unit that it may be in and that converts."""
        factors = [factor for factor in map(unit_factor, sorted(self.units)) if factor is not None]
        return [BaseValue(factor.dimension, self.value * factor.factor + factor.offset, *factor[1:]) for factor in factors]


@dataclass(frozen=True, slots=True)
class DurationReading:
    """A length of time."""

    seconds: float
    unit: str | None
    """The unit it is written in, where it is one; tolerances are in this unit."""
    alternatives: frozenset[float] = frozenset()
    """Other readings in seconds: `1:30` is 90 minutes or 90 seconds, `1 год` a year in Russian and an hour in Ukrainian."""

    @property
    def counted_days(self) -> str:
        """The kind of days that it counts: nights or business days; empty for a length of time."""
        return self.unit if self.unit is not None and self.unit in _COUNTED_DAYS else ""


def read_quantity(text: str, wider: bool = False, decimal_mark: DecimalMark | None = None) -> QuantityReading | None:
    """A number with or without a unit; None if the text is anything else.

    `wider` also takes the units of the package pint, where it is installed. `decimal_mark` decides `1,234` and `1.234` as in
    `read_figure`.
    """
    return _read_quantity(text, wider, decimal_mark)


@lru_cache(maxsize=1 << 14)  # quantities repeat within a column
def find_quantity_sign(text: str) -> str:
    """What a quantity shows about the decimal mark of its column, as `find_decimal_sign` tells of a figure.

    >>> [find_quantity_sign(text) for text in ("2,5 kg", "1.234 kg", "2.5", "5 m2", "soon")]
    [',', 'undecided', 'plain', '', '']
    """
    parts = split_numeral(normalize_characters(text))
    if parts is None or read_quantity(text, wider=True) is None:
        return ""
    return "undecided" if read_numeral(parts[1])[1] else find_decimal_mark(text)


# Quantities repeat within a column; the arguments alone decide the result.
@lru_cache(maxsize=1 << 16)
def _read_quantity(text: str, wider: bool, decimal_mark: DecimalMark | None) -> QuantityReading | None:
    text = _rewrite_quantity(number_words.read_repeated_number(text))
    count = _read_acidity(text) or _read_count(text)
    if count is not None:
        return count
    split = re.fullmatch(r"\s*(?P<number>[-+−(]?[\d٠-٩०-९½⅓⅔¼¾⅛⅜⅝⅞].*?[)]?)\s*(?P<unit>[^\d\s.,)].*?)?\s*", text, re.DOTALL)
    if split is not None and split["unit"]:
        # the longest number first: "1 234,5 kg", then shorter ones for units that hold digits, such as m2
        for match in re.finditer(r"(?<=[\d)½⅓⅔¼¾⅛⅜⅝⅞])\s*(?=[^\d\s.,'’)½⅓⅔¼¾⅛⅜⅝⅞])", text):
            number, unit = text[: match.start()], text[match.end() :].strip()
            units = units_called(unit) or (wider_units(unit) if wider else frozenset())
            figure = read_figure(number.strip(), decimal_mark) if units else None
            if figure is not None and units and not figure.currencies and not figure.percent:
                return QuantityReading(figure.value, units)
        compound = _read_compound(text, decimal_mark)
        if compound is not None:
            return compound
    worded = _read_worded(text)
    if worded is not None:
        return worded
    unit_first = _UNIT_FIRST.fullmatch(text.strip())
    units = units_called(unit_first[1]) if unit_first is not None and not currencies_of(unit_first[1]) else frozenset[str]()
    if unit_first is not None and units:
        figure = read_figure(unit_first[2].strip(), decimal_mark)
        return None if figure is None else QuantityReading(figure.value, units)
    figure = read_figure(text.strip(), decimal_mark)
    if figure is None or figure.currencies:
        return None
    return QuantityReading(figure.value, frozenset({"percent"}) if figure.percent else figure.units)


def _read_compound(text: str, decimal_mark: DecimalMark | None) -> QuantityReading | None:
    """Several numbers with units of one dimension, from large to small, in the first unit: `5 ft 10 in`, `2 lb 3 oz`."""
    pieces = _duration_pieces(_JOINERS.sub(" ", text))
    if len(pieces) < 2:
        return None
    readings = [_read_quantity(piece, False, decimal_mark) for piece in pieces]
    parts = [reading for reading in readings if reading is not None and reading.units]
    if len(parts) != len(pieces):
        return None
    sums = [(unit, _sum_in_unit(unit, parts)) for unit in sorted(parts[0].units)]
    totals = [(unit, total) for unit, total in sums if total is not None]
    return QuantityReading(totals[0][1], frozenset({totals[0][0]})) if len(totals) == 1 else None


def _with_unit_behind(match: re.Match[str]) -> str:
    """A temperature or a speed with its unit behind the number: `摂氏20度` as `20 °C`, `時速120キロメートル` as `120 キロメートル/h`."""
    number = f"-{match['number']}" if match["minus"] else match["number"]
    scale = _SCALES_FIRST.get(match["name"])
    unit = match["unit"].strip()
    if scale is not None:
        return f"{number} {scale}" if unit in ("度", "도", "°", "") else match[0]
    return f"{number} {unit}/{'h' if any(sign in match['name'] for sign in '時时시') else 's'}"


def _rewrite_quantity(text: str) -> str:
    """The text with its unit behind the number, and powers of ten, fractions, feet and inches in one spelling."""
    if "k " in text or "K " in text:
        text = _THOUSANDS.sub("e3 ", text)
    if "1" in text or "¹" in text:
        text = _RECIPROCAL.sub(r" /\1\2", text)
    if "10" in text:
        text = _POWER_OF_TEN.sub(lambda power: f"e{power[1].translate(_SUPERSCRIPTS)} ", text)
    if not text.isascii():
        text = _NAMED_FIRST.sub(_with_unit_behind, text, count=1)
    if text.endswith("ly"):
        text = _HOW_OFTEN.sub(lambda often: "/" + _HOW_OFTEN_UNITS[often[1].lower()], text)
    return _FEET_AND_INCHES.sub(r"\1 ft \2 in", _FRACTION.sub(_as_decimal, text, count=1))


def _read_acidity(text: str) -> QuantityReading | None:
    acidity = _ACIDITY.fullmatch(text) if "pH" in text else None
    if acidity is None:
        return None
    number = float((acidity[1] or acidity[2]).replace(",", "."))
    return QuantityReading(number, frozenset({"pH"}) | (units_called("pH") or wider_units("pH") if acidity[2] else frozenset[str]()))


def _read_count(text: str) -> QuantityReading | None:
    """Dozens, or a count per unit of volume or weight: `2 dozen`, `250 ×10⁹/L`, `5.2 K/µL`."""
    scaled = _SCALED_COUNT.fullmatch(text.strip()) if "/" in text else None
    scaled_figure = None if scaled is None else read_figure(scaled["number"])
    if scaled is not None and scaled_figure is not None:
        power = 3 if scaled["scale"][0] in "kKtT" else 6
        unit = _SCALED_COUNT_UNITS.get(scaled["unit"], "microliter")
        return QuantityReading(scaled_figure.value * 10**power, frozenset({f"item-per-{unit}"}))
    dozens = _DOZENS.fullmatch(text)
    if dozens is not None:
        is_number = dozens[1][0].isdigit()
        number = float(dozens[1].replace(",", ".")) if is_number else number_words.read_number_words(dozens[1], before_unit=True)
        return None if number is None else QuantityReading(number * 12, frozenset({"piece"}))
    match = _COUNT_PER_UNIT.fullmatch(text.strip()) if "10" in text else None
    figure = None if match is None else read_figure(match["number"])
    if match is None or figure is None:
        return None
    units = [unit for unit in units_called(match["unit"]) if unit_factor(unit) is not None]
    if len(units) != 1:
        return None
    return QuantityReading(figure.value * 10 ** int(match["power"].translate(_SUPERSCRIPTS)), frozenset({f"item-per-{units[0]}"}))


def _sum_in_unit(unit: str, parts: list[QuantityReading]) -> float | None:
    """The sum of the parts in a unit of the first; None unless each other part has one unit that is smaller than the unit before it."""
    first = unit_factor(unit)
    if first is None or first.offset:
        return None
    total = parts[0].value * first.factor
    limit = first.factor
    for part in parts[1:]:
        factors = [factor for factor in map(unit_factor, part.units) if factor is not None and factor.dimension == first.dimension]
        factors = [factor for factor in factors if factor.factor < limit and not factor.offset]
        if len(factors) != 1:
            return None
        limit = factors[0].factor
        total += part.value * limit
    return total / first.factor


def _as_decimal(fraction: re.Match[str]) -> str:
    """`1/2` as 0.5 and `1 1/2` as 1.5."""
    return str(int(fraction[1] or 0) + int(fraction[2]) / int(fraction[3]))


def _read_worded(text: str) -> QuantityReading | None:
    """A number in words with its unit: `drei Wochen`, `two and a half years`, `une demi-heure`."""
    words = [part for part in re.split(r"\s+|(?<=[^\W\d_])-(?=[^\W\d_])", text.strip()) if part]
    if _SIGNED_WORD.match(text):
        return None
    if not 2 <= len(words) <= _MAX_WORDS or any(map(str.isdigit, text)) or not number_words.may_start_quantity(words[0]):
        return None
    for count in range(len(words) - 1, 0, -1):
        number = _number_called(" ".join(words[:count]))
        units = units_called(" ".join(words[count:])) if number is not None else frozenset[str]()
        if number is not None and units:
            return QuantityReading(number, units)
    return None


def _number_called(words: str) -> float | None:
    return 12 if fold_name(words) in ("a dozen", "dozen") else number_words.read_number_words(words, before_unit=True)


def read_duration(text: str) -> DurationReading | None:
    """A length of time: ISO 8601, a clock such as `1:30`, or numbers with units."""
    return _read_duration(text)


# Durations repeat within a column; the text alone decides the result.
@lru_cache(maxsize=1 << 16)
def _read_duration(text: str) -> DurationReading | None:
    text = text.strip()
    if len(text) > 100:
        return None
    text = rewrite_duration(text)
    iso = _ISO_DURATION.fullmatch(text)
    if iso is not None and any(iso[unit] for unit in ("year", "month", "week", "day", "hour", "minute", "second")):
        return _iso_duration(iso)
    clock = _CLOCK.fullmatch(text)
    if clock is not None:
        return _clock_duration(clock)
    days = _DAYS_AND_CLOCK.fullmatch(text)
    if days is not None:
        return DurationReading(int(days[1]) * 86400.0 + _clock_duration(_CLOCK.fullmatch(days[2])).seconds, None)  # pyright: ignore[reportArgumentType]
    minutes_and_seconds = _MINUTES_AND_SECONDS.fullmatch(text)
    if minutes_and_seconds is not None:
        minutes, seconds, seconds_alone = minutes_and_seconds.groups()
        unit = "second" if minutes is None else ("minute" if seconds is None else None)
        return DurationReading(int(minutes or 0) * 60.0 + int(seconds or seconds_alone or 0), unit)
    clock_with_unit = _CLOCK_WITH_UNIT.fullmatch(text)
    if clock_with_unit is not None:
        return _clock_with_unit(clock_with_unit)
    hours_and_minutes = _HOURS_AND_MINUTES.fullmatch(text) or _MINUTES_WITHOUT_UNIT.fullmatch(text)
    if hours_and_minutes is not None:
        return DurationReading(int(hours_and_minutes[1]) * 3600.0 + int(hours_and_minutes[2]) * 60.0, None)
    return _worded_duration(text)


def seconds_per(unit: str) -> float:
    """Seconds in a unit of time; months and years are mean ones.

    >>> seconds_per("hour")
    3600.0
    """
    return _DURATION_UNITS[unit]


def _iso_duration(match: re.Match[str]) -> DurationReading | None:
    named = [unit for unit in ("year", "month", "week", "day", "hour", "minute", "second") if match[unit]]
    try:
        seconds = sum(float(match[unit].replace(",", ".")) * _DURATION_UNITS[unit] for unit in named)
    except ValueError:
        return None
    return DurationReading(-seconds if match["sign"] == "-" else seconds, named[0] if len(named) == 1 else None)


def _clock_duration(match: re.Match[str]) -> DurationReading:
    sign = -1.0 if match[1] else 1.0
    first, second = int(match[2]), int(match[3])
    fraction = float(f"0.{match[5]}") if match[5] else 0.0
    if match[4] is not None:
        return DurationReading(sign * (first * 3600 + second * 60 + int(match[4]) + fraction), None)
    if match[5]:  # only seconds have decimals
        return DurationReading(sign * (first * 60 + second + fraction), None)
    return DurationReading(sign * (first * 3600.0 + second * 60.0), None, frozenset({sign * (first * 60.0 + second)}))


def _clock_with_unit(match: re.Match[str]) -> DurationReading | None:
    """Hours and minutes, or minutes and seconds, by the unit behind them."""
    units = units_called(match[3])
    first, second = int(match[1]), int(match[2])
    if "hour" in units:
        return DurationReading(first * 3600.0 + second * 60.0, None)
    return DurationReading(first * 60.0 + second, None) if "minute" in units else None


def _worded_duration(text: str) -> DurationReading | None:
    """`1h 30min`, `two hours and 5 minutes`, `3 godziny`, `an hour and a half`."""
    if _SIGNED_WORD.match(text):
        return None
    if " of " in text:
        text = _QUARTERS.sub(lambda part: "0.75 " if part[1][0] in "t3¾" else "0.25 ", fold_name(text))
    text = _FRACTION.sub(_as_decimal, _HYPHENATED.sub(" ", _ELIDED.sub(r"\1 ", text)), count=1)
    text = _add_fractions(number_words.read_repeated_number(text))
    worded = None if any(map(str.isdigit, text)) else read_quantity(text)
    units = worded.units & _DURATION_UNITS.keys() if worded is not None else frozenset[str]()
    if worded is not None and len(units) == 1:  # "two and a half years" before "two" and "half years"
        unit = next(iter(units))
        return DurationReading(worded.value * _DURATION_UNITS[unit], unit)
    words = text.split()
    last_units = (
        _TIME_ONLY.get(fold_name(words[-1]).strip("."), frozenset[str]()) if len(units) != 1 and len(words) > 1 else frozenset[str]()
    )
    number = number_words.read_number_words(" ".join(words[:-1]), before_unit=True) if len(last_units) == 1 else None
    if number is not None:
        unit = next(iter(last_units))
        return DurationReading(number * _DURATION_UNITS[unit], unit)
    half = _AND_A_HALF.search(fold_name(text))
    rest = _JOINERS.sub(" ", text if half is None else fold_name(text)[: half.start()])
    parts: list[tuple[float, list[str]]] = []
    for piece in _duration_pieces(rest):
        quantity = read_quantity(piece)
        units = quantity.units & _DURATION_UNITS.keys() if quantity is not None else frozenset[str]()
        if quantity is not None and len(units) != 1:
            units = _TIME_ONLY.get(_unit_name(piece), units)
        if quantity is None or not units:
            return None
        parts.append((quantity.value, sorted(units)))
    return _sum_parts(parts, has_half=half is not None) if parts else None


def _add_fractions(text: str) -> str:
    """The text with a half or a quarter behind a number as part of it: `5 and a half minutes`, `two and a quarter hours`, `一個半小時`."""
    if not text.isascii():
        half = _CJK_HALF.search(text)
        whole = None if half is None else read_numeral(half[1])[0]
        if half is not None and whole is not None:
            text = f"{text[: half.start()]}{whole}.5{text[half.end() :]}"
    return _AND_A_QUARTER.sub(r"\1 \2 15 minutes", _NUMBER_AND_A_HALF.sub(r"\1.5", text))


def _sum_parts(parts: list[tuple[float, list[str]]], *, has_half: bool) -> DurationReading | None:
    """The length of all parts; a unit of several meanings gives several lengths. `has_half`: with half of the last unit on top.

    None for `3 days 2 nights`, which is no sum.
    """
    if len(parts) > 1 and any(not _COUNTED_DAYS.isdisjoint(units) for _, units in parts):
        return None
    readings: list[float] = []
    for units in product(*(units for _, units in parts)):
        seconds = sum(value * _DURATION_UNITS[unit] for (value, _), unit in zip(parts, units, strict=True))
        readings.append(float(seconds) + (_DURATION_UNITS[units[-1]] / 2 if has_half else 0.0))
        if len(readings) > _MAX_READINGS:
            return None
    unit = parts[0][1][0] if len(parts) == 1 else None
    return DurationReading(readings[0], unit, frozenset(readings[1:]))


# Names of other units, or of none, that mean a time where a time is read.
_TIME_ONLY: Final = {
    name: frozenset({unit})
    for unit, names in {
        "hour": "u t sa saat hod", "minute": "m", "second": "с s", "millisecond": "ms",
        "microsecond": "us μs", "nanosecond": "ns", "day": "j", "year": "an", "fortnight": "fortnight fortnights",
    }.items()
    for name in names.split(" ")
}  # fmt: skip


def _unit_name(piece: str) -> str:
    """The words behind the number of a piece such as `5 u`."""
    return fold_name(piece.lstrip("-+0123456789.,' \u00a0")).strip(".")


def _duration_pieces(text: str) -> list[str]:
    """One piece for each number with its unit; a text without digits is one piece."""
    if not any(character.isdigit() for character in text):
        return [text]
    starts = [match.start() for match in re.finditer(r"(?<![\d.,'])\d", text)]
    if not starts:
        return [text]
    if text[: starts[0]].strip(" -+"):  # `one hour 45 minutes`
        starts.insert(0, 0)
    return [text[start:end].strip() for start, end in zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True)]
