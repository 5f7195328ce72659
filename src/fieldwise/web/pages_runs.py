"""The list of runs, and comparisons of two or more."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import combinations, islice
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from fieldwise.report.run_changes import describe_changes, describe_tests
from fieldwise.report.run_view import describe_exit
from fieldwise.report.trend import Trend, build_trend, draw_trend_chart
from fieldwise.store.errors import StoreError
from fieldwise.summarize.ranking import RankedRun
from fieldwise.web.api_runs import MAX_COMPARED, RunName, compare_named_runs, compare_several_runs, is_compared, refuse_same_run
from fieldwise.web.events import LiveRun, list_running, progress_text
from fieldwise.web.jobs import Job
from fieldwise.web.library import RunHead
from fieldwise.web.pages_compare import SELECTIONS, RunMatrix, make_matrix
from fieldwise.web.problems import RequestProblem, StrictRoute, make_problem
from fieldwise.web.render import render, render_response
from fieldwise.web.server import RUN_ID, RunId, Server

RUNS_PER_PAGE: Final = 50
HISTORY_RUNS: Final = 20
CHART_RUNS: Final = 30
MAX_SCORES: Final = 3
LARGE_CASES: Final = 20_000
"""Comparisons of runs with as many cases show their progress."""
FilterText = Annotated[str | None, Query(max_length=500)]
EXIT_CODES: Final = {"passed": (0,), "failed": (1, 2, 4), "incomplete": (3,)}


@dataclass(frozen=True, slots=True)
class RunFilters:
    """The filters of the list, as in the address of the page."""

    name: FilterText = None
    came: FilterText = None
    """The result: a key of EXIT_CODES, `unfinished`, `running`, `interrupted` or `unreadable`."""
    tag: FilterText = None
    label: FilterText = None
    """A tag of the run's cases."""
    metric: FilterText = None
    text: FilterText = None

    def matches(self, head: RunHead) -> bool:
        """True if a run meets all filters."""
        return (
            (not self.name or head.name == self.name)
            and self._has_result(head)
            and (not self.tag or self.tag in head.tags)
            and (not self.label or self.label in head.case_tags)
            and (not self.metric or self.metric in head.metrics)
            and (not self.text or self.text in head.id)
        )

    def _has_result(self, head: RunHead) -> bool:
        if self.came in EXIT_CODES:
            return head.state == "finished" and head.exit_code in EXIT_CODES[self.came]
        if self.came == "unfinished":
            return head.state in ("running", "interrupted")
        return self.came not in ("running", "interrupted", "unreadable") or head.state == self.came


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricHistory:
    """A metric of a run, with its values in the runs before."""

    name: str
    value: float
    history: Sequence[float | None]
    """Oldest first; the last value is that of the run itself."""

    @property
    def change(self) -> float | None:
        """Difference to the run before; None if that has no value."""
        previous = self.history[-2] if len(self.history) > 1 else None
        return None if previous is None else self.value - previous


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run in the list."""

    head: RunHead
    verdict: tuple[str, str, str]
    metrics: tuple[MetricHistory, ...]
    more_metrics: int
    """Number of metrics that are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendChart:
    """A metric over the runs of a suite, as a chart."""

    trend: Trend
    chart: str
    gate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunListPage:
    """A page of the list."""

    rows: tuple[RunRow, ...]
    total: int
    has_runs: bool
    names: tuple[str, ...]
    tags: tuple[str, ...]
    case_tags: tuple[str, ...]
    metrics: tuple[str, ...]
    offset: int
    previous: int
    next: int | None
    pair: tuple[str | None, str | None]
    """The runs that are preselected for a comparison."""
    jobs: Sequence[Job]
    running: Sequence[LiveRun]
    trend: TrendChart | None = None
    """Of the metric in the filters."""


