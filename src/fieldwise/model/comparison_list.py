"""The comparisons of one result as a list that converts to a table, and the type that it shares with those of a stored run."""

import json
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final, Protocol, runtime_checkable

from fieldwise.model.comparison import Comparison

_TEXT_COLUMNS: Final = ("field", "path", "expected", "actual", "outcome", "cause")


@runtime_checkable
class Comparisons(Protocol):
    """Comparisons to iterate over or to convert to a table: `result.comparisons`, `run.comparisons()` and `run.mismatches()`.

    Items have `field`, `path`, `expected`, `actual`, `outcome`, `cause`, `similarity` and `note`; those of a run also `case`, `evaluator`.
    """

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...

    def to_arrow(self) -> Any:
        """A pyarrow table. Values are text: texts as they are, others as JSON, null where a side has no value."""
        ...

    def to_pandas(self) -> Any:
        """A pandas DataFrame. Values keep their types: `expected` and `actual` are columns of Python objects."""
        ...

    def to_polars(self) -> Any:
        """`to_arrow` as a polars DataFrame."""
        ...


class ComparisonList(list[Comparison]):
    """The comparisons of one result; a list, so that results compare and copy like plain data.

    >>> import fieldwise as fw
    >>> result = fw.evaluate({"type": "field_prf"}, expected={"a": 1, "b": [2]}, actual={"a": 1, "b": 3})
    >>> result.comparisons.to_arrow().select(["path", "expected", "actual", "outcome"]).to_pylist()[1]
    {'path': 'b[0]', 'expected': '2', 'actual': '3', 'outcome': 'format_error'}
    """

    __slots__ = ()

    def to_arrow(self) -> Any:
        """A pyarrow table. Values are text: texts as they are, others as JSON, null where a side has no value."""
        pyarrow = import_package("pyarrow", "arrow")
        columns: dict[str, Any] = {name: [getattr(comparison, name) for comparison in self] for name in _TEXT_COLUMNS}
        columns["expected"] = [_value_text(comparison.expected, comparison.expected_presence) for comparison in self]
        columns["actual"] = [_value_text(comparison.actual, comparison.actual_presence) for comparison in self]
        table = {name: pyarrow.array(values, pyarrow.string()) for name, values in columns.items()}
        table["similarity"] = pyarrow.array([comparison.similarity for comparison in self], pyarrow.float64())
        table["note"] = pyarrow.array([comparison.note for comparison in self], pyarrow.string())
        table["passed"] = pyarrow.array([comparison.passed for comparison in self], pyarrow.bool_())
        evidence = [comparison.evidence_json() for comparison in self]
        for name, kind in (("confidence", pyarrow.float64()), ("page", pyarrow.int64()), ("box", pyarrow.string())):
            values = [columns_of_row.get(name) for columns_of_row in evidence]
            if any(value is not None for value in values):
                texts = [None if value is None else json.dumps(value) for value in values] if name == "box" else values
                table[name] = pyarrow.array(texts, kind)
        return pyarrow.table(table)

    def to_pandas(self) -> Any:
        """A pandas DataFrame. Values keep their types: `expected` and `actual` are columns of Python objects."""
        pandas = import_package("pandas")
        frame = self.to_arrow().to_pandas()
        for side in ("expected", "actual"):
            frame[side] = pandas.Series([getattr(comparison, side) for comparison in self], index=frame.index, dtype=object)
        return frame

    def to_polars(self) -> Any:
        """`to_arrow` as a polars DataFrame."""
        return import_package("polars").from_arrow(self.to_arrow())


def import_package(package: str, noun: str = "") -> Any:
    """Import an optional package; ImportError with the command that installs it."""
    try:
        return import_module(package)
    except ImportError as error:
        raise ImportError(f"to_{noun or package}() needs {package}, which is not installed: pip install {package}") from error


def _value_text(value: Any, presence: str) -> str | None:
    if presence != "present" or isinstance(value, str):
        return value if presence == "present" else None
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
