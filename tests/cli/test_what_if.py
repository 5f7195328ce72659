"""`fieldwise what-if` on the command line."""

import json

import pytest
from click.testing import CliRunner

import fieldwise as fw
from fieldwise.cli.app import app

SUITE = """\
cases: cases.jsonl
evaluators:
  - type: field_accuracy
    name: fields
    fields:
      - {path: name, match: fuzzy, threshold: 0.95}   # strict
gate: {fields.pass_rate: ">= 0.9"}
"""


@pytest.fixture
def folder(tmp_path):
    cases = [{"id": "1", "expected": {"name": "Acme Corp"}, "actual": {"name": "Acme Corp."}}]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    (tmp_path / "suite.eval.yaml").write_text(SUITE)
    fw.run(tmp_path / "suite.eval.yaml", root=tmp_path / "runs")
    return tmp_path


def invoke(folder, *arguments):
    return CliRunner().invoke(app, ["what-if", "latest", "--root", str(folder / "runs"), *arguments])


def test_json_names_metrics_gates_cases_and_flips(folder):
    result = invoke(folder, "--set", "fields.name.threshold=0.9", "--format", "json")
    content = json.loads(result.stdout)
    assert result.exit_code == 0
    assert set(content) == {"run", "changes", "metrics", "verdicts", "gates", "cases", "flips", "not_recomputed", "review", "written"}
    assert content["metrics"]["fields.pass_rate"] == {"before": 0.0, "after": 1.0}
    assert content["gates"][0]["before"]["passed"] is False
    assert content["gates"][0]["after"]["passed"] is True
    assert content["flips"][0]["passed"] is True
    assert content["cases"][0]["verdict_after"] == "pass"
    assert content["written"] is None
    assert (folder / "suite.eval.yaml").read_text() == SUITE


def test_write_changes_the_suite_and_keeps_its_comments(folder):
    result = invoke(folder, "--set", "fields.name.threshold=0.9", "--write", "--format", "plain")
    assert result.exit_code == 0
    assert "1 comparison now pass" in result.stdout
    assert (folder / "suite.eval.yaml").read_text() == SUITE.replace("0.95", "0.9")


def test_what_cannot_be_recomputed_exits_2_and_writes_nothing(folder):
    result = invoke(folder, "--set", "fields.name.normalize=false", "--write")
    assert result.exit_code == 2
    assert (folder / "suite.eval.yaml").read_text() == SUITE


def test_a_run_that_does_not_exist_exits_2(tmp_path):
    assert invoke(tmp_path, "--set", "fields.pass_at=0.9").exit_code == 2


def test_without_a_setting_it_exits_2(folder):
    assert invoke(folder).exit_code == 2
