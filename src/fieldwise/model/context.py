"""The context of a mismatch: its path and the records around it, for causes that look beyond the two values."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, compress
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast

from fieldwise.model.path import MalformedPath, Path, Step, render_path
from fieldwise.model.values import MISSING, Missing, Value

_StepChain: TypeAlias = "tuple[_StepChain, Step] | None"
"""Steps from a leaf up to the record as a linked list, last step first: leaves share the steps above them."""

TextForms: TypeAlias = tuple[str, str, str, str, str, str]
"""Of an expected and an actual text: the letters and digits of both, the digits of both, and the letters and digits of both with one
character for all that look alike. A plain tuple, because the columns of a batch are zipped."""
_SMALL_NUMBER: Final = 1000
"""Integers below this are mostly counts, which agree by chance."""
_SMALLEST_AMOUNT: Final = 100
"""Shorter integers agree by chance even where they are amounts."""
_AMOUNT_WORDS: Final = frozenset({
    "amount", "balance", "charge", "charges", "cost", "discount", "due", "fee", "gross", "net", "paid", "payable", "payment", "premium",
    "price", "salary", "shipping", "subtotal", "sum", "tax", "taxes", "total", "vat",
})  # fmt: skip
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_ANSWERS: Final = frozenset({
    "yes", "no", "true", "false", "ja", "nein", "oui", "non", "si", "sí", "sì", "none", "null", "nil", "na", "n/a", "unknown", "other",
    "on", "off", "ok", "pass", "passed", "fail", "failed", "positive", "negative", "normal", "abnormal", "present", "absent", "active",
    "inactive", "enabled", "disabled", "male", "female", "low", "medium", "high", "good", "fair", "poor", "average", "excellent",
})  # fmt: skip
"""Words of small sets of answers and ratings, which agree by chance."""
_LONGEST_ANSWER: Final = max(map(len, _ANSWERS))
_NUMERAL: Final = re.compile(r"([-+(]?)[$€£¥]? ?([-+]?\d+)((?:\.\d+|,\d{1,2})?)\)? ?[%$€£¥]?", re.ASCII)
"""Text that reads as a number: sign or bracket, whole part and decimals. Thousands separators are left out: such numbers are large."""
_LONGEST_NUMERAL: Final = 20
_INDEXED_TYPES: Final = frozenset((str, int, float))
"""Types of values that may be distinctive."""


def is_distinctive(value: Any) -> bool:
    """True if a value that occurs in two places is likely to be copied rather than equal by chance.

    Not distinctive: booleans, null, text of one character, answers such as `Yes`, integers below 1000 and numbers of two digits. Text that
    reads as a number is as distinctive as the number, except a code such as `0120`.

    >>> [is_distinctive(value) for value in ("EUR", 1200, 12.5, "12.50", "0120")]
    [True, True, True, True, True]
    >>> [is_distinctive(value) for value in ("x", "No", "120", 120, 2.5, "0.00", True)]
    [False, False, False, False, False, False, False]
    """
    kind = type(value)
    if kind is str:
        return _is_distinctive_text(value)
    return (kind is float or kind is int) and _is_distinctive_number(value)


def _is_distinctive_text(text: str) -> bool:
    length = len(text)
    if length > _LONGEST_NUMERAL:
        return True
    if text[:1].isalpha():
        return length > 1 and (length > _LONGEST_ANSWER or text.lower() not in _ANSWERS)
    if text.isdecimal():
        return length > 3  # perhaps a code, such as 0120
    number = _read_numeral(text)
    return length > 1 if number is None else _is_distinctive_number(number)


def _is_distinctive_number(number: float) -> bool:
    if not -_SMALL_NUMBER < number < _SMALL_NUMBER:
        return True
    return number % 1 != 0 and (not -10 < number < 10 or number != round(number, 1))


def _read_numeral(text: str) -> float | None:
    """The number that a short text without thousands separators is; None for other texts."""
    if len(text) > _LONGEST_NUMERAL:
        return None
    numeral = _NUMERAL.fullmatch(text.strip())
    return None if numeral is None else float(numeral[2] + numeral[3].replace(",", "."))


def is_short_amount(value: Any) -> bool:
    """True for an integer of three digits, as text too, which is distinctive only between fields of amounts.

    >>> [is_short_amount(value) for value in (119, "119", 119.0, "119.00")], is_short_amount(19), is_short_amount(1190)
    ([True, True, True, True], False, False)
    """
    kind = type(value)
    if kind is str:
        value = None if value.startswith("0") else _read_numeral(value)
        kind = type(value)
    return (kind is int or kind is float) and _SMALLEST_AMOUNT <= abs(value) < _SMALL_NUMBER and value % 1 == 0


@lru_cache(maxsize=1024)  # a batch has many mismatches at few paths
def names_amount(path: str) -> bool:
    """True if the last name of a path says that its values are amounts of money.

    >>> [names_amount(path) for path in ("invoice.net", "totalAmount", "lines[2].unit_price", "tax_id", "net_weight")]
    [True, True, True, False, False]
    """
    name = next((step for step in reversed(_parse_steps(path)) if isinstance(step, str)), "")
    words = [word.lower() for word in _WORD.findall(name)]
    return bool(words) and words[-1] in _AMOUNT_WORDS


class ValueIndex:
    """The paths of each distinctive value of a record and the columns of its lists, built on first use."""

    __slots__ = ("_chains", "_columns", "_leaves", "_record")

    def __init__(self, record: Value) -> None:
        self._record = record
        self._leaves: set[Hashable] | None = None
        self._chains: dict[Hashable, list[_StepChain]] | None = None
        self._columns: dict[tuple[Sequence[Step], Sequence[Step]], Counter[Hashable]] = {}

    def is_unique_in_column(self, value: Any, items_path: Sequence[Step], steps_below: Sequence[Step]) -> bool:
        """True if one item of a list has the value at a field whose values are mostly distinct, so that no other item has it by chance.

        Where at most half of the items, rounded up, have a value of their own, the values are a small set such as ratings.

        >>> index = ValueIndex({"a": ["Acme", "Beta", "Core"], "b": ["GET", "POST", "GET"]})
        >>> index.is_unique_in_column("Beta", ["a"], []), index.is_unique_in_column("POST", ["b"], [])
        (True, False)
        """
        key = (tuple(items_path), tuple(steps_below))
        if key not in self._columns:
            self._columns[key] = _count_column(_follow_steps(self._record, items_path), steps_below)
        column = self._columns[key]
        return column[value] == 1 and 2 * len(column) > column.total() + 1

    def paths_of(self, value: Any) -> list[str]:
        """The paths of the leaves that equal the value.

        >>> ValueIndex({"a": "Acme", "items": [{"name": "Acme"}]}).paths_of("Acme")
        ['a', 'items[0].name']
        """
        if not is_distinctive(value):
            return []
        if self._leaves is None:
            self._leaves = _collect_leaves(self._record)
        if value not in self._leaves:
            return []  # the usual case, found several times faster than by building the chains
        if self._chains is None:
            self._chains = _index_leaves(self._record)
        return [render_path(_unwind_chain(chain)) for chain in self._chains.get(value, ())]


class Context:
    """The context of one mismatch. A plain class with slots, because many are created."""

    __slots__ = ("_value_indexes", "actual_record", "expected_record", "field", "forms", "match", "path")

    def __init__(
        self,
        path: str,
        field: str,
        expected_record: Value = MISSING,
        actual_record: Value = MISSING,
        value_indexes: dict[int, ValueIndex] | None = None,
        forms: TextForms | None = None,
        match: str = "",
    ) -> None:
        self.path = path
        """The concrete path, such as `line_items[2].amount`."""
        self.field = field
        """The rule's path, such as `line_items[*].amount`."""
        self.expected_record = expected_record
        """The whole expected record of the case."""
        self.actual_record = actual_record
        """The whole actual record of the case."""
        self._value_indexes = value_indexes
        self.forms = forms
        """What several causes read of the two texts, where it was computed for a whole batch together."""
        self.match = match
        """The name of the rule's match, where it is known."""

    @property
    def value_index(self) -> ValueIndex:
        """The index of `expected_record`, shared by all mismatches of a batch with that record."""
        if self._value_indexes is None:
            self._value_indexes = {}
        key = id(self.expected_record)  # by identity: a record cannot be hashed; its index holds it, so no other record gets its id
        if key not in self._value_indexes:
            self._value_indexes[key] = ValueIndex(self.expected_record)
        return self._value_indexes[key]

    def paths_with_value(self, value: object) -> list[str]:
        """The paths in the expected record whose leaf equals the value; empty for values that are not distinctive."""
        return self.value_index.paths_of(value)

    def other_amounts(self) -> Iterator[Value]:
        """The expected values of the other fields of the same object that are amounts by their names; none if this field is not one.

        >>> list(Context("net", "net", {"net": 100, "gross": 119, "count": 119}).other_amounts())
        [119]
        """
        steps = _parse_steps(self.path)
        siblings = _follow_steps(self.expected_record, steps[:-1]) if steps and names_amount(self.path) else None
        if isinstance(siblings, dict):
            for name, value in cast("dict[str, Any]", siblings).items():
                if name != steps[-1] and names_amount(name):
                    yield value

    def neighbours(self, farthest: int) -> Iterator[Value]:
        """The expected values of the same field in list items at most `farthest` positions away, for each list index in the path.

        >>> list(Context("a[0].b", "a[*].b", {"a": [{"b": 1}, {"b": 2}, {"c": 3}]}).neighbours(2))
        [2, MISSING]
        """
        steps = _parse_steps(self.path)
        for depth, _, item in self._neighbouring_items(steps, farthest):
            yield _follow_steps(item, steps[depth + 1 :])

    def has_neighbour_with(self, value: Any, farthest: int, *, with_another_field: bool = False) -> bool:
        """True if a list item at most `farthest` positions away has the value at the same field, and no other item of the list has it.

        Never true where the field's values are a small set. `with_another_field` asks that the actual item has another distinctive value of
        that neighbour, too.
        """
        steps = _parse_steps(self.path)
        for depth, own_item, item in self._neighbouring_items(steps, farthest):
            if _follow_steps(item, steps[depth + 1 :]) != value:
                continue
            if with_another_field and not self._shares_another_field(steps[: depth + 2], own_item, item):
                continue
            if self.value_index.is_unique_in_column(value, steps[:depth], steps[depth + 1 :]):
                return True
        return False

    def _neighbouring_items(self, steps: Sequence[Step], farthest: int) -> Iterator[tuple[int, Value, Value]]:
        """For each list index among the steps: its depth, the expected item there, and each item nearby."""
        for depth, step in enumerate(steps):
            if not isinstance(step, int):
                continue
            items = _follow_steps(self.expected_record, steps[:depth])
            if isinstance(items, list):
                own_item = items[step] if step < len(items) else MISSING
                for item in (*items[max(0, step - farthest) : step], *items[step + 1 : step + 1 + farthest]):
                    yield depth, own_item, item

    def _shares_another_field(self, steps: Sequence[Step], own_item: Value, neighbour: Value) -> bool:
        """True if the actual item has a distinctive value of a neighbour at another field than the last of the steps."""
        actual_item = _follow_steps(self.actual_record, steps[:-1])
        if not (isinstance(own_item, dict) and isinstance(neighbour, dict) and isinstance(actual_item, dict)):
            return False
        for name, value in cast("dict[str, Any]", actual_item).items():
            is_copied = is_distinctive(value) and value == neighbour.get(name) != own_item.get(name)
            if is_copied and name != steps[-1]:
                return True
        return False


