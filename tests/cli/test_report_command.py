"""`fieldwise report`."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from fieldwise.cli.app import app

runner = CliRunner()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert runner.invoke(app, ["demo"]).exit_code == 0
    return tmp_path


def test_a_stored_run_is_written_in_every_format(folder: Path) -> None:
    names = ["a.html", "a.md", "a.junit.xml", "a.json", "a.jsonl", "a.csv", "a.xlsx", "a.parquet", "eval-results.json"]
    output = runner.invoke(app, ["report", "latest", *(part for name in names for part in ("--output", name))])
    assert output.exit_code == 0
    assert all((folder / name).stat().st_size > 500 for name in names)
    assert (folder / "a.html").read_text().startswith("<!doctype html>")


def test_a_name_that_says_nothing_is_refused(folder: Path) -> None:
    output = runner.invoke(app, ["report", "latest", "--output", "a.pdf"])
    assert output.exit_code == 2
    assert ".html" in output.stderr


def test_a_report_without_a_name_is_html(folder: Path) -> None:
    assert runner.invoke(app, ["report"]).exit_code == 0
    assert (folder / "report.html").exists()
