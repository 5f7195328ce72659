"""Compares runs over the same cases and tests whether the differences are significant.

Two families of tests are adjusted, each by itself: the primary metric of every evaluator, and the fields of all evaluators. Another metric
is judged only if the primary metric of its evaluator shows a difference, adjusted within the evaluator. So a system that is compared with
itself shows a difference in at most 5 % of comparisons, however many metrics there are.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.paired import (
    adjust_benjamini_hochberg,
    adjust_holm,
    mcnemar_p_value,
    mean_interval,
    minimum_detectable_change,
    normalized_gain,
    paired_effect_size,
    sign_flip_p_value,
    standard_error,
)
from fieldwise.model.change import Change, Changes, ChangeVerdict, EvaluatorChange, lower_is_better

FloatColumn = NDArray[np.float64]
GroupCodes = NDArray[np.int64] | None
"""The group of each case as a number; None if every case is a group of its own."""
Adjust = Literal["holm", "bh"]
ADJUST: Final[Mapping[Adjust, Callable[[Sequence[float]], list[float]]]] = {"holm": adjust_holm, "bh": adjust_benjamini_hochberg}
SIGNIFICANCE_LEVEL: Final = 0.05
MIN_CASES: Final = 10
"""With fewer cases or groups, no difference can be shown."""
COARSE_CHANGE: Final = 0.10
"""If only larger changes can be detected, "no difference" means little. Of costs, distances and counts: this share of their mean."""
_PASS: Final = 2
_MIN_CASES_FOR_THREADS: Final = 50_000


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
    groups: Sequence[str] | None = None
    """The group of each case; None if the cases are independent."""
    primary: str = "score"
    """The metric that decides whether the evaluator changed."""
    counts: frozenset[str] = frozenset()
    """Metrics that are counts, which have no interval."""
    unbounded: frozenset[str] = frozenset()
    """Other metrics that may be below 0 or above 1."""


def compare_evaluator(
    name: str, base: EvaluatorMeasurements, new: EvaluatorMeasurements, *, base_is_sample: bool = False
) -> EvaluatorChange:
    """The changes of one evaluator, over the cases that both runs have. P-values are not adjusted yet: see `adjust_together`.

    `base_is_sample`: the base holds a part of its run, so that cases which only the new run has say nothing.
    """
    base_rows, new_rows = find_common_rows(base.ids, new.ids)
    # a slice copies nothing where both runs have the same cases
    base_at, new_at = (slice(None), slice(None)) if base_rows is new_rows else (base_rows, new_rows)
    groups = encode_groups(base.groups, base_rows)
    if groups is None:
        groups = encode_groups(new.groups, new_rows)
    counted_new = new_at if base_is_sample else slice(None)
    counts, unbounded = base.counts | new.counts, base.unbounded | new.unbounded
    base_verdict, new_verdict = base.verdict[base_at], new.verdict[new_at]
    judged = (base_verdict >= 0) & (new_verdict >= 0)
    base_passed, new_passed = base_verdict == _PASS, new_verdict == _PASS
    metrics: list[Change] = []
    for metric in base.metrics:
        if metric in new.metrics:
            base_values, new_values = base.metrics[metric][base_at], new.metrics[metric][new_at]
            change = compare_metric(f"{name}.{metric}", base_values, new_values, groups, is_unbounded=metric in unbounded)
            if change is not None:
                change = _with_common_share(change, ~np.isnan(base.metrics[metric]), ~np.isnan(new.metrics[metric][counted_new]))
                metrics.append(replace(change, low=None, high=None) if metric in counts else change)
    if judged.any():
        judged_groups = None if groups is None else groups[judged]
        change = _compare_pass_rates(f"{name}.pass_rate", base_passed[judged], new_passed[judged], judged_groups)
        metrics.insert(1, _with_common_share(change, base.verdict >= 0, new.verdict[counted_new] >= 0))

    def compare_field(field: str) -> Change | None:
        if field not in new.fields:
            return None
        base_means, new_means = base.fields[field][base_at], new.fields[field][new_at]
        change = compare_numbers(field, base_means, new_means, groups)
        return None if change is None else _with_field_share(change, base_means, new_means)

    changes = dict(zip(base.fields, _map_in_threads(compare_field, base.fields, len(base_rows)), strict=True))
    lost_fields = [field for field, change in changes.items() if change is None and (base.fields[field][base_at] > 0).any()]

    def ids_at(rows: NDArray[np.bool_]) -> list[str]:
        selected: list[int] = base_rows[rows].tolist()
        return [base.ids[row] for row in selected]

    return EvaluatorChange(
        evaluator=name,
        n=int(judged.sum()),
        groups=None if groups is None else len(np.unique(groups[judged])),
        primary=f"{name}.{new.primary}",
        metrics=metrics,
        fields=[change for change in changes.values() if change is not None],
        lost_fields=lost_fields,
        fixed=ids_at(judged & ~base_passed & new_passed),
        broken=ids_at(judged & base_passed & ~new_passed),
        still_broken=ids_at(judged & ~base_passed & ~new_passed),
        unmeasured=ids_at(~judged),
    )


def _map_in_threads(compare: Callable[[str], Change | None], fields: Iterable[str], cases: int) -> list[Change | None]:
    """The change of each field. Of many cases, two fields at a time: NumPy needs no lock of the interpreter for long columns."""
    if cases < _MIN_CASES_FOR_THREADS:
        return [compare(field) for field in fields]
    with ThreadPoolExecutor(max_workers=2, thread_name_prefix="fieldwise-compare") as pool:
        return list(pool.map(compare, fields))


def _with_common_share(change: Change, is_in_base: NDArray[np.bool_], is_in_new: NDArray[np.bool_]) -> Change:
    """The change with its number of cases as a share of those that each run measured. An infinite number was measured."""
    measured = max(int(np.count_nonzero(is_in_base)), int(np.count_nonzero(is_in_new)))
    return replace(change, common_share=change.n / measured)


def _with_field_share(change: Change, base: FloatColumn, new: FloatColumn) -> Change:
    """The change of a field with its number of cases as a share of those in which one of the runs compared it, among common cases.

    A case of only one run counts where its similarity is above 0: a field that was invented there, or wrong, is no measurement to miss.
    """
    only_in_base = np.count_nonzero(np.isnan(new) & (base > 0))
    only_in_new = np.count_nonzero(np.isnan(base) & (new > 0))
    return replace(change, common_share=change.n / (change.n + max(only_in_base, only_in_new)))


def find_common_rows(base_ids: Sequence[str], new_ids: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of the cases that both runs have, in each of them, in the order of the base."""
    if base_ids == new_ids:  # nearly always; looking up every id takes as long as all tests together
        rows = np.arange(len(base_ids))
        return rows, rows
    new_row_of = {case: row for row, case in enumerate(new_ids)}
    base_rows = [row for row, case in enumerate(base_ids) if case in new_row_of]
    new_rows = [new_row_of[base_ids[row]] for row in base_rows]
    return np.array(base_rows, dtype=np.int64), np.array(new_rows, dtype=np.int64)


