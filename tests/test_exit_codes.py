"""The exit code and the message that each sentence of the contract fixes: gates, verdicts, paths, sides, ids, judges and schemas."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fieldwise.cli.app import app

PASSED, FAILED, CONFIG, INCOMPLETE, NOTHING = 0, 1, 2, 3, 4


def case(case_id: object, expected: Any, actual: Any, **more: Any) -> dict[str, Any]:
    return {"id": str(case_id), "expected": expected, "actual": actual, **more}


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def repeat(expected: Any, actual: Any, count: int = 3) -> list[dict[str, Any]]:
    return [case(number, expected, actual) for number in range(count)]


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A suite with its data, and what `run` must make of it."""

    evaluators: Any
    rows: list[Any] | None
    code: int
    says: tuple[str, ...] = ()
    gate: dict[str, Any] = field(default_factory=dict[str, Any])
    options: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict[str, str])
    keys: dict[str, Any] = field(default_factory=dict[str, Any])
    """Further keys of the suite."""


def suite(evaluators: Any, rows: list[Any] | None, code: int, *says: str, **more: Any) -> Suite:
    return Suite(evaluators=evaluators, rows=rows, code=code, says=says, **more)


def accuracy(*fields: Any, **options: Any) -> dict[str, Any]:
    return {"type": "field_accuracy", "fields": list(fields), **options}


def schema(contents: Any, **options: Any) -> dict[str, Any]:
    return {"type": "json_schema", "schema": contents, **options}


def composite(*members: Any, **options: Any) -> dict[str, Any]:
    return {"type": "composite", "evaluators": list(members), **options}


def trajectory(mode: str) -> dict[str, Any]:
    return {"type": "tool_trajectory", "mode": mode}


def constraints(*rules: Any) -> dict[str, Any]:
    return {"type": "constraints", "rules": list(rules)}


QUALITY: Any = {"type": "json_quality", "default_text": "FUZZY"}
PRF: Any = {"type": "field_prf"}
ANSWERS: Any = {"type": "answer_quality"}
RIGHT = repeat({"x": 1, "y": 2}, {"x": 1, "y": 2})
HALF = [case("a", {"x": 1, "y": 1}, {"x": 1, "y": 1}), case("b", {"x": 1, "y": 1}, {"x": 1, "y": 2})]
NULLS = repeat({"a": None}, {"a": None})
NO_CALLS = repeat([], ["rm"])
BOXES = repeat({"box": [0, 0, 1, 1]}, {"box": [0, 0, 1, 1]})
UNREADABLE = [case("a", {"x": 1}, {"x": 1}), case("b", "not json at all", {"x": 1})]
SKIPPED = [case(0, {"x": 1}, {"x": 1}), case(1, {"x": 1}, {})]
OPTIONAL_X = accuracy({"path": "x", "required": False})
LATE_FIELD = [case("a", {"x": 1}, {"x": 1}), case("b", {"x": 1, "z": 1}, {"x": 1, "z": 1})]
EXTRA_FIELD = [case(0, {"x": 1, "z": 1}, {"x": 1, "z": 1}), case(1, {"x": 1}, {"x": 1, "z": 5})]
NEVER_GIVEN = repeat({"x": 1, "z": 2}, {"x": 1})
SPLITS = [case("a", {"x": 1}, {"x": 1}, split="dev", tags=["t"]), case("b", {"x": 1}, {"x": 2}, split="test")]
PAIRED = {"expected": "e.jsonl", "actual": "a.jsonl"}
TEXT = "The rate for Territory 118 is 5 %"


def at_least(metric: str, bound: float = 0.5) -> dict[str, Any]:
    return {metric: f">= {bound}"}


def regression(**more: Any) -> dict[str, Any]:
    return {"regression": {"metric": "field_accuracy.score", "max_drop": 0.1, **more}}


