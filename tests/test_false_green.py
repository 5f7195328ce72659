"""Situations in which others report success though nothing, or not all, was measured. Here none of them exits 0, and each says why."""

import errno
import gzip
import json
import os
import socket
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import fieldwise as fw
from fieldwise.cli.app import app
from fieldwise.registry import EVALUATORS
from fieldwise.store.baseline import save_baseline
from fieldwise.store.errors import Interrupted
from fieldwise.store.run import list_runs, open_run

GOOD = {"id": "a", "expected": {"n": "x", "total": 1}, "actual": {"n": "x", "total": 1}}
FIELDS = {"type": "field_accuracy", "name": "fields", "fields": ["n", "total"]}
PASSED, FAILED, CONFIG, INCOMPLETE, NOTHING, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 4, 70, 130


class Place:
    """A folder with a suite and its cases, and the command line in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.suite(FIELDS)
        self.cases(GOOD, {**GOOD, "id": "b"})

    def suite(self, *evaluators: Any, **more: Any) -> None:
        suite = {"name": "s", "cases": "data.jsonl", "evaluators": list(evaluators), **more}
        (self.folder / "s.eval.yaml").write_text(json.dumps(suite))

    def cases(self, *cases: Any) -> None:
        self.write("data.jsonl", "".join((case if isinstance(case, str) else json.dumps(case)) + "\n" for case in cases))

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(self, *options: str, command: tuple[str, ...] = ("run", "s.eval.yaml", "--format", "plain")) -> tuple[int, str]:
        result = CliRunner().invoke(app, [*command, *options], env={"COLUMNS": "400"})
        return result.exit_code, " ".join((result.stdout + result.stderr).split())

    def fails(self, code: int | tuple[int, ...], message: str, *options: str) -> None:
        """It exits with this code, or one of these, and says so."""
        exit_code, output = self.run(*options)
        assert exit_code in (code if isinstance(code, tuple) else (code,)), output
        assert message in output


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.chdir(tmp_path)
    return Place(tmp_path)


def test_what_is_right_is_green(place: Place) -> None:
    """Else the rest of this file would prove nothing."""
    assert place.run()[0] == PASSED
    assert place.run("--gate", "fields.score >= 1")[0] == PASSED


class TestNothingToScore:
    def test_an_empty_file(self, place: Place) -> None:
        place.write("data.jsonl", "")
        place.fails(NOTHING, "the file holds no cases")

    def test_an_empty_list_of_cases(self, place: Place) -> None:
        place.suite(FIELDS, cases="data.json")
        place.write("data.json", "[]")
        place.fails(NOTHING, "no cases")

    def test_a_file_that_is_not_there(self, place: Place) -> None:
        (place.folder / "data.jsonl").unlink()
        place.fails(CONFIG, "there is no file data.jsonl")

    def test_a_pattern_that_matches_no_file(self, place: Place) -> None:
        place.suite(FIELDS, cases="data/*.jsonl")
        place.fails(CONFIG, "there is no file data/*.jsonl")

    def test_every_case_filtered_out(self, place: Place) -> None:
        place.fails(NOTHING, "nothing", "--filter", "tag:nobody")

    def test_a_limit_of_no_case(self, place: Place) -> None:
        place.fails(CONFIG, "--limit", "--limit", "0")

    def test_a_limit_of_no_case_in_python(self, place: Place) -> None:
        assert fw.run("s.eval.yaml", limit=0).exit_code == NOTHING

    def test_no_evaluators(self, place: Place) -> None:
        place.suite()
        place.fails(CONFIG, "evaluators")

    def test_no_rules_and_no_leaf_to_infer_one_from(self, place: Place) -> None:
        place.suite({"type": "field_accuracy", "name": "fields"})
        place.cases({"id": "a", "expected": {}, "actual": {}})
        place.fails(CONFIG, "no rules can be inferred")

    def test_an_empty_list_of_rules(self, place: Place) -> None:
        place.suite({**FIELDS, "fields": []})
        place.fails(CONFIG, "`fields` is empty")

    def test_expected_is_null_in_every_case(self, place: Place) -> None:
        place.cases({"id": "a", "expected": None, "actual": {"n": "x"}})
        place.fails(NOTHING, "nothing to score")

    def test_an_evaluator_that_is_for_no_case(self, place: Place) -> None:
        place.suite({**FIELDS, "when": {"tag": "nobody"}})
        place.fails(NOTHING, "not for it")

    def test_one_of_two_evaluators_is_for_no_case(self, place: Place) -> None:
        place.suite(FIELDS, {"type": "field_prf", "when": {"tag": "nobody"}})
        place.fails(INCOMPLETE, "`field_prf` measured nothing")

    def test_a_condition_on_a_field_that_no_case_has(self, place: Place) -> None:
        place.suite({"type": "constraints", "rules": [{"check": "present(n)"}, {"if": "m == 'x'", "then": "n"}]})
        place.fails(CONFIG, "no case of the run has this field")
        place.suite({"type": "constraints", "rules": [{"check": "present(n)"}, {"if": "m == 'x'", "then": "n", "sparse": True}]})
        assert place.run()[0] == PASSED

    def test_a_key_that_no_item_of_a_list_has(self, place: Place) -> None:
        place.suite({**FIELDS, "fields": ["items[*].sku"], "lists": {"items": {"align": "key", "key": "skuu"}}})
        record = {"items": [{"sku": "a"}, {"sku": "b"}]}
        place.cases({"id": "a", "expected": record, "actual": record})
        place.fails(CONFIG, "did you mean `items[*].sku`?")

    def test_one_of_two_evaluators_finds_nothing_to_score(self, place: Place) -> None:
        place.suite(FIELDS, {"type": "constraints", "rules": [{"if": "n == 'other'", "then": "n"}]})
        place.fails(INCOMPLETE, "tolerate them with --max-unscored")

    def test_only_ignored_fields(self, place: Place) -> None:
        place.suite({**FIELDS, "fields": [{"path": "n", "match": "ignore"}]})
        code, _ = place.run()
        assert code != PASSED


class TestMisread:
    def test_a_rule_whose_field_no_case_has(self, place: Place) -> None:
        place.suite({**FIELDS, "fields": ["n", "totl"]})
        place.fails(CONFIG, "field totl: no expected record has this field")

    @pytest.mark.parametrize("failed", [{"actual": None}, {"actual": {"n": None}}, {"expected": None}])
    def test_a_rule_whose_field_no_case_has_though_a_side_is_null(self, place: Place, failed: dict[str, Any]) -> None:
        place.suite({**FIELDS, "fields": ["n", "totl"]})
        place.cases(GOOD, {**GOOD, "id": "b", **failed})
        place.fails(CONFIG, "field totl: no expected record has this field")

    def test_a_rule_for_a_list_that_no_case_has(self, place: Place) -> None:
        place.suite({"type": "field_prf", "lists": {"line_itms": {"align": "best"}}})
        code, output = place.run()
        assert (code, "field line_itms: no case of the run has this list" in output) == (PASSED, True)
        place.suite({"type": "field_prf", "lists": {"line_items": {"align": "best"}}})
        place.cases({**GOOD, "expected": {"line_items": []}})
        assert place.run()[0] == PASSED

    @pytest.mark.parametrize(
        ("option", "message"),
        [
            ({"type": "field_prf", "ignore": ["totl", "n[0].x"]}, "`ignore` names `totl`, and no case of the run has such a field"),
            ({"type": "json_quality", "strategies": {"totl": "IGNORE"}}, "`strategies` names `totl`, and no case"),
        ],
    )
    def test_a_name_that_no_case_has_is_told(self, place: Place, option: Any, message: str) -> None:
        """A warning and no more: what no case has is left out anyway."""
        place.suite(option)
        code, output = place.run()
        assert (code, message in output) == (PASSED, True)

    def test_a_malformed_path(self, place: Place) -> None:
        place.suite({**FIELDS, "fields": ["n", "a..b"]})
        place.fails(INCOMPLETE, "malformed path: `a..b` has an empty step", "--gate", "fields.score >= 0.1")

    @pytest.mark.parametrize("check", ["not zz", "zz == null", "count(zz[*].a) >= 0", "zz > 1"])
    def test_a_constraint_on_a_field_that_no_case_has(self, place: Place, check: str) -> None:
        place.suite({"type": "constraints", "rules": [{"check": "present(n)"}, {"check": check}]})
        place.fails(CONFIG, "no case of the run has this field", "--gate", "constraints.score >= 0.1")
        place.suite({"type": "constraints", "rules": [{"check": "present(n)"}, {"check": check, "sparse": True}]})
        code, output = place.run()
        assert (code, "no case of the run has this field" in output) == (PASSED, True)

    @pytest.mark.parametrize("rule", [{"name": "vat", "if": "n == 'de'", "then": "total == 1"}, {"name": "vat", "check": "items[*].a > 0"}])
    def test_a_constraint_that_applies_to_no_output(self, place: Place, rule: dict[str, Any]) -> None:
        place.cases({**GOOD, "actual": {"n": "x", "total": 1, "items": []}}, {"id": "b", "actual": {"n": "y", "total": 2, "items": []}})
        place.suite({"type": "constraints", "rules": [{"check": "present(n)"}, rule]}, gate={"constraints.score": ">= 1"})
        place.fails(INCOMPLETE, "vat: constraints: the rule applied to no output (n = 0)")
        place.fails(INCOMPLETE, "write `sparse: true` if it may apply to no output")
        code, output = place.run("--limit", "1")
        assert (code, "the rule applied to no output" in output) == (PASSED, True)
        place.suite({"type": "constraints", "rules": [{"check": "present(n)"}, {**rule, "sparse": True}]})
        code, output = place.run()
        assert (code, "the rule applied to no output" in output) == (PASSED, True)

    def test_a_constraint_that_applies_to_no_output_and_requires_a_field_that_none_has(self, place: Place) -> None:
        rule = {"name": "vat", "if": "n == 'de'", "then": "vat_id"}
        place.suite({"type": "constraints", "rules": [{"check": "present(n)"}, rule]}, gate={"constraints.score": ">= 1"})
        place.fails(INCOMPLETE, "vat: constraints: the rule applied to no output (n = 0)")

    def test_a_sparse_constraint_does_not_excuse_a_rule_that_measures_nothing(self, place: Place) -> None:
        place.cases({"id": "a", "expected": {"n": 1, "note": "x"}, "actual": {"n": 1}})
        fields = {"type": "field_accuracy", "fields": ["n", {"path": "note", "required": False}]}
        place.suite(fields, {"type": "constraints", "rules": [{"check": "present(n)"}, {"check": "note == 'x'", "sparse": True}]})
        place.fails(INCOMPLETE, "note: nothing was measured for this field (n = 0)", "--max-unscored", "1")

    def test_a_constraint_in_a_composite_that_applies_to_no_output(self, place: Place) -> None:
        rules = {"type": "constraints", "rules": [{"check": "present(n)"}, {"name": "vat", "if": "n == 'de'", "then": "total == 1"}]}
        place.suite({"type": "composite", "evaluators": [rules, {"type": "is_json"}]})
        place.fails(INCOMPLETE, "vat: composite: the rule applied to no output (n = 0)")

    def test_a_constraint_that_applies_to_one_output_is_measured(self, place: Place) -> None:
        place.cases(GOOD, {"id": "b", "actual": {"n": "de", "total": 1}})
        place.suite({"type": "constraints", "rules": [{"check": "present(n)"}, {"if": "n == 'de'", "then": "total == 1"}]})
        assert place.run()[0] == PASSED

    def test_a_record_with_fields_that_files_have_too(self, place: Place) -> None:
        """`model` and `cost` say something of a file of outputs, or of a product."""
        for name, model in (("e.json", "X100"), ("a.json", "X200")):
            place.write(name, json.dumps({"model": model, "cost": 1, "items": [{"id": 1, "part": "bolt"}]}))
        code, output = place.run(command=("diff", "e.json", "a.json", "--format", "plain"))
        assert (code, "X200" in output) == (FAILED, True)

    def test_two_lists_in_an_output_of_which_one_is_right(self, place: Place) -> None:
        place.suite({"type": "field_prf"}, gate={"field_prf.score": ">= 0.9"})
        place.cases({"id": "a", "expected": [{"x": 1}], "actual": '[{"x": 2}] or maybe [{"x": 1}]'})
        place.fails(FAILED, "a 0.000")

    def test_a_column_that_the_file_does_not_have(self, place: Place) -> None:
        place.suite(FIELDS, columns={"expected": "ground_thruth"})
        place.fails(CONFIG, "ground_thruth")

    def test_unknown_columns(self, place: Place) -> None:
        place.cases({"id": "a", "soll": {"n": "x"}, "ist": {"n": "x"}})
        place.fails(CONFIG, "no column is expected or actual")

    def test_no_predictions_at_all(self, place: Place) -> None:
        place.cases({"id": "a", "expected": {"n": "x", "total": 1}})
        place.fails(CONFIG, "no column is actual")

    def test_a_folder_of_predictions_that_is_empty(self, place: Place) -> None:
        place.suite(FIELDS, cases={"expected": "gold", "actual": "predictions"})
        place.write("gold/a.json", '{"n": "x", "total": 1}')
        (place.folder / "predictions").mkdir()
        place.fails(CONFIG, "holds no file of cases")

    def test_predictions_under_other_names(self, place: Place) -> None:
        place.suite(FIELDS, cases={"expected": "gold", "actual": "predictions"})
        place.write("gold/a.json", '{"n": "x", "total": 1}')
        place.write("predictions/z.json", '{"n": "x", "total": 1}')
        code, output = place.run("--gate", "fields.score >= 0.9")
        assert code != PASSED, output

    @pytest.mark.parametrize("gold", ["gold", "gold/*.json"])
    def test_a_link_to_nothing_among_the_expected_records(self, place: Place, gold: str) -> None:
        place.suite(FIELDS, cases={"expected": gold, "actual": "predictions"})
        for name in ("gold/a.json", "predictions/a.json", "predictions/b.json"):
            place.write(name, '{"n": "x", "total": 1}')
        (place.folder / "gold/b.json").symlink_to("/nowhere/b.json")
        place.fails(CONFIG, "gold/b.json: this is a link to /nowhere/b.json, which is not there")

    def test_one_file_on_both_sides_through_a_hard_link(self, place: Place) -> None:
        place.suite(FIELDS, cases={"expected": "e.jsonl", "actual": "a.jsonl"})
        place.write("e.jsonl", '{"id": "a", "n": "x", "total": 1}\n')
        (place.folder / "a.jsonl").hardlink_to(place.folder / "e.jsonl")
        place.fails(CONFIG, "both expected and actual")

    def test_a_copy_of_the_expected_file_as_the_actual_one_is_told(self, place: Place) -> None:
        place.suite(FIELDS, cases={"expected": "e.jsonl", "actual": "a.jsonl"})
        for name in ("e.jsonl", "a.jsonl"):
            place.write(name, '{"id": "a", "n": "x", "total": 1}\n')
        code, output = place.run()
        assert (code, "a.jsonl: the file has the same bytes as e.jsonl" in output) == (PASSED, True), output

    def test_a_pipe_among_the_expected_records(self, place: Place) -> None:
        place.suite(FIELDS, cases={"expected": "gold", "actual": "predictions"})
        for name in ("gold/a.json", "predictions/a.json", "predictions/b.json"):
            place.write(name, '{"n": "x", "total": 1}')
        os.mkfifo(place.folder / "gold/b.json")
        place.fails(CONFIG, "gold/b.json: this is not a regular file")

    @pytest.mark.parametrize("unread", ["b.jsonl", "sub/b.json"])
    def test_data_that_a_folder_holds_and_nothing_reads(self, place: Place, unread: str) -> None:
        place.suite(FIELDS, cases={"expected": "gold", "actual": "predictions"})
        for name in ("gold/a.json", f"gold/{unread}", "predictions/a.json", "predictions/b.json"):
            place.write(name, '{"n": "x", "total": 1}')
        code, output = place.run()
        told = f"gold: only the files of this folder that end in .json are read, and not {unread.removesuffix('b.json')}"
        assert (code, told in output) == (PASSED, True), output

    def test_nothing_but_unreadable_lines(self, place: Place) -> None:
        place.cases("{", "not json", '{"id": ')
        code, output = place.run()
        assert code in (CONFIG, INCOMPLETE, NOTHING), output

    def test_a_truncated_last_line(self, place: Place) -> None:
        place.write("data.jsonl", json.dumps(GOOD) + "\n" + json.dumps({**GOOD, "id": "b"})[:-7])
        place.fails(INCOMPLETE, "data.jsonl:2")

    def test_a_truncated_archive(self, place: Place) -> None:
        place.suite(FIELDS, cases="data.jsonl.gz")
        whole = gzip.compress("".join(json.dumps({**GOOD, "id": str(at)}) + "\n" for at in range(500)).encode())
        (place.folder / "data.jsonl.gz").write_bytes(whole[: len(whole) // 2])
        place.fails(CONFIG, "data.jsonl.gz")

    def test_the_same_id_twice(self, place: Place) -> None:
        place.cases(GOOD, {**GOOD, "actual": {"n": "y"}})
        place.fails(CONFIG, "has the same id as line 1")

    def test_numbers_that_are_none_on_both_sides(self, place: Place) -> None:
        place.cases('{"id": "a", "expected": {"n": NaN, "total": NaN}, "actual": {"n": NaN, "total": NaN}}')
        code, output = place.run("--gate", "fields.score >= 0.1")
        assert code != PASSED, output


class TestGates:
    @pytest.mark.parametrize(
        ("gate", "message"),
        [
            ("feilds.score >= 0.5", "fields"),
            ("fields.scoer >= 0.5", "score"),
            ("fields.rqs >= 0.5", "fields"),
            ("fields.score >= nan", "nan"),
        ],
    )
    def test_a_gate_on_what_does_not_exist(self, place: Place, gate: str, message: str) -> None:
        place.fails(CONFIG, message, "--gate", gate)

    def test_a_gate_on_a_metric_that_was_not_measured(self, place: Place) -> None:
        place.suite(FIELDS, {"type": "answer_quality", "when": {"tag": "nobody"}})
        code, output = place.run("--gate", "answer_quality.exact_match >= 0")
        assert code != PASSED, output
        assert "measured nothing" in output

    @pytest.mark.parametrize("metric", ["ap_small", "ap_large"])
    def test_a_gate_on_a_declared_metric_that_got_no_value(self, place: Place, metric: str) -> None:
        boxes = [{"bbox": [0, 0, 50, 50], "category": "dog"}]
        place.suite({"type": "detection"}, gate={f"detection.{metric}": ">= 0.5"})
        place.cases({"id": "1", "expected": boxes, "actual": boxes})
        place.fails(INCOMPLETE, f"not measured: `{metric}` had nothing to measure in any of 1 cases")

    def test_a_gate_on_a_category_that_no_case_has(self, place: Place) -> None:
        boxes = [{"bbox": [0, 0, 50, 50], "category": "dog"}]
        place.suite({"type": "detection"}, gate={"detection.ap[dgo]": ">= 0.5"})
        place.cases({"id": "1", "expected": boxes, "actual": boxes})
        place.fails(CONFIG, "`detection` has no metric `ap[dgo]`")

    def test_a_gate_on_average_precision_without_any_object(self, place: Place) -> None:
        place.suite({"type": "detection"}, gate={"detection.ap": ">= 0.5"})
        place.cases({"id": "1", "expected": [], "actual": []})
        place.fails(INCOMPLETE, "not measured: `ap` had nothing to measure in any of 1 cases")

    def test_a_gate_that_any_number_passes_still_needs_a_number(self, place: Place) -> None:
        place.write("data.jsonl", "")
        code, output = place.run("--gate", "fields.score >= 0")
        assert code != PASSED, output

    def test_a_failing_case_without_any_gate_but_with_a_cut(self, place: Place) -> None:
        place.suite({**FIELDS, "pass_at": 0.9})
        place.cases({**GOOD, "actual": {"n": "y", "total": 2}})
        place.fails(FAILED, "exit 1")


def judge(place: Place, script: str, **options: Any) -> None:
    place.write("judge.py", script)
    place.suite({"type": "code_judge", "script": "judge.py", **options})


class TestJudges:
    @pytest.mark.parametrize(
        "script",
        [
            "raise SystemExit(3)",
            "print('all fine!')",
            "",
            'print(\'{"score": "high"}\')',
            "print('{\"score\": NaN}')",
            "print('{\"score\": 7}')",
        ],
    )
    def test_a_program_that_crashes_or_says_nothing_of_use(self, place: Place, script: str) -> None:
        judge(place, script)
        code, output = place.run("--gate", "code_judge.score >= 0")
        assert code in (INCOMPLETE, NOTHING), output

    def test_a_program_that_does_not_come_to_an_end(self, place: Place) -> None:
        judge(place, "import time; time.sleep(60)", timeout=0.3)
        place.fails(NOTHING, "`code_judge` could not measure 2 of 2 cases")

    def test_a_program_that_is_not_there(self, place: Place) -> None:
        place.suite({"type": "code_judge", "script": "nobody.py"})
        code, output = place.run()
        assert code != PASSED, output

    def test_one_fault_among_good_cases(self, place: Place) -> None:
        judge(place, "import json, sys\nif json.load(sys.stdin)['candidate_answer'] == 'bad': sys.exit(1)\nprint('{\"score\": 1}')")
        place.cases({"id": "a", "actual": "good"}, {"id": "b", "actual": "bad"})
        place.fails(INCOMPLETE, "exit 3", "--gate", "code_judge.score >= 1")
        assert place.run("--max-errors", "1")[0] == PASSED

    def test_a_model_that_is_down(self, place: Place) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        model = {"url": f"http://127.0.0.1:{port}/v1", "name": "m", "retries": 0, "timeout": 1}
        place.suite(FIELDS, {"type": "llm_judge", "prompt": "Is it right?", "model": model})
        place.fails(INCOMPLETE, "llm_judge")

    def test_no_model_at_all(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("FIELDWISE_MODEL_URL", raising=False)
        place.suite(FIELDS, {"type": "llm_judge", "prompt": "Is it right?"})
        place.fails(INCOMPLETE, "`llm_judge` could not measure 2 of 2 cases")

    def test_a_budget_of_nothing(self, place: Place) -> None:
        model = {"url": "http://127.0.0.1:9/v1", "name": "m", "retries": 0}
        place.suite(FIELDS, {"type": "llm_judge", "prompt": "Is it right?", "model": model})
        place.fails(INCOMPLETE, "llm_judge", "--max-calls", "0")

    def test_meaning_without_anything_that_understands_it(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        missing = fw.Diagnostic(code="no-model", what="there is no embedding model", fix="get one")
        monkeypatch.setattr("fieldwise.ask.embedding.provide", lambda: missing)
        place.suite({**FIELDS, "fields": [{"path": "n", "match": "semantic"}]})
        place.cases({"id": "a", "expected": {"n": "a quiet street"}, "actual": {"n": "hardly any traffic"}})
        code, output = place.run("--gate", "fields.score >= 0")
        assert code in (INCOMPLETE, NOTHING), output

    def test_an_evaluator_that_crashes(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        def crash(batch: Any, config: Any) -> Any:
            raise RuntimeError("out of order")

        entry = EVALUATORS.find("field_prf")
        monkeypatch.setitem(EVALUATORS.specs, "field_prf", replace(entry, function=crash))
        place.suite(FIELDS, {"type": "field_prf"})
        place.fails(INCOMPLETE, "out of order", "--gate", "fields.score >= 1")

    def test_unscored_results_beyond_the_limit(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("FIELDWISE_MODEL_URL", raising=False)
        place.suite(FIELDS, {"type": "llm_judge", "prompt": "Is it right?"})
        assert place.run("--max-unscored", "1")[0] == INCOMPLETE
        assert place.run("--max-unscored", "2")[0] == PASSED


class TestBaselines:
    GATE: ClassVar = {"regression": {"metric": "fields.score", "max_drop": 0.0}}

    def test_a_gate_on_regressions_without_a_baseline(self, place: Place) -> None:
        place.suite(FIELDS, gate=self.GATE)
        place.fails(CONFIG, "there is no baseline")

    def test_a_baseline_that_is_not_there(self, place: Place) -> None:
        place.fails(CONFIG, "nobody.json", "--baseline", "nobody.json")

    @pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 1}', '{"format": 99}'])
    def test_a_baseline_that_is_torn_or_no_baseline(self, place: Place, content: str) -> None:
        place.write("b.json", content)
        place.fails(CONFIG, "b.json", "--baseline", "b.json")

    def test_a_baseline_of_which_half_a_column_is_gone(self, place: Place) -> None:
        path = save_baseline(fw.run("s.eval.yaml"), "b.json")
        content = json.loads(path.read_text())
        content["evaluators"][0]["metrics"]["score"].pop()
        path.write_text(json.dumps(content))
        place.fails(CONFIG, "lacks some of its columns", "--baseline", "b.json")

    def test_a_baseline_of_other_cases(self, place: Place) -> None:
        save_baseline(fw.run("s.eval.yaml"), "b.json")
        place.cases({**GOOD, "id": "z"})
        place.fails(CONFIG, "no case in common", "--baseline", "b.json")

    def test_a_baseline_of_other_evaluators(self, place: Place) -> None:
        save_baseline(fw.run("s.eval.yaml"), "b.json")
        place.suite({"type": "field_prf"})
        place.fails(CONFIG, "no case in common", "--baseline", "b.json")

    def test_a_regression_gate_against_other_cases_is_not_measured(self, place: Place) -> None:
        save_baseline(fw.run("s.eval.yaml"), "b.json")
        place.suite(
            {"type": "field_accuracy", "name": "fields", "fields": ["total"]},
            gate={"regression": {"metric": "fields.score", "max_drop": 0.01}},
        )
        place.cases({**GOOD, "id": "z"})
        place.fails(INCOMPLETE, "not measured: 0% of the cases are in both runs", "--baseline", "b.json")

    @pytest.mark.parametrize("baseline", ["run", "file"])
    def test_a_regression_gate_on_what_few_cases_measured_in_both_runs(self, place: Place, baseline: str) -> None:
        cases = [{**GOOD, "id": str(at)} for at in range(30)]
        place.cases(*cases)
        run = fw.run({"name": "s", "cases": "data.jsonl", "evaluators": [{"type": "json_quality"}]})
        save_baseline(run, "b.json")
        place.suite({"type": "json_quality"}, gate={"regression": {"metric": "json_quality.accuracy", "max_drop": 0.01}})
        place.cases(*({**case, "actual": {}} if at < 25 else case for at, case in enumerate(cases)))
        place.fails(INCOMPLETE, "both runs measured 17% of the cases", "--baseline", run.id if baseline == "run" else "b.json")

    def test_a_regression_gate_on_an_evaluator_that_now_applies_to_one_case(self, place: Place) -> None:
        place.cases(*({**GOOD, "id": str(at)} for at in range(30)))
        run = fw.run("s.eval.yaml")
        place.suite({**FIELDS, "when": {"id": "1"}}, gate={"regression": {"metric": "fields.score", "max_drop": 0.01}})
        place.fails(INCOMPLETE, "both runs measured 3% of the cases", "--baseline", run.id)

    def test_a_composite_of_evaluators_that_had_nothing_to_measure(self, place: Place) -> None:
        place.suite({"type": "composite", "evaluators": [{"type": "tool_trajectory"}]}, gate={"composite.score": ">= 0.9"})
        place.cases({"id": "a", "expected": [], "actual": ["rm_rf"]})
        place.fails(INCOMPLETE, "not measured: `score` had nothing to measure in any of 1 cases")
        place.cases({"id": "a", "expected": ["ls"], "actual": ["ls"]}, {"id": "b", "expected": [], "actual": ["rm_rf"]})
        assert place.run()[0] == PASSED

    def test_a_price_of_a_field_that_no_case_has(self, place: Place) -> None:
        place.cases({"id": "1", "expected": {"total": 1}, "actual": {"total": 2}})
        cost = {"type": "error_cost", "prices": {"totl": 40}, "evaluators": [{"type": "field_prf"}]}
        place.suite(cost, gate={"error_cost.per_case": "<= 20"})
        place.fails(CONFIG, "`cost` names `totl`, and no case of the run has such a field")
        place.suite(cost, {"type": "field_prf", "ignore": ["totl"]})
        place.fails(CONFIG, "`cost` names `totl`, and no case of the run has such a field")
        place.suite({**cost, "prices": {"total": 40}}, gate={"error_cost.per_case": "<= 20"})
        assert place.run()[0] == FAILED
        place.suite({**cost, "prices": {"total": 40}}, gate={"error_cost.per_case": "<= 40"})
        assert place.run()[0] == PASSED

    def test_a_price_of_a_field_that_is_in_a_composite_too(self, place: Place) -> None:
        both = {"type": "composite", "evaluators": [{"type": "field_accuracy", "fields": ["total"]}, {"type": "is_json"}]}
        place.suite(both, {"type": "error_cost", "prices": {"total": 40}, "evaluators": [{"type": "field_prf"}]})
        assert place.run()[0] == PASSED

    def test_a_cost_by_a_match_that_can_read_no_expected_value(self, place: Place) -> None:
        place.cases({"id": "1", "expected": {"d": "soon"}, "actual": {"d": "soon"}})
        dates = {"type": "field_accuracy", "fields": [{"path": "d", "match": "date"}]}
        place.suite({"type": "error_cost", "prices": {"d": 40}, "evaluators": [dates]}, gate={"error_cost.per_case": "<= 20"})
        place.fails(CONFIG, "d: `date` can read none of the 1 expected values")

    def test_a_cost_by_a_rule_whose_field_no_case_has(self, place: Place) -> None:
        fields = {"type": "field_accuracy", "fields": ["total", "totl"]}
        place.suite({"type": "error_cost", "prices": {"total": 40}, "evaluators": [fields]})
        place.fails(CONFIG, "no expected record has this field")

    def test_a_composite_with_a_match_that_can_read_no_expected_value(self, place: Place) -> None:
        place.cases({"id": "1", "expected": {"d": "soon", "total": 1}, "actual": {"d": "soon", "total": 1}})
        dates = {"type": "field_accuracy", "name": "dates", "fields": ["total", {"path": "d", "match": "date"}]}
        inner = {"type": "composite", "name": "inner", "evaluators": [dates, {"type": "is_json"}]}
        for members in ([dates], [{"type": "field_prf"}, dates], [{"type": "is_json", "name": "json"}, inner]):
            place.suite({"type": "composite", "evaluators": members})
            place.fails(CONFIG, 'd: `date` can read none of the 1 expected values; it cannot read "soon"')
        place.suite({"type": "composite", "evaluators": [dates]}, redact=["d"])
        code, output = place.run()
        assert (code, "can read none of the 1" in output, "soon" in output) == (CONFIG, True, False)

    def test_a_composite_with_a_member_that_no_case_lets_it_measure(self, place: Place) -> None:
        grounding = {"type": "grounding", "by": "words"}
        contains = {"type": "contains", "value": "x"}
        place.cases({"id": "1", "actual": "x is here"}, {"id": "2", "actual": "x"})
        what = "`grounding`, a member of `composite`, measured nothing: 2 cases have nothing to score"
        for options in ({"required": True}, {}):
            both = {"type": "composite", "evaluators": [contains, {**grounding, **options}]}
            place.suite(both, contains, gate={"contains.score": ">= 1"})
            place.fails(INCOMPLETE, what)
            assert place.run("--max-unscored", "2")[0] == PASSED
        place.suite({"type": "composite", "evaluators": [contains, {**grounding, "weight": 0}]})
        code, output = place.run()
        assert (code, what in output) == (PASSED, True)
        every = {"type": "composite", "aggregation": "all_or_nothing", "evaluators": [contains, {**grounding, "required": True}]}
        place.suite(every, gate={"composite.score": ">= 1"})
        place.fails(NOTHING, what)

    def test_a_composite_whose_required_member_was_skipped_in_some_cases(self, place: Place) -> None:
        fields = {"type": "field_accuracy", "name": "fields", "fields": [{"path": "z", "sparse": True}], "required": True}
        place.cases(GOOD, {"id": "b", "expected": {"z": 1}, "actual": {"z": 1}})
        place.suite({"type": "composite", "evaluators": [fields, {"type": "is_json"}]}, gate={"composite.score": ">= 1"})
        place.fails(INCOMPLETE, "`composite` skipped 1 of 2 cases: `fields` is required, and was skipped")
        assert place.run("--max-unscored", "1")[0] == PASSED

    def test_a_composite_with_a_member_whose_when_selects_no_case(self, place: Place) -> None:
        inner = {"type": "equals", "value": "x", "when": {"tag": "germn"}}
        place.cases({"id": "1", "actual": "x", "tags": ["german"]}, {"id": "2", "actual": "x"})
        what = "`equals`, a member of `composite`, measured nothing: 2 cases are not for it"
        place.suite({"type": "composite", "evaluators": [inner, {"type": "is_json"}]})
        place.fails(INCOMPLETE, what)
        code, output = place.run("--limit", "2")
        assert (code, what in output) == (PASSED, True)
        place.suite({"type": "composite", "evaluators": [{**inner, "when": {"tag": "german"}}, {"type": "is_json"}]})
        assert place.run()[0] == PASSED

    def test_a_composite_in_a_composite_with_a_member_whose_when_selects_no_case(self, place: Place) -> None:
        never = {"type": "equals", "value": "x", "when": {"tag": "germn"}}
        inner = {"type": "composite", "name": "inner", "evaluators": [never, {"type": "is_json"}]}
        place.suite({"type": "composite", "evaluators": [inner, {"type": "is_json", "name": "json"}]})
        place.fails(INCOMPLETE, "`inner.equals`, a member of `composite`, measured nothing: 2 cases are not for it")

    def test_a_gate_on_a_member_that_was_never_measured(self, place: Place) -> None:
        place.cases({"id": "1", "actual": "x is here"})
        members = [{"type": "contains", "value": "x"}, {"type": "grounding", "by": "words", "weight": 0}]
        place.suite({"type": "composite", "evaluators": members}, gate={"composite.member.grounding": ">= 0.5"})
        place.fails(INCOMPLETE, "not measured: `member.grounding` had nothing to measure in any of 1 cases")

    @pytest.mark.parametrize("output", [None, [1, 2, 3], {}])
    @pytest.mark.parametrize("found", [0, 1])
    def test_a_gate_on_the_distance_to_points_that_are_not_there(self, place: Place, output: Any, found: int) -> None:
        place.suite({"type": "coordinate_distance", "threshold": 5}, gate={"coordinate_distance.mean_distance": "<= 5"})
        place.cases(*({"id": str(at), "expected": [1, 2], "actual": [1, 2] if at < found else output} for at in range(7)))
        place.fails(INCOMPLETE, f"{7 - found} of 7 outputs gave nothing to compute `mean_distance` from")

    def test_a_rise_of_something_that_should_be_low(self, place: Place) -> None:
        place.suite({"type": "json_quality"}, gate={"regression": {"metric": "json_quality.hallucination", "max_drop": 0.01}})
        cases = [{**GOOD, "id": str(at)} for at in range(20)]
        place.cases(*cases)
        save_baseline(fw.run({"name": "s", "cases": "data.jsonl", "evaluators": [{"type": "json_quality"}]}), "b.json")
        assert place.run("--baseline", "b.json")[0] == PASSED
        place.cases(*({**case, "actual": {**GOOD["actual"], "invented": "y"}} for case in cases))
        place.fails(FAILED, "a rise beyond 0.01", "--baseline", "b.json")

    def test_an_unfinished_run_as_a_baseline(self, place: Place) -> None:
        interrupted()
        place.fails(CONFIG, "did not finish", "--baseline", open_run().id)


def interrupted() -> None:
    """A run that was stopped after its first case."""

    def stop(done: int, share: float | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        fw.run("s.eval.yaml", chunk=1, progress=stop)


class TestInterrupted:
    def test_ctrl_c_is_no_success(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        def stop(*arguments: Any) -> Any:
            raise KeyboardInterrupt

        monkeypatch.setattr("fieldwise.api.score_batch", stop)
        place.fails(INTERRUPTED, "--resume")

    def test_an_unfinished_run_has_no_numbers_that_look_final(self, place: Place) -> None:
        interrupted()
        run = open_run()
        assert (run.exit_code, run.gates, run.summary) == (None, (), {})
        assert "unfinished" in place.run(command=("runs", "--format", "plain"))[1]

    def test_a_report_of_an_unfinished_run(self, place: Place) -> None:
        interrupted()
        code, output = place.run(command=("report", "latest", "--output", "r.junit.xml"))
        assert code == INCOMPLETE, output
        assert "did not finish" in output
        assert '<error message="the run did not finish"' in (place.folder / "r.junit.xml").read_text()

    def test_a_report_for_machines_of_a_run_without_cases(self, place: Place) -> None:
        place.cases()
        place.fails((CONFIG, NOTHING), "no cases", "--output", "r.junit.xml")
        assert 'errors="1"' in (place.folder / "r.junit.xml").read_text()

    def test_a_resumed_run_whose_data_got_worse(self, place: Place) -> None:
        interrupted()
        place.cases({**GOOD, "actual": {"n": "y", "total": 2}}, {**GOOD, "id": "b"})
        place.fails(FAILED, "exit 1", "--resume", "--gate", "fields.score >= 1")
        assert len(list_runs()) == 1

    def test_a_resumed_run_whose_rules_got_stricter(self, place: Place) -> None:
        place.suite({**FIELDS, "fields": [{"path": "total", "match": "numeric_tolerance", "tolerance": 5}]}, gate={"fields.score": ">= 1"})
        place.cases({**GOOD, "actual": {"total": 5}}, {**GOOD, "id": "b"})
        interrupted()
        place.suite({**FIELDS, "fields": [{"path": "total", "match": "numeric_tolerance", "tolerance": 1}]}, gate={"fields.score": ">= 1"})
        place.fails(FAILED, "the rules of `fields` changed", "--resume")

    def test_a_resumed_run_whose_cases_are_gone(self, place: Place) -> None:
        interrupted()
        place.write("data.jsonl", "")
        code, output = place.run("--resume")
        assert code == NOTHING, output


class TestStore:
    def test_a_full_disk(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*arguments: Any, **options: Any) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(pq, "write_table", full)
        place.fails(INCOMPLETE, "No space left on device")

    def test_a_folder_that_may_not_be_written(self, place: Place) -> None:
        place.write(".fieldwise", "a file where a folder should be")
        place.fails(INCOMPLETE, "no run can be stored")

    def test_a_part_that_is_torn_before_the_verdict(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        replace_file = os.replace

        def torn(source: Any, target: Any) -> None:
            replace_file(source, target)
            if str(target).endswith("results.parquet"):
                Path(target).write_bytes(Path(target).read_bytes()[:-20])

        monkeypatch.setattr(os, "replace", torn)
        place.fails(INCOMPLETE, "the stored file cannot be read")

    def test_a_part_that_vanished_before_the_verdict(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        replace_file = os.replace

        def lost(source: Any, target: Any) -> None:
            replace_file(source, target)
            if str(target).endswith("comparisons.parquet"):
                Path(target).unlink()

        monkeypatch.setattr(os, "replace", lost)
        place.fails(INCOMPLETE, "cannot be read")

    def test_a_stored_run_that_is_torn_is_not_explained(self, place: Place) -> None:
        run = fw.run("s.eval.yaml")
        file = run.path / "parts" / next(file.file for file in run.parts[0].files if file.table == "results")
        file.write_bytes(b"")
        code, output = place.run(command=("explain", run.id, "a"))
        assert code == INCOMPLETE, output
        assert file.name in output

    def test_a_torn_manifest(self, place: Place) -> None:
        run = fw.run("s.eval.yaml")
        (run.path / "manifest.json").write_text("{")
        code, output = place.run(command=("explain", "latest", "a"))
        assert code == INCOMPLETE, output
        assert "manifest.json" in output


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def case(id: Any, expected: Any, actual: Any, **more: Any) -> dict[str, Any]:
    return {"id": str(id), "expected": expected, "actual": actual, **more}


WRONG = lines(case("a", {"x": 1, "y": "two"}, {"x": 9, "y": "nine"}), case("b", {"x": 2, "y": "two"}, {"x": 8, "y": "eight"}))
RIGHT = lines(case("a", {"x": 1}, {"x": 1}), case("b", {"x": 2}, {"x": 2}))
X: Any = {"type": "field_accuracy", "fields": ["x"]}
X_GATE = {"field_accuracy.score": ">= 0.9"}


@dataclass(frozen=True, kw_only=True)
class Situation:
    """A suite with its files, and what the command line must make of it."""

    evaluators: Any
    """One evaluator, or a list of them."""
    code: int
    says: str
    """Text that the output has."""
    files: dict[str, str]
    gate: dict[str, Any] | None = None
    cases: Any = "c.jsonl"
    suite: dict[str, Any] = field(default_factory=dict[str, Any])
    """Further keys of the suite."""
    options: tuple[str, ...] = ()
    command: str = "run"


def situation(evaluators: Any, data: str | dict[str, str], code: int, says: str, **more: Any) -> Situation:
    files = {"c.jsonl": data} if isinstance(data, str) else data
    return Situation(evaluators=evaluators, files=files, code=code, says=says, **more)


def prf(**options: Any) -> dict[str, Any]:
    return {"type": "field_prf", **options}


def quality(**options: Any) -> dict[str, Any]:
    return {"type": "json_quality", "default_text": "EXACT", **options}


CORRECTED = {"file": "c.jsonl", "corrections": "k.jsonl"}


def correction(*, case: str = "a", path: str = "x", old: int = 1, action: str = "replace", value: Any = 5) -> dict[str, Any]:
    expected_hash = f"sha256:{sha256(str(old).encode()).hexdigest()}"
    return {"case": case, "path": path, "expected_hash": expected_hash, "action": action, "value": value}


def policy_text(**thresholds: float) -> str:
    fields = {path: {"threshold": threshold, "n": 100, "accepted": 90, "bound": 0.01} for path, threshold in thresholds.items()}
    return json.dumps({"version": 1, "max_error": 0.02, "level": 0.95, "fields": fields, "made_from": {}})


LATE = lines(*(case(at, {"x": 1} | ({"t": 5} if at >= 300 else {}), {"x": 1} | ({"t": 9} if at >= 300 else {})) for at in range(1000)))
ONE_IN_THOUSAND = lines(case(0, {"x": 1}, {"x": 1}), *(case(at, {"y": 1}, {"y": 2}) for at in range(1, 1000)))
EMPTY_OUTPUTS = lines(*(case(at, {"a": 1, "b": 2}, {} if at else {"a": 1, "b": 2}) for at in range(10)))

SITUATIONS: dict[str, Situation] = {
    # what is not there
    "a path only in actual": situation(
        {"type": "field_accuracy", "fields": ["vendor", "total"]},
        lines(case(1, {"company": "A", "total": 1}, {"vendor": "Z", "total": 1})),
        CONFIG,
        "field vendor: no expected record has this field",
        gate=X_GATE,
    ),
    "every rule at n = 0 and one row without a partner": situation(
        X,
        {"e.jsonl": lines({"id": "a", "q": 1}, {"id": "b", "q": 1}), "a.jsonl": lines({"id": "a", "x": 1})},
        CONFIG,
        "field x: no expected record has this field",
        cases={"expected": "e.jsonl", "actual": "a.jsonl"},
    ),
    "no column holds actual": situation(
        {"type": "answer_quality"},
        lines({"id": "1", "input": "q", "expected": "Paris", "column_7": "Paris"}),
        CONFIG,
        "column_7",
    ),
    "one column on both sides": situation(
        prf(),
        lines({"id": "1", "gold": {"x": 1}, "out": {"x": 2}}),
        CONFIG,
        "both expected and actual",
        gate={"field_prf.score": ">= 0.9"},
        suite={"columns": {"expected": "gold", "actual": "gold"}},
    ),
    "one file on both sides": situation(
        X,
        {"e.jsonl": lines({"id": "a", "x": 1})},
        CONFIG,
        "both expected and actual",
        gate=X_GATE,
        cases={"expected": "e.jsonl", "actual": "e.jsonl"},
    ),
    "999 of 1,000 cases skipped": situation(X, ONE_IN_THOUSAND, INCOMPLETE, "--max-unscored", gate=X_GATE),
    "a field first seen in case 300": situation({"type": "field_accuracy"}, LATE, FAILED, "field_accuracy.score", gate=X_GATE),
    # what cannot be told
    "IoU 0.00005 and a gate on the pass rate": situation(
        {"type": "iou_score"},
        lines(case(1, [0, 0, 100, 100], [99, 99, 200, 200])),
        CONFIG,
        "neither `threshold` nor `pass_at`",
        gate={"iou_score.pass_rate": ">= 0.9"},
    ),
    "a distance of 1,414,213 and a gate on the pass rate": situation(
        {"type": "coordinate_distance"},
        lines(case(1, [0, 0], [1e6, 1e6])),
        CONFIG,
        "neither `threshold` nor `pass_at`",
        gate={"coordinate_distance.pass_rate": ">= 0.9"},
    ),
    # vacuous metrics
    "nine of ten outputs are {}": situation(
        quality(), EMPTY_OUTPUTS, INCOMPLETE, "9 of 10 outputs gave nothing", gate={"json_quality.accuracy": ">= 0.95"}
    ),
    "all keys are IGNORE": situation(
        quality(strategies={"x": "IGNORE", "y": "IGNORE"}), WRONG, INCOMPLETE, "not measured", gate={"json_quality.accuracy": ">= 0.9"}
    ),
    "safety without a checker": situation(quality(), WRONG, INCOMPLETE, "not measured", gate={"json_quality.safety": ">= 0.9"}),
    "rqs where nothing is expected": situation(
        quality(), lines(case(1, {}, {})), INCOMPLETE, "not measured", gate={"json_quality.rqs": ">= 0.8"}
    ),
    "number_match without a number": situation(
        {"type": "answer_quality"},
        lines(case(1, "yes it is", "no never")),
        INCOMPLETE,
        "not measured",
        gate={"answer_quality.number_match": ">= 0.9"},
    ),
    "no call expected and rm_rf called": situation(
        {"type": "tool_trajectory"}, lines(case(1, [], ["rm_rf"])), INCOMPLETE, "not measured", gate={"tool_trajectory.score": ">= 0.9"}
    ),
    "every field ignored": situation(prf(ignore=["**"]), WRONG, NOTHING, "cannot fail", gate={"field_prf.score": ">= 0"}),
    # gates that cannot fail
    "a gate >= -1": situation(X, WRONG, PASSED, "cannot fail", gate={"field_accuracy.score": ">= -1"}),
    "a gate <= 90": situation(X, WRONG, PASSED, "cannot fail", gate={"field_accuracy.score": "<= 90"}),
    "one of two filters matches nothing": situation(
        X, RIGHT, PASSED, "no case matches the filter `missing-id`", gate=X_GATE, options=("--filter", "a", "--filter", "missing-id")
    ),
    # outputs that say two things
    "a program that prints its score twice": situation(
        {"type": "code_judge", "script": ["python", "judge.py"]},
        {"c.jsonl": lines(case(1, "a", "b")), "judge.py": 'print(\'{"score": 0, "score": 1}\')\n'},
        NOTHING,
        "the key `score` twice",
        gate={"code_judge.score": ">= 0.9"},
    ),
    "two JSON answers in one text": situation(X, lines(case(1, {"x": 1}, '{"x":2} or maybe {"x":1}')), FAILED, "", gate=X_GATE),
    # schemas and paths
    "a misspelt keyword of a JSON Schema": situation(
        {"type": "json_schema", "schema": {"type": "object", "requried": ["x"]}},
        lines(case(1, {}, {})),
        CONFIG,
        "did you mean `required`",
        gate={"json_schema.score": ">= 0.9"},
    ),
    "a malformed path": situation(
        {"type": "field_accuracy", "fields": ["invoice..total"]},
        lines(case(1, {"invoice": {"total": 1}}, {"invoice": {"total": 1}})),
        INCOMPLETE,
        "`invoice..total` has an empty step",
    ),
    "a malformed path in check": situation(
        {"type": "field_accuracy", "fields": ["invoice..total"]},
        lines(case(1, {"invoice": {"total": 1}}, {"invoice": {"total": 1}})),
        CONFIG,
        "`invoice..total` has an empty step",
        command="check",
    ),
    "an unknown metric in check": situation(
        X, RIGHT, CONFIG, "did you mean `score`", gate={"field_accuracy.scroe": ">= 0.1"}, command="check"
    ),
    "a list rule for a list that no case has": situation(
        {"type": "field_accuracy", "lists": {"items": {"align": "best"}}}, RIGHT, PASSED, "no case of the run has this list"
    ),
    "an integer beyond the range of a float beside a float": situation(
        {"type": "field_accuracy"},
        '{"id":"1","expected":{"v":[1%s,0.5]},"actual":{"v":[1,2]}}\n' % ("0" * 400),
        PASSED,
        "",
    ),
    # rules and records
    "a [*] rule whose field some expected records do not have": situation(
        {"type": "field_accuracy", "fields": ["x", "items[*].a"]},
        lines(
            case(1, {"x": 1, "items": [{"a": 1}]}, {"x": 1, "items": [{"a": 1}]}),
            case(2, {"x": 1}, {"x": 1}),
            case(3, {"x": 1, "items": [{"b": 1}]}, {"x": 1, "items": [{"b": 1}]}),
            case(4, {"x": 1, "items": []}, {"x": 1, "items": []}),
        ),
        PASSED,
        "field items[*].a: 2 of 4 expected records do not have this field",
    ),
    "expected data that cannot be read is located": situation(
        X,
        lines(case("a", {"x": 1}, {"x": 1}), case("b", "prose", {"x": 1})),
        INCOMPLETE,
        "c.jsonl:2: case b: the expected data cannot be read",
    ),
    "many records without a partner": situation(
        X,
        {
            "e.jsonl": lines(*({"id": f"e{at}", "x": 1} for at in range(60))),
            "a.jsonl": lines(*({"id": f"e{at}", "x": 1} for at in range(30))),
        },
        FAILED,
        "e.jsonl:31: case e30, e.jsonl:32: case e31, e.jsonl:33: case e32 and 17 more: 30 expected records have no prediction",
        cases={"expected": "e.jsonl", "actual": "a.jsonl"},
        gate=X_GATE,
    ),
    "rows that change from actual to output": situation(
        X,
        lines(case("a", {"x": 1}, {"x": 1}), {"id": "b", "expected": {"x": 1}, "output": {"x": 1}}),
        FAILED,
        "c.jsonl:2: case b: the row has no column `actual`, which is read as actual; its `output` is not read",
        gate=X_GATE,
    ),
    "expected values of which a rule can read none": situation(
        {"type": "field_accuracy", "fields": ["x", {"path": "d", "match": "date"}]},
        lines(case("a", {"x": 1, "d": "soon"}, {"x": 1, "d": "soon"})),
        CONFIG,
        "there are no scores",
    ),
    # several accepted values
    "a field that accepts no value is named": situation(
        X, lines(case(1, {"x": {"$any": []}}, {"x": 1}), case(2, {"x": 1}, {"x": 1})), INCOMPLETE, "left out of the score"
    ),
    "a field that accepts no value in any case": situation(
        {"type": "field_accuracy", "fields": ["x", "y"]},
        lines(*(case(at, {"x": {"$any": []}, "y": 1}, {"x": 5, "y": 1}) for at in range(3))),
        INCOMPLETE,
        "nothing was measured for this field (n = 0)",
    ),
    "a part of a whole object that accepts no value": situation(
        {"type": "field_accuracy", "fields": ["o"]},
        lines(case(1, {"o": {"p": {"$any": []}, "q": 1}}, {"o": {"p": 2, "q": 1}})),
        PASSED,
        "field o: some expected values of this field have parts that accept no value",
    ),
    "a part of a list that accepts no value": situation(
        quality(),
        lines(case(1, {"o": [{"$any": []}, 1]}, {"o": [5, 1]})),
        PASSED,
        "field o: some expected values of this field have parts that accept no value",
    ),
    "many rows that change from actual to output": situation(
        X,
        lines(case("a", {"x": 1}, {"x": 1}), *({"id": str(at), "expected": {"x": 1}, "output": {"x": 1}} for at in range(9))),
        FAILED,
        "its `output` is not read (9 cases: 0, 1, 2 and 6 more)",
        gate=X_GATE,
    ),
    "accepted values that are no list": situation(X, lines(case(1, {"x": {"$any": 1}}, {"x": 1})), FAILED, "", gate=X_GATE),
    "accepted values beside another key": situation(X, lines(case(1, {"x": {"$any": [1], "y": 2}}, {"x": 1})), FAILED, "", gate=X_GATE),
    "an output that accepts everything": situation(X, lines(case(1, {"x": 1}, {"x": {"$any": [1, 2]}})), FAILED, "", gate=X_GATE),
    "a value that is not among the accepted ones": situation(
        X, lines(case(1, {"x": {"$any": [1, None]}}, {"x": 3})), FAILED, "", gate=X_GATE
    ),
    "an absent value where null is not accepted": situation(X, lines(case(1, {"x": {"$any": [1, 2]}}, {})), FAILED, "", gate=X_GATE),
    "a box that is none of the accepted ones": situation(
        {"type": "iou_score"},
        lines(case(1, {"$any": [[0, 0, 1, 1], [2, 2, 3, 3]]}, [5, 5, 6, 6])),
        FAILED,
        "",
        gate={"iou_score.score": ">= 0.5"},
    ),
    "no accepted box": situation({"type": "iou_score"}, lines(case(1, {"$any": []}, [0, 0, 1, 1])), NOTHING, "measured nothing"),
    # confidences, policies, mutants and cost
    "a gate on confidences without values": situation(X, RIGHT, INCOMPLETE, "not enough: 0 values", gate={"confidence.auroc": ">= 0.5"}),
    "a gate on too few confidences": situation(
        X,
        lines(*(case(at, {"x": at}, {"x": {"value": at, "confidence": 0.9}}) for at in range(5))),
        INCOMPLETE,
        "not enough: 5 values",
        gate={"confidence.ece": "<= 1"},
    ),
    "a misspelt metric of confidences": situation(
        X, RIGHT, CONFIG, "did you mean `auroc`", gate={"confidence.aurco": ">= 0.5"}, command="check"
    ),
    "a path of confidences that no case has": situation(
        X, RIGHT, PASSED, "no value has a confidence at `metadata.cnfidence`", suite={"confidence": "metadata.cnfidence"}
    ),
    "a gate on a policy that the suite does not name": situation(X, RIGHT, CONFIG, "the suite names none", gate={"policy.holds": "== 1"}),
    "a policy that is not there": situation(
        X, RIGHT, CONFIG, "there is no policy nobody.json", gate={"policy.holds": "== 1"}, suite={"policy": "nobody.json"}
    ),
    "a policy that is not there, without a gate": situation(
        X, RIGHT, CONFIG, "there is no policy nobody.json", suite={"policy": "nobody.json"}, command="check"
    ),
    "a policy that is torn": situation(
        X, {"c.jsonl": RIGHT, "p.json": "{"}, CONFIG, "cannot be read", gate={"policy.holds": "== 1"}, suite={"policy": "p.json"}
    ),
    "a policy of another version": situation(
        X, {"c.jsonl": RIGHT, "p.json": '{"version": 99}'}, CONFIG, "version 99", gate={"policy.holds": "== 1"}, suite={"policy": "p.json"}
    ),
    "a policy without fields": situation(
        X,
        {"c.jsonl": RIGHT, "p.json": policy_text()},
        INCOMPLETE,
        "it accepts nothing, so that it promises nothing",
        gate={"policy.holds": "== 1"},
        suite={"policy": "p.json"},
    ),
    "a policy of another suite": situation(
        X,
        {"c.jsonl": RIGHT, "p.json": policy_text(zzz=0.5)},
        INCOMPLETE,
        "zzz: the run has no value of this field that the policy accepts",
        gate={"policy.holds": "== 1"},
        suite={"policy": "p.json"},
    ),
    "a policy and no confidences": situation(
        X,
        {"c.jsonl": RIGHT, "p.json": policy_text(x=0.5)},
        INCOMPLETE,
        "x: the run has no value of this field that the policy accepts",
        gate={"policy.holds": "== 1"},
        suite={"policy": "p.json"},
    ),
    "a gate on mutants": situation(
        X, RIGHT, PASSED, "not judged here: the gate `mutants.killed >= 0.9`", gate={"mutants.killed": ">= 0.9"}
    ),
    "a gate on cost and no prices": situation(X, RIGHT, CONFIG, "a gate on `cost`, and no `cost`", gate={"cost.per_case": "<= 1"}),
    "a price of a field that no rule has": situation(
        X, RIGHT, CONFIG, "zzz", gate={"cost.per_case": "<= 1"}, suite={"cost": {"fields": {"zzz": 5}}}
    ),
    "a negative price": situation(X, RIGHT, CONFIG, "must be a number ≥ 0", suite={"cost": {"fields": {"x": -5}}}),
    "mutants of no case": situation(X, "", NOTHING, "No value to corrupt", command="mutate"),
    "mutants where nothing is expected": situation(X, lines(case(1, None, {"x": 1})), NOTHING, "No value to corrupt", command="mutate"),
    "mutants of answers": situation(
        {"type": "answer_quality"}, lines(case(1, "Paris", "Paris")), CONFIG, "no evaluator compares records", command="mutate"
    ),
    "mutants of a path that nothing has": situation(
        {"type": "field_accuracy", "fields": ["xx"]}, RIGHT, CONFIG, "no expected record has this field", command="mutate"
    ),
    "mutants that a wide tolerance lets live": situation(
        {"type": "field_accuracy", "fields": [{"path": "x", "match": "numeric_tolerance", "tolerance": 1e9}]},
        RIGHT,
        FAILED,
        "does not hold",
        command="mutate",
        options=("--gate", "mutants.killed >= 0.9"),
    ),
    "mutants under rules that measure nothing": situation(
        {"type": "field_accuracy", "fields": [{"path": "x", "match": "ignore"}]},
        RIGHT,
        INCOMPLETE,
        "what it did not measure survives",
        command="mutate",
    ),
    "mutants and a gate of another command": situation(
        X, RIGHT, CONFIG, "give this gate to `fieldwise run`", command="mutate", options=("--gate", "field_accuracy.score >= 0.1")
    ),
    # corrections
    "a stale correction": situation(
        X, {"c.jsonl": RIGHT, "k.jsonl": lines(correction(old=7))}, CONFIG, "k.jsonl:1: case a: field x: it is stale", cases=CORRECTED
    ),
    "a stale correction, in check": situation(
        X, {"c.jsonl": RIGHT, "k.jsonl": lines(correction(old=7))}, CONFIG, "it is stale", cases=CORRECTED, command="check"
    ),
    "corrections of another file": situation(
        X, {"c.jsonl": RIGHT, "k.jsonl": lines(correction(case="zz"))}, CONFIG, "there is no such case in the data", cases=CORRECTED
    ),
    "a correction of a path that expected lacks": situation(
        X, {"c.jsonl": RIGHT, "k.jsonl": lines(correction(path="y"))}, CONFIG, "expected has no value at this path", cases=CORRECTED
    ),
    "a correction with an unknown action": situation(
        X, {"c.jsonl": RIGHT, "k.jsonl": lines(correction(action="forget"))}, CONFIG, "there is no action `forget`", cases=CORRECTED
    ),
    "two corrections of one value": situation(
        X, {"c.jsonl": RIGHT, "k.jsonl": lines(correction(), correction(value=6))}, CONFIG, "an earlier line has changed", cases=CORRECTED
    ),
    "a correction without its hash": situation(
        X,
        {"c.jsonl": RIGHT, "k.jsonl": lines({"case": "a", "path": "x", "action": "drop"})},
        CONFIG,
        "`expected_hash` is missing",
        cases=CORRECTED,
    ),
    "a torn line of corrections": situation(X, {"c.jsonl": RIGHT, "k.jsonl": '{"case": "a"'}, CONFIG, "k.jsonl:1", cases=CORRECTED),
    "corrections that are not there": situation(X, RIGHT, CONFIG, "there is no file `k.jsonl`", cases=CORRECTED),
    "corrections that drop everything": situation(
        X,
        {"c.jsonl": RIGHT, "k.jsonl": lines(correction(action="drop"), correction(case="b", old=2, action="drop"))},
        NOTHING,
        "measured nothing",
        cases=CORRECTED,
    ),
    "corrections that make a wrong output right are told": situation(
        X,
        {"c.jsonl": lines(case("a", {"x": 1}, {"x": 5})), "k.jsonl": lines(correction())},
        PASSED,
        "1 correction applied to 1 case (k.jsonl): field_accuracy.score 0.0000 before, 1.0000 after",
        cases=CORRECTED,
        gate=X_GATE,
    ),
    "a sparse rule whose field no expected record has": situation(
        {"type": "field_accuracy", "fields": ["x", {"path": "note", "sparse": True}]}, RIGHT, PASSED, "no expected record has this field"
    ),
    "a rule whose field some expected records do not have": situation(
        {"type": "field_accuracy", "fields": ["x", "y"]},
        lines(case(1, {"x": 1, "y": 2}, {"x": 1, "y": 2}), case(2, {"x": 1}, {"x": 1})),
        PASSED,
        "field y: 1 of 2 expected records do not have this field",
    ),
    "a rule at n = 0": situation(
        {"type": "field_accuracy", "fields": ["x", "items[*].a"]},
        lines(case(1, {"x": 1, "items": []}, {"x": 1, "items": []})),
        INCOMPLETE,
        "nothing was measured for this field (n = 0)",
    ),
    "a sparse rule at n = 0": situation(
        {"type": "field_accuracy", "fields": ["x", {"path": "items[*].a", "sparse": True}]},
        lines(case(1, {"x": 1, "items": []}, {"x": 1, "items": []})),
        PASSED,
        "nothing was measured for this field (n = 0)",
    ),
    "a rule at n = 0 among the selected cases": situation(
        {"type": "field_accuracy", "fields": ["x", "y"]},
        lines(case("a", {"x": 1}, {"x": 1}), case("b", {"x": 1, "y": 1}, {"x": 1, "y": 1})),
        PASSED,
        "nothing was measured for this field (n = 0)",
        options=("--filter", "a"),
    ),
    "a rule whose field no case has, selected or not": situation(
        {"type": "field_accuracy", "fields": ["x", "totl"]}, RIGHT, CONFIG, "field totl: no expected record", options=("--limit", "1")
    ),
    "a path only in actual, in check": situation(
        {"type": "field_accuracy", "fields": ["vendor"]},
        lines(case(1, {"company": "A"}, {"vendor": "Z"})),
        CONFIG,
        "actual has it, so the two sides may use different names",
        command="check",
    ),
    "a path of a member of a composite that nothing has": situation(
        [{"type": "field_prf"}, {"type": "composite", "evaluators": [{"type": "field_accuracy", "fields": ["totl"]}]}],
        RIGHT,
        CONFIG,
        "field totl: no expected record",
    ),
    "a value that expected lacks": situation(
        {"type": "field_accuracy", "fields": ["x", "y"]},
        lines(case(1, {"x": 1, "y": 1}, {"x": 1, "y": 1}), case(2, {"x": 1}, {"x": 1, "y": 7})),
        FAILED,
        "hallucination 1",
        gate=X_GATE,
    ),
    "no rules at all": situation({"type": "field_accuracy", "fields": []}, RIGHT, CONFIG, "`fields` is empty"),
    "every output empty and every field optional": situation(
        {"type": "field_accuracy", "fields": [{"path": "x", "required": False}]},
        lines(case(0, {"x": 1}, {"x": 1}), *(case(at, {"x": 1}, {}) for at in range(1, 9))),
        INCOMPLETE,
        "tolerate them with --max-unscored 8",
        gate=X_GATE,
    ),
    "as many skipped cases as are tolerated": situation(
        {"type": "field_accuracy", "fields": [{"path": "x", "required": False}]},
        lines(case(0, {"x": 1}, {"x": 1}), *(case(at, {"x": 1}, {}) for at in range(1, 9))),
        PASSED,
        "",
        options=("--max-unscored", "8"),
    ),
    # sides
    "one file on both sides through a link": situation(
        X,
        {"e.jsonl": lines({"id": "a", "x": 1})},
        CONFIG,
        "both expected and actual",
        cases={"expected": "e.jsonl", "actual": "link.jsonl"},
    ),
    "one file on both sides on purpose": situation(
        X,
        {"e.jsonl": lines({"id": "a", "x": 1})},
        PASSED,
        "both expected and actual",
        cases={"expected": "e.jsonl", "actual": "e.jsonl", "allow_same_sides": True},
    ),
    "one column on both sides on purpose": situation(
        prf(),
        lines({"id": "1", "gold": {"x": 1}, "out": {"x": 2}}),
        PASSED,
        "",
        cases={"file": "c.jsonl", "allow_same_sides": True},
        suite={"columns": {"expected": "gold", "actual": "gold"}},
    ),
    "no column holds expected": situation(
        prf(), lines({"id": "1", "soll": {"x": 1}, "actual": {"x": 1}}), CONFIG, "columns: {expected: soll}"
    ),
    "no column holds expected, and no evaluator needs it": situation(
        {"type": "contains", "value": "x"}, lines({"id": "1", "actual": "x"}), PASSED, "no column is expected"
    ),
    "no column holds actual, in check": situation(
        {"type": "answer_quality"}, lines({"id": "1", "expected": "Paris", "column_7": "Paris"}), CONFIG, "column_7", command="check"
    ),
    # vacuous metrics
    "as many outputs without a value as are tolerated": situation(
        quality(), EMPTY_OUTPUTS, PASSED, "", gate={"json_quality.accuracy": ">= 0.95"}, options=("--max-unscored", "9")
    ),
    "keyword_coverage without a keyword": situation(
        {"type": "answer_quality"},
        lines(case(1, "a b", "c d")),
        INCOMPLETE,
        "not measured",
        gate={"answer_quality.keyword_coverage": ">= 0.9"},
    ),
    "no call expected and rm_rf called, in mode exact": situation(
        {"type": "tool_trajectory", "mode": "exact"}, lines(case(1, [], ["rm_rf"])), FAILED, "", gate={"tool_trajectory.score": ">= 0.9"}
    ),
    "every key left out of every phase": situation(
        quality(strategies={"x": "IGNORE", "y": "IGNORE"}, ignore_scope="all"), WRONG, NOTHING, "", gate={"json_quality.score": ">= 0.1"}
    ),
    # verdicts of boxes and points
    "IoU 0.00005 and pass_at": situation(
        {"type": "iou_score", "pass_at": 0.5},
        lines(case(1, [0, 0, 100, 100], [99, 99, 200, 200])),
        FAILED,
        "",
        gate={"iou_score.pass_rate": ">= 0.9"},
    ),
    "a reserved name": situation({**X, "name": "mutants"}, RIGHT, CONFIG, "the name `mutants` is reserved"),
    # gates
    "a gate on a count that cannot fail": situation(
        X, RIGHT, PASSED, "`fields_scored` is never below 0", gate={"field_accuracy.fields_scored": ">= 0"}
    ),
    "a gate != 2": situation(X, WRONG, PASSED, "cannot fail", gate={"field_accuracy.score": "!= 2"}),
    "a gate that cannot fail, in check": situation(X, RIGHT, PASSED, "cannot fail", gate={"field_accuracy.score": ">= 0"}, command="check"),
    "a percentage as a relative tolerance": situation(
        {"type": "field_accuracy", "fields": [{"path": "x", "match": "numeric_tolerance", "tolerance": 5, "relative": True}]},
        WRONG,
        PASSED,
        "field x: a relative tolerance of 5 is 500% of the expected number: 0 always passes fix: write a share: 0.05 is 5 %",
    ),
    "a threshold of 0": situation(
        {"type": "field_accuracy", "fields": [{"path": "y", "match": "fuzzy", "threshold": 0}]}, WRONG, PASSED, "every value passes"
    ),
    "a cut of 0": situation({**X, "pass_at": 0}, WRONG, PASSED, "with `pass_at: 0` every case passes"),
    "a cut of 0, in check": situation(prf(threshold=0), WRONG, PASSED, "with `threshold: 0` every case passes", command="check"),
    "a path to redact that no case has": situation(
        X, RIGHT, CONFIG, "field ibann: no case has a value at this path, which is to be redacted", suite={"redact": ["x", "ibann"]}
    ),
    "a path to redact that no case has, in check": situation(
        X, RIGHT, CONFIG, "no case has a value at this path, which is to be redacted", suite={"redact": ["x", "ibann"]}, command="check"
    ),
    "a schema that accepts everything": situation({"type": "json_schema", "schema": {}}, WRONG, PASSED, "no output can fail"),
    "expected calls in an unknown form": situation(
        {"type": "tool_trajectory"},
        lines(case(1, [{"fn": "pay"}], [{"fn": "rm_rf"}])),
        NOTHING,
        "no expected call under `expected` can be read",
    ),
    # files in forms that look like others
    "a quote that is not closed": situation(
        {"type": "answer_quality"},
        {"c.csv": 'id,expected,actual\n1,"Paris,Paris\n2,Rome,London\n'},
        CONFIG,
        "is not closed",
        cases="c.csv",
    ),
    "one column name twice": situation(
        {"type": "answer_quality"}, {"c.csv": "id,expected,actual,actual\n1,P,P,L\n"}, CONFIG, "the column `actual` twice", cases="c.csv"
    ),
    "rows with more cells than names": situation(
        {"type": "answer_quality"}, {"c.csv": "id,expected,actual\n1,P,P,L\n2,P,P\n"}, INCOMPLETE, "the row has 4 cells", cases="c.csv"
    ),
    "a document with a comment that hides a case": situation(
        X, {"c.json": '[{"id": "a", "expected": {"x": 1}, "actual": {"x": 1}}, /* {"id": "b"} */]'}, CONFIG, "not JSON", cases="c.json"
    ),
    "two cases on one line": situation(X, RIGHT.replace("\n", " ", 1), NOTHING, "something follows the JSON value"),
    "one of several files holds no case": situation(
        X, {"c1.jsonl": RIGHT, "c2.jsonl": ""}, CONFIG, "c2.jsonl: the file holds no cases", cases="c*.jsonl"
    ),
    "one key twice in an expected record": situation(
        X,
        '{"id": "a", "expected": {"x": 1, "x": 2}, "actual": {"x": 2}}\n' + lines(case("b", {"x": 1}, {"x": 1})),
        INCOMPLETE,
        "there twice",
    ),
    "ids that differ in leading zeros": situation(
        X, {"e.csv": "id,x\n01,5\n", "a.csv": "id,x\n1,5\n"}, CONFIG, "nothing pairs", cases={"expected": "e.csv", "actual": "a.csv"}
    ),
    "integers that differ in their last digit": situation(X, lines(case(1, {"x": 10**22 + 1}, {"x": 10**22})), FAILED, "", gate=X_GATE),
    "a composite whose members all have weight 0": situation(
        {"type": "composite", "evaluators": [{**X, "weight": 0}]}, WRONG, CONFIG, "every member has weight 0"
    ),
    "a group that no case has": situation(X, RIGHT, CONFIG, "no case has a value at `metadata.doc`", suite={"group": "metadata.doc"}),
    "formats that are not checked": situation(
        {"type": "json_schema", "schema": {"properties": {"x": {"format": "email"}}}}, RIGHT, PASSED, "`format` is not checked"
    ),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_situation_has_the_exit_code_it_must_have(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    situation = SITUATIONS[name]
    evaluators = situation.evaluators if isinstance(situation.evaluators, list) else [situation.evaluators]
    suite = {"name": "s", "cases": situation.cases, "evaluators": evaluators, **situation.suite}
    if situation.gate is not None:
        suite["gate"] = situation.gate
    (tmp_path / "s.eval.yaml").write_text(json.dumps(suite))
    for file, content in situation.files.items():
        (tmp_path / file).write_text(content)
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "e.jsonl")
    result = CliRunner().invoke(app, [situation.command, "s.eval.yaml", "--format", "plain", *situation.options], env={"COLUMNS": "400"})
    output = " ".join((result.stdout + result.stderr).split())
    assert (result.exit_code, situation.says in output) == (situation.code, True), output


def regression_suites(place: Place, **gate: Any) -> None:
    """A suite with a regression gate, and one without, over 30 right cases; the baseline is the run of the latter."""
    place.cases(*({**GOOD, "id": str(at)} for at in range(30)))
    save_baseline(fw.run({"name": "s", "cases": "data.jsonl", "evaluators": [FIELDS]}), "b.json")
    place.suite(FIELDS, gate={"regression": {"metric": "fields.score", "max_drop": 0.01, **gate}})


WRONG_OUTPUT = {"n": "y", "total": 9}


class TestSeveralSteps:
    def test_one_common_case_and_thirty_new_ones(self, place: Place) -> None:
        regression_suites(place)
        place.cases({**GOOD, "id": "0"}, *({**GOOD, "id": f"new{at}", "actual": WRONG_OUTPUT} for at in range(30)))
        place.fails(INCOMPLETE, "not measured: 3% of the cases are in both runs", "--baseline", "b.json")

    def test_five_of_thirty_cases_left(self, place: Place) -> None:
        regression_suites(place)
        place.cases(*({**GOOD, "id": str(at)} for at in range(5)))
        place.fails(INCOMPLETE, "fewer than 90%", "--baseline", "b.json")

    def test_fewer_common_cases_on_purpose(self, place: Place) -> None:
        regression_suites(place, min_common=0.1)
        place.cases(*({**GOOD, "id": str(at)} for at in range(5)))
        assert place.run("--baseline", "b.json")[0] == PASSED

    def test_a_limit_leaves_too_few_common_cases(self, place: Place) -> None:
        regression_suites(place)
        place.fails(INCOMPLETE, "not measured", "--baseline", "b.json", "--limit", "5")

    def test_a_drop_of_everything(self, place: Place) -> None:
        regression_suites(place)
        place.cases(*({**GOOD, "id": str(at), "actual": WRONG_OUTPUT} for at in range(30)))
        place.fails(FAILED, "a drop beyond 0.01", "--baseline", "b.json")

    @pytest.mark.parametrize(("gate", "message"), [({"max_drop": 1}, "cannot fail"), ({"confidence": 0.9999999999}, "can hardly fail")])
    def test_a_regression_gate_that_cannot_fail(self, place: Place, gate: Any, message: str) -> None:
        regression_suites(place, **gate)
        code, output = place.run("--baseline", "b.json")
        assert (code, message in output) == (PASSED, True)

    def test_a_run_with_a_misspelt_path_is_never_the_latest(self, place: Place) -> None:
        valid = fw.run("s.eval.yaml")
        place.suite({**FIELDS, "fields": ["totl"]})
        place.fails(CONFIG, "did you mean `total`")
        invalid = list_runs()[0]
        assert (invalid.state, invalid.summary, invalid.exit_code) == ("invalid", {}, CONFIG)
        assert list(invalid.results()) == []
        assert open_run().id == valid.id

    def test_an_invalid_run_is_no_baseline(self, place: Place) -> None:
        place.suite({**FIELDS, "fields": ["totl"]})
        assert place.run()[0] == CONFIG
        invalid = list_runs()[0].id
        code, output = place.run(command=("baseline", "set", invalid))
        assert (code, "is invalid" in output) == (CONFIG, True)
        place.suite(FIELDS)
        place.fails(CONFIG, "is invalid", "--baseline", invalid)

    def test_an_invalid_run_has_no_scores_in_any_format(self, place: Place) -> None:
        place.suite({**FIELDS, "fields": ["n", "totl"]})
        code, output = place.run("--output", "r.junit.xml", "--output", "r.json", "--output", "r.md")
        assert (code, "1.000" in output) == (CONFIG, False)
        content = json.loads((place.folder / "r.json").read_text())
        assert (content["summary"]["metrics"], content["results"]) == ({}, [])
        assert 'errors="1"' in (place.folder / "r.junit.xml").read_text()
        assert "no expected record has this field" in (place.folder / "r.md").read_text()

    def test_a_configuration_error_before_scoring_stores_nothing(self, place: Place) -> None:
        (place.folder / "data.jsonl").unlink()
        assert place.run()[0] == CONFIG
        place.cases({"id": "a", "expected": {"n": "x"}})
        assert place.run()[0] == CONFIG
        assert list_runs() == []

    def test_a_resumed_run_with_a_misspelt_path(self, place: Place) -> None:
        place.suite({**FIELDS, "fields": ["n", "totl"]})
        interrupted()
        place.fails(CONFIG, "field totl: no expected record", "--resume")

    def test_each_filter_that_matches_nothing_is_named(self, place: Place) -> None:
        place.cases({**GOOD, "tags": ["de"]}, {**GOOD, "id": "b"})
        code, output = place.run("--filter", "tag:de", "--filter", "tag:gremany")
        assert (code, "no case matches the filter `tag:gremany`" in output) == (PASSED, True)

    def test_a_comparison_with_another_version_of_an_evaluator_says_so(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        base = fw.run("s.eval.yaml")
        spec = EVALUATORS.find("field_accuracy")
        monkeypatch.setitem(EVALUATORS.specs, "field_accuracy", replace(spec, version=spec.version + 1))
        fw.run("s.eval.yaml")
        _, output = place.run(command=("compare", base.id, "latest", "--format", "plain"))
        assert "measures something else now" in output

    def test_a_run_under_another_version_is_not_resumed(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        interrupted()
        spec = EVALUATORS.find("field_accuracy")
        monkeypatch.setitem(EVALUATORS.specs, "field_accuracy", replace(spec, version=spec.version + 1))
        code, output = place.run("--resume")
        assert (code, "was not resumed" in output) == (PASSED, True)

    def test_a_file_compared_with_itself_is_remarked(self, place: Place) -> None:
        code, output = place.run(command=("diff", "data.jsonl", "data.jsonl"))
        assert (code, "both expected and actual" in output) == (PASSED, True)

    def test_a_map_with_a_key_twice(self, place: Place) -> None:
        maps = pa.map_(pa.string(), pa.int64())
        table = pa.table({"id": ["1"], "expected": pa.array([[("x", 1), ("x", 2)]], maps), "actual": pa.array([[("x", 2)]], maps)})
        pq.write_table(table, place.folder / "c.parquet")
        place.suite(X, cases="c.parquet")
        code, output = place.run()
        assert (code in (INCOMPLETE, NOTHING), "the key `x` is there twice" in output) == (True, True), output

    def test_a_rise_that_comes_from_edited_labels_says_so(self, place: Place) -> None:
        wrong = [{**GOOD, "id": str(at), "actual": WRONG_OUTPUT} for at in range(10)]
        place.cases(*wrong)
        assert place.run()[0] == PASSED
        place.cases(*({**case, "expected": WRONG_OUTPUT} for case in wrong))
        code, output = place.run("--baseline", "latest", "--gate", "fields.score >= 0.9")
        assert (code, "the expected values of 10 of 10 common cases differ" in output) == (PASSED, True), output

    def test_a_rise_that_comes_from_other_rules_says_so(self, place: Place) -> None:
        place.cases(*({**GOOD, "id": str(at), "actual": {"n": "X", "total": 1}} for at in range(10)))
        assert place.run()[0] == PASSED
        place.suite({**FIELDS, "fields": [{"path": "n", "match": "fuzzy"}, "total"]})
        code, output = place.run("--baseline", "latest", "--gate", "fields.score >= 0.9")
        assert (code, "the rules of `fields` differ, so a change may come from them" in output) == (PASSED, True), output

    @pytest.mark.parametrize("options", [("--limit", "2"), ("--filter", "b*"), ("--split", "test")])
    def test_a_run_over_chosen_cases_says_so_for_good(self, place: Place, options: tuple[str, str]) -> None:
        cases = [{**GOOD, "id": f"b{at}", "split": "test"} for at in range(2)]
        place.cases(*cases, {**GOOD, "id": "c", "actual": WRONG_OUTPUT, "split": "train"})
        code, output = place.run(*options, "--gate", "fields.score >= 1")
        told = f"the run covers only the cases that {' '.join(options).replace('--split ', '--filter split:')} selected"
        assert (code, told in output) == (PASSED, True), output
        assert told in [note.what for note in open_run().diagnostics]

    def test_causes_that_shrank_under_other_rules_or_labels(self, place: Place) -> None:
        place.cases(*({**GOOD, "id": str(at), "actual": {"n": "X", "total": 1}} for at in range(10)))
        assert place.run()[0] == PASSED
        assert place.run(command=("pack", "latest", "-o", "pk"))[0] == PASSED
        place.suite({**FIELDS, "fields": [{"path": "n", "match": "fuzzy"}, "total"]})
        _, output = place.run("--from", "pk")
        assert "(shrank); but the rules of `fields` differ" in output, output
        place.suite(FIELDS)
        place.cases(*({**GOOD, "id": str(at), "expected": {"n": "X", "total": 1}} for at in range(10)))
        _, output = place.run("--from", "pk")
        assert "but the expected values of 10 of 10 common cases differ" in output, output

    def test_settings_written_into_a_suite_that_has_changed_since_the_run(self, place: Place) -> None:
        what_if = ("what-if", "latest", "--set", "fields.n.weight=2", "--write")
        assert place.run()[0] == PASSED
        assert "has changed since the run" not in place.run(command=what_if)[1]
        place.suite({**FIELDS, "fields": ["n", "total", "other"]})
        code, output = place.run(command=what_if)
        assert (code, "s.eval.yaml has changed since the run" in output) == (PASSED, True), output

    def test_gates_that_say_what_they_cannot_mean(self, place: Place) -> None:
        for gate in (
            "fields.score => 0.9",
            "fields.score 0.9",
            "fields.score >= 90%",
            "fields.score >= 0,9",
            "fields >= 0.9",
            "score >= 0.9",
        ):
            assert place.run("--gate", gate)[0] == CONFIG, gate

    def test_a_resumed_run_over_fewer_cases_says_so(self, place: Place) -> None:
        interrupted()
        code, output = place.run("--resume", "--limit", "1")
        assert (code, "the run covers only the cases that --limit 1 selected" in output) == (PASSED, True), output

    def test_causes_of_no_shared_case(self, place: Place) -> None:
        assert place.run()[0] == PASSED
        assert place.run(command=("pack", "latest", "-o", "pk"))[0] == PASSED
        place.cases({**GOOD, "id": "z"})
        code, output = place.run("--from", "pk")
        assert (code, "nothing can be said: no case of the pack is in the run" in output) == (PASSED, True), output

    def test_a_policy_that_holds_under_laxer_rules_says_so(self, place: Place) -> None:
        def outputs(wrong: int) -> list[dict[str, Any]]:
            return [
                {"id": str(at), "expected": {"x": at}, "actual": {"x": {"value": at + (at % wrong == 0), "confidence": 0.9}}}
                for at in range(200)
            ]

        place.suite(X)
        place.cases(*outputs(1000))
        assert place.run()[0] == PASSED
        assert place.run(command=("policy", "latest", "--max-error", "0.2", "-o", "p.json"))[0] == PASSED
        place.cases(*outputs(2))
        place.suite({"type": "field_accuracy", "fields": [{"path": "x", "match": "numeric_tolerance", "tolerance": 5}]})
        assert place.run()[0] == PASSED
        code, output = place.run(command=("policy", "latest", "--verify", "p.json"))
        assert (code, "the rules of `field_accuracy` differ" in output) == (PASSED, True), output


@dataclass(frozen=True)
class Studied:
    """Stored runs that the commands of the second half ask: one over cases with splits, one over other cases, and an invalid one."""

    folder: Path
    run: str
    other: str
    invalid: str


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Studied:
    folder = tmp_path_factory.mktemp("studied")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        place = Place(folder)
        cases = [{**GOOD, "id": str(at), "actual": {"n": "y", "total": at}, "split": "train" if at % 2 else "test"} for at in range(6)]
        place.cases(*cases)
        run = fw.run("s.eval.yaml").id
        other_run = fw.run("s.eval.yaml", cases=[{**GOOD, "id": "z"}]).id
        place.suite({**FIELDS, "fields": ["n", "totl"]})
        place.run()
        invalid = list_runs()[0].id
        place.suite(FIELDS)
        place.write("bad.json", '{"version": 1}')
    return Studied(folder, run, other_run, invalid)


QUESTIONS: dict[str, tuple[str, int, str]] = {
    # command with RUN, OTHER and INVALID for the stored runs, exit code, text of the output
    "wrong values of an invalid run": ("mismatches INVALID", CONFIG, "is invalid: it has no scores"),
    "confidences of an invalid run": ("confidence INVALID", CONFIG, "is invalid"),
    "a policy of an invalid run": ("policy INVALID --max-error 0.1", CONFIG, "is invalid"),
    "what if, of an invalid run": ("what-if INVALID --set fields.n.weight=2", CONFIG, "is invalid"),
    "profiles of an invalid run": ("profiles INVALID", CONFIG, "is invalid"),
    "a pack of an invalid run": ("pack INVALID -o pk", CONFIG, "is invalid"),
    "a review of an invalid run": ("review INVALID --format json", CONFIG, "is invalid"),
    "the power of an invalid run": ("power INVALID", CONFIG, "is invalid"),
    "a case of an invalid run": ("explain INVALID 1", CONFIG, "is invalid"),
    "doubts of an invalid run": ("doubt RUN INVALID", CONFIG, "is invalid"),
    "a report of an invalid run": ("report INVALID -o r.json", CONFIG, "has its problems and no scores"),
    "a comparison with an invalid run": ("compare RUN INVALID", CONFIG, "no case in common"),
    "a policy without confidences": ("policy RUN --max-error 0.02", FAILED, "No value of the run has a confidence"),
    "a policy gate without confidences": ("policy RUN --max-error 0.02 --gate policy.holds==1", FAILED, "No value of the run"),
    "a policy without a bound": ("policy RUN", CONFIG, "either --max-error or --verify"),
    "a policy to verify that is not there": ("policy RUN --verify nobody.json", CONFIG, "there is no policy nobody.json"),
    "a policy to verify that is none": ("policy RUN --verify bad.json", CONFIG, "this is no policy"),
    "confidences of an unknown field": ("confidence RUN --field totl", CONFIG, "no field `totl`"),
    "confidences by an agreement that was not measured": ("confidence RUN --by agreement", CONFIG, "not compared with other systems"),
    "doubts of one run": ("doubt RUN", CONFIG, "one output for each case"),
    "doubts of a run and itself": ("doubt RUN RUN", CONFIG, "is named twice"),
    "doubts of runs over different cases": ("doubt RUN OTHER", CONFIG, "no case in common"),
    "what if a field had no rule": ("what-if RUN --set fields.totl.weight=2", CONFIG, "no rule for the field `totl`"),
    "what if an option did not exist": ("what-if RUN --set fields.n.wieght=2", CONFIG, "no option `wieght`"),
    "what if a weight were negative": ("what-if RUN --set fields.n.weight=-1", CONFIG, "must be a number"),
    "what if one option had two values": ("what-if RUN --set fields.n.weight=2 --set fields.n.weight=3", CONFIG, "set it once"),
    "what if nothing": ("what-if RUN", CONFIG, ""),
    "what if a metric did not exist": ("what-if RUN --set gate.fields.scroe=>=0.9", CONFIG, "no metric `scroe`"),
    "a profile that does not exist": ("profiles RUN --profile stict", CONFIG, "did you mean `strict`"),
    "a pack without its split": ("pack RUN -o pk", CONFIG, "a pack must not show those that are held out"),
    "a pack of an unknown split": ("pack RUN -o pk --split tarin", CONFIG, "no split `tarin`"),
    "a run after no pack": ("run s.eval.yaml --from nobody", CONFIG, "there is no pack.json"),
    "a run of an unknown split": ("run s.eval.yaml --split tarin", NOTHING, "no case matches the filter `split:tarin`"),
    "wrong values of an unknown field": ("mismatches RUN --field totl", CONFIG, "did you mean `total`"),
    "answers of reviewers that are not there": ("review RUN --import nobody.json", CONFIG, "nobody.json"),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_to_a_stored_run_has_the_exit_code_it_must_have(name: str, studied: Studied, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(studied.folder)
    command, code, says = QUESTIONS[name]
    ids = {"RUN": studied.run, "OTHER": studied.other, "INVALID": studied.invalid}
    result = CliRunner().invoke(app, [ids.get(word, word) for word in command.split()], env={"COLUMNS": "400"})
    output = " ".join((result.stdout + result.stderr).split())
    assert (result.exit_code, says in output) == (code, True), output


def test_an_unfinished_run_is_named_where_its_wrong_values_are_listed(place: Place) -> None:
    interrupted()
    code, output = place.run(command=("mismatches", "latest"))
    assert (code, "did not finish: only the results so far are used" in output) == (PASSED, True)


def test_a_field_that_accepts_no_value_is_not_right(place: Place) -> None:
    place.cases({**GOOD, "expected": {"n": {"$any": []}, "total": 1}}, {**GOOD, "id": "b"})
    fw.run("s.eval.yaml")
    code, output = place.run(command=("report", "latest", "-o", "r.json"))
    assert code == PASSED, output
    [table] = [
        field
        for field in json.loads((place.folder / "r.json").read_text())["summary"]["evaluators"]["fields"]["fields"]
        if field["field"] == "n"
    ]
    assert (table["n"], table["matched"]) == (1, 1)
