"""Several runs compared with one base, side by side."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from fieldwise.model.change import Change, Changes, EvaluatorChange
from fieldwise.report.changes_view import MOST, SIGNS, is_main
from fieldwise.report.compared import warnings_of
from fieldwise.report.parts import BAD, COMMAND, DIM, NOTE, OK, TITLE, grid, number, section, signed, stack, text
from fieldwise.report.safe import middle, safe
from fieldwise.report.view import Show


def several_report(found: Sequence[Changes], show: Show) -> RenderableType:
    """Each metric in the base and in every run, with what changed; `A` is the first of the runs, `B` the next."""
    base, letters = found[0].base, [_letter(place) for place in range(len(found))]
    heads = [text(("base ", DIM), base), *(text((f"{letter}    ", DIM), one.new) for letter, one in zip(letters, found, strict=True))]
    notes = [text((f"! {letter}: ", NOTE), note) for letter, one in zip(letters, found, strict=True) for note in warnings_of(one)]
    names = dict.fromkeys(name for one in found for name in one.evaluators)
    sections = (_evaluator(name, [one.evaluators.get(name) for one in found], letters, show) for name in names)
    method = "▲ better, ▼ worse, = no difference shown, ? not enough cases; adjusted for the number of runs and fields"
    more = text(("more of one: ", DIM), (f"{show.command} compare {base} {found[-1].new}", COMMAND))
    return stack(*heads, *notes, *sections, Text(), text((method, DIM)), more)


def _letter(place: int) -> str:
    """A, B … Z, then numbers."""
    return chr(ord("A") + place) if place < 26 else str(place + 1)


def _evaluator(name: str, found: Sequence[EvaluatorChange | None], letters: Sequence[str], show: Show) -> RenderableType:
    metrics = list(_rows([None if one is None else one.metrics for one in found]))
    shown = metrics if show.everything else [row for row in metrics if is_main(row[0])]
    fields = list(_rows([None if one is None else one.fields for one in found]))
    moved = fields if show.everything else [row for row in fields if _is_sure(row[1])][:MOST]
    return section(
        name,
        _table([(metric.removeprefix(f"{name}."), row) for metric, row in shown], letters, show, _counts(found)),
        text(("fields that changed for sure" if not show.everything else "fields", DIM)) if moved else None,
        _table(moved, letters, show) if moved else None,
    )


def _counts(found: Sequence[EvaluatorChange | None]) -> Iterator[list[Text]]:
    for word, style in (("fixed", OK), ("broken", BAD), ("still_broken", NOTE)):
        cells = (text("–" if one is None else f"{len(getattr(one, word)):,}") for one in found)
        yield [text((word.replace("_", " "), style)), Text(), *cells]


def _rows(found: Sequence[Sequence[Change] | None]) -> Iterator[tuple[str, list[Change | None]]]:
    """Each number by name, with its change in every run that has it."""
    by_name = [{} if changes is None else {change.name: change for change in changes} for changes in found]
    for name in dict.fromkeys(name for one in by_name for name in one):
        yield name, [one.get(name) for one in by_name]


def _is_sure(row: Sequence[Change | None]) -> bool:
    return any(change is not None and change.verdict in ("better", "worse") for change in row)


def _table(
    rows: Sequence[tuple[str, Sequence[Change | None]]], letters: Sequence[str], show: Show, below: Iterable[list[Text]] = ()
) -> RenderableType:
    room = max(show.width - 10 - 19 * len(letters), 16)
    heads: list[dict[str, Any]] = [{"header": "", "max_width": room}, {"header": "base", "justify": "right", "min_width": 5}]
    table = grid(*heads, *({"header": letter, "min_width": 14} for letter in letters), heads=True)
    for name, row in rows:
        base = next(change for change in row if change is not None).base
        table.add_row(text(middle(safe(name), room)), text((number(base), DIM)), *(_cell(change) for change in row))
    for cells in below:
        table.add_row(*cells)
    return table


def _cell(change: Change | None) -> Text:
    if change is None:
        return text(("–", DIM))
    sign, style = SIGNS[change.verdict]
    return text((number(change.new), TITLE), (f" {sign} {signed(change.delta)}", style))
