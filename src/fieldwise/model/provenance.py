"""Where the data of a run came from."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from fieldwise.dataclass import dataclass

_SHORT_HASH = 12
REQUEST: Final = "<request>"
"""Stands for the file of data that came in an HTTP request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSource:
    """One source of the data of a run."""

    role: str
    """`cases` for both sides in one, else `expected` or `actual`."""
    file: str
    """The file, folder or pattern as it was given; `<cases>` for data in memory, `<request>` for that of a request."""
    files: int = 1
    """Number of files."""
    bytes: int | None = None
    """Size of the files; None for data in memory, in a request or from standard input."""
    hash: str | None = None
    """Fingerprint of the content."""
    mapping: Mapping[str, Any] = field(default_factory=dict)
    """Role → column, and the id, record and renamed fields of one side."""

    def describe(self) -> str:
        """The source in words: `gold.jsonl (1,204 bytes, sha256:5f0c2e7a91d4), id key, record entities, company → vendor`."""
        parts = [] if self.files == 1 else [f"{self.files} files"]
        if self.bytes is not None:
            parts.append(f"{self.bytes:,} bytes")
        if self.hash:
            parts.append(_shorten_hash(self.hash))
        text = f"{self.file} ({', '.join(parts)})" if parts else self.file
        for name, value in self.mapping.items():
            if isinstance(value, Mapping):
                text += "".join(f", {old} → {new}" for old, new in value.items())
            elif name != value:
                text += f", {name} {value}"
        return text


def _shorten_hash(fingerprint: str) -> str:
    algorithm, _, digits = fingerprint.partition("sha256:")
    return fingerprint if algorithm else f"sha256:{digits[:_SHORT_HASH]}"


def name_data(sources: Sequence[DataSource]) -> str:
    """A short name for the data of a run: the file that the outputs came from."""
    source = next((source for source in reversed(sources)), None)
    return "" if source is None else source.file.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
