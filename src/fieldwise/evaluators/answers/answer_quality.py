"""Comparison of an answer with the expected one: exact match, keywords, numbers, completeness, citations. Needs no model.

Expected "Territory 118 has a rate change of 0.305%", actual "The rate change for Territory 118 is 0.305%": keyword coverage 1.0.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import field, replace
from functools import cache
from string import punctuation
from typing import Annotated, Any, Final, Literal
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.answer_text import CITATION_INDICATORS, compile_indicators, find_indicators, find_indicators_v1
from fieldwise.kernels.coverage import KeywordCoverage, get_coverage_reader
from fieldwise.kernels.hash_lookup import find_first_positions
from fieldwise.kernels.keywords import extract_digits_v1, extract_keywords_v1
from fieldwise.kernels.numbers_in_text import NumberLocale, list_number_values
from fieldwise.kernels.ragged import FirstSeenCodes, Integers, expand_ranges, list_offsets
from fieldwise.model.batch import Batch
from fieldwise.model.bounds import Ge, MinLen
from fieldwise.model.options import OptionProblem
from fieldwise.model.result import Labels, Results, Status
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample

METRICS: Final = ("exact_match", "keyword_coverage", "number_match", "answer_completeness", "source_citation")
FULL_CITATION: Final = 3
"""Number of different citation indicators for a full score."""
_ARTICLES: Final = frozenset(("a", "an", "the"))
MAX_LISTED: Final = 100
"""Maximum number of keywords or numbers listed as misses; the details list all."""
_VACUOUS_FLAGS: Final = ("vacuous_keywords", "vacuous_numbers", "vacuous_completeness")
"""Flags of answers where no keywords, numbers or words are expected."""

TextsOfRow = Callable[[int], list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWeights:
    """Weights of the metrics in the score. A metric of weight 0 is measured, but is neither a hit nor a miss."""

    exact_match: Annotated[float, Ge(0)] = 1.0
    """Weight of the exact match."""
    keyword_coverage: Annotated[float, Ge(0)] = 1.0
    """Weight of the share of expected keywords in the answer."""
    number_match: Annotated[float, Ge(0)] = 1.0
    """Weight of the share of expected numbers in the answer."""
    answer_completeness: Annotated[float, Ge(0)] = 1.0
    """Weight of the mean of relative length and keyword coverage."""
    source_citation: Annotated[float, Ge(0)] = 1.0
    """Weight of the citations: three or more score 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerQuality:
    """How answers are compared."""

    keywords: Literal["v2", "v1"] = "v2"
    """v2: phrases with numbers and codes, numbers by value, words of any language. v1: as in the first framework."""
    numbers: Literal["value", "text"] = "value"
    """value: 750,000 equals 750000, and -0.133 differs from 0.133. text: digits compare as text."""
    citations: Literal["words", "substring"] = "words"
    """words: an indicator must be a whole word ("page", not "homepage"). substring: it may be part of a word."""
    locale: NumberLocale = "en"
    """Number format: en 1,234.56, de 1.234,56, fr 1 234,56, ch 1'234.56."""
    indicators: Annotated[tuple[str, ...], MinLen(1)] = CITATION_INDICATORS
    """Words that indicate a citation."""
    weights: AnswerWeights = field(default_factory=AnswerWeights)
    """The weights of the metrics in the score."""
    exact_match: Literal["text", "squad"] = "text"
    """text: equal but for case and the amount of white space. squad: punctuation and English articles do not count either."""
    token_f1: bool = False
    """Also report `token_f1`, the F1 over the words of both answers as SQuAD normalizes them. It is no part of the score."""

    def problems(self) -> Iterable[OptionProblem]:
        """Weights that are all 0, blank indicators."""
        if not any(getattr(self.weights, name) for name in METRICS):
            yield "weights", "every weight is 0, so there is no score", "give at least one metric a weight above 0"
        if any(not indicator.rstrip(":").strip() for indicator in self.indicators):
            yield "indicators", "an indicator has no word", "remove it"


def _metric_names(config: AnswerQuality) -> tuple[str, ...]:
    return (*METRICS, "token_f1") if config.token_f1 else METRICS


