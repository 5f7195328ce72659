"""A run as tables: CSV, and an Excel workbook. One row for each case and evaluator, every metric in a column of its own.

Nothing from data is ever a formula: CSV cells that begin like one get an apostrophe, cells of a workbook are stored as text.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any, Final

from fieldwise.report.safe import csv_cell, cut, safe_lines

if TYPE_CHECKING:
    from fieldwise.store.run import Run

ROWS_ON_A_SHEET: Final = 1_000_000
_LONGEST: Final = 32_000
"""A cell of a workbook holds no more characters than 32,767."""
_AT_ONCE: Final = 10_000
_SUMMARY: Final = ("evaluator", "type", "metric", "value", "low", "high", "n")
_FIELDS: Final = ("evaluator", "field", "rule", "n", "matched", "score", "low", "high", "precision", "recall", "f1", "outcomes", "causes")


def csv_rows(run: "Run") -> Iterator[list[Any]]:
    """The names of the columns, then the rows as plain values; lists as text with `; ` between."""
    table = run.to_arrow()
    yield list(table.column_names)
    for batch in table.to_batches(max_chunksize=_AT_ONCE):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield ["; ".join(value) if isinstance(value, list) else value for value in row]


def csv_lines(run: "Run") -> Iterator[str]:
    """The rows as CSV, line by line: a run may be larger than memory."""
    out = StringIO(newline="")
    writer = csv.writer(out)
    for row in csv_rows(run):
        writer.writerow([_storable(csv_cell(value)) for value in row])
        yield out.getvalue()
        out.seek(0)
        out.truncate()


def _storable(text: str) -> str:
    """Text that can be written as UTF-8, and that no reader of CSV stumbles over."""
    return text if "\0" not in text and text.isascii() else text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


def to_xlsx(run: "Run") -> bytes:
    """A workbook with the summary, the fields and the results."""
    try:
        openpyxl = import_module("openpyxl")
    except ImportError as error:
        raise ImportError("workbooks need openpyxl, which is not installed: pip install 'fieldwise[report]'") from error
    book = openpyxl.Workbook(write_only=True)
    _sheet(book, "summary", _SUMMARY, summary_rows(run))
    _sheet(book, "fields", _FIELDS, field_rows(run))
    rows = csv_rows(run)
    _sheet(book, "results", next(rows), rows)
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def summary_rows(run: "Run") -> Iterator[list[Any]]:
    """Every metric of every evaluator."""
    for one in run.full.evaluators.values():
        for name, metric in one.metrics.items():
            yield [one.name, one.type, name, metric.value, metric.low, metric.high, metric.n]


def field_rows(run: "Run") -> Iterator[list[Any]]:
    """Every field of every evaluator."""
    for one in run.full.evaluators.values():
        for field in one.fields:
            score = [field.score.value, field.score.low, field.score.high] if field.score.n else [None] * 3
            rates = [field.precision, field.recall, field.f1]
            told = (", ".join(f"{name} {count}" for name, count in pairs) for pairs in (field.outcomes.items(), field.causes))
            yield [one.name, field.field, field.rule, field.n, field.matched, *score, *rates, *told]


def _sheet(book: Any, title: str, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A sheet with a fixed first row and a filter; what does not fit goes on to another."""
    sheet, number, written = None, 1, 0
    for row in rows:
        if sheet is None or written == ROWS_ON_A_SHEET:
            sheet, written = _begun(book, title if number == 1 else f"{title} {number}", heads), 0
            number += 1
        sheet.append([_cell(sheet, value) for value in row])
        written += 1
    if sheet is None:
        _begun(book, title, heads)


def _begun(book: Any, title: str, heads: Sequence[str]) -> Any:
    sheet = book.create_sheet(title)
    sheet.freeze_panes = "A2"
    for place, head in enumerate(heads):
        letter = import_module("openpyxl.utils").get_column_letter(place + 1)
        sheet.column_dimensions[letter].width = min(max(len(head) + 2, 12 if place else 24), 40)
    sheet.append([_text_cell(sheet, _spoken(head), bold=True) for head in heads])
    return sheet


def _cell(sheet: Any, value: Any) -> Any:
    """What a sheet takes for a value. Text that openpyxl would read as a formula or an error gets a cell that says it is text."""
    if not isinstance(value, str):
        return value
    text = cut(_spoken(value), _LONGEST)
    return _text_cell(sheet, text) if text.startswith(("=", "#")) else text


def _text_cell(sheet: Any, text: str, *, bold: bool = False) -> Any:
    cell = import_module("openpyxl.cell").WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    if bold:
        cell.font = import_module("openpyxl.styles").Font(bold=True)
    return cell


def _spoken(text: str) -> str:
    """Text without the characters that XML does not allow."""
    return text if text.isprintable() else safe_lines(text)
