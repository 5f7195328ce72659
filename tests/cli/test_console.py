"""What is printed on a terminal and in logs."""

from io import StringIO

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
