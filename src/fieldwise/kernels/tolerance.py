"""Comparison of numbers within a tolerance, for one pair, many pairs and grids.

Tolerances are inclusive as people write them. Binary rounding gets a slack of 1e-9 of the tolerance plus 4 ulp of the larger
number; there is none at tolerance 0 and none between integers and long decimals in text, whose digits are compared exactly, however many.
`is_close` defines the rule; the array functions must agree with it on every pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite, nextafter, ulp
from sys import float_info
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fieldwise.kernels.numbers import Number
from fieldwise.kernels.numerals import MAX_FLOAT_DIGITS, LongDecimal
from fieldwise.numpy_on_use import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SLACK_SHARE: Final = 1e-9
_SLACK_ULPS: Final = 4
_MAX_EXACT_INTEGER: Final = 2**52
"""Integers up to here, and their differences, are exact as floats."""
_MAX_DENSE_CELLS: Final = 10_000
"""Up to this many cells, comparing every pair is faster than sorting."""
_MAX_STEPS: Final = 64
"""Floats to try around an estimate of the smallest tolerance before all floats are searched."""
_ESTIMATE_ERROR: Final = 1e-13
"""Relative error within which an estimate of the smallest tolerance is trusted; where it is larger, the estimate is not used."""
_MAX_PAIRS_IN_PYTHON: Final = 24
"""Up to this many pairs, plain Python is faster than arrays."""


def is_close(expected: Number, actual: Number, tolerance: float = 0.0, relative: bool = False) -> bool:
    """Return whether two numbers are within the tolerance, a share of `expected` if `relative`, except where that is 0.

    >>> is_close(1.0, 1.1, 0.1), is_close(1_000_000_000.00, 1_000_000_000.99, 0.01), is_close(2**53, 2**53 + 1)
    (True, False, False)
    """
    integers = isinstance(expected, int) and isinstance(actual, int)
    if not integers and not (_is_finite(expected) and _is_finite(actual)):
        return False
    if type(expected) is LongDecimal or type(actual) is LongDecimal:
        exact = _to_fraction(expected), _to_fraction(actual)
        if exact[0] is not None and exact[1] is not None:
            return _is_close_exactly(exact[0], exact[1], tolerance, relative)
    if tolerance == 0:
        return expected == actual
    if _is_inexact_integer(expected) or _is_inexact_integer(actual):
        return _is_close_in_fractions(expected, actual, tolerance, relative)
    difference = abs(float(actual) - float(expected))
    bound = tolerance * abs(float(expected)) if relative and expected != 0 else tolerance
    if difference + bound == float("inf"):
        return _is_close_in_fractions(expected, actual, tolerance, relative)
    if not integers:
        return difference <= bound + (_SLACK_SHARE * bound + _SLACK_ULPS * ulp(max(abs(expected), abs(actual))))
    if relative and abs(difference - bound) <= _SLACK_SHARE * bound:
        return _is_close_in_fractions(expected, actual, tolerance, relative)
    return difference <= bound


def _is_finite(number: Number) -> bool:
    return isinstance(number, int) or isfinite(number)


def _is_inexact_integer(number: Number) -> bool:
    return isinstance(number, int) and not -_MAX_EXACT_INTEGER <= number <= _MAX_EXACT_INTEGER


def _to_fraction(number: Number) -> Fraction | None:
    """The number as it was written; None for a float with more digits than floats keep, which may be any of several numbers."""
    if isinstance(number, LongDecimal):
        return Fraction(number.exact)
    if isinstance(number, int):
        return Fraction(number)
    written = Decimal(repr(float(number)))
    return Fraction(written) if len(written.as_tuple().digits) <= MAX_FLOAT_DIGITS else None


def _is_close_exactly(expected: Fraction, actual: Fraction, tolerance: float, relative: bool) -> bool:
    """Apply the rule to numbers as they were written: there is no binary rounding, so no slack."""
    bound = Fraction(repr(float(tolerance)))
    if relative and expected != 0:
        bound *= abs(expected)
    return abs(actual - expected) <= bound


def _is_close_in_fractions(expected: Number, actual: Number, tolerance: float, relative: bool) -> bool:
    """Apply the rule without rounding; the tolerance is the decimal that was written, so that 129 is within 29 % of 100."""
    bound = Fraction(repr(float(tolerance)))
    if relative and expected != 0:
        bound *= abs(Fraction(expected))
    if not (isinstance(expected, int) and isinstance(actual, int)):
        larger = min(max(abs(expected), abs(actual)), float_info.max)
        bound += bound * Fraction(1, 10**9) + _SLACK_ULPS * Fraction(ulp(larger))
    return abs(Fraction(actual) - Fraction(expected)) <= bound


def within_tolerance(
    expected: Sequence[Number], actual: Sequence[Number], tolerance: float = 0.0, relative: bool = False
) -> NDArray[np.bool_]:
    """Apply `is_close` to each pair.

    >>> within_tolerance([100, 100, 0], [102, 105, 0.02], 0.02, relative=True).tolist()
    [True, False, True]
    """
    if len(expected) > _MAX_PAIRS_IN_PYTHON:
        expected_floats, actual_floats = _to_floats(expected), _to_floats(actual)
        if expected_floats is not None and actual_floats is not None:
            close, undecided = _compare_floats(expected_floats, actual_floats, tolerance, relative)
            for row in np.flatnonzero(undecided).tolist():
                close[row] = is_close(expected[row], actual[row], tolerance, relative)
            return close
    pairs = zip(expected, actual, strict=True)
    return np.array([is_close(left, right, tolerance, relative) for left, right in pairs], dtype=np.bool_)


def smallest_tolerances(expected: Sequence[Number], actual: Sequence[Number], relative: bool = False) -> NDArray[np.float64]:
    """Find the smallest tolerance at which `is_close` accepts each pair; infinite where there is none, never subnormal.

    A pair is close exactly from this tolerance on, so a stored result decides every other tolerance without the two numbers.

    >>> smallest_tolerances([100, 5, 1.0], [102, 5, 1.5]).round(6).tolist(), smallest_tolerances([100], [102], relative=True).tolist()
    ([2.0, 0.0, 0.5], [0.02])
    """
    if len(expected) > _MAX_PAIRS_IN_PYTHON:
        expected_floats, actual_floats = _to_floats(expected), _to_floats(actual)
        if expected_floats is not None and actual_floats is not None:
            return _bisect_tolerances(expected, actual, (expected_floats, actual_floats), relative)
    pairs = zip(expected, actual, strict=True)
    return np.array([smallest_tolerance(left, right, relative) for left, right in pairs], dtype=np.float64)


def smallest_tolerance(expected: Number, actual: Number, relative: bool = False) -> float:
    """Find the smallest tolerance at which `is_close` holds, by walking from an estimate to the neighbouring floats."""
    if is_close(expected, actual):
        return 0.0
    if not (_is_finite(expected) and _is_finite(actual)):
        return inf
    tolerance = _estimate_tolerance(expected, actual, relative)
    for _ in range(_MAX_STEPS):
        if tolerance == inf or is_close(expected, actual, tolerance, relative):
            break
        tolerance = nextafter(tolerance, inf)
    else:
        return _bisect_tolerance(expected, actual, relative)
    for _ in range(_MAX_STEPS):
        lower = nextafter(tolerance, 0.0)
        if lower < float_info.min or not is_close(expected, actual, lower, relative):
            return tolerance
        tolerance = lower
    return _bisect_tolerance(expected, actual, relative)


def _estimate_tolerance(expected: Number, actual: Number, relative: bool) -> float:
    """Solve the rule of `is_close` for the tolerance, up to rounding; never 0."""
    is_integers = isinstance(expected, int) and isinstance(actual, int)
    try:
        scale = abs(float(expected)) if relative and expected != 0 else 1.0
        difference = abs(float(actual) - float(expected))
        if difference == inf or _is_inexact_integer(expected) or _is_inexact_integer(actual):
            difference = float(abs(Fraction(actual) - Fraction(expected)))
        if not is_integers:
            difference = max(difference - _SLACK_ULPS * ulp(max(abs(float(expected)), abs(float(actual)))), 0.0) / (1 + _SLACK_SHARE)
    except OverflowError:
        return float_info.max
    return min(max(difference / scale, float_info.min), float_info.max)


def _bisect_tolerance(expected: Number, actual: Number, relative: bool) -> float:
    """Search all positive floats: their bit patterns are ordered as they are."""
    low, high = int(np.float64(float_info.min).view(np.int64)) - 1, int(np.float64(inf).view(np.int64))
    while high - low > 1:
        middle = (low + high) // 2
        is_enough = is_close(expected, actual, float(np.int64(middle).view(np.float64)), relative)
        low, high = (low, middle) if is_enough else (middle, high)
    return float(np.int64(high).view(np.float64))


def _bisect_tolerances(
    expected: Sequence[Number], actual: Sequence[Number], floats: tuple[_Floats, _Floats], relative: bool
) -> NDArray[np.float64]:
    """Apply `smallest_tolerance` in arrays: bisect the bit patterns around an estimate, and leave doubtful rows to it."""
    (expected_values, expected_is_int), (actual_values, actual_is_int) = floats
    equal, doubtful = _compare_floats(*floats, 0.0, relative)
    # integers are compared without slack, and their shares in fractions
    is_integers = expected_is_int & actual_is_int
    if relative:
        doubtful |= is_integers
    with np.errstate(over="ignore", invalid="ignore"):
        difference = np.abs(actual_values - expected_values)
        slack = _SLACK_ULPS * np.spacing(np.maximum(np.abs(expected_values), np.abs(actual_values)))
        estimate = np.where(is_integers, difference, np.maximum(difference - slack, 0.0) / (1 + _SLACK_SHARE))
        if relative:
            estimate /= np.where(expected_values == 0, 1.0, np.abs(expected_values))
        low = np.where(estimate > float_info.min, estimate * (1 - _ESTIMATE_ERROR), 0.0)
        high = np.maximum(estimate * (1 + _ESTIMATE_ERROR), float_info.min)
    doubtful |= ~np.isfinite(high)
    low, high = np.where(doubtful, 0.0, low), np.where(doubtful, 1.0, high)
    is_low_enough, undecided = _compare_at(*floats, low, relative)
    doubtful |= undecided | (is_low_enough & (low > 0))
    is_high_enough, undecided = _compare_at(*floats, high, relative)
    doubtful |= undecided | ~is_high_enough
    low_bits, high_bits = low.view(np.int64), high.view(np.int64)
    while bool(((high_bits - low_bits > 1) & (low_bits > 0))[~doubtful].any()):
        middle = low_bits + (high_bits - low_bits) // 2
        is_enough, undecided = _compare_at(*floats, middle.view(np.float64), relative)
        doubtful |= undecided
        low_bits, high_bits = np.where(is_enough, low_bits, middle), np.where(is_enough, middle, high_bits)
    tolerances = np.where(equal, 0.0, np.maximum(high_bits.view(np.float64), float_info.min))
    for row in np.flatnonzero(doubtful).tolist():
        tolerances[row] = smallest_tolerance(expected[row], actual[row], relative)
    return tolerances


def prepare_tolerance_grid(
    expected: Sequence[Number], actual: Sequence[Number], tolerance: float = 0.0, relative: bool = False
) -> Callable[[slice, slice], NDArray[np.bool_]]:
    """Return the function that applies `is_close` to every pair of any part of two columns, bool[n, m]; the numbers are read once.

    >>> prepare_tolerance_grid([1, 2], [1, 2, 3], 1)(slice(None), slice(None)).tolist()
    [[True, True, False], [True, True, True]]
    """
    expected_floats, actual_floats = _to_floats(expected), _to_floats(actual)
    if expected_floats is None or actual_floats is None:
        return lambda rows, columns: _grid_pair_by_pair(expected[rows], actual[columns], tolerance, relative)
    largest = max(float(np.fmax.reduce(np.abs(side[0]), initial=0.0)) for side in (expected_floats, actual_floats))  # NaN aside
    rounding = _SLACK_ULPS * ulp(largest)
    is_exact = largest < _MAX_EXACT_INTEGER and (tolerance == 0 or rounding <= tolerance)

    def compute_grid(rows: slice, columns: slice) -> NDArray[np.bool_]:
        numbers = expected[rows], actual[columns]
        if is_exact and len(numbers[0]) * len(numbers[1]) <= _MAX_DENSE_CELLS:
            return _dense_grid(numbers, (expected_floats[0][rows], actual_floats[0][columns]), tolerance, relative, rounding)
        floats = (expected_floats[0][rows], expected_floats[1][rows]), (actual_floats[0][columns], actual_floats[1][columns])
        return _sparse_grid(numbers, floats, tolerance, relative)

    return compute_grid


_Numbers = tuple[Sequence[Number], Sequence[Number]]
"""Expected and actual numbers."""


def _grid_pair_by_pair(expected: Sequence[Number], actual: Sequence[Number], tolerance: float, relative: bool) -> NDArray[np.bool_]:
    close = [is_close(number, candidate, tolerance, relative) for number in expected for candidate in actual]
    return np.array(close, dtype=np.bool_).reshape(len(expected), len(actual))


def _dense_grid(
    numbers: _Numbers, floats: tuple[NDArray[np.float64], NDArray[np.float64]], tolerance: float, relative: bool, rounding: float
) -> NDArray[np.bool_]:
    """Compare every pair, and those at the edge of the tolerance by `is_close`: 5 times as fast as sorting for 50 × 50 numbers.

    The numbers are finite or NaN, which is close to nothing, and `rounding` is at most the tolerance.
    """
    expected_floats, actual_floats = floats
    if tolerance == 0:
        return np.equal.outer(expected_floats, actual_floats)
    distance = np.abs(np.subtract.outer(expected_floats, actual_floats))
    bound: Any = tolerance
    if relative:
        bound = np.where(expected_floats == 0, 1.0, np.abs(expected_floats))[:, None] * tolerance
    edge = np.abs(distance - bound) <= 2 * (_SLACK_SHARE * bound + rounding)
    close = distance <= bound
    if np.count_nonzero(edge):
        for row, column in np.argwhere(edge).tolist():
            close[row, column] = is_close(numbers[0][row], numbers[1][column], tolerance, relative)
    return close


def _sparse_grid(numbers: _Numbers, floats: tuple[_Floats, _Floats], tolerance: float, relative: bool) -> NDArray[np.bool_]:
    """Compare the pairs that sorting finds near each other."""
    (expected, expected_is_int), (actual, actual_is_int) = floats
    rows, columns = _find_candidates(expected, actual, tolerance, relative)
    row_floats = expected[rows], expected_is_int[rows]
    column_floats = actual[columns], actual_is_int[columns]
    close, undecided = _compare_floats(row_floats, column_floats, tolerance, relative)
    for position in np.flatnonzero(undecided).tolist():
        close[position] = is_close(numbers[0][int(rows[position])], numbers[1][int(columns[position])], tolerance, relative)
    grid = np.zeros((len(expected), len(actual)), dtype=np.bool_)
    grid[rows[close], columns[close]] = True
    return grid


def _find_candidates(
    expected: NDArray[np.float64], actual: NDArray[np.float64], tolerance: float, relative: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns of the pairs that may be within the tolerance, by sorting: few are, and only those are compared."""
    low, high = bound_close_numbers(expected, tolerance, relative)
    order = np.argsort(actual)
    ordered = actual[order]
    first, last = np.searchsorted(ordered, low, "left"), np.searchsorted(ordered, high, "right")
    counts = np.where(np.isfinite(expected), last - first, 0)
    rows = np.repeat(np.arange(len(expected)), counts)
    starts = np.repeat(first - (np.cumsum(counts) - counts), counts)
    return rows, order[np.arange(len(rows)) + starts]


