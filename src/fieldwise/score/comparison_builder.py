"""Rows of comparisons as they are found, and the verdict on each: equal first, then the matchers, for what differs only."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress
from math import inf
from operator import ne
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from fieldwise.model.comparison import Comparisons
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.rule import CompareSpec, FieldRule, Match
from fieldwise.model.values import MISSING, kind
from fieldwise.registry import MATCHERS
from fieldwise.score.column_cache import Memo
from fieldwise.score.columns import Column, Misfit
from fieldwise.score.frame import Frame, item_places
from fieldwise.score.matching import score_pairs

_SCALARS = frozenset((str, int, bool, float))
_NUMBERS = frozenset((int, bool, float))
_INFINITE = (inf, -inf)
# as plain numbers: looking up a member of an enum costs as much as the comparison it stands for
_WRONG_VALUE, _FORMAT_ERROR, _OMISSION, _HALLUCINATION, _BOTH_ABSENT, _IGNORED, _FAULT = range(1, 8)
_MAY_BE_MISFITS = (_FORMAT_ERROR, _OMISSION, _BOTH_ABSENT, _IGNORED)


@dataclass(slots=True)
class Block:
    """A field's values in some cases."""

    field: int
    expected: Column
    actual: Column
    frame: Frame
    paths: int
    """Where the paths of this field begin in the table of paths."""
    doubtful: Sequence[int]
    """The rows that are not plainly equal."""


@dataclass(slots=True)
class Rows:
    """Collects the blocks of a batch."""

    spec: CompareSpec
    cases: int
    rules: list[FieldRule]
    fields: list[str]
    memo: Memo
    blocks: list[Block] = field(default_factory=list[Block])
    paths: list[str] = field(default_factory=list[str])
    is_null: Callable[[Any], bool] | None = None
    """Whether a value counts as null besides null itself."""

    def __post_init__(self) -> None:
        self.is_null = self.spec.nulls.test()

    def add(self, position: int, suffix: str, expected: Column, actual: Column, frame: Frame) -> None:
        """Take in a field's columns. `suffix` is how its paths go on from the frame's prefixes."""
        if not expected:
            return
        doubtful = self._doubtful(self.rules[position].match, expected, actual)
        start = len(self.paths)
        self.paths.extend(f"{prefix}{suffix}".removeprefix(".") or "(root)" for prefix in frame.prefixes)
        self.blocks.append(Block(position, expected, actual, frame, start, doubtful))

    def _doubtful(self, match: Match, expected: Column, actual: Column) -> Sequence[int]:
        """The rows to look at: those that are not plainly equal, and equal ones that may not be a match even so."""
        if match.name == "ignore" or (match.name not in ("exact", "auto") and not MATCHERS.find(match.name).reflexive):
            return range(len(expected))
        found = differences(expected, actual)
        if self.is_null is None:
            return found
        blank = [row for row, value in enumerate(expected) if value.__class__ is str and self.is_null(value)]
        return sorted({*found, *blank}) if blank else found

    def _in_order(self) -> None:
        """Put the fields that no rule names in the order of their paths, so that it does not depend on which cases share a batch."""
        named = len(self.spec.rules)
        if len(self.fields) == named:
            return
        order = [*range(named), *sorted(range(named, len(self.fields)), key=self.fields.__getitem__)]
        self.fields = [self.fields[old] for old in order]
        self.rules = [self.rules[old] for old in order]
        place = {old: new for new, old in enumerate(order)}
        for block in self.blocks:
            block.field = place[block.field]

    def finish(self) -> Comparisons:
        """All comparisons of the batch."""
        self._in_order()
        blocks = sorted(self.blocks, key=lambda block: block.field)
        sizes = [len(block.expected) for block in blocks]
        total = sum(sizes)
        comparisons = Comparisons(
            cases=self.cases,
            case=_joined([block.frame.case for block in blocks], np.int32),
            field=np.repeat(np.array([block.field for block in blocks], dtype=np.int32), sizes),
            path=_joined([block.frame.prefix + np.int32(block.paths) for block in blocks], np.int32),
            outcome=np.zeros(total, dtype=np.uint8),
            similarity=np.ones(total, dtype=np.float64),
            passed=np.ones(total, dtype=np.bool_),
            expected=list(chain.from_iterable(block.expected for block in blocks)),
            actual=list(chain.from_iterable(block.actual for block in blocks)),
            fields=self.fields,
            rules=self.rules,
            paths=self.paths,
            extra=_joined([block.frame.extra for block in blocks], np.bool_),
            lone=_joined([block.frame.lone for block in blocks], np.bool_),
        )
        starts: list[int] = np.cumsum([0, *sizes[:-1]]).tolist() if sizes else []
        placed = list(zip(starts, blocks, strict=True))
        comparisons.plain = _all_but(total, [start + np.asarray(block.doubtful, dtype=np.int64) for start, block in placed])
        _decide(comparisons, placed, self.spec, self.is_null)
        _unwrap_misfits(comparisons)
        return _item_by_item(comparisons, blocks)


