"""Calls matchers on batches of pairs; a crash of a matcher becomes a fault of one row."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, compress
from math import isfinite, isnan
from operator import ne
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from fieldwise.kernels.values import find_non_finite
from fieldwise.model.accepted_values import ANY, accepted_values
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.options import HasListMatch, implements
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.rule import Match
from fieldwise.model.services import NO_SERVICES, Services
from fieldwise.model.values import MISSING
from fieldwise.registry import MATCHERS
from fieldwise.score.guard import Success, call_guarded
from fieldwise.specs import MatcherSpec, PartialGrid


def score_pairs(
    match: Match,
    expected: list[Any],
    actual: list[Any],
    services: Services = NO_SERVICES,
    *,
    needs_distance: bool = True,
    finite: bool = False,
) -> Scores:
    """Score pairs of values that are present on both sides. `finite` promises that no value holds a NaN or an Infinity.

    NaN and Infinity are decided here, for every matcher: a pair that contains one scores 0 with a note, and the matcher does not see it.
    A matcher that is not reflexive may accept a list for one of its items, so it sees NaN inside lists and objects; it never sees an
    actual value that is itself NaN or Infinity. `ignore` accepts everything. Of several accepted values, the most similar one counts.
    """
    if dict in map(type, expected):
        expected = choose_accepted(match, expected, actual, services)
    pairs = Pairs(expected, actual, services, needs_distance)
    return _call_matcher(match, pairs) if finite else _score_chosen_pairs(match, pairs)


def _score_chosen_pairs(match: Match, pairs: Pairs) -> Scores:
    """Score pairs without several accepted values."""
    expected, actual = pairs.expected, pairs.actual
    notes = {} if match.name == "ignore" else _non_finite_notes(expected, actual)
    if not notes:
        return _call_matcher(match, pairs)
    is_reflexive = MATCHERS.find(match.name).reflexive
    rejected = {row for row in notes if is_reflexive or isinstance(actual[row], float)}
    rows = [row for row in range(len(expected)) if row not in rejected]
    scores = _call_matcher(match, replace(pairs, expected=[expected[row] for row in rows], actual=[actual[row] for row in rows]))
    value, passed = np.zeros(len(expected)), np.zeros(len(expected), dtype=np.bool_)
    value[rows], passed[rows] = scores.value, scores.passed
    notes = {row: note for row, note in notes.items() if not passed[row]}
    notes |= {rows[position]: note for position, note in scores.notes.items()}
    faults = {rows[position]: fault for position, fault in scores.faults.items()}
    distance = np.full(len(expected), np.inf)  # no option makes a rejected pair match
    distance[rows] = np.nan if scores.distance is None else scores.distance
    relative_distance = None
    if scores.relative_distance is not None:
        relative_distance = np.full(len(expected), np.inf)
        relative_distance[rows] = scores.relative_distance
    return Scores(value, passed, notes, faults, distance, relative_distance)


def choose_accepted(match: Match, expected: list[Any], actual: list[Any], services: Services = NO_SERVICES) -> list[Any]:
    """The expected values with the most similar of several accepted values in their place; the first one of equals.

    Null is not compared: it is chosen if there is nothing else, or if actual has no value.
    """
    rows: list[int] = []
    alternatives: list[Any] = []
    chosen = list(expected)
    for row, value in enumerate(expected):
        values = accepted_values(value) if value.__class__ is dict and ANY in value else None
        if values is None:
            continue
        has_actual = actual[row] is not None and actual[row] is not MISSING
        present = [inner for inner in values if inner is not None and inner is not MISSING]
        chosen[row] = present[0] if present and (has_actual or len(present) == len(values)) else None
        if has_actual and len(present) > 1:
            rows += [row] * len(present)
            alternatives += present
    if not rows:
        return chosen
    scores = score_pairs(match, alternatives, [actual[row] for row in rows], services)
    best: dict[int, tuple[float, bool, float, float]] = {}
    # the nearest first, so that another tolerance is decided by its distance alone
    nearness = (-_nearest_distances(scores)).tolist()
    columns = (scores.value.tolist(), scores.passed.tolist(), nearness)
    for row, value, similarity, passed, near in zip(rows, alternatives, *columns, strict=True):
        closeness = 0.0 if passed else _compare_letters(value, actual[row])  # tells apart what a match finds equally wrong
        rank = (-1.0 if isnan(similarity) else similarity, passed, near, closeness)  # NaN: not compared
        if row not in best or rank > best[row]:
            best[row], chosen[row] = rank, value
    return chosen


def _nearest_distances(scores: Scores) -> NDArray[np.float64]:
    """The distance of each pair; infinite where none is measured."""
    distance = scores.relative_distance if scores.distance is None else scores.distance
    return np.full(len(scores), np.inf) if distance is None else np.where(np.isnan(distance), np.inf, distance)


def _compare_letters(expected: Any, actual: Any) -> float:
    if isinstance(expected, dict | list) or isinstance(actual, dict | list):
        return 0.0
    return Levenshtein.normalized_similarity(str(expected).casefold(), str(actual).casefold())


_ALWAYS_FINITE = frozenset({str, int, bool, type(None)})
_JSON_TYPES = _ALWAYS_FINITE | {float, dict, list}


def _non_finite_notes(expected: Sequence[Any], actual: Sequence[Any]) -> dict[int, str]:
    """A note for each row that has a NaN or an Infinity on either side, at any depth."""
    notes: dict[int, str] = {}
    if _are_plainly_finite(expected) and _are_plainly_finite(actual):
        return notes
    for row, (left, right) in enumerate(zip(expected, actual, strict=True)):
        if type(left) in _ALWAYS_FINITE and type(right) in _ALWAYS_FINITE:
            continue
        name = find_non_finite(left) or find_non_finite(right)
        if name:
            notes[row] = f"{name} is not a number"
    return notes


def _are_plainly_finite(values: Sequence[Any]) -> bool:
    """True if no value can hold a NaN or an Infinity, at any depth. The sum of floats shows that in one step unless it overflows.

    Lists and objects are opened level by level, six times as fast as one by one.
    """
    pending = values
    while pending:
        types = set(map(type, pending))
        if types <= _ALWAYS_FINITE:
            return True
        if not types <= _JSON_TYPES or not isfinite(sum([value for value in pending if type(value) is float])):
            return False
        objects = [value.values() for value in pending if type(value) is dict] if dict in types else []
        lists = [value for value in pending if type(value) is list] if list in types else []
        pending = [*chain.from_iterable(objects), *chain.from_iterable(lists)]
    return True


_BUILTIN = "fieldwise.matchers."
_ROUNDING_ERROR = 1e-9
"""How far a score may be outside [0, 1], as a cosine of two vectors is; it is then 0 or 1."""


def _call_matcher(match: Match, pairs: Pairs) -> Scores:
    """Call the matcher; a batch that makes it crash is halved until the crash is one row, and that row is a fault."""
    if not len(pairs):
        return Scores.of([])
    matcher = MATCHERS.find(match.name)
    function = matcher.function if matcher.function.__module__.startswith(_BUILTIN) else partial(_call_plugin, matcher)
    call = call_guarded(partial(function, pairs, _options(matcher, match)))
    if isinstance(call, Success):
        return call.value
    if len(pairs) == 1:
        return _crash_scores(matcher, call.message)
    half = len(pairs) // 2
    first = _call_matcher(match, replace(pairs, expected=pairs.expected[:half], actual=pairs.actual[:half]))
    second = _call_matcher(match, replace(pairs, expected=pairs.expected[half:], actual=pairs.actual[half:]))
    return Scores(
        np.concatenate([first.value, second.value]),
        np.concatenate([first.passed, second.passed]),
        {**first.notes, **{half + row: note for row, note in second.notes.items()}},
        {**first.faults, **{half + row: fault for row, fault in second.faults.items()}},
        _join_distances(first, second, "distance"),
        _join_distances(first, second, "relative_distance"),
    )


def _call_plugin(matcher: MatcherSpec, pairs: Pairs, options: Any) -> Scores:
    """Call a matcher of another package or script and check what it returns; the laws in the tests hold the built-in ones to the same.

    Scores of another type or length raise ValueError. A score outside [0, 1], or NaN without a fault, is a fault of its row.
    """
    scores: Any = matcher.function(pairs, options)
    if not isinstance(scores, Scores):
        raise ValueError(f"it returned `{type(scores).__name__}` instead of Scores")
    n = len(pairs)
    value = np.array(scores.value, dtype=np.float64)
    passed = np.array(scores.passed, dtype=np.bool_)
    columns = {"value": value, "passed": passed, "distance": scores.distance, "relative_distance": scores.relative_distance}
    for name, column in columns.items():
        if column is not None and np.shape(column) != (n,):
            raise ValueError(f"it returned Scores whose `{name}` has the shape {np.shape(column)} instead of {(n,)}")
    if any(row not in range(n) for row in (*scores.notes, *scores.faults)):
        raise ValueError(f"it returned a note or a fault of a row that its {n} pairs do not have")
    is_valid = (value >= -_ROUNDING_ERROR) & (value <= 1 + _ROUNDING_ERROR)  # false for NaN
    faults = dict(scores.faults)
    for row in np.flatnonzero(~is_valid).tolist():
        what = f"{matcher.name}: it returned the score {value[row]:g}, which is not a number between 0 and 1"
        faults.setdefault(row, Diagnostic(code="matcher-score", what=what, fix=f"report this to the author of `{matcher.name}`"))
    value = np.where(is_valid, value.clip(0.0, 1.0), np.nan)
    return replace(scores, value=value, passed=passed & is_valid, faults=faults)


def _join_distances(first: Scores, second: Scores, name: str) -> NDArray[np.float64] | None:
    """The distances of both; NaN for the one that has none."""
    columns = [(part, getattr(part, name)) for part in (first, second)]
    if all(column is None for _, column in columns):
        return None
    return np.concatenate([np.full(len(part), np.nan) if column is None else column for part, column in columns])


def _options(matcher: MatcherSpec, match: Match) -> Any:
    return matcher.options() if match.options is None else match.options


def _crash_scores(matcher: MatcherSpec, message: str) -> Scores:
    fault = Diagnostic(code="matcher-crashed", what=f"{matcher.name}: {message}", fix="report this with the two values")
    return Scores.of([np.nan], passed=[False], faults={0: fault})


def score_nullable_pairs(match: Match, expected: list[Any], actual: list[Any], services: Services = NO_SERVICES) -> Scores:
    """Score pairs in which either side may be null: null matches only null."""
    if dict in map(type, expected):
        expected = choose_accepted(match, expected, actual, services)
    both_null = [left is None and right is None for left, right in zip(expected, actual, strict=True)]
    present = [row for row in range(len(expected)) if expected[row] is not None and actual[row] is not None]
    scores = score_pairs(match, [expected[row] for row in present], [actual[row] for row in present], services)
    value = np.array(both_null, dtype=np.float64)
    passed = value > 0
    value[present], passed[present] = scores.value, scores.passed
    notes = {present[position]: note for position, note in scores.notes.items()}
    faults = {present[position]: fault for position, fault in scores.faults.items()}
    return Scores(value, passed, notes, faults)


def pair_similarities(
    match: Match, expected: list[Any], actual: list[Any], services: Services = NO_SERVICES, types: set[type] | None = None
) -> NDArray[np.float64]:
    """Similarity of each pair, for list alignment: absent on both sides is 1, on one side 0.

    `types` are those that the values may have, where they are known.
    """
    match = _match_for_lists(match)
    if types is None:
        types = {*map(type, expected), *map(type, actual)}
    if dict in types:
        expected = choose_accepted(match, expected, actual, services)
        types = {*map(type, expected), *map(type, actual)}
    if types <= _COMPARABLE:
        similarities, undecided = _compare_scalars(match, expected, actual, types)
    else:
        similarities, undecided = _compare_any(expected, actual)
    if undecided:
        left, right = [expected[row] for row in undecided], [actual[row] for row in undecided]
        if dict in types:
            left = choose_accepted(match, left, right, services)
        scores = _score_chosen_pairs(match, Pairs(left, right, services, needs_distance=False))
        similarities[undecided] = np.nan_to_num(scores.value, nan=0.0)
    return similarities


def _match_for_lists(match: Match) -> Match:
    """The match that list alignment uses: an option class may name a cheaper one with `for_lists`."""
    options = match.options
    if implements(type(options), HasListMatch):
        return cast("HasListMatch", options).for_lists()
    return match


_SCALARS = frozenset((str, int, bool, float))
"""Values that Python compares as JSON does. Not containers: Python says that [True] equals [1], and fails on deep ones."""
_COMPARABLE = frozenset[type]((str, int, float, type(None)))
"""Types whose values are equal in Python, across types too, exactly where fieldwise finds them equal. Not bool: True == 1."""

_TEXT_OR_NULL = frozenset[type]((str, type(None)))


def _compare_scalars(match: Match, expected: list[Any], actual: list[Any], types: set[type]) -> tuple[NDArray[np.float64], list[int]]:
    """Similarities that need no matcher, and the rows that do."""
    unequal = list(compress(range(len(expected)), map(ne, expected, actual)))
    similarities = np.ones(len(expected), dtype=np.float64)
    similarities[unequal] = 0.0
    if match.name == "exact" and (str not in types or (_is_all_ascii(expected, types) and _is_all_ascii(actual, types))):
        return similarities, []  # only text with other characters can differ here and still be equal, after Unicode composition
    return similarities, [row for row in unequal if expected[row] is not None and actual[row] is not None]


def _is_all_ascii(values: list[Any], types: set[type]) -> bool:
    texts = filter(None, values) if types <= _TEXT_OR_NULL else [value for value in values if value.__class__ is str]
    return "".join(texts).isascii()


def _compare_any(expected: list[Any], actual: list[Any]) -> tuple[NDArray[np.float64], list[int]]:
    """The same as `_compare_scalars`, for values of any type."""
    undecided: list[int] = []
    similarities: list[float] = []
    for row, (left, right) in enumerate(zip(expected, actual, strict=True)):
        similarity = 0.0
        if left is None or left is MISSING:
            similarity = 1.0 if right is None or right is MISSING else 0.0
        elif right is not None and right is not MISSING:
            if left.__class__ is right.__class__ and left.__class__ in _SCALARS and left == right:
                similarity = 1.0
            else:
                undecided.append(row)
        similarities.append(similarity)
    return np.array(similarities, dtype=np.float64), undecided


def similarity_grid(match: Match, expected: list[Any], actual: list[Any], services: Services = NO_SERVICES) -> NDArray[np.float64]:
    """Similarity of every expected with every actual value."""
    return prepare_similarity_grid(match, expected, actual, services)(slice(None), slice(None))


def prepare_similarity_grid(match: Match, expected: list[Any], actual: list[Any], services: Services = NO_SERVICES) -> PartialGrid:
    """The function that gives the `similarity_grid` of any part of two columns; a matcher that can reads their values once.

    If the matcher's own grid crashes, that is reported and the pairs are scored one by one.
    """
    match = _match_for_lists(match)
    matcher = MATCHERS.find(match.name)

    def compute_by_pairs(rows: slice, columns: slice) -> NDArray[np.float64]:
        left, right = expected[rows], actual[columns]
        every_expected = [value for value in left for _ in right]
        return pair_similarities(match, every_expected, right * len(left), services).reshape(len(left), len(right))

    if matcher.grid is None or (dict in map(type, expected) and any(value.__class__ is dict and ANY in value for value in expected)):
        return compute_by_pairs
    grid, options = matcher.grid, _options(matcher, match)
    compute_by_matcher: PartialGrid = lambda rows, columns: grid(expected[rows], actual[columns], options)  # noqa: E731
    if matcher.prepare_grid is not None:
        preparation = call_guarded(partial(matcher.prepare_grid, expected, actual, options))
        if isinstance(preparation, Success):
            compute_by_matcher = preparation.value

    def compute_guarded(rows: slice, columns: slice) -> NDArray[np.float64]:
        call = call_guarded(partial(compute_by_matcher, rows, columns))
        if isinstance(call, Success):
            similarities = np.asarray(call.value, dtype=np.float64)
            return similarities if isfinite(np.add.reduce(similarities, axis=None)) else np.nan_to_num(similarities, nan=0.0)
        what = f"the grid of the match `{matcher.name}` crashed, so its pairs were scored one by one: {call.message}"
        services.report(Diagnostic(code="grid-crashed", level="warning", what=what, fix=f"report this to the author of `{matcher.name}`"))
        return compute_by_pairs(rows, columns)

    return compute_guarded
