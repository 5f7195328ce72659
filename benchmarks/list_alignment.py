"""Choose the default of `at_least`: how well each threshold separates dropped and duplicated list items from changed ones.

    python benchmarks/list_alignment.py FOLDER [--seeds 5]

Every list of two or more items in the JSON files of the folder is corrupted as models do: 20 % of its items are dropped, 10 % are
duplicated, 5 % of all leaves are changed (a typo, another digit, null, a number as text, the value of another item), and the items are
shuffled. For each threshold, the benchmark prints the share of leaves of dropped and duplicated items that are reported, because the item
stays unpaired, and the share of items with a counterpart that lose it. docs/evaluators.md states these shares for the default. Times are
CPU time.
"""

import argparse
import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldwise.model.path import Path as FieldPath
from fieldwise.model.rule import ListRule, Match
from fieldwise.score.align import ItemAlignment, pair_items
from fieldwise.score.item_features import features_of_every_leaf

THRESHOLDS = (0.0, 0.3, 0.4, 0.45, 0.5, 0.52, 0.55, 0.6, 0.7)
DROPPED_SHARE, DUPLICATED_SHARE, CHANGED_SHARE = 0.2, 0.1, 0.05


@dataclass
class AlignmentTally:
    """Counts for one threshold."""

    planted: int = 0
    """Leaves of dropped and duplicated items."""
    reported: int = 0
    """Planted leaves of items that stay unpaired."""
    pairs: int = 0
    """Items with a counterpart."""
    lost: int = 0
    """Items with a counterpart that are unpaired or paired with another item."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class CorruptedList:
    """A corrupted copy of a list."""

    items: list[Any]
    origins: list[int]
    """For each item, its index in the original list."""
    dropped: list[int]
    """Indices of the original items that were dropped."""


def find_lists(value: Any) -> Iterator[list[Any]]:
    """Every list of two or more items, at any depth."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from find_lists(inner)
    elif isinstance(value, list):
        if len(value) >= 2:
            yield value
        for inner in value:
            yield from find_lists(inner)


def count_leaves(value: Any) -> int:
    """Number of leaves; an empty list or object counts as one."""
    if isinstance(value, dict):
        return sum(map(count_leaves, value.values())) or 1
    if isinstance(value, list):
        return sum(map(count_leaves, value)) or 1
    return 1


def change_item(item: Any, items: list[Any], rng: random.Random) -> Any:
    """Return a copy with some leaves changed. A plain value only gets a typo: with the value of another item it would be that item."""
    if isinstance(item, dict | list):
        return change_leaves(item, items, rng)
    return replace_character(item, rng) if rng.random() < CHANGED_SHARE else item


def change_leaves(value: Any, alternatives: list[Any], rng: random.Random) -> Any:
    """Return a copy with some leaves changed. `alternatives` are the values at the same place in all items."""
    if isinstance(value, dict):
        return {key: change_leaves(inner, _collect_values(alternatives, key), rng) for key, inner in value.items()}
    if isinstance(value, list):
        return [change_leaves(inner, [], rng) for inner in value]
    return change_leaf(value, alternatives, rng) if rng.random() < CHANGED_SHARE else value


def _collect_values(items: list[Any], key: str) -> list[Any]:
    return [item[key] for item in items if isinstance(item, dict) and key in item]


def change_leaf(value: Any, alternatives: list[Any], rng: random.Random) -> Any:
    """Return a value that a model might return instead of this one."""
    kind = rng.choice(("typo", "typo", "typo", "null", "type", "alternative"))
    if kind == "null":
        return None
    if kind == "alternative" and alternatives:
        return rng.choice(alternatives)
    if kind == "type" and isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, bool):
        return not value
    return replace_character(value, rng)


def replace_character(value: Any, rng: random.Random) -> Any:
    """Return the value with one character replaced: a typo."""
    text = "" if value is None else str(value)
    if not text:
        return "unknown"
    position = rng.randrange(len(text))
    replacement = rng.choice("0123456789") if text[position].isdigit() else rng.choice("aeiorstn")
    changed_text = text[:position] + replacement + text[position + 1 :]
    try:
        return type(value)(changed_text) if isinstance(value, int | float) else changed_text
    except ValueError:
        return changed_text


