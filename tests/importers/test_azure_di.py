"""Azure AI Document Intelligence."""

from importer_samples import load_sample, read_sample

from fieldwise.importers.azure_di import azure_di
from fieldwise.read.imported_files import recognize_format


def test_values_have_their_types() -> None:
    [record] = read_sample("azure_di")
    assert record.record == {
        "VendorName": "CONTOSO LTD.",
        "InvoiceId": "INV-100",
        "InvoiceDate": "2019-11-15",
        "InvoiceTotal": 110,
        "CustomerAddress": "123 Other St, Redmond WA, 98052",
        "IsPaid": False,
        "PurchaseOrder": None,
        "Items": [
            {"Description": "Consulting Services", "Quantity": 2, "Amount": 60},
            {"Description": "Document Fee", "Quantity": 3, "Amount": 30.5},
        ],
    }
    assert record.metadata == {"document_type": "invoice", "document_confidence": 1}


def test_confidence_page_and_box_are_beside_the_values() -> None:
    [record] = read_sample("azure_di")
    assert record.confidence["VendorName"] == 0.941
    assert record.confidence["Items"][0]["Quantity"] == 0.905
    assert record.page["VendorName"] == 1
    assert record.box["VendorName"] == [0.1, 0.1, 0.3, 0.15]
    assert record.page["Items"] == [{"Quantity": 2}, None]
    assert "Items" not in record.box  # the size of page 2 is not known


def test_the_names_of_the_python_sdk_are_read_too() -> None:
    field = {"type": "currency", "value_currency": {"amount": 7.5}, "bounding_regions": [{"page_number": 1, "polygon": [0, 0, 1, 0, 1, 1]}]}
    older = {"value_type": "list", "value": [{"value_type": "dictionary", "value": {"Qty": {"value_type": "float", "value": 2.0}}}]}
    document = {
        "api_version": "2024-11-30",
        "model_id": "m",
        "pages": [{"page_number": 1, "width": 2, "height": 4}],
        "documents": [{"doc_type": "x", "fields": {"Total": field, "Items": older}}],
    }
    [record] = azure_di(document)
    assert record.record == {"Total": 7.5, "Items": [{"Qty": 2.0}]}
    assert record.box == {"Total": [0.0, 0.0, 0.5, 0.25]}


def test_each_document_of_a_result_is_a_record() -> None:
    document = load_sample("azure_di")
    document["analyzeResult"]["documents"] *= 2
    assert len(list(azure_di(document))) == 2


def test_results_of_form_recognizer_2_are_read() -> None:
    field = {"type": "number", "valueNumber": 610, "text": "$610.00", "boundingBox": [4, 1, 6, 1, 6, 2, 4, 2], "page": 1, "confidence": 0.9}
    name = {"type": "string", "text": "Contoso", "page": 1, "confidence": 0.6}
    result = {
        "version": "2.1.0",
        "readResults": [{"page": 1, "width": 8, "height": 10, "unit": "inch"}],
        "documentResults": [
            {"docType": "prebuilt:invoice", "pageRange": [1, 1], "fields": {"AmountDue": field, "Vendor": name, "Due": None}}
        ],
    }
    document = {"status": "succeeded", "analyzeResult": result}
    assert recognize_format(document) == "azure_di"
    [record] = azure_di(document)
    assert record.record == {"AmountDue": 610, "Vendor": "Contoso", "Due": None}
    assert record.box["AmountDue"] == [0.5, 0.1, 0.75, 0.2]
    assert record.metadata["document_type"] == "prebuilt:invoice"


def test_key_value_pairs_are_read_where_no_model_names_the_fields() -> None:
    place = {"boundingRegions": [{"pageNumber": 1, "polygon": [1, 1, 2, 1, 2, 2, 1, 2]}]}
    pairs = [
        {"key": {"content": "Case:"}, "value": {"content": "A Case", **place}, "confidence": 0.8},
        {"key": {"content": "Note"}, "confidence": 0.4},
    ]
    pages = [{"pageNumber": 1, "width": 10, "height": 10}]
    document = {"analyzeResult": {"apiVersion": "2024-11-30", "modelId": "prebuilt-layout", "pages": pages, "keyValuePairs": pairs}}
    assert recognize_format(document) == "azure_di"
    [record] = azure_di(document)
    assert record.record == {"Case": "A Case", "Note": None}
    assert (record.confidence["Case"], record.box["Case"]) == (0.8, [0.1, 0.1, 0.2, 0.2])
