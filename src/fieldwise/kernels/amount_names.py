"""What the words around a number name: currencies, units, a percentage, a scale such as `M` or `lakh`.

>>> read_names("$", "M", ends_in_cr=False).scale, read_names("", " kg", ends_in_cr=False).units
(Decimal('1000000'), frozenset({'kilogram'}))
"""

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from fieldwise.kernels import locale_tables, number_words
from fieldwise.kernels.currencies import MORE_CURRENCIES, NO_CODES, SUBUNITS, expand_codes, lookup_currencies, symbol_key
from fieldwise.kernels.locale_tables import fold_name
from fieldwise.kernels.unit_symbols import symbol_called
from fieldwise.kernels.units import units_called
from fieldwise.pattern import compile_on_use

_SCALES_BESIDE_CURRENCY: Final = {"mi": 6, "bi": 9, "к": 3}
"""Abbreviations of scales that are units or words elsewhere: `R$ 2,3 mi`."""
_SCALES_OF_SCALES: Final = frozenset({"lakh", "lakhs", "thousand", "mil"})
"""Scale words that may count a larger one: `1.2 lakh crore`, `5 mil millones`."""
_MIN_SCALE_BEHIND: Final = 2
"""Letters of a scale word behind its currency: `75 USD million`, `USD mn 5.2`."""
_JOINED_SCALES: Final = {"k": 3, "t": 3, "e": 3, "m": 6, "mn": 6, "mio": 6, "md": 9, "mrd": 9, "mld": 9, "bn": 9, "g": 9, "b": 9}
"""Scales written together with a currency: `TEUR`, `k€`, `mkr`, `eFt`, `MUSD`, `$bn`."""
BEFORE_NUMBERS: Final = {"p": "PHP", "n": "NGN", "mt": "MZN", "ro": "OMR", "ll": "LBP"}
"""Letters that stand for a currency only before a number: `P1,500`, where `50p` is pence and `5 MT` are tonnes."""
_LAKH_CURRENCIES: Final = frozenset({"INR", "PKR", "NPR", "BDT", "LKR"})
"""Currencies beside which `L` is a lakh and `cr` a crore: `₹50L`, `₹1.5 cr`."""
_LAKH_SCALES: Final = {"l": 5, "cr": 7, "crs": 7}
_DOZENS: Final = frozenset("dozen dozens doz dutzend douzaine douzaines docena docenas dúzia dúzias dozzina dozzine dozijn".split())  # noqa: SIM905
_PERCENT: Final = frozenset({"percent"})
_UNITS: Final = frozenset({"km", "ft", "kgs", "cup", "kN", "kW", "dA", "dB", "dm"})
"""Symbols of units that are currencies in other letters: `KM`, `Ft`, `Kw`, `DM`."""
_NEVER_CURRENCIES: Final = frozenset({"S"})
"""Capital letters behind a number that are units only: `100,00 S` were schillings of Austria, of Somalia or seconds."""
_SCALE_WORD: Final = compile_on_use(
    r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u102b-\u103e\u17b6-\u17dd])*\.?"
)
"""Letters with the signs that are no letters to `re`: vowels of India and South-East Asia."""
_OF: Final = compile_on_use(r"(?<=\w) (?:de |d['’]|di |of )|^ de (?=(?:eur|euro|lei|dolari)\b)", re.IGNORECASE)
"""Between a scale word and its currency: `2 milhões de reais`; in Romanian behind the number too: `5.000 de euro`."""


class NumberNames(NamedTuple):
    """What the words around a numeral name."""

    currencies: frozenset[str] = NO_CODES
    percent: bool = False
    units: frozenset[str] = NO_CODES
    scale: Decimal = Decimal(1)
    crore: bool = False
    unit_currencies: frozenset[str] = NO_CODES


@lru_cache(maxsize=1 << 10)  # the same few names in every value of a column
def read_names(before: str, after: str, ends_in_cr: bool) -> NumberNames | None:
    """What the words around a numeral name; None if one of them means nothing."""
    if ".." in before:  # a point closes an abbreviation; two are a slip: `$..75`
        return None
    prefix = before.strip().rstrip(":").strip()
    suffix = _drop_of(after).strip().removesuffix("整").removesuffix("正").strip()
    power, suffix = _take_scale(suffix, with_currency=bool(prefix))
    lakh_power = _LAKH_SCALES.get(suffix.lower().rstrip("."), 0) if prefix else 0
    if lakh_power and not _LAKH_CURRENCIES.isdisjoint(lookup_currencies(prefix) or NO_CODES):
        power, suffix = power + lakh_power, ""
    if prefix and not power and lookup_currencies(prefix) is None:
        power, prefix = take_scale_beside(prefix)
    if suffix and not power and lookup_currencies(suffix) is None:
        power, suffix = take_scale_beside(suffix)
    scale = Decimal(10) ** power
    if (prefix, suffix) in (("", "%"), ("%", "")):
        return NumberNames(percent=True, scale=scale)
    # "5 L" names litres, not lempiras; "12 km" kilometres, "12 KM" Bosnian marks; "5 đ" names dongs
    is_unit = not prefix and suffix.isascii() and (len(suffix) == 1 or suffix in _UNITS) and bool(units_called(suffix))
    if prefix and suffix and lookup_currencies(suffix) is None:
        prefix, suffix = _join_country(prefix, suffix)
    named = [_currencies_before(prefix) if part is prefix else lookup_currencies(part) for part in (prefix, suffix) if part]
    if all(named) and not is_unit:
        currencies = frozenset.intersection(*named) if named else NO_CODES  # pyright: ignore[reportArgumentType]
        if named and not currencies:
            return None
        crore = ends_in_cr and (not currencies or "INR" in currencies) and bool(named)
        return NumberNames(currencies, scale=scale * (10**7 if crore else 1), crore=crore)
    if prefix or not suffix:
        return None
    unit = _read_unit_name(suffix, scale)
    may_be_currency = is_unit and suffix.isupper() and suffix not in _NEVER_CURRENCIES
    return unit._replace(unit_currencies=named[0]) if unit is not None and unit.units and may_be_currency and named[0] else unit


