"""Decisions of a review, line by line."""

from pathlib import Path

from fieldwise.study.review_log import ReviewDecision, ReviewLog, append_review, read_review


def _decision(path: str = "total", by: str = "ann", decision: str = "skip") -> ReviewDecision:
    return ReviewDecision(case="a", path=path, evaluator="fields", decision=decision, by=by, at="2026-03-14T09:26:53Z")  # type: ignore[arg-type]


def test_decisions_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "review.jsonl"
    append_review(file, [_decision(), _decision("date")])
    append_review(file, [_decision("näme")])
    assert [decision.path for decision in read_review(file).decisions] == ["total", "date", "näme"]


def test_a_line_that_a_crash_cut_off_is_reported_and_costs_no_other(tmp_path: Path) -> None:
    file = tmp_path / "review.jsonl"
    append_review(file, [_decision()])
    with file.open("ab") as stream:
        stream.write(b'{"case": "a", "pa')
    append_review(file, [_decision("date")])
    log = read_review(file)
    assert [decision.path for decision in log.decisions] == ["total", "date"]
    assert log.unreadable == [2]


def test_lines_of_another_kind_are_no_decisions(tmp_path: Path) -> None:
    file = tmp_path / "review.jsonl"
    file.write_text('[1]\n{"case": 1}\n{"case":"a","path":"b","evaluator":"c","decision":"maybe","by":"d","at":"e"}\n')
    assert read_review(file).unreadable == [1, 2, 3]


def test_undo_takes_back_the_last_decision_of_the_same_person_only(tmp_path: Path) -> None:
    file = tmp_path / "review.jsonl"
    append_review(file, [_decision(by="ann"), _decision(by="bob", decision="actual_wrong"), _decision(by="ann", decision="undo")])
    assert [decision.by for decision in read_review(file).in_force["a", "total"]] == ["bob"]


def test_only_what_was_appended_is_read_again_unless_the_file_is_another(tmp_path: Path) -> None:
    file = tmp_path / "review.jsonl"
    log = ReviewLog(file)
    assert log.refresh() == set()
    append_review(file, [_decision()])
    assert log.refresh() == {("a", "total")}
    append_review(file, [_decision("date")])
    assert log.refresh() == {("a", "date")}
    file.unlink()
    assert log.refresh() == {("a", "total"), ("a", "date")}
    assert log.decisions == []
