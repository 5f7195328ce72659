"""Documents of vendors and other tools as rows, by the importers of the registry."""

from collections.abc import Iterator
from typing import Any

from fieldwise.model.imported import ImportedRecord
from fieldwise.registry import IMPORTERS


def is_importer(file_format: str | None) -> bool:
    """Whether a format is one of an importer."""
    return file_format is not None and file_format in IMPORTERS.names()


def recognize_format(document: Any) -> str | None:
    """The name of the importer that recognizes a parsed JSON document; None if none does.

    >>> recognize_format({"ExpenseDocuments": []}), recognize_format({"total": 5})
    ('textract_expense', None)
    """
    if not isinstance(document, dict | list) or not document:
        return None
    return next((spec.name for spec in IMPORTERS.all() if spec.recognizes(document)), None)


def read_documents(file_format: str, document: Any) -> Iterator[ImportedRecord]:
    """The records of a parsed JSON document in this format; with `auto`, in the one that is recognized, if any is.

    A document that is not in the format gives no record.
    """
    name = recognize_format(document) if file_format == "auto" else file_format
    return iter(()) if name is None else iter(IMPORTERS.find(name).function(document))
