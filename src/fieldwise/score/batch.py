"""A batch of cases with everything evaluators derive from it, each computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

import orjson

from fieldwise.kernels.values import canonical_json
from fieldwise.model.answer_values import find_message_answer, read_answers
from fieldwise.model.batch import Records
from fieldwise.model.case import Cases
from fieldwise.model.comparison import ComparisonTable
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.evidence import EvidenceNode
from fieldwise.model.plan import PlannedEvaluator, Repair
from fieldwise.model.result import Results
from fieldwise.model.rule import CompareSpec
from fieldwise.model.services import Services
from fieldwise.model.values import MISSING, Value
from fieldwise.numpy_on_use import np
from fieldwise.read.records_in_text import find_record
from fieldwise.score.columns import ColumnCache
from fieldwise.score.evidence_boxes import compare_places, scores_places, unwrap_places
from fieldwise.score.rich_values import EvidencePaths, UnwrapTotals, describe_totals, find_rich_records, overlay, unwrap_record
from fieldwise.score.services import local_services

_SMALL_BATCH: Final = 32
_OBJECT_OR_ABSENT: Final = frozenset((dict, type(None), type(MISSING)))
_PLAIN_TYPES: Final = frozenset((str, int, float, bool, type(None), type(MISSING)))
_ANSWERS_UNWRAPPED: Final = Diagnostic(
    code="answers-unwrapped",
    level="info",
    what="some answers are the last message of a list, or the only text of an object; evaluators of texts read that text alone",
)


class ScoringBatch:
    """The `Batch` that evaluators receive."""

    def __init__(
        self,
        cases: Cases,
        services: Services | None = None,
        repair: Repair = "on",
        confidence: str | None = None,
        *,
        find_causes: bool = True,
    ) -> None:
        """`confidence` is the path of a parallel record of confidences; by default that of importers.

        `find_causes=False` leaves mismatches unexplained, where only their number counts.
        """
        self.cases = cases
        self._find_causes = find_causes
        self.services = services or local_services()
        self._repair: Repair = repair
        self._confidence = confidence
        self._other_repair: ScoringBatch | None = None
        # lists, not dicts: a spec may hold unhashable options, and a batch has only a few specs
        self._comparisons: list[tuple[CompareSpec, ComparisonTable]] = []
        self._coverage: list[tuple[CompareSpec, bool]] = []
        self._selections: dict[bytes, ScoringBatch] = {}
        self.column_cache = ColumnCache()

    def __len__(self) -> int:
        return len(self.cases)

    @cached_property  # shared by all evaluators of the batch
    def records(self) -> Records:
        """Expected and actual as records; JSON is extracted from text."""
        repairs: dict[int, list[str]] = {}
        unreadable: dict[int, dict[str, str]] = {}
        sides: dict[str, list[Value]] = {}
        for side, column in (("expected", self.cases.expected), ("actual", self.cases.actual)):
            records: list[Value] = list(column)
            sides[side] = records
            if _OBJECT_OR_ABSENT.issuperset(map(type, column)):
                continue
            for row, value in enumerate(column):
                if isinstance(value, list):
                    records[row] = self._find_record_in_messages(value)
                if not isinstance(value, str):
                    continue
                parsed = find_record(str(value), repair=self._repair == "on")
                records[row] = parsed.value
                if parsed.repairs:
                    repairs.setdefault(row, []).extend(f"{side}: {repair}" for repair in parsed.repairs)
                if parsed.value is MISSING:
                    unreadable.setdefault(row, {})[side] = parsed.reason or "no JSON in the text"
        wrapped, evidence = self._unwrap_values(sides["expected"], sides["actual"])
        return Records(sides["expected"], sides["actual"], repairs, unreadable, wrapped, evidence)

    def _find_record_in_messages(self, value: Value) -> Value:
        """The record in the last answer of a list of messages; the list itself if it holds anything else."""
        answer = find_message_answer(value)
        record = self._parse_record(answer)
        return record if isinstance(record, dict) else value

    def _unwrap_values(self, expected: Sequence[Value], actual: list[Value]) -> tuple[dict[int, Value], dict[int, EvidenceNode]]:
        """Unwrap values with a confidence beside them in place; the records as they were, and the evidence of all values, by case."""
        totals = UnwrapTotals()
        wrapped: dict[int, Value] = {}
        evidence: dict[int, EvidenceNode] = {}
        for row in find_rich_records(actual) if self.cases.mentions_value else ():
            record, unwrapped_before = actual[row], totals.unwrapped
            plain, node = unwrap_record(expected[row], record, totals)
            if totals.unwrapped > unwrapped_before:
                actual[row], wrapped[row] = plain, record
            if node is not None:
                evidence[row] = node
        paths = EvidencePaths() if self._confidence is None else EvidencePaths(self._confidence)
        if paths.may_occur(self.cases.metadata):
            for row, metadata in enumerate(self.cases.metadata):
                output = wrapped.get(row, actual[row])
                node = overlay(paths.find(metadata, output, totals), evidence.get(row))
                if node is not None:
                    evidence[row] = node
                plain = paths.remove_from(actual[row], expected[row])
                if plain is not actual[row]:
                    actual[row], wrapped[row] = plain, output
        for note in describe_totals(totals):
            self.services.report(note)
        return wrapped, evidence

    @cached_property
    def columns(self) -> tuple[list[Any], list[Any]]:
        """The records as columns: the same two lists at every call, because `ColumnCache` keys columns by identity."""
        return list(self.records.expected), list(self.records.actual)

    @cached_property
    def _is_finite(self) -> bool:
        """True if no record holds a NaN or an Infinity; a record that is read from text may."""
        sides = (self.cases.expected, self.cases.actual)
        return self.cases.finite and all(_OBJECT_OR_ABSENT.issuperset(map(type, side)) for side in sides)

    @cached_property  # several evaluators of a batch read the same texts
    def expected_texts(self) -> Sequence[str]:
        """Expected as text."""
        return [as_text(value) for value in self._answers[0]]

    @cached_property
    def actual_texts(self) -> Sequence[str]:
        """Actual as text."""
        return [as_text(value) for value in self._answers[1]]

    @cached_property
    def _answers(self) -> tuple[Sequence[Value], Sequence[Value]]:
        """Both sides without what tools put around an answer, and a remark if there was anything."""
        sides = self.cases.expected, self.cases.actual
        if all({*map(type, side)} <= _PLAIN_TYPES for side in sides):
            return sides
        pairs = [read_answers(*pair) for pair in zip(*sides, strict=True)]
        answers = [expected for expected, _ in pairs], [actual for _, actual in pairs]
        if any(
            answer is not value for side, column in zip(answers, sides, strict=True) for answer, value in zip(side, column, strict=True)
        ):
            self.services.report(_ANSWERS_UNWRAPPED)
        return answers

    def compare(self, spec: CompareSpec) -> ComparisonTable:
        """The comparisons of a spec, with the likely cause of every mismatch; the same object for equal specs."""
        for earlier_spec, comparisons in self._comparisons:
            if earlier_spec is spec or earlier_spec == spec:
                return comparisons
        from fieldwise.score.causes import find_causes
        from fieldwise.score.walk import (
            close_spec,
            compare_records,
            remove_absent_rows,
            rules_name_every_leaf,
        )  # RapidFuzz, which `check` does not need

        if spec.open == "leaves" and self._rules_name_every_leaf(spec):
            comparisons = remove_absent_rows(self.compare(close_spec(spec)))
        elif scores_places(spec):
            comparisons = self._compare_with_places(spec)
        else:
            evidence, finite = self.records.evidence, self._is_finite
            comparisons = compare_records(spec, *self.columns, self.column_cache, self.services, evidence, finite=finite)
            if self._find_causes:
                records = self.records
                # in a small batch, looking for leaves in the records is faster than finding out whether all of them were compared
                has_every_leaf = (
                    spec.open == "no"
                    and len(self) > _SMALL_BATCH
                    and rules_name_every_leaf(spec, *self.columns, self.column_cache, self.services, only_expected=True)
                )
                causes = find_causes(comparisons, records.expected, records.actual, self.services, has_every_leaf=has_every_leaf)
                comparisons = replace(comparisons, cause=causes) if causes else comparisons
        self._comparisons.append((spec, comparisons))
        return comparisons

    def _compare_with_places(self, spec: CompareSpec) -> ComparisonTable:
        """The comparisons of a spec whose rules ask for the place of values."""
        from fieldwise.score.causes import find_causes
        from fieldwise.score.walk import compare_records

        expected, expected_places = unwrap_places(spec, self.records.expected)
        actual, actual_places = unwrap_places(spec, self.records.actual)
        imported = self.records.evidence
        evidence = {case: overlay(imported.get(case), actual_places.get(case)) for case in {*imported, *actual_places}}
        comparisons = compare_records(spec, expected, actual, None, self.services, evidence)
        if self._find_causes:
            comparisons = replace(comparisons, cause=find_causes(comparisons, expected, actual, self.services))
        return compare_places(spec, comparisons, expected_places, self.cases, self.services)

    def _rules_name_every_leaf(self, spec: CompareSpec) -> bool:
        from fieldwise.score.walk import close_spec, rules_name_every_leaf

        closed_spec = close_spec(spec)
        for earlier_spec, is_covered in self._coverage:
            if earlier_spec == closed_spec:
                return is_covered
        is_covered = rules_name_every_leaf(closed_spec, *self.columns, self.column_cache, self.services)
        self._coverage.append((closed_spec, is_covered))
        return is_covered

    def compare_records(self, spec: CompareSpec, expected: Sequence[Value], actual: Sequence[Value]) -> ComparisonTable:
        """The comparisons of other records than those of the cases, without causes; JSON is extracted from text."""
        from fieldwise.score.walk import compare_records

        expected_records, actual_records = [*map(self._parse_record, expected)], [*map(self._parse_record, actual)]
        return compare_records(spec, expected_records, actual_records, services=self.services)

    def _parse_record(self, value: Value) -> Value:
        return find_record(value, repair=self._repair == "on").value if isinstance(value, str) else value

    def evaluate(self, planned: PlannedEvaluator) -> Results:
        """The results of another evaluator for the whole batch."""
        from fieldwise.score.evaluate import evaluate_every_case  # imports this module

        return evaluate_every_case(planned, self)

    def with_repair(self, repair: Repair) -> ScoringBatch:
        """The same cases with records read in this way; the same object at every call, so that evaluators share its comparisons."""
        if repair == self._repair:
            return self
        if self._other_repair is None:
            self._other_repair = ScoringBatch(self.cases, self.services, repair, self._confidence, find_causes=self._find_causes)
        return self._other_repair

    def select_cases(self, rows: Sequence[int]) -> ScoringBatch:
        """A batch of some of the cases; the same object for the same rows, so that evaluators share its comparisons."""
        if len(rows) == len(self):
            return self
        key = np.asarray(rows, dtype=np.int64).tobytes()
        if key not in self._selections:
            self._selections[key] = self.with_cases(self.cases.take(rows))
        return self._selections[key]

    def with_cases(self, cases: Cases) -> ScoringBatch:
        """A batch of other cases, scored in the same way."""
        return ScoringBatch(cases, self.services, self._repair, self._confidence, find_causes=self._find_causes)


def as_text(value: Any) -> str:
    """Text as it is, null and missing as empty text, anything else as JSON.

    >>> as_text("604"), as_text({"b": 2**70, "a": [1]})
    ('604', '{"a":[1],"b":1180591620717411303424}')
    """
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS).decode()
    except TypeError:  # an integer or a depth beyond what orjson supports
        return canonical_json(value) or str(value)
