"""Server-sent events: jobs of this server, and runs that any process is writing."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from fastapi import APIRouter
from starlette.responses import Response, StreamingResponse

from fieldwise.store.in_progress import RunProgress
from fieldwise.web.library import RunHead
from fieldwise.web.partial_results import InterimSummary
from fieldwise.web.render import render
from fieldwise.web.server import RunId, Server

POLL_SECONDS: Final = 0.5
EVENT_STREAM: Final = "text/event-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRun:
    """An unfinished run with its expected size and its interim results."""

    progress: RunProgress
    expected_cases: int | None
    """Number of cases of the last finished run of the same suite."""
    interim: InterimSummary | None = None

    @property
    def share(self) -> float | None:
        """Estimated share that is done, at most 0.99; None if it cannot be estimated."""
        if not self.expected_cases or not self.progress.cases:
            return None
        return min(self.progress.cases / self.expected_cases, 0.99)


def format_event(name: str, data: str) -> str:
    """Format a server-sent event.

    >>> format_event("job", "{}")
    'event: job\\ndata: {}\\n\\n'
    """
    return f"event: {name}\ndata: {data}\n\n"


def list_running(server: Server, heads: Sequence[RunHead]) -> list[LiveRun]:
    """The runs that other processes are writing, without those of this server's jobs."""
    job_runs = {job.run for job in server.jobs.list_live()}
    unfinished = server.library.list_unfinished()
    return [make_live_run(progress, heads) for progress in unfinished if progress.running and progress.id not in job_runs]


def make_live_run(progress: RunProgress, heads: Sequence[RunHead]) -> LiveRun:
    """An unfinished run, with the size of the last finished run of its suite."""
    expected_cases = next((head.cases for head in heads if head.finished is not None and head.name == progress.name), None)
    return LiveRun(progress=progress, expected_cases=expected_cases)


def progress_text(progress: RunProgress) -> tuple[str, str, str]:
    """The status of an unfinished run: its CSS class, a word and the reason."""
    if progress.running:
        return "live", "running", "a process is writing it"
    return "unsure", "interrupted", "the run was stopped"


def build_event_pages(server: Server) -> APIRouter:
    """Event streams of the pages."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/events")
    async def stream_overview() -> Response:
        return StreamingResponse(_stream_overview(server), media_type=EVENT_STREAM)

    @routes.get("/events/{run}")
    async def stream_run(run: RunId) -> Response:
        opened = await server.threads.run(server.open_run, run)
        return StreamingResponse(_stream_run(server, opened.id), media_type=EVENT_STREAM)

    return routes


async def _stream_overview(server: Server) -> AsyncGenerator[str]:
    """Yield events named `progress`: jobs and runs as HTML, and a key that changes when the list of runs does."""
    last = ""
    while not server.jobs.stopping:
        text = json.dumps(await asyncio.to_thread(_overview, server))
        if text != last:
            yield format_event("progress", text)
            last = text
        await asyncio.sleep(POLL_SECONDS)


def _overview(server: Server) -> Mapping[str, Any]:
    jobs = server.jobs.list_live()
    running = list_running(server, server.library.list_heads())
    key = [*(job.id for job in jobs), *(f"{progress.id}:{progress.running}" for progress in server.library.list_unfinished())]
    return {"key": " ".join(key), "html": render("_progress.html", jobs=jobs, running=running)}


async def _stream_run(server: Server, run_id: str) -> AsyncGenerator[str]:
    """Yield events named `progress` about one run, until it has finished, or was interrupted and is fully summarized."""
    last = ""
    while not server.jobs.stopping:
        state = await asyncio.to_thread(_run_state, server, run_id)
        text = json.dumps(state)
        if text != last:
            yield format_event("progress", text)
            last = text
        if not state["more"]:
            return
        await asyncio.sleep(POLL_SECONDS)


def _run_state(server: Server, run_id: str) -> Mapping[str, Any]:
    progress = next((progress for progress in server.library.list_unfinished() if progress.id == run_id), None)
    if progress is None:
        return {"key": "finished", "html": "", "more": False}
    live = add_interim(server, make_live_run(progress, server.library.list_heads()))
    return {"key": refresh_key(live), "html": render("_state.html", live=live), "more": expects_events(live)}


def add_interim(server: Server, live: LiveRun) -> LiveRun:
    """Add the summary of the parts that are stored so far."""
    if not live.progress.cases:
        return live
    return replace(live, interim=server.partial_results.summarize(server.open_run(live.progress.id)))


def refresh_key(live: LiveRun) -> str:
    """A page reloads when this key changes."""
    return "running" if live.progress.running else "interrupted"


def expects_events(live: LiveRun) -> bool:
    """True while further events will follow."""
    return live.progress.running or (live.interim is not None and not live.interim.complete)
