"""What people type first by mistake is answered with what they meant."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_cases import write_jsonl
from click.testing import Result

import fieldwise as fw

Call = Callable[..., Result]


def test_data_in_place_of_a_suite_leads_to_init(folder: Path, fieldwise: Call) -> None:
    for command in ("run", "check", "mutate", "profiles"):
        done = fieldwise(command, "cases.jsonl")
        assert done.exit_code == 2, command
        assert "this is data, not a suite" in done.stderr
        assert "fieldwise init --cases cases.jsonl" in done.stderr
    (folder / "records.json").write_text(json.dumps([{"id": 1}]))
    assert "this is data, not a suite" in fieldwise("run", "records.json").stderr


def test_a_folder_in_place_of_a_suite_names_the_suite_in_it(folder: Path, fieldwise: Call) -> None:
    done = fieldwise("run", folder)
    assert done.exit_code == 2
    assert f"name the suite: {folder / 'small.eval.yaml'}" in done.stderr


def test_a_folder_without_runs_is_named_in_full_with_the_option_for_another(folder: Path, fieldwise: Call) -> None:
    for command in (("explain", "latest", "a"), ("mismatches", "latest"), ("runs",)):
        done = fieldwise(*command)
        said = done.stdout + done.stderr
        assert f"there are no runs in {folder / '.fieldwise' / 'runs'}" in said.replace("\n", "")
        assert "--root FOLDER/.fieldwise" in said


@pytest.mark.parametrize(
    ("option", "said"),
    [("--max-eror", "--max-errors"), ("--treshold", "`threshold` is written in the suite"), ("--wrkers", "--workers")],
)
def test_an_unknown_option_suggests_the_nearest_one(folder: Path, fieldwise: Call, option: str, said: str) -> None:
    done = fieldwise("run", "small.eval.yaml", option, "1")
    assert done.exit_code == 2
    assert said in done.stderr
    assert "--fresh" not in done.stderr


@pytest.mark.parametrize(("words", "said"), [(("rnu",), "'run'"), (("runs", "shw"), "'show'")])
def test_an_unknown_command_suggests_the_nearest_one(fieldwise: Call, words: tuple[str, ...], said: str) -> None:
    done = fieldwise(*words)
    assert done.exit_code == 2
    assert f"Did you mean {said}?" in done.stderr


@pytest.mark.parametrize("number", ["nan", "-1", "many"])
def test_a_number_outside_its_bounds_is_a_usage_error(folder: Path, fieldwise: Call, number: str) -> None:
    done = fieldwise("run", "small.eval.yaml", "--budget-usd", number)
    assert done.exit_code == 2
    assert "Invalid value for '--budget-usd'" in done.stderr


@pytest.mark.parametrize(("number", "said"), [("many", "'many' is not a whole number."), ("0", "0 is too small: the minimum is 1.")])
def test_a_count_that_is_no_number_or_too_small_is_explained(folder: Path, fieldwise: Call, number: str, said: str) -> None:
    done = fieldwise("run", "small.eval.yaml", "--limit", number)
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_port_above_the_maximum_is_explained(fieldwise: Call) -> None:
    done = fieldwise("view", "--port", "99999")
    assert done.exit_code == 2
    assert "99999 is too large: the maximum is 65535." in done.stderr


def test_a_suite_in_place_of_data_leads_to_run(folder: Path, fieldwise: Call) -> None:
    for words in (("init", "--cases", "small.eval.yaml"), ("diff", "cases.jsonl", "small.eval.yaml")):
        done = fieldwise(*words)
        assert done.exit_code == 2
        assert "fieldwise run small.eval.yaml" in (done.stdout + done.stderr)
        assert "0 of 0" not in done.stdout


def test_fields_are_listed_lowest_first_with_the_counts_behind_their_score(folder: Path, fieldwise: Call) -> None:
    rows: list[dict[str, object]] = [
        {"id": str(index), "expected": {"number": "A", "total": 5, "note": None}, "actual": {"number": "A", "total": 6, "note": None}}
        for index in range(8)
    ]
    rows.append({"id": "8", "expected": {"number": "B", "total": 5, "note": "x"}, "actual": {"number": "B", "total": 5, "note": "x"}})
    write_jsonl(folder / "cases.jsonl", rows)
    suite = (folder / "small.eval.yaml").read_text().replace("  - type: field_prf\n", "      - {path: note, match: exact}\n")
    (folder / "small.eval.yaml").write_text(suite)
    done = fieldwise("run", "small.eval.yaml", "--format", "plain")
    table = done.stdout.split("Fields (fields)")[1].splitlines()[2:5]
    assert [line.split()[0] for line in table] == ["total", "number", "note"]
    assert table[2].split()[2:4] == ["9", "9"]
    assert "null on both sides 8" in table[2]
    [note] = [field for field in fw.open_run("latest").full.evaluators["fields"].fields if field.field == "note"]
    assert (note.n, note.matched, note.compared, note.agreed_absent) == (9, 9, 1, 8)


def test_explain_all_shows_the_values_behind_a_passing_similarity(folder: Path, fieldwise: Call) -> None:
    write_jsonl(folder / "cases.jsonl", [{"id": "a", "expected": {"name": "Acme Corporation"}, "actual": {"name": "Acme Corporatiom"}}])
    (folder / "small.eval.yaml").write_text(
        "cases: cases.jsonl\nevaluators:\n  - {type: field_accuracy, fields: [{path: name, match: fuzzy, threshold: 0.8}]}\n"
    )
    fieldwise("run", "small.eval.yaml")
    assert "Corporatio" not in fieldwise("explain", "latest", "a", "--format", "plain").stdout
    shown = fieldwise("explain", "latest", "a", "--all", "--format", "plain").stdout
    assert "Acme Corporation" in shown
    assert "similarity 0.9375" in shown
