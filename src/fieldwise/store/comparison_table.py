"""Comparisons as an Arrow table and back.

Nearly all values are equal on both sides and stand in the expected record of their case already. They are not stored again:
`equal` is true, and reading looks the value up at `path`. Nor are lists and objects that differ, where each record has its own at
`path`: `aside` is true. Where both are false, no text means that the side has no value.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.case import Cases
from fieldwise.model.comparison import Comparison, Comparisons, Outcome
from fieldwise.model.path import EACH, ROOT, MalformedPath, Path, Step
from fieldwise.model.values import MISSING, Presence, Value, presence_of
from fieldwise.store.arrow_tables import ArrowColumn, ArrowTable, arrow_column, build_table, dictionary_column, utf8_column
from fieldwise.store.stored_json import dump_json, dump_json_values, load_json
from fieldwise.summarize.rule_text import rule_text

FIELDS_KEY: Final = "fields"
"""Where a table keeps its fields with their rules in words, in order, those that no row is about too."""
_REQUIRED_COLUMNS: Final = frozenset(("case", "field", "path", "outcome", "passed", "extra", "equal", "aside"))
"""The columns that have a value in every row."""
OUTCOMES: Final = [outcome.label for outcome in Outcome]


def build_comparisons_table(comparisons: Comparisons, rows: NDArray[np.int64], first: int, cases: Cases) -> ArrowTable:
    """A batch's comparisons by case. `rows[c]` is the position in the batch of the case that the comparisons call c."""
    order, _ = comparisons.by_case()
    equal = _find_equal(comparisons, rows, cases)[order]
    places = np.flatnonzero(~equal)
    differing = order[places]
    expected, actual = (list(map(side.__getitem__, differing.tolist())) for side in (comparisons.expected, comparisons.actual))
    stands = _find_containers_in_records(comparisons, differing, (expected, actual), rows, cases)
    aside = np.zeros(len(order), dtype=np.bool_)
    aside[places[stands]] = True
    extra = comparisons.unmatched_actual if len(comparisons.unmatched_actual) else np.zeros(len(order), dtype=np.bool_)
    similarity = comparisons.similarity[order]
    fields = [[name, rule_text(rule)] for name, rule in zip(comparisons.fields, comparisons.rules, strict=True)]
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
            "expected": _values_column(expected, stands, places, len(order)),
            "actual": _values_column(actual, stands, places, len(order)),
        },
        always=_REQUIRED_COLUMNS,
        metadata={FIELDS_KEY: dump_json(fields)},
    )


def merge_fields(tables: Sequence[ArrowTable]) -> bytes:
    """The fields of several tables of comparisons, in the order in which they come."""
    known: dict[str, str] = {}
    for text in dict.fromkeys(table.schema.metadata[FIELDS_KEY.encode()] for table in tables):
        for name, rule in load_json(text):
            known.setdefault(name, rule)
    return dump_json(list(known.items()))


def _values_column(values: Sequence[Value], stands: NDArray[np.bool_], places: NDArray[np.int64], rows: int) -> ArrowColumn:
    """A column of so many rows with these values, as JSON text, at their places; null elsewhere, and for what stands in its record."""
    told = ~stands & np.fromiter((value is not MISSING for value in values), dtype=np.bool_, count=len(values))
    where = np.zeros(rows, dtype=np.bool_)
    where[places[told]] = True
    return utf8_column(dump_json_values([*compress(values, told.tolist())]), where)


def _sparse_column(by_row: Mapping[int, str], order: NDArray[np.int64]) -> ArrowColumn:
    known: dict[str, int] = {}
    codes = np.full(len(order), -1, dtype=np.int32)
    if by_row:
        rows = np.fromiter(by_row, dtype=np.int64, count=len(by_row))
        codes[rows] = [known.setdefault(text, len(known)) for text in by_row.values()]
    return dictionary_column(codes[order], list(known))


def _find_equal(comparisons: Comparisons, rows: NDArray[np.int64], cases: Cases) -> NDArray[np.bool_]:
    """Where both sides are the same value, and the case's expected record has it at that path."""
    if len(comparisons.identical) != len(comparisons):  # nobody has looked
        return np.zeros(len(comparisons), dtype=np.bool_)
    same = comparisons.identical & (comparisons.outcome == Outcome.MATCH)
    same &= _find_resolvable_paths(comparisons, rows, cases)[comparisons.path]
    readable = np.array([isinstance(cases.expected[row], dict | list) for row in rows.tolist()], dtype=np.bool_)
    return same if readable.all() else same & readable[comparisons.case]


