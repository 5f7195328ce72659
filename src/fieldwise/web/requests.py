"""Request models of the HTTP API.

Options that a suite has too are passed on unchecked: the plan validates them, with the messages of `fieldwise check`.
"""

from typing import Annotated, Any, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from fieldwise.web.configuration import MAX_STRATEGIES, STRATEGY_NAMES, TEXT_STRATEGIES, WEIGHTS

_STRATEGY = {"type": "string", "enum": list(STRATEGY_NAMES)}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_WEIGHT = {"type": "number", "minimum": 0, "maximum": 1_000_000}
_NULL = {"type": "null"}


def _optional(schema: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema({"anyOf": [schema, _NULL]})


StrategiesValue = Annotated[
    Any,
    _optional(
        {"type": "object", "additionalProperties": _STRATEGY, "maxProperties": MAX_STRATEGIES, "examples": [{"customer_name": "FUZZY"}]}
    ),
]
ThresholdValue = Annotated[Any, _optional(_SHARE)]
WeightsValue = Annotated[
    Any,
    _optional(
        {"type": "object", "properties": dict.fromkeys(WEIGHTS, _WEIGHT), "additionalProperties": False, "examples": [dict(WEIGHTS)]}
    ),
]
SafetyValue = Annotated[
    Any,
    _optional(
        {
            "type": "object",
            "properties": {"checker": {"const": "words"}, "words": {"type": "array", "items": {"type": "string"}, "minItems": 1}},
            "examples": [{"words": ["damn"]}],
        }
    ),
]
TextStrategy = Annotated[Any, _optional({"type": "string", "enum": list(TEXT_STRATEGIES)})]
EvaluatorObject = Annotated[
    dict[str, Any], WithJsonSchema({"type": "object", "properties": {"type": {"type": "string"}}, "required": ["type"]})
]
JsonValue = Annotated[Any, WithJsonSchema({})]
CaseId = Annotated[str, Field(min_length=1, max_length=500)]


StoreFlag = Annotated[bool, Field(validation_alias=AliasChoices("store", "keep"), description="Store it as a run.")]
"""`keep` is the former name of `store`."""


class StrictModel(BaseModel):
    """A model that rejects unknown keys."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=False)


class QualityOptions(StrictModel):
    """Options of response quality. Missing options are taken from the saved configuration."""

    field_strategies: StrategiesValue = Field(
        None, description="Field → EXACT, FUZZY, SEMANTIC or IGNORE; other fields by the type of their value."
    )
    fuzzy_threshold: ThresholdValue = Field(None, description="Similarity from which a FUZZY field matches; 0.85 unless saved otherwise.")
    semantic_threshold: ThresholdValue = Field(
        None, description="Similarity from which a SEMANTIC field matches; 0.80 unless saved otherwise."
    )
    default_text: TextStrategy = Field(None, description="The strategy of text fields without a strategy.")
    weights: WeightsValue = Field(
        None, description="Weights of accuracy, completeness, hallucination and safety in the response quality score."
    )
    safety: SafetyValue = Field(None, description="How safety is measured; without it, safety counts as 1 and is flagged.")


class EvaluationOptions(QualityOptions):
    """Options of response quality, or evaluators as in a suite."""

    evaluators: list[EvaluatorObject] | None = Field(
        None,
        min_length=1,
        max_length=20,
        description="Evaluators as in a suite, in place of response quality. Judges and files are not allowed.",
    )


class UploadOptions(EvaluationOptions):
    """The options of an uploaded file."""

    store: StoreFlag = False
    name: Annotated[str, Field(min_length=1, max_length=200)] = "upload"


class CaseBody(StrictModel):
    """One case. `expected` and `actual` are records or text; a side that is left out is missing, which differs from null."""

    id: CaseId | None = None
    input: JsonValue = None
    expected: JsonValue = None
    actual: JsonValue = None
    actuals: list[JsonValue] | None = Field(
        None, min_length=1, max_length=1000, description="Several outputs for the case, in place of `actual`. The first is scored."
    )
    contexts: list[JsonValue] | None = None
    metadata: dict[str, Any] | None = None
    tags: list[str] | None = None
    split: str | None = None

    @model_validator(mode="after")
    def _check_outputs(self) -> Self:
        """Refuse both: the score would be that of one, the consistency that of the others."""
        if self.actuals is not None and "actual" in self.model_fields_set:
            raise PydanticCustomError("both_outputs", "`actual` and `actuals` exclude each other: send one output, or the list of all")
        return self


class EvaluateRequest(EvaluationOptions, CaseBody):
    """One case to evaluate."""

    store: StoreFlag = False
    name: Annotated[str, Field(min_length=1, max_length=200)] = "evaluation"


class BatchRequest(EvaluationOptions):
    """Several cases to evaluate."""

    cases: list[CaseBody] = Field(min_length=1, max_length=20_000)
    store: StoreFlag = False
    name: Annotated[str, Field(min_length=1, max_length=200)] = "evaluation"


PathText = Annotated[str, Field(min_length=1, max_length=1000, description="A path in the server's data folder.")]


class PathRequest(EvaluationOptions):
    """Files of the server to evaluate: `cases`, or `expected` and `actual` apart (two files or two folders)."""

    cases: PathText | None = None
    expected: PathText | None = None
    actual: PathText | None = None
    store: StoreFlag = False
    name: Annotated[str, Field(min_length=1, max_length=200)] = "evaluation"
