"""Share of the listed fields that match, each by its own rule.

>>> import fieldwise as fw
>>> result = fw.evaluate({"type": "field_accuracy", "fields": [{"path": "a"}, {"path": "b"}]}, expected={"a": 1, "b": 2}, actual={"a": 1})
>>> result.score, result.hits, result.misses, result.reasoning
(0.5, ['a'], ['b (required, missing)'], '1/2 fields matched')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import orjson

from fieldwise.dataclass import dataclass
from fieldwise.evaluators.records._fields import (
    build_hit_labels,
    build_miss_labels,
    decide_statuses,
    describe_faults,
    find_unused_list_rules,
    write_reasoning,
)
from fieldwise.kernels.json_conversion import encode_plain_values
from fieldwise.model.batch import Batch
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.options import OptionProblem
from fieldwise.model.path import Path, innermost_list, value_at
from fieldwise.model.result import Results, Status
from fieldwise.model.rule import CompareSpec, FieldRule, ListRule, Nulls
from fieldwise.model.values import MISSING, Value
from fieldwise.numpy_on_use import np
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Numbers: TypeAlias = "NDArray[np.float64]"
_Flags: TypeAlias = "NDArray[np.bool_]"
# as plain integers: NumPy takes several times as long to compare an array with a member of an enum
_OMISSION, _HALLUCINATION, _BOTH_ABSENT, _IGNORED = map(
    int, (Outcome.OMISSION, Outcome.HALLUCINATION, Outcome.BOTH_ABSENT, Outcome.IGNORED)
)
_SCORED = int(Status.SCORED)
_RECORD = {"a": "x", "b": [1, {"c": 2.5}], "é": {"a": True, "b": None}}


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldAccuracy:
    """Fields, how each of them matches, and how their scores are aggregated."""

    fields: tuple[FieldRule, ...] = ()
    """The fields to compare. Default: every leaf of expected, with rules inferred from its values."""
    lists: tuple[ListRule, ...] = ()
    """How items of lists are paired: by index (default), by a key, by best fit, or as a set."""
    aggregation: Literal["weighted_average", "all_or_nothing"] = "weighted_average"
    """The weighted mean of the fields' scores; or 1 only if every field passed."""
    unexpected: Literal["miss", "ignore"] = "miss"
    """What a value is where expected does not have its field: a miss, or left out of the score. A field may say so itself."""
    null_values: tuple[str, ...] = ()
    """Text that counts as null on both sides, such as `N/A`, or `""` for empty and blank text; trimmed, in any case."""

    def problems(self) -> Iterable[OptionProblem]:
        """List rules whose items no field compares."""
        return find_unused_list_rules(self.fields, self.lists) if self.fields else ()

    def needs_rules(self) -> bool:
        """True if no fields are listed, so that rules must be inferred."""
        return not self.fields

    def with_rules(self, fields: tuple[FieldRule, ...], lists: tuple[ListRule, ...]) -> FieldAccuracy:
        """The same options with these fields; list rules of the suite take precedence over inferred ones."""
        own_paths = {rule.path for rule in self.lists}
        return replace(self, fields=fields, lists=(*self.lists, *(rule for rule in lists if rule.path not in own_paths)))


