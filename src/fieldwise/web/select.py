"""Which cases of a run are wanted, found without reading more than scores and outcomes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import pyarrow.compute
from numpy.typing import NDArray

from fieldwise.report.lowest import Ranked
from fieldwise.store.reading import files_of, read_table
from fieldwise.store.run import Run

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
    order: Order = "case"


def chosen(run: Run, wanted: Wanted) -> list[Ranked]:
    """The cases that are wanted, in the order that is wanted."""
    table = run.scores(wanted.evaluator)
    if not table.num_rows:
        return []
    position, score = table.column("case").to_numpy(), table.column("score").to_numpy()
    kept = np.ones(table.num_rows, dtype=np.bool_)
    for name in ("verdict", "status"):
        value = getattr(wanted, name)
        if value is not None:
            kept &= np.asarray(pc.fill_null(pc.equal(table.column(name), value), False))
    if wanted.text is not None:
        kept &= np.asarray(pc.match_substring(table.column("id"), wanted.text, ignore_case=True))
    if wanted.low is not None:
        kept &= score >= wanted.low
    if wanted.high is not None:
        kept &= score <= wanted.high
    for found in (_compared(run, wanted), _labelled(run, wanted)):
        if found is not None:
            kept &= np.isin(position, found)
    rows = _ordered(np.flatnonzero(kept), position, score, wanted.order)
    ids = table.column("id").take(rows).to_pylist()
    return [Ranked(int(position[row]), name, float(score[row])) for row, name in zip(rows.tolist(), ids, strict=True)]


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


def page(ranked: Sequence[Ranked], offset: int, limit: int) -> Sequence[Ranked]:
    """Some of them."""
    return ranked[offset : offset + limit]
