"""Comparisons as an Arrow table and back.

Most values are equal on both sides and are stored already, in the expected record of their case. They are not stored again: `equal` is
true, and reading looks the value up at `path`. Lists and objects that differ are not stored again either, if both records have them at
`path`: `aside` is true. If both flags are false, a side without text has no value.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from operator import itemgetter
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.case import Cases
from fieldwise.model.comparison import Comparison, ComparisonTable, Outcome, UnreadValues, presence_label
from fieldwise.model.path import EACH, ROOT, MalformedPath, Path, Step
from fieldwise.model.values import MISSING, Value
from fieldwise.store.arrow_tables import (
    ArrowColumn,
    ArrowTable,
    arrow_column,
    build_table,
    dictionary_column,
    find_present,
    json_values_column,
    utf8_column,
)
from fieldwise.store.stored_json import dump_json, load_json
from fieldwise.summarize.rule_text import rule_texts

MEMBER_COMPARISONS: Final = "member_comparisons"
"""The table of comparisons that an evaluator reads from a member and does not report as its own; it has the same columns."""
FIELDS_KEY: Final = "fields"
"""Key of the table metadata that holds all fields in order, each with its rule in words, including fields without a row."""
UNREAD_KEY: Final = "unread"
"""Key of the table metadata that holds what matches could not read of the expected values: field, rule, values, unread, examples."""
_REQUIRED_COLUMNS: Final = frozenset(("case", "field", "path", "outcome", "passed", "extra", "equal", "aside", "unpaired"))
"""The columns without nulls."""
DISTANCE_COLUMN: Final = "distance"
"""The smallest tolerance at which the comparison passes. Runs that were stored before 0.2 have no such column."""
RELATIVE_DISTANCE_COLUMN: Final = "relative_distance"
OUTCOMES: Final = [outcome.label for outcome in Outcome]


def build_comparisons_table(comparisons: ComparisonTable, rows: NDArray[np.int64], first: int, cases: Cases) -> ArrowTable:
    """The comparisons of a batch, sorted by case. `rows[c]` is the position in the batch of case c of the comparisons."""
    order, _ = comparisons.by_case()
    equal = _find_equal(comparisons, rows, cases)[order]
    differing_positions = np.flatnonzero(~equal)
    differing_rows = order[differing_positions]
    expected = _take_values(comparisons.expected, differing_rows.tolist())
    actual = _take_values(comparisons.actual, differing_rows.tolist())
    in_records = _find_containers_in_records(comparisons, differing_rows, (expected, actual), rows, cases)
    aside = np.zeros(len(order), dtype=np.bool_)
    aside[differing_positions[in_records]] = True
    extra = comparisons.unmatched_actual if len(comparisons.unmatched_actual) else np.zeros(len(order), dtype=np.bool_)
    unpaired = comparisons.unmatched_expected if len(comparisons.unmatched_expected) else np.zeros(len(order), dtype=np.bool_)
    similarity = comparisons.similarity[order]
    fields = list(zip(comparisons.fields, rule_texts(comparisons.rules), strict=True))
    unread: UnreadByRule = {}
    for field, counts in comparisons.unread.items():
        add_unread(unread, {fields[field]: counts})
    return build_table(
        {
            "case": arrow_column((rows + first)[comparisons.case[order]]),
            "field": dictionary_column(comparisons.field[order], comparisons.fields),
            "path": dictionary_column(comparisons.path[order], comparisons.paths),
            "outcome": dictionary_column(comparisons.outcome[order].astype(np.int8), OUTCOMES),
            "similarity": arrow_column(similarity, ~np.isnan(similarity)),
            "passed": arrow_column(comparisons.passed[order]),
            "extra": arrow_column(extra[order]),
            "cause": _sparse_column(comparisons.cause, order),
            "note": _sparse_column(comparisons.note, order),
            "equal": arrow_column(equal),
            "aside": arrow_column(aside),
            "expected": _values_column(expected, in_records, differing_positions, len(order)),
            "actual": _values_column(actual, in_records, differing_positions, len(order)),
            **_evidence_columns(comparisons, order),
            "unpaired": arrow_column(unpaired[order]),
            DISTANCE_COLUMN: _distance_column(comparisons.distance, order),
            RELATIVE_DISTANCE_COLUMN: _distance_column(comparisons.relative_distance, order),
        },
        required=_REQUIRED_COLUMNS,
        metadata={FIELDS_KEY: dump_json(fields), UNREAD_KEY: _dump_unread(unread)},
    )


def _evidence_columns(comparisons: ComparisonTable, order: NDArray[np.int64]) -> dict[str, ArrowColumn]:
    """Confidence, page and box, each only if some row has it, so that a run without evidence stores nothing for it."""
    columns: dict[str, ArrowColumn] = {}
    if len(comparisons.confidence) and not np.isnan(comparisons.confidence).all():
        confidence = comparisons.confidence[order]
        columns["confidence"] = arrow_column(confidence, ~np.isnan(confidence))
    if comparisons.page:
        pages = np.array([comparisons.page.get(row, 0) for row in order.tolist()], dtype=np.int64)
        has_page = np.array([row in comparisons.page for row in order.tolist()], dtype=np.bool_)
        columns["page"] = arrow_column(pages, has_page)
    if comparisons.box:
        boxes = [comparisons.box.get(row) for row in order.tolist()]
        has_box = np.array([box is not None for box in boxes], dtype=np.bool_)
        columns["box"] = utf8_column([dump_json(box) for box in boxes if box is not None], has_box)
    return columns


EVIDENCE_COLUMNS: Final = ("confidence", "page", "box")
"""Columns that a table of comparisons may lack; a box is JSON text."""


UnreadByRule: TypeAlias = dict[tuple[str, str], UnreadValues]
"""Field and text of its rule → what the match could not read."""


def _dump_unread(unread: UnreadByRule) -> bytes:
    return dump_json([[field, rule, counts.values, counts.unread, counts.examples] for (field, rule), counts in unread.items()])


def load_unread(table: ArrowTable) -> UnreadByRule:
    """What matches could not read of the expected values of a table; empty for runs that did not record it."""
    stored: list[Any] = load_json(table.schema.metadata.get(UNREAD_KEY.encode(), b"[]"))
    return {(field, rule): UnreadValues(values, unread, tuple(examples)) for field, rule, values, unread, examples in stored}


def add_unread(total: UnreadByRule, later: UnreadByRule) -> None:
    """Add the counts of later cases."""
    for key, counts in later.items():
        total[key] = total[key] + counts if key in total else counts


def merge_metadata(tables: Sequence[ArrowTable]) -> dict[str, bytes]:
    """The metadata of several tables of comparisons as one."""
    unread: UnreadByRule = {}
    for table in tables:
        add_unread(unread, load_unread(table))
    return {FIELDS_KEY: _merge_fields(tables), UNREAD_KEY: _dump_unread(unread)}


def _merge_fields(tables: Sequence[ArrowTable]) -> bytes:
    """The fields of several tables of comparisons as JSON, in order of first occurrence."""
    rules_by_field: dict[str, str] = {}
    for text in dict.fromkeys(table.schema.metadata[FIELDS_KEY.encode()] for table in tables):
        for name, rule in load_json(text):
            rules_by_field.setdefault(name, rule)
    return dump_json(list(rules_by_field.items()))


def _values_column(values: Sequence[Value], in_records: NDArray[np.bool_], positions: NDArray[np.int64], row_count: int) -> ArrowColumn:
    """A column of `row_count` rows with these values as JSON text at their positions.

    Null elsewhere, for missing values, and for values that are read from their record.
    """
    is_stored = ~in_records & find_present(values, MISSING)
    valid = np.zeros(row_count, dtype=np.bool_)
    valid[positions[is_stored]] = True
    return json_values_column([*compress(values, is_stored.tolist())], valid)


def _take_values(values: Sequence[Value], rows: list[int]) -> Sequence[Value]:
    """The values of these rows; `itemgetter` takes a third of the time of a loop."""
    return itemgetter(*rows)(values) if len(rows) > 1 else [values[row] for row in rows]


def _distance_column(distance: NDArray[np.float64], order: NDArray[np.int64]) -> ArrowColumn:
    """A column of distances; null where no tolerance decides."""
    sorted_distance = distance[order] if len(distance) else np.full(len(order), np.nan)
    return arrow_column(sorted_distance, ~np.isnan(sorted_distance))


def _sparse_column(texts_by_row: Mapping[int, str], order: NDArray[np.int64]) -> ArrowColumn:
    """A dictionary-encoded column with these texts, null in all other rows."""
    code_of: dict[str, int] = {}
    codes = np.full(len(order), -1, dtype=np.int32)
    if texts_by_row:
        rows = np.fromiter(texts_by_row, dtype=np.int64, count=len(texts_by_row))
        codes[rows] = [code_of.setdefault(text, len(code_of)) for text in texts_by_row.values()]
    return dictionary_column(codes[order], list(code_of))


def _find_equal(comparisons: ComparisonTable, rows: NDArray[np.int64], cases: Cases) -> NDArray[np.bool_]:
    """Rows where both sides are the same value and the case's expected record has it at that path."""
    if len(comparisons.identical) != len(comparisons):  # not determined
        return np.zeros(len(comparisons), dtype=np.bool_)
    equal = comparisons.identical & (comparisons.outcome == Outcome.MATCH)
    equal &= _find_resolvable_paths(comparisons, rows, cases)[comparisons.path]
    has_record = np.array([isinstance(cases.expected[row], dict | list) for row in rows.tolist()], dtype=np.bool_)
    return equal if has_record.all() else equal & has_record[comparisons.case]


