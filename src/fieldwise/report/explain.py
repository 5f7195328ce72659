"""The arithmetic of a score, so that a person can check it by hand."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from fieldwise.model.comparison import Comparison
from fieldwise.model.path import MalformedPath, Path, list_of
from fieldwise.model.result import Result
from fieldwise.report.changes import change
from fieldwise.report.parts import BAD, DIM, NOTE, OK, TITLE, colour_of, grid, joined, mark, number, section, stack, text
from fieldwise.report.safe import cut, middle, safe, value_text
from fieldwise.report.view import Show

RQS_WEIGHTS: Final = {"w_accuracy": 0.45, "w_completeness": 0.25, "w_hallucination": 0.15, "w_safety": 0.15}
"""What json_quality uses where a suite says nothing else."""
_MOST: Final = 40
Labels = Mapping[str, str]


def explain_result(name: str, kind: str, result: Result, options: Mapping[str, Any], labels: Labels, show: Show) -> RenderableType:
    """How one evaluator came to its score for one case; `options` are those written in the suite."""
    head = text((name, TITLE), (f"  {kind}  " if kind != name else "  ", DIM), (number(result.score), colour_of(result.score) + TITLE))
    head.append_text(text((f"  {result.verdict or result.status}", _verdict_style(result)), ("  " + result.reasoning, DIM)))
    if result.status != "scored":
        body = _not_scored(result)
    elif kind in _KINDS:
        body = _KINDS[kind](result, options, show)
    else:
        body = _any(result, show)
    return stack(Text(), head, Padding(body, (0, 0, 0, 2)), _differences(result, labels, show))


def explain_field(name: str, field: str, result: Result, advice: Mapping[str, tuple[str, str]], show: Show) -> RenderableType | None:
    """Everything that is known of one field of one case."""
    found = [one for one in result.comparisons if field in (one.path, one.field)]
    if not found:
        return None
    rows: list[RenderableType] = []
    for one in found:
        similarity = "" if one.similarity is None else f"similarity {one.similarity:.4g}"
        rows.append(text(mark(one.passed), f" {one.path}  ", (joined((one.outcome.replace("_", " "), similarity)), DIM)))
        if not one.passed or one.expected != one.actual:
            rows.append(Padding(change(one, limit=show.width), (0, 0, 0, 4)))
        else:
            rows.append(Padding(text(cut(safe(value_text(one.expected)), show.width * 3)), (0, 0, 0, 4)))
        if one.cause:
            label, what = advice.get(one.cause, (one.cause, ""))
            rows.append(Padding(text(("cause: ", DIM), (label, NOTE), (f"  {what}" if what else "", DIM)), (0, 0, 0, 4)))
        if one.note:
            rows.append(Padding(text(("note: ", DIM), one.note), (0, 0, 0, 4)))
    weighed = next((each for each in result.details.get("fields", ()) if each.get("field") == found[0].field), None)
    if weighed:
        rows.append(text((f"the field's score is {weighed['score']:.4g}, its weight {weighed['weight']:g}", DIM)))
    return section(name, Group(*rows))


def _verdict_style(result: Result) -> Any:
    return {"pass": OK, "partial": NOTE}.get(result.verdict or "", BAD)


def _not_scored(result: Result) -> RenderableType:
    told = {
        "system": "the system gave no output that can be read: the score is 0, and it counts in every mean",
        "ours": "this is a fault of the measurement, not of the system: it counts in no mean",
    }
    reason = told.get(str(result.details.get("fault")), "it counts in no mean")
    return Group(text((f"status {result.status}: {reason}", NOTE)), *(text(miss) for miss in list(result.misses)[:10]))


def _field_accuracy(result: Result, options: Mapping[str, Any], show: Show) -> RenderableType:
    """Each field's score times its weight, and their sum over the sum of the weights."""
    fields: Sequence[Mapping[str, Any]] = result.details.get("fields", ())
    by_field: dict[str, list[Comparison]] = {}
    for one in result.comparisons:
        by_field.setdefault(one.field, []).append(one)
    right = {"justify": "right"}
    table = grid({"header": ""}, {"header": "field", "max_width": 40}, {"header": "score", **right}, {"header": "× weight", **right},
                 {"header": "=", **right}, {"header": "", "max_width": max(show.width - 84, 0) or 1}, heads=True)  # fmt: skip
    for each in fields:
        score, weight = float(each["score"]), float(each["weight"])
        items = _items(by_field.get(str(each["field"]), ())) if "[*]" in str(each["field"]) and show.width >= 100 else ""
        cells = (text(middle(safe(str(each["field"])), 40)), text((f"{score:.4f}", colour_of(score))), text(f"{weight:g}"))
        table.add_row(mark(bool(each["passed"])), *cells, text(f"{score * weight:.4f}"), text((items, DIM)))
    total, weights = sum(float(each["score"]) * float(each["weight"]) for each in fields), sum(float(each["weight"]) for each in fields)
    if options.get("aggregation") == "all_or_nothing":
        failed = sum(not each["passed"] for each in fields)
        told = f"all_or_nothing: {failed} of {len(fields)} fields did not pass, so the score is {result.score:g}"
    else:
        told = f"score = {total:.4f} / {weights:g} = {result.score:.4f}"
    return Group(table, text((told, TITLE)))


