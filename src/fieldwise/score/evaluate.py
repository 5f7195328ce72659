"""Runs evaluators on batches, turns their crashes into faults, and decides verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import accumulate, chain
from math import isnan
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.batch import BatchOutcome, EvaluatorOutcome, Records
from fieldwise.model.case import Cases
from fieldwise.model.comparison import ComparisonTable, fill_confidences
from fieldwise.model.comparison_list import ComparisonList
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.options import is_graded_only
from fieldwise.model.plan import Plan, PlannedEvaluator, When
from fieldwise.model.result import EXCLUDED_BY_WHEN, STATUS_LABELS, Labels, Result, Results, Status, fault_result
from fieldwise.model.rule import FieldRule
from fieldwise.model.services import Services
from fieldwise.model.values import MISSING, Missing, json_kind
from fieldwise.read.records_in_text import CUT_OFF, NO_RECORD
from fieldwise.registry import EVALUATORS
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.guard import Success, call_guarded
from fieldwise.score.judges import judge_cases
from fieldwise.score.redact import redact_outcome
from fieldwise.specs import EvaluatorSpec

_ABSENT_TYPES = frozenset((type(None), Missing))
PASS, PARTIAL, FAIL, NONE = 2, 1, 0, -1
_PERFECT_SLACK: Final = 1e-9
# as plain integers: NumPy takes several times as long to compare an array with a member of an enum
_SCORED, _ERROR = int(Status.SCORED), int(Status.ERROR)
VERDICTS = {PASS: "pass", PARTIAL: "partial", FAIL: "fail", NONE: None}


def score_batch(plan: Plan, cases: Cases, first: int = 0, services: Services | None = None) -> BatchOutcome:
    """The results of every evaluator of the plan for a batch of cases; `first` is the position of the batch in the run."""
    batch = ScoringBatch(cases, services, confidence=plan.confidence)
    outcomes: list[EvaluatorOutcome] = []
    for planned in plan.evaluators:
        rows = applicable_rows(planned.when, cases)
        results = evaluate(planned, batch.select_cases(rows.tolist()))
        outcomes.append(EvaluatorOutcome(evaluator=planned, rows=rows, results=results))
    return redact_outcome(plan.redact, BatchOutcome(first=first, cases=cases, evaluated=outcomes))


def applicable_rows(when: When | None, cases: Cases) -> NDArray[np.int64]:
    """The positions of the cases that a `when` filter selects."""
    if when is None:
        return np.arange(len(cases), dtype=np.int64)
    return np.array([row for row in range(len(cases)) if _is_selected(when, cases, row)], dtype=np.int64)


_MAX_FILTER_NAMES: Final = 200
"""After this many tags or splits no further ones are collected."""


class FilterMatches:
    """The filters of a run, and those of them that no case has matched so far."""

    def __init__(self, only: When) -> None:
        self._only = only
        filters = [When(id=(text,)) for text in only.id]
        filters += [When(tag=(name,)) for name in only.tag]
        filters += [When(split=(name,)) for name in only.split]
        self.unmatched = filters
        """Filters of one condition each."""
        self.tags: dict[str, None] = {}
        """The first tags of the cases in order, for the advice on filters that match none."""
        self.splits: dict[str, None] = {}
        """The first splits, for the same purpose."""
        self._groups: set[str] = set()
        self._groups_elsewhere: set[str] = set()

    def select_rows(self, cases: Cases) -> list[int]:
        """The positions of the cases that all filters together select."""
        if self.unmatched:
            self.unmatched = [part for part in self.unmatched if not len(applicable_rows(part, cases))]
            self._collect_names(cases)
        rows: list[int] = applicable_rows(self._only, cases).tolist()
        if self._only.split and cases.group:
            self._groups.update(cases.group[row] for row in rows)
            splits = zip(cases.split, cases.group, strict=True)
            self._groups_elsewhere.update(group for split, group in splits if split is not None and split not in self._only.split)
        return rows

    def _collect_names(self, cases: Cases) -> None:
        if any(part.tag for part in self.unmatched) and len(self.tags) < _MAX_FILTER_NAMES:
            self.tags.update(dict.fromkeys(chain.from_iterable(cases.tags)))
        if any(part.split for part in self.unmatched) and len(self.splits) < _MAX_FILTER_NAMES:
            self.splits.update(dict.fromkeys(split for split in cases.split if split is not None))

    @property
    def divided_groups(self) -> list[str]:
        """Groups with selected cases that also have cases in other splits."""
        return sorted(self._groups & self._groups_elsewhere)


def _is_selected(when: When, cases: Cases, row: int) -> bool:
    return (
        (not when.id or cases.id[row] in when.id or any(fnmatchcase(cases.id[row], pattern) for pattern in when.id))
        and (not when.tag or any(tag in cases.tags[row] for tag in when.tag))
        and (not when.split or cases.split[row] in when.split)
        and (when.contexts is None or bool(cases.contexts[row]) == when.contexts)
    )


def evaluate(planned: PlannedEvaluator, batch: ScoringBatch) -> Results:
    """One evaluator's results for a batch, with verdicts."""
    entry = EVALUATORS.find(planned.type)
    batch = batch.with_repair(planned.repair)
    partition = partition_cases(entry, planned, batch)
    part = batch.select_cases(partition.evaluated)
    failed = {at: partition.failed[row] for at, row in enumerate(partition.evaluated) if row in partition.failed}
    if entry.is_judge:
        results = judge_cases(entry, planned, part.cases, failed, batch.services.asker)
    elif entry.reads == "text" and any(accepted_values(value) for value in part.cases.expected):
        results = _score_accepted_texts(entry, planned, part)
    else:
        results = _call_evaluator(entry, planned, part)
    results.kinds = _metric_kinds(results, entry)
    mark_failed_cases(results, failed, entry)
    if partition.excluded:
        results = _add_excluded_cases(results, partition.evaluated, partition.excluded, len(batch))
    _add_repairs(results, entry, batch)
    results.verdict = decide_verdicts(results, planned)
    return results


