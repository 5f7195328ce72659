"""Quantities in running text: numbers in digits or words, with magnitude and unit; dates, times and codes. They must agree for two
texts to mean the same.

>>> [str(quantity) for quantity in find_quantities("Net loss of $3.2 million within twenty-five days, i.e. 15 %")]
['3.2 million', 'twenty-five days', '15 %']
>>> quantities_agree(find_quantities("two years")[0], find_quantities("24 months")[0])
True
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, lru_cache

from fieldwise.kernels import locale_tables
from fieldwise.kernels.currencies import describe_currencies
from fieldwise.kernels.meaning.quantity_context import find_currency_codes, is_negated, read_currencies, read_limit
from fieldwise.kernels.meaning.text_units import Measure, TextUnit, is_unit_name, read_denominator, read_unit, spell_powers
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
_LONE_MAGNITUDES = {
    **dict.fromkeys(("thousand", "thousands", "tausend", "tsd", "milliers", "miles"), 1e3),
    **dict.fromkeys(("million", "millions", "millionen", "mio", "mn", "mln", "millones", "milioni"), 1e6),
    **dict.fromkeys(("billion", "billions", "bn", "milliarden", "mrd", "milliards", "miliardi"), 1e9),
    **dict.fromkeys(("trillion", "trillions"), 1e12),
}
"""Magnitudes as they are written without a number; `Billion` is the English one."""
_BEFORE_LONE_MAGNITUDES = frozenset(str.split("in of eur usd gbp chf us euro euros dollars the en es de figures by per"))
_ORDINALS = {word: float(value) for word, value in ORDINALS.items()}
_FRACTIONS = {"third": 3.0, "thirds": 3.0, "quarters": 4.0, "fifth": 5.0, "fifths": 5.0, "tenth": 10.0, "tenths": 10.0}

_UNIT_QUALIFIERS = frozenset(str.split("business working calendar consecutive full equal more additional further"))
"""Words that may be between a number and its unit."""


@lru_cache(maxsize=1 << 10)  # few words stand in the place of a month
def _month_called(name: str) -> int | None:
    month = read_month_name(name, DateReading())
    return month if isinstance(month, int) else None


_NUMBER = r"\d{1,3}(?:[\u0020\u00a0\u202f]\d{3})+(?!\d)|\d{1,3}(?:['’]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*"
_HOURS_IN_MONTH = 730.5
_MIN_MONTH_LENGTH = 3
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_ORDINAL_ENDINGS = ("st", "nd", "rd", "th")
_TOKEN = re.compile(
    rf"(?P<number>(?:(?<![\w)])(?<!\d\s)[-−–])?(?<![^\W\d_])(?:{_NUMBER})|\d+(?:[.,]\d+)*)|(?P<word>[a-zß-öø-ÿœąćęłńóśźżμ]+(?:'[a-z]+)?)"
    r"|(?P<sign>[%‰/天日周年万亿]|个月|小时|(?<=\d)(?:''|′′|[\"″]|['′](?!\w)))"
)
"""A hyphen is a minus sign unless a letter, a digit or a parenthesis is before it: `10-20` and `10 -20` are ranges."""
_CODE = re.compile(r"(?<![a-z\d])(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]+(?![a-z\d])")
_NUMBER_WITH_SUFFIX = re.compile(r"\d+([a-z]+)")
_CLOCK = re.compile(r"(?<![\d:])(\d{1,2})(?::(\d{2}))?\s?(a\.?m\.?|p\.?m\.?)(?!\w)|(?<![\d:])(\d{1,2}):(\d{2})(?!\d)")
_POINTED_DATE = re.compile(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d|\.\d)")
_PARTS = re.compile(r"(?<![\d.])\d+(?:\.\d+){2,}(?!\d)")
_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+")
_IP_ADDRESS = re.compile(r"(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}")
_MIN_GROUPED_CODE = 7
"""Digits from which points may group a number of a person or a telephone, which is the same without them."""
_JOINERS = re.compile(r"\s*(?:[-–−/,&+]|to|and|or|bis|und|oder|à|et|ou|a|y|o|e|t/m|tot|en)?\s*[$€£¥]?\s*")
"""What is between numbers that share the unit of the last one: `5-10 %`, `5, 10 or 15 %`."""
_PERCENT_WORD = re.compile(
    r"%|\b(?:percent|per cent|percentage|prozent|prozentsatz|pourcentage|porcentaje|percentuale|pct)\b|\b\d+/\d+,? n(?:et)?\b"
)
"""A name of percent; `2/10 net 30` names it too, in terms of payment."""
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
    other_measures: tuple[Measure, ...] = ()
    """What an ambiguous unit may be instead."""
    currencies: frozenset[str] = frozenset()
    """Codes of the currencies that an amount may be in."""
    limit: str = ""
    """`upper` for a limit such as `up to 5`, `lower` for one such as `from 5`."""
    may_be_percent: bool = False
    """True for a number without unit in a text that names percent elsewhere: `Discount in %: 5`."""

    def __str__(self) -> str:
        return self.text

    def describe(self) -> str:
        """The text with what the digits do not show: sign, currency and limit."""
        is_negative = bool(self.readings) and self.readings[0] < 0 and self.text[0].isdigit()
        currency = f" {describe_currencies(self.currencies)}" if self.currencies else ""
        limit = _SPELLED_LIMITS[self.limit] if self.limit else ""
        return f"{limit}{'-' if is_negative else ''}{self.text}{currency}"


_POUNDS_FAMILY = "kilogram"
"""What pounds measure where they are no money."""
_SPELLED_LIMITS = {"upper": "at most ", "lower": "at least "}


def have_opposite_limits(expected: TextQuantity, actual: TextQuantity) -> bool:
    """True if one quantity is an upper and the other a lower limit.

    >>> have_opposite_limits(find_quantities("up to 5 years")[0], find_quantities("over 5 years")[0])
    True
    """
    return {expected.limit, actual.limit} == {"upper", "lower"}


def quantities_agree(expected: TextQuantity, actual: TextQuantity) -> bool:
    """Return whether two quantities are equal; a number without unit agrees with the same number of any unit but percent."""
    if expected.currencies or actual.currencies:
        return _amounts_agree(expected, actual)
    return _values_agree(expected, actual) or any(_values_agree(left, right) for left, right in _other_readings(expected, actual))


def _amounts_agree(expected: TextQuantity, actual: TextQuantity) -> bool:
    """Compare two quantities of which at least one is an amount of money."""
    both_named = bool(expected.currencies and actual.currencies)
    if both_named and expected.currencies.isdisjoint(actual.currencies):
        return False
    may_be_pounds = {expected.family, actual.family} <= {"", _POUNDS_FAMILY}
    same_rate = both_named and expected.family == actual.family
    return (may_be_pounds or same_rate) and _readings_agree(expected, actual, 1.0, 1.0, 1e-9)


def _other_readings(expected: TextQuantity, actual: TextQuantity) -> list[tuple[TextQuantity, TextQuantity]]:
    """The pairs with another meaning of an ambiguous unit on one side."""
    pairs = [(replace(expected, family=family, factor=factor), actual) for family, factor in expected.other_measures]
    return pairs + [(expected, replace(actual, family=family, factor=factor)) for family, factor in actual.other_measures]


def _values_agree(expected: TextQuantity, actual: TextQuantity) -> bool:
    families = {expected.family, actual.family}
    if "code" in families:
        return expected.family == actual.family and expected.text == actual.text
    if families == {"parts"}:
        return expected.text == actual.text
    if expected.family == actual.family:
        return _readings_agree(expected, actual, expected.factor, actual.factor, 0.015 if expected.family == "ratio" else 1e-9)
    if families == {"hours", "months"}:  # 30 days are a month
        return _readings_agree(expected, actual, _hours_in_unit(expected), _hours_in_unit(actual), 0.02)
    if families == {"", "ratio"} and not (expected.may_be_percent or actual.may_be_percent):  # 5 % is 0.05 and not 5
        return _readings_agree(expected, actual, expected.factor, actual.factor, 1e-9)
    if "" in families or "ordinal" in families or "parts" in families:
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
    rest, composed = _take_composed(spell_powers(text.lower()))
    if not rest.isascii():
        rest = _HAN_NUMBER.sub(lambda match: _HAN_DIGITS[match[1]], rest)
    return composed + _find_numbers(rest, find_currency_codes(text))


def find_lone_magnitudes(words: Sequence[str]) -> frozenset[float]:
    """The values of words such as `million` that follow no number.

    >>> find_lone_magnitudes(["revenue", "in", "million"]), find_lone_magnitudes(["two", "million"])
    (frozenset({1000000.0}), frozenset())
    """
    values: set[float] = set()
    for place, word in enumerate(words):
        value = _LONE_MAGNITUDES.get(word)
        if value and (not place or words[place - 1] in _BEFORE_LONE_MAGNITUDES):
            values.add(value)
    return frozenset(values)


def _take_composed(text: str) -> tuple[str, list[TextQuantity]]:
    """Find quantities that consist of several numbers or letters; return the text with spaces in their place, and the quantities."""
    quantities: list[TextQuantity] = []

    def blank_out(match: re.Match[str], quantity: TextQuantity | None) -> str:
        if quantity is None:
            return match[0]
        if quantity.family in ("date", "clock"):
            quantity = replace(quantity, limit=read_limit(match.string[: match.start()], is_date=True))
        quantities.append(quantity)
        return " " * len(match[0])

    text = _QUARTER.sub(lambda match: blank_out(match, _make_quarter(match)), text)
    if not _DIGIT.search(text):
        return text, quantities
    text = _ISO_DATE.sub(lambda match: blank_out(match, _make_date(match[0], match[1], int(match[2]), match[3])), text)
    text = _POINTED_DATE.sub(lambda match: blank_out(match, _make_date(match[0], match[3], int(match[2]), match[1])), text)
    text = _DAY_FIRST_DATE.sub(lambda match: blank_out(match, _make_date(match[0], match[3], _month_called(match[2]), match[1])), text)
    text = _MONTH_FIRST_DATE.sub(lambda match: blank_out(match, _make_date(match[0], match[3], _month_called(match[1]), match[2])), text)
    text = _CLOCK.sub(lambda match: blank_out(match, _make_clock(match)), text)
    text = _PARTS.sub(lambda match: blank_out(match, _make_parts(match[0])), text)
    text = _CODE.sub(lambda match: blank_out(match, None if _is_measure(match[0]) else TextQuantity(match[0], (), "code")), text)
    return text, quantities


def _make_parts(text: str) -> TextQuantity | None:
    """A number in several parts, such as a version; None where the points group thousands.

    >>> _make_parts("10.0.0.1").readings, _make_parts("01.23.45.67.89").readings, _make_parts("1.234.567") is None
    ((), (123456789.0,), True)
    """
    if _GROUPED.fullmatch(text):
        return None
    digits = text.replace(".", "")
    may_be_grouped = len(digits) >= _MIN_GROUPED_CODE and not _IP_ADDRESS.fullmatch(text)
    return TextQuantity(text, (float(digits),) if may_be_grouped else (), "parts")


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
    return is_unit_name(suffix) or suffix in _MAGNITUDES or suffix in _ORDINAL_ENDINGS


@dataclass(frozen=True, slots=True)
class _QuantityToken:
    text: str
    readings: tuple[float, ...]
    """The values of a number; empty for a word that is not a number."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _TokenizedText:
    """A text in small letters, split where numbers and units are looked for."""

    text: str
    tokens: Sequence[_QuantityToken]
    words: Sequence[str]
    """The texts of the tokens."""
    currency_codes: frozenset[str]
    """Codes of currencies in it that were written in capitals."""


