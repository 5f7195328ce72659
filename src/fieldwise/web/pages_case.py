"""The page of one case: expected and actual side by side, as the matcher aligned them.

For answers: which sentences the contexts support, by which passage, and what is in none of them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, cast

from fastapi import APIRouter, Query
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from fieldwise.kernels.answer_text import split_sentences
from fieldwise.kernels.numbers_in_text import find_numbers
from fieldwise.model.case import Case
from fieldwise.model.comparison import Comparison
from fieldwise.model.redaction import is_redacted
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING, Value
from fieldwise.report.argument_differences import read_argument_differences
from fieldwise.report.case_view import draw_case_shapes, find_leading_evaluator
from fieldwise.report.evidence import context_text, find_text_key, list_source_texts
from fieldwise.report.html import build_query
from fieldwise.report.result_text import (
    FIELD_STATES,
    UNMEASURED,
    FieldState,
    count_metrics,
    describe_cause,
    displayed_verdict,
    field_state_name,
    format_case_metric,
)
from fieldwise.report.text_format import format_value
from fieldwise.report.value_diff import MarkedSides, TextPiece, mark_comparison, plain_pieces, shorten_sides
from fieldwise.store.comparison_table import look_up_value
from fieldwise.store.run import Run
from fieldwise.store.run_index import case_at
from fieldwise.web.api_runs import find_case_position
from fieldwise.web.case_images import CaseImage, ImageProblem, image_reference, load_image
from fieldwise.web.case_index import CaseQuery, cached_page, select_cases
from fieldwise.web.field_evidence import FieldEvidence, build_field_evidence, may_have_place
from fieldwise.web.problems import make_problem
from fieldwise.web.render import render
from fieldwise.web.server import RunId, Server

_LIST_LENGTH: Final = 180
"""Characters of a value in a list of cases."""
MAX_ROWS: Final = 500
CaseId = Annotated[str, Query(min_length=1, max_length=1000)]
FieldPath = Annotated[str | None, Query(max_length=1000)]
IMAGE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"
"""Content security policy of an image: opened in a tab of its own, it runs no script and makes no requests."""
_MATCHING_STATES: Final = ("match", "close", "both_absent", "ignored")


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """One comparison as a row of a table."""

    path: str
    actual_item: str
    """For an item of a reordered list: the path of the actual item it was compared with, else empty."""
    rule: str
    state: FieldState
    sides: MarkedSides
    similarity: float | None
    cause: str
    advice: str
    note: str
    leads_to_place: bool = False
    """True if the data may have the place of the value: a page and box, or a source text."""
    evaluators: tuple[str, ...] = ()
    """The evaluators that report the difference, in the table that joins them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorPanel:
    """The result of one evaluator."""

    name: str
    score: float
    verdict: str
    reasoning: str
    metrics: tuple[tuple[str, str], ...]
    differing: tuple[ComparisonRow, ...]
    matching: tuple[ComparisonRow, ...]
    more: int
    """Number of comparisons beyond MAX_ROWS, which are not shown."""
    misses: tuple[str, ...]
    has_comparisons: bool = True
    """False for rows that are arguments of tool calls, whose misses are more informative."""

    @property
    def measured(self) -> bool:
        """True if the score is a measurement."""
        return self.verdict not in UNMEASURED

    @property
    def repeats_reasoning(self) -> bool:
        """True if the only miss repeats the reasoning, as for a null output or a fault."""
        return len(self.misses) == 1 and bool(self.reasoning) and self.misses[0].strip("()").endswith(self.reasoning)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The ids of the next worse and the next better case by score."""

    worse: str | None = None
    better: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePicture:
    """The image of a case with the shapes on it, or the reason why there is no image."""

    shapes: Markup | None = None
    """Shapes as SVG, over the image if that is available."""
    source: str | None = None
    """The address of the image if there are no shapes."""
    name: str = ""
    note: str = ""


def build_case_pages(server: Server) -> APIRouter:
    """Routes of the case page and its image."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/runs/{run}/case")
    async def show_case(run: RunId, id: CaseId, field: FieldPath = None) -> Response:
        return HTMLResponse(await server.threads.run(_render_case, server, run, id, field))

    @routes.get("/runs/{run}/image")
    async def show_image(run: RunId, id: CaseId, page: Annotated[int | None, Query(ge=1)] = None) -> Response:
        image = await server.threads.run(_read_image, server, run, id, page)
        headers = {"content-security-policy": IMAGE_POLICY, "cache-control": "private, max-age=300"}
        return Response(image.content, media_type=image.media, headers=headers)

    return routes


