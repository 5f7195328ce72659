"""Comparisons of expected and actual at one path of one case: the table that every evaluator of records reads."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field as dataclass_field
from dataclasses import replace
from enum import IntEnum
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar, Final

from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.rule import FieldRule
from fieldwise.model.values import MISSING, Json, Value
from fieldwise.numpy_on_use import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Outcome(IntEnum):
    """The outcome of one comparison."""

    MATCH = 0
    WRONG_VALUE = 1
    FORMAT_ERROR = 2
    OMISSION = 3
    HALLUCINATION = 4
    BOTH_ABSENT = 5
    IGNORED = 6
    FAULT = 7

    @property
    def label(self) -> str:
        """The name in results and files, such as `wrong_value`."""
        return self.name.lower()


OUTCOME_LABELS: Final = tuple(outcome.label for outcome in Outcome)
"""The label of each outcome, by its number."""
UNCOUNTED_OUTCOMES: Final = (Outcome.BOTH_ABSENT.label, Outcome.IGNORED.label)
"""Outcomes that are neither right nor wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One field of one case: expected against actual."""

    path: str
    """The concrete path, with list items named by their expected index, such as `line_items[2].amount`."""
    field: str
    """The path of the rule, such as `line_items[*].amount`."""
    outcome: str
    """`match`, `wrong_value`, `format_error`, `omission`, `hallucination`, `both_absent`, `ignored` or `fault`."""
    expected: Json
    """The expected value; None if it is null or missing."""
    actual: Json
    """The actual value; None if it is null or missing."""
    expected_presence: str
    """`present`, `null` or `missing`."""
    actual_presence: str
    """`present`, `null` or `missing`."""
    similarity: float | None
    """The matcher's score in [0, 1]; None if the two values were not compared."""
    passed: bool
    """True if the field counts as correct."""
    cause: str | None = None
    """The likely cause of a mismatch, such as `letter_case`."""
    note: str | None = None
    """A remark of the matcher, such as `ambiguous date`."""
    confidence: float | None = None
    """How sure the system is of the actual value, from 0 to 1; None if it does not say."""
    page: int | None = None
    """The page from which the system read the actual value."""
    box: tuple[float, ...] | None = None
    """The place on that page, as in the data."""
    match: str = dataclass_field(default="", compare=False)
    """The match of its rule, such as `date`; empty if it is not known. Advice against a cause depends on it."""

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict; values that are missing are left out."""
        content: dict[str, Any] = {"path": self.path, "field": self.field, "outcome": self.outcome}
        if self.expected_presence != "missing":
            content["expected"] = self.expected
        if self.actual_presence != "missing":
            content["actual"] = self.actual
        content |= {"similarity": self.similarity, "passed": self.passed, "cause": self.cause}
        if self.note:
            content["note"] = self.note
        return content | self.evidence_json()

    def evidence_json(self) -> dict[str, Any]:
        """Confidence, page and box, as far as known."""
        evidence = {"confidence": self.confidence, "page": self.page, "box": None if self.box is None else list(self.box)}
        return {name: value for name, value in evidence.items() if value is not None}


@dataclass(frozen=True, slots=True)
class UnreadValues:
    """The expected values of a rule, and those that its match cannot read."""

    values: int
    """Number of expected values that are neither null nor missing."""
    unread: int = 0
    examples: tuple[Json, ...] = ()
    """The first few distinct values that were not read."""

    MAX_EXAMPLES: ClassVar[int] = 3

    def __add__(self, later: UnreadValues) -> UnreadValues:
        """The counts of both; examples of `self` first."""
        examples = [*self.examples, *(value for value in later.examples if value not in self.examples)]
        return UnreadValues(self.values + later.values, self.unread + later.unread, tuple(examples[: self.MAX_EXAMPLES]))


def _no_flags() -> NDArray[np.bool_]:
    return np.zeros(0, dtype=np.bool_)


def _no_numbers() -> NDArray[np.float64]:
    return np.zeros(0, dtype=np.float64)


# eq=False: comparing arrays has no truth value, and caches may use an object of this class as a key by its identity.
@dataclass(frozen=True, kw_only=True, eq=False)
class ComparisonTable:
    """All comparisons of a batch, as arrays of equal length; a row is a position in them.

    Rows are grouped by field in the order of the rules; `by_case` gives the order by case. Change a copy with `dataclasses.replace`.
    """

    cases: int
    """Number of cases in the batch."""
    case: NDArray[np.int32]
    """The case of each row, as a position in the batch."""
    field: NDArray[np.int32]
    """The field of each row, as an index into `fields`."""
    path: NDArray[np.int32]
    """The concrete path of each row, as an index into `paths`."""
    outcome: NDArray[np.uint8]
    """An `Outcome` for each row."""
    similarity: NDArray[np.float64]
    """The matcher's score in [0, 1]; NaN where the two values were not compared."""
    passed: NDArray[np.bool_]
    """True where the field counts as correct."""
    expected: Sequence[Value]
    """The expected value of each row; MISSING if there is none."""
    actual: Sequence[Value]
    """The actual value of each row; MISSING if there is none."""
    fields: Sequence[str]
    """The paths of the rules, such as `line_items[*].amount`."""
    rules: Sequence[FieldRule]
    """The rule of each of `fields`."""
    paths: Sequence[str]
    """The concrete paths, such as `line_items[2].amount`."""
    cause: Mapping[int, str] = dataclass_field(default_factory=dict)
    """The likely cause of a mismatch, by row."""
    note: Mapping[int, str] = dataclass_field(default_factory=dict)
    """Remarks of matchers, by row."""
    faults: Mapping[int, Diagnostic] = dataclass_field(default_factory=dict)
    """Why a row could not be compared, for rows whose outcome is FAULT."""
    unmatched_actual: NDArray[np.bool_] = dataclass_field(default_factory=_no_flags)
    """True for an item of an actual list that was paired with no expected item."""
    unmatched_expected: NDArray[np.bool_] = dataclass_field(default_factory=_no_flags)
    """True for an item of an expected list that was paired with no actual item."""
    identical: NDArray[np.bool_] = dataclass_field(default_factory=_no_flags)
    """True where both sides are the same value, equal in type and content; empty if this was not determined."""
    distance: NDArray[np.float64] = dataclass_field(default_factory=_no_numbers)
    """The smallest `tolerance` at which the row passes; infinite if no option value makes it pass; NaN if no tolerance decides it; empty
    if no row has one."""
    relative_distance: NDArray[np.float64] = dataclass_field(default_factory=_no_numbers)
    """The same for a tolerance that is a share of the expected value."""
    unread: Mapping[int, UnreadValues] = dataclass_field(default_factory=dict)
    """What the matches of some fields could not read of the expected values, by index into `fields`."""
    confidence: NDArray[np.float64] = dataclass_field(default_factory=_no_numbers)
    """How sure the system is of the actual value of each row, NaN where it does not say; empty if the batch has no evidence."""
    page: Mapping[int, int] = dataclass_field(default_factory=dict)
    """The page from which the system read the actual value, by row."""
    box: Mapping[int, tuple[float, ...]] = dataclass_field(default_factory=dict)
    """The place on that page, by row."""
    chosen: Mapping[int, Value] = dataclass_field(default_factory=dict)
    """Of several accepted values (`{"$any": …}`) the one that was compared, by row."""

    def __len__(self) -> int:
        return len(self.case)

    @classmethod
    def without_rows(cls, cases: int) -> ComparisonTable:
        """An empty table, for cases in which nothing was compared."""
        codes, flags, numbers = np.zeros(0, dtype=np.int32), _no_flags(), _no_numbers()
        return cls(
            cases=cases,
            case=codes,
            field=codes,
            path=codes,
            outcome=np.zeros(0, dtype=np.uint8),
            similarity=numbers,
            passed=flags,
            expected=(),
            actual=(),
            fields=(),
            rules=(),
            paths=(),
        )

    def by_case(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows sorted by case, and where each case begins: case c is `order[offsets[c]:offsets[c + 1]]`."""
        return self._order_and_offsets

    @cached_property  # every evaluator of the batch needs it, and no array of this object changes
    def _order_and_offsets(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = self.case.argsort(kind="stable")
        offsets = self.case[order].searchsorted(np.arange(self.cases + 1))
        return order, offsets

    @cached_property
    def derived(self) -> dict[Hashable, Any]:
        """What evaluators compute from the table and share. A cache elsewhere would keep the records of a batch alive."""
        return {}

    def take(self, rows: NDArray[np.int64]) -> ComparisonTable:
        """Select rows, or reorder all of them; rows of a field must stay together."""
        selected = rows.tolist()
        changes: dict[str, Any] = {}
        for name in _ARRAYS:
            column = getattr(self, name)
            if len(column):
                changes[name] = column[rows]
        for name in _LISTS:
            column = getattr(self, name)
            changes[name] = [column[row] for row in selected]
        new_row = {old: new for new, old in enumerate(selected)} if any(getattr(self, name) for name in _SPARSE) else {}
        for name in _SPARSE:
            changes[name] = {new_row[row]: value for row, value in getattr(self, name).items() if row in new_row}
        return replace(self, **changes)

    def compared_value(self, row: int) -> Value:
        """The expected value that actual was compared with: of several accepted ones, the most similar."""
        return self.chosen[row] if row in self.chosen else self.expected[row]

    def rows_of(self, case: int) -> NDArray[np.int64]:
        """The rows of one case, in the order of the rules."""
        order, offsets = self.by_case()
        return order[offsets[case] : offsets[case + 1]]

    def at(self, row: int) -> Comparison:
        """One row as a `Comparison`."""
        [comparison] = self._build_comparisons(np.array([row]))
        return comparison

    def _build_comparisons(self, rows: NDArray[np.int64]) -> Iterator[Comparison]:
        """These rows as comparisons."""
        # lists of Python values, which are read one by one many times faster than arrays
        columns = [array[rows].tolist() for array in (self.path, self.field, self.outcome, self.similarity, self.passed)]
        path: int
        field: int
        for row, path, field, outcome, similarity, passed in zip(rows.tolist(), *columns, strict=True):
            expected, actual = self.expected[row], self.actual[row]
            yield Comparison(
                path=self.paths[path],
                field=self.fields[field],
                outcome=OUTCOME_LABELS[outcome],
                expected=None if expected is MISSING else expected,
                actual=None if actual is MISSING else actual,
                expected_presence=presence_label(expected),
                actual_presence=presence_label(actual),
                similarity=None if isnan(similarity) else similarity,
                passed=passed,
                cause=self.cause.get(row),
                note=self.note.get(row),
                confidence=self.confidence_at(row),
                page=self.page.get(row),
                box=self.box.get(row),
                match=self.rules[field].match.name,
            )

    def confidence_at(self, row: int) -> float | None:
        """The confidence of a row; None if there is none."""
        if not len(self.confidence) or np.isnan(self.confidence[row]):
            return None
        return float(self.confidence[row])

    def of_case(self, case: int) -> Iterator[Comparison]:
        """The comparisons of one case, in the order of the rules."""
        return self._build_comparisons(self.rows_of(case))


_ARRAYS = (
    *("case", "field", "path", "outcome", "similarity", "passed"),
    *("unmatched_actual", "unmatched_expected", "identical", "distance", "relative_distance", "confidence"),
)
_LISTS = ("expected", "actual")
_SPARSE = ("cause", "note", "faults", "page", "box", "chosen")


def presence_label(value: Value) -> str:
    """`present`, `null` or `missing`.

    >>> presence_label(None), presence_label(MISSING), presence_label("")
    ('null', 'missing', 'present')
    """
    if value is None:
        return "null"
    return "missing" if value is MISSING else "present"


def fill_confidences(tables: Sequence[ComparisonTable]) -> list[NDArray[np.float64]]:
    """The confidences of several tables, NaN for all rows of a table without any."""
    return [table.confidence if len(table.confidence) else np.full(len(table), np.nan) for table in tables]
