"""Faithfulness, answer relevancy, context precision and context recall, measured with a model by their published definitions.

* `faithfulness`: share of the claims of the answer that follow from the contexts.
* `answer_relevancy`: mean cosine similarity of the question and questions generated from the answer; 0 for a noncommittal answer.
* `context_precision`: mean precision at k over the ranks k of useful contexts.
* `context_recall`: share of the claims of the reference that follow from the contexts.

The details hold every claim and verdict.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

import numpy as np

from fieldwise.dataclass import dataclass
from fieldwise.evaluators.judges._judging import prompt_messages, unanswered_result, value_to_text
from fieldwise.model.accepted_values import list_accepted
from fieldwise.model.answer_values import read_answers
from fieldwise.model.ask import (
    DEFAULT_ENDPOINT,
    Chat,
    Embed,
    Endpoint,
    Judgement,
    JudgeSteps,
    Message,
    RagasMetric,
    Reply,
    ask_one,
    ask_together,
)
from fieldwise.model.bounds import MinLen
from fieldwise.model.case import Case
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING, Value
from fieldwise.registry import judge
from fieldwise.specs import EvaluatorExample

MetricName: TypeAlias = Literal["faithfulness", "answer_relevancy", "context_precision", "context_recall"]
QUESTION_COUNT: Final = 3
"""Number of questions generated from an answer, as in the published settings."""
MIN_SIMILARITY: Final = 0.5
"""Similarity from which a generated question counts as a hit."""
"""Metrics that `score/` adds to the result of every judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ragas:
    """The metrics and the model."""

    metrics: Annotated[tuple[MetricName, ...], MinLen(1)] = get_args(MetricName)
    """The metrics to compute; their mean is the score."""
    by: Literal["native", "package"] = "native"
    """`native` uses the prompts of fieldwise. `package` uses the prompts and formulas of the package `ragas`:
    `pip install 'fieldwise[ragas]'`, 800 MB."""
    model: Endpoint = DEFAULT_ENDPOINT
    """The model that finds and judges claims."""

    def problems(self) -> list[tuple[str, str, str | None]]:
        """Duplicate metrics."""
        duplicates = sorted({name for name in self.metrics if self.metrics.count(name) > 1})
        return [("metrics", f"`{name}` is listed twice", "list each metric once") for name in duplicates]

    def metric_names(self) -> Collection[str]:
        """The metrics of a measured case."""
        return self.metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class RagasMeasurement:
    """One metric of one case."""

    value: float | None = None
    """None if it could not be measured, because of `reason` or `failed`."""
    reason: str | None = None
    failed: Reply | None = None
    hits: Sequence[str] = ()
    misses: Sequence[str] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


_UNSCORED: Final = {name: f"unscored_{name}" for name in get_args(MetricName)}
"""Metric → the flag of a case in which it could not be measured, though another metric could."""


def _declared_metrics(config: Ragas) -> tuple[str, ...]:
    return config.metrics


@judge(
    metrics=_declared_metrics,
    unscored=_UNSCORED,
    examples=[EvaluatorExample(), EvaluatorExample(options={"metrics": ["context_recall"]})],
)
def ragas(case: Case, config: Ragas) -> Judgement:
    """The mean of the metrics that can be measured."""
    expected, actual = read_answers(case.expected, case.actual)
    case = replace(case, expected=expected, actual=actual)
    measurements = yield from ask_together([_measure(name, case, config) for name in config.metrics])
    by_name = dict[str, RagasMeasurement](zip(config.metrics, measurements, strict=True))
    values = {name: measurement.value for name, measurement in by_name.items() if measurement.value is not None}
    details = {name: _measurement_details(measurement) for name, measurement in by_name.items()}
    failed = next((measurement.failed for measurement in measurements if measurement.failed is not None), None)
    if failed is not None:
        return replace(unanswered_result(failed, **details), metrics=values)
    if not values:
        reasons = dict.fromkeys(measurement.reason or "" for measurement in measurements)
        return Result(status="skipped", reasoning=f"no metric can be measured: {'; '.join(reasons)}", details=details)
    flags = [_UNSCORED[name] for name, measurement in by_name.items() if measurement.value is None]
    return Result(
        score=sum(values.values()) / len(values),
        hits=[f"{name}: {hit}" for name, measurement in by_name.items() for hit in measurement.hits],
        misses=[f"{name}: {miss}" for name, measurement in by_name.items() for miss in measurement.misses],
        reasoning=_summarize_measurements(by_name),
        metrics=values,
        details={**details, "flags": flags} if flags else details,
    )


