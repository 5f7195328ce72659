"""The field by which two files pair: where it is inside a record, whether a rule names it, and the record without it.

Called by the readers of two sides. The id of a row may be outside its record; then there is nothing to leave out.
"""

from collections.abc import Collection, Mapping
from typing import TypeAlias, cast

from fieldwise.kernels.values import to_nfc
from fieldwise.model.path import MalformedPath, Path, Step
from fieldwise.model.values import MISSING, Value
from fieldwise.read.case_builder import render_id
from fieldwise.read.records_in_text import find_record
from fieldwise.read.side_mapping import parse_steps, take_value

Steps: TypeAlias = tuple[Step, ...]


def find_id_place(key: str, record: str | None, columns: Collection[str]) -> Steps | None:
    """The steps from the record to the id; None if the id is not inside the record.

    `record` is the column or path of the record, None if the row is the record itself.

    >>> find_id_place("g.key", "g", ["g"]), find_id_place("key", "g", ["key", "g"])
    (('key',), None)
    """
    id_steps = _locate_column(key, columns)
    record_steps = () if record is None else _locate_column(record, columns)
    depth = len(record_steps)
    if id_steps[:depth] != record_steps or len(id_steps) == depth:
        return None
    return id_steps[depth:]


def rename_place(place: Steps, renames: Mapping[str, str]) -> Steps:
    """The place under the names of the rules."""
    for old_name, new_name in renames.items():
        old, new = parse_steps(old_name), parse_steps(new_name)
        if place[: len(old)] == old:
            return (*new, *place[len(old) :])
    return place


def _locate_column(name: str, columns: Collection[str]) -> Steps:
    return (name,) if name in columns else parse_steps(name)


def is_named(place: Steps, named_fields: Collection[str]) -> bool:
    """True if a rule names this field, an object that it is in, or something inside it.

    >>> is_named(("meta", "doc"), ["meta.doc"]), is_named(("meta", "doc"), ["meta"]), is_named(("meta", "doc"), ["meta.lang"])
    (True, True, False)
    """
    for name in named_fields:
        try:
            steps = Path.parse(name).steps
        except MalformedPath:
            steps = (name,)
        depth = min(len(steps), len(place))
        if steps[:depth] == place[:depth]:
            return True
    return False


def remove_field(record: Value, place: Steps) -> Value:
    """The record without the field at these steps; JSON in text is read if it has the field."""
    if isinstance(record, str):
        parsed = find_record(record).value if "{" in record else MISSING
        without = remove_field(parsed, place) if isinstance(parsed, Mapping) else parsed
        return record if without is parsed else without
    return cast("Value", take_value(record, place)[0])


def remove_repeated_id(record: Value, place: Steps, key: str) -> Value:
    """The record without the field at these steps if it repeats the id of the pair; another value there is data."""
    if not isinstance(record, Mapping):
        return record
    without, value = take_value(record, place)
    if value is MISSING or value is None or to_nfc(render_id(value)) != key:
        return record
    return cast("Value", without)
