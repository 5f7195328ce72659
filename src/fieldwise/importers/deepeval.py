"""DeepEval: the JSON of a test run (`DEEPEVAL_RESULTS_FOLDER`), of an `EvaluationResult`, and saved datasets."""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldwise.importers._rows import has_keys, list_rows, none_if_missing, parse_text, take, take_list, take_text
from fieldwise.model.imported import ImportedRecord
from fieldwise.registry import importer

_LISTS = ("testCases", "test_cases", "test_results", "testResults", "goldens")


def _find_rows(document: Any) -> list[Mapping[str, Any]]:
    if not isinstance(document, Mapping):
        return []
    inner = take(document, "testRunData", "testRun")
    return list_rows(inner if isinstance(inner, Mapping) else document, *_LISTS)


def _recognizes(document: Any) -> bool:
    rows = _find_rows(document)
    return bool(rows) and (has_keys(rows[0], ("input", "actualOutput")) or has_keys(rows[0], ("input", "expectedOutput")))


@importer(label="DeepEval", recognizes=_recognizes)
def deepeval(document: Any) -> Iterator[ImportedRecord]:
    """One record for each test case; outputs that are JSON objects are read as records. Conversations are left out."""
    rows = _find_rows(document) or list_rows(document)
    for row in rows:
        metadata = take(row, "additionalMetadata", "metadata")
        yield ImportedRecord(
            id=take_text(row, "name", "id", "sourceFile"),
            record=parse_text(take(row, "actualOutput")),
            expected=parse_text(take(row, "expectedOutput")),
            input=none_if_missing(parse_text(take(row, "input"))),
            contexts=take_list(row, "retrievalContext", "context"),
            metadata=metadata if isinstance(metadata, Mapping) else {},
        )
