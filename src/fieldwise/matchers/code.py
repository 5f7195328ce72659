"""Identifiers: invoice numbers, IBANs, postcodes. Case, spaces and punctuation are ignored; every letter and digit must agree.

Leading zeros count: `007` is not `7`. Where both have a sign at the end (`AB+`, `AB-`, `C#`), a sign before a number or a currency sign,
these must agree. In a phone number, `00` before the country is `+`. With a `scheme`, values are read by that scheme and a failing check
digit is named in the note; this needs the extra `domain` (`pip install "fieldwise[domain]"`). A phone number without its country agrees
with the full one if it has its area code.

>>> code(Pairs(["INV-2024-031", "007", "A100"], ["inv 2024 031", "7", "A1OO"]), Code()).value.tolist()
[1.0, 0.0, 0.0]
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.numerals import LongDecimal
from fieldwise.kernels.text_normalize import alphanumeric_key
from fieldwise.matchers._readings import Agreement, ReadingMatcher, join_notes, plain_number
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import matcher
from fieldwise.specs import Example

Scheme = Literal["iban", "vat", "isbn", "issn", "ean", "bic", "lei", "imei", "luhn", "phone"]
_MODULES: Final = {
    "iban": "stdnum.iban",
    "vat": "stdnum.eu.vat",
    "isbn": "stdnum.isbn",
    "issn": "stdnum.issn",
    "ean": "stdnum.ean",
    "bic": "stdnum.bic",
    "lei": "stdnum.lei",
    "imei": "stdnum.imei",
    "luhn": "stdnum.luhn",
    "phone": "phonenumbers",
}
_LARGEST: Final = 10**300
_COUNTRY_LENGTH: Final = 2
_BIC_LENGTH: Final = 8
"""Without the branch."""
_MAX_LABEL_WORDS: Final = 4
_FRACTION_OR_POWER: Final = re.compile(r"([¼-¾⅐-⅞↉]|(?<=\d)[²³¹⁰⁴-⁹]+)")
_PLAIN_MINUS: Final = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))
_FINAL_SIGNS: Final = re.compile(r"(?<=\w)\s?[-+#]+$")
_GTIN_LENGTH: Final = 14
"""Digits of a GTIN; shorter ones (EAN-13, UPC-A, EAN-8) have leading zeros."""
_NORTH_AMERICAN_LENGTH: Final = 10
"""Digits of a phone number with its area code."""
_NATIONAL_PHONE: Final = re.compile(r"[^\d+]*(?P<number>\d[\d\s().\-/]*)(?:(?:ext|x)\.?\s*(?P<extension>\d+))?\s*", re.IGNORECASE)
_INTERNATIONAL_PHONE: Final = re.compile(r"\+[1-9](?:[ ().\-/]{0,2}\d){6,14}", re.ASCII)
_VAT_WORD: Final = re.compile(r"(che\d{9}|no\d{9})(?:mwst|tva|iva|tpv|mva)")
_PACKAGES: Final = {"phone": "phonenumberslite"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """How identifiers are read."""

    scheme: Scheme | None = None
    """Read values by a scheme, such as `iban`, and check their check digits."""
    region: str | None = None
    """Country of phone numbers without an international prefix, such as `DE`."""

    def __post_init__(self) -> None:
        if self.scheme is not None and find_spec(_MODULES[self.scheme].partition(".")[0]) is None:
            package = _PACKAGES.get(self.scheme, "python-stdnum")
            raise ValueError(f'the scheme `{self.scheme}` needs the package {package}: pip install "fieldwise[domain]"')
        if self.region is not None and self.scheme != "phone":
            raise ValueError("`region` goes with `scheme: phone`")
        if self.region is not None:
            _check_phone_region(self.region)


def _check_phone_region(region: str) -> None:
    """Raise ValueError for what is no code of a country with phone numbers."""
    supported: frozenset[str] = frozenset(import_module("phonenumbers").SUPPORTED_REGIONS)
    if region in supported:
        return
    from fieldwise.kernels.terms import countries_called, whole_countries  # tables that only a wrong region needs

    named = sorted(whole_countries(countries_called(region)) & supported)
    fix = f"did you mean {' or '.join(f'`{code}`' for code in named)}?" if named else "write a two-letter code such as DE, FR, GB or US"
    raise ValueError(f"`region` is no two-letter code of a country with phone numbers: `{region}`; {fix}")


@dataclass(frozen=True, slots=True)
class CodeReading:
    """The letters and digits of an identifier, and what its scheme finds wrong with it."""

    key: str
    problem: str | None = None
    international: bool = True
    """False for a phone number or VAT number without its country."""
    text: str = ""
    """A phone number or an identifier without a scheme as it is written: its prefix may be written otherwise on the other side."""


def grid(expected: Sequence[object], actual: Sequence[object], config: Code) -> NDArray[np.float64]:
    """1 where an expected identifier agrees with an actual one, else 0."""
    return _code_matcher(config).score_grid(expected, actual)


def unread_note(value: Any, config: Code) -> str | None:
    """Why a value cannot be read; None if it can."""
    return _code_matcher(config).unread_note(value)


@matcher(
    grid=grid,
    unread_note=unread_note,
    examples=[
        Example(expected="INV-2024-031", actual="INV 2024 031", score=1),
        Example(expected="DE 136 695 976", actual="DE136695976", score=1),
        Example(expected="007", actual="7", score=0),
        Example(expected="INV-031", actual="INV-013", score=0),
        Example(expected="AB+", actual="AB-", score=0),
    ],
)
def code(pairs: Pairs, config: Code) -> Scores:
    """1 if every letter and digit agrees, else 0."""
    return _code_matcher(config).score_pairs(pairs)


def _code_matcher(config: Code) -> ReadingMatcher[CodeReading]:
    normalize_scheme = _scheme_reader(config.scheme, config.region) if config.scheme else None

    def read(value: Any) -> CodeReading | None:
        text = _identifier_text(value)
        if text is None:
            return None
        key = _identifier_key(text)
        if not key:
            return None
        return normalize_scheme(text) if normalize_scheme else CodeReading(key, text=text)

    def compare(expected: CodeReading, actual: CodeReading) -> Agreement:
        agrees = expected.key == actual.key
        if not agrees and expected.international != actual.international and config.scheme == "vat":
            national, full = (actual, expected) if expected.international else (expected, actual)
            if full.key[_COUNTRY_LENGTH:] == national.key:
                return Agreement(True, f'"{national.key}" has no country prefix')
        elif not agrees and config.scheme == "phone" and expected.international != actual.international:
            national, full = (actual, expected) if expected.international else (expected, actual)
            agrees = _read_phone_in_country_of(national.text, full.text) == full.key
        elif not agrees and config.scheme is None:
            agrees = _dial_same_number(expected, actual) or _dial_same_number(actual, expected)
        elif agrees and config.scheme is None:
            agrees = not _have_other_signs(expected.text, actual.text)
        problems = join_notes(expected.problem and f"expected: {expected.problem}", actual.problem and f"actual: {actual.problem}")
        return Agreement(agrees, problems)

    return ReadingMatcher("an identifier", read, compare, reads_ranges=False)


def _identifier_text(value: Any) -> str | None:
    """Text as it is, a whole number in digits; None for anything else."""
    if isinstance(value, str):
        return value
    number = plain_number(value)
    if number is None or isinstance(number, LongDecimal) or not -_LARGEST < number < _LARGEST or number != int(number):
        return None
    return str(int(number))


def _identifier_key(text: str) -> str:
    """Letters and digits; a fraction or a raised digit behind a digit is not one of its digits.

    >>> _identifier_key("12½"), _identifier_key("10²"), _identifier_key("CO₂"), _identifier_key("№ 7")
    ('12½', '10²', 'co2', 'no7')
    """
    if text.isascii():
        return alphanumeric_key(text)
    pieces = _FRACTION_OR_POWER.split(text)
    return "".join(piece if place % 2 else alphanumeric_key(piece) for place, piece in enumerate(pieces))


def _have_other_signs(expected: str, actual: str) -> bool:
    """True if both have a sign that is a part of a code, and the signs differ. `AB` may leave out the sign of `AB+`.

    >>> [_have_other_signs(*pair) for pair in (("AB+", "AB-"), ("C#", "C++"), ("$5", "€5"), ("AB+", "AB"), ("A-1", "A+1"))]
    [True, True, True, False, False]
    """
    if expected.isalnum() or actual.isalnum():
        return False
    signs = zip(_find_code_signs(expected), _find_code_signs(actual), strict=True)
    return any(left and right and left != right for left, right in signs)


def _find_code_signs(text: str) -> tuple[str, str, str]:
    """The sign before a number, the signs at the end and the currency signs of a code; each is empty where there is none."""
    plain = text.strip().translate(_PLAIN_MINUS)
    before = plain[:1] if plain[:1] in ("+", "-") and plain[1:2].isdigit() else ""
    behind = _FINAL_SIGNS.search(plain)
    currencies = "".join(sorted(character for character in plain if unicodedata.category(character) == "Sc"))
    return before, "" if behind is None else behind[0].strip(), currencies


def _dial_same_number(international: CodeReading, dialled: CodeReading) -> bool:
    """True if one is a phone number with `+` before its country, and the other the same number with `00`.

    >>> _dial_same_number(CodeReading("49301234567", text="+49 30 1234567"), CodeReading("0049301234567", text="0049 30 1234567"))
    True
    """
    if dialled.key != f"00{international.key}" or not dialled.text.lstrip().startswith("00"):
        return False
    return _INTERNATIONAL_PHONE.fullmatch(international.text.strip()) is not None


@cache  # keyed by all that decides the reader; importing stdnum modules takes milliseconds
def _scheme_reader(scheme: str, region: str | None) -> Callable[[str], CodeReading]:
    if scheme == "phone":
        return lambda text: _read_phone(text, region)
    module: Any = import_module(_MODULES[scheme])
    errors: Any = import_module("stdnum.exceptions")

    def read(text: str) -> CodeReading:
        for candidate in _without_labels(text):
            if module.is_valid(candidate):
                valid = str(module.validate(candidate))
                return _valid_reading(alphanumeric_key(module.to_isbn13(valid) if scheme == "isbn" else valid), scheme)
        key = alphanumeric_key(text) if scheme != "vat" else _vat_key(alphanumeric_key(text))
        has_country = scheme != "vat" or key[:_COUNTRY_LENGTH].isalpha()
        try:
            module.validate(text)
        except errors.InvalidChecksum:
            return CodeReading(key, f'the check digit of "{text}" fails', has_country)
        except errors.ValidationError as error:
            return CodeReading(key, f'"{text}" is no {scheme}: {str(error).rstrip(".").lower()}', has_country)
        return CodeReading(key, None, has_country)

    return read


def _valid_reading(key: str, scheme: str) -> CodeReading:
    if scheme == "bic":
        return CodeReading(key[:_BIC_LENGTH] if key[_BIC_LENGTH:] == "xxx" else key)  # XXX is the head office, as is no branch
    if scheme == "ean":
        return CodeReading(key.zfill(_GTIN_LENGTH))
    return CodeReading(_vat_key(key) if scheme == "vat" else key)


def _vat_key(key: str) -> str:
    """A VAT number with the prefix that Greece uses for it, and without the word for the tax behind it.

    >>> _vat_key("gr094259216"), _vat_key("che107787577mwst"), _vat_key("no995525828mva")
    ('el094259216', 'che107787577', 'no995525828')
    """
    return _VAT_WORD.sub(r"\1", "el" + key[2:] if key.startswith("gr") else key)


def _without_labels(text: str) -> list[str]:
    """The text, then the text without each run of words at its start: the label in `IBAN: DE…`, `ISBN-13: 978…`, `VAT no. …`.

    >>> _without_labels("VAT no. DE 136695976")
    ['VAT no. DE 136695976', 'no. DE 136695976', 'DE 136695976', '136695976']
    """
    words = text.split()
    return [text, *(" ".join(words[first:]) for first in range(1, min(len(words), _MAX_LABEL_WORDS + 1)))]


def _read_phone(text: str, region: str | None) -> CodeReading:
    phonenumbers: Any = import_module("phonenumbers")
    dialled = re.sub(r"^\s*00\s*(?=[1-9])", "+", text) if region is None else text  # with a region, its own prefix counts
    try:
        number = phonenumbers.parse(dialled, region)
    except phonenumbers.NumberParseException:
        return CodeReading(_national_phone_key(text), international=False, text=text)
    problem = None if phonenumbers.is_possible_number(number) else f'"{text}" is no possible phone number'
    return CodeReading(_phone_key(number), problem, text=dialled)


def _national_phone_key(text: str) -> str:
    """The digits of a number whose country is unknown, without a label and without the 1 that North Americans dial before an area code.

    >>> _national_phone_key("Tel. 1-415-555-2671"), _national_phone_key("030 1234567 ext. 5"), _national_phone_key("call us")
    ('4155552671', '0301234567x5', 'callus')
    """
    parts = _NATIONAL_PHONE.fullmatch(text)
    if parts is None:
        return alphanumeric_key(text)
    digits = alphanumeric_key(parts["number"])
    if len(digits) == _NORTH_AMERICAN_LENGTH + 1 and digits.startswith("1"):
        digits = digits[1:]
    return f"{digits}x{parts['extension']}" if parts["extension"] else digits


def _phone_key(number: Any) -> str:
    phonenumbers: Any = import_module("phonenumbers")
    extension = f"x{number.extension}" if number.extension else ""
    return f"{number.country_code}{phonenumbers.national_significant_number(number)}{extension}"


def _read_phone_in_country_of(national: str, full: str) -> str | None:
    """The key of a number without its country, dialled in the country of another number; None if it is no number there.

    The area code must be there: in Germany, 1234567 is not 030 1234567.
    """
    phonenumbers: Any = import_module("phonenumbers")
    try:
        country = phonenumbers.region_code_for_country_code(phonenumbers.parse(full).country_code)
        return _phone_key(phonenumbers.parse(national, country))
    except phonenumbers.NumberParseException:
        return None
