"""The pages with forms: the configuration, and the test of one evaluation with its score explained."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import RedirectResponse, Response

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING
from fieldwise.read.json_text import decode_json
from fieldwise.report.html import grade_score
from fieldwise.web import configuration
from fieldwise.web.api_configuration import save_configuration
from fieldwise.web.configuration import OPTIONS, QUALITY_FILE, STRATEGIES_FILE, THRESHOLDS, WEIGHTS, Configuration, make_configuration
from fieldwise.web.evaluation import evaluate_quality, evaluate_request
from fieldwise.web.pages_case import MAX_ROWS, ComparisonRow, make_row
from fieldwise.web.pages_suite import TRIAL_STARTER, editor_values, list_evaluators, try_form
from fieldwise.web.problems import RequestProblem
from fieldwise.web.render import render_response
from fieldwise.web.server import Server
from fieldwise.web.suite_text import check_suite_for_records

_MAX_FORM_FIELDS: Final = 2 * configuration.MAX_STRATEGIES + 50
SIDES: Final = ("expected", "actual")
BUCKET_TEXTS: Final = (
    ("both_non_null", "a value on both sides: compared for accuracy"),
    ("gt_non_null", "a value is expected"),
    ("aio_missing_or_null", "a value is expected, the actual is missing or null"),
    ("gt_null_aio_has_value", "null is expected, the actual has a value"),
    ("extra_keys", "the key is not expected"),
)
FLAG_TEXTS: Final = {
    "cut_off_output": "The output breaks off; its complete fields were read",
    "repaired_json": "The JSON in the text was read after repair",
    "unmeasured_safety": "Safety was not measured and counts as 1",
    "vacuous_accuracy": "Nothing could be compared, so accuracy is 1",
    "vacuous_completeness": "Nothing was expected, so completeness is 1",
}


@dataclass(frozen=True, slots=True)
class BreakdownLine:
    """A number with its formula."""

    name: str
    value: str
    formula: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityBreakdown:
    """The response quality of one case with its arithmetic. The numbers are those of the evaluator."""

    score: str
    grade: str
    verdict: str
    lines: tuple[BreakdownLine, ...]
    buckets: tuple[tuple[str, str, tuple[str, ...]], ...]
    rows: tuple[ComparisonRow, ...]
    flags: tuple[str, ...]
    run: str | None
    """The id of the run that it was stored as."""


def build_form_pages(server: Server) -> APIRouter:
    """Routes of the configuration page and the test page."""
    routes = APIRouter(include_in_schema=False)
    routes.include_router(_configuration_routes(server))
    routes.include_router(_export_routes(server))
    routes.include_router(_test_routes(server))
    return routes


def _configuration_routes(server: Server) -> APIRouter:
    routes = APIRouter()

    @routes.get("/configuration")
    async def show(saved: str | None = None, suite: Annotated[str | None, Query(max_length=500)] = None) -> Response:
        values, broken = _saved_values(server)
        diagnostics = configuration.find_option_problems(values)
        return _configuration_page(server, values, suite=suite or None, saved=saved or "", broken=broken, diagnostics=diagnostics)

    @routes.post("/configuration")
    async def save(request: Request) -> Response:
        form = await request.form(max_fields=_MAX_FORM_FIELDS)
        options, repeated = read_form(form)
        try:
            if repeated:
                raise RequestProblem(422, repeated)
            save_configuration(server, options, str(form.get("version", "")) or None)
        except RequestProblem as error:
            values = make_configuration(options).to_json()
            return _configuration_page(server, values, status=error.status_code, diagnostics=error.diagnostics)
        if "hx-request" in request.headers:
            return Response(headers={"hx-redirect": "/configuration?saved=yes"})
        return RedirectResponse("/configuration?saved=yes", status_code=303)

    @routes.post("/configuration/check")
    async def check(request: Request) -> Response:
        options, repeated = read_form(await request.form(max_fields=_MAX_FORM_FIELDS))
        return render_response("_checked.html", diagnostics=(*repeated, *configuration.find_option_problems(options)))

    @routes.post("/configuration/import")
    async def import_strategies(request: Request) -> Response:
        file = (await request.form()).get("file")
        content = await file.read() if isinstance(file, UploadFile) else b""
        try:
            strategies = configuration.parse_strategies_file(content)
        except ConfigError as error:
            values, _ = _saved_values(server)
            return render_response("_strategies.html", values=values, wrong=error.diagnostics)
        return render_response("_strategies.html", values={"field_strategies": strategies}, wrong=())

    return routes


def _export_routes(server: Server) -> APIRouter:
    routes = APIRouter()

    @routes.post("/configuration/export")
    async def export_form(request: Request) -> Response:
        """The strategies as the page shows them, saved or not."""
        options, repeated = read_form(await request.form(max_fields=_MAX_FORM_FIELDS))
        if repeated:
            return _configuration_page(server, make_configuration(options).to_json(), status=422, diagnostics=repeated)
        return _strategies_download(make_configuration(options))

    @routes.get("/configuration/export")
    async def export_strategies() -> Response:
        return _strategies_download(server.load_configuration())

    return routes


def _strategies_download(shown: Configuration) -> Response:
    headers = {"content-disposition": f'attachment; filename="{STRATEGIES_FILE}"'}
    return Response(configuration.strategies_text(shown), media_type="application/json", headers=headers)


def _test_routes(server: Server) -> APIRouter:
    routes = APIRouter()

    @routes.get("/test-evaluations")
    async def redirect() -> Response:
        return RedirectResponse("/test", status_code=308)

    @routes.get("/test")
    async def show(mode: Annotated[Literal["quality", "suite"], Query(alias="with")] = "quality") -> Response:
        return _test_page(server, mode, {})

    @routes.post("/test")
    async def evaluate(request: Request, mode: Annotated[Literal["suite"] | None, Query(alias="with")] = None) -> Response:
        form = await request.form(max_fields=_MAX_FORM_FIELDS)
        if mode == "suite":  # from the configuration page, with its suite and without records
            return _test_page(server, "suite", form)
        is_fragment = "hx-request" in request.headers
        if form.get("with") == "suite":
            trial, diagnostics = await try_form(server, form)
            if is_fragment:
                return render_response("_trial.html", trial=trial, diagnostics=diagnostics)
            return _test_page(server, "suite", form, trial=trial, diagnostics=diagnostics)
        outcome, diagnostics = await server.threads.run(_evaluate_form, server, form)
        if is_fragment:
            return render_response("_outcome.html", outcome=outcome, diagnostics=diagnostics)
        values = make_configuration(read_form(form)[0]).to_json()
        return _test_page(server, "quality", form, values=values, outcome=outcome, diagnostics=diagnostics)

    return routes


def _test_page(
    server: Server, mode: str, form: Mapping[str, Any], *, values: Mapping[str, Any] | None = None, **variables: Any
) -> Response:
    """The test page with the texts of a form in its boxes."""
    saved, broken = _saved_values(server)
    suite = str(form.get("suite", "")) or TRIAL_STARTER
    checked = check_suite_for_records(suite)
    results: dict[str, Any] = {"outcome": None, "trial": None, "diagnostics": (), **variables}
    return render_response(
        "test.html",
        200,
        here="/test",
        mode=mode,
        values=values or saved,
        broken=() if values else broken,
        wrong=(),
        texts={box: str(form.get(box, "")) for box in (*SIDES, "input", "contexts")},
        evaluators=list_evaluators(),
        suite_text=suite,
        suite_diagnostics=checked.diagnostics,
        suite_is_valid=checked.is_valid,
        **results,
    )


def _saved_values(server: Server) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    """The saved configuration, or the defaults and the problems of the files."""
    try:
        return server.load_configuration().to_json(), ()
    except RequestProblem as error:
        return Configuration().to_json(), error.diagnostics


def _configuration_page(
    server: Server, values: Mapping[str, Any], *, status: int = 200, suite: str | None = None, **variables: Any
) -> Response:
    defaults = {**editor_values(server, suite), "saved": "", "broken": (), "wrong": (), "names": (STRATEGIES_FILE, QUALITY_FILE)}
    version = configuration.files_version(server.settings.workspace)
    return render_response(
        "configuration.html", status, here="/configuration", values=values, version_of_files=version, **{**defaults, **variables}
    )


def read_form(form: FormData) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    """The options of a form with the keys of the HTTP API, and diagnostics for repeated fields. Rows without a field are skipped."""
    fields = [str(name).strip() for name in form.getlist("field")]
    pairs = [(name, str(strategy)) for name, strategy in zip(fields, form.getlist("strategy"), strict=False) if name]
    options: dict[str, Any] = {"field_strategies": dict(pairs)}
    for name in (*THRESHOLDS, "default_text"):
        if str(form.get(name, "")).strip():
            options[name] = _parse_number(str(form[name])) if name in THRESHOLDS else str(form[name])
    weights = {name: _parse_number(str(form[name])) for name in WEIGHTS if str(form.get(name, "")).strip()}
    if weights:
        options["weights"] = weights
    words = [word.strip() for word in str(form.get("safety_words", "")).split(",") if word.strip()]
    if words:
        options["safety"] = {"words": words}
    repeated = sorted(name for name, count in Counter(fields).items() if name and count > 1)
    fix = "remove all but one"
    return options, tuple(Diagnostic(code="repeated-field", what=f"the field `{name}` is listed twice", fix=fix) for name in repeated)


def _parse_number(text: str) -> float | str:
    """The number in a text; else the text itself, which the check of the options will report."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return text


