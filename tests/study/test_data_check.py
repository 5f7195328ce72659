"""`mutate SUITE` and `profiles SUITE` over data that `run` refuses."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fieldwise.cli.app import app

COMMANDS = ("mutate", "profiles")


def make_case(case_id: str, **sides: Any) -> str:
    return json.dumps({"id": case_id, **(sides or {"expected": {"a": 1}, "actual": {"a": 1}})})


def call(folder: Path, command: str, lines: list[str], fields: str = "[a]", cases: str = "d.jsonl") -> Result:
    """Write a suite with these lines of data, and give it to a command."""
    (folder / "d.jsonl").write_text("\n".join(lines))
    suite = folder / "s.eval.yaml"
    suite.write_text(f"cases: {cases}\nevaluators:\n  - {{type: field_accuracy, name: fields, fields: {fields}}}\n")
    return CliRunner().invoke(app, [command, str(suite), "--format", "plain", "--root", str(folder / "store")])


def write_correction(folder: Path, case: str, old: Any) -> None:
    expected_hash = f"sha256:{hashlib.sha256(json.dumps(old).encode()).hexdigest()}"
    correction = {"case": case, "path": "a", "expected_hash": expected_hash, "action": "replace", "value": 2}
    (folder / "c.jsonl").write_text(json.dumps(correction) + "\n")


@pytest.mark.parametrize("command", ["run", *COMMANDS])
@pytest.mark.parametrize(("case", "words"), [("1", "it is stale"), ("nobody", "there is no such case")])
def test_a_correction_that_cannot_be_applied_exits_2(tmp_path: Path, command: str, case: str, words: str) -> None:
    write_correction(tmp_path, case, old=7)
    done = call(tmp_path, command, [make_case("1"), make_case("2")], cases="{file: d.jsonl, corrections: c.jsonl}")
    assert done.exit_code == 2
    assert words in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_correction_that_fits_is_applied(tmp_path: Path, command: str) -> None:
    write_correction(tmp_path, "1", old=1)
    assert call(tmp_path, command, [make_case("1"), make_case("2")], cases="{file: d.jsonl, corrections: c.jsonl}").exit_code == 0


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("lines", "fields", "words"),
    [
        ([make_case("1"), make_case("1")], "[a]", "the same id"),
        ([make_case("1")], "[a, zz]", "no expected record has this field"),
        ([make_case("1")], "[a, 'a..b']", "has an empty step"),
        ([make_case("1", actual={"a": 1})], "[a]", "no column is expected"),
    ],
    ids=["duplicate id", "absent path", "malformed path", "no expected"],
)
def test_problems_of_the_whole_suite_exit_2(tmp_path: Path, command: str, lines: list[str], fields: str, words: str) -> None:
    done = call(tmp_path, command, lines, fields)
    assert done.exit_code == 2
    assert words in done.stderr
    assert done.stdout == ""


def test_a_missing_actual_column_matters_to_profiles_alone(tmp_path: Path) -> None:
    lines = [make_case("1", expected={"a": 1})]
    done = call(tmp_path, "profiles", lines)
    assert done.exit_code == 2
    assert "no column is actual" in done.stderr
    assert call(tmp_path, "mutate", lines).exit_code == 0


@pytest.mark.parametrize("command", ["run", *COMMANDS])
def test_a_truncated_line_exits_3_and_is_named(tmp_path: Path, command: str) -> None:
    done = call(tmp_path, command, [make_case("1"), make_case("2"), '{"id": "3", "expected": {"a"'])
    assert done.exit_code == 3
    assert "the file looks truncated" in " ".join(done.stdout.split())
    assert "sampled" not in done.stdout


def test_an_unreadable_output_is_no_problem_of_the_data(tmp_path: Path) -> None:
    lines = [make_case("1"), make_case("2", expected={"a": 1}, actual='{"a": ')]
    assert [call(tmp_path, command, lines).exit_code for command in COMMANDS] == [0, 0]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_match_that_can_read_no_expected_value_exits_2(tmp_path: Path, command: str) -> None:
    lines = [make_case(str(number), expected={"a": "soon"}, actual={"a": "soon"}) for number in range(3)]
    done = call(tmp_path, command, lines, "[{path: a, match: date}]")
    assert done.exit_code == 2
    assert "`date` can read none of the 3 expected values" in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_standard_input_is_refused(tmp_path: Path, command: str) -> None:
    done = call(tmp_path, command, [], cases="'-'")
    assert done.exit_code == 2
    assert "standard input can be read once" in done.stderr
