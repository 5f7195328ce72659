"""What a whole run comes to."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from outcome_factory import EVALUATORS, PRF, build, cut

import fieldwise as fw
from fieldwise.model.batch import BatchOutcome, EvaluatorOutcome
from fieldwise.model.result import Result, Results
from fieldwise.summarize.state import SummaryState


def spread(pool):
    return {"spread": float(pool["confidence"].max() - pool["confidence"].min()), "pooled": float(len(pool["case"]))}


POOLED = {"field_prf": spread}


def summary_of(*batches, summarizers=POOLED):
    state = SummaryState(EVALUATORS)
    for batch in batches:
        state.add(batch)
    return state.finish(summarizers)


def results_of(results, verdicts, ids=None):
    """A batch in which `field_prf` says these results."""
    batch = build(len(results))
    table = Results.from_results(results)
    table.verdict = np.array(verdicts, dtype=np.int8)
    return BatchOutcome(
        first=0, cases=batch.cases, evaluated=[EvaluatorOutcome(evaluator=PRF, rows=np.arange(len(results)), results=table)]
    )


def test_a_mean_is_over_scored_cases_and_failures_of_the_system():
    evaluator = summary_of(
        results_of(
            [
                Result(score=1.0, metrics={"completeness": 1.0}),
                Result(score=0.0, status="error", details={"fault": "system"}, metrics={"completeness": 0.0}),
                Result(score=0.0, status="error", details={"fault": "ours"}, metrics={"completeness": 0.25}),
                Result(status="skipped"),
                Result(status="unavailable", metrics={"completeness": 0.5}),
            ],
            [2, 0, 0, -1, -1],
        )
    ).evaluators["field_prf"]
    assert (evaluator.metrics["score"].value, evaluator.metrics["score"].n) == (0.5, 2)
    assert evaluator.metrics["completeness"].value == 0.5
    assert evaluator.metrics["pass_rate"].value == 0.5
    counts = evaluator.counts
    assert (counts.scored, counts.failures, counts.faults, counts.skipped, counts.unavailable) == (1, 1, 1, 1, 1)
    assert (counts.passed, counts.partial, counts.failed) == (1, 0, 1)


def test_cases_an_evaluator_is_not_for_are_counted_as_not_applicable():
    counts = summary_of(build(10)).evaluators["answers"].counts
    assert (counts.cases, counts.not_applicable, counts.scored) == (10, 5, 5)


def test_nothing_measured_leaves_no_metric():
    summary = summary_of(results_of([Result(status="skipped"), Result(status="unavailable")], [-1, -1]))
    assert summary.evaluators["field_prf"].metrics == {}
    assert summary.evaluators["answers"].metrics == {}
    assert summary.flatten() == {}


def test_no_cases_is_an_empty_summary():
    assert summary_of().cases == 0


@pytest.mark.parametrize(("right", "wrong"), [(7, 1), (5, 5), (4, 1), (0, 6), (3, 1)])
def test_macro_and_micro_of_cases_with_one_value_have_the_same_interval(right, wrong, tmp_path):
    actual = [1] * right + [0] * wrong
    cases = [{"id": str(case), "expected": {"label": 1}, "actual": {"label": value}} for case, value in enumerate(actual)]
    run = fw.run({"name": "labels", "evaluators": [{"type": "field_prf", "name": "prf"}]}, cases=cases, root=tmp_path)
    metrics = run.full.evaluators["prf"].metrics
    for rate in ("precision", "recall", "f1"):
        macro, micro = metrics[f"macro_{rate}"], metrics[f"micro_{rate}"]
        assert (micro.value, micro.low, micro.high) == pytest.approx((macro.value, macro.low, macro.high)), rate


def test_micro_of_cases_with_several_values_is_not_a_share_of_cases(tmp_path):
    def record(count):
        return {str(key): key for key in range(count)}

    cases = [
        {"id": str(case), "expected": record(1 + case % 3), "actual": record(1 + case % 3) if case else {"0": 7}} for case in range(12)
    ]
    run = fw.run({"name": "records", "evaluators": [{"type": "field_prf", "name": "prf"}]}, cases=cases, root=tmp_path)
    metrics = run.full.evaluators["prf"].metrics
    assert metrics["micro_recall"].value == pytest.approx(23 / 24)
    assert metrics["micro_recall"].low > metrics["macro_recall"].low


def test_macro_is_the_mean_and_micro_pools_the_counts():
    """Metric guide: macro averages the cases, micro pools their counts."""
    small = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "true_positives": 1, "false_positives": 0, "false_negatives": 0}
    large = {"precision": 0.5, "recall": 0.25, "f1": 1 / 3, "true_positives": 2, "false_positives": 2, "false_negatives": 6}
    metrics = (
        summary_of(results_of([Result(score=1.0, metrics=small), Result(score=1 / 3, metrics=large)], [2, 1]))
        .evaluators["field_prf"]
        .metrics
    )
    assert metrics["macro_f1"].value == pytest.approx(2 / 3)
    assert metrics["macro_precision"] == metrics["precision"]
    assert metrics["micro_precision"].value == pytest.approx(3 / 5)
    assert metrics["micro_recall"].value == pytest.approx(3 / 9)
    assert metrics["micro_f1"].value == pytest.approx(2 * (3 / 5) * (1 / 3) / (3 / 5 + 1 / 3))
    assert metrics["total_false_negatives"].value == 6


def test_the_other_way_of_counting_is_pooled_too():
    batch = build(40)
    metrics = summary_of(batch).evaluators["field_prf"].metrics
    total = metrics["total_true_positives"].value
    omitted = metrics["omission"].value * metrics["omission"].n
    assert metrics["micro_recall_fp"].value == pytest.approx(total / (total + omitted))
    assert "micro_precision_fp" not in metrics
    assert metrics["macro_recall_fp"] == metrics["recall_fp"]


def test_zero_denominators_pool_to_zero():
    nothing = {"true_positives": 0, "false_positives": 0, "false_negatives": 0}
    metrics = summary_of(results_of([Result(metrics=nothing)], [0])).evaluators["field_prf"].metrics
    assert [metrics[f"micro_{name}"].value for name in ("precision", "recall", "f1")] == [0.0, 0.0, 0.0]


def test_intervals_hold_their_means():
    for evaluator in summary_of(build(200)).evaluators.values():
        for name, metric in evaluator.metrics.items():
            if metric.low is not None:
                assert metric.low <= metric.value <= metric.high, name


def test_a_metric_of_zeros_and_ones_has_the_interval_of_a_share():
    values = [Result(score=0.5, metrics={"exact_match": True})] * 9 + [Result(score=0.5, metrics={"exact_match": False})]
    metric = summary_of(results_of(values, [1] * 10)).evaluators["field_prf"].metrics["exact_match"]
    assert (round(metric.low, 3), round(metric.high, 3)) == (0.596, 0.982)


def test_one_case_has_no_bootstrap_interval():
    metric = summary_of(results_of([Result(score=0.4)], [1])).evaluators["field_prf"].metrics["score"]
    assert (metric.value, metric.low, metric.high) == (0.4, None, None)


def test_the_worst_cases_come_lowest_first_and_in_order_among_equals():
    summary = summary_of(results_of([Result(score=score) for score in (1.0, 0.5, 0.0, 0.5, 0.0)], [2, 1, 0, 1, 0]))
    assert summary.evaluators["field_prf"].worst == (("case-2", 0.0), ("case-4", 0.0), ("case-1", 0.5), ("case-3", 0.5))


def test_at_most_ten_worst_cases_are_kept():
    assert len(summary_of(build(100, right=0.2)).evaluators["field_prf"].worst) == 10


def test_flags_are_counted():
    batch = build(200, right=0.3)
    codes = batch.evaluated[0].results.flags.codes
    assert len(codes)
    assert summary_of(batch).evaluators["field_prf"].flags == {"empty": len(codes)}


def test_slices_are_means_over_their_own_cases():
    batch = build(60)
    slices = summary_of(batch).evaluators["field_prf"].slices
    assert set(slices) == {"tag:even", "tag:odd", "tag:small", "split:test"}
    results = batch.evaluated[0].results
    rows = [row for row in range(60) if row % 2 == 0 and (results.status[row] == 0 or (results.status[row] == 1 and row % 13 == 5))]
    assert slices["tag:even"]["score"].value == pytest.approx(results.score[rows].mean())
    assert slices["tag:even"]["macro_recall"].value == pytest.approx(results.metrics["recall"][rows].mean())
    tp, fp = (results.metrics[name][rows].sum() for name in ("true_positives", "false_positives"))
    assert slices["tag:even"]["micro_precision"].value == pytest.approx(tp / (tp + fp))
    assert slices["tag:even"]["pass_rate"].value == pytest.approx((results.verdict[rows] == 2).mean())


def test_pooled_columns_reach_the_evaluators_own_summary():
    metrics = summary_of(build(20)).evaluators["field_prf"].metrics
    measured = metrics["score"].n
    assert metrics["pooled"].value == 2 * measured
    assert metrics["spread"].n == measured


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 45), st.integers(1, 45), st.randoms())
def test_chunks_and_their_order_change_no_bit(n, size, random):
    whole = build(n, seed=n)
    parts = [cut(whole, start, min(start + size, n)) for start in range(0, n, size)]
    random.shuffle(parts)
    merged = SummaryState(EVALUATORS)
    for part in parts:
        state = SummaryState(EVALUATORS)
        state.add(part)
        merged.merge(pickle.loads(pickle.dumps(state)))
    assert repr(merged.finish(POOLED)) == repr(summary_of(whole))


def test_every_way_to_merge_four_parts_gives_the_same():
    whole = build(40)
    texts = set()
    for order in itertools.permutations(range(4)):
        texts.add(repr(summary_of(*(cut(whole, 10 * part, 10 * part + 10) for part in order))))
    assert texts == {repr(summary_of(whole))}


def test_the_names_of_gates_are_in_the_flat_form():
    flat = summary_of(build(10)).flatten()
    assert {"field_prf.macro_f1", "field_prf.score", "field_prf.pass_rate", "answers.coverage"} <= set(flat)


def test_pooled_rates_and_scores_of_slices_have_intervals():
    evaluator = summary_of(build(40)).evaluators["field_prf"]
    for metric in (evaluator.metrics["micro_precision"], evaluator.metrics["micro_f1"], evaluator.slices["tag:even"]["score"]):
        assert metric.low < metric.value < metric.high


def test_cases_are_counted_by_group_only_if_they_have_groups():
    batch, grouped = build(6), build(6)
    grouped.cases.group = ["a", "a", "a", "b", "b", "c"]
    assert (summary_of(batch).groups, summary_of(grouped).groups) == (None, 3)


def test_the_interval_of_shares_ends_at_1():
    results = [Result(score=0.5, metrics={"completeness": value}) for value in [1.0] * 9 + [0.5]]
    metric = summary_of(results_of(results, [1] * 10)).evaluators["field_prf"].metrics["completeness"]
    assert 0 < metric.low < metric.value < metric.high <= 1


def interval_of(metric, *, evaluators, rows, grouped=False):
    """The interval of a metric of these cases; None if it has none. Groups have two cases."""
    suite = {"evaluators": evaluators} | ({"group": "metadata.document"} if grouped else {})
    summary = fw.run(suite, cases=[{"id": f"c{at}", "document": at // 2, **row} for at, row in enumerate(rows)]).full
    found = summary.evaluators[evaluators[0]["type"]].metrics[metric]
    return None if found.low is None else (found.low, found.high)


@pytest.mark.parametrize("grouped", [False, True])
def test_a_distance_of_zeros_and_ones_has_no_interval_of_a_share(grouped):
    ten_apart = [{"expected": {"p": [0, 0]}, "actual": {"p": [1 - at // 9, 0]}} for at in range(10)]
    points = [{"type": "coordinate_distance", "path": "p"}]
    low, high = interval_of("mean_distance", evaluators=points, rows=ten_apart, grouped=grouped)
    assert (low + high) / 2 == pytest.approx(0.9)  # Student's t: the same on both sides, and not limited to 1
    assert high > 1


def test_equal_costs_have_no_interval_even_if_they_are_0_or_1():
    for price in (0, 1, 7):
        rows = [{"expected": "a", "actual": "a", "metadata": {"cost_usd": price}}] * 10
        assert interval_of("cost_usd", evaluators=[{"type": "cost", "max": 9}], rows=rows) is None


def test_a_clamped_rqs_has_the_interval_of_a_share():
    perfect = [{"expected": {"a": 1}, "actual": {"a": 1}}] * 10
    weights = {"w_accuracy": 1, "w_completeness": 0, "w_hallucination": 0, "w_safety": 0}
    quality = {"type": "json_quality", "weights": weights}
    low, high = interval_of("rqs", evaluators=[quality], rows=perfect)
    assert (round(low, 2), high) == (0.72, 1)
    assert interval_of("rqs", evaluators=[quality | {"clamp": False}], rows=perfect) is None
