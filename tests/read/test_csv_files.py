"""CSV as spreadsheets of several countries write it."""

import gzip
from pathlib import Path

import pytest

from fieldwise.model.plan import Source
from fieldwise.read.cases import read_cases
from fieldwise.read.csv_files import detect_separator

ROWS = [("id", "expected", "actual"), ("1", "Müller, Eva", "3,50"), ("2", "a b", "12.000,00")]


def read_rows(path: Path) -> tuple[list[tuple[str, object, object]], list[tuple[str, int | None]]]:
    """Id, expected and actual of each case, and code and line of each error."""
    reader = read_cases(Source(cases=str(path)))
    rows: list[tuple[str, object, object]] = []
    diagnostics = list(reader.diagnostics)
    for cases in reader:
        rows += zip(cases.id, cases.expected, cases.actual, strict=True)
        diagnostics += [diagnostic for several in cases.diagnostics.values() for diagnostic in several]
    errors = [diagnostic for diagnostic in [*diagnostics, *reader.diagnostics] if diagnostic.level == "error"]
    return rows, [(diagnostic.code, diagnostic.where.line) for diagnostic in errors]


def quote_commas(cell: str, separator: str) -> str:
    return f'"{cell}"' if separator in cell else cell


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_separator_and_the_encoding_are_found_from_the_data(tmp_path: Path, name: str, separator: str, encoding: str) -> None:
    text = "\r\n".join(separator.join(quote_commas(cell, separator) for cell in row) for row in ROWS)
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    assert read_rows(path) == ([("1", "Müller, Eva", "3,50"), ("2", "a b", "12.000,00")], [])


def test_the_separator_is_found_in_a_compressed_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"id;expected;actual\n1;a,b;c\n"))
    assert read_rows(path) == ([("1", "a,b", "c")], [])


@pytest.mark.parametrize("line", ["sep=;\n", "SEP=;\r\n"])
def test_the_line_in_which_excel_names_the_separator_is_no_header(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{line}id;expected;actual\n1;a;b\n", newline="")
    rows, _ = read_rows(path)
    assert rows[0] == ("1", "a", "b")


@pytest.mark.parametrize(
    ("lines", "separator"),
    [
        (["text", "one; two"], ","),
        (["question,answer", "Which?,red; green; blue", "Who?,x;y"], ","),
        (["a;b,c", "1,2"], ","),
        (["a;b;c", '1;"x;y";3'], ";"),
        (["a;b", "1;2;3"], ","),
        (["a\tb, c", "1\t2, 3"], "\t"),
        ([], ","),
    ],
)
def test_a_separator_counts_only_if_every_record_agrees_with_the_header(lines: list[str], separator: str) -> None:
    assert detect_separator(lines) == separator


def test_a_record_that_continues_after_the_sample_does_not_decide() -> None:
    assert detect_separator(["a;b", "1;2", '3;"4'], is_whole=False) == ";"


def test_broken_utf_16_is_an_error_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("id,expected,actual\n1,a,b".encode("utf-16")[:-1])
    _, errors = read_rows(path)
    assert ("invalid-utf16", None) in errors
