"""Cases whose expected and actual records are in separate files, paired by name or id (`side_files.py` reads each side).

* Names pair as they are, else without an ending such as `.gold` or `_pred`.
* Tables in the same order are read side by side; where the order differs, the predictions read too early are kept in memory.
"""

import filecmp
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, cast

from fieldwise.dataclass import dataclass
from fieldwise.model.case import Case, Cases
from fieldwise.model.diagnostic import OTHER_ORDER, UNREADABLE_SIDE, Diagnostic, Where
from fieldwise.model.locations import Location
from fieldwise.model.plan import Source
from fieldwise.model.values import MISSING, Value
from fieldwise.read.columns import quote_name
from fieldwise.read.file_ids import find_id_form, may_differ_in_form
from fieldwise.read.files import ReadProgress, UnreadableFile, find_files
from fieldwise.read.id_candidates import MAX_EVIDENCE_ROWS, find_unpaired_ids
from fieldwise.read.ids import MAX_REPORTED
from fieldwise.read.imported_files import EVIDENCE, EXPECTED_PLACES
from fieldwise.read.pairing_fields import Steps, remove_repeated_id
from fieldwise.read.record_columns import find_outputs
from fieldwise.read.shared_columns import (
    MAX_COMPARED_ROWS,
    OTHER_IDS,
    are_in_other_order,
    describe_other_ids,
    find_shared_column,
    to_comparable,
)
from fieldwise.read.side_columns import SIDES
from fieldwise.read.side_files import RecordFiles, RecordTable, Side, SideRecord, open_side, open_values_by_id
from fieldwise.read.side_mapping import identify_record
from fieldwise.read.single_values import WrappedRecord, wrap_single_values
from fieldwise.registry import nearest

_NAME_IDS: Final = "name what identifies the rows of each side: cases: {expected: {file: …, id: …}, actual: {file: …, id: …}}"
_MIN_UNREADABLE: Final = 3
"""Number of predictions none of which can be read that show that the file is at fault."""
_MIN_COPIED_ROWS: Final = 3
"""Number of rows in which a column of actual equals expected that show that it may be a copy."""
_MAX_FIELDS: Final = 1_000
"""Number of field names of a side that are kept to look for a common one."""


@dataclass(slots=True)
class _PairingTotals:
    cases: int = 0
    paired: int = 0
    unpaired: list[SideRecord] = field(default_factory=list)
    """The first of the expected records without a prediction."""
    unreadable: list[Diagnostic] = field(default_factory=list)
    """The first problem of each prediction that cannot be read, as long as no other can."""
    has_readable: bool = False
    wrapped_fields: dict[str, set[str]] = field(default_factory=dict)
    """By side, the fields of imported records whose single values are lists of one."""
    has_common_field: bool = False
    fields: dict[str, dict[str, None]] = field(default_factory=lambda: {side: {} for side in SIDES})
    """By side, the fields of the records that paired, until two of them have one in common."""

    def add_fields(self, expected: Value, actual: Value) -> None:
        """Look for a field that two paired records have in common."""
        if self.has_common_field or not isinstance(expected, Mapping) or not isinstance(actual, Mapping):
            return
        for side, record in zip(SIDES, (expected, actual), strict=True):
            if len(self.fields[side]) < _MAX_FIELDS:
                self.fields[side].update(dict.fromkeys(cast("Mapping[str, Any]", record)))
        self.has_common_field = not self.fields["expected"].keys().isdisjoint(self.fields["actual"])

    def add_problems(self, actual: SideRecord | None) -> None:
        """Look for a prediction that can be read."""
        if actual is not None and not self.has_readable:
            errors = [note for note in actual.diagnostics if note.level == "error"]
            self.has_readable = not errors
            self.unreadable += errors[:1]


