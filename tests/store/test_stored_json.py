"""Values as JSON text and back."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.store.stored_json import dump_json, load_json

plain = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(alphabet=st.characters(codec=None), max_size=8)
)
values = st.recursive(
    plain, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)), max_leaves=8
)


@settings(deadline=None, max_examples=150)
@given(values)
def test_a_value_is_read_as_it_was_written(value):
    assert repr(load_json(dump_json(value))) == repr(value)


def test_integers_keep_their_digits():
    assert load_json(dump_json({"n": 2**53 + 1, "big": -(10**40)})) == {"n": 2**53 + 1, "big": -(10**40)}


@pytest.mark.parametrize("value", [math.nan, [None, math.nan], {"a": {"b": math.inf}, "c": None}, [-math.inf, "null"]])
def test_what_is_no_number_does_not_become_null(value):
    assert repr(load_json(dump_json(value))) == repr(value)


def test_values_of_other_types_become_text():
    assert load_json(dump_json({"z": 1j})) == {"z": "1j"}
