"""Finds the smallest changes of rules that would kill survivors, and what each would cost on the real outputs.

Every candidate is one change of one rule. It is scored on the mutants of its field, or of the whole list that contains it, and on the
real cases, together with the rules of the same list, because these decide which items are paired. The mutants that it stops killing are
subtracted from its kills, so that `kills` is the rise of the killed mutants of the suite.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.case import Cases
from fieldwise.model.mutation import RuleSuggestion
from fieldwise.model.path import EACH, MalformedPath, Path, Step, value_at
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.rule import FieldRule, ListRule, Match
from fieldwise.model.services import Services
from fieldwise.model.values import MISSING
from fieldwise.plan.choose_match import choose_match
from fieldwise.plan.infer import infer_rules_from_pairs
from fieldwise.plan.written_rules import write_rule
from fieldwise.registry import EVALUATORS, MATCHERS
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.evaluate import evaluate
from fieldwise.study.mutants import Mutant, apply_mutant, resolve_accepted

_THRESHOLDS: Final = (0.9, 0.95, 0.98, 1.0)
_MAX_MUTANTS: Final = 2000
"""Survivors of a field, and killed mutants near it, that candidates are scored on."""
_MAX_PER_FIELD: Final = 2
_TEXT_MATCHES: Final = ("fuzzy", "semantic")
_STRICT_OPTIONS: Final[Mapping[str, Any]] = {
    "currency": "if_both",
    "precision": "day",
    "ignore_case": False,
    "relative_tolerance": None,
}
"""Option of a match → its value that leaves nothing out, where another value may be set."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """The rules with one change."""

    rules: tuple[FieldRule, ...]
    lists: tuple[ListRule, ...]
    written: dict[str, Any]
    """The changed rule as in a suite; empty for the rules as they are."""
    scope: Path
    """The field, or the items of the list, whose rules these are."""


@dataclass(frozen=True, slots=True)
class _Effect:
    """What a candidate would change."""

    candidate: _Candidate
    kills: int
    """Survivors that it kills, minus the mutants that it stops killing."""
    survivors: int
    """Survivors of the field, or of the whole list that contains it."""
    newly_failing: int | None


FindKilled: TypeAlias = "Callable[[Sequence[Mutant]], NDArray[np.bool_]]"
"""Which mutants the evaluators kill whose rules no suggestion changes."""


class ScoredMutants:
    """The mutants by whether the suite kills them, and by field."""

    def __init__(self, mutants: Sequence[Mutant], killed: Sequence[bool], find_killed_elsewhere: FindKilled) -> None:
        self.survivors: dict[str, list[Mutant]] = {}
        """Field → its survivors."""
        self._killed: dict[str, list[Mutant]] = {}
        self.find_killed_elsewhere = find_killed_elsewhere
        for mutant, is_killed in zip(mutants, killed, strict=True):
            (self._killed if is_killed else self.survivors).setdefault(mutant.field, []).append(mutant)

    def killed_near(self, path: Path) -> list[Mutant]:
        """The killed mutants of a field, or of the whole list that contains it."""
        return _select_near(self._killed, path)

    def survivors_beside(self, field: str, scope: Path) -> list[Mutant]:
        """The survivors of other fields of the list that contains `scope`; none for a field in no list."""
        others = {name: survivors for name, survivors in self.survivors.items() if name != field}
        return _select_near(others, scope) if _list_prefix(scope) is not None else []


def _select_near(by_field: Mapping[str, list[Mutant]], path: Path) -> list[Mutant]:
    """The mutants of a field, or of the whole list that contains it."""
    prefix = _list_prefix(path)
    if prefix is None:
        return by_field.get(str(path), [])
    near: list[Mutant] = []
    for field, mutants in by_field.items():
        try:
            steps = Path.parse(field).steps
        except MalformedPath:
            continue  # the record itself
        if steps[: len(prefix)] == prefix or steps == prefix[:-1]:
            near += mutants
    return near


@dataclass(frozen=True, slots=True)
class _RuleSet:
    """The rules that suggestions change: those of the first evaluator that has any."""

    rules: tuple[FieldRule, ...]
    lists: tuple[ListRule, ...]
    unexpected: str

    def near(self, path: Path) -> tuple[FieldRule, ...]:
        """The rules that share the outermost list with a field; for a field in no list, none but its own."""
        prefix = _list_prefix(path)
        if prefix is None:
            return tuple(rule for rule in self.rules if rule.path is not None and _generalize(rule.path.steps) == path.steps)
        return tuple(rule for rule in self.rules if rule.path is not None and _generalize(rule.path.steps)[: len(prefix)] == prefix)

    def lists_near(self, path: Path) -> tuple[ListRule, ...]:
        """The list rules of the lists around a field or beside it."""
        prefix = _list_prefix(path)
        if prefix is None:
            return ()
        return tuple(rule for rule in self.lists if _generalize(rule.path.steps)[: len(prefix) - 1] == prefix[:-1])


def suggest_rules(plan: Plan, cases: Cases, mutants: ScoredMutants, services: Services) -> list[RuleSuggestion]:
    """The best changes of rules for every field with survivors, those that kill most first."""
    rule_set = _find_rules(plan)
    trial = _Trial(cases, services)
    suggestions: list[RuleSuggestion] = []
    for field, survivors in mutants.survivors.items():
        try:
            path = Path.parse(field)
        except MalformedPath:
            continue  # the record itself
        for suggestion in _suggest_for_field(rule_set, path, survivors, mutants, trial):
            if all(suggestion.rule != earlier.rule for earlier in suggestions):  # a rule for items also kills mutants of their list
                suggestions.append(suggestion)
    return sorted(suggestions, key=lambda suggestion: -suggestion.kills)


def find_changed_evaluator(plan: Plan) -> PlannedEvaluator | None:
    """The evaluator whose rules suggestions change: the first that has any."""
    for planned in plan.evaluators:
        rules = getattr(planned.config, "fields", None)
        if isinstance(rules, tuple) and rules and all(isinstance(rule, FieldRule) for rule in rules):
            return planned
    return None


def _find_rules(plan: Plan) -> _RuleSet:
    planned = find_changed_evaluator(plan)
    if planned is None:
        return _RuleSet((), (), "miss")
    rules: tuple[FieldRule, ...] = getattr(planned.config, "fields", ())
    lists = getattr(planned.config, "lists", ())
    return _RuleSet(rules, lists if isinstance(lists, tuple) else (), getattr(planned.config, "unexpected", "miss"))


def _suggest_for_field(
    rule_set: _RuleSet, path: Path, survivors: Sequence[Mutant], mutants: ScoredMutants, trial: "_Trial"
) -> list[RuleSuggestion]:
    scored_survivors = _sample_evenly(survivors)
    present_rules: dict[Path, _PresentRules] = {}
    effects: list[_Effect] = []
    for candidate in _list_candidates(rule_set, path, trial.cases):
        gained = trial.find_killed(candidate, scored_survivors)
        if not gained.any():
            continue
        scope = candidate.scope
        if scope not in present_rules:
            present_rules[scope] = _PresentRules(rule_set, scope, mutants, trial)
        present = present_rules[scope]
        beside = mutants.survivors_beside(str(path), scope)
        kills = _scale_count(gained, len(survivors)) - present.count_lost(candidate)
        kills += _scale_count(trial.find_killed(candidate, _sample_evenly(beside)), len(beside))
        if kills > 0:
            newly_failing = trial.count_newly_failing(candidate, present.real_misses)
            effects.append(_Effect(candidate, kills, len(survivors) + len(beside), newly_failing))
    replaced = _find_rule(rule_set, path)
    return [
        RuleSuggestion(
            rule=effect.candidate.written,
            kills=effect.kills,
            survivors=effect.survivors,
            newly_failing=effect.newly_failing,
            replaces="" if replaced is None else replaced.match.name,
        )
        for effect in _choose_best(effects)
    ]


class _PresentRules:
    """What the rules of one scope do as they are: the misses of the real cases, and the mutants that they alone kill."""

    def __init__(self, rule_set: _RuleSet, scope: Path, mutants: ScoredMutants, trial: "_Trial") -> None:
        self._trial = trial
        present = _Candidate(rule_set.near(scope), rule_set.lists_near(scope), {}, scope)
        self.real_misses = trial.count_real_misses(present)
        killed = mutants.killed_near(scope)
        self._total = len(killed)
        self._killed = _sample_evenly(killed)
        self._by_these_rules = trial.find_killed(present, self._killed)
        self._find_killed_elsewhere = mutants.find_killed_elsewhere

    def count_lost(self, candidate: _Candidate) -> int:
        """The mutants that these rules kill, and neither the candidate nor another evaluator does."""
        lost = self._by_these_rules & ~self._trial.find_killed(candidate, self._killed)
        rows = np.flatnonzero(lost)
        if len(rows):
            lost[rows] = ~self._find_killed_elsewhere([self._killed[row] for row in rows.tolist()])
        return _scale_count(lost, self._total)


def _sample_evenly(mutants: Sequence[Mutant]) -> Sequence[Mutant]:
    """All mutants if they are few, else every second one, every third one …"""
    return mutants[:: max(1, -(-len(mutants) // _MAX_MUTANTS))]


def _scale_count(is_counted: NDArray[np.bool_], total: int) -> int:
    """How many of `total` mutants count, if the sampled ones stand for all."""
    return int(is_counted.sum()) * total // len(is_counted) if len(is_counted) else 0


def _choose_best(effects: Sequence[_Effect]) -> list[_Effect]:
    """The candidates that no other one beats in kills or in cost; of equal ones the first, which changes least."""
    best: list[_Effect] = []
    for at, effect in enumerate(effects):
        kills, cost = effect.kills, effect.newly_failing or 0
        is_beaten = False
        for rival_at, rival in enumerate(effects):
            rival_cost = rival.newly_failing or 0
            as_good = rival.kills >= kills and rival_cost <= cost
            better = rival.kills > kills or rival_cost < cost or rival_at < at
            is_beaten |= rival_at != at and as_good and better
        if not is_beaten:
            best.append(effect)
    return sorted(best, key=lambda effect: -effect.kills)[:_MAX_PER_FIELD]


def _list_candidates(rule_set: _RuleSet, path: Path, cases: Cases) -> Iterator[_Candidate]:
    """Changes of the rules for a field, the smallest first."""
    near, lists = rule_set.near(path), rule_set.lists_near(path)
    rule = _find_rule(rule_set, path)
    if _are_lists(cases, path):
        yield from _list_alignments(rule_set, path)
        if rule is not None:  # the list is compared as a whole
            new_rule = replace(rule, match=Match("exact", MATCHERS.find("exact").options()))
            yield _Candidate(tuple(new_rule if old is rule else old for old in near), lists, write_rule(new_rule), path)
        yield from _cover_list(rule_set, path, cases)
        return
    if rule is None:
        for match in _usual_matches(cases, path):
            new_rule = FieldRule(path=path, text=str(path), match=match)
            yield _Candidate((*near, new_rule), lists, write_rule(new_rule), path)
        return
    for new_rule in _change_rule(rule, rule_set.unexpected, cases):
        yield _Candidate(tuple(new_rule if old is rule else old for old in near), lists, write_rule(new_rule), path)


def _are_lists(cases: Cases, path: Path) -> bool:
    """True if the values at a path are lists."""
    for record in cases.expected:
        values = _flatten(value_at(record, path.steps), path.each_count)
        if values:
            return any(isinstance(value, list) for value in values)
    return False


def _list_alignments(rule_set: _RuleSet, path: Path) -> Iterator[_Candidate]:
    for rule in rule_set.lists:
        if _generalize(rule.path.steps) == path.steps and rule.align != "index":
            new_rule = ListRule(path=rule.path, align="index")
            item_path = Path((*path.steps, EACH))
            lists = tuple(new_rule if old is rule else old for old in rule_set.lists_near(item_path))
            yield _Candidate(rule_set.near(item_path), lists, {"path": str(rule.path), "align": "index"}, item_path)


def _cover_list(rule_set: _RuleSet, path: Path, cases: Cases) -> Iterator[_Candidate]:
    """A rule for the items of a list that has none, or none that counts every item."""
    item_path = Path((*path.steps, EACH))
    near, lists = rule_set.near(item_path), rule_set.lists_near(item_path)
    inferred = infer_rules_from_pairs([(record, MISSING) for record in cases.expected[:50]])
    for rule in inferred.rules:
        if rule.path is not None and rule.path.steps[: len(item_path.steps)] == item_path.steps:
            taken = any(old.path == rule.path for old in near)
            if not taken:
                yield _Candidate((*near, rule), lists, write_rule(rule), item_path)
                return


def _change_rule(rule: FieldRule, unexpected: str, cases: Cases) -> Iterator[FieldRule]:
    """The rule with one option changed, then with another match."""
    assert rule.path is not None
    if rule.required is False:
        yield replace(rule, required=None)
    if (rule.unexpected or unexpected) == "ignore":
        yield replace(rule, unexpected="miss")
    usual = _usual_matches(cases, rule.path)
    matches = [*_tighten_match(rule.match, cases, rule.path), *usual]
    if rule.match.name in _TEXT_MATCHES and usual[0].name not in (*_TEXT_MATCHES, "exact"):
        matches = [usual[0], *matches]  # the type of the column is a better rule than any threshold
    for match in matches:
        if match != rule.match:
            yield replace(rule, match=match)


def _tighten_match(match: Match, cases: Cases, path: Path) -> Iterator[Match]:
    """The same match with one option changed so that it leaves out less."""
    options: Any = MATCHERS.find(match.name).options() if match.options is None else match.options
    if not is_dataclass(options) or isinstance(options, type):
        return
    option_values: dict[str, Any] = {option.name: getattr(options, option.name) for option in fields(options)}
    names = set(option_values)
    changes: list[dict[str, Any]] = []
    if "tolerance" in names:
        changes += _tighten_tolerance(match, names, _infer_match(cases, path))
    changes += [{name: strict} for name, strict in _STRICT_OPTIONS.items() if name in names and option_values[name] != strict]
    if "day_first" in names and option_values["day_first"] is None and not option_values.get("formats"):
        changes += [{"day_first": True}, {"day_first": False}]
    if "threshold" in names:
        changes += [{"threshold": threshold} for threshold in _THRESHOLDS if threshold > option_values["threshold"]]
    for change in changes:
        yield Match(match.name, replace(options, **change))


def _tighten_tolerance(match: Match, names: set[str], inferred: Match) -> list[dict[str, Any]]:
    """Half a unit of the last decimal where the column has decimals, and no tolerance."""
    absolute: dict[str, Any] = {name: value for name, value in (("relative", False), ("relative_tolerance", None)) if name in names}
    tolerances = [0.0]
    if inferred.name == match.name and not getattr(inferred.options, "relative", False):
        tolerances = [getattr(inferred.options, "tolerance", 0.0), 0.0]
    return [{"tolerance": tolerance, **absolute} for tolerance in dict.fromkeys(tolerances)]


def _usual_matches(cases: Cases, path: Path) -> list[Match]:
    """The match that the column suggests, then `exact`."""
    inferred = _infer_match(cases, path)
    exact = Match("exact", MATCHERS.find("exact").options())
    return [inferred] if inferred.name == "exact" else [inferred, exact]


def _infer_match(cases: Cases, path: Path) -> Match:
    name = next((step for step in reversed(path.steps) if isinstance(step, str)), "")
    expected = [value for value in _column(cases.expected, path) if value is not None and value is not MISSING]
    plain = [value for value in expected if isinstance(value, str | int | float)]
    return choose_match(plain, (), name)[0] if len(plain) == len(expected) else Match("exact", MATCHERS.find("exact").options())


def _column(records: Sequence[Any], path: Path) -> list[Any]:
    values: list[Any] = []
    for record in records:
        values += _flatten(value_at(resolve_accepted(record), path.steps), path.each_count)
    return values


def _flatten(value: Any, depth: int) -> list[Any]:
    if depth and isinstance(value, list):
        return [inner for item in value for inner in _flatten(item, depth - 1)]  # pyright: ignore[reportUnknownVariableType]
    return [value]


def _find_rule(rule_set: _RuleSet, path: Path) -> FieldRule | None:
    for rule in rule_set.rules:
        if rule.path is not None and _generalize(rule.path.steps) == path.steps:
            return rule
    return None


def _list_prefix(path: Path) -> tuple[Step, ...] | None:
    """The steps up to the first `[*]`; None for a field in no list."""
    for at, step in enumerate(path.steps):
        if step is EACH:
            return path.steps[: at + 1]
    return None


def _generalize(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(EACH if isinstance(step, int) else step for step in steps)


class _Trial:
    """Scores candidates on mutants and on the real cases."""

    def __init__(self, cases: Cases, services: Services) -> None:
        self.cases, self._services = cases, services
        self._records = [resolve_accepted(record) for record in cases.expected]
        actual = ScoringBatch(cases, services).records.actual
        self._real_rows = [row for row, record in enumerate(actual) if isinstance(record, dict | list)]
        self._real_actual = [actual[row] for row in self._real_rows]

    def find_killed(self, candidate: _Candidate, mutants: Sequence[Mutant]) -> NDArray[np.bool_]:
        """Which mutants have more misses under the candidate than the records that they were made from."""
        rows = [mutant.case for mutant in mutants]
        distinct = sorted(set(rows))
        base = dict(zip(distinct, self._count_misses(candidate, distinct, [self._records[row] for row in distinct]).tolist(), strict=True))
        records = [apply_mutant(self._records[mutant.case], mutant.steps, mutant.replacement) for mutant in mutants]
        misses = self._count_misses(candidate, rows, records)
        return misses > np.array([base[row] for row in rows], dtype=np.int64)

    def count_real_misses(self, candidate: _Candidate) -> NDArray[np.int64]:
        """The misses of every real case."""
        return self._count_misses(candidate, self._real_rows, self._real_actual)

    def count_newly_failing(self, candidate: _Candidate, old_misses: NDArray[np.int64]) -> int | None:
        """Real cases without a miss before that have one under the candidate; None without real cases."""
        if not self._real_rows:
            return None
        return int(((self.count_real_misses(candidate) > 0) & (old_misses == 0)).sum())

    def _count_misses(self, candidate: _Candidate, rows: Sequence[int], actual: Sequence[Any]) -> NDArray[np.int64]:
        if not candidate.rules or not rows:
            return np.zeros(len(rows), dtype=np.int64)
        options = EVALUATORS.find("field_accuracy").options(fields=candidate.rules, lists=candidate.lists)
        planned = PlannedEvaluator(type="field_accuracy", name="candidate", config=options)
        cases = replace(self.cases.take(rows), actual=list(actual))
        return evaluate(planned, ScoringBatch(cases, self._services, find_causes=False)).misses.counts().astype(np.int64)
