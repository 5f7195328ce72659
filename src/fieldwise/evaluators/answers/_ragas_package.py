"""The four metrics as the package `ragas` computes them, with what the model said to it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from fieldwise.evaluators.answers._ragas_metrics import ALIKE, Measured
from fieldwise.evaluators.judges._judge_prompts import as_text
from fieldwise.model.ask import Endpoint, Packaged, Steps, one
from fieldwise.model.case import Case
from fieldwise.model.values import MISSING

_NEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "faithfulness": ("user_input", "response", "retrieved_contexts"),
    "answer_relevancy": ("user_input", "response"),
    "context_precision": ("user_input", "reference", "retrieved_contexts"),
    "context_utilization": ("user_input", "response", "retrieved_contexts"),
    "context_recall": ("user_input", "reference", "retrieved_contexts"),
}
_LACKING: Final[Mapping[str, str]] = {
    "user_input": "there is no question",
    "response": "the answer is empty",
    "reference": "nothing is expected of this case",
    "retrieved_contexts": "there are no contexts",
}


def packaged(name: str, case: Case, model: Endpoint) -> Steps[Measured]:
    """One metric of one case. Without a reference, context_precision is measured by the answer, which the package names otherwise."""
    known = _sample(case)
    metric = "context_utilization" if name == "context_precision" and not known["reference"] else name
    sample = {part: known[part] for part in _NEEDS[metric]}
    lacking = next((part for part, value in sample.items() if not value), None)
    if lacking is not None:
        return Measured(why=_LACKING[lacking])
    reply = yield from one(Packaged(endpoint=model, metric=metric, sample=sample))
    if reply.problem is not None:
        return Measured(failed=reply)
    data: Any = reply.data
    marks = _MARKS[name](data["said"], data["value"])
    hits, misses = ([text for text, good in marks if good is wanted] for wanted in (True, False))
    return Measured(value=min(max(data["value"], 0.0), 1.0), hits=hits, misses=misses, details={"said": data["said"]})


def _sample(case: Case) -> dict[str, Any]:
    return {
        "user_input": "" if case.input is None else as_text(case.input),
        "response": as_text(case.actual),
        "reference": "" if case.expected is MISSING or case.expected is None else as_text(case.expected),
        "retrieved_contexts": [as_text(context) for context in case.contexts or ()],
    }


Marks = Sequence[tuple[str, bool]]


def _statements(said: Sequence[Any], _: float) -> Marks:
    """Of the last reply, each statement with its verdict."""
    judged: list[Any] = said[-1].get("statements") or said[-1].get("classifications") or []
    return [(str(one["statement"]), bool(one.get("verdict", one.get("attributed")))) for one in judged]


def _contexts(said: Sequence[Any], _: float) -> Marks:
    return [(f"context {number}", bool(one["verdict"])) for number, one in enumerate(said, 1)]


def _questions(said: Sequence[Any], value: float) -> Marks:
    if all(one["noncommittal"] for one in said):
        return [("noncommittal answer", False)]
    return [(question, value >= ALIKE) for question in dict.fromkeys(str(one["question"]) for one in said)]


_MARKS: Final[Mapping[str, Callable[[Sequence[Any], float], Marks]]] = {
    "faithfulness": _statements,
    "answer_relevancy": _questions,
    "context_precision": _contexts,
    "context_recall": _statements,
}
