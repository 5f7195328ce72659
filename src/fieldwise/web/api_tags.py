"""`/api/v1/runs/{run}/tags`: names that people give to runs; and the same for the page of a run."""

from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi import Path as PathParameter
from starlette.responses import RedirectResponse, Response

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.store.run import Run
from fieldwise.store.tags import RULE, add_tags, is_tag, remove_tags
from fieldwise.web.problems import JsonResponse, Problem, problem
from fieldwise.web.render import html
from fieldwise.web.schemas import TAGS, answers
from fieldwise.web.server import RunId, Server

TagName = Annotated[str, PathParameter(alias="tag", pattern=r"^[A-Za-z][A-Za-z0-9._-]{0,63}$", description=f"{RULE[0].upper()}{RULE[1:]}.")]


def tag_routes(server: Server) -> APIRouter:
    """The routes of the API."""
    routes = APIRouter(prefix="/runs/{run}/tags", tags=["runs"], default_response_class=JsonResponse)

    @routes.put("/{tag}", summary="Tag a run", responses=answers(TAGS, 404, 409, 503), response_model=None)
    async def give(run: RunId, tag: TagName) -> JsonResponse:
        """Gives the run a name by which it can be found and listed; one that it has already stays."""
        return JsonResponse(await server.work.do(_give, server, run, tag))

    @routes.delete("/{tag}", summary="Take a tag from a run", responses=answers(TAGS, 404, 409, 503), response_model=None)
    async def take(run: RunId, tag: TagName) -> JsonResponse:
        """What the run measured stays untouched."""
        return JsonResponse(await server.work.do(_take, server, run, tag))

    return routes


def tag_pages(server: Server) -> APIRouter:
    """What the page of a run sends: `add` or `remove` with a tag."""
    routes = APIRouter(include_in_schema=False)

    @routes.post("/runs/{run}/tags")
    async def change(run: RunId, request: Request) -> Response:
        form = await request.form(max_fields=4)
        found = await server.work.do(server.run, run)
        wrong: tuple[Diagnostic, ...] = ()
        try:
            await server.work.do(_change, server, found, str(form.get("add", "")).strip(), str(form.get("remove", "")).strip())
        except Problem as error:
            wrong = error.diagnostics
        if "hx-request" not in request.headers and not wrong:
            return RedirectResponse(f"/runs/{found.id}", status_code=303)
        template = "_tags.html" if "hx-request" in request.headers else "tags.html"
        # a form that is answered with an error is not shown by htmx, and what is wrong stands beside the field
        return html(template, 422 if wrong and template == "tags.html" else 200, here="", id=found.id, tags=found.tags, wrong=wrong)

    return routes


def _change(server: Server, run: Run, add: str, remove: str) -> None:
    if remove:
        _take(server, run.id, remove)
    elif add:
        _give(server, run.id, add)


def _give(server: Server, which: str, tag: str) -> dict[str, Any]:
    run = server.run(which)
    if not is_tag(tag):
        raise problem(422, "bad-tag", f"`{tag[:80]}` cannot be a tag", RULE)
    add_tags(run.path, [tag])
    return {"id": run.id, "tags": list(run.tags)}


def _take(server: Server, which: str, tag: str) -> dict[str, Any]:
    run = server.run(which)
    if not is_tag(tag) or remove_tags(run.path, [tag]):
        raise problem(404, "no-tag", f"run {run.id} has no tag `{tag[:80]}`", f"it has {', '.join(run.tags) or 'none'}")
    return {"id": run.id, "tags": list(run.tags)}
