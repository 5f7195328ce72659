"""The matrix of the compare page: cases by runs, with the expected value and what each run gave."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, Response

from fieldwise.model.comparison import Comparison
from fieldwise.model.provenance import name_data
from fieldwise.report.case_view import find_leading_evaluator
from fieldwise.store.run import Run
from fieldwise.store.run_index import comparisons_at
from fieldwise.web.api_runs import MAX_COMPARED, compare_named_runs
from fieldwise.web.case_index import NO_FAILURE
from fieldwise.web.pages_case import ComparisonRow, make_short_row
from fieldwise.web.problems import make_problem
from fieldwise.web.render import render
from fieldwise.web.server import RUN_ID, Server

CASES_PER_PAGE: Final = 15
MAX_FIELDS: Final = 6
"""Fields shown for one case."""
Selection = Literal["broken", "fixed", "still_broken", "all"]
SELECTIONS: Final[Mapping[Selection, str]] = {
    "broken": "Broken",
    "fixed": "Fixed",
    "still_broken": "Still broken",
    "all": "All cases",
}
RunIds = Annotated[list[Annotated[str, Query(pattern=RUN_ID)]], Query(alias="run", min_length=2, max_length=MAX_COMPARED + 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixField:
    """A field of a case that some run got wrong."""

    path: str
    expected: ComparisonRow | None
    """A row whose expected side is shown; None if no run stores one."""
    cells: tuple[ComparisonRow | None, ...]
    """What each run gave; None if a run did not compare the field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixCase:
    """A case with its fields that some run got wrong."""

    id: str
    fields: tuple[MatrixField, ...]
    more: int
    """Number of such fields that are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMatrix:
    """A page of the matrix."""

    runs: tuple[Run, ...]
    labels: tuple[str, ...]
    evaluator: str
    evaluators: tuple[str, ...]
    show: Selection
    counts: Mapping[Selection, int]
    cases: tuple[MatrixCase, ...]
    total: int
    offset: int
    previous: int
    next: int | None


def build_compare_pages(server: Server) -> APIRouter:
    """The route of the matrix, which the compare page loads."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/compare/cases")
    async def show_matrix(
        runs: RunIds,
        evaluator: Annotated[str | None, Query(max_length=200)] = None,
        show: Selection | None = None,
        offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    ) -> Response:
        matrix = await server.threads.run(make_matrix, server, runs, evaluator, show, offset)
        return HTMLResponse(render("_matrix.html", matrix=matrix, selections=SELECTIONS))

    return routes


def make_matrix(
    server: Server, names: Sequence[str], evaluator: str | None = None, show: Selection | None = None, offset: int = 0
) -> RunMatrix:
    """A page of the matrix of runs; RequestProblem if they have no such evaluator in common."""
    runs = [server.open_run(name) for name in names]
    shared = [name for name in runs[0].evaluators if all(name in run.evaluators for run in runs)]
    if not shared or (evaluator and evaluator not in shared):
        raise make_problem(404, "no-evaluator", "the runs have no such evaluator in common", "choose runs of one suite")
    leader = find_leading_evaluator([summary for name, summary in runs[0].full.evaluators.items() if name in shared])
    chosen = evaluator or (leader.name if leader else shared[0])
    change = compare_named_runs(server, runs[0].id, runs[-1].id).evaluators.get(chosen)
    changed: dict[Selection, Sequence[str]] = {"broken": (), "fixed": (), "still_broken": ()}
    if change is not None:
        changed = {"broken": change.broken, "fixed": change.fixed, "still_broken": change.still_broken}
    counts: dict[Selection, int] = {selection: len(cases) for selection, cases in changed.items()}
    counts["all"] = runs[0].full.cases
    not_empty: list[Selection] = [selection for selection in SELECTIONS if counts[selection]]
    shown = show or (not_empty[0] if not_empty else "all")
    page = range(counts[shown])[offset : offset + CASES_PER_PAGE]
    ids = server.index.ids(runs[0]).at(page) if shown == "all" else changed[shown][page.start : page.stop]
    return RunMatrix(
        runs=tuple(runs),
        labels=tuple(label_runs(runs)),
        evaluator=chosen,
        evaluators=tuple(shared),
        show=shown,
        counts=counts,
        cases=tuple(_make_cases(server, runs, chosen, ids)),
        total=counts[shown],
        offset=offset,
        previous=max(offset - CASES_PER_PAGE, 0),
        next=offset + CASES_PER_PAGE if offset + CASES_PER_PAGE < counts[shown] else None,
    )


def label_runs(runs: Sequence[Run]) -> list[str]:
    """The name of each run, else that of its data or its suite; where several are the same, with the time at which the run began."""
    names = [run.label or name_data(run.sources) or run.name or run.id for run in runs]
    started = [f"{run.started:%-d %b %H:%M:%S}" for run in runs]
    suffixes = started if len(set(zip(names, started, strict=True))) == len(runs) else [run.id for run in runs]
    counts = Counter(names)
    return [name if counts[name] == 1 else f"{name} · {suffix}" for name, suffix in zip(names, suffixes, strict=True)]


def _make_cases(server: Server, runs: Sequence[Run], evaluator: str, ids: Sequence[str]) -> list[MatrixCase]:
    by_run = [_read_by_path(server, run, evaluator, ids) for run in runs]
    cases: list[MatrixCase] = []
    for case_id in ids:
        sides = [comparisons.get(case_id, {}) for comparisons in by_run]
        paths = dict.fromkeys(path for side in sides for path, comparison in side.items() if comparison.outcome not in NO_FAILURE)
        fields = [_make_field(path, [side.get(path) for side in sides]) for path in list(paths)[:MAX_FIELDS]]
        cases.append(MatrixCase(id=case_id, fields=tuple(fields), more=max(len(paths) - MAX_FIELDS, 0)))
    return cases


def _read_by_path(server: Server, run: Run, evaluator: str, ids: Sequence[str]) -> dict[str, dict[str, Comparison]]:
    """Case → path → comparison."""
    index = server.index.ids(run)
    positions = {position: case_id for case_id in ids if (position := index.position(case_id)) is not None}
    comparisons = comparisons_at(run, evaluator, sorted(positions))
    return {positions[position]: {comparison.path: comparison for comparison in compared} for position, compared in comparisons.items()}


def _make_field(path: str, comparisons: Sequence[Comparison | None]) -> MatrixField:
    rows = [None if comparison is None else make_short_row(comparison, {}) for comparison in comparisons]
    wrong = [row for row, comparison in zip(rows, comparisons, strict=True) if comparison and comparison.outcome not in NO_FAILURE]
    return MatrixField(path=path, expected=wrong[0] if wrong else None, cells=tuple(rows))
