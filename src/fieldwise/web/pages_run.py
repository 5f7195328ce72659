"""One run: summary, outcomes, heatmap, cases."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Final, cast

from fastapi import APIRouter, Depends, Query
from starlette.responses import HTMLResponse, Response

from fieldwise.model.summary import EvaluatorSummary
from fieldwise.report.heatmap import STATES, Heatmap, State, heatmap
from fieldwise.report.html import html_report
from fieldwise.report.page import page_of
from fieldwise.store.run import Run
from fieldwise.store.run_index import comparisons_at, told_at
from fieldwise.web.api_runs import evaluator_of
from fieldwise.web.events import came_to, is_going, key_of, running_of, with_interim
from fieldwise.web.render import render
from fieldwise.web.select import Order, Wanted, chosen, kept
from fieldwise.web.server import RunId, Server

CASES_AT_ONCE: Final = 50
COLUMNS: Final = 60
CELLS: Final = 3_000
FIELDS: Final = 200
_ORDERS: Final = ("score", "-score", "case")
Text = Annotated[str | None, Query(max_length=1000)]
Offset = Annotated[int, Query(ge=0, le=10_000_000)]
Start = Annotated[int, Query(alias="from", ge=0, le=10_000_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """How often each outcome occurred for each field."""

    evaluator: str
    states: tuple[State, ...]
    rows: tuple[tuple[str, Mapping[str, int]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Map:
    """Some columns of the heatmap."""

    run: str
    heat: Heatmap
    evaluators: tuple[str, ...]
    first: int
    total: int
    before: int
    after: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseLine:
    """A case in the list."""

    id: str
    score: float
    verdict: str
    misses: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The cases that fit the filters, page by page."""

    run: str
    evaluator: str
    fields: tuple[str, ...]
    slices: tuple[str, ...]
    rows: tuple[CaseLine, ...]
    total: int
    offset: int
    before: int
    after: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a reader asked for, as it stands in the address."""

    evaluator: str | None = None
    verdict: str | None = None
    field: str | None = None
    outcome: str | None = None
    slice: str | None = None
    order: str = "score"
    text: str | None = None

    def wanted(self, evaluator: str) -> Wanted:
        """What to look for."""
        kind, _, name = (self.slice or "").partition(":")
        return Wanted(
            evaluator=evaluator,
            verdict=self.verdict or None,
            field=self.field or None,
            outcome=self.outcome or None,
            text=self.text or None,
            tag=name if kind == "tag" and name else None,
            split=name if kind == "split" and name else None,
            order=cast(Order, self.order),
        )


def filters_of(
    evaluator: Text = None,
    verdict: Text = None,
    field: Text = None,
    outcome: Text = None,
    slice: Text = None,
    order: Text = None,
    text: Text = None,
) -> Filters:
    """The filters in an address; an order that there is not is the usual one."""
    known = order if order in _ORDERS else _ORDERS[0]
    return Filters(evaluator=evaluator or None, verdict=verdict, field=field, outcome=outcome, slice=slice, order=known, text=text)


Asked = Annotated[Filters, Depends(filters_of)]


def run_pages(server: Server) -> APIRouter:
    """The routes."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/runs/{run}")
    async def one(run: RunId, asked: Asked, start: Start = 0, offset: Offset = 0) -> Response:
        return HTMLResponse(await server.work.do(_run, server, run, asked, start, offset))

    @routes.get("/runs/{run}/heatmap")
    async def part_of_map(run: RunId, evaluator: Text = None, start: Start = 0) -> Response:
        return HTMLResponse(await server.work.do(_only_map, server, run, evaluator, start))

    @routes.get("/runs/{run}/cases")
    async def cases(run: RunId, asked: Asked, offset: Offset = 0) -> Response:
        return HTMLResponse(await server.work.do(_only_cases, server, run, asked, offset))

    @routes.get("/runs/{run}/report.html")
    async def report(run: RunId) -> Response:
        return HTMLResponse(await server.work.do(lambda: html_report(server.run(run))))

    return routes


def _run(server: Server, which: str, asked: Filters, start: int, offset: int) -> str:
    run = server.run(which)
    tags = run.tags
    return kept(server.pages, run, ("run", asked, start, offset, tags), lambda: _whole(server, run, asked, start, offset, tags))


