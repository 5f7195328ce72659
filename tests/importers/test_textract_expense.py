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


def test_the_addresses_of_two_parties_are_not_mixed() -> None:
    def make_field(kind: str, text: str, confidence: float, *parties: str) -> dict[str, object]:
        groups = [{"Types": list(parties), "Id": "g"}] if parties else []
        return {"Type": {"Text": kind}, "ValueDetection": {"Text": text, "Confidence": confidence}, "GroupProperties": groups}

    fields = [
        make_field("STREET", "1 Main St", 99, "VENDOR"),
        make_field("STREET", "2 High St", 98, "RECEIVER", "RECEIVER_BILL_TO"),
        make_field("CITY", "Leeds", 90, "VENDOR"),
        make_field("CITY", "York", 99, "RECEIVER", "RECEIVER_BILL_TO"),
        make_field("NAME", "ACME", 99, "VENDOR"),
        make_field("VENDOR_NAME", "Acme Ltd", 80),
        make_field("TOTAL", "5.00", 80),
        make_field("TOTAL", "6.00", 95),
    ]
    [record] = textract_expense({"ExpenseDocuments": [{"SummaryFields": fields}]})
    assert record.record == {
        "VENDOR_STREET": "1 Main St",
        "RECEIVER_STREET": "2 High St",
        "RECEIVER_BILL_TO_STREET": "2 High St",
        "VENDOR_CITY": "Leeds",
        "RECEIVER_CITY": "York",
        "RECEIVER_BILL_TO_CITY": "York",
        "VENDOR_NAME": "Acme Ltd",
        "TOTAL": "6.00",
    }
