"""`eval-results.json`: precision, recall and F1 for each case and in aggregate."""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from fieldwise.kernels.statistics import precision_recall_f1
from fieldwise.kernels.sums import ExactSums
from fieldwise.model.result import Result
from fieldwise.summarize.metrics import COUNTS, RATES

_OTHER_COUNTING: Final = {"fp_fn": "fp", "fp": "fp_fn"}
_INTEGER_METRICS: Final = (*COUNTS, "total_gt_fields", "correct_fields")


def build_eval_results(results: Iterable[tuple[str, Result]]) -> dict[str, Any]:
    """The content of `eval-results.json`, from case ids and the results of a `field_prf` evaluator. Without cases, all are 0.

    Results that are no measurement (skipped, unavailable, an evaluation error) are left out. `substitution_counts` says what a wrong
    value counts as; `macro_fp` and `micro_fp` (or `macro_fp_fn` …) are the averages by the other way of counting.
    """
    measured = [(case_id, result) for case_id, result in results if _is_measured(result)]
    per_eval = [_build_case_entry(case_id, result) for case_id, result in measured]
    counting = "fp" if any("recall_fp_fn" in result.metrics for _, result in measured) else "fp_fn"
    other_counting = _OTHER_COUNTING[counting]
    other_metrics = [_count_otherwise(result, other_counting) for _, result in measured]
    aggregate = _aggregate([entry["metrics"] for entry in per_eval])
    other_aggregate = _aggregate(other_metrics)
    aggregate |= {f"{average}_{other_counting}": other_aggregate[average] for average in ("macro", "micro")}
    return {"per_eval": per_eval, "aggregate": aggregate, "substitution_counts": counting}


def _count_otherwise(result: Result, counting: str) -> dict[str, float]:
    """The rates and counts of a case by the other way of counting wrong values, under the usual names."""
    names = (*RATES, *COUNTS)
    return {name: result.metrics.get(f"{name}_{counting}", result.metrics.get(name, 0.0)) for name in names}


def _is_measured(result: Result) -> bool:
    return result.status == "scored" or (result.status == "error" and result.details.get("fault") == "system")


def _build_case_entry(case_id: str, result: Result) -> dict[str, Any]:
    metrics: dict[str, float | int] = {rate: float(result.metrics.get(rate, 0.0)) for rate in RATES}
    metrics |= {count: round(result.metrics.get(count, 0)) for count in _INTEGER_METRICS}
    return {"id": case_id, "metrics": metrics, "discrepancies": list(result.details.get("errors", ()))}


def _aggregate(metrics: list[dict[str, Any]]) -> dict[str, Any]:
    n = len(metrics)
    sums = ExactSums(len(RATES))
    for slot, rate in enumerate(RATES):
        sums.add(np.array([case_metrics[rate] for case_metrics in metrics], dtype=np.float64), np.full(n, slot))
    totals = [sum(int(case_metrics[count]) for case_metrics in metrics) for count in COUNTS]
    pooled = precision_recall_f1(*totals)
    return {
        "macro": {rate: sums.mean(slot, n) if n else 0.0 for slot, rate in enumerate(RATES)},
        "micro": {rate: float(value) for rate, value in zip(RATES, pooled, strict=True)},
        **{f"total_{count}": total for count, total in zip(COUNTS, totals, strict=True)},
        "eval_count": n,
    }