def read_pairs(source: Source, chunk: int, limit: int | None, progress: ReadProgress, diagnostics: list[Diagnostic]) -> Iterator[Cases]:
    """The cases that the two sides make together, in the order of the expected side."""
    sides = _open_both_sides(source, chunk, progress, diagnostics)
    if sides is None:
        return
    expected_side, actual_side = sides
    totals = _PairingTotals()
    records = islice(expected_side.iterate_records(), limit)
    while batch := list(islice(records, chunk)):
        pairs = [(record, actual_side.take(record.key)) for record in batch]
        unpaired = [expected for expected, actual in pairs if actual is None]
        totals.cases += len(pairs)
        totals.paired += len(pairs) - len(unpaired)
        totals.unpaired += unpaired[: MAX_REPORTED - len(totals.unpaired)]
        pairs = [_leave_out_ids(pair, expected_side.id_place, actual_side.id_place) for pair in pairs]
        for _, actual in () if totals.has_readable else pairs:
            totals.add_problems(actual)
        for expected, actual in () if totals.has_common_field else pairs:
            totals.add_fields(expected.case.expected, MISSING if actual is None else actual.case.actual)
        yield _build_paired_cases([_wrap_pair(pair, totals) for pair in pairs])
    diagnostics += _note_wrapped_fields(totals, source)
    diagnostics += expected_side.report_duplicates()
    if limit is None or totals.cases < limit:
        diagnostics += _report_unused_renames(expected_side, source.expected)
        diagnostics += _report_unused_renames(actual_side, source.actual)
        diagnostics += _report_different_fields(totals, source)
        diagnostics += _report_unreadable_side(totals)
        _report_unpaired(expected_side, actual_side, totals, diagnostics)


def _report_different_fields(totals: _PairingTotals, source: Source) -> Iterator[Diagnostic]:
    """Report records that have no field name in common: every field of expected is an omission then."""
    expected, actual = ([*totals.fields[side]] for side in SIDES)
    if totals.has_common_field or not expected or not actual:
        return
    names = [", ".join(f"`{name}`" for name in fields[:4]) + (" …" if len(fields) > 4 else "") for fields in (expected, actual)]
    what = f"no field in common: expected has {names[0]}, actual has {names[1]}; as fields, they compare to nothing"
    rename = f"{{{quote_name(actual[0])}: {quote_name(expected[0])}}}"
    fix = f"if a field only has another name, say so: cases: {{actual: {{file: …, rename: {rename}}}}}"
    yield Diagnostic(code="no-common-field", what=what, where=Where(file=source.actual), fix=fix, level="warning")


def _report_unreadable_side(totals: _PairingTotals) -> Iterator[Diagnostic]:
    """Report predictions none of which can be read: that is the file, and hardly what the system gave."""
    if len(totals.unreadable) >= _MIN_UNREADABLE and not totals.has_readable:
        first = totals.unreadable[0]
        where = Where(file=first.where.file)
        yield Diagnostic(code=UNREADABLE_SIDE, what=f"no output can be read: {first.what}", where=where, fix=first.fix, level="warning")


def _report_unused_renames(side: Side, file: str | None) -> Iterator[Diagnostic]:
    for name in sorted(side.mapper.unused_renames):
        what = f"`{name}` cannot be renamed to `{side.mapper.mapping.rename[name]}`: no record has it"
        closest = nearest(name, side.mapper.list_field_names())
        fix = "write the name as it is in this file, first: `rename: {name in this file: name in the rules}`"
        fix = f"did you mean `{closest}`? Else {fix}" if closest else fix
        yield Diagnostic(code="unused-rename", what=what, where=Where(file=file), fix=fix)