@evaluator(
    counts=("fields_matched", "fields_scored"),
    version=2,
    metrics=("fields_matched", "fields_scored"),
    recomputes=("fields", "aggregation", "unexpected"),
    examples=[
        EvaluatorExample(
            options={
                "fields": [
                    {"path": "invoice.number", "weight": 2},
                    {"path": "invoice.total", "match": "numeric_tolerance", "tolerance": 0.01},
                    {"path": "vendor", "match": "fuzzy", "threshold": 0.85},
                    {"path": "line_items[*].amount", "match": "numeric_tolerance", "tolerance": 0.5},
                    {"path": "notes", "required": False},
                ],
                "lists": {"line_items": {"align": "key", "key": "sku"}},
            },
            expected={
                "invoice": {"number": "A-1", "total": 119.0},
                "vendor": "Acme Corp",
                "line_items": [{"sku": "a", "amount": 100}, {"sku": "b", "amount": 19}],
            },
            actual={
                "invoice": {"number": "A-1", "total": 119.5},
                "vendor": "ACME Corp.",
                "line_items": [{"sku": "b", "amount": 19}],
            },
        ),
        EvaluatorExample(options={"fields": ["a", "b", {"path": "é.a", "weight": 2}], "null_values": ["", "N/A"]}, perfect=_RECORD),
        EvaluatorExample(
            options={"fields": [{"path": "a", "match": "fuzzy"}, {"path": "b[*].a", "required": False}], "lists": {"b": "best"}},
            perfect=_RECORD,
        ),
        EvaluatorExample(
            options={"fields": ["[*].a", "[-1]", "a[0].b"], "lists": {"[*]": {"align": "key", "key": "a"}}},
            perfect=[{"a": 1, "b": 2}, {"a": 3}],
        ),
        EvaluatorExample(
            options={"fields": ["a[*].b[*]", "b"], "lists": {"a": "best", "a[*].b": "set"}, "aggregation": "all_or_nothing"},
            perfect=_RECORD,
        ),
        EvaluatorExample(options={"fields": [{"path": "a", "required": True}, {"path": "b", "match": "ignore"}, "a..b"], "pass_at": 0.5}),
    ],
)
def field_accuracy(batch: Batch, config: FieldAccuracy) -> Results:
    """The weighted share of fields that match."""
    nulls = Nulls(values=frozenset(config.null_values))
    comparisons = batch.compare(CompareSpec(rules=config.fields, lists=config.lists, nulls=nulls))
    comparisons = _ignore_unscored_rows(comparisons, config, batch.records.expected)
    scored = _scored_rows(comparisons)
    field_scores = _score_fields(comparisons, scored)
    passed = field_scores.passed.sum(axis=0)
    passed[[value is None or value is MISSING for value in batch.records.actual]] = 0  # without an output, nothing matched
    counted = field_scores.counted.sum(axis=0)
    score = _aggregate_scores(field_scores, [rule.weight for rule in comparisons.rules], config.aggregation)
    status, reasons = decide_statuses(comparisons, counted)
    score[status != _SCORED] = 0.0
    return Results(
        score=score,
        status=status,
        hits=build_hit_labels(comparisons, scored),
        misses=build_miss_labels(comparisons, scored),
        reasoning=write_reasoning(reasons, "{}/{} fields matched".format, passed, counted),
        metrics={"fields_matched": passed.astype(np.float64), "fields_scored": counted.astype(np.float64)},
        details=_FieldDetails(comparisons, field_scores, reasons),
        comparisons=comparisons,
    )


def _ignore_unscored_rows(comparisons: ComparisonTable, config: FieldAccuracy, expected: Sequence[Value]) -> ComparisonTable:
    """The comparisons with the outcome `ignored` where options leave a field out, so that scores and field tables count the same rows.

    That is an optional field that is absent, and a value that expected does not have and that should be ignored; an empty list is no
    value. A rule with an unreadable path counts, even an optional one: whether its value is absent cannot be decided.
    Changed in a copy: other evaluators may share the comparisons.
    """
    outcome = comparisons.outcome
    optional_rules = [rule.required is False and rule.path is not None for rule in comparisons.rules]
    hallucinated: list[int] = (outcome == _HALLUCINATION).nonzero()[0].tolist()
    if not hallucinated and True not in optional_rules:
        return comparisons
    is_absent = (outcome == _OMISSION) | (outcome == _BOTH_ABSENT)
    is_ignored = is_absent & np.array(optional_rules, dtype=np.bool_)[comparisons.field]
    for row in hallucinated:
        if comparisons.expected[row] is not MISSING:
            continue
        rule = comparisons.rules[int(comparisons.field[row])]
        is_ignoring = (rule.unexpected or config.unexpected) == "ignore" and _lacks_field(comparisons, row, expected)
        is_ignored[row] = is_ignoring or comparisons.actual[row] == []
    if not is_ignored.any():
        return comparisons
    return replace(
        comparisons,
        outcome=np.where(is_ignored, _IGNORED, outcome).astype(np.uint8),
        similarity=np.where(is_ignored, np.nan, comparisons.similarity),
        passed=comparisons.passed | is_ignored,
        cause={row: cause for row, cause in comparisons.cause.items() if not is_ignored[row]},
    )


def _lacks_field(comparisons: ComparisonTable, row: int, expected: Sequence[Value]) -> bool:
    """False for an extra item of a list that the expected record has: that is no field which expected does not know."""
    if not comparisons.unmatched_actual[row]:
        return True
    rule_path = comparisons.rules[int(comparisons.field[row])].path
    assert rule_path is not None  # a rule without a path has no items
    list_path = innermost_list(comparisons.paths[int(comparisons.path[row])], rule_path)
    if "[+" in list_path:
        return False
    steps = Path.parse(list_path).steps if list_path else ()
    return value_at(expected[int(comparisons.case[row])], steps) is MISSING


