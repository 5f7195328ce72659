"""Shards: parts of large files that can be read independently, byte ranges of JSONL and row groups of Parquet.

The boundaries depend on the data alone, not on the number of workers, and each shard knows the position of its first case, so the result
is the same as reading from start to end.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import field, replace
from typing import BinaryIO, Final

import numpy as np

from fieldwise.dataclass import dataclass
from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Where
from fieldwise.model.locations import Location, open_for_arrow, parse_location
from fieldwise.model.plan import Source
from fieldwise.read.case_builder import build_cases
from fieldwise.read.columns import ColumnRoles, find_roles, list_nested_names
from fieldwise.read.corrections import apply_corrections
from fieldwise.read.expectations import take_expected_answers
from fieldwise.read.files import ReadProgress, UnreadableFile, find_files, open_bytes, strip_compression
from fieldwise.read.ids import IdsSeen
from fieldwise.read.imported_files import detect_content_format
from fieldwise.read.json_text import BYTE_ORDER_MARK
from fieldwise.read.rows import RowBatch, rechunk_rows
from fieldwise.read.table_files import iterate_lines, read_jsonl, read_parquet

SHARD_BYTES: Final = 16 << 20
"""Approximate size of a JSONL shard, smaller near the end of the input; it extends to the end of a line."""
SHARD_ROWS: Final = 10_000
"""Approximate number of rows of a Parquet shard; it extends to the end of a row group."""
_BLOCK: Final = 1 << 18
"""Bytes to examine at a time: they stay in the cache of a core."""
_LINE_END: Final = ord("\n")
_IS_SPACE: Final = np.array([bytes([byte]).isspace() for byte in range(256)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """A part of a file, and the cases in it."""

    file: str
    file_format: str
    start: int
    """Its first byte, or its first row group."""
    stop: int
    rows_before: int
    """Number of lines (or rows) of the file before it."""
    first_case: int
    """Position of its first case in the run."""
    cases: int
    size: int
    """Number of bytes of the file in it, for progress."""
    several_files: bool = False


class Unsplittable(Exception):
    """The columns of a shard have other roles than those of the first rows, so the data must be read from start to end."""


def split_source(source: Source) -> Iterator[Shard] | None:
    """The shards of a source in order, found lazily; None if it cannot be read in parts."""
    if source.cases is None or source.cases == "-" or source.format == "coco" or source.memory:
        return None
    try:
        files = find_files(source.cases)
        formats = [detect_content_format(file, source.format) for file in files]
    except UnreadableFile:  # reading from start to end reports the problem
        return None
    if not {*formats} <= {"jsonl", "parquet"}:
        return None
    if any(file != strip_compression(file) or not file.stat().st_size for file in files):
        return None
    return _split_files(list(zip(files, formats, strict=True)))


def _split_files(files: list[tuple[Location, str]]) -> Iterator[Shard]:
    first_case, bytes_after = 0, sum(file.stat().st_size for file, _ in files)
    for file, file_format in files:
        bytes_after -= file.stat().st_size
        shards = _split_jsonl(file, first_case, bytes_after) if file_format == "jsonl" else _split_parquet(file, first_case)
        for shard in shards:
            first_case = shard.first_case + shard.cases
            yield replace(shard, several_files=len(files) > 1)


def _split_jsonl(file: Location, first_case: int, bytes_after: int) -> Iterator[Shard]:
    """The shards of a file; `bytes_after` is the size of the files that follow it."""
    size = file.stat().st_size
    start = lines_before = 0
    with file.open("rb") as stream:
        while start < size:
            stop = _find_line_end(stream, start + _shard_size(size - start + bytes_after), size)
            lines, cases = _count_lines(stream, start, stop)
            yield Shard(
                file=str(file),
                file_format="jsonl",
                start=start,
                stop=stop,
                rows_before=lines_before,
                first_case=first_case,
                cases=cases,
                size=stop - start,
            )
            start, lines_before, first_case = stop, lines_before + lines, first_case + cases


def _shard_size(bytes_left: int) -> int:
    """Shard size; shrinks toward the end of the input so that workers finish together."""
    return min(SHARD_BYTES, max(bytes_left // 8, SHARD_BYTES // 4))


def _find_line_end(stream: BinaryIO, at: int, size: int) -> int:
    """The end of the line that contains the byte at `at`."""
    stream.seek(at)
    while block := stream.read(_BLOCK):
        end = block.find(b"\n")
        if end >= 0:
            return at + end + 1
        at += len(block)
    return size


def _count_lines(stream: BinaryIO, start: int, stop: int) -> tuple[int, int]:
    """Number of lines, and of lines that are not blank."""
    lines = 0
    is_inside_line = False
    may_have_blank_lines = False
    for index, block in enumerate(_ByteRange(stream, start, stop).iterate_blocks()):
        content = np.frombuffer(block.removeprefix(BYTE_ORDER_MARK) if start == index == 0 else block, dtype=np.uint8)
        if not len(content):
            continue
        line_ends = np.flatnonzero(content == _LINE_END)
        line_starts = content[line_ends[line_ends < len(content) - 1] + 1]
        starts_with_space = not is_inside_line and _IS_SPACE[content[0]]
        may_have_blank_lines = may_have_blank_lines or bool(_IS_SPACE[line_starts].any() or starts_with_space)
        lines += len(line_ends)
        is_inside_line = bool(content[-1] != _LINE_END)
    lines += is_inside_line
    if not may_have_blank_lines:  # no line begins with whitespace
        return lines, lines
    blocks = iterate_lines(_ByteRange(stream, start, stop), is_file_start=start == 0)
    return lines, sum(bool(line) and not line.isspace() for block, _ in blocks for line in block)


class _ByteRange:
    """The bytes of a file between two positions."""

    def __init__(self, stream: BinaryIO, start: int, stop: int) -> None:
        stream.seek(start)
        self._stream, self._left = stream, stop - start

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes; none at the end."""
        block = self._stream.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(block)
        return block

    def iterate_blocks(self) -> Iterator[bytes]:
        """All bytes, block by block."""
        while block := self.read(_BLOCK):
            yield block


