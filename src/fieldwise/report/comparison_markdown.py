"""The comparison of two or more runs as Markdown, for a pull request.

Text from data is always in code spans, where it cannot be markup, a link or a mention.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from fieldwise.model.change import Change, Changes, EvaluatorChange
from fieldwise.report.markdown import format_code_span, format_prose, render_table
from fieldwise.report.run_changes import (
    describe_power,
    describe_relation,
    describe_tests,
    find_primary_change,
    is_significant,
    list_change_warnings,
)
from fieldwise.report.text_format import format_change, format_number
from fieldwise.summarize.ranking import RankedComparison, RankedRun

MAX_FIELDS: Final = 12
_SIGNS: Final = {"better": "✅", "worse": "❌", "no difference shown": "⚠️", "not enough cases": "⚠️", "not tested": "⚠️"}


def render_comparison_markdown(compared: RankedComparison) -> str:
    """Render the runs from best to worst, the verdict on every pair of them, and the fields with a significant change."""
    first = compared.pairs[0]
    is_several = len(compared.pairs) > 1
    lines = [f"## Comparison of {', '.join(map(format_code_span, compared.labels))}", ""]
    if is_several:
        for evaluator, ranking in compared.rankings.items():
            lines += _render_ranking(evaluator, ranking)
    lines += _render_pairs(compared.pairs)
    lines += _render_fields(compared.pairs)
    lines += [f"* {note}" for note in _list_notes(compared.pairs)]
    power = describe_power(next(map(find_primary_change, first.evaluators.values()), None))
    tests = describe_tests(first) + (" All pairs of runs count." if is_several else "")
    lines += [f"* {format_prose(note)}" for note in (power, tests) if note]
    return "\n".join(lines) + "\n"


def _render_ranking(evaluator: str, ranking: Sequence[RankedRun]) -> Iterator[str]:
    yield f"### {format_code_span(evaluator)}: ranking by the primary metric"
    yield ""
    rows = [
        (str(place), format_code_span(entry.label), format_number(entry.value), f"{entry.n:,}", describe_relation(entry, format_code_span))
        for place, entry in enumerate(ranking, 1)
    ]
    yield from render_table(("rank", "run", "value", "cases", "shown"), rows)


def _render_pairs(pairs: Sequence[Changes]) -> Iterator[str]:
    yield "### Every pair" if len(pairs) > 1 else "### Change"
    yield ""
    heads = ("new against base", "evaluator", "verdict", "base → new", "change (95 % interval)", "p, adjusted", "fixed", "broken")
    rows = [(_name_pair(changes), *_format_evaluator(evaluator)) for changes in pairs for evaluator in changes.evaluators.values()]
    yield from render_table((*heads, "still broken"), rows, numbers=6)


def _render_fields(pairs: Sequence[Changes]) -> Iterator[str]:
    rows: list[tuple[str, ...]] = []
    for changes in pairs:
        for evaluator in changes.evaluators.values():
            significant = [field for field in evaluator.fields if is_significant(field)]
            rows += [(_name_pair(changes), format_code_span(field.name), *_format_movement(field)) for field in significant]
    if rows:
        heads = ("new against base", "field", "verdict", "base → new", "change (95 % interval)", "p, adjusted")
        yield from render_table(heads, rows[:MAX_FIELDS], numbers=3)
    if len(rows) > MAX_FIELDS:
        yield from [f"and {len(rows) - MAX_FIELDS:,} more fields with a significant change", ""]


def _list_notes(pairs: Sequence[Changes]) -> Iterator[str]:
    for changes in pairs:
        for warning in list_change_warnings(changes):
            yield f"{_name_pair(changes)}: {format_prose(warning)}"


def _name_pair(changes: Changes) -> str:
    return f"{format_code_span(changes.new_label or changes.new)} against {format_code_span(changes.base_label or changes.base)}"


def _format_evaluator(evaluator: EvaluatorChange) -> tuple[str, ...]:
    primary = find_primary_change(evaluator)
    movement = ("not measured", "", "", "") if primary is None else _format_movement(primary)
    counts = (f"{len(cases):,}" for cases in (evaluator.fixed, evaluator.broken, evaluator.still_broken))
    return (format_code_span(evaluator.evaluator), *movement, *counts)


def _format_movement(change: Change) -> tuple[str, ...]:
    interval = "" if change.low is None or change.high is None else f" ({format_change(change.low)} to {format_change(change.high)})"
    p = f"{change.p_adjusted:.3f}" if change.p_adjusted >= 0.001 else "<0.001"
    verdict = f"{_SIGNS[change.verdict]} {change.verdict}"
    return verdict, f"{format_number(change.base)} → {format_number(change.new)}", f"{format_change(change.delta)}{interval}", p
