"""Evaluate the cases of requests, and convert runs to JSON."""

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import yaml

from fieldwise import api, registry
from fieldwise.model.ask import Asking, DisabledAsker
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.plan import KeyPath
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING
from fieldwise.plan.evaluators import plan_config
from fieldwise.read.given_data import RequestFile
from fieldwise.report.json_report import run_facts_to_json, run_summary_to_json
from fieldwise.report.result_text import result_to_json
from fieldwise.report.run_view import build_run_view
from fieldwise.report.text_format import dump_json
from fieldwise.store.errors import Interrupted
from fieldwise.store.run import Run
from fieldwise.web.configuration import OPTIONS, Configuration, check_configuration

CASES: Final = "cases.jsonl"
_OPTIONS: Final = ("field_strategies", *OPTIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTarget:
    """Where a requested run is stored, and under which name."""

    name: str
    root: str | Path | None
    """None: nowhere, the response has everything."""
    max_cases: int
    """The results of more cases are not in the response."""


class RequestedSuite(dict[str, Any]):
    """A suite from a request; its text, which is stored with the run, is YAML as in a file."""

    def __str__(self) -> str:
        """The YAML of the suite."""
        return yaml.safe_dump(json.loads(json.dumps(dict(self))), sort_keys=False, allow_unicode=True)


NO_MODELS = Asking(disabled=True)
"""Requests never cause calls of models or programs, whatever their options."""


def evaluators_from_request(options: Mapping[str, Any], saved: Configuration) -> list[dict[str, Any]]:
    """The evaluators of a request; ConfigError with every problem."""
    evaluators = options.get("evaluators")
    if evaluators is None:
        configuration = saved.override(options)
        check_configuration(configuration)
        return [configuration.to_evaluator()]
    diagnostics: list[Diagnostic] = []
    for name in _OPTIONS:
        if options.get(name) is not None:
            option = "strategies" if name == "field_strategies" else name
            what = f"`{name}` is an option of response quality, which `evaluators` replace"
            fix = f"write it into an evaluator: {{type: json_quality, {option}: …}}"
            diagnostics.append(Diagnostic(code="repeated-option", what=what, fix=fix))
    for index, evaluator in enumerate(evaluators):
        for place, diagnostic in find_judges(evaluator, ("evaluators", index)):
            diagnostics.append(replace(diagnostic, where=Where(field=_render_place(place))))
    if not diagnostics:
        for index, evaluator in enumerate(evaluators):
            diagnostics += _check_evaluator(evaluator, f"evaluators[{index}]")
    if diagnostics:
        raise ConfigError(diagnostics)
    return [dict(evaluator) for evaluator in evaluators]


def used_configuration(options: Mapping[str, Any], saved: Configuration) -> dict[str, Any]:
    """The configuration of a request as its answer repeats it: of response quality, or the evaluators of the request."""
    if options.get("evaluators"):
        return {"evaluators": [dict(evaluator) for evaluator in options["evaluators"]]}
    return saved.override(options).to_json()


def _check_evaluator(evaluator: Mapping[str, Any], path: str) -> list[Diagnostic]:
    """Every problem of one evaluator. No file is read, even if an option names one."""
    try:
        plan_config(evaluator)
    except ConfigError as error:
        return [replace(diagnostic, where=Where(field=diagnostic.where.field or path)) for diagnostic in error.diagnostics]
    return []


def find_judges(value: Any, place: KeyPath) -> list[tuple[KeyPath, Diagnostic]]:
    """The place of each judge at any depth: judges run programs or call models, which requests may not do."""
    judges: list[tuple[KeyPath, Diagnostic]] = []
    if isinstance(value, list):
        for index, inner in enumerate(value):
            judges += find_judges(inner, (*place, index))
    elif isinstance(value, dict):
        for name, inner in value.items():
            judges += find_judges(inner, (*place, name))
        kind = value.get("type")
        if isinstance(kind, str) and kind in registry.EVALUATORS.names() and registry.EVALUATORS.find(kind).is_judge:
            what, fix = f"`{kind}` runs a program or calls a model, and the API does neither", "use it in a suite, with `fieldwise run`"
            judges.append((place, Diagnostic(code="judge-refused", what=what, fix=fix)))
    return judges


def _render_place(place: KeyPath) -> str:
    """
    >>> _render_place(("evaluators", 0, "members", 2))
    'evaluators[0].members[2]'
    """
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).lstrip(".")


def evaluate_request(
    case: Mapping[str, Any], options: Mapping[str, Any], saved: Configuration, root: str | Path
) -> tuple[list[dict[str, Any]], str | None]:
    """The results of one case, and the id of its run if the request stores it. Called in a worker process."""
    evaluators = evaluators_from_request(options, saved)
    results = evaluate_case(case, evaluators)
    run = run_cases([case], evaluators, str(options.get("name", "evaluation")), root) if options.get("store") else None
    return results, None if run is None else run.id


