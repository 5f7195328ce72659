"""Simulate the statistics: coverage of intervals, false alarms of comparisons, and power.

    python benchmarks/simulate.py [--datasets 1000] [--only NAME] [--write PAGE]

`make simulate` runs all simulations. `--datasets 100` is quicker, `--only coverage` runs one of them, and `--write docs/statistics.md`
replaces the tables of that page. The simulations call the functions that a run uses: `MetricTotals`, `compare_evaluator`,
`adjust_together`, `judge_regressions` and `plan_sample_size`; `stored` also scores, stores and loads whole runs.
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
Rows = list[tuple[str, list[str]]]
"""The title and the cells of each row of a table."""
SIZES = (10, 30, 100, 1000)
"""Numbers of cases, or of documents, in a dataset."""
DOCUMENT_SIZE = 5
"""Cases of each document of the stored runs."""
COMMITS = 50
FIELD_COUNTS = (1, 5, 20)
POOL = 10_000
"""Cases of each stored run; datasets are resampled from them."""
LEAVES = 12
_TRUE_VALUE_CASES = 2_000_000
"""Cases from which the true values of metrics are computed."""
_P_VALUE_MARGIN = 1e-3
"""A comparison is computed in full if a quickly computed p-value exceeds the significance level by less than this."""


def draw_field_counts(rng: np.random.Generator, rates: Column) -> dict[str, Column]:
    """Draw the counts of field_prf for cases with these rates of correct leaves: 12 leaves each, and some hallucinations."""
    correct = rng.binomial(LEAVES, rates)
    wrong = LEAVES - correct
    omission = rng.binomial(wrong, 0.4)
    format_error = rng.binomial(wrong - omission, 0.3)
    hallucination = rng.poisson(0.4, len(rates))
    counts = {
        "true_positives": correct,
        "false_positives": wrong - omission + hallucination,
        "false_negatives": wrong,
        "omission": omission,
        "format_error": format_error,
        "wrong_value": wrong - omission - format_error,
        "hallucination": hallucination,
    }
    return {name: column.astype(np.float64) for name, column in counts.items()}


def compute_rates(counts: Mapping[str, Column]) -> dict[str, Column]:
    """Compute precision, recall and F1 of every case."""
    rates = precision_recall_f1(counts["true_positives"], counts["false_positives"], counts["false_negatives"])
    return dict(zip(("precision", "recall", "f1"), rates, strict=True))


# Coverage


def draw_populations(rng: np.random.Generator, n: int) -> dict[str, Column]:
    """Draw `n` cases of every population: shares, graded scores, and the rates and counts of field_prf."""
    counts = draw_field_counts(rng, rng.beta(6, 1, n))
    populations: dict[str, Column] = {}
    for share in (0.5, 0.9, 0.98):
        populations[f"share {share}"] = (rng.random(n) < share).astype(np.float64)
    for graded_share in (0.2, 0.05):
        is_graded = rng.random(n) < graded_share
        populations[f"{1 - graded_share:.0%} ones"] = np.where(is_graded, rng.beta(2, 2, n), 1.0)
    populations["Beta(8, 2)"] = rng.beta(8, 2, n)
    return populations | compute_rates(counts) | {name: counts[name] for name in COUNTS}


@cache
def compute_true_values() -> Mapping[str, float]:
    """Compute the true value of every metric in its population."""
    counts = draw_field_counts(np.random.default_rng(0), np.random.default_rng(1).beta(6, 1, _TRUE_VALUE_CASES))
    totals = [counts[name].sum() for name in ("true_positives", "false_positives", "false_negatives")]
    true_values = {f"macro_{name}": float(column.mean()) for name, column in compute_rates(counts).items()}
    for name, value in zip(("precision", "recall", "f1"), precision_recall_f1(*totals), strict=True):
        true_values[f"micro_{name}"] = float(value)
    exact_values = {"share 0.5": 0.5, "share 0.9": 0.9, "share 0.98": 0.98, "Beta(8, 2)": 0.8, "80% ones": 0.9, "95% ones": 0.975}
    return true_values | exact_values


def draw_documents(rng: np.random.Generator, documents: int) -> tuple[dict[str, Column], Codes]:
    """Draw documents of one to nine cases of every population, and return the values and the document of each case.

    A case has the values of its document with a probability of one half, else its own. So the true values are those of independent cases.
    """
    document = np.repeat(np.arange(documents), rng.integers(1, 10, documents))
    document_values, case_values = draw_populations(rng, documents), draw_populations(rng, len(document))
    is_shared = rng.random(len(document)) < 0.5
    columns = {name: np.where(is_shared, document_values[name][document], case_values[name]) for name in case_values}
    return columns, document


def simulate_coverage(units: int, datasets: int, *, with_documents: bool = False) -> dict[str, tuple[float, float]]:
    """By metric: the share of intervals that contain the true value, and their mean width relative to the t interval."""
    true_values, rng = compute_true_values(), np.random.default_rng([units, with_documents])
    covered: Counter[str] = Counter()
    widths, t_widths = Counter[str](), Counter[str]()
    t_quantile = float(stats.t.ppf(0.975, units - 1))
    for dataset in range(datasets):
        keys = hash_texts([f"{dataset}-{unit}" for unit in range(units)])
        weights = draw_poisson_weights(keys)
        totals = MetricTotals()
        if with_documents:
            columns, document = draw_documents(rng, units)
            totals.add(columns, np.arange(len(document)), weights[document], keys[document])
        else:
            columns, document = draw_populations(rng, units), np.arange(units)
            totals.add(columns, np.arange(units), weights)
        metrics = totals.finish()
        for name, true_value in true_values.items():
            metric = metrics[name]
            if metric.low is None or metric.high is None:
                continue
            covered[name] += metric.low <= true_value <= metric.high
            widths[name] += metric.high - metric.low
            t_widths[name] += 2 * t_quantile * _compute_robust_error(name, columns, document)
    return {name: (covered[name] / datasets, _divide_widths(widths[name], t_widths[name])) for name in true_values}


def _divide_widths(width: float, t_width: float) -> float:
    """The ratio of two sums of widths; infinite if the t intervals have no width."""
    return width / t_width if t_width else float("inf")


def _compute_robust_error(name: str, columns: Mapping[str, Column], document: Codes) -> float:
    """Compute the standard error of the t interval that widths are compared with; of a pooled rate, from its residuals."""
    column = columns.get(name.removeprefix("macro_"))
    sizes = np.bincount(document).astype(np.float64)
    if column is not None:
        return standard_error(np.bincount(document, weights=column), sizes)
    true_positives, false_positives, false_negatives = (columns[count] for count in COUNTS)
    numerator = 2 * true_positives if name == "micro_f1" else true_positives
    denominators = {
        "micro_precision": true_positives + false_positives,
        "micro_recall": true_positives + false_negatives,
        "micro_f1": 2 * true_positives + false_positives + false_negatives,
    }
    denominator = denominators[name]
    residuals = (numerator - numerator.sum() / denominator.sum() * denominator) / denominator.mean()
    return standard_error(np.bincount(document, weights=residuals), sizes)


@dataclass(frozen=True, slots=True, kw_only=True)
class SharePopulation:
    """Documents of yes/no cases. No constant of the method was fitted to these populations."""

    title: str
    share: float
    """True share of correct cases."""
    sizes: Sequence[int]
    """Possible numbers of cases of a document."""
    alike: float
    """Mean share of the cases of a document that have the value of the document."""


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
    """The share of intervals that contain the true share, and their mean width relative to the t interval.

    The functions of a run get the sums of each document. So the variance is exact, while a run estimates it from 200 replicates.
    """
    rng = np.random.default_rng([documents, int(1000 * population.share)])
    t_quantile = float(stats.t.ppf(0.975, documents - 1))
    covered, width, t_width = 0, 0.0, 0.0
    for _ in range(datasets):
        sizes = rng.choice(population.sizes, documents)
        alike = rng.binomial(sizes, population.alike)
        correct = (rng.random(documents) < population.share) * alike + rng.binomial(sizes - alike, population.share)
        sums, cases = correct.astype(np.float64), sizes.astype(np.float64)
        value, error = float(sums.sum() / cases.sum()), standard_error(sums, cases)
        design = GroupDesign(int(cases.sum()), degrees_of_freedom(sums, cases, value))
        interval = estimate_interval(value, error**2, documents, design)
        assert interval is not None
        low, high = interval
        covered += low <= population.share <= high
        width += high - low
        t_width += 2 * t_quantile * error
    return covered / datasets, _divide_widths(width, t_width)


# Comparisons of a system with itself


@dataclass(frozen=True, slots=True)
class FieldValues:
    """Correct and wrong values of several runs over the same cases."""

    runs: Sequence[NDArray[np.float64]]
    """For each run an array of cases × fields: 1 if the value is correct, else 0."""
    document: GroupCodes
    """The document of each case; None if the cases are independent."""


def draw_runs(rng: np.random.Generator, n: int, fields: int, *, with_documents: bool, losses: Sequence[float] = (0.0, 0.0)) -> FieldValues:
    """Draw runs over the same `n` cases, or over `n` documents of one to nine cases that share an effect on each field.

    All are runs of one system, except where a run has a loss: the share of correct values that are wrong in it.
    """
    document = np.repeat(np.arange(n), rng.integers(1, 10, n)) if with_documents else np.arange(n)
    cases = len(document)
    case_rates = np.clip(rng.beta(6, 1.2, cases), 0.02, 0.98)
    rates = case_rates[:, None] + rng.normal(0, 0.05, (cases, fields))
    runs: list[NDArray[np.float64]] = []
    for loss in losses:
        effect = rng.normal(0, 0.15, (n, fields))[document] if with_documents else 0.0
        is_correct = rng.random((cases, fields)) < (1.0 - loss) * np.clip(rates + effect, 0, 1)
        runs.append(is_correct.astype(np.float64))
    return FieldValues(runs, document if with_documents else None)


def compare_score(values: FieldValues, fields: int) -> Change:
    """Compare the mean of the first `fields` fields of two runs."""
    base, new = (run[:, :fields].mean(axis=1) for run in values.runs)
    change = compare_numbers("e.score", base, new, values.document)
    assert change is not None
    return change


def compare_fields(values: FieldValues, fields: int) -> list[Change]:
    """Compare each of the first `fields` fields of two runs."""
    base, new = values.runs
    changes = [compare_numbers(f"f{field}", base[:, field], new[:, field], values.document) for field in range(fields)]
    return [change for change in changes if change is not None]


def draw_prf_runs(rng: np.random.Generator, n: int) -> list[EvaluatorMeasurements]:
    """Draw two runs of one system with field_prf: 13 metrics and the pass rate."""
    rates = rng.beta(6, 1, n)
    runs: list[EvaluatorMeasurements] = []
    for _ in range(2):
        counts = draw_field_counts(rng, rates)
        metrics = compute_rates(counts)
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


def compare_runs(base: EvaluatorMeasurements, new: EvaluatorMeasurements) -> EvaluatorChange:
    """Compare two runs with one evaluator, adjusted as `fieldwise compare` does."""
    return adjust_one_evaluator(compare_evaluator("e", base, new))


def adjust_one_evaluator(change: EvaluatorChange) -> EvaluatorChange:
    """Adjust and judge the comparison of two runs with one evaluator."""
    [changes] = adjust_together([Changes(base="base", new="new", evaluators={"e": change})])
    return changes.evaluators["e"]


def shows_difference(change: Change) -> bool:
    """True if the verdict on a change is better or worse."""
    return change.verdict in ("better", "worse")


def contains(change: Change, value: float) -> float:
    """1 if the interval of a change contains this value, 0 if not, NaN if there is no interval."""
    return np.nan if change.low is None or change.high is None else float(change.low <= value <= change.high)


def simulate_comparisons(
    n: int, pairs: int, *, with_documents: bool, field_counts: Sequence[int] = FIELD_COUNTS
) -> dict[int, tuple[float, float]]:
    """By number of fields: the share of comparisons of a system with itself that show a difference in any metric, and in any field.

    The metrics are the score and one for each field. Only pairs with a p-value near or below the significance level are compared in full:
    the others cannot have the verdict `better` or `worse`.
    """
    rng = np.random.default_rng([n, with_documents])
    has_difference = np.zeros((pairs, len(field_counts), 2), dtype=np.bool_)
    for pair in range(pairs):
        values = draw_runs(rng, n, max(field_counts), with_documents=with_documents)
        base, new = values.runs
        differences = new - base
        if values.document is not None:
            document_starts = np.flatnonzero(np.diff(values.document, prepend=-1))
            differences = np.add.reduceat(differences, document_starts, axis=0)
        field_p_values = [sign_flip_p_value(differences[:, field]) for field in range(differences.shape[1])]
        for index, count in enumerate(field_counts):
            score_p_value = sign_flip_p_value(differences[:, :count].mean(axis=1))
            if min(score_p_value, *adjust_holm(field_p_values[:count])) < SIGNIFICANCE_LEVEL + _P_VALUE_MARGIN:
                has_difference[pair, index] = _find_differences(values, count)
    shares: dict[int, tuple[float, float]] = {}
    for count, (metric_share, field_share) in zip(field_counts, has_difference.mean(axis=0), strict=True):
        shares[count] = float(metric_share), float(field_share)
    return shares


def _find_differences(values: FieldValues, count: int) -> tuple[bool, bool]:
    """Whether two runs with `count` fields show a difference in any metric, and in any field."""
    fields = compare_fields(values, count)
    metrics = [compare_score(values, count), *(replace(field, name=f"e.{field.name}") for field in fields)]
    comparison = EvaluatorChange(evaluator="e", n=len(values.runs[0]), primary="e.score", metrics=metrics, fields=fields)
    change = adjust_one_evaluator(comparison)
    return any(map(shows_difference, change.metrics)), any(map(shows_difference, change.fields))


def simulate_prf_comparisons(n: int, pairs: int) -> float:
    """The share of comparisons of a system with itself that show a difference in any metric of field_prf."""
    rng = np.random.default_rng(n)
    count = 0
    for _ in range(pairs):
        base, new = draw_prf_runs(rng, n)
        p_value = sign_flip_p_value(new.metrics["score"] - base.metrics["score"])
        if p_value < SIGNIFICANCE_LEVEL + _P_VALUE_MARGIN:  # else no metric is tested
            count += any(map(shows_difference, compare_runs(base, new).metrics))
    return count / pairs


def simulate_change_coverage(n: int, datasets: int, *, loss: float, with_documents: bool) -> tuple[float, float]:
    """The share of intervals of a difference that contain the true one, for the mean of five fields and for one field."""
    true_difference = -loss * _compute_true_score(with_documents)
    rng = np.random.default_rng([n, with_documents])
    score_coverage: list[float] = []
    field_coverage: list[float] = []
    for _ in range(datasets):
        values = draw_runs(rng, n, 5, with_documents=with_documents, losses=(0.0, loss))
        base, new = (run[:, 0] for run in values.runs)
        field = compare_numbers("f0", base, new, values.document)
        assert field is not None
        score_coverage.append(contains(compare_score(values, 5), true_difference))
        field_coverage.append(contains(field, true_difference))
    return _average_without_nan(score_coverage), _average_without_nan(field_coverage)


def _average_without_nan(values: Sequence[float]) -> float:
    """The mean of the values that are not NaN; NaN if there are none."""
    defined_values = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined_values)) if defined_values else float("nan")


@cache
def _compute_true_score(with_documents: bool) -> float:
    values = draw_runs(np.random.default_rng(0), 100_000, 5, with_documents=with_documents, losses=[0.0])
    return float(values.runs[0].mean())


# A gate that is checked at every commit


def simulate_commits(n: int, histories: int, confidences: Sequence[float]) -> dict[float, tuple[float, float]]:
    """By confidence of a regression gate: the share of commits that fail it, and the share of histories of 50 commits with a failure.

    Every commit is compared with the same baseline, as in CI. The system never changes, so every failure is a false alarm.
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
    commit_shares, history_shares = failed.mean(axis=(0, 1)).tolist(), failed.any(axis=1).mean(axis=0).tolist()
    return dict(zip(confidences, zip(commit_shares, history_shares, strict=True), strict=True))


