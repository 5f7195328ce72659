"""Read numbers as people write them: with currencies, percent signs, units, grouping, other digits and scale words.

A text is read as a whole or not at all: every character must be part of the number or of what it names. `Total: 5` is not a number.

>>> read_figure("RM7.42")[:2], read_figure("7.42 kg").units
((7.42, frozenset({'MYR'})), frozenset({'kilogram'}))
>>> [read_figure(text).value for text in ("(3.20)", "1.234,50 €", "5,-", "$1.2M", "1,23,456.78", "12.50 CR", "٣٫٥", "twenty dollars")]
[-3.2, 1234.5, 5, 1200000, 123456.78, -12.5, 3.5, 20]
"""

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from fieldwise.kernels import number_words
from fieldwise.kernels.amount_names import BEFORE_NUMBERS, NumberNames, read_names, take_scale_beside
from fieldwise.kernels.amounts_in_words import read_amount_in_words
from fieldwise.kernels.currencies import (
    NO_CODES,
    SECOND_UNITS,
    SUBUNITS,
    expand_codes,
    has_minor_unit,
    lookup_currencies,
    symbol_key,
)
from fieldwise.kernels.locale_tables import fold_name
from fieldwise.kernels.numerals import (
    CJK_DIGITS,
    MAX_FLOAT_DIGITS,
    NUMERAL,
    DecimalMark,
    LongDecimal,
    has_numeral,
    normalize_characters,
    read_long_decimal,
    read_numeral,
    simplify_decimal,
    split_numeral,
)
from fieldwise.kernels.units import units_called
from fieldwise.pattern import compile_on_use


class Figure(NamedTuple):
    """A number with what its text names beside it."""

    value: int | float
    currencies: frozenset[str] = NO_CODES
    """Codes of the currencies it may mean; empty where none is named."""
    percent: bool = False
    units: frozenset[str] = NO_CODES
    """CLDR units it may mean; empty where none is named."""
    undecided: str = ""
    """The separator, where one with three digits behind it could group or be decimal; the convention decided it."""
    tax: str = ""
    """`net` or `gross` where the text says that tax is left out or included: `15 € HT`, `£5 inc VAT`."""
    unit_currencies: frozenset[str] = NO_CODES
    """Currencies that its unit may be instead, where amounts are read: `12,50 L` are litres or lei."""
    per: tuple[frozenset[str], ...] = ()
    """What a rate is for each one of, with the meanings of each name: `$5 per user per month`. Only `read_rate` gives it."""

    def as_share(self) -> "Figure":
        """A percentage or a value per mille as a share, in decimal arithmetic: 12.3 % is 0.123. Other figures as they are."""
        if self.units == _PERMILLE:
            return self._replace(value=self._scaled(-3), percent=True, units=NO_CODES)
        return self._replace(value=self._scaled(-2)) if self.percent else self

    def as_amount(self) -> "Figure":
        """The same with a unit that may be a currency read as one."""
        return self._replace(currencies=self.unit_currencies, units=NO_CODES) if self.unit_currencies else self

    def _scaled(self, power: int) -> int | float:
        value = self.value.exact if isinstance(self.value, LongDecimal) else Decimal(str(self.value))
        return simplify_decimal(value.scaleb(power))


