"""A run's summary as JSON and back."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.summary import Counts, EvaluatorSummary, FieldSummary, GateResult, Metric, Summary


def summary_to_json(summary: Summary) -> dict[str, Any]:
    """A JSON-able form that `summary_from_json` reads."""
    return asdict(summary)


def summary_from_json(value: Mapping[str, Any]) -> Summary:
    """The summary that was written."""
    return Summary(cases=value["cases"], evaluators={name: _evaluator(one) for name, one in value["evaluators"].items()})


def _evaluator(value: Mapping[str, Any]) -> EvaluatorSummary:
    return EvaluatorSummary(
        name=value["name"],
        type=value["type"],
        counts=Counts(**value["counts"]),
        metrics=_metrics(value["metrics"]),
        fields=tuple(_field(field) for field in value["fields"]),
        worst=tuple((name, score) for name, score in value["worst"]),
        flags=value["flags"],
        slices={name: _metrics(metrics) for name, metrics in value["slices"].items()},
    )


def _metrics(value: Mapping[str, Any]) -> dict[str, Metric]:
    return {name: Metric(**metric) for name, metric in value.items()}


def _field(value: Mapping[str, Any]) -> FieldSummary:
    made: dict[str, Any] = {
        "score": Metric(**value["score"]),
        "causes": tuple((name, count) for name, count in value["causes"]),
        "worst": tuple(value["worst"]),
    }
    return FieldSummary(**{**value, **made})


def gate_from_json(value: Mapping[str, Any]) -> GateResult:
    """A gate's result that was written with `asdict`."""
    return GateResult(**value)


def diagnostic_from_json(value: Mapping[str, Any]) -> Diagnostic:
    """A diagnostic that was written with `to_json`."""
    where = Where(file=value.get("file"), line=value.get("line"), case=value.get("case"), field=value.get("field"))
    return Diagnostic(code=value["code"], what=value["what"], where=where, fix=value.get("fix"), level=value["level"])
