"""Words, numbers and phrases by number, and which of them tokens have: what `Vocabulary` says of each token, for many at once."""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.keywords import PART, WORD, Vocabulary, fold
from fieldwise.kernels.numbers_in_text import figures_in_token
from fieldwise.kernels.ragged import Grown, Integers, Learned, Ragged, offsets, spread
from fieldwise.kernels.stopwords import STOPWORDS
from fieldwise.kernels.subsequence_search import Runs
from fieldwise.kernels.tokens import Cut, Lexicon

_END: Final = "\n"
"""Behind each token where many are read at once; no token has it. And before a phrase, so that it is not a word written alike."""
_WORDS, _PARTS = (re.compile(f"{pattern.pattern}|{_END}") for pattern in (WORD, PART))


_TEXT_END: Final = 1
_MANY: Final = 1 << 30
_HALF: Final = 32
"""The part that ends a text; from which on a number stands for several parts; by how much the second of two is moved."""


class _Parts(dict[str, int]):
    """Numbers from 2 for the parts that phrases are made of. 0 stands for the end of a token, and 1 is no part."""

    def __init__(self) -> None:
        super().__init__({_END: 0})
        self._count = _TEXT_END

    def __missing__(self, part: str) -> int:
        shorter = part.lstrip("0") or "0" if part[0] == "0" and part.isdigit() else part
        if shorter != part:
            self[part] = self[shorter]
        else:
            self._count += 1
            self[part] = self._count
        return self[part]


class _Words(dict[str, int]):
    """The names of words, 0 for those that say nothing by themselves, -1 for the end of a token."""

    def __init__(self, names: "Names") -> None:
        super().__init__({_END: -1})
        self._names = names

    def __missing__(self, word: str) -> int:
        self[word] = name = 0 if word in STOPWORDS else self._names[word]
        return name