_PERMILLE: Final = frozenset({"permille"})
_POWER_UNIT: Final = compile_on_use(r"(\d|\d[\d.,' ]*\d) ?((?:[kcdmh]?m|ft|in|yd|км|см|мм|м)[23])$", re.IGNORECASE)
"""A number with a unit of area or volume: `5 m2`."""
_MINUS_WORD: Final = compile_on_use(
    r"(?:minus|negative|moins|menos|meno|минус|мінус|eksi|マイナス|负|負)(?: |(?<=[スー负負]))", re.IGNORECASE
)
_ONLY: Final = compile_on_use(r"(?<=[\w.)=-]) only\.?$", re.IGNORECASE)
"""What closes an amount on a cheque: `Rupees five hundred only`."""
_PLAIN: Final = compile_on_use(r"-?(?:\d{1,15}(?:\.\d{1,2}|\.\d{4,15})|\d{1,4300})", re.ASCII)
"""What programs write; 4,300 digits are Python's own limit."""
_USUAL_COMMA: Final = compile_on_use(r"(-?)([$€£]?) ?(\d{1,3}(?:\.\d{3})+|\d{1,15}),(\d{1,2}|\d{4,15})(?: ?([€£$]))?", re.ASCII)
"""The same with a decimal comma."""
_USUAL: Final = compile_on_use(r"(-?)([$€£]?) ?(\d{1,3}(?:,\d{3})+|\d{1,15})\.(\d{1,2}|\d{4,15})", re.ASCII)
"""The most frequent spelling of amounts, which has one meaning: 4 times as fast as the general reader."""
_CODED: Final = compile_on_use(
    r"(?:(?P<before>[A-Z]{3}) ?|(?P<sign>-))?(?P<whole>\d{1,15}|\d{1,3}(?:,\d{3})+(?=\.))"
    r"(?:\.(?P<decimals>\d{1,2}|\d{4,15}))?(?: ?(?P<after>[A-Z]{3}|%))?",
    re.ASCII,
)
"""The same with the code of a currency or a percent sign."""
_EXPONENT: Final = compile_on_use(r"(?<=[\d.])e([-+]?\d{1,3})(?![\d.,])", re.IGNORECASE)
_MAX_EXPONENT: Final = 308
"""Of the largest float."""
_NO_NUMBER: Final = compile_on_use(r"\d\s*[²³¹⁰⁴-⁹₀-₉]|\d\s\s+\d|\+\s*-|-\s*\+")
"""Powers, columns and double signs: `10²`, `1  234`, `+-5`."""
_IN_PARENTHESES: Final = compile_on_use(r"([^()\d]*)\(([^()]*)\)([^()\d]*)")
_DIGIT: Final = compile_on_use(r"[0-9]")
_CJK_GAP: Final = compile_on_use(
    r"(?<=[万萬만億亿억兆조千천]) (?=[\d一二三四五六七八九])|(?<=\d) (?=[万萬만億亿억兆조](?:[元円圆圓원엔]|ドル|ユーロ|달러|유로|$))"
)
_CHINESE_SMALL_UNITS: Final = compile_on_use(
    rf"(?P<whole>.*[元圆圓块])(?:零)?(?:(?P<tenths>[0-9{CJK_DIGITS}])[角毛])?(?:零)?(?:(?P<cents>[0-9{CJK_DIGITS}])分)?[整正]?"
)
"""`壹仟元伍角整`."""
_JAPANESE_RECEIPT: Final = compile_on_use(r"金 ?(?=[\d¥])|(?<=円) ?[也ー-]$")
"""The marks around the amount of a receipt: `金50,000円也`."""
_KOREAN_NUMERAL: Final = compile_on_use(r"(?:일?금 ?)?(?=[^원]*[십백천만억조])([영공일이삼사오육칠팔구십백천만억조]+) ?원정?")
_KOREAN_DIGITS: Final = str.maketrans("영공일이삼사오육칠팔구십", "〇〇一二三四五六七八九十")
"""Amounts of contracts in Korean: `금 오백만원정`."""
_HUNDREDTHS: Final = compile_on_use(r"(.*[^\W\d_]) (?:and|&) (\d\d|no|xx)/100( [^\W\d_].*)?", re.IGNORECASE)
"""The cents of a cheque: `five hundred and 00/100 dollars`."""
_YEN_END: Final = compile_on_use(r"(¥ ?[\d,]+)-")
"""A hyphen closes amounts in yen: `¥98,760-`."""
_NO_DECIMALS: Final = compile_on_use(r"(?<=\d)(?:[.,] ?[-–—=]{1,2}|/[-=]|:-)(?![\d])")


