"""Gates: conditions on a run, from a suite or from the command line.

A condition always states its operator. A bare number is refused: for `score` it would mean "at least", for a count of errors "at most".

>>> str(parse_gate("fields.score >= 0.9"))
'fields.score >= 0.9'
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, TypeAlias, get_args, get_type_hints

from fieldwise import registry
from fieldwise.dataclass import dataclass
from fieldwise.model.bounds import Ge, Gt, Le, Lt
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.options import is_graded_only
from fieldwise.model.plan import MUTANTS, Document, Gate, KeyPath, Plan, PlannedEvaluator, Regression
from fieldwise.pattern import compile_on_use
from fieldwise.plan.declared_options import describe_value, is_list_value, is_mapping_value
from fieldwise.plan.options import OptionOwner, read_options
from fieldwise.plan.review import INVALID, Invalid, Review, quote_names, suggest_name
from fieldwise.specs import USAGE_METRICS

OPERATORS: tuple[str, ...] = get_args(get_type_hints(Gate)["operator"])
UNFAILABLE_GATE: Final = "unfailable-gate"
COMMON_METRICS: Final = ("score", "pass_rate")
"""The metrics of every evaluator."""
_RATES: Final = frozenset({"precision", "recall", "f1"})
"""Metrics with a macro (mean of cases) and a micro (pooled counts) figure in the summary."""
_COUNTS: Final = frozenset({"true_positives", "false_positives", "false_negatives"})
"""Metrics with a total in the summary."""

_AMOUNTS: Final[Mapping[str, frozenset[str]]] = {"error_cost": frozenset({"per_case"}), "coordinate_distance": frozenset({"mean_distance"})}
"""Evaluator type → its unbounded metrics that are never below 0."""
_MAX_USEFUL_CONFIDENCE: Final = 0.9999
"""Beyond this, hardly any drop can be shown, however large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorMetrics:
    """The metrics of one evaluator that a gate may name."""

    names: tuple[str, ...] | None = None
    """None if only a run can tell."""
    counts: frozenset[str] = frozenset()
    """Metrics that may be above 1."""
    unbounded: frozenset[str] = frozenset()
    """Metrics that may be above 1 or below 0."""
    has_pass_rate: bool = True
    """False if nothing decides what passes."""

    def find_range(self, metric: str) -> tuple[float, float] | None:
        """The smallest and the largest possible value of a metric; None if that is not certain."""
        base_name = metric.removeprefix("macro_").removeprefix("micro_")
        if base_name in COMMON_METRICS or base_name.partition("_fp")[0] in _RATES:
            return 0.0, 1.0
        if self.names is None or base_name in self.unbounded:
            return None
        return 0.0, math.inf if metric in self.counts or metric.removeprefix("total_") in self.counts else 1.0


GateMetrics: TypeAlias = Mapping[str, EvaluatorMetrics]
"""Name of an evaluator → the metrics a gate may name."""

CONFIDENCE, POLICY = "confidence", "policy"
"""Gates on the confidences of a run, and on a policy made from them."""
_RESERVED_METRICS: Final[GateMetrics] = {
    MUTANTS: EvaluatorMetrics(names=("killed",)),
    CONFIDENCE: EvaluatorMetrics(names=("auroc", "ece", "brier")),
    POLICY: EvaluatorMetrics(names=("holds",)),
}
"""Metrics that no evaluator of a run has, by their reserved name."""

_HOLDS: Final = compile_on_use(r"((==)?\s*true)?", re.IGNORECASE)
_OPERATOR_START: Final = compile_on_use(r"\s*[<>=!≥≤~]")
_CONDITION = compile_on_use(r"\s*(?P<operator>[<>=!≥≤~]*)\s*(?P<value>.*?)\s*", re.DOTALL)
_GATE = compile_on_use(r"\s*(?P<name>[^\s<>=!≥≤~]*)(?P<condition>.*)", re.DOTALL)
_SIMILAR_OPERATORS = {"=": "==", "=>": ">=", "=<": "<=", "≥": ">=", "≤": "<=", "<>": "!=", "===": "=="}
_REGRESSION_PREFIX: Final = "regression."
_REGRESSION_FIX: Final = "write `regression.fields.score <= 0.01`"


