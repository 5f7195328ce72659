"""The review page: one comparison of the review queue at a time, decided by a key or a button.

Every decision is written before the next comparison is shown; the server keeps only caches, and who is looking at what.
"""

import getpass
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import RedirectResponse, Response

from fieldwise.model.comparison import Comparison
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.provenance import REQUEST
from fieldwise.report.html import build_query
from fieldwise.report.result_text import describe_cause
from fieldwise.report.text_format import dump_json, format_value
from fieldwise.report.value_diff import TextPiece, mark_comparison, plain_pieces
from fieldwise.store.run import Run
from fieldwise.store.run_index import case_at
from fieldwise.study.doubts import Suspicion, read_suspects, read_suspicions
from fieldwise.study.review_queue import (
    DEFAULT_LOWEST,
    DEFAULT_SAMPLE,
    SOURCES,
    QueueSelection,
    ReviewItem,
    Source,
    build_queue,
    load_comparison,
)
from fieldwise.study.review_session import (
    BLIND_CHOICES,
    DECISION_WORDS,
    AlreadyDecided,
    Choice,
    ItemStatus,
    ReviewFiles,
    ReviewProblem,
    ReviewProgress,
    ReviewSession,
    find_review_files,
    format_duration,
    name_sides,
    resolve_blind_choice,
)
from fieldwise.web.api_runs import find_case_position
from fieldwise.web.case_index import Cache, cached_page
from fieldwise.web.field_evidence import SIDE_NAMES, FieldEvidence, build_field_evidence
from fieldwise.web.problems import config_problem, make_problem
from fieldwise.web.render import render_response
from fieldwise.web.server import RUN_ID, Server

SOURCE_WORDS: Final[Mapping[str, str]] = {
    "doubts": "suspect expected values",
    "low_confidence": "low confidence",
    "disagreements": "disagreements",
    "sample": "sample of agreed values",
}
_LEASE_SECONDS: Final = 120.0
"""How long a comparison that one person looks at is not offered to another."""
_MAX_FORM_FIELDS: Final = 20
_MAX_TYPED: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewAddress:
    """What the address of the page says."""

    run: str = "latest"
    sources: tuple[Source, ...] = SOURCES
    blind: bool = False
    by: str = ""
    sample: float = DEFAULT_SAMPLE
    lowest: float = DEFAULT_LOWEST

    @property
    def selection(self) -> QueueSelection:
        """Which comparisons are queued."""
        return QueueSelection(sources=self.sources, sample=self.sample, lowest=self.lowest)

    def query(self, **more: Any) -> str:
        """The address as a query string, without what has its default."""
        values: dict[str, Any] = {"run": self.run}
        if self.sources != SOURCES:
            values["source"] = ",".join(self.sources)
        values |= {"blind": "yes" if self.blind else None, "by": self.by or None}
        values["sample"] = None if self.sample == DEFAULT_SAMPLE else f"{self.sample:g}"
        values["lowest"] = None if self.lowest == DEFAULT_LOWEST else f"{self.lowest:g}"
        return build_query({**values, **more})


ShareQuery = Annotated[float, Query(ge=0, le=1)]


def parse_address(
    run: Annotated[str, Query(pattern=RUN_ID)] = "latest",
    source: Annotated[list[str] | None, Query(max_length=8)] = None,
    blind: Annotated[str | None, Query(max_length=10)] = None,
    by: Annotated[str, Query(max_length=100)] = "",
    sample: ShareQuery = DEFAULT_SAMPLE,
    lowest: ShareQuery = DEFAULT_LOWEST,
) -> ReviewAddress:
    """The address of the page; `source` may be repeated, or name several with commas."""
    names = [name.strip().replace("-", "_") for text in source or () for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in SOURCES]
    if unknown:
        raise make_problem(422, "bad-source", f"there is no source `{unknown[0][:60]}`", f"the sources are {', '.join(SOURCES)}")
    sources: tuple[Source, ...] = tuple(name for name in SOURCES if name in names) if names else SOURCES
    is_blind = blind not in (None, "", "no", "0", "false")
    return ReviewAddress(run=run, sources=sources, blind=is_blind, by=" ".join(by.split()), sample=sample, lowest=lowest)


