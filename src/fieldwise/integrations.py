"""Adapters for other tools: DSPy and GEPA, LangSmith, MLflow, OpenTelemetry. Their packages are imported only when an adapter is used.

    optimizer = dspy.GEPA(metric=dspy_metric("invoices.eval.yaml"), …)
    client.evaluate(target, data="invoices", evaluators=[langsmith_evaluator("invoices.eval.yaml")])
    mlflow.genai.evaluate(data=data, predict_fn=predict, scorers=[mlflow_scorer("invoices.eval.yaml")])
    emit_evaluation_events(fw.run("invoices.eval.yaml"))

Each takes a suite (a path or a dict) or the configuration of one evaluator.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias

from fieldwise.model.case import Case
from fieldwise.model.plan import Plan
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING, Value
from fieldwise.read.from_python import normalize_case
from fieldwise.report.feedback import feedback
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.column_survey import survey_columns
from fieldwise.score.evaluate import evaluate_every_case, result_at
from fieldwise.score.inferred_rules import with_inferred_rules
from fieldwise.score.services import ReportedProblems, local_services
from fieldwise.store.run import Run
from fieldwise.suite_plan import compile_suite

__all__ = ["dspy_metric", "emit_evaluation_events", "langsmith_evaluator", "mlflow_scorer"]

Suite: TypeAlias = str | Path | Mapping[str, Any]
_SOLE_NAMES: Final = frozenset(
    (
        *("output", "outputs", "answer", "response", "result", "prediction", "record", "actual"),
        *("expected", "expected_output", "expected_response", "expected_answer", "reference", "ground_truth", "label", "target"),
    )
)
"""Names that, alone in a mapping, hold the whole output: `{"output": {...}}`."""


def dspy_metric(suite: Suite) -> Callable[..., Any]:
    """A metric for DSPy. It returns `dspy.Prediction(score, feedback)`, which `dspy.Evaluate` and GEPA read.

    The example's labels are expected, the prediction's fields actual; a sole field named `answer`, `output` … is the whole output.
    While examples are bootstrapped (a trace without `pred_name`), it returns whether every evaluator passes.
    """
    scorer = _load_scorer(suite)
    dspy = _import_package("dspy")

    def fieldwise_metric(
        gold: Any, pred: Any, trace: Any = None, pred_name: str | None = None, pred_trace: Any = None, program_trace: Any = None
    ) -> Any:
        del pred_trace, program_trace
        case = scorer.score(expected=_unwrap(dict(gold.labels())), actual=_unwrap(dict(pred)), input=dict(gold.inputs()))
        if trace is not None and pred_name is None:
            return case.passed
        return dspy.Prediction(score=case.score, feedback=case.feedback)

    return fieldwise_metric


def langsmith_evaluator(suite: Suite) -> Callable[..., dict[str, Any]]:
    """An evaluator for LangSmith: a score with a comment for each evaluator of the suite."""
    scorer = _load_scorer(suite)

    def fieldwise(inputs: dict[str, Any], outputs: dict[str, Any], reference_outputs: dict[str, Any] | None = None) -> dict[str, Any]:
        expected = MISSING if reference_outputs is None else _unwrap(reference_outputs)
        case = scorer.score(expected=expected, actual=_unwrap(outputs), input=inputs)
        entries: list[dict[str, Any]] = []
        for name, result in case.results.items():
            score = result.score if _is_measured(result) else None
            entries.append({"key": name, "score": score, "value": result.verdict or result.status, "comment": feedback(result)})
        return {"results": entries}

    return fieldwise


def mlflow_scorer(suite: Suite, name: str = "fieldwise") -> Any:
    """A scorer for `mlflow.genai.evaluate`: a feedback with a rationale for each evaluator of the suite."""
    loaded = _load_scorer(suite)
    scorers, entities = _import_package("mlflow.genai.scorers"), _import_package("mlflow.entities")

    def score_row(inputs: dict[str, Any], outputs: Any, expectations: dict[str, Any] | None = None) -> Any:
        expected = MISSING if expectations is None else _unwrap(expectations)
        case = loaded.score(expected=expected, actual=_unwrap(outputs), input=inputs)
        entries: list[Any] = []
        for evaluator, result in case.results.items():
            measured = {"value": result.score} if _is_measured(result) else {"error": feedback(result)}
            label = name if len(case.results) == 1 else f"{name}/{evaluator}"
            entries.append(entities.Feedback(name=label, rationale=feedback(result), **measured))
        return entries

    return scorers.scorer(score_row, name=name)


EVENT_NAME: Final = "gen_ai.evaluation.result"


def emit_evaluation_events(run: Run, logger: Any = None) -> int:
    """Emit an OpenTelemetry event `gen_ai.evaluation.result` for each case and evaluator of a run; returns their number.

    `logger` is an OpenTelemetry logger; by default that of the global provider. The convention leaves open what identifies an evaluator:
    the events have its type, version and rules, and the run's id and data fingerprints, under `fieldwise.*`.
    """
    if logger is None:
        logger = _import_package("opentelemetry._logs").get_logger("fieldwise")
    evaluators = {str(evaluator["name"]): evaluator for evaluator in run.manifest.evaluators}
    data = {f"fieldwise.data.{name}": text for name, text in run.manifest.fingerprints.items()}
    count = 0
    for stored in run.results():
        attributes = {
            **_describe_evaluation(stored.evaluator, stored.result),
            **data,
            "fieldwise.run.id": run.id,
            "fieldwise.suite": run.name,
            "fieldwise.case.id": stored.case,
            "fieldwise.evaluator.type": str(evaluators[stored.evaluator]["type"]),
            "fieldwise.evaluator.version": str(evaluators[stored.evaluator]["version"]),
            "fieldwise.evaluator.rules": str(evaluators[stored.evaluator]["rules"]),
        }
        logger.emit(event_name=EVENT_NAME, attributes=attributes)
        count += 1
    return count


def _describe_evaluation(evaluator: str, result: Result) -> dict[str, Any]:
    attributes: dict[str, Any] = {"gen_ai.evaluation.name": evaluator, "gen_ai.evaluation.explanation": feedback(result)}
    if _is_measured(result):
        attributes["gen_ai.evaluation.score.value"] = result.score
        attributes["gen_ai.evaluation.score.label"] = result.verdict or result.status
    else:
        attributes["error.type"] = result.status
    return attributes


@dataclass(frozen=True, slots=True)
class _CaseScore:
    """The results of a suite for one case."""

    results: Mapping[str, Result]
    weights: Mapping[str, float]

    @property
    def score(self) -> float:
        """The mean of the measured scores, by the evaluators' weights; 0 if nothing was measured, which `feedback` says."""
        measured = {name: result.score for name, result in self.results.items() if _is_measured(result)}
        total = sum(self.weights[name] for name in measured)
        return sum(score * self.weights[name] for name, score in measured.items()) / total if total else 0.0

    @property
    def passed(self) -> bool:
        """True if every evaluator passes."""
        return bool(self.results) and all(result.verdict == "pass" for result in self.results.values())

    @property
    def feedback(self) -> str:
        """The feedback of each evaluator, under its name if there are several."""
        if len(self.results) == 1:
            return feedback(next(iter(self.results.values())))
        return "\n".join(f"{name}: {feedback(result)}" for name, result in self.results.items())


