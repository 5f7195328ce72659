"""A folder of one's own, and the command line in it."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fieldwise.cli.app import app

sys.path.insert(0, str(Path(__file__).parent))

from cli_cases import write_jsonl

Run = Callable[..., Result]

SUITE = """name: small
cases: cases.jsonl
evaluators:
  - type: field_accuracy
    name: fields
    fields:
      - {path: number, match: exact}
      - {path: total, match: numeric_tolerance, tolerance: 0.01}
  - type: field_prf
"""
CASES = [
    {"id": "a", "expected": {"number": "A-1", "total": 5.0}, "actual": {"number": "A-1", "total": 5.0}, "tags": ["de"], "split": "train"},
    {"id": "b", "expected": {"number": "B-10", "total": 7.0}, "actual": {"number": "B-1O", "total": 7.0}, "tags": ["fr"], "split": "test"},
    {"id": "c", "expected": {"number": "C-1", "total": 9.0}, "actual": {"number": "C-1", "total": 90.0}, "tags": ["de"], "split": "test"},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a small suite in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.eval.yaml").write_text(SUITE)
    write_jsonl(tmp_path / "cases.jsonl", CASES)
    return tmp_path


@pytest.fixture
def fieldwise() -> Run:
    """Calls the command line; the result has exit_code, stdout and stderr."""
    runner = CliRunner()

    def call(*arguments: object, input: str | None = None) -> Result:
        return runner.invoke(app, [str(argument) for argument in arguments], input=input)

    return call
