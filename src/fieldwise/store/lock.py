"""Who is writing a run: a lock that ends with the process that holds it, however that ends."""

import json
import os
import secrets
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from fieldwise.model.locations import Place
from fieldwise.model.remote_path import RemotePath
from fieldwise.store.errors import StoreError

EVERY: Final = 20.0
LASTS: Final = 120.0
"""Seconds."""
_SETTLE: Final = 1.0
"""How long whoever takes over a lock waits, to see whether somebody else did so in the same moment."""


class Held(Exception):
    """Somebody else holds it; its message says who."""


class Lease:
    """A lock that is held until it is released, or lost."""

    def __init__(self, file: RemotePath) -> None:
        self._file = file
        self._token = secrets.token_hex(8)
        self._ended = threading.Event()
        self.lost = False
        """Somebody else took it, because for too long nothing was heard of this process."""
        self._take()
        self._thread = threading.Thread(target=self._refresh, name="fieldwise-lease", daemon=True)
        self._thread.start()

    def _take(self) -> None:
        before = read(self._file)
        if before is not None:
            if is_alive(before):
                raise Held(who(before))
            self._file.unlink(missing_ok=True)
        try:
            self._file.create(self._content())
        except FileExistsError as error:
            raise Held(who(read(self._file))) from error
        if before is not None:
            time.sleep(_SETTLE)
        if not self._is_ours():  # a place that cannot create on condition, or two who took over at once
            raise Held(who(read(self._file)))

    def _content(self) -> bytes:
        told = {"token": self._token, "host": socket.gethostname(), "pid": os.getpid(), "machine": machine(), "at": time.time()}
        return json.dumps(told).encode()

    def _is_ours(self) -> bool:
        found = read(self._file)
        return found is not None and found.get("token") == self._token

    def _refresh(self) -> None:
        while not self._ended.wait(EVERY):
            try:
                if not self._is_ours():
                    self.lost = True
                    return
                self._file.write_bytes(self._content())
            except OSError:
                continue  # the next time, or it is gone when its time is over

    def still_ours(self) -> bool:
        """Whether nobody has taken it over."""
        return not self.lost and self._is_ours()

    def release(self) -> None:
        """Let others have it."""
        if self._ended.is_set():
            return
        self._ended.set()
        self._thread.join()
        with suppress(OSError):  # then it is gone when its time is over
            if self.still_ours():
                self._file.unlink(missing_ok=True)


def read(file: RemotePath) -> dict[str, Any] | None:
    """What a lock says; None where there is none. One that nobody can read is as old as can be."""
    try:
        found = json.loads(file.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def is_alive(told: dict[str, Any]) -> bool:
    """Whether the one that a lock names is still writing."""
    if time.time() - float(told.get("at", 0)) > LASTS:
        return False
    here = machine()
    return not (here and told.get("machine") == here and not _runs(int(told.get("pid", 0))))


def who(told: dict[str, Any] | None) -> str:
    """Whom a lock names."""
    return "another process" if not told else f"process {told.get('pid')} on {told.get('host')}"


def machine() -> str:
    """This machine since it started, and which of its processes can be seen from here; nothing where that cannot be told."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def _runs(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


FILE: Final = "lock"
_TRIES, _PAUSE = 6, 0.02
"""Whoever looks whether a run is being written holds its lock for a moment, and is waited for."""


class Busy(Exception):
    """Another process holds the lock."""


class Lock:
    """The lock of a run's folder, held until it is released."""

    def __init__(self, folder: Place) -> None:
        self._name = folder.name
        self._lease: Lease | None = None
        self._handle: int | None = None
        if isinstance(folder, RemotePath):
            self._lease = _leased(folder)
        else:
            self._hold(folder)

    def _hold(self, folder: Path) -> None:
        self._handle = os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o644)
        for left in reversed(range(_TRIES)):
            try:
                _hold(self._handle)
            except OSError as error:
                if not left:
                    self.release()
                    raise Busy(f"another process is writing {folder.name}") from error
                time.sleep(_PAUSE)
            else:
                return

    def check(self) -> None:
        """StoreError if it was lost on the way, which only a lock in a store of objects can be."""
        if self._lease is not None and not self._lease.still_ours():
            raise StoreError(f"run {self._name}: another process took over, because nothing was heard of this one for {LASTS:.0f} s")

    def release(self) -> None:
        """Let others have it."""
        if self._lease is not None:
            self._lease.release()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def _leased(folder: RemotePath) -> Lease:
    try:
        return Lease(folder / FILE)
    except Held as error:
        raise Busy(f"another process is writing {folder.name}: {error}") from error


def is_locked(folder: Place) -> bool:
    """Whether a process is writing in this folder now; whoever looks changes nothing."""
    if isinstance(folder, RemotePath):
        found = read(folder / FILE)
        return found is not None and is_alive(found)
    try:
        handle = os.open(folder / FILE, os.O_RDONLY)
    except OSError:
        return False
    try:
        _try(handle)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


if sys.platform == "win32":
    import msvcrt

    def _hold(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    _try = _hold
else:
    import fcntl

    def _hold(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _try(handle: int) -> None:
        """Shared, so that two who look at the same time do not take each other for a writer."""
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