class MismatchContexts:
    """The contexts of the mismatches of a batch, by position. Mismatches of one case share the index of its record."""

    __slots__ = ("_actual", "_expected", "_matches", "_value_indexes", "case", "field", "path")

    def __init__(
        self,
        case: Sequence[int],
        path: Sequence[str],
        field: Sequence[str],
        expected: Sequence[Value],
        actual: Sequence[Value],
        matches: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`case`, `path` and `field` have one entry for each mismatch; `expected` and `actual` hold whole records by case.

        `matches` gives the name of the match by field.
        """
        self.case, self.path, self.field, self._expected, self._actual, self._matches = case, path, field, expected, actual, matches
        self._value_indexes: dict[int, ValueIndex] = {}

    def find_copied(self, actual: Sequence[Any], leaves: Sequence[Any] | None = None) -> set[int]:
        """The positions whose actual value is distinctive and a leaf of some expected record of the batch.

        Most values are in no record, and this finds them three times as fast as an index of each record. `leaves` holds every leaf of the
        records or a list or object around it, where that is known.
        """
        positions = range(len(actual))
        if leaves is not None:
            try:
                held = set(actual).intersection(leaves)
                copied = compress(positions, map(held.__contains__, actual))
                return {position for position in copied if self._is_distinctive_at(position, actual[position])}
            except TypeError:  # a list or an object, perhaps with leaves inside
                pass
        distinctive = [position for position in positions if self._is_distinctive_at(position, actual[position])]
        records = [self._expected[case] for case in {self.case[position] for position in distinctive}]
        held = _intersect_leaves({actual[position] for position in distinctive}, records)
        return {position for position in distinctive if actual[position] in held}

    def _is_distinctive_at(self, position: int, value: Any) -> bool:
        return is_distinctive(value) or (is_short_amount(value) and names_amount(self.path[position]))

    def at(self, position: int, forms: TextForms | None = None) -> Context:
        """The context of one mismatch."""
        case = self.case[position]
        expected, actual = self._expected[case], self._actual[case]
        field = self.field[position]
        return Context(self.path[position], field, expected, actual, self._value_indexes, forms, self._matches.get(field, ""))


def _intersect_leaves(values: set[Hashable], records: list[Any]) -> set[Hashable]:
    """Those of some values that are leaves of some records; all of them if a leaf cannot be hashed."""
    held: set[Hashable] = set()
    pending = [records]
    while pending:
        group = pending.pop()
        leaves = group
        for kind in set(map(type, group)):
            if issubclass(kind, dict | list | tuple):
                containers: list[Any] = [value for value in group if type(value) is kind]
                leaves = [value for value in leaves if type(value) is not kind]
                if issubclass(kind, dict):
                    containers = [*map(kind.values, containers)]
                pending.append([*chain.from_iterable(containers)])
        try:
            held |= values.intersection(leaves)
        except TypeError:
            return values
    return held


def _collect_leaves(record: Any) -> set[Hashable]:
    """All scalar values of a record."""
    leaves: set[Hashable] = set()
    pending: list[Any] = [[record]]
    while pending:
        container = pending.pop()
        values = container.values() if isinstance(container, dict) else container
        try:
            leaves.update(values)  # at C speed, for a container of scalars
        except TypeError:  # something in it is a container itself
            for value in values:
                if isinstance(value, dict | list | tuple):
                    pending.append(value)
                else:
                    leaves.add(value)
    return leaves


def _index_leaves(record: Any) -> dict[Hashable, list[_StepChain]]:
    """Text or number → the leaves that equal it, in document order. `paths_of` decides which values are distinctive."""
    chains: dict[Hashable, list[_StepChain]] = {}
    pending: list[tuple[Any, _StepChain]] = [(record, None)]
    while pending:
        node, chain = pending.pop()
        if isinstance(node, dict):
            pending += [(value, (chain, key)) for key, value in reversed(cast("dict[str, Any]", node).items())]
        elif isinstance(node, list | tuple):
            pending += reversed([(value, (chain, index)) for index, value in enumerate(cast("list[Any]", node))])
        elif type(node) in _INDEXED_TYPES:  # not True, which equals 1
            chains.setdefault(node, []).append(chain)
    return chains


def _count_column(items: Any, steps_below: Sequence[Step]) -> Counter[Hashable]:
    """How often each scalar other than null occurs at a field of the items of a list."""
    column: Counter[Hashable] = Counter()
    for item in cast("list[Any]", items):
        value: Any = _follow_steps(item, steps_below)
        if value is not None and not isinstance(value, dict | list | tuple | Missing):
            column[value] += 1
    return column


def _unwind_chain(chain: _StepChain) -> Iterator[Step]:
    """The steps of a chain from the record down."""
    steps: list[Step] = []
    while chain is not None:
        chain, step = chain
        steps.append(step)
    return reversed(steps)


@lru_cache(maxsize=1024)  # a batch has many mismatches at few paths
def _parse_steps(path: str) -> tuple[Step, ...]:
    """The steps of a path; none for the record itself or a malformed path."""
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
