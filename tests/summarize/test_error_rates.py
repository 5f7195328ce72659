"""Short simulations: intervals hold the true value, and a system compared with itself rarely shows a difference.

`make simulate` runs the long form; its tables are in docs/statistics.md.
"""

import importlib.util
from pathlib import Path

import pytest

_FILE = Path(__file__).parents[2] / "benchmarks" / "simulate.py"
_SPEC = importlib.util.spec_from_file_location("statistics_benchmark", _FILE)
assert _SPEC is not None
assert _SPEC.loader is not None
simulation = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(simulation)


def test_intervals_hold_the_true_value() -> None:
    """Four standard errors of 150 datasets below 0.93."""
    coverage = simulation.simulate_coverage(10, 150)
    assert {name: round(covered, 3) for name, (covered, _) in coverage.items() if covered < 0.93 - 4 * 0.021} == {}
    too_wide = {name for name, (_, width) in coverage.items() if width > 1.5 and "ones" not in name and "share" not in name}
    assert too_wide == set()


@pytest.mark.parametrize("with_documents", [False, True])
def test_a_system_compared_with_itself_rarely_shows_a_difference(with_documents: bool) -> None:
    """At most 5 %, plus four standard errors of 150 pairs."""
    rates = simulation.simulate_comparisons(40, 150, with_documents=with_documents, field_counts=(1, 8))
    assert {fields: rate for fields, rate in rates.items() if max(rate) > 0.05 + 4 * 0.018} == {}


def test_the_many_metrics_of_field_prf_raise_no_more_alarms_than_one() -> None:
    assert simulation.simulate_prf_comparisons(30, 150) <= 0.05 + 4 * 0.018


def test_two_stored_runs_of_a_system_rarely_show_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 5 %, plus four standard errors of 60 pairs."""
    monkeypatch.setattr(simulation, "POOL", 200)
    runs = simulation.store_two_runs(with_documents=True)
    assert len(runs[0]["field_prf_20"].metrics) > 10
    any_metric, any_field = simulation.simulate_stored(runs, 20, 5, 60, with_documents=True)
    assert max(any_metric, any_field) <= 0.05 + 4 * 0.028


@pytest.mark.parametrize("with_documents", [False, True])
def test_intervals_of_differences_hold_the_true_one(with_documents: bool) -> None:
    """Four standard errors of 150 datasets below 0.93."""
    of_score, of_field = simulation.simulate_change_coverage(40, 150, loss=0.1, with_documents=with_documents)
    assert min(of_score, of_field) >= 0.93 - 4 * 0.02


def test_intervals_over_groups_hold_the_true_value() -> None:
    coverage = simulation.simulate_coverage(30, 150, with_documents=True)
    assert {name: round(covered, 3) for name, (covered, _) in coverage.items() if covered < 0.93 - 4 * 0.02} == {}


@pytest.mark.parametrize("population", simulation.OTHER_POPULATIONS[:7], ids=lambda population: population.title)
def test_intervals_over_groups_of_other_populations_hold_the_true_share(population: object) -> None:
    """Four standard errors of 400 datasets below 0.93."""
    covered, _ = simulation.simulate_group_shares(population, 30, 400)
    assert covered >= 0.93 - 4 * 0.013


def test_a_stricter_gate_raises_fewer_false_alarms_over_many_commits() -> None:
    rates = simulation.simulate_commits(60, 25, (0.95, 0.999))
    (plain, any_plain), (strict, any_strict) = rates[0.95], rates[0.999]
    assert plain <= 0.05  # a drop is one of the two tails
    assert any_plain > any_strict
    assert strict <= 0.005


@pytest.mark.parametrize(("size", "measured"), [(1, False), (8, False), (8, True)])
def test_the_stated_number_of_cases_has_the_stated_power(size: int, measured: bool) -> None:
    """80 %, give or take four standard errors of 150 comparisons."""
    _, power = simulation.simulate_power(0.1, size, 150, measured=measured)
    assert power == pytest.approx(0.8, abs=4 * 0.033)
