"""Stored runs, a line each."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from rich.console import RenderableType

from fieldwise.report.parts import BAD, DIM, NOTE, OK, colour_of, grid, number, text
from fieldwise.report.safe import json_text


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """What the list tells of a run."""

    id: str
    name: str
    started: datetime
    cases: int
    scores: Mapping[str, float]
    """By evaluator."""
    exit_code: int | None
    """None for a run that did not finish."""


def runs_table(lines: Sequence[RunLine], *, width: int = 100) -> RenderableType:
    """The runs as a table."""
    room = max(width - 66, 20)
    right = {"justify": "right"}
    columns = ({"header": "run"}, {"header": "suite", "max_width": 20}, {"header": "started"}, {"header": "cases", **right})
    table = grid({"header": ""}, *columns, {"header": "exit", **right}, {"header": "scores", "max_width": room}, heads=True)
    for line in lines:
        scores = text()
        for name, score in line.scores.items():
            scores.append_text(text((f"{name} ", DIM), (f"{number(score)}  ", colour_of(score))))
        sign = text(("✓", OK) if line.exit_code == 0 else ("…", NOTE) if line.exit_code is None else ("✗", BAD))
        code = "unfinished" if line.exit_code is None else str(line.exit_code)
        table.add_row(
            sign, text(line.id), text(line.name), text(f"{line.started:%Y-%m-%d %H:%M}"), text(f"{line.cases:,}"), text(code), scores
        )
    return table


def runs_json(lines: Sequence[RunLine]) -> str:
    """The runs as a JSON list."""
    return json_text([asdict(line) | {"started": line.started.isoformat(), "scores": dict(line.scores)} for line in lines])