def parse_gate(text: str, evaluators: Iterable[PlannedEvaluator] | None = None) -> Gate:
    """A gate from text such as `fields.score >= 0.9`.

    ConfigError if it cannot be read, or if it names an evaluator or a metric that these evaluators do not have.
    """
    return parse_gate_with_warnings(text, evaluators)[0]


def parse_run_gate(text: str, evaluators: Iterable[PlannedEvaluator]) -> tuple[Gate | Regression, list[Diagnostic]]:
    """A gate of a run, also one on the drop of a metric (`regression.fields.score <= 0.01`), with the warnings about it."""
    if not text.strip().startswith(_REGRESSION_PREFIX):
        return parse_gate_with_warnings(text, evaluators)
    review = Review(document=Document(value=text), load=str, resolve=str)
    parts = _GATE.fullmatch(text)
    assert parts is not None  # the pattern matches any text
    regression = _read_short_regression(review, parts["name"], parts["condition"], (), _collect_metrics(evaluators))
    if isinstance(regression, Invalid):
        raise ConfigError(review.diagnostics)
    return regression, review.diagnostics


def _collect_metrics(evaluators: Iterable[PlannedEvaluator]) -> GateMetrics:
    return {evaluator.name: list_gate_metrics(evaluator) for evaluator in evaluators}


def parse_gate_with_warnings(text: str, evaluators: Iterable[PlannedEvaluator] | None = None) -> tuple[Gate, list[Diagnostic]]:
    """The same, with warnings such as that no value could fail the gate."""
    metrics = None if evaluators is None else _collect_metrics(evaluators)
    review = Review(document=Document(value=text), load=str, resolve=str)
    parts = _GATE.fullmatch(text)
    assert parts is not None  # the pattern matches any text
    gate = _read_gate(review, parts["name"], parts["condition"], (), metrics)
    if isinstance(gate, Invalid):
        raise ConfigError(review.diagnostics)
    return gate, review.diagnostics


def skip_mutant_gates(plan: Plan) -> Plan:
    """The plan without its gates on mutants, and with a remark about them: a run has no mutants, `fieldwise mutate` judges these gates."""
    gates = tuple(gate for gate in plan.gates if gate.evaluator != MUTANTS)
    skipped = [str(gate) for gate in plan.gates if gate.evaluator == MUTANTS]
    if not skipped:
        return plan
    what = f"not judged here: {', '.join(f'the gate `{gate}`' for gate in skipped)}"
    fix = f"fieldwise mutate {plan.file or 'SUITE'}"
    note = Diagnostic(code="skipped-gate", level="info", what=what, where=Where(file=plan.file), fix=fix)
    return replace(plan, gates=gates, diagnostics=(*plan.diagnostics, note))


def list_gate_metrics(evaluator: PlannedEvaluator) -> EvaluatorMetrics:
    """The metrics a gate may name for this evaluator."""
    try:
        spec = registry.EVALUATORS.find(evaluator.type)
    except KeyError:
        return EvaluatorMetrics()
    config = evaluator.config
    amounts = _AMOUNTS.get(evaluator.type, frozenset())
    return EvaluatorMetrics(
        names=_list_summary_metrics(spec, config),
        counts=frozenset((*spec.counts, *(USAGE_METRICS if spec.is_judge else ()), *amounts)),
        unbounded=spec.unbounded_names(config) - amounts,
        has_pass_rate=evaluator.pass_at is not None or not is_graded_only(config),
    )


def declares_metric(evaluator: PlannedEvaluator, metric: str) -> bool:
    """True if an evaluator declares a metric by its own name, so that a run without a value of it did not measure it.

    `ap[*]` declares no category: only the data tell whether `ap[dog]` exists.
    """
    return metric in (list_gate_metrics(evaluator).names or ())


def list_fixed_metrics(evaluator_type: object) -> EvaluatorMetrics:
    """The metrics of an evaluator whose options cannot be read: those of its type, unless they depend on options."""
    try:
        spec = registry.EVALUATORS.find(evaluator_type) if isinstance(evaluator_type, str) else None
    except KeyError:
        spec = None
    if spec is None or callable(spec.metrics):
        return EvaluatorMetrics()
    counts = frozenset((*spec.counts, *(USAGE_METRICS if spec.is_judge else ())))
    return EvaluatorMetrics(names=_list_summary_metrics(spec, None), counts=counts, unbounded=spec.unbounded_names(None))


