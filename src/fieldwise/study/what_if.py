"""What the scores, gates and verdicts of a stored run would be under other options, from what is stored: nothing is matched again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.runtime import throughput_settings
from fieldwise.model.batch import BatchOutcome, EvaluatorOutcome
from fieldwise.model.comparison import Comparison, ComparisonTable, Outcome, presence_label
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.plan import Document, Gate, Plan, PlannedEvaluator
from fieldwise.model.result import Labels, Results, Status
from fieldwise.model.summary import EvaluatorSummary, GateResult, Summary
from fieldwise.model.values import MISSING
from fieldwise.plan.gates import parse_gate
from fieldwise.registry import EVALUATORS
from fieldwise.score.evaluate import VERDICTS, decide_verdicts, evaluate, mark_failed_cases
from fieldwise.specs import EvaluatorSpec
from fieldwise.store.load_part import load_part, stored_tables
from fieldwise.store.manifest import Part
from fieldwise.store.part_reader import list_part_files
from fieldwise.store.run import Run
from fieldwise.study.agreed_threshold import AgreedLimit, find_agreed_limits
from fieldwise.study.changed_comparisons import capture_spec, change_comparisons, find_rule_problems
from fieldwise.study.inferred_suite import build_stored_plan, read_suite_with_rules
from fieldwise.study.settings import Setting, apply_settings
from fieldwise.study.stored_batch import UNPAIRED_COLUMN, StoredBatch, StoredPart, read_stored_cases
from fieldwise.summarize.gates import judge_gates
from fieldwise.summarize.state import SummaryState

_REPAIR_FLAGS: Final = frozenset(("repaired_json", "cut_off_output"))
"""Flags that describe how a record was read, not what the evaluator found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A comparison that passes under the other options and did not before, or the reverse."""

    case: str
    evaluator: str
    comparison: Comparison
    """The comparison under the other options; `passed` is the new decision."""
    distance: float | None
    """The smallest tolerance at which it passes, where a tolerance decides."""

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict."""
        names = ("field", "path", "expected", "actual", "similarity", "outcome", "passed")
        described = {name: getattr(self.comparison, name) for name in names}
        is_finite = self.distance is not None and np.isfinite(self.distance)
        return {"case": self.case, "evaluator": self.evaluator, **described, "distance": self.distance if is_finite else None}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseChange:
    """A case whose score or verdict changes."""

    case: str
    evaluator: str
    score_before: float
    score_after: float
    verdict_before: str | None
    verdict_after: str | None

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class GateChange:
    """A gate before and after."""

    gate: str
    """The condition; the new one if a setting changes it."""
    before: GateResult | None
    """None if the run had no such gate."""
    after: GateResult | None
    """None if its evaluator cannot be recomputed."""

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict."""
        return {"gate": self.gate, "before": _gate_to_json(self.before), "after": _gate_to_json(self.after)}


def _gate_to_json(result: GateResult | None) -> dict[str, Any] | None:
    return None if result is None else {"passed": result.passed, "value": result.value, "message": result.message}


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """A stored run under other options."""

    run: str
    """The run's id."""
    settings: Sequence[Setting]
    before: Summary
    after: Summary
    gates: Sequence[GateChange]
    cases: Sequence[CaseChange]
    """Cases whose score or verdict changes, in the order of the run."""
    flips: Sequence[Flip]
    """Comparisons that change between pass and fail, in the order of the run."""
    not_recomputed: Sequence[str]
    """What is shown as the run stored it, and why."""
    document: Document
    """The suite with the settings applied."""
    agreed: Sequence[AgreedLimit] = ()
    """For each threshold or tolerance among the settings, what the decisions of a review say; empty if there is no review."""

    @property
    def metrics(self) -> list[tuple[str, float | None, float | None]]:
        """Every metric of the evaluators that the settings concern: its full name, its value before and after."""
        before, after = self.before.flatten(), self.after.flatten()
        changed = {setting.evaluator for setting in self.settings}
        names = dict.fromkeys((*before, *after))
        owners = {f"{name}.{metric}": name for summary in (self.before, self.after) for name, metric in _metric_names(summary)}
        return [(name, before.get(name), after.get(name)) for name in names if owners[name] in changed]

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict; its keys are documented."""
        return {
            "run": self.run,
            "changes": [setting.to_json() for setting in self.settings],
            "metrics": {name: {"before": before, "after": after} for name, before, after in self.metrics},
            "verdicts": {name: _count_verdicts(self.before, self.after, name) for name in self._changed_evaluators()},
            "gates": [gate.to_json() for gate in self.gates],
            "cases": [case.to_json() for case in self.cases],
            "flips": [flip.to_json() for flip in self.flips],
            "not_recomputed": list(self.not_recomputed),
            "review": [limit.to_json() for limit in self.agreed],
        }

    def _changed_evaluators(self) -> list[str]:
        return list(dict.fromkeys(setting.evaluator for setting in self.settings if setting.evaluator is not None))


def _metric_names(summary: Summary) -> Iterator[tuple[str, str]]:
    for name, evaluator in summary.evaluators.items():
        for metric in evaluator.metrics:
            yield name, metric


def _count_verdicts(before: Summary, after: Summary, evaluator: str) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for moment, summary in (("before", before), ("after", after)):
        verdicts = summary.evaluators[evaluator].counts
        counts[moment] = {"pass": verdicts.passed, "partial": verdicts.partial, "fail": verdicts.failed}
    return counts


def what_if(run: Run, settings: Sequence[str]) -> WhatIf:
    """Recompute a stored run under other options. ConfigError names every setting that cannot be read or recomputed, and why."""
    if not settings:
        fix = "give one: --set fields.total.tolerance=0.5"
        raise ConfigError([Diagnostic(code="no-setting", what="nothing is set, so nothing would change", fix=fix)])
    if run.state != "finished":
        raise ConfigError([Diagnostic(code="unfinished-run", what=f"run {run.id} is {run.state}", fix="name a run that finished")])
    suite = read_suite_with_rules(run)
    changed_document, read_settings = apply_settings(suite.document, settings)
    old_plan, new_plan = suite.plan, build_stored_plan(changed_document)
    refuse_other_versions(run, old_plan)
    named = {setting.evaluator for setting in read_settings}
    pairs = _find_changed_evaluators(old_plan, new_plan)
    changed = [(old, new) for old, new in pairs if old.name in named]
    dependent = [old.name for old, _ in pairs if old.name not in named]
    problems = [problem for pair in changed for problem in _find_obstacles(*pair)]
    if problems:
        raise ConfigError(problems)
    summaries = dict(run.full.evaluators)
    cases: list[CaseChange] = []
    flips: list[Flip] = []
    for old, new in changed:
        recomputed = _Recomputation(run, old, new)
        summaries[new.name] = recomputed.compute()
        cases += recomputed.cases
        flips += recomputed.flips
    after = replace(run.full, evaluators=summaries)
    gates, kept = _compare_gates(run, old_plan, new_plan, after, dependent)
    kept += [f"`{name}`: it depends on an evaluator that changes; run the suite again to see it" for name in dependent]
    return WhatIf(
        run=run.id,
        settings=read_settings,
        before=run.full,
        after=after,
        gates=gates,
        cases=cases,
        flips=flips,
        not_recomputed=kept,
        document=changed_document,
        agreed=find_agreed_limits(run, _list_limits(read_settings)),
    )


def _list_limits(settings: Sequence[Setting]) -> list[tuple[str, str, str]]:
    """Evaluator, field and option of the settings that decide when a comparison passes."""
    return [
        (setting.evaluator, setting.field, setting.option)
        for setting in settings
        if setting.evaluator is not None and setting.field is not None and setting.option in ("threshold", "tolerance")
    ]


def refuse_other_versions(run: Run, plan: Plan) -> None:
    """Raise ConfigError for an evaluator that measured something else when the run was stored."""
    types = {planned.name: planned.type for planned in plan.evaluators}
    problems: list[Diagnostic] = []
    for entry in run.manifest.evaluators:
        name, version = str(entry["name"]), entry.get("version")
        if name in types and version != EVALUATORS.find(types[name]).version:
            what = f"`{name}` was scored by another version of `{types[name]}` ({version})"
            problems.append(Diagnostic(code="other-version", what=what, fix="run the suite again"))
    if problems:
        raise ConfigError(problems)


def _find_changed_evaluators(old_plan: Plan, new_plan: Plan) -> list[tuple[PlannedEvaluator, PlannedEvaluator]]:
    pairs = zip(old_plan.evaluators, new_plan.evaluators, strict=True)
    return [(old, new) for old, new in pairs if old != new]


def _find_obstacles(old: PlannedEvaluator, new: PlannedEvaluator) -> list[Diagnostic]:
    """Why a change of an evaluator's options cannot be recomputed; empty if it can."""
    own_options = [field.name for field in fields(PlannedEvaluator) if field.name not in ("config", "pass_at")]
    changed = [name for name in own_options if getattr(old, name) != getattr(new, name)]
    problems = [_refuse(old.name, name, _COMMON_REASONS.get(name, "it decides which cases are scored")) for name in changed]
    if new.pass_at is None and old.pass_at is not None:
        problems.append(_refuse(old.name, "pass_at", "without a value, the verdict depends on more than the score"))
    if old.config != new.config:
        problems += _find_config_obstacles(old, new)
    return problems


