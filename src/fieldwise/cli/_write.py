"""Files that a command writes for people."""

from collections.abc import Mapping
from pathlib import Path

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where


def write_new(files: Mapping[Path, str], *, force: bool) -> list[Path]:
    """Write these files; ConfigError, and nothing written, if one of them is there already and `force` was not given."""
    there = [] if force else [path for path in files if path.exists()]
    if there:
        fix = "give another folder, move it away, or say --force to overwrite it"
        raise ConfigError(
            Diagnostic(code="file-exists", what="the file is there already", where=Where(file=str(path)), fix=fix) for path in there
        )
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="\n")
    return list(files)
