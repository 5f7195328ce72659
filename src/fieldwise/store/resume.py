"""Going on with a run that stopped: what is stored and still true stands, everything else is scored again.

A part stands if its files are whole and its cases are, to the byte, those that the data has now at the same place. If the rules, an
evaluator, the package or a library changed since, nothing stands, and a new run begins.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from fieldwise.model.batch import BatchOutcome
from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.locations import Location
from fieldwise.model.plan import Plan
from fieldwise.store.arrow_tables import ArrowTable, build_cases_table, concat_tables
from fieldwise.store.atomic import sync_folder
from fieldwise.store.errors import StoreError
from fieldwise.store.fingerprints import fingerprint_cases
from fieldwise.store.lock import RunLock, RunLocked
from fieldwise.store.manifest import Manifest, Part, new_manifest, read_manifest, utc_now
from fieldwise.store.part_reader import read_parts, read_table
from fieldwise.store.run_names import RunNotFound, find_run, list_run_ids, runs_folder

CaseReader = Callable[[], Iterator[Cases]]
"""Reads the cases of the run from the start, each time it is called."""
_IGNORED_ENVIRONMENT: Final = ("platform",)
"""What may change about the machine: a reboot may bring a new kernel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumedRun:
    """A run that goes on, with the parts of it that stand."""

    path: Location
    manifest: Manifest
    parts: Sequence[Part]
    """In the order of their cases; no two hold the same case."""
    lock: RunLock


def resume_run(root: str | Path | None, plan: Plan, which: str | None, chunks: CaseReader) -> tuple[ResumedRun | None, Diagnostic]:
    """The run to go on with and what stands of it, in words; None where there is none and a new one has to begin.

    `which` is a run's id; by default it is the latest run of the same suite that did not finish and that nobody is writing.
    """
    found = _lock_latest(root, plan) if which is None else _lock_named(root, which)
    if found is None:
        return None, _note("not-resumed", f"there is no unfinished run of `{plan.name}` to resume: a new one began")
    changed = list_differences(found.manifest, new_manifest("", plan, {}, utc_now()))
    if changed:
        found.lock.release()
        what = f"run {found.manifest.id} was not resumed: {'; '.join(changed)}. Every case is scored again, in a new run"
        return None, _note("not-resumed", what, "warning")
    before = [part for part in found.parts if is_readable(found.path, part)]
    standing = parts_with_same_data(before, chunks())
    delete_other_parts(found.path, standing)
    again = sum(part.cases for part in found.parts) - sum(part.cases for part in standing)
    told = f"; {again} were scored again, because their data changed or their files are torn" if again else ""
    note = _note("resumed", f"resumed: {sum(part.cases for part in standing)} cases stood from before{told}")
    return ResumedRun(path=found.path, manifest=found.manifest, parts=standing, lock=found.lock), note


def _note(code: str, what: str, level: Any = "info") -> Diagnostic:
    return Diagnostic(code=code, level=level, what=what)


def _lock_latest(root: str | Path | None, plan: Plan) -> ResumedRun | None:
    for name in reversed(list_run_ids(root)):
        folder = runs_folder(root) / name
        try:
            manifest = read_manifest(folder)
        except (StoreError, ValueError):  # torn, or of another format: nothing of it can stand
            continue
        if manifest is None or manifest.finished is not None or (manifest.name, manifest.suite_file) != (plan.name, plan.file):
            continue
        try:
            return _build_resumed(folder, manifest, RunLock(folder))
        except RunLocked:
            continue
    return None


def _lock_named(root: str | Path | None, which: str) -> ResumedRun:
    try:
        folder = find_run(root, which)
        manifest = read_manifest(folder)
    except (RunNotFound, StoreError, ValueError) as error:
        raise _cannot_resume(str(error)) from error
    if manifest is None:
        raise _cannot_resume(f"run {folder.name} stopped before it had begun")
    if manifest.finished is not None:
        raise _cannot_resume(f"run {folder.name} is finished")
    try:
        return _build_resumed(folder, manifest, RunLock(folder))
    except RunLocked as error:
        raise _cannot_resume(str(error)) from error


def _cannot_resume(what: str) -> ConfigError:
    return ConfigError([Diagnostic(code="cannot-resume", what=what, fix="`fieldwise runs` lists the runs; leave out the id to begin anew")])


def _build_resumed(folder: Location, manifest: Manifest, lock: RunLock) -> ResumedRun:
    return ResumedRun(path=folder, manifest=manifest, parts=drop_overlapping(read_parts(folder)), lock=lock)


def list_differences(old: Manifest, new: Manifest) -> list[str]:
    """What is no longer as it was, as far as it decides what evaluators say, in words."""
    found = [f"fieldwise {old.package} became {new.package}"] if old.package != new.package else []
    before, since = ({str(one["name"]): one for one in manifest.evaluators} for manifest in (old, new))
    found += [f"the evaluator `{name}` was added" for name in since if name not in before]
    found += [f"the evaluator `{name}` is gone" for name in before if name not in since]
    for name in since:
        if name in before:
            found += _evaluator_differences(name, before[name], since[name])
    names = [name for name in {**old.environment, **new.environment} if name not in _IGNORED_ENVIRONMENT]
    pairs = [(name, old.environment.get(name, "none"), new.environment.get(name, "none")) for name in names]
    return found + [f"{name} {was} became {now}" for name, was, now in pairs if was != now]


def _evaluator_differences(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    if old.get("version") != new.get("version"):
        return [f"the evaluator `{name}` is version {new.get('version')} instead of {old.get('version')}"]
    return [f"the rules of `{name}` changed"] if old.get("rules") != new.get("rules") else []


def drop_overlapping(parts: Iterable[Part]) -> list[Part]:
    """Parts in the order of their cases, without any that holds a case that another holds already."""
    found: list[Part] = []
    for part in sorted(parts, key=lambda part: (part.first, part.number)):
        if not found or part.first >= found[-1].first + found[-1].cases:
            found.append(part)
    return found


def is_readable(folder: Location, part: Part) -> bool:
    """Whether every file of a part can be read to the end, with the checksums that were written."""
    try:
        for file in part.files:
            read_table(folder, file)
    except StoreError:
        return False
    return True


def parts_with_same_data(parts: Sequence[Part], chunks: Iterable[Cases]) -> list[Part]:
    """The parts whose cases are still, to the byte, what the data has at their place. Reads no further than the last part."""
    waiting = deque(parts)
    tables: list[ArrowTable] = []
    kept: list[Part] = []
    at = 0
    for cases in chunks:
        end = at + len(cases)
        while waiting and waiting[0].first < end:
            part, stop = waiting[0], waiting[0].first + waiting[0].cases
            some = range(max(part.first, at) - at, min(stop, end) - at)
            tables.append(build_cases_table(BatchOutcome(first=at + some.start, cases=cases.take(some), evaluated=())))
            if stop > end:
                break
            if fingerprint_cases(concat_tables(tables)) == part.content:
                kept.append(part)
            waiting.popleft()
            tables = []
        at = end
        if not waiting:
            break
    return kept


def delete_other_parts(folder: Location, standing: Sequence[Part]) -> None:
    """Remove every file of a run's parts but those of the parts that stand; what names a part goes before what it names."""
    parts = folder / "parts"
    keep = {file.file for part in standing for file in part.files} | {f"{part.number:05d}.json" for part in standing}
    rest = [path for path in parts.iterdir() if path.name not in keep]
    for path in (path for path in rest if path.suffix == ".json"):
        path.unlink()
    sync_folder(parts)
    for path in (path for path in rest if path.suffix != ".json"):
        path.unlink()
