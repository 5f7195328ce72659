"""Baselines: written to a small file, compared case by case, used by gates."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.store.baseline import MAX_CASES, compare_with_baseline, load_baseline, save_baseline
from fieldwise.store.run import Run, open_run

GATE = {"regression": {"metric": "fields.score", "max_drop": 0.01}}


def run(folder: Path, wrong: set[int], cases: int = 40, gate: Any = None, baseline: Any = None) -> Run:
    """A run in which the total of some cases is wrong."""
    lines = [
        {"id": f"c{at}", "expected": {"total": at + 1, "name": "Acme"}, "actual": {"total": 0 if at in wrong else at + 1, "name": "Acme"}}
        for at in range(cases)
    ]
    (folder / "data.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    evaluators = [{"type": "field_accuracy", "name": "fields", "fields": ["total", "name"]}]
    suite = {"name": "invoices", "cases": str(folder / "data.jsonl"), "evaluators": evaluators} | ({"gate": gate} if gate else {})
    return fw.run(suite, root=folder / "store", baseline=baseline)


def test_a_baseline_of_a_thousand_cases_is_small_enough_to_commit(tmp_path: Path) -> None:
    path = save_baseline(run(tmp_path, {1}, cases=1000), tmp_path / "b.json")
    assert path.stat().st_size < 60_000
    assert load_baseline(path)["of"] == 1000


def test_a_larger_run_keeps_the_same_sample_every_time(tmp_path: Path) -> None:
    new_run = run(tmp_path, {1}, cases=MAX_CASES + 500)
    samples = [load_baseline(save_baseline(new_run, tmp_path / name))["cases"] for name in ("a.json", "b.json")]
    assert samples[0] == samples[1]
    assert len(samples[0]) == MAX_CASES


def test_a_shown_drop_beyond_the_limit_fails_the_gate(tmp_path: Path) -> None:
    path = save_baseline(run(tmp_path, set()), tmp_path / "b.json")
    new_run = run(tmp_path, set(range(15)), gate=GATE, baseline=path)
    assert new_run.exit_code == 1
    [gate] = new_run.gates
    assert not gate.passed
    assert "went from 1.0000 to 0.8125" in gate.message


def test_a_run_as_good_as_its_baseline_passes(tmp_path: Path) -> None:
    path = save_baseline(run(tmp_path, {1}), tmp_path / "b.json")
    assert run(tmp_path, {1}, gate=GATE, baseline=path).exit_code == 0


def test_a_baseline_that_samples_a_large_run_is_enough_for_a_gate(tmp_path: Path) -> None:
    path = save_baseline(run(tmp_path, {1}, cases=MAX_CASES + 1000), tmp_path / "b.json")
    new_run = run(tmp_path, {1}, cases=MAX_CASES + 1000, gate={"regression": GATE["regression"] | {"per_field": True}}, baseline=path)
    assert new_run.exit_code == 0
    assert [result.passed for result in new_run.gates] == [True] * 3


def test_a_drop_that_may_be_chance_passes_and_says_so(tmp_path: Path) -> None:
    path = save_baseline(run(tmp_path, set()), tmp_path / "b.json")
    new_run = run(tmp_path, {1}, gate=GATE, baseline=path)
    assert new_run.exit_code == 0
    assert "may be chance" in new_run.gates[0].message


def test_every_field_can_be_held_to_it(tmp_path: Path) -> None:
    path = save_baseline(run(tmp_path, set()), tmp_path / "b.json")
    gate = {"regression": {"metric": "fields.score", "max_drop": 0.5, "per_field": True}}
    new_run = run(tmp_path, set(range(30)), gate=gate, baseline=path)
    assert [result.passed for result in new_run.gates] == [True, True, False]
    assert "total" in new_run.gates[2].gate


def test_a_run_is_compared_with_a_stored_run_too(tmp_path: Path) -> None:
    base = run(tmp_path, {1})
    new_run = run(tmp_path, {2}, baseline=base.id)
    assert new_run.changes is not None
    assert list(new_run.changes.evaluators["fields"].fixed) == ["c1"]
    assert open_run(tmp_path / "store", new_run.id).changes == new_run.changes


def test_a_regression_gate_without_a_baseline_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(fw.ConfigError, match="no baseline"):
        run(tmp_path, set(), gate=GATE)
    assert not list((tmp_path / "store").glob("runs/*"))


@pytest.mark.parametrize("content", ["", "[]", '{"format": 99}', "{"])
def test_a_torn_or_foreign_baseline_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "b.json").write_text(content)
    with pytest.raises(fw.ConfigError, match=r"b\.json"):
        run(tmp_path, set(), baseline=tmp_path / "b.json")


def test_a_gate_on_what_the_baseline_does_not_have_never_passes(tmp_path: Path) -> None:
    path = save_baseline(run(tmp_path, set()), tmp_path / "b.json")
    gate = {"regression": {"metric": "fields.fields_matched", "max_drop": 0.01}}
    new_run = run(tmp_path, set(), gate=gate, baseline=path)
    assert new_run.exit_code == 3
    assert "not measured" in new_run.gates[0].message


def list_places(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The keys to every value of a document: of lists, to the first item only."""
    children = value.items() if isinstance(value, dict) else list(enumerate(value))[:1] if isinstance(value, list) else ()
    return [place, *(entry for key, child in children for entry in list_places(child, (*place, key)))]


