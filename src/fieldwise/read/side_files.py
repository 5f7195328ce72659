"""One side of cases whose expected and actual records are in separate files.

A side is either **record files** (a folder or a glob of JSON files, or one file with a single record: each file is the record itself,
identified by its name) or a **table** (JSONL, a JSON list, CSV, Parquet: identified by `id`, or by the column that `join` names).

* A row of a table is wrapped if it has a column for its side: `expected` (or a usual name for it, or the one that `columns` names).
  Otherwise the row itself is the record, without the id that pairs it unless a rule names that. `reference`, `output`, `answer` and
  `response` are words that records use too: they count only if every other column is a role (id, question, contexts, …). The decision is
  reported as a diagnostic.
"""

import glob
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from fieldwise.kernels.values import to_nfc
from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.locations import Location, parse_location
from fieldwise.model.plan import SideMapping, Source, list_id_columns
from fieldwise.model.values import MISSING, Value
from fieldwise.read.case_builder import (
    build_cases,
    decode_cell,
    find_rows_without_id,
    is_gold_column,
    list_ids,
    locate_id,
    locate_row,
    read_gold_answers,
    render_id,
)
from fieldwise.read.document_records import find_side_records
from fieldwise.read.file_ids import IdForm
from fieldwise.read.files import (
    AUTO,
    NO_FILE,
    TEXT_SUFFIXES,
    ReadProgress,
    UnreadableFile,
    find_record_files,
    get_data_suffix,
    get_glob_root,
    open_bytes,
    remote_errors_as_unreadable,
    warn_unread_entries,
)
from fieldwise.read.id_candidates import MAX_EVIDENCE_ROWS, collect_id_values
from fieldwise.read.ids import IdsSeen
from fieldwise.read.imported_files import (
    EVIDENCE,
    EXPECTED_PLACES,
    choose_side,
    detect_content_format,
    is_importer,
    note_importer,
    recognize_format,
)
from fieldwise.read.in_memory import read_rows_in_memory
from fieldwise.read.pairing_fields import Steps, find_id_place, is_named, remove_field, rename_place
from fieldwise.read.record_files import RecordFiles, SideRecord, as_side_diagnostic, describe_failed_rename, describe_missing_record
from fieldwise.read.rows import RowBatch, peek_rows, rechunk_rows
from fieldwise.read.side_columns import SideColumns, find_side_columns, holds_answers, list_data_columns, list_side_ids
from fieldwise.read.side_mapping import SideMapper, locate
from fieldwise.read.table_files import note_recognized, parse_json_file, read_document, read_each, read_each_document
from fieldwise.registry import nearest

_MAX_RECOGNIZED_FILES: Final = 50
"""About how many files, spread over all of them, decide the format of a side."""


