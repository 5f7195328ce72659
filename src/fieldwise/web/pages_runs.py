"""The list of runs, and two of them compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from fieldwise.model.summary import GateResult
from fieldwise.report.compared import compared as told_of
from fieldwise.report.page import verdict
from fieldwise.store.run import Run
from fieldwise.web.api_runs import compared, newest
from fieldwise.web.render import html
from fieldwise.web.server import RUN_ID, Server

AT_ONCE: Final = 50
HISTORY: Final = 20
SCORES: Final = 3
Text = Annotated[str | None, Query(max_length=500)]
CAME: Final = {"passed": (0,), "failed": (1, 2, 4), "incomplete": (3,), "unfinished": (None, 130)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """An evaluator's score with those of the runs before it."""

    name: str
    value: float
    history: Sequence[float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A run in the list."""

    id: str
    name: str
    started: datetime
    cases: int
    verdict: tuple[str, str, str]
    scores: tuple[Score, ...]
    more: int
    gates: Sequence[GateResult]
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A page of the list."""

    rows: tuple[Row, ...]
    total: int
    any: bool
    names: tuple[str, ...]
    tags: tuple[str, ...]
    offset: int
    before: int
    after: int | None
    pair: tuple[str | None, str | None]
    """The two that are most likely to be compared."""


def runs_pages(server: Server) -> APIRouter:
    """The routes."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/")
    async def home() -> Response:
        return RedirectResponse("/runs", status_code=303)

    @routes.get("/runs")
    async def runs(
        name: Text = None,
        came: Text = None,
        tag: Text = None,
        text: Text = None,
        offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    ) -> Response:
        filters = {"name": name, "came": came, "tag": tag, "text": text}
        view = await server.work.do(_view, server, filters, offset)
        return html("runs.html", here="/runs", view=view, filters=filters, jobs=server.jobs.live())

    @routes.get("/compare")
    async def compare(
        request: Request,
        base: Annotated[str | None, Query(pattern=RUN_ID)] = None,
        new: Annotated[str | None, Query(pattern=RUN_ID)] = None,
    ) -> Response:
        del request
        known = await server.work.do(newest, server.settings.root)
        if base is None or new is None:
            base, new = _last_two(known)
        changes = await server.work.do(compared, server, base, new) if base and new else None
        told = told_of(changes)
        shown = (changes.base, changes.new) if changes else (base, new)
        return html("compare.html", here="/compare", runs=known[:200], base=shown[0], new=shown[1], changes=changes, evaluators=told)

    return routes


def _last_two(runs: Sequence[Run]) -> tuple[str | None, str | None]:
    """The latest run and the one of the same suite before it."""
    for place, run in enumerate(runs):
        for other in runs[place + 1 :]:
            if other.name == run.name:
                return other.id, run.id
    return None, None


def _view(server: Server, filters: Mapping[str, str | None], offset: int) -> View:
    every = newest(server.settings.root)
    found = [run for run in every if _fits(run, filters)]
    by_name: dict[str, list[Run]] = {}
    for run in every:
        by_name.setdefault(run.name, []).append(run)
    return View(
        rows=tuple(_row(run, by_name[run.name]) for run in found[offset : offset + AT_ONCE]),
        total=len(found),
        any=bool(every),
        names=tuple(sorted({run.name for run in every if run.name})),
        tags=tuple(sorted({tag for run in every for tag in tags_of(run)})),
        offset=offset,
        before=max(offset - AT_ONCE, 0),
        after=offset + AT_ONCE if offset + AT_ONCE < len(found) else None,
        pair=_last_two(found),
    )


def _fits(run: Run, filters: Mapping[str, str | None]) -> bool:
    came = CAME.get(filters["came"] or "")
    return (
        (not filters["name"] or run.name == filters["name"])
        and (came is None or run.exit_code in came)
        and (not filters["tag"] or filters["tag"] in tags_of(run))
        and (not filters["text"] or filters["text"] in run.id)
    )


def tags_of(run: Run) -> tuple[str, ...]:
    """The tags of its cases."""
    slices = {name for one in run.full.evaluators.values() for name in one.slices}
    return tuple(sorted(name.removeprefix("tag:") for name in slices if name.startswith("tag:")))


def _row(run: Run, same: Sequence[Run]) -> Row:
    scored = [one for one in run.full.evaluators.values() if "score" in one.metrics]
    earlier = [one for one in same if one.started <= run.started][:HISTORY][::-1]
    scores = (
        Score(name=one.name, value=one.metrics["score"].value, history=[each.summary.get(f"{one.name}.score") for each in earlier])
        for one in scored[:SCORES]
    )
    return Row(
        id=run.id,
        name=run.name,
        started=run.started,
        cases=run.full.cases if run.finished else sum(part.cases for part in run.parts),
        verdict=verdict(run.exit_code, bool(run.gates)),
        scores=tuple(scores),
        more=max(len(scored) - SCORES, 0),
        gates=run.gates,
        tags=tags_of(run),
    )
