"""Google Document AI."""

from importer_samples import load_sample, read_sample

from fieldwise.importers.google_docai import google_docai
from fieldwise.read.imported_files import recognize_format


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


def test_entities_alone_are_a_document_and_those_of_other_tools_are_not() -> None:
    entity = {"type": "total", "mentionText": "5", "confidence": 0.5}
    assert recognize_format({"text": "5", "entities": [entity]}) == "google_docai"
    assert [record.record for record in google_docai({"entities": [entity]})] == [{"total": "5"}]
    for entities in ([{"type": "ORG", "text": "Acme"}], ["Acme"]):
        assert recognize_format({"text": "Acme", "entities": entities}) is None


def test_the_fields_of_a_form_are_read_where_there_are_no_entities() -> None:
    def layout(start: int, end: int, x: float) -> dict[str, object]:
        corners = [{"x": x, "y": 0.1}, {"x": x + 0.1, "y": 0.1}, {"x": x + 0.1, "y": 0.2}, {"x": x, "y": 0.2}]
        anchor = {"textSegments": [{"startIndex": str(start), "endIndex": str(end)}]}
        return {"textAnchor": anchor, "confidence": 0.9, "boundingPoly": {"normalizedVertices": corners}}

    fields = [
        {"fieldName": layout(0, 11, 0.1), "fieldValue": layout(11, 22, 0.5)},
        {"fieldName": layout(22, 28, 0.1), "fieldValue": layout(28, 28, 0.5), "valueType": "filled_checkbox"},
    ]
    page = {"pageNumber": 2, "formFields": fields}
    document = {"mimeType": "application/pdf", "text": "Form Date:\n2020/10/01\nPaid: ", "pages": [page]}
    [record] = google_docai(document)
    assert record.record == {"Form Date": "2020/10/01", "Paid": True}
    assert record.page == {"Form Date": 2, "Paid": 2}
    assert record.confidence["Form Date"] == 0.9
    assert record.box["Form Date"] == [0.5, 0.1, 0.6, 0.2]
    assert recognize_format(document) == "google_docai"
    assert recognize_format({"text": "no form", "pages": [{"pageNumber": 1}]}) is None


def test_entities_of_the_form_parser_and_of_quality_do_not_hide_the_form() -> None:
    name, value = ({"textAnchor": {"content": text}} for text in ("Name:", "Ada"))
    pages = [{"pageNumber": 1, "formFields": [{"fieldName": name, "fieldValue": value}]}]
    quality = {"type": "quality_score", "confidence": 0.9, "properties": [{"type": "quality/defect_glare", "confidence": 0.1}]}
    generic = {"type": "generic_entities", "properties": [{"type": "generic_entities/person", "mentionText": "Ada"}]}
    total = {"type": "total", "mentionText": "5"}
    for entities, record in (
        ([quality], {"Name": "Ada"}),
        ([quality, generic], {"Name": "Ada", "generic_entities": {"person": "Ada"}}),
        ([quality, total], {"total": "5"}),
    ):
        assert [imported.record for imported in google_docai({"pages": pages, "entities": entities})] == [record]