def test_a_value_of_a_wrong_type_anywhere_is_a_configuration_error_or_harmless(tmp_path: Path) -> None:
    new_run = run(tmp_path, {1}, cases=6)
    path = save_baseline(new_run, tmp_path / "b.json")
    written = path.read_text()
    refused: set[tuple[Any, ...]] = set()
    for place in list_places(json.loads(written))[1:]:
        for value in ("x", {"r": [1]}, [1], 3.5, None, True):
            content = json.loads(written)
            parent = content
            for key in place[:-1]:
                parent = parent[key]
            parent[place[-1]] = value
            path.write_text(json.dumps(content))
            try:
                compare_with_baseline(path, new_run)
            except fw.ConfigError:
                refused.add(place)
    assert {("cases", 0), ("of",), ("expected", 0), ("evaluators",), ("evaluators", 0, "verdict", 0)} <= refused


@pytest.mark.parametrize(
    ("column", "value"), [("verdict", "x"), ("verdict", {}), ("verdict", 7), ("metrics", "x"), ("metrics", {}), ("fields", [1])]
)
def test_a_wrong_type_in_a_column_names_it(tmp_path: Path, column: str, value: Any) -> None:
    path = save_baseline(run(tmp_path, {1}, cases=6), tmp_path / "b.json")
    content = json.loads(path.read_text())
    values = content["evaluators"][0][column]
    if column != "verdict":
        name, values = next(iter(values.items()))
        column = f"{column}.{name}"
    values[2] = value
    path.write_text(json.dumps(content))
    with pytest.raises(fw.ConfigError, match=f"a value of a wrong type in `fields.{column}`"):
        load_baseline(path)


def test_a_gate_on_a_count_says_that_a_file_has_none(tmp_path: Path) -> None:
    cases = [{"id": f"c{at}", "expected": {"a": at}, "actual": {"a": at}} for at in range(10)]
    suite: dict[str, Any] = {"name": "s", "evaluators": [{"type": "field_prf"}]}
    before = fw.run(suite, cases=cases, root=tmp_path / "store")
    path = save_baseline(before, tmp_path / "b.json")
    gated = suite | {"gate": {"regression": {"metric": "field_prf.wrong_value", "max_drop": 0.01}}}
    against_file = fw.run(gated, cases=cases, root=tmp_path / "store", baseline=path)
    assert against_file.exit_code == 3
    assert "a baseline file keeps no counts" in against_file.gates[0].message
    assert fw.run(gated, cases=cases, root=tmp_path / "store", baseline=before.id).exit_code == 0