def _open_both_sides(source: Source, chunk: int, progress: ReadProgress, diagnostics: list[Diagnostic]) -> tuple[Side, Side] | None:
    """Both sides, ready to join; None, with the reasons among the diagnostics, if they cannot be joined."""
    sides: list[Side] = []
    for side in SIDES:
        try:
            sides.append(open_side(source, side, chunk, progress, diagnostics))
        except UnreadableFile as error:
            diagnostics.append(error.diagnostic)
    same = report_same_files(source, sides if len(sides) == len(SIDES) else ())
    diagnostics += same
    if any(problem.level == "error" for problem in same):
        return None
    diagnostics += _open_values_by_id(sides, source)
    diagnostics += _assign_columns(sides)
    if len(sides) < 2 or any(isinstance(side, RecordTable) and side.is_unusable for side in sides):
        return None
    expected, actual = sides
    problems = [*_find_missing_columns(source, expected, actual), *_find_unreadable_tables(expected, actual)]
    diagnostics += problems
    if problems:
        return None
    if expected.is_single and actual.is_single:  # two single files are one pair, whatever they are called
        key = next(iter(expected.paths)) if isinstance(expected, RecordFiles) else Path(expected.file).stem
        for side in (expected, actual):
            side.rename(key)
    if isinstance(expected, RecordTable) and isinstance(actual, RecordTable) and not _check_keys(expected, actual, diagnostics):
        return None
    if not (expected.is_single and actual.is_single):
        diagnostics += _pair_by_form(expected, actual)
    diagnostics += _find_repeated_columns(expected, actual)
    return expected, actual


def _open_values_by_id(sides: list[Side], source: Source) -> list[Diagnostic]:
    """Replace a side that is one file of answers by their ids, if the other side has these ids, and say so."""
    for index, name in enumerate(SIDES if len(sides) == 2 else ()):
        side, opposite = sides[index], sides[1 - index]
        if not isinstance(side, RecordFiles) or not side.is_single or not isinstance(opposite, RecordTable):
            continue
        opened = open_values_by_id(side, opposite, source, name)
        if opened is not None:
            sides[index], description = table, _ = opened
            what = f"{description}; {opposite.side} has these ids too: each value is {name} of its case"
            return [Diagnostic(code="keyed-values", what=what, where=Where(file=table.file), level="info")]
    return []


def _pair_by_form(expected: Side, actual: Side) -> Iterator[Diagnostic]:
    """Pair ids that each side writes differently, with the extension of a file or with leading zeros, and say so."""
    if not may_differ_in_form(expected.list_keys(MAX_EVIDENCE_ROWS), actual.list_keys(MAX_EVIDENCE_ROWS)):
        return  # most tables end here, with few rows in memory
    expected_keys, actual_keys = expected.list_keys(MAX_COMPARED_ROWS), actual.list_keys(MAX_COMPARED_ROWS)
    form = find_id_form(expected_keys, actual_keys)
    if form is None:
        return
    for side in (expected, actual):
        side.pair_by_form(form)
    yield Diagnostic(code=form.code, what=form.describe(expected_keys, actual_keys), level="info")


def _find_repeated_columns(expected: Side, actual: Side) -> Iterator[Diagnostic]:
    """Warn of columns of actual that repeat the expected values beside a column with the output: their score would measure nothing."""
    if not (isinstance(expected, RecordTable) and isinstance(actual, RecordTable) and expected.row_is_record and actual.row_is_record):
        return
    outputs = find_outputs(sorted(expected.column_names & actual.column_names), sorted(actual.column_names - expected.column_names))
    if not outputs:
        return  # nearly all tables end here
    actual_rows = actual.peek_by_key(MAX_EVIDENCE_ROWS)
    pairs = [(row, actual_rows[key]) for key, row in expected.peek_by_key(MAX_EVIDENCE_ROWS).items() if key in actual_rows]
    for name, output in outputs.items():
        is_copy = all(to_comparable(row.get(name)) == to_comparable(copy.get(name)) for row, copy in pairs)
        is_output = any(to_comparable(row.get(name)) != to_comparable(copy.get(output)) for row, copy in pairs)
        if len(pairs) >= _MIN_COPIED_ROWS and is_copy and is_output:
            what = f"`{name}` of actual equals expected in {len(pairs):,} of {len(pairs):,} rows, beside `{output}`: it may be a copy"
            fix = (
                f"if `{output}` is the output, say so: cases: {{actual: {{file: …, rename: {{{quote_name(output)}: {quote_name(name)}}}}}}}"
            )
            yield Diagnostic(code="repeated-expected", what=what, where=Where(file=actual.file), fix=fix, level="warning")


