"""Simulations of the statistics: coverage of intervals, false alarms of comparisons, and power.

Run all of them with `make simulate`; `--datasets 100` is quicker, `--only coverage` runs one part, `--write docs/statistics.md` puts
the tables where they are explained. Everything goes through the functions that a run uses: `MetricTotals`, `compare_evaluator`,
`adjust_together`, `judge_regressions` and `plan_sample_size`; the part `stored` also scores, stores and loads whole runs.
"""

import argparse
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import fieldwise as fw
from fieldwise.kernels.paired import adjust_holm, sign_flip_p_value, standard_error
from fieldwise.kernels.statistics import (
    GroupDesign,
    degrees_of_freedom,
    draw_poisson_weights,
    estimate_interval,
    hash_texts,
    precision_recall_f1,
)
from fieldwise.model.change import Change, Changes, EvaluatorChange
from fieldwise.model.plan import Regression
from fieldwise.store.run_metrics import list_case_ids, load_metrics
from fieldwise.summarize.compare import (
    SIGNIFICANCE_LEVEL,
    EvaluatorMeasurements,
    GroupCodes,
    adjust_together,
    compare_evaluator,
    compare_numbers,
)
from fieldwise.summarize.gates import judge_regressions
from fieldwise.summarize.metrics import COUNTS, MetricTotals
from fieldwise.summarize.sample_size import ChangeSpread, assume_spread, measure_spread, plan_sample_size

Column = NDArray[np.float64]
Codes = NDArray[np.int64]
SIZES = (10, 30, 100, 1000)
DOCUMENT_SIZE = 5
"""Cases of each document of the stored runs."""
COMMITS = 50
FIELD_COUNTS = (1, 5, 20)
POOL = 10_000
"""Cases of the stored runs that are resampled."""
LEAVES = 12
_TRUTH_CASES = 2_000_000


def draw_field_counts(rng: np.random.Generator, rates: Column) -> dict[str, Column]:
    """Counts of field_prf for cases with these rates of right leaves: 12 leaves each, and some hallucinations."""
    right = rng.binomial(LEAVES, rates)
    wrong = LEAVES - right
    omission = rng.binomial(wrong, 0.4)
    format_error = rng.binomial(wrong - omission, 0.3)
    hallucination = rng.poisson(0.4, len(rates))
    counts = {
        "true_positives": right,
        "false_positives": wrong - omission + hallucination,
        "false_negatives": wrong,
        "omission": omission,
        "format_error": format_error,
        "wrong_value": wrong - omission - format_error,
        "hallucination": hallucination,
    }
    return {name: column.astype(np.float64) for name, column in counts.items()}


def rates_of(counts: Mapping[str, Column]) -> dict[str, Column]:
    """Precision, recall and F1 of every case."""
    rates = precision_recall_f1(counts["true_positives"], counts["false_positives"], counts["false_negatives"])
    return dict(zip(("precision", "recall", "f1"), rates, strict=True))


# Coverage


def draw_populations(rng: np.random.Generator, n: int) -> dict[str, Column]:
    """One sample of every population: shares, graded scores, and the rates and counts of field_prf."""
    counts = draw_field_counts(rng, rng.beta(6, 1, n))
    shares = {f"share {share}": (rng.random(n) < share).astype(np.float64) for share in (0.5, 0.9, 0.98)}
    mixtures = {f"{1 - graded:.0%} ones": np.where(rng.random(n) < graded, rng.beta(2, 2, n), 1.0) for graded in (0.2, 0.05)}
    return shares | {"Beta(8, 2)": rng.beta(8, 2, n)} | mixtures | rates_of(counts) | {name: counts[name] for name in COUNTS}


@cache
def true_values() -> Mapping[str, float]:
    """The value of every metric in its population."""
    counts = draw_field_counts(np.random.default_rng(0), np.random.default_rng(1).beta(6, 1, _TRUTH_CASES))
    totals = [counts[name].sum() for name in ("true_positives", "false_positives", "false_negatives")]
    truth = {f"macro_{name}": float(column.mean()) for name, column in rates_of(counts).items()}
    for name, value in zip(("precision", "recall", "f1"), precision_recall_f1(*totals), strict=True):
        truth[f"micro_{name}"] = float(value)
    return truth | {"share 0.5": 0.5, "share 0.9": 0.9, "share 0.98": 0.98, "Beta(8, 2)": 0.8, "80% ones": 0.9, "95% ones": 0.975}


