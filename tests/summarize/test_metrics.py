"""The lowest cases of a run do not depend on how the run is divided."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.summarize.metrics import LowestCases

SIZE = 3
Row = tuple[float, int]
rows = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, float("nan"), float("inf")]), st.integers(0, 9)), max_size=30)


def lowest_of(*batches: list[Row], size: int = SIZE) -> LowestCases:
    lowest = LowestCases(size)
    for batch in batches:
        lowest.add(
            np.array([row[0] for row in batch]), np.array([row[1] for row in batch], dtype=np.int64), [f"c{at}" for at in range(10)], 0
        )
    return lowest


def by_definition(batch: list[Row]) -> list[tuple[float, int, str]]:
    """The lowest value of each case, then the lowest of those, then the first in the run."""
    by_case: dict[int, float] = {}
    for value, position in batch:
        if value < float("inf"):
            by_case[position] = min(value, by_case.get(position, value))
    return sorted((value, position, f"c{position}") for position, value in by_case.items())[:SIZE]


@settings(max_examples=200, deadline=None)
@given(rows)
def test_the_lowest_are_those_of_the_definition(batch: list[Row]) -> None:
    assert lowest_of(batch).entries == by_definition(batch)


@settings(max_examples=200, deadline=None)
@given(rows, rows, rows)
def test_batches_added_or_merged_in_any_order_keep_the_same(first: list[Row], second: list[Row], third: list[Row]) -> None:
    whole = by_definition([*first, *second, *third])
    assert lowest_of(first, second, third).entries == lowest_of(third, first, second).entries == whole
    merged = lowest_of(third)
    merged.merge(lowest_of(first))
    merged.merge(lowest_of(second))
    assert merged.entries == whole


def test_among_equals_in_several_batches_the_first_in_the_run_stay() -> None:
    later, earlier = [(0.0, position) for position in (9, 8, 7, 6)], [(0.0, position) for position in (3, 2, 2, 1)]
    assert [entry[1] for entry in lowest_of(later, earlier).entries] == [1, 2, 3]


def test_a_case_has_one_place_and_its_lowest_value() -> None:
    assert lowest_of([(0.5, 4), (0.25, 4)], [(0.0, 4), (0.5, 5)]).entries == [(0.0, 4, "c4"), (0.5, 5, "c5")]
