"""How many of the fields that were asked for are right, each by its own rule.

>>> import fieldwise as fw
>>> result = fw.evaluate({"type": "field_accuracy", "fields": [{"path": "a"}, {"path": "b"}]}, expected={"a": 1, "b": 2}, actual={"a": 1})
>>> result.score, result.hits, result.misses, result.reasoning
(0.5, ['a'], ['b (required, missing)'], '1/2 fields matched')
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import orjson
from numpy.typing import NDArray

from fieldwise.evaluators.records._fields import faults_of, field_status, hit_labels, lists_without_items, miss_labels, reasoning
from fieldwise.kernels.plain_json import plain_texts
from fieldwise.model.batch import Batch
from fieldwise.model.comparison import Comparisons, Outcome
from fieldwise.model.options import Problem
from fieldwise.model.path import Path, list_of
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

    def problems(self) -> Iterable[Problem]:
        """Lists whose items no field looks at."""
        return lists_without_items(self.fields, self.lists) if self.fields else ()

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
        reasoning=reasoning(reasons, "{}/{} fields matched".format, passed, counted),
        metrics={"fields_matched": passed.astype(np.float64), "fields_scored": counted.astype(np.float64)},
        details=FieldDetails(comparisons, by_field, reasons),
        comparisons=comparisons,
    )


def scored_rows(comparisons: Comparisons) -> NDArray[np.bool_]:
    """The rows that count. Not: ignored fields, fields expected does not have, and what is optional and not there.

    A path that cannot be read counts even so: nobody knows whether something is there.
    """
    outcome = comparisons.outcome
    left_out = [rule.required is False and rule.path is not None for rule in comparisons.rules]
    optional = np.array(left_out, dtype=np.bool_)[comparisons.field]
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
    """The score of each field in each case: for the items of a list their mean, over the longer of the two lists.

    In lists of lists, that is the longer one for each inner list: what one of them lacks, another cannot make up for.
    """
    shape = (len(comparisons.fields), comparisons.cases)
    cell = comparisons.field.astype(np.int64) * comparisons.cases + comparisons.case

    def count(rows: NDArray[np.bool_]) -> Numbers:
        return np.bincount(cell[rows], minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)

    similarity = np.nan_to_num(comparisons.similarity[scored], nan=0.0)
    total = np.bincount(cell[scored], weights=similarity, minlength=shape[0] * shape[1]).reshape(shape)
    of = np.maximum(count(scored & ~comparisons.extra), count(scored & ~comparisons.lone))
    for position, rule in enumerate(comparisons.rules):
        if rule.path is not None and rule.path.each > 1:
            of[position] = _items_list_by_list(comparisons, np.flatnonzero(scored & (comparisons.field == position)), rule.path)
    counted = of > 0
    failed = count(scored & ~comparisons.passed)
    return ByField(np.divide(total, of, out=np.zeros(shape), where=counted), counted, counted & (failed == 0))


def _items_list_by_list(comparisons: Comparisons, rows: NDArray[np.int64], path: Path) -> Numbers:
    """For each case the sum over its inner lists of how many items the longer side has."""
    used, code = np.unique(comparisons.path[rows], return_inverse=True)
    texts = [comparisons.paths[at] for at in map(int, used)]
    names: dict[str, int] = {}
    lists = np.array([names.setdefault(list_of(text, path), len(names)) for text in texts], dtype=np.int64)
    keys, place = np.unique(comparisons.case[rows] * np.int64(len(names)) + lists[code], return_inverse=True)
    sides = [np.bincount(place[~alone[rows]], minlength=len(keys)) for alone in (comparisons.extra, comparisons.lone)]
    longer = np.maximum(*sides).astype(np.float64)
    return np.bincount(keys // max(len(names), 1), weights=longer, minlength=comparisons.cases).astype(np.float64)


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


class FieldDetails:
    """The arithmetic of the score: each field's score and weight. A run asks for every case, so arrays become lists once for all."""

    def __init__(self, comparisons: Comparisons, by_field: ByField, reasons: dict[int, str]) -> None:
        self._comparisons, self._by_field, self._reasons = comparisons, by_field, reasons
        self._named = tuple((name, float(rule.weight)) for name, rule in zip(comparisons.fields, comparisons.rules, strict=True))

    def __call__(self, case: int) -> dict[str, Any]:
        """The details of a case."""
        fields = [
            {"field": name, "score": score, "weight": weight, "passed": passed}
            for (name, weight), score, passed, counted in zip(self._named, *self._by_case[case], strict=True)
            if counted
        ]
        return {"fields": fields, **faults_of(self._comparisons, case, self._reasons)}

    @cached_property
    def _by_case(self) -> list[tuple[list[float], list[bool], list[bool]]]:
        found = self._by_field
        return list(zip(found.score.T.tolist(), found.passed.T.tolist(), found.counted.T.tolist(), strict=True))

    def texts(self) -> list[bytes | None]:
        """The same as JSON text, put together from what most cases have in common; None where it is not as simple as that."""
        found, pieces = self._by_field, _pieces(self._named)
        if pieces is None or self._comparisons.faults:
            return [None] * self._comparisons.cases
        cases, fields = np.nonzero(~(found.counted & found.passed & (found.score == 1.0)).T)
        places: list[int] = fields.tolist()
        scores = orjson.dumps(found.score[fields, cases].tolist())[1:-1].split(b",") if places else []
        flags = (found.passed[fields, cases].tolist(), found.counted[fields, cases].tolist())
        others = [
            b"%b%b%b" % (head, score, yes if passed else no) if counted else b""
            for (_, head, yes, no), score, passed, counted in zip(map(pieces.__getitem__, places), scores, *flags, strict=True)
        ]
        whole = [piece[0] for piece in pieces]
        ends: list[int] = np.searchsorted(cases, np.arange(found.score.shape[1] + 1)).tolist()
        return [_fields_text(whole, places[start:end], others[start:end]) for start, end in pairwise(ends)]


@lru_cache(maxsize=64)
def _pieces(named: tuple[tuple[str, float], ...]) -> list[tuple[bytes, bytes, bytes, bytes]] | None:
    """For each field, all of it where it is simply right; what stands before the score; and what after it if it passed, or did not.

    None where a name cannot be written just like that.
    """
    pieces: list[tuple[bytes, bytes, bytes, bytes]] = []
    for name, (_, weight) in zip(plain_texts([name for name, _ in named]), named, strict=True):
        if name is None:
            return None
        head, tail = b'{"field":%b,"score":' % name, b',"weight":%b,"passed":' % orjson.dumps(weight)
        pieces.append((b"%b1.0%btrue}" % (head, tail), head, b"%btrue}" % tail, b"%bfalse}" % tail))
    return pieces


def _fields_text(whole: list[bytes], places: list[int], others: list[bytes]) -> bytes:
    """The details of a case from those of its fields, where at these places others stand; what is empty is left out."""
    pieces = whole.copy()
    for place, other in zip(places, others, strict=True):
        pieces[place] = other
    return b'{"fields":[%b]}' % b",".join(filter(None, pieces) if b"" in others else pieces)
