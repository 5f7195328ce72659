"""What a JSON Schema finds wrong with a record, place by place and in few words."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any, Final, NamedTuple

from fieldwise.model.path import Step
from fieldwise.model.values import kind

_LONGEST: Final = 60


class Violation(NamedTuple):
    """One place of a record, and the keyword of the schema it does not fit."""

    steps: tuple[Step, ...]
    keyword: str
    what: str


def violations_of(validator: Any, record: Any) -> list[Violation]:
    """Every violation, in the order of places; NaN and Infinity, which JSON does not have, are some too."""
    found = [one for error in validator.iter_errors(record) for one in _violations(error)]
    found += [Violation(steps, "type", f"{name} is not a number") for steps, name in _non_finite(record)]
    return sorted(
        dict.fromkeys(found), key=lambda one: ([str(step).zfill(9) if isinstance(step, int) else str(step) for step in one.steps], one)
    )


def _violations(error: Any) -> Iterator[Violation]:
    """An error as violations: one for each property that is missing or too many."""
    steps, keyword = tuple(error.absolute_path), error.validator or "false"
    if keyword == "required" and kind(error.instance) == "object":
        for name in error.validator_value:
            if name not in error.instance:
                yield Violation((*steps, name), keyword, "required, missing")
    elif keyword == "additionalProperties" and error.validator_value is False:
        for name in _unknown(error.schema, error.instance):
            yield Violation((*steps, name), keyword, "unexpected property")
    else:
        yield Violation(steps, keyword, _words(error, keyword))


def _unknown(schema: Mapping[str, Any], instance: Mapping[str, Any]) -> list[str]:
    patterns = list(schema.get("patternProperties", {}))
    known = schema.get("properties", {})
    return [name for name in instance if name not in known and not any(re.search(pattern, name) for pattern in patterns)]


def _words(error: Any, keyword: str) -> str:
    """What is wrong, without the value itself, which may be long."""
    if keyword in _WORDS:
        return _WORDS[keyword](error)
    wanted = error.validator_value
    return keyword if kind(wanted) in ("object", "list", "bool") else f"{keyword} {_written(wanted)}"


def _written(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _types(error: Any) -> str:
    wanted = error.validator_value
    return f"not of type {wanted if isinstance(wanted, str) else ' or '.join(map(str, wanted))}"


def _fits(error: Any) -> str:
    return "fits none of the alternatives" if error.context else "fits more than one alternative"


_WORDS: Final[dict[str, Callable[[Any], str]]] = {
    "false": lambda _: "not allowed",
    "type": _types,
    "enum": lambda error: f"not one of {_written(error.validator_value)}",
    "const": lambda error: f"not {_written(error.validator_value)}",
    "anyOf": _fits,
    "oneOf": _fits,
    "not": lambda error: "fits what the schema forbids" if error.validator_value else "not allowed",
    "uniqueItems": lambda _: "has an item twice",
    "dependentRequired": lambda error: _written(error.message),
    "unevaluatedProperties": lambda error: _written(error.message),
}


def leaves(record: Any) -> int:
    """How many values a record has; an empty list or object is one."""
    return sum(1 for _ in _leaves(record))


def _non_finite(record: Any) -> Iterator[tuple[tuple[Step, ...], str]]:
    for steps, value in _leaves(record):
        if isinstance(value, float) and not isfinite(value):
            yield steps, "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"  # noqa: PLR0124


def _leaves(record: Any) -> Iterator[tuple[tuple[Step, ...], Any]]:
    waiting: list[tuple[tuple[Step, ...], Any]] = [((), record)]
    while waiting:
        steps, value = waiting.pop()
        family = kind(value)
        if family == "object" and value:
            waiting += [((*steps, str(key)), inner) for key, inner in value.items()]
        elif family == "list" and value:
            waiting += [((*steps, index), inner) for index, inner in enumerate(value)]
        else:
            yield steps, value
