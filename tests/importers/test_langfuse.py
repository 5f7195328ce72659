"""Langfuse."""

import json
from pathlib import Path

from importer_samples import read_sample

import fieldwise as fw
from fieldwise.importers.langfuse import langfuse
from fieldwise.model.values import MISSING


def test_an_item_of_a_run_has_the_output_of_its_trace() -> None:
    [record] = read_sample("langfuse")  # the archived item is left out
    assert (record.id, record.expected, record.record) == ("item-1", {"total": 12.5}, {"total": 12.0})
    assert (record.input, record.metadata) == ({"file": "a.pdf"}, {"lang": "de"})


def test_items_and_traces_alone_are_one_side() -> None:
    [item] = langfuse([{"id": "i", "datasetName": "d", "input": "q", "expectedOutput": "a"}])
    assert (item.id, item.expected, item.record) == ("i", "a", MISSING)
    [trace] = langfuse([{"id": "t", "projectId": "p", "input": "q", "output": {"answer": "a"}}])
    assert (trace.id, trace.expected, trace.record) == ("t", MISSING, {"answer": "a"})


def test_one_page_of_many_is_a_warning(tmp_path: Path) -> None:
    rows = [{"id": id, "traceId": id, "input": "q", "expectedOutput": "a", "output": "a"} for id in ("1", "2")]
    file = tmp_path / "items.json"
    file.write_text(json.dumps({"data": rows, "meta": {"page": 1, "limit": 2, "totalItems": 240, "totalPages": 120}}))
    run = fw.run({"cases": str(file), "evaluators": [{"type": "answer_quality"}]}, root=tmp_path)
    assert [(note.level, note.what[:25]) for note in run.diagnostics if note.code == "one-page"] == [
        ("warning", "the file is page 1 of 120")
    ]
    [first, _] = langfuse({"data": rows, "meta": {"page": 120, "totalPages": 120}})
    assert first.diagnostics == ()
