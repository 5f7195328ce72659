"""Google Document AI."""

from importer_samples import load_sample, read_sample

from fieldwise.importers.google_docai import google_docai


def test_normalized_values_win_and_nested_entities_are_objects() -> None:
    [record] = read_sample("google_docai")
    assert record.record == {
        "supplier_name": "Google Singapore",
        "invoice_date": "2019-09-24",
        "total_amount": 2140.5,
        "currency": "USD",
        "line_item": [{"description": "Tool A", "quantity": 500}],
    }


def test_pages_count_from_one() -> None:
    [record] = read_sample("google_docai")
    assert record.page == {"supplier_name": 1, "invoice_date": 2, "total_amount": 1, "line_item": [{"description": 1}]}
    assert record.box["total_amount"] == [0.8, 0.7, 0.9, 0.72]
    assert record.confidence["line_item"] == [{"description": 0.91, "quantity": 0.95}]


def test_the_names_of_the_python_client_are_read_too() -> None:
    entity = {"type_": "total", "mention_text": "5", "confidence": 0.5, "page_anchor": {"page_refs": [{"page": 0}]}}
    [record] = google_docai({"mime_type": "application/pdf", "pages": [], "entities": [entity, {**entity, "mention_text": "6"}]})
    assert record.record == {"total": ["5", "6"]}
    assert record.page == {"total": [1, 1]}


def test_the_document_alone_is_the_same_as_the_response() -> None:
    response = load_sample("google_docai")
    assert list(google_docai(response)) == list(google_docai(response["document"]))
