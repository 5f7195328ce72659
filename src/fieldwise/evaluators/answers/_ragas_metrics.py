"""The four metrics for retrieval-augmented answers, by their published definitions; every claim and verdict is kept.

faithfulness: claims of the answer that follow from the contexts, of all its claims. answer_relevancy: how alike the question is to
questions that the answer would answer (mean cosine), 0 for a noncommittal answer. context_precision: mean precision at k over the
ranks k of useful contexts. context_recall: claims of the reference that follow from the contexts, of all its claims.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from fieldwise.evaluators.judges._judge_prompts import as_text, messages
from fieldwise.model.ask import Chat, Embed, Endpoint, Message, Reply, Steps, one
from fieldwise.model.case import Case
from fieldwise.model.values import MISSING

Name = Literal["faithfulness", "answer_relevancy", "context_precision", "context_recall"]
QUESTIONS = 3
"""How many questions are made from an answer, as in the published settings."""
ALIKE = 0.5
"""From which similarity a question made from the answer counts as a hit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One metric of one case."""

    value: float | None = None
    """None where it could not be measured; then `why` or `failed` says why."""
    why: str | None = None
    failed: Reply | None = None
    hits: Sequence[str] = ()
    misses: Sequence[str] = ()
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])


Metric = Callable[[Case, Endpoint], Steps[Measured]]


def faithfulness(case: Case, model: Endpoint) -> Steps[Measured]:
    """Which claims of the answer follow from the contexts."""
    if not case.contexts:
        return Measured(why="there are no contexts")
    return (yield from _claims_supported(case, model, "claims", "answer", as_text(case.actual)))


def context_recall(case: Case, model: Endpoint) -> Steps[Measured]:
    """Which claims of the reference follow from the contexts."""
    if case.expected is MISSING or case.expected is None:
        return Measured(why="nothing is expected of this case")
    if not case.contexts:
        return Measured(why="there are no contexts")
    return (yield from _claims_supported(case, model, "reference_claims", "reference", as_text(case.expected)))


def _claims_supported(case: Case, model: Endpoint, prompt: str, part: str, text: str) -> Steps[Measured]:
    question = {"question": as_text(case.input)} if case.input is not None else {}
    reply = yield from one(_chat(model, messages(prompt, {**question, part: text}), {"claims": _list({"type": "string"})}))
    if reply.problem is not None:
        return Measured(failed=reply)
    claims = _data(reply)["claims"]
    if not claims:
        return Measured(why=f"the {part} states nothing")
    numbered = "\n".join(f"{number}. {claim}" for number, claim in enumerate(claims, 1))
    verdict = _object({"number": {"type": "integer"}, "reason": {"type": "string"}, "supported": {"type": "boolean"}})
    shape = {"verdicts": {**_list(verdict), "minItems": len(claims), "maxItems": len(claims)}}
    reply = yield from one(_chat(model, messages("supported", {**_contexts(case), "claims": numbered}), shape))
    if reply.problem is not None:
        return Measured(failed=reply, details={"claims": [{"claim": claim} for claim in claims]})
    verdicts = _in_order(_data(reply)["verdicts"])
    judged = [
        {"claim": claim, "supported": verdict["supported"], "reason": verdict["reason"]}
        for claim, verdict in zip(claims, verdicts, strict=True)
    ]
    hits = [each["claim"] for each in judged if each["supported"]]
    misses = [each["claim"] for each in judged if not each["supported"]]
    return Measured(value=len(hits) / len(judged), hits=hits, misses=misses, details={"claims": judged})


def _in_order(verdicts: Sequence[Any]) -> list[Any]:
    """By their numbers, where each claim has one; else as they stand.

    >>> [verdict["supported"] for verdict in _in_order([{"number": 2, "supported": False}, {"number": 1, "supported": True}])]
    [True, False]
    """
    complete = {verdict["number"] for verdict in verdicts} == set(range(1, len(verdicts) + 1))
    return sorted(verdicts, key=lambda verdict: verdict["number"]) if complete else list(verdicts)


def answer_relevancy(case: Case, model: Endpoint) -> Steps[Measured]:
    """How alike the question is to questions made from the answer."""
    if not as_text(case.input).strip():
        return Measured(why="there is no question")
    asked = as_text(case.input)
    shape = {
        "questions": {**_list({"type": "string"}), "minItems": QUESTIONS, "maxItems": QUESTIONS},
        "noncommittal": {"type": "boolean"},
    }
    reply = yield from one(_chat(model, messages("questions", {"answer": as_text(case.actual)}, count=str(QUESTIONS)), shape))
    if reply.problem is not None:
        return Measured(failed=reply)
    made, noncommittal = _data(reply)["questions"], _data(reply)["noncommittal"]
    embedded = yield from one(Embed(texts=(asked, *made)))
    if embedded.problem is not None:
        return Measured(failed=embedded, details={"questions": made, "noncommittal": noncommittal})
    vectors = np.asarray(embedded.vectors, dtype=np.float64)
    cosines = np.clip(vectors[1:] @ vectors[0], 0.0, 1.0).tolist()
    alike = [1.0 if question == asked else cosine for question, cosine in zip(made, cosines, strict=True)]
    found = [{"question": question, "similarity": round(value, 6)} for question, value in zip(made, alike, strict=True)]
    hits = [] if noncommittal else [question for question, value in zip(made, alike, strict=True) if value >= ALIKE]
    misses = ["noncommittal answer"] if noncommittal else [question for question in made if question not in hits]
    value = 0.0 if noncommittal else sum(alike) / len(alike)
    return Measured(value=value, hits=hits, misses=misses, details={"questions": found, "noncommittal": noncommittal})


def context_precision(case: Case, model: Endpoint) -> Steps[Measured]:
    """Whether useful contexts stand before useless ones; useful for the reference, or for the answer where there is none."""
    if not as_text(case.input).strip():
        return Measured(why="there is no question")
    if not case.contexts:
        return Measured(why="there are no contexts")
    reference = case.actual if case.expected is MISSING or case.expected is None else case.expected
    asks = [
        _chat(
            model,
            messages("useful", {"question": as_text(case.input), "answer": as_text(reference), "passage": as_text(context)}),
            {"reason": {"type": "string"}, "useful": {"type": "boolean"}},
        )
        for context in case.contexts
    ]
    replies = yield asks
    failed = next((reply for reply in replies if reply.problem is not None), None)
    judged = [{"context": number, **_data(reply)} for number, reply in enumerate(replies, 1) if reply.problem is None]
    if failed is not None:
        return Measured(failed=failed, details={"contexts": judged})
    useful = [bool(each["useful"]) for each in judged]
    hits = [f"context {number}" for number, good in enumerate(useful, 1) if good]
    misses = [f"context {number}" for number, good in enumerate(useful, 1) if not good]
    return Measured(value=average_precision(useful), hits=hits, misses=misses, details={"contexts": judged})


def average_precision(useful: Sequence[bool]) -> float:
    """The mean, over the ranks of useful contexts, of the share of useful ones up to there.

    >>> average_precision([True, False, True]), average_precision([False, True]), average_precision([False])
    (0.8333333333333333, 0.5, 0.0)
    """
    found = [sum(useful[: rank + 1]) / (rank + 1) for rank, good in enumerate(useful) if good]
    return sum(found) / len(found) if found else 0.0


METRICS: Mapping[str, Metric] = {
    "faithfulness": faithfulness,
    "answer_relevancy": answer_relevancy,
    "context_precision": context_precision,
    "context_recall": context_recall,
}


def _contexts(case: Case) -> dict[str, str]:
    return {f"context {number}": as_text(context) for number, context in enumerate(case.contexts or (), 1)}


def _chat(model: Endpoint, prompt: tuple[Message, ...], properties: Mapping[str, Any]) -> Chat:
    return Chat(endpoint=model, messages=prompt, schema=_object(properties))


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": list(properties), "additionalProperties": False}


def _list(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(items)}


def _data(reply: Reply) -> Any:
    return reply.data
