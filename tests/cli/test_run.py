"""`fieldwise run`."""

import csv
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from fieldwise.api import run
from fieldwise.report.files import render
from fieldwise.report.json_report import build_run_schema
from fieldwise.store.run import open_run

Run = Callable[..., Any]


def test_a_run_without_a_gate_passes_and_says_that_none_was_set(folder: Path, fieldwise: Run) -> None:
    result = fieldwise("run", "small.eval.yaml", "--format", "plain")
    assert result.exit_code == 0, result.output
    assert "no gate was set" in result.stdout
    assert "small  3 cases" in result.stdout
    assert len(list((folder / ".fieldwise/runs").iterdir())) == 1


def test_a_gate_that_holds_exits_0_and_one_that_does_not_exits_1(folder: Path, fieldwise: Run) -> None:
    assert fieldwise("run", "small.eval.yaml", "--gate", "fields.score >= 0.5").exit_code == 0
    failed = fieldwise(
        "run", "small.eval.yaml", "--gate", "fields.score >= 0.5", "--gate", "field_prf.macro_f1 > 0.99", "--format", "plain"
    )
    assert failed.exit_code == 1
    assert "✗  field_prf.macro_f1 > 0.99" in failed.stdout
    assert "exit 1: a gate failed" in failed.stdout


@pytest.mark.parametrize("gate", ["fields.scor >= 0.5", "nobody.score >= 0.5", "fields.score 0.5", "fields.score => 0.5"])
def test_a_gate_that_means_nothing_exits_2(folder: Path, fieldwise: Run, gate: str) -> None:
    assert fieldwise("run", "small.eval.yaml", "--gate", gate).exit_code == 2


def test_a_suite_that_is_not_there_exits_2_and_names_the_nearest(folder: Path, fieldwise: Run) -> None:
    result = fieldwise("run", "smal.eval.yaml")
    assert result.exit_code == 2
    assert "there is no suite smal.eval.yaml" in result.stderr
    assert "did you mean small.eval.yaml?" in result.stderr


def test_every_mistake_in_a_suite_is_told_at_once(folder: Path, fieldwise: Run) -> None:
    text = (folder / "small.eval.yaml").read_text().replace("tolerance: 0.01", "tolerence: 0.01").replace("match: exact", "match: exakt")
    (folder / "small.eval.yaml").write_text(text)
    result = fieldwise("run", "small.eval.yaml")
    assert result.exit_code == 2
    assert "Invalid match type: exakt" in result.stderr
    assert "tolerence" in result.stderr
    assert not (folder / ".fieldwise").exists()


def test_cases_that_are_not_there_exit_2(folder: Path, fieldwise: Run) -> None:
    result = fieldwise("run", "small.eval.yaml", "--cases", "case.jsonl", "--format", "plain")
    assert result.exit_code == 2
    assert "did you mean" in result.stderr


def test_a_fault_of_the_measurement_exits_3_unless_it_is_allowed(folder: Path, fieldwise: Run) -> None:
    with (folder / "cases.jsonl").open("a") as file:
        file.write('{"id": "d", "expected": "no record at all", "actual": {"number": "D-1"}}\n')
    assert fieldwise("run", "small.eval.yaml").exit_code == 3
    assert fieldwise("run", "small.eval.yaml", "--max-errors", "2").exit_code == 0


def test_a_run_in_which_nothing_was_evaluated_exits_4(folder: Path, fieldwise: Run) -> None:
    assert fieldwise("run", "small.eval.yaml", "--filter", "tag:nobody").exit_code == 4


def test_a_usage_error_exits_2(folder: Path, fieldwise: Run) -> None:
    assert fieldwise("run").exit_code == 2
    assert fieldwise("run", "small.eval.yaml", "--formt", "json").exit_code == 2
    assert fieldwise("run", "small.eval.yaml", "--limit", "0").exit_code == 2
    assert fieldwise("rum").exit_code == 2


