"""The routes that evaluate: one case, a batch, an upload, files of the server."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

JSON = {"content-type": "application/json"}


def test_the_worked_example_of_response_quality_gives_its_number(client: TestClient, walkthrough: dict[str, Any]) -> None:
    """Response quality plan: Walkthrough Example."""
    answer = client.post("/api/v1/evaluate", json={**walkthrough, "field_strategies": {"name": "FUZZY", "bio": "SEMANTIC"}})
    [result] = answer.json()["results"]
    assert answer.status_code == 200
    assert result["metrics"]["completeness"] == 0.75
    assert result["metrics"]["rqs"] == pytest.approx(0.7375)
    assert result["details"]["buckets"]["gt_null_aio_has_value"] == ["internal_id"]


def test_field_strategies_thresholds_and_weights_reach_the_engine(client: TestClient, walkthrough: dict[str, Any]) -> None:
    """Response quality plan: field_strategies are threaded through all endpoints."""
    options = {
        "field_strategies": {"name": "FUZZY", "bio": "IGNORE"},
        "fuzzy_threshold": 0.95,
        "weights": {"w_accuracy": 1, "w_completeness": 0},
    }
    actual = client.post("/api/v1/evaluate", json={**walkthrough, **options}).json()
    assert actual["results"][0]["metrics"]["accuracy"] == 0.5
    assert actual["configuration"]["fuzzy_threshold"] == 0.95
    assert actual["configuration"]["weights"] == {"w_accuracy": 1, "w_completeness": 0, "w_hallucination": 0.15, "w_safety": 0.15}
    batch = client.post("/api/v1/evaluate/batch", json={"cases": [walkthrough], **options}).json()
    assert batch["results"][0]["metrics"] == actual["results"][0]["metrics"]


def test_a_request_without_options_uses_the_saved_configuration(client: TestClient) -> None:
    client.put("/api/v1/configuration", json={"field_strategies": {"a": "IGNORE"}})
    case = {"expected": {"a": 1, "b": 2}, "actual": {"a": 9, "b": 2}}
    assert client.post("/api/v1/evaluate", json=case).json()["results"][0]["metrics"]["accuracy"] == 1.0
    assert client.post("/api/v1/evaluate", json={**case, "field_strategies": {}}).json()["results"][0]["metrics"]["accuracy"] == 0.5


def test_a_missing_side_is_not_a_null_side(client: TestClient) -> None:
    missing = client.post("/api/v1/evaluate", json={"actual": {"a": 1}}).json()["results"][0]
    null = client.post("/api/v1/evaluate", json={"expected": {"a": 1}, "actual": None}).json()["results"][0]
    assert missing["status"] == "skipped"
    assert (null["status"], null["details"]["fault"]) == ("error", "system")


def test_every_wrong_option_is_told_at_once_in_the_words_of_check(client: TestClient) -> None:
    answer = client.post("/api/v1/evaluate", json={"expected": {}, "field_strategies": {"a": "FUZY"}, "fuzzy_threshold": 3})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    output = [entry["what"] for entry in answer.json()["diagnostics"]]
    assert output == [
        '`a` must be one of `EXACT`, `FUZZY`, `SEMANTIC`, `IGNORE`, not the text "FUZY"',
        "`fuzzy_threshold` must be a number ≥ 0 and ≤ 1, not the number 3",
    ]
    assert answer.json()["diagnostics"][0]["fix"] == "did you mean `FUZZY`?"


def test_an_unknown_option_is_an_error_that_names_the_nearest(client: TestClient) -> None:
    answer = client.post("/api/v1/evaluate", json={"expectd": {}})
    assert answer.status_code == 422
    assert answer.json()["diagnostics"][0]["fix"] == "did you mean `expected`?"


def test_other_evaluators_are_written_as_in_a_suite(client: TestClient) -> None:
    body = {"expected": {"a": 1}, "actual": {"a": 2}, "evaluators": [{"type": "field_accuracy", "fields": ["a"]}, {"type": "field_prf"}]}
    actual = client.post("/api/v1/evaluate", json=body).json()
    assert [(entry["evaluator"], entry["score"]) for entry in actual["results"]] == [("field_accuracy", 0.0), ("field_prf", 0.0)]
    assert actual["configuration"] is None


@pytest.mark.parametrize("judge", [{"type": "code_judge", "script": ["id"]}, {"type": "llm_judge", "prompt": "?", "model": "m"}])
def test_judges_are_refused_however_deep_they_stand(client: TestClient, judge: dict[str, Any]) -> None:
    for evaluators in ([judge], [{"type": "field_prf", "inner": {"list": [judge]}}]):
        answer = client.post("/api/v1/evaluate", json={"expected": {}, "actual": {}, "evaluators": evaluators})
        assert answer.status_code == 422
        assert "judge-refused" in [entry["code"] for entry in answer.json()["diagnostics"]]


def test_no_option_reads_a_file_of_the_server(client: TestClient) -> None:
    for body in ({"field_strategies": "/etc/passwd"}, {"evaluators": [{"type": "json_quality", "strategies": "/etc/passwd"}]}):
        answer = client.post("/api/v1/evaluate", json={"expected": {}, "actual": {}, **body})
        assert answer.status_code == 422
        assert "root:" not in answer.text


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"expected": 1, "expected": 2}', "duplicate-key"),
        (b'{"expected": ' + b"[" * 5000 + b"]" * 5000 + b"}", "too-deep"),
        (b'{"expected": "\xff\xfe"}', "invalid-utf8"),
        (b'{"expected": ', "truncated-json"),
        (b"", "no-body"),
        (b'{"expected": "\\ud800"}', "lone-surrogate"),
    ],
)
def test_json_that_cannot_be_trusted_is_refused_with_its_reason(client: TestClient, content: bytes, code: str) -> None:
    answer = client.post("/api/v1/evaluate", content=content, headers=JSON)
    assert answer.status_code in (400, 422)
    assert answer.json()["diagnostics"][0]["code"] == code


def test_every_digit_survives(client: TestClient) -> None:
    big = 2**70 + 1
    actual = client.post("/api/v1/evaluate", content=json.dumps({"expected": {"n": big}, "actual": {"n": big - 1}}), headers=JSON)
    [entry] = actual.json()["results"][0]["comparisons"]
    assert (entry["expected"], entry["actual"], entry["passed"]) == (big, big - 1, False)


def test_nesting_that_is_allowed_is_evaluated(client: TestClient) -> None:
    deep = "[" * 400 + "]" * 400
    content = f'{{"expected": {{"a": {deep}}}, "actual": {{"a": {deep}}}}}'
    assert client.post("/api/v1/evaluate", content=content, headers=JSON).status_code == 200
    assert client.post("/api/v1/evaluate/batch", content=f'{{"cases": [{content}]}}', headers=JSON).status_code == 200


def test_a_case_can_be_kept_as_a_run(client: TestClient, walkthrough: dict[str, Any]) -> None:
    stored = client.post(
        "/api/v1/evaluate", json={**walkthrough, "store": True, "name": "a trial", "field_strategies": {"name": "FUZZY"}}
    ).json()
    run = client.get(f"/api/v1/runs/{stored['run']}").json()
    assert run["run"]["name"] == "a trial"
    assert "name: FUZZY" in run["suite"]


def test_a_batch_is_the_run_document_and_is_stored_only_on_request(client: TestClient) -> None:
    cases = [{"id": "x", "expected": {"a": 1}, "actual": {"a": 1}}, {"expected": {"a": 1}}]
    actual = client.post("/api/v1/evaluate/batch", json={"cases": cases, "fuzzy_threshold": 0.7}).json()
    assert [entry["case"] for entry in actual["results"]] == ["x", "2"]
    assert actual["configuration"]["fuzzy_threshold"] == 0.7
    assert client.get("/api/v1/runs").json()["total"] == 0
    evaluators = [{"type": "field_prf"}]
    stored = client.post("/api/v1/evaluate/batch", json={"cases": cases, "evaluators": evaluators, "store": True}).json()
    assert stored["configuration"] == {"evaluators": evaluators}
    assert [run["id"] for run in client.get("/api/v1/runs").json()["runs"]] == [stored["run"]["id"]]


def test_safety_and_several_outputs_are_measured(client: TestClient) -> None:
    body = {"expected": {"a": "yes"}, "actuals": [{"a": "yes"}, {"a": "damn"}], "safety": {"words": ["damn"]}, "default_text": "EXACT"}
    answer = client.post("/api/v1/evaluate", json=body).json()
    [result] = answer["results"]
    assert (result["metrics"]["accuracy"], result["metrics"]["consistency"], result["metrics"]["safety"]) == (1.0, 0.0, 1.0)
    assert "unmeasured_safety" not in result["details"]["flags"]
    assert answer["configuration"]["safety"] == {"words": ["damn"]}
    case = {"expected": {"a": "yes"}, "actuals": [{"a": "damn"}, {"a": "damn"}]}
    batch = client.post("/api/v1/evaluate/batch", json={"cases": [case], "safety": {"words": ["damn"]}, "default_text": "EXACT"}).json()
    assert (batch["results"][0]["metrics"]["consistency"], batch["results"][0]["metrics"]["safety"]) == (1.0, 0.0)
    refused = client.post("/api/v1/evaluate", json={"expected": {}, "actual": {}, "safety": {"words": "/etc/hostname"}})
    assert refused.status_code == 422


@pytest.mark.parametrize("path", ["", "/batch"])
def test_one_output_and_several_outputs_of_a_case_exclude_each_other(client: TestClient, path: str) -> None:
    case = {"expected": {"a": "yes"}, "actual": None, "actuals": [{"a": "no"}, {"a": "no"}]}
    answer = client.post(f"/api/v1/evaluate{path}", json={"cases": [case]} if path else case)
    assert answer.status_code == 422
    [diagnostic] = answer.json()["diagnostics"]
    assert diagnostic["what"] == "`actual` and `actuals` exclude each other: send one output, or the list of all"


def test_an_upload_is_read_line_by_line_and_a_broken_line_is_told(client: TestClient) -> None:
    content = b'{"expected": {"a": 1}, "actual": {"a": 1}}\n{"expected": {"a": 1}, "actual"'
    answer = client.post("/api/v1/evaluate/upload", files={"file": ("cases.jsonl", content)}, data={"options": '{"fuzzy_threshold": 0.5}'})
    assert answer.status_code == 200, answer.text
    assert [entry["status"] for entry in answer.json()["results"]] == ["scored", "error"]
    wrong = client.post("/api/v1/evaluate/upload", files={"file": ("cases.jsonl", content)}, data={"options": '{"fuzy_threshold": 1}'})
    assert wrong.json()["diagnostics"][0]["fix"] == "did you mean `fuzzy_threshold`?"


@pytest.mark.parametrize(
    ("fields", "what", "fix"),
    [
        ([("file", "a"), ("file", "b")], "`file` is sent 2 times", "send it once"),
        ([("file", "a"), ("option", None)], "there is no option `option`", "did you mean `options`?"),
        ([("file", "a"), ("options", None), ("options", None)], "`options` is sent 2 times", "send it once"),
        ([("fil", "a")], "there is no option `fil`", "did you mean `file`?"),
    ],
)
def test_a_field_of_an_upload_that_does_not_exist_or_is_repeated_is_refused(
    client: TestClient, fields: list[tuple[str, str | None]], what: str, fix: str
) -> None:
    content = b'{"expected": {"a": 1}, "actual": {"a": 1}}\n'
    parts = [(name, (f"{file}.jsonl", content) if file else (None, b'{"evaluators": [{"type": "field_prf"}]}')) for name, file in fields]
    answer = client.post("/api/v1/evaluate/upload", files=parts)
    assert answer.status_code == 422
    [diagnostic] = answer.json()["diagnostics"]
    assert (diagnostic["what"], diagnostic["fix"]) == (what, fix)


def test_files_below_the_data_folder_are_evaluated_by_path(client: TestClient, workspace: Path) -> None:
    actual = client.post("/api/v1/evaluate/path", json={"cases": "cases.jsonl"})
    assert actual.json()["summary"]["cases"] == 6
    for side in ("gold", "predicted"):
        (workspace / "data" / side).mkdir()
        (workspace / "data" / side / "one.json").write_text('{"a": 1}')
    pairs = client.post("/api/v1/evaluate/path", json={"expected": "gold", "actual": "predicted"})
    assert pairs.json()["summary"]["metrics"]["json_quality.accuracy"] == 1.0


@pytest.mark.parametrize(
    "path",
    [
        "../secret.jsonl",
        "/etc/passwd",
        "a/../../secret.jsonl",
        "link.jsonl",
        "folder/../../secret.jsonl",
        "linked/cases.jsonl",
        "~/x",
        "C:/x",
        "*.jsonl",
        "a\x00b",
        "file:/etc/passwd",
    ],
)
def test_nothing_outside_the_data_folder_is_read(client: TestClient, workspace: Path, path: str) -> None:
    (workspace / "secret.jsonl").write_text('{"expected": {"secret": 1}, "actual": {"secret": 1}}\n')
    (workspace / "data" / "link.jsonl").symlink_to(workspace / "secret.jsonl")
    (workspace / "outside").mkdir()
    (workspace / "outside" / "cases.jsonl").write_text('{"expected": {"secret": 1}, "actual": {"secret": 1}}\n')
    (workspace / "data" / "linked").symlink_to(workspace / "outside")
    (workspace / "data" / "folder").mkdir()
    answer = client.post("/api/v1/evaluate/path", json={"cases": path})
    assert answer.status_code in (403, 422)
    assert answer.json()["diagnostics"][0]["code"] in ("outside", "bad-path")
    assert "secret" not in answer.text.replace(path, "")


def test_a_link_inside_a_folder_is_refused_too(client: TestClient, workspace: Path) -> None:
    for side in ("gold", "predicted"):
        (workspace / "data" / side).mkdir()
    (workspace / "data" / "gold" / "one.json").symlink_to("/etc/passwd")
    answer = client.post("/api/v1/evaluate/path", json={"expected": "gold", "actual": "predicted"})
    assert (answer.status_code, answer.json()["diagnostics"][0]["code"]) == (403, "outside")


@pytest.mark.parametrize("path", ["link.jsonl", "linked/cases.jsonl"])
def test_a_link_that_points_into_the_data_folder_is_refused_too(client: TestClient, workspace: Path, path: str) -> None:
    data = workspace / "data"
    (data / "folder").mkdir()
    (data / "folder" / "cases.jsonl").write_bytes((data / "cases.jsonl").read_bytes())
    (data / "link.jsonl").symlink_to(data / "cases.jsonl")
    (data / "linked").symlink_to(data / "folder")
    answer = client.post("/api/v1/evaluate/path", json={"cases": path})
    assert (answer.status_code, answer.json()["diagnostics"][0]["code"]) == (403, "outside")
    assert client.post("/api/v1/evaluate/path", json={"cases": "folder/cases.jsonl"}).status_code == 200


def test_without_a_data_folder_no_path_is_read(make_client: Any) -> None:
    answer = make_client(data=None).post("/api/v1/evaluate/path", json={"cases": "cases.jsonl"})
    assert (answer.status_code, answer.json()["diagnostics"][0]["code"]) == (403, "no-data-folder")


def test_content_that_is_not_sent_as_json_is_told_how_to_be(client: TestClient) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    answer = client.post("/api/v1/evaluate", content=b'{"expected": {"a": 1}, "actual": {"a": 1}}', headers=form)
    [diagnostic] = answer.json()["diagnostics"]
    assert (answer.status_code, diagnostic["code"], diagnostic["fix"]) == (422, "no-body", "send it with Content-Type: application/json")
