"""Files in other places than this machine's folders, through fsspec: `s3://`, `gs://`, `memory://` and whatever else it knows.

A remote path does what a `pathlib.Path` does, as far as cases and runs need it: folders need not be made, and a file is there whole or not
at all.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from functools import wraps
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Concatenate, Final, ParamSpec, TypeVar, cast

from fieldwise.model.diagnostic import ConfigError, Diagnostic

BLOCK_BYTES: Final = 1 << 22
"""How much is asked for at a time; fsspec would ask for up to 50 MB."""
_PACKAGES: Final[Mapping[str, str]] = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs"}
_CHANGED_KEYS: Final = ("LastModified", "last_modified", "updated", "mtime", "created")
NO_CREDENTIALS: Final = "there are no credentials for it"
_SIGNATURE_KEYS: Final = ("ETag", "etag", "md5Hash")
_P = ParamSpec("_P")
_T = TypeVar("_T")


class RemoteError(OSError):
    """What a remote place answered, in words, where it is no plain `FileNotFoundError` or `PermissionError`."""


@dataclass(frozen=True, slots=True)
class RemoteStat:
    """What a place says of a file, by the names that `os.stat` has for it."""

    st_size: int
    st_mtime_ns: int
    signature: str
    """What changes with the content, such as the ETag of S3; nothing where a place has none."""

    @property
    def st_ino(self) -> str:
        """Another file under the same name has another one."""
        return self.signature


def _wrap_errors(do: "Callable[Concatenate[RemotePath, _P], _T]") -> "Callable[Concatenate[RemotePath, _P], _T]":
    """Let every error that is none of the system's become one, with the address and what to do."""

    @wraps(do)
    def done(self: "RemotePath", *args: _P.args, **options: _P.kwargs) -> _T:
        try:
            return do(self, *args, **options)
        except (ConfigError, OSError):
            raise
        except Exception as error:  # each package has errors of its own
            raise RemoteError(_describe_error(error)) from error

    return done


def _describe_error(error: Exception) -> str:
    kind = type(error).__name__
    if "Credentials" in kind or "DefaultCredentials" in str(error):
        return f"{NO_CREDENTIALS} ({error})"
    return str(error).split("\n", 1)[0] or kind