def _find_numbers(text: str, currency_codes: frozenset[str]) -> list[TextQuantity]:
    tokens = [_make_token(match) for match in _TOKEN.finditer(text)]
    source = _TokenizedText(text, tokens, [token.text for token in tokens], currency_codes)
    quantities: list[TextQuantity] = []
    spans: list[tuple[int, int]] = []
    position = 0
    while position < len(tokens):
        start = position
        quantity, position = _read_quantity(source, position)
        if quantity is not None:
            quantities.append(quantity)
            spans.append((tokens[start].start, tokens[position - 1].end))
    return _spread_percent(text, quantities, spans)


def _spread_percent(text: str, quantities: list[TextQuantity], spans: Sequence[tuple[int, int]]) -> list[TextQuantity]:
    """Give numbers without unit the percent sign of the number that they are in a range or a list with, or of the text."""
    if not quantities or not _PERCENT_WORD.search(text):
        return quantities
    for place in range(len(quantities) - 2, -1, -1):
        quantity, following = quantities[place], quantities[place + 1]
        gap = text[spans[place][1] : spans[place + 1][0]]
        if not quantity.family and following.family == "ratio" and not quantity.currencies and _JOINERS.fullmatch(gap):
            quantities[place] = replace(quantity, family="ratio", factor=following.factor)
    words = [match.span() for match in _PERCENT_WORD.finditer(text)]
    is_apart = any(not any(start <= begin and end <= stop for start, stop in spans) for begin, end in words)
    return [replace(quantity, may_be_percent=True) for quantity in quantities] if is_apart else quantities


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
    sign = -1.0 if digits[0] in "-−–" else 1.0
    digits = re.sub(r"[-−–'’\s]", "", digits)
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


