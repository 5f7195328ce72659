"""Rules that are inferred from the cases of a source."""

from pathlib import Path

from fieldwise.api import diff_files

GOLD = '{"id": "a", "total": 10.5, "items": 2, "paid": true}\n{"id": "b", "total": 3.25, "items": 1, "paid": false}\n'


def test_numbers_of_a_csv_file_are_compared_with_those_of_json(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text(GOLD)
    (tmp_path / "out.csv").write_text("id,total,items,paid\na,10.50,2,true\nb,3.25,7,false\n")
    difference = diff_files(tmp_path / "gold.jsonl", tmp_path / "out.csv")
    assert [rule.match.name for rule in difference.rules] == ["numeric_tolerance", "numeric_tolerance", "boolean"]
    assert [(case, comparison.path, comparison.outcome) for case, comparison in difference.differences] == [("b", "items", "wrong_value")]


def test_a_number_as_text_in_json_stays_a_type_mismatch(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text(GOLD)
    (tmp_path / "out.jsonl").write_text(GOLD.replace("10.5", '"10.5"'))
    difference = diff_files(tmp_path / "gold.jsonl", tmp_path / "out.jsonl")
    assert [(case, comparison.outcome) for case, comparison in difference.differences] == [("a", "format_error")]