@dataclass(frozen=True, slots=True)
class _CaseScorer:
    """Scores one case with the evaluators of a suite."""

    plan: Plan

    def score(self, *, expected: Value, actual: Value, input: Any) -> _CaseScore:
        reported = ReportedProblems()
        case = Case(id="1", input=input, expected=expected, actual=actual)
        batch = ScoringBatch(normalize_case(case), local_services(report=reported.add))
        results: dict[str, Result] = {}
        for planned in self.plan.evaluators:
            [completed], _ = survey_columns((with_inferred_rules(planned, batch),), [batch])
            results[planned.name] = reported.attach_to(result_at(evaluate_every_case(completed, batch), 0))
        return _CaseScore(results, {planned.name: planned.weight for planned in self.plan.evaluators})


def _load_scorer(suite: Suite) -> _CaseScorer:
    """Compile a suite, or one evaluator; ConfigError with every problem. The suite's own cases are not read."""
    if isinstance(suite, Mapping) and "type" in suite:
        suite = {"name": "integration", "evaluators": [dict(suite)]}
    return _CaseScorer(compile_suite(suite, cases="-"))


def _is_measured(result: Result) -> bool:
    return result.status == "scored" or (result.status == "error" and result.details.get("fault") == "system")


def _unwrap(values: Any) -> Any:
    """The output itself where a mapping has only that; keys that other tools add (`reasoning`) are part of a record.

    >>> _unwrap({"answer": {"total": 5}}), _unwrap({"total": 5})
    ({'total': 5}, {'total': 5})
    """
    if isinstance(values, Mapping) and len(values) == 1:
        name, value = next(iter(values.items()))
        return value if name in _SOLE_NAMES else dict(values)
    return dict(values) if isinstance(values, Mapping) else values


def _import_package(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        package = module.split(".", 1)[0].replace("opentelemetry", "opentelemetry-api")
        raise ImportError(f"this adapter needs {package}, which is not installed: pip install {package}", name=package) from error
