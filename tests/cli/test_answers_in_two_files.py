"""`init`, `run` and `diff` of questions with their accepted answers in one file and the outputs in another."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_cases import write_jsonl

import fieldwise as fw

Run = Callable[..., Any]
SQUAD: dict[str, Any] = {
    "version": "v2.0",
    "data": [
        {
            "title": "Cities",
            "paragraphs": [
                {
                    "context": f"City {number} is a city.",
                    "qas": [
                        {
                            "id": f"q{number}",
                            "question": f"Which city is number {number}?",
                            "answers": [{"text": f"City {number}", "answer_start": 0}, {"text": f"number {number}", "answer_start": 9}],
                        }
                    ],
                }
                for number in range(5)
            ],
        }
    ],
}
ANSWERS: dict[str, str | None] = {"q0": "City 0", "q1": "the City 1.", "q2": "number 2", "q3": "Rome", "q4": None}


def write_references(path: Path) -> None:
    """The questions of SQUAD as rows, as Hugging Face has them."""
    rows: list[dict[str, object]] = []
    for paragraph in SQUAD["data"][0]["paragraphs"]:
        [question] = paragraph["qas"]
        texts = [answer["text"] for answer in question["answers"]]
        answers = {"text": texts, "answer_start": [0] * len(texts)}
        rows.append({"id": question["id"], "title": "Cities", "context": "…", "question": question["question"], "answers": answers})
    write_jsonl(path, rows)


@pytest.mark.parametrize("expected", ["dev.json", "references.jsonl"])
@pytest.mark.parametrize("actual", ["answers.json", "wrapped.json", "rows.json"])
def test_questions_and_answers_in_two_files_pair_by_id_and_are_measured(tmp_path: Path, fieldwise: Run, expected: str, actual: str) -> None:
    (tmp_path / "dev.json").write_text(json.dumps(SQUAD))
    write_references(tmp_path / "references.jsonl")
    (tmp_path / "answers.json").write_text(json.dumps(ANSWERS))
    (tmp_path / "wrapped.json").write_text(json.dumps({"answer": ANSWERS, "sp": {id: [["Cities", 0]] for id in ANSWERS}}))
    rows = [{"id": id, "prediction_text": answer, "no_answer_probability": 0.0} for id, answer in ANSWERS.items()]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    written = fieldwise("init", tmp_path, "--expected", tmp_path / expected, "--actual", tmp_path / actual)
    assert written.exit_code == 0
    assert "5 of 5 expected rows have an actual one" in written.output
    run = fw.run(tmp_path / f"{actual.removesuffix('.json')}.eval.yaml", root=tmp_path)
    scores = {result.case: result.result.score for result in run.results()}
    assert scores == {"q0": 1.0, "q1": 1.0, "q2": 1.0, "q3": 0.0, "q4": 0.0}
    assert run.summary["answer_quality.token_f1"] == pytest.approx(0.6)
    assert run.exit_code == 0


def test_diff_says_that_answers_by_their_ids_need_a_suite(tmp_path: Path, fieldwise: Run) -> None:
    (tmp_path / "dev.json").write_text(json.dumps(SQUAD))
    (tmp_path / "answers.json").write_text(json.dumps(ANSWERS))
    refused = fieldwise("diff", tmp_path / "dev.json", tmp_path / "answers.json")
    assert refused.exit_code == 2
    assert "fieldwise init --expected" in refused.stderr


def test_long_answers_keep_all_metrics_of_answer_quality(tmp_path: Path, fieldwise: Run) -> None:
    answer = "The rate of Territory 118 rose by 0.305 % in the year 2024, as the manual says."
    write_jsonl(tmp_path / "qa.jsonl", [{"id": str(number), "expected": "118", "actual": answer} for number in range(4)])
    fieldwise("init", tmp_path, "--cases", tmp_path / "qa.jsonl")
    assert "  - type: answer_quality\n" in (tmp_path / "qa.eval.yaml").read_text()
