"""Distances between points, as arrays."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fieldwise.kernels.geometry import DistanceMetric, distance_grid, distance_pairs, similarity_from_distance

METRICS: list[DistanceMetric] = ["euclidean", "manhattan", "cosine"]
ROWS = st.integers(1, 4).flatmap(lambda n: arrays(np.float64, (n, 3), elements=st.integers(-3, 3).map(float)))


def by_the_formula(a: list[float], b: list[float], metric: DistanceMetric) -> float:
    if metric == "euclidean":
        return math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)))
    if metric == "manhattan":
        return sum(abs(x - y) for x, y in zip(a, b, strict=True))
    lengths = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b))
    return 1.0 if lengths == 0 else 1.0 - sum(x * y for x, y in zip(a, b, strict=True)) / lengths


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=60, deadline=None)
@given(expected=ROWS, actual=ROWS)
def test_the_grid_is_the_formula_for_every_pair(metric: DistanceMetric, expected: np.ndarray, actual: np.ndarray) -> None:
    """structured-data spec: Euclidean, Manhattan and cosine distance; zero magnitude has cosine distance 1."""
    formula = [[by_the_formula(a, b, metric) for b in actual.tolist()] for a in expected.tolist()]
    assert distance_grid(expected, actual, metric) == pytest.approx(np.array(formula), abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=40, deadline=None)
@given(rows=ROWS)
def test_rows_compare_as_the_grid_does(metric: DistanceMetric, rows: np.ndarray) -> None:
    other = rows[::-1].copy()
    assert distance_pairs(rows, other, metric) == pytest.approx(np.diagonal(distance_grid(rows, other, metric)), abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_a_vector_is_at_distance_0_from_itself(metric: DistanceMetric) -> None:
    rows = np.random.default_rng(0).normal(size=(50, 7))
    assert distance_pairs(rows, rows, metric).tolist() == [0.0] * 50


def test_cosine_ignores_magnitude_however_large_or_small() -> None:
    rows = np.array([[3.0, 4.0], [3e140, 4e140], [3e-200, 4e-200]])
    assert distance_pairs(rows, np.array([[6.0, 8.0]] * 3), "cosine") == pytest.approx([0.0, 0.0, 0.0], abs=1e-15)


def test_opposite_directions_have_cosine_distance_2_and_closeness_0() -> None:
    distance = distance_pairs(np.array([[1.0, 0.0]]), np.array([[-2.0, 0.0]]), "cosine")
    assert distance.tolist() == [2.0]
    assert similarity_from_distance(distance, "cosine").tolist() == [0.0]


def test_closeness_falls_with_distance() -> None:
    assert similarity_from_distance(np.array([0.0, 1.0, 4.0])).tolist() == [1.0, 0.5, 0.2]
    assert similarity_from_distance(np.array([0.0, 0.25, 1.0]), "cosine").tolist() == [1.0, 0.75, 0.0]
