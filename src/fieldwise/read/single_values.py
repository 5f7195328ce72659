"""Single values of an imported record that are lists on the opposite side.

Document services write a field that occurs twice as two entities. What an importer reads from one of them is a value alone, and from two a
list, while people write a list in either case. Where the two sides meet, the value alone becomes a list of one.

>>> wrap_single_values({"phone": "111-2", "total": 5}, {"phone": ["111-2", "333-4"], "total": 5})
WrappedRecord(record={'phone': ['111-2'], 'total': 5}, fields=('phone',), evidence=())
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias, cast

from fieldwise.dataclass import dataclass
from fieldwise.model.path import EACH, Step, render_path
from fieldwise.model.values import Value

_MAX_DEPTH: Final = 50
"""Number of steps to the deepest list that is looked for."""
_Place: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class WrappedRecord:
    """A record, and its evidence, with single values as lists of one."""

    record: Value
    fields: tuple[str, ...] = ()
    """The fields that were wrapped."""
    evidence: tuple[Any, ...] = ()


def wrap_single_values(record: Value, opposite: Value, evidence: Sequence[Any] = ()) -> WrappedRecord:
    """The record with each value as a list of one for which the opposite record has a list; null stays null.

    `evidence`: records of the same shape, such as confidences, which are wrapped alike.
    """
    lists = frozenset(_find_lists(opposite, ()))
    places = dict.fromkeys(_find_single_values(record, lists, ()))
    if not places:
        return WrappedRecord(record, evidence=tuple(evidence))
    wrapped = [_wrap(node, record, frozenset(places), ()) for node in (record, *evidence)]
    return WrappedRecord(wrapped[0], tuple(map(render_path, places)), tuple(wrapped[1:]))


def _find_lists(node: Any, place: _Place) -> Iterator[_Place]:
    """The places of the lists in a record."""
    if len(place) > _MAX_DEPTH:
        return
    if isinstance(node, dict):
        for key, child in cast("dict[str, Any]", node).items():
            yield from _find_lists(child, (*place, key))
    elif isinstance(node, list):
        yield place
        for item in cast("list[Any]", node):
            yield from _find_lists(item, (*place, EACH))


def _find_single_values(node: Any, lists: frozenset[_Place], place: _Place) -> Iterator[_Place]:
    """The places of these lists at which a record has a value alone. A place inside such a value has the step into the list."""
    if len(place) > _MAX_DEPTH:
        return
    if isinstance(node, list):
        for item in cast("list[Any]", node):
            yield from _find_single_values(item, lists, (*place, EACH))
    elif node is not None and place and place in lists:
        yield place
        yield from _find_single_values(node, lists, (*place, EACH))
    elif isinstance(node, dict):
        for key, child in cast("dict[str, Any]", node).items():
            yield from _find_single_values(child, lists, (*place, key))


def _wrap(node: Any, shape: Any, places: frozenset[_Place], place: _Place) -> Any:
    """A node of a record or of its evidence, whose record has this shape, with lists at these places."""
    if isinstance(shape, list):
        items, shapes = cast("list[Any]", node), cast("list[Any]", shape)
        if not isinstance(node, list) or len(items) != len(shapes):  # the box of a whole list
            return node
        return [_wrap(item, item_shape, places, (*place, EACH)) for item, item_shape in zip(items, shapes, strict=True)]
    if shape is not None and place in places:
        return [_wrap(node, shape, places, (*place, EACH))]
    if isinstance(shape, dict) and isinstance(node, dict):
        shapes = cast("dict[str, Any]", shape)
        return {key: _wrap(child, shapes.get(key), places, (*place, key)) for key, child in cast("dict[str, Any]", node).items()}
    return node
