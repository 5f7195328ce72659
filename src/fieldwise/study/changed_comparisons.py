"""Stored comparisons decided again under other options, by the stored similarities and distances alone."""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.pairs import Measurements
from fieldwise.model.path import EACH
from fieldwise.model.rule import CompareSpec, FieldRule, Match
from fieldwise.model.values import MISSING
from fieldwise.registry import MATCHERS
from fieldwise.score.comparison_builder import compares_readings, differ_in_kind, differ_in_type_only, outcome_by_presence
from fieldwise.score.matching import choose_accepted
from fieldwise.specs import EvaluatorSpec, MatcherSpec
from fieldwise.store.comparison_table import DISTANCE_COLUMN
from fieldwise.store.run import Run
from fieldwise.study.stored_batch import StoredPart, find_compared_rows

_FIX: Final = "change it in the suite, and run the suite again"
_ABSENT: Final = (Outcome.IGNORED, Outcome.OMISSION, Outcome.BOTH_ABSENT, Outcome.HALLUCINATION)
"""Outcomes that follow from which side has a value."""


class _SpecCaptured(Exception):
    def __init__(self, spec: CompareSpec) -> None:
        self.spec = spec
        super().__init__()


class _CapturingBatch:
    """A batch that ends the evaluator as soon as it says what it compares."""

    def compare(self, spec: CompareSpec) -> ComparisonTable:
        raise _SpecCaptured(spec)


def capture_spec(spec: EvaluatorSpec, config: object) -> CompareSpec:
    """What an evaluator compares under these options."""
    try:
        spec.function(_CapturingBatch(), config)
    except _SpecCaptured as captured:
        return captured.spec
    raise LookupError(f"`{spec.name}` compares no fields")


def find_rule_problems(evaluator: str, old_config: Any, new_config: Any) -> list[Diagnostic]:
    """Why changed rules cannot be decided by what is stored; empty if they can."""
    best_lists = [rule.path.steps for rule in new_config.lists if rule.align == "best"]
    problems: list[Diagnostic] = []
    for old, new in zip(old_config.fields, new_config.fields, strict=True):
        for option, reason in _find_option_obstacles(old, new, best_lists):
            what = f"`{evaluator}.{new.text}`: `{option}` cannot be recomputed from a stored run: {reason}"
            problems.append(Diagnostic(code="not-recomputable", what=what, fix=_FIX))
    return problems


def _find_option_obstacles(old: FieldRule, new: FieldRule, best_lists: list[tuple[Any, ...]]) -> Iterator[tuple[str, str]]:
    """The options of a rule that changed and cannot be recomputed, each with the reason."""
    for name in ("path", "text", "sparse", "evidence"):
        if getattr(old, name) != getattr(new, name):
            yield name, "it decides what is compared" if name != "sparse" else "it changes no score"
    changed = [name for name in ("weight",) if old.weight != new.weight]
    if old.match.name != new.match.name:
        yield "match", "the values would be compared in another way"
        return
    matcher = MATCHERS.find(new.match.name)
    old_options, new_options = _options_of(matcher, old.match), _options_of(matcher, new.match)
    changed_options = [] if old_options == new_options else _list_changed(old_options, new_options)
    decision = matcher.stored_decision
    for name in changed_options:
        if decision is None or name not in decision.options:
            yield name, _explain_option(name, new.match.name)
        elif decision.obstacle is not None and (reason := decision.obstacle(old_options, new_options)):
            yield name, reason
        else:
            changed.append(name)
    if changed and _goes_through(new, best_lists):
        for name in changed:
            yield name, "`align: best` pairs list items by it"


def _list_changed(old: Any, new: Any) -> list[str]:
    return [field.name for field in fields(old) if getattr(old, field.name) != getattr(new, field.name)]


def _explain_option(option: str, match: str) -> str:
    if option == "tolerance":
        return f"the run stores no distance for `{match}`"
    return "the values would have to be compared again; only similarities and distances are stored"


def _goes_through(rule: FieldRule, lists: list[tuple[Any, ...]]) -> bool:
    """True if a field belongs to the items of one of these lists."""
    if rule.path is None:
        return False
    steps = rule.path.steps
    return any(steps[: len(path) + 1] == (*path, EACH) for path in lists)


def _options_of(matcher: MatcherSpec, match: Match) -> Any:
    return matcher.options() if match.options is None else match.options


def change_comparisons(
    run: Run, stored: StoredPart, comparisons: ComparisonTable, specs: tuple[CompareSpec, CompareSpec], *, restore_all: bool
) -> ComparisonTable:
    """The comparisons under the new rules: what a matcher decided is decided again, and so is absence where its options changed."""
    changing = _ChangingRows(run, stored, comparisons)
    old_spec, new_spec = specs
    old_rules = {rule.text: rule for rule in old_spec.rules}
    position_of = {name: position for position, name in enumerate(stored.fields)}
    for new in new_spec.rules:
        old, field = old_rules.get(new.text, new), position_of.get(new.text)
        if field is None:
            continue
        if old.match != new.match:
            changing.decide(find_compared_rows(stored, field), old.match, new.match)
        if restore_all or old.required != new.required or old.unexpected != new.unexpected:
            changing.restore_absence(field, new)
    if callable(old_spec.default) and callable(new_spec.default):
        ruled = {rule.text for rule in new_spec.rules}
        unruled = [position for name, position in position_of.items() if name not in ruled]
        changing.decide_by_value(unruled, old_spec.default, new_spec.default)
    return changing.build()


