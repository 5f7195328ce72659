"""One case: expected and actual side by side, as the matcher aligned them."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from fieldwise.model.case import Case
from fieldwise.model.comparison import Comparison
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING, Value
from fieldwise.registry import EVALUATORS
from fieldwise.report.heatmap import STATES, State, state_of
from fieldwise.report.lowest import leading
from fieldwise.report.marks import Piece, Sides, sides
from fieldwise.report.parts import number
from fieldwise.report.safe import value_text
from fieldwise.report.worst import UNMEASURED, case_shapes, cause_words, verdict_of
from fieldwise.store.run import Run
from fieldwise.store.run_index import case_of
from fieldwise.web.answers import answers_of, contexts_of, plain_long
from fieldwise.web.api_runs import case_at
from fieldwise.web.pictures import Image, NoImage, image_of, named_in
from fieldwise.web.problems import problem
from fieldwise.web.render import query, render
from fieldwise.web.reordered import item_of, moved_items
from fieldwise.web.select import Wanted, chosen, kept
from fieldwise.web.server import RunId, Server

ROWS: Final = 500
CaseId = Annotated[str, Query(min_length=1, max_length=1000)]
ALONE: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"
"""An image that is opened on its own runs nothing and asks nobody."""
_RIGHT: Final = ("match", "close", "both_absent", "ignored")


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldLine:
    """One comparison."""

    path: str
    came_as: str
    """Of an item of a list that came at another place: where."""
    rule: str
    state: State
    sides: Sides
    similarity: float | None
    cause: str
    advice: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What one evaluator said."""

    name: str
    score: float
    verdict: str
    reasoning: str
    metrics: tuple[tuple[str, str], ...]
    differing: tuple[FieldLine, ...]
    matching: tuple[FieldLine, ...]
    more: int
    misses: tuple[str, ...]

    @property
    def measured(self) -> bool:
        """Whether its score is a measurement."""
        return self.verdict not in UNMEASURED


@dataclass(frozen=True, slots=True)
class Near:
    """The ids of the cases before and after it, by score."""

    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The image of a case, the shapes on it, or why there is none."""

    drawn: Markup | None = None
    """Shapes as SVG, over the image if it is there."""
    source: str | None = None
    """Where the image is, if nothing is drawn over it."""
    name: str = ""
    note: str = ""


def case_pages(server: Server) -> APIRouter:
    """The routes."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/runs/{run}/case")
    async def one(run: RunId, id: CaseId) -> Response:
        return HTMLResponse(await server.work.do(_page, server, run, id))

    @routes.get("/runs/{run}/image")
    async def image(run: RunId, id: CaseId) -> Response:
        found = await server.work.do(_image, server, run, id)
        headers = {"content-security-policy": ALONE, "cache-control": "private, max-age=300"}
        return Response(found.content, media_type=found.media, headers=headers)

    return routes


def _image(server: Server, which: str, name: str) -> Image:
    run = server.run(which)
    found = image_of(server.settings, run, case_of(run, case_at(server, run, name)))
    if isinstance(found, NoImage):
        raise problem(404, "no-image", found.why)
    return found


def _page(server: Server, which: str, name: str) -> str:
    run = server.run(which)
    position = case_at(server, run, name)
    case = case_of(run, position)
    make = lambda: render("case.html", here="", **_case(server, run, case, position))  # noqa: E731
    return make() if named_in(case) else kept(server.pages, run, ("case", position), make)  # an image may come or go at any time


def _case(server: Server, run: Run, case: Case, position: int) -> dict[str, Any]:
    results = {one.evaluator: one.result for one in run.results_at([position])}
    leader = leading(list(run.full.evaluators.values()))
    rules = {one.name: {field.field: field.rule for field in one.fields} for one in run.full.evaluators.values()}
    counts = {str(one["name"]): _counts(str(one["type"])) for one in run.manifest.evaluators}
    answers = answers_of(case, results)
    return {
        "run": run,
        "id": case.id,
        "labels": (*((f"split {case.split}",) if case.split else ()), *case.tags),
        "input": None if case.input is None else plain_long(value_text(case.input)),
        "picture": _picture(server, run, case, results),
        "evaluators": [told(one, result, rules.get(one, {}), case.actual, counts.get(one, ())) for one, result in results.items()],
        "whole": Sides(expected=_whole(case.expected), actual=_whole(case.actual)),
        "answers": answers,
        "contexts": contexts_of(case, answers),
        "diagnostics": [one for one in run.diagnostics if one.where.case == case.id],
        "near": _near(server, run, leader.name if leader else "", position),
    }


