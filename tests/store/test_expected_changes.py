"""Expected values that were edited between two runs are counted, and the comparison says so."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.store import expected_changes
from fieldwise.store.baseline import compare_with_baseline, save_baseline
from fieldwise.store.expected_changes import find_changed_expected
from fieldwise.store.run import Run
from fieldwise.store.run_metrics import compare_runs, list_case_ids

LABELS = "the expected values of 2 of 6 common cases differ, so a change may come from the labels"
RULES = "the rules of `fields` differ, so a change may come from them"


def run(folder: Path, edit: dict[int, Any] | None = None, redact: list[str] | None = None, **rule: Any) -> Run:
    """Six cases, some of them with an edited expected record."""
    expected = [(edit or {}).get(at, {"x": at, "y": "é"}) for at in range(6)]
    cases = [{"id": str(at), "expected": record, "actual": {"x": at, "y": "é"}} for at, record in enumerate(expected)]
    (folder / "c.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    evaluator = {"type": "field_accuracy", "name": "fields", "fields": [{"path": "x", **rule}]}
    suite = {"name": "s", "cases": str(folder / "c.jsonl"), "evaluators": [evaluator], **({"redact": redact} if redact else {})}
    return fw.run(suite, root=folder / "store")


def test_edited_expected_values_are_counted(tmp_path: Path) -> None:
    base = run(tmp_path)
    edited = run(tmp_path, {1: {"x": 9, "y": "é"}, 4: {"x": 4, "y": "e"}})
    assert find_changed_expected(base, list_case_ids(base), edited, list_case_ids(edited)) == ["1", "4"]
    assert LABELS in compare_runs(base, edited).notes
    assert LABELS in compare_with_baseline(save_baseline(base, tmp_path / "b.json"), edited).notes


def test_the_order_of_keys_is_no_edit(tmp_path: Path) -> None:
    base = run(tmp_path)
    same = run(tmp_path, {2: {"y": "é", "x": 2}})
    assert compare_runs(base, same).notes == []
    assert compare_with_baseline(save_baseline(base, tmp_path / "b.json"), same).notes == []


def test_other_rules_are_named(tmp_path: Path) -> None:
    base = run(tmp_path)
    lenient = run(tmp_path, match="numeric_tolerance", tolerance=5)
    assert RULES in compare_runs(base, lenient).notes
    assert RULES in compare_with_baseline(save_baseline(base, tmp_path / "b.json"), lenient).notes


def test_a_baseline_without_hashes_still_opens(tmp_path: Path) -> None:
    base = run(tmp_path)
    file = save_baseline(base, tmp_path / "b.json")
    content = json.loads(file.read_text())
    del content["expected"], content["package"]
    file.write_text(json.dumps(content))
    assert compare_with_baseline(file, run(tmp_path, {1: {"x": 9}})).notes == []


def test_redacted_values_whose_hashes_differ_from_run_to_run_are_no_edit(tmp_path: Path) -> None:
    base, same = run(tmp_path, redact=["y"]), run(tmp_path, redact=["y"])
    assert compare_runs(base, same).notes == []


def test_equal_fingerprints_of_batches_leave_the_expected_values_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base, same, edited = run(tmp_path), run(tmp_path), run(tmp_path, {1: {"x": 9, "y": "é"}})
    assert [part.expected for part in base.parts] == [part.expected for part in same.parts]
    assert [part.expected for part in base.parts] != [part.expected for part in edited.parts]
    monkeypatch.setattr(expected_changes, "read_table", None)
    assert find_changed_expected(base, list_case_ids(base), same, list_case_ids(same)) == []


def test_parts_without_fingerprints_are_read(tmp_path: Path) -> None:
    runs = [run(tmp_path), run(tmp_path, {1: {"x": 9, "y": "é"}})]
    earlier: list[Run] = []
    for stored in runs:
        parts = tuple(replace(part, expected=()) for part in stored.manifest.parts)
        earlier.append(Run(stored.path, replace(stored.manifest, parts=parts)))
    base, edited = earlier
    assert find_changed_expected(base, list_case_ids(base), edited, list_case_ids(edited)) == ["1"]
    assert find_changed_expected(base, list_case_ids(base), base, list_case_ids(base)) == []


def test_batches_are_compared_however_many_are_in_a_part(tmp_path: Path) -> None:
    base, same = run(tmp_path), run(tmp_path)
    [part] = base.manifest.parts
    halves = (replace(part, cases=3, expected=("a",)), replace(part, first=3, cases=3, files=(), expected=("b",)))
    split = Run(base.path, replace(base.manifest, parts=halves))
    whole = Run(same.path, replace(same.manifest, parts=(replace(part, expected=("a", "b")),)))
    assert find_changed_expected(split, list_case_ids(base), whole, list_case_ids(same)) == []
