"""Decisions of a review, line by line."""

from pathlib import Path

from fieldwise.study.review_log import ReviewDecision, append_review, find_decisions_in_force, read_review


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
    history = read_review(file)
    assert [decision.path for decision in history.decisions] == ["total", "date"]
    assert history.unreadable == (2,)


def test_lines_of_another_kind_are_no_decisions(tmp_path: Path) -> None:
    file = tmp_path / "review.jsonl"
    file.write_text('[1]\n{"case": 1}\n{"case":"a","path":"b","evaluator":"c","decision":"maybe","by":"d","at":"e"}\n')
    assert read_review(file).unreadable == (1, 2, 3)


def test_undo_takes_back_the_last_decision_of_the_same_person_only() -> None:
    decisions = [_decision(by="ann"), _decision(by="bob", decision="actual_wrong"), _decision(by="ann", decision="undo")]
    in_force = find_decisions_in_force(decisions)
    assert [decision.by for decision in in_force["a", "total"]] == ["bob"]
