"""Gates: conditions on a run, from a suite or from the command line.

A condition always says its operator. A bare number is refused: for `score` it would mean "at least", for a count of errors "at most".

>>> str(parse_gate("fields.score >= 0.9"))
'fields.score >= 0.9'
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, get_args, get_type_hints

from annotated_types import Ge, Gt, Le, Lt

from fieldwise import registry
from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.document import Document, Place
from fieldwise.model.plan import Gate, PlannedEvaluator, Regression
from fieldwise.plan.options import Owner, read_options
from fieldwise.plan.review import INVALID, Invalid, Review, listed, suggestion
from fieldwise.plan.type_text import is_items, is_object, shown

OPERATORS: tuple[str, ...] = get_args(get_type_hints(Gate)["operator"])
ALWAYS = ("score", "pass_rate")
"""The metrics that every evaluator has."""

_CONDITION = re.compile(r"\s*(?P<operator>[<>=!≥≤~]*)\s*(?P<value>.*?)\s*", re.DOTALL)
_MEANT = {"=": "==", "=>": ">=", "=<": "<=", "≥": ">=", "≤": "<=", "<>": "!=", "===": "=="}


def parse_gate(text: str, evaluators: Iterable[PlannedEvaluator] | None = None) -> Gate:
    """A gate from text such as `fields.score >= 0.9`; ConfigError if it cannot be read or names no evaluator of these."""
    types = None if evaluators is None else {evaluator.name: evaluator.type for evaluator in evaluators}
    review = Review(document=Document(value=text), load=str, resolve=str)
    name, condition = re.fullmatch(r"\s*([^\s<>=!≥≤~]*)(.*)", text, re.DOTALL).groups()  # pyright: ignore[reportOptionalMemberAccess]
    gate = _read_gate(review, name, condition, (), types)
    if isinstance(gate, Invalid):
        raise ConfigError(review.found)
    return gate


def read_gates(review: Review, value: Any, place: Place, types: Mapping[str, str]) -> tuple[Gate, ...]:
    """The gates of a suite, as far as they are right. `types` is the type of each evaluator by its name."""
    if not is_object(value):
        fix = 'write `gate: {fields.score: ">= 0.9"}`'
        review.error(place, "bad-gate", f"`gate` must be a mapping of metrics to conditions, not {shown(value)}", fix)
        return ()
    written = {name: condition for name, condition in value.items() if name != "regression"}
    gates = [_read_gate(review, str(name), condition, (*place, name), types) for name, condition in written.items()]
    return tuple(gate for gate in gates if isinstance(gate, Gate))


def read_regressions(review: Review, value: Any, place: Place, types: Mapping[str, str]) -> tuple[Regression, ...]:
    """The gates of a suite on the change from a baseline: `regression`, one mapping or a list of them."""
    if not is_object(value) or "regression" not in value:
        return ()
    written, place = value["regression"], (*place, "regression")
    if is_items(written):
        found = [_read_regression(review, one, (*place, at), types) for at, one in enumerate(written)]
    else:
        found = [_read_regression(review, written, place, types)]
    return tuple(one for one in found if isinstance(one, Regression))


def _read_regression(review: Review, written: Any, place: Place, types: Mapping[str, str]) -> Regression | Invalid:
    before = len(review.found)
    if not is_object(written):
        fix = "write `regression: {metric: fields.score, max_drop: 0.01}`"
        review.error(place, "bad-gate", f"a regression gate must be a mapping, not {shown(written)}", fix)
        return INVALID
    options = read_options(review, _Written, written, place, Owner(title="`regression`"))
    if review.failed(before):
        return INVALID
    evaluator, _, metric = str(options.metric).partition(".")
    if not evaluator or not metric:
        review.error((*place, "metric"), "bad-gate", f"`{options.metric}` does not name an evaluator and a metric", "write `fields.score`")
    elif metric.startswith("micro_"):
        what = f"`{options.metric}` pools all cases, so runs cannot be compared case by case by it"
        review.error((*place, "metric"), "bad-gate", what, f"write `{evaluator}.{metric.replace('micro_', 'macro_')}`")
    else:
        _check_names(review, evaluator, metric, (*place, "metric"), types)
    if review.failed(before):
        return INVALID
    return Regression(
        evaluator=evaluator,
        metric=metric.removeprefix("macro_"),
        max_drop=options.max_drop,
        confidence=options.confidence,
        per_field=options.per_field,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """A regression gate as people write it."""

    metric: str
    """The metric that must not drop, such as `field_prf.macro_f1`."""
    max_drop: Annotated[float, Ge(0), Le(1)] = 0.0
    """How far it may drop."""
    confidence: Annotated[float, Gt(0), Lt(1)] = 0.95
    """How sure a drop must be to count."""
    per_field: bool = False
    """Hold every field to it too."""


_IN_THE_SUITE: Final = "write it in the suite: `gate: {regression: {metric: fields.score, max_drop: 0.01}}`"


def _read_gate(review: Review, name: str, condition: Any, place: Place, types: Mapping[str, str] | None) -> Gate | Invalid:
    before = len(review.found)
    evaluator, _, metric = name.partition(".")
    if not evaluator or not metric:
        what = f"the gate `{name}` does not name an evaluator and a metric"
        review.error(place, "bad-gate", what, _IN_THE_SUITE if name == "regression" else f"write `{evaluator or 'fields'}.score`")
    elif types is not None:
        _check_names(review, evaluator, metric, place, types)
    operator, value = _read_condition(review, name, condition, place)
    if review.failed(before):
        return INVALID
    return Gate(evaluator=evaluator, metric=metric, operator=operator, value=value)


def _read_condition(review: Review, name: str, condition: Any, place: Place) -> tuple[Any, float]:
    """The operator and the number it compares with."""
    if not isinstance(condition, str):
        number = isinstance(condition, int | float) and not isinstance(condition, bool)
        what = f"the gate `{name}` needs an operator and a number, not {shown(condition)}"
        review.error(place, "bad-gate", what, f'write `">= {condition}"`' if number else 'write `">= 0.9"`')
        return None, math.nan
    operator, number = _CONDITION.fullmatch(condition).groups()  # pyright: ignore[reportOptionalMemberAccess]
    if operator not in OPERATORS:
        fix = f'did you mean `"{_MEANT[operator]} {number}"`?' if operator in _MEANT else f"use one of {listed(OPERATORS)}"
        what = f"the gate `{name}` has an unknown operator `{operator}`" if operator else f"the gate `{name}` has no operator"
        review.error(place, "bad-gate", what, fix)
    value = _number(number)
    if not math.isfinite(value):
        fix = f"write {float(number[:-1]) / 100:g}" if number.endswith("%") and math.isfinite(_number(number[:-1])) else "write a number"
        review.error(place, "bad-gate", f"the gate `{name}` compares with `{number}`, which is not a number", fix)
    return operator, value


def _number(text: str) -> float:
    """Plain decimal numbers only: `float` would also read `1_000`, `nan` and `inf`."""
    return float(text) if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text, re.ASCII) else math.nan


def _check_names(review: Review, evaluator: str, metric: str, place: Place, types: Mapping[str, str]) -> None:
    if evaluator not in types:
        what = f"there is no evaluator named `{evaluator}`"
        review.error(place, "unknown-evaluator", what, suggestion(evaluator, types, f"the evaluators are {listed(types)}"))
        return
    valid = metric_names(types[evaluator])
    if valid is not None and metric not in valid:
        review.error(place, "unknown-metric", f"`{evaluator}` has no metric `{metric}`", suggestion(metric, valid))


def metric_names(evaluator: str) -> tuple[str, ...] | None:
    """The metrics a gate may name for this type of evaluator; None where that is known only after the run."""
    try:
        declared = registry.EVALUATORS.find(evaluator).metrics
    except KeyError:
        return None
    if declared is None or callable(declared):
        return None
    pooled = [f"{pool}_{name}" for name in declared for pool in ("macro", "micro")]
    return (*ALWAYS, *(name for name in declared if name not in ALWAYS), *pooled)
