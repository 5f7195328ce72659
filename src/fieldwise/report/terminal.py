"""The terminal report of a run: scores, gates, fields, causes, slices, diagnostics, and the next command."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from shlex import quote
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from fieldwise.model.summary import EvaluatorSummary, FieldSummary, GateResult, Metric
from fieldwise.report.evaluator_tables import CauseSummary, list_errors, share_cases_by_status, summarize_causes
from fieldwise.report.result_text import describe_score, maximum_score
from fieldwise.report.run_changes import build_baseline_section
from fieldwise.report.run_view import UNREAD_TITLE, RunView
from fieldwise.report.terminal_layout import (
    BAD,
    DIM,
    NOTE,
    OK,
    TITLE,
    WRAPPED,
    DisplayOptions,
    build_command_line,
    build_diagnostic_lines,
    build_diagnostics_section,
    draw_bar,
    indent,
    make_grid,
    make_section,
    pass_mark,
    score_style,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import (
    choose_shortener,
    describe_repairs,
    fit_parts,
    format_count,
    format_interval,
    format_number,
    join_nonempty,
    make_visible,
    truncate,
    truncate_middle,
)
from fieldwise.report.value_diff import style_comparison
from fieldwise.summarize.metrics import COUNTS

MAX_CATEGORIES: Final = 12
"""Categories shown for a detection run, the worst first."""
MAX_GATE_NOTES: Final = 10
"""Gates on regressions that are explained in words; those that failed come first."""
MAX_FIELDS: Final = 40
MAX_CAUSES: Final = 6
MAX_TAGS: Final = 8
MAX_METRICS: Final = 8
MAX_WORST_CASES: Final = 5
_ROUNDING: Final = 1e-9
SLICE_WIDTH, EVALUATOR_WIDTH = 30, 20
_SHOWN_METRICS: Final = {
    "field_prf": ("macro_precision", "macro_recall", "micro_f1"),
    "json_quality": ("accuracy", "completeness", "hallucination", "safety", "rqs_normalized", "consistency"),
    "field_accuracy": (),
    "error_cost": ("per_case", "wrong_values", "false_accepts"),
    "detection": ("ap", "ap50", "ap75", "ar_100", "micro_precision", "micro_recall", "mean_iou"),
}
"""Metrics shown beside the score, by evaluator type; of other types the first few."""
_ERROR_METRICS: Final = ("omission", "hallucination", "format_error", "wrong_value")
_FURTHER: Final = re.compile(r" \+\d+$")
"""How `fit_parts` counts what it left out."""


def build_run_report(view: RunView, display: DisplayOptions) -> RenderableType:
    """Build the whole report; of an invalid run its problems, without scores."""
    if view.is_invalid:
        problems = build_diagnostics_section(view.diagnostics, everything=display.everything)
        return stack_parts(_build_title(view), problems, _build_invalid_footer(view))
    with_fields = [evaluator for evaluator in view.evaluators if evaluator.fields]
    first, others = with_fields[:1], with_fields[1:]
    return stack_parts(
        _build_title(view),
        make_section(UNREAD_TITLE, build_diagnostic_lines(view.unread_values)) if view.unread_values else None,
        make_section("Scores", _build_scores(view.evaluators, display)),
        None if view.corrections is None else make_section("Corrections", styled_text(view.corrections.describe())),
        _build_gates(view),
        None if view.changes is None else build_baseline_section(view.changes),
        *(build_fields_section(evaluator, display) for evaluator in (with_fields if display.everything else first)),
        None if display.everything or not others else _build_weakest_fields(others),
        _build_causes_section(first[0], view, display) if first else None,
        build_slices_section(view.evaluators, display),
        _build_worst_cases(view.evaluators, display),
        _build_findings(view),
        build_diagnostics_section(
            view.other_diagnostics, everything=display.everything, title="Problems" if view.lacks_measurements else "Good to know"
        ),
        _build_footer(view, first or view.evaluators[:1], display),
    )


def _build_invalid_footer(view: RunView) -> RenderableType:
    return stack_parts(Text(), styled_text((f"exit {view.exit_code}: ", BAD), view.exit_reason, ("; there are no scores", DIM)))


def _build_title(view: RunView) -> RenderableType:
    seconds = "" if view.seconds is None else f"{view.seconds:.1f} s"
    evaluators = "" if view.is_invalid else format_count(len(view.evaluators), "evaluator")
    facts = join_nonempty((view.size, evaluators, seconds))
    label = f" · {view.label}" if view.label else ""
    return styled_text((view.name + label, TITLE), ("  " + facts, DIM))


# Scores and gates ----------------------------------------------------------------------------------------------------------------------


def _build_scores(evaluators: Sequence[EvaluatorSummary], display: DisplayOptions) -> RenderableType:
    rows: list[RenderableType] = []
    name_width = min(max((len(evaluator.name) for evaluator in evaluators), default=0), 28)
    for evaluator in evaluators:
        rows.append(_build_headline(evaluator, name_width, display))
        metrics = _list_metrics(evaluator)
        if metrics:
            rows.append(indent(styled_text((metrics, DIM))))
        remark = describe_score(evaluator)
        if remark:
            rows.append(indent(styled_text((remark, DIM))))
        by_category = _list_categories(evaluator)
        if by_category:
            rows.append(indent(styled_text((f"ap by category: {by_category}", DIM))))
    failures = max((evaluator.counts.failures for evaluator in evaluators), default=0)
    if failures:
        rows.append(styled_text(("! ", NOTE), (f"{format_count(failures, 'case')} without a readable output, counted as 0", DIM)))
    repairs = describe_repairs(max((evaluator.flags for evaluator in evaluators), key=_count_repairs, default={}))
    if repairs:
        rows.append(styled_text(("· ", DIM), (repairs, DIM)))
    return Group(*rows)


def _count_repairs(flags: Mapping[str, int]) -> int:
    return flags.get("repaired_json", 0)


def _list_categories(evaluator: EvaluatorSummary) -> str:
    """List the average precision of each category, lowest first."""
    categories = [
        (metric.value, name.removeprefix("ap[").removesuffix("]")) for name, metric in evaluator.metrics.items() if name.startswith("ap[")
    ]
    return join_nonempty(f"{name} {format_number(value)}" for value, name in sorted(categories)[:MAX_CATEGORIES])


def _build_headline(evaluator: EvaluatorSummary, name_width: int, display: DisplayOptions) -> Text:
    name = f"{truncate(evaluator.name, name_width):<{name_width}}"
    counts = join_nonempty(f"{share.count:,} {share.word}" for share in share_cases_by_status(evaluator.counts))
    score = evaluator.metrics.get("score")
    if score is None:
        return styled_text((name, TITLE), "  ", ("not measured", NOTE), ("  " + counts, DIM))
    style = score_style(score.value / maximum_score(evaluator))
    bar = Text() if display.plain else styled_text(draw_bar(score.value, style), "  ")
    value = (format_number(score.value), style + TITLE)
    interval = f"  [{format_interval(score)}]" if format_interval(score) else ""
    judged = evaluator.counts.passed + evaluator.counts.partial + evaluator.counts.failed
    measured = f"  (n {score.n})" if score.n < judged else ""  # cases whose score is vacuous have a verdict, but are in no mean
    return styled_text((name, TITLE), "  ", bar, value, (interval + measured, DIM), ("  " + counts, DIM))


def _list_metrics(evaluator: EvaluatorSummary) -> str:
    metrics = evaluator.metrics
    names = _SHOWN_METRICS.get(evaluator.type)
    if names is None:
        hidden = ("score", "pass_rate", *COUNTS)
        names = tuple(name for name in metrics if name not in hidden and not name.startswith(("macro_", "total_")))
    texts = [_describe_metric(name, metrics) for name in names if name in metrics and _is_measured(evaluator, metrics[name])][:MAX_METRICS]
    if evaluator.type == "field_prf":
        for name in _ERROR_METRICS:
            total = round(metrics[name].value * metrics[name].n) if name in metrics else 0
            if total:
                texts.append(f"{name} {total}")
    return join_nonempty(texts)


def _is_measured(evaluator: EvaluatorSummary, metric: Metric) -> bool:
    """False if only cases without a readable output count in the mean, such as in `safety` without a checker."""
    score = evaluator.metrics.get("score")
    return score is None or metric.n == score.n or metric.n > evaluator.counts.failures


def _describe_metric(name: str, metrics: Mapping[str, Metric]) -> str:
    """A metric with its value, and n where fewer cases were measured than have a score."""
    metric, score = metrics[name], metrics.get("score")
    text = f"{name} {format_number(metric.value)}"
    return f"{text} (n {metric.n})" if score is not None and metric.n < score.n else text


def _build_gates(view: RunView) -> RenderableType:
    if not view.gates:
        evaluator = next(iter(view.summary.evaluators), "fields")
        hint = f": add `gate:` to the suite, or --gate '{evaluator}.score >= 0.9'"
        return make_section("Gates", styled_text(("no gate was set", NOTE), (hint, DIM)))
    table = make_grid({}, WRAPPED, {}, {})
    for gate in view.gates:
        verdict = Text("passed", OK) if gate.passed else Text("failed", BAD)
        table.add_row(pass_mark(gate.passed), styled_text(gate.gate), styled_text(_describe_gate_value(gate)), verdict)
    explained = sorted((gate for gate in view.gates if gate.regression_text), key=lambda gate: gate.passed)
    notes = [styled_text((gate.regression_text, DIM if gate.passed else NOTE)) for gate in explained[:MAX_GATE_NOTES]]
    return make_section("Gates", table, *notes)


def _describe_gate_value(gate: GateResult) -> str:
    if gate.value is None:
        return "not measured"
    return f"changed by {gate.value:+.4g}" if gate.regression_text else f"is {gate.value:.4g}"


# Fields --------------------------------------------------------------------------------------------------------------------------------


def build_fields_section(evaluator: EvaluatorSummary, display: DisplayOptions) -> RenderableType:
    """Build the table of the fields of one evaluator, lowest first; unless everything is shown, of the lowest fields only."""
    fields = sorted(evaluator.fields, key=_rank_field)
    if not display.everything:
        fields = fields[:MAX_FIELDS]
    layout = _FieldColumns(display, fields)
    table = make_grid(*layout.make_columns(), heads=True)
    is_shortened = False
    for field in fields:
        cells = layout.make_cells(field)
        is_shortened = is_shortened or any(_FURTHER.search(cell.plain) for cell in cells)
        table.add_row(*cells)
    left_out = len(evaluator.fields) - len(fields)
    more = styled_text((f"and {left_out} more that score higher (--all)", DIM)) if left_out else None
    legend = styled_text(("+n: n more, shown by --all", DIM)) if is_shortened else None
    return make_section(f"Fields ({evaluator.name})", table, more, legend)


def _rank_field(field: FieldSummary) -> tuple[bool, float, int]:
    """Lowest score first, then most wrong values; fields that nothing measured come last."""
    return not field.score.n, field.score.value if field.score.n else 0.0, field.matched - field.n


class _FieldColumns:
    """The columns that fit the width, and their widths."""

    def __init__(self, display: DisplayOptions, fields: Sequence[FieldSummary]) -> None:
        self._everything = display.everything
        self._has_interval = display.width >= 92
        self._count_width = max([2, *(len(str(field.n)) for field in fields)])
        self._interval_width = max([9, *(len(format_interval(field.score)) for field in fields)])
        fixed = 2 + 2 * (self._count_width + 2) + 7 + (self._interval_width + 2 if self._has_interval else 0)
        room = display.width - fixed
        self._name_width = min(max(_longest_length(field.field for field in fields), 5), room * 40 // 100)
        self._shorten_name = choose_shortener([make_visible(field.field) for field in fields], self._name_width)
        self._rule_width = min(max(_longest_length(_shorten_rule(field.rule) for field in fields), 4), room * 24 // 100)
        self._worst_width = room * 19 // 100
        longest_id = _longest_length(case for field in fields for case in field.worst)
        # Shortened ids often look alike, so the column is left out rather than shortened; 3 characters are for " +n".
        self._has_worst = display.width >= 116 and (self._everything or 0 < longest_id <= self._worst_width - 3)
        self._wrong_width = room - self._name_width - self._rule_width - 4 - (self._worst_width + 2 if self._has_worst else 0)

    def make_columns(self) -> list[dict[str, Any]]:
        """Return the columns as `make_grid` takes them."""
        wrapped: dict[str, Any] = {"no_wrap": False, "overflow": "fold"} if self._everything else {}
        columns: list[dict[str, Any]] = [
            {"header": "field", "width": self._name_width, **wrapped},
            {"header": "rule", "width": self._rule_width, **wrapped},
            {"header": "n", "justify": "right", "width": self._count_width},
            {"header": "ok", "justify": "right", "width": self._count_width},
            {"header": "score", "justify": "right", "width": 5},
        ]
        if self._has_interval:
            columns.append({"header": "interval", "width": self._interval_width})
        columns.append({"header": "what went wrong", "width": self._wrong_width, **wrapped})
        if self._has_worst:
            columns.append({"header": "worst cases", "width": self._worst_width, **wrapped})
        return columns

    def make_cells(self, field: FieldSummary) -> list[Text]:
        """Return the row of a field."""
        score, name = field.score, make_visible(field.field)
        cells = [
            styled_text(name if self._everything else self._shorten_name(name, self._name_width)),
            styled_text((field.rule if self._everything else _shorten_rule(field.rule), DIM)),
            styled_text(str(field.n)),
            styled_text(str(field.matched)),
            styled_text((format_number(score.value), score_style(score.value))) if score.n else styled_text(("–", DIM)),
        ]
        if self._has_interval:
            cells.append(styled_text((format_interval(score), DIM)))
        agreed = [f"null on both sides {field.agreed_absent}"] if field.agreed_absent else []
        cells.append(styled_text(self._fit([*list_errors(field), *agreed], self._wrong_width)))
        if self._has_worst:
            cells.append(styled_text((self._fit(field.worst, self._worst_width), DIM)))
        return cells

    def _fit(self, parts: Sequence[str], width: int) -> str:
        """Join as many parts as fit into the width; all of them, on several lines, if everything is shown."""
        return ", ".join(parts) if self._everything else fit_parts(parts, width)


def _longest_length(texts: Iterable[str]) -> int:
    return max((len(make_visible(text)) for text in texts), default=0)


def _shorten_rule(rule: str) -> str:
    """Drop the options in parentheses: `fuzzy ≥ 0.9 (levenshtein)` becomes `fuzzy ≥ 0.9`."""
    return rule.split(" (", 1)[0]


def _build_weakest_fields(evaluators: Sequence[EvaluatorSummary]) -> RenderableType | None:
    """List the lowest fields of evaluators whose fields have no table."""
    rows: list[RenderableType] = []
    is_any_lower = False
    for evaluator in evaluators:
        measured = [field for field in evaluator.fields if field.score.n]
        lowest = sorted(measured, key=lambda field: field.score.value)[:4]
        count = format_count(len(evaluator.fields), "field")
        if lowest and lowest[0].score.value < 1:
            is_any_lower = True
            names = ", ".join(f"{make_visible(field.field)} {format_number(field.score.value)}" for field in lowest)
            rows.append(styled_text((f"{evaluator.name}: ", TITLE), (f"lowest of {count}: ", DIM), names))
        elif lowest:
            rows.append(styled_text((f"{evaluator.name}: ", TITLE), (f"{count}, none below 1", DIM)))
    if is_any_lower:
        rows.append(styled_text(("--all shows all of them", DIM)))
    return Group(Text(), *(indent(row) for row in rows)) if rows else None


# Causes --------------------------------------------------------------------------------------------------------------------------------


def _build_causes_section(evaluator: EvaluatorSummary, view: RunView, display: DisplayOptions) -> RenderableType | None:
    """List the most frequent causes, each with an example and advice."""
    causes = sorted(summarize_causes(evaluator), key=lambda cause: (-cause.count, cause.name))
    if not causes:
        return None
    shown = causes if display.everything else causes[:MAX_CAUSES]
    count_width = max(3, len(f"{shown[0].count:,}"))
    rows: list[RenderableType] = []
    for cause in shown:
        example = _build_example(view, cause, display.width - len(cause.label) - count_width - 9)
        rows.append(styled_text((f"{cause.count:>{count_width},}  ", NOTE), (cause.label, TITLE), example))
        if cause.advice:
            rows.append(indent(styled_text((cause.advice, DIM)), count_width + 2))
    left_out = causes[len(shown) :]
    if left_out:
        mismatches = sum(cause.count for cause in left_out)
        rows.append(styled_text((f"and {len(left_out)} more causes of {mismatches} mismatches (--all)", DIM)))
    return make_section(f"Likely causes ({evaluator.name})", Group(*rows))


def _build_example(view: RunView, cause: CauseSummary, room: int) -> Text:
    example = view.examples.get(cause.name)
    if example is None:  # it is in none of the cases that were read: name the field at least
        return styled_text(("  " + truncate(make_visible(cause.fields[0][0]), 32), DIM)) if cause.fields else Text()
    path = truncate(make_visible(example.comparison.path), 32)
    side_width = max((room - len(path) - 8) // 2, 12)
    return styled_text(("  " + path + "  ", DIM), style_comparison(example.comparison, limit=side_width))


# Slices --------------------------------------------------------------------------------------------------------------------------------


def build_slices_section(evaluators: Sequence[EvaluatorSummary], display: DisplayOptions) -> RenderableType | None:
    """Build a row for each split and tag, a column for each evaluator; of many tags those that score lowest."""
    sliced = [evaluator for evaluator in evaluators if evaluator.slices]
    if not sliced:
        return None
    names = sorted({name for evaluator in sliced for name in evaluator.slices}, key=lambda name: _rank_slice(sliced[0], name))
    splits = [name for name in names if name.startswith("split:")]
    tags = [name for name in names if not name.startswith("split:")]
    left_out = 0 if display.everything else max(len(tags) - MAX_TAGS, 0)
    rows = [*splits, *tags[: len(tags) - left_out]]
    counts = {name: _count_slice(sliced, name) for name in rows}
    name_width, count_width = min(max(map(len, rows)), SLICE_WIDTH), max(map(len, counts.values()))
    shown = _choose_evaluators(sliced, display.width - name_width - count_width - 6)
    heads: list[dict[str, Any]] = [
        {"header": truncate_middle(evaluator.name, EVALUATOR_WIDTH), "min_width": min(len(evaluator.name), EVALUATOR_WIDTH)}
        for evaluator in shown
    ]
    table = make_grid({"max_width": SLICE_WIDTH, "header": ""}, {"header": "n", "justify": "right"}, *heads, heads=True)
    for name in rows:
        cells = [_build_slice_cell(evaluator, name) for evaluator in shown]
        table.add_row(styled_text(name.replace(":", " ", 1)), styled_text(counts[name]), *cells)
    verb = "scores" if left_out == 1 else "score"
    more = styled_text((f"and {format_count(left_out, 'more tag')} that {verb} higher (--all)", DIM)) if left_out else None
    hidden = ", ".join(evaluator.name for evaluator in sliced[len(shown) :])
    narrow = styled_text((f"no room for {hidden}: use a wider terminal or an HTML report", DIM)) if hidden else None
    return make_section("By split and tag", table, more, narrow)


def _choose_evaluators(evaluators: Sequence[EvaluatorSummary], room: int) -> Sequence[EvaluatorSummary]:
    """Return the evaluators whose columns fit, at least one."""
    ends = accumulate(max(min(len(evaluator.name), EVALUATOR_WIDTH), 5) + 2 for evaluator in evaluators)
    return evaluators[: max(sum(end <= room for end in ends), 1)]


def _count_slice(evaluators: Sequence[EvaluatorSummary], name: str) -> str:
    """The number of cases of a slice, and of groups if there are any: `60 in 12 groups`."""
    scores = [evaluator.slices.get(name, {}).get("score") for evaluator in evaluators]
    cases = max((score.n for score in scores if score is not None), default=0)
    groups = max((score.groups for score in scores if score is not None and score.groups is not None), default=None)
    return f"{cases:,}" if groups is None else f"{cases:,} in {format_count(groups, 'group')}"


def _rank_slice(evaluator: EvaluatorSummary, name: str) -> tuple[float, str]:
    score = evaluator.slices.get(name, {}).get("score")
    return (1.0 if score is None else score.value), name


def _build_slice_cell(evaluator: EvaluatorSummary, name: str) -> RenderableType:
    score = evaluator.slices.get(name, {}).get("score")
    if score is None:
        return styled_text(("–", DIM))
    return styled_text((format_number(score.value), score_style(score.value / maximum_score(evaluator))))


# Cases, findings, footer ---------------------------------------------------------------------------------------------------------------


def _build_worst_cases(evaluators: Sequence[EvaluatorSummary], display: DisplayOptions) -> RenderableType | None:
    first = next((evaluator for evaluator in evaluators if _has_imperfect_case(evaluator)), None)
    if first is None:
        return None
    line = Text()
    for case, score in first.worst if display.everything else first.worst[:MAX_WORST_CASES]:
        entry = styled_text(f"{case} ", (format_number(score), score_style(score / maximum_score(first))))
        if line and len(line) + len(entry) + 3 > display.width - 2:
            break
        line = styled_text(line, "   ", entry) if line else entry
    return make_section(f"Lowest cases ({first.name})", line)


def _has_imperfect_case(evaluator: EvaluatorSummary) -> bool:
    """True if a case scores below the highest possible score, which is below 1 for json_quality with its default weights."""
    return any(score < maximum_score(evaluator) - _ROUNDING for _, score in evaluator.worst)


def _build_findings(view: RunView) -> RenderableType | None:
    lines = [styled_text(("✓ ", OK) if finding.level == "good" else ("! ", NOTE), str(finding)) for finding in view.findings]
    return make_section("What the figures suggest", *lines) if lines else None


def _build_footer(view: RunView, evaluators: Sequence[EvaluatorSummary], display: DisplayOptions) -> RenderableType:
    worst = next((case for evaluator in evaluators for case, _ in evaluator.worst), None)
    next_command = None if worst is None else build_command_line("next: ", f"{display.command} explain latest {quote(worst)}")
    return stack_parts(
        Text(),
        styled_text((f"exit {view.exit_code}", OK if view.exit_code == 0 else BAD), f": {view.exit_reason}"),
        styled_text(("stored in " + view.path, DIM), no_wrap=True, overflow="ignore"),  # one line, so that it can be copied
        next_command,
    )
