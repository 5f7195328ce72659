"""`run --watch`: run again whenever the suite or a file that it names changes."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from glob import glob, has_magic
from pathlib import Path
from typing import Any, Final, TypeAlias

POLL_SECONDS: Final = 0.3
_MAX_NAME_LENGTH: Final = 1_000
"""Longer texts of a suite, such as prompts, are not paths."""

Snapshot: TypeAlias = Mapping[Path, tuple[int, int]]
"""File → time of its last change and its size."""


def find_watched_files(suite: Path, others: Iterable[str] = ()) -> list[Path]:
    """The suite and the files, folders and patterns that its texts or `others` name; what does not exist is left out."""
    names = list(others)
    try:
        names += [str(suite.parent / text) for text in _list_texts(_read_suite(suite)) if 0 < len(text) <= _MAX_NAME_LENGTH]
    except Exception:  # a broken suite is reported by the run; until it is mended, only the suite is watched
        return [suite]
    files = [suite]
    for name in names:
        files.extend(_expand_name(name))
    return list(dict.fromkeys(files))


def take_snapshot(files: Iterable[Path]) -> Snapshot:
    """Time and size of each file that exists."""
    snapshot: dict[Path, tuple[int, int]] = {}
    for file in files:
        try:
            state = file.stat()
        except OSError:
            continue
        snapshot[file] = (state.st_mtime_ns, state.st_size)
    return snapshot


def watch_files(
    run_once: Callable[[], int],
    list_files: Callable[[], list[Path]],
    announce: Callable[[int, list[Path]], None],
    pause: Callable[[], None] = lambda: time.sleep(POLL_SECONDS),
) -> None:
    """Call `run_once` now and after each change of the listed files, until a KeyboardInterrupt.

    `announce` gets the exit code and the watched files before each wait. A file that is being written is waited for: it counts as changed
    when it has been the same at two looks.
    """
    while True:
        before = take_snapshot(list_files())
        exit_code = run_once()
        announce(exit_code, list(before))
        while (latest := take_snapshot(list_files())) == before:
            pause()
        while True:
            pause()
            settled = take_snapshot(list_files())
            if settled == latest:
                break
            latest = settled


def _read_suite(suite: Path) -> Any:
    from fieldwise.read.suite import read_document

    return read_document(suite).value


def _list_texts(value: Any) -> Iterator[str]:
    """All texts in a document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _list_texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _list_texts(item)


def _expand_name(name: str) -> list[Path]:
    """The files that a path, folder or pattern stands for."""
    try:
        if has_magic(name):
            return [Path(match) for match in sorted(glob(name, recursive=True)) if Path(match).is_file()]  # noqa: PTH207 - an absolute pattern
        path = Path(name)
        if path.is_dir():
            return sorted(entry for entry in path.iterdir() if entry.is_file()) if path.name not in ("", ".", "..") else []
        return [path] if path.is_file() else []
    except (OSError, ValueError):  # a text that is no path, such as one with a null character
        return []
