"""Boolean formulas over names: `has_604 and not cannot_calculate`.

>>> formula = parse_formula("a and not (b or c)")
>>> formula.evaluate({"a": True, "b": False, "c": False})
True
>>> sorted(formula.true_names), sorted(formula.false_names)
(['a'], ['b', 'c'])
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_TOKEN = re.compile(r"\s*(?:(\()|(\))|([A-Za-z_][A-Za-z0-9_]*)|(\S))")
_PRECEDENCE: Final = {"or": 1, "and": 2, "not": 3}


class FormulaError(ValueError):
    """A formula with a syntax error; the message says where."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A parsed formula, in postfix order."""

    steps: tuple[str, ...]
    true_names: frozenset[str]
    """Names that make the formula true by being true."""
    false_names: frozenset[str]
    """Names that make the formula true by being false."""

    @property
    def names(self) -> frozenset[str]:
        """Every name in the formula."""
        return self.true_names | self.false_names

    def evaluate(self, values: Mapping[str, bool]) -> bool:
        """Return the value of the formula for these values."""
        stack: list[bool] = []
        for step in self.steps:
            if step == "not":
                stack.append(not stack.pop())
            elif step in _PRECEDENCE:
                right, left = stack.pop(), stack.pop()
                stack.append((left and right) if step == "and" else (left or right))
            else:
                stack.append(values[step])
        return stack.pop()

    def find_blocking_names(self, values: Mapping[str, bool]) -> list[str]:
        """Return the names whose values keep the formula from being true, in alphabetical order; none if it is true.

        >>> parse_formula("has_604 and not cannot_calculate").find_blocking_names({"has_604": False, "cannot_calculate": True})
        ['cannot_calculate', 'has_604']
        """
        if self.evaluate(values):
            return []
        wrongly_false = {name for name in self.true_names if not values[name]}
        wrongly_true = {name for name in self.false_names if values[name]}
        return sorted(wrongly_false | wrongly_true)


def parse_formula(text: str) -> Formula:
    """Parse names joined by `and`, `or`, `not` and parentheses.

    >>> parse_formula("a and")
    Traceback (most recent call last):
        ...
    fieldwise.kernels.formulas.FormulaError: a name is missing after `and`
    """
    steps = tuple(_to_postfix(text))
    true_names, false_names = _split_by_polarity(steps)
    return Formula(steps, true_names, false_names)


def _to_postfix(text: str) -> list[str]:
    """Put operators after their operands. Parentheses are on a list, not on the call stack, so that any depth works."""
    steps: list[str] = []
    operators: list[str] = []
    previous = "("
    for match in _TOKEN.finditer(text.rstrip()):
        token = match.group().strip()
        if match[4]:
            raise FormulaError(f"`{token}` is not allowed in a formula; use names, and, or, not, and parentheses")
        _check_order(previous, token)
        if token in ("(", "not"):
            operators.append(token)
        elif token == ")":
            _close_parenthesis(steps, operators)
        elif token in _PRECEDENCE:
            while operators and _PRECEDENCE.get(operators[-1], 0) >= _PRECEDENCE[token]:
                steps.append(operators.pop())
            operators.append(token)
        else:
            steps.append(token)
        previous = token
    if _needs_operand(previous):
        raise FormulaError(f"a name is missing after `{previous}`" if steps or operators else "the formula is empty")
    while operators:
        if operators[-1] == "(":
            raise FormulaError("a `(` is never closed")
        steps.append(operators.pop())
    return steps


def _close_parenthesis(steps: list[str], operators: list[str]) -> None:
    while operators and operators[-1] != "(":
        steps.append(operators.pop())
    if not operators:
        raise FormulaError("a `)` closes nothing")
    operators.pop()


def _needs_operand(token: str) -> bool:
    """Return whether a name, `not` or `(` must follow the token."""
    return token == "(" or token in _PRECEDENCE


def _check_order(previous: str, token: str) -> None:
    begins_operand = token in ("(", "not") or token not in (")", *_PRECEDENCE)
    if begins_operand and not _needs_operand(previous):
        raise FormulaError(f"`and` or `or` is missing between `{previous}` and `{token}`")
    if not begins_operand and _needs_operand(previous):
        raise FormulaError(f"a name is missing before `{token}`")


def _split_by_polarity(steps: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    true_names: set[str] = set()
    false_names: set[str] = set()
    pending = [False]  # read backwards: whether the operand that comes next is negated
    for step in reversed(steps):
        negated = pending.pop()
        if step == "not":
            pending.append(not negated)
        elif step in _PRECEDENCE:
            pending += [negated, negated]
        else:
            (false_names if negated else true_names).add(step)
    return frozenset(true_names), frozenset(false_names)
