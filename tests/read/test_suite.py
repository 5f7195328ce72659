"""Suites keep their lines and hold no surprises."""

import math
from pathlib import Path

import pytest

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.read.suite import read_document
from fieldwise.read.table_files import load_json

SUITE = """\
# a comment
name: invoices
cases: data/invoices.jsonl
evaluators:
  - type: field_accuracy
    fields:
      - {path: invoice.number, match: exact,
         weight: 2}
      - path: "line_items[*].amount"
gate: {field_prf.macro_f1: ">= 0.90"}
"""


def problem(text: str) -> Diagnostic:
    with pytest.raises(ConfigError) as caught:
        read_document(text=text, file="a.yaml")
    assert caught.value.diagnostics[0].where.file == "a.yaml"
    return caught.value.diagnostics[0]


def test_every_key_and_item_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.eval.yaml"
    path.write_text(SUITE)
    document = read_document(path)
    assert document.file == str(path)
    assert document.text == SUITE
    assert document.line_of(("name",)) == 2
    assert document.line_of(("evaluators", 0)) == 5
    assert document.line_of(("evaluators", 0, "fields", 0, "path")) == 7
    assert document.line_of(("evaluators", 0, "fields", 0, "weight")) == 8
    assert document.line_of(("evaluators", 0, "fields", 1)) == 9
    assert document.line_of(("gate", "field_prf.macro_f1")) == 10
    assert document.line_of(("evaluators", 0, "fields", 0, "nothing")) == 7
    assert document.value["evaluators"][0]["fields"][0] == {"path": "invoice.number", "match": "exact", "weight": 2}


def test_json_is_yaml_too() -> None:
    document = read_document(text='{\n\t"name": "x",\n\t"list": [1, 2.5, true, null]\n}')
    assert document.value == {"name": "x", "list": [1, 2.5, True, None]}
    assert document.line_of(("list",)) == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[
            (word, word)
            for word in ("yes", "No", "on", "OFF", "y", "2024-01-05", "2024-01-05T10:00:00Z", "1_000", "1:30", "0b11", "1.2.3", "=", "+")
        ],
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("12", 12),
        ("-12", -12),
        ("017", 17),
        ("0o17", 15),
        ("0x1F", 31),
        ("1.50", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        (".inf", math.inf),
        ("-.inf", -math.inf),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("'12'", "12"),
        ('"true"', "true"),
        ("!!str 12", "12"),
        ("!!float 12", 12.0),
        ("! 12", "12"),
    ],
)
def test_values_are_read_by_yaml_1_2(text: str, value: object) -> None:
    read = read_document(text=f"a: {text}\n").value["a"]
    assert (read, type(read)) == (value, type(value))


def test_keys_are_text() -> None:
    assert read_document(text="1: a\ntrue: b\nno: c\n2024-01-01: d\n").value == {"1": "a", "true": "b", "no": "c", "2024-01-01": "d"}


def test_a_duplicate_key_is_refused_with_both_lines() -> None:
    note = problem("name: a\ncases: x\nname: b\n")
    assert (note.code, note.where.line) == ("duplicate-key", 3)
    assert "`name`" in note.what
    assert "line 1" in note.what


def test_anchors_aliases_and_merges_work() -> None:
    anchors = "base: &base {match: fuzzy, threshold: 0.9}\nlist: &l [1, 2]\n"
    text = anchors + "a: {<<: *base, threshold: 0.8}\nb: {<<: [*base, {extra: 1}]}\nc: *l\nd: {'<<': 1}\n"
    value = read_document(text=text).value
    assert value["a"] == {"match": "fuzzy", "threshold": 0.8}
    assert value["b"] == {"match": "fuzzy", "threshold": 0.9, "extra": 1}
    assert value["c"] == [1, 2]
    assert value["d"] == {"<<": 1}


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (
            "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
            + "".join(f"{new}: &{new} [{','.join(['*' + old] * 10)}]\n" for old, new in zip("abcdef", "bcdefg", strict=True)),
            "alias-bomb",
            5,
        ),
        ("a: &a [*a]\n", "bad-alias", 1),
        ("a: *nothing\n", "bad-alias", 1),
        ("a: 1\nb: !!python/object:os.system x\n", "bad-value", 2),
        ("a: !secret x\n", "bad-value", 1),
        ("a: !!set {x, y}\n", "unknown-tag", 1),
        ("a: !!int x\n", "bad-value", 1),
        ("[a, b]: 1\n", "bad-key", 1),
        ("a: {<<: 1}\n", "bad-merge", 1),
        ("- a\n- b\n", "not-a-mapping", 1),
        ("", "not-a-mapping", 1),
        ("just text\n", "not-a-mapping", 1),
        ("a: 1\n---\nb: 2\n", "several-documents", 2),
        ("a:\n\tb: 1\n", "tab", 2),
        ("a: [1, 2\nb: 3\n", "invalid-yaml", 2),
        ("a: b: c\n", "invalid-yaml", 1),
        ('a: "x\n', "invalid-yaml", 2),
        ("a: \x00\n", "invalid-yaml", None),
        ("a: " + "[" * 500, "too-deep", 1),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text: str, code: str, line: int | None) -> None:
    note = problem(text)
    assert (note.code, note.where.line) == (code, line)
    assert note.what


def test_a_tab_is_told_in_plain_words() -> None:
    assert problem("a:\n  - b\n\t- c\n").fix == "indent with spaces"
    assert read_document(text="a: 1 \t# a tab after a value\nb: |\n  x\ty\n").value == {"a": 1, "b": "x\ty\n"}


def test_a_suite_that_is_not_there_or_not_utf8_is_a_config_error(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes("name: caf\xe9".encode("latin-1"))
    for name in ("nowhere.yaml", "latin.yaml"):
        with pytest.raises(ConfigError) as caught:
            read_document(tmp_path / name)
        assert caught.value.diagnostics[0].code == "unreadable-file"


def test_a_side_file_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "strategies.json"
    path.write_text('{"name": "EXACT", "big": 12345678901234567890123}')
    assert load_json(path) == {"name": "EXACT", "big": 12345678901234567890123}


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        ("", "empty-file", None),
        ('{\n"a": 1,\n}', "invalid-json", 3),
        ('{"a": 1, "a": 2}', "duplicate-key", None),
        ('{"a": ', "truncated-json", 1),
    ],
)
def test_a_bad_side_file_is_a_config_error(tmp_path: Path, content: str, code: str, line: int | None) -> None:
    path = tmp_path / "strategies.json"
    path.write_text(content)
    with pytest.raises(ConfigError) as caught:
        load_json(path)
    note = caught.value.diagnostics[0]
    assert (note.code, note.where.file, note.where.line) == (code, str(path), line)


def test_a_side_file_that_is_not_there_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_json(tmp_path / "nowhere.json")


def test_an_empty_file_is_said_to_be_empty():
    with pytest.raises(ConfigError) as caught:
        read_document(text="\n \n", file="suite.yaml")
    assert [diagnostic.what for diagnostic in caught.value.diagnostics] == ["the file is empty"]
