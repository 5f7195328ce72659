"""Files that are named on the command line."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where


def require_file(path: Path, kind: str) -> Path:
    """Return the path if it exists; else raise ConfigError with the most similar file name."""
    if path.exists():
        return path
    fix = _suggest_path(path, suite=kind == "suite")
    raise ConfigError([Diagnostic(code="no-file", what=f"there is no {kind} {path}", where=Where(file=str(path)), fix=fix)])


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
        path.write_text(content, encoding="utf-8", newline="\n")
    return list(files)


def check_suffixes(names: Iterable[str], suffixes: Sequence[str]) -> None:
    """Raise ConfigError for file names without one of these suffixes."""
    unknown = [name for name in names if Path(name).suffix.lower() not in suffixes]
    if unknown:
        what, fix = "the file name has no known format", f"end the name in {' or '.join(suffixes)}"
        raise ConfigError(Diagnostic(code="unknown-format", what=what, where=Where(file=name), fix=fix) for name in unknown)


def write_report(name: str, content: str) -> None:
    """Write a file, and say so on standard error."""
    from fieldwise.cli._console import error_console

    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8", newline="\n")
    error_console().print(f"wrote {path}")
