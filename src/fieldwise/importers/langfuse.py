"""Langfuse: dataset items, runs of a dataset and traces, as the API and the exports write them."""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldwise.importers._rows import has_keys, list_rows, none_if_missing, parse_text, take, take_text
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.imported import ImportedRecord
from fieldwise.model.values import MISSING
from fieldwise.registry import importer

_LISTS = ("data", "items", "datasetRunItems", "dataset_run_items")


def _recognizes(document: Any) -> bool:
    rows = list_rows(document, *_LISTS)
    if not rows:
        return False
    row = rows[0]
    is_item = has_keys(row, ("input", "expectedOutput")) and (has_keys(row, ("datasetId",)) or has_keys(row, ("datasetName",)))
    is_trace = has_keys(row, ("input", "output", "projectId")) or has_keys(row, ("input", "output", "traceId"))
    return is_item or is_trace or has_keys(row, ("datasetItem",)) or has_keys(row, ("datasetItemId", "output"))


@importer(label="Langfuse", recognizes=_recognizes)
def langfuse(document: Any) -> Iterator[ImportedRecord]:
    """One record for each item; an item of a run has the output of its trace. Archived items are left out."""
    notes = _warn_of_other_pages(document)
    for row in list_rows(document, *_LISTS):
        item, trace = take(row, "datasetItem"), take(row, "trace", "observation")
        sources = [source for source in (row, item, trace) if isinstance(source, Mapping)]
        if any(str(source.get("status")).upper() == "ARCHIVED" for source in sources):
            continue
        output = _take_first(sources, "output")
        if output is MISSING and isinstance(trace, Mapping):
            output = None
        metadata = _take_first(sources, "metadata")
        yield ImportedRecord(
            id=take_text(row, "datasetItemId") or (take_text(item, "id") if isinstance(item, Mapping) else None) or take_text(row, "id"),
            record=MISSING if output is MISSING else parse_text(output),
            expected=parse_text(_take_first(sources, "expectedOutput")),
            input=none_if_missing(parse_text(_take_first(sources, "input"))),
            metadata=metadata if isinstance(metadata, Mapping) else {},
            diagnostics=notes,
        )
        notes = ()


def _warn_of_other_pages(document: Any) -> tuple[Diagnostic, ...]:
    """A warning if the document is one page of the API, and not the last; it is shown with the first record."""
    meta = document.get("meta") if isinstance(document, Mapping) else None
    page, pages = (take(meta, "page"), take(meta, "totalPages")) if isinstance(meta, Mapping) else (MISSING, MISSING)
    if not isinstance(page, int) or not isinstance(pages, int) or page >= pages:
        return ()
    what = f"the file is page {page} of {pages} of what Langfuse holds; the other pages are other files"
    fix = "fetch all pages, and name them all: `cases: pages/*.json`"
    return (Diagnostic(code="one-page", what=what, fix=fix, level="warning"),)


def _take_first(sources: list[Mapping[str, Any]], name: str) -> Any:
    values = (take(source, name) for source in sources)
    return next((value for value in values if value is not MISSING and value is not None), MISSING)
