"""The arithmetic of a score, written out so that it can be checked by hand."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from rich.console import Group, RenderableType
from rich.style import Style
from rich.text import Text

from fieldwise.kernels.statistics import precision_recall_f1
from fieldwise.model.comparison import UNCOUNTED_OUTCOMES, Comparison
from fieldwise.model.path import MalformedPath, Path, innermost_list
from fieldwise.model.result import Result
from fieldwise.report.argument_differences import read_argument_differences
from fieldwise.report.result_text import count_metrics, describe_cause, format_case_metric
from fieldwise.report.terminal_layout import (
    BAD,
    DIM,
    NOTE,
    OK,
    TITLE,
    DisplayOptions,
    indent,
    make_grid,
    make_section,
    pass_mark,
    score_style,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import format_number, format_value, join_nonempty, make_visible, truncate, truncate_middle
from fieldwise.report.value_diff import style_comparison

RQS_WEIGHTS: Final = {"w_accuracy": 0.45, "w_completeness": 0.25, "w_hallucination": 0.15, "w_safety": 0.15}
"""Default weights of json_quality."""
MAX_MISMATCHES: Final = 40
MAX_ENTRIES: Final = 10
_SUM_LENGTH: Final = 28
"""Longer sums are shown as one number."""
SuiteOptions: TypeAlias = Mapping[str, Any]
"""The options of an evaluator as written in the suite."""
_FAULT_REASONS: Final = {
    "system": "the system gave no output that can be read: the score is 0, and it counts in every mean",
    "ours": "this is a fault of the measurement, not of the system: it counts in no mean",
}


def explain_result(name: str, kind: str, result: Result, options: SuiteOptions, display: DisplayOptions) -> RenderableType:
    """Explain the score of one evaluator for one case; `kind` is the evaluator's type."""
    head = styled_text(
        (name, TITLE),
        (f"  {kind}  " if kind != name else "  ", DIM),
        (format_number(result.score), score_style(result.score) + TITLE),
        (f"  {result.verdict or result.status}", _verdict_style(result)),
        ("  " + result.reasoning, DIM),
    )
    if result.status != "scored":
        body = _explain_unscored(result)
    elif kind in _EXPLAINERS:
        body = _EXPLAINERS[kind](result, options, display)
    else:
        body = _explain_metrics(result, display, count_metrics(kind))
    return stack_parts(Text(), head, indent(body), _build_mismatches(result, display), _build_similar_values(result, display))


def explain_comparisons(name: str, result: Result, display: DisplayOptions) -> RenderableType:
    """Show every comparison of a result, which may be limited to some fields, and after those of a field its score."""
    weighted_fields = {weighted.get("field"): weighted for weighted in result.details.get("fields", ())}
    rows: list[RenderableType] = []
    for field in dict.fromkeys(comparison.field for comparison in result.comparisons):
        for comparison in result.comparisons:
            if comparison.field == field:
                rows += _explain_comparison(comparison, display)
        if field in weighted_fields:
            weighted = weighted_fields[field]
            rows.append(styled_text((f"the field's score is {weighted['score']:.4g}, its weight {weighted['weight']:g}", DIM)))
    return make_section(name, Group(*rows))


def _explain_comparison(comparison: Comparison, display: DisplayOptions) -> Iterator[RenderableType]:
    similarity = "" if comparison.similarity is None else f"similarity {comparison.similarity:.4g}"
    outcome = join_nonempty((comparison.outcome.replace("_", " "), similarity))
    yield styled_text(pass_mark(comparison.passed), f" {comparison.path}  ", (outcome, DIM))
    if not comparison.passed or comparison.expected != comparison.actual:
        yield indent(style_comparison(comparison, limit=display.width), 4)
    else:
        yield indent(styled_text(truncate(make_visible(format_value(comparison.expected)), display.width * 3)), 4)
    if comparison.cause:
        label, advice = describe_cause(comparison.cause, comparison.match)
        yield indent(styled_text(("cause: ", DIM), (label, NOTE), (f"  {advice}" if advice else "", DIM)), 4)
    if comparison.note:
        yield indent(styled_text(("note: ", DIM), comparison.note), 4)


