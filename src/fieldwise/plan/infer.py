"""Rules from values, where no suite says otherwise.

Every leaf of the expected records becomes a field, items of lists together, and its match is chosen by what is expected there (see
`choose.py`). The actual records have no say in that; they only tell whether items can be paired by a key.

>>> found = infer([({"total": 12.5, "items": [{"sku": "A-1"}]}, {})])
>>> [(rule.text, rule.match.name) for rule in found.rules]
[('total', 'numeric_tolerance'), ('items[*].sku', 'exact')]
>>> found.reasons["items[*].sku"]
'the values are codes'
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from fieldwise.model.path import EACH, Path, Step
from fieldwise.model.rule import FieldRule, ListRule, Match
from fieldwise.model.values import Value
from fieldwise.plan.choose import choose

ENOUGH: Final = 300
"""So many values of a field are looked at; more would not change the choice."""
ID_NAMES: Final = ("id", "sku", "key", "code", "number", "no", "isbn", "ean", "gtin", "uuid", "ref", "reference")
"""The last word of the name of a field that is there to tell items apart."""
OVERLAP, OVERLAP_WITHOUT_ID_NAME = 0.5, 0.8
"""The share of keys that must be found on the other side: less for ids, because a wrong id is an error of its own."""
FEWEST_ITEMS: Final = 4
"""In fewer items almost any field is unique by chance, so only one named as an id is taken for a key."""
LONGEST_KEY: Final = 60
MOST_COORDINATES: Final = 4


@dataclass(frozen=True, slots=True)
class Inferred:
    """Rules for every field, and why each is as it is."""

    rules: tuple[FieldRule, ...]
    lists: tuple[ListRule, ...]
    reasons: Mapping[str, str]
    """Path of a field or a list → why its rule was chosen, as the end of a sentence that begins with `because`."""


class _Lists(NamedTuple):
    """The lists at one path of one record, on both sides."""

    expected: list[Sequence[Any]]
    actual: list[Sequence[Any]]


class _Node:
    """What was seen at one path of the expected records."""

    __slots__ = ("children", "empty", "lists", "parent", "seen", "step", "values")

    def __init__(self, parent: "_Node | None" = None, step: Step = "") -> None:
        self.parent, self.step = parent, step
        self.children: dict[Step, _Node] = {}
        self.values: list[Any] = []
        self.empty = ""
        """`list` or `object` where one without content was seen."""
        self.seen = False
        """Whether a leaf was seen here, if only null."""
        self.lists: dict[int, _Lists] = {}
        """By record."""

    def child(self, step: Step) -> "_Node":
        found = self.children.get(step)
        if found is None:
            found = self.children[step] = _Node(self, step)
        return found

    def path(self) -> Path:
        steps: list[Step] = []
        node = self
        while node.parent is not None:
            steps.append(node.step)
            node = node.parent
        return Path(tuple(reversed(steps)))


def infer(pairs: Iterable[tuple[Value, Value]]) -> Inferred:
    """The rules for records like these, given as (expected, actual): one for every leaf of expected, in order of appearance."""
    root = _Node()
    for record, (expected, actual) in enumerate(pairs):
        _note_expected(root, record, expected)
        _note_actual(root, record, actual)
    rules: list[FieldRule] = []
    lists: list[ListRule] = []
    reasons: dict[str, str] = {}
    for node in _in_order(root):
        if EACH in node.children and not node.values:
            found, why = _rule_of_list(node)
            lists.append(found)
            reasons[str(found.path)] = why
        if node.values or (node.seen and not node.children):
            rule, why = _rule_of_field(node)
            rules.append(rule)
            reasons[rule.text] = why
    return Inferred(tuple(rules), tuple(lists), reasons)


def _note_expected(root: _Node, record: int, value: Value) -> None:
    """Add a record to the tree, without recursion: records may nest deeply."""
    waiting: list[tuple[_Node, Any]] = [(root, value)]
    while waiting:
        node, value = waiting.pop()
        if isinstance(value, Mapping) and value:
            waiting += reversed([(node.child(key), inner) for key, inner in cast("Mapping[str, Any]", value).items()])
        elif isinstance(value, list | tuple) and value:
            items = cast("Sequence[Any]", value)
            node.lists.setdefault(record, _Lists([], [])).expected.append(items)
            each = node.child(EACH)
            waiting += reversed([(each, item) for item in items])
        else:
            _note_leaf(node, value)


def _note_leaf(node: _Node, value: Any) -> None:
    if isinstance(value, Mapping | list | tuple):
        node.seen, node.empty = True, "object" if isinstance(value, Mapping) else "list"
    elif value is None or isinstance(value, str | int | float):
        node.seen = True
        if value is not None and len(node.values) < ENOUGH:
            node.values.append(value)


def _note_actual(root: _Node, record: int, value: Value) -> None:
    """Add the lists of an actual record where expected has lists too."""
    waiting: list[tuple[_Node, Any]] = [(root, value)]
    while waiting:
        node, value = waiting.pop()
        if isinstance(value, Mapping):
            inner = cast("Mapping[str, Any]", value)
            waiting += [(child, inner[step]) for step, child in node.children.items() if isinstance(step, str) and step in inner]
        elif isinstance(value, list | tuple) and record in node.lists:
            items = cast("Sequence[Any]", value)
            node.lists[record].actual.append(items)
            waiting += [(node.children[EACH], item) for item in items]


def _in_order(root: _Node) -> Iterator[_Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if not node.values:  # what is a plain value in places is compared as a whole: its parts would count twice
            waiting += reversed(node.children.values())


def _rule_of_field(node: _Node) -> tuple[FieldRule, str]:
    path = node.path()
    match, why = choose(node.values)
    if node.values and node.children:
        match, why = Match(), f"the values are partly plain and partly {'lists' if EACH in node.children else 'objects'}"
    if not node.values:
        why = f"the {node.empty} is always empty" if node.empty else "only null was seen"
    return FieldRule(path=path, text=str(path), match=match), why


def _rule_of_list(node: _Node) -> tuple[ListRule, str]:
    path, item = node.path(), node.children[EACH]
    if EACH in item.children:
        return ListRule(path=path, align="index"), "its items are lists, which stand in order"
    if item.children:
        return _rule_of_objects(node, path, item)
    if item.values and all(isinstance(value, int | float) and not isinstance(value, bool) for value in item.values):
        lengths = {len(items) for lists in node.lists.values() for items in lists.expected}
        if len(lengths) == 1 and 2 <= min(lengths) <= MOST_COORDINATES:
            return ListRule(path=path, align="index"), f"every list has {min(lengths)} numbers, as coordinates have: their order counts"
    return ListRule(path=path, align="best"), "each plain value is paired with the one most like it, in whatever order"


def _rule_of_objects(node: _Node, path: Path, item: _Node) -> tuple[ListRule, str]:
    names = [step for step, child in item.children.items() if isinstance(step, str) and child.values]
    for name in sorted(names, key=lambda name: not _is_id_name(name)):
        if _may_name_items(name, item.children[name].values) and _is_key(node, name):
            return (
                ListRule(path=path, align="key", key=Path((name,))),
                f"`{name}` tells the items of every list apart, on both sides, and most of its values are found on both",
            )
    return ListRule(path=path, align="best"), "no field tells the items apart on both sides: each is paired with the one most like it"


def _is_id_name(name: str) -> bool:
    """
    >>> [_is_id_name(name) for name in ("sku", "productId", "item_no", "paid", "name")]
    [True, True, True, False, False]
    """
    words = "".join(f"_{char.lower()}" if char.isupper() else char for char in name).replace("-", "_").split("_")
    return words[-1] in ID_NAMES or name.lower() in ID_NAMES


def _may_name_items(name: str, values: Sequence[Any]) -> bool:
    """Whether these are values to know an item by: codes. A slip in a name or an amount must not cost the whole item its partner."""
    if _is_id_name(name):
        return True
    return len(values) >= FEWEST_ITEMS and all(isinstance(value, str) for value in values) and choose(values)[0].name == "exact"


def _is_key(node: _Node, name: str) -> bool:
    """Whether the field is there, unique and telling in every list on both sides, and found again on the other."""
    shares: list[float] = []
    for lists in node.lists.values():
        expected, actual = _keys(lists.expected, name), _keys(lists.actual, name)
        if expected is None or actual is None:
            return False
        if expected and actual:
            shares.append(len(expected & actual) / min(len(expected), len(actual)))
    needed = OVERLAP if _is_id_name(name) else OVERLAP_WITHOUT_ID_NAME
    several = any(len(items) > 1 for lists in node.lists.values() for items in lists.expected)
    return several and bool(shares) and sum(shares) >= needed * len(shares)


def _keys(lists: Sequence[Sequence[Any]], name: str) -> set[str] | None:
    """The keys in all lists of one record; None where one is missing, double, no key at all, or only counts the items."""
    found: set[str] = set()
    for items in lists:
        keys = [cast("Mapping[str, Any]", item).get(name) if isinstance(item, Mapping) else None for item in items]
        if not all(_may_be_key(key) for key in keys) or len(set(keys)) < len(keys) or _only_counts(keys):
            return None
        found.update(map(str, keys))
    return found


def _may_be_key(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value.strip()) and len(value) <= LONGEST_KEY
    return isinstance(value, int) and not isinstance(value, bool)


def _only_counts(keys: Sequence[Any]) -> bool:
    """Whether the keys are 0, 1, 2 … or 1, 2, 3 …: those say where an item stands, not what it is."""
    texts = [str(key).strip() for key in keys]
    return any(texts == [str(at) for at in range(start, start + len(texts))] for start in (0, 1))
