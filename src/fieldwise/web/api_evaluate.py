"""`/api/v1/evaluate` and `/api/v1/jobs`: evaluate one case, a batch, an upload or files of the server; long work as a job."""

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, File, Form, Request, UploadFile
from fastapi import Path as PathParameter
from pydantic import BaseModel, Field, ValidationError
from starlette.responses import Response, StreamingResponse

from fieldwise.read.given_data import RequestFile
from fieldwise.web.evaluation import CASES, RunTarget, evaluate_request, evaluators_from_request, run_request
from fieldwise.web.events import EVENT_STREAM, POLL_SECONDS, format_event
from fieldwise.web.jobs import LIVE_STATES, Job
from fieldwise.web.problems import (
    EncodedJsonResponse,
    JsonResponse,
    RequestProblem,
    StrictRoute,
    check_parameter_names,
    list_option_names,
    make_problem,
    parse_json,
    problem_from_part,
)
from fieldwise.web.requests import (
    BatchRequest,
    CaseBody,
    EvaluateRequest,
    EvaluationOptions,
    PathRequest,
    PathText,
    StrictModel,
    UploadOptions,
)
from fieldwise.web.schemas import BATCH, EVALUATED, EVENT, JOB, JOBS, response_schemas
from fieldwise.web.server import Server

JobId = Annotated[str, PathParameter(alias="job", max_length=200)]
_CASE_FIELDS: Final = frozenset(CaseBody.model_fields)
_MAX_ENTRIES: Final = 20_000
_SPECIAL_CHARACTERS: Final = frozenset("*?[]{}\\~\0")


class JobPaths(StrictModel):
    """Files in the server's data folder: `cases`, or `expected` and `actual`."""

    cases: PathText | None = None
    expected: PathText | None = None
    actual: PathText | None = None


class JobRequest(EvaluationOptions):
    """Cases in the request, or files in the server's data folder."""

    cases: list[CaseBody] | None = Field(None, min_length=1)
    paths: JobPaths | None = None
    name: Annotated[str, Field(min_length=1, max_length=200)] = "job"


def provided_fields(body: BaseModel) -> dict[str, Any]:
    """The fields that a request sets, without defaults."""
    return {name: getattr(body, name) for name in type(body).model_fields if name in body.model_fields_set}


def build_evaluate_routes(server: Server) -> APIRouter:
    """Routes that evaluate at once."""
    routes = APIRouter(prefix="/evaluate", tags=["evaluate"], route_class=StrictRoute, default_response_class=JsonResponse)

    @routes.post("", summary="Evaluate one case", responses=response_schemas(EVALUATED, 503), response_model=None)
    async def evaluate_one(body: EvaluateRequest) -> JsonResponse:
        """The result of each evaluator: by default response quality, with the saved configuration or the options of the request."""
        options = provided_fields(body)
        saved = server.load_configuration()
        case = {name: value for name, value in options.items() if name in _CASE_FIELDS}
        results, run = await server.evaluations.run(evaluate_request, case, options, saved, server.settings.root)
        configuration = None if options.get("evaluators") else saved.override(options).to_json()
        return JsonResponse({"results": results, "configuration": configuration, "run": run})

    @routes.post("/batch", summary="Evaluate several cases", responses=response_schemas(BATCH, 503), response_model=None)
    async def evaluate_batch(body: BatchRequest) -> EncodedJsonResponse:
        """The run document: summary, gates, results and diagnostics, and the configuration that was used."""
        cases = [provided_fields(case) for case in body.cases]
        return await _run_response(server, cases, provided_fields(body), body.name, store=body.store)

    @routes.post(
        "/upload",
        summary="Evaluate a file of cases",
        responses=response_schemas(BATCH, 503),
        response_model=None,
        dependencies=[Depends(_check_upload_form)],
    )
    async def evaluate_upload(
        file: Annotated[UploadFile, File(description="Cases as JSON lines.")],
        options: Annotated[str, Form(description="The options of the other routes, as a JSON object.")] = "{}",
    ) -> EncodedJsonResponse:
        """The run document for cases in a JSONL file."""
        upload_options = _parse_options(options)
        with tempfile.TemporaryDirectory(prefix="fieldwise-") as folder:
            path = Path(folder) / CASES
            with path.open("wb") as target:
                shutil.copyfileobj(file.file, target)
            return await _run_response(
                server, {"cases": RequestFile(path)}, provided_fields(upload_options), upload_options.name, store=upload_options.store
            )

    @routes.post("/path", summary="Evaluate files of the server", responses=response_schemas(BATCH, 404, 503), response_model=None)
    async def evaluate_path(body: PathRequest) -> EncodedJsonResponse:
        """The run document for files in the server's data folder. Links and `..` are refused."""
        options = provided_fields(body)
        source = resolve_source(server, options)
        return await _run_response(server, source, options, body.name, store=body.store)

    return routes


