"""A file or folder wherever it is: a plain path is a `pathlib.Path` and never loads fsspec, a URL is a `RemotePath`."""

import io
import os
import re
from pathlib import Path
from typing import Any, Final, TypeAlias

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.remote_path import BLOCK_BYTES, NO_CREDENTIALS, RemotePath

DEFAULT_ROOT: Final = ".fieldwise"
"""The folder for runs and answers, in the current folder, unless another root is given."""
ROOT_VARIABLE: Final = "FIELDWISE_ROOT"
"""The environment variable that names another root."""
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_url(place: object) -> bool:
    """Whether a place is named by a URL, which a drive of Windows is not.

    >>> [is_url(place) for place in ("s3://bucket/a.jsonl", "memory://a", "C://a", "a/b.jsonl")]
    [True, True, False, False]
    """
    return isinstance(place, str) and _URL.match(place) is not None


def resolve_root(root: str | Path | None = None) -> str | Path:
    """The root that is given, else the one that FIELDWISE_ROOT names, else `.fieldwise`."""
    return (os.environ.get(ROOT_VARIABLE) or DEFAULT_ROOT) if root is None else root


def default_answers_file(root: str | Path | None = None) -> Path:
    """The file that keeps every answer that was paid for, beside the runs of a root; in this folder where the root is a URL.

    >>> default_answers_file("elsewhere").as_posix(), default_answers_file("s3://bucket/evals").as_posix()
    ('elsewhere/answers.sqlite', '.fieldwise/answers.sqlite')
    """
    chosen = resolve_root(root)
    return Path(DEFAULT_ROOT if is_url(chosen) else chosen) / "answers.sqlite"


_LOCAL_SCHEMES: Final = ("file", "local")

Location: TypeAlias = Path | RemotePath
"""A file or folder, on this machine or elsewhere."""


def parse_location(place: str | Location) -> Location:
    """A path as it is written: a URL is elsewhere, anything else on this machine.

    >>> parse_location("a/b").as_posix(), str(parse_location("s3://bucket/a") / "b"), parse_location("file:///a/b").as_posix()
    ('a/b', 's3://bucket/a/b', '/a/b')
    """
    if isinstance(place, RemotePath):
        return place
    if isinstance(place, str) and is_url(place):
        scheme, rest = place.split("://", 1)
        return Path(rest) if scheme.lower() in _LOCAL_SCHEMES else RemotePath(place.rstrip("/") if rest.strip("/") else place)
    path = Path(place)
    if isinstance(place, Path) and path.parts and path.parts[0].endswith(":") and len(path.parts[0]) > 2:
        what, fix = f"pathlib made `{path}` of a URL, which is no place", "give the URL as text, not as a Path"
        raise ConfigError([Diagnostic(code="url-as-path", what=what, fix=fix)])
    return path


def describe_unreachable(place: Location, error: OSError) -> Diagnostic:
    """Why a remote place gives nothing, and what to do."""
    reason = error.strerror or str(error) or type(error).__name__
    fix = "check the address, and that you may reach it from here"
    if isinstance(error, PermissionError):
        fix = "check the credentials: they are unknown there, or may not do this"
    elif reason.startswith(NO_CREDENTIALS):
        fix = "set them as its package expects, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for S3"
    return Diagnostic(code="unreachable", what=f"{place} cannot be read: {reason}", fix=fix)


def open_for_arrow(path: Location) -> Any:
    """What Arrow reads a Parquet file from: its path, or a small remote file as a whole, a large one in ranges."""
    if isinstance(path, Path):
        return path
    return io.BytesIO(path.read_bytes()) if path.stat().st_size <= 2 * BLOCK_BYTES else path.open()