AddressQuery = Annotated[ReviewAddress, Depends(parse_address)]


@dataclass(frozen=True, slots=True)
class ReviewChoice:
    """A button of the page."""

    value: str
    key: str
    words: str
    refused: str = ""
    """Why it cannot be chosen; empty if it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideView:
    """One side of a comparison as it is shown."""

    name: str
    pieces: tuple[TextPiece, ...] | None
    mark: str
    """The element that marks differences."""
    is_null: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemView:
    """One comparison as it is shown."""

    index: int
    item: ReviewItem
    source: str
    sides: tuple[SideView, ...]
    choices: tuple[ReviewChoice, ...]
    rule: str
    cause: str
    note: str
    confidence: float | None
    evidence: FieldEvidence
    status: ItemStatus | None
    typed: str
    suspicion: tuple[str, ...] = ()
    """Why the expected value is suspect; empty if it is not, and in blind mode."""


@dataclass(slots=True)
class ReviewState:
    """Caches of the page: reviews of finished runs, and what each person is looking at."""

    sessions: Cache[ReviewSession] = field(default_factory=lambda: Cache[ReviewSession](8))
    _leases: dict[tuple[str, str, str], tuple[str, float]] = field(default_factory=dict)
    _mutex: Lock = field(default_factory=Lock)

    def take(self, run: str, item: ReviewItem, by: str) -> None:
        """Note that a person looks at an item."""
        with self._mutex:
            now = time.monotonic()
            for key in [key for key, (who, until) in self._leases.items() if until < now or (who == by and key[0] == run)]:
                del self._leases[key]
            self._leases[run, item.case, item.path] = (by, now + _LEASE_SECONDS)

    def taken_by_others(self, session: ReviewSession, by: str) -> frozenset[int]:
        """The items that other people look at."""
        with self._mutex:
            now = time.monotonic()
            others = [key for key, (who, until) in self._leases.items() if key[0] == session.run.id and who != by and until >= now]
        indexes = (session.find_index(case, path) for _, case, path in others)
        return frozenset(index for index in indexes if index is not None)


def build_review_pages(server: Server) -> APIRouter:
    """Routes of the review page."""
    routes = APIRouter(include_in_schema=False)
    state = ReviewState()

    @routes.get("/review")
    async def show(request: Request, address: AddressQuery, at: Annotated[int | None, Query(ge=0)] = None) -> Response:
        variables = await server.threads.run(_page_values, server, state, address, at)
        return _respond(request, variables)

    @routes.post("/review")
    async def decide(request: Request, address: AddressQuery) -> Response:
        form = await request.form(max_fields=_MAX_FORM_FIELDS)
        texts = {name: str(form.get(name, "")) for name in ("choice", "case", "path", "typed", "by")}
        address = _with_name(address, texts["by"])
        if texts["choice"] == "undo":
            variables = await server.threads.run(_undo, server, state, address)
        else:
            variables = await server.threads.run(_decide, server, state, address, texts)
        is_htmx = "hx-request" in request.headers
        if not is_htmx and not variables["problem"]:
            return RedirectResponse(f"/review{address.query(at=variables['at'])}", status_code=303)
        return _respond(request, variables)

    return routes


def _respond(request: Request, variables: dict[str, Any]) -> Response:
    if "hx-request" in request.headers:
        response = render_response("_review.html", **variables)
        address: ReviewAddress = variables["address"]
        response.headers["hx-replace-url"] = f"/review{address.query(at=variables['at'])}"
        return response
    status = 409 if variables["problem"] else 200
    return render_response("review.html", status, here="/review", **variables)


def _with_name(address: ReviewAddress, name: str) -> ReviewAddress:
    name = " ".join(name.split())[:100]
    return replace(address, by=name) if name else address


def _open_session(server: Server, state: ReviewState, address: ReviewAddress) -> tuple[ReviewSession, ReviewAddress]:
    """The review of an address, and the address with the run's id and a name."""
    run = server.open_run(address.run)
    if run.finished is None:
        raise make_problem(409, "unfinished-run", f"run {run.id} has not finished", "review it when it has")
    files = _find_files(server, run)
    suspects = read_suspects(run)
    key = ("review", address.selection, files.corrections, tuple(suspects))
    session = cached_page(state.sessions, run, key, lambda: ReviewSession(run, build_queue(run, address.selection, suspects), files))
    return session, replace(address, run=run.id, by=address.by or _login_name())


