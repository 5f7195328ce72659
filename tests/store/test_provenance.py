"""A run records where its data came from, and everything that shows the run shows that."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import fieldwise as fw
from fieldwise.cli.app import app
from fieldwise.report.files import render

CASES = [{"id": str(n), "gold": {"a": n}, "output": {"a": n}} for n in range(5)]
SUITE = "cases: cases_a.jsonl\nevaluators: [{type: field_prf}]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("cases_a.jsonl", "cases_b.jsonl"):
        write(name, [{**case, "output": {"a": 1}} for case in CASES] if name == "cases_b.jsonl" else CASES)
    Path("s.eval.yaml").write_text(SUITE)
    return tmp_path


def write(name: str, rows: list[Any]) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def invoke(*arguments: str) -> str:
    return CliRunner().invoke(app, arguments).output


def test_a_run_records_file_size_hash_and_columns() -> None:
    [source] = fw.run("s.eval.yaml").sources
    content = Path("cases_a.jsonl").read_bytes()
    assert (source.role, source.file, source.files, source.bytes) == ("cases", "cases_a.jsonl", 1, len(content))
    assert source.hash == f"sha256:{hashlib.sha256(content).hexdigest()}"
    assert source.mapping == {"id": "id", "expected": "gold", "actual": "output"}
    assert fw.open_run().sources == (source,)


def test_two_files_are_recorded_with_their_mappings() -> None:
    write("gold.jsonl", [{"key": 1, "entities": {"company": "x"}}])
    write("out.jsonl", [{"doc_id": 1, "vendor": "x"}])
    expected = {"file": "gold.jsonl", "id": "key", "record": "entities", "rename": {"company": "vendor"}}
    run = fw.run({"cases": {"expected": expected, "actual": {"file": "out.jsonl", "id": "doc_id"}}, "evaluators": [{"type": "field_prf"}]})
    assert [source.role for source in run.sources] == ["expected", "actual"]
    assert run.sources[0].mapping == {"id": "key", "record": "entities", "rename": {"company": "vendor"}}
    assert run.sources[0].describe().endswith("), id key, record entities, company → vendor")


def test_data_in_memory_has_the_hash_of_its_cases() -> None:
    suite = {"evaluators": [{"type": "field_prf"}]}
    first, again = fw.run(suite, cases=CASES), fw.run(suite, cases=list(CASES))
    shorter = fw.run(suite, cases=CASES[:-1])
    assert first.sources[0].file == "<cases>"
    assert first.sources[0].hash == again.sources[0].hash
    assert first.sources[0].hash != shorter.sources[0].hash
    assert first.sources[0].bytes is None


def test_every_report_names_the_data_of_this_run_and_not_the_one_in_the_suite() -> None:
    run = fw.run("s.eval.yaml", cases="cases_b.jsonl", name="engine-b")
    assert run.label == "engine-b"
    for ending in (".html", ".json"):
        text = render(run, ending).decode()
        assert "cases_b.jsonl" in text
        assert "engine-b" in text
    shown = invoke("runs", "show", "latest")
    assert "cases_b.jsonl" in shown
    assert "engine-b" in shown


def test_the_command_line_names_runs() -> None:
    assert "engine-a" in invoke("run", "s.eval.yaml", "--name", "engine-a")
    invoke("run", "s.eval.yaml", "--cases", "cases_b.jsonl")
    listed = invoke("runs")
    assert "engine-a" in listed
    assert "cases_b.jsonl" in listed


def test_compared_runs_are_called_what_the_user_typed() -> None:
    runs = [fw.run("s.eval.yaml", cases=file, name=name) for file, name in (("cases_a.jsonl", "a"), ("cases_b.jsonl", "b"))]
    changes = fw.compare(*runs)
    assert (changes.base_label, changes.new_label) == ("a", "b")
    for run, tag in zip(runs, ("first", "second"), strict=True):
        invoke("runs", "tag", run.id, tag)
    assert f"first ({runs[0].id})" in invoke("compare", "first", "second", "--format", "plain")
    assert f"a ({runs[0].id})" in invoke("compare", runs[0].id, runs[1].id, "--format", "plain")


def test_several_runs_head_their_columns() -> None:
    runs = [fw.run("s.eval.yaml", name=name) for name in ("base", "engine-b", "engine-c")]
    header = invoke("compare", *(run.id for run in runs), "--format", "plain")
    assert "engine-b" in header
    assert "engine-c" in header
