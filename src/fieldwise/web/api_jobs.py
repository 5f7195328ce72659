"""`/api/v1/jobs`: work that takes longer than a request may, watched and cancelled."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Annotated

from fastapi import APIRouter
from fastapi import Path as PathParameter
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from fieldwise.web.api_evaluate import evaluators_for, given_in, source_of
from fieldwise.web.body import StrictRoute
from fieldwise.web.events import EVERY, event
from fieldwise.web.jobs import LIVE, Job
from fieldwise.web.problems import JsonResponse, problem
from fieldwise.web.requests import CaseBody, Measured, PathText
from fieldwise.web.schemas import EVENT, JOB, JOBS, answers
from fieldwise.web.server import Server

JobId = Annotated[str, PathParameter(alias="job", max_length=200)]


class JobRequest(Measured):
    """Cases in place, or files below the server's data folder: `paths` has `cases`, or `expected` and `actual`."""

    cases: list[CaseBody] | None = Field(None, min_length=1)
    paths: dict[str, PathText] | None = None
    name: Annotated[str, Field(min_length=1, max_length=200)] = "job"


def job_routes(server: Server) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/jobs", tags=["jobs"], route_class=StrictRoute, default_response_class=JsonResponse)

    @routes.post("", status_code=202, summary="Start a job", responses=answers(JOB, 404, 503, status=202), response_model=None)
    async def start(body: JobRequest) -> JsonResponse:
        """Goes on when the request has ended, and after a restart of the server where it stopped. What it gives is a stored run."""
        given = given_in(body)
        evaluators = evaluators_for(server, given)
        if (body.cases is None) == (body.paths is None):
            raise problem(422, "which-cases", "give either `cases` or `paths`", "cases in place, or files of the server")
        if body.cases is not None:
            source = "".join(json.dumps(given_in(case)) + "\n" for case in body.cases).encode()
        else:
            source = source_of(server, body.paths or {})
        job = await server.work.do(server.jobs.add, body.name, source, evaluators)
        if job is None:
            raise problem(503, "busy", "too many jobs wait already", "try again when some have ended")
        return JsonResponse(job.to_json(), status_code=202, headers={"location": f"/api/v1/jobs/{job.id}"})

    @routes.get("", summary="List jobs", responses=answers(JOBS), response_model=None)
    async def every() -> JsonResponse:
        """Newest first."""
        return JsonResponse({"jobs": [job.to_json() for job in server.jobs.all()[:200]]})

    @routes.get("/{job}", summary="One job", responses=answers(JOB, 404), response_model=None)
    async def one(job: JobId) -> JsonResponse:
        """How far it is."""
        return JsonResponse(_found(server, job).to_json())

    @routes.delete("/{job}", summary="Cancel a job", responses=answers(JOB, 404), response_model=None)
    async def cancel(job: JobId) -> JsonResponse:
        """Stops it, at the latest after the batch that it is in, and deletes the part of a run that it made. One that has ended stays."""
        _found(server, job)
        stopped = await server.work.do(server.jobs.cancel, job)
        return JsonResponse((stopped or _found(server, job)).to_json())

    @routes.get("/{job}/events", summary="Watch a job", responses=answers(EVENT, 404, media="text/event-stream"), response_model=None)
    async def watch(job: JobId) -> Response:
        """Server-sent events named `job`, until it has ended."""
        return StreamingResponse(_events(server, _found(server, job).id), media_type="text/event-stream")

    return routes


def _found(server: Server, identity: str) -> Job:
    job = server.jobs.get(identity)
    if job is None:
        raise problem(404, "no-job", "there is no job of that id", "GET /api/v1/jobs lists them")
    return job


async def _events(server: Server, identity: str) -> AsyncGenerator[str]:
    last = ""
    while True:
        job = _found(server, identity)
        text = json.dumps(job.to_json())
        if text != last:
            yield event("job", text)
            last = text
        if job.state not in LIVE:
            return
        await asyncio.sleep(EVERY)
