"""Rows of CSV files, with the separator and the encoding that spreadsheets of all countries write."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, BinaryIO, Final
from unicodedata import normalize

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.read.columns import is_promptfoo_output
from fieldwise.read.files import UnreadableFile
from fieldwise.read.json_text import JsonProblem
from fieldwise.read.rows import RowBatch

_MAX_CELL_BYTES: Final = 1 << 30
_SEPARATORS: Final = ("\t", ",", ";", "|")
"""In order of preference: text hardly ever holds a tab."""
_SAMPLE_LINES: Final = 50
_ENCODING_FIX: Final = "save the file as UTF-8 (in Excel: CSV UTF-8)"
_UTF_16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


def read_csv(stream: BinaryIO, file: str, chunk: int) -> Iterator[RowBatch]:
    """Rows of at most `chunk` records of CSV with a header; cells are text. A record shorter than the header lacks the last columns."""
    csv.field_size_limit(_MAX_CELL_BYTES)  # the default of 128 KB is less than one retrieved document
    lines = iter(_decode(stream, file))
    sample = list(islice(lines, _SAMPLE_LINES))
    named, first_line = _read_separator_line(sample)
    separator = named or detect_separator(sample, is_whole=len(sample) < _SAMPLE_LINES)
    reader = csv.reader(chain(sample[first_line:], lines), delimiter=separator)
    header = _check_header(next(reader, []), file, first_line + 1)
    rows = RowBatch(values=[], numbers=[], files=[], is_text_only=True)
    for ordinal, (line, cells) in enumerate(_iterate_records(reader, file, first_line), 1):
        problems = _find_problems(cells, header, separator)
        if problems:
            rows.problems[len(rows)] = problems
        rows.values.append(dict(zip(header, cells, strict=False)))
        rows.numbers.append(line)
        rows.ordinals.append(ordinal)
        rows.files.append(file)
        if len(rows) == chunk:
            yield rows
            rows = RowBatch(values=[], numbers=[], files=[], is_text_only=True)
    if len(rows):
        yield rows


def detect_separator(lines: list[str], is_whole: bool = True) -> str:
    """The separator under which every record of the first lines has as many cells as the header; a comma if there is none.

    `is_whole` is false if the lines end before the file does: the last record may then continue.

    >>> detect_separator(["Nr;Name, Vorname;Betrag", "1;Huber, Eva;3,50"])
    ';'
    >>> detect_separator(["question,answer", "Which?,red; green"])
    ','
    """
    cell_counts = {separator: _count_cells(lines, separator, is_whole) for separator in _SEPARATORS}
    best = max(_SEPARATORS, key=lambda separator: cell_counts[separator])
    return best if cell_counts[best] > 1 else ","


def _count_cells(lines: list[str], separator: str, is_whole: bool) -> int:
    """The cells of the header, 0 if a record has another number of cells."""
    try:
        records = [cells for cells in csv.reader(lines, delimiter=separator) if cells]
    except csv.Error:
        return 0
    if not is_whole:
        records = records[:-1]
    counts = {len(cells) for cells in records}
    return counts.pop() if len(counts) == 1 else 0


def _read_separator_line(sample: list[str]) -> tuple[str | None, int]:
    """The separator of a first line such as `sep=;`, which Excel writes and reads, and the number of lines before the header."""
    first = sample[0].strip() if sample else ""
    if first.lower().startswith("sep=") and len(first) == len("sep=;"):
        return first[-1], 1
    return ("\t", 1) if sample and sample[0].rstrip("\r\n").lower() == "sep=\t" else (None, 0)


def _decode(stream: BinaryIO, file: str) -> Iterable[str]:
    """The lines of the text: UTF-8, or UTF-16 if its byte order mark says so."""
    buffered = stream if hasattr(stream, "peek") else io.BufferedReader(stream)  # type: ignore[arg-type]
    mark = buffered.peek(2)[:2]  # type: ignore[union-attr]
    if mark in _UTF_16_MARKS:
        return _iterate_utf_16(buffered, file)
    return io.TextIOWrapper(buffered, "utf-8-sig", errors="surrogateescape", newline="")


def _iterate_utf_16(stream: BinaryIO, file: str) -> Iterator[str]:
    try:
        yield from io.TextIOWrapper(stream, "utf-16", newline="")
    except UnicodeError as error:
        what, fix = "the file begins as UTF-16 but is not valid UTF-16", "save the file as UTF-8"
        raise UnreadableFile(Diagnostic(code="invalid-utf16", what=what, where=Where(file=file), fix=fix)) from error


def _iterate_records(reader: Any, file: str, lines_before: int) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line it begins on; blank lines are left out."""
    start = lines_before + reader.line_num + 1
    try:
        for cells in reader:
            if cells:
                yield start, cells
            start = lines_before + reader.line_num + 1
    except csv.Error as error:
        where = Where(file=file, line=start)
        raise UnreadableFile(Diagnostic(code="unreadable-file", what=f"the file is not CSV from here on: {error}", where=where)) from error


def _check_header(cells: list[str], file: str, line: int) -> list[str]:
    """The column names; `UnreadableFile` if two are equal."""
    names = _qualify_repeated([normalize("NFC", cell.strip()) for cell in cells])
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        what, fix = f"the header names the column `{repeated}` twice", "give each column its own name"
        raise UnreadableFile(Diagnostic(code="duplicate-column", what=what, where=Where(file=file, line=line), fix=fix))
    return names


def _qualify_repeated(names: list[str]) -> list[str]:
    """Names with their output where the CSV of promptfoo repeats them for each one.

    >>> _qualify_repeated(["q", "[a] p", "Score", "[b] p", "Score"])
    ['q', '[a] p', 'Score', '[b] p', 'Score of [b] p']
    """
    output = ""
    qualified: list[str] = []
    for name in names:
        if is_promptfoo_output(name):
            output = name
        qualified.append(f"{name} of {output}" if output and name in qualified and name != output else name)
    return qualified


def _find_problems(cells: list[str], header: list[str], separator: str) -> list[JsonProblem]:
    problems: list[JsonProblem] = []
    if len(cells) > len(header):
        what = f"the row has {len(cells)} cells, but the header has {len(header)}"
        name = {",": "commas", "\t": "tabs"}.get(separator, f"`{separator}`")
        problems.append(JsonProblem("invalid-csv", what, fix=f"put cells that hold {name} or line breaks in double quotes"))
    for name, cell in zip(header, cells, strict=False):
        if not cell.isascii() and not _is_valid_unicode(cell):
            problems.append(JsonProblem("invalid-utf8", "the text has bytes that are not UTF-8", (name,), _ENCODING_FIX))
    return problems


def _is_valid_unicode(cell: str) -> bool:
    try:
        cell.encode()
    except UnicodeEncodeError:
        return False
    return True