def _items(comparisons: Sequence[Comparison]) -> str:
    """The mean over the items of a list, written out.

    A pair counts once; where both sides of a list have items left over, they make up the longer of the two.
    """
    compared = [one for one in comparisons if one.outcome not in ("both_absent", "ignored")]
    lists: dict[str, list[Comparison]] = {}
    for one in compared:
        lists.setdefault(_list_of(one), []).append(one)
    size = sum(map(_longer, lists.values()))
    if not size:
        return ""
    scores = [one.similarity or 0.0 for one in compared]
    whole = " + ".join(f"{score:.3g}" for score in scores)
    return f"({whole if len(whole) < 28 else f'{sum(scores):.4g}'}) / {size}"


def _list_of(one: Comparison) -> str:
    try:
        return list_of(one.path, Path.parse(one.field))
    except MalformedPath:
        return ""


def _longer(items: Sequence[Comparison]) -> int:
    extra = sum(one.expected_presence == "missing" for one in items)
    lone = sum(one.outcome == "omission" and one.actual_presence == "missing" for one in items)
    return len(items) - min(extra, lone)


def _field_prf(result: Result, options: Mapping[str, Any], show: Show) -> RenderableType:
    """Counts, and precision, recall and F1 by both ways of counting."""
    del show
    of = {name: float(value) for name, value in result.metrics.items()}
    right, invented, omitted = of.get("true_positives", 0), of.get("hallucination", 0), of.get("omission", 0)
    wrong = of.get("wrong_value", 0) + of.get("format_error", 0)
    convention = str(options.get("substitution_counts", "fp_fn"))
    counts = (("match", right), ("wrong_value", of.get("wrong_value", 0)), ("format_error", of.get("format_error", 0)))
    counts += (("omission", omitted), ("hallucination", invented))
    rows: list[RenderableType] = [text(joined(f"{name} {count:.0f}" for name, count in counts))]
    given = right + wrong + invented
    rows.append(_formula("precision", f"match / (match + wrong + hallucination) = {right:.0f} / {given:.0f}", right, given))
    for name, missed, words, why in (
        ("fp_fn", omitted + wrong, "omission + wrong", "a wrong value is a false positive and a false negative"),
        ("fp", omitted, "omission", "a wrong value is a false positive only"),
    ):
        recall, precision = _over(right, right + missed), _over(right, given)
        f1 = _over(2 * precision * recall, precision + recall)
        used = "  ← the score" if name == convention else ""
        rows.append(text((f"{name}: ", TITLE), (why, DIM)))
        recall_line = _formula("recall", f"match / (match + {words}) = {right:.0f} / {right + missed:.0f}", right, right + missed)
        f1_line = text(f"f1 = 2 × {precision:.4f} × {recall:.4f} / ({precision:.4f} + {recall:.4f}) = ", (f"{f1:.4f}", TITLE), (used, OK))
        rows += [Padding(recall_line, (0, 0, 0, 2)), Padding(f1_line, (0, 0, 0, 2))]
    return Group(*rows)


