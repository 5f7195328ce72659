"""`redact` in a suite: the values are in no stored part and no report; the scores are the same."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.report.files import SUFFIXES, render

IBAN, OTHER_IBAN, NAME = "DE89370400440532013000", "DE89370400440532013001", "Jana Vertraulich"
SECRETS = (IBAN, OTHER_IBAN, NAME, "JANA VERTRAULICH", "987654.25", "Nora Geheim", "Otto Geheim")
RECORD = {"iban": IBAN, "vendor": {"name": NAME, "city": "Kiel"}, "total": 987654.25, "items": [{"owner": NAME, "sku": "A"}]}
WRONG = {"iban": OTHER_IBAN, "vendor": {"name": "JANA VERTRAULICH", "city": IBAN}, "total": "987654.25", "items": [], "extra": NAME}
ROWS: list[dict[str, Any]] = [
    {"id": "right", "expected": RECORD, "actual": RECORD, "input": f"pay {IBAN}", "contexts": [f"{NAME} lives in Kiel"]},
    {"id": "wrong", "expected": RECORD, "actual": WRONG, "metadata": {"source": f"letter of {NAME}"}},
    {"id": "text", "expected": RECORD, "actual": f"Here it is: ```json\n{json.dumps(WRONG)}\n``` for {NAME}"},
    {"id": "accepted", "expected": {**RECORD, "vendor": {"$any": [{"name": "Nora Geheim"}, WRONG["vendor"]]}}, "actual": WRONG},
    {"id": "confidence", "expected": RECORD, "actual": {**WRONG, "vendor": {"value": {"name": "Otto Geheim"}, "confidence": 0.5}}},
    {"id": "prose", "expected": RECORD, "actual": f"I cannot find the IBAN {OTHER_IBAN} of {NAME}."},
]
EVALUATORS: list[dict[str, Any]] = [
    {"type": "field_accuracy", "name": "fields"},
    {"type": "field_prf"},
    {"type": "json_quality"},
    {"type": "answer_quality"},
]
REDACT = ["iban", "vendor.name", "total", "items[*].owner"]


@pytest.fixture(params=[1, 2], ids=["one process", "two workers"])
def runs(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[fw.Run, fw.Run]:
    """The same suite without and with `redact`."""
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    suite = {"name": "s", "cases": str(tmp_path / "c.jsonl"), "evaluators": EVALUATORS}
    plain = fw.run(suite, root=tmp_path / "plain")
    return plain, fw.run({**suite, "redact": REDACT}, root=tmp_path / "redacted", workers=request.param)


def _find_secrets(content: str) -> list[str]:
    return [secret for secret in SECRETS if secret in content]


def test_scores_and_verdicts_are_the_same(runs: tuple[fw.Run, fw.Run]) -> None:
    plain, redacted = runs
    assert redacted.summary == plain.summary
    assert redacted.exit_code == plain.exit_code


def test_no_part_of_the_run_has_a_value(runs: tuple[fw.Run, fw.Run]) -> None:
    _, redacted = runs
    stored = json.dumps([*redacted.sql("select * from cases").to_pylist(), *redacted.sql("select * from comparisons").to_pylist()])
    stored += json.dumps(redacted.sql("select * from results").to_pylist())
    assert _find_secrets(stored) == []
    assert _find_secrets((redacted.path / "manifest.json").read_text()) == []
    assert "Kiel" in stored


@pytest.mark.parametrize("suffix", [suffix for suffix in SUFFIXES if suffix not in (".xlsx", ".parquet")])
def test_no_report_has_a_value(runs: tuple[fw.Run, fw.Run], suffix: str) -> None:
    plain, redacted = runs
    assert _find_secrets(render(redacted, suffix).decode()) == []
    if suffix == ".jsonl":
        assert _find_secrets(render(plain, suffix).decode()) == list(SECRETS)


def test_equal_values_have_equal_hashes(runs: tuple[fw.Run, fw.Run]) -> None:
    _, redacted = runs
    [wrong] = redacted.mismatches(evaluator="field_prf", field="iban", case="wrong")
    [right] = redacted.comparisons(evaluator="field_prf", field="iban", case="right")
    assert right.expected == right.actual == wrong.expected != wrong.actual
    assert right.expected.startswith("redacted:")


def test_examples_of_unreadable_values_are_redacted(tmp_path: Path) -> None:
    rows = [{"id": str(number), "expected": {"day": f"{NAME} {number}"}, "actual": {"day": "2024-01-02"}} for number in range(3)]
    rows.append({"id": "9", "expected": {"day": "2024-01-02"}, "actual": {"day": "2024-01-02"}})
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    evaluator = {"type": "field_accuracy", "fields": [{"path": "day", "match": "date"}]}
    suite = {"name": "s", "cases": str(tmp_path / "c.jsonl"), "redact": ["day"], "evaluators": [evaluator]}
    run = fw.run(suite, root=tmp_path / "store")
    files = [path for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert any(diagnostic.code == "unread-values" for diagnostic in run.diagnostics)
    assert [path.name for path in files if NAME.encode() in path.read_bytes()] == []


@pytest.mark.parametrize("written", ["iban", [], [5], ["a..b"]])
def test_a_bad_list_is_a_configuration_error(written: Any) -> None:
    with pytest.raises(fw.ConfigError):
        fw.check({"name": "s", "cases": "c.jsonl", "evaluators": EVALUATORS, "redact": written})


@pytest.mark.parametrize("key", ["arguments", "args", "input"])
def test_short_arguments_of_tool_calls_are_redacted_whatever_key_holds_them(tmp_path: Path, key: str) -> None:
    case = {"id": "1", "expected": [{"name": "pay", key: {"pin": "739"}}], "actual": [{"name": "pay", key: {"pin": "842"}}]}
    suite = {"redact": [f"[*].{key}.pin"], "evaluators": [{"type": "tool_trajectory"}]}
    [stored] = fw.run(suite, cases=[case], root=tmp_path).results()
    [difference] = stored.result.details["differences"]
    assert difference["argument"] == "pin"
    assert difference["expected"].startswith("redacted:")
    assert difference["actual"].startswith("redacted:")