def _find_config_obstacles(old: PlannedEvaluator, new: PlannedEvaluator) -> list[Diagnostic]:
    spec = EVALUATORS.find(old.type)
    problems: list[Diagnostic] = []
    for field in fields(old.config):  # pyright: ignore[reportArgumentType] - options are dataclasses
        if getattr(old.config, field.name) == getattr(new.config, field.name):
            continue
        if field.name not in spec.recomputes:
            problems.append(_refuse(old.name, field.name, "the comparisons themselves depend on it"))
        elif field.name == "fields":
            problems += find_rule_problems(old.name, old.config, new.config)
        elif field.name.endswith("_threshold") and getattr(old.config, "similarities", None):
            problems.append(_refuse(old.name, field.name, "`similarities` gives some of them"))
    if getattr(old.config, "safety", None) is not None:
        problems.append(_refuse(old.name, "its options", "`safety` reads the outputs again"))
    return problems


_COMMON_REASONS: Final = {"weight": "the weight of an evaluator counts only inside a composite, which is not recomputed"}


def _refuse(evaluator: str, option: str, reason: str) -> Diagnostic:
    what = f"`{evaluator}`: `{option}` cannot be recomputed from a stored run: {reason}"
    return Diagnostic(code="not-recomputable", what=what, fix="change it in the suite, and run the suite again")


