"""Amazon Textract AnalyzeExpense: `ExpenseDocuments` with summary fields and line items."""

from collections.abc import Iterator
from typing import Any

from fieldwise.importers._leaves import build_record
from fieldwise.importers._textract import find_responses, read_expense
from fieldwise.model.imported import ImportedRecord
from fieldwise.registry import importer


@importer(label="Amazon Textract AnalyzeExpense", recognizes=lambda document: bool(find_responses(document, "ExpenseDocuments")))
def textract_expense(document: Any) -> Iterator[ImportedRecord]:
    """One record for each expense document: a field by its type (`VENDOR_NAME`; `OTHER` by its label), and `line_items`.

    Parts of addresses have the party in their name (`VENDOR_STREET`, `RECEIVER_STREET`). Of several values of a type the most confident one
    counts.
    """
    for response in find_responses(document, "ExpenseDocuments"):
        for expense in response["ExpenseDocuments"] or [{}]:  # a document in which nothing was found is an empty record
            yield build_record(read_expense(expense))