@evaluator(
    reads="text",
    version=3,
    vacuous={
        "keyword_coverage": ("vacuous_keywords",),
        "number_match": ("vacuous_numbers",),
        "answer_completeness": ("vacuous_completeness",),
    },
    metrics=_metric_names,
    examples=[
        EvaluatorExample(
            expected="Territory 118 has a rate change of 0.305%",
            actual="According to page 4, the rate change for Territory 118 is 0.35%.",
            key_order_matters=True,
        )
    ],
)
def answer_quality(batch: Batch, config: AnswerQuality) -> Results:
    """The weighted mean of the five metrics."""
    measure = _measure_answers_v1 if config.keywords == "v1" else _measure_answers
    answers = measure(batch.expected_texts, batch.actual_texts, config)
    if config.exact_match == "squad":
        answers = replace(answers, exact=_compare_words(batch.expected_texts, batch.actual_texts))
    table = answers.metrics()
    weights = np.array([getattr(config.weights, name) for name in METRICS], dtype=np.float64)
    columns = {name: table[:, column] for column, name in enumerate(METRICS)}
    # Added column by column: a matrix product may round differently in batches of another size.
    total = sum(table[:, column] * weight for column, weight in enumerate(weights))
    weighted = [name for name in METRICS if getattr(config.weights, name)]
    return Results(
        score=np.clip(total / weights.sum(), 0.0, 1.0),
        status=np.full(len(table), Status.SCORED, dtype=np.uint8),
        hits=select_labels((table >= 1.0) & (weights > 0), METRICS),
        misses=answers.misses(columns["answer_completeness"], weighted),
        reasoning=answers.reasoning(),
        metrics=columns | {"exact_match": answers.exact} | (_measure_token_f1(batch) if config.token_f1 else {}),
        details=answers.details(),
        flags=answers.flags(),
    )


def _split_squad_words(text: str) -> list[str]:
    """The words of an answer as SQuAD compares them: in lower case, without punctuation and articles.

    >>> _split_squad_words("The Eiffel Tower.")
    ['eiffel', 'tower']
    """
    plain = "".join(character for character in text.lower() if character not in punctuation)
    return [word for word in plain.split() if word not in _ARTICLES]


def _compare_words(expected: Sequence[str], actual: Sequence[str]) -> NDArray[np.bool_]:
    return np.array(
        [_split_squad_words(left) == _split_squad_words(right) for left, right in zip(expected, actual, strict=True)], dtype=np.bool_
    )


def _measure_token_f1(batch: Batch) -> dict[str, NDArray[np.float64]]:
    """The F1 over the words of both answers; two answers without a word agree."""
    values: list[float] = []
    for expected, actual in zip(batch.expected_texts, batch.actual_texts, strict=True):
        expected_words, actual_words = Counter(_split_squad_words(expected)), Counter(_split_squad_words(actual))
        total = expected_words.total() + actual_words.total()
        values.append(2 * (expected_words & actual_words).total() / total if total else 1.0)
    return {"token_f1": np.array(values, dtype=np.float64)}


def _measure_answers(expected: Sequence[str], actual: Sequence[str], config: AnswerQuality) -> "MeasuredAnswers":
    """Measure the answers of a batch."""
    coverage = get_coverage_reader(config.locale, compile_indicators(config.indicators)).measure(expected, actual)
    exact = np.zeros(len(expected), dtype=np.bool_)
    for row in _possibly_equal(coverage, actual):
        exact[row] = _texts_equal(expected[row], actual[row])
    citations, combinations = _citation_combinations(coverage, config.indicators)
    missing_is_number = coverage.is_number[coverage.missing]
    number_offsets = list_offsets(missing_is_number)[coverage.offsets]
    missing_numbers = coverage.missing[missing_is_number]
    answers = MeasuredAnswers(
        exact=exact,
        keyword_counts=coverage.keyword_counts,
        missing_keywords=Labels(coverage.offsets, coverage.missing.astype(np.int32), coverage.keyword_texts),
        number_counts=coverage.number_counts,
        missing_numbers=Labels(number_offsets, missing_numbers.astype(np.int32), coverage.keyword_texts),
        expected_words=coverage.expected_word_counts,
        actual_words=coverage.actual_word_counts,
        citations=citations,
        combinations=combinations,
    )
    if config.numbers == "text":
        answers = _with_numbers(answers, [_compare_digits(*pair) for pair in zip(expected, actual, strict=True)])
    if config.citations == "substring":
        answers = _with_citations(answers, actual, config)
    return answers


