"""Files that are named on the command line."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from fieldwise.cli.app import app


@pytest.mark.parametrize(
    ("package", "command"),
    [
        ("jinja2", ["run", "missing.eval.yaml", "--output", "a.html"]),
        ("xlsxwriter", ["run", "missing.eval.yaml", "--output", "a.xlsx"]),
        ("pygal", ["report", "latest", "--output", "a.html"]),
        ("xlsxwriter", ["mismatches", "latest", "--output", "a.xlsx"]),
        ("pygal", ["confidence", "latest", "--output", "a.html"]),
        ("jinja2", ["policy", "latest", "--max-error", "0.1", "--output", "a.html"]),
        ("pygal", ["mutate", "missing.eval.yaml", "--output", "a.html"]),
        ("pygal", ["runs", "trend", "fields.score", "--output", "a.html"]),
    ],
)
def test_a_format_without_its_package_is_refused_before_anything_is_read(
    package: str, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    answer = CliRunner().invoke(app, command)
    assert answer.exit_code == 2
    assert f"this format needs {package}, not installed here" in answer.stderr
    assert "pip install 'fieldwise[report]'" in answer.stderr
    assert "missing.eval.yaml" not in answer.stderr
