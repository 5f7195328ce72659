"""Read a suite, YAML or JSON, with the line of every key and item.

>>> document = read_document(text="name: demo\\nagree: yes\\nevaluators:\\n  - type: field_prf\\n", file="demo.yaml")
>>> document.value
{'name': 'demo', 'agree': 'yes', 'evaluators': [{'type': 'field_prf'}]}
>>> document.line_of(("evaluators", 0, "type"))
4

Values follow YAML 1.2: only `true` and `false` are booleans; `yes`, `no`, `on`, dates and `1_000` stay text. Keys are always text. Anchors,
aliases and `<<` work; the number of values that aliases expand to is limited. Non-standard tags are refused.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final, NoReturn

import yaml

from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.plan import Document, KeyPath

MAX_ALIASED: Final = 100_000
"""Maximum number of values that aliases may expand to."""
MAX_DEPTH: Final = 100
_MAX_DIGITS: Final = 4300
_MAX_EXCERPT_LENGTH: Final = 60
_MERGE_KEY: Final = "<<"
_TAG_PREFIX: Final = "tag:yaml.org,2002:"
_CONTAINER_TAGS: Final = {None, f"{_TAG_PREFIX}map", f"{_TAG_PREFIX}seq", "!"}
_SCALAR_TYPES: Final[dict[str, tuple[type, ...]]] = {"int": (int,), "float": (float, int), "bool": (bool,), "null": (type(None),)}
"""Name of a tag → Python types of its values."""

_INTEGER: Final = re.compile(r"[-+]?[0-9]+")
_OCTAL: Final = re.compile(r"0o[0-7]+")
_HEX: Final = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)")
_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}


def read_document(path: str | Path | None = None, *, text: str | None = None, file: str | None = None) -> Document:
    """The document at a path, or in a text that came from `file`; ConfigError if it cannot be read or is not a mapping."""
    file = file or (str(path) if path is not None else None)
    if text is None:
        if path is None:
            raise TypeError("read_document needs a path or a text")
        text = read_text_file(Path(path), file or str(path))
    _refuse_tabs(text, file)
    builder = _DocumentBuilder(file)
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.add_event(event)
    except yaml.YAMLError as error:
        raise ConfigError([_describe_syntax_error(error, text, file)]) from error
    if not isinstance(builder.value, dict):
        what, fix = "the document must be a mapping: `key: value` lines", "begin with `name: …`"
        if not text.strip():
            what, fix = "the file is empty", "write `cases:` and `evaluators:`, or let `fieldwise init` write a suite for your data"
        raise ConfigError([Diagnostic(code="not-a-mapping", what=what, where=Where(file=file, line=1), fix=fix)])
    return Document(value=builder.value, file=file, text=text, lines=builder.lines)


def read_text_file(path: Path, file: str) -> str:
    """The text of a file; ConfigError if it does not exist or is not UTF-8."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        what, fix = f"the file cannot be read: {error.strerror or error}", "check the path"
    except UnicodeDecodeError as error:
        what, fix = f"the file is not UTF-8 (byte {error.start + 1})", "save it as UTF-8"
    raise ConfigError([Diagnostic(code="unreadable-file", what=what, where=Where(file=file), fix=fix)])


def _refuse_tabs(text: str, file: str | None) -> None:
    """Report indentation with tabs in plain words: the message of the YAML parser is hard to understand. JSON may have tabs."""
    if text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return
    for number, line in enumerate(text.split("\n"), 1):
        body = line.lstrip(" ")
        if body.startswith("\t") and body.strip() and not body.strip().startswith("#"):
            what, fix = "the line is indented with a tab, which YAML does not allow", "indent with spaces"
            raise ConfigError([Diagnostic(code="tab", what=what, where=Where(file=file, line=number), fix=fix)])


def _describe_syntax_error(error: yaml.YAMLError, text: str, file: str | None) -> Diagnostic:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    parts = (getattr(error, "context", None), getattr(error, "problem", None) or getattr(error, "reason", None))
    message = ", ".join(str(part) for part in parts if part) or str(error)
    line = mark.line + 1 if mark else None
    lines = text.split("\n")
    excerpt = lines[line - 1].strip()[:_MAX_EXCERPT_LENGTH] if line and line <= len(lines) else ""
    quoted = f" (`{excerpt}`)" if excerpt else ""
    fix = 'check the indentation, and put text with `: `, `#`, `{`, `[`, `*` or `"` in quotes'
    return Diagnostic(code="invalid-yaml", what=f"not YAML: {message}{quoted}", where=Where(file=file, line=line), fix=fix)


class InvalidScalar(ValueError):
    """A scalar whose tag is unknown or does not fit its text."""

    def __init__(self, what: str, fix: str = "leave the tag out") -> None:
        self.fix = fix
        super().__init__(what)


def parse_scalar(text: str, tag: str | None, *, is_plain: bool) -> Any:
    """The value of a scalar by YAML 1.2, where `no` is text and `1:30` is not a number; a quoted scalar is text.

    >>> [parse_scalar(text, None, is_plain=True) for text in ("1", "0o17", "1e3", "yes", "2024-01-05", "1_000", "~", "TRUE")]
    [1, 15, 1000.0, 'yes', '2024-01-05', '1_000', None, True]
    >>> parse_scalar("1", None, is_plain=False)
    '1'
    """
    if tag is not None and tag != "!":
        return _parse_tagged_scalar(text, tag)
    return _parse_plain_scalar(text) if is_plain and tag is None else text


def _parse_plain_scalar(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) <= _MAX_DIGITS else text
    if _OCTAL.fullmatch(text):
        return int(text, 8)
    if _HEX.fullmatch(text):
        return int(text, 16)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITE.fullmatch(text):
        return -math.inf if text[0] == "-" else math.inf
    return text


