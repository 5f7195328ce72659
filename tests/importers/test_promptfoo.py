"""promptfoo."""

from importer_samples import read_sample


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
