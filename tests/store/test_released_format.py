"""Runs stored by the released version 0.1.0 open with the same figures, to the bit.

`data/run-0.1.0` holds two runs that version 0.1.0 stored, and `figures.jsonl` what that version reported for them.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from fieldwise.store.run import Run, list_runs, open_run

ROOT = Path(__file__).parent / "data" / "run-0.1.0"
IDS = sorted(folder.name for folder in (ROOT / "runs").iterdir())


def reported(run: str, kind: str) -> list[Any]:
    lines = (json.loads(line) for line in (ROOT / "figures.jsonl").read_text(encoding="utf-8").splitlines())
    return [line[kind] for line in lines if line["run"] == run and kind in line]


def as_text(value: Any) -> str:
    """JSON text: Python writes each float with the digits that identify it, so equal texts are equal bits."""
    return json.dumps(value, ensure_ascii=False)


@pytest.fixture(params=IDS)
def stored(request: pytest.FixtureRequest) -> Run:
    return open_run(ROOT, request.param)


def select_recorded_keys(value: Any, recorded: Any) -> Any:
    """The value without keys that a later release added."""
    if isinstance(value, dict) and isinstance(recorded, dict):
        return {key: select_recorded_keys(value[key], recorded[key]) for key in recorded}
    if isinstance(value, list | tuple) and isinstance(recorded, list) and len(value) == len(recorded):
        return [select_recorded_keys(item, before) for item, before in zip(value, recorded, strict=True)]
    return value


def test_every_released_run_is_listed_as_finished() -> None:
    assert sorted(run.id for run in list_runs(ROOT)) == IDS
    assert {run.state for run in list_runs(ROOT)} == {"finished"}


def test_a_released_run_has_its_suite_gates_and_exit_code(stored: Run) -> None:
    assert [stored.name] == reported(stored.id, "suite")
    assert [stored.exit_code] == reported(stored.id, "exit_code")
    assert as_text([[asdict(gate) for gate in stored.gates]]) == as_text(reported(stored.id, "gates"))


def test_a_released_run_has_the_same_summary(stored: Run) -> None:
    assert as_text([stored.summary]) == as_text(reported(stored.id, "summary"))


def test_a_released_run_has_the_same_intervals_counts_and_fields(stored: Run) -> None:
    [before] = reported(stored.id, "full")
    assert as_text([select_recorded_keys(asdict(stored.full), before)]) == as_text([before])


def test_a_released_run_has_the_same_results(stored: Run) -> None:
    results = [
        {"case": result.case, "evaluator": result.evaluator, "position": result.position, **result.result.to_json()}
        for result in stored.results()
    ]
    expected = reported(stored.id, "result")
    assert len(results) == len(expected)
    for result, before in zip(results, expected, strict=True):
        assert as_text(result) == as_text(before)
