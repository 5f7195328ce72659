"""Items of lists that came at another place than they were expected: which item of the output each was compared with."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from fieldwise.model.comparison import Comparison
from fieldwise.model.values import MISSING, Value
from fieldwise.store.comparison_table import look_up

_ITEM: Final = re.compile(r"(?P<list>[^\[\]]*)\[(?P<at>\d+)\](?P<rest>.*)", re.DOTALL)
_ITEMS: Final = 200
Told = list[tuple[str, Any]]
"""What was compared of one item: where in it, and the value that came."""


def moved_items(actual: Value, comparisons: Iterable[Comparison]) -> dict[str, str]:
    """Expected item → the item that it was compared with, for those that are not at the same place.

    The store keeps what was compared, not where it stood, so the item is found again by its values.
    """
    found: dict[str, str] = {}
    for name, items in _compared(comparisons).items():
        there: Any = look_up(actual, name) if name else actual
        if isinstance(there, list) and len(there) <= _ITEMS:
            found |= {f"{name}[{at}]": f"{name}[{came}]" for at, came in _places(there, items) if at != came}
    return found


def item_of(path: str) -> str:
    """The item that a path leads into; nothing if it leads into none.

    >>> item_of("lines[2].amount"), item_of("total")
    ('lines[2]', '')
    """
    found = _ITEM.fullmatch(path)
    return f"{found['list']}[{found['at']}]" if found else ""


def _compared(comparisons: Iterable[Comparison]) -> dict[str, dict[int, Told]]:
    """By list and item, what came."""
    found: dict[str, dict[int, Told]] = {}
    for one in comparisons:
        place = _ITEM.fullmatch(one.path)
        if place is not None and one.actual_presence != "missing":
            found.setdefault(place["list"], {}).setdefault(int(place["at"]), []).append((place["rest"].removeprefix("."), one.actual))
    return found


def _places(there: Sequence[Any], items: Mapping[int, Told]) -> Iterable[tuple[int, int]]:
    taken: set[int] = set()
    for at, told in items.items():
        order = sorted(range(len(there)), key=lambda place, at=at: (place != at, place in taken))
        came = next((place for place in order if all(_is(there[place], rest, value) for rest, value in told)), None)
        if came is not None:
            taken.add(came)
            yield at, came


def _is(item: Any, rest: str, value: Any) -> bool:
    found = look_up(item, rest) if rest else item
    return found is not MISSING and type(found) is type(value) and found == value
