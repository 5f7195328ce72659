"""Several evaluators as one: a weighted mean, all or nothing, or the share of those that pass, with members that must not fail.

>>> import fieldwise as fw
>>> safe = {"type": "contains", "name": "safe", "value": "password", "negate": True, "required": True, "weight": 0}
>>> short = {"type": "length", "name": "short", "max": 20}
>>> fw.evaluate({"type": "composite", "evaluators": [safe, short]}, actual="It is hunter2.").score
1.0
>>> fw.evaluate({"type": "composite", "evaluators": [safe, short]}, actual="The password.").misses
['safe (required)', 'safe: not contains: "password"']
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fieldwise.evaluators.judges._members import Flags, Floats, Part, joint_comparisons, member_rules, prefixed
from fieldwise.model.batch import Batch
from fieldwise.model.options import Inferring, Problem
from fieldwise.model.plan import Member
from fieldwise.model.result import Labels, Results, Status
from fieldwise.model.rule import FieldRule, ListRule
from fieldwise.registry import evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class Composite:
    """Which evaluators, and how their scores become one."""

    evaluators: tuple[Member, ...]
    """The members, written as evaluators are, or the name of an evaluator of the suite; each with a `weight`, and with `required: true` (it
    must pass) or `required: 0.8` (it must score at least that) where the whole scores 0 without it."""
    aggregation: Literal["weighted_average", "all_or_nothing", "threshold"] = "weighted_average"
    """The weighted mean of the members' scores; 1 only if every member passes; or the weighted share of members that pass, which
    `threshold` (the same as `pass_at`) decides on."""

    def problems(self) -> Iterable[Problem]:
        """Members none of which counts."""
        if not any(member.evaluator.weight > 0 for member in self.evaluators):
            yield "evaluators", "every member has weight 0, so there is nothing to score", "give one a weight, or leave `weight` out"

    def why_pass_at(self) -> str | None:
        """A share needs a cut to pass at."""
        return (
            "`aggregation: threshold` needs `threshold`, the share of members that must pass" if self.aggregation == "threshold" else None
        )

    @property
    def fields(self) -> tuple[FieldRule, ...]:
        """The fields that members compare."""
        return member_rules(self.evaluators)

    def needs_rules(self) -> bool:
        """Whether a member has no rules and needs some."""
        return any(isinstance(one.evaluator.config, Inferring) and one.evaluator.config.needs_rules() for one in self.evaluators)

    def with_rules(self, fields: tuple[FieldRule, ...], lists: tuple[ListRule, ...]) -> "Composite":
        """The same, with these rules for the members that have none."""
        return replace(self, evaluators=tuple(_with_rules(member, fields, lists) for member in self.evaluators))


def _with_rules(member: Member, fields: tuple[FieldRule, ...], lists: tuple[ListRule, ...]) -> Member:
    config = member.evaluator.config
    if not isinstance(config, Inferring) or not config.needs_rules():
        return member
    return replace(member, evaluator=replace(member.evaluator, config=config.with_rules(fields, lists)))


@evaluator(reads="case", needs_expected=False, counts=("members_passed", "members_counted"), version=1)
def composite(batch: Batch, config: Composite) -> Results:
    """One score from the scores of several evaluators."""
    parts = [Part.of(member, batch.evaluate(member.evaluator)) for member in config.evaluators]
    counted = [part.measured if part.weight > 0 else np.zeros(len(batch), dtype=np.bool_) for part in parts]
    below: Flags = np.logical_or.reduce([part.below for part in parts])
    status = _status(parts, counted, below)
    score = np.where(below | (status != Status.SCORED), 0.0, _aggregate(parts, counted, config.aggregation))
    whole = _Whole(parts, status, config.aggregation)
    rows = range(len(batch))
    return Results(
        score=score,
        status=status,
        hits=Labels.of(map(whole.hits, rows)),
        misses=Labels.of(map(whole.misses, rows)),
        reasoning=[whole.reasoning(row) for row in rows],
        metrics=_metrics(parts, counted),
        details=whole.details,
        comparisons=joint_comparisons(parts),
        flags=Labels.of([flag for part in parts for flag in _flags(part, row)] for row in rows),
    )


def _aggregate(parts: Sequence[Part], counted: Sequence[Flags], how: str) -> Floats:
    """Member by member, so that a score does not depend on the batch it was computed in."""
    total, weight = np.zeros(len(counted[0])), np.zeros(len(counted[0]))
    for part, here in zip(parts, counted, strict=True):
        value = part.results.score if how == "weighted_average" else part.passed.astype(np.float64)
        total += np.where(here, part.weight * value, 0.0)
        weight += np.where(here, part.weight, 0.0)
    share: Floats = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0).clip(max=1.0)
    if how != "all_or_nothing":
        return share
    failed: Flags = np.logical_or.reduce([here & ~part.passed for part, here in zip(parts, counted, strict=True)])
    return np.where(failed, 0.0, np.ceil(share))


def _status(parts: Sequence[Part], counted: Sequence[Flags], below: Flags) -> NDArray[np.uint8]:
    """A fault of a needed member is a fault of the whole, then one that is unavailable; without any score it is skipped."""
    some: Flags = np.logical_or.reduce(list(counted)) | below
    status = np.where(some, Status.SCORED, Status.SKIPPED).astype(np.uint8)
    only_failures = np.logical_and.reduce([part.failed | ~here for part, here in zip(parts, counted, strict=True)])
    status[some & only_failures & ~below] = Status.ERROR
    needed = [part for part in parts if part.needed]
    for part in needed:
        status[part.results.status == Status.UNAVAILABLE] = Status.UNAVAILABLE
    for part in needed:
        status[(part.results.status == Status.ERROR) & ~part.failed] = Status.ERROR
    return status


def _metrics(parts: Sequence[Part], counted: Sequence[Flags]) -> dict[str, Floats]:
    scores = {f"member.{part.name}": np.where(part.measured, part.results.score, np.nan) for part in parts}
    passed = sum((here & part.passed).astype(np.float64) for part, here in zip(parts, counted, strict=True))
    return {**scores, "members_passed": np.asarray(passed), "members_counted": np.sum(counted, axis=0).astype(np.float64)}


def _flags(part: Part, row: int) -> list[str]:
    flags = part.results.flags
    return [] if flags is None else prefixed(part.name, flags.at(row))


@dataclass(frozen=True, slots=True)
class _Whole:
    """The members of a batch, put into words case by case."""

    parts: Sequence[Part]
    status: NDArray[np.uint8]
    aggregation: str

    def hits(self, row: int) -> list[str]:
        """What members call right; a member that passes and names nothing is a hit itself."""
        measured = [part for part in self.parts if part.measured[row] and part.weight > 0]
        found: list[str] = []
        for part in measured:
            own = prefixed(part.name, part.results.hits.at(row))
            found += own or ([part.name] if part.passed[row] else [])
        return found

    def misses(self, row: int) -> list[str]:
        """What members call wrong, required ones first; where members pass or fail, those of a member that passes do not count."""
        found = [f"{part.name} (required)" for part in self.parts if part.below[row]]
        for part in self.parts:
            if not part.needed or (self.aggregation != "weighted_average" and part.passed[row]):
                continue
            own = prefixed(part.name, part.results.misses.at(row))
            failed = part.measured[row] and not part.passed[row]
            found += own or ([f"{part.name} ({part.results.score[row]:.2f})"] if failed else [])
        return found

    def reasoning(self, row: int) -> str:
        """Each member's score, or why there is none."""
        if self.status[row] in (Status.UNAVAILABLE, Status.ERROR) and (reason := self._reason(row)):
            return reason
        return ", ".join(
            f"{part.name} {part.results.score[row]:.2f}" if part.measured[row] else f"{part.name} {self._label(part, row)}"
            for part in self.parts
        )

    def _label(self, part: Part, row: int) -> str:
        return Status(int(part.results.status[row])).label

    def _reason(self, row: int) -> str | None:
        """Why the whole has no score: the first needed member that has the same status."""
        wrong = (part for part in self.parts if part.needed and part.results.status[row] == self.status[row])
        first = next((part for part in wrong if self.status[row] != Status.ERROR or not part.failed[row]), None)
        return f"{first.name}: {first.results.reasoning[row]}" if first else None

    def details(self, row: int) -> Mapping[str, Any]:
        """What each member says; whose fault it is where there is no score."""
        flags = [flag for part in self.parts for flag in _flags(part, row)]
        details: dict[str, Any] = {"members": {part.name: part.to_json(row) for part in self.parts}}
        reason = self._reason(row)
        if self.status[row] == Status.ERROR:
            details |= {"fault": "ours", "reason": reason} if reason else {"fault": "system", "reason": "no member can read the output"}
        elif self.status[row] == Status.UNAVAILABLE:
            details["reason"] = reason
        return details | ({"flags": flags} if flags else {})
