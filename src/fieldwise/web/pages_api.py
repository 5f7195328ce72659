"""What the HTTP API can do, for people; programs read its OpenAPI document."""

import re
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from fieldwise.web.render import render
from fieldwise.web.server import Server

_METHODS: Final = ("get", "post", "put", "delete")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One thing that can be asked for."""

    method: str
    path: str
    summary: str
    about: str
    given: tuple[tuple[str, str], ...]
    """What an address may say besides, with what it means."""
    body: bool
    """It takes JSON, or a file."""


def api_pages(server: Server) -> APIRouter:
    """The routes."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/api")
    async def api(request: Request) -> Response:
        address = f"{request.url.scheme}://{request.url.netloc}"
        groups = calls(request.app.openapi())
        return HTMLResponse(render("api.html", here="", groups=groups, address=address, closed=server.settings.token is not None))

    return routes


def calls(document: dict[str, Any]) -> dict[str, list[Call]]:
    """Every call of an OpenAPI document, by its tag."""
    found: dict[str, list[Call]] = {}
    for path, methods in document["paths"].items():
        for method, told in methods.items():
            if method in _METHODS:
                found.setdefault(str(told["tags"][0]), []).append(_call(path, method, told))
    return found


def _call(path: str, method: str, told: dict[str, Any]) -> Call:
    given = tuple((str(one["name"]), str(one.get("description", ""))) for one in told.get("parameters", ()) if one["in"] == "query")
    about = re.sub(r"\s+", " ", str(told.get("description", "")))
    return Call(method=method.upper(), path=path, summary=str(told["summary"]), about=about, given=given, body="requestBody" in told)
