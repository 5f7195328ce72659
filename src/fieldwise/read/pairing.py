"""Propose from the data how two sides pair: which columns identify rows, where the records are, which fields have other names."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, cast

from fieldwise.kernels.values import to_nfc
from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.locations import Location, parse_location
from fieldwise.model.path import render_path
from fieldwise.model.plan import IdColumns, SideMapping, Source, list_id_columns
from fieldwise.model.values import MISSING
from fieldwise.read.case_builder import locate_id
from fieldwise.read.columns import fold_name
from fieldwise.read.document_records import find_only_list
from fieldwise.read.file_ids import find_id_form, find_values_by_id
from fieldwise.read.files import TEXT_SUFFIXES, ReadProgress, UnreadableFile, find_record_files, get_data_stem, get_data_suffix, open_bytes
from fieldwise.read.imported_files import choose_side
from fieldwise.read.record_columns import ID_NAMES, find_answers, find_outputs, find_records, get_record, list_fields, list_names_beside
from fieldwise.read.records_in_text import find_record
from fieldwise.read.shared_columns import count_agreeing, counts_up, find_shared_column, to_comparable
from fieldwise.read.side_files import find_importer
from fieldwise.read.side_mapping import SideMapper, locate
from fieldwise.read.table_files import MAX_DOCUMENT_BYTES, read_each, read_each_document

MAX_ROWS: Final = 20_000
"""Number of rows of each side to look at."""
_MIN_OVERLAP_BY_ID_NAMES: Final = {1: 0.9, 2: 0.5}
"""Share of the ids of the smaller side that must occur on the other, by how many of the two columns are named like an id. Two that are not
never identify rows: a column of data may have the same values on both sides too."""
MIN_UNIQUE: Final = 0.99
_MIN_UNIQUE_IDS: Final = 0.5
"""The same for a column `id`: rows without an id, or with that of another row, are reported one by one."""
_MAX_JOINT_COLUMNS: Final = 12
_MIN_JOINT_OVERLAP: Final = 0.5
_MIN_JOINT_OVERLAP_TO_PAIR: Final = 0.9
"""Number of columns of which two may identify rows together, and the share of their values that the other side must have: to be named,
and to be used."""
MIN_AGREEMENT: Final = 0.6
"""Share of paired records in which two fields must have equal values to be taken for one."""
MIN_AGREEING: Final = 2
MIN_ROWS: Final = 20
"""Number of pairs with a value from which on it is remarkable that a field is equal in all of them."""
_FILE_NAMES: Final = frozenset(("filename", "imagename", "documentname", "docname"))
_ID_ENDING: Final = re.compile(r"(?:[_\- ]|^)(?i:id|no|nr|number|key|uuid)\.?$|(?<=[a-z])(?:Id|ID|No|Nr|Number|Key)$")
FILE_NAME: Final = "(file name)"
OWN_ID: Final = "(id in the file)"
"""Key of the rows that an importer reads: their own id, else the name of the file; nothing of it is written to a suite."""
_KEY_PHRASES: Final = {FILE_NAME: "the names of the files", OWN_ID: "the ids in the files"}
_MAX_NAMED: Final = 12
"""Number of fields that a line names."""
_REPEATED: Final = "the field of the same name repeats the expected values"


IdsOfRows: TypeAlias = tuple[IdColumns, IdColumns]
"""What identifies the rows of expected and of actual."""
_Keys: TypeAlias = tuple[IdColumns | None, IdColumns | None]


class Rename(NamedTuple):
    """A field of expected that has another name in actual."""

    expected: str
    actual: str
    evidence: str


def list_names(names: Sequence[str], limit: int) -> str:
    """Names in words, at most `limit` of them.

    >>> list_names(["a", "b", "c"], 2)
    '`a`, `b` and 1 more'
    """
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(f"`{name}`" for name in names[:limit]) + more


@dataclass(frozen=True, slots=True)
class Pairing:
    """How the two sides pair."""

    expected: SideMapping
    actual: SideMapping
    keys: _Keys = (None, None)
    """The columns, paths or file name that identify the rows of each side."""
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
    names_beside: tuple[Sequence[str], Sequence[str]] = field(default=((), ()))
    """What the rows of each side hold beside the record and the id: it is not compared."""

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

    def list_missing_fields(self) -> list[str]:
        """The fields that only expected has, without those that are renamed."""
        inner = {rename.expected.partition(".")[0] for rename in self.renames}
        renamed = {*self.expected.rename, *(name.partition(".")[0] for name in self.expected.rename), *inner}
        return [name for name in self.own_fields[0] if name not in renamed] if self.common_fields or renamed else []

    @property
    def has_common_fields(self) -> bool:
        """False if the records of both sides have fields and none is, or may be, one of the other side."""
        return bool(self.common_fields or self.renames or self.expected.rename) or not all(self.own_fields)

    def describe_ids(self) -> str:
        """What the rows are paired by, in words; empty if nothing identifies them."""
        if None in self.keys:
            return ""
        left, right = (_KEY_PHRASES.get(str(key)) or " and ".join(f"`{name}`" for name in list_id_columns(key)) for key in self.keys)
        return left if left == right else f"{left} = {right}"

    def describe(self, paired: int, expected: int) -> list[str]:
        """How the rows were paired and how many, where the records are, and which fields may be one, in words."""
        by = self.describe_ids() or "their number: no column identifies them on both sides (--id EXPECTED=ACTUAL names it)"
        lines = [*self.notes, f"{paired:,} of {expected:,} expected rows have an actual one, paired by {by}"]
        for side, mapping, names in zip(("expected", "actual"), (self.expected, self.actual), self.names_beside, strict=True):
            if mapping.record is not None:
                beside = f"; not compared: {list_names(names, _MAX_NAMED)}" if names else ""
                lines.append(f"the {side} record is `{mapping.record}` of each row{beside}")
        lines += [f"`{old}` is compared with `{new}`" for old, new in self.expected.rename.items() if old != render_path((new,))]
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
    own_ids: bool = False
    """Whether the ids are read out of the files; then these are the names."""
    holds_answers: bool = False
    """Whether the side is an object of answers by their ids."""

    @property
    def key(self) -> str:
        return OWN_ID if self.own_ids else FILE_NAME


def propose_pairing(expected: str, actual: str, *, ids: IdsOfRows | None = None, renames: Mapping[str, str] | None = None) -> Pairing:
    """How two files or folders pair. `ids` and `renames` (expected → actual) are given by the user and hold."""
    expected_side, actual_side = _read_side(expected, "expected"), _read_side(actual, "actual")
    sides = _use_values_by_id(expected_side, actual_side), _use_values_by_id(actual_side, expected_side)
    found_keys = ids or _find_ids(*sides)
    joint_ids = _find_joint_ids(*sides) if ids is None and (None in found_keys or _repeats_ids(sides, found_keys)) else None
    keys = found_keys
    if joint_ids is not None and None in found_keys and _pair_better(*sides, joint_ids):
        keys = joint_ids, joint_ids
    key_names = [name for key in keys for name in list_id_columns(key)]
    records = find_answers(sides[0].rows, sides[1].rows, key_names) or find_records(
        sides[0].rows, sides[1].rows, key_names, same_file=_are_same(expected, actual)
    )
    columns = [None if key in (FILE_NAME, OWN_ID) else key for key in keys]
    mappings = [SideMapping(id=column, record=record) for column, record in zip(columns, records, strict=True)]
    mappings[0] = replace(mappings[0], rename=dict(renames or {}))
    # answers by their ids are no records: they have no fields
    pairs = [] if any(side.holds_answers for side in sides) else list(_pair_rows(sides, mappings, keys))
    dotted_names = _find_dotted_names(pairs)
    if any(dotted_names):
        for index, names in enumerate(dotted_names):
            nested = {render_path((name,)): name for name in names}
            mappings[index] = replace(mappings[index], rename={**nested, **mappings[index].rename})
        pairs = list(_pair_rows(sides, mappings, keys))
    expected_fields = list_fields(record for record, _ in pairs)
    actual_fields = list_fields(record for _, record in pairs)
    left_out = set(key_names)
    only_expected = [name for name in expected_fields if name not in actual_fields and name not in left_out]
    only_actual = [name for name in actual_fields if name not in expected_fields and name not in left_out]
    common_fields = [name for name in expected_fields if name in actual_fields and name not in left_out]
    repeated = {} if renames else _find_repeated_fields(pairs, common_fields, only_actual)
    unpaired = [*only_expected], [name for name in only_actual if name not in repeated.values()]
    if repeated:
        common_fields = [name for name in common_fields if name not in repeated]
        only_expected += repeated
        only_actual += repeated
    equal_fields = [name for name in common_fields if _is_equal_everywhere(pairs, name)]
    return Pairing(
        expected=mappings[0],
        actual=mappings[1],
        keys=keys,
        renames=[
            *(Rename(name, output, _REPEATED) for name, output in repeated.items()),
            *find_renames(pairs, unpaired[0], unpaired[1]),
            *_find_flattened(pairs, unpaired[0], unpaired[1]),
        ],
        counts=(len(sides[0].rows), len(sides[1].rows)),
        shares_ids=bool(pairs) or ids is not None or None in keys or not {FILE_NAME, OWN_ID}.isdisjoint(keys),
        common_fields=common_fields,
        own_fields=(only_expected, only_actual),
        equal_fields=equal_fields if len(equal_fields) < len(common_fields) else [],
        notes=[
            *sides[0].notes,
            *sides[1].notes,
            *(_note_other_ids(*sides, keys) if ids is None else ()),
            *_note_joint_ids(joint_ids, keys),
            *_note_dotted_names(dotted_names),
        ],
        record_lists=[*_describe_list(sides[0]), *_describe_list(sides[1])],
        names_beside=(_list_not_compared(sides[0].rows, records[0], keys[0]), _list_not_compared(sides[1].rows, records[1], keys[1])),
    )


def _use_values_by_id(side: _SideRows, opposite: _SideRows) -> _SideRows:
    """The side as a table if it is one object of answers by the ids of the other side."""
    if not side.are_files or len(side.rows) != 1 or (opposite.are_files and not opposite.own_ids):
        return side
    id_columns = [ids for name, ids in _list_id_values(opposite).items() if _is_usual_id(name)]
    answers = find_values_by_id(side.rows[0], id_columns)
    if answers is None:
        return side
    notes = [*side.notes, f"{side.names[0]}: {answers.describe()}"]
    return _SideRows([{} for _ in answers.values], [*answers.values], True, notes, own_ids=True, holds_answers=True)


def _list_not_compared(rows: list[dict[str, Any]], record: str | None, key: IdColumns | None) -> list[str]:
    """The fields beside the record, without the id."""
    return [name for name in list_names_beside(rows, record) if name not in list_id_columns(key)]


def _describe_list(side: _SideRows) -> list[str]:
    """The only list of objects in the only record of a side."""
    name = find_only_list(side.rows[0]) if side.are_files and len(side.rows) == 1 else None
    return [] if name is None else [f"`{name}` of {side.names[0]}"]


def _read_side(pattern: str, side: str) -> _SideRows:
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
    importer = find_importer(files, None)
    if importer is not None:
        return _read_imported(files, importer, side)
    for batch in read_each(files, None, 1024, ReadProgress(), []):
        are_files = are_files and batch.numbering == "file"
        rows += batch.values
        names += [get_data_stem(parse_location(file)) for file in batch.files]
        notes.update({f"{parse_location(batch.files[0]).name}: {note.what}": None for note in batch.notes if note.code != "imported"})
        if len(rows) >= MAX_ROWS:
            break
    return _SideRows(rows[:MAX_ROWS], names[:MAX_ROWS], are_files, [*notes])


def _read_imported(files: list[Location], importer: str, side: str) -> _SideRows:
    """The records that an importer reads, as a run reads them, with their ids."""
    rows: list[dict[str, Any]] = []
    names: list[str] = []
    has_own_ids = False
    for batch in choose_side(read_each_document(files, importer, 1024, ReadProgress(), []), side):
        for row, file in zip(batch.values, batch.files, strict=True):
            record = row.get(side)
            is_record = isinstance(record, dict) and accepted_values(record) is None
            rows.append(cast("dict[str, Any]", record) if is_record else {})
            names.append(str(row["id"]))
            has_own_ids = has_own_ids or names[-1].partition(":")[0] != get_data_stem(parse_location(file)).partition(":")[0]
        if len(rows) >= MAX_ROWS:
            break
    return _SideRows(rows[:MAX_ROWS], names[:MAX_ROWS], are_files=True, own_ids=has_own_ids)


def _read_texts(files: Sequence[Location]) -> _SideRows:
    """The records found in text files, one in each; empty where there is none."""
    rows: list[dict[str, Any]] = []
    for file in files[:MAX_ROWS]:
        try:
            with open_bytes(file, ReadProgress()) as stream:
                record = find_record(stream.read(MAX_DOCUMENT_BYTES).decode("utf-8", errors="replace")).value
        except UnreadableFile:  # reading it for a run reports the problem
            record = MISSING
        rows.append(record if isinstance(record, dict) else {})
    return _SideRows(rows, [get_data_stem(file) for file in files[:MAX_ROWS]], True)


def hold_answers(expected: str, actual: str) -> bool:
    """True if one of two files is an object of answers by the ids of the other: they have no fields."""
    sides = _read_side(expected, "expected"), _read_side(actual, "actual")
    return any(_use_values_by_id(side, opposite).holds_answers for side, opposite in (sides, sides[::-1]))


def count_records(pattern: str) -> int | None:
    """Number of rows of a table; None for a file that is one record itself. At most MAX_ROWS are counted."""
    side = _read_side(pattern, "actual")
    return None if side.are_files and len(side.rows) == 1 else len(side.rows)


def _find_ids(expected: _SideRows, actual: _SideRows) -> tuple[str | None, str | None]:
    """The columns or paths whose values identify rows and occur on both sides; None for a side if there are none.

    A run pairs by `id` and its usual synonyms: they win wherever they share values, and stay chosen where nothing is shared at all.
    """
    if expected.are_files and actual.are_files:
        return expected.key, actual.key
    expected_ids, actual_ids = (_list_id_values(side) for side in (expected, actual))
    have_usual_ids = any(map(_is_usual_id, expected_ids)) and any(map(_is_usual_id, actual_ids))
    best: tuple[float, ...] = (0.0,)
    chosen: tuple[str | None, str | None] = (None, None)
    for (left, left_values), (right, right_values) in product(expected_ids.items(), actual_ids.items()):
        id_names = _is_id_name(left) + _is_id_name(right)
        if not id_names:
            continue
        overlap = _measure_overlap(left_values, right_values)
        is_same_name = fold_name(left) == fold_name(right)
        is_usual = _is_usual_id(left) and _is_usual_id(right)
        are_counts = counts_up(left_values) or counts_up(right_values)
        is_shared = overlap >= _MIN_OVERLAP_BY_ID_NAMES[id_names] and not (are_counts and (id_names < 2 or have_usual_ids))
        if is_usual:
            is_shared = overlap > 0 and (is_same_name or not are_counts or overlap >= _MIN_OVERLAP_BY_ID_NAMES[2])
        rank = (is_usual, is_usual and is_same_name, round(overlap, 2), id_names, is_same_name)
        if is_shared and rank > best:
            best, chosen = rank, (left, right)
    if chosen == (None, None) and have_usual_ids:
        return next(((name, name) for name in expected_ids if name in actual_ids and _is_usual_id(name)), chosen)
    if chosen == (None, None) and not (expected.are_files or actual.are_files):
        return find_shared_column(expected.rows, actual.rows) or chosen
    return chosen


def _measure_overlap(left: set[str], right: set[str]) -> float:
    """The share of the ids of the smaller side that the other has, in the form in which they pair."""
    form = find_id_form(left, right)
    if form is not None:
        left, right = set(map(form.simplify, left)), set(map(form.simplify, right))
    return len(left & right) / max(min(len(left), len(right)), 1)


def _note_other_ids(expected: _SideRows, actual: _SideRows, keys: _Keys) -> list[str]:
    """Columns that a run would take for the id as well as the chosen ones, in words; none beside `id` itself and the names of files."""
    if not isinstance(keys[0], str) or keys[0] in (FILE_NAME, OWN_ID) or fold_name(keys[0]) == "id":
        return []
    expected_ids, actual_ids = _list_id_values(expected), _list_id_values(actual)
    others = [name for name in expected_ids if name in actual_ids and name not in keys and _is_usual_id(name)]
    shared = [name for name in others if expected_ids[name] & actual_ids[name]]
    return [f"`{name}` could identify the rows too: --id {shlex.quote(f'{name}={name}')}" for name in shared]


def _repeats_ids(sides: tuple[_SideRows, _SideRows], keys: _Keys) -> bool:
    """True if rows of a side have the same id."""
    getters = [_key_getter(side, key) for side, key in zip(sides, keys, strict=True)]
    return any(len({get_key(row) for row in range(len(side.rows))}) < len(side.rows) for side, get_key in zip(sides, getters, strict=True))


def _find_joint_ids(expected: _SideRows, actual: _SideRows) -> tuple[str, str] | None:
    """Two columns that identify the rows of both sides together where none does alone, such as a document and a field."""
    if not expected.rows or not actual.rows or expected.are_files or actual.are_files:
        return None
    names = [name for name, value in expected.rows[0].items() if name in actual.rows[0] and isinstance(value, str | int)]
    names = [name for name in names if len({str(row.get(name)) for row in expected.rows}) < len(expected.rows)]
    for pair in combinations(names[:_MAX_JOINT_COLUMNS], 2):
        expected_ids, actual_ids = ({tuple(str(row.get(name)) for name in pair) for row in side.rows} for side in (expected, actual))
        are_unique = len(expected_ids) == len(expected.rows) and len(actual_ids) == len(actual.rows)
        if are_unique and len(expected_ids & actual_ids) >= _MIN_JOINT_OVERLAP * min(len(expected_ids), len(actual_ids)):
            return pair
    return None


def _pair_better(expected: _SideRows, actual: _SideRows, columns: tuple[str, str]) -> bool:
    """True if nearly all rows pair by these columns, and their other columns agree no less than those of rows with the same number.

    Columns of values to compare may identify rows too; pairing by them would hide what differs.
    """
    expected_rows, actual_rows = ({str(locate_id(row, columns)): row for row in side.rows} for side in (expected, actual))
    shared = expected_rows.keys() & actual_rows.keys()
    others = [(name, name) for name in expected.rows[0] if name in actual.rows[0] and name not in columns]
    if not others or len(shared) < _MIN_JOINT_OVERLAP_TO_PAIR * min(len(expected_rows), len(actual_rows)):
        return False
    by_columns = count_agreeing([(expected_rows[key], actual_rows[key]) for key in shared], others)
    return by_columns >= count_agreeing([*zip(expected.rows, actual.rows, strict=False)], others)


def _note_joint_ids(joint_ids: tuple[str, str] | None, keys: _Keys) -> list[str]:
    """That two columns would identify the rows, where the chosen ones do not, in words."""
    if joint_ids is None or joint_ids in keys:
        return []
    option = shlex.quote(",".join(joint_ids))
    return [f"`{joint_ids[0]}` and `{joint_ids[1]}` together identify the rows of both sides: to pair by them, --id {option}"]


def _is_usual_id(name: str) -> bool:
    return name in (FILE_NAME, OWN_ID) or fold_name(name) in ID_NAMES


def _is_id_name(name: str) -> bool:
    """
    >>> [_is_id_name(name) for name in ("meta.docId", "key", "invoice_no", "Invoice No", "Nr", "File Name", "paid", "total")]
    [True, True, True, True, True, True, False, False]
    """
    last = name.rsplit(".", 1)[-1]
    folded = fold_name(last)
    return name in (FILE_NAME, OWN_ID) or folded in ID_NAMES or folded in _FILE_NAMES or _ID_ENDING.search(last) is not None


def _list_id_values(side: _SideRows) -> dict[str, set[str]]:
    """Column or path → its values, where they are plain and unique; of `id`, by which a run pairs, most of them are enough."""
    candidates: dict[str, set[str]] = {side.key: set(map(to_nfc, side.names))} if side.are_files else {}
    if side.own_ids:
        return candidates
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


def _are_same(expected: str, actual: str) -> bool:
    paths = [parse_location(pattern) for pattern in (expected, actual)]
    return len({path.resolve() if isinstance(path, Path) else path for path in paths}) == 1


def _pair_rows(sides: tuple[_SideRows, _SideRows], mappings: Sequence[SideMapping], keys: _Keys) -> Iterator[tuple[Any, Any]]:
    """The records of rows with the same id; of rows with the same number if there is no id."""
    by_key: list[dict[str, Any]] = []
    for side, mapping, key in zip(sides, mappings, keys, strict=True):
        mapper = SideMapper(mapping)
        get_key = _key_getter(side, key)
        records: dict[str, Any] = {}
        for index, row in enumerate(side.rows):
            record, _ = mapper.rename(get_record(row, mapping.record))
            records.setdefault(get_key(index), record)
        by_key.append(records)
    if all(side.are_files and len(side.rows) == 1 for side in sides):  # two single files are one pair, whatever they are called
        yield (*by_key[0].values(), *by_key[1].values())
        return
    form = find_id_form(by_key[0], by_key[1])
    if form is not None:
        by_key = [{form.simplify(key): record for key, record in records.items()} for records in by_key]
    for key, record in by_key[0].items():
        if key in by_key[1]:
            yield record, by_key[1][key]


def _key_getter(side: _SideRows, key: IdColumns | None) -> Callable[[int], str]:
    if key is None:
        return str
    if key in (FILE_NAME, OWN_ID):
        return lambda index: to_nfc(side.names[index])
    return lambda index: to_nfc(str(locate_id(side.rows[index], key)))


def find_renames(pairs: Sequence[tuple[Any, Any]], only_expected: Sequence[str], only_actual: Sequence[str]) -> list[Rename]:
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


def _find_repeated_fields(pairs: Sequence[tuple[Any, Any]], common_fields: Sequence[str], only_actual: Sequence[str]) -> dict[str, str]:
    """Field of both sides → the field of actual that holds the output for it, where actual only repeats the expected values.

    Comparing the repeated values would be a perfect score that measures nothing.
    """
    outputs = find_outputs(common_fields, only_actual)
    return {name: output for name, output in outputs.items() if _is_equal_everywhere(pairs, name, min_rows=1)}


def _find_dotted_names(pairs: Sequence[tuple[Any, Any]]) -> tuple[list[str], list[str]]:
    """By side, the fields such as `vendor.name` of flat records that the other side has as a field `name` of an object `vendor`."""
    dotted: tuple[list[str], list[str]] = ([], [])
    for side, names in enumerate(dotted):
        opposite_records = [pair[1 - side] for pair in pairs]
        for name in list_fields(pair[side] for pair in pairs):
            if "." in name and any(_has_inner_field(record, name) for record in opposite_records):
                names.append(name)
    return dotted


def _has_inner_field(record: Any, name: str) -> bool:
    """True if a record has a field at this path and none of this name."""
    return isinstance(record, Mapping) and name not in record and locate(cast("Mapping[str, Any]", record), name) is not MISSING


def _note_dotted_names(dotted_names: tuple[Sequence[str], Sequence[str]]) -> Iterator[str]:
    for side, names in zip(("expected", "actual"), dotted_names, strict=True):
        if names:
            yield f"columns of {side} are fields of objects, as on the other side: {list_names(names, _MAX_NAMED)}"


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
            equal += to_comparable(left) == to_comparable(right)
    return (equal / count if count else 0.0), count


def _is_equal_everywhere(pairs: Sequence[tuple[Any, Any]], name: str, *, min_rows: int = MIN_ROWS) -> bool:
    """True if a field has a value in many pairs and never differs, a missing value being one that differs."""
    values = [tuple(record.get(name) if isinstance(record, Mapping) else None for record in pair) for pair in pairs]
    present = [pair for pair in values if any(value not in (None, "", [], {}) for value in pair)]
    return len(present) >= min_rows and all(to_comparable(expected) == to_comparable(actual) for expected, actual in present)