def _picture(server: Server, run: Run, case: Case, results: Mapping[str, Result]) -> Picture | None:
    """The shapes of a case over its image, or the image alone."""
    written = named_in(case) or ""
    inline = written.startswith("data:image/")
    found = image_of(server.settings, run, case)
    address = written if inline else f"/runs/{run.id}/image{query({'id': case.id})}"
    there = isinstance(found, Image)
    size = dict(zip(("width", "height"), found.size, strict=True)) if isinstance(found, Image) and found.size else {}
    known = {name: value for name, value in case.metadata.items() if name != "image" and (value or name not in size)}
    drawn = case_shapes(run, replace(case, metadata={**size, **known, **({"image": address} if there else {})}), results)
    note = found.why if isinstance(found, NoImage) and written else ""
    name = "" if inline else written
    if drawn:
        return Picture(drawn=Markup(drawn), name=name, note=note)
    return Picture(source=address if there else None, name=name, note=note) if written else None


def told(name: str, result: Result, rules: Mapping[str, str], actual: Value = MISSING, counts: Sequence[str] = ()) -> Told:
    """What one evaluator said, line by line."""
    shown = result.comparisons[:ROWS]
    moved = moved_items(actual, shown)
    lines = [replace(line_of(one, rules), came_as=moved.get(item_of(one.path), "")) for one in shown]
    return Told(
        name=name,
        score=result.score,
        verdict=verdict_of(result),
        reasoning=result.reasoning,
        metrics=tuple((name, _number(value, count=name in counts)) for name, value in result.metrics.items()),
        differing=tuple(line for line in lines if line.state.name not in _RIGHT),
        matching=tuple(line for line in lines if line.state.name in _RIGHT),
        more=max(len(result.comparisons) - ROWS, 0),
        misses=tuple(result.misses[:ROWS]),
    )


def _counts(kind: str) -> Sequence[str]:
    """The metrics of an evaluator type that are counts."""
    try:
        return EVALUATORS.find(kind).counts
    except LookupError:  # no longer installed
        return ()


def _number(value: float, *, count: bool) -> str:
    """A metric of one case: a share with decimals, a count without.

    >>> _number(1.0, count=False), _number(1.0, count=True), _number(True, count=False)
    ('1.000', '1', 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,.0f}" if count else number(float(value))


def line_of(one: Comparison, rules: Mapping[str, str]) -> FieldLine:
    """One comparison as a line."""
    label, advice = cause_words(one.cause) if one.cause else ("", "")
    return FieldLine(
        path=one.path,
        came_as="",
        rule=rules.get(one.field, ""),
        state=STATES[state_of(one)],
        sides=sides(one),
        similarity=one.similarity if one.expected_presence == one.actual_presence == "present" else None,
        cause=label,
        advice=advice,
        note=one.note or "",
    )


def _whole(value: Value) -> tuple[Piece, ...] | None:
    if value is MISSING:
        return None
    return plain_long(value if isinstance(value, str) else pretty(value))


_SHORT: Final = r'(?:-?[\d.eE+-]+|true|false|null|"[^"\\\n]{0,24}")'
_LIST: Final = re.compile(rf"\[\n\s+({_SHORT}(?:,\n\s+{_SHORT}){{0,11}})\n\s+\]")


def pretty(value: Value) -> str:
    """JSON with each value on a line of its own, but short lists in one.

    >>> print(pretty({"box": [1, 2.5, 3], "name": "a"}))
    {
      "box": [1, 2.5, 3],
      "name": "a"
    }
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return _LIST.sub(lambda found: "[" + re.sub(r"\n\s+", " ", found[1]) + "]", text)  # a line break is never inside a text


def _near(server: Server, run: Run, evaluator: str, position: int) -> Near:
    if not evaluator:
        return Near()
    return Near(*chosen(server.index, run, Wanted(evaluator=evaluator, order="score")).near(position))
