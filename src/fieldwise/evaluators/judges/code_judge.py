"""A program of one's own as a judge: it reads a case as JSON on standard input and prints its judgement as JSON.

It is given `candidate_answer` and `reference_answer` (text; objects as JSON), `input`, `contexts`, `metadata`, and as `config` every
option that is not one of `code_judge` itself. It prints `{"score": 0.5, "hits": [...], "misses": [...], "reasoning": "..."}`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, MinLen

from fieldwise.evaluators.judges._judge_prompts import as_text
from fieldwise.evaluators.judges._judge_results import marks
from fieldwise.model.ask import Command, Judgement, Limits, Reply, one
from fieldwise.model.case import Case
from fieldwise.model.faults import fault
from fieldwise.model.options import PassThrough, RelativePath
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING
from fieldwise.registry import judge

_KEYS = ("score", "hits", "misses", "reasoning")
_KEPT = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """How the program runs."""

    env: tuple[Annotated[str, MinLen(1)], ...] = ()
    """Names of environment variables that it may see, besides PATH, HOME, LANG, LC_ALL, LC_CTYPE, TZ and TMPDIR."""
    limits: Limits = field(default_factory=Limits)
    """What it and everything it starts may use."""
    reply: Literal["json", "exit_code"] = "json"
    """`exit_code` takes 0 for a pass, 1 for a fail, and any other code for a fault of the program."""
    workers: Annotated[int, Ge(0)] = 0
    """0 starts it anew for each case. n keeps up to n of it, each reading one case a line and printing one judgement a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeJudge:
    """Which program judges, and what it is told besides the case."""

    script: Annotated[str, RelativePath(), MinLen(1)] | Annotated[tuple[str, ...], MinLen(1)]
    """A path relative to the suite (`.py` runs by this Python, anything else by itself), or a list of program and arguments."""
    timeout: Annotated[float, Gt(0)] = 30.0
    """Seconds it may take for a case."""
    cwd: Annotated[str, RelativePath()] = "."
    """The folder it runs in; default: the suite's."""
    process: Process = field(default_factory=Process)
    config: Annotated[Mapping[str, Any], PassThrough()] = field(default_factory=dict[str, Any])

    def problems(self) -> list[tuple[str, str, str | None]]:
        """Options that exclude each other."""
        if self.process.workers and self.process.reply == "exit_code":
            return [("process", "a worker has no exit code for each case", "leave out `workers`, or print JSON")]
        return []


@judge
def code_judge(case: Case, config: CodeJudge) -> Judgement:
    """What the program says of the case."""
    reply = yield from one(
        Command(
            argv=(config.script,) if isinstance(config.script, str) else config.script,
            script=isinstance(config.script, str),
            stdin=payload(case, config.config),
            cwd=config.cwd,
            timeout=config.timeout,
            limits=config.process.limits,
            env=config.process.env,
            workers=config.process.workers,
        )
    )
    if reply.problem is not None:
        return _broken(reply.problem, reply)
    if config.process.reply == "exit_code":
        return _by_exit_code(reply)
    if reply.exit_code:
        return _broken(f"it ended with exit code {reply.exit_code}", reply)
    return _judged(reply)


def payload(case: Case, config: Mapping[str, Any]) -> str:
    """What the program reads, in one line.

    >>> payload(Case(id="1", expected={"a": 1}, actual="a is 1"), {"algorithm": "levenshtein"})  # doctest: +ELLIPSIS
    '{"candidate_answer": "a is 1", "reference_answer": "{\\\\"a\\\\":1}", "input": null, "contexts": [], "metadata": {}, "config": ...}'
    """
    return json.dumps(
        {
            "candidate_answer": as_text(case.actual),
            "reference_answer": None if case.expected is MISSING or case.expected is None else as_text(case.expected),
            "input": case.input,
            "contexts": list(case.contexts or ()),
            "metadata": case.metadata,
            "config": config,
        },
        default=str,
    )


def _broken(problem: str, reply: Reply) -> Result:
    last = reply.stderr.strip().splitlines()[-1:] if reply.stderr.strip() else []
    return fault(": ".join([problem, *last])[:_KEPT], **_process(reply), stdout=reply.text[:_KEPT])


def _process(reply: Reply) -> dict[str, Any]:
    told: dict[str, Any] = {"exit_code": reply.exit_code, "seconds": round(reply.usage.seconds, 3)}
    return {**told, **({"stderr": reply.stderr[-_KEPT:]} if reply.stderr else {})}


def _by_exit_code(reply: Reply) -> Result:
    if reply.exit_code not in (0, 1):
        return _broken(f"it ended with exit code {reply.exit_code}, neither 0 for a pass nor 1 for a fail", reply)
    passed = reply.exit_code == 0
    said = (reply.text.strip() or reply.stderr)[:_KEPT]
    hits, misses = (["exit code 0"], []) if passed else ([], ["exit code 1"])
    return Result(score=float(passed), hits=hits, misses=misses, reasoning=said, details=_process(reply))


def _judged(reply: Reply) -> Result:
    try:
        said: Any = json.loads(reply.text)
    except ValueError:
        what = "nothing" if not reply.text.strip() else f"something that is not JSON: {reply.text.strip()[:80]}"
        return _broken(f'it printed {what}; it should print {{"score": …, "hits": […], "misses": […], "reasoning": "…"}}', reply)
    wrong = _wrong(said)
    if wrong:
        return _broken(wrong, reply)
    score = float(said["score"])
    hits, misses = marks(score, said.get("hits") or [], said.get("misses") or [])
    others = {key: value for key, value in said.items() if key not in _KEYS}
    details = {**_process(reply), **({"judge": others} if others else {})}
    return Result(score=score, hits=hits, misses=misses, reasoning=said.get("reasoning") or "", details=details)


def _wrong(said: Any) -> str | None:
    """What is wrong with a judgement."""
    if not isinstance(said, dict) or "score" not in said:
        return "it printed JSON without a `score`"
    score = said["score"]
    if isinstance(score, bool) or not isinstance(score, int | float) or not isfinite(score) or not 0 <= score <= 1:
        return f"its score is {json.dumps(score)}, not a number from 0 to 1"
    for key in ("hits", "misses"):
        found = [] if said.get(key) is None else said[key]
        if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
            return f"its `{key}` must be a list of texts"
    if not isinstance(said.get("reasoning"), str | None):
        return "its `reasoning` must be text"
    return None
