"""Read cases from files or from memory, chunk by chunk.

Bad data never raises: problems of files and columns are in the reader's `diagnostics`, problems of cases in those of their chunk.

* JSONL, JSON (a list, or one object that is one case), CSV with a header, Parquet; each also `.gz` or `.zst`; a folder or a glob of them;
  `-` for JSONL on standard input.
* A COCO pair (`format: coco`, or recognized by how the files begin): expected is a file of annotations, actual one of scored predictions;
  a case is an image.
* A case without an id gets its line number (its row in CSV, its position in a JSON list or a Parquet file; the file's name if a file is
  one case). If several files are read, the name of the file comes before the number: `june:12`.
* If there is no `actual` but several trials, the first trial is the actual.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from shlex import quote
from typing import BinaryIO, Final

from fieldwise.dataclass import dataclass
from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.locations import parse_location
from fieldwise.model.plan import Source
from fieldwise.read.case_builder import build_cases
from fieldwise.read.coco import looks_like_coco, read_coco
from fieldwise.read.columns import ColumnRoles, find_roles, list_id_candidates, list_nested_names
from fieldwise.read.corrections import apply_corrections
from fieldwise.read.expectations import take_expected_answers
from fieldwise.read.files import NO_FILE, ReadProgress
from fieldwise.read.id_candidates import MAX_EVIDENCE_ROWS, find_repeating_ids
from fieldwise.read.ids import DUPLICATE_ID, IdsSeen
from fieldwise.read.in_memory import read_rows_in_memory
from fieldwise.read.likeliest_columns import find_likeliest_column, find_likeliest_sides, is_prediction, order_names
from fieldwise.read.paired_files import read_pairs
from fieldwise.read.rows import RowBatch, limit_rows, peek_rows, rechunk_rows
from fieldwise.read.table_files import LineFilter, read_files, read_stdin

MAX_BYTES_BEHIND_LIMIT: Final = 4 << 20
"""Size of the data up to which ids are checked behind a limit, too: that takes up to 0.2 s."""
_RELEVANT_IDS: Final = "relevant_ids"
"""A file with this column, or with contexts, may be about retrieval alone."""
_MAX_LISTED: Final = 20


@dataclass(slots=True)
class ColumnsSeen:
    """The columns of the rows read so far, and their roles."""

    columns: frozenset[str] | None = None
    roles: ColumnRoles = field(default_factory=ColumnRoles)


class CaseReader:
    """An iterator over chunks of cases; `diagnostics`, `progress` and `columns_seen` are updated while they are read."""

    def __init__(self, source: Source, chunk: int, limit: int | None, stdin: BinaryIO | None, keep_line: LineFilter | None = None) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.progress = ReadProgress()
        self.columns_seen = ColumnsSeen()
        self._source = source
        self._chunk = chunk
        self._limit = limit
        self._stdin = stdin
        self._keep_line = keep_line

    def __iter__(self) -> Iterator[Cases]:
        corrections = self._source.corrections
        for cases in self._read_uncorrected():
            yield cases if corrections is None else apply_corrections(cases, corrections)
        self.diagnostics[:] = [self._locate_in_suite(problem) for problem in self.diagnostics]
        if self._limit is not None and (self.progress.total or MAX_BYTES_BEHIND_LIMIT + 1) <= MAX_BYTES_BEHIND_LIMIT:
            self.diagnostics += self._find_duplicates_behind_limit()

    def _locate_in_suite(self, problem: Diagnostic) -> Diagnostic:
        """The problem; that of a path with no file, with the line of the suite that names it."""
        place = self._source.places.get(problem.where.file or "")
        return replace(problem, where=place) if problem.code == NO_FILE and place is not None and place.file else problem

    def _find_duplicates_behind_limit(self) -> list[Diagnostic]:
        """Errors for ids that are repeated behind the limit."""
        everything = CaseReader(self._source, self._chunk, None, None)
        for _ in everything._read_uncorrected():
            pass
        return [problem for problem in everything.diagnostics if problem.code == DUPLICATE_ID and problem not in self.diagnostics]

    def _read_uncorrected(self) -> Iterator[Cases]:
        if self._source.format == "coco" or looks_like_coco(self._source):
            return read_coco(self._source, self._chunk, self._limit, self.diagnostics)
        if self._source.cases is None:
            return read_pairs(self._source, self._chunk, self._limit, self.progress, self.diagnostics)
        return read_rows_as_cases(self._read_rows(self._source.cases), self._source, self.diagnostics, self._limit, self.columns_seen)

    def _read_rows(self, pattern: str) -> Iterator[RowBatch]:
        if "cases" in self._source.memory:
            rows = read_rows_in_memory(self._source.memory["cases"], self._chunk, self.diagnostics)
        elif pattern == "-":
            rows = read_stdin(self._stdin, self._chunk, self.diagnostics)
        else:
            rows = read_files(pattern, self._source.format, self._chunk, self.progress, self.diagnostics, self._keep_line)
        return rechunk_rows(rows, self._chunk)


def read_cases(
    source: Source, *, chunk: int = 1024, limit: int | None = None, stdin: BinaryIO | None = None, keep_line: LineFilter | None = None
) -> CaseReader:
    """A reader of the cases of a source. `stdin` replaces standard input for `-`; `keep_line` leaves out lines of a JSONL file."""
    return CaseReader(source, chunk, limit, stdin, keep_line)


def read_rows_as_cases(
    stream: Iterator[RowBatch], source: Source, diagnostics: list[Diagnostic], limit: int | None, seen: ColumnsSeen | None = None
) -> Iterator[Cases]:
    """The cases of these rows; finds the roles of columns and reports duplicate ids. Updates `seen`."""
    seen = seen or ColumnsSeen()
    ids = IdsSeen()
    first_file: str | None = None
    not_ids, stream = _find_not_ids(stream, source)
    for rows in limit_rows(stream, limit):
        first_file = first_file or rows.files[0]
        keys: frozenset[str] = frozenset().union(*rows.values)
        names = keys.union(list_nested_names(rows.values, keys, source.columns))
        if seen.columns is None or not names <= seen.columns:
            is_first = seen.columns is None
            seen.columns = names | (seen.columns or frozenset())
            seen.roles, problems = find_roles(order_names(seen.columns, rows), source.columns, Where(file=first_file), not_ids=not_ids)
            diagnostics += [problem for problem in problems if problem not in diagnostics]
            if any(problem.level == "error" for problem in problems):
                return
            if is_first and not _check_sides(seen.roles, rows, keys, diagnostics):
                return
        cases = build_cases(rows, seen.roles, keys=keys)
        remarks = take_expected_answers(cases, seen.roles, source, first_file)
        diagnostics += [remark for remark in remarks if remark not in diagnostics]
        ids.add(cases.id, rows)
        yield cases
    diagnostics += ids.report_duplicates()


def _find_not_ids(stream: Iterator[RowBatch], source: Source) -> tuple[Mapping[str, str], Iterator[RowBatch]]:
    """The columns that the values of the first rows exclude as the id, and all rows; `limit` does not change which rows those are."""
    if "id" in source.columns:
        return {}, stream
    values, stream = peek_rows(stream, 1)
    if len(list_id_candidates([*values[0]] if values else [])) > 1:
        values, stream = peek_rows(stream, MAX_EVIDENCE_ROWS)
    names = dict.fromkeys(name for row in values for name in row)
    return find_repeating_ids([*names], values), stream


def _check_sides(roles: ColumnRoles, rows: RowBatch, keys: frozenset[str], diagnostics: list[Diagnostic]) -> bool:
    """Whether there is a side to score; reports a missing one."""
    if not keys:
        return True  # nothing but unreadable lines so far; each has its own diagnostic
    where = Where(file=rows.files[0])
    columns = ", ".join(order_names(keys, rows)[:_MAX_LISTED])
    has_expected = "expected" in roles.columns
    has_actual = "actual" in roles.columns or bool(roles.trials) or "actuals" in roles.columns
    if has_expected and has_actual:
        return True
    if has_expected or has_actual:
        missing = "actual" if has_expected else "expected"
        present = roles.columns.get("expected" if has_expected else "actual")
        taken = "" if present in (None, "expected", "actual") else f"; `{present}` is read as {'expected' if has_expected else 'actual'}"
        what = f"no column is {missing}; there are: {columns}{taken}"
        fix = _suggest_column(rows, roles, missing)
        diagnostics.append(Diagnostic(code=f"no-{missing}-column", what=what, where=where, fix=fix, level="warning"))
        return True
    if "contexts" in roles.columns or _RELEVANT_IDS in keys:
        what = f"no column is expected or actual, so only what was retrieved can be scored; there are: {columns}"
        fix = "if some are, name them: columns: {expected: …, actual: …}"
        diagnostics.append(Diagnostic(code="no-sides", what=what, where=where, fix=fix, level="warning"))
        return True
    likely = {"expected": "…", "actual": "…"} | find_likeliest_sides(rows, roles)
    expected, actual = likely["expected"], likely["actual"]
    what = f"no column is expected or actual; there are: {columns}"
    fix = f"name them: columns: {{expected: {expected}, actual: {actual}}}, or `init --column expected={expected} --column actual={actual}`"
    diagnostics.append(Diagnostic(code="no-columns", what=what, where=where, fix=fix))
    return False


def _suggest_column(rows: RowBatch, roles: ColumnRoles, missing: str) -> str:
    """The fix for cases without one of the sides."""
    likeliest = find_likeliest_column(rows, roles, missing)
    if likeliest is None:
        name = parse_location(rows.files[0]).name
        sides = {"expected": name, "actual": name} | {missing: "…"}
        return f"give it in a file of its own: cases: {{expected: {sides['expected']}, actual: {sides['actual']}}}"
    actual = roles.columns.get("actual", "")
    if missing == "expected" and actual.casefold() == "actual" and is_prediction(likeliest):
        return f"if `{actual}` is the true value, say so: columns: {{expected: {actual}, actual: {likeliest}}}"
    if missing == "expected" and actual.casefold() == "answer":
        name = parse_location(rows.files[0]).name
        return f"if `{actual}` is what is expected, pair it with the outputs: fieldwise init --expected {name} --actual FILE"
    return f"if one is, name it: columns: {{{missing}: {likeliest}}}, or `init --column {quote(f'{missing}={likeliest}')}`"


def require_rereadable(source: Source) -> None:
    """ConfigError for cases that cannot be read again, from standard input or an iterator."""
    name = "standard input" if source.cases == "-" else "an iterator"
    if not source.is_rereadable:
        what, fix = f"cases from {name} cannot be read again, so the run cannot be resumed", "put them in a file or a list"
        raise ConfigError([Diagnostic(code="cannot-resume", what=what, fix=fix)])
