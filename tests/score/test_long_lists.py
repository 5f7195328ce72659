"""Lists that are too long for one matrix: bounded time and memory, and a warning."""

import random
from typing import Any

import numpy as np
import pytest

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.path import Path
from fieldwise.model.rule import ListRule, Match
from fieldwise.score import assign_items, long_lists
from fieldwise.score.align import ItemAlignment, pair_items
from fieldwise.score.item_features import Feature
from fieldwise.score.services import local_services

FEATURES = (Feature(("sku",), Match(), 1.0), Feature(("name",), Match("fuzzy"), 1.0), Feature(("kind",), Match(), 1.0))


def pair(expected: list[Any], actual: list[Any]) -> tuple[list[tuple[int, int]], list[str]]:
    notes: list[Diagnostic] = []
    services = local_services(report=notes.append)
    alignment = ItemAlignment(ListRule(path=Path(("l",)), align="best", at_least=0), FEATURES, services)
    paired = pair_items([0], ([expected], [actual]), alignment)
    pairing = [(max(label, -1), index) for label, index in zip(paired.label, paired.actual_index, strict=True)]
    return pairing, [note.code for note in notes]


def altered_list(rng: random.Random, count: int) -> tuple[list[Any], list[Any], list[int]]:
    """Items, the same with another name in another order, and for each item its new position."""
    expected = [{"sku": f"A{at}", "name": f"item {rng.randrange(10**6)}", "kind": rng.choice("xyz")} for at in range(count)]
    order = rng.sample(range(count), count)
    return expected, [expected[at] | {"name": expected[at]["name"] + " x"} for at in order], [order.index(at) for at in range(count)]


def test_a_long_list_is_paired_by_equal_values_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, actual, positions = altered_list(random.Random(1), 60)
    pairing, codes = pair(expected, actual)
    assert not codes
    monkeypatch.setattr(assign_items, "MAX_CELLS", 100)
    monkeypatch.setattr(long_lists, "MAX_CELLS", 100)
    assert pair(expected, actual) == (pairing, ["long-list"])
    assert pairing == list(enumerate(positions))


@pytest.mark.parametrize("counts", [(50, 50), (50, 33), (20, 70)])
def test_items_without_an_equal_value_are_paired_in_blocks(monkeypatch: pytest.MonkeyPatch, counts: tuple[int, int]) -> None:
    monkeypatch.setattr(assign_items, "MAX_CELLS", 100)
    monkeypatch.setattr(long_lists, "MAX_CELLS", 100)
    expected = [{"sku": f"A{at}", "name": f"name {at}", "kind": "x"} for at in range(counts[0])]
    actual = [{"sku": f"B{at}", "name": f"name {at}!", "kind": "y"} for at in range(counts[1])]
    pairing, codes = pair(expected, actual)
    assert codes == ["long-list"]
    assert sum(left >= 0 and right >= 0 for left, right in pairing) == min(counts)
    assert sorted(left for left, _ in pairing if left >= 0) == list(range(counts[0]))
    assert sorted(right for _, right in pairing if right >= 0) == list(range(counts[1]))


def test_no_matrix_is_larger_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes: list[tuple[int, ...]] = []
    assign_pairs = long_lists.assign_pairs

    def record_shape(similarity: Any) -> Any:
        shapes.append(similarity.shape)
        return assign_pairs(similarity)

    monkeypatch.setattr(long_lists, "assign_pairs", record_shape)
    expected = [{"sku": f"A{at}", "name": "", "kind": "x"} for at in range(1500)]
    actual = [{"sku": f"B{at}", "name": "", "kind": "y"} for at in range(1400)]
    pairing, _ = pair(expected, actual)
    assert len(pairing) == 1500
    assert max(int(np.prod(shape)) for shape in shapes) <= long_lists.MAX_CELLS
