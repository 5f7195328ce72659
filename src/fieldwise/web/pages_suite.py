"""The suite editor of the configuration page and of the test page: live check, completion, examples, saving, and a trial on records."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any, Final

import yaml
from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from fieldwise import registry
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.summary import GateResult, Metric
from fieldwise.model.values import MISSING
from fieldwise.report.result_text import count_metrics
from fieldwise.web.pages_case import ComparisonRow, EvaluatorPanel, join_differences, make_panel
from fieldwise.web.problems import JsonResponse, RequestProblem, make_problem
from fieldwise.web.render import render_response
from fieldwise.web.server import Server
from fieldwise.web.suite_completion import complete_suite
from fieldwise.web.suite_files import list_suites, read_suite, save_suite, version_of
from fieldwise.web.suite_text import CheckedSuite, check_suite_file, check_suite_for_records
from fieldwise.web.suite_trial import SuiteTrial, read_pasted_cases, try_suite

STARTER: Final = """name: invoices
cases: invoices.jsonl
evaluators:
  - type: field_accuracy
    fields:
      - {path: total, match: numeric_tolerance, tolerance: 0.01}
"""
TRIAL_STARTER: Final = "evaluators:\n  - type: field_accuracy\n"
_NEW_FILE: Final = "new.eval.yaml"
_MAX_PATHS: Final = 200
_MAX_SHOWN_CASES: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCase:
    """The results of one pasted case."""

    id: str
    panels: tuple[EvaluatorPanel, ...]
    differences: tuple[ComparisonRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialView:
    """A trial as the page shows it."""

    scores: tuple[tuple[str, str, Metric | None], ...]
    """Evaluator, type, mean score."""
    cases: tuple[TrialCase, ...]
    more: int
    """Number of cases that are not shown."""
    gates: tuple[GateResult, ...]
    run: str | None


def build_suite_pages(server: Server) -> APIRouter:
    """Routes that the suite editor calls."""
    routes = APIRouter(include_in_schema=False)

    @routes.post("/suite/check")
    async def check(request: Request) -> Response:
        form = await request.form()
        checked = await server.threads.run(_check_form, server, form)
        return render_response("_suite_checked.html", diagnostics=checked.diagnostics, is_valid=checked.is_valid)

    @routes.post("/suite/complete")
    async def complete(request: Request) -> JsonResponse:
        form = await request.form()
        text, cursor = str(form.get("suite", "")), str(form.get("cursor", ""))
        if not cursor.isdigit() or int(cursor) > len(text):
            raise make_problem(422, "bad-cursor", "`cursor` must be a position in the suite")
        completion = await server.threads.run(complete_suite, text, int(cursor), list_field_paths(str(form.get("expected", ""))))
        return JsonResponse(asdict(completion))

    @routes.get("/suite/example")
    async def example(evaluator: str) -> JsonResponse:
        return JsonResponse(make_example(evaluator))

    @routes.post("/suite/save")
    async def save(request: Request) -> Response:
        form = await request.form()
        name, text = str(form.get("file", "")).strip(), str(form.get("suite", ""))
        checked = await server.threads.run(_check_form, server, form)
        if not checked.is_valid:
            raise RequestProblem(422, [diagnostic for diagnostic in checked.diagnostics if diagnostic.level == "error"])
        await server.threads.run(save_suite, server.settings.workspace, name, text, str(form.get("suite_version", "")))
        address = f"/configuration?suite={name}&saved=suite"
        return Response(headers={"hx-redirect": address}) if "hx-request" in request.headers else RedirectResponse(address, 303)

    @routes.post("/suite/export")
    async def export(request: Request) -> Response:
        """The suite as the page shows it, saved or not."""
        form = await request.form()
        name = PurePosixPath(str(form.get("file", ""))).name or _NEW_FILE
        quoted = "".join(character if character.isascii() and (character.isalnum() or character in "._-") else "_" for character in name)
        headers = {"content-disposition": f'attachment; filename="{quoted}"'}
        return Response(str(form.get("suite", "")).replace("\r\n", "\n"), media_type="application/yaml", headers=headers)

    return routes


def editor_values(server: Server, name: str | None) -> dict[str, Any]:
    """The variables of the editor on the configuration page: a suite of the workspace, or a new one."""
    suites = list_suites(server.settings.workspace)
    text, problems = (STARTER, ()) if name is None else _read_named(server, name)
    is_saved = name is not None and not problems
    checked = (
        check_suite_file(text, server.settings.workspace, _folder_of(name)) if text.strip() else CheckedSuite(value={}, diagnostics=())
    )
    return {
        "suites": suites,
        "suite_file": name or _NEW_FILE,
        "suite_text": text,
        "suite_version": version_of(text) if is_saved else "",
        "suite_is_saved": is_saved,
        "suite_diagnostics": (*problems, *checked.diagnostics),
        "suite_is_valid": checked.is_valid and not problems,
    }


def _read_named(server: Server, name: str) -> tuple[str, tuple[Diagnostic, ...]]:
    try:
        return read_suite(server.settings.workspace, name), ()
    except RequestProblem as error:
        return STARTER, error.diagnostics


def _folder_of(name: str | None) -> str:
    folder = PurePosixPath(name or "").parent.as_posix()
    return "" if folder == "." else folder


def _check_form(server: Server, form: FormData) -> CheckedSuite:
    text = str(form.get("suite", ""))
    if form.get("purpose") == "records":
        return check_suite_for_records(text)
    return check_suite_file(text, server.settings.workspace, _folder_of(str(form.get("file", ""))))


def list_evaluators() -> list[str]:
    """The evaluators that the test page has an example of: those that call no program and no model."""
    specs = (registry.EVALUATORS.find(name) for name in registry.EVALUATORS.names())
    return [spec.name for spec in specs if not spec.is_judge and _find_example(spec) is not None]


def _find_example(spec: registry.EvaluatorSpec) -> registry.EvaluatorExample | None:
    return next((example for example in spec.examples if example.actual is not None), None)


def make_example(evaluator: str) -> dict[str, str]:
    """The suite and the records of an evaluator's example, as texts for the boxes of the test page."""
    spec = registry.EVALUATORS.find(evaluator) if evaluator in registry.EVALUATORS.names() else None
    example = None if spec is None else _find_example(spec)
    if example is None:
        raise make_problem(404, "no-example", "there is no example of that evaluator", "choose another one")
    options = json.loads(json.dumps({"type": evaluator, **example.options}, default=list))
    return {
        "suite": yaml.safe_dump({"evaluators": [options]}, sort_keys=False, allow_unicode=True),
        "expected": _format_side(example.expected),
        "actual": _format_side(example.actual),
    }


