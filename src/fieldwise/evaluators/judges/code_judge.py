"""A custom program as a judge: it reads a case as JSON from standard input and prints its judgement as JSON.

The input has `candidate_answer` and `reference_answer` (text; objects as JSON), `input`, `contexts`, `metadata`, and as `config` every
option that is not one of `code_judge` itself. The program prints `{"score": 0.5, "hits": [...], "misses": [...], "reasoning": "..."}`.
"""

import json
from collections.abc import Mapping
from dataclasses import field
from math import isfinite
from typing import Annotated, Any, Literal

from fieldwise.dataclass import dataclass
from fieldwise.evaluators.judges._judging import fill_hits_and_misses, value_to_text
from fieldwise.model.ask import Command, Judgement, ProcessLimits, Reply, ask_one
from fieldwise.model.bounds import Ge, Gt, MinLen
from fieldwise.model.case import Case
from fieldwise.model.options import PassThrough, RelativePath
from fieldwise.model.result import Result, fault_result
from fieldwise.model.values import MISSING
from fieldwise.registry import judge
from fieldwise.specs import EvaluatorExample

_JUDGEMENT_KEYS = ("score", "hits", "misses", "reasoning")
_MAX_OUTPUT = 2000
"""Characters of the program's output that details and reasons hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessOptions:
    """How the program runs."""

    env: tuple[Annotated[str, MinLen(1)], ...] = ()
    """Names of environment variables passed to it, besides PATH, HOME, LANG, LC_ALL, LC_CTYPE, TZ and TMPDIR."""
    limits: ProcessLimits = field(default_factory=ProcessLimits)
    """Limits on it and its child processes."""
    reply: Literal["json", "exit_code"] = "json"
    """`exit_code`: 0 is a pass, 1 is a fail, any other code is a fault of the program."""
    workers: Annotated[int, Ge(0)] = 0
    """0 starts a process per case. n keeps up to n processes, each reading one case per line and printing one judgement per line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeJudge:
    """The program and how it runs."""

    script: Annotated[str, RelativePath(), MinLen(1)] | Annotated[tuple[str, ...], MinLen(1)]
    """A path relative to the suite (`.py` runs with the current Python, anything else is executed), or a list of program and arguments."""
    timeout: Annotated[float, Gt(0)] = 30.0
    """Maximum seconds per case."""
    cwd: Annotated[str, RelativePath()] = "."
    """Working directory; default: the folder of the suite."""
    process: ProcessOptions = field(default_factory=ProcessOptions)
    """Environment, limits, form of the reply, and number of processes."""
    config: Annotated[Mapping[str, Any], PassThrough()] = field(default_factory=dict)
    """Passed to the program as `config`."""

    def problems(self) -> list[tuple[str, str, str | None]]:
        """Options that exclude each other."""
        if self.process.workers and self.process.reply == "exit_code":
            return [("process", "a worker has no exit code for each case", "leave out `workers`, or print JSON")]
        return []


@judge(metrics=(), examples=[EvaluatorExample(options={"script": ["judge"], "threshold": 0.5})])
def code_judge(case: Case, config: CodeJudge) -> Judgement:
    """The score that the program gives the case."""
    reply = yield from ask_one(
        Command(
            argv=(config.script,) if isinstance(config.script, str) else config.script,
            script=isinstance(config.script, str),
            stdin=encode_case(case, config.config),
            cwd=config.cwd,
            timeout=config.timeout,
            limits=config.process.limits,
            env=config.process.env,
            workers=config.process.workers,
        )
    )
    if reply.problem is not None:
        return _program_fault(reply.problem, reply)
    if config.process.reply == "exit_code":
        return _result_of_exit_code(reply)
    if reply.exit_code:
        return _program_fault(f"it ended with exit code {reply.exit_code}", reply)
    return _result_of_json(reply)


