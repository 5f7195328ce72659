"""The roles of the columns of one side, where expected and actual are in separate files.

A row of a table is wrapped if it has a column for its side; otherwise the row itself is the record. Called where a side is opened.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Final

from fieldwise.dataclass import dataclass
from fieldwise.model.accepted_values import list_accepted
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.path import Path as FieldPath
from fieldwise.model.plan import IdColumns, Source, list_id_columns
from fieldwise.read.columns import (
    NO_COLUMNS,
    ROLES,
    USUAL_NAMES,
    USUAL_SIDE_NAMES,
    ColumnRoles,
    describe_ambiguous_columns,
    find_id_column,
    find_roles,
    fold_name,
    list_id_candidates,
    note_recognized_column,
)
from fieldwise.read.pairing_fields import is_named
from fieldwise.read.records_in_text import find_record

SIDES: Final = ("expected", "actual")
_UNAMBIGUOUS_NAMES: Final = {
    "expected": ("expected", "ground_truth", "gold", "expected_output"),
    "actual": ("actual", "prediction"),
}
"""Column names that ordinary records do not use for a field of their own."""


@dataclass(frozen=True, slots=True)
class SideColumns:
    """The roles of the columns of one side."""

    roles: ColumnRoles = field(default_factory=ColumnRoles)
    key: IdColumns | None = None
    row_is_record: bool = False
    """Whether the whole row is the record; otherwise a column holds it."""
    key_is_id: bool = False
    """Whether the key is the id of the case too; otherwise the case has the id of its row."""


def list_side_ids(names: Iterable[str], source: Source, side: str) -> list[str]:
    """The columns that could identify the rows of a side: the written one, else those with a usual name."""
    present = sorted(names)
    written = list_id_columns(source.get_mapping(side).id or source.columns.get("id"))
    return [*map(str, written)][:1] if written else list_id_candidates(present, separate_sides=True)


def list_data_columns(
    rows: Sequence[Mapping[str, Any]], names: Iterable[str], other_names: Iterable[str], source: Source, side: str
) -> frozenset[str]:
    """The columns that have the name of a side and are fields of the record all the same.

    These are columns that a rule names, columns of numbers beside other fields (`{"budget": 100, "actual": 90}`), columns of scalars
    where the rows of the other side are the records, and a column of scalars that is all that both sides have beside the id. A column of
    records, also as JSON text, is never data. `rows` are the first rows of this side, `other_names` the columns of the other.
    """
    present, others = sorted(names), sorted(other_names)
    side_names = [name for name in present if fold_name(name) in _FOLDED_SIDE_NAMES or name == "actuals"]
    data = {name for name in side_names if is_named((name,), source.named_fields)}
    if not set(map(fold_name, present)) <= _ROLE_NAMES:
        data |= {name for name in side_names if _holds_only(rows, name, (bool, int, float))}
    if others:
        has_record_rows = _has_record_rows(others, source, "actual" if side == "expected" else "expected")
        are_alike = _list_plain_columns(present, source, side) == _list_plain_columns(others, source, side) == side_names
        data |= {name for name in side_names if (has_record_rows or are_alike) and _holds_scalars(rows, name)}
    return frozenset(data)


def _has_record_rows(names: list[str], source: Source, side: str) -> bool:
    """True if the rows of a side with these columns are the records themselves."""
    mapping = source.get_mapping(side)
    is_written = mapping.record is not None or side in source.columns or (side == "actual" and "actuals" in source.columns)
    return not is_written and not _find_record_columns(names, (), mapping.id, side)


def _list_plain_columns(names: list[str], source: Source, side: str) -> list[str]:
    """The columns that are no ids."""
    key = list_id_columns(source.get_mapping(side).id)
    return [name for name in names if name not in key and not list_id_candidates([name], separate_sides=True)]


def _holds_scalars(rows: Sequence[Mapping[str, Any]], column: str) -> bool:
    """True if a column has values and none of them is an object, a list, or text that holds one."""
    texts = [row[column] for row in rows if isinstance(row.get(column), str)]
    is_record = any(isinstance(find_record(text).value, dict | list) for text in texts if "{" in text or "[" in text)
    return _holds_only(rows, column, (bool, int, float, str)) and not is_record


def holds_answers(rows: Sequence[Mapping[str, Any]], column: str) -> bool:
    """True if a column has plain texts and numbers, or several accepted ones, and none of them is a record."""
    accepted = [{column: value} for row in rows for value in list_accepted(row.get(column))]
    return _holds_scalars(accepted, column)


def _holds_only(rows: Sequence[Mapping[str, Any]], column: str, types: tuple[type, ...]) -> bool:
    """True if a column has values and all of them are of these types."""
    values = [row[column] for row in rows if row.get(column) is not None]
    return bool(values) and all(isinstance(value, types) for value in values)


def find_side_columns(
    names: Iterable[str],
    source: Source,
    side: str,
    file: str,
    not_ids: Mapping[str, str] = NO_COLUMNS,
    data_columns: Collection[str] = (),
    *,
    faces_answers: bool = False,
) -> tuple[SideColumns, list[Diagnostic]]:
    """Roles and key of a side's columns, with what was recognized (info) and what cannot be decided (error).

    `not_ids`: columns whose values showed that they are not the id. `data_columns`: those that are fields of the record. `faces_answers`:
    the other side holds plain answers, so that a column with a usual name holds those of this side, whatever is beside it.
    """
    present = sorted(names)
    where = Where(file=file)
    mapping = source.get_mapping(side)
    has_own_id = side in source.mappings and source.mappings[side].id is not None
    column_by_role = _select_written_columns(source, side, present)
    if has_own_id:
        column_by_role.pop("id", None)
    elif source.join in list_id_candidates(present, separate_sides=True):  # no other column can be the id then
        column_by_role.setdefault("id", source.join)
    side_names = {name for name in present if fold_name(name) in _FOLDED_SIDE_NAMES}
    problems: list[Diagnostic] = []
    if mapping.record is not None:
        column_by_role.pop(side, None)
        ignored = side_names | {mapping.record if mapping.record in present else str(FieldPath.parse(mapping.record).steps[0])}
    else:
        if side not in column_by_role and "actuals" not in column_by_role:
            candidates = _find_record_columns(present, column_by_role.values(), mapping.id, side, data_columns)
            if not candidates and faces_answers:
                free = [name for name in present if name not in {*map(str, column_by_role.values()), *list_id_columns(mapping.id)}]
                candidates = _find_answer_columns(free, side)
            if len(candidates) == 1:
                column_by_role[side] = candidates[0]
                if candidates[0] != side:
                    problems.append(note_recognized_column(candidates[0], side, where))
            elif candidates:
                problems.append(describe_ambiguous_columns(side, candidates, where))
            elif not (side == "actual" and "actuals" in present and "actuals" not in data_columns):
                columns, notes = _use_rows_as_side_records(present, source, side, where, not_ids)
                return columns, [*problems, *notes]
        ignored = side_names - set(map(str, column_by_role.values()))
    considered = [name for name in present if name not in ignored or name in list_id_columns(mapping.id)]
    roles, role_problems = find_roles(considered, column_by_role, where, separate_sides=True, without_id=has_own_id, not_ids=not_ids)
    roles = replace(roles, ignored=frozenset(ignored))
    return SideColumns(roles, mapping.id or roles.columns.get("id"), key_is_id=has_own_id), [*problems, *role_problems]


def _select_written_columns(source: Source, side: str, present: list[str]) -> dict[str, Any]:
    """The entries of `columns` that concern this side: its own, and those of roles that either side may have."""
    column_by_role: dict[str, Any] = {}
    for role, column in source.columns.items():
        is_own = role == side or (role == "actuals" and side == "actual")
        is_shared = role not in SIDES and role != "actuals" and column in present
        if is_own or is_shared:
            column_by_role[role] = column
    return column_by_role


def _find_record_columns(
    present: list[str], claimed: Iterable[object], key: IdColumns | None, side: str, data_columns: Collection[str] = ()
) -> list[str]:
    """Columns that may hold the record of this side: unambiguous names, else words that records use too if the row has nothing else."""
    taken = {*map(str, claimed), *list_id_columns(key), *data_columns}
    free = [name for name in present if name not in taken]
    names = {each_side: [name for name in free if fold_name(name) in _fold_side_names(each_side)] for each_side in SIDES}
    if any(fold_name(name) in map(fold_name, _UNAMBIGUOUS_NAMES[side]) for name in free):
        return [side] if side in free else names[side]
    if not set(map(fold_name, free)) <= _ROLE_NAMES:
        return []
    opposite = "actual" if side == "expected" else "expected"
    return names[side] or names[opposite]  # in a file of expected answers, `answer` is the expected one


def _find_answer_columns(names: Sequence[str], side: str) -> list[str]:
    """Columns that may hold the answers of this side: those of the first group of usual names that has one."""
    groups = (*USUAL_NAMES["expected"], *USUAL_NAMES["actual"]) if side == "expected" else USUAL_NAMES["actual"]
    for group in groups:
        columns = [name for name in names if fold_name(name) in group]
        if columns:
            return columns
    return []


def _fold_side_names(side: str) -> set[str]:
    return {fold_name(name) for name in (side, *USUAL_SIDE_NAMES[side])}


_ROLE_NAMES: Final = frozenset(
    (
        *map(fold_name, (*ROLES, *(name for names in USUAL_SIDE_NAMES.values() for name in names))),
        *(name for group in USUAL_NAMES["id"] for name in group if name != "key"),
    )
)
"""Names, folded, of columns that are no fields of a record."""
_FOLDED_SIDE_NAMES: Final = frozenset(_fold_side_names("expected") | _fold_side_names("actual"))


def _use_rows_as_side_records(
    present: list[str], source: Source, side: str, where: Where, not_ids: Mapping[str, str]
) -> tuple[SideColumns, list[Diagnostic]]:
    mapping = source.get_mapping(side)
    what, fix = f"no column holds {side}: each row is the record itself", f"if a column does, name it: columns: {{{side}: …}}"
    notes = [Diagnostic(code="rows-are-records", what=what, where=where, fix=fix, level="info")]
    if mapping.id is not None:
        has_own_id = source.join is None
        id_column = "id" if "id" in present and not has_own_id else None
    else:
        has_own_id = False
        id_column, problems = find_id_column(present, source.columns.get("id"), where, not_ids)
        notes += problems
    roles = ColumnRoles({"id": id_column} if id_column else {})
    return SideColumns(roles, mapping.id or id_column, row_is_record=True, key_is_id=has_own_id), notes
