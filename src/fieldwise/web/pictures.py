"""The image of a case: found below folders that are meant for it, recognised by what is in it, and told where it is not there."""

import os
import re
import stat
import struct
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from fieldwise.model.case import Case
from fieldwise.store.run import Run
from fieldwise.web.settings import Settings

_NO_LINKS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER: Final = getattr(os, "O_DIRECTORY", 0)
_HEAD: Final = 300_000
"""Where the size of a JPEG is looked for; what comes before may hold a small picture of it."""
_SVG: Final = re.compile(rb"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<svg[\s>]", re.DOTALL)
_FRAMES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""The markers of a JPEG after which its size stands."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image that may be shown."""

    media: str
    content: bytes
    size: tuple[int, int] | None
    """Width and height in pixels, where they are easily seen."""


@dataclass(frozen=True, slots=True)
class NoImage:
    """Why there is nothing to show."""

    why: str


def named_in(case: Case) -> str | None:
    """What a case says its image is: a path, or data."""
    found: Any = case.metadata.get("image")
    return found if isinstance(found, str) and found else None


def image_of(settings: Settings, run: Run, case: Case) -> Image | NoImage:
    """The image of a case from below the configured folder, the suite's folder or the data folder, whichever has it first."""
    written = named_in(case)
    if written is None:
        return NoImage("the case names no image")
    if written.startswith("data:image/"):
        return _inline(written)
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+:", written):
        return NoImage("the image is at another address, and these pages ask nobody but their server")
    folders = list(_folders(settings, run))
    for folder in folders:
        content = _read(folder, written, settings.limits.image)
        if isinstance(content, bytes):
            media = media_of(content)
            return Image(media, content, size_of(content, media)) if media else NoImage("the file is no PNG, JPEG, GIF, WebP or SVG")
        if content == "too large":
            return NoImage(f"the image has more than {settings.limits.image:,} bytes")
    if not folders:
        return NoImage("the run has no suite file whose folder could have it; start the server with --images FOLDER")
    return NoImage("no such file below the suite's folder, or only by way of a link; `--images FOLDER` names another folder to look in")


def _inline(written: str) -> Image | NoImage:
    """An image that stands in the case itself."""
    head, _, body = written.partition(",")
    try:
        content = b64decode(body, validate=True) if head.endswith(";base64") else unquote_to_bytes(body)
    except ValueError:
        return NoImage("its data cannot be read")
    media = media_of(content)
    return Image(media, content, size_of(content, media)) if media else NoImage("its data is no PNG, JPEG, GIF, WebP or SVG")


def _folders(settings: Settings, run: Run) -> Iterator[Path]:
    if settings.images is not None:
        yield settings.images
    if run.manifest.suite_file:
        yield (settings.workspace / run.manifest.suite_file).parent
    if settings.data is not None:
        yield settings.data


def _read(folder: Path, written: str, most: int) -> bytes | str:
    """The content of a file below a folder, reached without any link and without going up; a word where there is none."""
    parts = _parts(folder, written)
    if not parts:
        return "outside"
    try:
        handle = _opened(folder, parts)
    except (OSError, ValueError):
        return "not there"
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            return "not there"
        with open(handle, "rb", closefd=False) as file:
            return "too large" if found.st_size > most else file.read(most + 1)
    finally:
        os.close(handle)


def _parts(folder: Path, written: str) -> tuple[str, ...]:
    """The steps from the folder to the file; none where it is not below it."""
    path = PurePosixPath(written)
    if path.is_absolute():
        try:
            path = path.relative_to(PurePosixPath(folder.resolve().as_posix()))
        except ValueError:
            return ()
    return () if ".." in path.parts or any("\0" in part or "\\" in part or ":" in part for part in path.parts) else path.parts


def _opened(folder: Path, parts: tuple[str, ...]) -> int:
    """The file, opened step by step, so that nobody can put a link in the way between a look and the opening."""
    if os.open not in os.supports_dir_fd:
        steps = [folder.resolve().joinpath(*parts[:end]) for end in range(1, len(parts) + 1)]
        if any(step.is_symlink() for step in steps):
            raise OSError("a link")
        return os.open(steps[-1], os.O_RDONLY | getattr(os, "O_BINARY", 0))
    here = os.open(folder, os.O_RDONLY | _FOLDER)
    try:
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | _FOLDER | _NO_LINKS, dir_fd=here)
            os.close(here)
            here = inner
        return os.open(parts[-1], os.O_RDONLY | _NO_LINKS, dir_fd=here)
    finally:
        os.close(here)


def media_of(content: bytes) -> str | None:
    """The type of an image by how it begins, whatever its name says; None for what is none.

    >>> media_of(b"GIF89a..."), media_of(b"<?xml version='1.0'?><svg>"), media_of(b"<html>")
    ('image/gif', 'image/svg+xml', None)
    """
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "image/webp"
    return "image/svg+xml" if _SVG.match(content[:4096]) else None


def size_of(content: bytes, media: str | None) -> tuple[int, int] | None:
    """Width and height in pixels; None where they cannot be told.

    >>> size_of(b"GIF89a" + bytes([2, 0, 3, 0]), "image/gif")
    (2, 3)
    """
    try:
        if media == "image/png":
            return struct.unpack(">II", content[16:24])
        if media == "image/gif":
            return struct.unpack("<HH", content[6:10])
        if media == "image/webp":
            return _webp(content)
        return _jpeg(content[:_HEAD]) if media == "image/jpeg" else None
    except (struct.error, IndexError):
        return None


def _webp(content: bytes) -> tuple[int, int] | None:
    kind = content[12:16]
    if kind == b"VP8X":
        return int.from_bytes(content[24:27], "little") + 1, int.from_bytes(content[27:30], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", content[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return None


def _jpeg(content: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 < len(content) and content[at] == 0xFF:
        marker, length = content[at + 1], int.from_bytes(content[at + 2 : at + 4], "big")
        if marker in _FRAMES:
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return None
