"""Limits on the cost and the latency of a case."""

from collections.abc import Iterable
from dataclasses import replace
from math import isfinite
from typing import Annotated, Any

from fieldwise.dataclass import dataclass
from fieldwise.evaluators.checks._case_path import case_path_problems, case_value
from fieldwise.evaluators.checks.text_checks import check_label, single_check_result
from fieldwise.kernels.tolerance import is_close
from fieldwise.model.batch import Batch
from fieldwise.model.bounds import Ge
from fieldwise.model.case import Case
from fieldwise.model.options import OptionProblem
from fieldwise.model.result import Result, Results, fault_result
from fieldwise.model.values import MISSING, json_kind
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Cost limit of a case."""

    max: Annotated[float, Ge(0)]
    """Maximum in US dollars."""
    path: str = "metadata.cost_usd"
    """Path of the number in a case."""
    negate: bool = False
    """The cost must exceed the maximum."""

    def problems(self) -> Iterable[OptionProblem]:
        """A path that no case has."""
        return case_path_problems("path", self.path)


@evaluator(
    reads="case",
    needs_expected=False,
    version=1,
    unbounded=("cost_usd",),
    metrics=("cost_usd",),
    examples=[
        EvaluatorExample(options={"max": 1, "path": "actual.a", "negate": True}, perfect={"a": 2}, key_order_matters=True),
    ],
)
def cost(batch: Batch, config: Cost) -> Results:
    """1 if the cost in the metadata of a case is within the limit, else 0. A case without the number is skipped.

    >>> import fieldwise as fw
    >>> fw.evaluate({"type": "cost", "max": 0.01}, actual="done", metadata={"cost_usd": 0.05}).misses
    ['cost (0.05 USD, at most 0.01)']
    """
    cases = map(batch.cases.at, range(len(batch)))
    return Results.from_results([_check_limit("cost", case, config, unit="USD", metric="cost_usd") for case in cases])


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Time limit of a case."""

    max: Annotated[float, Ge(0)]
    """Maximum in milliseconds."""
    path: str = "metadata.latency_ms"
    """Path of the number in a case."""
    negate: bool = False
    """The time must exceed the maximum."""

    def problems(self) -> Iterable[OptionProblem]:
        """A path that no case has."""
        return case_path_problems("path", self.path)


@evaluator(
    reads="case",
    needs_expected=False,
    version=1,
    unbounded=("latency_ms",),
    metrics=("latency_ms",),
    examples=[EvaluatorExample(options={"max": 1, "path": "metadata.relevant_ids"}, perfect=1, key_order_matters=True)],
)
def latency(batch: Batch, config: Latency) -> Results:
    """1 if the latency in the metadata of a case is within the limit, else 0. A case without the number is skipped.

    >>> import fieldwise as fw
    >>> fw.evaluate({"type": "latency", "max": 800}, actual="done", metadata={"latency_ms": 1200}).misses
    ['latency (1200 ms, at most 800)']
    """
    cases = map(batch.cases.at, range(len(batch)))
    return Results.from_results([_check_limit("latency", case, config, unit="ms", metric="latency_ms") for case in cases])


def _check_limit(name: str, case: Case, config: Cost | Latency, *, unit: str, metric: str) -> Result:
    """Check the number at `config.path` against the inclusive limit."""
    value: Any = case_value(case, config.path)
    if value is MISSING or value is None:
        return Result(status="skipped", reasoning=f"the case has no `{config.path}`")
    if json_kind(value) != "number" or not _is_amount(value):
        return fault_result(f"`{config.path}` is {_shorten(value)}, which is not a valid {name}")
    within = value <= config.max or is_close(config.max, value)
    reason = f"{_shorten(value)} {unit}, at most {config.max:g}"
    result = single_check_result(check_label(name, config.negate), within != config.negate, reason, **{metric: float(value)})
    if case.actual is MISSING or case.actual is None:
        return replace(result, metrics={})  # metrics of a case without output become 0, which would distort the mean
    return result


def _is_amount(value: float) -> bool:
    try:
        return isfinite(float(value)) and value >= 0
    except OverflowError:
        return False


def _shorten(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
