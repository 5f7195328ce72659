"""The suites in the server's workspace: list, read and save them. Nothing outside the workspace is read or written, and no links."""

import os
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from fieldwise.store.atomic import write_atomically
from fieldwise.web.api_evaluate import resolve_below
from fieldwise.web.problems import make_problem
from fieldwise.web.suite_text import MAX_SUITE_LENGTH

SUITE_ENDINGS: Final = (".eval.yaml", ".eval.yml")
MAX_SUITES: Final = 200
_MAX_DEPTH: Final = 4
_MAX_FOLDERS: Final = 2_000
_FILE_NAME: Final = re.compile(r"(?:[\w-][\w .-]{0,99}/){0,4}[\w-][\w .-]{0,99}\.eval\.ya?ml")
_SKIPPED: Final = frozenset({"node_modules", "site-packages", "__pycache__", "venv"})


def list_suites(workspace: Path) -> list[str]:
    """The suites of the workspace, relative to it and sorted; hidden folders and links are not searched."""
    return sorted(_iterate_suites(workspace))[:MAX_SUITES]


def _iterate_suites(workspace: Path) -> Iterator[str]:
    for number, (folder, folders, files) in enumerate(os.walk(workspace, followlinks=False)):
        if number > _MAX_FOLDERS:
            return
        place = Path(folder).relative_to(workspace)
        if len(place.parts) >= _MAX_DEPTH:
            folders.clear()
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _SKIPPED]
        for name in files:
            if name.endswith(SUITE_ENDINGS) and not (Path(folder) / name).is_symlink():
                yield (place / name).as_posix()


def read_suite(workspace: Path, name: str) -> str:
    """The text of a suite of the workspace; RequestProblem if there is none."""
    _require_suite_name(name)
    path = resolve_below(workspace, name, "file")
    if path.stat().st_size > 4 * MAX_SUITE_LENGTH:
        raise make_problem(422, "too-long", f"{name} is too large for this page", "edit it in an editor")
    return path.read_text(encoding="utf-8-sig", errors="replace").replace("\r\n", "\n")


def version_of(text: str | None) -> str:
    """A short text that changes with the suite; empty if there is none."""
    return "" if text is None else sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def save_suite(workspace: Path, name: str, text: str, version: str) -> None:
    """Write a suite, unless the file has changed since that version; RequestProblem otherwise."""
    _require_suite_name(name)
    path = workspace / name
    folder = resolve_below(workspace, Path(name).parent.as_posix(), "file") if "/" in name else workspace
    if path.is_symlink():
        raise make_problem(403, "outside", "only files in the folder of suites can be written, and no links", field="file")
    current = read_suite(workspace, name) if path.is_file() else None
    if version_of(current) != version:
        what = f"{name} was changed in the meantime" if version else f"there is a suite {name} already"
        raise make_problem(409, "changed-meanwhile", what, "open it again, and repeat the change", field="file")
    content = text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")

    def write(file: Path) -> None:
        file.write_bytes(content)

    write_atomically(folder / path.name, write)


def _require_suite_name(name: str) -> None:
    if not _FILE_NAME.fullmatch(name) or ".." in name:
        what = "a suite must be named like `invoices.eval.yaml`, in the folder of this server"
        raise make_problem(422, "bad-name", what, "letters, digits, `.`, `-` and `_`, with the ending .eval.yaml", field="file")
