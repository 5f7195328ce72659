"""Find the record in the text of a language model: in a code fence, with prose around it, in almost-JSON, cut off by a token limit.

>>> record = find_record('Here you are:\\n```json\\n{"total": 604,}\\n```')
>>> record.value, record.repairs
({'total': 604}, ('trailing comma removed', 'code fence removed', 'text around the JSON removed'))
>>> find_record("604").reason
'the text holds no JSON object or list'
>>> find_record('{"a": 2} or maybe {"a": 1}').reason
'ambiguous: the text holds 2 different JSON objects'

Only objects and lists are records: `604` and `"hello"` are text. Reasoning blocks are skipped. Beside an object, lists and JSON Schemas
are no candidates, nor are lists of scalars beside a list of objects or lists, and one candidate in a JSON code fence or in `<answer>`
tags wins over those outside. Two different candidates leave no record, and so does a broken one that is at least as long as the longest
whole one: otherwise a part of the answer would pass for the answer.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from fieldwise.dataclass import dataclass
from fieldwise.kernels.values import canonical_json
from fieldwise.model.values import MISSING, Value
from fieldwise.pattern import compile_on_use
from fieldwise.read.json_text import JsonProblem, ScanResult, decode_fast, decode_with_problems, scan_json
from fieldwise.read.lenient_json import rewrite_json

_REASONING_TAG: Final = r"(?:think|thinking|thought|reasoning|reflection|scratchpad|analysis)"
_MARK: Final = compile_on_use(
    rf"(?P<opened><{_REASONING_TAG}>|<\|channel\|>(?:analysis|commentary))|(?P<closed></{_REASONING_TAG}>|<\|channel\|>final)"
    r"""|(?P<start>\{(?=\s*+(?:["'“”„‘’}/\#$]|[^\W\d]|\Z))|\[(?=\s*+(?:[\[{"'“”„‘’\]/\#0-9tfnNITF+.-]|\Z)))""",
    re.IGNORECASE,
)
_REASONING_END: Final = compile_on_use(rf"</{_REASONING_TAG}>|<\|(?:end|channel\|>final)", re.IGNORECASE)
_ANSWER_END: Final = compile_on_use(r"</(?P<tag>(?:final_?)?(?:answer|output|result|response|json))>")
_MAX_ANSWERS: Final = 20
"""Closing tags that are looked at, so that any text takes linear time."""
_PREFILLED: Final = compile_on_use(r"\s*\"[^\"\n]{1,100}\"\s*:")
"""A text that goes on after an opening brace which the prompt had already written."""
_ESCAPED_START: Final = compile_on_use(r"[\[{](?:\s|\\[nrt])*+\\+\"")
_ESCAPED: Final = compile_on_use(r"\\([\"\\/nrt])")
_UNESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t"}
_FENCE_BEFORE: Final = compile_on_use(r"(?:```+|~~~+)[ \t]*(?P<language>[\w+-]*)[ \t]*\r?\n?\s*\Z")
_FENCE_AFTER: Final = compile_on_use(r"\s*(?:```+|~~~+)")
_FENCE_LINE: Final = compile_on_use(r"^[ \t]*(?:```+|~~~+)[ \t]*(?P<language>[\w+-]*)", re.MULTILINE)
_JSON_LANGUAGES: Final = frozenset(("json", "json5", "jsonc", "jsonl"))
NO_RECORD: Final = "the text holds no JSON object or list"
_AMBIGUOUS: Final = "ambiguous"
CUT_OFF: Final = "the text breaks off, the complete fields before the cut are read"
_BEFORE_INNER_VALUE: Final = compile_on_use(r"(?:[\"'”’]\s*:|[\[{,])\s*\Z")
_AFTER_INNER_VALUE: Final = compile_on_use(r"\s*(?:[}\]]|,\s*[\"'“‘{\[])")


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
    end: int
    scan: ScanResult
    repairs: tuple[str, ...] = ()

    @property
    def length(self) -> int:
        return self.end - self.start

    @property
    def value(self) -> Any:
        return self.scan.value


def find_record(text: str, *, repair: bool = True) -> RecordInText:
    """The object or list in a text. Takes linear time for any text, and never raises. Without `repair`, the text must be strict JSON."""
    value = _decode_whole_text(text)
    if value is not MISSING:
        return RecordInText(value)
    if not repair:
        return _read_strictly(text)
    if _PREFILLED.match(text):
        completed = _find_in_text("{" + text)
        if completed.value is not MISSING or (completed.reason or "").startswith(_AMBIGUOUS):
            return _add_repair(completed, "opening brace added")
    record = _find_in_text(text)
    if not isinstance(record.value, dict) and _ESCAPED_START.search(text) is not None:  # a list may be a part of the escaped object
        unescaped = _find_in_text(_ESCAPED.sub(lambda escape: _UNESCAPED.get(escape[1], escape[1]), text))
        if unescaped.value is not MISSING:
            return _add_repair(unescaped, "escaped quotes read as quotes")
    return record


def _add_repair(record: RecordInText, repair: str) -> RecordInText:
    return record if record.value is MISSING else replace(record, repairs=(repair, *record.repairs))


def _find_in_text(text: str) -> RecordInText:
    """The record among everything in the text that reads as JSON."""
    whole, broken = _find_spans(text)
    candidates = _select_candidates(text, whole)
    longest = max(candidates, key=lambda span: (span.length, span.start), default=None)
    longest_broken = max(broken, key=lambda span: span.length, default=None)
    if longest_broken is not None and (longest is None or longest_broken.length >= longest.length):
        return RecordInText(MISSING, reason=_describe_problem(longest_broken.scan.failure, text))
    if longest is None:
        return RecordInText(MISSING, reason=NO_RECORD if text.strip() else "the text is empty")
    errors = [problem for problem in longest.scan.problems if problem.level == "error"]
    if errors:
        return RecordInText(MISSING, reason=_describe_problem(errors[0], text))
    different = _count_different(candidates)
    if different > 1:
        kind = "objects" if isinstance(longest.value, dict) else "lists"
        return RecordInText(MISSING, reason=f"{_AMBIGUOUS}: the text holds {different} different JSON {kind}")
    return RecordInText(longest.value, _describe_repairs(text, longest))


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


def _read_strictly(text: str) -> RecordInText:
    """The record of a text that is strict JSON, with the first problem otherwise."""
    result = decode_with_problems(text.encode(errors="surrogatepass")) if text.strip() else ScanResult()
    errors = [problem for problem in (result.failure, *result.problems) if problem is not None and problem.level == "error"]
    if errors:
        return RecordInText(MISSING, reason=f"not strict JSON, and `repair` is off: {_describe_problem(errors[0], text)}")
    if not isinstance(result.value, dict | list):
        return RecordInText(MISSING, reason=NO_RECORD if text.strip() else "the text is empty")
    return RecordInText(result.value)


def _find_spans(text: str) -> tuple[list[_Span], list[_Span]]:
    """Every top-level object and list in the text outside reasoning blocks: whole ones, broken ones.

    After a broken one the search resumes where it broke. What began inside it breaks at the same position, so no part of the text is
    scanned more than a few times.
    """
    whole: list[_Span] = []
    broken: list[_Span] = []
    at = 0
    while mark := _MARK.search(text, at):
        if mark["opened"]:
            end = _REASONING_END.search(text, mark.end())
            at = end.end() if end else len(text)
            continue
        if mark["closed"]:  # everything before was reasoning
            whole.clear()
            broken.clear()
            at = mark.end()
            continue
        span, resume_at = _read_span(text, mark.start())
        at = max(resume_at, mark.end())
        if span.scan.failure is None:
            if broken and _continues_json(text, span):
                broken[-1] = replace(broken[-1], end=span.end)
            elif span.scan.value is not MISSING:
                whole.append(span)
        elif span.scan.parts:  # `[see below]` is prose; a span with a key or a value is broken JSON
            broken.append(span)
    return whole, broken


def _continues_json(text: str, span: _Span) -> bool:
    """True if the text around a span reads as JSON, so that the span is a part of the broken value before it.

    >>> find_record('{"id": A7, "items": [{"name": "lamp", "price": 39.95}]}').value
    MISSING
    """
    before, after = text[max(0, span.start - 100) : span.start], text[span.end : span.end + 100]
    return _BEFORE_INNER_VALUE.search(before) is not None or _AFTER_INNER_VALUE.match(after) is not None


def _read_span(text: str, start: int) -> tuple[_Span, int]:
    """The value that begins at a position, as strict JSON or rewritten, and where to look for the next one."""
    scan = scan_json(text, start, trailing_commas=True)
    if scan.failure is None:
        repairs = ("trailing comma removed",) if scan.trailing_commas else ()
        return _Span(start, scan.end, scan, repairs), scan.end
    rewritten = rewrite_json(text, start)
    resume_at = max(scan.resume_at, rewritten.end)
    if not rewritten.text:
        return _Span(start, max(scan.end, rewritten.end), scan), resume_at
    if rewritten.is_cut_off and not rewritten.parts:
        return _Span(start, scan.end, ScanResult() if not scan.parts else scan), resume_at
    repairs = (*rewritten.repairs, CUT_OFF) if rewritten.is_cut_off else rewritten.repairs
    return _Span(start, rewritten.end, scan_json(rewritten.text), repairs), resume_at


def _select_candidates(text: str, spans: Sequence[_Span]) -> Sequence[_Span]:
    """The spans that may be the record: objects rather than lists and schemas; the only one in a JSON fence or in answer tags first."""
    objects = [span for span in spans if isinstance(span.value, dict)]
    records = [span for span in objects if not _is_json_schema(span.value)] or objects or _select_lists(spans)
    if _count_different(records) > 1:
        languages = _fence_languages(text, records)
        fenced = [span for span, language in zip(records, languages, strict=True) if language in _JSON_LANGUAGES]
        if _count_different(fenced) == 1:
            return fenced
        answers = _tagged_answers(text)
        tagged = [span for span in records if any(start <= span.start and span.end <= end for start, end in answers)]
        if _count_different(tagged) == 1:
            return tagged
    return records


def _select_lists(spans: Sequence[_Span]) -> Sequence[_Span]:
    """The lists that may be the record: those of objects or lists, else those of several scalars; `[1]` is a citation, `[ ]` a box."""
    nested = [span for span in spans if any(isinstance(item, dict | list) for item in span.value)]
    return nested or [span for span in spans if len(span.value) > 1] or spans


def _tagged_answers(text: str) -> list[tuple[int, int]]:
    """Where the parts of the text in `<answer>`, `<output>` … tags begin and end."""
    ends = islice(_ANSWER_END.finditer(text), _MAX_ANSWERS)
    starts_and_ends = [(text.rfind(f"<{end['tag']}", 0, end.start()), end.start()) for end in ends]
    return [(start, end) for start, end in starts_and_ends if start >= 0]


def _is_json_schema(value: dict[str, Any]) -> bool:
    return "$schema" in value or (value.get("type") == "object" and isinstance(value.get("properties"), dict))


def _count_different(spans: Sequence[_Span]) -> int:
    if len(spans) < 2:
        return len(spans)
    return len({canonical_json(span.value) or span.start for span in spans})


def _fence_languages(text: str, spans: Sequence[_Span]) -> list[str | None]:
    """The language of the code fence around each span, in lower case; None outside of fences. The spans are in order."""
    fences = list(_FENCE_LINE.finditer(text))
    languages: list[str | None] = []
    language: str | None = None
    position = 0
    for span in spans:
        while position < len(fences) and fences[position].start() < span.start:
            language = fences[position]["language"].lower() if language is None else None
            position += 1
        languages.append(language)
    return languages


def _describe_repairs(text: str, span: _Span) -> tuple[str, ...]:
    before, after = text[: span.start].strip(), text[span.end :].strip()
    repairs = list(span.repairs)
    if after == ",":
        repairs.append("trailing comma removed")
        after = ""
    opening, closing = _FENCE_BEFORE.search(before[-200:]), _FENCE_AFTER.match(after)
    if opening:
        repairs.append("code fence removed")
        before = before[: len(before) - len(opening[0])]
        after = after[closing.end() :] if closing else after
    if before.strip() or after.strip():
        repairs.append("text around the JSON removed")
    return tuple(dict.fromkeys(repairs))


def _describe_problem(problem: JsonProblem | None, text: str) -> str:
    """A problem in one line, with its path and line number."""
    if problem is None:
        return "the text is not JSON"
    diagnostic = problem.to_diagnostic()
    line = f" (line {text.count(chr(10), 0, problem.at) + 1})" if problem.at and "\n" in text else ""
    field = f" (at {diagnostic.where.field})" if diagnostic.where.field and problem.code != "invalid-json" else ""
    return f"{diagnostic.what}{field}{line}"
