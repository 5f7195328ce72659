"""What the columns of one side of a pair mean: is a row the record, or does a column hold it?"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.plan import Source
from fieldwise.read.columns import ROLES, USUAL_NAMES, ColumnRoles, find_roles, note_recognized_column
from fieldwise.registry import nearest

_SIDES: Final = ("expected", "actual")
_CERTAIN: Final = {
    "expected": ("expected", "ground_truth", "gold", "expected_output"),
    "actual": ("actual", "prediction"),
}
"""Names that no ordinary record uses for a field of its own."""


@dataclass(frozen=True, slots=True)
class SideColumns:
    """How to read the rows of one side."""

    roles: ColumnRoles = field(default_factory=ColumnRoles)
    key: str | None = None
    row_is_record: bool = False


def side_columns(names: Iterable[str], source: Source, side: str, file: str) -> tuple[SideColumns, list[Diagnostic]]:
    """Roles and key of a side's columns, with what was decided (info) and what cannot be (error)."""
    present = sorted(names)
    where = Where(file=file)
    given = {role: column for role, column in source.columns.items() if role not in _SIDES and role != "actuals" and column in present}
    given |= {role: column for role, column in source.columns.items() if role == side or (role == "actuals" and side == "actual")}
    problems: list[Diagnostic] = []
    if source.join is not None and source.join not in present:
        problems.append(_no_join(source.join, present, where))
    if side not in given and "actuals" not in given:
        candidates = _candidates(present, given.values(), source.join, side)
        if len(candidates) == 1:
            given[side] = candidates[0]
            problems += [note_recognized_column(candidates[0], side, where)] if candidates[0] != side else []
        elif not candidates and not (side == "actual" and "actuals" in present):
            return _rows_are_records(present, source, side, where, problems)
        elif candidates:
            problems.append(_undecided(candidates, side, where))
    hidden = {name for one in _SIDES for name in (one, *USUAL_NAMES[one])} - set(map(str, given.values()))
    others = [name for name in present if name not in hidden or name == source.join]
    roles, found = find_roles(others, given, where)
    roles = ColumnRoles(roles.columns, roles.trials, frozenset(hidden & set(present)))
    return SideColumns(roles, source.join or roles.columns.get("id")), [*problems, *found]


def _candidates(present: list[str], claimed: Iterable[object], join: str | None, side: str) -> list[str]:
    """Columns that may hold the record of this side: certain names, else words that records use too if nothing else is in the row."""
    taken = set(map(str, claimed)) | {str(join)}
    free = [name for name in present if name not in taken]
    certain = [name for name in _CERTAIN[side] if name in free]
    other = "actual" if side == "expected" else "expected"
    names = {one: [name for name in (one, *USUAL_NAMES[one]) if name in free] for one in _SIDES}
    if certain:
        return names[side]
    roles = {*ROLES, *(name for usual in USUAL_NAMES.values() for name in usual)}
    if not set(free) <= roles:
        return []
    return names[side] or names[other]  # in a file of expected answers, `answer` is the expected one


def _rows_are_records(
    present: list[str], source: Source, side: str, where: Where, problems: list[Diagnostic]
) -> tuple[SideColumns, list[Diagnostic]]:
    identity = str(source.columns.get("id", "id"))
    key = source.join or (identity if identity in present else None)
    what = f"no column holds {side}: each row is the record itself"
    note = Diagnostic(
        code="rows-are-records", what=what, where=where, fix=f"if a column does, name it: columns: {{{side}: …}}", level="info"
    )
    roles = ColumnRoles({"id": identity} if identity in present else {})
    return SideColumns(roles, key, row_is_record=True), [*problems, note]


def _no_join(join: str, present: list[str], where: Where) -> Diagnostic:
    like = nearest(join, present)
    fix = f"did you mean `{like}`?" if like else f"there are: {', '.join(present)}"
    return Diagnostic(code="unknown-column", what=f"there is no column `{join}` to join by", where=where, fix=fix)


def _undecided(candidates: list[str], side: str, where: Where) -> Diagnostic:
    names = " and ".join(f"`{name}`" for name in candidates)
    fix = f"say which one: columns: {{{side}: {candidates[0]}}}"
    return Diagnostic(code="ambiguous-columns", what=f"{names} could each be {side}", where=where, fix=fix)
