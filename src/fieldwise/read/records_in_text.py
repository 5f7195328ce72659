"""Find the record that a text holds, as language models write it: fenced, with prose around it, with a trailing comma.

>>> found = record_in('Here you are:\\n```json\\n{"total": 604,}\\n```')
>>> found.value, found.repairs
({'total': 604}, ('trailing comma removed', 'code fence removed', 'text around the JSON removed'))
>>> record_in("604").why
'the text holds no JSON object or list'

Only objects and lists are records: `604` and `"hello"` are text. Of several values the largest is taken, by the length of its text. A value
that is broken, and no smaller than the largest whole one, leaves no record: a part of it would pass for the answer.
"""

import re
from dataclasses import dataclass
from typing import Final

from fieldwise.model.values import MISSING, Value
from fieldwise.read.json_scan import Problem, Scan, scan
from fieldwise.read.json_text import decode_fast

_START: Final = re.compile(r'\{(?=[ \t\r\n]*+["}])|\[(?=[ \t\r\n]*+[\[{"\]0-9tfnNI-])')
_FENCE_BEFORE: Final = re.compile(r"(?:```+|~~~+)[ \t]*[\w+-]*[ \t]*\r?\n?\s*\Z")
_FENCE_AFTER: Final = re.compile(r"\s*(?:```+|~~~+)")


@dataclass(frozen=True, slots=True)
class Found:
    """A record, what it took to read it, or why there is none."""

    value: Value
    repairs: tuple[str, ...] = ()
    why: str | None = None


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the text that reads as JSON, whole or broken."""

    start: int
    scan: Scan

    @property
    def length(self) -> int:
        return self.scan.end - self.start


def record_in(text: str) -> Found:
    """The object or list in a text. Takes time in proportion to the text, whatever is in it, and never raises."""
    value = _plain(text)
    if value is not MISSING:
        return Found(value)
    whole, broken = _pieces(text)
    best = max(whole, key=lambda piece: (piece.length, piece.start), default=None)
    worst = max(broken, key=lambda piece: piece.length, default=None)
    if worst is not None and (best is None or worst.length >= best.length):
        return Found(MISSING, why=_reason(worst.scan.failure, text))
    if best is None:
        return Found(MISSING, why="the text holds no JSON object or list" if text.strip() else "the text is empty")
    errors = [problem for problem in best.scan.problems if problem.level == "error"]
    if errors:
        return Found(MISSING, why=_reason(errors[0], text))
    return Found(best.scan.value, _repairs(text, best, len(whole)))


def _plain(text: str) -> Value:
    """The record of a text that is JSON and nothing else; MISSING where a closer look is needed."""
    start = text[:200].lstrip()[:1]
    if start and start not in "{[":
        return MISSING
    try:
        value = decode_fast(text.encode())
    except UnicodeEncodeError:
        return MISSING
    return value if isinstance(value, dict | list) else MISSING


def _pieces(text: str) -> tuple[list[_Piece], list[_Piece]]:
    """Every object and list that stands on its own in the text, whole ones and broken ones.

    After a broken one the search goes on where it broke: what began inside it breaks at the same place, so no stretch is read again
    and again.
    """
    whole: list[_Piece] = []
    broken: list[_Piece] = []
    at = 0
    while start := _START.search(text, at):
        found = scan(text, start.start(), trailing_commas=True)
        piece = _Piece(start.start(), found)
        if found.failure is None:
            whole.append(piece)
            at = found.end
        else:
            at = max(found.read_on_from, start.end())
            if found.parts:  # `[see below]` is prose; what has a key or a value is JSON that broke
                broken.append(piece)
    return whole, broken


def _repairs(text: str, best: _Piece, count: int) -> tuple[str, ...]:
    before, after = text[: best.start].strip(), text[best.scan.end :].strip()
    repairs: list[str] = []
    if best.scan.trailing_commas or after == ",":
        repairs.append("trailing comma removed")
        after = after.removeprefix(",") if after == "," else after
    opening, closing = _FENCE_BEFORE.search(before[-200:]), _FENCE_AFTER.match(after)
    if opening:
        repairs.append("code fence removed")
        before = before[: len(before) - len(opening[0])]
        after = after[closing.end() :] if closing else after
    if count > 1:
        repairs.append(f"the largest of {count} JSON values taken")
    if before.strip() or after.strip():
        repairs.append("text around the JSON removed")
    return tuple(repairs)


def _reason(problem: Problem | None, text: str) -> str:
    """A problem in one line, with its place."""
    if problem is None:
        return "the text is not JSON"
    diagnostic = problem.diagnostic()
    line = f" (line {text.count(chr(10), 0, problem.at) + 1})" if problem.at and "\n" in text else ""
    field = f" (at {diagnostic.where.field})" if diagnostic.where.field and problem.code != "invalid-json" else ""
    return f"{diagnostic.what}{field}{line}"
