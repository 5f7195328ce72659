"""Files that are named on the command line."""

import errno
import json
import shlex
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where

DATA_SUFFIXES: Final = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".xlsx", ".arrow")
"""Endings of files that hold cases."""
_PACKAGES: Final[Mapping[str, tuple[str, ...]]] = {".html": ("jinja2", "pygal"), ".xlsx": ("xlsxwriter",)}
"""Packages of the extra `report` that a format needs."""
DEVICE_ERRORS: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ESTALE)
"""Errors of the disk while it is written; most of them do not name a file."""


def require_file(path: Path, kind: str) -> Path:
    """Return the path if it exists; else raise ConfigError with the most similar file name."""
    if path.exists():
        return path
    fix = _suggest_path(path, suite=kind == "suite")
    raise ConfigError([Diagnostic(code="no-file", what=f"there is no {kind} {path}", where=Where(file=str(path)), fix=fix)])


def require_suite(path: Path) -> Path:
    """Return the path of a suite if it exists and is not a data file or a folder; else raise ConfigError."""
    require_file(path, "suite")
    if path.is_dir():
        suites = sorted(entry.name for entry in path.iterdir() if entry.name.endswith((".eval.yaml", ".eval.yml")))
        fix = (
            f"name the suite: {' or '.join(str(path / suite) for suite in suites[:5])}"
            if suites
            else f"`fieldwise init {path}` writes a suite there"
        )
        raise ConfigError([Diagnostic(code="not-a-suite", what="this is a folder, not a suite", where=Where(file=str(path)), fix=fix)])
    if _is_data_file(path):
        fix = f"write a suite for it: `fieldwise init --cases {shlex.quote(str(path))}`"
        raise ConfigError([Diagnostic(code="not-a-suite", what="this is data, not a suite", where=Where(file=str(path)), fix=fix)])
    return path


def _is_data_file(path: Path) -> bool:
    """True for formats of cases; a JSON file is a suite if it is an object with `evaluators`."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in (".gz", ".zst")]
    suffix = suffixes[-1] if suffixes else ""
    if suffix != ".json":
        return suffix in DATA_SUFFIXES
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False  # the reader of suites says what is wrong with it
    return not (isinstance(content, dict) and "evaluators" in content)


def _suggest_path(path: Path, *, suite: bool) -> str:
    from fieldwise.registry import nearest

    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder} either"
    names = sorted(entry.name for entry in folder.iterdir())
    yaml_names = [name for name in names if name.endswith((".yaml", ".yml"))] if suite else []
    similar = nearest(path.name, names) or nearest(path.name, yaml_names)
    if similar:
        return f"did you mean {folder / similar}?"
    if not suite:
        return "check the path"
    suites = [name for name in names if name.endswith((".eval.yaml", ".eval.yml"))]
    if suites:
        return f"there is {', '.join(suites[:3])}"
    return f"`fieldwise init` writes one; {folder.resolve()} has none"


def write_new_files(files: Mapping[Path, str], *, force: bool) -> list[Path]:
    """Write files by path; if any exists and `force` is false, write none and raise ConfigError."""
    existing = [] if force else [path for path in files if path.exists()]
    if existing:
        fix = "choose another folder, move the file, or overwrite it with --force"
        raise ConfigError(
            Diagnostic(code="file-exists", what="the file already exists", where=Where(file=str(path)), fix=fix) for path in existing
        )
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with complete_or_absent(path):
            path.write_text(content, encoding="utf-8", newline="\n")
    return list(files)


@contextmanager
def complete_or_absent(path: Path) -> Generator[None]:
    """Remove a file that the disk did not take to its end: a part of a report would pass for the whole."""
    try:
        yield
    except OSError as error:
        if error.errno in DEVICE_ERRORS and path.is_file():
            path.unlink()
        raise


def check_suffixes(names: Sequence[str], suffixes: Sequence[str]) -> None:
    """Raise ConfigError for file names without one of these suffixes, and for formats whose packages are missing."""
    unknown = [name for name in names if Path(name).suffix.lower() not in suffixes]
    if unknown:
        what, fix = "the file name has no known format", f"end the name in {' or '.join(suffixes)}"
        raise ConfigError(Diagnostic(code="unknown-format", what=what, where=Where(file=name), fix=fix) for name in unknown)
    check_packages(names)


def check_packages(names: Iterable[str]) -> None:
    """Raise ConfigError for file names whose format needs a package that is not installed."""
    from importlib.util import find_spec

    problems: list[Diagnostic] = []
    for name in names:
        missing = [package for package in _PACKAGES.get(Path(name).suffix.lower(), ()) if find_spec(package) is None]
        if missing:
            what = f"this format needs {' and '.join(missing)}, not installed here"
            problems.append(Diagnostic(code="missing-package", what=what, where=Where(file=name), fix="pip install 'fieldwise[report]'"))
    if problems:
        raise ConfigError(problems)


def write_report(name: str, content: str) -> None:
    """Write a file, and say so on standard error."""
    from fieldwise.cli._console import error_console

    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with complete_or_absent(path):
        path.write_text(content, encoding="utf-8", newline="\n")
    error_console().print(f"wrote {path}")