def _all_but(total: int, doubtful: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
    plain = np.ones(total, dtype=np.bool_)
    plain[_joined(doubtful, np.int64)] = False
    return plain


def _item_by_item(comparisons: Comparisons, blocks: Sequence[Block]) -> Comparisons:
    """Put the rows of a field in the order of its items where they came in several blocks, such as lone items after the others."""
    fields = np.array([block.field for block in blocks], dtype=np.int64)
    several = np.flatnonzero(np.bincount(fields) > 1) if len(fields) else fields
    if not len(several):
        return comparisons
    rows = np.flatnonzero(np.isin(comparisons.field, several))
    paths, codes = np.unique(comparisons.path[rows], return_inverse=True)
    numbers: list[int] = paths.tolist()
    places = [item_places(comparisons.paths[number]) for number in numbers]
    rank = {place: at for at, place in enumerate(sorted({*places}))}
    ranks = np.array([rank[place] for place in places], dtype=np.int64)[codes]
    order = np.arange(len(comparisons))
    order[rows] = rows[np.lexsort((ranks, comparisons.case[rows], comparisons.field[rows]))]
    return comparisons if (order[1:] > order[:-1]).all() else comparisons.take(order)


def _joined(arrays: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=dtype)


def differences(expected: Column, actual: Column) -> Sequence[int]:
    """The rows that are not plainly equal: another kind, another value, a container, null, missing, not finite.

    Python calls True and 1 equal, and 1 and 1.0; so equal values of different types are looked at again.

    >>> list(differences([1, True, "a", None], [1, 1, "b", None]))
    [1, 2, 3]
    """
    rows = range(len(expected))
    types, others = set(map(type, expected)), set(map(type, actual))
    shared = types & others
    if shared <= _SCALARS and len((types | others) & _NUMBERS) <= 1 and not (float in shared and (inf in expected or -inf in expected)):
        return list(compress(rows, map(ne, expected, actual)))  # no two values of different types can pass for equal
    return [row for row, (one, other) in enumerate(zip(expected, actual, strict=True)) if not _plainly_equal(one, other)]


def _plainly_equal(one: Any, other: Any) -> bool:
    if one.__class__ is not other.__class__:
        return False
    if one.__class__ in _SCALARS:
        return one == other and not (one.__class__ is float and one in _INFINITE)
    return one.__class__ in (list, dict) and _same_text(one, other)


def _same_text(one: Any, other: Any) -> bool:
    """Whether two containers are alike to the letter. False where it cannot be told cheaply: null may hide NaN."""
    try:
        if one != other:  # seen at the first difference, before anything is written
            return False
        text = orjson.dumps(one)
        return text == orjson.dumps(other) and b"null" not in text
    except (TypeError, RecursionError):
        return False


def _decide(
    comparisons: Comparisons, blocks: Iterable[tuple[int, Block]], spec: CompareSpec, is_null: Callable[[Any], bool] | None
) -> None:
    """Give every doubtful row its outcome: by presence where a side has no value, else by its matcher."""
    pending: dict[Match, list[int]] = {}
    absent: list[tuple[int, int, float, bool]] = []
    choose: Callable[[Any], Match] | None = spec.default if callable(spec.default) else None
    for start, block in blocks:
        rule = comparisons.rules[block.field]
        if rule.path is None:
            absent += [(start + row, _OMISSION, 0.0, False) for row in block.doubtful]
            comparisons.note.update((start + row, "malformed path") for row in block.doubtful)
            continue
        if rule.match.name == "ignore":
            absent += [(start + row, _IGNORED, np.nan, True) for row in block.doubtful]
            continue
        present = _set_aside(block, start, rule.required, is_null, absent)
        if choose and rule.match.name == "auto":
            chosen: dict[int, tuple[Match, list[int]]] = {}  # by identity: hashing a match takes longer than choosing it
            for row in present:
                match = choose(comparisons.expected[row])
                chosen.setdefault(id(match), (match, []))[1].append(row)
            for match, some in chosen.values():
                pending.setdefault(match, []).extend(some)
        elif present:
            pending.setdefault(rule.match, []).extend(present)
    if absent:
        rows, outcomes, similarities, passed = zip(*absent, strict=True)
        at = np.array(rows, dtype=np.int64)
        comparisons.outcome[at], comparisons.similarity[at], comparisons.passed[at] = outcomes, similarities, passed
    for match, rows in pending.items():
        _match(comparisons, match, rows)


def _set_aside(
    block: Block, start: int, required: bool | None, is_null: Callable[[Any], bool] | None, absent: list[tuple[int, int, float, bool]]
) -> list[int]:
    """Put the rows in which a side has no value among `absent`, with their outcome, and return the others."""
    present: list[int] = []
    expected, actual = block.expected, block.actual
    for row in block.doubtful:
        one, other = expected[row], actual[row]
        no_expected = one is None or one is MISSING or (is_null is not None and is_null(one))
        no_actual = other is None or other is MISSING or (is_null is not None and is_null(other))
        if no_expected and other.__class__ is Misfit:
            other, no_actual = MISSING, True  # what stands in the way of a field is counted where a value is expected
        if no_expected or no_actual:
            absent.append((start + row, *_by_presence(no_expected, no_actual, one is MISSING, other is MISSING, required)))
        elif other.__class__ is Misfit:
            absent.append((start + row, _FORMAT_ERROR, 0.0, False))
        else:
            present.append(start + row)
    return present


def _by_presence(
    no_expected: bool, no_actual: bool, expected_missing: bool, actual_missing: bool, required: bool | None
) -> tuple[int, float, bool]:
    """Outcome, similarity and whether it passed, where at least one side has no value."""
    if not no_expected:
        return _OMISSION, 0.0, False
    if not no_actual:
        return _HALLUCINATION, 0.0, False
    if required and actual_missing:
        return _OMISSION, 0.0, False
    return (_BOTH_ABSENT, np.nan, False) if expected_missing else (_BOTH_ABSENT, 1.0, True)


def _match(comparisons: Comparisons, match: Match, rows: list[int]) -> None:
    """Let the matcher decide these rows."""
    expected, actual = comparisons.expected, comparisons.actual
    scores = score_pairs(match, [expected[row] for row in rows], [actual[row] for row in rows])
    at = np.array(rows, dtype=np.int64)
    comparisons.similarity[at] = scores.value
    comparisons.passed[at] = scores.passed
    failed = at[~scores.passed]
    pairs = [(expected[row], actual[row]) for row in failed.tolist()]
    differ = [one.__class__ is not other.__class__ and kind(one) != kind(other) for one, other in pairs]
    comparisons.outcome[failed] = np.where(differ, _FORMAT_ERROR, _WRONG_VALUE)
    for position, note in scores.notes.items():
        comparisons.note[rows[position]] = note
    for position, fault in scores.faults.items():
        _mark_fault(comparisons, rows[position], fault)


def _mark_fault(comparisons: Comparisons, row: int, fault: Diagnostic) -> None:
    comparisons.outcome[row] = _FAULT
    comparisons.similarity[row] = np.nan
    comparisons.passed[row] = False
    comparisons.faults[row] = fault


def _unwrap_misfits(comparisons: Comparisons) -> None:
    """Show the value that stood in the way, or nothing where nothing was expected."""
    actual: Any = comparisons.actual
    for row in np.flatnonzero(np.isin(comparisons.outcome, _MAY_BE_MISFITS)).tolist():
        if actual[row].__class__ is Misfit:
            actual[row] = MISSING if comparisons.outcome[row] in (_OMISSION, _BOTH_ABSENT) else actual[row].value
