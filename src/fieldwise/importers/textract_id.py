"""Amazon Textract AnalyzeID: `IdentityDocuments` with the fields of passports and driver's licences."""

from collections.abc import Iterator
from typing import Any

from fieldwise.importers._leaves import build_record
from fieldwise.importers._textract import find_responses, read_identity_fields
from fieldwise.model.imported import ImportedRecord
from fieldwise.registry import importer


@importer(label="Amazon Textract AnalyzeID", recognizes=lambda document: bool(find_responses(document, "IdentityDocuments")))
def textract_id(document: Any) -> Iterator[ImportedRecord]:
    """One record for each identity document: a field by its type (`DATE_OF_BIRTH`), dates as normalized, null where nothing was found."""
    for response in find_responses(document, "IdentityDocuments"):
        for identity in response["IdentityDocuments"] or [{}]:  # a document in which nothing was found is an empty record
            yield build_record(read_identity_fields(identity))
