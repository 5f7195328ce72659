"""Ids and records are found inside rows, and fields are renamed, without changing what the caller owns."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.model.plan import SideMapping
from fieldwise.model.values import MISSING
from fieldwise.read.side_mapping import SideMapper, locate


@pytest.mark.parametrize(
    ("record", "renames", "renamed"),
    [
        ({"company": 1, "b": 2}, {"company": "vendor"}, {"b": 2, "vendor": 1}),
        ({"company": 1}, {"company": "vendor.name"}, {"vendor": {"name": 1}}),
        ({"seller": {"name": 1, "x": 2}}, {"seller.name": "vendor"}, {"seller": {"x": 2}, "vendor": 1}),
        ({"seller": {"name": 1}}, {"seller.name": "vendor"}, {"vendor": 1}),
        ({"a": 1, "b": 2}, {"a": "b", "b": "a"}, {"b": 1, "a": 2}),
        ({"items": [{"d": 1}, {"e": 2}, {"d": 3}]}, {"items[*].d": "items[*].name"}, {"items": [{"name": 1}, {"e": 2}, {"name": 3}]}),
        ({"lines": [{"d": 1}]}, {"lines": "items", "items": "lines"}, {"items": [{"d": 1}]}),
        ({"lines": [{"d": 1}, {"d": 2}]}, {"lines[*].d": "items[*].name"}, {"lines": [{}, {}], "items": [{"name": 1}, {"name": 2}]}),
        ({"a": None}, {"a": "b"}, {"b": None}),
        ({"odd.key": 1}, {'["odd.key"]': "b"}, {"b": 1}),
        ({"x": 1}, {"a": "b"}, {"x": 1}),
        ('```json\n{"company": 1}\n```', {"company": "vendor"}, {"vendor": 1}),
        ("no record", {"company": "vendor"}, "no record"),
        (None, {"company": "vendor"}, None),
    ],
)
def test_fields_are_renamed(record: Any, renames: dict[str, str], renamed: Any) -> None:
    before = deepcopy(record)
    assert SideMapper(SideMapping(rename=renames)).rename(record) == (renamed, "")
    assert record == before


def test_a_name_that_is_taken_is_a_problem() -> None:
    value, reason = SideMapper(SideMapping(rename={"company": "vendor"})).rename({"company": 1, "vendor": 2})
    assert value is MISSING
    assert "has a field `vendor` already" in reason


def test_renames_that_never_applied_are_known() -> None:
    mapper = SideMapper(SideMapping(rename={"a": "b", "c": "d"}))
    mapper.rename({"a": 1})
    mapper.rename({"x": 1})
    assert mapper.unused_renames == {"c"}


names = st.sampled_from("abcde")
records = st.dictionaries(names, st.one_of(st.integers(), st.dictionaries(names, st.integers(), min_size=1)), max_size=4)


@given(records, names)
def test_renaming_back_and_forth_gives_the_same_record(record: dict[str, Any], name: str) -> None:
    there, reason = SideMapper(SideMapping(rename={name: "new"})).rename(record)
    assert reason == ""
    assert SideMapper(SideMapping(rename={"new": name})).rename(there) == (record, "")


@pytest.mark.parametrize(
    ("name", "value"), [("id", 1), ("meta.doc[1].no", 7), ("text.a", 5), ("none.a", MISSING), ("meta.doc[9]", MISSING), ("a.b", 2)]
)
def test_values_are_located_by_name_or_path(name: str, value: Any) -> None:
    row = {"id": 1, "meta": {"doc": [{}, {"no": 7}]}, "text": '{"a": 5}', "none": None, "a.b": 2}
    assert locate(row, name) == value