def _only_map(server: Server, which: str, evaluator: str | None, start: int) -> str:
    run = server.run(which)
    return kept(server.pages, run, ("map", evaluator, start), lambda: render("_map.html", map=_map(server, run, evaluator, start)))


def _only_cases(server: Server, which: str, asked: Filters, offset: int) -> str:
    run = server.run(which)
    make = lambda: render("_found.html", found=_found(server, run, asked, offset), filters=asdict(asked))  # noqa: E731
    return kept(server.pages, run, ("cases", asked, offset), make)


def _whole(server: Server, run: Run, asked: Filters, start: int, offset: int, tags: Sequence[str]) -> str:
    page = page_of(run, worst=0, heatmaps=False, spreads={name: server.index.spread(run, name) for name in run.full.evaluators})
    leader = run.full.evaluators.get(asked.evaluator or "") or run.full.evaluators.get(page.leader)
    going = None if run.finished else next((one for one in server.library.going() if one.id == run.id), None)
    told = None if going is None else with_interim(server, running_of(going, server.library.heads()))
    return render(
        "run.html",
        here="",
        page=page,
        verdict=page.verdict if going is None else came_to(going),
        told=told,
        listen=None if told is None or not is_going(told) else key_of(told),
        tags=tags,
        troubled=page.exit_code not in (0, 1, None),
        evaluators=run.evaluators,
        confusion=_confusion(leader),
        map=_map(server, run, asked.evaluator, start),
        found=_found(server, run, asked, offset),
        filters=asdict(asked),
    )


def _confusion(one: EvaluatorSummary | None) -> Confusion | None:
    if one is None or not one.fields:
        return None
    by_field: dict[str, Counter[str]] = {}
    for field in one.fields:
        by_field.setdefault(field.field, Counter()).update(field.outcomes)
    seen = {name for counts in by_field.values() for name, count in counts.items() if count}
    states = tuple(state for name, state in STATES.items() if name in seen)
    return Confusion(evaluator=one.name, states=states, rows=tuple(by_field.items())[:FIELDS])


def _map(server: Server, run: Run, evaluator: str | None, start: int) -> Map | None:
    """A part of the heatmap: only the cases that are shown are read."""
    with_fields = {name: one for name, one in run.full.evaluators.items() if one.fields}
    one = with_fields.get(evaluator or "") or next(iter(with_fields.values()), None)
    if one is None:
        return None
    ranked = chosen(server.index, run, Wanted(evaluator=one.name, measured=True, order="score"))
    width = min(COLUMNS, max(CELLS // max(len({field.field for field in one.fields}), 1), 10))
    first = min(start, max(len(ranked) - 1, 0)) // width * width
    heat = heatmap(run, one, ranked.page(first, width), cells=CELLS, read=lambda positions: comparisons_at(run, one.name, positions))
    if heat is None:
        return None
    after = first + width if first + width < len(ranked) else None
    names = tuple(with_fields)
    return Map(run=run.id, heat=heat, evaluators=names, first=first, total=len(ranked), before=max(first - width, 0), after=after)


def _found(server: Server, run: Run, asked: Filters, offset: int) -> Found:
    name = evaluator_of(run, asked.evaluator)
    ranked = chosen(server.index, run, asked.wanted(name))
    shown = ranked.page(offset, CASES_AT_ONCE)
    told = told_at(run, name, [one.position for one in shown])
    rows = (CaseLine(id=one.id, score=one.score, verdict=told[one.position][0], misses=told[one.position][1]) for one in shown)
    summary = run.full.evaluators.get(name)
    after = offset + CASES_AT_ONCE if offset + CASES_AT_ONCE < len(ranked) else None
    return Found(
        run=run.id,
        evaluator=name,
        fields=tuple(dict.fromkeys(field.field for field in summary.fields)) if summary else (),
        slices=tuple(sorted(summary.slices)) if summary else (),
        rows=tuple(rows),
        total=len(ranked),
        offset=offset,
        before=max(offset - CASES_AT_ONCE, 0),
        after=after,
    )
