"""`/api/v1/runs` and `/api/v1/compare`: what has been measured."""

from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from fieldwise.model.change import Changes
from fieldwise.model.values import MISSING
from fieldwise.report.json_report import result_json
from fieldwise.report.lowest import leading
from fieldwise.report.safe import json_text
from fieldwise.store.run import Run
from fieldwise.store.run_index import case_of
from fieldwise.store.run_metrics import compare_runs
from fieldwise.web.evaluating import run_document
from fieldwise.web.library import Head
from fieldwise.web.problems import JsonResponse, JsonText, problem
from fieldwise.web.schemas import CASE, CHANGES, RESULTS, RUN_HEAD, RUNS, answers
from fieldwise.web.select import Order, Wanted, chosen, kept
from fieldwise.web.server import RUN_ID, RunId, Server

Offset = Annotated[int, Query(ge=0, le=10_000_000)]
Limit = Annotated[int, Query(ge=1, le=1000)]
Which = Annotated[str, Query(pattern=RUN_ID)]
Short = Annotated[str | None, Query(min_length=1, max_length=500)]
Outcome = Literal["match", "wrong_value", "format_error", "omission", "hallucination", "both_absent", "ignored", "fault", "wrong"]

KEPT: Final = 100
"""Answers with so many results at most are remembered."""
StateWanted = Literal["finished", "unfinished", "running", "interrupted"]
WANTED: Final = tuple(one.name for one in fields(Wanted))


class Filters(BaseModel):
    """Which results are wanted, and how many at a time."""

    model_config = ConfigDict(extra="forbid")

    evaluator: str | None = Field(None, min_length=1, max_length=200)
    verdict: Literal["pass", "partial", "fail"] | None = None
    status: Literal["scored", "error", "skipped", "unavailable"] | None = None
    text: str | None = Field(None, max_length=500, description="Part of an id.")
    field: str | None = Field(None, max_length=1000)
    outcome: Outcome | None = Field(None, description="What became of the field, or of any; `wrong` is everything but a match.")
    cause: str | None = Field(None, max_length=200)
    tag: str | None = Field(None, max_length=500)
    split: str | None = Field(None, max_length=500)
    low: float | None = Field(None, ge=0, le=1, description="The lowest score.")
    high: float | None = Field(None, ge=0, le=1, description="The highest score.")
    order: Order = "case"
    offset: int = Field(0, ge=0, le=10_000_000)
    limit: int = Field(50, ge=1, le=1000)

    def wanted(self, evaluator: str) -> Wanted:
        """What to look for in the results of an evaluator."""
        given: dict[str, Any] = {
            name: getattr(self, name) or None for name in WANTED if name not in ("evaluator", "low", "high", "measured")
        }
        return Wanted(evaluator=evaluator, low=self.low, high=self.high, **given)


def run_routes(server: Server) -> APIRouter:
    """The routes."""
    routes = APIRouter(tags=["runs"], default_response_class=JsonResponse)

    @routes.get("/runs", summary="List runs", responses=answers(RUNS, 503), response_model=None)
    async def runs(
        offset: Offset = 0,
        limit: Limit = 50,
        name: Short = None,
        state: Annotated[StateWanted | None, Query(description="`unfinished` is `running` or `interrupted`.")] = None,
        tag: Short = None,
    ) -> JsonResponse:
        """Stored runs, newest first; those that any process is writing at the moment are `running`."""

        def fits(head: Head) -> bool:
            return name in (None, head.name) and _in_state(head, state) and (tag is None or tag in head.tags)

        return JsonResponse(await server.work.do(_runs, server, offset, limit, fits))

    @routes.get("/runs/{run}", summary="One run", responses=answers(RUN_HEAD, 404, 409, 503), response_model=None)
    async def one(run: RunId) -> JsonText:
        """Its summary with intervals, its gates and its diagnostics."""
        return JsonText(await server.work.do(_head, server, run))

    @routes.get("/runs/{run}/results", summary="Results of a run", responses=answers(RESULTS, 404, 409, 503), response_model=None)
    async def results(
        run: RunId,
        wanted: Annotated[Filters, Query()],
    ) -> JsonText:
        """What an evaluator says of the cases that are wanted, page by page."""
        return JsonText(await server.work.do(_results, server, run, wanted))

    @routes.get("/runs/{run}/case", summary="One case of a run", responses=answers(CASE, 404, 409, 503), response_model=None)
    async def case(run: RunId, id: Annotated[str, Query(min_length=1, max_length=1000)]) -> JsonText:
        """A case with what every evaluator says of it."""
        return JsonText(await server.work.do(_case, server, run, id))

    @routes.get("/compare", summary="Compare two runs", responses=answers(CHANGES, 404, 409, 503), response_model=None)
    async def compare(base: Which, new: Which = "latest") -> JsonText:
        """What changed from one run to another, with intervals and a verdict for each number."""
        return JsonText(await server.work.do(_compare, server, base, new))

    return routes


