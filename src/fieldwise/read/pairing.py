"""Propose from the data how two sides pair: which columns identify rows, where the records are, which fields have other names."""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from fieldwise.kernels.values import to_nfc
from fieldwise.model.locations import Location, parse_location
from fieldwise.model.path import render_path
from fieldwise.model.plan import SideMapping, Source
from fieldwise.read.columns import USUAL_NAMES, fold_name
from fieldwise.read.document_records import find_only_list
from fieldwise.read.files import TEXT_SUFFIXES, ReadProgress, UnreadableFile, find_record_files, get_data_stem, get_data_suffix, open_bytes
from fieldwise.read.records_in_text import find_record
from fieldwise.read.side_mapping import SideMapper, locate
from fieldwise.read.table_files import MAX_DOCUMENT_BYTES, read_each

MAX_ROWS: Final = 20_000
"""Number of rows of each side to look at."""
_MIN_OVERLAP_BY_ID_NAMES: Final = (2.0, 0.9, 0.5)
"""Share of the ids of the smaller side that must occur on the other, by how many of the two columns are named like an id; never for none:
a column of data may have the same values on both sides too."""
_MAX_COUNT_DIGITS: Final = 9
_MAX_COUNT_SPREAD: Final = 2
"""Numbers count up if they spread over at most this many times their number, and begin that low."""
MIN_UNIQUE: Final = 0.99
_MIN_UNIQUE_IDS: Final = 0.5
"""The same for a column `id`: rows without an id, or with that of another row, are reported one by one."""
MIN_AGREEMENT: Final = 0.6
"""Share of paired records in which two fields must have equal values to be taken for one."""
MIN_AGREEING: Final = 2
MIN_ROWS: Final = 20
"""Number of pairs from which on a field with equal values in all of them is remarkable."""
_ID_NAMES: Final = frozenset({"id", *(name for group in USUAL_NAMES["id"] for name in group)})
_ID_ENDING: Final = re.compile(r"(?:[_\- ]|^)(?:id|no|nr|number|key|uuid)$|(?<=[a-z])(?:Id|ID|No|Nr|Number|Key)$")
FILE_NAME: Final = "(file name)"
_SAMPLE: Final = 200
"""Number of rows that decide what a column holds."""
_MOST: Final = 0.8
_ROLE_NAMES: Final = {role: frozenset({role, *(name for group in groups for name in group)}) for role, groups in USUAL_NAMES.items()}
_CERTAIN_PREFIXES: Final = ("expected", "gold", "groundtruth", "correct", "actual", "model", "generated", "predict", "system", "hypothesis")
"""Beginnings of folded names that no field of a record has: `reference` or `response` may be data, `gold_answer` is not."""


