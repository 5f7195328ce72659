"""Two stored runs, compared."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import fieldwise as fw
import fieldwise.store.writer
from fieldwise.store.run import Run
from fieldwise.store.run_metrics import compare_runs, list_case_ids, load_metrics
from fieldwise.study.pack import PackOptions, build_pack, count_case_causes


def run(folder: Path, wrong: set[int], cases: int = 40) -> Run:
    """A run in which the total of some cases is wrong."""
    lines = [
        {"id": f"c{at}", "expected": {"total": at + 1, "name": "Acme"}, "actual": {"total": 0 if at in wrong else at + 1, "name": "Acme"}}
        for at in range(cases)
    ]
    data = folder / "data.jsonl"
    data.write_text("\n".join(json.dumps(line) for line in lines))
    evaluators = [{"type": "field_accuracy", "name": "fields", "fields": ["total", "name"]}]
    return fw.run({"name": "invoices", "cases": str(data), "evaluators": evaluators}, root=folder / "store", chunk=10)


def without_the_middle_part(stored: Run) -> Run:
    """The run as an interrupted one whose second part of several is missing."""
    parts = stored.manifest.parts
    assert [part.first for part in parts] == [0, 10, 20, 30]
    return Run(stored.path, replace(stored.manifest, parts=(parts[0], *parts[2:])))


@pytest.mark.parametrize("gap_in", ["base", "new"])
def test_a_run_without_a_part_in_its_middle_is_compared_case_by_case(tmp_path: Path, gap_in: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fieldwise.store.writer, "PART_CASES", 10)
    base, new = run(tmp_path, {0, 12, 35}), run(tmp_path, {0, 13, 36})
    gapped = without_the_middle_part(base if gap_in == "base" else new)
    changes = compare_runs(gapped, new) if gap_in == "base" else compare_runs(base, gapped)
    change = changes.evaluators["fields"]
    assert (change.fixed, change.broken, change.still_broken) == (["c35"], ["c36"], ["c0"])
    assert changes.change("fields.score").n == 30
    missing = changes.only_in_new if gap_in == "base" else changes.only_in_base
    assert missing == [f"c{at}" for at in range(10, 20)]


def test_the_pack_of_a_run_without_a_part_in_its_middle_has_the_right_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fieldwise.store.writer, "PART_CASES", 10)
    gapped = without_the_middle_part(run(tmp_path, {0, 12, 35}))
    pack = build_pack(gapped, PackOptions())
    assert pack.cases == [f"c{at}" for at in (*range(10), *range(20, 40))]
    assert {case for cases in pack.mismatches.values() for case in cases} == {"c0", "c35"}
    assert {example.case for example in pack.examples if example.kind == "failure"} == {"c0", "c35"}
    ids, mismatches = count_case_causes(gapped, "fields")
    assert (ids, mismatches) == (pack.cases, pack.mismatches)


def test_fixed_broken_and_still_broken_cases_are_told_apart(tmp_path: Path) -> None:
    changes = compare_runs(run(tmp_path, {0, 1, 2}), run(tmp_path, {2, 3}))
    change = changes.evaluators["fields"]
    assert (change.fixed, change.broken, change.still_broken) == (["c0", "c1"], ["c3"], ["c2"])


def test_a_clear_drop_is_worse_in_score_pass_rate_and_field(tmp_path: Path) -> None:
    changes = compare_runs(run(tmp_path, set()), run(tmp_path, set(range(20))))
    assert changes.change("fields.score").verdict == "worse"
    assert changes.change("fields.score").delta == pytest.approx(-0.25)
    assert changes.change("fields.pass_rate").verdict == "worse"
    assert changes.change("fields.pass_rate").test == "McNemar"
    assert {field.name: field.verdict for field in changes.evaluators["fields"].fields} == {"name": "no difference shown", "total": "worse"}


def test_a_clear_rise_is_better(tmp_path: Path) -> None:
    assert compare_runs(run(tmp_path, set(range(20))), run(tmp_path, set())).change("fields.score").verdict == "better"


def test_one_case_more_or_less_shows_nothing(tmp_path: Path) -> None:
    change = compare_runs(run(tmp_path, {0}), run(tmp_path, {1})).change("fields.score")
    assert change.verdict == "no difference shown"
    assert change.low is not None
    assert change.high is not None
    assert change.low < 0 < change.high


def test_few_cases_are_not_enough(tmp_path: Path) -> None:
    assert compare_runs(run(tmp_path, {0}, cases=4), run(tmp_path, {1}, cases=4)).change("fields.score").verdict == "not enough cases"


def test_cases_that_only_one_run_has_are_named_and_left_out(tmp_path: Path) -> None:
    changes = compare_runs(run(tmp_path, {0}, cases=12), run(tmp_path, {0}, cases=14))
    assert (list(changes.only_in_base), list(changes.only_in_new)) == ([], ["c12", "c13"])
    assert changes.evaluators["fields"].n == 12
    assert "the suites differ" not in changes.notes


def test_suites_that_name_other_data_are_said_to_have_the_same_rules(tmp_path: Path) -> None:
    rows = [{"id": "a", "expected": {"total": 1}, "actual": {"total": 1}}]
    runs: list[fw.Run] = []
    for name, match in (("first", "exact"), ("second", "exact"), ("third", "numeric_tolerance")):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        suite = tmp_path / f"{name}.eval.yaml"
        suite.write_text(
            f"name: s\ncases: {name}.jsonl\nevaluators:\n  - {{type: field_accuracy, fields: [{{path: total, match: {match}}}]}}\n"
        )
        runs.append(fw.run(suite, root=tmp_path))
    assert "the suites differ, but not in their rules" in compare_runs(runs[0], runs[1]).notes
    notes = compare_runs(runs[0], runs[2]).notes
    assert "the suites differ" in notes
    assert "the rules of `field_accuracy` differ, so a change may come from them" in notes


def test_a_metric_that_is_not_there_is_a_key_error(tmp_path: Path) -> None:
    changes = compare_runs(run(tmp_path, {0}), run(tmp_path, {1}))
    with pytest.raises(KeyError):
        changes.change("fields.nope")


def test_a_field_of_list_items_is_their_mean_in_each_case(tmp_path: Path) -> None:
    cases = [
        {"id": "half", "expected": {"a": 1, "items": [{"x": 1}, {"x": 2}]}, "actual": {"a": 1, "items": [{"x": 1}, {"x": 9}]}},
        {"id": "none", "expected": {"a": 1}, "actual": {"a": 1}},
        {"id": "third", "expected": {"a": 1, "items": [{"x": 1}]}, "actual": {"a": 2, "items": [{"x": 1}, {"x": 5}, {"x": 6}]}},
    ]
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, cases)))
    evaluators = [{"type": "field_accuracy", "name": "fields", "fields": ["a", "items[*].x"]}]
    stored = fw.run({"name": "s", "cases": str(tmp_path / "data.jsonl"), "evaluators": evaluators}, root=tmp_path / "store")
    metrics = load_metrics(stored, "fields", list_case_ids(stored))
    assert metrics.fields["a"].tolist() == [1.0, 1.0, 0.0]
    assert metrics.fields["items[*].x"].tolist() == [0.5, pytest.approx(float("nan"), nan_ok=True), pytest.approx(1 / 3)]
    assert metrics.verdict.tolist() == [1, 2, 1]


def test_fields_keep_their_exact_means_whatever_the_width_of_their_column(tmp_path: Path) -> None:
    """A case without a field leaves a gap, and a mean of a third does not fit into 32 bits."""
    items = [["a"], None, ["a", "b"], ["a", "b", "c"]]
    lines = []
    for at, expected in enumerate(items):
        sides = {} if expected is None else {"expected": expected, "actual": ["a", *("x" for _ in expected[1:])]}
        records = {side: {"name": "n", **({"items": sides[side]} if sides else {})} for side in ("expected", "actual")}
        lines.append({"id": f"c{at}", **records})
    evaluators = [{"type": "field_accuracy", "name": "fields", "fields": ["name", "items[*]"]}]
    stored = fw.run({"name": "lists", "evaluators": evaluators}, cases=lines, root=tmp_path / "store")
    fields = load_metrics(stored, "fields", list_case_ids(stored)).fields
    assert fields["name"].tolist() == [1.0, 1.0, 1.0, 1.0]
    assert fields["items[*]"].tolist() == pytest.approx([1.0, float("nan"), 1 / 2, 1 / 3], abs=0, nan_ok=True)
    assert {name: column.dtype.name for name, column in fields.items()} == {"name": "float32", "items[*]": "float64"}


def test_groups_of_very_different_size_are_noted_where_the_common_cases_have_them(tmp_path: Path) -> None:
    def run_groups(sizes: list[int]) -> Run:
        cases = [
            {"id": f"d{group}-{at}", "document": group, "expected": {"a": 1}, "actual": {"a": at % 2}}
            for group, size in enumerate(sizes)
            for at in range(size)
        ]
        suite = {"group": "metadata.document", "evaluators": [{"type": "field_accuracy", "fields": ["a"]}]}
        return fw.run(suite, cases=cases, root=tmp_path / "store")

    uneven, even = run_groups([50, 50] + [2] * 10), run_groups([2] * 12)
    note = "the 12 groups differ much in size and weigh about as much as 3 equal ones"
    assert any(text.startswith(note) for text in compare_runs(uneven, uneven).notes)
    for base, new in ((uneven, even), (even, uneven), (even, even)):
        assert not any("differ much" in text for text in compare_runs(base, new).notes)
