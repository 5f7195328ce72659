"""Find files, tell their format, and open them whether they are compressed or not."""

import glob
import gzip
import io
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final, TypeVar, cast

import zstandard

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.locations import Location, describe_unreachable, parse_location
from fieldwise.model.remote_path import RemotePath
from fieldwise.registry import nearest

FORMATS: Final[Mapping[str, str]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
"""What a file holds, by the end of its name; `.gz` or `.zst` may follow."""
_COMPRESSED: Final = (".gz", ".zst")
_BLOCK: Final = 1 << 18


class UnreadableFile(Exception):
    """A file that gives no more cases. It stays inside `read/`: its diagnostic is what the user sees."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.what)


@dataclass(slots=True)
class ReadProgress:
    """How far reading has come, in bytes as they lie on disk."""

    read: int = 0
    total: int | None = None
    """None for standard input."""


def find_files(pattern: str, suffixes: tuple[str, ...] = tuple(FORMATS)) -> list[Location]:
    """The files that a path, a folder or a glob names, in order; `Unreadable` where there are none."""
    path = parse_location(pattern)
    with remote_errors_as_unreadable(path):
        return _find(path, pattern, suffixes)


@contextmanager
def remote_errors_as_unreadable(path: Location) -> Generator[None]:
    """`Unreadable` with the reason if a remote place cannot be looked at."""
    try:
        yield
    except (ConfigError, OSError) as error:
        if isinstance(path, Path):
            raise
        raise UnreadableFile(error.diagnostics[0] if isinstance(error, ConfigError) else describe_unreachable(path, error)) from error


def _find(path: Location, pattern: str, suffixes: tuple[str, ...]) -> list[Location]:
    if path.is_dir():
        found = sorted((file for file in path.iterdir() if file.is_file() and get_data_suffix(file) in suffixes), key=str)
        what, fix = f"the folder {pattern} holds no file of cases", f"put files there that end in {', '.join(suffixes)}"
    elif path.exists():
        return [path]
    else:
        found = _matching(path, pattern)
        what, fix = f"there is no file {pattern}", _nearest_file(path)
    if not found:
        raise UnreadableFile(Diagnostic(code="no-file", what=what, where=Where(file=pattern), fix=fix))
    return found


def _matching(path: Location, pattern: str) -> list[Location]:
    if isinstance(path, RemotePath):
        return [*sorted(path.glob_files())] if glob.has_magic(pattern) else []
    return [*sorted(Path(name) for name in glob.glob(pattern, recursive=True) if Path(name).is_file())]  # noqa: PTH207 - takes whole paths


def _nearest_file(path: Location) -> str:
    folder = path.parent
    if any(sign in str(folder) for sign in "*?["):
        return "check the pattern"
    if not folder.is_dir():
        if isinstance(folder, RemotePath):
            return f"there is nothing in {folder} either; check the address, from the bucket on"
        return f"there is no folder {folder} either; paths are relative to the suite"
    like = nearest(path.name, [file.name for file in folder.iterdir()])
    return f"did you mean {folder / like}?" if like else "check the path; it is relative to the suite"


_Named = TypeVar("_Named", Path, RemotePath, PurePosixPath, Location)


def strip_compression(path: _Named) -> _Named:
    """The name a file would have uncompressed.

    >>> without_compression(Path("a.jsonl.gz")).name
    'a.jsonl'
    """
    return path.with_suffix("") if path.suffix.lower() in _COMPRESSED else path


def get_data_suffix(path: Location) -> str:
    """The end of the name that says what the file holds."""
    return strip_compression(path).suffix.lower()


def get_data_stem(path: Location) -> str:
    """The name without the ends that say what the file holds."""
    return strip_compression(path).stem


def detect_format(path: Location, given: str | None) -> str:
    """The format of a file: the one that is given, else by its name; `Unreadable` where neither says."""
    name = (given or FORMATS.get(get_data_suffix(path), "")).lower()
    name = FORMATS.get(f".{name}", name)
    if name in FORMATS.values():
        return name
    what = f"there is no format `{given}`" if given else f"the name of the file does not say what it holds: `{path.name}`"
    valid = ", ".join(dict.fromkeys(FORMATS.values()))
    raise UnreadableFile(
        Diagnostic(code="unknown-format", what=what, where=Where(file=str(path)), fix=f"write `format:` with one of {valid}")
    )


def open_bytes(path: Location, progress: ReadProgress) -> BinaryIO:
    """The uncompressed bytes of a file, counting how much of it was read."""
    raw = io.BufferedReader(_Counted(path.open("rb", buffering=0), progress), _BLOCK)
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return cast(BinaryIO, gzip.GzipFile(fileobj=raw))
    if suffix == ".zst":
        return io.BufferedReader(_Zstandard(raw), _BLOCK)
    return raw


class _Counted(io.RawIOBase):
    """A file that tells a `SizeHint` how much was read of it."""

    def __init__(self, file: Any, progress: ReadProgress) -> None:
        self._file = file
        self._progress = progress

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._file.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: bytearray | memoryview) -> int | None:  # type: ignore[override]
        count = self._file.readinto(buffer)
        self._progress.read += count or 0
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


class _Zstandard(io.RawIOBase):
    """Zstandard frames, uncompressed. Unlike the reader of the package it notices a file that was cut short."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._ready = b""
        self._begun = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            compressed = self._next_input()
            if not compressed:
                return 0
            self._begun = True
            self._ready = self._frame.decompress(compressed)
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _next_input(self) -> bytes:
        if not self._frame.eof:
            compressed = self._raw.read(_BLOCK)
            if not compressed and self._begun:
                raise EOFError("the compressed file ends before its end marker")
            return compressed
        compressed = self._frame.unused_data or self._raw.read(_BLOCK)
        if compressed:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        return compressed

    def close(self) -> None:
        self._raw.close()
        super().close()
