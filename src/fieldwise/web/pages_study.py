"""Pages of studies of a run: how far its confidences can be trusted, and other thresholds and tolerances tried on it.

The second has a slider over a histogram for each field.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter
from starlette.responses import HTMLResponse, Response

from fieldwise.report.confidence_view import build_confidence_content
from fieldwise.store.run import Run
from fieldwise.study.confidence import study_confidence
from fieldwise.study.limit_histograms import BINS, LimitHistogram, build_limit_histograms
from fieldwise.web.case_index import cached_page
from fieldwise.web.render import render
from fieldwise.web.server import RunId, Server

_HEIGHT: Final = 48
_BIN_WIDTH: Final = 12


@dataclass(frozen=True, slots=True)
class HistogramBar:
    """One bin: the heights of what passed and what failed, in pixels."""

    left: int
    passed: float
    failed: float


@dataclass(frozen=True, slots=True)
class LimitSlider:
    """A field with its slider."""

    limit: LimitHistogram
    bars: tuple[HistogramBar, ...]
    width: int = BINS * _BIN_WIDTH
    height: int = _HEIGHT


def build_study_pages(server: Server) -> APIRouter:
    """The pages of confidence and what-if; the run page loads the second as a part of itself."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/runs/{run}/confidence")
    async def show_confidence(run: RunId) -> Response:
        return await respond(run, "confidence", _render_confidence)

    @routes.get("/runs/{run}/what-if")
    async def show_sliders(run: RunId) -> Response:
        return await respond(run, "what-if", _render_sliders)

    async def respond(run_name: str, page: str, render_page: Callable[[Run], str]) -> Response:
        return HTMLResponse(await server.threads.run(_render_cached, server, run_name, page, render_page))

    return routes


def _render_cached(server: Server, run_name: str, page: str, render_page: Callable[[Run], str]) -> str:
    run = server.open_run(run_name)
    return cached_page(server.pages, run, (page,), lambda: render_page(run))


def _render_confidence(run: Run) -> str:
    return render("confidence.html", here="", name=run.name, **build_confidence_content(study_confidence(run)))


def _render_sliders(run: Run) -> str:
    study = build_limit_histograms(run)
    sliders = [LimitSlider(limit, _build_bars(limit)) for limit in study.histograms]
    return render("what_if.html", here="", id=run.id, name=run.name, sliders=sliders, reason=study.reason)


def _build_bars(limit: LimitHistogram) -> tuple[HistogramBar, ...]:
    highest = max((passed + failed for passed, failed in zip(limit.passed, limit.failed, strict=True)), default=0) or 1
    bars: list[HistogramBar] = []
    for index, (passed, failed) in enumerate(zip(limit.passed, limit.failed, strict=True)):
        bars.append(HistogramBar(index * _BIN_WIDTH, round(_HEIGHT * passed / highest, 1), round(_HEIGHT * failed / highest, 1)))
    return tuple(bars)
