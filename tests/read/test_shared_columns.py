"""Rows in another order are paired by a column that both sides have."""

import random
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.read.shared_columns import are_in_other_order, find_shared_column

SUITE = {"evaluators": [{"type": "field_accuracy"}]}


def make_rows(column: str) -> list[dict[str, Any]]:
    return [{column: f"scan {number * 7}", "total": number % 5} for number in range(30)]


def shuffle(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return random.Random(1).sample(rows, len(rows))


@pytest.mark.parametrize("column", ["name", "image", "doc", "filename", "file", "title"])
def test_a_column_pairs_rows_in_another_order(column: str) -> None:
    rows = make_rows(column)
    assert find_shared_column(rows, shuffle(rows)) == (column, column)
    assert find_shared_column(rows, shuffle(rows)[:28]) == (column, column)


def test_the_column_may_be_written_in_another_way() -> None:
    rows = make_rows("File Name")
    actual = [{"file_name": row["File Name"], "total": row["total"]} for row in shuffle(rows)]
    assert find_shared_column(rows, actual) == ("File Name", "file_name")


def test_a_left_out_row_near_the_end_pairs_the_rows_after_it_by_the_column(tmp_path: Path) -> None:
    rows = make_rows("name")
    assert find_shared_column(rows, [*rows[:28], rows[29]]) == ("name", "name")
    assert find_shared_column(rows, rows[:28]) is None
    run = fw.run(SUITE, expected=rows, actual=[*rows[:28], rows[29]], root=tmp_path)
    assert [stored.case for stored in run.mismatches()] == [rows[28]["name"]]


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


def make_repeating_rows(count: int) -> list[dict[str, Any]]:
    """Rows that no column identifies."""
    source = random.Random(4)
    return [{"kind": source.choice("abcd"), "total": source.randrange(count // 2)} for _ in range(count)]


@pytest.mark.parametrize("accuracy", [1.0, 0.6])
@pytest.mark.parametrize("count", [20, 300])
def test_rows_in_another_order_that_nothing_identifies_make_a_run_incomplete(tmp_path: Path, accuracy: float, count: int) -> None:
    rows = make_repeating_rows(count)
    source = random.Random(5)
    outputs = [row if source.random() < accuracy else {"kind": "a", "total": 0} for row in rows]
    in_order = fw.run(SUITE, expected=rows, actual=outputs, root=tmp_path)
    assert in_order.exit_code == 0
    shuffled = fw.run(SUITE, expected=rows, actual=shuffle(outputs), root=tmp_path)
    assert "other-order" in {note.code for note in shuffled.diagnostics}
    assert shuffled.exit_code == 3


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ([{"kind": "a"}] * 20, [{"kind": "a"}] * 20),  # constant
        ([{"text": f"e {number}"} for number in range(20)], [{"text": f"a {number}"} for number in range(20)]),  # nothing is equal
        ([{"kind": "ab"[number % 2]} for number in range(6)], [{"kind": "ba"[number % 2]} for number in range(6)]),  # too few
        ([{"x": number} for number in range(20)], [{"y": number} for number in range(20)]),  # no common column
        ([{"total": number} for number in range(3)], []),
    ],
)
def test_rows_that_say_nothing_of_their_order_are_not_doubted(expected: list[dict[str, Any]], actual: list[dict[str, Any]]) -> None:
    assert not are_in_other_order(expected, actual)


def test_tables_of_uneven_length_without_an_id_are_reported_and_scored(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"note": f"n{number // 3}", "text": f"word {number // 2}"} for number in range(12)]
    run = fw.run(SUITE, expected=rows, actual=rows[1:], root=tmp_path)
    [note] = [note for note in run.diagnostics if note.code == "uneven-rows"]
    assert "expected has 12 rows, actual 11" in note.what
    assert run.exit_code == 0
    run = fw.run(SUITE, expected=rows, actual=list(rows), root=tmp_path)
    assert "uneven-rows" not in {note.code for note in run.diagnostics}


def test_rows_of_the_same_number_with_other_ids_are_doubted(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"EntityID": f"Q{number // 2}", "kind": "ab"[number // 20], "text": "x"} for number in range(40)]
    others = [row | {"EntityID": f"R{row['EntityID']}"} for row in rows]
    run = fw.run(SUITE, expected=rows, actual=others, root=tmp_path)
    [note] = [note for note in run.diagnostics if note.code == "other-ids"]
    assert note.what == "rows of the same number have another `EntityID` in 40 of 40 cases: they may not belong together"
    for actual in (list(rows), [*rows[:20], *others[20:]], [{"kind": row["kind"], "text": "y"} for row in rows]):
        run = fw.run(SUITE, expected=rows, actual=actual, root=tmp_path)
        assert "other-ids" not in {note.code for note in run.diagnostics}


@pytest.mark.parametrize("column", ["TRUTH_answer", "gold", "expectedLabel", "answer", "model_output"])
def test_a_column_of_expected_values_or_outputs_identifies_no_rows(column: str) -> None:
    rows = [{column: f"v{number}", "page": number % 3} for number in range(12)]
    assert find_shared_column(rows, rows[::-1]) is None
    assert find_shared_column(*([{"file": row[column], **row} for row in side] for side in (rows, rows[::-1]))) == ("file", "file")
