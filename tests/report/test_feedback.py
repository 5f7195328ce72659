"""`fw.feedback`: what is wrong, why, and what to do."""

from pathlib import Path

import fieldwise as fw

FIELDS = {"type": "field_accuracy", "fields": ["vendor", "total", "date"]}
EXPECTED = {"vendor": "Acme", "total": 100, "date": "2024-01-02"}


def test_each_wrong_value_has_its_cause_and_each_cause_its_advice() -> None:
    text = fw.feedback(fw.evaluate(FIELDS, expected=EXPECTED, actual={"vendor": "ACME", "total": 100}))
    lines = text.splitlines()
    assert lines[0].startswith("score 0.33")
    assert "- vendor: wrong value: expected Acme, got ACME (letter case)" in lines
    assert any(line.startswith("- date: omission: expected 2024-01-02, got missing") for line in lines)
    assert any(line.startswith("letter case: ") for line in lines)


def test_a_perfect_result_has_one_line() -> None:
    assert fw.feedback(fw.evaluate(FIELDS, expected=EXPECTED, actual=EXPECTED)) == "score 1.000 (pass): 3/3 fields matched"


def test_evaluators_without_fields_give_their_misses() -> None:
    text = fw.feedback(fw.evaluate({"type": "answer_quality"}, expected="It costs 604 dollars", actual="No idea", input="q"))
    assert "- number_match: 604" in text


def test_what_was_not_measured_says_so() -> None:
    assert fw.feedback(fw.evaluate(FIELDS, expected=EXPECTED)).startswith("no output that can be read, score 0")
    assert fw.feedback(fw.evaluate(FIELDS, expected="no record", actual={})).startswith("not measured: evaluation error")


def test_a_large_record_stays_short_and_data_stays_on_its_line() -> None:
    many = {f"f{number}": f"a\\n- total: {'x' * 999}" for number in range(200)}
    text = fw.feedback(fw.evaluate({"type": "field_prf"}, expected=many, actual={}))
    assert len(text) < 5_000
    assert "- and 188 more" in text
    assert len(text.splitlines()) <= 16


def test_advice_does_not_recommend_the_match_that_the_field_has() -> None:
    sides = {"expected": {"date": "2024-03-04"}, "actual": {"date": "2024-04-03"}}
    plain = fw.feedback(fw.evaluate({"type": "field_accuracy", "fields": ["date"]}, **sides))
    dated = fw.feedback(fw.evaluate({"type": "field_accuracy", "fields": [{"path": "date", "match": "date"}]}, **sides))
    assert "day and month swapped: " in plain
    assert "`match: date`" in plain
    assert "day and month swapped: " in dated
    assert "`match: date`" not in dated


def test_a_stored_result_gives_the_same_feedback_as_a_fresh_one(tmp_path: Path) -> None:
    config = {"type": "field_accuracy", "fields": [{"path": "date", "match": "date"}, {"path": "n", "match": "numeric_tolerance"}]}
    expected, actual = {"date": "2024-03-04", "n": 1234.5}, {"date": "2024-04-03", "n": "1,234.50"}
    case = {"id": "a", "expected": expected, "actual": actual}
    [stored] = fw.run({"evaluators": [config]}, cases=[case], root=tmp_path).results()
    assert fw.feedback(stored) == fw.feedback(fw.evaluate(config, expected=expected, actual=actual))
