"""Suites that are written on a page: read and checked as text. A check reads no file outside the workspace and imports no class."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.plan import Document, KeyPath
from fieldwise.model.values import Json
from fieldwise.plan.rules import refuse_files
from fieldwise.plan.suite import build_plan
from fieldwise.read.suite import read_document
from fieldwise.read.table_files import load_json
from fieldwise.web.api_evaluate import resolve_below
from fieldwise.web.evaluation import find_judges
from fieldwise.web.problems import RequestProblem

MAX_SUITE_LENGTH: Final = 500_000
DATA_KEYS: Final = ("cases", "columns")
"""Keys that pasted records replace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSuite:
    """A suite and its problems, each with its line."""

    value: Mapping[str, Any]
    """The suite as it can be run; empty if it has errors."""
    diagnostics: tuple[Diagnostic, ...]

    @property
    def is_valid(self) -> bool:
        """True if it has no errors."""
        return not any(diagnostic.level == "error" for diagnostic in self.diagnostics)


def check_suite_for_records(text: str) -> CheckedSuite:
    """Check a suite that is to be run on pasted records: it may name no files, and no judges."""
    try:
        document = _read_text(text)
    except ConfigError as error:
        return CheckedSuite(value={}, diagnostics=error.diagnostics)
    notes: list[Diagnostic] = []
    for key in DATA_KEYS:
        if key in document.value:
            what = f"the pasted records replace `{key}`"
            notes.append(Diagnostic(code="replaced", level="info", what=what, where=Where(line=document.line_of((key,)))))
    if "policy" in document.value:
        what, fix = "`policy` names a file, which is not read here", "remove it for this test"
        notes.append(Diagnostic(code="file-refused", what=what, where=Where(line=document.line_of(("policy",))), fix=fix))
    for place, diagnostic in find_judges(document.value.get("evaluators"), ("evaluators",)):
        notes.append(replace(diagnostic, where=Where(line=document.line_of(place))))
    kept = {key: value for key, value in document.value.items() if key not in (*DATA_KEYS, "policy")}
    return _check(replace(document, value=kept), notes, refuse_files)


def check_suite_file(text: str, workspace: Path, folder: str = "") -> CheckedSuite:
    """Check a suite of the workspace; `folder` is where it is, relative to the workspace. Files below the workspace are read."""
    try:
        document = _read_text(text)
    except ConfigError as error:
        return CheckedSuite(value={}, diagnostics=error.diagnostics)
    notes: list[Diagnostic] = []
    value = _without_classes(document.value, (), document, notes)

    def load(path: str) -> Json:
        try:
            return load_json(resolve_below(workspace, f"{folder}/{path}".lstrip("/"), "suite"))
        except RequestProblem as problem:
            raise ValueError(problem.diagnostics[0].what.replace("data folder", "folder of suites")) from problem

    checked = _check(replace(document, value=value), notes, load)
    return replace(checked, value=document.value if checked.is_valid else {})


def _read_text(text: str) -> Document:
    if len(text) > MAX_SUITE_LENGTH:
        what = f"the suite has more than {MAX_SUITE_LENGTH:,} characters"
        raise ConfigError([Diagnostic(code="too-long", what=what, fix="check it with `fieldwise check`")])
    if not text.strip():
        what, fix = "the suite is empty", "write `evaluators:` and below it `- type: field_accuracy`"
        raise ConfigError([Diagnostic(code="bad-suite", what=what, where=Where(line=1), fix=fix)])
    try:
        return read_document(text=text.replace("\r\n", "\n"))
    except ConfigError as error:  # the parser reports a bracket that is never closed after the last line
        raise ConfigError(_within(diagnostic, text.rstrip().count("\n") + 1) for diagnostic in error.diagnostics) from error


def _within(diagnostic: Diagnostic, last: int) -> Diagnostic:
    line = diagnostic.where.line
    return diagnostic if line is None or line <= last else replace(diagnostic, where=replace(diagnostic.where, line=last))


def _check(document: Document, notes: list[Diagnostic], load: Callable[[str], Json]) -> CheckedSuite:
    try:
        diagnostics = build_plan(document, load=load, resolve=str).diagnostics
    except ConfigError as error:
        diagnostics = error.diagnostics
    joined = sorted((*notes, *diagnostics), key=lambda diagnostic: diagnostic.where.line or 0)
    checked = CheckedSuite(value=document.value, diagnostics=tuple(joined))
    return checked if checked.is_valid else replace(checked, value={})


def _without_classes(value: Any, place: KeyPath, document: Document, notes: list[Diagnostic]) -> Any:
    """The value without `fields: {model: …}`, which would import code; a remark says that those rules are not checked."""
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return [_without_classes(inner, (*place, index), document, notes) for index, inner in enumerate(items)]
    if not isinstance(value, dict):
        return value
    kept: dict[str, Any] = {}
    for key, inner in cast("dict[str, Any]", value).items():
        if isinstance(inner, dict) and "model" in inner and "type" not in inner:  # a judge, which has a type, names its model
            what = f"`{key}` names a class, which is not imported here: `fieldwise check` checks its rules"
            line = document.line_of((*place, key))
            notes.append(Diagnostic(code="not-checked", level="info", what=what, where=Where(line=line)))
        else:
            kept[key] = _without_classes(inner, (*place, key), document, notes)
    return kept
