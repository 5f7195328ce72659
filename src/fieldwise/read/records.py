"""Small tables that people write by hand: each record with the place it stands at, all of it or none."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.read.files import SizeHint
from fieldwise.read.sources import read_file

_YES: Final = frozenset({"true", "yes", "y", "1", "pass", "passed", "correct", "good", "same"})
_NO: Final = frozenset({"false", "no", "n", "0", "fail", "failed", "incorrect", "wrong", "bad", "different"})
_ROWS: Final = 4096


@dataclass(frozen=True, slots=True)
class Record:
    """One row of a file."""

    value: dict[str, Any]
    where: Where


def read_records(path: str | Path) -> list[Record]:
    """The rows of a CSV, JSONL, JSON or Parquet file; ConfigError with everything in it that cannot be read."""
    found: list[Record] = []
    wrong: list[Diagnostic] = []
    for rows in read_file(Path(path), None, _ROWS, SizeHint(), wrong):
        for row, (value, number, file) in enumerate(zip(rows.values, rows.numbers, rows.files, strict=True)):
            where = Where(file=file, line=number if rows.numbering == "line" else None)
            wrong += [problem.diagnostic(where) for problem in rows.problems.get(row, ()) if problem.level == "error"]
            found.append(Record(value, where))
    if wrong:
        raise ConfigError(wrong)
    return found


def as_flag(value: Any) -> bool | None:
    """Yes or no, as people write it; None for anything else.

    >>> [as_flag(value) for value in (True, "Yes", 0, "fail", "maybe", 0.5)]
    [True, True, False, False, None, None]
    """
    if isinstance(value, bool):
        return value
    text = str(value).strip().casefold()
    return True if text in _YES else False if text in _NO else None
