"""Mutation testing of a suite: corrupt its expected values one at a time, and count what its evaluators notice.

A mutant is killed if some evaluator of records gives the corrupted record a miss, or a worse verdict, that it does not give the record
itself. An evaluator sees only the mutants that the evaluators before it did not kill.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from heapq import nsmallest
from math import isnan
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.runtime import throughput_settings
from fieldwise.model.ask import DisabledAsker
from fieldwise.model.case import Cases
from fieldwise.model.comparison import ComparisonTable
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.mutation import MutantCount, MutationReport, Survivor
from fieldwise.model.path import Path, Step
from fieldwise.model.plan import MUTANTS, Gate, Member, Plan, PlannedEvaluator, Source
from fieldwise.model.result import Results, Status
from fieldwise.model.rule import FieldRule
from fieldwise.model.services import NO_SERVICES, Services
from fieldwise.model.summary import GateResult
from fieldwise.model.values import MISSING, Value
from fieldwise.plan.gates import parse_gate
from fieldwise.read.cases import read_cases
from fieldwise.registry import EVALUATORS, nearest
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.column_survey import has_open_rules, survey_plan_columns
from fieldwise.score.evaluate import applicable_rows, evaluate
from fieldwise.score.inferred_rules import infer_plan_rules, needs_inferred_rules
from fieldwise.score.services import local_services
from fieldwise.study.corruptions import corruption_label
from fieldwise.study.data_check import require_readable_values, require_usable_data
from fieldwise.study.mutants import Mutant, MutantFactory, apply_mutant, resolve_accepted
from fieldwise.study.rule_suggestions import FindKilled, ScoredMutants, find_changed_evaluator, suggest_rules
from fieldwise.summarize.exit_code import FAILED, INCOMPLETE, NOTHING, PASSED
from fieldwise.summarize.gates import condition_holds

DEFAULT_CASES: Final = 1000
"""Cases that are corrupted at most, unless the user sets a limit."""
MAX_WORK: Final = 12_000_000
"""Values that are compared at most by one evaluator: mutants times the values of their records. Above it, mutants are sampled."""
MAX_MODEL_TEXTS: Final = 6_000
"""Mutants whose text a model compares, at most."""
_BATCH_VALUES: Final = 60_000
"""Values of the records that are scored together."""


@dataclass(frozen=True, slots=True)
class _Sample:
    """The cases that are corrupted."""

    cases: Cases
    all_cases: int
    all_records: int
    """Cases that have an expected record."""
    records: list[Any]
    """The expected records."""


def mutate_suite(plan: Plan, *, limit: int | None = None, seed: int = 0, only: Sequence[str] = ()) -> MutationReport:
    """Corrupt the expected values of a suite's cases and count what its evaluators notice.

    `limit` is the number of cases, sampled by `seed`; `only` names the evaluators. ConfigError if the suite has no evaluator of records,
    its rules cannot be inferred, or its data has problems that `run` refuses.
    """
    source = plan.source
    assert source is not None  # `check` refuses a suite without cases
    selected = _select_evaluators(plan, only)
    unreadable = require_usable_data(plan, "mutate", needs_actual=False)
    plan, notes = _complete_rules(replace(plan, evaluators=selected), source)
    evaluators = plan.evaluators
    sample = _sample_cases(source, limit or DEFAULT_CASES, seed)
    factory = MutantFactory(sample.records, seed)
    mutants: list[Mutant] = []
    equivalent = 0
    for row, record in enumerate(sample.records):
        own_mutants, own_equivalent = factory.make_mutants(row, sample.cases.id[row], record)
        mutants += own_mutants
        equivalent += own_equivalent
    sampled = _sample_mutants(mutants, sample, evaluators, seed)
    services = local_services(DisabledAsker(), notes.append)
    with throughput_settings():
        scorer = _MutantScorer(sample, evaluators, services)
        require_readable_values(plan, scorer.comparisons)
        killed, by_evaluator = scorer.score(sampled)
        survivors = [mutant for mutant, is_killed in zip(sampled, killed, strict=True) if not is_killed]
        scored_mutants = ScoredMutants(sampled, killed.tolist(), _find_kills_elsewhere(plan, sample, services))
        suggestions = suggest_rules(plan, sample.cases, scored_mutants, services)
    report = _summarize_mutants(plan, sampled, killed)
    notes += [*unreadable, *_describe_sampling(sample, len(sampled), len(mutants), seed)]
    notes += [*_describe_unmeasured(scorer.unmeasured), *scorer.notes]
    gates = judge_mutant_gates(plan.gates, report.total)
    return replace(
        report,
        cases=len(sample.records),
        all_cases=sample.all_records,
        seed=seed,
        generated=len(mutants),
        equivalent=equivalent,
        by_evaluator=by_evaluator,
        survivors=_redact(plan, _list_survivors(sample, survivors)),
        suggestions=suggestions,
        gates=gates,
        diagnostics=_list_notes(plan, notes),
        exit_code=_decide_exit(report.total, gates, is_complete=not unreadable and not scorer.unmeasured),
    )


def _find_kills_elsewhere(plan: Plan, sample: _Sample, services: Services) -> FindKilled:
    """A function that tells which mutants are killed by the evaluators whose rules no suggestion changes."""
    changed = find_changed_evaluator(plan)
    others = tuple(planned for planned in plan.evaluators if planned is not changed)

    @cache  # scores every record once, and only if a suggestion stops killing a mutant
    def make_scorer() -> _MutantScorer:
        return _MutantScorer(sample, others, services)

    return lambda mutants: make_scorer().score(mutants)[0]


def _list_notes(plan: Plan, notes: Sequence[Diagnostic]) -> list[Diagnostic]:
    """All diagnostics, each once, without redacted values."""
    distinct = list(dict.fromkeys((*plan.diagnostics, *notes)))
    return distinct if plan.redact is None else [plan.redact.redact_diagnostic(note) for note in distinct]


def _decide_exit(total: MutantCount, gates: Sequence[GateResult], *, is_complete: bool) -> int:
    if not total.mutants:
        return NOTHING
    if not is_complete:
        return INCOMPLETE
    return PASSED if all(gate.passed for gate in gates) else FAILED


def judge_mutant_gates(gates: Iterable[Gate], total: MutantCount) -> list[GateResult]:
    """The result of each gate on mutants; without mutants, none passes."""
    results: list[GateResult] = []
    for gate in gates:
        if gate.evaluator != MUTANTS:
            continue
        if isnan(total.share):
            results.append(GateResult(gate=str(gate), passed=False, value=None, message=f"gate `{gate}`: not measured: there is no mutant"))
            continue
        passed = condition_holds(total.share, gate.operator, gate.value)
        message = f"mutants.killed is {total.share:.4g}: {gate} {'holds' if passed else 'does not hold'}"
        results.append(GateResult(gate=str(gate), passed=passed, value=total.share, message=message))
    return results


def _complete_rules(plan: Plan, source: Source) -> tuple[Plan, list[Diagnostic]]:
    """The plan with the rules and options that all cases of the source decide."""
    notes: list[Diagnostic] = []
    for is_needed, complete in ((needs_inferred_rules, infer_plan_rules), (has_open_rules, survey_plan_columns)):
        if is_needed(plan):
            plan, remarks = complete(plan, read_cases(source))
            notes += remarks
    errors = [note for note in notes if note.level == "error"]
    if errors:
        raise ConfigError(errors)
    return plan, [note for note in notes if note.level != "info"]


def _select_evaluators(plan: Plan, only: Sequence[str]) -> tuple[PlannedEvaluator, ...]:
    """The evaluators that read records and ask no judge."""
    names = [planned.name for planned in plan.evaluators]
    for name in only:
        if name not in names:
            what, similar = f"the suite has no evaluator `{name}`", nearest(name, names)
            fix = f"did you mean `{similar}`?" if similar else f"there are {', '.join(names)}"
            raise ConfigError([Diagnostic(code="unknown-evaluator", what=what, where=Where(file=plan.file), fix=fix)])
    candidates = [planned for planned in plan.evaluators if not only or planned.name in only]
    selected = [planned for planned in candidates if _compares_records(planned)]
    if selected:
        return tuple(selected)
    quoted = ", ".join(f"`{planned.name}`" for planned in candidates)
    what = f"no evaluator compares records, so there are no values to corrupt: {quoted}"
    fix = "add an evaluator of records, such as `field_accuracy`"
    raise ConfigError([Diagnostic(code="no-record-evaluator", what=what, where=Where(file=plan.file), fix=fix)])


def _compares_records(planned: PlannedEvaluator) -> bool:
    spec = EVALUATORS.find(planned.type)
    members = getattr(planned.config, "evaluators", None)
    if isinstance(members, tuple) and members:  # a composite of evaluators of records
        return all(isinstance(member, Member) and _compares_records(member.evaluator) for member in members)
    return spec.reads == "records" and not spec.is_judge


def refuse_other_gates(gates: Iterable[str]) -> None:
    """Raise ConfigError for gates on the command line that only a run can judge."""
    for text in gates:
        gate = parse_gate(text)
        if gate.evaluator != MUTANTS:
            what, fix = f"`mutate` judges `mutants.killed` alone, not `{gate.evaluator}.{gate.metric}`", "give this gate to `fieldwise run`"
            raise ConfigError([Diagnostic(code="bad-gate", what=what, fix=fix)])


def _sample_cases(source: Source, limit: int, seed: int) -> _Sample:
    """At most `limit` of the cases that have an expected record, chosen by a hash of their ids, in the order of the data."""
    chosen: list[tuple[int, int, Cases]] = []
    highest_rank = 1 << 32
    position = 0
    records = 0
    for cases in read_cases(source):
        without_actual = replace(cases, actual=[MISSING] * len(cases))  # not needed here, and slow to find in text
        for row, record in enumerate(ScoringBatch(without_actual, NO_SERVICES).records.expected):
            rank = crc32(f"{seed}\0{cases.id[row]}".encode(errors="surrogatepass"))
            is_record = isinstance(record, dict | list)
            records += is_record
            if is_record and rank <= highest_rank:
                chosen.append((rank, position, replace(cases.take([row]), expected=[record], diagnostics={})))
            position += 1
        if len(chosen) > 2 * limit:
            chosen = nsmallest(limit, chosen, key=lambda entry: entry[:2])
            highest_rank = chosen[-1][0]
    chosen = sorted(nsmallest(limit, chosen, key=lambda entry: entry[:2]), key=lambda entry: entry[1])
    cases = _join_cases([entry[2] for entry in chosen])
    return _Sample(cases, position, records, list(cases.expected))


def _join_cases(parts: Sequence[Cases]) -> Cases:
    joined = Cases.of([part.at(0) for part in parts])
    joined.finite = all(part.finite for part in parts)
    joined.mentions_value = any(part.mentions_value for part in parts)
    return joined


def _sample_mutants(mutants: Sequence[Mutant], sample: _Sample, evaluators: Sequence[PlannedEvaluator], seed: int) -> list[Mutant]:
    """All mutants, or a random share that keeps the work bounded; at least one for each field and corruption.

    The share is the same for all fields, so that the share of killed mutants stays unbiased.
    """
    sizes = [_count_values(record) for record in sample.records]
    is_modelled = _ModelFields(evaluators)
    model_texts = sum(isinstance(mutant.value, str) and is_modelled(mutant.field) for mutant in mutants)
    work = sum(sizes[mutant.case] for mutant in mutants)
    share = min(1.0, MAX_WORK / max(work, 1), MAX_MODEL_TEXTS / max(model_texts, 1))
    if share == 1.0:
        return list(mutants)
    seen: set[tuple[str, str]] = set()
    kept: list[Mutant] = []
    for mutant in mutants:
        key = f"{seed}\0{sample.cases.id[mutant.case]}\0{mutant.path}\0{mutant.corruption}\0kept"
        cell = (mutant.field, mutant.corruption)
        if crc32(key.encode(errors="surrogatepass")) < share * (1 << 32) or cell not in seen:
            seen.add(cell)
            kept.append(mutant)
    return kept


class _ModelFields:
    """Tells the fields whose texts an embedding model compares."""

    def __init__(self, evaluators: Sequence[PlannedEvaluator]) -> None:
        self._fields: set[str] = set()
        self._top_level = False
        for planned in evaluators:
            rules = getattr(planned.config, "fields", None)
            if isinstance(rules, tuple):
                self._fields.update(rule.text for rule in rules if isinstance(rule, FieldRule) and rule.match.name == "semantic")
            strategies = getattr(planned.config, "strategies", None)
            if isinstance(strategies, Mapping):
                self._fields.update(str(key) for key, strategy in strategies.items() if strategy == "SEMANTIC")
                self._top_level |= getattr(planned.config, "default_text", None) == "SEMANTIC"

    def __call__(self, field: str) -> bool:
        return field in self._fields or (self._top_level and "." not in field and "[" not in field)


def _count_values(record: Any) -> int:
    """Number of leaves of a record, at least 1."""
    count, pending = 0, [record]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, list):
            pending += value
        else:
            count += 1
    return max(count, 1)


class _MutantScorer:
    """Scores mutants in batches against the records that they were made from."""

    def __init__(self, sample: _Sample, evaluators: Sequence[PlannedEvaluator], services: Services) -> None:
        self._sample, self._evaluators, self._services = sample, evaluators, services
        self._records = [resolve_accepted(record) for record in sample.records]
        self.unmeasured: dict[str, str] = {}
        """Evaluator → why it measured none of the records themselves, or not every mutant."""
        self.notes: list[Diagnostic] = []
        every_case = range(len(self._records))
        self._base = [self._evaluate(planned, every_case, self._records) for planned in evaluators]
        self.comparisons = [(planned.name, base.comparisons) for planned, base in zip(evaluators, self._base, strict=True)]
        """The comparisons of the records with themselves, by evaluator."""
        for planned, base in zip(evaluators, self._base, strict=True):
            if base.reason:
                self.unmeasured[planned.name] = base.reason
            if base.first_miss:
                self.notes.append(_describe_failing_records(planned.name, int((base.misses > 0).sum()), base.first_miss))

    def score(self, mutants: Sequence[Mutant]) -> tuple[NDArray[np.bool_], dict[str, MutantCount]]:
        """Which mutants are killed, and the counts of each evaluator."""
        killed = np.zeros(len(mutants), dtype=np.bool_)
        by_evaluator = {planned.name: MutantCount() for planned in self._evaluators}
        sizes = [_count_values(record) for record in self._records]
        start = 0
        while start < len(mutants):
            end, values = start, 0
            while end < len(mutants) and (values == 0 or values + sizes[mutants[end].case] <= _BATCH_VALUES):
                values += sizes[mutants[end].case]
                end += 1
            killed[start:end] = self._score_batch(mutants[start:end], by_evaluator)
            start = end
        return killed, by_evaluator

    def _score_batch(self, mutants: Sequence[Mutant], by_evaluator: Mapping[str, MutantCount]) -> NDArray[np.bool_]:
        killed = np.zeros(len(mutants), dtype=np.bool_)
        for planned, base in zip(self._evaluators, self._base, strict=True):
            alive = np.flatnonzero(~killed)
            if not len(alive):
                break
            rows = [mutants[at].case for at in alive.tolist()]
            records = [apply_mutant(self._records[mutants[at].case], mutants[at].steps, mutants[at].replacement) for at in alive.tolist()]
            judged = self._evaluate(planned, rows, records)
            if judged.unavailable:
                self.unmeasured.setdefault(planned.name, judged.unavailable)
            killed[alive] = judged.is_worse_than(base, np.array(rows, dtype=np.int64))
            by_evaluator[planned.name].mutants += len(alive)
            by_evaluator[planned.name].killed += int(killed[alive].sum())
        return killed

    def _evaluate(self, planned: PlannedEvaluator, rows: Sequence[int], actual: Sequence[Any]) -> "_Judged":
        # a mutant may be beyond the largest float, or have the key `value`
        cases = replace(self._sample.cases.take(rows), actual=list(actual), finite=False, mentions_value=True)
        return judge_records(planned, cases, self._services)


@dataclass(frozen=True, slots=True)
class _Judged:
    """What an evaluator says of records, by row."""

    misses: NDArray[np.int64]
    verdict: NDArray[np.int8]
    failed: NDArray[np.bool_]
    """True where the evaluator could not read the record at all."""
    reason: str = ""
    """Why nothing was measured; empty if something was."""
    first_miss: str = ""
    """The first miss of all records."""
    unavailable: str = ""
    """Why some records were not measured, such as that no model is asked; empty if all were."""
    comparisons: ComparisonTable | None = None

    def is_worse_than(self, base: "_Judged", rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Where there are more misses, or a worse verdict, than at these rows of `base`."""
        worse_verdict = (self.verdict >= 0) & (self.verdict < base.verdict[rows])
        return (self.misses > base.misses[rows]) | worse_verdict | (self.failed & ~base.failed[rows])


