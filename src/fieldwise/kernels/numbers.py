"""Numbers: whether two are within a tolerance, and reading them from text.

Tolerances are inclusive as people write them. Binary rounding gets a slack of 1e-9 of the tolerance plus 4 ulp of the larger
number; there is none at tolerance 0 and none between integers, whose digits are compared as they are, however many.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, ulp
from sys import float_info
from typing import Final
from unicodedata import decimal

import numpy as np
from numpy.typing import NDArray

Number = int | float

SHARE: Final = 1e-9
ULPS: Final = 4
_SAFE = 2**52
"""Integers up to here, and their differences, are exact as floats."""
_FEW = 24
"""Up to so many pairs, plain Python is faster than arrays."""


def close(expected: Number, actual: Number, tolerance: float = 0.0, relative: bool = False) -> bool:
    """Whether two numbers are within the tolerance, read as a share of `expected` if `relative`, except where that is 0.

    >>> close(1.0, 1.1, 0.1), close(1_000_000_000.00, 1_000_000_000.99, 0.01), close(2**53, 2**53 + 1)
    (True, False, False)
    """
    whole = isinstance(expected, int) and isinstance(actual, int)
    if not whole and not (_is_finite(expected) and _is_finite(actual)):
        return False
    if tolerance == 0:
        return expected == actual
    if _too_long(expected) or _too_long(actual):
        return _close_exactly(expected, actual, tolerance, relative)
    difference = abs(float(actual) - float(expected))
    bound = tolerance * abs(float(expected)) if relative and expected != 0 else tolerance
    if difference + bound == float("inf"):
        return _close_exactly(expected, actual, tolerance, relative)
    if not whole:
        return difference <= bound + (SHARE * bound + ULPS * ulp(max(abs(expected), abs(actual))))
    if relative and abs(difference - bound) <= SHARE * bound:
        return _close_exactly(expected, actual, tolerance, relative)
    return difference <= bound


def _is_finite(number: Number) -> bool:
    return isinstance(number, int) or isfinite(number)


def _too_long(number: Number) -> bool:
    return isinstance(number, int) and not -_SAFE <= number <= _SAFE


def _close_exactly(expected: Number, actual: Number, tolerance: float, relative: bool) -> bool:
    """The same rule without rounding; the tolerance is the decimal that was written, so that 129 is within 29 % of 100."""
    bound = Fraction(repr(float(tolerance)))
    if relative and expected != 0:
        bound *= abs(Fraction(expected))
    if not (isinstance(expected, int) and isinstance(actual, int)):
        larger = min(max(abs(expected), abs(actual)), float_info.max)
        bound += bound * Fraction(1, 10**9) + ULPS * Fraction(ulp(larger))
    return abs(Fraction(actual) - Fraction(expected)) <= bound


def within(expected: Sequence[Number], actual: Sequence[Number], tolerance: float = 0.0, relative: bool = False) -> NDArray[np.bool_]:
    """`close` for each pair.

    >>> within([100, 100, 0], [102, 105, 0.02], 0.02, relative=True).tolist()
    [True, False, True]
    """
    if len(expected) > _FEW:
        left, right = _as_floats(expected), _as_floats(actual)
        if left is not None and right is not None:
            good, unsure = _decide(left, right, tolerance, relative)
            for row in np.flatnonzero(unsure).tolist():
                good[row] = close(expected[row], actual[row], tolerance, relative)
            return good
    return np.array([close(one, other, tolerance, relative) for one, other in zip(expected, actual, strict=True)], dtype=np.bool_)


def within_grid(expected: Sequence[Number], actual: Sequence[Number], tolerance: float = 0.0, relative: bool = False) -> NDArray[np.bool_]:
    """`close` for every expected with every actual number.

    >>> within_grid([1, 2], [1, 2, 3], 1).tolist()
    [[True, True, False], [True, True, True]]
    """
    grid = np.zeros((len(expected), len(actual)), dtype=np.bool_)
    left, right = _as_floats(expected), _as_floats(actual)
    if left is None or right is None:
        for row, one in enumerate(expected):
            grid[row] = [close(one, other, tolerance, relative) for other in actual]
        return grid
    rows, columns = _candidates(left[0], right[0], tolerance, relative)
    ours, theirs = (left[0][rows], left[1][rows]), (right[0][columns], right[1][columns])
    good, unsure = _decide(ours, theirs, tolerance, relative)
    for at in np.flatnonzero(unsure).tolist():
        good[at] = close(expected[int(rows[at])], actual[int(columns[at])], tolerance, relative)
    grid[rows[good], columns[good]] = True
    return grid


def _candidates(
    expected: NDArray[np.float64], actual: NDArray[np.float64], tolerance: float, relative: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pairs that may be within the tolerance, found by sorting: few pairs are, and only those are looked at closely."""
    with np.errstate(over="ignore", invalid="ignore"):
        reach = np.abs(expected) * tolerance if relative else np.full_like(expected, tolerance)
        reach = np.where(expected == 0, tolerance, reach)
        reach = reach * (1 + 1e-6) + 16 * np.spacing(np.abs(expected) + reach)
        reach = np.where(np.isfinite(reach), reach, np.inf)
        low, high = expected - reach, expected + reach
    order = np.argsort(actual)
    ordered = actual[order]
    first, last = np.searchsorted(ordered, low, "left"), np.searchsorted(ordered, high, "right")
    counts = np.where(np.isfinite(expected), last - first, 0)
    rows = np.repeat(np.arange(len(expected)), counts)
    starts = np.repeat(first - np.concatenate([[0], np.cumsum(counts)[:-1]]) if len(counts) else first, counts)
    return rows, order[np.arange(len(rows)) + starts]