def _evaluate_form(server: Server, form: FormData) -> tuple[QualityBreakdown | None, tuple[Diagnostic, ...]]:
    """Evaluate the records of the test form; None if they or the options are not valid."""
    options, repeated = read_form(form)
    if not any(name in form for name in ("field", "safety_words", *OPTIONS, *WEIGHTS)):  # the folded options were not sent
        options = {}
    diagnostics = [*repeated]
    case: dict[str, Any] = {"id": "1"}
    for side in SIDES:
        text = str(form.get(side, ""))
        if text.strip():
            case[side], notes = _parse_side(text, side)
            diagnostics += notes
        else:
            what, fix = f"{side} is empty", "paste a JSON object, or choose a file"
            diagnostics.append(Diagnostic(code="nothing-given", what=what, fix=fix))
    if any(diagnostic.level == "error" for diagnostic in diagnostics):
        return None, tuple(diagnostics)
    try:
        used = server.load_configuration().override(options)
        configuration.check_configuration(used)
    except (ConfigError, RequestProblem) as error:
        return None, (*diagnostics, *error.diagnostics)
    run_id = None
    if form.get("store"):
        _, run_id = server.evaluations.call(evaluate_request, case, {"store": True, "name": "test"}, used, server.settings.root)
    result = server.evaluations.call(evaluate_quality, case, used)
    return explain_quality(result, used, run_id), tuple(diagnostics)


