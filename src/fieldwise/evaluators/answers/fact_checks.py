"""Facts that an answer must state, as declarative checks, with formulas over them: `has_604 and not cannot_calculate`."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from fieldwise.dataclass import dataclass
from fieldwise.evaluators.answers._fact_language import PRESETS, CheckedAnswer, FactCheck, build_check, check_holds, describe_check
from fieldwise.kernels.formulas import Formula, FormulaError, parse_formula
from fieldwise.kernels.numbers_in_text import NumberLocale
from fieldwise.model.batch import Batch
from fieldwise.model.options import OptionProblem
from fieldwise.model.plan import When
from fieldwise.model.result import Result, Results
from fieldwise.registry import evaluator, nearest
from fieldwise.specs import EvaluatorExample

SHARE: Final = "share of facts"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChecks:
    """The facts, the formulas and the score."""

    preset: Literal["ef_2", "ef_3"] | None = None
    """The checks of the territory question (ef_2) or of the calculation question (ef_3)."""
    checks: Literal["v2", "v1"] = "v2"
    """v1: the checks of the preset by substring, as in the first framework."""
    facts: Mapping[str, FactCheck] = field(default_factory=dict)
    """Name → check, such as {has_604: {number: 604}}; each is a metric, true or false."""
    formulas: Mapping[str, str] = field(default_factory=dict)
    """Name → formula over facts and earlier formulas, with and, or, not, parentheses; each is a metric, true or false."""
    score: str | None = None
    """`share of facts` (the default), or the name of a formula, which scores 1 or 0."""
    locale: NumberLocale = "en"
    """Number format: en 1,234.56, de 1.234,56, fr 1 234,56, ch 1'234.56."""

    def problems(self) -> Iterable[OptionProblem]:
        """No facts or duplicate names, formulas with undefined names, a score that is not a formula."""
        if self.checks == "v1" and not self.preset:
            yield "checks", "`checks: v1` needs a `preset`", "add `preset`, or leave `checks` out"
        if not self.facts and not self.preset:
            yield "facts", "there is nothing to check", "write `facts`, or a `preset`"
        preset = _preset_of(self)
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
            fix = f"did you mean `{near}`?" if near else f"`{SHARE}`, or the name of a formula"
            yield "score", f"there is no formula `{self.score}`", fix

    def default_when(self) -> When | None:
        """The question that the preset is named after."""
        return When(id=(self.preset.upper(), self.preset)) if self.preset else None


class _CompiledFacts(NamedTuple):
    facts: Mapping[str, FactCheck]
    formulas: Mapping[str, Formula]
    score: str


def _metric_names(config: FactChecks) -> list[str]:
    preset = _preset_of(config)
    names = [*preset["facts"], *config.facts, *preset["formulas"], *config.formulas]
    score = config.score or preset["score"]
    return [*names, "fact_score"] if score == SHARE else names


@evaluator(
    reads="text",
    needs_expected=False,
    version=2,
    metrics=_metric_names,
    examples=[
        EvaluatorExample(
            options={
                "facts": {"has_604": {"number": 604}, "cannot_calculate": {"regex": "(?i)cannot (be )?calculate"}},
                "formulas": {"is_correct": "has_604 and not cannot_calculate"},
                "score": "is_correct",
            },
            actual="The premium is $604.00.",
            key_order_matters=True,
        ),
        EvaluatorExample(options={"facts": {"one": {"word": "one"}, "two": {"number": 2}}}, perfect="one is 2", key_order_matters=True),
    ],
)
def fact_checks(batch: Batch, config: FactChecks) -> Results:
    """The share of facts that the answer states, or a formula over them."""
    compiled = _compile_facts(config)
    return Results.from_results([_check_answer(compiled, CheckedAnswer(text, config.locale)) for text in batch.actual_texts])


def _check_answer(compiled: _CompiledFacts, answer: CheckedAnswer) -> Result:
    facts = {name: check_holds(check, answer) for name, check in compiled.facts.items()}
    values = dict(facts)
    for name, formula in compiled.formulas.items():
        values[name] = formula.evaluate(values)
    share = sum(facts.values()) / len(facts)
    reasoning = f"{sum(facts.values())}/{len(facts)} facts"
    if compiled.score == SHARE:
        hits = [name for name in facts if facts[name]]
        misses = [name for name in facts if not facts[name]]
        score, metrics = share, {**values, "fact_score": share}
    else:
        formula = compiled.formulas[compiled.score]
        reasoning += f"; {compiled.score}: {'yes' if values[compiled.score] else 'no'}"
        misses = formula.find_blocking_names(values)
        hits = [name for name in values if values[name] and name not in misses and name not in formula.false_names]
        score, metrics = float(values[compiled.score]), values
    details = _miss_details(compiled, values, misses)
    return Result(score=score, hits=hits, misses=misses, reasoning=reasoning, metrics=metrics, details=details)


def _miss_details(compiled: _CompiledFacts, values: Mapping[str, bool], misses: Iterable[str]) -> dict[str, Any]:
    """The check behind each miss, and all facts that do not hold, needed by the score or not."""
    checks = {name: describe_check(compiled.facts[name]) for name in misses if name in compiled.facts}
    return {
        "why": {name: f"{'found' if values[name] else 'not found'}: {check}" for name, check in checks.items()},
        "absent": [name for name in compiled.facts if not values[name]],
        "flags": [],
    }


def _preset_of(config: FactChecks) -> Mapping[str, Any]:
    return PRESETS[config.preset, config.checks] if config.preset else {"facts": {}, "formulas": {}, "score": SHARE}


def _compile_facts(config: FactChecks) -> _CompiledFacts:
    preset = _preset_of(config)
    facts = {name: _preset_check(config.preset or "", config.checks, name) for name in preset["facts"]} | dict(config.facts)
    formulas = {name: parse_formula(text) for name, text in {**preset["formulas"], **config.formulas}.items()}
    return _CompiledFacts(facts, formulas, config.score or preset["score"])


@lru_cache  # presets are constants
def _preset_check(preset: str, version: str, name: str) -> FactCheck:
    return build_check(PRESETS[preset, version]["facts"][name])


def _formula_problems(config: FactChecks, defined: list[str]) -> Iterable[OptionProblem]:
    for name, text in config.formulas.items():
        try:
            unknown = sorted(parse_formula(text).names - set(defined))
        except FormulaError as error:
            yield "formulas", f"`{name}`: {error}", "write names joined by and, or, not, with parentheses"
            continue
        for undefined in unknown:
            near = nearest(undefined, defined)
            fix = f"did you mean `{near}`?" if near else "define it under `facts`, or as a formula above this one"
            yield "formulas", f"`{name}` uses `{undefined}`, which is not defined", fix
        defined = [*defined, name]