def _verdict_style(result: Result) -> Style:
    return {"pass": OK, "partial": NOTE}.get(result.verdict or "", BAD)


def _explain_unscored(result: Result) -> RenderableType:
    reason = _FAULT_REASONS.get(str(result.details.get("fault")), "it counts in no mean")
    misses = [styled_text(miss) for miss in list(result.misses)[:MAX_ENTRIES]]
    return Group(styled_text((f"status {result.status}: {reason}", NOTE)), *misses)


# field_accuracy ------------------------------------------------------------------------------------------------------------------------


def _explain_field_accuracy(result: Result, options: SuiteOptions, display: DisplayOptions) -> RenderableType:
    """Each field's score times its weight, and their sum over the sum of the weights."""
    fields: Sequence[Mapping[str, Any]] = result.details.get("fields", ())
    by_field: dict[str, list[Comparison]] = {}
    for comparison in result.comparisons:
        by_field.setdefault(comparison.field, []).append(comparison)
    right = {"justify": "right"}
    table = make_grid(
        {"header": ""},
        {"header": "field", "max_width": 40},
        {"header": "score", **right},
        {"header": "× weight", **right},
        {"header": "=", **right},
        {"header": "", "max_width": max(display.width - 84, 0) or 1},
        heads=True,
    )
    total = weights = 0.0
    for entry in fields:
        name, score, weight = str(entry["field"]), float(entry["score"]), float(entry["weight"])
        total += score * weight
        weights += weight
        items = _write_out_items(by_field.get(name, ())) if "[*]" in name and display.width >= 100 else ""
        table.add_row(
            pass_mark(bool(entry["passed"])),
            styled_text(truncate_middle(make_visible(name), 40)),
            styled_text((f"{score:.4f}", score_style(score))),
            styled_text(f"{weight:g}"),
            styled_text(f"{score * weight:.4f}"),
            styled_text((items, DIM)),
        )
    if options.get("aggregation") == "all_or_nothing":
        failed = sum(not entry["passed"] for entry in fields)
        conclusion = f"all_or_nothing: {failed} of {len(fields)} fields did not pass, so the score is {result.score:g}"
    else:
        conclusion = f"score = {total:.4f} / {weights:g} = {result.score:.4f}"
    return Group(table, styled_text((conclusion, TITLE)))


def _write_out_items(comparisons: Sequence[Comparison]) -> str:
    """Write out the mean over the items of a list.

    A pair counts once; if both sides of a list have unpaired items, they count as many as the longer side has.
    """
    counted = [comparison for comparison in comparisons if comparison.outcome not in UNCOUNTED_OUTCOMES]
    lists: dict[str, list[Comparison]] = {}
    for comparison in counted:
        lists.setdefault(_find_list(comparison), []).append(comparison)
    size = sum(_count_longer_side(items) for items in lists.values())
    if not size:
        return ""
    scores = [comparison.similarity or 0.0 for comparison in counted]
    written = " + ".join(f"{score:.3g}" for score in scores)
    if len(written) >= _SUM_LENGTH:
        written = f"{sum(scores):.4g}"
    return f"({written}) / {size}"


def _find_list(comparison: Comparison) -> str:
    try:
        return innermost_list(comparison.path, Path.parse(comparison.field))
    except MalformedPath:  # a key that looks like path syntax; its items count as one list
        return ""


def _count_longer_side(items: Sequence[Comparison]) -> int:
    unpaired_actual = sum(item.expected_presence == "missing" for item in items)
    unpaired_expected = sum(item.outcome == "omission" and item.actual_presence == "missing" for item in items)
    return len(items) - min(unpaired_actual, unpaired_expected)


# field_prf -----------------------------------------------------------------------------------------------------------------------------


