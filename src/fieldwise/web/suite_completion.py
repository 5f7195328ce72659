"""Completion of a suite while it is written: the keys and values that its JSON Schema allows at the cursor.

The text before and after the cursor is parsed with a marker in place of the word at the cursor. Where half-written text does not parse, the
text after the cursor is left out, and open brackets are closed.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any, Final

import yaml

from fieldwise import registry
from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.plan import KeyPath
from fieldwise.plan.schema import JsonSchema, build_suite_schema
from fieldwise.read.suite import read_document

MAX_SUGGESTIONS: Final = 60
_MARKER: Final = "cursor-is-here-7f3a"
_WORD_BEFORE: Final = re.compile(r"[\w.*@/-]*$")
_WORD_AFTER: Final = re.compile(r"[\w.*@/-]*")
_BEFORE_KEY: Final = re.compile(r"^\s*(?:- +)*$")
_BEFORE_VALUE: Final = re.compile(r":\s+[\"']?$")
_LEADING_KEYS: Final = ("evaluators", "type", "path")
"""Keys that are suggested first."""
_CLOSERS: Final = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A text that may stand at the cursor."""

    text: str
    """What is inserted in place of the word at the cursor."""
    label: str
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The suggestions at a cursor, and the word that they replace."""

    start: int
    end: int
    suggestions: tuple[Suggestion, ...] = ()


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the cursor is in the document."""

    path: KeyPath
    """The path of the value at the cursor; for a key, the path of its mapping."""
    is_key: bool
    value: Any
    """The whole document, with the marker in it."""
    in_block: bool
    """True outside `{}` and `[]`."""


def complete_suite(text: str, cursor: int, paths: Sequence[str] = ()) -> Completion:
    """Suggest keys and values at a cursor, the most likely first. `paths` are the fields of the data, for `path`."""
    word = _WORD_BEFORE.search(text, 0, cursor)
    start = word.start() if word else cursor
    after = _WORD_AFTER.match(text, cursor)
    end = after.end() if after else cursor
    nothing = Completion(start=start, end=end)
    if "#" in text[text.rfind("\n", 0, start) + 1 : start]:
        return nothing
    place = _find_place(text, start, end)
    if place is None:
        return nothing
    schemas = list(_schemas_at(place))
    suggestions = _suggest_keys(place, schemas) if place.is_key else _suggest_values(place, schemas, paths)
    typed = text[start:cursor].lower()
    fitting = [suggestion for suggestion in suggestions if typed in suggestion.label.lower()]
    fitting.sort(key=lambda suggestion: not suggestion.label.lower().startswith(typed))  # stable: the order of the schema within each half
    is_complete = len(fitting) == 1 and fitting[0].label == text[start:end]
    return nothing if is_complete else Completion(start=start, end=end, suggestions=tuple(fitting[:MAX_SUGGESTIONS]))


def _find_place(text: str, start: int, end: int) -> _Place | None:
    before, after = text[:start], text[end:]
    brackets = _open_brackets(before)
    line = before[before.rfind("\n") + 1 :]
    closing = "".join(_CLOSERS[bracket] for bracket in reversed(brackets))
    if brackets:
        stripped = before.rstrip(" \n\"'")
        is_key = brackets[-1] == "{" and stripped.endswith(("{", ","))
    else:
        is_key = _BEFORE_KEY.match(line) is not None
        if not is_key and not _BEFORE_VALUE.search(line):
            return None
    variants = [f"{_MARKER}: null", _MARKER] if is_key else [_MARKER]
    rest_of_line = re.match(r"[ \t]*:?[^\n,}\]]*", after) if is_key else None
    tail = after[rest_of_line.end() :] if rest_of_line else after
    for marked in variants:
        for text_after in (tail, closing, f"{closing}\n"):
            value = _parse(before + marked + text_after)
            path = None if value is None else _path_of_marker(value, ())
            if path is not None:
                return _Place(path, is_key, value, not brackets)
    return None


def _open_brackets(text: str) -> list[str]:
    """The brackets of flow collections that are open at the end of a text."""
    brackets: list[str] = []
    quote = ""
    previous = "\n"
    in_comment = False
    for character in text:
        if in_comment:
            in_comment = character != "\n"
        elif quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and previous in " \n[{,:":
            quote = character
        elif character == "#" and previous in " \n":
            in_comment = True
        elif character in "{[" and (brackets or previous in " \n"):
            brackets.append(character)
        elif character in "}]" and brackets:
            brackets.pop()
        previous = character
    return brackets


def _parse(text: str) -> Any:
    try:
        return read_document(text=text).value
    except (ConfigError, yaml.YAMLError):
        return None


def _path_of_marker(value: Any, path: KeyPath) -> KeyPath | None:
    """The path of the marker; of its mapping where it is a key."""
    if isinstance(value, dict):
        if _MARKER in value:
            return path
        entries: Iterable[tuple[str | int, Any]] = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    else:
        return path if value == _MARKER else None
    for key, inner in entries:
        inner_path = _path_of_marker(inner, (*path, key))
        if inner_path is not None:
            return inner_path
    return None


_BUILDING: Final = Lock()


def get_suite_schema() -> JsonSchema:
    """The schema of suites. Building it loads every evaluator and matcher, and happens once.

    Never in two threads at a time: Python 3.11 cannot parse source code, from which it reads the descriptions of options, in two at once.
    """
    with _BUILDING:
        return _build_once()


@cache  # plug-ins are read at the start, so the schema does not change while the process runs
def _build_once() -> JsonSchema:
    return build_suite_schema()


