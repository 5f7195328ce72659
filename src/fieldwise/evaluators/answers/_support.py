"""Where in the sources a sentence of an answer has its support: by shared words, with guards for numbers, names and negation."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from fieldwise.kernels.keywords import vocabulary
from fieldwise.kernels.numbers_in_text import Locale
from fieldwise.kernels.sentences import denies, sentences

_COMMON: Final = 500
"""A word leads to so many sentences at most, the first ones: more would make long texts cost their square."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What the sources say to one sentence."""

    sentence: str
    share: float
    """Which part of its words the best passage of the sources has."""
    source: int | None
    passage: str
    numbers: tuple[str, ...]
    lost_numbers: tuple[str, ...]
    """Those that stand in no source."""
    names: tuple[str, ...]
    lost_names: tuple[str, ...]
    contradicts: bool
    """The sentence denies where its best passage affirms, or the reverse."""


@dataclass(frozen=True, slots=True)
class _Passage:
    text: str
    source: int
    atoms: frozenset[str]
    denied: bool

    halves: "tuple[_Passage, ...]" = ()
    """The two sentences it consists of, if it is not one."""

    def shared(self, atoms: Iterable[str]) -> int:
        return len(self.atoms.intersection(atoms))

    def agrees(self, atoms: Iterable[str], denied: bool) -> bool:
        """Whether a sentence in it that speaks of these words denies like `denied`."""
        return any(half.denied == denied for half in self.halves or (self,) if half.shared(atoms))


class Sources:
    """The texts an answer may rest on, indexed by word."""

    def __init__(self, texts: Sequence[str], locale: Locale) -> None:
        self.texts = texts
        self._known = vocabulary(locale)
        self._spoken = [self._known.spoken(text) for text in texts]
        self._parts = {part for text in self._spoken for part in text.split()}
        self._atoms = {atom for text in texts for atom in self._known.heard(text).atoms}
        self._passages = list(_passages(texts, locale))
        self._index: dict[str, list[int]] = {}
        for at, passage in enumerate(self._passages):
            for atom in passage.atoms:
                self._index.setdefault(atom, []).append(at)

    def support(self, sentence: str) -> Support | None:
        """The best support of a sentence; None if it has nothing that could be supported, such as "Yes."."""
        wanted = self._known.wanted(sentence)
        if not wanted.atoms:
            return None
        denied = denies(sentence)
        best, share = self._best(wanted.atoms, denied)
        return Support(
            sentence=sentence,
            share=share,
            source=best.source if best else None,
            passage=best.text if best else "",
            numbers=wanted.numbers,
            lost_numbers=tuple(number for number in wanted.numbers if number not in self._atoms),
            names=wanted.phrases,
            lost_names=tuple(name for name, run in zip(wanted.phrases, wanted.spoken, strict=True) if not self._stands(run)),
            contradicts=best is not None and not best.agrees(wanted.atoms, denied),
        )

    def has_text(self, text: str) -> bool:
        """Whether a text stands in some source as whole words, whatever its case and punctuation."""
        return self._stands(self._known.spoken(text))

    def has_number(self, value: str) -> bool:
        """Whether a number stands in some source, by value."""
        return value in self._atoms

    def _stands(self, run: str) -> bool:
        return all(part in self._parts for part in run.split()) and any(run in text for text in self._spoken)

    def _best(self, atoms: Sequence[str], denied: bool) -> tuple[_Passage | None, float]:
        """The passage with most of the words; of equal ones the shortest, then the one that agrees in affirming or denying."""
        votes = Counter(at for atom in atoms for at in self._index.get(atom, ())[:_COMMON])
        if not votes:
            return None, 0.0
        top = max(votes.values())
        passages = (self._passages[at] for at, count in votes.items() if count == top)
        best = max(passages, key=lambda passage: (passage.shared(atoms), -len(passage.atoms), passage.denied == denied))
        return best, best.shared(atoms) / len(atoms)


def _passages(texts: Sequence[str], locale: Locale) -> Iterable[_Passage]:
    """Every sentence, and every two that follow each other."""
    known = vocabulary(locale)
    for source, text in enumerate(texts):
        before: _Passage | None = None
        for sentence in dict.fromkeys(sentences(text)):
            passage = _Passage(sentence, source, frozenset(known.heard(sentence).atoms), denies(sentence))
            yield passage
            if before is not None:
                yield _Passage(f"{before.text} {sentence}", source, before.atoms | passage.atoms, False, (before, passage))
            before = passage