def _assign_columns(sides: Sequence[Side]) -> list[Diagnostic]:
    """Find the roles of the columns of each table; where several could be the id, or none, the values of both sides decide."""
    candidates = [side.list_ids() for side in sides]
    has_choice = len(sides) == 2 and all(candidates) and any(len(names) > 1 for names in candidates)
    not_ids = find_unpaired_ids(*(side.collect_id_values() for side in sides)) if has_choice else ({}, {})
    problems: list[Diagnostic] = [] if any(candidates) else _use_shared_column(sides)
    for side, refused, opposite in zip(sides, not_ids, reversed(sides), strict=False):
        if isinstance(side, RecordTable):
            table = opposite if isinstance(opposite, RecordTable) and opposite is not side else None
            other_names = () if table is None else table.column_names
            problems += side.assign_columns(refused, other_names, faces_answers=table is not None and table.holds_answers())
    return problems


def _use_shared_column(sides: Sequence[Side]) -> list[Diagnostic]:
    """Identify the rows of two tables by a column of data if they are in another order, and say so."""
    tables = [side for side in sides if isinstance(side, RecordTable)]
    if len(tables) < 2:
        return []
    expected, actual = tables
    columns = find_shared_column(expected.peek(MAX_COMPARED_ROWS), actual.peek(MAX_COMPARED_ROWS))
    if columns is None:
        return []
    for table, column in zip(tables, columns, strict=True):
        table.use_id(column)
    left, right = columns
    paired_by = f"`{left}`, which both have" if left == right else f"`{left}` of expected and `{right}` of actual"
    what = f"neither side has an id, and their rows are not in the same order: they are paired by {paired_by}"
    if left == right:
        fix = f"if that is right, say so: join: {quote_name(left)}; else name the ids: cases: {{expected: {{file: …, id: …}}, …}}"
    else:
        ids = f"cases: {{expected: {{file: …, id: {quote_name(left)}}}, actual: {{file: …, id: {quote_name(right)}}}}}"
        fix = f"if that is right, say so: {ids}; else name other ids there"
    return [Diagnostic(code="joined-by-column", what=what, where=Where(file=expected.file), fix=fix, level="warning")]


def report_same_files(source: Source, sides: Sequence[Side] = ()) -> list[Diagnostic]:
    """A file that is both expected and actual, links followed, with the same record: an error, unless the suite allows it.

    `sides`: both sides, if they are open already: their files need not be looked for again.
    """
    if source.memory or source.expected is None or source.actual is None:
        return []
    expected_record, actual_record = (identify_record(source.get_mapping(side).record) for side in SIDES)
    if expected_record != actual_record:
        return []
    open_files = [side.paths.values() if isinstance(side, RecordFiles) else () for side in sides] or [(), ()]
    patterns = source.expected, source.actual
    try:
        files = [
            {_identify_file(file): file for file in paths or find_files(pattern)}
            for paths, pattern in zip(open_files, patterns, strict=True)
        ]
    except UnreadableFile:  # reported where the file is opened
        return []
    same = [file for path, file in files[0].items() if path in files[1]]
    if not same:
        return [] if source.allow_same_sides else _warn_of_copy(*(list(side.values()) for side in files))
    what = "this file is both expected and actual" if len(same) == 1 else f"{len(same)} files are both expected and actual, this one too"
    where = Where(file=str(same[0]))
    if source.allow_same_sides:
        return [Diagnostic(code="same-sides", what=what, where=where, level="info")]
    fix = "name the file with the predictions, or write `allow_same_sides: true` under `cases`"
    return [Diagnostic(code="same-sides", what=what, where=where, fix=fix)]