class Names(dict[str, int]):
    """Numbers for words, numbers and phrases as they are met. 0 stands for nothing."""

    def __init__(self, known: Vocabulary, lexicon: Lexicon) -> None:
        super().__init__({"": 0})
        self._known, self._lexicon = known, lexicon
        self.texts = [""]
        """By number."""
        self._things, self._numbers = Grown(), Grown(np.bool_)
        self._things.add(0)
        self._numbers.add(False)
        self._words, self._parts, self._runs = _Words(self), _Parts(), Runs()
        self._atoms, self._coded = Ragged(), Ragged()
        """Words and numbers of tokens; and numbers in codes, which only an answer has."""
        self._rows, self._first = Learned(self._learn_atoms), Learned(self._learn_first)
        """By token: where its atoms are; the first of them, with what else there is in the last bit."""
        self._two_parts, self._more_parts = Learned(self._learn_parts), Ragged()

    def __missing__(self, text: str) -> int:
        return self._add(text, text, len(self), number=text[-1].isdecimal())

    def _add(self, key: str, text: str, thing: int, *, number: bool) -> int:
        self[key] = code = len(self)
        self.texts.append(text)
        self._things.add(thing)
        self._numbers.add(number)
        return code

    @property
    def thing(self) -> Integers:
        """By number, what is looked for, which several phrases may have in common."""
        return self._things.value

    @property
    def is_number(self) -> NDArray[np.bool_]:
        """By number, whether it is one in a text."""
        return self._numbers.value

    def phrase(self, text: str, run: str) -> int:
        """The number of a phrase that is looked for as `run`, which has a space at both ends."""
        code = self.get(_END + text)
        if code is not None:
            return code
        thing = self.get(run)
        if thing is None:
            thing = self._add(run, run, len(self), number=False)
            self._runs.add([self._parts[part] for part in run.split()], thing)
        return self._add(_END + text, text, thing, number=False)

    def wanted(self, tokens: Integers) -> tuple[Integers, Integers]:
        """The words and numbers of tokens in expected texts, in order, and how many a token has."""
        rows = self._rows.of(tokens)
        return self._atoms.of(rows), self._atoms.lengths(rows)

    def heard(self, cut: Cut) -> tuple[Integers, Integers]:
        """What is in answers, in no order: for each word, number or run of a phrase the answer it is in, and what it is."""
        rows, first = cut.rows, self._first.of(cut.tokens)
        some = np.flatnonzero(first != 0)
        first = first.take(some)
        more = some[np.flatnonzero((first & 1) != 0)]
        places = self._rows.of(cut.tokens[more])
        phrase_rows, phrases = self._phrases_in(cut.tokens)
        atoms = (self._atoms, self._coded)
        return (
            np.concatenate([rows.take(some), *(np.repeat(rows[more], one.lengths(places)) for one in atoms), phrase_rows]),
            np.concatenate([first >> 1, *(one.of(places) for one in atoms), phrases]),
        )

    def _phrases_in(self, tokens: Integers) -> tuple[Integers, Integers]:
        parts = self._parts_of(tokens)
        found = list(self._runs.found(parts))
        at, names = (np.concatenate([tokens[:0], *column]) for column in (zip(*found, strict=True) if found else ((), ())))
        return np.searchsorted(np.flatnonzero(parts == _TEXT_END), at), names

    def _parts_of(self, tokens: Integers) -> Integers:
        """The parts of texts behind each other. Two are held in one number, because few tokens have more."""
        pairs = self._two_parts.of(tokens).astype("<i8", copy=False).view("<i4")
        parts = pairs.take(np.flatnonzero(pairs != 0)).astype(np.int64)
        at = np.flatnonzero(parts >= _MANY)
        if not len(at):
            return parts
        rows, counts = parts[at] - _MANY, np.ones(len(parts), dtype=np.int64)
        counts[at] = self._more_parts.lengths(rows)
        filled = np.repeat(parts, counts)
        filled[spread((np.cumsum(counts) - counts)[at], counts[at])] = self._more_parts.of(rows)
        return filled

    def _learn_first(self, tokens: Sequence[int]) -> Integers:
        rows = self._rows.of(np.array(tokens))
        count, coded = self._atoms.lengths(rows), self._coded.lengths(rows)
        first = np.zeros(len(tokens), dtype=np.int64)
        first[count > 0] = self._atoms.of(rows)[(np.cumsum(count) - count)[count > 0]]
        return first << 1 | ((count > 1) | (coded > 0))

    def _learn_atoms(self, tokens: Sequence[int]) -> range:
        """Read tokens for their words and numbers."""
        words = [self._lexicon.words[token] for token in tokens]
        before = len(self._atoms)
        if all(map(str.isascii, words)):
            self._read_together(words)
        else:
            for word in words:
                self._read_alone(word)
        return range(before, before + len(tokens))

    def _read_alone(self, word: str) -> None:
        wanted, heard = ([self[atom] for atom in atoms] for atoms in (self._known.wanted_atoms_of(word), self._known.atoms_of(word)))
        for lists, atoms in ((self._atoms, wanted), (self._coded, heard)):
            lists.extend(np.array(atoms, dtype=np.int64), np.array([len(atoms)]))

    def _read_together(self, words: Sequence[str]) -> None:
        joined = _END.join([*words, ""])
        found = _WORDS.findall(joined.lower())
        atoms = np.fromiter(map(self._words.__getitem__, found), dtype=np.int64, count=len(found))
        word_rows = np.cumsum(atoms < 0)
        figures = list(figures_in_token(joined, self._known.locale))
        starts = offsets(np.array([len(word) + 1 for word in words]))[:-1]
        figure_rows = np.searchsorted(starts, np.array([figure.start for figure in figures], dtype=np.int64), side="right") - 1
        numbers = np.array([self[figure.value] for figure in figures], dtype=np.int64)
        coded = np.array([figure.coded for figure in figures], dtype=np.bool_)
        some = atoms > 0
        rows = np.concatenate([word_rows[some], figure_rows[~coded]])
        order = np.argsort(rows, kind="stable")  # words before numbers
        self._atoms.extend(np.concatenate([atoms[some], numbers[~coded]])[order], np.bincount(rows, minlength=len(words)))
        self._coded.extend(numbers[coded], np.bincount(figure_rows[coded], minlength=len(words)))

    def _learn_parts(self, tokens: Sequence[int]) -> list[int]:
        """Read tokens for the parts that phrases are made of."""
        joined = _END.join([*(self._lexicon.words[token] for token in tokens), ""])
        found = _PARTS.findall(fold(joined))
        parts, pairs, start = list(map(self._parts.__getitem__, found)), list[int](), 0
        for token in tokens:
            end = parts.index(0, start)
            pairs.append(self._packed(parts[start:end]) if token else _TEXT_END)
            start = end + 1
        return pairs

    def _packed(self, parts: Sequence[int]) -> int:
        """The first part in the lower half of a number and the second in the upper; or in its place where the others are."""
        if len(parts) <= 2:
            return sum(part << _HALF * at for at, part in enumerate(parts))
        self._more_parts.extend(np.array(parts[1:]), np.array([len(parts) - 1]))
        return (_MANY + len(self._more_parts) - 1) << _HALF | parts[0]
