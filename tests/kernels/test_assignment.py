"""Optimal one-to-one pairing."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from fieldwise.kernels.assignment import assign_clearly, assign_pairs, assign_sparse

# Few distinct values, so that ties are common.
GRIDS = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]))


def total(grid: np.ndarray, pairs: list[tuple[int, int]]) -> float:
    return float(sum(grid[row, column] for row, column in pairs))


def best_by_trying_all(grid: np.ndarray) -> float:
    grid = grid if grid.shape[0] <= grid.shape[1] else grid.T
    rows = range(grid.shape[0])
    return max(total(grid, list(zip(rows, columns, strict=True))) for columns in permutations(range(grid.shape[1]), grid.shape[0]))


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (2, 0)])
def test_nothing_to_pair_gives_no_pairs(shape: tuple[int, int]) -> None:
    assert assign_pairs(np.zeros(shape)) == []


def test_one_row_takes_its_best_column_and_one_column_its_best_row() -> None:
    assert assign_pairs(np.array([[0.1, 0.7, 0.3]])) == [(0, 1)]
    assert assign_pairs(np.array([[0.1], [0.7], [0.3]])) == [(1, 0)]


def test_the_sum_counts_not_the_best_single_pair() -> None:
    assert assign_pairs(np.array([[0.9, 0.8], [0.7, 0.1]])) == [(0, 1), (1, 0)]
    assert assign_pairs(np.array([[0.9, 0.8, 0.0], [0.8, 0.1, 0.0], [0.0, 0.0, 0.2]])) == [(0, 1), (1, 0), (2, 2)]


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (7, 7), (80, 80), (3, 5), (5, 3), (1, 4), (4, 1)])
@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_equal_sums_go_to_the_diagonal(shape: tuple[int, int], value: float) -> None:
    assert assign_pairs(np.full(shape, value)) == [(i, i) for i in range(min(shape))]


def test_sums_that_are_equal_but_for_binary_rounding_go_to_the_diagonal() -> None:
    assert assign_pairs(np.array([[0.3, 0.1], [0.2, 0.0]])) == [(0, 0), (1, 1)]  # 0.1 + 0.2 > 0.3 in binary


@pytest.mark.parametrize("size", [2, 3, 40])
def test_a_real_preference_beats_the_diagonal_however_small_all_values_are(size: int) -> None:
    grid = np.zeros((size, size))
    grid[0, size - 1] = grid[size - 1, 0] = 1e-12
    assert (0, size - 1) in assign_pairs(grid)


def test_a_preference_above_the_bias_is_kept_beside_huge_values() -> None:
    grid = np.array([[0.0, 1e-6, 0.0], [1e-6, 0.0, 0.0], [0.0, 0.0, 1e6]])
    assert assign_pairs(grid) == [(0, 1), (1, 0), (2, 2)]


def test_unmeasured_pairs_are_taken_last() -> None:
    nan, inf = float("nan"), float("inf")
    assert assign_pairs(np.array([[nan, 0.0], [0.0, nan]])) == [(0, 1), (1, 0)]
    assert assign_pairs(np.array([[nan, 0.2, 0.1]])) == [(0, 1)]
    assert assign_pairs(np.array([[-inf, 0.5, 0.1], [0.2, 0.0, inf], [0.0, 0.0, nan]])) == [(0, 1), (1, 2), (2, 0)]
    assert assign_pairs(np.full((3, 3), nan)) == [(0, 0), (1, 1), (2, 2)]


@settings(max_examples=150, deadline=None)
@given(GRIDS)
def test_the_sum_is_the_largest_there_is(grid: np.ndarray) -> None:
    pairs = assign_pairs(grid)
    assert len(pairs) == min(grid.shape)
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
    assert total(grid, pairs) == pytest.approx(best_by_trying_all(grid), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(GRIDS)
def test_rows_come_in_order_and_twice_gives_the_same(grid: np.ndarray) -> None:
    pairs = assign_pairs(grid)
    assert pairs == sorted(pairs)
    assert pairs == assign_pairs(grid.copy())


@settings(max_examples=60, deadline=None)
@given(GRIDS)
def test_the_input_is_left_as_it_was(grid: np.ndarray) -> None:
    before = grid.copy()
    assign_pairs(grid)
    assert np.array_equal(grid, before)


def test_a_sparse_matrix_is_assigned_as_the_dense_one() -> None:
    rng = np.random.default_rng(7)
    for _ in range(40):
        n, m = (int(size) for size in rng.integers(1, 30, 2))
        dense = np.where(rng.random((n, m)) < 0.1, rng.random((n, m)), 0.0)
        rows, columns = np.nonzero(dense)
        expected = [(row, column) for row, column in assign_pairs(dense) if dense[row, column] > 0]
        assert assign_sparse((rows, columns, dense[rows, columns]), n, m) == expected


def test_an_infinite_similarity_outweighs_any_sum_of_others() -> None:
    assert assign_pairs(np.array([[np.inf, 1.0], [1.0, 0.0]])) == [(0, 0), (1, 1)]
    assert assign_pairs(np.array([[np.nan, 0.0], [0.0, 1.0]])) == [(0, 1), (1, 0)]


@settings(max_examples=200, deadline=None)
@given(GRIDS)
def test_a_clear_assignment_is_the_assignment(grid: np.ndarray) -> None:
    pairs = assign_clearly(grid)
    assert pairs is None or pairs == assign_pairs(grid)


def test_a_clear_assignment_of_a_large_grid_is_the_assignment() -> None:
    rng = np.random.default_rng(3)
    clear = 0
    for _ in range(60):
        n, m = (int(size) for size in rng.integers(6, 30, 2))
        grid = rng.random((n, m)) * 1.2
        own = rng.permutation(max(n, m))[: min(n, m)]
        cells = (np.arange(n), own) if n <= m else (own, np.arange(m))
        grid[cells] += rng.choice([0.0, 1.0, 2.0], min(n, m), p=[0.1, 0.4, 0.5])
        pairs = assign_clearly(grid)
        assert pairs is None or pairs == assign_pairs(grid)
        clear += pairs is not None
    assert clear > 20


@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (5, 3), (6, 6), (1, 4), (4, 1)])
def test_assignments_with_equal_sums_are_not_clear(shape: tuple[int, int]) -> None:
    assert assign_clearly(np.ones(shape)) is None
    assert assign_clearly(np.ones((1, 1))) == [(0, 0)]
    assert assign_clearly(np.ones((0, 3))) == []