def judge_records(planned: PlannedEvaluator, cases: Cases, services: Services) -> _Judged:
    """Apply an evaluator to cases; those that its `when` excludes have no misses."""
    applicable = applicable_rows(planned.when, cases)
    size = len(cases)
    misses, verdict, failed = np.zeros(size, dtype=np.int64), np.full(size, -1, dtype=np.int8), np.zeros(size, dtype=np.bool_)
    if not len(applicable):
        return _Judged(misses, verdict, failed, "`when` excludes every case" if size else "there are no cases")
    batch = ScoringBatch(cases if len(applicable) == size else cases.take(applicable.tolist()), services, find_causes=False)
    results: Results = evaluate(planned, batch)
    measured = results.status == Status.SCORED
    failed[applicable] = results.status == Status.ERROR
    misses[applicable] = np.where(measured, results.misses.counts(), 0)
    verdict[applicable] = np.where(measured, results.verdict, -1)
    reason = "" if measured.any() else (results.reasoning[0] or "it measured nothing")
    without_model = np.flatnonzero(results.status == Status.UNAVAILABLE).tolist()
    unavailable = results.reasoning[without_model[0]] if without_model else ""
    with_misses = np.flatnonzero(measured & (results.misses.counts() > 0)).tolist()
    first_miss = results.misses.at(with_misses[0])[0] if with_misses else ""
    return _Judged(misses, verdict, failed, reason, first_miss, unavailable, results.comparisons)


