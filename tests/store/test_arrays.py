"""Numbers as Arrow columns and back."""

import subprocess
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.store.arrow_tables import arrow_column, numpy_array

KINDS = ["i1", "i4", "i8", "u1", "f8", "?"]
rows = st.lists(st.tuples(st.integers(0, 100), st.booleans()), max_size=40)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(KINDS), rows)
def test_a_column_is_the_one_that_arrow_makes(kind: str, values: list[tuple[int, bool]]) -> None:
    numbers, known = np.array([value for value, _ in values]).astype(kind), np.array([there for _, there in values], dtype=np.bool_)
    column = arrow_column(numbers, known)
    column.validate(full=True)
    assert column.equals(pa.array(numbers, mask=~known))
    assert arrow_column(numbers).equals(pa.array(numbers))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(KINDS), st.lists(rows, max_size=4), st.integers(0, 9))
def test_what_was_written_is_read_from_any_part_of_any_chunks(kind: str, chunks: list[list[tuple[int, bool]]], start: int) -> None:
    made = [pa.array([value for value, _ in chunk]).cast(pa.int64()).to_numpy().astype(kind) for chunk in chunks]
    masks = [np.array([not there for _, there in chunk], dtype=np.bool_) for chunk in chunks]
    parts = [pa.array(numbers, mask=mask) for numbers, mask in zip(made, masks, strict=True)]
    column = pa.chunked_array(parts, type=pa.from_numpy_dtype(np.dtype(kind))).slice(start)
    found = numpy_array(column, 1)
    expected = [np.where(mask, np.array(1, dtype=kind), numbers) for numbers, mask in zip(made, masks, strict=True)]
    assert found.dtype == np.dtype(kind)
    assert found.tolist() == np.concatenate([np.zeros(0, dtype=kind), *expected])[start:].tolist()


def test_a_null_that_nobody_expects_is_told() -> None:
    with pytest.raises(ValueError, match="1 nulls"):
        numpy_array(pa.array([1, None]))


def test_numbers_that_are_not_side_by_side_in_memory_are_written_in_order() -> None:
    table: Any = np.arange(12.0).reshape(3, 4)
    assert arrow_column(table[:, 1]).to_pylist() == [1.0, 5.0, 9.0]


def test_a_run_does_not_load_pandas() -> None:
    program = """
import json, pathlib, sys, tempfile
import fieldwise as fw
with tempfile.TemporaryDirectory() as folder:
    data = pathlib.Path(folder, "cases.jsonl")
    cases = [{"id": str(at), "expected": {"a": at, "b": ["x"]}, "actual": {"a": at, "b": at and None}, "tags": ["t"]} for at in range(3)]
    data.write_text("".join(json.dumps(case) + chr(10) for case in cases))
    run = fw.run({"name": "x", "cases": str(data), "evaluators": [{"type": "field_accuracy"}, {"type": "json_quality"}]}, root=folder)
    assert len(list(run.results())) == 6
    assert run.case("2").id == "2"
print("pandas" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"
