"""Precision and recall, Wilson intervals, label agreement, and the bootstrap by case."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fieldwise.kernels.statistics import (
    REPLICATES,
    GroupDesign,
    Replicates,
    cohen_kappa,
    degrees_of_freedom,
    draw_poisson_weights,
    estimate_interval,
    hash_texts,
    precision_recall_f1,
    wilson_interval,
)


def keys(n):
    return hash_texts([f"case-{number}" for number in range(n)])


@pytest.mark.parametrize(("successes", "n"), [(0, 5), (5, 5), (9, 10), (1, 3), (500, 1000)])
def test_wilson_agrees_with_scipy(successes, n):
    peer = stats.binomtest(successes, n).proportion_ci(method="wilson")
    assert wilson_interval(successes, n) == pytest.approx((peer.low, peer.high), abs=1e-12)


def test_wilson_holds_its_share_and_knows_nothing_of_nothing():
    assert wilson_interval(10, 10)[1] == 1.0
    assert wilson_interval(0, 10)[0] == 0.0
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_weights_have_mean_and_variance_one():
    weights = draw_poisson_weights(keys(4000))
    assert weights.shape == (4000, REPLICATES)
    assert weights.mean() == pytest.approx(1, abs=0.005)
    assert weights.var() == pytest.approx(1, abs=0.01)


def test_weights_of_cases_and_of_replicates_are_unrelated():
    weights = draw_poisson_weights(keys(3000))
    between_replicates = np.corrcoef(weights.T)[~np.eye(REPLICATES, dtype=bool)]
    assert abs(between_replicates).max() < 0.12
    assert abs(np.corrcoef(weights[:-1].ravel(), weights[1:].ravel())[0, 1]) < 0.01


def test_a_weight_depends_on_the_case_and_the_seed_alone():
    weights = draw_poisson_weights(keys(10))
    assert (draw_poisson_weights(keys(10)[::-1])[::-1] == weights).all()
    assert (draw_poisson_weights(keys(10), seed=1) != weights).any()


def test_the_interval_of_a_mean_agrees_with_scipy():
    values = np.random.default_rng(3).beta(4, 1, size=800)
    replicates = Replicates()
    replicates.add(draw_poisson_weights(keys(800)), {"score": values})
    variance = replicates.mean_variance("score", values.mean(), 800, 800)
    assert variance == pytest.approx(values.var(ddof=1) / 800, rel=0.2)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1.0, 37.0, 1e5, 1e12, 1e100])
def test_the_spread_grows_with_its_unit(scale):
    values = np.random.default_rng(3).random(500)
    replicates = Replicates()
    replicates.add(draw_poisson_weights(keys(500)), {"unscaled": values, "scaled": values * scale})
    unscaled = replicates.mean_variance("unscaled", values.mean(), 500, 500)
    scaled = replicates.mean_variance("scaled", values.mean() * scale, 500, 500)
    assert scaled**0.5 == pytest.approx(unscaled**0.5 * scale, rel=1e-5)


def test_the_variance_over_replicates_is_that_of_the_mean_on_average():
    values = np.random.default_rng(4).beta(8, 2, 40)
    variances = []
    for seed in range(60):
        replicates = Replicates()
        replicates.add(draw_poisson_weights(keys(40), seed), {"a": values})
        variances.append(replicates.mean_variance("a", values.mean(), 40, 40))
    assert np.mean(variances) == pytest.approx(values.var(ddof=1) / 40, rel=0.05)


def test_ten_perfect_cases_have_wilsons_interval_and_one_at_98_percent_is_no_paradox():
    perfect = estimate_interval(1.0, 0.0, 10)
    assert perfect == pytest.approx((0.722, 1.0), abs=0.001)
    values = np.array([1.0] * 9 + [0.98])
    low, high = estimate_interval(float(values.mean()), float(values.var(ddof=1)) / 10, 10)
    assert 0.85 < low < 0.95
    assert values.mean() < high < 1


def test_equal_values_other_than_0_and_1_and_few_cases_have_no_interval():
    assert estimate_interval(0.5, 0.0, 20) is None
    assert estimate_interval(0.5, 0.01, 4) is None
    assert estimate_interval(1.0, 0.0, 4) is None


def test_degrees_of_freedom_are_those_of_the_groups_that_decide_the_variance():
    """Two failing groups of a hundred decide it, whatever their number; so does one group that holds most cases."""
    failing = np.r_[np.ones(98), 0, 0]
    assert degrees_of_freedom(failing, np.ones(100), 0.98) == pytest.approx(4, abs=0.3)
    normal = np.random.default_rng(0).normal(0.5, 0.1, 2000)
    assert degrees_of_freedom(normal, np.ones(2000), normal.mean()) == pytest.approx(2000, rel=0.1)
    sizes = np.r_[500.0, np.ones(20)]
    assert degrees_of_freedom(0.5 * sizes + np.tile([0.1, -0.1, 0.0], 7), sizes, 0.5) == 1
    assert degrees_of_freedom(np.ones(10), np.ones(10), 1.0) == 1  # no residuals at all


def test_few_deciding_groups_widen_the_interval():
    usual = estimate_interval(0.98, 0.0004, 100, GroupDesign(500, 99))
    few = estimate_interval(0.98, 0.0004, 100, GroupDesign(500, 4))
    assert few[1] - few[0] > 1.3 * (usual[1] - usual[0])
    low, high = estimate_interval(40.0, 4.0, 100, GroupDesign(500, 4), is_share=False)
    assert (low, high) == pytest.approx((40 - 2 * stats.t.ppf(0.975, 4), 40 + 2 * stats.t.ppf(0.975, 4)))


def _draw_documents(rng, documents, sizes, share):
    """Sums and sizes of documents of which each case has the value of its document with a probability of 0.6, else its own."""
    size = rng.choice(sizes, documents)
    is_shared = rng.binomial(size, 0.6)
    shared = (rng.random(documents) < share) * is_shared
    return (shared + rng.binomial(size - is_shared, share)).astype(float), size.astype(float)


@pytest.mark.parametrize(
    ("documents", "sizes", "share"),
    [(100, range(1, 10), 0.98), (30, range(1, 10), 0.9), (30, [*range(1, 12)] * 3 + [50], 0.95), (60, [1, 6], 0.04)],
)
def test_intervals_over_groups_of_which_few_fail_hold_the_true_share(documents, sizes, share):
    """At least 0.93, less two standard errors of 1,000 datasets. With one degree of freedom less than groups, it is 0.83 to 0.91."""
    rng = np.random.default_rng(documents)
    covered = 0
    for _ in range(1000):
        sums, size = _draw_documents(rng, documents, list(sizes), share)
        value = float(sums.sum() / size.sum())
        residuals = (sums - value * size) / size.sum()
        variance = float((residuals**2).sum()) * documents / (documents - 1)
        design = GroupDesign(int(size.sum()), degrees_of_freedom(sums, size, value))
        low, high = estimate_interval(value, variance, documents, design)
        covered += low <= share <= high
    assert covered / 1000 >= 0.93 - 2 * 0.008


def test_values_outside_0_and_1_have_the_t_interval():
    values = np.random.default_rng(5).normal(40, 9, 25)
    peer = stats.ttest_1samp(values, 0).confidence_interval()
    interval = estimate_interval(float(values.mean()), float(values.var(ddof=1)) / 25, 25, is_share=False)
    assert interval == pytest.approx((peer.low, peer.high))


@settings(deadline=None, max_examples=200)
@given(st.lists(st.floats(0, 1), min_size=5, max_size=60))
def test_an_interval_holds_its_value_and_stays_within_0_and_1(values):
    sample = np.array(values)
    value = float(np.clip(sample.mean(), 0, 1))
    interval = estimate_interval(value, float(sample.var(ddof=1)) / len(sample), len(sample))
    if interval is not None:
        assert 0 <= interval[0] <= value <= interval[1] <= 1
        assert interval[0] < interval[1]


numbers = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, float("nan"), 3.0, 5000.5, 1e-7, 1e9, -2.5]))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=40), st.integers(1, 40))
def test_replicates_of_parts_add_up_to_those_of_the_whole(rows, size):
    values = np.array(rows)
    groups = keys(len(rows)) % 7
    weights = draw_poisson_weights(groups)
    whole = Replicates()
    whole.add(weights, {"a": values[:, 0], "b": values[:, 1]}, groups)
    merged = Replicates()
    for start in reversed(range(0, len(rows), size)):
        part = Replicates()
        rows_of_part = slice(start, start + size)
        part.add(weights[rows_of_part], {"b": values[rows_of_part, 1], "a": values[rows_of_part, 0]}, groups[rows_of_part])
        merged.merge(part)
    for name in "ab":
        assert merged.column_sums(name).tobytes() == whole.column_sums(name).tobytes()
        assert merged.bucket_sums(name).tobytes() == whole.bucket_sums(name).tobytes()
        assert merged.bucket_counts(name).tolist() == whole.bucket_counts(name).tolist()
        assert merged.mean_variance(name, 0.5, len(rows), len(rows)) == whole.mean_variance(name, 0.5, len(rows), len(rows))


def test_a_column_that_is_not_finite_or_not_there_has_no_interval():
    replicates = Replicates()
    replicates.add(draw_poisson_weights(keys(3)), {"distance": np.array([1.0, np.inf, 2.0]), "none": np.full(3, np.nan)})
    assert replicates.mean_variance("distance", 1.0, 3, 3) is None
    assert replicates.mean_variance("none", 1.0, 0, 0) is None
    assert replicates.mean_variance("other", 1.0, 3, 3) is None


def test_cases_that_were_not_measured_do_not_count():
    values = np.random.default_rng(0).random(400)
    values[::2] = np.nan
    weights = draw_poisson_weights(keys(400))
    both, half = Replicates(), Replicates()
    both.add(weights, {"a": values})
    half.add(weights[1::2], {"a": values[1::2]})
    assert both.mean_variance("a", 0.5, 200, 200) == half.mean_variance("a", 0.5, 200, 200)


def test_zero_denominators_are_zero():
    """Metric guide: TP + FP = 0, TP + FN = 0 and precision + recall = 0 each give 0."""
    assert [float(x) for x in precision_recall_f1(0, 0, 0)] == [0.0, 0.0, 0.0]
    assert [float(x) for x in precision_recall_f1(0, 0, 7)] == [0.0, 0.0, 0.0]
    assert precision_recall_f1([2, 0], [0, 1], [2, 0])[1].tolist() == [0.5, 0.0]


def test_a_textbook_table_gives_its_kappa() -> None:
    labels = cohen_kappa(np.array([[20, 5], [10, 15]]))  # Cohen's example: 0.7 observed, 0.5 by chance
    assert labels.agreement == 0.7
    assert labels.kappa == pytest.approx(0.4)


def test_full_agreement_is_one_and_few_cases_leave_it_open() -> None:
    few, many = cohen_kappa(np.diag([5, 5])), cohen_kappa(np.diag([500, 500]))
    assert few.kappa == many.kappa == 1.0
    assert few.kappa_interval is not None
    assert many.kappa_interval is not None
    assert few.kappa_interval[0] < 0.6
    assert many.kappa_interval[0] > 0.98


def test_one_label_for_everything_cannot_be_told_from_chance() -> None:
    labels = cohen_kappa(np.array([[7]]))
    assert (labels.agreement, labels.kappa, labels.kappa_interval) == (1.0, None, None)
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
    labels, transposed = cohen_kappa(table), cohen_kappa(table.T)
    assert labels.kappa == pytest.approx(transposed.kappa)
    if labels.kappa is not None and labels.kappa_interval is not None:
        low, high = labels.kappa_interval
        assert -1.0 <= low <= labels.kappa <= high <= 1.0


def test_without_labels_the_agreement_is_0_and_its_interval_says_nothing():
    from fieldwise.kernels.statistics import cohen_kappa

    empty = cohen_kappa(np.zeros((2, 2), dtype=np.int64))
    assert (empty.n, empty.agreement, empty.agreement_interval) == (0, 0.0, (0.0, 1.0))
    assert (empty.kappa, empty.kappa_interval) == (None, None)
