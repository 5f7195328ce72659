"""Locations of files and folders, local or remote, and the root folder for runs and cached answers.

A plain path is a `pathlib.Path` and never loads fsspec; a URL is a `RemotePath`.
"""

import io
import os
import re
from pathlib import Path
from typing import Any, Final, TypeAlias

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.remote_path import BLOCK_BYTES, NO_CREDENTIALS, RemotePath

DEFAULT_ROOT: Final = ".fieldwise"
"""The folder for runs and cached answers, in the current folder, unless another root is given."""
ROOT_VARIABLE: Final = "FIELDWISE_ROOT"
"""The environment variable that names another root."""
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_LOCAL_SCHEMES: Final = ("file", "local")

Location: TypeAlias = Path | RemotePath
"""A file or folder, local or remote."""


def is_url(location: object) -> bool:
    """True for a URL; a drive letter of Windows is not one.

    >>> [is_url(location) for location in ("s3://bucket/a.jsonl", "memory://a", "C://a", "a/b.jsonl")]
    [True, True, False, False]
    """
    return isinstance(location, str) and _URL.match(location) is not None


def resolve_root(root: str | Path | None = None) -> str | Path:
    """The given root, else the one that FIELDWISE_ROOT names, else `.fieldwise`."""
    if root is not None:
        return root
    return os.environ.get(ROOT_VARIABLE) or DEFAULT_ROOT


def default_answers_file(root: str | Path | None = None) -> Path:
    """The cache of model answers, beside the runs of a root; in the local default root if the root is a URL.

    >>> default_answers_file("elsewhere").as_posix(), default_answers_file("s3://bucket/evals").as_posix()
    ('elsewhere/answers.sqlite', '.fieldwise/answers.sqlite')
    """
    folder = resolve_root(root)
    return Path(DEFAULT_ROOT if is_url(folder) else folder) / "answers.sqlite"


def parse_location(location: str | Location) -> Location:
    """Read a path or URL as written.

    >>> parse_location("a/b").as_posix(), str(parse_location("s3://bucket/a") / "b"), parse_location("file:///a/b").as_posix()
    ('a/b', 's3://bucket/a/b', '/a/b')
    """
    if isinstance(location, RemotePath):
        return location
    if isinstance(location, str) and is_url(location):
        scheme, rest = location.split("://", 1)
        if scheme.lower() in _LOCAL_SCHEMES:
            return Path(rest)
        return RemotePath(location.rstrip("/") if rest.strip("/") else location)
    path = Path(location)
    if isinstance(location, Path) and path.parts and path.parts[0].endswith(":") and len(path.parts[0]) > 2:
        what = f"`{path}` is a URL that pathlib has changed, so it names no location"
        raise ConfigError([Diagnostic(code="url-as-path", what=what, fix="give the URL as text, not as a Path")])
    return path


def describe_unreachable(location: Location, error: OSError) -> Diagnostic:
    """Build the diagnostic for a remote location that cannot be read."""
    reason = error.strerror or str(error) or type(error).__name__
    fix = "check the address, and that this machine can reach it"
    if isinstance(error, PermissionError):
        fix = "check the credentials: they are unknown there, or do not allow this"
    elif reason.startswith(NO_CREDENTIALS):
        fix = "set them as its package expects, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for S3"
    return Diagnostic(code="unreachable", what=f"{location} cannot be read: {reason}", fix=fix)


def open_for_arrow(path: Location) -> Any:
    """What Arrow reads a Parquet file from: a local path; a small remote file as bytes, a large one in ranges."""
    if isinstance(path, Path):
        return path
    return io.BytesIO(path.read_bytes()) if path.stat().st_size <= 2 * BLOCK_BYTES else path.open()
