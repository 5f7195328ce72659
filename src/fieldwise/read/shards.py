"""Pieces of large files that can be read on their own: ranges of bytes of JSONL, row groups of Parquet.

Where the pieces begin and end depends on the data alone, not on who reads them, and each knows the position of its first case, so
whatever is made of the pieces comes to the same as reading from the start to the end.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Final

import numpy as np

from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Where
from fieldwise.model.locations import Place, place_of, seekable
from fieldwise.model.plan import Source
from fieldwise.read.assemble import assemble
from fieldwise.read.columns import Roles, find_roles
from fieldwise.read.files import SizeHint, Unreadable, find_files, format_of, open_bytes, without_compression
from fieldwise.read.ids import IdsSeen
from fieldwise.read.jsonl import BOM, lines_of, read_jsonl
from fieldwise.read.rows import Rows, in_chunks

BYTES: Final = 16 << 20
"""About how much JSONL is a shard, less towards the end of the data; it goes on to the end of a line."""
ROWS: Final = 10_000
"""About how many rows of Parquet are a shard; it goes on to the end of a row group."""
_BLOCK: Final = 1 << 18
"""So much is looked at in one go: it stays in the cache of a core."""
_LINE_END: Final = ord("\n")
_IS_SPACE: Final = np.array([bytes([byte]).isspace() for byte in range(256)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """A piece of a file: where it is, and which cases it holds."""

    file: str
    form: str
    start: int
    """Its first byte, or its first row group."""
    stop: int
    number: int
    """How many lines (or rows) of the file stand before it."""
    first: int
    """The position of its first case in the run."""
    cases: int
    size: int
    """How many bytes of the file it takes up, to tell how far a run has come."""
    several_files: bool = False


class Unsplittable(Exception):
    """Rows of a shard play other roles than the first rows of the data, so the data has to be read from the start to the end."""


def shards_of(source: Source) -> Iterator[Shard] | None:
    """The shards of a source in order, found while they are asked for; None where it cannot be read in pieces."""
    if source.cases is None or source.cases == "-" or source.format == "coco":
        return None
    try:
        files = find_files(source.cases)
        forms = [format_of(file, source.format) for file in files]
    except Unreadable:  # whoever reads from the start says what is wrong
        return None
    if not {*forms} <= {"jsonl", "parquet"} or any(file != without_compression(file) or not file.stat().st_size for file in files):
        return None
    return _shards(list(zip(files, forms, strict=True)))


def _shards(files: list[tuple[Place, str]]) -> Iterator[Shard]:
    first, left = 0, sum(file.stat().st_size for file, _ in files)
    for file, form in files:
        left -= file.stat().st_size
        for shard in _of_jsonl(file, first, left) if form == "jsonl" else _of_parquet(file, first):
            first = shard.first + shard.cases
            yield replace(shard, several_files=len(files) > 1)


def _of_jsonl(file: Place, first: int, after: int) -> Iterator[Shard]:
    """The shards of a file that so many bytes of other files come after."""
    size = file.stat().st_size
    start = number = 0
    with file.open("rb") as stream:
        while start < size:
            stop = _line_end(stream, start + _length(size - start + after), size)
            lines, cases = _count(stream, start, stop)
            yield Shard(file=str(file), form="jsonl", start=start, stop=stop, number=number, first=first, cases=cases, size=stop - start)
            start, number, first = stop, number + lines, first + cases


def _length(left: int) -> int:
    """How long a shard is where so much is left: the last ones are shorter, so that whoever has the very last keeps nobody waiting long."""
    return min(BYTES, max(left // 8, BYTES // 4))


def _line_end(stream: BinaryIO, at: int, size: int) -> int:
    """The end of the line that a byte stands in."""
    stream.seek(at)
    while block := stream.read(_BLOCK):
        end = block.find(b"\n")
        if end >= 0:
            return at + end + 1
        at += len(block)
    return size


def _count(stream: BinaryIO, start: int, stop: int) -> tuple[int, int]:
    """How many lines there are, and how many of them are not blank."""
    lines, open_line, blank = 0, False, False
    for at, block in enumerate(_Window(stream, start, stop).blocks()):
        content = np.frombuffer(block.removeprefix(BOM) if start == at == 0 else block, dtype=np.uint8)
        if not len(content):
            continue
        ends = np.flatnonzero(content == _LINE_END)
        begins = content[ends[ends < len(content) - 1] + 1]
        blank = blank or bool(_IS_SPACE[begins].any() or (not open_line and _IS_SPACE[content[0]]))
        lines += len(ends)
        open_line = bool(content[-1] != _LINE_END)
    lines += open_line
    if not blank:  # no line begins with a space
        return lines, lines
    counted = lines_of(_Window(stream, start, stop), begins=start == 0)
    return lines, sum(bool(line) and not line.isspace() for block, _ in counted for line in block)


class _Window:
    """The bytes of a file between two places."""

    def __init__(self, stream: BinaryIO, start: int, stop: int) -> None:
        stream.seek(start)
        self._stream, self._left = stream, stop - start

    def read(self, size: int = -1, /) -> bytes:
        """At most so many bytes; none at the end."""
        block = self._stream.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(block)
        return block

    def blocks(self) -> Iterator[bytes]:
        """All of it in pieces."""
        while block := self.read(_BLOCK):
            yield block


def _of_parquet(file: Place, first: int) -> Iterator[Shard]:
    import pyarrow.parquet as pq

    about = pq.ParquetFile(seekable(file)).metadata
    start = number = 0
    while start < about.num_row_groups:
        stop = rows = size = 0
        for stop in range(start, about.num_row_groups):
            group = about.row_group(stop)
            rows, size = rows + group.num_rows, size + group.total_byte_size
            if rows >= ROWS:
                break
        yield Shard(file=str(file), form="parquet", start=start, stop=stop + 1, number=number, first=first, cases=rows, size=size)
        start, number, first = stop + 1, number + rows, first + rows


@dataclass(slots=True)
class ShardReader:
    """The cases of a shard, chunk by chunk. `roles` are those of the first rows of the data, and must do for all."""

    source: Source
    shard: Shard
    roles: Roles
    known: frozenset[str]
    """The columns that the roles were found among, and those that came since."""
    chunk: int
    ids: IdsSeen = field(default_factory=IdsSeen)

    def __iter__(self) -> Iterator[Cases]:
        for rows in in_chunks(self._rows(), self.chunk):
            rows.several_files = self.shard.several_files
            keys: frozenset[str] = frozenset().union(*rows.values)
            if not keys <= self.known:
                self.known |= keys
                check_roles(self.source, self.known, self.roles)
            cases = assemble(rows, self.roles, keys=keys)
            self.ids.add(cases.id, rows)
            yield cases

    def _rows(self) -> Iterator[Rows]:
        shard = self.shard
        with closing(open_bytes(place_of(shard.file), SizeHint())) as stream:
            if shard.form == "jsonl":
                yield from read_jsonl(_Window(stream, shard.start, shard.stop), shard.file, self.chunk, shard.number)
            else:
                from fieldwise.read.parquet_file import read_parquet

                yield from read_parquet(stream, shard.file, self.chunk, range(shard.start, shard.stop), shard.number)


def check_roles(source: Source, columns: frozenset[str], roles: Roles) -> None:
    """`Unsplittable` if these columns, taken together, do not play the roles that the first ones did."""
    found, problems = find_roles(sorted(columns), source.columns, Where())
    if found != roles or any(problem.level == "error" for problem in problems):
        raise Unsplittable