def _measure(name: str, case: Case, config: Ragas) -> JudgeSteps[RagasMeasurement]:
    if config.by == "package":
        return measure_with_package(name, case, config.model)
    return METRICS[name](case, config.model)


def _measurement_details(measurement: RagasMeasurement) -> dict[str, Any]:
    reason = measurement.reason or (measurement.failed.problem if measurement.failed is not None else None)
    return {**measurement.details, **({"not_measured": reason} if reason else {})}


def _summarize_measurements(by_name: Mapping[str, RagasMeasurement]) -> str:
    parts: list[str] = []
    for name, measurement in by_name.items():
        if measurement.value is not None:
            parts.append(f"{name} {measurement.value:.2f}")
        else:
            parts.append(f"{name}: {measurement.reason}")
    return "; ".join(parts)


def faithfulness(case: Case, model: Endpoint) -> JudgeSteps[RagasMeasurement]:
    """The share of the claims of the answer that follow from the contexts."""
    if not case.contexts:
        return RagasMeasurement(reason="there are no contexts")
    return (yield from _measure_supported_claims(case, model, "claims", "answer", value_to_text(case.actual)))


def context_recall(case: Case, model: Endpoint) -> JudgeSteps[RagasMeasurement]:
    """The share of the claims of the reference that follow from the contexts."""
    if case.expected is MISSING or case.expected is None:
        return RagasMeasurement(reason="the case has no expected value")
    if not case.contexts:
        return RagasMeasurement(reason="there are no contexts")
    return (yield from _measure_supported_claims(case, model, "reference_claims", "reference", _reference_text(case.expected)))


def _reference_text(value: Value) -> str:
    """The reference as text; of several accepted ones the first, because the definitions take one.

    >>> _reference_text({"$any": ["Paris", "Paris, France"]})
    'Paris'
    """
    accepted = [text for text in list_accepted(value) if text is not None]
    return value_to_text(accepted[0]) if accepted else ""


def _measure_supported_claims(case: Case, model: Endpoint, prompt: str, part: str, text: str) -> JudgeSteps[RagasMeasurement]:
    question = {"question": value_to_text(case.input)} if case.input is not None else {}
    claims_prompt = prompt_messages(prompt, {**question, part: text})
    reply = yield from ask_one(_build_chat(model, claims_prompt, {"claims": _list_schema({"type": "string"})}))
    if reply.problem is not None:
        return RagasMeasurement(failed=reply)
    claims = _reply_data(reply)["claims"]
    if not claims:
        return RagasMeasurement(reason=f"the {part} states nothing")
    numbered_claims = "\n".join(f"{number}. {claim}" for number, claim in enumerate(claims, 1))
    verdict_schema = _object_schema({"number": {"type": "integer"}, "reason": {"type": "string"}, "supported": {"type": "boolean"}})
    properties = {"verdicts": {**_list_schema(verdict_schema), "minItems": len(claims), "maxItems": len(claims)}}
    supported_prompt = prompt_messages("supported", {**_context_material(case), "claims": numbered_claims})
    reply = yield from ask_one(_build_chat(model, supported_prompt, properties))
    if reply.problem is not None:
        return RagasMeasurement(failed=reply, details={"claims": [{"claim": claim} for claim in claims]})
    verdicts = _sort_by_number(_reply_data(reply)["verdicts"])
    claim_verdicts = [
        {"claim": claim, "supported": verdict["supported"], "reason": verdict["reason"]}
        for claim, verdict in zip(claims, verdicts, strict=True)
    ]
    hits = [verdict["claim"] for verdict in claim_verdicts if verdict["supported"]]
    misses = [verdict["claim"] for verdict in claim_verdicts if not verdict["supported"]]
    return RagasMeasurement(value=len(hits) / len(claims), hits=hits, misses=misses, details={"claims": claim_verdicts})


