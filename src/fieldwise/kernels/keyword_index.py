"""Integer ids of words, numbers and phrases, and which of them tokens have: `KeywordReader` for many tokens at once."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.hash_lookup import IntegerIds
from fieldwise.kernels.keywords import PART, STOPWORDS, WORD, KeywordReader, fold_keyword, strip_leading_zeros
from fieldwise.kernels.numbers_in_text import find_numbers_in_token
from fieldwise.kernels.ragged import AppendArray, Integers, LazyLookup, RaggedLists, expand_ranges, list_offsets
from fieldwise.kernels.tokens import TokenIds, TokenizedTexts

_TOKEN_END: Final = "\n"
"""Separates tokens that are read together; no token has it. As a prefix it keeps phrases apart from words that are written alike."""
_WORD_OR_END, _PART_OR_END = (re.compile(f"{pattern.pattern}|{_TOKEN_END}") for pattern in (WORD, PART))
_TEXT_END_PART: Final = 1
"""The part that ends a text."""
_FIRST_LIST_PART: Final = 1 << 30
"""From here on, a part is the number of a list of parts."""
_HALF_BITS: Final = 32
"""Two integers below 2**32 are packed into one of 64 bits."""


class SequenceIndex:
    """Sequences of parts, all searched for at once in one long stream. A tree of steps; parts are positive integers.

    >>> index = SequenceIndex()
    >>> index.add([4, 1], 10)
    >>> index.add([4, 1, 5], 11)
    >>> [(starts.tolist(), names.tolist()) for starts, names in index.search(np.array([4, 1, 3, 4, 1, 5, 4, 0, 1, 0]))]
    [([0, 3], [10, 10]), ([3], [11])]
    """

    def __init__(self) -> None:
        self._states = IntegerIds()
        """The state after a state and a part, packed; 0 is the root."""
        self._names: Integers = np.zeros(256, dtype=np.int64)
        """By state, the name of the sequence that ends in it, or 0."""
        self._first_states: Integers = np.zeros(256, dtype=np.int64)
        """By part, the state after it alone; 0 if no sequence begins with it."""

    def add(self, parts: Sequence[int], name: int) -> None:
        """Add a sequence of at least one part, with its positive name."""
        state = 0
        for part in parts:
            state = self._states[state << _HALF_BITS | part]
        self._names = _ensure_length(self._names, state)
        self._names[state] = name
        self._first_states = _ensure_length(self._first_states, parts[0])
        self._first_states[parts[0]] = self._states[parts[0]]

    def search(self, stream: Integers) -> Iterator[tuple[Integers, Integers]]:
        """Yield where sequences begin in a stream of parts, and their names, by length. The last part of the stream must be in no
        sequence."""
        states = self._first_states.take(stream, mode="clip")  # the last entry is always 0: no sequence begins with that part
        starts = np.flatnonzero(states != 0)
        states, depth = states.take(starts), 0
        names = _ensure_length(self._names, len(self._states))
        while len(starts):
            ended_names = names.take(states)
            ended = np.flatnonzero(ended_names != 0)
            if len(ended):
                yield starts.take(ended), ended_names.take(ended)
            depth += 1
            states = self._states.find_ids(states << _HALF_BITS | stream.take(starts + depth))
            continued = np.flatnonzero(states != 0)
            starts, states = starts.take(continued), states.take(continued)


def _ensure_length(values: Integers, last: int) -> Integers:
    """Return the values, with zeros appended if needed, so that there is a position after `last`."""
    return values if last + 1 < len(values) else np.concatenate([values, np.zeros(last + 2, dtype=np.int64)])


class _PartIds(dict[str, int]):
    """Ids from 2 for the parts of phrases. 0 is the end of a token and 1 the end of a text."""

    def __init__(self) -> None:
        super().__init__({_TOKEN_END: 0})
        self._last_id = _TEXT_END_PART

    def __missing__(self, part: str) -> int:
        without_zeros = strip_leading_zeros(part)
        if without_zeros != part:
            self[part] = self[without_zeros]
        else:
            self._last_id += 1
            self[part] = self._last_id
        return self[part]


class _WordIds(dict[str, int]):
    """The ids of words, 0 for stopwords, -1 for the end of a token."""

    def __init__(self, keyword_ids: "KeywordIds") -> None:
        super().__init__({_TOKEN_END: -1})
        self._keyword_ids = keyword_ids

    def __missing__(self, word: str) -> int:
        self[word] = keyword_id = 0 if word in STOPWORDS else self._keyword_ids[word]
        return keyword_id


class KeywordIds(dict[str, int]):
    """Ids of words, numbers and phrases, in order of first occurrence. 0 is no keyword."""

    def __init__(self, reader: KeywordReader, token_ids: TokenIds) -> None:
        super().__init__({"": 0})
        self._reader, self._token_ids = reader, token_ids
        self.texts = [""]
        """By id."""
        self._search_targets, self._is_number = AppendArray(), AppendArray(np.bool_)
        self._search_targets.add(0)
        self._is_number.add(False)
        self._word_ids, self._part_ids, self._phrase_index = _WordIds(self), _PartIds(), SequenceIndex()
        self._atoms, self._answer_only_atoms = RaggedLists(), RaggedLists()
        """Words and numbers of tokens; and what counts only in answers, such as numbers in codes."""
        self._atom_rows, self._first_atoms = LazyLookup(self._read_atoms), LazyLookup(self._pack_first_atoms)
        """By token: the row of its atoms; its first atom, and in the last bit whether there are more."""
        self._part_pairs, self._long_part_lists = LazyLookup(self._read_parts), RaggedLists()

    def __missing__(self, text: str) -> int:
        return self._add(text, text, len(self), is_number=text[-1].isdecimal())

    def _add(self, key: str, text: str, search_target: int, *, is_number: bool) -> int:
        self[key] = keyword_id = len(self)
        self.texts.append(text)
        self._search_targets.add(search_target)
        self._is_number.add(is_number)
        return keyword_id

    @property
    def search_targets(self) -> Integers:
        """By id, the id that is searched for; phrases that are searched for alike share one."""
        return self._search_targets.value

    @property
    def is_number(self) -> NDArray[np.bool_]:
        """By id, whether the keyword is a number."""
        return self._is_number.value

    def add_phrase(self, text: str, search_form: str) -> int:
        """Return the id of a phrase; `search_form` has a space at both ends."""
        keyword_id = self.get(_TOKEN_END + text)
        if keyword_id is not None:
            return keyword_id
        target = self.get(search_form)
        if target is None:
            target = self._add(search_form, search_form, len(self), is_number=False)
            self._phrase_index.add([self._part_ids[part] for part in search_form.split()], target)
        return self._add(_TOKEN_END + text, text, target, is_number=False)

    def expected_atoms(self, tokens: Integers) -> tuple[Integers, Integers]:
        """Return the words and numbers of tokens in expected texts, in order, and how many each token has."""
        rows = self._atom_rows.look_up(tokens)
        return self._atoms.concatenate(rows), self._atoms.lengths(rows)

    def answer_keywords(self, answers: TokenizedTexts) -> tuple[Integers, Integers]:
        """Return the answer and the id of each word, number and phrase that occurs in the answers, in no particular order."""
        answer_of_token, first_atoms = answers.rows, self._first_atoms.look_up(answers.tokens)
        with_atoms = np.flatnonzero(first_atoms != 0)
        first_atoms = first_atoms.take(with_atoms)
        with_more = with_atoms[np.flatnonzero((first_atoms & 1) != 0)]
        more_rows = self._atom_rows.look_up(answers.tokens[with_more])
        phrase_answers, phrases = self._find_phrases(answers.tokens)
        answer_parts, keyword_parts = [answer_of_token.take(with_atoms)], [first_atoms >> 1]
        for lists in (self._atoms, self._answer_only_atoms):
            answer_parts.append(np.repeat(answer_of_token[with_more], lists.lengths(more_rows)))
            keyword_parts.append(lists.concatenate(more_rows))
        return np.concatenate([*answer_parts, phrase_answers]), np.concatenate([*keyword_parts, phrases])

    def _find_phrases(self, tokens: Integers) -> tuple[Integers, Integers]:
        """Return the answer and the id of each phrase in the answers."""
        parts = self._list_parts(tokens)
        empty = tokens[:0]
        start_blocks, phrase_blocks = [empty], [empty]
        for starts, phrases in self._phrase_index.search(parts):
            start_blocks.append(starts)
            phrase_blocks.append(phrases)
        text_ends = np.flatnonzero(parts == _TEXT_END_PART)
        return np.searchsorted(text_ends, np.concatenate(start_blocks)), np.concatenate(phrase_blocks)

    def _list_parts(self, tokens: Integers) -> Integers:
        """Return the parts of all tokens in order. Two parts are packed into one integer, because few tokens have more."""
        pairs = self._part_pairs.look_up(tokens).astype("<i8", copy=False).view("<i4")
        parts = pairs.take(np.flatnonzero(pairs != 0)).astype(np.int64)
        list_positions = np.flatnonzero(parts >= _FIRST_LIST_PART)
        if not len(list_positions):
            return parts
        list_rows, counts = parts[list_positions] - _FIRST_LIST_PART, np.ones(len(parts), dtype=np.int64)
        counts[list_positions] = self._long_part_lists.lengths(list_rows)
        expanded = np.repeat(parts, counts)
        list_starts = (np.cumsum(counts) - counts)[list_positions]
        expanded[expand_ranges(list_starts, counts[list_positions])] = self._long_part_lists.concatenate(list_rows)
        return expanded

    def _pack_first_atoms(self, tokens: Sequence[int]) -> Integers:
        rows = self._atom_rows.look_up(np.array(tokens))
        atom_counts, answer_only_counts = self._atoms.lengths(rows), self._answer_only_atoms.lengths(rows)
        first_atoms = np.zeros(len(tokens), dtype=np.int64)
        has_atoms = atom_counts > 0
        first_atoms[has_atoms] = self._atoms.concatenate(rows)[(np.cumsum(atom_counts) - atom_counts)[has_atoms]]
        return first_atoms << 1 | ((atom_counts > 1) | (answer_only_counts > 0))

    def _read_atoms(self, tokens: Sequence[int]) -> range:
        """Read the words and numbers of tokens; return their rows in the lists of atoms."""
        texts = [self._token_ids.tokens[token] for token in tokens]
        first_row = len(self._atoms)
        if all(map(str.isascii, texts)):
            self._read_ascii_atoms(texts)
        else:
            for text in texts:
                self._read_atoms_singly(text)
        return range(first_row, first_row + len(tokens))

    def _read_atoms_singly(self, token: str) -> None:
        # First the expected atoms, then those of answers: ids are given in this order.
        expected = [self[atom] for atom in self._reader.expected_atoms(token)]
        in_answers = [self[atom] for atom in self._reader.answer_atoms(token)]
        self._atoms.extend(np.array(expected, dtype=np.int64), np.array([len(expected)]))
        self._answer_only_atoms.extend(np.array(in_answers, dtype=np.int64), np.array([len(in_answers)]))

    def _read_ascii_atoms(self, tokens: Sequence[str]) -> None:
        joined = _TOKEN_END.join([*tokens, ""])
        words = _WORD_OR_END.findall(joined.lower())
        word_ids = np.fromiter(map(self._word_ids.__getitem__, words), dtype=np.int64, count=len(words))
        word_rows = np.cumsum(word_ids < 0)
        numbers = list(find_numbers_in_token(joined, self._reader.locale))
        token_starts = list_offsets(np.array([len(token) + 1 for token in tokens]))[:-1]
        number_starts = np.array([number.start for number in numbers], dtype=np.int64)
        number_rows = np.searchsorted(token_starts, number_starts, side="right") - 1
        number_ids = np.array([self[number.value] for number in numbers], dtype=np.int64)
        in_code = np.array([number.in_code for number in numbers], dtype=np.bool_)
        is_word = word_ids > 0
        rows = np.concatenate([word_rows[is_word], number_rows[~in_code]])
        order = np.argsort(rows, kind="stable")  # words before numbers
        atoms = np.concatenate([word_ids[is_word], number_ids[~in_code]])[order]
        self._atoms.extend(atoms, np.bincount(rows, minlength=len(tokens)))
        self._answer_only_atoms.extend(number_ids[in_code], np.bincount(number_rows[in_code], minlength=len(tokens)))

    def _read_parts(self, tokens: Sequence[int]) -> list[int]:
        """Read the parts of tokens, packed for `_list_parts`."""
        joined = _TOKEN_END.join([*(self._token_ids.tokens[token] for token in tokens), ""])
        parts = [self._part_ids[part] for part in _PART_OR_END.findall(fold_keyword(joined))]
        packed: list[int] = []
        start = 0
        for token in tokens:
            end = parts.index(0, start)
            packed.append(self._pack_parts(parts[start:end]) if token else _TEXT_END_PART)
            start = end + 1
        return packed

    def _pack_parts(self, parts: Sequence[int]) -> int:
        """Pack the first part into the lower half of an integer and the second, or the list of all others, into the upper."""
        if len(parts) <= 2:
            return sum(part << _HALF_BITS * position for position, part in enumerate(parts))
        self._long_part_lists.extend(np.array(parts[1:]), np.array([len(parts) - 1]))
        return (_FIRST_LIST_PART + len(self._long_part_lists) - 1) << _HALF_BITS | parts[0]
