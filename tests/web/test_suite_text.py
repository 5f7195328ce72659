"""Suites checked as text: problems with their lines, and nothing read or imported that a request may not reach."""

import json
import sys
from pathlib import Path

from fieldwise.web.suite_text import check_suite_file, check_suite_for_records


def test_a_problem_has_its_line_and_a_suggestion() -> None:
    checked = check_suite_for_records("evaluators:\n  - type: field_accuracy\n    fields:\n      - {path: a, match: fuzy}\n")
    assert not checked.is_valid
    assert [(diagnostic.where.line, diagnostic.fix) for diagnostic in checked.diagnostics] == [(4, "did you mean `fuzzy`?")]


def test_pasted_records_replace_the_data_of_the_suite() -> None:
    checked = check_suite_for_records("name: x\ncases: /etc/passwd\nevaluators: [{type: field_prf}]\n")
    assert checked.is_valid
    assert checked.value == {"name": "x", "evaluators": [{"type": "field_prf"}]}
    assert [(diagnostic.level, diagnostic.where.line) for diagnostic in checked.diagnostics] == [("info", 2)]


def test_a_judge_at_any_depth_is_refused_with_its_line() -> None:
    members = "      - type: contains\n        value: a\n      - {type: code_judge, script: [rm]}\n"
    text = f"evaluators:\n  - type: composite\n    evaluators:\n{members}"
    [problem] = check_suite_for_records(text).diagnostics
    assert (problem.code, problem.where.line) == ("judge-refused", 6)


def test_files_and_classes_are_refused_for_records() -> None:
    for fields in ("{schema: /etc/passwd}", "{model: 'antigravity:X'}"):
        checked = check_suite_for_records(f"evaluators:\n  - type: field_accuracy\n    fields: {fields}\n")
        assert not checked.is_valid, fields
    assert "antigravity" not in sys.modules


def test_a_suite_of_the_workspace_may_name_files_below_it_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "s.json").write_text(json.dumps({"a": "EXACT"}))
    text = "cases: c.jsonl\nevaluators:\n  - {type: json_quality, strategies: s.json}\n"
    assert check_suite_file(text, tmp_path, "suites").is_valid
    assert not check_suite_file(text, tmp_path).is_valid
    assert not check_suite_file(text.replace("s.json", "../../etc/hosts"), tmp_path, "suites").is_valid


def test_a_class_of_a_suite_is_not_imported_and_the_check_says_so(tmp_path: Path) -> None:
    text = "cases: c.jsonl\nevaluators:\n  - type: field_accuracy\n    fields: {model: 'antigravity:X'}\n"
    checked = check_suite_file(text, tmp_path)
    assert checked.is_valid
    assert checked.value["evaluators"][0]["fields"] == {"model": "antigravity:X"}
    assert [(diagnostic.code, diagnostic.where.line) for diagnostic in checked.diagnostics] == [("not-checked", 4)]
    assert "antigravity" not in sys.modules


def test_text_that_is_not_yaml_is_a_problem_with_its_line() -> None:
    [problem] = check_suite_for_records("name: x\nevaluators: [\n").diagnostics
    assert (problem.code, problem.where.line) == ("invalid-yaml", 2)
    [empty] = check_suite_for_records(" \n").diagnostics
    assert empty.where.line == 1
