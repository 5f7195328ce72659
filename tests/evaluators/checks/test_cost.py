"""cost: what a case may take, as its metadata say."""

from math import inf, nan
from typing import Any

import pytest

import fieldwise as fw
from fieldwise import Result


def cost(metadata: Any, actual: Any = "done", **options: Any) -> Result:
    return fw.evaluate({"type": "cost", "max": 0.01, **options}, actual=actual, metadata=metadata)


def test_within_the_limit_is_one_and_the_limit_is_inclusive() -> None:
    assert cost({"cost_usd": 0.002}).hits == ["cost (0.002 USD, at most 0.01)"]
    assert cost({"cost_usd": 0.01}).score == 1.0
    assert cost({"cost_usd": 0.002}).metrics == {"cost_usd": 0.002}


def test_above_the_limit_is_zero() -> None:
    result = cost({"cost_usd": 0.05})
    assert (result.score, result.verdict, result.misses) == (0.0, "fail", ["cost (0.05 USD, at most 0.01)"])


def test_negated_it_must_be_above_the_limit() -> None:
    assert cost({"cost_usd": 0.05}, negate=True).score == 1.0
    assert cost({"cost_usd": 0.002}, negate=True).misses == ["not cost (0.002 USD, at most 0.01)"]


def test_the_number_may_stand_elsewhere() -> None:
    assert cost({}, actual={"usage": {"n": 0.002}}, path="actual.usage.n").score == 1.0


def test_a_case_without_the_number_is_skipped_not_failed() -> None:
    result = cost({})
    assert (result.status, result.verdict) == ("skipped", None)
    assert "metadata.cost_usd" in result.reasoning


@pytest.mark.parametrize("value", ["0.002", True, nan, inf, -1, 10**400, [1]])
def test_what_is_no_amount_is_a_fault_of_the_data(value: Any) -> None:
    result = cost({"cost_usd": value})
    assert (result.status, result.details["fault"]) == ("error", "ours")


def test_a_case_without_output_adds_nothing_to_the_mean() -> None:
    result = cost({"cost_usd": 0.002}, actual=None)
    assert (result.status, dict(result.metrics)) == ("error", {})


@pytest.mark.parametrize(("path", "what"), [("meta.cost_usd", "a case has no `meta`"), ("metadata..x", "empty step")])
def test_a_place_that_no_case_has_is_refused(path: str, what: str) -> None:
    with pytest.raises(fw.ConfigError, match=what):
        cost({}, path=path)


def test_a_limit_is_needed() -> None:
    with pytest.raises(fw.ConfigError, match="needs `max`"):
        fw.evaluate({"type": "cost"}, actual="x")
