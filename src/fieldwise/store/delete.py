"""Delete runs.

The folder is renamed first and then removed, so that a half-deleted run is never visible. Links are not followed.
"""

import secrets
import shutil
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.locations import Location
from fieldwise.model.remote_path import RemotePath
from fieldwise.store.errors import StoreError
from fieldwise.store.lock import LOCK_FILE as LOCK
from fieldwise.store.lock import RunLock, RunLocked
from fieldwise.store.manifest import MANIFEST_FILE as MANIFEST
from fieldwise.store.run import Run
from fieldwise.store.run_names import read_tags

_DELETED_PREFIX: Final = ".deleted-"
BASELINE_PATTERN: Final = "*.baseline.json"


def delete_runs(runs: Sequence[Run], *, baselines: Iterable[Path] = (), force: bool = False) -> int:
    """Delete these runs and return the number of freed bytes; ConfigError with all reasons if one of them must not be deleted.

    A run that is being written is never deleted; a run with a tag, or from which a baseline was made, only with `force`.
    """
    locks: list[RunLock] = []
    try:
        _raise_problems(runs, baselines, locks, force)
        if sys.platform == "win32":
            _release_all(locks)  # Windows cannot rename a folder that contains an open file
        return sum(_delete_folder(run.path) for run in runs)
    finally:
        _release_all(locks)


def check_deletable(runs: Sequence[Run], *, baselines: Iterable[Path] = (), force: bool = False) -> None:
    """Raise ConfigError with all reasons if one of these runs must not be deleted."""
    locks: list[RunLock] = []
    try:
        _raise_problems(runs, baselines, locks, force)
    finally:
        _release_all(locks)


def _raise_problems(runs: Sequence[Run], baselines: Iterable[Path], locks: list[RunLock], force: bool) -> None:
    files = list(baselines)
    problems = [problem for run in runs for problem in _find_problems(run, files, locks, force)]
    if problems:
        raise ConfigError(problems)


def baseline_files(*folders: Path) -> list[Path]:
    """The baseline files in these folders, each once."""
    paths: dict[Path, Path] = {}
    for folder in folders:
        for path in sorted(folder.glob(BASELINE_PATTERN)):
            paths[path.resolve()] = path
    return list(paths.values())


def find_baselines_of(run: str, baselines: Iterable[Path]) -> list[Path]:
    """The baseline files that were made from this run. A corrupt file counts if it names the run."""
    return [path for path in baselines if f'"{run}"' in path.read_text(encoding="utf-8", errors="replace")]


def _find_problems(run: Run, baselines: Sequence[Path], locks: list[RunLock], force: bool) -> Iterable[Diagnostic]:
    if run.path.is_symlink():
        yield _not_deleted(run, "its folder is a symbolic link", "remove the link by hand")
        return
    try:
        locks.append(RunLock(run.path))
    except RunLocked:
        yield _not_deleted(run, "another process is writing it", "wait until that process ends, or stop it")
    except OSError as error:
        yield _not_deleted(run, f"its folder cannot be written to: {error.strerror or error}", "change the permissions of the folder")
    if force:
        return
    tags = read_tags(run.path)
    if tags:
        fix = f"fieldwise runs tag {run.id} --remove {' '.join(tags)}, or --force"
        yield _not_deleted(run, f"it has the tag{'s' if len(tags) > 1 else ''} {', '.join(tags)}", fix)
    for path in find_baselines_of(run.id, baselines):
        yield _not_deleted(run, f"the baseline {path} was made from it", "--force deletes it; the baseline works without the run")


def _not_deleted(run: Run, reason: str, fix: str) -> Diagnostic:
    return Diagnostic(code="run-is-kept", what=f"run {run.id} is not deleted: {reason}", fix=fix)


def _delete_folder(folder: Location) -> int:
    size = folder_size(folder)
    if isinstance(folder, RemotePath):
        _delete_remote_folder(folder)
        return size
    for leftover in folder.parent.glob(f"{_DELETED_PREFIX}*"):  # of a deletion that was interrupted
        shutil.rmtree(leftover, ignore_errors=True)
    renamed = folder.with_name(f"{_DELETED_PREFIX}{folder.name}-{secrets.token_hex(4)}")
    try:
        folder.rename(renamed)
        with suppress(FileNotFoundError):  # another deletion removes leftovers at the same time
            shutil.rmtree(renamed)
    except OSError as error:
        raise StoreError(f"run {folder.name} could not be deleted: {error.strerror or error} ({error.filename})") from error
    return size


def _delete_remote_folder(folder: RemotePath) -> None:
    """Remove the manifest first and the lock last, because object storage cannot rename a folder.

    After a crash in between, the rest is listed as a run without a manifest, which can be deleted again.
    """
    try:
        for path in sorted(folder.list_files(), key=lambda path: (path.name != MANIFEST, path.suffix != ".json", path.url)):
            if path.name != LOCK:
                path.unlink(missing_ok=True)
        folder.remove_tree()
    except OSError as error:
        raise StoreError(f"run {folder.name} could not be deleted: {error.strerror or error}") from error


def folder_size(folder: Location) -> int:
    """Total size of the files of a run in bytes."""
    if isinstance(folder, RemotePath):
        return sum(path.stat().st_size for path in folder.list_files())
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_symlink() or path.is_file())


def _release_all(locks: Iterable[RunLock]) -> None:
    for lock in locks:
        lock.release()
