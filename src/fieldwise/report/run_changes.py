"""Changes between runs: in words for pages and Markdown, as tables for terminals."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from fieldwise.dataclass import dataclass
from fieldwise.model.change import Change, Changes, EvaluatorChange
from fieldwise.report.terminal_layout import (
    BAD,
    DIM,
    NOTE,
    OK,
    TITLE,
    DisplayOptions,
    build_command_line,
    indent,
    make_grid,
    make_section,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import format_change, format_count, format_number, list_cases, make_visible, truncate_middle
from fieldwise.summarize.ranking import RankedComparison, RankedRun

ADJUSTMENT_NAMES: Final = {"holm": "Holm", "bh": "Benjamini–Hochberg"}
MAX_FIELDS: Final = 12
MAX_CASES: Final = 8
VERDICT_SIGNS: Final[dict[str, tuple[str, Style]]] = {
    "better": ("▲", OK),
    "worse": ("▼", BAD),
    "no difference shown": ("=", DIM),
    "not enough cases": ("?", NOTE),
    "not tested": ("·", DIM),
}
_CONCLUSIONS: Final = {
    "better": "significantly better.",
    "worse": "significantly worse.",
    "no difference shown": "not significant.",
    "not enough cases": "too few cases.",
    "not tested": "not tested.",
}
_MAIN_METRICS: Final = (
    *("score", "pass_rate", "precision", "recall", "f1"),
    *("rqs", "completeness", "accuracy", "hallucination", "mean_iou"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorComparison:
    """One evaluator in two runs, in words and in tables."""

    change: EvaluatorChange
    score: Change | None
    """The change of the primary metric; None unless both runs have it."""
    verdict: str
    words: str
    power: str
    """The smallest change this number of cases can detect; empty if unknown."""
    parts: dict[str, tuple[list[Change], list[Change]]]
    """`metric` and `field`: those that changed, then those that did not; fields by `rank_by_change`."""


def describe_changes(changes: Changes | None) -> tuple[EvaluatorComparison, ...]:
    """Describe every evaluator that both runs have; empty without a comparison."""
    if changes is None:
        return ()
    return tuple(_describe_evaluator(change) for change in changes.evaluators.values())


def find_primary_change(change: EvaluatorChange) -> Change | None:
    """Return the change of the primary metric; None unless both runs have it."""
    primary = change.primary or f"{change.evaluator}.score"  # comparisons stored by earlier versions name none
    return next((metric for metric in change.metrics if metric.name == primary), None)


def describe_tests(changes: Changes) -> str:
    """State how many metrics and fields were tested, and how their p-values were adjusted; empty if unknown.

    >>> describe_tests(Changes(base="a", new="b", evaluators={}, tested_metrics=2, tested_fields=20))
    'Tested: 2 primary metrics and 20 fields, each family adjusted by Holm.'
    """
    if not changes.tested_metrics:
        return ""
    tested = format_count(changes.tested_metrics, "primary metric")
    if changes.tested_fields:
        tested += f" and {format_count(changes.tested_fields, 'field')}"
    others = sum(evaluator.tested for evaluator in changes.evaluators.values())
    further = f"; {format_count(others, 'further metric')} where the primary one shows a difference" if others else ""
    return f"Tested: {tested}, each family adjusted by {ADJUSTMENT_NAMES[changes.adjust]}{further}."


def count_units(change: Change | EvaluatorChange) -> str:
    """The number of cases, and of groups if there are any: `120 cases in 12 groups`."""
    cases = format_count(change.n, "case")
    return cases if change.groups is None else f"{cases} in {format_count(change.groups, 'group')}"


def list_change_warnings(changes: Changes) -> list[str]:
    """List what limits the comparison: its notes, and cases that only one run has."""
    warnings = list(changes.notes)
    for which, cases in (("base", changes.only_in_base), ("new run", changes.only_in_new)):
        if cases:
            warnings.append(f"{format_count(len(cases), 'case')} only in the {which}")
    return warnings


def _describe_evaluator(change: EvaluatorChange) -> EvaluatorComparison:
    score = find_primary_change(change)
    fields = sorted(change.fields, key=rank_by_change)
    return EvaluatorComparison(
        change=change,
        score=score,
        verdict=score.verdict if score else "not enough cases",
        words=_describe_score_change(change, score),
        power=describe_power(score),
        parts={"metric": _split_by_movement(change.metrics), "field": _split_by_movement(fields)},
    )


def rank_by_change(change: Change) -> tuple[bool, float]:
    """Sort key: drops before rises, the largest of each first."""
    return change.delta > 0, -abs(change.delta)


def _split_by_movement(changes: Sequence[Change]) -> tuple[list[Change], list[Change]]:
    return [change for change in changes if change.delta != 0], [change for change in changes if change.delta == 0]


def _describe_score_change(change: EvaluatorChange, score: Change | None) -> str:
    counts = f"{_count_transitions(change)}."
    if score is None:
        return counts
    cases, name = count_units(score), score.name.removeprefix(f"{change.evaluator}.")
    if score.delta == 0 and score.verdict == "no difference shown":
        return f"The {name} is {score.new:.3f} in both, over {cases}. {counts}"
    interval = ""
    if score.low is not None and score.high is not None:
        interval = f", 95 % interval {format_change(score.low)} to {format_change(score.high)}"
    movement = f"The {name} went from {score.base:.3f} to {score.new:.3f} over {cases} ({format_change(score.delta)}{interval})"
    return f"{movement}: {_CONCLUSIONS[score.verdict]} {counts}"


def _count_transitions(change: EvaluatorChange) -> str:
    return f"{len(change.fixed):,} fixed, {len(change.broken):,} broken, {len(change.still_broken):,} still broken"


def describe_power(score: Change | None) -> str:
    """State the smallest change that this number of cases detects with 80 % power; empty if unknown.

    >>> describe_power(None)
    ''
    """
    if score is None or not score.smallest_shown:
        return ""
    return f"With {count_units(score)}, a change of {score.smallest_shown:.3f} or more is detected with 80 % power."


def build_changes_report(changes: Changes, display: DisplayOptions) -> RenderableType:
    """Show what changed between two runs, evaluator by evaluator."""
    base, new = name_run(changes.base, changes.base_label), name_run(changes.new, changes.new_label)
    head = styled_text(("base ", DIM), base, ("   new ", DIM), new)
    tests = describe_tests(changes)
    notes = [styled_text((tests, DIM))] if tests else []
    notes += [styled_text(("! ", NOTE), note) for note in changes.notes]
    for which, cases in (("base", changes.only_in_base), ("new run", changes.only_in_new)):
        if cases:
            notes.append(
                styled_text(("! ", NOTE), f"only the {which} has {format_count(len(cases), 'case')}: {_list_cases(cases, display)}")
            )
    return stack_parts(head, *notes, *(_build_evaluator_section(change, display) for change in changes.evaluators.values()))


def build_baseline_section(changes: Changes) -> RenderableType:
    """Show what changed from the baseline, a line for each evaluator."""
    table = make_grid({}, {}, {}, {}, {})
    for comparison in describe_changes(changes):
        sign, style = VERDICT_SIGNS[comparison.verdict]
        score = find_primary_change(comparison.change)
        movement = "" if score is None else f"{format_number(score.base)} → {format_number(score.new)} ({format_change(score.delta)})"
        table.add_row(
            styled_text((sign, style)),
            styled_text((comparison.change.evaluator, TITLE)),
            styled_text(movement),
            styled_text((comparison.verdict, style)),
            styled_text((_count_transitions(comparison.change), DIM)),
        )
    notes = [styled_text(("! ", NOTE), note) for note in list_change_warnings(changes)]
    return make_section(f"Against the baseline, run {changes.base}", table, *notes)


def _build_evaluator_section(change: EvaluatorChange, display: DisplayOptions) -> RenderableType:
    metrics = [metric for metric in change.metrics if display.everything or _is_main_metric(metric.name) or is_significant(metric)]
    parts: list[RenderableType] = [_build_change_table(metrics, display, drop_prefix=f"{change.evaluator}.")]
    power = describe_power(find_primary_change(change))
    if power:
        parts.append(styled_text((power, DIM)))
    parts += _build_field_parts(change, display)
    for name, cases, style in (("fixed", change.fixed, OK), ("broken", change.broken, BAD), ("still broken", change.still_broken, NOTE)):
        if cases:
            parts.append(styled_text((f"{name} {len(cases):,}  ", style), _list_cases(cases, display)))
    if change.unmeasured:
        parts.append(styled_text((f"not measured in both {len(change.unmeasured):,}  ", NOTE), _list_cases(change.unmeasured, display)))
    return make_section(f"{change.evaluator}, {count_units(change)}", *parts)


def _build_field_parts(change: EvaluatorChange, display: DisplayOptions) -> Iterator[RenderableType]:
    moved = [field for field in change.fields if display.everything or is_significant(field) or field.delta]
    if not moved:
        return
    moved.sort(key=rank_by_change)
    shown = moved if display.everything else moved[:MAX_FIELDS]
    yield styled_text(("fields; p-values are adjusted for the number of fields", DIM))
    yield _build_change_table(shown, display)
    if len(moved) > len(shown):
        yield styled_text((f"and {format_count(len(moved) - len(shown), 'more field')} that moved: --all", DIM))


def _is_main_metric(metric: str) -> bool:
    """True for a metric that is shown without `--all`."""
    return metric.rsplit(".", 1)[-1] in _MAIN_METRICS


def _build_change_table(changes: Sequence[Change], display: DisplayOptions, drop_prefix: str = "") -> RenderableType:
    """Build a row for each change. In a narrow terminal names are cut, and effect, gain and then p are left out; the verdict stays."""
    fits = {"effect": display.width >= 110, "gain": display.width >= 100, "p": display.width >= 92}
    shown = {name: fit or display.everything for name, fit in fits.items()}
    room = max(display.width - 66 - 8 * sum(shown.values()), 12)
    names = [truncate_middle(make_visible(change.name.removeprefix(drop_prefix)), room) for change in changes]
    heads: list[dict[str, Any]] = [{"header": ""}, {"header": "", "min_width": max(map(len, names), default=0)}]
    heads += [{"header": name, "justify": "right", "min_width": 6 if name == "change" else 5} for name in ("base", "new", "change")]
    heads += [{"header": "95 % interval", "min_width": 16}]
    heads += [{"header": name, "justify": "right", "min_width": 5} for name in ("p", "effect", "gain") if shown[name]]
    table = make_grid(*heads, {"header": "verdict"}, heads=True)
    for name, change in zip(names, changes, strict=True):
        table.add_row(*_build_change_row(name, change, shown))
    return table


def _build_change_row(name: str, change: Change, shown: Mapping[str, bool]) -> list[Text]:
    sign, style = VERDICT_SIGNS[change.verdict]
    interval = "" if change.low is None or change.high is None else f"{format_change(change.low)} to {format_change(change.high)}"
    optional = {
        "p": f"{change.p_adjusted:.3f}" if change.p_adjusted >= 0.001 else "<0.001",
        "effect": "" if change.effect is None else format_change(change.effect, 2),
        "gain": "" if change.gain is None else f"{format_change(change.gain * 100, 0)} %",
    }
    return [
        styled_text((sign, style)),
        styled_text(name),
        styled_text(format_number(change.base)),
        styled_text(format_number(change.new)),
        styled_text((format_change(change.delta), style)),
        styled_text(interval),
        *(styled_text(cell) for column, cell in optional.items() if shown[column]),
        styled_text((change.verdict, style)),
    ]


def name_run(run: str, label: str) -> str:
    """A run by what the user calls it, and its id.

    >>> name_run("20261115-203801-4127f3a", "engine-b"), name_run("20261115-203801-4127f3a", "")
    ('engine-b (20261115-203801-4127f3a)', '20261115-203801-4127f3a')
    """
    return f"{make_visible(label)} ({run})" if label else run


def _list_cases(cases: Sequence[str], display: DisplayOptions) -> str:
    return list_cases(cases, None if display.everything else MAX_CASES)


def build_multi_run_report(compared: RankedComparison, display: DisplayOptions) -> RenderableType:
    """Show each metric in the base and in every run, side by side, then the runs from best to worst."""
    labels, rankings = compared.labels, compared.rankings
    base = compared.pairs[0].base
    comparisons = compared.pairs[: len(labels) - 1]  # those of the base come first
    heads = make_grid({"max_width": 30}, {})
    for label, run in zip(labels, [base, *(changes.new for changes in comparisons)], strict=True):
        heads.add_row(styled_text((label, TITLE)), styled_text(("" if label == run else run, DIM)))
    notes: list[Text] = []
    for label, changes in zip(labels[1:], comparisons, strict=True):
        notes += [styled_text((f"! {label}: ", NOTE), note) for note in list_change_warnings(changes)]
    names = dict.fromkeys(name for changes in comparisons for name in changes.evaluators)
    sections: list[RenderableType] = []
    for name in names:
        sections.append(_build_multi_section(name, [changes.evaluators.get(name) for changes in comparisons], labels, display))
        if name in rankings:
            sections.append(_build_ranking(rankings[name]))
    legend = "▲ better, ▼ worse, = no difference shown, ? not enough cases, · not tested"
    tested = describe_tests(comparisons[0])
    more = build_command_line("details of one run: ", f"{display.command} compare {base} {comparisons[-1].new}")
    return stack_parts(
        heads, *notes, *sections, Text(), styled_text((legend, DIM)), styled_text((f"{tested} All pairs of runs count.", DIM)), more
    )


def multi_run_to_json(compared: RankedComparison) -> dict[str, Any]:
    """The comparison of several runs: the changes of every pair, and the runs from best to worst by evaluator."""
    ranking = {name: [asdict(run) for run in runs] for name, runs in compared.rankings.items()}
    return {"pairs": [changes.to_json() for changes in compared.pairs], "ranking": ranking}


def describe_relation(entry: RankedRun, format_name: Callable[[str], str] = str) -> str:
    """State which runs a run is shown to be better or worse than.

    >>> describe_relation(RankedRun(label="b", run="2", value=0.9, n=50, better_than=("a",), not_shown=("c",)))
    'better than a'
    """
    others = len(entry.better_than) + len(entry.worse_than) + len(entry.not_shown)
    if len(entry.better_than) == others:
        return "better than all others"
    if entry.better_than:
        return f"better than {', '.join(map(format_name, entry.better_than))}"
    return "not shown to be better than any other"


def _build_ranking(ranking: Sequence[RankedRun]) -> RenderableType:
    table = make_grid({"justify": "right"}, {"max_width": 30}, {"justify": "right"}, {"no_wrap": False})
    for place, entry in enumerate(ranking, 1):
        table.add_row(
            styled_text((f"{place}", DIM)),
            styled_text((entry.label, TITLE)),
            styled_text(format_number(entry.value)),
            styled_text(describe_relation(entry)),
        )
    return stack_parts(Text(), indent(styled_text(("ranking by the primary metric", DIM))), indent(table))


def _build_multi_section(
    name: str, changes: Sequence[EvaluatorChange | None], labels: Sequence[str], display: DisplayOptions
) -> RenderableType:
    metrics = list(_align_by_name([None if change is None else change.metrics for change in changes]))
    fields = list(_align_by_name([None if change is None else change.fields for change in changes]))
    if not display.everything:
        metrics = [row for row in metrics if _is_main_metric(row[0]) or _is_significant(row[1])]
        fields = [row for row in fields if _is_significant(row[1])][:MAX_FIELDS]
    metric_rows = [(metric.removeprefix(f"{name}."), row) for metric, row in metrics]
    fields_title = "fields" if display.everything else "fields with a significant change"
    return make_section(
        name,
        _build_multi_table(metric_rows, labels, display, _count_multi_transitions(changes)),
        styled_text((fields_title, DIM)) if fields else None,
        _build_multi_table(fields, labels, display) if fields else None,
    )


def _count_multi_transitions(changes: Sequence[EvaluatorChange | None]) -> Iterator[list[Text]]:
    for attribute, style in (("fixed", OK), ("broken", BAD), ("still_broken", NOTE)):
        cells = (styled_text("–" if change is None else f"{len(getattr(change, attribute)):,}") for change in changes)
        yield [styled_text((attribute.replace("_", " "), style)), Text(), *cells]


def _align_by_name(runs: Sequence[Sequence[Change] | None]) -> Iterator[tuple[str, list[Change | None]]]:
    """Yield each name with its change in every run; None for a run without it."""
    by_name = [{} if changes is None else {change.name: change for change in changes} for changes in runs]
    for name in dict.fromkeys(name for changes in by_name for name in changes):
        yield name, [changes.get(name) for changes in by_name]


def _is_significant(row: Sequence[Change | None]) -> bool:
    return any(change is not None and is_significant(change) for change in row)


def is_significant(change: Change) -> bool:
    """True if the comparison shows a difference."""
    return change.verdict in ("better", "worse")


def _build_multi_table(
    rows: Sequence[tuple[str, Sequence[Change | None]]], labels: Sequence[str], display: DisplayOptions, footer: Iterable[list[Text]] = ()
) -> RenderableType:
    base, *others = [truncate_middle(make_visible(label), 14) for label in labels]
    room = max(display.width - 10 - 19 * len(others), 16)
    heads: list[dict[str, Any]] = [{"header": "", "max_width": room}, {"header": base, "justify": "right", "min_width": 5}]
    table = make_grid(*heads, *({"header": label, "min_width": 14} for label in others), heads=True)
    for name, row in rows:
        base_value = next(change for change in row if change is not None).base
        cells = [_build_multi_cell(change) for change in row]
        table.add_row(styled_text(truncate_middle(make_visible(name), room)), styled_text((format_number(base_value), DIM)), *cells)
    for cells in footer:
        table.add_row(*cells)
    return table


def _build_multi_cell(change: Change | None) -> Text:
    if change is None:
        return styled_text(("–", DIM))
    sign, style = VERDICT_SIGNS[change.verdict]
    return styled_text((format_number(change.new), TITLE), (f" {sign} {format_change(change.delta)}", style))
