"""Request errors as problem+json (RFC 9457) with the diagnostics of the command line, and strict parsing of queries and JSON bodies."""

from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, get_args, get_origin

from fastapi import HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.responses import Response

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.values import MISSING
from fieldwise.read.json_text import decode_json
from fieldwise.registry import nearest
from fieldwise.report.text_format import dump_json, make_visible, truncate
from fieldwise.web.requests import BatchRequest, EvaluateRequest, PathRequest

PROBLEM_MEDIA_TYPE: Final = "application/problem+json"
OPTION_NAMES: Final = frozenset(name for model in (EvaluateRequest, BatchRequest, PathRequest) for name in model.model_fields)
_MAX_SHOWN: Final = 80
_MAX_DIAGNOSTICS: Final = 100


class RequestProblem(HTTPException):
    """A request that cannot be answered, with the reasons."""

    def __init__(self, status: int, diagnostics: Sequence[Diagnostic], headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, str(diagnostics[0]), dict(headers) if headers else None)
        self.diagnostics = tuple(diagnostics)


def make_problem(status: int, code: str, what: str, fix: str | None = None, **where: Any) -> RequestProblem:
    """A problem with one diagnostic."""
    return RequestProblem(status, [Diagnostic(code=code, what=what, fix=fix, where=Where(**where))])


def config_problem(error: ConfigError) -> RequestProblem:
    """The problem of an invalid configuration."""
    return RequestProblem(HTTPStatus.UNPROCESSABLE_ENTITY, error.diagnostics)


class JsonResponse(Response):
    """A JSON response that strict parsers accept."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Encode the content: NaN becomes text, and an unpaired surrogate an escape."""
        return dump_json(content).encode()


class EncodedJsonResponse(Response):
    """A response with JSON text that was encoded in a worker thread."""

    media_type = "application/json"


class ProblemResponse(JsonResponse):
    """A problem+json response."""

    media_type = PROBLEM_MEDIA_TYPE


def problem_response(status: int, diagnostics: Sequence[Diagnostic], headers: Mapping[str, str] | None = None) -> ProblemResponse:
    """Build the response of a problem."""
    first = diagnostics[0]
    content = {
        "type": f"urn:fieldwise:problem:{first.code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": truncate(str(first), 2_000),
        "diagnostics": [diagnostic.to_json() for diagnostic in diagnostics[:_MAX_DIAGNOSTICS]],
    }
    return ProblemResponse(content, status_code=status, headers=dict(headers or {}))


def problem_from_http(error: StarletteHTTPException) -> RequestProblem:
    """The problem of an HTTP error that the framework raised."""
    if isinstance(error, RequestProblem):
        return error
    if error.status_code == HTTPStatus.NOT_FOUND:
        diagnostic = Diagnostic(
            code="not-found", what="there is nothing at this address", fix="GET /api/v1/openapi.json lists the addresses"
        )
    elif error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        diagnostic = Diagnostic(
            code="wrong-method", what="this address does not support that method", fix="the Allow header lists the supported methods"
        )
    else:
        diagnostic = Diagnostic(code="bad-request", what=str(error.detail))
    return RequestProblem(error.status_code, [diagnostic], error.headers)


def problem_from_validation(error: RequestValidationError, options: Collection[str] = ()) -> RequestProblem:
    """The problem of an invalid request, with every error; `options` are the names that its content can have."""
    diagnostics = list(_describe_errors(error.errors(), options))
    return RequestProblem(HTTPStatus.UNPROCESSABLE_ENTITY, diagnostics or [Diagnostic(code="bad-request", what="no request")])


def problem_from_part(errors: Iterable[Mapping[str, Any]], part: str, options: Collection[str] = ()) -> RequestProblem:
    """The problem of a part of a request that was validated separately, such as a form field with JSON; `options` are its names."""
    located = [{**error, "loc": (part, *error["loc"])} for error in errors]
    return RequestProblem(HTTPStatus.UNPROCESSABLE_ENTITY, list(_describe_errors(located, options)))


def list_option_names(model: type[BaseModel]) -> list[str]:
    """The names of a model's options, also those inside another option: `paths.expected`."""
    names: list[str] = []
    for name, field in model.model_fields.items():
        names.append(name)
        for inner in (field.annotation, *get_args(field.annotation)):
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                names += [f"{name}.{inner_name}" for inner_name in list_option_names(inner)]
    return names