def _list_summary_metrics(spec: registry.EvaluatorSpec, config: object) -> tuple[str, ...] | None:
    declared = spec.metric_names(config)
    if declared is None:
        return None
    names = dict.fromkeys((*COMMON_METRICS, *sorted(declared)))
    for name in sorted(declared):
        rate, _, _ = name.partition("_fp")  # `recall_fp_fn` is recall by the other way of counting
        if rate in _RATES:
            names |= dict.fromkeys((f"macro_{name}", f"micro_{name}"))
        if name in _COUNTS:
            names[f"total_{name}"] = None
    return tuple(names)


def read_gates(review: Review, value: Any, place: KeyPath, metrics: GateMetrics) -> tuple[Gate, ...]:
    """The valid gates of a suite; the problems of the others are in the review."""
    if not is_mapping_value(value):
        fix = 'write `gate: {fields.score: ">= 0.9"}`'
        review.add_error(place, "bad-gate", f"`gate` must be a mapping of metrics to conditions, not {describe_value(value)}", fix)
        return ()
    gates: list[Gate] = []
    for name, condition in value.items():
        is_regression = name == "regression" or str(name).startswith(_REGRESSION_PREFIX)
        gate = INVALID if is_regression else _read_gate(review, str(name), condition, (*place, name), metrics)
        if isinstance(gate, Gate):
            gates.append(gate)
    return tuple(gates)


def read_regressions(review: Review, value: Any, place: KeyPath, metrics: GateMetrics) -> tuple[Regression, ...]:
    """The gates of a suite on the change from a baseline: `regression`, one mapping or a list of them, and `regression.METRIC`."""
    if not is_mapping_value(value):
        return ()
    results: list[Regression | Invalid] = []
    for name, written in value.items():
        if name == "regression" and is_list_value(written):
            results += [_read_regression(review, item, (*place, name, index), metrics) for index, item in enumerate(written)]
        elif name == "regression":
            results.append(_read_regression(review, written, (*place, name), metrics))
        elif str(name).startswith(_REGRESSION_PREFIX):
            results.append(_read_short_regression(review, str(name), written, (*place, name), metrics))
    return tuple(result for result in results if isinstance(result, Regression))


def _read_short_regression(review: Review, name: str, condition: Any, place: KeyPath, metrics: GateMetrics) -> Regression | Invalid:
    """`regression.fields.score: "<= 0.01"`, short for `regression: {metric: fields.score, max_drop: 0.01}`."""
    before = len(review.diagnostics)
    operator, max_drop = _read_condition(review, name, condition, place)
    metric = name.removeprefix(_REGRESSION_PREFIX)
    if not review.has_errors(before) and operator != "<=":
        what = f"the gate `{name}` limits a drop, so its operator is `<=`, not `{operator}`"
        review.add_error(place, "bad-gate", what, f'write `"<= {abs(max_drop):g}"`')
    if review.has_errors(before):
        return INVALID
    return _read_regression(review, {"metric": metric, "max_drop": max_drop}, place, metrics)


@dataclass(frozen=True, slots=True, kw_only=True)
class _RegressionOptions:
    """A regression gate as a suite has it."""

    metric: str
    """The metric that must not drop, such as `field_prf.macro_f1`."""
    max_drop: Annotated[float, Ge(0)] = 0.0
    """The largest drop to tolerate; at most 1 for a metric that lies between 0 and 1."""
    confidence: Annotated[float, Gt(0), Lt(1)] = 0.95
    """Confidence with which there must be a drop at all, whatever its size, for one above `max_drop` to fail."""
    per_field: bool = False
    """Apply the gate to every field too."""
    min_common: Annotated[float, Ge(0), Le(1)] = 0.9
    """The share of the cases of either run that both must have; with fewer, the gate is not measured."""