def _drop_of(after: str) -> str:
    """What follows a numeral without `of` and its like, unless that is part of the name: `dollars de Singapour`."""
    plain = _OF.sub(" ", after)
    return plain if plain == after or lookup_currencies(after.strip()) is None else after


def _join_country(prefix: str, suffix: str) -> tuple[str, str]:
    """The country behind an amount as part of the symbol before it: `$500 US`, `$500 CDN`."""
    symbol = suffix + prefix
    return (symbol, "") if prefix in ("$", "£") and lookup_currencies(symbol) else (prefix, suffix)


def _currencies_before(prefix: str) -> frozenset[str] | None:
    """Currencies of what stands before a number."""
    codes = BEFORE_NUMBERS.get(fold_name(prefix))
    return lookup_currencies(prefix) if codes is None else (lookup_currencies(prefix) or NO_CODES) | expand_codes(codes)


def _read_unit_name(suffix: str, scale: Decimal) -> NumberNames | None:
    """What a word behind a numeral names other than a currency: a dozen, cents, a unit, a percentage."""
    if fold_name(suffix).strip(".") in _DOZENS:
        return NumberNames(scale=scale * 12)
    subunit = SUBUNITS.get(symbol_key(suffix))
    if subunit is not None:
        return NumberNames(expand_codes(subunit), scale=scale / 100)
    units = units_called(suffix)
    if units == _PERCENT:
        return NumberNames(percent=True, scale=scale)
    return NumberNames(units=units, scale=scale) if units else None


def _take_scale(suffix: str, with_currency: bool) -> tuple[int, str]:
    """The power of ten that a word such as `M`, `Mio.` or `lakh` at the start of a suffix stands for, and the rest."""
    word = _SCALE_WORD.match(suffix)
    if word is None or symbol_key(suffix) in MORE_CURRENCIES:
        return 0, suffix
    key, rest = fold_name(word[0]).rstrip("."), suffix[word.end() :].strip()
    power = number_words.dotted_scale(fold_name(word[0])) or number_words.scale_words().get(key, 0)
    if not power and with_currency:
        power = _SCALES_BESIDE_CURRENCY.get(key, 0)
    if not power:
        return take_joined_scale(suffix)
    if key not in number_words.SCALE_WORDS and symbol_called(word[0]) is not None:  # `mIU`, although `miu` is a thousand in Friulian
        return 0, suffix
    # a lone small letter is a unit unless a currency is named: "5 m" is five metres, "$5m" five million
    is_unit = len(key) == 1 and key != "k" and word[0].islower() and not (with_currency or rest)
    if key in ("mm", "min"):  # millimetres and minutes, but "$5mm" and "5 min AZN" (five thousand)
        is_unit = not (with_currency or lookup_currencies(rest))
    is_unit = is_unit or (bool(rest) and not rest[0].isalpha() and bool(units_called(suffix)))  # `5 m/s`
    if is_unit:
        return 0, suffix
    second = _SCALE_WORD.match(rest) if key in _SCALES_OF_SCALES else None
    second_power = number_words.scale_words().get(fold_name(second[0]), 0) if second is not None else 0
    return (power + second_power, rest[second.end() :].strip()) if second is not None and second_power > power else (power, rest)


def take_scale_beside(name: str) -> tuple[int, str]:
    """The power of ten of a scale word behind a currency or written together with it, and the currency; 0 for other names."""
    currency, _, word = name.rpartition(" ")
    power = number_words.scale_words().get(fold_name(word).rstrip("."), 0) if len(word) >= _MIN_SCALE_BEHIND else 0
    return (power, currency) if power and lookup_currencies(currency) else take_joined_scale(name)


def _is_scaled_code(name: str, key: str) -> bool:
    """True if a name that is a unit too is more likely a scale before a currency: `MSEK`, `KTL`, but not `msek` and `BARS`."""
    return name.isupper() and name[0] in "KMT" and (key[1:].upper() in locale_tables.currency_codes() or key[1:] in ("tl", "kr"))


@lru_cache(maxsize=1 << 10)  # the same few names in every value of a column
def take_joined_scale(name: str) -> tuple[int, str]:
    """The power of ten of a scale that is written together with a currency, and the currency: `TEUR`, `mkr`, `US$m`; 0 for other names."""
    key = fold_name(name).strip(".")
    if " " in name or lookup_currencies(name) is not None or (key in locale_tables.unit_names() and not _is_scaled_code(name, key)):
        return 0, name
    for scale, power in _JOINED_SCALES.items():
        currency = name[len(scale) :].strip()
        if len(currency) == 1 and currency.isalpha():  # `KG`, `ML`: one letter is a unit
            continue
        if key.startswith(scale) and (scale != "e" or symbol_key(currency) == "ft") and lookup_currencies(currency):
            return power, currency
    if not key.isascii():  # scripts without spaces between words: `ล้านบาท`
        for scale, power in number_words.scale_words().items():
            if not scale.isascii() and key.startswith(scale) and lookup_currencies(key[len(scale) :]):
                return power, key[len(scale) :]
    for scale, power in _JOINED_SCALES.items():  # `US$m`: a symbol, because a code and a letter is a code of another kind
        symbol = name[: -len(scale)].rstrip()
        if scale not in ("t", "e") and key.endswith(scale) and symbol[-1:] in ("$", "€", "£", "¥") and lookup_currencies(symbol):
            return power, symbol
    return 0, name