def _identify_file(file: Location) -> object:
    """Equal for the names of one file: links are followed, and hard links have the same device and number."""
    if not isinstance(file, Path):
        return str(file)
    status = file.stat()
    return (status.st_dev, status.st_ino) if status.st_ino else str(file.resolve())


def _warn_of_copy(expected: Sequence[Location], actual: Sequence[Location]) -> list[Diagnostic]:
    """A warning if each side is one file and both have the same bytes."""
    if len(expected) != 1 or len(actual) != 1:
        return []
    expected_file, actual_file = expected[0], actual[0]
    if not isinstance(expected_file, Path) or not isinstance(actual_file, Path):
        return []
    if not filecmp.cmp(expected_file, actual_file, shallow=False):
        return []
    what, fix = f"the file has the same bytes as {expected_file}, the expected side", "check that it is not a copy of it"
    return [Diagnostic(code="same-content", level="warning", what=what, where=Where(file=str(actual_file)), fix=fix)]


def _find_missing_columns(source: Source, expected: Side, actual: Side) -> list[Diagnostic]:
    """Report the columns that the suite names and neither side has."""
    tables = [side for side in (expected, actual) if isinstance(side, RecordTable)]
    if not tables:
        return []
    present = frozenset[str]().union(*(table.column_names for table in tables))
    problems: list[Diagnostic] = []
    for role, column in source.columns.items():
        if role not in (*SIDES, "actuals") and isinstance(column, str) and column not in present:
            what, fix = f"there is no column `{column}` on either side", f"there are: {', '.join(sorted(present))}"
            problems.append(Diagnostic(code="unknown-column", what=what, where=Where(file=source.expected), fix=fix))
    return problems


def _find_unreadable_tables(expected: Side, actual: Side) -> Iterator[Diagnostic]:
    """Report a single JSON file that is not JSON, or empty, where the other side is a table: it would pair with none of the rows."""
    for side, opposite in ((expected, actual), (actual, expected)):
        if isinstance(side, RecordFiles) and side.is_single and isinstance(opposite, RecordTable):
            yield from side.find_table_errors()


def _check_keys(expected: RecordTable, actual: RecordTable, diagnostics: list[Diagnostic]) -> bool:
    """Whether both tables have a key, or neither has one and rows pair by position."""
    if expected.has_key != actual.has_key:
        table = actual if expected.has_key else expected
        what = "this side has no id, the other has"
        fix = f"name its id: cases: {{{table.side}: {{file: …, id: …}}}}, or a column that both have: join: question"
        diagnostics.append(Diagnostic(code="no-join", what=what, where=Where(file=table.file), fix=fix))
        return False
    if not expected.has_key:
        what = "neither side has an id: rows are paired by their number"
        diagnostics.append(Diagnostic(code="joined-by-number", what=what, where=Where(file=expected.file), level="warning"))
        rows = expected.peek(MAX_COMPARED_ROWS), actual.peek(MAX_COMPARED_ROWS)
        where = Where(file=actual.file)
        other_ids = describe_other_ids(*rows)
        if are_in_other_order(*rows):
            what = "both sides have the same values, but rows of the same number agree no more than by chance: their order may differ"
            diagnostics.append(Diagnostic(code=OTHER_ORDER, what=what, where=where, fix=_NAME_IDS, level="warning"))
        elif other_ids is not None:
            fix = f"check that both files hold the same cases; if they do, {_NAME_IDS}"
            diagnostics.append(Diagnostic(code=OTHER_IDS, what=other_ids, where=where, fix=fix, level="warning"))
    return True


def _leave_out_ids(
    pair: tuple[SideRecord, SideRecord | None], expected_place: Steps | None, actual_place: Steps | None
) -> tuple[SideRecord, SideRecord | None]:
    """The pair without the id where a record has it in the place of the other side; its own place is left out already."""
    expected, actual = pair
    if expected_place == actual_place or actual is None:
        return pair
    if actual_place is not None:
        record = remove_repeated_id(expected.case.expected, actual_place, expected.key)
        expected = replace(expected, case=replace(expected.case, expected=record))
    if expected_place is not None:
        record = remove_repeated_id(actual.case.actual, expected_place, expected.key)
        actual = replace(actual, case=replace(actual.case, actual=record))
    return expected, actual


