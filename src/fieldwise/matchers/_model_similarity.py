"""Similarity of texts as judged by a model endpoint, for `fuzzy` and `semantic`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

from fieldwise.dataclass import dataclass
from fieldwise.model.ask import Chat, Endpoint, Reply, build_messages
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.services import Services
from fieldwise.numpy_on_use import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_REPLY_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "similarity": {"type": "number", "minimum": 0, "maximum": 1}},
    "required": ["reason", "similarity"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ModelSimilarities:
    """A model's similarity for each pair."""

    value: NDArray[np.float64]
    """NaN where the reply is not usable; then `faults` says why."""
    notes: Mapping[int, str]
    """The model's reasons."""
    faults: Mapping[int, Diagnostic]


def ask_similarities(
    kind: Literal["fuzzy", "semantic"], pairs: Sequence[tuple[str, str]], model: Endpoint, services: Services
) -> ModelSimilarities:
    """Ask a model how similar the texts of each pair are; a pair that occurs twice is asked about once."""
    distinct = list(dict.fromkeys(pairs))
    replies = services.ask([_build_question(kind, expected, actual, model) for expected, actual in distinct])
    reply_by_pair = dict(zip(distinct, replies, strict=True))
    value = np.full(len(pairs), np.nan)
    notes: dict[int, str] = {}
    faults: dict[int, Diagnostic] = {}
    for row, pair in enumerate(pairs):
        reply = reply_by_pair[pair]
        if reply.problem:
            faults[row] = _build_fault(reply)
        else:
            answer: Any = reply.data
            value[row] = answer["similarity"]
            notes[row] = str(answer["reason"])
    return ModelSimilarities(value, notes, faults)


def _build_question(kind: str, expected: str, actual: str, model: Endpoint) -> Chat:
    messages = build_messages(_read_prompt(kind), {"expected": expected, "actual": actual})
    return Chat(endpoint=model, messages=messages, schema=_REPLY_SCHEMA, name="likeness")


def _build_fault(reply: Reply) -> Diagnostic:
    return Diagnostic(code="unavailable" if reply.missing else "unusable-reply", what=reply.problem or "", fix=reply.fix)


@cache  # two files that ship with the package and never change
def _read_prompt(kind: str) -> str:
    from importlib.resources import files

    return files("fieldwise.matchers").joinpath("prompts", f"{kind}.txt").read_text(encoding="utf-8")
