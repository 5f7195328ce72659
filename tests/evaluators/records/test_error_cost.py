"""Cost mode: wrong values in money, as a metric that is gated and compared."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import fieldwise as fw
from fieldwise.cli.app import app

FIELDS: dict[str, Any] = {"type": "field_accuracy", "name": "fields", "fields": ["total", "vendor.name", "items[*].price", "notes"]}
EXPECTED = {"total": 5, "vendor": {"name": "Acme"}, "items": [{"price": 1}, {"price": 2}], "notes": "x"}


def cost_of(actual: object, **options: Any) -> float:
    config = {"type": "error_cost", "prices": {"total": 40, "vendor": 5, "items[*].price": 2}, "evaluators": [FIELDS], **options}
    return float(fw.evaluate(config, expected=EXPECTED, actual=actual).metrics["per_case"])


def suite(**changes: Any) -> dict[str, Any]:
    return {"evaluators": [FIELDS], "cost": {"fields": {"total": 40, "vendor.name": 5, "items": 2}}, **changes}


def test_every_wrong_value_costs_its_price() -> None:
    assert cost_of(EXPECTED) == 0
    assert cost_of(EXPECTED | {"total": 6}) == 40
    assert cost_of(EXPECTED | {"items": [{"price": 7}, {"price": 8}]}) == 4
    assert cost_of(EXPECTED | {"notes": "y"}) == 0
    assert cost_of(EXPECTED | {"notes": "y"}, default=0.5) == 0.5


def test_the_longest_path_that_applies_has_the_price() -> None:
    assert cost_of(EXPECTED | {"vendor": {"name": "?"}}, prices={"vendor": 1, "vendor.name": 3}) == 3
    assert cost_of(EXPECTED | {"items": [{"price": 7}, {"price": 2}]}, prices={"items": 4}) == 4


def test_a_false_accept_is_a_wrong_value_that_was_given() -> None:
    assert cost_of(EXPECTED | {"total": 6}, false_accept=100) == 140
    assert cost_of({key: value for key, value in EXPECTED.items() if key != "total"}, false_accept=100) == 40
    assert cost_of(EXPECTED, false_accept=100) == 0
    assert cost_of(EXPECTED | {"notes": "y"}, false_accept=100) == 0  # a field without a price costs nothing


def test_a_policy_replaces_the_price_of_a_reviewed_value_by_that_of_the_review() -> None:
    def routed(confidence: float, value: int) -> float:
        actual = EXPECTED | {"total": {"value": value, "confidence": confidence}}
        thresholds = {"total": 0.9, "vendor.name": 0.0, "items[*].price": 0.0, "notes": 0.0}
        return cost_of(actual, false_accept=100, review=1, thresholds=thresholds)

    others = 4  # values without a confidence go to review: the vendor, two prices, the notes
    assert routed(0.95, 5) == others
    assert routed(0.95, 6) == others + 140
    assert routed(0.5, 6) == others + 1
    assert routed(0.5, 5) == others + 1


def test_a_case_without_output_costs_every_expected_value() -> None:
    run_cases = [{"id": "a", "expected": EXPECTED, "actual": None}, {"id": "b", "expected": EXPECTED, "actual": EXPECTED}]
    config = {"type": "error_cost", "prices": {"total": 40, "vendor": 5, "items": 2}, "evaluators": [FIELDS]}
    results = [fw.evaluate(config, expected=case["expected"], actual=case["actual"]) for case in run_cases]
    assert [result.metrics["per_case"] for result in results] == [49, 0]
    assert results[0].status == "error"


def test_the_suite_key_is_a_metric_of_the_run_with_an_interval(tmp_path: Path) -> None:
    cases = [{"id": str(n), "expected": EXPECTED, "actual": EXPECTED | ({"total": 6} if n % 4 == 0 else {})} for n in range(20)]
    run = fw.run(suite(), cases=cases, root=tmp_path)
    assert run.summary["cost.per_case"] == 10
    metric = run.full.evaluators["cost"].metrics["per_case"]
    assert metric.low is not None
    assert metric.high is not None
    assert metric.low < 10 < metric.high
    better = fw.run(suite(), cases=[case | {"actual": EXPECTED} for case in cases], root=tmp_path)
    [change] = [change for change in fw.compare(run, better).evaluators["cost"].metrics if change.name == "cost.per_case"]
    assert (change.base, change.new, change.lower_is_better) == (10, 0, True)


def test_inferred_rules_are_priced_too(tmp_path: Path) -> None:
    cases = [{"id": "a", "expected": EXPECTED, "actual": EXPECTED | {"total": 6}}]
    run = fw.run(suite(evaluators=[{"type": "field_accuracy"}]), cases=cases, root=tmp_path)
    assert run.summary["cost.per_case"] == 40


@pytest.mark.parametrize(("gate", "exit_code"), [("<= 40", 0), ("<= 39", 1)])
def test_the_gate_on_cost_decides_the_exit_code(tmp_path: Path, gate: str, exit_code: int) -> None:
    (tmp_path / "cases.jsonl").write_text(json.dumps({"id": "a", "expected": EXPECTED, "actual": EXPECTED | {"total": 6}}))
    (tmp_path / "s.eval.yaml").write_text(json.dumps(suite(cases="cases.jsonl", gate={"cost.per_case": gate})))
    result = CliRunner().invoke(app, ["--root", str(tmp_path / "runs"), "run", str(tmp_path / "s.eval.yaml"), "--format", "plain"])
    assert result.exit_code == exit_code, result.output
    assert "40,000 per 1,000 documents" in result.output


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cost": {"fields": {"total": -1}}}, "`total` must be a number ≥ 0"),
        ({"cost": {"field": {"total": 1}}}, "fields"),
        ({"cost": {}}, "fields"),
        ({"cost": {"fields": {"a..b": 1}}}, "a..b"),
        ({"cost": {"fields": {"total": 1}, "evaluator": "feilds"}}, "did you mean `fields`?"),
        ({"evaluators": [{"type": "length", "max": 5}]}, "compares fields"),
        ({"evaluators": [FIELDS, {"type": "cost", "max": 5}]}, "an evaluator is called `cost`"),
        ({"cost": {"fields": {"total": 1}}, "gate": {"cost.per_cse": "<= 1"}}, "did you mean `per_case`?"),
    ],
)
def test_mistakes_are_configuration_errors(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(fw.ConfigError) as error:
        fw.check(suite(**changes), cases=[{"expected": EXPECTED, "actual": EXPECTED}])
    assert message in str(error.value)


def test_a_gate_on_cost_without_prices_says_what_to_write() -> None:
    with pytest.raises(fw.ConfigError) as error:
        fw.check({"evaluators": [FIELDS], "gate": {"cost.per_case": "<= 1"}}, cases=[{"expected": EXPECTED}])
    assert "cost: {fields: {total: 40}}" in str(error.value)


def test_a_price_for_a_field_that_no_case_has_is_an_error(tmp_path: Path) -> None:
    cases = [{"id": "a", "expected": EXPECTED, "actual": EXPECTED}]
    run = fw.run(suite(cost={"fields": {"totl": 40}}), cases=cases, root=tmp_path)
    assert any("totl" in diagnostic.what for diagnostic in run.diagnostics)


def test_cost_may_rank_systems_otherwise_than_f1(tmp_path: Path) -> None:
    """The system with the better F1 is the more expensive one: its errors are in the expensive field."""
    records = [{"total": number, "vendor": {"name": f"V{number}"}, "notes": f"n{number}"} for number in range(20)]
    careless = [record | {"notes": "?", "vendor": {"name": "?"}} if n < 8 else record for n, record in enumerate(records)]
    misread = [record | {"total": 99} if n < 8 else record for n, record in enumerate(records)]
    prices = {"fields": {"total": 40, "vendor.name": 5, "notes": 0.1}}
    runs = []
    for actuals in (careless, misread):
        cases = [{"id": str(n), "expected": records[n], "actual": actual} for n, actual in enumerate(actuals)]
        runs.append(fw.run({"evaluators": [{"type": "field_prf"}], "cost": prices}, cases=cases, root=tmp_path))
    first, second = (run.summary for run in runs)
    assert first["field_prf.micro_f1"] < second["field_prf.micro_f1"]
    assert first["cost.per_case"] < second["cost.per_case"]
    assert (round(first["cost.per_case"], 4), round(second["cost.per_case"], 4)) == (2.04, 16.0)


def test_the_policy_of_the_suite_decides_what_is_reviewed(tmp_path: Path) -> None:
    fields = {
        "total": {"threshold": 0.9, "n": 50, "accepted": 40, "bound": 0.01},
        "vendor": {"threshold": None, "n": 50, "accepted": 0, "bound": None},
    }
    made_from = {"run": "r", "suite": "s", "data": "d"}
    policy = {"version": 1, "max_error": 0.05, "level": 0.95, "fields": fields, "made_from": made_from}
    (tmp_path / "policy.json").write_text(json.dumps(policy))
    cases = [
        {"id": "accepted", "expected": {"total": 1, "vendor": "a"}, "actual": {"total": {"value": 2, "confidence": 0.95}, "vendor": "a"}},
        {"id": "reviewed", "expected": {"total": 1, "vendor": "a"}, "actual": {"total": {"value": 2, "confidence": 0.2}, "vendor": "b"}},
    ]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    written = {
        "cases": "cases.jsonl",
        "policy": "policy.json",
        "evaluators": [{"type": "field_accuracy", "name": "fields", "fields": ["total", "vendor"]}],
        "cost": {"fields": {"total": 40, "vendor": 5}, "false_accept": 100, "review": 1},
    }
    (tmp_path / "s.eval.yaml").write_text(json.dumps(written))
    run = fw.run(tmp_path / "s.eval.yaml", root=tmp_path / "runs")
    costs = {stored.case: stored.metrics["per_case"] for stored in run.results("cost")}
    assert costs == {"accepted": 141, "reviewed": 2}