def _wrap_pair(pair: tuple[SideRecord, SideRecord | None], totals: _PairingTotals) -> tuple[SideRecord, SideRecord | None]:
    """The pair with single values of an imported side as lists where the opposite side has lists."""
    expected, actual = pair
    if actual is None or not (expected.repeatable or actual.repeatable):
        return pair
    records = expected.case.expected, actual.case.actual
    if actual.repeatable:
        wrapped, metadata = _wrap_record(records[1], records[0], actual.case.metadata, EVIDENCE)
        actual = replace(actual, case=replace(actual.case, actual=wrapped.record, metadata=metadata))
        totals.wrapped_fields.setdefault("actual", set()).update(wrapped.fields)
    if expected.repeatable:
        wrapped, metadata = _wrap_record(records[0], records[1], expected.case.metadata, EXPECTED_PLACES)
        expected = replace(expected, case=replace(expected.case, expected=wrapped.record, metadata=metadata))
        totals.wrapped_fields.setdefault("expected", set()).update(wrapped.fields)
    return expected, actual


def _wrap_record(
    record: Value, opposite: Value, metadata: Mapping[str, Any], evidence_names: Sequence[str]
) -> tuple[WrappedRecord, Mapping[str, Any]]:
    """The wrapped record, and the metadata with its evidence wrapped alike."""
    names = [name for name in evidence_names if name in metadata]
    wrapped = wrap_single_values(record, opposite, [metadata[name] for name in names])
    return wrapped, {**metadata, **dict(zip(names, wrapped.evidence, strict=True))}


def _note_wrapped_fields(totals: _PairingTotals, source: Source) -> Iterator[Diagnostic]:
    for side, fields in totals.wrapped_fields.items():
        file, opposite = (source.expected, "actual") if side == "expected" else (source.actual, "expected")
        for name in sorted(fields):
            what = f"`{name}` of {side} is a list of one where the file has a single value, because {opposite} has a list"
            yield Diagnostic(code="single-as-list", what=what, where=Where(file=file, field=name), level="info")


def _build_paired_cases(pairs: list[tuple[SideRecord, SideRecord | None]]) -> Cases:
    cases = Cases.of([_join_pair(expected, actual) for expected, actual in pairs])
    cases.files = [expected.where.file or "" for expected, _ in pairs]
    cases.lines = [expected.where.line for expected, _ in pairs]
    for row, (expected, actual) in enumerate(pairs):
        notes = [*expected.diagnostics, *(actual.diagnostics if actual else ())]
        if notes:
            case = cases.id[row]
            cases.diagnostics[row] = [replace(note, where=replace(note.where, case=case)) for note in notes]
    return cases


def _join_pair(expected: SideRecord, actual: SideRecord | None) -> Case:
    """One case from both records; the contexts of the actual side win, as they are what the system retrieved."""
    if actual is None:
        return replace(expected.case, actual=MISSING, actuals=None)
    left, right = expected.case, actual.case
    return replace(
        left,
        id=actual.key if actual.by_short_name else left.id,
        input=right.input if left.input is None else left.input,
        actual=right.actual,
        contexts=left.contexts if right.contexts is None else right.contexts,
        metadata={**left.metadata, **right.metadata},
        tags=left.tags or right.tags,
        split=left.split or right.split,
        actuals=right.actuals,
    )


