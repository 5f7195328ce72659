"""Bounds of options: `Annotated[float, Ge(0)]`.

They mean what the classes of these names in `annotated_types` mean, which options of plug-ins may use as well. Importing that package takes
15 ms of the start-up time; here it is imported for pydantic only.
"""

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from fieldwise.dataclass import dataclass


class _Bound:
    """The protocol `GroupedMetadata` of `annotated_types`: a bound that pydantic reads by iterating over it."""

    __slots__ = ()
    __is_annotated_types_grouped_metadata__: ClassVar = True
    limit: Any

    def __iter__(self) -> Iterator[Any]:
        import annotated_types

        yield getattr(annotated_types, type(self).__name__)(self.limit)


@dataclass(frozen=True, slots=True)
class Ge(_Bound):
    """At least this number."""

    limit: float

    def accepts(self, value: Any) -> bool:
        """Whether a number is within the bound."""
        return value >= self.limit


@dataclass(frozen=True, slots=True)
class Gt(_Bound):
    """More than this number."""

    limit: float

    def accepts(self, value: Any) -> bool:
        """Whether a number is within the bound."""
        return value > self.limit


@dataclass(frozen=True, slots=True)
class Le(_Bound):
    """At most this number."""

    limit: float

    def accepts(self, value: Any) -> bool:
        """Whether a number is within the bound."""
        return value <= self.limit


@dataclass(frozen=True, slots=True)
class Lt(_Bound):
    """Less than this number."""

    limit: float

    def accepts(self, value: Any) -> bool:
        """Whether a number is within the bound."""
        return value < self.limit


@dataclass(frozen=True, slots=True)
class MinLen(_Bound):
    """Minimum length of a text or a list."""

    limit: int

    def accepts(self, value: Any) -> bool:
        """Whether a text or a list is long enough."""
        return len(value) >= self.limit


@dataclass(frozen=True, slots=True)
class MaxLen(_Bound):
    """Maximum length of a text or a list."""

    limit: int

    def accepts(self, value: Any) -> bool:
        """Whether a text or a list is short enough."""
        return len(value) <= self.limit


Bound = Ge | Gt | Le | Lt | MinLen | MaxLen
_FOREIGN_ATTRIBUTES = {"ge": Ge, "gt": Gt, "le": Le, "lt": Lt, "min_length": MinLen, "max_length": MaxLen}


def flatten_bounds(marks: Iterable[Any]) -> Iterator[Any]:
    """Each single bound of an annotation, those of `annotated_types` and of pydantic's `Field` as the bound of the same name.

    >>> from annotated_types import Interval
    >>> list(flatten_bounds([MinLen(1), Interval(ge=0, lt=5), "no bound"]))
    [MinLen(limit=1), Ge(limit=0), Lt(limit=5), 'no bound']
    """
    for mark in marks:
        if isinstance(mark, Bound):
            yield mark
        elif getattr(mark, "__is_annotated_types_grouped_metadata__", False) is True:
            yield from flatten_bounds(mark)
        elif getattr(mark, "metadata", None) is not None:
            yield from flatten_bounds(mark.metadata)
        elif type(mark).__module__ == "annotated_types":
            yield _to_own_bound(mark)
        else:
            yield mark


def _to_own_bound(mark: Any) -> Any:
    """The bound of the same name; another constraint stays what it is."""
    for attribute, bound in _FOREIGN_ATTRIBUTES.items():
        if hasattr(mark, attribute):
            return bound(getattr(mark, attribute))
    return mark