_DASHES_FOR_ZERO: Final = compile_on_use(r"(?<![\w-])--(?=[.,]\d\d(?!\d))")
"""Two dashes before the decimals, as Swiss prices have them: `--.50`."""
_CRORES_AND_LAKHS: Final = compile_on_use(
    r"(?P<before>\D*?)(?P<crores>\d{1,6}) (?:crores?|cr\.?) (?:and )?(?P<lakhs>\d{1,2}) (?:lakhs?|lacs?)(?P<after>(?: \D*)?)", re.IGNORECASE
)
"""An amount in both scales of India: `1 crore 20 lakh`."""
_IN_WORD: Final = compile_on_use(r"[^\W\d_]-[^\W\d_]")
_HYPHENATED: Final = compile_on_use(r"\d-\d", re.ASCII)
_ONE_RUN_OF_DIGITS: Final = compile_on_use(r"[^0-9]*[0-9]+[^0-9]*")
_NOT_IN_CODES: Final = frozenset("eE^/")
"""Marks of exponents, powers of ten and cents as a fraction: a text with none of them and a hyphen between digits is no figure."""
_POWER_OF_TEN: Final = compile_on_use(r"(?<=\d) ?[×xX*·] ?10(?:\^\(?([-+−]?\d{1,3})\)?|([⁺⁻]?[⁰¹²³⁴-⁹]{1,3}))$")
_SUPERSCRIPTS: Final = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_SPLIT_DECIMALS: Final = compile_on_use(r"((?:[^\W\d_]|[$€£¥.])*? ?\d[\d.,']*)(?: ?([.,]) | ([.,]))(\d\d(?:\D.*)?)")
"""A space beside the decimal mark, as printers and scanners leave it: `$119. 95`, `33 .90`."""
_BRACKETED_NAME: Final = compile_on_use(r"(?<=\d) ?[(\[<{]([^\W\d_]{1,10}|[$€£¥%°][^\W\d_]?|[^\W\d_]{1,4}/[^\W\d_]{1,4})[)\]>}]$")
"""A name in brackets behind its number, as the columns of tables have it: `20 (kg)`, `500 [USD]`."""
_FOOTNOTE: Final = compile_on_use(r"(?<=[\w%)€£¥$]) ?[*†‡]{1,3}$")
_TWO_UNITS: Final = compile_on_use(
    r"(?P<whole>\d[\d.,' ]*|\d) ?(?P<name>:|[^\W\d_]{1,12}\.?|[$€£¥₺₹₽₴])(?: (?:and|et|und|y|e|i|и|och|og|en))?と? ?(?P<minor>\d\d?)"
    r"(?: ?(?P<minor_name>[^\W\d_]{1,12}\.?))?"
)
"""An amount in two units or with its currency as the decimal mark: `12 zł 30 gr`, `12€50`, `12:50 kr`."""
_SYMBOL_FIRST: Final = compile_on_use(r"([$€£¥₺₹₽₴]) ?(\d[\d.,' ]*|\d) (?:(?:and|et|und|y|e|i|и|&) )?(\d\d? ?[^\W\d_]{1,12}\.?)")
_SIGN_BEHIND_NAME: Final = compile_on_use(r"(.*\d) ?([^\W\d_]{1,4}\.?|[^\w\s.,+-])( ?)([-+])")
"""A sign behind the currency: `5,00 € -`."""
_PLUS_BEHIND: Final = compile_on_use(r"(.*[.,]\d\d) ?\+( ?\D*)")
"""A plus behind the decimals, as accounting programs print it: `5.00+`. `50+` means 50 or more."""
_HAS_DECIMALS: Final = compile_on_use(r".*[.,]\d\d")
_CREDIT_MARK: Final = compile_on_use(r"(?<=[\d .])(CR|Cr|DR|Dr)\.?$|^(CR|DR|Cr|Dr)\.? ?(?=[$€£]? ?[\d.,]*[.,]\d\d$)")
"""Before a number only where that has cents: `CR 1001` numbers a document."""
_COLON_CURRENCIES: Final = frozenset({"SEK", "NOK", "DKK", "ISK"})
_TAX_NAMES = r"vat|tax|taxes|gst|hst|mwst|ust|tva|iva|i\.v\.a|btw|moms|mva|dph|kdv|ндс|пдв|áfa|tax(?:es)? comprises?"
_GROSS: Final = compile_on_use(
    rf"[ (（\[,]*\b(?:(?:incl?|inclusive|including|inkl|incluye|con|c/|z|вкл|с)\.? ?(?:of )?(?:\d+ ?% ?)?(?:{_TAX_NAMES})\.?"
    rf"|(?:{_TAX_NAMES})\.? (?:incl|inclu[a-zé]*|inkl)\.?|ttc|t\.t\.c\.?|gross|brutto)[)）\]]?$|[ (（\[]*(?:税込み?|含税)[)）\]]?$",
    re.IGNORECASE,
)
_NET: Final = compile_on_use(
    rf"[ (（\[,]*(?:\b(?:excl?|exclusive|excluding|exkl|zzgl|plus|before|sin|s/|bez|без|hors)\.? ?(?:of )?(?:\d+ ?% ?)?(?:{_TAX_NAMES})\.?"
    rf"|\+ ?(?:{_TAX_NAMES})\.?|\b(?:{_TAX_NAMES})\.? (?:excl|exclu[a-zé]*|exkl)\.?|\bht|h\.t\.?|\bnett?o?)[)）\]]?$"
    r"|[ (（\[]*(?:税抜き?|税別|不含税)[)）\]]?$",
    re.IGNORECASE,
)


