"""Read quantities with units and durations, and convert between units of one dimension.

>>> read_quantity("1.5 kg").to_base(), read_quantity("1500 Gramm").to_base()
({'kilogram': 1.5}, {'kilogram': 1.5})
>>> read_duration("1h 30min").seconds, read_duration("PT1H30M").seconds, read_duration("drei Wochen").seconds
(5400.0, 5400.0, 1814400.0)
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from fieldwise.kernels import locale_tables
from fieldwise.kernels.amounts import read_figure
from fieldwise.kernels.locale_tables import fold_name

_ISO_DURATION: Final = re.compile(
    r"(?P<sign>[-+]?)P(?:(?P<year>[\d.,]+)Y)?(?:(?P<month>[\d.,]+)M)?(?:(?P<week>[\d.,]+)W)?(?:(?P<day>[\d.,]+)D)?"
    r"(?:T(?:(?P<hour>[\d.,]+)H)?(?:(?P<minute>[\d.,]+)M)?(?:(?P<second>[\d.,]+)S)?)?",
    re.ASCII | re.IGNORECASE,
)
_CLOCK: Final = re.compile(r"(-?)(\d+):([0-5]\d)(?::([0-5]\d)(?:[.,](\d+))?)?", re.ASCII)
_JOINERS: Final = re.compile(r"(?:^|\s)(?:and|und|et|y|e|i|и|en|och|og|ja|&|\+)(?=\s)|[,;]")
_MONTH_SECONDS: Final = 30.436875 * 86400
_DURATION_UNITS: Final = {
    "millisecond": 0.001, "microsecond": 1e-6, "nanosecond": 1e-9, "second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0,
    "week": 604800.0, "night": 86400.0, "fortnight": 1209600.0, "month": _MONTH_SECONDS, "quarter": 3 * _MONTH_SECONDS,
    "year": 12 * _MONTH_SECONDS, "decade": 120 * _MONTH_SECONDS, "century": 1200 * _MONTH_SECONDS,
}  # fmt: skip
_MULTIPLES: Final = {
    "are": ("square-meter", 100.0), "square-millimeter": ("square-meter", 1e-6), "watt-hour": ("joule", 3600.0),
    "kilowatt-hour": ("joule", 3.6e6), "megawatt-hour": ("joule", 3.6e9), "gigawatt-hour": ("joule", 3.6e12),
    "kilonewton": ("newton", 1000.0), "millivolt": ("volt", 0.001), "kilovolt": ("volt", 1000.0),
}  # fmt: skip
"""Units without a factor in CLDR, as a multiple of one with a factor."""
_SYMBOLS: Final = {
    "W": "watt", "mW": "milliwatt", "MW": "megawatt", "nm": "nanometer", "Nm": "newton-meter", "N": "newton", "kN": "kilonewton",
    "kn": "knot", "mV": "millivolt", "kV": "kilovolt", "dB": "decibel", "mA": "milliampere", "A": "ampere", "Pa": "pascal",
    "hPa": "hectopascal", "kPa": "kilopascal", "MPa": "megapascal", "Mb": "megabit", "MB": "megabyte", "Gb": "gigabit", "GB": "gigabyte",
    "kb": "kilobit", "kB": "kilobyte", "Wh": "watt-hour", "kWh": "kilowatt-hour", "MWh": "megawatt-hour", "GWh": "gigawatt-hour",
    "MHz": "megahertz", "K": "kelvin",
}  # fmt: skip
"""Symbols in which the letter case counts."""
_MORE_NUMBER_WORDS: Final = {
    **dict.fromkeys(("a", "an", "une", "una", "uma", "eine", "einen", "einer", "ett", "een", "één", "jedna", "jedno", "одна", "одну"), 1),
    "half a": 0.5, "half an": 0.5, "a dozen": 12, "dozen": 12,
}  # fmt: skip
_PIECES: Final = (
    "pc",
    "pcs",
    "pce",
    "piece",
    "pieces",
    "ea",
    "each",
    "stk",
    "stück",
    "szt",
    "ks",
    "pza",
    "uds",
    "pz",
    "шт",
    "個",
    "个",
    "件",
)
# What people write and CLDR does not print.
_MORE_UNITS: Final = {
    **dict.fromkeys(_PIECES, "piece"),
    "kgs": "kilogram", "kilo": "kilogram", "kilos": "kilogram", "gm": "gram", "gms": "gram", "gr": "gram", "grs": "gram",
    "lbs": "pound", "mtr": "meter", "mtrs": "meter", "kms": "kilometer", "cms": "centimeter", "mms": "millimeter", "ltr": "liter",
    "ltrs": "liter", "lt": "liter", "ml": "milliliter", "cc": "cubic-centimeter", "sqm": "square-meter", "sqft": "square-foot",
    "sq ft": "square-foot", "sq m": "square-meter", "m2": "square-meter", "m3": "cubic-meter", "qm": "square-meter",
    "cbm": "cubic-meter", "mm2": "square-millimeter", "rpm": "revolution-per-minute",
 "ft2": "square-foot", "km2": "square-kilometer", "cm2": "square-centimeter", "cm3": "cubic-centimeter",
    '"': "inch", "''": "inch", "'": "foot", "in": "inch", "kph": "kilometer-per-hour", "kmh": "kilometer-per-hour", "ha": "hectare",
    "a": "are", "µg": "microgram", "mcg": "microgram", "ug": "microgram", "t": "tonne", "hr": "hour", "hrs": "hour", "h": "hour",
    "min": "minute", "mins": "minute", "m": "meter", "sec": "second", "secs": "second", "s": "second", "d": "day", "wk": "week",
    "wks": "week", "mo": "month", "mos": "month", "yr": "year", "yrs": "year", "y": "year", "°c": "celsius", "c": "celsius",
    "degc": "celsius", "°f": "fahrenheit", "f": "fahrenheit", "degf": "fahrenheit", "k": "kelvin", "kb": "kilobyte", "mb": "megabyte",
    "gb": "gigabyte", "tb": "terabyte", "кг": "kilogram", "г": "gram", "公里": "kilometer", "公斤": "kilogram", "千克": "kilogram",
    "克": "gram", "米": "meter", "厘米": "centimeter",
    "毫米": "millimeter", "升": "liter", "毫升": "milliliter", "キログラム": "kilogram",
    "グラム": "gram", "キロ": "kilogram", "メートル": "meter", "センチ": "centimeter",
    "分钟": "minute", "小时": "hour", "時間": "hour", "分": "minute",
    "分間": "minute", "秒": "second", "日": "day", "日間": "day",
    "天": "day", "시간": "hour", "분": "minute", "초": "second", "일": "day",
    "주": "week", "週間": "week", "周": "week", "个月": "month", "か月": "month", "년": "year", "年": "year",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class QuantityReading:
    """A number and the units it may be in."""

    value: int | float
    units: frozenset[str]
    """Empty where the text names no unit."""

    def to_base(self) -> dict[str, float]:
        """The value in the base unit of each dimension it may have."""
        return {factor.dimension: self.value * factor.factor + factor.offset for factor in map(unit_factor, sorted(self.units)) if factor}


@dataclass(frozen=True, slots=True)
class DurationReading:
    """A length of time."""

    seconds: float
    unit: str | None
    """The unit it is written in, where it is one; tolerances are in this unit."""
    alternatives: frozenset[float] = frozenset()
    """Other readings in seconds: `1:30` is 90 minutes or 90 seconds."""


def unit_factor(unit: str) -> locale_tables.UnitFactor | None:
    """How a unit converts; None for an unknown one."""
    if unit in _MULTIPLES:
        base_unit, multiple = _MULTIPLES[unit]
        base = locale_tables.unit_factors()[base_unit]
        return base._replace(factor=base.factor * multiple)
    return locale_tables.unit_factors().get(unit)


def read_quantity(text: str) -> QuantityReading | None:
    """A number with or without a unit; None if the text is anything else."""
    return _read_quantity(text)


# Quantities repeat within a column; the text alone decides the result.
@lru_cache(maxsize=1 << 16)
def _read_quantity(text: str) -> QuantityReading | None:
    figure = None
    split = re.fullmatch(r"\s*(?P<number>[-+−(]?[\d٠-٩०-९].*?[)]?)\s*(?P<unit>[^\d\s.,)].*?)?\s*", text, re.DOTALL)
    if split is not None and split["unit"]:
        # the longest number first: "1 234,5 kg", then shorter ones for units that hold digits, such as m2
        for match in re.finditer(r"(?<=[\d)½¼¾])\s*(?=[^\d\s.,'’)½¼¾])", text):
            number, unit = text[: match.start()], text[match.end() :].strip()
            units = units_called(unit)
            figure = read_figure(number.strip()) if units else None
            if figure is not None and units and not figure.currencies and not figure.percent:
                return QuantityReading(figure.value, units)
    worded = re.fullmatch(r"\s*(?P<word>[^\W\d_]+(?:[ -][^\W\d_]+)?)\s+(?P<unit>[^\d]+?)\s*", text)
    if worded is not None:
        number, units = _number_called(fold_name(worded["word"])), units_called(worded["unit"])
        if number is not None and units:
            return QuantityReading(number, units)
    figure = read_figure(text.strip())
    if figure is None or figure.currencies:
        return None
    return QuantityReading(figure.value, frozenset({"percent"}) if figure.percent else figure.units)


def _number_called(word: str) -> float | None:
    return locale_tables.number_words().get(word, _MORE_NUMBER_WORDS.get(word))


def units_called(name: str) -> frozenset[str]:
    """Units of that name, abbreviation or symbol; English usage wins.

    >>> units_called("lbs"), units_called("stunden")
    (frozenset({'pound'}), frozenset({'hour'}))
    """
    if name.strip() in _SYMBOLS:
        return frozenset({_SYMBOLS[name.strip()]})
    key = fold_name(name).replace("²", "2").replace("³", "3")
    plain = key.strip(".")
    if plain in _MORE_UNITS:
        return frozenset({_MORE_UNITS[plain]})
    return (
        locale_tables.unit_names().get(key)
        or locale_tables.unit_names().get(plain)
        or _units_without_points().get(plain.replace(".", ""))
        or frozenset()
    )


@cache
def _units_without_points() -> dict[str, frozenset[str]]:
    return {name.replace(".", ""): units for name, units in locale_tables.unit_names().items() if "." in name}


def read_duration(text: str) -> DurationReading | None:
    """A length of time: ISO 8601, a clock such as `1:30`, or numbers with units."""
    return _read_duration(text)


# Durations repeat within a column; the text alone decides the result.
@lru_cache(maxsize=1 << 16)
def _read_duration(text: str) -> DurationReading | None:
    text = text.strip()
    if len(text) > 100:
        return None
    iso = _ISO_DURATION.fullmatch(text)
    if iso is not None and any(iso[unit] for unit in ("year", "month", "week", "day", "hour", "minute", "second")):
        return _iso_duration(iso)
    clock = _CLOCK.fullmatch(text)
    if clock is not None:
        return _clock_duration(clock)
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
    if match[4] is not None:
        fraction = float(f"0.{match[5]}") if match[5] else 0.0
        return DurationReading(sign * (first * 3600 + second * 60 + int(match[4]) + fraction), None)
    return DurationReading(sign * (first * 3600.0 + second * 60.0), None, frozenset({sign * (first * 60.0 + second)}))


def _worded_duration(text: str) -> DurationReading | None:
    """`1h 30min`, `two hours and 5 minutes`, `3 godziny`."""
    rest = _JOINERS.sub(" ", text)
    parts: list[tuple[float, str]] = []
    for piece in _duration_pieces(rest):
        quantity = read_quantity(piece)
        units = quantity.units & _DURATION_UNITS.keys() if quantity is not None else frozenset()
        if quantity is not None and not units and "meter" in quantity.units:
            units = frozenset({"minute"})  # "5 m" in a duration
        if quantity is None or len(units) != 1:
            return None
        parts.append((quantity.value, next(iter(units))))
    if not parts:
        return None
    seconds = sum(value * _DURATION_UNITS[unit] for value, unit in parts)
    return DurationReading(float(seconds), parts[0][1] if len(parts) == 1 else None)


def _duration_pieces(text: str) -> list[str]:
    """One piece for each number with its unit; a text without digits is one piece."""
    if not any(character.isdigit() for character in text):
        return [text]
    starts = [match.start() for match in re.finditer(r"(?<![\d.,'])\d", text)]
    if not starts or text[: starts[0]].strip(" -+"):
        return [text]
    return [text[start:end].strip() for start, end in zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True)]
