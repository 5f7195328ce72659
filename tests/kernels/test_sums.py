"""Exact sums."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.sums import ExactSums

finite = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)
scores = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 0.1, 1 / 3, 5e-324, -5e-324]), finite)


def summed(values):
    sums = ExactSums(1)
    sums.add(np.array(values, dtype=np.float64))
    return sums


@settings(deadline=None, max_examples=150)
@given(st.lists(scores, max_size=30))
def test_a_sum_is_the_correctly_rounded_one(values):
    assert summed(values).value() == math.fsum(values)


@settings(deadline=None, max_examples=100)
@given(st.lists(scores, max_size=30), st.integers(0, 30), st.randoms())
def test_order_and_chunks_change_no_bit(values, at, random):
    whole = summed(values).value()
    shuffled = values[:]
    random.shuffle(shuffled)
    parts = summed(shuffled[at:])
    parts.merge(summed(shuffled[:at]))
    assert math.copysign(1, parts.value()) == math.copysign(1, whole)
    assert parts.value() == whole


def test_slots_are_summed_apart_and_merged_by_name():
    sums = ExactSums()
    sums.add(np.array([0.1, 0.2, 1.0, 0.3]), np.array([0, 2, 2, 0]))
    part = ExactSums()
    part.add(np.array([0.5, 0.25]), np.array([0, 1]))
    sums.merge(part, onto=[2, 0])
    assert [sums.value(slot) for slot in range(3)] == [math.fsum([0.1, 0.3, 0.25]), 0.0, math.fsum([0.2, 1.0, 0.5])]


def test_many_slots_and_exponents_stay_exact():
    rng = np.random.default_rng(1)
    values = rng.normal(size=5000) * 10.0 ** rng.integers(-300, 300, size=5000)
    slots = rng.integers(0, 500, size=5000)
    sums = ExactSums()
    sums.add(values, slots)
    assert [sums.value(slot) for slot in range(500)] == [math.fsum(values[slots == slot]) for slot in range(500)]


def test_a_mean_is_rounded_once():
    values = [0.1] * 10
    assert summed(values).mean(0, 10) == 0.1


def test_infinities_are_kept_in_any_order():
    assert summed([1.0, math.inf, 2.0]).value() == math.inf
    assert math.isnan(summed([math.inf, -math.inf]).value())


@pytest.mark.parametrize(("left", "right", "merged"), [([math.inf], [-math.inf], math.nan), ([math.inf], [1.0], math.inf)])
@pytest.mark.parametrize("swapped", [False, True])
def test_merged_infinities_add_up(left: list[float], right: list[float], merged: float, swapped: bool) -> None:
    whole, part = (summed(right), summed(left)) if swapped else (summed(left), summed(right))
    whole.merge(part)
    assert whole.value() == pytest.approx(merged, nan_ok=True)


def test_an_infinity_is_merged_into_the_slot_it_is_mapped_to() -> None:
    sums, part = ExactSums(2), ExactSums()
    sums.add(np.array([-math.inf]), np.array([1]))
    part.add(np.array([math.inf, 0.5]), np.array([0, 1]))
    sums.merge(part, onto=[1, 0])
    assert sums.value(0) == 0.5
    assert math.isnan(sums.value(1))


def test_a_sum_beyond_the_largest_float_is_infinite():
    assert summed([1.7e308, 1.7e308]).value() == math.inf
    assert summed([-1.7e308, -1.7e308]).value() == -math.inf


@pytest.mark.parametrize("bit", range(1, 53))
def test_what_is_left_of_a_cancellation_is_kept_in_every_bit(bit: int) -> None:
    assert summed([1.0 + 2.0**-bit, -1.0]).value() == 2.0**-bit
