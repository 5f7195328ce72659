"""Infer rules from values: one field rule for every leaf of the expected records, one list rule for every list.

The match of a field is chosen by its expected values alone. The actual records only decide whether items can be aligned by a key.

>>> inferred = infer_rules_from_pairs([({"total": 12.5, "items": [{"sku": "A-1"}]}, {})])
>>> [(rule.text, rule.match.name) for rule in inferred.rules]
[('total', 'numeric_tolerance'), ('items[*].sku', 'exact')]
>>> inferred.reasons["items[*].sku"]
'the values are codes'
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from statistics import median
from typing import Any, Final, NamedTuple, TypeAlias, cast

from fieldwise import registry
from fieldwise.kernels.dates import AmbiguousDate, parse_date
from fieldwise.kernels.numbers import count_decimals, parse_number
from fieldwise.model.path import EACH, Path, Step
from fieldwise.model.rule import FieldRule, ListRule, Match
from fieldwise.model.values import Json, Value, json_kind

MAX_VALUES: Final = 300
"""Number of values of a field to examine; more would not change the choice."""
ID_NAMES: Final = ("id", "sku", "key", "code", "number", "no", "isbn", "ean", "gtin", "uuid", "ref", "reference")
"""Last words of the names of fields that identify an item."""
MIN_KEY_OVERLAP, MIN_KEY_OVERLAP_WITHOUT_ID_NAME = 0.5, 0.8
"""Share of keys that must occur on both sides: lower for ids, because a wrong id is an error of its own."""
MIN_ITEMS_WITHOUT_ID_NAME: Final = 4
"""With fewer items almost any field is unique by chance, so only a field named as an id can be the key."""
MAX_KEY_LENGTH: Final = 60
MAX_COORDINATES: Final = 4

MIN_CODE_SHARE: Final = 0.8
"""Share of the values that must look like a kind of code for the field to be treated as one."""
MIN_DATE_SHARE: Final = 0.5
"""More than this share of dates is enough: other text still matches itself, while fuzzy would let a wrong day pass."""
MAX_DECIMALS: Final = 6
"""Numbers with more decimals were computed, not printed: their last decimals are rounding noise."""
MIN_PROSE_LENGTH: Final = 120
_MAX_CODE_LENGTH: Final = 16
_MAX_CHOICE_LENGTH: Final = 24
_MIN_VALUES_FOR_CHOICES, _MIN_REPEATS_OF_CHOICES = 6, 3

_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+\.\w+")
_URL: Final = re.compile(r"(?:https?://|www\.)\S+", re.I)
_LOWERCASE_WORD: Final = re.compile(r"[a-z]+(?:[_-][a-z]+)*")
_CAPITALS: Final = re.compile(r"[A-Z][A-Z_&/.-]{0,7}|[A-Z]+(?:_[A-Z]+)+")
_NOT_DIGIT_OR_SPACE: Final = re.compile(r"[^\d\s]")
_DECIMALS: Final = re.compile(r"[.,](\d+)\D*$")
_TWO_NUMBERS: Final = re.compile(r"(\d{1,2})\D(\d{1,2})\D")

MatchChoice: TypeAlias = tuple[Match, str]
"""A match and the reason for it, as the end of a sentence that begins with `because`."""


@dataclass(frozen=True, slots=True)
class InferredRules:
    """Rules for every field, and the reason for each."""

    rules: tuple[FieldRule, ...]
    lists: tuple[ListRule, ...]
    reasons: Mapping[str, str]
    """Path of a field or a list → reason for its rule, as the end of a sentence that begins with `because`."""


class _RecordLists(NamedTuple):
    """The lists at one path of one record, on both sides."""

    expected: list[Sequence[Any]]
    actual: list[Sequence[Any]]


class _PathNode:
    """What the expected records have at one path."""

    __slots__ = ("children", "empty_kind", "has_leaf", "lists", "parent", "step", "values")

    def __init__(self, parent: "_PathNode | None" = None, step: Step = "") -> None:
        self.parent, self.step = parent, step
        self.children: dict[Step, _PathNode] = {}
        self.values: list[Any] = []
        self.empty_kind = ""
        """`list` or `object` if an empty one occurred."""
        self.has_leaf = False
        """Whether a leaf occurred here, even if only null."""
        self.lists: dict[int, _RecordLists] = {}
        """By index of the record."""

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


def infer_rules_from_pairs(pairs: Iterable[tuple[Value, Value]]) -> InferredRules:
    """Rules for records like these (expected, actual): one for every leaf of expected, in order of appearance."""
    root = _PathNode()
    for record, (expected, actual) in enumerate(pairs):
        _add_expected(root, record, expected)
        _add_actual(root, record, actual)
    rules: list[FieldRule] = []
    lists: list[ListRule] = []
    reasons: dict[str, str] = {}
    for node in _walk_in_order(root):
        if EACH in node.children and not node.values:
            list_rule, reason = _infer_list_rule(node)
            lists.append(list_rule)
            reasons[str(list_rule.path)] = reason
        if node.values or (node.has_leaf and not node.children):
            rule, reason = _infer_field_rule(node)
            rules.append(rule)
            reasons[rule.text] = reason
    return InferredRules(tuple(rules), tuple(lists), reasons)


def _add_expected(root: _PathNode, record: int, value: Value) -> None:
    """Add an expected record to the tree, without recursion: records may nest deeply."""
    pending: list[tuple[_PathNode, Any]] = [(root, value)]
    while pending:
        node, value = pending.pop()
        if isinstance(value, Mapping) and value:
            entries = cast("Mapping[str, Any]", value)
            pending += reversed([(node.get_child(key), inner) for key, inner in entries.items()])
        elif isinstance(value, list | tuple) and value:
            items = cast("Sequence[Any]", value)
            node.lists.setdefault(record, _RecordLists([], [])).expected.append(items)
            item_node = node.get_child(EACH)
            pending += reversed([(item_node, item) for item in items])
        else:
            _add_leaf(node, value)


def _add_leaf(node: _PathNode, value: Any) -> None:
    if isinstance(value, Mapping | list | tuple):
        node.has_leaf, node.empty_kind = True, "object" if isinstance(value, Mapping) else "list"
    elif value is None or isinstance(value, str | int | float):
        node.has_leaf = True
        if value is not None and len(node.values) < MAX_VALUES:
            node.values.append(value)


def _add_actual(root: _PathNode, record: int, value: Value) -> None:
    """Add the lists of an actual record at the paths where expected has lists too."""
    pending: list[tuple[_PathNode, Any]] = [(root, value)]
    while pending:
        node, value = pending.pop()
        if isinstance(value, Mapping):
            entries = cast("Mapping[str, Any]", value)
            for step, child in node.children.items():
                if isinstance(step, str) and step in entries:
                    pending.append((child, entries[step]))
        elif isinstance(value, list | tuple) and record in node.lists:
            items = cast("Sequence[Any]", value)
            node.lists[record].actual.append(items)
            pending += [(node.children[EACH], item) for item in items]


def _walk_in_order(root: _PathNode) -> Iterator[_PathNode]:
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        if not node.values:  # a value that is sometimes plain is compared as a whole: its parts would count twice
            pending += reversed(node.children.values())


def _infer_field_rule(node: _PathNode) -> tuple[FieldRule, str]:
    path = node.to_path()
    match, reason = choose_match(node.values)
    if node.values and node.children:
        match, reason = Match(), f"the values are partly plain and partly {'lists' if EACH in node.children else 'objects'}"
    if not node.values:
        reason = f"the {node.empty_kind} is always empty" if node.empty_kind else "only null was seen"
    return FieldRule(path=path, text=str(path), match=match), reason


def _infer_list_rule(node: _PathNode) -> tuple[ListRule, str]:
    path, item = node.to_path(), node.children[EACH]
    if EACH in item.children:
        return ListRule(path=path, align="index"), "its items are lists, which are in order"
    if item.children:
        return _infer_rule_of_objects(node, path, item)
    if item.values and all(isinstance(value, int | float) and not isinstance(value, bool) for value in item.values):
        lengths = {len(items) for lists in node.lists.values() for items in lists.expected}
        if len(lengths) == 1 and 2 <= min(lengths) <= MAX_COORDINATES:
            return ListRule(path=path, align="index"), f"every list has {min(lengths)} numbers, like coordinates: their order counts"
    return ListRule(path=path, align="best"), "each plain value is paired with the most similar one, in any order"


def _infer_rule_of_objects(node: _PathNode, path: Path, item: _PathNode) -> tuple[ListRule, str]:
    names = [step for step, child in item.children.items() if isinstance(step, str) and child.values]
    for name in sorted(names, key=lambda name: not _is_id_name(name)):
        if _can_identify_items(name, item.children[name].values) and _is_key_on_both_sides(node, name):
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


def _can_identify_items(name: str, values: Sequence[Any]) -> bool:
    """Whether these values are ids or codes. A typo in a name or an amount must not cost the whole item its partner."""
    if _is_id_name(name):
        return True
    if len(values) < MIN_ITEMS_WITHOUT_ID_NAME or not all(isinstance(value, str) for value in values):
        return False
    match, _ = choose_match(values)
    return match.name == "exact"


def _is_key_on_both_sides(node: _PathNode, name: str) -> bool:
    """Whether the field is present and unique in every list on both sides, and its values overlap enough."""
    overlaps: list[float] = []
    for lists in node.lists.values():
        expected, actual = _collect_keys(lists.expected, name), _collect_keys(lists.actual, name)
        if expected is None or actual is None:
            return False
        if expected and actual:
            overlaps.append(len(expected & actual) / min(len(expected), len(actual)))
    min_overlap = MIN_KEY_OVERLAP if _is_id_name(name) else MIN_KEY_OVERLAP_WITHOUT_ID_NAME
    has_several_items = any(len(items) > 1 for lists in node.lists.values() for items in lists.expected)
    return has_several_items and bool(overlaps) and sum(overlaps) >= min_overlap * len(overlaps)


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


def choose_match(values: Sequence[Json]) -> MatchChoice:
    """The match for a field with these expected values, none of them null, and the reason.

    >>> match, reason = choose_match(["2025-03-04", "2024-12-31"])
    >>> match.name, reason
    ('date', 'every value is a calendar date')
    """
    kinds = {json_kind(value) for value in values}
    if not values:
        return _build_match("exact"), "no value was seen"
    if kinds == {"bool"}:
        return _build_match("exact"), "every value is true or false"
    if kinds == {"number"}:
        return _choose_for_numbers([value for value in values if isinstance(value, int | float)])
    texts = [value.strip() for value in values if isinstance(value, str)]
    if kinds == {"string"}:
        return _choose_for_texts([text for text in texts if text])
    if kinds == {"string", "number"} and all(parse_number(text) is not None for text in texts):
        return _choose_tolerance(max(map(_count_decimals, values)), parse=True, reason="the numbers are partly written as text")
    return _build_match("exact"), f"the values are of several kinds: {', '.join(sorted(kinds))}"


def _build_match(name: str, **options: Any) -> Match:
    return Match(name, registry.MATCHERS.find(name).options(**options))


def _count_decimals(value: Any) -> int:
    """Number of decimals of a number; in text, trailing zeros count.

    >>> [_count_decimals(value) for value in (12.5, "12.50", "1,234", "1.234,5", float("nan"))]
    [1, 2, 0, 1, 0]
    """
    number = parse_number(value) if isinstance(value, str) else value
    if number is None or (isinstance(number, float) and not isfinite(number)):
        return 0
    decimals = _DECIMALS.search(value) if isinstance(value, str) else None
    printed = len(decimals[1]) if decimals else 0
    return max(count_decimals(number), 0 if printed == 3 else printed)  # three digits may be a group of thousands


def _choose_for_numbers(numbers: Sequence[int | float]) -> MatchChoice:
    if all(isinstance(number, int) or number.is_integer() for number in numbers):
        return _build_match("exact"), "every value is a whole number"
    return _choose_tolerance(max(map(_count_decimals, numbers)), parse=False, reason="the values are numbers")


def _choose_tolerance(decimals: int, *, parse: bool, reason: str) -> MatchChoice:
    """Half a unit of the last decimal: the most that rounding to the printed decimals can change."""
    build = partial(_build_match, "numeric_tolerance", **({"parse": True} if parse else {}))
    if decimals > MAX_DECIMALS:
        return build(tolerance=1e-6, relative=True), f"{reason} with more than {MAX_DECIMALS} decimals: one millionth may differ"
    if decimals == 0:
        return build(), f"{reason} without decimals"
    count = "one decimal" if decimals == 1 else f"{decimals} decimals"
    return build(tolerance=0.5 * 10.0**-decimals), f"{reason} with up to {count}: half a unit of the last one may differ"


def _choose_for_texts(texts: Sequence[str]) -> MatchChoice:
    if not texts:
        return _build_match("exact"), "every value is blank"
    distinct = list(dict.fromkeys(texts))
    for choose in (_choose_for_dates, _choose_for_amounts, _choose_for_codes, partial(_choose_for_choices, len(texts))):
        choice = choose(distinct)
        if choice:
            return choice
    if median(map(len, distinct)) >= MIN_PROSE_LENGTH:
        return _build_match("fuzzy", algorithm="token_sort", threshold=0.8), "the values are long text, compared by their words"
    return _build_match("fuzzy"), "the values are names or short text, where small typos do not matter"


def _choose_for_dates(texts: Sequence[str]) -> MatchChoice | None:
    dates = [date for text in texts if (date := parse_date(text)) is not None]
    if len(dates) <= MIN_DATE_SHARE * len(texts):
        return None
    if len(texts) < 3 and all(text.isdecimal() for text in texts):  # one or two numbers such as 20250304 are more likely codes
        return None
    reason = "every value is a calendar date" if len(dates) == len(texts) else "most values are calendar dates"
    if not any(isinstance(date, AmbiguousDate) for date in dates):
        return _build_match("date"), reason
    day_first = _infer_day_first(texts)
    if day_first is None:
        return _build_match("exact"), f"{reason}, but they do not show whether day or month comes first"
    order = "day" if day_first else "month"
    return _build_match("date", day_first=day_first), f"{reason}, {order} first, as numbers above 12 show"


def _infer_day_first(texts: Sequence[str]) -> bool | None:
    """Whether the day comes first, if the unambiguous dates agree on it."""
    orders: set[bool] = set()
    for text in texts:
        numbers = _TWO_NUMBERS.match(text)
        if numbers and int(numbers[1]) > 12:
            orders.add(True)
        elif numbers and int(numbers[2]) > 12:
            orders.add(False)
    return orders.pop() if len(orders) == 1 else None


def _choose_for_amounts(texts: Sequence[str]) -> MatchChoice | None:
    """Numbers with a separator, a decimal or a sign; digits alone are codes, such as `00123`."""
    if not any(_NOT_DIGIT_OR_SPACE.search(text) for text in texts):
        return None
    if any(parse_number(text) is None for text in texts):
        return None
    return _choose_tolerance(max(map(_count_decimals, texts)), parse=True, reason="every value is a number written as text")


def _choose_for_codes(texts: Sequence[str]) -> MatchChoice | None:
    for looks_like_code, reason in _CODE_KINDS:
        if sum(map(looks_like_code, texts)) >= MIN_CODE_SHARE * len(texts):
            return _build_match("exact"), reason
    return None


def _is_mostly_digits(text: str) -> bool:
    digits = sum(map(str.isdigit, text))
    return digits > 0 and (digits >= 0.5 * len(text) or len(text) <= _MAX_CODE_LENGTH)


def _is_word_with_digits(text: str) -> bool:
    return not any(map(str.isspace, text)) and any(map(str.isdigit, text)) and len(text) < MIN_PROSE_LENGTH


def _matches_fully(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


_CODE_KINDS: Final[tuple[tuple[Callable[[str], bool], str], ...]] = (
    (_matches_fully(_EMAIL), "the values are e-mail addresses"),
    (_matches_fully(_URL), "the values are web addresses"),
    (_is_word_with_digits, "the values are codes"),
    (_is_mostly_digits, "the values are short with digits, where every digit counts"),
    (_matches_fully(_CAPITALS), "the values are short codes in capitals"),
    (_matches_fully(_LOWERCASE_WORD), "the values are single words in small letters, as from a list of choices"),
)


def _choose_for_choices(count: int, distinct: Sequence[str]) -> MatchChoice | None:
    """A few short values that repeat."""
    if count < _MIN_VALUES_FOR_CHOICES or len(distinct) * _MIN_REPEATS_OF_CHOICES > count:
        return None
    if all(len(text) <= _MAX_CHOICE_LENGTH and len(text.split()) <= 2 for text in distinct):
        return _build_match("exact"), "a few short values repeat, as from a list of choices"
    return None
