"""Decisions: what they write, and what survives a crash and a second person."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.model.comparison import Comparison
from fieldwise.study.review_log import append_review, read_review
from fieldwise.study.review_queue import QueueSelection, build_queue
from fieldwise.study.review_session import (
    AlreadyDecided,
    Choice,
    ReviewProblem,
    ReviewSession,
    find_review_files,
    parse_typed,
)

CASES: list[dict[str, Any]] = [
    {"id": "a", "expected": {"total": 5.0, "name": "Ann", "note": None}, "actual": {"total": 6.0, "name": "Anne", "note": "hi"}},
    {"id": "b", "expected": {"total": 7.0, "name": "Bob"}, "actual": {"total": 7.0, "name": "Rob"}},
]


def _open(folder: Path, **suite: Any) -> ReviewSession:
    if not (folder / "cases.jsonl").exists():
        (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))
    written = {"name": "s", "cases": str(folder / "cases.jsonl"), "evaluators": [{"type": "field_prf"}], **suite}
    run = fw.run(written, root=folder / "runs")
    return ReviewSession(run, build_queue(run, QueueSelection(sample=1.0)), find_review_files(run))


@pytest.fixture
def session(tmp_path: Path) -> ReviewSession:
    return _open(tmp_path)


def _index(session: ReviewSession, case: str, path: str) -> int:
    index = session.find_index(case, path)
    assert index is not None
    return index


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


@pytest.mark.parametrize(
    ("place", "choice", "typed", "action", "value"),
    [
        (("a", "total"), "take_actual", None, "replace", 6.0),
        (("a", "total"), "type", "8.25", "replace", 8.25),
        (("a", "name"), "type", " 12 ", "replace", "12"),
        (("a", "name"), "both_right", None, "accept_also", "Anne"),
        (("a", "note"), "take_actual", None, "replace", "hi"),
        (("a", "name"), "type", "", "replace", None),
    ],
)
def test_a_wrong_expected_value_becomes_a_correction(
    session: ReviewSession, place: tuple[str, str], choice: Choice, typed: str | None, action: str, value: Any
) -> None:
    session.decide(_index(session, *place), choice, by="ann", typed=typed)
    [correction] = _lines(session.files.corrections)
    assert (correction["case"], correction["path"], correction["action"], correction["value"]) == (*place, action, value)
    assert correction["by"] == "ann"
    [decision] = _lines(session.files.review)
    assert set(decision) >= {"case", "path", "evaluator", "decision", "by", "at"}


@pytest.mark.parametrize("choice", ["actual_wrong", "skip"])
def test_other_decisions_are_kept_without_a_correction(session: ReviewSession, choice: Choice) -> None:
    index = _index(session, "a", "total")
    session.decide(index, choice, by="ann")
    assert not session.files.corrections.exists()
    assert session.read_status()[index].decision == choice


def test_agreed_values_that_are_right_need_no_correction(session: ReviewSession) -> None:
    index = _index(session, "b", "total")
    session.decide(index, "both_right", by="ann")
    assert not session.files.corrections.exists()
    progress = session.progress(session.read_status())
    assert (progress.sampled, progress.sampled_wrong) == (1, 0)
    session.undo("ann")
    with pytest.raises(ReviewProblem, match="same"):
        session.decide(index, "take_actual", by="ann")


def test_a_second_person_does_not_overwrite_the_first(session: ReviewSession) -> None:
    index = _index(session, "a", "total")
    session.decide(index, "take_actual", by="ann")
    with pytest.raises(AlreadyDecided, match="ann has decided"):
        session.decide(index, "actual_wrong", by="bob")
    assert len(_lines(session.files.review)) == 1


def test_undo_goes_back_decision_by_decision_of_one_person(session: ReviewSession) -> None:
    first, second, of_bob = _index(session, "a", "total"), _index(session, "a", "name"), _index(session, "b", "name")
    session.decide(first, "take_actual", by="ann")
    session.decide(second, "actual_wrong", by="ann")
    session.decide(of_bob, "both_right", by="bob")
    assert [session.undo("ann"), session.undo("ann"), session.undo("ann")] == [second, first, None]
    assert set(session.read_status()) == {of_bob}
    session.decide(first, "type", by="ann", typed="9")
    assert session.read_status()[first].decision == "expected_wrong"


def test_every_state_that_a_crash_can_leave_is_a_valid_one(session: ReviewSession) -> None:
    index = _index(session, "a", "total")
    session.decide(index, "take_actual", by="ann")
    [decision] = read_review(session.files.review).decisions
    session.files.review.unlink()  # killed after the correction, before the decision
    assert session.read_status()[index].decision == "expected_wrong"
    append_review(session.files.review, [decision])
    session.files.corrections.unlink()  # killed while the decision was undone: the correction is gone, the decision is not
    assert index not in session.read_status()
    with session.files.review.open("ab") as stream:
        stream.write(b'{"case": "a"')  # killed while a line was written
    session.decide(index, "actual_wrong", by="ann")
    assert session.read_status()[index].decision == "actual_wrong"


def test_decisions_about_the_same_two_values_hold_in_the_next_run(tmp_path: Path, session: ReviewSession) -> None:
    session.decide(_index(session, "a", "total"), "actual_wrong", by="ann")
    session.decide(_index(session, "a", "name"), "both_right", by="ann")
    later = _open(tmp_path)
    assert later.read_status()[_index(later, "a", "total")].decision == "actual_wrong"
    changed = [{**CASES[0], "actual": {**CASES[0]["actual"], "total": 6.5}}, CASES[1]]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in changed))
    last = _open(tmp_path)
    assert _index(last, "a", "total") not in last.read_status()


def test_a_value_of_a_corrected_run_can_be_corrected_again(tmp_path: Path, session: ReviewSession) -> None:
    session.decide(_index(session, "a", "total"), "type", by="ann", typed="5.5")
    session.decide(_index(session, "a", "name"), "take_actual", by="ann")
    cases = {"file": str(tmp_path / "cases.jsonl"), "corrections": str(tmp_path / "corrections.jsonl")}
    later = _open(tmp_path, cases=cases)
    later.decide(_index(later, "a", "total"), "take_actual", by="bob")
    assert [line["value"] for line in _lines(later.files.corrections)] == [5.5, "Anne", 6.0]
    last = _open(tmp_path, cases=cases)
    assert {stored.path for stored in last.run.mismatches(case="a")} == {"note"}


def test_what_both_sides_said_is_right_in_the_next_run(tmp_path: Path, session: ReviewSession) -> None:
    session.decide(_index(session, "a", "name"), "both_right", by="ann")
    cases = {"file": str(tmp_path / "cases.jsonl"), "corrections": str(tmp_path / "corrections.jsonl")}
    later = _open(tmp_path, cases=cases)
    assert {stored.path for stored in later.run.mismatches(case="a")} == {"total", "note"}
    assert later.files == session.files


def test_two_people_who_decide_at_once_decide_each_comparison_once(tmp_path: Path) -> None:
    cases = [{"id": str(number), "expected": {"total": 1}, "actual": {"total": 2}} for number in range(15)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    first = _open(tmp_path)
    sessions = {"ann": first, "bob": ReviewSession(first.run, first.queue, first.files)}

    def decide_all(by: str) -> int:
        written = 0
        for index in range(len(first.queue)):
            try:
                sessions[by].decide(index, "take_actual", by=by)
                written += 1
            except AlreadyDecided:
                continue
        return written

    with ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(decide_all, sessions)) == 15
    corrected = [line["case"] for line in _lines(first.files.corrections)]
    assert sorted(corrected) == sorted(case["id"] for case in cases)
    assert len(_lines(first.files.review)) == 15


def test_the_place_beside_an_expected_value_is_kept(tmp_path: Path) -> None:
    case = {"id": "a", "expected": {"total": {"value": 5, "box": [1, 2, 3, 4]}}, "actual": {"total": {"value": 6, "box": [1, 2, 3, 4]}}}
    (tmp_path / "cases.jsonl").write_text(json.dumps(case) + "\n")
    fields = [{"path": "total", "evidence": {"iou": 0.5}}]
    suite = {"evaluators": [{"type": "field_accuracy", "fields": fields}]}
    session = _open(tmp_path, **suite)
    session.decide(0, "both_right", by="ann")
    assert _lines(session.files.corrections)[0]["value"] == {"value": {"$any": [5, 6]}, "box": [1, 2, 3, 4]}
    cases = {"file": str(tmp_path / "cases.jsonl"), "corrections": str(tmp_path / "corrections.jsonl")}
    assert _open(tmp_path, cases=cases, **suite).run.summary["field_accuracy.score"] == 1.0


def test_a_redacted_value_can_be_judged_but_not_corrected(tmp_path: Path) -> None:
    session = _open(tmp_path, redact=["name"])
    index = _index(session, "a", "name")
    with pytest.raises(ReviewProblem, match="not stored"):
        session.decide(index, "take_actual", by="ann")
    session.decide(index, "actual_wrong", by="ann")
    assert not session.files.corrections.exists()


def test_data_in_memory_has_no_folder_for_corrections(tmp_path: Path) -> None:
    run = fw.run({"name": "m", "evaluators": [{"type": "field_prf"}]}, cases=CASES, root=tmp_path / "runs")
    with pytest.raises(fw.ConfigError, match="not in local files"):
        find_review_files(run)


def test_the_next_open_item_is_not_one_that_somebody_else_looks_at(session: ReviewSession) -> None:
    assert session.next_open({}, 1, frozenset({1})) == 2
    everything = frozenset(range(len(session.queue)))
    assert session.next_open({}, 0, everything) == 0
    assert session.next_open(dict.fromkeys(everything, None), 0) is None  # type: ignore[arg-type]


def test_typed_text_takes_the_kind_of_the_expected_value() -> None:
    def compare(expected: Any) -> Comparison:
        sides = {"expected_presence": "present", "actual_presence": "present", "similarity": 0.0, "passed": False, "cause": None}
        return Comparison(path="x", field="x", outcome="wrong_value", expected=expected, actual="y", **sides)  # type: ignore[arg-type]

    assert parse_typed("true", compare(False)) is True
    assert parse_typed("[1, 2]", compare([3])) == [1, 2]
    assert parse_typed("12", compare("x")) == "12"
    for text in ("twelve", "NaN"):
        with pytest.raises(ReviewProblem, match="not JSON"):
            parse_typed(text, compare(12))
