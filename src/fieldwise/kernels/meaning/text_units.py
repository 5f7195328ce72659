"""Units of measurement after a number in running text: names, powers (`m²`, `square metres`) and rates (`km/h`, `mg per kg`).

>>> read_unit(["km", "/", "h"], 0), read_unit(["mph"], 0).family == read_unit(["km", "per", "hour"], 0).family
(TextUnit(family='meter/hours', factor=1000.0, length=3, other_measures=()), True)
>>> read_unit(["apples"], 0) is None
True
"""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from fieldwise.kernels import measures
from fieldwise.pattern import compile_on_use

Measure = tuple[str, float]
"""What a unit measures, and the worth of the unit in that."""

_UNIT_NAMES: Final = """minute minutes min mins minuten
second seconds sec secs sekunden secondes segundos secondi
hour hours hr hrs h stunde stunden heure heures hora horas 小时
day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen 天 日
week weeks woche wochen semaine semaines semana semanas settimane weken 周
month months monat monate monaten mois mes meses mese mesi maand maanden 个月
year years yr yrs jahr jahre jahren jahres an ans année années año años anno anni ano anos jaar y 年
percent % pct prozent procent percento 百分
permille ‰ promille
microgram micrograms mcg ug μg
milligram milligrams mg
gram g grams gramm gramme grammes
kilogram kg kilograms kilo kilos
tonne tonnes
pound lb lbs pounds
ounce oz ounces
milliliter ml
centiliter cl
deciliter dl
liter l litre litres liters
gallon gallons gal
nanometer nm
micrometer μm
millimeter mm
centimeter cm
meter m metre metres meters mètre mètres metros metri
kilometer km kilometre kilometres kilometers
inch inches zoll " ″ '' ′′
foot ft feet ' ′
yard yards yd yds
mile miles
hectare hectares hektar ha
acre acres
kilobyte kb
megabyte mb
gigabyte gb
terabyte tb
watt w watts
kilowatt kw
megawatt mw
kilowatt-hour kwh
megawatt-hour mwh
volt v volts
kilovolt kv
hertz hz
kilohertz khz
megahertz mhz
gigahertz ghz
kilojoule kj
kilocalorie kcal
kilopascal kpa
hectopascal hpa
millimole mmol"""
"""Lines of a unit of `measures` and the names that mean it in running text, where most short names mean something else."""
_TIME_UNITS: Final = ("second", "minute", "hour", "day", "week")
_RATE_NAMES: Final = {"mph": ("mile", "hour"), "kph": ("kilometer", "hour"), "kmh": ("kilometer", "hour"), "kmph": ("kilometer", "hour")}
_POWER_NAMES: Final = {
    "sqm": "square-meter", "qm": "square-meter", "quadratmeter": "square-meter", "sqft": "square-foot", "sqkm": "square-kilometer",
    "cbm": "cubic-meter", "kubikmeter": "cubic-meter", "cc": "cubic-centimeter",
}  # fmt: skip
_POWERS_BEFORE: Final = {"square": "square", "sq": "square", "cubic": "cubic", "cu": "cubic"}
_POWERS_BEHIND: Final = {
    **dict.fromkeys(("carré", "carrés", "cuadrado", "cuadrados", "quadrato", "quadrati", "quadri", "quadrado", "quadrados"), "square"),
    **dict.fromkeys(("cube", "cubes", "cúbico", "cúbicos", "cubo", "cubi"), "cubic"),
}
_PER: Final = frozenset(str.split("/ per pro je par por a an"))
_LONG_TIMES: Final = frozenset(str.split("day week month year"))
"""Units of time that a frequency names too (`500 mg daily`): they make no rate."""
_UNRATED_FAMILIES: Final = ("hours", "months", "ratio")
"""What is measured here is no rate per unit of time: `5 hours per minute` is none."""
_AMBIGUOUS: Final = {"'": "minute", "′": "minute", '"': "second", "″": "second"}
"""Marks of feet and inches that are minutes and seconds too."""
_RAISED_UNIT: Final = compile_on_use(r"((?:\d ?|/ ?|\bper ))(mm|cm|km|m|ft|in|yd)(?:\^?([23])|([²³]))(?!\w)")
_RAISED_NAMES: Final = {
    "m": "meter", "mm": "millimeter", "cm": "centimeter", "km": "kilometer", "ft": "foot", "in": "inch", "yd": "yard",
}  # fmt: skip


class TextUnit(NamedTuple):
    """A unit in a text."""

    family: str
    """What is measured: hours, months, ratio, a dimension such as `meter`, or a rate such as `meter/hours`."""
    factor: float
    """The worth of one unit in its family."""
    length: int
    """The number of tokens that name it."""
    other_measures: tuple[Measure, ...] = ()
    """What an ambiguous name may be instead."""


