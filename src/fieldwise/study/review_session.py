"""A review: the queue of a run, the decisions made so far, and the next one.

Nothing is held in memory that a crash could lose. A decision is first a correction, where it needs one, and then a line of `review.jsonl`;
a process that dies in between leaves a correction, which by itself closes the comparison. A decision that needs a correction holds only
while that correction is in force.
"""

import hashlib
import json
import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, Final, Literal, TypeAlias, cast

import yaml

from fieldwise.kernels.statistics import wilson_interval
from fieldwise.model.accepted_values import ANY, accepted_values
from fieldwise.model.comparison import Comparison
from fieldwise.model.correction import Correction, CorrectionAction, CorrectionProblem, find_value, hash_value
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.evidence import read_place
from fieldwise.model.values import MISSING, Json, Value, json_kind
from fieldwise.read.corrections import parse_record
from fieldwise.store.run import Run
from fieldwise.study.corrections import append_correction, check_correction, find_corrections_file, list_lines, undo_correction
from fieldwise.study.review_log import (
    REVIEW_FILE,
    Place,
    ReviewDecision,
    ReviewLog,
    append_review,
    lock_review,
    read_review,
    utc_now,
)
from fieldwise.study.review_queue import ReviewItem, ReviewQueue, load_comparison

Choice: TypeAlias = Literal["take_actual", "type", "both_right", "actual_wrong", "skip"]
"""What a person chooses: expected is wrong and actual is right, expected is wrong and a typed value is right, …"""
SECONDS_PER_ITEM: Final = 30.0
"""Assumed until there are decisions to measure it from."""
_MAX_GAP: Final = 300.0
"""Seconds between two decisions that count as working time; longer is a break."""
_MIN_GAPS: Final = 5
_PACE_DECISIONS: Final = 200
"""The last decisions, from which the pace is measured."""


class ReviewProblem(ValueError):
    """A decision that was not written. `fix` says what to do instead."""

    def __init__(self, what: str, fix: str = "") -> None:
        self.fix = fix
        super().__init__(what)


class AlreadyDecided(ReviewProblem):
    """Another person decided about the comparison meanwhile."""

    def __init__(self, status: "ItemStatus") -> None:
        self.status = status
        who = status.by or "another person"
        super().__init__(f"{who} has decided this already: {DECISION_WORDS[status.decision]}", "undo that decision first")


class AlreadyApplied(ReviewProblem):
    """The expected value is the chosen one already."""


DECISION_WORDS: Final[Mapping[str, str]] = {
    "expected_wrong": "expected is wrong",
    "both_right": "both are right",
    "actual_wrong": "actual is wrong",
    "skip": "skipped",
}


@dataclass(frozen=True, slots=True)
class ItemStatus:
    """The decision that closes an item."""

    decision: str
    by: str
    at: str
    is_applied: bool = False
    """The run was scored with the corrected value, so nothing is wrong in it any more."""


@dataclass(frozen=True, slots=True)
class ReviewFiles:
    """Where decisions are written."""

    corrections: Path
    review: Path

    @classmethod
    def at(cls, corrections: Path) -> "ReviewFiles":
        """The files where the corrections are this one."""
        return cls(corrections, corrections.with_name(REVIEW_FILE))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewProgress:
    """How far a review is."""

    total: int
    done: int
    counts: Mapping[str, int]
    """Decision → number of items."""
    seconds_left: float
    """Estimated working time for the rest."""
    measured_pace: bool
    """True if the estimate comes from the decisions made so far."""
    sampled: int = 0
    """Decided items of the random sample of agreed values."""
    sampled_wrong: int = 0
    """Those of them whose expected value is wrong."""

    @property
    def left(self) -> int:
        """Items without a decision."""
        return self.total - self.done

    @property
    def undetected(self) -> tuple[float, float] | None:
        """95 % interval of the share of wrong expected values among agreed values; None without a sample."""
        return wilson_interval(self.sampled_wrong, self.sampled) if self.sampled else None


