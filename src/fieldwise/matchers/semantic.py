"""Text with the same meaning, by an embedding model that ships with fieldwise and guards for differences that such models miss.

>>> import fieldwise as fw
>>> expected, actual = ["The term is 24 months", "Revenue rose 5 %"], ["It runs for two years", "Revenue fell 15 %"]
>>> scores = fw.match("semantic", expected=expected, actual=actual)
>>> scores.passed.tolist(), dict(scores.notes)
([True, False], {1: 'numbers differ: 5 % / 15 %; opposites: rose / fell'})
"""

from collections.abc import Iterator, Sequence
from math import prod
from typing import Annotated, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.meaning.calibration import CalibrationCurve
from fieldwise.kernels.meaning.guards import (
    MeaningDifference,
    are_unshared_terms,
    find_differences,
    find_swapped_phrase,
    find_swapped_word,
    read_text,
)
from fieldwise.kernels.meaning.whole_values import compare_whole_values
from fieldwise.kernels.meaning.wordpiece import have_other_signs, split_model_words
from fieldwise.kernels.text_normalize import fold_text
from fieldwise.kernels.text_similarity import reaches_threshold, text_similarities
from fieldwise.kernels.values import canonical_json, to_nfc
from fieldwise.matchers._model_similarity import ModelSimilarities, ask_similarities
from fieldwise.model.ask import DEFAULT_ENDPOINT, Endpoint
from fieldwise.model.bounds import Ge, Le
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.pairs import Measurements, Pairs, Scores
from fieldwise.model.rule import Match
from fieldwise.model.services import Embedder, Services, Vectors
from fieldwise.model.values import json_kind
from fieldwise.registry import matcher
from fieldwise.specs import Example, StoredDecision

