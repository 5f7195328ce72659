"""Numbers within a tolerance."""

import math
import pickle
import random
import sys
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.numbers import Number
from fieldwise.kernels.numerals import LongDecimal
from fieldwise.kernels.tolerance import is_close, prepare_tolerance_grid, smallest_tolerance, smallest_tolerances, within_tolerance

law = settings(max_examples=150, deadline=None)
numbers = st.sampled_from(
    [
        0,
        1,
        2,
        3,
        -1,
        100,
        129,
        0.0,
        -0.0,
        0.1,
        0.2,
        0.3,
        0.1 + 0.2,
        1.0,
        1.1,
        1.01,
        -1.1,
        2**52,
        2**53,
        2**53 + 1,
        float(2**53),
        10**400,
        1e16,
        1e308,
        -1e308,
        1.7e308,
        -1.7e308,
        5e-324,
        math.nan,
        math.inf,
        -math.inf,
    ]
)


finite = numbers.filter(lambda number: isinstance(number, int) or math.isfinite(number))


tolerances = st.sampled_from([0.0, 5e-324, 0.01, 0.1, 0.29, 0.5, 1.0, 1.5, 2.0, 1e300])


pairs = st.lists(st.tuples(numbers, numbers), min_size=30, max_size=40)


def compare_all(expected: Sequence[Number], actual: Sequence[Number], *options: Any) -> Any:
    return prepare_tolerance_grid(expected, actual, *options)(slice(None), slice(None))


@given(pairs=pairs, tolerance=tolerances, relative=st.booleans())
@law
def test_arrays_decide_as_single_numbers_do(pairs: list[tuple[Number, Number]], tolerance: float, relative: bool) -> None:
    close = within_tolerance([expected for expected, _ in pairs], [actual for _, actual in pairs], tolerance, relative)
    assert close.tolist() == [is_close(expected, actual, tolerance, relative) for expected, actual in pairs]


@given(
    pairs=st.lists(st.tuples(st.sampled_from([0.0, 0.1, 1.1, 1.0]), st.sampled_from([0.0, 1.0, 0.9])), min_size=30), tolerance=tolerances
)
@law
def test_arrays_of_nothing_but_floats_decide_as_single_numbers_do(pairs: list[tuple[float, float]], tolerance: float) -> None:
    close = within_tolerance([expected for expected, _ in pairs], [actual for _, actual in pairs], tolerance)
    assert close.tolist() == [is_close(expected, actual, tolerance) for expected, actual in pairs]


@given(expected=st.lists(numbers, max_size=6), actual=st.lists(numbers, max_size=6), tolerance=tolerances, relative=st.booleans())
@law
def test_a_grid_decides_as_single_numbers_do(expected: list[Number], actual: list[Number], tolerance: float, relative: bool) -> None:
    close = compare_all(expected, actual, tolerance, relative)
    assert close.tolist() == [[is_close(left, right, tolerance, relative) for right in actual] for left in expected]


@given(expected=finite, actual=finite, tolerance=tolerances)
@law
def test_what_is_within_the_tolerance_matches_and_what_is_beyond_the_slack_does_not(
    expected: Number, actual: Number, tolerance: float
) -> None:
    difference = abs(Fraction(expected) - Fraction(actual))
    bound = Fraction(repr(tolerance))
    larger = min(max(abs(expected), abs(actual)), 1.7e308)
    if difference <= bound:
        assert is_close(expected, actual, tolerance)
    if tolerance == 0 or (isinstance(expected, int) and isinstance(actual, int)):
        assert is_close(expected, actual, tolerance) == (difference <= bound)
    elif difference > bound * Fraction(1 + 2e-9) + 10 * Fraction(math.ulp(larger)):
        assert not is_close(expected, actual, tolerance)


@given(expected=finite, actual=finite, tolerance=tolerances)
@law
def test_an_absolute_tolerance_has_no_direction(expected: Number, actual: Number, tolerance: float) -> None:
    assert is_close(expected, actual, tolerance) == is_close(actual, expected, tolerance)


def test_the_largest_float_is_close_to_itself_alone() -> None:
    largest = 1.7976931348623157e308
    assert within_tolerance([1e-130] * 30, [largest] * 30, 1e-6, relative=True).tolist() == [False] * 30
    assert within_tolerance([largest] * 30, [largest] * 30, 1e-6, relative=True).tolist() == [True] * 30