def _read_quantity(source: _TokenizedText, position: int) -> tuple[TextQuantity | None, int]:
    """Return the quantity that begins at a token, or None, and the position of the next token to read."""
    tokens = source.tokens
    token = tokens[position]
    if token.text in _ORDINALS:
        return TextQuantity(token.text, (_ORDINALS[token.text],), "ordinal", weak=token.text in ("first", "second")), position + 1
    if token.text == "half":
        return TextQuantity(token.text, (0.5,), "ratio", weak=True), position + 1
    if not token.readings:
        return None, position + 1
    if token.text in _ARTICLES:
        unit = read_unit(source.words, position + 1)
        before_time_unit = unit is not None and unit.family in ("hours", "months")
        return _add_unit(source, position, position + 1, (1.0,)) if before_time_unit else (None, position + 1)
    readings, end = _read_compound(source.text, tokens, position)
    following = tokens[end].text if end < len(tokens) else ""
    if following in _FRACTIONS and not token.text[0].isdigit():
        return TextQuantity(f"{token.text} {following}", (readings[0] / _FRACTIONS[following],), "ratio"), end + 1
    if following in _ORDINAL_ENDINGS and tokens[end].start == tokens[end - 1].end:
        return TextQuantity(token.text + following, readings, "ordinal"), end + 1
    return _add_unit(source, position, end, readings)


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


