"""Files that are either whole or not there, whenever the machine stops."""

import os
from collections.abc import Callable
from pathlib import Path


def write_atomically(path: Path, write: Callable[[Path], None], *, sync: bool = True) -> int:
    """Let `write` fill a temporary file beside `path`, then put it in place; gives its size in bytes.

    Without `sync` the content lasts but not yet the name: whoever writes several files calls `sync_folder` once.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(temporary)
        size = _flush(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    if sync:
        sync_folder(path.parent)
    return size


def _flush(path: Path) -> int:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
        return file.seek(0, os.SEEK_END)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last. Systems that cannot open a folder do this by themselves."""
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
