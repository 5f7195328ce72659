"""JSON values as a whole."""

import math
from collections import OrderedDict
from decimal import Decimal
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.values import canonical_json, find_non_finite, format_json_number, key_equality_grid, to_nfc, values_equal

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


@given(left=values, right=values)
@law
def test_values_are_the_same_exactly_if_they_have_the_same_canonical_text(left: Any, right: Any) -> None:
    text = canonical_json(left)
    assert values_equal(left, right) == (text is not None and text == canonical_json(right))
    assert values_equal(left, right) == values_equal(right, left)


@given(value=values)
@law
def test_a_value_is_the_same_as_itself_and_has_a_text_unless_a_number_in_it_is_none(value: Any) -> None:
    assert values_equal(value, value) == (find_non_finite(value) is None) == (canonical_json(value) is not None)


def test_values_of_the_users_own_types_count_as_what_they_extend() -> None:
    assert values_equal(Colour.RED, "red")
    assert values_equal(OrderedDict(b=1, a=2), {"a": 2, "b": 1})
    assert canonical_json([Colour.RED, OrderedDict(b=1, a=2)]) == '["red",{"a":2,"b":1}]'


def test_values_that_json_does_not_know_are_the_same_if_they_are_written_the_same() -> None:
    assert values_equal(Decimal("1.5"), Decimal("1.5"))
    assert not values_equal(Decimal("1.5"), 1.5)
    assert not values_equal(Decimal("1.5"), "Decimal('1.5')")


def test_keys_that_are_no_text_keep_their_kind() -> None:
    assert values_equal({1: "a"}, {1: "a"})
    assert not values_equal({1: "a"}, {True: "a"})
    assert not values_equal({1: "a"}, {"1": "a"})


@pytest.mark.parametrize("leaf", ["x", math.nan])
def test_twenty_thousand_levels_are_walked_without_a_crash(leaf: Any) -> None:
    left, right = leaf, leaf
    for _ in range(20_000):
        left, right = [left], [right]
    assert values_equal(left, right) == (leaf == "x")
    assert (canonical_json(left) == canonical_json(right) is not None) == (leaf == "x")
    assert find_non_finite(left) == (None if leaf == "x" else "NaN")
    while isinstance(left, list):  # taken apart by hand: Python frees nested lists by recursion
        left, right = left[0], right[0]


def test_equal_numbers_have_equal_text() -> None:
    assert format_json_number(1e22) == format_json_number(10**22)
    assert format_json_number(-0.0) == format_json_number(0)
    assert format_json_number(10**5000) != format_json_number(10**5000 + 1)


def test_the_name_says_which_number_is_none() -> None:
    assert [find_non_finite(value) for value in (math.nan, math.inf, -math.inf)] == ["NaN", "Infinity", "-Infinity"]


def test_composition_gives_plain_text() -> None:
    assert type(to_nfc(Colour.RED)) is str
    assert to_nfc("e\u0301") == "\u00e9"


def test_a_grid_of_keys_may_be_empty() -> None:
    assert key_equality_grid([], ["a"]).shape == (0, 1)
    assert key_equality_grid(["a"], []).shape == (1, 0)


def test_accents_may_be_one_character_or_two() -> None:
    assert values_equal("caf\u00e9", "cafe\u0301")
    assert not values_equal("caf\u00e9", "cafe")


def test_huge_integers_are_written_in_hexadecimal() -> None:
    """Python refuses to write an integer of many digits in decimal, and takes long for one of few less."""
    assert format_json_number(1 << 9_999).startswith("0x8")
    assert format_json_number(1 << 9_998).isdigit()
