"""`fieldwise calibrate`: the score of `semantic` for one's own pairs."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.calibration import read_shipped_pairs

Run = Callable[..., Any]


@pytest.fixture
def pairs(folder: Path) -> Path:
    """Labelled pairs as people keep them."""
    file = folder / "pairs.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["expected", "actual", "same"])
        writer.writerows((pair.expected, pair.actual, "yes" if pair.same else "no") for pair in read_shipped_pairs()[::3])
    return file


def test_it_says_how_well_the_score_does_before_and_after_and_what_to_write(fieldwise: Run, pairs: Path) -> None:
    output = fieldwise("calibrate", pairs, "--format", "plain")
    assert output.exit_code == 0
    assert "313 pairs" in output.stdout
    assert "At 0.80" in output.stdout
    before, after = (
        next(line for line in output.stdout.splitlines() if line.strip().startswith(word)) for word in ("before", "after, held")
    )
    assert all(0.5 < float(number) <= 1 for number in (*before.split()[-4:], *after.split()[-4:]))
    assert "calibration: [[0.0, 0.0], [0." in output.stdout
    assert "this map does" in output.stdout


def test_what_it_writes_is_an_option_that_a_suite_takes(fieldwise: Run, pairs: Path, folder: Path) -> None:
    output = fieldwise("calibrate", pairs, "--out", "mine.json", "--format", "json")
    assert output.exit_code == 0
    actual = json.loads((folder / "mine.json").read_text())
    assert actual == json.loads(output.stdout)
    assert actual["pairs"] == actual["after"]["pairs"] + actual["fitted"]["pairs"]
    raw, score = actual["calibration"][1]
    assert score == actual["threshold"] == 0.8
    field = {"path": "a", "match": "semantic", "calibration": actual["calibration"]}
    result = fw.evaluate({"type": "field_accuracy", "fields": [field]}, expected={"a": "Attorney"}, actual={"a": "Lawyer"})
    assert result.status == "scored"
    assert 0.0 < raw < 1.0


def test_a_file_that_is_there_is_not_overwritten(fieldwise: Run, pairs: Path, folder: Path) -> None:
    (folder / "mine.json").write_text("kept")
    output = fieldwise("calibrate", pairs, "--out", "mine.json")
    assert output.exit_code == 2
    assert (folder / "mine.json").read_text() == "kept"


def test_too_few_and_one_sided_labels_are_refused(fieldwise: Run, folder: Path) -> None:
    (folder / "few.jsonl").write_text('{"expected": "a", "actual": "b", "same": true}\n' * 30)
    output = fieldwise("calibrate", "few.jsonl")
    assert output.exit_code == 2
    assert "at least 20 pairs with `same: false`" in output.stderr
    assert "there are 0" in output.stderr


def test_a_file_that_is_not_there_is_a_matter_of_usage(fieldwise: Run, folder: Path) -> None:
    output = fieldwise("calibrate", "none.csv")
    assert output.exit_code == 2
    assert "there is no file of pairs none.csv" in output.stderr
