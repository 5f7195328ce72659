"""Documents of vendors and other tools as rows, by the importers of the registry."""

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Final, cast

import zstandard

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.imported import ImportedRecord
from fieldwise.model.locations import Location, parse_location
from fieldwise.read.files import AUTO, ReadProgress, UnreadableFile, detect_format, get_data_stem, open_bytes
from fieldwise.read.json_text import BYTE_ORDER_MARK, JsonProblem, decode_fast
from fieldwise.read.rows import RowBatch
from fieldwise.registry import IMPORTERS

EVIDENCE: Final = ("confidences", "pages", "boxes")
EXPECTED_PLACES: Final = ("expected_pages", "expected_boxes")
"""Records in the metadata that importers write beside a record, of the same shape."""


_MAX_FIRST_LINE: Final = 16 << 20
"""Bytes of the first line of a JSONL file that decide whether an importer reads it."""


def is_importer(file_format: str | None) -> bool:
    """Whether a format is one of an importer."""
    return file_format is not None and file_format in IMPORTERS.names()


def recognize_format(document: Any) -> str | None:
    """The name of the importer that recognizes a parsed JSON document; None if none does.

    >>> recognize_format({"ExpenseDocuments": [{"SummaryFields": []}]}), recognize_format({"total": 5})
    ('textract_expense', None)
    """
    if not isinstance(document, dict | list) or not document:
        return None
    return next((name for name in IMPORTERS.names() if recognizes_document(name, document)), None)


def detect_content_format(path: Location, written: str | None) -> str:
    """The format of a file as `detect_format` finds it, but the importer of a JSONL file whose first line one recognizes.

    `UnreadableFile` if the file has no known format.
    """
    file_format = detect_format(path, written)
    if file_format != "jsonl" or written not in (None, AUTO):
        return file_format
    try:
        with closing(open_bytes(path, ReadProgress())) as stream:
            line = stream.readline(_MAX_FIRST_LINE)
    except (OSError, EOFError, ValueError, zlib.error, zstandard.ZstdError):  # reading the file reports the problem
        return file_format
    return recognize_format(decode_fast(line.removeprefix(BYTE_ORDER_MARK))) or file_format


def note_importer(importer: str, file: str, side: str | None = None) -> Diagnostic:
    """The note that a file is read by an importer."""
    what = f"{side or 'the file'} is read in the format of {IMPORTERS.find(importer).label} (`format: {importer}`)"
    return Diagnostic(code="imported", what=what, where=Where(file=file), level="info")


def recognizes_document(importer: str, document: Any) -> bool:
    """Whether an importer recognizes a document; False instead of an exception, which it may raise for another shape."""
    try:
        return bool(IMPORTERS.find(importer).recognizes(document))
    except _SHAPE_ERRORS:
        return False


