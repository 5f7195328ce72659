"""`review.jsonl`: every decision of a review, one JSON object a line, beside the data.

A line has {case, path, evaluator, decision, by, at, run, expected_hash, actual_hash}. `decision` is one of DECISIONS. The hashes say which
two values were judged: a decision holds in every run whose comparison has the same two values, so a new run does not reopen it. The file is
append-only; `undo` takes back the last decision of the same person about the same comparison.
"""

import json
import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TypeAlias, get_args

from fieldwise.store.atomic import sync_folder

REVIEW_FILE: Final = "review.jsonl"
Decision: TypeAlias = Literal["expected_wrong", "both_right", "actual_wrong", "skip", "undo"]
DECISIONS: Final[tuple[str, ...]] = get_args(Decision)
_LOCK_SECONDS: Final = 10.0
Place: TypeAlias = tuple[str, str]
"""A case and a path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewDecision:
    """One decision of a person about one comparison."""

    case: str
    path: str
    evaluator: str
    decision: Decision
    by: str
    """Who decided."""
    at: str
    """When, in UTC: `2026-03-14T09:26:53Z`."""
    run: str = ""
    """The run whose comparison was shown."""
    expected_hash: str | None = None
    actual_hash: str | None = None

    @property
    def place(self) -> Place:
        """The case and the path."""
        return self.case, self.path


_KEYS: Final = frozenset(field.name for field in fields(ReviewDecision))
_REQUIRED: Final = ("case", "path", "evaluator", "decision", "by", "at")


def utc_now() -> str:
    """The time of a decision that is made now.

    >>> len(utc_now())
    20
    """
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class ReviewLog:
    """The decisions of a file, oldest first. `refresh` reads only what was appended since, so that a long review stays fast."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._clear()

    def _clear(self) -> None:
        self.decisions: list[ReviewDecision] = []
        self.unreadable: list[int] = []
        """The numbers of lines that are no decision, such as one that a crash cut off."""
        self.in_force: dict[Place, list[ReviewDecision]] = {}
        """By case and path, the decisions that were not taken back, oldest first."""
        self._inode = self._size = self._lines = 0

    def refresh(self) -> set[Place]:
        """Read what is new; the places whose decisions changed. A missing file has no decisions."""
        try:
            with self._file.open("rb") as stream:
                return self._read_from(stream)
        except FileNotFoundError:
            changed = {*self.in_force}
            self._clear()
            return changed

    def _read_from(self, stream: BinaryIO) -> set[Place]:
        status = os.fstat(stream.fileno())
        changed: set[Place] = set()
        if status.st_ino != self._inode or status.st_size < self._size:  # another file
            changed = {*self.in_force}
            self._clear()
            self._inode = status.st_ino
        stream.seek(self._size)
        content = stream.read()
        complete = content[: content.rfind(b"\n") + 1]  # a line that is being written, or that a crash cut off, is no decision yet
        self._size += len(complete)
        for line in complete.split(b"\n")[:-1]:
            self._lines += 1
            if line.strip():
                changed |= self._add_line(line)
        return changed

    def _add_line(self, line: bytes) -> set[Place]:
        decision = _parse_line(line)
        if decision is None:
            self.unreadable.append(self._lines)
            return set()
        self.decisions.append(decision)
        made = self.in_force.setdefault(decision.place, [])
        if decision.decision != "undo":
            made.append(decision)
            return {decision.place}
        for index in range(len(made) - 1, -1, -1):
            if made[index].by == decision.by:
                del made[index]
                break
        if not made:
            del self.in_force[decision.place]
        return {decision.place}


def read_review(file: Path) -> ReviewLog:
    """Read a file of decisions; a missing file has none."""
    log = ReviewLog(file)
    log.refresh()
    return log


def _parse_line(line: bytes) -> ReviewDecision | None:
    try:
        values: Any = json.loads(line)
        if not all(isinstance(values[key], str) for key in _REQUIRED):
            return None
        decision = ReviewDecision(**{key: value for key, value in values.items() if key in _KEYS})
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return decision if decision.decision in DECISIONS else None


def append_review(file: Path, decisions: Iterable[ReviewDecision]) -> None:
    """Append decisions; they are on disk when this returns. A caller that decides by what the file says holds `lock_review`."""
    append_lines(file, [json.dumps(asdict(decision), ensure_ascii=False) for decision in decisions])


def append_lines(file: Path, lines: Iterable[str]) -> None:
    """Append lines in one write, on a line of their own even if a crash cut off the last one."""
    text = "".join(f"{line}\n" for line in lines)
    if not text:
        return
    is_new = not file.exists()
    with file.open("ab+") as stream:
        if stream.seek(0, os.SEEK_END):
            stream.seek(-1, os.SEEK_END)
            if stream.read(1) != b"\n":
                text = f"\n{text}"
        stream.write(text.encode("utf-8", "backslashreplace"))
        stream.flush()
        os.fsync(stream.fileno())
    if is_new:
        sync_folder(file.parent)


@contextmanager
def lock_review(file: Path) -> Generator[None]:
    """Hold the lock of a file of decisions, so that two people who decide at once see each other's decisions."""
    from filelock import FileLock

    with FileLock(file.with_name(f".{file.name}.lock"), timeout=_LOCK_SECONDS):
        yield
