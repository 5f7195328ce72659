"""Inspect."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from importer_samples import load_sample, read_sample

import fieldwise as fw
from fieldwise.read.imported_files import read_documents


def test_the_text_of_the_first_choice_is_compared_with_the_target() -> None:
    first, second, third = read_sample("inspect")
    assert (first.id, first.input, first.record, first.expected) == ("1", "Capital of France?", "Paris", "Paris")
    assert first.metadata == {"region": "Europe"}
    assert second.record == {"total": 6}
    assert second.expected == {"$any": ['{"total": 5}', '{"total": 5.0}']}
    assert third.record is None


def test_epochs_of_a_sample_have_ids_of_their_own() -> None:
    log = load_sample("inspect")
    repeated = copy.deepcopy(log["samples"][0])
    repeated["epoch"] = 2
    log["samples"].append(repeated)
    assert [record.id for record in read_documents("auto", log)] == ["1:1", "2:1", "3:1", "1:2"]


def _load_unfinished(status: str, **evaluation: Any) -> dict[str, Any]:
    log = load_sample("inspect")
    return log | {"status": status, "eval": {**log["eval"], **evaluation}, "samples": log["samples"][:1]}


@pytest.mark.parametrize("status", ["error", "cancelled", "started"])
def test_samples_that_an_unfinished_evaluation_lacks_are_evaluation_errors(status: str, tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    file.write_text(json.dumps(_load_unfinished(status, dataset={"samples": 3, "sample_ids": [1, 2, "q3"]})))
    run = fw.run({"cases": str(file), "evaluators": [{"type": "answer_quality"}]}, root=tmp_path)
    results = {result.case: result.result for result in run.results()}
    assert {case: result.status for case, result in results.items()} == {"1": "scored", "2": "error", "q3": "error"}
    assert f"the evaluation ended with the status `{status}`" in results["q3"].reasoning
    assert run.exit_code == 3


def test_a_log_that_does_not_name_its_samples_lacks_a_number_of_them() -> None:
    log = _load_unfinished("error", dataset={"samples": 3})
    assert [record.id for record in read_documents("auto", log)] == ["1", "missing sample 1", "missing sample 2"]
    limited = _load_unfinished("error", dataset={"samples": 3}, config={"limit": 1})
    assert [record.id for record in read_documents("auto", limited)] == ["1"]


def test_a_later_epoch_that_was_not_reached_is_missing() -> None:
    log = _load_unfinished("error", dataset={"samples": 1, "sample_ids": [1]}, config={"epochs": 2})
    assert [(record.id, len(record.diagnostics)) for record in read_documents("auto", log)] == [("1:1", 0), ("1:2", 1)]


def test_a_finished_evaluation_lacks_no_samples() -> None:
    log = _load_unfinished("success", dataset={"samples": 3, "sample_ids": [1, 2, 3]})
    assert [record.id for record in read_documents("auto", log)] == ["1"]


@pytest.mark.parametrize("side", ["", ", format: inspect", ", format: auto"])
def test_a_log_in_the_binary_format_names_the_command_that_converts_it(side: str, tmp_path: Path) -> None:
    (tmp_path / "run.eval").write_bytes(b"PK\x03\x04")
    suite = tmp_path / "s.eval.yaml"
    suite.write_text(f"cases: {{file: run.eval{side}}}\nevaluators: [{{type: answer_quality}}]\n")
    with pytest.raises(fw.ConfigError, match="inspect log dump run"):
        fw.run(suite, root=tmp_path)


@pytest.mark.parametrize("samples", [{}, {"samples": None}, {"samples": []}])
def test_the_head_of_a_log_says_that_it_has_no_samples(samples: dict[str, Any]) -> None:
    log = {"version": 2, "status": "success", "eval": {"task": "sums", "dataset": {"samples": 2, "sample_ids": ["a", "b"]}}, **samples}
    records = list(read_documents("auto", log))
    assert [record.id for record in records] == ["a", "b"]
    assert {note.fix for record in records for note in record.diagnostics} == {
        "write the whole log, not its head only: `inspect log dump` without `--header-only`"
    }
    [record] = read_documents("auto", log | {"eval": {"task": "sums"}, "status": "cancelled"})
    assert "ended with the status `cancelled`" in record.diagnostics[0].what
