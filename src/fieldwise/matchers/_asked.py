"""How alike two texts are, asked of a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.ask import Chat, Endpoint, Reply
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.prompt import fenced
from fieldwise.ports import answers

_SHAPE: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "similarity": {"type": "number", "minimum": 0, "maximum": 1}},
    "required": ["reason", "similarity"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Likeness:
    """What the model said of each pair."""

    value: NDArray[np.float64]
    """NaN where it said nothing that can be used; then `faults` says why."""
    notes: Mapping[int, str]
    """Its reasons."""
    faults: Mapping[int, Diagnostic]


def likeness(kind: Literal["fuzzy", "semantic"], pairs: Sequence[tuple[str, str]], model: Endpoint) -> Likeness:
    """How alike the texts of each pair are; a pair that occurs twice is asked about once."""
    distinct = list(dict.fromkeys(pairs))
    chats = [
        Chat(endpoint=model, messages=fenced(_prompt(kind), {"expected": one, "actual": other}), schema=_SHAPE, name="likeness")
        for one, other in distinct
    ]
    replies = dict(zip(distinct, answers(chats), strict=True))
    found = [replies[pair] for pair in pairs]
    said: list[Any] = [reply.data for reply in found]
    return Likeness(
        np.array([np.nan if reply.problem else data["similarity"] for reply, data in zip(found, said, strict=True)], dtype=np.float64),
        {row: str(said[row]["reason"]) for row, reply in enumerate(found) if not reply.problem},
        {row: _fault(reply) for row, reply in enumerate(found) if reply.problem},
    )


def _fault(reply: Reply) -> Diagnostic:
    return Diagnostic(code="unavailable" if reply.missing else "unusable-reply", what=reply.problem or "", fix=reply.fix)


@cache
def _prompt(kind: str) -> str:
    return files("fieldwise.matchers").joinpath("prompts", f"{kind}.txt").read_text(encoding="utf-8")
