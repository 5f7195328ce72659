"""An answer in words against the expected one: exact match, keywords, numbers, completeness, citations. No model is asked.

Expected "Territory 118 has a rate change of 0.305%", actual "The rate change for Territory 118 is 0.305%": keyword coverage 1.0.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias
from unicodedata import normalize

import numpy as np
from annotated_types import Ge, MinLen
from numpy.typing import NDArray

from fieldwise.kernels.citations import INDICATORS, cited, cited_v1, signs
from fieldwise.kernels.figures import Locale, values
from fieldwise.kernels.keywords import vocabulary
from fieldwise.kernels.keywords_v1 import digits_v1, keywords_v1
from fieldwise.model.batch import Batch
from fieldwise.model.options import Problem
from fieldwise.model.result import Labels, Results, Status
from fieldwise.registry import evaluator

METRICS: Final = ("exact_match", "keyword_coverage", "number_match", "answer_completeness", "source_citation")
ENOUGH: Final = 3
"""So many different citation indicators make a full score."""
LISTED: Final = 100
"""At most so many keywords or numbers are named as misses; the details have them all."""


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
    locale: Locale = "en"
    """How numbers are written: en 1,234.56, de 1.234,56, fr 1 234,56, ch 1'234.56."""
    indicators: Annotated[tuple[str, ...], MinLen(1)] = INDICATORS
    """What counts as a citation."""
    weights: Weights = field(default_factory=Weights)

    def problems(self) -> Iterable[Problem]:
        """Weights that are all 0, an indicator without a word."""
        if not any(getattr(self.weights, name) for name in METRICS):
            yield "weights", "every weight is 0, so there is no score", "give at least one metric a weight above 0"
        if any(not indicator.rstrip(":").strip() for indicator in self.indicators):
            yield "indicators", "an indicator has no word", "remove it"


class _Read(NamedTuple):
    """One answer, measured."""

    exact: bool
    keywords: int
    """How many keywords are expected."""
    lost_keywords: Sequence[str]
    numbers: int
    lost_numbers: Sequence[str]
    wanted: int
    """How many words are expected, and how many there are."""
    given: int
    found: Sequence[str]
    """Citation indicators."""

    def metrics(self) -> tuple[float, float, float, float, float]:
        """In the order of METRICS."""
        coverage = (self.keywords - len(self.lost_keywords)) / self.keywords if self.keywords else 1.0
        figures = (self.numbers - len(self.lost_numbers)) / self.numbers if self.numbers else 1.0
        length = min(self.given / self.wanted, 1.0) if self.wanted else 1.0
        completeness = (length + coverage) / 2 if self.wanted else 1.0
        return float(self.exact), coverage, figures, completeness, min(len(self.found) / ENOUGH, 1.0)

    def flags(self) -> list[str]:
        vacuous = {"vacuous_keywords": self.keywords, "vacuous_numbers": self.numbers, "vacuous_completeness": self.wanted}
        return [flag for flag, total in vacuous.items() if not total]


@evaluator(reads="text", version=1)
def answer_quality(batch: Batch, config: AnswerQuality) -> Results:
    """Score each answer by the five metrics, naming what it lacks."""
    read = _reader_v1(config) if config.keywords == "v1" else _reader(config)
    rows = [read(expected, actual) for expected, actual in zip(batch.expected_texts, batch.actual_texts, strict=True)]
    table = np.array([row.metrics() for row in rows], dtype=np.float64).reshape(len(rows), len(METRICS))
    weights = np.array([getattr(config.weights, name) for name in METRICS], dtype=np.float64)
    columns = {name: table[:, at] for at, name in enumerate(METRICS)}
    counted = frozenset(name for name in METRICS if getattr(config.weights, name))
    return Results(
        score=np.clip(table @ weights / weights.sum(), 0.0, 1.0),
        status=np.full(len(rows), Status.SCORED, dtype=np.uint8),
        hits=_hits(table, counted),
        misses=Labels.of([_misses(row, completeness, counted) for row, completeness in zip(rows, table[:, 3].tolist(), strict=True)]),
        reasoning=[_reasoning(row) for row in rows],
        metrics=columns | {"exact_match": columns["exact_match"] == 1.0},
        details=lambda row: _details(rows[row]),
    )


_Reader: TypeAlias = Callable[[str, str], _Read]


