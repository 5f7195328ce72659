"""Rows that a Python program has in memory: lists and iterators of records, pandas frames, and everything that speaks Arrow.

polars frames, DuckDB relations and Arrow tables share one way in, `__arrow_c_stream__`; Hugging Face datasets, which do not have it, give
Arrow tables batch by batch. pandas frames take neither: their cells may hold dicts and lists of any shape, which Arrow would force into one
type, so that absent keys became null.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from itertools import islice
from typing import Any, Final, cast

from fieldwise.model.case import Case
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.plan import RowsInMemory
from fieldwise.model.values import MISSING
from fieldwise.numpy_on_use import np
from fieldwise.read.arrow_rows import convert_arrow_batch
from fieldwise.read.columns import is_usual_id
from fieldwise.read.from_python import normalize_value
from fieldwise.read.json_text import JsonProblem
from fieldwise.read.rows import MAX_BATCH_BYTES, RowBatch

ACCEPTED: Final = "a list of records (dicts, pydantic models, dataclasses), a pandas or polars frame, a dataset, or an Arrow table"


def wrap_rows(data: Any, role: str) -> RowsInMemory:
    """The rows of a Python object for `cases`, `expected` or `actual`; ConfigError, with what to give, if it holds no rows."""
    name = f"<{role}>"
    if _is_pandas(data, "DataFrame"):
        return PandasRows(data, name, role)
    if _is_pandas(data, "Series"):
        raise _wrong_type(data, role, f"give a frame: {role}=series.to_frame()")
    if _is_dataset(data):
        return _DatasetRows(data, name)
    if _is_polars(data, "DataFrame"):
        _refuse_object_columns(data, role)
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return _ArrowRows(data, name, role)
    if _is_polars(data, "LazyFrame"):
        raise _wrong_type(data, role, f"collect it: {role}=frame.collect()")
    if isinstance(data, Mapping):
        raise _wrong_type(data, role, _advise_mapping(cast("Mapping[Any, Any]", data), role))
    if is_record(data):
        raise _wrong_type(data, role, f"give a list: {role}=[record]; fw.evaluate scores a single case")
    if isinstance(data, str | bytes | type) or not isinstance(data, Iterable):
        raise _wrong_type(data, role, f"give {ACCEPTED}")
    return _RecordRows(cast("Iterable[Any]", data), name, role)


def is_table(data: Any) -> bool:
    """True for a data frame, a dataset or an Arrow table: data of many rows that is no JSON value."""
    return _is_pandas(data, "DataFrame") or _is_dataset(data) or (hasattr(data, "__arrow_c_stream__") and not isinstance(data, Mapping))


def read_rows_in_memory(rows: RowsInMemory, chunk: int, diagnostics: list[Diagnostic]) -> Iterator[RowBatch]:
    """The rows in batches; a row that is not JSON becomes a problem of that row, no rows at all a diagnostic."""
    has_rows = False
    for batch in rows.read_batches(chunk):
        has_rows = True
        yield batch
    if not has_rows:
        role = rows.name.strip("<>")
        diagnostics.append(Diagnostic(code="empty-file", what=f"`{role}` holds no rows", fix="give at least one record"))


def _build_batch(name: str, before: int, values: list[Any], problems: dict[int, list[JsonProblem]]) -> RowBatch:
    """A batch of rows that `before` rows come before."""
    numbers = list(range(before + 1, before + len(values) + 1))
    return RowBatch(values=values, numbers=numbers, files=[name] * len(values), numbering="item", problems=problems)


def _normalize_rows(values: list[Any]) -> tuple[list[Any], dict[int, list[JsonProblem]]]:
    records: list[Any] = []
    problems: dict[int, list[JsonProblem]] = {}
    for row, value in enumerate(values):
        record, row_problems = _normalize_row(value)
        records.append(record)
        if row_problems:
            problems[row] = row_problems
    return records, problems


def _normalize_row(value: Any) -> tuple[dict[str, Any], list[JsonProblem]]:
    if isinstance(value, Case):
        value = {role: getattr(value, role) for role in _CASE_ROLES if getattr(value, role) not in (None, MISSING)}
    record, reason = normalize_value(value)
    if isinstance(record, dict):
        return cast("dict[str, Any]", record), []
    if reason and isinstance(value, Mapping):
        return _normalize_cells(cast("Mapping[Any, Any]", value))
    what = f"the row {reason}" if reason else f"a row must be a record, not `{type(value).__name__}`"
    return {}, [JsonProblem("invalid-json", what, fix="give a dict, a pydantic model or a dataclass")]


def _normalize_cells(row: Mapping[Any, Any]) -> tuple[dict[str, Any], list[JsonProblem]]:
    """A row of which some values are not JSON: the others, and a problem for each of those."""
    cells: dict[str, Any] = {}
    problems: list[JsonProblem] = []
    for name, value in row.items():
        cell, reason = normalize_value(value)
        if reason:
            problems.append(JsonProblem("invalid-value", f"the value of `{name}` {reason}", (str(name),), "give what JSON has"))
        else:
            cells[str(name)] = cell
    return cells, problems


_CASE_ROLES: Final = ("id", "input", "expected", "actual", "contexts", "metadata", "tags", "split", "actuals")


class _RecordRows:
    """Records from an iterable. Those of an iterator are kept, so that they can be read again."""

    def __init__(self, data: Iterable[Any], name: str, role: str) -> None:
        self.name = name
        self._data = data
        self._iterator = iter(data)
        self.is_one_shot = self._iterator is data
        self._kept: list[Any] = list(islice(self._iterator, 1)) if self.is_one_shot else []
        first = self._kept if self.is_one_shot else list(islice(self._iterator, 1))
        if first and not is_record(first[0]):
            raise _wrong_row(first[0], role)

    def read_batches(self, size: int) -> Iterator[RowBatch]:
        """All rows from the start, in batches of at most `size`."""
        rows = self._iterate_kept() if self.is_one_shot else iter(self._data)
        before = 0
        while values := list(islice(rows, size)):
            yield _build_batch(self.name, before, *_normalize_rows(values))
            before += len(values)

    def _iterate_kept(self) -> Iterator[Any]:
        index = 0
        while True:
            if index == len(self._kept):
                self._kept += islice(self._iterator, 1)
            if index == len(self._kept):
                return
            yield self._kept[index]
            index += 1


class PandasRows:
    """The rows of a pandas frame; cells without a value are null, and a named index is a column."""

    is_one_shot = False

    def __init__(self, frame: Any, name: str, role: str) -> None:
        self.name = name
        if frame.columns.nlevels > 1:
            raise _wrong_type(
                frame, role, 'give each side on its own: expected=frame["expected"], actual=frame["actual"]', "its columns have levels"
            )
        self._frame = _index_to_columns(frame, role)
        self.index = None if any(level is not None for level in frame.index.names) else frame.index
        """The index, if it has no name, so that it is no column."""
        self._names = [str(column) for column in self._frame.columns]
        _check_unique(self._names, role)

    @property
    def has_id(self) -> bool:
        """Whether a column has a usual name of an id."""
        return any(is_usual_id(name) for name in self._names)

    def read_batches(self, size: int) -> Iterator[RowBatch]:
        """All rows from the start, in batches of at most `size`."""
        for start in range(0, len(self._frame), size):
            part = self._frame.iloc[start : start + size]
            columns = [_list_cells(part.iloc[:, index]) for index in range(len(self._names))]
            rows = [dict(zip(self._names, cells, strict=True)) for cells in zip(*columns, strict=True)]
            yield _build_batch(self.name, start, *_normalize_rows(rows))


def is_default_index(index: Any) -> bool:
    """Whether an index of pandas numbers the rows from 0, as in a new frame."""
    return index.dtype.kind in "iu" and bool((index.to_numpy() == np.arange(len(index))).all())


def _index_to_columns(frame: Any, role: str) -> Any:
    """The frame with the named levels of its index as columns; one that repeats a column, as after `set_index(drop=False)`, is dropped."""
    for level, name in enumerate(frame.index.names):
        if name is not None and name in frame.columns:
            column = frame[name]
            if column.ndim > 1 or column.tolist() != frame.index.get_level_values(level).tolist():
                what = f"`{role}` has a column and an index `{name}` with different values"
                fix = f'keep one of them: {role}=frame.rename_axis(None), or {role}=frame.drop(columns="{name}")'
                raise ConfigError([Diagnostic(code="duplicate-column", what=what, fix=fix)])
    repeated = [name for name in frame.index.names if name is not None and name in frame.columns]
    if len(repeated) == frame.index.nlevels:
        return frame.reset_index(drop=True)
    frame = frame.droplevel(repeated) if repeated else frame
    return frame.reset_index() if any(name is not None for name in frame.index.names) else frame


def _list_cells(column: Any) -> list[Any]:
    cells: list[Any] = column.tolist()
    is_missing = column.isna()
    if not is_missing.any():
        return cells
    return [None if missing else cell for cell, missing in zip(cells, is_missing.tolist(), strict=True)]


class _ArrowRows:
    """The rows of an Arrow table, or of anything that gives one; its memory is shared, not copied, where its owner allows it."""

    is_one_shot = False

    def __init__(self, data: Any, name: str, role: str) -> None:
        import pyarrow as pa

        self.name = name
        try:
            self._table = pa.table(data)
        except (TypeError, ValueError, pa.ArrowException) as error:
            reason = str(error).split("\n", 1)[0]
            raise _wrong_type(data, role, f"give {ACCEPTED}", reason) from error
        _check_unique(self._table.column_names, role)

    def read_batches(self, size: int) -> Iterator[RowBatch]:
        """All rows from the start, in batches of at most `size`, fewer where rows are large."""
        max_rows = MAX_BATCH_BYTES * self._table.num_rows // max(self._table.get_total_buffer_size(), 1)
        before = 0
        for batch in self._table.to_batches(max(1, min(size, max_rows))):
            if batch.num_rows:
                yield _build_batch(self.name, before, *convert_arrow_batch(batch))
                before += batch.num_rows


class _DatasetRows:
    """The rows of a Hugging Face dataset, whole or streaming, in its own order."""

    is_one_shot = False

    def __init__(self, dataset: Any, name: str) -> None:
        self.name = name
        self._dataset = dataset.with_format("arrow")

    def read_batches(self, size: int) -> Iterator[RowBatch]:
        """All rows from the start, in batches of at most `size`."""
        before = 0
        for table in self._dataset.iter(batch_size=size):
            for batch in table.to_batches():
                if batch.num_rows:
                    yield _build_batch(self.name, before, *convert_arrow_batch(batch))
                    before += batch.num_rows


def _is_dataset(data: Any) -> bool:
    return type(data).__module__.split(".")[0] == "datasets" and hasattr(data, "with_format") and hasattr(data, "iter")


def _check_unique(names: Sequence[str], role: str) -> None:
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        what, fix = f"`{role}` has two columns `{repeated}`", "give each column its own name"
        raise ConfigError([Diagnostic(code="duplicate-column", what=what, fix=fix)])


def _is_pandas(data: Any, type_name: str) -> bool:
    """True for this type of pandas or a subclass of it, without importing pandas."""
    return any(cls.__name__ == type_name and cls.__module__.split(".")[0] == "pandas" for cls in type(data).__mro__)


def _is_polars(data: Any, type_name: str) -> bool:
    """True for this type of polars, without importing polars."""
    return type(data).__module__.split(".")[0] == "polars" and type(data).__name__ == type_name


def _refuse_object_columns(frame: Any, role: str) -> None:
    """ConfigError for columns of Python objects: Arrow would give their addresses."""
    names = [name for name, kind in frame.schema.items() if str(kind) == "Object"]
    if names:
        what = f"the column `{names[0]}` of `{role}` holds Python objects, which Arrow cannot pass on"
        raise ConfigError([Diagnostic(code="wrong-data", what=what, fix=f"give a list of dicts: {role}=frame.to_dicts()")])


def is_record(value: Any) -> bool:
    """True for a mapping, an instance of a dataclass, or a pydantic model."""
    is_object = is_dataclass(value) or callable(getattr(type(value), "model_dump", None))
    return isinstance(value, Mapping) or (is_object and not isinstance(value, type))


def _advise_mapping(data: Mapping[Any, Any], role: str) -> str:
    key, value = next(iter(data.items()), ("", None))
    if is_table(value):
        return f"choose one of its splits: {role}=data[{key!r}]"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "give rows, not columns: a list of dicts, or a frame of these columns"
    return f"give a list: {role}=[record]; fw.evaluate scores a single case"


def _wrong_type(data: Any, role: str, fix: str, reason: str = "") -> ConfigError:
    kind = type(data)
    name = f"{kind.__module__.split('.')[0]}.{kind.__name__}" if kind.__module__ != "builtins" else kind.__name__
    what = f"`{role}` cannot be a `{name}`" + (f": {reason}" if reason else "")
    return ConfigError([Diagnostic(code="wrong-data", what=what, fix=fix)])


def _wrong_row(value: Any, role: str) -> ConfigError:
    what = f"`{role}` must hold records, and its first item is a `{type(value).__name__}`"
    fix = "give dicts, pydantic models or dataclasses"
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        fix = f"give dicts: {role}=[row._asdict() for row in rows]"
    if isinstance(value, str | int | float) and role != "cases":
        fix = 'for plain values, give pairs: cases=[{"id": "1", "expected": …, "actual": …}]'
    return ConfigError([Diagnostic(code="wrong-data", what=what, fix=fix)])
