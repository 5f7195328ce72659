"""Langfuse."""

from importer_samples import read_sample

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
