"""`/api/v1/runs` and `/api/v1/compare`: stored runs, their results and tags, and comparisons of runs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import RedirectResponse, Response

from fieldwise.model.change import Changes
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.values import MISSING
from fieldwise.report.case_view import find_leading_evaluator
from fieldwise.report.result_text import result_to_json
from fieldwise.report.run_changes import multi_run_to_json
from fieldwise.report.text_format import dump_json
from fieldwise.store.run import Run
from fieldwise.store.run_index import case_at
from fieldwise.store.run_metrics import compare_every_pair, compare_runs, same_run_error
from fieldwise.store.run_names import TAG_RULE, add_tags, is_valid_tag, remove_tags
from fieldwise.summarize.ranking import RankedComparison, rank_runs
from fieldwise.web.case_index import CaseQuery, Order, cache_key, cached_page, select_cases
from fieldwise.web.evaluation import run_document
from fieldwise.web.library import RunHead
from fieldwise.web.problems import EncodedJsonResponse, JsonResponse, RequestProblem, StrictRoute, config_problem, make_problem
from fieldwise.web.render import render_response
from fieldwise.web.schemas import CASE, COMPARED_RUNS, RESULTS, RUN_HEAD, RUNS, TAGS, response_schemas
from fieldwise.web.server import RUN_ID, RunId, Server

Offset = Annotated[int, Query(ge=0, le=10_000_000)]
Limit = Annotated[int, Query(ge=1, le=1000)]
RunQuery = Annotated[str, Query(pattern=RUN_ID)]
RunName = Annotated[str, Field(pattern=RUN_ID)]
ShortText = Annotated[str | None, Query(min_length=1, max_length=500)]
OutcomeFilter = Literal["match", "wrong_value", "format_error", "omission", "hallucination", "both_absent", "ignored", "fault", "wrong"]
StateFilter = Literal["finished", "unfinished", "running", "interrupted", "unreadable"]
TagName = Annotated[
    str,
    PathParameter(alias="tag", pattern=r"^[A-Za-z][A-Za-z0-9._-]{0,63}$", description=f"{TAG_RULE[0].upper()}{TAG_RULE[1:]}."),
]
MAX_CACHED_RESULTS: Final = 100
"""Pages with more results are not cached."""


MAX_COMPARED: Final = 9
"""Maximum number of runs that are compared with a base at once."""


class ResultFilters(BaseModel):
    """Conditions on results, and the page to return."""

    model_config = ConfigDict(extra="forbid")

    evaluator: str | None = Field(None, min_length=1, max_length=200)
    verdict: Literal["pass", "partial", "fail"] | None = None
    status: Literal["scored", "error", "skipped", "unavailable"] | None = None
    text: str | None = Field(None, max_length=500, description="Part of an id.")
    field: str | None = Field(None, max_length=1000)
    outcome: OutcomeFilter | None = Field(None, description="Outcome of the field, or of any field; `wrong` is every outcome but a match.")
    cause: str | None = Field(None, max_length=200)
    tag: str | None = Field(None, max_length=500)
    split: str | None = Field(None, max_length=500)
    low: float | None = Field(None, ge=0, le=1, description="The lowest score.")
    high: float | None = Field(None, ge=0, le=1, description="The highest score.")
    order: Order = "case"
    offset: int = Field(0, ge=0, le=10_000_000)
    limit: int = Field(50, ge=1, le=1000)

    def to_query(self, evaluator: str) -> CaseQuery:
        """The conditions as a query of an evaluator's results; empty texts do not restrict."""
        return CaseQuery(
            evaluator=evaluator,
            verdict=self.verdict,
            status=self.status,
            text=self.text or None,
            field=self.field or None,
            outcome=self.outcome,
            cause=self.cause or None,
            tag=self.tag or None,
            split=self.split or None,
            low=self.low,
            high=self.high,
            order=self.order,
        )