def _split_parquet(file: Location, first_case: int) -> Iterator[Shard]:
    import pyarrow.parquet as pq

    metadata = pq.ParquetFile(open_for_arrow(file)).metadata
    start = rows_before = 0
    while start < metadata.num_row_groups:
        stop = start
        rows = size = 0
        while stop < metadata.num_row_groups and rows < SHARD_ROWS:
            group = metadata.row_group(stop)
            rows, size = rows + group.num_rows, size + group.total_byte_size
            stop += 1
        yield Shard(
            file=str(file),
            file_format="parquet",
            start=start,
            stop=stop,
            rows_before=rows_before,
            first_case=first_case,
            cases=rows,
            size=size,
        )
        start, rows_before, first_case = stop, rows_before + rows, first_case + rows


@dataclass(slots=True)
class ShardReader:
    """The cases of a shard, chunk by chunk. `roles` are those of the first rows of the data, and must hold for all."""

    source: Source
    shard: Shard
    roles: ColumnRoles
    columns: frozenset[str]
    """The columns for which the roles were checked."""
    chunk: int
    ids: IdsSeen = field(default_factory=IdsSeen)

    def __iter__(self) -> Iterator[Cases]:
        for rows in rechunk_rows(self._read_rows(), self.chunk):
            rows.several_files = self.shard.several_files
            keys: frozenset[str] = frozenset().union(*rows.values)
            names = keys.union(list_nested_names(rows.values, keys, self.source.columns))
            if not names <= self.columns:
                self.columns |= names
                check_roles(self.source, self.columns, self.roles)
            cases = build_cases(rows, self.roles, keys=keys)
            take_expected_answers(cases, self.roles, self.source, self.shard.file)
            self.ids.add(cases.id, rows)
            yield apply_corrections(cases, self.source.corrections)

    def _read_rows(self) -> Iterator[RowBatch]:
        shard = self.shard
        with closing(open_bytes(parse_location(shard.file), ReadProgress())) as stream:
            if shard.file_format == "jsonl":
                byte_range = _ByteRange(stream, shard.start, shard.stop)
                yield from read_jsonl(byte_range, shard.file, self.chunk, shard.rows_before)
            else:
                yield from read_parquet(stream, shard.file, self.chunk, range(shard.start, shard.stop), shard.rows_before)


def check_roles(source: Source, columns: frozenset[str], roles: ColumnRoles) -> None:
    """Raise `Unsplittable` if these columns together do not have the roles of the first rows."""
    actual_roles, problems = find_roles(sorted(columns), source.columns, Where(), not_ids=roles.not_ids)
    if actual_roles != roles or any(problem.level == "error" for problem in problems):
        raise Unsplittable
