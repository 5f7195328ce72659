"""Where output goes, and how it looks there."""

import sys
from typing import IO

from rich.console import Console, RenderableType

from fieldwise.cli._program import CALLED
from fieldwise.report.parts import render
from fieldwise.report.view import Show

PLAIN_WIDTH = 120
"""Plain output is the same whatever the terminal, so that logs can be compared."""
UNBROKEN = 10_000
"""Wider than any message."""


def console(form: str = "rich", *, file: IO[str] | None = None) -> Console:
    """The console for a format: plain has no colour and a fixed width; rich has colour where there is a terminal."""
    plain = form != "rich"
    target = file or sys.stdout
    width = PLAIN_WIDTH if plain else None if target.isatty() else 100
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


def show(content: RenderableType, form: str = "rich", *, file: IO[str] | None = None) -> None:
    """Print a page. Where no terminal looks, lines end where their text ends."""
    output = console(form, file=file)
    if output.is_terminal and form == "rich":
        output.print(content)
    else:
        output.file.write(render(content, width=output.width))


def error_console() -> Console:
    """The console for messages about what went wrong."""
    return console(file=sys.stderr)


def show_error(content: RenderableType) -> None:
    """Print what went wrong. Where no terminal looks, no line is broken, so that a message can be found as it is written."""
    output = error_console()
    if output.is_terminal:
        output.print(content)
    else:
        output.file.write(render(content, width=UNBROKEN))


def room(form: str, *, everything: bool = False, file: IO[str] | None = None) -> Show:
    """How much to show there."""
    width = min(console(form, file=file).width, 160)
    return Show(width=width, plain=form == "plain", everything=everything, command=CALLED.get())
