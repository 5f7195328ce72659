"""Names of checks as people know them from other tools."""

import pytest

import fieldwise as fw
from fieldwise import registry
from fieldwise.plan.foreign_names import _CALLED


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("not-contains", "write `{type: contains, negate: true}`"),
        ("not_icontains_any", "write `{type: icontains, mode: any, negate: true}`"),
        ("not-is-json", "write `{type: is_json, negate: true}`"),
        ("contains-json", "write `{type: is_json, anywhere: true}`"),
        ("llm-rubric", "write `{type: llm_judge, rubric: […]}`"),
        ("similar", "write `{type: similarity}`"),
        ("starts-with", "did you mean `starts_with`?"),
        ("not-llm-rubric", "valid here"),
    ],
)
def test_a_name_from_elsewhere_is_told_what_to_write_and_never_its_opposite(name: str, fix: str) -> None:
    with pytest.raises(fw.ConfigError) as error:
        fw.evaluate({"type": name, "value": "x"}, actual="x")
    [found] = error.value.diagnostics
    assert found.what == f"there is no evaluator type `{name}`"
    assert fix in (found.fix or "")


@pytest.mark.parametrize("name", _CALLED)
def test_what_is_suggested_exists(name: str) -> None:
    kind, options = _CALLED[name]
    known = set(registry.EVALUATORS.find(kind).options.__dataclass_fields__)
    assert set(options) <= known | {"script", "metrics"}