def build_run_routes(server: Server) -> APIRouter:
    """Routes that read runs."""
    routes = APIRouter(tags=["runs"], route_class=StrictRoute, default_response_class=JsonResponse)

    @routes.get("/runs", summary="List runs", responses=response_schemas(RUNS, 503), response_model=None)
    async def list_runs(
        offset: Offset = 0,
        limit: Limit = 50,
        name: ShortText = None,
        state: Annotated[
            StateFilter | None, Query(description="`unfinished` is `running` or `interrupted`; `unreadable` has a damaged manifest.")
        ] = None,
        tag: ShortText = None,
    ) -> JsonResponse:
        """Stored runs, newest first; a run that any process is writing is `running`."""

        def matches(head: RunHead) -> bool:
            return name in (None, head.name) and _has_state(head, state) and (tag is None or tag in head.tags)

        return JsonResponse(await server.threads.run(_list_runs, server, offset, limit, matches))

    @routes.get("/runs/{run}", summary="Show a run", responses=response_schemas(RUN_HEAD, 404, 409, 503), response_model=None)
    async def show_run(run: RunId) -> EncodedJsonResponse:
        """Its summary with intervals, its gates and its diagnostics."""
        return EncodedJsonResponse(await server.threads.run(_run_json, server, run))

    @routes.get("/runs/{run}/results", summary="Results of a run", responses=response_schemas(RESULTS, 404, 409, 503), response_model=None)
    async def list_results(run: RunId, filters: Annotated[ResultFilters, Query()]) -> EncodedJsonResponse:
        """The results of an evaluator that meet the filters, page by page."""
        return EncodedJsonResponse(await server.threads.run(_results_json, server, run, filters))

    @routes.get("/runs/{run}/case", summary="Show a case of a run", responses=response_schemas(CASE, 404, 409, 503), response_model=None)
    async def show_case(run: RunId, id: Annotated[str, Query(min_length=1, max_length=1000)]) -> EncodedJsonResponse:
        """A case with the result of every evaluator."""
        return EncodedJsonResponse(await server.threads.run(_case_json, server, run, id))

    @routes.get("/compare", summary="Compare runs", responses=response_schemas(COMPARED_RUNS, 404, 409, 503), response_model=None)
    async def compare(base: RunQuery, new: Annotated[list[RunName] | None, Query(max_length=MAX_COMPARED)] = None) -> EncodedJsonResponse:
        """The change of each metric and field, with an interval and a verdict; `new` is `latest` by default.

        With several runs as `new`, every pair is tested, all pairs are adjusted together, and the runs are ranked: `{pairs, ranking}`.
        """
        names = list(dict.fromkeys(new or ["latest"]))
        if len(names) == 1:
            return EncodedJsonResponse(await server.threads.run(_changes_json, server, base, names[0]))
        return EncodedJsonResponse(await server.threads.run(_several_json, server, base, names))

    return routes


def run_head_json(head: RunHead) -> dict[str, Any]:
    """A run as an entry of a list."""
    return {
        "id": head.id,
        "name": head.name,
        "state": head.state,
        "started": head.started.isoformat(),
        "finished": None if head.finished is None else head.finished.isoformat(),
        "cases": head.cases,
        "exit_code": head.exit_code,
        "metrics": head.metrics,
        "gates": [asdict(gate) for gate in head.gates],
        "tags": list(head.tags),
    }


def _has_state(head: RunHead, state: str | None) -> bool:
    return state in (None, head.state) or (state == "unfinished" and head.state in ("running", "interrupted"))


def _list_runs(server: Server, offset: int, limit: int, matches: Callable[[RunHead], bool]) -> dict[str, Any]:
    heads = [head for head in server.library.list_heads() if matches(head)]
    return {"total": len(heads), "offset": offset, "runs": [run_head_json(head) for head in heads[offset : offset + limit]]}


def _run_json(server: Server, run_name: str) -> str:
    run = server.open_run(run_name)
    unfinished_state = "running" if run.running else "interrupted"
    state = "finished" if run.finished else unfinished_state
    return dump_json({**run_document(run, results=False), "suite": run.manifest.suite, "state": state, "tags": list(run.tags)})


