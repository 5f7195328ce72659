"""Consoles for standard output and standard error."""

import sys
from typing import IO

from rich.console import Console, RenderableType

from fieldwise.cli._options import Program
from fieldwise.report.terminal_layout import DisplayOptions, render_text

PLAIN_WIDTH = 120
"""Fixed width of plain output, so that logs from different terminals can be compared."""
UNWRAPPED_WIDTH = 10_000
"""Wider than any message."""


def make_console(form: str = "rich", *, file: IO[str] | None = None) -> Console:
    """Create the console for a format: plain has no colour and a fixed width; rich has colour on a terminal."""
    plain = form != "rich"
    target = file or sys.stdout
    width = None
    if plain:
        width = PLAIN_WIDTH
    elif not target.isatty():
        width = 100
    return Console(
        file=target,
        width=width,
        no_color=True if plain else None,
        color_system=None if plain else "auto",
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )


def print_page(content: RenderableType, form: str = "rich", *, file: IO[str] | None = None) -> None:
    """Print a page. Output that does not go to a terminal has no trailing spaces."""
    output = make_console(form, file=file)
    if output.is_terminal and form == "rich":
        output.print(content, crop=False)  # the terminal wraps a long command itself, so that it is copied whole
    else:
        output.file.write(render_text(content, width=output.width))


def error_console() -> Console:
    """Create the console for standard error."""
    return make_console(file=sys.stderr)


def print_error(content: RenderableType) -> None:
    """Print an error message. Lines are wrapped only on a terminal, so that logs can be searched for a message."""
    output = error_console()
    if output.is_terminal:
        output.print(content)
    else:
        output.file.write(render_text(content, width=UNWRAPPED_WIDTH))


def display_options(form: str, program: Program, *, show_all: bool = False, file: IO[str] | None = None) -> DisplayOptions:
    """Width, format and detail of a page on that console."""
    width = min(make_console(form, file=file).width, 160)
    return DisplayOptions(width=width, plain=form == "plain", everything=show_all, command=program.command)
