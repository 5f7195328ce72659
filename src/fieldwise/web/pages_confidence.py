"""The page that shows how far the confidences of a run can be trusted."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse, Response

from fieldwise.report.confidence_view import build_confidence_content
from fieldwise.store.run import Run
from fieldwise.study.confidence import study_confidence
from fieldwise.web.case_index import cached_page
from fieldwise.web.render import render
from fieldwise.web.server import RunId, Server


def build_confidence_pages(server: Server) -> APIRouter:
    """The page of figures, reliability and risk by coverage."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/runs/{run}/confidence")
    async def show_confidence(run: RunId) -> Response:
        return HTMLResponse(await server.threads.run(_render_page, server, run))

    return routes


def _render_page(server: Server, run_name: str) -> str:
    run = server.open_run(run_name)
    return cached_page(server.pages, run, ("confidence",), lambda: _render(run))


def _render(run: Run) -> str:
    return render("confidence.html", here="", name=run.name, **build_confidence_content(study_confidence(run)))
