"""The page of one run: summary, outcomes, heatmap, cases."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query
from starlette.responses import HTMLResponse, Response

from fieldwise.model.comparison import Comparison
from fieldwise.report.case_view import find_leading_evaluator
from fieldwise.report.heatmap import Heatmap, build_heatmap
from fieldwise.report.html import build_query
from fieldwise.report.result_text import describe_cause
from fieldwise.report.run_view import build_run_view
from fieldwise.report.value_confusion import read_value_confusions
from fieldwise.store.run import Run
from fieldwise.store.run_index import comparisons_at, verdicts_at
from fieldwise.study.html_report import render_studied_html
from fieldwise.web.api_runs import select_evaluator
from fieldwise.web.case_index import NO_FAILURE, CaseQuery, cached_page, select_cases
from fieldwise.web.events import LiveRun, add_interim, expects_events, make_live_run, progress_text, refresh_key
from fieldwise.web.pages_case import ComparisonRow, make_short_row
from fieldwise.web.render import render
from fieldwise.web.server import RunId, Server

CASES_PER_PAGE: Final = 10
SHOWN_MISMATCHES: Final = 2
SHOWN_MISSES: Final = 4
MAX_COLUMNS: Final = 60
MAX_CELLS: Final = 3_000
DEFERRED_CASES: Final = 20_000
"""The page of a run with as many cases loads its heatmap afterwards."""
_ORDERS: Final = ("score", "-score", "case")
QueryText = Annotated[str | None, Query(max_length=1000)]
OffsetQuery = Annotated[int, Query(ge=0, le=10_000_000)]
StartQuery = Annotated[int, Query(alias="from", ge=0, le=10_000_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatmapPage:
    """A page of columns of the heatmap."""

    run: str
    heatmap: Heatmap
    evaluators: tuple[str, ...]
    first: int
    total: int
    previous: int
    next: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRow:
    """A case in the list."""

    id: str
    score: float
    verdict: str
    mismatches: tuple[ComparisonRow, ...]
    """The first mismatches that meet the filters, with their values."""
    misses: Sequence[str]
    """Misses of an evaluator that compares no fields."""
    more: int
    """Number of mismatches or misses that are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseList:
    """A page of the cases that meet the filters."""

    run: str
    evaluator: str
    fields: tuple[str, ...]
    slices: tuple[str, ...]
    rows: tuple[CaseRow, ...]
    total: int
    offset: int
    previous: int
    next: int | None
    cause_label: str = ""
    """The cause in the filters, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFilters:
    """The filters of the case list, as in the address of the page."""

    evaluator: QueryText = None
    verdict: QueryText = None
    field: QueryText = None
    outcome: QueryText = None
    cause: QueryText = None
    slice: QueryText = None
    order: QueryText = None
    """One of _ORDERS; anything else is the first of them."""
    text: QueryText = None

    def to_query(self, evaluator: str) -> CaseQuery:
        """The filters as a query of an evaluator's results."""
        kind, _, name = (self.slice or "").partition(":")
        is_fault = self.verdict == "fault"
        return CaseQuery(
            evaluator=evaluator,
            verdict=None if is_fault else self.verdict or None,
            measured=bool(self.verdict) and not is_fault,  # a fault is stored as fail, and listed as fault
            fault=is_fault,
            field=self.field or None,
            outcome=self.outcome or None,
            cause=self.cause or None,
            text=self.text or None,
            tag=name if kind == "tag" and name else None,
            split=name if kind == "split" and name else None,
            order=self.order if self.order in _ORDERS else _ORDERS[0],
        )


FiltersQuery = Annotated[CaseFilters, Depends()]


