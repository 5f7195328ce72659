"""A run as a page of text: scores, gates, fields, causes, slices, diagnostics, and what to do next."""

from collections.abc import Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from fieldwise.model.summary import EvaluatorSummary
from fieldwise.report.changes_view import changes_section
from fieldwise.report.diagnostics import diagnostics_section
from fieldwise.report.fields import cause_section, fields_section, weakest_lines
from fieldwise.report.parts import (
    BAD,
    COMMAND,
    DIM,
    NOTE,
    OK,
    TITLE,
    bar,
    colour_of,
    full_score,
    grid,
    interval,
    joined,
    mark,
    number,
    plural,
    section,
    stack,
    text,
)
from fieldwise.report.slices import slices_section
from fieldwise.report.view import RunView, Show
from fieldwise.summarize.findings import findings
from fieldwise.summarize.metrics import COUNTS

EXIT: Final = {
    0: "everything was measured",
    1: "a gate failed",
    2: "something is wrong with the configuration",
    3: "incomplete: not everything could be measured",
    4: "nothing was evaluated",
    70: "internal error",
    130: "interrupted",
}
_CHOSEN: Final = {
    "field_prf": ("macro_precision", "macro_recall", "micro_f1"),
    "json_quality": ("accuracy", "completeness", "hallucination", "safety", "rqs_normalized", "consistency"),
    "field_accuracy": (),
    "detection": ("ap", "ap50", "ap75", "ar_100", "micro_precision", "micro_recall", "mean_iou"),
}
"""The metrics worth a place beside the score; of other evaluators the first few."""
_MOST_METRICS: Final = 8
_ERRORS: Final = ("omission", "hallucination", "format_error", "wrong_value")
_WORST: Final = 5


MOST_CATEGORIES: Final = 12
"""How many categories a detection run tells of, the worst first."""
GATES_TOLD: Final = 10
"""How many gates on regressions are told in words; those that failed come first."""


def run_report(view: RunView, show: Show) -> RenderableType:
    """The whole report."""
    evaluators = list(view.summary.evaluators.values())
    with_fields = [one for one in evaluators if one.fields]
    first, others = with_fields[:1], with_fields[1:]
    return stack(
        _title(view),
        section("Scores", _scores(evaluators, show)),
        _gates(view),
        None if view.changes is None else changes_section(view.changes),
        *(fields_section(one, show) for one in (with_fields if show.everything else first)),
        None if show.everything or not others else weakest_lines(others),
        cause_section(first[0], view, show) if first else None,
        slices_section(evaluators, show),
        _worst(evaluators, show),
        _findings(view),
        diagnostics_section(view.diagnostics, everything=show.everything),
        _footer(view, first or evaluators[:1], show),
    )


def _title(view: RunView) -> RenderableType:
    seconds = "" if view.finished is None else f"{(view.finished - view.started).total_seconds():.1f} s"
    facts = joined((plural(view.summary.cases, "case"), plural(len(view.summary.evaluators), "evaluator"), seconds))
    return text((view.name, TITLE), ("  " + facts, DIM))


def _scores(evaluators: Sequence[EvaluatorSummary], show: Show) -> RenderableType:
    rows: list[RenderableType] = []
    named = max((len(one.name) for one in evaluators), default=0)
    for one in evaluators:
        rows.append(_headline(one, min(named, 28), show))
        beside = _beside(one)
        if beside:
            rows.append(Padding(text((beside, DIM)), (0, 0, 0, 2)))
        by_category = _by_category(one)
        if by_category:
            rows.append(Padding(text((f"ap by category: {by_category}", DIM)), (0, 0, 0, 2)))
    failures = max((one.counts.failures for one in evaluators), default=0)
    if failures:
        rows.append(text(("! ", NOTE), (f"{plural(failures, 'case')} without a readable output, counted as 0", DIM)))
    return Group(*rows)


def _by_category(one: EvaluatorSummary) -> str:
    """The average precision of each category, lowest first."""
    found = [(metric.value, name.removeprefix("ap[").removesuffix("]")) for name, metric in one.metrics.items() if name.startswith("ap[")]
    return joined(f"{name} {number(value)}" for value, name in sorted(found)[:MOST_CATEGORIES])


