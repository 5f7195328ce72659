"""What is accepted without pydantic is what pydantic accepts, with the same result."""

from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import IntEnum
from typing import Annotated, Any, Literal, get_args

import pytest
from annotated_types import Ge, Gt, Interval, Le, Len, Lt, MaxLen, MinLen, MultipleOf
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field

from fieldwise import registry
from fieldwise.model.options import RelativePath
from fieldwise.plan.declared_options import is_list_type, is_mapping_type, is_union_type, list_options, split_annotated
from fieldwise.plan.options import _validate_with_pydantic, validate
from fieldwise.plan.plain_values import UNDECIDED, accept_plain_value
from fieldwise.plan.review import INVALID


class Level(IntEnum):
    LOW = 1


def list_hints(hint: Any, seen: set[Any]) -> Iterator[Any]:
    """Every type within a declared type."""
    if hint in seen:
        return
    seen.add(hint)
    yield hint
    base, _ = split_annotated(hint)
    if isinstance(base, type) and is_dataclass(base):
        for option in list_options(base):
            yield from list_hints(option.hint, seen)
    elif is_union_type(base) or is_list_type(base) or is_mapping_type(base):
        for argument in get_args(base):
            if argument is not Ellipsis:
                yield from list_hints(argument, seen)


def list_declared_hints() -> list[Any]:
    seen: set[Any] = set()
    specs = [*registry.MATCHERS.all(), *registry.EVALUATORS.all()]
    hints = [hint for spec in specs for hint in list_hints(spec.options, seen)]
    return [hint for hint in hints if not is_dataclass(split_annotated(hint)[0])]


DECLARED = list_declared_hints()
OTHERS: list[Any] = [
    list[Any],
    dict[Any, Any],
    Annotated[list[Any], MinLen(1), MaxLen(2)],
    Annotated[dict[Any, Any], MinLen(1)],
    Annotated[str, RelativePath(), Len(1, 3)],
    Annotated[int, Interval(gt=0, lt=5)],
    Annotated[int, MultipleOf(3)],
    Annotated[float, Field(ge=0.5, le=2)],
    Annotated[int | float, Ge(1)],
    Annotated[float, Gt(0), Lt(1)] | Annotated[int, Ge(2), Le(3)],
    Literal[1, "1", True, None],
    Literal[0] | float,
    tuple[int, int] | float,
    Annotated[int, Ge(5)] | float,
    list[int],
    tuple[int, str],
    dict[str, float],
]
ALL_HINTS = DECLARED + OTHERS
WORDS = sorted({word for hint in DECLARED for word in get_args(hint) if isinstance(word, str)})
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-3, 101)
    | st.floats()
    | st.floats(-1, 2)
    | st.text(st.characters(), max_size=5)
    | st.sampled_from(WORDS)
    | st.sampled_from(
        [10**400, 2**53, 2**53 + 1, -(2**63), 1.0, -0.0, 1e308, "\ud800", "a\udfff", "", Level.LOW, b"a", {1}, (1, "a"), object()]
    )
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2) | st.integers() | st.none(), inner, max_size=3)
)


def describe(value: Any) -> str:
    return f"{type(value).__name__} {value!r}"  # 1 == 1.0 == True, and NaN is not itself


@settings(max_examples=2000, deadline=None)
@given(hint=st.sampled_from(ALL_HINTS), value=VALUES)
def test_what_is_accepted_is_what_pydantic_returns(hint: Any, value: Any) -> None:
    accepted = accept_plain_value(hint, value)
    if accepted is not UNDECIDED:
        assert describe(accepted) == describe(_validate_with_pydantic(hint, value))


USUAL_VALUES: list[Any] = [True, False, None, 0, 1, -1, 2, 5, 0.0, 0.5, 1.0, -0.5, 100, 101, "", "a", "off", [], [1], {}, {"a": 1}]


@pytest.mark.parametrize("hint", ALL_HINTS, ids=str)
def test_the_usual_values_of_every_declared_type(hint: Any) -> None:
    for value in USUAL_VALUES:
        accepted = accept_plain_value(hint, value)
        if accepted is not UNDECIDED:
            assert describe(accepted) == describe(_validate_with_pydantic(hint, value))


@pytest.mark.parametrize(
    ("hint", "value", "result"),
    [
        (bool, True, True),
        (int, 3, 3),
        (float, 3, 3.0),
        (float, 0.5, 0.5),
        (str, "é", "é"),
        (str | None, None, None),
        (int | float | None, 2, 2),
        (bool | float, 1, 1.0),
        (Annotated[float, Interval(ge=0, le=1)], 1, 1.0),
        (Annotated[str, RelativePath(), MinLen(1)], "a", "a"),
        (bool | Literal["alnum"], "alnum", "alnum"),
        (Annotated[list[Any], MinLen(1)], ["a", {"b": [1]}], ["a", {"b": [1]}]),
        (dict[Any, Any], {"a": None}, {"a": None}),
    ],
    ids=str,
)
def test_plain_values_are_accepted_without_pydantic(hint: Any, value: Any, result: Any) -> None:
    assert describe(accept_plain_value(hint, value)) == describe(result)
    assert describe(_validate_with_pydantic(hint, value)) == describe(result)


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (int, True),
        (int, 1.0),
        (float, "1"),
        (bool, 1),
        (str, "\ud800"),
        (float, float("nan")),
        (list[Any], [{1: 2}]),
        (tuple[int, str], [1, "a"]),
    ],
    ids=str,
)
def test_everything_else_is_left_to_pydantic(hint: Any, value: Any) -> None:
    assert accept_plain_value(hint, value) is UNDECIDED


def test_pydantic_decides_what_is_undecided() -> None:
    assert validate(tuple[int, str], [1, "a"]) == (1, "a")
    assert validate(int, Level.LOW) == 1
    assert validate(int, 1.0) is INVALID


def test_a_list_nested_too_deeply_is_left_to_pydantic() -> None:
    nested: list[Any] = []
    for _ in range(500):
        nested = [nested]
    assert accept_plain_value(list[Any], nested) is UNDECIDED