class Rename(NamedTuple):
    """A field of expected that has another name in actual."""

    expected: str
    actual: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Pairing:
    """How the two sides pair."""

    expected: SideMapping
    actual: SideMapping
    keys: tuple[str | None, str | None] = (None, None)
    """The column, path or file name that identifies the rows of each side."""
    renames: Sequence[Rename] = ()
    """Fields that seem to be one, with the reason; not part of the mappings."""
    counts: tuple[int, int] = (0, 0)
    """Number of rows that were looked at, expected and actual."""
    shares_ids: bool = True
    """False if the ids that were found from the data have no value in common."""
    common_fields: Sequence[str] = ()
    own_fields: tuple[Sequence[str], Sequence[str]] = field(default=((), ()))
    """The fields that only expected has, and only actual has."""
    equal_fields: Sequence[str] = ()
    """The common fields with equal values in every pair, where others differ: the output may only repeat them from the input."""
    notes: Sequence[str] = ()
    """What was recognized in the files, in words."""
    record_lists: Sequence[str] = ()
    """Lists in files that were read as one record, which may be lists of records, in words."""

    def with_same_names(self) -> "Pairing":
        """The pairing with those renames in the mapping of expected whose names differ only in case, separators and signs."""
        same = [rename for rename in self.renames if fold_name(rename.expected) == fold_name(rename.actual)]
        return replace(
            self,
            expected=replace(self.expected, rename={**self.expected.rename, **{rename.expected: rename.actual for rename in same}}),
            renames=[rename for rename in self.renames if rename not in same],
            common_fields=[*self.common_fields, *(rename.actual for rename in same)],
        )

    def with_renames(self) -> "Pairing":
        """The pairing with the proposed renames in the mapping of expected."""
        renames = {rename.expected: rename.actual for rename in self.renames}
        return replace(self, expected=replace(self.expected, rename={**self.expected.rename, **renames}))

    def list_extra_fields(self) -> list[str]:
        """The fields that only actual has, without those that are renamed ones of expected."""
        renamed = {*self.expected.rename.values(), *(rename.actual for rename in self.renames)}
        return [name for name in self.own_fields[1] if name not in renamed] if self.common_fields or renamed else []

    @property
    def has_common_fields(self) -> bool:
        """False if the records of both sides have fields and none is, or may be, one of the other side."""
        return bool(self.common_fields or self.renames or self.expected.rename) or not all(self.own_fields)

    def describe_ids(self) -> str:
        """What the rows are paired by, in words; empty if nothing identifies them."""
        if self.keys == (FILE_NAME, FILE_NAME):
            return "the names of the files"
        if None in self.keys:
            return ""
        left, right = (f"`{key}`" for key in self.keys)
        return left if left == right else f"{left} = {right}"

    def describe(self, paired: int, expected: int) -> list[str]:
        """How the rows were paired and how many, where the records are, and which fields may be one, in words."""
        by = self.describe_ids() or "their number: no column identifies them on both sides (--id EXPECTED=ACTUAL names it)"
        lines = [*self.notes, f"{paired:,} of {expected:,} expected rows have an actual one, paired by {by}"]
        for side, mapping in (("expected", self.expected), ("actual", self.actual)):
            if mapping.record is not None:
                lines.append(f"the {side} record is `{mapping.record}` of each row")
        lines += [f"`{old}` is compared with `{new}`" for old, new in self.expected.rename.items()]
        for rename in self.renames:
            option = f"--rename {shlex.quote(f'{rename.expected}={rename.actual}')}"
            lines.append(f"`{rename.expected}` may be `{rename.actual}` ({rename.evidence}): {option}")
        return lines

    def apply_to(self, source: Source) -> Source:
        """The source, read in this way."""
        sides = {"expected": self.expected, "actual": self.actual}
        return replace(source, mappings={side: mapping for side, mapping in sides.items() if mapping != SideMapping()})


class _SideRows(NamedTuple):
    rows: list[dict[str, Any]]
    names: list[str]
    """The name of each row's file."""
    are_files: bool
    """Whether each file is one record."""
    notes: Sequence[str] = ()
    """What was recognized in the files."""


def propose_pairing(expected: str, actual: str, *, ids: tuple[str, str] | None = None, renames: Mapping[str, str] | None = None) -> Pairing:
    """How two files or folders pair. `ids` and `renames` (expected → actual) are given by the user and hold."""
    sides = _read_side(expected), _read_side(actual)
    keys = ids or _find_ids(*sides)
    records = _find_answers(sides[0].rows, sides[1].rows, keys) or _find_records(
        sides[0].rows, sides[1].rows, same_file=_are_same(expected, actual)
    )
    mappings = [SideMapping(id=None if key == FILE_NAME else key, record=record) for key, record in zip(keys, records, strict=True)]
    mappings[0] = replace(mappings[0], rename=dict(renames or {}))
    pairs = list(_pair_rows(sides, mappings, keys))
    expected_fields = _list_fields(record for record, _ in pairs)
    actual_fields = _list_fields(record for _, record in pairs)
    left_out = {name for name in keys if name}
    only_expected = [name for name in expected_fields if name not in actual_fields and name not in left_out]
    only_actual = [name for name in actual_fields if name not in expected_fields and name not in left_out]
    common_fields = [name for name in expected_fields if name in actual_fields and name not in left_out]
    equal_fields = [name for name in common_fields if _is_equal_everywhere(pairs, name)] if len(pairs) >= MIN_ROWS else []
    return Pairing(
        expected=mappings[0],
        actual=mappings[1],
        keys=keys,
        renames=_find_renames(pairs, only_expected, only_actual) + _find_flattened(pairs, only_expected, only_actual),
        counts=(len(sides[0].rows), len(sides[1].rows)),
        shares_ids=bool(pairs) or ids is not None or None in keys or FILE_NAME in keys,
        common_fields=common_fields,
        own_fields=(only_expected, only_actual),
        equal_fields=equal_fields if len(equal_fields) < len(common_fields) else [],
        notes=[*sides[0].notes, *sides[1].notes, *(_note_other_ids(*sides, keys) if ids is None else ())],
        record_lists=[*_describe_list(sides[0]), *_describe_list(sides[1])],
    )