def _explain_field_prf(result: Result, options: SuiteOptions, display: DisplayOptions) -> RenderableType:
    """Counts, and precision, recall and F1 by both conventions for wrong values."""
    del display
    counts = {name: float(value) for name, value in result.metrics.items()}
    matched = counts.get("true_positives", 0.0)
    invented, omitted = counts.get("hallucination", 0.0), counts.get("omission", 0.0)
    wrong = counts.get("wrong_value", 0.0) + counts.get("format_error", 0.0)
    outcomes = ("wrong_value", "format_error", "omission", "hallucination")
    texts = [f"match {matched:.0f}", *(f"{outcome} {counts.get(outcome, 0):.0f}" for outcome in outcomes)]
    rows: list[RenderableType] = [styled_text(join_nonempty(texts))]
    false_positives = wrong + invented
    actual_count = matched + false_positives
    for convention, false_negatives, formula, meaning in (
        ("fp_fn", omitted + wrong, "omission + wrong", "a wrong value is a false positive and a false negative"),
        ("fp", omitted, "omission", "a wrong value is a false positive only"),
    ):
        precision, recall, f1 = (float(rate) for rate in precision_recall_f1(matched, false_positives, false_negatives))
        if len(rows) == 1:  # precision is the same for both conventions
            formula_text = f"precision = match / (match + wrong + hallucination) = {matched:.0f} / {actual_count:.0f} = "
            rows.append(styled_text(formula_text, (f"{precision:.4f}", TITLE)))
        rows.append(styled_text((f"{convention}: ", TITLE), (meaning, DIM)))
        recall_text = f"recall = match / (match + {formula}) = {matched:.0f} / {matched + false_negatives:.0f} = "
        rows.append(indent(styled_text(recall_text, (f"{recall:.4f}", TITLE))))
        f1_text = f"f1 = 2 × {precision:.4f} × {recall:.4f} / ({precision:.4f} + {recall:.4f}) = "
        marker = "  ← the score" if convention == options.get("substitution_counts", "fp_fn") else ""
        rows.append(indent(styled_text(f1_text, (f"{f1:.4f}", TITLE), (marker, OK))))
    return Group(*rows)


# json_quality --------------------------------------------------------------------------------------------------------------------------


def _explain_json_quality(result: Result, options: SuiteOptions, display: DisplayOptions) -> RenderableType:
    """The keys in each bucket, and the weighted sum."""
    weights = dict(RQS_WEIGHTS)
    written = options.get("weights")
    if isinstance(written, Mapping):
        weights.update(written)
    buckets: Mapping[str, Sequence[str]] = result.details.get("buckets", {})
    table = make_grid({}, {"justify": "right"}, {"max_width": max(display.width - 36, 20)})
    for name in ("both_non_null", "aio_missing_or_null", "gt_null_aio_has_value", "extra_keys"):
        keys = buckets.get(name, ())
        table.add_row(styled_text((name, DIM)), styled_text(str(len(keys))), styled_text(", ".join(keys)))
    compared = buckets.get("both_non_null", ())
    strategies = result.details.get("strategies", {})
    wrong = ", ".join(f"{miss} ({strategies.get(miss, '')})" for miss in result.misses if miss in compared)
    names = ("accuracy", "completeness", "safety", "hallucination", "rqs")
    metrics = {name: float(result.metrics.get(name, 0.0)) for name in names}
    both, omitted = len(compared), len(buckets.get("aio_missing_or_null", ()))
    terms = " + ".join(f"{weights[f'w_{name}']:g} × {metrics[name]:.4f}" for name in ("accuracy", "completeness", "safety"))
    penalty = f"{weights['w_hallucination']:g} × {metrics['hallucination']:.4f}"
    lines = [
        styled_text((f"accuracy {metrics['accuracy']:.4f}", TITLE), (f": wrong are {wrong}" if wrong else "", DIM)),
        styled_text((f"completeness {metrics['completeness']:.4f}", TITLE), (f" = {both} / ({both} + {omitted})", DIM)),
        styled_text((f"hallucination {metrics['hallucination']:.4f}", TITLE), (": keys that should have no value, of all keys", DIM)),
        styled_text(f"rqs = {terms} − {penalty} = ", (f"{metrics['rqs']:.4f}", TITLE)),
    ]
    return Group(table, *lines, *_list_flags(result))