def _citation_combinations(coverage: KeywordCoverage, indicators: Sequence[str]) -> tuple[Integers, list[tuple[str, ...]]]:
    """For each answer the code of its combination of indicators, and the combinations by code."""
    codes = FirstSeenCodes[int]()
    bits = coverage.indicator_bits
    combination_codes = np.fromiter(map(codes.__getitem__, bits.tolist()), dtype=np.int64, count=len(bits))
    combinations = [tuple(name for bit, name in enumerate(indicators) if key >> bit & 1) for key in codes]
    return combination_codes, combinations


def _measure_answers_v1(expected: Sequence[str], actual: Sequence[str], config: AnswerQuality) -> "MeasuredAnswers":
    """Measure the answers of a batch with the keywords of the first framework."""
    pairs = list(zip(expected, actual, strict=True))
    keywords = [extract_keywords_v1(text) for text in expected]
    answers = MeasuredAnswers(
        exact=np.array([_texts_equal(*pair) for pair in pairs], dtype=np.bool_),
        keyword_counts=np.array(list(map(len, keywords)), dtype=np.int64),
        missing_keywords=Labels.of(sorted(words - extract_keywords_v1(text)) for words, text in zip(keywords, actual, strict=True)),
        number_counts=np.zeros(len(pairs), dtype=np.int64),
        missing_numbers=Labels.of([[] for _ in pairs]),
        expected_words=np.array([len(text.split()) for text in expected], dtype=np.int64),
        actual_words=np.array([len(text.split()) for text in actual], dtype=np.int64),
        citations=np.zeros(len(pairs), dtype=np.int64),
        combinations=(),
    )
    if config.numbers == "text":
        answers = _with_numbers(answers, [_compare_digits(*pair) for pair in pairs])
    else:
        answers = _with_numbers(answers, [_compare_numbers(*pair, config.locale) for pair in pairs])
    return _with_citations(answers, actual, config)


def _with_numbers(answers: "MeasuredAnswers", numbers: Sequence[tuple[int, Sequence[str]]]) -> "MeasuredAnswers":
    """Replace the numbers by the expected count and the missing ones of each answer."""
    counts = np.array([count for count, _ in numbers], dtype=np.int64)
    return replace(answers, number_counts=counts, missing_numbers=Labels.of(missing for _, missing in numbers))


def _with_citations(answers: "MeasuredAnswers", actual: Sequence[str], config: AnswerQuality) -> "MeasuredAnswers":
    find = find_indicators if config.citations == "words" else find_indicators_v1
    indicators = compile_indicators(config.indicators)
    codes = FirstSeenCodes[tuple[str, ...]]()
    citations = np.array([codes[tuple(find(text, indicators))] for text in actual], dtype=np.int64)
    return replace(answers, citations=citations, combinations=list(codes))


def _possibly_equal(coverage: KeywordCoverage, actual: Sequence[str]) -> list[int]:
    """Rows whose texts may be equal: as many words as expected and, if all texts are plain, no missing keyword. Without that, the words
    of a text that is not ASCII cannot be counted on, because a character may be encoded in two ways."""
    same_length = coverage.expected_word_counts == coverage.actual_word_counts
    if coverage.all_plain:
        complete = coverage.offsets[1:] == coverage.offsets[:-1]
        return np.flatnonzero(same_length & complete).tolist()
    return np.flatnonzero(same_length | ~np.fromiter(map(str.isascii, actual), dtype=np.bool_, count=len(actual))).tolist()


def _texts_equal(expected: str, actual: str) -> bool:
    """True if two texts are equal, ignoring case and the amount of whitespace."""
    return expected == actual or _normalize(expected) == _normalize(actual)


def _normalize(text: str) -> str:
    return " ".join((text if text.isascii() else normalize("NFC", text)).lower().split())


def _compare_numbers(expected: str, actual: str, locale: NumberLocale) -> tuple[int, list[str]]:
    """The number of expected numbers and the missing ones, by value."""
    expected_numbers = list_number_values(expected, locale, in_codes=False)
    actual_numbers = set(list_number_values(actual, locale))
    return len(expected_numbers), [number for number in expected_numbers if number not in actual_numbers]


