"""Where a model is asked: from the options of an evaluator, or from the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from fieldwise.model.ask import Endpoint, Reply

URL, MODEL, KEY_ENV = "FIELDWISE_MODEL_URL", "FIELDWISE_MODEL", "FIELDWISE_MODEL_KEY_ENV"
"""Environment variables that say where to ask what the options leave open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A model that can be asked."""

    url: str
    """With `/chat/completions`."""
    model: str
    key: str | None = field(repr=False)
    endpoint: Endpoint
    private: bool
    """Whether a private address may be asked."""

    def hushed(self, text: str) -> str:
        """A text without the key, should the server repeat it."""
        return text.replace(self.key, "***") if self.key else text


def resolve(endpoint: Endpoint, *, private: bool = True, environment: Mapping[str, str] = os.environ) -> Target | Reply:
    """Where to ask, or what is missing. The key of the environment goes only to the address of the environment."""
    url = endpoint.url or environment.get(URL)
    model = endpoint.name or environment.get(MODEL)
    if not url or not model:
        lacking = "no model endpoint is set" if not url else "no model is named"
        fix = f"write `model: {{url: http://localhost:11434/v1, name: …}}` in the evaluator, or set {URL} and {MODEL}"
        return Reply(problem=lacking, fix=fix, missing=True)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
        fix = "write it as https://host/v1; a key belongs into an environment variable, named by `key_env`"
        return Reply(problem="the model's url is not a plain http address", fix=fix, missing=True)
    key_env = endpoint.key_env or (None if endpoint.url else environment.get(KEY_ENV))
    key = environment.get(key_env) if key_env else None
    if key_env and not key:
        return Reply(problem=f"the environment variable {key_env} is not set", fix=f"export {key_env}=…", missing=True)
    allowed = private and _named_as_private(parts.hostname, endpoint)
    path = url.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
    return Target(url=path, model=model, key=key, endpoint=endpoint, private=allowed)


def _named_as_private(host: str, endpoint: Endpoint) -> bool:
    """Whether whoever wrote the address must have known that it is private."""
    return host in endpoint.private or host == "localhost" or host.endswith(".localhost") or _address(host) is not None


def is_private(address: str) -> bool:
    """Whether an address is on this machine, in this network, or otherwise not in the open internet.

    >>> [is_private(text) for text in ("127.0.0.1", "10.1.2.3", "169.254.169.254", "::ffff:127.0.0.1", "fe80::1%eth0", "8.8.8.8")]
    [True, True, True, True, True, False]
    """
    found = _address(address.partition("%")[0])
    if isinstance(found, IPv6Address) and found.ipv4_mapped:
        found = found.ipv4_mapped
    return found is None or not found.is_global


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None
