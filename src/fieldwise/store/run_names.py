"""Where runs are, and which run someone means."""

import re
import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from fieldwise.model.locations import Location, parse_location, resolve_root
from fieldwise.registry import nearest
from fieldwise.store.atomic import sync_folder
from fieldwise.store.errors import StoreError

TAG_FOLDER: Final = "tags"
LATEST: Final = "latest"
TAG_RULE: Final = "a tag begins with a letter, has at most 64 letters, digits, `.`, `_` and `-`, and is not `latest`"
_TAG_PATTERN: Final = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}")


def is_valid_tag(name: str) -> bool:
    """Whether a run may be called so. Ids begin with a digit, so no tag is ever taken for one.

    >>> is_valid_tag("v1.2-final"), is_valid_tag("2026"), is_valid_tag("latest"), is_valid_tag("../up")
    (True, False, False, False)
    """
    return _TAG_PATTERN.fullmatch(name) is not None and name != LATEST


def read_tags(folder: Location) -> tuple[str, ...]:
    """The tags of the run in this folder, by name."""
    try:
        return tuple(sorted(entry.name for entry in (folder / TAG_FOLDER).iterdir() if is_valid_tag(entry.name)))
    except (FileNotFoundError, NotADirectoryError):
        return ()


def add_tags(folder: Location, names: Iterable[str]) -> None:
    """Give these tags to the run in this folder; those that it has stay as they are."""
    wanted = _validate_tags(names)
    (folder / TAG_FOLDER).mkdir(exist_ok=True)
    for name in wanted:
        (folder / TAG_FOLDER / name).touch()
    sync_folder(folder / TAG_FOLDER)


def remove_tags(folder: Location, names: Iterable[str]) -> list[str]:
    """Take these tags from the run in this folder; gives those that it did not have."""
    missing: list[str] = []
    for name in _validate_tags(names):
        try:
            (folder / TAG_FOLDER / name).unlink()
        except FileNotFoundError:
            missing.append(name)
    return missing


def _validate_tags(names: Iterable[str]) -> list[str]:
    """The names, if every one is a tag: a file is made and removed by it."""
    wanted = list(dict.fromkeys(names))
    bad = [name for name in wanted if not is_valid_tag(name)]
    if bad:
        raise ValueError(f"{', '.join(f'`{name}`' for name in bad)} cannot be a tag: {TAG_RULE}")
    return wanted


_ID_PATTERN: Final = re.compile(r"\d{8}-\d{6}-[0-9a-f]{7}")


class RunNotFound(LookupError):
    """No run, or more than one, is meant; the message says which there are."""


def new_run_id(at: datetime) -> str:
    """An id that sorts by time, to the millisecond, and is met only once, such as `20261115-203801-4127f3a`."""
    return f"{at:%Y%m%d-%H%M%S}-{at.microsecond // 1000:03d}{secrets.token_hex(2)}"


def runs_folder(root: str | Path | None) -> Location:
    """The folder that holds the runs of a root, by default what FIELDWISE_ROOT names, else `.fieldwise` in the current folder."""
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


def find_run(root: str | Path | None, which: str) -> Location:
    """The folder of the run that is meant: by its id, by the beginning of its id, by a tag (the latest run that has it), or `latest`."""
    ids = list_run_ids(root)
    if not ids:
        raise RunNotFound(f"there are no runs in {runs_folder(root)}")
    found = _matching_ids(runs_folder(root), ids, which)
    if len(found) == 1:
        return runs_folder(root) / found[0]
    if found:
        raise RunNotFound(f"`{which}` may be any of {', '.join(found[-5:])}: give more of the id")
    raise _run_not_found(runs_folder(root), ids, which)


def _matching_ids(folder: Location, ids: Sequence[str], which: str) -> list[str]:
    if which == LATEST:
        return list(ids[-1:])
    if is_valid_tag(which):
        return next(([name] for name in reversed(ids) if which in read_tags(folder / name)), [])
    return [name for name in ids if name == which] or [name for name in ids if which and name.startswith(which)]


def _run_not_found(folder: Location, ids: Sequence[str], which: str) -> RunNotFound:
    tags = dict.fromkeys(tag for name in ids for tag in read_tags(folder / name))
    like = nearest(which, [LATEST, *tags, *ids])
    told = f"did you mean `{like}`?" if like else f"the latest are {', '.join(ids[-5:])}"
    return RunNotFound(f"there is no run `{which}`, neither by id nor by tag; {told}")
