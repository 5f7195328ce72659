"""The suite of a stored run with the rules that were inferred for it, as if they had been written.

A run stores the cases, the suite and a fingerprint of the rules of each evaluator. The rules are inferred again from the stored cases, and
used only if they have the fingerprint of the run's rules: a run over a part of the data, or of redacted data, may have had others.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from fieldwise.model.options import lacks_rules
from fieldwise.model.path import EACH, render_path
from fieldwise.model.path import Path as FieldPath
from fieldwise.model.plan import Document, Plan, PlannedEvaluator
from fieldwise.model.rule import ListRule
from fieldwise.plan.evaluators import get_evaluator_name
from fieldwise.plan.suite import build_plan
from fieldwise.read.table_files import load_json
from fieldwise.registry import EVALUATORS
from fieldwise.store.fingerprints import fingerprint_rules
from fieldwise.store.run import Run
from fieldwise.study.rule_suggestions import write_rule
from fieldwise.study.settings import copy_without_aliases, read_stored_suite
from fieldwise.study.system_values import rebuild_plan


@dataclass(frozen=True, slots=True)
class StoredSuite:
    """The suite of a run, with inferred rules where they can be inferred again."""

    document: Document
    plan: Plan
    without_rules: tuple[str, ...]
    """The evaluators whose rules were inferred from other data than the run stores."""


def build_stored_plan(document: Document) -> Plan:
    """The plan of a stored suite; files that it names are read from its folder."""
    folder = Path(document.file).parent if document.file else Path.cwd()
    return build_plan(document, load=lambda path: load_json(folder / path), resolve=lambda path: str(folder / path))


def read_suite_with_rules(run: Run) -> StoredSuite:
    """The suite that is stored with a run, with its inferred rules written into it. ConfigError if it cannot be read."""
    document = read_stored_suite(run.manifest.suite, run.manifest.suite_file)
    plan = build_stored_plan(document)
    if not any(_uses_inferred_rules(planned) for planned in plan.evaluators):
        return StoredSuite(document, plan, ())
    return _infer_again(_RunKey(run))


class _RunKey:
    """A key that is the same for every opening of a finished run."""

    __slots__ = ("_identity", "run")

    def __init__(self, run: Run) -> None:
        self.run = run
        self._identity = (str(run.path), run.id, run.finished)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _RunKey) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)


@lru_cache(maxsize=4)  # safe: a finished run does not change. Reading all its cases for each move of a slider took seconds.
def _infer_again(key: _RunKey) -> StoredSuite:
    run = key.run
    document = read_stored_suite(run.manifest.suite, run.manifest.suite_file)
    plan = build_stored_plan(document)
    inferring = [planned.name for planned in plan.evaluators if _uses_inferred_rules(planned)]
    stored_rules = {str(entry["name"]): entry.get("rules") for entry in run.manifest.evaluators}
    inferred = {planned.name: planned for planned in rebuild_plan(run).evaluators}
    same = [name for name in inferring if fingerprint_rules(inferred[name]) == stored_rules.get(name)]
    value: Any = copy_without_aliases(document.value)
    for options in value["evaluators"]:
        name = get_evaluator_name(options) if isinstance(options, dict) else None
        if name is not None and name in same:
            _write_rules(options, inferred[name].config)
    completed = replace(document, value=value)
    return StoredSuite(completed, build_stored_plan(completed), tuple(name for name in inferring if name not in same))


def _uses_inferred_rules(planned: PlannedEvaluator) -> bool:
    return "fields" in EVALUATORS.find(planned.type).recomputes and lacks_rules(planned.config)


def _write_rules(options: dict[str, Any], config: Any) -> None:
    """Add the rules to the options of an evaluator; list rules of the suite are kept."""
    written = options.get("lists")
    own_lists: Mapping[str, Any] = written if isinstance(written, Mapping) else {}
    own_paths = {str(path).removesuffix("[*]") for path in own_lists}
    options["fields"] = [write_rule(rule) for rule in config.fields]
    inferred_lists = {
        _write_list_path(rule.path): _write_list_rule(rule) for rule in config.lists if str(rule.path).removesuffix("[*]") not in own_paths
    }
    if inferred_lists:
        options["lists"] = {**own_lists, **inferred_lists}


def _write_list_path(path: FieldPath) -> str:
    """The path of a list in a suite: with `[*]` where the path of the list itself would be ambiguous."""
    return str(path) if path.steps and path.steps[-1] is not EACH else render_path((*path.steps, EACH))


def _write_list_rule(rule: ListRule) -> dict[str, Any]:
    if rule.align == "key":
        return {"align": "key", "key": str(rule.key)}
    return {"align": "best", "at_least": rule.at_least} if rule.align == "best" else {"align": rule.align}