def build_run_pages(server: Server) -> APIRouter:
    """Routes of the run page and of the fragments that it loads."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/runs/{run}")
    async def show_run(run: RunId, filters: FiltersQuery, start: StartQuery = 0, offset: OffsetQuery = 0) -> Response:
        return HTMLResponse(await server.threads.run(_render_run, server, run, filters, start, offset))

    @routes.get("/runs/{run}/heatmap")
    async def show_heatmap(run: RunId, evaluator: QueryText = None, start: StartQuery = 0) -> Response:
        content = await server.threads.run(_render_heatmap, server, run, evaluator, start)
        if evaluator is None and not start:  # the page loads it itself: its address stays
            return HTMLResponse(content)
        return _fragment_response(content, run, {"evaluator": evaluator, "from": start or None})

    @routes.get("/runs/{run}/cases")
    async def list_cases(run: RunId, filters: FiltersQuery, offset: OffsetQuery = 0) -> Response:
        content = await server.threads.run(_render_cases, server, run, filters, offset)
        return _fragment_response(content, run, {**asdict(filters), "offset": offset or None})

    @routes.get("/runs/{run}/confusion")
    async def show_confusion(run: RunId) -> Response:
        return HTMLResponse(await server.threads.run(_render_confusion, server, run))

    @routes.get("/runs/{run}/report.html")
    async def download_report(run: RunId) -> Response:
        return HTMLResponse(await server.threads.run(lambda: render_studied_html(server.open_run(run))))

    return routes


def _fragment_response(content: str, run: str, values: Mapping[str, Any]) -> HTMLResponse:
    """A fragment of the run page; the address of the page gets its filters, so that it can be shared and reloaded."""
    return HTMLResponse(content, headers={"hx-replace-url": f"/runs/{run}{build_query(values)}"})


def _render_run(server: Server, run_name: str, filters: CaseFilters, start: int, offset: int) -> str:
    run = server.open_run(run_name)
    tags = run.tags  # part of the cache key: tags can change after a run has finished
    key = ("run", filters, start, offset, tags)
    return cached_page(server.pages, run, key, lambda: _render_page(server, run, filters, start, offset, tags))


def _render_heatmap(server: Server, run_name: str, evaluator: str | None, start: int) -> str:
    run = server.open_run(run_name)

    def render_fragment() -> str:
        return render("_heatmap_page.html", map=_make_heatmap_page(server, run, evaluator, start))

    return cached_page(server.pages, run, ("heatmap", evaluator, start), render_fragment)


def _render_confusion(server: Server, run_name: str) -> str:
    """Which expected values were given as which others, by the leading evaluator."""
    run = server.open_run(run_name)

    def render_fragment() -> str:
        leader = find_leading_evaluator(list(run.full.evaluators.values()))
        confusions = None if leader is None else read_value_confusions(run, leader)
        return render("_confusion_page.html", confusions=confusions)

    return cached_page(server.pages, run, ("confusion",), render_fragment)


def _render_cases(server: Server, run_name: str, filters: CaseFilters, offset: int) -> str:
    run = server.open_run(run_name)

    def render_fragment() -> str:
        case_list = _make_case_list(server, run, filters, offset)
        return render("_case_list.html", cases=case_list, filters=asdict(filters), run_address=f"/runs/{run.id}")

    return cached_page(server.pages, run, ("cases", filters, offset), render_fragment)


def _render_page(server: Server, run: Run, filters: CaseFilters, start: int, offset: int, tags: Sequence[str]) -> str:
    spreads = {name: server.index.score_spread(run, name) for name in run.full.evaluators}
    page = build_run_view(run, worst=0, heatmaps=False, spreads=spreads)
    live = None if run.finished else _find_live_run(server, run.id)
    has_fields = any(summary.fields for summary in run.full.evaluators.values())
    # of a large run, the cells are spread over the whole run: they are read when the heatmap comes into view
    is_deferred = has_fields and run.full.cases >= DEFERRED_CASES and not start and not filters.evaluator
    return render(
        "run.html",
        here="",
        run_address=f"/runs/{run.id}",
        page=page,
        verdict=page.verdict if live is None else progress_text(live.progress),
        live=live,
        listen=refresh_key(live) if live is not None and expects_events(live) else None,
        tags=tags,
        troubled=page.exit_code not in (0, 1, None),
        evaluators=run.evaluators,
        map=None if is_deferred else _make_heatmap_page(server, run, filters.evaluator, start),
        has_fields=has_fields,
        cases=_make_case_list(server, run, filters, offset),
        filters=asdict(filters),
    )


def _find_live_run(server: Server, run_id: str) -> LiveRun | None:
    progress = next((progress for progress in server.library.list_unfinished() if progress.id == run_id), None)
    if progress is None:
        return None
    return add_interim(server, make_live_run(progress, server.library.list_heads()))


def _make_heatmap_page(server: Server, run: Run, evaluator: str | None, start: int) -> HeatmapPage | None:
    """A page of the heatmap; only the cases of the page are read. None if no evaluator compares fields."""
    with_fields = {name: summary for name, summary in run.full.evaluators.items() if summary.fields}
    summary = with_fields.get(evaluator or "") or next(iter(with_fields.values()), None)
    if summary is None:
        return None
    selection = select_cases(server.index, run, CaseQuery(evaluator=summary.name, measured=True, order="score"))
    field_count = len({field.field for field in summary.fields})
    width = min(MAX_COLUMNS, max(MAX_CELLS // max(field_count, 1), 10))
    first = min(start, max(len(selection) - 1, 0)) // width * width
    heatmap = build_heatmap(
        run,
        summary,
        selection.page(first, width),
        cells=MAX_CELLS,
        read=lambda positions: comparisons_at(run, summary.name, positions),
    )
    if heatmap is None:
        return None
    return HeatmapPage(
        run=run.id,
        heatmap=heatmap,
        evaluators=tuple(with_fields),
        first=first,
        total=len(selection),
        previous=max(first - width, 0),
        next=first + width if first + width < len(selection) else None,
    )


def _make_case_list(server: Server, run: Run, filters: CaseFilters, offset: int) -> CaseList:
    evaluator = select_evaluator(run, filters.evaluator or None)
    selection = select_cases(server.index, run, filters.to_query(evaluator))
    page = selection.page(offset, CASES_PER_PAGE)
    positions = [ranked.position for ranked in page]
    verdicts = verdicts_at(run, evaluator, positions)
    comparisons = comparisons_at(run, evaluator, positions)
    summary = run.full.evaluators.get(evaluator)
    rules = {field.field: field.rule for field in summary.fields} if summary else {}
    rows: list[CaseRow] = []
    for ranked in page:
        verdict, misses = verdicts[ranked.position]
        compared = comparisons.get(ranked.position, [])
        mismatches = [comparison for comparison in compared if _is_shown(comparison, filters)]
        shown_misses = () if compared else misses[:SHOWN_MISSES]
        rows.append(
            CaseRow(
                id=ranked.id,
                score=ranked.score,
                verdict=verdict,
                mismatches=tuple(make_short_row(comparison, rules) for comparison in mismatches[:SHOWN_MISMATCHES]),
                misses=shown_misses,
                more=max(len(mismatches) - SHOWN_MISMATCHES, 0) if compared else len(misses) - len(shown_misses),
            )
        )
    return CaseList(
        run=run.id,
        evaluator=evaluator,
        fields=tuple(dict.fromkeys(field.field for field in summary.fields)) if summary else (),
        slices=tuple(sorted(summary.slices)) if summary else (),
        rows=tuple(rows),
        total=len(selection),
        offset=offset,
        previous=max(offset - CASES_PER_PAGE, 0),
        next=offset + CASES_PER_PAGE if offset + CASES_PER_PAGE < len(selection) else None,
        cause_label=describe_cause(filters.cause, "").label if filters.cause else "",
    )


def _is_shown(comparison: Comparison, filters: CaseFilters) -> bool:
    """True if the list shows the values of a comparison: a mismatch that meets the filters, or any outcome that they ask for."""
    if filters.field and comparison.field != filters.field:
        return False
    if filters.cause and comparison.cause != filters.cause:
        return False
    if filters.outcome and filters.outcome != "wrong":
        return comparison.outcome == filters.outcome
    return bool(filters.field and not filters.outcome) or comparison.outcome not in NO_FAILURE