def evaluate_every_case(planned: PlannedEvaluator, batch: ScoringBatch) -> Results:
    """An evaluator's results for every case of a batch; cases that its `when` excludes are skipped."""
    rows: list[int] = applicable_rows(planned.when, batch.cases).tolist()
    results = evaluate(planned, batch.select_cases(rows))
    if len(rows) == len(batch):
        return results
    excluded = {row: Result(status="skipped", reasoning=EXCLUDED_BY_WHEN) for row in set(range(len(batch))) - set(rows)}
    results = _add_excluded_cases(results, rows, excluded, len(batch))
    results.verdict = decide_verdicts(results, planned)
    return results


def _metric_kinds(results: Results, entry: EvaluatorSpec) -> dict[str, type]:
    """The metrics that are counts (int) or yes/no (bool)."""
    flags = {name: bool for name, column in results.metrics.items() if column.dtype == np.bool_}
    return {**flags, **results.kinds, **dict.fromkeys(entry.counts, int)}


@dataclass(frozen=True, slots=True)
class CasePartition:
    """The rows of a batch by what happens to them."""

    evaluated: list[int]
    """Rows that the evaluator sees."""
    failed: dict[int, str]
    """Of those, the rows in which the system under test failed, and why: the evaluator's score is replaced by 0."""
    excluded: dict[int, Result]
    """The other rows with their results: skipped, or a fault of the expected data."""


