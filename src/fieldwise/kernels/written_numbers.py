"""Numbers as people write them: `1,234.50`, `$5`, `(3.2)`, `12 %`, `5 million`.

>>> written_number("1.234,50 EUR")
WrittenNumber(values=(1234.5,), currency='EUR', percent=False)
>>> written_number("1,234").values
(1234, 1.234)
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

_SYMBOLS: Final = dict(
    zip(["$", "US$", *"€£¥₹₩₽₺฿₪"], ["USD", "USD", "EUR", "GBP", "JPY", "INR", "KRW", "RUB", "TRY", "THB", "ILS"], strict=True)
)
_CODES: Final = "USD|EUR|GBP|JPY|CHF|CNY|INR|KRW|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BRL|MXN|ZAR|SGD|HKD|TRY|AED|SAR|ILS|THB|RUB"
_TIMES: Final = {
    "k": 10**3, "thousand": 10**3, "m": 10**6, "mn": 10**6, "mio": 10**6, "million": 10**6, "millions": 10**6,
    "bn": 10**9, "billion": 10**9, "billions": 10**9,
}  # fmt: skip
_CURRENCY: Final = rf"US\$|[$€£¥₹₩₽₺฿₪]|{_CODES}"
_NUMBER: Final = re.compile(
    rf"""(?P<open>\()?\s*(?P<sign>[-+−–])?\s*(?:(?P<before>{_CURRENCY})\s*)?(?P<sign2>[-+−–])?\s*
    (?P<digits>\d[\d.,'’\s_]*\d|\d|\.\d+)(?P<power>e[-+]?\d{{1,3}})?
    \s*(?P<unit>%|{"|".join(sorted(_TIMES, key=len, reverse=True))})?\s*(?P<after>{_CURRENCY})?(?P<sign3>-)?\s*(?P<close>\))?""",
    re.VERBOSE | re.IGNORECASE,
)
_GROUPED: Final = re.compile(r"\d{1,3}(?P<mark>[.,'’ _])(?:\d{2,3}(?P=mark))*\d{3}")
_LAST_WORD: Final = re.compile(r"[\s\d]")
_LONGEST: Final = 60
NUMBER_WORDS: Final = (*_CODES.lower().split("|"), *_TIMES, "us", "e")
"""The words a number may hold, in small letters."""
_LARGEST: Final = 1e300
"""Beyond it arithmetic overflows, and NaN is not below it either."""


class WrittenNumber(NamedTuple):
    """A number in text."""

    values: tuple[int | float, ...]
    """What it may mean, the likeliest first: `1,234` is 1234 or, in Europe, 1.234."""
    currency: str = ""
    percent: bool = False


@lru_cache(maxsize=512)
def written_number(text: str) -> WrittenNumber | None:
    """The number this text is, or None if it is something else."""
    text = text.strip()
    if not 0 < len(text) <= _LONGEST or not _may_be_number(text):
        return None
    if text.isdecimal():
        return WrittenNumber((int(text),))
    return _simple(text) or _any(text)


def _simple(text: str) -> WrittenNumber | None:
    """The usual way to write an amount, which has one meaning: `-$1,234.50`."""
    minus = text[0] == "-"
    currency = text[minus : minus + 1]
    whole, _, decimals = text[minus + (currency in "$€£") :].partition(".")
    digits = whole.replace(",", "")
    if len(decimals) == 3 or not (decimals.isdecimal() and digits.isdecimal()):
        return None
    if len(digits) != len(whole) and f"{int(digits):,}" != whole:
        return None
    value = float(f"{digits}.{decimals}")
    return WrittenNumber((-value if minus else value,), _SYMBOLS.get(currency, ""))


def _any(text: str) -> WrittenNumber | None:
    found = _NUMBER.fullmatch(text)
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    values = _values(" ".join(found["digits"].split()))
    if found["power"]:
        values = tuple(float(f"{value}{found['power']}") for value in values[:1])
    times = _TIMES.get((found["unit"] or "").lower(), 1)
    negative = bool(found["open"]) or any((found[sign] or "+") in "-−–" for sign in ("sign", "sign2", "sign3"))
    signed = tuple(-value * times if negative else value * times for value in values)
    currency = (found["before"] or found["after"] or "").upper()
    if not signed or abs(signed[0]) >= _LARGEST:
        return None
    return WrittenNumber(signed, _SYMBOLS.get(currency, currency), found["unit"] == "%")


def _may_be_number(text: str) -> bool:
    """A cheap look at both ends and the marks between, because most texts are something else."""
    if text[0].isalpha() and text[:3].upper() not in _CODES and text[:2] != "US":
        return False
    if text[-1].isalpha() and text[-3:].upper() not in _CODES and _LAST_WORD.split(text)[-1].lower() not in _TIMES:
        return False
    dash = text.find("-", 2, -1)
    return not ("/" in text or ":" in text) and (dash < 0 or text[dash - 1] in "eE$€£¥ ")


def _values(digits: str) -> tuple[int | float, ...]:
    """What digits with separators may mean; nothing if the separators make no sense."""
    if digits.isdecimal():
        return (int(digits),)
    head, mark, tail = _split_at_last_mark(digits)
    grouped = int(re.sub(r"\D", "", digits)) if _GROUPED.fullmatch(digits) and digits[0] != "0" else None
    whole = _whole(head, mark) if mark in ".," and tail.isdecimal() else None
    decimal = None if whole is None else float(f"{whole}.{tail}")
    likely_first = (decimal, grouped) if mark == "." else (grouped, decimal)
    return tuple(value for value in likely_first if value is not None)


def _split_at_last_mark(digits: str) -> tuple[str, str, str]:
    at = max(digits.rfind(mark) for mark in ".,'’ _")
    return digits[:at], digits[at], digits[at + 1 :]


def _whole(head: str, mark: str) -> str | None:
    """The digits before the decimal mark, without grouping; None if that uses the same mark or is irregular."""
    if not head or head.isdecimal():
        return head or "0"
    return re.sub(r"\D", "", head) if mark not in head and _GROUPED.fullmatch(head) else None


def as_number(value: object) -> int | float | None:
    """A finite number, or the likeliest meaning of one written as text; None for anything else.

    >>> as_number("(1,200)"), as_number(3.5), as_number("n/a"), as_number(True)
    (-1200, 3.5, None, None)
    """
    if type(value) is float or type(value) is int:
        return value if -_LARGEST < value < _LARGEST else None
    found = written_number(value) if isinstance(value, str) else None
    return found.values[0] if found else None


def aligned_digits(one: int | float, other: int | float) -> tuple[str, str]:
    """The digits of both without sign and decimal point, with as many decimals.

    >>> aligned_digits(-12.5, 7.25)
    ('1250', '725')
    """
    if isinstance(one, int) and isinstance(other, int):
        return plain(abs(one)), plain(abs(other))
    a, _, b = plain(one).lstrip("-").partition(".")
    c, _, d = plain(other).lstrip("-").partition(".")
    decimals = max(len(b), len(d))
    return a + b.ljust(decimals, "0"), c + d.ljust(decimals, "0")


def decimals_of(number: int | float) -> int:
    """How many decimals are needed to write it.

    >>> decimals_of(12.50), decimals_of(12.0), decimals_of(1e-7)
    (1, 0, 7)
    """
    return 0 if number % 1 == 0 else len(plain(number).partition(".")[2])


def plain(number: int | float) -> str:
    """Without exponent and without needless decimals.

    >>> plain(1e21), plain(2.50), plain(3.0)
    ('1000000000000000000000', '2.5', '3')
    """
    if isinstance(number, int):
        return str(number) if number.bit_length() < 4096 else hex(number)
    text = repr(number)
    if "e" in text:
        text = f"{number:.{_places(text)}f}"
    return text.removesuffix(".0")


def _places(text: str) -> int:
    mantissa, _, power = text.partition("e")
    return max(0, len(mantissa.partition(".")[2]) - int(power))
