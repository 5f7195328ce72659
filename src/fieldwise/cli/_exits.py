"""Exit codes, and the messages that go with errors."""

import os
import tempfile
import traceback
from pathlib import Path
from typing import Final

import typer

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.store.trouble import StoreError

CONFIG, INCOMPLETE, INTERNAL, INTERRUPTED = 2, 3, 70, 130
_CLOSED_PIPE: Final = 141


def failed(error: Exception, *, debug: bool) -> int:
    """Say what went wrong; gives the exit code. Errors of the command line's own parser are raised again."""
    if type(error).__module__.startswith(("typer", "click")):
        raise error
    if isinstance(error, ConfigError):
        return _config(error)
    if isinstance(error, StoreError):
        typer.echo(str(error), err=True)
        return INCOMPLETE
    if isinstance(error, BrokenPipeError):
        # Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return _CLOSED_PIPE
    if debug:
        typer.echo("".join(traceback.format_exception(error)), err=True)
    else:
        typer.echo(f"internal error: {type(error).__name__}: {_first_line(error)}\n  {_kept(error)}", err=True)
    return INTERNAL


def _config(error: ConfigError) -> int:
    from fieldwise.cli._console import show_error
    from fieldwise.report.diagnostics import diagnostic_lines

    show_error(diagnostic_lines(error.diagnostics))
    return CONFIG


def _first_line(error: Exception) -> str:
    from fieldwise.report.safe import cut, safe

    return cut(safe(str(error).split("\n", 1)[0]), 300)


def _kept(error: Exception) -> str:
    """Where the traceback was written to."""
    try:
        handle, name = tempfile.mkstemp(prefix="fieldwise-error-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write("".join(traceback.format_exception(error)))
    except OSError:
        return "run `fieldwise --debug …` to see where"
    return f"the traceback is in {name}; `fieldwise --debug …` prints it. Please report it."


def needed_file(path: Path, what: str) -> Path:
    """The path, if it is there; else ConfigError with the name of the nearest file."""
    if path.exists():
        return path
    raise ConfigError([Diagnostic(code="no-file", what=f"there is no {what} {path}", where=Where(file=str(path)), fix=_nearest(path))])


def _nearest(path: Path) -> str:
    from fieldwise.registry import nearest

    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder} either"
    names = sorted(entry.name for entry in folder.iterdir())
    like = nearest(path.name, names) or nearest(path.name, [name for name in names if name.endswith((".yaml", ".yml"))])
    suites = [name for name in names if name.endswith((".eval.yaml", ".eval.yml"))]
    if like:
        return f"did you mean {folder / like}?"
    return f"there is {', '.join(suites[:3])}" if suites else f"`fieldwise init` writes one; {folder.resolve()} has none"
