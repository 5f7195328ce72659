"""ragas."""

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
