"""Items of expected and actual, paired and judged, for all cases of a batch at once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import isnan
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from fieldwise.evaluators.geometry._items import Items, Names, items
from fieldwise.kernels.assignment import assign
from fieldwise.model.values import MISSING, Value, kind

Pairing = Literal["index", "best"]
Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scored:
    """How each pair did."""

    similarity: Floats
    passed: NDArray[np.bool_]
    shown: Floats
    """The number that a report shows for the pair: its IoU, or its distance (NaN where there is none)."""
    notes: Mapping[int, str] = field(default_factory=dict[int, str])
    """For some pairs, why they failed."""


class Measure(Protocol):
    """All items of a batch, ready to be compared; rows count through the whole batch."""

    @property
    def expected_problems(self) -> Mapping[int, str]:
        """What is wrong with expected items that cannot be compared, by row."""
        ...

    @property
    def actual_problems(self) -> Mapping[int, str]:
        """The same for actual items."""
        ...

    def grid(self, expected: Rows, actual: Rows) -> Floats:
        """What an optimal pairing maximises, for every expected with every actual item; 0 for no match at all."""
        ...

    def pairs(self, expected: Rows, actual: Rows) -> Scored:
        """How well each expected item matches the actual one in the same place."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What to look for in a record."""

    path: str
    is_one: Callable[[Any, bool], bool]
    """Whether a list is one item; the second argument says if it stands on the actual side."""
    value_key: str | None = None
    """The key inside an item that holds what is compared."""
    label_key: str | None = None
    pairing: Pairing = "index"
    shown: str = "similarity"
    """What the number that stands with each pair in a report is."""


