"""What changed from one run to another, ready for templates and for Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass

from fieldwise.model.change import Change, Changes, EvaluatorChange
from fieldwise.report.parts import plural, signed


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One evaluator in two runs, in words and in tables."""

    change: EvaluatorChange
    verdict: str
    words: str
    power: str
    """How small a change so many cases can show; nothing where that is not known."""
    parts: dict[str, tuple[list[Change], list[Change]]]
    """`metric` and `field`: those that moved, then those that did not; fields from the largest drop to the largest rise."""


def compared(changes: Changes | None) -> tuple[Compared, ...]:
    """Every evaluator that both runs have; nothing where nothing was compared."""
    return () if changes is None else tuple(_compared(one) for one in changes.evaluators.values())


def score_of(change: EvaluatorChange) -> Change | None:
    """The change of the score; None where both runs do not have one."""
    return next((one for one in change.metrics if one.name == f"{change.evaluator}.score"), None)


def warnings_of(changes: Changes) -> list[str]:
    """What makes the comparison less than it seems."""
    told = list(changes.notes)
    for which, cases in (("base", changes.only_in_base), ("new run", changes.only_in_new)):
        if cases:
            told.append(f"{plural(len(cases), 'case')} only in the {which}")
    return told


def _compared(change: EvaluatorChange) -> Compared:
    score = score_of(change)
    fields = sorted(change.fields, key=lambda one: one.delta)
    return Compared(
        change=change,
        verdict=score.verdict if score else "not enough cases",
        words=_words(change, score),
        power=power_of(score),
        parts={"metric": _split(change.metrics), "field": _split(fields)},
    )


def _split(rows: Sequence[Change]) -> tuple[list[Change], list[Change]]:
    return [one for one in rows if one.delta != 0], [one for one in rows if one.delta == 0]


def _words(change: EvaluatorChange, score: Change | None) -> str:
    counts = f"{len(change.fixed):,} fixed, {len(change.broken):,} broken, {len(change.still_broken):,} still broken."
    if score is None:
        return counts
    moved = f"The score went from {score.base:.3f} to {score.new:.3f} over {plural(score.n, 'case')} ({signed(score.delta)}"
    moved += f", 95 % interval {signed(score.low)} to {signed(score.high)})" if score.low is not None and score.high is not None else ")"
    said = {
        "better": "more than chance would do: it is better.",
        "worse": "more than chance would do: it is worse.",
        "no difference shown": "chance alone could have done that.",
        "not enough cases": "too few cases to tell.",
    }
    if score.delta == 0 and score.verdict == "no difference shown":
        return f"The score is {score.new:.3f} in both, over {plural(score.n, 'case')}. {counts}"
    return f"{moved}: {said[score.verdict]} {counts}"


def power_of(score: Change | None) -> str:
    """How small a change so many cases can show.

    >>> power_of(None)
    ''
    """
    if score is None or not score.smallest_shown:
        return ""
    return f"{plural(score.n, 'case')} show a change of the score from about {score.smallest_shown:.3f} on, four times out of five."
