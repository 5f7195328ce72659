"""The metrics of a stored run, case by case, and the comparison of two runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fieldwise.model.change import Changes
from fieldwise.model.provenance import name_data
from fieldwise.registry import EVALUATORS, EvaluatorSpec
from fieldwise.store.arrow_tables import GROUP_COLUMN, METRIC_PREFIX, VERDICTS, ArrowTable, encode_names, numpy_array
from fieldwise.store.expected_changes import find_changed_expected, note_changed_expected
from fieldwise.store.load_part import labels_from_column
from fieldwise.store.part_reader import list_part_files, read_table
from fieldwise.store.run import Run
from fieldwise.summarize.compare import Adjust, EvaluatorMeasurements, adjust_together, compare_evaluator
from fieldwise.summarize.vacuous import leave_out_vacuous


def _ignore_progress(share: float) -> None:
    del share


def compare_runs(base: Run, new: Run, *, adjust: Adjust = "holm", on_progress: Callable[[float], None] = _ignore_progress) -> Changes:
    """Compare two runs over the cases that both have, evaluator by evaluator. `on_progress` gets the share that is done."""
    ids = list_case_ids(base)
    on_progress(0.05)
    notes = [f"run {run.id} did not finish" for run in (base, new) if run.finished is None]
    notes += [f"run {run.id} is invalid" for run in (base, new) if run.state == "invalid"]
    if base.manifest.fingerprints.get("suite") != new.manifest.fingerprints.get("suite"):
        same_rules = base.manifest.package == new.manifest.package and rule_fingerprints(base) == rule_fingerprints(new)
        notes.append("the suites differ, but not in their rules" if same_rules else "the suites differ")
    if base.manifest.fingerprints.get("corrections") != new.manifest.fingerprints.get("corrections"):
        notes.append("the corrections of expected values differ, so a change may come from them")
    notes += note_changed_rules(rule_fingerprints(base), base.manifest.package, new)
    new_ids = list_case_ids(new)
    notes += note_changed_expected(len(find_changed_expected(base, ids, new, new_ids)), len(set(ids) & set(new_ids)))
    on_progress(0.4)
    measurements: dict[str, EvaluatorMeasurements] = {}
    for place, name in enumerate(base.evaluators):
        measurements[name] = load_metrics(base, name, ids)
        on_progress(0.4 + 0.2 * (place + 1) / len(base.evaluators))
    changes = compare_metrics(base.id, measurements, _evaluator_versions(base), ids, new, notes=notes, adjust=adjust)
    labels = base.label or name_data(base.sources), new.label or name_data(new.sources)
    return changes if labels[0] == labels[1] else replace(changes, base_label=labels[0], new_label=labels[1])


def compare_every_pair(
    runs: Sequence[Run], *, adjust: Adjust = "holm", compare: Callable[[Run, Run], Changes] = compare_runs
) -> dict[tuple[int, int], Changes]:
    """Compare every pair of runs, by their positions. All pairs are adjusted together. `compare` may look up what is known already."""
    pairs = list(combinations(range(len(runs)), 2))
    return dict(zip(pairs, adjust_together([compare(runs[base], runs[new]) for base, new in pairs], adjust), strict=True))


def compare_metrics(
    base: str,
    base_measurements: Mapping[str, EvaluatorMeasurements],
    base_versions: Mapping[str, Any],
    base_ids: Sequence[str],
    new: Run,
    *,
    notes: Sequence[str],
    adjust: Adjust,
) -> Changes:
    """Compare the measurements of a base (a run or a baseline, by evaluator) with a run. `base_ids` are the cases of the base."""
    new_ids = list_case_ids(new)
    new_versions = _evaluator_versions(new)
    shared = [name for name in base_measurements if name in new.evaluators]
    changed = [name for name in shared if base_versions[name] != new_versions[name]]
    all_notes = list(notes)
    all_notes += [f"{name} measures something else now: version {new_versions[name]} instead of {base_versions[name]}" for name in changed]
    all_notes += [f"only the base has the evaluator `{name}`" for name in base_measurements if name not in new_versions]
    all_notes += [f"only the new run has the evaluator `{name}`" for name in new_versions if name not in base_measurements]
    in_base, in_new = set(base_ids), set(new_ids)
    changes = Changes(
        base=base,
        new=new.id,
        evaluators={name: compare_evaluator(name, base_measurements[name], load_metrics(new, name, new_ids)) for name in shared},
        only_in_base=[case for case in base_ids if case not in in_new],
        only_in_new=[case for case in new_ids if case not in in_base],
        common_share=_share_of_common_cases(in_base, in_new),
        notes=all_notes,
    )
    return adjust_together([changes], adjust)[0]


def _share_of_common_cases(in_base: set[str], in_new: set[str]) -> float:
    """The share of common cases among those of the larger run."""
    size = max(len(in_base), len(in_new))
    return len(in_base & in_new) / size if size else 0.0


def _evaluator_versions(run: Run) -> dict[str, Any]:
    return {str(evaluator["name"]): evaluator.get("version") for evaluator in run.manifest.evaluators}


def rule_fingerprints(run: Run) -> dict[str, Any]:
    """The fingerprint of the rules and options of each evaluator."""
    return {str(evaluator["name"]): evaluator.get("rules") for evaluator in run.manifest.evaluators}


def note_changed_rules(base_rules: Mapping[str, Any], base_package: str | None, new: Run) -> list[str]:
    """A note for each evaluator that had other rules or options in the base; none for a base of another version of fieldwise.

    Another version may have other options, and so other fingerprints for the same rules.
    """
    if base_package != new.manifest.package:
        return []
    new_rules = rule_fingerprints(new)
    changed = [name for name, rules in base_rules.items() if new_rules.get(name, rules) != rules]
    return [f"the rules of `{name}` differ, so a change may come from them" for name in changed]


def list_case_ids(run: Run) -> list[str]:
    """The ids of all cases of a run, in order."""
    ids: list[str] = []
    for part in run.parts:
        for file in list_part_files(part, "cases"):
            ids += read_table(run.path, file, columns=["id"])["id"].to_pylist()
    return ids


def list_case_groups(run: Run) -> list[str] | None:
    """The group of each case of a run, in order; None if the run has no groups."""
    groups: list[str] = []
    for part in run.parts:
        for file in list_part_files(part, "cases"):
            table = read_table(run.path, file, columns=lambda column: column in ("case", GROUP_COLUMN))
            if GROUP_COLUMN not in table.column_names:
                return None
            groups += table[GROUP_COLUMN].to_pylist()
    return groups or None


def primary_metric(evaluator_type: str) -> str:
    """The metric that decides whether an evaluator changed; `score` for an evaluator that is no longer installed."""
    try:
        return EVALUATORS.find(evaluator_type).primary
    except KeyError:
        return "score"


def count_metrics(evaluator_type: str) -> frozenset[str]:
    """The metrics of an evaluator that are counts; none for an evaluator that is no longer installed."""
    try:
        return frozenset(EVALUATORS.find(evaluator_type).counts)
    except KeyError:
        return frozenset()


def load_metrics(run: Run, evaluator: str, ids: Sequence[str]) -> EvaluatorMeasurements:
    """The metrics of one evaluator for all cases of a run; NaN where a case was not measured."""
    n = len(ids)
    verdict = np.full(n, -1, dtype=np.int8)
    metrics: dict[str, NDArray[Any]] = {"score": np.full(n, np.nan)}
    fields: dict[str, NDArray[Any]] = {}
    spec = _find_same_version(run, evaluator)
    for part in run.parts:
        for file in list_part_files(part, "results", evaluator):
            table = read_table(run.path, file, columns=_is_metric_column)
            cases = numpy_array(table["case"])
            is_measured = _is_measured(table)
            verdict[cases] = np.where(is_measured, encode_names(table["verdict"], VERDICTS), -1)
            for name, values in _metric_columns(table, spec).items():
                metrics.setdefault(name, np.full(n, np.nan))[cases] = np.where(is_measured, values, np.nan)
        for file in list_part_files(part, "comparisons", evaluator):
            _add_field_means(read_table(run.path, file, columns=["case", "field", "similarity", "outcome"]), fields, n)
    evaluator_type = next(str(entry.get("type")) for entry in run.manifest.evaluators if entry["name"] == evaluator)
    return EvaluatorMeasurements(
        ids=ids,
        verdict=verdict,
        metrics=metrics,
        fields=fields,
        groups=list_case_groups(run),
        primary=primary_metric(evaluator_type),
        counts=count_metrics(evaluator_type),
    )


def _metric_columns(table: ArrowTable, spec: EvaluatorSpec | None) -> dict[str, NDArray[np.float64]]:
    """The score and every metric of a table of results, with NaN where a metric had nothing to measure."""
    columns: dict[str, NDArray[np.float64]] = {"score": numpy_array(table["score"])}
    for name in table.column_names:
        if name.startswith(METRIC_PREFIX):
            columns[name.removeprefix(METRIC_PREFIX)] = numpy_array(table[name].cast(pa.float64()), np.nan)
    if spec is None or not (spec.vacuous or spec.unscored):
        return columns
    is_scored = encode_names(table["status"], ("scored",)) == 0
    return leave_out_vacuous(columns, labels_from_column(table["flags"]), is_scored, spec)


def _find_same_version(run: Run, evaluator: str) -> EvaluatorSpec | None:
    """The spec of an evaluator of a run; None if the run was measured by another version of it, whose values stay as they were."""
    for entry in run.manifest.evaluators:
        if entry["name"] == evaluator:
            try:
                spec = EVALUATORS.find(str(entry["type"]))
            except KeyError:
                return None
            return spec if spec.version == entry.get("version") else None
    return None


def _is_measured(table: ArrowTable) -> NDArray[Any]:
    """True for scored cases and failures of the system; false for faults of the measurement, skipped and unavailable cases."""
    status = encode_names(table["status"], ("scored", "error"))
    is_failure = (status == 1) & (encode_names(table["fault"], ("system",)) == 0)
    return (status == 0) | is_failure


def _is_metric_column(column: str) -> bool:
    return column in ("case", "score", "verdict", "status", "fault", "flags") or column.startswith(METRIC_PREFIX)


_UNCOUNTED_OUTCOMES: Final = ("both_absent", "ignored", "fault")


def _add_field_means(table: ArrowTable, fields: dict[str, NDArray[Any]], n: int) -> None:
    """Add to `fields` the mean similarity of each field over the items of each case."""
    if not table.num_rows:
        return
    encoded = table["field"].unify_dictionaries().combine_chunks()
    names: list[str] = encoded.dictionary.to_pylist()
    is_counted = encode_names(table["outcome"], _UNCOUNTED_OUTCOMES) < 0
    code_type = np.int16 if len(names) < 2**15 else np.int32  # NumPy sorts 16-bit integers ten times as fast
    case = numpy_array(table["case"])[is_counted]
    field = numpy_array(encoded.indices)[is_counted].astype(code_type)
    similarity = numpy_array(table["similarity"], 0.0)[is_counted]
    occurring = np.flatnonzero(np.bincount(field, minlength=len(names))).tolist()
    for name in sorted(names[code] for code in occurring):
        if name not in fields:
            fields[name] = np.full(n, np.nan)
    order = np.argsort(field, kind="stable")
    case, similarity = case[order], similarity[order]
    offsets = np.searchsorted(field[order], np.arange(len(names) + 1)).tolist()
    for name, start, stop in zip(names, offsets, offsets[1:], strict=False):
        if stop > start:
            _add_case_means(fields[name], case[start:stop], similarity[start:stop])


def _add_case_means(column: NDArray[Any], case: NDArray[np.int64], values: NDArray[np.float64]) -> None:
    """Set the mean of the values of each case. Values of one case are adjacent."""
    starts = np.flatnonzero(np.r_[True, case[1:] != case[:-1]])
    sizes = np.diff(np.r_[starts, len(case)])
    # reduceat adds in order of the rows: the order decides the last bit of the mean
    column[case[starts]] = np.add.reduceat(values, starts) / sizes
