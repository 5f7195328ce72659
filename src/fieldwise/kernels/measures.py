"""Read quantities with units and durations, and convert between units of one dimension.

>>> read_quantity("1.5 kg").to_base(), read_quantity("1500 Gramm").to_base()
({'kilogram': 1.5}, {'kilogram': 1.5})
>>> read_duration("1h 30min").seconds, read_duration("PT1H30M").seconds, read_duration("drei Wochen").seconds
(5400.0, 5400.0, 1814400.0)
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

from fieldwise.kernels import locale_tables, number_words
from fieldwise.kernels.amounts import read_figure
from fieldwise.kernels.currencies import currencies_of
from fieldwise.kernels.locale_tables import fold_name

_ISO_DURATION: Final = re.compile(
    r"(?P<sign>[-+]?)P(?:(?P<year>[\d.,]+)Y)?(?:(?P<month>[\d.,]+)M)?(?:(?P<week>[\d.,]+)W)?(?:(?P<day>[\d.,]+)D)?"
    r"(?:T(?:(?P<hour>[\d.,]+)H)?(?:(?P<minute>[\d.,]+)M)?(?:(?P<second>[\d.,]+)S)?)?",
    re.ASCII | re.IGNORECASE,
)
_CLOCK: Final = re.compile(r"(-?)(\d+):([0-5]\d)(?::([0-5]\d)(?:[.,](\d+))?)?", re.ASCII)
_JOINERS: Final = re.compile(r"(?:^|\s)(?:and|und|et|y|e|i|и|en|och|og|ja|&|\+)(?=\s)|;|,(?!\d)|(?<!\d),")
_HOURS_AND_MINUTES: Final = re.compile(r"(\d{1,3}) ?[hu] ?([0-5]\d)", re.ASCII | re.IGNORECASE)
"""`1h30`: minutes without a unit."""
_AND_A_HALF: Final = re.compile(
    r"(?:and a half|半|et demie?|y media|y medio|e mezz[ao]|e meia|e meio|en (?:een )?half|und (?:eine )?halbe)$"
)
_QUARTERS: Final = re.compile(r"(three quarters|3/4|¾|a quarter|1/4|¼) of (?:an? )?")
_HYPHENATED: Final = re.compile(r"(?<=\d)-(?=[^\W\d_])")
"""`30-day`."""
_ELIDED: Final = re.compile(r"\b(un|d|l)['’](?=[^\W\d_])", re.IGNORECASE)
"""`un'ora`."""
_MINUTES_AND_SECONDS: Final = re.compile(r"(\d{1,3})[′']\s?([0-5]?\d)(?:″|\"|'')")
"""`1′30″`: in a duration, never feet and inches."""
_MINUTES_WITHOUT_UNIT: Final = re.compile(r"(\d{1,3}) ?(?:heures?|hours?|horas?|ore?|std\.?|stunden?|uur) ([0-5]\d)", re.IGNORECASE)
"""`1 heure 30`."""
_MONTH_SECONDS: Final = 30.436875 * 86400
_DURATION_UNITS: Final = {
    "millisecond": 0.001, "microsecond": 1e-6, "nanosecond": 1e-9, "second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0,
    "week": 604800.0, "night": 86400.0, "fortnight": 1209600.0, "month": _MONTH_SECONDS, "quarter": 3 * _MONTH_SECONDS,
    "year": 12 * _MONTH_SECONDS, "decade": 120 * _MONTH_SECONDS, "century": 1200 * _MONTH_SECONDS,
}  # fmt: skip
_MULTIPLES: Final = {
    "are": ("square-meter", 100.0), "square-millimeter": ("square-meter", 1e-6), "watt-hour": ("joule", 3600.0),
    "kilowatt-hour": ("joule", 3.6e6), "megawatt-hour": ("joule", 3.6e9), "gigawatt-hour": ("joule", 3.6e12),
    "liter-per-100-kilometer": ("liter-per-kilometer", 0.01), "kilonewton": ("newton", 1000.0),
    "decagram": ("gram", 10.0), "catty": ("gram", 500.0), "millivolt": ("volt", 0.001), "kilovolt": ("volt", 1000.0),
}  # fmt: skip
"""Units without a factor in CLDR, as a multiple of one with a factor."""
_SYMBOLS: Final = {
    "W": "watt", "mW": "milliwatt", "MW": "megawatt", "nm": "nanometer", "Nm": "newton-meter", "N": "newton", "kN": "kilonewton",
    "kn": "knot", "mV": "millivolt", "kV": "kilovolt", "dB": "decibel", "mA": "milliampere", "A": "ampere", "Pa": "pascal",
    "hPa": "hectopascal", "kPa": "kilopascal", "MPa": "megapascal", "Mb": "megabit", "MB": "megabyte", "Gb": "gigabit", "GB": "gigabyte",
    "kb": "kilobit", "kB": "kilobyte", "Wh": "watt-hour", "kWh": "kilowatt-hour", "MWh": "megawatt-hour", "GWh": "gigawatt-hour",
    "Ko": "kilobyte", "Mo": "megabyte", "Go": "gigabyte", "To": "terabyte", "MHz": "megahertz", "K": "kelvin",
    "cal": "calorie", "Cal": "foodcalorie",
}  # fmt: skip
"""Symbols in which the letter case counts."""
_PREFIXES: Final = {
    "n": ("nano", 1e-9), "µ": ("micro", 1e-6), "u": ("micro", 1e-6), "m": ("milli", 1e-3), "c": ("centi", 1e-2), "d": ("deci", 0.1),
    "h": ("hecto", 100.0), "k": ("kilo", 1e3), "M": ("mega", 1e6), "G": ("giga", 1e9), "T": ("tera", 1e12), "P": ("peta", 1e15),
    "Ki": ("kibi", 2.0**10), "Mi": ("mebi", 2.0**20), "Gi": ("gibi", 2.0**30), "Ti": ("tebi", 2.0**40),
}  # fmt: skip
_PREFIXED: Final = {
    "J": "joule", "W": "watt", "Wh": "watt-hour", "V": "volt", "A": "ampere", "Hz": "hertz", "Pa": "pascal", "N": "newton", "Ω": "ohm",
    "eV": "electronvolt", "cal": "calorie", "B": "byte", "bit": "bit",
}  # fmt: skip
"""Symbols that take the prefixes of the SI, letter case counting; metres, grams, litres and seconds are in CLDR with theirs."""
_PREFIX_FACTORS: Final = dict(_PREFIXES.values())
_FRACTION: Final = re.compile(r"(?<![\d/.,])(?:(\d+)[\s-]+)?(\d+)\s*/\s*(2|3|4|5|6|8|10|12|16|32|64)(?=\s*(?:[^\W\d]|[\"'″′]))")
"""A fraction before a unit: `1 1/2 cups`."""
_FEET_AND_INCHES: Final = re.compile(r"(?<![\d.,])(\d{1,3})['′]\s?(\d{1,2}(?:\.\d+)?)(?:\"|″|'')")
_DOZENS: Final = re.compile(r"\s*(\d+(?:[.,]\d+)?|[^\W\d_]+) ?(?:dozen|doz\.?|dutzend|dz\.?)\s*", re.IGNORECASE)
_UNIT_FIRST: Final = re.compile(r"([^\W\d_][^\d\s-]+)\s*(\d[\d.,'\s]*)")
"""A unit before its number: `kg 5,5`, `Kg. 12`."""
_FROM_PINT: Final = "pint:"
_PER: Final = "-per-"
_GLUCOSE: Final = "milligram-ofglucose-per-deciliter"
"""CLDR prints it as mg/dL."""
_MAX_WORDS: Final = 8
_PIECES: Final = frozenset(
    """pc pcs pce pces piece pieces ea each item items unit units x nos qty stk stck stück st stuk stuks stycken styk stykker kpl kappale
    kappaletta tk tükki szt sztuk sztuki sztuka ks kus kusy kusů kusov db darab buc bucată bucăți bucati pza pzas pieza piezas ud uds unidad
    unidades un und unid unidade pz pezzo pezzi pce pièce pièces unité unités τεμ τεμάχιο τεμάχια adet ad шт штук штука штуки бр броя kom
    komad
    komada vnt gab dona хувь ширхэг יח יחידות قطعة قطع حبة عدد नग पीस ชิ้น อัน cái chiếc buah biji keping 個 个 件 箇 只 개""".split()  # noqa: SIM905
)
"""Words for one of a thing, by language: what people write where CLDR has `item`."""
_PACKINGS: Final = (
    "box bottle pack package packet bag case carton roll sheet set pair can tin jar tube pallet container drum sack bundle kit tablet "
    "capsule pill person page slice crate bucket barrel tray reel spool ream"
)
"""What things are counted in: units that convert into nothing else."""
# What people write and CLDR does not print.
_MORE_UNITS: Final = {
    **{word: packing for packing in _PACKINGS.split(" ") for word in (packing, packing + "s", packing + "es")},
    **dict.fromkeys(_PIECES, "piece"), "st": "stone piece", "db": "decibel piece",
    **dict.fromkeys(tuple("flasche flaschen bouteille bouteilles botella botellas bottiglia bottiglie garrafa garrafas".split()), "bottle"),  # noqa: SIM905
    **dict.fromkeys(("karton", "kartons", "schachtel", "caja", "cajas", "boîte", "boîtes", "scatola", "scatole", "caixa", "caixas"), "box"),
    **dict.fromkeys(("palette", "paletten", "palettes", "palé", "palés", "pallets", "pallet"), "pallet"),
    **dict.fromkeys(("rolle", "rollen", "rouleau", "rouleaux", "rollo", "rollos"), "roll"), **dict.fromkeys(("amp", "amps"), "ampere"),
    **dict.fromkeys(("dkg", "deka"), "decagram"), **dict.fromkeys(("斤", "市斤"), "catty"), **dict.fromkeys(("etto", "etti"), "hectogram"),
    **dict.fromkeys(("quilo", "quilos", "килограммов", "килограмма", "كجم", "كغم", 'ק"ג', "קג"), "kilogram"),
    **dict.fromkeys(('ק"מ', "קמ"), "kilometer"), **dict.fromkeys(("м2", "кв м", "кв. м", "кв.м"), "square-meter"), "м3": "cubic-meter",
    "куб. м": "cubic-meter", "吨": "tonne", "噸": "tonne", "トン": "tonne", "톤": "tonne", "l/100km": "liter-per-100-kilometer",
    "l/100 km": "liter-per-100-kilometer", "kcal": "kilocalorie", "dager": "day", "fortnight": "fortnight", "fortnights": "fortnight",
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
    "주": "week", "週間": "week", "周": "week", "个月": "month", "か月": "month",
    "ヶ月": "month", "ヵ月": "month", "カ月": "month", "ケ月": "month", "箇月": "month",
    "か月間": "month", "ヶ月間": "month", "年間": "year", "秒間": "second", "년": "year", "年": "year",
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


@cache  # the tables of units never change
def unit_factor(unit: str) -> locale_tables.UnitFactor | None:
    """How a unit converts; None for an unknown one.

    >>> unit_factor("megajoule").factor, unit_factor("bar").dimension == unit_factor("pound-force-per-square-inch").dimension
    (1000000.0, True)
    """
    if unit in _MULTIPLES:
        base_unit, multiple = _MULTIPLES[unit]
        return _multiple_of(base_unit, multiple)
    factor = locale_tables.unit_factors().get(unit)
    if factor is not None:
        return factor._replace(dimension=_sorted_dimension(factor.dimension))
    for prefix, multiple in _PREFIX_FACTORS.items():
        if unit.startswith(prefix) and _PER not in unit:
            return _multiple_of(unit.removeprefix(prefix), multiple)
    if _PER in unit:
        return _ratio_factor(*unit.split(_PER, 1))
    return _wider_factor(unit.removeprefix(_FROM_PINT)) if unit.startswith(_FROM_PINT) else None


def _ratio_factor(numerator: str, denominator: str) -> locale_tables.UnitFactor | None:
    above, below = unit_factor(numerator), unit_factor(denominator)
    if above is None or below is None or above.offset or below.offset:
        return None
    powers = _dimension_powers(above.dimension)
    for name, power in _dimension_powers(below.dimension).items():
        powers[name] = powers.get(name, 0) - power
    return locale_tables.UnitFactor(_dimension_name(powers), above.factor / below.factor, 0.0)


def _dimension_powers(name: str) -> dict[str, int]:
    """The powers that `_dimension_name` wrote.

    >>> _dimension_powers("kilogram meter^-3")
    {'kilogram': 1, 'meter': -3}
    """
    parts = (part.partition("^") for part in name.split(" "))
    return {unit: int(power or 1) for unit, _, power in parts}


def _multiple_of(unit: str, multiple: float) -> locale_tables.UnitFactor | None:
    base = unit_factor(unit)
    return None if base is None else base._replace(factor=base.factor * multiple)


def _sorted_dimension(dimension: str) -> str:
    """One spelling for a dimension: CLDR writes pressure as kg/(m·s²) and as kg·m/s²/m².

    >>> _sorted_dimension("kilogram-meter-per-square-second-per-square-meter") == _sorted_dimension("kilogram-per-meter-square-second")
    True
    """
    powers: dict[str, int] = {}
    for place, product in enumerate(dimension.split("-per-")):
        power = 1
        for word in product.split("-"):
            if word in {"square", "cubic"}:
                power = 2 if word == "square" else 3
                continue
            powers[word] = powers.get(word, 0) + (power if place == 0 else -power)
            power = 1
    return _dimension_name(powers)


def _dimension_name(powers: Mapping[str, int]) -> str:
    named = sorted((unit, power) for unit, power in powers.items() if power)
    return " ".join(unit if power == 1 else f"{unit}^{power}" for unit, power in named)


def read_quantity(text: str, wider: bool = False) -> QuantityReading | None:
    """A number with or without a unit; None if the text is anything else.

    `wider` also takes the units of the package pint, where it is installed.
    """
    return _read_quantity(text, wider)


# Quantities repeat within a column; the arguments alone decide the result.
@lru_cache(maxsize=1 << 16)
def _read_quantity(text: str, wider: bool) -> QuantityReading | None:
    text = number_words.read_repeated_number(text)
    text = _FEET_AND_INCHES.sub(r"\1 ft \2 in", _FRACTION.sub(_as_decimal, text, count=1))
    dozens = _DOZENS.fullmatch(text)
    if dozens is not None:
        count = (
            float(dozens[1].replace(",", ".")) if dozens[1][0].isdigit() else number_words.read_number_words(dozens[1], before_unit=True)
        )
        if count is not None:
            return QuantityReading(count * 12, frozenset({"piece"}))
    split = re.fullmatch(r"\s*(?P<number>[-+−(]?[\d٠-٩०-९½⅓⅔¼¾⅛⅜⅝⅞].*?[)]?)\s*(?P<unit>[^\d\s.,)].*?)?\s*", text, re.DOTALL)
    if split is not None and split["unit"]:
        # the longest number first: "1 234,5 kg", then shorter ones for units that hold digits, such as m2
        for match in re.finditer(r"(?<=[\d)½⅓⅔¼¾⅛⅜⅝⅞])\s*(?=[^\d\s.,'’)½⅓⅔¼¾⅛⅜⅝⅞])", text):
            number, unit = text[: match.start()], text[match.end() :].strip()
            units = units_called(unit) or (_wider_units(unit) if wider else frozenset())
            figure = read_figure(number.strip()) if units else None
            if figure is not None and units and not figure.currencies and not figure.percent:
                return QuantityReading(figure.value, units)
        compound = _read_compound(text)
        if compound is not None:
            return compound
    worded = _read_worded(text)
    if worded is not None:
        return worded
    unit_first = _UNIT_FIRST.fullmatch(text.strip())
    units = units_called(unit_first[1]) if unit_first is not None and not currencies_of(unit_first[1]) else frozenset[str]()
    if unit_first is not None and units:
        figure = read_figure(unit_first[2].strip())
        return None if figure is None else QuantityReading(figure.value, units)
    figure = read_figure(text.strip())
    if figure is None or figure.currencies:
        return None
    return QuantityReading(figure.value, frozenset({"percent"}) if figure.percent else figure.units)


def _read_compound(text: str) -> QuantityReading | None:
    """Several numbers with units of one dimension, from large to small, in the first unit: `5 ft 10 in`, `2 lb 3 oz`."""
    pieces = _duration_pieces(text)
    if len(pieces) < 2:
        return None
    readings = [_read_quantity(piece, False) for piece in pieces]
    factors: list[locale_tables.UnitFactor] = []
    total = 0.0
    for reading in readings:
        factor = unit_factor(next(iter(reading.units))) if reading is not None and len(reading.units) == 1 else None
        if reading is None or factor is None or factor.offset:
            return None
        if factors and (factor.dimension != factors[0].dimension or factor.factor >= factors[-1].factor):
            return None
        factors.append(factor)
        total += reading.value * factor.factor
    return QuantityReading(total / factors[0].factor, readings[0].units) if readings[0] is not None else None


def _as_decimal(fraction: re.Match[str]) -> str:
    """`1/2` as 0.5 and `1 1/2` as 1.5."""
    return str(int(fraction[1] or 0) + int(fraction[2]) / int(fraction[3]))


def _read_worded(text: str) -> QuantityReading | None:
    """A number in words with its unit: `drei Wochen`, `two and a half years`, `une demi-heure`."""
    words = [part for part in re.split(r"\s+|(?<=[^\W\d_])-(?=[^\W\d_])", text.strip()) if part]
    if not 2 <= len(words) <= _MAX_WORDS or any(map(str.isdigit, text)):
        return None
    for count in range(len(words) - 1, 0, -1):
        number = _number_called(" ".join(words[:count]))
        units = units_called(" ".join(words[count:])) if number is not None else frozenset[str]()
        if number is not None and units:
            return QuantityReading(number, units)
    return None


def _number_called(words: str) -> float | None:
    return 12 if fold_name(words) in ("a dozen", "dozen") else number_words.read_number_words(words, before_unit=True)


def units_called(name: str) -> frozenset[str]:
    """Units of that name, abbreviation or symbol; English usage wins.

    >>> units_called("lbs"), units_called("stunden")
    (frozenset({'pound'}), frozenset({'hour'}))
    """
    symbol = _symbol_called(name.strip())
    if symbol is not None:
        return frozenset({symbol})
    key = fold_name(name).replace("²", "2").replace("³", "3").replace("^", "")
    plain = key.strip(".")
    if plain in _MORE_UNITS:
        return frozenset(_MORE_UNITS[plain].split(" "))
    if plain.count(".") and plain.replace(".", "") in _MORE_UNITS:  # `sq. m.`
        return frozenset({_MORE_UNITS[plain.replace(".", "")]})
    named = (
        locale_tables.unit_names().get(key)
        or locale_tables.unit_names().get(plain)
        or _units_without_points().get(plain.replace(".", ""))
        or frozenset[str]()
    )
    if "item" in named:
        return named - {"item"} | {"piece"}
    if (not named or _GLUCOSE in named) and name.count("/") == 1:
        return _ratio_called(*name.split("/"))
    return named


def _ratio_called(numerator: str, denominator: str) -> frozenset[str]:
    """One unit per another, where each name means one unit that converts: `mg/L`, `g/cm³`.

    >>> round(unit_factor(*_ratio_called("mg", "dL")).factor, 12), unit_factor(*_ratio_called("mg", "L")).factor
    (0.01, 0.001)
    """
    above, below = units_called(numerator), units_called(denominator)
    above, below = ({unit for unit in units if unit_factor(unit) is not None} for units in (above, below))
    if len(above) != 1 or len(below) != 1:
        return frozenset()
    ratio = f"{next(iter(above))}{_PER}{next(iter(below))}"
    return frozenset({ratio}) if unit_factor(ratio) is not None else frozenset()


def _symbol_called(name: str) -> str | None:
    """The unit of a symbol in which letter case counts: `MJ` is a megajoule."""
    if name in _SYMBOLS:
        return _SYMBOLS[name]
    for length in (1, 2):
        prefix, base = _PREFIXES.get(name[:length]), _PREFIXED.get(name[length:])
        if prefix is not None and base is not None:
            return prefix[0] + base
    return None


@cache  # making it takes a third of a second
def _pint_registry() -> Any:
    """The units of pint; None where the extra `domain` is not installed."""
    try:
        import pint
    except ImportError:
        return None
    return pint.UnitRegistry()


def _wider_units(name: str) -> frozenset[str]:
    """The unit of that name in pint; empty where it knows none."""
    if not re.fullmatch(r"[^\W\d_][\w/*^·° -]{0,30}", name):
        return frozenset()
    return frozenset({_FROM_PINT + name}) if _wider_factor(name) is not None else frozenset()


@cache  # units repeat within a column; the name alone decides the result
def _wider_factor(name: str) -> locale_tables.UnitFactor | None:
    """How a unit of pint converts, in CLDR's dimensions."""
    registry = _pint_registry()
    if registry is None:
        return None
    try:
        base = registry.Quantity(1, name.replace("·", "*")).to_base_units()
    except Exception:  # pint raises what its parser meets: syntax errors, tokens, undefined units
        return None
    powers = {str(unit): int(power) for unit, power in dict(base.unit_items()).items() if power == int(power)}
    return locale_tables.UnitFactor(_dimension_name(powers), float(base.magnitude), 0.0)