def _find_files(server: Server, run: Run) -> ReviewFiles:
    """The files beside the run's data; if that came in a request, files of the run in the server's folder."""
    folder = server.settings.workspace
    if any(source.file == REQUEST for source in run.sources):
        return ReviewFiles(folder / f"corrections-{run.id}.jsonl", folder / f"review-{run.id}.jsonl")
    try:
        return find_review_files(run, folder)
    except ConfigError as error:
        raise config_problem(error) from error


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a process without a user name
        return "reviewer"


def _page_values(server: Server, state: ReviewState, address: ReviewAddress, at: int | None, **shown: Any) -> dict[str, Any]:
    """The variables of review.html: the item at a position, or the first open one."""
    session, address = _open_session(server, state, address)
    statuses = session.read_status()
    if at is None or at >= len(session.queue):
        at = session.next_open(statuses, 0, state.taken_by_others(session, address.by))
    view = None
    if at is not None:
        item = session.queue.items[at]
        state.take(session.run.id, item, address.by)
        view = _make_item_view(server, session, at, address, statuses.get(at))
    progress = session.progress(statuses)
    return {
        "run": session.run,
        "address": address,
        "at": at,
        "view": view,
        "progress": progress,
        "time_left": format_duration(progress.seconds_left),
        "counts": [] if address.blind else [(DECISION_WORDS[name], count) for name, count in progress.counts.items()],
        "sources": [(name, SOURCE_WORDS[name], name in address.sources) for name in SOURCES],
        "queued": session.queue.count_by_source(),
        "left_out": sum(session.queue.left_out.values()),
        "undetected": "" if address.blind else _describe_sample(progress),
        "files": (session.files.corrections.name, session.files.review.name),
        "uses_corrections": "corrections" in session.run.manifest.suite,
        "problem": None,
        "notice": "",
        **shown,
    }


def _describe_sample(progress: ReviewProgress) -> str:
    interval = progress.undetected
    if interval is None:
        return ""
    low, high = interval
    return f"{progress.sampled_wrong} of {progress.sampled} agreed values had a wrong expected value: {low:.1%} to {high:.1%} of all"


def _make_item_view(server: Server, session: ReviewSession, at: int, address: ReviewAddress, status: ItemStatus | None) -> ItemView:
    run, item = session.run, session.queue.items[at]
    comparison = load_comparison(run, item)
    case = case_at(run, find_case_position(server, run, item.case))
    names = name_sides(item, blind=True) if address.blind else SIDE_NAMES
    summary = run.full.evaluators[item.evaluator]
    rules = {field.field: field.rule for field in summary.fields}
    cause = describe_cause(comparison.cause, rules.get(comparison.field, "")).label if comparison.cause else ""
    evidence = FieldEvidence()
    suspicion = read_suspicions(run).get(item.place) if item.source == "doubts" and not item.redacted else None
    if not item.redacted:
        evidence = build_field_evidence(server, run, case, comparison, names=names)
    return ItemView(
        index=at,
        item=item,
        source=SOURCE_WORDS[item.source],
        sides=_make_sides(comparison, names, blind=address.blind),
        choices=_make_choices(item, comparison, blind=address.blind),
        rule=rules.get(comparison.field, ""),
        cause="" if address.blind else cause,
        note="" if address.blind else comparison.note or "",
        confidence=None if address.blind else item.confidence,
        evidence=evidence,
        status=status,
        typed=_editable_text(comparison, suspicion, blind=address.blind),
        suspicion=() if suspicion is None or address.blind else _describe_suspicion(suspicion),
    )


def _describe_suspicion(suspicion: Suspicion) -> tuple[str, ...]:
    return (f"{suspicion.systems} say {format_value(suspicion.suggested)}", *suspicion.evidence)


