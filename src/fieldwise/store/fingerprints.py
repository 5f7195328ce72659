"""Fingerprints of what a run depends on: rules, data files, and the cases of a part."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

import numpy as np
import pyarrow as pa

from fieldwise.model.ask import Endpoint
from fieldwise.model.locations import Location, parse_location
from fieldwise.model.plan import PlannedEvaluator, Source
from fieldwise.model.remote_path import RemotePath
from fieldwise.model.rule import Match
from fieldwise.model.values import SCALAR_TYPES, dataclass_fields
from fieldwise.read.files import UnreadableFile, find_files
from fieldwise.registry import is_judge
from fieldwise.store.arrow_tables import ArrowColumn, ArrowTable, list_items, value_lengths
from fieldwise.store.checksums import sha256
from fieldwise.store.stored_json import dump_json

MAX_WHOLE_FILE: Final = 64 << 20
"""Files up to this size are hashed completely; for larger ones the size, the time of change, the head and the tail count."""
_END_BYTES: Final = 1 << 20
_MODEL_VARIABLES: Final = ("FIELDWISE_MODEL_URL", "FIELDWISE_MODEL")
"""The variables that name the model of an endpoint without `url` or `name`."""
_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+")
_MAX_PATH: Final = 4096
_PLAIN_REPR_TYPES: Final = SCALAR_TYPES - {str}
"""Types whose `repr` holds no address."""
_PlainMatches: TypeAlias = dict[int, tuple[Match, list[Any]]]
"""By id, the matches that were converted, since rules share them. Each is held, so that its id is not used again."""


def fingerprint_rules(planned: PlannedEvaluator) -> str:
    """Fingerprint of everything that determines an evaluator's results except its version: options, rules, files that a judge uses."""
    if is_judge(planned.type):
        return _hash_rules(planned, sorted(_fingerprint_named_files(planned.config, Path(getattr(planned.config, "cwd", ".")))))
    return _hash_rules_once(_SamePlan(planned), *map(os.environ.get, _MODEL_VARIABLES))


class _SamePlan:
    """A key that compares plans by identity, and holds the plan, so that its id is not used again."""

    __slots__ = ("planned",)

    def __init__(self, planned: PlannedEvaluator) -> None:
        self.planned = planned

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SamePlan) and self.planned is other.planned

    def __hash__(self) -> int:
        return id(self.planned)


@lru_cache(maxsize=32)  # safe: plans do not change, and the variables that an endpoint reads are part of the key
def _hash_rules_once(plan: _SamePlan, *_model_variables: str | None) -> str:
    return _hash_rules(plan.planned, ())


def _hash_rules(planned: PlannedEvaluator, files: Sequence[Any]) -> str:
    matches: _PlainMatches = {}
    plain = [planned.type, _to_plain(planned.config, matches), planned.pass_at, _to_plain(planned.when, matches), *files]
    return sha256(dump_json(plain, finite=True))  # `pass_at` is the only number, and it is in [0, 1]


def _to_plain(value: Any, matches: _PlainMatches) -> Any:
    """Convert a value to lists and texts that are the same in every process.

    >>> _to_plain({"b": frozenset({"y", "x"}), "a": 1.0}, {})
    ['map', ["'a'", '1.0'], ["'b'", ['set', "'x'", "'y'"]]]
    """
    if type(value) in SCALAR_TYPES:
        text = repr(value)
        return _ADDRESS.sub("", text) if " at 0x" in text else text
    names = dataclass_fields(type(value))
    if names is not None:
        return _dataclass_to_plain(value, names, matches)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[Any, Any]", value).items()
        return ["map", *([repr(key), _to_plain(inner, matches)] for key, inner in sorted(pairs, key=lambda pair: repr(pair[0])))]
    if isinstance(value, Set):
        return ["set", *sorted((_to_plain(inner, matches) for inner in cast("Set[Any]", value)), key=repr)]
    if isinstance(value, list | tuple):
        return ["list", *(_to_plain(inner, matches) for inner in cast("Sequence[Any]", value))]
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return _ADDRESS.sub("", repr(value))


