"""Requests turned into what the engine takes, and its answers into JSON."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import yaml

from fieldwise import api, registry
from fieldwise.model.ask import Asking, Nobody
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING
from fieldwise.plan.evaluators import plan_config
from fieldwise.report.json_report import result_json
from fieldwise.store.run import Run
from fieldwise.web.configuration import OPTIONS, Configuration, check

CASES: Final = "cases.jsonl"
_OPTIONS: Final = ("field_strategies", *OPTIONS)


class Written(dict[str, Any]):
    """A suite that a request gave; its text, which is kept with the run, is YAML as in a file."""

    def __str__(self) -> str:
        """The text of the suite."""
        return yaml.safe_dump(json.loads(json.dumps(dict(self))), sort_keys=False, allow_unicode=True)


NOBODY = Asking(nobody=True)
"""What strangers send makes this server ask nobody: no model, no program, whatever an option says."""


def evaluators_of(given: Mapping[str, Any], saved: Configuration) -> list[dict[str, Any]]:
    """The evaluators that a request asks for; ConfigError with everything that is wrong with them."""
    written = given.get("evaluators")
    if written is None:
        configuration = saved.over(given)
        check(configuration)
        return [configuration.evaluator()]
    found = [
        Diagnostic(
            code="repeated-option",
            what=f"`{name}` is an option of response quality, and `evaluators` are given in its place",
            fix=f"write it into an evaluator: {{type: json_quality, {'strategies' if name == 'field_strategies' else name}: …}}",
        )
        for name in _OPTIONS
        if given.get(name) is not None
    ]
    for place, one in enumerate(written):
        found += _refused(one, f"evaluators[{place}]")
    if not found:
        for place, one in enumerate(written):
            found += _checked(one, f"evaluators[{place}]")
    if found:
        raise ConfigError(found)
    return [dict(one) for one in written]


def _checked(one: Mapping[str, Any], place: str) -> list[Diagnostic]:
    """What is wrong with one evaluator. Nothing that the server can read is read for it."""
    try:
        plan_config(one)
    except ConfigError as error:
        return [
            Diagnostic(code=each.code, what=each.what, fix=each.fix, level=each.level, where=Where(field=each.where.field or place))
            for each in error.diagnostics
        ]
    return []


def _refused(value: Any, place: str) -> list[Diagnostic]:
    """Judges in it, however deep: they run programs or ask other machines, which is for whoever runs the server to do."""
    if isinstance(value, list):
        return [found for at, inner in enumerate(value) for found in _refused(inner, f"{place}[{at}]")]
    if not isinstance(value, dict):
        return []
    found = [each for name, inner in value.items() for each in _refused(inner, f"{place}.{name}")]
    kind = value.get("type")
    if isinstance(kind, str) and kind in registry.EVALUATORS.names() and registry.EVALUATORS.find(kind).is_judge:
        what, fix = f"`{kind}` runs a program or asks a model, and the API does neither", "use it in a suite, with `fieldwise run`"
        found.append(Diagnostic(code="judge-refused", what=what, where=Where(field=place), fix=fix))
    return found


def evaluate_case(case: Mapping[str, Any], evaluators: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What each evaluator says of one case."""
    sides: dict[str, Any] = {side: case.get(side, MISSING) for side in ("expected", "actual")}
    name = str(case.get("id") or "1")
    found: list[dict[str, Any]] = []
    for config in evaluators:
        result = api.evaluate(
            config,
            **sides,
            input=case.get("input"),
            contexts=case.get("contexts"),
            id=name,
            metadata=case.get("metadata"),
            asker=Nobody(),
        )
        found.append(result_json(name, str(config.get("name", config["type"])), result))
    return found


def first_result(case: Mapping[str, Any], configuration: Configuration) -> Result:
    """What response quality says of one case."""
    sides: dict[str, Any] = {side: case.get(side, MISSING) for side in ("expected", "actual")}
    return api.evaluate(configuration.evaluator(), **sides, id=str(case.get("id") or "1"), asker=Nobody())


def run_cases(cases: Sequence[Mapping[str, Any]], evaluators: Sequence[Mapping[str, Any]], name: str, root: str | Path) -> Run:
    """A stored run over these cases."""
    with tempfile.TemporaryDirectory(prefix="fieldwise-") as folder:
        path = Path(folder) / CASES
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(dict(case)) + "\n" for case in cases)
        return run_file({"cases": str(path)}, evaluators, name, root)


def run_file(source: Mapping[str, Any], evaluators: Sequence[Mapping[str, Any]], name: str, root: str | Path, **options: Any) -> Run:
    """A stored run over files that are there: `{cases: …}` or `{expected: …, actual: …}`. Options are those of `fieldwise.run`."""
    suite: dict[str, Any] = {"name": name, "evaluators": list(evaluators)}
    if "cases" in source:  # not part of the suite: where an upload was put says nothing later
        return api.run(Written(suite), cases=source["cases"], root=root, asking=NOBODY, **options)
    return api.run(Written({**suite, "cases": dict(source)}), root=root, asking=NOBODY, **options)


def run_document(run: Run, *, results: bool = True) -> dict[str, Any]:
    """A run as `fieldwise run --format json` prints it."""
    manifest = run.manifest
    known = {
        "run": {
            "id": run.id,
            "name": run.name,
            "suite": manifest.suite_file,
            "started": run.started.isoformat(),
            "finished": None if run.finished is None else run.finished.isoformat(),
            "path": str(run.path),
            "fieldwise": manifest.package,
            "exit_code": run.exit_code,
            "fingerprints": dict(manifest.fingerprints),
            "environment": dict(manifest.environment),
        },
        "summary": {
            "cases": run.full.cases,
            "metrics": run.full.flat(),
            "evaluators": {name: asdict(one) for name, one in run.full.evaluators.items()},
        },
        "gates": [asdict(gate) for gate in run.gates],
        "diagnostics": [one.to_json() for one in run.diagnostics],
    }
    return {**known, "results": [result_json(one.case, one.evaluator, one.result) for one in run.results()]} if results else known
