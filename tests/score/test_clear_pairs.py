"""Clear counterparts: found without a matrix, and never other than those of the optimal assignment."""

import random
from typing import Any

import numpy as np
import pytest

from fieldwise.matchers.numeric_tolerance import NumericTolerance
from fieldwise.model.path import Path
from fieldwise.model.rule import ListRule, Match
from fieldwise.score import assign_items, clear_pairs
from fieldwise.score.align import ItemAlignment, pair_items
from fieldwise.score.clear_pairs import UnpairedItems, find_clear_pairs
from fieldwise.score.item_features import Feature, ItemBatch, build_item_columns

AMOUNT = Match("numeric_tolerance", NumericTolerance(tolerance=0.01))
FEATURES = (
    Feature(("sku",), Match(), 1.0),
    Feature(("name",), Match("fuzzy"), 1.0),
    Feature(("count",), Match(), 1.0),
    Feature(("amount",), AMOUNT, 1.0),
)
ODD_VALUES = [
    None,
    True,
    1,
    1.0,
    "1",
    "e\u0301",
    "\u00e9",
    float("nan"),
    float("inf"),
    10**400,
    2**60 + 1,
    [1],
    {"a": 1},
    {"$any": [1, "x"]},
]


@pytest.fixture(autouse=True)
def _search_in_every_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clear_pairs, "_MAX_DENSE_LISTS", 0)


def item(rng: random.Random) -> dict[str, Any]:
    return {
        "sku": f"A{rng.randrange(10_000)}",
        "name": " ".join(rng.choices(["bolt", "panel", "pump", "valve", "seal"], k=3)),
        "count": rng.randrange(30),
        "amount": round(rng.uniform(1, 50), 2),
    }


def altered(rng: random.Random, value: dict[str, Any], odd: list[Any]) -> dict[str, Any]:
    changed = dict(value)
    for key in rng.sample(sorted(value), rng.randrange(1, 3)):
        changed[key] = rng.choice(ODD_VALUES) if odd else item(rng)[key]
    if rng.random() < 0.2:
        del changed[rng.choice(sorted(changed))]
    if isinstance(changed.get("amount"), float) and rng.random() < 0.3:
        changed["amount"] = changed["amount"] + rng.choice([0.01, 0.009, -0.01, 0.02])
    return changed


def lists_of(seed: int, odd: list[Any]) -> tuple[list[Any], list[Any]]:
    rng = random.Random(seed)
    expected = [[item(rng) for _ in range(rng.randrange(0, 14))] for _ in range(12)]
    if odd:
        expected = [[altered(rng, value, odd) for value in values] for values in expected]
    actual = [[altered(rng, value, odd) for value in rng.sample(values, len(values))][: rng.randrange(15)] for values in expected]
    return expected, actual


def pair(expected: list[Any], actual: list[Any], at_least: float) -> list[tuple[int, int, int]]:
    alignment = ItemAlignment(ListRule(path=Path(("l",)), align="best", at_least=at_least), FEATURES)
    items = pair_items(range(len(expected)), (expected, actual), alignment)
    return list(zip(items.parent, items.label, items.actual_index, strict=True))


@pytest.mark.parametrize("seed", range(2 * len(ODD_VALUES)))
def test_pairs_are_those_of_the_assignment_without_the_search(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    odd = [ODD_VALUES[seed // 2], ODD_VALUES[seed // 2 - 9]] if seed % 2 else []
    expected, actual = lists_of(seed, odd)
    with_search = [pair(expected, actual, at_least) for at_least in (0.0, 0.4)]
    none = np.empty(0, dtype=np.int64)
    monkeypatch.setattr(assign_items, "find_clear_pairs", lambda *_: (none, none))
    monkeypatch.setattr(assign_items, "find_clear_winners", lambda *_: None)
    monkeypatch.setattr(assign_items, "assign_clearly", lambda *_: None)
    assert with_search == [pair(expected, actual, at_least) for at_least in (0.0, 0.4)]


def search(expected: list[Any], actual: list[Any], features: tuple[Feature, ...] = FEATURES) -> list[tuple[int, int]]:
    items = ItemBatch(build_item_columns(expected, features), build_item_columns(actual, features), features)
    unpaired = UnpairedItems.of(items, np.full(len(items.expected.list_of), -1))
    left, right = find_clear_pairs(items, unpaired)
    return list(zip(left.tolist(), right.tolist(), strict=True))


def test_items_that_differ_in_one_field_are_clear() -> None:
    rng = random.Random(1)
    expected = [[item(rng) for _ in range(20)] for _ in range(3)]
    actual = [[value | {"name": "x"} for value in reversed(values)] for values in expected]
    assert search(expected, actual) == [(20 * row + at, 20 * row + 19 - at) for row in range(3) for at in range(20)]


def test_a_field_that_all_items_share_does_not_hide_the_others() -> None:
    rng = random.Random(1)
    expected = [[item(rng) | {"unit": "pcs"} for _ in range(20)]]
    actual = [[value | {"name": "x"} for value in expected[0]]]
    assert len(search(expected, actual, (*FEATURES, Feature(("unit",), Match(), 1.0)))) == 20


def test_nothing_is_clear_where_most_features_cannot_be_searched() -> None:
    rng = random.Random(1)
    expected = [[item(rng) for _ in range(5)]]
    assert search(expected, expected, (Feature(("sku",), Match(), 1.0), Feature(("name",), Match("fuzzy"), 1.0))) == []


def test_items_with_equal_sums_are_not_clear() -> None:
    twins = [[{"sku": "A", "name": "a", "count": 1, "amount": 1.0}] * 2]
    assert search(twins, [[dict(twins[0][0], name="b")] * 2]) == []
