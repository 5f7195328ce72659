"""Shared parts of judges: prompts from text files, values as text, results of unanswered questions."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from fieldwise.kernels.values import canonical_json
from fieldwise.model.ask import Message, Reply, build_messages
from fieldwise.model.result import Result, fault_result, unavailable_result
from fieldwise.model.values import MISSING, Value


@cache  # prompt files do not change while the program runs
def _read_prompt(name: str) -> str:
    return files("fieldwise.evaluators.judges").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")


def prompt_messages(name: str, material: Mapping[str, str], **variables: str) -> tuple[Message, ...]:
    """The prompt file of that name with its variables filled in, followed by the fenced material."""
    return build_messages(_read_prompt(name), material, **variables)


def value_to_text(value: Value) -> str:
    """Text unchanged, other values as JSON, an absent value as empty text.

    >>> value_to_text("604"), value_to_text({"a": 1})
    ('604', '{"a":1}')
    """
    if value is MISSING or value is None:
        return ""
    return value if isinstance(value, str) else canonical_json(value) or json.dumps(value, default=str)


def unanswered_result(reply: Reply, **details: Any) -> Result:
    """The result for a reply with a problem: unavailable if a model or program is missing, else a fault with the raw reply."""
    reason = reply.problem or "no answer"
    if reply.missing:
        return unavailable_result(reason, reply.fix, **details)
    return fault_result(reason, **details, **({"raw_reply": reply.text} if reply.text else {}))


def fill_hits_and_misses(score: float, hits: Sequence[str], misses: Sequence[str]) -> tuple[list[str], list[str]]:
    """Hits and misses of a judge; if it names none, `score` becomes one or both, so that the verdict follows the score.

    >>> fill_hits_and_misses(1.0, [], []), fill_hits_and_misses(0.5, [], []), fill_hits_and_misses(0.5, ["a"], [])
    ((['score'], []), (['score'], ['score']), (['a'], []))
    """
    if hits or misses:
        return list(hits), list(misses)
    return ["score"] * (score > 0), ["score"] * (score < 1)