class RecordTable:
    """A side of rows in one or more files, identified by an id or by the column that joins."""

    def __init__(self, stream: Iterator[RowBatch], source: Source, side: str) -> None:
        self.side = side
        self._source = source
        self._ids = IdsSeen()
        self._read_early: dict[str, SideRecord] = {}
        self._first_rows = next(stream, None)
        self._stream = stream
        self.file = (source.expected if side == "expected" else source.actual) or ""
        self.mapper = SideMapper(source.get_mapping(side))
        self.column_names: frozenset[str] = frozenset().union(*self._first_rows.values) if self._first_rows else frozenset()
        self._columns = SideColumns()
        self._written_id_places: tuple[Steps, ...] = ()
        """Where the columns of the id are inside a record, as written in the file."""
        self.id_places: tuple[Steps, ...] = ()
        """The same under the names of the rules, without those that a rule names."""
        self.is_unusable = self._first_rows is None
        self.is_imported_file = False
        """Whether an importer reads the side from a single file."""
        self.has_case_columns = False
        """Whether the columns were made where the file was read: they are roles of a case, never data."""
        self._only_key: str | None = None
        self._id_form: IdForm | None = None
        self._records = self._read_records()

    def list_ids(self) -> list[str]:
        """The columns that could be the id."""
        return list_side_ids(self.column_names, self._source, self.side)

    def collect_id_values(self) -> dict[str, frozenset[str] | None]:
        """The columns that could be the id, with their values in the first rows; None for values that do not identify the rows."""
        if isinstance(self.mapper.mapping.id, tuple):  # a file by ids has no names of two parts
            return {}
        return collect_id_values(self.peek(MAX_EVIDENCE_ROWS), self.list_ids())

    @property
    def is_single(self) -> bool:
        """Whether the side is one file of a service with one document."""
        return self.is_imported_file and len(self.peek(2)) == 1

    def rename(self, key: str) -> None:
        """Give the only row another key."""
        self._only_key = key

    def list_keys(self, count: int) -> list[str]:
        """The keys of the first rows, as written."""
        if self._columns.key is None:
            return []
        values = [locate_id(row, self._columns.key) for row in self.peek(count)]
        return [to_nfc(render_id(value)) for value in values if value is not MISSING and value is not None and value != ""]

    def pair_by_form(self, form: IdForm) -> None:
        """Identify the rows by their ids in this form."""
        self._id_form = form

    @property
    def row_is_record(self) -> bool:
        """Whether each row is a record itself, whose columns have the names of the rules."""
        return self._columns.row_is_record and not self.mapper.mapping.rename

    def peek_by_key(self, count: int) -> dict[str, dict[str, Any]]:
        """The first rows by their key, or by their number; none if some have no key."""
        rows = self.peek(count)
        keys = self.list_keys(count) if self.has_key else [*map(str, range(len(rows)))]
        return dict(zip(keys, rows, strict=True)) if len(keys) == len(rows) else {}

    def peek(self, count: int) -> list[dict[str, Any]]:
        """The first rows, or all if there are fewer."""
        first_values = self._first_rows.values if self._first_rows else []
        more_values, self._stream = peek_rows(self._stream, count - len(first_values))
        return [*first_values, *more_values]

    def holds_answers(self) -> bool:
        """Whether the column of this side holds plain answers, and no records."""
        return self.side in self.column_names and holds_answers(self.peek(MAX_EVIDENCE_ROWS), self.side)

    def use_id(self, column: str) -> None:
        """Identify the rows by a column that the source does not name; before the columns are assigned."""
        mapping = replace(self._source.get_mapping(self.side), id=column)
        self._source = replace(self._source, mappings={**self._source.mappings, self.side: mapping})

    def assign_columns(
        self, not_ids: Mapping[str, str], other_names: Iterable[str] = (), *, faces_answers: bool = False
    ) -> list[Diagnostic]:
        """Find the roles of the columns, before any record is read.

        `not_ids`: columns whose values showed that they are not the id; `other_names`: the columns of the other side; `faces_answers`:
        whether that side holds answers, so that the rows of this one are not the records.
        """
        if self._first_rows is None:
            return []
        if not self.column_names and self._first_rows.problems:  # nothing of the file can be read, so it has no columns
            self.is_unusable = True
            row, problems = min(self._first_rows.problems.items())
            return [problems[0].to_diagnostic(locate_row(self._first_rows, row))]
        data_columns: Collection[str] = ()
        if not self.has_case_columns:
            data_columns = list_data_columns(self._first_rows.values, self.column_names, other_names, self._source, self.side)
        self._columns, problems = find_side_columns(
            self.column_names, self._source, self.side, self.file, not_ids, data_columns, faces_answers=faces_answers
        )
        problems = [*_find_missing_paths(self._first_rows, self.mapper.mapping, Where(file=self.file)), *problems]
        self._written_id_places = tuple(self._list_id_places())
        renamed = (rename_place(place, self.mapper.mapping.rename) for place in self._written_id_places)
        self.id_places = tuple(place for place in renamed if not is_named(place, self._source.named_fields))
        self.is_unusable = any(problem.level == "error" for problem in problems)
        return problems

    @property
    def has_key(self) -> bool:
        """Whether a column identifies the rows."""
        return self._columns.key is not None

    def _list_id_places(self) -> Iterator[Steps]:
        """Where the columns of the id are inside a record, as written in the file; none that is outside."""
        record = self.mapper.mapping.record or self._columns.roles.columns.get(self.side)
        is_spread = self.side in self._columns.roles.fields  # over columns such as `*_gold`
        if not self._columns.row_is_record and (record is None or is_spread):
            return
        for column in list_id_columns(self._columns.key):
            place = find_id_place(column, None if self._columns.row_is_record else record, self.column_names)
            if place is not None:
                yield place

    @property
    def id_place(self) -> Steps | None:
        """Where the id is inside a record, under the names of the rules; None if it is outside, or in several columns."""
        return self.id_places[0] if len(self.id_places) == 1 and isinstance(self._columns.key, str) else None

    def iterate_records(self) -> Iterator[SideRecord]:
        """Every row, in order."""
        return self._records

    def take(self, key: str) -> SideRecord | None:
        """Remove and return the row of this key; rows before it are kept for later."""
        if key in self._read_early:
            return self._read_early.pop(key)
        for record in self._records:
            if record.key == key:
                return record
            self._read_early.setdefault(record.key, record)
        return None

    def iterate_untaken(self) -> Iterator[SideRecord]:
        """The rows that were not taken."""
        yield from self._read_early.values()
        yield from self._records

    def contains(self, keys: Sequence[str]) -> list[bool]:
        """Whether a row of each of these keys was read."""
        return self._ids.contains(keys)

    def report_duplicates(self) -> list[Diagnostic]:
        """One error for each repeated key."""
        fix = "give each row its own id, or name the columns that identify it together: `id: [doc, line]`"
        return [replace(note, fix=fix) for note in self._ids.report_duplicates()]

    def _read_records(self) -> Iterator[SideRecord]:
        if self._first_rows is None:
            return
        yield from self._convert_rows(self._first_rows)
        self._first_rows = None  # releases its memory
        for rows in self._stream:
            yield from self._convert_rows(rows)

    def _convert_rows(self, rows: RowBatch) -> Iterator[SideRecord]:
        cases = build_cases(rows, self._columns.roles)
        keys = list_ids(rows, self._columns.key)
        if self._columns.key_is_id:
            cases.id = [*keys]  # as written, while rows pair by the composed form
        keys = [to_nfc(key) for key in keys] if self._only_key is None else [self._only_key] * len(rows)
        if self._id_form is not None:
            keys = [self._id_form.simplify(key) for key in keys]
        self._name_rows_without_id(cases, keys, rows)
        self._ids.add(keys, rows)
        if self._columns.row_is_record:
            self._use_rows_as_records(cases, rows)
        self._map_records(cases, rows)
        for row, key in enumerate(keys):
            notes = tuple(as_side_diagnostic(note, self.side) for note in cases.diagnostics.get(row, ()))
            yield SideRecord(key, cases.at(row), locate_row(rows, row), notes, repeatable=row in rows.repeatable)

    def _name_rows_without_id(self, cases: Cases, keys: list[str], rows: RowBatch) -> None:
        """Give rows without an id a name that pairs with nothing: their number may be the id of another row."""
        for row in find_rows_without_id(rows, self._columns.key) if self._columns.key is not None else ():
            cases.id[row] = keys[row] = f"{self.side} {keys[row]} (no id)"
            columns = " and ".join(f"`{column}`" for column in list_id_columns(self._columns.key))
            what = f"the row has no {columns}, so it pairs with nothing"
            note = Diagnostic(code="no-id", what=what, where=locate_row(rows, row), fix="give each row an id", level="warning")
            cases.diagnostics.setdefault(row, []).append(note)

    def _use_rows_as_records(self, cases: Cases, rows: RowBatch) -> None:
        """Make each row itself the record of this side."""
        records: list[Value] = []
        for row, value in enumerate(rows.values):
            has_error = any(note.level == "error" for note in cases.diagnostics.get(row, ()))
            if rows.is_text_only:
                value = {name: decode_cell(item) for name, item in value.items()}
            records.append(MISSING if has_error else value)
        cases.metadata = [{} for _ in records]
        self._set_records(cases, records)

    def _map_records(self, cases: Cases, rows: RowBatch) -> None:
        """Take the records from where the mapping says, and rename their fields."""
        name, renames = self.mapper.mapping.record, self.mapper.mapping.rename
        records = cases.expected if self.side == "expected" else cases.actual
        if name is None and not renames:
            for place in self.id_places:
                records = [remove_field(record, place) for record in records]
            self._set_records(cases, records)
            return
        if name is not None:
            records = [locate(value, name) for value in rows.values]
        holds_gold_answers = self.side == "expected" and is_gold_column(name)
        mapped: list[Value] = []
        for row, value in enumerate(records):
            notes = cases.diagnostics.setdefault(row, [])
            where = locate_row(rows, row)
            if any(note.level == "error" for note in notes):
                value = MISSING
            elif holds_gold_answers:
                value = read_gold_answers(value, rows.is_text_only)
            elif name is not None and value is MISSING:
                notes.append(describe_missing_record(name, where))
            record, reason = self._rename_without_id(value)
            if reason:
                notes.append(describe_failed_rename(reason, where))
            mapped.append(record)
        self._set_records(cases, mapped)
        if renames:
            cases.metadata = [self._rename_evidence(metadata) for metadata in cases.metadata]

    def _rename_without_id(self, record: Value) -> tuple[Value, str]:
        """The record under the names of the rules without the id, and a reason if that is not possible."""
        for place in self.id_places:
            if place in self._written_id_places:  # before renaming: another field may get its name
                record = remove_field(record, place)
        record, reason = self.mapper.rename(record)
        for place in self.id_places:
            if place not in self._written_id_places:
                record = remove_field(record, place)
        return record, reason

    def _rename_evidence(self, metadata: dict[str, Any]) -> dict[str, Any]:
        """The metadata with the names of the rules in its records of confidences, pages and boxes."""
        names = EVIDENCE if self.side == "actual" else EXPECTED_PLACES
        renamed = {name: self.mapper.rename(metadata[name])[0] for name in names if name in metadata}
        return {**metadata, **{name: record for name, record in renamed.items() if record is not MISSING}}

    def _set_records(self, cases: Cases, records: list[Value]) -> None:
        if self.side == "expected":
            cases.expected = records
        else:
            cases.actual = records


