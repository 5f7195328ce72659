"""The same scores for part of the cases: by tag and by split."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

from rich.console import RenderableType

from fieldwise.model.summary import EvaluatorSummary
from fieldwise.report.parts import DIM, colour_of, full_score, grid, number, plural, section, text
from fieldwise.report.safe import middle
from fieldwise.report.view import Show

MOST_TAGS: Final = 8
NAME, HEAD = 30, 20
"""How wide a slice and the name of an evaluator may be."""


def slices_section(evaluators: Sequence[EvaluatorSummary], show: Show) -> RenderableType | None:
    """A row for each split and tag, a column for each evaluator; of many tags those that score lowest."""
    sliced = [one for one in evaluators if one.slices]
    if not sliced:
        return None
    names = sorted({name for one in sliced for name in one.slices}, key=lambda name: _score(sliced[0], name))
    splits = [name for name in names if name.startswith("split:")]
    tags = [name for name in names if not name.startswith("split:")]
    left = 0 if show.everything else max(len(tags) - MOST_TAGS, 0)
    rows = [*splits, *(tags[: len(tags) - left])]
    counts = {name: f"{_n(sliced, name):,}" for name in rows}
    shown = _fitting(sliced, show.width - 2 - min(max(map(len, rows)), NAME) - 2 - max(map(len, counts.values())) - 2)
    heads: list[dict[str, Any]] = [{"header": middle(one.name, HEAD), "min_width": min(len(one.name), HEAD)} for one in shown]
    table = grid({"max_width": NAME, "header": ""}, {"header": "n", "justify": "right"}, *heads, heads=True)
    for name in rows:
        table.add_row(text(name.replace(":", " ", 1)), text(counts[name]), *(_cell(one, name) for one in shown))
    more = text((f"and {plural(left, 'more tag')} that {'scores' if left == 1 else 'score'} higher (--all)", DIM)) if left else None
    others = ", ".join(one.name for one in sliced[len(shown) :])
    narrow = text((f"no room for {others}: a wider terminal, or a report, has it", DIM)) if others else None
    return section("By split and tag", table, more, narrow)


def _fitting(evaluators: Sequence[EvaluatorSummary], room: int) -> Sequence[EvaluatorSummary]:
    """As many evaluators as there is room for, and one at least."""
    ends = accumulate(max(min(len(one.name), HEAD), 5) + 2 for one in evaluators)
    return evaluators[: max(sum(end <= room for end in ends), 1)]


def _n(evaluators: Sequence[EvaluatorSummary], name: str) -> int:
    return max((one.slices[name]["score"].n for one in evaluators if name in one.slices and "score" in one.slices[name]), default=0)


def _score(one: EvaluatorSummary, name: str) -> tuple[float, str]:
    metric = one.slices.get(name, {}).get("score")
    return (1.0 if metric is None else metric.value), name


def _cell(one: EvaluatorSummary, name: str) -> RenderableType:
    metric = one.slices.get(name, {}).get("score")
    return text(("–", DIM)) if metric is None else text((number(metric.value), colour_of(metric.value / full_score(one))))