def partition_cases(entry: EvaluatorSpec, planned: PlannedEvaluator, batch: ScoringBatch) -> CasePartition:
    """Decide by absent and unreadable values which cases the evaluator sees."""
    cases = batch.cases
    unreadable = _unreadable_sides(entry, batch)
    has_problems = bool(unreadable) or bool(cases.diagnostics)
    has_choices = entry.reads == "text" and any(accepted_values(value) is not None for value in cases.expected)
    if not has_problems and not has_choices and _ABSENT_TYPES.isdisjoint(map(type, chain(cases.expected, cases.actual))):
        return CasePartition(list(range(len(batch))), {}, {})
    partition = CasePartition([], {}, {})
    for row, (expected, actual) in enumerate(zip(cases.expected, cases.actual, strict=True)):
        expected_problem, actual_problem = _problems_of_case(cases, unreadable, row) if has_problems else (None, None)
        if expected_problem:
            partition.excluded[row] = fault_result(expected_problem)
            if "expected" in unreadable.get(row, {}):  # problems of other kinds are among the diagnostics of the case already
                batch.services.report(Diagnostic(code="unreadable-expected", what=expected_problem, where=cases.locate(row)))
            continue
        accepts_no_text = has_choices and accepted_values(expected) == []
        if entry.needs_expected and (expected is None or expected is MISSING or accepts_no_text):
            partition.excluded[row] = Result(status="skipped", reasoning="nothing is expected of this case")
            continue
        partition.evaluated.append(row)
        if actual_problem:
            partition.failed[row] = actual_problem
        elif (actual is None or actual is MISSING) and not _has_other_output(entry, planned, cases, row):
            partition.failed[row] = "the output is null" if actual is None else "there is no output"
    return partition


def _unreadable_sides(entry: EvaluatorSpec, batch: ScoringBatch) -> Mapping[int, Mapping[str, str]]:
    """By row, the sides that are no record although the evaluator reads them. An unread `expected` may be prose."""
    if entry.reads != "records":
        return {}
    unreadable = batch.records.unreadable
    if entry.needs_object:
        unreadable = {**unreadable, **_find_other_types(batch.records)}
    if entry.needs_expected:
        return unreadable
    by_row = {row: {"actual": sides["actual"]} for row, sides in unreadable.items() if "actual" in sides}
    if entry.reads_scalars:
        return {row: sides for row, sides in by_row.items() if sides["actual"] != NO_RECORD}
    return by_row


def _find_other_types(records: Records) -> dict[int, dict[str, str]]:
    """By row, outputs that are a list or a scalar where an object is expected."""
    if {dict}.issuperset(map(type, records.actual)):
        return {}
    others: dict[int, dict[str, str]] = {}
    for row, (expected, actual) in enumerate(zip(records.expected, records.actual, strict=True)):
        is_object_expected = isinstance(expected, Mapping) and accepted_values(expected) is None
        if is_object_expected and actual is not None and actual is not MISSING and not isinstance(actual, Mapping):
            others[row] = {"actual": f"it is a {json_kind(actual)}, and an object is expected"}
    return others


def _has_other_output(entry: EvaluatorSpec, planned: PlannedEvaluator, cases: Cases, row: int) -> bool:
    """True if a case without `actual` has the output that the evaluator measures, such as contexts."""
    has_output = entry.has_output
    return has_output is not None and has_output(cases.at(row), planned.config)


def _problems_of_case(cases: Cases, unreadable: Mapping[int, Mapping[str, str]], row: int) -> tuple[str | None, str | None]:
    """The problem of the expected side (or of the whole line), and that of the actual side."""
    expected_problem = actual_problem = None
    for diagnostic in cases.diagnostics.get(row, ()):
        if diagnostic.code in ("unreadable-case", "unreadable-expected"):
            expected_problem = diagnostic.what
        elif diagnostic.code == "unreadable-actual":
            actual_problem = diagnostic.what
    sides = unreadable.get(row, {})
    if "expected" in sides:
        expected_problem = f"the expected data cannot be read: {sides['expected']}"
    if "actual" in sides:
        actual_problem = f"the output cannot be read: {sides['actual']}"
    return expected_problem, actual_problem


def _call_evaluator(entry: EvaluatorSpec, planned: PlannedEvaluator, batch: ScoringBatch) -> Results:
    """The evaluator's results. A batch that makes it crash is halved until the crash is one case, and that case is a fault."""
    if not len(batch):
        return Results.from_results([])
    call = call_guarded(partial(entry.function, batch, planned.config))
    if isinstance(call, Success):
        return call.value
    if len(batch) == 1:
        return Results.from_results([fault_result(f"{planned.name} crashed: {call.message}")])
    half = len(batch) // 2
    rows = list(range(len(batch)))
    first = _call_evaluator(entry, planned, batch.select_cases(rows[:half]))
    second = _call_evaluator(entry, planned, batch.select_cases(rows[half:]))
    return join_results([first, second])


