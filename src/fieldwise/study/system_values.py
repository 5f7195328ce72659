"""The values that several systems gave for the same cases, and which of them agree by the suite's own matches.

Values are compared where the expected record puts them: an item of a list has the path of the expected item that it was paired with, so
two systems are compared item by item. Items that no expected item was paired with agree if another system has such an item, too.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from fieldwise.model.case import Case, Cases
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.result import Results
from fieldwise.model.rule import CompareSpec, Match
from fieldwise.model.services import Services
from fieldwise.model.values import MISSING, Value
from fieldwise.plan.suite import build_plan
from fieldwise.read.table_files import load_json
from fieldwise.registry import EVALUATORS
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.column_survey import has_open_rules, survey_plan_columns
from fieldwise.score.evaluate import evaluate_every_case
from fieldwise.score.inferred_rules import infer_plan_rules, needs_inferred_rules
from fieldwise.score.matching import score_pairs
from fieldwise.score.services import local_services
from fieldwise.store.part_reader import decode_case, list_part_files, read_table
from fieldwise.store.run import Run
from fieldwise.study.settings import read_stored_suite

Place: TypeAlias = tuple[str, str]
"""A case and a path."""
_CHUNK: Final = 512
_LEFT_OUT: Final = (Outcome.IGNORED, Outcome.FAULT)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemValue:
    """What one system gave at one place."""

    value: Any
    """MISSING or None if it gave nothing."""
    passed: bool
    cause: str | None = None

    @property
    def is_present(self) -> bool:
        """True if there is a value."""
        return self.value is not None and self.value is not MISSING


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedValue:
    """What is expected at one place."""

    value: Any
    """MISSING where expected has nothing."""
    field: str
    match: Match
    is_extra: bool
    """True for an item of an actual list that was paired with no expected item."""


@dataclass(slots=True)
class System:
    """One system: a run, or one trial of a run."""

    name: str
    run: str
    cases: set[str] = field(default_factory=set)
    values: dict[Place, SystemValue] = field(default_factory=dict)


@dataclass(slots=True)
class SystemTable:
    """The values of all systems over the cases that at least two of them have."""

    evaluator: str
    systems: list[System]
    expected: dict[Place, ExpectedValue]
    cases: dict[str, Case]
    """The cases as the first system that has them stored them, in order."""
    agreeing: list[dict[Place, set[int]]] = field(default_factory=list)
    """By system, the other systems that agree with its value at a place."""

    def count_others(self, system: int, place: Place) -> int:
        """Number of other systems that have the case."""
        return sum(place[0] in candidate.cases for number, candidate in enumerate(self.systems) if number != system)

    def agreement(self, system: int, place: Place) -> float | None:
        """The share of the other systems that agree with a value; None if no other system has the case."""
        others = self.count_others(system, place)
        return len(self.agreeing[system].get(place, ())) / others if others else None


def load_systems(runs: Sequence[Run], evaluator: str | None = None) -> SystemTable:
    """Compare the values of several runs, or of the trials of one run, by the rules of the first run's suite.

    ConfigError if there is only one system, no evaluator compares fields, or no case is shared.
    """
    _refuse_unusable(runs)
    plan = rebuild_plan(runs[0])
    planned = _choose_evaluator(runs[0], plan, evaluator)
    systems = _list_systems(runs)
    table = SystemTable(evaluator=planned.name, systems=[system for system, _ in systems], expected={}, cases={})
    services = local_services()
    for system, read_cases in systems:
        for cases in read_cases():
            _add_cases(table, system, planned, cases, services)
    counts: dict[str, int] = {}
    for system in table.systems:
        for case in system.cases:
            counts[case] = counts.get(case, 0) + 1
    if not any(count > 1 for count in counts.values()):
        what = "the runs have no case in common" if len(runs) > 1 else f"run {runs[0].id} has one output for each case"
        fix = (
            "name runs of several systems over cases with the same ids"
            if len(runs) > 1
            else "name two runs or more, or a run of several trials"
        )
        raise ConfigError([Diagnostic(code="nothing-shared", what=what, fix=fix)])
    table.agreeing = _find_agreeing(table, services)
    return table


def _refuse_unusable(runs: Sequence[Run]) -> None:
    unfinished = [run for run in runs if run.state != "finished"]
    repeated = sorted({run.id for at, run in enumerate(runs) if run.id in [earlier.id for earlier in runs[:at]]})
    problems = [Diagnostic(code="unfinished-run", what=f"run {run.id} is {run.state}", fix="name runs that finished") for run in unfinished]
    problems += [Diagnostic(code="same-run", what=f"run {name} is named twice", fix="name each system once") for name in repeated]
    if problems:
        raise ConfigError(problems)


def rebuild_plan(run: Run) -> Plan:
    """The plan of a stored run, from the text of its suite and, for what the data decide, from its stored cases."""
    file = run.manifest.suite_file
    document = read_stored_suite(run.manifest.suite, file)
    folder = Path(file).parent if file else Path.cwd()
    plan = build_plan(document, load=lambda path: load_json(folder / path), resolve=lambda path: str(folder / path))
    if needs_inferred_rules(plan):
        plan, _ = infer_plan_rules(plan, _read_cases(run))
    if has_open_rules(plan):
        plan, _ = survey_plan_columns(plan, _read_cases(run))
    return plan


def _read_cases(run: Run) -> Iterator[Cases]:
    for part in run.parts:
        for file in list_part_files(part, "cases"):
            rows = read_table(run.path, file)
            for start in range(0, rows.num_rows, _CHUNK):
                yield Cases.of([decode_case(row) for row in rows.slice(start, _CHUNK).to_pylist()])


def _choose_evaluator(run: Run, plan: Plan, name: str | None) -> PlannedEvaluator:
    """The evaluator of this name, or the first that compares fields of records."""
    candidates = [
        planned
        for planned in plan.evaluators
        if EVALUATORS.find(planned.type).reads == "records"
        and not EVALUATORS.find(planned.type).is_judge
        and run.full.evaluators[planned.name].fields
    ]
    chosen = next((planned for planned in candidates if name is None or planned.name == name), None)
    if chosen is None:
        what = f"no evaluator of run {run.id} compares fields" if name is None else f"`{name}` compares no fields"
        fix = f"name one of {', '.join(planned.name for planned in candidates)}" if candidates else "use field_accuracy or field_prf"
        raise ConfigError([Diagnostic(code="no-evaluator", what=what, fix=fix)])
    return chosen


def _list_systems(runs: Sequence[Run]) -> list[tuple[System, Any]]:
    """Each run is a system; a single run is as many as it has trials."""
    if len(runs) > 1:
        names = _name_runs(runs)
        return [(System(name, run.id), lambda run=run: _read_cases(run)) for name, run in zip(names, runs, strict=True)]
    [run] = runs
    trials = max((len(actuals or ()) for cases in _read_cases(run) for actuals in cases.actuals), default=0)
    return [(System(f"trial {number + 1}", run.id), lambda number=number: _read_trial(run, number)) for number in range(max(trials, 1))]


def _name_runs(runs: Sequence[Run]) -> list[str]:
    """The names that users gave; else the files of the outputs where those differ; else the ids."""
    labels = [run.label for run in runs]
    if all(labels) and len(set(labels)) == len(labels):
        return labels
    files = [Path(run.sources[-1].file).stem if run.sources else "" for run in runs]
    return files if all(files) and len(set(files)) == len(files) else [run.id for run in runs]


def _read_trial(run: Run, number: int) -> Iterator[Cases]:
    for cases in _read_cases(run):
        rows = [row for row, actuals in enumerate(cases.actuals) if (actuals and len(actuals) > number) or (number == 0 and not actuals)]
        trial = cases.take(rows)
        outputs: list[Value] = []
        for actual, actuals in zip(trial.actual, trial.actuals, strict=True):
            outputs.append(actuals[number] if actuals else actual)
        yield replace(trial, actual=outputs, actuals=[None] * len(rows))


class _SpecRecorder(ScoringBatch):
    """A batch that keeps the spec by which an evaluator compares."""

    def __init__(self, cases: Cases, services: Services, specs: list[CompareSpec]) -> None:
        super().__init__(cases, services)
        self._specs = specs

    def compare(self, spec: CompareSpec) -> ComparisonTable:
        """Keep the spec."""
        self._specs.append(spec)
        return super().compare(spec)

    def select_cases(self, rows: Sequence[int]) -> ScoringBatch:
        """A batch that keeps specs, too."""
        return self if len(rows) == len(self) else _SpecRecorder(self.cases.take(rows), self.services, self._specs)


def _add_cases(table: SystemTable, system: System, planned: PlannedEvaluator, cases: Cases, services: Services) -> None:
    specs: list[CompareSpec] = []
    results: Results = evaluate_every_case(planned, _SpecRecorder(cases, services, specs))
    for row, (case_id, actual) in enumerate(zip(cases.id, cases.actual, strict=True)):
        table.cases.setdefault(case_id, cases.at(row))
        if actual is not None and actual is not MISSING:  # a system that failed says nothing about the values
            system.cases.add(case_id)
    comparisons = results.comparisons
    if comparisons is None:
        return
    default = specs[-1].default if specs else Match()
    for row in range(len(comparisons)):
        if int(comparisons.outcome[row]) in _LEFT_OUT:
            continue
        rule = comparisons.rules[int(comparisons.field[row])]
        place = (cases.id[int(comparisons.case[row])], comparisons.paths[int(comparisons.path[row])])
        if place[0] not in system.cases:
            continue
        expected, actual = comparisons.expected[row], comparisons.actual[row]
        system.values[place] = SystemValue(value=actual, passed=bool(comparisons.passed[row]), cause=comparisons.cause.get(row))
        if place not in table.expected:
            match = rule.match
            if match.name == "auto" and callable(default):
                compared = comparisons.compared_value(row)
                sample = actual if compared is None or compared is MISSING else compared
                match = default(None if sample is MISSING else sample)
            is_extra = len(comparisons.unmatched_actual) > 0 and bool(comparisons.unmatched_actual[row])
            table.expected[place] = ExpectedValue(value=expected, field=rule.text, match=match, is_extra=is_extra)


def _find_agreeing(table: SystemTable, services: Services) -> list[dict[Place, set[int]]]:
    """By system and place, the other systems whose value matches; each pair of values is compared once."""
    agreeing: list[dict[Place, set[int]]] = [{} for _ in table.systems]
    extras = [_group_extras(table, system) for system in table.systems]
    for left in range(len(table.systems)):
        for right in range(left + 1, len(table.systems)):
            pairs = [*_shared_places(table, left, right), *_shared_extras(extras[left], extras[right])]
            for left_place, right_place in _matching_pairs(table, (left, right), pairs, services):
                agreeing[left].setdefault(left_place, set()).add(right)
                agreeing[right].setdefault(right_place, set()).add(left)
    return agreeing


_PlacePair: TypeAlias = tuple[Place, Place]


def _shared_places(table: SystemTable, left: int, right: int) -> Iterator[_PlacePair]:
    right_values = table.systems[right].values
    for place, left_value in table.systems[left].values.items():
        right_value = right_values.get(place)
        if right_value is not None and left_value.is_present and right_value.is_present and not table.expected[place].is_extra:
            yield place, place


def _group_extras(table: SystemTable, system: System) -> dict[tuple[str, str], list[Place]]:
    """The places of unmatched items by case and field."""
    groups: dict[tuple[str, str], list[Place]] = {}
    for place, value in system.values.items():
        expected = table.expected[place]
        if expected.is_extra and value.is_present:
            groups.setdefault((place[0], expected.field), []).append(place)
    return groups


def _shared_extras(left: dict[tuple[str, str], list[Place]], right: dict[tuple[str, str], list[Place]]) -> Iterator[_PlacePair]:
    for key, places in left.items():
        for left_place in places:
            yield from ((left_place, right_place) for right_place in right.get(key, ()))


def _matching_pairs(table: SystemTable, systems: tuple[int, int], pairs: Iterable[_PlacePair], services: Services) -> Iterator[_PlacePair]:
    """The pairs of places whose values match by the rule of the field."""
    left, right = (table.systems[number].values for number in systems)
    by_match: dict[int, tuple[Match, list[_PlacePair]]] = {}  # by identity: options of plug-ins may be unhashable
    for pair in pairs:
        match = table.expected[pair[0]].match
        by_match.setdefault(id(match), (match, []))[1].append(pair)
    for match, own_pairs in by_match.values():
        scores = score_pairs(match, [left[pair[0]].value for pair in own_pairs], [right[pair[1]].value for pair in own_pairs], services)
        for position in np.flatnonzero(scores.passed).tolist():
            yield own_pairs[position]