def _scored_rows(comparisons: ComparisonTable) -> _Flags:
    """The rows that count: not ignored fields, and fields that neither side has."""
    outcome = comparisons.outcome
    return (outcome != _IGNORED) & ((outcome != _BOTH_ABSENT) | comparisons.passed)


@dataclass(frozen=True, slots=True)
class _FieldScores:
    """Arrays of shape fields × cases."""

    score: _Numbers
    counted: _Flags
    passed: _Flags


def _score_fields(comparisons: ComparisonTable, scored: _Flags) -> _FieldScores:
    """The score of each field in each case: for a field of list items the mean over the longer of the two lists.

    In nested lists the longer side is taken per inner list, so that extra items of one list do not offset missing items of another.
    """
    shape = (len(comparisons.fields), comparisons.cases)
    cell = comparisons.field.astype(np.int64) * comparisons.cases + comparisons.case

    def add_rows(values: _Numbers | _Flags) -> _Numbers:
        return np.bincount(cell, weights=values, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64, copy=False)

    similarity = comparisons.similarity
    total = add_rows(np.where(scored & ~np.isnan(similarity), similarity, 0.0))
    if comparisons.unmatched_actual.any() or comparisons.unmatched_expected.any():
        item_count = np.maximum(add_rows(scored & ~comparisons.unmatched_actual), add_rows(scored & ~comparisons.unmatched_expected))
    else:
        item_count = add_rows(scored)
    for position, rule in enumerate(comparisons.rules):
        if rule.path is not None and rule.path.each_count > 1:
            rows = np.flatnonzero(scored & (comparisons.field == position))
            item_count[position] = _count_items_per_inner_list(comparisons, rows, rule.path)
    counted = item_count > 0
    failed = add_rows(scored & ~comparisons.passed)
    score = np.divide(total, item_count, out=np.zeros(shape), where=counted)
    return _FieldScores(score, counted, counted & (failed == 0))


