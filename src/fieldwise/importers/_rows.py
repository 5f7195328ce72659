"""Rows of other evaluation tools: keys by any of their spellings, and JSON that was stored as text."""

import json
from collections.abc import Iterable, Mapping
from typing import Any
from unicodedata import normalize

from fieldwise.model.accepted_values import ANY
from fieldwise.model.values import MISSING


def fold_key(name: str) -> str:
    """A key without case, `_` and `-`.

    >>> fold_key("expectedOutput") == fold_key("expected_output")
    True
    """
    return name.replace("_", "").replace("-", "").casefold()


def take(row: Mapping[str, Any], *names: str) -> Any:
    """The value of the first of these keys that the row has, whatever its spelling; MISSING if it has none.

    >>> take({"actual_output": "x"}, "output", "actualOutput")
    'x'
    """
    folded = {fold_key(key): value for key, value in row.items()}
    return next((folded[fold_key(name)] for name in names if fold_key(name) in folded), MISSING)


def take_text(row: Mapping[str, Any], *names: str) -> str | None:
    """The value as text, for ids; None if there is none."""
    value = take(row, *names)
    return None if value is MISSING or value is None or value == "" else str(value)


def take_list(row: Mapping[str, Any], *names: str) -> list[Any] | None:
    """The value as a list, for contexts; None if there is none."""
    value = take(row, *names)
    if value is MISSING or value is None:
        return None
    return value if isinstance(value, list) else [value]


def parse_text(value: Any) -> Any:
    """A value that is an object or list written as JSON text; other values as they are.

    A text that strict JSON cannot represent without a loss (a repeated key, half of a surrogate pair, excessive nesting) stays text,
    so that whatever reads it reports the problem.

    >>> parse_text('{"a": 1}'), parse_text("12"), parse_text("[x]"), parse_text('{"a": 1, "a": 2}')
    ({'a': 1}, '12', '[x]', '{"a": 1, "a": 2}')
    """
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        parsed = json.loads(value, object_pairs_hook=_build_object)
        if "\\u" in value:
            json.dumps(parsed, ensure_ascii=False).encode()  # fails for half of a surrogate pair
    except (ValueError, RecursionError):
        return value
    return parsed


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these keys and values; ValueError if a key is repeated. Keys are composed (NFC), as in every JSON that is read."""
    members = {normalize("NFC", key): value for key, value in pairs}
    if len(members) < len(pairs):
        raise ValueError("a key is there twice")
    return members


def accept_each(values: list[Any]) -> Any:
    """An expected value that accepts each of these; MISSING if there is none.

    >>> accept_each(["a", "b"]), accept_each(["a"]), accept_each([])
    ({'$any': ['a', 'b']}, 'a', MISSING)
    """
    if not values:
        return MISSING
    return {ANY: values} if len(values) > 1 else values[0]


def none_if_missing(value: Any) -> Any:
    """None instead of MISSING."""
    return None if value is MISSING else value


def list_rows(document: Any, *keys: str) -> list[Mapping[str, Any]]:
    """The objects of a list, or of the list under one of these keys."""
    if isinstance(document, Mapping):
        document = next((document[key] for key in keys if isinstance(document.get(key), list)), [])
    return [row for row in document if isinstance(row, Mapping)] if isinstance(document, list) else []


def has_keys(row: Any, names: Iterable[str]) -> bool:
    """Whether a value is an object with all of these keys, whatever their spelling."""
    return isinstance(row, Mapping) and {fold_key(name) for name in names} <= {fold_key(str(key)) for key in row}


def first_row(document: Any) -> Any:
    """The first item of a list; None if the document is no list or empty."""
    return document[0] if isinstance(document, list) and document else None
