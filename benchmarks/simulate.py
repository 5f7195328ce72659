"""Simulations of the statistics: coverage of intervals, and how often a system that is compared with itself shows a difference.

Run all of them with `make simulate`; `--datasets 100` is quicker, `--only coverage` or `--only comparisons` runs one part. The tables are
those of docs/statistics.md. Everything goes through the code that a run uses: `MetricTotals`, `compare_evaluator` and `adjust_together`.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

# Python puts the folder of a script first on its path, where this file would hide the standard library's `statistics`.
sys.path[:] = [folder for folder in sys.path if Path(folder or ".").resolve() != Path(__file__).parent]

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from fieldwise.kernels.statistics import draw_poisson_weights, hash_texts, precision_recall_f1
from fieldwise.model.change import Changes
from fieldwise.summarize.compare import EvaluatorMeasurements, adjust_together, compare_evaluator
from fieldwise.summarize.metrics import MetricTotals

Column = NDArray[np.float64]
SIZES = (10, 30, 100, 1000)
DOCUMENT_SIZE = 10
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
    return shares | {"Beta(8, 2)": rng.beta(8, 2, n)} | mixtures | rates_of(counts) | counts


def true_values() -> dict[str, float]:
    """The value of every metric in its population."""
    counts = draw_field_counts(np.random.default_rng(0), np.random.default_rng(1).beta(6, 1, _TRUTH_CASES))
    totals = [counts[name].sum() for name in ("true_positives", "false_positives", "false_negatives")]
    truth = {f"macro_{name}": float(column.mean()) for name, column in rates_of(counts).items()}
    for name, value in zip(("precision", "recall", "f1"), precision_recall_f1(*totals), strict=True):
        truth[f"micro_{name}"] = float(value)
    return truth | {"share 0.5": 0.5, "share 0.9": 0.9, "share 0.98": 0.98, "Beta(8, 2)": 0.8, "80% ones": 0.9, "95% ones": 0.975}


def simulate_coverage(n: int, datasets: int) -> dict[str, tuple[float, float]]:
    """By metric the share of intervals that hold the true value, and their mean width in widths of the t interval."""
    truth, rng = true_values(), np.random.default_rng(n)
    covered: Counter[str] = Counter()
    widths, t_widths = Counter[str](), Counter[str]()
    quantile = 2 * stats.t.ppf(0.975, n - 1) / np.sqrt(n)
    for dataset in range(datasets):
        columns = draw_populations(rng, n)
        totals = MetricTotals()
        totals.add(columns, np.arange(n), draw_poisson_weights(hash_texts([f"{dataset}-{case}" for case in range(n)])))
        metrics = totals.finish()
        for name, value in truth.items():
            metric = metrics[name]
            if metric.low is None or metric.high is None:
                continue
            covered[name] += metric.low <= value <= metric.high
            widths[name] += metric.high - metric.low
            t_widths[name] += quantile * _residual_deviation(name, columns)
    return {name: (covered[name] / datasets, widths[name] / t_widths[name] if t_widths[name] else float("inf")) for name in truth}


def _residual_deviation(name: str, columns: Mapping[str, Column]) -> float:
    """The standard deviation whose t interval the width is compared with; of a pooled rate, that of its residuals."""
    if name in columns:
        return float(columns[name].std(ddof=1))
    rate = name.removeprefix("macro_")
    if rate in columns:
        return float(columns[rate].std(ddof=1))
    right, extra, missed = (columns[count] for count in ("true_positives", "false_positives", "false_negatives"))
    whole = {"micro_precision": right + extra, "micro_recall": right + missed, "micro_f1": 2 * right + extra + missed}[name]
    part = 2 * right if name == "micro_f1" else right
    return float((part - part.sum() / whole.sum() * whole).std(ddof=1) / whole.mean())


# Comparisons of a system with itself


def draw_two_runs(rng: np.random.Generator, n: int, fields: int, *, with_documents: bool) -> list[EvaluatorMeasurements]:
    """Two runs of one system over the same cases; with documents, ten consecutive cases share an effect on each field."""
    difficulty = np.clip(rng.beta(6, 1.2, n), 0.02, 0.98)
    rates = difficulty[:, None] + rng.normal(0, 0.05, (n, fields))
    document = np.arange(n) // DOCUMENT_SIZE
    ids = [str(case) for case in range(n)]
    runs: list[EvaluatorMeasurements] = []
    for _ in range(2):
        effect = rng.normal(0, 0.15, (document[-1] + 1, fields))[document] if with_documents else 0.0
        values = (rng.random((n, fields)) < np.clip(rates + effect, 0, 1)).astype(np.float64)
        score = values.mean(axis=1)
        columns = {f"f{field}": values[:, field] for field in range(fields)}
        runs.append(
            EvaluatorMeasurements(
                ids=ids,
                verdict=np.where(score == 1, 2, np.where(score == 0, 0, 1)).astype(np.int8),
                metrics={"score": score} | {f"m_{name}": column for name, column in columns.items()},
                fields=columns,
                groups=[str(number) for number in document] if with_documents else None,
            )
        )
    return runs


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


def shows_difference(runs: list[EvaluatorMeasurements]) -> tuple[bool, bool]:
    """Whether a comparison of two runs shows a difference in any metric, and in any field."""
    base, new = runs
    [changes] = adjust_together([Changes(base="base", new="new", evaluators={"e": compare_evaluator("e", base, new)})])
    evaluator = changes.evaluators["e"]
    shown = [[change.verdict in ("better", "worse") for change in family] for family in (evaluator.metrics, evaluator.fields)]
    return any(shown[0]), any(shown[1])


def simulate_comparisons(n: int, fields: int, pairs: int, *, with_documents: bool) -> tuple[float, float]:
    """The share of comparisons of a system with itself in which some metric, and in which some field, shows a difference."""
    rng = np.random.default_rng([n, fields, with_documents])
    shown = np.array([shows_difference(draw_two_runs(rng, n, fields, with_documents=with_documents)) for _ in range(pairs)])
    any_metric, any_field = shown.mean(axis=0).tolist()
    return any_metric, any_field


def simulate_prf_comparisons(n: int, pairs: int) -> float:
    """The share of comparisons of a system with itself in which some metric of field_prf shows a difference."""
    rng = np.random.default_rng(n)
    return float(np.mean([shows_difference(draw_prf_runs(rng, n))[0] for _ in range(pairs)]))


# Tables


def coverage_table(datasets: int) -> Iterator[str]:
    """Coverage and relative width, a row for each population."""
    by_size = {n: simulate_coverage(n, datasets) for n in SIZES}
    yield f"| population | {' | '.join(f'n = {n:,}' for n in SIZES)} |"
    yield f"| --- |{' --- |' * len(SIZES)}"
    for name in by_size[SIZES[0]]:
        cells = [f"{by_size[n][name][0]:.3f} ({by_size[n][name][1]:.2f})" for n in SIZES]
        yield f"| {name.replace('_', ' ').replace('%', ' %')} | {' | '.join(cells)} |"


def comparison_table(pairs: int) -> Iterator[str]:
    """Shares of false alarms, a row for each design."""
    yield f"| a system compared with itself | {' | '.join(f'n = {n:,}' for n in SIZES)} |"
    yield f"| --- |{' --- |' * len(SIZES)}"
    yield f"| any of 14 metrics of `field_prf` | {' | '.join(f'{simulate_prf_comparisons(n, pairs):.1%}' for n in SIZES)} |"
    for with_documents in (False, True):
        for fields in (1, 5, 20):
            rates = [simulate_comparisons(n, fields, pairs, with_documents=with_documents) for n in SIZES]
            design = "documents of 10 cases, `group`" if with_documents else "independent cases"
            for noun, place in (("metric", 0), ("field", 1)):
                cells = " | ".join(f"{rate[place]:.1%}" for rate in rates)
                yield f"| {design}: any of {fields} {noun}{'s' if fields > 1 else ''} | {cells} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, default=1000)
    parser.add_argument("--only", choices=["coverage", "comparisons"])
    options = parser.parse_args()
    tables = {"coverage": coverage_table, "comparisons": comparison_table}
    for name, table in tables.items():
        if options.only in (None, name):
            print(f"\n{name}, {options.datasets:,} datasets each\n", flush=True)
            for line in table(options.datasets):
                print(line.replace("%", " %") if name == "comparisons" else line, flush=True)


if __name__ == "__main__":
    main()
