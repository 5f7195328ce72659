"""Run ids and tags, and finding a run by either.

A tag is an empty file in the run's folder: any number of processes can tag a run at the same time without overwriting each other,
and the results of the run stay untouched.
"""

import re
import secrets
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from fieldwise.model.locations import Location, parse_location, resolve_root
from fieldwise.registry import nearest
from fieldwise.store.atomic import sync_folder
from fieldwise.store.errors import StoreError
from fieldwise.store.stored_json import load_json

TAG_FOLDER: Final = "tags"
LATEST: Final = "latest"
TAG_RULE: Final = "a tag begins with a letter, has at most 64 letters, digits, `.`, `_` and `-`, and is not `latest`"
_TAG_PATTERN: Final = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}")
_ID_PATTERN: Final = re.compile(r"\d{8}-\d{6}-[0-9a-f]{7}")


class RunNotFound(LookupError):
    """No run matches the given id or tag, or more than one does; the message lists candidates."""


def new_run_id(started: datetime) -> str:
    """A unique id that sorts by time, to the millisecond, such as `20261115-203801-4127f3a`."""
    return f"{started:%Y%m%d-%H%M%S}-{started.microsecond // 1000:03d}{secrets.token_hex(2)}"


def started_at(run_id: str) -> datetime:
    """When a run began, to the second, by its id."""
    return datetime.fromisoformat(run_id[:15].replace("-", "T")).replace(tzinfo=UTC)  # `strptime` imports 5 ms of modules


def runs_folder(root: str | Path | None) -> Location:
    """The folder of the runs of a root; by default the root that FIELDWISE_ROOT names, else `.fieldwise` in the current folder."""
    return parse_location(resolve_root(root)) / "runs"


def list_run_ids(root: str | Path | None = None) -> list[str]:
    """The ids of all runs, oldest first, finished or not."""
    folder = runs_folder(root)
    try:
        return sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and _ID_PATTERN.fullmatch(entry.name))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StoreError(f"the runs in {folder} cannot be listed: {error.strerror or error}") from error


def describe_location(folder: Location) -> str:
    """The whole path of a local folder, the URL of a remote one."""
    return str(folder.absolute() if isinstance(folder, Path) else folder)


def find_run(root: str | Path | None, which: str) -> Location:
    """The folder of a run, given its id, a prefix of its id, a tag or a name (the latest run that has it), or `latest`."""
    folder = runs_folder(root)
    ids = list_run_ids(root)
    if not ids:
        raise RunNotFound(f"there are no runs in {describe_location(folder)}")
    matches = _matching_ids(folder, ids, which)
    if len(matches) == 1:
        return folder / matches[0]
    if matches:
        raise RunNotFound(f"`{which}` may be any of {', '.join(matches[-5:])}: give more of the id")
    if which == LATEST:
        raise RunNotFound(f"every run in {folder} is invalid: `fieldwise runs` lists them")
    raise _run_not_found(folder, ids, which)


def _read_manifest_value(folder: Location, key: str) -> Any:
    """A value of the manifest of a run, unchecked; None where there is none."""
    try:
        manifest = load_json((folder / "manifest.json").read_bytes())
    except (OSError, ValueError):  # opening the run reports what is wrong with it
        return None
    return manifest.get(key) if isinstance(manifest, dict) else None


def _matching_ids(folder: Location, ids: Sequence[str], which: str) -> list[str]:
    if which == LATEST:  # a run whose suite the data showed to be wrong is never the latest
        return next(([run_id] for run_id in reversed(ids) if not _read_manifest_value(folder / run_id, "invalid")), [])
    if which in ids:
        return [which]
    matches = [run_id for run_id in ids if which and run_id.startswith(which)]
    if len(matches) == 1 or not which:
        return matches
    newest_first = ids[::-1]
    if is_valid_tag(which):
        tagged = next((run_id for run_id in newest_first if which in read_tags(folder / run_id)), None)
        if tagged is not None:
            return [tagged]
    named = next((run_id for run_id in newest_first if which == _read_manifest_value(folder / run_id, "label")), None)
    return matches if named is None else [named]  # several ids may begin with a name such as 20261118


def _run_not_found(folder: Location, ids: Sequence[str], which: str) -> RunNotFound:
    tags = dict.fromkeys(tag for run_id in ids for tag in read_tags(folder / run_id))
    names = dict.fromkeys(filter(None, (_read_manifest_value(folder / run_id, "label") for run_id in ids)))
    suggestion = nearest(which, [LATEST, *tags, *names, *ids])
    hint = f"did you mean `{suggestion}`?" if suggestion else f"the latest: {', '.join(ids[-5:])}"
    return RunNotFound(f"there is no run `{which}`, neither by id nor by tag or name; {hint}")


def is_valid_tag(name: str) -> bool:
    """True if a run can have this tag. Ids begin with a digit, so that no tag can be mistaken for one.

    >>> is_valid_tag("v1.2-final"), is_valid_tag("2026"), is_valid_tag("latest"), is_valid_tag("../up")
    (True, False, False, False)
    """
    return _TAG_PATTERN.fullmatch(name) is not None and name != LATEST


def read_tags(folder: Location) -> tuple[str, ...]:
    """The tags of the run in this folder, sorted by name."""
    try:
        return tuple(sorted(entry.name for entry in (folder / TAG_FOLDER).iterdir() if is_valid_tag(entry.name)))
    except (FileNotFoundError, NotADirectoryError):
        return ()


def add_tags(folder: Location, names: Iterable[str]) -> None:
    """Add tags to the run in this folder; existing tags stay."""
    tags = _validate_tags(names)
    (folder / TAG_FOLDER).mkdir(exist_ok=True)
    for tag in tags:
        (folder / TAG_FOLDER / tag).touch()
    sync_folder(folder / TAG_FOLDER)


def remove_tags(folder: Location, names: Iterable[str]) -> list[str]:
    """Remove tags from the run in this folder; returns those that it did not have."""
    missing: list[str] = []
    for tag in _validate_tags(names):
        try:
            (folder / TAG_FOLDER / tag).unlink()
        except FileNotFoundError:
            missing.append(tag)
    return missing


def _validate_tags(names: Iterable[str]) -> list[str]:
    """The distinct names; ValueError if one is not a valid tag, because tags are used as file names."""
    tags = list(dict.fromkeys(names))
    invalid = [tag for tag in tags if not is_valid_tag(tag)]
    if invalid:
        raise ValueError(f"{', '.join(f'`{tag}`' for tag in invalid)} cannot be a tag: {TAG_RULE}")
    return tags
