"""Lines of rules in the text of a suite, for problems that only the data show.

Called where a run or a check reports such problems: a plan keeps the text of its suite, not the lines.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.plan import Document, KeyPath, Plan
from fieldwise.read.suite import read_document


def add_rule_lines(plan: Plan, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics, those about a field of the suite with the line of its rule."""
    lacks_line = [_lacks_line(plan, diagnostic) for diagnostic in diagnostics]
    if not any(lacks_line):
        return list(diagnostics)
    document = read_document(text=plan.text, file=plan.file)
    lines = locate_paths(document)
    fallback = _find_type_line(document)
    located: list[Diagnostic] = []
    for diagnostic, lacks in zip(diagnostics, lacks_line, strict=True):
        line = lines.get(diagnostic.where.field or "", fallback) if lacks else None
        located.append(diagnostic if line is None else replace(diagnostic, where=replace(diagnostic.where, line=line)))
    return located


def _lacks_line(plan: Plan, diagnostic: Diagnostic) -> bool:
    where = diagnostic.where
    return bool(plan.file and plan.text) and where.file == plan.file and where.field is not None and where.line is None


def locate_paths(document: Document) -> dict[str, int]:
    """Path of a field → the line of its first rule; else the first line where an evaluator names it, as in `lists` or `items`."""
    lines: dict[str, int] = {}
    evaluators = document.value.get("evaluators")
    places = list(_list_texts(evaluators, ("evaluators",)))
    rules_first = sorted(places, key=lambda entry: "fields" not in entry[1])
    for text, place in rules_first:
        line = document.line_of(place)
        if line is not None:
            lines.setdefault(text, line)
    return lines


def _list_texts(value: Any, place: KeyPath) -> Iterator[tuple[str, KeyPath]]:
    """Every text and every key below a place, in the order of the file."""
    if isinstance(value, str):
        yield value, place
    elif isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield key, (*place, key)
            yield from _list_texts(item, (*place, key))
    elif isinstance(value, list):
        for index, item in enumerate(cast("list[Any]", value)):
            yield from _list_texts(item, (*place, index))


def _find_type_line(document: Document) -> int | None:
    """The line of the first `fields` that names a schema or a model, whose rules the suite does not write."""
    for text, place in _list_texts(document.value.get("evaluators"), ("evaluators",)):
        if text in ("schema", "model") and len(place) > 1 and place[-2:] == ("fields", text):
            return document.line_of(place)
    return None
