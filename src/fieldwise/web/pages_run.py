"""One run: summary, outcomes, heatmap, cases."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from time import monotonic_ns
from typing import Annotated, Any, Final, cast

from fastapi import APIRouter, Depends, Query
from starlette.responses import HTMLResponse, Response

from fieldwise.model.summary import EvaluatorSummary
from fieldwise.report.heatmap import STATES, Heatmap, State, heatmap
from fieldwise.report.html import html_report
from fieldwise.report.page import Page, page_of
from fieldwise.store.run import Run
from fieldwise.web.api_runs import evaluator_of
from fieldwise.web.render import html
from fieldwise.web.select import Order, Wanted, chosen
from fieldwise.web.server import RunId, Server

CASES_AT_ONCE: Final = 50
COLUMNS: Final = 60
CELLS: Final = 3_000
FIELDS: Final = 200
_ORDERS: Final = ("score", "-score", "case")
Text = Annotated[str | None, Query(max_length=1000)]
Offset = Annotated[int, Query(ge=0, le=10_000_000)]


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
    async def one(
        run: RunId, asked: Asked, start: Annotated[int, Query(alias="from", ge=0, le=10_000_000)] = 0, offset: Offset = 0
    ) -> Response:
        return html("run.html", here="", **await server.work.do(_run, server, run, asked, start, offset))

    @routes.get("/runs/{run}/heatmap")
    async def part_of_map(
        run: RunId, evaluator: Text = None, start: Annotated[int, Query(alias="from", ge=0, le=10_000_000)] = 0
    ) -> Response:
        return html("_map.html", map=await server.work.do(_map, _Key.of(server.run(run)), evaluator, start))

    @routes.get("/runs/{run}/cases")
    async def cases(run: RunId, asked: Asked, offset: Offset = 0) -> Response:
        found = await server.work.do(_found, _Key.of(server.run(run)), asked, offset)
        return html("_found.html", found=found, filters=asdict(asked))

    @routes.get("/runs/{run}/report.html")
    async def report(run: RunId) -> Response:
        return HTMLResponse(await server.work.do(html_report, server.run(run)))

    return routes


def _run(server: Server, which: str, asked: Filters, start: int, offset: int) -> dict[str, Any]:
    run = server.run(which)
    key = _Key.of(run)
    page = _page(key)
    leader = run.full.evaluators.get(asked.evaluator or "") or run.full.evaluators.get(page.leader)
    return {
        "page": page,
        "confusion": _confusion(leader),
        "map": _map(key, asked.evaluator, start),
        "found": _found(key, asked, offset),
        "filters": asdict(asked),
    }


@dataclass(frozen=True)
class _Key:
    """A finished run never changes, so what is shown of it is made once. One that is not finished is like no other."""

    run: Run
    name: tuple[str, ...]

    @classmethod
    def of(cls, run: Run) -> "_Key":
        """The key of a run."""
        return cls(run, (run.id, str(run.path), str(run.exit_code), *(() if run.finished else (str(monotonic_ns()),))))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


@lru_cache(maxsize=16)
def _page(key: _Key) -> Page:
    return page_of(key.run, worst=0)


def _confusion(one: EvaluatorSummary | None) -> Confusion | None:
    if one is None or not one.fields:
        return None
    by_field: dict[str, Counter[str]] = {}
    for field in one.fields:
        by_field.setdefault(field.field, Counter()).update(field.outcomes)
    seen = {name for counts in by_field.values() for name, count in counts.items() if count}
    states = tuple(state for name, state in STATES.items() if name in seen)
    return Confusion(evaluator=one.name, states=states, rows=tuple(by_field.items())[:FIELDS])


@lru_cache(maxsize=64)
def _map(key: _Key, evaluator: str | None, start: int) -> Map | None:
    """A part of the heatmap: only the cases that are shown are read."""
    run = key.run
    with_fields = {name: one for name, one in run.full.evaluators.items() if one.fields}
    one = with_fields.get(evaluator or "") or next(iter(with_fields.values()), None)
    if one is None:
        return None
    ranked = chosen(run, Wanted(evaluator=one.name, measured=True, order="score"))
    width = min(COLUMNS, max(CELLS // max(len({field.field for field in one.fields}), 1), 10))
    first = min(start, max(len(ranked) - 1, 0)) // width * width
    heat = heatmap(run, one, ranked.page(first, width), cells=CELLS)
    if heat is None:
        return None
    after = first + width if first + width < len(ranked) else None
    names = tuple(with_fields)
    return Map(run=run.id, heat=heat, evaluators=names, first=first, total=len(ranked), before=max(first - width, 0), after=after)


@lru_cache(maxsize=64)
def _found(key: _Key, asked: Filters, offset: int) -> Found:
    run = key.run
    name = evaluator_of(run, asked.evaluator)
    ranked = chosen(run, asked.wanted(name))
    shown = ranked.page(offset, CASES_AT_ONCE)
    results = {one.position: one.result for one in run.results_at([one.position for one in shown], name)}
    rows = tuple(
        CaseLine(id=one.id, score=one.score, verdict=found.verdict or found.status, misses=found.misses)
        for one in shown
        if (found := results.get(one.position)) is not None
    )
    summary = run.full.evaluators.get(name)
    after = offset + CASES_AT_ONCE if offset + CASES_AT_ONCE < len(ranked) else None
    return Found(
        run=run.id,
        evaluator=name,
        fields=tuple(dict.fromkeys(field.field for field in summary.fields)) if summary else (),
        slices=tuple(sorted(summary.slices)) if summary else (),
        rows=rows,
        total=len(ranked),
        offset=offset,
        before=max(offset - CASES_AT_ONCE, 0),
        after=after,
    )
