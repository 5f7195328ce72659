"""A run as the content of a file, in the format of the file's name; tables as CSV and as an Excel workbook.

A table has one row for each case and evaluator, and a column for every metric. Text from data never becomes a formula: CSV cells that begin
like one get an apostrophe, cells of a workbook are stored as text.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any, Final

from fieldwise.report.result_text import describe_cause
from fieldwise.report.run_view import build_run_view
from fieldwise.report.text_format import format_csv_cell, make_lines_visible, truncate

if TYPE_CHECKING:
    from fieldwise.report.json_report import CaseResult
    from fieldwise.store.run import Run

SUFFIXES: Final = (".html", ".json", ".jsonl", ".csv", ".xlsx", ".parquet", ".md", ".junit.xml")
MAX_SHEET_ROWS: Final = 1_000_000
_CELL_LENGTH: Final = 32_000
"""A cell of a workbook holds at most 32,767 characters."""
_BATCH_ROWS: Final = 10_000
_SUMMARY_COLUMNS: Final = ("evaluator", "type", "metric", "value", "low", "high", "n")
_FIELD_COLUMNS: Final = (
    *("evaluator", "field", "rule", "n", "matched", "score", "low", "high"),
    *("precision", "recall", "f1", "outcomes", "causes"),
)


def find_suffix(name: str) -> str | None:
    """Return the suffix that names the format of a file; None if there is no such format.

    >>> find_suffix("out/report.HTML"), find_suffix("ci.junit.xml"), find_suffix("a.xml")
    ('.html', '.junit.xml', None)
    """
    return next((suffix for suffix in SUFFIXES if name.lower().endswith(suffix)), None)


def render(run: "Run", suffix: str) -> bytes:
    """Render the content of a file with this suffix, one of `SUFFIXES`. ImportError names a package to install if one is missing."""
    if suffix not in SUFFIXES:
        raise ValueError(f"there is no format for `{suffix}`; there are {', '.join(SUFFIXES)}")
    return _RENDERERS[suffix](run)


def _render_html(run: "Run") -> bytes:
    from fieldwise.report.html import render_html

    return _encode_chunks([render_html(run)])


def _render_json(run: "Run") -> bytes:
    from fieldwise.report.json_report import iterate_run_json

    return _encode_chunks(iterate_run_json(build_run_view(run), _iterate_results(run)))


def _render_jsonl(run: "Run") -> bytes:
    from fieldwise.report.json_report import iterate_results_jsonl

    return _encode_chunks(iterate_results_jsonl(_iterate_results(run)))


def _iterate_results(run: "Run") -> "Iterator[CaseResult]":
    return ((stored.case, stored.evaluator, stored.result) for stored in run.results())


def _render_csv(run: "Run") -> bytes:
    return _encode_chunks(iterate_csv_lines(run))


def _render_parquet(run: "Run") -> bytes:
    return run.to_parquet()


def _render_markdown(run: "Run") -> bytes:
    from fieldwise.report.markdown import render_markdown

    return _encode_chunks([render_markdown(run)])


def _render_junit(run: "Run") -> bytes:
    from fieldwise.report.ci_output import render_junit

    return _encode_chunks([render_junit(run)])


def _encode_chunks(chunks: Iterable[str]) -> bytes:
    return b"".join(chunk.encode("utf-8", "backslashreplace") for chunk in chunks)


def iterate_rows(run: "Run") -> Iterator[list[Any]]:
    """Yield the column names, then the rows as plain values; lists as text separated by `; `."""
    table = run.to_arrow()
    yield list(table.column_names)
    for batch in table.to_batches(max_chunksize=_BATCH_ROWS):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield ["; ".join(value) if isinstance(value, list) else value for value in row]


def iterate_csv_lines(run: "Run") -> Iterator[str]:
    """Yield the rows as CSV, line by line: a run may be larger than memory."""
    buffer = StringIO(newline="")
    writer = csv.writer(buffer)
    for row in iterate_rows(run):
        writer.writerow([_make_encodable(format_csv_cell(value)) for value in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _make_encodable(text: str) -> str:
    """Escape NUL characters, which CSV readers reject, and lone surrogates, which UTF-8 does not have."""
    if "\0" not in text and text.isascii():
        return text
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


def render_xlsx(run: "Run") -> bytes:
    """Render a workbook with the summary, the fields and the results."""
    try:
        from openpyxl import Workbook
    except ImportError as error:
        raise ImportError("workbooks need openpyxl, which is not installed: pip install 'fieldwise[report]'", name="openpyxl") from error
    book = Workbook(write_only=True)
    _write_sheet(book, "summary", _SUMMARY_COLUMNS, iterate_summary_rows(run))
    _write_sheet(book, "fields", _FIELD_COLUMNS, iterate_field_rows(run))
    rows = iterate_rows(run)
    _write_sheet(book, "results", next(rows), rows)
    content = BytesIO()
    book.save(content)
    return content.getvalue()


def iterate_summary_rows(run: "Run") -> Iterator[list[Any]]:
    """Yield every metric of every evaluator."""
    for evaluator in build_run_view(run).evaluators:
        for name, metric in evaluator.metrics.items():
            yield [evaluator.name, evaluator.type, name, metric.value, metric.low, metric.high, metric.n]


def iterate_field_rows(run: "Run") -> Iterator[list[Any]]:
    """Yield every field of every evaluator."""
    for evaluator in build_run_view(run).evaluators:
        for field in evaluator.fields:
            score = [field.score.value, field.score.low, field.score.high] if field.score.n else [None] * 3
            rates = [field.precision, field.recall, field.f1]
            outcomes = ", ".join(f"{outcome} {count}" for outcome, count in field.outcomes.items())
            causes = ", ".join(f"{describe_cause(cause).label} {count}" for cause, count in field.causes)
            yield [evaluator.name, field.field, field.rule, field.n, field.matched, *score, *rates, outcomes, causes]


def _write_sheet(book: Any, title: str, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write rows to a sheet, and to further sheets if one is full."""
    sheet = _add_sheet(book, title, heads)
    sheets, written = 1, 0
    for row in rows:
        if written == MAX_SHEET_ROWS:
            sheets, written = sheets + 1, 0
            sheet = _add_sheet(book, f"{title} {sheets}", heads)
        sheet.append([_make_cell(sheet, value) for value in row])
        written += 1


