"""Two runs, compared, as people read it in a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from fieldwise.model.change import Change, Changes, EvaluatorChange
from fieldwise.report.compared import compared, power_of, score_of, warnings_of
from fieldwise.report.parts import BAD, DIM, NOTE, OK, TITLE, grid, number, plural, section, signed, stack, text
from fieldwise.report.safe import middle, safe
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


def changes_section(changes: Changes) -> RenderableType:
    """What changed, a line for each evaluator."""
    table = grid({}, {}, {}, {}, {})
    for one in compared(changes):
        sign, style = SIGNS[one.verdict]
        score = score_of(one.change)
        moved = "" if score is None else f"{number(score.base)} → {number(score.new)} ({signed(score.delta)})"
        counts = f"{len(one.change.fixed):,} fixed, {len(one.change.broken):,} broken, {len(one.change.still_broken):,} still broken"
        table.add_row(
            text((sign, style)), text((one.change.evaluator, TITLE)), text(moved), text((one.verdict, style)), text((counts, DIM))
        )
    notes = [text(("! ", NOTE), note) for note in warnings_of(changes)]
    return section(f"Against the baseline, run {changes.base}", table, *notes)


def _evaluator(one: EvaluatorChange, show: Show) -> RenderableType:
    shown = one.metrics if show.everything else [change for change in one.metrics if is_main(change.name)]
    parts: list[RenderableType] = [_table(shown, show, drop=f"{one.evaluator}.")]
    power = power_of(score_of(one))
    if power:
        parts.append(text((power, DIM)))
    moved = [change for change in one.fields if show.everything or change.verdict in ("better", "worse") or change.delta]
    if moved:
        parts.append(text(("fields, adjusted for having looked at all of them", DIM)))
        parts.append(_table(sorted(moved, key=lambda change: change.delta)[: None if show.everything else MOST], show))
        left = len(moved) - (len(moved) if show.everything else MOST)
        if left > 0:
            parts.append(text((f"and {plural(left, 'more field')} that moved: --all", DIM)))
    for name, cases, style in (("fixed", one.fixed, OK), ("broken", one.broken, BAD), ("still broken", one.still_broken, NOTE)):
        if cases:
            parts.append(text((f"{name} {len(cases):,}  ", style), _named(cases, show)))
    if one.unmeasured:
        parts.append(text((f"not measured in both {len(one.unmeasured):,}  ", NOTE), _named(one.unmeasured, show)))
    return section(f"{one.evaluator}, {plural(one.n, 'case')}", *parts)


def is_main(metric: str) -> bool:
    """Whether a metric is shown without being asked for."""
    name = metric.rsplit(".", 1)[-1]
    return name in ("score", "pass_rate", "precision", "recall", "f1", "rqs", "completeness", "accuracy", "hallucination", "mean_iou")


def _table(changes: Sequence[Change], show: Show, drop: str = "") -> RenderableType:
    """The changes. Where room is short, names are cut, and the effect, the gain and then p are left out; the verdict stays."""
    shown = {"effect": show.width >= 110, "gain": show.width >= 100, "p": show.width >= 92}
    shown = {name: wide or show.everything for name, wide in shown.items()}
    room = max(show.width - 66 - 8 * sum(shown.values()), 12)
    names = [middle(safe(change.name.removeprefix(drop)), room) for change in changes]
    heads: list[dict[str, Any]] = [{"header": ""}, {"header": "", "min_width": max(map(len, names), default=0)}]
    heads += [{"header": name, "justify": "right", "min_width": 6 if name == "change" else 5} for name in ("base", "new", "change")]
    heads += [{"header": "95 % interval", "min_width": 16}]
    heads += [{"header": name, "justify": "right", "min_width": 5} for name in ("p", "effect", "gain") if shown[name]]
    table = grid(*heads, {"header": "verdict"}, heads=True)
    for name, change in zip(names, changes, strict=True):
        table.add_row(*_row(name, change, shown))
    return table


def _row(name: str, change: Change, shown: Mapping[str, bool]) -> list[Text]:
    sign, style = SIGNS[change.verdict]
    told = {
        "p": f"{change.p_adjusted:.3f}" if change.p_adjusted >= 0.001 else "<0.001",
        "effect": "" if change.effect is None else signed(change.effect, 2),
        "gain": "" if change.gain is None else f"{signed(change.gain * 100, 0)}%",
    }
    return [
        text((sign, style)),
        text(name),
        text(number(change.base)),
        text(number(change.new)),
        text((signed(change.delta), style)),
        text("" if change.low is None or change.high is None else f"{signed(change.low)} to {signed(change.high)}"),
        *(text(words) for column, words in told.items() if shown[column]),
        text((change.verdict, style)),
    ]


def _named(cases: Sequence[str], show: Show) -> str:
    some = cases if show.everything else cases[:8]
    return ", ".join(some) + (f" and {len(cases) - len(some):,} more" if len(cases) > len(some) else "")
