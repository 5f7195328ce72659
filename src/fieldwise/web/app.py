"""Assemble the application: HTTP API, pages, error handlers and the guard."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib.resources import files
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from fieldwise import __version__
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.store.errors import StoreError
from fieldwise.web.api_configuration import build_configuration_routes
from fieldwise.web.api_evaluate import build_evaluate_routes, build_job_routes
from fieldwise.web.api_runs import build_run_routes, build_tag_pages, build_tag_routes
from fieldwise.web.api_what_if import build_what_if_routes
from fieldwise.web.events import build_event_pages
from fieldwise.web.guard import Guard
from fieldwise.web.jobs import JobQueue
from fieldwise.web.library import RunLibrary
from fieldwise.web.pages_api import build_api_pages
from fieldwise.web.pages_case import build_case_pages
from fieldwise.web.pages_compare import build_compare_pages
from fieldwise.web.pages_forms import build_form_pages
from fieldwise.web.pages_review import build_review_pages
from fieldwise.web.pages_run import build_run_pages
from fieldwise.web.pages_runs import build_runs_pages
from fieldwise.web.pages_study import build_study_pages
from fieldwise.web.pages_suite import build_suite_pages
from fieldwise.web.problems import (
    JsonResponse,
    RequestProblem,
    list_option_names,
    problem_from_http,
    problem_from_validation,
    problem_response,
)
from fieldwise.web.render import render_response
from fieldwise.web.schemas import HEALTH, PROBLEM
from fieldwise.web.server import Server, WorkerThreads
from fieldwise.web.settings import Settings, check_settings
from fieldwise.web.worker_processes import EvaluationWorkers

API = "/api/v1"


def create_app(settings: Settings) -> Guard:
    """Create the application; ConfigError if the settings are not safe."""
    return Guard(build_unguarded_app(settings), check_settings(settings))


def build_unguarded_app(settings: Settings) -> FastAPI:
    """Create the application without the guard, for tests and the OpenAPI document."""
    evaluations = EvaluationWorkers(settings.limits)
    server = Server(settings, WorkerThreads(settings.limits), JobQueue(settings), RunLibrary(settings.root), evaluations)

    @asynccontextmanager
    async def run_jobs(app: FastAPI) -> AsyncGenerator[None]:
        del app
        server.jobs.start()
        yield
        server.jobs.stop()
        server.evaluations.close()
        server.threads.close()

    app = FastAPI(
        title="fieldwise", version=__version__, openapi_url=f"{API}/openapi.json", docs_url=None, redoc_url=None, lifespan=run_jobs
    )
    app.include_router(_health_routes())
    for routes in (
        build_evaluate_routes,
        build_run_routes,
        build_tag_routes,
        build_configuration_routes,
        build_job_routes,
        build_what_if_routes,
    ):
        app.include_router(routes(server), prefix=API)
    for pages in (
        build_runs_pages,
        build_compare_pages,
        build_run_pages,
        build_tag_pages,
        build_case_pages,
        build_review_pages,
        build_study_pages,
        build_form_pages,
        build_suite_pages,
        build_api_pages,
        build_event_pages,
    ):
        app.include_router(pages(server))
    app.mount("/static/report", StaticFiles(directory=str(files("fieldwise.report") / "static")), name="report")
    app.mount("/static", StaticFiles(directory=str(files("fieldwise.web") / "static")), name="static")
    app.add_exception_handler(RequestValidationError, _handle_validation_error)
    app.add_exception_handler(HTTPException, _handle_http_error)
    app.add_exception_handler(StoreError, _handle_store_error)
    app.add_exception_handler(Exception, _handle_crash)
    app.openapi = lambda: _openapi_document(app)
    return app


def _health_routes() -> APIRouter:
    routes = APIRouter(tags=["server"])

    @routes.get(
        f"{API}/health",
        summary="Check that the server is running",
        responses={200: {"description": "Done.", "content": {"application/json": {"schema": HEALTH}}}},
        response_model=None,
    )
    async def health() -> JsonResponse:
        """Requires no token."""
        return JsonResponse({"status": "ok", "fieldwise": __version__})

    return routes


async def _handle_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return _problem_response(request, problem_from_validation(error, _list_body_options(request)))


def _list_body_options(request: Request) -> list[str]:
    """The options of the request's JSON content; empty if its route takes none."""
    body = getattr(request.scope.get("route"), "body_field", None)
    model = None if body is None else body.field_info.annotation
    return list_option_names(model) if isinstance(model, type) and issubclass(model, BaseModel) else []


async def _handle_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    problem = problem_from_http(error)
    if problem.status_code == 405:
        problem.headers = {"allow": ", ".join(_allowed_methods(request))}
    return _problem_response(request, problem)


def _allowed_methods(request: Request) -> list[str]:
    """The methods of an address. The framework reports only those of the first matching route."""
    paths: dict[str, dict[str, Any]] = request.app.openapi()["paths"]
    matching = [methods for path, methods in paths.items() if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), request.url.path)]
    return sorted({method.upper() for methods in matching for method in methods}) or ["GET"]


async def _handle_store_error(request: Request, error: Exception) -> Response:
    """Report a run that cannot be read or written: its files are damaged, or the disk is full."""
    what, _, fix = str(error).partition("\n")
    return _problem_response(request, RequestProblem(503, [Diagnostic(code="store-trouble", what=what, fix=fix.strip() or None)]))


async def _handle_crash(request: Request, error: Exception) -> Response:
    """Report an internal error. The traceback goes to the server's log; the client gets the type only."""
    del request
    what, fix = f"internal error: {type(error).__name__}", "please report it, with the traceback in the server's log"
    return problem_response(500, [Diagnostic(code="internal-error", what=what, fix=fix)])


def _problem_response(request: Request, problem: RequestProblem) -> Response:
    if not request.url.path.startswith("/api/") and "text/html" in request.headers.get("accept", ""):
        title = "Invalid request" if problem.status_code == 422 else HTTPStatus(problem.status_code).phrase.capitalize()
        missing = problem.status_code == 404
        ways = _links_from_problem(request, problem)
        return render_response(
            "problem.html", problem.status_code, here="", title=title, missing=missing, diagnostics=problem.diagnostics, ways=ways
        )
    return problem_response(problem.status_code, problem.diagnostics, problem.headers)


def _links_from_problem(request: Request, problem: RequestProblem) -> list[tuple[str, str]]:
    """Links that the error page offers."""
    code, run = problem.diagnostics[0].code, request.path_params.get("run")
    nearby = [(f"/runs/{run}", "Back to the run")] if run and code in ("no-case", "no-evaluator", "no-image") else []
    return [*nearby, ("/runs", "All runs")]


def _openapi_document(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        document = get_openapi(title=app.title, version=app.version, routes=app.routes, description=_DESCRIPTION)
        parts = document.setdefault("components", {})
        parts.setdefault("schemas", {})["Problem"] = PROBLEM
        parts["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer", "description": "The launch token or the API key."}}
        document["security"] = [{"key": []}]
        document["paths"][f"{API}/health"]["get"]["security"] = []
        app.openapi_schema = document
    return app.openapi_schema


_DESCRIPTION = "Scores the output of an AI system against the expected output, field by field. Errors are problem+json with diagnostics."
