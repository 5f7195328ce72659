"""Remote files through fsspec: `s3://`, `gs://`, `memory://` and every other scheme that it supports.

A remote path has the methods of `pathlib.Path` that cases and runs need. Folders need not be created, and a file exists either
completely or not at all.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from datetime import datetime
from fnmatch import fnmatchcase
from functools import wraps
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Concatenate, Final, ParamSpec, TypeVar, cast

from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import ConfigError, Diagnostic

BLOCK_BYTES: Final = 1 << 22
"""Bytes for each read request; the default of fsspec is up to 50 MB."""
_PACKAGES: Final[Mapping[str, str]] = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs"}
_CHANGED_KEYS: Final = ("LastModified", "last_modified", "updated", "mtime", "created")
NO_CREDENTIALS: Final = "there are no credentials for it"
_SIGNATURE_KEYS: Final = ("ETag", "etag", "md5Hash")
_P = ParamSpec("_P")
_T = TypeVar("_T")


class RemoteError(OSError):
    """An error of a remote location that is neither `FileNotFoundError` nor `PermissionError`."""


@dataclass(frozen=True, slots=True)
class RemoteStat:
    """Properties of a remote file, named as in `os.stat`."""

    st_size: int
    """Size in bytes."""
    st_mtime_ns: int
    """Time of the last change."""
    signature: str
    """A value that changes with the content, such as the ETag of S3; empty if there is none."""

    @property
    def st_ino(self) -> str:
        """The signature: another file under the same name has another one."""
        return self.signature


def _wrap_errors(method: "Callable[Concatenate[RemotePath, _P], _T]") -> "Callable[Concatenate[RemotePath, _P], _T]":
    """Turn every error of an fsspec package into an OSError."""

    @wraps(method)
    def wrapped(self: "RemotePath", *args: _P.args, **options: _P.kwargs) -> _T:
        try:
            return method(self, *args, **options)
        except (ConfigError, OSError):
            raise
        except Exception as error:  # each fsspec package has its own exception classes
            raise RemoteError(_describe_error(error)) from error

    return wrapped


def _describe_error(error: Exception) -> str:
    kind = type(error).__name__
    if "Credentials" in kind or "DefaultCredentials" in str(error):
        return f"{NO_CREDENTIALS} ({error})"
    return str(error).split("\n", 1)[0] or kind


@dataclass(frozen=True, slots=True)
class RemotePath:
    """A file or folder at a URL. Pickles as the URL alone, so that it can be sent to other processes."""

    url: str
    _listing_info: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    """The entry of the listing that this path comes from, which saves a request."""

    def __str__(self) -> str:
        return self.url

    def __reduce__(self) -> tuple[Any, ...]:
        return RemotePath, (self.url,)

    def __lt__(self, other: "RemotePath") -> bool:
        return self.url < other.url

    def __truediv__(self, name: str | PurePosixPath) -> "RemotePath":
        return RemotePath(f"{self.url.rstrip('/')}/{name}")

    @property
    def _path(self) -> PurePosixPath:
        return PurePosixPath(self.url.split("://", 1)[1])

    @property
    def name(self) -> str:
        """The last part of the URL."""
        return self._path.name

    @property
    def suffix(self) -> str:
        """The suffix of the name, with its dot."""
        return self._path.suffix

    @property
    def stem(self) -> str:
        """The name without its suffix."""
        return self._path.stem

    @property
    def parent(self) -> "RemotePath":
        """The folder that contains it."""
        return self._with_path(self._path.parent)

    def _with_path(self, path: PurePosixPath) -> "RemotePath":
        return RemotePath(f"{self.url.split('://', 1)[0]}://{path}")

    def with_name(self, name: str) -> "RemotePath":
        """The path beside it with this name."""
        return self._with_path(self._path.with_name(name))

    def with_suffix(self, suffix: str) -> "RemotePath":
        """The same path with another suffix."""
        return self._with_path(self._path.with_suffix(suffix))

    def is_relative_to(self, folder: object) -> bool:
        """True if it is below a folder."""
        return isinstance(folder, RemotePath) and self.url.startswith(folder.url.rstrip("/") + "/")

    def relative_to(self, folder: object) -> PurePosixPath:
        """The path from a folder to it."""
        if not self.is_relative_to(folder):
            raise ValueError(f"{self.url} is not below {folder}")
        return PurePosixPath(self.url[len(str(folder).rstrip("/")) + 1 :])

    def as_posix(self) -> str:
        """The URL."""
        return self.url

    def absolute(self) -> "RemotePath":
        """The path itself: a URL is always absolute."""
        return self

    resolve = absolute

    def filesystem(self) -> tuple[Any, str]:
        """The fsspec filesystem and the path in it. Never cached: a forked process needs its own."""
        core = _import_fsspec(self.url)
        try:
            # Other processes write to the same location, so a cached listing would be out of date.
            return core.url_to_fs(self.url, use_listings_cache=False)
        except (ImportError, ValueError) as error:
            raise _not_installed_error(self.url, str(error)) from error

    def _info(self) -> Mapping[str, Any]:
        if self._listing_info is not None:
            return self._listing_info
        files, name = self.filesystem()
        return files.info(name)

    def _entry_type(self) -> str | None:
        try:
            return self._info()["type"]
        except FileNotFoundError:
            return None

    @_wrap_errors
    def exists(self) -> bool:
        """True if there is a file or folder."""
        return self._entry_type() is not None

    @_wrap_errors
    def is_file(self) -> bool:
        """True if there is a file."""
        return self._entry_type() == "file"

    @_wrap_errors
    def is_dir(self) -> bool:
        """True if there are files below it."""
        return self._entry_type() == "directory"

    def is_symlink(self) -> bool:
        """False: remote locations have no links."""
        return False

    @_wrap_errors
    def stat(self) -> RemoteStat:
        """Its size, time of change and signature."""
        info = self._info()
        signature = next((str(info[name]).strip('"') for name in _SIGNATURE_KEYS if info.get(name)), "")
        changed: Any = next((info[name] for name in _CHANGED_KEYS if info.get(name)), 0)
        return RemoteStat(int(info["size"] or 0), _nanoseconds(changed), signature)

    lstat = stat

    @_wrap_errors
    def open(self, mode: str = "rb", buffering: int = -1) -> BinaryIO:
        """Open it for reading; only the ranges that are read are transferred."""
        del buffering
        files, name = self.filesystem()
        return cast(BinaryIO, files.open(name, mode, block_size=BLOCK_BYTES))

    @_wrap_errors
    def read_bytes(self) -> bytes:
        """Read the whole file."""
        files, name = self.filesystem()
        return files.cat_file(name)

    @_wrap_errors
    def write_bytes(self, content: bytes) -> int:
        """Write the whole file."""
        files, name = self.filesystem()
        files.pipe_file(name, content)
        return len(content)

    @_wrap_errors
    def create_exclusive(self, content: bytes) -> None:
        """Create the file, or raise `FileExistsError`. Atomic if the storage supports conditional writes."""
        files, name = self.filesystem()
        files.pipe_file(name, content, mode="create")

    @_wrap_errors
    def upload(self, file: Path) -> None:
        """Upload a local file."""
        files, name = self.filesystem()
        files.put_file(str(file), name)

    @_wrap_errors
    def download(self, file: Path) -> None:
        """Download it to a local file."""
        files, name = self.filesystem()
        files.get_file(name, str(file))

    def touch(self) -> None:
        """Write an empty file."""
        self.write_bytes(b"")

    @_wrap_errors
    def unlink(self, missing_ok: bool = False) -> None:
        """Remove the file. Checks first whether it exists, because S3 does not report that."""
        if not missing_ok and not self.exists():
            raise FileNotFoundError(f"there is no {self.url}")
        files, name = self.filesystem()
        try:
            files.rm_file(name)
        except FileNotFoundError:
            if not missing_ok:
                raise

    @_wrap_errors
    def remove_tree(self) -> None:
        """Remove the folder with everything below it, if it exists."""
        files, name = self.filesystem()
        try:
            files.rm(name, recursive=True)
        except FileNotFoundError:
            return

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        """Do nothing: a folder exists as soon as a file is in it."""
        del mode, parents, exist_ok

    @_wrap_errors
    def iterdir(self) -> Iterator["RemotePath"]:
        """The current entries of a folder; `FileNotFoundError` if there are none."""
        files, name = self.filesystem()
        entries = [entry for entry in files.ls(name, detail=True) if _is_other_path(entry["name"], name)]
        return iter([self._from_listing(files, entry) for entry in entries])

    @_wrap_errors
    def glob(self, pattern: str) -> Iterator["RemotePath"]:
        """The entries of a folder whose name matches a pattern."""
        try:
            return iter([path for path in self.iterdir() if fnmatchcase(path.name, pattern)])
        except FileNotFoundError:
            return iter(())

    @_wrap_errors
    def list_files(self) -> list["RemotePath"]:
        """All files below it, at any depth."""
        files, name = self.filesystem()
        return [self._from_listing(files, entry) for entry in files.find(name, detail=True).values()]

    @_wrap_errors
    def glob_files(self) -> list["RemotePath"]:
        """The files that match this path, read as a glob pattern."""
        files, name = self.filesystem()
        entries = files.glob(name, detail=True).values()
        return [self._from_listing(files, entry) for entry in entries if entry["type"] == "file"]

    def _from_listing(self, files: Any, entry: Mapping[str, Any]) -> "RemotePath":
        return RemotePath(files.unstrip_protocol(entry["name"]).replace(":///", "://"), entry)


def _nanoseconds(changed: Any) -> int:
    if isinstance(changed, str):
        changed = datetime.fromisoformat(changed)
    return int((changed.timestamp() if isinstance(changed, datetime) else float(changed)) * 1e9)


def _is_other_path(entry: str, folder: str) -> bool:
    return entry.strip("/") != folder.strip("/")


def _import_fsspec(url: str) -> Any:
    try:
        return import_module("fsspec.core")
    except ImportError as error:
        raise _not_installed_error(url, "fsspec is not installed") from error


def _not_installed_error(url: str, reason: str) -> ConfigError:
    package = _PACKAGES.get(url.split("://", 1)[0].lower(), "")
    extra = f" {package}" if package else ", and the package of fsspec for such addresses"
    fix = f"pip install 'fieldwise[remote]'{extra}"
    return ConfigError([Diagnostic(code="not-installed", what=f"{url} cannot be reached: {reason}", fix=fix)])