def _add_unit(source: _TokenizedText, position: int, end: int, readings: tuple[float, ...]) -> tuple[TextQuantity, int]:
    """Return the quantity of the tokens from `position` to `end` with sign, unit, currency and limit, and the position after it."""
    text, token = source.text, source.tokens[position]
    before, behind = text[: token.start], text[source.tokens[end - 1].end :]
    if token.text[0].isdigit() and is_negated(before, behind):
        readings = tuple(-value for value in readings)
    unit_position = end + 1 if source.words[end : end + 1] and source.words[end] in _UNIT_QUALIFIERS else end
    unit = read_unit(source.words, unit_position)
    currencies = read_currencies(before, behind, source.currency_codes) if _may_be_amount(unit) else frozenset[str]()
    family, factor, other_measures = "", 1.0, ()
    if unit is not None:
        family, factor, other_measures, end = unit.family, unit.factor, unit.other_measures, unit_position + unit.length
    elif currencies:
        below, length = _read_denominator_of_amount(source, end)
        family, end = (f"money/{below}", end + length) if below else ("", end)
    weak = not family and not currencies and readings == (1.0,) and not token.text[0].isdigit()
    shown = " ".join(text[token.start : source.tokens[end - 1].end].split())
    limit = _read_limit(source, position, end, family)
    return TextQuantity(shown, readings, family, factor, weak, other_measures, currencies, limit), end


def _may_be_amount(unit: TextUnit | None) -> bool:
    """True unless a unit is behind the number; pounds are an amount too."""
    return unit is None or (unit.family == _POUNDS_FAMILY and unit.length == 1)


def _read_denominator_of_amount(source: _TokenizedText, position: int) -> tuple[str, int]:
    """The unit of a price such as `15 EUR/m²` and the number of tokens up to it; ("", 0) if there is none."""
    for skipped in (0, 1, 2):  # the words of the currency
        below, length = read_denominator(source.words, position + skipped)
        if below:
            return below, skipped + length
    return "", 0


def _read_limit(source: _TokenizedText, position: int, end: int, family: str) -> str:
    """The limit that the words before a number make of it; a month may be on either side of a day."""
    before = source.text[: source.tokens[position].start]
    words = source.words
    is_date = not family and end < len(words) and _is_month(words[end])
    is_year = not family and _YEAR.fullmatch(words[position]) is not None
    limit = read_limit(before, is_date=is_date or is_year)
    if limit or family or not position or not _is_month(words[position - 1]):
        return limit
    return read_limit(source.text[: source.tokens[position - 1].start], is_date=True)


def _is_month(word: str) -> bool:
    """True for the name of a month of at least three letters: `de` is short for December in one language and a word of five."""
    return len(word) >= _MIN_MONTH_LENGTH and _month_called(word) is not None
