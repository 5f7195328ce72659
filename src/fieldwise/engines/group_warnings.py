"""Diagnostics about groups of cases: cases without one, groups in several splits, ids that suggest groups."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from string import digits
from typing import Final

from fieldwise.kernels.statistics import describe_uneven_groups
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.locations import Location
from fieldwise.model.plan import Plan
from fieldwise.pattern import compile_on_use
from fieldwise.score.evaluate import FilterMatches
from fieldwise.score.groups import name_single_group
from fieldwise.store.arrow_tables import GROUP_COLUMN
from fieldwise.store.manifest import Part
from fieldwise.store.part_reader import list_part_files, read_table

_MAX_IDS: Final = 20_000
"""Number of ids that are searched for a pattern."""
_MIN_GROUPS: Final = 3
_MIN_GROUP_SIZE: Final = 2.0
_MIN_MATCHING: Final = 0.9
_UNIT: Final = "p|pg|page|row|line|item|chunk|part|q|seg|segment"
_BEFORE_NUMBER: Final = compile_on_use(rf"(?P<prefix>.*[^\W_].*?)[-_/:#. ]+(?:{_UNIT})?[-_=. ]?", re.IGNORECASE)
"""The text before the number of an id such as `doc1_p2`."""
_MAX_DIGITS: Final = 9


def check_groups(plan: Plan, folder: Location, parts: Sequence[Part]) -> list[Diagnostic]:
    """Problems with the groups of a run; without groups, a remark if the ids look like parts of larger units."""
    if plan.group is None:
        return _suggest_groups(folder, parts)
    where = Where(file=plan.file)
    cases = ungrouped = 0
    splits_of: dict[str, set[str]] = {}
    sizes: Counter[str] = Counter()
    for case, split, group in _read_groups(folder, parts):
        cases += 1
        ungrouped += group == name_single_group(case)
        sizes[group] += 1
        if split is not None:
            splits_of.setdefault(group, set()).add(split)
    diagnostics: list[Diagnostic] = []
    if cases and ungrouped == cases:
        what = f"no case has a value at `{plan.group}`, which `group` names"
        fix = "check the path: columns without a role are in the metadata"
        diagnostics.append(Diagnostic(code="unknown-group", what=what, where=where, fix=fix))
    elif ungrouped:
        what = f"{ungrouped} of {cases} cases have no value at `{plan.group}`; each counts as a group of its own"
        diagnostics.append(Diagnostic(code="no-group", level="warning", what=what, where=where, fix="add the value to those cases"))
    diagnostics += _note_uneven_groups(list(sizes.values()), where)
    return diagnostics + _warn_divided(plan, [group for group, splits in splits_of.items() if len(splits) > 1])


def _note_uneven_groups(sizes: Sequence[int], where: Where) -> list[Diagnostic]:
    """A remark if groups differ so much in size that few of them decide the intervals."""
    what = describe_uneven_groups(sizes)
    if what is None:
        return []
    fix = "read the intervals as too narrow if a large group may fail as a whole, or add groups"
    return [Diagnostic(code="uneven-groups", level="info", what=what, where=where, fix=fix)]


def warn_divided_groups(plan: Plan, filters: FilterMatches | None) -> list[Diagnostic]:
    """A warning if a run of some splits leaves out cases of its groups that are in other splits."""
    return [] if filters is None else _warn_divided(plan, filters.divided_groups)


def _warn_divided(plan: Plan, divided: Sequence[str]) -> list[Diagnostic]:
    if not divided:
        return []
    have = "1 group has" if len(divided) == 1 else f"{len(divided)} groups have"
    what = f"{have} cases in several splits, such as `{divided[0]}`, so the splits are not independent"
    fix = "put all cases of a group into one split"
    return [Diagnostic(code="divided-group", level="warning", what=what, where=Where(file=plan.file), fix=fix)]


def _read_groups(folder: Location, parts: Sequence[Part]) -> Iterator[tuple[str, str | None, str]]:
    """Id, split and group of each case."""
    for part in parts:
        for file in list_part_files(part, "cases"):
            table = read_table(folder, file, columns=["id", "split", GROUP_COLUMN])
            yield from zip(*(table.column(name).to_pylist() for name in ("id", "split", GROUP_COLUMN)), strict=True)


def _suggest_groups(folder: Location, parts: Sequence[Part]) -> list[Diagnostic]:
    ids: list[str] = []
    for part in parts:
        for file in list_part_files(part, "cases"):
            ids += read_table(folder, file, columns=["id"]).column("id").to_pylist()
        if len(ids) >= _MAX_IDS:
            break
    prefixes = find_id_groups(ids)
    if prefixes is None:
        return []
    units = f"{len(prefixes)} larger units, such as `{prefixes[0]}`"
    what = f"the ids look like parts of {units}; intervals and tests take the cases as independent"
    fix = "if they are parts of documents, name these: `group: metadata.document`"
    return [Diagnostic(code="likely-groups", level="info", what=what, fix=fix)]


def find_id_groups(ids: Sequence[str]) -> list[str] | None:
    """The common prefixes of ids that end in a number which starts again for every prefix; None if there is no such pattern.

    >>> find_id_groups([f"doc{d}_p{p}" for d in (1, 2, 3) for p in (1, 2)])
    ['doc1', 'doc2', 'doc3']
    >>> find_id_groups([f"invoice-{n}" for n in range(100)])
    """
    digits_of: dict[str, list[str]] = {}
    for case in ids:
        stem = case.rstrip(digits)
        digits_of.setdefault(stem, []).append(case[len(stem) :])
    numbers_of: dict[str, list[int]] = {}
    for stem, numbers in digits_of.items():
        match = _BEFORE_NUMBER.fullmatch(stem)
        short_numbers = [int(number) for number in numbers if 0 < len(number) <= _MAX_DIGITS]
        if match is not None and short_numbers:
            numbers_of.setdefault(match["prefix"], []).extend(short_numbers)
    matching = sum(map(len, numbers_of.values()))
    if len(numbers_of) < _MIN_GROUPS or matching < _MIN_MATCHING * len(ids) or matching < _MIN_GROUP_SIZE * len(numbers_of):
        return None
    starts_again = sum(min(numbers) <= 1 and max(numbers) < 3 * len(numbers) for numbers in numbers_of.values())
    return list(numbers_of) if starts_again >= _MIN_MATCHING * len(numbers_of) else None