def read_figure(text: str, decimal_mark: DecimalMark | None = None) -> Figure | None:
    """The number a text denotes with the currency, percent sign or unit it names; None if it is no number.

    `decimal_mark` decides `1,234` and `1.234`. Without it a comma groups and a point is decimal, and `undecided` tells so.
    """
    figure = _read_usual_figure(text)
    if figure is not None:
        return figure
    return None if _is_plainly_no_figure(text) else _read_figure(text, decimal_mark)


def _read_usual_figure(text: str) -> Figure | None:
    """The figure of a text in the most frequent spellings: `12.50`, `$1,234.50`, `EUR 100`."""
    if _PLAIN.fullmatch(text):
        return Figure(_to_float(text) if "." in text else int(text))
    usual = _USUAL.fullmatch(text)
    if usual is not None:
        value = _to_float(f"{usual[1]}{usual[3].replace(',', '')}.{usual[4]}")
        return Figure(value, lookup_currencies(usual[2]) or NO_CODES) if usual[2] else Figure(value)
    with_comma = _USUAL_COMMA.fullmatch(text)
    if with_comma is not None:
        sign, before, whole, decimals, after = with_comma.groups()
        whole = whole.replace(".", "")
        value = _to_float(f"{sign}{whole}.{decimals}") if decimals.strip("0") else int(sign + whole)
        if not before or not after:
            return Figure(value, lookup_currencies(before or after) or NO_CODES) if before or after else Figure(value)
    return _read_coded(text)


def _to_float(digits: str) -> float:
    return float(digits) if len(digits) <= MAX_FLOAT_DIGITS else read_long_decimal(digits)


def _read_coded(text: str) -> Figure | None:
    """The figure of a text with the code of a currency or a percent sign: `EUR 1,234.50`, `12.5 %`."""
    coded = _CODED.fullmatch(text)
    if coded is None:
        return None
    named = read_names(coded["before"] or "", coded["after"] or "", ends_in_cr=False)
    if named is None or named.scale != 1:
        return None
    whole, decimals = (coded["sign"] or "") + coded["whole"].replace(",", ""), coded["decimals"] or ""
    number = _to_float(f"{whole}.{decimals}") if decimals.strip("0") else int(whole)
    return Figure(number, named.currencies, named.percent, named.units)


def may_be_figure(text: str) -> bool:
    """False if an ASCII text with a digit and no white space around it is no figure, whatever its digits are."""
    if _ONE_RUN_OF_DIGITS.fullmatch(text):
        return read_figure_once(text) is not None  # what stands around the digits decides
    return not _has_hyphenated_digits(text)


def _has_hyphenated_digits(text: str) -> bool:
    """True for ASCII text with a hyphen between digits that the general reader would refuse: `2024-03-05`."""
    return "-" in text and _HYPHENATED.search(text) is not None and _NOT_IN_CODES.isdisjoint(text) and text.isprintable()


def _is_plainly_no_figure(text: str) -> bool:
    """True for ASCII text that the general reader would refuse: `INV-000123`, `2024-03-05`. 10 times as fast, and most texts are none."""
    if not (text.isascii() and text.isprintable()):
        return False
    if _has_hyphenated_digits(text):
        return True
    numeral = NUMERAL.search(text)
    if numeral is None:
        return not _may_be_worded(text)
    before, after = text[: numeral.start()], text[numeral.end() :]
    if _DIGIT.search(after) and "e" not in after and "E" not in after:
        # a second numeral, and neither a power of ten nor a second unit
        has_second_unit = _has_two_units(text) or _SYMBOL_FIRST.fullmatch(text) is not None or "/100" in text
        if has_second_unit or _SPLIT_DECIMALS.fullmatch(text) is not None or _CRORES_AND_LAKHS.fullmatch(text) is not None:
            return False
        return _POWER_OF_TEN.search(text) is None and _POWER_UNIT.search(text) is None
    return bool(before) and _names_no_currency(before)