def bound_close_numbers(
    expected: NDArray[np.float64], tolerance: float, relative: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return bounds between which all numbers lie that may be within the tolerance of each number.

    >>> [bound.round(3).tolist() for bound in bound_close_numbers(np.array([100.0, 0.0]), 0.02, relative=True)]
    [[98.0, -0.02], [102.0, 0.02]]
    """
    with np.errstate(over="ignore", invalid="ignore"):
        reach = np.abs(expected) * tolerance if relative else np.full_like(expected, tolerance)
        reach = np.where(expected == 0, tolerance, reach)
        reach = reach * (1 + 1e-6) + 16 * np.spacing(np.abs(expected) + reach)
        reach = np.where(np.isfinite(reach), reach, np.inf)
        return expected - reach, expected + reach


_Floats: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.bool_]]"
"""Numbers as floats, and which of them are integers."""


def _to_floats(numbers: Sequence[Number]) -> _Floats | None:
    """Convert numbers; None if an integer is larger than any float, or a decimal has more digits than floats keep."""
    try:
        floats = np.array(numbers, dtype=np.float64)
    except OverflowError:
        return None
    types = set(map(type, numbers))
    if LongDecimal in types:
        return None
    if len(types) == 1:
        return floats, np.full(len(floats), issubclass(types.pop(), int))
    return floats, np.fromiter((isinstance(number, int) for number in numbers), np.bool_, len(floats))


def _compare_floats(
    expected_floats: _Floats, actual_floats: _Floats, tolerance: float, relative: bool
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Apply the rule of `is_close` in arrays: the result, and where only `is_close` itself can decide."""
    if tolerance != 0:
        return _compare_at(expected_floats, actual_floats, tolerance, relative)
    (expected, _), (actual, _) = expected_floats, actual_floats
    return (expected == actual) & np.isfinite(expected) & np.isfinite(actual), _find_inexact(expected_floats, actual_floats)


def _find_inexact(expected_floats: _Floats, actual_floats: _Floats) -> NDArray[np.bool_]:
    """Find the pairs with an integer that is not exact as a float."""
    (expected, expected_is_int), (actual, actual_is_int) = expected_floats, actual_floats
    return (expected_is_int & (np.abs(expected) > _MAX_EXACT_INTEGER)) | (actual_is_int & (np.abs(actual) > _MAX_EXACT_INTEGER))


def _compare_at(
    expected_floats: _Floats, actual_floats: _Floats, tolerance: float | NDArray[np.float64], relative: bool
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Apply `_compare_floats` at a positive tolerance, or at one for each pair."""
    (expected, expected_is_int), (actual, actual_is_int) = expected_floats, actual_floats
    expected_size, actual_size = np.abs(expected), np.abs(actual)
    undecided = _find_inexact(expected_floats, actual_floats)
    with np.errstate(over="ignore", invalid="ignore"):
        difference = np.abs(actual - expected)
        bound = np.where(expected == 0, 1.0, expected_size) * tolerance if relative else np.broadcast_to(tolerance, expected_size.shape)
        integers = expected_is_int & actual_is_int
        slack = _SLACK_SHARE * bound + _SLACK_ULPS * np.spacing(np.maximum(expected_size, actual_size))
        close = difference <= bound + np.where(integers, 0.0, slack)
        finite = np.isfinite(expected) & np.isfinite(actual)
        undecided |= np.isinf(difference + bound + slack)  # the spacing of the largest float is infinite
        if relative:
            undecided |= integers & (np.abs(difference - bound) <= _SLACK_SHARE * bound)
    return close & finite, undecided & finite