@cache  # derived from tables that never change
def unit_names() -> dict[str, str]:
    """Name in running text → unit."""
    names: dict[str, str] = {}
    for line in _UNIT_NAMES.splitlines():
        unit, *synonyms = line.split()
        names.update(dict.fromkeys((unit, *synonyms), unit))
    del names["second"]  # mostly an ordinal: `5 Second Avenue`
    return names | _POWER_NAMES


@cache  # few units
def _measure_of(unit: str) -> Measure:
    if unit in ("percent", "permille"):
        return "ratio", 0.01 if unit == "percent" else 0.001
    if unit in ("month", "year"):
        return "months", measures.seconds_per(unit) / measures.seconds_per("month")
    if unit in _TIME_UNITS:
        return "hours", measures.seconds_per(unit) / measures.seconds_per("hour")
    factor = measures.unit_factor(unit)
    assert factor is not None
    return factor.dimension, factor.factor


def spell_powers(text: str) -> str:
    """The text, in small letters, with words for the powers of units: digits would be read as numbers.

    >>> spell_powers("20 m2 at 5/m³"), spell_powers("bolt m2")
    ('20 square meter at 5/cubic meter', 'bolt m2')
    """
    if not any(sign in text for sign in "23²³"):
        return text
    return _RAISED_UNIT.sub(
        lambda match: f"{match[1]}{'square' if (match[3] or match[4]) in '2²' else 'cubic'} {_RAISED_NAMES[match[2]]}", text
    )


def is_unit_name(name: str) -> bool:
    """True for a name that means a unit directly behind a number: `500g`, `50mph`."""
    return name in unit_names() or name in _RATE_NAMES


def read_unit(tokens: Sequence[str], position: int) -> TextUnit | None:
    """The unit at a position among the words and signs of a text; None if there is none."""
    name = tokens[position] if position < len(tokens) else ""
    if name in _RATE_NAMES:
        above, below = _RATE_NAMES[name]
        return _make_rate(_measure_of(above), _measure_of(below), 1)
    unit, length = _read_name(tokens, position)
    if not unit:
        return None
    rate = _read_rate(tokens, position, unit, length)
    if rate is not None:
        return rate
    family, factor = _measure_of(unit)
    other_measures = (_measure_of(_AMBIGUOUS[name]),) if name in _AMBIGUOUS else ()
    return TextUnit(family, factor, length, other_measures)


def read_denominator(tokens: Sequence[str], position: int) -> tuple[str, int]:
    """The unit behind `per` or `/` at a position, unless it is one of time, and the number of tokens; ("", 0) if there is none.

    >>> read_denominator(["/", "kg"], 0), read_denominator(["per", "hour"], 0)
    (('kilogram', 2), ('', 0))
    """
    if position >= len(tokens) or tokens[position] not in _PER:
        return "", 0
    unit, length = _read_name(tokens, position + 1)
    if not unit or unit in _LONG_TIMES or unit in _TIME_UNITS:
        return "", 0
    return unit, length + 1


def _read_name(tokens: Sequence[str], position: int) -> tuple[str, int]:
    """The unit that begins at a position and the number of its tokens; ("", 0) if there is none."""
    name = tokens[position].removesuffix("'s") if position < len(tokens) else ""
    following = tokens[position + 1] if position + 1 < len(tokens) else ""
    if name in _POWERS_BEFORE:
        unit = unit_names().get(following, "")
        raised = _raise_unit(_POWERS_BEFORE[name], unit)
        return (raised, 2) if raised else ("", 0)
    if name in ("per", "por", "pour") and following in ("cent", "ciento"):
        return "percent", 2
    unit = unit_names().get(name, "")
    raised = _raise_unit(_POWERS_BEHIND[following], unit) if unit and following in _POWERS_BEHIND else ""
    return (raised, 2) if raised else (unit, 1 if unit else 0)


def _raise_unit(power: str, unit: str) -> str:
    """The unit of an area or a volume; empty if the unit is none of length."""
    is_length = bool(unit) and _measure_of(unit)[0] == "meter"
    return f"{power}-{unit}" if is_length else ""


def _read_rate(tokens: Sequence[str], position: int, unit: str, length: int) -> TextUnit | None:
    """The rate of a unit and another one behind `per` or `/`."""
    behind = position + length
    family, factor = _measure_of(unit)
    if behind >= len(tokens) or tokens[behind] not in _PER or family in _UNRATED_FAMILIES:
        return None
    is_per_second = tokens[behind] == "/" and tokens[behind + 1 : behind + 2] == ["s"]
    below, below_length = ("second", 1) if is_per_second else _read_name(tokens, behind + 1)
    if not below or below in _LONG_TIMES:
        return None
    return _make_rate((family, factor), _measure_of(below), length + 1 + below_length)


def _make_rate(above: Measure, below: Measure, length: int) -> TextUnit:
    return TextUnit(f"{above[0]}/{below[0]}", above[1] / below[1], length)
