"""Read a file that a person wrote, YAML or JSON, keeping the line of every key and item.

>>> document = read_document(text="name: demo\\nagree: yes\\nevaluators:\\n  - type: field_prf\\n", file="demo.yaml")
>>> document.value
{'name': 'demo', 'agree': 'yes', 'evaluators': [{'type': 'field_prf'}]}
>>> document.line(("evaluators", 0, "type"))
4

Values follow YAML 1.2: only `true` and `false` are booleans; `yes`, `no`, `on`, dates and `1_000` stay text. Keys are always text. Anchors,
aliases and `<<` work; what aliases add up to is limited. Tags other than the standard ones are refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

import yaml

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.plan import Document, KeyPath
from fieldwise.read.yaml_values import MERGE, BadScalar, scalar

MAX_ALIASED: Final = 100_000
"""Values that aliases may add up to."""
MAX_DEPTH: Final = 100
_EXCERPT: Final = 60
_CONTAINER_TAGS: Final = {None, "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq", "!"}


def read_document(path: str | Path | None = None, *, text: str | None = None, file: str | None = None) -> Document:
    """The document at a path, or in a text that came from `file`; ConfigError if it cannot be read or is no mapping."""
    file = file or (str(path) if path is not None else None)
    if text is None:
        if path is None:
            raise TypeError("read_document needs a path or a text")
        text = read_text_file(Path(path), file or str(path))
    _refuse_tabs(text, file)
    builder = _Builder(file)
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(event)
    except yaml.YAMLError as error:
        raise ConfigError([_syntax_error(error, text, file)]) from error
    if not isinstance(builder.value, dict):
        what, fix = "the document must be a mapping: `key: value` lines", "begin with `name: …`"
        raise ConfigError([Diagnostic(code="not-a-mapping", what=what, where=Where(file=file, line=1), fix=fix)])
    return Document(value=builder.value, file=file, text=text, lines=builder.lines)


def read_text_file(path: Path, file: str) -> str:
    """The text of a file; ConfigError if it is not there or not UTF-8."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        what, fix = f"the file cannot be read: {error.strerror or error}", "check the path"
    except UnicodeDecodeError as error:
        what, fix = f"the file is not UTF-8 (byte {error.start + 1})", "save it as UTF-8"
    raise ConfigError([Diagnostic(code="unreadable-file", what=what, where=Where(file=file), fix=fix)])


def _refuse_tabs(text: str, file: str | None) -> None:
    """YAML forbids tabs for indentation, and its own message for that helps nobody. JSON may have them."""
    if text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return
    for number, line in enumerate(text.split("\n"), 1):
        body = line.lstrip(" ")
        if body.startswith("\t") and body.strip() and not body.strip().startswith("#"):
            what, fix = "the line is indented with a tab, which YAML does not allow", "indent with spaces"
            raise ConfigError([Diagnostic(code="tab", what=what, where=Where(file=file, line=number), fix=fix)])


def _syntax_error(error: yaml.YAMLError, text: str, file: str | None) -> Diagnostic:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    parts = (getattr(error, "context", None), getattr(error, "problem", None) or getattr(error, "reason", None))
    told = ", ".join(str(part) for part in parts if part)
    line = mark.line + 1 if mark else None
    lines = text.split("\n")
    excerpt = lines[line - 1].strip()[:_EXCERPT] if line and line <= len(lines) else ""
    shown = f" (`{excerpt}`)" if excerpt else ""
    fix = 'check the indentation, and put text with `: `, `#`, `{`, `[`, `*` or `"` in quotes'
    return Diagnostic(code="invalid-yaml", what=f"not YAML: {told or error}{shown}", where=Where(file=file, line=line), fix=fix)


@dataclass(slots=True)
class _Open:
    """A mapping or list whose end has not come yet."""

    value: Any
    place: KeyPath
    line: int
    anchor: str | None
    key: str | None = None
    merging: bool = False
    key_lines: dict[str, int] = field(default_factory=dict[str, int])
    merged: list[Any] = field(default_factory=list[Any])
    size: int = 1


