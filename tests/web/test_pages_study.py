"""The page of confidences."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

import fieldwise as fw
from fieldwise.web.app import create_app
from fieldwise.web.settings import Settings

SUITE = {"name": "receipts", "evaluators": [{"type": "field_accuracy", "name": "fields", "fields": [{"path": "total"}]}]}


def make_cases(with_confidence: bool) -> Iterator[dict[str, Any]]:
    dice = random.Random(4)
    for number in range(120):
        confidence = dice.random()
        value = number if dice.random() < confidence else -1
        total = {"value": value, "confidence": confidence} if with_confidence else value
        yield {"id": str(number), "expected": {"total": number}, "actual": {"total": total}}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, str, str]]:
    """A client, a run with confidences and one without."""
    root = tmp_path_factory.mktemp("confidence")
    with_confidence, without = (fw.run(SUITE, cases=make_cases(wrapped), root=root).id for wrapped in (True, False))
    with TestClient(create_app(Settings(root=str(root))), base_url="http://127.0.0.1") as client:
        yield client, with_confidence, without


def test_the_page_has_the_figures_and_both_charts(runs: tuple[TestClient, str, str]) -> None:
    client, run, _ = runs
    page = client.get(f"/runs/{run}/confidence", headers={"accept": "text/html"})
    assert page.status_code == 200
    assert "AUROC" in page.text
    assert page.text.count("<svg") >= 2
    assert f"/runs/{run}/confidence" in client.get(f"/runs/{run}", headers={"accept": "text/html"}).text


def test_a_run_without_confidences_says_so(runs: tuple[TestClient, str, str]) -> None:
    client, _, run = runs
    page = client.get(f"/runs/{run}/confidence", headers={"accept": "text/html"})
    assert page.status_code == 200
    assert "no value" in page.text.lower()
    assert "<h3>" not in page.text
    assert "<table" not in page.text
    assert "Review the least confident" not in page.text


def test_an_unknown_run_is_not_found(runs: tuple[TestClient, str, str]) -> None:
    assert runs[0].get("/runs/20200101-000000-0000000/confidence").status_code == 404