def build_runs_pages(server: Server) -> APIRouter:
    """Routes of the list and of the comparison."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/")
    async def home() -> Response:
        return RedirectResponse("/runs", status_code=303)

    @routes.get("/runs")
    async def list_runs(filters: Annotated[RunFilters, Depends()], offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0) -> Response:
        return HTMLResponse(await server.threads.run(_render_runs, server, filters, offset))

    @routes.get("/runs/{run}/metrics")
    async def list_metrics(run: RunId) -> Response:
        return HTMLResponse(await server.threads.run(_render_metrics, server, run))

    strict_routes = APIRouter(include_in_schema=False, route_class=StrictRoute)

    @strict_routes.get("/compare")
    async def compare(
        request: Request,
        base: Annotated[str | None, Query(pattern=RUN_ID)] = None,
        new: Annotated[list[RunName | Literal[""]] | None, Query(max_length=MAX_COMPARED)] = None,
        wait: Literal["yes"] | None = None,
    ) -> Response:
        names = list(dict.fromkeys(name for name in new or () if name))
        chosen = next((name for name in (*names, *(new or ())) if name), None)
        compared = [base, *names] if base and len(names) > 1 else [base, chosen]
        progress = None if wait else await server.threads.run(_find_progress, server, compared)
        if progress is not None:
            if not progress.started:
                _start_comparison(server, progress)
            template = "_comparing.html" if "hx-request" in request.headers else "comparing.html"
            return render_response(template, here="/compare", progress=progress, address=request.url.path, query=request.url.query)
        if "hx-request" in request.headers:  # the progress of a comparison that is done now
            return Response(headers={"hx-refresh": "true"})
        if len(compared) > 2 and base:
            return HTMLResponse(await server.threads.run(_render_ranking, server, base, names))
        return HTMLResponse(await server.threads.run(_render_comparison, server, base, chosen))

    routes.include_router(strict_routes)
    return routes


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonProgress:
    """A comparison of large runs that is not in the cache yet."""

    runs: tuple[str, ...]
    cases: int
    share: float
    """Of all pairs of runs."""
    started: bool


def _find_progress(server: Server, names: Sequence[str | None]) -> ComparisonProgress | None:
    """The progress of a comparison that takes long; None if it is known already, or can be computed at once."""
    run_names = [name for name in names if name]
    if len(run_names) < 2:
        base, new = _latest_pair(server.library.list_heads())
        run_names = [name for name in (base, new) if name]
    runs = [server.open_run(name) for name in run_names]
    if runs:
        refuse_same_run(runs[0], runs[1:])
    if len(runs) < 2 or max(run.full.cases for run in runs) < LARGE_CASES or any(run.finished is None for run in runs):
        return None
    pairs = list(combinations(dict.fromkeys(run.id for run in runs), 2))
    by_id = {run.id: run for run in runs}
    done = [1.0 if is_compared(server, by_id[base], by_id[new]) else server.comparing.get((base, new)) for base, new in pairs]
    if all(share == 1.0 for share in done):
        return None
    return ComparisonProgress(
        runs=tuple(by_id),
        cases=max(run.full.cases for run in runs),
        share=sum(share or 0.0 for share in done) / len(pairs),
        started=bool(server.comparing.keys() & set(pairs)),
    )


def _start_comparison(server: Server, progress: ComparisonProgress) -> None:
    """Compute the comparisons in the background; they are found in the cache afterwards. A failure shows in the next request."""
    first = next(iter(combinations(progress.runs, 2)))
    server.comparing.setdefault(first, 0.0)

    async def compare_all() -> None:
        with suppress(RequestProblem, StoreError):
            await server.threads.run(_compare_pairs, server, progress.runs)

    task = asyncio.get_running_loop().create_task(compare_all())
    server.background.add(task)
    task.add_done_callback(server.background.discard)


def _compare_pairs(server: Server, ids: Sequence[str]) -> None:
    for base, new in combinations(ids, 2):
        try:
            compare_named_runs(server, base, new)
        finally:
            server.comparing.pop((base, new), None)


def _render_runs(server: Server, filters: RunFilters, offset: int) -> str:
    return render("runs.html", here="/runs", view=_make_page(server, filters, offset), filters=asdict(filters))


def _render_metrics(server: Server, run_name: str) -> str:
    """Render every metric of a run with its sparkline."""
    run, heads = server.open_run(run_name), server.library.list_heads()
    head = next((head for head in heads if head.id == run.id), None)
    if head is None:
        raise make_problem(404, "no-run", "the run was deleted in the meantime")
    earlier = _history_of(head, heads)
    return render("_metrics.html", head=head, metrics=[_make_history(head, name, earlier) for name in head.metrics])


def _render_comparison(server: Server, base: str | None, new: str | None) -> str:
    heads = server.library.list_heads()
    if base is None or new is None:
        base, new = _latest_pair(heads)
    changes = compare_named_runs(server, base, new) if base and new else None
    if changes:
        base, new = changes.base, changes.new
    evaluators = describe_changes(changes)
    values: dict[str, Any] = {
        "base": base,
        "new": new,
        "changes": changes,
        "evaluators": evaluators,
        "tests": describe_tests(changes) if changes else "",
        "nothing": all(not evaluator.change.n for evaluator in evaluators),
    }
    if changes and evaluators and not values["nothing"]:
        values |= {"matrix": make_matrix(server, [changes.base, changes.new]), "selections": SELECTIONS}
    return render("compare.html", here="/compare", runs=heads[:200], **values)


def _render_ranking(server: Server, base: str, names: Sequence[str]) -> str:
    """Render the ranking of several runs, and the verdict on every pair of them."""
    compared = compare_several_runs(server, base, names)
    ids = list(dict.fromkeys(run for changes in compared.pairs for run in (changes.base, changes.new)))
    matrix = _find_matrix(server, ids)
    run_names = dict(zip(compared.labels, matrix.labels, strict=True)) if matrix and len(set(matrix.labels)) == len(ids) else {}
    values = {
        "base": ids[0] if ids else base,
        "compared_ids": ids,
        "all_new": [("new", "New" if place == 0 else "Another", run) for place, run in enumerate([*ids[1:], ""][:MAX_COMPARED])],
        "rankings": {evaluator: [_rename(entry, run_names) for entry in ranking] for evaluator, ranking in compared.rankings.items()},
        "pairs": [(changes, describe_changes(changes)) for changes in compared.pairs],
        "tests": describe_tests(compared.pairs[0]) if compared.pairs else "",
        "matrix": matrix,
        "selections": SELECTIONS,
    }
    return render("compare_several.html", here="/compare", runs=server.library.list_heads()[:200], **values)


def _rename(entry: RankedRun, names: Mapping[str, str]) -> RankedRun:
    """A run of the ranking under the names that the matrix of cases uses."""
    return replace(
        entry,
        label=names.get(entry.label, entry.label),
        better_than=tuple(names.get(label, label) for label in entry.better_than),
        worse_than=tuple(names.get(label, label) for label in entry.worse_than),
    )


def _find_matrix(server: Server, ids: Sequence[str]) -> RunMatrix | None:
    """The matrix of runs; None if they have no evaluator in common."""
    try:
        return make_matrix(server, ids) if len(ids) > 1 else None
    except RequestProblem:
        return None


def _latest_pair(heads: Sequence[RunHead]) -> tuple[str | None, str | None]:
    """The ids of the two latest finished runs of one suite, older first."""
    ids_by_name: dict[str, list[str]] = {}
    for head in heads:
        if head.finished is not None:
            ids_by_name.setdefault(head.name, []).append(head.id)
    return next(((ids[1], ids[0]) for ids in ids_by_name.values() if len(ids) > 1), (None, None))


def _make_page(server: Server, filters: RunFilters, offset: int) -> RunListPage:
    heads = server.library.list_heads()
    matching = [head for head in heads if filters.matches(head)]
    return RunListPage(
        rows=tuple(_make_row(head, _history_of(head, heads), filters.metric) for head in matching[offset : offset + RUNS_PER_PAGE]),
        total=len(matching),
        has_runs=bool(heads),
        names=_sorted_unique(head.name for head in heads if head.name),
        tags=_sorted_unique(tag for head in heads for tag in head.tags),
        case_tags=_sorted_unique(tag for head in heads for tag in head.case_tags),
        metrics=_sorted_unique(name for head in heads if filters.name in (None, "", head.name) for name in head.metrics),
        offset=offset,
        previous=max(offset - RUNS_PER_PAGE, 0),
        next=offset + RUNS_PER_PAGE if offset + RUNS_PER_PAGE < len(matching) else None,
        pair=_latest_pair(matching),
        jobs=server.jobs.list_live(),
        running=list_running(server, heads),
        trend=_make_trend_chart(server, matching, filters.metric),
    )


def _make_trend_chart(server: Server, heads: Sequence[RunHead], metric: str | None) -> TrendChart | None:
    """The metric over the runs of the first head's suite; None without a metric, or with fewer than two runs."""
    finished = [head for head in heads if head.state == "finished"]
    if not metric or not finished:
        return None
    same_suite = [head for head in finished if head.name == finished[0].name][:CHART_RUNS]
    if len(same_suite) < 2:
        return None
    runs = [server.open_run(head.id) for head in same_suite]
    trend = build_trend(runs, metric)
    chart, gate = draw_trend_chart(trend, runs[0].gates)
    return TrendChart(trend=trend, chart=chart, gate=gate)


