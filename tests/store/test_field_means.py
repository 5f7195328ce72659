"""The stored means of fields are those of the comparisons, to the bit."""

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import fieldwise as fw
from fieldwise.store import writer
from fieldwise.store.field_means import FIELD_MEANS, build_field_means, read_field_means
from fieldwise.store.part_reader import list_part_files, read_table
from fieldwise.store.run import Run
from fieldwise.store.run_metrics import compare_runs


def run(folder: Path, seed: int = 1) -> Run:
    """Cases with lists of several lengths, some of them empty, and two evaluators that share no comparisons."""
    chance = random.Random(seed)
    words = ["north", "south", "east", "west", "northeast"]
    cases: list[dict[str, object]] = []
    for number in range(60):
        expected = {"b": number, "a": chance.choice(words), "items": [{"x": chance.choice(words)} for _ in range(number % 9)]}
        actual = {"b": number, "a": chance.choice(words), "items": [{"x": chance.choice(words)} for _ in range(number % 7)]}
        cases.append({"id": f"c{number}", "expected": expected, "actual": actual})
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    fields = ["b", {"path": "a", "match": "fuzzy"}, {"path": "items[*].x", "match": "fuzzy"}]
    evaluators = [{"type": "field_accuracy", "name": "lists", "fields": fields}, {"type": "field_accuracy", "name": "b", "fields": ["b"]}]
    return fw.run({"name": "s", "cases": str(folder / "cases.jsonl"), "evaluators": evaluators}, root=folder / "store")


def collect_means(stored: Run, evaluator: str) -> list[tuple[str, list[int], bytes]]:
    """Every field of an evaluator, in order: its name, its cases and the bytes of their means."""
    return [
        (field, cases.tolist(), means.tobytes())
        for part in stored.parts
        for field, cases, means in read_field_means(stored.path, part, evaluator)
    ]


def without_means(stored: Run) -> Run:
    """The run as an earlier version would have stored it."""
    parts = [
        replace(part, expected=(), files=tuple(file for file in part.files if file.table != FIELD_MEANS)) for part in stored.manifest.parts
    ]
    return Run(stored.path, replace(stored.manifest, parts=tuple(parts)))


@pytest.fixture
def stored_means(monkeypatch: pytest.MonkeyPatch) -> None:
    """Store the means of small parts too."""
    monkeypatch.setattr(writer, "MIN_COMPARISONS", 1)


@pytest.mark.usefixtures("stored_means")
def test_stored_means_equal_computed_ones(tmp_path: Path) -> None:
    stored = run(tmp_path)
    for evaluator in ("lists", "b"):
        assert collect_means(stored, evaluator) == collect_means(without_means(stored), evaluator)


@pytest.mark.usefixtures("stored_means")
def test_a_mean_is_that_of_the_items_of_a_case(tmp_path: Path) -> None:
    stored = run(tmp_path)
    similarities: dict[tuple[str, int], list[float]] = {}
    for comparison in stored.comparisons(evaluator="lists"):
        if comparison.outcome != "both_absent" or comparison.passed:
            key = (comparison.field, int(comparison.case.removeprefix("c")))
            similarities.setdefault(key, []).append(comparison.similarity or 0.0)
    means_by_key = {
        (field, case): mean
        for field, cases, means in collect_means(stored, "lists")
        for case, mean in zip(cases, np.frombuffer(means).tolist(), strict=True)
    }
    assert means_by_key == {key: pytest.approx(np.mean(values)) for key, values in similarities.items()}


@pytest.mark.usefixtures("stored_means")
def test_runs_with_and_without_stored_means_compare_alike(tmp_path: Path) -> None:
    base, new = run(tmp_path, 1), run(tmp_path, 2)
    expected = compare_runs(without_means(base), without_means(new)).to_json()
    assert compare_runs(base, new).to_json() == expected
    assert compare_runs(without_means(base), new).to_json() == expected


def test_a_small_part_stores_no_means(tmp_path: Path) -> None:
    assert not [file for part in run(tmp_path).parts for file in list_part_files(part, FIELD_MEANS)]


def test_comparisons_that_do_not_count_have_no_mean(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(json.dumps({"id": "a", "expected": {"y": 1}, "actual": {"y": 1}}) + "\n")
    evaluators = [{"type": "field_accuracy", "name": "fields", "fields": [{"path": "x", "sparse": True}, {"path": "y", "match": "ignore"}]}]
    stored = fw.run({"name": "s", "cases": str(tmp_path / "cases.jsonl"), "evaluators": evaluators}, root=tmp_path / "store")
    [file] = list_part_files(stored.parts[0], "comparisons")
    assert build_field_means(read_table(stored.path, file)).num_rows == 0
    assert collect_means(stored, "fields") == []


def test_a_field_has_the_same_score_in_a_run_and_in_a_comparison_of_runs(tmp_path: Path) -> None:
    expected = [{"id": str(at), "a": None if at < 90 else "x"} for at in range(100)]
    invented = [{"id": str(at), "a": None if 30 <= at < 90 else "y"} for at in range(100)]
    right = [{"id": str(at), "a": None if at < 90 else "y"} for at in range(100)]
    suite = {"evaluators": [{"type": "field_accuracy", "name": "fields", "fields": ["a"]}]}
    runs = [fw.run(suite, expected=expected, actual=actual, on="id", root=tmp_path) for actual in (invented, right)]
    [change] = fw.compare(*runs).evaluators["fields"].fields
    in_runs = [run.full.evaluators["fields"].fields[0].score.value for run in runs]
    assert [change.base, change.new] == [pytest.approx(score) for score in in_runs] == [0.6, 0.9]
    assert (change.n, change.verdict) == (100, "better")