def _format_side(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False, default=list)


def list_field_paths(text: str) -> list[str]:
    """The fields of a pasted record, for completion: items of lists as `[*]`."""
    from fieldwise.read.json_text import decode_json

    line = text.strip().split("\n", 1)[0]
    for candidate in (text, line):
        value = decode_json(candidate.encode("utf-8", "surrogatepass")).value if candidate.strip() else MISSING
        if isinstance(value, dict):
            return list(dict.fromkeys(_iterate_paths(value, "")))[:_MAX_PATHS]
    return []


def _iterate_paths(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            step = f'["{key}"]' if "." in key or "[" in key else key
            yield from _iterate_paths(inner, step if not path or step.startswith("[") else f"{path}.{step}")
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for item in value[:5]:
            yield from _iterate_paths(item, f"{path}[*]")
    else:
        yield path


async def try_form(server: Server, form: FormData) -> tuple[TrialView | None, tuple[Diagnostic, ...]]:
    """Run the suite of the test form on its records; None if they or the suite are not valid."""
    texts = {name: str(form.get(name, "")) for name in ("expected", "actual", "input", "contexts")}
    checked = await server.threads.run(check_suite_for_records, str(form.get("suite", "")))
    cases, problems = read_pasted_cases(texts)
    diagnostics = (*checked.diagnostics, *problems)
    if any(diagnostic.level == "error" for diagnostic in diagnostics):
        return None, diagnostics
    root = server.settings.root if form.get("store") else None
    try:
        trial: SuiteTrial = await server.evaluations.run(try_suite, checked, cases, root)
    except (ConfigError, RequestProblem) as error:
        return None, (*diagnostics, *error.diagnostics)
    return make_trial_view(trial), (*diagnostics, *trial.diagnostics)


def make_trial_view(trial: SuiteTrial) -> TrialView:
    """The results of a trial, case by case, with causes."""
    by_case: dict[str, list[EvaluatorPanel]] = {}
    for case, evaluator, result in trial.results:
        counts = count_metrics(trial.evaluators.get(evaluator, ""))
        panel = make_panel(evaluator, result, trial.rules.get(evaluator, {}), trial.actuals.get(case, MISSING), counts)
        by_case.setdefault(case, []).append(panel)
    shown = list(by_case.items())[:_MAX_SHOWN_CASES]
    return TrialView(
        scores=tuple((name, kind, trial.scores.get(name)) for name, kind in trial.evaluators.items()),
        cases=tuple(TrialCase(id=case, panels=tuple(panels), differences=join_differences(panels)) for case, panels in shown),
        more=len(by_case) - len(shown),
        gates=tuple(trial.gates),
        run=trial.run,
    )
