"""A run as Markdown, short enough for a pull request.

Text from data is always in code spans, where it cannot be markup, a link or a mention.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from fieldwise.model.change import Change
from fieldwise.model.summary import EvaluatorSummary, FieldSummary, Metric
from fieldwise.report.case_view import CaseView, MismatchRow
from fieldwise.report.evaluator_tables import list_errors
from fieldwise.report.result_text import ABSENT, describe_mismatch, describe_score
from fieldwise.report.run_changes import EvaluatorComparison, find_primary_change, is_significant
from fieldwise.report.run_view import RunView, build_run_view
from fieldwise.report.text_format import (
    describe_repairs,
    format_change,
    format_count,
    format_interval,
    format_number,
    make_visible,
    truncate,
)

if TYPE_CHECKING:
    from fieldwise.store.run import Run

MAX_FIELDS: Final = 12
MAX_CASES: Final = 5
MAX_BROKEN: Final = 10
MAX_ROWS: Final = 8
MAX_PROBLEMS: Final = 10
MAX_ERRORS: Final = 3
_VALUE_LENGTH: Final = 120
_SIGNS: Final = {"good": "✅", "bad": "❌", "unsure": "⚠️"}
_CHANGE_KINDS: Final = {"better": "good", "worse": "bad", "no difference shown": "unsure", "not enough cases": "unsure"}
_TICKS: Final = re.compile(r"`+")
_MARKUP: Final = re.compile(r"([\\*_\[\]<>|~#`])")


def render_markdown(run: "Run") -> str:
    """Render the verdict, gates, scores, weakest fields, causes and the lowest cases; of an invalid run its problems."""
    view = build_run_view(run, worst=MAX_CASES)
    if view.is_invalid:
        return "\n".join([*_render_head(view), *_render_foot(view)]) + "\n"
    lines = [
        *_render_head(view),
        *_render_gates(view),
        *_render_scores(view.evaluators),
        *_render_precision_recall_f1(view.evaluators),
        *_render_findings(view),
        *_render_changes(view),
    ]
    if view.leader is not None:
        lines += [*_render_weakest_fields(view.leader), *_render_causes(view), *_render_cases(view)]
    return "\n".join([*lines, *_render_foot(view)]) + "\n"


def _render_problems(view: RunView) -> Iterator[str]:
    """What explains the verdict: values that cannot be read, errors, and the warnings of a run that lacks measurements."""
    levels = ("error", "warning") if view.lacks_measurements else ("error",)
    problems = [*view.unread_values, *(diagnostic for diagnostic in view.other_diagnostics if diagnostic.level in levels)]
    for diagnostic in problems[:MAX_PROBLEMS]:
        location = f"{format_code_span(str(diagnostic.where))}: " if str(diagnostic.where) else ""
        fix = f" Fix: {format_prose(diagnostic.fix)}." if diagnostic.fix else ""
        yield f"* {location}{format_prose(diagnostic.what)}.{fix}"
    if len(problems) > MAX_PROBLEMS:
        yield f"* and {len(problems) - MAX_PROBLEMS:,} more"
    if problems:
        yield ""


def format_code_span(text: str) -> str:
    """Put text from data into a code span that may be in a table.

    >>> format_code_span("a`b|c"), format_code_span("@someone"), format_code_span("")
    ('``a`b\\\\|c``', '`@someone`', '` `')
    """
    shown = make_visible(text).replace("|", "\\|") or " "
    fence = "`" * (max((len(ticks) for ticks in _TICKS.findall(shown)), default=0) + 1)
    padding = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{padding}{shown}{padding}{fence}"


def format_prose(text: str) -> str:
    """Escape a sentence of this package; names in backticks stay code, everything else is neither markup nor a mention.

    >>> format_prose("use `a|b`, <b> and @x")
    'use `a\\\\|b`, \\\\<b\\\\> and @\\u200bx'
    """
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return _escape_markup(text)
    return "".join(format_code_span(part) if place % 2 else _escape_markup(part) for place, part in enumerate(parts))


def _escape_markup(text: str) -> str:
    return _MARKUP.sub(r"\\\1", make_visible(text)).replace("@", "@\u200b")


def render_table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> Iterator[str]:
    """Yield the lines of a table; the last `numbers` columns are right-aligned."""
    alignment = ["---"] * (len(heads) - numbers) + ["---:"] * numbers
    for row in (heads, alignment, *rows):
        yield "| " + " | ".join(row) + " |"
    yield ""


def _render_head(view: RunView) -> Iterator[str]:
    verdict = view.verdict
    yield f"## {_SIGNS[verdict.kind]} {format_code_span(view.name)} {verdict.word}"
    yield ""
    evaluators = "" if view.is_invalid else f", {format_count(len(view.evaluators), 'evaluator')}"
    yield f"{view.size}{evaluators}: {verdict.reason}."
    yield ""
    yield from _render_problems(view)
    if view.corrections is not None:
        yield from [format_prose(view.corrections.describe()) + ".", ""]


def _render_gates(view: RunView) -> Iterator[str]:
    if not view.gates:
        return
    rows: list[tuple[str, str, str]] = []
    for gate in view.gates:
        verdict = "✅ holds" if gate.passed else "❌ does not hold"
        value = "not measured" if gate.value is None else f"{gate.value:.4g}"
        rows.append((verdict, format_code_span(gate.gate), value))
    yield from render_table(("gate", "condition", "value"), rows, numbers=1)
    failed = [f"* {format_code_span(gate.regression_text)}" for gate in view.gates if gate.regression_text and not gate.passed]
    if failed:
        yield from [*failed, ""]


def _render_scores(evaluators: Sequence[EvaluatorSummary]) -> Iterator[str]:
    rows: list[tuple[str, ...]] = []
    for evaluator in evaluators:
        counts = evaluator.counts
        numbers = (counts.passed, counts.partial, counts.failed, counts.faults, counts.skipped + counts.unavailable)
        score = _format_metric(evaluator.metrics.get("score"))
        rows.append((format_code_span(evaluator.name), score, *(f"{number:,}" for number in numbers)))
    heads = ("evaluator", "score (95 % interval)", "passed", "partial", "failed", "faults", "not scored")
    yield from render_table(heads, rows, numbers=6)
    for evaluator in evaluators:
        repairs = describe_repairs(evaluator.flags)
        if repairs:
            yield from [f"{format_code_span(evaluator.name)}: {repairs}.", ""]


def _format_metric(metric: Metric | None) -> str:
    if metric is None:
        return "not measured"
    interval = format_interval(metric)
    return f"{format_number(metric.value)} ({interval})" if interval else format_number(metric.value)


def _render_precision_recall_f1(evaluators: Sequence[EvaluatorSummary]) -> Iterator[str]:
    rows: list[tuple[str, ...]] = []
    for evaluator in evaluators:
        for average in ("macro", "micro"):
            if f"{average}_f1" in evaluator.metrics:
                rates = [_format_metric(evaluator.metrics.get(f"{average}_{rate}")) for rate in ("precision", "recall", "f1")]
                rows.append((format_code_span(evaluator.name), average, *rates))
    if rows:
        yield from render_table(("evaluator", "", "precision", "recall", "F1"), rows, numbers=3)
    for evaluator in evaluators:
        remark = describe_score(evaluator)
        if remark:
            yield from (f"{format_code_span(evaluator.name)}: {format_prose(remark)}.", "")


def _render_findings(view: RunView) -> Iterator[str]:
    if view.findings:
        yield from [*(f"* {format_prose(str(finding))}" for finding in view.findings), ""]


def _render_changes(view: RunView) -> Iterator[str]:
    """Every score, the fields with a significant change, and the cases that broke."""
    if view.changes is None:
        return
    yield f"### Against the baseline (run {format_code_span(view.changes.base)})"
    yield ""
    heads = ("evaluator", "verdict", "base → new", "change (95 % interval)", "fixed", "broken", "still broken")
    yield from render_table(heads, [_format_comparison(comparison) for comparison in view.compared], numbers=5)
    for noun in ("metric", "field"):
        rows: list[tuple[str, ...]] = []
        for comparison in view.compared:
            change = comparison.change
            candidates = change.fields if noun == "field" else [metric for metric in change.metrics if metric.name != change.primary]
            rows += [(format_code_span(change.evaluator), *_format_change_row(row)) for row in candidates if is_significant(row)]
        if rows:
            heads = ("evaluator", noun, "verdict", "base → new", "change (95 % interval)")
            yield from render_table(heads, rows[:MAX_FIELDS], numbers=2)
    for comparison in view.compared:
        if comparison.change.broken:
            yield f"* broken for {format_code_span(comparison.change.evaluator)}: {_list_broken(comparison.change.broken)}"
    power = [comparison.power for comparison in view.compared[:1]]
    for note in [*view.change_notes, *power, view.change_tests]:
        if note:
            yield f"* {format_prose(note)}"
    yield ""


def _format_comparison(comparison: EvaluatorComparison) -> tuple[str, ...]:
    change = comparison.change
    verdict = f"{_SIGNS[_CHANGE_KINDS[comparison.verdict]]} {comparison.verdict}"
    score = find_primary_change(change)
    movement = ("not measured", "") if score is None else _format_change_row(score)[2:]
    counts = (f"{len(cases):,}" for cases in (change.fixed, change.broken, change.still_broken))
    return (format_code_span(change.evaluator), verdict, *movement, *counts)


def _format_change_row(change: Change) -> tuple[str, ...]:
    interval = "" if change.low is None or change.high is None else f" ({format_change(change.low)} to {format_change(change.high)})"
    movement = f"{format_number(change.base)} → {format_number(change.new)}"
    return format_code_span(change.name), change.verdict, movement, f"{format_change(change.delta)}{interval}"


def _list_broken(cases: Sequence[str]) -> str:
    more = f" and {len(cases) - MAX_BROKEN:,} more" if len(cases) > MAX_BROKEN else ""
    return ", ".join(format_code_span(truncate(case, 80)) for case in cases[:MAX_BROKEN]) + more


def _render_weakest_fields(leader: EvaluatorSummary) -> Iterator[str]:
    wrong = [field for field in leader.fields if field.score.n and field.matched < field.n]
    if not wrong:
        return
    wrong.sort(key=lambda field: field.score.value)
    yield f"### Weakest fields ({format_code_span(leader.name)})"
    yield ""
    heads = ("field", "what went wrong", "n", "matched", "score (95 % interval)")
    yield from render_table(heads, [_format_field(field) for field in wrong[:MAX_FIELDS]], numbers=3)
    if len(wrong) > MAX_FIELDS:
        yield f"and {format_count(len(wrong) - MAX_FIELDS, 'more field')} with mistakes."
        yield ""


def _format_field(field: FieldSummary) -> tuple[str, ...]:
    errors = list_errors(field)
    more = f" and {len(errors) - MAX_ERRORS} more" if len(errors) > MAX_ERRORS else ""
    text = ", ".join(format_prose(error) for error in errors[:MAX_ERRORS]) + more
    return format_code_span(field.field), text, f"{field.n:,}", f"{field.matched:,}", _format_metric(field.score)


def _render_causes(view: RunView) -> Iterator[str]:
    if not view.causes:
        return
    yield "<details><summary>Likely causes and what to do</summary>"
    yield ""
    rows = [(format_prose(cause.label), format_prose(cause.advice), f"{cause.count:,}") for cause in view.causes]
    yield from render_table(("cause", "what to do", "times"), rows, numbers=1)
    yield "</details>"
    yield ""


def _render_cases(view: RunView) -> Iterator[str]:
    if not view.worst:
        return
    yield f"<details><summary>The {format_count(len(view.worst), 'case')} that score lowest</summary>"
    yield ""
    for case in view.worst:
        yield from _render_case(case, view.leader_name)
    yield "</details>"
    yield ""


def _render_case(case: CaseView, leader: str) -> Iterator[str]:
    yield f"**{format_code_span(case.id)}** {format_number(case.score)}"
    yield ""
    result = next(result for result in case.scores if result.evaluator == leader)
    if case.rows:
        yield from render_table(("field", "expected", "actual", "likely cause"), [_format_mismatch(row) for row in case.rows[:MAX_ROWS]])
        left_out = len(case.rows) + case.more_rows - MAX_ROWS
    else:
        left_out = len(result.misses) + result.more_misses - MAX_ROWS
        if result.misses:
            yield ", ".join(format_code_span(truncate(miss, 200)) for miss in result.misses[:MAX_ROWS])
            yield ""
    if left_out > 0:
        yield f"and {left_out} more."
        yield ""


def _format_mismatch(row: MismatchRow) -> tuple[str, ...]:
    text = describe_mismatch(row.comparison, _VALUE_LENGTH)
    expected = text.expected if text.expected == ABSENT else format_code_span(text.expected)
    actual = text.actual if text.actual == ABSENT else format_code_span(text.actual)
    why = format_prose(text.cause) if text.cause else row.comparison.outcome.replace("_", " ")
    return format_code_span(row.path), expected, actual, why


def _render_foot(view: RunView) -> Iterator[str]:
    errors = sum(diagnostic.level == "error" for diagnostic in view.diagnostics)
    warnings = sum(diagnostic.level == "warning" for diagnostic in view.diagnostics)
    counts = [format_count(count, word) for count, word in ((errors, "error"), (warnings, "warning")) if count]
    problems = f", {', '.join(counts)}" if counts else ""
    yield f"<sub>fieldwise {format_prose(view.package)}, run {format_code_span(view.id)}{problems}</sub>"
