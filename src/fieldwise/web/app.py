"""The application: the HTTP API, the pages, and the guard before both."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib.resources import files
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from fieldwise import __version__
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.store.errors import StoreError
from fieldwise.web.api_configuration import configuration_routes
from fieldwise.web.api_evaluate import evaluate_routes
from fieldwise.web.api_jobs import job_routes
from fieldwise.web.api_runs import run_routes
from fieldwise.web.api_tags import tag_pages, tag_routes
from fieldwise.web.events import event_pages
from fieldwise.web.guard import Guard
from fieldwise.web.jobs import Jobs
from fieldwise.web.library import Library
from fieldwise.web.pages_api import api_pages
from fieldwise.web.pages_case import case_pages
from fieldwise.web.pages_forms import forms_pages
from fieldwise.web.pages_run import run_pages
from fieldwise.web.pages_runs import runs_pages
from fieldwise.web.problems import JsonResponse, Problem, of_http, of_validation, problem_response
from fieldwise.web.render import html
from fieldwise.web.schemas import HEALTH, PROBLEM
from fieldwise.web.server import Server
from fieldwise.web.settings import Settings, checked
from fieldwise.web.threads import Work

API = "/api/v1"


def create_app(settings: Settings) -> Guard:
    """The application for these settings; ConfigError if they are not safe."""
    return Guard(inner_app(settings), checked(settings))


def inner_app(settings: Settings) -> FastAPI:
    """The application without its guard."""
    server = Server(settings, Work(settings.limits), Jobs(settings), Library(settings.root))

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncGenerator[None]:
        del app
        server.jobs.start()
        yield
        server.jobs.stop()
        server.work.close()

    app = FastAPI(title="fieldwise", version=__version__, openapi_url=f"{API}/openapi.json", docs_url=None, redoc_url=None, lifespan=life)
    app.include_router(_health())
    for routes in (evaluate_routes, run_routes, tag_routes, configuration_routes, job_routes):
        app.include_router(routes(server), prefix=API)
    for pages in (runs_pages, run_pages, tag_pages, case_pages, forms_pages, api_pages, event_pages):
        app.include_router(pages(server))
    app.mount("/static/report", StaticFiles(directory=str(files("fieldwise.report") / "static")), name="report")
    app.mount("/static", StaticFiles(directory=str(files("fieldwise.web") / "static")), name="static")
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(StoreError, _not_stored)
    app.add_exception_handler(Exception, _crashed)
    app.openapi = lambda: _openapi(app)
    return app


def _health() -> APIRouter:
    routes = APIRouter(tags=["server"])

    @routes.get(
        f"{API}/health",
        summary="Whether the server is there",
        responses={200: {"description": "Done.", "content": {"application/json": {"schema": HEALTH}}}},
        response_model=None,
    )
    async def health() -> JsonResponse:
        """Needs no token."""
        return JsonResponse({"status": "ok", "fieldwise": __version__})

    return routes


async def _not_valid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return _answer(request, of_validation(error))


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    found = of_http(error)
    if found.status_code == 405:
        found.headers = {"allow": ", ".join(_methods(request))}
    return _answer(request, found)


def _methods(request: Request) -> list[str]:
    """The methods of an address. The framework tells only those of the first route that has it."""
    paths: dict[str, dict[str, Any]] = request.app.openapi()["paths"]
    known = [methods for path, methods in paths.items() if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), request.url.path)]
    return sorted({method.upper() for methods in known for method in methods}) or ["GET"]


async def _not_stored(request: Request, error: Exception) -> Response:
    """A run that cannot be read or written: its files are torn, or the disk is full."""
    what, _, fix = str(error).partition("\n")
    return _answer(request, Problem(503, [Diagnostic(code="store-trouble", what=what, fix=fix.strip() or None)]))


async def _crashed(request: Request, error: Exception) -> Response:
    """A mistake of ours. The traceback goes to the server's log; the client gets its kind."""
    del request
    what, fix = f"the server made a mistake: {type(error).__name__}", "please report it, with what the server's log says"
    return problem_response(500, [Diagnostic(code="internal-error", what=what, fix=fix)])


def _answer(request: Request, found: Problem) -> Response:
    if not request.url.path.startswith("/api/") and "text/html" in request.headers.get("accept", ""):
        title, missing = HTTPStatus(found.status_code).phrase.capitalize(), found.status_code == 404
        ways = _ways(request, found)
        return html("problem.html", found.status_code, here="", title=title, missing=missing, diagnostics=found.diagnostics, ways=ways)
    return problem_response(found.status_code, found.diagnostics, found.headers)


def _ways(request: Request, found: Problem) -> list[tuple[str, str]]:
    """Where a reader may go from a page that is not there."""
    code, run = found.diagnostics[0].code, request.path_params.get("run")
    nearby = [(f"/runs/{run}", "Back to the run")] if run and code in ("no-case", "no-evaluator", "no-image") else []
    return [*nearby, ("/runs", "All runs")]


def _openapi(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        document = get_openapi(title=app.title, version=app.version, routes=app.routes, description=_ABOUT)
        parts = document.setdefault("components", {})
        parts.setdefault("schemas", {})["Problem"] = PROBLEM
        parts["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer", "description": "The launch token or the API key."}}
        document["security"] = [{"key": []}]
        document["paths"][f"{API}/health"]["get"]["security"] = []
        app.openapi_schema = document
    return app.openapi_schema


_ABOUT = "Scores what an AI system produced against what it should have produced, field by field. Errors are problem+json with diagnostics."