def encode_case(case: Case, config: Mapping[str, Any]) -> str:
    """The standard input of the program: the case as one line of JSON.

    >>> encode_case(Case(id="1", expected={"a": 1}, actual="a is 1"), {"algorithm": "levenshtein"})  # doctest: +ELLIPSIS
    '{"candidate_answer": "a is 1", "reference_answer": "{\\\\"a\\\\":1}", "input": null, "contexts": [], "metadata": {}, "config": ...}'
    """
    return json.dumps(
        {
            "candidate_answer": value_to_text(case.actual),
            "reference_answer": None if case.expected is MISSING or case.expected is None else value_to_text(case.expected),
            "input": case.input,
            "contexts": list(case.contexts or ()),
            "metadata": case.metadata,
            "config": config,
        },
        default=str,
    )


def _program_fault(problem: str, reply: Reply) -> Result:
    last_line = reply.stderr.strip().splitlines()[-1:]
    return fault_result(": ".join([problem, *last_line])[:_MAX_OUTPUT], **_process_details(reply), stdout=reply.text[:_MAX_OUTPUT])


def _process_details(reply: Reply) -> dict[str, Any]:
    details: dict[str, Any] = {"exit_code": reply.exit_code, "seconds": round(reply.usage.seconds, 3)}
    if reply.stderr:
        details["stderr"] = reply.stderr[-_MAX_OUTPUT:]
    return details


def _result_of_exit_code(reply: Reply) -> Result:
    if reply.exit_code not in (0, 1):
        return _program_fault(f"it ended with exit code {reply.exit_code}, neither 0 for a pass nor 1 for a fail", reply)
    passed = reply.exit_code == 0
    output = (reply.text.strip() or reply.stderr)[:_MAX_OUTPUT]
    hits, misses = (["exit code 0"], []) if passed else ([], ["exit code 1"])
    return Result(score=float(passed), hits=hits, misses=misses, reasoning=output, details=_process_details(reply))


def _result_of_json(reply: Reply) -> Result:
    try:
        judgement: Any = json.loads(reply.text, object_pairs_hook=_refuse_duplicate_keys)
    except _DuplicateKey as error:
        return _program_fault(f"it printed the key `{error}` twice, and the two may differ", reply)
    except ValueError:
        what = "nothing" if not reply.text.strip() else f"something that is not JSON: {reply.text.strip()[:80]}"
        return _program_fault(f'it printed {what}; it should print {{"score": …, "hits": […], "misses": […], "reasoning": "…"}}', reply)
    problem = _judgement_problem(judgement)
    if problem:
        return _program_fault(problem, reply)
    score = float(judgement["score"])
    hits, misses = fill_hits_and_misses(score, judgement.get("hits") or [], judgement.get("misses") or [])
    details = _process_details(reply)
    extra = {key: value for key, value in judgement.items() if key not in _JUDGEMENT_KEYS}
    if extra:
        details["judge"] = extra
    return Result(score=score, hits=hits, misses=misses, reasoning=judgement.get("reasoning") or "", details=details)


class _DuplicateKey(Exception):
    """An object has a key twice, so that it is not clear which value counts."""


def _refuse_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        raise _DuplicateKey(next(name for name in names if names.count(name) > 1))
    return content


def _judgement_problem(judgement: Any) -> str | None:
    """The first problem of a printed judgement; None if it is valid."""
    if not isinstance(judgement, dict) or "score" not in judgement:
        return "it printed JSON without a `score`"
    score = judgement["score"]
    if isinstance(score, bool) or not isinstance(score, int | float) or not isfinite(score) or not 0 <= score <= 1:
        return f"its score is {json.dumps(score)}, not a number from 0 to 1"
    for key in ("hits", "misses"):
        labels = [] if judgement.get(key) is None else judgement[key]
        if not isinstance(labels, list) or not all(isinstance(text, str) for text in labels):
            return f"its `{key}` must be a list of texts"
    if not isinstance(judgement.get("reasoning"), str | None):
        return "its `reasoning` must be text"
    return None
