"""Which cases of a run are wanted, found without reading more than scores and outcomes."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import pyarrow.compute
from numpy.typing import NDArray

from fieldwise.report.lowest import Ranked
from fieldwise.store.reading import files_of, read_table
from fieldwise.store.run import Run, open_run

pc: Any = pyarrow.compute  # its functions are made at run time, so no checker knows them

Order = Literal["case", "score", "-score"]
UNTOLD: Final = ("match", "both_absent", "ignored")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a reader asked for; None asks for everything."""

    evaluator: str
    verdict: str | None = None
    status: str | None = None
    text: str | None = None
    """Part of an id."""
    field: str | None = None
    outcome: str | None = None
    """Of the field, or of any; `wrong` means every outcome that is no match."""
    cause: str | None = None
    tag: str | None = None
    split: str | None = None
    low: float | None = None
    high: float | None = None
    measured: bool = False
    """Leave out what could not be measured."""
    order: Order = "case"


class Chosen:
    """Cases of a run in order. They are made when they are looked at: a page shows a few of very many."""

    def __init__(self, rows: NDArray[np.int64], table: Any) -> None:
        self._rows = rows
        self._table = table

    def __len__(self) -> int:
        return len(self._rows)

    def page(self, offset: int, limit: int) -> list[Ranked]:
        """Some of them."""
        some = self._table.take(self._rows[offset : offset + limit])
        columns = (some.column(name).to_pylist() for name in ("case", "id", "score"))
        return [Ranked(position, name, score) for position, name, score in zip(*columns, strict=True)]

    def near(self, name: str) -> tuple[str | None, str | None]:
        """The ids of the cases before and after this one."""
        row = pc.index(self._table.column("id"), name).as_py()
        found = np.flatnonzero(self._rows == row)
        if row < 0 or not len(found):
            return None, None
        at = int(found[0])
        around = {one: self.page(one, 1) for one in (at - 1, at + 1) if 0 <= one < len(self)}
        return (around[at - 1][0].id if at - 1 in around else None), (around[at + 1][0].id if at + 1 in around else None)


def chosen(run: Run, wanted: Wanted) -> Chosen:
    """The cases that are wanted, in the order that is wanted."""
    table = _scores(run, wanted.evaluator)
    if not table.num_rows:
        return Chosen(np.zeros(0, dtype=np.int64), table)
    position, score = table.column("case").to_numpy(), table.column("score").to_numpy()
    kept = np.ones(table.num_rows, dtype=np.bool_)
    for name in ("verdict", "status"):
        value = getattr(wanted, name)
        if value is not None:
            kept &= np.asarray(pc.fill_null(pc.equal(table.column(name), value), False))
    if wanted.measured:
        kept &= ~np.asarray(pc.is_in(table.column("status"), pyarrow.array(["skipped", "unavailable"])))
    if wanted.text is not None:
        kept &= np.asarray(pc.match_substring(table.column("id"), wanted.text, ignore_case=True))
    if wanted.low is not None:
        kept &= score >= wanted.low
    if wanted.high is not None:
        kept &= score <= wanted.high
    for found in (_compared(run, wanted), _labelled(run, wanted)):
        if found is not None:
            kept &= np.isin(position, found)
    return Chosen(_ordered(np.flatnonzero(kept), position, score, wanted.order), table)


def _scores(run: Run, evaluator: str) -> Any:
    """The scores of an evaluator; those of a finished run never change, so they are read once."""
    return run.scores(evaluator) if run.finished is None else _known_scores(str(run.path), run.id, evaluator)


@lru_cache(maxsize=8)
def _known_scores(path: str, identity: str, evaluator: str) -> Any:
    return open_run(Path(path).parents[1], identity).scores(evaluator)


def _ordered(rows: NDArray[np.int64], position: NDArray[Any], score: NDArray[Any], order: Order) -> NDArray[np.int64]:
    if order == "case":
        return rows[np.argsort(position[rows], kind="stable")]
    sign = 1 if order == "score" else -1
    return rows[np.lexsort((position[rows], sign * score[rows]))]


def _compared(run: Run, wanted: Wanted) -> NDArray[Any] | None:
    """The positions of cases with a comparison of that field, outcome or cause; None where nobody asked."""
    if wanted.field is None and wanted.outcome is None and wanted.cause is None:
        return None
    found: list[NDArray[Any]] = []
    for part in run.parts:
        for file in files_of(part, "comparisons", wanted.evaluator):
            table = read_table(run.path, file, columns=["case", "field", "outcome", "cause"])
            kept = np.ones(table.num_rows, dtype=np.bool_)
            for name in ("field", "outcome", "cause"):
                value = getattr(wanted, name)
                if value is not None:
                    kept &= _equal(table.column(name), value)
            found.append(table.column("case").to_numpy()[kept])
    return np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)


def _equal(column: Any, value: str) -> NDArray[np.bool_]:
    texts = pc.cast(column, pyarrow.string())
    if value == "wrong":
        return ~np.asarray(pc.is_in(texts, pyarrow.array(UNTOLD)))
    return np.asarray(pc.fill_null(pc.equal(texts, value), False))


def _labelled(run: Run, wanted: Wanted) -> NDArray[Any] | None:
    """The positions of cases with that tag or in that split; None where nobody asked."""
    if wanted.tag is None and wanted.split is None:
        return None
    found: list[int] = []
    for part in run.parts:
        for file in files_of(part, "cases"):
            table = read_table(run.path, file, columns=["case", "tags", "split"])
            found += [
                case
                for case, tags, split in zip(*(table.column(name).to_pylist() for name in ("case", "tags", "split")), strict=True)
                if wanted.tag in (None, *(tags or ())) and wanted.split in (None, split)
            ]
    return np.array(found, dtype=np.int64)
