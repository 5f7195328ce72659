"""promptfoo."""

from importer_samples import load_sample, read_sample

from fieldwise.read.imported_files import read_documents


def test_expected_comes_from_a_variable_or_an_assertion() -> None:
    records = read_sample("promptfoo")
    assert [(record.expected, record.record) for record in records] == [
        ("Paris", "Paris."),
        ({"total": 12.5}, {"total": 12.5}),
        ("4", "4"),
        ("4", "five"),
    ]
    assert records[0].input == "Capital of France?"


def test_outputs_of_several_providers_have_ids_of_their_own() -> None:
    records = read_sample("promptfoo")
    assert [record.id for record in records] == ["0", "1", "2:0:openai:gpt-4o-mini", "2:1:anthropic:claude"]
    assert records[3].metadata == {"provider": "anthropic:claude"}


def test_lines_of_a_jsonl_file_are_results() -> None:
    rows = load_sample("promptfoo")["results"]["results"]
    lines = [{"testIdx": number, "promptIdx": 0, **row} for number, row in enumerate(rows)]
    assert [record.record for record in read_documents("auto", lines)] == [record.record for record in read_sample("promptfoo")]
    assert [record.record for record in read_documents("auto", lines[0])] == ["Paris."]
