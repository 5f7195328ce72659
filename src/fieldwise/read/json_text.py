"""JSON that keeps what was written: every digit, every key, and a reason where it cannot.

>>> decode(b'{"id": 123456789012345678901234567890}').value
{'id': 123456789012345678901234567890}
>>> decode(b'{"a": 1, "a": 2}').diagnostics[0].what
'the key `a` is there twice'

orjson is used where it can be shown to be safe. It goes wrong in silence in three ways, each with a trace that costs little to look for:

* It keeps the last of two equal keys. Every key has a colon, and colons inside strings stay, so a dropped key shows as a colon that is
  missing when the value is written again. Only an escaped colon (`\\u003a`) could hide that.
* It turns integers beyond 64 bits into floats. Those have 19 digits or more in a row, so every fourth character finds four of them.
* It leaves keys as they were written, while text compares after NFC. What it writes again shows whether anything is not composed.

Everything else that is wrong makes it fail; then `json_scan` reads the text again, slowly and with reasons.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import is_normalized

import numpy as np
import orjson

from fieldwise.kernels.text_keys import is_composed
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.values import MISSING, Value
from fieldwise.read.json_scan import MAX_DEPTH, Problem, Scan, scan

__all__ = ["MAX_DEPTH", "Decoded", "decode", "decode_fast", "decode_lines", "decode_slowly"]

_DIGITS: Final = bytes(0x30 if 0x30 <= byte <= 0x39 else 0x78 for byte in range(256))
_BIG_INTEGER: Final = re.compile(rb"(?<![^:,\[\s])(?:-[0-9]{19}|[0-9]{20})")  # as a number stands, and longer than 64 bits may be
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Decoded:
    """A value, or MISSING and why."""

    value: Value
    diagnostics: tuple[Diagnostic, ...] = ()


def decode(line: bytes) -> Decoded:
    """The one JSON value in these bytes. NaN and infinities are read and noted; anything worse leaves no value."""
    value = decode_fast(line)
    if value is not MISSING:
        return Decoded(value)
    found = decode_slowly(line)
    problems = [*found.problems, found.failure] if found.failure else found.problems
    broken = any(problem.level == "error" for problem in problems)
    return Decoded(MISSING if broken else found.value, tuple(problem.diagnostic(Where()) for problem in problems))


def decode_fast(line: bytes) -> Value:
    """The value at orjson's speed, or MISSING where orjson cannot be trusted with these bytes."""
    try:
        value: Any = orjson.loads(line)
        written = orjson.dumps(value)
    except (orjson.JSONDecodeError, TypeError):  # TypeError: nested too deep to be written
        return MISSING
    if not _is_composed(written) and not is_composed(value):
        return MISSING
    if written == line:
        return value
    if line.count(b":") != written.count(b":") or _hides_colons(line):
        return MISSING
    if b"0000" in line[::4].translate(_DIGITS) and _BIG_INTEGER.search(line):
        return MISSING
    return value


def decode_lines(lines: Sequence[bytes]) -> list[Value]:
    """What `decode_fast` gives for each line, with the checks made once for all of them.

    Dropped keys only ever lower the number of colons, so one count shows that no line lost any.
    """
    loads = orjson.loads
    values: list[Value] = []
    append = values.append
    readable: list[bytes] | None = None
    for row, line in enumerate(lines):
        try:
            append(loads(line))
        except orjson.JSONDecodeError:
            append(MISSING)
            readable = readable if readable is not None else list(lines)
            readable[row] = b""
    if _all_safe(b"\n".join(lines if readable is None else readable), values, readable is not None):
        return values
    return [value if value is MISSING else decode_fast(line) for line, value in zip(lines, values, strict=True)]


def _all_safe(block: bytes, values: list[Value], gaps: bool) -> bool:
    try:
        written = orjson.dumps([value for value in values if value is not MISSING] if gaps else values)
    except TypeError:
        return False
    if not _is_composed(written):
        return False
    characters = np.frombuffer(block, np.uint8)
    if np.count_nonzero(characters == 0x3A) != np.count_nonzero(np.frombuffer(written, np.uint8) == 0x3A) or _hides_colons(block):
        return False
    digits = (characters[::4] - np.uint8(0x30)) < 10  # below `0` wraps around to a large number
    pairs = digits[1:] & digits[:-1]
    hits = np.flatnonzero(pairs[2:] & pairs[:-2]) * 4
    between = characters[hits[:, None] + np.arange(13)] - np.uint8(0x30)  # of short numbers in a list, every fourth may be a digit too
    hits = hits[(between < 10).all(axis=1)]
    return not any(_BIG_INTEGER.search(block, max(0, hit - 20), hit + 40) for hit in hits.tolist())


def _is_composed(written: bytes) -> bool:
    return written.isascii() or is_normalized("NFC", written.decode())


def _hides_colons(text: bytes) -> bool:
    return b"\\" in text and b"\\u003" in text and (b"\\u003a" in text or b"\\u003A" in text)


def decode_slowly(line: bytes) -> Scan:
    """The value with every problem in it and the path to each. Only a syntax error leaves nothing to use."""
    line = line.removeprefix(_BOM)
    try:
        text, escaped = line.decode(), False
    except UnicodeDecodeError:
        text, escaped = line.decode(errors="surrogateescape"), True
    found = scan(text, bytes_escaped=escaped)
    if found.failure is None and text[found.end :].strip(" \t\r\n"):
        what = f"something follows the JSON value, from character {found.end + 1} on"
        found.failure, found.value = Problem("invalid-json", what, at=found.end), MISSING
    return found
