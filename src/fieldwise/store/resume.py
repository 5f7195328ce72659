"""Resume a run that was interrupted: parts that are still valid are kept, everything else is scored again.

A part is valid if its files are readable and its cases equal, byte for byte, those that the data has at the same position now. If the
rules, an evaluator, the package or a library changed since, no part is valid, and a new run begins.
"""

import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from fieldwise.dataclass import dataclass
from fieldwise.model.batch import BatchOutcome
from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.locations import Location
from fieldwise.model.plan import Plan
from fieldwise.store.arrow_tables import ArrowTable, build_cases_table, concat_tables
from fieldwise.store.atomic import sync_folder
from fieldwise.store.errors import StoreError, resume_error
from fieldwise.store.fingerprints import fingerprint_cases
from fieldwise.store.lock import LOCK_FILE, RunLock, RunLocked
from fieldwise.store.manifest import Manifest, Part, new_manifest, read_manifest, utc_now
from fieldwise.store.part_reader import read_parts, read_table
from fieldwise.store.run_names import RunNotFound, find_run, list_run_ids, runs_folder

CaseReader = Callable[[], Iterator[Cases]]
"""Reads the cases of the run from the start, each time it is called."""
_IGNORED_ENVIRONMENT: Final = ("platform",)
"""Parts of the environment that may change: a reboot may bring a new kernel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WritableRun:
    """A new or resumed run that this process may write, with its valid parts."""

    path: Location
    """The run's folder."""
    manifest: Manifest
    """The manifest, unfinished."""
    parts: Sequence[Part]
    """In the order of their cases; no two parts hold the same case."""
    lock: RunLock
    """The lock that this process holds."""


def resume_run(root: str | Path | None, plan: Plan, which: str | None, read_cases: CaseReader) -> tuple[WritableRun | None, Diagnostic]:
    """The run to continue, with a diagnostic that says what is kept; None if there is none, so that a new run has to begin.

    `which` is a run's id; by default the latest unfinished run of the same suite that no process is writing.
    """
    run = _lock_latest(root, plan) if which is None else _lock_named(root, which)
    if run is None:
        return None, _note("not-resumed", f"there is no unfinished run of `{plan.name}` to resume: a new one began")
    changes = list_differences(run.manifest, new_manifest("", plan, {}, utc_now()))
    if changes:
        run.lock.release()
        what = f"run {run.manifest.id} was not resumed: {'; '.join(changes)}. Every case is scored again, in a new run"
        return None, _note("not-resumed", what, "warning")
    try:
        readable_parts = [part for part in run.parts if is_readable(run.path, part)]
        valid_parts = parts_with_same_data(readable_parts, read_cases())
        delete_other_parts(run.path, valid_parts)
    except OSError as error:
        run.lock.release()
        raise error if isinstance(error, StoreError) else resume_error(run.manifest.id, error) from error
    kept_cases = sum(part.cases for part in valid_parts)
    rescored_cases = sum(part.cases for part in run.parts) - kept_cases
    rescored = f"; {rescored_cases} were scored again, because their data changed or their files are corrupt" if rescored_cases else ""
    note = _note("resumed", f"resumed: {kept_cases} cases were already stored{rescored}")
    return WritableRun(path=run.path, manifest=run.manifest, parts=valid_parts, lock=run.lock), note


def _note(code: str, what: str, level: Any = "info") -> Diagnostic:
    return Diagnostic(code=code, level=level, what=what)


def _lock_latest(root: str | Path | None, plan: Plan) -> WritableRun | None:
    for name in reversed(list_run_ids(root)):
        folder = runs_folder(root) / name
        try:
            manifest = read_manifest(folder)
        except (StoreError, ValueError):  # corrupt, or of another format: it cannot be resumed
            continue
        if manifest is None or manifest.finished is not None or (manifest.name, manifest.suite_file) != (plan.name, plan.file):
            continue
        try:
            return _lock_run(folder)
        except (RunLocked, _NotResumable):
            continue
    return None


def _lock_named(root: str | Path | None, which: str) -> WritableRun:
    try:
        folder = find_run(root, which)
        _read_unfinished(folder)  # a finished run is refused even where no lock can be written
        return _lock_run(folder)
    except (RunNotFound, RunLocked, _NotResumable) as error:
        raise _cannot_resume(str(error)) from error


class _NotResumable(Exception):
    """A run is finished, was deleted, never began, or cannot be read."""


def _read_unfinished(folder: Location) -> Manifest:
    try:
        manifest = read_manifest(folder)
    except (StoreError, ValueError) as error:
        raise _NotResumable(str(error)) from error
    if manifest is None:
        raise _NotResumable(f"run {folder.name} was deleted, or stopped before it had begun")
    if manifest.finished is not None:
        raise _NotResumable(f"run {folder.name} is finished")
    return manifest


