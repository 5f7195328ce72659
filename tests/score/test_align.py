"""List alignment: equal items first, then the most similar, in acceptable time for long lists."""

import math
import warnings
from collections import Counter
from itertools import permutations
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise.model.path import Path
from fieldwise.model.rule import FieldRule, ListRule, Match
from fieldwise.score.align import ItemAlignment, pair_items
from fieldwise.score.assign_items import SMALL_MATRIX
from fieldwise.score.columns import Frame, PairedItems
from fieldwise.score.item_features import Feature, hashable_key
from fieldwise.score.list_pairing import PartialPairing, pair_by_index, pair_by_key, pair_equal
from fieldwise.score.matching import pair_similarities

FEATURES = (Feature(("a",), Match("fuzzy"), 2.0), Feature(("b",), Match(), 1.0))
items = st.fixed_dictionaries({"a": st.text(alphabet="ab", max_size=3), "b": st.sampled_from([0, 1, True, None, 1.0])})
lists = st.lists(items, max_size=5)


def best(expected: list[Any], actual: list[Any], features: tuple[Feature, ...] = FEATURES) -> list[tuple[int, int]]:
    alignment = ItemAlignment(ListRule(path=Path(("l",)), align="best", at_least=0), features)
    paired = pair_items([0], ([expected], [actual]), alignment)
    return [(max(label, -1), index) for label, index in zip(paired.label, paired.actual_index, strict=True)]


def similarity(expected: Any, actual: Any, features: tuple[Feature, ...] = FEATURES) -> float:
    total = 0.0
    for feature in features:
        assert feature.match is not None
        (key,) = feature.steps
        total += feature.weight * float(pair_similarities(feature.match, [expected.get(key)], [actual.get(key)])[0])
    return total


def largest_sum(expected: list[Any], actual: list[Any]) -> float:
    """The largest sum over all pairings, by trying them all."""
    if len(expected) > len(actual):
        expected, actual = actual, expected
    return max(sum(map(similarity, expected, order)) for order in permutations(actual, len(expected)))


def remaining(values: list[Any], taken: Counter[Any]) -> list[Any]:
    """The items that remain after equal items are paired."""
    left, taken = [], taken.copy()
    for value in values:
        if taken[hashable_key(value)]:
            taken[hashable_key(value)] -= 1
        else:
            left.append(value)
    return left


@given(expected=lists, actual=lists)
@settings(max_examples=150, deadline=None)
def test_what_is_left_after_equal_items_pairs_as_well_as_can_be(expected: list[Any], actual: list[Any]) -> None:
    pairs = best(expected, actual)
    both = [(left, right) for left, right in pairs if left >= 0 and right >= 0]
    assert sorted(left for left, _ in pairs if left >= 0) == list(range(len(expected)))
    assert sorted(right for _, right in pairs if right >= 0) == list(range(len(actual)))
    assert len(both) == min(len(expected), len(actual))
    equal = Counter(map(hashable_key, expected)) & Counter(map(hashable_key, actual))
    assert (
        Counter(hashable_key(expected[left]) for left, right in both if hashable_key(expected[left]) == hashable_key(actual[right]))
        == equal
    )
    total = sum(similarity(expected[left], actual[right]) for left, right in both)
    expected_rest, actual_rest = remaining(expected, equal), remaining(actual, equal)
    reachable = largest_sum(expected_rest, actual_rest) if expected_rest and actual_rest else 0.0
    assert total == pytest.approx(3.0 * sum(equal.values()) + reachable, abs=1e-6)


@given(expected=st.lists(items, min_size=9, max_size=12), actual=st.lists(items, min_size=9, max_size=12))
@settings(max_examples=25, deadline=None)
def test_a_large_rest_is_paired_as_well_as_a_small_one(expected: list[Any], actual: list[Any]) -> None:
    pairs = [(left, right) for left, right in best(expected, actual) if left >= 0 and right >= 0]
    swaps = [(first, second) for first in pairs for second in pairs if first < second]
    for (left, right), (next_left, next_right) in swaps:
        is_equal = hashable_key(expected[left]) == hashable_key(actual[right])
        is_next_equal = hashable_key(expected[next_left]) == hashable_key(actual[next_right])
        if not is_equal and not is_next_equal:
            paired = similarity(expected[left], actual[right]) + similarity(expected[next_left], actual[next_right])
            swapped = similarity(expected[left], actual[next_right]) + similarity(expected[next_left], actual[right])
            assert paired >= swapped - 1e-6


