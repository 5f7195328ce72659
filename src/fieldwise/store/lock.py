"""The lock of a run: at most one process writes a run at a time.

A local lock is a lock of the operating system on the file `lock`, which ends with its process, however that ends. Object storage has no
such lock, so there it is a lease: an object that names the writer and is refreshed while the writer lives. The lease is created only if
there is none, which the storage decides atomically. Its holder writes it again every `REFRESH_SECONDS`; a lease that is older than
`LEASE_SECONDS` has expired, and so has one whose process ran on this machine and has ended. Clocks must agree within a minute.
"""

import json
import os
import secrets
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fieldwise.model.locations import Location
from fieldwise.model.remote_path import RemotePath
from fieldwise.store.errors import StoreError

if TYPE_CHECKING:
    from filelock import FileLock

LOCK_FILE: Final = "lock"
REFRESH_SECONDS: Final = 20.0
LEASE_SECONDS: Final = 120.0
_SETTLE_SECONDS: Final = 1.0
"""Pause after taking over an expired lease, to detect another process that took it over at the same moment."""
_ACQUIRE_SECONDS: Final = 0.12
_POLL_SECONDS: Final = 0.02
"""`is_locked` holds a local lock for a moment, so acquiring it is tried for a short while."""


class RunLocked(Exception):
    """Another process holds the lock."""


class RunLock:
    """The lock of a run's folder, held until it is released."""

    def __init__(self, folder: Location) -> None:
        """Acquire the lock; RunLocked if another process holds it."""
        self._name = folder.name
        self._lease: RemoteLease | None = None
        self._file_lock: FileLock | None = None
        if isinstance(folder, RemotePath):
            self._lease = _acquire_lease(folder)
        else:
            self._file_lock = _acquire_file_lock(folder)

    def check(self) -> None:
        """Raise StoreError if the lock was lost; only a lease can be."""
        if self._lease is not None and not self._lease.is_held():
            what = f"run {self._name}: another process took over, because this one did not refresh its lock for {LEASE_SECONDS:.0f} s"
            raise StoreError(what)

    def release(self) -> None:
        """Release the lock; does nothing if it was released before."""
        if self._lease is not None:
            self._lease.release()
        if self._file_lock is not None:
            self._file_lock.release()


def _acquire_file_lock(folder: Path) -> "FileLock":
    from filelock import FileLock, Timeout  # loads asyncio, which readers of runs do not need

    # thread_local=False: the thread that finishes a run need not be the one that began it.
    lock = FileLock(folder / LOCK_FILE, mode=0o644, thread_local=False)
    try:
        lock.acquire(timeout=_ACQUIRE_SECONDS, poll_interval=_POLL_SECONDS)
    except Timeout as error:
        raise RunLocked(f"another process is writing {folder.name}") from error
    return lock


def _acquire_lease(folder: RemotePath) -> "RemoteLease":
    try:
        return RemoteLease(folder / LOCK_FILE)
    except LeaseHeld as error:
        raise RunLocked(f"another process is writing {folder.name}: {error}") from error


def is_locked(folder: Location) -> bool:
    """True if a process is writing in this folder now. Works in a read-only folder and changes nothing."""
    if isinstance(folder, RemotePath):
        lease = read_lease(folder / LOCK_FILE)
        return lease is not None and is_lease_alive(lease)
    return _is_file_locked(folder / LOCK_FILE)


if sys.platform == "win32":

    def _is_file_locked(file: Path) -> bool:
        from filelock import FileLock, Timeout

        if not file.exists():
            return False
        try:
            with FileLock(file, timeout=0):
                return False
        except (Timeout, OSError):
            return True

else:
    import fcntl

    def _is_file_locked(file: Path) -> bool:
        # A shared lock, on a read-only descriptor: two processes that check at the same time do not take each other for the writer.
        try:
            descriptor = os.open(file, os.O_RDONLY)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(descriptor)
        return False


class LeaseHeld(Exception):
    """Another process holds the lease; the message names it."""


class RemoteLease:
    """A lease in object storage, held until it is released or lost."""

    def __init__(self, file: RemotePath) -> None:
        """Acquire the lease and start refreshing it; LeaseHeld if another process holds it."""
        self._file = file
        self._token = secrets.token_hex(8)
        self._released = threading.Event()
        self.lost = False
        """True if another process took it over, because it was not refreshed in time."""
        self._acquire()
        self._thread = threading.Thread(target=self._refresh, name="fieldwise-lease", daemon=True)
        self._thread.start()

    def _acquire(self) -> None:
        previous = read_lease(self._file)
        if previous is not None:
            if is_lease_alive(previous):
                raise LeaseHeld(describe_holder(previous))
            self._file.unlink(missing_ok=True)
        try:
            self._file.create_exclusive(self._content())
        except FileExistsError as error:
            raise LeaseHeld(describe_holder(read_lease(self._file))) from error
        if previous is not None:
            time.sleep(_SETTLE_SECONDS)
        if not self._has_own_token():  # the storage has no conditional writes, or two processes took over at once
            raise LeaseHeld(describe_holder(read_lease(self._file)))

    def _content(self) -> bytes:
        lease = {"token": self._token, "host": socket.gethostname(), "pid": os.getpid(), "machine": machine_id(), "at": time.time()}
        return json.dumps(lease).encode()

    def _has_own_token(self) -> bool:
        lease = read_lease(self._file)
        return lease is not None and lease.get("token") == self._token

    def _refresh(self) -> None:
        while not self._released.wait(REFRESH_SECONDS):
            try:
                if not self._has_own_token():
                    self.lost = True
                    return
                self._file.write_bytes(self._content())
            except OSError:
                continue  # try again at the next refresh; if that fails for too long, the lease expires and `check` reports it

    def is_held(self) -> bool:
        """True if no other process has taken it over."""
        return not self.lost and self._has_own_token()

    def release(self) -> None:
        """Release the lease; does nothing if it was released before."""
        if self._released.is_set():
            return
        self._released.set()
        self._thread.join()
        with suppress(OSError):  # an unreachable storage: the lease expires
            if self.is_held():
                self._file.unlink(missing_ok=True)


def read_lease(file: RemotePath) -> dict[str, Any] | None:
    """The content of a lease; None if there is none. An unreadable lease is empty, which counts as expired."""
    try:
        lease = json.loads(file.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        return {}
    return lease if isinstance(lease, dict) else {}


def is_lease_alive(lease: dict[str, Any]) -> bool:
    """True if the process that a lease names is still writing."""
    if time.time() - float(lease.get("at", 0)) > LEASE_SECONDS:
        return False
    this_machine = machine_id()
    is_local = bool(this_machine) and lease.get("machine") == this_machine
    return not is_local or _process_exists(int(lease.get("pid", 0)))


def describe_holder(lease: dict[str, Any] | None) -> str:
    """The process that a lease names, in words."""
    return "another process" if not lease else f"process {lease.get('pid')} on {lease.get('host')}"


def machine_id() -> str:
    """Identifies this machine since its last boot and the process namespace; empty if unknown."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def _process_exists(process: int) -> bool:
    return Path(f"/proc/{process}").exists()
