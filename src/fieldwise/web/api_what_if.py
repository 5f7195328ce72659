"""`POST /api/v1/runs/{run}/what-if`: a stored run under other options."""

from typing import Annotated, Any, Final, TypeAlias

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from fieldwise.model.diagnostic import ConfigError
from fieldwise.report.text_format import dump_json
from fieldwise.study.what_if import what_if
from fieldwise.web.problems import EncodedJsonResponse, RequestProblem, StrictRoute
from fieldwise.web.schemas import COUNT, FLAG, MAYBE_NUMBER, MAYBE_TEXT, NUMBER, TEXT, array_schema, object_schema, response_schemas
from fieldwise.web.server import RunId, Server

MAX_SETTINGS: Final = 100
SettingText: TypeAlias = Annotated[str, Field(min_length=3, max_length=2000)]


class WhatIfRequest(BaseModel):
    """Settings to try, and how many changed cases and comparisons to return."""

    model_config = ConfigDict(extra="forbid")

    set: list[SettingText] = Field(min_length=1, max_length=MAX_SETTINGS, description="Such as `fields.vendor.name.threshold=0.8`.")
    limit: int = Field(100, ge=0, le=10_000, description="Maximum number of entries in `cases` and in `flips`.")


_GATE_STATE: Final = {"anyOf": [object_schema({"passed": FLAG, "value": MAYBE_NUMBER, "message": TEXT}), {"type": "null"}]}
_VERDICT_COUNTS: Final = object_schema({"pass": COUNT, "partial": COUNT, "fail": COUNT})
WHAT_IF: Final = object_schema(
    {
        "run": TEXT,
        "changes": array_schema(
            object_schema({"set": TEXT, "evaluator": MAYBE_TEXT, "field": MAYBE_TEXT, "option": TEXT, "before": {}, "after": {}})
        ),
        "metrics": {"type": "object", "additionalProperties": object_schema({"before": MAYBE_NUMBER, "after": MAYBE_NUMBER})},
        "verdicts": {"type": "object", "additionalProperties": object_schema({"before": _VERDICT_COUNTS, "after": _VERDICT_COUNTS})},
        "gates": array_schema(object_schema({"gate": TEXT, "before": _GATE_STATE, "after": _GATE_STATE})),
        "cases": array_schema(
            object_schema(
                {
                    **{"case": TEXT, "evaluator": TEXT, "score_before": NUMBER, "score_after": NUMBER},
                    **{"verdict_before": MAYBE_TEXT, "verdict_after": MAYBE_TEXT},
                }
            )
        ),
        "flips": array_schema(
            object_schema(
                {
                    **{"case": TEXT, "evaluator": TEXT, "field": TEXT, "path": TEXT, "expected": {}, "actual": {}},
                    **{"similarity": MAYBE_NUMBER, "outcome": TEXT, "passed": FLAG, "distance": MAYBE_NUMBER},
                }
            )
        ),
        "not_recomputed": array_schema(TEXT),
        "review": array_schema(
            object_schema(
                {
                    **{"evaluator": TEXT, "field": TEXT, "option": TEXT, "decisions": COUNT, "current_agreement": MAYBE_NUMBER},
                    **dict.fromkeys(("value", "low", "high", "agreement", "agreement_low", "agreement_high"), MAYBE_NUMBER),
                    "note": TEXT,
                }
            )
        ),
        "case_count": COUNT,
        "flip_count": COUNT,
    }
)


def build_what_if_routes(server: Server) -> APIRouter:
    """The route that recomputes a run."""
    routes = APIRouter(tags=["runs"], route_class=StrictRoute)

    @routes.post(
        "/runs/{run}/what-if", summary="Try other options", responses=response_schemas(WHAT_IF, 404, 409, 503), response_model=None
    )
    async def try_options(run: RunId, body: WhatIfRequest) -> EncodedJsonResponse:
        """Scores, verdicts and gates of a stored run under other options, and the comparisons that flip. Nothing is matched again."""
        return EncodedJsonResponse(await server.threads.run(_what_if_json, server, run, body))

    return routes


def _what_if_json(server: Server, run_name: str, body: WhatIfRequest) -> str:
    run = server.open_run(run_name)
    try:
        content: dict[str, Any] = what_if(run, body.set).to_json()
    except ConfigError as error:
        raise RequestProblem(422, list(error.diagnostics)) from error
    counts = {"case_count": len(content["cases"]), "flip_count": len(content["flips"])}
    content |= {name: content[name][: body.limit] for name in ("cases", "flips")}
    return dump_json(content | counts)
