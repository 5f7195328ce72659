"""A model as a judge, by a prompt or by a rubric of weighted criteria; the details hold its reasons."""

from collections.abc import Mapping
from typing import Annotated, Any

from fieldwise.dataclass import dataclass
from fieldwise.evaluators.judges._judging import fill_hits_and_misses, prompt_messages, unanswered_result, value_to_text
from fieldwise.model.answer_values import read_answers
from fieldwise.model.ask import DEFAULT_ENDPOINT, Chat, Endpoint, Judgement, Reply, ask_one
from fieldwise.model.bounds import Ge, MinLen
from fieldwise.model.case import Case
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING
from fieldwise.registry import judge
from fieldwise.specs import EvaluatorExample

_TEXT_LIST: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}, "maxItems": 8}  # bounded: small models may not end a list
_JUDGEMENT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        "hits": _TEXT_LIST,
        "misses": _TEXT_LIST,
        "score": {"type": "number", "minimum": 0, "maximum": 1},
    },
    "required": ["reasoning", "hits", "misses", "score"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One criterion of a rubric."""

    name: Annotated[str, MinLen(1)]
    """Name in hits, misses and details."""
    description: str = ""
    """What the model is asked to judge; default: the name."""
    weight: Annotated[float, Ge(0)] = 1.0
    """Weight in the score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmJudge:
    """The prompt or rubric, and the model."""

    prompt: Annotated[str, MinLen(1)] | None = None
    """Instructions. The case is appended: question, reference, answer and contexts, each fenced."""
    rubric: tuple[Criterion | Annotated[str, MinLen(1)], ...] = ()
    """Criteria, each judged separately: `{name, description, weight}`, or a text. The score is their weighted mean."""
    scale: Annotated[int, Ge(1)] = 1
    """Maximum points of a criterion; 1: met or not met. Only the maximum is a hit."""
    model: Endpoint = DEFAULT_ENDPOINT
    """The model that judges."""

    def problems(self) -> list[tuple[str, str, str | None]]:
        """No prompt and no rubric, duplicate names, weights that are all 0, placeholders in the prompt."""
        if self.prompt is None and not self.rubric:
            return [("", "`llm_judge` needs a `prompt` or a `rubric`", 'add `prompt: "…"`, or `rubric: [{name: …, description: …}]`')]
        problems: list[tuple[str, str, str | None]] = []
        names = [criterion.name for criterion in self.criteria()]
        if len(set(names)) < len(names):
            problems.append(("rubric", "two criteria have the same name", "give each a `name` of its own"))
        if self.rubric and not sum(criterion.weight for criterion in self.criteria()):
            problems.append(("rubric", "no criterion has a weight above 0", "leave out `weight`, or raise one"))
        if self.prompt and "{{" in self.prompt:
            problems.append(
                ("prompt", "placeholders such as {{answer}} are not filled in", "remove them: the case is appended to the prompt")
            )
        return problems

    def criteria(self) -> list[Criterion]:
        """The rubric with every criterion as a `Criterion`."""
        return [Criterion(name=item) if isinstance(item, str) else item for item in self.rubric]


@judge(
    metrics=(),
    examples=[
        EvaluatorExample(options={"prompt": "Is it right?"}),
        EvaluatorExample(options={"rubric": ["polite", {"name": "short", "weight": 2}], "scale": 4}),
    ],
)
def llm_judge(case: Case, config: LlmJudge) -> Judgement:
    """The score that the model gives the answer."""
    if config.rubric:
        return (yield from _judge_by_rubric(case, config))
    prompt = prompt_messages("llm_judge", _case_material(case), instructions=config.prompt or "")
    reply = yield from ask_one(Chat(endpoint=config.model, messages=prompt, schema=_JUDGEMENT_SCHEMA, name="judgement"))
    if reply.problem is not None:
        return unanswered_result(reply)
    judgement: Any = reply.data
    hits, misses = fill_hits_and_misses(judgement["score"], judgement["hits"], judgement["misses"])
    return Result(score=float(judgement["score"]), hits=hits, misses=misses, reasoning=judgement["reasoning"])


def _case_material(case: Case) -> dict[str, str]:
    """The parts of the case to judge, by name."""
    material = {"question": value_to_text(case.input)} if case.input is not None else {}
    expected, actual = read_answers(case.expected, case.actual)
    if expected is not MISSING and expected is not None:
        material["reference"] = value_to_text(expected)
    material["answer"] = value_to_text(actual)
    return material | {f"context {number}": value_to_text(context) for number, context in enumerate(case.contexts or (), 1)}


def _judge_by_rubric(case: Case, config: LlmJudge) -> Judgement:
    criteria = config.criteria()
    criteria_list = "\n".join(f"- {item.name}: {item.description}" if item.description else f"- {item.name}" for item in criteria)
    scale = "1 if it is met, 0 if it is not" if config.scale == 1 else f"from 0, not met at all, to {config.scale}, fully met"
    instructions = f"\n{config.prompt}\n" if config.prompt else ""
    schema = _rubric_schema(criteria, config.scale)
    prompt = prompt_messages("llm_judge_rubric", _case_material(case), instructions=instructions, criteria=criteria_list, scale=scale)
    reply = yield from ask_one(Chat(endpoint=config.model, messages=prompt, schema=schema, name="judgement"))
    return unanswered_result(reply) if reply.problem is not None else _weigh_points(reply, config)


def _rubric_schema(criteria: list[Criterion], scale: int) -> dict[str, Any]:
    each = {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "points": {"type": "integer", "minimum": 0, "maximum": scale}},
        "required": ["reason", "points"],
        "additionalProperties": False,
    }
    names = [criterion.name for criterion in criteria]
    return {"type": "object", "properties": dict.fromkeys(names, each), "required": names, "additionalProperties": False}


def _weigh_points(reply: Reply, config: LlmJudge) -> Result:
    """The weighted mean of the points, with the reason for each criterion."""
    judgements: Any = reply.data
    hits: list[str] = []
    misses: list[str] = []
    total = 0.0
    for criterion in config.criteria():
        points = judgements[criterion.name]["points"]
        total += criterion.weight * points / config.scale
        if points == config.scale:
            hits.append(criterion.name)
        else:
            misses.append(criterion.name if config.scale == 1 else f"{criterion.name} ({points}/{config.scale})")
    reasons = {criterion.name: dict(judgements[criterion.name]) for criterion in config.criteria()}
    return Result(
        score=total / sum(criterion.weight for criterion in config.criteria()),
        hits=hits,
        misses=misses,
        reasoning="; ".join(f"{name}: {reason['reason']}" for name, reason in reasons.items()),
        details={"criteria": reasons},
    )
