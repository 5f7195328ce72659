"""Shards: the pieces of a file, read each on its own, hold what the file holds read from the start to the end."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.model.plan import Source
from fieldwise.read import shards, table_files
from fieldwise.read.cases import read_cases
from fieldwise.read.columns import ColumnRoles
from fieldwise.read.json_text import BYTE_ORDER_MARK
from fieldwise.read.shards import ShardReader, Unsplittable, split_source

ROLES = ColumnRoles({"id": "id", "expected": "expected", "actual": "actual"})
KNOWN = frozenset(("id", "expected", "actual"))


def in_pieces(source: Source) -> tuple[list[Any], int]:
    cases_in_shards, pieces, at = list[Any](), 0, 0
    for shard in split_source(source) or ():
        reader = ShardReader(source, shard, ROLES, KNOWN, 3)
        cases = [(chunk.at(row), chunk.diagnostics.get(row)) for chunk in reader for row in range(len(chunk))]
        assert (shard.first_case, shard.cases) == (at, len(cases))
        cases_in_shards, pieces, at = cases_in_shards + cases, pieces + 1, at + len(cases)
    return cases_in_shards, pieces


def at_once(source: Source) -> list[Any]:
    return [(chunk.at(row), chunk.diagnostics.get(row)) for chunk in read_cases(source, chunk=4) for row in range(len(chunk))]


lines = st.lists(
    st.sampled_from(
        [
            b'{"id": "a", "expected": {"x": 1}, "actual": {"x": 2}}',
            b'{"expected": {"x": 1}, "actual": {}}',
            b"",
            b" ",
            b"\r",
            b"\t\x0b",
            b"{torn",
            b'  {"id": "b", "expected": 5, "actual": "caf\xc3\xa9"}\r',
        ]
    ),
    min_size=1,
    max_size=12,
)


@settings(deadline=None)
@given(lines, st.booleans(), st.booleans(), st.integers(1, 120))
def test_pieces_of_jsonl_hold_what_the_file_holds(
    tmp_path_factory: Any, random_lines: list[bytes], marked: bool, ended: bool, size: int
) -> None:
    file: Path = tmp_path_factory.mktemp("shards") / "cases.jsonl"
    first = b'{"id": "0", "expected": 1, "actual": 1}\n'
    file.write_bytes((BYTE_ORDER_MARK if marked else b"") + first + b"\n".join(random_lines) + (b"\n" if ended else b""))
    source = Source(cases=str(file))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shards, "SHARD_BYTES", size)
        patch.setattr(shards, "_BLOCK", 7)
        cases_in_shards, _ = in_pieces(source)
    assert cases_in_shards == at_once(source)


def test_the_last_pieces_are_shorter_whichever_file_they_are_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = '{"id": "0", "expected": 1, "actual": 1}\n'
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text(line * 1000)
    monkeypatch.setattr(shards, "SHARD_BYTES", 100 * len(line))
    sizes = [shard.size // len(line) for shard in split_source(Source(cases=str(tmp_path / "*.jsonl"))) or ()]
    assert sizes[:12] == [101] * 9 + [91] + [101] * 2  # each goes on to the end of a line, the tenth to the end of its file
    assert sizes[12:] == sorted(sizes[12:], reverse=True)
    assert (sizes[12], sizes[-2], sum(sizes)) == (100, 26, 2000)


def test_pieces_of_parquet_are_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"id": str(at), "expected": {"x": at}, "actual": {"x": at}} for at in range(25)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "cases.parquet", row_group_size=4)
    source = Source(cases=str(tmp_path / "cases.parquet"))
    monkeypatch.setattr(shards, "SHARD_ROWS", 8)
    cases_in_shards, pieces = in_pieces(source)
    assert (cases_in_shards, pieces) == (at_once(source), 4)


def test_several_files_are_counted_on_and_named(tmp_path: Path) -> None:
    for name in ("june", "july"):
        (tmp_path / f"{name}.jsonl").write_text('{"expected": 1, "actual": 1}\n' * 3)
    source = Source(cases=str(tmp_path))
    cases_in_shards, pieces = in_pieces(source)
    assert (cases_in_shards, pieces) == (at_once(source), 2)
    assert cases_in_shards[0][0].id == "july:1"


@pytest.mark.parametrize("name", ["cases.jsonl.gz", "cases.csv", "cases.json", "nothing.jsonl", "empty.jsonl"])
def test_what_must_be_read_from_its_start_has_no_pieces(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty.jsonl").touch()
    if not name.startswith(("nothing", "empty")):
        (tmp_path / name).write_text("[]")
    assert split_source(Source(cases=str(tmp_path / name))) is None


def test_standard_input_and_pairs_of_files_have_no_pieces() -> None:
    assert split_source(Source(cases="-")) is None
    assert split_source(Source(expected="a.jsonl", actual="b.jsonl")) is None


def test_rows_with_other_roles_than_the_first_cannot_be_read_in_pieces(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps({"id": "1", "expected": 1, "question": "why?"}) + "\n")
    source = Source(cases=str(file))
    [shard] = split_source(source) or ()
    with pytest.raises(Unsplittable):
        list(ShardReader(source, shard, ROLES, KNOWN, 10))


def test_a_monstrous_line_is_told_of_and_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "MAX_LINE_BYTES", 3 << 20)
    file = tmp_path / "cases.jsonl"
    whole = b'{"id": "%d", "expected": "%b", "actual": 1}\n'
    file.write_bytes(whole % (1, b"x") + whole % (2, b"x" * (6 << 20)) + whole % (3, b"y"))
    [cases] = read_cases(Source(cases=str(file)))
    assert cases.id == ["1", "line 2", "3"]
    assert list(cases.diagnostics) == [1]
    assert "longer than 3 MB" in cases.diagnostics[1][0].what