def _add_sheet(book: Any, title: str, heads: Sequence[str]) -> Any:
    """Add a sheet with a fixed first row."""
    from openpyxl.utils import get_column_letter

    sheet = book.create_sheet(title)
    sheet.freeze_panes = "A2"
    for place, head in enumerate(heads):
        minimum = 12 if place else 24
        sheet.column_dimensions[get_column_letter(place + 1)].width = min(max(len(head) + 2, minimum), 40)
    sheet.append([_make_text_cell(sheet, _remove_controls(head), bold=True) for head in heads])
    return sheet


def _make_cell(sheet: Any, value: Any) -> Any:
    """Convert a value for a sheet. Text that openpyxl would read as a formula or an error gets an explicit text cell."""
    if not isinstance(value, str):
        return value
    text = truncate(_remove_controls(value), _CELL_LENGTH)
    return _make_text_cell(sheet, text) if text.startswith(("=", "#")) else text


def _make_text_cell(sheet: Any, text: str, *, bold: bool = False) -> Any:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    if bold:
        cell.font = Font(bold=True)
    return cell


def _remove_controls(text: str) -> str:
    """Escape the characters that XML does not allow."""
    return text if text.isprintable() else make_lines_visible(text)


_RENDERERS: Final[dict[str, Callable[["Run"], bytes]]] = {
    ".html": _render_html,
    ".json": _render_json,
    ".jsonl": _render_jsonl,
    ".csv": _render_csv,
    ".xlsx": render_xlsx,
    ".parquet": _render_parquet,
    ".md": _render_markdown,
    ".junit.xml": _render_junit,
}