def _find_containers_in_records(
    comparisons: Comparisons, differing: NDArray[np.int64], sides: tuple[list[Value], list[Value]], rows: NDArray[np.int64], cases: Cases
) -> NDArray[np.bool_]:
    """Where, among rows that differ, a side is a list or an object, and both records have at the path what was compared."""
    stands = np.zeros(len(differing), dtype=np.bool_)
    kinds = [[*map(type, side)] for side in sides]
    if all(map(_CONTAINERS.isdisjoint, kinds)):
        return stands
    held = [at for at, (one, other) in enumerate(zip(*kinds, strict=True)) if one in _CONTAINERS or other in _CONTAINERS]
    case: list[int] = rows[comparisons.case[differing[held]]].tolist()
    steps = [_parse_steps(str(comparisons.paths[at])) for at in comparisons.path[differing[held]].tolist()]
    stands[held] = [
        _follow_steps(cases.expected[row], path) is sides[0][at] and _follow_steps(cases.actual[row], path) is sides[1][at]
        for at, row, path in zip(held, case, steps, strict=True)
    ]
    return stands


_CONTAINERS: Final = frozenset((list, dict))


def _find_resolvable_paths(comparisons: Comparisons, rows: NDArray[np.int64], cases: Cases) -> NDArray[np.bool_]:
    """For each path, whether looking it up gives the value that was compared, tried on its first match."""
    found = np.zeros(len(comparisons.paths), dtype=np.bool_)
    firsts = np.full(len(comparisons.paths), -1, dtype=np.int64)
    matches = np.flatnonzero(comparisons.outcome == Outcome.MATCH)[::-1]
    firsts[comparisons.path[matches]] = matches  # of those with the same path, the last one stays
    for path, row in enumerate(firsts.tolist()):
        if row >= 0:
            record = cases.expected[int(rows[comparisons.case[row]])]
            value = look_up_value(record, str(comparisons.paths[path]))
            found[path] = type(value) is type(comparisons.expected[row]) and value == comparisons.expected[row]
    return found


@lru_cache(maxsize=4096)
def _parse_steps(path: str) -> tuple[Step, ...] | None:
    """The steps of a path; None where it is malformed."""
    try:
        return () if path == ROOT else Path.parse(path).steps
    except MalformedPath:
        return None


def look_up_value(record: Value, path: str) -> Value:
    """What stands in a record at a path; MISSING if nothing does."""
    return _follow_steps(record, _parse_steps(path))


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
"""The expected and the actual record of a case."""


def read_comparisons(rows: Mapping[str, Sequence[Any]], span: range, sides: RecordLoader | None = None) -> Iterator[Comparison]:
    """The comparisons in these rows of a stored table, all of one case. Without its records, values that stand there are not told."""
    for row in span:
        if rows["equal"][row]:
            expected = actual = look_up_value(sides()[0], rows["path"][row]) if sides else MISSING
        elif rows["aside"][row]:
            expected, actual = (
                (look_up_value(side, rows["path"][row]) for side in sides()) if sides else (_VALUE_NOT_LOADED, _VALUE_NOT_LOADED)
            )
        else:
            expected, actual = _load_value(rows["expected"][row]), _load_value(rows["actual"][row])
        yield Comparison(
            path=rows["path"][row],
            field=rows["field"][row],
            outcome=rows["outcome"][row],
            expected=None if expected is MISSING else expected,
            actual=None if actual is MISSING else actual,
            expected_presence=Presence(presence_of(expected)).name.lower(),
            actual_presence=Presence(presence_of(actual)).name.lower(),
            similarity=rows["similarity"][row],
            passed=rows["passed"][row],
            cause=rows["cause"][row],
            note=rows["note"][row],
        )


_VALUE_NOT_LOADED: Final = "\N{HORIZONTAL ELLIPSIS}"


def _load_value(text: str | None) -> Value:
    return MISSING if text is None else load_json(text)
