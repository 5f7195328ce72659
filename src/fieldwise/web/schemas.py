"""What the HTTP API answers, as JSON Schema for its OpenAPI document."""

from collections.abc import Mapping
from typing import Any, Final

from fieldwise.report.json_report import run_schema
from fieldwise.web.configuration import NAMES, TEXTS, WEIGHTS
from fieldwise.web.problems import MEDIA

TEXT: Final = {"type": "string"}
MAYBE_TEXT: Final = {"type": ["string", "null"]}
NUMBER: Final = {"type": "number"}
MAYBE_NUMBER: Final = {"type": ["number", "null"]}
COUNT: Final = {"type": "integer", "minimum": 0}
FLAG: Final = {"type": "boolean"}
STATE: Final = {"enum": ["finished", "running", "interrupted"]}


def _plainly(schema: Any) -> Any:
    """A schema without `prefixItems` and `$schema`, which tools for OpenAPI stumble over."""
    if isinstance(schema, list):
        return [_plainly(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {name: _plainly(inner) for name, inner in schema.items() if name not in ("prefixItems", "$schema")}
    return plain | ({"items": {"anyOf": _plainly(schema["prefixItems"])}} if "prefixItems" in schema else {})


RUN: Final[dict[str, Any]] = _plainly(run_schema())
_RUN: Final[dict[str, Any]] = RUN["properties"]
DIAGNOSTIC: Final[dict[str, Any]] = _RUN["diagnostics"]["items"]
RESULT: Final[dict[str, Any]] = _RUN["results"]["items"]


def thing(properties: Mapping[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """An object with these keys."""
    needed = [name for name in properties if name not in optional]
    return {"type": "object", "properties": dict(properties), "required": needed, "additionalProperties": False}


def many(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A list of these."""
    return {"type": "array", "items": dict(schema)}


PROBLEM: Final = thing(
    {"type": TEXT, "title": TEXT, "status": {"type": "integer"}, "detail": TEXT, "diagnostics": {**many(DIAGNOSTIC), "minItems": 1}}
)
CONFIGURATION: Final = thing(
    {
        "field_strategies": {"type": "object", "additionalProperties": {"enum": list(NAMES)}},
        "fuzzy_threshold": NUMBER,
        "semantic_threshold": NUMBER,
        "default_text": {"enum": list(TEXTS)},
        "weights": thing(dict.fromkeys(WEIGHTS, NUMBER)),
    }
)
SAVED: Final = thing({"configuration": CONFIGURATION, "version": TEXT, "files": many(TEXT)})
CHECKED: Final = thing({"valid": FLAG, "diagnostics": many(DIAGNOSTIC)})
EVALUATED: Final = thing(
    {"results": many(RESULT), "configuration": {"anyOf": [CONFIGURATION, {"type": "null"}]}, "run": MAYBE_TEXT},
)
RUN_HEAD: Final = thing(
    {**{name: _RUN[name] for name in ("run", "summary", "gates", "diagnostics")}, "suite": TEXT, "state": STATE, "tags": many(TEXT)}
)
RUN_LINE: Final = thing(
    {
        **{"id": TEXT, "name": TEXT, "state": STATE, "started": TEXT, "finished": MAYBE_TEXT, "cases": COUNT},
        **{"exit_code": {"type": ["integer", "null"]}, "metrics": {"type": "object", "additionalProperties": NUMBER}},
        "gates": _RUN["gates"],
        "tags": many(TEXT),
    }
)
RUNS: Final = thing({"total": COUNT, "offset": COUNT, "runs": many(RUN_LINE)})
RESULTS: Final = thing({"total": COUNT, "offset": COUNT, "evaluator": TEXT, "results": many(RESULT)})
CASE: Final = thing(
    {
        **{"id": TEXT, "input": {}, "expected": {}, "actual": {}, "contexts": {}, "metadata": {"type": "object"}},
        **{"tags": many(TEXT), "split": MAYBE_TEXT, "results": many(RESULT)},
    },
    optional=("expected", "actual"),
)
_CHANGE: Final = thing(
    {
        **{"name": TEXT, "n": COUNT, "base": NUMBER, "new": NUMBER, "low": MAYBE_NUMBER, "high": MAYBE_NUMBER},
        **{"p": {"type": ["number", "string"]}, "p_adjusted": {"type": ["number", "string"]}, "test": TEXT},
        **{"effect": {}, "gain": {}, "smallest_shown": {}, "verdict": TEXT, "lower_is_better": {"type": "boolean"}},
    }
)
_EVALUATOR_CHANGE: Final = thing(
    {
        **{"evaluator": TEXT, "n": COUNT, "metrics": many(_CHANGE), "fields": many(_CHANGE)},
        **dict.fromkeys(("fixed", "broken", "still_broken", "unmeasured"), many(TEXT)),
    }
)
CHANGES: Final = thing(
    {
        **{"base": TEXT, "new": TEXT, "evaluators": {"type": "object", "additionalProperties": _EVALUATOR_CHANGE}},
        **dict.fromkeys(("only_in_base", "only_in_new", "notes"), many(TEXT)),
    }
)
TAGS: Final = thing({"id": TEXT, "tags": many(TEXT)})
HEALTH: Final = thing({"status": {"const": "ok"}, "fieldwise": TEXT})
JOB: Final = thing(
    {
        **{"id": TEXT, "name": TEXT, "state": {"enum": ["waiting", "running", "finished", "failed", "cancelled"]}},
        **{"created": TEXT, "done": COUNT, "share": MAYBE_NUMBER, "run": MAYBE_TEXT, "diagnostics": many(DIAGNOSTIC)},
    }
)
EVENT: Final = thing({"event": {"const": "job"}, "data": TEXT})
JOBS: Final = thing({"jobs": many(JOB)})

_WORDS: Final = {
    400: "The request cannot be read.",
    401: "The token or an API key is missing.",
    403: "This is not allowed.",
    404: "There is no such thing.",
    405: "The address does not take that method.",
    409: "Somebody else changed it in between.",
    413: "The request is too large.",
    421: "The server does not go by that name.",
    422: "The request says something that cannot be done; every problem is listed.",
    503: "The server is busy, or the work takes too long.",
}


def answers(
    schema: Mapping[str, Any], *statuses: int, status: int = 200, media: str = "application/json"
) -> dict[int | str, dict[str, Any]]:
    """What a route may answer: this, or a problem."""
    good: dict[int | str, dict[str, Any]] = {status: {"description": "Done.", "content": {media: {"schema": dict(schema)}}}}
    shown = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return good | {each: {"description": _WORDS[each], "content": {MEDIA: shown}} for each in (400, 401, 403, 413, 421, 422, *statuses)}
