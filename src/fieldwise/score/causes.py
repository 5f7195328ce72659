"""Why values differ: the likeliest cause of each mismatch, found by the functions in `causes/`.

Most mismatches have one cause or none, so asking every cause about every pair would cost more than the scoring. Screens (see
`screens.py`) say which causes may hold; those are asked in the order of their ranks. A cause without a screen is asked every time.

>>> contexts = Contexts([0], lambda row: ("vendor", "vendor"), [{"vendor": "Acme Corp"}], [{"vendor": "ACME CORP"}])
>>> likely_causes([0], ["Acme Corp"], ["ACME CORP"], contexts)
{0: 'letter_case'}
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias, cast

from fieldwise import registry
from fieldwise.model.comparison import Comparisons
from fieldwise.model.context import Context, Contexts
from fieldwise.model.values import Value
from fieldwise.score.screens import ELSEWHERE, NUMBER_SCREENS, TEXT_SCREENS, screens_of_numbers, screens_of_texts

Holds: TypeAlias = Callable[[Any, Any, Context], bool]
_Found: TypeAlias = tuple[int, str]
"""Rank and name of a cause."""
_Candidates: TypeAlias = tuple[tuple[Holds, _Found], ...]
_NOWHERE: Final = Context("", "")
_NOTHING: Final[_Found] = (sys.maxsize, "")


@dataclass(frozen=True, slots=True)
class _Cause:
    found: _Found
    holds: Holds
    kinds: str
    screens: frozenset[str]
    """Empty: asked every time."""


@dataclass(frozen=True, slots=True)
class _Around:
    """The causes that look at the record (`placed`), or may do so because they have no screen (`free`)."""

    first: int
    """The lowest of their ranks."""
    placed: _Candidates
    free: _Candidates


def likely_causes(rows: Sequence[int], expected: Sequence[Value], actual: Sequence[Value], contexts: Contexts) -> dict[int, str]:
    """Row → the first cause by rank that holds, for rows that differ with both values present; rows without a cause are left out.

    The three sequences run in parallel; `contexts` knows the surroundings of each row, and is asked only where they matter.
    """
    texts = _causes_of_texts(expected, actual)
    around_texts, around_numbers, around_others = _around("text"), _around("number"), _around("mixed")
    found: dict[int, str] = {}
    for row, one, other in zip(rows, expected, actual, strict=True):
        if type(one) is str and type(other) is str:
            cause, around = texts[one, other], around_texts
        elif (type(one) is float or type(one) is int) and (type(other) is float or type(other) is int):
            cause, around = _first(_behind_numbers(screens_of_numbers(one, other)), one, other), around_numbers
        else:
            cause, around = _first(_for_mixed_kinds(), one, other), around_others
        if cause[0] > around.first:
            is_elsewhere = _is_scalar(other) and other in contexts.places(row)
            if is_elsewhere or around.free:
                asked = around.placed + around.free if is_elsewhere else around.free
                cause = min(cause, _first(asked, one, other, contexts(row)))
        if cause is not _NOTHING:
            found[row] = cause[1]
    return found


def contexts_of(comparisons: Comparisons, expected: Sequence[Value], actual: Sequence[Value]) -> Contexts:
    """The surroundings of each comparison, given the records of the batch by case."""
    path, field, paths, fields = comparisons.path, comparisons.field, comparisons.paths, comparisons.fields

    def names(row: int) -> tuple[str, str]:
        return paths[int(path[row])], fields[int(field[row])]

    return Contexts(cast("Sequence[int]", comparisons.case), names, expected, actual)


def describe(cause: str) -> tuple[str, str]:
    """The label of a cause and what to do about it.

    >>> describe("letter_case")[0]
    'letter case'
    """
    module = _module_of(registry.find("causes", cause).function)
    return getattr(module, "LABEL", cause.replace("_", " ")), getattr(module, "ADVICE", "")


def _causes_of_texts(expected: Sequence[Value], actual: Sequence[Value]) -> dict[tuple[str, str], _Found]:
    """The cause of each distinct pair of texts, as far as the texts alone tell."""
    pairs = list({(one, other): None for one, other in zip(expected, actual, strict=True) if type(one) is str and type(other) is str})
    return {
        pair: _first(_behind_texts(screens), pair[0], pair[1]) if screens else _NOTHING
        for pair, screens in zip(pairs, screens_of_texts(pairs), strict=True)
    }


def _first(candidates: _Candidates, one: Value, other: Value, context: Context = _NOWHERE) -> _Found:
    for holds, found in candidates:
        if holds(one, other, context):
            return found
    return _NOTHING


def _is_scalar(value: Value) -> bool:
    return type(value) is str or type(value) is float or type(value) is int


@cache
def _causes() -> tuple[_Cause, ...]:
    """Every cause there is, by rank."""
    return tuple(sorted((_load(name) for name in registry.names("causes")), key=lambda cause: cause.found))


def _load(name: str) -> _Cause:
    entry = registry.find("causes", name)
    screen: str | Sequence[str] = getattr(_module_of(entry.function), "SCREEN", ())
    screens = frozenset([screen] if isinstance(screen, str) else screen)
    return _Cause((entry.extras.get("rank", sys.maxsize - 1), name), entry.function, entry.extras.get("kinds", "any"), screens)


def _module_of(function: Callable[..., Any]) -> object:
    return sys.modules[function.__module__]


def _candidates(kind: str, wanted: Callable[[_Cause], bool]) -> _Candidates:
    return tuple((cause.holds, cause.found) for cause in _causes() if cause.kinds in (kind, "any") and wanted(cause))


@cache
def _behind_texts(screens: int) -> _Candidates:
    return _candidates("text", lambda cause: _is_behind(cause, TEXT_SCREENS, screens))


@cache
def _behind_numbers(screens: int) -> _Candidates:
    return _candidates("number", lambda cause: _is_behind(cause, NUMBER_SCREENS, screens))


def _is_behind(cause: _Cause, names: Mapping[str, int], screens: int) -> bool:
    return any(names.get(screen, 0) & screens for screen in cause.screens)


@cache
def _for_mixed_kinds() -> _Candidates:
    return _candidates("mixed", lambda cause: bool(cause.screens) and ELSEWHERE not in cause.screens)


@cache
def _around(kind: str) -> _Around:
    placed = _candidates(kind, lambda cause: ELSEWHERE in cause.screens)
    free = _candidates(kind, lambda cause: not cause.screens)
    return _Around(min((found[0] for _, found in placed + free), default=sys.maxsize), placed, free)
