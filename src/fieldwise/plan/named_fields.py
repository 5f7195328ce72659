"""The fields that the options of evaluators name, whatever form they are written in."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final, cast

from fieldwise.model.path import Path
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.rule import FieldRule, ListRule

_WORD: Final = re.compile(r"\w+")


def list_named_fields(evaluators: Iterable[PlannedEvaluator]) -> frozenset[str]:
    """The first step of every path, and every key and word in other options: fields that a rule, a strategy or a formula may mean."""
    return frozenset(name for planned in evaluators for name in _iterate_names(planned.config))


def _iterate_names(value: Any) -> Iterator[str]:
    if isinstance(value, FieldRule):
        value = value.path
    if isinstance(value, Path):
        yield from map(str, value.steps[:1])
    elif isinstance(value, str):
        yield from _WORD.findall(value)
    else:
        for part in _list_parts(value):
            yield from _iterate_names(part)


def _list_parts(value: Any) -> Iterable[Any]:
    if isinstance(value, PlannedEvaluator):
        return [value.config]
    if isinstance(value, Mapping):
        entries = cast("Mapping[Any, Any]", value)
        return [*map(str, entries), *entries.values()]
    if isinstance(value, list | tuple | frozenset):
        return cast("Iterable[Any]", value)
    if is_dataclass(value) and not isinstance(value, type | ListRule):
        return [getattr(value, option.name) for option in fields(value)]
    return ()
