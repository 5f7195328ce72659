"""latency: what a case may take, as its metadata say."""

from math import inf, nan
from typing import Any

import pytest

import fieldwise as fw
from fieldwise import Result


def latency(metadata: Any, actual: Any = "done", **options: Any) -> Result:
    return fw.evaluate({"type": "latency", "max": 800, **options}, actual=actual, metadata=metadata)


def test_within_the_limit_is_one_and_the_limit_is_inclusive() -> None:
    assert latency({"latency_ms": 420}).hits == ["latency (420 ms, at most 800)"]
    assert latency({"latency_ms": 800}).score == 1.0
    assert latency({"latency_ms": 420}).metrics == {"latency_ms": 420}


def test_above_the_limit_is_zero() -> None:
    result = latency({"latency_ms": 1200})
    assert (result.score, result.verdict, result.misses) == (0.0, "fail", ["latency (1200 ms, at most 800)"])


def test_negated_it_must_be_above_the_limit() -> None:
    assert latency({"latency_ms": 1200}, negate=True).score == 1.0
    assert latency({"latency_ms": 420}, negate=True).misses == ["not latency (420 ms, at most 800)"]


def test_the_number_may_stand_elsewhere() -> None:
    assert latency({}, actual={"usage": {"n": 420}}, path="actual.usage.n").score == 1.0


def test_a_case_without_the_number_is_skipped_not_failed() -> None:
    result = latency({})
    assert (result.status, result.verdict) == ("skipped", None)
    assert "metadata.latency_ms" in result.reasoning


@pytest.mark.parametrize("value", ["420", True, nan, inf, -1, 10**400, [1]])
def test_what_is_no_amount_is_a_fault_of_the_data(value: Any) -> None:
    result = latency({"latency_ms": value})
    assert (result.status, result.details["fault"]) == ("error", "ours")


def test_a_case_without_output_adds_nothing_to_the_mean() -> None:
    result = latency({"latency_ms": 420}, actual=None)
    assert (result.status, dict(result.metrics)) == ("error", {})


@pytest.mark.parametrize(("path", "what"), [("meta.latency_ms", "a case has no `meta`"), ("metadata..x", "empty step")])
def test_a_place_that_no_case_has_is_refused(path: str, what: str) -> None:
    with pytest.raises(fw.ConfigError, match=what):
        latency({}, path=path)


def test_a_limit_is_needed() -> None:
    with pytest.raises(fw.ConfigError, match="needs `max`"):
        fw.evaluate({"type": "latency"}, actual="x")