def _headline(one: EvaluatorSummary, named: int, show: Show) -> Text:
    name = one.name if len(one.name) <= named else one.name[: named - 1] + "…"
    score = one.metrics.get("score")
    if score is None:
        return text((f"{name:<{named}}", TITLE), "  ", ("not measured", NOTE), ("  " + _counts(one), DIM))
    style = colour_of(score.value / full_score(one))
    drawn = Text() if show.plain else text(bar(score.value, style), "  ")
    value = (number(score.value), style + TITLE)
    between = f"  [{interval(score)}]" if interval(score) else ""
    return text((f"{name:<{named}}", TITLE), "  ", drawn, value, (between, DIM), ("  " + _counts(one), DIM))


def _counts(one: EvaluatorSummary) -> str:
    counts = one.counts
    told = (
        ("passed", counts.passed),
        ("partial", counts.partial),
        ("failed", counts.failed),
        ("fault" if counts.faults == 1 else "faults", counts.faults),
        ("unavailable", counts.unavailable),
        ("skipped", counts.skipped),
        ("not applicable", counts.not_applicable),
    )
    return joined(f"{count:,} {word}" for word, count in told if count)


def _beside(one: EvaluatorSummary) -> str:
    names = _CHOSEN.get(one.type)
    if names is None:
        names = tuple(
            name for name in one.metrics if name not in ("score", "pass_rate", *COUNTS) and not name.startswith(("macro_", "total_"))
        )
    told = [f"{name} {number(one.metrics[name].value)}" for name in names if name in one.metrics][:_MOST_METRICS]
    if one.type == "field_prf":
        totals = [(name, round(one.metrics[name].value * one.metrics[name].n)) for name in _ERRORS if name in one.metrics]
        told += [f"{name} {count}" for name, count in totals if count]
    return joined(told)


def _gates(view: RunView) -> RenderableType:
    if not view.gates:
        name = next(iter(view.summary.evaluators), "fields")
        return section("Gates", text(("no gate was set", NOTE), (f": add `gate:` to the suite, or --gate '{name}.score >= 0.9'", DIM)))
    table = grid({}, {}, {}, {})
    for gate in view.gates:
        verdict = Text("passed", OK) if gate.passed else Text("failed", BAD)
        value = "is nothing measured" if gate.value is None else f"changed by {gate.value:+.4g}" if gate.more else f"is {gate.value:.4g}"
        table.add_row(mark(gate.passed), text(gate.gate), text(value), verdict)
    told = sorted((gate for gate in view.gates if gate.more), key=lambda gate: gate.passed)
    return section("Gates", table, *(text((gate.more, DIM if gate.passed else NOTE)) for gate in told[:GATES_TOLD]))


def _findings(view: RunView) -> RenderableType | None:
    """What patterns of scores suggest, where there are any."""
    lines = [text(("✓ ", OK) if found.level == "good" else ("! ", NOTE), str(found)) for found in findings(view.summary)]
    return section("What the figures suggest", *lines) if lines else None


def _worst(evaluators: Sequence[EvaluatorSummary], show: Show) -> RenderableType | None:
    first = next((one for one in evaluators if one.worst), None)
    if first is None:
        return None
    line = Text()
    for case, score in first.worst if show.everything else first.worst[:_WORST]:
        one = text(f"{case} ", (number(score), colour_of(score / full_score(first))))
        if line and len(line) + len(one) + 3 > show.width - 2:
            break
        line = text(line, "   ", one) if line else one
    return section(f"Lowest cases ({first.name})", line)


def _footer(view: RunView, about: Sequence[EvaluatorSummary], show: Show) -> RenderableType:
    code = view.exit_code
    reason = "every gate passed" if code == 0 and view.gates else EXIT.get(code, "") if code is not None else "unfinished"
    if code == 1 and not view.gates:
        reason = "a case is below its evaluator's pass_at"
    worst = next((case for one in about for case, _ in one.worst), None)
    style = OK if code == 0 else BAD
    return stack(
        Text(),
        text((f"exit {code}", style), f": {reason}"),
        text(("stored in " + view.path, DIM)),
        text(("next: ", DIM), (f"{show.command} explain latest {quoted(worst)}", COMMAND)) if worst else None,
    )


def quoted(argument: str) -> str:
    """An argument as a shell takes it.

    >>> quoted("a-1"), quoted("two words")
    ('a-1', "'two words'")
    """
    from shlex import quote

    return quote(argument)
