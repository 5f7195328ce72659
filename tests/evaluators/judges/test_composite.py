"""composite: several evaluators as one, with members that must not fail."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import fieldwise as fw
from fieldwise import ConfigError, Result
from fieldwise.model.case import Case, Cases
from fieldwise.plan.evaluators import plan_config
from fieldwise.plan.schema import build_suite_schema
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.evaluate import evaluate, result_at

FIELDS = {"type": "field_accuracy", "name": "fields", "fields": ["a", "b"]}
SAFE = {"type": "contains", "name": "safe", "value": "password", "negate": True}
SHORT = {"type": "length", "name": "short", "max": 20}
QUICK = {"type": "latency", "name": "quick", "max": 100}


def whole(*members: dict[str, Any], expected: Any = None, actual: Any = "", metadata: Any = None, **options: Any) -> Result:
    config = {"type": "composite", "evaluators": list(members), **options}
    return fw.evaluate(config, expected=expected, actual=actual, metadata=metadata or {})


class TestAggregation:
    def test_a_weighted_average_of_the_members_scores(self) -> None:
        result = whole({**FIELDS, "weight": 3}, SHORT, expected={"a": 1, "b": 2}, actual={"a": 1, "b": 3})
        assert result.score == pytest.approx((3 * 0.5 + 1) / 4)
        assert result.verdict == "partial"
        assert result.reasoning == "fields 0.50, short 1.00"

    def test_all_or_nothing_is_one_only_if_every_member_passes(self) -> None:
        good = {"expected": {"a": 1, "b": 2}, "actual": {"a": 1, "b": 2}}
        assert whole(FIELDS, SHORT, aggregation="all_or_nothing", **good).score == 1.0
        bad = whole(FIELDS, SHORT, aggregation="all_or_nothing", expected={"a": 1, "b": 2}, actual={"a": 1, "b": 3})
        assert (bad.score, bad.verdict) == (0.0, "fail")

    def test_a_member_that_passes_by_its_own_cut_counts_as_passed_and_its_misses_do_not(self) -> None:
        lenient = {**FIELDS, "pass_at": 0.5}
        result = whole(lenient, SHORT, aggregation="all_or_nothing", expected={"a": 1, "b": 2}, actual={"a": 1, "b": 3})
        assert (result.score, result.verdict, result.misses) == (1.0, "pass", [])
        assert result.details["members"]["fields"]["misses"] == ["b"]

    def test_threshold_is_the_share_of_members_that_pass_and_decides(self) -> None:
        members = [SAFE, SHORT, {"type": "contains", "name": "polite", "value": "please"}]
        result = whole(*members, actual="hello", aggregation="threshold", threshold=0.6)
        assert (result.score, result.verdict) == (pytest.approx(2 / 3), "pass")
        assert whole(*members, actual="hello", aggregation="threshold", threshold=0.7).verdict == "fail"
        assert result.misses == ['polite: contains: "please"']

    def test_the_share_is_weighted(self) -> None:
        result = whole({**SAFE, "weight": 3}, {"type": "equals", "value": "x"}, actual="y", aggregation="threshold", threshold=0.5)
        assert result.score == 0.75


class TestRequired:
    def test_a_safety_gate_takes_all_the_score(self) -> None:
        result = whole({**SAFE, "required": True, "weight": 0}, SHORT, actual="the password")
        assert (result.score, result.verdict, result.status) == (0.0, "fail", "scored")
        assert result.misses == ["safe (required)", 'safe: not contains: "password"']
        assert whole({**SAFE, "required": True, "weight": 0}, SHORT, actual="fine").score == 1.0

    @pytest.mark.parametrize(("least", "score"), [(0.5, 0.75), (0.51, 0.0)])
    def test_a_number_is_the_least_score(self, least: float, score: float) -> None:
        result = whole({**FIELDS, "required": least}, SHORT, expected={"a": 1, "b": 2}, actual={"a": 1, "b": 3})
        assert result.score == score

    def test_true_asks_for_a_pass_not_for_a_part(self) -> None:
        result = whole({**FIELDS, "required": True}, SHORT, expected={"a": 1, "b": 2}, actual={"a": 1, "b": 3})
        assert (result.score, result.misses) == (0.0, ["fields (required)", "fields: b"])

    def test_a_gate_that_fails_counts_where_nothing_else_was_measured(self) -> None:
        result = whole({**SAFE, "required": True, "weight": 0}, QUICK, actual="the password")
        assert (result.status, result.score) == ("scored", 0.0)


class TestWhatItTells:
    def test_hits_and_misses_carry_the_members_name(self) -> None:
        result = whole(FIELDS, SHORT, expected={"a": 1, "b": 2}, actual={"a": 1, "b": 3})
        assert result.hits == ["fields: a", "short: length (13 characters, at most 20)"]
        assert result.misses == ["fields: b"]

    def test_metrics_hold_each_members_score(self) -> None:
        result = whole(FIELDS, SHORT, expected={"a": 1, "b": 2}, actual={"a": 1, "b": 3})
        assert result.metrics == {"member.fields": 0.5, "member.short": 1.0, "members_passed": 1, "members_counted": 2}

    def test_details_hold_what_each_member_says(self) -> None:
        result = whole({**FIELDS, "required": 0.2}, SHORT, expected={"a": 1, "b": 2}, actual={"a": 1, "b": 3})
        member = result.details["members"]["fields"]
        assert {
            key: member[key] for key in ("type", "weight", "required", "score", "verdict", "status", "hits", "misses", "reasoning")
        } == {
            "type": "field_accuracy",
            "weight": 1.0,
            "required": 0.2,
            "score": 0.5,
            "verdict": "partial",
            "status": "scored",
            "hits": ["a"],
            "misses": ["b"],
            "reasoning": "1/2 fields matched",
        }
        assert json.dumps(result.to_json())

    def test_comparisons_of_all_members_are_there_under_their_names(self) -> None:
        result = whole(FIELDS, {"type": "field_prf", "name": "prf"}, expected={"a": 1, "b": 2}, actual={"a": 1, "b": "2"})
        assert [(comparison.path, comparison.field, comparison.outcome) for comparison in result.comparisons] == [
            ("fields: a", "fields: a", "match"),
            ("fields: b", "fields: b", "format_error"),
            ("prf: a", "prf: a", "match"),
            ("prf: b", "prf: b", "format_error"),
        ]
        assert result.comparisons[1].cause == result.comparisons[3].cause is not None

    def test_flags_of_members_are_told(self) -> None:
        result = whole({"type": "json_quality", "name": "quality"}, SHORT, expected={"a": 1}, actual={"a": 1})
        assert result.details["flags"] == ["quality: unmeasured_safety"]


class TestStatus:
    def test_a_skipped_member_is_left_out_of_the_mean(self) -> None:
        result = whole(FIELDS, {**SHORT, "max": 2}, {"type": "equals", "value": "ok", "name": "ok"}, actual="ok")
        assert (result.score, result.status) == (1.0, "scored")
        assert result.reasoning == "fields skipped, short 1.00, ok 1.00"
        assert "member.fields" not in result.metrics

    def test_a_skipped_required_member_skips_the_composite_and_is_named(self) -> None:
        result = whole({**FIELDS, "required": True}, {**SHORT, "max": 2}, actual="ok")
        assert (result.score, result.status, result.verdict) == (0.0, "skipped", None)
        assert result.reasoning == "`fields` is required, and was skipped: nothing is expected of this case"
        assert result.metrics["member.short"] == 1.0
        assert whole({**FIELDS, "required": 0.2, "weight": 0}, SHORT, actual="ok").status == "skipped"

    def test_any_skipped_member_that_counts_skips_a_composite_of_all_or_nothing(self) -> None:
        result = whole(FIELDS, SHORT, actual="ok", aggregation="all_or_nothing")
        assert result.status == "skipped"
        assert result.reasoning == "`fields` must pass, as every member, and was skipped: nothing is expected of this case"
        assert whole({**FIELDS, "weight": 0}, SHORT, actual="ok", aggregation="all_or_nothing").score == 1.0

    def test_a_failure_that_decides_the_score_stays_a_failure_beside_a_skipped_member(self) -> None:
        vetoed = whole({**FIELDS, "required": True}, {**SAFE, "required": True}, actual="password")
        assert (vetoed.status, vetoed.score, vetoed.verdict) == ("scored", 0.0, "fail")
        failed = whole(FIELDS, SAFE, actual="password", aggregation="all_or_nothing")
        assert (failed.status, failed.score, failed.verdict) == ("scored", 0.0, "fail")

    def test_nothing_but_skipped_members_is_skipped(self) -> None:
        result = whole(FIELDS, QUICK, actual={"a": 1})
        assert (result.status, result.verdict) == ("skipped", None)

    def test_a_needed_member_that_is_unavailable_makes_the_whole_unavailable(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "jsonschema", None)
        schema = {"type": "json_schema", "name": "valid", "schema": {}}
        result = whole(SHORT, schema, actual={"a": 1})
        assert (result.status, result.score, result.verdict) == ("unavailable", 0.0, None)
        assert "valid: the package `jsonschema` is not installed" in result.reasoning
        assert result.metrics["member.short"] == 1.0
        assert whole(SHORT, {**schema, "weight": 0}, actual={"a": 1}).status == "scored"
        assert whole(SHORT, {**schema, "weight": 0, "required": True}, actual={"a": 1}).status == "unavailable"

    def test_a_fault_of_a_needed_member_is_ours_and_in_no_mean(self) -> None:
        result = whole(SHORT, QUICK, actual="x", metadata={"latency_ms": "fast"})
        assert (result.status, result.score, result.details["fault"]) == ("error", 0.0, "ours")
        assert result.reasoning.startswith("quick: `metadata.latency_ms` is fast")
        assert result.misses == ["quick: (evaluation error: `metadata.latency_ms` is fast, which is not a valid latency)"]
        assert whole(SHORT, {**QUICK, "weight": 0}, actual="x", metadata={"latency_ms": "fast"}).status == "scored"

    def test_an_output_that_one_member_cannot_read_is_a_zero_for_that_member(self) -> None:
        result = whole(FIELDS, SHORT, expected={"a": 1, "b": 2}, actual="I cannot")
        assert (result.status, result.score) == ("scored", 0.5)
        assert result.misses[0].startswith("fields: a")

    def test_an_output_that_no_member_can_read_is_the_systems_failure(self) -> None:
        result = whole(FIELDS, {"type": "json_schema", "schema": {}}, expected={"a": 1, "b": 2}, actual="I cannot")
        assert (result.status, result.score, result.details["fault"]) == ("error", 0.0, "system")

    def test_no_output_is_the_systems_failure(self) -> None:
        result = whole(SAFE, actual=None)
        assert (result.status, result.score, result.details["fault"]) == ("error", 0.0, "system")


def test_a_member_is_left_out_where_its_when_says_so() -> None:
    planned = plan_config({"type": "composite", "evaluators": [SHORT, {"type": "equals", "value": "a", "when": {"id": "EF_*"}}]})
    cases = Cases.of([Case(id="EF_1", actual="b"), Case(id="2", actual="b"), Case(id="EF_3", actual="a")])
    results = evaluate(planned, ScoringBatch(cases))
    assert results.score.tolist() == [0.5, 1.0, 1.0]
    assert result_at(results, 1).details["members"]["equals"]["reasoning"] == "`when` leaves this case out"


@pytest.mark.parametrize("options", [{"required": True}, {"aggregation": "all_or_nothing"}])
def test_a_member_that_does_not_apply_by_its_when_skips_nothing(options: dict[str, Any]) -> None:
    member = {"type": "equals", "value": "a", "when": {"id": "EF_*"}, **({"required": True} if "required" in options else {})}
    aggregation = {key: value for key, value in options.items() if key != "required"}
    planned = plan_config({"type": "composite", "evaluators": [SHORT, member], **aggregation})
    results = evaluate(planned, ScoringBatch(Cases.of([Case(id="EF_1", actual="a"), Case(id="2", actual="b")])))
    assert [result_at(results, row).status for row in range(2)] == ["scored", "scored"]
    assert results.score.tolist() == [1.0, 1.0]


def test_a_composite_may_be_a_member() -> None:
    inner = {"type": "composite", "name": "text", "evaluators": [SAFE, SHORT], "aggregation": "all_or_nothing"}
    result = whole(inner, FIELDS, expected={"a": 1, "b": 2}, actual={"a": 1, "b": "the password is long"})
    assert result.score == 0.25
    assert 'text: safe: not contains: "password"' in result.misses


def test_a_judge_may_be_a_member() -> None:
    code = 'print(\'{"score": 0.5, "hits": ["read"], "misses": ["short"]}\')'
    judge = {"type": "code_judge", "name": "judge", "script": [sys.executable, "-c", code]}
    result = whole(judge, SHORT, actual="x")
    assert (result.score, result.hits[0], result.misses) == (0.75, "judge: read", ["judge: short"])


def test_a_member_may_be_an_evaluator_of_the_suite_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(json.dumps({"expected": {"a": 1, "b": 2}, "actual": {"a": 1, "b": 3}}) + "\n")
    both = {"type": "composite", "evaluators": ["fields", "short"]}
    suite = {"cases": str(tmp_path / "cases.jsonl"), "evaluators": [both, {**FIELDS, "weight": 3}, SHORT]}
    run = fw.run(suite, root=tmp_path)
    assert run.summary["composite.score"] == pytest.approx((3 * 0.5 + 1) / 4)
    assert run.summary["composite.member.fields"] == run.summary["fields.score"] == 0.5


@pytest.mark.parametrize("name", ["felds", "composite", "absent"])
def test_a_name_that_no_other_evaluator_has_is_refused(name: str, tmp_path: Path) -> None:
    suite = {"cases": "c.jsonl", "evaluators": [FIELDS, {"type": "composite", "evaluators": [name]}]}
    with pytest.raises(ConfigError, match=f"no other evaluator of the suite is called `{name}`"):
        fw.run(suite, root=tmp_path)


def test_what_is_wrong_with_an_evaluator_that_is_named_is_told_once(tmp_path: Path) -> None:
    suite = {"cases": "c.jsonl", "evaluators": [{**FIELDS, "feilds": []}, {"type": "composite", "evaluators": ["fields"]}]}
    with pytest.raises(ConfigError) as raised:
        fw.run(suite, root=tmp_path)
    assert str(raised.value).count("feilds") == 1


def test_rules_are_inferred_for_a_member_without_fields() -> None:
    result = whole({"type": "field_accuracy"}, expected={"a": "Acme Corp", "b": 2}, actual={"a": "Acme Corp.", "b": 2})
    assert result.hits == ["field_accuracy: a", "field_accuracy: b"]


def test_a_run_summarizes_members_and_reports_rules_that_no_case_has(tmp_path: Path) -> None:
    rows = [{"id": str(at), "expected": {"a": 1}, "actual": {"a": at}} for at in (1, 2)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    suite = tmp_path / "a.eval.yaml"
    suite.write_text(
        "cases: cases.jsonl\n"
        "evaluators:\n"
        "  - type: composite\n"
        "    name: all\n"
        "    evaluators:\n"
        "      - {type: field_accuracy, name: fields, fields: [a, {path: nowhere, sparse: true}]}\n"
        "      - {type: is_json, required: true}\n"
        'gate: {all.member.fields: ">= 0.5"}\n'
    )
    run = fw.run(str(suite))
    assert run.summary["all.score"] == 0.75
    assert run.summary["all.member.fields"] == 0.5
    assert [(problem.level, problem.where.field) for problem in run.diagnostics] == [("warning", "nowhere")]
    assert run.exit_code == 0


@pytest.mark.parametrize(
    ("config", "what"),
    [
        ({"evaluators": []}, "`evaluators` must be a list of evaluators"),
        ({"evaluators": "fields"}, "`evaluators` must be a list of evaluators"),
        ({}, "needs `evaluators`"),
        ({"evaluators": [SHORT, SHORT]}, "two evaluators are called `short`"),
        ({"evaluators": [{"type": "lenght", "max": 1}]}, "did you mean `length`"),
        ({"evaluators": [{"type": "length", "maximum": 1}]}, "has no option `maximum`"),
        ({"evaluators": [{**SHORT, "required": "yes"}]}, "`required` must be true or false or a number"),
        ({"evaluators": [{**SHORT, "required": 2}]}, "`required` must be true or false or a number"),
        ({"evaluators": [{**SHORT, "weight": 0}]}, "every member has weight 0"),
        ({"evaluators": [SHORT], "aggregation": "threshold"}, "`aggregation: threshold` needs `threshold`"),
        ({"evaluators": [SHORT], "aggregator": "threshold"}, "did you mean `aggregation`"),
    ],
)
def test_bad_options_are_refused(config: dict[str, Any], what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        fw.evaluate({"type": "composite", **config}, actual="x")


def test_all_problems_of_all_members_are_told_at_once() -> None:
    with pytest.raises(ConfigError) as raised:
        whole({"type": "length"}, {"type": "regex", "value": "("}, {"type": "nothing"})
    assert len(raised.value.diagnostics) == 3


@pytest.mark.parametrize(
    ("config", "valid"),
    [
        ({"evaluators": [SHORT, {**SAFE, "required": 0.5}], "threshold": 0.5}, True),
        ({"evaluators": [{"type": "composite", "evaluators": [{**SHORT, "required": True}]}]}, True),
        ({"evaluators": []}, False),
        ({"evaluators": [{"type": "length", "maximum": 1}]}, False),
        ({"evaluators": [{**SHORT, "required": "yes"}]}, False),
    ],
)
def test_the_schema_of_a_suite_knows_members(config: dict[str, Any], valid: bool) -> None:
    suite = {"evaluators": [{"type": "composite", **config}]}
    assert Draft202012Validator(build_suite_schema()).is_valid(suite) is valid
    assert not Draft202012Validator(build_suite_schema()).is_valid({"evaluators": [{**SHORT, "required": True}]})


def test_problems_of_members_tell_their_line(tmp_path: Path) -> None:
    suite = tmp_path / "a.eval.yaml"
    suite.write_text(
        "cases: cases.jsonl\nevaluators:\n  - type: composite\n    evaluators:\n      - {type: length, maximum: 3}\n"
        "      - type: is_json\n        required: yes please\n"
    )
    with pytest.raises(ConfigError) as raised:
        fw.run(str(suite))
    assert [(problem.where.line, problem.code) for problem in raised.value.diagnostics] == [(5, "unknown-option"), (7, "bad-option")]
