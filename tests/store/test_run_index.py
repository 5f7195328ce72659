"""Ids of cases are looked up in the columns of a run."""

import subprocess
import sys
from pathlib import Path

import pytest

import fieldwise as fw
from fieldwise.store.run_index import load_case_ids

LOOK_UP = """
import sys
from fieldwise.store.run import open_run
from fieldwise.store.run_index import load_case_ids
assert load_case_ids(open_run({root!r})).position("c2") == 2
print("pandas" in sys.modules)
"""


@pytest.fixture
def stored(tmp_path: Path) -> fw.Run:
    """Four cases."""
    cases = [{"id": f"c{number}", "expected": {"a": number}, "actual": {"a": number}} for number in range(4)]
    return fw.run({"evaluators": [{"type": "field_accuracy"}]}, cases=cases, root=tmp_path)


def test_a_case_is_found_by_its_id(stored: fw.Run) -> None:
    ids = load_case_ids(stored)
    assert [ids.position(case_id) for case_id in ("c0", "c3", "c", "\ud800")] == [0, 3, None, None]
    assert ids.at([3, 0]) == ["c3", "c0"]


def test_finding_a_case_by_its_id_leaves_pandas_alone(stored: fw.Run) -> None:
    code = LOOK_UP.format(root=str(stored.path.parent.parent))
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"
