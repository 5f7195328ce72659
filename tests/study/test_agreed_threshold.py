"""The limit that agrees best with the decisions of a review."""

import json

import numpy as np
import pytest

import fieldwise as fw
from fieldwise.study.agreed_threshold import find_best_cut
from fieldwise.study.what_if import what_if

AT = "2026-03-14T09:26:53Z"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("agreed")
    cases = []
    for n in range(20):
        actual = {"name": "a" * n + "b" * (20 - n), "total": 100.0 + n}
        cases.append({"id": str(n), "expected": {"name": "a" * 20, "total": 100.0}, "actual": actual})
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    rules = [{"path": "name", "match": "fuzzy"}, {"path": "total", "match": "numeric_tolerance", "tolerance": 1}]
    evaluator = {"type": "field_accuracy", "name": "f", "fields": rules}
    (folder / "s.eval.yaml").write_text(json.dumps({"cases": "cases.jsonl", "evaluators": [evaluator]}))
    fw.run(folder / "s.eval.yaml", root=folder / "runs")
    return folder


def write_review(folder, decisions):
    common = {"evaluator": "f", "by": "ann", "at": AT}
    lines = [json.dumps({"case": case, "path": path, "decision": decision, **common}) for case, path, decision in decisions]
    (folder / "review.jsonl").write_text("".join(f"{line}\n" for line in lines))


def test_the_threshold_lies_between_what_people_accept_and_what_they_do_not(folder):
    decisions = [(str(n), "name", "both_right" if n >= 12 else "actual_wrong") for n in range(20)]
    decisions += [(str(n), "total", "both_right" if n <= 5 else "actual_wrong") for n in range(1, 20)]
    write_review(folder, decisions)
    name, total = what_if(fw.open_run(root=folder / "runs"), ["f.name.threshold=0.5", "f.total.tolerance=2"]).agreed
    assert (name.decisions, name.agreement, name.value) == (20, 1.0, pytest.approx(0.575))
    assert 0.5 <= name.low <= name.value <= name.high <= 0.65
    assert (total.decisions, total.agreement, total.value) == (19, 1.0, pytest.approx(5.5, abs=1e-6))
    assert name.current_agreement < 1


def test_few_decisions_are_not_enough(folder):
    write_review(folder, [("1", "name", "both_right"), ("2", "name", "skip")])
    [limit] = what_if(fw.open_run(root=folder / "runs"), ["f.name.threshold=0.5"]).agreed
    assert limit.value is None
    assert limit.note.startswith("not enough: 1 decisions")


def test_without_a_review_nothing_is_said(folder):
    (folder / "review.jsonl").unlink(missing_ok=True)
    assert what_if(fw.open_run(root=folder / "runs"), ["f.name.threshold=0.5"]).agreed == []


def test_the_best_cut_of_mixed_decisions_agrees_with_most_of_them():
    likeness = np.array([0.1, 0.2, 0.3, 0.3, 0.7, 0.8])
    should_pass = np.array([False, True, False, False, True, True])
    assert find_best_cut(likeness, should_pass) == (0.5, 5)
