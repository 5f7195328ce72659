"""The field that pairs two files is left out by every evaluator of records, unless a rule names it."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.read.pairing_fields import remove_field, remove_repeated_id

PRF = {"type": "field_prf"}
PLAIN = [{"id": index, "x": 1} for index in (1, 2)]
NESTED = [{"meta": {"doc": index}, "x": 1} for index in (1, 2)]
WRAPPED = [{"g": {"key": index, "x": 1}, "note": "n"} for index in (1, 2)]


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def list_fields(folder: Path, sides: dict[str, Any], rows: dict[str, list[dict[str, Any]]], evaluators: list[dict[str, Any]]) -> list[str]:
    """The fields that the first evaluator compares."""
    cases = dict(sides)
    for side in ("expected", "actual"):
        path = write(folder / f"{side}.jsonl", rows[side])
        cases[side] = {"file": path, **sides[side]} if side in sides else path
    run = fw.run({"cases": cases, "evaluators": evaluators}, root=folder)
    name = evaluators[0].get("name", evaluators[0]["type"])
    return sorted({row.field for row in run.comparisons() if row.evaluator == name})


@pytest.mark.parametrize(
    ("sides", "expected", "actual", "fields"),
    [
        ({}, PLAIN, PLAIN, ["x"]),
        ({"join": "meta.doc"}, NESTED, NESTED, ["x"]),
        ({"expected": {"id": "meta.doc"}, "actual": {"id": "meta.doc"}}, NESTED, NESTED, ["x"]),
        ({"expected": {"id": "meta.doc"}, "actual": {"id": "id"}}, NESTED, PLAIN, ["x"]),
        ({"expected": {"id": "g.key", "record": "g"}, "actual": {"id": "id"}}, WRAPPED, PLAIN, ["x"]),
        ({"expected": {"id": "g.key", "record": "g"}, "actual": {"id": "g.key", "record": "g"}}, WRAPPED, WRAPPED, ["x"]),
        ({"expected": {"id": "key", "rename": {"key": "id"}}}, [{"key": row["id"], "x": 1} for row in PLAIN], PLAIN, ["x"]),
        ({"expected": {"id": "id", "rename": {"n": "id"}}}, [{"id": 1, "n": "A"}], [{"id": 1, "x": 2}], ["id", "x"]),
        ({"expected": {"id": "key"}, "actual": {"id": "doc_id"}}, [{"key": 1, "doc_id": 1, "x": 1}], [{"doc_id": 1, "x": 1}], ["x"]),
        (
            {"expected": {"id": "key"}, "actual": {"id": "doc_id"}},
            [{"key": 1, "doc_id": 9, "x": 1}],
            [{"doc_id": 1, "x": 1}],
            ["doc_id", "x"],
        ),
        ({"join": "a.b"}, [{"a.b": 1, "x": 1}], [{"a.b": 1, "x": 1}], ["x"]),
        ({"join": "meta.doc"}, [{"meta": {"doc": 1, "lang": "en"}}], [{"meta": {"doc": 1, "lang": "en"}}], ["meta.lang"]),
        ({"expected": {"id": "out.key", "record": "out"}}, [{"out": '{"key": 1, "x": 1}'}], PLAIN[:1], ["x"]),
    ],
)
def test_the_place_of_the_id_is_left_out_of_both_sides(
    tmp_path: Path, sides: dict[str, Any], expected: list[dict[str, Any]], actual: list[dict[str, Any]], fields: list[str]
) -> None:
    assert list_fields(tmp_path, sides, {"expected": expected, "actual": actual}, [PRF]) == fields


def test_a_path_pairs_rows_from_python_without_being_scored(tmp_path: Path) -> None:
    run = fw.run({"evaluators": [PRF]}, expected=NESTED, actual=[dict(row) for row in NESTED], on="meta.doc", root=tmp_path)
    assert {row.field for row in run.comparisons()} == {"x"}


def test_the_id_in_a_file_that_is_named_by_it_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for row in PLAIN:
        (tmp_path / "out" / f"{row['id']}.json").write_text(json.dumps(row))
    run = fw.run(
        {"cases": {"expected": write(tmp_path / "e.jsonl", PLAIN), "actual": str(tmp_path / "out")}, "evaluators": [PRF]}, root=tmp_path
    )
    assert {row.field for row in run.comparisons()} == {"x"}


@pytest.mark.parametrize(
    "other",
    [
        {"type": "iou_score", "path": "boxes", "box": "box", "label": "id"},
        {"type": "contains", "value": "id"},
        {"type": "constraints", "rules": [{"check": 'x != "id"'}]},
        {
            "type": "field_accuracy",
            "fields": [{"path": "items[*].amount", "sparse": True}],
            "lists": {"items": {"align": "key", "key": "id"}},
        },
    ],
)
def test_a_word_in_an_option_of_another_evaluator_names_no_field(tmp_path: Path, other: dict[str, Any]) -> None:
    rows = [{**row, "boxes": [{"id": "a", "box": [0, 0, 1, 1]}], "items": [{"id": 1, "amount": 2}]} for row in PLAIN]
    assert "id" not in list_fields(tmp_path, {}, {"expected": rows, "actual": rows}, [PRF, other])


@pytest.mark.parametrize(
    ("sides", "rows", "other", "field"),
    [
        ({}, PLAIN, {"type": "field_accuracy", "fields": [{"path": "id"}]}, "id"),
        ({"join": "meta.doc"}, NESTED, {"type": "field_accuracy", "fields": [{"path": "meta.doc"}]}, "meta.doc"),
        ({}, PLAIN, {"type": "json_quality", "strategies": {"id": "EXACT"}}, "id"),
        ({}, PLAIN, {"type": "constraints", "rules": [{"check": "id > 0"}]}, "id"),
        ({}, PLAIN, {"type": "json_schema", "schema": {"type": "object", "required": ["id"]}}, "id"),
        ({}, PLAIN, {"type": "composite", "evaluators": [{"type": "field_accuracy", "fields": [{"path": "id"}]}]}, "id"),
        (
            {"expected": {"id": "key", "rename": {"key": "id"}}, "actual": {"id": "key", "rename": {"key": "id"}}},
            [{"key": 1, "x": 1}],
            {"type": "field_accuracy", "fields": [{"path": "id"}]},
            "id",
        ),
    ],
)
def test_a_rule_that_names_the_id_keeps_it(
    tmp_path: Path, sides: dict[str, Any], rows: list[dict[str, Any]], other: dict[str, Any], field: str
) -> None:
    assert field in list_fields(tmp_path, sides, {"expected": rows, "actual": rows}, [PRF, other])


def test_text_without_the_field_stays_as_it_is() -> None:
    assert remove_field('{"x": 1,}', ("id",)) == '{"x": 1,}'
    assert remove_field("no record", ("id",)) == "no record"
    assert remove_field('{"id": 1, "x": 2}', ("id",)) == {"x": 2}
    assert remove_repeated_id('{"id": 1}', ("id",), "1") == '{"id": 1}'
