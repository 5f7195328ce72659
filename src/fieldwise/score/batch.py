"""A batch of cases with what evaluators ask of it, each thing computed once."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import orjson

from fieldwise.kernels.values import canonical
from fieldwise.model.ask import Asker
from fieldwise.model.batch import Records
from fieldwise.model.case import Cases
from fieldwise.model.comparison import Comparisons, Outcome
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.result import Results
from fieldwise.model.rule import CompareSpec
from fieldwise.model.values import MISSING, Value
from fieldwise.read.records_in_text import record_in
from fieldwise.score.causes import Known, explain
from fieldwise.score.column_cache import Memo
from fieldwise.score.rule_coverage import closed, covers, without_absent
from fieldwise.score.walk import compare_records


class ScoringBatch:
    """The `Batch` that evaluators see."""

    def __init__(self, cases: Cases, asker: Asker | None = None) -> None:
        self.cases = cases
        self.asker = asker
        """Brings the replies to judges that stand inside other evaluators."""
        self._compared: list[tuple[CompareSpec, Comparisons]] = []
        self._parts: dict[bytes, ScoringBatch] = {}
        self._covered: list[tuple[CompareSpec, bool]] = []
        self._known: Known = []
        self._memo = Memo()

    def __len__(self) -> int:
        return len(self.cases)

    @cached_property
    def records(self) -> Records:
        """Expected and actual as records; JSON is found in text."""
        repairs: dict[int, list[str]] = {}
        unreadable: dict[int, dict[str, str]] = {}
        sides: dict[str, list[Value]] = {}
        for side, column in (("expected", self.cases.expected), ("actual", self.cases.actual)):
            records: list[Value] = list(column)
            for row in [row for row, value in enumerate(column) if isinstance(value, str)]:
                found = record_in(str(column[row]))
                records[row] = found.value
                if found.repairs:
                    repairs.setdefault(row, []).extend(f"{side}: {repair}" for repair in found.repairs)
                if found.value is MISSING:
                    unreadable.setdefault(row, {})[side] = found.why or "no JSON in the text"
            sides[side] = records
        return Records(sides["expected"], sides["actual"], repairs, unreadable)

    @cached_property
    def _columns(self) -> tuple[list[Any], list[Any]]:
        """The records as the columns that comparing starts from: the same lists every time, so that what was found is found again."""
        return list(self.records.expected), list(self.records.actual)

    @cached_property
    def expected_texts(self) -> Sequence[str]:
        """Expected as text."""
        return [as_text(value) for value in self.cases.expected]

    @cached_property
    def actual_texts(self) -> Sequence[str]:
        """Actual as text."""
        return [as_text(value) for value in self.cases.actual]

    def compare(self, spec: CompareSpec) -> Comparisons:
        """The comparisons this spec asks for, with the likely cause of every mismatch."""
        for known, comparisons in self._compared:
            if known is spec or known == spec:
                return comparisons
        if spec.open == "leaves" and self._covers(spec):
            found = without_absent(self.compare(closed(spec)))
        else:
            found = compare_records(spec, *self._columns, self._memo)
            self._explain(found, complete=spec.open == "leaves" or self._covers(spec))
        self._compared.append((spec, found))
        return found

    def _covers(self, spec: CompareSpec) -> bool:
        """Whether the rules of a spec name every leaf of the batch."""
        rules = closed(spec)
        for known, covered in self._covered:
            if known == rules:
                return covered
        self._covered.append((rules, covers(rules, *self._columns, self._memo)))
        return self._covered[-1][1]

    def _explain(self, comparisons: Comparisons, *, complete: bool) -> None:
        """Find the likely causes of the values that differ, but for those that other comparisons of the batch found."""
        wrong = (comparisons.outcome == Outcome.WRONG_VALUE) | (comparisons.outcome == Outcome.FORMAT_ERROR)
        explain(comparisons, np.flatnonzero(wrong), self.records.expected, self.records.actual, self._known, complete=complete)

    def compare_records(self, spec: CompareSpec, expected: Sequence[Value], actual: Sequence[Value]) -> Comparisons:
        """The same for other records, without looking for causes; JSON is found in text here too."""
        return compare_records(spec, [*map(_record, expected)], [*map(_record, actual)])

    def evaluate(self, planned: PlannedEvaluator) -> Results:
        """What another evaluator says of the whole batch."""
        from fieldwise.score.evaluate import evaluate_all  # which imports this file

        return evaluate_all(planned, self)

    def part(self, rows: Sequence[int]) -> "ScoringBatch":
        """Some of the cases as a batch; the same rows give the same batch, so that evaluators share its comparisons."""
        if len(rows) == len(self):
            return self
        key = np.asarray(rows, dtype=np.int64).tobytes()
        if key not in self._parts:
            self._parts[key] = ScoringBatch(self.cases.take(rows), self.asker)
        return self._parts[key]


def _record(value: Value) -> Value:
    return record_in(value).value if isinstance(value, str) else value


def as_text(value: Any) -> str:
    """Text as it is, nothing as empty text, anything else as JSON.

    >>> as_text("604"), as_text({"b": 2**70, "a": [1]})
    ('604', '{"a":[1],"b":1180591620717411303424}')
    """
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS).decode()
    except TypeError:  # an integer or a depth beyond what orjson writes
        return canonical(value) or str(value)
