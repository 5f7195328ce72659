"""What the responses of all Textract operations have in common."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from fieldwise.importers._leaves import Box, Leaf, as_share, make_box

_WHOLE_ROW: Final = "EXPENSE_ROW"
"""The text of a whole line item, which repeats its fields."""
_MIDNIGHT: Final = "T00:00:00"


def find_responses(document: Any, key: str) -> list[Mapping[str, Any]]:
    """The responses that have this list: the document, or the pages of an asynchronous operation in a list."""
    responses = document if isinstance(document, list) else [document]
    matching = [response for response in responses if isinstance(response, Mapping) and isinstance(response.get(key), list)]
    return matching if len(matching) == len(responses) else []


def read_box(geometry: Any) -> Box | None:
    """The box of a `Geometry`, which has shares of the page already."""
    box = geometry.get("BoundingBox") if isinstance(geometry, Mapping) else None
    if not isinstance(box, Mapping) or not {"Left", "Top", "Width", "Height"} <= box.keys():
        return None
    return make_box(box["Left"], box["Top"], box["Left"] + box["Width"], box["Top"] + box["Height"])


def read_identity_fields(identity: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an identity document by their type; normalized dates without the time of day, null where nothing was found."""
    leaves: dict[str, Any] = {}
    for field in identity.get("IdentityDocumentFields") or ():
        name = (field.get("Type") or {}).get("Text")
        detection = field.get("ValueDetection") or {}
        normalized = (detection.get("NormalizedValue") or {}).get("Value")
        value = str(normalized).removesuffix(_MIDNIGHT) if normalized else detection.get("Text") or None
        if name:
            leaves[str(name)] = Leaf(value, as_share(detection.get("Confidence")))
    return leaves


def read_expense(expense: Mapping[str, Any]) -> dict[str, Any]:
    """The summary fields of an expense document by their type (`OTHER` by its label), and its `line_items`.

    Where a type occurs several times, the most confident value counts.
    """
    tree: dict[str, Any] = _read_expense_fields(expense.get("SummaryFields") or ())
    groups = expense.get("LineItemGroups") or ()
    items = [item for group in groups for item in group.get("LineItems") or ()]
    if items:
        tree["line_items"] = [_read_expense_fields(item.get("LineItemExpenseFields") or ()) for item in items]
    return tree


def _read_expense_fields(fields: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    leaves: dict[str, Leaf] = {}
    for field in fields:
        name = _name_expense_field(field)
        if name is None or name == _WHOLE_ROW:
            continue
        value = field.get("ValueDetection") or {}
        leaf = Leaf(value.get("Text"), as_share(value.get("Confidence")), field.get("PageNumber"), read_box(value.get("Geometry")))
        if name not in leaves or (leaf.confidence or 0) > (leaves[name].confidence or 0):
            leaves[name] = leaf
    return dict(leaves)


def _name_expense_field(field: Mapping[str, Any]) -> str | None:
    kind = (field.get("Type") or {}).get("Text")
    if kind and kind != "OTHER":
        return str(kind)
    label = (field.get("LabelDetection") or {}).get("Text")
    return str(label).strip().rstrip(":").rstrip() if label else None