def _has_two_units(text: str) -> bool:
    """True if a text may be an amount in two units. A name of letters is a currency only with its small unit behind: not in `89O97`."""
    match = _TWO_UNITS.fullmatch(text)
    return match is not None and (match["minor_name"] is not None or not match["name"][0].isalpha())


def _may_be_worded(text: str) -> bool:
    """True if a text without digits may be an amount in words: it starts with a number, or with a currency or a minus before one."""
    if number_words.starts_with_number_word(text):
        return True
    first, _, rest = text.partition(" ")
    if rest and number_words.starts_with_number_word(rest):
        return _MINUS_WORD.match(text) is not None or lookup_currencies(first) is not None
    second, _, rest = rest.partition(" ")
    return bool(rest) and number_words.starts_with_number_word(rest) and lookup_currencies(f"{first} {second}") is not None


@lru_cache(maxsize=1 << 10)  # the same few names in every value of a column
def _names_no_currency(before: str) -> bool:
    """True if what stands before a numeral, in ASCII, makes it no figure."""
    name = " ".join(before.lstrip("*" if before.startswith("**") else "").replace("-", "").replace("+", "").split()).rstrip(":").strip()
    minus = _MINUS_WORD.match(before)
    if minus is not None:
        name = name[minus.end() :].strip()
    if "(" in before or name in ("", "%") or fold_name(name) in BEFORE_NUMBERS or name.rstrip(".").upper() in ("CR", "DR"):
        return False
    return lookup_currencies(name) is None and not take_scale_beside(name)[0]


@lru_cache(maxsize=1 << 12)  # texts repeat within a column, and the causes of a mismatch read the same two texts again and again
def read_figure_once(text: str) -> Figure | None:
    """`read_figure` of a text with a digit, without the white space around it. Most texts are no figures, so that is tried first."""
    text = text.strip()
    if not any(map(str.isdigit, text)) or _is_plainly_no_figure(text):
        return None
    return _read_usual_figure(text) or _read_figure(text, None)


# Values repeat within a column, and reading one takes 20 to 60 µs: the cache is keyed by all that decides the result.
@lru_cache(maxsize=1 << 16)
def _read_figure(text: str, decimal_mark: DecimalMark | None) -> Figure | None:
    if not text or len(text) > 120:
        return None
    if "10" in text:
        text = _POWER_OF_TEN.sub(_as_exponent, text)
    if _NO_NUMBER.search(text):
        return None
    clean = _CJK_GAP.sub("", _YEN_END.sub(r"\1", normalize_characters(text)))
    if not clean.isascii():
        clean = _JAPANESE_RECEIPT.sub("", clean)
        korean = _KOREAN_NUMERAL.fullmatch(clean)
        if korean is not None:
            clean = f"{korean[1].translate(_KOREAN_DIGITS)}원"
        if clean.startswith("百分之"):
            clean = clean.removeprefix("百分之") + "%"
    clean = _DASHES_FOR_ZERO.sub("0", clean) if "--" in clean else clean
    clean = _take_stars(clean)
    clean = _BRACKETED_NAME.sub(r" \1", _take_final_mark(clean))
    figure = _read_clean(clean, decimal_mark) or _read_split_decimals(clean)
    if figure is not None:
        return figure
    without_only = _ONLY.sub("", clean)
    if without_only != clean:
        figure = _read_clean(without_only, decimal_mark)
        return figure if figure is not None and figure.currencies else None
    rest, tax = _take_tax_note(clean)
    figure = _read_clean(rest, decimal_mark) if tax else None
    return figure._replace(tax=tax) if figure is not None and figure.currencies else None  # `5 kg netto` is a weight


def _take_stars(text: str) -> str:
    """The text without the stars that protect the amount of a cheque (`***5.00***`), and without the mark of a footnote."""
    if text.startswith("**"):
        return text.strip("* ")
    return _FOOTNOTE.sub("", text) if text[-1:] in "*†‡" else text