def find_review_files(run: Run, folder: Path = Path()) -> ReviewFiles:
    """The files beside the data of a run; relative paths start at `folder`. ConfigError if the data was not in files."""
    if run.manifest.corrections is not None:
        return ReviewFiles.at(folder / run.manifest.corrections.file)
    written = _corrections_of_suite(run)
    if written is not None:
        suite_folder = folder if run.manifest.suite_file is None else (folder / run.manifest.suite_file).parent
        corrections = suite_folder / written
        return ReviewFiles.at(corrections)
    source = next((source for source in run.sources if source.role in ("expected", "cases")), None)
    if source is None or source.bytes is None or "://" in source.file:
        what = f"the data of run {run.id} is not in local files, so there is no folder for its corrections"
        fix = "name one: `fieldwise review RUN --corrections FILE`"
        raise ConfigError([Diagnostic(code="no-data-folder", what=what, fix=fix)])
    corrections = find_corrections_file(folder / source.file)
    if not corrections.parent.is_dir():
        what, fix = f"the data of run {run.id} is no longer at {source.file}", "name a file: `fieldwise review RUN --corrections FILE`"
        raise ConfigError([Diagnostic(code="no-data-folder", what=what, fix=fix)])
    return ReviewFiles.at(corrections)


def _corrections_of_suite(run: Run) -> str | None:
    """What `cases: {corrections: …}` of the stored suite names; None if it names nothing."""
    try:
        suite: Any = yaml.safe_load(run.manifest.suite)
        written = suite["cases"]["corrections"]
    except (yaml.YAMLError, KeyError, TypeError):
        return None
    return written if isinstance(written, str) and written else None


