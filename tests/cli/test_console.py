"""What is printed on a terminal and in logs."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from fieldwise.cli._console import print_page
from fieldwise.report.terminal_layout import build_command_line, stack_parts, styled_text


class Terminal(StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Always true."""
        return True


@pytest.mark.parametrize("form", ["rich", "plain"])
def test_a_command_longer_than_the_terminal_is_printed_as_one_line_to_be_copied(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    command = "fieldwise --root 'a long folder' explain latest 'a case with a long name'"
    output = Terminal()
    print_page(stack_parts(styled_text("word " * 12), build_command_line("next: ", command)), form, file=output)
    lines = [line.strip() for line in output.getvalue().splitlines()]
    assert any(command in line for line in lines)
    assert max(len(line) for line in lines if "word" in line) <= (40 if form == "rich" else 120)  # prose is still wrapped


@pytest.mark.parametrize("form", ["plain", "json"])
def test_reports_are_written_although_the_standard_output_was_closed(folder: Path, form: str) -> None:
    arguments = ["run", "small.eval.yaml", "--all", "--format", form, "-o", "report.html", "-o", "report.json"]
    command = [sys.executable, "-m", "fieldwise", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.wait(timeout=60)
    assert json.loads((folder / "report.json").read_text())["results"]
    assert "</html>" in (folder / "report.html").read_text()
