"""Rows become cases: each role's column gathered at once, the rest kept as metadata."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.values import MISSING, Value
from fieldwise.read.columns import ColumnRoles
from fieldwise.read.files import get_data_stem
from fieldwise.read.json_text import JsonProblem, decode_json
from fieldwise.read.rows import RowBatch

_SIDES: Final = ("expected", "actual")
_FEW: Final = 4
"""Columns that are sooner looked up one by one than found by going through all of a row."""


def build_cases(rows: RowBatch, roles: ColumnRoles, *, keys: frozenset[str] | None = None) -> Cases:
    """The cases of these rows. `keys` are all the columns that occur in them, if known."""
    actuals = _actuals(rows, roles)
    cases = Cases(
        id=list_ids(rows, roles.columns.get("id")),
        input=_column(rows, roles, "input", None),
        expected=_column(rows, roles, "expected", MISSING),
        actual=_actual(rows, roles, actuals),
        contexts=[None] * len(rows),
        metadata=_metadata(rows, roles, keys),
        tags=[()] * len(rows),
        split=[None] * len(rows),
        actuals=actuals,
        finite=rows.finite,
    )
    if "contexts" in roles.columns:
        cases.contexts = [_contexts(value, rows.is_text_only) for value in _column(rows, roles, "contexts", None)]
        if rows.is_text_only:
            _note_odd_lists(cases, rows, roles.columns["contexts"])
    if "tags" in roles.columns:
        cases.tags = [_tags(value) for value in _column(rows, roles, "tags", None)]
    if "split" in roles.columns:
        cases.split = [None if value in (None, "") else str(value) for value in _column(rows, roles, "split", None)]
    for row, problems in rows.problems.items():
        _mark(cases, rows, row, problems, roles)
    return cases


def locate_row(rows: RowBatch, row: int, case: str | None = None, field: str | None = None) -> Where:
    """The place of a row."""
    return Where(file=rows.files[row], line=rows.numbers[row] if rows.numbering == "line" else None, case=case, field=field)


def _column(rows: RowBatch, roles: ColumnRoles, role: str, default: Any) -> list[Any]:
    name = roles.columns.get(role)
    return [default] * len(rows) if name is None else [value.get(name, default) for value in rows.values]


def list_ids(rows: RowBatch, column: str | None) -> list[str]:
    """The ids in a column, as text; where there is none, what tells the row from the others of its file."""
    if column is None:
        return [_number_id(rows, row) for row in range(len(rows))]
    ids = [value.get(column) for value in rows.values]
    return [found if type(found) is str and found else _id(found, rows, row) for row, found in enumerate(ids)]


def _id(value: Any, rows: RowBatch, row: int) -> str:
    if value is None or value == "":
        return _number_id(rows, row)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list | bool) else str(value)


def _number_id(rows: RowBatch, row: int) -> str:
    if rows.numbering == "file":
        return get_data_stem(Path(rows.files[row]))
    number = str(rows.numbers[row])
    return f"{get_data_stem(Path(rows.files[row]))}:{number}" if rows.several_files else number


def _actuals(rows: RowBatch, roles: ColumnRoles) -> list[Sequence[Any] | None]:
    if roles.trials:
        return [[value[name] for name in roles.trials if name in value] for value in rows.values]
    if "actuals" not in roles.columns:
        return [None] * len(rows)
    found = _column(rows, roles, "actuals", None)
    return [_list_in_cell(value) if rows.is_text_only else value if isinstance(value, list) else None for value in found]


def _actual(rows: RowBatch, roles: ColumnRoles, actuals: list[Sequence[Any] | None]) -> list[Value]:
    """The output of each case; where there are only several trials, the first of them."""
    if "actual" in roles.columns or not (roles.trials or "actuals" in roles.columns):
        return _column(rows, roles, "actual", MISSING)
    return [trials[0] if trials else MISSING for trials in actuals]


def _metadata(rows: RowBatch, roles: ColumnRoles, keys: frozenset[str] | None) -> list[dict[str, Any]]:
    used = roles.used
    if keys is not None and keys <= used and "metadata" not in roles.columns:
        return [{} for _ in rows.values]
    if keys is not None and len(keys - used) <= _FEW:
        names = sorted(keys - used)
        rest = [{name: value[name] for name in names if name in value} for value in rows.values]
    else:
        rest = [{name: item for name, item in value.items() if name not in used} for value in rows.values]
    if "metadata" not in roles.columns:
        return rest
    own = _column(rows, roles, "metadata", None)
    return [{**_as_object(found, rows.is_text_only), **others} for found, others in zip(own, rest, strict=True)]


def _as_object(value: Any, cells: bool) -> dict[str, Any]:
    if cells and isinstance(value, str):
        read = decode_json(value.encode(errors="replace")).value
        value = read if isinstance(read, dict) else value or None
    if value is None:
        return {}
    return value if isinstance(value, dict) else {"metadata": value}


def _contexts(value: Any, cells: bool) -> Sequence[Any] | None:
    if cells and isinstance(value, str):
        value = _list_in_cell(value) or value.strip() or None
    if value is None or isinstance(value, list):
        return value
    return [value]


def _list_in_cell(value: Any) -> list[Any] | None:
    """The JSON list that a cell holds."""
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return None
    read = decode_json(value.encode(errors="replace")).value
    return read if isinstance(read, list) else None


def _note_odd_lists(cases: Cases, rows: RowBatch, column: str) -> None:
    """Say which cells look like a list but are none: they count as one text."""
    for row, value in enumerate(rows.values):
        cell = value.get(column)
        if isinstance(cell, str) and cell.lstrip().startswith("[") and _list_in_cell(cell) is None:
            what, fix = "the cell begins like a list but is not JSON; it counts as one text", 'write a JSON list: ["…", "…"]'
            where = locate_row(rows, row, cases.id[row], column)
            note = Diagnostic(code="contexts-as-text", what=what, where=where, fix=fix, level="warning")
            cases.diagnostics.setdefault(row, []).append(note)


def _tags(value: Any) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(tag) for tag in value)
    if value is None:
        return ()
    return tuple(tag for part in str(value).split(",") if (tag := part.strip()))


def _mark(cases: Cases, rows: RowBatch, row: int, problems: list[JsonProblem], roles: ColumnRoles) -> None:
    """Attach what is wrong with a row, and take away the side that cannot be trusted."""
    notes = cases.diagnostics.setdefault(row, [])
    for problem in problems:
        role = roles.get_role(problem.steps[0]) if len(problem.steps) > 1 or (problem.steps and problem.code != "duplicate-key") else None
        where = locate_row(rows, row, cases.id[row])
        if problem.level != "error":
            notes.append(problem.to_diagnostic(where))
            continue
        side = role if role in _SIDES else "case"
        if side in ("case", "expected"):
            cases.expected[row] = MISSING
        if side in ("case", "actual"):
            cases.actual[row] = MISSING
        field = problem.to_diagnostic().where.field
        what = f"{problem.what} ({problem.code})" if problem.code not in ("invalid-json", "truncated-json", "invalid-csv") else problem.what
        place = Where(file=where.file, line=where.line, case=where.case, field=field)
        notes.append(Diagnostic(code=f"unreadable-{side}", what=what, where=place, fix=problem.fix))
