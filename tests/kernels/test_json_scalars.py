"""Python's own values as JSON has them."""

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
import pytest
from pydantic import BaseModel

import fieldwise as fw
from fieldwise.kernels.json_conversion import to_json_record, to_json_value


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
    ("value", "found"),
    [
        (Decimal("12.50"), 12.5),
        (Decimal("12345678901234567890"), 12345678901234567890),
        (datetime.date(2025, 1, 31), "2025-01-31"),
        (datetime.datetime(2025, 1, 31, 9, 30), "2025-01-31T09:30:00"),
        (datetime.time(9, 30), "09:30:00"),
        (datetime.timedelta(minutes=2), 120.0),
        (b"caf\xc3\xa9", "café"),
        (b"\xff", "/w=="),
        ({"b", "a"}, ["a", "b"]),
        (np.int64(5), 5),
        (np.bool_(True), True),
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
def test_a_value_gets_the_form_that_json_has_for_it(value: Any, found: Any) -> None:
    assert to_json_value(value) == found
    assert type(to_json_value(value)) is type(found)
    assert to_json_record({"a": [value]}) == {"a": [found]}


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