class _Recomputation:
    """One evaluator of a run under other options."""

    def __init__(self, run: Run, old: PlannedEvaluator, new: PlannedEvaluator) -> None:
        self._run, self._old, self._new = run, old, new
        self._spec = EVALUATORS.find(old.type)
        self.cases: list[CaseChange] = []
        self.flips: list[Flip] = []

    def compute(self) -> EvaluatorSummary:
        """The evaluator's summary; `cases` and `flips` are filled with what changes."""
        state = SummaryState([self._new], intervals=False)
        tables = stored_tables(self._run.path)
        with throughput_settings():
            for part in self._run.parts:
                # without the comparisons, which `StoredPart` reads if they are needed
                files = tuple(file for file in part.files if file.table != "comparisons")
                outcome = load_part(tables, replace(part, files=files), [self._old])
                evaluated = [self._recompute(part, outcome, stored) for stored in outcome.evaluated]
                state.add(replace(outcome, evaluated=evaluated))
        summary = _strip_intervals(state.finish().evaluators[self._new.name])
        return summary if self._changes_options else replace(summary, fields=self._run.full.evaluators[self._new.name].fields)

    @property
    def _changes_options(self) -> bool:
        """False if only the cut of the verdict changes."""
        return self._old.config != self._new.config

    def _recompute(self, part: Part, outcome: BatchOutcome, stored: EvaluatorOutcome) -> EvaluatorOutcome:
        if not self._changes_options:
            results = replace(stored.results)
        elif list_part_files(part, "comparisons", self._old.name):
            results = self._replay(part, outcome, stored)
        else:
            results = evaluate(self._new, read_stored_cases(self._run.path, part, stored.rows))
            results = _keep_unmeasured(results, stored.results, stored.results.status != Status.SKIPPED, self._spec, self._new.config)
        results.verdict = decide_verdicts(results, self._new)
        self._note_cases(outcome, stored, results)
        return EvaluatorOutcome(evaluator=self._new, rows=stored.rows, results=results)

    def _replay(self, part: Part, outcome: BatchOutcome, stored: EvaluatorOutcome) -> Results:
        """Call the evaluator with the stored comparisons, changed where the options decide them."""
        stored_part = StoredPart(self._run.path, part, self._old.name)
        old_spec, new_spec = capture_spec(self._spec, self._old.config), capture_spec(self._spec, self._new.config)
        if stored_part.lacks(UNPAIRED_COLUMN) and any("[*]" in name for name in stored_part.fields):
            raise ConfigError([_old_run_problem(self._run, "which items of lists have no counterpart")])
        base = stored_part.build_comparisons(stored.rows + part.first, {rule.text: rule for rule in new_spec.rules})
        changes_presence = getattr(self._old.config, "unexpected", None) != getattr(self._new.config, "unexpected", None)
        comparisons = change_comparisons(self._run, stored_part, base, (old_spec, new_spec), restore_all=changes_presence)
        batch = StoredBatch(stored_part, comparisons, stored.rows, _find_outputs(stored.results))
        results: Results = self._spec.function(batch, self._new.config)
        has_rows = np.bincount(comparisons.case, minlength=len(results)) > 0
        results = _keep_unmeasured(results, stored.results, has_rows, self._spec, self._new.config)
        self._note_flips(outcome, stored, stored_part, results.comparisons or comparisons)
        return results

    def _note_cases(self, outcome: BatchOutcome, stored: EvaluatorOutcome, results: Results) -> None:
        before = stored.results
        changed = np.flatnonzero((before.score != results.score) | (before.verdict != results.verdict))
        for row in changed.tolist():
            self.cases.append(
                CaseChange(
                    case=outcome.cases.id[int(stored.rows[row])],
                    evaluator=self._new.name,
                    score_before=float(before.score[row]),
                    score_after=float(results.score[row]),
                    verdict_before=VERDICTS[int(before.verdict[row])],
                    verdict_after=VERDICTS[int(results.verdict[row])],
                )
            )

    def _note_flips(self, outcome: BatchOutcome, stored: EvaluatorOutcome, stored_part: StoredPart, comparisons: ComparisonTable) -> None:
        rows = np.flatnonzero(stored_part.passed != comparisons.passed)
        expected, actual = stored_part.load_values("expected", rows), stored_part.load_values("actual", rows)
        for position, row in enumerate(rows.tolist()):
            similarity, distance = float(comparisons.similarity[row]), float(stored_part.distance[row])
            described = Comparison(
                path=stored_part.path_of(row),
                field=comparisons.fields[int(comparisons.field[row])],
                outcome=Outcome(int(comparisons.outcome[row])).label,
                expected=_missing_as_none(expected[position]),
                actual=_missing_as_none(actual[position]),
                expected_presence=presence_label(expected[position]),
                actual_presence=presence_label(actual[position]),
                similarity=None if np.isnan(similarity) else similarity,
                passed=bool(comparisons.passed[row]),
            )
            case = outcome.cases.id[int(stored.rows[int(comparisons.case[row])])]
            self.flips.append(
                Flip(case=case, evaluator=self._new.name, comparison=described, distance=None if np.isnan(distance) else distance)
            )


