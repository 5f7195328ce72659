"""Keywords of many expected texts at once: what `Vocabulary.wanted` says of each."""

from collections.abc import Sequence
from itertools import islice
from typing import Final, NamedTuple

import numpy as np

from fieldwise.kernels.hash_lookup import Numbered
from fieldwise.kernels.keywords import Vocabulary, words_in
from fieldwise.kernels.names import Names
from fieldwise.kernels.phrases import phrases
from fieldwise.kernels.ragged import Codes, Column, Integers, Learned, Ragged
from fieldwise.kernels.tokens import Cut, Lexicon, portions, put_together

_SHIFT: Final = 32
_CORE: Final = (1 << _SHIFT) - 1


class Wanted(NamedTuple):
    """Expected texts that were read: position i of a column is text i."""

    phrases: Ragged
    atoms: Ragged
    """Its keywords, in order, perhaps more than once."""
    words: Column
    plain: bool = True
    """Whether their tokens are simply what stands between spaces."""


class ExpectedTexts:
    """Reads expected texts."""

    def __init__(self, known: Vocabulary, lexicon: Lexicon, names: Names) -> None:
        self._known, self._lexicon, self._names = known, lexicon, names
        self._shapes = Learned(lambda tokens: [ord(known.shape_of(lexicon.words[token])) for token in tokens])
        self._core_codes, self._core_texts = Codes[str](), list[str]()
        self._cores = Learned(self._learn_cores)
        self._paths = Numbered()
        """Sequences of cores: the number of one and the next core, behind each other, have a number again."""
        self._phrases = Learned(lambda paths: [self._phrase(path) for path in paths])

    def read(self, texts: Sequence[str]) -> Wanted:
        """The keywords of some texts. Where preparing alters one, it and those around it are read one by one."""
        wanted, all_plain = Wanted(Ragged(), Ragged(), Column()), True
        for part in portions(texts):
            some = texts[part]
            together = put_together(some)
            cut = self._lexicon.cut(together, lines=True)
            plain = together.ascii_only and not cut.opened and self._known.locale != "fr"
            if not together.altered and (plain or all(self._known.prepared(text) == text for text in some)):
                self._read(some, cut, wanted)
            else:
                for text in some:
                    self._read_alone(text, wanted)
            wanted.words.extend(cut.words if plain else [words_in(text) for text in some])
            all_plain = all_plain and plain
        return wanted._replace(plain=all_plain)

    def _read_alone(self, text: str, wanted: Wanted) -> None:
        read = self._known.wanted(text)
        phrases = [self._names.phrase(*pair) for pair in zip(read.phrases, read.spoken, strict=True)]
        atoms = [self._names[atom] for atom in read.atoms]
        wanted.phrases.extend(np.array(phrases, dtype=np.int64), np.array([len(phrases)]))
        wanted.atoms.extend(np.array(atoms, dtype=np.int64), np.array([len(atoms)]))

    def _read(self, texts: Sequence[str], cut: Cut, wanted: Wanted) -> None:
        rows = cut.rows
        atoms, count = self._names.wanted(cut.tokens)
        phrases, of_phrases = self._phrases_of(texts, cut, rows)
        wanted.phrases.extend(phrases, np.bincount(of_phrases, minlength=len(texts)))
        wanted.atoms.extend(atoms, np.add.reduceat(count, np.concatenate([[0], cut.ends[:-1] + 1])))

    def _phrases_of(self, texts: Sequence[str], cut: Cut, row: Integers) -> tuple[Integers, Integers]:
        """The phrases, and in which text they are."""
        shouted = np.fromiter(map(str.isupper, texts), dtype=np.bool_, count=len(texts))
        letters = self._shapes.of(cut.tokens).astype(np.uint8)
        starts, lengths = phrases(letters, cut.lines, every=~shouted[row] if shouted.any() else None)
        paths = np.zeros(len(starts), dtype=np.int64)
        for step in range(int(lengths.max(initial=0))):
            some = np.flatnonzero(lengths > step)
            cores = self._cores.of(cut.tokens.take(starts[some] + step))
            paths[some] = self._paths.of(paths[some] << _SHIFT | cores)
        found = self._phrases.of(paths)
        if found.all():
            return found, row.take(starts)
        some = np.flatnonzero(found)
        return found[some], row.take(starts[some])

    def _learn_cores(self, tokens: Sequence[int]) -> list[int]:
        codes = [self._core_codes[self._known.core_of(self._lexicon.words[token])] for token in tokens]
        self._core_texts += islice(self._core_codes, len(self._core_texts), None)
        return codes

    def _phrase(self, path: int) -> int:
        """The phrase that a sequence is, 0 if there is nothing to look up."""
        cores = list[str]()
        while path:
            key = self._paths.met[path - 1]
            cores.append(self._core_texts[key & _CORE])
            path = key >> _SHIFT
        text = " ".join(cores[::-1])
        run = self._known.run_of(text)
        return self._names.phrase(text, run) if run else 0
