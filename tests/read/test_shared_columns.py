"""Rows in another order are paired by a column that both sides have."""

import random
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.read.shared_columns import find_shared_column

SUITE = {"evaluators": [{"type": "field_accuracy"}]}


def make_rows(column: str) -> list[dict[str, Any]]:
    return [{column: f"scan {number * 7}", "total": number % 5} for number in range(30)]


def shuffle(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return random.Random(1).sample(rows, len(rows))


@pytest.mark.parametrize("column", ["name", "image", "doc", "filename", "file", "title"])
def test_a_column_pairs_rows_in_another_order(column: str) -> None:
    rows = make_rows(column)
    assert find_shared_column(rows, shuffle(rows)) == column
    assert find_shared_column(rows, shuffle(rows)[:28]) == column


def test_rows_in_the_same_order_pair_by_their_number() -> None:
    rows = make_rows("name")
    assert find_shared_column(rows, [{**row, "total": 0} for row in rows]) is None
    swapped = [{**row, "name": rows[{3: 4, 4: 3}.get(number, number)]["name"]} for number, row in enumerate(rows)]
    assert find_shared_column(rows, swapped) is None


def test_a_predicted_permutation_does_not_pair_where_another_column_is_in_order() -> None:
    expected = [{"question": f"q {number}", "match": f"m {number}"} for number in range(30)]
    guesses = shuffle(expected)
    actual = [{"question": row["question"], "match": guess["match"]} for row, guess in zip(expected, guesses, strict=True)]
    assert find_shared_column(expected, actual) is None


@pytest.mark.parametrize(
    "rows",
    [
        [{"name": f"n {number}"} for number in range(30)],  # nothing would be left to compare
        [{"rank": number, "total": number % 3} for number in range(30)],
        [{"kind": "same", "total": number % 3} for number in range(30)],
        [{"price": number + 0.5, "total": number % 3} for number in range(30)],
    ],
)
def test_a_column_that_identifies_nothing_pairs_nothing(rows: list[dict[str, Any]]) -> None:
    assert find_shared_column(rows, shuffle(rows)) is None


def test_a_run_pairs_by_the_column_and_says_so(tmp_path: Path) -> None:
    rows = make_rows("name")
    wrong = [{**row, "total": 99} if number == 3 else row for number, row in enumerate(rows)]
    run = fw.run(SUITE, expected=rows, actual=shuffle(wrong), root=tmp_path)
    assert run.summary["field_accuracy.score"] == pytest.approx(29 / 30)
    [note] = [note for note in run.diagnostics if note.code == "joined-by-column"]
    assert "`name`" in note.what
    assert "join: name" in (note.fix or "")
    in_order = fw.run(SUITE, expected=rows, actual=wrong, root=tmp_path)
    assert "joined-by-number" in {note.code for note in in_order.diagnostics}
