"""Stored runs, a line each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from rich.console import RenderableType
from rich.text import Text

from fieldwise.report.parts import BAD, DIM, NOTE, OK, colour_of, grid, number, text
from fieldwise.report.safe import cut, json_text

if TYPE_CHECKING:
    from fieldwise.store.run import Run


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
    state: str = "finished"
    """`finished`, `unfinished`, or `running` for one that is being written."""
    gates: tuple[int, int] = (0, 0)
    """How many gates held, of how many."""
    tags: tuple[str, ...] = ()


def run_line(run: "Run") -> RunLine:
    """A stored run in a line."""
    return RunLine(
        id=run.id,
        name=run.name,
        started=run.started,
        cases=run.full.cases if run.finished else sum(part.cases for part in run.parts),
        scores={name.removesuffix(".score"): value for name, value in run.summary.items() if name.endswith(".score")},
        exit_code=run.exit_code,
        state="running" if run.running else run.state,
        gates=(sum(gate.passed for gate in run.gates), len(run.gates)),
        tags=run.tags,
    )


def runs_table(lines: Sequence[RunLine], *, width: int = 100) -> RenderableType:
    """The runs as a table. Columns that would be empty are left out; where room is short, others make way for scores."""
    columns, room = _columns(lines, width)
    heads = [{"header": name, "min_width": _wide(name, cell, lines), **_aligned(name)} for name, cell in columns.items()]
    table = grid(*heads, {"header": "scores", "max_width": max(room, 12)}, heads=True)
    for line in lines:
        table.add_row(*(cell(line) for cell in columns.values()), _scores(line, max(room, 12)))
    return table


Cell = Callable[[RunLine], Text]
_SCORES: Final = 30
_FEW: Final = 14
"""Room for one score with its name."""
_RIGHT: Final = ("cases", "exit", "gates")


def _columns(lines: Sequence[RunLine], width: int) -> tuple[dict[str, Cell], int]:
    """The columns that fit, and the room that they leave for scores: the id tells the time, the sign the exit code and the gates."""
    columns: dict[str, Cell] = {"": _sign, "run": _id, "suite": _suite(20), "started": _started, "cases": _cases, "exit": _exit}
    columns |= {"gates": _gates} if any(line.gates[1] for line in lines) else {}
    columns |= {"tags": _tags(24)} if any(line.tags for line in lines) else {}
    shorter: dict[str, Cell] = {"suite": _suite(14), "tags": _tags(12)}
    for name, needed in (("started", _SCORES), ("gates", _FEW), ("exit", _FEW), ("suite", _FEW), ("tags", _FEW)):
        if name in columns and width - sum(_wide(each, cell, lines) + 2 for each, cell in columns.items()) < needed:
            columns = {each: cell for each, cell in columns.items() if each != name or name in shorter}
            columns |= {name: shorter[name]} if name in shorter else {}
    return columns, width - sum(_wide(name, cell, lines) + 2 for name, cell in columns.items())


def _wide(name: str, cell: Cell, lines: Sequence[RunLine]) -> int:
    return max(len(name), *(len(cell(line)) for line in lines))


def _aligned(name: str) -> dict[str, Any]:
    return {"justify": "right"} if name in _RIGHT else {}


def _sign(line: RunLine) -> Text:
    return text(("✓", OK) if line.exit_code == 0 else ("…", NOTE) if line.exit_code is None else ("✗", BAD))


def _id(line: RunLine) -> Text:
    return text(line.id)


def _suite(limit: int) -> Cell:
    return lambda line: text(cut(line.name, limit))


def _started(line: RunLine) -> Text:
    return text((f"{line.started:%Y-%m-%d %H:%M}", DIM))


def _cases(line: RunLine) -> Text:
    return text(f"{line.cases:,}")


def _exit(line: RunLine) -> Text:
    return text(line.state if line.exit_code is None else str(line.exit_code))


def _tags(limit: int) -> Cell:
    return lambda line: text((cut(" ".join(line.tags), limit), OK))


def _gates(line: RunLine) -> Text:
    held, of = line.gates
    return text((f"{held}/{of}", OK if held == of else BAD)) if of else text(("–", DIM))


def _scores(line: RunLine, room: int) -> Text:
    """As many scores as there is room for, none of them cut."""
    told = Text()
    for place, (name, score) in enumerate(line.scores.items()):
        one = text((f"{name} ", DIM), (number(score), colour_of(score)))
        last = place == len(line.scores) - 1
        if len(told) + len(one) + (2 if place else 0) + (0 if last else 3) > room:
            return text(told, "  …") if place else text((number(score), colour_of(score)), "" if last else "  …")
        told = text(told, "  ", one) if place else one
    return told


def runs_json(lines: Sequence[RunLine]) -> str:
    """The runs as a JSON list."""
    return json_text([_json(line) for line in lines])


def _json(line: RunLine) -> dict[str, Any]:
    held, of = line.gates
    plain: dict[str, Any] = {"started": line.started.isoformat(), "scores": dict(line.scores), "tags": list(line.tags)}
    return asdict(line) | plain | {"gates": {"held": held, "of": of}}
