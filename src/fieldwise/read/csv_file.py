"""CSV with a header. Cells are text, and stay text."""

import csv
import io
from collections.abc import Iterator
from typing import Any, BinaryIO, Final
from unicodedata import normalize

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.read.files import Unreadable
from fieldwise.read.json_scan import Problem
from fieldwise.read.rows import Rows

_LONGEST_CELL: Final = 1 << 30


def read_csv(stream: BinaryIO, file: str, chunk: int) -> Iterator[Rows]:
    """Rows of at most `chunk` records. A record that is shorter than the header lacks the columns at its end."""
    csv.field_size_limit(_LONGEST_CELL)  # the default of 128 KB is less than one retrieved document
    reader = csv.reader(io.TextIOWrapper(stream, "utf-8-sig", errors="surrogateescape", newline=""))
    header = _header(next(reader, []), file)
    rows = Rows(values=[], numbers=[], files=[], cells=True)
    for line, cells in _records(reader, file):
        problems = _problems(cells, header)
        if problems:
            rows.problems[len(rows)] = problems
        rows.values.append(dict(zip(header, cells, strict=False)))
        rows.numbers.append(line)
        rows.files.append(file)
        if len(rows) == chunk:
            yield rows
            rows = Rows(values=[], numbers=[], files=[], cells=True)
    if len(rows):
        yield rows


def _records(reader: Any, file: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line it begins on; blank lines are left out."""
    start = reader.line_num + 1
    try:
        for cells in reader:
            if cells:
                yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        where = Where(file=file, line=start)
        raise Unreadable(Diagnostic(code="unreadable-file", what=f"the file is not CSV from here on: {error}", where=where)) from error


def _header(written: list[str], file: str) -> list[str]:
    names = [normalize("NFC", name.strip()) for name in written]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        what = f"the header names the column `{twice[0]}` twice"
        raise Unreadable(
            Diagnostic(code="duplicate-column", what=what, where=Where(file=file, line=1), fix="give each column its own name")
        )
    return names


def _problems(cells: list[str], header: list[str]) -> list[Problem]:
    problems: list[Problem] = []
    if len(cells) > len(header):
        what = f"the row has {len(cells)} cells, but the header has {len(header)}"
        problems.append(Problem("invalid-csv", what, fix="put cells that hold commas or line breaks in double quotes"))
    for at, cell in enumerate(cells[: len(header)]):
        if not cell.isascii() and _has_bad_bytes(cell):
            steps: tuple[Any, ...] = (header[at],)
            problems.append(Problem("invalid-utf8", "the text has bytes that are not UTF-8", steps, "save the file as UTF-8"))
    return problems


def _has_bad_bytes(cell: str) -> bool:
    try:
        cell.encode()
    except UnicodeEncodeError:
        return True
    return False
