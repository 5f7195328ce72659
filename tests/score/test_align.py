"""Who is whose counterpart: equal items first, then the most alike, and never slowly."""

import math
from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise.model.path import Path
from fieldwise.model.rule import FieldRule, ListRule, Match
from fieldwise.score.align import SMALL, Feature, item_columns, key_of, pair_best, pair_by_index, pair_by_key, pair_equal
from fieldwise.score.lists import paired_items
from fieldwise.score.matching import similarities

FEATURES = (Feature(("a",), Match("fuzzy"), 2.0), Feature(("b",), Match(), 1.0))
items = st.fixed_dictionaries({"a": st.text(alphabet="ab", max_size=3), "b": st.sampled_from([0, 1, True, None, 1.0])})
lists = st.lists(items, max_size=5)


def best(expected: list[Any], actual: list[Any], features: tuple[Feature, ...] = FEATURES) -> list[tuple[int, int]]:
    ours, theirs = item_columns(expected, [0, len(expected)], features), item_columns(actual, [0, len(actual)], features)
    return pair_best(ours, theirs, features)[0]


def likeness(one: Any, other: Any, features: tuple[Feature, ...] = FEATURES) -> float:
    found = 0.0
    for feature in features:
        assert feature.match is not None
        (key,) = feature.steps
        found += feature.weight * float(similarities(feature.match, [one.get(key)], [other.get(key)])[0])
    return found


def most_alike(expected: list[Any], actual: list[Any]) -> float:
    """The largest sum over all pairings, by trying them all."""
    if len(expected) > len(actual):
        expected, actual = actual, expected
    return max(sum(map(likeness, expected, order)) for order in permutations(actual, len(expected)))


def rest(values: list[Any], taken: Counter[Any]) -> list[Any]:
    """What is left of a list once equal items are taken."""
    left, taken = [], taken.copy()
    for value in values:
        if taken[key_of(value)]:
            taken[key_of(value)] -= 1
        else:
            left.append(value)
    return left


@given(expected=lists, actual=lists)
@settings(max_examples=150, deadline=None)
def test_what_is_left_after_equal_items_pairs_as_well_as_can_be(expected: list[Any], actual: list[Any]) -> None:
    pairs = best(expected, actual)
    both = [(one, other) for one, other in pairs if one >= 0 and other >= 0]
    assert sorted(one for one, _ in pairs if one >= 0) == list(range(len(expected)))
    assert sorted(other for _, other in pairs if other >= 0) == list(range(len(actual)))
    assert len(both) == min(len(expected), len(actual))
    equal = Counter(map(key_of, expected)) & Counter(map(key_of, actual))
    assert Counter(key_of(expected[one]) for one, other in both if key_of(expected[one]) == key_of(actual[other])) == equal
    total = sum(likeness(expected[one], actual[other]) for one, other in both)
    left, over = rest(expected, equal), rest(actual, equal)
    reachable = most_alike(left, over) if left and over else 0.0
    assert total == pytest.approx(3.0 * sum(equal.values()) + reachable, abs=1e-6)


@given(expected=st.lists(items, min_size=9, max_size=12), actual=st.lists(items, min_size=9, max_size=12))
@settings(max_examples=25, deadline=None)
def test_a_large_rest_is_paired_as_well_as_a_small_one(expected: list[Any], actual: list[Any]) -> None:
    pairs = [(one, other) for one, other in best(expected, actual) if one >= 0 and other >= 0]
    swaps = [(first, second) for first in pairs for second in pairs if first < second]
    for (one, other), (two, another) in swaps:
        equal = {key_of(expected[one]) == key_of(actual[other]), key_of(expected[two]) == key_of(actual[another])}
        if True not in equal:
            together = likeness(expected[one], actual[other]) + likeness(expected[two], actual[another])
            assert together >= likeness(expected[one], actual[another]) + likeness(expected[two], actual[other]) - 1e-6


def test_equal_items_pair_first_even_where_a_larger_sum_is_near() -> None:
    expected, actual = [{"a": "abc"}, {"a": "abd"}], [{"a": "abd"}, {"a": "xbd"}]
    assert best(expected, actual, (Feature(("a",), Match("fuzzy"), 1.0),)) == [(0, 1), (1, 0)]


@pytest.mark.parametrize("size", [2, 3, 8, 9, 20])
def test_ties_stay_in_order(size: int) -> None:
    expected, actual = [{"a": f"x{row}"} for row in range(size)], [{"a": f"y{row}"} for row in range(size)]
    assert (size * size > SMALL) == (size > 8)
    features = (Feature(("a",), Match(), 1.0),)
    assert best(expected, actual, features) == [(row, row) for row in range(size)]


def test_equal_items_that_kept_their_position_stay_together() -> None:
    assert pair_equal(["a", "b", "a"], ["x", "b", "a"]) == ([(1, 1), (2, 2)], [0], [0])
    assert pair_equal(["a", "a", "b"], ["b", "a", "a"]) == ([(1, 1), (0, 2), (2, 0)], [], [])
    assert pair_equal(["b", "a"], ["a", "a", "b"]) == ([(1, 1), (0, 2)], [], [0])


