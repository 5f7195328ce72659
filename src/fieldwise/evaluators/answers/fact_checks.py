"""Facts that an answer must state, as declarative checks, with formulas over them: `has_604 and not cannot_calculate`."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from fieldwise.evaluators.answers._facts import Answer, Check, check_of, described, holds
from fieldwise.evaluators.answers._presets import PRESETS
from fieldwise.kernels.formulas import Formula, FormulaError, parse
from fieldwise.kernels.numbers_in_text import Locale
from fieldwise.model.batch import Batch
from fieldwise.model.options import Problem
from fieldwise.model.plan import When
from fieldwise.model.result import Result, Results
from fieldwise.registry import evaluator, nearest

SHARE: Final = "share of facts"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChecks:
    """What is checked and how it comes to a score."""

    preset: Literal["ef_2", "ef_3"] | None = None
    """The checks of the territory question (ef_2) or of the calculation question (ef_3)."""
    checks: Literal["v2", "v1"] = "v2"
    """v1: the preset's checks by substring, as the first framework made them."""
    facts: Mapping[str, Check] = field(default_factory=dict[str, Check])
    """Name → check, such as {has_604: {number: 604}}; each is a metric, true or false."""
    formulas: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name → formula over facts and formulas above it, with and, or, not, parentheses; each is a metric, true or false."""
    score: str | None = None
    """`share of facts` (the default), or the name of a formula, which scores 1 or 0."""
    locale: Locale = "en"
    """How numbers are written: en 1,234.56, de 1.234,56, fr 1 234,56, ch 1'234.56."""

    def problems(self) -> Iterable[Problem]:
        """Facts twice or not at all, formulas that name what is not there, a score that is no formula."""
        if self.checks == "v1" and not self.preset:
            yield "checks", "`checks: v1` is about a preset, and none is given", "add `preset`, or leave `checks` out"
        if not self.facts and not self.preset:
            yield "facts", "there is nothing to check", "write `facts`, or a `preset`"
        preset = _preset(self)
        for name in [*self.facts, *self.formulas]:
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name in ("and", "or", "not", "score", "fact_score"):
                yield "facts" if name in self.facts else "formulas", f"`{name}` cannot be a name here", "use letters, digits and _"
        for name in [*self.facts, *self.formulas]:
            if name in preset["facts"] or name in preset["formulas"] or (name in self.facts and name in self.formulas):
                yield "facts" if name in self.facts else "formulas", f"`{name}` is defined twice", "choose another name"
        yield from _formula_problems(self, [*preset["facts"], *preset["formulas"], *self.facts])
        formulas = [*preset["formulas"], *self.formulas]
        if self.score not in (None, SHARE, *formulas):
            near = nearest(str(self.score), [SHARE, *formulas])
            yield (
                "score",
                f"there is no formula `{self.score}`",
                f"did you mean `{near}`?" if near else f"`{SHARE}`, or the name of a formula",
            )

    def default_when(self) -> When | None:
        """A preset is for the question it is named after."""
        return When(id=(self.preset.upper(), self.preset)) if self.preset else None


class _Compiled(NamedTuple):
    facts: Mapping[str, Check]
    formulas: Mapping[str, Formula]
    score: str


@evaluator(reads="text", needs_expected=False, version=1)
def fact_checks(batch: Batch, config: FactChecks) -> Results:
    """Score each answer by the facts it states, or by a formula over them."""
    compiled = _compiled(config)
    return Results.from_results([_result(compiled, Answer(text, config.locale)) for text in batch.actual_texts])


def _result(compiled: _Compiled, answer: Answer) -> Result:
    facts = {name: holds(check, answer) for name, check in compiled.facts.items()}
    values = dict(facts)
    for name, formula in compiled.formulas.items():
        values[name] = formula.holds(values)
    share = sum(facts.values()) / len(facts)
    if compiled.score == SHARE:
        hits, misses = [name for name in facts if facts[name]], [name for name in facts if not facts[name]]
        score, metrics = share, {**values, "fact_score": share}
    else:
        formula = compiled.formulas[compiled.score]
        misses = formula.against(values)
        hits = [name for name in values if values[name] and name not in misses and name not in formula.unwanted]
        score, metrics = float(values[compiled.score]), values
    reasoning = f"{sum(facts.values())}/{len(facts)} facts" + (
        f"; {compiled.score}: {_yes(values[compiled.score])}" if compiled.score in values else ""
    )
    return Result(score=score, hits=hits, misses=misses, reasoning=reasoning, metrics=metrics, details=_details(compiled, values, misses))


def _details(compiled: _Compiled, values: Mapping[str, bool], misses: Iterable[str]) -> dict[str, Any]:
    """What each miss looked for, and the facts that do not hold though the score does not need them."""
    looked = {name: described(compiled.facts[name]) for name in misses if name in compiled.facts}
    return {
        "why": {name: f"{'found' if values[name] else 'not found'}: {what}" for name, what in looked.items()},
        "absent": [name for name in compiled.facts if not values[name]],
        "flags": [],
    }


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _preset(config: FactChecks) -> Mapping[str, Any]:
    return PRESETS[config.preset, config.checks] if config.preset else {"facts": {}, "formulas": {}, "score": SHARE}


def _compiled(config: FactChecks) -> _Compiled:
    preset = _preset(config)
    facts = {name: _preset_check(config.preset or "", config.checks, name) for name in preset["facts"]} | dict(config.facts)
    formulas = {name: parse(text) for name, text in {**preset["formulas"], **config.formulas}.items()}
    return _Compiled(facts, formulas, config.score or preset["score"])


@lru_cache
def _preset_check(preset: str, version: str, name: str) -> Check:
    return check_of(PRESETS[preset, version]["facts"][name])


def _formula_problems(config: FactChecks, known: list[str]) -> Iterable[Problem]:
    for name, text in config.formulas.items():
        try:
            unknown = sorted(parse(text).names - set(known))
        except FormulaError as error:
            yield "formulas", f"`{name}`: {error}", "write names joined by and, or, not, with parentheses"
            continue
        for other in unknown:
            near = nearest(other, known)
            fix = f"did you mean `{near}`?" if near else "define it under `facts`, or as a formula above this one"
            yield "formulas", f"`{name}` speaks of `{other}`, which is not defined", fix
        known = [*known, name]
