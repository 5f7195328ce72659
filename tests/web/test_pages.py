"""The pages without a browser: runs that are not whole, addresses that are wrong, forms without scripts."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import fieldwise as fw
from fieldwise.web.configuration import STRATEGIES
from fieldwise.web.icons import sparkline

HTML = {"accept": "text/html"}
SUITE = {"name": "numbers", "evaluators": [{"type": "field_accuracy", "fields": ["a", "b"]}]}


def interrupted(workspace: Path) -> str:
    """A run that stopped after its first batch."""

    def stop(done: int, share: float | None) -> None:
        raise RuntimeError("stop here")

    with pytest.raises(RuntimeError):
        fw.run(SUITE, cases=str(workspace / "data" / "cases.jsonl"), root=workspace / ".fieldwise", progress=stop, chunk=2)
    [folder] = (workspace / ".fieldwise" / "runs").iterdir()
    return folder.name


def test_a_run_that_did_not_finish_has_a_page(client: TestClient, workspace: Path) -> None:
    run = interrupted(workspace)
    assert "unfinished" in client.get("/runs", headers=HTML).text
    page = client.get(f"/runs/{run}", headers=HTML)
    assert page.status_code == 200
    assert "the run did not end" in page.text
    assert client.get("/runs?came=unfinished").text.count(f"/runs/{run}") > 0
    assert client.get("/runs?came=passed").text.count(f"/runs/{run}") == 0


def test_a_run_whose_files_are_torn_is_told_and_the_others_are_there(client: TestClient, workspace: Path) -> None:
    run = client.post("/api/v1/evaluate/path", json={"cases": "cases.jsonl"}).json()["run"]["id"]
    other = client.post("/api/v1/evaluate/path", json={"cases": "cases.jsonl"}).json()["run"]["id"]
    (workspace / ".fieldwise" / "runs" / run / "manifest.json").write_text('{"format": ')
    assert other in client.get("/runs", headers=HTML).text
    answer = client.get(f"/api/v1/runs/{run}")
    assert (answer.status_code, answer.json()["diagnostics"][0]["code"]) == (409, "unreadable-run")
    for part in (workspace / ".fieldwise" / "runs" / other / "parts").glob("*.parquet"):
        part.write_bytes(b"torn")
    assert client.get(f"/api/v1/runs/{other}/results").status_code in (409, 503)


def test_a_wrong_address_gets_a_page_that_says_so(client: TestClient) -> None:
    page = client.get("/runs/20200101-000000-abcdef", headers=HTML)
    assert page.status_code == 404
    assert "there are no runs" in page.text
    assert client.get("/nowhere", headers=HTML).status_code == 404


def test_an_empty_store_says_how_to_begin(client: TestClient) -> None:
    assert "fieldwise demo" in client.get("/runs").text
    assert "There are no runs yet" in client.get("/compare").text


def test_forms_work_without_scripts(client: TestClient, workspace: Path) -> None:
    saved = client.post(
        "/configuration", data={"field": ["name", ""], "strategy": ["FUZZY", "EXACT"], "fuzzy_threshold": "0,9"}, headers=HTML
    )
    assert saved.status_code == 200
    assert "Saved." in saved.text
    assert json.loads((workspace / STRATEGIES).read_text()) == {"name": "FUZZY"}
    tested = client.post("/test", data={"expected": '{"a": 1}', "actual": '```json\n{"a": 1}\n```', "keep": "yes"}, headers=HTML)
    assert "Kept as run" in tested.text
    assert "a record is looked for in the text" in tested.text


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"field": ["a", "a"], "strategy": ["EXACT", "FUZZY"]}, "is there twice"),
        ({"field": ["a"], "strategy": ["MAYBE"]}, "must be one of"),
        ({"w_accuracy": "much"}, "must be a number"),
        ({"version": "old"}, "changed in the meantime"),
    ],
)
def test_a_form_that_is_wrong_keeps_what_was_written(client: TestClient, workspace: Path, data: dict[str, Any], told: str) -> None:
    page = client.post("/configuration", data=data, headers=HTML)
    assert page.status_code in (409, 422)
    assert told in page.text
    assert not (workspace / STRATEGIES).exists()


def test_slices_of_cases_are_filters(client: TestClient) -> None:
    cases = [{"id": f"c{n}", "expected": {"a": n}, "actual": {"a": n}, "tags": ["odd"] if n % 2 else [], "split": "test"} for n in range(4)]
    run = client.post("/api/v1/evaluate/batch", json={"cases": cases}).json()["run"]["id"]
    assert "2 cases" in client.get(f"/runs/{run}/cases?slice=tag:odd").text
    assert "4 cases" in client.get(f"/runs/{run}/cases?slice=split:test").text
    assert "0 cases" in client.get(f"/runs/{run}/cases?slice=tag:none").text


def test_a_line_of_scores_leaves_gaps_where_there_are_none() -> None:
    drawn = str(sparkline([0.5, None, 1.0], "<b>"))
    assert drawn.count(",") == 2
    assert "&lt;b&gt;" in drawn
    assert "<circle" not in str(sparkline([None]))
