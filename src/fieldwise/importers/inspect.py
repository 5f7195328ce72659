"""Inspect: the log of an evaluation (`inspect log dump`, or a log written as JSON)."""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldwise.importers._rows import accept_each, list_rows, parse_text
from fieldwise.model.imported import ImportedRecord
from fieldwise.registry import importer


def _recognizes(document: Any) -> bool:
    if not isinstance(document, Mapping) or not isinstance(document.get("eval"), Mapping):
        return False
    samples = list_rows(document, "samples")
    return bool(samples) and all("target" in sample and "input" in sample for sample in samples)


@importer(label="Inspect", recognizes=_recognizes)
def inspect(document: Any) -> Iterator[ImportedRecord]:
    """One record for each sample: the text of the first choice against the target, each of several targets being accepted.

    Samples of later epochs are numbered: `7:2` is the second epoch of sample 7.
    """
    samples = list_rows(document, "samples")
    has_epochs = len({sample.get("epoch") for sample in samples}) > 1
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


def _read_completion(output: Any) -> Any:
    """The text of the first choice; None if the model gave none."""
    choices = list_rows(output, "choices") if isinstance(output, Mapping) else []
    message = choices[0].get("message") if choices else None
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, list):  # parts: reasoning, text, pictures
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping) and part.get("type") == "text")
    return content
