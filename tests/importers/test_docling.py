"""docling."""

from importer_samples import load_sample, read_sample

from fieldwise.importers.docling import docling


def test_values_are_named_by_their_keys() -> None:
    [record] = read_sample("docling")
    assert record.id == "receipt-17"
    assert record.record == {"Total": "12.40", "Date": "2024-05-01"}
    assert record.page == {"Total": 1}
    assert record.box == {"Total": [0.5, 0.75, 0.8, 0.8]}  # from the top, although docling counts from the bottom


def test_extracted_pages_are_merged() -> None:
    pages = [
        {"page_no": 1, "extracted_data": {"number": "A-1", "total": None, "items": [{"sku": "1"}]}},
        {"page_no": 2, "extracted_data": {"number": "other", "total": 5.5, "items": [{"sku": "2"}]}},
    ]
    [record] = docling({"input": {"file": "a.pdf"}, "pages": pages})
    assert record.record == {"number": "A-1", "total": 5.5, "items": [{"sku": "1"}, {"sku": "2"}]}
    assert record.page == {"number": 1, "total": 2, "items": [{"sku": 1}, {"sku": 2}]}


def test_a_document_without_keys_has_its_text_and_tables() -> None:
    document = load_sample("docling") | {"key_value_items": []}
    head = [{"text": "item", "column_header": True}, {"text": "", "column_header": True}]
    row = [{"text": "Bread", "column_header": False}, {"text": "2.10", "column_header": False}]
    document["tables"] = [{"data": {"grid": [head, row]}}]
    [record] = docling(document)
    assert record.record == {"text": "Receipt", "tables": [[{"item": "Bread", "2": "2.10"}]]}


def test_field_items_pair_the_texts_of_keys_and_values() -> None:
    def text(number: int, label: str, content: str) -> dict[str, object]:
        return {"self_ref": f"#/texts/{number}", "label": label, "text": content, "prov": []}

    def item(*numbers: int) -> dict[str, object]:
        return {"label": "field_item", "children": [{"$ref": f"#/texts/{number}"} for number in numbers]}

    texts = [text(0, "field_key", "Phone:"), text(1, "field_value", "123"), text(2, "field_key", ""), text(3, "field_value", "x")]
    [record] = docling({"schema_name": "DoclingDocument", "texts": texts, "field_items": [item(0, 1), item(2, 3), item()]})
    assert record.record == {"Phone": "123"}


def test_columns_with_the_same_head_are_numbered() -> None:
    heads = [{"text": text, "column_header": True} for text in ("Item", "Amount", "Amount", "Amount_2", "Amount")]
    cells = [{"text": text} for text in ("x", "1", "2", "3", "4")]
    document = {"schema_name": "DoclingDocument", "name": "a", "texts": [], "tables": [{"data": {"grid": [heads, cells]}}]}
    [record] = docling(document)
    assert isinstance(record.record, dict)
    assert record.record["tables"] == [[{"Item": "x", "Amount": "1", "Amount_3": "2", "Amount_2": "3", "Amount_4": "4"}]]
