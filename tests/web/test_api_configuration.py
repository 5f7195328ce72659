"""The saved configuration: files under version control, never half written."""

import json
from pathlib import Path

import yaml
from starlette.testclient import TestClient

from fieldwise.web import configuration

GIVEN = {
    "field_strategies": {"customer_name": "FUZZY", "internal_notes": "IGNORE"},
    "fuzzy_threshold": 0.9,
    "semantic_threshold": 0.7,
    "default_text": "FUZZY",
    "weights": {"w_accuracy": 0.5, "w_completeness": 0.2, "w_hallucination": 0.1, "w_safety": 0.2},
}


def test_nothing_saved_means_the_published_defaults(client: TestClient) -> None:
    """Response quality plan: Default weights."""
    actual = client.get("/api/v1/configuration").json()
    assert actual["configuration"]["weights"] == {"w_accuracy": 0.45, "w_completeness": 0.25, "w_hallucination": 0.15, "w_safety": 0.15}
    assert actual["files"] == []


def test_a_configuration_is_saved_as_two_files_that_people_can_read(client: TestClient, workspace: Path) -> None:
    """Response quality plan: Field Strategy Config File."""
    assert client.put("/api/v1/configuration", json=GIVEN).json()["configuration"] == GIVEN
    assert json.loads((workspace / configuration.STRATEGIES_FILE).read_text()) == GIVEN["field_strategies"]
    assert yaml.safe_load((workspace / configuration.QUALITY_FILE).read_text())["weights"] == GIVEN["weights"]


def test_a_configuration_that_is_wrong_is_not_saved(client: TestClient, workspace: Path) -> None:
    client.put("/api/v1/configuration", json=GIVEN)
    before = client.get("/api/v1/configuration").json()
    answer = client.put("/api/v1/configuration", json={"field_strategies": {"a": "MAYBE"}, "weights": {"w_safty": 1}})
    assert answer.status_code == 422
    assert [entry["code"] for entry in answer.json()["diagnostics"]] == ["bad-option", "unknown-option"]
    assert client.get("/api/v1/configuration").json() == before


def test_a_newer_configuration_is_not_overwritten(client: TestClient) -> None:
    old = client.get("/api/v1/configuration").headers["etag"]
    assert client.put("/api/v1/configuration", json=GIVEN, headers={"if-match": old}).status_code == 200
    answer = client.put("/api/v1/configuration", json={}, headers={"if-match": old})
    assert (answer.status_code, answer.json()["diagnostics"][0]["code"]) == (409, "changed-meanwhile")
    assert client.get("/api/v1/configuration").json()["configuration"] == GIVEN


def test_checking_saves_nothing_and_tells_everything(client: TestClient, workspace: Path) -> None:
    actual = client.post("/api/v1/configuration/check", json={"field_strategies": {"a": 1}, "fuzy_threshold": 1, "weights": []}).json()
    assert not actual["valid"]
    assert len(actual["diagnostics"]) == 3
    assert client.post("/api/v1/configuration/check", json=GIVEN).json() == {"valid": True, "diagnostics": []}
    assert not (workspace / configuration.STRATEGIES_FILE).exists()


def test_all_weights_0_is_refused(client: TestClient) -> None:
    answer = client.put("/api/v1/configuration", json={"weights": dict.fromkeys(configuration.WEIGHTS, 0)})
    assert answer.json()["diagnostics"][0]["code"] == "no-weight"


def test_a_file_that_somebody_broke_is_told_with_its_name(client: TestClient, workspace: Path) -> None:
    (workspace / configuration.STRATEGIES_FILE).write_text('{"a": "EXACT", "a": "FUZZY"}')
    answer = client.get("/api/v1/configuration")
    assert answer.status_code == 422
    assert answer.json()["diagnostics"][0]["file"] == configuration.STRATEGIES_FILE
    (workspace / configuration.STRATEGIES_FILE).unlink()
    (workspace / configuration.QUALITY_FILE).write_text("fuzzy_threshold: [")
    assert client.get("/api/v1/configuration").json()["diagnostics"][0]["code"] == "bad-yaml"
