"""Data given in a call or on the command line, in place of the suite's: paths, or rows in memory."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.plan import IdColumns, RowsInMemory, SideMapping, Source, list_id_columns
from fieldwise.read.in_memory import PandasRows, is_default_index, is_record, is_table, wrap_rows
from fieldwise.read.side_mapping import identify_record

IdsOfSides: TypeAlias = str | list[str] | tuple[str | list[str], str | list[str]]
"""What identifies the rows of two sides: a column, several that do so together in a list, or a pair of these for expected and actual."""


@dataclass(frozen=True, slots=True)
class RequestFile:
    """A file with the cases of a request, which is deleted after the run."""

    path: Path


def replace_data(
    source: Source | None, *, cases: Any = None, expected: Any = None, actual: Any = None, on: IdsOfSides | None = None
) -> Source | None:
    """The source with the given data; `columns` and the mappings of the suite still apply. ConfigError if it makes no sense."""
    _check_combination(source, cases, expected, actual, on)
    if isinstance(cases, RequestFile):
        source = replace_data(source, cases=cases.path)
        return None if source is None else replace(source, is_request=True)
    if cases is not None:
        file, rows = _locate_data(cases, "cases")
        memory = {} if rows is None else {"cases": rows}
        return replace(source or Source(), cases=file, expected=None, actual=None, join=None, mappings={}, memory=memory)
    if expected is None and actual is None:
        return source
    source = replace(source or Source(), cases=None)
    for side, data in (("expected", expected), ("actual", actual)):
        if data is not None:
            file, rows = _locate_data(data, side)
            memory = {role: stored for role, stored in source.memory.items() if role != side}
            source = replace(source, memory=memory if rows is None else {**memory, side: rows}, **{side: file})
    if expected is actual:
        _refuse_same_object(source)
    if on is not None:
        return _pair_on(source, on)
    _check_indexes(source)
    return source


def _check_combination(source: Source | None, cases: Any, expected: Any, actual: Any, on: Any) -> None:
    what = fix = ""
    if cases is not None and (expected is not None or actual is not None):
        what, fix = "`cases` holds both sides, so `expected` and `actual` cannot be given too", "give either `cases`, or the two sides"
    elif on is not None and expected is None and actual is None:
        what, fix = "`on` pairs two sides, and there is only one source of data", "give `expected=` and `actual=`"
    elif on is not None and _read_ids(on) is None:
        what = "`on` must be the name of a column, a list of names, or a pair of them for the two sides"
        fix = 'write on="id", on=["doc", "line"], or on=("key", "doc_id")'
    else:
        for side, opposite, opposite_data in (("expected", "actual", actual), ("actual", "expected", expected)):
            own_data = {"expected": expected, "actual": actual}[side]
            in_suite = source is not None and getattr(source, opposite) is not None
            if own_data is not None and opposite_data is None and not in_suite:
                what, fix = f"`{side}` is given without `{opposite}`", f"give `{opposite}=` too, or both in `cases=`"
    if what:
        raise ConfigError([Diagnostic(code="bad-call", what=what, fix=fix)])


def _refuse_same_object(source: Source) -> None:
    """ConfigError if the same rows in memory are both sides, with the same record; the same file is refused where it is read."""
    if "actual" not in source.memory or source.allow_same_sides:
        return
    records = [source.get_mapping(side).record for side in ("expected", "actual")]
    if identify_record(records[0]) != identify_record(records[1]):
        return
    what = "`expected` and `actual` are the same object"
    fix = "give the predictions as `actual`, or write `allow_same_sides: true` under `cases`"
    raise ConfigError([Diagnostic(code="same-sides", what=what, fix=fix)])


def _locate_data(data: Any, role: str) -> tuple[str, RowsInMemory | None]:
    """A path as it is; for rows in memory the name that stands for a file, and the rows."""
    if isinstance(data, str | Path):
        return str(data), None
    rows = wrap_rows(data, role)
    return rows.name, rows


def _check_indexes(source: Source) -> None:
    """ConfigError for two pandas frames whose rows would be paired by their number although their indexes differ."""
    sides = [source.memory.get(side) for side in ("expected", "actual")]
    if any(source.get_mapping(side).id is not None for side in ("expected", "actual")):
        return
    indexes = [side.index for side in sides if isinstance(side, PandasRows) and side.index is not None and not side.has_id]
    if len(indexes) < 2 or all(is_default_index(index) for index in indexes) or indexes[0].equals(indexes[1]):
        return
    what = "neither frame has a column with an id, and their indexes differ, so their rows cannot be paired"
    fix = 'to pair by the index, name it: frame.rename_axis("id"), on="id"; to pair by position: frame.reset_index(drop=True)'
    raise ConfigError([Diagnostic(code="no-join", what=what, fix=fix)])


def _pair_on(source: Source, on: IdsOfSides) -> Source:
    """The source with the ids of both sides replaced."""
    ids = _read_ids(on)
    if ids is None:  # refused before
        return source
    sides = zip(("expected", "actual"), ids, strict=True)
    mappings = {side: replace(source.mappings.get(side, SideMapping()), id=id) for side, id in sides}
    return replace(source, join=None, mappings=mappings)


def _read_ids(on: Any) -> tuple[IdColumns, IdColumns] | None:
    """The ids of expected and actual that `on` names; None if it is of another form.

    >>> _read_ids(["doc", "line"]), _read_ids(("key", "doc_id"))
    ((('doc', 'line'), ('doc', 'line')), ('key', 'doc_id'))
    """
    if not isinstance(on, tuple):
        id = _read_id(on)
        return None if id is None else (id, id)
    ids = [_read_id(id) for id in cast("tuple[Any, ...]", on)]
    if len(ids) != 2 or ids[0] is None or ids[1] is None or len(list_id_columns(ids[0])) != len(list_id_columns(ids[1])):
        return None
    return ids[0], ids[1]


def _read_id(id: Any) -> IdColumns | None:
    """The name of a column, or several of them in a list."""
    if isinstance(id, str):
        return id
    names: list[Any] = cast("list[Any]", id) if isinstance(id, list) else []
    is_valid = bool(names) and all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
    return (tuple(names) if len(names) > 1 else names[0]) if is_valid else None


SIDES_HINT: Final = 'fw.run(suite, expected=…, actual=…, on="id")'
MANY_RECORDS: Final = f"both sides are lists of records, which count as one case here: {SIDES_HINT} scores each of them"


def refuse_tables(expected: Any, actual: Any, caller: str) -> None:
    """ConfigError if a table of many cases is given where `caller` takes one case."""
    for side, data in (("expected", expected), ("actual", actual)):
        if is_table(data):
            what = f"`{side}` is a table of many cases, and {caller} takes one"
            raise ConfigError([Diagnostic(code="many-cases", what=what, fix=f"use {SIDES_HINT}")])


def list_pairs(expected: object, actual: object) -> tuple[list[Any], list[Any]]:
    """Two columns of values as lists; ValueError if one is a single value, or if they differ in length.

    >>> list_pairs("Acme", ["ACME"])
    Traceback (most recent call last):
    ValueError: expected is one value, not a list of values: write expected=[...]
    """
    columns: list[list[Any]] = []
    for side, values in (("expected", expected), ("actual", actual)):
        if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
            raise ValueError(f"{side} is one value, not a list of values: write {side}=[...]")
        columns.append([*values])  # pyright: ignore[reportUnknownArgumentType]
    if len(columns[0]) != len(columns[1]):
        raise ValueError(f"expected has {len(columns[0])} values and actual {len(columns[1])}; give one of each for every pair")
    return columns[0], columns[1]


def are_many_records(expected: Any, actual: Any) -> bool:
    """True if both sides are lists of records: a record may be a list, but these may also be many cases."""
    return all(isinstance(data, list | tuple) and len(data) > 0 and all(map(is_record, data)) for data in (expected, actual))