class _Builder:
    """Values from YAML events, without recursion."""

    def __init__(self, file: str | None) -> None:
        self.value: Any = None
        self.lines: dict[KeyPath, int] = {}
        self._file = file
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._aliased = 0
        self._documents = 0

    def take(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._open(event, line)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._close()
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event.anchor, line)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                self._refuse("several-documents", "the file holds more than one document (`---`)", line, "keep one per file")

    def _scalar(self, event: Any, line: int) -> None:
        if self._wants_key():
            self._key(event.value, line, merge=event.value == MERGE and event.implicit[0])
            return
        try:
            value = scalar(event.value, event.tag, plain=event.implicit[0])
        except BadScalar as problem:
            self._refuse("bad-value", str(problem), line, problem.fix)
        if event.anchor:
            self._anchors[event.anchor] = (value, 1)
        self._put(value, line, 1)

    def _wants_key(self) -> bool:
        return bool(self._stack) and isinstance(self._stack[-1].value, dict) and self._stack[-1].key is None

    def _key(self, key: str, line: int, *, merge: bool) -> None:
        top = self._stack[-1]
        if key in top.key_lines:
            what = f"the key `{key}` is there twice, first on line {top.key_lines[key]}"
            self._refuse("duplicate-key", what, line, "keep one of them")
        top.key_lines[key] = line
        top.key, top.merging = key, merge
        if not merge:
            self.lines[(*top.place, key)] = line

    def _open(self, event: Any, line: int) -> None:
        if self._wants_key():
            self._refuse("bad-key", "a key must be plain text", line, "put it in quotes")
        if event.tag not in _CONTAINER_TAGS:
            self._refuse("unknown-tag", f"the tag `{event.tag}` is not supported", line, "leave the tag out")
        if len(self._stack) >= MAX_DEPTH:
            self._refuse("too-deep", f"the document is nested deeper than {MAX_DEPTH}", line, None)
        place = self._place()
        if place:
            self.lines.setdefault(place, line)
        value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._stack.append(_Open(value, place, line, event.anchor))

    def _place(self) -> KeyPath:
        if not self._stack:
            return ()
        top = self._stack[-1]
        return (*top.place, top.key if top.key is not None else len(top.value))

    def _close(self) -> None:
        done = self._stack.pop()
        for merged in done.merged:
            for key, value in merged.items():
                done.value.setdefault(key, value)
        if done.anchor:
            self._anchors[done.anchor] = (done.value, done.size)
        self._put(done.value, done.line, done.size)

    def _alias(self, name: str, line: int) -> None:
        if self._wants_key():
            self._refuse("bad-key", "a key must be plain text, not an alias", line, "write the key out")
        if name not in self._anchors:
            inside = any(one.anchor == name for one in self._stack)
            what = f"`*{name}` refers to what it is inside of" if inside else f"there is no anchor `&{name}` before `*{name}`"
            self._refuse("bad-alias", what, line, "write the value out")
        value, size = self._anchors[name]
        self._aliased += size
        if self._aliased > MAX_ALIASED:
            self._refuse("alias-bomb", f"aliases add up to more than {MAX_ALIASED} values", line, "write the values out")
        self._put(value, line, size)

    def _put(self, value: Any, line: int, size: int) -> None:
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
        if top.merging:
            top.merged += self._mappings(value, line)
        elif key is not None:
            top.value[key] = value

    def _mappings(self, value: Any, line: int) -> list[Mapping[str, Any]]:
        mappings: list[Any] = value if isinstance(value, list) else [value]
        if not all(isinstance(one, dict) for one in mappings):
            self._refuse("bad-merge", "`<<` must be given a mapping or a list of mappings", line, "write <<: *name")
        return mappings

    def _refuse(self, code: str, what: str, line: int, fix: str | None) -> NoReturn:
        raise ConfigError([Diagnostic(code=code, what=what, where=Where(file=self._file, line=line), fix=fix)])