def _strip_intervals(summary: EvaluatorSummary) -> EvaluatorSummary:
    """The summary without intervals: they need the bootstrap, which takes longer than all the rest."""
    metrics = {name: replace(metric, low=None, high=None) for name, metric in summary.metrics.items()}
    fields = tuple(replace(field, score=replace(field.score, low=None, high=None)) for field in summary.fields)
    return replace(summary, metrics=metrics, fields=fields)


def _missing_as_none(value: Any) -> Any:
    return None if value is MISSING else value


def _old_run_problem(run: Run, what: str) -> Diagnostic:
    return Diagnostic(code="old-run", what=f"run {run.id} was stored by an earlier version, without {what}", fix="run the suite again")


def _find_outputs(stored: Results) -> NDArray[np.bool_]:
    """The cases in which the system did not fail."""
    has_output = np.ones(len(stored), dtype=np.bool_)
    for row in np.flatnonzero(stored.status == Status.ERROR).tolist():
        has_output[row] = stored.details(row)["fault"] != "system"
    return has_output


def _keep_unmeasured(results: Results, stored: Results, has_rows: NDArray[np.bool_], spec: EvaluatorSpec, config: object) -> Results:
    """The recomputed results with the status, metrics and flags of cases that no option changes: faults, and cases without anything to do.

    A case in which the system failed is marked as the run marked it.
    """
    has_output = _find_outputs(stored)
    mark_failed_cases(results, dict.fromkeys(np.flatnonzero(~has_output).tolist(), "failed"), spec)
    is_fault = (stored.status == Status.ERROR) & has_output
    is_kept = is_fault | (stored.status == Status.UNAVAILABLE) | ((stored.status == Status.SKIPPED) & ~has_rows)
    results.score = np.where(is_kept, 0.0, results.score)
    results.status = np.where(is_kept, stored.status, results.status).astype(np.uint8)
    metrics: dict[str, NDArray[Any]] = {}
    declared = spec.metric_names(config)
    not_recomputed = [name for name in stored.metrics if declared is None or name in declared]  # such as agreement between trials
    for name in dict.fromkeys((*results.metrics, *not_recomputed)):
        column = np.asarray(results.metrics[name], dtype=np.float64) if name in results.metrics else stored.metrics[name]
        metrics[name] = np.where(is_kept, stored.metrics.get(name, np.nan), column) if is_kept.any() else column
    results.metrics = metrics
    results.flags = _merge_flags(results.flags, stored.flags, is_kept)
    origin = {row: stored.details(row) for row in np.flatnonzero(stored.status == Status.ERROR).tolist()}
    results.details = lambda row: origin.get(row, {"fault": None})
    return results


