"""Text that is alike, by how much of it agrees.

>>> fuzzy(Pairs(["Acme Corp", "Acme Corp"], ["ACME CORP", "Acme Group"]), Fuzzy()).value.round(2).tolist()
[1.0, 0.7]
>>> fuzzy(Pairs(["Acme Corp"], ["ACME CORP"]), Fuzzy(normalize=False)).value.round(2).tolist()
[0.33]
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

import numpy as np
from annotated_types import Interval
from numpy.typing import NDArray

from fieldwise.kernels.strings import fold, reaches, similarities, similarity_grid
from fieldwise.kernels.values import canonical, nfc
from fieldwise.matchers._asked import likeness
from fieldwise.matchers._keys import is_absent, non_finite_notes
from fieldwise.model.ask import ANY_ENDPOINT, Endpoint
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.rule import Match
from fieldwise.model.values import kind
from fieldwise.registry import matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuzzy:
    """How likeness is measured, and how much of it is enough."""

    algorithm: Literal["levenshtein", "jaro_winkler", "token_sort", "token_set", "llm"] = "levenshtein"
    """`levenshtein` is 1 − edits / length of the longer; `jaro_winkler` favours a common beginning; `token_sort` ignores the
    order of words; `token_set` also ignores words that only one side has; `llm` asks a model, though items of lists find their
    counterparts by `levenshtein`."""
    threshold: Annotated[float, Interval(ge=0, le=1)] = 0.85
    """Enough, inclusive."""
    normalize: bool = True
    """Letter case and outer whitespace do not count."""
    score: Literal["graded", "binary"] = "graded"
    """`graded` is the likeness, below the threshold too; `binary` is 1 at the threshold, else 0."""
    model: Endpoint = ANY_ENDPOINT
    """The model that `llm` asks."""

    def for_lists(self) -> Match:
        """How items of lists find their counterparts: asking a model about each pair would cost too much."""
        return Match("fuzzy", replace(self, algorithm="levenshtein") if self.algorithm == "llm" else self)


APART: Final = -1.0
"""The likeness of values that no threshold lets pass: of different kinds, or with a NaN."""


def grid(expected: Sequence[object], actual: Sequence[object], config: Fuzzy) -> NDArray[np.float64]:
    """How alike every expected value is to every actual one."""
    (left, left_kinds), (right, right_kinds) = _texts(expected, config), _texts(actual, config)
    if left_kinds is None and right_kinds is None:
        value = similarity_grid(left, right, config.algorithm)
    else:
        value = _grid_by_kind(left, right, left_kinds or ["string"] * len(left), right_kinds or ["string"] * len(right), config)
    return reaches(value, config.threshold).astype(np.float64) if config.score == "binary" else np.maximum(value, 0.0)


def _grid_by_kind(
    left: list[str], right: list[str], left_kinds: list[str | None], right_kinds: list[str | None], config: Fuzzy
) -> NDArray[np.float64]:
    value = np.full((len(left), len(right)), APART)
    for family in {*left_kinds} & {*right_kinds} - {None}:
        rows = [row for row, other in enumerate(left_kinds) if other == family]
        columns = [column for column, other in enumerate(right_kinds) if other == family]
        value[np.ix_(rows, columns)] = similarity_grid([left[row] for row in rows], [right[column] for column in columns], config.algorithm)
    return value


@matcher(grid=grid)
def fuzzy(pairs: Pairs, config: Fuzzy) -> Scores:
    """How alike two texts are; other values by their JSON text, values of different kinds not at all."""
    if config.algorithm == "llm":
        return _by_model(pairs, config)
    (left, left_kinds), (right, right_kinds) = _texts(pairs.expected, config), _texts(pairs.actual, config)
    similarity, notes = similarities(left, right, config.algorithm), dict[int, str]()
    if left_kinds or right_kinds:
        kinds = zip(left_kinds or ["string"] * len(left), right_kinds or ["string"] * len(right), strict=True)
        apart = [row for row, (one, other) in enumerate(kinds) if one != other or one is None]
        similarity[apart] = APART
        notes = non_finite_notes(pairs.expected, pairs.actual, apart)
    passed = reaches(similarity, config.threshold)
    similarity[similarity < 0.0] = 0.0
    return Scores.of(passed if config.score == "binary" else similarity, passed=passed, notes=notes)


def _by_model(pairs: Pairs, config: Fuzzy) -> Scores:
    """What the model says of pairs that are neither equal nor of different kinds."""
    plain = fuzzy(pairs, replace(config, algorithm="levenshtein", threshold=0.0, score="graded"))
    as_written = replace(config, normalize=False)
    texts = list(zip(_texts(pairs.expected, as_written)[0], _texts(pairs.actual, as_written)[0], strict=True))
    rows = [row for row in np.flatnonzero(plain.passed & (plain.value < 1.0)).tolist() if all(texts[row])]
    said = likeness("fuzzy", [texts[row] for row in rows], config.model)
    value = plain.value.copy()
    value[rows] = said.value
    passed = plain.passed & reaches(np.nan_to_num(value, nan=-1.0), config.threshold)
    notes = {**plain.notes, **{rows[at]: reason for at, reason in said.notes.items()}}
    graded = np.where(np.isnan(value), np.nan, passed) if config.score == "binary" else value
    return Scores.of(graded, passed=passed, notes=notes, faults={rows[at]: fault for at, fault in said.faults.items()})


def _texts(values: Sequence[Any], config: Fuzzy) -> tuple[list[str], list[str | None] | None]:
    """What to compare and the kind of each value: no kinds if all is text, the kind None for what is like nothing."""
    ready = fold if config.normalize else nfc
    if set(map(type, values)) == {str}:
        distinct = set(values)
        if 2 * len(distinct) > len(values):
            return [ready(value) for value in values], None
        known = {value: ready(value) for value in distinct}  # list alignment asks about the same texts again and again
        return [known[value] for value in values], None
    texts, kinds = list[str](), list[str | None]()
    for value in values:
        family = "absent" if is_absent(value) else kind(value)
        text = nfc(value) if family == "string" else canonical(value)
        texts.append("" if text is None or family == "absent" else ready(text))
        kinds.append(None if text is None else family)
    return texts, kinds
