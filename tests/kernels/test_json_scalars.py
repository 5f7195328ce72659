"""Python's own values as JSON has them."""

import datetime
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import fieldwise as fw
from fieldwise.kernels.json_scalars import as_json_value
from fieldwise.kernels.text_keys import text_keys


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
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        ("text", "text"),
        (None, None),
    ],
)
def test_a_value_gets_the_form_that_json_has_for_it(value: Any, found: Any) -> None:
    assert as_json_value(value) == found
    assert type(as_json_value(value)) is type(found)
    assert text_keys({"a": [value]}) == {"a": [found]}


def test_a_decimal_that_is_no_number_stays_none() -> None:
    assert math.isnan(as_json_value(Decimal("NaN")))


def test_records_of_a_python_program_are_compared_like_those_of_a_file() -> None:
    expected = {"total": Decimal("12.50"), "on": datetime.date(2025, 1, 31), "n": np.int64(3), "box": np.array([0, 0, 2, 2])}
    actual = {"total": 12.5, "on": "2025-01-31", "n": 3, "box": [0, 0, 2, 2]}
    for kind in ("field_accuracy", "field_prf"):
        result = fw.evaluate({"type": kind}, expected=expected, actual=actual)
        assert (result.score, result.misses) == (1.0, [])
    assert not fw.diff(expected, actual).differences
