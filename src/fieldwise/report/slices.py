"""The same scores for part of the cases: by tag and by split."""

from collections.abc import Sequence
from typing import Final

from rich.console import RenderableType

from fieldwise.model.summary import EvaluatorSummary
from fieldwise.report.parts import DIM, colour_of, full_score, grid, number, section, text
from fieldwise.report.view import Show

MOST_TAGS: Final = 8


def slices_section(evaluators: Sequence[EvaluatorSummary], show: Show) -> RenderableType | None:
    """A row for each split and tag, a column for each evaluator; of many tags those that score lowest."""
    sliced = [one for one in evaluators if one.slices]
    if not sliced:
        return None
    names = sorted({name for one in sliced for name in one.slices}, key=lambda name: _score(sliced[0], name))
    splits = [name for name in names if name.startswith("split:")]
    tags = [name for name in names if not name.startswith("split:")]
    left = 0 if show.everything else max(len(tags) - MOST_TAGS, 0)
    columns = max(1, min(len(sliced), (show.width - 40) // 16))
    table = grid(
        {"max_width": 30, "header": ""},
        {"header": "n", "justify": "right"},
        *({"header": one.name} for one in sliced[:columns]),
        heads=True,
    )
    for name in [*splits, *(tags[: len(tags) - left])]:
        n = max((one.slices[name]["score"].n for one in sliced if name in one.slices and "score" in one.slices[name]), default=0)
        table.add_row(text(name.replace(":", " ", 1)), text(str(n)), *(_cell(one, name) for one in sliced[:columns]))
    more = text((f"and {left} more tags that score higher (--all)", DIM)) if left else None
    return section("By split and tag", table, more)


def _score(one: EvaluatorSummary, name: str) -> tuple[float, str]:
    metric = one.slices.get(name, {}).get("score")
    return (1.0 if metric is None else metric.value), name


def _cell(one: EvaluatorSummary, name: str) -> RenderableType:
    metric = one.slices.get(name, {}).get("score")
    return text(("–", DIM)) if metric is None else text((number(metric.value), colour_of(metric.value / full_score(one))))
