"""Expected values that were edited between two runs are counted, and the comparison says so."""

import json
from pathlib import Path
from typing import Any

import fieldwise as fw
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
