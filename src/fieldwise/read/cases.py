"""Read cases from files, chunk by chunk.

Data, however bad, never raises: what could not be read is in `diagnostics`, of the reader for files and columns, of a chunk for its cases.

* JSONL, JSON (a list, or one object that is one case), CSV with a header, Parquet; each also `.gz` or `.zst`; a folder or a glob of them;
  `-` for JSONL on standard input.
* A COCO pair (`format: coco`, or seen by how the files begin): expected is a file of annotations, actual one of scored predictions; a
  case is an image.
* A case without an id gets its line number (its position in a JSON list or a Parquet file; the file's name where a file is one case). Where
  several files are read, the name of the file goes before the number: `june:12`.
* Where there is no `actual` but several trials, the first trial is the actual.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.plan import Source
from fieldwise.read.assemble import build_cases
from fieldwise.read.coco import looks_like_coco, read_coco
from fieldwise.read.columns import ColumnRoles, find_roles
from fieldwise.read.files import ReadProgress
from fieldwise.read.ids import IdsSeen
from fieldwise.read.paired import read_pairs
from fieldwise.read.rows import RowBatch, limit_rows, rechunk_rows
from fieldwise.read.table_files import read_files, read_stdin

_RELEVANT: Final = "relevant_ids"
"""A file with this column, or with contexts, may be about retrieval alone."""


class CaseReader:
    """Chunks of cases, once; `diagnostics` and `size_hint` grow while they are read."""

    def __init__(self, source: Source, chunk: int, limit: int | None, stdin: BinaryIO | None) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.progress = ReadProgress()
        self._source = source
        self._chunk = chunk
        self._limit = limit
        self._stdin = stdin
        self.columns_seen = ColumnsSeen()

    def __iter__(self) -> Iterator[Cases]:
        if self._source.format == "coco" or looks_like_coco(self._source):
            return read_coco(self._source, self._chunk, self._limit, self.diagnostics)
        if self._source.cases is None:
            return read_pairs(self._source, self._chunk, self._limit, self.progress, self.diagnostics)
        return read_rows_as_cases(self._rows(self._source.cases), self._source, self.diagnostics, self._limit, self.columns_seen)

    def _rows(self, pattern: str) -> Iterator[RowBatch]:
        if pattern == "-":
            return rechunk_rows(read_stdin(self._stdin, self._chunk, self.diagnostics), self._chunk)
        return rechunk_rows(read_files(pattern, self._source.format, self._chunk, self.progress, self.diagnostics), self._chunk)


def read_cases(source: Source, *, chunk: int = 1024, limit: int | None = None, stdin: BinaryIO | None = None) -> CaseReader:
    """A reader of the cases that a source names. `stdin` is what `-` reads, if not the standard input."""
    return CaseReader(source, chunk, limit, stdin)


@dataclass(slots=True)
class ColumnsSeen:
    """What is known of the columns of the rows that were read so far."""

    columns: frozenset[str] | None = None
    roles: ColumnRoles = field(default_factory=ColumnRoles)


def read_rows_as_cases(
    stream: Iterator[RowBatch], source: Source, diagnostics: list[Diagnostic], limit: int | None, about: ColumnsSeen | None = None
) -> Iterator[Cases]:
    """The cases of these rows, with columns recognised and ids watched; `about` is told what is known of the columns."""
    about = about or ColumnsSeen()
    seen = IdsSeen()
    first: str | None = None
    for rows in limit_rows(stream, limit):
        first = first or rows.files[0]
        keys: frozenset[str] = frozenset().union(*rows.values)
        if about.columns is None or not keys <= about.columns:
            before, about.columns = about.columns, keys | (about.columns or frozenset())
            about.roles, problems = find_roles(_in_order(about.columns, rows), source.columns, Where(file=first))
            diagnostics += [problem for problem in problems if problem not in diagnostics]
            if any(problem.level == "error" for problem in problems):
                return
            if before is None and not _enough(about.roles, rows, keys, diagnostics):
                return
        cases = build_cases(rows, about.roles, keys=keys)
        seen.add(cases.id, rows)
        yield cases
    diagnostics += seen.report_duplicates()


def _in_order(names: frozenset[str], rows: RowBatch) -> list[str]:
    """Names in the order of the first row, for messages; then the others by name."""
    first = [name for name in rows.values[0] if name in names]
    return [*first, *sorted(names.difference(first))]


def _enough(roles: ColumnRoles, rows: RowBatch, keys: frozenset[str], diagnostics: list[Diagnostic]) -> bool:
    """Whether there is a side to score; says so where one is missing."""
    if not keys:
        return True  # nothing but unreadable lines so far; each has its own diagnostic
    where = Where(file=rows.files[0])
    listed = ", ".join(_in_order(keys, rows)[:20])
    sides = [side for side in ("expected", "actual") if side in roles.columns]
    if "actual" not in sides and (roles.trials or "actuals" in roles.columns):
        sides.append("actual")
    if not sides and ("contexts" in roles.columns or _RELEVANT in keys):
        what = f"no column is expected or actual, so only what was retrieved can be scored; there are: {listed}"
        fix = "if some are, name them: columns: {expected: …, actual: …}"
        diagnostics.append(Diagnostic(code="no-sides", what=what, where=where, fix=fix, level="warning"))
        return True
    if not sides:
        what, fix = f"no column is expected or actual; there are: {listed}", "name them: columns: {expected: …, actual: …}"
        diagnostics.append(Diagnostic(code="no-columns", what=what, where=where, fix=fix))
        return False
    if len(sides) == 1:
        other = "actual" if sides == ["expected"] else "expected"
        what, fix = f"no column is {other}; there are: {listed}", f"if one is, name it: columns: {{{other}: …}}"
        diagnostics.append(Diagnostic(code=f"no-{other}-column", what=what, where=where, fix=fix, level="warning"))
    return True