_SHAPE_ERRORS: Final = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What reading a document of another shape raises."""


def read_documents(file_format: str, document: Any) -> Iterator[ImportedRecord]:
    """The records of a parsed JSON document in this format; with `auto`, in the one that is recognized, if any is."""
    name = recognize_format(document) if file_format == AUTO else file_format
    return iter(()) if name is None else iter(IMPORTERS.find(name).function(document))


def import_rows(documents: Sequence[Any], file_format: str, file: str) -> RowBatch:
    """The rows of the documents of a file; `UnreadableFile` if one is not in this format."""
    label = IMPORTERS.find(file_format).label
    rows: list[dict[str, Any]] = []
    problems: dict[int, list[JsonProblem]] = {}
    repeatable: set[int] = set()
    try:
        for document in documents:
            for record in read_documents(file_format, document):
                if record.diagnostics:
                    problems[len(rows)] = [JsonProblem(note.code, note.what, fix=note.fix, level=note.level) for note in record.diagnostics]
                if record.repeatable:
                    repeatable.add(len(rows))
                rows.append(record.to_row())
    except _SHAPE_ERRORS as error:
        reason = f"{type(error).__name__}: {error}"
        what = f"the file is not as {label} writes it ({reason})"
        raise UnreadableFile(Diagnostic(code="unreadable-file", what=what, where=Where(file=file), fix="check `format:`")) from error
    is_empty = not any(row.get("actual") or row.get("expected") for row in rows)
    if is_empty and not all(recognizes_document(file_format, document) for document in documents):
        what, fix = f"the file holds nothing that {label} writes", "check `format:`, or leave it out"
        error = next(filter(None, map(_find_service_error, documents)), None)
        if error is not None:
            what, fix = f"the file holds an error instead of a result: {error}", "process the document again"
        raise UnreadableFile(Diagnostic(code="unreadable-file", what=what, where=Where(file=file), fix=fix))
    numbering = "file" if len(rows) == 1 else "item"
    notes = (note_importer(file_format, file),)
    return RowBatch(
        values=rows,
        numbers=list(range(1, len(rows) + 1)),
        files=[file] * len(rows),
        numbering=numbering,
        problems=problems,
        repeatable=repeatable,
        notes=notes,
    )


def _find_service_error(document: Any) -> str | None:
    """The error that a service returned in place of a result.

    >>> _find_service_error({"status": "failed", "error": {"code": "InternalServerError", "message": "try again"}})
    'InternalServerError: try again'
    >>> _find_service_error({"JobStatus": "FAILED", "StatusMessage": "INVALID_IMAGE_TYPE"})
    'FAILED: INVALID_IMAGE_TYPE'
    """
    members = cast("Mapping[str, Any]", document) if isinstance(document, Mapping) else {}
    error = members.get("error")
    if "JobStatus" in members:  # a job of Amazon Textract without a result: failed, or still running
        return ": ".join(str(members[name]) for name in ("JobStatus", "StatusMessage") if members.get(name)) or None
    if isinstance(error, Mapping):
        details = cast("Mapping[str, Any]", error)
        return ": ".join(str(details[name]) for name in ("code", "message") if details.get(name)) or None
    return error if isinstance(error, str) and error else None


def choose_side(stream: Iterator[RowBatch], side: str) -> Iterator[RowBatch]:
    """Imported rows as rows of one side: the record of that side, with an id by which it can be paired.

    A file with one kind of record only, that of a system or that of people, may be either side; in a file with both, a record that its
    own side lacks is missing. A record without an id has the name of its file, and its number if the file has several.
    """
    for rows in stream:
        per_file = Counter(rows.files)
        has_own_side = any(side in value for value in rows.values)
        for value, number, file in zip(rows.values, rows.numbers, rows.files, strict=True):
            if side == "expected":
                _move_to_expected(value, from_actual=not has_own_side)
            else:
                _move_to_actual(value, from_expected=not has_own_side)
            if "id" not in value:
                stem = get_data_stem(parse_location(file))
                value["id"] = stem if per_file[file] == 1 else f"{stem}:{number}"
        yield rows


def _move_to_actual(value: dict[str, Any], *, from_expected: bool) -> None:
    expected = value.pop("expected", None)
    if from_expected and expected is not None:
        value["actual"] = expected
        places = dict(zip(EXPECTED_PLACES, ("pages", "boxes"), strict=True))
        value["metadata"] = {places.get(name, name): entry for name, entry in value.get("metadata", {}).items()}


def _move_to_expected(value: dict[str, Any], *, from_actual: bool) -> None:
    actual = value.pop("actual", None)
    if from_actual and actual is not None:
        value["expected"] = actual
    evidence = {"pages": "expected_pages", "boxes": "expected_boxes"}  # confidences are those of the system
    written = value.pop("metadata", {})
    metadata = {evidence.get(name, name): entry for name, entry in written.items() if name in evidence or name not in EVIDENCE}
    if metadata:
        value["metadata"] = metadata