def encode_groups(groups: Sequence[str] | None, rows: NDArray[np.int64]) -> GroupCodes:
    """The groups of these rows as numbers; None if there are none or each case is its own group."""
    if groups is None:
        return None
    code_of: dict[str, int] = {}
    codes = np.array([code_of.setdefault(groups[int(row)], len(code_of)) for row in rows], dtype=np.int64)
    return None if len(code_of) == len(codes) else codes


def compare_metric(
    name: str, base: FloatColumn, new: FloatColumn, groups: GroupCodes = None, *, is_unbounded: bool = False
) -> Change | None:
    """The change of a metric, named as in gates; the name tells whether lower is better. `is_unbounded`: it may be above 1."""
    return compare_numbers(name, base, new, groups, lower=lower_is_better(name), is_unbounded=is_unbounded)


def compare_numbers(
    name: str, base: FloatColumn, new: FloatColumn, groups: GroupCodes = None, *, lower: bool = False, is_unbounded: bool = False
) -> Change | None:
    """The change of a number over the cases in which both runs have it; None if there is no such case. `lower`: lower is better.

    An infinite number, such as the distance to a point that is not there, has no difference to another one: it does not count either.
    """
    both = np.isfinite(base) & np.isfinite(new)
    if not both.any():
        return None
    if not both.all():
        base, new, groups = base[both], new[both], None if groups is None else groups[both]
    base, new = base.astype(np.float64, copy=False), new.astype(np.float64, copy=False)
    change = _build_change(name, base, new, groups, is_unbounded=is_unbounded)
    return _as_lower_is_better(change) if lower else change