def _score_accepted_texts(entry: EvaluatorSpec, planned: PlannedEvaluator, batch: ScoringBatch) -> Results:
    """The evaluator's results where cases accept several texts (`{"$any": […]}`): against the one with the highest score."""
    rows: list[int] = []
    texts: list[Any] = []
    for row, value in enumerate(batch.cases.expected):
        accepted = [text for text in accepted_values(value) or () if text is not None] or [value]
        rows += [row] * len(accepted)
        texts += accepted
    results = _call_evaluator(entry, planned, batch.with_cases(replace(batch.cases.take(rows), expected=texts)))
    best: dict[int, int] = {}
    for position, row in enumerate(rows):
        if row not in best or results.score[position] > results.score[best[row]]:
            best[row] = position
    return _take_results(results, list(best.values()))


def _take_results(results: Results, rows: Sequence[int]) -> Results:
    """The results at these rows, of an evaluator without comparisons and pooled columns."""
    at = np.array(rows, dtype=np.int64)

    def details(row: int) -> Mapping[str, Any]:
        return results.details(rows[row])

    return replace(
        results,
        score=results.score[at],
        status=results.status[at],
        hits=Labels.of(results.hits.at(row) for row in rows),
        misses=Labels.of(results.misses.at(row) for row in rows),
        flags=None if results.flags is None else Labels.of(results.flags.at(row) for row in rows),
        reasoning=[results.reasoning[row] for row in rows],
        metrics={name: column[at] for name, column in results.metrics.items()},
        details=details,
        passes_without_hits=None if results.passes_without_hits is None else results.passes_without_hits[at],
    )


def mark_failed_cases(results: Results, failed: Mapping[int, str], entry: EvaluatorSpec) -> None:
    """Make the rows in which the system failed errors: score 0, no hits, and 0 in every mean."""
    if not failed:
        return
    rows = np.array(list(failed), dtype=np.int64)
    results.score = _copy_with(results.score, rows, 0.0)
    results.status = _copy_with(results.status, rows, Status.ERROR)
    metrics: dict[str, NDArray[Any]] = {}
    for name, column in results.metrics.items():
        # NaN stays NaN: a metric that has no number for this case, such as a mean distance without any pair
        measured = rows[~np.isnan(column[rows])]
        metrics[name] = column if name in (*entry.counts, *entry.kept) else _copy_with(column, measured, 0)
    results.metrics = metrics
    hits: list[Sequence[str]] = []
    misses: list[Sequence[str]] = []
    for row in range(len(results)):
        hits.append([] if row in failed else results.hits.at(row))
        row_misses = results.misses.at(row)
        misses.append([f"({failed[row]})"] if row in failed and not row_misses else row_misses)
    results.hits, results.misses = Labels.of(hits), Labels.of(misses)
    results.reasoning = [failed.get(row, reason) for row, reason in enumerate(results.reasoning)]
    details = results.details
    results.details = lambda row: {**details(row), "fault": "system", "reason": failed[row]} if row in failed else details(row)


def _copy_with(column: NDArray[Any], rows: NDArray[np.int64], value: float) -> NDArray[Any]:
    """A copy with these rows set: an evaluator may share one array between metrics, or keep it."""
    column = column.copy()
    column[rows] = value
    return column


