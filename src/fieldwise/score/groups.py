"""Groups of dependent cases, such as the pages of one document: which group a case is in, and limits that do not cut groups."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from fieldwise.model.case import Cases
from fieldwise.model.path import Path, value_at
from fieldwise.model.values import MISSING


def assign_groups(group: str | None, cases: Cases) -> Cases:
    """The cases with the group that the path `group` names, such as `metadata.document`; a case without one is a group of its own."""
    if group is None:
        return cases
    part, *steps = Path.parse(group).steps
    sources: list[Any] = getattr(cases, str(part))
    groups = [_group_name(value_at(source, steps), case) for source, case in zip(sources, cases.id, strict=True)]
    return replace(cases, group=groups)


def _group_name(value: Any, case: str) -> str:
    if value is None or value is MISSING or value == "":
        return name_single_group(case)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def name_single_group(case: str) -> str:
    """The group of a case for which the data name none."""
    return f"{case} (no group)"


def limit_whole_groups(batches: Iterable[Cases], limit: int) -> Iterator[Cases]:
    """The groups that come first, as long as all their cases together are at most `limit`; the first group is never cut.

    A group may continue anywhere in the data, so all of it is read; no more cases than the limit and one group are held.
    """
    sizes: dict[str, int] = {}
    dropped: set[str] = set()
    kept: list[Cases] = []
    total = 0
    for cases in batches:
        rows: list[int] = []
        for row, group in enumerate(cases.group):
            if group in dropped:
                continue
            if group not in sizes and total >= limit:
                dropped.add(group)
                continue
            sizes[group] = sizes.get(group, 0) + 1
            total += 1
            rows.append(row)
            while total > limit and len(sizes) > 1:
                last, size = sizes.popitem()
                dropped.add(last)
                total -= size
        kept.append(cases.take(rows))
    for cases in kept:
        rows = [row for row, group in enumerate(cases.group) if group in sizes]
        if rows:
            yield cases.take(rows)