def _find_containers_in_records(
    comparisons: ComparisonTable,
    differing: NDArray[np.int64],
    sides: tuple[Sequence[Value], Sequence[Value]],
    rows: NDArray[np.int64],
    cases: Cases,
) -> NDArray[np.bool_]:
    """Of the differing rows, those where a side is a list or an object and both records have at the path what was compared."""
    in_records = np.zeros(len(differing), dtype=np.bool_)
    if _CONTAINERS.isdisjoint(map(type, sides[0])) and _CONTAINERS.isdisjoint(map(type, sides[1])):
        return in_records
    types = zip(map(type, sides[0]), map(type, sides[1]), strict=True)
    indexes = [index for index, pair in enumerate(types) if pair[0] in _CONTAINERS or pair[1] in _CONTAINERS]
    container_rows = differing[indexes]
    paths: list[int] = comparisons.path[container_rows].tolist()
    steps_of_path = {path: _parse_steps(str(comparisons.paths[path])) for path in {*paths}}
    for index, path, case in zip(indexes, paths, rows[comparisons.case[container_rows]].tolist(), strict=True):
        steps = steps_of_path[path]
        # Compared by identity: an equal value of another object may have another type inside, such as 1 and 1.0.
        is_expected = _follow_steps(cases.expected[case], steps) is sides[0][index]
        in_records[index] = is_expected and _follow_steps(cases.actual[case], steps) is sides[1][index]
    return in_records


