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


def test_members_without_a_confidence_have_that_of_their_object() -> None:
    zone = {
        "type": "object",
        "valueObject": {
            "Number": {"type": "string", "valueString": "ZE1"},
            "Sex": {"type": "string", "valueString": "F", "confidence": 0.4, "page": 2},
        },
        "boundingBox": [1, 1, 2, 1, 2, 2, 1, 2],
        "page": 1,
        "confidence": 0.9,
    }
    names = {"type": "array", "valueArray": [{"type": "object", "valueObject": {"First": {"text": "Ada"}}, "confidence": 0.7, "page": 1}]}
    pages = [{"page": 1, "width": 4, "height": 4}]
    [record] = azure_di({"readResults": pages, "documentResults": [{"docType": "x", "fields": {"Zone": zone, "Names": names}}]})
    assert record.confidence == {"Zone": {"Number": 0.9, "Sex": 0.4}, "Names": [{"First": 0.7}]}
    assert record.page == {"Zone": {"Number": 1, "Sex": 2}, "Names": [{"First": 1}]}
    assert record.box == {}  # the box of the object is not that of its members


def test_check_boxes_are_true_or_false() -> None:
    fields = {
        "Paid": {"type": "selectionMark", "valueSelectionMark": "selected"},
        "Void": {"type": "selectionMark", "valueSelectionMark": "unselected", "content": ":unselected:"},
        "Note": {"type": "string", "valueString": "selected"},
    }
    [record] = azure_di({"apiVersion": "2024-11-30", "modelId": "m", "documents": [{"docType": "x", "fields": fields}]})
    assert record.record == {"Paid": True, "Void": False, "Note": "selected"}
    pair = {"key": {"content": "Smoker:"}, "value": {"content": ":selected:"}, "confidence": 0.8}
    [record] = azure_di({"apiVersion": "2024-11-30", "modelId": "m", "keyValuePairs": [pair]})
    assert record.record == {"Smoker": True}
