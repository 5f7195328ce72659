"""Where a mismatch stands: the place and the records around it, for causes that look beyond the two values."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Final, TypeAlias, cast

from fieldwise.model.path import MalformedPath, Path, Step, render_path
from fieldwise.model.values import MISSING, Value

_Chain: TypeAlias = "tuple[_Chain, Step] | None"
"""Steps from a leaf up to the record: the last step first, so that the steps above it are shared."""

_SMALL_NUMBER: Final = 1000
"""Whole numbers below this are counts, which agree by chance."""


def is_distinctive(value: Any) -> bool:
    """Whether a value that stands in two places is likely to come from one of them.

    Not so: truth values, null, text of one character, whole numbers below 1000 (as text, too) and numbers of two digits.

    >>> [is_distinctive(value) for value in ("EUR", 1200, 12.5)], [is_distinctive(value) for value in ("x", "120", 120, 2.5, True)]
    ([True, True, True], [False, False, False, False, False])
    """
    kind = type(value)
    if kind is str:
        return len(value) > 3 or (len(value) > 1 and not value.isdecimal())
    if kind is not float and kind is not int:
        return False
    return not -_SMALL_NUMBER < value < _SMALL_NUMBER or (value % 1 != 0 and (not -10 < value < 10 or value * 10 % 1 != 0))


class ValueIndex:
    """Where each telling value of a record stands, worked out when it is first asked for."""

    __slots__ = ("_chains", "_record")

    def __init__(self, record: Value) -> None:
        self._record = record
        self._chains: dict[Hashable, list[_Chain]] | None = None

    def paths_of(self, value: Any) -> list[str]:
        """The paths of the leaves that equal the value.

        >>> ValueIndex({"a": "Acme", "items": [{"name": "Acme"}]}).paths_of("Acme")
        ['a', 'items[0].name']
        """
        if not is_distinctive(value):
            return []
        if self._chains is None:
            self._chains = _index_leaves(self._record)
        return [render_path(_unwind_chain(chain)) for chain in self._chains.get(value, ())]


class Context:
    """The surroundings of one mismatch. Made once for every mismatch that needs it, hence a bare class."""

    __slots__ = ("actual_record", "expected_record", "field", "path", "places")

    def __init__(
        self, path: str, field: str, expected_record: Value = MISSING, actual_record: Value = MISSING, value_index: ValueIndex | None = None
    ) -> None:
        self.path = path
        """The concrete path, such as `line_items[2].amount`."""
        self.field = field
        """The rule's path, such as `line_items[*].amount`."""
        self.expected_record = expected_record
        self.actual_record = actual_record
        self.places = ValueIndex(expected_record) if value_index is None else value_index
        """The index of `expected_record`, shared by all mismatches of a case."""

    def paths_with_value(self, value: object) -> list[str]:
        """The paths in the expected record whose leaf equals the value. Empty for values that agree by chance (see `is_distinctive`)."""
        return self.places.paths_of(value)

    def neighbours(self, farthest: int) -> Iterator[Value]:
        """What the expected record has at the same field of items at most so many places away, by one index where lists are nested.

        >>> list(Context("a[0].b", "a[*].b", {"a": [{"b": 1}, {"b": 2}, {"c": 3}]}).neighbours(2))
        [2, MISSING]
        """
        steps = _parse_steps(self.path)
        for at, step in enumerate(steps):
            items = _follow_steps(self.expected_record, steps[:at]) if isinstance(step, int) else None
            if isinstance(step, int) and isinstance(items, list):
                below = steps[at + 1 :]
                for item in (*items[max(0, step - farthest) : step], *items[step + 1 : step + 1 + farthest]):
                    yield _follow_steps(item, below)


class MismatchContexts:
    """The surroundings of the mismatches of a batch, by position. Mismatches of one case share an index of its record."""

    __slots__ = ("_actual", "_expected", "_places", "case", "field", "path")

    def __init__(
        self, case: Sequence[int], path: Sequence[str], field: Sequence[str], expected: Sequence[Value], actual: Sequence[Value]
    ) -> None:
        """`case`, `path` and `field` run in parallel to the mismatches; `expected` and `actual` hold whole records by case."""
        self.case, self.path, self.field, self._expected, self._actual = case, path, field, expected, actual
        self._places: dict[int, ValueIndex] = {}

    def value_index_at(self, position: int) -> ValueIndex:
        """Where the values of the expected record of that mismatch stand."""
        case = self.case[position]
        found = self._places.get(case)
        if found is None:
            found = self._places[case] = ValueIndex(self._expected[case])
        return found

    def positions_in_record(self, values: Mapping[int, Any]) -> list[int]:
        """The positions, out of those of some telling values, whose value stands anywhere in the expected record."""
        wanted: dict[int, set[Any]] = {}
        for position, value in values.items():
            case = self.case[position]
            if case in wanted:
                wanted[case].add(value)
            else:
                wanted[case] = {value}
        present = {case: found for case, wanted_there in wanted.items() if (found := _values_in_record(self._expected[case], wanted_there))}
        return [at for at, value in values.items() if value in present.get(self.case[at], ())] if present else []

    def __call__(self, position: int) -> Context:
        """The surroundings of one mismatch."""
        case = self.case[position]
        return Context(self.path[position], self.field[position], self._expected[case], self._actual[case], self.value_index_at(position))


def _values_in_record(record: Value, wanted: set[Any]) -> set[Any]:
    """Those of the wanted values that stand in a record. Mostly none do, so flat objects and lists of them are looked at in one go."""
    present: set[Any] = set()
    waiting: list[Any] = [record if isinstance(record, dict | list) else [record]]
    while waiting:
        node = waiting.pop()
        for value in node.values() if type(node) is dict else node:
            kind = type(value)
            if kind is dict or kind is list:
                try:
                    is_free = wanted.isdisjoint(value.values() if kind is dict else chain.from_iterable(map(dict.values, value)))
                except TypeError:  # something below it is a container, or an item is no object
                    is_free = False
                if not is_free:
                    waiting.append(value)
            elif (kind is str or kind is float or kind is int) and value in wanted:
                present.add(value)
    return present


def _index_leaves(record: Any) -> dict[Hashable, list[_Chain]]:
    """Telling value → the leaves where it stands, in document order."""
    found: dict[Hashable, list[_Chain]] = {}
    waiting: list[tuple[Any, _Chain]] = [(record, None)]
    while waiting:
        node, chain = waiting.pop()
        if isinstance(node, dict):
            waiting += [(value, (chain, key)) for key, value in reversed(cast("dict[str, Any]", node).items())]
        elif isinstance(node, list | tuple):
            waiting += reversed([(value, (chain, at)) for at, value in enumerate(cast("list[Any]", node))])
        elif is_distinctive(node):
            found.setdefault(node, []).append(chain)
    return found


def _unwind_chain(chain: _Chain) -> Iterator[Step]:
    steps: list[Step] = []
    while chain is not None:
        chain, step = chain
        steps.append(step)
    return reversed(steps)


@lru_cache(maxsize=1024)
def _parse_steps(path: str) -> tuple[Step, ...]:
    """The steps of a path; none where it cannot be read, as that of the record itself."""
    try:
        return Path.parse(path).steps
    except MalformedPath:
        return ()


def _follow_steps(value: Any, steps: Sequence[Step]) -> Value:
    for step in steps:
        if isinstance(value, dict):
            value = value.get(step, MISSING)
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return MISSING
    return value
