"""`fieldwise judge-audit`: a stored judge beside people's labels, without asking anybody."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

JUDGE = """
import json, sys
for line in sys.stdin:
    score = float(json.loads(line)["candidate_answer"])
    print(json.dumps({"score": score, "reasoning": f"I give it {score}"}), flush=True)
"""
SCORES = [1.0, 0.9, 0.8, 0.7, 0.3, 0.2, 0.1, 0.0]
PEOPLE = ["pass", "pass", "pass", "fail", "fail", "fail", "fail", "pass"]


@pytest.fixture
def audited(fieldwise: Run, folder: Path) -> Path:
    """A run of a judge that passes what scores 0.5, and labels that differ on two of eight cases."""
    (folder / "judge.py").write_text(JUDGE)
    cases = [{"id": f"c{n}", "actual": str(score), "expected": "x"} for n, score in enumerate(SCORES)]
    (folder / "cases.jsonl").write_text("\n".join(map(json.dumps, cases)))
    suite = "cases: cases.jsonl\nevaluators:\n  - {type: code_judge, name: judge, script: judge.py, pass_at: 0.5, process: {workers: 1}}\n"
    (folder / "judged.eval.yaml").write_text(suite)
    assert fieldwise("run", "judged.eval.yaml").exit_code == 1
    (folder / "labels.csv").write_text("id,label\n" + "\n".join(f"c{n},{label}" for n, label in enumerate(PEOPLE)))
    return folder


def test_agreement_kappa_and_the_cases_where_they_differ_are_told(fieldwise: Run, audited: Path) -> None:
    output = fieldwise("judge-audit", "latest", "labels.csv", "--format", "plain")
    assert output.exit_code == 0
    assert "Agreement, 8 cases" in output.stdout
    assert "0.750" in output.stdout  # 6 of 8
    assert "0.500" in output.stdout  # kappa: chance agrees on 4 of 8
    assert "2 disagreements" in output.stdout
    assert "I give it 0.7" in output.stdout
    assert "pass_at: 0.8" in output.stdout


def test_the_numbers_are_there_as_json(fieldwise: Run, audited: Path) -> None:
    actual = json.loads(fieldwise("judge-audit", "latest", "labels.csv", "--format", "json").stdout)
    assert (actual["n"], actual["agreement"], actual["kappa"]) == (8, 0.75, 0.5)
    assert actual["table"] == {"pass": {"pass": 3, "fail": 1}, "fail": {"pass": 1, "fail": 3}}
    assert [(entry["case"], entry["people"], entry["judge"]) for entry in actual["disagreements"]] == [
        ("c3", "fail", "pass"),
        ("c7", "pass", "fail"),
    ]
    low, high = actual["kappa_interval"]
    assert low < 0.5 < high
    assert actual["best"]["pass_at"] == 0.8


def test_what_cannot_be_compared_is_told(fieldwise: Run, audited: Path) -> None:
    (audited / "labels.csv").write_text("case,human\nc0,1\nc1,yes\nc4,no\nelsewhere,fail\n")
    output = fieldwise("judge-audit", "latest", "labels.csv", "--format", "plain")
    assert output.exit_code == 0
    assert "1 label left out, not in the run: elsewhere" in output.stdout
    assert "5 cases without a label left out" in output.stdout
    assert "3 cases are few" in output.stdout


def test_a_kappa_below_what_is_asked_for_is_a_failure(fieldwise: Run, audited: Path) -> None:
    assert fieldwise("judge-audit", "latest", "labels.csv", "--min-kappa", "0.5").exit_code == 0
    output = fieldwise("judge-audit", "latest", "labels.csv", "--min-kappa", "0.6")
    assert output.exit_code == 1
    assert "kappa is 0.500, below 0.6" in output.stderr
    (audited / "labels.csv").write_text("id,label\nc0,pass\nc1,pass\n")
    output = fieldwise("judge-audit", "latest", "labels.csv", "--min-kappa", "0.6")
    assert output.exit_code == 1
    assert "not defined" in output.stderr


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("id,label\nc0,perhaps\nc1,\n,pass\n", ["`perhaps` is not a label", "the row has no label", "the row names no case"]),
        ("id,label\nc0,pass\nc0,fail\n", ["the case `c0` is `fail` here and `pass` at labels.csv:2"]),
        ("id,opinion\nc0,pass\n", ["no column is the human label"]),
        ("id,label,verdict\nc0,pass,pass\n", ["label and verdict may all be the human label"]),
        ("id,label\nelsewhere,pass\n", ["no labelled case is in the run"]),
        ("", ["labels.csv"]),
    ],
    ids=["no labels", "two labels", "no column", "two columns", "other cases", "empty"],
)
def test_labels_that_cannot_be_used_are_refused(fieldwise: Run, audited: Path, labels: str, message: list[str]) -> None:
    (audited / "labels.csv").write_text(labels)
    output = fieldwise("judge-audit", "latest", "labels.csv")
    assert output.exit_code == 2
    assert all(part in output.stderr for part in message), output.stderr


def test_where_a_run_has_several_evaluators_one_is_named(fieldwise: Run, folder: Path) -> None:
    assert fieldwise("run", "small.eval.yaml").exit_code == 0
    (folder / "labels.csv").write_text("id,label\na,pass\nb,fail\nc,fail\n")
    output = fieldwise("judge-audit", "latest", "labels.csv")
    assert output.exit_code == 2
    assert "--evaluator fields or --evaluator field_prf" in output.stderr
    assert fieldwise("judge-audit", "latest", "labels.csv", "--evaluator", "nope").exit_code == 2
    output = fieldwise("judge-audit", "latest", "labels.csv", "--evaluator", "fields", "--format", "plain")
    assert output.exit_code == 0
    assert "partial verdicts of the judge count as fail" in output.stdout
