"""A `dataclass` decorator that defines a class in a tenth of the time of the standard one, for the classes that every command imports.

The standard decorator compiles the source of six methods for a frozen class. With the 270 classes that `fieldwise run` imports, that was a
quarter of its start-up time. Here `__init__` is compiled when a class is first called, and the other methods are closures. The classes
behave as those of the standard decorator and work with `fields`, `replace`, `asdict` and `pickle`.
Not supported: inheritance, `InitVar`, ordering. `scripts/griffe_dataclass.py` makes them dataclasses for the reference of the Python API.
"""

import dataclasses
from collections.abc import Callable, Sequence
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, Final, TypeVar, dataclass_transform

T = TypeVar("T")
_FROM_FACTORY: Final = object()
"""The default of a parameter whose value a factory makes."""


@dataclass_transform(field_specifiers=(dataclasses.field,))
def dataclass(
    *, repr: bool = True, eq: bool = True, frozen: bool = False, slots: bool = False, kw_only: bool = False
) -> Callable[[type[T]], type[T]]:
    """Decorate a class as `dataclasses.dataclass` does."""

    def decorate(plain: type[T]) -> type[T]:
        own = {name for name, value in vars(plain).items() if value is not None}  # a class with `__eq__` alone has None for `__hash__`
        decorated: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(plain)
        parameters = decorated.__dataclass_params__
        parameters.init = True
        parameters.repr, parameters.eq, parameters.frozen = repr, eq, frozen
        fields = dataclasses.fields(decorated)
        methods: list[Any] = []
        if repr:
            methods.append(_make_repr(fields))
        if eq:
            methods.append(_make_eq(fields))
        if eq and frozen:
            methods.append(_make_hash(fields))
        elif eq and "__hash__" not in own:
            decorated.__hash__ = None
        if frozen:
            methods += _make_read_only(fields)
        if "__init__" not in own:
            decorated.__init__ = _InitOnFirstUse(decorated)
        for method in methods:
            if method.__name__ not in own:
                method.__qualname__ = f"{decorated.__qualname__}.{method.__name__}"
                setattr(decorated, method.__name__, method)
        return decorated

    return decorate


class _InitOnFirstUse:
    """The place of `__init__` until a class is called or inspected: a descriptor that compiles the method and puts it in its own place."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def __get__(self, instance: Any, subclass: type) -> Any:
        init = self.owner.__init__ = _compile_init(self.owner)
        return init if instance is None else init.__get__(instance)


def _compile_init(owner: Any) -> Any:
    """`__init__` from its source, as every call of a class runs it."""
    fields, frozen = dataclasses.fields(owner), owner.__dataclass_params__.frozen
    names: dict[str, Any] = {"_set": object.__setattr__, "_FROM_FACTORY": _FROM_FACTORY}
    positional: list[str] = []
    by_keyword: list[str] = []
    body: list[str] = []
    for field in fields:
        name = value = parameter = field.name
        if field.default_factory is not dataclasses.MISSING:
            names[f"_factory_{name}"] = field.default_factory
            parameter = f"{name}=_FROM_FACTORY"
            value = f"_factory_{name}() if {name} is _FROM_FACTORY else {name}" if field.init else f"_factory_{name}()"
        elif field.default is not dataclasses.MISSING:
            names[f"_default_{name}"] = field.default
            parameter = f"{name}=_default_{name}"
            value = name if field.init else f"_default_{name}"
        elif not field.init:
            continue  # `__post_init__` sets it
        if field.init:
            (by_keyword if field.kw_only else positional).append(parameter)
        body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(owner, "__post_init__"):
        body.append("self.__post_init__()")
    signature = ", ".join(["self", *positional, *(["*", *by_keyword] if by_keyword else [])])
    exec(f"def __init__({signature}):\n " + "\n ".join(body or ["pass"]), names)
    init = names["__init__"]
    init.__qualname__ = f"{owner.__qualname__}.__init__"
    init.__annotations__ = {field.name: field.type for field in fields if field.init} | {"return": None}
    return init


def _values_of(fields: Sequence["dataclasses.Field[Any]"]) -> Callable[[Any], tuple[Any, ...]]:
    """A function that returns the values of these fields as a tuple, also a single one: in a tuple, NaN equals itself."""
    names = [field.name for field in fields]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


def _make_repr(fields: Sequence["dataclasses.Field[Any]"]) -> Any:
    names = [field.name for field in fields if field.repr]

    @recursive_repr()
    def __repr__(self: Any) -> str:  # noqa: N807
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _make_eq(fields: Sequence["dataclasses.Field[Any]"]) -> Any:
    values_of = _values_of([field for field in fields if field.compare])

    def __eq__(self: Any, other: object) -> Any:  # noqa: N807
        return values_of(self) == values_of(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _make_hash(fields: Sequence["dataclasses.Field[Any]"]) -> Any:
    values_of = _values_of([field for field in fields if (field.compare if field.hash is None else field.hash)])

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values_of(self))

    return __hash__


def _make_read_only(fields: Sequence["dataclasses.Field[Any]"]) -> tuple[Any, ...]:
    """The methods that refuse changes, and those that pickle needs because of it."""
    names = [field.name for field in fields]

    def __setattr__(self: Any, name: str, value: object) -> None:  # noqa: ARG001, N807
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self: Any, name: str) -> None:  # noqa: ARG001, N807
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def __getstate__(self: Any) -> list[Any]:  # noqa: N807
        return [getattr(self, name) for name in names]

    def __setstate__(self: Any, state: Sequence[Any]) -> None:  # noqa: N807
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return __setattr__, __delattr__, __getstate__, __setstate__
