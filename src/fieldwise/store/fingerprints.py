"""What a run rests on, each in a few characters: its rules, its data, the cases of a part."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute

from fieldwise.model.ask import Endpoint
from fieldwise.model.locations import Place, place_of
from fieldwise.model.plan import PlannedEvaluator, Source
from fieldwise.model.remote_path import RemotePath
from fieldwise.read.files import Unreadable, find_files
from fieldwise.registry import is_judge
from fieldwise.store.arrow_tables import ArrowColumn, ArrowTable, array_of
from fieldwise.store.stored_json import to_text

pc: Any = pyarrow.compute  # its functions are made at run time, so no checker knows them

SMALL: Final = 64 << 20
"""Files up to this size are read whole; of larger ones the size, the time of change, the head and the tail."""
_END: Final = 1 << 20
_MODEL: Final = ("FIELDWISE_MODEL_URL", "FIELDWISE_MODEL")
"""Which model is asked where an endpoint does not say so itself."""
_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+")
_LONGEST_PATH: Final = 4096


def sha256(content: bytes) -> str:
    """What tells one content from every other."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def fingerprint_rules(planned: PlannedEvaluator) -> str:
    """Everything that decides what an evaluator says of a case, but its version: options, rules, and the files a judge's options name."""
    plain: list[Any] = [planned.type, _plain(planned.config), planned.pass_at, _plain(planned.when)]
    if is_judge(planned.type):
        plain += sorted(_files(planned.config, Path(getattr(planned.config, "cwd", "."))))
    return sha256(to_text(plain))


def _plain(value: Any) -> Any:
    """A value as lists and texts that are the same in every process.

    >>> _plain({"b": frozenset({"y", "x"}), "a": 1.0})
    ['map', ["'a'", '1.0'], ["'b'", ['set', "'x'", "'y'"]]]
    """
    if is_dataclass(value):
        world = [[name, os.environ.get(name)] for name in _MODEL] if isinstance(value, Endpoint) else []
        return [type(value).__name__, *([field.name, _plain(getattr(value, field.name))] for field in fields(value)), *world]
    if isinstance(value, Mapping):
        pairs = cast("Mapping[Any, Any]", value).items()
        return ["map", *([repr(key), _plain(inner)] for key, inner in sorted(pairs, key=lambda pair: repr(pair[0])))]
    if isinstance(value, Set):
        return ["set", *sorted((_plain(inner) for inner in cast("Set[Any]", value)), key=repr)]
    if isinstance(value, list | tuple):
        return ["list", *(_plain(inner) for inner in cast("Sequence[Any]", value))]
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return _ADDRESS.sub("", repr(value))


def _files(value: Any, folder: Path) -> Iterator[list[str]]:
    """The files that options name, with what they hold."""
    for text in _texts(value):
        if len(text) < _LONGEST_PATH and "\0" not in text and "\n" not in text:
            for path in {Path(text), folder / text}:
                if path.is_file():
                    yield [text, sha256(path.read_bytes())]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif is_dataclass(value):
        for field in fields(value):
            yield from _texts(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for inner in cast("Mapping[Any, Any]", value).values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in cast("Sequence[Any]", value):
            yield from _texts(inner)


def fingerprint_data(source: Source | None) -> dict[str, str]:
    """The files of a source as they are now, by role. Standard input has no fingerprint."""
    named = {} if source is None else {"cases": source.cases, "expected": source.expected, "actual": source.actual}
    found = {role: _fingerprint_pattern(pattern) for role, pattern in named.items() if pattern and pattern != "-"}
    return {role: text for role, text in found.items() if text}


def _fingerprint_pattern(pattern: str) -> str | None:
    try:
        files = find_files(pattern)
        found = [fingerprint_file(file) for file in files]
    except (Unreadable, OSError):  # whoever reads the cases says what is wrong
        return None
    if len(found) == 1:
        return found[0]
    names = [[file.name, text] for file, text in zip(files, found, strict=True)]
    return f"{len(files)} files {sha256(to_text(names))}"


def fingerprint_file(path: str | Place) -> str:
    """A file's content; of a large or a remote file what makes another content unlikely, and it says so."""
    path = place_of(path)
    if isinstance(path, RemotePath):
        return _fingerprint_remote(path)
    with path.open("rb") as file:
        about = os.fstat(file.fileno())
        if about.st_size <= SMALL:
            return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
        head = file.read(_END)
        file.seek(-_END, os.SEEK_END)
        return f"{about.st_size} bytes, changed {about.st_mtime_ns} ns, ends {sha256(head + file.read())}"


def _fingerprint_remote(path: RemotePath) -> str:
    about = path.stat()
    with path.open() as file:
        head = file.read(_END)
        file.seek(max(about.st_size - _END, 0))
        ends = sha256(head + file.read())
    return f"{about.st_size} bytes, changed {about.st_mtime_ns} ns, etag {about.signature or 'none'}, ends {ends}"


def fingerprint_cases(cases: ArrowTable) -> str:
    """The content of a table of cases, however it is cut into chunks; not their positions."""
    digest = hashlib.sha256()
    for name in cases.column_names:
        if name != "case":
            digest.update(name.encode())
            _add_column(digest, cases.column(name))
    return f"sha256:{digest.hexdigest()}"


def _add_column(digest: Any, column: ArrowColumn) -> None:
    if pa.types.is_list(column.type):
        digest.update(array_of(pc.list_value_length(column), -1).astype("<i4").tobytes())
        column = pa.chunked_array([chunk.flatten().cast(pa.string()) for chunk in column.chunks], type=pa.string())
    digest.update(array_of(pc.binary_length(column), -1).astype("<i4").tobytes())
    for chunk in column.chunks:
        _, offsets, data = chunk.buffers()
        if data is not None and len(chunk):
            ends = np.frombuffer(offsets, dtype=np.int32, count=len(chunk) + 1, offset=4 * chunk.offset)
            digest.update(memoryview(data)[int(ends[0]) : int(ends[-1])])
