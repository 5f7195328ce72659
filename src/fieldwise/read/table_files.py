"""Rows of JSONL, JSON, CSV and Parquet files, in batches. What cannot be read becomes a diagnostic."""

import io
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol, TypeAlias, cast

import zstandard

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.locations import Location, parse_location
from fieldwise.model.values import MISSING, Json, Missing, Value
from fieldwise.read.arrow_rows import convert_arrow_batch
from fieldwise.read.csv_files import read_csv
from fieldwise.read.document_records import find_records
from fieldwise.read.files import (
    ReadProgress,
    UnreadableFile,
    decode_wide,
    detect_wide_encoding,
    find_files,
    get_data_suffix,
    open_bytes,
    warn_unread_entries,
)
from fieldwise.read.imported_files import detect_content_format, import_rows, is_importer, recognize_format, recognizes_document
from fieldwise.read.json_text import BYTE_ORDER_MARK, JsonProblem, decode_fast, decode_lines, decode_with_problems
from fieldwise.read.rows import MAX_BATCH_BYTES, RowBatch

MAX_LINE_BYTES: Final = 64 << 20
"""A longer line is not a case: it is discarded while it is read, and reported."""
MAX_DOCUMENT_BYTES: Final = 1 << 30
"""A larger JSON document does not fit into memory: JSONL is read line by line instead."""
_BLOCK: Final = 1 << 20
LineFilter: TypeAlias = Callable[[bytes], bool]
"""Whether a line of JSONL is decoded; False for a block of lines if it is False for each of them."""
_DOCUMENT_NOT_LINES: Final = "this is a JSON document, not one case per line: give the file the name .json"
_LINES_DECODED_TOGETHER: Final = 64
"""Lines decoded and checked together; their text and values fit into a processor's cache."""


def read_files(
    pattern: str,
    file_format: str | None,
    chunk: int,
    progress: ReadProgress,
    diagnostics: list[Diagnostic],
    keep_line: LineFilter | None = None,
) -> Iterator[RowBatch]:
    """The rows of every file that a path, folder or glob names; a file that cannot be read becomes a diagnostic.

    `keep_line` leaves out lines of JSONL; files of other formats are read whole.
    """
    try:
        files = find_files(pattern)
    except UnreadableFile as error:
        diagnostics.append(error.diagnostic)
        return
    diagnostics += warn_unread_entries(parse_location(pattern))
    progress.total = (progress.total or 0) + sum(file.stat().st_size for file in files)
    yield from note_recognized(read_each(files, file_format, chunk, progress, diagnostics, keep_line), diagnostics)


def note_recognized(stream: Iterator[RowBatch], diagnostics: list[Diagnostic]) -> Iterator[RowBatch]:
    """The same rows; adds what was recognized in their files to `diagnostics`, once however many files are alike."""
    recognized: set[str] = set()
    for rows in stream:
        diagnostics += [note for note in rows.notes if note.what not in recognized]
        recognized.update(note.what for note in rows.notes)
        yield rows


def read_each(
    files: list[Location],
    file_format: str | None,
    chunk: int,
    progress: ReadProgress,
    diagnostics: list[Diagnostic],
    keep_line: LineFilter | None = None,
) -> Iterator[RowBatch]:
    """The rows of these files, one file after the other."""
    for file in files:
        for rows in read_file(file, file_format, chunk, progress, diagnostics, keep_line):
            rows.several_files = len(files) > 1
            yield rows


def read_each_document(
    files: list[Location], importer: str, chunk: int, progress: ReadProgress, diagnostics: list[Diagnostic]
) -> Iterator[RowBatch]:
    """The rows of these files in the format of an importer. A file that it cannot read is one row with that problem.

    If it can read none of them, all are errors: the format is not this one.
    """
    failures: list[tuple[Location, Diagnostic]] = []
    has_rows = False
    for file in files:
        problems: list[Diagnostic] = []
        for rows in read_file(file, importer, chunk, progress, problems):
            rows.several_files = len(files) > 1
            has_rows = True
            yield rows
        failures += [(file, problem) for problem in problems]
        if has_rows:
            yield from (_make_unread_row(*failure) for failure in failures)
            failures = []
    diagnostics += [problem for _, problem in failures]


