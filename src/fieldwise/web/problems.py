"""What went wrong with a request, as problem+json (RFC 9457) with the same diagnostics that the command line prints."""

from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from fastapi import HTTPException
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as AnyHTTPException
from starlette.responses import Response

from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.registry import nearest
from fieldwise.report.safe import cut, json_text, safe
from fieldwise.web.requests import BatchRequest, EvaluateRequest, PathRequest

MEDIA: Final = "application/problem+json"
KNOWN: Final = frozenset(name for model in (EvaluateRequest, BatchRequest, PathRequest) for name in model.model_fields)
_SHOWN: Final = 80
_MOST: Final = 100


class Problem(HTTPException):
    """A request that cannot be answered, and why."""

    def __init__(self, status: int, diagnostics: Sequence[Diagnostic], headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, str(diagnostics[0]), dict(headers) if headers else None)
        self.diagnostics = tuple(diagnostics)


def problem(status: int, code: str, what: str, fix: str | None = None, **where: Any) -> Problem:
    """A problem with one diagnostic."""
    return Problem(status, [Diagnostic(code=code, what=what, fix=fix, where=Where(**where))])


def not_valid(error: ConfigError) -> Problem:
    """A configuration that cannot be used."""
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, error.diagnostics)


class JsonResponse(Response):
    """JSON that every reader takes, whatever is in the data."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The text: NaN becomes text, and half a surrogate pair an escape."""
        return json_text(content).encode()


class JsonText(Response):
    """JSON that has been written already, beside the server's loop."""

    media_type = "application/json"


class ProblemResponse(JsonResponse):
    """A problem."""

    media_type = MEDIA


def problem_response(status: int, diagnostics: Sequence[Diagnostic], headers: Mapping[str, str] | None = None) -> ProblemResponse:
    """The answer that tells of a problem."""
    first = diagnostics[0]
    content = {
        "type": f"urn:fieldwise:problem:{first.code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": cut(str(first), 2_000),
        "diagnostics": [one.to_json() for one in diagnostics[:_MOST]],
    }
    return ProblemResponse(content, status_code=status, headers=dict(headers or {}))


def of_http(error: AnyHTTPException) -> Problem:
    """A problem that the framework found."""
    if isinstance(error, Problem):
        return error
    told = {
        404: Diagnostic(code="not-found", what="there is nothing at this address", fix="GET /api/v1/openapi.json lists what there is"),
        405: Diagnostic(code="wrong-method", what="this address does not take that method", fix="the Allow header says which it takes"),
    }
    status = error.status_code
    found = told.get(status) or Diagnostic(code="bad-request", what=str(error.detail))
    return Problem(status, [found], error.headers)


def of_validation(error: RequestValidationError) -> Problem:
    """Everything that is wrong with a request, in words."""
    return Problem(
        HTTPStatus.UNPROCESSABLE_ENTITY, list(_diagnostics(error.errors())) or [Diagnostic(code="bad-request", what="no request")]
    )


def of_validation_of(errors: Iterable[Mapping[str, Any]], place: str) -> Problem:
    """The same for a part of a request that was read by hand."""
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, list(_diagnostics([{**one, "loc": (place, *one["loc"])} for one in errors])))


def _diagnostics(errors: Iterable[Mapping[str, Any]]) -> Iterable[Diagnostic]:
    for one in errors:
        place = ".".join(safe(str(step)) for step in one["loc"][1:]) or None
        last = str(one["loc"][-1])
        if place is None and (one["type"] == "missing" or isinstance(one.get("input"), bytes)):  # bytes: sent as something else than JSON
            yield Diagnostic(code="no-body", what="the request has no JSON content", fix="send it with Content-Type: application/json")
        elif one["type"] == "missing":
            yield Diagnostic(code="missing-option", what=f"`{cut(safe(last), _SHOWN)}` is needed", where=Where(field=place))
        elif one["type"] == "extra_forbidden":
            like = nearest(last, sorted(KNOWN))
            yield Diagnostic(
                code="unknown-option",
                what=f"there is no option `{cut(safe(last), _SHOWN)}`",
                where=Where(field=place),
                fix=f"did you mean `{like}`?" if like else "leave it out",
            )
        else:
            given = cut(safe(repr(one.get("input"))), _SHOWN)
            yield Diagnostic(code="bad-option", what=f"{_lowered(str(one['msg']))}, not {given}", where=Where(field=place))


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