def _take_final_mark(text: str) -> str:
    """The text without a comma or point behind its last digit, where that ends a sentence: `€ 610,`. `24.12.` may be a day."""
    if text[-1:] not in (".", ",") or not text[-2:-1].isdigit():
        return text
    return text[:-1] if (text[-1] == "." and "," in text) or not text[0].isdigit() else text


def _as_exponent(power: re.Match[str]) -> str:
    """`×10^23` as `e23`."""
    return "e" + (power[1] or power[2].translate(_SUPERSCRIPTS)).replace("−", "-")


def _take_tax_note(text: str) -> tuple[str, str]:
    """The text without a final note on tax, and whether that says `net` or `gross`."""
    if not (text[-1:].isalpha() or text[-1:] in ".)）]") or not any(map(str.isdigit, text)):
        return text, ""
    for tax, pattern in (("gross", _GROSS), ("net", _NET)):
        note = pattern.search(text)
        if note is not None and note.start():
            return text[: note.start()].rstrip(" ,"), tax
    return text, ""


def _read_split_decimals(text: str) -> Figure | None:
    """An amount with a space beside its decimal mark. Without a currency, `10, 20` are two numbers and `1. 25` is an item of a list."""
    match = _SPLIT_DECIMALS.fullmatch(text)
    if match is None:
        return None
    before, mark, after = match[1], match[2] or match[3], match[4]
    figure = _read_clean(f"{before}{mark}{after}", None)
    is_one_number = figure is not None and (bool(figure.currencies) or (mark == "." and len(before) > 1))
    return figure if is_one_number else None


def _read_clean(clean: str, decimal_mark: DecimalMark | None) -> Figure | None:
    no_decimals = _NO_DECIMALS.search(clean)
    if no_decimals is not None and no_decimals[0][0] in ".,":
        decimal_mark = "." if no_decimals[0][0] == "." else ","
    unsigned = _take_sign(_NO_DECIMALS.sub("", clean))
    if unsigned is None:
        return None
    clean, negative = unsigned
    clean, credit = _take_credit_mark(clean)
    clean, exponent = _take_exponent(clean)
    if not has_numeral(clean):
        worded = read_amount_in_words(clean)
        return None if worded is None else Figure(simplify_decimal(worded[0].copy_negate() if negative else worded[0]), worded[1])
    parts = split_numeral(clean)
    if parts is None or _SYMBOL_FIRST.fullmatch(clean) is not None:
        return _read_several_numerals(clean, negative, decimal_mark)
    before, numeral, after = parts
    named = read_names(before, after, credit == "Cr")
    if named is None:
        return None
    value, undecided = read_numeral(numeral, decimal_mark, has_minor_unit=has_minor_unit(named.currencies))
    if value is None:
        return None
    if no_decimals is not None:  # the mark before the dash tells which one is decimal
        undecided = ""
    if exponent or named.scale != 1:
        value *= named.scale * Decimal(10) ** exponent
    if negative or credit == "CR" or (credit == "Cr" and not named.crore):
        value = value.copy_negate()  # unlike the operator, it rounds nothing
    # 2.6e+16 is the float that Python writes so
    return _make_figure(float(value) if exponent else simplify_decimal(value), named, undecided)


def _read_several_numerals(text: str, negative: bool, decimal_mark: DecimalMark | None) -> Figure | None:
    """A figure with more than one numeral: small units, hundredths, the power of a unit."""
    power_unit = _POWER_UNIT.fullmatch(text)
    if power_unit is None:
        figure = _read_chinese_units(text, negative) or _read_hundredths(text, negative) or _read_two_units(text, negative)
        return figure or _read_crores_and_lakhs(text, negative)
    value, undecided = read_numeral(power_unit[1], decimal_mark)
    named = NumberNames(units=units_called(power_unit[2]))
    return None if value is None else _make_figure(simplify_decimal(-value if negative else value), named, undecided)


def _read_chinese_units(text: str, negative: bool) -> Figure | None:
    """An amount in yuan with tenths and hundredths: `5元5角`."""
    match = _CHINESE_SMALL_UNITS.fullmatch(text) if not text.isascii() and any(unit in text for unit in "角毛分") else None
    figure = _read_clean(match["whole"], None) if match is not None and (match["tenths"] or match["cents"]) else None
    if match is None or figure is None or not isinstance(figure.value, int):
        return None
    tenths, cents = (read_numeral(match[name] or "0")[0] or Decimal(0) for name in ("tenths", "cents"))
    value = figure.value + tenths / 10 + cents / 100
    return figure._replace(value=simplify_decimal(-value if negative else value))