def _make_unread_row(file: Location, problem: Diagnostic) -> RowBatch:
    problems = {0: [JsonProblem("invalid-json", problem.what, fix=problem.fix)]}
    return RowBatch(values=[{}], numbers=[1], files=[str(file)], numbering="file", problems=problems)


def read_file(
    file: Location,
    file_format: str | None,
    chunk: int,
    progress: ReadProgress,
    diagnostics: list[Diagnostic],
    keep_line: LineFilter | None = None,
) -> Iterator[RowBatch]:
    """The rows of one file, up to where it becomes unreadable."""
    has_rows = False
    try:
        content_format = detect_content_format(file, file_format)
        with closing(open_bytes(file, progress)) as stream:
            for rows in read_rows(stream, str(file), content_format, chunk, keep_line):
                if len(rows):
                    has_rows = True
                    yield rows
        if not has_rows:
            what, fix = "the file holds no cases", "write cases into it, or name another file"
            diagnostics.append(Diagnostic(code="empty-file", what=what, where=Where(file=str(file)), fix=fix))
    except UnreadableFile as error:
        diagnostics.append(error.diagnostic)
    except (OSError, EOFError, ValueError, zlib.error, zstandard.ZstdError, MemoryError) as error:
        diagnostics.append(describe_unreadable(file, error, has_rows))


def read_rows(stream: BinaryIO, file: str, file_format: str, chunk: int, keep_line: LineFilter | None = None) -> Iterator[RowBatch]:
    """The rows of an open file in this format."""
    if file_format == "jsonl":
        return read_jsonl(stream, file, chunk, keep_line=keep_line)
    if file_format == "csv":
        return read_csv(stream, file, chunk)
    if file_format == "parquet":
        return read_parquet(stream, file, chunk)
    if is_importer(file_format):
        return iter([read_imported(stream, file, file_format)])
    return iter([read_json(stream, file)])


def describe_unreadable(file: Location, error: Exception, has_rows: bool = False) -> Diagnostic:
    """The diagnostic for a file that the system or the decompressor cannot read."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
    what = f"the file cannot be read to its end: {reason}" if has_rows else f"the file cannot be read: {reason}"
    return Diagnostic(code="unreadable-file", what=what, where=Where(file=str(file)), fix="check that the file is whole and may be read")


def read_stdin(stdin: BinaryIO | None, chunk: int, diagnostics: list[Diagnostic]) -> Iterator[RowBatch]:
    """Rows of JSONL from standard input."""
    has_rows = False
    for rows in read_jsonl(stdin or sys.stdin.buffer, "-", chunk):
        has_rows = True
        yield rows
    if not has_rows:
        what = "standard input holds no cases"
        diagnostics.append(Diagnostic(code="empty-file", what=what, where=Where(file="-"), fix="pipe JSONL into it"))


class ByteStream(Protocol):
    """A file, or a part of one, to read bytes from."""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes; none at the end."""
        ...


class _TooLongLine(bytes):
    """Replaces a line that was discarded while it was read."""


def read_jsonl(stream: ByteStream, file: str, chunk: int, lines_before: int = 0, keep_line: LineFilter | None = None) -> Iterator[RowBatch]:
    """Rows of at most `chunk` lines, fewer where they are long. Blank lines are skipped but counted.

    `lines_before`: number of lines of the file before the stream.
    """
    lines: list[bytes] = []
    numbers: list[int] = []
    number = lines_before
    size = 0
    is_terminated = True  # whether the last line that is not blank ends in a newline
    for block, ends_in_newline in iterate_lines(stream, is_file_start=not lines_before, keep_line=keep_line):
        for line in block:
            number += 1
            if not line or line.isspace() or (keep_line is not None and not keep_line(line)):
                continue
            lines.append(line)
            numbers.append(number)
            is_terminated = ends_in_newline or line is not block[-1]
            size += len(line)
            if len(lines) == chunk or size >= MAX_BATCH_BYTES:
                yield _decode_rows(lines, numbers, file, is_terminated, heavy=size >= MAX_BATCH_BYTES)
                lines, numbers, size = [], [], 0
    if lines:
        yield _decode_rows(lines, numbers, file, is_terminated)


