"""Find the record in the text of a language model: in a code fence, with prose around it, with a trailing comma.

>>> record = find_record('Here you are:\\n```json\\n{"total": 604,}\\n```')
>>> record.value, record.repairs
({'total': 604}, ('trailing comma removed', 'code fence removed', 'text around the JSON removed'))
>>> find_record("604").reason
'the text holds no JSON object or list'

Only objects and lists are records: `604` and `"hello"` are text. Of several values the longest text is taken. A broken value that is at
least as long as the longest whole one leaves no record: otherwise a part of the answer would pass for the answer.
"""

import re
from dataclasses import dataclass
from typing import Final

from fieldwise.model.values import MISSING, Value
from fieldwise.read.json_text import JsonProblem, ScanResult, decode_fast, scan_json

_START: Final = re.compile(r'\{(?=[ \t\r\n]*+["}])|\[(?=[ \t\r\n]*+[\[{"\]0-9tfnNI-])')
_FENCE_BEFORE: Final = re.compile(r"(?:```+|~~~+)[ \t]*[\w+-]*[ \t]*\r?\n?\s*\Z")
_FENCE_AFTER: Final = re.compile(r"\s*(?:```+|~~~+)")


@dataclass(frozen=True, slots=True)
class RecordInText:
    """A record and the repairs that were needed to read it, or MISSING and the reason."""

    value: Value
    repairs: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class _Span:
    """A part of the text that reads as JSON, whole or broken."""

    start: int
    scan: ScanResult

    @property
    def length(self) -> int:
        return self.scan.end - self.start


def find_record(text: str) -> RecordInText:
    """The object or list in a text. Takes linear time for any text, and never raises."""
    value = _decode_whole_text(text)
    if value is not MISSING:
        return RecordInText(value)
    whole, broken = _find_spans(text)
    longest = max(whole, key=lambda span: (span.length, span.start), default=None)
    longest_broken = max(broken, key=lambda span: span.length, default=None)
    if longest_broken is not None and (longest is None or longest_broken.length >= longest.length):
        return RecordInText(MISSING, reason=_describe_problem(longest_broken.scan.failure, text))
    if longest is None:
        return RecordInText(MISSING, reason="the text holds no JSON object or list" if text.strip() else "the text is empty")
    errors = [problem for problem in longest.scan.problems if problem.level == "error"]
    if errors:
        return RecordInText(MISSING, reason=_describe_problem(errors[0], text))
    return RecordInText(longest.scan.value, _describe_repairs(text, longest, len(whole)))


def _decode_whole_text(text: str) -> Value:
    """The record of a text that is valid JSON and nothing else; MISSING if a scan is needed."""
    first = text[:200].lstrip()[:1]
    if first and first not in "{[":
        return MISSING
    try:
        value = decode_fast(text.encode())
    except UnicodeEncodeError:
        return MISSING
    return value if isinstance(value, dict | list) else MISSING


def _find_spans(text: str) -> tuple[list[_Span], list[_Span]]:
    """Every top-level object and list in the text: whole ones, broken ones.

    After a broken one the search resumes where it broke. What began inside it breaks at the same position, so no part of the text is
    scanned more than once.
    """
    whole: list[_Span] = []
    broken: list[_Span] = []
    at = 0
    while start := _START.search(text, at):
        result = scan_json(text, start.start(), trailing_commas=True)
        span = _Span(start.start(), result)
        if result.failure is None:
            whole.append(span)
            at = result.end
        else:
            at = max(result.resume_at, start.end())
            if result.parts:  # `[see below]` is prose; a span with a key or a value is broken JSON
                broken.append(span)
    return whole, broken


def _describe_repairs(text: str, span: _Span, count: int) -> tuple[str, ...]:
    before, after = text[: span.start].strip(), text[span.scan.end :].strip()
    repairs: list[str] = []
    if span.scan.trailing_commas or after == ",":
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


def _describe_problem(problem: JsonProblem | None, text: str) -> str:
    """A problem in one line, with its path and line number."""
    if problem is None:
        return "the text is not JSON"
    diagnostic = problem.to_diagnostic()
    line = f" (line {text.count(chr(10), 0, problem.at) + 1})" if problem.at and "\n" in text else ""
    field = f" (at {diagnostic.where.field})" if diagnostic.where.field and problem.code != "invalid-json" else ""
    return f"{diagnostic.what}{field}{line}"
