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
from fieldwise.model.locations import Place
from fieldwise.model.plan import Plan
from fieldwise.store.arrow_tables import ArrowTable, cases_table, joined
from fieldwise.store.atomic import sync_folder
from fieldwise.store.errors import StoreError
from fieldwise.store.fingerprints import fingerprint_cases
from fieldwise.store.lock import Busy, Lock
from fieldwise.store.manifest import Manifest, Part, new_manifest, now, read_manifest
from fieldwise.store.part_reader import parts_on_disk, read_table
from fieldwise.store.run_names import RunNotFound, find_run, run_ids, runs_folder

Chunks = Callable[[], Iterator[Cases]]
"""Reads the cases of the run from the start, each time it is called."""
_HARMLESS: Final = ("platform",)
"""What may change about the machine: a reboot may bring a new kernel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """A run that goes on, with the parts of it that stand."""

    path: Place
    manifest: Manifest
    parts: Sequence[Part]
    """In the order of their cases; no two hold the same case."""
    lock: Lock


def resume_run(root: str | Path | None, plan: Plan, which: str | None, chunks: Chunks) -> tuple[Unfinished | None, Diagnostic]:
    """The run to go on with and what stands of it, in words; None where there is none and a new one has to begin.

    `which` is a run's id; by default it is the latest run of the same suite that did not finish and that nobody is writing.
    """
    found = _latest(root, plan) if which is None else _named(root, which)
    if found is None:
        return None, _note("not-resumed", f"there is no unfinished run of `{plan.name}` to resume: a new one began")
    changed = differences(found.manifest, new_manifest("", plan, {}, now()))
    if changed:
        found.lock.release()
        what = f"run {found.manifest.id} was not resumed: {'; '.join(changed)}. Every case is scored again, in a new run"
        return None, _note("not-resumed", what, "warning")
    before = [part for part in found.parts if is_whole(found.path, part)]
    standing = unchanged(before, chunks())
    retire(found.path, standing)
    again = sum(part.cases for part in found.parts) - sum(part.cases for part in standing)
    told = f"; {again} were scored again, because their data changed or their files are torn" if again else ""
    note = _note("resumed", f"resumed: {sum(part.cases for part in standing)} cases stood from before{told}")
    return Unfinished(path=found.path, manifest=found.manifest, parts=standing, lock=found.lock), note


def _note(code: str, what: str, level: Any = "info") -> Diagnostic:
    return Diagnostic(code=code, level=level, what=what)


def _latest(root: str | Path | None, plan: Plan) -> Unfinished | None:
    for name in reversed(run_ids(root)):
        folder = runs_folder(root) / name
        try:
            manifest = read_manifest(folder)
        except (StoreError, ValueError):  # torn, or of another format: nothing of it can stand
            continue
        if manifest is None or manifest.finished is not None or (manifest.name, manifest.suite_file) != (plan.name, plan.file):
            continue
        try:
            return _opened(folder, manifest, Lock(folder))
        except Busy:
            continue
    return None


def _named(root: str | Path | None, which: str) -> Unfinished:
    try:
        folder = find_run(root, which)
        manifest = read_manifest(folder)
    except (RunNotFound, StoreError, ValueError) as error:
        raise _refused(str(error)) from error
    if manifest is None:
        raise _refused(f"run {folder.name} stopped before it had begun")
    if manifest.finished is not None:
        raise _refused(f"run {folder.name} is finished")
    try:
        return _opened(folder, manifest, Lock(folder))
    except Busy as error:
        raise _refused(str(error)) from error


def _refused(what: str) -> ConfigError:
    return ConfigError([Diagnostic(code="cannot-resume", what=what, fix="`fieldwise runs` lists the runs; leave out the id to begin anew")])


def _opened(folder: Place, manifest: Manifest, lock: Lock) -> Unfinished:
    return Unfinished(path=folder, manifest=manifest, parts=apart(parts_on_disk(folder)), lock=lock)


def differences(old: Manifest, new: Manifest) -> list[str]:
    """What is no longer as it was, as far as it decides what evaluators say, in words."""
    found = [f"fieldwise {old.package} became {new.package}"] if old.package != new.package else []
    before, since = ({str(one["name"]): one for one in manifest.evaluators} for manifest in (old, new))
    found += [f"the evaluator `{name}` was added" for name in since if name not in before]
    found += [f"the evaluator `{name}` is gone" for name in before if name not in since]
    for name in since:
        if name in before:
            found += _changed(name, before[name], since[name])
    names = [name for name in {**old.environment, **new.environment} if name not in _HARMLESS]
    pairs = [(name, old.environment.get(name, "none"), new.environment.get(name, "none")) for name in names]
    return found + [f"{name} {was} became {now}" for name, was, now in pairs if was != now]


def _changed(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    if old.get("version") != new.get("version"):
        return [f"the evaluator `{name}` is version {new.get('version')} instead of {old.get('version')}"]
    return [f"the rules of `{name}` changed"] if old.get("rules") != new.get("rules") else []


def apart(parts: Iterable[Part]) -> list[Part]:
    """Parts in the order of their cases, without any that holds a case that another holds already."""
    found: list[Part] = []
    for part in sorted(parts, key=lambda part: (part.first, part.number)):
        if not found or part.first >= found[-1].first + found[-1].cases:
            found.append(part)
    return found


def is_whole(folder: Place, part: Part) -> bool:
    """Whether every file of a part can be read to the end, with the checksums that were written."""
    try:
        for file in part.files:
            read_table(folder, file)
    except StoreError:
        return False
    return True


def unchanged(parts: Sequence[Part], chunks: Iterable[Cases]) -> list[Part]:
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
            tables.append(cases_table(BatchOutcome(first=at + some.start, cases=cases.take(some), evaluated=())))
            if stop > end:
                break
            if fingerprint_cases(joined(tables)) == part.content:
                kept.append(part)
            waiting.popleft()
            tables = []
        at = end
        if not waiting:
            break
    return kept


def retire(folder: Place, standing: Sequence[Part]) -> None:
    """Remove every file of a run's parts but those of the parts that stand; what names a part goes before what it names."""
    parts = folder / "parts"
    keep = {file.file for part in standing for file in part.files} | {f"{part.number:05d}.json" for part in standing}
    rest = [path for path in parts.iterdir() if path.name not in keep]
    for path in (path for path in rest if path.suffix == ".json"):
        path.unlink()
    sync_folder(parts)
    for path in (path for path in rest if path.suffix != ".json"):
        path.unlink()
