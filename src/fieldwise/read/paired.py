"""Expected and actual in places of their own, joined into cases.

A side is either **record files** (a folder or a glob of JSON files, or one file with a single record: each file is the record itself,
known by its name) or a **table** (JSONL, a JSON list, CSV, Parquet: known by `id`, or by the column that `join` names).

* Names pair as they are, else without an ending such as `.gold` or `_pred`.
* A row of a table is wrapped if it has a column for its side: `expected` (or a usual name for it, or what `columns` says). Otherwise the
  row itself is the record, its id included. `reference`, `output`, `answer` and `response` are words that records use too: they count
  only where every other column is a role (id, question, contexts, …). What was decided is among the diagnostics.
* Tables in the same order are read side by side; where the order differs, the predictions read too early are kept in memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from fieldwise.model.case import Case, Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.plan import Source
from fieldwise.model.values import MISSING
from fieldwise.read.files import ReadProgress, UnreadableFile
from fieldwise.read.ids import MAX_REPORTED
from fieldwise.read.paired_files import RecordFiles, RecordTable, Side, SideRecord, open_side


@dataclass(slots=True)
class _Totals:
    cases: int = 0
    matched: int = 0
    alone: list[SideRecord] = field(default_factory=list[SideRecord])
    """The first of those without a prediction."""


def read_pairs(source: Source, chunk: int, limit: int | None, progress: ReadProgress, diagnostics: list[Diagnostic]) -> Iterator[Cases]:
    """The cases that the two sides make together, in the order of the expected side."""
    sides = _open_both(source, chunk, progress, diagnostics)
    if sides is None:
        return
    expected, actual = sides
    totals = _Totals()
    entries = islice(expected.entries(), limit)
    while batch := list(islice(entries, chunk)):
        pairs = [(entry, actual.take(entry.key)) for entry in batch]
        totals.cases += len(pairs)
        alone = [entry for entry, other in pairs if other is None]
        totals.matched += len(pairs) - len(alone)
        totals.alone += alone[: MAX_REPORTED - len(totals.alone)]
        yield _cases(pairs)
    diagnostics += expected.duplicates()
    if limit is None or totals.cases < limit:
        _tell_rest(expected, actual, totals, diagnostics)


def _open_both(source: Source, chunk: int, progress: ReadProgress, diagnostics: list[Diagnostic]) -> tuple[Side, Side] | None:
    """Both sides, ready to join; None, with the reasons among the diagnostics, if they cannot be."""
    sides: list[Side] = []
    for side in ("expected", "actual"):
        try:
            sides.append(open_side(source, side, chunk, progress, diagnostics))
        except UnreadableFile as problem:
            diagnostics.append(problem.diagnostic)
    if len(sides) < 2 or any(isinstance(side, RecordTable) and side.refused for side in sides):
        return None
    expected, actual = sides
    problems = _columns_nowhere(source, expected, actual)
    diagnostics += problems
    if problems:
        return None
    if isinstance(expected, RecordFiles) and isinstance(actual, RecordFiles) and expected.single and actual.single:
        actual.rename(next(iter(expected.paths)))
    if isinstance(expected, RecordTable) and isinstance(actual, RecordTable) and not _same_kind_of_key(expected, actual, diagnostics):
        return None
    return expected, actual


def _columns_nowhere(source: Source, expected: Side, actual: Side) -> list[Diagnostic]:
    """Columns that the suite names and neither side has."""
    tables = [side for side in (expected, actual) if isinstance(side, RecordTable)]
    names = frozenset[str]().union(*(table.names for table in tables))
    shared = [column for role, column in source.columns.items() if role not in ("expected", "actual", "actuals")]
    return [
        Diagnostic(
            code="unknown-column",
            what=f"there is no column `{column}` on either side",
            where=Where(file=source.expected),
            fix=f"there are: {', '.join(sorted(names))}",
        )
        for column in shared
        if isinstance(column, str) and tables and column not in names
    ]


def _same_kind_of_key(expected: RecordTable, actual: RecordTable, diagnostics: list[Diagnostic]) -> bool:
    """Whether both tables have a key, or neither has one and rows pair by position."""
    if expected.keyed == actual.keyed:
        if not expected.keyed:
            what = "neither side has an id: rows are paired by their number"
            diagnostics.append(Diagnostic(code="joined-by-number", what=what, where=Where(file=expected.file), level="warning"))
        return True
    lacking = actual if expected.keyed else expected
    what, fix = "this side has no id, the other has", "add the ids, or name a column that both have: join: question"
    diagnostics.append(Diagnostic(code="no-join", what=what, where=Where(file=lacking.file), fix=fix))
    return False


def _cases(pairs: list[tuple[SideRecord, SideRecord | None]]) -> Cases:
    cases = Cases.of([_joined(entry, other) for entry, other in pairs])
    for row, (entry, other) in enumerate(pairs):
        notes = [*entry.diagnostics, *(other.diagnostics if other else ())]
        if notes:
            case = cases.id[row]
            cases.diagnostics[row] = [replace(note, where=replace(note.where, case=case)) for note in notes]
    return cases


def _joined(entry: SideRecord, other: SideRecord | None) -> Case:
    if other is None:
        return replace(entry.case, actual=MISSING, actuals=None)
    mine, theirs = entry.case, other.case
    return replace(
        mine,
        id=other.key if other.by_short_name else mine.id,
        input=theirs.input if mine.input is None else mine.input,
        actual=theirs.actual,
        contexts=mine.contexts if theirs.contexts is None else theirs.contexts,
        metadata={**mine.metadata, **theirs.metadata},
        tags=mine.tags or theirs.tags,
        split=mine.split or theirs.split,
        actuals=theirs.actuals,
    )


def _tell_rest(expected: Side, actual: Side, totals: _Totals, diagnostics: list[Diagnostic]) -> None:
    """Report predictions that nothing was expected for, and ids that predictions share."""
    left = list(actual.rest())
    known = expected.knows([entry.key for entry in left])
    rest = [entry for entry, known_too in zip(left, known, strict=True) if not known_too]
    diagnostics += actual.duplicates()
    unread = [note for entry in rest for note in entry.diagnostics if note.level == "error"]
    diagnostics += unread[:MAX_REPORTED]
    orphans = [entry for entry in rest if not any(note.level == "error" for note in entry.diagnostics)]
    if totals.cases and not totals.matched and orphans:
        what, fix = (
            "nothing pairs: no prediction has an expected record",
            "check names and ids, or name a column that both have: join: question",
        )
        diagnostics.append(Diagnostic(code="nothing-pairs", what=what, where=Where(file=orphans[0].where.file), fix=fix))
    elif totals.matched:
        diagnostics += _alone(totals, actual)
    fix = "add what is expected, or leave it"
    for entry in orphans[:MAX_REPORTED]:
        what, where = f"`{entry.key}` has a prediction but no expected record; it is not scored", replace(entry.where, case=entry.key)
        diagnostics.append(Diagnostic(code="no-expected", what=what, where=where, fix=fix, level="warning"))
    if len(orphans) > MAX_REPORTED:
        what = f"{len(orphans) - MAX_REPORTED} more predictions have no expected record"
        diagnostics.append(Diagnostic(code="no-expected", what=what, where=Where(file=orphans[0].where.file), fix=fix, level="warning"))


def _alone(totals: _Totals, actual: Side) -> Iterator[Diagnostic]:
    """What is expected and has no prediction; where another of the same id has taken it, duplicates are reported already."""
    fix = "add the prediction; until then it counts as 0"
    taken = actual.knows([entry.key for entry in totals.alone])
    for entry in (entry for entry, known in zip(totals.alone, taken, strict=True) if not known):
        what, where = f"`{entry.key}` is expected but has no prediction", replace(entry.where, case=entry.case.id)
        yield Diagnostic(code="no-actual", what=what, where=where, fix=fix, level="warning")
    more = totals.cases - totals.matched - len(totals.alone)
    if more:
        where = Where(file=totals.alone[0].where.file)
        yield Diagnostic(code="no-actual", what=f"{more} more have no prediction", where=where, fix=fix, level="warning")
