"""A problem that only the data show has the line of its rule."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from fieldwise.cli.app import app
from fieldwise.read.rule_lines import locate_paths
from fieldwise.read.suite import read_document

SCHEMA = {"required": ["zz"], "properties": {"zz": {"type": "number"}}}
HEAD = "name: s\ncases: c.jsonl\nevaluators:\n"
FORMS = {
    "flow list": ("  - {type: field_accuracy, fields: [x, zz]}\n", 4),
    "bare path": ("  - type: field_accuracy\n    fields:\n      - x\n      - zz\n", 7),
    "flow mapping": ("  - type: field_accuracy\n    fields:\n      - x\n      - {path: zz, match: exact}\n", 7),
    "block mapping": ("  - type: field_accuracy\n    fields:\n      - x\n      - match: exact\n        path: zz\n", 8),
    "schema": ("  - type: field_accuracy\n    fields:\n      schema: zz.schema.json\n", 6),
    "member": ("  - type: composite\n    evaluators:\n      - {type: field_prf}\n      - {type: field_accuracy, fields: [zz]}\n", 7),
}


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zz.schema.json").write_text(json.dumps(SCHEMA))
    (tmp_path / "c.jsonl").write_text(json.dumps({"id": "1", "expected": {"x": 1}, "actual": {"x": 1}}) + "\n")
    path = tmp_path / "s.eval.yaml"
    path.write_text(HEAD + request.param)
    return path


@pytest.mark.parametrize(("suite", "line"), FORMS.values(), ids=FORMS.keys(), indirect=["suite"])
def test_a_path_in_no_expected_record_has_the_line_of_its_rule(suite: Path, line: int) -> None:
    for command in ("check", "run"):
        result = CliRunner().invoke(app, [command, suite.name, "--format", "plain"])
        assert result.exit_code == 2
        assert f"s.eval.yaml:{line}: field zz: no expected record has this field" in result.stdout
    annotations = CliRunner().invoke(app, ["run", suite.name, "--format", "github"]).stdout
    assert f"::error file=s.eval.yaml,line={line},title=unused-rule::field zz" in annotations


def test_a_rule_comes_before_other_places_that_name_the_path() -> None:
    text = "evaluators:\n  - type: field_accuracy\n    lists: {rows: {align: best}}\n    fields:\n      - rows\n"
    assert locate_paths(read_document(text=text))["rows"] == 5
