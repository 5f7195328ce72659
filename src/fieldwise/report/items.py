"""Items of lists that are missing or too many as a whole: one thing to tell, not one for each of their fields."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from fieldwise.model.comparison import Comparison

_ITEM: Final = re.compile(r"\[\+?\d+\]")
_WHOLE: Final = {"omission": "actual_presence", "hallucination": "expected_presence"}
"""An outcome, and the side that must have nothing at all."""


def with_whole_items(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The same comparisons, but one for each item that one side has and the other has not.

    >>> def lost(path, value):
    ...     return Comparison(path=path, field=path.replace("1", "*"), outcome="omission", expected=value, actual=None, similarity=0.0,
    ...                       expected_presence="present", actual_presence="missing", passed=False)
    >>> [(one.path, one.expected) for one in with_whole_items([lost("items[1].name", "Cake"), lost("items[1].amount", 30)])]
    [('items[1]', {'name': 'Cake', 'amount': 30})]
    """
    found: dict[str, str] = _whole_items(comparisons)
    if not found:
        return list(comparisons)
    out: list[Comparison] = []
    made: dict[str, dict[str, Any]] = {}
    for one in comparisons:
        item = next((prefix for prefix in _prefixes(one.path) if prefix in found), None)
        if item is None:
            out.append(one)
            continue
        value = one.expected if one.outcome == "omission" else one.actual
        if item not in made:
            made[item] = {}
            out.append(_item(item, one, made[item]))
        made[item][one.path.removeprefix(item).lstrip(".") or "value"] = value
    return out


def _whole_items(comparisons: Sequence[Comparison]) -> dict[str, str]:
    """The items all of whose fields are omitted, or all of whose fields are too many, with that outcome."""
    fields: Counter[str] = Counter()
    lost: Counter[tuple[str, str]] = Counter()
    for one in comparisons:
        for prefix in _prefixes(one.path):
            fields[prefix] += 1
            side = _WHOLE.get(one.outcome)
            if side and getattr(one, side) == "missing":
                lost[prefix, one.outcome] += 1
    return {prefix: outcome for (prefix, outcome), count in lost.items() if count == fields[prefix] > 1}


def _prefixes(path: str) -> Iterator[str]:
    """The items a path goes through, the outermost first."""
    return (path[: found.end()] for found in _ITEM.finditer(path))


def _item(path: str, one: Comparison, value: dict[str, Any]) -> Comparison:
    omitted = one.outcome == "omission"
    return Comparison(
        path=path,
        field=_ITEM.sub("[*]", path),
        outcome=one.outcome,
        expected=value if omitted else None,
        actual=None if omitted else value,
        expected_presence=one.expected_presence,
        actual_presence=one.actual_presence,
        similarity=0.0,
        passed=False,
        note="the whole item",
    )
