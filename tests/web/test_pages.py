"""The pages without a browser: runs that are not whole, addresses that are wrong, forms without scripts."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import fieldwise as fw
from fieldwise.store.checksums import dump_sealed, load_sealed
from fieldwise.store.run_names import add_tags
from fieldwise.web.configuration import STRATEGIES_FILE
from fieldwise.web.render import draw_sparkline

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


def test_a_run_that_did_not_finish_has_a_page_that_says_how_to_go_on(client: TestClient, workspace: Path) -> None:
    run = interrupted(workspace)
    assert "interrupted" in client.get("/runs", headers=HTML).text
    page = client.get(f"/runs/{run}", headers=HTML)
    assert page.status_code == 200
    assert "2 cases are stored" in page.text
    assert f"fw.run(suite, resume=&#39;{run}&#39;)" in page.text
    for came, count in (("unfinished", 1), ("interrupted", 1), ("running", 0), ("passed", 0)):
        assert (f'href="/runs/{run}"' in client.get(f"/runs?came={came}").text) == bool(count), came
    assert client.get("/api/v1/runs?state=interrupted").json()["runs"][0]["cases"] == 2


def test_a_run_that_another_process_writes_is_running_and_then_it_is_not(client: TestClient, workspace: Path) -> None:
    seen: list[dict[str, Any]] = []

    def look(done: int, share: float | None) -> None:
        if not seen:
            [line] = client.get("/api/v1/runs?state=running").json()["runs"]
            seen.extend((line, {"page": client.get(f"/runs/{line['id']}").text, "list": client.get("/runs").text}))

    run = fw.run(SUITE, cases=str(workspace / "data" / "cases.jsonl"), root=workspace / ".fieldwise", progress=look)
    assert seen[0]["id"] == run.id
    assert f'data-events="/events/{run.id}"' in seen[1]["page"]
    assert "No case is stored yet" in seen[1]["list"]
    assert client.get(f"/api/v1/runs/{run.id}").json()["state"] == "finished"
    assert "data-events" not in client.get(f"/runs/{run.id}").text
    output = client.get(f"/events/{run.id}").text
    assert json.loads(output.split("data: ")[-1]) == {"key": "finished", "html": "", "more": False}


def test_every_metric_of_a_run_has_its_line(client: TestClient) -> None:
    runs = [client.post("/api/v1/evaluate/path", json={"cases": "cases.jsonl", "store": True}).json()["run"]["id"] for _ in range(2)]
    metrics = client.get(f"/api/v1/runs/{runs[1]}").json()["summary"]["metrics"]
    output = client.get(f"/runs/{runs[1]}/metrics").text
    assert output.count("<svg") == len(metrics)
    assert "json_quality.completeness in the last 2 runs" in output
    chosen = client.get("/runs?metric=json_quality.completeness").text
    assert "json_quality.completeness in the last 2 runs" in chosen
    assert "in the last 1 runs" not in chosen  # a dot alone tells nothing
    assert "<h2>json_quality.completeness of " in chosen


def test_tags_of_runs_are_shown_and_filter(client: TestClient, workspace: Path) -> None:
    runs = [client.post("/api/v1/evaluate/path", json={"cases": "cases.jsonl", "store": True}).json()["run"]["id"] for _ in range(2)]
    add_tags(workspace / ".fieldwise" / "runs" / runs[0], ["release-1"])
    page = client.get("/runs?tag=release-1").text
    assert runs[0] in page
    assert runs[1] not in page
    assert "release-1" in client.get(f"/runs/{runs[0]}").text
    assert client.get("/runs/release-1").status_code == 200
    assert [entry["id"] for entry in client.get("/api/v1/runs?tag=release-1").json()["runs"]] == [runs[0]]


def test_a_run_of_another_format_does_not_hide_the_others(client: TestClient, workspace: Path) -> None:
    run, second = (client.post("/api/v1/evaluate/path", json={"cases": "cases.jsonl", "store": True}).json()["run"]["id"] for _ in range(2))
    manifest = workspace / ".fieldwise" / "runs" / run / "manifest.json"
    manifest.write_bytes(dump_sealed({**load_sealed(manifest.read_bytes()), "format": 99}))
    assert second in client.get("/runs", headers=HTML).text
    assert client.get(f"/api/v1/runs/{run}").status_code == 409


def test_a_run_whose_files_are_torn_is_told_and_the_others_are_there(client: TestClient, workspace: Path) -> None:
    run = client.post("/api/v1/evaluate/path", json={"cases": "cases.jsonl", "store": True}).json()["run"]["id"]
    second = client.post("/api/v1/evaluate/path", json={"cases": "cases.jsonl", "store": True}).json()["run"]["id"]
    (workspace / ".fieldwise" / "runs" / run / "manifest.json").write_text('{"format": ')
    assert second in client.get("/runs", headers=HTML).text
    answer = client.get(f"/api/v1/runs/{run}")
    assert (answer.status_code, answer.json()["diagnostics"][0]["code"]) == (409, "unreadable-run")
    for part in (workspace / ".fieldwise" / "runs" / second / "parts").glob("*.parquet"):
        part.write_bytes(b"torn")
    assert client.get(f"/api/v1/runs/{second}/results").status_code in (409, 503)


def test_a_wrong_address_gets_a_page_that_says_so(client: TestClient) -> None:
    page = client.get("/runs/20200101-000000-abcdef", headers=HTML)
    assert page.status_code == 404
    assert "there are no runs" in page.text
    assert client.get("/nowhere", headers=HTML).status_code == 404


def test_a_page_that_is_not_there_leads_back_and_names_no_call_of_the_api(client: TestClient) -> None:
    run = client.post("/api/v1/evaluate/path", json={"cases": "cases.jsonl", "store": True}).json()["run"]["id"]
    for address, ways in (
        ("/nowhere", ["/runs"]),
        ("/runs/20200101-000000-abcdef", ["/runs"]),
        (f"/runs/{run}/case?id=nobody", [f"/runs/{run}", "/runs"]),
        (f"/runs/{run}?evaluator=nobody", ["/runs"]),
    ):
        page = client.get(address, headers=HTML)
        assert page.status_code == 404, address
        assert "GET /api" not in page.text, address
        assert all(f'href="{way}">' in page.text for way in ways), address
    assert "GET /api/v1/runs" in client.get("/api/v1/runs/20200101-000000-abcdef").text


def test_an_empty_store_says_how_to_begin(client: TestClient) -> None:
    for address in ("/runs", "/compare"):
        page = client.get(address).text
        assert "There are no runs yet" in page
        assert "fieldwise demo" in page
        assert "<select" not in page, "there is nothing to choose from"


def test_a_comparison_says_what_it_lacks(client: TestClient, workspace: Path) -> None:
    first = client.post("/api/v1/evaluate/path", json={"cases": "cases.jsonl", "store": True}).json()["run"]["id"]
    assert "There is only" in client.get("/compare").text
    second = fw.run(SUITE, cases=str(workspace / "data" / "cases.jsonl"), root=workspace / ".fieldwise")
    assert "No suite has two runs yet" in client.get("/compare").text
    assert "no evaluator in common" in client.get(f"/compare?base={first}&new={second.id}").text
    (workspace / "more.jsonl").write_text('{"id": "z", "expected": {"a": 1}, "actual": {"a": 1}}\n')
    apart = fw.run(SUITE, cases=str(workspace / "more.jsonl"), root=workspace / ".fieldwise")
    assert "No case was measured in both runs" in client.get(f"/compare?base={second.id}&new={apart.id}").text


def test_what_nobody_could_measure_is_no_failure_and_has_no_score(client: TestClient, workspace: Path) -> None:
    lines = [
        '{"id": "good", "expected": {"a": 1}, "actual": {"a": 1}}',
        '{"id": "none", "expected": {"a": 1}, "actual": null}',
        '{"id": "cut", ',
    ]
    (workspace / "cut.jsonl").write_text("\n".join(lines) + "\n")
    run = fw.run(
        {"name": "cut", "evaluators": [{"type": "field_prf"}, {"type": "llm_judge", "prompt": "Is it kind?"}]},
        cases=str(workspace / "cut.jsonl"),
        root=workspace / ".fieldwise",
    )
    cases = client.get(f"/runs/{run.id}/cases?evaluator=field_prf").text
    assert cases.count('chip v-fault">fault<') == 1
    assert cases.count('chip v-fail">fail<') == 1
    assert cases.count('<span class="none">–</span>') == 1
    judged = client.get(f"/runs/{run.id}/case?id=good").text
    assert '<span class="chip v-unavailable">unavailable</span> </h2>' in judged
    page = client.get(f"/runs/{run.id}", headers=HTML).text
    assert page.index('id="diagnostics"') < page.index('id="summary"'), "why it is incomplete comes before what it measured"
    assert '<a href="#diagnostics">why</a>' in page


def test_counts_of_a_case_are_whole_numbers(client: TestClient, workspace: Path) -> None:
    suite = {"name": "counts", "evaluators": [{"type": "field_prf"}]}
    run = fw.run(suite, cases=str(workspace / "data" / "cases.jsonl"), root=workspace / ".fieldwise")
    page = client.get(f"/runs/{run.id}/case?id=c-3").text
    assert '<span class="note">true_positives</span> <b class="num">1</b>' in page
    assert '<span class="note">precision</span> <b class="num">0.500</b>' in page


def test_the_api_has_a_page_that_names_every_call(client: TestClient) -> None:
    page = client.get("/api").text
    for path, methods in client.get("/api/v1/openapi.json").json()["paths"].items():
        assert page.count(f'<code class="path">{path}</code>') == len(methods), path


def test_forms_work_without_scripts(client: TestClient, workspace: Path) -> None:
    saved = client.post(
        "/configuration", data={"field": ["name", ""], "strategy": ["FUZZY", "EXACT"], "fuzzy_threshold": "0,9"}, headers=HTML
    )
    assert saved.status_code == 200
    assert "Saved." in saved.text
    assert json.loads((workspace / STRATEGIES_FILE).read_text()) == {"name": "FUZZY"}
    tested = client.post("/test", data={"expected": '{"a": 1}', "actual": '```json\n{"a": 1}\n```', "store": "yes"}, headers=HTML)
    assert "Stored as run" in tested.text
    assert "searches the text for a record" in tested.text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"field": ["a", "a"], "strategy": ["EXACT", "FUZZY"]}, "is listed twice"),
        ({"field": ["a"], "strategy": ["MAYBE"]}, "must be one of"),
        ({"w_accuracy": "much"}, "must be a number"),
        ({"version": "old"}, "changed in the meantime"),
    ],
)
def test_a_form_that_is_wrong_keeps_what_was_written(client: TestClient, workspace: Path, data: dict[str, Any], message: str) -> None:
    page = client.post("/configuration", data=data, headers=HTML)
    assert page.status_code in (409, 422)
    assert message in page.text
    assert not (workspace / STRATEGIES_FILE).exists()


def test_slices_of_cases_are_filters(client: TestClient) -> None:
    cases = [{"id": f"c{n}", "expected": {"a": n}, "actual": {"a": n}, "tags": ["odd"] if n % 2 else [], "split": "test"} for n in range(4)]
    run = client.post("/api/v1/evaluate/batch", json={"store": True, "cases": cases}).json()["run"]["id"]
    assert "2 cases" in client.get(f"/runs/{run}/cases?slice=tag:odd").text
    assert "4 cases" in client.get(f"/runs/{run}/cases?slice=split:test").text
    assert "0 cases" in client.get(f"/runs/{run}/cases?slice=tag:none").text


def test_a_line_of_scores_leaves_gaps_where_there_are_none() -> None:
    drawn = str(draw_sparkline([0.5, 0.6, None, 0.9, 1.0], "<b>"))
    assert drawn.count("<polyline") == 2
    assert "&lt;b&gt;" in drawn
    assert "<circle" not in str(draw_sparkline([None]))
    assert "<polyline" not in str(draw_sparkline([0.5]))


def test_a_line_of_counts_spans_its_height() -> None:
    assert 'points="4.0,18.0 80.0,4.0"' in str(draw_sparkline([100, 400]))
    assert 'points="4.0,11.0 80.0,11.0"' in str(draw_sparkline([7, 7]))


def test_runs_and_compare_name_the_run_and_its_data(client: TestClient, workspace: Path) -> None:
    for name in ("engine A", "engine B"):
        fw.run(SUITE, cases=str(workspace / "data" / "cases.jsonl"), root=workspace / ".fieldwise", name=name)
    for address in ("/runs", "/compare"):
        page = client.get(address, headers=HTML).text
        assert "engine A" in page
        assert "engine B" in page
    assert "cases.jsonl" in client.get("/runs", headers=HTML).text


def test_the_name_of_the_plan_leads_to_the_test_page(client: TestClient) -> None:
    assert client.get("/test-evaluations", headers=HTML, follow_redirects=False).headers["location"] == "/test"


def test_export_gives_the_strategies_on_the_screen(client: TestClient) -> None:
    exported = client.post("/configuration/export", data={"field": "name", "strategy": "FUZZY"}, headers=HTML)
    assert exported.json() == {"name": "FUZZY"}
    assert client.get("/configuration/export").json() == {}


def test_forbidden_words_of_the_form_are_saved_as_safety(client: TestClient) -> None:
    client.post("/configuration", data={"safety_words": "damn, hell"}, headers=HTML)
    assert client.get("/api/v1/configuration").json()["configuration"]["safety"] == {"words": ["damn", "hell"]}
    assert 'value="damn, hell"' in client.get("/configuration", headers=HTML).text


def test_the_heatmap_of_a_large_run_is_loaded_afterwards(client: TestClient, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fieldwise.web import pages_run

    rows = [{"id": str(n), "expected": {"a": n}, "actual": {"a": n % 2}} for n in range(6)]
    run = fw.run({"name": "l", "evaluators": [{"type": "field_prf"}]}, cases=rows, root=workspace / ".fieldwise").id
    monkeypatch.setattr(pages_run, "DEFERRED_CASES", 6)
    page = client.get(f"/runs/{run}").text
    assert "data-heatmap" not in page
    assert f'hx-get="/runs/{run}/heatmap"' in page
    fragment = client.get(f"/runs/{run}/heatmap")
    assert "data-heatmap" in fragment.text
    assert "hx-replace-url" not in fragment.headers
    assert "data-heatmap" in client.get(f"/runs/{run}?from=1").text


FAULTY = [
    {"id": "right", "expected": {"a": 1}, "actual": {"a": 1}},
    {"id": "wrong", "expected": {"a": 1}, "actual": {"a": 2}},
    {"id": "unread", "expected": "{", "actual": {"a": 1}},
]


def test_the_numbers_of_a_card_lead_to_the_cases_with_that_verdict(client: TestClient, workspace: Path) -> None:
    run = fw.run({"name": "faulty", "evaluators": [{"type": "field_prf"}]}, cases=FAULTY, root=workspace / ".fieldwise").id
    page = client.get(f"/runs/{run}", headers=HTML).text.replace("&amp;", "&")
    for verdict, case in (("pass", "right"), ("fail", "wrong"), ("fault", "unread")):
        address = f"/runs/{run}?evaluator=field_prf&verdict={verdict}"
        assert f'href="{address}#cases"' in page
        listed = client.get(address.replace("?", "/cases?")).text
        assert "1 case, 1 to 1" in listed
        assert f">{case}</a>" in listed


def test_a_run_without_fields_offers_neither_a_heatmap_nor_filters_by_field(client: TestClient, workspace: Path) -> None:
    cases = [{"id": "q1", "expected": "500 dollars", "actual": "It is 500 dollars."}]
    run = fw.run({"name": "answers", "evaluators": [{"type": "answer_quality"}]}, cases=cases, root=workspace / ".fieldwise").id
    page = client.get(f"/runs/{run}", headers=HTML).text
    assert 'id="cases"' in page
    assert 'id="heatmap"' not in page
    assert 'name="field"' not in page
    assert 'name="outcome"' not in page


def test_an_invalid_run_shows_its_problem_once_and_no_list_of_cases(client: TestClient, workspace: Path) -> None:
    (workspace / "dates.jsonl").write_text('{"id": "a", "expected": {"due": "soon"}, "actual": {"due": "soon"}}\n')
    suite = workspace / "dates.eval.yaml"
    rule = "{path: due, match: date}"
    suite.write_text(f"name: dates\ncases: dates.jsonl\nevaluators:\n  - {{type: field_accuracy, fields: [{rule}]}}\n")
    run = fw.run(suite, root=workspace / ".fieldwise").id
    page = client.get(f"/runs/{run}", headers=HTML).text
    assert page.count("can read none of the 1 expected values") == 1
    assert '<a href="#unread">why</a>' in page
    assert 'id="cases"' not in page
    assert 'id="heatmap"' not in page


def test_long_values_are_cut_in_the_list_of_cases_and_whole_on_the_page_of_the_case(client: TestClient, workspace: Path) -> None:
    words = " ".join(f"word{number}" for number in range(60))
    cases = [{"id": "long", "expected": {"text": words}, "actual": {"text": words.replace("word7 ", "other ")}}]
    run = fw.run({"name": "long", "evaluators": [{"type": "field_prf"}]}, cases=cases, root=workspace / ".fieldwise").id
    listed = client.get(f"/runs/{run}/cases").text
    assert "<ins>other</ins>" in listed
    assert "word40" not in listed
    assert "word40" in client.get(f"/runs/{run}/case?id=long").text


def test_an_address_with_a_wrong_value_is_called_an_invalid_request(client: TestClient) -> None:
    page = client.get("/runs?offset=abc", headers=HTML)
    assert page.status_code == 422
    assert "<h1>Invalid request</h1>" in page.text
    assert "<code>field offset</code>: " in page.text
