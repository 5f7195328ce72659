"""Clear counterparts: list items that every optimal assignment pairs, found without a matrix for each list.

Few items share a value of a selective field, such as a number or a code. Only those pairs are scored, for all lists of a batch together.
All other pairs can be no more similar than the remaining features allow. A pair that leads beyond that is decided.
"""

from collections.abc import Iterable, Sequence
from itertools import repeat
from math import isfinite, nan
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.assignment import CLEAR_LEAD
from fieldwise.kernels.ragged import Integers, expand_ranges
from fieldwise.kernels.tolerance import bound_close_numbers
from fieldwise.kernels.values import to_nfc
from fieldwise.model.rule import Match
from fieldwise.model.values import MISSING, Missing
from fieldwise.score.columns import ValueColumn
from fieldwise.score.item_features import ItemBatch, total_similarities

_MAX_CANDIDATES: Final = 8
"""A feature that makes more pairs than this for each item says too little about them."""
_MAX_DENSE_CELLS: Final = 10_000
_MAX_DENSE_LISTS: Final = 4
"""A few small matrices take less time than a search."""
_SCALARS: Final = frozenset((str, int, float, bool, type(None), Missing))
_NUMBERS: Final = frozenset((int, float))
_TEXT_OR_NULL: Final = frozenset((str, type(None)))
_SEARCHABLE: Final = frozenset(("exact", "numeric_tolerance"))


@dataclass(frozen=True, slots=True)
class UnpairedItems:
    """Unpaired items of both sides, as rows of the item columns in ascending order."""

    expected_rows: Integers
    expected_lists: Integers
    """The index of the list of each item."""
    expected_counts: Integers
    """The number of unpaired items of each list."""
    actual_rows: Integers
    actual_lists: Integers
    actual_counts: Integers

    @classmethod
    def of(cls, items: ItemBatch, counterparts: Integers) -> "UnpairedItems":
        """The items without a counterpart."""
        is_paired = np.zeros(len(items.actual.list_of), dtype=np.bool_)
        is_paired[counterparts[counterparts >= 0]] = True
        return cls.of_rows(items, np.flatnonzero(counterparts < 0), np.flatnonzero(~is_paired))

    @classmethod
    def of_rows(cls, items: ItemBatch, expected_rows: Integers, actual_rows: Integers) -> "UnpairedItems":
        """The items in these rows."""
        expected_lists, actual_lists = items.expected.list_of[expected_rows], items.actual.list_of[actual_rows]
        count = len(items.expected.start) - 1
        counts = np.bincount(expected_lists, minlength=count), np.bincount(actual_lists, minlength=count)
        return cls(expected_rows, expected_lists, counts[0], actual_rows, actual_lists, counts[1])

    def count_cells(self) -> Integers:
        """The size of the similarity matrix of each list."""
        return self.expected_counts * self.actual_counts

    def of_lists(self, chosen: NDArray[np.bool_]) -> "UnpairedItems":
        """The items of some of the lists."""
        of_expected, of_actual = chosen[self.expected_lists], chosen[self.actual_lists]
        return UnpairedItems(
            self.expected_rows[of_expected],
            self.expected_lists[of_expected],
            self.expected_counts * chosen,
            self.actual_rows[of_actual],
            self.actual_lists[of_actual],
            self.actual_counts * chosen,
        )