def _add_excluded_cases(results: Results, rows: Sequence[int], excluded: Mapping[int, Result], size: int) -> Results:
    """Results for `size` cases, from the evaluator's results for `rows` and those of the excluded cases."""
    position_of = {row: position for position, row in enumerate(rows)}
    at = np.array(rows, dtype=np.int64)
    score, status = np.zeros(size, dtype=np.float64), np.zeros(size, dtype=np.uint8)
    score[at], status[at] = results.score, results.status
    for row, result in excluded.items():
        status[row] = Status[result.status.upper()]
    pool = dict[str, NDArray[Any]](results.pool)
    if "case" in pool:
        pool["case"] = at[pool["case"]]

    def spread_labels(labels: Labels, others: Mapping[int, Sequence[str]]) -> Labels:
        return Labels.of(labels.at(position_of[row]) if row in position_of else others.get(row, ()) for row in range(size))

    def spread_comparisons(table: ComparisonTable | None) -> ComparisonTable | None:
        return None if table is None else replace(table, cases=size, case=at[table.case].astype(np.int32))

    def details(row: int) -> Mapping[str, Any]:
        return results.details(position_of[row]) if row in position_of else excluded[row].details

    return replace(
        results,
        score=score,
        status=status,
        hits=spread_labels(results.hits, {}),
        misses=spread_labels(results.misses, {row: result.misses for row, result in excluded.items()}),
        flags=None if results.flags is None else spread_labels(results.flags, {}),
        reasoning=[results.reasoning[position_of[row]] if row in position_of else excluded[row].reasoning for row in range(size)],
        metrics={name: _spread_column(column, at, size) for name, column in results.metrics.items()},
        details=details,
        comparisons=spread_comparisons(results.comparisons),
        member_comparisons=spread_comparisons(results.member_comparisons),
        pool=pool,
        passes_without_hits=_spread_mask(results.passes_without_hits, at, size),
    )


def _spread_mask(mask: NDArray[np.bool_] | None, at: NDArray[np.int64], size: int) -> NDArray[np.bool_] | None:
    """A mask at its rows, False elsewhere."""
    if mask is None:
        return None
    spread = np.zeros(size, dtype=np.bool_)
    spread[at] = mask
    return spread


