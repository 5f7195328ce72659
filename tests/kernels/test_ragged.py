"""Arrays that grow with codes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.ragged import AppendArray, GrowingArray, LazyLookup, RaggedLists, expand_ranges, list_offsets

law = settings(max_examples=80, deadline=None)
integers = st.integers(0, 1000)


@law
@given(st.lists(st.lists(integers, max_size=300), max_size=4))
def test_a_growing_array_holds_all_blocks_in_order(blocks: list[list[int]]) -> None:
    array, appended = GrowingArray(), AppendArray()
    for block in blocks:
        array.extend(block)
        for value in block:
            appended.add(value)
    assert array.value.tolist() == appended.value.tolist() == [value for block in blocks for value in block]


@law
@given(st.lists(st.lists(integers, max_size=4), min_size=1, max_size=8), st.data())
def test_lists_are_concatenated_in_the_order_of_the_codes(lists: list[list[int]], data: st.DataObject) -> None:
    ragged = RaggedLists()
    flat = [value for values in lists for value in values]
    ragged.extend(np.array(flat, dtype=np.int64), np.array([len(values) for values in lists], dtype=np.int64))
    codes = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=10))
    for chosen in (codes, range(len(lists))):  # any order, and the fast path for consecutive codes
        array = np.array(chosen, dtype=np.int64)
        assert ragged.concatenate(array).tolist() == [value for code in chosen for value in lists[code]]
        assert ragged.lengths(array).tolist() == [len(lists[code]) for code in chosen]


def test_each_code_is_computed_once() -> None:
    computed: list[int] = []

    def square(codes: list[int]) -> list[int]:
        computed.extend(codes)
        return [code * code for code in codes]

    lookup = LazyLookup(square)  # type: ignore[arg-type]
    assert lookup.look_up(np.array([3, 900, 3])).tolist() == [9, 810_000, 9]
    assert lookup.look_up(np.array([900, 4, 3])).tolist() == [810_000, 16, 9]
    assert computed == [3, 900, 4]


@law
@given(st.lists(st.tuples(integers, st.integers(0, 5)), max_size=10))
def test_ranges_and_offsets_follow_the_lengths(ranges: list[tuple[int, int]]) -> None:
    starts, lengths = np.array(ranges, dtype=np.int64).reshape(-1, 2).T
    assert expand_ranges(starts, lengths).tolist() == [start + step for start, length in ranges for step in range(length)]
    assert np.diff(list_offsets(lengths)).tolist() == lengths.tolist()
