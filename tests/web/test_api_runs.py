"""The routes that read what was measured."""

from pathlib import Path
from shutil import copytree
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

import fieldwise as fw
from fieldwise.web.app import create_app
from fieldwise.web.settings import Settings

FIELDS = [{"type": "field_accuracy", "fields": ["a", "b"]}, {"type": "json_quality"}]


def cases(shift: int = 0) -> list[dict[str, Any]]:
    return [
        {
            "id": f"case/{number}?",
            "expected": {"a": number, "b": "x"},
            "actual": {"a": number if number % 3 == shift else -1, "b": "x"},
            "tags": ["odd" if number % 2 else "even"],
            "split": "test" if number > 6 else "train",
        }
        for number in range(9)
    ]


@pytest.fixture(scope="module")
def stored_runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A root with two runs over the same cases, made through the API once for all tests."""
    folder = tmp_path_factory.mktemp("stored")
    client = TestClient(create_app(Settings(root=folder / ".fieldwise", workspace=folder)), base_url="http://127.0.0.1:8787")
    bodies = [{"cases": cases(shift), "evaluators": FIELDS, "name": "numbers"} for shift in (0, 1)]
    return folder / ".fieldwise", [
        client.post("/api/v1/evaluate/batch", json={**body, "store": True}).json()["run"]["id"] for body in bodies
    ]


@pytest.fixture
def runs(stored_runs: tuple[Path, list[str]], workspace: Path) -> list[str]:
    """Two runs over the same cases, in a root of its own."""
    root, ids = stored_runs
    copytree(root, workspace / ".fieldwise")
    return ids


def test_runs_are_listed_newest_first_and_page_by_page(client: TestClient, runs: list[str]) -> None:
    actual = client.get("/api/v1/runs").json()
    assert [entry["id"] for entry in actual["runs"]] == runs[::-1]
    assert client.get("/api/v1/runs?offset=1&limit=1").json()["runs"][0]["id"] == runs[0]
    assert client.get("/api/v1/runs?name=other").json()["total"] == 0


def test_a_run_tells_its_numbers_with_intervals(client: TestClient, runs: list[str]) -> None:
    score = client.get(f"/api/v1/runs/{runs[0]}").json()["summary"]["evaluators"]["field_accuracy"]["metrics"]["score"]
    assert score["value"] == pytest.approx(2 / 3)
    assert score["low"] < score["value"] < score["high"]


@pytest.mark.parametrize(
    ("address", "what", "fix"),
    [
        ("/api/v1/runs?sate=finished", "there is no option `sate`", "did you mean `state`?"),
        ("/api/v1/runs?limit=1&limit=2", "`limit` is sent 2 times", "send it once"),
        ("/api/v1/runs/{0}?results=yes", "there is no option `results`", "leave it out"),
        ("/api/v1/runs/{0}/results?verdct=pass", "there is no option `verdct`", "did you mean `verdict`?"),
        ("/api/v1/runs/{0}/case?id=x&evaluator=a", "there is no option `evaluator`", "leave it out; valid here: `id`"),
        ("/api/v1/compare?base={0}&new={1}&adjust=foo", "there is no option `adjust`", "leave it out; valid here: `base`, `new`"),
        ("/compare?base={0}&new={1}&adjust=foo", "there is no option `adjust`", "leave it out; valid here: `base`, `new`, `wait`"),
        ("/api/v1/jobs?state=running", "there is no option `state`", "leave it out"),
        ("/api/v1/configuration?version=1", "there is no option `version`", "leave it out"),
    ],
)
def test_a_query_parameter_that_does_not_exist_or_is_repeated_is_refused(
    client: TestClient, runs: list[str], address: str, what: str, fix: str
) -> None:
    answer = client.get(address.format(*runs))
    assert answer.status_code == 422
    [diagnostic] = answer.json()["diagnostics"]
    assert (diagnostic["what"], diagnostic["fix"]) == (what, fix)


@pytest.mark.parametrize("address", ["/compare", "/api/v1/compare"])
@pytest.mark.parametrize("query", ["base={1}&new={1}", "base=latest&new=latest", "base={1}&new=latest", "base={1}&new={0}&new={1}"])
def test_a_run_is_not_compared_with_itself(client: TestClient, runs: list[str], address: str, query: str) -> None:
    answer = client.get(f"{address}?{query.format(*runs)}")
    assert answer.status_code == 422
    [diagnostic] = answer.json()["diagnostics"]
    assert (diagnostic["code"], diagnostic["what"]) == ("same-run", f"run {runs[1]} would be compared with itself")


def test_a_run_with_a_damaged_manifest_is_listed_as_unreadable(client: TestClient, runs: list[str], workspace: Path) -> None:
    manifest = workspace / ".fieldwise" / "runs" / runs[0] / "manifest.json"
    manifest.write_bytes(manifest.read_bytes()[:100])
    [listed] = [entry for entry in client.get("/api/v1/runs").json()["runs"] if entry["id"] == runs[0]]
    assert (listed["state"], listed["cases"]) == ("unreadable", 9)
    for state, count in (("unreadable", 1), ("interrupted", 0), ("unfinished", 0), ("finished", 1)):
        assert client.get(f"/api/v1/runs?state={state}").json()["total"] == count, state
    assert "unreadable</span>" in client.get("/runs", headers={"accept": "text/html"}).text
    assert runs[1] not in client.get("/runs?came=unreadable", headers={"accept": "text/html"}).text


def test_a_query_parameter_of_a_post_is_refused(client: TestClient) -> None:
    answer = client.post("/api/v1/evaluate?store=true", json={"expected": {"a": 1}, "actual": {"a": 1}})
    assert (answer.status_code, answer.json()["diagnostics"][0]["what"]) == (422, "there is no option `store`")


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 9),
        ("verdict=pass", 3),
        ("verdict=partial", 6),
        ("high=0.5", 6),
        ("low=0.6&high=1", 3),
        ("text=CASE/1", 1),
        ("tag=odd", 4),
        ("split=test", 2),
        ("tag=odd&split=test", 1),
        ("field=a&outcome=wrong_value", 6),
        ("field=b&outcome=wrong_value", 0),
        ("outcome=wrong", 6),
        ("status=error", 0),
        ("evaluator=json_quality&field=a&outcome=match", 3),
    ],
)
def test_results_are_filtered(client: TestClient, runs: list[str], query: str, count: int) -> None:
    answer = client.get(f"/api/v1/runs/{runs[0]}/results?{query}").json()
    assert (answer["total"], len(answer["results"])) == (count, count)


def test_results_come_in_the_order_and_the_pages_that_are_wanted(client: TestClient, runs: list[str]) -> None:
    address = f"/api/v1/runs/{runs[0]}/results"
    lowest = client.get(f"{address}?order=score&limit=6").json()["results"]
    assert {entry["score"] for entry in lowest} == {0.5}
    pages = [entry["case"] for offset in (0, 4, 8) for entry in client.get(f"{address}?limit=4&offset={offset}").json()["results"]]
    assert pages == [case["id"] for case in cases()]


def test_a_case_is_found_by_its_id_whatever_is_in_it(client: TestClient, runs: list[str]) -> None:
    actual = client.get(f"/api/v1/runs/{runs[0]}/case", params={"id": "case/1?"}).json()
    assert (actual["expected"], actual["tags"], actual["split"]) == ({"a": 1, "b": "x"}, ["odd"], "train")
    assert [entry["evaluator"] for entry in actual["results"]] == ["field_accuracy", "json_quality"]


def test_two_runs_are_compared_case_by_case(client: TestClient, runs: list[str]) -> None:
    actual = client.get("/api/v1/compare", params={"base": runs[0], "new": runs[1]}).json()
    change = actual["evaluators"]["field_accuracy"]
    assert change["fixed"] == ["case/1?", "case/4?", "case/7?"]
    assert change["broken"] == ["case/0?", "case/3?", "case/6?"]
    assert {entry["name"]: entry["verdict"] for entry in change["metrics"]}["field_accuracy.score"] in (
        "no difference shown",
        "not enough cases",
    )


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("/api/v1/runs/20200101-000000-abcdef", "no-run"),
        ("/api/v1/runs/latest/case?id=nobody", "no-case"),
        ("/api/v1/runs/latest/results?evaluator=nobody", "no-evaluator"),
        ("/api/v1/nothing", "not-found"),
    ],
)
def test_what_is_not_there_is_a_problem_with_a_fix(client: TestClient, runs: list[str], address: str, code: str) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert answer.json()["diagnostics"][0]["code"] == code
    assert answer.json()["diagnostics"][0]["fix"]


@pytest.mark.parametrize("run", ["..%2f..%2fetc", "%2e%2e", "..", "x", "20261115*", "latest%00"])
def test_a_run_is_never_a_path(client: TestClient, runs: list[str], run: str) -> None:
    assert client.get(f"/api/v1/runs/{run}").status_code in (404, 422)


@pytest.mark.parametrize("name", ["engine A", "größer", "a+b (2)", "100 %"])
def test_a_run_is_found_by_its_name_whatever_characters_that_has(client: TestClient, workspace: Path, name: str) -> None:
    suite = {"cases": str(workspace / "data" / "cases.jsonl"), "evaluators": [{"type": "field_prf"}]}
    run = fw.run(suite, root=workspace / ".fieldwise", name=name)
    fw.run(suite, root=workspace / ".fieldwise")
    answer = client.get(f"/api/v1/runs/{quote(name)}")
    assert (answer.status_code, answer.json()["run"]["id"]) == (200, run.id)
    for page in (f"/runs/{quote(name)}", f"/compare?base={quote(name)}&new=latest", f"/api/v1/compare?base={quote(name)}"):
        assert client.get(page).status_code == 200


def test_other_methods_are_told_which_there_are(client: TestClient) -> None:
    answer = client.delete("/api/v1/configuration")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, PUT")


HTML = {"accept": "text/html"}


@pytest.fixture
def run(client: TestClient) -> str:
    """A stored run."""
    return client.post("/api/v1/evaluate/path", json={"cases": "cases.jsonl", "store": True}).json()["run"]["id"]


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
    output = client.delete(f"/api/v1/runs/{run}/tags/best").json()
    assert output["status"] == 404
    assert output["diagnostics"][0]["what"] == f"run {run} has no tag `best`"
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
