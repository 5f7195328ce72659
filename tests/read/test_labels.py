"""Small hand-written tables: records and labels of cases."""

from pathlib import Path

import pytest

from fieldwise.model.diagnostic import ConfigError
from fieldwise.read.labels import read_labels, read_records


def write_table(folder: Path, text: str, name: str = "labels.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_labels_are_read_by_case(tmp_path: Path) -> None:
    path = write_table(tmp_path, "id,label\na,pass\nb,No\nc,partial\nd,1\n")
    assert read_labels(path) == {"a": "pass", "b": "fail", "c": "partial", "d": "pass"}


def test_the_same_label_twice_is_accepted(tmp_path: Path) -> None:
    assert read_labels(write_table(tmp_path, "id,label\na,pass\na,yes\n")) == {"a": "pass"}


def test_every_problem_of_a_label_file_is_reported_with_its_line(tmp_path: Path) -> None:
    path = write_table(tmp_path, "id,label\na,pass\na,fail\nb,perhaps\n,pass\n")
    with pytest.raises(ConfigError) as caught:
        read_labels(path)
    codes = [(diagnostic.code, diagnostic.where.line) for diagnostic in caught.value.diagnostics]
    assert codes == [("two-labels", 3), ("bad-label", 4), ("no-id", 5)]


def test_both_missing_columns_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read_labels(write_table(tmp_path, "name,opinion\na,pass\n"))
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["no-column", "no-column"]


def test_records_have_the_line_they_begin_on(tmp_path: Path) -> None:
    records = read_records(write_table(tmp_path, '{"a": 1}\n\n{"a": 2}\n', "records.jsonl"))
    assert [(record.value, record.where.line) for record in records] == [({"a": 1}, 1), ({"a": 2}, 3)]


def test_one_unreadable_record_refuses_the_whole_table(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read_records(write_table(tmp_path, '{"a": 1}\n{"a": \n{"a": 2}\n', "records.jsonl"))
    assert [diagnostic.where.line for diagnostic in caught.value.diagnostics] == [2]
