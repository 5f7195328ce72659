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
from fieldwise.model.values import MISSING, Presence, Value, presence
from fieldwise.store.arrow_tables import ArrowColumn, ArrowTable, coded, column_of, table_of, utf8_column
from fieldwise.store.stored_json import from_text, to_text, to_texts
from fieldwise.summarize.rule_text import rule_text

FIELDS: Final = "fields"
"""Where a table keeps its fields with their rules in words, in order, those that no row is about too."""
_ALWAYS: Final = frozenset(("case", "field", "path", "outcome", "passed", "extra", "equal", "aside"))
"""The columns that have a value in every row."""
OUTCOMES: Final = [outcome.label for outcome in Outcome]


def comparisons_table(comparisons: Comparisons, rows: NDArray[np.int64], first: int, cases: Cases) -> ArrowTable:
    """A batch's comparisons by case. `rows[c]` is the position in the batch of the case that the comparisons call c."""
    order, _ = comparisons.by_case()
    equal = _equal(comparisons, rows, cases)[order]
    places = np.flatnonzero(~equal)
    differing = order[places]
    expected, actual = (list(map(side.__getitem__, differing.tolist())) for side in (comparisons.expected, comparisons.actual))
    stands = _stands(comparisons, differing, (expected, actual), rows, cases)
    aside = np.zeros(len(order), dtype=np.bool_)
    aside[places[stands]] = True
    extra = comparisons.extra if len(comparisons.extra) else np.zeros(len(order), dtype=np.bool_)
    similarity = comparisons.similarity[order]
    fields = [[name, rule_text(rule)] for name, rule in zip(comparisons.fields, comparisons.rules, strict=True)]
    return table_of(
        {
            "case": column_of((rows + first)[comparisons.case[order]]),
            "field": coded(comparisons.field[order], comparisons.fields),
            "path": coded(comparisons.path[order], comparisons.paths),
            "outcome": coded(comparisons.outcome[order].astype(np.int8), OUTCOMES),
            "similarity": column_of(similarity, ~np.isnan(similarity)),
            "passed": column_of(comparisons.passed[order]),
            "extra": column_of(extra[order]),
            "cause": _sparse(comparisons.cause, order),
            "note": _sparse(comparisons.note, order),
            "equal": column_of(equal),
            "aside": column_of(aside),
            "expected": _told(expected, stands, places, len(order)),
            "actual": _told(actual, stands, places, len(order)),
        },
        always=_ALWAYS,
        metadata={FIELDS: to_text(fields)},
    )


def all_fields(tables: Sequence[ArrowTable]) -> bytes:
    """The fields of several tables of comparisons, in the order in which they come."""
    known: dict[str, str] = {}
    for text in dict.fromkeys(table.schema.metadata[FIELDS.encode()] for table in tables):
        for name, rule in from_text(text):
            known.setdefault(name, rule)
    return to_text(list(known.items()))


def _told(values: Sequence[Value], stands: NDArray[np.bool_], places: NDArray[np.int64], rows: int) -> ArrowColumn:
    """A column of so many rows with these values, as JSON text, at their places; null elsewhere, and for what stands in its record."""
    told = ~stands & np.fromiter((value is not MISSING for value in values), dtype=np.bool_, count=len(values))
    where = np.zeros(rows, dtype=np.bool_)
    where[places[told]] = True
    return utf8_column(to_texts([*compress(values, told.tolist())]), where)


def _sparse(by_row: Mapping[int, str], order: NDArray[np.int64]) -> ArrowColumn:
    known: dict[str, int] = {}
    codes = np.full(len(order), -1, dtype=np.int32)
    if by_row:
        rows = np.fromiter(by_row, dtype=np.int64, count=len(by_row))
        codes[rows] = [known.setdefault(text, len(known)) for text in by_row.values()]
    return coded(codes[order], list(known))