def run_nearly_right(folder: Path, baseline: Any = None) -> Run:
    """A run whose scores are 10/11, which no decimal number holds; with a gate on any drop where there is a baseline."""
    cases = [{"id": f"c{at}", "expected": {"title": "hello world"}, "actual": {"title": "hello worl"}} for at in range(20)]
    evaluator = {"type": "field_accuracy", "name": "fields", "fields": [{"path": "title", "match": "fuzzy"}]}
    suite: dict[str, Any] = {"name": "s", "evaluators": [evaluator]}
    if baseline is not None:
        suite["gate"] = {"regression": {"metric": "fields.score", "max_drop": 0, "per_field": True}}
    return fw.run(suite, cases=cases, root=folder / "store", baseline=baseline)


def round_to_six_digits(path: Path) -> None:
    """Make a baseline file what earlier versions wrote."""
    content = json.loads(path.read_text())
    del content["exact"]
    for evaluator in content["evaluators"]:
        for part in ("metrics", "fields"):
            evaluator[part] = {name: [round(value, 6) for value in values] for name, values in evaluator[part].items()}
    path.write_text(json.dumps(content))


@pytest.mark.parametrize("is_rounded", [False, True])
def test_a_run_is_no_worse_than_its_own_baseline_file(tmp_path: Path, is_rounded: bool) -> None:
    path = save_baseline(run_nearly_right(tmp_path), tmp_path / "b.json")
    if is_rounded:
        round_to_six_digits(path)
    again = run_nearly_right(tmp_path, path)
    assert again.exit_code == 0
    assert again.changes is not None
    evaluator = again.changes.evaluators["fields"]
    changes = [*evaluator.metrics, *evaluator.fields]
    assert {(change.delta, change.p) for change in changes} == {(0.0, 1.0)}


def test_a_rounded_file_still_shows_what_changed(tmp_path: Path) -> None:
    path = save_baseline(run(tmp_path, {1, 2}), tmp_path / "b.json")
    round_to_six_digits(path)
    change = compare_with_baseline(path, run(tmp_path, {2}, cases=38)).change("fields.score")
    assert change.n == 38
    assert change.delta == pytest.approx(0.5 / 38)


def run_optional(folder: Path, given: int, invented: int = 0, gate: Any = None, baseline: Any = None) -> Run:
    """A run over 100 cases of which the first have the optional field, and the first have an unexpected key."""
    cases = [
        {
            "id": f"c{at}",
            "expected": {"a": at, "b": "x"},
            "actual": {"a": at} | ({"b": "x"} if at < given else {}) | ({"z": 1} if at < invented else {}),
        }
        for at in range(100)
    ]
    fields = {"type": "field_accuracy", "name": "fields", "fields": ["a", {"path": "b", "required": False}]}
    suite: dict[str, Any] = {"name": "s", "evaluators": [fields, {"type": "field_prf"}]} | ({"gate": gate} if gate else {})
    return fw.run(suite, cases=cases, root=folder / "store", baseline=baseline)


@pytest.mark.parametrize(("given", "code"), [(100, 0), (95, 0), (80, 3), (1, 3), (0, 3)])
def test_a_field_that_is_hardly_measured_any_more_never_passes(tmp_path: Path, given: int, code: int) -> None:
    path = save_baseline(run_optional(tmp_path, 100), tmp_path / "b.json")
    gate = {"regression": {"metric": "fields.score", "max_drop": 0.01, "per_field": True}}
    new_run = run_optional(tmp_path, given, gate=gate, baseline=path)
    assert new_run.exit_code == code
    of_field = {result.gate: result for result in new_run.gates}["regression of b <= 0.01"]
    assert (of_field.passed, "not measured" in of_field.message) == (code == 0, code == 3)


def test_a_key_that_was_invented_less_often_is_no_field_to_miss(tmp_path: Path) -> None:
    gate = {"regression": {"metric": "field_prf.score", "max_drop": 0.01, "per_field": True}}
    path = save_baseline(run_optional(tmp_path, 100, invented=40), tmp_path / "b.json")
    for invented in (0, 4, 40):
        assert run_optional(tmp_path, 100, invented=invented, gate=gate, baseline=path).exit_code == 0