def build_job_routes(server: Server) -> APIRouter:
    """Routes to start, watch and cancel jobs."""
    routes = APIRouter(prefix="/jobs", tags=["jobs"], route_class=StrictRoute, default_response_class=JsonResponse)

    @routes.post("", status_code=202, summary="Start a job", responses=response_schemas(JOB, 404, 503, status=202), response_model=None)
    async def start(body: JobRequest) -> JsonResponse:
        """Continues after the request has ended, and resumes after a restart of the server. Its result is a stored run."""
        evaluators = await server.evaluations.run(evaluators_from_request, provided_fields(body), server.load_configuration())
        if (body.cases is None) == (body.paths is None):
            raise make_problem(422, "which-cases", "either `cases` or `paths` is required", "send cases, or name files of the server")
        if body.cases is not None:
            source = "".join(json.dumps(provided_fields(case)) + "\n" for case in body.cases).encode()
        else:
            source = resolve_source(server, {} if body.paths is None else provided_fields(body.paths))
        job = await server.threads.run(server.jobs.add, body.name, source, evaluators)
        if job is None:
            raise make_problem(503, "busy", "too many jobs are waiting", "try again when some have ended")
        return JsonResponse(job.to_json(), status_code=202, headers={"location": f"/api/v1/jobs/{job.id}"})

    @routes.get("", summary="List jobs", responses=response_schemas(JOBS), response_model=None)
    async def list_jobs() -> JsonResponse:
        """Newest first."""
        return JsonResponse({"jobs": [job.to_json() for job in server.jobs.list_all()[:200]]})

    @routes.get("/{job}", summary="Show a job", responses=response_schemas(JOB, 404), response_model=None)
    async def show(job: JobId) -> JsonResponse:
        """State and progress of a job."""
        return JsonResponse(_require_job(server, job).to_json())

    @routes.delete("/{job}", summary="Cancel a job", responses=response_schemas(JOB, 404), response_model=None)
    async def cancel(job: JobId) -> JsonResponse:
        """Stops it after its current batch and deletes its partial run. A job that has ended is not changed."""
        _require_job(server, job)
        cancelled = await server.threads.run(server.jobs.cancel, job)
        return JsonResponse((cancelled or _require_job(server, job)).to_json())

    @routes.get("/{job}/events", summary="Watch a job", responses=response_schemas(EVENT, 404, media=EVENT_STREAM), response_model=None)
    async def watch(job: JobId) -> Response:
        """Server-sent events named `job`, until it has ended."""
        return StreamingResponse(_stream_job(server, _require_job(server, job).id), media_type=EVENT_STREAM)

    return routes


async def _run_response(
    server: Server, source: Mapping[str, str | RequestFile] | list[dict[str, Any]], options: Mapping[str, Any], name: str, *, store: bool
) -> EncodedJsonResponse:
    """The document of a run over cases or files, stored if `store`."""
    target = RunTarget(name=name, root=server.settings.root if store else None, max_cases=server.settings.limits.cases)
    content = await server.evaluations.run(run_request, source, options, server.load_configuration(), target)
    return EncodedJsonResponse(content)


