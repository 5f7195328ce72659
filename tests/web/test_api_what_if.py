"""`POST /api/v1/runs/{run}/what-if`."""

import json

import pytest
from starlette.testclient import TestClient

import fieldwise as fw
from fieldwise.web.app import create_app
from fieldwise.web.settings import Settings

SUITE = {
    "cases": "cases.jsonl",
    "evaluators": [{"type": "field_accuracy", "name": "fields", "fields": [{"path": "name", "match": "fuzzy", "threshold": 0.95}]}],
    "gate": {"fields.pass_rate": ">= 0.9"},
}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("what-if")
    cases = [{"id": str(n), "expected": {"name": "Acme Corp"}, "actual": {"name": "Acme Corp."}} for n in range(3)]
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    (folder / "suite.eval.yaml").write_text(json.dumps(SUITE))
    fw.run(folder / "suite.eval.yaml", root=folder / "runs")
    with TestClient(create_app(Settings(root=str(folder / "runs"))), base_url="http://127.0.0.1") as client:
        yield client


def test_other_options_are_tried_on_a_stored_run(client):
    response = client.post("/api/v1/runs/latest/what-if", json={"set": ["fields.name.threshold=0.9"], "limit": 1})
    content = response.json()
    assert response.status_code == 200, content
    assert content["metrics"]["fields.pass_rate"] == {"before": 0.0, "after": 1.0}
    assert content["gates"][0]["after"]["passed"] is True
    assert (content["flip_count"], len(content["flips"]), content["case_count"]) == (3, 1, 3)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"set": ["fields.name.algorithm=token_set"]}, 422),
        ({"set": ["fields.nme.threshold=0.5"]}, 422),
        ({"set": []}, 422),
        ({"sets": ["a.b=1"]}, 422),
    ],
)
def test_what_cannot_be_recomputed_is_a_problem(client, body, status):
    response = client.post("/api/v1/runs/latest/what-if", json=body)
    assert response.status_code == status
    assert response.json()["diagnostics"]


def test_an_unknown_run_is_not_found(client):
    assert client.post("/api/v1/runs/20200101-000000-0000000/what-if", json={"set": ["a.b=1"]}).status_code == 404


def test_the_page_has_a_slider_over_a_histogram_for_each_limit(client):
    page = client.get("/runs/latest/what-if", headers={"accept": "text/html"})
    assert page.status_code == 200
    assert 'data-setting="fields.name.threshold"' in page.text
    assert page.text.count('class="failed"') == 1
    run_page = client.get("/runs/latest", headers={"accept": "text/html"}).text
    assert 'hx-select="#limits"' in run_page
