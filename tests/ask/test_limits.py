"""Limits per minute: never more in any minute, and no waiting without need."""

import asyncio
import time

import pytest

from fieldwise.ask.limits import Spending, Window
from fieldwise.model.ask import Asking


def taken(window: Window, amounts: list[int]) -> list[float]:
    async def take() -> list[float]:
        started = time.monotonic()
        times: list[float] = []
        for amount in amounts:
            await window.take(amount)
            times.append(time.monotonic() - started)
        return times

    return asyncio.run(take())


def test_what_fits_does_not_wait_and_what_does_not_waits_for_the_window_to_pass() -> None:
    times = taken(Window(4, span=0.3), [1] * 6)
    assert times[4] >= 0.3
    assert times[3] < times[4]


def test_amounts_add_up_and_more_than_fits_at_all_waits_for_an_empty_window() -> None:
    times = taken(Window(10, span=0.2), [8, 8, 50, 1])
    assert times[1] >= 0.2
    assert times[2] - times[1] >= 0.19
    assert times[3] - times[2] >= 0.19


def test_without_a_limit_nothing_waits() -> None:
    assert len(taken(Window(None), [10**9] * 100)) == 100


def test_no_window_of_time_has_more_than_the_limit() -> None:
    times = taken(Window(5, span=0.1), [1] * 23)
    assert all(later - earlier >= 0.099 for earlier, later in zip(times, times[5:], strict=False))


def test_what_a_question_did_not_cost_is_free_for_the_next() -> None:
    spending = Spending(Asking(budget_usd=1.0))
    assert spending.refusal(0.9) is None
    assert spending.refusal(0.9) == "the budget of 1 USD is spent"
    spending.settle(0.9, 0.1)
    assert spending.refusal(0.9) is None
    spending.release(0.9)
    assert spending.usd == pytest.approx(0.1)