def draw_documents(rng: np.random.Generator, documents: int) -> tuple[dict[str, Column], Codes]:
    """A sample of every population in documents of one to nine cases, and the document of each case.

    A case has the values of its document with a probability of one half, else its own. So the true values are those of independent cases.
    """
    document = np.repeat(np.arange(documents), rng.integers(1, 10, documents))
    shared, own = draw_populations(rng, documents), draw_populations(rng, len(document))
    is_shared = rng.random(len(document)) < 0.5
    return {name: np.where(is_shared, shared[name][document], own[name]) for name in own}, document


def simulate_coverage(units: int, datasets: int, *, with_documents: bool = False) -> dict[str, tuple[float, float]]:
    """By metric the share of intervals that hold the true value, and their mean width in widths of the t interval."""
    truth, rng = true_values(), np.random.default_rng([units, with_documents])
    covered: Counter[str] = Counter()
    widths, t_widths = Counter[str](), Counter[str]()
    quantile = 2 * float(stats.t.ppf(0.975, units - 1))
    for dataset in range(datasets):
        columns, document = draw_documents(rng, units) if with_documents else (draw_populations(rng, units), np.arange(units))
        keys = hash_texts([f"{dataset}-{unit}" for unit in range(units)])
        weights = draw_poisson_weights(keys)
        totals = MetricTotals()
        if with_documents:
            totals.add(columns, np.arange(len(document)), weights[document], keys[document])
        else:
            totals.add(columns, np.arange(units), weights)
        metrics = totals.finish()
        for name, value in truth.items():
            metric = metrics[name]
            if metric.low is None or metric.high is None:
                continue
            covered[name] += metric.low <= value <= metric.high
            widths[name] += metric.high - metric.low
            t_widths[name] += quantile * _robust_error(name, columns, document)
    return {name: (covered[name] / datasets, widths[name] / t_widths[name] if t_widths[name] else float("inf")) for name in truth}


def _robust_error(name: str, columns: Mapping[str, Column], document: Codes) -> float:
    """The standard error whose t interval the width is compared with; of a pooled rate, that of its residuals."""
    column = columns.get(name.removeprefix("macro_"))
    sizes = np.bincount(document).astype(np.float64)
    if column is not None:
        return standard_error(np.bincount(document, weights=column), sizes)
    right, extra, missed = (columns[count] for count in COUNTS)
    whole = {"micro_precision": right + extra, "micro_recall": right + missed, "micro_f1": 2 * right + extra + missed}[name]
    part = 2 * right if name == "micro_f1" else right
    residuals = (part - part.sum() / whole.sum() * whole) / whole.mean()
    return standard_error(np.bincount(document, weights=residuals), sizes)


@dataclass(frozen=True, slots=True, kw_only=True)
class SharePopulation:
    """Documents of yes/no cases. No constant of the method was fitted to these populations."""

    title: str
    share: float
    sizes: Sequence[int]
    """A document has one of these numbers of cases."""
    alike: float
    """The share of cases that have the value of their document, on average."""