def _reader(config: AnswerQuality) -> _Reader:
    """How to measure one answer."""
    known = vocabulary(config.locale)
    find, indicators = cited if config.citations == "words" else cited_v1, signs(config.indicators)
    by_value = config.numbers == "value"

    def read(expected: str, actual: str) -> _Read:
        wanted, heard = known.wanted(expected), known.heard(actual)
        lost = known.missing(wanted, heard)
        exact = wanted.words == heard.words and _same(expected, actual)
        if by_value:
            numbers, lost_numbers = len(wanted.numbers), [number for number in wanted.numbers if number not in heard.atoms]
        else:
            numbers, lost_numbers = _digits(expected, actual)
        found = find(actual, indicators)
        return _Read(exact, len(wanted), lost, numbers, lost_numbers, wanted.words, heard.words, found)

    return read


def _reader_v1(config: AnswerQuality) -> _Reader:
    """How to measure one answer with keywords as the first framework found them."""
    find, indicators = cited if config.citations == "words" else cited_v1, signs(config.indicators)

    def read(expected: str, actual: str) -> _Read:
        wanted = keywords_v1(expected)
        lost = sorted(wanted - keywords_v1(actual))
        numbers, lost_numbers = _digits(expected, actual) if config.numbers == "text" else _figures(expected, actual, config.locale)
        words = len(expected.split()), len(actual.split())
        return _Read(_same(expected, actual), len(wanted), lost, numbers, lost_numbers, *words, find(actual, indicators))

    return read


def _same(expected: str, actual: str) -> bool:
    """Whether two texts are equal but for letter case and whitespace."""
    return expected == actual or _normal(expected) == _normal(actual)


def _normal(text: str) -> str:
    return " ".join((text if text.isascii() else normalize("NFC", text)).lower().split())


def _figures(expected: str, actual: str, locale: Locale) -> tuple[int, list[str]]:
    wanted, given = values(expected, locale, coded=False), set(values(actual, locale))
    return len(wanted), [figure for figure in wanted if figure not in given]


def _digits(expected: str, actual: str) -> tuple[int, list[str]]:
    wanted = digits_v1(expected)
    return len(wanted), sorted(wanted - digits_v1(actual))


def _hits(table: NDArray[np.float64], counted: Collection[str]) -> Labels:
    """The metrics that are 1.0, case by case."""
    full = (table >= 1.0) & np.array([name in counted for name in METRICS])
    offsets = np.concatenate([[0], np.cumsum(full.sum(axis=1))]).astype(np.int64)
    return Labels(offsets, np.nonzero(full)[1].astype(np.int32), METRICS)


def _misses(row: _Read, completeness: float, counted: Collection[str]) -> list[str]:
    """What keeps each metric from 1.0, by name."""
    misses: list[str] = []
    if not row.exact and "exact_match" in counted:
        misses.append("exact_match")
    if row.lost_keywords and "keyword_coverage" in counted:
        misses += _listed("keyword_coverage: ", row.lost_keywords)
    if row.lost_numbers and "number_match" in counted:
        misses += _listed("number_match: ", row.lost_numbers)
    if completeness < 1.0 and "answer_completeness" in counted:
        misses.append(_completeness_miss(row))
    if len(row.found) < ENOUGH and "source_citation" in counted:
        misses.append(f"source_citation: {len(row.found)} of {ENOUGH} indicators" + (f" ({', '.join(row.found)})" if row.found else ""))
    return misses


def _listed(metric: str, lost: Sequence[str]) -> list[str]:
    named = [metric + text for text in lost[:LISTED]]
    return named if len(lost) <= LISTED else [*named, f"{metric}and {len(lost) - LISTED} more"]


def _completeness_miss(row: _Read) -> str:
    if row.given < row.wanted:
        return f"answer_completeness: {row.given} of {row.wanted} words"
    return "answer_completeness: keywords are missing"


def _reasoning(row: _Read) -> str:
    return (
        f"{'exact; ' if row.exact else ''}{row.keywords - len(row.lost_keywords)}/{row.keywords} keywords, "
        f"{row.numbers - len(row.lost_numbers)}/{row.numbers} numbers, {row.given}/{row.wanted} words, {len(row.found)} citations"
    )


def _details(row: _Read) -> dict[str, Any]:
    return {
        "missing_keywords": list(row.lost_keywords),
        "missing_numbers": list(row.lost_numbers),
        "citations": list(row.found),
        "words": {"expected": row.wanted, "actual": row.given},
        "flags": row.flags(),
    }
