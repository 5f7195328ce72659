"""A calibration of likeness of meaning, as a page of text."""

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType

from fieldwise.report.parts import COMMAND, DIM, NOTE, OK, grid, plural, section, stack, text

_NUMBERS = ("precision", "recall", "f1", "auc")
_FEW = 100
"""Held-out pairs below which the numbers are rough."""


def calibration_report(found: Mapping[str, Any], option: str) -> RenderableType:
    """How well the fitted map does beside the one that is there anyway, and what to write into a suite."""
    pairs, same = int(found["pairs"]), int(found["same"])
    return stack(
        text(plural(pairs, "pair"), (f"   {same:,} the same, {pairs - same:,} not", DIM)),
        *_notes(found),
        section(f"At {found['threshold']:.2f}", _table(found)),
        _kinds(found["by_kind"]),
        section("For a field's `match: semantic`", text((option, COMMAND))),
    )


def _notes(found: Mapping[str, Any]) -> list[RenderableType]:
    notes: list[RenderableType] = []
    if found["better"]:
        notes.append(text(("✓ ", OK), "on pairs that it was not fitted to, this map does better than the published one"))
    else:
        notes.append(text(("! ", NOTE), "on pairs that it was not fitted to, this map does no better than the published one: keep that"))
    held_out = int(found["after"]["pairs"])
    if held_out < _FEW:
        notes.append(text(("! ", NOTE), f"{plural(held_out, 'held-out pair')} give rough numbers; {_FEW} and more are steadier"))
    return notes


def _table(found: Mapping[str, Any]) -> RenderableType:
    heads = ("pairs", "precision", "recall", "F1", "AUC")
    lines = grid({"header": ""}, *({"header": name, "justify": "right"} for name in heads), heads=True)
    rows = (("before, the published map", "before"), ("after, held-out half", "after"), ("after, fitted half", "fitted"))
    for told, name in rows:
        measured = found[name]
        style = DIM if name == "fitted" else None
        cells = [f"{measured['pairs']:,}", *(f"{measured[number]:.3f}" for number in _NUMBERS)]
        lines.add_row(*(text((cell, style) if style else cell) for cell in (told, *cells)))
    return lines


def _kinds(shares: Mapping[str, float]) -> RenderableType | None:
    if not shares:
        return None
    lines = grid({}, {"justify": "right"})
    for name, share in shares.items():
        lines.add_row(text(name), text(f"{share:.0%}"))
    return section("Judged rightly, of the held-out half", lines)
