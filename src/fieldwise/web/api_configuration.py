"""`/api/v1/configuration`: field strategies, thresholds and weights, kept in files of the workspace."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Header

from fieldwise.model.diagnostic import ConfigError
from fieldwise.web import configuration
from fieldwise.web.api_evaluate import given_in
from fieldwise.web.body import StrictRoute
from fieldwise.web.problems import JsonResponse, not_valid, problem
from fieldwise.web.requests import QualityOptions
from fieldwise.web.schemas import CHECKED, SAVED, answers
from fieldwise.web.server import Server

Version = Annotated[
    str | None, Header(alias="If-Match", max_length=100, description="The `version` that was read; a newer one is not overwritten.")
]


def configuration_routes(server: Server) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/configuration", tags=["configuration"], route_class=StrictRoute, default_response_class=JsonResponse)

    @routes.get("", summary="The saved configuration", responses=answers(SAVED), response_model=None)
    async def read() -> JsonResponse:
        """What applies where a request gives no options of its own."""
        return _saved(server)

    @routes.put("", summary="Save a configuration", responses=answers(SAVED, 409), response_model=None)
    async def write(body: QualityOptions, if_match: Version = None) -> JsonResponse:
        """Replaces the saved configuration. What is left out gets its default."""
        save(server, given_in(body), if_match)
        return _saved(server)

    @routes.post("/check", summary="Check a configuration", responses=answers(CHECKED), response_model=None)
    async def check(body: dict[str, Any]) -> JsonResponse:
        """Everything that is wrong with a configuration, in the words of `fieldwise check`. Nothing is saved."""
        found = configuration.problems_of(body)
        return JsonResponse({"valid": not found, "diagnostics": [one.to_json() for one in found]})

    return routes


def save(server: Server, given: Mapping[str, Any], version: str | None) -> None:
    """Keep a configuration, unless somebody else changed the files since they were read."""
    workspace = server.settings.workspace
    if version is not None and version.strip('"') != configuration.version(workspace):
        what, fix = "the configuration was changed in the meantime", "read it again, and make the change once more"
        raise problem(409, "changed-meanwhile", what, fix)
    try:
        configuration.save(workspace, configuration.configuration_of(given))
    except ConfigError as error:
        raise not_valid(error) from error


def _saved(server: Server) -> JsonResponse:
    workspace = server.settings.workspace
    there = [name for name in (configuration.STRATEGIES, configuration.QUALITY) if (workspace / name).is_file()]
    content = {"configuration": server.configuration().to_json(), "version": configuration.version(workspace), "files": there}
    return JsonResponse(content, headers={"etag": f'"{content["version"]}"'})
