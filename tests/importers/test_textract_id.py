"""Amazon Textract AnalyzeID."""

from importer_samples import load_sample, read_sample

from fieldwise.importers.textract_id import textract_id


def test_fields_are_named_by_their_type_and_dates_are_normalized() -> None:
    [record] = read_sample("textract_id")
    assert record.record == {
        "FIRST_NAME": "Mateo",
        "MIDDLE_NAME": None,
        "DATE_OF_BIRTH": "1978-03-18",
        "DOCUMENT_NUMBER": "736HDV7874JSB",
        "ID_TYPE": "DRIVER LICENSE FRONT",
    }
    assert record.confidence["DATE_OF_BIRTH"] == 0.975


def test_a_document_in_which_nothing_was_found_is_an_empty_record() -> None:
    response = load_sample("textract_id") | {"IdentityDocuments": []}
    assert [record.record for record in textract_id(response)] == [{}]