def _describe_list(side: _SideRows) -> list[str]:
    """The only list of objects in the only record of a side."""
    name = find_only_list(side.rows[0]) if side.are_files and len(side.rows) == 1 else None
    return [] if name is None else [f"`{name}` of {side.names[0]}"]


def _read_side(pattern: str) -> _SideRows:
    """The first rows of a side; none if it cannot be read, which reading it for a run reports."""
    rows: list[dict[str, Any]] = []
    names: list[str] = []
    notes: dict[str, None] = {}
    are_files = True
    try:
        files = find_record_files(pattern)
    except UnreadableFile:
        return _SideRows([], [], False)
    texts = [file for file in files if get_data_suffix(file) in TEXT_SUFFIXES]
    if texts:
        return _read_texts(texts)
    for batch in read_each(files, None, 1024, ReadProgress(), []):
        are_files = are_files and batch.numbering == "file"
        rows += batch.values
        names += [get_data_stem(parse_location(file)) for file in batch.files]
        notes.update({f"{parse_location(batch.files[0]).name}: {note.what}": None for note in batch.notes if note.code != "imported"})
        if len(rows) >= MAX_ROWS:
            break
    return _SideRows(rows[:MAX_ROWS], names[:MAX_ROWS], are_files, [*notes])


def _read_texts(files: Sequence[Location]) -> _SideRows:
    """The records found in text files, one in each; empty where there is none."""
    rows: list[dict[str, Any]] = []
    for file in files[:MAX_ROWS]:
        with open_bytes(file, ReadProgress()) as stream:
            record = find_record(stream.read(MAX_DOCUMENT_BYTES).decode("utf-8", errors="replace")).value
        rows.append(record if isinstance(record, dict) else {})
    return _SideRows(rows, [get_data_stem(file) for file in files[:MAX_ROWS]], True)


def count_records(pattern: str) -> int | None:
    """Number of rows of a table; None for a file that is one record itself. At most MAX_ROWS are counted."""
    side = _read_side(pattern)
    return None if side.are_files and len(side.rows) == 1 else len(side.rows)


def _find_ids(expected: _SideRows, actual: _SideRows) -> tuple[str | None, str | None]:
    """The columns or paths whose values identify rows and occur on both sides; None for a side if there are none.

    A run pairs by `id` and its usual synonyms: they win wherever they share values, and stay chosen where nothing is shared at all.
    """
    if expected.are_files and actual.are_files:
        return FILE_NAME, FILE_NAME
    expected_ids, actual_ids = (_list_id_values(side) for side in (expected, actual))
    have_usual_ids = any(map(_is_usual_id, expected_ids)) and any(map(_is_usual_id, actual_ids))
    best: tuple[float, ...] = (0.0,)
    chosen: tuple[str | None, str | None] = (None, None)
    for (left, left_values), (right, right_values) in product(expected_ids.items(), actual_ids.items()):
        overlap = len(left_values & right_values) / max(min(len(left_values), len(right_values)), 1)
        id_names = _is_id_name(left) + _is_id_name(right)
        is_same_name = fold_name(left) == fold_name(right)
        is_usual = _is_usual_id(left) and _is_usual_id(right)
        counts_up = _counts_up(left_values) or _counts_up(right_values)
        is_shared = overlap >= _MIN_OVERLAP_BY_ID_NAMES[id_names] and not (counts_up and (id_names < 2 or have_usual_ids))
        if is_usual:
            is_shared = overlap > 0 and (is_same_name or not counts_up or overlap >= _MIN_OVERLAP_BY_ID_NAMES[2])
        rank = (is_usual, is_usual and is_same_name, round(overlap, 2), id_names, is_same_name)
        if is_shared and rank > best:
            best, chosen = rank, (left, right)
    if chosen == (None, None) and have_usual_ids:
        return next(((name, name) for name in expected_ids if name in actual_ids and _is_usual_id(name)), chosen)
    return chosen