@dataclass(frozen=True, slots=True)
class RemotePath:
    """A file or folder at a URL. It holds nothing but the URL, so that it can be sent to other processes."""

    url: str
    _listing_info: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    """What a listing said of it a moment ago."""

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
        """The last step."""
        return self._path.name

    @property
    def suffix(self) -> str:
        """The end of the name, with its dot."""
        return self._path.suffix

    @property
    def stem(self) -> str:
        """The name without its end."""
        return self._path.stem

    @property
    def parent(self) -> "RemotePath":
        """The folder that it is in."""
        return self._with_path(self._path.parent)

    def _with_path(self, path: PurePosixPath) -> "RemotePath":
        return RemotePath(f"{self.url.split('://', 1)[0]}://{path}")

    def with_name(self, name: str) -> "RemotePath":
        """What is beside it under this name."""
        return self._with_path(self._path.with_name(name))

    def with_suffix(self, suffix: str) -> "RemotePath":
        """The same with another end."""
        return self._with_path(self._path.with_suffix(suffix))

    def is_relative_to(self, other: object) -> bool:
        """Whether it is below another."""
        return isinstance(other, RemotePath) and self.url.startswith(other.url.rstrip("/") + "/")

    def relative_to(self, other: object) -> PurePosixPath:
        """The way from another to it."""
        if not self.is_relative_to(other):
            raise ValueError(f"{self.url} is not below {other}")
        return PurePosixPath(self.url[len(str(other).rstrip("/")) + 1 :])

    def as_posix(self) -> str:
        """The URL."""
        return self.url

    def absolute(self) -> "RemotePath":
        """Itself."""
        return self

    resolve = absolute

    def filesystem(self) -> tuple[Any, str]:
        """The filesystem and the name that this has in it. Never kept: a process that was forked needs one of its own."""
        core = _import_fsspec(self.url)
        try:
            # Others write to the same place, so that a listing that was kept would be wrong.
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
        """Whether anything is there."""
        return self._entry_type() is not None

    @_wrap_errors
    def is_file(self) -> bool:
        """Whether a file is there."""
        return self._entry_type() == "file"

    @_wrap_errors
    def is_dir(self) -> bool:
        """Whether files are below it."""
        return self._entry_type() == "directory"

    def is_symlink(self) -> bool:
        """Never: there are no links."""
        return False

    @_wrap_errors
    def stat(self) -> RemoteStat:
        """Its size, when it changed, and what changes with its content."""
        found = self._info()
        signature = next((str(found[name]).strip('"') for name in _SIGNATURE_KEYS if found.get(name)), "")
        changed: Any = next((found[name] for name in _CHANGED_KEYS if found.get(name)), 0)
        return RemoteStat(int(found["size"] or 0), _nanoseconds(changed), signature)

    lstat = stat

    @_wrap_errors
    def open(self, mode: str = "rb", buffering: int = -1) -> BinaryIO:
        """Read it; only what is asked for comes over."""
        del buffering
        files, name = self.filesystem()
        return cast(BinaryIO, files.open(name, mode, block_size=BLOCK_BYTES))

    @_wrap_errors
    def read_bytes(self) -> bytes:
        """All of it."""
        files, name = self.filesystem()
        return files.cat_file(name)

    @_wrap_errors
    def write_bytes(self, content: bytes) -> int:
        """Put a whole file there."""
        files, name = self.filesystem()
        files.pipe_file(name, content)
        return len(content)

    @_wrap_errors
    def create_exclusive(self, content: bytes) -> None:
        """Put a whole file there, or `FileExistsError`; the place itself decides who was first, if it can."""
        files, name = self.filesystem()
        files.pipe_file(name, content, mode="create")

    @_wrap_errors
    def upload(self, file: Path) -> None:
        """Put a file of this machine there, whole."""
        files, name = self.filesystem()
        files.put_file(str(file), name)

    @_wrap_errors
    def download(self, file: Path) -> None:
        """Put it where this machine has files."""
        files, name = self.filesystem()
        files.get_file(name, str(file))

    def touch(self) -> None:
        """Put an empty file there."""
        self.write_bytes(b"")

    @_wrap_errors
    def unlink(self, missing_ok: bool = False) -> None:
        """Remove the file; S3 would not say whether there was one."""
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
        """Remove the folder with everything below it, if there is one."""
        files, name = self.filesystem()
        try:
            files.rm(name, recursive=True)
        except FileNotFoundError:
            return

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        """Nothing: a folder is there as soon as a file is in it."""
        del mode, parents, exist_ok

    @_wrap_errors
    def iterdir(self) -> Iterator["RemotePath"]:
        """What is in a folder, as it is now; `FileNotFoundError` where nothing is."""
        files, name = self.filesystem()
        return iter([self._from_listing(files, found) for found in files.ls(name, detail=True) if _is_other_path(found["name"], name)])

    @_wrap_errors
    def glob(self, pattern: str) -> Iterator["RemotePath"]:
        """What is in a folder and has such a name."""
        try:
            return iter([found for found in self.iterdir() if fnmatchcase(found.name, pattern)])
        except FileNotFoundError:
            return iter(())

    @_wrap_errors
    def list_files(self) -> list["RemotePath"]:
        """All files below, however deep."""
        files, name = self.filesystem()
        return [self._from_listing(files, found) for found in files.find(name, detail=True).values()]

    @_wrap_errors
    def glob_files(self) -> list["RemotePath"]:
        """The files that this names, read as a pattern."""
        files, name = self.filesystem()
        found = files.glob(name, detail=True).values()
        return [self._from_listing(files, one) for one in found if one["type"] == "file"]

    def _from_listing(self, files: Any, found: Mapping[str, Any]) -> "RemotePath":
        return RemotePath(files.unstrip_protocol(found["name"]).replace(":///", "://"), found)


def _nanoseconds(changed: Any) -> int:
    if isinstance(changed, str):
        changed = datetime.fromisoformat(changed)
    return int((changed.timestamp() if isinstance(changed, datetime) else float(changed)) * 1e9)


def _is_other_path(found: str, folder: str) -> bool:
    return found.strip("/") != folder.strip("/")


def _import_fsspec(url: str) -> Any:
    try:
        return import_module("fsspec.core")
    except ImportError as error:
        raise _not_installed_error(url, "fsspec is not installed") from error


def _not_installed_error(url: str, why: str) -> ConfigError:
    package = _PACKAGES.get(url.split("://", 1)[0].lower(), "")
    fix = f"pip install 'fieldwise[remote]'{f' {package}' if package else ', and the package of fsspec for such addresses'}"
    return ConfigError([Diagnostic(code="not-installed", what=f"{url} cannot be reached: {why}", fix=fix)])