def _merge_flags(flags: Labels | None, stored: Labels | None, is_kept: NDArray[np.bool_]) -> Labels | None:
    """New flags, except for kept cases, and the stored flags on how a record was read."""
    if stored is None or not (is_kept.any() or _REPAIR_FLAGS.intersection(stored.texts)):
        return flags
    merged: list[list[str]] = []
    for row in range(len(is_kept)):
        if is_kept[row]:
            merged.append(stored.at(row))
            continue
        repairs = [flag for flag in stored.at(row) if flag in _REPAIR_FLAGS]
        merged.append([*(flags.at(row) if flags else ()), *repairs])
    return Labels.of(merged)


def _compare_gates(
    run: Run, old_plan: Plan, new_plan: Plan, after: Summary, dependent: Sequence[str]
) -> tuple[list[GateChange], list[str]]:
    """Every gate of the run before and after, and what could not be judged again."""
    before = {result.gate: result for result in run.gates}
    replaced = {(gate.evaluator, gate.metric): str(gate) for gate in old_plan.gates}
    old_texts = set(replaced.values())
    gates: list[Gate] = [gate for gate in new_plan.gates if gate.evaluator in after.evaluators]
    kept: list[str] = []
    for text in before:
        if text in old_texts:
            continue
        try:
            gates.append(parse_gate(text, new_plan.evaluators))  # given on the command line
        except ConfigError:
            kept.append(f"gate `{text}`: it is not a condition on the metrics of one run")
    changes: list[GateChange] = []
    for gate, result in zip(gates, judge_gates(gates, after, evaluators=new_plan.evaluators), strict=True):
        old_text = replaced.get((gate.evaluator, gate.metric), str(gate))
        judged = None if gate.evaluator in dependent else result
        changes.append(GateChange(gate=str(gate), before=before.get(str(gate)) or before.get(old_text), after=judged))
    return changes, kept
