"""The rows of files, folders, globs and standard input, whatever their format. What cannot be read becomes a diagnostic."""

import sys
import zlib
from collections.abc import Iterator
from contextlib import closing
from typing import BinaryIO

import zstandard

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.locations import Place
from fieldwise.read.csv_file import read_csv
from fieldwise.read.files import SizeHint, Unreadable, find_files, format_of, open_bytes
from fieldwise.read.json_file import read_json
from fieldwise.read.jsonl import read_jsonl
from fieldwise.read.rows import Rows


def read_files(pattern: str, form: str | None, chunk: int, progress: SizeHint, diagnostics: list[Diagnostic]) -> Iterator[Rows]:
    """The rows of every file that a path, folder or glob names; a file that cannot be read becomes a diagnostic."""
    try:
        files = find_files(pattern)
    except Unreadable as problem:
        diagnostics.append(problem.diagnostic)
        return
    progress.total = (progress.total or 0) + sum(file.stat().st_size for file in files)
    yield from read_each(files, form, chunk, progress, diagnostics)


def read_each(files: list[Place], form: str | None, chunk: int, progress: SizeHint, diagnostics: list[Diagnostic]) -> Iterator[Rows]:
    """The rows of these files, one file after the other."""
    for file in files:
        for rows in read_file(file, form, chunk, progress, diagnostics):
            rows.several_files = len(files) > 1
            yield rows


def read_file(file: Place, form: str | None, chunk: int, progress: SizeHint, diagnostics: list[Diagnostic]) -> Iterator[Rows]:
    """The rows of one file, as far as it can be read."""
    any_rows = False
    try:
        with closing(open_bytes(file, progress)) as stream:
            for rows in rows_of(stream, str(file), format_of(file, form), chunk):
                any_rows = any_rows or len(rows) > 0
                if len(rows):
                    yield rows
        if not any_rows:
            what, fix = "the file holds no cases", "write cases into it, or name another file"
            diagnostics.append(Diagnostic(code="empty-file", what=what, where=Where(file=str(file)), fix=fix))
    except Unreadable as problem:
        diagnostics.append(problem.diagnostic)
    except (OSError, EOFError, ValueError, zlib.error, zstandard.ZstdError, MemoryError) as error:
        diagnostics.append(cannot_read(file, error, any_rows))


def rows_of(stream: BinaryIO, file: str, form: str, chunk: int) -> Iterator[Rows]:
    """The rows of an open file in this format."""
    if form == "jsonl":
        return read_jsonl(stream, file, chunk)
    if form == "csv":
        return read_csv(stream, file, chunk)
    if form == "parquet":
        from fieldwise.read.parquet_file import read_parquet

        return read_parquet(stream, file, chunk)
    return iter([read_json(stream, file)])


def cannot_read(file: Place, error: Exception, begun: bool = False) -> Diagnostic:
    """A file that the system, or what it is packed with, will not give us."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
    what = f"the file cannot be read {'to its end' if begun else ''}".rstrip() + f": {reason}"
    return Diagnostic(code="unreadable-file", what=what, where=Where(file=str(file)), fix="check that the file is whole and may be read")


def read_stdin(stdin: BinaryIO | None, chunk: int, diagnostics: list[Diagnostic]) -> Iterator[Rows]:
    """JSONL from standard input."""
    any_rows = False
    for rows in read_jsonl(stdin or sys.stdin.buffer, "-", chunk):
        any_rows = True
        yield rows
    if not any_rows:
        diagnostics.append(
            Diagnostic(code="empty-file", what="standard input holds no cases", where=Where(file="-"), fix="pipe JSONL into it")
        )