def _make_sides(comparison: Comparison, names: Mapping[str, str], *, blind: bool) -> tuple[SideView, ...]:
    marked = mark_comparison(comparison)
    marks = {"expected": "mark", "actual": "mark"} if blind else {"expected": "del", "actual": "ins"}
    sides = [
        SideView(
            name=names[side],
            pieces=None if presence == "missing" else getattr(marked, side) or plain_pieces("null"),
            mark=marks[side],
            is_null=presence == "null",
        )
        for side, presence in (("expected", comparison.expected_presence), ("actual", comparison.actual_presence))
    ]
    return tuple(sorted(sides, key=lambda side: side.name)) if blind else tuple(sides)


def _make_choices(item: ReviewItem, comparison: Comparison, *, blind: bool) -> tuple[ReviewChoice, ...]:
    refused = ""
    if item.redacted:
        refused = "its values were not stored"
    elif "[+" in item.path:
        refused = "expected has no such item"
    same = item.expected_hash == item.actual_hash
    also = "" if comparison.passed else refused
    typed = ReviewChoice("type", "t", "Neither is right: type the value" if blind else "Expected is wrong: type the value", refused)
    both = ReviewChoice("both_right", "b", "Both are right", also)
    skip = ReviewChoice("skip", "s", "Skip")
    take = "both values are the same" if same else refused
    if not blind:
        expected_wrong = ReviewChoice("take_actual", "e", "Expected is wrong, actual is right", take)
        return (expected_wrong, typed, both, ReviewChoice("actual_wrong", "a", "Actual is wrong"), skip)
    first = ReviewChoice("first_right", "1", "Only A is right", take)  # refused together: one alone would tell which side is which
    second = ReviewChoice("second_right", "2", "Only B is right", take)
    return (first, second, both, typed, skip)


def _editable_text(comparison: Comparison, suspicion: Suspicion | None, *, blind: bool) -> str:
    """What the box for typing starts with: what other systems agree on, else the expected value, which may need a small edit only.

    Nothing in blind mode.
    """
    if blind:
        return ""
    if suspicion is not None and suspicion.suggested is not None:
        return suspicion.suggested if isinstance(suspicion.suggested, str) else dump_json(suspicion.suggested)
    if comparison.expected_presence != "present":
        return ""
    return comparison.expected if isinstance(comparison.expected, str) else dump_json(comparison.expected)


def _decide(server: Server, state: ReviewState, address: ReviewAddress, texts: Mapping[str, str]) -> dict[str, Any]:
    """Write a decision and go to the next open item."""
    session, address = _open_session(server, state, address)
    index = session.find_index(texts["case"], texts["path"])
    if index is None:
        raise make_problem(404, "not-queued", "that comparison is not in this queue", "reload the page")
    item = session.queue.items[index]
    problem: Diagnostic | None = None
    notice = ""
    try:
        choice = _resolve_choice(item, texts["choice"])
        decision = session.decide(index, choice, by=address.by, typed=texts["typed"][:_MAX_TYPED].replace("\r\n", "\n"))
        notice = f"{item.case}, {item.path}: {'decided' if address.blind else DECISION_WORDS[decision.decision]}"
    except AlreadyDecided as error:
        reason = "it was decided meanwhile" if address.blind else str(error)
        notice = f"{item.case}, {item.path}: not written, because {reason}"
    except ReviewProblem as error:
        problem = Diagnostic(code="not-written", what=str(error), fix=error.fix or None)
    if problem is not None:
        return _page_values(server, state, address, index, problem=problem)
    statuses = session.read_status()
    next_index = session.next_open(statuses, index, state.taken_by_others(session, address.by))
    return _page_values(server, state, address, next_index, notice=notice)


def _resolve_choice(item: ReviewItem, choice: str) -> Choice:
    """The choice that a button means."""
    if choice in BLIND_CHOICES:
        return resolve_blind_choice(item, choice)
    if choice not in ("take_actual", "type", "both_right", "actual_wrong", "skip"):
        raise make_problem(422, "bad-choice", "there is no such decision")
    return choice


def _undo(server: Server, state: ReviewState, address: ReviewAddress) -> dict[str, Any]:
    session, address = _open_session(server, state, address)
    index = session.undo(address.by)
    if index is None:
        return _page_values(server, state, address, None, notice=f"{address.by} has no decision to undo in this queue")
    item = session.queue.items[index]
    return _page_values(server, state, address, index, notice=f"{item.case}, {item.path}: undone")
