"""Formulas over names that are true or false: `has_604 and not cannot_calculate`.

>>> formula = parse("a and not (b or c)")
>>> formula.holds({"a": True, "b": False, "c": False})
True
>>> sorted(formula.wanted), sorted(formula.unwanted)
(['a'], ['b', 'c'])
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_TOKEN = re.compile(r"\s*(?:(\()|(\))|([A-Za-z_][A-Za-z0-9_]*)|(\S))")
_BINDS: Final = {"or": 1, "and": 2, "not": 3}


class FormulaError(ValueError):
    """A formula that cannot be read; the message says where."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that has been read, in postfix order."""

    steps: tuple[str, ...]
    wanted: frozenset[str]
    """Names that help it to hold when they are true."""
    unwanted: frozenset[str]
    """Names that help it to hold when they are false."""

    @property
    def names(self) -> frozenset[str]:
        """Every name it speaks of."""
        return self.wanted | self.unwanted

    def holds(self, values: Mapping[str, bool]) -> bool:
        """Whether it is true of these values."""
        stack: list[bool] = []
        for step in self.steps:
            if step == "not":
                stack.append(not stack.pop())
            elif step in _BINDS:
                right, left = stack.pop(), stack.pop()
                stack.append((left and right) if step == "and" else (left or right))
            else:
                stack.append(values[step])
        return stack.pop()

    def against(self, values: Mapping[str, bool]) -> list[str]:
        """The names whose values keep it from holding, in alphabetical order; none where it holds.

        >>> parse("has_604 and not cannot_calculate").against({"has_604": False, "cannot_calculate": True})
        ['cannot_calculate', 'has_604']
        """
        if self.holds(values):
            return []
        return sorted({name for name in self.wanted if not values[name]} | {name for name in self.unwanted if values[name]})


def parse(text: str) -> Formula:
    """Read names joined by `and`, `or`, `not` and parentheses.

    >>> parse("a and")
    Traceback (most recent call last):
        ...
    fieldwise.kernels.formulas.FormulaError: a name is missing after `and`
    """
    steps = tuple(_postfix(text))
    wanted, unwanted = _polarity(steps)
    return Formula(steps, wanted, unwanted)


def _postfix(text: str) -> list[str]:
    """Operators after what they join. Brackets are kept on a list, not on the call stack, so that none is too deep."""
    steps: list[str] = []
    waiting: list[str] = []
    before = "("
    for found in _TOKEN.finditer(text.rstrip()):
        token = found.group().strip()
        if found[4]:
            raise FormulaError(f"`{token}` cannot stand in a formula; it has names, and, or, not, and parentheses")
        _check_order(before, token)
        if token in ("(", "not"):
            waiting.append(token)
        elif token == ")":
            _close(steps, waiting)
        elif token in _BINDS:
            while waiting and _BINDS.get(waiting[-1], 0) >= _BINDS[token]:
                steps.append(waiting.pop())
            waiting.append(token)
        else:
            steps.append(token)
        before = token
    if _opens(before):
        raise FormulaError(f"a name is missing after `{before}`" if steps or waiting else "the formula is empty")
    while waiting:
        if waiting[-1] == "(":
            raise FormulaError("a `(` is never closed")
        steps.append(waiting.pop())
    return steps


def _close(steps: list[str], waiting: list[str]) -> None:
    while waiting and waiting[-1] != "(":
        steps.append(waiting.pop())
    if not waiting:
        raise FormulaError("a `)` closes nothing")
    waiting.pop()


def _opens(token: str) -> bool:
    """Whether a name, `not` or `(` must follow."""
    return token == "(" or token in _BINDS


def _check_order(before: str, token: str) -> None:
    starts = token in ("(", "not") or token not in (")", *_BINDS)
    if starts and not _opens(before):
        raise FormulaError(f"`and` or `or` is missing between `{before}` and `{token}`")
    if not starts and _opens(before):
        raise FormulaError(f"a name is missing before `{token}`")


def _polarity(steps: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    wanted: set[str] = set()
    unwanted: set[str] = set()
    pending = [False]  # read backwards: whether the operand that comes next is negated
    for step in reversed(steps):
        negated = pending.pop()
        if step == "not":
            pending.append(not negated)
        elif step in _BINDS:
            pending += [negated, negated]
        else:
            (unwanted if negated else wanted).add(step)
    return frozenset(wanted), frozenset(unwanted)