def _find_missing_paths(rows: RowBatch, mapping: SideMapping, where: Where) -> list[Diagnostic]:
    """Report an `id` or `record` of the mapping that none of the first rows has."""
    problems: list[Diagnostic] = []
    present = sorted(frozenset[str]().union(*rows.values))
    for option, name in (*(("id", column) for column in list_id_columns(mapping.id)), ("record", mapping.record)):
        if name is not None and all(locate(value, name) is MISSING for value in rows.values):
            closest = nearest(name, present)
            fix = f"did you mean `{closest}`?" if closest else f"there are: {', '.join(present)}"
            problems.append(
                Diagnostic(code="unknown-column", what=f"no row has `{name}`, the `{option}` of this side", where=where, fix=fix)
            )
    return problems


Side: TypeAlias = RecordFiles | RecordTable


def open_side(source: Source, side: str, chunk: int, progress: ReadProgress, diagnostics: list[Diagnostic]) -> Side:
    """The side that a pattern names; `UnreadableFile` if there is no file."""
    pattern = source.expected if side == "expected" else source.actual
    if not pattern:
        what, fix = f"the source does not say where {side} is", "write cases: {expected: …, actual: …}"
        raise UnreadableFile(Diagnostic(code=NO_FILE, what=what, fix=fix))
    mapping = source.get_mapping(side)
    if side in source.memory:
        stream = read_rows_in_memory(source.memory[side], chunk, diagnostics)
        return RecordTable(rechunk_rows(stream, chunk), source, side)
    path = parse_location(pattern)
    with remote_errors_as_unreadable(path):
        is_folder = path.is_dir()
        files = find_record_files(pattern)
        diagnostics += warn_unread_entries(path, (".json",)) if is_folder else []
        progress.total = (progress.total or 0) + sum(file.stat().st_size for file in files)
        has_many_files = is_folder or (not path.exists() and glob.has_magic(pattern))
    importer = find_importer(files, mapping.format)
    if importer is not None:
        diagnostics.append(note_importer(importer, str(files[0]), side))
        stream = choose_side(read_each_document(files, importer, chunk, progress, diagnostics), side)
        table = RecordTable(rechunk_rows(stream, chunk), source, side)
        table.is_imported_file = not has_many_files
        table.has_case_columns = True
        return table
    if (
        all(get_data_suffix(file) in (".json", *TEXT_SUFFIXES) for file in files)
        and not mapping.format
        and not (mapping.id and has_many_files)
    ):
        if has_many_files:
            return RecordFiles(files, path if is_folder else get_glob_root(pattern), side, mapping, progress)
        if get_data_suffix(files[0]) in TEXT_SUFFIXES or not _is_table(files[0]):
            record_files = RecordFiles(files, files[0].parent, side, mapping, progress)
            record_files.is_single = True
            return record_files
    rows = rechunk_rows(note_recognized(read_each(files, mapping.format, chunk, progress, diagnostics), diagnostics), chunk)
    return RecordTable(rows, source, side)


