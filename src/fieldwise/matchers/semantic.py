"""Text that means the same, by an embedding model that ships with fieldwise, and guards for what such a model overlooks.

>>> found = semantic(Pairs(["The term is 24 months", "Revenue rose 5 %"], ["It runs for two years", "Revenue fell 15 %"]), Semantic())
>>> found.passed.tolist(), dict(found.notes)
([True, False], {1: 'numbers differ: 5 % / 15 %; opposites: rose / fell'})
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Annotated, Final, Literal

import numpy as np
from annotated_types import Interval
from numpy.typing import NDArray

from fieldwise.kernels.meaning.calibration import Curve
from fieldwise.kernels.meaning.guards import Difference, Reading, differences, read, swapped_word
from fieldwise.kernels.meaning.wordpiece import words
from fieldwise.kernels.strings import fold, reaches, similarities
from fieldwise.kernels.values import canonical, nfc
from fieldwise.matchers._asked import likeness
from fieldwise.matchers._keys import non_finite_notes
from fieldwise.model.ask import ANY_ENDPOINT, Endpoint
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.rule import Match
from fieldwise.model.values import kind
from fieldwise.ports import Embed, Vectors, embedder
from fieldwise.registry import matcher

PUBLISHED: Final = ((0.0, 0.0), (0.426, 0.8), (1.0, 1.0))
"""From raw similarity to score, fitted on half of the labelled pairs; `docs/semantic.md` shows how well it does on the other half."""
GUARDED_FROM: Final = 0.25
"""Texts less alike than this are different anyway; the guards do not look at them."""
SYNONYMS_FROM: Final = 0.7
"""Two single words this much alike may stand for each other."""
BY_LETTERS: Final = "compared letter by letter, as the model cannot tell such texts apart"
PAIRS_AT_ONCE: Final = 4096
"""So that memory stays flat, however large the batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Semantic:
    """How much likeness of meaning is enough."""

    threshold: Annotated[float, Interval(ge=0, le=1)] = 0.80
    """Enough, inclusive. The score is calibrated so that 0.80 is the best cut on the labelled pairs."""
    by: Literal["embedding", "llm"] = "embedding"
    """`embedding` is a model on this machine: no network, no key. `llm` asks a model endpoint, though items of lists find their
    counterparts by `fuzzy`."""
    score: Literal["graded", "binary"] = "graded"
    """`graded` is the likeness, below the threshold too; `binary` is 1 at the threshold, else 0."""
    calibration: tuple[tuple[float, float], ...] = PUBLISHED
    """Points (raw similarity, score) of the line that turns one into the other; `fieldwise calibrate` finds those of your pairs."""

    model: Endpoint = ANY_ENDPOINT
    """The model that `llm` asks."""

    def __post_init__(self) -> None:
        Curve(self.calibration)

    def for_lists(self) -> Match:
        """How items of lists find their counterparts: asking a model about each pair would cost too much."""
        return Match("fuzzy") if self.by == "llm" else Match("semantic", self)


@matcher
def semantic(pairs: Pairs, config: Semantic) -> Scores:
    """How alike two texts are in meaning; other values by their JSON text, values of different kinds not at all."""
    value = np.zeros(len(pairs))
    notes, faults = dict[int, str](), dict[int, Diagnostic]()
    asked: dict[tuple[str, str], list[int]] = {}
    apart: list[int] = []
    for row, (one, other) in enumerate(zip(map(_text, pairs.expected), map(_text, pairs.actual), strict=True)):
        if one is None or other is None or one[0] != other[0]:
            apart.append(row)
        elif fold(one[1]) == fold(other[1]):
            value[row] = 1.0
        elif one[1] and other[1]:
            asked.setdefault((one[1], other[1]), []).append(row)
    notes.update(non_finite_notes(pairs.expected, pairs.actual, apart))
    embed = embedder() if asked and config.by == "embedding" else None
    if asked and config.by == "llm":
        said = likeness("semantic", list(asked), config.model)
        for at, rows in enumerate(asked.values()):
            value[rows] = said.value[at]
            notes |= dict.fromkeys(rows, said.notes[at]) if at in said.notes else {}
            faults |= dict.fromkeys(rows, said.faults[at]) if at in said.faults else {}
    elif isinstance(embed, Diagnostic):
        faults = {row: embed for rows in asked.values() for row in rows}
        value[list(faults)] = np.nan
    elif embed is not None:
        curve = Curve(config.calibration)
        for pair, raw, note in _compared(list(asked), embed):
            value[asked[pair]] = curve(raw)
            notes |= dict.fromkeys(asked[pair], note) if note else {}
    passed = reaches(np.nan_to_num(value, nan=-1.0), config.threshold)
    graded = np.where(np.isnan(value), np.nan, passed) if config.score == "binary" else value
    return Scores.of(graded, passed=passed, notes=notes, faults=faults)


