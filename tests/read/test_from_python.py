"""Cases that a Python program gives."""

import math
from typing import Any

import pytest

import fieldwise as fw

RECORDS = ("field_accuracy", "field_prf", "json_quality")


def endless() -> dict[str, Any]:
    record: dict[str, Any] = {"a": 1}
    record["self"] = [record]
    return record


@pytest.mark.parametrize("kind", RECORDS)
def test_an_output_that_contains_itself_is_the_systems_failure(kind: str) -> None:
    result = fw.evaluate({"type": kind}, expected={"a": 1}, actual=endless())
    assert (result.score, result.status, result.details["fault"]) == (0.0, "error", "system")
    assert result.reasoning == "the output contains itself, so it has no end"
    assert list(result.misses) == ["a (required, missing)"]


@pytest.mark.parametrize("kind", RECORDS)
def test_an_expected_record_that_contains_itself_is_our_fault(kind: str) -> None:
    result = fw.evaluate({"type": kind}, expected=endless(), actual={"a": 1})
    assert (result.score, result.status, result.details["fault"]) == (0.0, "error", "ours")
    assert list(result.misses) == ["(evaluation error: what is expected contains itself, so it has no end)"]


def test_several_outputs_of_which_one_has_no_end_are_no_output() -> None:
    result = fw.evaluate({"type": "json_quality"}, expected={"a": 1}, actuals=[{"a": 1}, endless()])
    assert (result.status, result.reasoning) == ("error", "one of the outputs contains itself, so it has no end")


@pytest.mark.parametrize("kind", RECORDS)
def test_a_record_of_a_type_that_json_does_not_know_is_named(kind: str) -> None:
    result = fw.evaluate({"type": kind}, expected={"a": 1}, actual=object())  # pyright: ignore[reportArgumentType]
    assert (result.status, result.reasoning) == ("error", "the output is of the type `object`, which JSON does not know")


def test_a_model_that_cannot_be_written_is_unreadable() -> None:
    class Broken:
        def model_dump(self) -> None:
            raise RuntimeError("no connection")

    result = fw.evaluate({"type": "field_prf"}, expected={"a": 1}, actual=Broken())  # pyright: ignore[reportArgumentType]
    assert (result.status, result.reasoning) == ("error", "the output cannot be written as JSON: no connection")


def test_a_difference_is_never_denied_where_nothing_could_be_compared() -> None:
    outcome = fw.diff(endless(), {"a": 1})
    assert not outcome.same
    assert str(outcome).startswith("not compared: what is expected contains itself")
    assert str(fw.diff("no JSON", {"a": 1})).startswith("not compared: the expected data cannot be read")


def test_a_match_of_a_value_without_end_is_a_fault_of_that_row_alone() -> None:
    outcome = fw.match("exact", expected=["a", endless(), None], actual=["a", "b", None])
    assert outcome.value[[0, 2]].tolist() == [1.0, 1.0]
    assert math.isnan(outcome.value[1])
    assert not outcome.passed[1]
    assert outcome.faults[1].what == "a value contains itself, so it has no end"


@pytest.mark.parametrize(
    ("part", "name"), [("input", "the input"), ("contexts", "one of the contexts"), ("metadata", "one of the metadata")]
)
def test_a_case_of_which_any_part_has_no_end_is_our_fault(part: str, name: str) -> None:
    value: Any = [endless()] if part == "contexts" else endless()
    result = fw.evaluate({"type": "field_prf"}, expected={"a": 1}, actual={"a": 1}, **{part: value})
    assert (result.status, result.details["fault"], result.reasoning) == ("error", "ours", f"{name} contains itself, so it has no end")


def test_one_context_need_not_stand_in_a_list() -> None:
    text: Any = "The premium is $604."
    alone = fw.evaluate({"type": "grounding"}, actual="The premium is $604.", contexts=text)
    listed = fw.evaluate({"type": "grounding"}, actual="The premium is $604.", contexts=[text])
    assert (alone.score, alone.details) == (listed.score, listed.details) == (1.0, listed.details)


def test_a_part_in_two_places_does_not_contain_itself() -> None:
    shared = ["a"]
    result = fw.evaluate(
        {"type": "field_accuracy", "fields": ["x", "y"]}, expected={"x": shared, "y": shared}, actual={"x": ["a"], "y": ["b"]}
    )
    assert (result.score, result.hits, result.misses) == (0.5, ["x"], ["y"])
