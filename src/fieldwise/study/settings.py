"""Settings of `what-if`: `fields.vendor.name.threshold=0.8` read against a suite, and applied to a copy of it."""

import ast
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Final

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.path import MalformedPath, Path
from fieldwise.model.plan import Document, KeyPath
from fieldwise.plan.evaluators import get_evaluator_name
from fieldwise.read.suite import parse_scalar, read_document
from fieldwise.registry import nearest

GATE: Final = "gate"
_QUOTED_KEY: Final = re.compile(r"""\["(?:[^"\\]|\\.)*"\]|\['[^']*'\]""")
_LAST_PART: Final = re.compile(r"""(?P<path>.*)\.(?P<option>[A-Za-z_][A-Za-z0-9_]*)$""", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One change to a suite."""

    text: str
    """As written: `fields.total.weight=3`."""
    evaluator: str | None
    """The evaluator's name; None for a gate."""
    field: str | None
    """The path of the field as the suite writes it; None for an option of the evaluator itself."""
    option: str
    """The name of the option; for a gate, the metric: `fields.score`."""
    place: KeyPath
    """Where the option is in the suite."""
    before: Any
    """The value as written in the suite; None if it is not written."""
    after: Any

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict."""
        names = ("evaluator", "field", "option", "before", "after")
        return {"set": self.text, **{name: getattr(self, name) for name in names}}


def read_stored_suite(text: str, file: str | None) -> Document:
    """The suite that is stored with a run. A suite without a file is stored as the text of a dict (Python) or as YAML (HTTP API)."""
    is_dict = text.lstrip().startswith("{")
    if file is not None or (text and not is_dict):
        return read_document(text=text, file=file)
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _error("no-suite", "the run stores no suite that can be read", "run the suite again from a file")
    return Document(value=value, text=text)


def apply_settings(document: Document, texts: Sequence[str]) -> tuple[Document, list[Setting]]:
    """The suite with all settings applied, and what each of them changes. ConfigError lists every setting that cannot be read."""
    changed = replace(document, value=copy_without_aliases(document.value))
    settings: list[Setting] = []
    problems: list[Diagnostic] = []
    for text in texts:
        try:
            setting = _read_setting(document, text)
        except ConfigError as error:
            problems += error.diagnostics
            continue
        if any(earlier.place == setting.place for earlier in settings):
            fix = "set it once"
            problems.append(Diagnostic(code="set-twice", what=f"`{text}` sets what an earlier setting has set already", fix=fix))
            continue
        settings.append(setting)
        _apply_setting(changed.value, setting)
    if problems:
        raise ConfigError(problems)
    return changed, settings


def copy_without_aliases(value: Any) -> Any:
    """A deep copy in which a value that aliases share is a value of its own in each place."""
    if isinstance(value, dict):
        return {key: copy_without_aliases(item) for key, item in value.items()}
    return [copy_without_aliases(item) for item in value] if isinstance(value, list) else deepcopy(value)


def _read_setting(document: Document, text: str) -> Setting:
    name, value = _split_setting(text)
    evaluators = document.value.get("evaluators")
    written: list[Any] = evaluators if isinstance(evaluators, list) else []
    names = {get_evaluator_name(options): index for index, options in enumerate(written) if isinstance(options, Mapping)}
    # the longest name first, because a name may contain dots
    for evaluator in sorted(filter(None, names), key=len, reverse=True):
        if name.startswith(f"{evaluator}."):
            rest = name.removeprefix(f"{evaluator}.")
            return _read_evaluator_setting(written[names[evaluator]], evaluator, names[evaluator], rest, text, value)
    if name.startswith(f"{GATE}."):
        return _read_gate_setting(document, name.removeprefix(f"{GATE}."), text, value)
    evaluator_names = [evaluator for evaluator in names if evaluator]
    similar = nearest(name.partition(".")[0], evaluator_names)
    fix = f"did you mean `{similar}`?" if similar else f"it has {', '.join(evaluator_names)}; write EVALUATOR.FIELD.OPTION=VALUE"
    raise _error("no-evaluator", f"`{text}` names no evaluator of the suite", fix)


def _split_setting(text: str) -> tuple[str, Any]:
    """The name and the value of a setting; an equals sign inside a quoted key does not separate them."""
    end = _find_equals(text)
    if end is None or not text[:end].strip():
        raise _error("bad-setting", f"`{text}` is no setting", "write EVALUATOR.FIELD.OPTION=VALUE, such as fields.total.weight=3")
    value = text[end + 1 :].strip()
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return text[:end].strip(), parse_scalar(value[1:-1] if is_quoted else value, None, is_plain=not is_quoted)


def _find_equals(text: str) -> int | None:
    """The position of the first equals sign outside a quoted key; None if there is none."""
    position = 0
    while position < len(text):
        quoted = _QUOTED_KEY.match(text, position) if text[position] == "[" else None
        if quoted is not None:
            position = quoted.end()
        elif text[position] == "=":
            return position
        else:
            position += 1
    return None


def _read_gate_setting(document: Document, metric: str, text: str, value: Any) -> Setting:
    gates = document.value.get(GATE)
    before = gates.get(metric) if isinstance(gates, Mapping) else None
    return Setting(text=text, evaluator=None, field=None, option=metric, place=(GATE, metric), before=before, after=value)


def _read_evaluator_setting(options: Mapping[str, Any], evaluator: str, index: int, rest: str, text: str, value: Any) -> Setting:
    """The option of a field, or of the evaluator itself; the last part is the option, what is before it the path of the field."""
    place: KeyPath = ("evaluators", index)
    parts = _LAST_PART.match(rest)
    if parts is None:
        return Setting(text=text, evaluator=evaluator, field=None, option=rest, place=(*place, rest), before=options.get(rest), after=value)
    path, option = parts["path"], parts["option"]
    position = _find_field(options.get("fields"), path)
    if position is not None:
        rule = options["fields"][position]
        is_mapping = isinstance(rule, Mapping)
        return Setting(
            text=text,
            evaluator=evaluator,
            field=str(rule["path"]) if is_mapping else str(rule),
            option=option,
            place=(*place, "fields", position, option),
            before=rule.get(option) if is_mapping else None,
            after=value,
        )
    group = options.get(path)
    if isinstance(group, Mapping) or path in _OPTION_GROUPS:
        before = group.get(option) if isinstance(group, Mapping) else None
        return Setting(text=text, evaluator=evaluator, field=None, option=rest, place=(*place, path, option), before=before, after=value)
    raise _unknown_field(options.get("fields"), evaluator, path)


_OPTION_GROUPS: Final = ("weights",)
"""Options that hold options."""


def _find_field(fields: Any, path: str) -> int | None:
    """The position of the rule for this path, however the path is written."""
    if not isinstance(fields, list):
        return None
    texts = [rule.get("path") if isinstance(rule, Mapping) else rule for rule in fields]
    if path in texts:
        return texts.index(path)
    steps = _parse_steps(path)
    for position, text in enumerate(texts):
        if steps is not None and isinstance(text, str) and _parse_steps(text) == steps:
            return position
    return None


def _parse_steps(text: str) -> Path | None:
    try:
        return Path.parse(text)
    except MalformedPath:
        return None


def _unknown_field(fields: Any, evaluator: str, path: str) -> ConfigError:
    what = f"`{evaluator}` has no rule for the field `{path}`"
    if fields is None:
        return _error("no-field", what, "its rules were inferred: write them into the suite, as `fieldwise init` does, and run it again")
    if not isinstance(fields, list):
        return _error("no-field", what, "its rules come from a schema or a model: change them there, and run the suite again")
    paths = [str(rule.get("path")) if isinstance(rule, Mapping) else str(rule) for rule in fields]
    similar = nearest(path, paths)
    return _error("no-field", what, f"did you mean `{similar}`?" if similar else f"it has {', '.join(paths[:8])}")


def _apply_setting(suite: dict[str, Any], setting: Setting) -> None:
    """Set the option in the suite; a rule that is a bare path becomes a mapping."""
    container: Any = suite
    for key in setting.place[:-1]:
        if isinstance(key, str) and not isinstance(container.get(key), dict | list):
            container[key] = {}
        elif isinstance(key, int) and isinstance(container[key], str):
            container[key] = {"path": container[key]}
        container = container[key]
    container[setting.place[-1]] = setting.after


def _error(code: str, what: str, fix: str) -> ConfigError:
    return ConfigError([Diagnostic(code=code, what=what, fix=fix)])