def _read_hundredths(text: str, negative: bool) -> Figure | None:
    """An amount in words with its cents as a fraction, as on cheques."""
    match = _HUNDREDTHS.fullmatch(text) if "/100" in text else None
    figure = None if match is None else _read_clean(f"{match[1]}{match[3] or ''}", None)
    if match is None or figure is None or not isinstance(figure.value, int):
        return None
    value = figure.value + (Decimal(match[2]) / 100 if match[2].isdigit() else Decimal(0))
    return figure._replace(value=simplify_decimal(-value if negative else value))


def _read_crores_and_lakhs(text: str, negative: bool) -> Figure | None:
    match = _CRORES_AND_LAKHS.fullmatch(text)
    if match is None:
        return None
    value = 10**7 * int(match["crores"]) + 10**5 * int(match["lakhs"])
    return _read_clean(f"{'-' if negative else ''}{match['before']}{value}{match['after']}", None)


def _read_two_units(text: str, negative: bool) -> Figure | None:
    """An amount in a currency and its small unit, or with the currency in place of the decimal mark."""
    before = _SYMBOL_FIRST.fullmatch(text)
    if before is not None:  # `£12 10p` as `12 £ 10p`
        text = f"{before[2]} {before[1]} {before[3]}"
    match = _TWO_UNITS.fullmatch(text)
    if match is None:
        return None
    name, minor_name = match["name"], match["minor_name"] or ""
    small_unit = SUBUNITS.get(symbol_key(minor_name)) or SECOND_UNITS.get(symbol_key(minor_name))
    if name == ":":
        currencies = (lookup_currencies(minor_name) if minor_name else None) or NO_CODES
        currencies = currencies if currencies and currencies <= _COLON_CURRENCIES else NO_CODES
    elif small_unit is not None:
        currencies = (lookup_currencies(name) or NO_CODES) & expand_codes(small_unit)
    else:
        currencies = (lookup_currencies(name) or NO_CODES) if not (minor_name or name[0].isalpha()) else NO_CODES
    if not currencies or (small_unit is None and len(match["minor"]) != 2):
        return None
    whole, undecided = read_numeral(match["whole"].strip(), has_minor_unit=has_minor_unit(currencies))
    if whole is None or undecided == "." or whole != whole.to_integral_value():
        return None
    value = whole + Decimal(match["minor"]) / 100
    return Figure(simplify_decimal(-value if negative else value), currencies)


def _make_figure(number: float, named: NumberNames, undecided: str) -> Figure | None:
    if number in (float("inf"), float("-inf")):
        return None
    return Figure(number, named.currencies, named.percent, named.units, undecided, "", named.unit_currencies)


def _take_sign(text: str) -> tuple[str, bool] | None:
    """The text without its sign, and whether it is negative: `-5`, `5-`, `(5)`, `$-5`, `minus 5`; None if it is signed twice."""
    minus = _MINUS_WORD.match(text)
    if minus is not None:
        rest = _take_sign(text[minus.end() :])
        return None if rest is None or rest[1] else (rest[0], True)
    bracketed = _IN_PARENTHESES.fullmatch(text)
    if bracketed is not None:
        plain = " ".join(f"{bracketed[1]} {bracketed[2]} {bracketed[3]}".split())
        return None if "-" in plain else (plain.replace("+", ""), True)
    first_digit = next((place for place, character in enumerate(text) if character.isdigit()), None)
    if first_digit is None:
        return text, False
    head, tail = text[:first_digit], text[first_digit:]
    if "-" in head and _IN_WORD.search(head):  # the hyphen of `twenty-five and 10/100`
        return text, False
    if head.count("-") == 1 and "(" not in head:
        return head.replace("-", "").replace("+", "") + tail, True
    trailing = re.fullmatch(r"(.*\d) ?-( ?\D*)", tail)
    if trailing is not None and "-" not in head:
        is_minus = not trailing[2][:1].isalpha() or lookup_currencies(trailing[2]) is not None  # the hyphen of `3-inch` joins a unit
        return f"{head}{trailing[1]} {trailing[2]}".strip(), is_minus
    if "-" in head or tail[-1] not in "+-":
        return head.replace("+", "") + tail, False
    return _take_sign_behind(head.replace("+", ""), tail)