def _parse_side(text: str, side: str) -> tuple[Any, list[Diagnostic]]:
    """The value of a pasted text. Text that is not JSON stays text, in which the evaluator looks for a record."""
    decoded = decode_json(text.encode("utf-8", "surrogatepass"))
    if decoded.value is not MISSING:
        return decoded.value, []
    where = Where(field=side)
    if text.lstrip()[:1] in ("{", "["):
        return text, [
            Diagnostic(code=diagnostic.code, what=diagnostic.what, fix=diagnostic.fix, where=where) for diagnostic in decoded.diagnostics
        ]
    what = "this is not JSON, so the evaluator searches the text for a record"
    return text, [Diagnostic(code="text", level="info", what=what, where=where)]


def explain_quality(result: Result, used: Configuration, run_id: str | None) -> QualityBreakdown:
    """The arithmetic of a response quality score under a configuration."""
    details = result.details
    strategies: dict[str, str] = details.get("strategies", {})
    settings = used.to_json()
    rules = {name: _strategy_rule(strategy, settings) for name, strategy in strategies.items()}
    if "buckets" in details:
        lines = tuple(_breakdown_lines(result, settings))
    else:
        lines = (BreakdownLine("status", result.status, result.reasoning),)
    return QualityBreakdown(
        score=_format_score(result.metrics.get("rqs")),
        grade=grade_score(result.score),
        verdict=result.verdict or result.status,
        lines=lines,
        buckets=tuple((name, text, tuple(details.get("buckets", {}).get(name, ()))) for name, text in BUCKET_TEXTS),
        rows=tuple(make_row(comparison, rules) for comparison in result.comparisons[:MAX_ROWS]),
        flags=tuple(FLAG_TEXTS.get(str(flag), str(flag)) for flag in details.get("flags", ())),
        run=run_id,
    )


def _strategy_rule(strategy: str, settings: Mapping[str, Any]) -> str:
    threshold = {"FUZZY": "fuzzy_threshold", "SEMANTIC": "semantic_threshold"}.get(strategy)
    return f"{strategy} ≥ {settings[threshold]:g}" if threshold else strategy


def _format_score(value: Any) -> str:
    return "not measured" if value is None else f"{float(value):.4f}"


def _breakdown_lines(result: Result, settings: Mapping[str, Any]) -> list[BreakdownLine]:
    """One line for each part of the score, with the numbers that it is calculated from."""
    details, weights = result.details, settings["weights"]
    counts = {name: len(keys) for name, keys in details["buckets"].items()}
    scores = {name: _format_score(result.metrics.get(name)) for name in ("accuracy", "completeness", "hallucination", "safety")}
    both, expected, keys = counts["both_non_null"], counts["gt_non_null"], len(details["bucket_of"])
    extra, not_null = counts["extra_keys"], counts["gt_null_aio_has_value"]
    ignored = sum(details["strategies"].get(key) == "IGNORE" for key in details["buckets"]["both_non_null"])
    accuracy = f"{len(result.hits)} of {both - ignored} compared fields match" + (f", {ignored} ignored" if ignored else "")
    terms = " + ".join(f"{weights['w_' + name]:g} × {scores[name]}" for name in ("accuracy", "completeness", "safety"))
    penalty = f"{weights['w_hallucination']:g} × {scores['hallucination']}"
    return [
        BreakdownLine(
            "completeness",
            scores["completeness"],
            f"{both} of {expected} expected values are present" if expected else "nothing was expected",
        ),
        BreakdownLine(
            "hallucination",
            scores["hallucination"],
            f"({extra} extra + {not_null} expected null) of {keys} keys = {extra + not_null} / {keys}",
        ),
        BreakdownLine("accuracy", scores["accuracy"], accuracy),
        BreakdownLine("safety", scores["safety"], "1 unless a checker reports a finding"),
        BreakdownLine("response quality (RQS)", _format_score(result.metrics.get("rqs")), f"{terms} − {penalty}, limited to 0 … 1"),
        BreakdownLine("normalized", _format_score(result.metrics.get("rqs_normalized")), "RQS divided by its maximum with these weights"),
    ]
