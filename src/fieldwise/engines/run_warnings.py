"""What there is to say of a run besides its figures: names that fit nothing, evaluators that measured nothing, and why."""

from collections.abc import Sequence
from typing import Final

from fieldwise.engines.run_totals import Tally
from fieldwise.model.change import Changes
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.locations import Place
from fieldwise.model.options import Naming
from fieldwise.model.path import is_there
from fieldwise.model.plan import Plan, When
from fieldwise.model.summary import Summary
from fieldwise.store.load_part import reasons
from fieldwise.store.manifest import Part

REASONS: Final = 3
"""How many reasons are told with a run for what an evaluator could not measure."""


def unmeasured(folder: Place, parts: Sequence[Part], summary: Summary, *, everything: bool) -> list[Diagnostic]:
    """Evaluators that say nothing of any case, and why others could not measure some. A part of the cases may leave one without work."""
    found: list[Diagnostic] = []
    for name, one in summary.evaluators.items():
        lost = one.counts.faults + one.counts.unavailable
        if lost:
            told = reasons(folder, parts, name).most_common(REASONS)
            texts = [f"`{name}` could not measure {times} of {one.counts.cases} cases: {why}" for why, times in told]
            found += [Diagnostic(code="not-measured", level="warning", what=text) for text in texts]
        elif summary.cases and not one.counts.scored + one.counts.failures:
            what = (
                f"`{name}` measured nothing: {one.counts.not_applicable} cases are not for it, {one.counts.skipped} have nothing to score"
            )
            fix = "check its `when` and what the cases expect, or remove it"
            found.append(Diagnostic(code="never-used", level="error" if everything else "warning", what=what, fix=fix))
    return found


def unused(plan: Plan, tally: Tally, summary: Summary) -> list[Diagnostic]:
    """What is named and no case of the run has: never a free point. Where no case could be compared, nobody knows what it has.

    A rule that fits nothing is an error; a strategy or a pattern may stand in a file that several suites share, and is told.
    """
    compared = [planned for planned in plan.evaluators if summary.evaluators[planned.name].fields]
    rules = {rule.text: None for planned in compared for rule in getattr(planned.config, "fields", ()) if rule.path is not None}
    lists = {str(rule.path): rule.path for planned in compared for rule in getattr(planned.config, "lists", ())}
    what = {text: "no case of the run has this field, on either side" for text in rules if text not in tally.fields}
    what |= {text: "no case of the run has this list, on either side" for text, path in lists.items() if not is_there(path, tally.fields)}
    fix = "check the path, or remove the rule"
    found = [Diagnostic(code="unused-rule", what=why, where=Where(file=plan.file, field=text), fix=fix) for text, why in what.items()]
    naming = [(planned.name, planned.config) for planned in compared if isinstance(planned.config, Naming)]
    return found + [
        Diagnostic(code="unused-name", level="warning", what=f"{name}: {why}", where=Where(file=plan.file), fix=hint)
        for name, config in naming
        for _, why, hint in config.unknown(tally.fields)
    ]


def nobody_fits(only: When | None, troubles: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Why there is no case, where nothing is wrong with the data."""
    if only is None or troubles:
        return []
    wanted = [*only.id, *(f"tag:{name}" for name in only.tag), *(f"split:{name}" for name in only.split)]
    what = f"no case fits the filter {' and '.join(f'`{each}`' for each in wanted)}"
    fix = "check the spelling: letter case counts, and ids are compared whole unless they have a `*`"
    return [Diagnostic(code="nobody-fits", level="warning", what=what, fix=fix)]


def foreign(changes: Changes) -> list[Diagnostic]:
    """A baseline that has nothing to do with the run tells nothing, so it must not look as if all were well."""
    if any(found.n for found in changes.evaluators.values()):
        return []
    what = f"the baseline {changes.base} has no case in common with the run for any evaluator, so nothing was compared"
    return [Diagnostic(code="foreign-baseline", what=what, fix="give the baseline of this suite and its cases")]