def test_repeated_keys_pair_in_order_and_the_rest_stays_alone() -> None:
    assert pair_by_key(["a", "a", "b"], ["c", "c", "a"]) == [(0, 2), (1, -1), (2, -1), (-1, 0), (-1, 1)]
    assert pair_by_index(1, 3) == [(0, 0), (-1, 1), (-1, 2)]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (True, 1, False),
        ([1], [True], False),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, True),
        ("1", 1, False),
        (None, "null", False),
    ],
)
def test_keys_are_equal_for_values_that_are_the_same(one: Any, other: Any, same: bool) -> None:
    assert (key_of(one) == key_of(other)) == same


def test_nan_is_like_nothing() -> None:
    assert key_of(math.nan) != key_of(math.nan)
    assert key_of([math.nan]) != key_of([math.nan])


def test_one_odd_item_does_not_change_how_the_others_are_keyed() -> None:
    plain = [{"a": "x", "b": 1}, {"a": "missing", "b": 2}]
    odd = [*plain, {"a": ["x"], "b": 3}, {"b": 2}]
    assert best(plain, list(reversed(odd)), FEATURES)[:2] == [(0, 3), (1, 2)]


def test_weights_of_the_rules_decide_who_is_more_alike() -> None:
    rules = [FieldRule(path=Path.parse("l[*].a"), text="l[*].a", weight=5), FieldRule(path=Path.parse("l[*].b"), text="l[*].b")]
    expected, actual = [{"a": 1, "b": 1}, {"a": 2, "b": 2}], [{"a": 2, "b": 1}, {"a": 1, "b": 2}]
    features = tuple(Feature((rule.path.steps[-1],), rule.match, rule.weight) for rule in rules if rule.path)
    found = paired_items([0], [expected], [actual], ListRule(path=Path(("l",)), align="best"), features)
    assert [item["a"] for item in found.actual] == [1, 2]


def numbered(count: int, step: int = 1) -> dict[str, Any]:
    return {"l": [{"id": number, "name": f"item {number}", "tags": [str(number)]} for number in range(0, count * step, step)]}


FIELDS = [{"path": "l[*].id"}, {"path": "l[*].name", "match": "fuzzy"}]


def test_two_thousand_items_are_aligned() -> None:
    expected, actual = numbered(2000), {"l": numbered(2000)["l"][::-1]}
    for number in range(0, 2000, 20):
        actual["l"][number] = {"id": -number, "name": f"item {1999 - number}x", "tags": []}
    result = fw.evaluate({"type": "field_accuracy", "fields": FIELDS, "lists": {"l": "best"}}, expected=expected, actual=actual)
    assert result.metrics["fields_scored"] == 2
    assert sum(miss.endswith(".id") for miss in result.misses) == 100
    assert result.score > 0.97


def test_two_thousand_items_without_an_equal_one_are_aligned() -> None:
    result = fw.evaluate(
        {"type": "field_accuracy", "fields": ["l[*].id", "l[*].name"], "lists": {"l": "best"}},
        expected=numbered(2000),
        actual={"l": [{"id": -1, **{"name": item["name"]}} for item in reversed(numbered(2000)["l"])]},
    )
    assert (result.score, len(result.hits)) == (0.5, 2000)


def test_nested_lists_of_a_thousand_items_finish() -> None:
    expected = {"pages": [{"rows": [{"v": f"{page}/{row}"} for row in range(100)]} for page in range(1000)]}
    actual = {"pages": [{"rows": [{"v": row["v"]} for row in reversed(page["rows"])][:99]} for page in reversed(expected["pages"])]}
    config = {"type": "field_accuracy", "fields": ["pages[*].rows[*].v"], "lists": {"pages": "best", "pages[*].rows": "best"}}
    result = fw.evaluate(config, expected=expected, actual=actual)
    assert result.score == pytest.approx(0.99)


def test_a_long_list_in_a_long_list_finishes() -> None:
    expected = {"pages": [{"rows": [{"v": row} for row in range(1000)]}, {"rows": [{"v": -row} for row in range(1000)]}]}
    actual = {"pages": [{"rows": list(reversed(page["rows"]))} for page in reversed(expected["pages"])]}
    config = {"type": "field_accuracy", "fields": ["pages[*].rows[*].v"], "lists": {"pages": "best", "pages[*].rows": "best"}}
    assert fw.evaluate(config, expected=expected, actual=actual).score == 1.0


def test_frames_count_places_beyond_32_bits() -> None:
    from fieldwise.score.frame import Frame, Items

    last = 70_000
    none = np.zeros(1, dtype=np.bool_)
    frame = Frame(np.zeros(1, dtype=np.int32), np.array([last - 1], dtype=np.int32), [f"[{row}]" for row in range(last)], none, none)
    below = frame.below(Items(parent=[0, 0], label=[0, last], expected=[1, 1], actual=[1, 1], extra=[False] * 2, lone=[False] * 2), ".a")
    assert [below.prefixes[code] for code in below.prefix.tolist()] == [f"[{last - 1}].a[0]", f"[{last - 1}].a[{last}]"]
