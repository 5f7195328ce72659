"""What people say of cases: a table with the case's id and a label."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.result import Verdict
from fieldwise.read.records import Record, as_flag, read_records

_IDS: Final = ("id", "case")
_LABELS: Final = ("label", "human", "verdict", "passed", "correct")


def read_labels(path: str | Path) -> dict[str, Verdict]:
    """The label of each case; ConfigError with everything that is wrong with the file."""
    records = read_records(path)
    columns = dict.fromkeys(name for record in records for name in record.value)
    wrong: list[Diagnostic] = []
    id_column = _column(columns, _IDS, "the case's id", str(path), wrong)
    label_column = _column(columns, _LABELS, "what people say", str(path), wrong)
    if id_column is None or label_column is None:
        raise ConfigError(wrong)
    found: dict[str, tuple[Verdict, Where]] = {}
    for record in records:
        read = _read(record, id_column, label_column)
        if isinstance(read, Diagnostic):
            wrong.append(read)
            continue
        case, label = read
        if case in found and found[case][0] != label:
            what = f"the case `{case}` is `{label}` here and `{found[case][0]}` at {found[case][1]}"
            wrong.append(Diagnostic(code="two-labels", what=what, where=record.where, fix="agree on one label, or leave the case out"))
        found.setdefault(case, (label, record.where))
    if wrong:
        raise ConfigError(wrong)
    return {case: label for case, (label, _) in found.items()}


def _column(columns: dict[str, None], names: Sequence[str], what: str, file: str, wrong: list[Diagnostic]) -> str | None:
    there = [name for name in names if name in columns]
    if len(there) == 1:
        return there[0]
    told = f"the columns {' and '.join(there)} may all be {what}" if there else f"no column is {what}"
    fix = f"keep one of {', '.join(there)}" if there else f"name a column `{names[0]}`; there are {', '.join(columns) or 'none'}"
    wrong.append(Diagnostic(code="no-column", what=told, where=Where(file=file), fix=fix))
    return None


def _read(record: Record, id_column: str, label_column: str) -> tuple[str, Verdict] | Diagnostic:
    case, label = str(record.value.get(id_column, "")).strip(), record.value.get(label_column)
    if not case:
        return Diagnostic(code="no-id", what="the row names no case", where=record.where, fix=f"write the case's id into `{id_column}`")
    if isinstance(label, str) and label.strip().casefold() == "partial":
        return case, "partial"
    flag = as_flag(label)
    if flag is None:
        what = f"`{label}` is no label" if label not in (None, "") else "the row has no label"
        return Diagnostic(code="bad-label", what=what, where=record.where, fix="write pass, partial or fail; yes and no, 1 and 0 will do")
    return case, "pass" if flag else "fail"
