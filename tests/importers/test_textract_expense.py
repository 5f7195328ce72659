"""Amazon Textract AnalyzeExpense."""

from importer_samples import load_sample, read_sample

from fieldwise.importers.textract_expense import textract_expense


def test_fields_are_named_by_their_type_or_label() -> None:
    [record] = read_sample("textract_expense")
    assert record.record == {
        "VENDOR_NAME": "Whole Foods Market",
        "INVOICE_RECEIPT_DATE": "03/14/2024",
        "TOTAL": "$31.07",
        "Register": "0042",
        "line_items": [{"ITEM": "Bananas", "QUANTITY": "2", "PRICE": "$1.38"}, {"ITEM": "Oat milk", "PRICE": "$4.29"}],
    }


def test_confidence_page_and_box_are_shares() -> None:
    [record] = read_sample("textract_expense")
    assert record.confidence["TOTAL"] == 0.965
    assert record.box["TOTAL"] == [0.1, 0.2, 0.4, 0.25]
    assert [item["PRICE"] for item in record.page["line_items"]] == [1, 2]


def test_the_pages_of_an_asynchronous_operation_are_read() -> None:
    response = load_sample("textract_expense")
    assert len(list(textract_expense([response, response]))) == 2
