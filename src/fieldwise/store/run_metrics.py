"""The metrics of a stored run, case by case, and the comparison of two runs."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.statistics import describe_uneven_groups
from fieldwise.model.change import Changes, EvaluatorChange
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.provenance import name_data
from fieldwise.registry import EVALUATORS
from fieldwise.specs import USAGE_METRICS, EvaluatorSpec
from fieldwise.store.arrow_tables import GROUP_COLUMN, METRIC_PREFIX, VERDICTS, ArrowColumn, ArrowTable, encode_names, numpy_array
from fieldwise.store.expected_changes import find_changed_expected, note_changed_expected
from fieldwise.store.field_means import read_field_means
from fieldwise.store.load_part import labels_from_column
from fieldwise.store.part_reader import list_part_files, read_table
from fieldwise.store.run import Run
from fieldwise.summarize.compare import Adjust, EvaluatorMeasurements, adjust_together, compare_evaluator, find_common_rows
from fieldwise.summarize.vacuous import leave_out_vacuous

T = TypeVar("T")


def _ignore_progress(share: float) -> None:
    del share


def _load_both(load_base: Callable[[], T], load_new: Callable[[], T]) -> tuple[T, T]:
    """The results of two functions that run at the same time. Decoding files, most of their work, needs no lock of the interpreter."""
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="fieldwise-compare") as background:
        loading = background.submit(load_new)
        return load_base(), loading.result()


def same_run_error(run: str, fix: str) -> ConfigError:
    """Error for a run that would be compared with itself."""
    return ConfigError([Diagnostic(code="same-run", what=f"run {run} would be compared with itself", fix=fix)])


def compare_runs(base: Run, new: Run, *, adjust: Adjust = "holm", on_progress: Callable[[float], None] = _ignore_progress) -> Changes:
    """Compare two runs over the cases that both have, evaluator by evaluator. `on_progress` gets the share that is done."""
    base_column, new_column = _load_both(partial(_read_case_ids, base), partial(_read_case_ids, new))
    ids: list[str] = base_column.to_pylist()
    new_ids: list[str] = ids if new_column.equals(base_column) else new_column.to_pylist()
    on_progress(0.05)
    notes = [f"run {run.id} did not finish" for run in (base, new) if run.finished is None]
    notes += [f"run {run.id} is invalid" for run in (base, new) if run.state == "invalid"]
    if base.manifest.fingerprints.get("suite") != new.manifest.fingerprints.get("suite"):
        same_rules = base.manifest.package == new.manifest.package and rule_fingerprints(base) == rule_fingerprints(new)
        notes.append("the suites differ, but not in their rules" if same_rules else "the suites differ")
    if base.manifest.fingerprints.get("corrections") != new.manifest.fingerprints.get("corrections"):
        notes.append("the corrections of expected values differ, so a change may come from them")
    notes += note_changed_rules(rule_fingerprints(base), base.manifest.package, new)
    changed_expected = find_changed_expected(base, ids, new, new_ids)
    if changed_expected:
        notes += note_changed_expected(len(changed_expected), len(set(ids) & set(new_ids)))
    measured_base = ComparisonBase(
        id=base.id, cases=ids, versions=_evaluator_versions(base), load=lambda name: load_metrics(base, name, ids)
    )
    changes = compare_metrics(
        measured_base, new, new_ids, notes=notes, adjust=adjust, on_progress=lambda share: on_progress(0.2 + 0.8 * share)
    )
    labels = base.label or name_data(base.sources), new.label or name_data(new.sources)
    return changes if labels[0] == labels[1] else replace(changes, base_label=labels[0], new_label=labels[1])


def compare_every_pair(
    runs: Sequence[Run], *, adjust: Adjust = "holm", compare: Callable[[Run, Run], Changes] = compare_runs
) -> dict[tuple[int, int], Changes]:
    """Compare every pair of runs, by their positions. All pairs are adjusted together. `compare` may look up what is known already."""
    pairs = list(combinations(range(len(runs)), 2))
    return dict(zip(pairs, adjust_together([compare(runs[base], runs[new]) for base, new in pairs], adjust), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonBase:
    """What a run is compared with: another run, or a baseline."""

    id: str
    """The id of the run that was measured."""
    cases: Sequence[str]
    """The ids of its cases."""
    versions: Mapping[str, Any]
    """The version of each evaluator."""
    load: Callable[[str], EvaluatorMeasurements]
    """Returns the measurements of an evaluator."""
    is_sample: bool = False
    """True if it holds some of the cases that were measured."""


def compare_metrics(
    base: ComparisonBase,
    new: Run,
    new_ids: Sequence[str],
    *,
    notes: Sequence[str],
    adjust: Adjust,
    on_progress: Callable[[float], None] = _ignore_progress,
) -> Changes:
    """Compare the measurements of a base with a run, whose cases have these ids. The measurements of one evaluator at a time are loaded."""
    new_versions = _evaluator_versions(new)
    shared = [name for name in base.versions if name in new.evaluators]
    changed = [name for name in shared if base.versions[name] != new_versions[name]]
    all_notes = list(notes)
    all_notes += [f"{name} measures something else now: version {new_versions[name]} instead of {base.versions[name]}" for name in changed]
    all_notes += [f"only the base has the evaluator `{name}`" for name in base.versions if name not in new_versions]
    all_notes += [f"only the new run has the evaluator `{name}`" for name in new_versions if name not in base.versions]
    only_in_base, only_in_new = _list_missing(base.cases, new_ids), _list_missing(new_ids, base.cases)
    size = max(len(base.cases), len(new_ids))
    evaluators: dict[str, EvaluatorChange] = {}
    for name in shared:
        measurements = _load_both(partial(base.load, name), partial(load_metrics, new, name, new_ids))
        if not evaluators:  # all evaluators have the same groups
            all_notes += _note_uneven_groups(*measurements)
        on_progress((len(evaluators) + 0.5) / len(shared))
        evaluators[name] = compare_evaluator(name, *measurements, base_is_sample=base.is_sample)
        on_progress(len(evaluators) / len(shared))
    changes = Changes(
        base=base.id,
        new=new.id,
        evaluators=evaluators,
        only_in_base=only_in_base,
        only_in_new=only_in_new,
        common_share=(len(base.cases) - len(only_in_base)) / size if size else 0.0,
        notes=all_notes,
    )
    return adjust_together([changes], adjust)[0]


def _note_uneven_groups(base: EvaluatorMeasurements, new: EvaluatorMeasurements) -> list[str]:
    """A note if the groups of the common cases differ so much in size that few of them decide the intervals."""
    measurements = base if base.groups is not None else new
    groups = measurements.groups
    if groups is None:
        return []
    base_rows, new_rows = find_common_rows(base.ids, new.ids)
    if base_rows is not new_rows:
        rows = base_rows if measurements is base else new_rows
        groups = [groups[row] for row in rows.tolist()]
    what = describe_uneven_groups(list(Counter(groups).values()))
    return [] if what is None else [f"{what}: read the intervals as too narrow if a large group may change as a whole"]


def _list_missing(ids: Sequence[str], others: Sequence[str]) -> list[str]:
    """The ids that are not among the others."""
    if ids == others:
        return []
    present = set(others)
    return [case for case in ids if case not in present]


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
    return _read_case_ids(run).to_pylist()


def list_case_positions(run: Run) -> NDArray[np.int64]:
    """The positions of all cases of a run, in order. A run that was interrupted may lack some before its last one."""
    ranges = [np.arange(part.first, part.first + part.cases, dtype=np.int64) for part in run.parts]
    return np.concatenate([np.zeros(0, dtype=np.int64), *ranges])


def list_ids_by_position(run: Run) -> list[str]:
    """The id of the case at each position of a run; empty where an interrupted run stored no case."""
    positions = list_case_positions(run).tolist()
    ids = [""] * (max(positions, default=-1) + 1)
    for position, case_id in zip(positions, list_case_ids(run), strict=True):
        ids[position] = case_id
    return ids


def _read_case_ids(run: Run) -> ArrowColumn:
    chunks: list[ArrowColumn] = []
    for part in run.parts:
        for file in list_part_files(part, "cases"):
            chunks += read_table(run.path, file, columns=["id"])["id"].chunks
    return pa.chunked_array(chunks, type=pa.string())


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


def unbounded_metrics(evaluator_type: str) -> frozenset[str]:
    """The metrics of an evaluator, other than counts, that may be above 1; none for an evaluator that is no longer installed."""
    try:
        spec = EVALUATORS.find(evaluator_type)
    except KeyError:
        return frozenset()
    return spec.unbounded_names(None) | frozenset(USAGE_METRICS if spec.is_judge else ())


def load_metrics(run: Run, evaluator: str, ids: Sequence[str]) -> EvaluatorMeasurements:
    """The metrics of one evaluator for all cases of a run; NaN where a case was not measured.

    Fields are columns of 32-bit floats if those hold all of their means exactly, which halves the memory of fields that match or do not.
    """
    n = len(ids)
    verdict = np.full(n, -1, dtype=np.int8)
    metrics: dict[str, NDArray[Any]] = {"score": np.full(n, np.nan)}
    fields: dict[str, NDArray[Any]] = {}
    spec = _find_same_version(run, evaluator)
    part_row = 0
    for part in run.parts:
        shift = part_row - part.first  # from positions to rows: below 0 after cases that an interrupted run did not store
        part_row += part.cases
        for file in list_part_files(part, "results", evaluator):
            table = read_table(run.path, file, columns=_is_metric_column)
            rows = _as_slice(numpy_array(table["case"]), shift)
            is_measured = _is_measured(table)
            verdict[rows] = np.where(is_measured, encode_names(table["verdict"], VERDICTS), -1)
            for name, values in _metric_columns(table, spec).items():
                if name not in metrics:
                    metrics[name] = np.full(n, np.nan)
                metrics[name][rows] = np.where(is_measured, values, np.nan)
        for field, cases, means in read_field_means(run.path, part, evaluator):
            if field not in fields:
                fields[field] = np.full(n, np.nan, dtype=np.float32)
            if fields[field].dtype == np.float32 and not np.array_equal(means.astype(np.float32), means):
                fields[field] = fields[field].astype(np.float64)
            fields[field][_as_slice(cases, shift)] = means
    evaluator_type = next(str(entry.get("type")) for entry in run.manifest.evaluators if entry["name"] == evaluator)
    return EvaluatorMeasurements(
        ids=ids,
        verdict=verdict,
        metrics=metrics,
        fields=fields,
        groups=list_case_groups(run),
        primary=primary_metric(evaluator_type),
        counts=count_metrics(evaluator_type),
        unbounded=unbounded_metrics(evaluator_type),
    )


def _as_slice(cases: NDArray[Any], shift: int) -> slice | NDArray[Any]:
    """The rows of cases at these positions, as a slice if they are consecutive, as those of a part mostly are.

    Copying a slice is ten times as fast.
    """
    is_consecutive = len(cases) > 0 and cases[-1] - cases[0] == len(cases) - 1 and bool(np.all(np.diff(cases) == 1))
    return slice(int(cases[0]) + shift, int(cases[-1]) + 1 + shift) if is_consecutive else cases + shift


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
