"""Conversion of Python values and records to JSON."""

import datetime
import math
from collections import UserDict, deque
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any
from uuid import UUID

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

import fieldwise as fw
from fieldwise.kernels.json_conversion import contains_cycle, encode_plain_values, to_json_record, to_json_value


class Status(Enum):
    PAID = "paid"


class Rank(IntEnum):
    FIRST = 1


@dataclass
class Money:
    amount: Decimal
    currency: str = "EUR"


class Vendor(BaseModel):
    name: str
    rank: Rank = Rank.FIRST


@pytest.mark.parametrize(
    ("value", "converted"),
    [
        (Decimal("12.50"), 12.5),
        (Decimal("12345678901234567890"), 12345678901234567890),
        (datetime.date(2025, 1, 31), "2025-01-31"),
        (datetime.datetime(2025, 1, 31, 9, 30), "2025-01-31T09:30:00"),
        (datetime.time(9, 30), "09:30:00"),
        (datetime.timedelta(minutes=2), "PT120S"),
        (b"caf\xc3\xa9", "café"),
        (b"\xff", "/w=="),
        ({"b", "a"}, ["a", "b"]),
        (np.int64(5), 5),
        (np.bool_(True), True),
        (np.float32(0.1), 0.1),
        (np.float16(0.5), 0.5),
        (np.array([0.1, 5e-8], dtype=np.float32), [0.1, 5e-8]),
        (Status.PAID, "paid"),
        (Rank.FIRST, 1),
        (Fraction(1, 4), 0.25),
        (Fraction(4, 2), 2),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("a/b"), "a/b"),
        (deque([1, 2]), [1, 2]),
        (range(2), [0, 1]),
        (UserDict({"a": 1}), {"a": 1}),
        (MappingProxyType({"a": 1}), {"a": 1}),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        ("text", "text"),
        (None, None),
    ],
)
def test_a_value_gets_the_form_that_json_has_for_it(value: Any, converted: Any) -> None:
    assert to_json_value(value) == converted
    assert type(to_json_value(value)) is type(converted)
    assert to_json_record({"a": [value]}) == {"a": [converted]}


def test_a_decimal_that_is_no_number_stays_none() -> None:
    assert math.isnan(to_json_value(Decimal("NaN")))


def test_records_of_a_python_program_are_compared_like_those_of_a_file() -> None:
    expected: Any = {"total": Decimal("12.50"), "on": datetime.date(2025, 1, 31), "n": np.int64(3), "box": np.array([0, 0, 2, 2])}
    actual = {"total": 12.5, "on": "2025-01-31", "n": 3, "box": [0, 0, 2, 2]}
    for kind in ("field_accuracy", "field_prf"):
        result = fw.evaluate({"type": kind}, expected=expected, actual=actual)
        assert (result.score, result.misses) == (1.0, [])
    assert not fw.diff(expected, actual).differences


def test_models_and_dataclasses_are_records() -> None:
    expected: Any = {"total": Money(Decimal("12.50")), "vendor": Vendor(name="Acme")}
    actual = {"total": {"amount": 12.5, "currency": "EUR"}, "vendor": {"name": "Acme", "rank": 1}}
    assert to_json_record(expected) == actual
    for kind in ("field_accuracy", "field_prf"):
        assert fw.evaluate({"type": kind}, expected=expected, actual=actual).score == 1.0
    acme: Any = Vendor(name="Acme")
    apex: Any = Vendor(name="Apex")
    assert fw.evaluate({"type": "field_accuracy"}, expected=acme, actual=apex).misses == ["name"]


def test_a_value_with_keys_of_text_is_given_back_as_it_is() -> None:
    value = {"a": [{"b": (1, {"c": None})}]}
    assert to_json_record(value) is value


