"""Programs as judges: started without a shell, fed, read, watched, and killed with all their child processes.

A judge process leads its own session and carries a token in its environment, which its children inherit. Together they identify every
child except one that starts a new session *and* clears its environment. Without `/proc` (macOS), only the process group is known, and
processes and memory are not watched.
"""

import os
import secrets
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Lock
from typing import IO, Final, NamedTuple

from fieldwise.model.ask import Command, Reply, Usage

TOKEN_VARIABLE: Final = "FIELDWISE_JUDGE"
"""Environment variable that holds the token of a judge process."""
_PROC: Final = Path("/proc")
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_MAX_KILL_ROUNDS: Final = 50
"""Maximum number of scans for processes that were started while others were being killed."""
PASSED_VARIABLES: Final = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
"""Environment variables passed to every judge."""
_POLL_SECONDS: Final = 0.05
_WATCH_SECONDS: Final = 0.2
"""Interval of the checks of memory and process count."""
_CHUNK_BYTES: Final = 65536
_MAX_STDERR_BYTES: Final = 8192
_INTERPRETERS: Final = {".py": (sys.executable,)}
_EXTRA_LINE_SECONDS: Final = 0.05
"""Time after the first answer of a worker in which a second line reveals that it prints more than one line per question."""


class CannotStart(Exception):
    """The program does not exist or cannot be executed."""