def _compare_pass_rates(name: str, base_passed: NDArray[np.bool_], new_passed: NDArray[np.bool_], groups: GroupCodes) -> Change:
    change = _build_change(name, base_passed.astype(np.float64), new_passed.astype(np.float64), groups)
    if groups is not None:  # McNemar's test takes the cases as independent
        return change
    p = mcnemar_p_value(int((base_passed & ~new_passed).sum()), int((~base_passed & new_passed).sum()))
    return _judged(replace(change, p=p, p_adjusted=p, test="McNemar"))


def _build_change(name: str, base: FloatColumn, new: FloatColumn, groups: GroupCodes, *, is_unbounded: bool = False) -> Change:
    differences = new - base
    sums, sizes = _sum_by_group(differences, groups)
    p = sign_flip_p_value(sums)
    error = standard_error(sums, sizes)
    interval = mean_interval(sums, sizes, error=error)
    base_mean, new_mean = float(base.mean()), float(new.mean())
    are_shares = min(base.min(), new.min()) >= 0 and max(base.max(), new.max()) <= 1
    if interval is not None and are_shares and not is_unbounded:  # no share changes by more than 1
        interval = max(interval[0], -1.0), min(interval[1], 1.0)
    low, high = interval or (None, None)
    change = Change(
        name=name,
        n=len(base),
        groups=None if groups is None else len(sums),
        base=base_mean,
        new=new_mean,
        low=low,
        high=high,
        p=p,
        p_adjusted=p,
        test="permutation" if groups is None else "permutation by group",
        effect=_finite_or_none(paired_effect_size(differences, error if groups is None else None)),
        gain=normalized_gain(base_mean, new_mean) if are_shares else None,
        smallest_shown=_finite_or_none(minimum_detectable_change(sums, sizes, error)),
        verdict="no difference shown",
    )
    return _judged(change)


def _sum_by_group(values: FloatColumn, groups: GroupCodes) -> tuple[FloatColumn, FloatColumn | None]:
    """Sums by group and the sizes of the groups; the values themselves and None if every case is a group of its own."""
    if groups is None:
        return values, None
    sizes = np.bincount(groups)
    has_cases = sizes > 0
    return np.bincount(groups, weights=values).astype(np.float64)[has_cases], sizes[has_cases].astype(np.float64)


