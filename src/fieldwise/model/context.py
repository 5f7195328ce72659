"""Where a mismatch stands: the place and the records around it, for causes that look beyond the two values."""

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import Any, Final, TypeAlias, cast

from fieldwise.model.path import Step, render
from fieldwise.model.values import MISSING, Value

_Chain: TypeAlias = "tuple[_Chain, Step] | None"
"""Steps from a leaf up to the record: the last step first, so that the steps above it are shared."""

_COMMON: Final = 10
"""Whole numbers below this stand everywhere and tell nothing."""


class Places:
    """Where each telling value of a record stands. What is costly waits until it is asked for."""

    __slots__ = ("_chains", "_record", "_values")

    def __init__(self, record: Value) -> None:
        self._record = record
        self._values: set[Hashable] | None = None
        self._chains: dict[Hashable, list[_Chain]] | None = None

    def __contains__(self, value: object) -> bool:
        """Whether a text or number stands anywhere and tells something by that."""
        if self._values is None:
            self._values = _values_of(self._record)
        return value in self._values and _is_telling(value)

    def of(self, value: object) -> list[str]:
        """The paths of the leaves that equal the value.

        >>> Places({"a": "Acme", "items": [{"name": "Acme"}]}).of("Acme")
        ['a', 'items[0].name']
        """
        if not _is_telling(value) or value not in self:
            return []
        if self._chains is None:
            self._chains = _index(self._record)
        return [render(_steps(chain)) for chain in self._chains[value]]


class Context:
    """The surroundings of one mismatch. Made once for every mismatch that needs it, hence a bare class."""

    __slots__ = ("actual_record", "expected_record", "field", "path", "places")

    def __init__(
        self, path: str, field: str, expected_record: Value = MISSING, actual_record: Value = MISSING, places: Places | None = None
    ) -> None:
        self.path = path
        """The concrete path, such as `line_items[2].amount`."""
        self.field = field
        """The rule's path, such as `line_items[*].amount`."""
        self.expected_record = expected_record
        self.actual_record = actual_record
        self.places = Places(expected_record) if places is None else places
        """The index of `expected_record`, shared by all mismatches of a case."""

    def places_of(self, value: object) -> list[str]:
        """The paths in the expected record whose leaf equals the value. Empty for values that stand everywhere:
        empty and one-character text, booleans, null, whole numbers below 10."""
        return self.places.of(value)


class Contexts:
    """The surroundings of the mismatches of a batch, by row. Mismatches of one case share an index of its record."""

    __slots__ = ("_actual", "_case", "_expected", "_names", "_places")

    def __init__(
        self, case: Sequence[int], names: Callable[[int], tuple[str, str]], expected: Sequence[Value], actual: Sequence[Value]
    ) -> None:
        """`case[row]` is a position in `expected` and `actual`, which hold whole records; `names(row)` gives path and field."""
        self._case, self._names, self._expected, self._actual = case, names, expected, actual
        self._places: dict[int, Places] = {}

    def places(self, row: int) -> Places:
        """Where the values of the expected record of that row stand."""
        case = self._case[row]
        found = self._places.get(case)
        if found is None:
            found = self._places[case] = Places(self._expected[case])
        return found

    def __call__(self, row: int) -> Context:
        """The surroundings of one row."""
        case = self._case[row]
        return Context(*self._names(row), self._expected[case], self._actual[case], self.places(row))


def _is_telling(value: Any) -> bool:
    if type(value) is str:
        return len(value) > 1
    return (type(value) is float or type(value) is int) and (value >= _COMMON or value <= -_COMMON or value % 1 != 0)


def _values_of(record: Value) -> set[Hashable]:
    """Every text and number of a record."""
    values: set[Hashable] = set()
    keep = values.add
    waiting: list[Any] = [[record]]
    while waiting:
        node = waiting.pop()
        children: Collection[Any] = cast("dict[str, Any]", node).values() if type(node) is dict else node
        for value in children:
            kind: type = type(value)
            if kind is str or kind is float or kind is int:
                keep(value)
            elif kind is dict or kind is list:
                waiting.append(value)
    return values


def _index(record: Any) -> dict[Hashable, list[_Chain]]:
    """Telling value → the leaves where it stands, in document order."""
    found: dict[Hashable, list[_Chain]] = {}
    waiting: list[tuple[Any, _Chain]] = [(record, None)]
    while waiting:
        node, chain = waiting.pop()
        if isinstance(node, dict):
            waiting += [(value, (chain, key)) for key, value in reversed(cast("dict[str, Any]", node).items())]
        elif isinstance(node, list | tuple):
            waiting += reversed([(value, (chain, at)) for at, value in enumerate(cast("list[Any]", node))])
        elif _is_telling(node):
            found.setdefault(node, []).append(chain)
    return found


def _steps(chain: _Chain) -> Iterator[Step]:
    steps: list[Step] = []
    while chain is not None:
        chain, step = chain
        steps.append(step)
    return reversed(steps)
