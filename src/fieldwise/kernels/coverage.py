"""Which keywords of expected texts occur in the answers to them, for many answers at once.

The results are those of `KeywordReader` for one text at a time. Each distinct token gets an id when it first occurs; from there on
answers are rows of integers, and what they lack is computed in arrays.

>>> coverage = CoverageReader().measure(["Territory 118 rises 0.305%"], ["territory 117 rises 0.305 percent"])
>>> [coverage.keyword_texts[keyword] for keyword in coverage.missing], coverage.keyword_counts.tolist(), coverage.number_counts.tolist()
(['territory 118', '118'], [5], [2])
"""

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import islice
from threading import get_ident
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.answer_text import CompiledIndicators, find_indicators, occurs_in
from fieldwise.kernels.hash_lookup import IntegerIds, find_first_positions, find_first_positions_among
from fieldwise.kernels.keyword_index import KeywordIds
from fieldwise.kernels.keywords import KeywordReader, count_words
from fieldwise.kernels.numbers_in_text import NumberLocale, may_have_wide_numbers
from fieldwise.kernels.ragged import FirstSeenCodes, GrowingArray, Integers, LazyLookup, RaggedLists, expand_ranges, list_offsets
from fieldwise.kernels.tokens import TokenIds, TokenizedTexts, find_phrases, join_texts, split_into_chunks

_MAX_CACHED_IDS: Final = 100_000
"""A reader with more tokens or keywords than this is replaced by a new one."""
_HALF_BITS: Final = 32
"""Two integers below 2**32 are packed into one of 64 bits."""
_LOW_HALF: Final = (1 << _HALF_BITS) - 1
_MIN_DISTINCT_SHARE: Final = 0.9
"""Where more than this share of the texts is distinct, removing duplicates is not worth it."""
_EMPTY: Final[Integers] = np.zeros(0, dtype=np.int64)


# Citations

_MAX_INDICATORS: Final = 31
"""The most indicators for which a token's two sets of bits fit into one integer."""
_MAX_INTEGER_BITS: Final = 62

IndicatorBits = NDArray[np.int64] | NDArray[np.object_]
"""Sets of indicators: 1 for the first, 2 for the second, 4 … Python integers where there are too many for 64 bits."""