def _summarize_mutants(plan: Plan, mutants: Sequence[Mutant], killed: NDArray[np.bool_]) -> MutationReport:
    total = MutantCount()
    by_field: dict[str, MutantCount] = {}
    by_corruption: dict[str, MutantCount] = {}
    cells: dict[tuple[str, str], MutantCount] = {}
    for mutant, is_killed in zip(mutants, killed.tolist(), strict=True):
        total.add(is_killed)
        by_field.setdefault(mutant.field, MutantCount()).add(is_killed)
        by_corruption.setdefault(mutant.corruption, MutantCount()).add(is_killed)
        cells.setdefault((mutant.field, mutant.corruption), MutantCount()).add(is_killed)
    return MutationReport(
        suite=plan.name,
        cases=0,
        all_cases=0,
        seed=0,
        total=total,
        generated=len(mutants),
        equivalent=0,
        by_field=by_field,
        by_corruption=by_corruption,
        by_evaluator={},
        cells=cells,
        survivors=(),
        labels={name: corruption_label(name) for name in by_corruption},
    )


def _list_survivors(sample: _Sample, mutants: Sequence[Mutant]) -> list[Survivor]:
    return [
        Survivor(
            case=sample.cases.id[mutant.case],
            path=mutant.path,
            field=mutant.field,
            corruption=mutant.corruption,
            expected=mutant.expected,
            mutant=mutant.value,
        )
        for mutant in mutants
    ]