def _note_other_ids(expected: _SideRows, actual: _SideRows, keys: tuple[str | None, str | None]) -> list[str]:
    """Columns that a run would take for the id as well as the chosen ones, in words; none beside `id` itself and the names of files."""
    if keys[0] is None or keys[0] == FILE_NAME or fold_name(keys[0]) == "id":
        return []
    expected_ids, actual_ids = _list_id_values(expected), _list_id_values(actual)
    others = [name for name in expected_ids if name in actual_ids and name not in keys and _is_usual_id(name)]
    shared = [name for name in others if expected_ids[name] & actual_ids[name]]
    return [f"`{name}` could identify the rows too: --id {shlex.quote(f'{name}={name}')}" for name in shared]


def _is_usual_id(name: str) -> bool:
    return name == FILE_NAME or fold_name(name) in _ID_NAMES


def _counts_up(values: set[str]) -> bool:
    """True for whole numbers that follow one another, or nearly: any two such columns share values.

    >>> _counts_up({"1", "2", "3"}), _counts_up({"7", "14", "21"}), _counts_up({"A1", "A2"})
    (True, False, False)
    """
    if not values or not all(value.isascii() and value.isdigit() and len(value) < _MAX_COUNT_DIGITS for value in values):
        return False
    numbers = [int(value) for value in values]
    return max(numbers) - min(numbers) < _MAX_COUNT_SPREAD * len(numbers) and min(numbers) <= _MAX_COUNT_SPREAD * len(numbers)


def _is_id_name(name: str) -> bool:
    """
    >>> [_is_id_name(name) for name in ("meta.docId", "key", "invoice_no", "paid", "total")]
    [True, True, True, False, False]
    """
    last = name.rsplit(".", 1)[-1]
    return name == FILE_NAME or fold_name(last) in _ID_NAMES or _ID_ENDING.search(last) is not None


def _list_id_values(side: _SideRows) -> dict[str, set[str]]:
    """Column or path → its values, where they are plain and unique; of `id`, by which a run pairs, most of them are enough."""
    candidates: dict[str, set[str]] = {FILE_NAME: set(map(to_nfc, side.names))} if side.are_files else {}
    first = side.rows[0] if side.rows else {}
    names = [name for name, value in first.items() if not isinstance(value, dict | list)]
    for name, value in first.items():
        if isinstance(value, dict):
            inner = cast("dict[str, Any]", value)
            names += [render_path((name, key)) for key, item in inner.items() if not isinstance(item, dict | list)]
    for name in names:
        values = [locate(row, name) for row in side.rows]
        plain = {to_nfc(str(value)) for value in values if isinstance(value, str | int) and not isinstance(value, bool) and value != ""}
        if len(plain) >= (_MIN_UNIQUE_IDS if fold_name(name) == "id" else MIN_UNIQUE) * len(values):
            candidates[name] = plain
    return candidates


def _find_answers(
    expected: list[dict[str, Any]], actual: list[dict[str, Any]], keys: tuple[str | None, str | None]
) -> tuple[str, str] | None:
    """The columns of the expected and the actual answer, where the two files hold answers and not records; else None.

    An output file often repeats the columns of the expected file, the expected answer included: comparing those would be a perfect score
    that measures nothing.
    """
    expected_names, actual_names = _list_fields(expected[:_SAMPLE]), _list_fields(actual[:_SAMPLE])
    answers = [name for name in expected_names if fold_name(name) in _ROLE_NAMES["expected"] and _is_plain(expected, name)]
    outputs = [
        name for name in actual_names if fold_name(name) in _ROLE_NAMES["actual"] and name not in expected_names and _is_plain(actual, name)
    ]
    if len(answers) != 1 or len(outputs) != 1:
        return None
    shared = {name for name in expected_names if name in actual_names} - {answers[0], *keys}
    data_fields = {name for name in shared if fold_name(name) not in _ROLE_NAMES["input"] | _ROLE_NAMES["contexts"]}
    is_certain = all(fold_name(name).startswith(_CERTAIN_PREFIXES) for name in (answers[0], outputs[0]))
    if is_certain or not (data_fields or answers[0] in actual_names):
        return answers[0], outputs[0]
    return None


