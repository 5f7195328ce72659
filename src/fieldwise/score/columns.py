"""Columns of values: one path of every case of a batch, the rows they belong to, and a cache of steps already taken."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Final

from fieldwise.dataclass import dataclass
from fieldwise.model.accepted_values import ANY, accepted_values
from fieldwise.model.evidence import EvidenceNode, evidence_below
from fieldwise.model.path import MalformedPath, Path, Step
from fieldwise.model.values import MISSING, Missing, Value
from fieldwise.numpy_on_use import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Misfit:
    """Marks a field below an actual value of the wrong kind, such as text where an object is expected: a format error."""

    value: Any


_OBJECT_OR_MISSING: Final = frozenset((dict, Missing))
LISTS: Final = (list, tuple)
"""Types that count as a list: Python callers may pass tuples."""

ValueColumn = list[Any]
"""Values of one path, case by case: a `Value`, or a `Misfit` on the actual side."""


def take_step(column: ValueColumn, step: Step) -> ValueColumn:
    """Values one step down. Below null is null; below anything without that step is missing.

    >>> take_step([{"a": 1}, {"a": None}, {}, None, [5]], "a")
    [1, None, MISSING, None, MISSING]
    """
    if isinstance(step, int):
        return [_item_at(value, step) for value in column]
    values = take_key_everywhere(column, step)
    return split_objects(column).take_key(step) if values is None else values


@dataclass(frozen=True, slots=True)
class ObjectColumn:
    """A column of which some values are no objects, or lack a key."""

    objects: list[dict[Any, Any]]
    """The values, with an empty object in place of anything else."""
    without_key: Iterable[Any]
    """What each row has below a key that its object lacks: null below null, a misfit below a misfit, else MISSING."""
    mappings: dict[int, Mapping[Any, Any]]
    """Objects of other types than `dict`, by row."""
    has_choices: bool
    """Whether some objects hold several accepted values."""

    def take_key(self, key: Step) -> ValueColumn:
        """Values at a key."""
        values = list(map(dict.get, self.objects, repeat(key), self.without_key))
        for row, value in self.mappings.items():
            values[row] = _member_at(value, key)
        if self.has_choices:  # they have the key inside
            for row in [row for row, value in enumerate(values) if value is MISSING and ANY in self.objects[row]]:
                values[row] = _step_into_accepted(self.objects[row], key)
        return values


_NO_OBJECT: Final[dict[Any, Any]] = {}


def split_objects(column: ValueColumn) -> ObjectColumn:
    """The objects of a column apart from its other values."""
    objects: list[dict[Any, Any]] = column
    without_key: Iterable[Any] = repeat(MISSING)
    mappings: dict[int, Mapping[Any, Any]] = {}
    types = {*map(type, column)}
    if types != {dict}:
        objects = [value if value.__class__ is dict else _NO_OBJECT for value in column]
        if not types <= _OBJECT_OR_MISSING:
            without_key = [value if value is None or value.__class__ is Misfit else MISSING for value in column]
            mappings = {row: value for row, value in enumerate(column) if isinstance(value, Mapping) and value.__class__ is not dict}
    return ObjectColumn(objects, without_key, mappings, any(map(dict.__contains__, objects, repeat(ANY))))


def take_key_everywhere(column: ValueColumn, key: Step) -> ValueColumn | None:
    """Values at a key, without checks; None if some value lacks the key."""
    try:
        return [value[key] for value in column]
    except (KeyError, TypeError, IndexError):
        return None


def _member_at(value: Mapping[Any, Any], key: Step) -> Any:
    """The member of an object of another type than `dict`, if it has one."""
    member = value.get(key, MISSING)
    return _step_into_accepted(value, key) if member is MISSING and ANY in value else member


def _item_at(value: Any, index: int) -> Any:
    if isinstance(value, LISTS):
        items: Sequence[Value] = value
        return items[index] if -len(items) <= index < len(items) else MISSING
    return take_step([value], str(index))[0]


def _step_into_accepted(value: Any, step: Step) -> Any:
    """Several accepted values one step down: those of each of them; one without that step accepts absence."""
    values = accepted_values(value)
    if values is None:
        return MISSING
    below = take_step(list(values), step)
    if below and all(inner is MISSING for inner in below):
        return MISSING
    return {ANY: [None if inner is MISSING else inner for inner in below]}


def take_path(column: ValueColumn, steps: Iterable[Step]) -> ValueColumn:
    """Values several steps down."""
    for step in steps:
        column = take_step(column, step)
    return column


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows of a column: the records themselves, or the items of a list in all of them."""

    case: NDArray[np.int32]
    prefix: NDArray[np.int32]
    """Index into `prefixes`."""
    prefixes: Sequence[str]
    """Beginnings of the rows' paths, such as `line_items[2]`."""
    unmatched_actual: NDArray[np.bool_]
    """True for items of an actual list without an expected counterpart, and everything below them."""
    unmatched_expected: NDArray[np.bool_]
    """True for items of an expected list without an actual counterpart, and everything below them."""
    evidence: Sequence[EvidenceNode] | None = None
    """The evidence of the actual value of each row; None if the batch has none."""

    def __len__(self) -> int:
        return len(self.case)

    def take_rows(self, rows: Sequence[int] | NDArray[np.int64]) -> Frame:
        """The frame of some of the rows."""
        at = np.asarray(rows, dtype=np.int64)
        evidence = None if self.evidence is None else [self.evidence[row] for row in at.tolist()]
        return Frame(self.case[at], self.prefix[at], self.prefixes, self.unmatched_actual[at], self.unmatched_expected[at], evidence)

    def evidence_at(self, suffix: str) -> list[EvidenceNode]:
        """The evidence of the values at `suffix` in the rows of this frame."""
        nodes = list(self.evidence or ())
        try:
            steps = Path.parse(suffix.removeprefix(".")).steps if suffix else ()
        except MalformedPath:  # the path of a rule that cannot be parsed
            return [None] * len(nodes)
        for step in steps:
            nodes = [evidence_below(node, step) for node in nodes]
        return nodes

    def frame_of_items(self, items: PairedItems, suffix: str) -> Frame:
        """The frame of the items of lists that are at `suffix` in the rows of this frame."""
        parent = np.array(items.parent, dtype=np.int64)
        label = np.array(items.label, dtype=np.int64)
        lowest = int(label.min(initial=0))
        width = int(label.max(initial=0)) + 1 - lowest
        # 64 bits: long lists inside long lists have more distinct paths than 32 bits can count
        path_codes = self.prefix[parent].astype(np.int64) * width + (label - lowest)
        distinct, codes = np.unique(path_codes, return_inverse=True)
        prefixes = [f"{self.prefixes[code // width]}{suffix}{item_label(code % width + lowest)}" for code in distinct.tolist()]
        return Frame(
            self.case[parent],
            codes.astype(np.int32),
            prefixes,
            _set_rows(self.unmatched_actual[parent], items.unmatched_actual),
            _set_rows(self.unmatched_expected[parent], items.unmatched_expected),
            self._evidence_of_items(items, suffix),
        )

    def _evidence_of_items(self, items: PairedItems, suffix: str) -> list[EvidenceNode] | None:
        if self.evidence is None:
            return None
        lists = self.evidence_at(suffix)
        pairs = zip(items.parent, items.actual_index, strict=True)
        return [evidence_below(lists[parent], index) if index >= 0 else None for parent, index in pairs]


