"""Calls matchers, and keeps a crash of theirs to the row it belongs to."""

from itertools import compress
from operator import ne
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.rule import Match
from fieldwise.model.values import MISSING
from fieldwise.registry import MATCHERS, MatcherSpec


def score_pairs(match: Match, expected: list[Any], actual: list[Any]) -> Scores:
    """How well each pair matches; a crashing batch is halved until the crash is one row, and that row is a fault."""
    if not expected:
        return Scores.of([])
    entry = MATCHERS.find(match.name)
    options = entry.options() if match.options is None else match.options
    try:
        return entry.function(Pairs(expected, actual), options)
    except Exception as error:
        if len(expected) == 1:
            return _fault(entry, error)
        half = len(expected) // 2
        first = score_pairs(match, expected[:half], actual[:half])
        second = score_pairs(match, expected[half:], actual[half:])
        return Scores(
            np.concatenate([first.value, second.value]),
            np.concatenate([first.passed, second.passed]),
            {**first.notes, **{half + row: note for row, note in second.notes.items()}},
            {**first.faults, **{half + row: fault for row, fault in second.faults.items()}},
        )


def score_values(match: Match, expected: list[Any], actual: list[Any]) -> Scores:
    """How well pairs match where a side may be null: null matches null alone."""
    value = np.array([one is None and other is None for one, other in zip(expected, actual, strict=True)], dtype=np.float64)
    passed = value > 0
    rows = [row for row, (one, other) in enumerate(zip(expected, actual, strict=True)) if one is not None and other is not None]
    scores = score_pairs(match, [expected[row] for row in rows], [actual[row] for row in rows])
    value[rows], passed[rows] = scores.value, scores.passed
    notes = {rows[row]: note for row, note in scores.notes.items()}
    return Scores(value, passed, notes, {rows[row]: fault for row, fault in scores.faults.items()})


def _fault(entry: MatcherSpec, error: Exception) -> Scores:
    text = str(error) or type(error).__name__
    fault = Diagnostic(code="matcher-crashed", what=f"{entry.name}: {text}", fix="report this with the two values")
    return Scores.of([np.nan], passed=[False], faults={0: fault})


def similarities(match: Match, expected: list[Any], actual: list[Any]) -> NDArray[np.float64]:
    """How alike pairs are, for finding counterparts in lists: absent on both sides is alike, on one side is not."""
    match = _for_lists(match)
    types = {*map(type, expected), *map(type, actual)}
    if types <= _COMPARABLE:
        scores, compared = _of_scalars(match, expected, actual, types)
    else:
        scores, compared = _of_any(expected, actual)
    if compared:
        found = score_pairs(match, [expected[row] for row in compared], [actual[row] for row in compared]).value
        scores[compared] = np.nan_to_num(found, nan=0.0)
    return scores


def _for_lists(match: Match) -> Match:
    """The match by which items find their counterparts; see `CheaperInLists`."""
    cheaper = getattr(match.options, "for_lists", None)  # asking for the protocol takes longer than comparing a short list
    return match if cheaper is None else cheaper()


_SCALARS = frozenset((str, int, bool, float))
"""Values that Python compares as JSON does; of containers it says that [True] is [1], and it fails on deep ones."""
_COMPARABLE = frozenset[type]((str, int, float, type(None)))
"""Values of different types among these are equal only if fieldwise finds them equal too."""


def _of_scalars(match: Match, expected: list[Any], actual: list[Any], types: set[type]) -> tuple[NDArray[np.float64], list[int]]:
    """What is known without asking a matcher, and the rows it must be asked about."""
    unequal = list(compress(range(len(expected)), map(ne, expected, actual)))
    scores = np.ones(len(expected), dtype=np.float64)
    scores[unequal] = 0.0
    if match.name == "exact" and (str not in types or (_all_ascii(expected) and _all_ascii(actual))):
        return scores, []  # what differs is not exactly alike; only text may differ and yet be the same after composition
    return scores, [row for row in unequal if expected[row] is not None and actual[row] is not None]


def _all_ascii(values: list[Any]) -> bool:
    return "".join([value for value in values if value.__class__ is str]).isascii()


def _of_any(expected: list[Any], actual: list[Any]) -> tuple[NDArray[np.float64], list[int]]:
    """The same for values of any kind."""
    compared: list[int] = []
    value: list[float] = []
    for row, (one, other) in enumerate(zip(expected, actual, strict=True)):
        known = 0.0
        if one is None or one is MISSING:
            known = 1.0 if other is None or other is MISSING else 0.0
        elif other is not None and other is not MISSING:
            if one.__class__ is other.__class__ and one.__class__ in _SCALARS and one == other:
                known = 1.0
            else:
                compared.append(row)
        value.append(known)
    return np.array(value, dtype=np.float64), compared


def similarity_grid(match: Match, expected: list[Any], actual: list[Any]) -> NDArray[np.float64]:
    """The similarity of every expected with every actual value."""
    match = _for_lists(match)
    entry = MATCHERS.find(match.name)
    grid = entry.grid
    if grid is not None:
        try:
            options = entry.options() if match.options is None else match.options
            found = np.asarray(grid(expected, actual, options), dtype=np.float64)
            return found if np.isfinite(found.sum()) else np.nan_to_num(found, nan=0.0)
        except Exception:
            pass  # a grid is a shortcut: without it the pairs are scored one by one
    rows = [one for one in expected for _ in actual]
    return similarities(match, rows, list(actual) * len(expected)).reshape(len(expected), len(actual))
