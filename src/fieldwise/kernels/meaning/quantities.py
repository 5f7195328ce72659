"""Numbers in text, written any way, with their units: what has to agree for two texts to mean the same.

>>> [str(quantity) for quantity in quantities("Net loss of $3.2 million within twenty-five days, i.e. 15 %")]
['3.2 million', 'twenty-five days', '15 %']
>>> agree(quantities("two years")[0], quantities("24 months")[0])
True
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

_SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_OTHERS = """2 zwei deux dos dois duas twee dwa twice|3 drei trois tres três drie trzy|4 vier quatre cuatro quattro quatro
5 fünf cinq cinco cinque vijf pięć|6 sechs seis zes|7 sieben siete sette sete zeven|8 acht huit ocho otto oito|9 neun nueve nove negen
10 zehn dix diez dieci dez tien|11 onze|12 zwölf douze doce dodici doze twaalf dozen dutzend|14 vierzehn quatorze catorce
15 fünfzehn quinze quince|20 zwanzig vingt veinte venti vinte twintig|24 vierundzwanzig|30 dreißig trente treinta trenta trinta dertig
60 sechzig soixante sesenta|90 neunzig noventa|1 ein eine einem einen un une uno una um uma een"""
WORDS = (
    {word: float(value) for value, word in enumerate(str.split(_SMALL))}
    | {word: 20.0 + 10 * place for place, word in enumerate(str.split(_TENS))}
    | {word: float(line.split()[0]) for line in re.split(r"[|\n]", _OTHERS) for word in line.split()[1:]}
)
ARTICLES = frozenset(str.split("ein eine einem einen un une uno una um uma een"))
"""Words for one that are mostly articles: they count only before a unit of time."""
_MAGNITUDES = """1e2 hundred hundert cent cien|1e3 thousand k tausend mille mil|1e6 million millions millionen millones mio mn
1e9 billion billions bn milliarden mrd|1e4 万|1e8 亿"""
MAGNITUDES = {word: float(line.split()[0]) for line in re.split(r"[|\n]", _MAGNITUDES) for word in line.split()[1:]}
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
ORDINALS = {word: float(value) for value, word in enumerate(str.split(_ORDINALS), start=1)}
FRACTIONS = {"third": 3.0, "thirds": 3.0, "quarters": 4.0, "fifth": 5.0, "fifths": 5.0, "tenth": 10.0, "tenths": 10.0}

_UNITS = """hours 0.016666666666666666 minute minutes min minuten
hours 1 hour hours hr hrs h stunde stunden heure heures hora horas 小时
hours 24 day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen 天 日
hours 168 week weeks woche wochen semaine semaines semana semanas settimane weken 周
months 1 month months monat monate monaten mois mes meses mese mesi maand maanden 个月
months 12 year years yr yrs jahr jahre jahren jahres an ans année années año años anno anni ano anos jaar y 年
ratio 0.01 % percent pct prozent procent percento 百分
grams 0.001 mg
grams 1 g gram grams gramm
grams 1000 kg kilogram kilograms kilo kilos
pounds 1 lb lbs pound pounds
litres 0.001 ml
litres 0.01 cl
litres 1 l litre litres liter liters
metres 0.001 mm
metres 0.01 cm
metres 1 m metre metres meter meters
metres 1000 km kilometre kilometres kilometers
inches 1 inch inches zoll " ″
inches 12 ft foot feet
bytes 1 mb
bytes 1000 gb
bytes 1000000 tb
watts 1 w watt watts
watts 1000 kw
volts 1 v volt volts"""
UNITS = {unit: (family, float(factor)) for family, factor, *units in map(str.split, _UNITS.splitlines()) for unit in units}
BETWEEN = frozenset(str.split("business working calendar consecutive full equal more additional further"))
"""Words that may stand between a number and its unit."""

_MONTHS = """january januar janvier enero jan|february februar février febrero feb|march märz mars marzo mar
april avril abril apr|may mai mayo|june juni juin junio jun|july juli juillet julio jul|august août agosto aug
september septembre septiembre sept sep|october oktober octobre octubre oct|november novembre noviembre nov
december dezember décembre diciembre dec"""
MONTHS = {word: number for number, line in enumerate(re.split(r"[|\n]", _MONTHS), start=1) for word in line.split()}

_NUMBER = r"\d{1,3}(?:[\u0020\u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,'’]\d+)*"
_TOKEN = re.compile(
    rf"(?P<number>(?<![\w)])[-−]?(?:{_NUMBER})|\d+(?:[.,]\d+)*)|(?P<word>[a-zß-öø-ÿœąćęłńóśźż]+(?:'[a-z]+)?)"
    r"|(?P<sign>[%\"″天日周年万亿]|个月|小时)"
)
_CODE = re.compile(r"(?<![a-z\d])(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]+(?![a-z\d])")
_GLUED = re.compile(r"\d+([a-z]+)")
_CLOCK = re.compile(r"(?<![\d:])(\d{1,2})(?::(\d{2}))?\s?(a\.?m\.?|p\.?m\.?)(?!\w)|(?<![\d:])(\d{1,2}):(\d{2})(?!\d)")
_ISO = re.compile(r"(?<!\d)(\d{4})[-年](\d{1,2})[-月](\d{1,2})日?(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|\.)?\s+(?:de\s+|of\s+)?([^\W\d_]+)\.?,?\s+(?:de\s+)?(\d{4})(?!\d)")
_MONTH_FIRST = re.compile(r"(?<!\w)([^\W\d_]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)")
_QUARTER = re.compile(r"(?<!\w)(first|second|third|fourth)[\s-]quarter|第?([一二三四])季度")
_HAN_NUMBER = re.compile(r"([一二两三四五六七八九十])(?=年|个月|天|日|周|小时|万|亿)")
_HAN_DIGITS = {"一": "1", "二": "2", "两": "2", "三": "3", "四": "4", "五": "5", "六": "6", "七": "7", "八": "8", "九": "9", "十": "10"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as it stands in a text."""

    text: str
    readings: tuple[float, ...]
    """What it may be worth: 1.250 is one and a quarter, or one thousand two hundred and fifty."""
    family: str = ""
    """What it counts, where its unit says so: hours, months, ratio …; `code`, `date`, `clock` and `ordinal` are families too."""
    factor: float = 1.0
    """What one unit is worth in its family."""
    weak: bool = False
    """A word such as `one` that is often no number."""

    def __str__(self) -> str:
        return self.text