def _read_regression(review: Review, written: Any, place: KeyPath, metrics: GateMetrics) -> Regression | Invalid:
    before = len(review.diagnostics)
    if not is_mapping_value(written):
        fix = "write `regression: {metric: fields.score, max_drop: 0.01}`"
        review.add_error(place, "bad-gate", f"a regression gate must be a mapping, not {describe_value(written)}", fix)
        return INVALID
    options = read_options(review, _RegressionOptions, written, place, OptionOwner(title="`regression`"))
    if review.has_errors(before):
        return INVALID
    metric_place = (*place, "metric")
    evaluator, _, metric = str(options.metric).partition(".")
    if not evaluator or not metric:
        what = f"`{options.metric}` does not name an evaluator and a metric"
        review.add_error(metric_place, "bad-gate", what, "write `fields.score`")
    elif metric.startswith("micro_"):
        what = f"`{options.metric}` pools all cases, so runs cannot be compared case by case by it"
        review.add_error(metric_place, "bad-gate", what, f"write `{evaluator}.{metric.replace('micro_', 'macro_')}`")
    else:
        _check_names(review, evaluator, metric, metric_place, metrics)
    if review.has_errors(before):
        return INVALID
    value_range = metrics[evaluator].find_range(metric)
    if value_range == (0.0, 1.0) and options.max_drop > 1:
        what = f"`regression`: `max_drop` must be at most 1 for `{options.metric}`, which lies between 0 and 1, not {options.max_drop:g}"
        review.add_error((*place, "max_drop"), "bad-option", what, "write the largest drop to tolerate, such as `max_drop: 0.01`")
        return INVALID
    _warn_unfailable_regression(review, options, value_range, place)
    return Regression(
        evaluator=evaluator,
        metric=metric.removeprefix("macro_"),
        max_drop=options.max_drop,
        confidence=options.confidence,
        per_field=options.per_field,
        min_common=options.min_common,
    )


def _warn_unfailable_regression(review: Review, options: Any, value_range: tuple[float, float] | None, place: KeyPath) -> None:
    if options.max_drop >= 1 and value_range == (0.0, 1.0):
        what = f"the regression gate on `{options.metric}` cannot fail: no drop is larger than {options.max_drop:g}"
        review.add_warning((*place, "max_drop"), UNFAILABLE_GATE, what, "write the largest drop to tolerate, such as `max_drop: 0.01`")
    if options.confidence > _MAX_USEFUL_CONFIDENCE:
        what = f"the regression gate on `{options.metric}` can hardly fail: `confidence: {options.confidence!r}` asks for near certainty"
        review.add_warning((*place, "confidence"), UNFAILABLE_GATE, what, "write `confidence: 0.95`")


def _read_gate(review: Review, name: str, condition: Any, place: KeyPath, metrics: GateMetrics | None) -> Gate | Invalid:
    before = len(review.diagnostics)
    evaluator, _, metric = name.partition(".")
    if not evaluator or not metric:
        fix = _REGRESSION_FIX if name == "regression" else _suggest_full_name(evaluator, metrics)
        review.add_error(place, "bad-gate", f"the gate `{name}` does not name an evaluator and a metric", fix)
    elif metrics is not None:
        if evaluator in _RESERVED_METRICS:
            metrics = {**metrics, **_RESERVED_METRICS}
        _check_names(review, evaluator, metric, place, metrics)
    operator, value = _read_condition(review, name, condition, place)
    if review.has_errors(before):
        return INVALID
    value_range = metrics[evaluator].find_range(metric) if metrics is not None else None
    if value_range is not None and not _can_fail(operator, value, value_range):
        low, high = value_range
        values = f"`{metric}` is never below 0" if high == math.inf else f"`{metric}` lies between {low:g} and {high:g}"
        what = f"the gate `{name} {operator} {value:g}` cannot fail: {values}"
        review.add_warning(place, UNFAILABLE_GATE, what, "write a condition that a bad run does not meet")
    return Gate(evaluator=evaluator, metric=metric, operator=operator, value=value)


def _suggest_full_name(word: str, metrics: GateMetrics | None) -> str:
    """How to write a gate of one word, which is an evaluator or a metric."""
    if metrics is None or word in metrics or not metrics:
        return f"write `{word or 'fields'}.score`"
    return f"write `{next(iter(metrics))}.{word or 'score'}`"


def _can_fail(operator: str, value: float, value_range: tuple[float, float]) -> bool:
    """True if a value of this range does not meet the condition."""
    low, high = value_range
    can_fail = {
        ">=": value > low,
        ">": value >= low,
        "<=": value < high,
        "<": value <= high,
        "==": True,
        "!=": low <= value <= high,
    }
    return can_fail[operator]