def iterate_lines(
    stream: ByteStream, *, is_file_start: bool = True, keep_line: LineFilter | None = None
) -> Iterator[tuple[list[bytes], bool]]:
    """Lists of lines, with False for the last one if it does not end in a newline. A byte order mark may begin the file.

    Blocks in which `keep_line` needs no line become blank lines, which keep the numbers of the others.
    """
    parts: list[bytes] = []  # of a line longer than a block
    while block := stream.read(_BLOCK):
        if is_file_start:
            block, is_file_start = block.removeprefix(BYTE_ORDER_MARK), False
        head, newline, rest = block.partition(b"\n") if parts else (b"", b"\n", block)
        if not newline:
            parts = [_TooLongLine(b"\0")] if _is_too_long(parts) else [*parts, head]
            continue
        lines = _split_lines(rest, keep_line)
        if parts:
            lines.insert(0, _join_parts([*parts, head]))
        parts = [lines.pop()]
        yield lines, True
    last = _join_parts(parts)
    if last:
        yield [last], False


def _split_lines(block: bytes, keep_line: LineFilter | None) -> list[bytes]:
    """The lines of a block, of which the last may go on in the next block."""
    if keep_line is not None:
        whole_lines, newline, last = block.rpartition(b"\n")
        if newline and not keep_line(whole_lines):
            return [b""] * (whole_lines.count(b"\n") + 1) + [last]
    return block.split(b"\n")


