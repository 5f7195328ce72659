"""Ctrl-C, made sure of."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from fieldwise.cli._exits import INTERRUPTED


@contextmanager
def remembered() -> Generator[Callable[[], None]]:
    """Gives a check that raises KeyboardInterrupt once Ctrl-C was pressed.

    The interrupt itself may be lost: it is raised wherever Python happens to be, and some libraries overlook errors of what they call.
    """
    pressed = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        pressed.set()
        signal.default_int_handler(number, frame)

    def check() -> None:
        if pressed.is_set():
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield check  # somebody else looks after Ctrl-C
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def leave() -> NoReturn:
    """End at once. What there was to keep is kept by now, and to give back the memory of a large run takes longer than people wait."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(INTERRUPTED)
