"""docling: a `DoclingDocument` with key-value, form or field items, or the pages of a `DocumentExtractor`."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from fieldwise.importers._leaves import Box, Leaf, build_record, collect, make_box
from fieldwise.model.imported import ImportedRecord
from fieldwise.registry import importer

PageSizes: TypeAlias = Mapping[int, tuple[float, float]]


def _recognizes(document: Any) -> bool:
    if not isinstance(document, Mapping):
        return False
    return document.get("schema_name") == "DoclingDocument" or _has_extracted_pages(document)


def _has_extracted_pages(document: Mapping[str, Any]) -> bool:
    pages = document.get("pages")
    return isinstance(pages, list) and bool(pages) and all(isinstance(page, Mapping) and "extracted_data" in page for page in pages)


@importer(label="docling", recognizes=_recognizes)
def docling(document: Any) -> Iterator[ImportedRecord]:
    """One record: extracted data (later pages add fields and list items), or values by the text of their keys.

    A converted document without key-value items has `text` (its texts, line by line) and `tables` (rows by their column heads).
    """
    if _has_extracted_pages(document):
        merged: dict[str, Any] = {}
        for page in document["pages"]:
            if isinstance(page["extracted_data"], Mapping):
                _merge_page(merged, page["extracted_data"], page.get("page_no"))
        yield build_record(merged)
        return
    name = document.get("name")
    sizes = _read_page_sizes(document)
    pairs = [
        pair
        for kind in ("key_value_items", "form_items")
        for item in document.get(kind) or ()
        for pair in _read_graph(item.get("graph") or {}, sizes)
    ]
    pairs += _read_field_items(document, sizes)
    tree = collect(pairs) if pairs else _read_content(document)
    yield build_record(tree, id=str(name) if name else None, repeatable=bool(pairs))


def _merge_page(merged: dict[str, Any], data: Mapping[str, Any], page: int | None) -> None:
    for name, value in data.items():
        if isinstance(value, list):
            merged.setdefault(name, []).extend(_add_page(item, page) for item in value)
        elif name not in merged or (isinstance(merged[name], Leaf) and merged[name].value is None):
            merged[name] = _add_page(value, page)


def _add_page(value: Any, page: int | None) -> Any:
    if isinstance(value, Mapping):
        return {name: _add_page(member, page) for name, member in value.items()}
    if isinstance(value, list):
        return [_add_page(item, page) for item in value]
    return Leaf(value, page=page)


def _read_page_sizes(document: Mapping[str, Any]) -> PageSizes:
    pages = document.get("pages")
    entries = pages.values() if isinstance(pages, Mapping) else ()
    return {int(page["page_no"]): (page["size"]["width"], page["size"]["height"]) for page in entries if page.get("size")}


def _read_graph(graph: Mapping[str, Any], sizes: PageSizes) -> Iterator[tuple[str, Leaf]]:
    """The key-value pairs of a graph, whose links lead from a key's cell to the cells of its values."""
    cells = {cell["cell_id"]: cell for cell in graph.get("cells") or ()}
    for link in graph.get("links") or ():
        source, target = link.get("source_cell_id"), link.get("target_cell_id")
        if link.get("label") == "to_key":
            source, target = target, source
        elif link.get("label") != "to_value":
            continue
        if source in cells and target in cells and cells[source].get("label") == "key":
            value = cells[target]
            page, box = _read_place(value.get("prov"), sizes)
            yield str(cells[source].get("text", "")).strip().rstrip(":").rstrip(), Leaf(value.get("text"), page=page, box=box)


def _read_field_items(document: Mapping[str, Any], sizes: PageSizes) -> Iterator[tuple[str, Leaf]]:
    """The pairs of field items, whose children are the texts of a key and of its values; items without a key are left out."""
    texts = {text.get("self_ref"): text for text in document.get("texts") or ()}
    for item in document.get("field_items") or ():
        children = [texts[child["$ref"]] for child in item.get("children") or () if child.get("$ref") in texts]
        keys = [str(text.get("text", "")).strip().rstrip(":").rstrip() for text in children if text.get("label") == "field_key"]
        for text in children:
            if text.get("label") == "field_value" and keys and keys[0]:
                page, box = _read_place(text.get("prov"), sizes)
                yield keys[0], Leaf(text.get("text"), page=page, box=box)


def _read_place(provenance: Any, sizes: PageSizes) -> tuple[int | None, Box | None]:
    if isinstance(provenance, list):
        provenance = provenance[0] if provenance else None
    if not isinstance(provenance, Mapping) or "page_no" not in provenance:
        return None, None
    page = int(provenance["page_no"])
    bounds, size = provenance.get("bbox"), sizes.get(page)
    if not isinstance(bounds, Mapping) or size is None or not all(size):
        return page, None
    width, height = size
    top, bottom = bounds["t"], bounds["b"]
    if bounds.get("coord_origin", "TOPLEFT") == "BOTTOMLEFT":
        top, bottom = height - top, height - bottom
    return page, make_box(bounds["l"] / width, top / height, bounds["r"] / width, bottom / height)


def _read_content(document: Mapping[str, Any]) -> dict[str, Any]:
    texts = [str(text.get("text", "")) for text in document.get("texts") or () if text.get("content_layer", "body") == "body"]
    tree: dict[str, Any] = {"text": Leaf("\n".join(texts))}
    tables = [_read_table(table.get("data") or {}) for table in document.get("tables") or ()]
    if tables:
        tree["tables"] = tables
    return tree


def _read_table(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows below the heads; columns without a head by their number, repeated heads numbered."""
    grid = data.get("grid") or ()
    heads: list[str] = []
    rows: list[dict[str, Any]] = []
    for cells in grid:
        if all(cell.get("column_header") for cell in cells):
            heads = [str(cell.get("text", "")) for cell in cells]
        else:
            names = [heads[place] if place < len(heads) and heads[place] else str(place + 1) for place in range(len(cells))]
            rows.append({name: Leaf(cell.get("text")) for name, cell in zip(_number_repeated(names), cells, strict=True)})
    return rows


def _number_repeated(names: list[str]) -> list[str]:
    """The names, each once: the second `Amount` is `Amount_2`, unless another column has that name.

    >>> _number_repeated(["Item", "Amount", "Amount", "Amount"])
    ['Item', 'Amount', 'Amount_2', 'Amount_3']
    """
    numbered: list[str] = []
    taken = set(names)
    for name in names:
        unique, number = name, 1
        while unique in numbered or (number > 1 and unique in taken):
            number += 1
            unique = f"{name}_{number}"
        numbered.append(unique)
    return numbered
