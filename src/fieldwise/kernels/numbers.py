"""Numbers in text for causes, and numbers as text. The text is the number and nothing else; `numbers_in_text` finds numbers inside
sentences, and `amounts` reads data.

* `parse_number_readings` explains mismatches: every value that the separators allow, the likeliest first, with the currency and
  magnitude words of `amounts` and `number_words`.
* `to_number` is the likeliest reading of a value of any type; `format_number`, `count_decimals` and `align_digits` write numbers.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from fieldwise.kernels.currencies import main_currency
from fieldwise.kernels.locale_tables import currency_codes
from fieldwise.kernels.number_words import SCALE_WORDS
from fieldwise.pattern import compile_on_use

Number = int | float

# Lenient: `parse_number_readings`

_MAGNITUDES: Final = {word: 10**power for word, power in SCALE_WORDS.items() if len(word) >= 3 or word in ("k", "m", "mn", "bn")}
_CURRENCY: Final = r"US\$|[$€£¥₹₩₽₺฿₪]|[A-Z]{3}"
_WRITTEN_NUMBER: Final = compile_on_use(
    rf"""(?P<open>\()?\s*(?P<sign>[-+−–])?\s*(?:(?P<before>{_CURRENCY})\s*)?(?P<sign2>[-+−–])?\s*
    (?P<digits>\d[\d.,'’\s_]*\d|\d|\.\d+)(?P<power>e[-+]?\d{{1,3}})?
    \s*(?P<unit>%|{"|".join(sorted(_MAGNITUDES, key=len, reverse=True))})?\s*(?P<after>{_CURRENCY})?(?P<sign3>-)?\s*(?P<close>\))?""",
    re.VERBOSE | re.IGNORECASE,
)
_LETTER_BETWEEN_DIGITS: Final = compile_on_use(r"\d\D*[^\W\d_eE]\D*\d")
"""Between the digits of a number no letter stands but the `e` of an exponent."""
_GROUPED: Final = compile_on_use(r"\d{1,3}(?P<mark>[.,'’ _])(?:\d{2,3}(?P=mark))*\d{3}")
_SPACE_OR_DIGIT: Final = compile_on_use(r"[\s\d]")
_MAX_READING_LENGTH: Final = 60
_MAX_VALUE: Final = 1e300
"""Beyond it arithmetic overflows; the comparison is also false for NaN."""


class NumberReadings(NamedTuple):
    """Every value that a number in text may have."""

    values: tuple[Number, ...]
    """The likeliest first: `1,234` is 1234 or, in Europe, 1.234."""
    currency: str = ""
    """The ISO code; empty if there is none."""
    percent: bool = False


@lru_cache(maxsize=1 << 12)  # texts repeat within a column, and the causes of a mismatch read the same two texts again and again
def parse_number_readings(text: str) -> NumberReadings | None:
    """Return every reading of a number, or None if the text is not a number.

    >>> parse_number_readings("1.234,50 EUR")
    NumberReadings(values=(1234.5,), currency='EUR', percent=False)
    >>> parse_number_readings("1,234").values
    (1234, 1.234)
    """
    text = text.strip()
    if not may_be_number(text):
        return None
    if text.isdecimal():
        return NumberReadings((int(text),))
    return _parse_usual_amount(text) or _parse_any_amount(text)


def may_be_number(text: str) -> bool:
    """False if a text without white space around it is no number, whatever its digits are. Cheap, because most texts are none."""
    if not 0 < len(text) <= _MAX_READING_LENGTH:
        return False
    if text[0].isalpha() and text[:3].upper() not in currency_codes() and text[:2] != "US":
        return False
    if text[-1].isalpha() and text[-3:].upper() not in currency_codes():
        word = text.rsplit(maxsplit=1)[-1]
        if (word if word.isalpha() else _SPACE_OR_DIGIT.split(word)[-1]).lower() not in _MAGNITUDES:
            return False
    dash = text.find("-", 2, -1)
    return not ("/" in text or ":" in text) and (dash < 0 or text[dash - 1] in "eE$€£¥ ")


def _parse_usual_amount(text: str) -> NumberReadings | None:
    """Read an amount in the most frequent spelling, which has one meaning: `-$1,234.50`."""
    minus = text[0] == "-"
    currency = text[minus : minus + 1]
    whole, _, decimals = text[minus + (currency in "$€£") :].partition(".")
    digits = whole.replace(",", "")
    if len(decimals) == 3 or not (decimals.isdecimal() and digits.isdecimal()):
        return None
    if len(digits) != len(whole) and f"{int(digits):,}" != whole:
        return None
    value = float(f"{digits}.{decimals}")
    return NumberReadings((-value if minus else value,), main_currency(currency) if currency in "$€£" else "")


def _parse_any_amount(text: str) -> NumberReadings | None:
    if _LETTER_BETWEEN_DIGITS.search(text):  # a sixth of the time of the next pattern
        return None
    match = _WRITTEN_NUMBER.fullmatch(text)
    if match is None or bool(match["open"]) != bool(match["close"]):
        return None
    values = _digit_readings(" ".join(match["digits"].split()))
    if match["power"]:
        values = tuple(float(f"{value}{match['power']}") for value in values[:1])
    magnitude = _MAGNITUDES.get((match["unit"] or "").lower(), 1)
    negative = bool(match["open"]) or any((match[sign] or "+") in "-−–" for sign in ("sign", "sign2", "sign3"))
    signed_values = tuple(-value * magnitude if negative else value * magnitude for value in values)
    if not signed_values or abs(signed_values[0]) >= _MAX_VALUE:
        return None
    named = match["before"] or match["after"] or ""
    currency = main_currency(named)
    return None if named and not currency else NumberReadings(signed_values, currency, match["unit"] == "%")


def _digit_readings(digits: str) -> tuple[Number, ...]:
    """Return the values of digits with separators, the likeliest first; none if the separators are inconsistent."""
    if digits.isdecimal():
        return (int(digits),)
    last = max(digits.rfind(mark) for mark in ".,'’ _")
    head, mark, tail = digits[:last], digits[last], digits[last + 1 :]
    grouped = int(re.sub(r"\D", "", digits)) if _GROUPED.fullmatch(digits) and digits[0] != "0" else None
    whole = _remove_grouping(head, mark) if mark in ".," and tail.isdecimal() else None
    with_decimals = None if whole is None else float(f"{whole}.{tail}")
    likely_first = (with_decimals, grouped) if mark == "." else (grouped, with_decimals)
    return tuple(value for value in likely_first if value is not None)


def _remove_grouping(whole: str, decimal_mark: str) -> str | None:
    """Return the digits before the decimal mark; None if they are grouped by the same mark or irregularly."""
    if not whole or whole.isdecimal():
        return whole or "0"
    return re.sub(r"\D", "", whole) if decimal_mark not in whole and _GROUPED.fullmatch(whole) else None


def to_number(value: object) -> Number | None:
    """Return a finite number, or the likeliest reading of one in text; None for anything else.

    >>> to_number("(1,200)"), to_number(3.5), to_number("n/a"), to_number(True)
    (-1200, 3.5, None, None)
    """
    if type(value) is float or type(value) is int:
        return value if -_MAX_VALUE < value < _MAX_VALUE else None
    readings = parse_number_readings(value) if isinstance(value, str) else None
    return readings.values[0] if readings else None


# Writing


def format_number(number: Number) -> str:
    """Write a number without exponent and without redundant decimals.

    >>> format_number(1e21), format_number(2.50), format_number(3.0)
    ('1000000000000000000000', '2.5', '3')
    """
    if isinstance(number, int):
        return str(number) if number.bit_length() < 4096 else hex(number)
    text = repr(number)
    if "e" in text:
        mantissa, _, exponent = text.partition("e")
        decimals = max(0, len(mantissa.partition(".")[2]) - int(exponent))
        text = f"{number:.{decimals}f}"
    return text.removesuffix(".0")


def count_decimals(number: Number) -> int:
    """Count the decimals that are needed to write a number.

    >>> count_decimals(12.50), count_decimals(12.0), count_decimals(1e-7)
    (1, 0, 7)
    """
    return 0 if number % 1 == 0 else len(format_number(number).partition(".")[2])


@lru_cache(maxsize=64, typed=True)  # several causes of one mismatch look at the digits
def align_digits(expected: Number, actual: Number) -> tuple[str, str]:
    """Return the digits of both numbers without sign and decimal point, padded to the same number of decimals.

    >>> align_digits(-12.5, 7.25)
    ('1250', '725')
    """
    if isinstance(expected, int) and isinstance(actual, int):
        return format_number(abs(expected)), format_number(abs(actual))
    expected_whole, _, expected_decimals = format_number(expected).lstrip("-").partition(".")
    actual_whole, _, actual_decimals = format_number(actual).lstrip("-").partition(".")
    decimals = max(len(expected_decimals), len(actual_decimals))
    return expected_whole + expected_decimals.ljust(decimals, "0"), actual_whole + actual_decimals.ljust(decimals, "0")
