"""The pages with forms: the configuration, and testing one evaluation."""

from collections.abc import Mapping
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import RedirectResponse, Response

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.values import MISSING
from fieldwise.read.json_text import decode
from fieldwise.web import configuration
from fieldwise.web.api_configuration import save
from fieldwise.web.configuration import OPTIONS, QUALITY, STRATEGIES, THRESHOLDS, WEIGHTS, Configuration, configuration_of
from fieldwise.web.evaluating import first_result, run_cases
from fieldwise.web.problems import Problem
from fieldwise.web.render import html
from fieldwise.web.rqs_breakdown import outcome_of
from fieldwise.web.server import Server

_FIELDS: Final = 2 * configuration.MOST + 50
SIDES: Final = ("expected", "actual")


def forms_pages(server: Server) -> APIRouter:
    """The routes."""
    routes = APIRouter(include_in_schema=False)
    routes.include_router(_configuration_pages(server))
    routes.include_router(_test_pages(server))
    return routes


def _configuration_pages(server: Server) -> APIRouter:
    routes = APIRouter()

    @routes.get("/configuration")
    async def show(saved: str | None = None) -> Response:
        values, broken = _saved(server)
        return _configuration(server, values, saved=bool(saved), broken=broken, diagnostics=configuration.problems_of(values))

    @routes.post("/configuration")
    async def keep(request: Request) -> Response:
        form = await request.form(max_fields=_FIELDS)
        given, twice = given_in_form(form)
        try:
            if twice:
                raise Problem(422, twice)
            save(server, given, str(form.get("version", "")) or None)
        except Problem as error:
            values = configuration_of(given).to_json()
            return _configuration(server, values, status=error.status_code, diagnostics=error.diagnostics)
        if "hx-request" in request.headers:
            return Response(headers={"hx-redirect": "/configuration?saved=yes"})
        return RedirectResponse("/configuration?saved=yes", status_code=303)

    @routes.post("/configuration/check")
    async def check(request: Request) -> Response:
        given, twice = given_in_form(await request.form(max_fields=_FIELDS))
        return html("_checked.html", diagnostics=(*twice, *configuration.problems_of(given)))

    @routes.post("/configuration/import")
    async def take(request: Request) -> Response:
        file = (await request.form()).get("file")
        content = await file.read() if isinstance(file, UploadFile) else b""
        try:
            return html("_strategies.html", values={"field_strategies": configuration.imported(content)}, wrong=())
        except ConfigError as error:
            values, _ = _saved(server)
            return html("_strategies.html", values=values, wrong=error.diagnostics)

    @routes.get("/configuration/export")
    async def give() -> Response:
        text = configuration.strategies_text(server.configuration())
        headers = {"content-disposition": f'attachment; filename="{STRATEGIES}"'}
        return Response(text, media_type="application/json", headers=headers)

    return routes


def _test_pages(server: Server) -> APIRouter:
    routes = APIRouter()

    @routes.get("/test")
    async def test() -> Response:
        values, broken = _saved(server)
        return html(
            "test.html", here="/test", values=values, broken=broken, wrong=(), texts=dict.fromkeys(SIDES, ""), outcome=None, diagnostics=()
        )

    @routes.post("/test")
    async def evaluate(request: Request) -> Response:
        form = await request.form(max_fields=_FIELDS)
        outcome, diagnostics = await server.work.do(_tested, server, form)
        if "hx-request" in request.headers:
            return html("_outcome.html", outcome=outcome, diagnostics=diagnostics)
        given, _ = given_in_form(form)
        texts = {side: str(form.get(side, "")) for side in SIDES}
        values = configuration_of(given).to_json()
        return html("test.html", here="/test", values=values, broken=(), wrong=(), texts=texts, outcome=outcome, diagnostics=diagnostics)

    return routes


def _saved(server: Server) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    """The saved configuration, or the defaults and what is wrong with the files."""
    try:
        return server.configuration().to_json(), ()
    except Problem as error:
        return Configuration().to_json(), error.diagnostics


def _configuration(server: Server, values: Mapping[str, Any], *, status: int = 200, **told: Any) -> Response:
    shown = {"saved": False, "broken": (), "wrong": (), "names": (STRATEGIES, QUALITY)}
    version = configuration.version(server.settings.workspace)
    return html("configuration.html", status, here="/configuration", values=values, version_of_files=version, **{**shown, **told})


def given_in_form(form: FormData) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    """What a form says in the words of the HTTP API, and fields that it names twice. Rows without a field are left out."""
    fields = [str(name).strip() for name in form.getlist("field")]
    pairs = [(name, str(strategy)) for name, strategy in zip(fields, form.getlist("strategy"), strict=False) if name]
    twice = sorted({name for name in fields if name and fields.count(name) > 1}) if len(set(fields)) < len(fields) else []
    given: dict[str, Any] = {"field_strategies": dict(pairs)}
    for name in (*THRESHOLDS, "default_text"):
        if str(form.get(name, "")).strip():
            given[name] = _number(str(form[name])) if name in THRESHOLDS else str(form[name])
    weights = {name: _number(str(form[name])) for name in WEIGHTS if str(form.get(name, "")).strip()}
    if weights:
        given["weights"] = weights
    fix = "keep one of them"
    return given, tuple(Diagnostic(code="repeated-field", what=f"the field `{name}` is there twice", fix=fix) for name in twice)


def _number(text: str) -> float | str:
    """The number in a text, or the text for the plan to complain about."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return text


def _tested(server: Server, form: FormData) -> tuple[Any, tuple[Diagnostic, ...]]:
    """What came of a test, and what to know about it."""
    given, twice = given_in_form(form)
    given = given if any(name in form for name in ("field", *OPTIONS, *WEIGHTS)) else {}
    found = [*twice]
    case: dict[str, Any] = {"id": "1"}
    for side in SIDES:
        text = str(form.get(side, ""))
        if text.strip():
            case[side], notes = _side(text, side)
            found += notes
        else:
            what, fix = f"there is nothing under {side}", "paste a JSON object, or choose a file"
            found.append(Diagnostic(code="nothing-given", what=what, fix=fix))
    if any(one.level == "error" for one in found):
        return None, tuple(found)
    try:
        used = server.configuration().over(given)
        configuration.check(used)
    except ConfigError as error:
        return None, (*found, *error.diagnostics)
    except Problem as error:
        return None, (*found, *error.diagnostics)
    kept = run_cases([case], [used.evaluator()], "test", server.settings.root).id if form.get("keep") else None
    return outcome_of(first_result(case, used), used, kept), tuple(found)


def _side(text: str, side: str) -> tuple[Any, list[Diagnostic]]:
    """The value of a text that was pasted. What is no JSON stays text, in which the evaluator looks for a record."""
    found = decode(text.encode("utf-8", "surrogatepass"))
    if found.value is not MISSING:
        return found.value, []
    named = Where(field=side)
    if text.lstrip()[:1] in ("{", "["):
        return text, [Diagnostic(code=one.code, what=one.what, fix=one.fix, where=named) for one in found.diagnostics]
    what = "this is not JSON by itself, so a record is looked for in the text"
    return text, [Diagnostic(code="text", level="info", what=what, where=named)]
