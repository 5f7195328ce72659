"""A run as the content of a file, in the format of the file's name; tables as CSV and as an Excel workbook.

A table has one row for each case and evaluator, and a column for every metric. Text from data never becomes a formula: CSV cells that begin
like one get an apostrophe, cells of a workbook are stored as text.
"""

import csv
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from typing import TYPE_CHECKING, Any, Final

from fieldwise.report.mismatch_list import COLUMNS as MISMATCH_COLUMNS
from fieldwise.report.mismatch_list import iterate_list_rows
from fieldwise.report.result_text import describe_cause
from fieldwise.report.run_view import build_run_view
from fieldwise.report.text_format import format_csv_cell, make_encodable
from fieldwise.report.workbook import Sheet, render_workbook

if TYPE_CHECKING:
    from fieldwise.store.run import Run

SUFFIXES: Final = (".html", ".json", ".jsonl", ".csv", ".xlsx", ".parquet", ".md", ".junit.xml")
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

    return _encode_chunks(iterate_run_json(build_run_view(run), run.result_texts()))


def _render_jsonl(run: "Run") -> bytes:
    from fieldwise.report.json_report import iterate_results_jsonl

    return _encode_chunks(iterate_results_jsonl(run.result_texts()))


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
        writer.writerow([make_encodable(format_csv_cell(value)) for value in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def render_xlsx(run: "Run") -> bytes:
    """Render a workbook with the summary, the fields, the results and the mismatches."""
    rows = iterate_rows(run)
    sheets: list[Sheet] = [
        ("summary", _SUMMARY_COLUMNS, iterate_summary_rows(run)),
        ("fields", _FIELD_COLUMNS, iterate_field_rows(run)),
        ("results", next(rows), rows),
        ("mismatches", MISMATCH_COLUMNS, iterate_list_rows(run.mismatches())),
    ]
    return render_workbook(sheets)


def iterate_summary_rows(run: "Run") -> Iterator[list[Any]]:
    """Yield every metric of every evaluator, then the corrections that the run applied."""
    view = build_run_view(run)
    for evaluator in view.evaluators:
        for name, metric in evaluator.metrics.items():
            yield [evaluator.name, evaluator.type, name, metric.value, metric.low, metric.high, metric.n]
    if view.corrections is not None:
        yield ["", "", view.corrections.describe()]


def iterate_field_rows(run: "Run") -> Iterator[list[Any]]:
    """Yield every field of every evaluator."""
    for evaluator in build_run_view(run).evaluators:
        for field in evaluator.fields:
            score = [field.score.value, field.score.low, field.score.high] if field.score.n else [None] * 3
            rates = [field.precision, field.recall, field.f1]
            outcomes = ", ".join(f"{outcome} {count}" for outcome, count in field.outcomes.items())
            causes = ", ".join(f"{describe_cause(cause).label} {count}" for cause, count in field.causes)
            yield [evaluator.name, field.field, field.rule, field.n, field.matched, *score, *rates, outcomes, causes]


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
