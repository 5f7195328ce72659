"""What the routes of one server share."""

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Path as PathParameter

from fieldwise.model.diagnostic import ConfigError
from fieldwise.store.run import Run, open_run
from fieldwise.store.runs import RunNotFound
from fieldwise.store.trouble import StoreError
from fieldwise.web import configuration
from fieldwise.web.jobs import Jobs
from fieldwise.web.problems import not_valid, problem
from fieldwise.web.settings import Settings
from fieldwise.web.work import Work

RUN_ID: Final = r"^(latest|[0-9]{8}(-[0-9]{0,6}(-[0-9a-f]{0,16})?)?)$"
RunId = Annotated[str, PathParameter(alias="run", pattern=RUN_ID, description="The id of a run, the beginning of one, or `latest`.")]


@dataclass(frozen=True, slots=True)
class Server:
    """Its settings, its workers and its jobs."""

    settings: Settings
    work: Work
    jobs: Jobs

    def run(self, which: str) -> Run:
        """A stored run; a Problem if there is none."""
        try:
            return open_run(self.settings.root, which)
        except RunNotFound as error:
            raise problem(
                404, "no-run", str(error.args[0]).replace(str(self.settings.root), "the store"), "GET /api/v1/runs lists them"
            ) from error
        except (StoreError, ValueError, KeyError, TypeError) as error:
            raise problem(
                409, "unreadable-run", f"run {which} cannot be read: {error}", "it was stored by another version, or damaged"
            ) from error

    def configuration(self) -> configuration.Configuration:
        """The saved configuration; a Problem if it cannot be used."""
        try:
            return configuration.load(self.settings.workspace)
        except ConfigError as error:
            raise not_valid(error) from error