_CONTAINERS: Final = frozenset((list, dict))


def _find_resolvable_paths(comparisons: ComparisonTable, rows: NDArray[np.int64], cases: Cases) -> NDArray[np.bool_]:
    """For each path, whether looking it up gives the value that was compared, tried on its first match."""
    is_resolvable = np.zeros(len(comparisons.paths), dtype=np.bool_)
    first_row = np.full(len(comparisons.paths), -1, dtype=np.int64)
    matches = np.flatnonzero(comparisons.outcome == Outcome.MATCH)[::-1]
    first_row[comparisons.path[matches]] = matches  # in reverse order, so that the first row of a path is assigned last
    for path, row in enumerate(first_row.tolist()):
        if row >= 0:
            record = cases.expected[int(rows[comparisons.case[row]])]
            value = look_up_value(record, str(comparisons.paths[path]))
            is_resolvable[path] = type(value) is type(comparisons.expected[row]) and value == comparisons.expected[row]
    return is_resolvable


@lru_cache(maxsize=4096)  # the rows of a run have few distinct paths
def _parse_steps(path: str) -> tuple[Step, ...] | None:
    """The steps of a path; None if it is malformed."""
    try:
        return () if path == ROOT else Path.parse(path).steps
    except MalformedPath:
        return None


def look_up_value(record: Value, path: str) -> Value:
    """The value of a record at a path; MISSING if there is none."""
    return _follow_steps(record, _parse_steps(path))