OTHER_POPULATIONS = (
    SharePopulation(title="share 0.95, 4 cases, 4 of 5 alike", share=0.95, sizes=[4], alike=0.8),
    SharePopulation(title="share 0.03, 1 to 9 cases, half alike", share=0.03, sizes=range(1, 10), alike=0.5),
    SharePopulation(title="share 0.99, 1 to 9 cases, 3 of 10 alike", share=0.99, sizes=range(1, 10), alike=0.3),
    SharePopulation(title="share 0.7, 2 or 20 cases, 2 of 10 alike", share=0.7, sizes=[2, 20], alike=0.2),
    SharePopulation(title="share 0.95, 1 to 12 cases, some have 60; half alike", share=0.95, sizes=[*range(1, 13)] * 2 + [60], alike=0.5),
    SharePopulation(title="share 0.85, 1 to 13 cases, 6 of 10 alike", share=0.85, sizes=[1, 1, 2, 3, 5, 8, 13], alike=0.6),
    SharePopulation(title="share 0.2, 3 to 15 cases, 1 of 10 alike", share=0.2, sizes=range(3, 16), alike=0.1),
    SharePopulation(title="share 0.9, 1 or 20 cases, half alike", share=0.9, sizes=[1, 20], alike=0.5),
    SharePopulation(title="share 0.88, 5 to 29 cases, 9 of 10 alike", share=0.88, sizes=range(5, 30), alike=0.9),
)


def simulate_group_shares(population: SharePopulation, documents: int, datasets: int) -> tuple[float, float]:
    """The share of intervals that hold the true share, and their mean width in widths of the t interval.

    With the functions of a run, on the sums of each document: the variance is exact here, where a run has it from 200 replicates.
    """
    rng = np.random.default_rng([documents, int(1000 * population.share)])
    covered, width, t_width = 0, 0.0, 0.0
    for _ in range(datasets):
        sizes = rng.choice(population.sizes, documents)
        alike = rng.binomial(sizes, population.alike)
        right = (rng.random(documents) < population.share) * alike + rng.binomial(sizes - alike, population.share)
        sums, cases = right.astype(np.float64), sizes.astype(np.float64)
        value, error = float(sums.sum() / cases.sum()), standard_error(sums, cases)
        design = GroupDesign(int(cases.sum()), degrees_of_freedom(sums, cases, value))
        interval = estimate_interval(value, error**2, documents, design)
        assert interval is not None
        covered += interval[0] <= population.share <= interval[1]
        width += interval[1] - interval[0]
        t_width += 2 * float(stats.t.ppf(0.975, documents - 1)) * error
    return covered / datasets, width / t_width


# Comparisons of a system with itself


@dataclass(frozen=True, slots=True)
class FieldValues:
    """Right and wrong values of several runs over the same cases."""

    runs: Sequence[NDArray[np.float64]]
    """By run a row for each case and a column for each field: 1 if it is right, else 0."""
    document: GroupCodes
    """The document of each case; None if the cases are independent."""


def draw_runs(rng: np.random.Generator, n: int, fields: int, *, with_documents: bool, losses: Sequence[float] = (0.0, 0.0)) -> FieldValues:
    """Runs over the same `n` cases, or over `n` documents of one to nine cases that share an effect on each field.

    They are runs of one system, unless one has a loss: the share of right values that are wrong in it.
    """
    document = np.repeat(np.arange(n), rng.integers(1, 10, n)) if with_documents else np.arange(n)
    cases = len(document)
    difficulty = np.clip(rng.beta(6, 1.2, cases), 0.02, 0.98)
    rates = difficulty[:, None] + rng.normal(0, 0.05, (cases, fields))
    runs: list[NDArray[np.float64]] = []
    for loss in losses:
        effect = rng.normal(0, 0.15, (n, fields))[document] if with_documents else 0.0
        runs.append((rng.random((cases, fields)) < (1.0 - loss) * np.clip(rates + effect, 0, 1)).astype(np.float64))
    return FieldValues(runs, document if with_documents else None)


def compare_score(values: FieldValues, fields: int) -> Change:
    """The change of the mean of the first `fields` fields."""
    base, new = (run[:, :fields].mean(axis=1) for run in values.runs)
    score = compare_numbers("e.score", base, new, values.document)
    assert score is not None
    return score


def compare_fields(values: FieldValues, fields: int) -> list[Change]:
    """The change of each of the first `fields` fields."""
    base, new = values.runs
    changes = [compare_numbers(f"f{field}", base[:, field], new[:, field], values.document) for field in range(fields)]
    return [change for change in changes if change is not None]