def _text(value: object) -> tuple[str, str] | None:
    """The kind of a value and its text without outer whitespace; None for what is like nothing, such as NaN."""
    family = kind(value)
    text = nfc(str(value)) if family == "string" else canonical(value)
    return None if text is None else (family, text.strip())


def _compared(pairs: Sequence[tuple[str, str]], embed: Embed) -> Iterator[tuple[tuple[str, str], float, str]]:
    """Each pair with its raw similarity in [0, 1] and what a person should know about it."""
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        part = pairs[start : start + PAIRS_AT_ONCE]
        expected, actual = embed([one for one, _ in part]), embed([other for _, other in part])
        raw = _cosine(expected.value, actual.value)
        spelled = _spelled(part, expected, actual)
        raw[list(spelled)] = list(spelled.values())
        close = [row for row in range(len(part)) if raw[row] >= GUARDED_FROM]
        found = _guarded([part[row] for row in close], embed)
        by_row = dict(zip(close, found, strict=True))
        for row, pair in enumerate(part):
            seen, unread = (1.0, BY_LETTERS) if row in spelled else _read_share(pair, row, expected, actual)
            reasons = [*map(str, by_row.get(row, ())), *([unread] if unread else [])]
            yield pair, float(raw[row]) * seen * prod(reason.factor for reason in by_row.get(row, ())), "; ".join(reasons)


def _cosine(expected: NDArray[np.float32], actual: NDArray[np.float32]) -> NDArray[np.float64]:
    """The cosine of unit vectors, row by row, where nothing alike is 0."""
    product = expected.astype(np.float64) * actual
    return np.clip(np.asarray(np.sum(product, axis=1)), 0.0, 1.0)


def _spelled(pairs: Sequence[tuple[str, str]], expected: Vectors, actual: Vectors) -> dict[int, float]:
    """The pairs whose letters are compared instead, with that likeness as the published map takes it for a raw similarity."""
    rows = sorted(expected.spelled() | actual.spelled())
    alike = similarities([fold(pairs[row][0]) for row in rows], [fold(pairs[row][1]) for row in rows], "levenshtein")
    raw, score = zip(*PUBLISHED, strict=True)
    return dict(zip(rows, np.interp(alike, score, raw).tolist(), strict=True))


def _guarded(pairs: Sequence[tuple[str, str]], embed: Embed) -> list[tuple[Difference, ...]]:
    """What the model overlooked in each pair."""
    readings = {text: read(text) for pair in pairs for text in pair}
    found = [differences(readings[one], readings[other]) for one, other in pairs]
    swapped = {row: word for row, pair in enumerate(pairs) if not found[row] and (word := _swapped(pair, readings))}
    if swapped:
        one, other = embed([pair[0] for pair in swapped.values()]), embed([pair[1] for pair in swapped.values()])
        for (row, pair), alike in zip(swapped.items(), _cosine(one.value, other.value), strict=True):
            if alike < SYNONYMS_FROM:
                found[row] = (Difference("word", f"one word differs: {pair[0]} / {pair[1]}"),)
    return found


def _swapped(pair: tuple[str, str], readings: Mapping[str, Reading]) -> tuple[str, str] | None:
    return swapped_word(readings[pair[0]], readings[pair[1]])


def _read_share(pair: tuple[str, str], row: int, expected: Vectors, actual: Vectors) -> tuple[float, str]:
    """What is left of the similarity where the model has no sign for some words: those count by whether the other side has them too."""
    here, there = set(expected.unread.get(row, ())), set(actual.unread.get(row, ()))
    if not here and not there:
        return 1.0, ""
    share = max(len(unread) / len(set(words(text))) for unread, text in zip((here, there), pair, strict=True) if unread)
    common = 2 * len(here & there) / (len(here) + len(there))
    return 1.0 - share * (1.0 - common), f"compared by sign, as the model does not know them: {' '.join(sorted(here | there))[:60]}"
