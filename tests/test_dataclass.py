"""Classes of `fieldwise.dataclass` behave as those of the standard decorator."""

import copy
import dataclasses
import inspect
import math
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from fieldwise.dataclass import dataclass as fast_dataclass


def define(decorator: Callable[..., Any]) -> tuple[Any, Any, Any]:
    """A frozen class by position, a frozen class by keyword, and one that can change; all with the same module and names."""

    @decorator(frozen=True, slots=True)
    class Point:
        """A point."""

        x: float
        y: float = 0.0
        label: str = dataclasses.field(default="p", compare=False, repr=False)
        tags: list[str] = dataclasses.field(default_factory=list, hash=False)

    @decorator(frozen=True, slots=True, kw_only=True)
    class Box:
        """A box."""

        width: int
        area: int = dataclasses.field(init=False)
        names: tuple[str, ...] = dataclasses.field(init=False, default_factory=lambda: ("a",))

        def __post_init__(self) -> None:
            object.__setattr__(self, "area", self.width**2)

        def __repr__(self) -> str:
            return "a box"

    @decorator(slots=True)
    class Counter:
        """A counter."""

        count: int
        self_reference: Any = None

    return Point, Box, Counter


STANDARD, FAST = define(dataclasses.dataclass), define(fast_dataclass)


@fast_dataclass(frozen=True, slots=True)
class Pickled:
    """A class that pickle finds by its name."""

    value: int
    other: list[int] = dataclasses.field(default_factory=list)


@pytest.mark.parametrize(
    "use",
    [
        lambda point, box, counter: repr(point(1, 2)).partition("(")[2],
        lambda point, box, counter: repr(box(width=2)),
        lambda point, box, counter: [box(width=2).area, box(width=2).names],
        lambda point, box, counter: [point(1) == point(1.0, label="q"), point(1) == point(2), point(1) == 1],
        lambda point, box, counter: [hash(point(1)), hash(point(1, tags=["x"])), hash(box(width=3))],
        lambda point, box, counter: [counter.__hash__, counter(1) == counter(1), counter(1) != counter(2)],
        lambda point, box, counter: [str(inspect.signature(each)) for each in (box, counter)],
        lambda point, box, counter: [[item.name for item in dataclasses.fields(each)] for each in (point, box, counter)],
        lambda point, box, counter: [each.__match_args__ for each in (point, box, counter)],
        lambda point, box, counter: [each.__slots__ for each in (point, box, counter)],
        lambda point, box, counter: dataclasses.asdict(dataclasses.replace(point(1, 2), y=3)),
        lambda point, box, counter: dataclasses.asdict(copy.deepcopy(point(1, tags=["x"]))),
        lambda point, box, counter: [str(each.__dataclass_params__) for each in (point, box, counter)],
        lambda point, box, counter: point(1).tags is point(1).tags,
    ],
)
def test_a_class_behaves_as_one_of_the_standard_decorator(use: Callable[..., Any]) -> None:
    assert use(*FAST) == use(*STANDARD)


@pytest.mark.parametrize(
    "use",
    [
        lambda point, box, counter: setattr(point(1), "x", 2),
        lambda point, box, counter: delattr(point(1), "x"),
        lambda point, box, counter: point(),
        lambda point, box, counter: box(1),
        lambda point, box, counter: box(width=1, area=2),
        lambda point, box, counter: {counter(1)},
        lambda point, box, counter: setattr(counter(1), "unknown", 2),
    ],
)
def test_errors_are_those_of_the_standard_decorator(use: Callable[..., Any]) -> None:
    with pytest.raises(Exception) as standard_error:  # noqa: PT011 (the class and the message are compared below)
        use(*STANDARD)
    with pytest.raises(standard_error.type) as error:
        use(*FAST)
    assert str(error.value) == str(standard_error.value)


def test_a_field_that_is_nan_equals_itself_in_every_version_of_python() -> None:
    point, _, counter = FAST
    assert point(math.nan) == point(math.nan)
    assert counter(math.nan) == counter(math.nan)  # the standard decorator compares tuples up to 3.12 only


def test_a_frozen_instance_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(Pickled(1, [2]))) == Pickled(1, [2])


def test_an_instance_that_contains_itself_has_a_representation() -> None:
    counter = FAST[2](1)
    counter.self_reference = counter
    assert repr(counter).endswith("Counter(count=1, self_reference=...)")


@pytest.mark.parametrize("decorator", [dataclasses.dataclass, fast_dataclass], ids=["standard", "fast"])
@pytest.mark.parametrize("frozen", [True, False])
def test_without_eq_and_repr_a_class_compares_and_prints_as_any_object(decorator: Callable[..., Any], frozen: bool) -> None:
    @decorator(eq=False, repr=False, frozen=frozen)
    class Token:
        value: list[int]

    token = Token([1])
    assert token == token  # noqa: PLR0124
    assert token != Token([1])
    assert hash(token) == object.__hash__(token)
    assert repr(token) == object.__repr__(token)
    assert str(Token.__dataclass_params__).startswith(
        f"_DataclassParams(init=True,repr=False,eq=False,order=False,unsafe_hash=False,frozen={frozen}"
    )
