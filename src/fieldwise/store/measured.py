"""What a stored run measured, case by case, for comparing it with another."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from fieldwise.model.change import Changes
from fieldwise.store.reading import files_of, read_table
from fieldwise.store.run import Run
from fieldwise.store.tables import METRIC, VERDICTS, ArrowTable
from fieldwise.summarize.compare import Adjust, Measured, compare_evaluator

pc: Any = pyarrow.compute  # its functions are made at run time, so no checker knows them


def compare_runs(base: Run, new: Run, *, adjust: Adjust = "holm") -> Changes:
    """Two runs over the cases that both have, evaluator by evaluator."""
    shared = [name for name in base.evaluators if name in new.evaluators]
    ours, theirs = case_ids(base), case_ids(new)
    known, others = set(ours), set(theirs)
    return Changes(
        base=base.id,
        new=new.id,
        evaluators={name: compare_evaluator(name, measured(base, name, ours), measured(new, name, theirs), adjust) for name in shared},
        only_in_base=[case for case in ours if case not in others],
        only_in_new=[case for case in theirs if case not in known],
        notes=_notes(base, new, shared),
    )


def case_ids(run: Run) -> list[str]:
    """The ids of all cases of a run, in order."""
    return [
        case
        for part in run.parts
        for file in files_of(part, "cases")
        for case in read_table(run.path, file, columns=["id"])["id"].to_pylist()
    ]


def measured(run: Run, evaluator: str, ids: Sequence[str]) -> Measured:
    """The numbers of one evaluator for all cases of a run; what was not measured is NaN."""
    n = len(ids)
    verdict = np.full(n, -1, dtype=np.int8)
    metrics: dict[str, NDArray[Any]] = {"score": np.full(n, np.nan)}
    fields: dict[str, NDArray[Any]] = {}
    for part in run.parts:
        for file in files_of(part, "results", evaluator):
            table = read_table(run.path, file)
            rows = np.asarray(table["case"])
            known = np.array([VERDICTS.index(text) if text else -1 for text in table["verdict"].to_pylist()], dtype=np.int8)
            counts = _counts(table)
            verdict[rows] = np.where(counts, known, -1)
            metrics["score"][rows] = np.where(counts, np.asarray(table["score"]), np.nan)
            for name in table.column_names:
                if name.startswith(METRIC):
                    column = metrics.setdefault(name.removeprefix(METRIC), np.full(n, np.nan))
                    column[rows] = np.where(counts, np.asarray(table[name].cast(pa.float64()).fill_null(np.nan)), np.nan)
        for file in files_of(part, "comparisons", evaluator):
            _add_fields(read_table(run.path, file, columns=["case", "field", "similarity", "outcome"]), fields, n)
    return Measured(ids=ids, verdict=verdict, metrics=metrics, fields=fields)


def _counts(table: ArrowTable) -> NDArray[Any]:
    """Scored cases and failures of the system; not faults of ours, nor what was skipped or unavailable."""
    status = pc.cast(table["status"], pa.string())
    failed = pc.and_(pc.equal(status, "error"), pc.equal(pc.fill_null(pc.cast(table["fault"], pa.string()), ""), "system"))
    return np.asarray(pc.or_(pc.equal(status, "scored"), failed))


def _add_fields(table: ArrowTable, fields: dict[str, NDArray[Any]], n: int) -> None:
    outcome = pc.cast(table["outcome"], pa.string())
    kept = table.filter(pc.invert(pc.is_in(outcome, pa.array(["both_absent", "ignored", "fault"]))))
    flat = pa.table(
        {"case": kept["case"], "field": pc.cast(kept["field"], pa.string()), "similarity": pc.fill_null(kept["similarity"], 0.0)}
    )
    means = flat.group_by(["field", "case"]).aggregate([("similarity", "mean")])
    names, cases, values = means["field"].to_pylist(), np.asarray(means["case"]), np.asarray(means["similarity_mean"])
    order = np.argsort(np.array(names, dtype=object), kind="stable") if names else []
    for at in order:
        fields.setdefault(names[at], np.full(n, np.nan))[cases[at]] = values[at]


def _notes(base: Run, new: Run, shared: Sequence[str]) -> list[str]:
    """What makes the comparison less than it seems."""
    notes: list[str] = []
    versions = [{str(one["name"]): one.get("version") for one in run.manifest.evaluators} for run in (base, new)]
    notes += [
        f"{name} measures something else since version {versions[0][name]}: the new run has version {versions[1][name]}"
        for name in shared
        if versions[0][name] != versions[1][name]
    ]
    if base.manifest.fingerprints.get("suite") != new.manifest.fingerprints.get("suite"):
        notes.append("the suites differ")
    notes += [
        f"only the {which} run has the evaluator `{name}`"
        for which, run in (("base", base), ("new", new))
        for name in run.evaluators
        if name not in shared
    ]
    notes += [f"run {run.id} did not finish" for run in (base, new) if run.state != "finished"]
    return notes
