"""Tags of runs, by the API and on the page of a run."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

HTML = {"accept": "text/html"}


@pytest.fixture
def run(client: TestClient) -> str:
    """A stored run."""
    return client.post("/api/v1/evaluate/path", json={"cases": "cases.jsonl"}).json()["run"]["id"]


def test_a_tag_is_given_and_taken_by_the_api(client: TestClient, run: str) -> None:
    assert client.put(f"/api/v1/runs/{run}/tags/prompt-v2").json() == {"id": run, "tags": ["prompt-v2"]}
    assert client.put("/api/v1/runs/latest/tags/best").json() == {"id": run, "tags": ["best", "prompt-v2"]}
    assert client.put(f"/api/v1/runs/{run}/tags/best").json()["tags"] == ["best", "prompt-v2"]
    assert client.get("/api/v1/runs/best").json()["run"]["id"] == run
    assert client.delete(f"/api/v1/runs/{run}/tags/best").json()["tags"] == ["prompt-v2"]
    assert client.get("/api/v1/runs?tag=prompt-v2").json()["total"] == 1


@pytest.mark.parametrize(("tag", "status"), [("latest", 422), ("2026", 422), ("a b", 422), ("x" * 65, 422)])
def test_what_cannot_be_a_tag_is_refused(client: TestClient, run: str, tag: str, status: int) -> None:
    assert client.put(f"/api/v1/runs/{run}/tags/{tag}").status_code == status
    assert client.get(f"/api/v1/runs/{run}").json()["tags"] == []


def test_a_tag_that_a_run_does_not_have_cannot_be_taken(client: TestClient, run: str) -> None:
    told = client.delete(f"/api/v1/runs/{run}/tags/best").json()
    assert told["status"] == 404
    assert told["diagnostics"][0]["what"] == f"run {run} has no tag `best`"
    assert client.put("/api/v1/runs/20200101-000000-abcdef/tags/best").status_code == 404


def test_a_page_tags_a_run_without_scripts(client: TestClient, run: str) -> None:
    done = client.post(f"/runs/{run}/tags", data={"add": " best "}, headers=HTML, follow_redirects=False)
    assert (done.status_code, done.headers["location"]) == (303, f"/runs/{run}")
    assert 'aria-label="Remove the tag best"' in client.get(f"/runs/{run}").text
    client.post(f"/runs/{run}/tags", data={"remove": "best"}, headers=HTML)
    assert 'aria-label="Remove the tag best"' not in client.get(f"/runs/{run}").text
    wrong = client.post(f"/runs/{run}/tags", data={"add": "<b>"}, headers=HTML)
    assert wrong.status_code == 422
    assert "<code>&lt;b&gt;</code> cannot be a tag: a tag begins with a letter" in wrong.text


def test_another_site_cannot_tag_a_run(client: TestClient, run: str, workspace: Path) -> None:
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert client.post(f"/runs/{run}/tags", data={"add": "best"}, headers=headers).status_code == 403
        assert client.put(f"/api/v1/runs/{run}/tags/best", headers=headers).status_code == 403
    assert not (workspace / ".fieldwise" / "runs" / run / "tags").exists()


def test_a_stranger_cannot_tag_a_run(client: TestClient, stranger: TestClient, run: str) -> None:
    assert stranger.put(f"/api/v1/runs/{run}/tags/best").status_code == 401
    assert stranger.post(f"/runs/{run}/tags", data={"add": "best"}).status_code == 401
    assert client.get(f"/api/v1/runs/{run}").json()["tags"] == []
