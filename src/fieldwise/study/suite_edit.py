"""Write settings into a suite file. Only the changed values are replaced; every other byte of the file stays as it is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import orjson
import yaml

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.plan import Document
from fieldwise.read.suite import parse_scalar, read_document
from fieldwise.store.atomic import write_atomically
from fieldwise.study.settings import Setting, apply_settings

_BOM: Final = "\ufeff"


def write_settings(file: str | None, settings: Sequence[Setting]) -> str:
    """Change the suite file and return its name; ConfigError if that is not possible, and the file is then untouched."""
    if file is None or not Path(file).is_file():
        what = "the run was not made from a suite file" if file is None else f"the suite `{file}` is not there"
        raise ConfigError([Diagnostic(code="no-suite", what=what, fix="change the suite by hand")])
    path = Path(file)
    content = path.read_bytes().decode("utf-8")
    bom = _BOM if content.startswith(_BOM) else ""
    text = edit_suite(content.removeprefix(_BOM), [setting.text for setting in settings], file)
    write_atomically(path, lambda target: _write_text(target, bom + text))
    return file


def has_changed(file: str | None, text: str) -> bool:
    """True if the suite file no longer has the text that a run was made from."""
    return file is not None and Path(file).is_file() and _without_marks(Path(file).read_text(encoding="utf-8")) != _without_marks(text)


def _without_marks(text: str) -> str:
    return text.removeprefix(_BOM).replace("\r\n", "\n")


def _write_text(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


def edit_suite(text: str, settings: Sequence[str], file: str | None = None) -> str:
    """The text of a suite with settings applied; ConfigError if the text cannot say that without other changes.

    >>> print(edit_suite("evaluators:\\n  - type: field_accuracy\\n    fields:\\n      - {path: a, weight: 2}  # twice\\n",
    ...     ["field_accuracy.a.weight=3"]))
    evaluators:
      - type: field_accuracy
        fields:
          - {path: a, weight: 3}  # twice
    <BLANKLINE>
    """
    for setting_text in settings:  # one after the other, because an edit moves what follows it
        document = read_document(text=text, file=file)
        intended, [setting] = apply_settings(document, [setting_text])
        text = _edit_place(text, setting, document)
        if read_document(text=text, file=file).value != intended.value:  # such as an alias, which holds in several places
            raise _cannot_edit(document, setting)
    return text


def _cannot_edit(document: Document, setting: Setting) -> ConfigError:
    where = Where(file=document.file, line=document.line_of(setting.place))
    what = f"`{setting.text}` cannot be written without changing more of the suite"
    return ConfigError([Diagnostic(code="cannot-edit", what=what, where=where, fix="change the suite by hand")])


def _edit_place(text: str, setting: Setting, document: Document) -> str:
    # the pure Python loader: its marks count characters
    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    for depth, key in enumerate(setting.place):
        child = _find_child(node, key)
        if child is None:
            return _insert(text, node, setting.place[depth:], setting.after)
        if depth < len(setting.place) - 1 and isinstance(child, yaml.ScalarNode):
            return _replace_bare_path(text, child, setting, depth, document)
        node = child
    if not isinstance(node, yaml.ScalarNode):
        raise _cannot_edit(document, setting)
    return text[: node.start_mark.index] + _encode_like(node, setting.after) + text[node.end_mark.index :]


def _find_child(node: Any, key: str | int) -> Any:
    """The node of a key or an item; None if it is not written."""
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int):
        return node.value[key] if key < len(node.value) else None
    if isinstance(node, yaml.MappingNode):
        return next((value for name, value in node.value if name.value == key), None)
    return None


def _replace_bare_path(text: str, node: Any, setting: Setting, depth: int, document: Document) -> str:
    """Turn the rule `- total` into `- {path: total, weight: 3}`."""
    if depth != len(setting.place) - 2:
        raise _cannot_edit(document, setting)
    written = text[node.start_mark.index : node.end_mark.index]
    path = written if node.style or not set(written) & set("{}[],") else orjson.dumps(node.value).decode()
    rule = f"{{path: {path}, {setting.option}: {_encode(setting.after)}}}"
    return text[: node.start_mark.index] + rule + text[node.end_mark.index :]


def _insert(text: str, node: Any, keys: Sequence[str | int], value: Any) -> str:
    """Add a key that is not written to a mapping, in its own style."""
    entry = _encode(value)
    for key in reversed(keys[1:]):
        entry = f"{{{_encode_key(key)}: {entry}}}"
    entry = f"{_encode_key(keys[0])}: {entry}"
    if node.flow_style:
        end = node.end_mark.index - 1  # before the closing brace
        before = text[:end].rstrip()
        separator = "" if before.endswith(("{", ",")) else ","
        gap = text[len(before) : end]
        joint = "" if before.endswith("{") else " "
        return f"{before}{separator}{joint}{entry}{gap}{text[end:]}"
    last_key, last_value = node.value[-1]
    column = " " * node.value[0][0].start_mark.column
    end = _end_of_line(text, _content_end(last_value, last_key))
    newline = "\r\n" if "\r\n" in text else "\n"
    head = text[:end]
    return f"{head}{'' if head.endswith(newline) else newline}{column}{entry}{newline}{text[end:]}"


def _content_end(node: Any, key: Any) -> int:
    """Where the content of a node ends: a block collection's own mark lies behind the comments that follow it."""
    if isinstance(node, yaml.ScalarNode):
        return max(node.end_mark.index, key.end_mark.index)
    if node.flow_style or not node.value:
        return node.end_mark.index
    if isinstance(node, yaml.MappingNode):
        last_key, last_value = node.value[-1]
        return _content_end(last_value, last_key)
    return _content_end(node.value[-1], node.value[-1])


def _end_of_line(text: str, position: int) -> int:
    """The beginning of the next line."""
    if position and text[position - 1] == "\n":
        return position
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1


def _encode_like(node: Any, value: Any) -> str:
    """A value as YAML, in the quotes of the value that it replaces."""
    if isinstance(value, str) and node.style == "'":
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, str) and node.style == '"':
        return orjson.dumps(value).decode()
    return _encode(value)


def _encode(value: Any) -> str:
    """A scalar as YAML: plain where that reads back as the same value."""
    if isinstance(value, str):
        is_plain = value.replace("_", "").isalnum() and parse_scalar(value, None, is_plain=True) == value
        return value if is_plain else orjson.dumps(value).decode()
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _encode_key(key: str | int) -> str:
    text = str(key)
    return text if text.replace("_", "").replace(".", "").isalnum() else orjson.dumps(text).decode()
