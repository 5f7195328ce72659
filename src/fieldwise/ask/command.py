"""Runs a judge's program for one question, or keeps it for many."""

import time
from dataclasses import replace
from threading import Event, Lock
from typing import Final

from fieldwise.ask.child import CannotStart, Child
from fieldwise.model.ask import Command, Reply, Usage

_SETTLING: Final = 0.05
"""Seconds after a worker's first answer in which a second line shows that it does not keep to one line for each question."""


def run_once(command: Command, stop: Event) -> Reply:
    """What the program says to this input. Everything it started has ended when this returns, at once if `stop` is set."""
    started = time.monotonic()
    try:
        child = Child(command, stop)
    except CannotStart as error:
        return Reply(problem=str(error))
    try:
        child.say(command.stdin.encode())
        problem = child.until_exit(command.timeout)
    finally:
        child.end()
    return _reply(child, bytes(child.out), problem, started)


def _reply(child: Child, out: bytes, problem: str | None, started: float) -> Reply:
    return Reply(
        text=out.decode(errors="replace"),
        problem=problem,
        exit_code=child.exit_code,
        stderr=child.err.decode(errors="replace").strip(),
        usage=Usage(seconds=time.monotonic() - started),
    )


class Worker:
    """A program that stays: it is given one line per question and prints one line per answer.

    One that fails, in whatever way, is ended; the next question starts another.
    """

    def __init__(self, stop: Event) -> None:
        self._stop = stop
        self._child: Child | None = None
        self._lock = Lock()

    def ask(self, command: Command) -> Reply:
        """What the program says to this line."""
        with self._lock:
            started = time.monotonic()
            if self._child is not None and self._child.has_spoken():  # unasked: what comes next may be no answer either
                self._end()
            new = self._child is None
            try:
                child = self._child = self._child or Child(command, self._stop)
            except CannotStart as error:
                return Reply(problem=str(error))
            child.say(command.stdin.encode() + b"\n")
            problem = child.until_line(command.timeout)
            line = b"" if problem else child.next_line()
            problem = problem or _unsound(child, _SETTLING if new else 0.0)
            if problem:
                self._end()
            return _reply(child, line, problem, started)

    def end(self) -> None:
        """End its process, if it has one."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()


def _unsound(child: Child, wait: float) -> str | None:
    """Why what a worker said is no answer to what it was asked."""
    if child.has_unread:
        return "it answered before it had read the question"
    return "it printed more than one line for one question" if child.has_spoken(wait) else None


class Workers:
    """Workers by program, each question going to the next of its program's."""

    def __init__(self, stop: Event) -> None:
        self._stop = stop
        self._pools: dict[Command, list[Worker]] = {}
        self._turn: dict[Command, int] = {}
        self._lock = Lock()

    def ask(self, command: Command) -> Reply:
        """What a worker says to this question."""
        program = replace(command, stdin="")
        with self._lock:
            pool = self._pools.setdefault(program, [Worker(self._stop) for _ in range(command.workers)])
            turn = self._turn[program] = (self._turn.get(program, -1) + 1) % len(pool)
        return pool[turn].ask(command)

    def end(self) -> None:
        """End all of them."""
        for pool in self._pools.values():
            for worker in pool:
                worker.end()
