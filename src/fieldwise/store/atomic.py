"""Atomic writes: after a crash a file exists either completely or not at all."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from fieldwise.model.locations import Location
from fieldwise.model.remote_path import RemotePath

_UNSUPPORTED: Final = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSYS)
"""Errors of file systems that cannot fsync a folder."""


def write_atomically(path: Location, write: Callable[[Path], None], *, sync: bool = True) -> int:
    """Let `write` fill a temporary file beside `path`, then rename it to `path`; returns its size in bytes.

    With `sync=False` the content is durable but the name is not yet: after writing several files, call `sync_folder` once.
    """
    if isinstance(path, RemotePath):
        return _write_and_upload(path, write)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(temporary)
        size = _fsync_file(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    if sync:
        sync_folder(path.parent)
    return size


def _write_and_upload(path: RemotePath, write: Callable[[Path], None]) -> int:
    """Upload under the final name: object storage publishes a file completely or not at all."""
    with TemporaryDirectory(prefix="fieldwise-") as folder:
        file = Path(folder) / path.name
        write(file)
        path.upload(file)
        return file.stat().st_size


def _fsync_file(path: Path) -> int:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
        return file.seek(0, os.SEEK_END)


def sync_folder(folder: Location) -> None:
    """Make the names in a folder durable. Nothing to do on Windows, which cannot open a folder, and in object storage."""
    if isinstance(folder, RemotePath):
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # the system cannot open folders and syncs their names by itself
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:  # an input/output error: the names may be lost, so the caller must know
            raise
    finally:
        os.close(descriptor)
