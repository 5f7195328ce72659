"""Rules between the fields of a record: sums that must add up, conditional requirements, required fields.

>>> import fieldwise as fw
>>> rules = [{"name": "adds_up", "check": "total == net + tax", "tolerance": 0.01}, {"if": "country == 'DE'", "then": "vat_id"}]
>>> result = fw.evaluate({"type": "constraints", "rules": rules}, actual={"total": 120, "net": 100, "tax": 19, "country": "FR"})
>>> result.score, result.misses, result.reasoning
(0.0, ['adds_up (120 == 119 is false)'], '0/1 rules hold')
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, Final, NamedTuple

from fieldwise.dataclass import dataclass
from fieldwise.evaluators.checks._expression_syntax import ExpressionError, ExpressionNode, FieldNode, OperationNode, parse_expression
from fieldwise.evaluators.checks._expression_values import (
    FieldAbsent,
    NoItems,
    RecordReading,
    UnusableValue,
    compute_value,
    explain_failure,
    expression_holds,
)
from fieldwise.model.batch import Batch
from fieldwise.model.bounds import Ge, MinLen
from fieldwise.model.options import OptionProblem
from fieldwise.model.result import Result, Results
from fieldwise.model.rule import FieldRule
from fieldwise.model.values import MISSING, Value
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample

_KINDS: Final = ("check", "then", "require", "sum")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintRule:
    """A rule for records; exactly one of check, then (with if), require, sum (with equals)."""

    name: Annotated[str, MinLen(1)] | None = None
    """Name in hits and misses; default: the rule itself."""
    check: str | None = None
    """An expression that must hold, such as `invoice.total == invoice.net + invoice.tax`."""
    if_: str | None = None
    """The rule applies only to records for which this expression holds."""
    then: str | None = None
    """With `if`: the expression that must then hold; a bare path must have a value other than `false`."""
    require: tuple[str, ...] = ()
    """Paths that must all have a value."""
    sum: str | None = None
    """A path such as `line_items[*].amount`, whose values add up to `equals`."""
    equals: str | float | None = None
    """The required sum: an expression, or a number."""
    tolerance: Annotated[float, Ge(0)] = 0.0
    """Maximum difference of two numbers that count as equal; inclusive, also for <= and >=."""
    when_present: bool = False
    """Skip the rule where one of its fields is absent or null, instead of reporting a miss."""
    sparse: bool = False
    """The fields of the rule may be absent from every output, and the rule may apply to none."""
    weight: Annotated[float, Ge(0)] = 1.0
    """Weight in the score."""

    @property
    def label(self) -> str:
        """Name in hits and misses."""
        if self.name:
            return self.name
        if self.sum and not (self.check or self.then):
            goal = f"sum({self.sum}) == {self.equals}"
        else:
            goal = self.check or self.then or f"require {', '.join(self.require)}"
        return f"if {self.if_} then {goal}" if self.if_ else goal

    def problems(self) -> Iterable[OptionProblem]:
        """More or fewer than one kind, an option without its counterpart, expressions that cannot be parsed."""
        kinds = [kind for kind in _KINDS if getattr(self, kind)]
        if len(kinds) != 1:
            what = f"a rule has {' and '.join(f'`{kind}`' for kind in kinds)}" if kinds else "a rule is empty"
            yield "", what, "give it one of `check`, `then` (with `if`), `require`, `sum` (with `equals`)"
            return
        if self.then and not self.if_:
            yield "then", "`then` needs `if`", "add `if`, or write `check`"
        if (self.sum is None) != (self.equals is None):
            yield "sum", "`sum` and `equals` belong together", "write `{sum: line_items[*].amount, equals: invoice.net}`"
            return
        for option, expression in _expressions_of(self):
            try:
                parse_expression(expression)
            except ExpressionError as error:
                yield option, str(error), error.fix
        for path in self.require:
            if not _is_path(path):
                yield "require", f"`{path}` is not a path", "write paths such as `invoice.total`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """The rules that a record must satisfy."""

    rules: Annotated[tuple[ConstraintRule, ...], MinLen(1)]
    """Each scores 1 or 0; a rule that does not apply to a record is skipped."""
    parse: bool = False
    """Parse numbers written as text: "1,234.50", "$5", "12 %"."""

    def problems(self) -> Iterable[OptionProblem]:
        """Duplicate names."""
        labels = [rule.label for rule in self.rules]
        for label in dict.fromkeys(label for label in labels if labels.count(label) > 1):
            yield "rules", f"two rules are called `{label}`", "give each a `name` of its own"

    def output_fields(self) -> Iterable[FieldRule]:
        """The fields that the rules read. Those that a rule merely requires are `sparse`, because an output without them is a miss."""
        for rule in self.rules:
            compiled = _compile_rule(rule)
            for expression in (compiled.condition, compiled.goal, *compiled.required):
                if expression is not None:
                    is_required = isinstance(expression, FieldNode) and expression is not compiled.condition and not rule.when_present
                    yield from _list_fields(expression, sparse=rule.sparse or is_required)


def _list_fields(expression: ExpressionNode, *, sparse: bool, negated: bool = False) -> Iterator[FieldRule]:
    """The fields that an expression reads. `present` asks for fields that may be absent, but `not present(x)` always holds without them."""
    if isinstance(expression, FieldNode):
        yield FieldRule(path=expression.path, text=str(expression.path), sparse=sparse)
    elif isinstance(expression, OperationNode):
        may_be_absent = expression.name == "present" and not negated
        for operand in expression.operands:
            yield from _list_fields(operand, sparse=sparse or may_be_absent, negated=expression.name == "not")


def _expressions_of(rule: ConstraintRule) -> Iterator[tuple[str, str]]:
    for option, text in (("if", rule.if_), ("check", rule.check), ("then", rule.then), ("equals", rule.equals)):
        if isinstance(text, str):
            yield option, text
    if rule.sum is not None:
        yield "sum", f"sum({rule.sum})"


def _is_path(text: str) -> bool:
    try:
        return isinstance(parse_expression(text), FieldNode)
    except ExpressionError:
        return False


class _CompiledRule(NamedTuple):
    condition: ExpressionNode | None
    goal: ExpressionNode | None
    required: tuple[ExpressionNode, ...]


@lru_cache(maxsize=1024)  # a rule is parsed once for all records; rules are frozen and compare by value
def _compile_rule(rule: ConstraintRule) -> _CompiledRule:
    condition = parse_expression(rule.if_) if rule.if_ else None
    required = tuple(map(parse_expression, rule.require))
    if rule.sum is not None:
        total = rule.equals if isinstance(rule.equals, str) else repr(rule.equals)
        return _CompiledRule(condition, OperationNode("==", (parse_expression(f"sum({rule.sum})"), parse_expression(total))), required)
    text = rule.check or rule.then
    return _CompiledRule(condition, parse_expression(text) if text else None, required)


class _RuleOutcome(NamedTuple):
    held: bool | None
    """None where the rule does not apply."""
    misses: tuple[str, ...] = ()
    reason: str = ""


@evaluator(
    reads="records",
    needs_expected=False,
    counts=("rules_held", "rules_checked"),
    version=1,
    metrics=("rules_held", "rules_checked"),
    examples=[
        EvaluatorExample(
            options={
                "rules": [
                    {"name": "adds_up", "check": "invoice.total == invoice.net + invoice.tax", "tolerance": 0.01},
                    {"name": "net", "sum": "line_items[*].amount", "equals": "invoice.net"},
                    {"name": "vat_id", "if": "country == 'DE'", "then": "vat_id"},
                    {"name": "positive", "check": "line_items[*].amount > 0"},
                    {"name": "due", "check": "issued <= due", "when_present": True},
                    {"require": ["currency"]},
                ]
            },
            actual={
                "country": "DE",
                "invoice": {"net": 100, "tax": 19, "total": 120},
                "line_items": [{"amount": 60}, {"amount": 40}],
                "issued": "2025-01-31",
            },
        ),
        EvaluatorExample(
            options={"rules": [{"check": "a == 'x'"}, {"if": "é.a", "then": "b[1].c > 2"}, {"require": ["a", "b[0]"]}]},
            perfect={"a": "x", "b": [1, {"c": 2.5}], "é": {"a": True, "b": None}},
        ),
        EvaluatorExample(options={"rules": [{"check": "a[*] + b >= c / 2"}, {"sum": "a", "equals": "b", "tolerance": 0.5}], "parse": True}),
        EvaluatorExample(
            options={"rules": [{"check": "not present(c) or a < b", "when_present": True}, {"check": "count(a) in (0, 1, 2)"}]}
        ),
    ],
)
def constraints(batch: Batch, config: Constraints) -> Results:
    """The weighted share of the applicable rules that hold."""
    return Results.from_results([_check_record(record, config) for record in batch.records.actual])


def _check_record(record: Value, config: Constraints) -> Result:
    if record is MISSING or record is None:
        misses = [f"{rule.label} (no output)" for rule in config.rules]
        return Result(misses=misses, metrics={"rules_held": 0, "rules_checked": len(config.rules)})
    outcomes = [(rule, _check_rule(rule, record, config.parse)) for rule in config.rules]
    applied = [(rule, outcome) for rule, outcome in outcomes if outcome.held is not None]
    details = {"rules": [{"name": rule.label, "held": outcome.held, "why": outcome.reason} for rule, outcome in outcomes]}
    if not applied:
        return Result(status="skipped", reasoning="no rule applies to this record", details=details)
    satisfied = [rule for rule, outcome in applied if outcome.held]
    total_weight = sum(rule.weight for rule, _ in applied)
    return Result(
        score=min(1.0, sum(rule.weight for rule in satisfied) / total_weight) if total_weight else 0.0,
        hits=[rule.label for rule in satisfied],
        misses=[miss for _, outcome in applied for miss in outcome.misses],
        reasoning=f"{len(satisfied)}/{len(applied)} rules hold",
        metrics={"rules_held": len(satisfied), "rules_checked": len(applied)},
        details=details,
    )


def _check_rule(rule: ConstraintRule, record: Any, parse_numbers: bool) -> _RuleOutcome:
    compiled = _compile_rule(rule)
    reading = RecordReading(record, Fraction(repr(rule.tolerance)), parse_numbers)
    if compiled.condition is not None and not _condition_holds(compiled.condition, reading):
        return _RuleOutcome(None, reason="`if` does not hold for this record")
    if compiled.goal is None:
        return _check_required(compiled, reading)
    try:
        if expression_holds(compiled.goal, reading):
            return _RuleOutcome(True)
        if isinstance(compiled.goal, FieldNode):
            compute_value(compiled.goal, reading)  # raises FieldAbsent if that is the reason
        reason = explain_failure(compiled.goal, reading)
    except NoItems:
        return _RuleOutcome(None, reason="there are no items")
    except FieldAbsent as error:
        if rule.when_present:
            return _RuleOutcome(None, reason=str(error))
        reason = str(error)
    except UnusableValue as error:
        reason = str(error)
    return _RuleOutcome(False, (f"{rule.label} ({reason})",), reason)


def _condition_holds(condition: ExpressionNode, reading: RecordReading) -> bool:
    """True if a condition holds; False if one of its fields is absent or cannot be compared."""
    try:
        return expression_holds(condition, reading)
    except (FieldAbsent, UnusableValue, NoItems):
        return False


def _check_required(compiled: _CompiledRule, reading: RecordReading) -> _RuleOutcome:
    missing: list[str] = []
    for node in compiled.required:
        try:
            compute_value(node, reading)
        except FieldAbsent as error:
            missing.append(f"{error.path} ({'null value' if error.null else 'required, missing'})")
    return _RuleOutcome(not missing, tuple(missing), "; ".join(missing))
