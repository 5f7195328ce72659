"""JSON values as a whole."""

import math
from collections import OrderedDict
from decimal import Decimal
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.values import canonical, equal_grid, nfc, non_finite, number_text, same

law = settings(max_examples=300, deadline=None)
leaves = st.sampled_from(
    [None, True, False, 0, 1, -1, 0.0, -0.0, 1.0, 0.5, 2**53, 2**53 + 1, float(2**53), 10**400, 1e22, 10**22, math.nan, math.inf]
) | st.text(alphabet='aA"\u00e9e\u0301\\', max_size=3)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=2).map(tuple)
        | st.dictionaries(st.text(alphabet="a\u00e9e\u0301", max_size=2), inner, max_size=2)
    ),
    max_leaves=5,
)


class Colour(StrEnum):
    RED = "red"


@given(one=values, other=values)
@law
def test_values_are_the_same_exactly_if_they_have_the_same_canonical_text(one: Any, other: Any) -> None:
    text = canonical(one)
    assert same(one, other) == (text is not None and text == canonical(other))
    assert same(one, other) == same(other, one)


@given(value=values)
@law
def test_a_value_is_the_same_as_itself_and_has_a_text_unless_a_number_in_it_is_none(value: Any) -> None:
    assert same(value, value) == (non_finite(value) is None) == (canonical(value) is not None)


def test_values_of_the_users_own_types_count_as_what_they_extend() -> None:
    assert same(Colour.RED, "red")
    assert same(OrderedDict(b=1, a=2), {"a": 2, "b": 1})
    assert canonical([Colour.RED, OrderedDict(b=1, a=2)]) == '["red",{"a":2,"b":1}]'


def test_values_that_json_does_not_know_are_the_same_if_they_are_written_the_same() -> None:
    assert same(Decimal("1.5"), Decimal("1.5"))
    assert not same(Decimal("1.5"), 1.5)
    assert not same(Decimal("1.5"), "Decimal('1.5')")


def test_keys_that_are_no_text_keep_their_kind() -> None:
    assert same({1: "a"}, {1: "a"})
    assert not same({1: "a"}, {True: "a"})
    assert not same({1: "a"}, {"1": "a"})


@pytest.mark.parametrize("leaf", ["x", math.nan])
def test_a_hundred_thousand_levels_are_walked_without_a_crash(leaf: Any) -> None:
    one, other = leaf, leaf
    for _ in range(100_000):
        one, other = [one], [other]
    assert same(one, other) == (leaf == "x")
    assert (canonical(one) == canonical(other) is not None) == (leaf == "x")
    assert non_finite(one) == (None if leaf == "x" else "NaN")
    while isinstance(one, list):  # taken apart by hand: Python frees nested lists by recursion
        one, other = one[0], other[0]


def test_equal_numbers_have_equal_text() -> None:
    assert number_text(1e22) == number_text(10**22)
    assert number_text(-0.0) == number_text(0)
    assert number_text(10**5000) != number_text(10**5000 + 1)


def test_the_name_says_which_number_is_none() -> None:
    assert [non_finite(value) for value in (math.nan, math.inf, -math.inf)] == ["NaN", "Infinity", "-Infinity"]


def test_composition_gives_plain_text() -> None:
    assert type(nfc(Colour.RED)) is str
    assert nfc("e\u0301") == "\u00e9"


def test_a_grid_of_keys_may_be_empty() -> None:
    assert equal_grid([], ["a"]).shape == (0, 1)
    assert equal_grid(["a"], []).shape == (1, 0)