@pytest.mark.parametrize(
    ("value", "converted"),
    [
        ({2024: 5}, {"2024": 5}),
        ([{1: {2: 3}}], [{"1": {"2": 3}}]),
        ({True: 1, False: 2, None: 3, 1.5: 4}, {"true": 1, "false": 2, "null": 3, "1.5": 4}),
        ({(1, 2): 3}, {"(1, 2)": 3}),
        ({1: "a", "1": "b"}, {"1 (int)": "a", "1": "b"}),
        ({"a": ({1: 2},)}, {"a": [{"1": 2}]}),
        ({"a": {"cafe\u0301": 1}}, {"a": {"caf\u00e9": 1}}),
        ({"cafe\u0301": 1, "caf\u00e9": 2}, {"cafe\u0301": 1, "caf\u00e9": 2}),
    ],
)
def test_other_keys_become_the_text_that_json_writes(value: Any, converted: Any) -> None:
    assert to_json_record(value) == converted


def test_depth_and_cycles_are_no_trouble() -> None:
    deep: Any = {1: "end"}
    for _ in range(5000):
        deep = {"a": deep}
    converted = to_json_record(deep)
    for _ in range(5000):
        converted = converted["a"]
    assert converted == {"1": "end"}
    cycle: dict[Any, Any] = {}
    cycle["self"] = cycle
    assert to_json_record(cycle) is cycle
    cycle[1] = 2
    again = to_json_record(cycle)
    assert again["self"] is again
    assert again["1"] == 2


def test_what_is_made_on_the_way_is_never_taken_for_something_else() -> None:
    assert to_json_record({"a": [{1, 2}], "b": [{3, 4}]}) == {"a": [[1, 2]], "b": [[3, 4]]}
    many = {str(at): [np.array([at, at + 1])] for at in range(50)}
    assert to_json_record(many) == {str(at): [[at, at + 1]] for at in range(50)}


def test_a_value_that_is_there_twice_contains_nothing_of_itself() -> None:
    shared = {"city": "Berlin"}
    assert not contains_cycle({"from": shared, "to": shared, "all": [shared, [shared]]})


@pytest.mark.parametrize("depth", [0, 1, 5000])
def test_a_loop_is_found_however_deep(depth: int) -> None:
    end: dict[str, Any] = {}
    whole: Any = end
    for _ in range(depth):
        whole = [whole]
    end["again"] = whole
    assert contains_cycle(whole)


plain = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=6)
)
containers = st.sampled_from([math.nan, math.inf, [], [1], {"a": 1}, (1, 2)])


@settings(deadline=None, max_examples=200)
@given(st.lists(plain, max_size=8))
def test_many_texts_are_those_of_the_values_one_by_one(values: list[Any]) -> None:
    assert encode_plain_values(values) == [orjson.dumps(value) for value in values]


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(st.booleans(), plain, containers), max_size=8))
def test_what_is_not_plain_has_no_text_and_leaves_that_of_the_others(rows: list[tuple[bool, Any, Any]]) -> None:
    values = [container if use_container else value for use_container, value, container in rows]
    assert encode_plain_values(values) == [None if use_container else orjson.dumps(value) for use_container, value, _ in rows]


def test_what_orjson_cannot_write_has_no_text() -> None:
    assert encode_plain_values([1, 2**80]) == [None, None]
    assert encode_plain_values(["lone \ud800"]) == [None]
    assert encode_plain_values([]) == []


def test_decimals_with_more_digits_than_floats_keep_them() -> None:
    number, next_number = to_json_value(Decimal("12345678901234567.89")), to_json_value(Decimal("12345678901234567.88"))
    assert str(number) == "12345678901234567.89"
    assert number != next_number
    assert number == to_json_value(Decimal("12345678901234567.890"))
    assert type(to_json_value(Decimal("0.1234567890123456"))) is float


@pytest.mark.parametrize("match", ["exact", "money", "numeric_tolerance", "quantity", "duration", "code", "set", "contains", "one_of"])
def test_every_match_tells_long_decimals_apart(match: str) -> None:
    rule: dict[str, Any] = {"path": "a", "match": match}
    for actual, passes in (("12345678901234567.89", True), ("12345678901234567.88", False)):
        result = fw.evaluate(
            {"type": "field_accuracy", "fields": [rule]},
            expected={"a": Decimal("12345678901234567.89")},
            actual={"a": Decimal(actual)},
        )
        assert result.comparisons[0].passed is passes
