"""Rules as a suite writes them: for suggestions, and for inferred rules that are stored with a run."""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import fields, is_dataclass
from typing import Any

from fieldwise.model.path import EACH, Path, render_path
from fieldwise.model.rule import FieldRule, ListRule


def write_rule(rule: FieldRule) -> dict[str, Any]:
    """A rule as in `fields` of a suite, without options that have their default."""
    written: dict[str, Any] = {"path": rule.text, "match": rule.match.name}
    options: Any = rule.match.options
    if is_dataclass(options) and not isinstance(options, type):
        for option in fields(options):
            value = getattr(options, option.name)
            default = option.default if option.default is not NO_DEFAULT else None
            if value != default and option.name not in ("model", "calibration"):
                written[option.name.rstrip("_")] = list(value) if isinstance(value, tuple | frozenset) else value
    if rule.weight != 1:
        written["weight"] = rule.weight
    if rule.required is not None:
        written["required"] = rule.required
    if rule.sparse:
        written["sparse"] = True
    if rule.evidence is not None:
        written["evidence"] = {"iou": rule.evidence.iou}
    if rule.unexpected is not None:
        written["unexpected"] = rule.unexpected
    return written


def write_list_rules(rules: Iterable[ListRule]) -> dict[str, Mapping[str, Any]]:
    """Rules as in `lists` of a suite."""
    return {_write_list_path(rule.path): _write_list_rule(rule) for rule in rules}


def _write_list_path(path: Path) -> str:
    """The path of a list in a suite: with `[*]` where the path of the list itself would be ambiguous."""
    return str(path) if path.steps and path.steps[-1] is not EACH else render_path((*path.steps, EACH))


def _write_list_rule(rule: ListRule) -> dict[str, Any]:
    if rule.align == "key":
        return {"align": "key", "key": str(rule.key)}
    return {"align": "best", "at_least": rule.at_least} if rule.align == "best" else {"align": rule.align}
