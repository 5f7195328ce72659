"""How a server is set up, and what it refuses to be set up as."""

from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.roots import DEFAULT_ROOT

LOOPBACK: Final = "127.0.0.1"
PORT: Final = 8787
SHORTEST_KEY: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one request may take."""

    body: int = 50_000_000
    """Bytes of a request."""
    seconds: float = 60.0
    """How long a request may be worked on; longer work is for a job."""
    workers: int = 2
    """How many requests are worked on at a time."""
    waiting: int = 32
    """How many more may wait for their turn."""
    cases: int = 20_000
    """Cases that one request may bring; more are for a job or for `fieldwise run`."""
    image: int = 20_000_000
    """Bytes of an image that a page shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One server."""

    root: str | Path = DEFAULT_ROOT
    """Where runs are stored: a folder, or a URL."""
    workspace: Path = Path()
    """Where the configuration is kept, beside the suites."""
    data: Path | None = None
    """The folder below which files may be evaluated by path; None: none may."""
    images: Path | None = None
    """A folder below which images of cases are looked for, beside the folder of their suite."""
    host: str = LOOPBACK
    port: int = PORT
    token: str | None = None
    """What opens the pages; None lets in everybody who can reach the server, which must then be this machine."""
    api_key: str | None = None
    names: tuple[str, ...] = ()
    """Further names under which the server may be addressed."""
    limits: Limits = field(default_factory=Limits)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach that address.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "example.org", "localhost.example.org")]
    [True, True, True, False, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def checked(settings: Settings) -> Settings:
    """The settings, if they are safe; ConfigError with everything that is wrong."""
    found: list[Diagnostic] = []
    if settings.api_key is not None and len(settings.api_key) < SHORTEST_KEY:
        what = f"the API key has fewer than {SHORTEST_KEY} characters"
        found.append(Diagnostic(code="short-key", what=what, fix="make one: python -c 'import secrets; print(secrets.token_urlsafe(24))'"))
    if not is_loopback(settings.host):
        if settings.api_key is None:
            what = f"{settings.host} can be reached from other machines, and there is no API key"
            found.append(Diagnostic(code="no-key", what=what, fix="set FIELDWISE_API_KEY, or stay on 127.0.0.1"))
        if settings.token is None:
            what, fix = f"{settings.host} can be reached from other machines, so pages need the launch token", "leave out --no-token"
            found.append(Diagnostic(code="no-token", what=what, fix=fix))
    for folder, purpose in ((settings.data, "evaluate files from"), (settings.images, "take images from")):
        if folder is not None and not folder.is_dir():
            what, fix = f"there is no folder {folder} to {purpose}", "give a folder that is there"
            found.append(Diagnostic(code="no-folder", what=what, fix=fix))
    if found:
        raise ConfigError(found)
    return settings
