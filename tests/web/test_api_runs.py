"""The routes that read what was measured."""

from typing import Any

import pytest
from starlette.testclient import TestClient

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


@pytest.fixture
def runs(client: TestClient) -> list[str]:
    """Two runs over the same cases."""
    bodies = [{"cases": cases(shift), "evaluators": FIELDS, "name": "numbers"} for shift in (0, 1)]
    return [client.post("/api/v1/evaluate/batch", json=body).json()["run"]["id"] for body in bodies]


def test_runs_are_listed_newest_first_and_page_by_page(client: TestClient, runs: list[str]) -> None:
    found = client.get("/api/v1/runs").json()
    assert [one["id"] for one in found["runs"]] == runs[::-1]
    assert client.get("/api/v1/runs?offset=1&limit=1").json()["runs"][0]["id"] == runs[0]
    assert client.get("/api/v1/runs?name=other").json()["total"] == 0


def test_a_run_tells_its_numbers_with_intervals(client: TestClient, runs: list[str]) -> None:
    score = client.get(f"/api/v1/runs/{runs[0]}").json()["summary"]["evaluators"]["field_accuracy"]["metrics"]["score"]
    assert score["value"] == pytest.approx(2 / 3)
    assert score["low"] < score["value"] < score["high"]


@pytest.mark.parametrize(
    ("query", "found"),
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
def test_results_are_filtered(client: TestClient, runs: list[str], query: str, found: int) -> None:
    answer = client.get(f"/api/v1/runs/{runs[0]}/results?{query}").json()
    assert (answer["total"], len(answer["results"])) == (found, found)


def test_results_come_in_the_order_and_the_pages_that_are_wanted(client: TestClient, runs: list[str]) -> None:
    address = f"/api/v1/runs/{runs[0]}/results"
    lowest = client.get(f"{address}?order=score&limit=6").json()["results"]
    assert {one["score"] for one in lowest} == {0.5}
    pages = [one["case"] for offset in (0, 4, 8) for one in client.get(f"{address}?limit=4&offset={offset}").json()["results"]]
    assert pages == [case["id"] for case in cases()]


def test_a_case_is_found_by_its_id_whatever_is_in_it(client: TestClient, runs: list[str]) -> None:
    found = client.get(f"/api/v1/runs/{runs[0]}/case", params={"id": "case/1?"}).json()
    assert (found["expected"], found["tags"], found["split"]) == ({"a": 1, "b": "x"}, ["odd"], "train")
    assert [one["evaluator"] for one in found["results"]] == ["field_accuracy", "json_quality"]


def test_two_runs_are_compared_case_by_case(client: TestClient, runs: list[str]) -> None:
    found = client.get("/api/v1/compare", params={"base": runs[0], "new": runs[1]}).json()
    change = found["evaluators"]["field_accuracy"]
    assert change["fixed"] == ["case/1?", "case/4?", "case/7?"]
    assert change["broken"] == ["case/0?", "case/3?", "case/6?"]
    assert {one["name"]: one["verdict"] for one in change["metrics"]}["field_accuracy.score"] in ("no difference shown", "not enough cases")


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


def test_other_methods_are_told_which_there_are(client: TestClient) -> None:
    answer = client.delete("/api/v1/configuration")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, PUT")
