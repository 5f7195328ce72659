"""The image of a case: located in allowed folders without following links, with its type detected from the content."""

import os
import re
import stat
import struct
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal, cast
from urllib.parse import unquote_to_bytes

from fieldwise.model.case import Case
from fieldwise.store.run import Run
from fieldwise.web.settings import Settings

_NO_LINK_FLAGS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER_FLAG: Final = getattr(os, "O_DIRECTORY", 0)
_JPEG_HEAD: Final = 300_000
"""Bytes of a JPEG that are searched for its size, which may follow an embedded thumbnail."""
_SVG: Final = re.compile(rb"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<svg[\s>]", re.DOTALL)
_JPEG_FRAMES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""The markers of a JPEG that are followed by its size."""
_FORMATS: Final = "PNG, JPEG, GIF, WebP or SVG"
ReadFailure = Literal["outside", "not found", "too large"]


@dataclass(frozen=True, slots=True)
class CaseImage:
    """An image that may be shown."""

    media: str
    content: bytes
    size: tuple[int, int] | None
    """Width and height in pixels, if the header has them."""


@dataclass(frozen=True, slots=True)
class ImageProblem:
    """Why no image can be shown."""

    reason: str


def image_reference(case: Case, page: int | None = None) -> str | None:
    """The path or the data URL of the image of a case, or of one of its pages.

    It is the metadata key `image`; for pages beyond the first, or without that key, the item of the list `images`.
    """
    single: Any = case.metadata.get("image")
    if isinstance(single, str) and single and page in (None, 1):
        return single
    pages: Any = case.metadata.get("images")
    number = 1 if page is None else page
    value: Any = pages[number - 1] if isinstance(pages, list) and 1 <= number <= len(cast("list[Any]", pages)) else None
    return value if isinstance(value, str) and value else None


def load_image(settings: Settings, run: Run, case: Case, page: int | None = None) -> CaseImage | ImageProblem:
    """Load the image of a case from the first of these folders that has it: images, suite, data."""
    reference = image_reference(case, page)
    if reference is None:
        return ImageProblem("the case names no image")
    if reference.startswith("data:image/"):
        return _decode_inline(reference)
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+:", reference):
        return ImageProblem("the image is at another address, and these pages make no requests to other servers")
    folders = list(_image_folders(settings, run))
    for folder in folders:
        content = _read_below(folder, reference, settings.limits.image)
        if isinstance(content, bytes):
            return _make_image(content) or ImageProblem(f"the file is no {_FORMATS}")
        if content == "too large":
            return ImageProblem(f"the image has more than {settings.limits.image:,} bytes")
    if not folders:
        return ImageProblem("the run has no suite file whose folder could have it; start the server with --images FOLDER")
    return ImageProblem("there is no such file in the suite's folder, or it is a link; `--images FOLDER` adds another folder")


def _make_image(content: bytes) -> CaseImage | None:
    """An image of a supported format; None for other content."""
    media = detect_media_type(content)
    return CaseImage(media, content, read_image_size(content, media)) if media else None


def _decode_inline(data_url: str) -> CaseImage | ImageProblem:
    head, _, body = data_url.partition(",")
    try:
        content = b64decode(body, validate=True) if head.endswith(";base64") else unquote_to_bytes(body)
    except ValueError:
        return ImageProblem("its data URL cannot be decoded")
    return _make_image(content) or ImageProblem(f"its data is no {_FORMATS}")


def _image_folders(settings: Settings, run: Run) -> Iterator[Path]:
    if settings.images is not None:
        yield settings.images
    if run.manifest.suite_file:
        yield (settings.workspace / run.manifest.suite_file).parent
    if settings.data is not None:
        yield settings.data


def _read_below(folder: Path, reference: str, max_bytes: int) -> bytes | ReadFailure:
    """Read a file below a folder, without following links or `..`."""
    parts = _path_below(folder, reference)
    if not parts:
        return "outside"
    try:
        handle = _open_without_links(folder, parts)
    except (OSError, ValueError):
        return "not found"
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return "not found"
        with open(handle, "rb", closefd=False) as file:
            return "too large" if status.st_size > max_bytes else file.read(max_bytes + 1)
    finally:
        os.close(handle)


def _path_below(folder: Path, reference: str) -> tuple[str, ...]:
    """The path from a folder to a file; empty if the file is not below the folder."""
    path = PurePosixPath(reference)
    if path.is_absolute():
        try:
            path = path.relative_to(PurePosixPath(folder.resolve().as_posix()))
        except ValueError:
            return ()
    if ".." in path.parts or any("\0" in part or "\\" in part or ":" in part for part in path.parts):
        return ()
    return path.parts


def _open_without_links(folder: Path, parts: tuple[str, ...]) -> int:
    """Open a file folder by folder, so that no link can be inserted between a check and the opening."""
    if os.open not in os.supports_dir_fd:
        steps = [folder.resolve().joinpath(*parts[:end]) for end in range(1, len(parts) + 1)]
        if any(step.is_symlink() for step in steps):
            raise OSError("a link")
        return os.open(steps[-1], os.O_RDONLY | getattr(os, "O_BINARY", 0))
    parent = os.open(folder, os.O_RDONLY | _FOLDER_FLAG)
    try:
        for part in parts[:-1]:
            child = os.open(part, os.O_RDONLY | _FOLDER_FLAG | _NO_LINK_FLAGS, dir_fd=parent)
            os.close(parent)
            parent = child
        return os.open(parts[-1], os.O_RDONLY | _NO_LINK_FLAGS, dir_fd=parent)
    finally:
        os.close(parent)


def detect_media_type(content: bytes) -> str | None:
    """The type of an image by its first bytes, whatever its name; None for anything else.

    >>> detect_media_type(b"GIF89a..."), detect_media_type(b"<?xml version='1.0'?><svg>"), detect_media_type(b"<html>")
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


def read_image_size(content: bytes, media: str | None) -> tuple[int, int] | None:
    """Width and height in pixels; None if the header does not have them.

    >>> read_image_size(b"GIF89a" + bytes([2, 0, 3, 0]), "image/gif")
    (2, 3)
    """
    try:
        if media == "image/png":
            return struct.unpack(">II", content[16:24])
        if media == "image/gif":
            return struct.unpack("<HH", content[6:10])
        if media == "image/webp":
            return _webp_size(content)
        return _jpeg_size(content[:_JPEG_HEAD]) if media == "image/jpeg" else None
    except (struct.error, IndexError):
        return None


def _webp_size(content: bytes) -> tuple[int, int] | None:
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


def _jpeg_size(content: bytes) -> tuple[int, int] | None:
    offset = 2
    while offset + 9 < len(content) and content[offset] == 0xFF:
        marker, length = content[offset + 1], int.from_bytes(content[offset + 2 : offset + 4], "big")
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", content[offset + 5 : offset + 9])
            return width, height
        offset += 2 + length
    return None