def look_up_values(records: Sequence[Value], path: str) -> list[Value]:
    """The value of each record at a path; MISSING where there is none. For many records three times as fast as one by one.

    >>> look_up_values([{"a": [1]}, {"a": [2, 3]}, {"a": "text"}], "a[0]")
    [1, 2, MISSING]
    """
    steps = _parse_steps(path)
    values: list[Any] = list(records)
    for step in steps or ():
        container = dict if type(step) is str else list
        if {*map(type, values)} != {container}:
            return [_follow_steps(record, steps) for record in records]
        try:
            values = [value[step] for value in values]
        except (LookupError, TypeError):
            return [_follow_steps(record, steps) for record in records]
    return [MISSING] * len(records) if steps is None else values


def _follow_steps(record: Value, steps: Sequence[Step] | None) -> Value:
    if steps is None:
        return MISSING
    value: Any = record
    for step in steps:
        if type(step) is str and type(value) is dict:
            value = value.get(step, MISSING)
        elif isinstance(step, int) and isinstance(value, list) and -len(value) <= step < len(value):
            value = value[step]
        elif isinstance(value, dict) and step is not EACH and str(step) in value:
            value = value[str(step)]
        else:
            return MISSING
    return value


RecordLoader = Callable[[], tuple[Value, Value]]
"""Returns the expected and the actual record of a case."""


def read_match_names(table: ArrowTable) -> dict[str, str]:
    """The name of the match of each field of a stored table, by the path of the field."""
    stored: list[list[str]] = load_json((table.schema.metadata or {}).get(FIELDS_KEY.encode(), b"[]"))
    return {field: _MATCH_OF_TEXT.get(rule.split(" ", 1)[0], rule.split(" ", 1)[0]) for field, rule in stored}


_MATCH_OF_TEXT: Final = {"numeric": "numeric_tolerance"}
"""First word of a rule's text → the name of the match, where they differ."""


def read_comparisons(
    columns: Mapping[str, Sequence[Any]],
    span: range,
    load_records: RecordLoader | None = None,
    matches: Mapping[str, str] | None = None,
) -> Iterator[Comparison]:
    """The comparisons in these rows of a stored table, all of one case. `matches` are the matches of the fields.

    Without `load_records`, values that are stored in the records are left out: equal values are missing, differing ones are `…`.
    """
    match_names = matches or {}
    for row in span:
        expected, actual = _read_sides(columns, row, load_records)
        yield Comparison(
            path=columns["path"][row],
            field=columns["field"][row],
            outcome=columns["outcome"][row],
            expected=None if expected is MISSING else expected,
            actual=None if actual is MISSING else actual,
            expected_presence=presence_label(expected),
            actual_presence=presence_label(actual),
            similarity=columns["similarity"][row],
            passed=columns["passed"][row],
            cause=columns["cause"][row],
            note=columns["note"][row],
            **_read_evidence(columns, row),
            match=match_names.get(columns["field"][row], ""),
        )


def _read_evidence(columns: Mapping[str, Sequence[Any]], row: int) -> dict[str, Any]:
    evidence = {name: columns[name][row] for name in EVIDENCE_COLUMNS if name in columns}
    if evidence.get("box") is not None:
        evidence["box"] = tuple(load_json(evidence["box"]))
    return evidence


_VALUE_NOT_LOADED: Final = "\N{HORIZONTAL ELLIPSIS}"


def _read_sides(columns: Mapping[str, Sequence[Any]], row: int, load_records: RecordLoader | None) -> tuple[Value, Value]:
    path = columns["path"][row]
    if columns["equal"][row]:
        value = look_up_value(load_records()[0], path) if load_records else MISSING
        return value, value
    if columns["aside"][row]:
        if load_records is None:
            return _VALUE_NOT_LOADED, _VALUE_NOT_LOADED
        expected_record, actual_record = load_records()
        return look_up_value(expected_record, path), look_up_value(actual_record, path)
    return decode_value(columns["expected"][row]), decode_value(columns["actual"][row])


def decode_value(text: str | None) -> Value:
    """The value of a stored JSON text; MISSING for null."""
    return MISSING if text is None else load_json(text)
