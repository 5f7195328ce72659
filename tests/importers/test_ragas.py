"""ragas."""

from typing import Any

import pytest
from importer_samples import read_sample

from fieldwise.read.imported_files import read_documents


def test_samples_have_response_reference_and_contexts() -> None:
    first, second = read_sample("ragas")
    assert (first.input, first.record, first.expected) == ("Who wrote Faust?", "Goethe.", "Johann Wolfgang von Goethe")
    assert first.contexts == ["Faust is a play by Goethe."]
    assert second.contexts == []


def test_columns_of_the_first_version_are_rows() -> None:
    columns = {"question": ["q1", "q2"], "answer": ["a1", "a2"], "contexts": [["c"], []], "ground_truths": [["g1", "h1"], ["g2"]]}
    records = list(read_documents("auto", columns))
    assert [(record.input, record.record, record.expected, record.contexts) for record in records] == [
        ("q1", "a1", {"$any": ["g1", "h1"]}, ["c"]),
        ("q2", "a2", "g2", []),
    ]


def test_a_test_set_is_read_by_its_samples() -> None:
    [record] = read_documents("auto", [{"eval_sample": {"user_input": "q", "reference": "r"}, "synthesizer_name": "single_hop"}])
    assert record.expected == "r"


@pytest.mark.parametrize("other", [{"metrics": ["faithfulness"]}, {"scores": [0.5] * 5}, {"id": ["a"]}])
def test_a_list_that_is_no_column_costs_no_sample(other: dict[str, Any]) -> None:
    columns = {"question": ["a?", "b?", "c?"], "answer": ["a", "b", "c"], "ground_truth": ["a", "b", "x"]}
    records = list(read_documents("auto", other | columns))
    assert [(record.input, record.record, record.expected) for record in records] == list(zip(*columns.values(), strict=True))
    assert [record.id for record in records] == [None, None, None]


def test_a_column_of_ids_names_the_samples() -> None:
    document = {"question": ["a?", "b?"], "answer": ["a", "b"], "ground_truth": ["a", "b"], "sample_id": ["s1", "s2"]}
    assert [record.id for record in read_documents("auto", document)] == ["s1", "s2"]
