"""Checksums of stored files: SHA-256 of each part file, in its part and in the manifest, and of each JSON file, in its first key.

They are written with the file and verified when it is read, so that a damaged or edited file is reported and never read as a number.
Files of versions before 0.2 have none; for them, the checksums of Parquet's pages are all there is.
"""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from fieldwise.model.locations import Location
from fieldwise.store.stored_json import dump_json, load_json

_MAX_VERIFIED_FILES: Final = 4096
_CHECKSUM_KEY: Final = "checksum"


class ChecksumMismatch(ValueError):
    """The content of a file is not what was written."""

    def __init__(self) -> None:
        super().__init__("its checksum does not match, so it was damaged or edited after it was written")


def sha256(content: bytes | memoryview) -> str:
    """The SHA-256 of a content, with its prefix."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def dump_sealed(value: Mapping[str, Any]) -> bytes:
    """The JSON text of an object, preceded by the checksum of that text.

    >>> dump_sealed({"a": 1})[:30]
    b'{"checksum":"sha256:015abd7f5c'
    """
    text = dump_json(value)
    return f'{{"{_CHECKSUM_KEY}":"{sha256(text)}",'.encode() + text[1:]


_SEAL_LENGTH: Final = len(dump_sealed({"a": 1})) - len(b'"a":1}')


def load_sealed(content: bytes) -> dict[str, Any]:
    """The object that `dump_sealed` wrote, or one without a checksum; ChecksumMismatch if it was changed, ValueError if it is no object."""
    value = load_json(content)
    if not isinstance(value, dict):
        raise ValueError("it does not hold a JSON object")
    if _CHECKSUM_KEY in value and value.pop(_CHECKSUM_KEY) != sha256(b"{" + content[_SEAL_LENGTH:]):
        raise ChecksumMismatch
    return value


def is_sealed(content: bytes) -> bool:
    """True if the text begins with a checksum."""
    return content.startswith(f'{{"{_CHECKSUM_KEY}":'.encode())


def verify_checksum(path: Location, checksum: str) -> None:
    """Raise ChecksumMismatch if a file does not have this checksum. A file that did not change since is read once."""
    stat = path.stat()
    if _hash_file(path, stat.st_size, stat.st_mtime_ns) != checksum:
        raise ChecksumMismatch


# `size` and `changed` are part of the key only: a file that was written again is hashed again.
@lru_cache(maxsize=_MAX_VERIFIED_FILES)
def _hash_file(path: Location, size: int, changed: int) -> str:
    """The checksum of a file."""
    del size, changed
    with path.open("rb") as file:
        stream: Any = file
        return f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"
