"""Whether a system called the tools it should have called, in the order and with the arguments that matter.

>>> import fieldwise as fw
>>> config = {"type": "tool_trajectory", "mode": "in_order", "expected": ["search", {"tool": "fetch", "args": {"id": 7}}]}
>>> calls = [{"tool": "search", "args": {"query": "x"}}, {"tool": "fetch", "args": {"id": 8}}]
>>> result = fw.evaluate(config, actual=calls)
>>> result.score, result.hits, result.misses
(0.5, ['search'], ['fetch (arguments differ: id)'])
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, NamedTuple

from annotated_types import Ge

from fieldwise.evaluators.checks._calls import Call, calls_in, named
from fieldwise.evaluators.checks._places import place_problems, value_at
from fieldwise.evaluators.checks._trajectories import (
    Arguments,
    Pair,
    Trajectory,
    compare_arguments,
    in_any_order,
    in_order,
    place_by_place,
)
from fieldwise.model.batch import Batch
from fieldwise.model.case import Case
from fieldwise.model.faults import fault, unavailable
from fieldwise.model.options import Problem
from fieldwise.model.result import Result, Results
from fieldwise.model.values import MISSING
from fieldwise.registry import evaluator

_RECORDED: Final = ("actual", "metadata.tool_calls", "metadata.trace", "metadata.messages")
"""Where calls are looked for if no `path` is given; the first place that records any kind of trajectory counts."""
_PAIRINGS: Final = {"exact": place_by_place, "in_order": in_order}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTrajectory:
    """Which calls are expected, and how strictly."""

    mode: Literal["any_order", "in_order", "exact", "subset", "superset"] = "any_order"
    """any_order, superset: every expected call was made, others may have been. in_order: in that order, others may stand between.
    exact: these calls and no others, in that order. subset: no other calls than the expected ones were made."""
    expected: tuple[Call | str, ...] | None = None
    """Names of tools, or `{tool: search, args: {query: x}}`. Left out: what the case expects."""
    args: Arguments = "exact"
    """exact: the same arguments; subset: at least the expected ones; ignore: any. Or how single arguments match, such as
    `{query: {match: fuzzy, threshold: 0.8}}`, the others exactly. An expected call without arguments allows any."""
    minimums: Mapping[str, Annotated[int, Ge(1)]] = field(default_factory=dict[str, int])
    """With any_order: how often each tool must be called at least, whatever the arguments."""
    path: str | None = None
    """Where the calls stand in a case, such as `metadata.trace`. Left out: the output, else metadata.tool_calls, .trace, .messages."""
    expected_path: str = "expected"
    """Where the expected calls stand in a case."""

    def problems(self) -> Iterable[Problem]:
        """Places that no case has, and minimums where they mean nothing."""
        if self.path is not None:
            yield from place_problems("path", self.path)
        yield from place_problems("expected_path", self.expected_path)
        if self.minimums and self.mode != "any_order":
            yield "minimums", f"`minimums` is for `mode: any_order`, not for `{self.mode}`", "write `mode: any_order`, or list the calls"
        if any(call == "" for call in self.expected or ()):
            yield "expected", "a tool has no name", "write the name of a tool"


def _has_calls(case: Case, config: ToolTrajectory) -> bool:
    """Calls that are recorded beside the output are enough: a system may end without an answer."""
    return any(_recorded(case, config))


@evaluator(reads="case", needs_expected=False, has_output=_has_calls, counts=("matched", "expected", "actual"), version=2)
def tool_trajectory(batch: Batch, config: ToolTrajectory) -> Results:
    """The share of calls that are as expected."""
    read = [_read(batch.cases.at(row), config) for row in range(len(batch))]
    compare_arguments(batch, [one for one in read if one is not None], config.args)
    return Results.from_results([_result(one, config) for one in read])


def _read(case: Case, config: ToolTrajectory) -> Trajectory | None:
    """The two trajectories of a case; None if nothing is expected of it."""
    expected = _expected(case, config)
    if expected is None and not config.minimums:
        return None
    return Trajectory(expected or [], next((calls for calls in _recorded(case, config) if calls is not None), []))


def _recorded(case: Case, config: ToolTrajectory) -> Iterator[list[Call] | None]:
    """The calls of each place where they may stand; None where nothing is recorded."""
    places = (config.path,) if config.path is not None else _RECORDED
    return (calls_in(value_at(case, place)) for place in places)


def _expected(case: Case, config: ToolTrajectory) -> list[Call] | None:
    if config.expected is not None:
        return [Call(tool=call) if isinstance(call, str) else call for call in config.expected]
    value = value_at(case, config.expected_path)
    return None if value is MISSING else calls_in(value)


class _Judged(NamedTuple):
    hits: list[str]
    misses: list[str]


def _result(trajectory: Trajectory | None, config: ToolTrajectory) -> Result:
    if trajectory is None:
        return Result(status="skipped", reasoning=f"the case names no expected calls under `{config.expected_path}`")
    if trajectory.faults:
        first = trajectory.faults[0]
        return unavailable(first.what, first.fix) if first.code == "unavailable" else fault(first.what)
    every = in_any_order(trajectory)
    pairs = _PAIRINGS[config.mode](trajectory) if config.mode in _PAIRINGS else every
    judged, least = _judged(trajectory, pairs, every, config.mode), _minimums(trajectory, config.minimums)
    of = _of(trajectory, config.mode)
    nothing = [] if of or config.minimums else ["no calls" if not trajectory.actual else "no calls expected"]
    total = of + len(config.minimums)
    return Result(
        score=(len(pairs) * bool(of) + len(least.hits)) / total if total else 1.0,
        hits=[*judged.hits, *least.hits, *nothing],
        misses=[*judged.misses, *least.misses],
        reasoning=f"{_reached(trajectory, len(pairs), least, config)}, {len(trajectory.actual)} made",
        metrics={**_numbers(trajectory, len(pairs), config), "order_correct": len(in_order(trajectory)) == len(every)},
        details={
            "expected_calls": named(trajectory.expected),
            "actual_calls": named(trajectory.actual),
            "pairs": [list(pair) for pair in sorted(pairs)],
            "flags": ["nothing_expected"] if not trajectory.expected and not config.minimums else [],
        },
    )


def _of(trajectory: Trajectory, mode: str) -> int:
    """How many calls could be right."""
    expected, actual = len(trajectory.expected), len(trajectory.actual)
    return max(expected, actual) if mode == "exact" else actual if mode == "subset" else expected


def _reached(trajectory: Trajectory, matched: int, least: _Judged, config: ToolTrajectory) -> str:
    calls = f"{matched} of {len(trajectory.expected)} expected calls"
    often = f"{len(least.hits)} of {len(config.minimums)} tools called often enough"
    return calls if not config.minimums else often if not trajectory.expected else f"{calls}, {often}"


def _numbers(trajectory: Trajectory, matched: int, config: ToolTrajectory) -> dict[str, float]:
    expected, actual = len(trajectory.expected), len(trajectory.actual)
    nothing = not expected and not actual
    counts: dict[str, float] = {"matched": matched, "expected": expected, "actual": actual}
    if config.minimums and not expected:  # there is no list of calls to be precise about
        return counts
    return {
        **counts,
        "precision": matched / actual if actual else float(nothing),
        "recall": matched / expected if expected else float(nothing),
        "f1": 2 * matched / (expected + actual) if not nothing else 1.0,
    }


def _judged(trajectory: Trajectory, pairs: Sequence[Pair], every: Sequence[Pair], mode: str) -> _Judged:
    """Calls that are right by their expected names, then what is missing, then what is too much."""
    wanted, made = named(trajectory.expected), named(trajectory.actual)
    paired, used = {i for i, _ in pairs}, {j for _, j in pairs}
    misses: list[str] = []
    if mode != "subset":
        elsewhere = {i for i, _ in every}
        for i, label in enumerate(wanted):
            if i in paired:
                continue
            if i in elsewhere:
                misses.append(f"{label} (out of order)")
                used |= {j for at, j in every if at == i}
                continue
            near = next((j for j in range(len(made)) if j not in used and trajectory.differing.get((i, j))), None)
            if near is None:
                misses.append(f"missing: {label}")
            else:
                used.add(near)
                misses.append(f"{label} ({_differ(trajectory.differing[i, near])})")
    if mode in ("exact", "subset"):
        misses += [f"unexpected: {label}" for j, label in enumerate(made) if j not in used]
    return _Judged([wanted[i] for i in sorted(paired)], misses)


def _differ(arguments: Sequence[str]) -> str:
    names = [name for name in arguments if name]
    return f"arguments differ: {', '.join(names)}" if names else "arguments differ"


def _minimums(trajectory: Trajectory, minimums: Mapping[str, int]) -> _Judged:
    made = [call.tool for call in trajectory.actual]
    judged = _Judged([], [])
    for tool, least in minimums.items():
        count = made.count(tool)
        (judged.hits if count >= least else judged.misses).append(f"{tool} ({count} of at least {least})")
    return judged