def _sort_by_number(verdicts: Sequence[Any]) -> list[Any]:
    """Verdicts sorted by the numbers of their claims if every claim has one, else unchanged.

    >>> [verdict["supported"] for verdict in _sort_by_number([{"number": 2, "supported": False}, {"number": 1, "supported": True}])]
    [True, False]
    """
    complete = {verdict["number"] for verdict in verdicts} == set(range(1, len(verdicts) + 1))
    return sorted(verdicts, key=lambda verdict: verdict["number"]) if complete else list(verdicts)


def answer_relevancy(case: Case, model: Endpoint) -> JudgeSteps[RagasMeasurement]:
    """The mean similarity of the question to questions generated from the answer."""
    question = value_to_text(case.input)
    if not question.strip():
        return RagasMeasurement(reason="there is no question")
    properties = {
        "questions": {**_list_schema({"type": "string"}), "minItems": QUESTION_COUNT, "maxItems": QUESTION_COUNT},
        "noncommittal": {"type": "boolean"},
    }
    prompt = prompt_messages("questions", {"answer": value_to_text(case.actual)}, count=str(QUESTION_COUNT))
    reply = yield from ask_one(_build_chat(model, prompt, properties))
    if reply.problem is not None:
        return RagasMeasurement(failed=reply)
    generated, noncommittal = _reply_data(reply)["questions"], _reply_data(reply)["noncommittal"]
    embedded = yield from ask_one(Embed(texts=(question, *generated)))
    if embedded.problem is not None:
        return RagasMeasurement(failed=embedded, details={"questions": generated, "noncommittal": noncommittal})
    vectors = np.asarray(embedded.vectors, dtype=np.float64)
    cosines = np.clip(vectors[1:] @ vectors[0], 0.0, 1.0).tolist()
    similarities = [1.0 if text == question else cosine for text, cosine in zip(generated, cosines, strict=True)]
    rows = list(zip(generated, similarities, strict=True))
    details = {
        "questions": [{"question": text, "similarity": round(similarity, 6)} for text, similarity in rows],
        "noncommittal": noncommittal,
    }
    if noncommittal:
        return RagasMeasurement(value=0.0, misses=["noncommittal answer"], details=details)
    hits = [text for text, similarity in rows if similarity >= MIN_SIMILARITY]
    misses = [text for text in generated if text not in hits]
    return RagasMeasurement(value=sum(similarities) / len(similarities), hits=hits, misses=misses, details=details)


def context_precision(case: Case, model: Endpoint) -> JudgeSteps[RagasMeasurement]:
    """The rank quality of the contexts that are useful for the reference, or for the answer if there is no reference."""
    question = value_to_text(case.input)
    if not question.strip():
        return RagasMeasurement(reason="there is no question")
    if not case.contexts:
        return RagasMeasurement(reason="there are no contexts")
    reference = case.actual if case.expected is MISSING or case.expected is None else case.expected
    answer = _reference_text(reference)
    properties = {"reason": {"type": "string"}, "useful": {"type": "boolean"}}
    questions: list[Chat] = []
    for context in case.contexts:
        prompt = prompt_messages("useful", {"question": question, "answer": answer, "passage": value_to_text(context)})
        questions.append(_build_chat(model, prompt, properties))
    replies = yield questions
    failed = next((reply for reply in replies if reply.problem is not None), None)
    verdicts = [{"context": number, **_reply_data(reply)} for number, reply in enumerate(replies, 1) if reply.problem is None]
    if failed is not None:
        return RagasMeasurement(failed=failed, details={"contexts": verdicts})
    useful = [bool(verdict["useful"]) for verdict in verdicts]
    hits = [f"context {number}" for number, is_useful in enumerate(useful, 1) if is_useful]
    misses = [f"context {number}" for number, is_useful in enumerate(useful, 1) if not is_useful]
    return RagasMeasurement(value=average_precision(useful), hits=hits, misses=misses, details={"contexts": verdicts})


def average_precision(useful: Sequence[bool]) -> float:
    """The mean precision at the ranks of the useful contexts.

    >>> average_precision([True, False, True]), average_precision([False, True]), average_precision([False])
    (0.8333333333333333, 0.5, 0.0)
    """
    precisions = [sum(useful[: rank + 1]) / (rank + 1) for rank, is_useful in enumerate(useful) if is_useful]
    return sum(precisions) / len(precisions) if precisions else 0.0


