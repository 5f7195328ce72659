"""The atom of every score: expected and actual at one path of one case."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as default
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.rule import FieldRule
from fieldwise.model.values import MISSING, Json, Presence, Value, presence_of


class Outcome(IntEnum):
    """What became of a field."""

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
        """The name on the wire, such as `wrong_value`."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One field of one case, as people read it."""

    path: str
    """Where, with list items named by their expected index, such as `line_items[2].amount`."""
    field: str
    """The rule's path, such as `line_items[*].amount`."""
    outcome: str
    expected: Json
    actual: Json
    expected_presence: str
    actual_presence: str
    similarity: float | None
    passed: bool
    cause: str | None = None
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        """A JSON-able form, without what is not known."""
        out: dict[str, Any] = {"path": self.path, "field": self.field, "outcome": self.outcome}
        if self.expected_presence != "missing":
            out["expected"] = self.expected
        if self.actual_presence != "missing":
            out["actual"] = self.actual
        out |= {"similarity": self.similarity, "passed": self.passed, "cause": self.cause}
        return out | ({"note": self.note} if self.note else {})


@dataclass(slots=True, kw_only=True)
class Comparisons:
    """All comparisons of a batch, as arrays of equal length; `row` below is a position in them.

    Rows are grouped by field in the order of the rules; `by_case` gives the order by case.
    """

    cases: int
    """How many cases the batch has."""
    case: NDArray[np.int32]
    field: NDArray[np.int32]
    """Index into `fields`."""
    path: NDArray[np.int32]
    """Index into `paths`."""
    outcome: NDArray[np.uint8]
    similarity: NDArray[np.float64]
    """NaN where the two values were not compared."""
    passed: NDArray[np.bool_]
    expected: Sequence[Value]
    actual: Sequence[Value]
    fields: Sequence[str]
    rules: Sequence[FieldRule]
    """The rule of each of `fields`."""
    paths: Sequence[str]
    cause: dict[int, str] = default(default_factory=dict[int, str])
    note: dict[int, str] = default(default_factory=dict[int, str])
    faults: dict[int, Diagnostic] = default(default_factory=dict[int, Diagnostic])
    """Why a row could not be compared, for rows whose outcome is FAULT."""
    unmatched_actual: NDArray[np.bool_] = default(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """True for an item of an actual list that no expected item was paired with."""
    unmatched_expected: NDArray[np.bool_] = default(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """True for an item of an expected list that no actual item was paired with."""
    identical: NDArray[np.bool_] = default(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """True where both sides are the same value to the letter; empty where nobody has looked."""
    _order: NDArray[np.int64] | None = None
    _offsets: NDArray[np.int64] | None = None
    told: dict[Hashable, Any] = default(default_factory=dict[Hashable, Any], init=False, repr=False, compare=False)
    """What was made of these comparisons and may be asked for again; a changed copy begins without."""

    def __len__(self) -> int:
        return len(self.case)

    def by_case(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows sorted by case, and where each case begins: case c is `order[offsets[c]:offsets[c + 1]]`."""
        if self._order is None or self._offsets is None:
            self._order = np.argsort(self.case, kind="stable")
            self._offsets = np.searchsorted(self.case[self._order], np.arange(self.cases + 1))
        return self._order, self._offsets

    def take(self, rows: NDArray[np.int64]) -> "Comparisons":
        """Some of the rows, or all of them in another order; rows of a field must stay together."""
        picked = rows.tolist()
        place = {old: new for new, old in enumerate(picked)} if self.cause or self.note or self.faults else {}
        arrays = {name: getattr(self, name)[rows] for name in _ARRAYS if len(getattr(self, name))}
        lists = {name: [getattr(self, name)[row] for row in picked] for name in ("expected", "actual")}
        sparse = {name: {place[row]: value for row, value in getattr(self, name).items() if row in place} for name in _SPARSE}
        return replace(self, **arrays, **lists, **sparse, _order=None, _offsets=None)

    def rows_of(self, case: int) -> NDArray[np.int64]:
        """The rows of one case, in the order of the rules."""
        order, offsets = self.by_case()
        return order[offsets[case] : offsets[case + 1]]

    def at(self, row: int) -> Comparison:
        """One row as people read it."""
        expected, actual = self.expected[row], self.actual[row]
        similarity = float(self.similarity[row])
        return Comparison(
            path=self.paths[int(self.path[row])],
            field=self.fields[int(self.field[row])],
            outcome=Outcome(self.outcome[row]).label,
            expected=None if expected is MISSING else expected,
            actual=None if actual is MISSING else actual,
            expected_presence=_presence_label(expected),
            actual_presence=_presence_label(actual),
            similarity=None if np.isnan(similarity) else similarity,
            passed=bool(self.passed[row]),
            cause=self.cause.get(row),
            note=self.note.get(row),
        )

    def of_case(self, case: int) -> Iterator[Comparison]:
        """The comparisons of one case, in the order of the rules."""
        return (self.at(int(row)) for row in self.rows_of(case))


_ARRAYS = ("case", "field", "path", "outcome", "similarity", "passed", "unmatched_actual", "unmatched_expected", "identical")
_SPARSE = ("cause", "note", "faults")


def _presence_label(value: Value) -> str:
    return Presence(presence_of(value)).name.lower()
