"""Several accepted boxes or points in the place of one: which of them an output is compared with."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.values import MISSING

ScoreValue = Callable[[Any], float]
"""The score of the output against an expected value."""


def has_choice(value: Any, key: str | None) -> bool:
    """True if a value, an item of a list or the shape at `key` of an item is a choice of accepted values.

    >>> has_choice([[0, 0, 1, 1], {"$any": [[0, 0, 1, 1]]}], None), has_choice([[0, 0, 1, 1]], None), has_choice({"box": [0, 0]}, "box")
    (True, False, False)
    """
    if isinstance(value, list):
        return any(isinstance(item, dict) and has_choice(item, key) for item in cast("list[Any]", value))
    if not isinstance(value, dict):
        return False
    inner = cast("Mapping[str, Any]", value).get(key) if key is not None else None
    return accepted_values(cast("Any", value)) is not None or accepted_values(inner) is not None


def choose_accepted(value: Any, key: str | None, score: ScoreValue) -> Any:
    """The value with the accepted item that scores best in the place of each choice; MISSING where nothing is accepted.

    Choices are decided one after another, which is exact where items are paired by their index.

    >>> choose_accepted([1, {"$any": [2, 3]}], None, lambda value: float(value == [1, 3]))
    [1, 3]
    """
    if not isinstance(value, list):
        options = _list_options(value, key)
        candidates = [choose_accepted(option, key, score) if has_choice(option, key) else option for option in options]
        return max(candidates, key=score) if candidates else MISSING
    items = list(cast("list[Any]", value))
    for place, item in enumerate(items):
        if has_choice(item, key):
            candidates = [[*items[:place], option, *items[place + 1 :]] for option in _list_options(item, key) if option is not None]
            items = max(candidates, key=score) if candidates else items
    return items


def _list_options(value: Any, key: str | None) -> Sequence[Any]:
    """The values that a choice accepts, or the items that a choice at `key` makes; the value itself if there is no choice."""
    options = accepted_values(value)
    if options is not None:
        return options
    shapes = accepted_values(cast("Mapping[str, Any]", value).get(key)) if key is not None and isinstance(value, dict) else None
    return [value] if shapes is None else [{**value, key: shape} for shape in shapes]