_Floats = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""Numbers as floats, and which of them are integers."""


def _as_floats(numbers: Sequence[Number]) -> _Floats | None:
    """None where an integer is larger than any float."""
    try:
        floats = np.array(numbers, dtype=np.float64)
    except OverflowError:
        return None
    kinds = set(map(type, numbers))
    if len(kinds) == 1:
        return floats, np.full(len(floats), issubclass(kinds.pop(), int))
    return floats, np.fromiter((isinstance(number, int) for number in numbers), np.bool_, len(floats))


def _decide(left: _Floats, right: _Floats, tolerance: float, relative: bool) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """What arrays can tell by the rule of `close`, and where they cannot be sure."""
    (expected, expected_whole), (actual, actual_whole) = left, right
    size, other = np.abs(expected), np.abs(actual)
    unsure = (expected_whole & (size > _SAFE)) | (actual_whole & (other > _SAFE))
    if tolerance == 0:
        return (expected == actual) & np.isfinite(expected) & np.isfinite(actual), unsure
    with np.errstate(over="ignore", invalid="ignore"):
        difference = np.abs(actual - expected)
        bound = np.where(expected == 0, 1.0, size) * tolerance if relative else np.full_like(size, tolerance)
        whole = expected_whole & actual_whole
        slack = SHARE * bound + ULPS * np.spacing(np.maximum(size, other))
        good = difference <= bound + np.where(whole, 0.0, slack)
        finite = np.isfinite(expected) & np.isfinite(actual)
        unsure |= np.isinf(difference + bound)
        if relative:
            unsure |= whole & (np.abs(difference - bound) <= SHARE * bound)
    return good & finite, unsure & finite


_CURRENCY = (
    r"(?:[A-Z]{0,3}[$¢£¤¥֏؋৲৳৻૱௹฿៛₠-⃀﷼]|AED|ARS|AUD|BGN|BRL|CAD|CHF|CLP|CNY|COP|CZK|DKK|EGP|EUR|GBP|HKD|HUF|IDR|ILS|INR|ISK|JPY|KES"
    r"|KRW|KWD|MAD|MXN|MYR|NGN|NOK|NZD|PEN|PHP|PKR|PLN|QAR|RON|RSD|RUB|SAR|SEK|SGD|THB|TND|TRY|TWD|UAH|USD|VND|ZAR|kr\.?|zł|Rs\.?|Fr\.)"
)
_DRESSED = re.compile(
    rf"(?P<sign>[-+]?) ?(?:{_CURRENCY} ?)?(?P<inner>[-+]?) ?"
    rf"(?P<digits>[\d., ']*\d\.?(?:[eE][-+]?\d{{1,5}})?)(?P<after>-?) ?(?:{_CURRENCY}|%)?",
    re.ASCII,
)
_IN_PARENTHESES = re.compile(r"([^\d().,]{0,6})\( ?([^()]*?) ?\)( ?%?)", re.ASCII)
_PLAIN = re.compile(r"[-+]?\d+(?:\.\d*)?|[-+]?\.\d+", re.ASCII)
_GROUPS = re.compile(r"\d{1,3}(?:([., '])\d{3})(?:\1\d{3})*|\d{1,2}(?:,\d{2})+,\d{3}", re.ASCII)
_LONGEST = 4300
"""Python reads no longer integers."""
_ASCII: Final = {
    **dict.fromkeys(map(ord, "−‐‑–﹣－"), "-"),
    **dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f\u3000"), " "),
    **dict.fromkeys(map(ord, "’ʼ"), "'"),
    **{ord(wide): narrow for wide, narrow in zip("（）＋．，％＄￡￥٫٬", "()+.,%$£¥.,", strict=True)},
}


def parse_number(text: str) -> Number | None:
    """The number a text shows, or None. Currency and percent signs are dropped: `12 %` is 12.

    Parentheses, a leading or a trailing minus make it negative. Where commas and points both occur, the last is the decimal
    sign. Alone, a point is one unless it occurs twice (`1.234` is 1.234; `1.234.567` is 1234567), and a comma is one unless it
    sets off three digits as in `1,234`. Spaces and apostrophes only ever set off groups of three.

    >>> [parse_number(text) for text in ("1,234.50", "$5", "(3.2)", "12 %", "€ 1.234,56", "1 234.50", "12,5", "abc")]
    [1234.5, 5, -3.2, 12, 1234.56, 1234.5, 12.5, None]
    """
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    if not text.isascii():
        text = _to_ascii(text)
    if _PLAIN.fullmatch(text):
        return _read(text)
    inside = _IN_PARENTHESES.fullmatch(text)
    found = _DRESSED.fullmatch("".join(inside.groups()) if inside else text)
    number = _read_digits(found["digits"]) if found else None
    if found is None or number is None:
        return None
    signs = found["sign"] + found["inner"] + found["after"] + ("-" if inside else "")
    if len(signs) > 1:
        return None
    return -number if signs == "-" else number


def _to_ascii(text: str) -> str:
    """Digits of any script, wide signs and odd spaces as the plain ones; superscripts are no digits and stay."""
    return "".join(_ASCII.get(ord(char)) or str(decimal(char, char)) for char in text).strip()


def _read_digits(digits: str) -> Number | None:
    mantissa, mark, exponent = digits.lower().partition("e")
    point = _decimal_sign(mantissa)
    whole, _, fraction = mantissa.rpartition(point) if point else (mantissa, "", "")
    grouped = _GROUPS.fullmatch(whole)
    if grouped:
        whole = re.sub(r"\D", "", whole)
    if not (whole + fraction).isdigit() or (grouped and grouped[1] == point):
        return None
    return _read(f"{whole or '0'}{'.' if point else ''}{fraction}{mark}{exponent}")


def _decimal_sign(mantissa: str) -> str:
    """The decimal sign of a number as people write it; empty if it has none."""
    points, commas = mantissa.count("."), mantissa.count(",")
    if points and commas:
        return "." if mantissa.rfind(".") > mantissa.rfind(",") else ","
    if points:
        return "." if points == 1 else ""
    if commas != 1:
        return ""
    thousands = re.fullmatch(r"[1-9]\d{0,2},\d{3}", mantissa)
    return "" if thousands else ","


def _read(text: str) -> Number | None:
    if text.lstrip("+-").isdigit():
        return int(text)
    number = float(text)
    return number if isfinite(number) else None
