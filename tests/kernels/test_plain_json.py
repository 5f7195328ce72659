"""Plain values as JSON text, all at once."""

import math
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.json_conversion import encode_plain_values

plain = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=6)
)
others = st.sampled_from([math.nan, math.inf, [], [1], {"a": 1}, (1, 2)])


@settings(deadline=None, max_examples=200)
@given(st.lists(plain, max_size=8))
def test_many_texts_are_those_of_the_values_one_by_one(values: list[Any]) -> None:
    assert encode_plain_values(values) == [orjson.dumps(value) for value in values]


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(st.booleans(), plain, others), max_size=8))
def test_what_is_not_plain_has_no_text_and_leaves_that_of_the_others(rows: list[tuple[bool, Any, Any]]) -> None:
    values = [other if odd else value for odd, value, other in rows]
    assert encode_plain_values(values) == [None if odd else orjson.dumps(value) for odd, value, _ in rows]


def test_what_cannot_be_written_at_all_is_left_to_somebody_else() -> None:
    assert encode_plain_values([1, 2**80]) == [None, None]
    assert encode_plain_values(["lone \ud800"]) == [None]
    assert encode_plain_values([]) == []
