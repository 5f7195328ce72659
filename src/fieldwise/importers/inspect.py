"""Inspect: the log of an evaluation (`inspect log dump`, or a log written as JSON)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from fieldwise.importers._rows import accept_each, list_rows, parse_text
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.imported import ImportedRecord
from fieldwise.registry import importer

_FINISHED: Final = "success"
_UNFINISHED: Final = ("started", "cancelled", "error")
"""The states of an evaluation whose log may lack samples."""


def _recognizes(document: Any) -> bool:
    if not isinstance(document, Mapping) or not isinstance(document.get("eval"), Mapping):
        return False
    samples = list_rows(document, "samples")
    if not samples:  # the head of a log, or an evaluation that ended before its first sample
        return "task" in document["eval"] and document.get("status") in (_FINISHED, *_UNFINISHED)
    return all("target" in sample and "input" in sample for sample in samples)


@importer(label="Inspect", recognizes=_recognizes)
def inspect(document: Any) -> Iterator[ImportedRecord]:
    """One record for each sample: the text of the first choice against the target, each of several targets being accepted.

    Samples of later epochs are numbered: `7:2` is the second epoch of sample 7. Of an evaluation that did not finish, each sample that
    the log lacks is a record with an error.
    """
    samples = list_rows(document, "samples")
    missing = _list_missing(document)
    has_epochs = len({sample.get("epoch") for sample in samples} | {epoch for _, epoch in missing}) > 1
    for sample in samples:
        id, target = sample.get("id"), sample.get("target")
        if isinstance(target, list):
            target = accept_each(target)
        if id is not None and has_epochs:
            id = f"{id}:{sample.get('epoch')}"
        metadata = sample.get("metadata")
        yield ImportedRecord(
            id=None if id is None else str(id),
            record=parse_text(_read_completion(sample.get("output"))),
            expected=parse_text(target),
            input=sample.get("input"),
            metadata=metadata if isinstance(metadata, Mapping) else {},
        )
    what = f"the log has no such sample: the evaluation ended with the status `{document.get('status')}`"
    fix = "finish the evaluation (`inspect eval-retry`) and read its log"
    if document.get("status") == _FINISHED:
        what, fix = "the log has no samples", "write the whole log, not its head only: `inspect log dump` without `--header-only`"
    problem = Diagnostic(code="missing-sample", what=what, fix=fix)
    for id, epoch in missing:
        yield ImportedRecord(id=f"{id}:{epoch}" if has_epochs else id, diagnostics=(problem,))


def _list_missing(document: Mapping[str, Any]) -> list[tuple[str, int]]:
    """The ids and epochs of the samples that the log of an unfinished evaluation lacks; numbers where it does not name its samples.

    A log without any sample lacks at least one.
    """
    if document.get("status") not in _UNFINISHED and list_rows(document, "samples"):
        return []
    dataset, config = (part if isinstance(part, Mapping) else {} for part in (document["eval"].get(name) for name in ("dataset", "config")))
    samples = list_rows(document, "samples")
    epochs = range(1, int(config.get("epochs") or 1) + 1)
    ids = dataset.get("sample_ids")
    if isinstance(ids, list) and ids:
        present = {(str(sample.get("id")), sample.get("epoch", 1)) for sample in samples}
        return [(str(id), epoch) for epoch in epochs for id in ids if (str(id), epoch) not in present]
    is_whole_dataset = config.get("limit") is None and config.get("sample_id") is None
    count = int(dataset.get("samples") or 0) * len(epochs) - len(samples) if is_whole_dataset else 0
    count = count if samples else max(count, 1)
    return [(f"missing sample {number}", 1) for number in range(1, count + 1)]


def _read_completion(output: Any) -> Any:
    """The text of the first choice; None if the model gave none."""
    choices = list_rows(output, "choices") if isinstance(output, Mapping) else []
    message = choices[0].get("message") if choices else None
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, list):  # parts: reasoning, text, pictures
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping) and part.get("type") == "text")
    return content
