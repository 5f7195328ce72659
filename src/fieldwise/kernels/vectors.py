"""Points and vectors as arrays: one row each, finite and within ±`LARGEST`."""

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Metric = Literal["euclidean", "manhattan", "cosine"]

LARGEST: Final = 1e150
"""The square of anything beyond this is more than a float can hold."""


def distance_pairs(expected: Floats, actual: Floats, metric: Metric = "euclidean") -> Floats:
    """How far each expected row is from the actual row in the same place: float64[n].

    >>> distance_pairs(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]])).tolist()
    [5.0]
    >>> distance_pairs(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]), "manhattan").tolist()
    [7.0]
    """
    if metric == "cosine":
        return _from_cosine(np.einsum("ij,ij->i", unit(expected), unit(actual)))
    apart = np.abs(expected - actual)
    return apart.sum(axis=1) if metric == "manhattan" else np.sqrt(np.einsum("ij,ij->i", apart, apart))


def distance_grid(expected: Floats, actual: Floats, metric: Metric = "euclidean") -> Floats:
    """How far every expected row is from every actual row: float64[n, m].

    >>> distance_grid(np.array([[1.0, 0.0]]), np.array([[0.0, 2.0], [5.0, 0.0], [0.0, 0.0]]), "cosine").tolist()
    [[1.0, 0.0, 1.0]]
    """
    if metric == "cosine":
        return _from_cosine(unit(expected) @ unit(actual).T)
    total = np.zeros((len(expected), len(actual)))
    for left, right in zip(expected.T, actual.T, strict=True):  # one dimension at a time: no array of n × m × dimensions
        apart = left[:, None] - right
        total += np.abs(apart) if metric == "manhattan" else apart * apart
    return total if metric == "manhattan" else np.sqrt(total)


def closeness(distance: Floats, metric: Metric = "euclidean") -> Floats:
    """A distance as a similarity in [0, 1]: 1 / (1 + d), and for cosine 1 - d, not below 0.

    >>> closeness(np.array([0.0, 1.0, 3.0])).tolist()
    [1.0, 0.5, 0.25]
    """
    return np.clip(1.0 - distance, 0.0, 1.0) if metric == "cosine" else 1.0 / (1.0 + distance)


def unit(rows: Floats) -> Floats:
    """Every row divided by its length; a row of zeros stays as it is.

    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    largest = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
    scaled = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)  # squares of tiny numbers would vanish
    length = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    return np.divide(scaled, length, out=scaled, where=length > 0)


def _from_cosine(cosine: Floats) -> Floats:
    distance = 1.0 - cosine
    distance[np.abs(distance) < 1e-15] = 0.0  # a vector has distance 0 from itself, whatever the last bit says
    return np.clip(distance, 0.0, 2.0)
