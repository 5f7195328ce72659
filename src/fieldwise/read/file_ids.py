"""Ids that each side writes differently, `x.pdf` and `x` or `007` and `7`, or that are keys of an object of answers.

Called where two sides are paired.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple, cast

from fieldwise.pattern import compile_on_use

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


_LAST_NUMBER: Final = compile_on_use(r"(?s)(.*?)(?<![0-9])(?<![0-9][.,])([0-9]+)([^0-9]*)")
"""A number at the end of an id, not the decimals of one: 1.01 is not 1.1."""


def strip_zeros(id: str) -> str:
    """An id whose last number has no leading zeros.

    >>> strip_zeros("scan-007"), strip_zeros("000"), strip_zeros("d10"), strip_zeros("1.01")
    ('scan-7', '0', 'd10', '1.01')
    """
    match = _LAST_NUMBER.fullmatch(id)
    return id if match is None else f"{match[1]}{match[2].lstrip('0') or '0'}{match[3]}"


def _strip_both(id: str) -> str:
    return strip_zeros(strip_extension(id))


class IdForm(NamedTuple):
    """A form in which the ids of both sides are the same."""

    simplify: Callable[[str], str]
    code: str
    """The code of the diagnostic that reports it."""
    phrase: str
    """What the form leaves out, in words."""

    def describe(self, expected: Collection[str], actual: Collection[str]) -> str:
        """That ids are paired in this form, with one of them as an example."""
        actual_by_form = {self.simplify(id): id for id in actual}
        pairs = [(id, actual_by_form.get(self.simplify(id), id)) for id in expected]
        example, opposite = next(pair for pair in pairs if pair[0] != pair[1])
        return f"ids are paired {self.phrase}: `{example}` of expected is `{opposite}` of actual"


_WITHOUT_EXTENSION: Final = IdForm(strip_extension, "paired-by-stem", "without the extension of a file")
_WITHOUT_ZEROS: Final = IdForm(strip_zeros, "paired-without-zeros", "without leading zeros")
_WITHOUT_BOTH: Final = IdForm(_strip_both, "paired-without-zeros", "without the extension of a file and leading zeros")
_MIN_WITHOUT_ZEROS: Final = 0.5
"""Share of the ids of the smaller side that must pair without their leading zeros."""
_MIN_PAIRS_WITHOUT_ZEROS: Final = 2
"""One pair shows no way of padding: `01` and `1` alone may be two documents."""


def may_differ_in_form(expected: Collection[str], actual: Collection[str]) -> bool:
    """False if these ids, the first ones of each side, show that both sides write them alike."""
    has_extension = any(strip_extension(id) != id for id in (*expected, *actual))
    if has_extension and set(expected).isdisjoint(actual):
        return True
    padded = [any(strip_zeros(id) != id for id in ids) for ids in (expected, actual)]
    return any(padded) and not (all(padded) and _measure_width(expected) == _measure_width(actual))


def find_id_form(expected: Collection[str], actual: Collection[str]) -> IdForm | None:
    """The form in which ids pair that do not pair as they are; None if they do, or if two ids of a side would become one.

    >>> [form and form.phrase for form in (find_id_form(["x.pdf", "y.pdf"], ["x", "y"]), find_id_form(["007", "100"], ["7", "100"]))]
    ['without the extension of a file', 'without leading zeros']
    >>> find_id_form(["x.pdf", "x.png"], ["x"]), find_id_form(["x.pdf"], ["x.pdf"]), find_id_form(["007", "07"], ["7"])
    (None, None, None)
    """
    if set(expected).isdisjoint(actual) and _pairs_as(_WITHOUT_EXTENSION, expected, actual):
        return _WITHOUT_EXTENSION
    if _pairs_without_zeros(expected, actual) and _pairs_as(_WITHOUT_ZEROS, expected, actual):
        return _WITHOUT_ZEROS
    stems = [[*map(strip_extension, ids)] for ids in (expected, actual)]
    if set(expected).isdisjoint(actual) and _pairs_without_zeros(*stems) and _pairs_as(_WITHOUT_BOTH, expected, actual):
        return _WITHOUT_BOTH
    return None


def _pairs_as(form: IdForm, expected: Collection[str], actual: Collection[str]) -> bool:
    """True if some ids are the same in this form, each of them once on either side."""
    expected_forms, actual_forms = set(map(form.simplify, expected)), set(map(form.simplify, actual))
    if len(expected_forms) < len(set(expected)) or len(actual_forms) < len(set(actual)):
        return False
    return not expected_forms.isdisjoint(actual_forms)


def _pairs_without_zeros(expected: Collection[str], actual: Collection[str]) -> bool:
    """True if each side pads its numbers in a way of its own, and more ids pair without leading zeros: most of the smaller side."""
    widths = _measure_width(expected), _measure_width(actual)
    if None in widths or widths[0] == widths[1]:
        return False
    paired = len(set(map(strip_zeros, expected)) & set(map(strip_zeros, actual)))
    needed = max(_MIN_PAIRS_WITHOUT_ZEROS, _MIN_WITHOUT_ZEROS * min(len(set(expected)), len(set(actual))))
    return paired > len(set(expected) & set(actual)) and paired >= needed


def _measure_width(ids: Collection[str]) -> int | None:
    """The number of digits to which the last numbers of all ids are padded; None if they are padded in several ways, or missing.

    >>> _measure_width(["007", "100", "1000"]), _measure_width(["7", "100"]), _measure_width(["007", "07"]), _measure_width(["a"])
    (3, 1, None, None)
    """
    matches = [_LAST_NUMBER.fullmatch(id) for id in ids]
    numbers = [match[2] for match in matches if match is not None]
    if not numbers or len(numbers) < len(ids):
        return None
    width = min(map(len, numbers))
    return None if any(number.startswith("0") and len(number) > width for number in numbers) else width


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
