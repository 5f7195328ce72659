"""What holds questions back: limits per minute, and what may be spent."""

import asyncio
import time
from collections import deque
from typing import Final

from fieldwise.model.ask import Asking

MINUTE: Final = 60.0


class Window:
    """At most so much in any minute."""

    def __init__(self, most: int | None, span: float = MINUTE) -> None:
        self._most, self._span = most, span
        self._taken: deque[tuple[float, int]] = deque()
        self._sum = 0
        self._turn = asyncio.Lock()

    async def take(self, amount: int) -> None:
        """Wait until this much fits; more than fits at all waits for an empty minute."""
        if self._most is None:
            return
        async with self._turn:
            while (wait := self._wait(min(amount, self._most))) > 0:
                await asyncio.sleep(wait)
            self._taken.append((time.monotonic(), amount))
            self._sum += amount

    def _wait(self, amount: int) -> float:
        """Seconds until this much may fit."""
        now = time.monotonic()
        while self._taken and self._taken[0][0] <= now - self._span:
            self._sum -= self._taken.popleft()[1]
        fits = self._sum + amount <= (self._most or 0)
        return 0.0 if fits or not self._taken else self._taken[0][0] + self._span - now


class Spending:
    """What has been spent, and what is promised to questions under way; never more than allowed."""

    def __init__(self, asking: Asking) -> None:
        self._budget, self._most = asking.budget_usd, asking.max_calls
        self.calls = 0
        """Questions that were answered or are under way."""
        self.usd = 0.0
        """What answers cost, and what questions under way may cost."""

    def refusal(self, estimate: float | None) -> str | None:
        """Why a question that may cost this much is not asked; None, and it is counted, if it may be."""
        if self._most is not None and self.calls >= self._most:
            return f"the limit of {self._most} calls is reached"
        if self._budget is not None:
            if estimate is None:
                return "there is a budget, but the model's price is not known"
            if self.usd + estimate > self._budget:
                return f"the budget of {self._budget:g} USD is spent"
        self.calls += 1
        self.usd += estimate or 0.0
        return None

    def settle(self, estimate: float | None, cost: float | None) -> None:
        """Put what a question did cost in the place of what it might have cost."""
        self.usd += (cost or 0.0) - (estimate or 0.0)

    def release(self, estimate: float | None) -> None:
        """Take a question back that was not answered."""
        self.calls -= 1
        self.usd -= estimate or 0.0