def test_a_filter_that_equals_an_id_selects_it_whatever_its_brackets_mean(folder: Path, fieldwise: Run) -> None:
    cases = [{"id": name, "expected": {"number": "1", "total": 1}, "actual": {"number": "1", "total": 1}} for name in ("doc[1]", "doc[2]")]
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    document = json.loads(fieldwise("run", "small.eval.yaml", "--filter", "doc[1]", "--format", "json").stdout)
    assert {result["case"] for result in document["results"]} == {"doc[1]"}


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        (["a"], {"a"}),
        (["[ab]"], {"a", "b"}),
        (["tag:de"], {"a", "c"}),
        (["split:test"], {"b", "c"}),
        (["tag:de", "split:test"], {"c"}),
        (["a", "b"], {"a", "b"}),
    ],
)
def test_filters_choose_cases_by_id_pattern_tag_and_split(folder: Path, fieldwise: Run, filters: list[str], ids: set[str]) -> None:
    options = [part for each in filters for part in ("--filter", each)]
    actual = json.loads(fieldwise("run", "small.eval.yaml", "--format", "json", *options).stdout)
    assert {result["case"] for result in actual["results"]} == ids


def test_limit_stops_after_so_many_cases(folder: Path, fieldwise: Run) -> None:
    actual = json.loads(fieldwise("run", "small.eval.yaml", "--format", "json", "--limit", "2").stdout)
    assert actual["summary"]["cases"] == 2


def test_cases_may_come_from_standard_input(folder: Path, fieldwise: Run) -> None:
    line = '{"id": "x", "expected": {"number": "1", "total": 1}, "actual": {"number": "1", "total": 1}}\n'
    result = fieldwise("run", "small.eval.yaml", "--cases", "-", "--format", "json", input=line)
    assert result.exit_code == 0, result.output
    assert {entry["case"] for entry in json.loads(result.stdout)["results"]} == {"x"}


def test_json_is_what_the_published_schema_says(folder: Path, fieldwise: Run) -> None:
    actual = json.loads(fieldwise("run", "small.eval.yaml", "--format", "json", "--gate", "fields.score >= 0.99").stdout)
    Draft202012Validator(build_run_schema()).validate(actual)
    assert actual["run"]["exit_code"] == 1
    assert actual["summary"]["metrics"]["fields.score"] == pytest.approx(2 / 3)
    assert actual["gates"][0]["passed"] is False
    causes = {entry["cause"] for result in actual["results"] for entry in result["comparisons"] if not entry["passed"]}
    assert causes == {"ocr", None}  # 9 and 90 have too few digits to tell a scale from chance


def test_the_json_of_a_suite_that_cannot_run_holds_its_problems(folder: Path, fieldwise: Run) -> None:
    path = folder / "small.eval.yaml"
    path.write_text(path.read_text().replace("match: exact", "match: exakt"))
    result = fieldwise("run", "small.eval.yaml", "--format", "json")
    assert result.exit_code == 2
    document = json.loads(result.stdout)
    Draft202012Validator(build_run_schema()).validate(document)
    assert document["run"] is None
    assert "Invalid match type: exakt" in document["diagnostics"][0]["what"]


@pytest.mark.filterwarnings("error")
def test_a_confidence_out_of_range_is_told_once_and_not_by_a_python_warning(folder: Path, fieldwise: Run) -> None:
    case = {"id": "a", "expected": {"d": "2024-01-02"}, "actual": {"d": {"value": "2024-01-02", "confidence": 2}}}
    (folder / "c.jsonl").write_text(json.dumps(case) + "\n")
    suite = {"name": "s", "cases": "c.jsonl", "evaluators": [{"type": "field_accuracy", "fields": [{"path": "d", "match": "date"}]}]}
    (folder / "s.eval.yaml").write_text(json.dumps(suite))
    result = fieldwise("run", "s.eval.yaml", "--format", "json")
    assert [problem["code"] for problem in json.loads(result.stdout)["diagnostics"]].count("bad-confidence") == 1


def test_github_annotates_the_gate_that_failed(folder: Path, fieldwise: Run) -> None:
    result = fieldwise("run", "small.eval.yaml", "--format", "github", "--gate", "fields.score >= 0.99")
    assert result.exit_code == 1
    assert "::error file=small.eval.yaml,title=gate failed::" in result.stdout


def test_github_annotates_what_is_wrong_with_a_suite_at_its_line(folder: Path, fieldwise: Run) -> None:
    path = folder / "small.eval.yaml"
    path.write_text(path.read_text().replace("match: exact", "match: exakt"))
    result = fieldwise("run", "small.eval.yaml", "--format", "github")
    assert result.exit_code == 2
    assert "::error file=small.eval.yaml,line=7,title=" in result.stdout
    assert "Invalid match type: exakt" in result.stdout


