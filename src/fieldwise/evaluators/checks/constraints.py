"""Rules that tie the fields of a record together: totals that add up, what one value demands of another, fields that must be there.

>>> import fieldwise as fw
>>> rules = [{"name": "adds_up", "check": "total == net + tax", "tolerance": 0.01}, {"if": "country == 'DE'", "then": "vat_id"}]
>>> result = fw.evaluate({"type": "constraints", "rules": rules}, actual={"total": 120, "net": 100, "tax": 19, "country": "FR"})
>>> result.score, result.misses, result.reasoning
(0.0, ['adds_up (120 == 119 is false)'], '0/1 rules hold')
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, Final, NamedTuple

from annotated_types import Ge, MinLen

from fieldwise.evaluators.checks._expressions import ExpressionError, Field, Node, Operation, parse
from fieldwise.evaluators.checks._values import Absent, NoItems, Reading, Unfit, compute, holds, why_not
from fieldwise.model.batch import Batch
from fieldwise.model.options import Problem
from fieldwise.model.result import Result, Results
from fieldwise.model.values import MISSING, Value
from fieldwise.registry import evaluator

_KINDS: Final = ("check", "then", "require", "sum")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What must be true of a record; exactly one of check, then (with if), require, sum (with equals)."""

    name: Annotated[str, MinLen(1)] | None = None
    """What hits and misses call it; the rule itself if left out."""
    check: str | None = None
    """An expression that must hold, such as `invoice.total == invoice.net + invoice.tax`."""
    if_: str | None = None
    """The rule is only for records of which this is true."""
    then: str | None = None
    """With `if`: what must hold there; a bare path must have a value."""
    require: tuple[str, ...] = ()
    """Paths that must all have a value."""
    sum: str | None = None
    """A path such as `line_items[*].amount`, whose values add up to `equals`."""
    equals: str | float | None = None
    """What the sum must be: an expression, or a number."""
    tolerance: Annotated[float, Ge(0)] = 0.0
    """How far two numbers may be apart and still be equal; inclusive, also for <= and >=."""
    when_present: bool = False
    """Leave the rule out where a field it speaks of is absent or null, instead of calling that a miss."""
    weight: Annotated[float, Ge(0)] = 1.0

    @property
    def label(self) -> str:
        """What hits and misses call it."""
        own = self.check or self.then or (f"sum({self.sum}) == {self.equals}" if self.sum else f"require {', '.join(self.require)}")
        return self.name or (f"if {self.if_} then {own}" if self.if_ else own)

    def problems(self) -> Iterable[Problem]:
        """More or less than one kind, a part without its other half, expressions that cannot be read."""
        given = [kind for kind in _KINDS if getattr(self, kind)]
        if len(given) != 1:
            what = f"a rule has {' and '.join(f'`{kind}`' for kind in given)}" if given else "a rule says nothing"
            yield "", what, "give it one of `check`, `then` (with `if`), `require`, `sum` (with `equals`)"
            return
        if self.then and not self.if_:
            yield "then", "`then` needs `if`", "add `if`, or write `check`"
        if (self.sum is None) != (self.equals is None):
            yield "sum", "`sum` and `equals` belong together", "write `{sum: line_items[*].amount, equals: invoice.net}`"
            return
        for option, expression in _expressions(self):
            try:
                parse(expression)
            except ExpressionError as error:
                yield option, str(error), error.fix
        for path in self.require:
            if not _is_path(path):
                yield "require", f"`{path}` is no path", "write paths such as `invoice.total`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """The rules a record must keep."""

    rules: Annotated[tuple[Rule, ...], MinLen(1)]
    """Each scores 1 or 0; a rule that does not apply to a record is left out."""
    parse: bool = False
    """Read numbers written as text: "1,234.50", "$5", "12 %"."""

    def problems(self) -> Iterable[Problem]:
        """Two rules of one name."""
        labels = [rule.label for rule in self.rules]
        for label in dict.fromkeys(label for label in labels if labels.count(label) > 1):
            yield "rules", f"two rules are called `{label}`", "give each a `name` of its own"


def _expressions(rule: Rule) -> Iterator[tuple[str, str]]:
    for option, text in (("if", rule.if_), ("check", rule.check), ("then", rule.then), ("equals", rule.equals)):
        if isinstance(text, str):
            yield option, text
    if rule.sum is not None:
        yield "sum", f"sum({rule.sum})"


def _is_path(text: str) -> bool:
    try:
        return isinstance(parse(text), Field)
    except ExpressionError:
        return False


class _Compiled(NamedTuple):
    condition: Node | None
    goal: Node | None
    required: tuple[Node, ...]


@lru_cache(maxsize=1024)
def _compiled(rule: Rule) -> _Compiled:
    condition = parse(rule.if_) if rule.if_ else None
    required = tuple(map(parse, rule.require))
    if rule.sum is not None:
        total = rule.equals if isinstance(rule.equals, str) else repr(rule.equals)
        return _Compiled(condition, Operation("==", (parse(f"sum({rule.sum})"), parse(total))), required)
    text = rule.check or rule.then
    return _Compiled(condition, parse(text) if text else None, required)


class _Verdict(NamedTuple):
    held: bool | None
    """None where the rule does not apply."""
    misses: tuple[str, ...] = ()
    why: str = ""


@evaluator(reads="records", needs_expected=False, counts=("rules_held", "rules_checked"), version=1)
def constraints(batch: Batch, config: Constraints) -> Results:
    """The weighted share of the rules that hold, among those that apply."""
    return Results.from_results([_result(record, config) for record in batch.records.actual])


def _result(record: Value, config: Constraints) -> Result:
    if record is MISSING or record is None:
        misses = [f"{rule.label} (no output)" for rule in config.rules]
        return Result(misses=misses, metrics={"rules_held": 0, "rules_checked": len(config.rules)})
    judged = [(rule, _judged(rule, record, config.parse)) for rule in config.rules]
    applied = [(rule, verdict) for rule, verdict in judged if verdict.held is not None]
    details = {"rules": [{"name": rule.label, "held": verdict.held, "why": verdict.why} for rule, verdict in judged]}
    if not applied:
        return Result(status="skipped", reasoning="no rule applies to this record", details=details)
    held = sum(bool(verdict.held) for _, verdict in applied)
    weight = sum(rule.weight for rule, _ in applied)
    return Result(
        score=min(1.0, sum(rule.weight for rule, verdict in applied if verdict.held) / weight) if weight else 0.0,
        hits=[rule.label for rule, verdict in applied if verdict.held],
        misses=[miss for _, verdict in applied for miss in verdict.misses],
        reasoning=f"{held}/{len(applied)} rules hold",
        metrics={"rules_held": held, "rules_checked": len(applied)},
        details=details,
    )


def _judged(rule: Rule, record: Any, parse_numbers: bool) -> _Verdict:
    compiled = _compiled(rule)
    reading = Reading(record, Fraction(repr(rule.tolerance)), parse_numbers)
    if compiled.condition is not None and not _applies(compiled.condition, reading):
        return _Verdict(None, why="`if` is not true of this record")
    if compiled.goal is None:
        return _required(compiled, reading)
    try:
        if holds(compiled.goal, reading):
            return _Verdict(True)
        if isinstance(compiled.goal, Field):
            compute(compiled.goal, reading)  # says what is absent, if that is why
        why = why_not(compiled.goal, reading)
    except NoItems:
        return _Verdict(None, why="there are no items")
    except Absent as error:
        if rule.when_present:
            return _Verdict(None, why=str(error))
        why = str(error)
    except Unfit as error:
        why = str(error)
    return _Verdict(False, (f"{rule.label} ({why})",), why)


def _applies(condition: Node, reading: Reading) -> bool:
    """Whether a condition is true; one about what is absent or cannot be compared is not."""
    try:
        return holds(condition, reading)
    except (Absent, Unfit, NoItems):
        return False


def _required(compiled: _Compiled, reading: Reading) -> _Verdict:
    missing: list[str] = []
    for node in compiled.required:
        try:
            compute(node, reading)
        except Absent as error:
            missing.append(f"{error.path} ({'null value' if error.null else 'required, missing'})")
    return _Verdict(not missing, tuple(missing), "; ".join(missing))
