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

from fieldwise.model.locations import Location
from fieldwise.model.remote_path import RemotePath
from fieldwise.store.errors import StoreError

REFRESH_SECONDS: Final = 20.0
LEASE_SECONDS: Final = 120.0
"""Seconds."""
_SETTLE_SECONDS: Final = 1.0
"""How long whoever takes over a lock waits, to see whether somebody else did so in the same moment."""


class LeaseHeld(Exception):
    """Somebody else holds it; its message says who."""


class RemoteLease:
    """A lock that is held until it is released, or lost."""

    def __init__(self, file: RemotePath) -> None:
        self._file = file
        self._token = secrets.token_hex(8)
        self._ended = threading.Event()
        self.lost = False
        """Somebody else took it, because for too long nothing was heard of this process."""
        self._acquire()
        self._thread = threading.Thread(target=self._refresh, name="fieldwise-lease", daemon=True)
        self._thread.start()

    def _acquire(self) -> None:
        before = read_lease(self._file)
        if before is not None:
            if is_lease_alive(before):
                raise LeaseHeld(describe_holder(before))
            self._file.unlink(missing_ok=True)
        try:
            self._file.create_exclusive(self._content())
        except FileExistsError as error:
            raise LeaseHeld(describe_holder(read_lease(self._file))) from error
        if before is not None:
            time.sleep(_SETTLE_SECONDS)
        if not self._has_own_token():  # a place that cannot create on condition, or two who took over at once
            raise LeaseHeld(describe_holder(read_lease(self._file)))

    def _content(self) -> bytes:
        told = {"token": self._token, "host": socket.gethostname(), "pid": os.getpid(), "machine": machine_id(), "at": time.time()}
        return json.dumps(told).encode()

    def _has_own_token(self) -> bool:
        found = read_lease(self._file)
        return found is not None and found.get("token") == self._token

    def _refresh(self) -> None:
        while not self._ended.wait(REFRESH_SECONDS):
            try:
                if not self._has_own_token():
                    self.lost = True
                    return
                self._file.write_bytes(self._content())
            except OSError:
                continue  # the next time, or it is gone when its time is over

    def is_held(self) -> bool:
        """Whether nobody has taken it over."""
        return not self.lost and self._has_own_token()

    def release(self) -> None:
        """Let others have it."""
        if self._ended.is_set():
            return
        self._ended.set()
        self._thread.join()
        with suppress(OSError):  # then it is gone when its time is over
            if self.is_held():
                self._file.unlink(missing_ok=True)


def read_lease(file: RemotePath) -> dict[str, Any] | None:
    """What a lock says; None where there is none. One that nobody can read is as old as can be."""
    try:
        found = json.loads(file.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def is_lease_alive(told: dict[str, Any]) -> bool:
    """Whether the one that a lock names is still writing."""
    if time.time() - float(told.get("at", 0)) > LEASE_SECONDS:
        return False
    here = machine_id()
    return not (here and told.get("machine") == here and not _process_exists(int(told.get("pid", 0))))


def describe_holder(told: dict[str, Any] | None) -> str:
    """Whom a lock names."""
    return "another process" if not told else f"process {told.get('pid')} on {told.get('host')}"


def machine_id() -> str:
    """This machine since it started, and which of its processes can be seen from here; nothing where that cannot be told."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def _process_exists(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


LOCK_FILE: Final = "lock"
_TRIES, _PAUSE = 6, 0.02
"""Whoever looks whether a run is being written holds its lock for a moment, and is waited for."""


class RunLocked(Exception):
    """Another process holds the lock."""


class RunLock:
    """The lock of a run's folder, held until it is released."""

    def __init__(self, folder: Location) -> None:
        self._name = folder.name
        self._lease: RemoteLease | None = None
        self._handle: int | None = None
        if isinstance(folder, RemotePath):
            self._lease = _acquire_lease(folder)
        else:
            self._hold(folder)

    def _hold(self, folder: Path) -> None:
        self._handle = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o644)
        for left in reversed(range(_TRIES)):
            try:
                _hold(self._handle)
            except OSError as error:
                if not left:
                    self.release()
                    raise RunLocked(f"another process is writing {folder.name}") from error
                time.sleep(_PAUSE)
            else:
                return

    def check(self) -> None:
        """StoreError if it was lost on the way, which only a lock in a store of objects can be."""
        if self._lease is not None and not self._lease.is_held():
            raise StoreError(
                f"run {self._name}: another process took over, because nothing was heard of this one for {LEASE_SECONDS:.0f} s"
            )

    def release(self) -> None:
        """Let others have it."""
        if self._lease is not None:
            self._lease.release()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def _acquire_lease(folder: RemotePath) -> RemoteLease:
    try:
        return RemoteLease(folder / LOCK_FILE)
    except LeaseHeld as error:
        raise RunLocked(f"another process is writing {folder.name}: {error}") from error


def is_locked(folder: Location) -> bool:
    """Whether a process is writing in this folder now; whoever looks changes nothing."""
    if isinstance(folder, RemotePath):
        found = read_lease(folder / LOCK_FILE)
        return found is not None and is_lease_alive(found)
    try:
        handle = os.open(folder / LOCK_FILE, os.O_RDONLY)
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
