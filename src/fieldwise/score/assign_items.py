"""Assignment of list items: the pairing with the largest total similarity.

Equal items are paired first, by hash, in linear time. Only the remaining items go into a similarity matrix and an optimal assignment, so
the cost grows with the number of items that differ, not with the square of the list length.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.assignment import EXHAUSTIVE_LIMIT, assign_pairs, assign_small
from fieldwise.model.rule import Match
from fieldwise.model.services import NO_SERVICES, Services
from fieldwise.score.item_features import Feature, ItemColumns, prepare_grid_of_common_items, shares_of_common_items
from fieldwise.score.list_pairing import Pairing, PartialPairing, pair_equal
from fieldwise.score.long_lists import MAX_CELLS, assign_in_parts, find_candidates, report_long_list
from fieldwise.score.matching import pair_similarities, prepare_similarity_grid
from fieldwise.score.unlike_items import EXACT_MATCHES, separate_unlike_items
from fieldwise.specs import PartialGrid

SMALL_MATRIX = 64
"""Up to this many cells, the matrices of all lists of a batch are scored in one call; a larger matrix is a call of its own."""
_CHEAP_MATCHES = frozenset(("exact", "numeric_tolerance"))
"""Matches that cost next to nothing compared with those that read texts."""
_BY_EDITS = Match("fuzzy")
_CLEAR_LEAD = 1e-6
"""Required lead beyond what the other features can add. Well above the bias that decides ties."""


def pair_best(
    expected: ItemColumns,
    actual: ItemColumns,
    features: Sequence[Feature],
    services: Services = NO_SERVICES,
    at_least: float = 0.0,
) -> list[Pairing]:
    """For every list of the batch the pairing with the largest total similarity, equal items first.

    Assigned items that are less similar than `at_least` stay unpaired.
    """
    pairings: list[PartialPairing] = []
    small: list[ListRemainder] = []
    large: list[ListRemainder] = []
    assigning_features = grade_only_feature(features) if at_least > 0 else features
    for row in range(len(expected.start) - 1):
        pairing = pair_equal(
            expected.keys[expected.start[row] : expected.start[row + 1]], actual.keys[actual.start[row] : actual.start[row + 1]]
        )
        pairings.append(pairing)
        cells = len(pairing.unpaired_expected) * len(pairing.unpaired_actual)
        if len(pairing.unpaired_expected) == len(pairing.unpaired_actual) == 1:
            pairing.add_assigned([(0, 0)])
        elif cells > MAX_CELLS:
            _assign_long_list(expected, actual, assigning_features, (row, pairing), services)
        elif cells > SMALL_MATRIX:
            large.append((row, pairing))
        elif cells:
            small.append((row, pairing))
    if small:
        assign_remaining(small, expected, actual, assigning_features, services)
    if large:
        _assign_large(large, expected, actual, assigning_features, services)
    if at_least > 0:
        separate_unlike_items(pairings, expected, actual, features, at_least, services)
    return [pairing.complete() for pairing in pairings]


def grade_only_feature(features: Sequence[Feature]) -> Sequence[Feature]:
    """Where items have one feature and it is compared exactly, compare it by edits: any two different texts are equally far apart else."""
    if len(features) != 1 or features[0].match is None or features[0].match.name not in EXACT_MATCHES:
        return features
    return (replace(features[0], match=_BY_EDITS),)


ListRemainder = tuple[int, PartialPairing]
"""Index of a list in the batch, and its pairing so far."""


def assign_remaining(
    remainders: Sequence[ListRemainder],
    expected: ItemColumns,
    actual: ItemColumns,
    features: Sequence[Feature],
    services: Services = NO_SERVICES,
) -> None:
    """Pair the remaining items of many short lists.

    The cheap features decide alone where the others could not change the assignment; the remaining lists use all features.
    """
    cheap = [at for at, feature in enumerate(features) if feature.match is not None and feature.match.name in _CHEAP_MATCHES]
    costly = [at for at in range(len(features)) if at not in cheap]
    lead = sum(features[at].weight for at in costly) + _CLEAR_LEAD
    cheap_totals = _small_matrices(expected, actual, features, cheap, remainders, services)
    undecided: list[ListRemainder] = []
    undecided_totals: list[NDArray[np.float64]] = []
    for (row, pairing), matrix in _split_matrices(remainders, cheap_totals):
        rows, columns = len(pairing.unpaired_expected), len(pairing.unpaired_actual)
        winners = find_clear_winners(matrix.tolist(), rows, columns, lead) if rows <= columns else None
        if winners is None:
            undecided.append((row, pairing))
            undecided_totals.append(matrix)
        else:
            pairing.add_assigned(list(enumerate(winners)))
    if undecided:
        # cheap totals plus costly totals, in this order: a sum in another order could differ in the last bit and break ties differently
        totals = np.concatenate(undecided_totals) + _small_matrices(expected, actual, features, costly, undecided, services)
        for (_, pairing), matrix in _split_matrices(undecided, totals):
            pairing.add_assigned(_assign_small_matrix(matrix, len(pairing.unpaired_expected), len(pairing.unpaired_actual)))


def _split_matrices(remainders: Sequence[ListRemainder], totals: NDArray[np.float64]) -> list[tuple[ListRemainder, NDArray[np.float64]]]:
    """Each remainder with its own flat matrix, out of the matrices of all of them."""
    split: list[tuple[ListRemainder, NDArray[np.float64]]] = []
    start = 0
    for remainder in remainders:
        _, pairing = remainder
        end = start + len(pairing.unpaired_expected) * len(pairing.unpaired_actual)
        split.append((remainder, totals[start:end]))
        start = end
    return split


def find_clear_winners(flat: Sequence[float], rows: int, columns: int, lead: float) -> list[int] | None:
    """For each row of a flat matrix the column that leads all others by more than `lead`, no column twice; None if there is none.

    Then no other assignment has as large a sum, whatever up to `lead` is added to each cell.

    >>> find_clear_winners([2.0, 0.0, 0.0, 3.0], 2, 2, 1.0), find_clear_winners([2.0, 1.5, 0.0, 3.0], 2, 2, 1.0)
    ([0, 1], None)
    """
    winners: list[int] = []
    for start in range(0, rows * columns, columns):
        row = [*flat[start : start + columns], -inf]
        best = max(row)
        winner = row.index(best)
        row[winner] = -inf
        if winner in winners or best - max(row) <= lead:
            return None
        winners.append(winner)
    return winners


def _assign_small_matrix(flat: NDArray[np.float64], rows: int, columns: int) -> Sequence[tuple[int, int]]:
    """Assign by a flat matrix of finite numbers."""
    if max(rows, columns) <= EXHAUSTIVE_LIMIT:
        return assign_small(flat.tolist(), rows, columns)
    return assign_pairs(flat.reshape(rows, columns))


def _small_matrices(
    expected: ItemColumns,
    actual: ItemColumns,
    features: Sequence[Feature],
    chosen: Sequence[int],
    remainders: Sequence[ListRemainder],
    services: Services,
) -> NDArray[np.float64]:
    """The flat matrices of many short lists, one after the other, by the chosen features; each feature is scored in one call."""
    expected_rows: list[int] = []
    actual_rows: list[int] = []
    for row, pairing in remainders:
        expected_start, actual_start = expected.start[row], actual.start[row]
        right_rows = [actual_start + right for right in pairing.unpaired_actual]
        for left in pairing.unpaired_expected:
            expected_rows += [expected_start + left] * len(right_rows)
            actual_rows += right_rows
    return _pair_totals(expected, actual, features, chosen, (expected_rows, actual_rows), services)


def _pair_totals(
    expected: ItemColumns,
    actual: ItemColumns,
    features: Sequence[Feature],
    chosen: Sequence[int],
    rows: tuple[Sequence[int], Sequence[int]],
    services: Services,
) -> NDArray[np.float64]:
    """The similarity of pairs of items by the chosen features, weighted; `rows` are those of the item columns."""
    expected_rows, actual_rows = rows
    total = np.zeros(len(expected_rows), dtype=np.float64)
    for position in chosen:
        feature = features[position]
        expected_column, actual_column = expected.columns[position], actual.columns[position]
        expected_values = [*map(expected_column.__getitem__, expected_rows)]
        actual_values = [*map(actual_column.__getitem__, actual_rows)]
        if feature.match is None:
            similarities = shares_of_common_items(expected_values, actual_values, feature)
        else:
            types = expected.types[position] | actual.types[position]
            similarities = pair_similarities(feature.match, expected_values, actual_values, services, types)
        total += feature.weight * similarities
    return total


def _assign_long_list(
    expected: ItemColumns, actual: ItemColumns, features: Sequence[Feature], remainder: ListRemainder, services: Services
) -> None:
    """Pair the remaining items of a list whose matrix would be too large."""
    row, pairing = remainder
    expected_start, actual_start = expected.start[row], actual.start[row]

    def score_pairs(pairs: Pairing) -> NDArray[np.float64]:
        rows = [expected_start + left for left, _ in pairs], [actual_start + right for _, right in pairs]
        return _pair_totals(expected, actual, features, range(len(features)), rows, services)

    def score_block(expected_block: Sequence[int], actual_block: Sequence[int]) -> NDArray[np.float64]:
        rows = [expected_start + left for left in expected_block], [actual_start + right for right in actual_block]
        return _prepare_matrix(expected, actual, features, rows, services)(slice(None), slice(None))

    assign_in_parts(pairing, find_candidates(expected, actual, row, pairing), score_pairs, score_block)
    report_long_list(services)


def _assign_large(
    remainders: Sequence[ListRemainder], expected: ItemColumns, actual: ItemColumns, features: Sequence[Feature], services: Services
) -> None:
    """Pair the remaining items of longer lists, each by its own matrix; the values of all of them are read together."""
    expected_rows: list[int] = []
    actual_rows: list[int] = []
    parts: list[tuple[slice, slice]] = []
    for row, pairing in remainders:
        starts = len(expected_rows), len(actual_rows)
        expected_rows += [expected.start[row] + left for left in pairing.unpaired_expected]
        actual_rows += [actual.start[row] + right for right in pairing.unpaired_actual]
        parts.append((slice(starts[0], len(expected_rows)), slice(starts[1], len(actual_rows))))
    compute_matrix = _prepare_matrix(expected, actual, features, (expected_rows, actual_rows), services)
    for (_, pairing), part in zip(remainders, parts, strict=True):
        pairing.add_assigned(assign_pairs(compute_matrix(*part)))


def _prepare_matrix(
    expected: ItemColumns, actual: ItemColumns, features: Sequence[Feature], rows: tuple[Sequence[int], Sequence[int]], services: Services
) -> PartialGrid:
    """The function that gives the similarity matrix of any part of these rows of the item columns."""
    grids: list[tuple[float, PartialGrid]] = []
    for feature, expected_column, actual_column in zip(features, expected.columns, actual.columns, strict=True):
        values = [expected_column[row] for row in rows[0]], [actual_column[row] for row in rows[1]]
        if feature.match is None:
            grids.append((feature.weight, prepare_grid_of_common_items(*values, feature)))
        else:
            grids.append((feature.weight, prepare_similarity_grid(feature.match, *values, services)))

    def compute_matrix(expected_part: slice, actual_part: slice) -> NDArray[np.float64]:
        total: Any = 0.0
        for weight, compute_grid in grids:
            total = total + weight * compute_grid(expected_part, actual_part)
        return total

    return compute_matrix