def _formula(name: str, formula: str, part: float, whole: float) -> Text:
    return text(f"{name} = {formula} = ", (f"{_over(part, whole):.4f}", TITLE))


def _over(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _json_quality(result: Result, options: Mapping[str, Any], show: Show) -> RenderableType:
    """Which key is in which bucket, and the weighted sum."""
    written = options.get("weights")
    weights = RQS_WEIGHTS | (dict(written) if isinstance(written, Mapping) else {})
    buckets: Mapping[str, Sequence[str]] = result.details.get("buckets", {})
    table = grid({}, {"justify": "right"}, {"max_width": max(show.width - 36, 20)})
    for name in ("both_non_null", "aio_missing_or_null", "gt_null_aio_has_value", "extra_keys"):
        keys = buckets.get(name, ())
        table.add_row(text((name, DIM)), text(str(len(keys))), text(", ".join(keys)))
    strategies = result.details.get("strategies", {})
    misses = [miss for miss in result.misses if miss in buckets.get("both_non_null", ())]
    wrong = joined((f"{miss} ({strategies.get(miss, '')})" for miss in misses), ", ")
    of = {name: float(result.metrics.get(name, 0.0)) for name in ("accuracy", "completeness", "safety", "hallucination", "rqs")}
    both, lost = len(buckets.get("both_non_null", ())), len(buckets.get("aio_missing_or_null", ()))
    terms = [f"{weights[f'w_{name}']:g} × {of[name]:.4f}" for name in ("accuracy", "completeness", "safety")]
    lines = [
        text((f"accuracy {of['accuracy']:.4f}", TITLE), (f": wrong are {wrong}" if wrong else "", DIM)),
        text((f"completeness {of['completeness']:.4f}", TITLE), (f" = {both} / ({both} + {lost})", DIM)),
        text((f"hallucination {of['hallucination']:.4f}", TITLE), (": keys that should have no value, of all keys", DIM)),
        text(f"rqs = {' + '.join(terms)} − {weights['w_hallucination']:g} × {of['hallucination']:.4f} = ", (f"{of['rqs']:.4f}", TITLE)),
    ]
    flags = result.details.get("flags", ())
    return Group(table, *lines, *([text(("flags: " + ", ".join(flags), DIM))] if flags else []))


def _any(result: Result, show: Show) -> RenderableType:
    """Metrics, hits and misses."""
    rows: list[RenderableType] = []
    if result.metrics:
        told = (
            f"{name} {str(value).lower() if isinstance(value, bool) else number(float(value))}" for name, value in result.metrics.items()
        )
        rows.append(text(joined(told)))
    for label, sign, entries in (("hits", True, result.hits), ("misses", False, result.misses)):
        shown = list(entries) if show.everything else list(entries)[:10]
        rows += [text(mark(sign), f" {entry}") for entry in shown]
        if len(entries) > len(shown):
            rows.append(text((f"and {len(entries) - len(shown)} more {label} (--all)", DIM)))
    flags = result.details.get("flags", ())
    return Group(*rows, *([text(("flags: " + ", ".join(flags), DIM))] if flags else []))


def _differences(result: Result, labels: Labels, show: Show) -> RenderableType | None:
    """Every field that is wrong, with its cause."""
    wrong = [one for one in result.comparisons if not one.passed and one.outcome not in ("both_absent", "ignored")]
    if not wrong or result.status != "scored":
        return None
    rows: list[RenderableType] = []
    shown = wrong if show.everything else wrong[:_MOST]
    for one in shown:
        cause = labels.get(one.cause, one.cause) if one.cause else one.note or ""
        path = middle(safe(one.path), 34)
        room = max((show.width - len(path) - min(len(cause), 40) - 14) // 2, 16)
        rows.append(text(("✗ ", BAD), f"{path}  ", change(one, limit=room), (f"  {cut(safe(cause), 60)}" if cause else "", NOTE)))
    if len(wrong) > len(shown):
        rows.append(text((f"and {len(wrong) - len(shown)} more (--all)", DIM)))
    return Padding(Group(Text(), *rows), (0, 0, 0, 2))


_KINDS: Final = {"field_accuracy": _field_accuracy, "field_prf": _field_prf, "json_quality": _json_quality}
