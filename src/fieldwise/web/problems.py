"""Request errors as problem+json (RFC 9457) with the diagnostics of the command line, and strict parsing of JSON bodies."""

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from fastapi import HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
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


def problem_from_validation(error: RequestValidationError) -> RequestProblem:
    """The problem of an invalid request, with every error."""
    diagnostics = list(_describe_errors(error.errors()))
    return RequestProblem(HTTPStatus.UNPROCESSABLE_ENTITY, diagnostics or [Diagnostic(code="bad-request", what="no request")])


def problem_from_part(errors: Iterable[Mapping[str, Any]], part: str) -> RequestProblem:
    """The problem of a part of a request that was validated separately, such as a form field with JSON."""
    located = [{**error, "loc": (part, *error["loc"])} for error in errors]
    return RequestProblem(HTTPStatus.UNPROCESSABLE_ENTITY, list(_describe_errors(located)))


def _describe_errors(errors: Iterable[Mapping[str, Any]]) -> Iterable[Diagnostic]:
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
            similar = nearest(last, sorted(OPTION_NAMES))
            fix = f"did you mean `{similar}`?" if similar else "leave it out"
            yield Diagnostic(code="unknown-option", what=f"there is no option `{name}`", where=Where(field=field), fix=fix)
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


class StrictRoute(APIRoute):
    """A route that parses its body with StrictRequest."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the handler of the framework."""
        handler = super().get_route_handler()

        async def handle_strictly(request: Request) -> Response:
            return await handler(StrictRequest(request.scope, request.receive))

        return handle_strictly
