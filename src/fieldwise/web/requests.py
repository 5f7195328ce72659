"""What the HTTP API takes, as its OpenAPI document shows it.

Options that a suite has too are passed on as they came: the plan checks them, with the messages that people know.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from fieldwise.web.configuration import MOST, NAMES, TEXTS, WEIGHTS

_STRATEGY = {"type": "string", "enum": list(NAMES)}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_WEIGHT = {"type": "number", "minimum": 0, "maximum": 1_000_000}
_MAYBE = {"type": "null"}


def _optional(schema: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema({"anyOf": [schema, _MAYBE]})


Strategies = Annotated[
    Any, _optional({"type": "object", "additionalProperties": _STRATEGY, "maxProperties": MOST, "examples": [{"customer_name": "FUZZY"}]})
]
Share = Annotated[Any, _optional(_SHARE)]
Weights = Annotated[
    Any,
    _optional(
        {"type": "object", "properties": dict.fromkeys(WEIGHTS, _WEIGHT), "additionalProperties": False, "examples": [dict(WEIGHTS)]}
    ),
]
Text = Annotated[Any, _optional({"type": "string", "enum": list(TEXTS)})]
Evaluator = Annotated[dict[str, Any], WithJsonSchema({"type": "object", "properties": {"type": {"type": "string"}}, "required": ["type"]})]
Json = Annotated[Any, WithJsonSchema({})]
CaseId = Annotated[str, Field(min_length=1, max_length=500)]


class Strict(BaseModel):
    """A request that has no other keys than these."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=False)


class QualityOptions(Strict):
    """Options of response quality. What is left out is taken from the saved configuration."""

    field_strategies: Strategies = Field(
        None, description="Field → EXACT, FUZZY, SEMANTIC or IGNORE; other fields by the type of their value."
    )
    fuzzy_threshold: Share = Field(None, description="From which similarity on a FUZZY field is right; 0.85 unless saved otherwise.")
    semantic_threshold: Share = Field(None, description="From which similarity on a SEMANTIC field is right; 0.80 unless saved otherwise.")
    default_text: Text = Field(None, description="The strategy of text that no strategy names.")
    weights: Weights = Field(None, description="What accuracy, completeness, hallucination and safety weigh in the response quality score.")


class Measured(QualityOptions):
    """How to measure: response quality with these options, or evaluators as a suite has them."""

    evaluators: list[Evaluator] | None = Field(
        None,
        min_length=1,
        max_length=20,
        description="Evaluators as in a suite, in place of response quality. Judges and files are not for the API.",
    )


class CaseBody(Strict):
    """One case. `expected` and `actual` are records or text; a side that is left out is missing, which is something else than null."""

    id: CaseId | None = None
    input: Json = None
    expected: Json = None
    actual: Json = None
    contexts: list[Json] | None = None
    metadata: dict[str, Any] | None = None
    tags: list[str] | None = None
    split: str | None = None


class EvaluateRequest(Measured, CaseBody):
    """One case to evaluate."""

    keep: bool = Field(False, description="Store it as a run.")
    name: Annotated[str, Field(min_length=1, max_length=200)] = "evaluation"


class BatchRequest(Measured):
    """Some cases to evaluate."""

    cases: list[CaseBody] = Field(min_length=1, max_length=20_000)
    keep: bool = Field(True, description="Store it as a run.")
    name: Annotated[str, Field(min_length=1, max_length=200)] = "evaluation"


PathText = Annotated[str, Field(min_length=1, max_length=1000, description="A path below the server's data folder.")]


class PathRequest(Measured):
    """Files of the server to evaluate: `cases`, or `expected` and `actual` apart (two files or two folders)."""

    cases: PathText | None = None
    expected: PathText | None = None
    actual: PathText | None = None
    keep: bool = Field(True, description="Store it as a run.")
    name: Annotated[str, Field(min_length=1, max_length=200)] = "evaluation"
