"""`--format agent`: less than 4 KB of JSON."""

import json
from pathlib import Path
from typing import Any

from report_factory import stored

import fieldwise as fw
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.report.agent_output import render_agent, render_agent_errors
from fieldwise.store.run import Run


def _read(run: Run) -> dict[str, Any]:
    text = render_agent(run)
    assert len(text.encode()) < 4096
    return json.loads(text)


def test_the_verdict_gates_and_worst_fields_are_there(demo: Run) -> None:
    document = _read(demo)
    assert document["exit_code"] == demo.exit_code
    assert document["verdict"] in ("passed", "failed", "no gate")
    assert document["scores"]["fields"] == round(demo.summary["fields.score"], 4)
    worst = document["worst_fields"][0]
    assert worst["wrong"] == max(field.n - field.matched for field in demo.fields("fields"))
    assert {"field", "cause", "advice", "example"} <= worst.keys()
    assert document["next"].startswith(f"fieldwise mismatches {demo.id} --field ")


def test_a_failing_gate_comes_first(states: Run) -> None:
    document = _read(states)
    assert document["gates"] == [{"gate": "fields.score >= 0.9", "passed": False, "value": document["gates"][0]["value"]}]
    assert document["verdict"] == "incomplete"
    assert document["problems"]


def test_gates_that_are_left_out_are_counted_and_a_failing_one_is_not(tmp_path: Path) -> None:
    names = [f"e{number}" for number in range(14)]
    evaluators = "\n".join(f"  - {{type: field_accuracy, name: {name}, fields: [x]}}" for name in names)
    gates = "\n".join(f"  {name}.score: '{'>=' if name == names[-1] else '<'} 0.9'" for name in names)
    suite = f"cases: cases.jsonl\nevaluators:\n{evaluators}\ngate:\n{gates}\n"
    document = _read(stored(tmp_path, [{"id": "1", "expected": {"x": 1}, "actual": {"x": 2}}], suite))
    assert document["gates"][0] == {"gate": "e13.score >= 0.9", "passed": False, "value": 0.0}
    assert (len(document["gates"]), document["more_gates"]) == (10, 4)


def test_hostile_and_long_data_stays_under_the_limit(hostile: Run, tmp_path: Path) -> None:
    _read(hostile)
    expected = {f"{'very_long_name_' * 20}{number}": "ä" * 400 for number in range(60)}
    cases = [{"id": "c" * 300, "expected": expected, "actual": dict.fromkeys(expected, "ö" * 400)}]
    gates = "\n".join(f"  fields.score: '>= 0.{number}'" for number in range(1))
    suite = f"name: {'n' * 200}\ncases: cases.jsonl\nevaluators:\n  - {{type: field_prf, name: fields}}\ngate:\n{gates}\n"
    document = _read(stored(tmp_path, cases, suite))
    assert document["verdict"]
    assert document["next"]


def test_outputs_that_cannot_be_read_are_a_problem(tmp_path: Path) -> None:
    cases = [{"id": str(number), "expected": {"a": 1}, "actual": "{bad"} for number in range(3)]
    run = fw.run(
        {"evaluators": [{"type": "field_prf"}]}, cases=[*cases, {"id": "x", "expected": {"a": 1}, "actual": {"a": 1}}], root=tmp_path
    )
    assert _read(run)["problems"][0]["what"] == "3 cases without a readable output, counted as 0"


def test_the_example_beside_a_cause_has_this_cause(tmp_path: Path) -> None:
    wrong = [{"id": "lowest", "expected": {"a": "INV-1"}, "actual": {"a": "something else"}}]
    wrong += [{"id": f"c{number}", "expected": {"a": f"ABC {number}"}, "actual": {"a": f"abc {number}"}} for number in range(3)]
    run = fw.run({"evaluators": [{"type": "field_accuracy", "name": "fields", "fields": ["a"]}]}, cases=wrong, root=tmp_path)
    [worst] = _read(run)["worst_fields"]
    assert worst["cause_count"] == 3
    assert worst["example"]["case"] == "c0"


def test_problems_of_a_suite_are_json_too() -> None:
    problems = [Diagnostic(code="x", what=f"problem {n} " + "y" * 900, where=Where(file="s.yaml", line=n), fix="z") for n in range(40)]
    text = render_agent_errors(problems, 2)
    document = json.loads(text)
    assert len(text.encode()) < 4096
    assert document["exit_code"] == 2
    assert document["problems"][0]["where"].startswith("s.yaml:0") or document["problems"][0]["where"]
    assert document["more_problems"] == 34


def test_a_field_without_a_known_cause_says_so(tmp_path: Path) -> None:
    cases = [{"id": "a", "expected": {"x": "green"}, "actual": {"x": "seven"}}]
    run = fw.run({"evaluators": [{"type": "field_accuracy", "fields": ["x"]}]}, cases=cases, root=tmp_path)
    [worst] = _read(run)["worst_fields"]
    assert (worst["cause"], worst["advice"]) == (None, None)
