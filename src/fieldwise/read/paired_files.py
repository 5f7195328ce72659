"""One side of a pair: files that are records, or a table of them. Each gives its entries in order, or one by its key."""

import glob
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias

from fieldwise.model.case import Case, Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.locations import Location, parse_location
from fieldwise.model.plan import Source
from fieldwise.model.remote_path import RemotePath
from fieldwise.model.values import MISSING, Value
from fieldwise.read.assemble import build_cases, list_ids, locate_row
from fieldwise.read.files import (
    ReadProgress,
    UnreadableFile,
    find_files,
    get_data_suffix,
    open_bytes,
    remote_errors_as_unreadable,
    strip_compression,
)
from fieldwise.read.ids import IdsSeen
from fieldwise.read.rows import RowBatch, rechunk_rows
from fieldwise.read.side_columns import SideColumns, side_columns
from fieldwise.read.table_files import describe_unreadable, parse_json_file, read_each

_ENDING: Final = re.compile(r"[._-](?:gold|expected|truth|ground_truth|gt|pred|preds|prediction|actual|output)\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SideRecord:
    """One record of one side."""

    key: str
    case: Case
    where: Where
    diagnostics: tuple[Diagnostic, ...] = ()
    by_short_name: bool = False
    """It was found by its name without an ending such as `.pred`; then that is its key."""


class RecordFiles:
    """Files each of which is one record, known by its name."""

    def __init__(self, files: list[Location], root: Location, side: str, progress: ReadProgress) -> None:
        self.paths: dict[str, Location] = {}
        self.single = False
        self._side = side
        self._progress = progress
        self._twice: list[Diagnostic] = []
        for file in files:
            key = _name(file, root)
            if key in self.paths:
                what = f"{file.name} and {self.paths[key].name} have the same name"
                self._twice.append(Diagnostic(code="duplicate-id", what=what, where=Where(file=str(file)), fix="keep one of them"))
            else:
                self.paths[key] = file
        self._short = _short_names(self.paths)
        self._left = dict(self.paths)

    def rename(self, key: str) -> None:
        """Give the only file another key."""
        self.paths = self._left = {key: next(iter(self.paths.values()))}

    def entries(self) -> Iterator[SideRecord]:
        """Every record, in the order of the names."""
        return (self._read(key, path) for key, path in self.paths.items())

    def take(self, key: str) -> SideRecord | None:
        """The record of this name, or of this name but for an ending."""
        short = _ENDING.sub("", key)
        name = key if key in self.paths else short if short in self.paths else self._short.get(short)
        path = self._left.pop(name, None) if name is not None else None
        if name is None or path is None:
            return None
        return self._read(key, path) if name == key else self._read(short, path, by_short_name=True)

    def rest(self) -> Iterator[SideRecord]:
        """What nobody took, unread."""
        return (SideRecord(key, Case(id=key), Where(file=str(path))) for key, path in self._left.items())

    def knows(self, keys: Sequence[str]) -> list[bool]:
        """Whether there are records of these names."""
        return [key in self.paths for key in keys]

    def duplicates(self) -> list[Diagnostic]:
        """Names that came twice."""
        return self._twice

    def _read(self, key: str, path: Location, *, by_short_name: bool = False) -> SideRecord:
        where = Where(file=str(path))
        value: Value = MISSING
        notes: list[Diagnostic] = []
        try:
            with open_bytes(path, self._progress) as stream:
                value, problems = parse_json_file(stream.read(), str(path))
            notes = [problem.to_diagnostic(where) for problem in problems]
        except UnreadableFile as problem:
            notes = [problem.diagnostic]
        except (OSError, EOFError, ValueError) as error:
            notes = [describe_unreadable(path, error)]
        notes = [_of_side(note, self._side) for note in notes]
        value = MISSING if any(note.level == "error" for note in notes) else value
        case = Case(id=key, expected=value) if self._side == "expected" else Case(id=key, actual=value)
        return SideRecord(key, case, where, tuple(notes), by_short_name)


def _of_side(note: Diagnostic, side: str) -> Diagnostic:
    """An error that says which side it makes unreadable."""
    if note.level != "error":
        return note
    return Diagnostic(code=f"unreadable-{side}", what=note.what, where=note.where, fix=note.fix)


def _name(file: Location, root: Location) -> str:
    relative = PurePosixPath(file.name)
    if isinstance(file, RemotePath):
        relative = file.relative_to(root) if file.is_relative_to(root) else relative
    elif isinstance(root, Path) and file.is_relative_to(root):
        relative = PurePosixPath(file.relative_to(root).as_posix())
    return strip_compression(relative).with_suffix("").as_posix()


def _short_names(paths: dict[str, Location]) -> dict[str, str]:
    """Names without their endings, where only one name is left so."""
    short: dict[str, list[str]] = {}
    for key in paths:
        short.setdefault(_ENDING.sub("", key), []).append(key)
    return {name: keys[0] for name, keys in short.items() if len(keys) == 1}


class RecordTable:
    """Rows of one or more files, known by an id or by the column that joins."""

    def __init__(self, stream: Iterator[RowBatch], source: Source, side: str, diagnostics: list[Diagnostic]) -> None:
        self._side = side
        self._seen = IdsSeen()
        self._held: dict[str, SideRecord] = {}
        self._first = next(stream, None)
        self._stream = stream
        self.file = (source.expected if side == "expected" else source.actual) or ""
        self.names: frozenset[str] = frozenset().union(*self._first.values) if self._first else frozenset()
        self._columns, problems = side_columns(self.names, source, side, self.file) if self._first else (SideColumns(), [])
        diagnostics += problems
        self.refused = self._first is None or any(problem.level == "error" for problem in problems)
        self._pulled = self._pull()

    @property
    def keyed(self) -> bool:
        """Whether a column tells the rows apart."""
        return self._columns.key is not None

    def entries(self) -> Iterator[SideRecord]:
        """Every row, in order."""
        return self._pulled

    def take(self, key: str) -> SideRecord | None:
        """The row of this key; rows before it are kept for later."""
        if key in self._held:
            return self._held.pop(key)
        for entry in self._pulled:
            if entry.key == key:
                return entry
            self._held.setdefault(entry.key, entry)
        return None

    def rest(self) -> Iterator[SideRecord]:
        """What nobody took."""
        yield from self._held.values()
        yield from self._pulled

    def knows(self, keys: Sequence[str]) -> list[bool]:
        """Whether rows of these keys were read."""
        return self._seen.contains(keys)

    def duplicates(self) -> list[Diagnostic]:
        """Keys that came twice."""
        return self._seen.report_duplicates()

    def _pull(self) -> Iterator[SideRecord]:
        if self._first is None:
            return
        yield from self._entries(self._first)
        self._first = None
        for rows in self._stream:
            yield from self._entries(rows)

    def _entries(self, rows: RowBatch) -> Iterator[SideRecord]:
        columns = self._columns
        cases = build_cases(rows, columns.roles)
        keys = list_ids(rows, columns.key)
        self._seen.add(keys, rows)
        if columns.row_is_record:
            self._use_rows(cases, rows)
        for row, key in enumerate(keys):
            notes = tuple(_of_side(note, self._side) for note in cases.diagnostics.get(row, ()))
            yield SideRecord(key, cases.at(row), locate_row(rows, row), notes)

    def _use_rows(self, cases: Cases, rows: RowBatch) -> None:
        """Make each row itself the record of this side."""
        records: list[Value] = [
            MISSING if any(note.level == "error" for note in cases.diagnostics.get(row, ())) else value
            for row, value in enumerate(rows.values)
        ]
        cases.metadata = [{} for _ in records]
        if self._side == "expected":
            cases.expected = records
        else:
            cases.actual = records


Side: TypeAlias = RecordFiles | RecordTable


def open_side(source: Source, side: str, chunk: int, progress: ReadProgress, diagnostics: list[Diagnostic]) -> Side:
    """The side that a pattern names; `Unreadable` where nothing is there."""
    pattern = source.expected if side == "expected" else source.actual
    if not pattern:
        what, fix = f"the source does not say where {side} is", "write cases: {expected: …, actual: …}"
        raise UnreadableFile(Diagnostic(code="no-file", what=what, fix=fix))
    path = parse_location(pattern)
    with remote_errors_as_unreadable(path):
        is_folder = path.is_dir()
        files = find_files(pattern, (".json",)) if is_folder else find_files(pattern)
        progress.total = (progress.total or 0) + sum(file.stat().st_size for file in files)
        many = is_folder or (not path.exists() and glob.has_magic(pattern))
    if all(get_data_suffix(file) == ".json" for file in files) and not source.format:
        if many:
            return RecordFiles(files, path if is_folder else _fixed_part(pattern), side, progress)
        if not _is_table(files[0]):
            single = RecordFiles(files, files[0].parent, side, progress)
            single.single = True
            return single
    return RecordTable(rechunk_rows(read_each(files, source.format, chunk, progress, diagnostics), chunk), source, side, diagnostics)


def _fixed_part(pattern: str) -> Location:
    """The folder that a glob starts from."""
    scheme, mark, rest = pattern.rpartition("://")
    fixed: list[str] = []
    for part in Path(rest).parts[:-1]:
        if glob.has_magic(part):
            break
        fixed.append(part)
    return RemotePath(f"{scheme}://{'/'.join(fixed)}") if mark else Path(*fixed)


def _is_table(file: Location) -> bool:
    """Whether a JSON file is a list of objects. One that cannot be read counts as a record, which then says why."""
    try:
        with open_bytes(file, ReadProgress()) as stream:
            value, _ = parse_json_file(stream.read(), str(file))
    except (UnreadableFile, OSError, EOFError, ValueError):
        return False
    return isinstance(value, list) and all(isinstance(item, dict) for item in value) and len(value) > 0