# Other evaluators ----------------------------------------------------------------------------------------------------------------------


def _explain_metrics(result: Result, display: DisplayOptions, counts: Sequence[str]) -> RenderableType:
    """Metrics, hits and misses; `counts` are the metrics that are whole numbers."""
    rows: list[RenderableType] = []
    if result.metrics:
        texts = [f"{name} {format_case_metric(value, count=name in counts)}" for name, value in result.metrics.items()]
        rows.append(styled_text(join_nonempty(texts)))
    for noun, is_hit, entries in (("hits", True, result.hits), ("misses", False, result.misses)):
        shown = list(entries) if display.everything else list(entries)[:MAX_ENTRIES]
        rows += [styled_text(pass_mark(is_hit), f" {entry}") for entry in shown]
        if len(entries) > len(shown):
            rows.append(styled_text((f"and {len(entries) - len(shown)} more {noun} (--all)", DIM)))
    return Group(*rows, *_list_flags(result))


def _list_flags(result: Result) -> list[RenderableType]:
    flags = result.details.get("flags", ())
    return [styled_text(("flags: " + ", ".join(flags), DIM))] if flags else []


def _build_mismatches(result: Result, display: DisplayOptions) -> RenderableType | None:
    """List every field that does not pass, with its cause, and every argument of a tool call that differs."""
    mismatches = [comparison for comparison in result.comparisons if not comparison.passed and comparison.outcome not in UNCOUNTED_OUTCOMES]
    mismatches += read_argument_differences(result)
    if not mismatches or result.status != "scored":
        return None
    rows: list[RenderableType] = []
    shown = mismatches if display.everything else mismatches[:MAX_MISMATCHES]
    for comparison in shown:
        why = describe_cause(comparison.cause).label if comparison.cause else comparison.note or ""
        path = truncate_middle(make_visible(comparison.path), 34)
        room = max((display.width - len(path) - min(len(why), 40) - 14) // 2, 16)
        note = (f"  {truncate(make_visible(why), 60)}" if why else "", NOTE)
        rows.append(styled_text(("✗ ", BAD), f"{path}  ", style_comparison(comparison, limit=room), note))
    if len(mismatches) > len(shown):
        rows.append(styled_text((f"and {len(mismatches) - len(shown)} more (--all)", DIM)))
    return indent(Group(Text(), *rows))


def _build_similar_values(result: Result, display: DisplayOptions) -> RenderableType | None:
    """With --all, list the values that passed without being equal, so that their similarities can be checked by hand."""
    similar = [comparison for comparison in result.comparisons if comparison.passed and comparison.expected != comparison.actual]
    similar = [comparison for comparison in similar if comparison.outcome not in UNCOUNTED_OUTCOMES]
    if not similar or not display.everything or result.status != "scored":
        return None
    rows: list[RenderableType] = []
    for comparison in similar:
        path = truncate_middle(make_visible(comparison.path), 34)
        room = max((display.width - len(path) - 30) // 2, 16)
        similarity = "" if comparison.similarity is None else f"  similarity {comparison.similarity:.4g}"
        rows.append(styled_text(("✓ ", OK), f"{path}  ", style_comparison(comparison, limit=room), (similarity, DIM)))
    return indent(Group(Text(), *rows))


_EXPLAINERS: Final[dict[str, Callable[[Result, SuiteOptions, DisplayOptions], RenderableType]]] = {
    "field_accuracy": _explain_field_accuracy,
    "field_prf": _explain_field_prf,
    "json_quality": _explain_json_quality,
}
