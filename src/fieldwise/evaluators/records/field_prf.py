"""Precision, recall and F1 over the fields of a record, with the kind of every error.

>>> import fieldwise as fw
>>> result = fw.evaluate({"type": "field_prf"}, expected={"a": 1, "b": 2}, actual={"a": 1, "b": 3, "c": 4})
>>> {name: round(result.metrics[name], 3) for name in ("precision", "recall", "f1", "wrong_value", "hallucination")}
{'precision': 0.333, 'recall': 0.5, 'f1': 0.4, 'wrong_value': 1, 'hallucination': 1}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from dataclasses import field as dataclass_field
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias
from unicodedata import normalize

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
from fieldwise.kernels.statistics import precision_recall_f1
from fieldwise.model.batch import Batch
from fieldwise.model.comparison import OUTCOME_LABELS, ComparisonTable, Outcome
from fieldwise.model.options import OptionProblem
from fieldwise.model.path import MalformedPath, Path
from fieldwise.model.result import Labels, Results, Status
from fieldwise.model.rule import CompareSpec, FieldRule, ListRule, Match, Nulls
from fieldwise.model.values import MISSING, Json
from fieldwise.numpy_on_use import np
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Numbers: TypeAlias = "NDArray[np.float64]"
_ERRORS = (Outcome.OMISSION, Outcome.HALLUCINATION, Outcome.FORMAT_ERROR, Outcome.WRONG_VALUE)
_RECORD = {"a": "x", "b": [1, {"c": 2.5}], "é": {"a": True, "b": None}}
_OTHER_CONVENTION: Final = {"fp_fn": "fp", "fp": "fp_fn"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldPrf:
    """How the fields are compared: every leaf of either side is a field."""

    fields: tuple[FieldRule, ...] = ()
    """How some fields match; the others match as `default` says. Every field counts once; `weight` and `required` have no effect."""
    scope: Literal["leaves", "fields"] = "leaves"
    """leaves: every leaf of either side is a field. fields: only those that `fields` lists."""
    default: Match = dataclass_field(default_factory=Match)
    """How fields without a rule match: exactly, unless another match is given."""
    numbers: Match | None = None
    """How fields without a rule match where a number is expected; default: as `default` says."""
    lists: tuple[ListRule, ...] = ()
    """How items of lists are paired; default: by index."""
    ignore: tuple[str, ...] = ()
    """Paths left out on both sides, with everything below them. `*` matches anything within a step, `**` any steps."""
    substitution_counts: Literal["fp_fn", "fp"] = "fp_fn"
    """What a wrong value or a wrong type counts as: a false positive and a false negative, or only a false positive."""
    empty: Literal["value", "absent"] = "value"
    """value: an empty list, object or text is one leaf. absent: it agrees with null, with a missing key and with another empty one."""
    null_values: tuple[str, ...] = ()
    """Text that counts as null on both sides, such as `N/A`, or `""` for empty and blank text; trimmed, in any case."""

    def problems(self) -> Iterable[OptionProblem]:
        """List rules whose items no field compares, and patterns that are not paths."""
        yield from find_unused_list_rules(self.fields, self.lists, open=self.scope == "leaves")
        if self.scope == "fields" and not self.fields:
            yield "scope", "`scope: fields` counts the fields that `fields` lists, and there are none", "add `fields`"
        for text in self.ignore:
            try:
                Path.parse(text)
            except MalformedPath as error:
                yield "ignore", str(error), error.fix

    def unknown(self, fields: Collection[str]) -> Iterable[OptionProblem]:
        """Patterns that match no field of the run."""
        for text in self.ignore:
            pattern = re.compile(_ignore_pattern(re.sub(r"\[-?[0-9]+\]|\.[0-9]+(?=[.\[]|$)", "[*]", text)))
            if not any(map(pattern.fullmatch, fields)):
                yield "ignore", f"`ignore` names `{text}`, and no case of the run has such a field", "check how it is written"


# cached because `Batch.compare` recognizes an identical spec without comparing it
@lru_cache(maxsize=64)
def _compare_spec(
    fields: tuple[FieldRule, ...],
    lists: tuple[ListRule, ...],
    scope: str,
    default: Match,
    numbers: Match | None,
    null_values: tuple[str, ...],
) -> CompareSpec:
    nulls = Nulls(values=frozenset(null_values))
    if scope == "fields":
        return CompareSpec(rules=fields, lists=lists, nulls=nulls)
    choose = default if numbers is None else _choose_by_type(default, numbers)
    return CompareSpec(rules=fields, lists=lists, open="leaves", default=choose, nulls=nulls)


def _choose_by_type(default: Match, numbers: Match) -> Callable[[Json], Match]:
    """One match for expected numbers, another for everything else."""

    def choose(value: Json) -> Match:
        return numbers if isinstance(value, int | float) and not isinstance(value, bool) else default

    return choose


_COUNTS = (
    "true_positives",
    "false_positives",
    "false_negatives",
    "false_negatives_fp",
    "false_negatives_fp_fn",
    "total_gt_fields",
    "correct_fields",
    *(outcome.label for outcome in _ERRORS),
)


def _metric_names(config: FieldPrf) -> tuple[str, ...]:
    """Rates and counts, and those of the other convention under names with a suffix."""
    other_convention = _OTHER_CONVENTION[config.substitution_counts]
    counts = [name for name in _COUNTS if not name.startswith("false_negatives_")]
    of_other_convention = [f"{name}_{other_convention}" for name in ("recall", "f1", "false_negatives")]
    return ("precision", "recall", "f1", *counts, *of_other_convention)


@evaluator(
    counts=_COUNTS,
    version=2,
    metrics=_metric_names,
    recomputes=("fields", "substitution_counts"),
    examples=[
        EvaluatorExample(
            options={"ignore": ["meta"], "fields": [{"path": "date", "match": "date"}]},
            expected={"number": "A-1", "date": "2025-01-31", "total": 119.0, "meta": {"id": 1}},
            actual={"number": "A-2", "date": "31 January 2025", "total": "119.0", "discount": 5},
        ),
        EvaluatorExample(perfect=_RECORD),
        EvaluatorExample(options={"substitution_counts": "fp", "ignore": ["a", "**.c"]}, perfect=_RECORD),
        EvaluatorExample(
            options={"fields": [{"path": "b[*].a", "match": "fuzzy"}, "b[0].b"], "lists": {"b": "best", "[*]": {"key": "a"}}},
            perfect=_RECORD,
        ),
        EvaluatorExample(options={"lists": {"a": "set", "b": "set"}}, perfect=_RECORD),
        EvaluatorExample(
            options={
                "default": {"match": "fuzzy", "threshold": 0.5},
                "numbers": {"match": "numeric_tolerance", "tolerance": 0.5},
                "empty": "absent",
            },
            perfect=_RECORD,
        ),
    ],
)
def field_prf(batch: Batch, config: FieldPrf) -> Results:
    """F1 over fields, with precision, recall and the count of each kind of error."""
    null_values = (*config.null_values, "") if config.empty == "absent" else config.null_values
    spec = _compare_spec(config.fields, config.lists, config.scope, config.default, config.numbers, null_values)
    comparisons = batch.compare(spec)
    if config.empty == "absent":
        comparisons = _treat_empty_as_absent(comparisons)
    comparisons = _mark_ignored(comparisons, config.ignore)
    is_unreadable = np.array([rule.path is None for rule in comparisons.rules], dtype=np.bool_)[comparisons.field]
    # a rule with an unreadable path is a miss of the suite, not a field of the record
    is_ignored = comparisons.outcome == Outcome.IGNORED
    counted = (comparisons.outcome != Outcome.BOTH_ABSENT) & ~is_ignored & ~is_unreadable
    counts = _count_outcomes(comparisons, counted)
    metrics, flags = _compute_metrics(counts, config.substitution_counts)
    is_left_out = (_count_by_case(comparisons, is_ignored) > 0) & (_count_by_case(comparisons, ~is_ignored) == 0)
    status, reasons = decide_statuses(comparisons, np.where(is_left_out, 0, 1))
    score = np.where(status == Status.SCORED, metrics["f1"], 0.0)
    columns = (counts[Outcome.MATCH], metrics["total_gt_fields"], counts[Outcome.HALLUCINATION])
    return Results(
        score=score,
        status=status,
        hits=build_hit_labels(comparisons, counted),
        misses=build_miss_labels(comparisons, counted | is_unreadable),
        reasoning=write_reasoning(reasons, _describe_counts, *columns),
        metrics=metrics,
        details=_ErrorDetails(comparisons, counted, flags, reasons),
        comparisons=comparisons,
        flags=flags,
    )


def _treat_empty_as_absent(comparisons: ComparisonTable) -> ComparisonTable:
    """Comparisons in which an empty list or object is no value: against nothing it is no field, against a value a missing one."""
    errors: list[int] = np.flatnonzero(np.isin(comparisons.outcome, _ERRORS)).tolist()
    outcome, similarity, passed = comparisons.outcome.copy(), comparisons.similarity.copy(), comparisons.passed.copy()
    changed: set[int] = set()
    for row in errors:
        lacks_expected, lacks_actual = _is_empty(comparisons.compared_value(row)), _is_empty(comparisons.actual[row])
        if lacks_expected and lacks_actual:
            outcome[row], similarity[row] = Outcome.BOTH_ABSENT, np.nan
        elif lacks_expected:
            outcome[row] = Outcome.HALLUCINATION
        elif lacks_actual:
            outcome[row] = Outcome.OMISSION
        else:
            continue
        changed.add(row)
    if not changed:
        return comparisons
    passed[list(changed)] = False
    cause = {row: name for row, name in comparisons.cause.items() if row not in changed}
    return replace(comparisons, outcome=outcome, similarity=similarity, passed=passed, cause=cause)


def _is_empty(value: Any) -> bool:
    if isinstance(value, str):  # null by now, but the other side may be an empty list
        return not value.strip()
    return value is None or value is MISSING or (isinstance(value, list | dict) and not value)


def _describe_counts(correct: float, expected: float, extra: float) -> str:
    return f"{correct:.0f} of {expected:.0f} expected fields are right, {extra:.0f} unexpected"


def _mark_ignored(comparisons: ComparisonTable, ignore: Sequence[str]) -> ComparisonTable:
    """The comparisons with the outcome `ignored` where a pattern matches, so that scores and field tables count the same rows.

    Changed in a copy: other evaluators may share the comparisons.
    """
    if not ignore or not len(comparisons):
        return comparisons
    pattern = re.compile("|".join(f"(?:{_ignore_pattern(text)})" for text in ignore))
    is_ignored = _matches_pattern(pattern, comparisons.fields)[comparisons.field]
    is_ignored |= _matches_pattern(pattern, comparisons.paths)[comparisons.path]
    is_ignored &= comparisons.outcome != Outcome.BOTH_ABSENT
    if not is_ignored.any():
        return comparisons
    return replace(
        comparisons,
        outcome=np.where(is_ignored, Outcome.IGNORED, comparisons.outcome).astype(np.uint8),
        similarity=np.where(is_ignored, np.nan, comparisons.similarity),
        passed=comparisons.passed | is_ignored,
        cause={row: cause for row, cause in comparisons.cause.items() if not is_ignored[row]},
        faults={row: fault for row, fault in comparisons.faults.items() if not is_ignored[row]},
    )


def _matches_pattern(pattern: re.Pattern[str], paths: Iterable[str]) -> NDArray[np.bool_]:
    return np.array([pattern.fullmatch(path) is not None for path in paths], dtype=np.bool_)


def _ignore_pattern(text: str) -> str:
    """An ignored path as a regular expression: the path and everything below it; `a.0` is `a[0]`, and `a.*` any key or item."""
    text = normalize("NFC", re.sub(r"\.(0|[1-9][0-9]*)(?=[.\[]|$)", r"[\1]", text))
    parts = re.split(r"(\[\*\]|\.?\*\*|\.\*(?=[.\[]|$)|\*)", text)
    wildcards = {"*": r"[^.\[\]]*", "[*]": r"\[[^\]]*\]", ".*": r"(?:\.[^.\[\]]*|\[[^\]]*\])", "**": ".*", ".**": r"[.\[].*"}
    return "".join(wildcards.get(part, re.escape(part)) for part in parts) + r"(?:[.\[].*)?"


def _count_by_case(comparisons: ComparisonTable, rows: NDArray[np.bool_]) -> _Numbers:
    return np.bincount(comparisons.case[rows], minlength=comparisons.cases).astype(np.float64)


def _count_outcomes(comparisons: ComparisonTable, rows: NDArray[np.bool_]) -> dict[Outcome, _Numbers]:
    """By outcome, the number of these rows in each case."""
    codes = comparisons.case[rows].astype(np.int64) * _OUTCOME_COUNT + comparisons.outcome[rows]
    table = np.bincount(codes, minlength=comparisons.cases * _OUTCOME_COUNT).reshape(comparisons.cases, _OUTCOME_COUNT)
    return {outcome: table[:, outcome].astype(np.float64) for outcome in (Outcome.MATCH, *_ERRORS)}


def _compute_metrics(counts: dict[Outcome, _Numbers], convention: str) -> tuple[dict[str, _Numbers], Labels]:
    """Precision, recall, F1 and the counts behind them, by both conventions; and flags where a denominator is 0."""
    correct, omitted, invented = counts[Outcome.MATCH], counts[Outcome.OMISSION], counts[Outcome.HALLUCINATION]
    wrong = counts[Outcome.FORMAT_ERROR] + counts[Outcome.WRONG_VALUE]
    false_positives = invented + wrong
    false_negatives = {"fp_fn": omitted + wrong, "fp": omitted}
    other_convention = _OTHER_CONVENTION[convention]
    precision, recall, f1 = precision_recall_f1(correct, false_positives, false_negatives[convention])
    _, other_recall, other_f1 = precision_recall_f1(correct, false_positives, false_negatives[other_convention])
    metrics = {
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "true_positives": correct,
        "false_positives": false_positives,
        "false_negatives": false_negatives[convention],
        "total_gt_fields": correct + omitted + wrong,
        "correct_fields": correct,
        **{outcome.label: counts[outcome] for outcome in _ERRORS},
        f"recall_{other_convention}": other_recall,
        f"f1_{other_convention}": other_f1,
        f"false_negatives_{other_convention}": false_negatives[other_convention],
    }
    nothing_given, nothing_expected = correct + false_positives == 0, correct + false_negatives[convention] == 0
    return metrics, Labels.from_masks({"nothing_given": nothing_given, "nothing_expected": nothing_expected})


@dataclass(frozen=True, slots=True)
class _ErrorRows:
    """The rows that are errors, sorted by case."""

    rows: list[int]
    ends: list[int]
    """The errors of case c are at positions `ends[c]` to `ends[c + 1]`."""
    codes: list[int]
    """Path and outcome of each error as one number: path × number of outcomes + outcome."""


@dataclass(frozen=True)
class _ErrorDetails:
    """Details of a case: path, type, expected and actual value of every error, as a dict or as JSON text."""

    comparisons: ComparisonTable
    counted: NDArray[np.bool_]
    flags: Labels
    reasons: dict[int, str]

    def __call__(self, case: int) -> dict[str, Any]:
        """The details of a case."""
        comparisons, errors = self.comparisons, self._error_rows
        listed: list[dict[str, Any]] = []
        for at in range(errors.ends[case], errors.ends[case + 1]):
            path, outcome = divmod(errors.codes[at], _OUTCOME_COUNT)
            row = errors.rows[at]
            listed.append(
                {
                    "path": comparisons.paths[path],
                    "error_type": OUTCOME_LABELS[outcome],
                    "expected": _missing_as_none(comparisons.expected[row]),
                    "actual": _missing_as_none(comparisons.actual[row]),
                }
            )
        flags = self.flags.at(case) if len(self.flags.codes) else []
        return {"errors": listed, **({"flags": flags} if flags else {}), **describe_faults(comparisons, case, self.reasons)}

    def texts(self) -> list[bytes | None]:
        """The details of every case as JSON text; None where `__call__` must be used."""
        comparisons, errors = self.comparisons, self._error_rows
        if comparisons.faults or len(self.flags.codes):
            return [None] * comparisons.cases
        heads = self._encode_heads({*errors.codes})
        expected = encode_plain_values(_values_at(comparisons.expected, errors.rows))
        actual = encode_plain_values(_values_at(comparisons.actual, errors.rows))
        error_texts: list[bytes] = []
        for code, expected_text, actual_text in zip(errors.codes, expected, actual, strict=True):
            head = heads[code]
            if head is None or expected_text is None or actual_text is None:
                error_texts.append(_NO_TEXT)
            else:
                error_texts.append(b"".join((head, expected_text, b',"actual":', actual_text, b"}")))
        texts: list[bytes | None] = [b'{"errors":[%b]}' % b",".join(error_texts[start:end]) for start, end in pairwise(errors.ends)]
        if _NO_TEXT in error_texts:
            return [
                None if _NO_TEXT in error_texts[start:end] else text
                for text, (start, end) in zip(texts, pairwise(errors.ends), strict=True)
            ]
        return texts

    def _encode_heads(self, codes: Set[int]) -> dict[int, bytes | None]:
        """The JSON text before the values of an error, by its path and outcome, which many errors share."""
        paths = encode_plain_values([self.comparisons.paths[code // _OUTCOME_COUNT] for code in codes])
        heads: dict[int, bytes | None] = {}
        for code, path in zip(codes, paths, strict=True):
            label = OUTCOME_LABELS[code % _OUTCOME_COUNT].encode()
            heads[code] = None if path is None else b'{"path":%b,"error_type":"%b","expected":' % (path, label)
        return heads

    @cached_property  # a run reads every case, so the rows are sorted once
    def _error_rows(self) -> _ErrorRows:
        comparisons = self.comparisons
        order, offsets = comparisons.by_case()
        is_error = (self.counted & ~comparisons.passed)[order]
        rows = order[is_error]
        ends: list[int] = np.concatenate([[0], np.cumsum(is_error)])[offsets].tolist()
        codes = comparisons.path[rows].astype(np.int64) * _OUTCOME_COUNT + comparisons.outcome[rows]
        return _ErrorRows(rows.tolist(), ends, codes.tolist())


_OUTCOME_COUNT: Final = len(OUTCOME_LABELS)


_NO_TEXT: Final = b""
"""In the place of the text of an error that `encode_plain_values` does not write."""


def _values_at(values: Sequence[Any], rows: Iterable[int]) -> list[Any]:
    return [None if value is MISSING else value for value in map(values.__getitem__, rows)]


def _missing_as_none(value: Any) -> Any:
    return None if value is MISSING else value
