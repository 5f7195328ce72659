"""Declarative checks of a text (a word, a number, a pattern, or a combination), and the presets written with them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Any, Final

import re2

from fieldwise.dataclass import dataclass
from fieldwise.kernels.keywords import fold_keyword
from fieldwise.kernels.numbers_in_text import NumberInText, NumberLocale, find_numbers, format_number_value, is_percent
from fieldwise.model.bounds import MinLen
from fieldwise.model.options import OptionProblem

_KINDS: Final = ("word", "number", "regex", "any", "all", "not")


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCheck:
    """A check of an answer; exactly one of word, number, regex, any, all, not."""

    word: Annotated[str, MinLen(1)] | None = None
    """A word or a phrase, as whole words; case and the amount of whitespace are ignored."""
    number: int | float | None = None
    """A number by value: 604 is in "$604.00", not in "1604"."""
    percent: bool | None = None
    """With `number`: true if a percent sign or word must follow it, false if it must not."""
    regex: str | None = None
    """A pattern in RE2 syntax, searched anywhere in the answer; `(?i)` ignores case."""
    any: tuple[FactCheck, ...] = ()
    """Checks of which at least one must hold."""
    all: tuple[FactCheck, ...] = ()
    """Checks that must all hold."""
    not_: FactCheck | None = None
    """A check that must not hold."""

    @property
    def kinds(self) -> list[str]:
        """The kinds that are set; a check must have exactly one."""
        is_set = (self.word is not None, self.number is not None, self.regex is not None, self.any, self.all, self.not_ is not None)
        return [kind for kind, present in zip(_KINDS, is_set, strict=True) if present]

    def problems(self) -> Iterable[OptionProblem]:
        """More or fewer than one kind, a percent without a number, a pattern that does not compile."""
        if len(self.kinds) != 1:
            what = f"a check has {' and '.join(f'`{kind}`' for kind in self.kinds)}" if self.kinds else "a check is empty"
            yield "", what, "give it one of `word`, `number`, `regex`, `any`, `all`, `not`"
        if self.percent is not None and self.number is None:
            yield "percent", "`percent` needs a `number`", "add `number`, or leave `percent` out"
        if self.word is not None and not self.word.strip():
            yield "word", "the word is blank", "write a word"
        if self.regex is not None:
            reason = _compile_error(self.regex)
            if reason:
                yield "regex", f"the pattern cannot be read: {reason}", "patterns have RE2 syntax: no look-around, no back-references"


class CheckedAnswer:
    """A text with its normalized form and its numbers, each computed once."""

    def __init__(self, text: str, locale: NumberLocale = "en") -> None:
        self.text = text if text.isascii() else text.encode("utf-8", "replace").decode()  # RE2 rejects lone surrogates
        self.folded = " ".join(fold_keyword(text).replace("’", "'").split())
        self._locale: NumberLocale = locale
        self._figures: dict[str, list[NumberInText]] | None = None

    def occurrences(self, value: str) -> list[NumberInText]:
        """The occurrences of a number, by value."""
        if self._figures is None:
            self._figures = {}
            for figure in find_numbers(self.text, self._locale):
                self._figures.setdefault(figure.value, []).append(figure)
        return self._figures.get(value, [])


def check_holds(check: FactCheck, answer: CheckedAnswer) -> bool:
    """True if a check holds for an answer.

    >>> check = FactCheck(number=604)
    >>> check_holds(check, CheckedAnswer("The premium is $604.00")), check_holds(check, CheckedAnswer("1604 or 604.5"))
    (True, False)
    """
    if check.word is not None:
        return _compile_word(check.word).search(answer.folded) is not None
    if check.number is not None:
        numbers = answer.occurrences(format_number_value(check.number))
        return any(check.percent is None or is_percent(answer.text, figure) == check.percent for figure in numbers)
    if check.regex is not None:
        return _compile_pattern(check.regex).search(answer.text) is not None
    if check.not_ is not None:
        return not check_holds(check.not_, answer)
    if check.all:
        return all(check_holds(part, answer) for part in check.all)
    return any(check_holds(part, answer) for part in check.any)


def describe_check(check: FactCheck) -> str:
    """A check in words.

    >>> describe_check(FactCheck(any=(FactCheck(number=36), FactCheck(word="exceeds 30"))))
    'the number 36 or the words "exceeds 30"'
    """
    if check.word is not None:
        return f'the word{"s" if " " in check.word.strip() else ""} "{check.word}"'
    if check.number is not None:
        return f"the number {format_number_value(check.number)}" + {None: "", True: " in percent", False: " without percent"}[check.percent]
    if check.regex is not None:
        return f"the pattern {check.regex}"
    if check.not_ is not None:
        return f"not {describe_check(check.not_)}"
    conjunction = " and " if check.all else " or "
    return conjunction.join(map(_describe_part, check.all or check.any))


def _describe_part(check: FactCheck) -> str:
    return f"({describe_check(check)})" if len(check.any + check.all) > 1 else describe_check(check)


def build_check(data: dict[str, Any]) -> FactCheck:
    """A check from plain data, the form of the presets."""
    return FactCheck(
        word=data.get("word"),
        number=data.get("number"),
        percent=data.get("percent"),
        regex=data.get("regex"),
        any=tuple(map(build_check, data.get("any", ()))),
        all=tuple(map(build_check, data.get("all", ()))),
        not_=build_check(data["not"]) if "not" in data else None,
    )


@lru_cache(maxsize=1024)  # the same few words and patterns are searched in every answer of a run
def _compile_word(word: str) -> re.Pattern[str]:
    parts = " ".join(fold_keyword(word).replace("’", "'").split())
    return re.compile(rf"(?<![^\W_]){re.escape(parts)}(?![^\W_])")


@lru_cache(maxsize=1024)  # as for words
def _compile_pattern(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)


def _compile_error(pattern: str) -> str | None:
    try:
        _compile_pattern(pattern)
    except re2.error as error:
        return str(error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else error)
    return None


def _substring_check(text: str) -> dict[str, Any]:
    return {"regex": f"(?i){text}"}


def _name_and_number(names: list[dict[str, Any]], number: float) -> dict[str, Any]:
    return {"all": [{"any": names}, {"number": number}]}


_TERRITORY: Final = [{"word": "territory"}, {"word": "territories"}]
_GRG: Final = [{"regex": r"(?i)\bgrg"}, {"word": "group"}, {"word": "groups"}]

EF_2: Final[dict[str, Any]] = {
    "facts": {
        "has_yes": {"word": "yes"},
        "has_territory_118": _name_and_number(_TERRITORY, 118),
        "has_territory_117": _name_and_number(_TERRITORY, 117),
        "has_rate_0_305": {"number": 0.305},
        "has_rate_neg_0_133": {"number": -0.133},
        "has_grg_51": _name_and_number(_GRG, 51),
        "has_grg_15": _name_and_number(_GRG, 15),
        "has_difference_36": {"any": [{"number": 36}, {"all": [{"regex": "(?i)\\bexceed"}, {"number": 30}]}]},
    },
    "formulas": {},
    "score": "share of facts",
}

_CANNOT_CALCULATE: Final = (
    r"(?i)\b(?:cannot|can not|can['’]?t|could not|couldn['’]?t|(?:am|are|is|was|were) not able to|isn['’]t possible to)\s+(?:\w+\s+){0,3}?"
    r"(?:calculat|comput|determin|deriv|establish|answer|estimat|figure|work out|complet|provid|give|find|locat|help)\w*"
)
_NOT_ENOUGH: Final = (
    r"(?i)(?:\bnot|n['’]t|\bno|\bwithout|\black\w*)\s+(?:\w+\s+){0,2}?(?:(?:enough|sufficient|adequate|necessary|required|the|any)\s+)"
    r"(?:\w+\s+){0,2}?(?:information|data|context|details?|inputs?)\b"
    r"|\binsufficient\s+(?:\w+\s+){0,2}?(?:information|data|context|details?|inputs?)\b"
    r"|\b(?:more|additional|further)\s+(?:information|data|context|details?|inputs?)\s+(?:is|are|would be)\s+"
    r"(?:needed|required|necessary)\b"
)
_NOTHING_MISSING: Final = r"(?i)\b(?:nothing|no \w+)\s+(?:is|are|was|were)\s+missing\b"

EF_3: Final[dict[str, Any]] = {
    "facts": {
        "has_604": {"number": 604},
        "has_293": {"number": 293},
        "has_2_061": {"number": 2.061},
        "has_calculation": {
            # × also as UTF-8 misread as Latin-1; * only between two operands, because Markdown uses it too
            "regex": r"(?i)×|Ã—|[^*\s][ \t]+\*[ \t]+[^*\s]|[\w)]\*[\w($]|\bmultipl|[0-9)][ \t]*[x⋅✕][ \t]*[$(]?[0-9]",
        },
        "cannot_calculate": {
            "any": [
                # can't, couldn't, was not able to … with up to three words before the verb
                {"regex": _CANNOT_CALCULATE},
                {"regex": _NOT_ENOUGH},
                {"all": [{"word": "missing"}, {"not": {"regex": _NOTHING_MISSING}}]},
                *(
                    {"word": phrase}
                    for phrase in (
                        "not able to",
                        "impossible to",
                        "not possible",
                        "isn't possible",
                        "isn’t possible",
                        "not available",
                        "not provided",
                        "unable to",
                        "do not have enough",
                        "don't have enough",
                        "don’t have enough",
                    )
                ),
            ]
        },
    },
    "formulas": {"is_correct": "has_604 and not cannot_calculate"},
    "score": "is_correct",
}

EF_2_V1: Final[dict[str, Any]] = {
    "facts": {
        "has_yes": {"all": [_substring_check("yes"), {"not": {"regex": "(?is)^.{0,198}no"}}]},
        "has_territory_118": {"all": [_substring_check("118"), _substring_check("territory")]},
        "has_territory_117": {"all": [_substring_check("117"), _substring_check("territory")]},
        "has_rate_0_305": {"regex": r"0\.305"},
        "has_rate_neg_0_133": {"regex": r"-0\.133"},
        "has_grg_51": {"regex": "51"},
        "has_grg_15": {"regex": "15"},
        "has_difference_36": {"any": [{"regex": "36"}, {"all": [_substring_check("exceed"), {"regex": "30"}]}]},
    },
    "formulas": {},
    "score": "share of facts",
}

EF_3_V1: Final[dict[str, Any]] = {
    "facts": {
        "has_604": {"regex": "604"},
        "has_293": {"regex": "293"},
        "has_2_061": {"regex": r"2\.061"},
        "has_calculation": {"regex": r"(?i)×|\*|multipl"},
        "cannot_calculate": _substring_check(
            "cannot calculate|cannot compute|not possible|missing|not available|not provided|unable to|do not have enough"
        ),
    },
    "formulas": {"is_correct": "has_604 and not cannot_calculate"},
    "score": "is_correct",
}

PRESETS: Final = {("ef_2", "v2"): EF_2, ("ef_3", "v2"): EF_3, ("ef_2", "v1"): EF_2_V1, ("ef_3", "v1"): EF_3_V1}
"""Presets by name and version. `v1` checks by substring, as the first framework did: 1604 has 604, and "note" has "no"."""
