"""One case: expected and actual side by side, as the matcher aligned them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query
from starlette.responses import Response

from fieldwise.model.comparison import Comparison
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING, Value
from fieldwise.report.heatmap import STATES, State, state_of
from fieldwise.report.lowest import Ranked, leading
from fieldwise.report.marks import Piece, Sides, plain, sides
from fieldwise.report.parts import number
from fieldwise.report.safe import value_text
from fieldwise.report.worst import case_view, cause_words
from fieldwise.store.glance import case_of
from fieldwise.store.run import Run
from fieldwise.web.api_runs import case_at
from fieldwise.web.render import html
from fieldwise.web.select import Wanted, chosen
from fieldwise.web.server import RunId, Server

ROWS: Final = 500
LONGEST: Final = 60_000
_RIGHT: Final = ("match", "close", "both_absent", "ignored")


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldLine:
    """One comparison."""

    path: str
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


@dataclass(frozen=True, slots=True)
class Near:
    """The ids of the cases before and after it, by score."""

    before: str | None = None
    after: str | None = None


def case_pages(server: Server) -> APIRouter:
    """The routes."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/runs/{run}/case")
    async def one(run: RunId, id: Annotated[str, Query(min_length=1, max_length=1000)]) -> Response:
        return html("case.html", here="", **await server.work.do(_case, server, run, id))

    return routes


def _case(server: Server, which: str, name: str) -> dict[str, Any]:
    run = server.run(which)
    position = case_at(server, run, name)
    case = case_of(run, position)
    results = {one.evaluator: one.result for one in run.results_at([position])}
    leader = leading(list(run.full.evaluators.values()))
    lead = leader.name if leader else ""
    rules = {one.name: {field.field: field.rule for field in one.fields} for one in run.full.evaluators.values()}
    ranked = Ranked(position, name, results[lead].score if lead in results else 0.0)
    problems = [one for one in run.diagnostics if one.where.case == name]
    return {
        "run": run,
        "case": case_view(run, ranked, results, lead, {}),
        "evaluators": [told(one, result, rules.get(one, {})) for one, result in results.items()],
        "whole": Sides(expected=_whole(case.expected), actual=_whole(case.actual)),
        "contexts": [plain_long(value_text(context)) for context in case.contexts or ()],
        "diagnostics": problems,
        "near": _near(server, run, lead, position),
    }


def told(name: str, result: Result, rules: Mapping[str, str]) -> Told:
    """What one evaluator said, line by line."""
    lines = [line_of(one, rules) for one in result.comparisons[:ROWS]]
    return Told(
        name=name,
        score=result.score,
        verdict=result.verdict or result.status,
        reasoning=result.reasoning,
        metrics=tuple(
            (name, str(value).lower() if isinstance(value, bool) else number(float(value))) for name, value in result.metrics.items()
        ),
        differing=tuple(line for line in lines if line.state.name not in _RIGHT),
        matching=tuple(line for line in lines if line.state.name in _RIGHT),
        more=max(len(result.comparisons) - ROWS, 0),
        misses=tuple(result.misses[:ROWS]),
    )


def line_of(one: Comparison, rules: Mapping[str, str]) -> FieldLine:
    """One comparison as a line."""
    label, advice = cause_words(one.cause) if one.cause else ("", "")
    return FieldLine(
        path=one.path,
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
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return plain_long(text)


def plain_long(text: str) -> tuple[Piece, ...]:
    """A text with its lines as lines, and what cannot be seen made visible."""
    pieces: list[Piece] = []
    for place, line in enumerate(text[:LONGEST].split("\n")):
        if place:
            pieces.append(Piece("\n"))
        for start in range(0, len(line), 400):  # longer ones would lose their middle
            pieces.extend(plain(line[start : start + 400]))
    if len(text) > LONGEST:
        pieces.append(Piece("…", "left out", f"{len(text) - LONGEST:,} characters left out"))
    return tuple(pieces)


def _near(server: Server, run: Run, evaluator: str, position: int) -> Near:
    if not evaluator:
        return Near()
    return Near(*chosen(server.index, run, Wanted(evaluator=evaluator, order="score")).near(position))