METRICS: Final[Mapping[str, Callable[[Case, Endpoint], JudgeSteps[RagasMeasurement]]]] = {
    "faithfulness": faithfulness,
    "answer_relevancy": answer_relevancy,
    "context_precision": context_precision,
    "context_recall": context_recall,
}


def _context_material(case: Case) -> dict[str, str]:
    return {f"context {number}": value_to_text(context) for number, context in enumerate(case.contexts or (), 1)}


def _build_chat(model: Endpoint, prompt: tuple[Message, ...], properties: Mapping[str, Any]) -> Chat:
    return Chat(endpoint=model, messages=prompt, schema=_object_schema(properties))


def _object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": list(properties), "additionalProperties": False}


def _list_schema(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(items)}


def _reply_data(reply: Reply) -> Any:
    """The parsed reply, untyped: its shape follows from the schema of the question."""
    return reply.data


_REQUIRED_PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "faithfulness": ("user_input", "response", "retrieved_contexts"),
    "answer_relevancy": ("user_input", "response"),
    "context_precision": ("user_input", "reference", "retrieved_contexts"),
    "context_utilization": ("user_input", "response", "retrieved_contexts"),
    "context_recall": ("user_input", "reference", "retrieved_contexts"),
}
"""By metric of the package, the parts of a sample that it needs."""
_MISSING_PARTS: Final[Mapping[str, str]] = {
    "user_input": "there is no question",
    "response": "the answer is empty",
    "reference": "the case has no expected value",
    "retrieved_contexts": "there are no contexts",
}


def measure_with_package(name: str, case: Case, model: Endpoint) -> JudgeSteps[RagasMeasurement]:
    """A metric computed by the package. Without a reference, context_precision is the package's context_utilization."""
    parts = _sample_parts(case)
    metric = "context_utilization" if name == "context_precision" and not parts["reference"] else name
    sample = {part: parts[part] for part in _REQUIRED_PARTS[metric]}
    missing = next((part for part, value in sample.items() if not value), None)
    if missing is not None:
        return RagasMeasurement(reason=_MISSING_PARTS[missing])
    reply = yield from ask_one(RagasMetric(endpoint=model, metric=metric, sample=sample))
    if reply.problem is not None:
        return RagasMeasurement(failed=reply)
    data: Any = reply.data
    verdicts = _READ_VERDICTS[name](data["said"], data["value"])
    hits = [text for text, holds in verdicts if holds]
    misses = [text for text, holds in verdicts if not holds]
    return RagasMeasurement(value=min(max(data["value"], 0.0), 1.0), hits=hits, misses=misses, details={"said": data["said"]})


def _sample_parts(case: Case) -> dict[str, Any]:
    return {
        "user_input": "" if case.input is None else value_to_text(case.input),
        "response": value_to_text(case.actual),
        "reference": "" if case.expected is MISSING or case.expected is None else _reference_text(case.expected),
        "retrieved_contexts": [value_to_text(context) for context in case.contexts or ()],
    }


TextVerdicts: TypeAlias = Sequence[tuple[str, bool]]


def _statement_verdicts(replies: Sequence[Any], _: float) -> TextVerdicts:
    """Each statement of the last reply with its verdict."""
    statements: list[Any] = replies[-1].get("statements") or replies[-1].get("classifications") or []
    return [(str(item["statement"]), bool(item.get("verdict", item.get("attributed")))) for item in statements]


def _context_verdicts(replies: Sequence[Any], _: float) -> TextVerdicts:
    return [(f"context {number}", bool(reply["verdict"])) for number, reply in enumerate(replies, 1)]


def _question_verdicts(replies: Sequence[Any], value: float) -> TextVerdicts:
    if all(reply["noncommittal"] for reply in replies):
        return [("noncommittal answer", False)]
    questions = dict.fromkeys(str(reply["question"]) for reply in replies)
    return [(question, value >= MIN_SIMILARITY) for question in questions]


_READ_VERDICTS: Final[Mapping[str, Callable[[Sequence[Any], float], TextVerdicts]]] = {
    "faithfulness": _statement_verdicts,
    "answer_relevancy": _question_verdicts,
    "context_precision": _context_verdicts,
    "context_recall": _statement_verdicts,
}
"""By metric, how hits and misses are read from the replies that the package received."""
