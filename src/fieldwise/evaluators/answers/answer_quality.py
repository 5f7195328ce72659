"""An answer in words against the expected one: exact match, keywords, numbers, completeness, citations. No model is asked.

Expected "Territory 118 has a rate change of 0.305%", actual "The rate change for Territory 118 is 0.305%": keyword coverage 1.0.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal
from unicodedata import normalize

import numpy as np
from annotated_types import Ge, MinLen

from fieldwise.evaluators.answers._answer_columns import METRICS, Answers, chosen
from fieldwise.kernels.citations import CITATION_INDICATORS, compile_indicators, find_indicators, find_indicators_v1
from fieldwise.kernels.coverage import KeywordCoverage, get_coverage_reader
from fieldwise.kernels.keywords_v1 import extract_digits_v1, extract_keywords_v1
from fieldwise.kernels.numbers_in_text import NumberLocale, list_number_values
from fieldwise.kernels.ragged import FirstSeenCodes, Integers, list_offsets
from fieldwise.model.batch import Batch
from fieldwise.model.options import OptionProblem
from fieldwise.model.result import Labels, Results, Status
from fieldwise.registry import evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each metric weighs in the score. A metric of weight 0 is measured, but is neither a hit nor a miss."""

    exact_match: Annotated[float, Ge(0)] = 1.0
    keyword_coverage: Annotated[float, Ge(0)] = 1.0
    number_match: Annotated[float, Ge(0)] = 1.0
    answer_completeness: Annotated[float, Ge(0)] = 1.0
    source_citation: Annotated[float, Ge(0)] = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerQuality:
    """How answers are read."""

    keywords: Literal["v2", "v1"] = "v2"
    """v2: phrases with numbers and codes, numbers by value, words of any language. v1: as the first framework found them."""
    numbers: Literal["value", "text"] = "value"
    """Whether 750,000 is 750000 and -0.133 is not 0.133, or digits compare as text."""
    citations: Literal["words", "substring"] = "words"
    """Whether an indicator must stand as a word ("page", not "homepage")."""
    locale: NumberLocale = "en"
    """How numbers are written: en 1,234.56, de 1.234,56, fr 1 234,56, ch 1'234.56."""
    indicators: Annotated[tuple[str, ...], MinLen(1)] = CITATION_INDICATORS
    """What counts as a citation."""
    weights: Weights = field(default_factory=Weights)

    def problems(self) -> Iterable[OptionProblem]:
        """Weights that are all 0, an indicator without a word."""
        if not any(getattr(self.weights, name) for name in METRICS):
            yield "weights", "every weight is 0, so there is no score", "give at least one metric a weight above 0"
        if any(not indicator.rstrip(":").strip() for indicator in self.indicators):
            yield "indicators", "an indicator has no word", "remove it"


@evaluator(reads="text", version=2)
def answer_quality(batch: Batch, config: AnswerQuality) -> Results:
    """Score each answer by the five metrics, naming what it lacks."""
    answers = (_read_v1 if config.keywords == "v1" else _read)(batch.expected_texts, batch.actual_texts, config)
    table = answers.metrics()
    weights = np.array([getattr(config.weights, name) for name in METRICS], dtype=np.float64)
    columns = {name: table[:, at] for at, name in enumerate(METRICS)}
    total = sum(table[:, at] * weight for at, weight in enumerate(weights))  # one by one: a product of matrices adds as their size says
    return Results(
        score=np.clip(total / weights.sum(), 0.0, 1.0),
        status=np.full(len(table), Status.SCORED, dtype=np.uint8),
        hits=chosen((table >= 1.0) & (weights > 0), METRICS),
        misses=answers.misses(columns["answer_completeness"], [name for name in METRICS if getattr(config.weights, name)]),
        reasoning=answers.reasoning(),
        metrics=columns | {"exact_match": answers.exact},
        details=answers.details(),
    )


