"""The review page: what it shows, what it writes, and who may."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import fieldwise as fw

HTML = {"accept": "text/html"}
CASES: list[dict[str, Any]] = [
    {
        "id": "a",
        "input": "Total due: 6.00 EUR, by Ann",
        "expected": {"total": 5.0, "name": "Ann"},
        "actual": {"total": 6.0, "name": "Anne"},
        "metadata": {"boxes": {"total": [0.1, 0.2, 0.3, 0.4]}, "pages": {"total": 1}},
    },
    {"id": "b<i>", "expected": {"total": 7.0, "name": "<script>1</script>"}, "actual": {"total": 7.0, "name": "Rob"}},
]


@pytest.fixture
def run(workspace: Path) -> Any:
    file = workspace / "data" / "review_cases.jsonl"
    file.write_text("".join(json.dumps(case) + "\n" for case in CASES))
    suite = {"name": "r", "cases": str(file), "evaluators": [{"type": "field_prf"}]}
    return fw.run(suite, root=workspace / ".fieldwise")


def _decide(client: TestClient, query: str = "", **form: str) -> Any:
    sent = {"choice": "take_actual", "case": "a", "path": "total", **form}
    return client.post(f"/review?run=latest{query}", data=sent, headers=HTML, follow_redirects=False)


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_the_page_shows_one_comparison_with_its_place(client: TestClient, run: Any) -> None:
    page = client.get("/review?source=disagreements", headers=HTML)
    assert page.status_code == 200
    assert "0</b> of <b" in page.text
    assert 'value="a"' in page.text
    at_total = client.get(f"/review?run={run.id}&source=disagreements&at=1", headers=HTML).text
    assert '<mark class="of-actual" title="actual"><bdi class="value">6.00</bdi>' in at_total
    assert "page 1, box 0.1 0.2 0.3 0.4" in at_total
    assert "The value of expected is not in the source text" in at_total


def test_a_decision_is_written_beside_the_data_and_leads_to_the_next(client: TestClient, run: Any, workspace: Path) -> None:
    answer = _decide(client, by="Ann")
    assert answer.status_code == 303
    assert "at=" in answer.headers["location"]
    [correction] = _lines(workspace / "data" / "corrections.jsonl")
    assert (correction["action"], correction["value"], correction["by"]) == ("replace", 6.0, "Ann")
    [decision] = _lines(workspace / "data" / "review.jsonl")
    assert decision["decision"] == "expected_wrong"
    assert _decide(client, choice="undo", by="Ann").status_code == 303
    assert _lines(workspace / "data" / "corrections.jsonl")[-1]["action"] == "undo"


def test_a_comparison_that_was_decided_meanwhile_is_not_overwritten(client: TestClient, run: Any, workspace: Path) -> None:
    _decide(client, by="Ann")
    _decide(client, choice="actual_wrong", by="Bob")
    assert len(_lines(workspace / "data" / "review.jsonl")) == 1


def test_a_typed_value_of_the_wrong_kind_is_refused_with_the_reason(client: TestClient, run: Any, workspace: Path) -> None:
    answer = _decide(client, choice="type", typed="six")
    assert answer.status_code == 409
    assert "is not JSON" in answer.text
    assert not (workspace / "data" / "corrections.jsonl").exists()


def test_a_typed_value_keeps_its_lines(client: TestClient, run: Any, workspace: Path) -> None:
    _decide(client, choice="type", path="name", typed="Ann\r\nMain St")  # as browsers send a text of two lines
    assert _lines(workspace / "data" / "corrections.jsonl")[0]["value"] == "Ann\nMain St"


def test_blind_mode_names_no_side(client: TestClient, run: Any, workspace: Path) -> None:
    for at in (0, 1, 2):
        page = client.get(f"/review?blind=yes&at={at}", headers=HTML).text
        shown = page[page.index('<div id="review"') :].lower()
        for word in ("expected", "actual", "<ins", "<del"):
            assert word not in shown, (at, word)
    decisions = {}
    for choice in ("first_right", "second_right"):
        _decide(client, "&blind=yes", choice=choice, by=choice)
        decisions[choice] = _lines(workspace / "data" / "review.jsonl")[-1]["decision"]
        _decide(client, "&blind=yes", choice="undo", by=choice)
    assert sorted(decisions.values()) == ["actual_wrong", "expected_wrong"]


@pytest.mark.parametrize(
    ("query", "status"), [("source=nonsense", 422), ("run=00000000-000000", 404), ("sample=2", 422), ("source=low-confidence", 200)]
)
def test_an_address_with_a_mistake_is_refused(client: TestClient, run: Any, query: str, status: int) -> None:
    assert client.get(f"/review?{query}", headers=HTML).status_code == status


def test_values_and_ids_are_text(client: TestClient, run: Any) -> None:
    page = client.get("/review?source=disagreements&at=2", headers=HTML).text
    assert "<script>1" not in page
    assert "b<i>" not in page


def test_strangers_and_other_sites_write_nothing(client: TestClient, stranger: TestClient, run: Any, workspace: Path) -> None:
    assert stranger.post("/review", data={"choice": "skip"}).status_code == 401
    foreign = client.post("/review", data={"choice": "skip", "case": "a", "path": "total"}, headers={"origin": "http://elsewhere.example"})
    assert foreign.status_code == 403
    assert not (workspace / "data" / "review.jsonl").exists()


def test_a_run_without_files_cannot_be_reviewed_and_says_why(client: TestClient, workspace: Path) -> None:
    fw.run({"name": "m", "evaluators": [{"type": "field_prf"}]}, cases=CASES, root=workspace / ".fieldwise")
    answer = client.get("/review", headers=HTML)
    assert answer.status_code == 422
    assert "not in local files" in answer.text


@pytest.mark.parametrize("route", ["", "/batch", "/upload"])
def test_a_stored_request_can_be_reviewed_and_tried_under_other_options(client: TestClient, workspace: Path, route: str) -> None:
    case = {"id": "x", "expected": {"a": "Acme Corp"}, "actual": {"a": "Acme Carp"}}
    rules = [{"type": "field_accuracy", "name": "fields", "fields": [{"path": "a", "match": "fuzzy", "threshold": 0.99}]}]
    options = {"evaluators": rules, "store": True}
    address = f"/api/v1/evaluate{route}"
    if route == "/upload":
        answer = client.post(address, files={"file": ("a.jsonl", json.dumps(case).encode())}, data={"options": json.dumps(options)})
    else:
        answer = client.post(address, json={**options, **({"cases": [case]} if route else case)})
    stored = answer.json()["run"]
    run_id = stored["id"] if route else stored
    [source] = fw.open_run(run_id, root=workspace / ".fieldwise").sources
    assert (source.file, source.bytes) == ("<request>", None)

    assert client.get("/review").status_code == 200
    _decide(client, choice="take_actual", case="x", path="a")
    [correction] = _lines(workspace / f"corrections-{run_id}.jsonl")
    assert (correction["case"], correction["value"]) == ("x", "Acme Carp")
    assert not (workspace / "corrections.jsonl").exists()

    tried = client.post(f"/api/v1/runs/{run_id}/what-if", json={"set": ["fields.a.threshold=0.5"]})
    assert (tried.status_code, tried.json()["flip_count"]) == (200, 1)
    assert "fields.a.threshold" in client.get(f"/runs/{run_id}/what-if").text


def test_a_field_leads_to_its_place_from_the_case_page(client: TestClient, run: Any) -> None:
    page = client.get(f"/runs/{run.id}/case?id=a", headers=HTML).text
    assert "field=total#place" in page
    place = client.get(f"/runs/{run.id}/case?id=a&field=total", headers=HTML).text
    assert "The place of total on page 1" in place
    assert "no page, box or source text" in client.get(f"/runs/{run.id}/case?id=b%3Ci%3E&field=name", headers=HTML).text


def test_the_source_text_is_shown_even_if_no_value_is_in_it(client: TestClient, workspace: Path) -> None:
    case = {"id": "a", "input": "Signed by both parties.", "expected": {"signed": True}, "actual": {"signed": "no"}}
    file = workspace / "data" / "signed.jsonl"
    file.write_text(json.dumps(case) + "\n")
    fw.run({"name": "signed", "cases": str(file), "evaluators": [{"type": "field_prf"}]}, root=workspace / ".fieldwise")
    page = client.get("/review?run=latest&source=disagreements", headers=HTML).text
    assert "Signed by both parties." in page
    assert "The value of actual is not in the source text" in page
