"""Faithfulness, answer relevancy, context precision and context recall, asked of a model by their published definitions."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, get_args

from annotated_types import MinLen

from fieldwise.evaluators.answers._ragas_metrics import METRICS, Measured, Name
from fieldwise.evaluators.answers._ragas_package import packaged
from fieldwise.evaluators.judges._judge_results import not_answered
from fieldwise.model.ask import ANY_ENDPOINT, Endpoint, Judgement, together
from fieldwise.model.case import Case
from fieldwise.model.result import Result
from fieldwise.registry import judge


@dataclass(frozen=True, slots=True, kw_only=True)
class Ragas:
    """Which metrics, and which model is asked."""

    metrics: Annotated[tuple[Name, ...], MinLen(1)] = get_args(Name)
    by: Literal["native", "package"] = "native"
    """`native` asks the model endpoint with prompts of our own. `package` lets the package `ragas` write the prompts and do the sums:
    `pip install 'fieldwise[ragas]'`, 800 MB."""
    model: Endpoint = ANY_ENDPOINT

    def problems(self) -> list[tuple[str, str, str | None]]:
        """A metric counts once."""
        twice = sorted({name for name in self.metrics if self.metrics.count(name) > 1})
        return [("metrics", f"`{name}` is there twice", "name each metric once") for name in twice]

    def metric_names(self) -> Collection[str]:
        """The metrics that a measured case has."""
        return self.metrics


@judge
def ragas(case: Case, config: Ragas) -> Judgement:
    """The mean of the metrics that could be measured."""
    asked = [packaged(name, case, config.model) if config.by == "package" else METRICS[name](case, config.model) for name in config.metrics]
    found = yield from together(asked)
    by_name = dict[str, Measured](zip(config.metrics, found, strict=True))
    values = {name: measured.value for name, measured in by_name.items() if measured.value is not None}
    details = {name: _details(measured) for name, measured in by_name.items()}
    failed = next((measured.failed for measured in found if measured.failed is not None), None)
    if failed is not None:
        return replace(not_answered(failed, **details), metrics=values)
    if not values:
        reasons = dict.fromkeys(measured.why or "" for measured in found)
        return Result(status="skipped", reasoning=f"no metric can be measured: {'; '.join(reasons)}", details=details)
    return Result(
        score=sum(values.values()) / len(values),
        hits=[f"{name}: {hit}" for name, measured in by_name.items() for hit in measured.hits],
        misses=[f"{name}: {miss}" for name, measured in by_name.items() for miss in measured.misses],
        reasoning=_reasoning(by_name),
        metrics=values,
        details=details,
    )


def _details(measured: Measured) -> dict[str, Any]:
    reason = measured.why or (measured.failed.problem if measured.failed is not None else None)
    return {**measured.details, **({"not_measured": reason} if reason else {})}


def _reasoning(by_name: Mapping[str, Measured]) -> str:
    told = [
        f"{name} {measured.value:.2f}" if measured.value is not None else f"{name}: {measured.why}" for name, measured in by_name.items()
    ]
    return "; ".join(told)
