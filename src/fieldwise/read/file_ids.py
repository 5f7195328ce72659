"""Ids that are names of document files, `x.pdf` on one side and `x` on the other, or keys of an object of answers.

Called where two sides are paired, once no id of one side occurs on the other as it is.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple, cast

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


class ValuesById(NamedTuple):
    """Answers by their ids, as an object of a file has them."""

    values: dict[str, Any]
    member: str | None
    """The member of the file that holds them; None if it is the file itself."""
    beside: Sequence[str]
    """The other members of the file."""

    def describe(self) -> str:
        """What the file holds, in words."""
        place = "the file" if self.member is None else f"`{self.member}` of the file"
        beside = f"; {', '.join(f'`{name}`' for name in self.beside)} beside it is not read" if self.beside else ""
        return f"{place} is an object of {len(self.values):,} values by their ids{beside}"


def find_values_by_id(document: Any, id_columns: Iterable[Collection[str]]) -> ValuesById | None:
    """The answers of a file, such as `{"q1": "Paris"}` or `{"answer": {"q1": "Paris"}, "version": 2}`, if their names are ids of the
    other side; None if they are not, or if several members could be them.

    >>> find_values_by_id({"answer": {"q1": "Paris"}, "version": 2}, [["q1", "q2"]]).values
    {'q1': 'Paris'}
    """
    if not isinstance(document, dict):
        return None
    members = cast("dict[str, Any]", document)
    ids = [*id_columns]
    if _are_answers(members):
        return ValuesById(members, None, ()) if _are_ids(members, ids) else None
    keyed = [name for name, member in members.items() if _are_answers(member) and _are_ids(member, ids)]
    return ValuesById(members[keyed[0]], keyed[0], [name for name in members if name != keyed[0]]) if len(keyed) == 1 else None


def _are_answers(value: Any) -> bool:
    """True for an object of nothing but texts, numbers and nulls."""
    members = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    has_answer = any(item is not None for item in members.values())
    return has_answer and all(item is None or isinstance(item, str | int | float) for item in members.values())


def _are_ids(names: Collection[str], id_columns: Sequence[Collection[str]]) -> bool:
    """True if the names in a file of answers are ids in a column of the other side, most of them or of those ids."""
    return any(len(set(names) & set(ids)) >= _MIN_KNOWN_IDS * min(len(names), len(ids)) > 0 for ids in id_columns)