class ReviewSession:
    """The review of one queue, by several people and processes at once: what others appended to the files is read before every answer."""

    def __init__(self, run: Run, queue: ReviewQueue, files: ReviewFiles) -> None:
        self.run = run
        self.queue = queue
        self.files = files
        self._index_of: dict[Place, int] = {item.place: index for index, item in enumerate(queue.items)}
        self._mutex = threading.Lock()
        self._log = ReviewLog(files.review)
        self._corrections: dict[Place, list[Correction]] = {}
        self._corrections_signature: tuple[int, int, int] | None = None
        self._statuses: dict[int, ItemStatus] = {}

    def find_index(self, case: str, path: str) -> int | None:
        """The position in the queue of a comparison."""
        return self._index_of.get((case, path))

    def read_status(self) -> dict[int, ItemStatus]:
        """The decided items, by position in the queue."""
        with self._mutex:
            changed = self._log.refresh() | self._refresh_corrections()
            for place in changed:
                index = self._index_of.get(place)
                if index is None:
                    continue
                decisions, corrections = self._log.in_force.get(place, ()), self._corrections.get(place, ())
                status = _find_status(self.run.id, self.queue.items[index], decisions, corrections)
                if status is None and corrections and self._has_corrected_value(self.queue.items[index], corrections[-1]):
                    status = _status_of(corrections[-1], is_applied=True)
                if status is None:
                    self._statuses.pop(index, None)
                else:
                    self._statuses[index] = status
            return dict(self._statuses)

    def _has_corrected_value(self, item: ReviewItem, correction: Correction) -> bool:
        """Whether the expected value of the run is what the last correction made of it."""
        if correction.action == "drop":
            return False
        if correction.action == "replace" and hash_value(correction.value) == item.expected_hash:
            return True
        if self.run.manifest.corrections is None:
            return False
        value = find_value(parse_record(self.run.case(item.case).expected), item.path)
        if correction.action == "replace":
            return hash_value(value) == hash_value(correction.value)
        return _accepted_hashes(correction.value) <= _accepted_hashes(value)

    def _refresh_corrections(self) -> set[Place]:
        """Read the corrections if their file has changed; the places that they name or named."""
        try:
            status = self.files.corrections.stat()
            signature = (status.st_ino, status.st_size, status.st_mtime_ns)
        except FileNotFoundError:
            signature = None
        if signature == self._corrections_signature:
            return set()
        before = {*self._corrections}
        self._corrections = {}
        for _, correction in list_lines(self.files.corrections):
            self._corrections.setdefault((correction.case, correction.path), []).append(correction)
        self._corrections_signature = signature
        return before | {*self._corrections}

    def progress(self, statuses: Mapping[int, ItemStatus]) -> ReviewProgress:
        """How far the review is."""
        counts: dict[str, int] = {}
        sampled = sampled_wrong = 0
        for index, status in statuses.items():
            counts[status.decision] = counts.get(status.decision, 0) + 1
            if self.queue.items[index].source == "sample" and status.decision != "skip" and not status.is_applied:
                sampled += 1
                sampled_wrong += status.decision == "expected_wrong"
        pace = _measure_pace([decision.at for decision in self._log.decisions[-_PACE_DECISIONS:]])
        left = len(self.queue) - len(statuses)
        return ReviewProgress(
            total=len(self.queue),
            done=len(statuses),
            counts=counts,
            seconds_left=left * (SECONDS_PER_ITEM if pace is None else pace),
            measured_pace=pace is not None,
            sampled=sampled,
            sampled_wrong=sampled_wrong,
        )

    def next_open(self, statuses: Mapping[int, ItemStatus], start: int = 0, taken: frozenset[int] = frozenset()) -> int | None:
        """The first open item from `start` on, then from the beginning. Items in `taken` are before others; they come last."""
        last_resort: int | None = None
        total = len(self.queue)
        for offset in range(total):
            index = (start + offset) % total
            if index in statuses:
                continue
            if index not in taken:
                return index
            last_resort = index if last_resort is None else last_resort
        return last_resort

    def decide(self, index: int, choice: Choice, *, by: str, typed: str | None = None) -> ReviewDecision:
        """Write a decision. AlreadyDecided if the item has one, ReviewProblem if it cannot be written; nothing is written then.

        A value that the run was scored with after its correction can be corrected again.
        """
        item = self.queue.items[index]
        comparison = load_comparison(self.run, item)
        with lock_review(self.files.review):
            status = self.read_status().get(index)
            if status is not None and not status.is_applied:
                raise AlreadyDecided(status)
            change = _make_change(item, comparison, choice, typed)
            if change is not None:
                self._append_correction(item, change, by)
            decision = _make_decision(self.run.id, item, choice, by)
            append_review(self.files.review, [decision])
        return decision

    def check_decision(self, index: int, choice: Choice, *, by: str, typed: str | None = None) -> None:
        """Raise what `decide` would raise, without writing; AlreadyDecided also for a correction that the run was scored with."""
        item = self.queue.items[index]
        status = self.read_status().get(index)
        if status is not None:
            raise AlreadyDecided(status)
        change = _make_change(item, load_comparison(self.run, item), choice, typed)
        if change is None:
            return
        correction, expected = self._make_correction(item, change, by)
        try:
            check_correction(self.files.corrections, correction, expected)
        except CorrectionProblem as error:
            raise _cannot_be_corrected(error) from error

    def _append_correction(self, item: ReviewItem, change: "_Change", by: str) -> None:
        correction, expected = self._make_correction(item, change, by)
        try:
            append_correction(self.files.corrections, correction, expected)
        except CorrectionProblem as error:
            raise _cannot_be_corrected(error) from error

    def _make_correction(self, item: ReviewItem, change: "_Change", by: str) -> tuple[Correction, Value]:
        """The correction, and the expected side of the case."""
        expected = self.run.case(item.case).expected
        seen = find_value(parse_record(expected), item.path)
        action, value = change.action, change.value
        if seen is MISSING and action == "accept_also":  # only `replace` can add a value
            action, value = "replace", {ANY: [value, None]}
        elif isinstance(seen, dict) and read_place(seen) is not None:  # the place beside the value stays
            value = {**seen, "value": {ANY: [seen["value"], value]} if action == "accept_also" else value}
            action = "replace"
        correction = Correction(
            case=item.case, path=item.path, expected_hash=hash_value(seen), action=action, value=value, why=change.why, by=by
        )
        return correction, expected

    def undo(self, by: str) -> int | None:
        """Take back the last decision of a person in this queue; returns its position, None if there is none."""
        with lock_review(self.files.review):
            log = read_review(self.files.review)
            # By identity: equal decisions may be made twice, and only the one in force can be taken back; `log` keeps all of them alive.
            own = {id(made[-1]) for place, made in log.in_force.items() if place in self._index_of and made[-1].by == by}
            last = next((decision for decision in reversed(log.decisions) if id(decision) in own), None)
            if last is None:
                return None
            index = self._index_of[last.place]
            if _needs_correction(self.queue.items[index], last.decision):
                self._undo_correction(last.place, by)
            append_review(self.files.review, [replace(last, decision="undo", at=utc_now())])
        return index

    def _undo_correction(self, place: Place, by: str) -> None:
        for line_hash, correction in reversed(list_lines(self.files.corrections)):
            if (correction.case, correction.path) == place and correction.by == by:
                undo_correction(self.files.corrections, line_hash, why="review: undone", by=by)
                return


