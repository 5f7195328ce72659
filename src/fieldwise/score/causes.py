"""Why values differ: the likeliest cause of each mismatch, found by the functions in `causes/`.

Most mismatches have one cause or none, so asking every cause about every pair would cost more than the scoring. Screens (see
`screens.py`) say which causes may hold; those are asked in the order of their ranks. Screens that cost more are looked at last, and
only while a cause behind them could come before the one that was found. A cause without a screen is asked every time.

>>> contexts = Contexts([0], ["vendor"], ["vendor"], [{"vendor": "Acme Corp"}], [{"vendor": "ACME CORP"}])
>>> likely_causes(["Acme Corp"], ["ACME CORP"], contexts)
['letter_case']
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fieldwise import registry
from fieldwise.model.comparison import Comparisons
from fieldwise.model.context import Context, Contexts, is_telling
from fieldwise.model.values import Missing, Value
from fieldwise.score.cause_prefilter import (
    DIGIT_SCREENS,
    ELSEWHERE,
    MAY_BE_WRITTEN,
    MIXED_SCREENS,
    NUMBER_SCREENS,
    TEXT_SCREENS,
    WRITTEN_SCREENS,
    screens_of_digits,
    screens_of_mixed_kinds,
    screens_of_numbers,
    screens_of_texts,
    screens_of_written,
)

Holds: TypeAlias = Callable[[Any, Any, Context], bool]
_Found: TypeAlias = tuple[int, str]
"""Rank and name of a cause."""
_Candidates: TypeAlias = tuple[tuple[Holds, _Found], ...]
Known: TypeAlias = list[tuple[Comparisons, NDArray[np.int64], Mapping[int, str]]]
"""Comparisons of the same cases, those of their rows that were looked at, and the causes found, for whoever asks about the same values."""
_ANY: Final = -1
"""All screens there are."""
_KINDS: Final = ("text", "number", "mixed")
_NUMBERS: Final = frozenset((int, float))
_CONTAINERS: Final = frozenset((dict, list))
_SCALARS: Final = frozenset((str, int, float, bool, type(None), Missing))
_NOWHERE: Final = Context("", "")
_NOTHING: Final[_Found] = (sys.maxsize, "")


@dataclass(frozen=True, slots=True)
class _Cause:
    found: _Found
    holds: Holds
    kinds: str
    screens: frozenset[str]
    """Empty: asked every time."""


def explain(
    comparisons: Comparisons,
    rows: NDArray[np.int64],
    expected: Sequence[Value],
    actual: Sequence[Value],
    known: Known | None = None,
    *,
    complete: bool = False,
) -> None:
    """Note the likely cause of each of these rows, whose values are there and differ. `expected` and `actual` are the records by case.

    What is found goes into `known`, and what stands there already is not looked for again. `complete` says that there is a row for every
    leaf of the expected records.
    """
    wanted = rows
    for earlier in known or ():
        rows = _recall(comparisons, rows, *earlier)
    if not any(map(_without_screen, _KINDS)):
        rows = _with_scalars(comparisons, rows)
    if len(rows):
        causes = likely_causes(*_mismatches(comparisons, rows, expected, actual), comparisons.expected if complete else None)
        comparisons.cause.update(compress(zip(rows.tolist(), causes, strict=True), causes))
    if known is not None:
        known.append((comparisons, wanted, dict(comparisons.cause)))


def likely_causes(
    expected: Sequence[Value], actual: Sequence[Value], contexts: Contexts, leaves: Sequence[Value] | None = None
) -> list[str]:
    """The first cause by rank that holds for each pair of values; empty where none does.

    The sequences run in parallel; `contexts` knows the surroundings of each pair, and is asked only where they matter. `leaves` are
    those of all expected records, where somebody has them at hand.
    """
    pairs = list(zip(expected, actual, strict=True))
    found = _in_the_values(pairs)
    first_placed = min(map(_lowest, _behind_places.values()))
    telling = {at: value for at, value in enumerate(actual) if found[at][0] > first_placed and is_telling(value)}
    for at in contexts.elsewhere(telling if leaves is None else _among(leaves, telling)):
        found[at] = min(found[at], _first(_behind_places[_kind(*pairs[at])](_ANY), *pairs[at], contexts(at)))
    if any(map(_without_screen, _KINDS)):
        for at, pair in enumerate(pairs):
            found[at] = min(found[at], _first(_without_screen(_kind(*pair)), *pair, contexts(at)))
    return [name for _, name in found]


def _among(leaves: Sequence[Value], values: dict[int, Any]) -> dict[int, Any]:
    """Those of some values that stand among these leaves, whichever record they are of; all of them if a leaf may hold others."""
    if not _SCALARS.issuperset(map(type, leaves)):
        return values
    there = {*values.values()}.intersection(leaves)
    return {at: value for at, value in values.items() if value in there} if there else {}


def _in_the_values(pairs: Sequence[tuple[Value, Value]]) -> list[_Found]:
    """The cause of each pair as far as the two values tell; equal pairs of texts are judged once."""
    found: list[_Found] = [_NOTHING] * len(pairs)
    texts: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for at, (one, other) in enumerate(pairs):
        if type(one) is str and type(other) is str:
            texts[one, other].append(at)
        elif (type(one) is float or type(one) is int) and (type(other) is float or type(other) is int):
            found[at] = _of_numbers(one, other)
        elif type(one) is str or type(other) is str:
            found[at] = _of_mixed_kinds(one, other)
    for (pair, same), screens in zip(texts.items(), screens_of_texts(list(texts)), strict=True):
        if screens:
            cause = _of_texts(*pair, screens)
            for at in same:
                found[at] = cause
    return found


def describe(cause: str) -> tuple[str, str]:
    """The label of a cause and what to do about it.

    >>> describe("letter_case")[0]
    'letter case'
    """
    spec = registry.CAUSES.find(cause)
    return spec.label, spec.advice


def _mismatches(
    comparisons: Comparisons, rows: NDArray[np.int64], expected: Sequence[Value], actual: Sequence[Value]
) -> tuple[list[Value], list[Value], Contexts]:
    """The values of some rows and what is around them."""
    ones, others, paths, fields = comparisons.expected, comparisons.actual, comparisons.paths, comparisons.fields
    listed: list[int] = rows.tolist()
    cases: list[int] = comparisons.case[rows].tolist()
    at_path: list[int] = comparisons.path[rows].tolist()
    at_field: list[int] = comparisons.field[rows].tolist()
    contexts = Contexts(cases, [paths[at] for at in at_path], [fields[at] for at in at_field], expected, actual)
    return [ones[row] for row in listed], [others[row] for row in listed], contexts


def _recall(
    comparisons: Comparisons, rows: NDArray[np.int64], earlier: Comparisons, looked_at: NDArray[np.int64], causes: Mapping[int, str]
) -> NDArray[np.int64]:
    """Note the causes that earlier comparisons of the same values have, and give back the rows that are left."""
    codes = {path: code for code, path in enumerate(dict.fromkeys(earlier.paths))}
    ours = np.array([codes.get(path, -1) for path in comparisons.paths], dtype=np.int64)[comparisons.path[rows]]
    theirs = np.array([codes[path] for path in earlier.paths], dtype=np.int64)[earlier.path[looked_at]]
    shared = np.isin(theirs, ours)
    if not shared.any():
        return rows
    places = zip(earlier.case[looked_at[shared]].tolist(), theirs[shared].tolist(), strict=True)
    known = dict(zip(places, looked_at[shared].tolist(), strict=True))
    left: list[int] = []
    for row, place in zip(rows.tolist(), zip(comparisons.case[rows].tolist(), ours.tolist(), strict=True), strict=True):
        at = known.get(place)
        if at is None or earlier.expected[at] is not comparisons.expected[row] or earlier.actual[at] is not comparisons.actual[row]:
            left.append(row)
        elif at in causes:
            comparisons.cause[row] = causes[at]
    return np.array(left, dtype=np.int64)


def _with_scalars(comparisons: Comparisons, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of some rows in which a side is no list and no object: of two of those, nothing is asked that has a screen."""
    ones, others = comparisons.expected, comparisons.actual
    kept = [row for row in rows.tolist() if type(ones[row]) not in _CONTAINERS or type(others[row]) not in _CONTAINERS]
    return rows if len(kept) == len(rows) else np.array(kept, dtype=np.int64)