class IndicatorSearch:
    """`find_indicators` for many texts at once, from their tokens.

    Each token has two sets of bits: below `_MAX_INDICATORS`, the indicators that occur in it as a word; above, those that may begin in
    it and continue in the next token, because they have several words or a colon.

    >>> from fieldwise.kernels.answer_text import compile_indicators
    >>> texts, token_ids = ["see page 3", "the homepage", "According  to pages"], TokenIds()
    >>> [f"{bits:b}" for bits in IndicatorSearch(compile_indicators(), token_ids).find(texts, token_ids.tokenize(texts)).tolist()]
    ['100', '0', '100100']
    """

    def __init__(self, indicators: CompiledIndicators, token_ids: TokenIds) -> None:
        self._indicators, self._token_ids = indicators, token_ids
        self._token_bits = GrowingArray()
        self._any_first_word = re.compile("|".join(re.escape(first_word) for _, first_word, _ in indicators) or r"(?!)")
        self._is_single_word = [len(text.split()) == 1 and not text.endswith(":") for text, _, _ in indicators]
        self._token_pairs = IntegerIds()
        self._pair_lookups = [LazyLookup(partial(self._check_token_pairs, column)) for column in range(len(indicators))]
        """By indicator and pair of tokens, whether an indicator of two words occurs in the pair."""

    def find(self, texts: Sequence[str], tokenized: TokenizedTexts | None) -> IndicatorBits:
        """Return the indicators of each text. Without tokens, texts are searched one by one."""
        if tokenized is None or len(self._indicators) > _MAX_INDICATORS:
            return self._find_singly(texts)
        self._read_tokens(self._token_ids.tokens[len(self._token_bits.value) :])
        token_bits = self._token_bits.value.take(tokenized.tokens)
        positions = np.flatnonzero(token_bits != 0)
        text_bits = np.zeros(len(texts), dtype=np.int64)
        if not len(positions):
            return text_bits
        rows, token_bits = np.searchsorted(tokenized.ends, positions), token_bits[positions]
        row_starts = np.concatenate([[0], np.flatnonzero(rows[1:] != rows[:-1]) + 1])
        row_bits = np.bitwise_or.reduceat(token_bits, row_starts)
        text_bits[rows[row_starts]] = row_bits & ((1 << _MAX_INDICATORS) - 1)
        begun = int(np.bitwise_or.reduce(row_bits)) >> _MAX_INDICATORS
        for column, (text, first_word, pattern) in enumerate(self._indicators):
            if not begun >> column & 1:
                continue
            candidates = np.flatnonzero(token_bits & (1 << (column + _MAX_INDICATORS)))
            if len(text.split()) == 2 and not text.endswith(":"):
                confirmed = candidates[self._occurs_in_pairs(tokenized, positions[candidates], column)]
                text_bits[rows[confirmed]] |= 1 << column
                continue
            candidate_rows = set[int](rows[candidates].tolist())
            confirmed_rows = [row for row in candidate_rows if occurs_in(pattern, first_word, texts[row].casefold())]
            text_bits[confirmed_rows] |= 1 << column
        return text_bits

    def _find_singly(self, texts: Sequence[str]) -> IndicatorBits:
        bit_of = {text: 1 << column for column, (text, _, _) in enumerate(self._indicators)}
        bits = [sum(bit_of[indicator] for indicator in find_indicators(text, self._indicators)) for text in texts]
        return np.array(bits, dtype=np.int64 if len(bit_of) < _MAX_INTEGER_BITS else object)

    def _read_tokens(self, tokens: Sequence[str]) -> None:
        """Compute the bits of new tokens. Most contain no first word of an indicator, which one search over all of them shows."""
        folded = [token.casefold() for token in tokens]
        joined, starts = "\n".join(folded), np.cumsum([0, *(len(token) + 1 for token in folded)])
        match_starts = [match.start() for match in self._any_first_word.finditer(joined)]
        candidates = np.searchsorted(starts, match_starts, side="right") - 1
        bits = np.zeros(len(tokens), dtype=np.int64)
        for position in set[int](candidates.tolist()):
            bits[position] = self._read_token(tokens[position])
        self._token_bits.extend(bits)

    def _read_token(self, token: str) -> int:
        folded, bits = token.casefold(), 0
        for column, (_, first_word, pattern) in enumerate(self._indicators):
            if self._is_single_word[column]:
                if occurs_in(pattern, first_word, folded):
                    bits |= 1 << column
            elif first_word in folded:
                bits |= 1 << (column + _MAX_INDICATORS)
        return bits

    def _occurs_in_pairs(self, tokenized: TokenizedTexts, positions: Integers, column: int) -> NDArray[np.bool_]:
        """Return whether an indicator of two words occurs in the tokens at these positions and the next; each pair is read once."""
        pairs = tokenized.tokens.take(positions) << _HALF_BITS | tokenized.tokens.take(positions + 1)
        return self._pair_lookups[column].look_up(self._token_pairs.assign_ids(pairs)).astype(np.bool_)

    def _check_token_pairs(self, column: int, pair_ids: Sequence[int]) -> list[bool]:
        tokens, (_, first_word, pattern) = self._token_ids.tokens, self._indicators[column]
        occurs: list[bool] = []
        for pair_id in pair_ids:
            first, second = divmod(self._token_pairs.keys_in_order[pair_id - 1], 1 << _HALF_BITS)
            occurs.append(occurs_in(pattern, first_word, f"{tokens[first]} {tokens[second]}".casefold()))
        return occurs


# Keywords of expected texts


class ExpectedKeywords(NamedTuple):
    """Keywords of expected texts: position i of a column is text i."""

    phrases: RaggedLists
    atoms: RaggedLists
    """Ids in order, with duplicates."""
    word_counts: GrowingArray
    all_plain: bool = True
    """True if splitting every text at spaces gives its tokens."""


