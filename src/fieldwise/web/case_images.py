"""The image of a case: located in allowed folders without following links, with its type detected from the content."""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal, cast

from fieldwise.model.case import Case
from fieldwise.report.image_size import decode_data_url, detect_media_type, read_image_size
from fieldwise.store.run import Run
from fieldwise.web.settings import Settings

_NO_LINK_FLAGS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER_FLAG: Final = getattr(os, "O_DIRECTORY", 0)
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
    content = decode_data_url(data_url)
    if content is None:
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