def _finite_or_none(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _as_lower_is_better(change: Change) -> Change:
    """The change of a metric for which lower is better: the gain then measures the distance from 0."""
    gain = None if change.gain is None else normalized_gain(1 - change.base, 1 - change.new)
    return _judged(replace(change, lower_is_better=True, gain=gain))


def _judged(change: Change) -> Change:
    return replace(change, verdict=judge_change(change))


def judge_change(change: Change) -> ChangeVerdict:
    """The verdict on a change: a difference is shown if its adjusted p-value is significant and its interval, if any, excludes 0."""
    includes_zero = change.low is not None and change.high is not None and change.low <= 0 <= change.high
    if change.p_adjusted <= SIGNIFICANCE_LEVEL and not includes_zero:
        return "better" if change.loss < 0 else "worse"
    units = change.n if change.groups is None else change.groups
    coarse = COARSE_CHANGE * max(1.0, abs(change.base), abs(change.new))
    if units < MIN_CASES or (change.smallest_shown is not None and change.smallest_shown > coarse):
        return "not enough cases"
    return "no difference shown"


def adjust_together(comparisons: Sequence[Changes], adjust: Adjust = "holm") -> list[Changes]:
    """Adjust the p-values of one or several comparisons of runs and judge every change.

    Primary metrics are one family, over evaluators and comparisons; fields are another. The other metrics of an evaluator are judged in
    the comparisons in which its primary metric shows a difference, adjusted within the evaluator.
    """
    evaluators = [(place, name) for place, changes in enumerate(comparisons) for name in changes.evaluators]

    def metrics_of(place: int, name: str) -> Iterable[Change]:
        return comparisons[place].evaluators[name].metrics

    primary = {
        (place, metric.name): metric
        for place, name in evaluators
        for metric in metrics_of(place, name)
        if metric.name == comparisons[place].evaluators[name].primary
    }
    adjusted = _adjust_family(primary, adjust)
    shown = {key for key, change in adjusted.items() if change.verdict in ("better", "worse")}
    tested_primary = len(primary)
    tested_others: dict[str, int] = {}
    for evaluator in dict.fromkeys(name for _, name in evaluators):
        others: dict[tuple[int, str], Change] = {}
        for place, name in evaluators:
            if name == evaluator and (place, comparisons[place].evaluators[name].primary) in shown:
                others |= {(place, metric.name): metric for metric in metrics_of(place, name) if (place, metric.name) not in primary}
        tested_others[evaluator] = len(others)
        adjusted |= _adjust_family(others, adjust)
    fields = {(place, f"{name}/{field.name}"): field for place, name in evaluators for field in comparisons[place].evaluators[name].fields}
    adjusted_fields = _adjust_family(fields, adjust)
    tested_fields = len(_distinct_tests(fields))

    def adjust_evaluator(place: int, change: EvaluatorChange) -> EvaluatorChange:
        metrics = [
            adjusted.get((place, metric.name)) or replace(metric, p_adjusted=metric.p, verdict="not tested") for metric in change.metrics
        ]
        adjusted_of_evaluator = [adjusted_fields[place, f"{change.evaluator}/{field.name}"] for field in change.fields]
        tested = tested_others[change.evaluator] if (place, change.primary) in shown else 0
        return replace(change, metrics=metrics, fields=adjusted_of_evaluator, tested=tested)

    return [
        replace(
            changes,
            evaluators={name: adjust_evaluator(place, change) for name, change in changes.evaluators.items()},
            adjust=adjust,
            tested_metrics=tested_primary,
            tested_fields=tested_fields,
        )
        for place, changes in enumerate(comparisons)
    ]


_TestKey = tuple[int, str, int, float, float, float]


def _distinct_tests(family: Mapping[tuple[int, str], Change]) -> dict[_TestKey, float]:
    """The p-value of each distinct test: evaluators that share a field's comparisons test the same numbers once."""
    return {_identify_test(place, change): change.p for (place, _), change in family.items()}


def _identify_test(place: int, change: Change) -> _TestKey:
    return place, change.name, change.n, change.base, change.new, change.p


def _adjust_family(family: Mapping[tuple[int, str], Change], adjust: Adjust) -> dict[tuple[int, str], Change]:
    tests = _distinct_tests(family)
    p_values = dict(zip(tests, ADJUST[adjust](list(tests.values())), strict=True))
    return {key: _judged(replace(change, p_adjusted=p_values[_identify_test(key[0], change)])) for key, change in family.items()}