class ExpectedTextReader:
    """`KeywordReader.read_expected` for many texts at once."""

    def __init__(self, reader: KeywordReader, token_ids: TokenIds, keyword_ids: KeywordIds) -> None:
        self._reader, self._token_ids, self._keyword_ids = reader, token_ids, keyword_ids
        self._shapes = LazyLookup(lambda tokens: [ord(reader.token_shape(token_ids.tokens[token])) for token in tokens])
        self._core_codes, self._core_texts = FirstSeenCodes[str](), list[str]()
        self._cores = LazyLookup(self._read_cores)
        self._core_sequences = IntegerIds()
        """Ids of sequences of cores: the id of a sequence and the next core, packed, are the key of the longer sequence."""
        self._phrases = LazyLookup(lambda sequences: [self._make_phrase(sequence) for sequence in sequences])

    def read(self, texts: Sequence[str]) -> ExpectedKeywords:
        """Return the keywords of texts. A chunk with a text that preparation alters is read text by text."""
        keywords, all_plain = ExpectedKeywords(RaggedLists(), RaggedLists(), GrowingArray()), True
        for chunk in split_into_chunks(texts):
            chunk_texts = texts[chunk]
            joined = join_texts(chunk_texts)
            tokenized = self._token_ids.tokenize_joined(joined, lines=True)
            plain = joined.ascii_only and not tokenized.any_opening_parenthesis and self._reader.locale != "fr"
            plain = plain and not may_have_wide_numbers(joined.data, self._reader.locale)
            if not joined.altered and (plain or all(self._reader.prepare_text(text) == text for text in chunk_texts)):
                self._read_tokenized(chunk_texts, tokenized, keywords)
            else:
                for text in chunk_texts:
                    self._read_singly(text, keywords)
            keywords.word_counts.extend(tokenized.token_counts if plain else [count_words(text) for text in chunk_texts])
            all_plain = all_plain and plain
        return keywords._replace(all_plain=all_plain)

    def _read_singly(self, text: str, keywords: ExpectedKeywords) -> None:
        text_keywords = self._reader.read_expected(text)
        phrase_forms = zip(text_keywords.phrases, text_keywords.search_forms, strict=True)
        phrases = [self._keyword_ids.add_phrase(phrase, search_form) for phrase, search_form in phrase_forms]
        atoms = [self._keyword_ids[atom] for atom in text_keywords.atoms]
        keywords.phrases.extend(np.array(phrases, dtype=np.int64), np.array([len(phrases)]))
        keywords.atoms.extend(np.array(atoms, dtype=np.int64), np.array([len(atoms)]))

    def _read_tokenized(self, texts: Sequence[str], tokenized: TokenizedTexts, keywords: ExpectedKeywords) -> None:
        atoms, atom_counts = self._keyword_ids.expected_atoms(tokenized.tokens)
        phrases, phrase_rows = self._find_phrases(texts, tokenized)
        keywords.phrases.extend(phrases, np.bincount(phrase_rows, minlength=len(texts)))
        text_starts = np.concatenate([[0], tokenized.ends[:-1] + 1])
        keywords.atoms.extend(atoms, np.add.reduceat(atom_counts, text_starts))

    def _find_phrases(self, texts: Sequence[str], tokenized: TokenizedTexts) -> tuple[Integers, Integers]:
        """Return the ids of the phrases, and the text each is in."""
        rows = tokenized.rows
        all_capitals = np.fromiter(map(str.isupper, texts), dtype=np.bool_, count=len(texts))
        shapes = self._shapes.look_up(tokenized.tokens).astype(np.uint8)
        more_than_codes = ~all_capitals[rows] if all_capitals.any() else None
        starts, lengths = find_phrases(shapes, tokenized.line_starts, more_than_codes=more_than_codes)
        sequences = np.zeros(len(starts), dtype=np.int64)
        for step in range(int(lengths.max(initial=0))):
            longer = np.flatnonzero(lengths > step)
            cores = self._cores.look_up(tokenized.tokens.take(starts[longer] + step))
            sequences[longer] = self._core_sequences.assign_ids(sequences[longer] << _HALF_BITS | cores)
        phrases = self._phrases.look_up(sequences)
        if phrases.all():
            return phrases, rows.take(starts)
        searchable = np.flatnonzero(phrases)
        return phrases[searchable], rows.take(starts[searchable])

    def _read_cores(self, tokens: Sequence[int]) -> list[int]:
        codes = [self._core_codes[self._reader.token_core(self._token_ids.tokens[token])] for token in tokens]
        self._core_texts += islice(self._core_codes, len(self._core_texts), None)
        return codes

    def _make_phrase(self, sequence: int) -> int:
        """Return the id of the phrase of a sequence of cores; 0 if there is nothing to search for."""
        cores: list[str] = []
        while sequence:
            key = self._core_sequences.keys_in_order[sequence - 1]
            cores.append(self._core_texts[key & _LOW_HALF])
            sequence = key >> _HALF_BITS
        text = " ".join(cores[::-1])
        search_form = self._reader.phrase_search_form(text)
        return self._keyword_ids.add_phrase(text, search_form) if search_form else 0


