"""Which `at_least` tells dropped and doubled list items from changed ones, on real records.

    python benchmarks/list_alignment.py FOLDER [--seeds 5]

Every list of two or more items in the JSON files of the folder is corrupted as models do: 20 % of its items are dropped, 10 % are doubled,
5 % of all leaves changed (a typo, another digit, null, a number as text, the value of another item), and the rest is shuffled. Each
threshold is measured by the share of leaves of dropped and doubled items that stay unpaired, and the share of items with a counterpart
that lose it. The default of `at_least` is one with a good balance; docs/evaluators.md states its figures. Times are CPU time.
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
DROPPED, DOUBLED, CHANGED = 0.2, 0.1, 0.05


@dataclass
class Tally:
    """Counts for one threshold."""

    planted: int = 0
    """Leaves of dropped and doubled items."""
    reported: int = 0
    """Of those, the ones in items that stay unpaired."""
    pairs: int = 0
    """Items with a counterpart."""
    lost: int = 0
    """Of those, the ones that are unpaired or paired with another item."""
    seconds: float = 0.0


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
    if isinstance(value, dict):
        return sum(map(count_leaves, value.values())) or 1
    if isinstance(value, list):
        return sum(map(count_leaves, value)) or 1
    return 1


def change_leaves(value: Any, others: list[Any], rng: random.Random) -> Any:
    """A copy with some leaves changed."""
    if isinstance(value, dict):
        return {key: change_leaves(inner, _inner_values(others, key), rng) for key, inner in value.items()}
    if isinstance(value, list):
        return [change_leaves(inner, [], rng) for inner in value]
    return change_leaf(value, others, rng) if rng.random() < CHANGED else value


def change_item(item: Any, items: list[Any], rng: random.Random) -> Any:
    """A copy with some leaves changed. A plain value only gets slips: with another value it is another item."""
    if isinstance(item, dict | list):
        return change_leaves(item, items, rng)
    return slip(item, rng) if rng.random() < CHANGED else item


def _inner_values(others: list[Any], key: str) -> list[Any]:
    return [other[key] for other in others if isinstance(other, dict) and key in other]


def change_leaf(value: Any, others: list[Any], rng: random.Random) -> Any:
    """Another value for a leaf, as a model would get it wrong."""
    kind = rng.choice(("slip", "slip", "slip", "null", "type", "other"))
    if kind == "null":
        return None
    if kind == "other" and others:
        return rng.choice(others)
    if kind == "type" and isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, bool):
        return not value
    return slip(value, rng)


def slip(value: Any, rng: random.Random) -> Any:
    """The value with one character changed."""
    text = "" if value is None else str(value)
    if not text:
        return "unknown"
    place = rng.randrange(len(text))
    replacement = rng.choice("0123456789") if text[place].isdigit() else rng.choice("aeiorstn")
    slipped = text[:place] + replacement + text[place + 1 :]
    try:
        return type(value)(slipped) if isinstance(value, int | float) else slipped
    except ValueError:
        return slipped


def corrupt(items: list[Any], rng: random.Random) -> tuple[list[Any], list[int], list[int]]:
    """The corrupted list, the position in `items` each of its items comes from, and the dropped positions."""
    dropped = [at for at in range(len(items)) if rng.random() < DROPPED]
    kept = [at for at in range(len(items)) if at not in dropped]
    doubled = [at for at in kept if rng.random() < DOUBLED]
    origins = kept + doubled
    rng.shuffle(origins)
    return [change_item(items[at], items, rng) for at in origins], origins, dropped


def measure(items: list[Any], at_least: float, rng: random.Random, tally: Tally) -> None:
    actual, origins, dropped = corrupt(items, rng)
    start = time.process_time()
    features = features_of_every_leaf(None, (), Match(), ([items], [actual]))
    alignment = ItemAlignment(ListRule(path=FieldPath(("l",)), align="best", at_least=at_least), features)
    pairing = pair_items([0], ([items], [actual]), alignment)
    tally.seconds += time.process_time() - start
    pairs = list(zip(pairing.label, pairing.actual_index, strict=True))
    counterpart = {left: right for left, right in pairs if left >= 0 and right >= 0}
    unpaired_actual = {right for left, right in pairs if left < 0}
    for at in dropped:
        tally.planted += count_leaves(items[at])
        tally.reported += count_leaves(items[at]) if at not in counterpart else 0
    for at in {at for at in origins if origins.count(at) > 1}:
        copies = [position for position, origin in enumerate(origins) if origin == at]
        tally.planted += count_leaves(items[at])
        tally.reported += count_leaves(items[at]) if unpaired_actual.intersection(copies) else 0
    for at in set(origins):
        tally.pairs += 1
        right = counterpart.get(at)
        is_true = right is not None and (origins[right] == at or items[origins[right]] == items[at])
        tally.lost += not is_true


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    files = [file for file in sorted(arguments.folder.rglob("*.json")) if "schema" not in file.name]
    lists = [items for file in files for items in find_lists(json.loads(file.read_text()))]
    print(f"{len(files)} records, {len(lists)} lists, {sum(map(len, lists))} items, {arguments.seeds} seeds")
    print("at_least  reported  pairs lost  CPU s")
    for at_least in THRESHOLDS:
        tally = Tally()
        for seed in range(arguments.seeds):
            rng = random.Random(seed)
            for items in lists:
                measure(items, at_least, rng, tally)
        print(f"{at_least:8.2f}  {tally.reported / tally.planted:8.1%}  {tally.lost / tally.pairs:10.2%}  {tally.seconds:5.1f}")


if __name__ == "__main__":
    main()
