"""The fields of a run whose threshold or tolerance can be tried, each with the histogram of what is compared with it."""

from dataclasses import dataclass, replace
from math import floor, log10
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.rule import FieldRule
from fieldwise.registry import EVALUATORS, MATCHERS
from fieldwise.specs import StoredDecision
from fieldwise.store.part_reader import list_part_files
from fieldwise.store.run import Run
from fieldwise.study.changed_comparisons import find_rule_problems
from fieldwise.study.inferred_suite import read_suite_with_rules
from fieldwise.study.stored_batch import StoredPart, find_compared_rows
from fieldwise.study.what_if import refuse_other_versions

BINS: Final = 20
MAX_FIELDS: Final = 60
_FAR: Final = 95
"""Percentile of the distances at which a slider ends: a few are far away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitHistogram:
    """One field with a threshold or a tolerance."""

    evaluator: str
    field: str
    option: str
    """`threshold` or `tolerance`."""
    value: float
    """The limit that the run used."""
    top: float
    """The highest value of the slider; the lowest is 0."""
    step: float
    passed: tuple[int, ...]
    """Comparisons that passed, by bin of similarity or distance; equal values are not counted."""
    failed: tuple[int, ...]
    beyond: int
    """Comparisons beyond the last bin."""

    @property
    def name(self) -> str:
        """The name of the setting."""
        return f"{self.evaluator}.{self.field}.{self.option}"


@dataclass(frozen=True, slots=True)
class LimitStudy:
    """The histograms of a run, or the reason why there are none."""

    histograms: tuple[LimitHistogram, ...]
    reason: str = ""
    """Sentences without the last full stop; empty if there are histograms."""


class _NoHistogram(Exception):
    """Why an evaluator has no histogram, as a sentence."""


def build_limit_histograms(run: Run) -> LimitStudy:
    """The histograms of all fields that `what-if` can try; without any, the reason."""
    if run.state != "finished":
        return LimitStudy((), f"The run is {run.state}; what if needs a finished one")
    try:
        suite = read_suite_with_rules(run)
        refuse_other_versions(run, suite.plan)
    except ConfigError as error:
        problem = error.diagnostics[0]
        return LimitStudy((), f"{problem.what}; {problem.fix}" if problem.fix else problem.what)
    histograms: list[LimitHistogram] = []
    reasons: list[str] = []
    for planned in suite.plan.evaluators:
        has_rules = getattr(planned.config, "fields", ()) or planned.name in suite.without_rules
        if not has_rules or "fields" not in EVALUATORS.find(planned.type).recomputes:
            continue
        try:
            if planned.name in suite.without_rules:
                raise _NoHistogram(
                    f"The rules of `{planned.name}` were inferred from other data than the run stores, such as all cases of which it scored"
                    " some; write them into the suite, as `fieldwise init` does, and run it again"
                )
            histograms += _build_of_evaluator(run, planned)
        except _NoHistogram as obstacle:
            reasons.append(str(obstacle))
    if not histograms and not reasons:
        reasons.append("No evaluator of the suite has rules with a threshold or a tolerance")
    return LimitStudy(tuple(histograms[:MAX_FIELDS]), "" if histograms else ". ".join(reasons))


def _build_of_evaluator(run: Run, planned: PlannedEvaluator) -> list[LimitHistogram]:
    rules = [rule for rule in getattr(planned.config, "fields", ()) if _has_limit(rule)]
    if not rules:
        raise _NoHistogram(f"No rule of `{planned.name}` has a threshold or a tolerance that stored comparisons can be held against")
    obstacles = {rule.text: _find_obstacle(planned, rule) for rule in rules}
    rules = [rule for rule in rules if obstacles[rule.text] is None]
    if not rules:
        raise _NoHistogram(next(filter(None, obstacles.values())))
    if not any(list_part_files(part, "comparisons", planned.name) for part in run.parts):
        raise _NoHistogram(f"The run stores no comparisons of `{planned.name}`")
    measured: dict[str, list[tuple[NDArray[np.float64], NDArray[np.bool_]]]] = {rule.text: [] for rule in rules}
    for part in run.parts:
        stored = StoredPart(run.path, part, planned.name)
        for rule in rules:
            if rule.text in stored.fields:
                measured[rule.text].append(_measure(stored, rule))
    histograms = [_build_histogram(planned, rule, measured[rule.text]) for rule in rules if measured[rule.text]]
    if not histograms:
        raise _NoHistogram(f"No case has a field with a threshold or a tolerance in `{planned.name}`")
    return histograms


def _has_limit(rule: FieldRule) -> bool:
    """True if a number decides whether a stored comparison of this rule passes."""
    decision = MATCHERS.find(rule.match.name).stored_decision
    return decision is not None and isinstance(getattr(_options_of(rule), decision.options[0]), int | float)


def _find_obstacle(planned: PlannedEvaluator, rule: FieldRule) -> str | None:
    """Why the limit of a rule cannot be tried; None if it can."""
    decision = _decision_of(rule)
    options = _options_of(rule)
    reason = decision.obstacle(options, options) if decision.obstacle is not None else None
    if reason is not None:
        return f"`{planned.name}.{rule.text}`: `{decision.options[0]}` cannot be tried: {reason}"
    if find_rule_problems(planned.name, planned.config, _with_other_weight(planned.config, rule)):
        return f"`{planned.name}.{rule.text}`: `{decision.options[0]}` cannot be tried: `align: best` pairs list items by it"
    return None


def _with_other_weight(config: Any, rule: FieldRule) -> Any:
    """The options with another weight of this rule: what pairs list items by a weight pairs them by the limit, too."""
    reweighted = replace(rule, weight=rule.weight + 1)
    return replace(config, fields=tuple(reweighted if field_rule is rule else field_rule for field_rule in config.fields))


def _options_of(rule: FieldRule) -> Any:
    return MATCHERS.find(rule.match.name).options() if rule.match.options is None else rule.match.options


def _decision_of(rule: FieldRule) -> StoredDecision:
    decision = MATCHERS.find(rule.match.name).stored_decision
    assert decision is not None
    return decision


def _measure(stored: StoredPart, rule: FieldRule) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """What is compared with the limit in each differing row of a field, and whether the row passed."""
    rows = find_compared_rows(stored, stored.fields.index(rule.text))
    if _decision_of(rule).by == "similarity":
        values = np.where(np.isposinf(stored.distance[rows]), np.nan, stored.similarity[rows])
    else:
        values = np.where(np.isnan(stored.distance[rows]), stored.relative_distance[rows], stored.distance[rows])
    is_measured = np.isfinite(values)
    return values[is_measured], stored.passed[rows][is_measured]


def _build_histogram(
    planned: PlannedEvaluator, rule: FieldRule, measured: list[tuple[NDArray[np.float64], NDArray[np.bool_]]]
) -> LimitHistogram:
    values, passed = (np.concatenate(columns) for columns in zip(*measured, strict=True))
    option = _decision_of(rule).options[0]
    limit = float(getattr(_options_of(rule), option))
    top = 1.0 if option == "threshold" else _choose_top(values, limit)
    is_near = values <= top
    edges = np.linspace(0.0, top, BINS + 1)
    counts = [tuple(np.histogram(values[is_near & mask], edges)[0].tolist()) for mask in (passed, ~passed)]
    return LimitHistogram(
        evaluator=planned.name,
        field=rule.text,
        option=option,
        value=limit,
        top=top,
        step=top / 200,
        passed=counts[0],
        failed=counts[1],
        beyond=int((~is_near).sum()),
    )


def _choose_top(distances: NDArray[np.float64], limit: float) -> float:
    """A round number that most distances and the limit do not exceed."""
    highest = max(float(np.percentile(distances, _FAR)) if len(distances) else 0.0, 2 * limit) or 1.0
    unit = 10.0 ** floor(log10(highest))
    return float(next(factor for factor in (1, 2, 5, 10) if factor * unit >= highest) * unit)
