"""The type and the size of an image, read from its first bytes."""

import re
import struct
from base64 import b64decode
from typing import Final
from urllib.parse import unquote_to_bytes

_JPEG_HEAD: Final = 300_000
"""Bytes of a JPEG that are searched for its size, which may follow an embedded thumbnail."""
_JPEG_FRAMES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""The markers of a JPEG that are followed by its size."""
_SVG_HEAD: Final = 4096
_SVG: Final = re.compile(rb"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<svg(?=[\s>])([^>]*)", re.DOTALL)
_SVG_LENGTH: Final = rb"\s%s\s*=\s*[\"']\s*(\d+(?:\.\d+)?)(?:px)?\s*[\"']"
_SVG_VIEW_BOX: Final = re.compile(rb"\sviewBox\s*=\s*[\"'](?:[^\s,\"']+[\s,]+){2}(\d+(?:\.\d+)?)[\s,]+(\d+(?:\.\d+)?)[\"']")


def decode_data_url(data_url: str) -> bytes | None:
    """The content of a `data:` address; None if it cannot be decoded."""
    head, _, body = data_url.partition(",")
    try:
        return b64decode(body, validate=True) if head.endswith(";base64") else unquote_to_bytes(body)
    except ValueError:
        return None


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
    return "image/svg+xml" if _SVG.match(content[:_SVG_HEAD]) else None


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
        if media == "image/svg+xml":
            return _svg_size(content[:_SVG_HEAD])
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


def _svg_size(content: bytes) -> tuple[int, int] | None:
    """Width and height of the root element in pixels, else the size of its view box."""
    root = _SVG.match(content)
    if root is None:
        return None
    lengths = [re.search(_SVG_LENGTH % name, root[1]) for name in (b"width", b"height")]
    sizes = [length[1] for length in lengths if length is not None]
    if len(sizes) < 2:
        view_box = _SVG_VIEW_BOX.search(root[1])
        sizes = [] if view_box is None else [view_box[1], view_box[2]]
    width, height = (round(float(size)) for size in sizes) if sizes else (0, 0)
    return (width, height) if width and height else None