def draw_prf_runs(rng: np.random.Generator, n: int) -> list[EvaluatorMeasurements]:
    """Two runs of one system under field_prf: 13 metrics and the pass rate."""
    rates = rng.beta(6, 1, n)
    runs: list[EvaluatorMeasurements] = []
    for _ in range(2):
        counts = draw_field_counts(rng, rates)
        metrics = rates_of(counts)
        _, recall, f1 = precision_recall_f1(counts["true_positives"], counts["false_positives"], counts["omission"])
        score = metrics["f1"]
        runs.append(
            EvaluatorMeasurements(
                ids=[str(case) for case in range(n)],
                verdict=np.where(score == 1, 2, np.where(score == 0, 0, 1)).astype(np.int8),
                metrics={"score": score} | metrics | counts | {"recall_fp": recall, "f1_fp": f1},
                fields={},
            )
        )
    return runs


def compare_two(runs: Sequence[EvaluatorMeasurements]) -> EvaluatorChange:
    """The comparison of two runs with one evaluator, adjusted as `fieldwise compare` does."""
    base, new = runs
    return adjust_one(compare_evaluator("e", base, new))


def adjust_one(change: EvaluatorChange) -> EvaluatorChange:
    """Adjust and judge the comparison of two runs with one evaluator."""
    [changes] = adjust_together([Changes(base="base", new="new", evaluators={"e": change})])
    return changes.evaluators["e"]


def is_shown(change: Change) -> bool:
    """True if a difference is shown."""
    return change.verdict in ("better", "worse")


def holds(change: Change, value: float) -> float:
    """1 if the interval of a change holds this value, 0 if not, NaN if there is no interval."""
    return np.nan if change.low is None or change.high is None else float(change.low <= value <= change.high)


def simulate_comparisons(
    n: int, pairs: int, *, with_documents: bool, field_counts: Sequence[int] = FIELD_COUNTS
) -> dict[int, tuple[float, float]]:
    """By the number of fields: the share of comparisons of a system with itself with a difference in some metric, and in some field.

    The metrics are the score and one for each field. Only pairs with a p-value that may be significant are compared in full: without
    one, no verdict can be `better` or `worse`.
    """
    rng = np.random.default_rng([n, with_documents])
    shown = np.zeros((pairs, len(field_counts), 2), dtype=np.bool_)
    for pair in range(pairs):
        values = draw_runs(rng, n, max(field_counts), with_documents=with_documents)
        base, new = values.runs
        sums = new - base
        if values.document is not None:
            sums = np.add.reduceat(sums, np.flatnonzero(np.diff(values.document, prepend=-1)), axis=0)
        p_values = [sign_flip_p_value(sums[:, field]) for field in range(sums.shape[1])]
        for place, count in enumerate(field_counts):
            of_score = sign_flip_p_value(sums[:, :count].mean(axis=1))
            if min(of_score, *adjust_holm(p_values[:count])) < SIGNIFICANCE_LEVEL + 1e-3:
                shown[pair, place] = _find_differences(values, count)
    return {count: (float(metric), float(field)) for count, (metric, field) in zip(field_counts, shown.mean(axis=0), strict=True)}


def _find_differences(values: FieldValues, count: int) -> tuple[bool, bool]:
    """Whether the comparison of two runs with `count` fields shows a difference in some metric, and in some field."""
    fields = compare_fields(values, count)
    metrics = [compare_score(values, count), *(replace(field, name=f"e.{field.name}") for field in fields)]
    change = adjust_one(EvaluatorChange(evaluator="e", n=len(values.runs[0]), primary="e.score", metrics=metrics, fields=fields))
    return any(map(is_shown, change.metrics)), any(map(is_shown, change.fields))


