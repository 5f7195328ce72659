"""Tests for the cache of compiled configurations."""

from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise import registry
from fieldwise.plan.config_cache import plan_config_once
from fieldwise.read.table_files import load_json


@pytest.fixture(autouse=True, scope="module")
def everything_registered() -> None:
    """Matchers and evaluators are registered when they are first named; a registration makes new plans."""
    registry.MATCHERS.all()
    registry.EVALUATORS.all()


def plan(config: dict[str, Any]) -> Any:
    return plan_config_once(config, load=load_json)


def make_config(**options: Any) -> dict[str, Any]:
    return {"type": "field_accuracy", "fields": [{"path": "total", "match": "numeric_tolerance", **options}]}


def test_equal_configurations_share_one_plan() -> None:
    assert plan(make_config(tolerance=0.5)) is plan(make_config(tolerance=0.5))


def test_numbers_and_booleans_that_are_equal_in_python_are_different_configurations() -> None:
    assert plan(make_config(tolerance=1)) is not plan(make_config(tolerance=1.0))
    with pytest.raises(fw.ConfigError):
        plan(make_config(tolerance=True))


def test_changing_the_callers_mapping_does_not_change_the_plan() -> None:
    config: dict[str, Any] = {"type": "json_quality", "strategies": {"total": "EXACT"}}
    before = plan(config)
    config["strategies"]["total"] = "SEMANTIC"
    again = plan({"type": "json_quality", "strategies": {"total": "EXACT"}})
    assert again is before
    assert plan(config) != before


def test_a_new_registration_is_a_new_plan() -> None:
    before = plan(make_config(tolerance=0.25))
    spec = registry.MATCHERS.find("numeric_tolerance")
    registry.MATCHERS.register(spec)
    after = plan(make_config(tolerance=0.25))
    assert after is not before
    assert after == before


def test_a_file_is_read_again_each_time(tmp_path: Path) -> None:
    file = tmp_path / "strategies.json"
    config = {"type": "json_quality", "strategies": str(file)}
    file.write_text('{"total": "EXACT"}')
    before = plan(config)
    file.write_text('{"total": "SEMANTIC"}')
    assert plan(config) != before


def test_a_configuration_with_other_objects_is_compiled_without_the_cache() -> None:
    class Text(str):
        pass

    assert plan({"type": Text("field_prf")}).type == "field_prf"


def test_a_bad_configuration_is_reported_at_every_call() -> None:
    for _ in range(2):
        with pytest.raises(fw.ConfigError, match="numeric_tolerance"):
            plan(make_config(tolerence=1))


@pytest.mark.parametrize("config", ["field_accuracy", None, ["field_accuracy"], 5])
def test_a_configuration_that_is_no_mapping_is_a_config_error(config: Any) -> None:
    with pytest.raises(fw.ConfigError, match="an evaluator must be a mapping with `type`"):
        fw.evaluate(config, expected={"a": 1}, actual={"a": 1})


def check_suite(tmp_path: Path, evaluator: dict[str, Any]) -> fw.Plan:
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"id": "1", "expected": {"total": 1}, "actual": {"total": 1}}')
    return fw.check({"cases": str(cases), "evaluators": [evaluator]})


def test_suites_share_the_plans_of_equal_evaluators(tmp_path: Path) -> None:
    first, second = (check_suite(tmp_path, make_config(tolerance=0.75)) for _ in range(2))
    assert first.evaluators[0] is second.evaluators[0]


def test_remarks_about_an_evaluator_are_made_for_every_suite(tmp_path: Path) -> None:
    for _ in range(2):
        plan = check_suite(tmp_path, {"type": "field_accuracy", "fields": [{"path": "total", "match": "fuzzy", "threshold": 0}]})
        assert [remark.code for remark in plan.diagnostics] == ["unfailable-option"]


def test_a_composite_names_the_evaluators_of_its_own_suite(tmp_path: Path) -> None:
    composite = {"type": "composite", "evaluators": ["fields"]}
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"id": "1", "expected": {"total": 1}, "actual": {"total": 1}}')
    for tolerance in (0.1, 0.2):
        suite = {"cases": str(cases), "evaluators": [{**make_config(tolerance=tolerance), "name": "fields"}, composite]}
        members: Any = fw.check(suite).evaluators[1].config
        assert members.evaluators[0].evaluator.config.fields[0].match.options.tolerance == tolerance
