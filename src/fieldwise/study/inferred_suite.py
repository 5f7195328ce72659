"""The suite of a stored run with the rules that were inferred for it, as if they had been written.

A run stores its inferred rules. For a run of a version that did not, they are inferred again from the stored cases, and used only if they
have the fingerprint of the run's rules: a run over a part of the data, or of redacted data, may have had others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from fieldwise.model.options import lacks_rules
from fieldwise.model.plan import Document, Plan, PlannedEvaluator
from fieldwise.plan.evaluators import get_evaluator_name
from fieldwise.plan.suite import build_plan
from fieldwise.read.table_files import load_json
from fieldwise.registry import EVALUATORS
from fieldwise.store.fingerprints import fingerprint_rules
from fieldwise.store.manifest import INFERRED_RULES, describe_inferred_rules
from fieldwise.store.run import Run
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
    inferring = [planned.name for planned in plan.evaluators if _uses_inferred_rules(planned)]
    if not inferring:
        return StoredSuite(document, plan, ())
    stored_rules = {str(entry["name"]): entry[INFERRED_RULES] for entry in run.manifest.evaluators if INFERRED_RULES in entry}
    if all(name in stored_rules for name in inferring):
        completed = _complete(document, {name: stored_rules[name] for name in inferring})
        return StoredSuite(completed, build_stored_plan(completed), ())
    return _infer_again(_RunKey(run))


def _complete(document: Document, rules: Mapping[str, Mapping[str, Any]]) -> Document:
    """The suite with rules written into it, by the names of their evaluators."""
    value: Any = copy_without_aliases(document.value)
    for options in value["evaluators"]:
        name = get_evaluator_name(options) if isinstance(options, dict) else None
        if name is not None and name in rules:
            _write_rules(options, rules[name]["fields"], rules[name]["lists"])
    return replace(document, value=value)


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
    completed = _complete(document, {name: describe_inferred_rules(inferred[name]) for name in same})
    return StoredSuite(completed, build_stored_plan(completed), tuple(name for name in inferring if name not in same))


def _uses_inferred_rules(planned: PlannedEvaluator) -> bool:
    return "fields" in EVALUATORS.find(planned.type).recomputes and lacks_rules(planned.config)


def _write_rules(options: dict[str, Any], fields: Sequence[Any], lists: Mapping[str, Any]) -> None:
    """Add the rules to the options of an evaluator; list rules of the suite are kept."""
    written = options.get("lists")
    own_lists: Mapping[str, Any] = written if isinstance(written, Mapping) else {}
    own_paths = {str(path).removesuffix("[*]") for path in own_lists}
    options["fields"] = list(fields)
    inferred_lists = {path: rule for path, rule in lists.items() if path.removesuffix("[*]") not in own_paths}
    if inferred_lists:
        options["lists"] = {**own_lists, **inferred_lists}
