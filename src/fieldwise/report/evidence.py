"""Evidence: where the value of a field comes from, a page and box, or a place in the source text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, cast

from fieldwise.kernels.dates import parse_date_readings
from fieldwise.kernels.numbers_in_text import find_numbers, format_number_value
from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.case import Case
from fieldwise.model.comparison import Comparison
from fieldwise.model.evidence import Evidence, read_box, read_place
from fieldwise.model.path import ROOT, MalformedPath, Path, value_at
from fieldwise.report.text_format import format_value

Side: TypeAlias = Literal["expected", "actual"]
Span: TypeAlias = tuple[int, int]
_TEXT_KEYS: Final = ("text", "content", "page_content")
_MAX_SEARCHED: Final = 300_000
"""Characters of a source text that are searched."""
_MAX_PLACES: Final = 20
"""Places of one value that are marked."""
_NUMERIC_DATE: Final = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}")
_NAMED_DATE: Final = re.compile(r"\d{1,2}\.?[ -]?[^\W\d_]{3,12}\.?,?[ -]\d{2,4}|[^\W\d_]{3,12}\.? \d{1,2},? \d{4}")


@dataclass(frozen=True, slots=True)
class PagePlace:
    """A place on a page."""

    page: int | None
    """From 1; None if it is not known."""
    box: tuple[float, float, float, float] | None
    """Left, top, right, bottom, as shares of the page or in pixels."""

    def describe(self) -> str:
        """The place in words.

        >>> PagePlace(2, (0.1, 0.2, 0.5, 0.25)).describe()
        'page 2, box 0.1 0.2 0.5 0.25'
        """
        parts = [] if self.page is None else [f"page {self.page}"]
        if self.box is not None:
            parts.append("box " + " ".join(f"{edge:g}" for edge in self.box))
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text that a case was read from."""

    name: str
    """`input`, `input.text`, `context 2`."""
    text: str


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A source text with the places of values."""

    name: str
    text: str
    spans: tuple[tuple[int, int, str], ...]
    """Start, end, and `expected`, `actual` or `both`; in order, without overlap."""


def find_page_place(case: Case, comparison: Comparison, side: Side = "actual") -> PagePlace | None:
    """The page and box of a value; None if the data does not have them.

    The actual side has them in the comparison. The expected side has them beside its value, or in the metadata of the case, as
    `expected_pages` and `expected_boxes`, records of the same shape as the expected one.
    """
    page: Any = comparison.page
    box = None if comparison.box is None else read_box(comparison.box)
    if side == "expected":
        beside = read_place(_look_up(case.expected, comparison.path)) or Evidence()
        page = beside.page or _look_up(case.metadata.get("expected_pages"), comparison.path)
        box = read_box(beside.box or _look_up(case.metadata.get("expected_boxes"), comparison.path))
    if not isinstance(page, int) or isinstance(page, bool):
        page = None
    return None if box is None and page is None else PagePlace(page, box)


def _look_up(record: Any, path: str) -> Any:
    if not isinstance(record, dict | list):
        return None
    try:
        value = value_at(record, () if path == ROOT else Path.parse(path).steps)
    except MalformedPath:
        return None
    return value if isinstance(value, int | float | list | dict) else None


def list_source_texts(case: Case) -> list[SourceText]:
    """The texts that the values of a case may be in: its input, then its contexts."""
    texts: list[SourceText] = []
    if isinstance(case.input, str):
        texts.append(SourceText("input", case.input))
    elif isinstance(case.input, dict):
        texts += [SourceText(f"input.{key}", value) for key, value in case.input.items() if isinstance(value, str)]
    for number, context in enumerate(case.contexts or (), 1):
        texts.append(SourceText(f"context {number}", context_text(context)))
    return [source for source in texts if source.text.strip()]


def context_text(context: Any) -> str:
    """The text of a context: the context itself, or its key `text`, `content` or `page_content`."""
    key = find_text_key(context)
    return format_value(context) if key is None else str(context[key])


def find_text_key(context: Any) -> str | None:
    """The key of a context that holds its text; None for a context without one."""
    if not isinstance(context, Mapping):
        return None
    mapping = cast("Mapping[str, Any]", context)
    return next((key for key in _TEXT_KEYS if isinstance(mapping.get(key), str)), None)


def find_value_in_text(text: str, value: Any) -> list[Span]:
    """The places of a value in a text: as written, in other letter case or spacing, or as another spelling of a number or a date.

    >>> find_value_in_text("Total due: EUR 1,234.50", 1234.5)
    [(15, 23)]
    >>> find_value_in_text("Issued 14 March 2025", "2025-03-14"), find_value_in_text("Sum 12", 2)
    ([(7, 20)], [])
    """
    text = text[:_MAX_SEARCHED]
    accepted = accepted_values(value)
    if accepted is not None:
        return sorted({span for one_value in accepted for span in find_value_in_text(text, one_value)})
    if value is None or isinstance(value, bool | list | dict):
        return []
    if isinstance(value, int | float):
        return _find_number(text, format_number_value(value))
    words = str(value).split()
    if not words:
        return []
    pattern = r"\s+".join(map(re.escape, words))
    spans = list(_find_whole_words(pattern, text))
    if spans:
        return spans[:_MAX_PLACES]
    return _find_date(text, str(value)) or _find_single_number(text, str(value))


def _find_whole_words(pattern: str, text: str) -> Iterator[Span]:
    for match in re.finditer(pattern, text, re.IGNORECASE):
        start, end = match.span()
        glued_before = start > 0 and text[start - 1].isalnum() and text[start].isalnum()
        glued_after = end < len(text) and text[end].isalnum() and text[end - 1].isalnum()
        if not (glued_before or glued_after):
            yield start, end


def _find_number(text: str, number: str) -> list[Span]:
    spans = [(match.start, match.end) for match in find_numbers(text) if match.value == number and not match.in_code]
    return [span for span in spans if not _is_in_code(text, *span)][:_MAX_PLACES]


def _is_in_code(text: str, start: int, end: int) -> bool:
    """Whether a number is a part of a code or a date: `031` of `INV-2024-031`, `14` of `14/03/2018`."""
    before, after = text[max(start - 2, 0) : start], text[end : end + 2]
    return bool(re.fullmatch(r"\w[-/_#]", before) or re.fullmatch(r"[-/_#]\w", after))


def _find_single_number(text: str, value: str) -> list[Span]:
    """The places of the number in an amount such as `EUR 5.00`; none for text with several numbers or several words."""
    numbers = list(find_numbers(value))
    letters = sum(character.isalpha() for character in value)
    return _find_number(text, numbers[0].value) if len(numbers) == 1 and not numbers[0].in_code and letters <= 3 else []


def _find_date(text: str, value: str) -> list[Span]:
    expected = parse_date_readings(value)
    if expected is None:
        return []
    spans: list[Span] = []
    for pattern in (_NUMERIC_DATE, _NAMED_DATE):
        for match in pattern.finditer(text):
            readings = parse_date_readings(match[0])
            if readings is not None and set(readings.readings) & set(expected.readings):
                spans.append(match.span())
    return sorted(spans)[:_MAX_PLACES]


def mark_sources(case: Case, values: Mapping[str, Any]) -> list[MarkedText]:
    """The source texts that have one of the values, with its places; `values` by `expected` and `actual`."""
    marked: list[MarkedText] = []
    for source in list_source_texts(case):
        spans = {side: find_value_in_text(source.text, value) for side, value in values.items()}
        if any(spans.values()):
            marked.append(MarkedText(source.name, source.text, tuple(_merge_spans(spans))))
    return marked


def _merge_spans(spans: Mapping[str, Sequence[Span]]) -> Iterator[tuple[int, int, str]]:
    """The spans of both sides in order; the same place of both is `both`, and of two that overlap the longer one counts."""
    sides: dict[Span, set[str]] = {}
    for side, places in spans.items():
        for span in places:
            sides.setdefault(span, set()).add(side)
    end_of_last = 0
    for span in sorted(sides, key=lambda span: (span[0], -span[1])):
        if span[0] >= end_of_last:
            yield span[0], span[1], "both" if len(sides[span]) > 1 else next(iter(sides[span]))
            end_of_last = span[1]


def cut_excerpt(text: str, span: Span, margin: int = 120) -> tuple[str, str, str]:
    """The line or sentence around a place: what is before, the place itself, what is after.

    >>> cut_excerpt("First line.\\nTotal due: 12.50 EUR.\\nLast.", (23, 28))
    ('Total due: ', '12.50', ' EUR.')
    """
    start, end = span
    before = re.split(r"\n|(?<=[.!?])\s", text[max(start - margin, 0) : start])[-1]
    after = re.split(r"\n|(?<=[.!?])\s", text[end : end + margin])[0]
    return before, text[start:end], after