def open_values_by_id(side: RecordFiles, opposite: RecordTable, source: Source, name: str) -> tuple[RecordTable, str] | None:
    """A side that is one file of answers by their ids, as the predictions of SQuAD are, and what it is, in words; None if its names are no
    ids of the other side."""
    answers = side.read_values_by_id(ids for ids in opposite.collect_id_values().values() if ids)
    if answers is None:
        return None
    [path] = side.paths.values()
    rows = [{"id": key, name: value} for key, value in answers.values.items()]
    batch = RowBatch(values=rows, numbers=list(range(1, len(rows) + 1)), files=[str(path)] * len(rows), numbering="item")
    table = RecordTable(iter([batch]), source, name)
    table.has_case_columns = True
    return table, answers.describe()


def find_importer(files: Sequence[Location], file_format: str | None) -> str | None:
    """The importer that reads these files: the written one, or the one that recognizes most of them.

    One recognized file is enough: the others may hold the errors of the same service.
    """
    if is_importer(file_format):
        return file_format
    if file_format not in (None, AUTO):
        return None
    step = max(1, len(files) // _MAX_RECOGNIZED_FILES)
    recognized = Counter(_recognize_file(file, file_format) for file in files[::step])
    del recognized[None]
    return recognized.most_common(1)[0][0] if recognized else None


def _recognize_file(file: Location, file_format: str | None) -> str | None:
    """The importer that recognizes a JSON file, or the first line of a JSONL file."""
    try:
        if get_data_suffix(file) != ".json":
            content_format = detect_content_format(file, file_format)
            return content_format if is_importer(content_format) else None
        with open_bytes(file, ReadProgress()) as stream:
            return recognize_format(parse_json_file(read_document(stream, str(file)), str(file))[0])
    except (UnreadableFile, OSError, EOFError, ValueError):
        return None


def _is_table(file: Location) -> bool:
    """Whether a JSON file is a table. A file that cannot be read counts as a record, and reading it reports the reason."""
    try:
        with open_bytes(file, ReadProgress()) as stream:
            value, _ = parse_json_file(read_document(stream, str(file)), str(file))
    except (UnreadableFile, OSError, EOFError, ValueError):
        return False
    if not isinstance(value, list):
        return find_side_records(value) is not None
    return all(isinstance(item, dict) for item in value) and len(value) > 0
