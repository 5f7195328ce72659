"""How many of the fields that were asked for are right, each by its own rule.

>>> import fieldwise as fw
>>> result = fw.evaluate({"type": "field_accuracy", "fields": [{"path": "a"}, {"path": "b"}]}, expected={"a": 1, "b": 2}, actual={"a": 1})
>>> result.score, result.hits, result.misses, result.reasoning
(0.5, ['a'], ['b (required, missing)'], '1/2 fields matched')
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fieldwise.evaluators._fields import faults_of, field_status, hit_labels, miss_labels
from fieldwise.model.batch import Batch
from fieldwise.model.comparison import Comparisons, Outcome
from fieldwise.model.result import Results, Status
from fieldwise.model.rule import CompareSpec, FieldRule, ListRule
from fieldwise.model.values import MISSING
from fieldwise.registry import evaluator

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldAccuracy:
    """Which fields, how each of them matches, and how their scores become one."""

    fields: tuple[FieldRule, ...] = ()
    """The fields to compare. Left out: every leaf of expected, with rules inferred from its values."""
    lists: tuple[ListRule, ...] = ()
    """How items of lists find their counterparts: by index (default), by a key, by the best fit, or as a set."""
    aggregation: Literal["weighted_average", "all_or_nothing"] = "weighted_average"
    """The weighted mean of the fields' scores; or 1 only if every field passed."""

    def needs_rules(self) -> bool:
        """Whether no fields were named."""
        return not self.fields

    def with_rules(self, fields: tuple[FieldRule, ...], lists: tuple[ListRule, ...]) -> "FieldAccuracy":
        """The same with these fields; lists that were named stay as they are."""
        named = {rule.path for rule in self.lists}
        return replace(self, fields=fields, lists=(*self.lists, *(rule for rule in lists if rule.path not in named)))


@lru_cache(maxsize=64)
def _spec(fields: tuple[FieldRule, ...], lists: tuple[ListRule, ...]) -> CompareSpec:
    return CompareSpec(rules=fields, lists=lists)


@evaluator(counts=("fields_matched", "fields_scored"))
def field_accuracy(batch: Batch, config: FieldAccuracy) -> Results:
    """The weighted share of fields that match."""
    comparisons = batch.compare(_spec(config.fields, config.lists))
    scored = scored_rows(comparisons)
    by_field = field_scores(comparisons, scored)
    passed = by_field.passed.sum(axis=0)
    passed[[value is None or value is MISSING for value in batch.records.actual]] = 0  # without an output, nothing matched
    counted = by_field.counted.sum(axis=0)
    score = _aggregate(by_field, [rule.weight for rule in comparisons.rules], config.aggregation)
    status, reasons = field_status(comparisons, counted)
    score[status != Status.SCORED] = 0.0
    return Results(
        score=score,
        status=status,
        hits=hit_labels(comparisons, scored),
        misses=miss_labels(comparisons, scored),
        reasoning=_reasoning(passed.tolist(), counted.tolist(), reasons),
        metrics={"fields_matched": passed.astype(np.float64), "fields_scored": counted.astype(np.float64)},
        details=lambda row: _details(comparisons, by_field, reasons, row),
        comparisons=comparisons,
    )


def scored_rows(comparisons: Comparisons) -> NDArray[np.bool_]:
    """The rows that count. Not: ignored fields, fields expected does not have, and what is optional and not there."""
    outcome = comparisons.outcome
    optional = np.array([rule.required is False for rule in comparisons.rules], dtype=np.bool_)[comparisons.field]
    scored = outcome != Outcome.IGNORED
    scored &= ~((outcome == Outcome.BOTH_ABSENT) & (optional | ~comparisons.passed))
    scored &= ~((outcome == Outcome.OMISSION) & optional)
    for row in np.flatnonzero((outcome == Outcome.HALLUCINATION) & ~comparisons.extra).tolist():
        scored[row] = comparisons.expected[row] is not MISSING
    return scored


@dataclass(frozen=True, slots=True)
class ByField:
    """Fields × cases."""

    score: Numbers
    counted: NDArray[np.bool_]
    passed: NDArray[np.bool_]


def field_scores(comparisons: Comparisons, scored: NDArray[np.bool_]) -> ByField:
    """The score of each field in each case: for the items of a list their mean, over the longer of the two lists."""
    shape = (len(comparisons.fields), comparisons.cases)
    cell = comparisons.field.astype(np.int64) * comparisons.cases + comparisons.case

    def count(rows: NDArray[np.bool_]) -> Numbers:
        return np.bincount(cell[rows], minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)

    similarity = np.nan_to_num(comparisons.similarity[scored], nan=0.0)
    total = np.bincount(cell[scored], weights=similarity, minlength=shape[0] * shape[1]).reshape(shape)
    of = np.maximum(count(scored & ~comparisons.extra), count(scored & ~comparisons.lone))
    counted = of > 0
    failed = count(scored & ~comparisons.passed)
    return ByField(np.divide(total, of, out=np.zeros(shape), where=counted), counted, counted & (failed == 0))


def _aggregate(by_field: ByField, weights: list[float], how: str) -> Numbers:
    if how == "all_or_nothing":
        failed = (by_field.counted & ~by_field.passed).sum(axis=0)
        return np.where((by_field.counted.sum(axis=0) > 0) & (failed == 0), 1.0, 0.0)
    total = np.zeros(by_field.score.shape[1])
    weight = np.zeros(by_field.score.shape[1])
    for position, each in enumerate(weights):  # field by field, so that a score does not depend on the batch it was computed in
        total += each * by_field.score[position]
        weight += each * by_field.counted[position]
    mean: Numbers = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
    return mean.clip(max=1.0)


def _reasoning(passed: list[int], counted: list[int], reasons: dict[int, str]) -> list[str]:
    return [reasons.get(row) or f"{good}/{of} fields matched" for row, (good, of) in enumerate(zip(passed, counted, strict=True))]


def _details(comparisons: Comparisons, by_field: ByField, reasons: dict[int, str], case: int) -> dict[str, Any]:
    """The arithmetic of the score: each field's score and weight."""
    fields = [
        {
            "field": comparisons.fields[position],
            "score": float(by_field.score[position, case]),
            "weight": comparisons.rules[position].weight,
            "passed": bool(by_field.passed[position, case]),
        }
        for position in np.flatnonzero(by_field.counted[:, case]).tolist()
    ]
    return {"fields": fields, **faults_of(comparisons, case, reasons)}
