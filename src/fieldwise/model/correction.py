"""Corrections: decisions about expected values that are wrong, kept beside the data, never in it.

A correction names a case, a path and the hash of the value that it was made for. Applied to another value, it is stale.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import field
from typing import Any, Final, Literal, TypeAlias, get_args

from fieldwise.dataclass import dataclass
from fieldwise.model.accepted_values import ANY, accepted_values
from fieldwise.model.path import ROOT, MalformedPath, Path, Step, value_at
from fieldwise.model.values import MISSING, Json, Value

CorrectionAction: TypeAlias = Literal["replace", "accept_also", "drop"]
"""`replace` the expected value, `accept_also` another one, or `drop` it: it is left out of the score."""
ACTIONS: Final[tuple[str, ...]] = get_args(CorrectionAction)
UNDO: Final = "undo"
"""The action of a line that takes back an earlier one, which `undoes` names by the hash of its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """One decision about an expected value."""

    case: str
    """The id of the case."""
    path: str
    """Where the value is, as in a comparison: `line_items[2].amount`; `(root)` for the whole expected value."""
    expected_hash: str | None
    """Hash of the value that the decision is about; None if expected has no value there."""
    action: CorrectionAction
    value: Json = None
    """The new or further value; None for `drop`."""
    why: str = ""
    by: str = ""
    at: str = ""
    """When, in ISO 8601."""
    line: int | None = None
    """Its line in the file."""

    def to_json(self) -> dict[str, Any]:
        """The line of the file as a dict."""
        names = ("case", "path", "expected_hash", "action", "value", "why", "by", "at")
        return {name: getattr(self, name) for name in names if name != "value" or self.action != "drop"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionSet:
    """The corrections of a file that are in force, without those taken back."""

    file: str
    corrections: tuple[Correction, ...] = ()
    by_case: Mapping[str, Sequence[Correction]] = field(default_factory=dict)

    @classmethod
    def of(cls, file: str, corrections: Iterable[Correction]) -> "CorrectionSet":
        """Group corrections by case, in the order of the file."""
        ordered = tuple(corrections)
        by_case: dict[str, list[Correction]] = {}
        for correction in ordered:
            by_case.setdefault(correction.case, []).append(correction)
        return cls(file=file, corrections=ordered, by_case=by_case)


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedCorrections:
    """The corrections that a run applied, and the score of each evaluator before and after."""

    file: str
    applied: int
    """Number of corrections applied to the cases of the run."""
    cases: int
    """Number of cases that they changed."""
    actions: Mapping[str, int] = field(default_factory=dict)
    """Action → number of corrections."""
    scores: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    """Evaluator → `before` and `after`; None where nothing was measured. Evaluators that ask a model are left out."""

    def describe(self) -> str:
        """The corrections in words: `3 corrections applied to 2 cases (corrections.jsonl): fields.score 0.9000 before, 0.9500 after`."""
        count = f"{self.applied} correction{'' if self.applied == 1 else 's'} applied to {self.cases} case{'' if self.cases == 1 else 's'}"
        changes = [
            f"{name}.score {_format_score(score['before'])} before, {_format_score(score['after'])} after"
            for name, score in self.scores.items()
        ]
        name = self.file.replace("\\", "/").rsplit("/", 1)[-1]
        return f"{count} ({name})" + (f": {'; '.join(changes)}" if changes else "")


def _format_score(score: float | None) -> str:
    return "not measured" if score is None else f"{score:.4f}"


def hash_value(value: Value) -> str | None:
    """`sha256:` and the SHA-256 of the value as canonical JSON (sorted keys, no spaces, UTF-8); None for a missing value.

    >>> hash_value({"b": 1, "a": "é"})
    'sha256:aa58fba8483623bed37c1b02edfccbdd9a53123837c20bfa4cb4049993a2872e'
    """
    if value is MISSING:
        return None
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return _hash_bytes(text.encode(errors="surrogatepass"))


def hash_line(line: str | bytes) -> str:
    """The name of a line of the file, by which `undo` refers to it: the hash of its text without the line end."""
    content = line.encode(errors="surrogatepass") if isinstance(line, str) else line
    return _hash_bytes(content.strip())


def _hash_bytes(content: bytes) -> str:
    from hashlib import sha256

    return f"sha256:{sha256(content).hexdigest()}"


class CorrectionProblem(ValueError):
    """A correction that cannot be applied. `code` is `stale-correction` or `unknown-correction`."""

    def __init__(self, code: str, what: str, fix: str) -> None:
        self.code, self.fix = code, fix
        super().__init__(what)


def find_value(expected: Value, path: str) -> Value:
    """The expected value at the path of a comparison; MISSING if there is none."""
    try:
        return value_at(expected, _parse_steps(path))
    except CorrectionProblem:
        return MISSING


class CorrectedRecord:
    """The expected value of one case while its corrections are applied; the value given is never changed."""

    def __init__(self, expected: Value) -> None:
        self._original = expected
        self._value: Any = deepcopy(expected)
        self._changes: dict[tuple[Step, ...], list[Correction]] = {}
        self._removed_items: set[tuple[Step, ...]] = set()

    def apply(self, correction: Correction) -> None:
        """Apply one correction; CorrectionProblem if it is stale or its path does not exist."""
        steps = _parse_steps(correction.path)
        current = value_at(self._value, steps)
        if not self._is_fresh(correction, steps, current):
            raise _explain_mismatch(correction, value_at(self._original, steps), current)
        self._changes.setdefault(steps, []).append(correction)
        if correction.action == "drop" and steps and isinstance(value_at(self._value, steps[:-1]), list):
            self._removed_items.add(steps)  # removed at the end: until then, indexes are those of the data
            return
        self._set(steps, _change_value(current, correction))

    def _is_fresh(self, correction: Correction, steps: tuple[Step, ...], current: Value) -> bool:
        """True if the hash is that of the current value, or of the original one where earlier corrections do not conflict with it."""
        if correction.expected_hash == hash_value(current):
            return current is not MISSING or (correction.action != "drop" and self._can_add(steps))
        earlier = self._changes.get(steps, ())
        if not earlier or correction.expected_hash != hash_value(value_at(self._original, steps)):
            return False
        both_accept = {correction.action, *(change.action for change in earlier)} == {"accept_also"}
        last = earlier[-1]
        is_same_decision = correction.action == last.action and hash_value(correction.value) == hash_value(last.value)
        return both_accept or is_same_decision

    def _can_add(self, steps: tuple[Step, ...]) -> bool:
        """True if a value can be added there: a key of an object, or the item after the last one of a list."""
        if not steps:
            return False
        parent = value_at(self._value, steps[:-1])
        return isinstance(parent, dict) or (isinstance(parent, list) and steps[-1] == len(parent))

    def _set(self, steps: tuple[Step, ...], value: Any) -> None:
        if not steps:
            self._value = value
            return
        parent, step = value_at(self._value, steps[:-1]), steps[-1]
        if isinstance(parent, dict):
            parent[str(step)] = value
        elif step == len(parent):
            parent.append(value)
        else:
            parent[step] = value

    @property
    def value(self) -> Any:
        """The corrected expected value."""
        corrected = deepcopy(self._value)
        for steps in sorted(self._removed_items, key=_removal_order, reverse=True):
            parent = value_at(corrected, steps[:-1])
            del parent[steps[-1]]
        return corrected


def _removal_order(steps: tuple[Step, ...]) -> list[tuple[int, str]]:
    return [(step, "") if isinstance(step, int) else (-1, str(step)) for step in steps]


def _parse_steps(path: str) -> tuple[Step, ...]:
    if path == ROOT:
        return ()
    try:
        steps = Path.parse(path).steps
    except MalformedPath as error:
        raise CorrectionProblem(
            "unknown-correction", f"the path cannot be read: {error}", error.fix or "write it as in the report"
        ) from None
    if Path(steps).each_count or any(isinstance(step, int) and step < 0 for step in steps):
        fix = "write the index of an item: `line_items[2].amount`"
        raise CorrectionProblem("unknown-correction", f"`{path}` does not name one value", fix)
    return steps


def _change_value(current: Value, correction: Correction) -> Any:
    value = deepcopy(correction.value)
    if correction.action == "drop":
        return {ANY: []}
    if correction.action == "replace":
        return value
    values = accepted_values(None if current is MISSING else current)
    present = [None if current is MISSING else current] if values is None else list(values)  # absence is accepted, too
    further = accepted_values(value)
    hashes = {hash_value(item) for item in present}  # by hash, because `true` equals 1 in Python
    added = [item for item in ([value] if further is None else further) if hash_value(item) not in hashes]
    return {ANY: [*present, *added]}


def _explain_mismatch(correction: Correction, original: Value, current: Value) -> CorrectionProblem:
    if current is MISSING and correction.expected_hash is None:
        what, fix = "expected has no value there, and none can be added", "use `replace`, at a path whose parent exists"
        return CorrectionProblem("unknown-correction", what, fix)
    if current is MISSING:
        return CorrectionProblem("unknown-correction", "expected has no value at this path", "take the path from the report of a run")
    if correction.expected_hash == hash_value(original):
        what, fix = "an earlier line has changed this value already", "take one of the two back"
        return CorrectionProblem("stale-correction", what, fix)
    shown = json.dumps(current, ensure_ascii=False)
    what = f"it is stale: it was made for another expected value than {shown if len(shown) <= 60 else shown[:57] + '…'}"
    return CorrectionProblem("stale-correction", what, f"decide again for this value, whose hash is {hash_value(current)}")