def select_evaluator(run: Run, name: str | None) -> str:
    """The evaluator with this name, or the one that pages show first; RequestProblem if there is none."""
    if name is not None and name in run.evaluators:
        return name
    if name is not None:
        raise make_problem(404, "no-evaluator", f"run {run.id} has no evaluator of that name", f"it has {', '.join(run.evaluators)}")
    leader = find_leading_evaluator(list(run.full.evaluators.values()))
    if leader is not None:
        return leader.name
    if run.evaluators:
        return run.evaluators[0]
    raise make_problem(404, "no-evaluator", f"run {run.id} has no results", "it stopped before the first result")


def _results_json(server: Server, run_name: str, filters: ResultFilters) -> str:
    run = server.open_run(run_name)
    evaluator = select_evaluator(run, filters.evaluator)

    def read_json() -> str:
        return dump_json(_read_results(server, run, evaluator, filters))

    if filters.limit > MAX_CACHED_RESULTS:
        return read_json()
    return cached_page(server.pages, run, ("results", filters.model_dump_json()), read_json)


def _read_results(server: Server, run: Run, evaluator: str, filters: ResultFilters) -> dict[str, Any]:
    selection = select_cases(server.index, run, filters.to_query(evaluator))
    page = selection.page(filters.offset, filters.limit)
    stored = {result.position: result for result in run.results_at([ranked.position for ranked in page], evaluator)}
    results = [result_to_json(ranked.id, evaluator, stored[ranked.position].result) for ranked in page]
    return {"total": len(selection), "offset": filters.offset, "evaluator": evaluator, "results": results}


def find_case_position(server: Server, run: Run, case_id: str) -> int:
    """The position of a case in a run; RequestProblem if there is no such case."""
    position = server.index.ids(run).position(case_id)
    if position is None:
        raise make_problem(404, "no-case", f"run {run.id} has no case with that id", f"GET /api/v1/runs/{run.id}/results lists them")
    return position


def _case_json(server: Server, run_name: str, case_id: str) -> str:
    run = server.open_run(run_name)
    position = find_case_position(server, run, case_id)
    return cached_page(server.pages, run, ("api case", position), lambda: dump_json(_read_case(run, position)))


def _read_case(run: Run, position: int) -> dict[str, Any]:
    case = case_at(run, position)
    sides = {side: value for side, value in (("expected", case.expected), ("actual", case.actual)) if value is not MISSING}
    return {
        "id": case.id,
        "input": case.input,
        **sides,
        "contexts": case.contexts,
        "metadata": case.metadata,
        "tags": list(case.tags),
        "split": case.split,
        "results": [result_to_json(case.id, stored.evaluator, stored.result) for stored in run.results_at([position])],
    }


def compare_named_runs(server: Server, base: str, new: str) -> Changes:
    """Compare two runs; comparisons of finished runs are cached."""
    return _compare_runs(server, server.open_run(base), server.open_run(new))


def refuse_same_run(base: Run, runs: Iterable[Run]) -> None:
    """Raise a RequestProblem if a run would be compared with itself."""
    if base.id in [run.id for run in runs]:
        fix = "choose two different runs as `base` and `new`; GET /api/v1/runs lists them"
        raise config_problem(same_run_error(base.id, fix))


def _compare_runs(server: Server, base: Run, new: Run) -> Changes:
    refuse_same_run(base, [new])
    if base.finished is None or new.finished is None:
        return compare_runs(base, new)

    def on_progress(share: float) -> None:
        server.comparing[base.id, new.id] = share

    def compute() -> Changes:
        try:
            return compare_runs(base, new, on_progress=on_progress)
        finally:
            server.comparing.pop((base.id, new.id), None)

    return cached_page(server.changes, new, (base.id, base.finished), compute)


def is_compared(server: Server, base: Run, new: Run) -> bool:
    """True if the comparison is in the cache."""
    return cache_key(new, (base.id, base.finished)) in server.changes