def _read_image(server: Server, run_name: str, case_id: str, page: int | None) -> CaseImage:
    run = server.open_run(run_name)
    image = load_image(server.settings, run, case_at(run, find_case_position(server, run, case_id)), page)
    if isinstance(image, ImageProblem):
        raise make_problem(404, "no-image", image.reason)
    return image


def _render_case(server: Server, run_name: str, case_id: str, field: str | None) -> str:
    run = server.open_run(run_name)
    position = find_case_position(server, run, case_id)
    case = case_at(run, position)

    def render_page() -> str:
        return render("case.html", here="", **_case_values(server, run, case, position, field))

    if image_reference(case) or case.metadata.get("images"):  # not cached: the image file may appear or vanish at any time
        return render_page()
    return cached_page(server.pages, run, ("case", position, field), render_page)


def _case_values(server: Server, run: Run, case: Case, position: int, field: str | None) -> dict[str, Any]:
    """The variables of case.html."""
    results = {stored.evaluator: stored.result for stored in run.results_at([position])}
    summaries = run.full.evaluators.values()
    leader = find_leading_evaluator(list(summaries))
    rules = {summary.name: {field.field: field.rule for field in summary.fields} for summary in summaries}
    counts = {str(evaluator["name"]): count_metrics(str(evaluator["type"])) for evaluator in run.manifest.evaluators}
    answers = read_answer_support(case, results)
    panels = [make_panel(name, result, rules.get(name, {}), case.actual, counts.get(name, ()), case) for name, result in results.items()]
    return {
        "run": run,
        "id": case.id,
        "labels": (*((f"split {case.split}",) if case.split else ()), *case.tags),
        "input": None if case.input is None else visible_pieces(format_value(case.input)),
        "picture": _make_picture(server, run, case, results),
        "panels": panels,
        "differences": join_differences(panels),
        "place": _make_field_place(server, run, case, results, field),
        "whole": MarkedSides(expected=_record_pieces(case.expected), actual=_record_pieces(case.actual)),
        "answers": answers,
        "contexts": mark_contexts(case, answers),
        "diagnostics": [diagnostic for diagnostic in run.diagnostics if diagnostic.where.case == case.id],
        "neighbours": _find_neighbours(server, run, leader.name if leader else "", position),
    }


def _make_picture(server: Server, run: Run, case: Case, results: Mapping[str, Result]) -> CasePicture | None:
    """The shapes of a case over its image, or the image alone; None if the case has neither."""
    reference = image_reference(case) or ""
    inline = reference.startswith("data:image/")
    image = load_image(server.settings, run, case)
    name = "" if inline else reference
    address, note, size = None, "", dict[str, int]()
    if isinstance(image, CaseImage):
        address = reference if inline else f"/runs/{run.id}/image{build_query({'id': case.id})}"
        if image.size:
            size = {"width": image.size[0], "height": image.size[1]}
    elif reference:
        note = image.reason
    # the size in the metadata takes precedence over that of the file, unless it is empty
    metadata = {**size, **{key: value for key, value in case.metadata.items() if key != "image" and (value or key not in size)}}
    if address:
        metadata["image"] = address
    shapes = draw_case_shapes(run, replace(case, metadata=metadata), results)
    if shapes:
        if address and not (metadata.get("width") and metadata.get("height")):
            note = "it does not state its size in pixels; give `width` and `height` in the metadata of the case"
        return CasePicture(shapes=Markup(shapes), name=name, note=note)
    return CasePicture(source=address, name=name, note=note) if reference else None


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """The place of one field of the case."""

    path: str
    evidence: FieldEvidence