def _equal(comparisons: Comparisons, rows: NDArray[np.int64], cases: Cases) -> NDArray[np.bool_]:
    """Where both sides are the same value, and the case's expected record has it at that path."""
    if len(comparisons.plain) != len(comparisons):  # nobody has looked
        return np.zeros(len(comparisons), dtype=np.bool_)
    same = comparisons.plain & (comparisons.outcome == Outcome.MATCH)
    same &= _found_again(comparisons, rows, cases)[comparisons.path]
    readable = np.array([isinstance(cases.expected[row], dict | list) for row in rows.tolist()], dtype=np.bool_)
    return same if readable.all() else same & readable[comparisons.case]


def _stands(
    comparisons: Comparisons, differing: NDArray[np.int64], sides: tuple[list[Value], list[Value]], rows: NDArray[np.int64], cases: Cases
) -> NDArray[np.bool_]:
    """Where, among rows that differ, a side is a list or an object, and both records have at the path what was compared."""
    stands = np.zeros(len(differing), dtype=np.bool_)
    kinds = [[*map(type, side)] for side in sides]
    if all(map(_CONTAINERS.isdisjoint, kinds)):
        return stands
    held = [at for at, (one, other) in enumerate(zip(*kinds, strict=True)) if one in _CONTAINERS or other in _CONTAINERS]
    case: list[int] = rows[comparisons.case[differing[held]]].tolist()
    steps = [_steps(str(comparisons.paths[at])) for at in comparisons.path[differing[held]].tolist()]
    stands[held] = [
        _at(cases.expected[row], path) is sides[0][at] and _at(cases.actual[row], path) is sides[1][at]
        for at, row, path in zip(held, case, steps, strict=True)
    ]
    return stands


_CONTAINERS: Final = frozenset((list, dict))


def _found_again(comparisons: Comparisons, rows: NDArray[np.int64], cases: Cases) -> NDArray[np.bool_]:
    """For each path, whether looking it up gives the value that was compared, tried on its first match."""
    found = np.zeros(len(comparisons.paths), dtype=np.bool_)
    firsts = np.full(len(comparisons.paths), -1, dtype=np.int64)
    matches = np.flatnonzero(comparisons.outcome == Outcome.MATCH)[::-1]
    firsts[comparisons.path[matches]] = matches  # of those with the same path, the last one stays
    for path, row in enumerate(firsts.tolist()):
        if row >= 0:
            record = cases.expected[int(rows[comparisons.case[row]])]
            value = look_up(record, str(comparisons.paths[path]))
            found[path] = type(value) is type(comparisons.expected[row]) and value == comparisons.expected[row]
    return found


@lru_cache(maxsize=4096)
def _steps(path: str) -> tuple[Step, ...] | None:
    """The steps of a path; None where it is malformed."""
    try:
        return () if path == ROOT else Path.parse(path).steps
    except MalformedPath:
        return None


def look_up(record: Value, path: str) -> Value:
    """What stands in a record at a path; MISSING if nothing does."""
    return _at(record, _steps(path))


def _at(record: Value, steps: Sequence[Step] | None) -> Value:
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


Sides = Callable[[], tuple[Value, Value]]
"""The expected and the actual record of a case."""


def comparisons_of(rows: Mapping[str, Sequence[Any]], span: range, sides: Sides | None = None) -> Iterator[Comparison]:
    """The comparisons in these rows of a stored table, all of one case. Without its records, values that stand there are not told."""
    for row in span:
        if rows["equal"][row]:
            expected = actual = look_up(sides()[0], rows["path"][row]) if sides else MISSING
        elif rows["aside"][row]:
            expected, actual = (look_up(side, rows["path"][row]) for side in sides()) if sides else (_UNTOLD, _UNTOLD)
        else:
            expected, actual = _value(rows["expected"][row]), _value(rows["actual"][row])
        yield Comparison(
            path=rows["path"][row],
            field=rows["field"][row],
            outcome=rows["outcome"][row],
            expected=None if expected is MISSING else expected,
            actual=None if actual is MISSING else actual,
            expected_presence=Presence(presence(expected)).name.lower(),
            actual_presence=Presence(presence(actual)).name.lower(),
            similarity=rows["similarity"][row],
            passed=rows["passed"][row],
            cause=rows["cause"][row],
            note=rows["note"][row],
        )


_UNTOLD: Final = "\N{HORIZONTAL ELLIPSIS}"


def _value(text: str | None) -> Value:
    return MISSING if text is None else from_text(text)