def line_of(head: Head) -> dict[str, Any]:
    """A run in a list."""
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


def _in_state(head: Head, wanted: str | None) -> bool:
    return wanted in (None, head.state) or (wanted == "unfinished" and head.state != "finished")


def _runs(server: Server, offset: int, limit: int, fits: Callable[[Head], bool]) -> dict[str, Any]:
    found = [head for head in server.library.heads() if fits(head)]
    return {"total": len(found), "offset": offset, "runs": [line_of(head) for head in found[offset : offset + limit]]}


def _head(server: Server, which: str) -> str:
    run = server.run(which)
    state = "finished" if run.finished else "running" if run.running else "interrupted"
    return json_text({**run_document(run, results=False), "suite": run.manifest.suite, "state": state, "tags": list(run.tags)})


def evaluator_of(run: Run, wanted: str | None) -> str:
    """The evaluator that is wanted, or the one whose cases pages show first."""
    if wanted is not None and wanted in run.evaluators:
        return wanted
    if wanted is not None:
        raise problem(404, "no-evaluator", f"run {run.id} has no evaluator of that name", f"it has {', '.join(run.evaluators)}")
    leader = leading(list(run.full.evaluators.values()))
    if leader is not None:
        return leader.name
    if run.evaluators:
        return run.evaluators[0]
    raise problem(404, "no-evaluator", f"run {run.id} has no results", "it stopped before it had any")


def _results(server: Server, which: str, wanted: Filters) -> str:
    run = server.run(which)
    name = evaluator_of(run, wanted.evaluator)
    make = lambda: json_text(_results_of(server, run, name, wanted))  # noqa: E731
    return kept(server.pages, run, ("results", wanted.model_dump_json()), make) if wanted.limit <= KEPT else make()


def _results_of(server: Server, run: Run, name: str, wanted: Filters) -> dict[str, Any]:
    found = chosen(server.index, run, wanted.wanted(name))
    shown = found.page(wanted.offset, wanted.limit)
    by_place = {one.position: one for one in run.results_at([one.position for one in shown], name)}
    results = [result_json(one.id, name, by_place[one.position].result) for one in shown]
    return {"total": len(found), "offset": wanted.offset, "evaluator": name, "results": results}


def case_at(server: Server, run: Run, name: str) -> int:
    """The position of a case of a run; a Problem if it has none of that id."""
    found = server.index.ids(run).position(name)
    if found is None:
        raise problem(404, "no-case", f"run {run.id} has no case of that id", f"GET /api/v1/runs/{run.id}/results lists them")
    return found


def _case(server: Server, which: str, name: str) -> str:
    run = server.run(which)
    position = case_at(server, run, name)
    return kept(server.pages, run, ("api case", position), lambda: json_text(_case_of(run, position)))


def _case_of(run: Run, position: int) -> dict[str, Any]:
    case = case_of(run, position)
    sides = {side: value for side, value in (("expected", case.expected), ("actual", case.actual)) if value is not MISSING}
    return {
        "id": case.id,
        "input": case.input,
        **sides,
        "contexts": case.contexts,
        "metadata": case.metadata,
        "tags": list(case.tags),
        "split": case.split,
        "results": [result_json(case.id, one.evaluator, one.result) for one in run.results_at([position])],
    }


def compared(server: Server, base: str, new: str) -> Changes:
    """Two runs, compared; two that have finished once."""
    return _compared(server, server.run(base), server.run(new))


def _compared(server: Server, base: Run, new: Run) -> Changes:
    make = lambda: compare_runs(base, new)  # noqa: E731
    return make() if base.finished is None else kept(server.changes, new, (base.id, base.finished), make)


def _compare(server: Server, base: str, new: str) -> str:
    one, other = server.run(base), server.run(new)
    make = lambda: json_text(_compared(server, one, other).to_json())  # noqa: E731
    return make() if one.finished is None else kept(server.pages, other, ("compare", one.id, one.finished), make)
