"""A judge's process: started without a shell, fed, read, watched, and ended with everything it started."""

import os
import secrets
import selectors
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import IO, Final

from fieldwise.ask.processes import MARK, end_all, load_of
from fieldwise.model.ask import Command

HARMLESS: Final = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
"""Environment variables that every judge sees."""
_TICK: Final = 0.05
_WATCH_EVERY: Final = 0.2
_CHUNK: Final = 65536
_STDERR_KEPT: Final = 8192
_INTERPRETERS: Final = {".py": (sys.executable,)}


class CannotStart(Exception):
    """The program is not there or cannot be run."""


class Child:
    """One process and what it has printed so far."""

    def __init__(self, command: Command, stop: Event) -> None:
        self._command, self._stop = command, stop
        self._mark = secrets.token_hex(16)
        self._process = _started(command, self._mark)
        self._printed = 0
        self._unsent = memoryview(b"")
        self._watched = time.monotonic()
        self._selector = selectors.DefaultSelector()
        self.out = bytearray()
        self.err = bytearray()
        for pipe, into in ((self._process.stdout, self.out), (self._process.stderr, self.err)):
            os.set_blocking(_there(pipe).fileno(), False)
            self._selector.register(_there(pipe), selectors.EVENT_READ, into)
        os.set_blocking(_there(self._process.stdin).fileno(), False)

    @property
    def exit_code(self) -> int | None:
        """The exit code once `end` was called; a process killed by signal 9 has -9."""
        return self._process.returncode

    @property
    def has_unread(self) -> bool:
        """Whether it has not taken all of what was said to it."""
        return bool(self._unsent)

    def has_spoken(self, wait: float = 0.0) -> bool:
        """Whether it has printed something since its last line was taken, or does so within this many seconds."""
        deadline = time.monotonic() + wait
        while not self.out and self._selector.get_map():
            self._pass_data(max(deadline - time.monotonic(), 0))
            if time.monotonic() >= deadline:
                break
        return bool(self.out)

    def say(self, data: bytes) -> None:
        """Have this written to its standard input as it reads."""
        self._unsent = memoryview(data)
        self._selector.register(_there(self._process.stdin), selectors.EVENT_WRITE)

    def until_exit(self, seconds: float) -> str | None:
        """Wait for its end; what went wrong, if anything did."""
        return self._until(seconds, line=False)

    def until_line(self, seconds: float) -> str | None:
        """Wait for a whole line; what went wrong, if anything did."""
        return self._until(seconds, line=True)

    def end(self) -> None:
        """End it and everything it started, and take what is left in its pipes."""
        end_all(self._process.pid, self._mark)
        self._process.wait()
        for key in list(self._selector.get_map().values()):
            if key.data is not None:
                self._read(key)
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(BrokenPipeError):
                _there(pipe).close()

    def _until(self, seconds: float, *, line: bool) -> str | None:
        deadline = time.monotonic() + seconds
        while True:
            self._pass_data(min(_TICK, max(deadline - time.monotonic(), 0)))
            if line and b"\n" in self.out:
                return None
            if problem := self._over_limit():
                return problem
            if self._exited():
                return "it ended without an answer" if line else None
            if self._stop.is_set():
                return "it was interrupted"
            if time.monotonic() >= deadline:
                return f"it took more than {seconds:g} s"

    def _pass_data(self, wait: float) -> None:
        if not self._selector.get_map():
            time.sleep(min(wait, 0.005))  # both pipes closed: it is about to end
            return
        for key, _ in self._selector.select(wait):
            if key.data is None:
                self._write(key)
            else:
                self._read(key)

    def _write(self, key: selectors.SelectorKey) -> None:
        try:
            self._unsent = self._unsent[os.write(key.fd, self._unsent[:_CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # it need not read what it does not want to know
            self._unsent = memoryview(b"")
        if not self._unsent:
            self._selector.unregister(key.fileobj)
            if not self._command.workers:
                with suppress(BrokenPipeError):
                    _there(self._process.stdin).close()

    def _read(self, key: selectors.SelectorKey) -> None:
        try:
            data = os.read(key.fd, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._selector.unregister(key.fileobj)
            return
        self._printed += len(data)
        key.data.extend(data)
        if key.data is self.err:
            del self.err[:-_STDERR_KEPT]

    def _over_limit(self) -> str | None:
        limits = self._command.limits
        if self._printed > limits.output_kb * 1024:
            return f"it printed more than {limits.output_kb} kB"
        if time.monotonic() - self._watched < _WATCH_EVERY:
            return None
        self._watched = time.monotonic()
        load = load_of(self._process.pid)
        if load.processes > limits.processes:
            return f"it started more than {limits.processes} processes"
        if load.memory > limits.memory_mb * 2**20:
            return f"it used more than {limits.memory_mb} MB of memory"
        return None

    def next_line(self) -> bytes:
        """The first line it printed, taken off what it printed; the output limit counts anew."""
        line, _, rest = bytes(self.out).partition(b"\n")
        self.out[:] = rest
        self._printed = len(rest)
        return line

    def _exited(self) -> bool:
        """Whether it has ended. It is not reaped yet, so that its process id cannot come to mean another process."""
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _there(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _started(command: Command, mark: str) -> "subprocess.Popen[bytes]":
    kept = {name: value for name in (*HARMLESS, *command.env) if (value := os.environ.get(name)) is not None}
    argv = _argv(command)
    linux = sys.platform == "linux"
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=command.cwd,
            env={**kept, MARK: mark},
            start_new_session=True,
            bufsize=0,
            preexec_fn=None if linux else lambda: _limit(0, command),  # noqa: PLW1509 - the only way without prlimit
        )
    except OSError as error:
        raise CannotStart(f"cannot start {argv[0]}: {error.strerror or error}") from error
    if linux:
        with suppress(ProcessLookupError):
            _limit(process.pid, command)
    return process


def _argv(command: Command) -> list[str]:
    """What to run: for a script, the interpreter that its name asks for, unless it can be run as it is."""
    if not command.script:
        return list(command.argv)
    path = Path(command.argv[0]).absolute()
    if not path.is_file():
        raise CannotStart(f"there is no script {command.argv[0]}; paths are relative to the suite")
    if path.suffix in _INTERPRETERS:
        return [*_INTERPRETERS[path.suffix], str(path), *command.argv[1:]]
    if not os.access(path, os.X_OK):
        raise CannotStart(f'{command.argv[0]} is not executable; run chmod +x on it, or write `script: ["interpreter", "{path.name}"]`')
    return [str(path), *command.argv[1:]]


def _limit(pid: int, command: Command) -> None:
    """Limit the memory that a process may have for itself, and let it leave no core dump."""
    import resource

    size = command.limits.memory_mb * 2**20
    # Data, not address space: Node and Java reserve far more addresses than they ever use.
    for kind, limit in ((resource.RLIMIT_DATA, size), (resource.RLIMIT_CORE, 0)):
        if pid:
            resource.prlimit(pid, kind, (limit, limit))
        else:
            resource.setrlimit(kind, (limit, limit))