class _ChangingRows:
    """Copies of the columns that options decide."""

    def __init__(self, run: Run, stored: StoredPart, comparisons: ComparisonTable) -> None:
        self._run, self._stored, self._comparisons = run, stored, comparisons
        self._outcome, self._similarity = comparisons.outcome.copy(), comparisons.similarity.copy()
        self._passed = comparisons.passed.copy()

    def decide(self, rows: NDArray[np.int64], old: Match, new: Match) -> None:
        """Decide rows of one match under its new options."""
        matcher = MATCHERS.find(new.name)
        decision = matcher.stored_decision
        assert decision is not None
        stored = self._stored
        if decision.by == "distance":
            if stored.lacks(DISTANCE_COLUMN):
                raise ConfigError([_no_distances(self._run)])
            rows = rows[~(np.isnan(stored.distance[rows]) & np.isnan(stored.relative_distance[rows]))]
        measurements = Measurements(stored.similarity[rows], stored.distance[rows], stored.relative_distance[rows])
        if not np.array_equal(decision.decide(measurements, _options_of(matcher, old)), stored.passed[rows]):
            raise ConfigError([_not_reproducible(self._run, new.name)])
        passed = decision.decide(measurements, _options_of(matcher, new))
        self._passed[rows] = passed
        if decision.by == "distance":
            self._similarity[rows] = passed
        self._outcome[rows[passed]] = Outcome.MATCH
        newly_failing = rows[~passed & stored.passed[rows]]
        self._outcome[newly_failing] = self._failed_outcomes(newly_failing, new)

    def _failed_outcomes(self, rows: NDArray[np.int64], match: Match) -> list[int]:
        """Format error where the kinds of the values differ, else wrong value, as scoring decides it."""
        is_format_error: Callable[[Any, Any], bool] = differ_in_type_only if compares_readings(match) else differ_in_kind
        pairs = self._load_pairs(rows, match)
        return [Outcome.FORMAT_ERROR if is_format_error(expected, actual) else Outcome.WRONG_VALUE for expected, actual in pairs]

    def _load_pairs(self, rows: NDArray[np.int64], match: Match) -> Iterator[tuple[Any, Any]]:
        """Expected and actual of these rows; of several accepted values, the one that was compared."""
        pairs = zip(self._stored.load_values("expected", rows), self._stored.load_values("actual", rows), strict=True)
        for expected, actual in pairs:
            if expected.__class__ is dict and accepted_values(expected) is not None:
                yield choose_accepted(match, [expected], [actual])[0], actual
            else:
                yield expected, actual

    def decide_by_value(self, positions: list[int], old: Callable[[Any], Match], new: Callable[[Any], Match]) -> None:
        """Decide rows whose match depends on the expected value."""
        stored = self._stored
        is_unruled = np.zeros(len(stored.fields), dtype=np.bool_)
        is_unruled[positions] = True
        compared = [find_compared_rows(stored, position) for position in np.flatnonzero(is_unruled).tolist()]
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *compared])
        rows_by_match: dict[tuple[Match, Match], list[int]] = {}
        for row, value in zip(rows.tolist(), stored.load_values("expected", rows), strict=True):
            old_match, new_match = old(value), new(value)
            if old_match != new_match:
                rows_by_match.setdefault((old_match, new_match), []).append(row)
        for (old_match, new_match), matched_rows in rows_by_match.items():
            self.decide(np.array(matched_rows, dtype=np.int64), old_match, new_match)

    def restore_absence(self, field: int, rule: FieldRule) -> None:
        """Decide the rows of a field in which a side has no value, as scoring does before the evaluator leaves any of them out."""
        if rule.match.name == "ignore" or rule.path is None:
            return
        rows = np.flatnonzero((self._stored.field == field) & np.isin(self._stored.outcome, _ABSENT))
        for row, (left, right) in zip(rows.tolist(), self._load_pairs(rows, rule.match), strict=True):
            no_expected, no_actual = left is None or left is MISSING, right is None or right is MISSING
            decided = outcome_by_presence(no_expected, no_actual, left is MISSING, right is MISSING, rule.required)
            self._outcome[row], self._similarity[row], self._passed[row] = decided

    def build(self) -> ComparisonTable:
        """The comparisons with the changed columns."""
        return replace(self._comparisons, outcome=self._outcome, similarity=self._similarity, passed=self._passed)


def _no_distances(run: Run) -> Diagnostic:
    what = f"run {run.id} was stored by an earlier version, without distances, so a tolerance cannot be recomputed"
    return Diagnostic(code="old-run", what=what, fix="run the suite again")


def _not_reproducible(run: Run, match: str) -> Diagnostic:
    what = f"the values that run {run.id} stored for `{match}` do not reproduce its results, so nothing can be recomputed from them"
    return Diagnostic(code="old-run", what=what, fix="run the suite again")