def _make_field_place(server: Server, run: Run, case: Case, results: Mapping[str, Result], field: str | None) -> FieldPlace | None:
    """The place of a path, or of the first value of a rule's path, a wrong one first; None if nothing was compared there."""
    if not field:
        return None
    comparisons = [comparison for result in results.values() for comparison in result.comparisons]
    of_field = [comparison for comparison in comparisons if field in (comparison.path, comparison.field)]
    of_field.sort(key=lambda comparison: (comparison.path != field, comparison.passed))
    if not of_field:
        return None
    comparison = of_field[0]
    if is_redacted(comparison.expected) or is_redacted(comparison.actual):
        return FieldPlace(comparison.path, FieldEvidence())  # an image could show the redacted value
    return FieldPlace(comparison.path, build_field_evidence(server, run, case, comparison))


def make_panel(
    name: str,
    result: Result,
    rules: Mapping[str, str],
    actual: Value = MISSING,
    counts: Sequence[str] = (),
    case: Case | None = None,
) -> EvaluatorPanel:
    """The result of one evaluator; `rules` by field, `counts` are the metrics that are whole numbers. `case` shows where fields lead to."""
    comparisons = [*result.comparisons, *read_argument_differences(result)][:MAX_ROWS]
    moved = find_moved_items(actual, comparisons)
    has_text = case is not None and bool(list_source_texts(case))
    rows: list[ComparisonRow] = []
    for comparison in comparisons:
        leads = case is not None and may_have_place(case, comparison, has_text=has_text)
        row = make_row(comparison, rules)
        rows.append(replace(row, actual_item=moved.get(item_path(comparison.path), ""), leads_to_place=leads))
    return EvaluatorPanel(
        name=name,
        score=result.score,
        verdict=displayed_verdict(result),
        reasoning=result.reasoning,
        metrics=tuple((metric, format_case_metric(value, count=metric in counts)) for metric, value in result.metrics.items()),
        differing=tuple(row for row in rows if row.state.name not in _MATCHING_STATES),
        matching=tuple(row for row in rows if row.state.name in _MATCHING_STATES),
        more=max(len(result.comparisons) - MAX_ROWS, 0),
        misses=tuple(result.misses[:MAX_ROWS]),
        has_comparisons=bool(result.comparisons),
    )


def join_differences(panels: Sequence[EvaluatorPanel]) -> tuple[ComparisonRow, ...]:
    """The differences of all evaluators, each once with the evaluators that report it; the first evaluator describes it."""
    joined: dict[tuple[str, MarkedSides], ComparisonRow] = {}
    for panel in panels:
        for row in panel.differing:
            first = joined.get((row.path, row.sides))
            if first is None:
                joined[row.path, row.sides] = replace(row, evaluators=(panel.name,))
            else:
                cause = first if first.cause else row
                joined[row.path, row.sides] = replace(
                    first, evaluators=(*first.evaluators, panel.name), cause=cause.cause, advice=cause.advice, note=first.note or row.note
                )
    return tuple(joined.values())


def make_row(comparison: Comparison, rules: Mapping[str, str]) -> ComparisonRow:
    """A comparison as a row of a table."""
    label, advice = describe_cause(comparison.cause, rules.get(comparison.field, "")) if comparison.cause else ("", "")
    both_present = comparison.expected_presence == comparison.actual_presence == "present"
    return ComparisonRow(
        path=comparison.path,
        actual_item="",
        rule=rules.get(comparison.field, ""),
        state=FIELD_STATES[field_state_name(comparison)],
        sides=mark_comparison(comparison),
        similarity=comparison.similarity if both_present else None,
        cause=label,
        advice=advice,
        note=comparison.note or "",
    )