@dataclass(frozen=True, slots=True)
class Column:
    """One side of a batch: the items of all cases, one after the other."""

    values: list[Value]
    labels: list[Any]
    """MISSING where an item has none."""
    offsets: list[int]
    single: list[bool]

    def rows(self, case: int) -> range:
        """The rows of one case."""
        return range(self.offsets[case], self.offsets[case + 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One case, paired and judged."""

    score: float
    hits: list[str]
    misses: list[str]
    passed: int
    expected: int
    actual: int
    pairs: list[dict[str, Any]]
    malformed_expected: int
    expected_rows: range
    actual_rows: range


def column(values: Sequence[Any], setup: Setup, actual: bool) -> Column:
    """The items of one side, taken apart into what is compared and its label."""
    found: list[Items] = [items(value, lambda value: setup.is_one(value, actual)) for value in values]
    flat = list(chain.from_iterable(one.values for one in found))
    offsets = [0, *np.cumsum([len(one.values) for one in found], dtype=np.int64).tolist()]
    compared = flat if setup.value_key is None else [_inside(item, setup.value_key) for item in flat]
    labels = [MISSING] * len(flat) if setup.label_key is None else [_inside(item, setup.label_key) for item in flat]
    return Column(compared, labels, offsets, [one.single for one in found])


def _inside(item: Any, key: str) -> Any:
    return item.get(key, MISSING) if kind(item) == "object" else (None if item is None else MISSING)


def judge(expected: Column, actual: Column, measure: Measure, setup: Setup, names: Names) -> list[Judged]:
    """Pair the items of every case and judge the pairs, all in one call."""
    cases = range(len(expected.single))
    found = [_pair(expected, actual, measure, setup, case) for case in cases]
    flat = np.array(list(chain.from_iterable(pairs for pairs, _ in found)), dtype=np.int64).reshape(-1, 2)
    scored = measure.pairs(flat[:, 0], flat[:, 1])
    similarity, passed, shown = scored.similarity.tolist(), scored.passed.tolist(), scored.shown.tolist()  # faster than items of arrays
    judged: list[Judged] = []
    start = 0
    for case, (pairs, slots) in enumerate(found):
        mine = slice(start, start + len(pairs))
        notes = {row: scored.notes[at] for row, at in enumerate(range(mine.start, mine.stop)) if at in scored.notes} if scored.notes else {}
        told = _Case(case, pairs, slots, similarity[mine], passed[mine], shown[mine], notes, setup.shown)
        judged.append(_judge_case(expected, actual, measure, names, told))
        start = mine.stop
    return judged


def _pair(expected: Column, actual: Column, measure: Measure, setup: Setup, case: int) -> tuple[list[tuple[int, int]], int]:
    """The pairs of one case, and over how many items its score is the mean."""
    left, right = expected.rows(case), actual.rows(case)
    if expected.single[case] and actual.single[case]:
        return [(left[0], right[0])], 1
    groups = [(list(left), list(right))] if setup.label_key is None else _by_label(expected, actual, left, right)
    pairs: list[tuple[int, int]] = []
    for ours, theirs in groups:
        if setup.pairing == "index":
            plain = setup.label_key is None
            pairs.extend(zip(ours, theirs, strict=False) if plain else _by_index(ours, theirs, right.start - left.start))
        elif ours and theirs:
            grid = measure.grid(np.array(ours), np.array(theirs))
            pairs.extend((ours[i], theirs[j]) for i, j in assign(grid) if grid[i, j] > 0)
    return sorted(pairs), max(len(left), len(right))


def _by_index(ours: list[int], theirs: list[int], shift: int) -> list[tuple[int, int]]:
    """Items of one label: those at the same place of both lists, then the others in order.

    >>> _by_index([0, 2], [11, 12, 13], 10)
    [(2, 12), (0, 11)]
    """
    there = set(theirs)
    pairs = [(row, row + shift) for row in ours if row + shift in there]
    kept, taken = {row for row, _ in pairs}, {row for _, row in pairs}
    return pairs + list(zip((row for row in ours if row not in kept), (row for row in theirs if row not in taken), strict=False))


def _by_label(expected: Column, actual: Column, left: range, right: range) -> list[tuple[list[int], list[int]]]:
    groups: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
    for side, (labels, rows) in enumerate(((expected.labels, left), (actual.labels, right))):
        for row in rows:
            groups.setdefault(label_of(labels[row]), ([], []))[side].append(row)
    return list(groups.values())


def label_of(label: Any) -> tuple[str, str]:
    """A label as a key; `1` and `true` and `"1"` are three labels."""
    return kind(label), f"{label:g}" if kind(label) == "number" and abs(label) < 1e15 else str(label)


@dataclass(frozen=True, slots=True)
class _Case:
    """One case with its pairs and how each did."""

    case: int
    pairs: list[tuple[int, int]]
    slots: int
    similarity: list[float]
    passed: list[bool]
    numbers: list[float]
    notes: Mapping[int, str]
    shown: str


def _judge_case(expected: Column, actual: Column, measure: Measure, names: Names, at: _Case) -> Judged:
    left, right = expected.rows(at.case), actual.rows(at.case)
    partner = {ours: position for position, (ours, _) in enumerate(at.pairs)}
    hits: list[str] = []
    misses: list[str] = []
    for row in left:
        name = names.of(row - left.start, expected.single[at.case])
        position = partner.get(row)
        if position is None:
            misses.append(_with_reason(name, _expected_problem(measure, row) or "required, missing"))
        elif at.passed[position]:
            hits.append(name)
        else:
            why = _expected_problem(measure, row) or measure.actual_problems.get(at.pairs[position][1]) or at.notes.get(position)
            misses.append(_with_reason(name, why))
    if len(at.pairs) < len(right):
        taken = {theirs for _, theirs in at.pairs}
        extras = [(row, names.extra(row - right.start, actual.single[at.case])) for row in right if row not in taken]
        misses.extend(_with_reason(name, measure.actual_problems.get(row, "extra")) for row, name in extras)
    return Judged(
        score=sum(at.similarity) / at.slots if at.slots else 1.0,
        hits=hits if at.slots else [names.whole],
        misses=misses,
        passed=sum(at.passed),
        expected=len(left),
        actual=len(right),
        pairs=[
            {"expected": ours - left.start, "actual": theirs - right.start, at.shown: None if isnan(number) else number}
            for (ours, theirs), number in zip(at.pairs, at.numbers, strict=True)
        ],
        malformed_expected=sum(row in measure.expected_problems for row in left) if measure.expected_problems else 0,
        expected_rows=left,
        actual_rows=right,
    )


def _expected_problem(measure: Measure, row: int) -> str | None:
    problem = measure.expected_problems.get(row)
    return None if problem is None else f"expected: {problem}"


def _with_reason(name: str, reason: str | None) -> str:
    return f"{name} ({reason})" if reason else name
