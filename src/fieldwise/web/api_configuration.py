"""`/api/v1/configuration`: field strategies, thresholds and weights, stored in files of the workspace."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Header

from fieldwise.model.diagnostic import ConfigError
from fieldwise.web import configuration
from fieldwise.web.api_evaluate import provided_fields
from fieldwise.web.problems import JsonResponse, StrictRoute, config_problem, make_problem
from fieldwise.web.requests import QualityOptions
from fieldwise.web.schemas import CHECKED, SAVED, response_schemas
from fieldwise.web.server import Server

VersionHeader = Annotated[
    str | None, Header(alias="If-Match", max_length=100, description="The `version` that was read; a newer one is not overwritten.")
]


def build_configuration_routes(server: Server) -> APIRouter:
    """Routes to read, save and check the configuration."""
    routes = APIRouter(prefix="/configuration", tags=["configuration"], route_class=StrictRoute, default_response_class=JsonResponse)

    @routes.get("", summary="Read the configuration", responses=response_schemas(SAVED), response_model=None)
    async def read() -> JsonResponse:
        """The saved configuration, which applies to requests without options."""
        return _saved_response(server)

    @routes.put("", summary="Save a configuration", responses=response_schemas(SAVED, 409), response_model=None)
    async def write(body: QualityOptions, if_match: VersionHeader = None) -> JsonResponse:
        """Replaces the saved configuration. Options that are left out get their defaults."""
        save_configuration(server, provided_fields(body), if_match)
        return _saved_response(server)

    @routes.post("/check", summary="Check a configuration", responses=response_schemas(CHECKED), response_model=None)
    async def check(body: dict[str, Any]) -> JsonResponse:
        """Every problem of a configuration, in the words of `fieldwise check`. Nothing is saved."""
        diagnostics = configuration.find_option_problems(body)
        return JsonResponse({"valid": not diagnostics, "diagnostics": [diagnostic.to_json() for diagnostic in diagnostics]})

    return routes


def save_configuration(server: Server, options: Mapping[str, Any], version: str | None) -> None:
    """Save a configuration, unless the files have changed since that version."""
    workspace = server.settings.workspace
    if version is not None and version.strip('"') != configuration.files_version(workspace):
        what, fix = "the configuration was changed in the meantime", "read it again, and repeat the change"
        raise make_problem(409, "changed-meanwhile", what, fix)
    try:
        configuration.save_configuration(workspace, configuration.make_configuration(options))
    except ConfigError as error:
        raise config_problem(error) from error


def _saved_response(server: Server) -> JsonResponse:
    workspace = server.settings.workspace
    files = [name for name in (configuration.STRATEGIES_FILE, configuration.QUALITY_FILE) if (workspace / name).is_file()]
    version = configuration.files_version(workspace)
    content = {"configuration": server.load_configuration().to_json(), "version": version, "files": files}
    return JsonResponse(content, headers={"etag": f'"{version}"'})
