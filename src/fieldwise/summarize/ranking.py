"""Ranks several runs by the primary metric of each evaluator, and says which differences are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from fieldwise.dataclass import dataclass
from fieldwise.model.change import Change, Changes

RunPair = tuple[int, int]
"""Positions of two runs: the base and the new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedRun:
    """One of several compared runs, with the runs that it is shown to be better or worse than."""

    label: str
    run: str
    value: float
    """Mean of the primary metric."""
    n: int
    better_than: tuple[str, ...] = ()
    worse_than: tuple[str, ...] = ()
    not_shown: tuple[str, ...] = ()
    """Runs from which no difference is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedComparison:
    """Two or more runs: the comparison of every pair, adjusted together, and the runs from best to worst by evaluator."""

    labels: Sequence[str]
    """What the user calls each run, the base first."""
    pairs: Sequence[Changes]
    rankings: Mapping[str, Sequence[RankedRun]]


def rank_runs(labels: Sequence[str], ids: Sequence[str], pairs: Mapping[RunPair, Changes]) -> dict[str, list[RankedRun]]:
    """By evaluator the runs from best to worst, from the comparisons of every pair, which are adjusted together."""
    rankings: dict[str, list[RankedRun]] = {}
    for name in dict.fromkeys(name for changes in pairs.values() for name in changes.evaluators):
        entries: dict[int, RankedRun] = {}
        is_lower_better = False
        for (base, new), changes in pairs.items():
            change = _find_primary(changes, name)
            if change is None:
                continue
            is_lower_better = change.lower_is_better
            for run, compared_run, value in ((base, new, change.base), (new, base, change.new)):
                entry = entries.get(run) or RankedRun(label=labels[run], run=ids[run], value=value, n=change.n)
                entries[run] = _add_relation(entry, labels[compared_run], _relation(change, is_new=run == new))
        rankings[name] = sorted(entries.values(), key=lambda entry: entry.value, reverse=not is_lower_better)
    return rankings


def _find_primary(changes: Changes, evaluator: str) -> Change | None:
    change = changes.evaluators.get(evaluator)
    return None if change is None else next((metric for metric in change.metrics if metric.name == change.primary), None)


Relation = Literal["better_than", "worse_than", "not_shown"]


def _relation(change: Change, *, is_new: bool) -> Relation:
    if change.verdict not in ("better", "worse"):
        return "not_shown"
    return "better_than" if (change.verdict == "better") == is_new else "worse_than"


def _add_relation(entry: RankedRun, compared_label: str, relation: Relation) -> RankedRun:
    if relation == "better_than":
        return replace(entry, better_than=(*entry.better_than, compared_label))
    if relation == "worse_than":
        return replace(entry, worse_than=(*entry.worse_than, compared_label))
    return replace(entry, not_shown=(*entry.not_shown, compared_label))