def _is_plain(rows: list[dict[str, Any]], column: str) -> bool:
    """True if most values of a column are text or numbers."""
    values = [row.get(column) for row in rows[:_SAMPLE]]
    return sum(isinstance(value, str | int | float) for value in values) >= _MOST * len(values)


def _are_same(expected: str, actual: str) -> bool:
    paths = [parse_location(pattern) for pattern in (expected, actual)]
    return len({path.resolve() if isinstance(path, Path) else path for path in paths}) == 1


def _find_records(
    expected: list[dict[str, Any]], actual: list[dict[str, Any]], *, same_file: bool = False
) -> tuple[str | None, str | None]:
    """Where the records are inside the rows: the choice with the most field names in common; None for the row itself.

    A file of cases has both records: of the expected file the expected one counts, of the actual file the actual one. A file compared
    with itself is compared as a whole.
    """
    best, chosen = -1, cast("tuple[str | None, str | None]", (None, None))
    for left, right in product(
        _list_record_columns(expected, None if same_file else "expected"), _list_record_columns(actual, None if same_file else "actual")
    ):
        common = len(_list_folded_fields(expected, left) & _list_folded_fields(actual, right))
        if common > best:
            best, chosen = common, (left, right)
    return chosen


def _list_folded_fields(rows: list[dict[str, Any]], column: str | None) -> set[str]:
    """Folded names of the fields of the first records in a column."""
    records = [_get_record(row, column) for row in rows[:_SAMPLE]]
    return {fold_name(name) for name in _list_fields(records)}


def _list_record_columns(rows: list[dict[str, Any]], side: str | None) -> list[str | None]:
    """Columns of objects with a name of this side, if the other side has one too; else the row itself and every column of objects."""
    columns = _list_object_paths(rows[:_SAMPLE], None)
    columns += [path for column in columns for path in _list_object_paths(rows[:_SAMPLE], column)]
    if side is None:
        return [None, *columns]
    own = [name for name in columns if _is_certain_name(name, side)]
    has_other_side = any(_is_certain_name(name, "actual" if side == "expected" else "expected") for name in columns)
    return [*own] if own and has_other_side else [None, *columns]


def _list_object_paths(rows: list[dict[str, Any]], column: str | None) -> list[str]:
    """The paths of the objects in a column, or in the rows, of which most rows have one; also those that are written as JSON text."""
    first = _get_record(rows[0], column) if rows else {}
    names = [*cast("dict[str, Any]", first)] if isinstance(first, dict) else []
    paths = names if column is None else [render_path((column, name)) for name in names]
    return [path for path in paths if sum(isinstance(_get_record(row, path), dict) for row in rows) >= _MOST * len(rows)]


def _is_certain_name(name: str, side: str) -> bool:
    folded = fold_name(name)
    return folded in _ROLE_NAMES[side] and folded.startswith(_CERTAIN_PREFIXES)


def _get_record(row: dict[str, Any], column: str | None) -> Any:
    """The row, or what it has in a column or at a path; an object that is written as JSON text is read."""
    if column is None:
        return row
    value = locate(row, column)
    if isinstance(value, str) and value.lstrip().startswith(("{", "```")):
        record = find_record(value).value
        return record if isinstance(record, dict) else value
    return value


def _list_fields(records: Any) -> list[str]:
    """The names of the fields at the top of these records, in order."""
    names: dict[str, None] = {}
    for record in records:
        if isinstance(record, Mapping):
            names.update(dict.fromkeys(cast("Mapping[str, Any]", record)))
    return list(names)


def _pair_rows(
    sides: tuple[_SideRows, _SideRows], mappings: Sequence[SideMapping], keys: tuple[str | None, str | None]
) -> Iterator[tuple[Any, Any]]:
    """The records of rows with the same id; of rows with the same number if there is no id."""
    by_key: list[dict[str, Any]] = []
    for side, mapping, key in zip(sides, mappings, keys, strict=True):
        mapper = SideMapper(mapping)
        get_key = _key_getter(side, key)
        records: dict[str, Any] = {}
        for index, row in enumerate(side.rows):
            record, _ = mapper.rename(_get_record(row, mapping.record))
            records.setdefault(get_key(index), record)
        by_key.append(records)
    if all(side.are_files and len(side.rows) == 1 for side in sides):  # two single files are one pair, whatever they are called
        yield (*by_key[0].values(), *by_key[1].values())
        return
    for key, record in by_key[0].items():
        if key in by_key[1]:
            yield record, by_key[1][key]


