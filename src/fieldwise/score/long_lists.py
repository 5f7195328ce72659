"""Assignment of lists that are too long for one similarity matrix: equal values first, then in blocks.

Time and memory grow with the length of the list, not with its square. The pairing may be less than optimal, so it is reported.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.assignment import assign_pairs
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.services import Services
from fieldwise.score.item_features import ItemColumns
from fieldwise.score.list_pairing import Pairing, PartialPairing

MAX_CELLS: Final = 1_000_000
"""Cells of the largest similarity matrix, such as 1,000 × 1,000 items: 0.2 s and 8 MB."""
_MAX_SHARED_PAIRS: Final = 64
"""A value that makes more pairs than this says too little about them."""

ScorePairs = Callable[[Pairing], NDArray[np.float64]]
"""The similarity of some pairs of positions."""
ScoreBlock = Callable[[Sequence[int], Sequence[int]], NDArray[np.float64]]
"""The similarity of every expected with every actual position."""


def assign_in_parts(pairing: PartialPairing, candidates: Pairing, score_pairs: ScorePairs, score_block: ScoreBlock) -> None:
    """Pair the candidates, the most similar first; then the others, block by block in their order. All positions are those of the list."""
    pairing.add_pairs(_choose_greedily(candidates, score_pairs(candidates)))
    while pairing.unpaired_expected and pairing.unpaired_actual:
        for expected_block, actual_block in _split_in_blocks(pairing.unpaired_expected, pairing.unpaired_actual):
            assigned = assign_pairs(score_block(expected_block, actual_block))
            pairing.add_pairs([(expected_block[left], actual_block[right]) for left, right in assigned])


def find_candidates(expected: ItemColumns, actual: ItemColumns, row: int, pairing: PartialPairing) -> Pairing:
    """The unpaired positions of one list that agree in a feature with few others."""
    expected_start, actual_start = int(expected.start[row]), int(actual.start[row])
    candidates: set[tuple[int, int]] = set()
    for expected_keys, actual_keys in zip(expected.key_columns, actual.key_columns, strict=True):
        expected_positions = _positions_of_keys(expected_keys, expected_start, pairing.unpaired_expected)
        actual_positions = _positions_of_keys(actual_keys, actual_start, pairing.unpaired_actual)
        for key, left_positions in expected_positions.items():
            right_positions = actual_positions.get(key, ())
            if len(left_positions) * len(right_positions) <= _MAX_SHARED_PAIRS:
                candidates.update((left, right) for left in left_positions for right in right_positions)
    return sorted(candidates)


def _positions_of_keys(keys: Sequence[Any], start: int, positions: Sequence[int]) -> dict[Any, list[int]]:
    positions_of_key: defaultdict[Any, list[int]] = defaultdict(list)
    for position in positions:
        positions_of_key[keys[start + position]].append(position)
    return positions_of_key


def _choose_greedily(candidates: Pairing, similarities: NDArray[np.float64]) -> Pairing:
    """The most similar pairs, no position twice; of equally similar ones those nearest the diagonal."""
    if not candidates:
        return []
    left, right = np.array(candidates, dtype=np.int64).T
    chosen: Pairing = []
    taken_left: set[int] = set()
    taken_right: set[int] = set()
    for position in np.lexsort((right, left, np.abs(left - right), -similarities)).tolist():
        pair = candidates[position]
        if pair[0] not in taken_left and pair[1] not in taken_right:
            chosen.append(pair)
            taken_left.add(pair[0])
            taken_right.add(pair[1])
    return chosen


def _split_in_blocks(expected: Sequence[int], actual: Sequence[int]) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """Both lists in as many consecutive parts, each pair of parts with at most `MAX_CELLS` cells."""
    count = 1
    while -(-len(expected) // count) * -(-len(actual) // count) > MAX_CELLS:
        count += 1
    for block in range(count):
        expected_block = expected[len(expected) * block // count : len(expected) * (block + 1) // count]
        actual_block = actual[len(actual) * block // count : len(actual) * (block + 1) // count]
        if expected_block and actual_block:
            yield expected_block, actual_block


def report_long_list(services: Services) -> None:
    """Say once that lists were not assigned as a whole."""
    what = (
        f"a list has more than {MAX_CELLS:,} pairs of items that differ; its items were paired by equal values, the others in blocks in "
        "their order, so a better pairing may exist"
    )
    fix = "pair them by a key: `lists: {items: {align: key, key: sku}}`"
    services.report(Diagnostic(code="long-list", level="warning", what=what, fix=fix))
