"""Which column of a file plays which role: by what the suite says, else by the usual names."""

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
"""Names that are recognised besides the names of the roles themselves."""


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """The column of each role that has one."""

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    trials: tuple[str, ...] = ()
    """The columns of several outputs, one per trial."""
    ignored: frozenset[str] = frozenset()
    """Columns that are no part of a case, such as the other side's in a pair of files."""

    def get_role(self, column: object) -> str | None:
        """The role of a column."""
        if column in self.trials:
            return "actuals"
        return next((role for role, name in self.columns.items() if name == column), None)

    @property
    def used(self) -> frozenset[str]:
        """Every column that does not go to the metadata."""
        return frozenset(self.columns.values()) | frozenset(self.trials) | self.ignored


def find_roles(names: Iterable[str], given: Mapping[str, Any], where: Where) -> tuple[ColumnRoles, list[Diagnostic]]:
    """The roles of these columns, with what was recognised (info) and what cannot be decided (error)."""
    present = list(names)
    written, problems = _written(present, given, where)
    claimed = {column for value in written.values() for column in ([value] if isinstance(value, str) else value)}
    columns = {role: column for role, column in written.items() if isinstance(column, str)}
    trials = next((tuple(value) for value in written.values() if not isinstance(value, str)), ())
    for role in ROLES:
        if role in given:
            continue
        candidates = [name for name in (role, *USUAL_NAMES.get(role, ())) if name in present and name not in claimed]
        if len(candidates) > 1:
            problems.append(_undecided(role, candidates, where))
        elif candidates:
            columns[role] = candidates[0]
            if candidates[0] != role:
                problems.append(note_recognized_column(candidates[0], role, where))
    return ColumnRoles(columns, trials), problems


def note_recognized_column(column: str, role: str, where: Where) -> Diagnostic:
    """A note that a usual name was understood."""
    return Diagnostic(code="column-recognised", what=f"the column `{column}` is read as {role}", where=where, level="info")


def _undecided(role: str, candidates: Sequence[str], where: Where) -> Diagnostic:
    names = " and ".join(f"`{name}`" for name in candidates)
    what = f"{names} could both be {role}" if len(candidates) == 2 else f"{names} could all be {role}"
    fix = f"say which one: columns: {{{role}: {candidates[0]}}}"
    return Diagnostic(code="ambiguous-columns", what=what, where=Where(file=where.file), fix=fix)


def _written(present: list[str], given: Mapping[str, Any], where: Where) -> tuple[dict[str, str | list[str]], list[Diagnostic]]:
    """What the suite says about columns, checked against the columns there are."""
    written: dict[str, str | list[str]] = {}
    problems: list[Diagnostic] = []
    for role, value in given.items():
        if role not in ROLES:
            problems.append(_unknown("role", role, ROLES, "unknown-role", where))
            continue
        many = role == "actuals" and isinstance(value, list | tuple)
        columns: list[Any] = list(value) if many else [value]
        absent = [column for column in columns if column not in present]
        problems += [_unknown("column", str(column), present, "unknown-column", where) for column in absent]
        if not absent:
            written[role] = columns if many else columns[0]
    return written, problems


def _unknown(what: str, name: str, valid: Sequence[str], code: str, where: Where) -> Diagnostic:
    like = nearest(name, list(valid))
    listed = ", ".join(valid[:20]) or "none"
    fix = f"did you mean `{like}`?" if like else f"there are: {listed}"
    return Diagnostic(
        code=code,
        what=f"there is no {what} `{name}`",
        where=Where(file=where.file, field=f"columns.{name}" if what == "role" else None),
        fix=fix,
    )