def _spread_column(column: NDArray[Any], at: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    """A metric column at its rows, NaN elsewhere."""
    spread = np.full(size, np.nan, dtype=np.float64)
    spread[at] = column
    return spread


def _add_repairs(results: Results, entry: EvaluatorSpec, batch: ScoringBatch) -> None:
    """Tell in reasoning, details and flags which repairs were needed to read the records of a case."""
    if entry.reads != "records" or not batch.records.repairs:
        return
    repairs, details = batch.records.repairs, results.details
    flags = {row: _repair_flags(texts) for row, texts in repairs.items()}

    def details_with_repairs(row: int) -> Mapping[str, Any]:
        if row not in repairs:
            return details(row)
        own_details = details(row)
        return {**own_details, "repairs": repairs[row], "flags": [*own_details.get("flags", ()), *flags[row]]}

    own_flags = results.flags
    results.details = details_with_repairs
    results.flags = Labels.of([*(own_flags.at(row) if own_flags else ()), *flags.get(row, ())] for row in range(len(results)))
    results.reasoning = [
        f"{text}; read after repair ({'; '.join(repairs[row])})" if row in repairs else text for row, text in enumerate(results.reasoning)
    ]


def _repair_flags(repairs: Sequence[str]) -> list[str]:
    flags = ["repaired_json"]
    if f"actual: {CUT_OFF}" in repairs:
        flags.append("cut_off_output")
    return flags


def decide_verdicts(results: Results, planned: PlannedEvaluator) -> NDArray[np.int8]:
    """Pass, partial, fail or none: with `pass_at` by the score alone, else by hits, misses and score.

    An evaluator that is graded only, without a cut between hit and miss, passes nothing but a perfect score.
    """
    pass_at = planned.pass_at
    if pass_at is None and is_graded_only(planned.config):
        verdict = np.where(results.score >= 1 - _PERFECT_SLACK, PASS, np.where(results.score > 0, PARTIAL, FAIL))
    elif pass_at is None:
        no_hits, no_misses = results.hits.counts() == 0, results.misses.counts() == 0
        if results.passes_without_hits is not None:
            no_hits &= ~results.passes_without_hits
        verdict = np.where(no_hits | (results.score <= 0), FAIL, np.where(no_misses, PASS, PARTIAL))
    else:
        slack = 1e-9 * pass_at + 4 * np.spacing(pass_at)  # a score of 0.9 may be computed as 0.8999999999999999
        verdict = np.where(results.score >= pass_at - slack, PASS, FAIL)
        verdict = np.where(results.status == _ERROR, FAIL, verdict)
    is_judged = (results.status == _SCORED) | (results.status == _ERROR)
    return np.where(is_judged, verdict, NONE).astype(np.int8)


def result_at(results: Results, row: int) -> Result:
    """The result of one case."""
    metrics: dict[str, float | bool] = {}
    for name, column in results.metrics.items():
        value = column[row].item()
        if not isnan(value):  # NaN: this case has no such number
            metrics[name] = results.kinds.get(name, type(value))(value)
    verdict: Any = VERDICTS[int(results.verdict[row])] if len(results.verdict) else None
    return Result(
        score=float(results.score[row]),
        verdict=verdict,
        hits=results.hits.at(row),
        misses=results.misses.at(row),
        reasoning=results.reasoning[row],
        status=STATUS_LABELS[results.status[row]],
        metrics=metrics,
        details=dict(results.details(row)),
        comparisons=ComparisonList(results.comparisons.of_case(row) if results.comparisons is not None else ()),
    )


def join_results(parts: Sequence[Results]) -> Results:
    """The results of consecutive parts of a batch as one."""
    starts = [0, *accumulate(len(part) for part in parts)]
    sources = [(part, row) for part in parts for row in range(len(part))]
    placed = list(zip(starts, parts, strict=False))
    compared = [(start, part.comparisons) for start, part in placed if part.comparisons is not None]
    compared_members = [(start, part.member_comparisons) for start, part in placed if part.member_comparisons is not None]

    def details(row: int) -> Mapping[str, Any]:
        part, part_row = sources[row]
        return part.details(part_row)

    return Results(
        score=np.concatenate([part.score for part in parts]),
        status=np.concatenate([part.status for part in parts]),
        hits=Labels.of(part.hits.at(row) for part, row in sources),
        misses=Labels.of(part.misses.at(row) for part, row in sources),
        reasoning=[part.reasoning[row] for part, row in sources],
        metrics=_join_metrics(parts),
        details=details,
        comparisons=_join_comparisons(compared, starts[-1]) if compared else None,
        member_comparisons=_join_comparisons(compared_members, starts[-1]) if compared_members else None,
        pool=_join_pools(parts, starts),
        flags=_join_flags(sources),
        kinds={name: kind for part in parts for name, kind in part.kinds.items()},
        passes_without_hits=_join_masks(parts),
    )


def _join_masks(parts: Sequence[Results]) -> NDArray[np.bool_] | None:
    masks = [part.passes_without_hits for part in parts]
    if all(mask is None for mask in masks):
        return None
    sized = [np.zeros(len(part), dtype=np.bool_) if mask is None else mask for part, mask in zip(parts, masks, strict=True)]
    return np.concatenate(sized)


def _join_flags(sources: Sequence[tuple[Results, int]]) -> Labels | None:
    if all(part.flags is None for part, _ in sources):
        return None
    return Labels.of(part.flags.at(row) if part.flags else [] for part, row in sources)


def _join_metrics(parts: Sequence[Results]) -> dict[str, NDArray[Any]]:
    """The metric columns of all parts; NaN where a part has no such metric."""
    names = dict.fromkeys(chain.from_iterable(part.metrics for part in parts))
    return {name: np.concatenate([part.metrics.get(name, np.full(len(part), np.nan)) for part in parts]) for name in names}


def _join_pools(parts: Sequence[Results], starts: Sequence[int]) -> dict[str, NDArray[Any]]:
    """The pooled columns of all parts; `case` continues from part to part."""
    pools = [(start, part.pool) for start, part in zip(starts, parts, strict=False) if part.pool]
    names = pools[0][1] if pools else ()
    return {name: np.concatenate([pool[name] + start if name == "case" else pool[name] for start, pool in pools]) for name in names}


def _join_comparisons(parts: Sequence[tuple[int, ComparisonTable]], cases: int) -> ComparisonTable:
    """The comparisons of several parts as one, grouped by field again. Each part comes with the position of its first case."""
    first_cases = [start for start, _ in parts]
    comparisons = [part for _, part in parts]
    first_rows = list(accumulate((len(part) for part in comparisons), initial=0))
    first_paths = list(accumulate((len(part.paths) for part in comparisons), initial=0))
    rules = _join_rules(comparisons)
    code_of_field = {text: code for code, text in enumerate(rules)}
    field_codes = [np.array([code_of_field[text] for text in part.fields], dtype=np.int32) for part in comparisons]
    field = np.concatenate([codes[part.field] for codes, part in zip(field_codes, comparisons, strict=True)])
    order = np.argsort(field, kind="stable")
    new_row = {old: new for new, old in enumerate(order.tolist())}

    def join_arrays(arrays: Sequence[NDArray[Any]], offsets: Sequence[int] | None = None) -> NDArray[Any]:
        if offsets is not None:
            arrays = [array + np.int32(offset) for array, offset in zip(arrays, offsets, strict=False)]
        return np.concatenate(arrays)[order]

    def join_values(columns: Sequence[Sequence[Any]]) -> list[Any]:
        values = list(chain.from_iterable(columns))
        return [values[row] for row in order.tolist()]

    def join_by_row(dicts: Sequence[Mapping[int, Any]]) -> dict[int, Any]:
        offsets = zip(first_rows, dicts, strict=False)
        return {new_row[first + row]: value for first, by_row in offsets for row, value in by_row.items()}

    def join_distances(name: str) -> NDArray[np.float64]:
        columns = [getattr(part, name) for part in comparisons]
        if not any(len(column) for column in columns):
            return np.zeros(0, dtype=np.float64)
        parts_and_columns = zip(comparisons, columns, strict=True)
        return join_arrays([column if len(column) else np.full(len(part), np.nan) for part, column in parts_and_columns])

    has_identical = all(len(part.identical) == len(part) for part in comparisons)
    return ComparisonTable(
        cases=cases,
        case=join_arrays([part.case for part in comparisons], first_cases),
        field=field[order],
        path=join_arrays([part.path for part in comparisons], first_paths),
        outcome=join_arrays([part.outcome for part in comparisons]),
        similarity=join_arrays([part.similarity for part in comparisons]),
        passed=join_arrays([part.passed for part in comparisons]),
        expected=join_values([part.expected for part in comparisons]),
        actual=join_values([part.actual for part in comparisons]),
        fields=list(rules),
        rules=list(rules.values()),
        paths=list(chain.from_iterable(part.paths for part in comparisons)),
        cause=join_by_row([part.cause for part in comparisons]),
        note=join_by_row([part.note for part in comparisons]),
        faults=join_by_row([part.faults for part in comparisons]),
        unmatched_actual=join_arrays([part.unmatched_actual for part in comparisons]),
        unmatched_expected=join_arrays([part.unmatched_expected for part in comparisons]),
        identical=join_arrays([part.identical for part in comparisons]) if has_identical else np.zeros(0, dtype=np.bool_),
        confidence=join_arrays(fill_confidences(comparisons)) if any(len(part.confidence) for part in comparisons) else np.zeros(0),
        page=join_by_row([part.page for part in comparisons]),
        box=join_by_row([part.box for part in comparisons]),
        distance=join_distances("distance"),
        relative_distance=join_distances("relative_distance"),
    )


def _join_rules(parts: Sequence[ComparisonTable]) -> dict[str, FieldRule]:
    """By field, the rules of all parts in the order of an undivided batch: those of the spec first, then the others by path."""
    # compared by identity: the rules of the spec are the same objects in every part, a rule that was created for a leaf is a part's own
    rules_by_position = zip(*(part.rules for part in parts), strict=False)
    spec_rules = [rules[0] for rules in rules_by_position if all(rule is rules[0] for rule in rules)]
    joined = dict(zip(parts[0].fields, spec_rules, strict=False))
    leaf_rules: dict[str, FieldRule] = {}
    for part in parts:
        leaf_rules.update((text, rule) for text, rule in zip(part.fields, part.rules, strict=True) if text not in joined)
    return joined | {text: leaf_rules[text] for text in sorted(leaf_rules)}
