"""The page that documents the HTTP API, generated from its OpenAPI document."""

import re
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from fieldwise.web.render import render
from fieldwise.web.server import Server

_METHODS: Final = ("get", "post", "put", "delete")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCall:
    """One operation of the API."""

    method: str
    path: str
    summary: str
    description: str
    parameters: tuple[tuple[str, str], ...]
    """Names and descriptions of the query parameters."""


def build_api_pages(server: Server) -> APIRouter:
    """Route of the page."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/api")
    async def show(request: Request) -> Response:
        address = f"{request.url.scheme}://{request.url.netloc}"
        groups = list_calls(request.app.openapi())
        return HTMLResponse(render("api.html", here="", groups=groups, address=address, closed=server.settings.token is not None))

    return routes


def list_calls(document: dict[str, Any]) -> dict[str, list[ApiCall]]:
    """The operations of an OpenAPI document by their first tag."""
    groups: dict[str, list[ApiCall]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if method in _METHODS:
                groups.setdefault(str(operation["tags"][0]), []).append(_read_call(path, method, operation))
    return groups


def _read_call(path: str, method: str, operation: dict[str, Any]) -> ApiCall:
    in_query = [parameter for parameter in operation.get("parameters", ()) if parameter["in"] == "query"]
    return ApiCall(
        method=method.upper(),
        path=path,
        summary=str(operation["summary"]),
        description=re.sub(r"\s+", " ", str(operation.get("description", ""))),
        parameters=tuple((str(parameter["name"]), str(parameter.get("description", ""))) for parameter in in_query),
    )