# Coverage


class KeywordCoverage(NamedTuple):
    """What answers have and lack: position i of an array is answer i."""

    keyword_counts: Integers
    """The number of expected keywords."""
    number_counts: Integers
    """How many of them are numbers."""
    expected_word_counts: Integers
    actual_word_counts: Integers
    indicator_bits: IndicatorBits
    """The citation indicators of the answer."""
    offsets: Integers
    """Answer i lacks `missing[offsets[i]:offsets[i + 1]]`."""
    missing: Integers
    """Ids of keywords."""
    keyword_texts: Sequence[str]
    """By keyword id."""
    is_number: NDArray[np.bool_]
    """By keyword id."""
    all_plain: bool
    """True if every text was read as it is, split at spaces: ASCII, and no (5) that means -5."""


class _ChunkCoverage(NamedTuple):
    """The coverage of a chunk of distinct answers."""

    word_counts: Integers
    """By distinct answer, as `indicator_bits`."""
    indicator_bits: IndicatorBits
    plain: NDArray[np.bool_]
    """One value: whether splitting every answer at spaces gives its tokens."""
    keyword_counts: Integers
    """By pair of an answer with an expected text, as all that follows."""
    number_counts: Integers
    missing_counts: Integers
    missing: Integers


class CoverageReader:
    """Measures coverage in batches and caches what it reads of tokens and expected texts. Not thread-safe."""

    def __init__(self, locale: NumberLocale = "en", indicators: CompiledIndicators = ()) -> None:
        self._reader = KeywordReader(locale)
        self._token_ids = TokenIds()
        self._indicator_search = IndicatorSearch(indicators, self._token_ids)
        self._keyword_ids = KeywordIds(self._reader, self._token_ids)
        self._expected_reader = ExpectedTextReader(self._reader, self._token_ids, self._keyword_ids)

    @property
    def is_full(self) -> bool:
        """True if the caches are so large that a new reader should replace this one."""
        return max(len(self._token_ids), len(self._keyword_ids)) > _MAX_CACHED_IDS

    def measure(self, expected: Sequence[str], actual: Sequence[str]) -> KeywordCoverage:
        """Measure what each answer has of the expected text at its position. Where many texts are equal, they are read once."""
        expected_texts, expected_codes = _deduplicate(expected)
        answers, answer_codes = _deduplicate(actual)
        keywords = self._expected_reader.read(expected_texts)
        by_answer = np.argsort(answer_codes, kind="stable")
        edges = list_offsets(np.bincount(answer_codes, minlength=len(answers)))
        chunks = [self._empty_chunk()]
        for chunk in split_into_chunks(answers):
            pairs = by_answer[edges[chunk.start] : edges[chunk.stop]]
            chunks.append(self._measure_chunk(answers[chunk], answer_codes[pairs] - chunk.start, expected_codes[pairs], keywords))
        merged = _ChunkCoverage(*(np.concatenate(column) for column in zip(*chunks, strict=True)))
        in_order = np.argsort(by_answer)
        missing_counts = merged.missing_counts.take(in_order)
        missing_starts = list_offsets(merged.missing_counts).take(in_order)
        return KeywordCoverage(
            keyword_counts=merged.keyword_counts.take(in_order),
            number_counts=merged.number_counts.take(in_order),
            expected_word_counts=keywords.word_counts.value.take(expected_codes),
            actual_word_counts=merged.word_counts.take(answer_codes),
            indicator_bits=merged.indicator_bits.take(answer_codes),
            offsets=list_offsets(missing_counts),
            missing=merged.missing.take(expand_ranges(missing_starts, missing_counts)),
            keyword_texts=self._keyword_ids.texts,
            is_number=self._keyword_ids.is_number,
            all_plain=keywords.all_plain and bool(merged.plain.all()),
        )

    def _empty_chunk(self) -> _ChunkCoverage:
        return _ChunkCoverage(_EMPTY, self._indicator_search.find([], None), np.array([True]), *[_EMPTY] * 4)

    def _measure_chunk(
        self, answers: Sequence[str], answer_codes: Integers, expected_codes: Integers, keywords: ExpectedKeywords
    ) -> _ChunkCoverage:
        tokenized, plain = self._tokenize_answers(answers)
        pair_count = len(expected_codes)
        phrases, atoms = keywords.phrases.concatenate(expected_codes), keywords.atoms.concatenate(expected_codes)
        pair_numbers = np.arange(pair_count)
        phrase_pairs = np.repeat(pair_numbers, keywords.phrases.lengths(expected_codes))
        atom_pairs = np.repeat(pair_numbers, keywords.atoms.lengths(expected_codes))
        pairs, keyword_ids = np.concatenate([phrase_pairs, atom_pairs]), np.concatenate([phrases, atoms])
        targets = np.concatenate([self._keyword_ids.search_targets.take(phrases), atoms])
        present_answers, present_keywords = self._keyword_ids.answer_keywords(tokenized)
        firsts, present = find_first_positions_among(
            answer_codes.take(pairs) << _HALF_BITS | targets, present_answers << _HALF_BITS | present_keywords
        )
        distinct = _select_distinct_keywords(firsts, pairs, keyword_ids)
        pairs, keyword_ids = pairs.take(distinct), keyword_ids.take(distinct)
        missing = np.flatnonzero(~present.take(distinct))
        missing = missing[np.argsort(pairs.take(missing), kind="stable")]  # phrases before words and numbers
        return _ChunkCoverage(
            word_counts=tokenized.token_counts if plain else np.array([count_words(text) for text in answers]),
            indicator_bits=self._indicator_search.find(answers, tokenized if plain else None),
            plain=np.array([plain]),
            keyword_counts=np.bincount(pairs, minlength=pair_count),
            number_counts=np.bincount(pairs[self._keyword_ids.is_number.take(keyword_ids)], minlength=pair_count),
            missing_counts=np.bincount(pairs.take(missing), minlength=pair_count),
            missing=keyword_ids.take(missing),
        )

    def _tokenize_answers(self, answers: Sequence[str]) -> tuple[TokenizedTexts, bool]:
        """Return answers as tokens, and whether splitting them at spaces gave these."""
        joined = join_texts(answers)
        if joined.ascii_only and self._reader.locale != "fr" and not may_have_wide_numbers(joined.data, self._reader.locale):
            tokenized = self._token_ids.tokenize_joined(joined)
            if not tokenized.any_opening_parenthesis:
                return tokenized, True
        return self._token_ids.tokenize([self._reader.prepare_text(text) for text in answers]), False


