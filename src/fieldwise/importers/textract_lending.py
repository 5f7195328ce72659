"""Amazon Textract AnalyzeLending (`GetLendingAnalysis`): `Results` with the classification and the fields of each page."""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldwise.importers._leaves import Leaf, as_share, build_record
from fieldwise.importers._textract import find_responses, read_box, read_expense, read_identity_fields
from fieldwise.model.imported import ImportedRecord
from fieldwise.registry import importer


def _recognizes(document: Any) -> bool:
    pages = [page for response in find_responses(document, "Results") for page in response["Results"]]
    return bool(pages) and all(isinstance(page, Mapping) and "PageClassification" in page for page in pages)


@importer(label="Amazon Textract AnalyzeLending", recognizes=_recognizes)
def textract_lending(document: Any) -> Iterator[ImportedRecord]:
    """One record for each page, empty if it was not classified: a field by its type, `OTHER` by its key, check boxes as true or false.

    The type of the page is in the metadata, as `page_type`. Where a type occurs several times, the most confident value counts.
    """
    for response in find_responses(document, "Results"):
        for page in response["Results"]:
            tree: dict[str, Any] = {}
            for extraction in page.get("Extractions") or ():
                tree |= _read_lending_fields(extraction.get("LendingDocument") or {}, page.get("Page"))
                tree |= read_identity_fields(extraction.get("IdentityDocument") or {})
                tree |= read_expense(extraction.get("ExpenseDocument") or {})
            page_type = _find_page_type(page)
            yield build_record(tree, metadata={"page_type": page_type} if page_type else {})


def _find_page_type(page: Mapping[str, Any]) -> str | None:
    types = (page.get("PageClassification") or {}).get("PageType") or ()
    best = max(types, key=lambda prediction: prediction.get("Confidence") or 0, default=None)
    return None if best is None else best.get("Value")


def _read_lending_fields(lending: Mapping[str, Any], page: int | None) -> dict[str, Any]:
    leaves: dict[str, Leaf] = {}
    for field in lending.get("LendingFields") or ():
        key = (field.get("KeyDetection") or {}).get("Text")
        name = field.get("Type") if field.get("Type") != "OTHER" else (key or "").strip().rstrip(":").rstrip()
        if not name:
            continue
        values = [_read_value(detection, page) for detection in field.get("ValueDetections") or ()]
        leaf = max(values, key=lambda value: value.confidence or 0, default=Leaf(None))
        if name not in leaves or (leaf.confidence or 0) > (leaves[name].confidence or 0):
            leaves[str(name)] = leaf
    return dict(leaves)


def _read_value(detection: Mapping[str, Any], page: int | None) -> Leaf:
    status = detection.get("SelectionStatus")
    value = detection.get("Text") or None if status is None else status == "SELECTED"
    return Leaf(value, as_share(detection.get("Confidence")), page, read_box(detection.get("Geometry")))
