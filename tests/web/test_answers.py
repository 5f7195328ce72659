"""The page of a case whose answer rests on contexts."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from fieldwise.model.case import Case
from fieldwise.model.result import Result
from fieldwise.web.answers import answers_of, contexts_of

CONTEXTS = [
    {"id": "manual-p2", "text": "The deductible in Ohio is 500 dollars. It applies once per year."},
    "Premiums are rounded to the nearest dollar.",
]
ANSWER = "The deductible in Ohio is 500 dollars. Premiums are rounded to the nearest 750 dollars. Acme Insurance pays in gold."


@pytest.fixture
def page(client: TestClient) -> str:
    case = {"id": "q1", "input": "What is the deductible?", "actual": ANSWER, "contexts": CONTEXTS}
    body = {"cases": [case], "evaluators": [{"type": "grounding"}]}
    run = client.post("/api/v1/evaluate/batch", json=body).json()["run"]["id"]
    return client.get(f"/runs/{run}/case?id=q1").text


def test_each_sentence_says_whether_it_is_supported_and_by_what(page: str) -> None:
    assert "1 of 3 sentences supported by the contexts" in page
    assert page.count('<li class="held">') == 1
    assert page.count('<li class="loose">') == 2
    assert 'rests on <a href="#context-1">context 1</a>' in page
    assert 'nearest is <a href="#context-2">context 2</a>' in page


def test_numbers_and_names_in_no_context_are_marked_where_they_stand(page: str) -> None:
    assert "nearest <mark>750</mark> dollars" in page
    assert "<mark>Acme Insurance</mark> pays" in page
    assert '<mark class="gone">750</mark>' in page


def test_the_passages_that_support_the_answer_are_marked_in_their_context(page: str) -> None:
    assert "<mark>The deductible in Ohio is 500 dollars.</mark> It applies" in page
    assert "id manual-p2" in page
    assert "nothing rests on it" in page


def test_claims_of_a_judge_are_told_with_its_reasons() -> None:
    claims = [
        {"claim": "Ohio has a deductible", "supported": True, "reason": "context 1 says so"},
        {"claim": "It is gold", "supported": False},
    ]
    result = Result(score=0.5, details={"faithfulness": {"claims": claims}, "answer_relevancy": {"not_measured": "no question"}})
    [answer] = answers_of(Case(id="1", contexts=CONTEXTS), {"ragas": result})
    assert (answer.evaluator, answer.what, answer.supported) == ("ragas, faithfulness", "claim", 1)
    assert answer.sentences[0].reasons == ("context 1 says so",)


@pytest.mark.parametrize(
    "details", [{}, {"sentences": []}, {"sentences": "odd"}, {"sentences": [1]}, {"faithfulness": None}, {"faithfulness": 1}]
)
def test_details_of_another_shape_are_nothing_to_tell(details: dict[str, Any]) -> None:
    case = Case(id="1", contexts=["a\u202eb", {"x": 1}, None])
    assert answers_of(case, {"other": Result(details=details)}) == []
    told = contexts_of(case, [])
    assert [piece.name for piece in told[0].pieces if piece.kind == "token"] == ["U+202E right-to-left override"]
    assert len(told) == 3
