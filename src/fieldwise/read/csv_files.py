"""Rows of CSV files, with the separator and the encoding that spreadsheets of all countries write."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, count, islice
from typing import BinaryIO, Final
from unicodedata import normalize

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.pattern import compile_on_use
from fieldwise.read.columns import is_promptfoo_output
from fieldwise.read.files import ENCODING_BYTES, UnreadableFile, describe_invalid_encoding, detect_wide_encoding
from fieldwise.read.json_text import JsonProblem
from fieldwise.read.rows import RowBatch

_MAX_CELL_BYTES: Final = 1 << 30
_SEPARATORS: Final = ("\t", ",", ";", "|")
"""In order of preference: text hardly ever holds a tab."""
_SAMPLE_LINES: Final = 50
_VALUE_IN_HEADER: Final = compile_on_use(
    r"\d{4}-\d\d?-\d\d?.*|\d\d?[./]\d\d?[./]\d{2,4}|[^\w\s]?-?\d+(?:[.,]\d+)+[^\w\s]?"
    r"|\w+=\S+ \w+=.*|\{[\"'].*\}|\[[\d\"'{].*\]|[^@\s]+@[^@\s]+\.\w+"
)
"""A date, a number with a mark, `name=value` twice, JSON, or an e-mail address. Whole numbers may name columns: 2024, 0."""
_MAX_SHOWN_NAME: Final = 40
_MOST_RECORDS: Final = 0.6
"""Share of the records that must have as many cells as the header where a row is damaged."""
_ENCODING_FIX: Final = "save the file as UTF-8 (in Excel: CSV UTF-8)"


def read_csv(stream: BinaryIO, file: str, chunk: int) -> Iterator[RowBatch]:
    """Rows of at most `chunk` records of CSV with a header. Cells are text, blank ones null; records of blank cells only are left out.

    `UnreadableFile` where a quote is not closed: what follows would be read as one cell.
    """
    csv.field_size_limit(_MAX_CELL_BYTES)  # the default of 128 KB is less than one retrieved document
    lines = iter(_decode(stream, file))
    sample = list(islice(lines, _SAMPLE_LINES))
    named, first_line = _read_separator_line(sample)
    separator = named or detect_separator(sample, is_whole=len(sample) < _SAMPLE_LINES)
    records = _iterate_records(chain(sample[first_line:], lines), separator, file, first_line)
    header = _check_header(next(records, (0, []))[1], file, first_line + 1)
    return _batch_records(records, header, separator, file, chunk)


def _batch_records(
    records: Iterator[tuple[int, list[str]]], header: list[str], separator: str, file: str, chunk: int
) -> Iterator[RowBatch]:
    rows = RowBatch(values=[], numbers=[], files=[], is_text_only=True)
    blank_records = 0
    failure: UnreadableFile | None = None
    for ordinal in count(1):
        try:
            line, cells = next(records)
        except StopIteration:
            break
        except UnreadableFile as error:  # after the rows before it
            failure = error
            break
        if not any(map(str.strip, cells)):  # spreadsheets write rows that were used once
            blank_records += 1
            continue
        if ordinal == 1:
            rows.notes = _warn_of_missing_header(header, file)
        if len(rows) == chunk:
            yield rows
            rows = RowBatch(values=[], numbers=[], files=[], is_text_only=True)
        cells = _cut_blank_end(cells, len(header))
        problems = _find_problems(cells, header, separator)
        if problems:
            rows.problems[len(rows)] = problems
        rows.values.append({name: cell if cell.strip() else None for name, cell in zip(header, cells, strict=False)})
        rows.numbers.append(line)
        rows.ordinals.append(ordinal)
        rows.files.append(file)
    if len(rows):
        rows.notes += _note_blank_records(blank_records, file)
        yield rows
    if failure is not None:
        raise failure


def _note_blank_records(count: int, file: str) -> tuple[Diagnostic, ...]:
    if not count:
        return ()
    what = "1 row without any value is left out" if count == 1 else f"{count:,} rows without any value are left out"
    return (Diagnostic(code="blank-rows", level="info", what=what, where=Where(file=file)),)


def _warn_of_missing_header(header: list[str], file: str) -> tuple[Diagnostic, ...]:
    """A warning if the first line, which is read as the names of the columns, has a value that is hardly a name."""
    value = next((name for name in header if _VALUE_IN_HEADER.fullmatch(name)), None)
    if value is None:
        return ()
    shown = value if len(value) <= _MAX_SHOWN_NAME else f"{value[:_MAX_SHOWN_NAME]}…"
    what = f"the first line is read as the names of the columns, and `{shown}` looks like a value"
    fix = "if the file has no header, add one as its first line, such as id,expected,actual: this line is no case now"
    return (Diagnostic(code="no-header", level="warning", what=what, where=Where(file=file, line=1), fix=fix),)


def detect_separator(lines: list[str], is_whole: bool = True) -> str:
    """The separator under which every record of the first lines, else most of them, has as many cells as the header; else a comma.

    `is_whole` is false if the lines end before the file does: the last record may then continue.

    >>> detect_separator(["Nr;Name, Vorname;Betrag", "1;Huber, Eva;3,50"])
    ';'
    >>> detect_separator(["question,answer", "Which?,red; green"])
    ','
    """
    for min_share in (1.0, _MOST_RECORDS):
        cell_counts = {separator: _count_cells(lines, separator, is_whole, min_share) for separator in _SEPARATORS}
        best = max(_SEPARATORS, key=lambda separator: cell_counts[separator])
        if cell_counts[best] > 1:
            return best
    return ","


def _count_cells(lines: list[str], separator: str, is_whole: bool, min_share: float) -> int:
    """The cells of the header, 0 if less than a share of the records has as many."""
    try:
        records = [cells for cells in csv.reader(lines, delimiter=separator) if cells]
    except csv.Error:
        return 0
    if not is_whole:
        records = records[:-1]
    if not records:
        return 0
    header_count, counts = len(records[0]), [len(cells) for cells in records[1:]]
    return header_count if counts.count(header_count) >= min_share * len(counts) else 0


def _read_separator_line(sample: list[str]) -> tuple[str | None, int]:
    """The separator of a first line such as `sep=;`, which Excel writes and reads, and the number of lines before the header."""
    first = sample[0].strip().strip('"') if sample else ""
    if first.lower().startswith("sep=") and len(first) == len("sep=;"):
        return first[-1], 1
    return ("\t", 1) if sample and sample[0].rstrip("\r\n").lower() == "sep=\t" else (None, 0)


def _decode(stream: BinaryIO, file: str) -> Iterable[str]:
    """The lines of the text: UTF-8, or UTF-16 or UTF-32 if its first bytes show that."""
    buffered = stream if hasattr(stream, "peek") else io.BufferedReader(stream)  # type: ignore[arg-type]
    encoding = detect_wide_encoding(buffered.peek(ENCODING_BYTES))  # type: ignore[union-attr]
    if encoding is not None:
        return _iterate_wide(buffered, encoding, file)
    return io.TextIOWrapper(buffered, "utf-8-sig", errors="surrogateescape", newline="")


def _iterate_wide(stream: BinaryIO, encoding: str, file: str) -> Iterator[str]:
    try:
        yield from io.TextIOWrapper(stream, encoding, newline="")
    except UnicodeError as error:
        raise UnreadableFile(describe_invalid_encoding(encoding, file)) from error


class _RecordLines:
    """The lines of a file, for a reader of records; keeps those of the current record."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._current: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._current.append(line)
        return line

    def take(self) -> list[str]:
        """Remove and return the lines of the current record."""
        lines, self._current = self._current, []
        return lines