def _sorted_unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))


def _history_of(head: RunHead, heads: Sequence[RunHead]) -> list[RunHead]:
    """A run and the finished runs of the same suite before it, oldest first."""

    def belongs(earlier: RunHead) -> bool:
        return earlier.name == head.name and earlier.started <= head.started and bool(earlier.finished or earlier.id == head.id)

    newest_first = islice(filter(belongs, heads), HISTORY_RUNS)
    return list(newest_first)[::-1]


def _make_row(head: RunHead, earlier: Sequence[RunHead], metric: str | None) -> RunRow:
    candidates = [metric] if metric else [f"{name}.score" for name in head.scored[:MAX_SCORES]]
    names = [name for name in candidates if name in head.metrics]
    return RunRow(
        head=head,
        verdict=_describe_result(head),
        metrics=tuple(_make_history(head, name, earlier) for name in names),
        more_metrics=len(head.metrics) - len(names),
    )


def _describe_result(head: RunHead) -> tuple[str, str, str]:
    if head.state == "unreadable":
        return "bad", "unreadable", "its manifest cannot be read: it is damaged, or was stored by another version"
    return describe_exit(head.exit_code, bool(head.gates)) if head.progress is None else progress_text(head.progress)


def _make_history(head: RunHead, name: str, earlier: Sequence[RunHead]) -> MetricHistory:
    return MetricHistory(name=name, value=head.metrics[name], history=[run.metrics.get(name) for run in earlier])
