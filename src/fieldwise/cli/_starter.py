"""Suites to start from: one with sample data, or one inferred from cases."""

import json
import os
from dataclasses import MISSING as NOTHING
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from fieldwise.cli._dry_run import inferred
from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.path import EACH, render
from fieldwise.model.path import Path as FieldPath
from fieldwise.model.plan import Source
from fieldwise.model.rule import FieldRule, ListRule
from fieldwise.model.values import MISSING
from fieldwise.read.cases import read_cases
from fieldwise.read.files import data_stem

EDITOR = "# yaml-language-server: $schema=fieldwise.schema.json\n"
_SAMPLE = """name: invoices
cases: invoices.jsonl               # one case a line: id, expected, actual

evaluators:
  - type: field_accuracy
    name: fields
    fields:
      - {path: number, match: exact, weight: 2}
      - {path: date, match: date}
      - {path: vendor.name, match: fuzzy, threshold: 0.85}
      - {path: total, match: numeric_tolerance, tolerance: 0.01}
      - {path: "items[*].name", match: fuzzy, threshold: 0.85}
      - {path: "items[*].amount", match: numeric_tolerance, tolerance: 0.01}
    lists:
      items: {align: best}          # pair items by likeness; the default is by position
  - type: field_prf                 # precision, recall and F1 over every value
    lists:
      items: {align: best}

gate:
  fields.score: ">= 0.7"
"""
_ROWS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"number": "A-1001", "date": "2024-03-01", "vendor": {"name": "Acme Supplies"}, "total": 120.0},
        {"number": "A-1001", "date": "1 March 2024", "vendor": {"name": "ACME Supplies"}, "total": 120.0},
    ),
    (
        {"number": "A-1002", "date": "2024-03-05", "vendor": {"name": "Bäckerei Lang"}, "total": 48.5},
        {"number": "A-1O02", "date": "2024-03-05", "vendor": {"name": "Baeckerei Lang"}, "total": 48.5},
    ),
    (
        {"number": "A-1003", "date": "2024-03-09", "vendor": {"name": "Nordwind GmbH"}, "total": 1250.0},
        {"number": "A-1003", "date": "2024-09-03", "vendor": {"name": "Nordwind GmbH"}, "total": 12.5},
    ),
]
_ITEMS = [
    [("Paper", 40.0), ("Toner", 80.0)],
    [("Bread", 18.5), ("Cake", 30.0)],
    [("Consulting", 1000.0), ("Travel", 250.0)],
]


def sample(folder: Path) -> dict[Path, str]:
    """The files of a suite with sample data, by path; the suite is the first."""
    lines: list[str] = []
    for number, ((expected, actual), items) in enumerate(zip(_ROWS, _ITEMS, strict=True), 1):
        listed = [{"name": name, "amount": amount} for name, amount in items]
        turned = listed[::-1] if number == 2 else listed[: 3 - number + 1]
        case = {"id": f"invoice-{number}", "expected": expected | {"items": listed}, "actual": actual | {"items": turned}}
        lines.append(json.dumps(case, ensure_ascii=False))
    return {folder / "invoices.eval.yaml": EDITOR + _SAMPLE, folder / "invoices.jsonl": "\n".join(lines) + "\n"}


def suite_from(cases: Path, folder: Path) -> tuple[str, str]:
    """The name and the text of a suite for these cases; ConfigError if they cannot be read."""
    reader = read_cases(Source(cases=str(cases)), chunk=256, limit=256)
    first = next(iter(reader), None)
    errors = [one for one in reader.diagnostics if one.level == "error"]
    if errors or first is None:
        nothing = Diagnostic(code="empty-file", what="there are no cases in it", where=Where(file=str(cases)))
        raise ConfigError(errors or [nothing])
    stem = data_stem(cases)
    where = Path(os.path.relpath(cases, folder)).as_posix()
    head = f"name: {_scalar(stem)}\ncases: {_scalar(where)}\n\nevaluators:\n"
    body = _record_evaluators(first) if _holds_records(first) else "  - type: answer_quality\n"
    gate = "" if "name: fields" not in body else '\n# gate:\n#   fields.score: ">= 0.9"\n'
    return f"{stem}.eval.yaml", EDITOR + head + body + gate


def _holds_records(cases: Cases) -> bool:
    """Whether expected is structured, or text with JSON in it."""
    from fieldwise.score.batch import ScoringBatch

    return any(value is not MISSING and isinstance(value, dict | list) for value in ScoringBatch(cases).records.expected)


def _record_evaluators(cases: Cases) -> str:
    found = inferred(cases)
    rules = "".join(f"      - {_rule(rule):<72}  # {found.reasons.get(rule.text, '')}".rstrip(" #") + "\n" for rule in found.rules)
    lists = "".join(f"      {_scalar(_list_path(rule.path))}: {_aligned(rule)}\n" for rule in found.lists if rule.align != "index")
    listed = f"    lists:\n{lists}" if lists else ""
    return f"  - type: field_accuracy\n    name: fields\n    fields:\n{rules}{listed}  - type: field_prf\n{listed}"


def _rule(rule: FieldRule) -> str:
    parts = [f"path: {_scalar(rule.text)}", f"match: {rule.match.name}"]
    options = rule.match.options
    if is_dataclass(options):
        for option in fields(options):
            value = getattr(options, option.name)
            default = option.default if option.default is not NOTHING else None
            if value != default and value not in ((), frozenset()):
                parts.append(f"{option.name.rstrip('_')}: {_scalar(list(value) if isinstance(value, tuple | frozenset) else value)}")
    return "{" + ", ".join(parts) + "}"


def _list_path(path: FieldPath) -> str:
    """A list as a suite names it: by its items where its own path would say something else.

    >>> [_list_path(FieldPath(steps)) for steps in (("items",), (), ("rows", EACH))]
    ['items', '[*]', 'rows[*][*]']
    """
    return str(path) if path.steps and path.steps[-1] is not EACH else render((*path.steps, EACH))


def _aligned(rule: ListRule) -> str:
    return f"{{align: key, key: {_scalar(str(rule.key))}}}" if rule.align == "key" else f"{{align: {rule.align}}}"


def _scalar(value: Any) -> str:
    """A value as YAML reads it back; JSON is YAML."""
    if isinstance(value, str) and value.replace("_", "").replace(".", "").replace("/", "").isalnum() and not value[0].isdigit():
        plain = value.lower() not in ("null", "true", "false", "yes", "no", "on", "off", "y", "n")
        return value if plain and value.isascii() else json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False)