def test_results_are_written_in_the_format_that_the_name_says(folder: Path, fieldwise: Run) -> None:
    names = ("out/r.json", "out/r.jsonl", "out/r.csv", "out/eval-results.json")
    result = fieldwise("run", "small.eval.yaml", *(part for name in names for part in ("--output", name)))
    assert result.exit_code == 0, result.output
    assert set(json.loads((folder / names[0]).read_text())) == {"run", "summary", "gates", "results", "diagnostics"}
    assert len((folder / names[1]).read_text().splitlines()) == 6
    assert {row["case"] for row in csv.DictReader((folder / names[2]).open())} == {"a", "b", "c"}
    fieldwise("report", "latest", "--output", "again.csv")
    assert (folder / "again.csv").read_bytes() == (folder / names[2]).read_bytes() == render(open_run(), ".csv")
    actual = json.loads((folder / names[3]).read_text())
    assert [entry["id"] for entry in actual["per_eval"]] == ["a", "b", "c"]
    assert actual["aggregate"]["eval_count"] == 3
    assert actual["aggregate"]["total_true_positives"] == 4


def test_a_dash_puts_results_on_standard_output_and_the_report_aside(folder: Path, fieldwise: Run) -> None:
    result = fieldwise("run", "small.eval.yaml", "--output", "-", "--format", "plain")
    assert [json.loads(line)["case"] for line in result.stdout.splitlines()] == ["a", "a", "b", "b", "c", "c"]
    assert "small  3 cases" in result.stderr


def test_a_name_that_says_no_format_is_refused_before_anything_runs(folder: Path, fieldwise: Run) -> None:
    result = fieldwise("run", "small.eval.yaml", "--output", "results.docx")
    assert result.exit_code == 2
    assert ".jsonl" in result.stderr
    assert not (folder / ".fieldwise").exists()


def test_eval_results_need_a_field_prf_which_is_found_before_anything_is_scored(folder: Path, fieldwise: Run) -> None:
    path = folder / "small.eval.yaml"
    path.write_text(path.read_text().replace("  - type: field_prf\n", ""))
    result = fieldwise("run", "small.eval.yaml", "--output", "eval-results.json")
    assert result.exit_code == 2
    assert "field_prf" in result.stderr
    assert not (folder / ".fieldwise").exists()


def test_hostile_data_neither_colours_the_report_nor_breaks_it(folder: Path, fieldwise: Run) -> None:
    case = {"id": "[red]x\x1b[2J", "expected": {"number": "[/bold]\u202e", "total": 1}, "actual": {"number": "=cmd()\x07", "total": 1}}
    (folder / "cases.jsonl").write_text(json.dumps(case) + "\n")
    result = fieldwise("run", "small.eval.yaml", "--format", "plain", "--output", "r.csv")
    assert result.exit_code == 0, result.output
    assert not {"\x1b", "\x07", "\u202e"} & set(result.stdout)
    assert "[red]x\\x1b[2J" in result.stdout
    github = fieldwise("run", "small.eval.yaml", "--format", "github").stdout
    assert not {"\x1b", "\x07", "\u202e"} & set(github)


def test_the_root_is_passed_as_an_argument_and_not_through_the_environment(
    folder: Path, fieldwise: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIELDWISE_ROOT", "from-the-environment")
    during: list[str | None] = []

    def run_and_look(*arguments: Any, **options: Any) -> Any:
        during.append(os.environ.get("FIELDWISE_ROOT"))
        return run(*arguments, **options)

    monkeypatch.setattr("fieldwise.api.run", run_and_look)
    assert fieldwise("--root", "elsewhere", "run", "small.eval.yaml").exit_code == 0
    assert during == ["from-the-environment"]
    assert len(list((folder / "elsewhere/runs").iterdir())) == 1
    assert not (folder / "from-the-environment").exists()
    assert fieldwise("run", "small.eval.yaml").exit_code == 0
    assert len(list((folder / "from-the-environment/runs").iterdir())) == 1
    listed = json.loads(fieldwise("--root", "elsewhere", "runs", "--format", "json").stdout)
    assert [entry["name"] for entry in listed] == ["small"]