def corrupt_list(items: list[Any], rng: random.Random) -> CorruptedList:
    """Drop, duplicate, change and shuffle items."""
    dropped = [index for index in range(len(items)) if rng.random() < DROPPED_SHARE]
    remaining = [index for index in range(len(items)) if index not in dropped]
    duplicated = [index for index in remaining if rng.random() < DUPLICATED_SHARE]
    origins = remaining + duplicated
    rng.shuffle(origins)
    corrupted_items = [change_item(items[index], items, rng) for index in origins]
    return CorruptedList(corrupted_items, origins, dropped)


def measure_list(items: list[Any], at_least: float, rng: random.Random, tally: AlignmentTally) -> None:
    """Corrupt a list, pair its items with the original ones, and add the result to the tally."""
    corrupted = corrupt_list(items, rng)
    start = time.process_time()
    features = features_of_every_leaf(None, (), Match(), ([items], [corrupted.items]))
    alignment = ItemAlignment(ListRule(path=FieldPath(("l",)), align="best", at_least=at_least), features)
    paired = pair_items([0], ([items], [corrupted.items]), alignment)
    tally.seconds += time.process_time() - start
    counterparts: dict[int, int] = {}
    unpaired_actual: set[int] = set()
    for expected_index, actual_index in zip(paired.label, paired.actual_index, strict=True):
        if expected_index < 0:
            unpaired_actual.add(actual_index)
        elif actual_index >= 0:
            counterparts[expected_index] = actual_index
    count_reported_leaves(items, corrupted, counterparts, unpaired_actual, tally)
    count_lost_pairs(items, corrupted, counterparts, tally)


def count_reported_leaves(
    items: list[Any], corrupted: CorruptedList, counterparts: dict[int, int], unpaired_actual: set[int], tally: AlignmentTally
) -> None:
    """Add the leaves of dropped and duplicated items, and those of them that are reported."""
    for index in corrupted.dropped:
        leaves = count_leaves(items[index])
        tally.planted += leaves
        if index not in counterparts:
            tally.reported += leaves
    duplicated = {index for index in corrupted.origins if corrupted.origins.count(index) > 1}
    for index in duplicated:
        leaves = count_leaves(items[index])
        copies = [position for position, origin in enumerate(corrupted.origins) if origin == index]
        tally.planted += leaves
        if unpaired_actual.intersection(copies):
            tally.reported += leaves


def count_lost_pairs(items: list[Any], corrupted: CorruptedList, counterparts: dict[int, int], tally: AlignmentTally) -> None:
    """Add the items with a counterpart, and those of them that are not paired with it or with an equal item."""
    for index in set(corrupted.origins):
        tally.pairs += 1
        actual_index = counterparts.get(index)
        if actual_index is None:
            tally.lost += 1
            continue
        origin = corrupted.origins[actual_index]
        tally.lost += origin != index and items[origin] != items[index]


def main() -> None:
    """Print a line for each threshold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder with JSON records; files with `schema` in their name are skipped")
    parser.add_argument("--seeds", type=int, default=5, help="how often every list is corrupted")
    arguments = parser.parse_args()
    files = [file for file in sorted(arguments.folder.rglob("*.json")) if "schema" not in file.name]
    lists: list[list[Any]] = []
    for file in files:
        lists.extend(find_lists(json.loads(file.read_text())))
    print(f"{len(files)} records, {len(lists)} lists, {sum(map(len, lists))} items, {arguments.seeds} seeds")
    print("at_least  reported  pairs lost  CPU s")
    for at_least in THRESHOLDS:
        tally = AlignmentTally()
        for seed in range(arguments.seeds):
            rng = random.Random(seed)
            for items in lists:
                measure_list(items, at_least, rng, tally)
        print(f"{at_least:8.2f}  {tally.reported / tally.planted:8.1%}  {tally.lost / tally.pairs:10.2%}  {tally.seconds:5.1f}")


if __name__ == "__main__":
    main()
