"""`/api/v1/evaluate`: one case, a batch, an upload, files of the server."""

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, UploadFile
from pydantic import BaseModel, ValidationError

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.store.run import Run
from fieldwise.web.body import StrictRoute, parsed
from fieldwise.web.evaluating import CASES, evaluate_case, evaluators_of, run_cases, run_document, run_file
from fieldwise.web.paths import below
from fieldwise.web.problems import JsonResponse, not_valid, of_validation_of, problem
from fieldwise.web.requests import BatchRequest, CaseBody, EvaluateRequest, Measured, PathRequest
from fieldwise.web.schemas import EVALUATED, RUN, answers
from fieldwise.web.server import Server

_CASE = frozenset(CaseBody.model_fields)


def given_in(body: BaseModel) -> dict[str, Any]:
    """What a request says, without what it leaves out."""
    return {name: getattr(body, name) for name in type(body).model_fields if name in body.model_fields_set}


def evaluate_routes(server: Server) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/evaluate", tags=["evaluate"], route_class=StrictRoute, default_response_class=JsonResponse)

    @routes.post("", summary="Evaluate one case", responses=answers(EVALUATED, 503), response_model=None)
    async def one(body: EvaluateRequest) -> JsonResponse:
        """What each evaluator says of one case: by default response quality, under the saved configuration or the options given."""
        given = given_in(body)
        evaluators = evaluators_for(server, given)
        case = {name: value for name, value in given.items() if name in _CASE}
        return JsonResponse(await server.work.do(_one, server, case, evaluators, given))

    @routes.post("/batch", summary="Evaluate some cases", responses=answers(RUN, 503), response_model=None)
    async def batch(body: BatchRequest) -> JsonResponse:
        """The run document: summary, gates, results and diagnostics."""
        given = given_in(body)
        evaluators = evaluators_for(server, given)
        cases = [given_in(case) for case in body.cases]
        return JsonResponse(await server.work.do(_batch, server, cases, evaluators, body.name, body.keep))

    @routes.post("/upload", summary="Evaluate a file of cases", responses=answers(RUN, 503), response_model=None)
    async def upload(
        file: Annotated[UploadFile, File(description="Cases as JSON lines.")],
        options: Annotated[str, Form(description="The options of the other routes, as a JSON object.")] = "{}",
    ) -> JsonResponse:
        """The same for cases in a JSONL file."""
        given = _options(options)
        evaluators = evaluators_for(server, given)
        with tempfile.TemporaryDirectory(prefix="fieldwise-") as folder:
            path = Path(folder) / CASES
            with path.open("wb") as kept:
                shutil.copyfileobj(file.file, kept)
            done = server.work.do(_files, server, {"cases": str(path)}, evaluators, "upload", True)
            return JsonResponse(await done)

    @routes.post("/path", summary="Evaluate files of the server", responses=answers(RUN, 404, 503), response_model=None)
    async def path(body: PathRequest) -> JsonResponse:
        """The same for files below the server's data folder. Links and `..` are refused."""
        given = given_in(body)
        evaluators = evaluators_for(server, given)
        source = source_of(server, given)
        return JsonResponse(await server.work.do(_files, server, source, evaluators, body.name, body.keep))

    return routes


def evaluators_for(server: Server, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The evaluators that a request asks for; a Problem with everything that is wrong with them."""
    try:
        return evaluators_of(given, server.configuration())
    except ConfigError as error:
        raise not_valid(error) from error


def source_of(server: Server, given: Mapping[str, Any]) -> dict[str, str]:
    """The files that a request names, if it may."""
    named = {name: given[name] for name in ("cases", "expected", "actual") if given.get(name) is not None}
    if set(named) not in ({"cases"}, {"expected", "actual"}):
        raise problem(422, "which-files", "give `cases`, or `expected` and `actual`", "name one file of cases, or two files or folders")
    return {name: str(below(server.settings.data, str(text), name)) for name, text in named.items()}


def _options(text: str) -> dict[str, Any]:
    value = parsed(text.encode("utf-8", "surrogatepass"), 422)
    try:
        return given_in(Measured.model_validate(value))
    except ValidationError as error:
        raise of_validation_of(error.errors(), "options") from error


def _one(server: Server, case: Mapping[str, Any], evaluators: Sequence[Mapping[str, Any]], given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        results = evaluate_case(case, evaluators)
        run = run_cases([case], evaluators, str(given.get("name", "evaluation")), server.settings.root) if given.get("keep") else None
    except ConfigError as error:
        raise not_valid(error) from error
    used = None if given.get("evaluators") else server.configuration().over(given).to_json()
    return {"results": results, "configuration": used, "run": None if run is None else run.id}


def _batch(
    server: Server, cases: Sequence[Mapping[str, Any]], evaluators: Sequence[Mapping[str, Any]], name: str, keep: bool
) -> dict[str, Any]:
    return _kept(server, keep, lambda root: run_cases(cases, evaluators, name, root))


def _files(server: Server, source: Mapping[str, str], evaluators: Sequence[Mapping[str, Any]], name: str, keep: bool) -> dict[str, Any]:
    return _kept(server, keep, lambda root: run_file(source, evaluators, name, root))


def _kept(server: Server, keep: bool, run: Callable[[str | Path], Run]) -> dict[str, Any]:
    """The document of a run, which is stored or forgotten."""
    try:
        if keep:
            return _small(server, run(server.settings.root))
        with tempfile.TemporaryDirectory(prefix="fieldwise-") as folder:
            return run_document(run(Path(folder)))
    except ConfigError as error:
        raise not_valid(error) from error


def _small(server: Server, run: Run) -> dict[str, Any]:
    if run.full.cases <= server.settings.limits.cases:
        return run_document(run)
    what = f"the run has {run.full.cases:,} cases, so its results are not repeated here"
    more = Diagnostic(code="results-elsewhere", level="info", what=what, fix=f"GET /api/v1/runs/{run.id}/results gives them page by page")
    document = run_document(run, results=False)
    return {**document, "diagnostics": [*document["diagnostics"], more.to_json()], "results": []}
