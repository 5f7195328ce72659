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

    A part of a party's address has the party in its name: `STREET` of the group `VENDOR` is `VENDOR_STREET`. Where a name occurs several
    times, a field that has it as its type counts, else the most confident value.
    """
    tree: dict[str, Any] = _read_expense_fields(expense.get("SummaryFields") or ())
    groups = expense.get("LineItemGroups") or ()
    items = [item for group in groups for item in group.get("LineItems") or ()]
    if items:
        tree["line_items"] = [_read_expense_fields(item.get("LineItemExpenseFields") or ()) for item in items]
    return tree


def _read_expense_fields(fields: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    leaves: dict[str, Leaf] = {}
    ranks: dict[str, tuple[bool, float]] = {}
    for field in fields:
        kind = _name_expense_field(field)
        if kind is None or kind == _WHOLE_ROW:
            continue
        value = field.get("ValueDetection") or {}
        leaf = Leaf(value.get("Text"), as_share(value.get("Confidence")), field.get("PageNumber"), read_box(value.get("Geometry")))
        for name in _add_party(field, kind):
            rank = (name == kind, leaf.confidence or 0)
            if name not in leaves or rank > ranks[name]:
                leaves[name], ranks[name] = leaf, rank
    return dict(leaves)


def _name_expense_field(field: Mapping[str, Any]) -> str | None:
    kind = (field.get("Type") or {}).get("Text")
    if kind and kind != "OTHER":
        return str(kind)
    label = (field.get("LabelDetection") or {}).get("Text")
    return str(label).strip().rstrip(":").rstrip() if label else None


def _add_party(field: Mapping[str, Any], kind: str) -> list[str]:
    """The names of a field with the parties whose address it is a part of; its own name if there are none.

    >>> _add_party({"GroupProperties": [{"Types": ["RECEIVER_BILL_TO", "RECEIVER_SHIP_TO"], "Id": "1"}]}, "CITY")
    ['RECEIVER_BILL_TO_CITY', 'RECEIVER_SHIP_TO_CITY']
    >>> _add_party({"GroupProperties": [{"Types": ["VENDOR"]}]}, "VENDOR_NAME"), _add_party({}, "TOTAL")
    (['VENDOR_NAME'], ['TOTAL'])
    """
    parties = dict.fromkeys(str(party) for group in field.get("GroupProperties") or () for party in group.get("Types") or ())
    names = dict.fromkeys(kind if kind.startswith(f"{party}_") else f"{party}_{kind}" for party in parties)
    return list(names) or [kind]
