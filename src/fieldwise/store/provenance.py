"""Record where the data of a run comes from: files, sizes, fingerprints and mappings."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fieldwise.model.locations import is_url
from fieldwise.model.plan import Source, list_id_columns
from fieldwise.model.provenance import REQUEST, DataSource
from fieldwise.read.files import UnreadableFile, find_files
from fieldwise.store.fingerprints import sha256
from fieldwise.store.stored_json import dump_json


def describe_sources(source: Source | None, fingerprints: Mapping[str, str]) -> tuple[DataSource, ...]:
    """The sources of a run that begins; `fingerprints` are those of its data files, by role."""
    if source is None:
        return ()
    sources: list[DataSource] = []
    for role, pattern in (("cases", source.cases), ("expected", source.expected), ("actual", source.actual)):
        if not pattern:
            continue
        pattern = REQUEST if source.is_request else pattern
        is_file = pattern != "-" and role not in source.memory and not source.is_request
        files, size = _measure_files(pattern) if is_file else (1, None)
        file = os.path.normpath(pattern) if is_file and not is_url(pattern) else pattern
        mapping = _describe_mapping(source, role)
        sources.append(DataSource(role=role, file=file, files=files, bytes=size, hash=fingerprints.get(role), mapping=mapping))
    return tuple(sources)


def _measure_files(pattern: str) -> tuple[int, int | None]:
    try:
        files = find_files(pattern)
        return len(files), sum(file.stat().st_size for file in files)
    except (UnreadableFile, OSError):  # reported when the cases are read
        return 1, None


def _describe_mapping(source: Source, role: str) -> dict[str, Any]:
    if role == "cases":
        return dict(source.columns)
    mapping = source.get_mapping(role)
    id = " and ".join(list_id_columns(mapping.id))
    written = {"id": id, "record": mapping.record, "rename": dict(mapping.rename), "format": mapping.format}
    own_column = {role: source.columns[role]} if role in source.columns else {}
    return {**own_column, **{name: value for name, value in written.items() if value}}


def with_columns(sources: Sequence[DataSource], columns: Mapping[str, str]) -> tuple[DataSource, ...]:
    """The sources, with the roles of the columns that were found while `cases` was read."""
    return tuple(replace(source, mapping={**source.mapping, **columns}) if source.role == "cases" else source for source in sources)


def with_content_hash(sources: Sequence[DataSource], contents: Iterable[str]) -> tuple[DataSource, ...]:
    """The sources, with a fingerprint for data in memory: that of all stored cases, by the fingerprints of their parts."""
    fingerprint = sha256(dump_json(list(contents)))
    return tuple(source if source.hash or source.bytes is not None else replace(source, hash=fingerprint) for source in sources)


def sources_from_json(value: Iterable[Mapping[str, Any]]) -> tuple[DataSource, ...]:
    """Read sources that were written with `asdict`."""
    return tuple(DataSource(**source) for source in value)
