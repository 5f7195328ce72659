"""Options that a whole column decides: whether day or month comes first, which sign is the decimal mark.

A matcher scores row by row under its options. A rule that leaves such an option open is completed here, from the values of both sides in
all cases, before anything is scored.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, is_dataclass, replace
from itertools import chain
from typing import Any, Final
from unicodedata import normalize

from fieldwise.dataclass import dataclass
from fieldwise.model.accepted_values import list_accepted
from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.path import EACH
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.rule import FieldRule, Match
from fieldwise.model.services import NO_SERVICES
from fieldwise.read.table_files import LineFilter
from fieldwise.registry import MATCHERS
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.columns import LISTS, ColumnCache, ValueColumn
from fieldwise.specs import ColumnSurvey

_PLAIN_KEY: Final = re.compile(r"[ -~]+", re.ASCII)
"""Keys that JSON has as they are; a line in which quotes or other characters are escaped is always decoded."""
_OBJECT_IN_TEXT: Final = re.compile(rb'\{(?!\s*["}])')
"""An object written in a text, such as `{'a': 1}`: in JSON itself a quote or a brace follows, and in a text quotes have backslashes."""


def has_open_rules(plan: Plan) -> bool:
    """True if a rule of the plan leaves something to its column, so that the cases must be surveyed."""
    return any(_is_open_rule(rule) for planned in plan.evaluators for rule in _field_rules(planned))


def make_line_filter(plan: Plan) -> LineFilter | None:
    """A test for lines of JSONL that may hold evidence; None if every line must be decoded.

    Most columns of dates are ISO and most amounts are JSON numbers, which decide nothing: decoding all of them again took a sixth of a run.
    """
    source = plan.source
    if source is None or source.mappings or source.corrections is not None:
        return None  # fields may have other names or values than in the file
    surveyed_keys: dict[tuple[str, str], _SurveyedKeys] = {}
    for rule in _open_rules(plan.evaluators):
        keys = [step for step in rule.path.steps if isinstance(step, str) and step is not EACH] if rule.path else []
        survey = MATCHERS.find(rule.match.name).column_survey
        if not keys or not _PLAIN_KEY.fullmatch(keys[-1]) or survey is None:
            return None
        options = _options(rule.match)
        surveyed = surveyed_keys.setdefault((rule.match.name, repr(options)), _SurveyedKeys(survey, options))
        surveyed.keys.add(keys[-1])
    tests = [surveyed.make_test() for surveyed in surveyed_keys.values()]

    def may_hold_evidence(lines: bytes) -> bool:
        has_texts = b"\\" in lines or (lines.count(b"{") != lines.count(b'{"') and _OBJECT_IN_TEXT.search(lines) is not None)
        return has_texts or any(has_evidence(lines) for has_evidence in tests)

    return may_hold_evidence


@dataclass(slots=True)
class _SurveyedKeys:
    """The last keys of paths whose rules leave the same options open."""

    survey: ColumnSurvey
    options: Any
    keys: set[str] = field(default_factory=set)

    def make_test(self) -> LineFilter:
        """A test whether a value at one of these keys shows anything."""
        names = "|".join(map(re.escape, sorted(self.keys)))
        # A key is followed by a colon; the same text as a value is not. Without the quote before the key the search is twice as fast,
        # and keys that merely end in this text are looked at in vain.
        pattern = rf'(?:{names})"\s*:(?!\s*(?:{self.survey.no_evidence})\s*[,}}])\s*("[^"]*"\s*[,}}])?'
        find_values = re.compile(pattern.encode()).findall
        collect, options = self.survey.collect, self.options

        def has_evidence(lines: bytes) -> bool:
            values = set(find_values(lines))
            if b"" in values:  # a list, an object, or text that is not closed
                return True
            texts = [normalize("NFC", value.rpartition(b'"')[0][1:].decode(errors="replace")) for value in values]
            return bool(collect(texts, options))

        return has_evidence


def survey_plan_columns(plan: Plan, batches: Iterable[Cases]) -> tuple[Plan, list[Diagnostic]]:
    """The plan with the options that the columns decide, and a remark for each of them."""
    evaluators, remarks = survey_columns(plan.evaluators, (ScoringBatch(cases, NO_SERVICES) for cases in batches), plan.file)
    return replace(plan, evaluators=evaluators), remarks


def survey_columns(
    evaluators: tuple[PlannedEvaluator, ...], batches: Iterable[ScoringBatch], file: str | None = None
) -> tuple[tuple[PlannedEvaluator, ...], list[Diagnostic]]:
    """The evaluators with the options that the columns decide, and a remark for each of them."""
    evidence = [(rule, Counter[str]()) for rule in _open_rules(evaluators)]
    if not evidence:
        return evaluators, []
    for batch in batches:
        (expected, actual), cache = batch.columns, batch.column_cache
        for rule, counts in evidence:
            counts.update(collect_evidence(rule.match, _values_at(expected, rule, cache), _values_at(actual, rule, cache)))
    if not any(counts for _, counts in evidence):
        return evaluators, []
    resolved: dict[str, list[tuple[FieldRule, FieldRule]]] = {}
    """By the text of their path: rules, each with what replaces it."""
    remarks: list[Diagnostic] = []
    for rule, counts in evidence:
        match, sentence = resolve_match(rule.match, counts)
        if sentence is not None:
            resolved.setdefault(rule.text, []).append((rule, replace(rule, match=match)))
            where = Where(file=file, field=rule.text)
            remarks.append(Diagnostic(code="column-decides", level="info", what=sentence, where=where))
    return tuple(_with_rules(planned, resolved) for planned in evaluators), remarks


def survey_match(match: Match, expected: Sequence[Any], actual: Sequence[Any]) -> Match:
    """The match with the options that two columns of values decide."""
    if not _is_open(match):
        return match
    return resolve_match(match, collect_evidence(match, expected, actual))[0]


def collect_evidence(match: Match, expected: Sequence[Any], actual: Sequence[Any]) -> Counter[str]:
    """What these values show about the options that a match leaves open: of both sides together, and of each under its name."""
    survey = MATCHERS.find(match.name).column_survey
    evidence: Counter[str] = Counter()
    if survey is None:
        return evidence
    for side, values in (("expected", expected), ("actual", actual)):
        for sign, count in survey.collect(values, _options(match)).items():
            evidence[sign] += count
            evidence[f"{side}: {sign}"] += count
    return evidence


def resolve_match(match: Match, evidence: Counter[str]) -> tuple[Match, str | None]:
    """The match with the options that the evidence decides, and a sentence about it; the same match and None if it decides none."""
    survey = MATCHERS.find(match.name).column_survey
    if survey is None:
        return match, None
    options, sentence = survey.resolve(_options(match), evidence)
    return (match, None) if sentence is None else (Match(match.name, options), sentence)


def _open_rules(evaluators: Sequence[PlannedEvaluator]) -> list[FieldRule]:
    """The rules that leave something to their column, each once."""
    rules: list[FieldRule] = []
    rules_by_text: dict[str, list[FieldRule]] = {}  # not a set of rules: options of plug-ins may be unhashable
    for planned in evaluators:
        for rule in _field_rules(planned):
            rules_of_field = rules_by_text.setdefault(rule.text, [])
            if _is_open_rule(rule) and rule not in rules_of_field:
                rules_of_field.append(rule)
                rules.append(rule)
    return rules


def _field_rules(planned: PlannedEvaluator) -> Iterator[FieldRule]:
    for rule in getattr(planned.config, "fields", None) or ():
        if isinstance(rule, FieldRule):
            yield rule


def _is_open_rule(rule: FieldRule) -> bool:
    return rule.path is not None and _is_open(rule.match)


def _is_open(match: Match) -> bool:
    if match.name == "auto":
        return False
    survey = MATCHERS.find(match.name).column_survey
    return survey is not None and survey.is_open(_options(match))


def _options(match: Match) -> Any:
    return MATCHERS.find(match.name).options() if match.options is None else match.options


def _values_at(column: ValueColumn, rule: FieldRule, cache: ColumnCache) -> ValueColumn:
    """The values at a rule's path, each item of a list and each accepted value by itself."""
    assert rule.path is not None
    for step in rule.path.steps:
        if step is EACH:
            column = list(chain.from_iterable(value for value in column if isinstance(value, LISTS)))
        else:
            column = cache.take_step(column, step)
    return list(chain.from_iterable(map(list_accepted, column))) if dict in map(type, column) else column


def _with_rules(planned: PlannedEvaluator, resolved: Mapping[str, Sequence[tuple[FieldRule, FieldRule]]]) -> PlannedEvaluator:
    rules = tuple(_field_rules(planned))
    new_rules = tuple(next((new for old, new in resolved.get(rule.text, ()) if old == rule), rule) for rule in rules)
    if new_rules == rules or not is_dataclass(planned.config) or isinstance(planned.config, type):
        return planned
    return replace(planned, config=replace(planned.config, fields=new_rules))