def _redact(plan: Plan, survivors: Sequence[Survivor]) -> list[Survivor]:
    """The survivors without the values that the suite redacts."""
    redaction = plan.redact
    if redaction is None:
        return list(survivors)
    hidden: list[Survivor] = []
    for survivor in survivors:
        steps = Path.parse(survivor.path).steps
        is_from_elsewhere = survivor.corruption == "value_of_another_field" or isinstance(survivor.mutant, list | dict)

        def hide(value: Value, steps: tuple[Step, ...] = steps, hashed: bool = is_from_elsewhere) -> Value:
            if value is MISSING or value is None:
                return value
            return redaction.hash_value(value) if hashed else redaction.redact_record(value, steps)

        hidden.append(replace(survivor, expected=hide(survivor.expected), mutant=hide(survivor.mutant)))
    return hidden


def _describe_sampling(sample: _Sample, scored: int, generated: int, seed: int) -> list[Diagnostic]:
    notes: list[Diagnostic] = []
    if sample.all_records < sample.all_cases:
        what = f"{sample.all_records:,} of {sample.all_cases:,} cases have an expected record; the others have nothing to corrupt"
        notes.append(Diagnostic(code="no-record", level="info", what=what))
    if len(sample.records) < sample.all_records:
        what = f"{len(sample.records):,} of {sample.all_records:,} cases were corrupted, sampled with --seed {seed}"
        notes.append(Diagnostic(code="sampled-cases", level="info", what=what, fix="set --limit for another number"))
    if scored < generated:
        what = f"{scored:,} of {generated:,} mutants were scored, sampled with --seed {seed}: all of them would take too long"
        notes.append(
            Diagnostic(code="sampled-mutants", level="info", what=what, fix="set a smaller --limit to score all mutants of fewer cases")
        )
    return notes


def _describe_failing_records(name: str, count: int, first_miss: str) -> Diagnostic:
    what = f"`{name}` has misses in {count:,} expected records compared with themselves, where it kills less: {first_miss}"
    return Diagnostic(code="failing-record", level="warning", what=what, fix="check the rule against the expected values")


def _describe_unmeasured(unmeasured: Mapping[str, str]) -> list[Diagnostic]:
    notes: list[Diagnostic] = []
    for name, reason in unmeasured.items():
        what = f"`{name}` could not measure every mutant; what it did not measure survives: {reason}"
        notes.append(Diagnostic(code="unmeasured-evaluator", level="warning", what=what))
    return notes