def _key_getter(side: _SideRows, key: str | None) -> Callable[[int], str]:
    if key is None:
        return str
    if key == FILE_NAME:
        return lambda index: to_nfc(side.names[index])
    return lambda index: to_nfc(str(locate(side.rows[index], key)))


def _find_renames(pairs: Sequence[tuple[Any, Any]], only_expected: Sequence[str], only_actual: Sequence[str]) -> list[Rename]:
    """Fields with other names that fold to the same one, or whose values agree in most records."""
    renames: list[Rename] = []
    taken: set[str] = set()
    for expected_name in only_expected:
        candidates = [actual_name for actual_name in only_actual if actual_name not in taken]
        folded = [actual_name for actual_name in candidates if fold_name(actual_name) == fold_name(expected_name)]
        if len(folded) == 1:
            renames.append(Rename(expected_name, folded[0], "the same name, written differently"))
            taken.update((expected_name, folded[0]))
    agreements: list[tuple[float, int, str, str]] = []
    for expected_name, actual_name in product(only_expected, only_actual):
        if expected_name not in taken and actual_name not in taken:
            agreement, count = _measure_agreement(pairs, expected_name, actual_name)
            if agreement >= MIN_AGREEMENT and count >= min(MIN_AGREEING, len(pairs)):
                agreements.append((agreement, count, expected_name, actual_name))
    for agreement, count, expected_name, actual_name in sorted(agreements, reverse=True):
        if expected_name not in taken and actual_name not in taken:
            renames.append(Rename(expected_name, actual_name, f"equal in {agreement:.0%} of {count} records"))
            taken.update((expected_name, actual_name))
    return [rename for expected_name in only_expected for rename in renames if rename.expected == expected_name]


def _find_flattened(pairs: Sequence[tuple[Any, Any]], only_expected: Sequence[str], only_actual: Sequence[str]) -> list[Rename]:
    """Fields that one side has inside an object and the other beside it, such as `vendor.name` and `vendor_name`."""
    inner = [_list_inner_paths([pair[side] for pair in pairs], names) for side, names in enumerate((only_expected, only_actual))]
    renames: list[Rename] = []
    for expected_name, actual_name in (*product(inner[0], only_actual), *product(only_expected, inner[1])):
        if fold_name(expected_name).replace(".", "") == fold_name(actual_name).replace(".", ""):
            renames.append(Rename(expected_name, actual_name, "the same name, inside an object"))
    return renames


def _list_inner_paths(records: Sequence[Any], names: Sequence[str]) -> list[str]:
    """The paths of the plain values inside objects at the top of these records."""
    paths: dict[str, None] = {}
    for record in records:
        for name in names if isinstance(record, Mapping) else ():
            value = cast("Mapping[str, Any]", record).get(name)
            if isinstance(value, Mapping):
                members = cast("Mapping[str, Any]", value)
                paths.update(dict.fromkeys(render_path((name, key)) for key, item in members.items() if not isinstance(item, dict | list)))
    return list(paths)


def _measure_agreement(pairs: Sequence[tuple[Any, Any]], expected_name: str, actual_name: str) -> tuple[float, int]:
    """The share of records in which both fields have equal values, and the number of records that have both."""
    equal = count = 0
    for expected, actual in pairs:
        left = expected.get(expected_name) if isinstance(expected, Mapping) else None
        right = actual.get(actual_name) if isinstance(actual, Mapping) else None
        if left not in (None, "", [], {}) and right not in (None, "", [], {}):
            count += 1
            equal += _to_comparable(left) == _to_comparable(right)
    return (equal / count if count else 0.0), count


def _is_equal_everywhere(pairs: Sequence[tuple[Any, Any]], name: str) -> bool:
    """True if a field has a value on either side and never differs, a missing value being one that differs."""
    values = [tuple(record.get(name) if isinstance(record, Mapping) else None for record in pair) for pair in pairs]
    present = [pair for pair in values if any(value not in (None, "", [], {}) for value in pair)]
    return bool(present) and all(_to_comparable(expected) == _to_comparable(actual) for expected, actual in present)


def _to_comparable(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return " ".join(value.split()).casefold() if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