def _take_sign_behind(head: str, tail: str) -> tuple[str, bool]:
    """The text without a sign at its end, behind the currency or a plus behind the decimals, and whether it is negative."""
    signed = _SIGN_BEHIND_NAME.fullmatch(tail)
    if signed is not None and lookup_currencies(signed[2]) is not None:
        number, name, gap, sign = signed.groups()
        if gap or _HAS_DECIMALS.fullmatch(number):  # the dash of `5 Fr.-` stands for the decimals
            return f"{head}{number} {name}", sign == "-"
    plus = _PLUS_BEHIND.fullmatch(tail)
    return (head + tail, False) if plus is None else (f"{head}{plus[1]} {plus[2]}".strip(), False)


def _take_exponent(text: str) -> tuple[str, int]:
    """The text without a power of ten such as `e5` behind its digits, and that power."""
    match = _EXPONENT.search(text)
    return (text, 0) if match is None or int(match[1]) > _MAX_EXPONENT else (text[: match.start()] + text[match.end() :], int(match[1]))


def _take_credit_mark(text: str) -> tuple[str, str]:
    """The text without a credit or debit mark at its end or before its number, and that mark."""
    mark = _CREDIT_MARK.search(text)
    if mark is None:
        return text, ""
    return f"{text[: mark.start()]}{text[mark.end() :]}".strip(), mark[1] or mark[2]


def group_without_minor_unit(expected: Figure, actual: Figure) -> tuple[Figure, Figure]:
    """The figures with an undecided point read as grouping where the one currency that both can mean has no minor unit.

    >>> [figure.value for figure in group_without_minor_unit(read_figure("CLP 12990"), read_figure("$12.990"))]
    [12990, 12990]
    """
    shared = expected.currencies & actual.currencies
    if has_minor_unit(shared) or "." not in (expected.undecided, actual.undecided):
        return expected, actual
    return _grouped(expected), _grouped(actual)


def _grouped(figure: Figure) -> Figure:
    if figure.undecided != ".":
        return figure
    return figure._replace(value=simplify_decimal(Decimal(str(figure.value)) * 1000), undecided="")


def find_decimal_sign(text: str) -> str:
    """What a text shows about the decimal mark of its column: as `find_decimal_mark`, `undecided`, or nothing if it is no figure.

    >>> [find_decimal_sign(text) for text in ("1.234,50", "$12.50", "12.50", "1,234", "a 1.5")]
    [',', '.', 'plain', 'undecided', '']
    """
    if _PLAIN.fullmatch(text):
        return "plain" if "." in text else ""
    if _USUAL.fullmatch(text):
        return "."
    if _read_coded(text) is not None:
        return "." if "." in text else ""
    with_comma = _USUAL_COMMA.fullmatch(text)
    if with_comma is not None and not (with_comma[2] and with_comma[5]):
        return ","
    figure = read_figure(text)
    if figure is None:
        return ""
    return "undecided" if figure.undecided else find_decimal_mark(text)


def find_decimal_mark(text: str) -> str:
    """The decimal mark of an amount where it is certain: `.` or `,`; `plain` for what programs write, such as `12.50`; else nothing.

    >>> [find_decimal_mark(text) for text in ("1.234,50", "€ 12,5", "0,125", "1.234.567", "$12.50", "12.50", "1,234", "7")]
    [',', ',', ',', ',', '.', 'plain', '', '']
    """
    parts = split_numeral(normalize_characters(text)) if "." in text or "," in text else None
    if parts is None:
        return ""
    marks = [character for character in parts[1] if character in ".,"]
    whole, _, decimals = parts[1].rpartition(marks[-1]) if marks else ("", "", "")
    if not marks or (len(marks) == 1 and len(decimals) == 3 and 0 < len(whole) <= 3 and whole[0] != "0"):  # as in `read_numeral`
        return ""
    if marks.count(marks[-1]) > 1:  # a mark that occurs twice groups
        return "," if marks[-1] == "." else "."
    is_plain = marks == ["."] and text.isascii() and text.removeprefix("-").replace(".", "", 1).isdigit()
    return "plain" if is_plain else marks[-1]
