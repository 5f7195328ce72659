"""The suite editor: examples of every evaluator run, suites are checked, saved and exported as shown."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from fieldwise.web.app import create_app
from fieldwise.web.evaluation import evaluate_case
from fieldwise.web.pages_suite import list_evaluators, list_field_paths, make_example
from fieldwise.web.settings import Settings
from fieldwise.web.suite_text import check_suite_for_records
from fieldwise.web.suite_trial import read_pasted_cases, try_suite

SUITE = "name: mine\ncases: data/cases.jsonl\nevaluators:\n  - {type: field_prf}\n"
HTMX = {"hx-request": "true"}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of suites; one for all tests, because every server starts a worker process."""
    return tmp_path_factory.mktemp("served") / "workspace"


@pytest.fixture(scope="module")
def client(workspace: Path) -> Iterator[TestClient]:
    workspace.mkdir()
    app = create_app(Settings(root=workspace / ".fieldwise", workspace=workspace))
    with TestClient(app, base_url="http://127.0.0.1:8787", raise_server_exceptions=False) as client:
        yield client


def _try(client: TestClient, **form: str) -> str:
    return client.post("/test", data={"with": "suite", **form}, headers=HTMX).text


@pytest.mark.parametrize("evaluator", list_evaluators())
def test_the_example_of_every_evaluator_is_scored(evaluator: str) -> None:
    example = make_example(evaluator)
    checked = check_suite_for_records(example["suite"])
    assert checked.is_valid
    cases, problems = read_pasted_cases(example)
    assert problems == []
    [result] = evaluate_case(cases[0], checked.value["evaluators"])
    assert result["status"] == "scored"


def test_records_without_a_field_of_the_suite_are_scored_and_the_problem_is_shown() -> None:
    checked = check_suite_for_records("evaluators:\n  - {type: field_accuracy, fields: [a, b]}\n")
    trial = try_suite(checked, [{"id": "1", "expected": {"a": 1}, "actual": {"a": 2}}], None)
    assert [(result.status, result.score) for _, _, result in trial.results] == [("scored", 0.0)]
    assert any(diagnostic.where.field == "b" for diagnostic in trial.diagnostics if diagnostic.level == "error")


def test_every_evaluator_that_needs_no_model_has_an_example_but_those_that_read_only_metadata() -> None:
    from fieldwise import registry

    judges = {name for name in registry.EVALUATORS.names() if registry.EVALUATORS.find(name).is_judge}
    assert set(registry.EVALUATORS.names()) - judges - set(list_evaluators()) <= {"cost", "latency", "retrieval", "grounding"}


def test_pasted_records_are_scored_by_a_suite_with_causes(client: TestClient) -> None:
    suite = "evaluators:\n  - {type: field_accuracy, name: mine}\n  - type: field_prf\ngate: {mine.score: '>= 0.9'}\n"
    page = _try(client, suite=suite, expected='{"date": "2024-03-04", "n": 1}', actual='{"date": "2024-04-03", "n": 1}')
    assert "mine" in page
    assert "field_prf" in page
    assert "day and month" in page
    assert "does not hold" in page
    assert client.get("/api/v1/runs").json()["total"] == 0  # nothing is stored unasked


def test_json_lines_are_several_records(client: TestClient) -> None:
    page = _try(client, suite="evaluators: [{type: field_prf}]", expected='{"a": 1}\n{"a": 2}', actual='{"a": 1}\n{"a": 3}')
    assert "Record 2" in page
    assert "0.500" in page
    page = _try(client, suite="evaluators: [{type: field_prf}]", expected='{"a": 1}\n{"a": 2}', actual='{"a": 1}')
    assert "2 expected and 1 actual" in page


def test_answers_are_tested_with_their_contexts(client: TestClient) -> None:
    suite = "evaluators: [{type: grounding, by: words}]"
    page = _try(client, suite=suite, actual="The fee is 500 dollars.", contexts="The fee is 500 dollars.\n\nOther text.")
    assert "1.000" in page


def test_a_trial_is_stored_only_on_demand(client: TestClient) -> None:
    page = _try(client, suite="evaluators: [{type: field_prf}]", expected='{"a": 1}', actual='{"a": 1}', store="yes")
    assert client.get("/api/v1/runs").json()["runs"][0]["id"] in page


def test_a_wrong_suite_is_not_run_and_nothing_is_lost_without_scripts(client: TestClient) -> None:
    form = {"with": "suite", "suite": "evaluators: [{type: field_pfr}]", "expected": '{"kept": 1}', "actual": '{"a": 1}'}
    page = client.post("/test", data=form).text
    assert "field_prf" in page
    assert "&#34;kept&#34;" in page
    assert "field_pfr" in page


