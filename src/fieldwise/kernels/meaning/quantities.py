"""Quantities in running text: numbers in digits or words, with magnitude and unit; dates, times and codes. They must agree for two
texts to mean the same.

>>> [str(quantity) for quantity in find_quantities("Net loss of $3.2 million within twenty-five days, i.e. 15 %")]
['3.2 million', 'twenty-five days', '15 %']
>>> quantities_agree(find_quantities("two years")[0], find_quantities("24 months")[0])
True
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache

from fieldwise.kernels import locale_tables, measures
from fieldwise.kernels.moments import DateReading, read_month_name
from fieldwise.kernels.number_words import ENGLISH_NUMBERS, ORDINALS, SCALE_WORDS

_FOREIGN_NUMBERS = frozenset(
    str.split("""zwei deux dos dois twee dwa drei trois tres três drie trzy vier quatre cuatro quattro quatro fünf cinq cinco cinque
    vijf pięć sechs seis zes sieben siete sette sete zeven acht huit ocho otto oito neun nueve nove negen zehn dix diez
    dieci dez tien onze zwölf douze doce dodici doze twaalf vierzehn quatorze catorce fünfzehn quinze quince zwanzig vingt
    veinte venti vinte twintig vierundzwanzig dreißig trente treinta trenta trinta dertig sechzig soixante sesenta neunzig
    noventa""")
)
"""Number words of other languages that are no words of English: the table of all languages has `to` and `on`."""
_MORE_NUMBERS = {"duas": 2.0, "twice": 2.0, "dozen": 12.0, "dutzend": 12.0}
_ARTICLES = frozenset(str.split("ein eine einem einen un une uno una um uma een"))
"""Words for one that are mostly articles: they count only before a unit of time."""


@cache  # derived from tables that never change
def _number_words() -> dict[str, float]:
    """Number word in running text → its value."""
    values = locale_tables.number_words()
    foreign = {word: float(values[locale_tables.fold_name(word)]) for word in _FOREIGN_NUMBERS}
    return {word: float(value) for word, value in ENGLISH_NUMBERS.items()} | foreign | _MORE_NUMBERS | dict.fromkeys(_ARTICLES, 1.0)


_SHORT_MAGNITUDES = frozenset(("k", "mil", "mn", "mio", "bn", "mrd", "mln", "bln", "tsd"))
_MAGNITUDES = {
    **dict.fromkeys(("hundred", "hundert", "cent", "cien"), 1e2),
    **{word: 10.0**power for word, power in SCALE_WORDS.items() if (len(word) > 4 or word in _SHORT_MAGNITUDES or word == "lakh")},
    **{"万": 1e4, "亿": 1e8},
}
_ORDINALS = {word: float(value) for word, value in ORDINALS.items()}
_FRACTIONS = {"third": 3.0, "thirds": 3.0, "quarters": 4.0, "fifth": 5.0, "fifths": 5.0, "tenth": 10.0, "tenths": 10.0}

_UNIT_NAMES = """minute minutes min minuten
hour hours hr hrs h stunde stunden heure heures hora horas 小时
day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen 天 日
week weeks woche wochen semaine semaines semana semanas settimane weken 周
month months monat monate monaten mois mes meses mese mesi maand maanden 个月
year years yr yrs jahr jahre jahren jahres an ans année années año años anno anni ano anos jaar y 年
percent % pct prozent procent percento 百分
milligram milligrams mg
gram g grams gramm gramme grammes
kilogram kg kilograms kilo kilos
tonne tonnes
pound lb lbs pounds
ounce oz ounces
milliliter ml
centiliter cl
liter l litre litres liters
millimeter mm
centimeter cm
meter m metre metres meters
kilometer km kilometre kilometres kilometers
inch inches zoll " ″
foot ft feet
mile miles
megabyte mb
gigabyte gb
terabyte tb
watt w watts
kilowatt kw
volt v volts"""
"""Lines of a unit of `measures` and the names that mean it in running text, where most short names mean something else."""


@cache  # derived from tables that never change
def _units() -> dict[str, tuple[str, float]]:
    """Name → what it measures and the worth of the unit in that."""
    units: dict[str, tuple[str, float]] = {}
    for line in _UNIT_NAMES.splitlines():
        unit, *names = line.split()
        units.update(dict.fromkeys((unit, *names), _measure_of(unit)))
    return units


def _measure_of(unit: str) -> tuple[str, float]:
    if unit == "percent":
        return "ratio", 0.01
    if unit in ("month", "year"):
        return "months", measures.seconds_per(unit) / measures.seconds_per("month")
    if unit in ("minute", "hour", "day", "week"):
        return "hours", measures.seconds_per(unit) / measures.seconds_per("hour")
    factor = measures.unit_factor(unit)
    assert factor is not None
    return factor.dimension, factor.factor


_UNIT_QUALIFIERS = frozenset(str.split("business working calendar consecutive full equal more additional further"))
"""Words that may be between a number and its unit."""


@lru_cache(maxsize=1 << 10)  # few words stand in the place of a month
def _month_called(name: str) -> int | None:
    month = read_month_name(name, DateReading())
    return month if isinstance(month, int) else None


_NUMBER = r"\d{1,3}(?:[\u0020\u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,'’]\d+)*"
_HOURS_IN_MONTH = 730.5
_ORDINAL_ENDINGS = ("st", "nd", "rd", "th")
_TOKEN = re.compile(
    rf"(?P<number>(?<![\w)])[-−]?(?:{_NUMBER})|\d+(?:[.,]\d+)*)|(?P<word>[a-zß-öø-ÿœąćęłńóśźż]+(?:'[a-z]+)?)"
    r"|(?P<sign>[%\"″天日周年万亿]|个月|小时)"
)
_CODE = re.compile(r"(?<![a-z\d])(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]+(?![a-z\d])")
_NUMBER_WITH_SUFFIX = re.compile(r"\d+([a-z]+)")
_CLOCK = re.compile(r"(?<![\d:])(\d{1,2})(?::(\d{2}))?\s?(a\.?m\.?|p\.?m\.?)(?!\w)|(?<![\d:])(\d{1,2}):(\d{2})(?!\d)")
_ISO_DATE = re.compile(r"(?<!\d)(\d{4})[-年](\d{1,2})[-月](\d{1,2})日?(?!\d)")
_DAY_FIRST_DATE = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|\.)?\s+(?:de\s+|of\s+)?([^\W\d_]+)\.?,?\s+(?:de\s+)?(\d{4})(?!\d)")
_MONTH_FIRST_DATE = re.compile(r"(?<!\w)([^\W\d_]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)")
_QUARTER = re.compile(r"(?<!\w)(first|second|third|fourth)[\s-]quarter|第?([一二三四])季度")
_HAN_NUMBER = re.compile(r"([一二两三四五六七八九十])(?=年|个月|天|日|周|小时|万|亿)")
_HAN_DIGITS = {"一": "1", "二": "2", "两": "2", "三": "3", "四": "4", "五": "5", "六": "6", "七": "7", "八": "8", "九": "9", "十": "10"}


@dataclass(frozen=True, slots=True)
class TextQuantity:
    """A quantity in a text."""

    text: str
    readings: tuple[float, ...]
    """The values that the number may have: 1.250 is one and a quarter, or one thousand two hundred and fifty."""
    family: str = ""
    """What is measured, if there is a unit: hours, months, ratio …; `code`, `date`, `clock` and `ordinal` are families too."""
    factor: float = 1.0
    """The value of one unit in its family."""
    weak: bool = False
    """True for a word such as `one` that is often not a number."""

    def __str__(self) -> str:
        return self.text


def quantities_agree(expected: TextQuantity, actual: TextQuantity) -> bool:
    """Return whether two quantities are equal; a number without unit agrees with the same number of any unit."""
    families = {expected.family, actual.family}
    if "code" in families:
        return expected.family == actual.family and expected.text == actual.text
    if expected.family == actual.family:
        return _readings_agree(expected, actual, expected.factor, actual.factor, 0.015 if expected.family == "ratio" else 1e-9)
    if families == {"hours", "months"}:  # 30 days are a month
        return _readings_agree(expected, actual, _hours_in_unit(expected), _hours_in_unit(actual), 0.02)
    if "" in families or "ordinal" in families:
        return _readings_agree(expected, actual, 1.0, 1.0, 1e-9)
    return False


def _hours_in_unit(quantity: TextQuantity) -> float:
    return quantity.factor * (_HOURS_IN_MONTH if quantity.family == "months" else 1.0)


def _readings_agree(expected: TextQuantity, actual: TextQuantity, expected_factor: float, actual_factor: float, tolerance: float) -> bool:
    for expected_reading in expected.readings:
        for actual_reading in actual.readings:
            left, right = expected_reading * expected_factor, actual_reading * actual_factor
            if abs(left - right) <= tolerance * max(abs(left), abs(right), 1e-12):
                return True
    return False


def find_quantities(text: str) -> list[TextQuantity]:
    """Find every quantity of a text: dates, times and codes such as Q3 first, then numbers in digits or words."""
    rest, composed = _take_composed(text.lower())
    return composed + _find_numbers(_HAN_NUMBER.sub(lambda match: _HAN_DIGITS[match[1]], rest))


def _take_composed(text: str) -> tuple[str, list[TextQuantity]]:
    """Find quantities that consist of several numbers or letters; return the text with spaces in their place, and the quantities."""
    quantities: list[TextQuantity] = []

    def blank_out(match: re.Match[str], quantity: TextQuantity | None) -> str:
        if quantity is None:
            return match[0]
        quantities.append(quantity)
        return " " * len(match[0])

    text = _ISO_DATE.sub(lambda match: blank_out(match, _make_date(match[0], match[1], int(match[2]), match[3])), text)
    text = _DAY_FIRST_DATE.sub(lambda match: blank_out(match, _make_date(match[0], match[3], _month_called(match[2]), match[1])), text)
    text = _MONTH_FIRST_DATE.sub(lambda match: blank_out(match, _make_date(match[0], match[3], _month_called(match[1]), match[2])), text)
    text = _CLOCK.sub(lambda match: blank_out(match, _make_clock(match)), text)
    text = _QUARTER.sub(lambda match: blank_out(match, _make_quarter(match)), text)
    text = _CODE.sub(lambda match: blank_out(match, None if _is_measure(match[0]) else TextQuantity(match[0], (), "code")), text)
    return text, quantities


def _make_date(text: str, year: str, month: int | None, day: str) -> TextQuantity | None:
    try:
        return TextQuantity(text.strip(), (float(date(int(year), month or 0, int(day)).toordinal()),), "date")
    except ValueError:
        return None


def _make_clock(match: re.Match[str]) -> TextQuantity:
    if match[1]:
        is_afternoon = match[3].startswith("p")
        hours, minutes = int(match[1]) % 12 + (12 if is_afternoon else 0), int(match[2] or 0)
    else:
        hours, minutes = int(match[4]), int(match[5])
    return TextQuantity(match[0].strip(), (float(hours * 60 + minutes),), "clock")


def _make_quarter(match: re.Match[str]) -> TextQuantity:
    number = int(_ORDINALS[match[1]]) if match[1] else "一二三四".index(match[2]) + 1
    return TextQuantity(f"q{number}", (), "code")


def _is_measure(token: str) -> bool:
    """Return whether letters after digits are a unit, a magnitude or the ending of an ordinal: 500g, 3k, 5th."""
    match = _NUMBER_WITH_SUFFIX.fullmatch(token)
    if match is None:
        return False
    suffix = match[1]
    return suffix in _units() or suffix in _MAGNITUDES or suffix in _ORDINAL_ENDINGS


@dataclass(frozen=True, slots=True)
class _QuantityToken:
    text: str
    readings: tuple[float, ...]
    """The values of a number; empty for a word that is not a number."""
    start: int
    end: int


def _find_numbers(text: str) -> list[TextQuantity]:
    tokens = [_make_token(match) for match in _TOKEN.finditer(text)]
    quantities: list[TextQuantity] = []
    position = 0
    while position < len(tokens):
        quantity, position = _read_quantity(text, tokens, position)
        if quantity is not None:
            quantities.append(quantity)
    return quantities


def _make_token(match: re.Match[str]) -> _QuantityToken:
    if match["number"]:
        return _QuantityToken(match[0], _parse_readings(match["number"]), match.start(), match.end())
    value = _number_words().get(match[0])
    return _QuantityToken(match[0], () if value is None else (value,), match.start(), match.end())


def _parse_readings(digits: str) -> tuple[float, ...]:
    """Return the values that a number in digits may have, the likeliest first.

    >>> _parse_readings("1,250.00"), _parse_readings("1.250,00"), _parse_readings("1.250")
    ((1250.0,), (1250.0,), (1.25, 1250.0))
    """
    sign = -1.0 if digits[0] in "-−" else 1.0
    digits = re.sub(r"[-−'’\s]", "", digits)
    marks = [char for char in digits if char in ".,"]
    if not marks:
        return (sign * float(digits),)
    last_mark = marks[-1]
    whole = sign * float(digits.replace(".", "").replace(",", ""))
    if marks.count(last_mark) > 1:
        return (whole,)
    without_groups = digits.replace("," if last_mark == "." else ".", "")
    with_decimals = sign * float(without_groups.replace(",", "."))
    three_digits_follow = len(digits) - digits.index(last_mark) == 4
    if len(marks) == 1 and three_digits_follow:
        return (with_decimals, whole) if last_mark == "." else (whole, with_decimals)
    return (with_decimals,)


def _read_quantity(text: str, tokens: Sequence[_QuantityToken], position: int) -> tuple[TextQuantity | None, int]:
    """Return the quantity that begins at a token, or None, and the position of the next token to read."""
    token = tokens[position]
    if token.text in _ORDINALS:
        return TextQuantity(token.text, (_ORDINALS[token.text],), "ordinal", weak=token.text in ("first", "second")), position + 1
    if token.text == "half":
        return TextQuantity(token.text, (0.5,), "ratio", weak=True), position + 1
    if not token.readings:
        return None, position + 1
    if token.text in _ARTICLES:
        before_time_unit = _read_unit(tokens, position + 1)[0] in ("hours", "months")
        return _add_unit(text, tokens, position, position + 1, (1.0,)) if before_time_unit else (None, position + 1)
    readings, end = _read_compound(text, tokens, position)
    following = tokens[end].text if end < len(tokens) else ""
    if following in _FRACTIONS and not token.text[0].isdigit():
        return TextQuantity(f"{token.text} {following}", (readings[0] / _FRACTIONS[following],), "ratio"), end + 1
    if following in _ORDINAL_ENDINGS and tokens[end].start == tokens[end - 1].end:
        return TextQuantity(token.text + following, readings, "ordinal"), end + 1
    return _add_unit(text, tokens, position, end, readings)


def _read_compound(text: str, tokens: Sequence[_QuantityToken], position: int) -> tuple[tuple[float, ...], int]:
    """Return the value of consecutive number words and magnitudes: twenty-five, two hundred and five thousand, 3.2 million."""
    first = tokens[position]
    readings, end = first.readings, position + 1
    while end < len(tokens):
        token = tokens[end]
        gap = text[tokens[end - 1].end : token.start]
        if gap.strip(" -"):
            break
        if token.text == "and" and tokens[end - 1].text == "hundred" and end + 1 < len(tokens) and tokens[end + 1].readings:
            end += 1
            continue
        both_words = not token.text[0].isdigit() and not first.text[0].isdigit()
        if token.text in _MAGNITUDES:
            readings = tuple(value * _MAGNITUDES[token.text] for value in readings)
        elif token.readings and both_words and readings[0] >= 20 and token.readings[0] < readings[0]:
            readings = tuple(value + token.readings[0] for value in readings)
        else:
            break
        end += 1
    return readings, end


def _add_unit(
    text: str, tokens: Sequence[_QuantityToken], position: int, end: int, readings: tuple[float, ...]
) -> tuple[TextQuantity, int]:
    """Return the quantity of the tokens from `position` to `end` with the unit after them, and the position after that."""
    family, factor, end = _read_unit(tokens, end)
    token = tokens[position]
    shown = " ".join(text[token.start : tokens[end - 1].end].split())
    weak = not family and readings == (1.0,) and not token.text[0].isdigit()
    return TextQuantity(shown, readings, family, factor, weak=weak), end


def _read_unit(tokens: Sequence[_QuantityToken], position: int) -> tuple[str, float, int]:
    """Return family and factor of the unit at a token, and the position after it; ("", 1.0, position) if there is no unit."""
    unit_position = position
    if position < len(tokens) and tokens[position].text in _UNIT_QUALIFIERS:
        unit_position += 1
    if unit_position >= len(tokens):
        return "", 1.0, position
    unit = tokens[unit_position].text.removesuffix("'s")
    following = tokens[unit_position + 1].text if unit_position + 1 < len(tokens) else ""
    if unit in ("per", "por", "pour") and following in ("cent", "ciento"):
        return "ratio", 0.01, unit_position + 2
    if unit not in _units():
        return "", 1.0, position
    family, factor = _units()[unit]
    return family, factor, unit_position + 1
