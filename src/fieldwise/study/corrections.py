"""Write `corrections.jsonl`: append decisions about expected values, take one back, and find the file of a run.

The file is append-only. Writers hold a lock, check a decision against those of others, and return after the line is on disk.
"""

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from fieldwise.model.correction import (
    UNDO,
    Correction,
    CorrectionProblem,
    CorrectionSet,
    hash_line,
)
from fieldwise.model.values import Value
from fieldwise.read.corrections import correct_expected, parse_corrections

FILE_NAME: Final = "corrections.jsonl"
_LOCK_SECONDS: Final = 30.0


def load_corrections(file: str | Path) -> CorrectionSet:
    """The corrections in force; none if the file does not exist yet. ConfigError if a line is wrong.

    The beginning of a line that an interrupted writer left at the end does not count: its writer was not told that it is saved.
    """
    path = Path(file)
    return parse_corrections(_without_torn_line(path.read_bytes()) if path.exists() else b"", str(path))


def append_correction(file: str | Path, correction: Correction, expected: Value) -> str:
    """Append a correction; returns the hash of its line, which `undo_correction` takes. Without `at`, the time is now.

    `expected` is the whole expected side of the case as the data or a run has it, before or after earlier corrections; `expected_hash` of
    the correction is `hash_value` of the value that the person saw. CorrectionProblem, and nothing is written, if another writer has
    changed that value meanwhile, or there is none at the path.
    """
    with _locked(Path(file)) as stream:
        _require_applicable(correction, _read_open_file(stream, file), expected)
        return _append_line(stream, replace(correction, at=correction.at or _format_now()).to_json())


def check_correction(file: str | Path, correction: Correction, expected: Value) -> None:
    """Raise the CorrectionProblem of `append_correction`, without writing."""
    _require_applicable(correction, load_corrections(file), expected)


def _require_applicable(correction: Correction, corrections: CorrectionSet, expected: Value) -> None:
    together = CorrectionSet.of(corrections.file, [*corrections.by_case.get(correction.case, ()), correction])
    _, problems = correct_expected(expected, together, correction.case)
    own = [problem for problem in problems if problem.where.line is None]  # an earlier line may be in `expected` already
    if own:
        raise CorrectionProblem(own[-1].code, own[-1].what, own[-1].fix or "")


def undo_correction(file: str | Path, line_hash: str, *, why: str = "", by: str = "", at: str = "") -> str:
    """Append a line that takes back the line with this hash; ConfigError if no line in force has it. Returns the hash of the new line."""
    with _locked(Path(file)) as stream:
        row = {"action": UNDO, "undoes": line_hash, "why": why, "by": by, "at": at or _format_now()}
        _read_open_file(stream, file)
        parse_corrections(_read_content(stream) + _encode_line(row), str(file))
        return _append_line(stream, row)


def list_lines(file: str | Path) -> list[tuple[str, Correction]]:
    """The corrections in force with the hashes of their lines, in the order of the file."""
    path = Path(file)
    if not path.exists():
        return []
    content = _without_torn_line(path.read_bytes())
    lines = content.split(b"\n")
    in_force = parse_corrections(content, str(path)).corrections
    return [(hash_line(lines[(correction.line or 1) - 1]), correction) for correction in in_force]


def find_corrections_file(data_file: str | Path) -> Path:
    """The file of corrections beside a data file, a folder or a pattern."""
    path = Path(data_file)
    folder = path if path.is_dir() else path.parent
    while any(character in str(folder) for character in "*?["):
        folder = folder.parent
    return folder / FILE_NAME


def _format_now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextmanager
def _locked(path: Path) -> Generator[Any]:
    """The file open for reading and appending, while no other writer has it."""
    from filelock import FileLock  # loads asyncio, which readers do not need

    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_name(f".{path.name}.lock"), timeout=_LOCK_SECONDS), path.open("ab+") as stream:
        yield stream


def _read_content(stream: Any) -> bytes:
    stream.seek(0)
    return stream.read()


def _without_torn_line(content: bytes) -> bytes:
    end = content.rfind(b"\n") + 1
    try:
        json.loads(content[end:] or b"null")
    except ValueError:
        return content[:end]
    return content


def _read_open_file(stream: Any, file: str | Path) -> CorrectionSet:
    """The corrections in force. Removes what an interrupted writer left, and ends a last line that has no line end."""
    content = _read_content(stream)
    complete = _without_torn_line(content)
    stream.truncate(len(complete))
    if complete and not complete.endswith(b"\n"):
        stream.write(b"\n")
        stream.flush()
    return parse_corrections(complete, str(file))


def _encode_line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode(errors="surrogatepass") + b"\n"


def _append_line(stream: Any, row: dict[str, Any]) -> str:
    line = _encode_line(row)
    stream.write(line)
    stream.flush()
    os.fsync(stream.fileno())
    return hash_line(line)
