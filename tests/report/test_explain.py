"""The arithmetic of a score."""

import fieldwise as fw
from fieldwise.model.result import Result
from fieldwise.report.explain import explain_comparisons, explain_result
from fieldwise.report.terminal_layout import DisplayOptions, render_text


def shown(kind: str, result: Result, **options: object) -> str:
    return render_text(explain_result(kind, kind, result, options, DisplayOptions(width=120)), width=120)


def test_weighted_average_is_written_out() -> None:
    """structured-data spec: Weighted average aggregation."""
    fields = [{"path": "a", "weight": 1.0}, {"path": "b", "weight": 0.5}, {"path": "c", "weight": 0.8}]
    result = fw.evaluate({"type": "field_accuracy", "fields": fields}, expected={"a": 1, "b": 2, "c": 3}, actual={"a": 1, "b": 0, "c": 3})
    text = shown("field_accuracy", result)
    assert "score = 1.8000 / 2.3 = 0.7826" in text
    assert "✗  b" in text


def test_the_mean_over_the_items_of_a_list_is_written_out() -> None:
    config = {"type": "field_accuracy", "fields": ["items[*].n"]}
    result = fw.evaluate(config, expected={"items": [{"n": 1}, {"n": 2}]}, actual={"items": [{"n": 1}, {"n": 9}, {"n": 3}]})
    assert "(1 + 0 + 0) / 3" in shown("field_accuracy", result)


def test_lists_in_lists_are_averaged_over_the_longer_side_of_each() -> None:
    result = fw.evaluate({"type": "field_accuracy", "fields": ["[*][*]"]}, expected=[[1, 2], [3]], actual=[[1], [3, 4]])
    assert "(1 + 0 + 1 + 0) / 4" in shown("field_accuracy", result)


def test_all_or_nothing_says_why_it_is_nothing() -> None:
    config = {"type": "field_accuracy", "aggregation": "all_or_nothing", "fields": ["a", "b"]}
    result = fw.evaluate(config, expected={"a": 1, "b": 2}, actual={"a": 1, "b": 3})
    assert "1 of 2 fields did not pass, so the score is 0" in shown("field_accuracy", result, aggregation="all_or_nothing")


def test_precision_and_recall_are_written_out_by_both_ways_of_counting() -> None:
    result = fw.evaluate({"type": "field_prf"}, expected={"a": 1, "b": 2, "c": 3}, actual={"a": 1, "b": 9, "d": 4})
    text = shown("field_prf", result)
    assert "precision = match / (match + wrong + hallucination) = 1 / 3 = 0.3333" in text
    assert "recall = match / (match + omission + wrong) = 1 / 3 = 0.3333" in text
    assert "recall = match / (match + omission) = 1 / 2 = 0.5000" in text
    assert "= 0.3333  ← the score" in text


def test_the_response_quality_sum_is_written_out() -> None:
    expected, actual = {"id": 7, "status": "x", "code": None}, {"id": 7, "code": "c", "more": 1}
    text = shown("json_quality", fw.evaluate({"type": "json_quality"}, expected=expected, actual=actual))
    assert "rqs = 0.45 × 1.0000 + 0.25 × 0.5000 + 0.15 × 1.0000 − 0.15 × 0.5000 = 0.6500" in text
    assert "extra_keys             1  more" in text


def test_weights_of_the_suite_are_those_in_the_sum() -> None:
    weights = {"w_accuracy": 1.0, "w_completeness": 0.0, "w_hallucination": 0.0, "w_safety": 0.0}
    config = {"type": "json_quality", "weights": weights}
    text = shown("json_quality", fw.evaluate(config, expected={"id": 7}, actual={"id": 7}), weights=weights)
    assert "rqs = 1 × 1.0000 + 0 × 1.0000 + 0 × 1.0000 − 0 × 0.0000 = 1.0000" in text


def test_any_other_evaluator_shows_metrics_hits_and_misses() -> None:
    text = shown("my_judge", Result(score=0.5, verdict="partial", hits=["good"], misses=["bad"], metrics={"ok": True, "share": 0.5}))
    assert "ok true · share 0.500" in text
    assert "✓ good" in text
    assert "✗ bad" in text


def test_counts_have_no_decimals() -> None:
    result = fw.evaluate({"type": "tool_trajectory"}, expected=["search"], actual=["fetch", "mail"])
    assert "matched 0 · expected 1 · actual 2 · precision 0.000" in shown("tool_trajectory", result)


def test_a_missing_output_is_distinguished_from_a_fault_of_the_measurement() -> None:
    system = Result(status="error", verdict="fail", details={"fault": "system"})
    fault = Result(status="error", verdict="fail", details={"fault": "ours"}, misses=["boom"])
    assert "the system gave no output" in shown("field_accuracy", system)
    assert "not of the system" in shown("field_accuracy", fault)
    assert "boom" in shown("field_accuracy", fault)


def test_a_field_shows_its_cause_and_advice() -> None:
    result = fw.evaluate({"type": "field_accuracy", "fields": ["n"]}, expected={"n": "RB-2024-0305"}, actual={"n": "RB-2O24-O3O5"})
    text = render_text(explain_comparisons("fields", result, DisplayOptions()))
    assert "RB-2024-0305 → RB-2O24-O3O5" in text
    assert "cause: look-alike characters  The source was misread: improve the scan" in text
    assert "the field's score is 0, its weight 1" in text


def test_arguments_of_tool_calls_that_differ_are_shown_with_both_values() -> None:
    expected, actual = [{"tool": "book", "args": {"bags": 1, "to": "x"}}], [{"tool": "book", "args": {"bags": 0, "note": "hi"}}]
    text = shown("tool_trajectory", fw.evaluate({"type": "tool_trajectory"}, expected=expected, actual=actual))
    assert "✗ book (arguments differ: bags, to, note)" in text
    assert "✗ book: bags  1 → 0" in text
    assert "✗ book: to  x → " in text
    assert "✗ book: note  not expected: hi" in text
