"""Answers that were measured, in columns, and what people read of them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.hash_lookup import find_first_positions
from fieldwise.kernels.ragged import expand_ranges, list_offsets
from fieldwise.model.result import Labels

METRICS: Final = ("exact_match", "keyword_coverage", "number_match", "answer_completeness", "source_citation")
ENOUGH: Final = 3
"""So many different citation indicators make a full score."""
LISTED: Final = 100
"""At most so many keywords or numbers are named as misses; the details have them all."""
_VACUOUS: Final = ("vacuous_keywords", "vacuous_numbers", "vacuous_completeness")
"""Flags where there was nothing to find."""

Integers = NDArray[np.int64]
Lists = Callable[[int], list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Position i of every column is answer i."""

    exact: NDArray[np.bool_]
    keywords: Integers
    """How many keywords and numbers are expected."""
    lost_keywords: Labels
    numbers: Integers
    lost_numbers: Labels
    wanted: Integers
    """How many words are expected, and how many there are."""
    given: Integers
    citations: Integers
    """Which of `cited` an answer has."""
    cited: Sequence[Sequence[str]]
    """Lists of citation indicators."""

    def metrics(self) -> NDArray[np.float64]:
        """A row for each answer, in the order of METRICS."""
        coverage = _share(self.keywords - self.lost_keywords.counts(), self.keywords)
        figures = _share(self.numbers - self.lost_numbers.counts(), self.numbers)
        length = np.minimum(_share(self.given, self.wanted), 1.0)
        completeness = np.where(self.wanted > 0, (length + coverage) / 2, 1.0)
        citation = np.minimum(self._found() / ENOUGH, 1.0)
        return np.column_stack([self.exact.astype(np.float64), coverage, figures, completeness, citation])

    def _found(self) -> Integers:
        return np.array([len(one) for one in self.cited], dtype=np.int64)[self.citations]

    def details(self) -> Callable[[int], dict[str, Any]]:
        """What was found of one answer. Columns become lists when the first is asked for, because mostly all are."""
        columns = cache(self._lists)

        def of(row: int) -> dict[str, Any]:
            keywords, numbers, cited, totals, given = columns()
            return {
                "missing_keywords": keywords(row),
                "missing_numbers": numbers(row),
                "citations": list(self.cited[cited[row]]),
                "words": {"expected": totals[row][-1], "actual": given[row]},
                "flags": [flag for flag, total in zip(_VACUOUS, totals[row], strict=True) if not total],
            }

        return of

    def _lists(self) -> tuple[Lists, Lists, list[int], list[tuple[int, ...]], list[int]]:
        totals = list(zip(self.keywords.tolist(), self.numbers.tolist(), self.wanted.tolist(), strict=True))
        return _lists(self.lost_keywords), _lists(self.lost_numbers), self.citations.tolist(), totals, self.given.tolist()

    def reasoning(self) -> list[str]:
        """A line for each answer."""
        columns = (
            self.exact.astype(np.int64),
            *(self.keywords - self.lost_keywords.counts(), self.keywords),
            *(self.numbers - self.lost_numbers.counts(), self.numbers),
            *(self.given, self.wanted, self._found()),
        )
        lines = _written(columns, lambda values: _line(*values))
        return np.array(lines.texts, dtype=object)[lines.codes].tolist()

    def misses(self, completeness: NDArray[np.float64], counted: Collection[str]) -> Labels:
        """What each answer lacks, metric by metric."""
        every = {
            "exact_match": lambda: chosen(~self.exact[:, None], ("exact_match",)),
            "keyword_coverage": lambda: _listed("keyword_coverage: ", self.lost_keywords),
            "number_match": lambda: _listed("number_match: ", self.lost_numbers),
            "answer_completeness": lambda: self._incomplete(np.flatnonzero(completeness < 1.0)),
            "source_citation": self._few_citations,
        }
        return joined([every[name]() for name in METRICS if name in counted])

    def _incomplete(self, rows: Integers) -> Labels:
        shorter = self.given[rows] < self.wanted[rows]
        columns = (np.where(shorter, self.given[rows], 0), np.where(shorter, self.wanted[rows], 0))
        lines = _written(columns, lambda values: _incomplete_line(*values))
        has = np.zeros(len(self.exact), dtype=np.bool_)
        has[rows] = True
        return Labels(list_offsets(has), lines.codes, lines.texts)

    def _few_citations(self) -> Labels:
        lines = [f"source_citation: {len(one)} of {ENOUGH} indicators" + (f" ({', '.join(one)})" if one else "") for one in self.cited]
        rows = np.flatnonzero(self._found() < ENOUGH)
        return Labels(list_offsets(self._found() < ENOUGH), self.citations[rows].astype(np.int32), lines)


def _lists(labels: Labels) -> Lists:
    """Gives the texts of a case."""
    codes: list[int] = labels.codes.tolist()
    texts, edges = [labels.texts[code] for code in codes], labels.offsets.tolist()
    return lambda row: texts[edges[row] : edges[row + 1]]


def _share(found: Integers, total: Integers) -> NDArray[np.float64]:
    """1 where there is nothing to find."""
    return np.where(total > 0, found / np.maximum(total, 1), 1.0)


def _line(exact: int, *counts: int) -> str:
    return ("exact; " if exact else "") + "{}/{} keywords, {}/{} numbers, {}/{} words, {} citations".format(*counts)


def _incomplete_line(given: int, wanted: int) -> str:
    return f"answer_completeness: {given} of {wanted} words" if wanted else "answer_completeness: keywords are missing"


def _written(columns: Sequence[Integers], write: Callable[[Sequence[int]], str]) -> Labels:
    """A text for each row of some columns; equal rows are written once."""
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    if np.prod(sizes, dtype=np.float64) >= 2**62:
        return Labels.of([write(row)] for row in zip(*(column.tolist() for column in columns), strict=True))
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column, size in zip(columns, sizes, strict=True):
        key = key * size + column
    first = find_first_positions(key)
    distinct = np.flatnonzero(first == np.arange(len(key)))
    texts = [write(row) for row in zip(*(column[distinct].tolist() for column in columns), strict=True)]
    codes = np.empty(len(key), dtype=np.int32)
    codes[distinct] = np.arange(len(distinct))
    return Labels(np.arange(len(key) + 1), codes[first], texts)


def chosen(table: NDArray[np.bool_], texts: Sequence[str]) -> Labels:
    """The texts (columns) that each row has."""
    return Labels(list_offsets(table.sum(axis=1)), np.nonzero(table)[1].astype(np.int32), texts)


def _listed(metric: str, lost: Labels) -> Labels:
    if lost.counts().max(initial=0) > LISTED:
        return Labels.of(_first(metric, lost.at(row)) for row in range(len(lost.offsets) - 1))
    used = np.zeros(len(lost.texts), dtype=np.bool_)
    used[lost.codes] = True
    codes = (np.cumsum(used) - 1)[lost.codes].astype(np.int32)
    return Labels(lost.offsets, codes, [metric + lost.texts[at] for at in np.flatnonzero(used).tolist()])


def _first(metric: str, lost: Sequence[str]) -> list[str]:
    named = [metric + text for text in lost[:LISTED]]
    return named if len(lost) <= LISTED else [*named, f"{metric}and {len(lost) - LISTED} more"]


def joined(parts: Sequence[Labels]) -> Labels:
    """For each case the texts of all parts, one part behind the other.

    >>> joined([Labels.of([["a"], []]), Labels.of([["b", "c"], ["d"]])]).at(0)
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
