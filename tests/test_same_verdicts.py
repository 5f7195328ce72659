"""Terminal, JSON, HTTP, page and Markdown show the same verdicts on a comparison, and say how many were tested."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from fieldwise.api import run
from fieldwise.cli.app import app
from fieldwise.web.app import create_app
from fieldwise.web.settings import Settings

runner = CliRunner()
FIELDS = ("total", "vendor", "date")


def write_cases(path: Path, wrong_totals: int) -> None:
    """Twenty documents of three pages; the total is wrong in the first documents, the date in one."""
    lines: list[str] = []
    for document in range(20):
        for page in range(3):
            expected = {"total": 10 * document + page, "vendor": "Acme", "date": "2024-01-05"}
            actual = expected | ({"total": -1} if document < wrong_totals else {}) | ({"date": "2024-01-06"} if document == 7 else {})
            lines.append(json.dumps({"id": f"{document}/{page}", "document": document, "expected": expected, "actual": actual}))
    path.write_text("\n".join(lines))


class Stored:
    """Three runs of 60 pages in 20 documents; the second has the first as its baseline."""

    def __init__(self, folder: Path) -> None:
        self.root, cases = folder / ".fieldwise", folder / "pages.jsonl"
        evaluators = [{"type": "field_accuracy", "name": "fields", "fields": list(FIELDS)}, {"type": "field_prf", "name": "prf"}]
        suite: dict[str, Any] = {"cases": str(cases), "group": "metadata.document", "evaluators": evaluators}
        self.ids: list[str] = []
        for wrong_totals in (1, 14, 2):
            write_cases(cases, wrong_totals)
            baseline = self.ids[0] if len(self.ids) == 1 else None
            self.ids.append(run(suite, root=self.root, baseline=baseline).id)
        self.client = TestClient(create_app(Settings(root=self.root, workspace=folder)), base_url="http://127.0.0.1:8787")

    def ask(self, *words: str) -> str:
        output = runner.invoke(app, [*words, "--root", str(self.root)])
        assert output.exit_code == 0, output.output
        return output.stdout


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Stored:
    return Stored(tmp_path_factory.mktemp("verdicts"))


def test_five_reports_show_the_same_verdicts_on_two_runs(stored: Stored, tmp_path: Path) -> None:
    base, new = stored.ids[:2]
    content = json.loads(stored.ask("compare", base, new, "--format", "json"))
    assert content == stored.client.get("/api/v1/compare", params={"base": base, "new": new}).json()
    stored.ask("report", new, "-o", str(tmp_path / "report.md"))
    reports = {
        "terminal": stored.ask("compare", base, new, "--format", "plain", "--all"),
        "page": stored.client.get("/compare", params={"base": base, "new": new}).text,
        "Markdown": (tmp_path / "report.md").read_text(),
    }
    evaluators = content["evaluators"]
    others = sum(evaluator["tested"] for evaluator in evaluators.values())
    assert others > 0
    tested = f"Tested: {content['tested_metrics']} primary metrics and {content['tested_fields']} fields, each family adjusted by Holm"
    shown = {change["name"] for evaluator in evaluators.values() for change in evaluator["fields"] if change["verdict"] == "worse"}
    assert shown == {"total"}
    for name, text in reports.items():
        plain = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))
        assert tested in plain, name
        assert f"{others} further metrics" in plain, name
        assert "in 20 groups" in plain, name
        assert re.search(r"total`?\W[^|]*(\|[^|]*)?worse|total .{0,120}worse", plain), name
        assert not re.search(r"(vendor|date)`? \|[^|]*(better|worse)", plain), name


def test_several_runs_are_ranked_alike_by_json_http_and_page(stored: Stored) -> None:
    base, *others = stored.ids
    content = json.loads(stored.ask("compare", base, *others, "--format", "json"))
    by_http = stored.client.get("/api/v1/compare", params={"base": base, "new": others}).json()
    assert by_http["ranking"] == content["ranking"]
    assert [pair["evaluators"] for pair in by_http["pairs"]] == [pair["evaluators"] for pair in content["pairs"]]
    assert {pair["tested_metrics"] for pair in by_http["pairs"]} == {6}  # two evaluators, three pairs of runs
    [first, _, last] = by_http["ranking"]["fields"]
    assert (first["run"], last["run"], last["better_than"]) == (base, others[0], [])
    page = stored.client.get("/compare", params={"base": base, "new": others}).text
    assert "Ranking by fields" in page
    assert "Tested: 6 primary metrics" in page
    assert len(re.findall("significantly worse(?! than)", page)) == sum(
        metric["verdict"] == "worse" and metric["name"] == evaluator["primary"]
        for pair in content["pairs"]
        for evaluator in pair["evaluators"].values()
        for metric in evaluator["metrics"]
    )


def test_a_run_that_is_named_twice_counts_once(stored: Stored) -> None:
    base, new = stored.ids[:2]
    content = stored.client.get("/api/v1/compare", params={"base": base, "new": [new, new]}).json()
    assert (content["base"], content["new"]) == (base, new)
    page = stored.client.get("/compare", params={"base": base, "new": ["", new]}).text
    assert "significantly worse" in page
