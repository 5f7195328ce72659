"""Terminal reports on measurements: the audit of a judge against human labels, and the calibration of semantic similarity."""

from collections.abc import Mapping
from typing import Any, Final

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from fieldwise.model.audit import Audit
from fieldwise.report.terminal_layout import (
    BAD,
    COMMAND,
    DIM,
    NOTE,
    OK,
    DisplayOptions,
    make_grid,
    make_section,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import format_count, format_number, list_cases, truncate

MAX_DISAGREEMENTS: Final = 12
MAX_NAMED_CASES: Final = 8
FEW_CASES: Final = 50
"""An audit with fewer cases is not reliable."""
FEW_PAIRS: Final = 100
"""A calibration with fewer held-out pairs is not reliable."""
_KAPPA_WORDS: Final = ((0.8, "strong"), (0.6, "fair"), (0.4, "weak"), (-1.0, "hardly more than chance"))
_RATES: Final = ("precision", "recall", "f1", "auc")


def build_audit_report(audit: Audit, display: DisplayOptions) -> RenderableType:
    """Show agreement, kappa, the confusion table and the cases where judge and people disagree."""
    return stack_parts(
        styled_text(("judge ", DIM), audit.evaluator, ("   run ", DIM), audit.run),
        *_build_audit_notes(audit, display),
        make_section(f"Agreement, {format_count(audit.n, 'case')}", *_build_agreement(audit)),
        make_section("Counts: people ↓, judge →", _build_confusion(audit)),
        _build_disagreements(audit, display),
    )


def _build_audit_notes(audit: Audit, display: DisplayOptions) -> list[RenderableType]:
    notes: list[str] = []
    for cases, reason in ((audit.unknown, "not in the run"), (audit.unjudged, "not measured by the judge")):
        if cases:
            names = list_cases(cases, None if display.everything else MAX_NAMED_CASES)
            notes.append(f"{format_count(len(cases), 'label')} left out, {reason}: {names}")
    if audit.unlabelled:
        notes.append(f"{format_count(audit.unlabelled, 'case')} without a label left out")
    if audit.partial_is_fail:
        notes.append("partial verdicts of the judge count as fail, since the labels are only pass and fail; set `pass_at` to decide")
    if audit.n < FEW_CASES:
        notes.append(f"{format_count(audit.n, 'case')} are few; use 100 or more for a reliable number")
    return [styled_text(("! ", NOTE), note) for note in notes]


def _build_agreement(audit: Audit) -> list[RenderableType]:
    table = make_grid({}, {"justify": "right"}, {}, {"no_wrap": False})
    table.add_row(
        styled_text("agreement"), styled_text(format_number(audit.agreement)), _build_interval(audit.agreement_interval), styled_text()
    )
    if audit.kappa is None or audit.kappa_interval is None:
        table.add_row(
            styled_text("Cohen's kappa"), styled_text("–"), styled_text(), styled_text("not defined: every case has the same verdict")
        )
    else:
        word = next(word for bound, word in _KAPPA_WORDS if audit.kappa >= bound)
        kappa = styled_text(format_number(audit.kappa))
        table.add_row(styled_text("Cohen's kappa"), kappa, _build_interval(audit.kappa_interval), styled_text((word, DIM)))
    shares = ((audit.share("pass", "pass"), "passes what people pass"), (audit.share("fail", "fail"), "fails what people fail"))
    for share, words in shares:
        if share is not None:
            table.add_row(styled_text(f"the judge {words}"), styled_text(format_number(share)), styled_text(), styled_text())
    parts: list[RenderableType] = [table]
    if audit.best is not None:
        advice = f"with `pass_at: {audit.best.pass_at:g}` kappa would be {audit.best.kappa:.3f} on these cases; check it on others"
        parts.append(styled_text((advice, OK)))
    return parts


def _build_interval(interval: tuple[float, float]) -> Text:
    return styled_text((f"{interval[0]:.2f} to {interval[1]:.2f}", DIM))


def _build_confusion(audit: Audit) -> RenderableType:
    table = make_grid({"header": ""}, *({"header": verdict, "justify": "right"} for verdict in audit.table), heads=True)
    for label, counts in audit.table.items():
        cells = [styled_text((f"{count:,}", _count_style(label, verdict, count))) for verdict, count in counts.items()]
        table.add_row(styled_text(label), *cells)
    return table


def _count_style(label: str, verdict: str, count: int) -> Style:
    if label == verdict:
        return OK
    return BAD if count else DIM


def _build_disagreements(audit: Audit, display: DisplayOptions) -> RenderableType | None:
    if not audit.disagreements:
        return None
    shown = audit.disagreements if display.everything else audit.disagreements[:MAX_DISAGREEMENTS]
    columns = ("case", "people", "judge", "score", "why")
    table = make_grid(*({"header": column, "no_wrap": column != "why"} for column in columns), heads=True)
    for disagreement in shown:
        reason = disagreement.reasoning if display.everything else truncate(disagreement.reasoning.replace("\n", " "), 200)
        table.add_row(
            styled_text(disagreement.case),
            styled_text(disagreement.people),
            styled_text((disagreement.judge, BAD)),
            styled_text(format_number(disagreement.score)),
            styled_text(reason),
        )
    left_out = len(audit.disagreements) - len(shown)
    more = styled_text((f"and {left_out:,} more (--all)", DIM)) if left_out else None
    return make_section(f"{format_count(len(audit.disagreements), 'disagreement')}", table, more)


def build_calibration_report(calibration: Mapping[str, Any], option: str) -> RenderableType:
    """Compare the fitted map with the published one, and show the option to write into a suite."""
    pairs, same = int(calibration["pairs"]), int(calibration["same"])
    return stack_parts(
        styled_text(format_count(pairs, "pair"), (f"   {same:,} the same, {pairs - same:,} not", DIM)),
        *_build_calibration_notes(calibration),
        make_section(f"At {calibration['threshold']:.2f}", _build_calibration_table(calibration)),
        _build_kinds(calibration["by_kind"]),
        make_section("For a field's `match: semantic`", styled_text((option, COMMAND))),
    )


def _build_calibration_notes(calibration: Mapping[str, Any]) -> list[RenderableType]:
    notes: list[RenderableType] = []
    if calibration["better"]:
        notes.append(styled_text(("✓ ", OK), "on held-out pairs this map does better than the published one"))
    else:
        notes.append(styled_text(("! ", NOTE), "on held-out pairs this map does no better than the published one: use the published one"))
    held_out = int(calibration["after"]["pairs"])
    if held_out < FEW_PAIRS:
        text = f"{format_count(held_out, 'held-out pair')} give rough numbers; use {FEW_PAIRS} or more"
        notes.append(styled_text(("! ", NOTE), text))
    return notes


def _build_calibration_table(calibration: Mapping[str, Any]) -> RenderableType:
    heads = ("pairs", "precision", "recall", "F1", "AUC")
    table = make_grid({"header": ""}, *({"header": head, "justify": "right"} for head in heads), heads=True)
    rows = (("before, the published map", "before"), ("after, held-out half", "after"), ("after, fitted half", "fitted"))
    for title, name in rows:
        measured = calibration[name]
        cells = [title, f"{measured['pairs']:,}", *(f"{measured[rate]:.3f}" for rate in _RATES)]
        table.add_row(*(styled_text((cell, DIM)) if name == "fitted" else styled_text(cell) for cell in cells))
    return table


def _build_kinds(shares: Mapping[str, float]) -> RenderableType | None:
    if not shares:
        return None
    table = make_grid({}, {"justify": "right"})
    for name, share in shares.items():
        table.add_row(styled_text(name), styled_text(f"{share:.0%}"))
    return make_section("Correct, of the held-out half", table)
