"""Google Document AI: entities of a process response, or fields of the form parser; as REST or the Python client's `to_dict` writes it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from fieldwise.importers._leaves import Box, Leaf, bound_points, build_record, collect
from fieldwise.importers._rows import take, take_text
from fieldwise.model.imported import ImportedRecord
from fieldwise.model.values import MISSING
from fieldwise.registry import importer

_QUALITY: Final = "quality_score"
"""Type of the entity that holds the defects of the picture."""
_GENERIC: Final = "generic_entities"
"""Type of the entity in which the form parser collects dates, persons and the like, beside the fields of the form."""


def _find_document(document: Any) -> Mapping[str, Any] | None:
    inner = document.get("document", document) if isinstance(document, Mapping) else None
    if not isinstance(inner, Mapping) or not (isinstance(inner.get("entities"), list) or _list_form_fields(inner)):
        return None
    entities = inner.get("entities") or ()
    if not all(isinstance(entity, Mapping) for entity in entities):
        return None
    # a response with a field mask may have entities alone; no other tool writes `mentionText`
    is_document = take(inner, "mimeType", "textStyles", "pages", "shardInfo", "uri") is not MISSING
    is_document = is_document or any(take(entity, "mentionText") is not MISSING for entity in entities)
    return inner if is_document and all(take(entity, "type", "mentionText") is not MISSING for entity in entities) else None


@importer(label="Google Document AI", recognizes=lambda document: _find_document(document) is not None)
def google_docai(document: Any) -> Iterator[ImportedRecord]:
    """One record: entities by type, nested ones as objects. Normalized values count where there are some (dates, amounts, numbers).

    A type that occurs several times is a list; `line_item` always is. Of a document without entities of a schema, the fields of its forms
    are read. What is said about the quality of the picture is left out.
    """
    content = _find_document(document) or {}
    entities = [entity for entity in content.get("entities") or () if take(entity, "type") != _QUALITY]
    form = _read_form(content) if all(take(entity, "type") == _GENERIC for entity in entities) else {}
    yield build_record({**form, **_read_entities(entities, "")}, repeatable=True)


def _list_form_fields(content: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """The form fields of every page that have a name, with the number of the page."""
    pages: list[Any] = content["pages"] if isinstance(content.get("pages"), list) else []
    fields: list[tuple[int, Mapping[str, Any]]] = []
    for number, page in enumerate(pages, 1):
        entries = take(page, "formFields") if isinstance(page, Mapping) else MISSING
        named = [entry for entry in entries if isinstance(take(entry, "fieldName"), Mapping)] if isinstance(entries, list) else []
        fields += [(int(take_text(page, "pageNumber") or number), entry) for entry in named]
    return fields


def _read_form(content: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a form by their printed names, without the colon."""
    text = str(content.get("text") or "")
    nodes: list[tuple[str, Leaf]] = []
    for page, entry in _list_form_fields(content):
        name, layout = take(entry, "fieldName"), take(entry, "fieldValue")
        value, confidence, box = None, None, None
        if isinstance(layout, Mapping):
            value, confidence, box = _read_layout_text(layout, text) or None, layout.get("confidence"), _read_polygon(layout)
        checkbox = take(entry, "valueType")
        if checkbox in ("filled_checkbox", "unfilled_checkbox"):
            value = checkbox == "filled_checkbox"
        label = _read_layout_text(name, text).rstrip(": ")
        nodes.append((label, Leaf(value, None if confidence is None else float(confidence), page, box)))
    return collect(nodes)


def _read_layout_text(layout: Mapping[str, Any], text: str) -> str:
    """The text that a layout refers to, on one line."""
    anchor = take(layout, "textAnchor")
    if not isinstance(anchor, Mapping):
        return ""
    segments = take(anchor, "textSegments")
    spans = [(int(take_text(span, "startIndex") or 0), int(take_text(span, "endIndex") or 0)) for span in segments or ()] if text else []
    content = "".join(text[start:end] for start, end in spans) or str(anchor.get("content") or "")
    return " ".join(content.split())


def _read_entities(entities: Iterable[Mapping[str, Any]], parent: str) -> dict[str, Any]:
    grouped: dict[str, list[Any]] = {}
    for entity in entities:
        kind = str(take(entity, "type"))
        name = kind.removeprefix(f"{parent}/")
        grouped.setdefault(name, []).append(_read_entity(entity, kind))
    return {name: nodes if len(nodes) > 1 or name == "line_item" else nodes[0] for name, nodes in grouped.items()}


def _read_entity(entity: Mapping[str, Any], kind: str) -> Any:
    properties = take(entity, "properties")
    if isinstance(properties, list) and properties:
        return _read_entities(properties, kind)
    page, box = _read_place(take(entity, "pageAnchor"))
    confidence = entity.get("confidence")
    return Leaf(_read_value(entity), None if confidence is None else float(confidence), page, box)


def _read_value(entity: Mapping[str, Any]) -> Any:
    text = take(entity, "mentionText")
    text = None if text is MISSING else text
    normalized = take(entity, "normalizedValue")
    if not isinstance(normalized, Mapping):
        return text
    money, date = take(normalized, "moneyValue"), take(normalized, "dateValue")
    if isinstance(money, Mapping):
        amount = int(money.get("units") or 0) + int(money.get("nanos") or 0) / 1_000_000_000
        return int(amount) if amount == int(amount) else round(amount, 9)
    if isinstance(date, Mapping) and date.get("year") and date.get("month") and date.get("day"):
        return f"{int(date['year']):04d}-{int(date['month']):02d}-{int(date['day']):02d}"
    value = take(normalized, "booleanValue", "integerValue", "floatValue")
    if value is not MISSING:
        return value
    return normalized.get("text") or text


def _read_place(anchor: Any) -> tuple[int | None, Box | None]:
    references = take(anchor, "pageRefs") if isinstance(anchor, Mapping) else MISSING
    if not isinstance(references, list) or not references:
        return None, None
    reference = references[0]
    return int(reference.get("page") or 0) + 1, _read_polygon(reference)  # a page of 0 is left out by protobuf


def _read_polygon(place: Mapping[str, Any]) -> Box | None:
    polygon = take(place, "boundingPoly")
    corners = take(polygon, "normalizedVertices") if isinstance(polygon, Mapping) else MISSING
    if not isinstance(corners, list):
        return None
    return bound_points([(corner.get("x", 0.0), corner.get("y", 0.0)) for corner in corners])
