"""Files that are either whole or not there, whenever the machine stops."""

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from fieldwise.model.locations import Location
from fieldwise.model.remote_path import RemotePath


def write_atomically(path: Location, write: Callable[[Path], None], *, sync: bool = True) -> int:
    """Let `write` fill a temporary file beside `path`, then put it in place; gives its size in bytes.

    Without `sync` the content lasts but not yet the name: whoever writes several files calls `sync_folder` once.
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
    """A store of objects puts a file in place whole or not at all, under its own name."""
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
    """Make the names in a folder last. Systems that cannot open a folder do this by themselves, and so do stores of objects."""
    if isinstance(folder, RemotePath):
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        return
    finally:
        os.close(handle)