def test_equal_items_pair_first_even_where_a_larger_sum_is_near() -> None:
    expected, actual = [{"a": "abc"}, {"a": "abd"}], [{"a": "abd"}, {"a": "xbd"}]
    assert best(expected, actual, (Feature(("a",), Match("fuzzy"), 1.0),)) == [(0, 1), (1, 0)]


@pytest.mark.parametrize("size", [2, 3, 8, 9, 20])
def test_ties_stay_in_order(size: int) -> None:
    expected, actual = [{"a": f"x{row}"} for row in range(size)], [{"a": f"y{row}"} for row in range(size)]
    assert (size * size > SMALL_MATRIX) == (size > 8)
    features = (Feature(("a",), Match(), 1.0),)
    assert best(expected, actual, features) == [(row, row) for row in range(size)]


def test_equal_items_that_kept_their_position_stay_together() -> None:
    assert pair_equal(["a", "b", "a"], ["x", "b", "a"]) == PartialPairing([(1, 1), (2, 2)], [0], [0])
    assert pair_equal(["a", "a", "b"], ["b", "a", "a"]) == PartialPairing([(1, 1), (0, 2), (2, 0)], [], [])
    assert pair_equal(["b", "a"], ["a", "a", "b"]) == PartialPairing([(1, 1), (0, 2)], [], [0])


def test_repeated_keys_pair_in_order_and_the_rest_stays_alone() -> None:
    assert pair_by_key(["a", "a", "b"], ["c", "c", "a"]) == [(0, 2), (1, -1), (2, -1), (-1, 0), (-1, 1)]
    assert pair_by_index(1, 3) == [(0, 0), (-1, 1), (-1, 2)]


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, True),
        (True, 1, False),
        ([1], [True], False),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, True),
        ("1", 1, False),
        (None, "null", False),
    ],
)
def test_keys_are_equal_for_values_that_are_the_same(left: Any, right: Any, same: bool) -> None:
    assert (hashable_key(left) == hashable_key(right)) == same


def test_nan_is_like_nothing() -> None:
    assert hashable_key(math.nan) != hashable_key(math.nan)
    assert hashable_key([math.nan]) != hashable_key([math.nan])


def test_one_odd_item_does_not_change_how_the_others_are_keyed() -> None:
    plain = [{"a": "x", "b": 1}, {"a": "missing", "b": 2}]
    odd = [*plain, {"a": ["x"], "b": 3}, {"b": 2}]
    assert best(plain, list(reversed(odd)), FEATURES)[:2] == [(0, 3), (1, 2)]


