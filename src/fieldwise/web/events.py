"""What is going on, told as it happens: jobs of this server, and runs that any process is writing."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from fastapi import APIRouter
from starlette.responses import Response, StreamingResponse

from fieldwise.store.in_progress import Going
from fieldwise.web.jobs import Job
from fieldwise.web.library import Head
from fieldwise.web.partial_results import Interim
from fieldwise.web.render import render
from fieldwise.web.server import RunId, Server

EVERY: Final = 0.5
MEDIA: Final = "text/event-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A run that some process is writing."""

    going: Going
    before: int | None
    """How many cases the last run of the same suite had."""
    interim: Interim | None = None
    """What it comes to so far."""

    @property
    def share(self) -> float | None:
        """About how much of it is done, if it is as large as the last one; never quite all."""
        return min(self.going.cases / self.before, 0.99) if self.before and self.going.cases else None


def event(name: str, data: str) -> str:
    """A server-sent event.

    >>> event("job", "{}")
    'event: job\\ndata: {}\\n\\n'
    """
    return f"event: {name}\ndata: {data}\n\n"


def running(server: Server, heads: Sequence[Head]) -> list[Running]:
    """The runs that others are writing; those of this server's jobs are told as jobs."""
    ours = {job.run for job in server.jobs.live()}
    return [running_of(one, heads) for one in server.library.going() if one.running and one.id not in ours]


def running_of(going: Going, heads: Sequence[Head]) -> Running:
    """A run that some process is writing, beside the last one of its suite."""
    before = next((head.cases for head in heads if head.finished is not None and head.name == going.name), None)
    return Running(going=going, before=before)


def came_to(going: Going) -> tuple[str, str, str]:
    """What a run that has not finished came to so far: the kind of news, a word, and why."""
    if going.running:
        return "live", "running", "a process is writing it"
    return "unsure", "interrupted", "the run was stopped"


def event_pages(server: Server) -> APIRouter:
    """What pages listen to."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/events")
    async def every() -> Response:
        return StreamingResponse(_all(server), media_type=MEDIA)

    @routes.get("/events/{run}")
    async def one(run: RunId) -> Response:
        found = await server.work.do(server.run, run)
        return StreamingResponse(_one(server, found.id), media_type=MEDIA)

    return routes


async def _all(server: Server) -> AsyncGenerator[str]:
    """Events named `going`: what is going on as HTML, and a key that changes when the list of runs does."""
    last = ""
    while not server.jobs.stopping:
        text = json.dumps(await asyncio.to_thread(_now, server))
        if text != last:
            yield event("going", text)
            last = text
        await asyncio.sleep(EVERY)


def _now(server: Server) -> Mapping[str, Any]:
    jobs: Sequence[Job] = server.jobs.live()
    others = running(server, server.library.heads())
    key = [*(job.id for job in jobs), *(f"{one.id}:{one.running}" for one in server.library.going())]
    return {"key": " ".join(key), "html": render("_going.html", jobs=jobs, running=others)}


async def _one(server: Server, identity: str) -> AsyncGenerator[str]:
    """The same for one run, until it has ended, or stopped and is summed up."""
    last = ""
    while not server.jobs.stopping:
        found = await asyncio.to_thread(_of, server, identity)
        text = json.dumps(found)
        if text != last:
            yield event("going", text)
            last = text
        if not found["more"]:
            return
        await asyncio.sleep(EVERY)


def _of(server: Server, identity: str) -> Mapping[str, Any]:
    going = next((one for one in server.library.going() if one.id == identity), None)
    if going is None:
        return {"key": "finished", "html": "", "more": False}
    told = with_interim(server, running_of(going, server.library.heads()))
    return {"key": key_of(told), "html": render("_state.html", told=told), "more": is_going(told)}


def with_interim(server: Server, told: Running) -> Running:
    """The same with what its stored parts come to so far."""
    return replace(told, interim=server.sums.of(server.run(told.going.id))) if told.going.cases else told


def key_of(told: Running) -> str:
    """What a page has to be loaded again for when it changes."""
    return "running" if told.going.running else "interrupted"


def is_going(told: Running) -> bool:
    """Whether there will be more to tell."""
    return told.going.running or (told.interim is not None and not told.interim.complete)