def _select_distinct_keywords(firsts: Integers, pairs: Integers, keyword_ids: Integers) -> Integers:
    """Return where each keyword of a pair occurs first; `firsts` gives the first position with the same answer and search target."""
    positions = np.arange(len(firsts))
    is_first = firsts == positions
    others = np.flatnonzero((pairs.take(firsts) != pairs) | (keyword_ids.take(firsts) != keyword_ids))
    if len(others):  # another keyword with the same search target, or another pair with the same answer
        is_first[others] = find_first_positions(pairs[others] << _HALF_BITS | keyword_ids[others]) == positions[: len(others)]
    return np.flatnonzero(is_first)


def _deduplicate(texts: Sequence[str]) -> tuple[Sequence[str], Integers]:
    """Return the distinct texts, or all if few are equal, and the position of each text among them."""
    codes = dict.fromkeys(texts, 0)
    if len(codes) > _MIN_DISTINCT_SHARE * len(texts):
        return texts, np.arange(len(texts))
    distinct = list(codes)
    codes = dict(zip(distinct, range(len(distinct)), strict=True))
    return distinct, np.fromiter(map(codes.__getitem__, texts), dtype=np.int64, count=len(texts))


@lru_cache(maxsize=16)  # the thread is part of the key because a reader is not thread-safe
def _get_reader_slot(locale: NumberLocale, indicators: CompiledIndicators, thread: int) -> list[CoverageReader]:  # noqa: ARG001
    return [CoverageReader(locale, indicators)]


def get_coverage_reader(locale: NumberLocale, indicators: CompiledIndicators) -> CoverageReader:
    """Return the reader of this thread; its caches never change its results."""
    slot = _get_reader_slot(locale, indicators, get_ident())
    if slot[0].is_full:
        slot[0] = CoverageReader(locale, indicators)
    return slot[0]


def clear_coverage_readers() -> None:
    """Drop all cached readers, as in a new process; for benchmarks."""
    _get_reader_slot.cache_clear()