def _mean_of_known(values: Sequence[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def simulate_prf_comparisons(n: int, pairs: int) -> float:
    """The share of comparisons of a system with itself in which some metric of field_prf shows a difference."""
    rng = np.random.default_rng(n)
    shown = 0
    for _ in range(pairs):
        base, new = draw_prf_runs(rng, n)
        if sign_flip_p_value(new.metrics["score"] - base.metrics["score"]) < SIGNIFICANCE_LEVEL + 1e-3:  # else no metric is tested
            shown += any(map(is_shown, compare_two([base, new]).metrics))
    return shown / pairs


def simulate_change_coverage(n: int, datasets: int, *, loss: float, with_documents: bool) -> tuple[float, float]:
    """The share of intervals of a difference that hold the true one, for the mean of five fields and for one field."""
    truth = -loss * _true_score(with_documents)
    rng = np.random.default_rng([n, with_documents])
    rows: list[tuple[float, float]] = []
    for _ in range(datasets):
        values = draw_runs(rng, n, 5, with_documents=with_documents, losses=(0.0, loss))
        base, new = (run[:, 0] for run in values.runs)
        field = compare_numbers("f0", base, new, values.document)
        assert field is not None
        rows.append((holds(compare_score(values, 5), truth), holds(field, truth)))
    of_score, of_field = map(_mean_of_known, zip(*rows, strict=True))
    return of_score, of_field


@cache
def _true_score(with_documents: bool) -> float:
    values = draw_runs(np.random.default_rng(0), 100_000, 5, with_documents=with_documents, losses=[0.0])
    return float(values.runs[0].mean())


# A gate that is checked at every commit


def simulate_commits(n: int, histories: int, confidences: Sequence[float]) -> dict[float, tuple[float, float]]:
    """By the confidence of a regression gate: the share of 50 harmless commits that fail it, and of histories in which one does.

    Every commit is compared with the same baseline, as in CI; nothing ever changes.
    """
    rng = np.random.default_rng(n)
    gates = [Regression(evaluator="e", metric="score", max_drop=0.0, confidence=confidence) for confidence in confidences]
    failed = np.zeros((histories, COMMITS, len(gates)), dtype=np.bool_)
    for history in range(histories):
        base, *commits = draw_runs(rng, n, 5, with_documents=False, losses=[0.0] * (COMMITS + 1)).runs
        for commit, new in enumerate(commits):
            score = compare_score(FieldValues((base, new), None), 5)
            changes = Changes(base="base", new="new", evaluators={"e": EvaluatorChange(evaluator="e", n=n, metrics=[score])})
            failed[history, commit] = [not result.passed for result in judge_regressions(gates, changes)]
    by_commit, by_history = failed.mean(axis=(0, 1)).tolist(), failed.any(axis=1).mean(axis=0).tolist()
    return dict(zip(confidences, zip(by_commit, by_history, strict=True), strict=True))


# Stored runs of one system


def write_pool(path: Path, seed: int, *, with_documents: bool) -> None:
    """Cases with 20 text fields and the outputs of one system: omissions, typos, other values and invented keys."""
    shared, own = np.random.default_rng(1), np.random.default_rng(seed)
    rates = np.clip(shared.normal(0.85, 0.12, POOL), 0.3, 0.99)[:, None]
    if with_documents:
        rates = rates + own.normal(0, 0.15, (POOL // DOCUMENT_SIZE, 20))[np.arange(POOL) // DOCUMENT_SIZE]
    is_right, kind, is_invented = own.random((POOL, 20)) < rates, own.random((POOL, 20)), own.random(POOL) < 0.2
    lines: list[str] = []
    for case in range(POOL):
        expected = {f"f{field}": f"value {case} {field}" for field in range(20)}
        actual: dict[str, object] = {"extra": "x"} if is_invented[case] else {}
        for (name, value), right, draw in zip(expected.items(), is_right[case].tolist(), kind[case].tolist(), strict=True):
            if right:
                actual[name] = value
            elif draw > 0.4:
                actual[name] = f"{value}x" if draw < 0.8 else case
        lines.append(json.dumps({"id": str(case), "document": case // DOCUMENT_SIZE, "expected": expected, "actual": actual}))
    path.write_text("\n".join(lines), encoding="utf-8")


StoredRun = Mapping[str, EvaluatorMeasurements]
"""The measurements of a stored run, by evaluator."""


def store_two_runs(*, with_documents: bool) -> list[StoredRun]:
    """Score and store two runs of one system, with field_accuracy and field_prf over 1, 5 and 20 fields, and load them."""
    evaluators: list[dict[str, object]] = []
    for count in FIELD_COUNTS:
        rules = [{"path": f"f{field}", "match": "fuzzy"} for field in range(count)]
        evaluators += [{"type": kind, "name": f"{kind}_{count}", "fields": rules} for kind in ("field_accuracy", "field_prf")]
    runs: list[StoredRun] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in (2, 3):
            path = Path(folder) / "pool.jsonl"
            write_pool(path, seed, with_documents=with_documents)
            suite = {"cases": str(path), "evaluators": evaluators} | ({"group": "metadata.document"} if with_documents else {})
            stored = fw.run(suite, root=folder)
            ids = list_case_ids(stored)
            runs.append({name: load_metrics(stored, name, ids) for name in stored.evaluators})
    return runs


def resample(
    name: str, base: EvaluatorMeasurements, new: EvaluatorMeasurements, cases: Codes, is_swapped: NDArray[np.bool_]
) -> EvaluatorChange:
    """Compare two runs over some cases. Both are of one system, so either may be the base of a case."""

    def take(first: EvaluatorMeasurements, second: EvaluatorMeasurements) -> EvaluatorMeasurements:
        def choose(one: NDArray[np.generic], other: NDArray[np.generic]) -> NDArray[np.generic]:
            return np.where(is_swapped, other[cases], one[cases])

        return replace(
            first,
            ids=[first.ids[case] for case in cases],
            groups=None if first.groups is None else [first.groups[case] for case in cases],
            verdict=choose(first.verdict, second.verdict),
            metrics={name: choose(column, second.metrics[name]) for name, column in first.metrics.items()},
            fields={name: choose(column, second.fields[name]) for name, column in first.fields.items()},
        )

    return compare_evaluator(name, take(base, new), take(new, base))


def simulate_stored(runs: Sequence[StoredRun], n: int, fields: int, pairs: int, *, with_documents: bool) -> tuple[float, float]:
    """Resample `n` cases or whole documents of two stored runs: the share with some metric, and with some field, that shows a difference.

    The primary metrics and the fields are compared first. Only where a primary metric shows a difference are the others judged, so only
    those pairs are compared in full.
    """
    rng = np.random.default_rng([n, fields, with_documents])
    names = [f"field_accuracy_{fields}", f"field_prf_{fields}"]
    whole_runs = [{name: run[name] for name in names} for run in runs]
    short_runs = [{name: _keep_primary(run[name]) for name in names} for run in runs]
    shown: list[tuple[bool, bool]] = []
    size = DOCUMENT_SIZE if with_documents else 1
    for _ in range(pairs):
        units = rng.choice(POOL // size, n, replace=False)
        cases = (units[:, None] * size + np.arange(size)).ravel()
        is_swapped = np.repeat(rng.random(len(units)) < 0.5, size)
        any_metric, any_field = _compare_resampled(short_runs, cases, is_swapped)
        if any_metric:
            any_metric, any_field = _compare_resampled(whole_runs, cases, is_swapped)
        shown.append((any_metric, any_field))
    share_of_metrics, share_of_fields = np.mean(shown, axis=0).tolist()
    return share_of_metrics, share_of_fields


def _keep_primary(measurements: EvaluatorMeasurements) -> EvaluatorMeasurements:
    return replace(measurements, metrics={measurements.primary: measurements.metrics[measurements.primary]})


def _compare_resampled(runs: Sequence[StoredRun], cases: Codes, is_swapped: NDArray[np.bool_]) -> tuple[bool, bool]:
    """Whether some metric, and whether some field, shows a difference between two runs over these cases."""
    base, new = runs
    evaluators = {name: resample(name, base[name], new[name], cases, is_swapped) for name in base}
    [changes] = adjust_together([Changes(base="base", new="new", evaluators=evaluators)])
    of_run = changes.evaluators.values()
    any_metric = any(is_shown(change) for evaluator in of_run for change in evaluator.metrics)
    return any_metric, any(is_shown(change) for evaluator in of_run for change in evaluator.fields)


# Power


def draw_scores(rng: np.random.Generator, documents: int, size: int, drop: float) -> tuple[Column, Column, Codes]:
    """Scores of two runs with a deviation of 0.3, a correlation of one half between runs and, in documents, of 0.3 between cases."""
    cases = documents * size
    document = np.repeat(np.arange(documents), size)

    def draw_part(share: float) -> Column:
        within = rng.normal(0, np.sqrt(0.7 if size > 1 else 1.0), cases)
        between = rng.normal(0, np.sqrt(0.3), documents)[document] if size > 1 else 0.0
        return np.sqrt(share) * 0.3 * (within + between)

    of_case = draw_part(0.5)
    return of_case + draw_part(0.5), of_case + draw_part(0.5) - drop, document


def simulate_power(drop: float, size: int, datasets: int, *, measured: bool) -> tuple[int, float]:
    """The number of cases that `fieldwise power` states for a drop, and the share of comparisons of so many cases that show it.

    The variance is assumed, or `measured` in a run of 400 cases; the mean number of cases is then returned.
    """
    rng = np.random.default_rng([size, int(1000 * drop), measured])
    stated: list[int] = []
    detected = 0
    for _ in range(datasets):
        spread: ChangeSpread | None = assume_spread(0.3, 0.5, group_size=size, intraclass=0.3 if size > 1 else 0.0)
        if measured:
            pilot, _, document = draw_scores(rng, 400 // size, size, 0.0)
            spread = measure_spread(pilot, document if size > 1 else None, 0.5)
        assert spread is not None
        plan = plan_sample_size(spread, drop)
        assert plan.cases is not None
        stated.append(plan.cases)
        base, new, document = draw_scores(rng, plan.cases // size, size, drop)
        change = compare_numbers("score", base, new, document if size > 1 else None)
        detected += change is not None and change.verdict == "worse"
    return round(float(np.mean(stated))), detected / datasets


# Tables


def _table(title: str, rows: list[tuple[str, list[str]]]) -> Iterator[str]:
    yield f"| {title} | {' | '.join(f'n = {n:,}' for n in SIZES)} |"
    yield f"| --- |{' --- |' * len(SIZES)}"
    for name, cells in rows:
        yield f"| {name} | {' | '.join(cells)} |"


def _format_coverage(coverage: tuple[float, float]) -> str:
    return f"{coverage[0]:.3f} ({coverage[1]:.2f})"


def coverage_table(datasets: int, *, with_documents: bool = False) -> Iterator[str]:
    """Coverage and relative width, a row for each population, of independent cases or of documents."""
    by_size = {n: simulate_coverage(n, datasets, with_documents=with_documents) for n in SIZES}
    rows = [(name.replace("_", " ").replace("%", " %"), [_format_coverage(by_size[n][name]) for n in SIZES]) for name in true_values()]
    yield from _table("population, in documents" if with_documents else "population", rows)


def other_table(datasets: int) -> Iterator[str]:
    """Coverage and relative width for documents of populations that the method was not chosen with."""
    rows = [(kind.title, [_format_coverage(simulate_group_shares(kind, n, datasets)) for n in SIZES]) for kind in OTHER_POPULATIONS]
    yield from _table("other documents", rows)


def commit_table(histories: int) -> Iterator[str]:
    """False alarms of a regression gate at every commit, a row for each confidence."""
    yield f"| `confidence` | commits that fail | histories of {COMMITS} commits with a failure |"
    yield "| --- | --- | --- |"
    for confidence, (by_commit, by_history) in simulate_commits(100, histories, (0.95, 0.99, 0.999)).items():
        yield f"| {confidence} | {by_commit:.2%} | {by_history:.1%} |".replace("%", " %")


def _design(with_documents: bool) -> str:
    return "documents, `group`" if with_documents else "independent cases"


def _format_share(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count > 1 else ''}"


def comparison_table(pairs: int) -> Iterator[str]:
    """Shares of false alarms, a row for each design."""
    rows = [("any of 14 metrics of `field_prf`", [_format_share(simulate_prf_comparisons(n, pairs)) for n in SIZES])]
    for with_documents in (False, True):
        rates = [simulate_comparisons(n, pairs, with_documents=with_documents) for n in SIZES]
        for fields in FIELD_COUNTS:
            title = f"{_design(with_documents)}: any of"
            rows.append((f"{title} {_plural(fields, 'metric')}", [_format_share(rate[fields][0]) for rate in rates]))
            rows.append((f"{title} {_plural(fields, 'field')}", [_format_share(rate[fields][1]) for rate in rates]))
    yield from _table("a system compared with itself", rows)


def stored_table(pairs: int) -> Iterator[str]:
    """Shares of false alarms in stored runs, a row for each design."""
    rows: list[tuple[str, list[str]]] = []
    for with_documents in (False, True):
        runs = store_two_runs(with_documents=with_documents)
        for fields in FIELD_COUNTS:
            rates = [simulate_stored(runs, n, fields, pairs, with_documents=with_documents) for n in SIZES]
            rows.append((f"{_design(with_documents)}: any metric, {_plural(fields, 'field')}", [_format_share(rate) for rate, _ in rates]))
            rows.append((f"{_design(with_documents)}: any of {_plural(fields, 'field')}", [_format_share(rate) for _, rate in rates]))
    yield from _table("two stored runs of a system", rows)


def change_table(datasets: int) -> Iterator[str]:
    """Coverage of the interval of a difference, a row for each design."""
    rows: list[tuple[str, list[str]]] = []
    for with_documents in (False, True):
        for loss in (0.0, 0.1):
            rates = [simulate_change_coverage(n, datasets, loss=loss, with_documents=with_documents) for n in SIZES]
            title = f"{_design(with_documents)}; {'one right value in ten lost' if loss else 'no difference'}"
            for place, noun in enumerate(("score", "one field")):
                cells = ["–" if np.isnan(rate[place]) else f"{rate[place]:.3f}" for rate in rates]
                rows.append((f"{title}: {noun}", cells))
    yield from _table("interval of a difference", rows)


def power_table(datasets: int) -> Iterator[str]:
    """The stated number of cases for 80 % power, and the power that they have."""
    yield "| drop | cases | variance | stated cases | power |"
    yield "| --- | --- | --- | --- | --- |"
    for size in (1, 8):
        for drop in (0.1, 0.05, 0.03):
            for measured in (False, True):
                cases, power = simulate_power(drop, size, datasets, measured=measured)
                design = f"in documents of {size}" if size > 1 else "independent"
                yield f"| {drop} | {design} | {'measured' if measured else 'assumed'} | {cases:,} | {_format_share(power)} |"


TABLES: dict[str, Callable[[int], Iterator[str]]] = {
    "coverage": coverage_table,
    "groups": partial(coverage_table, with_documents=True),
    "other": other_table,
    "changes": change_table,
    "comparisons": comparison_table,
    "power": power_table,
    "commits": commit_table,
    "stored": stored_table,
}


def write_table(page: Path, name: str, lines: Sequence[str]) -> None:
    """Replace the table that follows the comment `<!-- simulate: NAME -->` in a page."""
    text = page.read_text(encoding="utf-8")
    marker = f"<!-- simulate: {name} -->\n\n"
    before, _, after = text.partition(marker)
    if not after:
        raise SystemExit(f"{page} has no `{marker.strip()}`")
    rest = re.sub(r"^(\|.*\n)*", "", after)
    page.write_text(before + marker + "\n".join(lines) + "\n" + rest, encoding="utf-8")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, default=1000)
    parser.add_argument("--only", choices=list(TABLES))
    parser.add_argument("--write", type=Path, metavar="PAGE")
    options = parser.parse_args()
    for name, table in TABLES.items():
        if options.only in (None, name):
            lines = list(table(options.datasets))
            print(
                "",
                f"{name}: {options.datasets:,} datasets each, {time.process_time():.0f} s of CPU so far",
                "",
                *lines,
                sep="\n",
                flush=True,
            )
            if options.write:
                write_table(options.write, name, lines)


if __name__ == "__main__":
    main()
