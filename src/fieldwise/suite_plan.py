"""Compile a suite to a plan: the first step of `check` and of a run. Imports nothing that scores or stores, to start fast."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.path import Path as FieldPath
from fieldwise.model.plan import Document, KeyPath, Plan, PlannedEvaluator, Regression
from fieldwise.model.rule import FieldRule, ListRule
from fieldwise.plan.gates import POLICY, parse_run_gate
from fieldwise.plan.suite import build_plan
from fieldwise.read.corrections import read_corrections
from fieldwise.read.given_data import IdsOfSides, replace_data
from fieldwise.read.suite import read_document
from fieldwise.read.table_files import load_json
from fieldwise.registry import nearest

_PATH_OPTIONS: Final = frozenset({"path", "paths", "field", "fields", "strategies", "similarities", "prices", "thresholds", "require"})
"""Options that name fields, as text, in a list or as the keys of an object."""
_EXPRESSION_OPTIONS: Final = frozenset({"if_", "check", "then", "equals", "sum"})
"""Options of the rules of `constraints`."""
_TEXT_LITERAL: Final = re.compile(r"""(?<!\[)(?:"[^"]*"|'[^']*')""")
_EXPRESSION_PATH: Final = re.compile(r"[^\W\d]\w*(?:\.\w+|\[[^\]]*\])*")


def compile_suite(
    suite: str | Path | Mapping[str, Any],
    *,
    cases: object = None,
    expected: object = None,
    actual: object = None,
    on: IdsOfSides | None = None,
    gates: Sequence[str] = (),
    root: str | Path | None = None,
) -> Plan:
    """Compile a suite to a plan, or raise ConfigError with all problems of the suite itself; its cases are not read.

    `cases`, `expected`, `actual` and `on` replace the suite's data, as in `run`.
    """
    if not isinstance(suite, Mapping | str | os.PathLike):  # pyright: ignore[reportUnnecessaryIsInstance] - the annotation does not stop callers
        what, fix = f"a suite cannot be given as `{type(suite).__name__}`", "give the path of a YAML file, or a mapping with `evaluators`"
        raise ConfigError([Diagnostic(code="not-a-suite", what=what, fix=fix)])
    document = Document(value=dict(suite), text=str(suite)) if isinstance(suite, Mapping) else read_document(suite)
    folder = Path.cwd() if isinstance(suite, Mapping) else Path(suite).parent
    plan = build_plan(document, load=lambda path: load_json(folder / path), resolve=lambda path: str(folder / path))
    plan = replace(plan, source=replace_data(plan.source, cases=cases, expected=expected, actual=actual, on=on))
    if plan.source is None or not (plan.source.cases or plan.source.expected):
        what, fix = "the suite names no cases", "add `cases: data.jsonl`, give `cases=` in Python, or --cases on the command line"
        raise ConfigError([Diagnostic(code="no-cases", what=what, where=Where(file=plan.file), fix=fix)])
    corrections = None if plan.source.corrections_file is None else read_corrections(plan.source.corrections_file)
    plan = replace(plan, source=replace(plan.source, named_fields=_list_named_fields(plan.evaluators), corrections=corrections))
    assert plan.source is not None
    if (plan.source.cases or "").startswith("run:"):
        from fieldwise.store.rerun import use_stored_cases

        plan = use_stored_cases(plan, root)
    for text in gates:
        gate, warnings = parse_run_gate(text, plan.evaluators)
        plan = replace(plan, diagnostics=(*plan.diagnostics, *warnings))
        if isinstance(gate, Regression):
            plan = replace(plan, regressions=(*plan.regressions, gate))
        else:
            plan = replace(plan, gates=(*plan.gates, gate))
    _require_programs(plan, document)
    _require_readable_policy(plan)
    return plan


def _require_programs(plan: Plan, document: Document) -> None:
    """Raise ConfigError if the script or program of a judge does not exist or cannot be executed."""
    problems: dict[Diagnostic, None] = {}  # a member may be an evaluator of the suite: reported once
    for key_path, planned in _iterate_evaluators(plan.evaluators):
        script = getattr(planned.config, "script", None)
        if isinstance(script, str):
            problem = _find_script_problem(Path(script))
        elif isinstance(script, tuple):
            problem = _find_program_problem(cast("tuple[str, ...]", script)[0], Path(getattr(planned.config, "cwd", ".")))
        else:
            continue
        if problem is not None:
            what, fix = problem
            where = Where(file=plan.file, line=document.line_of((*key_path, "script")))
            problems[Diagnostic(code="no-script", what=f"`{planned.name}`: {what}", where=where, fix=fix)] = None
    if problems:
        raise ConfigError(list(problems))


def _find_script_problem(script: Path) -> tuple[str, str] | None:
    """What is wrong with a script, and how to fix it; None if it can be started."""
    if not _may_exist(script):
        return f"there is no script {script}", _suggest_script(script)
    if script.suffix != ".py" and not os.access(script, os.X_OK):
        return f"{script} is not executable", f'run `chmod +x {script.name}`, or write `script: ["interpreter", "{script.name}"]`'
    return None