PUBLISHED: Final = ((0.0, 0.0), (0.426, 0.8), (1.0, 1.0))
"""Default calibration from raw similarity to score, fitted on half of the labelled pairs; `docs/semantic.md` evaluates it on the other
half."""
_MIN_GUARDED_SIMILARITY: Final = 0.25
"""Texts below this raw similarity differ anyway, so the guards skip them."""
_MIN_SYNONYM_SIMILARITY: Final = 0.7
"""Single words from this raw similarity on may be synonyms."""
_MIN_PHRASE_SIMILARITY: Final = 0.4
"""Phrases of several words from this raw similarity on may say the same in other words."""
_MIN_TERM_SIMILARITY: Final = 0.6
"""Terms and names of one or two words that share none must reach this raw similarity. Of 830 pairs of towns, companies, drugs, fruit and
colours, 16 % passed without it and 1 % pass with it; of 86 pairs of synonyms, 87 % and 63 %."""
_SPELLED_NOTE: Final = "compared letter by letter, as the model cannot tell such texts apart"
_MAX_NAME_WORDS: Final = 5
"""Words of a name or a term; in a longer text one other word says less."""
_MIN_SLIP_SIMILARITY: Final = 0.8
"""Words less alike than this are other words, not misspelt ones."""
_OTHER_ORDER: Final = 0.95
"""Similarity of first and last name to last and first name."""
_CHUNK_SIZE: Final = 4096
"""Pairs embedded at once; keeps memory constant for batches of any size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Semantic:
    """How semantic similarity is measured, and from what similarity on a pair passes."""

    threshold: Annotated[float, Ge(0), Le(1)] = 0.80
    """Similarity from which a pair passes, inclusive. The score is calibrated so that 0.80 is the best cut on the labelled pairs."""
    by: Literal["embedding", "llm"] = "embedding"
    """`embedding` is a model on this machine: no network, no key. `llm` asks a model endpoint (list items are still paired by
    `fuzzy`)."""
    score: Literal["graded", "binary"] = "graded"
    """`graded` is the similarity, also below the threshold; `binary` is 1 from the threshold on, else 0."""
    calibration: tuple[tuple[float, float], ...] = PUBLISHED
    """Points (raw similarity, score) of the line that maps one to the other; `fieldwise calibrate` fits it to your pairs."""

    model: Endpoint = DEFAULT_ENDPOINT
    """The model that `llm` asks."""

    def __post_init__(self) -> None:
        CalibrationCurve(self.calibration)

    def for_lists(self) -> Match:
        """The match that pairs list items: asking a model about each pair would cost too much."""
        return Match("fuzzy") if self.by == "llm" else Match("semantic", self)


def _decide_stored(stored: Measurements, config: Semantic) -> NDArray[np.bool_]:
    """Whether stored similarities reach the threshold."""
    return reaches_threshold(stored.similarity, config.threshold) & ~np.isposinf(stored.distance)


def _find_obstacle(old: Semantic, _: Semantic) -> str | None:
    return "with `score: binary` the run stores 0 or 1 and no similarity" if old.score == "binary" else None


@matcher(
    stored_decision=StoredDecision(options=("threshold",), decide=_decide_stored, by="similarity", obstacle=_find_obstacle),
    examples=[
        Example(expected="The invoice is paid.", actual="The bill has been settled.", score=0.81),
        Example(expected="The invoice is paid.", actual="The invoice is not paid.", score=0.61),
    ],
)
def semantic(pairs: Pairs, config: Semantic) -> Scores:
    """Semantic similarity of two texts; other values by their JSON text, values of different kinds 0."""
    value = np.zeros(len(pairs))
    rows_by_texts: dict[tuple[str, str], list[int]] = {}
    for row, (expected, actual) in enumerate(zip(map(_read_text, pairs.expected), map(_read_text, pairs.actual), strict=True)):
        if expected is None or actual is None or expected[0] != actual[0]:
            continue
        if fold_text(expected[1]) == fold_text(actual[1]):
            value[row] = 1.0
        elif expected[1] and actual[1]:
            rows_by_texts.setdefault((expected[1], actual[1]), []).append(row)
    notes: dict[int, str] = {}
    faults: dict[int, Diagnostic] = {}
    if rows_by_texts:
        score_texts = _score_by_model if config.by == "llm" else _score_by_embedding
        scores = score_texts(list(rows_by_texts), config, pairs.services)
        for position, rows in enumerate(rows_by_texts.values()):
            value[rows] = scores.value[position]
            if position in scores.notes:
                notes |= dict.fromkeys(rows, scores.notes[position])
            if position in scores.faults:
                faults |= dict.fromkeys(rows, scores.faults[position])
    passed = reaches_threshold(np.nan_to_num(value, nan=-1.0), config.threshold)
    graded = np.where(np.isnan(value), np.nan, passed) if config.score == "binary" else value
    return Scores.of(graded, passed=passed, notes=notes, faults=faults)


def _read_text(value: object) -> tuple[str, str] | None:
    """The kind of a value and its text without outer whitespace; None for a value with a NaN."""
    family = json_kind(value)
    text = to_nfc(str(value)) if family == "string" else canonical_json(value)
    return None if text is None else (family, text.strip())


def _score_by_model(texts: Sequence[tuple[str, str]], config: Semantic, services: Services) -> ModelSimilarities:
    return ask_similarities("semantic", texts, config.model, services)


def _score_by_embedding(texts: Sequence[tuple[str, str]], config: Semantic, services: Services) -> ModelSimilarities:
    curve = CalibrationCurve(config.calibration)
    value = np.zeros(len(texts))
    notes: dict[int, str] = {}
    worded: list[int] = []
    for position, (expected, actual) in enumerate(texts):
        verdict = compare_whole_values(expected, actual)
        if verdict is None:
            worded.append(position)
            continue
        value[position] = float(verdict.same)
        if verdict.what:
            notes[position] = verdict.what
    if not worded:
        return ModelSimilarities(value, notes, {})
    embed = services.load_embedder()
    if isinstance(embed, Diagnostic):
        value[worded] = np.nan
        return ModelSimilarities(value, notes, dict.fromkeys(worded, embed))
    for position, (raw, note) in zip(worded, _compare_by_embedding([texts[position] for position in worded], embed), strict=True):
        value[position] = curve(raw)
        if note:
            notes[position] = note
    return ModelSimilarities(value, notes, {})


def _compare_by_embedding(texts: Sequence[tuple[str, str]], embed: Embedder) -> Iterator[tuple[float, str]]:
    """The raw similarity of each pair in [0, 1], and a note on what lowered it."""
    for start in range(0, len(texts), _CHUNK_SIZE):
        chunk = texts[start : start + _CHUNK_SIZE]
        expected, actual = embed([left for left, _ in chunk]), embed([right for _, right in chunk])
        raw = _cosine_similarities(expected.value, actual.value)
        spelled = _compare_spelled(chunk, expected, actual)
        raw[list(spelled)] = list(spelled.values())
        guarded = [row for row in range(len(chunk)) if raw[row] >= _MIN_GUARDED_SIMILARITY]
        missed = _find_missed_differences([chunk[row] for row in guarded], raw[guarded], embed)
        differences_by_row = dict(zip(guarded, missed, strict=True))
        for row, pair in enumerate(chunk):
            factor, vocabulary_note = (1.0, _SPELLED_NOTE) if row in spelled else _discount_unread_words(pair, row, expected, actual)
            differences = differences_by_row.get(row, ())
            notes = [str(difference) for difference in differences]
            if vocabulary_note:
                notes.append(vocabulary_note)
            yield float(raw[row]) * factor * prod(difference.factor for difference in differences), "; ".join(notes)


def _cosine_similarities(expected: NDArray[np.float32], actual: NDArray[np.float32]) -> NDArray[np.float64]:
    """The cosine of unit vectors, row by row; negative values become 0."""
    product = expected.astype(np.float64) * actual
    return np.clip(np.asarray(np.sum(product, axis=1)), 0.0, 1.0)


def _compare_spelled(texts: Sequence[tuple[str, str]], expected: Vectors, actual: Vectors) -> dict[int, float]:
    """By row, the pairs that the model spells letter by letter: their edit similarity as a raw similarity.

    The published calibration is inverted, so that the score of such a pair is its edit similarity.
    """
    rows = sorted(expected.spelled() | actual.spelled() | {row for row, pair in enumerate(texts) if have_other_signs(*pair)})
    folded = [(fold_text(texts[row][0]), fold_text(texts[row][1])) for row in rows]
    similarities = text_similarities([left for left, _ in folded], [right for _, right in folded], "levenshtein")
    limited = [_limit_by_words(*pair, similarity) for pair, similarity in zip(folded, similarities.tolist(), strict=True)]
    raw, score = zip(*PUBLISHED, strict=True)
    return dict(zip(rows, np.interp(limited, score, raw).tolist(), strict=True))


def _limit_by_words(expected: str, actual: str, similarity: float) -> float:
    """The similarity of two texts, or that of their least similar words if these differ: a name is another one if one of its words is.

    Two words in the other order are the same name.
    """
    left, right = expected.split(), actual.split()
    if not 2 <= len(left) == len(right) <= _MAX_NAME_WORDS:
        return similarity
    if len(left) == 2 and left == right[::-1]:
        return _OTHER_ORDER
    words = [pair for pair in zip(left, right, strict=True) if not any(map(str.isdigit, "".join(pair)))]  # numbers have a guard
    similarities = text_similarities([word for word, _ in words], [word for _, word in words], "levenshtein")
    least = min(similarities.tolist(), default=1.0)
    return similarity if least >= _MIN_SLIP_SIMILARITY else min(similarity, least)


def _find_missed_differences(
    texts: Sequence[tuple[str, str]], raw: NDArray[np.float64], embed: Embedder
) -> list[tuple[MeaningDifference, ...]]:
    """Differences in meaning that an embedding misses: numbers, negations, opposites, a single other word, another thing of one kind."""
    readings = {text: read_text(text) for pair in texts for text in pair}
    differences = [find_differences(readings[expected], readings[actual]) for expected, actual in texts]
    swapped: dict[int, tuple[str, str, float]] = {}
    for row, (expected, actual) in enumerate(texts):
        if differences[row]:
            continue
        left, right = readings[expected], readings[actual]
        if words := find_swapped_word(left, right):
            swapped[row] = (*words, _MIN_SYNONYM_SIMILARITY)
        elif phrases := find_swapped_phrase(left, right):
            swapped[row] = (*phrases, _MIN_PHRASE_SIMILARITY)
        elif raw[row] < _MIN_TERM_SIMILARITY and are_unshared_terms(left, right):
            differences[row] = (MeaningDifference("word", f"other terms: {expected} / {actual}"),)
    if swapped:
        expected_words = embed([expected for expected, _, _ in swapped.values()])
        actual_words = embed([actual for _, actual, _ in swapped.values()])
        similarities = _cosine_similarities(expected_words.value, actual_words.value)
        for (row, (expected, actual, least)), similarity in zip(swapped.items(), similarities, strict=True):
            if similarity < least:
                noun = "phrase" if least == _MIN_PHRASE_SIMILARITY else "word"
                differences[row] = (MeaningDifference("word", f"one {noun} differs: {expected} / {actual}"),)
    return differences


def _discount_unread_words(pair: tuple[str, str], row: int, expected: Vectors, actual: Vectors) -> tuple[float, str]:
    """A factor and a note for words outside the model's vocabulary: they count by whether the other side has them too."""
    expected_unread, actual_unread = set(expected.unread.get(row, ())), set(actual.unread.get(row, ()))
    if not expected_unread and not actual_unread:
        return 1.0, ""
    sides = zip((expected_unread, actual_unread), pair, strict=True)
    unread_share = max(len(unread) / len(set(split_model_words(text))) for unread, text in sides if unread)
    common = 2 * len(expected_unread & actual_unread) / (len(expected_unread) + len(actual_unread))
    words = " ".join(sorted(expected_unread | actual_unread))
    return 1.0 - unread_share * (1.0 - common), f"compared by sign, as the model does not know them: {words[:60]}"
