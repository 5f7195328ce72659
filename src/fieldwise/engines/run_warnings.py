"""Diagnostics of a finished run: rules without a field, evaluators that measured nothing, a filter or baseline that fits nothing."""

from collections.abc import Sequence
from typing import Final

from fieldwise.engines.run_totals import RunTotals
from fieldwise.model.change import Changes
from fieldwise.model.diagnostic import UNREAD_VALUES, Diagnostic, Where
from fieldwise.model.locations import Location
from fieldwise.model.options import NamesFields
from fieldwise.model.path import is_at_or_above_field
from fieldwise.model.plan import Plan
from fieldwise.model.summary import Summary
from fieldwise.model.values import Json
from fieldwise.score.evaluate import FilterMatches
from fieldwise.score.unread_values import suggest_reader
from fieldwise.store.load_part import count_fault_reasons
from fieldwise.store.manifest import Part
from fieldwise.store.stored_json import dump_json
from fieldwise.summarize.rule_text import rule_text

MAX_EXAMPLE_LENGTH: Final = 40
MAX_REASONS: Final = 3
"""Maximum number of reasons that are listed for the cases an evaluator could not measure."""


def warn_unmeasured(folder: Location, parts: Sequence[Part], summary: Summary, *, all_cases: bool) -> list[Diagnostic]:
    """Evaluators that measured no case, and why others could not measure some.

    An evaluator without a measurement is an error if the run covers all cases; a selection may leave it without work.
    """
    diagnostics: list[Diagnostic] = []
    for name, evaluator in summary.evaluators.items():
        counts = evaluator.counts
        if counts.faults + counts.unavailable:
            for reason, times in count_fault_reasons(folder, parts, name).most_common(MAX_REASONS):
                what = f"`{name}` could not measure {times} of {counts.cases} cases: {reason}"
                diagnostics.append(Diagnostic(code="not-measured", level="warning", what=what))
        elif summary.cases and not counts.scored + counts.failures:
            what = f"`{name}` measured nothing: {counts.not_applicable} cases are not for it, {counts.skipped} have nothing to score"
            fix = "check its `when` and what the cases expect, or remove it"
            diagnostics.append(Diagnostic(code="never-used", level="error" if all_cases else "warning", what=what, fix=fix))
    return diagnostics


def warn_unused_rules(plan: Plan, totals: RunTotals, summary: Summary) -> list[Diagnostic]:
    """Fields and lists that rules name and no case has, for evaluators that compared something.

    An unused rule is an error; an unused strategy or pattern is a warning, because several suites may share its file.
    """
    compared = [planned for planned in plan.evaluators if summary.evaluators[planned.name].fields]
    reasons: dict[str, str] = {}
    for planned in compared:
        for rule in getattr(planned.config, "fields", ()):
            if rule.path is not None and rule.text not in totals.fields:
                reasons[rule.text] = "no case of the run has this field, on either side"
    for planned in compared:
        for rule in getattr(planned.config, "lists", ()):
            if not is_at_or_above_field(rule.path, totals.fields):
                reasons[str(rule.path)] = "no case of the run has this list, on either side"
    fix = "check the path, or remove the rule"
    diagnostics = [
        Diagnostic(code="unused-rule", what=reason, where=Where(file=plan.file, field=path), fix=fix) for path, reason in reasons.items()
    ]
    for planned in compared:
        if isinstance(planned.config, NamesFields):
            for _, reason, hint in planned.config.unknown(totals.fields):
                what = f"{planned.name}: {reason}"
                diagnostics.append(Diagnostic(code="unused-name", level="warning", what=what, where=Where(file=plan.file), fix=hint))
    return diagnostics


def warn_unread_values(plan: Plan, totals: RunTotals) -> list[Diagnostic]:
    """Expected values that the match of their rule cannot read; an error if it can read none of them."""
    diagnostics: dict[str, Diagnostic] = {}
    for planned in plan.evaluators:
        rules = {(rule.text, rule_text(rule)): rule for rule in getattr(planned.config, "fields", None) or ()}
        for key, counts in totals.unread.get(planned.name, {}).items():
            rule = rules.get(key)
            if rule is None or not counts.unread:
                continue
            examples = ", ".join(_quote_example(value) for value in counts.examples)
            none_read = counts.unread == counts.values
            amount = f"none of the {counts.values}" if none_read else f"{counts.values - counts.unread} of the {counts.values}"
            what = f"`{rule.match.name}` can read {amount} expected values; it cannot read {examples}"
            fix = suggest_reader(rule.match, counts.examples)
            where = Where(file=plan.file, field=rule.text)
            level = "error" if none_read else "warning"
            diagnostics.setdefault(f"{where} {what}", Diagnostic(code=UNREAD_VALUES, level=level, what=what, where=where, fix=fix))
    return list(diagnostics.values())


def _quote_example(value: Json) -> str:
    text = dump_json(value).decode()
    return text if len(text) <= MAX_EXAMPLE_LENGTH else f"{text[:MAX_EXAMPLE_LENGTH]}…"


def warn_unmatched_filters(filters: FilterMatches | None, problems: Sequence[Diagnostic], *, selected: int) -> list[Diagnostic]:
    """A warning for each filter that matches no case, unless problems with the data explain that there are none."""
    if filters is None or (problems and not selected):
        return []
    fix = "check the spelling: letter case counts, and ids are compared whole unless they have a `*`"
    diagnostics: list[Diagnostic] = []
    for when in filters.unmatched:
        texts = [*when.id, *(f"tag:{name}" for name in when.tag), *(f"split:{name}" for name in when.split)]
        what = f"no case fits the filter `{texts[0]}`"
        diagnostics.append(Diagnostic(code="nobody-fits", level="warning", what=what, fix=fix))
    if not selected and not filters.unmatched:
        what, fix = "no case fits all filters", "give fewer of them: a case must have one of the ids, one of the tags and one of the splits"
        diagnostics.append(Diagnostic(code="nobody-fits", level="warning", what=what, fix=fix))
    return diagnostics


def warn_foreign_baseline(changes: Changes) -> list[Diagnostic]:
    """An error if the baseline has no case in common with the run, so that nothing was compared."""
    if any(change.n for change in changes.evaluators.values()):
        return []
    what = f"the baseline {changes.base} has no case in common with the run for any evaluator, so nothing was compared"
    return [Diagnostic(code="foreign-baseline", what=what, fix="give the baseline of this suite and its cases")]
