import datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from fieldwise.read.arrow_rows import convert_arrow_batch

DAY = datetime.date(2024, 1, 31)
NOON = datetime.datetime(2024, 1, 31, 12, 0, 0, 250)


def convert_column(values: list[Any], arrow_type: pa.DataType) -> list[Any]:
    # one value before and one after are sliced off: nested arrays must respect the offset
    array = pa.array([values[-1], *values, values[0]], arrow_type).slice(1, len(values))
    rows, problems = convert_arrow_batch(pa.record_batch([array], ["a"]))
    assert not problems
    return [row["a"] for row in rows]


@pytest.mark.parametrize(
    ("arrow_type", "values", "converted"),
    [
        (pa.date32(), [DAY, None], ["2024-01-31", None]),
        (pa.date64(), [DAY, None], ["2024-01-31", None]),
        (pa.timestamp("us"), [NOON, None], ["2024-01-31T12:00:00.000250", None]),
        (pa.timestamp("s"), [NOON.replace(microsecond=0)], ["2024-01-31T12:00:00"]),
        (pa.timestamp("ns"), [NOON], ["2024-01-31T12:00:00.000250"]),
        (pa.timestamp("us", "UTC"), [NOON], ["2024-01-31T12:00:00.000250+00:00"]),
        (pa.time32("s"), [datetime.time(9, 30)], ["09:30:00"]),
        (pa.duration("ns"), [datetime.timedelta(seconds=90), None], ["PT90S", None]),
        (pa.decimal128(9, 2), [Decimal("12.50"), None], [12.5, None]),
        (pa.binary(), [b"abc", b"\xff", None], ["abc", "/w==", None]),
        (pa.dictionary(pa.int8(), pa.string()), ["x", None, "x"], ["x", None, "x"]),
        (pa.large_list(pa.date32()), [[DAY], [], None, [None, DAY]], [["2024-01-31"], [], None, [None, "2024-01-31"]]),
        (pa.list_(pa.date32(), 1), [[DAY], None], [["2024-01-31"], None]),
        (pa.map_(pa.date32(), pa.decimal128(4, 1)), [[(DAY, Decimal("0.5"))], [], None], [{"2024-01-31": 0.5}, {}, None]),
    ],
)
def test_values_become_what_json_has(arrow_type: pa.DataType, values: list[Any], converted: list[Any]) -> None:
    assert convert_column(values, arrow_type) == converted


def test_records_and_their_items_are_converted_wherever_the_dates_are() -> None:
    item = pa.struct([("day", pa.date32()), ("text", pa.string())])
    record = pa.struct([("day", pa.date32()), ("total", pa.float64()), ("items", pa.list_(item))])
    values = [
        {"day": DAY, "total": 1.5, "items": [{"day": None, "text": "x"}, {"day": DAY, "text": None}]},
        None,
        {"day": None, "total": None, "items": None},
        {"day": DAY, "total": 2.0, "items": [None]},
    ]
    assert convert_column(values, record) == [
        {"day": "2024-01-31", "total": 1.5, "items": [{"day": None, "text": "x"}, {"day": "2024-01-31", "text": None}]},
        None,
        {"day": None, "total": None, "items": None},
        {"day": "2024-01-31", "total": 2.0, "items": [None]},
    ]


@pytest.mark.parametrize("nested", [False, True])
def test_a_date_that_python_cannot_hold_is_a_problem_of_its_row_only(nested: bool) -> None:
    dates = pa.array([0, 2932897, None], pa.date32())  # 1970-01-01 and 10000-01-01
    column = pa.StructArray.from_arrays([dates], ["day"]) if nested else dates
    rows, problems = convert_arrow_batch(pa.record_batch([column, pa.array(["x", "y", "z"])], ["a", "b"]))
    assert rows[1] == {"b": "y"}
    assert rows[0]["a"] == ({"day": "1970-01-01"} if nested else "1970-01-01")
    assert {row: [problem.steps for problem in found] for row, found in problems.items()} == {1: [("a",)]}


def test_a_key_that_a_map_has_twice_is_a_problem_of_its_row() -> None:
    maps = pa.array([[("x", 1)], [("x", 1), ("x", 2)]], pa.map_(pa.string(), pa.int64()))
    rows, problems = convert_arrow_batch(pa.record_batch([maps], ["a"]))
    assert rows[0] == {"a": {"x": 1}}
    assert [problem.code for problem in problems[1]] == ["duplicate-key"]
    assert list(problems) == [1]
