"""CSV as spreadsheets of several countries write it."""

import gzip
import io
from pathlib import Path

import pytest

import fieldwise as fw
from fieldwise.model.plan import Source
from fieldwise.model.values import MISSING
from fieldwise.read.cases import read_cases
from fieldwise.read.csv_files import detect_separator, read_csv

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
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_the_separator_and_the_encoding_are_found_from_the_data(tmp_path: Path, name: str, separator: str, encoding: str) -> None:
    text = "\r\n".join(separator.join(quote_commas(cell, separator) for cell in row) for row in ROWS)
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    assert read_rows(path) == ([("1", "Müller, Eva", "3,50"), ("2", "a b", "12.000,00")], [])


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("header", ["номер;ожидание;ответ", "一番;予想;結果", "имя;e;a"])
def test_utf_16_without_a_byte_order_mark_is_found_whatever_the_script_of_the_header(tmp_path: Path, encoding: str, header: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(f"{header}\r\n1;Ева;б\r\n".encode(encoding))
    id, expected, actual = header.split(";")
    reader = read_cases(Source(cases=str(path), columns={"id": id, "expected": expected, "actual": actual}))
    assert [(case.id, case.expected, case.actual) for chunk in reader for case in [chunk.at(0)]] == [("1", "Ева", "б")]


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


def test_a_blank_cell_is_null_in_a_record_and_no_side_in_a_column_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text('id,number,po\n1,A1,\n2,A2,""\n')
    (tmp_path / "a.tsv").write_text("id\tnumber\tpo\n1\t\tB\n2\tA2\t\n")
    (cases,) = read_cases(Source(expected=str(tmp_path / "e.csv"), actual=str(tmp_path / "a.tsv")))
    assert cases.expected == [{"number": "A1", "po": None}, {"number": "A2", "po": None}]
    assert cases.actual == [{"number": None, "po": "B"}, {"number": "A2", "po": None}]
    path = tmp_path / "c.csv"
    path.write_text("id,expected,actual,note\n1,a,,\n2,,b,\n")
    (cases,) = read_cases(Source(cases=str(path)))
    assert (cases.expected, cases.actual) == (["a", MISSING], [MISSING, "b"])
    assert cases.metadata == [{"note": None}, {"note": None}]


@pytest.mark.parametrize(
    ("evaluator", "expected", "actual", "score"),
    [
        ("field_prf", "1,A1,,\n2,A2,,\n", "1,B1,,\n2,B2,,\n", 0.0),
        ("field_prf", "1,A1,x,\n", "1,A1,,\n", 2 / 3),
        ("field_prf", "1,A1,,\n", "1,A1,x,\n", 2 / 3),
        ("field_prf", "1,A1,,\n", "1,A1,,\n", 1.0),
        ("field_accuracy", "1,A1,x,y\n", "1,A1,,y\n", 2 / 3),
    ],
)
def test_blank_cells_are_scored_as_null(tmp_path: Path, evaluator: str, expected: str, actual: str, score: float) -> None:
    (tmp_path / "e.csv").write_text(f"id,number,po,iban\n{expected}")
    (tmp_path / "a.csv").write_text(f"id,number,po,iban\n{actual}")
    suite = {"cases": {side: str(tmp_path / f"{side[0]}.csv") for side in ("expected", "actual")}, "evaluators": [{"type": evaluator}]}
    run = fw.run(suite, root=tmp_path)
    assert run.summary[f"{evaluator}.score"] == pytest.approx(score)


def test_a_blank_output_fails_and_a_blank_expectation_is_not_scored_as_text(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("id,expected,actual\n1,a,\n2,,b\n3,c,c\n")
    run = fw.run({"cases": str(tmp_path / "c.csv"), "evaluators": [{"type": "similarity"}]}, root=tmp_path)
    results = {row.case: row.result for row in run.results()}
    assert (results["1"].status, results["1"].score) == ("error", 0.0)
    assert results["2"].score != 1.0
    assert results["3"].score == 1.0


@pytest.mark.parametrize(
    ("text", "ids", "line"),
    [
        ('id,expected,actual\n1,a,a\n2,"b,b\n3,c,c\n4,d,d\n', ["1"], 3),
        ('id,expected,actual\n1,a,a\n2,b,"b', ["1"], 3),
        ('id,expected,actual\n1,"a\na","b\n2,b,b\n', [], 3),
        ('id,expected,actual\n1,"a,a\n2,b,b\n3,"c",c\n', [], 2),
        ('id,expected,"actual\n1,a,a\n', [], 1),
        ('sep=,\nid,expected,actual\n1,a,a\n2,b,"b\n', ["1"], 4),
    ],
)
def test_an_unclosed_quote_is_an_error_with_its_line(tmp_path: Path, text: str, ids: list[str], line: int) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    rows, errors = read_rows(path)
    assert [row[0] for row in rows] == ids
    assert ("unclosed-quote", line) in errors


@pytest.mark.parametrize("cell", ['"a\nb"', '"a ""x""\nb"', '5" tube', '"a" b', '"a\n" '])
def test_quotes_that_are_closed_or_inside_text_are_read(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"id,expected,actual\n1,a,{cell}\n2,b,{cell}")
    rows, errors = read_rows(path)
    assert ([row[0] for row in rows], errors) == (["1", "2"], [])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("row", [["3", "c"], ["3"], ["3", "c", "c", "c"]])
def test_a_row_with_too_few_or_too_many_cells_is_an_error_of_its_case(tmp_path: Path, separator: str, row: list[str]) -> None:
    path = tmp_path / "a.csv"
    lines = [["id", "expected", "actual"], ["1", "a", "a"], ["2", "b", "b"], row, ["4", "d", "d"]]
    path.write_text("\n".join(map(separator.join, lines)))
    rows, errors = read_rows(path)
    assert rows == [("1", "a", "a"), ("2", "b", "b"), ("3", MISSING, MISSING), ("4", "d", "d")]
    assert errors == [("unreadable-case", 4)]


def test_rows_without_any_value_are_no_cases_and_are_counted() -> None:
    [rows] = read_csv(io.BytesIO(b"id,a\n1,x\n,\n2, \n , \n"), "c.csv", 10)
    assert rows.values == [{"id": "1", "a": "x"}, {"id": "2", "a": None}]
    assert rows.ordinals == [1, 3]
    assert [note.what for note in rows.notes] == ["2 rows without any value are left out"]


def test_a_separator_line_may_be_in_quotes() -> None:
    [rows] = read_csv(io.BytesIO(b'"sep=;"\nid;a\n1;x\n'), "c.csv", 10)
    assert rows.values == [{"id": "1", "a": "x"}]


@pytest.mark.parametrize(
    "value", ["2024-05-01", "01.05.2024", "12.50", "$1,200", "date=2001 party=Nike", '{"total": 3}', "[1, 2]", "eva@example.org"]
)
def test_a_first_line_of_values_is_a_warning(tmp_path: Path, value: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f'id;expected;actual;"{value.replace(chr(34), chr(34) * 2)}"\n1;a;b;c\n\n2;a;b;c\n')
    reader = read_cases(Source(cases=str(path)))
    assert [len(cases) for cases in reader] == [2]
    [warning] = [note for note in reader.diagnostics if note.code == "no-header"]
    assert (warning.level, warning.where.line) == ("warning", 1)
    assert value in warning.what


@pytest.mark.parametrize("name", ["2024", "0", "top_k=5", "[openai:gpt-4o] Read {{invoice}}", "Total (EUR)", "v1.2", "contexts[0]", ""])
def test_unusual_names_of_columns_are_no_values(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"id,expected,actual,{name}\n1,a,b,c\n")
    reader = read_cases(Source(cases=str(path)))
    assert [len(cases) for cases in reader] == [1]
    assert [note for note in reader.diagnostics if note.code == "no-header"] == []


def test_separators_of_unused_columns_at_the_end_are_no_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id;expected;actual;;\n1;a;b;;\n2;c;d\n;;;;\n")
    reader = read_cases(Source(cases=str(path)))
    assert [(case.id, case.expected, case.actual) for cases in reader for case in map(cases.at, range(len(cases)))] == [
        ("1", "a", "b"),
        ("2", "c", "d"),
    ]
    assert [note.level for note in reader.diagnostics if note.code != "blank-rows"] == []
    path.write_text("id;expected;actual;;\n1;a;b;;c\n")
    [cases] = read_cases(Source(cases=str(path)))
    assert [note.what for note in cases.diagnostics[0]] == ["the row has 5 cells, but the header has 3"]
    path.write_text("id;;;expected;actual\n1;;;a;b\n")
    assert read_rows(path) == ([], [("duplicate-column", 1)])
