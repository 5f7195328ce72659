"""Names that people give to runs.

A tag is an empty file in the run's folder, so that any number of processes may tag a run at once and none undoes what another did; what
the run measured stays untouched.
"""

import re
from collections.abc import Iterable
from typing import Final

from fieldwise.model.locations import Place
from fieldwise.store.atomic import sync_folder

FOLDER: Final = "tags"
LATEST: Final = "latest"
RULE: Final = "a tag begins with a letter, has at most 64 letters, digits, `.`, `_` and `-`, and is not `latest`"
_TAG: Final = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}")


def is_tag(name: str) -> bool:
    """Whether a run may be called so. Ids begin with a digit, so no tag is ever taken for one.

    >>> is_tag("v1.2-final"), is_tag("2026"), is_tag("latest"), is_tag("../up")
    (True, False, False, False)
    """
    return _TAG.fullmatch(name) is not None and name != LATEST


def tags_of(folder: Place) -> tuple[str, ...]:
    """The tags of the run in this folder, by name."""
    try:
        return tuple(sorted(entry.name for entry in (folder / FOLDER).iterdir() if is_tag(entry.name)))
    except (FileNotFoundError, NotADirectoryError):
        return ()


def add_tags(folder: Place, names: Iterable[str]) -> None:
    """Give these tags to the run in this folder; those that it has stay as they are."""
    wanted = _checked(names)
    (folder / FOLDER).mkdir(exist_ok=True)
    for name in wanted:
        (folder / FOLDER / name).touch()
    sync_folder(folder / FOLDER)


def remove_tags(folder: Place, names: Iterable[str]) -> list[str]:
    """Take these tags from the run in this folder; gives those that it did not have."""
    missing: list[str] = []
    for name in _checked(names):
        try:
            (folder / FOLDER / name).unlink()
        except FileNotFoundError:
            missing.append(name)
    return missing


def _checked(names: Iterable[str]) -> list[str]:
    """The names, if every one is a tag: a file is made and removed by it."""
    wanted = list(dict.fromkeys(names))
    bad = [name for name in wanted if not is_tag(name)]
    if bad:
        raise ValueError(f"{', '.join(f'`{name}`' for name in bad)} cannot be a tag: {RULE}")
    return wanted