def _schemas_at(place: _Place) -> Iterator[JsonSchema]:
    """Every schema that applies at the place."""
    schemas = list(_expand(get_suite_schema(), place.value))
    value = place.value
    for step in place.path:
        value = value[step]
        steps = [schema for inner in schemas for schema in _step_into(inner, step)]
        schemas = [expanded for schema in steps for expanded in _expand(schema, value)]
    yield from schemas


def _step_into(schema: JsonSchema, step: str | int) -> Iterator[JsonSchema]:
    others = schema.get("additionalProperties")
    inner = schema.get("items") if isinstance(step, int) else schema.get("properties", {}).get(step, others)
    if isinstance(inner, dict):
        yield inner


def _expand(schema: JsonSchema, value: Any, depth: int = 0) -> Iterator[JsonSchema]:
    """A schema with the alternatives and conditions in it that fit the value."""
    if depth > 20:
        return
    if "$ref" in schema:
        yield from _expand(get_suite_schema()["$defs"][schema["$ref"].removeprefix("#/$defs/")], value, depth + 1)
        return
    yield schema
    for alternative in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        if "if" not in alternative:
            yield from _expand(alternative, value, depth + 1)
        elif _meets_condition(alternative["if"], value):
            yield from _expand(alternative.get("then", {}), value, depth + 1)
        elif "else" in alternative:
            yield from _expand(alternative["else"], value, depth + 1)


def _meets_condition(condition: JsonSchema, value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if any(name not in value for name in condition.get("required", ())):
        return False
    for name, constraint in condition.get("properties", {}).items():
        if name in value and "const" in constraint and value[name] != constraint["const"]:
            return False
        if name in value and "enum" in constraint and value[name] not in constraint["enum"]:
            return False
    return True


def _suggest_keys(place: _Place, schemas: Sequence[JsonSchema]) -> list[Suggestion]:
    mapping: Any = place.value
    for step in place.path:
        mapping = mapping[step]
    present: Mapping[str, Any] = mapping if isinstance(mapping, dict) else {}
    required = {*_LEADING_KEYS, *(name for schema in schemas for name in schema.get("required", ()))}
    keys: dict[str, Suggestion] = {}
    for schema in schemas:
        for name, inner in schema.get("properties", {}).items():
            if name not in present and name not in keys:
                text = f"{name}:" if place.in_block and _is_container(inner) else f"{name}: "
                keys[name] = Suggestion(text=text, label=name, about=_describe(inner))
    if place.path == ("gate",):
        for name in _list_gate_names(place.value):
            keys.setdefault(name, Suggestion(text=f'{name}: ">= 0.9"', label=name, about="Fail below this value."))
    ordered = sorted(keys.values(), key=lambda suggestion: (suggestion.label not in _LEADING_KEYS, suggestion.label not in required))
    items = next((schema["items"] for schema in schemas if isinstance(schema.get("items"), dict)), None)
    if items is not None and len(present) <= 1:  # a list may begin here
        first = next((name for schema in _expand(items, None) for name in schema.get("required", ())), None)
        item = Suggestion(text=f"- {first}: " if first else "- ", label=f"- {first}" if first else "-", about="An item of the list.")
        ordered.insert(0, item)
    return ordered


def _is_container(schema: JsonSchema) -> bool:
    """True if only a list or a mapping may stand here, which begins on the next line."""
    types = {expanded["type"] for expanded in _expand(schema, None) if isinstance(expanded.get("type"), str)}
    return bool(types) and types <= {"object", "array"}


def _list_gate_names(value: Mapping[str, Any]) -> list[str]:
    evaluators = value.get("evaluators")
    names = [evaluator.get("name") or evaluator.get("type") for evaluator in evaluators or () if isinstance(evaluator, dict)]
    return [f"{name}.{metric}" for name in names if name for metric in ("score", "pass_rate")]


def _suggest_values(place: _Place, schemas: Sequence[JsonSchema], paths: Sequence[str]) -> list[Suggestion]:
    values: dict[str, Suggestion] = {}

    def add(value: Any, about: str = "") -> None:
        text = value if isinstance(value, str) and re.fullmatch(r"[\w.*/-]+", value) else json.dumps(value, ensure_ascii=False)
        values.setdefault(text, Suggestion(text=text, label=text, about=about))

    if place.path[-1:] == ("path",) or place.path[-2:-1] == ("fields",):
        for path in paths:
            values.setdefault(path, Suggestion(text=path, label=path, about="A field of the expected record."))
    for schema in schemas:
        for value in schema.get("enum", ()):
            add(value, _describe_choice(place, value))
        if "const" in schema:
            add(schema["const"])
        if schema.get("type") == "boolean":
            add(True)
            add(False)
        for value in schema.get("examples", ()):
            add(value, "An example.")
        if "default" in schema:
            add(schema["default"], "The default.")
    return list(values.values())


def _describe(schema: JsonSchema) -> str:
    for expanded in _expand(schema, None):
        if expanded.get("description"):
            return _shorten(str(expanded["description"]))
    return ""


def _describe_choice(place: _Place, value: Any) -> str:
    """What an evaluator or a match does, in one sentence."""
    if not place.path or not isinstance(value, str):
        return ""
    definitions = get_suite_schema()["$defs"]
    if place.path[-1] == "type":
        return _summary_of("evaluator", value) or _describe(definitions.get(f"evaluator.{value}", {}))
    return _summary_of("matcher", value) if place.path[-1] == "match" else ""


def _summary_of(kind: str, name: str) -> str:
    registered: Any = registry.EVALUATORS if kind == "evaluator" else registry.MATCHERS
    if name not in registered.names():
        return ""
    return _shorten((registered.find(name).function.__doc__ or "").strip().split("\n\n")[0])


def _shorten(text: str) -> str:
    line = re.sub(r"\s+", " ", text)
    return line if len(line) <= 110 else line[:108].rsplit(" ", 1)[0] + " …"
