"""Limits on cost and latency."""

from math import inf, nan
from typing import Any

import pytest

import fieldwise as fw
from fieldwise import Result

LIMITS = {"cost": ("cost_usd", 0.01, "USD"), "latency": ("latency_ms", 800, "ms")}
each_limit = pytest.mark.parametrize("name", list(LIMITS))


def check(name: str, metadata: Any, actual: Any = "done", **options: Any) -> Result:
    return fw.evaluate({"type": name, "max": LIMITS[name][1], **options}, actual=actual, metadata=metadata)


@each_limit
def test_within_the_limit_is_one_and_the_limit_is_inclusive(name: str) -> None:
    metric, limit, unit = LIMITS[name]
    result = check(name, {metric: limit / 4})
    assert result.hits == [f"{name} ({limit / 4:g} {unit}, at most {limit:g})"]
    assert result.metrics == {metric: limit / 4}
    assert check(name, {metric: limit}).score == 1.0


@each_limit
def test_above_the_limit_is_zero(name: str) -> None:
    metric, limit, unit = LIMITS[name]
    result = check(name, {metric: limit * 5})
    assert (result.score, result.verdict, result.misses) == (0.0, "fail", [f"{name} ({limit * 5:g} {unit}, at most {limit:g})"])


@each_limit
def test_negated_it_must_be_above_the_limit(name: str) -> None:
    metric, limit, unit = LIMITS[name]
    assert check(name, {metric: limit * 5}, negate=True).score == 1.0
    assert check(name, {metric: limit / 4}, negate=True).misses == [f"not {name} ({limit / 4:g} {unit}, at most {limit:g})"]


@each_limit
def test_the_path_of_the_number_can_be_chosen(name: str) -> None:
    assert check(name, {}, actual={"usage": {"n": 0.002}}, path="actual.usage.n").score == 1.0


@each_limit
def test_a_case_without_the_number_is_skipped_not_failed(name: str) -> None:
    result = check(name, {})
    assert (result.status, result.verdict) == ("skipped", None)
    assert f"metadata.{LIMITS[name][0]}" in result.reasoning


@each_limit
@pytest.mark.parametrize("value", ["420", True, nan, inf, -1, 10**400, [1]])
def test_an_invalid_amount_is_a_fault_of_the_data(name: str, value: Any) -> None:
    result = check(name, {LIMITS[name][0]: value})
    assert (result.status, result.details["fault"]) == ("error", "ours")


@each_limit
def test_a_case_without_output_adds_nothing_to_the_mean(name: str) -> None:
    result = check(name, {LIMITS[name][0]: 0.002}, actual=None)
    assert (result.status, dict(result.metrics)) == ("error", {})


@each_limit
@pytest.mark.parametrize(("path", "message"), [("meta.value", "a case has no `meta`"), ("metadata..x", "empty step")])
def test_a_path_that_no_case_has_is_refused(name: str, path: str, message: str) -> None:
    with pytest.raises(fw.ConfigError, match=message):
        check(name, {}, path=path)


@each_limit
def test_a_limit_is_required(name: str) -> None:
    with pytest.raises(fw.ConfigError, match="needs `max`"):
        fw.evaluate({"type": name}, actual="x")