def _dataclass_to_plain(value: Any, names: Sequence[str], matches: _PlainMatches) -> list[Any]:
    is_match = isinstance(value, Match)
    if is_match and id(value) in matches:  # ids are safe as keys: each match is held
        return matches[id(value)][1]
    # The class name is hashed, too: after a class of options was renamed, unfinished runs are scored again.
    plain: list[Any] = [type(value).__name__]
    for name in names:
        inner = getattr(value, name)
        # most values are numbers, flags and None: thousands of rules have ten of them each
        plain.append([name, repr(inner) if type(inner) in _PLAIN_REPR_TYPES else _to_plain(inner, matches)])
    if is_match:
        matches[id(value)] = (value, plain)
    elif isinstance(value, Endpoint):
        plain += [[name, os.environ.get(name)] for name in _MODEL_VARIABLES]
    return plain


def _fingerprint_named_files(value: Any, folder: Path) -> Iterator[list[str]]:
    """Each text in the options that names an existing file, with the hash of that file."""
    for text in _iterate_texts(value):
        if len(text) < _MAX_PATH and "\0" not in text and "\n" not in text:
            for path in {Path(text), folder / text}:
                if path.is_file():
                    yield [text, sha256(path.read_bytes())]


def _iterate_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif (names := dataclass_fields(type(value))) is not None:
        for name in names:
            yield from _iterate_texts(getattr(value, name))
    elif isinstance(value, Mapping):
        for inner in cast("Mapping[Any, Any]", value).values():
            yield from _iterate_texts(inner)
    elif isinstance(value, list | tuple):
        for inner in cast("Sequence[Any]", value):
            yield from _iterate_texts(inner)


def fingerprint_data(source: Source | None) -> dict[str, str]:
    """Fingerprints of the current files of a source, by role. Standard input and data in memory have none."""
    if source is None:
        return {}
    fingerprints: dict[str, str] = {}
    roles = {"cases": source.cases, "expected": source.expected, "actual": source.actual, "corrections": source.corrections_file}
    for role, pattern in roles.items():
        if not pattern or pattern == "-" or role in source.memory:
            continue
        fingerprint = _fingerprint_pattern(pattern)
        if fingerprint:
            fingerprints[role] = fingerprint
    return fingerprints


def _fingerprint_pattern(pattern: str) -> str | None:
    try:
        files = find_files(pattern)
        fingerprints = [fingerprint_file(file) for file in files]
    except (UnreadableFile, OSError):  # reported when the cases are read
        return None
    if len(fingerprints) == 1:
        return fingerprints[0]
    names = [[file.name, fingerprint] for file, fingerprint in zip(files, fingerprints, strict=True)]
    return f"{len(files)} files {sha256(dump_json(names))}"


def fingerprint_file(path: str | Location) -> str:
    """Fingerprint of a file: the hash of its content; for a large or remote file its size, time of change and the hash of its ends."""
    path = parse_location(path)
    if isinstance(path, RemotePath):
        return _fingerprint_remote(path)
    with path.open("rb") as file:
        stat = os.fstat(file.fileno())
        if stat.st_size <= MAX_WHOLE_FILE:
            return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
        head = file.read(_END_BYTES)
        file.seek(-_END_BYTES, os.SEEK_END)
        return f"{stat.st_size} bytes, changed {stat.st_mtime_ns} ns, ends {sha256(head + file.read())}"


def _fingerprint_remote(path: RemotePath) -> str:
    stat = path.stat()
    with path.open() as file:
        head = file.read(_END_BYTES)
        file.seek(max(stat.st_size - _END_BYTES, 0))
        ends = sha256(head + file.read())
    return f"{stat.st_size} bytes, changed {stat.st_mtime_ns} ns, etag {stat.signature or 'none'}, ends {ends}"


def fingerprint_cases(cases: ArrowTable) -> str:
    """Fingerprint of a table of cases. Independent of chunks and of the positions of the cases."""
    digest = hashlib.sha256()
    for name in cases.column_names:
        if name != "case":
            digest.update(name.encode())
            _hash_column(digest, cases.column(name))
    return f"sha256:{digest.hexdigest()}"


def _hash_column(digest: Any, column: ArrowColumn) -> None:
    if pa.types.is_list(column.type):
        digest.update(value_lengths(column, -1).astype("<i4").tobytes())
        column = pa.chunked_array([items.cast(pa.string()) for items in list_items(column) if len(items)], type=pa.string())
    digest.update(value_lengths(column, -1).astype("<i4").tobytes())
    for chunk in column.chunks:
        _, offsets, data = chunk.buffers()
        if data is not None and len(chunk):
            bounds = np.frombuffer(offsets, dtype=np.int32, count=len(chunk) + 1, offset=4 * chunk.offset)
            digest.update(memoryview(data)[int(bounds[0]) : int(bounds[-1])])
