"""The page of a case whose answer rests on contexts."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import fieldwise as fw
from fieldwise.model.case import Case
from fieldwise.model.result import Result
from fieldwise.report.result_text import describe_cause
from fieldwise.web.pages_case import find_moved_items, join_differences, make_panel, mark_contexts, read_answer_support

CONTEXTS = [
    {"id": "manual-p2", "text": "The deductible in Ohio is 500 dollars. It applies once per year."},
    "Premiums are rounded to the nearest dollar.",
]
ANSWER = "The deductible in Ohio is 500 dollars. Premiums are rounded to the nearest 750 dollars. Acme Insurance pays in gold."


@pytest.fixture
def page(client: TestClient) -> str:
    case = {"id": "q1", "input": "What is the deductible?", "actual": ANSWER, "contexts": CONTEXTS}
    body = {"cases": [case], "evaluators": [{"type": "grounding", "by": "words"}]}
    run = client.post("/api/v1/evaluate/batch", json={**body, "store": True}).json()["run"]["id"]
    return client.get(f"/runs/{run}/case?id=q1").text


def test_each_sentence_says_whether_it_is_supported_and_by_what(page: str) -> None:
    assert "1 of 3 sentences supported by the contexts" in page
    assert page.count('<li class="held">') == 1
    assert page.count('<li class="loose">') == 2
    assert 'supported by <a href="#context-1">context 1</a>' in page
    assert 'most similar: <a href="#context-2">context 2</a>' in page


def test_numbers_and_names_in_no_context_are_marked_where_they_stand(page: str) -> None:
    assert "nearest <mark>750</mark> dollars" in page
    assert "<mark>Acme Insurance</mark> pays" in page
    assert '<mark class="gone">750</mark>' in page


def test_the_passages_that_support_the_answer_are_marked_in_their_context(page: str) -> None:
    assert "<mark>The deductible in Ohio is 500 dollars.</mark> It applies" in page
    assert "id manual-p2" in page
    assert "supports no sentence" in page


def test_a_case_with_tool_calls_has_a_page(client: TestClient) -> None:
    case = {"id": "c1", "expected": ["search", "fetch"], "actual": ["search", "mail"]}
    body = {"cases": [case], "evaluators": [{"type": "tool_trajectory"}], "store": True}
    run = client.post("/api/v1/evaluate/batch", json=body).json()["run"]["id"]
    page = client.get(f"/runs/{run}/case?id=c1")
    assert page.status_code == 200
    assert "missing: fetch" in page.text


def test_arguments_of_tool_calls_that_differ_are_shown_with_both_values(client: TestClient) -> None:
    expected = [{"tool": "book", "args": {"bags": 11}}, {"tool": "send", "args": {}}]
    case = {"id": "c1", "expected": expected, "actual": [{"tool": "book", "args": {"bags": 70}}]}
    body = {"cases": [case], "evaluators": [{"type": "tool_trajectory"}], "store": True}
    run = client.post("/api/v1/evaluate/batch", json=body).json()["run"]["id"]
    page = client.get(f"/runs/{run}/case?id=c1").text
    assert "<del>11</del>" in page
    assert "<ins>70</ins>" in page
    assert "missing: send" in page


def test_fields_that_both_sides_lack_are_not_values_as_expected(client: TestClient) -> None:
    rules = [{"path": name, "match": "exact"} for name in ("a", "b", "c")]
    cases = [
        {"id": "1", "expected": {"a": 1, "b": None}, "actual": {"a": 1, "b": None, "c": None}},
        {"id": "2", "expected": {"c": 1}, "actual": {}},
    ]
    body = {"cases": cases, "evaluators": [{"type": "field_accuracy", "fields": rules}], "store": True}
    run = client.post("/api/v1/evaluate/batch", json=body).json()["run"]["id"]
    assert "1 value as expected, 2 fields absent on both sides" in client.get(f"/runs/{run}/case?id=1").text


def test_claims_of_a_judge_are_told_with_its_reasons() -> None:
    claims = [
        {"claim": "Ohio has a deductible", "supported": True, "reason": "context 1 says so"},
        {"claim": "It is gold", "supported": False},
    ]
    result = Result(score=0.5, details={"faithfulness": {"claims": claims}, "answer_relevancy": {"not_measured": "no question"}})
    [answer] = read_answer_support(Case(id="1", contexts=CONTEXTS), {"ragas": result})
    assert (answer.evaluator, answer.unit, answer.supported) == ("ragas, faithfulness", "claim", 1)
    assert answer.sentences[0].reasons == ("context 1 says so",)


@pytest.mark.parametrize(
    "details", [{}, {"sentences": []}, {"sentences": "odd"}, {"sentences": [1]}, {"faithfulness": None}, {"faithfulness": 1}]
)
def test_details_of_another_shape_are_nothing_to_tell(details: dict[str, Any]) -> None:
    case = Case(id="1", contexts=["a\u202eb", {"x": 1}, None])
    assert read_answer_support(case, {"other": Result(details=details)}) == []
    output = mark_contexts(case, [])
    assert [piece.name for piece in output[0].pieces if piece.kind == "token"] == ["U+202E right-to-left override"]
    assert len(output) == 3


LINES = [{"sku": "a", "n": 1}, {"sku": "b", "n": 2}, {"sku": "c", "n": 3}]


def compared(expected: Any, actual: Any, align: Any) -> dict[str, str]:
    path = "lines" if isinstance(expected, dict) else ""
    fields = [f"{path}[*].sku", f"{path}[*].n"]
    result = fw.evaluate({"type": "field_accuracy", "fields": fields, "lists": {path or "$": align}}, expected=expected, actual=actual)
    return find_moved_items(actual, result.comparisons)


@pytest.mark.parametrize("align", [{"align": "best"}, {"align": "key", "key": "sku"}])
def test_an_item_that_moved_says_where_it_came(align: Any) -> None:
    actual = {"lines": [LINES[2], LINES[0], {**LINES[1], "n": 7}]}
    assert compared({"lines": LINES}, actual, align) == {"lines[0]": "lines[1]", "lines[1]": "lines[2]", "lines[2]": "lines[0]"}


def test_items_at_their_places_say_nothing() -> None:
    assert compared({"lines": LINES}, {"lines": [*LINES[:2], {"sku": "x", "n": 9}]}, {"align": "index"}) == {}


def test_equal_items_are_not_taken_for_moved() -> None:
    same = [{"sku": "a", "n": 1}] * 3
    assert compared({"lines": same}, {"lines": same}, {"align": "best"}) == {}


def test_an_output_without_the_list_has_nothing_to_tell() -> None:
    for actual in ({}, {"lines": None}, {"lines": "a"}, "text", None):
        assert compared({"lines": LINES}, actual, {"align": "best"}) == {}


def test_a_difference_is_shown_once_with_the_evaluators_that_report_it() -> None:
    sides = {"expected": {"a": 1, "b": 2}, "actual": {"a": 1, "b": 3}}
    panels = [make_panel(name, fw.evaluate({"type": name}, **sides), {}) for name in ("field_accuracy", "field_prf")]
    [row] = join_differences(panels)
    assert (row.path, row.evaluators) == ("b", ("field_accuracy", "field_prf"))


def test_the_same_advice_is_given_once_for_a_case(client: TestClient, workspace: Path) -> None:
    names = {"first": "Acme", "second": "Beta", "third": "Gamma"}
    rows = [{"id": "a", "expected": names, "actual": {key: value.upper() for key, value in names.items()}}]
    run = fw.run({"name": "s", "evaluators": [{"type": "field_prf"}]}, cases=rows, root=workspace / ".fieldwise")
    page = client.get(f"/runs/{run.id}/case?id=a").text
    assert page.count("<span>letter case</span>") == 3
    advice = describe_cause("letter_case", "exact")[1].split("`")[0]
    assert page.count(advice) == 1


def test_the_headline_of_a_case_has_the_score_of_every_evaluator(client: TestClient, workspace: Path) -> None:
    evaluators = [{"type": "field_prf"}, {"type": "llm_judge", "prompt": "Is it kind?"}]
    cases = [{"id": "a", "expected": {"x": 1, "y": 2}, "actual": {"x": 1, "y": 3}}]
    run = fw.run({"name": "s", "evaluators": evaluators}, cases=cases, root=workspace / ".fieldwise").id
    page = client.get(f"/runs/{run}/case?id=a").text
    headline = page[page.index("<h1") : page.index("differences-title")]
    assert '<a href="#e-1">field_prf <b class="num">0.500</b>' in headline
    assert '<a href="#e-2">llm_judge unavailable</a>' in headline


def test_a_miss_that_repeats_the_reasoning_is_left_out(client: TestClient, workspace: Path) -> None:
    cases = [{"id": "a", "expected": "x", "actual": None}]
    run = fw.run({"name": "s", "evaluators": [{"type": "answer_quality"}]}, cases=cases, root=workspace / ".fieldwise").id
    page = client.get(f"/runs/{run}/case?id=a").text
    assert page.count("the output is null") == 1


def test_both_boxes_are_drawn_if_only_one_side_names_the_page(client: TestClient, workspace: Path) -> None:
    total = {"value": 170, "confidence": 0.9, "page": 1, "box": [0.1, 0.2, 0.3, 0.25]}
    metadata = {"expected_boxes": {"total": [0.5, 0.2, 0.7, 0.25]}}
    cases = [{"id": "a", "expected": {"total": 107}, "actual": {"total": total}, "metadata": metadata}]
    suite = {"name": "s", "evaluators": [{"type": "field_accuracy", "fields": ["total"]}]}
    run = fw.run(suite, cases=cases, root=workspace / ".fieldwise").id
    page = client.get(f"/runs/{run}/case?id=a&field=total").text
    assert [f">{side}</text>" in page for side in ("expected", "actual")] == [True, True]


def test_an_image_that_does_not_state_its_size_is_not_shown_below_the_boxes(client: TestClient, workspace: Path) -> None:
    image = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'></svg>"
    cases = [{"id": "a", "expected": [1, 1, 5, 5], "actual": [1, 1, 5, 5], "metadata": {"image": image}}]
    run = fw.run({"name": "s", "evaluators": [{"type": "iou_score"}]}, cases=cases, root=workspace / ".fieldwise").id
    page = client.get(f"/runs/{run}/case?id=a").text
    assert "it does not state its size in pixels" in page
    assert "<image " not in page


def test_many_differences_of_a_case_are_folded(client: TestClient) -> None:
    case = {"id": "a", "expected": {"l": list(range(100))}, "actual": {"l": list(range(1, 101))}}
    body = {"cases": [case], "evaluators": [{"type": "field_prf"}], "store": True}
    run = client.post("/api/v1/evaluate/batch", json=body).json()["run"]["id"]
    page = client.get(f"/runs/{run}/case?id=a").text
    shown, _, folded = page.partition("<summary>60 more differences</summary>")
    assert (shown.count('data-label="expected"'), folded.count('data-label="expected"')) == (40, 60)
