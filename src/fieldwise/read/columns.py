"""Assign roles to the columns of a file: as the suite says, else by usual names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, get_args

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.plan import Role
from fieldwise.registry import nearest

ROLES: Final[tuple[str, ...]] = get_args(Role)
USUAL_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "input": ("question", "prompt"),
    "expected": ("ground_truth", "gold", "reference", "expected_output"),
    "actual": ("output", "prediction", "answer", "response"),
    "contexts": ("sources",),
}
"""Column names that are recognized, besides the names of the roles themselves."""
_MAX_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """The column of each role that has one."""

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    trials: tuple[str, ...] = ()
    """The columns of several outputs, one per trial."""
    ignored: frozenset[str] = frozenset()
    """Columns that are not part of a case, such as those of the opposite side in paired files."""

    def get_role(self, column: object) -> str | None:
        """The role of a column, if it has one."""
        if column in self.trials:
            return "actuals"
        return next((role for role, name in self.columns.items() if name == column), None)

    @property
    def used(self) -> frozenset[str]:
        """Every column that does not go to the metadata."""
        return frozenset(self.columns.values()) | frozenset(self.trials) | self.ignored


def find_roles(names: Iterable[str], written: Mapping[str, Any], where: Where) -> tuple[ColumnRoles, list[Diagnostic]]:
    """The roles of these columns, with what was recognized (info) and what cannot be decided (error).

    `written` is `columns` of the suite: role → column.
    """
    present = list(names)
    columns, trials, problems = _check_written_columns(present, written, where)
    claimed = {*columns.values(), *trials}
    for role in ROLES:
        if role in written:
            continue
        candidates = [name for name in (role, *USUAL_NAMES.get(role, ())) if name in present and name not in claimed]
        if len(candidates) > 1:
            problems.append(describe_ambiguous_columns(role, candidates, where))
        elif candidates:
            columns[role] = candidates[0]
            if candidates[0] != role:
                problems.append(note_recognized_column(candidates[0], role, where))
    return ColumnRoles(columns, trials), problems


def note_recognized_column(column: str, role: str, where: Where) -> Diagnostic:
    """The note that a usual name was recognized."""
    return Diagnostic(code="column-recognised", what=f"the column `{column}` is read as {role}", where=where, level="info")


def describe_ambiguous_columns(role: str, candidates: Sequence[str], where: Where) -> Diagnostic:
    """The error for several columns that could have the same role."""
    names = " and ".join(f"`{name}`" for name in candidates)
    what = f"{names} could {'both' if len(candidates) == 2 else 'all'} be {role}"
    fix = f"say which one: columns: {{{role}: {candidates[0]}}}"
    return Diagnostic(code="ambiguous-columns", what=what, where=Where(file=where.file), fix=fix)


def _check_written_columns(
    present: list[str], written: Mapping[str, Any], where: Where
) -> tuple[dict[str, str], tuple[str, ...], list[Diagnostic]]:
    """The columns and trials that the suite names, as far as they exist, and the problems of the others."""
    columns: dict[str, str] = {}
    trials: tuple[str, ...] = ()
    problems: list[Diagnostic] = []
    for role, value in written.items():
        if role not in ROLES:
            problems.append(_describe_unknown_role(role, where))
            continue
        is_list = role == "actuals" and isinstance(value, list | tuple)
        names: list[Any] = list(value) if is_list else [value]
        missing = [name for name in names if name not in present]
        problems += [_describe_unknown_column(str(name), present, where) for name in missing]
        if missing:
            continue
        if is_list:
            trials = tuple(names)
        else:
            columns[role] = names[0]
    return columns, trials, problems


def _describe_unknown_role(role: str, where: Where) -> Diagnostic:
    where = Where(file=where.file, field=f"columns.{role}")
    return Diagnostic(code="unknown-role", what=f"there is no role `{role}`", where=where, fix=_suggest(role, ROLES))


def _describe_unknown_column(column: str, present: Sequence[str], where: Where) -> Diagnostic:
    what = f"there is no column `{column}`"
    return Diagnostic(code="unknown-column", what=what, where=Where(file=where.file), fix=_suggest(column, present))


def _suggest(name: str, valid: Sequence[str]) -> str:
    closest = nearest(name, list(valid))
    return f"did you mean `{closest}`?" if closest else f"there are: {', '.join(valid[:_MAX_LISTED]) or 'none'}"