def run_request(
    source: Mapping[str, Any] | Sequence[Mapping[str, Any]], options: Mapping[str, Any], saved: Configuration, target: RunTarget
) -> bytes:
    """The JSON document of a run over cases or files. Called in a worker process."""
    evaluators = evaluators_from_request(options, saved)
    used = {"configuration": used_configuration(options, saved)}
    if target.root is not None:
        run = _run_source(source, evaluators, target.name, target.root)
        return dump_json(_limit_results(run, target.max_cases) | used).encode()
    with tempfile.TemporaryDirectory(prefix="fieldwise-") as folder:
        return dump_json(run_document(_run_source(source, evaluators, target.name, Path(folder))) | used).encode()


def _run_source(
    source: Mapping[str, Any] | Sequence[Mapping[str, Any]], evaluators: Sequence[Mapping[str, Any]], name: str, root: str | Path
) -> Run:
    if isinstance(source, Mapping):
        return run_files(source, evaluators, name, root)
    return run_cases(source, evaluators, name, root)


def _limit_results(run: Run, max_cases: int) -> dict[str, Any]:
    """The document of a run, without results if it has more cases than a request may."""
    if run.full.cases <= max_cases:
        return run_document(run)
    what = f"the run has {run.full.cases:,} cases, so its results are not repeated here"
    fix = f"GET /api/v1/runs/{run.id}/results returns them page by page"
    note = Diagnostic(code="results-elsewhere", level="info", what=what, fix=fix)
    document = run_document(run, results=False)
    return {**document, "diagnostics": [*document["diagnostics"], note.to_json()], "results": []}


def run_job(
    source: Mapping[str, str],
    evaluators: Sequence[Mapping[str, Any]],
    name: str,
    root: str | Path,
    resume: str | None,
    report: Callable[[tuple[str, Any]], None],
) -> tuple[str, int]:
    """Score the cases of a job, and return the id of the run and its number of cases. Called in a worker process.

    Reports ("start", id of the run) and ("progress", (cases done, share)).
    """

    def on_progress(done: int, share: float | None) -> None:
        report(("progress", (done, share)))

    def on_start(run_id: str) -> None:
        report(("start", run_id))

    try:
        run = run_files(source, evaluators, name, root, progress=on_progress, on_start=on_start, resume=resume or False)
    except Interrupted as interruption:  # possibly before `on_start`, when the run has a folder already
        on_start(interruption.run)
        raise
    return run.id, run.full.cases


def evaluate_case(case: Mapping[str, Any], evaluators: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Evaluate one case with each evaluator; results as JSON."""
    sides: dict[str, Any] = {side: case.get(side, MISSING) for side in ("expected", "actual")}
    case_id = str(case.get("id") or "1")
    results: list[dict[str, Any]] = []
    for config in evaluators:
        result = api.evaluate(
            config,
            **sides,
            input=case.get("input"),
            contexts=case.get("contexts"),
            id=case_id,
            metadata=case.get("metadata"),
            actuals=case.get("actuals"),
            asker=DisabledAsker(),
        )
        results.append(result_to_json(case_id, str(config.get("name", config["type"])), result))
    return results


def evaluate_quality(case: Mapping[str, Any], configuration: Configuration) -> Result:
    """Evaluate the response quality of one case."""
    sides: dict[str, Any] = {side: case.get(side, MISSING) for side in ("expected", "actual")}
    return api.evaluate(configuration.to_evaluator(), **sides, id=str(case.get("id") or "1"), asker=DisabledAsker())


def run_cases(cases: Sequence[Mapping[str, Any]], evaluators: Sequence[Mapping[str, Any]], name: str, root: str | Path) -> Run:
    """Score cases and store the run."""
    with tempfile.TemporaryDirectory(prefix="fieldwise-") as folder:
        path = Path(folder) / CASES
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(dict(case)) + "\n" for case in cases)
        return run_files({"cases": RequestFile(path)}, evaluators, name, root)


def run_files(source: Mapping[str, Any], evaluators: Sequence[Mapping[str, Any]], name: str, root: str | Path, **options: Any) -> Run:
    """Score files, `{cases: …}` or `{expected: …, actual: …}`, and store the run. Options are those of `fieldwise.run`."""
    suite: dict[str, Any] = {"name": name, "evaluators": list(evaluators)}
    if "cases" in source:  # not part of the stored suite: cases of a request have no path
        return api.run(RequestedSuite(suite), cases=source["cases"], root=root, asking=NO_MODELS, **options)
    return api.run(RequestedSuite({**suite, "cases": dict(source)}), root=root, asking=NO_MODELS, **options)


def run_document(run: Run, *, results: bool = True) -> dict[str, Any]:
    """A run as `fieldwise run --format json` prints it."""
    view = build_run_view(run)
    document: dict[str, Any] = {
        "run": run_facts_to_json(view),
        "summary": run_summary_to_json(view),
        "gates": [asdict(gate) for gate in run.gates],
        "diagnostics": [diagnostic.to_json() for diagnostic in run.diagnostics],
    }
    if results:
        document["results"] = [result_to_json(stored.case, stored.evaluator, stored.result) for stored in run.results()]
    return document