def _of_texts(one: str, other: str, screens: int) -> _Found:
    found = _first(_behind_letters(screens), one, other)
    if screens & MAY_BE_WRITTEN and found[0] > _lowest(_behind_written):
        written = screens_of_written(one, other)
        if written:
            found = min(found, _first(_behind_written(written), one, other))
    return found


def _of_numbers(one: float, other: float) -> _Found:
    screens = screens_of_numbers(one, other)
    found = _first(_behind_sizes(screens), one, other) if screens else _NOTHING
    if found is _NOTHING or found[0] > _lowest(_behind_digits):
        digits = screens_of_digits(one, other)
        if digits:
            found = min(found, _first(_behind_digits(digits), one, other))
    return found


def _of_mixed_kinds(one: Value, other: Value) -> _Found:
    return _first(_behind_mixed(screens_of_mixed_kinds(one, other)), one, other)


def _first(candidates: _Candidates, one: Value, other: Value, context: Context = _NOWHERE) -> _Found:
    for holds, found in candidates:
        try:
            if holds(one, other, context):
                return found
        except Exception:  # a cause of another package that fails explains nothing, and no more than that
            continue
    return _NOTHING


@cache
def _causes() -> tuple[_Cause, ...]:
    """Every cause there is, by rank."""
    return tuple(sorted((_load(name) for name in registry.CAUSES.names()), key=lambda cause: cause.found))


def _load(name: str) -> _Cause:
    spec = registry.CAUSES.find(name)
    return _Cause((spec.rank, name), spec.function, spec.kinds, spec.screens)


def _candidates(kind: str, wanted: Callable[[_Cause], bool]) -> _Candidates:
    return tuple((cause.holds, cause.found) for cause in _causes() if cause.kinds in (kind, "any") and wanted(cause))


def _behind(kind: str, names: Mapping[str, int]) -> Callable[[int], _Candidates]:
    """Which causes to ask about a pair of that kind, given its screens as bits."""

    @cache
    def behind(screens: int) -> _Candidates:
        return _candidates(kind, lambda cause: any(names.get(screen, 0) & screens for screen in cause.screens))

    return behind


_behind_letters, _behind_written = _behind("text", TEXT_SCREENS), _behind("text", WRITTEN_SCREENS)
_behind_sizes, _behind_digits = _behind("number", NUMBER_SCREENS), _behind("number", DIGIT_SCREENS)
_behind_mixed: Final = _behind("mixed", MIXED_SCREENS)
_behind_places: Final = {kind: _behind(kind, {ELSEWHERE: 1}) for kind in _KINDS}


def _lowest(behind: Callable[[int], _Candidates]) -> int:
    """The lowest rank behind any screen."""
    candidates = behind(_ANY)
    return candidates[0][1][0] if candidates else sys.maxsize


@cache
def _without_screen(kind: str) -> _Candidates:
    return _candidates(kind, lambda cause: not cause.screens)


def _kind(one: Value, other: Value) -> str:
    if type(one) is str and type(other) is str:
        return "text"
    return "number" if type(one) in _NUMBERS and type(other) in _NUMBERS else "mixed"
