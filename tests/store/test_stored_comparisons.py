"""The comparisons of a stored run as rows and tables."""

from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.store.run import Run
from fieldwise.store.stored_comparisons import COLUMNS

FIELDS = [{"path": "total", "match": "numeric_tolerance"}, "vendor.name", "items[*].sku", {"path": "note", "required": False}]
SUITE: dict[str, Any] = {
    "name": "stored",
    "evaluators": [{"type": "field_accuracy", "name": "fields", "fields": FIELDS}, {"type": "field_prf"}],
}
ROWS: list[dict[str, Any]] = [
    {
        "id": "a",
        "expected": {"total": 5, "vendor": {"name": "Ünal"}, "items": [{"sku": "1"}, {"sku": "2"}]},
        "actual": {"total": "5", "vendor": {"name": "Ünal"}, "items": [{"sku": "1"}]},
    },
    {
        "id": "b",
        "expected": {"total": 7, "vendor": {"name": "Acme"}, "items": [], "note": None},
        "actual": {"total": 70, "vendor": {"name": "ACME"}, "items": [], "note": "paid"},
    },
    {"id": "c", "expected": {"total": 9, "vendor": {"name": "=1+1"}, "items": []}, "actual": {"total": 9, "vendor": {"name": {"x": [1]}}}},
]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    import json

    cases = tmp_path / "cases.jsonl"
    cases.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return fw.run(SUITE, cases=str(cases), root=tmp_path / "store")


def test_mismatches_are_what_the_results_say(run: Run) -> None:
    expected = [
        (stored.case, stored.evaluator, comparison.path, comparison.outcome, comparison.expected, comparison.actual, comparison.cause)
        for stored in run.results()
        for comparison in stored.result.comparisons
        if not comparison.passed and comparison.outcome not in ("both_absent", "ignored")
    ]
    actual = [(row.case, row.evaluator, row.path, row.outcome, row.expected, row.actual, row.cause) for row in run.mismatches()]
    assert sorted(map(repr, actual)) == sorted(map(repr, expected))
    assert len(run.mismatches()) == len(actual) > 5


def test_comparisons_are_all_rows_with_the_values_that_match_too(run: Run) -> None:
    expected = [(stored.case, stored.evaluator, comparison) for stored in run.results() for comparison in stored.result.comparisons]
    actual = [(row.case, row.evaluator, row.comparison) for row in run.comparisons()]
    assert sorted(map(repr, actual)) == sorted(map(repr, expected))
    assert ("a", "vendor.name", "Ünal", "Ünal") in [(row.case, row.path, row.expected, row.actual) for row in run.comparisons()]


@pytest.mark.parametrize("convert", ["to_arrow", "to_pandas", "to_polars"])
def test_every_table_has_the_documented_columns(run: Run, convert: str) -> None:
    pytest.importorskip(convert.removeprefix("to_") if convert != "to_arrow" else "pyarrow", reason="needs the package of the frame")
    table = getattr(run.mismatches(), convert)()
    assert tuple(table.column_names if convert == "to_arrow" else table.columns) == COLUMNS
    empty = getattr(run.mismatches(cause="sign"), convert)()
    assert tuple(empty.column_names if convert == "to_arrow" else empty.columns) == COLUMNS


def test_arrow_has_text_and_pandas_has_the_values_themselves(run: Run) -> None:
    [arrow] = run.mismatches(field="total", evaluator="fields", case="b").to_arrow().to_pylist()
    assert (arrow["case"], arrow["evaluator"], arrow["expected"], arrow["actual"]) == ("b", "fields", "7", "70")
    frame = run.mismatches(field="total", evaluator="fields").to_pandas()
    assert frame["expected"].tolist() == [5, 7]
    assert frame["actual"].tolist() == ["5", 70]


def test_a_missing_value_is_null(run: Run) -> None:
    [row] = run.mismatches(field="items[1].sku", evaluator="fields").to_arrow().to_pylist()
    assert (row["outcome"], row["expected"], row["actual"]) == ("omission", "2", None)


@pytest.mark.parametrize(
    ("chosen", "paths"),
    [
        ({"field": "items"}, {"items[1].sku"}),
        ({"field": "items[*].sku"}, {"items[1].sku"}),
        ({"field": "vendor"}, {"vendor.name"}),
        ({"field": "tot"}, set[str]()),
        ({"cause": "letter_case"}, {"vendor.name"}),
        ({"case": "a"}, {"total", "items[1].sku"}),
    ],
)
def test_rows_are_chosen_by_field_cause_and_case(run: Run, chosen: dict[str, str], paths: set[str]) -> None:
    assert {row.path for row in run.mismatches(evaluator="fields", **chosen)} == paths


def test_a_case_or_evaluator_that_is_not_there_is_a_key_error(run: Run) -> None:
    with pytest.raises(KeyError, match="no case `zzz`"):
        list(run.mismatches(case="zzz"))
    with pytest.raises(KeyError, match="no evaluator `nobody`"):
        run.mismatches(evaluator="nobody")


def test_notebooks_show_escaped_values(run: Run) -> None:
    page = run.mismatches()._repr_html_()
    assert "<td>total</td>" in page
    assert "iterate over them" in repr(run.mismatches())
