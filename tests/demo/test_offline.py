"""The demo with fields compared by meaning, in a network namespace that has no network at all."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CUT = ["unshare", "-rn"]


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """The demo's own suite, with its free texts compared by meaning."""
    copied = subprocess.run(
        [sys.executable, "-m", "fieldwise", "demo", "--copy", str(tmp_path)], check=False, capture_output=True, text=True
    )
    assert copied.returncode == 0, copied.stderr
    strategies = json.loads((tmp_path / "strategies.json").read_text())
    (tmp_path / "strategies.json").write_text(json.dumps({**strategies, "payment_terms": "SEMANTIC", "notes": "SEMANTIC"}))
    suite = (tmp_path / "invoices.eval.yaml").read_text()
    for field, match in (("payment_terms", "exact"), ("notes", "fuzzy")):
        assert f"{field}, match: {match}" in suite
        suite = suite.replace(f"{field}, match: {match}", f"{field}, match: semantic")
    (tmp_path / "invoices.eval.yaml").write_text(suite.replace("default_text: FUZZY", "default_text: SEMANTIC"))
    return tmp_path


def test_the_demo_with_semantic_fields_works_without_a_network(demo: Path) -> None:
    if shutil.which("unshare") is None or subprocess.run([*CUT, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system does not let us cut the network off (unshare -rn)")
    reach = "import socket; socket.create_connection(('198.51.100.1', 80), 1)"
    assert subprocess.run([*CUT, sys.executable, "-c", reach], capture_output=True, check=False).returncode, "there is a network after all"
    command = [*CUT, sys.executable, "-m", "fieldwise", "run", "invoices.eval.yaml", "--format", "json"]
    actual = subprocess.run(command, cwd=demo, capture_output=True, text=True, check=False)
    assert actual.returncode == 0, actual.stdout[-2000:] + actual.stderr
    output = json.loads(actual.stdout)
    assert {result["status"] for result in output["results"] if result["case"] != "acme-10066"} == {"scored"}
    strategies = [result["details"]["strategies"] for result in output["results"] if result["evaluator"] == "json_quality"]
    assert sum(strategy == "SEMANTIC" for entry in strategies for strategy in entry.values()) > 20
    assert all(gate["passed"] for gate in output["gates"])
