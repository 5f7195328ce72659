"""One side of cases that is a folder or a glob of files, each of which is one record, identified by its name.

Called where the two sides are opened; a single file with one record is such a side too.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from fieldwise.dataclass import dataclass
from fieldwise.kernels.values import to_nfc
from fieldwise.model.case import Case
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.locations import Location
from fieldwise.model.plan import SideMapping
from fieldwise.model.remote_path import RemotePath
from fieldwise.model.values import MISSING, Value
from fieldwise.pattern import compile_on_use
from fieldwise.read.file_ids import IdForm, ValuesById, find_values_by_id
from fieldwise.read.files import (
    TEXT_SUFFIXES,
    ReadProgress,
    UnreadableFile,
    decode_wide,
    detect_wide_encoding,
    get_data_suffix,
    open_bytes,
    strip_compression,
)
from fieldwise.read.ids import DUPLICATE_ID
from fieldwise.read.pairing_fields import Steps
from fieldwise.read.records_in_text import find_record
from fieldwise.read.side_mapping import SideMapper, locate
from fieldwise.read.table_files import describe_unreadable, parse_json_file, read_document

_ENDING: Final = compile_on_use(r"[._-](?:gold|expected|truth|ground_truth|gt|pred|preds|prediction|actual|output)\Z", re.IGNORECASE)
FILE_NAME: Final = "(file name)"


@dataclass(frozen=True, slots=True)
class SideRecord:
    """One record of one side."""

    key: str
    case: Case
    where: Where
    diagnostics: tuple[Diagnostic, ...] = ()
    by_short_name: bool = False
    """Whether it was found by its name without an ending such as `.pred`; then that is its key."""
    repeatable: bool = False
    """Whether a value of it may be a list of one: `ImportedRecord.repeatable`."""


class RecordFiles:
    """A side of files, each of which is one record, identified by its name."""

    def __init__(self, files: list[Location], root: Location, side: str, mapping: SideMapping, progress: ReadProgress) -> None:
        self.paths: dict[str, Location] = {}
        self.is_single = False
        self.id_place: Steps | None = None
        """The name of a file is no field."""
        self.mapper = SideMapper(mapping)
        self._side = side
        self._progress = progress
        self._duplicates: list[Diagnostic] = []
        self._written_names: dict[str, str] = {}
        """Name by key, where the file writes it in another Unicode form."""
        for file in files:
            name = _get_record_name(file, root)
            key = to_nfc(name)
            if key != name:
                self._written_names.setdefault(key, name)
            if key in self.paths:
                what = f"{file.name} and {self.paths[key].name} have the same name"
                self._duplicates.append(Diagnostic(code=DUPLICATE_ID, what=what, where=Where(file=str(file)), fix="keep one of them"))
            else:
                self.paths[key] = file
        self._key_by_short_name = _map_short_names(self.paths)
        self._untaken = dict(self.paths)

    def list_ids(self) -> list[str]:
        """What could identify the records: the names of the files."""
        return [FILE_NAME]

    def collect_id_values(self) -> dict[str, frozenset[str] | None]:
        """The names of the files, as the only ids there can be."""
        return {FILE_NAME: frozenset((*self.paths, *self._key_by_short_name))}

    def list_keys(self, _count: int) -> list[str]:
        """The names of the files."""
        return [*self.paths, *self._key_by_short_name]

    def pair_by_form(self, form: IdForm) -> None:
        """Identify the files by their names in this form."""
        self._written_names = {form.simplify(key): self._written_names.get(key, key) for key in self.paths}
        self.paths = {form.simplify(key): path for key, path in self.paths.items()}
        self._key_by_short_name = _map_short_names(self.paths)
        self._untaken = dict(self.paths)

    def rename(self, key: str) -> None:
        """Give the only file another key."""
        self.paths = self._untaken = {key: next(iter(self.paths.values()))}

    def iterate_records(self) -> Iterator[SideRecord]:
        """Every record, in the order of the names."""
        return (self._read_record(key, path) for key, path in self.paths.items())

    def take(self, key: str) -> SideRecord | None:
        """Remove and return the record of this name, else of this name but for an ending."""
        short_name = _ENDING.sub("", key)
        if key in self.paths:
            name = key
        elif short_name in self.paths:
            name = short_name
        else:
            name = self._key_by_short_name.get(short_name)
        path = self._untaken.pop(name, None) if name is not None else None
        if path is None:
            return None
        return self._read_record(key, path) if name == key else self._read_record(short_name, path, by_short_name=True)

    def iterate_untaken(self) -> Iterator[SideRecord]:
        """The records that were not taken, unread."""
        return (SideRecord(key, Case(id=key), Where(file=str(path))) for key, path in self._untaken.items())

    def contains(self, keys: Sequence[str]) -> list[bool]:
        """Whether there is a record for each of these names."""
        return [key in self.paths for key in keys]

    def report_duplicates(self) -> list[Diagnostic]:
        """One error for each repeated name."""
        return self._duplicates

    def read_values_by_id(self, id_columns: Iterable[Collection[str]]) -> ValuesById | None:
        """The answers in the only file if it holds them by the ids of the other side, such as `{"q1": "Paris"}`; else None."""
        [path] = self.paths.values()
        if get_data_suffix(path) in TEXT_SUFFIXES or self.mapper.mapping.id is not None or self.mapper.mapping.record is not None:
            return None
        try:
            with open_bytes(path, ReadProgress()) as stream:
                value, problems = parse_json_file(read_document(stream, str(path)), str(path))
        except (UnreadableFile, OSError, EOFError, ValueError):  # reported where the record is read
            return None
        return None if problems else find_values_by_id(value, id_columns)

    def find_table_errors(self) -> list[Diagnostic]:
        """Why the only file, of JSON, is no table: it is not JSON, or holds nothing."""
        [path] = self.paths.values()
        if get_data_suffix(path) in TEXT_SUFFIXES:
            return []
        try:
            with open_bytes(path, ReadProgress()) as stream:
                value, _ = parse_json_file(read_document(stream, str(path)), str(path))
        except UnreadableFile as error:
            return [error.diagnostic]
        except (OSError, EOFError, ValueError) as error:
            return [describe_unreadable(path, error)]
        if value in ([], {}, None):
            what = f"the file holds no records, only `{'null' if value is None else value}`"
            return [
                Diagnostic(code="empty-file", what=what, where=Where(file=str(path)), fix="write records into it, or name another file")
            ]
        return []

    def _read_record(self, key: str, path: Location, *, by_short_name: bool = False) -> SideRecord:
        where = Where(file=str(path))
        value: Value = MISSING
        try:
            with open_bytes(path, self._progress) as stream:
                value, notes = self._parse(read_document(stream, str(path)), path)
        except UnreadableFile as error:
            notes = [error.diagnostic]
        except (OSError, EOFError, ValueError) as error:
            notes = [describe_unreadable(path, error)]
        if not notes:
            value, notes = self._map_record(value, where)
        notes = [as_side_diagnostic(note, self._side) for note in notes]
        value = MISSING if any(note.level == "error" for note in notes) else value
        name = self._written_names.get(key, key)
        case = Case(id=name, expected=value) if self._side == "expected" else Case(id=name, actual=value)
        return SideRecord(key, case, where, tuple(notes), by_short_name)

    def _parse(self, content: bytes, path: Location) -> tuple[Value, list[Diagnostic]]:
        """The value of a file. An actual file that is not JSON is the text of a model, in which evaluators look for a record."""
        if get_data_suffix(path) in TEXT_SUFFIXES:
            return _decode_text(content, str(path)), []
        try:
            value, problems = parse_json_file(content, str(path))
        except UnreadableFile:
            if self._side == "actual" and content.strip():
                return _decode_text(content, str(path)), []
            raise
        return value, [problem.to_diagnostic(Where(file=str(path))) for problem in problems]

    def _map_record(self, value: Value, where: Where) -> tuple[Value, list[Diagnostic]]:
        name = self.mapper.mapping.record
        if name is not None:
            row = find_record(value).value if isinstance(value, str) else value
            value = locate(row, name) if isinstance(row, dict) else MISSING
            if value is MISSING:
                return MISSING, [describe_missing_record(name, where)]
        value, reason = self.mapper.rename(value)
        return value, [describe_failed_rename(reason, where)] if reason else []


def describe_missing_record(name: str, where: Where) -> Diagnostic:
    """The diagnostic for a row or file without the record of its side."""
    return Diagnostic(code="no-record", what=f"there is nothing at `{name}`, where the record should be", where=where)


def describe_failed_rename(reason: str, where: Where) -> Diagnostic:
    """The diagnostic for a record whose fields cannot be renamed."""
    return Diagnostic(code="rename-collision", what=f"the record {reason}", where=where, fix="remove the rename, or rename both")


def as_side_diagnostic(note: Diagnostic, side: str) -> Diagnostic:
    """An error with the code that names the unreadable side; other notes as they are."""
    if note.level != "error":
        return note
    return Diagnostic(code=f"unreadable-{side}", what=note.what, where=note.where, fix=note.fix)


def _decode_text(content: bytes, file: str) -> str:
    encoding = detect_wide_encoding(content)
    if encoding is not None:
        return decode_wide(content, encoding, file)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what, fix = f"the text has bytes that are not UTF-8, from byte {error.start + 1} on", "save the file as UTF-8"
        raise UnreadableFile(Diagnostic(code="invalid-utf8", what=what, where=Where(file=file), fix=fix)) from error


def _get_record_name(file: Location, root: Location) -> str:
    """The path of a file relative to the root, without extensions."""
    relative = PurePosixPath(file.name)
    if isinstance(file, RemotePath):
        relative = file.relative_to(root) if file.is_relative_to(root) else relative
    elif isinstance(root, Path) and file.is_relative_to(root):
        relative = PurePosixPath(file.relative_to(root).as_posix())
    return strip_compression(relative).with_suffix("").as_posix()


def _map_short_names(keys: Iterable[str]) -> dict[str, str]:
    """Name without its ending → name, where only one name has that short form."""
    keys_by_short_name: dict[str, list[str]] = {}
    for key in keys:
        keys_by_short_name.setdefault(_ENDING.sub("", key), []).append(key)
    return {short_name: keys[0] for short_name, keys in keys_by_short_name.items() if len(keys) == 1}