def make_short_row(comparison: Comparison, rules: Mapping[str, str]) -> ComparisonRow:
    """A comparison as a row of a list of cases, where long values are cut."""
    row = make_row(comparison, rules)
    return replace(row, sides=shorten_sides(row.sides, _LIST_LENGTH))


def _record_pieces(value: Value) -> tuple[TextPiece, ...] | None:
    if value is MISSING:
        return None
    return visible_pieces(value if isinstance(value, str) else format_record(value))


_SHORT_VALUE: Final = r'(?:-?[\d.eE+-]+|true|false|null|"[^"\\\n]{0,24}")'
_SHORT_LIST: Final = re.compile(rf"\[\n\s+({_SHORT_VALUE}(?:,\n\s+{_SHORT_VALUE}){{0,11}})\n\s+\]")


def format_record(value: Value) -> str:
    """Format as JSON with each value on its own line, except short lists.

    >>> print(format_record({"box": [1, 2.5, 3], "name": "a"}))
    {
      "box": [1, 2.5, 3],
      "name": "a"
    }
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    # JSON escapes line breaks in strings, so every line break in the text is one between values
    return _SHORT_LIST.sub(lambda match: "[" + re.sub(r"\n\s+", " ", match[1]) + "]", text)


def _find_neighbours(server: Server, run: Run, evaluator: str, position: int) -> Neighbours:
    if not evaluator:
        return Neighbours()
    selection = select_cases(server.index, run, CaseQuery(evaluator=evaluator, order="score"))
    return Neighbours(*selection.neighbours(position))


_ITEM_PATH: Final = re.compile(r"(?P<list>[^\[\]]*)\[(?P<index>\d+)\](?P<rest>.*)", re.DOTALL)
_MAX_ITEMS: Final = 200
ItemValues = list[tuple[str, Any]]
"""What was compared of one item: paths within the item, with the actual values."""


def find_moved_items(actual: Value, comparisons: Iterable[Comparison]) -> dict[str, str]:
    """Map expected items to the actual items they were compared with, where the index differs.

    A stored comparison has the actual value but not its path, so the item is located by its values.
    """
    moved: dict[str, str] = {}
    for list_path, items in _group_by_item(comparisons).items():
        actual_list: Any = look_up_value(actual, list_path) if list_path else actual
        if not isinstance(actual_list, list) or len(actual_list) > _MAX_ITEMS:
            continue
        for index, actual_index in _locate_items(actual_list, items):
            if index != actual_index:
                moved[f"{list_path}[{index}]"] = f"{list_path}[{actual_index}]"
    return moved


def item_path(path: str) -> str:
    """The list item that a path leads into; empty if it leads into none.

    >>> item_path("lines[2].amount"), item_path("total")
    ('lines[2]', '')
    """
    match = _ITEM_PATH.fullmatch(path)
    return f"{match['list']}[{match['index']}]" if match else ""


def _group_by_item(comparisons: Iterable[Comparison]) -> dict[str, dict[int, ItemValues]]:
    """The actual values by list path and item index."""
    values: dict[str, dict[int, ItemValues]] = {}
    for comparison in comparisons:
        match = _ITEM_PATH.fullmatch(comparison.path)
        if match is not None and comparison.actual_presence != "missing":
            items = values.setdefault(match["list"], {})
            items.setdefault(int(match["index"]), []).append((match["rest"].removeprefix("."), comparison.actual))
    return values


def _locate_items(actual_list: Sequence[Any], items: Mapping[int, ItemValues]) -> Iterable[tuple[int, int]]:
    """Yield the expected and the actual index of each item; of equal items, the one at the same index or a free one."""
    taken: set[int] = set()
    for index, values in items.items():
        candidates = sorted(range(len(actual_list)), key=lambda candidate, index=index: (candidate != index, candidate in taken))
        for candidate in candidates:
            if all(_has_value(actual_list[candidate], rest, value) for rest, value in values):
                taken.add(candidate)
                yield index, candidate
                break


def _has_value(item: Any, path: str, value: Any) -> bool:
    actual = look_up_value(item, path) if path else item
    return actual is not MISSING and type(actual) is type(value) and actual == value


_MAX_TEXT: Final = 60_000
_MAX_PIECE: Final = 400
"""`plain_pieces` cuts out the middle of longer texts."""
_UNSUPPORTED_REASON: Final = re.compile(r"(?:number (?P<number>\S+)|`(?P<name>.+)`) is in no source")
Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceSupport:
    """A sentence of the answer, or a claim made from it."""

    pieces: tuple[TextPiece, ...]
    """Numbers and names that are in no source are marked."""
    supported: bool
    support: float | None
    """The share of its words that the best passage has."""
    context: int | None
    """The number of the context with that passage, from 1."""
    passage: tuple[TextPiece, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSupport:
    """The sentences of an answer as one evaluator checked them."""

    evaluator: str
    unit: str
    """`sentence` or `claim`."""
    sentences: tuple[SentenceSupport, ...]
    numbers: tuple[str, ...]
    """Numbers that are in no source."""
    names: tuple[str, ...]
    """Names that are in no source."""

    @property
    def supported(self) -> int:
        """Number of supported sentences."""
        return sum(sentence.supported for sentence in self.sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedContext:
    """A context with the supporting passages marked."""

    pieces: tuple[TextPiece, ...]
    metadata: str
    """Its keys other than the text."""
    sentence_count: int
    """Number of sentences that it supports."""


def read_answer_support(case: Case, results: Mapping[str, Result]) -> list[AnswerSupport]:
    """Read the checked sentences and claims from the details of every evaluator that has them."""
    texts = [context_text(context) for context in case.contexts or ()]
    answers: list[AnswerSupport] = []
    for name, result in results.items():
        rows: Any = result.details.get("sentences")
        if isinstance(rows, list) and rows and isinstance(rows[0], dict) and "grounded" in rows[0]:
            sentences = tuple(_sentence_support(row, texts) for row in cast("list[dict[str, Any]]", rows))
            unsupported: Any = result.details.get("unsupported") or {}
            numbers = tuple(map(str, unsupported.get("numbers") or ()))
            names = tuple(map(str, unsupported.get("names") or ()))
            answers.append(AnswerSupport(evaluator=name, unit="sentence", sentences=sentences, numbers=numbers, names=names))
        faithfulness: Any = result.details.get("faithfulness")
        if isinstance(faithfulness, dict) and faithfulness.get("claims"):
            claims = tuple(_claim_support(row) for row in cast("list[dict[str, Any]]", faithfulness["claims"]))
            answers.append(AnswerSupport(evaluator=f"{name}, faithfulness", unit="claim", sentences=claims, numbers=(), names=()))
    return answers


def mark_contexts(case: Case, answers: Sequence[AnswerSupport]) -> list[MarkedContext]:
    """The contexts with the passages marked that support a sentence."""
    sentences = [sentence for answer in answers for sentence in answer.sentences if sentence.supported]
    contexts: list[MarkedContext] = []
    for number, context in enumerate(case.contexts or (), 1):
        text = context_text(context)
        passages = ["".join(piece.text for piece in sentence.passage) for sentence in sentences if sentence.context == number]
        spans = [span for passage in passages for span in _find_passage(text, passage)]
        contexts.append(MarkedContext(pieces=_mark_spans(text, spans), metadata=_context_metadata(context), sentence_count=len(passages)))
    return contexts


def _context_metadata(context: Any) -> str:
    text_key = find_text_key(context)
    if text_key is None:
        return ""
    return ", ".join(f"{key} {format_value(value)}" for key, value in context.items() if key != text_key)


def _sentence_support(row: Mapping[str, Any], texts: Sequence[str]) -> SentenceSupport:
    text, passage = str(row.get("sentence", "")), str(row.get("passage") or "")
    reasons = tuple(map(str, row.get("reasons") or ()))
    support = row.get("support")
    return SentenceSupport(
        pieces=_mark_spans(text, list(_find_unsupported(text, reasons))),
        supported=bool(row.get("grounded")),
        support=float(support) if isinstance(support, int | float) else None,
        context=_context_number(passage, row.get("source"), texts),
        passage=(TextPiece(passage),) if passage else (),
        reasons=reasons,
    )


def _claim_support(row: Mapping[str, Any]) -> SentenceSupport:
    reason = str(row.get("reason") or "")
    return SentenceSupport(
        pieces=visible_pieces(str(row.get("claim", ""))),
        supported=bool(row.get("supported")),
        support=None,
        context=None,
        passage=(),
        reasons=(reason,) if reason else (),
    )


def _context_number(passage: str, source: Any, texts: Sequence[str]) -> int | None:
    """The number of the context with the passage, from 1: the stored source if it has the passage, else the first that does."""
    if not passage:
        return None
    source_first = sorted(range(len(texts)), key=lambda index: index != source)
    return next((index + 1 for index in source_first if _find_passage(texts[index], passage)), None)


def _find_passage(text: str, passage: str) -> list[Span]:
    """Spans of a passage in a text; of its sentences, if the text does not have it as a whole."""
    spans: list[Span] = []
    for sentence in [passage] if passage in text else split_sentences(passage):
        start = text.find(sentence)
        if start >= 0:
            spans.append((start, start + len(sentence)))
    return spans


def _find_unsupported(sentence: str, reasons: Sequence[str]) -> Iterator[Span]:
    """Yield the spans of the numbers and names that are in no source."""
    for reason in reasons:
        match = _UNSUPPORTED_REASON.fullmatch(reason)
        if match is None:
            continue
        if match["number"]:
            yield from ((number.start, number.end) for number in find_numbers(sentence) if number.value == match["number"])
        else:
            pattern = r"\s+".join(map(re.escape, match["name"].split()))
            yield from (occurrence.span() for occurrence in re.finditer(pattern, sentence, re.IGNORECASE))


def _mark_spans(text: str, spans: Sequence[Span]) -> tuple[TextPiece, ...]:
    """A text with these spans marked and invisible characters made visible. Spans may overlap."""
    pieces: list[TextPiece] = []
    end_of_last = 0
    for start, end in sorted(spans):
        if end > end_of_last:
            start = max(start, end_of_last)
            pieces += visible_pieces(text[end_of_last:start]) if start > end_of_last else ()
            pieces += _mark_pieces(text[start:end])
            end_of_last = end
    return (*pieces, *visible_pieces(text[end_of_last:]))


def _mark_pieces(text: str) -> Iterator[TextPiece]:
    for piece in visible_pieces(text):
        yield TextPiece(piece.text, piece.kind, piece.name, differs=True)


def visible_pieces(text: str) -> tuple[TextPiece, ...]:
    """A text of several lines with invisible characters made visible, shortened to 60,000 characters."""
    pieces: list[TextPiece] = []
    for number, line in enumerate(text[:_MAX_TEXT].split("\n")):
        if number:
            pieces.append(TextPiece("\n"))
        for start in range(0, len(line), _MAX_PIECE):
            pieces.extend(plain_pieces(line[start : start + _MAX_PIECE]))
    if len(text) > _MAX_TEXT:
        pieces.append(TextPiece("…", "left out", f"{len(text) - _MAX_TEXT:,} characters left out"))
    return tuple(pieces)
