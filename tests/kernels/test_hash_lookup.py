"""Hash tables over arrays: what dicts say, also where every key falls into one slot."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldwise.kernels import hash_lookup
from fieldwise.kernels.hash_lookup import HashTable, IntegerIds, find_first_positions, find_first_positions_among

keys = st.lists(st.one_of(st.integers(0, 6), st.integers(0, 2**62)), max_size=30)
law = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=["spread", "all in few slots"])
def slots(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashing as it is, and so badly that nearly all keys meet."""
    if request.param != "spread":
        monkeypatch.setattr(hash_lookup, "_FACTORS", (np.uint64(1), np.uint64(1), np.uint64(1)))


def array(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)


@pytest.mark.usefixtures("slots")
@law
@given(keys, keys)
def test_the_first_of_equal_keys_is_found_and_whether_others_have_it(searched: list[int], candidates: list[int]) -> None:
    first, present = find_first_positions_among(array(searched), array(candidates))
    assert first.tolist() == find_first_positions(array(searched)).tolist() == [searched.index(key) for key in searched]
    assert present.tolist() == [key in candidates for key in searched]


@pytest.mark.usefixtures("slots")
@law
@given(st.lists(keys, max_size=4))
def test_integers_are_numbered_as_they_are_met(batches: list[list[int]]) -> None:
    ids, expected = IntegerIds(), dict[int, int]()
    for batch in batches:
        assert ids.find_ids(array(batch)).tolist() == [expected.get(key, 0) for key in batch]
        for key in batch:
            expected.setdefault(key, len(expected) + 1)
        assert ids.assign_ids(array(batch)).tolist() == [expected[key] for key in batch]
    assert ids.keys_in_order == list(expected)


@pytest.mark.usefixtures("slots")
@law
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), unique=True, max_size=12), st.data())
def test_keys_of_two_words_differ_if_either_does(pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    table = HashTable(2)
    cut = data.draw(st.integers(0, len(pairs)))
    for start, part in ((1, pairs[:cut]), (1 + cut, pairs[cut:])):
        table.add(np.array(part, dtype=np.uint64).reshape(-1, 2), np.arange(start, start + len(part)))
    every = [(first, second) for first in range(4) for second in range(4)]
    numbers = table.find(np.array(every, dtype=np.uint64))
    assert numbers.tolist() == [pairs.index(pair) + 1 if pair in pairs else 0 for pair in every]


def test_a_table_grows() -> None:
    ids = IntegerIds()
    for start in range(0, 5_000, 700):
        ids.assign_ids(np.arange(start, start + 700) * 7)
    assert ids.find_ids(np.array([0, 7, 34_993, 5])).tolist() == [1, 2, 5_000, 0]
