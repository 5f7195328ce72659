"""Similar text, by edit distance or shared words.

>>> fuzzy(Pairs(["Acme Corp", "Acme Corp"], ["ACME CORP", "Acme Group"]), Fuzzy()).value.round(2).tolist()
[1.0, 0.7]
>>> fuzzy(Pairs(["Acme Corp"], ["ACME CORP"]), Fuzzy(normalize=False)).value.round(2).tolist()
[0.33]
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from fieldwise.dataclass import dataclass
from fieldwise.kernels.text_normalize import alphanumeric_key, fold_text, fold_text_batch
from fieldwise.kernels.text_similarity import (
    BLOCK_LENGTH,
    MAX_EXACT_CELLS,
    exceeds_exact_limit,
    is_compared_in_blocks,
    reaches_threshold,
    text_similarities,
    text_similarity_grid,
)
from fieldwise.kernels.values import canonical_json, to_nfc
from fieldwise.matchers._keys import is_absent
from fieldwise.matchers._model_similarity import ask_similarities
from fieldwise.model.ask import DEFAULT_ENDPOINT, Endpoint
from fieldwise.model.bounds import Ge, Le
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.pairs import Measurements, Pairs, Scores
from fieldwise.model.rule import Match
from fieldwise.model.values import Missing, json_kind
from fieldwise.numpy_on_use import np
from fieldwise.registry import matcher
from fieldwise.specs import Example, PartialGrid, StoredDecision

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuzzy:
    """How similarity is measured, and from what similarity on a pair passes."""

    algorithm: Literal["levenshtein", "jaro_winkler", "token_sort", "token_set", "llm"] = "levenshtein"
    """`levenshtein` is 1 − edits / length of the longer; `jaro_winkler` favours a common beginning; `token_sort` ignores the
    order of words; `token_set` also ignores words that only one side has; `llm` asks a model (list items are still paired by
    `levenshtein`)."""
    threshold: Annotated[float, Ge(0), Le(1)] = 0.85
    """Similarity from which a pair passes, inclusive."""
    normalize: bool | Literal["alnum"] = True
    """Ignore letter case and outer whitespace; `alnum` ignores everything but letters and digits, too, in texts that have any."""
    score: Literal["graded", "binary"] = "graded"
    """`graded` is the similarity, also below the threshold; `binary` is 1 if the pair passes, else 0."""
    digits: Literal["similar", "equal"] = "similar"
    """`equal`: texts whose digits differ do not pass, however similar they are (12 and 13 Main Street)."""
    model: Endpoint = DEFAULT_ENDPOINT
    """The model that `llm` asks."""

    def for_lists(self) -> Match:
        """The match that pairs list items: asking a model about each pair would cost too much."""
        return Match("fuzzy", replace(self, algorithm="levenshtein") if self.algorithm == "llm" else self)


_KINDS: Final = ("string", "absent", "number", "bool", "list", "object")
_TEXT_OR_ABSENT: Final = frozenset((str, type(None), Missing))
_INCOMPARABLE: Final = -1.0
"""Similarity of values of different kinds or with a NaN: below every threshold."""
_DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)*")
"""A number, or several with points or commas between them, such as a date."""
_GROUPING: Final = re.compile(r"(?<=\d)[.,'’](?=\d{3}(?!\d))")


def grid(expected: Sequence[object], actual: Sequence[object], config: Fuzzy) -> NDArray[np.float64]:
    """Similarity of every expected with every actual value."""
    return prepare_grid(expected, actual, config)(slice(None), slice(None))


def prepare_grid(expected: Sequence[object], actual: Sequence[object], config: Fuzzy) -> PartialGrid:
    """The grid of any part of two columns."""
    (expected_texts, expected_kinds), (actual_texts, actual_kinds) = _read_texts(expected, config), _read_texts(actual, config)
    are_all_texts = expected_kinds is None and actual_kinds is None
    expected_codes = _kind_codes(expected_kinds, len(expected), unequal=-1)
    actual_codes = _kind_codes(actual_kinds, len(actual), unequal=-2)

    def compute_grid(rows: slice, columns: slice) -> NDArray[np.float64]:
        texts = expected_texts[rows], actual_texts[columns]
        similarity = text_similarity_grid(*texts, config.algorithm)
        if not are_all_texts:
            similarity[np.not_equal.outer(expected_codes[rows], actual_codes[columns])] = _INCOMPARABLE
        if config.score == "binary":
            passed = reaches_threshold(similarity, config.threshold)
            if config.digits == "equal":
                for row, column in np.argwhere(passed).tolist():
                    passed[row, column] = _have_equal_digits(texts[0][row], texts[1][column], config.algorithm)
            return passed.astype(np.float64)
        return np.fmax(similarity, 0.0)  # NaN becomes 0 as well

    return compute_grid


def _decide_stored(stored: Measurements, config: Fuzzy) -> NDArray[np.bool_]:
    """Whether stored similarities reach the threshold; what is at an infinite distance (another kind, other digits) never does."""
    return reaches_threshold(stored.similarity, config.threshold) & ~np.isposinf(stored.distance)


def _find_obstacle(old: Fuzzy, _: Fuzzy) -> str | None:
    """A run with `score: binary` stores 0 and 1, not the similarity."""
    return "with `score: binary` the run stores 0 or 1 and no similarity" if old.score == "binary" else None


def _kind_codes(kinds: Sequence[str | None] | None, count: int, unequal: int) -> NDArray[np.int8]:
    """A number for the kind of each value; values with a NaN get a number that the other side does not have."""
    if kinds is None:
        return np.full(count, _KINDS.index("string"), dtype=np.int8)
    return np.array([unequal if kind is None else _KINDS.index(kind) for kind in kinds], dtype=np.int8)


@matcher(
    grid=grid,
    prepare_grid=prepare_grid,
    stored_decision=StoredDecision(options=("threshold",), decide=_decide_stored, by="similarity", obstacle=_find_obstacle),
    examples=[
        Example(expected="Acme Corp", actual="ACME CORP", options={"threshold": 0.85}, score=1),
        Example(expected="Acme Corp", actual="Acme Corp.", options={"threshold": 0.85}, score=0.9),
        Example(expected="Smith-Jones, A.", actual="smith jones a", options={"normalize": "alnum"}, score=1),
        Example(expected="Acme Corp", actual="Apex", options={"threshold": 0.85}, score=0.22),
    ],
)
def fuzzy(pairs: Pairs, config: Fuzzy) -> Scores:
    """Similarity of two texts; other values by their JSON text, values of different kinds 0."""
    if config.algorithm == "llm":
        return _score_by_model(pairs, config)
    (expected, expected_kinds), (actual, actual_kinds) = _read_texts(pairs.expected, config), _read_texts(pairs.actual, config)
    similarity = text_similarities(expected, actual, config.algorithm)
    notes, faults = _describe_long_pairs(expected, actual, config.algorithm)
    if expected_kinds or actual_kinds:
        kinds = zip(expected_kinds or ["string"] * len(pairs), actual_kinds or ["string"] * len(pairs), strict=True)
        similarity[[row for row, (left, right) in enumerate(kinds) if left != right or left is None]] = _INCOMPARABLE
    passed = reaches_threshold(np.nan_to_num(similarity, nan=_INCOMPARABLE), config.threshold)
    is_incomparable = similarity < 0.0
    similarity[is_incomparable] = 0.0
    if config.digits == "equal":
        for row in np.flatnonzero(similarity < 1.0).tolist():
            if not _have_equal_digits(expected[row], actual[row], config.algorithm):
                passed[row], is_incomparable[row] = False, True
                notes.setdefault(row, "the digits differ")
    value = np.where(np.isnan(similarity), np.nan, passed) if config.score == "binary" else similarity
    distance = np.where(is_incomparable, np.inf, np.nan) if is_incomparable.any() else None
    return Scores.of(value, passed=passed, notes=notes, faults=faults, distance=distance)


def _have_equal_digits(expected: str, actual: str, algorithm: str) -> bool:
    """True if two texts have the same digits; in any order where the algorithm ignores the order of words.

    >>> _have_equal_digits("1,250 units, Apt 3", "1250 units apt. 3", "levenshtein")
    True
    >>> _have_equal_digits("12 Main St", "21 Main St", "levenshtein"), _have_equal_digits("12.5 mg", "125 mg", "levenshtein")
    (False, False)
    """
    expected_runs, actual_runs = ([*map(_mark_decimals, _DIGITS.findall(_GROUPING.sub("", text)))] for text in (expected, actual))
    if algorithm in ("token_sort", "token_set"):
        return sorted(expected_runs) == sorted(actual_runs)
    return "".join(expected_runs) == "".join(actual_runs)


def _mark_decimals(digits: str) -> str:
    """`12.5` for `12,5`; `03042025` for `03.04.2025`, where the points do not mark decimals."""
    parts = digits.replace(",", ".").split(".")
    return ".".join(parts) if len(parts) == 2 else "".join(parts)


def _describe_long_pairs(expected: Sequence[str], actual: Sequence[str], algorithm: str) -> tuple[dict[int, str], dict[int, Diagnostic]]:
    """Notes on pairs that were compared in blocks, and faults of pairs that the algorithm does not compare."""
    notes: dict[int, str] = {}
    faults: dict[int, Diagnostic] = {}
    if max(map(len, expected), default=0) * max(map(len, actual), default=0) <= MAX_EXACT_CELLS:
        return notes, faults
    for row, (expected_text, actual_text) in enumerate(zip(expected, actual, strict=True)):
        if not exceeds_exact_limit(expected_text, actual_text):
            continue
        if is_compared_in_blocks(algorithm):
            notes[row] = f"long texts, compared in blocks of {BLOCK_LENGTH:,} characters: the similarity is at least this"
        else:
            what = f"`{algorithm}` does not compare texts of {len(expected_text):,} and {len(actual_text):,} characters"
            fix = "use levenshtein or token_sort, which compare long texts in blocks"
            faults[row] = Diagnostic(code="text-too-long", what=what, fix=fix)
    return notes, faults


def _score_by_model(pairs: Pairs, config: Fuzzy) -> Scores:
    """Ask a model about the pairs that are neither equal nor of different kinds."""
    by_letters = fuzzy(pairs, replace(config, algorithm="levenshtein", threshold=0.0, score="graded"))
    as_written = replace(config, normalize=False)
    texts = list(zip(_read_texts(pairs.expected, as_written)[0], _read_texts(pairs.actual, as_written)[0], strict=True))
    undecided = np.flatnonzero(by_letters.passed & (by_letters.value < 1.0)).tolist()
    rows = [row for row in undecided if all(texts[row])]
    answers = ask_similarities("fuzzy", [texts[row] for row in rows], config.model, pairs.services)
    value = by_letters.value.copy()
    value[rows] = answers.value
    passed = by_letters.passed & reaches_threshold(np.nan_to_num(value, nan=-1.0), config.threshold)
    graded = np.where(np.isnan(value), np.nan, passed) if config.score == "binary" else value
    notes = {rows[position]: reason for position, reason in answers.notes.items()}
    faults = {rows[position]: fault for position, fault in answers.faults.items()}
    return Scores.of(graded, passed=passed, notes=notes, faults=faults, distance=by_letters.distance)


def _keep_alphanumeric(text: str) -> str:
    """The letters and digits of a text; the text itself if it has none, so that `...` and `!!!` differ."""
    return alphanumeric_key(text) or fold_text(text)


def _read_texts(values: Sequence[Any], config: Fuzzy) -> tuple[list[str], list[str | None] | None]:
    """The text and the kind of each value: kinds are None if all values are text, and the kind of a value with a NaN is None."""
    normalize = to_nfc
    if config.normalize:
        normalize = _keep_alphanumeric if config.normalize == "alnum" else fold_text
    types = set(map(type, values))
    if types == {str}:
        if config.normalize is True:
            return fold_text_batch(values), None
        distinct = set(values)
        if 2 * len(distinct) > len(values):
            return [normalize(value) for value in values], None
        text_by_value = {value: normalize(value) for value in distinct}  # list alignment passes the same texts many times
        return [text_by_value[value] for value in values], None
    if types <= _TEXT_OR_ABSENT and config.normalize is True:
        texts = fold_text_batch([value if value.__class__ is str else "" for value in values])
        return texts, ["string" if value.__class__ is str else "absent" for value in values]
    texts: list[str] = []
    kinds: list[str | None] = []
    for value in values:
        kind = "absent" if is_absent(value) else json_kind(value)
        text = to_nfc(value) if kind == "string" else canonical_json(value)
        texts.append("" if text is None or kind == "absent" else normalize(text))
        kinds.append(None if text is None else kind)
    return texts, kinds