def _compare_digits(expected: str, actual: str) -> tuple[int, list[str]]:
    """The number of expected numbers and the missing ones, by their digits."""
    expected_digits = extract_digits_v1(expected)
    return len(expected_digits), sorted(expected_digits - extract_digits_v1(actual))


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredAnswers:
    """The answers of a batch, measured: position i of every column is answer i."""

    exact: NDArray[np.bool_]
    keyword_counts: Integers
    """Number of expected keywords, numbers included."""
    missing_keywords: Labels
    number_counts: Integers
    """Number of expected numbers."""
    missing_numbers: Labels
    expected_words: Integers
    """Number of words of the expected answer."""
    actual_words: Integers
    citations: Integers
    """Index into `combinations`."""
    combinations: Sequence[Sequence[str]]
    """The distinct combinations of citation indicators."""

    def metrics(self) -> NDArray[np.float64]:
        """A row for each answer, in the order of METRICS."""
        coverage = _share(self._present_keywords(), self.keyword_counts)
        numbers = _share(self._present_numbers(), self.number_counts)
        length = np.minimum(_share(self.actual_words, self.expected_words), 1.0)
        completeness = np.where(self.expected_words > 0, (length + coverage) / 2, 1.0)
        citation = np.minimum(self._citation_counts() / FULL_CITATION, 1.0)
        return np.column_stack([self.exact.astype(np.float64), coverage, numbers, completeness, citation])

    def _present_keywords(self) -> Integers:
        return self.keyword_counts - self.missing_keywords.counts()

    def _present_numbers(self) -> Integers:
        return self.number_counts - self.missing_numbers.counts()

    def _citation_counts(self) -> Integers:
        return np.array(list(map(len, self.combinations)), dtype=np.int64)[self.citations]

    def flags(self) -> Labels:
        """The flags of each answer: what it was not asked for."""
        counts = (self.keyword_counts, self.number_counts, self.expected_words)
        return Labels.from_masks({flag: count == 0 for flag, count in zip(_VACUOUS_FLAGS, counts, strict=True)})

    def details(self) -> Callable[[int], dict[str, Any]]:
        """Builds the details of one answer. The columns are converted to lists once, at the first call."""
        columns = cache(self._columns_as_lists)

        def build_details(row: int) -> dict[str, Any]:
            keywords, numbers, citations, totals, actual_words = columns()
            return {
                "missing_keywords": keywords(row),
                "missing_numbers": numbers(row),
                "citations": list(self.combinations[citations[row]]),
                "words": {"expected": totals[row][-1], "actual": actual_words[row]},
                "flags": [flag for flag, total in zip(_VACUOUS_FLAGS, totals[row], strict=True) if not total],
            }

        return build_details

    def _columns_as_lists(self) -> tuple[TextsOfRow, TextsOfRow, list[int], list[tuple[int, ...]], list[int]]:
        totals = list(zip(self.keyword_counts.tolist(), self.number_counts.tolist(), self.expected_words.tolist(), strict=True))
        keywords, numbers = _texts_of_rows(self.missing_keywords), _texts_of_rows(self.missing_numbers)
        return keywords, numbers, self.citations.tolist(), totals, self.actual_words.tolist()

    def reasoning(self) -> list[str]:
        """A line for each answer."""
        columns = (
            self.exact.astype(np.int64),
            *(self._present_keywords(), self.keyword_counts),
            *(self._present_numbers(), self.number_counts),
            *(self.actual_words, self.expected_words, self._citation_counts()),
        )
        lines = _format_rows(columns, lambda values: _reasoning_line(*values))
        return np.array(lines.texts, dtype=object)[lines.codes].tolist()

    def misses(self, completeness: NDArray[np.float64], weighted: Collection[str]) -> Labels:
        """The misses of each answer, in the order of METRICS."""
        build_labels = {
            "exact_match": lambda: select_labels(~self.exact[:, None], ("exact_match",)),
            "keyword_coverage": lambda: _prefix_missing("keyword_coverage: ", self.missing_keywords),
            "number_match": lambda: _prefix_missing("number_match: ", self.missing_numbers),
            "answer_completeness": lambda: self._incomplete_labels(np.flatnonzero(completeness < 1.0)),
            "source_citation": self._citation_labels,
        }
        return concatenate_labels([build_labels[name]() for name in METRICS if name in weighted])

    def _incomplete_labels(self, rows: Integers) -> Labels:
        actual, expected = self.actual_words[rows], self.expected_words[rows]
        is_shorter = actual < expected
        columns = (np.where(is_shorter, actual, 0), np.where(is_shorter, expected, 0))
        lines = _format_rows(columns, lambda values: _incomplete_line(*values))
        has_label = np.zeros(len(self.exact), dtype=np.bool_)
        has_label[rows] = True
        return Labels(list_offsets(has_label), lines.codes, lines.texts)

    def _citation_labels(self) -> Labels:
        lines: list[str] = []
        for combination in self.combinations:
            listed = f" ({', '.join(combination)})" if combination else ""
            lines.append(f"source_citation: {len(combination)} of {FULL_CITATION} indicators{listed}")
        has_label = self._citation_counts() < FULL_CITATION
        rows = np.flatnonzero(has_label)
        return Labels(list_offsets(has_label), self.citations[rows].astype(np.int32), lines)


