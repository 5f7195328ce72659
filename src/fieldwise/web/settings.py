"""Settings of a server, and checks that refuse unsafe ones."""

from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.locations import DEFAULT_ROOT

LOOPBACK: Final = "127.0.0.1"
PORT: Final = 8787
MIN_KEY_LENGTH: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """Limits of size and time."""

    body: int = 50_000_000
    """Maximum size of a request, in bytes."""
    seconds: float = 60.0
    """Maximum duration of a request; longer work needs a job."""
    memory: int = 2_000_000_000
    """Maximum memory of the worker process of a request or a job, in bytes."""
    job_seconds: float = 600.0
    """Maximum time in which a job scores no batch of cases."""
    jobs: int = 50
    """Maximum number of jobs that wait or run."""
    workers: int = 2
    """Number of requests that are processed at a time."""
    waiting: int = 32
    """Number of further requests that may wait."""
    cases: int = 20_000
    """Maximum number of cases in a request; more need a job or `fieldwise run`."""
    image: int = 20_000_000
    """Maximum size of an image on a page, in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of one server."""

    root: str | Path = DEFAULT_ROOT
    """Where runs are stored: a folder, or a URL."""
    workspace: Path = Path()
    """The folder of the configuration files and suites."""
    data: Path | None = None
    """The folder whose files may be evaluated by path; None disables that."""
    images: Path | None = None
    """A folder with images of cases, in addition to the folder of their suite."""
    host: str = LOOPBACK
    port: int = PORT
    token: str | None = None
    """The launch token; None admits every client, which is allowed on loopback only."""
    api_key: str | None = None
    names: tuple[str, ...] = ()
    """Additional host names that requests may use."""
    limits: RequestLimits = field(default_factory=RequestLimits)


def is_loopback(host: str) -> bool:
    """True if only this machine can reach that address.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "example.org", "localhost.example.org")]
    [True, True, True, False, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def check_settings(settings: Settings) -> Settings:
    """Return the settings if they are safe; else raise ConfigError with every problem."""
    diagnostics: list[Diagnostic] = []
    if settings.api_key is not None and len(settings.api_key) < MIN_KEY_LENGTH:
        what = f"the API key has fewer than {MIN_KEY_LENGTH} characters"
        fix = "make one: python -c 'import secrets; print(secrets.token_urlsafe(24))'"
        diagnostics.append(Diagnostic(code="short-key", what=what, fix=fix))
    if not is_loopback(settings.host):
        if settings.api_key is None:
            what = f"{settings.host} can be reached from other machines, and there is no API key"
            diagnostics.append(Diagnostic(code="no-key", what=what, fix="set FIELDWISE_API_KEY, or use 127.0.0.1"))
        if settings.token is None:
            what, fix = f"{settings.host} can be reached from other machines, so pages need the launch token", "leave out --no-token"
            diagnostics.append(Diagnostic(code="no-token", what=what, fix=fix))
    for folder, purpose in ((settings.data, "evaluate files from"), (settings.images, "read images from")):
        if folder is not None and not folder.is_dir():
            what = f"there is no folder {folder} to {purpose}"
            diagnostics.append(Diagnostic(code="no-folder", what=what, fix="name an existing folder"))
    if diagnostics:
        raise ConfigError(diagnostics)
    return settings
