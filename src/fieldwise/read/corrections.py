"""Read `corrections.jsonl` and apply it to the expected side of cases, whatever source they are read from."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from fieldwise.model.case import Cases
from fieldwise.model.correction import (
    ACTIONS,
    UNDO,
    CorrectedRecord,
    Correction,
    CorrectionProblem,
    CorrectionSet,
    hash_line,
)
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.locations import parse_location
from fieldwise.model.path import ROOT
from fieldwise.model.values import MISSING, Value
from fieldwise.read.json_text import decode_json
from fieldwise.read.records_in_text import find_record

_REQUIRED: Final = ("case", "path", "expected_hash", "action")
_KEYS: Final = (*_REQUIRED, "value", "why", "by", "at", "undoes")
_TEXTS: Final = ("path", "action", "why", "by", "at")


def read_corrections(file: str | Path) -> CorrectionSet:
    """The corrections of a file that are in force; ConfigError with every problem of its lines."""
    name = str(file)
    try:
        content = parse_location(name).read_bytes()
    except FileNotFoundError:
        fix = "create the file, empty if there is no correction yet, or leave `corrections` out"
        raise ConfigError([Diagnostic(code="no-corrections", what=f"there is no file `{name}`", where=Where(file=name), fix=fix)]) from None
    except OSError as error:
        what = f"the file cannot be read: {error.strerror or error}"
        raise ConfigError([Diagnostic(code="no-corrections", what=what, where=Where(file=name), fix="name a JSONL file")]) from error
    return parse_corrections(content, name)


def parse_corrections(content: bytes, file: str) -> CorrectionSet:
    """The corrections in the text of a file; a line that a later `undo` names is left out."""
    in_force: dict[int, tuple[str, Correction]] = {}
    problems: list[Diagnostic] = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        where = Where(file=file, line=number)
        row, problem = _decode_line(line, where)
        if row is None:
            problems += [problem] if problem else []
        elif row["action"] == UNDO:
            undone = next((at for at, (name, _) in reversed(in_force.items()) if name == row.get("undoes")), None)
            if undone is None:
                what, fix = "`undo` names no earlier line that is in force", "`undoes` is `sha256:` and the SHA-256 of that line"
                problems.append(Diagnostic(code="bad-correction", what=what, where=where, fix=fix))
            else:
                del in_force[undone]
        else:
            fields = {key: row.get(key) or "" for key in ("why", "by", "at")}
            correction = Correction(
                case=row["case"],
                path=row["path"],
                expected_hash=row["expected_hash"],
                action=row["action"],
                value=row.get("value"),
                line=number,
                **fields,
            )
            in_force[number] = (hash_line(line), correction)
    if problems:
        raise ConfigError(problems)
    return CorrectionSet.of(file, [correction for _, correction in in_force.values()])


def _decode_line(line: bytes, where: Where) -> tuple[dict[str, Any] | None, Diagnostic | None]:
    """The content of a line with the types checked, or what is wrong with it."""
    decoded = decode_json(line.strip())
    row = decoded.value
    if not isinstance(row, dict):
        what = "the line is not a JSON object" if row is not MISSING else f"the line cannot be read: {decoded.diagnostics[0].what}"
        fix = "each line is one correction: {case, path, expected_hash, action, value, why, by, at}"
        return None, Diagnostic(code="bad-correction", what=what, where=where, fix=fix)
    what = _find_mistake(row)
    if what:
        case = row.get("case")
        place = replace(
            where, case=str(case) if case is not None else None, field=row["path"] if isinstance(row.get("path"), str) else None
        )
        return None, Diagnostic(
            code="bad-correction", what=what, where=place, fix="see the line format in the documentation of corrections"
        )
    return {**row, "case": str(row["case"])} if "case" in row else row, None


def _find_mistake(row: dict[str, Any]) -> str:
    """The first thing that is wrong with a line; empty if nothing is."""
    unknown = sorted(set(row) - set(_KEYS))
    if unknown:
        return f"there is no key `{unknown[0]}` in a correction"
    required = ("action", "undoes") if row.get("action") == UNDO else _REQUIRED
    missing = [key for key in required if key not in row]
    if missing:
        return f"`{missing[0]}` is missing"
    if row["action"] not in (*ACTIONS, UNDO):
        return f"there is no action `{row['action']}`; the actions are {', '.join(ACTIONS)} and {UNDO}"
    if row["action"] in ("replace", "accept_also") and "value" not in row:
        return f"`{row['action']}` needs a `value`"
    case = row.get("case", "")
    if isinstance(case, bool) or not isinstance(case, str | int):
        return "`case` must be the id of a case"
    wrong = [key for key in _TEXTS if row.get(key) is not None and not isinstance(row[key], str)]
    if wrong:
        return f"`{wrong[0]}` must be text"
    expected_hash = row.get("expected_hash")
    if expected_hash is not None and not (isinstance(expected_hash, str) and expected_hash.startswith("sha256:")):
        return "`expected_hash` must be `sha256:` and 64 hexadecimal digits, or null where expected has no value"
    return ""


def apply_corrections(cases: Cases, corrections: CorrectionSet | None) -> Cases:
    """The cases with their expected values corrected. Corrections that cannot be applied are left out: `check_corrections` reports them."""
    if corrections is None or not corrections.by_case:
        return cases
    rows = [row for row, case_id in enumerate(cases.id) if case_id in corrections.by_case]
    if not rows:
        return cases
    expected = list(cases.expected)
    for row in rows:
        expected[row], _ = correct_expected(expected[row], corrections, cases.id[row])
    return replace(cases, expected=expected, finite=False)  # a corrected value may be NaN


def correct_expected(expected: Value, corrections: CorrectionSet, case_id: str) -> tuple[Value, list[Diagnostic]]:
    """The expected value of a case after its corrections, and what is wrong with those that could not be applied.

    Expected text becomes the record in it, if a correction names a part of it.
    """
    own = corrections.by_case.get(case_id, ())
    if any(correction.path != ROOT for correction in own):
        expected = parse_record(expected)
    corrected = CorrectedRecord(expected)
    problems: list[Diagnostic] = []
    for correction in own:
        try:
            corrected.apply(correction)
        except CorrectionProblem as problem:
            where = Where(file=corrections.file, line=correction.line, case=case_id, field=correction.path)
            problems.append(Diagnostic(code=problem.code, what=str(problem), where=where, fix=problem.fix))
    return corrected.value, problems


def parse_record(expected: Value) -> Value:
    """The record in expected text; any other value, or text without a record, as it is."""
    if not isinstance(expected, str):
        return expected
    record = find_record(expected).value
    return expected if record is MISSING else record


def check_corrections(batches: Iterable[Cases], corrections: CorrectionSet) -> tuple[list[Cases], list[Diagnostic]]:
    """The cases that have corrections, with their expected values before these, and every correction that cannot be applied.

    `batches` are all cases of the source, uncorrected.
    """
    corrected_ids: set[str] = set()
    uncorrected: list[Cases] = []
    problems: list[Diagnostic] = []
    for cases in batches:
        rows = [row for row, case_id in enumerate(cases.id) if case_id in corrections.by_case]
        if not rows:
            continue
        uncorrected.append(cases.take(rows))
        for row in rows:
            corrected_ids.add(cases.id[row])
            problems += correct_expected(cases.expected[row], corrections, cases.id[row])[1]
    for correction in corrections.corrections:
        if correction.case not in corrected_ids:
            what, fix = "there is no such case in the data", "take the id from the report of a run"
            where = Where(file=corrections.file, line=correction.line, case=correction.case, field=correction.path)
            problems.append(Diagnostic(code="unknown-correction", what=what, where=where, fix=fix))
    return uncorrected, sorted(problems, key=lambda problem: problem.where.line or 0)