def _set_rows(flags: NDArray[np.bool_], rows: list[int]) -> NDArray[np.bool_]:
    flags[rows] = True
    return flags


def frame_of_cases(cases: int, evidence: Mapping[int, EvidenceNode] | None = None) -> Frame:
    """The frame with one row per case; `evidence` is that of the actual records, by case."""
    none = np.zeros(cases, dtype=np.bool_)
    nodes = [evidence.get(case) for case in range(cases)] if evidence else None
    return Frame(np.arange(cases, dtype=np.int32), np.zeros(cases, dtype=np.int32), [""], none, none, nodes)


@dataclass(slots=True)
class PairedItems:
    """Items of lists, paired: position i of every list below is one pair, or one item without a counterpart."""

    parent: list[int] = field(default_factory=list)
    """The row of the frame that holds the list."""
    label: list[int] = field(default_factory=list)
    """Index of the expected item; -1 - j for an unmatched actual item j."""
    expected: list[Any] = field(default_factory=list)
    actual: list[Any] = field(default_factory=list)
    actual_index: list[int] = field(default_factory=list)
    """Index of the actual item; -1 if there is none."""
    unmatched_actual: list[int] = field(default_factory=list)
    """Positions of actual items without an expected counterpart."""
    unmatched_expected: list[int] = field(default_factory=list)
    """Positions of expected items without an actual counterpart."""

    def add(self, parent: int, label: int, expected: Any, actual: Any, actual_index: int = -1) -> None:
        """Append one pair, or one item without a counterpart."""
        self.parent.append(parent)
        self.label.append(label)
        self.expected.append(expected)
        self.actual.append(actual)
        self.actual_index.append(actual_index)