def compare_several_runs(server: Server, base: str, names: Sequence[str]) -> RankedComparison:
    """Compare a base and several runs, each once."""
    base_run, new_runs = server.open_run(base), [server.open_run(name) for name in names]
    refuse_same_run(base_run, new_runs)
    runs = {run.id: run for run in (base_run, *new_runs)}
    labels = {run.label for run in runs.values()}
    pairs = compare_every_pair(list(runs.values()), compare=lambda first, second: _compare_runs(server, first, second))
    shown = [run.label for run in runs.values()] if len(labels) == len(runs) and "" not in labels else list(runs)
    return RankedComparison(labels=shown, pairs=list(pairs.values()), rankings=rank_runs(shown, list(runs), pairs))


def _several_json(server: Server, base: str, names: Sequence[str]) -> str:
    compared = compare_several_runs(server, base, names)
    return dump_json(multi_run_to_json(compared))


def _changes_json(server: Server, base_name: str, new_name: str) -> str:
    base, new = server.open_run(base_name), server.open_run(new_name)

    def compare_to_json() -> str:
        return dump_json(_compare_runs(server, base, new).to_json())

    if base.finished is None:
        return compare_to_json()
    return cached_page(server.pages, new, ("compare", base.id, base.finished), compare_to_json)


def build_tag_routes(server: Server) -> APIRouter:
    """API routes that change the tags of a run."""
    routes = APIRouter(prefix="/runs/{run}/tags", tags=["runs"], route_class=StrictRoute, default_response_class=JsonResponse)

    @routes.put("/{tag}", summary="Tag a run", responses=response_schemas(TAGS, 404, 409, 503), response_model=None)
    async def add(run: RunId, tag: TagName) -> JsonResponse:
        """Adds a tag, by which the run can be named and listed. An existing tag is kept."""
        return JsonResponse(await server.threads.run(_add_tag, server, run, tag))

    @routes.delete("/{tag}", summary="Remove a tag from a run", responses=response_schemas(TAGS, 404, 409, 503), response_model=None)
    async def remove(run: RunId, tag: TagName) -> JsonResponse:
        """The results of the run are not changed."""
        return JsonResponse(await server.threads.run(_remove_tag, server, run, tag))

    return routes


def build_tag_pages(server: Server) -> APIRouter:
    """The form of the run page that adds or removes a tag."""
    routes = APIRouter(include_in_schema=False)

    @routes.post("/runs/{run}/tags")
    async def change_tags(run: RunId, request: Request) -> Response:
        form = await request.form(max_fields=4)
        opened = await server.threads.run(server.open_run, run)
        diagnostics: tuple[Diagnostic, ...] = ()
        try:
            await server.threads.run(_change_tags, server, opened, str(form.get("add", "")).strip(), str(form.get("remove", "")).strip())
        except RequestProblem as error:
            diagnostics = error.diagnostics
        is_htmx = "hx-request" in request.headers
        if not is_htmx and not diagnostics:
            return RedirectResponse(f"/runs/{opened.id}", status_code=303)
        template = "_tags.html" if is_htmx else "tags.html"
        status = 422 if diagnostics and not is_htmx else 200  # htmx does not show responses with an error status
        return render_response(template, status, here="", id=opened.id, tags=opened.tags, wrong=diagnostics)

    return routes


def _change_tags(server: Server, run: Run, add: str, remove: str) -> None:
    if remove:
        _remove_tag(server, run.id, remove)
    elif add:
        _add_tag(server, run.id, add)


def _add_tag(server: Server, run_name: str, tag: str) -> dict[str, Any]:
    run = server.open_run(run_name)
    if not is_valid_tag(tag):
        raise make_problem(422, "bad-tag", f"`{tag[:80]}` cannot be a tag", TAG_RULE)
    add_tags(run.path, [tag])
    return {"id": run.id, "tags": list(run.tags)}


def _remove_tag(server: Server, run_name: str, tag: str) -> dict[str, Any]:
    run = server.open_run(run_name)
    if not is_valid_tag(tag) or remove_tags(run.path, [tag]):
        raise make_problem(404, "no-tag", f"run {run.id} has no tag `{tag[:80]}`", f"it has {', '.join(run.tags) or 'none'}")
    return {"id": run.id, "tags": list(run.tags)}