def test_a_dense_grid_agrees_with_the_rule_at_the_edge_of_the_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    numbers: list[Number] = [0, 1, -1, 2**51, 2**52, 2**60, 1e15, 0.1, 100, 100.0, float("inf"), float("nan")]
    for _ in range(300):
        expected = [rng.choice(numbers) if rng.random() < 0.3 else round(rng.uniform(-20, 20), 2) for _ in range(6)]
        tolerance, relative = rng.choice([0.0, 0.01, 0.1, 1.0, 0.29]), rng.random() < 0.3
        nearby = [number + rng.choice([0, 1, -1]) * (tolerance * abs(number) if relative else tolerance) for number in expected]
        actual = [*nearby, *(int(number) for number in nearby if abs(number) < 2**60)]
        rule = [[is_close(left, right, tolerance, relative) for right in actual] for left in expected]
        assert compare_all(expected, actual, tolerance, relative).tolist() == rule
        with monkeypatch.context() as patched:
            patched.setattr("fieldwise.kernels.tolerance._MAX_DENSE_CELLS", 0)
            assert compare_all(expected, actual, tolerance, relative).tolist() == rule


@law
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=40), st.booleans())
def test_a_pair_is_close_exactly_from_its_smallest_tolerance_on(pairs, relative):
    expected, actual = [left for left, _ in pairs], [right for _, right in pairs]
    tolerances = smallest_tolerances(expected, actual, relative).tolist()
    for left, right, tolerance in zip(expected, actual, tolerances, strict=True):
        assert tolerance == smallest_tolerance(left, right, relative)
        if tolerance < math.inf:
            assert is_close(left, right, tolerance, relative)
        if sys.float_info.min < tolerance:
            assert not is_close(left, right, min(math.nextafter(tolerance, 0.0), sys.float_info.max), relative)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_grid_with_integers_beyond_floats_on_one_side_is_compared_exactly(swapped: bool) -> None:
    huge, small = [10**400, 5], [1.0, 5.0, 2]
    expected, actual = (small, huge) if swapped else (huge, small)
    cells = [[is_close(left, right, 1.0) for right in actual] for left in expected]
    assert compare_all(expected, actual, 1.0).tolist() == cells


def test_a_relative_tolerance_of_0_is_absolute_for_large_integers_too() -> None:
    assert is_close(0, 2**60, 2.0**60, relative=True)
    assert not is_close(0, 2**61, 2.0**60, relative=True)


def test_shares_of_integers_are_exact_in_arrays_too() -> None:
    pairs = [(expected, actual) for expected in range(-9, 10) for actual in range(-9, 40, 7)]
    expected, actual = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    assert smallest_tolerances(expected, actual, relative=True).tolist() == [smallest_tolerance(*pair, relative=True) for pair in pairs]


LONG = LongDecimal(Decimal("1234567890123456.78"))
NEXT = LongDecimal(Decimal("1234567890123456.79"))


def test_decimals_with_more_digits_than_floats_keep_are_compared_exactly() -> None:
    assert float(LONG) == float(NEXT)
    assert not is_close(LONG, NEXT)
    assert is_close(LONG, LongDecimal(Decimal("1234567890123456.780")))
    assert is_close(LONG, NEXT, 0.01)
    assert not is_close(LONG, NEXT, 0.009)
    assert is_close(LongDecimal(Decimal("0.1234567890123456789")), 0.1234567890123456789)  # the float that JSON keeps
    assert not is_close(10**21, LongDecimal(Decimal("1000000000000000000000.01")))
    assert not is_close(0.5, LongDecimal(Decimal("0.50000000000000000001")))
    assert is_close(100, LongDecimal(Decimal("100.00000000000000001")), 1e-6, relative=True)
    assert is_close(0, LongDecimal(Decimal("0.00000000000000000012345678901234567")), 1e-6, relative=True)


@pytest.mark.parametrize("count", [1, 30])
def test_columns_and_grids_compare_long_decimals_as_pairs_do(count: int) -> None:
    expected, actual = [LONG, LONG, 1.5] * count, [NEXT, LONG, 1.5] * count

    assert within_tolerance(expected, actual).tolist() == [False, True, True] * count
    assert compare_all(expected[:3], actual[:3]).tolist() == [[False, True, False], [False, True, False], [False, False, True]]
    assert smallest_tolerances(expected, actual)[:3].tolist() == [0.01, 0, 0]


def test_a_long_decimal_survives_pickling() -> None:
    copy = pickle.loads(pickle.dumps(LONG))
    assert (copy, copy.exact) == (LONG, LONG.exact)