def _find_program_problem(program: str, folder: Path) -> tuple[str, str] | None:
    """What is wrong with a program that is started in a folder, and how to fix it; None if it can be started."""
    if "/" not in program:
        from shutil import which  # few suites start a program

        if which(program) is not None:
            return None
        hint = f"there is a file of this name: write `./{program}`" if (folder / program).is_file() else "install it, or give its full path"
        return f"there is no program `{program}` on the PATH", hint
    path = folder / program  # an absolute program replaces the folder
    if not _may_exist(path):
        return f"there is no program {path}", _suggest_script(path)
    if not os.access(path, os.X_OK):
        return f"{path} is not executable", f"run `chmod +x {path.name}`, or put its interpreter before it"
    return None


def _may_exist(script: Path) -> bool:
    """True for a file, and for one in a folder that may not be read: starting it says why it cannot."""
    try:
        return script.is_file()
    except PermissionError:
        return True


def _suggest_script(script: Path) -> str:
    if " " in script.name:
        return f"a program and its arguments are a list: [{', '.join(script.name.split())}]"
    files: list[str] = []
    with suppress(OSError):  # the folder may be closed, or not there
        files = sorted(file.name for file in script.parent.iterdir() if file.is_file())
    similar = nearest(script.name, files)
    return f"did you mean `{similar}`?" if similar else "paths are relative to the suite"


def _iterate_evaluators(evaluators: Iterable[PlannedEvaluator], parent: KeyPath = ()) -> Iterator[tuple[KeyPath, PlannedEvaluator]]:
    """Every evaluator, and the members of composite ones, each with its place in the suite."""
    for index, planned in enumerate(evaluators):
        key_path = (*parent, "evaluators", index)
        yield key_path, planned
        members = getattr(planned.config, "evaluators", ())
        yield from _iterate_evaluators((member.evaluator for member in members), key_path)


def _require_readable_policy(plan: Plan) -> None:
    """Raise ConfigError if the policy of the suite cannot be read, or a gate needs one and there is none."""
    if plan.policy is not None:
        from fieldwise.read.policy_file import load_policy  # few suites have one

        load_policy(plan.policy)
    elif any(gate.evaluator == POLICY for gate in plan.gates):
        what, fix = "the gate `policy.holds` needs a policy, and the suite names none", "add `policy: policy.json` to the suite"
        raise ConfigError([Diagnostic(code="no-policy", what=what, where=Where(file=plan.file), fix=fix)])


def _list_named_fields(evaluators: Iterable[PlannedEvaluator]) -> frozenset[str]:
    """The paths that rules name: of fields, items, strategies, prices, expressions and schemas.

    Options that only look like one (the label of a box, the column of a judge) are none.
    """
    return frozenset(path for planned in evaluators for path in _iterate_paths(planned.config))


def _iterate_paths(config: Any) -> Iterator[str]:
    """The paths that the options of an evaluator, or of a part of it, name."""
    if isinstance(config, FieldRule):
        if config.path is not None:
            yield str(config.path)
        return
    for name, value in _list_options(config):
        yield from _iterate_paths_in_option(name, value)
        for part in cast("Iterable[Any]", value if isinstance(value, list | tuple) else (value,)):
            if is_dataclass(part) and not isinstance(part, type | ListRule | FieldPath):
                yield from _iterate_paths(part)


def _iterate_paths_in_option(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, FieldPath):
        yield str(value)
    elif name in _PATH_OPTIONS:
        yield from _iterate_texts(value)
    elif name in _EXPRESSION_OPTIONS:
        for text in _iterate_texts(value):
            yield from _EXPRESSION_PATH.findall(_TEXT_LITERAL.sub("", text))
    elif name == "schema" and isinstance(value, Mapping):
        yield from _iterate_properties(cast("Mapping[str, Any]", value), ())


def _list_options(config: Any) -> Iterator[tuple[str, Any]]:
    if is_dataclass(config) and not isinstance(config, type):
        for option in fields(config):
            yield option.name, getattr(config, option.name)


def _iterate_texts(value: Any) -> Iterator[str]:
    """The text itself, the texts of a list, or the keys of an object."""
    items = cast("Iterable[Any]", value if isinstance(value, Mapping | list | tuple) else (value,))
    for item in items:
        if isinstance(item, str) and item:
            yield item


def _iterate_properties(schema: Mapping[str, Any], parent: tuple[str, ...]) -> Iterator[str]:
    """The paths of the properties of a JSON Schema, as far as they are written inside one another."""
    names = [*cast("Iterable[Any]", schema.get("required") or ()), *cast("Iterable[Any]", schema.get("properties") or ())]
    for name in names:
        yield str(FieldPath((*parent, str(name))))
    for name, part in cast("Mapping[str, Any]", schema.get("properties") or {}).items():
        if isinstance(part, Mapping):
            yield from _iterate_properties(cast("Mapping[str, Any]", part), (*parent, str(name)))