# Stored runs of one system


def write_pool(path: Path, seed: int, *, with_documents: bool) -> None:
    """Write cases with 20 text fields and the outputs of one system: omissions, typos, other values and invented keys."""
    case_rng, run_rng = np.random.default_rng(1), np.random.default_rng(seed)
    rates = np.clip(case_rng.normal(0.85, 0.12, POOL), 0.3, 0.99)[:, None]
    if with_documents:
        document_effects = run_rng.normal(0, 0.15, (POOL // DOCUMENT_SIZE, 20))
        rates = rates + document_effects[np.arange(POOL) // DOCUMENT_SIZE]
    is_correct = run_rng.random((POOL, 20)) < rates
    error_draws = run_rng.random((POOL, 20))
    has_invented_key = run_rng.random(POOL) < 0.2
    lines: list[str] = []
    for case in range(POOL):
        expected = {f"f{field}": f"value {case} {field}" for field in range(20)}
        actual: dict[str, object] = {"extra": "x"} if has_invented_key[case] else {}
        for (name, value), correct, draw in zip(expected.items(), is_correct[case].tolist(), error_draws[case].tolist(), strict=True):
            if correct:
                actual[name] = value
            elif draw > 0.4:  # else an omission
                actual[name] = f"{value}x" if draw < 0.8 else case
        lines.append(json.dumps({"id": str(case), "document": case // DOCUMENT_SIZE, "expected": expected, "actual": actual}))
    path.write_text("\n".join(lines), encoding="utf-8")


StoredRun = Mapping[str, EvaluatorMeasurements]
"""The measurements of a stored run, by evaluator."""


def store_two_runs(*, with_documents: bool) -> list[StoredRun]:
    """Score and store two runs of one system with field_accuracy and field_prf over 1, 5 and 20 fields, and load them."""
    evaluators: list[dict[str, object]] = []
    for count in FIELD_COUNTS:
        rules = [{"path": f"f{field}", "match": "fuzzy"} for field in range(count)]
        evaluators += [{"type": kind, "name": f"{kind}_{count}", "fields": rules} for kind in ("field_accuracy", "field_prf")]
    runs: list[StoredRun] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pool.jsonl"
        suite: dict[str, object] = {"cases": str(path), "evaluators": evaluators}
        if with_documents:
            suite["group"] = "metadata.document"
        for seed in (2, 3):
            write_pool(path, seed, with_documents=with_documents)
            run = fw.run(suite, root=folder)
            ids = list_case_ids(run)
            runs.append({name: load_metrics(run, name, ids) for name in run.evaluators})
    return runs


def compare_resampled_evaluator(
    name: str, base: EvaluatorMeasurements, new: EvaluatorMeasurements, cases: Codes, is_swapped: NDArray[np.bool_]
) -> EvaluatorChange:
    """Compare two runs over some cases. Both are of one system, so base and new may be swapped for each case."""

    def select_cases(first: EvaluatorMeasurements, second: EvaluatorMeasurements) -> EvaluatorMeasurements:
        """The measurements of these cases: of the first run, and of the second where they are swapped."""

        def select_values(first_column: NDArray[np.generic], second_column: NDArray[np.generic]) -> NDArray[np.generic]:
            return np.where(is_swapped, second_column[cases], first_column[cases])

        return replace(
            first,
            ids=[first.ids[case] for case in cases],
            groups=None if first.groups is None else [first.groups[case] for case in cases],
            verdict=select_values(first.verdict, second.verdict),
            metrics={metric: select_values(column, second.metrics[metric]) for metric, column in first.metrics.items()},
            fields={field: select_values(column, second.fields[field]) for field, column in first.fields.items()},
        )

    return compare_evaluator(name, select_cases(base, new), select_cases(new, base))


def simulate_stored(runs: Sequence[StoredRun], n: int, fields: int, pairs: int, *, with_documents: bool) -> tuple[float, float]:
    """Resample `n` cases or whole documents of two stored runs: the shares with a difference in any metric, and in any field.

    The primary metrics and the fields are compared first. The other metrics are judged only where a primary metric shows a difference, so
    only those pairs are compared in full.
    """
    rng = np.random.default_rng([n, fields, with_documents])
    names = [f"field_accuracy_{fields}", f"field_prf_{fields}"]
    full_runs = [{name: run[name] for name in names} for run in runs]
    primary_runs = [{name: _select_primary_metric(run[name]) for name in names} for run in runs]
    has_difference: list[tuple[bool, bool]] = []
    size = DOCUMENT_SIZE if with_documents else 1
    for _ in range(pairs):
        units = rng.choice(POOL // size, n, replace=False)
        cases = (units[:, None] * size + np.arange(size)).ravel()
        is_swapped = np.repeat(rng.random(len(units)) < 0.5, size)
        in_metric, in_field = _compare_resampled_runs(primary_runs, cases, is_swapped)
        if in_metric:
            in_metric, in_field = _compare_resampled_runs(full_runs, cases, is_swapped)
        has_difference.append((in_metric, in_field))
    metric_share, field_share = np.mean(has_difference, axis=0).tolist()
    return metric_share, field_share


def _select_primary_metric(measurements: EvaluatorMeasurements) -> EvaluatorMeasurements:
    return replace(measurements, metrics={measurements.primary: measurements.metrics[measurements.primary]})


def _compare_resampled_runs(runs: Sequence[StoredRun], cases: Codes, is_swapped: NDArray[np.bool_]) -> tuple[bool, bool]:
    """Whether two runs show a difference over these cases in any metric, and in any field."""
    base, new = runs
    evaluators = {name: compare_resampled_evaluator(name, base[name], new[name], cases, is_swapped) for name in base}
    [changes] = adjust_together([Changes(base="base", new="new", evaluators=evaluators)])
    in_metric = in_field = False
    for evaluator in changes.evaluators.values():
        in_metric = in_metric or any(map(shows_difference, evaluator.metrics))
        in_field = in_field or any(map(shows_difference, evaluator.fields))
    return in_metric, in_field


# Power


def draw_scores(rng: np.random.Generator, documents: int, size: int, drop: float) -> tuple[Column, Column, Codes]:
    """Draw the scores of two runs, and return them with the document of each case.

    The standard deviation is 0.3, the correlation between runs one half, and that between the cases of a document 0.3.
    """
    cases = documents * size
    document = np.repeat(np.arange(documents), size)

    def draw_component(variance_share: float) -> Column:
        within = rng.normal(0, np.sqrt(0.7 if size > 1 else 1.0), cases)
        between = rng.normal(0, np.sqrt(0.3), documents)[document] if size > 1 else 0.0
        return np.sqrt(variance_share) * 0.3 * (within + between)

    shared = draw_component(0.5)
    return shared + draw_component(0.5), shared + draw_component(0.5) - drop, document


def simulate_power(drop: float, size: int, datasets: int, *, measured: bool) -> tuple[int, float]:
    """The number of cases that `fieldwise power` states for a drop, and the share of comparisons of that many cases that detect it.

    The variance is assumed, or `measured` in a run of 400 cases; then the mean number of cases is returned.
    """
    rng = np.random.default_rng([size, int(1000 * drop), measured])
    stated_cases: list[int] = []
    detected = 0
    for _ in range(datasets):
        spread: ChangeSpread | None = assume_spread(0.3, 0.5, group_size=size, intraclass=0.3 if size > 1 else 0.0)
        if measured:
            pilot, _, document = draw_scores(rng, 400 // size, size, 0.0)
            spread = measure_spread(pilot, document if size > 1 else None, 0.5)
        assert spread is not None
        plan = plan_sample_size(spread, drop)
        assert plan.cases is not None
        stated_cases.append(plan.cases)
        base, new, document = draw_scores(rng, plan.cases // size, size, drop)
        change = compare_numbers("score", base, new, document if size > 1 else None)
        detected += change is not None and change.verdict == "worse"
    return round(float(np.mean(stated_cases))), detected / datasets


def draw_shares(rng: np.random.Generator, share: float, drop: float, cases: int) -> tuple[Column, Column]:
    """Values 0 and 1 of the same cases in two runs, correlated by 0.5 or by as much as their shares allow, the second with a drop."""
    new_share = share - drop
    both = share * new_share + 0.5 * np.sqrt(share * (1 - share) * new_share * (1 - new_share))
    both = min(both, new_share)
    chances = [both, share - both, new_share - both, 1 - share - new_share + both]
    kind = rng.choice(4, size=cases, p=chances)
    return (kind <= 1).astype(np.float64), np.isin(kind, (0, 2)).astype(np.float64)


def simulate_share_power(share: float, drop: float, datasets: int, *, runs: int) -> tuple[int, float]:
    """The mean number of cases stated for a drop of a share, measured in one or two runs of 400 cases, and the power that they have."""
    rng = np.random.default_rng([int(1000 * share), int(1000 * drop), runs])
    stated_cases: list[int] = []
    detected = 0
    while len(stated_cases) < datasets:
        pilot, other = draw_shares(rng, share, 0.0, 400)
        if runs == 1:
            spread = measure_spread(pilot, None, 0.5, is_share=True)
        else:
            spread = measure_spread(other - pilot, None, None, is_share=True, baseline=pilot)
        plan = None if spread is None else plan_sample_size(spread, drop)
        if plan is None or plan.cases is None:
            continue
        stated_cases.append(plan.cases)
        change = compare_numbers("score", *draw_shares(rng, share, drop, plan.cases))
        detected += change is not None and change.verdict == "worse"
    return round(float(np.mean(stated_cases))), detected / datasets


# Tables


def _format_table(title: str, rows: Rows) -> Iterator[str]:
    """The lines of a table with a column for each size."""
    yield f"| {title} | {' | '.join(f'n = {n:,}' for n in SIZES)} |"
    yield f"| --- |{' --- |' * len(SIZES)}"
    for name, cells in rows:
        yield f"| {name} | {' | '.join(cells)} |"


def _format_coverage(coverage: tuple[float, float]) -> str:
    share, relative_width = coverage
    return f"{share:.3f} ({relative_width:.2f})"


def _format_share(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")


def _format_count(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count > 1 else ''}"


def _describe_design(with_documents: bool) -> str:
    return "documents, `group`" if with_documents else "independent cases"


def build_coverage_table(datasets: int, *, with_documents: bool = False) -> Iterator[str]:
    """Coverage and relative width, a row for each population, of independent cases or of documents."""
    coverage_by_size = {n: simulate_coverage(n, datasets, with_documents=with_documents) for n in SIZES}
    rows: Rows = []
    for name in compute_true_values():
        title = name.replace("_", " ").replace("%", " %")
        rows.append((title, [_format_coverage(coverage_by_size[n][name]) for n in SIZES]))
    yield from _format_table("population, in documents" if with_documents else "population", rows)


def build_other_populations_table(datasets: int) -> Iterator[str]:
    """Coverage and relative width for documents of populations to which the method was not fitted."""
    rows: Rows = []
    for population in OTHER_POPULATIONS:
        rows.append((population.title, [_format_coverage(simulate_group_shares(population, n, datasets)) for n in SIZES]))
    yield from _format_table("other documents", rows)


def build_commits_table(histories: int) -> Iterator[str]:
    """False alarms of a regression gate at every commit, a row for each confidence."""
    yield f"| `confidence` | commits that fail | histories of {COMMITS} commits with a failure |"
    yield "| --- | --- | --- |"
    for confidence, (commit_share, history_share) in simulate_commits(100, histories, (0.95, 0.99, 0.999)).items():
        yield f"| {confidence} | {commit_share:.2%} | {history_share:.1%} |".replace("%", " %")


def build_comparisons_table(pairs: int) -> Iterator[str]:
    """Shares of false alarms, a row for each design."""
    rows: Rows = [("any of 14 metrics of `field_prf`", [_format_share(simulate_prf_comparisons(n, pairs)) for n in SIZES])]
    for with_documents in (False, True):
        shares_by_size = [simulate_comparisons(n, pairs, with_documents=with_documents) for n in SIZES]
        title = f"{_describe_design(with_documents)}: any of"
        for fields in FIELD_COUNTS:
            metric_cells = [_format_share(shares[fields][0]) for shares in shares_by_size]
            field_cells = [_format_share(shares[fields][1]) for shares in shares_by_size]
            rows.append((f"{title} {_format_count(fields, 'metric')}", metric_cells))
            rows.append((f"{title} {_format_count(fields, 'field')}", field_cells))
    yield from _format_table("a system compared with itself", rows)


def build_stored_table(pairs: int) -> Iterator[str]:
    """Shares of false alarms in stored runs, a row for each design."""
    rows: Rows = []
    for with_documents in (False, True):
        runs = store_two_runs(with_documents=with_documents)
        design = _describe_design(with_documents)
        for fields in FIELD_COUNTS:
            shares_by_size = [simulate_stored(runs, n, fields, pairs, with_documents=with_documents) for n in SIZES]
            metric_cells = [_format_share(metric_share) for metric_share, _ in shares_by_size]
            field_cells = [_format_share(field_share) for _, field_share in shares_by_size]
            rows.append((f"{design}: any metric, {_format_count(fields, 'field')}", metric_cells))
            rows.append((f"{design}: any of {_format_count(fields, 'field')}", field_cells))
    yield from _format_table("two stored runs of a system", rows)


def build_changes_table(datasets: int) -> Iterator[str]:
    """Coverage of the interval of a difference, a row for each design."""
    rows: Rows = []
    for with_documents in (False, True):
        for loss in (0.0, 0.1):
            coverage_by_size = [simulate_change_coverage(n, datasets, loss=loss, with_documents=with_documents) for n in SIZES]
            title = f"{_describe_design(with_documents)}; {'one right value in ten lost' if loss else 'no difference'}"
            for index, noun in enumerate(("score", "one field")):
                cells = ["–" if np.isnan(coverage[index]) else f"{coverage[index]:.3f}" for coverage in coverage_by_size]
                rows.append((f"{title}: {noun}", cells))
    yield from _format_table("interval of a difference", rows)


def build_power_table(datasets: int) -> Iterator[str]:
    """The number of cases stated for 80 % power, and the power of comparisons with that many cases."""
    yield "| drop | cases | variance | stated cases | power |"
    yield "| --- | --- | --- | --- | --- |"
    for size in (1, 8):
        design = f"in documents of {size}" if size > 1 else "independent"
        for drop in (0.1, 0.05, 0.03):
            for measured in (False, True):
                cases, power = simulate_power(drop, size, datasets, measured=measured)
                yield f"| {drop} | {design} | {'measured' if measured else 'assumed'} | {cases:,} | {_format_share(power)} |"


def build_share_power_table(datasets: int) -> Iterator[str]:
    """The same for shares of cases that pass, measured in one run, or in two."""
    yield "| share | drop | one run: stated cases | power | two runs: stated cases | power |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for share in (0.98, 0.95, 0.9, 0.7):
        for drop in (0.02, 0.05, 0.1):
            cells = [f"{share}", f"{drop}"]
            for runs in (1, 2):
                cases, power = simulate_share_power(share, drop, datasets, runs=runs)
                cells += [f"{cases:,}", _format_share(power)]
            yield f"| {' | '.join(cells)} |"


TABLES: dict[str, Callable[[int], Iterator[str]]] = {
    "coverage": build_coverage_table,
    "groups": partial(build_coverage_table, with_documents=True),
    "other": build_other_populations_table,
    "changes": build_changes_table,
    "comparisons": build_comparisons_table,
    "power": build_power_table,
    "shares": build_share_power_table,
    "commits": build_commits_table,
    "stored": build_stored_table,
}


def write_table(page: Path, name: str, lines: Sequence[str]) -> None:
    """Replace the table that follows the comment `<!-- simulate: NAME -->` in a page."""
    text = page.read_text(encoding="utf-8")
    marker = f"<!-- simulate: {name} -->\n\n"
    before, _, after = text.partition(marker)
    if not after:
        raise SystemExit(f"{page} has no `{marker.strip()}`")
    text_after_table = re.sub(r"^(\|.*\n)*", "", after)
    page.write_text(before + marker + "\n".join(lines) + "\n" + text_after_table, encoding="utf-8")


def main() -> None:
    """Print the tables, and write them to a page if one is given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=1000, help="datasets, pairs of runs or histories for each cell")
    parser.add_argument("--only", choices=list(TABLES), help="run one simulation")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="replace the tables of this page")
    options = parser.parse_args()
    for name, build_table in TABLES.items():
        if options.only not in (None, name):
            continue
        lines = list(build_table(options.datasets))
        print(f"\n{name}: {options.datasets:,} datasets each, {time.process_time():.0f} s of CPU so far\n")
        print(*lines, sep="\n", flush=True)
        if options.write:
            write_table(options.write, name, lines)


if __name__ == "__main__":
    main()
