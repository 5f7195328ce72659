"""Rate limits and budget: never more in any minute, and no needless waiting."""

import asyncio
import time

import pytest

from fieldwise.ask.endpoints import Budget, RateLimit
from fieldwise.model.ask import Asking


def acquire_times(limit: RateLimit, amounts: list[int]) -> list[float]:
    async def acquire_all() -> list[float]:
        started = time.monotonic()
        times: list[float] = []
        for amount in amounts:
            await limit.acquire(amount)
            times.append(time.monotonic() - started)
        return times

    return asyncio.run(acquire_all())


def test_an_amount_that_does_not_fit_waits_for_the_window_to_pass() -> None:
    times = acquire_times(RateLimit(4, span=0.3), [1] * 6)
    assert times[4] >= 0.3
    assert times[3] < times[4]


def test_amounts_add_up_and_an_amount_above_the_limit_waits_for_an_empty_window() -> None:
    times = acquire_times(RateLimit(10, span=0.2), [8, 8, 50, 1])
    assert times[1] >= 0.2
    assert times[2] - times[1] >= 0.19
    assert times[3] - times[2] >= 0.19


def test_without_a_limit_nothing_waits() -> None:
    assert len(acquire_times(RateLimit(None), [10**9] * 100)) == 100


def test_no_window_of_time_has_more_than_the_limit() -> None:
    times = acquire_times(RateLimit(5, span=0.1), [1] * 23)
    assert all(later - earlier >= 0.099 for earlier, later in zip(times, times[5:], strict=False))


def test_the_unused_part_of_an_estimate_is_released() -> None:
    budget = Budget(Asking(budget_usd=1.0))
    assert budget.reserve(0.9) is None
    assert budget.reserve(0.9) == "the budget of 1 USD is spent"
    budget.settle(0.9, 0.1)
    assert budget.reserve(0.9) is None
    budget.release(0.9)
    assert budget.usd == pytest.approx(0.1)
