"""Cohen's kappa and its interval."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.statistics import cohen_kappa


def test_a_textbook_table_gives_its_kappa() -> None:
    found = cohen_kappa(np.array([[20, 5], [10, 15]]))  # Cohen's example: 0.7 observed, 0.5 by chance
    assert found.agreement == 0.7
    assert found.kappa == pytest.approx(0.4)


def test_full_agreement_is_one_and_few_cases_leave_it_open() -> None:
    few, many = cohen_kappa(np.diag([5, 5])), cohen_kappa(np.diag([500, 500]))
    assert few.kappa == many.kappa == 1.0
    assert few.kappa_interval is not None
    assert many.kappa_interval is not None
    assert few.kappa_interval[0] < 0.6
    assert many.kappa_interval[0] > 0.98


def test_one_label_for_everything_cannot_be_told_from_chance() -> None:
    found = cohen_kappa(np.array([[7]]))
    assert (found.agreement, found.kappa, found.kappa_interval) == (1.0, None, None)
    assert cohen_kappa(np.zeros((2, 2), dtype=np.int64)).kappa is None


def test_the_interval_holds_the_true_value_as_often_as_it_says() -> None:
    chance = np.random.default_rng(1)
    shares = np.array([0.72, 0.08, 0.03, 0.17])
    true = cohen_kappa((shares * 100).astype(np.int64).reshape(2, 2)).kappa
    assert true is not None
    held = 0
    for table in chance.multinomial(40, shares, size=500).reshape(-1, 2, 2):
        low, high = cohen_kappa(table).kappa_interval or (-1.0, 1.0)
        held += low <= true <= high
    assert held / 500 > 0.93


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 9), min_size=9, max_size=9))
def test_kappa_stays_between_its_bounds_and_does_not_care_who_is_who(counts: list[int]) -> None:
    table = np.array(counts).reshape(3, 3)
    found, other = cohen_kappa(table), cohen_kappa(table.T)
    assert found.kappa == pytest.approx(other.kappa)
    if found.kappa is not None and found.kappa_interval is not None:
        low, high = found.kappa_interval
        assert -1.0 <= low <= found.kappa <= high <= 1.0
