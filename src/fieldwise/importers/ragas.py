"""ragas: samples, results and test sets, as rows or as columns, with the names of every version."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from fieldwise.importers._rows import accept_each, fold_key, has_keys, list_rows, none_if_missing, take, take_list, take_text
from fieldwise.model.imported import ImportedRecord
from fieldwise.model.values import MISSING
from fieldwise.registry import importer

_ROLES: Final = {
    "input": ("user_input", "question"),
    "record": ("response", "answer"),
    "expected": ("reference", "ground_truth", "ground_truths"),
    "contexts": ("retrieved_contexts", "contexts"),
}
_NAMES: Final = frozenset(fold_key(name) for names in _ROLES.values() for name in names)
_IDS: Final = ("id", "sample_id")
_ID_NAMES: Final = frozenset(map(fold_key, _IDS))


def _find_rows(document: Any) -> list[Mapping[str, Any]]:
    """The samples of a document, whichever way it holds them."""
    columns = _find_columns(document) if isinstance(document, Mapping) else {}
    if columns:
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    rows = list_rows(document, "samples", "dataset", "scores", "results")
    return [row["eval_sample"] if isinstance(row.get("eval_sample"), Mapping) else row for row in rows]


def _find_columns(document: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The lists of a document that are columns: those of at least two roles, of one length, and the ids; empty if there are none."""
    columns = {name: values for name, values in document.items() if isinstance(values, list) and fold_key(str(name)) in _NAMES}
    lengths = {len(values) for values in columns.values()}
    if len(columns) < 2 or len(lengths) != 1:
        return {}
    ids = {name: values for name, values in document.items() if isinstance(values, list) and fold_key(str(name)) in _ID_NAMES}
    return columns | {name: values for name, values in ids.items() if len(values) in lengths}


def _recognizes(document: Any) -> bool:
    rows = _find_rows(document)
    if not rows:
        return False
    is_wrapped = not isinstance(document, list) or "eval_sample" in document[0]  # plain rows are read by the names of their columns
    return is_wrapped and (has_keys(rows[0], ("user_input",)) or has_keys(rows[0], ("question", "answer")))


@importer(label="ragas", recognizes=_recognizes)
def ragas(document: Any) -> Iterator[ImportedRecord]:
    """One record for each sample: the response, its reference and the retrieved contexts. Of several references each is accepted."""
    for row in _find_rows(document):
        expected = take(row, *_ROLES["expected"])
        if isinstance(expected, list):
            expected = accept_each(expected)
        yield ImportedRecord(
            id=take_text(row, *_IDS),
            record=take(row, *_ROLES["record"]),
            expected=MISSING if expected is None else expected,
            input=none_if_missing(take(row, *_ROLES["input"])),
            contexts=take_list(row, *_ROLES["contexts"]),
        )
