"""Who does the work of a run: this process, processes on this machine, or a cluster."""

import os
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final, Literal, cast

from fieldwise.engines.shard_worker import Executor
from fieldwise.model.ask import Asking
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.registry import is_judge

Engine = Literal["local", "ray"]
_BY_MODEL: Final = "llm"
"""What options say where a model is asked: `algorithm: llm`, `by: llm`."""
_BY_MEANING: Final = ("semantic", "SEMANTIC", "embedding")
"""What they say where texts are embedded, which takes milliseconds for each."""


def choose_executor(plan: Plan, engine: Engine, workers: int, asking: Asking) -> Executor | None:
    """The executor for a plan; None where this process does best alone.

    Judges ask from one place, so that limits and budgets hold: on one machine that is this process, on a cluster an actor of its own.
    """
    if engine == "ray":
        from fieldwise.engines.ray_tasks import RayTasks  # Ray is an extra

        return RayTasks(workers, asking=asking if asks(plan) else None)
    if workers < 2 or asks(plan):
        return None
    from fieldwise.engines.processes import Processes

    return Processes(workers)


def cores() -> int:
    """How many processes can work at a time on this machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def batch_size(plan: Plan) -> int:
    """How many cases are scored together: many share the cost of each step; where a model takes its time, people hear sooner of fewer."""
    return 256 if asks(plan) or _says(plan.evaluators, lambda value: isinstance(value, str) and value in _BY_MEANING) else 1024


def asks(plan: Plan) -> bool:
    """Whether a judge or a match of the plan may ask a model or a program."""
    return _says(plan.evaluators, lambda value: value == _BY_MODEL or (isinstance(value, PlannedEvaluator) and is_judge(value.type)))


def _says(value: Any, what: Callable[[Any], bool]) -> bool:
    """Whether something holds of a value, or of anything in it, as far as options go."""
    if what(value):
        return True
    if is_dataclass(value):
        return any(_says(getattr(value, field.name), what) for field in fields(value))
    if isinstance(value, Mapping):
        return any(_says(inner, what) for inner in cast("Mapping[Any, Any]", value).values())
    return isinstance(value, list | tuple) and any(_says(inner, what) for inner in cast("list[Any]", value))