@dataclass(frozen=True, slots=True)
class _Slots:
    """Values of one feature as integers: an expected value can match only actual values from `first` up to before `last`."""

    first: Integers
    last: Integers
    actual: Integers
    count: int
    are_keys: bool
    """True if values match exactly where the slots are equal."""


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Pairs that agree in a selective feature. Pairs are cells of the matrix of all expected with all actual unpaired items."""

    cells: Integers
    """In ascending order."""
    totals: NDArray[np.float64]
    open_weight: float
    """The weight of the features that are not selective: all other pairs are at most this similar, plus `shared_weight`."""
    shared_weight: NDArray[np.float64]
    """For each list the weight of the features in which all its pairs agree."""


def find_clear_pairs(items: ItemBatch, unpaired: UnpairedItems) -> tuple[Integers, Integers]:
    """The rows of expected items and of their counterparts, where every assignment with the largest sum has that pair.

    Similarities are between 0 and 1. A cell (i, j) of the matrix of a list is in every optimal assignment if it exceeds the next in its row
    and the next in its column together, all less the smallest value in the matrix: see `assign_clearly`, which needs the whole matrix.
    """
    none = np.empty(0, dtype=np.int64)
    list_cells = unpaired.count_cells()
    if list_cells.sum() <= _MAX_DENSE_CELLS and np.count_nonzero(list_cells) <= _MAX_DENSE_LISTS:
        return none, none
    candidates = _find_candidates(items, unpaired)
    if candidates is None:
        return none, none
    left, right = np.divmod(candidates.cells, len(unpaired.actual_rows))
    shared_weight = candidates.shared_weight[unpaired.expected_lists[left]]
    totals = candidates.totals + shared_weight
    limit = candidates.open_weight + shared_weight  # of all other pairs
    next_in_row, next_in_column = np.maximum(_find_next(left, totals), limit), np.maximum(_find_next(right, totals), limit)
    clear = totals + shared_weight - next_in_row - next_in_column > CLEAR_LEAD
    return unpaired.expected_rows[left[clear]], unpaired.actual_rows[right[clear]]


def _find_candidates(items: ItemBatch, unpaired: UnpairedItems) -> _Candidates | None:
    """The candidates with their similarities; None if too few features are selective for any pair to be clear."""
    weights = [feature.weight for feature in items.features]
    open_features = [position for position in range(len(weights)) if not _is_searchable(items, position)]
    cells_of_feature: dict[int, Integers] = {}
    shared_weight = np.zeros(len(unpaired.expected_counts))
    for position in range(len(weights)):
        if 2 * sum(weights[at] for at in open_features) >= sum(weights):
            return None  # no pair can be twice as similar as those that are no candidates
        if position in open_features:
            continue
        cells, is_shared = _find_cells(_code_values(items, position, unpaired), unpaired)
        if cells is None:
            open_features.append(position)
        else:
            cells_of_feature[position] = cells
            shared_weight[is_shared] += weights[position]
    cells = np.unique(np.concatenate([*cells_of_feature.values()]))
    totals = _total_similarities(items, unpaired, open_features, cells)
    for position, feature_cells in cells_of_feature.items():
        match = items.features[position].match
        if match is not None and match.name == "exact":
            totals[np.searchsorted(cells, feature_cells)] += weights[position]
        else:
            totals[np.searchsorted(cells, feature_cells)] += _total_similarities(items, unpaired, [position], feature_cells)
    return _Candidates(cells, totals, sum(weights[at] for at in open_features), shared_weight)


def _is_searchable(items: ItemBatch, position: int) -> bool:
    """True for a match that is 0 except for values with equal keys or near numbers, which sorting finds."""
    match = items.features[position].match
    if match is None or match.name not in _SEARCHABLE or getattr(match.options, "parse", False):
        return False
    return items.expected.types[position] | items.actual.types[position] <= _SCALARS


def _total_similarities(items: ItemBatch, unpaired: UnpairedItems, chosen: Sequence[int], cells: Integers) -> NDArray[np.float64]:
    left, right = np.divmod(cells, len(unpaired.actual_rows))
    return total_similarities(items, chosen, (unpaired.expected_rows[left].tolist(), unpaired.actual_rows[right].tolist()))


def _find_cells(slots: _Slots | None, unpaired: UnpairedItems) -> tuple[Integers | None, NDArray[np.bool_]]:
    """The pairs that may match in a feature, and the lists in which all pairs match, which are left out; None if there are too many."""
    is_shared = np.zeros(len(unpaired.expected_counts), dtype=np.bool_)
    if slots is None:
        return None, is_shared
    order, first, counts = _join_slots(slots, unpaired)
    if slots.are_keys:
        is_shared = np.bincount(unpaired.expected_lists, weights=counts, minlength=len(is_shared)) == unpaired.count_cells()
        counts[is_shared[unpaired.expected_lists]] = 0
    if counts.sum() > _MAX_CANDIDATES * len(counts):
        return None, is_shared
    left = np.repeat(np.arange(len(counts)), counts)
    return left * len(unpaired.actual_rows) + order[expand_ranges(first, counts)], is_shared


def _join_slots(slots: _Slots, unpaired: UnpairedItems) -> tuple[Integers, Integers, Integers]:
    """An order of the actual items, and for each expected item the first in it that it may match and the number of them."""
    width = slots.count + 2
    actual_places = unpaired.actual_lists * width + slots.actual
    order = np.argsort(actual_places, kind="stable")
    sorted_places = actual_places[order]
    list_places = unpaired.expected_lists * width
    first = np.searchsorted(sorted_places, list_places + slots.first)
    last = np.searchsorted(sorted_places, list_places + slots.last)
    return order, first, last - first


def _code_values(items: ItemBatch, position: int, unpaired: UnpairedItems) -> _Slots | None:
    """The values of a feature as slots; None if it has values that match nothing, not even themselves."""
    expected, actual, match = items.expected, items.actual, items.features[position].match
    types = expected.types[position] | actual.types[position]
    expected_keys = _comparable_keys(expected.key_columns[position], unpaired.expected_rows, types)
    actual_keys = _comparable_keys(actual.key_columns[position], unpaired.actual_rows, types)
    if match is not None and match.name == "numeric_tolerance":
        return _code_numbers(expected_keys, actual_keys, match)
    if float in types and not isfinite(sum(key for key in (*expected_keys, *actual_keys) if key.__class__ is float)):
        return None  # NaN or Infinity
    return _code_keys(expected_keys, actual_keys)


def _comparable_keys(keys: ValueColumn, rows: Integers, types: set[type]) -> ValueColumn:
    """Keys that are equal for values that match exactly: null is absent, and text is composed."""
    chosen = [*map(keys.__getitem__, rows.tolist())]
    if Missing in types:
        chosen = [None if key is MISSING else key for key in chosen]
    if str not in types:
        return chosen
    texts: Iterable[Any] = filter(None, chosen) if types <= _TEXT_OR_NULL else [key for key in chosen if key.__class__ is str]
    if not "".join(texts).isascii():
        chosen = [to_nfc(key) if key.__class__ is str else key for key in chosen]
    return chosen


def _code_keys(expected: ValueColumn, actual: ValueColumn) -> _Slots:
    """One slot for each distinct actual key."""
    slot_of_key = dict(zip(actual, range(len(actual)), strict=True))
    first = np.fromiter(map(slot_of_key.get, expected, repeat(-1)), np.int64, len(expected))
    return _Slots(first, first + 1, np.fromiter(map(slot_of_key.__getitem__, actual), np.int64, len(actual)), len(actual), are_keys=True)


def _code_numbers(expected: ValueColumn, actual: ValueColumn, match: Match) -> _Slots | None:
    """Slots of the actual numbers in ascending order, then one for each other key; None for integers beyond all floats."""
    try:
        expected_numbers, actual_numbers = _numbers_or_nan(expected), _numbers_or_nan(actual)
    except OverflowError:
        return None
    ordered = np.sort(actual_numbers)  # NaN comes last
    low, high = _bound_matches(expected_numbers, match.options)
    first, last, actual_slots = (
        np.searchsorted(ordered, low),
        np.searchsorted(ordered, high, "right"),
        np.searchsorted(ordered, actual_numbers),
    )
    expected_others, actual_others = np.flatnonzero(np.isnan(expected_numbers)), np.flatnonzero(np.isnan(actual_numbers))
    slots = _code_keys([expected[at] for at in expected_others.tolist()], [actual[at] for at in actual_others.tolist()])
    first[expected_others], last[expected_others] = slots.first + len(actual), slots.last + len(actual)
    actual_slots[actual_others] = slots.actual + len(actual)
    return _Slots(first, last, actual_slots, 2 * len(actual), are_keys=False)


def _numbers_or_nan(keys: ValueColumn) -> NDArray[np.float64]:
    return np.array([key if key.__class__ in _NUMBERS else nan for key in keys], dtype=np.float64)


def _bound_matches(numbers: NDArray[np.float64], options: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds of the numbers that match each number under the options of `numeric_tolerance`."""
    low, high = bound_close_numbers(numbers, getattr(options, "tolerance", 0.0), getattr(options, "relative", False))
    share = getattr(options, "relative_tolerance", None)
    if share is None:
        return low, high
    share_low, share_high = bound_close_numbers(numbers, share, relative=True)
    return np.minimum(low, share_low), np.maximum(high, share_high)


def _find_next(groups: Integers, totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """For the pair with the largest total of each group the next total, 0 if there is none; infinite for all other pairs."""
    order = np.lexsort((-totals, groups))
    sorted_groups, sorted_totals = groups[order], totals[order]
    continues = sorted_groups[1:] == sorted_groups[:-1]
    next_totals = np.append(np.where(continues, sorted_totals[1:], 0.0), 0.0)
    next_totals[1:][continues] = np.inf
    result = np.empty(len(order))
    result[order] = next_totals
    return result