def _iterate_records(lines: Iterable[str], separator: str, file: str, lines_before: int) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line it begins on, the header first; blank lines are left out."""
    source = _RecordLines(lines)
    reader = csv.reader(source, delimiter=separator)
    start = lines_before + 1
    pending: tuple[int, list[str], list[str]] | None = None
    try:
        for cells in reader:
            if pending is not None:
                yield pending[0], pending[1]
            record_lines = source.take()
            if len(record_lines) > 1:
                _require_closed_quotes(record_lines, separator, file, start)
            pending = (start, cells, record_lines) if cells else None
            start = lines_before + reader.line_num + 1
    except csv.Error as error:
        where = Where(file=file, line=start)
        raise UnreadableFile(Diagnostic(code="unreadable-file", what=f"the file is not CSV from here on: {error}", where=where)) from error
    if pending is not None:  # a record on one line can end inside quotes only where the file ends
        _require_closed_quotes(pending[2], separator, file, pending[0])
        yield pending[0], pending[1]


def _require_closed_quotes(lines: list[str], separator: str, file: str, start: int) -> None:
    """`UnreadableFile` if a quote that opens in one line of a record is closed in no line, or only by one that opens another cell."""
    opened_at = _find_open_quote(lines, separator)
    if opened_at is None:
        return
    what = "the double quote that opens a cell on this line is not closed: the rows from here on cannot be told apart"
    fix = "close the quote, or write a quote inside a cell twice"
    raise UnreadableFile(Diagnostic(code="unclosed-quote", what=what, where=Where(file=file, line=start + opened_at), fix=fix))


def _find_open_quote(lines: list[str], separator: str) -> int | None:
    """The line, counted from 0, of the quote that opens a cell and is not closed before the end, or is closed in a later line within text.

    >>> _find_open_quote(['1,"a\\n', 'b","c\\n', '2,d\\n'], ","), _find_open_quote(['1,"a\\n', 'b"'], ",")
    (1, None)
    """
    opened_at: int | None = None
    at_start = True  # of a cell
    for number, line in enumerate(lines):
        text = line.rstrip("\r\n")
        position = 0
        while position < len(text):
            sign = text[position]
            position += 1
            if opened_at is None:
                if at_start and sign == '"':
                    opened_at = number
                at_start = sign == separator
            elif sign == '"':
                following = text[position : position + 1]
                if following == '"':
                    position += 1
                elif opened_at == number or text[position:].lstrip(" ")[:1] in ("", separator):
                    opened_at = None
                else:
                    return opened_at
    return opened_at


def _check_header(cells: list[str], file: str, line: int) -> list[str]:
    """The column names; `UnreadableFile` if two are equal."""
    names = _qualify_repeated([normalize("NFC", cell.strip()) for cell in cells])
    if names.count("") > 1:  # spreadsheets write the separators of columns that were used once
        names = names[: len(names) - next((count for count, name in enumerate(reversed(names)) if name), 0)]
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        what = f"the header names the column `{repeated}` twice" if repeated else "the header has several columns without a name"
        fix = "give each column its own name"
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


def _cut_blank_end(cells: list[str], count: int) -> list[str]:
    """The cells without those behind the last column, if these are blank."""
    return cells if len(cells) <= count or any(map(str.strip, cells[count:])) else cells[:count]


def _find_problems(cells: list[str], header: list[str], separator: str) -> list[JsonProblem]:
    problems: list[JsonProblem] = []
    if len(cells) != len(header):
        counted = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
        what = f"the row has {counted}, but the header has {len(header)}"
        name = {",": "commas", "\t": "tabs"}.get(separator, f"`{separator}`")
        fix = f"put cells that hold {name} or line breaks in double quotes"
        if len(cells) < len(header):
            fix = "write every cell of the row, blank ones too; a file that ends here may be truncated"
        problems.append(JsonProblem("invalid-csv", what, fix=fix))
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