class JudgeSubprocess:
    """One process and its output so far."""

    def __init__(self, command: Command, stop: Event) -> None:
        self._command, self._stop = command, stop
        self._token = secrets.token_hex(16)
        self._process = _start_process(command, self._token)
        self._output_bytes = 0
        self._unsent = memoryview(b"")
        self._last_watch = time.monotonic()
        self._selector = selectors.DefaultSelector()
        self.out = bytearray()
        self.err = bytearray()
        for pipe, buffer in ((self._process.stdout, self.out), (self._process.stderr, self.err)):
            os.set_blocking(_require_pipe(pipe).fileno(), False)
            self._selector.register(_require_pipe(pipe), selectors.EVENT_READ, buffer)
        os.set_blocking(_require_pipe(self._process.stdin).fileno(), False)

    @property
    def exit_code(self) -> int | None:
        """The exit code after `end`; -9 for a process killed by signal 9."""
        return self._process.returncode

    @property
    def has_unread(self) -> bool:
        """True if it has not read all of its input."""
        return bool(self._unsent)

    def has_output(self, wait: float = 0.0) -> bool:
        """True if it has printed something since its last line was taken, or does so within `wait` seconds."""
        deadline = time.monotonic() + wait
        while not self.out and self._selector.get_map():
            self._transfer(max(deadline - time.monotonic(), 0))
            if time.monotonic() >= deadline:
                break
        return bool(self.out)

    def send(self, data: bytes) -> None:
        """Write data to its standard input, as fast as it reads."""
        self._unsent = memoryview(data)
        self._selector.register(_require_pipe(self._process.stdin), selectors.EVENT_WRITE)

    def wait_for_exit(self, seconds: float) -> str | None:
        """Wait until it exits; the problem, or None."""
        return self._wait(seconds, line=False)

    def wait_for_line(self, seconds: float) -> str | None:
        """Wait for a complete line; the problem, or None."""
        return self._wait(seconds, line=True)

    def end(self) -> None:
        """Kill it with all its child processes, and read the rest of its output."""
        kill_all(self._process.pid, self._token)
        self._process.wait()
        for key in list(self._selector.get_map().values()):
            if key.data is not None:
                self._read(key)
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(BrokenPipeError):
                _require_pipe(pipe).close()

    def _wait(self, seconds: float, *, line: bool) -> str | None:
        deadline = time.monotonic() + seconds
        while True:
            self._transfer(min(_POLL_SECONDS, max(deadline - time.monotonic(), 0)))
            if line and b"\n" in self.out:
                return None
            if problem := self._exceeded_limit():
                return problem
            if self._has_exited():
                if problem := self._exceeded_usage():  # children that it left behind count too
                    return problem
                return "it ended without an answer" if line else None
            if self._stop.is_set():
                return "it was interrupted"
            if time.monotonic() >= deadline:
                return f"it took more than {seconds:g} s"

    def _transfer(self, wait: float) -> None:
        if not self._selector.get_map():
            time.sleep(min(wait, 0.005))  # both pipes are closed: it is about to exit
            return
        for key, _ in self._selector.select(wait):
            if key.data is None:
                self._write(key)
            else:
                self._read(key)

    def _write(self, key: selectors.SelectorKey) -> None:
        try:
            self._unsent = self._unsent[os.write(key.fd, self._unsent[:_CHUNK_BYTES]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # a program need not read its input
            self._unsent = memoryview(b"")
        if not self._unsent:
            self._selector.unregister(key.fileobj)
            if not self._command.workers:
                with suppress(BrokenPipeError):
                    _require_pipe(self._process.stdin).close()

    def _read(self, key: selectors.SelectorKey) -> None:
        try:
            data = os.read(key.fd, _CHUNK_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._selector.unregister(key.fileobj)
            return
        self._output_bytes += len(data)
        key.data.extend(data)
        if key.data is self.err:
            del self.err[:-_MAX_STDERR_BYTES]

    def _exceeded_limit(self) -> str | None:
        limits = self._command.limits
        if self._output_bytes > limits.output_kb * 1024:
            return f"it printed more than {limits.output_kb} kB"
        if time.monotonic() - self._last_watch < _WATCH_SECONDS:
            return None
        self._last_watch = time.monotonic()
        return self._exceeded_usage()

    def _exceeded_usage(self) -> str | None:
        """The limit of processes or memory that the process and its children exceed now. Limits of the system do not bind root."""
        limits = self._command.limits
        usage = measure_processes(self._process.pid)
        if usage.processes > limits.processes:
            return f"it started more than {limits.processes} processes"
        if usage.memory > limits.memory_mb * 2**20:
            return f"it used more than {limits.memory_mb} MB of memory"
        return None

    def take_line(self) -> bytes:
        """Remove and return the first line of its output; the output limit starts anew."""
        line, _, rest = bytes(self.out).partition(b"\n")
        self.out[:] = rest
        self._output_bytes = len(rest)
        return line

    def _has_exited(self) -> bool:
        """True if it has exited. It is not reaped yet, so that its process id cannot be reused."""
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _require_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _start_process(command: Command, token: str) -> "subprocess.Popen[bytes]":
    environment = {name: value for name in (*PASSED_VARIABLES, *command.env) if (value := os.environ.get(name)) is not None}
    argv = _build_argv(command)
    on_linux = sys.platform == "linux"
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=command.cwd,
            env={**environment, TOKEN_VARIABLE: token},
            start_new_session=True,
            bufsize=0,
            preexec_fn=None if on_linux else lambda: _set_limits(0, command),  # noqa: PLW1509 - the only way without prlimit
        )
    except OSError as error:
        raise CannotStart(f"cannot start {argv[0]}: {error.strerror or error}") from error
    if on_linux:
        with suppress(ProcessLookupError):
            _set_limits(process.pid, command)
    return process


def _build_argv(command: Command) -> list[str]:
    """The command line; a script runs with the interpreter of its suffix, or is executed itself."""
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


def _set_limits(pid: int, command: Command) -> None:
    """Limit the memory of a process and disable core dumps."""
    import resource

    size = command.limits.memory_mb * 2**20
    # RLIMIT_DATA, not RLIMIT_AS: Node and Java reserve far more address space than they use.
    for kind, limit in ((resource.RLIMIT_DATA, size), (resource.RLIMIT_CORE, 0)):
        if pid:
            resource.prlimit(pid, kind, (limit, limit))
        else:
            resource.setrlimit(kind, (limit, limit))


def run_once(command: Command, stop: Event) -> Reply:
    """Run the program on one input. All its processes have ended on return; setting `stop` kills them at once."""
    started = time.monotonic()
    try:
        child = JudgeSubprocess(command, stop)
    except CannotStart as error:
        return Reply(problem=str(error))
    try:
        child.send(command.stdin.encode())
        problem = child.wait_for_exit(command.timeout)
    finally:
        child.end()
    return _build_reply(child, bytes(child.out), problem, started)


def _build_reply(child: JudgeSubprocess, out: bytes, problem: str | None, started: float) -> Reply:
    return Reply(
        text=out.decode(errors="replace"),
        problem=problem,
        exit_code=child.exit_code,
        stderr=child.err.decode(errors="replace").strip(),
        usage=Usage(seconds=time.monotonic() - started),
    )


class JudgeWorker:
    """A long-running program that reads one line per question and prints one line per answer.

    After any failure its process is killed; the next question starts a new one.
    """

    def __init__(self, stop: Event) -> None:
        self._stop = stop
        self._child: JudgeSubprocess | None = None
        self._lock = Lock()

    def ask(self, command: Command) -> Reply:
        """The reply of the program to one question."""
        with self._lock:
            started = time.monotonic()
            if self._child is not None and self._child.has_output():  # output without a question: it is out of step
                self._end()
            is_new = self._child is None
            try:
                child = self._child = self._child or JudgeSubprocess(command, self._stop)
            except CannotStart as error:
                return Reply(problem=str(error))
            child.send(command.stdin.encode() + b"\n")
            problem = child.wait_for_line(command.timeout)
            line = b"" if problem else child.take_line()
            problem = problem or _protocol_error(child, _EXTRA_LINE_SECONDS if is_new else 0.0)
            if problem:
                self._end()
            return _build_reply(child, line, problem, started)

    def end(self) -> None:
        """Kill its process, if it has one."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()


def _protocol_error(child: JudgeSubprocess, wait: float) -> str | None:
    """Why the line of a worker cannot be the answer to its question; None if it can."""
    if child.has_unread:
        return "it answered before it had read the question"
    return "it printed more than one line for one question" if child.has_output(wait) else None


class JudgeWorkers:
    """Workers by program; questions go to the workers of a program in turn."""

    def __init__(self, stop: Event) -> None:
        self._stop = stop
        self._pools: dict[Command, list[JudgeWorker]] = {}
        self._turn: dict[Command, int] = {}
        self._lock = Lock()

    def ask(self, command: Command) -> Reply:
        """The reply of a worker to this question."""
        program = replace(command, stdin="")
        with self._lock:
            pool = self._pools.setdefault(program, [JudgeWorker(self._stop) for _ in range(command.workers)])
            turn = self._turn[program] = (self._turn.get(program, -1) + 1) % len(pool)
        return pool[turn].ask(command)

    def end(self) -> None:
        """Kill all workers."""
        for pool in self._pools.values():
            for worker in pool:
                worker.end()


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    """The processes and the memory of a judge."""

    processes: int
    memory: int
    """Resident memory in bytes."""


def measure_processes(leader: int) -> ProcessUsage:
    """The current usage of this leader, its session and its descendants."""
    running = {process.pid: process for process in _running_processes()}
    own = [process for process in running.values() if process.session == leader or _is_descendant(process, leader, running)]
    return ProcessUsage(len(own), sum(process.pages for process in own) * _PAGE_BYTES)


def _is_descendant(process: "_ProcessEntry", leader: int, running: "dict[int, _ProcessEntry]") -> bool:
    seen: set[int] = set()
    while process.parent in running and process.pid not in seen:
        if process.parent == leader:
            return True
        seen.add(process.pid)
        process = running[process.parent]
    return False


def kill_all(leader: int, token: str) -> None:
    """Kill the process group of this leader, its session and every process with its token, until none is left."""
    entry = f"{TOKEN_VARIABLE}={token}".encode()
    for _ in range(_MAX_KILL_ROUNDS):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
        remaining = [process.pid for process in _running_processes() if process.session == leader or _has_entry(process.pid, entry)]
        for pid in remaining:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not remaining:
            return


class _ProcessEntry(NamedTuple):
    pid: int
    parent: int
    session: int
    pages: int
    """Resident pages."""


def _running_processes() -> Iterator[_ProcessEntry]:
    """Every process but zombies."""
    with suppress(FileNotFoundError):
        for folder in _PROC.iterdir():
            if folder.name.isdigit():
                with suppress(OSError, ValueError, IndexError):
                    # The second field is the name in parentheses, which may contain parentheses itself.
                    fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
                    if fields[0] not in (b"Z", b"X"):
                        yield _ProcessEntry(int(folder.name), int(fields[1]), int(fields[3]), int(fields[21]))


def _has_entry(pid: int, entry: bytes) -> bool:
    try:
        return entry in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
