"""Two runs, compared, as people read it in a terminal."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.style import Style

from fieldwise.model.change import Change, Changes, EvaluatorChange
from fieldwise.report.parts import BAD, DIM, NOTE, OK, grid, number, plural, section, stack, text
from fieldwise.report.view import Show

SIGNS: dict[str, tuple[str, Style]] = {
    "better": ("▲", OK),
    "worse": ("▼", BAD),
    "no difference shown": ("=", DIM),
    "not enough cases": ("?", NOTE),
}
MOST = 12


def changes_report(changes: Changes, show: Show) -> RenderableType:
    """What changed, evaluator by evaluator, with the verdict in words."""
    head = text(("base ", DIM), changes.base, ("   new ", DIM), changes.new)
    notes = [text(("! ", NOTE), note) for note in changes.notes]
    for which, cases in (("base", changes.only_in_base), ("new run", changes.only_in_new)):
        if cases:
            notes.append(text(("! ", NOTE), f"only the {which} has {plural(len(cases), 'case')}: {_named(cases, show)}"))
    return stack(head, *notes, *(_evaluator(one, show) for one in changes.evaluators.values()))


def _evaluator(one: EvaluatorChange, show: Show) -> RenderableType:
    shown = one.metrics if show.everything else [change for change in one.metrics if _is_main(change)]
    parts: list[RenderableType] = [_table(shown, drop=f"{one.evaluator}.")]
    score = next((change for change in one.metrics if change.name.endswith(".score")), None)
    if score is not None and score.smallest_shown:
        told = f"{plural(score.n, 'case')} show a change of the score from about {score.smallest_shown:.3f} on"
        parts.append(text((told, DIM)))
    moved = [change for change in one.fields if show.everything or change.verdict in ("better", "worse") or change.delta]
    if moved:
        parts.append(text(("fields, adjusted for having looked at all of them", DIM)))
        parts.append(_table(sorted(moved, key=lambda change: change.delta)[: None if show.everything else MOST]))
    for name, cases, style in (("fixed", one.fixed, OK), ("broken", one.broken, BAD), ("still broken", one.still_broken, NOTE)):
        if cases:
            parts.append(text((f"{name} {len(cases):,}  ", style), _named(cases, show)))
    if one.unmeasured:
        parts.append(text((f"not measured in both {len(one.unmeasured):,}  ", NOTE), _named(one.unmeasured, show)))
    return section(f"{one.evaluator}, {plural(one.n, 'case')}", *parts)


def _is_main(change: Change) -> bool:
    name = change.name.rsplit(".", 1)[-1]
    return name in ("score", "pass_rate", "precision", "recall", "f1", "rqs", "completeness", "accuracy", "hallucination", "mean_iou")


def _table(changes: Sequence[Change], drop: str = "") -> RenderableType:
    right = {"justify": "right"}
    heads = ({"header": ""}, {"header": "", "max_width": 36}, *({"header": name, **right} for name in ("base", "new", "change")))
    table = grid(
        *heads, {"header": "95 % interval"}, {"header": "p", **right}, {"header": "gain", **right}, {"header": "verdict"}, heads=True
    )
    for change in changes:
        sign, style = SIGNS[change.verdict]
        gain = "" if change.gain is None else f"{change.gain:+.0%}"
        table.add_row(
            text((sign, style)),
            text(change.name.removeprefix(drop)),
            text(number(change.base)),
            text(number(change.new)),
            text((f"{change.delta:+.3f}", style)),
            text("" if change.low is None or change.high is None else f"{change.low:+.3f} to {change.high:+.3f}"),
            text(f"{change.p_adjusted:.3f}" if change.p_adjusted >= 0.001 else "<0.001"),
            text(gain),
            text((change.verdict, style)),
        )
    return table


def _named(cases: Sequence[str], show: Show) -> str:
    some = cases if show.everything else cases[:8]
    return ", ".join(some) + (f" and {len(cases) - len(some):,} more" if len(cases) > len(some) else "")
