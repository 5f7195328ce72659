"""JSON Lines: one case per line, read in blocks so that the size of the file does not matter."""

from collections.abc import Iterator
from typing import Any, Final, Protocol

from fieldwise.read.json_scan import Problem
from fieldwise.read.json_text import decode_lines, decode_slowly
from fieldwise.read.rows import HEAVY, Rows

_BLOCK: Final = 1 << 20
LONGEST: Final = 64 << 20
"""A line of more bytes is no case: it is let go as it is read, and told of."""
_TOGETHER: Final = 64
"""Lines decoded and checked at once: as many as a processor's cache holds twice."""
BOM: Final = b"\xef\xbb\xbf"


class Readable(Protocol):
    """What gives bytes from where it stands: a file, or a part of one."""

    def read(self, size: int = -1, /) -> bytes:
        """At most so many bytes; none at the end."""
        ...


def read_jsonl(stream: Readable, file: str, chunk: int, number: int = 0) -> Iterator[Rows]:
    """Rows of at most `chunk` lines, fewer where they are long. Blank lines are skipped but counted.

    `number` lines stand before the stream in its file.
    """
    lines: list[bytes] = []
    numbers: list[int] = []
    held = 0  # bytes
    ended = True  # whether a newline ends the last line that is not blank
    for block, whole in lines_of(stream, begins=not number):
        for line in block:
            number += 1
            if not line or line.isspace():
                continue
            lines.append(line)
            numbers.append(number)
            ended = whole or line is not block[-1]
            held += len(line)
            if len(lines) == chunk or held >= HEAVY:
                yield _rows(lines, numbers, file, ended, heavy=held >= HEAVY)
                lines, numbers, held = [], [], 0
    if lines:
        yield _rows(lines, numbers, file, ended)


class _TooLong(bytes):
    """Stands for a line that was let go while it was read."""


def lines_of(stream: Readable, *, begins: bool = True) -> Iterator[tuple[list[bytes], bool]]:
    """Lists of lines; False with the last one if no newline ends it. A mark of the byte order may stand where the file `begins`."""
    parts: list[bytes] = []  # of a line longer than a block
    while block := stream.read(_BLOCK):
        if begins:
            block, begins = block.removeprefix(BOM), False
        head, newline, rest = block.partition(b"\n") if parts else (b"", b"\n", block)
        if not newline:
            parts = [_TooLong(b"\0")] if _is_too_long(parts) else [*parts, head]
            continue
        lines = rest.split(b"\n")
        if parts:
            lines.insert(0, _joined([*parts, head]))
        parts = [lines.pop()]
        yield lines, True
    last = _joined(parts)
    if last:
        yield [last], False


def _is_too_long(parts: list[bytes]) -> bool:
    return type(parts[0]) is _TooLong or (len(parts) > LONGEST // _BLOCK and sum(map(len, parts)) > LONGEST)


def _joined(parts: list[bytes]) -> bytes:
    return parts[0] if parts and type(parts[0]) is _TooLong else b"".join(parts)


def _rows(lines: list[bytes], numbers: list[int], file: str, whole: bool, *, heavy: bool = False) -> Rows:
    values: list[Any] = []
    for start in range(0, len(lines), _TOGETHER):
        values += decode_lines(lines[start : start + _TOGETHER])
    problems: dict[int, list[Problem]] = {}
    for row, value in enumerate(values):
        if type(value) is not dict:
            values[row], problems[row] = _read_again(lines[row], numbers[row], whole or row < len(lines) - 1)
    return Rows(values=values, numbers=numbers, files=[file] * len(values), problems=problems, finite=not problems, heavy=heavy)


def _read_again(line: bytes, number: int, whole: bool) -> tuple[dict[str, Any], list[Problem]]:
    """A line that the fast decoder refused, or that is no object: what can be used of it, and what is wrong."""
    if type(line) is _TooLong:
        what, fix = f"the line is longer than {LONGEST >> 20} MB", "a case is one document: split it, or leave out what is not compared"
        return {}, [Problem("record-too-large", what, fix=fix)]
    found = decode_slowly(line)
    if isinstance(found.value, dict):
        return found.value, found.problems
    if found.failure is None:
        what, fix = "a line must hold one JSON object", 'write {"id": …, "expected": …, "actual": …}'
        return {}, [Problem("invalid-json", what, fix=fix)]
    what, fix = found.failure.what, found.failure.fix
    if not whole:
        what, fix = f"the file looks truncated: {what}", "write the file again; its last line has no end"
    elif number == 1 and line.strip() in (b"{", b"["):
        fix = "this is a JSON document on several lines, not one case per line: give the file the name .json"
    return {}, [Problem(found.failure.code, what, fix=fix)]
