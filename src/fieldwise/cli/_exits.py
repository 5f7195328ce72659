"""Exit codes, and the messages that go with errors."""

import errno
import os
import tempfile
import traceback
from pathlib import Path
from typing import Final

import typer

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.store.errors import StoreError

CONFIG, INCOMPLETE, INTERNAL, INTERRUPTED = 2, 3, 70, 130
_CLOSED_PIPE: Final = 141
_FILES: Final = {
    errno.EACCES: "check who may read and write there, or name another place",
    errno.EPERM: "check who may read and write there, or name another place",
    errno.EROFS: "name a place that can be written to",
    errno.ENOENT: "check the path; a folder of it is not there",
    errno.ENOTDIR: "check the path; a part of it is a file, and should be a folder",
    errno.EISDIR: "name a file, not a folder",
    errno.EEXIST: "name another place: a file is where a folder should be",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.ENOSPC: "make room on the disk, or name another place",
    errno.EDQUOT: "make room on the disk, or name another place",
}
"""What is nobody's mistake in the program, with what to do about it."""


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
    if isinstance(error, OSError) and error.errno in _FILES and error.filename is not None and not debug:
        return _config(ConfigError([_file_trouble(error)]))
    if debug:
        typer.echo("".join(traceback.format_exception(error)), err=True)
    else:
        typer.echo(f"internal error: {type(error).__name__}: {_first_line(error)}\n  {_kept(error)}", err=True)
    return INTERNAL


def _file_trouble(error: OSError) -> Diagnostic:
    """A file or folder that the machine does not let us use."""
    what = f"{(error.strerror or 'it cannot be used').lower()}"
    return Diagnostic(code="file-trouble", what=what, where=Where(file=os.fsdecode(error.filename)), fix=_FILES[error.errno or 0])


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
    fix = _nearest(path, suite=what == "suite")
    raise ConfigError([Diagnostic(code="no-file", what=f"there is no {what} {path}", where=Where(file=str(path)), fix=fix)])


def _nearest(path: Path, *, suite: bool) -> str:
    from fieldwise.registry import nearest

    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder} either"
    names = sorted(entry.name for entry in folder.iterdir())
    written = [name for name in names if name.endswith((".yaml", ".yml"))] if suite else []
    like = nearest(path.name, names) or nearest(path.name, written)
    if like:
        return f"did you mean {folder / like}?"
    if not suite:
        return "check the path"
    suites = [name for name in names if name.endswith((".eval.yaml", ".eval.yml"))]
    return f"there is {', '.join(suites[:3])}" if suites else f"`fieldwise init` writes one; {folder.resolve()} has none"
