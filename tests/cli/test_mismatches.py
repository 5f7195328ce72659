"""`fieldwise mismatches` and `fieldwise explain --field`."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow.parquet as pq
import pytest

Run = Callable[..., Any]


@pytest.fixture
def stored(folder: Path, fieldwise: Run) -> str:
    """The id of a run of the small suite: the number of b and the total of c are wrong."""
    return str(json.loads(fieldwise("run", "small.eval.yaml", "--format", "json").stdout)["run"]["id"])


def test_the_page_shows_each_wrong_value_once_with_its_cause(stored: str, fieldwise: Run) -> None:
    result = fieldwise("mismatches", stored, "--format", "plain")
    assert result.exit_code == 0
    assert "2 wrong values in 2 cases" in result.stdout
    assert result.stdout.count("B-10 → B-1O  look-alike characters") == 1


def test_json_has_every_evaluator(stored: str, fieldwise: Run) -> None:
    document = json.loads(fieldwise("mismatches", stored, "--format", "json").stdout)
    assert document["run"] == stored
    assert document["count"] == len(document["mismatches"]) == 4
    assert document["mismatches"][0] == {
        "case": "b",
        "evaluator": "fields",
        "field": "number",
        "path": "number",
        "expected": "B-10",
        "actual": "B-1O",
        "outcome": "wrong_value",
        "cause": "ocr",
        "similarity": 0.0,
        "note": None,
    }


@pytest.mark.parametrize(
    ("options", "cases"),
    [
        (["--field", "total"], ["c"]),
        (["--cause", "ocr"], ["b"]),
        (["--cause", "Look-alike characters"], ["b"]),
        (["--cause", "sign"], []),
        (["--case", "c"], ["c"]),
        (["--case", "a"], []),
        (["--case", "b", "--field", "total"], []),
    ],
)
def test_rows_are_chosen(stored: str, fieldwise: Run, options: list[str], cases: list[str]) -> None:
    result = fieldwise("mismatches", "latest", *options, "--evaluator", "fields", "--format", "json")
    assert result.exit_code == 0
    assert [row["case"] for row in json.loads(result.stdout)["mismatches"]] == cases


def test_every_file_has_the_same_rows(stored: str, folder: Path, fieldwise: Run) -> None:
    for name in ("w.csv", "w.xlsx", "w.jsonl", "w.json", "w.parquet"):
        assert fieldwise("mismatches", "latest", "-o", f"out/{name}").exit_code == 0
    out = folder / "out"
    lines = [json.loads(line) for line in (out / "w.jsonl").read_text().splitlines()]
    cases = [line["case"] for line in lines]
    assert cases == ["b", "c", "b", "c"]
    rows = list(csv.DictReader((out / "w.csv").open()))
    assert [row["case"] for row in rows] == cases
    assert rows[0]["cause"] == "look-alike characters"
    sheet = openpyxl.load_workbook(out / "w.xlsx")["mismatches"]
    heads, *cells = sheet.iter_rows(values_only=True)
    assert [row[0] for row in cells] == cases
    assert dict(zip(heads, cells[1], strict=True))["actual"] == 90
    assert pq.read_table(out / "w.parquet").column("case").to_pylist() == cases
    assert json.loads((out / "w.json").read_text())["count"] == 4


def test_standard_output_takes_json_lines(stored: str, fieldwise: Run) -> None:
    assert len(fieldwise("mismatches", "latest", "-o", "-").stdout.splitlines()) == 4


def test_a_csv_of_results_has_the_mismatches_beside_it(stored: str, folder: Path, fieldwise: Run) -> None:
    assert fieldwise("report", "latest", "-o", "out/run.csv").exit_code == 0
    assert len(list(csv.DictReader((folder / "out/run.mismatches.csv").open()))) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["2020"], "there is no run `2020`"),
        (["latest", "--field", "totl"], "did you mean `total`?"),
        (["latest", "--cause", "scales"], "did you mean `scale`?"),
        (["latest", "--case", "zz"], "has no case `zz`"),
        (["latest", "--evaluator", "nobody"], "it has fields, field_prf"),
        (["latest", "-o", "x.pdf"], "no known format"),
        (["latest", "--nonsense"], "No such option"),
    ],
)
def test_what_is_not_there_exits_2(stored: str, fieldwise: Run, arguments: list[str], message: str) -> None:
    result = fieldwise("mismatches", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_a_damaged_part_exits_3(stored: str, folder: Path, fieldwise: Run) -> None:
    for file in folder.glob(f".fieldwise/runs/{stored}/parts/*-comparisons.parquet"):
        file.write_bytes(file.read_bytes()[:-9])
    assert fieldwise("mismatches", stored).exit_code == 3
    assert fieldwise("explain", stored, "--field", "total").exit_code == 3


def test_another_store_is_named_after_the_command(stored: str, folder: Path, fieldwise: Run) -> None:
    assert fieldwise("mismatches", "latest", "--root", folder / ".fieldwise").exit_code == 0
    assert fieldwise("mismatches", "latest", "--root", folder / "empty").exit_code == 2


def test_explain_shows_a_field_over_all_cases(stored: str, fieldwise: Run) -> None:
    result = fieldwise("explain", "latest", "--field", "total", "--format", "plain")
    assert result.exit_code == 0
    assert "2 of 3 right" in result.stdout
    assert "9.0 → 90.0" in result.stdout
    document = json.loads(fieldwise("explain", "latest", "--field", "total", "--evaluator", "fields", "--format", "json").stdout)
    assert (document["n"], document["matched"], len(document["comparisons"])) == (3, 2, 3)


def test_a_field_on_which_evaluators_disagree_is_counted_for_each_of_them(folder: Path, fieldwise: Run) -> None:
    rows = [{"id": "a", "expected": {"total": 5}, "actual": {"total": 5.4}}, {"id": "b", "expected": {"total": 7}, "actual": {"total": 7}}]
    (folder / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    rule = {"path": "total", "match": "numeric_tolerance", "tolerance": 1}
    evaluators = [{"type": "field_accuracy", "name": "fields", "fields": [rule]}, {"type": "field_prf"}]
    (folder / "t.eval.yaml").write_text(json.dumps({"cases": "t.jsonl", "evaluators": evaluators}))
    fieldwise("run", "t.eval.yaml")
    page = fieldwise("explain", "latest", "--field", "total", "--format", "plain").stdout
    assert "2 of 2 right (fields), 1 of 2 right (field_prf)" in page
    document = json.loads(fieldwise("explain", "latest", "--field", "total", "--format", "json").stdout)
    assert (document["n"], document["matched"]) == (2, 2)
    assert document["evaluators"] == [{"evaluator": "fields", "n": 2, "matched": 2}, {"evaluator": "field_prf", "n": 2, "matched": 1}]


def test_explain_needs_a_case_or_a_field(stored: str, fieldwise: Run) -> None:
    result = fieldwise("explain", "latest")
    assert result.exit_code == 2
    assert "name a case or a field" in result.stderr
    assert fieldwise("explain", "latest", "--field", "nowhere").exit_code == 2


def test_answers_have_no_fields_and_the_page_says_so(fieldwise: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert fieldwise("demo", "answers").exit_code in (0, 1)
    assert "compares fields" in " ".join(fieldwise("mismatches", "latest", "--format", "plain").stdout.split())


@pytest.mark.parametrize("command", [("mismatches", "latest"), ("explain", "latest", "a"), ("explain", "latest", "--field", "a..total")])
def test_a_malformed_path_is_not_an_unexpected_null(folder: Path, fieldwise: Run, command: tuple[str, ...]) -> None:
    path = folder / "small.eval.yaml"
    path.write_text(path.read_text().replace("path: total", "path: a..total"))
    fieldwise("run", "small.eval.yaml")
    shown = fieldwise(*command, "--format", "plain").stdout
    assert "malformed path" in shown
    assert "not expected: null" not in shown