SUITES: dict[str, Suite] = {
    # vacuous metrics
    "a trajectory without expected calls in every case": suite(trajectory("any_order"), NO_CALLS, INCOMPLETE, "nothing to measure"),
    "the pass rate of such trajectories": suite(
        trajectory("superset"), NO_CALLS, INCOMPLETE, "not measured", gate=at_least("tool_trajectory.pass_rate")
    ),
    "calls that a trajectory does not allow": suite(trajectory("subset"), NO_CALLS, FAILED, gate=at_least("tool_trajectory.score")),
    "one measured trajectory among vacuous ones": suite(
        trajectory("in_order"), [case("a", ["f"], ["g"]), *NO_CALLS], FAILED, "is 0", gate=at_least("tool_trajectory.score")
    ),
    "nothing expected and nothing given": suite(QUALITY, NULLS, INCOMPLETE, "the score of `json_quality` had nothing to measure"),
    "their pass rate": suite(QUALITY, NULLS, INCOMPLETE, "not measured", gate=at_least("json_quality.pass_rate")),
    "their normalized rqs": suite(QUALITY, NULLS, INCOMPLETE, "not measured", gate=at_least("json_quality.rqs_normalized")),
    "their hallucination, which was measured": suite(
        QUALITY, NULLS, PASSED, "had nothing to measure", gate={"json_quality.hallucination": "<= 0.5"}
    ),
    "completeness of the one case that expects something": suite(
        QUALITY, [case("a", {"a": "x y"}, {"b": 1}), *NULLS], FAILED, "is 0", gate=at_least("json_quality.completeness")
    ),
    "accuracy of outputs that gave nothing": suite(
        QUALITY,
        [*repeat({"a": 1}, {"a": 1}, 8), case("b", {"a": 1}, {"b": 1}), case("c", {"a": 1}, {"b": 1})],
        INCOMPLETE,
        "--max-unscored 2",
        gate=at_least("json_quality.accuracy"),
        options=("--max-unscored", "1"),
    ),
    "a macro average counts 0.0 from a zero denominator": suite(
        PRF,
        [case("a", {"x": 1}, {"x": 1}), *({**row, "id": f"n{row['id']}"} for row in repeat({}, {}, 9))],
        FAILED,
        gate=at_least("field_prf.macro_f1"),
    ),
    # verdicts
    "a case below pass_at": suite(accuracy("x", "y", pass_at=0.9), HALF, FAILED, "pass_at"),
    "pass_at is inclusive": suite(accuracy("x", "y", pass_at=0.5), HALF, PASSED),
    "gates decide, not pass_at": suite(accuracy("x", "y", pass_at=0.9), HALF, PASSED, gate=at_least("field_accuracy.score", 0.7)),
    "threshold on an evaluator is pass_at": suite(accuracy("x", "y", threshold=0.9), HALF, FAILED, "pass_at"),
    "threshold beside pass_at": suite(accuracy("x", "y", threshold=0.9, pass_at=0.4), HALF, CONFIG, "pass_at"),
    "threshold as a percentage": suite(accuracy("x", "y", threshold=90), HALF, CONFIG, "threshold"),
    "a pair of boxes below the threshold": suite(
        {"type": "iou_score", "threshold": 0.5}, repeat([0, 0, 10, 10], [0, 0, 10, 4]), FAILED, gate=at_least("iou_score.pass_rate")
    ),
    "a regression of a pass rate without a cut": suite(
        {"type": "iou_score"},
        repeat([0, 0, 9, 9], [0, 0, 9, 4]),
        CONFIG,
        "threshold",
        "pass_at",
        gate={"regression": {"metric": "iou_score.pass_rate", "max_drop": 0.1}},
    ),
    # gates
    "a metric that needs an option": suite(
        {"type": "iou_score"}, repeat([0, 0, 9, 9], [0, 0, 9, 9]), CONFIG, "precision", gate=at_least("iou_score.precision")
    ),
    "the recall of the other convention": suite(PRF, RIGHT, CONFIG, "recall_fp_fn", gate=at_least("field_prf.recall_fp_fn")),
    "a gate by type where the evaluator has a name": suite(
        {**PRF, "name": "leaves"}, RIGHT, CONFIG, "leaves", gate=at_least("field_prf.f1")
    ),
    "a count may exceed 1": suite(PRF, RIGHT, PASSED, gate={"field_prf.false_positives": "<= 90"}),
    "a count of at least 0 cannot fail": suite(PRF, RIGHT, PASSED, "cannot fail", gate={"field_prf.false_positives": ">= 0"}),
    "a gate without an operator": suite(PRF, RIGHT, CONFIG, "field_prf.f1", gate={"field_prf.f1": "0.5"}),
    "a gate on NaN": suite(PRF, RIGHT, CONFIG, "nan", gate={"field_prf.f1": ">= nan"}),
    "a gate of two conditions": suite(PRF, RIGHT, CONFIG, gate={"field_prf.f1": ">= 0.5 and <= 0.7"}),
    "a regression without a baseline": suite(accuracy("x"), RIGHT, CONFIG, "baseline", gate=regression()),
    "a regression with a negative drop": suite(accuracy("x"), RIGHT, CONFIG, "max_drop", gate=regression(max_drop=-0.1)),
    "a regression that needs twice the cases": suite(accuracy("x"), RIGHT, CONFIG, "min_common", gate=regression(min_common=2)),
    "a misspelt key of a regression": suite(
        accuracy("x"), RIGHT, CONFIG, "max_drop", gate={"regression": {"metric": "field_accuracy.score", "max_dorp": 1}}
    ),
    # limits
    "a fault": suite(accuracy("x"), UNREADABLE, INCOMPLETE, "tolerate them with --max-errors 1", gate=at_least("field_accuracy.score")),
    "a tolerated fault": suite(
        accuracy("x"), UNREADABLE, PASSED, "1 result without a measurement tolerated", options=("--max-errors", "1")
    ),
    "faults are not unscored": suite(accuracy("x"), UNREADABLE, INCOMPLETE, options=("--max-unscored", "5")),
    "a skipped case": suite(OPTIONAL_X, SKIPPED, INCOMPLETE, "--max-unscored 1"),
    "a tolerated skipped case": suite(
        OPTIONAL_X,
        SKIPPED,
        PASSED,
        "everything else was measured; 1 result without a measurement tolerated",
        options=("--max-unscored", "1"),
    ),
    # selection
    "a split that no case has": suite(accuracy("x"), SPLITS, NOTHING, "split:prod", options=("--split", "prod")),
    "one of two splits that no case has": suite(accuracy("x"), SPLITS, PASSED, "split:prod", options=("--split", "dev", "--split", "prod")),
    "filters that exclude each other": suite(
        accuracy("x"), SPLITS, NOTHING, "all filters", options=("--filter", "tag:t", "--filter", "split:test")
    ),
    "the case of letters in a filter": suite(accuracy("x"), SPLITS, NOTHING, "letter case counts", options=("--filter", "A")),
    "a field of cases beyond the limit": suite(accuracy("x", "z"), LATE_FIELD, PASSED, "n = 0", options=("--limit", "1")),
    "a field of no case, and a limit": suite(accuracy("x", "zz"), LATE_FIELD, CONFIG, "field zz", options=("--limit", "1")),
    # paths
    "a field that some records lack": suite(accuracy("x", "z"), LATE_FIELD, PASSED, "1 of 2 expected records do not have this field"),
    "a sparse field of no record": suite(accuracy("x", {"path": "zz", "sparse": True}), RIGHT, PASSED, "field zz: no expected record"),
    "a required field of no record": suite(accuracy("x", {"path": "zz", "required": True}), RIGHT, CONFIG, "field zz"),
    "an optional field of no record": suite(accuracy("x", {"path": "zz", "required": False}), RIGHT, CONFIG, "field zz"),
    "an optional field that no output has": suite(accuracy("x", {"path": "z", "required": False}), NEVER_GIVEN, INCOMPLETE, "n = 0"),
    "such a field that is sparse": suite(accuracy("x", {"path": "z", "required": False, "sparse": True}), NEVER_GIVEN, PASSED, "n = 0"),
    "a value where expected lacks the field": suite(accuracy("x", "z"), EXTRA_FIELD, FAILED, gate=at_least("field_accuracy.score", 0.9)),
    "such a value, ignored": suite(
        accuracy("x", "z", unexpected="ignore"), EXTRA_FIELD, PASSED, gate=at_least("field_accuracy.score", 0.9)
    ),
    "a value where null is expected": suite(
        accuracy("x", "z"), repeat({"x": 1, "z": None}, {"x": 1, "z": 5}), FAILED, gate=at_least("field_accuracy.score", 0.9)
    ),
    "a required field that is null and absent": suite(
        accuracy("x", {"path": "z", "required": True}),
        repeat({"x": 1, "z": None}, {"x": 1}),
        FAILED,
        gate=at_least("field_accuracy.score", 0.9),
    ),
    "the case of letters in a path": suite(accuracy("X"), RIGHT, CONFIG, "did you mean `x`"),
    "JSONPath": suite(accuracy("$.x"), RIGHT, CONFIG, "write `x`"),
    "boxes at a path of no record": suite(
        {"type": "iou_score", "path": "bx"}, BOXES, CONFIG, "field bx: no expected record", "did you mean `box`"
    ),
    "boxes at a path of actual only": suite(
        {"type": "iou_score", "path": "shape"}, repeat({"box": [0, 0, 1, 1]}, {"shape": [0, 0, 1, 1]}), CONFIG, "actual has it"
    ),
    "points at a path of no record": suite(
        {"type": "coordinate_distance", "path": "point"}, repeat({"p": [0, 0]}, {"p": [0, 0]}), CONFIG, "expected has `p`"
    ),
    "boxes of a member at a path of no record": suite(composite({"type": "iou_score", "path": "bx"}), BOXES, CONFIG, "field bx"),
    # sides and ids
    "one record of one file in two spellings": suite(
        accuracy("x"),
        None,
        CONFIG,
        "both expected and actual",
        files={"e.jsonl": lines({"id": "a", "g": {"x": 1}})},
        keys={"cases": {"expected": {"file": "e.jsonl", "record": "g"}, "actual": {"file": "e.jsonl", "record": '["g"]'}}},
    ),
    "two records of one file": suite(
        accuracy("x"),
        None,
        FAILED,
        files={"e.jsonl": lines({"id": "a", "g": {"x": 1}, "o": {"x": 2}})},
        gate=at_least("field_accuracy.score"),
        keys={"cases": {"expected": {"file": "e.jsonl", "record": "g"}, "actual": {"file": "e.jsonl", "record": "o"}}},
    ),
    "the recognized expected column as actual": suite(
        ANSWERS, [{"id": "1", "ground_truth": TEXT, "foo": "x"}], CONFIG, "ground_truth", keys={"columns": {"actual": "ground_truth"}}
    ),
    "two candidates for one side": suite(ANSWERS, [{"id": "1", "expected": TEXT, "output": TEXT, "response": "x"}], CONFIG, "columns"),
    "one number as id and as text": suite(
        accuracy("x"), [{"id": 1, "expected": {"x": 1}, "actual": {"x": 1}}, case("1", {"x": 1}, {"x": 1})], CONFIG, "same id"
    ),
    "an id twice among the predictions": suite(
        accuracy("x"),
        None,
        CONFIG,
        "same id",
        files={"e.jsonl": lines({"id": "a", "x": 1}), "a.jsonl": lines({"id": "a", "x": 1}, {"id": "a", "x": 5})},
        keys={"cases": PAIRED},
    ),
    "ids on one side": suite(
        accuracy("x"),
        None,
        CONFIG,
        "this side has no id",
        files={"e.jsonl": lines({"id": "a", "x": 1}), "a.jsonl": lines({"x": 1})},
        keys={"cases": PAIRED},
    ),
    # schemas
    "a misspelt keyword deep in a schema": suite(
        schema({"properties": {"a": {"items": {"anyOf": [{"minimun": 3}]}}}}), RIGHT, CONFIG, "did you mean `minimum`"
    ),
    "a misspelt keyword in dependentSchemas": suite(schema({"dependentSchemas": {"x": {"requierd": []}}}), RIGHT, CONFIG, "`required`"),
    "a misspelt type": suite(schema({"type": "objekt"}), RIGHT, CONFIG, "did you mean `object`"),
    "an unknown format": suite(
        schema({"properties": {"x": {"format": "datte"}}}, formats=True), RIGHT, PASSED, "unknown and is not checked", "did you mean `date`"
    ),
    "a format that needed a package": suite(
        schema({"properties": {"x": {"format": "uri"}}}, formats=True),
        repeat({}, {"x": "no address"}),
        FAILED,
        gate=at_least("json_schema.score"),
    ),
    "an address without a name": suite(
        schema({"properties": {"x": {"format": "email"}}}, formats=True),
        repeat({}, {"x": "@a.com"}),
        FAILED,
        gate=at_least("json_schema.score"),
    ),
    "a schema that accepts nothing": suite(schema(False), RIGHT, FAILED, gate=at_least("json_schema.score")),
    "a schema that accepts everything": suite(schema({}), RIGHT, PASSED, "accepts every value"),
    # composites and constraints
    "a member with a misspelt option": suite(
        composite({"type": "field_accuracy", "fieldz": ["x"]}), RIGHT, CONFIG, "did you mean `fields`"
    ),
    "members that all skip": suite(composite(OPTIONAL_X), repeat({"x": 1}, {}), NOTHING, "composite"),
    "a strategy for a key that no case has": suite(
        {**QUALITY, "strategies": {"xx": "EXACT"}}, RIGHT, CONFIG, "s.eval.yaml:1: field xx: no case of the run has this key"
    ),
    "the nearest key": suite(
        {**QUALITY, "strategies": {"tota": "EXACT"}}, repeat({"total": 1}, {"total": 1}), CONFIG, "did you mean `total`"
    ),
    "a similarity for a key that no case has": suite({**QUALITY, "similarities": {"z": 0.9}}, RIGHT, CONFIG, "field z: no case"),
    "such a strategy of a member": suite(composite({**QUALITY, "strategies": {"z": "EXACT"}}), RIGHT, CONFIG, "field z: no case"),
    "such a strategy of flattened records": suite(
        {**QUALITY, "flatten": True, "strategies": {"l[*].b": "EXACT"}}, repeat({"l": [{"a": 1}]}, {"l": [{"a": 1}]}), CONFIG, "l[*].a"
    ),
    "a key to ignore that no case has": suite({**QUALITY, "strategies": {"z": "IGNORE"}}, RIGHT, PASSED, "names `z`, and no case"),
    "a strategy for a key of the last case": suite({**QUALITY, "strategies": {"z": "EXACT"}}, LATE_FIELD, PASSED),
    "a strategy for a key of a case that is not selected": suite(
        {**QUALITY, "strategies": {"z": "EXACT"}}, LATE_FIELD, PASSED, "names `z`, and no case", options=("--filter", "a")
    ),
    "a strategy for a key with dots": suite(
        {**QUALITY, "strategies": {"größe.x[0]": "EXACT"}}, repeat({"größe.x[0]": 1}, {"größe.x[0]": 1}), PASSED
    ),
    "a file of strategies with a key that no case has": suite(
        {**QUALITY, "strategies": "all.json"}, RIGHT, PASSED, "names `z`, and no case", files={"all.json": '{"x": "EXACT", "z": "EXACT"}'}
    ),
    "a violated constraint": suite(constraints({"check": "x > y"}), RIGHT, FAILED, gate=at_least("constraints.score")),
    "a constraint on text in place of a number": suite(
        constraints({"check": "x < 5"}), repeat({"x": "3"}, {"x": "3"}), FAILED, gate=at_least("constraints.score")
    ),
    "a constraint with half a formula": suite(constraints({"check": "x >"}), RIGHT, CONFIG, "x >"),
}


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_has_the_exit_code_it_must_have(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tried = SUITES[name]
    evaluators = tried.evaluators if isinstance(tried.evaluators, list) else [tried.evaluators]
    contents = {"name": "s", "cases": "c.jsonl", "evaluators": evaluators, **tried.keys}
    if tried.gate:
        contents["gate"] = tried.gate
    (tmp_path / "s.eval.yaml").write_text(json.dumps(contents))
    if tried.rows is not None:
        (tmp_path / "c.jsonl").write_text(lines(*tried.rows))
    for file, text in tried.files.items():
        (tmp_path / file).write_text(text)
    result = CliRunner().invoke(app, ["run", "s.eval.yaml", "--format", "plain", *tried.options], env={"COLUMNS": "400"})
    output = " ".join((result.stdout + result.stderr).split())
    assert result.exit_code == tried.code, output
    assert [text for text in tried.says if text not in output] == [], output


JUDGE_REPLIES: dict[str, str] = {
    "a score above 1": '{"score": 2}',
    "a score below 0": '{"score": -0.01}',
    "NaN": '{"score": NaN}',
    "infinity": '{"score": Infinity}',
    "a score as text": '{"score": "1"}',
    "a boolean": '{"score": true}',
    "null": '{"score": null}',
    "no score": '{"hits": ["a"]}',
    "nothing": "",
    "words": "great!",
    "two judgements": '{"score": 1}\n{"score": 0}',
    "a list": '[{"score": 1}]',
    "a bare number": "1",
    "hits that are no list": '{"score": 1, "hits": "all"}',
}


@pytest.mark.parametrize("name", JUDGE_REPLIES)
def test_a_judge_that_prints_no_judgement_is_a_fault(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reply.txt").write_text(JUDGE_REPLIES[name])
    (tmp_path / "c.jsonl").write_text(lines(case("a", {"x": 1}, {"x": 1})))
    judge = {"type": "code_judge", "script": ["cat", "reply.txt"]}
    contents = {"name": "s", "cases": "c.jsonl", "evaluators": [judge, accuracy("x")], "gate": at_least("field_accuracy.score")}
    (tmp_path / "s.eval.yaml").write_text(json.dumps(contents))
    result = CliRunner().invoke(app, ["run", "s.eval.yaml", "--format", "plain"], env={"COLUMNS": "400"})
    assert result.exit_code == INCOMPLETE, result.output
    assert "`code_judge` could not measure 1 of 1 cases" in " ".join(result.output.split())
