"""The example suite of answers runs, and its presets apply to their own questions."""

import shutil
from pathlib import Path

import pytest

import fieldwise as fw

EXAMPLE = Path(__file__).parents[3] / "examples" / "answers"


@pytest.fixture(autouse=True)
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy, so that the run is stored beside it and not in the project."""
    shutil.copytree(EXAMPLE, tmp_path / "answers")
    monkeypatch.chdir(tmp_path)


def test_the_example_passes_its_gates_and_each_preset_sees_one_question() -> None:
    run = fw.run("answers/answers.eval.yaml")
    assert run.exit_code == 0
    counted = {name: evaluator.counts.scored for name, evaluator in run.full.evaluators.items()}
    assert counted == {
        "answers": 12,
        "german": 1,
        "list_coverage": 1,
        "territories": 1,
        "calculation": 1,
        "surcharge": 1,
        "retrieval": 12,
    }
    assert run.summary["list_coverage.rules_coverage"] == 6 / 8
    assert run.summary["territories.fact_score"] == 1.0
    assert run.summary["calculation.is_correct"] == 1.0


def test_the_first_framework_is_reproduced_from_a_csv_file() -> None:
    run = fw.run("answers/first_framework.eval.yaml")
    assert run.summary["list_coverage.total_rules"] == 11
    assert run.summary["territories.has_rate_neg_0_133"] == 0.0
    assert run.summary["answers.number_match"] < fw.run("answers/answers.eval.yaml").summary["answers.number_match"]
