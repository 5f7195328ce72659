"""Checks on a text: a word, a number, a pattern, or a combination of checks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Final

import re2
from annotated_types import MinLen

from fieldwise.kernels.keywords import fold
from fieldwise.kernels.numbers_in_text import Figure, Locale, figures, is_percent, written
from fieldwise.model.options import Problem

_KINDS: Final = ("word", "number", "regex", "any", "all", "not")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What must be true of an answer; exactly one of word, number, regex, any, all, not."""

    word: Annotated[str, MinLen(1)] | None = None
    """A word or a phrase, whole words only; letter case and the amount of whitespace do not matter."""
    number: int | float | None = None
    """A number by value: 604 is in "$604.00", not in "1604"."""
    percent: bool | None = None
    """With `number`: whether a percent sign or word must follow it (true) or must not (false)."""
    regex: str | None = None
    """A pattern in RE2 syntax that is found somewhere in the answer; `(?i)` ignores letter case."""
    any: tuple[Check, ...] = ()
    all: tuple[Check, ...] = ()
    not_: Check | None = None

    @property
    def kinds(self) -> list[str]:
        """The kinds that are written; a check must have one."""
        given = (self.word is not None, self.number is not None, self.regex is not None, self.any, self.all, self.not_ is not None)
        return [kind for kind, present in zip(_KINDS, given, strict=True) if present]

    def problems(self) -> Iterable[Problem]:
        """More or less than one kind, a percent without a number, a pattern that cannot be read."""
        if len(self.kinds) != 1:
            what = f"a check has {' and '.join(f'`{kind}`' for kind in self.kinds)}" if self.kinds else "a check is empty"
            yield "", what, "give it one of `word`, `number`, `regex`, `any`, `all`, `not`"
        if self.percent is not None and self.number is None:
            yield "percent", "`percent` says how a number is written, and there is no `number`", "add `number`, or leave `percent` out"
        if self.word is not None and not self.word.strip():
            yield "word", "the word is blank", "write a word"
        if self.regex is not None:
            why = _unreadable(self.regex)
            if why:
                yield "regex", f"the pattern cannot be read: {why}", "patterns have RE2 syntax: no lookaround, no backreferences"


class Answer:
    """A text with what checks need of it, each made once."""

    def __init__(self, text: str, locale: Locale = "en") -> None:
        self.text = text if text.isascii() else text.encode("utf-8", "replace").decode()  # patterns stop at half of a surrogate pair
        self.folded = " ".join(fold(text).replace("’", "'").split())
        self._locale: Locale = locale
        self._figures: dict[str, list[Figure]] | None = None

    def figures(self, value: str) -> list[Figure]:
        """Where a number stands, by value."""
        if self._figures is None:
            self._figures = {}
            for figure in figures(self.text, self._locale):
                self._figures.setdefault(figure.value, []).append(figure)
        return self._figures.get(value, [])


def holds(check: Check, answer: Answer) -> bool:
    """Whether a check is true of an answer.

    >>> holds(Check(number=604), Answer("The premium is $604.00")), holds(Check(number=604), Answer("1604 or 604.5"))
    (True, False)
    """
    if check.word is not None:
        return _word(check.word).search(answer.folded) is not None
    if check.number is not None:
        found = answer.figures(written(check.number))
        return any(check.percent is None or is_percent(answer.text, figure) == check.percent for figure in found)
    if check.regex is not None:
        return _compiled(check.regex).search(answer.text) is not None
    if check.not_ is not None:
        return not holds(check.not_, answer)
    return all(holds(part, answer) for part in check.all) if check.all else any(holds(part, answer) for part in check.any)


def described(check: Check) -> str:
    """A check in words.

    >>> described(Check(any=(Check(number=36), Check(word="exceeds 30"))))
    'the number 36 or the words "exceeds 30"'
    """
    if check.word is not None:
        return f'the word{"s" if " " in check.word.strip() else ""} "{check.word}"'
    if check.number is not None:
        return f"the number {written(check.number)}" + {None: "", True: " in percent", False: " without percent"}[check.percent]
    if check.regex is not None:
        return f"the pattern {check.regex}"
    if check.not_ is not None:
        return f"not {described(check.not_)}"
    return (" and " if check.all else " or ").join(map(_bracketed, check.all or check.any))


def _bracketed(check: Check) -> str:
    return f"({described(check)})" if len(check.any + check.all) > 1 else described(check)


def check_of(data: dict[str, Any]) -> Check:
    """A check from plain data, as presets are written."""
    return Check(
        word=data.get("word"),
        number=data.get("number"),
        percent=data.get("percent"),
        regex=data.get("regex"),
        any=tuple(map(check_of, data.get("any", ()))),
        all=tuple(map(check_of, data.get("all", ()))),
        not_=check_of(data["not"]) if "not" in data else None,
    )


@lru_cache(maxsize=1024)
def _word(word: str) -> re.Pattern[str]:
    parts = " ".join(fold(word).replace("’", "'").split())
    return re.compile(rf"(?<![^\W_]){re.escape(parts)}(?![^\W_])")


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)


def _unreadable(pattern: str) -> str | None:
    try:
        _compiled(pattern)
    except re2.error as error:
        return str(error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else error)
    return None
