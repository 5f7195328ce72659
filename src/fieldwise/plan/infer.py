"""Infer rules from values: one field rule for every leaf of the expected records, one list rule for every list.

The match of a field is chosen by all its values on both sides. The evidence is collected batch by batch and has a bounded size.

>>> inferred = infer_rules_from_pairs([({"total": 12.5, "items": [{"sku": "A-1"}]}, {})])
>>> [(rule.text, rule.match.name) for rule in inferred.rules]
[('total', 'numeric_tolerance'), ('items[*].sku', 'code')]
>>> inferred.reasons["items[*].sku"]
'1 of 1 value reads as codes'
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.path import EACH, Path, Step
from fieldwise.model.rule import FieldRule, ListRule, Match
from fieldwise.model.values import Value
from fieldwise.plan.choose_match import choose_from_evidence, count_values, new_evidence

ID_NAMES: Final = ("id", "sku", "key", "code", "number", "no", "isbn", "ean", "gtin", "uuid", "ref", "reference")
"""Last words of the names of fields that identify an item."""
MIN_KEY_OVERLAP, MIN_KEY_OVERLAP_WITHOUT_ID_NAME = 0.5, 0.8
"""Share of keys that must occur on both sides: lower for ids, because a wrong id is an error of its own."""
MIN_ITEMS_WITHOUT_ID_NAME: Final = 4
"""With fewer items almost any field is unique by chance, so only a field named as an id can be the key."""
MAX_KEY_LENGTH: Final = 60
MAX_COORDINATES: Final = 4
_PLAIN_TYPES: Final = frozenset((str, int, float, bool))


@dataclass(frozen=True, slots=True)
class InferredRules:
    """Rules for every field, and the reason for each."""

    rules: tuple[FieldRule, ...]
    lists: tuple[ListRule, ...]
    reasons: Mapping[str, str]
    """Path of a field or a list → reason for its rule, as the end of a sentence that begins with `because`."""
    has_fields: bool = False
    """Whether the records hold a field or a value; not if they are all empty or null."""
    left_out: tuple[str, ...] = ()
    """Paths of fields that get no rule, such as the id that pairs two files."""
    unreadable: tuple[Diagnostic, ...] = ()
    """The errors of the first cases that could not be read."""


class _RecordLists(NamedTuple):
    """The lists at one path of one record, on both sides."""

    expected: list[Sequence[Any]]
    actual: list[Sequence[Any]]


@dataclass(slots=True)
class _KeyEvidence:
    """Whether a field can be the key of the items of a list."""

    is_unique: bool = True
    """Present and unique in every list so far, on both sides."""
    overlap: float = 0.0
    """Sum over records of the share of keys that both sides have."""
    records: int = 0
    """Number of records with items on both sides."""

    def merge(self, other: "_KeyEvidence") -> None:
        self.is_unique &= other.is_unique
        self.overlap += other.overlap
        self.records += other.records


class _ListEvidence:
    """What the lists at one path show; the lists themselves are kept only until the end of a batch."""

    __slots__ = ("has_several_items", "keys", "lengths", "pending", "seen")

    def __init__(self) -> None:
        self.pending: dict[int, _RecordLists] = {}
        """By index of the record within the batch."""
        self.keys: dict[str, _KeyEvidence] = {}
        self.lengths: set[int] = set()
        """Lengths of expected lists, as far as they matter."""
        self.has_several_items = False
        self.seen = False
        """Whether lists of an earlier batch were counted."""

    def count_batch(self, names: Sequence[str]) -> None:
        """Count the lists of a batch, whose items have fields of these names, and forget them."""
        for name in names:
            if name not in self.keys:  # a name that earlier lists lack is no key
                self.keys[name] = _KeyEvidence(is_unique=not self.seen)
        for lists in self.pending.values():
            for items in lists.expected:
                self.lengths.add(min(len(items), MAX_COORDINATES + 1))
                self.has_several_items |= len(items) > 1
            for name, key in self.keys.items():
                if key.is_unique:
                    _count_keys(key, lists, name)
        self.seen |= bool(self.pending)
        self.pending.clear()

    def merge(self, other: "_ListEvidence") -> None:
        for name in (*self.keys, *other.keys):
            mine = self.keys.setdefault(name, _KeyEvidence(is_unique=not self.seen))
            mine.merge(other.keys.get(name, _KeyEvidence(is_unique=not other.seen)))
        self.lengths |= other.lengths
        self.has_several_items |= other.has_several_items
        self.seen |= other.seen


def _count_keys(key: _KeyEvidence, lists: _RecordLists, name: str) -> None:
    expected, actual = _collect_keys(lists.expected, name), _collect_keys(lists.actual, name)
    if expected is None or actual is None:
        key.is_unique = False
    elif expected and actual:
        key.overlap += len(expected & actual) / min(len(expected), len(actual))
        key.records += 1


class _PathNode:
    """What the records have at one path of the expected side."""

    __slots__ = ("actual_values", "children", "empty_kind", "evidence", "expected_values", "has_leaf", "lists", "parent", "step")

    def __init__(self, parent: "_PathNode | None" = None, step: Step = "") -> None:
        self.parent, self.step = parent, step
        self.children: dict[Step, _PathNode] = {}
        self.expected_values: list[Any] = []
        self.actual_values: list[Any] = []
        """Plain values of the current batch, not counted yet."""
        self.evidence = new_evidence(self.name)
        self.empty_kind = ""
        """`list` or `object` if an empty one occurred."""
        self.has_leaf = False
        """Whether a leaf occurred here, even if only null."""
        self.lists = _ListEvidence()

    @property
    def has_values(self) -> bool:
        """Whether expected has a plain value here."""
        return self.evidence.expected.values > 0

    @property
    def is_plain(self) -> bool:
        """Whether expected has plain values, so that all values are compared as a whole; blank text is no value.

        Beside lists of plain values they are compared as such an item.
        """
        return count_values(self.evidence.expected) > 0 and not self.has_plain_items

    @property
    def has_plain_items(self) -> bool:
        """Whether the only containers that expected has here are lists of plain values, and they are no items of a list themselves."""
        item = self.children.get(EACH)
        return item is not None and len(self.children) == 1 and not item.children and item.has_values and self.step is not EACH

    def get_child(self, step: Step) -> "_PathNode":
        """The child at this step, created if needed."""
        child = self.children.get(step)
        if child is None:
            child = self.children[step] = _PathNode(self, step)
        return child

    def to_path(self) -> Path:
        """The path from the root to this node."""
        steps: list[Step] = []
        node = self
        while node.parent is not None:
            steps.append(node.step)
            node = node.parent
        return Path(tuple(reversed(steps)))

    def count_batch(self) -> None:
        """Count the values and lists of a batch, and forget them."""
        if self.expected_values:
            self.evidence.expected.add(self.expected_values)
            self.expected_values.clear()
        if self.actual_values:
            self.evidence.actual.add(self.actual_values)
            self.actual_values.clear()
        if self.lists.pending:
            items = self.children[EACH].children
            self.lists.count_batch([step for step in items if isinstance(step, str)])

    @property
    def name(self) -> str:
        """The last name on the path."""
        node: _PathNode | None = self
        while node is not None and not isinstance(node.step, str):
            node = node.parent
        return node.step if node is not None and isinstance(node.step, str) else ""


class RuleInference:
    """Evidence for rules, collected batch by batch. Two of them over different cases can be merged."""

    def __init__(self) -> None:
        self._root = _PathNode()

    def add(self, pairs: Iterable[tuple[Value, Value]]) -> None:
        """Count a batch of records (expected, actual)."""
        batch = list(pairs)
        for record, (expected, _) in enumerate(batch):
            _add_expected(self._root, record, expected)
        for record, (_, actual) in enumerate(batch):
            _add_actual(self._root, record, actual)
        for node in _walk_all(self._root):
            node.count_batch()

    def merge(self, other: "RuleInference") -> None:
        """Add the evidence of other cases; their new fields come last."""
        pending = [(self._root, other._root)]
        while pending:
            mine, other_node = pending.pop()
            mine.evidence.merge(other_node.evidence)
            mine.lists.merge(other_node.lists)
            mine.has_leaf |= other_node.has_leaf
            mine.empty_kind = mine.empty_kind or other_node.empty_kind
            pending += [(mine.get_child(step), child) for step, child in other_node.children.items()]

    def infer(self, left_out: Collection[str] = (), *, actual_is_untyped: bool = False) -> InferredRules:
        """One rule for every leaf of expected, in order of appearance.

        `left_out`: names at the top of the records that get no rule, such as the id that pairs two files.
        `actual_is_untyped`: the actual side comes from a format without types, where numbers are text.
        """
        rules: list[FieldRule] = []
        lists: list[ListRule] = []
        reasons: dict[str, str] = {}
        has_fields = False
        left_out_paths: list[str] = []
        for node in _walk_in_order(self._root):
            if node.parent is self._root and node.step in left_out:
                left_out_paths.append(str(node.to_path()))
                continue
            if EACH in node.children and not node.is_plain:
                list_rule, reason = _infer_list_rule(node)
                lists.append(list_rule)
                reasons[str(list_rule.path)] = reason
            if node.is_plain or (node.has_leaf and not node.children):
                rule, reason = _infer_field_rule(node, actual_is_untyped)
                rules.append(rule)
                reasons[rule.text] = reason
                has_fields |= node.has_values or node is not self._root
        return InferredRules(tuple(rules), tuple(lists), reasons, has_fields, tuple(left_out_paths))


def infer_rules_from_pairs(pairs: Iterable[tuple[Value, Value]]) -> InferredRules:
    """Rules for records like these (expected, actual)."""
    inference = RuleInference()
    inference.add(pairs)
    return inference.infer()


def _add_expected(root: _PathNode, record: int, value: Value) -> None:
    """Add an expected record to the tree, without recursion: records may nest deeply."""
    pending: list[tuple[_PathNode, Any]] = [(root, value)]
    while pending:
        node, value = pending.pop()
        if value.__class__ in _PLAIN_TYPES:  # most values; the tests below take several times as long
            node.has_leaf = True
            node.expected_values.append(value)
            continue
        choice = accepted_values(value)
        if choice is not None:
            pending += reversed([(node, accepted) for accepted in choice])
            node.has_leaf |= not choice
        elif isinstance(value, Mapping) and value:
            entries = cast("Mapping[str, Any]", value)
            pending += reversed([(node.get_child(key), inner) for key, inner in entries.items()])
        elif isinstance(value, list | tuple) and value:
            items = cast("Sequence[Any]", value)
            node.lists.pending.setdefault(record, _RecordLists([], [])).expected.append(items)
            item_node = node.get_child(EACH)
            pending += reversed([(item_node, item) for item in items])
        elif isinstance(value, Mapping | list | tuple):
            node.has_leaf, node.empty_kind = True, "object" if isinstance(value, Mapping) else "list"
        elif value is None or isinstance(value, str | int | float):
            node.has_leaf = True
            if value is not None:
                node.expected_values.append(value)


def _add_actual(root: _PathNode, record: int, value: Value) -> None:
    """Add the values and lists of an actual record at the paths that expected has too."""
    pending: list[tuple[_PathNode, Any]] = [(root, value)]
    while pending:
        node, value = pending.pop()
        if value.__class__ in _PLAIN_TYPES:
            node.actual_values.append(value)
        elif isinstance(value, Mapping):
            entries = cast("Mapping[str, Any]", value)
            for step, child in node.children.items():
                if isinstance(step, str) and step in entries:
                    pending.append((child, entries[step]))
        elif isinstance(value, list | tuple):
            items = cast("Sequence[Any]", value)
            if record in node.lists.pending:
                node.lists.pending[record].actual.append(items)
            if EACH in node.children:
                pending += [(node.children[EACH], item) for item in items]
        elif isinstance(value, str | int | float):
            node.actual_values.append(value)


def _walk_all(root: _PathNode) -> Iterator[_PathNode]:
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += node.children.values()


def _walk_in_order(root: _PathNode) -> Iterator[_PathNode]:
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        if not node.is_plain:  # a value that is sometimes plain is compared as a whole: its parts would count twice
            pending += reversed(node.children.values())


def _infer_field_rule(node: _PathNode, actual_is_untyped: bool) -> tuple[FieldRule, str]:
    path = node.to_path()
    evidence = node.evidence
    if node.step is EACH and node.parent is not None and node.parent.has_plain_items and node.parent.has_values:
        evidence = new_evidence(node.name)
        evidence.merge(node.evidence)
        evidence.merge(node.parent.evidence)
    match, reason = choose_from_evidence(evidence, actual_is_untyped=actual_is_untyped)
    if node.is_plain and node.children:
        match, reason = Match(), f"the values are partly plain and partly {'lists' if EACH in node.children else 'objects'}"
    if not node.has_values:
        reason = f"the {node.empty_kind} is always empty" if node.empty_kind else "only null was seen"
    return FieldRule(path=path, text=str(path), match=match), reason


def _infer_list_rule(node: _PathNode) -> tuple[ListRule, str]:
    path, item = node.to_path(), node.children[EACH]
    if EACH in item.children:
        return ListRule(path=path, align="index"), "its items are lists, which are in order"
    if item.children:
        return _infer_rule_of_objects(node, path, item)
    lengths = node.lists.lengths
    is_numeric = set(item.evidence.expected.kinds) - {"blank"} == {"number"}
    if is_numeric and len(lengths) == 1 and 2 <= min(lengths) <= MAX_COORDINATES:
        return ListRule(path=path, align="index"), f"every list has {min(lengths)} numbers, like coordinates: their order counts"
    reason = "each plain value is paired with the most similar one, in any order"
    if node.has_values:
        reason += "; a value without a list is compared as it is"
    return ListRule(path=path, align="best"), reason


def _infer_rule_of_objects(node: _PathNode, path: Path, item: _PathNode) -> tuple[ListRule, str]:
    names = [step for step, child in item.children.items() if isinstance(step, str) and child.has_values]
    for name in sorted(names, key=lambda name: not _is_id_name(name)):
        if _can_identify_items(name, item.children[name]) and _is_key_on_both_sides(node.lists, name):
            reason = f"`{name}` is unique in every list, on both sides, and most of its values occur on both"
            return ListRule(path=path, align="key", key=Path((name,))), reason
    return ListRule(path=path, align="best"), "no field identifies the items on both sides: each is paired with the most similar one"


def _is_id_name(name: str) -> bool:
    """
    >>> [_is_id_name(name) for name in ("sku", "productId", "item_no", "paid", "name")]
    [True, True, True, False, False]
    """
    words = "".join(f"_{char.lower()}" if char.isupper() else char for char in name).replace("-", "_").split("_")
    return words[-1] in ID_NAMES or name.lower() in ID_NAMES


def _can_identify_items(name: str, node: _PathNode) -> bool:
    """Whether these values are ids or codes. A typo in a name or an amount must not cost the whole item its partner."""
    if _is_id_name(name):
        return True
    expected = node.evidence.expected
    if expected.values < MIN_ITEMS_WITHOUT_ID_NAME or expected.kinds["string"] < expected.values:
        return False
    match, _ = choose_from_evidence(node.evidence)
    return match.name in ("exact", "code")


def _is_key_on_both_sides(lists: _ListEvidence, name: str) -> bool:
    """Whether the field is present and unique in every list on both sides, and its values overlap enough."""
    key = lists.keys.get(name)
    min_overlap = MIN_KEY_OVERLAP if _is_id_name(name) else MIN_KEY_OVERLAP_WITHOUT_ID_NAME
    if key is None or not key.is_unique or not key.records:
        return False
    return lists.has_several_items and key.overlap >= min_overlap * key.records


def _collect_keys(lists: Sequence[Sequence[Any]], name: str) -> set[str] | None:
    """The keys in all lists of one record; None if one is missing, repeated, of the wrong type, or only counts the items."""
    keys: set[str] = set()
    for items in lists:
        item_keys = [cast("Mapping[str, Any]", item).get(name) if isinstance(item, Mapping) else None for item in items]
        if not all(_can_be_key(key) for key in item_keys) or len(set(item_keys)) < len(item_keys) or _only_count_items(item_keys):
            return None
        keys.update(map(str, item_keys))
    return keys


def _can_be_key(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value.strip()) and len(value) <= MAX_KEY_LENGTH
    return isinstance(value, int) and not isinstance(value, bool)


def _only_count_items(keys: Sequence[Any]) -> bool:
    """Whether the keys are 0, 1, 2 … or 1, 2, 3 …: a position in the list, not an identity."""
    texts = [str(key).strip() for key in keys]
    return any(texts == [str(number) for number in range(start, start + len(texts))] for start in (0, 1))
