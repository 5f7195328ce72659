"""Model endpoints: address and key from the options or the environment, rate limits and budget."""

import asyncio
import os
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final
from urllib.parse import urlsplit

from fieldwise.model.ask import Asking, Endpoint, Reply

URL_VARIABLE: Final = "FIELDWISE_MODEL_URL"
MODEL_VARIABLE: Final = "FIELDWISE_MODEL"
KEY_ENV_VARIABLE: Final = "FIELDWISE_MODEL_KEY_ENV"
"""Environment variables that replace missing options of an endpoint."""
MINUTE: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTarget:
    """A model with its resolved address and key."""

    url: str
    """With `/chat/completions`."""
    model: str
    key: str | None = field(repr=False)
    endpoint: Endpoint
    allows_private: bool
    """True if the address may be private."""

    def redact_key(self, text: str) -> str:
        """A text without the key, in case the server repeats it."""
        return text.replace(self.key, "***") if self.key else text


def resolve_endpoint(endpoint: Endpoint, *, private: bool = True, environment: Mapping[str, str] = os.environ) -> ModelTarget | Reply:
    """The target of an endpoint, or a Reply with what is missing. The key of the environment is sent only to its address."""
    url = endpoint.url or environment.get(URL_VARIABLE)
    model = endpoint.name or environment.get(MODEL_VARIABLE)
    if not url or not model:
        problem = "no model endpoint is set" if not url else "no model is named"
        fix = (
            f"write `model: {{url: http://localhost:11434/v1, name: …}}` in the evaluator, or set {URL_VARIABLE} and {MODEL_VARIABLE}; "
            "to install a local one: `ollama pull llama3.2`"
        )
        return Reply(problem=problem, fix=fix, missing=True)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
        fix = "write it as https://host/v1; a key belongs in an environment variable, named by `key_env`"
        return Reply(problem="the url of the model is not a plain http address", fix=fix, missing=True)
    key_env = endpoint.key_env or (None if endpoint.url else environment.get(KEY_ENV_VARIABLE))
    key = environment.get(key_env) if key_env else None
    if key_env and not key:
        return Reply(problem=f"the environment variable {key_env} is not set", fix=f"export {key_env}=…", missing=True)
    allows_private = private and _is_explicitly_private(parts.hostname, endpoint)
    path = url.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
    return ModelTarget(url=path, model=model, key=key, endpoint=endpoint, allows_private=allows_private)


def _is_explicitly_private(host: str, endpoint: Endpoint) -> bool:
    """True if the address is visibly private: an IP address, localhost, or listed in `private`."""
    return host in endpoint.private or host == "localhost" or host.endswith(".localhost") or _parse_address(host) is not None


def is_private(address: str) -> bool:
    """True if an address is not public: on this machine, in this network, or reserved.

    >>> [is_private(text) for text in ("127.0.0.1", "10.1.2.3", "169.254.169.254", "::ffff:127.0.0.1", "fe80::1%eth0", "8.8.8.8")]
    [True, True, True, True, True, False]
    """
    parsed = _parse_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped:
        parsed = parsed.ipv4_mapped
    return parsed is None or not parsed.is_global


def _parse_address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


class RateLimit:
    """A maximum amount within any minute."""

    def __init__(self, maximum: int | None, span: float = MINUTE) -> None:
        self._maximum, self._span = maximum, span
        self._history: deque[tuple[float, int]] = deque()
        self._total = 0
        self._lock = asyncio.Lock()  # callers wait in order

    async def acquire(self, amount: int) -> None:
        """Wait until this amount fits; an amount above the maximum waits for an empty minute."""
        if self._maximum is None:
            return
        async with self._lock:
            while (wait := self._seconds_until_fits(min(amount, self._maximum))) > 0:
                await asyncio.sleep(wait)
            self._history.append((time.monotonic(), amount))
            self._total += amount

    def _seconds_until_fits(self, amount: int) -> float:
        """Seconds until this amount may fit; 0 if it fits now."""
        now = time.monotonic()
        while self._history and self._history[0][0] <= now - self._span:
            self._total -= self._history.popleft()[1]
        fits = self._total + amount <= (self._maximum or 0)
        return 0.0 if fits or not self._history else self._history[0][0] + self._span - now


class Budget:
    """Calls and cost of a run, pending questions included; never above the limits."""

    def __init__(self, asking: Asking) -> None:
        self._budget_usd, self._max_calls = asking.budget_usd, asking.max_calls
        self.calls = 0
        """Answered and pending questions."""
        self.usd = 0.0
        """Cost of the answers plus the estimates of pending questions."""

    def reserve(self, estimate: float | None) -> str | None:
        """Reserve the estimated cost of a question; the reason if it exceeds a limit, else None."""
        if self._max_calls is not None and self.calls >= self._max_calls:
            return f"the limit of {self._max_calls} calls is reached"
        if self._budget_usd is not None:
            if estimate is None:
                return "there is a budget, but the price of the model is not known"
            if self.usd + estimate > self._budget_usd:
                return f"the budget of {self._budget_usd:g} USD is spent"
        self.calls += 1
        self.usd += estimate or 0.0
        return None

    def settle(self, estimate: float | None, cost: float | None) -> None:
        """Replace the estimate of a question by its cost."""
        self.usd += (cost or 0.0) - (estimate or 0.0)

    def release(self, estimate: float | None) -> None:
        """Cancel the reservation of a question without an answer."""
        self.calls -= 1
        self.usd -= estimate or 0.0