def _find_status(
    run_id: str, item: ReviewItem, decisions: Sequence[ReviewDecision], corrections: Sequence[Correction]
) -> ItemStatus | None:
    """The decision that closes an item; None if it is open."""
    for decision in reversed(decisions):
        same_values = (decision.expected_hash, decision.actual_hash) == (item.expected_hash, item.actual_hash)
        if not (same_values or decision.run == run_id):
            continue
        if not _needs_correction(item, decision.decision) or corrections:
            return ItemStatus(decision.decision, decision.by, decision.at)
    for correction in reversed(corrections):
        if correction.expected_hash == item.expected_hash:
            return _status_of(correction)
    return None


def _status_of(correction: Correction, *, is_applied: bool = False) -> ItemStatus:
    decision = "both_right" if correction.action == "accept_also" else "expected_wrong"
    return ItemStatus(decision, correction.by, correction.at, is_applied)


def _accepted_hashes(value: Value) -> set[str | None]:
    """The hashes of a value, or of several accepted ones."""
    values = accepted_values(value)
    return {hash_value(item) for item in ([value] if values is None else values)}


def _cannot_be_corrected(error: CorrectionProblem) -> ReviewProblem:
    return ReviewProblem(f"the expected value cannot be corrected: {error}", error.fix)


def _needs_correction(item: ReviewItem, decision: str) -> bool:
    return decision == "expected_wrong" or (decision == "both_right" and not item.passed)


def _make_decision(run_id: str, item: ReviewItem, choice: Choice, by: str) -> ReviewDecision:
    return ReviewDecision(
        case=item.case,
        path=item.path,
        evaluator=item.evaluator,
        decision="expected_wrong" if choice in ("take_actual", "type") else choice,
        by=by,
        at=utc_now(),
        run=run_id,
        expected_hash=item.expected_hash,
        actual_hash=item.actual_hash,
    )


BLIND_CHOICES: Final = ("first_right", "second_right")
"""What a person chooses in a blind review: only A is right, only B is right."""


def name_sides(item: ReviewItem, *, blind: bool) -> Mapping[str, str]:
    """The names of the two sides; in a blind review A and B, which depend on the comparison only, so that a second look tells nothing."""
    if not blind:
        return {"expected": "expected", "actual": "actual"}
    digest = hashlib.sha256(f"{item.case}\0{item.path}".encode("utf-8", "surrogatepass")).digest()
    return {"expected": "A", "actual": "B"} if digest[0] % 2 else {"expected": "B", "actual": "A"}


