"""length: how long an output may be."""

from typing import Any

import pytest

import fieldwise as fw


@pytest.mark.parametrize(
    ("options", "actual", "score", "length"),
    [
        ({"max": 5}, "12345", 1.0, 5),
        ({"max": 5}, "123456", 0.0, 6),
        ({"min": 5}, "1234", 0.0, 4),
        ({"min": 2, "max": 3, "unit": "words"}, "one  two\nthree", 1.0, 3),
        ({"max": 1, "unit": "lines"}, "one\ntwo", 0.0, 2),
        ({"max": 1, "unit": "lines"}, "one\n", 1.0, 1),
        ({"max": 1}, "e\u0301", 1.0, 1),
        ({"max": 5, "negate": True}, "123456", 1.0, 6),
        ({"max": 5, "negate": True}, "1", 0.0, 1),
        ({"max": 0}, "", 1.0, 0),
    ],
)
def test_a_table_of_outputs(options: dict[str, Any], actual: str, score: float, length: int) -> None:
    result = fw.evaluate({"type": "length", **options}, actual=actual)
    assert (result.score, result.metrics) == (score, {"length": length})


def test_the_miss_tells_the_length_and_the_bounds() -> None:
    assert fw.evaluate({"type": "length", "min": 2, "max": 3, "unit": "words"}, actual="one").misses == [
        "length (1 word, at least 2 and at most 3)"
    ]


def test_bounds_are_needed_and_must_leave_room() -> None:
    with pytest.raises(fw.ConfigError, match="no bound"):
        fw.evaluate({"type": "length"}, actual="x")
    with pytest.raises(fw.ConfigError, match="nothing is at least 3 and at most 2 long"):
        fw.evaluate({"type": "length", "min": 3, "max": 2}, actual="x")
    with pytest.raises(fw.ConfigError, match="`max` must be a whole number"):
        fw.evaluate({"type": "length", "max": -1}, actual="x")
