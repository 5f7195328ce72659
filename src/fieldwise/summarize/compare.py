"""Compares runs over the same cases and tests whether the differences are significant."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.paired import (
    adjust_benjamini_hochberg,
    adjust_holm,
    bootstrap_mean_interval,
    mcnemar_p_value,
    minimum_detectable_change,
    normalized_gain,
    paired_effect_size,
    sign_flip_p_value,
)
from fieldwise.model.change import Change, Changes, ChangeVerdict, EvaluatorChange, lower_is_better

FloatColumn = NDArray[np.float64]
Adjust = Literal["holm", "bh"]
ADJUST: Final[Mapping[Adjust, Callable[[Sequence[float]], list[float]]]] = {"holm": adjust_holm, "bh": adjust_benjamini_hochberg}
SIGNIFICANCE_LEVEL: Final = 0.05
MIN_CASES: Final = 10
"""With fewer cases, no difference can be shown."""
COARSE_CHANGE: Final = 0.10
"""If only changes larger than this can be detected, "no difference" means little."""
_PASS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorMeasurements:
    """The measurements of one evaluator in one run, case by case."""

    ids: Sequence[str]
    verdict: NDArray[np.int8]
    """2 pass, 1 partial, 0 fail, -1 none."""
    metrics: Mapping[str, FloatColumn]
    """`score` among them; NaN where a case has no such number."""
    fields: Mapping[str, FloatColumn]
    """By field the mean similarity, NaN where a case does not have it."""


def compare_evaluator(name: str, base: EvaluatorMeasurements, new: EvaluatorMeasurements, adjust: Adjust = "holm") -> EvaluatorChange:
    """The changes of one evaluator, over the cases that both runs have."""
    new_row_of = {case: row for row, case in enumerate(new.ids)}
    ids = [case for case in base.ids if case in new_row_of]
    base_rows = np.array([row for row, case in enumerate(base.ids) if case in new_row_of], dtype=np.int64)
    new_rows = np.array([new_row_of[case] for case in ids], dtype=np.int64)
    base_verdict, new_verdict = base.verdict[base_rows], new.verdict[new_rows]
    judged = (base_verdict >= 0) & (new_verdict >= 0)
    base_passed, new_passed = base_verdict == _PASS, new_verdict == _PASS
    metrics: list[Change] = []
    for metric in base.metrics:
        if metric in new.metrics:
            change = compare_metric(f"{name}.{metric}", base.metrics[metric][base_rows], new.metrics[metric][new_rows])
            if change is not None:
                metrics.append(change)
    if judged.any():
        metrics.insert(1, _compare_pass_rates(f"{name}.pass_rate", base_passed[judged], new_passed[judged]))
    fields: list[Change] = []
    for field in base.fields:
        if field in new.fields:
            change = compare_numbers(field, base.fields[field][base_rows], new.fields[field][new_rows])
            if change is not None:
                fields.append(change)

    def ids_at(rows: NDArray[np.bool_]) -> list[str]:
        return [ids[row] for row in np.flatnonzero(rows).tolist()]

    return EvaluatorChange(
        evaluator=name,
        n=int(judged.sum()),
        metrics=metrics,
        fields=_adjust_p_values(fields, adjust),
        fixed=ids_at(judged & ~base_passed & new_passed),
        broken=ids_at(judged & base_passed & ~new_passed),
        still_broken=ids_at(judged & ~base_passed & ~new_passed),
        unmeasured=ids_at(~judged),
    )


def compare_metric(name: str, base: FloatColumn, new: FloatColumn) -> Change | None:
    """The change of a metric, named as in gates; the name tells whether lower is better."""
    return compare_numbers(name, base, new, lower=lower_is_better(name))


def compare_numbers(name: str, base: FloatColumn, new: FloatColumn, *, lower: bool = False) -> Change | None:
    """The change of a number over the cases in which both runs have it; None if there is no such case. `lower`: lower is better."""
    both = ~np.isnan(base) & ~np.isnan(new)
    base_values, new_values = base[both].astype(np.float64), new[both].astype(np.float64)
    if not len(base_values):
        return None
    change = _build_change(name, base_values, new_values, sign_flip_p_value(new_values - base_values), "permutation")
    return _as_lower_is_better(change) if lower else change


def _compare_pass_rates(name: str, base_passed: NDArray[np.bool_], new_passed: NDArray[np.bool_]) -> Change:
    p = mcnemar_p_value(int((base_passed & ~new_passed).sum()), int((~base_passed & new_passed).sum()))
    return _build_change(name, base_passed.astype(np.float64), new_passed.astype(np.float64), p, "McNemar")


def _build_change(name: str, base: FloatColumn, new: FloatColumn, p: float, test: str) -> Change:
    differences = new - base
    low, high = bootstrap_mean_interval(differences)
    base_mean, new_mean = float(base.mean()), float(new.mean())
    are_shares = min(base.min(), new.min()) >= 0 and max(base.max(), new.max()) <= 1
    change = Change(
        name=name,
        n=len(base),
        base=base_mean,
        new=new_mean,
        low=_finite_or_none(low),
        high=_finite_or_none(high),
        p=p,
        p_adjusted=p,
        test=test,
        effect=_finite_or_none(paired_effect_size(differences)),
        gain=normalized_gain(base_mean, new_mean) if are_shares else None,
        smallest_shown=_finite_or_none(minimum_detectable_change(differences)),
        verdict="no difference shown",
    )
    return replace(change, verdict=judge_change(change))


def _finite_or_none(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _as_lower_is_better(change: Change) -> Change:
    """The change of a number of which lower is better: the gain then measures the distance from 0."""
    gain = None if change.gain is None else normalized_gain(1 - change.base, 1 - change.new)
    reversed_change = replace(change, lower_is_better=True, gain=gain)
    return replace(reversed_change, verdict=judge_change(reversed_change))


def judge_change(change: Change) -> ChangeVerdict:
    """The verdict on a change. A difference is shown if its adjusted p-value is significant and its interval excludes 0."""
    excludes_zero = change.low is not None and change.high is not None and not change.low <= 0 <= change.high
    if change.p_adjusted <= SIGNIFICANCE_LEVEL and excludes_zero:
        return "better" if change.loss < 0 else "worse"
    if change.n < MIN_CASES or (change.smallest_shown is not None and change.smallest_shown > COARSE_CHANGE):
        return "not enough cases"
    return "no difference shown"


def adjust_together(comparisons: Sequence[Changes], adjust: Adjust = "holm") -> list[Changes]:
    """Adjust the p-values of several runs compared with one base: each metric over the runs, fields over runs and fields."""
    adjusted_runs = [dict(changes.evaluators) for changes in comparisons]
    names = dict.fromkeys(name for evaluators in adjusted_runs for name in evaluators)
    for name in names:
        runs_with_evaluator = [evaluators for evaluators in adjusted_runs if name in evaluators]
        all_fields = [change for evaluators in runs_with_evaluator for change in evaluators[name].fields]
        adjusted_fields = iter(_adjust_p_values(all_fields, adjust))
        changes_by_metric: dict[str, list[Change]] = {}
        for evaluators in runs_with_evaluator:
            for change in evaluators[name].metrics:
                changes_by_metric.setdefault(change.name, []).append(change)
        adjusted_metrics = {metric: iter(_adjust_p_values(changes, adjust)) for metric, changes in changes_by_metric.items()}
        for evaluators in runs_with_evaluator:
            # the iterators yield the changes in the order in which they were collected above
            evaluator = evaluators[name]
            metrics = [next(adjusted_metrics[change.name]) for change in evaluator.metrics]
            fields = [next(adjusted_fields) for _ in evaluator.fields]
            evaluators[name] = replace(evaluator, metrics=metrics, fields=fields)
    return [replace(changes, evaluators=evaluators) for changes, evaluators in zip(comparisons, adjusted_runs, strict=True)]


def _adjust_p_values(changes: Sequence[Change], adjust: Adjust) -> list[Change]:
    p_values = ADJUST[adjust]([change.p for change in changes])
    adjusted = [replace(change, p_adjusted=p) for change, p in zip(changes, p_values, strict=True)]
    return [replace(change, verdict=judge_change(change)) for change in adjusted]
