"""Which calls of a trajectory are which: arguments compared in one batch, calls paired in any order, in order, or place by place."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from fieldwise.evaluators.checks._calls import Call
from fieldwise.kernels.assignment import assign
from fieldwise.kernels.values import same
from fieldwise.model.batch import Batch
from fieldwise.model.comparison import Outcome
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.path import Path
from fieldwise.model.rule import CompareSpec, FieldRule, Match
from fieldwise.model.values import MISSING, kind

Pair: TypeAlias = tuple[int, int]
Arguments: TypeAlias = Literal["exact", "subset", "ignore"] | Mapping[str, Match]


@dataclass(frozen=True, slots=True)
class Trajectory:
    """What was expected and what was called, with the arguments that differ for every pair of calls of one tool."""

    expected: Sequence[Call]
    actual: Sequence[Call]
    differing: dict[Pair, tuple[str, ...]] = field(default_factory=dict[Pair, tuple[str, ...]])
    faults: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def fits(self, pair: Pair) -> bool:
        """Whether an expected call and a call that was made are the same."""
        return self.differing.get(pair) == ()


def compare_arguments(batch: Batch, trajectories: Sequence[Trajectory], how: Arguments) -> None:
    """Find the arguments that differ, for every expected call with every call of the same tool."""
    waiting: list[tuple[Trajectory, Pair]] = []
    for trajectory in trajectories:
        for i, expected in enumerate(trajectory.expected):
            for j, actual in enumerate(trajectory.actual):
                if expected.tool != actual.tool:
                    continue
                if expected.args is None or how == "ignore":
                    trajectory.differing[i, j] = ()
                elif isinstance(how, str):
                    trajectory.differing[i, j] = _differing(expected.args, actual.args or {}, how == "subset")
                else:
                    waiting.append((trajectory, (i, j)))
    if waiting and not isinstance(how, str):
        _by_match(batch, waiting, how)


def _differing(expected: Mapping[str, Any], actual: Mapping[str, Any], subset: bool) -> tuple[str, ...]:
    alike: Callable[[Any, Any], bool] = _within if subset else same
    wrong = [key for key, value in expected.items() if key not in actual or not alike(value, actual[key])]
    return tuple(wrong if subset else [*wrong, *(key for key in actual if key not in expected)])


def _within(expected: Any, actual: Any) -> bool:
    """Whether an object is part of another, however deep; anything else must be equal."""
    if kind(expected) != "object" or kind(actual) != "object":
        return same(expected, actual)
    return all(key in actual and _within(value, actual[key]) for key, value in expected.items())


def _by_match(batch: Batch, waiting: Sequence[tuple[Trajectory, Pair]], matches: Mapping[str, Match]) -> None:
    """Compare arguments as the engine compares the fields of records."""
    rules = tuple(FieldRule(path=Path((name,)), text=name, match=match) for name, match in matches.items())
    expected = [trajectory.expected[i].args for trajectory, (i, _) in waiting]
    actual = [trajectory.actual[j].args or {} for trajectory, (_, j) in waiting]
    found = batch.compare_records(CompareSpec(rules=rules, open="keys"), expected, actual)
    for row, (trajectory, pair) in enumerate(waiting):
        wrong: list[str] = []
        for at in found.rows_of(row).tolist():
            outcome = int(found.outcome[at])
            if at in found.faults:
                trajectory.faults.append(found.faults[at])
            unsaid = outcome == Outcome.BOTH_ABSENT and found.expected[at] is MISSING
            if not found.passed[at] and outcome != Outcome.IGNORED and not unsaid:
                wrong.append(found.paths[int(found.path[at])])
        trajectory.differing[pair] = tuple(wrong)


def in_any_order(trajectory: Trajectory) -> list[Pair]:
    """As many pairs of calls as can be made."""
    alike = place_by_place(trajectory)
    if len(alike) == len(trajectory.expected):  # most trajectories are right from the start
        return alike
    grid = np.zeros((len(trajectory.expected), len(trajectory.actual)))
    for pair in trajectory.differing:
        grid[pair] = trajectory.fits(pair)
    return [pair for pair in assign(grid) if trajectory.fits(pair)] if grid.size else []


def in_order(trajectory: Trajectory) -> list[Pair]:
    """As many pairs of calls as can be made without crossing: the longest common subsequence."""
    alike = place_by_place(trajectory)
    if len(alike) == len(trajectory.expected):
        return alike
    rows, columns = len(trajectory.expected), len(trajectory.actual)
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            best[i][j] = best[i + 1][j + 1] + 1 if trajectory.fits((i, j)) else max(best[i + 1][j], best[i][j + 1])
    pairs: list[Pair] = []
    i = j = 0
    while i < rows and j < columns:
        if trajectory.fits((i, j)):
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def place_by_place(trajectory: Trajectory) -> list[Pair]:
    """The places where the right call stands."""
    return [(i, i) for i in range(min(len(trajectory.expected), len(trajectory.actual))) if trajectory.fits((i, i))]
