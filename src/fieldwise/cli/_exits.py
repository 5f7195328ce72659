"""Exit codes, error messages and SIGINT handling."""

import errno
import os
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final, NoReturn

import click

from fieldwise.cli._files import DEVICE_ERRORS
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.store.errors import StoreError

CONFIG, INCOMPLETE, INTERNAL, INTERRUPTED = 2, 3, 70, 130
_CLOSED_PIPE: Final = 141
_OUT_OF_MEMORY: Final = """there is not enough memory
  a run keeps the cases that it has stored: free some memory, then repeat the command with --resume"""
_SUITE_OPTIONS: Final = ("threshold", "tolerance", "weight", "pass_at", "match", "align", "aggregation", "columns", "fields")
"""Options of a suite that are often looked for on the command line."""
_FILE_ERROR_FIXES: Final = {
    errno.EACCES: "check the permissions, or choose another location",
    errno.EPERM: "check the permissions, or choose another location",
    errno.EROFS: "choose a writable location",
    errno.ENOENT: "check the path; one of its folders does not exist",
    errno.ENOTDIR: "check the path; a part of it is a file instead of a folder",
    errno.EISDIR: "name a file, not a folder",
    errno.EEXIST: "choose another location: a file is where a folder should be",
    errno.ENAMETOOLONG: "use a shorter name",
}
"""Errors of the file system, which are not internal errors, with their fixes."""


def report_error(error: Exception, *, debug: bool) -> int:
    """Print an error and return the exit code. Errors of the option parser are raised again."""
    if isinstance(error, click.NoSuchOption):
        raise _narrow_suggestions(error)
    if isinstance(error, click.ClickException | click.Abort | click.exceptions.Exit):
        raise error
    if isinstance(error, ConfigError):
        return _report_config_error(error)
    if isinstance(error, StoreError):
        click.echo(str(error), err=True)
        return INCOMPLETE
    if isinstance(error, MemoryError):
        click.echo(_OUT_OF_MEMORY, err=True)
        return INCOMPLETE
    if isinstance(error, BrokenPipeError):
        # Python would report the broken pipe a second time when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return _CLOSED_PIPE
    if isinstance(error, OSError) and error.errno in DEVICE_ERRORS:
        click.echo(_describe_device_error(error), err=True)
        return INCOMPLETE
    if isinstance(error, OSError) and error.errno in _FILE_ERROR_FIXES and error.filename is not None and not debug:
        return _report_config_error(ConfigError([_file_diagnostic(error)]))
    if debug:
        click.echo("".join(traceback.format_exception(error)), err=True)
    else:
        click.echo(f"internal error: {type(error).__name__}: {_first_line(error)}\n  {_save_traceback(error)}", err=True)
    return INTERNAL


def _narrow_suggestions(error: click.NoSuchOption) -> click.NoSuchOption:
    """Suggest only options that are truly similar to an unknown one; for an option of the suite, say that it belongs there."""
    from difflib import get_close_matches

    option, message = error.option_name, error.message
    similar = get_close_matches(option, error.possibilities or (), n=1, cutoff=0.75)
    suite_option = get_close_matches(option.lstrip("-").replace("-", "_"), _SUITE_OPTIONS, n=1, cutoff=0.8)
    if suite_option and not similar:
        message += f" (`{suite_option[0]}` is written in the suite; `fieldwise what-if RUN --set` tries another)"
    return click.NoSuchOption(option, message, similar, error.ctx)


def _describe_device_error(error: OSError) -> str:
    location = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return f"{location}not everything could be written: {error.strerror}\n  free some disk space, or choose another location"


def _file_diagnostic(error: OSError) -> Diagnostic:
    """Describe a file or folder that the operating system refuses."""
    what = (error.strerror or "the file cannot be used").lower()
    return Diagnostic(
        code="file-trouble", what=what, where=Where(file=os.fsdecode(error.filename)), fix=_FILE_ERROR_FIXES[error.errno or 0]
    )


def _report_config_error(error: ConfigError) -> int:
    from fieldwise.cli._console import print_error
    from fieldwise.report.terminal_layout import build_diagnostic_lines

    print_error(build_diagnostic_lines(error.diagnostics))
    return CONFIG


def _first_line(error: Exception) -> str:
    from fieldwise.report.text_format import make_visible, truncate

    return truncate(make_visible(str(error).split("\n", 1)[0]), 300)


def _save_traceback(error: Exception) -> str:
    """Write the traceback to a temporary file; return a sentence that says where it is."""
    try:
        handle, name = tempfile.mkstemp(prefix="fieldwise-error-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write("".join(traceback.format_exception(error)))
    except OSError:
        return "run `fieldwise --debug …` to print the traceback"
    return f"the traceback is in {name}; `fieldwise --debug …` prints it. Please report it."


@contextmanager
def watch_interrupts() -> Generator[Callable[[], None]]:
    """Reliable SIGINT and SIGTERM handling: yield a check that raises KeyboardInterrupt once Ctrl-C was pressed or the process was told
    to end, as by a container or a CI job that is stopped. Cases that are scored by then are stored.

    Python raises the interrupt wherever it happens to be, and some libraries discard exceptions of the callbacks they run.
    """
    pressed = threading.Event()

    def handle_signal(number: int, frame: FrameType | None) -> None:
        pressed.set()
        signal.default_int_handler(number, frame)

    def check() -> None:
        if pressed.is_set():
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield check  # only the main thread may install a handler, and an existing one is left in place
        return
    previous = {number: signal.signal(number, handle_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield check
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def exit_interrupted() -> NoReturn:
    """End the process at once: everything is stored by now, and freeing the memory of a large run takes seconds."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # a closed stream must not keep the process alive
            stream.flush()
    os._exit(INTERRUPTED)
