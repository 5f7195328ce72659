"""Find data files, detect their format, and open them, compressed or not."""

import glob
import gzip
import io
import os
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final, TypeVar, cast

import zstandard

from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.locations import Location, describe_unreachable, parse_location
from fieldwise.model.remote_path import RemotePath
from fieldwise.registry import IMPORTERS, nearest

FORMATS: Final[Mapping[str, str]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
"""Format by extension; `.gz` or `.zst` may follow."""
TEXT_SUFFIXES: Final = (".txt", ".md")
"""Extensions of files of which each is one output as text, with or without JSON in it, where a side is a folder or a pattern."""
_INSPECT_ARCHIVE: Final = ".eval"
_WORKBOOKS: Final = (".xlsx", ".xlsm", ".xls", ".ods")
_YAML: Final = (".yaml", ".yml")
_ARCHIVES: Final = (".zip", ".tar", ".tgz", ".7z", ".rar")
_COMPRESSED: Final = (".gz", ".zst")
_BLOCK: Final = 1 << 18
_COMPRESSED_BLOCK: Final = 1 << 10
"""Bytes decompressed at a time: Zstandard expands up to 32,768 times, so that these become 32 MB at most."""
_BYTE_ORDER_MARKS: Final = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
"""Byte order mark → encoding; that of UTF-32 begins as that of UTF-16, so it is first."""
NO_FILE: Final = "no-file"
"""Code of the error for a path that names no file."""
ENCODING_BYTES: Final = 64
"""Number of bytes at the start of a text that show its encoding."""
_OTHER_CONTENT: Final = {
    b"PK\x03\x04": ("the file is a ZIP archive or a workbook", "unpack it; save a sheet as CSV (in Excel: CSV UTF-8)"),
    b"\x1f\x8b": ("the file is compressed by gzip, which its name does not say", "let its name end in .gz"),
    b"\x28\xb5\x2f\xfd": ("the file is compressed by Zstandard, which its name does not say", "let its name end in .zst"),
    b"%PDF-": ("the file is a PDF document", "name the file with what was read out of the document"),
    b"version https://git-lfs": ("the file is a pointer of Git LFS, not the data", "get the data: `git lfs pull`"),
}
"""First bytes of files that hold no data in a format that is read, whatever their names say; what they are, and what to do."""


class UnreadableFile(Exception):
    """A file without any further cases. Only used inside `read/`; users see its diagnostic."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.what)


def detect_wide_encoding(start: bytes) -> str | None:
    """UTF-16 or UTF-32, by the byte order mark at the start of a text, or by the zeros of ASCII characters in one without; else None.

    >>> [detect_wide_encoding("имя,a".encode(encoding)) for encoding in ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32")]
    [None, 'utf-16', 'utf-16-le', 'utf-16-be', 'utf-32']
    """
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if start.startswith(mark):
            return encoding
    even_zeros, odd_zeros = start[:ENCODING_BYTES:2].count(0), start[1:ENCODING_BYTES:2].count(0)
    if max(even_zeros, odd_zeros) < 2:
        return None
    if odd_zeros > 2 * even_zeros:
        return "utf-16-le"
    return "utf-16-be" if even_zeros > 2 * odd_zeros else None


def decode_wide(content: bytes, encoding: str, file: str) -> str:
    """The text of a file in UTF-16 or UTF-32; `UnreadableFile` if it is not valid."""
    try:
        return content.decode(encoding)
    except UnicodeError as error:
        raise UnreadableFile(describe_invalid_encoding(encoding, file)) from error


def describe_invalid_encoding(encoding: str, file: str) -> Diagnostic:
    """The error for a file that begins as UTF-16 or UTF-32 and is not valid."""
    name = encoding[: len("utf-16")].upper()
    what, fix = f"the file begins as {name} but is not valid {name}", "save the file as UTF-8"
    return Diagnostic(code="invalid-utf16", what=what, where=Where(file=file), fix=fix)


@dataclass(slots=True)
class ReadProgress:
    """Number of bytes read, as they are on disk."""

    read: int = 0
    total: int | None = None
    """None for standard input."""


def find_files(pattern: str, suffixes: tuple[str, ...] = tuple(FORMATS)) -> list[Location]:
    """The files that a path, a folder or a glob names, in order; `UnreadableFile` if there are none."""
    path = parse_location(pattern)
    with remote_errors_as_unreadable(path):
        if path.is_dir():
            files = _keep_files(file for file in sorted(path.iterdir(), key=str) if get_data_suffix(file) in suffixes)
            what, fix = f"the folder {pattern} holds no file of cases", f"put files there that end in {', '.join(suffixes)}"
        elif path.exists():
            refuse_special_file(path)
            return [path]
        else:
            files = _expand_glob(path, pattern)
            what, fix = f"there is no file {pattern}", "" if files else _suggest_file(path)
        if not files:
            raise UnreadableFile(Diagnostic(code=NO_FILE, what=what, where=Where(file=pattern), fix=fix))
        return files


def find_record_files(pattern: str) -> list[Location]:
    """The files of one side: of a folder the `.json` files, or the texts if it has none; else as `find_files`."""
    if not parse_location(pattern).is_dir():
        return find_files(pattern)
    try:
        return find_files(pattern, (".json",))
    except UnreadableFile:
        with_texts = (".json", *TEXT_SUFFIXES)
        return find_files(pattern, with_texts)


def refuse_special_file(path: Location) -> None:
    """Raise `UnreadableFile` for a pipe, a device or a link to one: reading it may never end."""
    if isinstance(path, Path) and not path.is_file() and path.exists() and not path.is_dir():
        what = "this is not a regular file but a pipe, a socket or a device"
        fix = "name a file; to read cases from a pipe, write `-` and send them to standard input"
        raise UnreadableFile(Diagnostic(code="not-a-file", what=what, where=Where(file=str(path)), fix=fix))


@contextmanager
def remote_errors_as_unreadable(path: Location) -> Generator[None]:
    """Raise `UnreadableFile` with the reason if a remote location cannot be accessed."""
    try:
        yield
    except (ConfigError, OSError) as error:
        if isinstance(path, Path):
            raise
        diagnostic = error.diagnostics[0] if isinstance(error, ConfigError) else describe_unreachable(path, error)
        raise UnreadableFile(diagnostic) from error


def _expand_glob(path: Location, pattern: str) -> list[Location]:
    if isinstance(path, RemotePath):
        return [*sorted(path.glob_files())] if glob.has_magic(pattern) else []
    _refuse_closed_folders(pattern)
    names = glob.glob(pattern, recursive=True)  # noqa: PTH207 - Path.glob does not take absolute patterns
    return _keep_files(sorted(map(Path, names), key=attrgetter("parts")))  # paths themselves take four times as long to compare


def _keep_files(paths: Iterable[Location]) -> list[Location]:
    """The files among these paths, without folders; `UnreadableFile` for what cannot be read: a link to nothing, a pipe, a device.

    Leaving them out would leave out their cases unnoticed.
    """
    files: list[Location] = []
    for path in paths:
        if path.is_file():
            files.append(path)
            continue
        if isinstance(path, Path) and path.is_symlink() and not path.exists():
            what, fix = f"this is a link to {path.readlink()}, which is not there", "restore what it names, or remove the link"
            raise UnreadableFile(Diagnostic(code=NO_FILE, what=what, where=Where(file=str(path)), fix=fix))
        refuse_special_file(path)
    return files


def _refuse_closed_folders(pattern: str) -> None:
    """Raise `UnreadableFile` if a folder that a pattern goes through may not be listed: `glob` would leave it out without a word."""
    parts = Path(pattern).parts
    for end in range(1, len(parts)):
        prefix = str(Path(*parts[:end]))
        folders = glob.glob(f"{prefix}{os.sep}", recursive=True) if glob.has_magic(prefix) else [prefix]  # noqa: PTH207 - as above
        for folder in folders:
            if Path(folder).is_dir() and not os.access(folder, os.R_OK | os.X_OK):
                what, fix = "the folder cannot be listed: permission denied", "check its permissions, or name the folders that may be read"
                raise UnreadableFile(Diagnostic(code=NO_FILE, what=what, where=Where(file=str(Path(folder))), fix=fix))


def warn_unread_entries(folder: Location, suffixes: tuple[str, ...] = tuple(FORMATS)) -> list[Diagnostic]:
    """A warning about what a folder of cases holds besides the files that are read: data in other formats, and folders with data."""
    if not isinstance(folder, Path) or not folder.is_dir():
        return []
    unread: list[str] = []
    for entry in sorted(folder.iterdir()):
        suffix = get_data_suffix(entry)
        if entry.is_dir():
            if not os.access(entry, os.R_OK | os.X_OK) or any(get_data_suffix(file) in suffixes for file in entry.iterdir()):
                unread.append(f"{entry.name}/")
        elif suffix in FORMATS and suffix not in suffixes:
            unread.append(entry.name)
    if not unread:
        return []
    names = ", ".join(unread[:3]) + (f" and {len(unread) - 3} more" if len(unread) > 3 else "")
    what = f"only the files of this folder that end in {', '.join(suffixes)} are read, and not {names}"
    fix = f"name them by a pattern, such as `{folder}/**/*{suffixes[0]}`, or move them elsewhere"
    return [Diagnostic(code="unread-files", level="warning", what=what, where=Where(file=str(folder)), fix=fix)]


def _suggest_file(path: Location) -> str:
    """The fix for a path that does not exist."""
    folder = path.parent
    if any(sign in str(folder) for sign in "*?["):
        return "check the pattern"
    if not folder.is_dir():
        if isinstance(folder, RemotePath):
            return f"there is nothing in {folder} either; check the address, from the bucket on"
        return f"there is no folder {folder} either; paths are relative to the suite"
    closest = nearest(path.name, [file.name for file in folder.iterdir()])
    return f"did you mean {folder / closest}?" if closest else "check the path; it is relative to the suite"


AnyPath = TypeVar("AnyPath", Path, RemotePath, PurePosixPath, Location)


def strip_compression(path: AnyPath) -> AnyPath:
    """The path without the extension of a compression.

    >>> strip_compression(Path("a.jsonl.gz")).name
    'a.jsonl'
    """
    return path.with_suffix("") if path.suffix.lower() in _COMPRESSED else path


def get_data_suffix(path: Location) -> str:
    """The extension that names the format, without that of a compression."""
    return strip_compression(path).suffix.lower()


def get_data_stem(path: Location) -> str:
    """The file name without the extensions of format and compression."""
    return strip_compression(path).stem


AUTO: Final = "auto"
"""The written format that leaves the choice to the name of the file and, for JSON, to its content."""


def detect_format(path: Location, written: str | None) -> str:
    """The format of a file: `written` if it is set, else by its extension; `UnreadableFile` if neither is a format."""
    name = (written or FORMATS.get(get_data_suffix(path), "")).lower()
    name = FORMATS.get(f".{name}", name)
    if get_data_suffix(path) == _INSPECT_ARCHIVE and name in ("", AUTO, "inspect"):
        what, fix = "a log of Inspect in its binary format cannot be read", f"convert it: `inspect log dump {path.name} > log.json`"
        raise UnreadableFile(Diagnostic(code="unknown-format", what=what, where=Where(file=str(path)), fix=fix))
    if name in FORMATS.values() or name in IMPORTERS.names():
        return name
    if name == AUTO:
        return detect_format(path, None)
    if not written and get_data_suffix(path) in _WORKBOOKS:
        what, fix = "a workbook cannot be read", "save the sheet as CSV (in Excel: CSV UTF-8), or load it with pandas and call `fw.run`"
        raise UnreadableFile(Diagnostic(code="unknown-format", what=what, where=Where(file=str(path)), fix=fix))
    if not written and get_data_suffix(path) in _ARCHIVES:
        what, fix = "an archive cannot be read", "unpack it, and name the file or the folder"
        raise UnreadableFile(Diagnostic(code="unknown-format", what=what, where=Where(file=str(path)), fix=fix))
    if not written and get_data_suffix(path) in _YAML:
        what, fix = "a YAML file is not read as data", f"score a suite with `fieldwise run {path.name}`; save data as JSON, JSONL or CSV"
        raise UnreadableFile(Diagnostic(code="unknown-format", what=what, where=Where(file=str(path)), fix=fix))
    what = f"there is no format `{written}`" if written else f"the name of the file does not say what it holds: `{path.name}`"
    names = [*dict.fromkeys(FORMATS.values()), *IMPORTERS.names()]
    closest = nearest(name, names) if name else None
    fix = f"did you mean `{closest}`?" if closest else f"write `format:` with one of {', '.join(names)}"
    raise UnreadableFile(Diagnostic(code="unknown-format", what=what, where=Where(file=str(path)), fix=fix))


def open_bytes(path: Location, progress: ReadProgress) -> BinaryIO:
    """The uncompressed bytes of a file; counts the bytes read from disk in `progress`.

    `UnreadableFile` for a pipe or a device, and for a file that holds no data, whatever its name says.
    """
    refuse_special_file(path)
    raw = io.BufferedReader(_CountingReader(path.open("rb", buffering=0), progress), _BLOCK)
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return cast(BinaryIO, gzip.GzipFile(fileobj=raw))
    if suffix == ".zst":
        return io.BufferedReader(_ZstandardReader(raw), _BLOCK)
    start = raw.peek(1)
    for mark, (what, fix) in _OTHER_CONTENT.items():
        if start.startswith(mark):
            raw.close()
            raise UnreadableFile(Diagnostic(code="unreadable-file", what=what, where=Where(file=str(path)), fix=fix))
    return raw


class _CountingReader(io.RawIOBase):
    """A file that counts in a `ReadProgress` the bytes read from it."""

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


class _ZstandardReader(io.RawIOBase):
    """Decompresses Zstandard frames. Unlike the reader of the package it detects a truncated file."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._decompressed = b""
        self._has_started = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._decompressed:
            compressed = self._read_compressed()
            if not compressed:
                return 0
            self._has_started = True
            self._decompressed = self._frame.decompress(compressed)
        count = min(len(buffer), len(self._decompressed))
        buffer[:count] = self._decompressed[:count]
        self._decompressed = self._decompressed[count:]
        return count

    def _read_compressed(self) -> bytes:
        if not self._frame.eof:
            compressed = self._raw.read(_COMPRESSED_BLOCK)
            if not compressed and self._has_started:
                raise EOFError("the compressed file ends before its end marker")
            return compressed
        compressed = self._frame.unused_data or self._raw.read(_COMPRESSED_BLOCK)
        if compressed:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        return compressed

    def close(self) -> None:
        self._raw.close()
        super().close()


def get_glob_root(pattern: str) -> Location:
    """The folder that a glob starts from."""
    scheme, separator, rest = pattern.rpartition("://")
    fixed_parts: list[str] = []
    for part in Path(rest).parts[:-1]:
        if glob.has_magic(part):
            break
        fixed_parts.append(part)
    return RemotePath(f"{scheme}://{'/'.join(fixed_parts)}") if separator else Path(*fixed_parts)
