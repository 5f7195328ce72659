"""Small hand-written tables, read all or nothing: records with their location, and labels of cases."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.result import Verdict
from fieldwise.read.files import ReadProgress
from fieldwise.read.table_files import read_file

_TRUE_WORDS: Final = frozenset({"true", "yes", "y", "1", "pass", "passed", "correct", "good", "same"})
_FALSE_WORDS: Final = frozenset({"false", "no", "n", "0", "fail", "failed", "incorrect", "wrong", "bad", "different"})
_ROWS_PER_BATCH: Final = 4096
_ID_COLUMNS: Final = ("id", "case")
_LABEL_COLUMNS: Final = ("label", "human", "verdict", "passed", "correct")


@dataclass(frozen=True, slots=True)
class TableRecord:
    """One row of a file."""

    value: dict[str, Any]
    where: Where


def read_records(path: str | Path) -> list[TableRecord]:
    """The rows of a CSV, JSONL, JSON or Parquet file; ConfigError with everything in it that cannot be read."""
    records: list[TableRecord] = []
    errors: list[Diagnostic] = []
    for rows in read_file(Path(path), None, _ROWS_PER_BATCH, ReadProgress(), errors):
        for row, (value, number, file) in enumerate(zip(rows.values, rows.numbers, rows.files, strict=True)):
            where = Where(file=file, line=number if rows.numbering == "line" else None)
            errors += [problem.to_diagnostic(where) for problem in rows.problems.get(row, ()) if problem.level == "error"]
            records.append(TableRecord(value, where))
    if errors:
        raise ConfigError(errors)
    return records


def parse_flag(value: Any) -> bool | None:
    """True or False for common words and digits; None for anything else.

    >>> [parse_flag(value) for value in (True, "Yes", 0, "fail", "maybe", 0.5)]
    [True, True, False, False, None, None]
    """
    if isinstance(value, bool):
        return value
    text = str(value).strip().casefold()
    if text in _TRUE_WORDS:
        return True
    return False if text in _FALSE_WORDS else None


def read_labels(path: str | Path) -> dict[str, Verdict]:
    """The human label of each case, by id; ConfigError with everything that is wrong with the file."""
    records = read_records(path)
    columns = dict.fromkeys(name for record in records for name in record.value)
    errors: list[Diagnostic] = []
    id_column = _find_column(columns, _ID_COLUMNS, "the case's id", str(path), errors)
    label_column = _find_column(columns, _LABEL_COLUMNS, "the human label", str(path), errors)
    if id_column is None or label_column is None:
        raise ConfigError(errors)
    labels: dict[str, tuple[Verdict, Where]] = {}
    for record in records:
        labelled_case = _read_label(record, id_column, label_column)
        if isinstance(labelled_case, Diagnostic):
            errors.append(labelled_case)
            continue
        case, label = labelled_case
        first_label, first_where = labels.setdefault(case, (label, record.where))
        if first_label != label:
            what = f"the case `{case}` is `{label}` here and `{first_label}` at {first_where}"
            errors.append(Diagnostic(code="two-labels", what=what, where=record.where, fix="agree on one label, or leave the case out"))
    if errors:
        raise ConfigError(errors)
    return {case: label for case, (label, _) in labels.items()}


def _find_column(columns: dict[str, None], names: Sequence[str], meaning: str, file: str, errors: list[Diagnostic]) -> str | None:
    present = [name for name in names if name in columns]
    if len(present) == 1:
        return present[0]
    if present:
        what, fix = f"the columns {' and '.join(present)} may all be {meaning}", f"keep one of {', '.join(present)}"
    else:
        what, fix = f"no column is {meaning}", f"name a column `{names[0]}`; there are {', '.join(columns) or 'none'}"
    errors.append(Diagnostic(code="no-column", what=what, where=Where(file=file), fix=fix))
    return None


def _read_label(record: TableRecord, id_column: str, label_column: str) -> tuple[str, Verdict] | Diagnostic:
    case_id, label = record.value.get(id_column), record.value.get(label_column)
    case = "" if case_id is None else str(case_id).strip()
    if not case:
        return Diagnostic(code="no-id", what="the row names no case", where=record.where, fix=f"write the case's id into `{id_column}`")
    if isinstance(label, str) and label.strip().casefold() == "partial":
        return case, "partial"
    flag = parse_flag(label)
    if flag is None:
        what = f"`{label}` is not a label" if label not in (None, "") else "the row has no label"
        fix = "write pass, partial or fail; yes and no, 1 and 0 are accepted too"
        return Diagnostic(code="bad-label", what=what, where=record.where, fix=fix)
    return case, "pass" if flag else "fail"