def _count_items_per_inner_list(comparisons: ComparisonTable, rows: NDArray[np.int64], path: Path) -> _Numbers:
    """For each case, the number of items of the longer side, summed over its inner lists."""
    path_codes, path_of_row = np.unique(comparisons.path[rows], return_inverse=True)
    list_codes: dict[str, int] = {}
    list_of_path = np.zeros(len(path_codes), dtype=np.int64)
    listed_codes: list[int] = path_codes.tolist()
    for at, path_code in enumerate(listed_codes):
        inner_list = innermost_list(comparisons.paths[path_code], path)
        list_of_path[at] = list_codes.setdefault(inner_list, len(list_codes))
    # one number for case and list together
    keys, key_of_row = np.unique(comparisons.case[rows] * np.int64(len(list_codes)) + list_of_path[path_of_row], return_inverse=True)
    expected_items = np.bincount(key_of_row[~comparisons.unmatched_actual[rows]], minlength=len(keys))
    actual_items = np.bincount(key_of_row[~comparisons.unmatched_expected[rows]], minlength=len(keys))
    longer = np.maximum(expected_items, actual_items).astype(np.float64)
    return np.bincount(keys // max(len(list_codes), 1), weights=longer, minlength=comparisons.cases).astype(np.float64)


def _aggregate_scores(field_scores: _FieldScores, weights: list[float], aggregation: str) -> _Numbers:
    if aggregation == "all_or_nothing":
        failed = (field_scores.counted & ~field_scores.passed).sum(axis=0)
        return np.where((field_scores.counted.sum(axis=0) > 0) & (failed == 0), 1.0, 0.0)
    weight_of_field = np.array(weights, dtype=np.float64)[:, np.newaxis]
    total, total_weight = _add_fields(weight_of_field * field_scores.score), _add_fields(weight_of_field * field_scores.counted)
    mean: _Numbers = np.divide(total, total_weight, out=np.zeros(len(total)), where=total_weight > 0)
    return np.minimum(mean, 1.0)


def _add_fields(values: _Numbers) -> _Numbers:
    """The sum over the fields, case by case.

    Added in the order of the fields: a sum or a matrix product may round differently in batches of another size, and scores must not
    depend on the batch.
    """
    return np.add.accumulate(values, axis=0)[-1] if len(values) else np.zeros(values.shape[1])


class _FieldDetails:
    """Details of a case: score and weight of each field, as a dict or as JSON text."""

    def __init__(self, comparisons: ComparisonTable, field_scores: _FieldScores, reasons: dict[int, str]) -> None:
        self._comparisons, self._field_scores, self._reasons = comparisons, field_scores, reasons
        self._weights = tuple((name, float(rule.weight)) for name, rule in zip(comparisons.fields, comparisons.rules, strict=True))

    def __call__(self, case: int) -> dict[str, Any]:
        """The details of a case."""
        fields = [
            {"field": name, "score": score, "weight": weight, "passed": passed}
            for (name, weight), score, passed, counted in zip(self._weights, *self._columns_by_case[case], strict=True)
            if counted
        ]
        return {"fields": fields, **describe_faults(self._comparisons, case, self._reasons)}

    @cached_property  # a run reads every case, so the arrays are converted to lists once
    def _columns_by_case(self) -> list[tuple[list[float], list[bool], list[bool]]]:
        scores = self._field_scores
        return list(zip(scores.score.T.tolist(), scores.passed.T.tolist(), scores.counted.T.tolist(), strict=True))

    def texts(self) -> list[bytes | None]:
        """The details of every case as JSON text; None where `__call__` must be used.

        The text of a field that simply matched is the same in every case, so only the other fields are written case by case.
        """
        scores, fragments = self._field_scores, _build_fragments(self._weights)
        if not fragments or self._comparisons.faults:
            return [None] * self._comparisons.cases
        is_matched = scores.counted & scores.passed & (scores.score == 1.0)
        first_fields = scores.counted.argmax(axis=0)
        # the text of a match begins with a comma, except that of the first field
        is_matched[first_fields, np.arange(len(first_fields))] &= first_fields == 0
        cases, fields = np.nonzero(~is_matched.T)
        replacements = _write_fields(scores, fragments, cases, fields, fields == first_fields[cases])
        pieces = [b'{"fields":[', *(fragment.matched for fragment in fragments), b"]}"]
        width = len(pieces)
        pieces *= len(first_fields)
        for position, text in zip((cases * width + fields + 1).tolist(), replacements, strict=True):
            pieces[position] = text
        return [b"".join(pieces[start : start + width]) for start in range(0, len(pieces), width)]


def _write_fields(
    scores: _FieldScores, fragments: list[_FieldFragments], cases: NDArray[np.int64], fields: NDArray[np.int64], is_first: _Flags
) -> list[bytes]:
    """The JSON text of the details of these fields of these cases; empty for a field that does not count in its case."""
    score_texts = orjson.dumps(scores.score[fields, cases].tolist())[1:-1].split(b",") if len(fields) else []
    columns = (scores.passed[fields, cases].tolist(), scores.counted[fields, cases].tolist(), is_first.tolist())
    texts: list[bytes] = []
    for field, score_text, passed, counted, first in zip(fields.tolist(), score_texts, *columns, strict=True):
        fragment = fragments[field]
        tail = fragment.passed_tail if passed else fragment.failed_tail
        head = fragment.first_head if first else fragment.head
        texts.append(b"%b%b%b" % (head, score_text, tail) if counted else b"")
    return texts


@dataclass(frozen=True, slots=True)
class _FieldFragments:
    """JSON text of a field's details: as a whole if it matched, and the parts around its score. `first_head` begins without a comma."""

    matched: bytes
    head: bytes
    first_head: bytes
    passed_tail: bytes
    failed_tail: bytes


# cached because every batch of a run has the same fields
@lru_cache(maxsize=64)
def _build_fragments(weights: tuple[tuple[str, float], ...]) -> list[_FieldFragments] | None:
    """The fragments of each field; None if a name needs escaping that `encode_plain_values` does not do."""
    fragments: list[_FieldFragments] = []
    for name, (_, weight) in zip(encode_plain_values([name for name, _ in weights]), weights, strict=True):
        if name is None:
            return None
        head, tail = b'{"field":%b,"score":' % name, b',"weight":%b,"passed":' % orjson.dumps(weight)
        matched = b"%b%b1.0%btrue}" % (b"," if fragments else b"", head, tail)
        fragments.append(_FieldFragments(matched, b",%b" % head, head, b"%btrue}" % tail, b"%bfalse}" % tail))
    return fragments
