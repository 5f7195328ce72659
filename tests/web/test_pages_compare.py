"""The matrix of the compare page: cases by runs."""

import json
import re
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import fieldwise as fw


@pytest.fixture
def runs(workspace: Path) -> list[str]:
    """Three runs of two cases: the first has `a` wrong, the second `b`, the third nothing."""
    ids: list[str] = []
    for name, actuals in {"old": ("z", "y"), "middle": ("x", "z"), "new": ("x", "y")}.items():
        cases = [{"id": key, "expected": {"v": "xy"[place]}, "actual": {"v": actuals[place]}} for place, key in enumerate("ab")]
        path = workspace / f"{name}.jsonl"
        path.write_text("".join(json.dumps(case) + "\n" for case in cases))
        suite = {"name": "s", "cases": str(path), "evaluators": [{"type": "field_accuracy", "fields": [{"path": "v"}]}]}
        ids.append(fw.run(suite, root=workspace / ".fieldwise", name=name).id)
    return ids


def test_the_matrix_shows_the_expected_value_and_what_each_run_gave(client: TestClient, runs: list[str]) -> None:
    fixed = client.get("/compare/cases", params={"run": runs}).text
    assert 'aria-pressed="true" hx-get="/compare/cases?run=' in fixed
    assert "1 to 1 of 1 case" in fixed
    body = fixed[fixed.index("<tbody") : fixed.index("</table>")]
    cells = [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in re.findall(r"<td data-label[^>]*>(.*?)</td>", body, re.DOTALL)]
    assert [cell.replace(" ", "").replace('"', "") for cell in cells][:1] == ["x"]
    assert "z" in cells[1]
    assert [cell.endswith("match") for cell in cells] == [False, False, True, True]
    assert [label in fixed for label in ("old", "middle", "new")] == [True] * 3


def test_the_matrix_can_show_broken_cases_and_all(client: TestClient, runs: list[str]) -> None:
    broken = client.get("/compare/cases", params={"run": [runs[0], runs[1]], "show": "broken"}).text
    assert ">b</a>" in broken
    assert ">a</a>" not in broken
    every = client.get("/compare/cases", params={"run": runs, "show": "all"}).text
    assert "1 to 2 of 2 cases" in every


def test_the_compare_page_loads_the_matrix_of_all_its_runs(client: TestClient, runs: list[str]) -> None:
    page = client.get("/compare", params={"base": runs[0], "new": runs[1:]}).text.replace("&amp;", "&")
    assert f"/compare/cases?run={runs[0]}&run={runs[1]}&run={runs[2]}" in page
    page = client.get("/compare", params={"base": runs[0], "new": runs[1]}).text.replace("&amp;", "&")
    assert f"/compare/cases?run={runs[0]}&run={runs[1]}" in page


def test_the_verdict_comes_before_the_cases(client: TestClient, runs: list[str]) -> None:
    page = client.get("/compare", params={"base": runs[0], "new": runs[2]}).text
    verdict = page[page.index("verdicts-title") : page.index("cases-title")]
    assert "0.500 → 1.000" in verdict
    assert "1 fixed, 0 broken, 0 still broken" in verdict
    ranking = client.get("/compare", params={"base": runs[0], "new": runs[1:]}).text
    assert ranking.index("Ranking by field_accuracy") < ranking.index("cases-title")


def test_runs_without_a_common_evaluator_have_no_matrix(client: TestClient, runs: list[str], workspace: Path) -> None:
    other_run = fw.run({"cases": str(workspace / "old.jsonl"), "evaluators": [{"type": "field_prf"}]}, root=workspace / ".fieldwise").id
    assert client.get("/compare/cases", params={"run": [runs[0], other_run]}).status_code == 404


def test_a_large_comparison_shows_its_progress_and_then_its_result(
    client: TestClient, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fieldwise.web import pages_runs

    rows = [{"id": str(n), "expected": {"a": n}, "actual": {"a": n}} for n in range(8)]
    suite = {"name": "large", "evaluators": [{"type": "field_prf"}]}
    base, new = (fw.run(suite, cases=rows, root=workspace / ".fieldwise").id for _ in range(2))
    monkeypatch.setattr(pages_runs, "LARGE_CASES", 8)
    address = f"/compare?base={base}&new={new}"
    with client:
        page = client.get(address).text
        assert "<progress" in page
        assert f"{address.replace('&', '&amp;')}&amp;wait=yes" in page
        for _ in range(200):
            answer = client.get(address, headers={"hx-request": "true"})
            if answer.headers.get("hx-refresh"):
                break
            assert "<progress" in answer.text
            time.sleep(0.05)
        assert answer.headers["hx-refresh"] == "true"
        assert "<progress" not in client.get(address).text


def test_a_large_comparison_can_be_waited_for_without_scripts(client: TestClient, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fieldwise.web import pages_runs

    rows = [{"id": str(n), "expected": {"a": n}, "actual": {"a": n}} for n in range(8)]
    ids = [fw.run({"name": "l", "evaluators": [{"type": "field_prf"}]}, cases=rows, root=workspace / ".fieldwise").id for _ in range(3)]
    monkeypatch.setattr(pages_runs, "LARGE_CASES", 8)
    page = client.get(f"/compare?base={ids[0]}&new={ids[1]}&new={ids[2]}&wait=yes").text
    assert "<progress" not in page
    assert "Ranking by field_prf" in page


def test_the_ranking_names_runs_as_the_matrix_does(client: TestClient, workspace: Path) -> None:
    ids = []
    for name, value in (("first", "z"), ("second", "x"), ("third", "x")):
        path = workspace / f"{name}.jsonl"
        rows = [{"id": str(number), "expected": {"v": "x"}, "actual": {"v": value}} for number in range(30)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        suite = {"name": "s", "cases": str(path), "evaluators": [{"type": "field_accuracy", "fields": [{"path": "v"}]}]}
        ids.append(fw.run(suite, root=workspace / ".fieldwise").id)
    page = client.get("/compare", params={"base": ids[0], "new": ids[1:]}).text
    ranking = page[page.index("Ranking by field_accuracy") : page.index("cases-title")]
    assert f'<a href="/runs/{ids[1]}">second.jsonl</a> <span class="note id">{ids[1]}</span>' in ranking
    assert "<td>first.jsonl</td>" in ranking


def test_runs_of_one_file_are_told_apart_by_their_time(client: TestClient, workspace: Path) -> None:
    path = workspace / "same.jsonl"
    path.write_text(json.dumps({"id": "a", "expected": {"v": 1}, "actual": {"v": 2}}) + "\n")
    suite = {"name": "s", "cases": str(path), "evaluators": [{"type": "field_accuracy", "fields": ["v"]}]}
    runs = [fw.run(suite, root=workspace / ".fieldwise") for _ in range(2)]
    same_second = f"{runs[0].started:%c}" == f"{runs[1].started:%c}"
    matrix = client.get("/compare/cases", params={"run": [run.id for run in runs]}).text
    heads = re.findall(r'<th scope="col"><a href="[^"]*">([^<]*)</a>', matrix)
    assert heads == [f"same.jsonl · {run.id if same_second else f'{run.started:%-d %b %H:%M:%S}'}" for run in runs]
