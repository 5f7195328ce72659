"""Pooled columns are compact, and do not depend on the batches or their order."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.model.result import Result, Results
from fieldwise.summarize.metrics import find_measured_rows
from fieldwise.summarize.pool import PoolTotals

ROWS = st.lists(
    st.tuples(st.integers(0, 30), st.sampled_from(["dog", "ж", ""]), st.floats(0, 1), st.integers(0, 2**64 - 1), st.integers(-3, 300)),
    max_size=60,
)


def add(totals: PoolTotals, rows: list[Any], first: int, cases: int) -> None:
    """A batch of cases from `first` on, with those of the rows that are theirs."""
    mine = [row for row in rows if first <= row[0] < first + cases]
    measured = find_measured_rows(Results.from_results([Result()] * cases))
    pool = {
        "case": np.array([row[0] - first for row in mine], dtype=np.int64),
        "name": np.array([row[1] for row in mine], dtype=np.str_),
        "score": np.array([row[2] for row in mine], dtype=np.float64),
        "bits": np.array([row[3] for row in mine], dtype=np.uint64),
        "rank": np.array([row[4] for row in mine], dtype=np.int64),
        "sure": np.array([row[2] > 0.5 for row in mine], dtype=np.bool_),
    }
    totals.add(pool, measured, np.arange(first, first + cases))


@settings(max_examples=80, deadline=None)
@given(ROWS, st.integers(1, 31), st.randoms(use_true_random=False))
def test_columns_are_what_was_put_in_whatever_the_batches_and_their_order(rows: list[Any], size: int, rng: Any) -> None:
    firsts = list(range(0, 31, size))
    rng.shuffle(firsts)
    totals = PoolTotals()
    for share in (firsts[::2], firsts[1::2]):
        share_totals = PoolTotals()
        for first in share:
            add(share_totals, rows, first, size)
        totals.merge(share_totals)
    expected = sorted(rows, key=lambda row: row[0])
    columns = totals.columns()
    assert list(zip(*(columns[name].tolist() for name in ("case", "name", "score", "bits", "rank")), strict=True)) == expected
    assert columns["sure"].tolist() == [row[2] > 0.5 for row in expected]
    assert {name: column.dtype.name for name, column in columns.items() if name != "name"} == {
        "case": "int64",
        "score": "float64",
        "bits": "uint64",
        "rank": "int64",
        "sure": "bool",
    }


def test_a_text_is_kept_once_and_small_numbers_take_a_byte() -> None:
    totals = PoolTotals()
    cases = 1000
    measured = find_measured_rows(Results.from_results([Result()] * cases))
    pool = {
        "case": np.arange(cases),
        "name": np.array(["a name of forty characters, a long one"] * cases),
        "rank": np.arange(cases) % 100,
    }
    for first in range(0, 300_000, cases):
        totals.add(pool, measured, np.arange(first, first + cases))
    held = sum(column.nbytes for part in (*totals._parts, *totals._recent) for column in part.values())  # pyright: ignore[reportPrivateUsage]
    assert held <= 6 * 300_000
    assert totals.columns()["name"][-1] == pool["name"][0]


def test_cases_that_were_not_measured_are_left_out() -> None:
    totals = PoolTotals()
    measured = find_measured_rows(Results.from_results([Result(), Result(status="skipped"), Result()]))
    totals.add({"case": np.array([2, 1, 0, 2]), "at": np.array([7, 8, 9, 6])}, measured, np.array([10, 11, 12]))
    assert {name: column.tolist() for name, column in totals.columns().items()} == {"case": [10, 12, 12], "at": [9, 7, 6]}
