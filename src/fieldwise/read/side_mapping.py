"""Apply the mapping of one side to its rows: find the id and the record inside a row, and rename the fields of the record.

Nothing is changed in place, since rows may belong to the caller.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, cast

from fieldwise.model.path import EACH, MalformedPath, Path, Step, render_path
from fieldwise.model.plan import SideMapping
from fieldwise.model.values import MISSING, Value
from fieldwise.read.records_in_text import find_record

_MAX_LISTED_DEPTH: Final = 5


def locate(row: Mapping[str, Any], name: str) -> Any:
    """The value of the column with this name, else at this path; MISSING if there is none. Text on the way is read as JSON.

    >>> locate({"meta": '{"doc": {"id": 7}}'}, "meta.doc.id"), locate({"a.b": 1}, "a.b"), locate({}, "a")
    (7, 1, MISSING)
    """
    if name in row:
        return row[name]
    value: Any = row
    for step in parse_steps(name):
        if isinstance(value, str):
            value = find_record(value).value
        value = _get_child(value, step)
        if value is MISSING:
            return MISSING
    return value


@cache  # the same few names for every row of a file
def parse_steps(name: str) -> tuple[Step, ...]:
    """The steps of a path; a name that is no path is one step."""
    try:
        return Path.parse(name).steps
    except MalformedPath:  # a column with an odd name
        return (name,)


def identify_record(record: str | None) -> object:
    """Equal for the spellings of one path, such as `pages[0]` and `pages.0`."""
    if record is None:
        return None
    try:
        return Path.parse(record).steps
    except MalformedPath:  # the name of a column
        return record


def _get_child(value: Any, step: Step) -> Any:
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).get(str(step), MISSING)
    if isinstance(step, int) and isinstance(value, list):
        items = cast("list[Any]", value)
        return items[step] if -len(items) <= step < len(items) else MISSING
    return MISSING


class SideMapper:
    """Takes the records of one side out of its rows and renames their fields; counts which renames applied."""

    def __init__(self, mapping: SideMapping) -> None:
        self.mapping = mapping
        self._renames = [(old, parse_steps(old), parse_steps(new)) for old, new in mapping.rename.items()]
        self.unused_renames = set(mapping.rename)
        """The renames that no record had a field for."""
        self._example: Value = None
        """The first record, for suggestions."""

    def list_field_names(self) -> list[str]:
        """The names of the fields in the first record that was renamed."""
        return _list_paths(self._example, (), _MAX_LISTED_DEPTH)

    def rename(self, record: Value) -> tuple[Value, str]:
        """The record under the names of the rules, and an empty reason; or MISSING and the reason why that is not possible."""
        if not self._renames:
            return record, ""
        if isinstance(record, str):
            record = find_record(record).value if "{" in record else record
        if not isinstance(record, Mapping | list):
            return record, ""
        if self._example is None:
            self._example = record
        result: Any = record
        taken: list[tuple[tuple[Step, ...], Any]] = []
        for name, old, new in self._renames:
            result, value = take_value(result, old)
            if not _is_absent(value):
                self.unused_renames.discard(name)
                taken.append((new, value))
        for new, value in taken:
            if not _is_absent(take_value(result, new)[1]):
                return MISSING, f"has a field `{Path(new)}` already, so no other field can be renamed to it"
            result = _put(result, new, value)
        return result, ""


def _list_paths(value: Any, steps: tuple[Step, ...], depth: int) -> list[str]:
    """The paths of the keys of a record, with `[*]` for the items of lists."""
    paths: list[str] = []
    if isinstance(value, Mapping) and depth:
        for key, item in cast("Mapping[str, Any]", value).items():
            paths += [render_path((*steps, key)), *_list_paths(item, (*steps, key), depth - 1)]
    elif isinstance(value, list) and value:
        paths += _list_paths(value[0], (*steps, EACH), depth)
    return paths


def _is_absent(value: Any) -> bool:
    if isinstance(value, _Taken):
        return all(map(_is_absent, value))
    return value is MISSING


class _Taken(list[Any]):
    """The values taken from each item of a list."""


def take_value(value: Any, steps: Sequence[Step]) -> tuple[Any, Any]:
    """The value without what is at these steps, and that; MISSING if there is nothing. Objects that become empty are removed."""
    step, rest = steps[0], steps[1:]
    if step is EACH:
        if not isinstance(value, list):
            return value, MISSING
        pairs = [take_value(item, rest) if rest else (MISSING, item) for item in cast("list[Any]", value)]
        remaining = [item for item, _ in pairs]
        return remaining if rest else [], _Taken(item for _, item in pairs)
    child = _get_child(value, step)
    if child is MISSING:
        return value, MISSING
    new_child, taken = take_value(child, rest) if rest else (MISSING, child)
    if _is_absent(taken):
        return value, MISSING
    if rest and new_child == {}:
        new_child = MISSING
    if isinstance(value, list):
        items = list(cast("list[Any]", value))
        items[cast(int, step)] = None if new_child is MISSING else new_child
        return items, taken
    fields = dict(cast("Mapping[str, Any]", value))
    if new_child is MISSING:
        del fields[str(step)]
    else:
        fields[str(step)] = new_child
    return fields, taken


def _put(value: Any, steps: Sequence[Step], new: Any) -> Any:
    """The value with something new at these steps; lists and objects on the way are created."""
    if not steps:
        return new
    step, rest = steps[0], steps[1:]
    if step is EACH:
        old_items: list[Any] = value if isinstance(value, list) else []
        new_items: list[Any] = new if isinstance(new, _Taken) else [new]
        items: list[Any] = []
        for index in range(max(len(old_items), len(new_items))):
            item = old_items[index] if index < len(old_items) else {}
            new_item = new_items[index] if index < len(new_items) else MISSING
            items.append(item if _is_absent(new_item) else _put(item, rest, new_item))
        return items
    if isinstance(step, int) and isinstance(value, list) and -len(value) <= step < len(value):
        items = list(cast("list[Any]", value))
        items[step] = _put(items[step], rest, new)
        return items
    fields = dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else {}
    fields[str(step)] = _put(fields.get(str(step)), rest, new)
    return fields