def test_weights_of_the_rules_decide_who_is_more_alike() -> None:
    rules = [FieldRule(path=Path.parse("l[*].a"), text="l[*].a", weight=5), FieldRule(path=Path.parse("l[*].b"), text="l[*].b")]
    expected, actual = [{"a": 1, "b": 1}, {"a": 2, "b": 2}], [{"a": 2, "b": 1}, {"a": 1, "b": 2}]
    features = tuple(Feature((rule.path.steps[-1],), rule.match, rule.weight) for rule in rules if rule.path)
    alignment = ItemAlignment(ListRule(path=Path(("l",)), align="best"), features)
    items = pair_items([0], ([expected], [actual]), alignment)
    assert [item["a"] for item in items.actual] == [1, 2]


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
    expected = numbered(2000)
    actual = {"l": [{"id": -1, "name": item["name"]} for item in reversed(expected["l"])]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a limit is in the result: as a Python warning it would be a fault here
        result = fw.evaluate(
            {"type": "field_accuracy", "fields": ["l[*].id", "l[*].name"], "lists": {"l": "best"}}, expected=expected, actual=actual
        )
        differences = fw.diff({"l": [{"a": f"item {n * n}"} for n in range(1100)]}, {"l": [{"a": f"thing {n * 7}"} for n in range(1100)]})
    assert (result.status, result.score, len(result.hits)) == ("scored", 0.5, 2000)
    [diagnostic] = result.details["diagnostics"]
    assert (diagnostic["code"], diagnostic["level"]) == ("long-list", "warning")
    assert "more than 1,000,000 pairs of items" in diagnostic["what"]
    assert [problem.code for problem in differences.problems] == ["long-list"]


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
    last = 70_000
    none = np.zeros(1, dtype=np.bool_)
    frame = Frame(np.zeros(1, dtype=np.int32), np.array([last - 1], dtype=np.int32), [f"[{row}]" for row in range(last)], none, none)
    items = PairedItems(parent=[0, 0], label=[0, last], expected=[1, 1], actual=[1, 1])
    frame_of_items = frame.frame_of_items(items, ".a")
    assert [frame_of_items.prefixes[code] for code in frame_of_items.prefix.tolist()] == [f"[{last - 1}].a[0]", f"[{last - 1}].a[{last}]"]


class TestAtLeast:
    """Items that are less similar than `at_least` stay unpaired."""

    EXPECTED: ClassVar = {"l": [{"d": "Ocean freight", "a": 100}, {"d": "Customs fee", "a": 20}]}
    ACTUAL: ClassVar = {"l": [{"d": "Ocean freight", "a": 100}, {"d": "Zebra", "a": 999}]}

    def metrics(self, rule: Any, expected: Any = EXPECTED, actual: Any = ACTUAL) -> dict[str, float]:
        metrics = fw.evaluate({"type": "field_prf", "lists": {"l": rule}}, expected=expected, actual=actual).metrics
        return {name: metrics[name] for name in ("wrong_value", "omission", "hallucination")}

    def test_unlike_items_are_an_omission_and_a_hallucination(self) -> None:
        assert self.metrics({"align": "best"}) == {"wrong_value": 0, "omission": 2, "hallucination": 2}
        assert self.metrics("best") == {"wrong_value": 0, "omission": 2, "hallucination": 2}

    def test_0_pairs_everything(self) -> None:
        assert self.metrics({"align": "best", "at_least": 0}) == {"wrong_value": 2, "omission": 0, "hallucination": 0}

    def test_an_item_with_one_wrong_field_of_two_keeps_its_counterpart(self) -> None:
        actual = {"l": [{"d": "Customs fee", "a": 21}, {"d": "Ocean freight", "a": 100}]}
        assert self.metrics("best", actual=actual) == {"wrong_value": 1, "omission": 0, "hallucination": 0}

    def test_a_plain_value_with_a_slip_keeps_its_counterpart(self) -> None:
        expected, actual = {"l": ["Ocean freight", "Customs fee", "Insurance"]}, {"l": ["Insurance", "Ocean freigth", "Zebra"]}
        assert self.metrics("best", expected, actual) == {"wrong_value": 1, "omission": 1, "hallucination": 1}

    def test_a_field_that_all_items_share_says_nothing_about_two_of_them(self) -> None:
        expected = {"l": [{"d": name, "unit": "USD", "scale": 1000, "kind": "fee"} for name in ("Ocean freight", "Customs", "Insurance")]}
        actual = {"l": [expected["l"][0], expected["l"][0], expected["l"][2]]}
        assert self.metrics("best", expected, actual) == {"wrong_value": 0, "omission": 4, "hallucination": 4}

    @pytest.mark.parametrize("rule", [{"align": "index", "at_least": 0.5}, {"key": "d", "at_least": 0.5}, {"align": "best", "at_least": 2}])
    def test_it_is_a_share_and_only_for_best(self, rule: Any) -> None:
        with pytest.raises(fw.ConfigError, match="at_least"):
            self.metrics(rule)
