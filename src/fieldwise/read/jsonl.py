"""JSON Lines: one case per line, read in blocks so that the size of the file does not matter."""

from collections.abc import Iterator
from typing import Any, BinaryIO, Final

from fieldwise.read.json_scan import Problem
from fieldwise.read.json_text import decode_lines, decode_slowly
from fieldwise.read.rows import Rows

_BLOCK: Final = 1 << 20
_TOGETHER: Final = 64
"""Lines decoded and checked at once: as many as a processor's cache holds twice."""
_BOM: Final = b"\xef\xbb\xbf"


def read_jsonl(stream: BinaryIO, file: str, chunk: int) -> Iterator[Rows]:
    """Rows of at most `chunk` lines. Blank lines are skipped but counted."""
    lines: list[bytes] = []
    numbers: list[int] = []
    number = 0
    whole = True
    for block, whole in _blocks(stream):
        for line in block:
            number += 1
            if not line or line.isspace():
                continue
            lines.append(line)
            numbers.append(number)
            if len(lines) == chunk:
                yield _rows(lines, numbers, file, whole or line is not block[-1])
                lines, numbers = [], []
    if lines:
        yield _rows(lines, numbers, file, whole)


def _blocks(stream: BinaryIO) -> Iterator[tuple[list[bytes], bool]]:
    """Lists of lines; False with the last one if no newline ends it."""
    parts: list[bytes] = []  # of a line longer than a block
    first = True
    while block := stream.read(_BLOCK):
        if first:
            block, first = block.removeprefix(_BOM), False
        head, newline, rest = block.partition(b"\n") if parts else (b"", b"\n", block)
        if not newline:
            parts.append(head)
            continue
        lines = rest.split(b"\n")
        if parts:
            lines.insert(0, b"".join([*parts, head]))
        parts = [lines.pop()]
        yield lines, True
    last = b"".join(parts)
    if last:
        yield [last], False


def _rows(lines: list[bytes], numbers: list[int], file: str, whole: bool) -> Rows:
    values: list[Any] = []
    for start in range(0, len(lines), _TOGETHER):
        values += decode_lines(lines[start : start + _TOGETHER])
    problems: dict[int, list[Problem]] = {}
    for row, value in enumerate(values):
        if type(value) is not dict:
            values[row], problems[row] = _read_again(lines[row], numbers[row], whole or row < len(lines) - 1)
    return Rows(values=values, numbers=numbers, files=[file] * len(values), problems=problems)


def _read_again(line: bytes, number: int, whole: bool) -> tuple[dict[str, Any], list[Problem]]:
    """A line that the fast decoder refused, or that is no object: what can be used of it, and what is wrong."""
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