def test_the_check_answers_with_lines(client: TestClient) -> None:
    page = client.post("/suite/check", data={"suite": "evaluators:\n  - type: field_prf\n    treshold: 1\n", "purpose": "records"}).text
    assert 'data-go-to-line="3"' in page
    assert "valid" not in page
    assert "This suite is valid" in client.post("/suite/check", data={"suite": SUITE, "purpose": "file"}).text


def test_completion_is_asked_of_the_server(client: TestClient) -> None:
    text = "evaluators:\n  - type: field_accuracy\n    fields:\n      - path: "
    answer = client.post("/suite/complete", data={"suite": text, "cursor": len(text), "expected": '{"a": {"b": [{"c": 1}]}}'}).json()
    assert [suggestion["text"] for suggestion in answer["suggestions"]] == ["a.b[*].c"]
    assert client.post("/suite/complete", data={"suite": "", "cursor": "9"}).status_code == 422


def test_paths_of_odd_keys_are_quoted() -> None:
    assert list_field_paths(json.dumps({"a.b": 1, "c": [1, 2], "d": {}})) == ['["a.b"]', "c"]


def test_a_suite_is_opened_saved_and_exported_as_shown(client: TestClient, workspace: Path) -> None:
    answer = client.post("/suite/save", data={"suite": SUITE, "file": "mine.eval.yaml"}, follow_redirects=False)
    assert answer.headers["location"] == "/configuration?suite=mine.eval.yaml&saved=suite"
    assert (workspace / "mine.eval.yaml").read_text() == SUITE
    page = client.get("/configuration?suite=mine.eval.yaml").text
    assert "name: mine" in page
    assert "This suite is valid" in page
    exported = client.post("/suite/export", data={"suite": SUITE + "# not saved\r\n", "file": "mine.eval.yaml"})
    assert exported.text == SUITE + "# not saved\n"
    assert 'filename="mine.eval.yaml"' in exported.headers["content-disposition"]


def test_a_suite_that_was_changed_meanwhile_is_not_overwritten(client: TestClient, workspace: Path) -> None:
    (workspace / "theirs.eval.yaml").write_text(SUITE)
    answer = client.post("/suite/save", data={"suite": SUITE, "file": "theirs.eval.yaml", "suite_version": ""})
    assert answer.status_code == 409
    answer = client.post("/suite/save", data={"suite": SUITE, "file": "theirs.eval.yaml", "suite_version": "0" * 16})
    assert answer.status_code == 409


@pytest.mark.parametrize(
    "name", ["../x.eval.yaml", "/tmp/x.eval.yaml", "x.py", "a/../../x.eval.yaml", ".hidden.eval.yaml", "", "missing/x.eval.yaml"]
)
def test_nothing_is_written_outside_the_folder_of_suites(client: TestClient, workspace: Path, name: str) -> None:
    before: Any = sorted(path for path in workspace.parent.rglob("*") if path.is_file())
    assert client.post("/suite/save", data={"suite": SUITE, "file": name}).status_code in (403, 404, 422)
    assert sorted(path for path in workspace.parent.rglob("*") if path.is_file()) == before


def test_a_link_is_neither_read_nor_written(client: TestClient, workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "o.eval.yaml"
    outside.write_text("name: secret\n")
    (workspace / "link.eval.yaml").symlink_to(outside)
    assert client.post("/suite/save", data={"suite": SUITE, "file": "link.eval.yaml"}).status_code == 403
    page = client.get("/configuration?suite=link.eval.yaml").text
    assert "secret" not in page
    assert outside.read_text() == "name: secret\n"


def test_a_suite_with_problems_is_not_saved(client: TestClient, workspace: Path) -> None:
    assert client.post("/suite/save", data={"suite": "evaluators: [{type: nope}]", "file": "bad.eval.yaml"}).status_code == 422
    assert not (workspace / "bad.eval.yaml").exists()


def test_a_suite_of_the_configuration_page_can_be_tested(client: TestClient) -> None:
    page = client.post("/test?with=suite", data={"suite": SUITE}).text
    assert "name: mine" in page
    assert 'value="suite" checked' in page


def test_the_former_name_of_the_page_leads_to_it(client: TestClient) -> None:
    assert client.get("/test-evaluations", follow_redirects=False).headers["location"] == "/test"
