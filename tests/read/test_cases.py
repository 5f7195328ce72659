"""Cases come out of files whole, or with the reason why not."""

import gzip
import io
import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from fieldwise.model.case import Case
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.plan import Source
from fieldwise.model.values import MISSING
from fieldwise.read.cases import read_cases
from fieldwise.suite_plan import compile_suite

ROWS = [
    {"id": "a", "expected": {"x": 1}, "actual": {"x": 1}},
    {"id": "b", "expected": {"x": 2}, "actual": {"x": 3}, "tags": ["hard"], "split": "test", "lang": "de"},
    {"id": 3, "input": "q", "expected": None, "contexts": ["c1", {"content": "c2"}], "metadata": {"page": 4}},
]


def lines(rows: list[Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def write(path: Path, content: bytes | str) -> Path:
    content = content.encode() if isinstance(content, str) else content
    if path.suffix == ".gz":
        content = gzip.compress(content)
    if path.suffix == ".zst":
        content = zstandard.ZstdCompressor().compress(content)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def read(path: Path | str, **options: Any) -> tuple[list[Case], list[Diagnostic], list[Diagnostic]]:
    """Cases, what the reader says, what the cases say."""
    arguments = {name: options.pop(name) for name in ("chunk", "limit", "stdin") if name in options}
    reader = read_cases(Source(cases=str(path), **options), **arguments)
    chunks = list(reader)
    notes = [note for chunk in chunks for row_notes in chunk.diagnostics.values() for note in row_notes]
    return [chunk.at(row) for chunk in chunks for row in range(len(chunk))], reader.diagnostics, notes


def codes(notes: list[Diagnostic]) -> list[str]:
    return [note.code for note in notes]


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.jsonl.gz", "a.jsonl.zst"])
def test_json_lines_become_cases(tmp_path: Path, name: str) -> None:
    cases, diagnostics, notes = read(write(tmp_path / name, lines(ROWS)))
    assert diagnostics == notes == []
    assert cases[0] == Case(id="a", expected={"x": 1}, actual={"x": 1})
    assert cases[1] == Case(id="b", expected={"x": 2}, actual={"x": 3}, tags=("hard",), split="test", metadata={"lang": "de"})
    assert cases[2] == Case(id="3", input="q", expected=None, actual=MISSING, contexts=["c1", {"content": "c2"}], metadata={"page": 4})


@pytest.mark.parametrize("name", ["a.json", "a.json.gz", "a.json.zst"])
def test_a_json_list_becomes_cases(tmp_path: Path, name: str) -> None:
    cases, diagnostics, _ = read(write(tmp_path / name, json.dumps(ROWS, indent=1)))
    assert diagnostics == []
    assert [case.id for case in cases] == ["a", "b", "3"]
    assert cases[1].metadata == {"lang": "de"}


def test_one_json_object_is_one_case_named_after_its_file(tmp_path: Path) -> None:
    cases, _, _ = read(write(tmp_path / "invoice-7.json", '{"expected": 1, "actual": 2}'))
    assert cases == [Case(id="invoice-7", expected=1, actual=2)]


def test_lists_as_pandas_writes_them_to_csv_are_read(tmp_path: Path) -> None:
    rows = [{"user_input": "q", "retrieved_contexts": ["it's\na", 'so "b"'], "response": "a", "reference": "a"}]
    pd.DataFrame(rows).to_csv(tmp_path / "ragas.csv")
    [cases] = read_cases(Source(cases=str(tmp_path / "ragas.csv")))
    assert cases.contexts == [["it's\na", 'so "b"']]
    assert not cases.diagnostics


def test_csv_cells_stay_text_but_contexts_may_be_a_list(tmp_path: Path) -> None:
    header = "id,question,expected,actual,contexts,tags\r\n"
    text = header + '1,"a, b",604,"604\nmore","[""x"", ""y""]","hard, new"\r\n\r\n,q,{"a": 1},,plain text,\r\n'
    text = text.replace('{"a": 1}', '"{""a"": 1}"')
    cases, diagnostics, notes = read(write(tmp_path / "a.csv", b"\xef\xbb\xbf" + text.encode()))
    assert cases[0] == Case(id="1", input="a, b", expected="604", actual="604\nmore", contexts=["x", "y"], tags=("hard", "new"))
    assert cases[1] == Case(id="2", input="q", expected='{"a": 1}', contexts=["plain text"])
    assert codes(diagnostics) == ["column-recognised"]
    assert notes == []


def test_odd_csv_rows_say_so(tmp_path: Path) -> None:
    content = b"id,expected,actual,contexts\n1,a,b,['x'\n2,a\n3,a,b,c,d\n4,\xff,b,c\n5,a,\xff,c\n"
    cases, _, notes = read(write(tmp_path / "a.csv", content))
    assert [(note.code, note.where.line) for note in notes] == [
        ("contexts-as-text", 2),
        ("unreadable-case", 3),
        ("unreadable-case", 4),
        ("unreadable-expected", 5),
        ("unreadable-actual", 6),
    ]
    assert cases[0].contexts == ["['x'"]
    assert cases[1].actual is MISSING
    assert (cases[3].expected, cases[3].actual) == (MISSING, "b")


def test_keys_of_a_table_are_composed(tmp_path: Path) -> None:
    """Text compares after NFC, and the name of a column is a key of the record."""
    pq.write_table(pa.table({"expected": [{"cafe\u0301": 1}], "actual": [{"caf\u00e9": 1}]}), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet")[0][0].expected == {"caf\u00e9": 1}
    header = "expected,actual,cafe\u0301,caf\u00e9\n1,2,3,4\n"
    assert codes(read(write(tmp_path / "a.csv", header))[1]) == ["duplicate-column"]


def test_a_csv_header_must_not_name_a_column_twice(tmp_path: Path) -> None:
    assert codes(read(write(tmp_path / "a.csv", "expected,actual,actual\n1,2,3\n"))[1]) == ["duplicate-column"]


def test_a_csv_cell_may_be_very_long(tmp_path: Path) -> None:
    long = "x" * 300_000
    assert read(write(tmp_path / "a.csv", f"expected,actual\na,{long}\n"))[0][0].actual == long


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_heavy_records_are_held_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("fieldwise.read.table_files.MAX_BATCH_BYTES", 1000)
    rows = [{"id": str(at), "expected": {"text": f"{at}" * 150}, "actual": {}} for at in range(10, 40)]
    if name == "a.jsonl":
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        texts = pa.array([json.dumps(row["expected"]) for row in rows])
        table = pa.table({"id": [row["id"] for row in rows], "expected": texts, "actual": ["{}"] * len(rows)})
        pq.write_table(table, tmp_path / name, use_dictionary=False)
    chunks = list(read_cases(Source(cases=str(tmp_path / name)), chunk=20))
    assert [case_id for chunk in chunks for case_id in chunk.id] == [row["id"] for row in rows]
    assert 1 < max(map(len, chunks)) <= 4


@pytest.mark.parametrize("name", ["a.parquet", "a.parquet.gz", "a.parquet.zst"])
def test_parquet_values_become_json(tmp_path: Path, name: str) -> None:
    record = pa.struct([("total", pa.decimal128(12, 2)), ("on", pa.date32()), ("items", pa.list_(pa.struct([("n", pa.int64())])))])
    table = pa.table(
        {
            "id": [1, 2],
            "expected": pa.array([{"total": Decimal("12.50"), "on": date(2024, 1, 5), "items": [{"n": 1}]}, None], record),
            "actual": ["text", None],
            "at": pa.array([datetime(2024, 1, 5, 10, tzinfo=UTC), None], pa.timestamp("us", "UTC")),
            "nanos": pa.array([1, None], pa.timestamp("ns")),
            "map": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
            "raw": [b"abc", b"\xff"],
        }
    )
    plain = tmp_path / "plain"
    pq.write_table(table, plain)
    cases, diagnostics, _ = read(write(tmp_path / name, plain.read_bytes()))
    assert diagnostics == []
    assert cases[0].id == "1"
    assert cases[0].expected == {"total": 12.5, "on": "2024-01-05", "items": [{"n": 1}]}
    assert cases[0].metadata == {"at": "2024-01-05T10:00:00+00:00", "nanos": "1970-01-01T00:00:00", "map": {"k": 1}, "raw": "abc"}
    assert (cases[1].expected, cases[1].actual, cases[1].metadata["raw"]) == (None, None, "/w==")


def test_parquet_row_groups_are_numbered_through(tmp_path: Path) -> None:
    pq.write_table(pa.table({"expected": list(range(10)), "actual": list(range(10))}), tmp_path / "a.parquet", row_group_size=4)
    chunks = list(read_cases(Source(cases=str(tmp_path / "a.parquet")), chunk=3))
    assert [len(chunk) for chunk in chunks] == [3, 3, 3, 1]
    assert [case for chunk in chunks for case in chunk.id] == [str(n) for n in range(1, 11)]


def test_standard_input_is_json_lines() -> None:
    cases, diagnostics, _ = read("-", stdin=io.BytesIO(lines(ROWS)))
    assert [case.id for case in cases] == ["a", "b", "3"]
    assert diagnostics == []
    assert codes(read("-", stdin=io.BytesIO(b""))[1]) == ["empty-file"]


def test_a_glob_reads_its_files_in_order_and_a_folder_too(tmp_path: Path) -> None:
    write(tmp_path / "d" / "2.jsonl", '{"expected": 2, "actual": 2}\n')
    write(tmp_path / "d" / "1.jsonl.gz", '{"expected": 1, "actual": 1}\n{"expected": 1, "actual": 1, "id": "own"}\n')
    write(tmp_path / "d" / "one.json", '{"expected": 3, "actual": 3}')
    assert [case.id for case in read(tmp_path / "d" / "*.jsonl*")[0]] == ["1:1", "own", "2:1"]
    assert [case.expected for case in read(tmp_path / "d")[0]] == [1, 1, 2, 3]


def test_the_name_need_not_say_the_format_if_the_source_does(tmp_path: Path) -> None:
    path = write(tmp_path / "data.txt", lines(ROWS))
    assert len(read(path, format="jsonl")[0]) == 3
    assert codes(read(path)[1]) == codes(read(path, format="xml")[1]) == ["unknown-format"]


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_line_ends_blank_lines_and_a_byte_order_mark_do_not_matter(tmp_path: Path, end: str) -> None:
    text = '\ufeff{"expected": 1, "actual": 1}\r\n\r\n   \n{"expected": 2, "actual": 2}' + end
    cases, diagnostics, notes = read(write(tmp_path / "a.jsonl", text))
    assert [(case.id, case.expected) for case in cases] == [("1", 1), ("4", 2)]
    assert diagnostics == notes == []


@pytest.mark.parametrize("chunk", [1, 2, 3, 1024])
def test_chunks_have_the_size_asked_for_and_the_limit_holds(tmp_path: Path, chunk: int) -> None:
    path = write(tmp_path / "a.jsonl", b"".join(b'{"id": "%d", "expected": 1, "actual": 1}\n' % n for n in range(7)) + b"{broken}\n")
    chunks = list(read_cases(Source(cases=str(path)), chunk=chunk))
    assert [len(batch) for batch in chunks[:-1]] == [chunk] * (len(chunks) - 1)
    assert sum(map(len, chunks)) == 8
    assert chunks[-1].diagnostics[len(chunks[-1]) - 1][0].code == "unreadable-case"
    limited = list(read_cases(Source(cases=str(path)), chunk=chunk, limit=5))
    assert [case for batch in limited for case in batch.id] == ["0", "1", "2", "3", "4"]


def test_usual_names_are_recognised_and_told(tmp_path: Path) -> None:
    row = {"question": "q", "ground_truth": "g", "answer": "a", "sources": ["s"], "other": 1}
    cases, diagnostics, _ = read(write(tmp_path / "a.jsonl", lines([row])))
    assert cases == [Case(id="1", input="q", expected="g", actual="a", contexts=["s"], metadata={"other": 1})]
    assert {note.what for note in diagnostics} == {
        "the column `question` is read as input",
        "the column `ground_truth` is read as expected",
        "the column `answer` is read as actual",
        "the column `sources` is read as contexts",
    }
    assert {note.level for note in diagnostics} == {"info"}


def test_a_column_that_comes_later_is_recognised_too(tmp_path: Path) -> None:
    rows = [{"expected": 1}, {"expected": 1}, {"expected": 1, "output": 2}]
    cases, diagnostics, _ = read(write(tmp_path / "a.jsonl", lines(rows)), chunk=1)
    assert [case.actual for case in cases] == [MISSING, MISSING, 2]
    assert codes(diagnostics) == ["no-actual-column", "column-recognised"]


@pytest.mark.parametrize(
    "row", [{"gold": 1, "reference": 1, "actual": 1}, {"Gold": 1, "gold": 1, "actual": 1}, {"expected": 1, "output": 1, "answer": 1}]
)
def test_two_candidates_for_a_role_are_an_error(tmp_path: Path, row: dict[str, int]) -> None:
    cases, diagnostics, _ = read(write(tmp_path / "a.jsonl", lines([row])))
    assert cases == []
    assert codes(diagnostics) == ["ambiguous-columns"]
    assert "columns: {" in (diagnostics[0].fix or "")


def test_written_columns_decide(tmp_path: Path) -> None:
    rows = [{"key": "k", "gold": 1, "reference": 2, "t1": 3, "t2": 4}]
    path = write(tmp_path / "a.jsonl", lines(rows))
    cases, diagnostics, _ = read(path, columns={"id": "key", "expected": "reference", "actuals": ["t1", "t2"]})
    assert cases == [Case(id="k", expected=2, actual=3, actuals=[3, 4], metadata={"gold": 1})]
    assert diagnostics == []
    cases, diagnostics, _ = read(path, columns={"expected": "referense", "actual": "t1", "foo": "t1"})
    assert cases == []
    assert next((note.code, note.fix) for note in diagnostics if note.level == "error") == ("unknown-column", "did you mean `reference`?")
    assert "unknown-role" in codes(diagnostics)


def test_a_file_without_sides_is_an_error(tmp_path: Path) -> None:
    cases, diagnostics, _ = read(write(tmp_path / "a.jsonl", lines([{"foo": 1, "bar": 2}])))
    assert cases == []
    assert codes(diagnostics) == ["no-columns"]
    assert "foo, bar" in diagnostics[0].what


def test_several_actuals_in_one_column(tmp_path: Path) -> None:
    cases, _, _ = read(write(tmp_path / "a.jsonl", lines([{"expected": 1, "actuals": [1, 2]}, {"expected": 1, "actuals": []}])))
    assert [(case.actual, case.actuals) for case in cases] == [(1, [1, 2]), (MISSING, [])]


def test_a_line_that_cannot_be_read_takes_the_id_of_no_other_case(tmp_path: Path) -> None:
    content = b'{"id": "1", "expected": 1, "actual": 1}\n{"id": "2", "exp\n{"id": "2", "expected": 1, "actual": 1}\n'
    cases, problems, _ = read(write(tmp_path / "a.jsonl", content))
    assert [case.id for case in cases] == ["1", "line 2", "2"]
    assert problems == []


def test_a_line_that_cannot_be_read_is_still_a_case(tmp_path: Path) -> None:
    content = lines(ROWS[:1]) + b'{"id": oops}\n[1]\n{"id": "z", "expected": 1, "actual": {"a": "\xff"}}\n' + lines(ROWS[1:2])
    cases, _, notes = read(write(tmp_path / "a.jsonl", content))
    assert [case.id for case in cases] == ["a", "line 2", "line 3", "z", "b"]
    assert [(note.code, note.where.line, note.where.case) for note in notes] == [
        ("unreadable-case", 2, "line 2"),
        ("unreadable-case", 3, "line 3"),
        ("unreadable-actual", 4, "z"),
    ]
    assert (cases[1].expected, cases[1].actual) == (MISSING, MISSING)
    assert (cases[3].expected, cases[3].actual) == (1, MISSING)


@pytest.mark.parametrize(
    ("line", "code", "remaining"),
    [
        (b'{"id": "x", "expected": {"a": 1, "a": 2}, "actual": 7}', "unreadable-expected", (MISSING, 7)),
        (b'{"id": "x", "expected": 7, "actual": [{"a": {"b": 1, "b": 2}}]}', "unreadable-actual", (7, MISSING)),
        (b'{"id": "x", "expected": 7, "expected": 8, "actual": 7}', "unreadable-case", (MISSING, MISSING)),
        (b'{"id": "x", "expected": 7, "actual": 7, "metadata": {"a": 1, "a": 2}}', "unreadable-case", (MISSING, MISSING)),
    ],
)
def test_a_duplicate_key_costs_the_side_it_is_in(tmp_path: Path, line: bytes, code: str, remaining: tuple[Any, Any]) -> None:
    for name in ("a.jsonl", "a.json"):
        content = line if name == "a.jsonl" else b"[" + line + b"]"
        cases, _, notes = read(write(tmp_path / name, content))
        assert codes(notes) == [code]
        assert "twice" in notes[0].what
        assert (cases[0].id, cases[0].expected, cases[0].actual) == ("x", *remaining)


def test_numbers_that_are_not_finite_are_told_and_kept(tmp_path: Path) -> None:
    cases, _, notes = read(write(tmp_path / "a.jsonl", '{"expected": {"a": NaN}, "actual": {"a": 1}}'))
    assert [(note.code, note.level, note.where.field) for note in notes] == [("non-finite-number", "info", "expected.a")]
    assert cases[0].actual == {"a": 1}


def test_big_integers_come_through(tmp_path: Path) -> None:
    rows = [{"id": n, "expected": n, "actual": 2**53 + 1} for n in (10**30, 2**64)]
    cases, _, _ = read(write(tmp_path / "a.jsonl", lines(rows)))
    assert [(case.id, case.expected, case.actual) for case in cases] == [(str(n), n, 2**53 + 1) for n in (10**30, 2**64)]


def test_a_truncated_last_line_says_so(tmp_path: Path) -> None:
    cases, _, notes = read(write(tmp_path / "a.jsonl", lines(ROWS) + b'{"id": "d", "expected": {"x"'))
    assert len(cases) == 4
    assert (notes[0].code, notes[0].where.line) == ("unreadable-case", 4)
    assert "truncated" in notes[0].what


def test_a_document_on_several_lines_is_told_from_json_lines(tmp_path: Path) -> None:
    for document in (json.dumps(ROWS, indent=1), json.dumps(ROWS), json.dumps(ROWS).replace("}, {", "},\n{")):
        _, _, notes = read(write(tmp_path / "a.jsonl", document))
        assert ".json" in (notes[0].fix or "")
    cases, diagnostics, _ = read(write(tmp_path / "b.json", lines(ROWS)))
    assert codes(diagnostics) == []
    assert len(cases) == len(ROWS)
    _, diagnostics, _ = read(write(tmp_path / "c.json", lines(ROWS) + b"\n{"))
    assert codes(diagnostics) == ["invalid-json"]
    assert ".jsonl" in (diagnostics[0].fix or "")


def test_duplicate_ids_name_both_lines(tmp_path: Path) -> None:
    rows = [{"id": key, "expected": 1, "actual": 1} for key in ("a", "b", "a", 1, "1", "a")]
    content = lines(rows[:2]) + b"\n\n" + lines(rows[2:])
    for chunk in (1, 2, 1024):
        cases, diagnostics, _ = read(write(tmp_path / "a.jsonl", content), chunk=chunk)
        assert len(cases) == 6
        assert [(note.code, note.level, note.where.line, note.what) for note in diagnostics] == [
            ("duplicate-id", "error", 5, "line 5 has the same id as line 1: `a`"),
            ("duplicate-id", "error", 7, "line 7 has the same id as line 6: `1`"),
            ("duplicate-id", "error", 8, "line 8 has the same id as line 1: `a`"),
        ]


def test_many_duplicate_ids_are_summed_up(tmp_path: Path) -> None:
    _, diagnostics, _ = read(write(tmp_path / "a.jsonl", lines([{"id": "a", "expected": 1, "actual": 1}] * 100)))
    assert len(diagnostics) == 21
    assert "79 more" in diagnostics[-1].what


def test_duplicate_ids_in_different_files_name_both_files(tmp_path: Path) -> None:
    for name in ("1.jsonl", "2.jsonl"):
        write(tmp_path / name, lines([{"id": "a", "expected": 1, "actual": 1}]))
    _, diagnostics, _ = read(tmp_path / "*.jsonl")
    assert diagnostics[0].where.file == str(tmp_path / "2.jsonl")
    assert str(tmp_path / "1.jsonl") in diagnostics[0].what


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("a.jsonl", b"", "empty-file"),
        ("a.jsonl", b"\n \n", "empty-file"),
        ("a.json", b"", "empty-file"),
        ("a.json", b"[]", "empty-file"),
        ("a.json", b"12", "unreadable-file"),
        ("a.json", b"[1, 2", "truncated-json"),
        ("a.csv", b"", "empty-file"),
        ("a.csv", b"expected,actual\n", "empty-file"),
        ("a.parquet", b"PAR1 nothing", "unreadable-file"),
    ],
)
def test_a_file_without_cases_is_an_error_not_an_exception(tmp_path: Path, name: str, content: bytes, code: str) -> None:
    cases, diagnostics, _ = read(write(tmp_path / name, content))
    assert cases == []
    assert [(note.code, note.level, note.where.file) for note in diagnostics] == [(code, "error", str(tmp_path / name))]


def test_a_file_that_is_not_there_suggests_the_nearest(tmp_path: Path) -> None:
    write(tmp_path / "invoices.jsonl", b"")
    _, diagnostics, _ = read(tmp_path / "invoice.jsonl")
    assert codes(diagnostics) == ["no-file"]
    assert "invoices.jsonl" in (diagnostics[0].fix or "")
    assert codes(read(tmp_path / "*.csv")[1]) == codes(read(tmp_path / "no" / "x.jsonl")[1]) == ["no-file"]


def test_a_path_without_a_file_is_reported_at_its_line_of_the_suite(tmp_path: Path) -> None:
    text = "evaluators: [{type: equals}]\ncases:\n  expected: {file: gold.jsonl}\n  actual: out.jsonl\n"
    suite = write(tmp_path / "a.eval.yaml", text)
    plan = compile_suite(suite)
    assert plan.source is not None
    write(tmp_path / "gold.jsonl", lines(ROWS))
    for missing, line in (("out.jsonl", 4), ("gold.jsonl", 3)):
        reader = read_cases(plan.source)
        assert list(reader) == []
        assert [(note.where.file, note.where.line) for note in reader.diagnostics if note.code == "no-file"] == [(str(suite), line)]
        assert missing in reader.diagnostics[-1].what
        (tmp_path / "gold.jsonl").unlink(missing_ok=True)
        write(tmp_path / "out.jsonl", lines(ROWS))


def test_an_id_that_is_repeated_behind_the_limit_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", lines([*ROWS, ROWS[0]]))
    cases, diagnostics, _ = read(path, limit=1)
    assert [case.id for case in cases] == ["a"]
    assert [(note.code, note.where.line) for note in diagnostics] == [("duplicate-id", 4)]
    reader = read_cases(Source(expected=str(path), actual=str(write(tmp_path / "b.jsonl", lines(ROWS)))), limit=1)
    assert [len(chunk) for chunk in reader] == [1]
    assert [(note.where.file, note.where.line) for note in reader.diagnostics if note.code == "duplicate-id"] == [(str(path), 4)]


def test_a_limit_reads_no_more_of_large_data_than_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fieldwise.read.cases.MAX_BYTES_BEHIND_LIMIT", 100)
    assert read(write(tmp_path / "a.jsonl", lines([*ROWS, ROWS[0]])), limit=1)[1] == []


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_compressed_file_that_breaks_off_gives_what_it_has_and_an_error(tmp_path: Path, suffix: str) -> None:
    rows = [{"id": str(n), "expected": os.urandom(300).hex(), "actual": 1} for n in range(4000)]
    path = write(tmp_path / f"a.jsonl{suffix}", lines(rows))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    cases, diagnostics, _ = read(path)
    assert 0 < len(cases) < 4000
    assert "unreadable-file" in codes(diagnostics)
    path.write_bytes(b"not compressed at all")
    assert codes(read(path)[1]) == ["unreadable-file"]


def test_several_zstandard_frames_are_one_file(tmp_path: Path) -> None:
    frame = zstandard.ZstdCompressor().compress
    (tmp_path / "a.jsonl.zst").write_bytes(frame(lines(ROWS[:1])) + frame(lines(ROWS[1:])))
    assert len(read(tmp_path / "a.jsonl.zst")[0]) == 3


def test_a_line_longer_than_a_block_is_read(tmp_path: Path) -> None:
    rows = [{"id": "a", "expected": "x" * 3_000_000, "actual": 1}, {"id": "b", "expected": 1, "actual": 1}]
    assert [case.id for case in read(write(tmp_path / "a.jsonl", lines(rows)))[0]] == ["a", "b"]


def test_the_size_hint_ends_at_the_size_on_disk(tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.jsonl.gz", "a.jsonl.zst"):
        path = write(tmp_path / name, lines(ROWS))
        reader = read_cases(Source(cases=str(path)))
        assert sum(map(len, reader)) == 3
        assert (reader.progress.read, reader.progress.total) == (path.stat().st_size, path.stat().st_size)


STREAM = """
import resource, sys
from fieldwise.model.plan import Source
from fieldwise.read.cases import read_cases

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

reader, count, early = read_cases(Source(cases=sys.argv[1]), chunk=256), 0, 0
for chunk in reader:
    count += len(chunk)
    if count == 20_480:
        early = peak()
print(count, early, peak(), len(reader.diagnostics))
"""


def test_memory_stays_flat_over_two_hundred_thousand_lines(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        for start in range(0, 200_000, 1000):
            file.write(
                b"".join(
                    b'{"id": "case-%d", "expected": {"a": [1, 2, 3], "b": "text %d"}, "actual": {"a": [1]}}\n' % (n, n)
                    for n in range(start, start + 1000)
                )
            )
    done = subprocess.run([sys.executable, "-c", STREAM, str(path)], capture_output=True, text=True, check=True)
    count, early, late, diagnostics = map(int, done.stdout.split())
    assert (count, diagnostics) == (200_000, 0)
    assert late - early < 12_000, "kilobytes; the hashes of the ids, once sorted, are 3,200 of them"


def test_a_pipe_a_device_or_a_link_to_one_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "link.jsonl").symlink_to("/dev/zero")
    (tmp_path / "linked-pipe.json").symlink_to(tmp_path / "pipe.jsonl")
    for source in (
        *(Source(cases=str(tmp_path / name)) for name in ("pipe.jsonl", "link.jsonl", "linked-pipe.json")),
        Source(cases="/dev/zero", format="jsonl"),
        Source(expected=str(tmp_path / "pipe.jsonl"), actual=str(tmp_path / "pipe.jsonl")),
    ):
        reader = read_cases(source, chunk=10)
        assert sum(len(batch) for batch in reader) == 0
        assert {problem.code for problem in reader.diagnostics} == {"not-a-file"}


def test_a_date_that_python_cannot_hold_is_a_problem_of_its_case(tmp_path: Path) -> None:
    days = pa.array([0, 2**30, 1], pa.int32()).cast(pa.date32())
    table = pa.table({"id": ["a", "b", "c"], "expected": days, "actual": days})
    pq.write_table(table, tmp_path / "c.parquet")
    reader = read_cases(Source(cases=str(tmp_path / "c.parquet")), chunk=10)
    [cases] = list(reader)
    assert (cases.id, cases.expected) == (["a", "b", "c"], ["1970-01-01", MISSING, "1970-01-02"])
    problems = [problem for diagnostics in cases.diagnostics.values() for problem in diagnostics]
    assert [(problem.code, problem.where.case) for problem in problems] == [("unreadable-expected", "b"), ("unreadable-actual", "b")]


@pytest.mark.parametrize("suffix", [".jsonl.zst", ".jsonl.gz"])
def test_a_compressed_bomb_takes_little_memory(tmp_path: Path, suffix: str) -> None:
    script = f"""
import resource
from fieldwise.model.plan import Source
from fieldwise.read.cases import read_cases
reader = read_cases(Source(cases={str(tmp_path / ("bomb" + suffix))!r}), chunk=10)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
[cases] = list(reader)
codes = [problem.code for found in cases.diagnostics.values() for problem in found]
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, codes)
"""
    block = b"0" * (1 << 20)
    with (tmp_path / f"bomb{suffix}").open("wb") as file:
        writer: Any = zstandard.ZstdCompressor().stream_writer(file) if suffix.endswith("zst") else gzip.GzipFile(fileobj=file, mode="wb")
        with writer:
            for _ in range(400):
                writer.write(block)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    megabytes, codes = done.stdout.split(" ", 1)
    assert int(megabytes) < 250
    assert codes == "['unreadable-case']\n"


def test_a_table_with_two_hundred_thousand_columns_is_read(tmp_path: Path) -> None:
    header = ",".join(["id", "expected", "actual", *(f"c{number}" for number in range(200_000))])
    file = write(tmp_path / "wide.csv", f"{header}\n1,x,x{',0' * 200_000}\n")
    reader = read_cases(Source(cases=str(file)), chunk=10)
    [cases] = list(reader)
    assert (cases.id, cases.expected, cases.actual) == (["1"], ["x"], ["x"])


@pytest.mark.parametrize(
    ("start", "what"),
    [
        (b"PK\x03\x04", "ZIP"),
        (gzip.compress(b"{}", mtime=0), "gzip"),
        (zstandard.compress(b"{}"), "Zstandard"),
        (b"%PDF-1.7\n", "PDF"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
    ],
)
@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv"])
def test_a_file_that_is_not_what_its_name_says_is_named(tmp_path: Path, name: str, start: bytes, what: str) -> None:
    cases, notes, _ = read(write(tmp_path / name, start + b'\n{"id": "a", "expected": 1, "actual": 1}\n'))
    assert not cases
    assert [(note.code, what in note.what) for note in notes] == [("unreadable-file", True)]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("a.xlsx", "a workbook cannot be read"),
        ("a.tar.gz", "an archive cannot be read"),
        ("a.eval.yaml", "a YAML file is not read as data"),
    ],
)
def test_a_file_whose_format_is_never_data_is_said_to_be_unreadable(tmp_path: Path, name: str, what: str) -> None:
    assert [note.what for note in read(write(tmp_path / name, b"PK\x03\x04"))[1]] == [what]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_json_in_utf_16_without_a_byte_order_mark_is_read(tmp_path: Path, encoding: str) -> None:
    content = json.dumps([{"id": "é", "expected": 1, "actual": 1}], ensure_ascii=False).encode(encoding)
    assert [case.id for case in read(write(tmp_path / "a.json", content))[0]] == ["é"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_json_in_utf_16_is_read_and_json_lines_say_what_to_do(tmp_path: Path, encoding: str) -> None:
    mark = "" if encoding == "utf-16" else "\ufeff"
    content = (mark + json.dumps([{"id": "é", "expected": 1, "actual": 1}], ensure_ascii=False)).encode(encoding)
    assert [case.id for case in read(write(tmp_path / "a.json", content))[0]] == ["é"]
    assert codes(read(write(tmp_path / "b.json", content[:-1]))[1]) == ["invalid-utf16"]
    lines_content = (mark + '{"id": "a", "expected": 1, "actual": 1}\n' * 2).encode(encoding)
    _, _, notes = read(write(tmp_path / "a.jsonl", lines_content))
    assert "UTF-16" in notes[0].what
    assert {note.fix for note in notes} == {"save the file as UTF-8"}


def test_json_lines_that_end_in_cr_only_say_what_to_do(tmp_path: Path) -> None:
    row = b'{"id": "a", "expected": 1, "actual": 1}'
    for content in (row + b"\r" + row, row + b"\r" + row + b"\r"):
        _, _, notes = read(write(tmp_path / "a.jsonl", content))
        assert [(note.what, note.fix) for note in notes] == [
            ("the lines of the file end in CR only, so that they are read as one", "save the file with the line ends LF or CR LF")
        ]
    assert len(read(write(tmp_path / "b.jsonl", row + b"\r\n" + row + b"\r\n"))[0]) == 2
    assert len(read(write(tmp_path / "b.csv", b"id,expected,actual\r1,a,b\r2,a,b\r"))[0]) == 2


QUESTIONS, GOLD, OUTPUT = ["q1", "q2", "q3"], ["a", "b", "c"], ["a", "b", "x"]


@pytest.mark.parametrize(
    "document",
    [
        {"questions": QUESTIONS, "ground_truths": GOLD, "predictions": OUTPUT},
        {"id": [1, 2, 3], "expected": GOLD, "actual": OUTPUT},
        {"expected": dict(zip("012", GOLD, strict=True)), "actual": dict(zip("012", OUTPUT, strict=True))},
        {"columns": ["expected", "actual"], "index": [0, 1, 2], "data": [list(row) for row in zip(GOLD, OUTPUT, strict=True)]},
    ],
)
def test_a_table_by_columns_is_read_as_rows(tmp_path: Path, document: dict[str, Any]) -> None:
    cases, diagnostics, _ = read(write(tmp_path / "a.json", json.dumps(document).encode()))
    assert [(case.expected, case.actual) for case in cases] == [("a", "a"), ("b", "b"), ("c", "x")]
    assert "rows-by-columns" in codes(diagnostics)


@pytest.mark.parametrize(
    "document",
    [
        {"expected": GOLD, "actual": OUTPUT},
        {"id": "c1", "expected": GOLD, "actual": OUTPUT},
        {"question": "q", "expected": GOLD, "actual": OUTPUT},
        {"question": QUESTIONS, "expected": GOLD, "actual": OUTPUT[:2]},
        {"expected": {"a": 1, "b": 2}, "actual": {"a": 1, "b": 3}},
    ],
)
def test_a_case_with_lists_stays_one_case(tmp_path: Path, document: dict[str, Any]) -> None:
    [case], _, _ = read(write(tmp_path / "a.json", json.dumps(document).encode()))
    assert (case.expected, case.actual) == (document["expected"], document["actual"])