def resolve_source(server: Server, options: Mapping[str, Any]) -> dict[str, str]:
    """The files that a request names, as paths in the data folder; RequestProblem if they are not allowed."""
    named = {name: options[name] for name in ("cases", "expected", "actual") if options.get(name) is not None}
    if set(named) not in ({"cases"}, {"expected", "actual"}):
        what, fix = "`cases`, or `expected` and `actual`, are required", "name one file of cases, or two files or folders"
        raise make_problem(422, "which-files", what, fix)
    return {name: str(resolve_below(server.settings.data, str(text), name)) for name, text in named.items()}


async def _check_upload_form(request: Request) -> None:
    """Refuse fields of the form that do not exist, and fields that are sent twice: the framework would use the last."""
    form = await request.form()
    check_parameter_names([name for name, _ in form.multi_items()], ("file", "options"))


def _parse_options(text: str) -> UploadOptions:
    value = parse_json(text.encode("utf-8", "surrogatepass"), 422)
    try:
        return UploadOptions.model_validate(value)
    except ValidationError as error:
        raise problem_from_part(error.errors(), "options", list_option_names(UploadOptions)) from error


def resolve_below(root: Path | None, written: str, field: str) -> Path:
    """The file or folder at a path below the root; RequestProblem otherwise, with the same words whether it exists or not.

    Links are refused even if they point into the folder: their target can be changed after this check.
    """
    if root is None:
        fix = "start the server with --data FOLDER"
        raise make_problem(403, "no-data-folder", "this server evaluates no files by path", fix, field=field)
    if _SPECIAL_CHARACTERS & set(written) or any(ord(character) < 32 for character in written):
        what = "a path must not have patterns or special characters"
        raise make_problem(422, "bad-path", what, "name one file or folder", field=field)
    path = PurePosixPath(written)
    if path.is_absolute() or ".." in path.parts or (path.parts and ":" in path.parts[0]):
        raise _outside_problem(field)
    location = root.resolve()
    try:
        for part in path.parts:
            location = location / part
            if location.is_symlink():  # OSError if the name is too long
                raise _outside_problem(field)
        resolved = location.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise make_problem(404, "no-file", "there is no such file in the data folder", "check the path", field=field) from error
    if not resolved.is_relative_to(root.resolve()):
        raise _outside_problem(field)
    if resolved.is_dir():
        _reject_links(resolved, field)
    elif not resolved.is_file():
        raise make_problem(422, "bad-path", "this is neither a file nor a folder", "name a file", field=field)
    return resolved


def _outside_problem(field: str) -> RequestProblem:
    fix = "use a path relative to the server's data folder, without `..`"
    return make_problem(403, "outside", "only files in the server's data folder can be evaluated, and no links", fix, field=field)


def _reject_links(folder: Path, field: str) -> None:
    entries = 0
    for parent, folders, files in os.walk(folder, followlinks=False):
        entries += len(folders) + len(files)
        if entries > _MAX_ENTRIES:
            what = f"the folder has more than {_MAX_ENTRIES:,} entries"
            raise make_problem(422, "too-many-files", what, "name a smaller folder", field=field)
        if any((Path(parent) / name).is_symlink() for name in (*folders, *files)):
            raise _outside_problem(field)


def _require_job(server: Server, job_id: str) -> Job:
    job = server.jobs.get(job_id)
    if job is None:
        raise make_problem(404, "no-job", "there is no job with that id", "GET /api/v1/jobs lists them")
    return job


async def _stream_job(server: Server, job_id: str) -> AsyncGenerator[str]:
    last = ""
    while True:
        job = _require_job(server, job_id)
        text = json.dumps(job.to_json())
        if text != last:
            yield format_event("job", text)
            last = text
        if job.state not in LIVE_STATES:
            return
        await asyncio.sleep(POLL_SECONDS)
