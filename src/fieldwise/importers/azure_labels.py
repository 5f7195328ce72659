"""Azure AI Document Intelligence: the `.labels.json` files in which its labeling tools store the true values of a document."""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldwise.importers._leaves import Leaf, bound_points, build_record
from fieldwise.importers._rows import list_rows
from fieldwise.importers.azure_di import read_mark
from fieldwise.model.imported import ImportedRecord
from fieldwise.registry import importer


def _recognizes(document: Any) -> bool:
    if not isinstance(document, Mapping) or not isinstance(document.get("labels"), list):
        return False
    if "formrecognizer" in str(document.get("$schema")):
        return True
    labels = list_rows(document, "labels")
    return isinstance(document.get("document"), str) and bool(labels) and all(isinstance(label.get("value"), list) for label in labels)


@importer(label="labels of Azure AI Document Intelligence", recognizes=_recognizes)
def azure_labels(document: Any) -> Iterator[ImportedRecord]:
    """One record: the words of each label joined by spaces, check boxes as true or false, tables (`items/0/Price`) as lists of objects."""
    tree: dict[str, Any] = {}
    for label in list_rows(document, "labels"):
        *parents, name = (part.replace("~1", "/").replace("~0", "~") for part in str(label.get("label") or "").split("/"))
        branch = tree
        for parent in parents:
            child = branch.setdefault(parent, {})
            branch = child if isinstance(child, dict) else branch
        branch[name] = _read_label(label)
    name = document.get("document")
    yield build_record({key: _list_rows_of_tables(node) for key, node in tree.items()}, id=name if isinstance(name, str) else None)


def _read_label(label: Mapping[str, Any]) -> Leaf:
    """The text of the words, and the place of those on the first page."""
    words = list_rows(label, "value")
    text = " ".join(str(word["text"]) for word in words if word.get("text"))
    page = words[0].get("page") if words else None
    boxes = [box for word in words if word.get("page") == page for box in word.get("boundingBoxes") or ()]
    points = [point for box in boxes for point in zip(box[::2], box[1::2], strict=False)]
    return Leaf(read_mark(text) if text else None, page=page, box=bound_points(points))


def _list_rows_of_tables(node: Any) -> Any:
    """The nodes with rows numbered from 0 as lists; rows in which nothing is labeled are empty objects."""
    if not isinstance(node, dict):
        return node
    branches = {key: _list_rows_of_tables(child) for key, child in node.items()}
    if not all(key.isdecimal() for key in branches):
        return branches
    by_number = {int(key): child for key, child in branches.items()}
    return [by_number.get(number, {}) for number in range(max(by_number) + 1)]