def agree(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities say the same; a bare number agrees with the same number of anything."""
    if "code" in (one.family, other.family):
        return one.family == other.family and one.text == other.text
    if one.family == other.family:
        return _near(one, other, one.factor, other.factor, 0.015 if one.family == "ratio" else 1e-9)
    if {one.family, other.family} == {"hours", "months"}:
        hours = 730.5  # in a month, on average: 30 days are a month here
        return _near(one, other, _hours(one, hours), _hours(other, hours), 0.02)
    if "" in (one.family, other.family) or "ordinal" in (one.family, other.family):
        return _near(one, other, 1.0, 1.0, 1e-9)
    return False


def _hours(quantity: Quantity, month: float) -> float:
    return quantity.factor * (month if quantity.family == "months" else 1.0)


def _near(one: Quantity, other: Quantity, factor: float, other_factor: float, slack: float) -> bool:
    pairs = ((a * factor, b * other_factor) for a in one.readings for b in other.readings)
    return any(abs(a - b) <= slack * max(abs(a), abs(b), 1e-12) for a, b in pairs)


def quantities(text: str) -> list[Quantity]:
    """Every number of a text in order: digits or words, with magnitude and unit; dates, times and codes such as Q3 as one each."""
    rest, whole = _wholes(text.lower())
    return whole + _plain(_HAN_NUMBER.sub(lambda found: _HAN_DIGITS[found[1]], rest))


def _wholes(text: str) -> tuple[str, list[Quantity]]:
    """What is one quantity though it has several numbers in it, and the text without it."""
    found: list[Quantity] = []

    def take(match: re.Match[str], quantity: Quantity | None) -> str:
        if quantity is None:
            return match[0]
        found.append(quantity)
        return " " * len(match[0])

    text = _ISO.sub(lambda match: take(match, _date(match[0], match[1], int(match[2]), match[3])), text)
    text = _DAY_FIRST.sub(lambda match: take(match, _date(match[0], match[3], MONTHS.get(match[2]), match[1])), text)
    text = _MONTH_FIRST.sub(lambda match: take(match, _date(match[0], match[3], MONTHS.get(match[1]), match[2])), text)
    text = _CLOCK.sub(lambda match: take(match, _clock(match)), text)
    text = _QUARTER.sub(lambda match: take(match, _quarter(match)), text)
    text = _CODE.sub(lambda match: take(match, None if _is_measure(match[0]) else Quantity(match[0], (), "code")), text)
    return text, found


def _date(text: str, year: str, month: int | None, day: str) -> Quantity | None:
    try:
        return Quantity(text.strip(), (float(date(int(year), month or 0, int(day)).toordinal()),), "date")
    except ValueError:
        return None


def _clock(match: re.Match[str]) -> Quantity:
    hour, minute, half = (match[1], match[2], match[3]) if match[1] else (match[4], match[5], None)
    hours = int(hour) % 12 + (12 if half.startswith("p") else 0) if half else int(hour)
    return Quantity(match[0].strip(), (float(hours * 60 + int(minute or 0)),), "clock")


def _quarter(match: re.Match[str]) -> Quantity:
    number = int(ORDINALS[match[1]]) if match[1] else "一二三四".index(match[2]) + 1
    return Quantity(f"q{number}", (), "code")


def _is_measure(token: str) -> bool:
    """Whether letters after digits are a unit, a magnitude or an ordinal's ending: 500g, 3k, 5th."""
    glued = _GLUED.fullmatch(token)
    return bool(glued) and (glued[1] in UNITS or glued[1] in MAGNITUDES or glued[1] in ("st", "nd", "rd", "th"))  # type: ignore[index]


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    number: tuple[float, ...]
    """Empty for a word that is no number."""
    start: int
    end: int


def _plain(text: str) -> list[Quantity]:
    tokens = [_token(match) for match in _TOKEN.finditer(text)]
    found: list[Quantity] = []
    at = 0
    while at < len(tokens):
        quantity, at = _quantity(text, tokens, at)
        if quantity is not None:
            found.append(quantity)
    return found


def _token(match: re.Match[str]) -> _Token:
    if match["number"]:
        return _Token(match[0], _readings(match["number"]), match.start(), match.end())
    word = WORDS.get(match[0])
    return _Token(match[0], () if word is None else (word,), match.start(), match.end())


def _readings(digits: str) -> tuple[float, ...]:
    """What a number in digits may be worth.

    >>> _readings("1,250.00"), _readings("1.250,00"), _readings("1.250")
    ((1250.0,), (1250.0,), (1.25, 1250.0))
    """
    sign = -1.0 if digits[0] in "-−" else 1.0
    digits = re.sub(r"[-−'’\s]", "", digits)
    marks = [char for char in digits if char in ".,"]
    if not marks:
        return (sign * float(digits),)
    last = marks[-1]
    as_decimal = digits.replace("," if last == "." else ".", "")
    whole = sign * float(digits.replace(".", "").replace(",", ""))
    if marks.count(last) > 1:
        return (whole,)
    decimal = sign * float(as_decimal.replace(",", "."))
    if len(marks) == 1 and len(digits) - digits.index(last) == 4:
        return (decimal, whole) if last == "." else (whole, decimal)
    return (decimal,)


def _quantity(text: str, tokens: Sequence[_Token], at: int) -> tuple[Quantity | None, int]:
    """The quantity that begins at a token, if one does, and where to go on."""
    token = tokens[at]
    if token.text in ORDINALS:
        return Quantity(token.text, (ORDINALS[token.text],), "ordinal", weak=token.text in ("first", "second")), at + 1
    if token.text == "half":
        return Quantity(token.text, (0.5,), "ratio", weak=True), at + 1
    if not token.number:
        return None, at + 1
    if token.text in ARTICLES:
        return (None, at + 1) if _unit(tokens, at + 1)[0] not in ("hours", "months") else _measured(text, tokens, at, at + 1, (1.0,))
    readings, end = _compound(text, tokens, at)
    following = tokens[end].text if end < len(tokens) else ""
    if following in FRACTIONS and not token.text[0].isdigit():
        return Quantity(f"{token.text} {following}", (readings[0] / FRACTIONS[following],), "ratio"), end + 1
    if following in ("st", "nd", "rd", "th") and tokens[end].start == tokens[end - 1].end:
        return Quantity(token.text + following, readings, "ordinal"), end + 1
    return _measured(text, tokens, at, end, readings)


def _compound(text: str, tokens: Sequence[_Token], at: int) -> tuple[tuple[float, ...], int]:
    """The worth of number words in a row and of magnitudes: twenty-five, two hundred and five thousand, 3.2 million."""
    first = tokens[at]
    total, end = first.number, at + 1
    while end < len(tokens):
        token = tokens[end]
        gap = text[tokens[end - 1].end : token.start]
        if gap.strip(" -"):
            break
        if token.text == "and" and tokens[end - 1].text == "hundred" and end + 1 < len(tokens) and tokens[end + 1].number:
            end += 1
            continue
        if token.text in MAGNITUDES:
            total = tuple(value * MAGNITUDES[token.text] for value in total)
        elif token.number and not token.text[0].isdigit() and not first.text[0].isdigit() and total[0] >= 20 and token.number[0] < total[0]:
            total = tuple(value + token.number[0] for value in total)
        else:
            break
        end += 1
    return total, end


def _measured(text: str, tokens: Sequence[_Token], at: int, end: int, readings: tuple[float, ...]) -> tuple[Quantity, int]:
    family, factor, after = _unit(tokens, end)
    token = tokens[at]
    shown = " ".join(text[token.start : tokens[after - 1].end].split())
    return Quantity(shown, readings, family, factor, weak=not family and readings == (1.0,) and not token.text[0].isdigit()), after


def _unit(tokens: Sequence[_Token], at: int) -> tuple[str, float, int]:
    """The family and worth of the unit at a token, and where the text goes on."""
    place = at + 1 if at < len(tokens) and tokens[at].text in BETWEEN else at
    unit = tokens[place].text.removesuffix("'s") if place < len(tokens) else ""
    if unit in ("per", "por", "pour") and place + 1 < len(tokens) and tokens[place + 1].text in ("cent", "ciento"):
        return "ratio", 0.01, place + 2
    if unit not in UNITS:
        return "", 1.0, at
    return (*UNITS[unit], place + 1)
