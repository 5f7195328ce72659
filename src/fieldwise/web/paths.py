"""Files of the server that a request may name: below one folder, and nowhere else."""

import os
from pathlib import Path, PurePosixPath
from typing import Final

from fieldwise.web.problems import Problem, problem

_ENTRIES: Final = 20_000
_SPECIAL: Final = frozenset("*?[]{}\\~\0")


def below(root: Path | None, written: str, field: str) -> Path:
    """The file or folder at a path below the root; a Problem for anything else, in the same words whether it exists or not."""
    if root is None:
        fix = "start the server with --data FOLDER"
        raise problem(403, "no-data-folder", "this server evaluates no files by path", fix, field=field)
    if _SPECIAL & set(written) or any(ord(character) < 32 for character in written):
        raise problem(422, "bad-path", "a path here has no patterns and no special characters", "name one file or folder", field=field)
    path = PurePosixPath(written)
    if path.is_absolute() or ".." in path.parts or (path.parts and ":" in path.parts[0]):
        raise _outside(field)
    place = root.resolve()
    for part in path.parts:
        place = place / part
        if place.is_symlink():
            raise _outside(field)
    try:
        resolved = place.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise problem(404, "no-file", "there is no such file below the data folder", "check the path", field=field) from error
    if not resolved.is_relative_to(root.resolve()):
        raise _outside(field)
    if resolved.is_dir():
        _refuse_links(resolved, field)
    elif not resolved.is_file():
        raise problem(422, "bad-path", "this is neither a file nor a folder", "name a file", field=field)
    return resolved


def _outside(field: str) -> Problem:
    fix = "give a path relative to the server's data folder, without `..`"
    return problem(403, "outside", "only files below the server's data folder can be evaluated, and no links", fix, field=field)


def _refuse_links(folder: Path, field: str) -> None:
    seen = 0
    for here, folders, files in os.walk(folder, followlinks=False):
        seen += len(folders) + len(files)
        if seen > _ENTRIES:
            raise problem(422, "too-many-files", f"the folder has more than {_ENTRIES:,} entries", "name a smaller folder", field=field)
        if any((Path(here) / name).is_symlink() for name in (*folders, *files)):
            raise _outside(field)