@cache  # derived from a table that never changes
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
    minutes_and_seconds = _MINUTES_AND_SECONDS.fullmatch(text)
    if minutes_and_seconds is not None:
        return DurationReading(int(minutes_and_seconds[1]) * 60.0 + int(minutes_and_seconds[2]), None)
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
    if match[4] is not None:
        fraction = float(f"0.{match[5]}") if match[5] else 0.0
        return DurationReading(sign * (first * 3600 + second * 60 + int(match[4]) + fraction), None)
    return DurationReading(sign * (first * 3600.0 + second * 60.0), None, frozenset({sign * (first * 60.0 + second)}))


def _worded_duration(text: str) -> DurationReading | None:
    """`1h 30min`, `two hours and 5 minutes`, `3 godziny`, `an hour and a half`."""
    if " of " in text:
        text = _QUARTERS.sub(lambda part: "0.75 " if part[1][0] in "t3¾" else "0.25 ", fold_name(text))
    text = _FRACTION.sub(_as_decimal, _HYPHENATED.sub(" ", _ELIDED.sub(r"\1 ", text)), count=1)
    text = number_words.read_repeated_number(text)
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
    parts: list[tuple[float, str]] = []
    for piece in _duration_pieces(rest):
        quantity = read_quantity(piece)
        units = quantity.units & _DURATION_UNITS.keys() if quantity is not None else frozenset()
        if quantity is not None and len(units) != 1:
            units = _TIME_ONLY.get(_unit_name(piece), units)
        if quantity is None or len(units) != 1:
            return None
        parts.append((quantity.value, next(iter(units))))
    if not parts:
        return None
    seconds = sum(value * _DURATION_UNITS[unit] for value, unit in parts)
    if half is not None:
        seconds += _DURATION_UNITS[parts[-1][1]] / 2
    return DurationReading(float(seconds), parts[0][1] if len(parts) == 1 else None)


# Names of other units, or of none, that mean a time where a time is read.
_TIME_ONLY: Final = {
    name: frozenset({unit})
    for unit, names in {
        "hour": "u t sa saat", "minute": "m", "second": "с", "day": "j", "year": "an", "fortnight": "fortnight fortnights",
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
    if not starts or text[: starts[0]].strip(" -+"):
        return [text]
    return [text[start:end].strip() for start, end in zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True)]
