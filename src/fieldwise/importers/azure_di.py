"""Azure AI Document Intelligence: `analyzeResult` of the REST API and of the SDKs' `as_dict`.

`documents` (2022-08-31 and later), `documentResults` (Form Recognizer 2.0 and 2.1), or `keyValuePairs` where no model names the fields.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from fieldwise.importers._leaves import Box, Leaf, bound_points, build_record, collect
from fieldwise.importers._rows import fold_key, take
from fieldwise.model.imported import ImportedRecord
from fieldwise.model.values import MISSING
from fieldwise.registry import importer

PageSizes = Mapping[int, tuple[float, float]]
_NO_EVIDENCE: Final = Leaf(None)
_MARKS: Final = {"selected": True, "unselected": False}


def _find_result(document: Any) -> Mapping[str, Any] | None:
    """The object that holds the documents or key-value pairs."""
    if not isinstance(document, Mapping):
        return None
    result = take(document, "analyzeResult")
    result = document if result is MISSING else result
    if not isinstance(result, Mapping):
        return None
    is_present = take(result, "modelId", "apiVersion") is not MISSING and (_list_documents(result) is not None or _list_pairs(result))
    is_old = isinstance(result.get("readResults"), list) and isinstance(result.get("documentResults"), list)
    return result if is_present or is_old else None


def _list_documents(result: Mapping[str, Any]) -> list[Any] | None:
    documents = take(result, "documents", "documentResults")
    return documents if isinstance(documents, list) else None


def _list_pairs(result: Mapping[str, Any]) -> list[Any]:
    pairs = take(result, "keyValuePairs")
    return pairs if isinstance(pairs, list) else []


def _recognizes(document: Any) -> bool:
    return _find_result(document) is not None


@importer(label="Azure AI Document Intelligence", recognizes=_recognizes)
def azure_di(document: Any) -> Iterator[ImportedRecord]:
    """One record for each document found: fields by name, amounts of money as numbers, addresses as text, check boxes as true or false."""
    result = _find_result(document) or {}
    sizes = {
        int(take(page, "pageNumber", "page")): (float(page.get("width") or 0), float(page.get("height") or 0))
        for page in result.get("pages") or result.get("readResults") or ()
        if take(page, "pageNumber", "page") is not MISSING
    }
    if not _list_documents(result) and _list_pairs(result):
        yield build_record(_read_pairs(_list_pairs(result), sizes), repeatable=True)
        return
    for detected in _list_documents(result) or [{}]:  # a document in which nothing was found is an empty record
        fields = {name: _read_field(field, sizes) for name, field in (detected.get("fields") or {}).items()}
        metadata = {"document_type": take(detected, "docType"), "document_confidence": take(detected, "confidence", "docTypeConfidence")}
        present = {name: value for name, value in metadata.items() if value not in (MISSING, None)}
        yield build_record(fields, metadata=present)


def _read_pairs(pairs: list[Any], sizes: PageSizes) -> dict[str, Any]:
    """Values by the text of their keys; a key that occurs several times has a list of values."""
    leaves: list[tuple[str, Leaf]] = []
    for pair in pairs:
        value = pair.get("value") or {}
        name = str((pair.get("key") or {}).get("content") or "").strip().rstrip(":").rstrip()
        page, box = _read_place(value, sizes)
        leaves.append((name, Leaf(read_mark(value.get("content")), pair.get("confidence"), page, box)))
    return collect((name, leaf) for name, leaf in leaves if name)


def _read_field(field: Mapping[str, Any] | None, sizes: PageSizes, outer: Leaf = _NO_EVIDENCE) -> Any:
    """A field as a leaf, a list or an object of them.

    Without a confidence or page of its own, it has those of the list or object around it, but not their box.
    """
    if not field:
        return Leaf(None)
    page, box = _read_place(field, sizes)
    confidence = field.get("confidence")
    leaf = Leaf(None, outer.confidence if confidence is None else confidence, outer.page if page is None else page, box)
    items, members = _value_of(field, "array"), _value_of(field, "object")
    if isinstance(items, list):
        return [_read_field(item, sizes, leaf) for item in items]
    if isinstance(members, Mapping):
        return {name: _read_field(member, sizes, leaf) for name, member in members.items()}
    return replace(leaf, value=_read_scalar(field))


def _value_of(field: Mapping[str, Any], kind: str) -> Any:
    """The value of a field under `valueArray`, `value_array`, or `value` in the output of older SDKs."""
    value = take(field, f"value{kind}")
    if value is MISSING and str(take(field, "type", "valueType")) in (kind, {"array": "list", "object": "dictionary"}.get(kind)):
        return take(field, "value")
    return value


def _read_scalar(field: Mapping[str, Any]) -> Any:
    content = field.get("content", field.get("text"))
    kind = str(take(field, "type", "valueType"))
    if kind == "address":
        return content.replace("\n", " ") if isinstance(content, str) else take(field, "valueAddress", "value")
    value = take(field, f"value{kind}", "value")
    if value is MISSING:
        value_keys = [key for key in field if fold_key(key).startswith("value") and fold_key(key) != "valuetype"]
        value = field[value_keys[0]] if value_keys else content
    if isinstance(value, Mapping) and "amount" in value:
        return value["amount"]
    if fold_key(kind) == "selectionmark":
        return read_mark(value)
    return content if value is None else value


def read_mark(value: Any) -> Any:
    """True or false for the mark of a check box; any other value as it is.

    >>> read_mark("selected"), read_mark(":unselected:"), read_mark("4 selected")
    (True, False, '4 selected')
    """
    return _MARKS.get(value.strip(": \n"), value) if isinstance(value, str) else value


def _read_place(field: Mapping[str, Any], sizes: PageSizes) -> tuple[int | None, Box | None]:
    regions = take(field, "boundingRegions")
    region = regions[0] if isinstance(regions, list) and regions else field
    page = take(region, "pageNumber", "page")
    points = take(region, "polygon", "boundingPolygon", "boundingBox")
    if page is MISSING or page is None:
        return None, None
    width, height = sizes.get(int(page), (0.0, 0.0))
    if not isinstance(points, list) or not points:
        return int(page), None
    if isinstance(points[0], Mapping):
        pairs = [(float(point["x"]), float(point["y"])) for point in points]
    else:
        pairs = list(zip(points[::2], points[1::2], strict=False))
    return int(page), bound_points(pairs, width, height)