def _describe_errors(errors: Iterable[Mapping[str, Any]], model_options: Collection[str] = ()) -> Iterable[Diagnostic]:
    """Turn pydantic's errors into diagnostics."""
    for error in errors:
        field = ".".join(make_visible(str(step)) for step in error["loc"][1:]) or None
        last = str(error["loc"][-1])
        name = truncate(make_visible(last), _MAX_SHOWN)
        if field is None and (error["type"] == "missing" or isinstance(error.get("input"), bytes)):  # bytes: the content type is not JSON
            yield Diagnostic(code="no-body", what="the request has no JSON content", fix="send it with Content-Type: application/json")
        elif error["type"] == "missing":
            yield Diagnostic(code="missing-option", what=f"`{name}` is required", where=Where(field=field))
        elif error["type"] == "extra_forbidden":
            is_top_level = len(error["loc"]) == 2
            fix = _suggest_name(last, model_options if is_top_level and model_options else OPTION_NAMES - {last})
            yield Diagnostic(code="unknown-option", what=f"there is no option `{name}`", where=Where(field=field), fix=fix)
        elif error["type"] == "both_outputs":  # its input is the whole case
            yield Diagnostic(code="both-outputs", what=str(error["msg"]), where=Where(field=field))
        else:
            value = truncate(make_visible(repr(error.get("input"))), _MAX_SHOWN)
            yield Diagnostic(code="bad-option", what=f"{_lower_first(str(error['msg']))}, not {value}", where=Where(field=field))


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


class StrictRequest(Request):
    """A request whose JSON is parsed as strictly as files: no repeated keys, no invalid Unicode, limited depth."""

    async def json(self) -> Any:
        """Parse the body once."""
        if not hasattr(self, "_json"):
            self._json = parse_json(await self.body())
        return self._json


def parse_json(content: bytes, status: int = 400) -> Any:
    """Parse JSON text; RequestProblem with the reasons if it is not valid."""
    decoded = decode_json(content)
    errors = [diagnostic for diagnostic in decoded.diagnostics if diagnostic.level == "error"]
    if errors or decoded.value is MISSING:
        raise RequestProblem(status, errors or decoded.diagnostics)
    return decoded.value


def check_parameter_names(sent: Iterable[str], single: Iterable[str], repeatable: Iterable[str] = ()) -> None:
    """Raise a RequestProblem with every parameter that does not exist, and every one that is sent twice but counts once."""
    single_names, repeatable_names = set(single), set(repeatable)
    diagnostics: list[Diagnostic] = []
    for name, count in Counter(sent).items():
        shown = truncate(make_visible(name), _MAX_SHOWN)
        where = Where(field=shown)
        if name in single_names and count > 1:
            diagnostics.append(Diagnostic(code="repeated-option", what=f"`{shown}` is sent {count} times", where=where, fix="send it once"))
        elif name not in single_names | repeatable_names:
            fix = _suggest_name(name, single_names | repeatable_names)
            diagnostics.append(Diagnostic(code="unknown-option", what=f"there is no option `{shown}`", where=where, fix=fix))
    if diagnostics:
        raise RequestProblem(HTTPStatus.UNPROCESSABLE_ENTITY, diagnostics)


def _suggest_name(name: str, valid: Iterable[str]) -> str:
    inner = [option for option in sorted(valid) if option.endswith(f".{name}")]
    similar = inner[0] if inner else nearest(name, sorted(valid))
    if similar:
        return f"did you mean `{similar}`?"
    names = ", ".join(f"`{option}`" for option in sorted(valid))
    return f"leave it out; valid here: {names}" if names and len(names) <= _MAX_SHOWN else "leave it out"


class StrictRoute(APIRoute):
    """A route that parses its body with StrictRequest, and refuses query parameters that it does not have."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the handler of the framework."""
        handler = super().get_route_handler()
        repeats = _list_query_parameters(self)
        repeatable = [name for name, can_repeat in repeats.items() if can_repeat]
        single = [name for name, can_repeat in repeats.items() if not can_repeat]

        async def handle_strictly(request: Request) -> Response:
            check_parameter_names([name for name, _ in request.query_params.multi_items()], single, repeatable)
            return await handler(StrictRequest(request.scope, request.receive))

        return handle_strictly


def _list_query_parameters(route: APIRoute) -> dict[str, bool]:
    """The query parameters of a route → True if they can be repeated."""
    parameters: dict[str, bool] = {}
    for parameter in route.dependant.query_params:
        annotation: Any = parameter.field_info.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            parameters |= {name: _is_list(field.annotation) for name, field in annotation.model_fields.items()}
        else:
            parameters[parameter.alias] = _is_list(annotation)
    return parameters


def _is_list(annotation: Any) -> bool:
    return any(get_origin(option) is list for option in (annotation, *get_args(annotation)))
