"""Amazon Textract AnalyzeExpense: `ExpenseDocuments` with summary fields and line items."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from fieldwise.importers._leaves import Leaf, as_share, build_record
from fieldwise.importers._textract import find_responses, read_box
from fieldwise.model.imported import ImportedRecord
from fieldwise.registry import importer

_WHOLE_ROW: Final = "EXPENSE_ROW"
"""The text of a whole line item, which repeats its fields."""


@importer(label="Amazon Textract AnalyzeExpense", recognizes=lambda document: bool(find_responses(document, "ExpenseDocuments")))
def textract_expense(document: Any) -> Iterator[ImportedRecord]:
    """One record for each expense document: a field by its type (`VENDOR_NAME`; `OTHER` by its label), and `line_items`.

    Where a type occurs several times, the most confident value counts.
    """
    for response in find_responses(document, "ExpenseDocuments"):
        for expense in response["ExpenseDocuments"] or [{}]:  # a document in which nothing was found is an empty record
            tree: dict[str, Any] = _read_fields(expense.get("SummaryFields") or ())
            groups = expense.get("LineItemGroups") or ()
            items = [item for group in groups for item in group.get("LineItems") or ()]
            if items:
                tree["line_items"] = [_read_fields(item.get("LineItemExpenseFields") or ()) for item in items]
            yield build_record(tree)


def _read_fields(fields: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    leaves: dict[str, Leaf] = {}
    for field in fields:
        name = _name_field(field)
        if name is None or name == _WHOLE_ROW:
            continue
        value = field.get("ValueDetection") or {}
        leaf = Leaf(value.get("Text"), as_share(value.get("Confidence")), field.get("PageNumber"), read_box(value.get("Geometry")))
        if name not in leaves or (leaf.confidence or 0) > (leaves[name].confidence or 0):
            leaves[name] = leaf
    return dict(leaves)


def _name_field(field: Mapping[str, Any]) -> str | None:
    kind = (field.get("Type") or {}).get("Text")
    if kind and kind != "OTHER":
        return str(kind)
    label = (field.get("LabelDetection") or {}).get("Text")
    return str(label).strip().rstrip(":").rstrip() if label else None
