"""Bounds accept and describe themselves as those of `annotated_types` do."""

from typing import Annotated, Any

import annotated_types
import pytest
from pydantic import Field, TypeAdapter, ValidationError

from fieldwise.model.bounds import Ge, Gt, Le, Lt, MaxLen, MinLen, flatten_bounds

VALUES: dict[type, list[Any]] = {float: [-1.0, 0.0, 1.0, 2.0, 3.0], str: ["", "a", "ab", "abc"]}


@pytest.mark.parametrize("bound", [Ge(1), Gt(1), Le(1), Lt(1), MinLen(2), MaxLen(2)], ids=str)
def test_a_bound_accepts_what_pydantic_accepts_with_it(bound: Any) -> None:
    base = str if isinstance(bound, MinLen | MaxLen) else float
    adapter = TypeAdapter[Any](Annotated[base, bound])
    [of_the_library] = bound
    assert type(of_the_library) is getattr(annotated_types, type(bound).__name__)
    assert adapter.json_schema() == TypeAdapter[Any](Annotated[base, of_the_library]).json_schema()
    for value in VALUES[base]:
        try:
            adapter.validate_python(value)
        except ValidationError:
            assert not bound.accepts(value)
        else:
            assert bound.accepts(value)


def test_bounds_of_other_libraries_are_read_as_bounds() -> None:
    foreign = [annotated_types.Interval(gt=0, le=1), annotated_types.Len(1, 2), Field(ge=3), annotated_types.MultipleOf(2)]
    assert list(flatten_bounds(foreign)) == [Gt(0), Le(1), MinLen(1), MaxLen(2), Ge(3), annotated_types.MultipleOf(2)]


def test_other_annotations_stay_what_they_are() -> None:
    assert list(flatten_bounds([Ge(0), "text", 5])) == [Ge(0), "text", 5]
