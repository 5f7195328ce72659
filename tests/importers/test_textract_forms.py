"""Amazon Textract AnalyzeDocument."""

from importer_samples import read_sample

from fieldwise.importers.textract_forms import textract_forms


def test_keys_check_boxes_and_queries_are_fields() -> None:
    [record] = read_sample("textract_forms")
    assert record.record == {"Name": "Jane Doe", "Smoker": True, "policy_number": "P-771"}
    assert record.confidence == {"Name": 0.935, "Smoker": 0.9, "policy_number": 0.88}
    assert record.page == {"Name": 1, "Smoker": 1, "policy_number": 2}
    assert record.box["Name"] == [0.2, 0.1, 0.5, 0.12]


def test_a_key_without_a_value_is_null() -> None:
    word = {"BlockType": "WORD", "Id": "w", "Text": "Signature"}
    key = {"BlockType": "KEY_VALUE_SET", "EntityTypes": ["KEY"], "Id": "k", "Relationships": [{"Type": "CHILD", "Ids": ["w", "gone"]}]}
    [record] = textract_forms({"Blocks": [word, key, {**key, "Id": "k2"}]})
    assert record.record == {"Signature": [None, None]}


def test_a_key_without_words_names_no_field() -> None:
    blocks = [
        {"Id": "k", "BlockType": "KEY_VALUE_SET", "EntityTypes": ["KEY"], "Relationships": [{"Type": "VALUE", "Ids": ["v"]}]},
        {"Id": "v", "BlockType": "KEY_VALUE_SET", "EntityTypes": ["VALUE"], "Relationships": [{"Type": "CHILD", "Ids": ["w"]}]},
        {"Id": "w", "BlockType": "WORD", "Text": "stray"},
    ]
    [record] = textract_forms({"Blocks": blocks})
    assert record.record == {}


def test_the_only_page_of_a_synchronous_operation_is_page_one() -> None:
    blocks = [
        {"Id": "q", "BlockType": "QUERY", "Query": {"Text": "Total?"}, "Relationships": [{"Type": "ANSWER", "Ids": ["a"]}]},
        {"Id": "a", "BlockType": "QUERY_RESULT", "Text": "5.00", "Confidence": 90},
        {"Id": "r", "BlockType": "QUERY", "Query": {"Text": "Tax?"}},
    ]
    [record] = textract_forms({"Blocks": blocks})
    assert record.page == {"Total?": 1}
    [record] = textract_forms({"Blocks": [*blocks, {"Id": "p", "BlockType": "PAGE", "Page": 2}]})
    assert record.page == {}


def test_a_response_without_forms_and_queries_says_so() -> None:
    [record] = textract_forms({"Blocks": [{"Id": "t", "BlockType": "TABLE"}, {"Id": "l", "BlockType": "LINE", "Text": "Total 5"}]})
    assert record.record == {}
    [note] = record.diagnostics
    assert (note.level, note.fix) == ("warning", "analyze the document with FORMS or QUERIES")
