"""Ids that are names of document files, `x.pdf` on one side and `x` on the other, or keys of an object of answers.

Called where two sides are paired, once no id of one side occurs on the other as it is.
"""

from collections.abc import Collection
from typing import Any, Final, cast

_EXTENSIONS: Final = frozenset(
    (
        *("pdf", "png", "jpg", "jpeg", "tif", "tiff", "gif", "bmp", "webp", "heic", "svg"),
        *("json", "jsonl", "txt", "md", "xml", "html", "htm", "csv", "tsv", "eml", "msg"),
        *("doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "rtf", "wav", "mp3", "mp4"),
    )
)
"""Extensions of documents: `v1.2` and `Dr. No` have none."""
_MIN_KNOWN_IDS: Final = 0.5
"""Share of the names in a file of answers that must be ids of the other side, or of those ids that must be names."""


def strip_extension(name: str) -> str:
    """A name without the extension of a document file.

    >>> strip_extension("scan-1.PDF"), strip_extension("v1.2"), strip_extension(".pdf")
    ('scan-1', 'v1.2', '.pdf')
    """
    stem, _, extension = name.rpartition(".")
    return stem if stem and extension.lower() in _EXTENSIONS else name


def pairs_by_stem(expected: Collection[str], actual: Collection[str]) -> bool:
    """True if no id occurs on both sides as it is, and without extensions some do, each of them once on either side.

    >>> pairs_by_stem(["x.pdf", "y.pdf"], ["x", "y"]), pairs_by_stem(["x.pdf", "x.png"], ["x"]), pairs_by_stem(["x.pdf"], ["x.pdf"])
    (True, False, False)
    """
    if not set(expected).isdisjoint(actual):
        return False
    expected_stems, actual_stems = set(map(strip_extension, expected)), set(map(strip_extension, actual))
    if len(expected_stems) < len(set(expected)) or len(actual_stems) < len(set(actual)):
        return False
    return not expected_stems.isdisjoint(actual_stems)


def list_values_by_id(document: Any) -> dict[str, Any]:
    """The members of an object of nothing but texts and numbers; none for any other value."""
    members = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
    return members if all(isinstance(item, str | int | float) for item in members.values()) else {}


def are_ids(names: Collection[str], ids: Collection[str]) -> bool:
    """True if the names in a file of answers are ids of the other side, most of them or of those ids."""
    return bool(names) and len(set(names) & set(ids)) >= _MIN_KNOWN_IDS * min(len(names), len(ids)) > 0
