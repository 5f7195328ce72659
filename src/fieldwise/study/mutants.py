"""Enumerates the mutants of records: one corruption of one value, or of one list, at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, cast
from zlib import crc32

from fieldwise.kernels.numbers import count_decimals
from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.path import EACH, Step, render_path
from fieldwise.model.values import MISSING, Value
from fieldwise.study.corruptions import CORRUPTIONS, UNCHANGED, ValueContext, corrupt_value
from fieldwise.study.value_equality import are_same_value, kind_of

_MAX_VALUES: Final = 24
"""Distinct values of a field that are kept for `other_value` and `invented`."""
_MAX_DECIMALS: Final = 6
_NEIGHBOUR_DISTANCE: Final = 2
_CORRUPTIONS_OF_KIND: Final = {
    kind: [corruption for corruption in CORRUPTIONS if kind in corruption.kinds]
    for kind in ("text", "code", "date", "figure", "number", "bool", "null", "container")
}
Steps = tuple[str | int, ...]


class Mutant(NamedTuple):
    """A record with one value corrupted. The record itself is built by `apply_mutant`."""

    case: int
    """Position of the case."""
    corruption: str
    field: str
    """The path with `[*]` for every index."""
    path: str
    steps: Steps
    """Where the record changes."""
    replacement: Value
    """The new value there; MISSING removes it."""
    expected: Value
    """The value before, as reports show it."""
    value: Value
    """The value after, as reports show it."""


@dataclass(slots=True)
class _FieldValues:
    """What the records have at one field."""

    values: list[Any] = field(default_factory=list)
    decimals: int = 0
    items: list[Any] = field(default_factory=list)
    """Items of the lists at this field."""
    keys: dict[str, None] = field(default_factory=dict)
    """Keys of the objects at this field."""


class _Leaf(NamedTuple):
    value: Any
    steps: Steps
    parents: tuple[Any, ...]
    """The containers above it, the record first."""


class MutantFactory:
    """Makes the mutants of a set of records, which lend each other values."""

    def __init__(self, records: Sequence[Any], seed: int = 0) -> None:
        self._seed = seed
        self._fields: dict[tuple[Step, ...], _FieldValues] = {}
        for record in records:
            self._collect(resolve_accepted(record))

    def _collect(self, record: Any) -> None:
        for value, steps, _ in _walk(record):
            facts = self._facts(steps)
            if isinstance(value, dict):
                facts.keys.update(dict.fromkeys(cast("dict[str, Any]", value)))
            elif isinstance(value, list):
                _add_distinct(facts.items, cast("list[Any]", value))
            elif value is not None:
                _add_distinct(facts.values, [value])
                if isinstance(value, float) and value % 1:
                    facts.decimals = max(facts.decimals, min(count_decimals(value), _MAX_DECIMALS))

    def _facts(self, steps: Steps) -> _FieldValues:
        key = _generalize(steps)
        facts = self._fields.get(key)
        if facts is None:
            facts = self._fields[key] = _FieldValues()
        return facts

    def make_mutants(self, case: int, case_id: str, expected: Any) -> tuple[list[Mutant], int]:
        """The mutants of one record, and how many corruptions gave an equal value."""
        record = resolve_accepted(expected)
        accepted = dict(_find_accepted(expected))
        mutants: list[Mutant] = []
        equivalent = 0
        for leaf in _walk(record):
            if isinstance(leaf.value, list) and leaf.value:
                mutants += self._corrupt_list(case, case_id, leaf)
            elif isinstance(leaf.value, dict) and leaf.value:
                mutants += self._invent_fields(case, case_id, leaf)
            elif leaf.steps and not isinstance(leaf.value, list | dict):
                alternatives = accepted.get(leaf.steps, (leaf.value,))
                if not alternatives:
                    continue  # a correction leaves the field out of the score
                own, own_equivalent = self._corrupt_leaf(case, case_id, leaf, alternatives)
                mutants += own
                equivalent += own_equivalent
        return mutants, equivalent

    def _corrupt_leaf(self, case: int, case_id: str, leaf: _Leaf, accepted: Sequence[Any]) -> tuple[list[Mutant], int]:
        path, field_name = render_path(leaf.steps), render_path(_generalize(leaf.steps))
        facts = self._facts(leaf.steps)
        context = ValueContext(
            name=next((step for step in reversed(leaf.steps) if isinstance(step, str)), ""),
            decimals=facts.decimals,
            neighbours=_find_neighbours(leaf),
            siblings=_find_siblings(leaf),
            others=facts.values,
        )
        mutants: list[Mutant] = []
        values: list[Value] = []
        equivalent = 0
        for corruption in _CORRUPTIONS_OF_KIND[kind_of(leaf.value)]:
            value = corrupt_value(corruption, leaf.value, replace(context, pick=self._pick(case_id, path, corruption.name)))
            if value is UNCHANGED:
                continue
            if any(are_same_value(accepted_value, value) for accepted_value in accepted):
                equivalent += 1
                continue
            value = cast("Value", value)
            if any(type(value) is type(earlier) and value == earlier for earlier in values):
                continue  # another corruption gave the same value
            values.append(value)
            is_item = isinstance(leaf.steps[-1], int)
            if is_item and value is MISSING:
                continue  # `_corrupt_list` drops items
            mutants.append(Mutant(case, corruption.name, field_name, path, leaf.steps, value, leaf.value, value))
        return mutants, equivalent

    def _corrupt_list(self, case: int, case_id: str, leaf: _Leaf) -> Iterator[Mutant]:
        """An item dropped, invented, repeated, and two items swapped."""
        items: list[Any] = leaf.value
        path, field_name = render_path(leaf.steps), render_path(_generalize(leaf.steps))

        def make(corruption: str, new_items: list[Any], at: int, before: Value, after: Value) -> Mutant:
            return Mutant(case, corruption, field_name, render_path((*leaf.steps, at)), leaf.steps, new_items, before, after)

        at = self._pick(case_id, path, "dropped") % len(items)
        yield make("dropped", [*items[:at], *items[at + 1 :]], at, items[at], MISSING)
        at = self._pick(case_id, path, "duplicated") % len(items)
        yield make("duplicated", [*items[: at + 1], *items[at:]], at, items[at], [items[at], items[at]])
        other_items = [item for item in self._facts(leaf.steps).items if item not in items]
        if other_items:
            invented = other_items[self._pick(case_id, path, "invented") % len(other_items)]
            yield make("invented", [*items, invented], len(items), MISSING, invented)
        places = [at for at in range(len(items) - 1) if items[at] != items[at + 1]]
        if places:
            at = places[self._pick(case_id, path, "swapped") % len(places)]
            swapped = [*items[:at], items[at + 1], items[at], *items[at + 2 :]]
            yield make("swapped", swapped, at, [items[at], items[at + 1]], [items[at + 1], items[at]])

    def _invent_fields(self, case: int, case_id: str, leaf: _Leaf) -> Iterator[Mutant]:
        """A value for each field that other records have here and this one does not."""
        for key in self._facts(leaf.steps).keys:
            if key in leaf.value:
                continue
            steps = (*leaf.steps, key)
            values = self._facts(steps).values
            if values:
                path = render_path(steps)
                value = values[self._pick(case_id, path, "invented") % len(values)]
                yield Mutant(case, "invented", render_path(_generalize(steps)), path, steps, value, MISSING, value)

    def _pick(self, case_id: str, path: str, corruption: str) -> int:
        return crc32(f"{self._seed}\0{case_id}\0{path}\0{corruption}".encode(errors="surrogatepass"))


def apply_mutant(record: Any, steps: Steps, replacement: Value) -> Any:
    """The record with another value at these steps; only the containers on the way are copied.

    >>> apply_mutant({"a": [{"b": 1, "c": 2}]}, ("a", 0, "b"), MISSING)
    {'a': [{'c': 2}]}
    """
    if not steps:
        return replacement
    copy: Any = record.copy()
    parent = copy
    for step in steps[:-1]:
        parent[step] = parent[step].copy()
        parent = parent[step]
    if replacement is MISSING:
        del parent[steps[-1]]
    else:
        parent[steps[-1]] = replacement
    return copy


def resolve_accepted(record: Any) -> Any:
    """The record with the first of several accepted values in place of `{"$any": [...]}`.

    >>> resolve_accepted({"a": {"$any": [None, "x", "y"]}})
    {'a': 'x'}
    """
    for steps, alternatives in list(_find_accepted(record)):
        chosen = next((value for value in alternatives if value is not None), None)
        record = apply_mutant(record, steps, chosen)
    return record


def _find_accepted(record: Any) -> Iterator[tuple[Steps, Sequence[Any]]]:
    for value, steps, _ in _walk(record):
        accepted = accepted_values(value)
        if accepted is not None:
            yield steps, accepted


def _walk(record: Any) -> Iterator[_Leaf]:
    """Every value of a record, containers before their content, without recursion."""
    pending = [_Leaf(record, (), ())]
    while pending:
        leaf = pending.pop()
        yield leaf
        value, steps, parents = leaf
        if isinstance(value, dict) and accepted_values(cast("object", value)) is not None:
            continue
        if isinstance(value, dict):
            entries = cast("dict[str, Any]", value)
            pending += reversed([_Leaf(inner, (*steps, key), (*parents, value)) for key, inner in entries.items()])
        elif isinstance(value, list):
            items = cast("list[Any]", value)
            pending += reversed([_Leaf(item, (*steps, index), (*parents, value)) for index, item in enumerate(items)])


def _find_neighbours(leaf: _Leaf) -> list[Any]:
    """Values of the same field in the items beside the innermost one that contains it."""
    for depth in range(len(leaf.steps) - 1, -1, -1):
        step = leaf.steps[depth]
        if not isinstance(step, int):
            continue
        items: list[Any] = leaf.parents[depth]
        beside = [*items[max(0, step - _NEIGHBOUR_DISTANCE) : step], *items[step + 1 : step + 1 + _NEIGHBOUR_DISTANCE]]
        return [value for value in (_follow(item, leaf.steps[depth + 1 :]) for item in beside) if _is_scalar(value)]
    return []


def _find_siblings(leaf: _Leaf) -> list[Any]:
    """Values of other fields of the same object, and of the record's own."""
    siblings: list[Any] = []
    for parent, step in ((leaf.parents[-1], leaf.steps[-1]), (leaf.parents[0], leaf.steps[0])):
        if isinstance(parent, dict):
            siblings += [value for key, value in cast("dict[str, Any]", parent).items() if key != step and _is_scalar(value)]
    return siblings


def _follow(value: Any, steps: Steps) -> Any:
    for step in steps:
        if isinstance(value, dict) and step in value:
            value = cast("dict[Any, Any]", value)[step]
        elif isinstance(value, list) and isinstance(step, int) and step < len(cast("list[Any]", value)):
            value = cast("list[Any]", value)[step]
        else:
            return None
    return value


def _is_scalar(value: Any) -> bool:
    return value is not None and not isinstance(value, dict | list)


def _generalize(steps: Steps) -> tuple[Step, ...]:
    return tuple(EACH if isinstance(step, int) else step for step in steps)


def _add_distinct(values: list[Any], new_values: Sequence[Any]) -> None:
    for value in new_values:
        if len(values) < _MAX_VALUES and value not in values:
            values.append(value)
