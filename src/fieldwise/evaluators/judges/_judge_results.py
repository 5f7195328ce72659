"""What judges have in common in what they say of a case."""

from collections.abc import Sequence
from typing import Any

from fieldwise.model.ask import Reply
from fieldwise.model.faults import fault, unavailable
from fieldwise.model.result import Result


def not_answered(reply: Reply, **details: Any) -> Result:
    """The result where a question brought no usable answer: unavailable where nobody could be asked, else a fault with what was said."""
    reason = reply.problem or "no answer"
    if reply.missing:
        return unavailable(reason, reply.fix, **details)
    return fault(reason, **details, **({"raw_reply": reply.text} if reply.text else {}))


def marks(score: float, hits: Sequence[str], misses: Sequence[str]) -> tuple[list[str], list[str]]:
    """Hits and misses; where a judge names none, the score itself is one or the other, so that the verdict follows it.

    >>> marks(1.0, [], []), marks(0.5, [], []), marks(0.5, ["a"], [])
    ((['score'], []), (['score'], ['score']), (['a'], []))
    """
    if hits or misses:
        return list(hits), list(misses)
    return ["score"] * (score > 0), ["score"] * (score < 1)
