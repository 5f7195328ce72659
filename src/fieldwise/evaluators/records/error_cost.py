"""What the wrong values of another evaluator cost, in money. A suite writes it as `cost: {fields: {total: 40}}`.

>>> import fieldwise as fw
>>> fields = {"type": "field_accuracy", "fields": ["total", "notes"]}
>>> config = {"type": "error_cost", "prices": {"total": 40, "notes": 0.5}, "evaluators": [fields]}
>>> result = fw.evaluate(config, expected={"total": 5, "notes": "a"}, actual={"total": 7, "notes": "a"})
>>> result.metrics["per_case"], result.misses
(40.0, ['total (40)'])
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.model.batch import Batch
from fieldwise.model.bounds import Ge
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.options import InfersRules, OptionProblem
from fieldwise.model.path import MalformedPath, Path
from fieldwise.model.plan import Member
from fieldwise.model.result import Labels, Results, Status
from fieldwise.model.rule import FieldRule, ListRule
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample

_ERRORS = (Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR, Outcome.OMISSION, Outcome.HALLUCINATION)
_GIVEN_ERRORS = (Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR, Outcome.HALLUCINATION)
_NOTHING_PRICED = "(no priced value)"
"""The hit of a case that has no value with a price: it costs nothing, and that is a pass."""
_Amount = Annotated[float, Ge(0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCost:
    """What each wrong value costs."""

    prices: Mapping[str, _Amount]
    """Path of a field → what one wrong value of it costs. The path of an object or a list prices everything inside it; the longest
    path that applies wins."""
    evaluators: tuple[Member, ...]
    """The one evaluator whose comparisons say which values are wrong."""
    default: _Amount = 0.0
    """What a wrong value of any other field costs."""
    false_accept: _Amount = 0.0
    """What a wrong value of a field with a price costs in addition if it is accepted without review: it is not an omission, and no
    policy sends it to review."""
    review: _Amount = 0.0
    """What the review of one value costs. A wrong value that is reviewed costs this instead of its price."""
    thresholds: Mapping[str, float | None] = field(default_factory=dict)
    """Field → the confidence from which its values are accepted without review; null reviews all of them. Without any entry, nothing is
    reviewed."""

    def problems(self) -> Iterable[OptionProblem]:
        """Prices for paths that cannot be read, and anything but one evaluator."""
        if len(self.evaluators) != 1:
            yield "evaluators", "`error_cost` needs exactly one evaluator", "name one that compares fields"
        for text in self.prices:
            try:
                Path.parse(text)
            except MalformedPath as error:
                yield "prices", str(error), error.fix

    def unknown(self, fields: Collection[str]) -> Iterable[OptionProblem]:
        """Prices for fields that no case of the run has."""
        for text in self.prices:
            if not any(_contains(text, name) for name in fields):
                yield "prices", f"`cost` names `{text}`, and no case of the run has such a field", "check how it is written"

    def needs_rules(self) -> bool:
        """True if the evaluator needs inferred rules."""
        config = self.evaluators[0].evaluator.config
        return isinstance(config, InfersRules) and config.needs_rules()

    def with_rules(self, fields: tuple[FieldRule, ...], lists: tuple[ListRule, ...]) -> "ErrorCost":
        """A copy with these rules for the evaluator."""
        [member] = self.evaluators
        config = member.evaluator.config
        assert isinstance(config, InfersRules)
        return replace(self, evaluators=(replace(member, evaluator=replace(member.evaluator, config=config.with_rules(fields, lists))),))


def _contains(path: str, field: str) -> bool:
    """Whether a field is at a path, or inside the object or list there.

    >>> [_contains("items", field) for field in ("items", "items[*].sku", "items.count", "items_total")]
    [True, True, True, False]
    """
    path = str(Path.parse(path))
    return field == path or field.startswith((f"{path}.", f"{path}["))


def find_price(field: str, prices: Mapping[str, float], default: float) -> float:
    """The price of a wrong value of a field: that of the longest path that contains it.

    >>> find_price("vendor.name", {"vendor": 1.0, "vendor.name": 5.0}, 0.0), find_price("notes", {"vendor": 1.0}, 0.1)
    (5.0, 0.1)
    """
    paths = [path for path in prices if _contains(path, field)]
    return float(prices[max(paths, key=len)]) if paths else default


@evaluator(
    reads="case",
    counts=("wrong_values", "false_accepts", "reviewed"),
    kept=("per_case",),
    unbounded=("per_case",),
    metrics=("per_case", "wrong_values", "false_accepts", "reviewed"),
    primary="per_case",
    examples=[
        EvaluatorExample(
            options={
                "prices": {"total": 40, "vendor": 5},
                "false_accept": 10,
                "evaluators": [{"type": "field_accuracy", "fields": ["total", "vendor.name", "notes"]}],
            },
            expected={"total": 119.0, "vendor": {"name": "Acme"}, "notes": "a"},
            actual={"total": 191.0, "vendor": {}, "notes": "b"},
            key_order_matters=True,
        ),
        EvaluatorExample(
            options={"prices": {"a": 1}, "default": 0.5, "evaluators": [{"type": "field_prf"}]},
            perfect={"a": "x", "b": [1, {"c": 2.5}], "é": {"a": True, "b": None}},
            key_order_matters=True,
        ),
    ],
)
def error_cost(batch: Batch, config: ErrorCost) -> Results:
    """The cost of wrong values. The score is the share of the amount at stake that is not lost; the metric is `per_case`."""
    results = batch.evaluate(config.evaluators[0].evaluator)
    size = len(batch)
    comparisons = ComparisonTable.without_rows(size) if results.comparisons is None else results.comparisons
    priced = _price_rows(comparisons, config)
    case = comparisons.case
    lost = np.bincount(case, weights=priced.lost, minlength=size)
    at_stake = np.bincount(case[priced.counted], weights=priced.price[priced.counted], minlength=size)
    lost_price = np.bincount(case[priced.wrong], weights=priced.price[priced.wrong], minlength=size)
    share = np.divide(lost_price, at_stake, out=np.zeros(size), where=at_stake > 0)
    status, faults = _decide_statuses(results)
    is_scored = status == Status.SCORED
    misses = _label_rows(comparisons, priced, priced.wrong & (priced.lost > 0))
    hits = _label_rows(comparisons, None, priced.counted & ~priced.wrong & (priced.price > 0))
    without_price = (hits.counts() == 0) & (misses.counts() == 0) & is_scored
    if without_price.any():
        hits = Labels.of([_NOTHING_PRICED] if without_price[row] else hits.at(row) for row in range(size))
    metrics = {
        "per_case": lost,
        "wrong_values": _count(case, priced.wrong & (priced.price > 0), size),
        "false_accepts": _count(case, priced.accepted, size),
        "reviewed": _count(case, priced.reviewed, size),
    }
    return Results(
        score=np.where(is_scored, 1.0 - share, 0.0),
        status=status,
        hits=hits,
        misses=misses,
        reasoning=[faults.get(row) or f"wrong values cost {lost[row]:g}" for row in range(size)],
        metrics={name: np.where(is_scored, column, np.nan) for name, column in metrics.items()},
        member_comparisons=results.comparisons,
        details=lambda row: {"cost": float(lost[row]), **({"fault": "ours", "reason": faults[row]} if row in faults else {})},
    )


@dataclass(frozen=True, slots=True)
class _PricedRows:
    """Arrays over the rows of the comparisons."""

    price: NDArray[np.float64]
    """What a wrong value in this row costs."""
    counted: NDArray[np.bool_]
    """Rows that are right or wrong."""
    wrong: NDArray[np.bool_]
    accepted: NDArray[np.bool_]
    """Wrong values with a price that were accepted without review."""
    reviewed: NDArray[np.bool_]
    """Values that the policy sends to review."""
    lost: NDArray[np.float64]


def _price_rows(comparisons: ComparisonTable, config: ErrorCost) -> _PricedRows:
    outcome = comparisons.outcome
    prices = [find_price(name, config.prices, config.default) for name in comparisons.fields]
    price = np.array([*prices, 0.0], dtype=np.float64)[comparisons.field]
    is_error = np.isin(outcome, _ERRORS)
    wrong = is_error & ~comparisons.passed
    counted = wrong | (comparisons.passed & (outcome == Outcome.MATCH))
    has_actual = np.isin(outcome, (Outcome.MATCH, *_GIVEN_ERRORS))
    reviewed = has_actual & _find_reviewed(comparisons, config.thresholds)
    accepted = wrong & np.isin(outcome, _GIVEN_ERRORS) & ~reviewed & (price > 0)
    lost = np.where(wrong & ~reviewed, price, 0.0) + config.false_accept * accepted + config.review * reviewed
    return _PricedRows(price, counted, wrong, accepted, reviewed, lost)


def _find_reviewed(comparisons: ComparisonTable, thresholds: Mapping[str, float | None]) -> NDArray[np.bool_]:
    """The rows that a policy sends to review: its field has no cut-off, or the value has no confidence, or too low a one."""
    if not thresholds:
        return np.zeros(len(comparisons), dtype=np.bool_)
    cuts = [np.inf if (cut := thresholds.get(name)) is None else cut for name in comparisons.fields]
    cut_of_row = np.array([*cuts, np.inf], dtype=np.float64)[comparisons.field]
    confidence = comparisons.confidence if len(comparisons.confidence) else np.full(len(comparisons), np.nan)
    return ~(confidence >= cut_of_row)


def _decide_statuses(results: Results) -> tuple[NDArray[np.uint8], dict[int, str]]:
    """The evaluator's own statuses, except that a failure of the system has a cost; and the reasons of evaluation errors."""
    status = results.status.copy()
    faults: dict[int, str] = {}
    for row in np.flatnonzero(status == Status.ERROR).tolist():
        details = results.details(row)
        if details.get("fault") == "system":
            status[row] = Status.SCORED
        else:
            faults[row] = str(details.get("reason") or results.reasoning[row])
    return status, faults


def _count(case: NDArray[np.int32], rows: NDArray[np.bool_], size: int) -> NDArray[np.float64]:
    return np.bincount(case[rows], minlength=size).astype(np.float64)


def _label_rows(comparisons: ComparisonTable, priced: _PricedRows | None, rows: NDArray[np.bool_]) -> Labels:
    """The paths of these rows by case, with what each costs."""
    labels: list[list[str]] = [[] for _ in range(comparisons.cases)]
    for row in np.flatnonzero(rows).tolist():
        path = comparisons.paths[int(comparisons.path[row])]
        labels[int(comparisons.case[row])].append(path if priced is None else f"{path} ({priced.lost[row]:g})")
    return Labels.of(labels)