def _is_too_long(parts: list[bytes]) -> bool:
    return type(parts[0]) is _TooLongLine or (len(parts) > MAX_LINE_BYTES // _BLOCK and sum(map(len, parts)) > MAX_LINE_BYTES)


def _join_parts(parts: list[bytes]) -> bytes:
    return parts[0] if parts and type(parts[0]) is _TooLongLine else b"".join(parts)


def _decode_rows(lines: list[bytes], numbers: list[int], file: str, is_terminated: bool, *, heavy: bool = False) -> RowBatch:
    values: list[Any] = []
    for start in range(0, len(lines), _LINES_DECODED_TOGETHER):
        values += decode_lines(lines[start : start + _LINES_DECODED_TOGETHER])
    problems: dict[int, list[JsonProblem]] = {}
    for row, value in enumerate(values):
        if type(value) is not dict:
            is_whole = is_terminated or row < len(lines) - 1
            values[row], problems[row] = _decode_row_with_problems(lines[row], numbers[row], is_whole)
    # `\u0076` is a `v`; one character is found much faster than two
    mentions_value = any(b"value" in line or (b"\\" in line and b"\\u" in line) for line in lines)
    return RowBatch(
        values=values,
        numbers=numbers,
        files=[file] * len(values),
        problems=problems,
        finite=not problems,
        mentions_value=mentions_value,
        heavy=heavy,
    )


def _decode_row_with_problems(line: bytes, number: int, is_whole: bool) -> tuple[dict[str, Any], list[JsonProblem]]:
    """A line that the fast decoder refused or that is not an object: the usable part of it, and its problems."""
    if type(line) is _TooLongLine:
        what = f"the line is longer than {MAX_LINE_BYTES >> 20} MB"
        fix = "a case is one document: split it, or leave out what is not compared"
        return {}, [JsonProblem("record-too-large", what, fix=fix)]
    if b"\0" in line:  # no JSON text has this byte
        what = "the line is not UTF-8 but UTF-16 or binary"
        if detect_wide_encoding(line) is not None:
            what = "the file is UTF-16, which JSON lines must not be"
        return {}, [JsonProblem("invalid-utf8", what, fix="save the file as UTF-8")]
    result = decode_with_problems(line)
    if isinstance(result.value, dict):
        return result.value, result.problems
    if result.failure is None:
        what, fix = "a line must hold one JSON object", 'write {"id": …, "expected": …, "actual": …}'
        if number == 1 and isinstance(result.value, list):
            fix = _DOCUMENT_NOT_LINES
        return {}, [JsonProblem("invalid-json", what, fix=fix)]
    what, fix = result.failure.what, result.failure.fix
    if b"\r" in line.strip() and len(_decode_json_lines(line)) > 1:
        what, fix = "the lines of the file end in CR only, so that they are read as one", "save the file with the line ends LF or CR LF"
    elif not is_whole:
        what, fix = f"the file looks truncated: {what}", "write the file again; its last line has no end"
    elif number == 1 and (line.strip() == b"{" or line.lstrip().startswith(b"[")):
        fix = _DOCUMENT_NOT_LINES
    return {}, [JsonProblem(result.failure.code, what, fix=fix)]


def read_json(stream: BinaryIO, file: str) -> RowBatch:
    """The rows of a JSON file: a list of cases, or one object that is one case or holds a list of cases; else `UnreadableFile`."""
    value, problems = parse_json_file(read_document(stream, file), file)
    recognized = recognize_format(value)
    if recognized is not None:
        return import_rows([value], recognized, file)
    if isinstance(value, dict):
        has_errors = any(problem.level == "error" for problem in problems)
        document = None if has_errors else find_records(cast("Mapping[str, Any]", value))
        if document is not None:
            rows = _rows_of_list(document.records, _list_record_problems(value, document.records, problems), file)
            rows.notes = (Diagnostic(code=document.code, what=document.what, where=Where(file=file), level="info"),)
            return rows
        return RowBatch(values=[value], numbers=[1], files=[file], numbering="file", problems={0: problems} if problems else {})
    if isinstance(value, list):
        return _rows_of_list(value, problems, file)
    what, fix = "a file of cases must hold a list of objects, or one object", 'write [{"id": …, "expected": …, "actual": …}, …]'
    raise UnreadableFile(Diagnostic(code="unreadable-file", what=what, where=Where(file=file), fix=fix))


def read_imported(stream: BinaryIO, file: str, file_format: str) -> RowBatch:
    """The rows of a file in the format of an importer; a JSONL file has a document on each line."""
    content = read_document(stream, file)
    if get_data_suffix(parse_location(file)) in (".jsonl", ".ndjson"):
        documents = [parse_json_file(line, file)[0] for line in content.splitlines() if line.strip()]
        is_one_document = recognizes_document(file_format, documents)  # a list of rows, each on a line
        return import_rows([documents] if is_one_document else documents, file_format, file)
    return import_rows([parse_json_file(content, file)[0]], file_format, file)


def read_document(stream: BinaryIO, file: str) -> bytes:
    """The content of a JSON file; `UnreadableFile` if it is larger than MAX_DOCUMENT_BYTES, compressed or not."""
    content = stream.read(MAX_DOCUMENT_BYTES + 1)
    if len(content) > MAX_DOCUMENT_BYTES:
        what = f"the JSON document is larger than {MAX_DOCUMENT_BYTES >> 20:,} MB"
        raise UnreadableFile(
            Diagnostic(code="file-too-large", what=what, where=Where(file=file), fix="write it as JSONL, one case per line")
        )
    return content


def parse_json_file(content: bytes, file: str) -> tuple[Value, list[JsonProblem]]:
    """The value of a file and the problems inside it; `UnreadableFile` if it is empty or not JSON. JSON lines are a list of objects.

    A file is UTF-8, or UTF-16 or UTF-32 if its first bytes show that.
    """
    encoding = detect_wide_encoding(content)
    if encoding is not None:
        content = decode_wide(content, encoding, file).encode()
    if not content.strip():
        fix = "write cases into it, or name another file"
        raise UnreadableFile(Diagnostic(code="empty-file", what="the file is empty", where=Where(file=file), fix=fix))
    value = decode_fast(content)
    if value is not MISSING:
        return value, []
    result = decode_with_problems(content)
    if result.failure is None:
        return result.value, result.problems
    records = _decode_json_lines(content)
    if records:
        return records, []
    raise UnreadableFile(_describe_syntax_error(content, result.failure, file))


def _decode_json_lines(content: bytes) -> list[Json]:
    """The objects of JSON lines in a file that is named .json; empty if a line is anything else."""
    records: list[Json] = []
    for line in content.removeprefix(BYTE_ORDER_MARK).splitlines():
        if line.strip():
            record = decode_fast(line)
            if not isinstance(record, dict):
                return []
            records.append(record)
    return records


def _describe_syntax_error(content: bytes, failure: JsonProblem, file: str) -> Diagnostic:
    text = content.decode(errors="replace")
    where = Where(file=file, line=text.count("\n", 0, failure.at or 0) + 1)
    first_line = content.lstrip().split(b"\n", 1)[0]
    if failure.what.startswith("something follows") and isinstance(decode_fast(first_line), dict):
        fix = "this is one JSON object per line: give the file the name .jsonl"
        return Diagnostic(code=failure.code, what=failure.what, where=where, fix=fix)
    return failure.to_diagnostic(where)


def _list_record_problems(document: Any, records: Sequence[Any], problems: Sequence[JsonProblem]) -> list[JsonProblem]:
    """The problems inside these objects of a document, each with the number of its object as the first step.

    A metric beside them that is NaN, as of a judge that failed, is no problem of a case.
    """
    # By identity, because equal records are different cases; `document` keeps all of them alive.
    numbers = {id(record): number for number, record in enumerate(records)}
    inside: list[JsonProblem] = []
    for problem in problems:
        node = document
        for depth, step in enumerate(problem.steps, 1):
            node = node[step]
            if id(node) in numbers:
                inside.append(replace(problem, steps=(numbers[id(node)], *problem.steps[depth:])))
                break
    return inside


def _rows_of_list(items: list[Any], list_problems: list[JsonProblem], file: str) -> RowBatch:
    problems: dict[int, list[JsonProblem]] = {}
    for problem in list_problems:
        row = problem.steps[0] if problem.steps else 0
        row_problem = JsonProblem(problem.code, problem.what, problem.steps[1:], problem.fix, problem.level, problem.at)
        problems.setdefault(int(row), []).append(row_problem)
    for row, item in enumerate(items):
        if not isinstance(item, dict):
            problems[row] = [JsonProblem("invalid-json", "a case must be a JSON object", fix='write {"id": …, "expected": …, "actual": …}')]
    values: list[Any] = [item if isinstance(item, dict) else {} for item in items]
    return RowBatch(values=values, numbers=list(range(1, len(items) + 1)), files=[file] * len(items), numbering="item", problems=problems)


def load_json(path: str | Path) -> Json:
    """The value of a JSON file such as `strategies.json`; ConfigError, with every problem in it, if it cannot be used."""
    file = parse_location(path)
    try:
        with open_bytes(file, ReadProgress()) as stream:
            value, problems = parse_json_file(read_document(stream, str(path)), str(path))
    except UnreadableFile as error:
        raise ConfigError([error.diagnostic]) from error
    except (OSError, EOFError) as error:
        raise ConfigError([describe_unreadable(file, error)]) from error
    errors = [problem.to_diagnostic(Where(file=str(path))) for problem in problems if problem.level == "error"]
    if errors or isinstance(value, Missing):
        raise ConfigError(errors)
    return value


def read_parquet(stream: BinaryIO, file: str, chunk: int, groups: range | None = None, rows_before: int = 0) -> Iterator[RowBatch]:
    """Rows of at most `chunk` records, of all row groups or of some; `rows_before` rows of the file come before those."""
    import pyarrow as pa  # slow to import, and only Parquet needs it

    try:
        yield from _read_row_groups(stream, file, chunk, groups, rows_before)
    except pa.ArrowException as error:
        reason = str(error).split("\n", 1)[0]
        what = f"the file is not whole Parquet: {reason}"
        raise UnreadableFile(Diagnostic(code="unreadable-file", what=what, where=Where(file=file))) from error


def _read_row_groups(stream: BinaryIO, file: str, chunk: int, groups: range | None, rows_before: int) -> Iterator[RowBatch]:
    import pyarrow.parquet as pq

    is_seekable = isinstance(stream, io.BufferedReader) and stream.seekable()
    source = stream if is_seekable else io.BytesIO(stream.read())  # Parquet is read from its end; compressed streams cannot seek
    parquet = pq.ParquetFile(source)
    number = rows_before
    for batch, heavy in _iterate_arrow_batches(parquet, range(parquet.num_row_groups) if groups is None else groups, chunk):
        values, problems = convert_arrow_batch(batch)
        numbers = list(range(number + 1, number + len(values) + 1))
        number += len(values)
        yield RowBatch(values=values, numbers=numbers, files=[file] * len(values), numbering="item", problems=problems, heavy=heavy)


def _iterate_arrow_batches(parquet: Any, groups: range, chunk: int) -> Iterator[tuple[Any, bool]]:
    """Arrow batches, and whether they are shorter than `chunk` because their rows are large.

    Reads group by group: `iter_batches` over all groups would keep all of them in memory.
    """
    for index in groups:
        group = parquet.metadata.row_group(index)
        max_rows = MAX_BATCH_BYTES * group.num_rows // max(group.total_byte_size, 1)
        for batch in parquet.iter_batches(max(1, min(chunk, max_rows)), row_groups=[index]):
            yield batch, max_rows < chunk