def _report_unpaired(expected_side: Side, actual_side: Side, totals: _PairingTotals, diagnostics: list[Diagnostic]) -> None:
    """Report predictions without an expected record, expected records without a prediction, and repeated ids of predictions."""
    left_over = list(actual_side.iterate_untaken())
    diagnostics += _report_uneven_rows(expected_side, actual_side, totals, len(left_over))
    is_expected = expected_side.contains([record.key for record in left_over])
    without_expected = [record for record, expected in zip(left_over, is_expected, strict=True) if not expected]
    diagnostics += actual_side.report_duplicates()
    errors = [note for record in without_expected for note in record.diagnostics if note.level == "error"]
    diagnostics += errors[:MAX_REPORTED]
    readable = [record for record in without_expected if not any(note.level == "error" for note in record.diagnostics)]
    if totals.cases and not totals.paired and readable:
        ids = f"expected has `{totals.unpaired[0].key}`, actual has `{readable[0].key}`"
        what = f"nothing pairs: no prediction has an expected record ({ids})"
        fix = "check names and ids, or name the id of each side: {file: …, id: …}"
        diagnostics.append(Diagnostic(code="nothing-pairs", what=what, where=Where(file=readable[0].where.file), fix=fix))
    elif totals.paired:
        diagnostics += _report_missing_predictions(totals, actual_side)
    diagnostics += _report_split_files(totals, readable)
    diagnostics += _report_missing_expected(readable)


def _report_uneven_rows(expected_side: Side, actual_side: Side, totals: _PairingTotals, left_over: int) -> Iterator[Diagnostic]:
    """Report tables that are paired by the number of their rows and have different numbers of them."""
    if not isinstance(expected_side, RecordTable) or not isinstance(actual_side, RecordTable) or expected_side.has_key:
        return
    actual_count = totals.paired + left_over
    if totals.cases == actual_count:
        return
    counts = f"expected has {totals.cases:,} rows, actual {actual_count:,}, and nothing identifies them"
    what = f"{counts}: from the first row that one side lacks, each row is compared with another one"
    where = Where(file=actual_side.file)
    yield Diagnostic(code="uneven-rows", what=what, where=where, fix=_NAME_IDS, level="warning")


def _report_split_files(totals: _PairingTotals, predictions: list[SideRecord]) -> Iterator[Diagnostic]:
    """Report files with several documents, whose records have a number, where one expected record has the name of the file."""
    numbered = Counter(record.key.rpartition(":")[0] for record in predictions if record.key.rpartition(":")[2].isdigit())
    for record in totals.unpaired:
        if numbered[record.key]:
            what = f"`{record.key}` has {numbered[record.key]} documents in one file, and one expected record"
            fix = f"give each document its own expected record, with the ids `{record.key}:1`, `{record.key}:2` …"
            where = replace(record.where, case=record.case.id)
            yield Diagnostic(code="several-documents", what=what, where=where, fix=fix, level="warning")


def _report_missing_expected(records: list[SideRecord]) -> Iterator[Diagnostic]:
    """Report predictions without an expected record. All say the same, so that reports show them as one, with their number."""
    subject, verb = ("1 prediction has", "is") if len(records) == 1 else (f"{len(records):,} predictions have", "are")
    what = f"{subject} no expected record and {verb} not scored"
    for record in records[:MAX_REPORTED]:
        where = replace(record.where, case=record.key)
        yield Diagnostic(code="no-expected", what=what, where=where, fix="add what is expected, or leave it", level="warning")


def _report_missing_predictions(totals: _PairingTotals, actual_side: Side) -> Iterator[Diagnostic]:
    """Report expected records without a prediction, except repeated ids, which are reported as duplicates already."""
    is_taken = actual_side.contains([record.key for record in totals.unpaired])
    records = [record for record, taken in zip(totals.unpaired, is_taken, strict=True) if not taken]
    count = len(records) + totals.cases - totals.paired - len(totals.unpaired)
    what = "1 expected record has no prediction" if count == 1 else f"{count:,} expected records have no prediction"
    fix = "add the prediction; until then it counts as 0"
    for record in records:
        where = replace(record.where, case=record.case.id)
        yield Diagnostic(code="no-actual", what=what, where=where, fix=fix, level="warning")