def _read_condition(review: Review, name: str, condition: Any, place: KeyPath) -> tuple[Any, float]:
    """The operator and the number it compares with; `policy.holds: true`, `"== true"`, or without a condition, is `== 1`."""
    if name == f"{POLICY}.holds":
        if condition is True or (isinstance(condition, str) and _HOLDS.fullmatch(condition.strip())):
            return "==", 1.0
        if not isinstance(condition, str) or not _OPERATOR_START.match(condition):
            what = f"the gate `{name}` must be `true`, not {describe_value(condition)}"
            review.add_error(place, "bad-gate", what, f"write `{name}: true`")
            return None, math.nan
    if not isinstance(condition, str):
        is_number = isinstance(condition, int | float) and not isinstance(condition, bool)
        what = f"the gate `{name}` needs an operator and a number, not {describe_value(condition)}"
        review.add_error(place, "bad-gate", what, f'write `">= {condition}"`' if is_number else 'write `">= 0.9"`')
        return None, math.nan
    parts = _CONDITION.fullmatch(condition)
    assert parts is not None  # the pattern matches any text
    operator, number = parts["operator"], parts["value"]
    if not operator and not number:
        review.add_error(place, "bad-gate", f"the gate `{name}` has no condition", "add one, such as `>= 0.9`")
        return None, math.nan
    if operator not in OPERATORS:
        similar = _SIMILAR_OPERATORS.get(operator)
        fix = f'did you mean `"{similar} {number}"`?' if similar else f"use one of {quote_names(OPERATORS)}"
        what = f"the gate `{name}` has an unknown operator `{operator}`" if operator else f"the gate `{name}` has no operator"
        review.add_error(place, "bad-gate", what, fix)
    value = _parse_decimal(number)
    if not math.isfinite(value):
        percent = _parse_decimal(number.removesuffix("%")) if number.endswith("%") else math.nan
        fix = f"write {percent / 100:g}" if math.isfinite(percent) else "write a number"
        review.add_error(place, "bad-gate", f"the gate `{name}` compares with `{number}`, which is not a number", fix)
    return operator, value


def _parse_decimal(text: str) -> float:
    """A plain decimal number, else NaN: `float` would also accept `1_000`, `nan` and `inf`."""
    return float(text) if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text, re.ASCII) else math.nan


def _check_names(review: Review, evaluator: str, metric: str, place: KeyPath, metrics: GateMetrics) -> None:
    """Report an evaluator or a metric that does not exist."""
    if evaluator not in metrics:
        if evaluator == "cost":
            fix = "say what errors cost: `cost: {fields: {total: 40}}`"
            review.add_error(place, "unknown-evaluator", "the suite has a gate on `cost`, and no `cost`", fix)
            return
        fix = suggest_name(evaluator, metrics, f"the evaluators are {quote_names(metrics)}")
        review.add_error(place, "unknown-evaluator", f"there is no evaluator named `{evaluator}`", fix)
        return
    if metric == "pass_rate" and not metrics[evaluator].has_pass_rate:
        what = f"`{evaluator}` has neither `threshold` nor `pass_at`, so that nothing says which cases pass"
        review.add_error(place, "no-pass-rate", what, f"give `{evaluator}` a `threshold` or a `pass_at`, or gate `{evaluator}.score`")
        return
    valid = metrics[evaluator].names
    if valid is None:
        _warn_similar_to_common_metric(review, evaluator, metric, place)
    elif not _is_declared(metric, valid):
        review.add_error(place, "unknown-metric", f"`{evaluator}` has no metric `{metric}`", suggest_name(metric, valid))


def _is_declared(metric: str, names: Iterable[str]) -> bool:
    """True if a metric is among these names, or is one for which `ap[*]` stands.

    >>> [_is_declared(metric, ("ap", "ap[*]")) for metric in ("ap", "ap[dog]", "ap[]", "ar[dog]")]
    [True, True, False, False]
    """
    for name in names:
        prefix = name.removesuffix("*]")
        if metric == name or (prefix != name and metric.startswith(prefix) and metric.endswith("]") and len(metric) > len(prefix) + 1):
            return True
    return False


def _warn_similar_to_common_metric(review: Review, evaluator: str, metric: str, place: KeyPath) -> None:
    """Warn of `scroe` where only a run can tell the metrics."""
    closest = None if metric in COMMON_METRICS else registry.nearest(metric, COMMON_METRICS)
    if closest is not None:
        what = f"`{evaluator}` may have no metric `{metric}`; only a run can tell"
        review.add_warning(place, "unknown-metric", what, f"did you mean `{closest}`?")
