"""Values that a suite redacts are on no page, in no answer of the API and in no item of the review queue."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import fieldwise as fw
from fieldwise.cli.app import app

IBAN, OTHER_IBAN, NAME = "DE89370400440532013000", "DE89370400440532013001", "Jana Vertraulich"
SECRETS = (IBAN, OTHER_IBAN, NAME, "JANA VERTRAULICH")
RECORD = {"iban": IBAN, "vendor": {"name": NAME, "city": "Kiel"}, "total": 5}
WRONG = {"iban": OTHER_IBAN, "vendor": {"name": "JANA VERTRAULICH", "city": IBAN}, "total": 6, "extra": NAME}
ROWS: list[dict[str, Any]] = [
    {"id": "right", "expected": RECORD, "actual": RECORD, "input": f"pay {IBAN}", "contexts": [f"{NAME} lives in Kiel"]},
    {"id": "wrong", "expected": RECORD, "actual": WRONG, "metadata": {"source": f"letter of {NAME}", "confidences": {"iban": 0.2}}},
    {"id": "text", "expected": RECORD, "actual": f"Here: {json.dumps(WRONG)} for {NAME}"},
]
EVALUATORS: list[dict[str, Any]] = [{"type": "field_accuracy", "name": "fields"}, {"type": "field_prf"}, {"type": "answer_quality"}]
PAGES = (
    "/runs",
    "/runs/{run}",
    "/runs/{run}/metrics",
    "/runs/{run}/heatmap",
    "/runs/{run}/cases",
    "/runs/{run}/confusion?evaluator=fields&field=iban",
    "/runs/{run}/report.html",
    "/runs/{run}/case?id=right",
    "/runs/{run}/case?id=wrong",
    "/runs/{run}/case?id=text",
    "/runs/{run}/confidence",
    "/runs/{run}/what-if",
    "/compare?base={run}&new={second}",
    "/compare/cases?run={run}&run={second}",
    "/api/v1/runs",
    "/api/v1/runs/{run}",
    "/api/v1/runs/{run}/results",
    "/api/v1/runs/{run}/case?id=wrong",
    "/api/v1/runs/{run}/case?id=text",
    "/api/v1/compare?base={run}&new={second}",
)


@pytest.fixture
def runs(workspace: Path) -> tuple[fw.Run, fw.Run]:
    file = workspace / "data" / "secret.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    suite = {"name": "s", "cases": str(file), "evaluators": EVALUATORS, "redact": ["iban", "vendor.name"]}
    first = fw.run(suite, root=workspace / ".fieldwise")
    file.write_text("".join(json.dumps(row | {"actual": RECORD}) + "\n" for row in ROWS))
    return first, fw.run(suite, root=workspace / ".fieldwise")


def _find_secrets(content: str) -> list[str]:
    return [secret for secret in SECRETS if secret in content]


@pytest.mark.parametrize("address", PAGES)
def test_no_page_and_no_answer_has_a_redacted_value(address: str, client: TestClient, runs: tuple[fw.Run, fw.Run]) -> None:
    response = client.get(address.format(run=runs[0].id, second=runs[1].id))
    assert response.status_code == 200
    assert _find_secrets(response.text) == []


def test_no_item_of_the_review_queue_has_a_redacted_value(client: TestClient, runs: tuple[fw.Run, fw.Run]) -> None:
    pages = [client.get(f"/review?run={runs[0].id}&at={at}", headers={"accept": "text/html"}) for at in range(10)]
    assert {page.status_code for page in pages} == {200}
    assert any("iban" in page.text for page in pages)
    assert [_find_secrets(page.text) for page in pages if _find_secrets(page.text)] == []


@pytest.mark.parametrize(
    "command",
    [
        ["review", "RUN", "--export", "tasks.json"],
        ["mismatches", "RUN"],
        ["mismatches", "RUN", "-o", "tasks.json"],
        ["explain", "RUN", "wrong"],
        ["explain", "RUN", "--field", "iban"],
        ["pack", "RUN", "-o", "packed"],
        ["report", "RUN", "-o", "report.md"],
    ],
    ids=" ".join,
)
def test_no_command_prints_or_writes_a_redacted_value(
    command: list[str], runs: tuple[fw.Run, fw.Run], workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace)
    data = {*workspace.glob("data/*")}
    outcome = CliRunner().invoke(app, [runs[0].id if part == "RUN" else part for part in command])
    assert outcome.exit_code in (0, 1), outcome.output
    written = [path.read_bytes().decode(errors="replace") for path in workspace.rglob("*") if path.is_file() and path not in data]
    assert _find_secrets(outcome.output + "".join(written)) == []