def resolve_blind_choice(item: ReviewItem, choice: str) -> Choice:
    """The choice that is meant by one of BLIND_CHOICES; any other as it is."""
    if choice not in BLIND_CHOICES:
        return cast("Choice", choice)
    expected_is_first = name_sides(item, blind=True)["expected"] == "A"
    return "actual_wrong" if expected_is_first == (choice == "first_right") else "take_actual"


@dataclass(frozen=True, slots=True)
class _Change:
    """What a decision does to the expected value."""

    action: CorrectionAction
    value: Json
    why: str


def _make_change(item: ReviewItem, comparison: Comparison, choice: Choice, typed: str | None) -> _Change | None:
    """The correction that a choice needs; None if it needs none."""
    if choice in ("actual_wrong", "skip") or (choice == "both_right" and comparison.passed):
        return None
    if item.redacted:
        raise ReviewProblem("the values of this comparison were not stored (`redact`)", "judge the actual value, or skip it")
    if "[+" in item.path:
        fix = "if the item belongs in the expected list, edit the data"
        raise ReviewProblem("expected has no item that this one was compared with, so there is nothing to correct", fix)
    if choice == "both_right":
        return _Change("accept_also", comparison.actual, "review: both are right")
    if choice == "take_actual":
        if comparison.passed and hash_value(comparison.expected) == hash_value(comparison.actual):
            raise AlreadyApplied("both values are the same", "type the right value")
        return _Change("replace", comparison.actual, "review: actual is right")
    value = parse_typed(typed or "", comparison)
    if comparison.expected_presence != "missing" and hash_value(value) == hash_value(comparison.expected):
        raise AlreadyApplied("one of the two values is this one already", "choose that side, or type another value")
    return _Change("replace", value, "review: typed")


def parse_typed(text: str, comparison: Comparison) -> Json:
    """The value that a person typed, in the kind of the expected value; nothing typed is null.

    >>> from fieldwise.model.comparison import Comparison
    >>> sides = {"expected_presence": "present", "actual_presence": "present", "similarity": 0.0, "passed": False, "cause": None}
    >>> number = Comparison(path="n", field="n", outcome="wrong_value", expected=5, actual="6", **sides)
    >>> parse_typed(" 7.5", number), parse_typed("", number)
    (7.5, None)
    """
    text = text.strip()
    if not text:
        return None
    like: Any = comparison.expected if comparison.expected is not None else comparison.actual
    if isinstance(like, str) or like is None:
        return text
    try:
        value: Any = json.loads(text, parse_constant=_refuse_constant)
    except ValueError as error:
        kind = json_kind(like)
        what = f"`{text[:60]}` is not JSON, and the expected value is {'an' if kind == 'object' else 'a'} {kind}"
        raise ReviewProblem(what, 'write it as JSON, such as 12.5, true or "text"') from error
    return value


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _measure_pace(times: Sequence[str]) -> float | None:
    """The median seconds between decisions, without breaks; None if there are too few."""
    moments = sorted(moment for moment in map(_parse_time, times) if moment is not None)
    gaps = [later - earlier for earlier, later in pairwise(moments) if later - earlier <= _MAX_GAP]
    return max(median(gaps), 1.0) if len(gaps) >= _MIN_GAPS else None


def _parse_time(text: str) -> float | None:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None


def format_duration(seconds: float) -> str:
    """A working time in words.

    >>> format_duration(20), format_duration(240), format_duration(5 * 3600 + 1200)
    ('a minute', '4 minutes', '5 h 20 min')
    """
    minutes = math.ceil(seconds / 60)
    if seconds < 60:
        return "a minute"
    if minutes < 90:
        return f"{minutes} minute{'' if minutes == 1 else 's'}"
    return f"{minutes // 60} h {minutes % 60} min"
