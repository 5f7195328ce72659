"""`fieldwise demo`."""

import json
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from fieldwise.cli.demo import _print_steps

Run = Callable[..., Any]


def test_the_demo_passes_its_gates_and_says_what_to_try_next(folder: Path, fieldwise: Run) -> None:
    result = fieldwise("demo", "--format", "plain")
    assert result.exit_code == 0, result.output
    assert "invoices  26 cases · 3 evaluators" in result.stdout
    assert "exit 0: every gate passed" in result.stdout
    assert "Try next" in result.stdout
    assert (folder / ".fieldwise/runs").is_dir()


def test_the_command_it_proposes_works(folder: Path, fieldwise: Run) -> None:
    output = fieldwise("demo", "--format", "plain").stdout
    command = next(line for line in output.splitlines() if "fieldwise explain" in line and "calculated" in line).split()[1:4]
    assert fieldwise(*command).exit_code == 0


def test_json_of_the_demo_is_nothing_but_json(folder: Path, fieldwise: Run) -> None:
    assert json.loads(fieldwise("demo", "--format", "json").stdout)["summary"]["cases"] == 26


def test_a_copy_can_be_run_and_is_never_overwritten(folder: Path, fieldwise: Run) -> None:
    assert fieldwise("demo", "--copy", "mine").exit_code == 0
    assert sorted(path.name for path in (folder / "mine").iterdir()) == ["invoices.eval.yaml", "invoices.jsonl", "strategies.json"]
    assert fieldwise("run", "mine/invoices.eval.yaml").exit_code == 0
    (folder / "mine/invoices.jsonl").write_text("mine now")
    again = fieldwise("demo", "--copy", "mine")
    assert again.exit_code == 2
    assert (folder / "mine/invoices.jsonl").read_text() == "mine now"


def test_the_answers_of_the_demo_pass_their_gates_and_are_told_of_beside_the_invoices(folder: Path, fieldwise: Run) -> None:
    assert "fieldwise demo answers" in fieldwise("demo", "--format", "plain").stdout
    result = fieldwise("demo", "answers", "--format", "plain")
    assert result.exit_code == 0, result.output
    assert "rating-manual-answers  12 cases" in result.stdout
    command = next(line for line in result.stdout.splitlines() if "fieldwise explain" in line and "calculated" in line).split()[1:4]
    assert fieldwise(*command).exit_code == 0


def test_the_answers_can_be_copied_too(folder: Path, fieldwise: Run) -> None:
    assert fieldwise("demo", "answers", "--copy", "mine").exit_code == 0
    assert fieldwise("run", "mine/answers.eval.yaml").exit_code == 0


def test_the_answers_of_the_demo_are_those_of_the_example() -> None:
    example = Path(__file__).parents[2] / "examples/answers"
    for name in ("answers.eval.yaml", "answers.jsonl"):
        assert (files("fieldwise") / "demo" / name).read_text(encoding="utf-8") == (example / name).read_text(encoding="utf-8")


def test_the_review_demo_finds_the_wrong_expected_values_beside_its_own_copy_of_the_data(folder: Path, fieldwise: Run) -> None:
    result = fieldwise("demo", "review", "--format", "plain")
    assert result.exit_code == 0, result.output
    assert "Try next" in result.stdout
    assert (folder / "review-demo/corrections.jsonl").read_text() == ""
    suspects = json.loads(fieldwise("demo", "review", "--format", "json").stdout)["suspects"]
    assert [suspect["suspicion"] > 1 for suspect in suspects].count(True) == 5
    first = suspects[0]
    correction = {"case": first["case"], "path": first["path"], "expected_hash": first["expected_hash"], "action": "replace"}
    line = json.dumps({**correction, "value": first["suggested"], "why": "checked", "by": "ann", "at": "2026-11-16"})
    (folder / "review-demo/corrections.jsonl").write_text(line + "\n")
    corrected = json.loads(fieldwise("run", "review-demo/alpha.eval.yaml", "--format", "json").stdout)["run"]["corrections"]
    assert corrected["applied"] == 1
    assert corrected["scores"]["fields"]["before"] < corrected["scores"]["fields"]["after"]


@pytest.mark.parametrize(("width", "said"), [(30, "  a long command\n    what it does\n"), (100, "  a long command   what it does\n")])
def test_the_next_commands_are_whole_in_any_window(
    width: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fieldwise.cli._console.make_console", lambda form, file=None: Console(file=file or sys.stdout, width=width))
    _print_steps([("a long command", "what it does")], "rich")
    assert said in capsys.readouterr().out
