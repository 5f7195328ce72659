"""What a stored run measured, case by case, for comparing it with another."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from fieldwise.model.change import Changes
from fieldwise.store.arrow_tables import METRIC_PREFIX, VERDICTS, ArrowTable
from fieldwise.store.part_reader import list_part_files, read_table
from fieldwise.store.run import Run
from fieldwise.summarize.compare import Adjust, Measured, compare_evaluator

pc: Any = pyarrow.compute  # its functions are made at run time, so no checker knows them


def compare_runs(base: Run, new: Run, *, adjust: Adjust = "holm") -> Changes:
    """Two runs over the cases that both have, evaluator by evaluator."""
    ids = list_case_ids(base)
    notes = [f"run {run.id} did not finish" for run in (base, new) if run.state != "finished"]
    if base.manifest.fingerprints.get("suite") != new.manifest.fingerprints.get("suite"):
        notes.append("the suites differ")
    found = {name: load_metrics(base, name, ids) for name in base.evaluators}
    return compare_metrics(base.id, found, _evaluator_versions(base), ids, new, notes=notes, adjust=adjust)


def compare_metrics(
    base: str,
    found: Mapping[str, Measured],
    versions: Mapping[str, Any],
    ids: Sequence[str],
    new: Run,
    *,
    notes: Sequence[str],
    adjust: Adjust,
) -> Changes:
    """What was measured before, compared with a run. `ids` are the cases that were measured before."""
    theirs = list_case_ids(new)
    known, others = set(ids), set(theirs)
    shared = [name for name in found if name in new.evaluators]
    since = _evaluator_versions(new)
    told = [
        f"{name} measures something else now: version {since[name]} instead of {versions[name]}"
        for name in shared
        if versions[name] != since[name]
    ]
    told += [
        f"only the {which} has the evaluator `{name}`"
        for which, names, rest in (("base", found, since), ("new run", since, found))
        for name in names
        if name not in rest
    ]
    return Changes(
        base=base,
        new=new.id,
        evaluators={name: compare_evaluator(name, found[name], load_metrics(new, name, theirs), adjust) for name in shared},
        only_in_base=[case for case in ids if case not in others],
        only_in_new=[case for case in theirs if case not in known],
        notes=[*notes, *told],
    )


def _evaluator_versions(run: Run) -> dict[str, Any]:
    return {str(one["name"]): one.get("version") for one in run.manifest.evaluators}


def list_case_ids(run: Run) -> list[str]:
    """The ids of all cases of a run, in order."""
    return [
        case
        for part in run.parts
        for file in list_part_files(part, "cases")
        for case in read_table(run.path, file, columns=["id"])["id"].to_pylist()
    ]


def load_metrics(run: Run, evaluator: str, ids: Sequence[str]) -> Measured:
    """The numbers of one evaluator for all cases of a run; what was not measured is NaN."""
    n = len(ids)
    verdict = np.full(n, -1, dtype=np.int8)
    metrics: dict[str, NDArray[Any]] = {"score": np.full(n, np.nan)}
    fields: dict[str, NDArray[Any]] = {}
    for part in run.parts:
        for file in list_part_files(part, "results", evaluator):
            table = read_table(run.path, file, columns=_is_metric_column)
            rows = np.asarray(table["case"])
            known = _encode_names(table["verdict"], VERDICTS)
            counts = _is_measured(table)
            verdict[rows] = np.where(counts, known, -1)
            metrics["score"][rows] = np.where(counts, np.asarray(table["score"]), np.nan)
            for name in table.column_names:
                if name.startswith(METRIC_PREFIX):
                    column = metrics.setdefault(name.removeprefix(METRIC_PREFIX), np.full(n, np.nan))
                    column[rows] = np.where(counts, np.asarray(table[name].cast(pa.float64()).fill_null(np.nan)), np.nan)
        for file in list_part_files(part, "comparisons", evaluator):
            _add_field_means(read_table(run.path, file, columns=["case", "field", "similarity", "outcome"]), fields, n)
    return Measured(ids=ids, verdict=verdict, metrics=metrics, fields=fields)


def _is_measured(table: ArrowTable) -> NDArray[Any]:
    """Scored cases and failures of the system; not faults of ours, nor what was skipped or unavailable."""
    status = pc.cast(table["status"], pa.string())
    failed = pc.and_(pc.equal(status, "error"), pc.equal(pc.fill_null(pc.cast(table["fault"], pa.string()), ""), "system"))
    return np.asarray(pc.or_(pc.equal(status, "scored"), failed))


def _is_metric_column(column: str) -> bool:
    return column in ("case", "score", "verdict", "status", "fault") or column.startswith(METRIC_PREFIX)


def _encode_names(column: Any, names: Sequence[str]) -> NDArray[np.int8]:
    """For each text of a column its place among some names; -1 for none."""
    found = pc.index_in(pc.cast(column, pa.string()), pa.array(names))
    return np.asarray(pc.fill_null(found, -1)).astype(np.int8)


_UNCOUNTED_OUTCOMES: Final = ("both_absent", "ignored", "fault")


def _add_field_means(table: ArrowTable, fields: dict[str, NDArray[Any]], n: int) -> None:
    """For each field its mean over the items of each case."""
    if not table.num_rows:
        return
    coded = table["field"].unify_dictionaries().combine_chunks()
    names: list[str] = coded.dictionary.to_pylist()
    counts = _encode_names(table["outcome"], _UNCOUNTED_OUTCOMES) < 0
    narrow = np.int16 if len(names) < 2**15 else np.int32  # NumPy sorts small numbers ten times as fast
    case, field = np.asarray(table["case"])[counts], np.asarray(coded.indices)[counts].astype(narrow)
    similarity = np.asarray(pc.fill_null(table["similarity"], 0.0))[counts]
    for code in sorted(np.flatnonzero(np.bincount(field, minlength=len(names))).tolist(), key=names.__getitem__):
        if names[code] not in fields:
            fields[names[code]] = np.full(n, np.nan)
    order = np.argsort(field, kind="stable")
    case, similarity = case[order], similarity[order]
    ends = np.searchsorted(field[order], np.arange(len(names) + 1)).tolist()
    for name, start, stop in zip(names, ends, ends[1:], strict=False):
        if stop > start:
            _add_case_means(fields[name], case[start:stop], similarity[start:stop])


def _add_case_means(column: NDArray[Any], case: NDArray[np.int64], values: NDArray[np.float64]) -> None:
    """The mean of the values of each case, which stand together."""
    starts = np.flatnonzero(np.r_[True, case[1:] != case[:-1]])
    sizes = np.diff(np.r_[starts, len(case)])
    column[case[starts]] = np.add.reduceat(values, starts) / sizes