def _read(expected: Sequence[str], actual: Sequence[str], config: AnswerQuality) -> Answers:
    """The columns of a batch."""
    found = get_coverage_reader(config.locale, compile_indicators(config.indicators)).measure(expected, actual)
    exact = np.zeros(len(expected), dtype=np.bool_)
    for row in _maybe_same(found, actual):
        exact[row] = _same(expected[row], actual[row])
    citations, combinations = _combinations(found, config.indicators)
    counts, lost = list_offsets(found.is_number[found.missing]), found.missing[found.is_number[found.missing]]
    answers = Answers(
        exact=exact,
        keywords=found.keyword_counts,
        lost_keywords=Labels(found.offsets, found.missing.astype(np.int32), found.keyword_texts),
        numbers=found.number_counts,
        lost_numbers=Labels(counts[found.offsets], lost.astype(np.int32), found.keyword_texts),
        wanted=found.expected_word_counts,
        given=found.actual_word_counts,
        citations=citations,
        cited=combinations,
    )
    if config.numbers == "text":
        answers = _with_numbers(answers, [_digits(*pair) for pair in zip(expected, actual, strict=True)])
    if config.citations == "substring":
        answers = _with_citations(answers, actual, config)
    return answers


def _combinations(found: KeywordCoverage, indicators: Sequence[str]) -> tuple[Integers, list[tuple[str, ...]]]:
    """For each answer a number, which stands for the indicators it has."""
    codes = FirstSeenCodes[int]()
    which = np.fromiter(map(codes.__getitem__, found.indicator_bits.tolist()), dtype=np.int64, count=len(found.indicator_bits))
    return which, [tuple(name for at, name in enumerate(indicators) if key >> at & 1) for key in codes]


def _read_v1(expected: Sequence[str], actual: Sequence[str], config: AnswerQuality) -> Answers:
    """The columns of a batch, with keywords as the first framework found them."""
    pairs = list(zip(expected, actual, strict=True))
    wanted = [extract_keywords_v1(text) for text in expected]
    answers = Answers(
        exact=np.array([_same(*pair) for pair in pairs], dtype=np.bool_),
        keywords=np.array([len(one) for one in wanted], dtype=np.int64),
        lost_keywords=Labels.of(sorted(one - extract_keywords_v1(text)) for one, text in zip(wanted, actual, strict=True)),
        numbers=np.zeros(len(pairs), dtype=np.int64),
        lost_numbers=Labels.of([[] for _ in pairs]),
        wanted=np.array([len(text.split()) for text in expected], dtype=np.int64),
        given=np.array([len(text.split()) for text in actual], dtype=np.int64),
        citations=np.zeros(len(pairs), dtype=np.int64),
        cited=(),
    )
    as_text = config.numbers == "text"
    answers = _with_numbers(answers, [_digits(*pair) if as_text else _figures(*pair, config.locale) for pair in pairs])
    return _with_citations(answers, actual, config)


def _with_numbers(answers: Answers, found: Sequence[tuple[int, Sequence[str]]]) -> Answers:
    numbers = np.array([count for count, _ in found], dtype=np.int64)
    return replace(answers, numbers=numbers, lost_numbers=Labels.of(lost for _, lost in found))


def _with_citations(answers: Answers, actual: Sequence[str], config: AnswerQuality) -> Answers:
    find, indicators = find_indicators if config.citations == "words" else find_indicators_v1, compile_indicators(config.indicators)
    codes = FirstSeenCodes[tuple[str, ...]]()
    which = np.array([codes[tuple(find(text, indicators))] for text in actual], dtype=np.int64)
    return replace(answers, citations=which, cited=list(codes))


def _maybe_same(found: KeywordCoverage, actual: Sequence[str]) -> list[int]:
    """Answers with as many words as expected, which lack nothing if texts were read as they stand. Characters that may be written in two
    ways cannot be counted on."""
    maybe = found.expected_word_counts == found.actual_word_counts
    if found.all_plain:
        return np.flatnonzero(maybe & (found.offsets[1:] == found.offsets[:-1])).tolist()
    return np.flatnonzero(maybe | ~np.fromiter(map(str.isascii, actual), dtype=np.bool_, count=len(actual))).tolist()


def _same(expected: str, actual: str) -> bool:
    """Whether two texts are equal but for letter case and whitespace."""
    return expected == actual or _normal(expected) == _normal(actual)


def _normal(text: str) -> str:
    return " ".join((text if text.isascii() else normalize("NFC", text)).lower().split())


def _figures(expected: str, actual: str, locale: NumberLocale) -> tuple[int, list[str]]:
    wanted, given = list_number_values(expected, locale, coded=False), set(list_number_values(actual, locale))
    return len(wanted), [figure for figure in wanted if figure not in given]


def _digits(expected: str, actual: str) -> tuple[int, list[str]]:
    wanted = extract_digits_v1(expected)
    return len(wanted), sorted(wanted - extract_digits_v1(actual))