def _texts_of_rows(labels: Labels) -> TextsOfRow:
    """A function that returns the texts of a row."""
    codes: list[int] = labels.codes.tolist()
    texts, edges = [labels.texts[code] for code in codes], labels.offsets.tolist()
    return lambda row: texts[edges[row] : edges[row + 1]]


def _share(part: Integers, total: Integers) -> NDArray[np.float64]:
    """The share of a total; 1 where the total is 0."""
    return np.where(total > 0, part / np.maximum(total, 1), 1.0)


def _reasoning_line(exact: int, *counts: int) -> str:
    return ("exact; " if exact else "") + "{}/{} keywords, {}/{} numbers, {}/{} words, {} citations".format(*counts)


def _incomplete_line(actual_words: int, expected_words: int) -> str:
    """Name the length of a shorter answer; the counts are 0 where keywords alone are missing."""
    if not expected_words:
        return "answer_completeness: keywords are missing"
    return f"answer_completeness: {actual_words} of {expected_words} words"


def _format_rows(columns: Sequence[Integers], format_row: Callable[[Sequence[int]], str]) -> Labels:
    """A text for each row of the columns; equal rows are formatted once."""
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    if np.prod(sizes, dtype=np.float64) >= 2**62:
        return Labels.of([format_row(row)] for row in zip(*(column.tolist() for column in columns), strict=True))
    key = np.zeros(len(columns[0]), dtype=np.int64)  # each row as one integer, in a mixed radix of the column sizes
    for column, size in zip(columns, sizes, strict=True):
        key = key * size + column
    first = find_first_positions(key)
    distinct = np.flatnonzero(first == np.arange(len(key)))
    texts = [format_row(row) for row in zip(*(column[distinct].tolist() for column in columns), strict=True)]
    codes = np.empty(len(key), dtype=np.int32)
    codes[distinct] = np.arange(len(distinct))
    return Labels(np.arange(len(key) + 1), codes[first], texts)


def select_labels(table: NDArray[np.bool_], texts: Sequence[str]) -> Labels:
    """For each row the texts of the columns that are True."""
    return Labels(list_offsets(table.sum(axis=1)), np.nonzero(table)[1].astype(np.int32), texts)


def _prefix_missing(metric: str, missing: Labels) -> Labels:
    """The missing texts prefixed with the metric, at most MAX_LISTED of each row."""
    if missing.counts().max(initial=0) > MAX_LISTED:
        return Labels.of(_limit_labels(metric, missing.at(row)) for row in range(len(missing.offsets) - 1))
    used = np.zeros(len(missing.texts), dtype=np.bool_)
    used[missing.codes] = True
    codes = (np.cumsum(used) - 1)[missing.codes].astype(np.int32)
    return Labels(missing.offsets, codes, [metric + missing.texts[code] for code in np.flatnonzero(used).tolist()])


def _limit_labels(metric: str, missing: Sequence[str]) -> list[str]:
    labels = [metric + text for text in missing[:MAX_LISTED]]
    return labels if len(missing) <= MAX_LISTED else [*labels, f"{metric}and {len(missing) - MAX_LISTED} more"]


def concatenate_labels(parts: Sequence[Labels]) -> Labels:
    """For each row the texts of all parts, in order.

    >>> concatenate_labels([Labels.of([["a"], []]), Labels.of([["b", "c"], ["d"]])]).at(0)
    ['a', 'b', 'c']
    """
    lengths = np.array([part.counts() for part in parts])
    ends = list_offsets(lengths.sum(axis=0))
    codes, before, texts = np.zeros(int(ends[-1]), dtype=np.int32), ends[:-1], list[str]()
    for part, length in zip(parts, lengths, strict=True):
        codes[expand_ranges(before, length)] = part.codes + len(texts)
        before = before + length
        texts += part.texts
    return Labels(ends, codes, texts)