def item_label(index: int) -> str:
    """`[2]` for an expected item, `[+2]` for an unmatched actual one.

    >>> item_label(2), item_label(-3)
    ('[2]', '[+2]')
    """
    return f"[{index}]" if index >= 0 else f"[+{-1 - index}]"


_ITEM_LABEL = re.compile(r"\[(\+?)([0-9]+)\]")


def item_sort_key(path: str) -> tuple[tuple[bool, int], ...]:
    """Sort key of a path by its item labels: expected items in their order, then unmatched actual ones.

    >>> sorted(["a[10].b", "a[+0].b", "a[9].b"], key=item_sort_key)
    ['a[9].b', 'a[10].b', 'a[+0].b']
    """
    return tuple((bool(plus), int(index)) for plus, index in _ITEM_LABEL.findall(path))


@dataclass(slots=True)
class ColumnCache:
    """Steps taken and lists paired in one batch, shared by its evaluators. Worth 1.38× on three evaluators.

    Columns are keyed by `id`, because comparing them by value would cost as much as the work that is saved. That is safe: each entry
    holds a reference to the columns it is about, so their ids are not reused while the cache lives.
    """

    _steps: dict[tuple[int, Step], tuple[ValueColumn, ValueColumn]] = field(default_factory=dict)
    """By column and step: the column itself, then the values below."""
    _keys_everywhere: set[tuple[int, Step]] = field(default_factory=set)
    _objects: dict[int, ObjectColumn] = field(default_factory=dict)
    """By column, once a key was missing somewhere; `_steps` holds the column itself."""
    _paired: dict[Hashable, tuple[Any, PairedItems]] = field(default_factory=dict)
    _only_keys: dict[tuple[int, frozenset[Step]], bool] = field(default_factory=dict)
    """By column and keys; `_steps` holds the column itself."""

    def take_step(self, column: ValueColumn, step: Step) -> ValueColumn:
        """Values one step down, the same list for the same column and step."""
        key = (id(column), step)
        entry = self._steps.get(key)
        if entry is None:
            entry = self._steps[key] = (column, self._take_new_step(column, step))
        return entry[1]

    def _take_new_step(self, column: ValueColumn, step: Step) -> ValueColumn:
        if isinstance(step, int):
            return take_step(column, step)
        objects = self._objects.get(id(column))
        if objects is None:
            values = take_key_everywhere(column, step)
            if values is not None:
                self._keys_everywhere.add((id(column), step))
                return values
            objects = self._objects[id(column)] = split_objects(column)
        return objects.take_key(step)

    def has_key_everywhere(self, column: ValueColumn, key: Step) -> bool:
        """True if `take_step` has shown that every value of the column has this key."""
        return (id(column), key) in self._keys_everywhere

    def has_only_keys(self, column: ValueColumn, keys: frozenset[Step]) -> bool:
        """True if every value is missing, or an object with some of these keys and no others. `take_step` took all of them before."""
        key = (id(column), keys)
        if key not in self._only_keys:
            self._only_keys[key] = self._check_only_keys(column, keys)
        return self._only_keys[key]

    def _check_only_keys(self, column: ValueColumn, keys: frozenset[Step]) -> bool:
        types = {*map(type, column)}
        if not types <= _OBJECT_OR_MISSING:
            return False
        if all(self.has_key_everywhere(column, key) for key in keys) and {*map(len, column)} == {len(keys)}:
            return True
        objects = [value for value in column if value is not MISSING] if Missing in types else column
        return all(objects) and keys.issuperset(chain.from_iterable(objects))

    def paired_items(self, lists: tuple[ValueColumn, ValueColumn], method: Hashable, pair: Callable[[], PairedItems]) -> PairedItems:
        """The items of two columns of lists, paired by `pair` at the first call. `method` identifies the way of pairing."""
        try:
            key = (id(lists[0]), id(lists[1]), method)
            entry = self._paired.get(key)
        except TypeError:  # unhashable options of another package's matcher
            return pair()
        if entry is None:
            entry = self._paired[key] = (lists, pair())
        return entry[1]
