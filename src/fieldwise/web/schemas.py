"""JSON Schemas of the HTTP API's responses, for its OpenAPI document."""

from collections.abc import Mapping
from typing import Any, Final

from fieldwise.report.json_report import build_run_schema
from fieldwise.web.configuration import STRATEGY_NAMES, TEXT_STRATEGIES, WEIGHTS
from fieldwise.web.problems import PROBLEM_MEDIA_TYPE

TEXT: Final = {"type": "string"}
MAYBE_TEXT: Final = {"type": ["string", "null"]}
NUMBER: Final = {"type": "number"}
MAYBE_NUMBER: Final = {"type": ["number", "null"]}
COUNT: Final = {"type": "integer", "minimum": 0}
MAYBE_COUNT: Final = {"type": ["integer", "null"], "minimum": 0}
FLAG: Final = {"type": "boolean"}
STATE: Final = {"enum": ["finished", "running", "interrupted", "unreadable"]}


def _simplify_schema(schema: Any) -> Any:
    """Remove `prefixItems` and `$schema`, which OpenAPI tools do not support."""
    if isinstance(schema, list):
        return [_simplify_schema(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {name: _simplify_schema(inner) for name, inner in schema.items() if name not in ("prefixItems", "$schema")}
    return plain | ({"items": {"anyOf": _simplify_schema(schema["prefixItems"])}} if "prefixItems" in schema else {})


RUN: Final[dict[str, Any]] = _simplify_schema(build_run_schema())
_RUN: Final[dict[str, Any]] = RUN["properties"]
DIAGNOSTIC: Final[dict[str, Any]] = _RUN["diagnostics"]["items"]
RESULT: Final[dict[str, Any]] = _RUN["results"]["items"]


def object_schema(properties: Mapping[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """The schema of an object with these keys."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": dict(properties), "required": required, "additionalProperties": False}


def array_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a list."""
    return {"type": "array", "items": dict(schema)}


PROBLEM: Final = object_schema(
    {"type": TEXT, "title": TEXT, "status": {"type": "integer"}, "detail": TEXT, "diagnostics": {**array_schema(DIAGNOSTIC), "minItems": 1}}
)
CONFIGURATION: Final = object_schema(
    {
        "field_strategies": {"type": "object", "additionalProperties": {"enum": list(STRATEGY_NAMES)}},
        "fuzzy_threshold": NUMBER,
        "semantic_threshold": NUMBER,
        "default_text": {"enum": list(TEXT_STRATEGIES)},
        "weights": object_schema(dict.fromkeys(WEIGHTS, NUMBER)),
        "safety": {"type": "object"},
    },
    optional=("safety",),
)
USED: Final = {"anyOf": [CONFIGURATION, object_schema({"evaluators": array_schema({"type": "object"})})]}
"""The configuration that a request used: of response quality, or its evaluators."""
BATCH: Final = {**RUN, "properties": {**_RUN, "configuration": USED}, "required": [*RUN["required"], "configuration"]}
SAVED: Final = object_schema({"configuration": CONFIGURATION, "version": TEXT, "files": array_schema(TEXT)})
CHECKED: Final = object_schema({"valid": FLAG, "diagnostics": array_schema(DIAGNOSTIC)})
EVALUATED: Final = object_schema(
    {"results": array_schema(RESULT), "configuration": {"anyOf": [CONFIGURATION, {"type": "null"}]}, "run": MAYBE_TEXT},
)
RUN_HEAD: Final = object_schema(
    {**{name: _RUN[name] for name in ("run", "summary", "gates", "diagnostics")}, "suite": TEXT, "state": STATE, "tags": array_schema(TEXT)}
)
RUN_LINE: Final = object_schema(
    {
        **{"id": TEXT, "name": TEXT, "state": STATE, "started": TEXT, "finished": MAYBE_TEXT, "cases": COUNT},
        **{"exit_code": {"type": ["integer", "null"]}, "metrics": {"type": "object", "additionalProperties": NUMBER}},
        "gates": _RUN["gates"],
        "tags": array_schema(TEXT),
    }
)
RUNS: Final = object_schema({"total": COUNT, "offset": COUNT, "runs": array_schema(RUN_LINE)})
RESULTS: Final = object_schema({"total": COUNT, "offset": COUNT, "evaluator": TEXT, "results": array_schema(RESULT)})
CASE: Final = object_schema(
    {
        **{"id": TEXT, "input": {}, "expected": {}, "actual": {}, "contexts": {}, "metadata": {"type": "object"}},
        **{"tags": array_schema(TEXT), "split": MAYBE_TEXT, "results": array_schema(RESULT)},
    },
    optional=("expected", "actual"),
)
_CHANGE: Final = object_schema(
    {
        **{"name": TEXT, "n": COUNT, "base": NUMBER, "new": NUMBER, "low": MAYBE_NUMBER, "high": MAYBE_NUMBER},
        **{"p": {"type": ["number", "string"]}, "p_adjusted": {"type": ["number", "string"]}, "test": TEXT},
        **{"effect": {}, "gain": {}, "smallest_shown": {}, "verdict": TEXT, "lower_is_better": {"type": "boolean"}, "groups": MAYBE_COUNT},
    }
)
_EVALUATOR_CHANGE: Final = object_schema(
    {
        **{"evaluator": TEXT, "n": COUNT, "metrics": array_schema(_CHANGE), "fields": array_schema(_CHANGE)},
        **{"primary": TEXT, "groups": MAYBE_COUNT, "tested": COUNT},
        **dict.fromkeys(("fixed", "broken", "still_broken", "unmeasured"), array_schema(TEXT)),
    }
)
CHANGES: Final = object_schema(
    {
        **{"base": TEXT, "new": TEXT, "evaluators": {"type": "object", "additionalProperties": _EVALUATOR_CHANGE}},
        **dict.fromkeys(("only_in_base", "only_in_new", "notes"), array_schema(TEXT)),
        **{"adjust": TEXT, "base_label": TEXT, "new_label": TEXT, "tested_metrics": COUNT, "tested_fields": COUNT},
    }
)
_RANKED_RUN: Final = object_schema(
    {
        **{"label": TEXT, "run": TEXT, "value": NUMBER, "n": COUNT},
        **dict.fromkeys(("better_than", "worse_than", "not_shown"), array_schema(TEXT)),
    }
)
_RANKING: Final = {"type": "object", "additionalProperties": array_schema(_RANKED_RUN)}
COMPARED_RUNS: Final = {"anyOf": [CHANGES, object_schema({"pairs": array_schema(CHANGES), "ranking": _RANKING})]}
TAGS: Final = object_schema({"id": TEXT, "tags": array_schema(TEXT)})
HEALTH: Final = object_schema({"status": {"const": "ok"}, "fieldwise": TEXT})
JOB: Final = object_schema(
    {
        **{"id": TEXT, "name": TEXT, "state": {"enum": ["waiting", "running", "finished", "failed", "cancelled"]}},
        **{"created": TEXT, "done": COUNT, "share": MAYBE_NUMBER, "run": MAYBE_TEXT, "diagnostics": array_schema(DIAGNOSTIC)},
    }
)
EVENT: Final = object_schema({"event": {"const": "job"}, "data": TEXT})
JOBS: Final = object_schema({"jobs": array_schema(JOB)})

_PROBLEM_TEXTS: Final = {
    400: "The request cannot be read.",
    401: "The token or an API key is missing.",
    403: "The request is not allowed.",
    404: "There is no such object.",
    405: "The address does not support that method.",
    409: "The object was changed in the meantime.",
    413: "The request is too large.",
    421: "The server does not accept that host name.",
    422: "The request is not valid; every problem is listed.",
    503: "The server is busy, or the request takes too long.",
}


def response_schemas(
    schema: Mapping[str, Any], *statuses: int, status: int = 200, media: str = "application/json"
) -> dict[int | str, dict[str, Any]]:
    """The responses of a route: this schema, or a problem with one of the statuses."""
    responses: dict[int | str, dict[str, Any]] = {status: {"description": "Done.", "content": {media: {"schema": dict(schema)}}}}
    problem = {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for code in (400, 401, 403, 413, 421, 422, *statuses):
        responses[code] = {"description": _PROBLEM_TEXTS[code], "content": problem}
    return responses
