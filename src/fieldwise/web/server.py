"""What the routes of one server share."""

from dataclasses import dataclass, field
from typing import Annotated, Final

from fastapi import Path as PathParameter

from fieldwise.model.change import Changes
from fieldwise.model.diagnostic import ConfigError
from fieldwise.store.errors import StoreError
from fieldwise.store.run import Run
from fieldwise.store.runs import RunNotFound
from fieldwise.web import configuration
from fieldwise.web.cache import Cache
from fieldwise.web.jobs import Jobs
from fieldwise.web.library import Library
from fieldwise.web.partial_results import Sums
from fieldwise.web.problems import not_valid, problem
from fieldwise.web.select import Index
from fieldwise.web.settings import Settings
from fieldwise.web.threads import Work

RUN_ID: Final = r"^([A-Za-z][A-Za-z0-9._-]{0,63}|[0-9]{8}(-[0-9]{0,6}(-[0-9a-f]{0,16})?)?)$"
RunId = Annotated[str, PathParameter(alias="run", pattern=RUN_ID, description="The id of a run, the beginning of one, a tag, or `latest`.")]


@dataclass(frozen=True, slots=True)
class Server:
    """Its settings, its workers, its jobs, its runs, and what it remembers of them."""

    settings: Settings
    work: Work
    jobs: Jobs
    library: Library
    index: Index = field(default_factory=Index)
    pages: Cache[str] = field(default_factory=lambda: Cache[str](64))
    """Pages, and parts of pages, of runs that have finished."""
    sums: Sums = field(default_factory=Sums)
    """What runs in the making come to so far."""
    changes: Cache[Changes] = field(default_factory=lambda: Cache[Changes](16))

    def run(self, which: str) -> Run:
        """A stored run; a Problem if there is none."""
        try:
            return self.library.open(which)
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
