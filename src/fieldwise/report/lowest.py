"""The cases of a run from the lowest score up, and how the scores are spread. Only scores are read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from fieldwise.model.summary import EvaluatorSummary

if TYPE_CHECKING:
    from fieldwise.store.run import Run

_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Ranked:
    """A case with its score."""

    position: int
    """Where it stands in the run."""
    id: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The scores of one evaluator."""

    evaluator: str
    lowest: tuple[Ranked, ...]
    bins: tuple[int, ...]
    """How many cases score from 0 to below 0.1, from 0.1 to below 0.2 and so on; the last: exactly 1."""
    measured: int


def spread(run: "Run", evaluator: str, most: int) -> Spread:
    """The `most` lowest cases of an evaluator, those that came first before others of the same score; what was not measured is left out."""
    table = run.scores(evaluator)
    if not table.num_rows:
        return Spread(evaluator=evaluator, lowest=(), bins=(0,) * 11, measured=0)
    score = table.column("score").to_numpy()
    status, fault = (np.asarray(table.column(name).to_pylist(), dtype=object) for name in ("status", "fault"))
    measured = (status == "scored") | ((status == "error") & (fault == "system"))
    rows = np.flatnonzero(measured)
    position = table.column("case").to_numpy()
    chosen = rows[np.lexsort((position[rows], score[rows]))][:most]
    ids = table.column("id").take(chosen).to_pylist()
    lowest = tuple(Ranked(int(position[row]), name, float(score[row])) for row, name in zip(chosen.tolist(), ids, strict=True))
    tenth = np.clip((score[rows] * 10 + _ROUNDING).astype(np.int64), 0, 10)
    return Spread(evaluator=evaluator, lowest=lowest, bins=tuple(np.bincount(tenth, minlength=11).tolist()), measured=len(rows))


def leading(evaluators: Sequence[EvaluatorSummary]) -> EvaluatorSummary | None:
    """The evaluator whose cases are shown: the first that compares fields, else the first."""
    return next((one for one in evaluators if one.fields), evaluators[0] if evaluators else None)