def _parse_tagged_scalar(text: str, tag: str) -> Any:
    name = tag.removeprefix(_TAG_PREFIX)
    if tag == f"{_TAG_PREFIX}str":
        return text
    if not tag.startswith(_TAG_PREFIX) or name not in _SCALAR_TYPES:
        raise InvalidScalar(f"the tag `{tag}` is not supported")
    value: Any = _parse_plain_scalar(text) if text else None
    if not isinstance(value, _SCALAR_TYPES[name]) or (name != "bool" and isinstance(value, bool)):
        raise InvalidScalar(f"`{text}` is not of the type that its tag names ({name})")
    return float(value) if name == "float" else value


@dataclass(slots=True)
class _OpenContainer:
    """A mapping or list that is not complete yet."""

    value: Any
    place: KeyPath
    line: int
    anchor: str | None
    key: str | None = None
    """The key whose value comes next."""
    is_merge: bool = False
    """Whether that key is `<<`."""
    key_lines: dict[str, int] = field(default_factory=dict)
    merged: list[Any] = field(default_factory=list)
    """The mappings under `<<`; the own keys of the mapping take precedence."""
    size: int = 1
    """Number of values in it, with aliases expanded."""


class _DocumentBuilder:
    """Builds plain values from YAML events, without recursion."""

    def __init__(self, file: str | None) -> None:
        self.value: Any = None
        self.lines: dict[KeyPath, int] = {}
        self._file = file
        self._stack: list[_OpenContainer] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._expanded = 0
        self._document_count = 0

    def add_event(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.ScalarEvent):
            self._add_scalar(event, line)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._open_container(event, line)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._close_container()
        elif isinstance(event, yaml.AliasEvent):
            self._add_alias(event.anchor, line)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._document_count += 1
            if self._document_count > 1:
                self._fail("several-documents", "the file holds more than one document (`---`)", line, "keep one per file")

    def _add_scalar(self, event: Any, line: int) -> None:
        if self._expects_key():
            self._start_key(event.value, line, is_merge=event.value == _MERGE_KEY and event.implicit[0])
            return
        try:
            value = parse_scalar(event.value, event.tag, is_plain=event.implicit[0])
        except InvalidScalar as error:
            self._fail("bad-value", str(error), line, error.fix)
        if event.anchor:
            self._anchors[event.anchor] = (value, 1)
        self._store(value, line, 1)

    def _expects_key(self) -> bool:
        return bool(self._stack) and isinstance(self._stack[-1].value, dict) and self._stack[-1].key is None

    def _start_key(self, key: str, line: int, *, is_merge: bool) -> None:
        top = self._stack[-1]
        if key in top.key_lines:
            what = f"the key `{key}` is there twice, first on line {top.key_lines[key]}"
            self._fail("duplicate-key", what, line, "keep one of them")
        top.key_lines[key] = line
        top.key, top.is_merge = key, is_merge
        if not is_merge:
            self.lines[(*top.place, key)] = line

    def _open_container(self, event: Any, line: int) -> None:
        if self._expects_key():
            self._fail("bad-key", "a key must be plain text", line, "put it in quotes")
        if event.tag not in _CONTAINER_TAGS:
            self._fail("unknown-tag", f"the tag `{event.tag}` is not supported", line, "leave the tag out")
        if len(self._stack) >= MAX_DEPTH:
            self._fail("too-deep", f"the document is nested deeper than {MAX_DEPTH}", line, None)
        place = self._get_next_place()
        if place:
            self.lines.setdefault(place, line)
        value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._stack.append(_OpenContainer(value, place, line, event.anchor))

    def _get_next_place(self) -> KeyPath:
        if not self._stack:
            return ()
        top = self._stack[-1]
        return (*top.place, top.key if top.key is not None else len(top.value))

    def _close_container(self) -> None:
        container = self._stack.pop()
        for mapping in container.merged:
            for key, value in mapping.items():
                container.value.setdefault(key, value)
        if container.anchor:
            self._anchors[container.anchor] = (container.value, container.size)
        self._store(container.value, container.line, container.size)

    def _add_alias(self, name: str, line: int) -> None:
        if self._expects_key():
            self._fail("bad-key", "a key must be plain text, not an alias", line, "write the key out")
        if name not in self._anchors:
            is_inside = any(container.anchor == name for container in self._stack)
            what = f"`*{name}` refers to a value that contains it" if is_inside else f"there is no anchor `&{name}` before `*{name}`"
            self._fail("bad-alias", what, line, "write the value out")
        value, size = self._anchors[name]
        self._expanded += size
        if self._expanded > MAX_ALIASED:
            self._fail("alias-bomb", f"aliases expand to more than {MAX_ALIASED} values", line, "write the values out")
        self._store(value, line, size)

    def _store(self, value: Any, line: int, size: int) -> None:
        if not self._stack:
            self.value = value
            return
        top = self._stack[-1]
        top.size += size
        if isinstance(top.value, list):
            self.lines.setdefault((*top.place, len(top.value)), line)
            top.value.append(value)
            return
        key, top.key = top.key, None
        if top.is_merge:
            top.merged += self._check_merged(value, line)
        elif key is not None:
            top.value[key] = value

    def _check_merged(self, value: Any, line: int) -> list[Mapping[str, Any]]:
        mappings: list[Any] = value if isinstance(value, list) else [value]
        if not all(isinstance(mapping, dict) for mapping in mappings):
            self._fail("bad-merge", "`<<` must be a mapping or a list of mappings", line, "write <<: *name")
        return mappings

    def _fail(self, code: str, what: str, line: int, fix: str | None) -> NoReturn:
        raise ConfigError([Diagnostic(code=code, what=what, where=Where(file=self._file, line=line), fix=fix)])
