"""The list of runs, and two of them compared."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query
from starlette.responses import HTMLResponse, RedirectResponse, Response

from fieldwise.report.compared import compared as told_of
from fieldwise.report.page import verdict
from fieldwise.report.trend import Trend, trend_of
from fieldwise.report.trend_html import trend_chart
from fieldwise.web.api_runs import compared
from fieldwise.web.events import Running, came_to, running
from fieldwise.web.jobs import Job
from fieldwise.web.library import Head
from fieldwise.web.problems import problem
from fieldwise.web.render import render
from fieldwise.web.server import RUN_ID, RunId, Server

AT_ONCE: Final = 50
HISTORY: Final = 20
POINTS: Final = 30
"""How many runs a chart goes back."""
SCORES: Final = 3
Text = Annotated[str | None, Query(max_length=500)]
CAME: Final = {"passed": (0,), "failed": (1, 2, 4), "incomplete": (3,)}


@dataclass(frozen=True, slots=True)
class Asked:
    """The filters, as they stand in the address."""

    name: Text = None
    came: Text = None
    tag: Text = None
    label: Text = None
    metric: Text = None
    text: Text = None

    def fits(self, head: Head) -> bool:
        """Whether a run is wanted."""
        return (
            (not self.name or head.name == self.name)
            and self._came(head)
            and (not self.tag or self.tag in head.tags)
            and (not self.label or self.label in head.labels)
            and (not self.metric or self.metric in head.metrics)
            and (not self.text or self.text in head.id)
        )

    def _came(self, head: Head) -> bool:
        if self.came in CAME:
            return head.state == "finished" and head.exit_code in CAME[self.came]
        if self.came == "unfinished":
            return head.state != "finished"
        return self.came not in ("running", "interrupted") or head.state == self.came


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A metric of a run with what it was in the runs before."""

    name: str
    value: float
    history: Sequence[float | None]
    """Oldest first, the run itself last."""

    @property
    def change(self) -> float | None:
        """From the run before."""
        before = self.history[-2] if len(self.history) > 1 else None
        return None if before is None else self.value - before


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A run in the list."""

    head: Head
    verdict: tuple[str, str, str]
    measures: tuple[Measure, ...]
    more: int
    """How many metrics it has beside those."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A metric over the runs of a suite, drawn."""

    trend: Trend
    chart: str
    gate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A page of the list."""

    rows: tuple[Row, ...]
    total: int
    any: bool
    names: tuple[str, ...]
    tags: tuple[str, ...]
    labels: tuple[str, ...]
    metrics: tuple[str, ...]
    offset: int
    before: int
    after: int | None
    pair: tuple[str | None, str | None]
    """The two that are most likely to be compared."""
    jobs: Sequence[Job]
    running: Sequence[Running]
    line: Line | None = None
    """Of the metric that was asked for."""


def runs_pages(server: Server) -> APIRouter:
    """The routes."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/")
    async def home() -> Response:
        return RedirectResponse("/runs", status_code=303)

    @routes.get("/runs")
    async def runs(asked: Annotated[Asked, Depends()], offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0) -> Response:
        return HTMLResponse(await server.work.do(_runs, server, asked, offset))

    @routes.get("/runs/{run}/metrics")
    async def metrics(run: RunId) -> Response:
        return HTMLResponse(await server.work.do(_metrics, server, run))

    @routes.get("/compare")
    async def compare(
        base: Annotated[str | None, Query(pattern=RUN_ID)] = None, new: Annotated[str | None, Query(pattern=RUN_ID)] = None
    ) -> Response:
        return HTMLResponse(await server.work.do(_compare, server, base, new))

    return routes


def _runs(server: Server, asked: Asked, offset: int) -> str:
    return render("runs.html", here="/runs", view=_view(server, asked, offset), filters=asdict(asked))


def _metrics(server: Server, which: str) -> str:
    """Every metric of a run with its line."""
    run, heads = server.run(which), server.library.heads()
    head = next((one for one in heads if one.id == run.id), None)
    if head is None:
        raise problem(404, "no-run", "the run was deleted in the meantime")
    return render("_metrics.html", head=head, measures=[_measure(head, name, _earlier(head, heads)) for name in head.metrics])


def _compare(server: Server, base: str | None, new: str | None) -> str:
    known = server.library.heads()
    if base is None or new is None:
        base, new = _last_two(known)
    changes = compared(server, base, new) if base and new else None
    told = told_of(changes)
    shown = (changes.base, changes.new) if changes else (base, new)
    nothing = all(not one.change.n for one in told)
    values = {"base": shown[0], "new": shown[1], "changes": changes, "evaluators": told, "nothing": nothing}
    return render("compare.html", here="/compare", runs=known[:200], **values)


def _last_two(runs: Sequence[Head]) -> tuple[str | None, str | None]:
    """The latest run and the one of the same suite before it."""
    by_name: dict[str, list[str]] = {}
    for run in runs:
        if run.finished is not None:
            by_name.setdefault(run.name, []).append(run.id)
    return next(((ids[1], ids[0]) for ids in by_name.values() if len(ids) > 1), (None, None))


def _view(server: Server, asked: Asked, offset: int) -> View:
    every = server.library.heads()
    found = [head for head in every if asked.fits(head)]
    return View(
        rows=tuple(_row(head, _earlier(head, every), asked.metric) for head in found[offset : offset + AT_ONCE]),
        total=len(found),
        any=bool(every),
        names=_sorted(head.name for head in every if head.name),
        tags=_sorted(tag for head in every for tag in head.tags),
        labels=_sorted(label for head in every for label in head.labels),
        metrics=_sorted(name for head in every if asked.name in (None, "", head.name) for name in head.metrics),
        offset=offset,
        before=max(offset - AT_ONCE, 0),
        after=offset + AT_ONCE if offset + AT_ONCE < len(found) else None,
        pair=_last_two(found),
        jobs=server.jobs.live(),
        running=running(server, every),
        line=_line(server, found, asked),
    )


def _line(server: Server, found: Sequence[Head], asked: Asked) -> Line | None:
    """The metric that was asked for over the runs that were found, of one suite; None where there are not two to draw a line through."""
    having = [head for head in found if asked.metric and head.state == "finished"]
    same = [head for head in having if head.name == having[0].name][:POINTS]
    if len(same) < 2:
        return None
    runs = [server.run(head.id) for head in same]
    trend = trend_of(runs, asked.metric or "")
    chart, gate = trend_chart(trend, runs[0].gates)
    return Line(trend=trend, chart=chart, gate=gate)


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))


def _earlier(head: Head, every: Sequence[Head]) -> list[Head]:
    """The run and those of the same suite before it that have finished, oldest first."""
    same = (one for one in every if one.name == head.name and one.started <= head.started and (one.finished or one.id == head.id))
    return list(islice(same, HISTORY))[::-1]


def _row(head: Head, earlier: Sequence[Head], metric: str | None) -> Row:
    wanted = [metric] if metric else [f"{name}.score" for name in head.scored[:SCORES]]
    shown = [name for name in wanted if name in head.metrics]
    return Row(
        head=head,
        verdict=verdict(head.exit_code, bool(head.gates)) if head.going is None else came_to(head.going),
        measures=tuple(_measure(head, name, earlier) for name in shown),
        more=len(head.metrics) - len(shown),
    )


def _measure(head: Head, name: str, earlier: Sequence[Head]) -> Measure:
    return Measure(name=name, value=head.metrics[name], history=[one.metrics.get(name) for one in earlier])
