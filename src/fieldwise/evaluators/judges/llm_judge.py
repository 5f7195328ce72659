"""A model as a judge, by a prompt or by a rubric of criteria with weights; its reasons are kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import Ge, MinLen

from fieldwise.evaluators.judges._judge_prompts import as_text, messages
from fieldwise.evaluators.judges._judge_results import marks, not_answered
from fieldwise.model.ask import ANY_ENDPOINT, Chat, Endpoint, Judgement, Reply, one
from fieldwise.model.case import Case
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING
from fieldwise.registry import judge

_TEXTS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}, "maxItems": 8}  # small models never end a list by themselves
_WHOLE: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        "hits": _TEXTS,
        "misses": _TEXTS,
        "score": {"type": "number", "minimum": 0, "maximum": 1},
    },
    "required": ["reasoning", "hits", "misses", "score"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One thing to judge by itself."""

    name: Annotated[str, MinLen(1)]
    description: str = ""
    weight: Annotated[float, Ge(0)] = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmJudge:
    """What the model judges by, and which model."""

    prompt: Annotated[str, MinLen(1)] | None = None
    """Instructions in words. The case follows by itself: question, reference, answer and contexts, each fenced off."""
    rubric: tuple[Criterion | Annotated[str, MinLen(1)], ...] = ()
    """Criteria, each judged for itself: `{name, description, weight}`, or just what has to hold. The score is their weighted mean."""
    scale: Annotated[int, Ge(1)] = 1
    """Points that a criterion can get: 1 is met or not met. Only full points are a hit."""
    model: Endpoint = ANY_ENDPOINT

    def problems(self) -> list[tuple[str, str, str | None]]:
        """A judge needs something to judge by, criteria names of their own, and a weight that counts."""
        if self.prompt is None and not self.rubric:
            return [("", "`llm_judge` needs a `prompt` or a `rubric`", 'add `prompt: "…"`, or `rubric: [{name: …, description: …}]`')]
        found: list[tuple[str, str, str | None]] = []
        names = [criterion.name for criterion in self.criteria()]
        if len(set(names)) < len(names):
            found.append(("rubric", "two criteria have the same name", "give each a `name` of its own"))
        if self.rubric and not sum(criterion.weight for criterion in self.criteria()):
            found.append(("rubric", "no criterion has a weight above 0", "leave out `weight`, or raise one"))
        if self.prompt and "{{" in self.prompt:
            found.append(("prompt", "placeholders such as {{answer}} are not filled in", "leave them out: the case follows by itself"))
        return found

    def criteria(self) -> list[Criterion]:
        """The rubric, each criterion in full."""
        return [Criterion(name=item) if isinstance(item, str) else item for item in self.rubric]


@judge
def llm_judge(case: Case, config: LlmJudge) -> Judgement:
    """What the model says of the answer."""
    if config.rubric:
        return (yield from _by_rubric(case, config))
    prompt = messages("llm_judge", _material(case), instructions=config.prompt or "")
    reply = yield from one(Chat(endpoint=config.model, messages=prompt, schema=_WHOLE, name="judgement"))
    if reply.problem is not None:
        return not_answered(reply)
    said: Any = reply.data
    hits, misses = marks(said["score"], said["hits"], said["misses"])
    return Result(score=float(said["score"]), hits=hits, misses=misses, reasoning=said["reasoning"])


def _material(case: Case) -> dict[str, str]:
    """What there is to judge, by name."""
    found = {"question": as_text(case.input)} if case.input is not None else {}
    if case.expected is not MISSING and case.expected is not None:
        found["reference"] = as_text(case.expected)
    found["answer"] = as_text(case.actual)
    return found | {f"context {number}": as_text(context) for number, context in enumerate(case.contexts or (), 1)}


def _by_rubric(case: Case, config: LlmJudge) -> Judgement:
    criteria = config.criteria()
    listed = "\n".join(f"- {item.name}: {item.description}" if item.description else f"- {item.name}" for item in criteria)
    scale = "1 if it is met, 0 if it is not" if config.scale == 1 else f"from 0, not met at all, to {config.scale}, fully met"
    instructions = f"\n{config.prompt}\n" if config.prompt else ""
    prompt = messages("llm_judge_rubric", _material(case), instructions=instructions, criteria=listed, scale=scale)
    reply = yield from one(Chat(endpoint=config.model, messages=prompt, schema=_points(criteria, config.scale), name="judgement"))
    return not_answered(reply) if reply.problem is not None else _weighed(reply, config)


def _points(criteria: list[Criterion], scale: int) -> dict[str, Any]:
    each = {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "points": {"type": "integer", "minimum": 0, "maximum": scale}},
        "required": ["reason", "points"],
        "additionalProperties": False,
    }
    names = [criterion.name for criterion in criteria]
    return {"type": "object", "properties": dict.fromkeys(names, each), "required": names, "additionalProperties": False}


def _weighed(reply: Reply, config: LlmJudge) -> Result:
    """The weighted mean of the points, each with its reason."""
    said: Any = reply.data
    hits: list[str] = []
    misses: list[str] = []
    total = 0.0
    for criterion in config.criteria():
        points = said[criterion.name]["points"]
        total += criterion.weight * points / config.scale
        if points == config.scale:
            hits.append(criterion.name)
        else:
            misses.append(criterion.name if config.scale == 1 else f"{criterion.name} ({points}/{config.scale})")
    reasons = {criterion.name: dict(said[criterion.name]) for criterion in config.criteria()}
    return Result(
        score=total / sum(criterion.weight for criterion in config.criteria()),
        hits=hits,
        misses=misses,
        reasoning="; ".join(f"{name}: {reason['reason']}" for name, reason in reasons.items()),
        details={"criteria": reasons},
    )