def _lock_run(folder: Location) -> WritableRun:
    """Lock a run, then read what is stored of it: until then, another process could still finish or delete it."""
    lock = RunLock(folder)
    try:
        manifest = _read_unfinished(folder)
        parts = drop_overlapping(read_parts(folder))
    except (OSError, _NotResumable) as error:
        _remove_if_deleted(folder)
        lock.release()
        if isinstance(error, (StoreError, _NotResumable)):
            raise
        raise resume_error(folder.name, error) from error
    return WritableRun(path=folder, manifest=manifest, parts=parts, lock=lock)


def _remove_if_deleted(folder: Location) -> None:
    """Remove the folder of a run that was deleted a moment ago: acquiring a file lock creates the folder again."""
    if isinstance(folder, Path) and [path.name for path in folder.glob("*")] == [LOCK_FILE]:
        shutil.rmtree(folder, ignore_errors=True)


def _cannot_resume(what: str) -> ConfigError:
    return ConfigError(
        [Diagnostic(code="cannot-resume", what=what, fix="`fieldwise runs` lists the runs; without the id, a new run begins")]
    )


def list_differences(old: Manifest, new: Manifest) -> list[str]:
    """In words, everything that changed and that determines results: package, evaluators, rules, libraries."""
    differences = [f"fieldwise {old.package} became {new.package}"] if old.package != new.package else []
    old_evaluators = {str(evaluator["name"]): evaluator for evaluator in old.evaluators}
    new_evaluators = {str(evaluator["name"]): evaluator for evaluator in new.evaluators}
    differences += [f"the evaluator `{name}` was added" for name in new_evaluators if name not in old_evaluators]
    differences += [f"the evaluator `{name}` is gone" for name in old_evaluators if name not in new_evaluators]
    for name, evaluator in new_evaluators.items():
        if name in old_evaluators:
            differences += _evaluator_differences(name, old_evaluators[name], evaluator)
    if old.fingerprints.get("confidence") != new.fingerprints.get("confidence"):
        differences.append("`confidence` changed")
    for name in {**old.environment, **new.environment}:
        before, after = old.environment.get(name, "none"), new.environment.get(name, "none")
        if before != after and name not in _IGNORED_ENVIRONMENT:
            differences.append(f"{name} {before} became {after}")
    return differences


def _evaluator_differences(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    if old.get("version") != new.get("version"):
        return [f"the evaluator `{name}` is version {new.get('version')} instead of {old.get('version')}"]
    return [f"the rules of `{name}` changed"] if old.get("rules") != new.get("rules") else []


def drop_overlapping(parts: Iterable[Part]) -> list[Part]:
    """Parts in the order of their cases, without those that hold a case of an earlier part."""
    disjoint: list[Part] = []
    for part in sorted(parts, key=lambda part: (part.first, part.number)):
        if not disjoint or part.first >= disjoint[-1].first + disjoint[-1].cases:
            disjoint.append(part)
    return disjoint


def is_readable(folder: Location, part: Part) -> bool:
    """True if every file of a part can be read to the end, with matching checksums."""
    try:
        for file in part.files:
            read_table(folder, file)
    except StoreError:
        return False
    return True


def parts_with_same_data(parts: Sequence[Part], chunks: Iterable[Cases]) -> list[Part]:
    """The parts whose cases equal, byte for byte, those of the data at the same position. Reads no further than the last part."""
    pending = deque(parts)
    tables: list[ArrowTable] = []
    same: list[Part] = []
    start = 0
    for cases in chunks:
        end = start + len(cases)
        while pending and pending[0].first < end:
            part, part_end = pending[0], pending[0].first + pending[0].cases
            rows = range(max(part.first, start) - start, min(part_end, end) - start)
            tables.append(build_cases_table(BatchOutcome(first=start + rows.start, cases=cases.take(rows), evaluated=())))
            if part_end > end:  # the rest of the part is in the next chunk
                break
            if fingerprint_cases(concat_tables(tables)) == part.content:
                same.append(part)
            pending.popleft()
            tables = []
        start = end
        if not pending:
            break
    return same


def delete_other_parts(folder: Location, parts: Sequence[Part]) -> None:
    """Delete every file in a run's folder of parts that does not belong to one of these parts.

    The JSON files go first, so that after a crash no part names files that are gone.
    """
    parts_folder = folder / "parts"
    keep = {file.file for part in parts for file in part.files} | {f"{part.number:05d}.json" for part in parts}
    others = [path for path in parts_folder.iterdir() if path.name not in keep]
    for path in others:
        if path.suffix == ".json":
            path.unlink()
    sync_folder(parts_folder)
    for path in others:
        if path.suffix != ".json":
            path.unlink()
