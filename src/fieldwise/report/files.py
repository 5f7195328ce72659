"""A run as the content of a file, in the format that the file's name says."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from fieldwise.report.view import plain_view

if TYPE_CHECKING:
    from fieldwise.store.run import Run

SUFFIXES: Final = (".html", ".json", ".jsonl", ".csv", ".xlsx", ".parquet", ".md", ".junit.xml")


def suffix_of(name: str) -> str | None:
    """The ending that says how to write a file of this name; None if none does.

    >>> suffix_of("out/report.HTML"), suffix_of("ci.junit.xml"), suffix_of("a.xml")
    ('.html', '.junit.xml', None)
    """
    return next((suffix for suffix in SUFFIXES if name.lower().endswith(suffix)), None)


def render(run: "Run", suffix: str) -> bytes:
    """The content of a file with this ending, one of `SUFFIXES`. ImportError says what to install where a package is missing."""
    if suffix not in SUFFIXES:
        raise ValueError(f"there is no format for `{suffix}`; there are {', '.join(SUFFIXES)}")
    return _WRITERS[suffix](run)


def _html(run: "Run") -> bytes:
    from fieldwise.report.html import html_report

    return _utf8([html_report(run)])


def _json(run: "Run") -> bytes:
    from fieldwise.report.json_report import run_json

    return _utf8(run_json(plain_view(run), ((one.case, one.evaluator, one.result) for one in run.results())))


def _jsonl(run: "Run") -> bytes:
    from fieldwise.report.json_report import results_jsonl

    return _utf8(results_jsonl((one.case, one.evaluator, one.result) for one in run.results()))


def _csv(run: "Run") -> bytes:
    from fieldwise.report.tables import csv_lines

    return _utf8(csv_lines(run))


def _xlsx(run: "Run") -> bytes:
    from fieldwise.report.tables import to_xlsx

    return to_xlsx(run)


def _parquet(run: "Run") -> bytes:
    return run.to_parquet()


def _markdown(run: "Run") -> bytes:
    from fieldwise.report.markdown import markdown

    return _utf8([markdown(run)])


def _junit(run: "Run") -> bytes:
    from fieldwise.report.junit import junit

    return _utf8([junit(run)])


def _utf8(pieces: Iterable[str]) -> bytes:
    return b"".join(piece.encode("utf-8", "backslashreplace") for piece in pieces)


_WRITERS: Final[dict[str, Callable[["Run"], bytes]]] = {
    ".html": _html,
    ".json": _json,
    ".jsonl": _jsonl,
    ".csv": _csv,
    ".xlsx": _xlsx,
    ".parquet": _parquet,
    ".md": _markdown,
    ".junit.xml": _junit,
}
