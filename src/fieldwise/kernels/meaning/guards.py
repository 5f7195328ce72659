"""Guards for what an embedding misses: numbers, units, letters, negation, opposites, names, and who does what to whom.

Each difference lowers the similarity and gives the reason.

>>> [str(difference) for difference in find_differences(read_text("Q3 revenue rose 5 %"), read_text("Q3 revenue fell 15 %"))]
['numbers differ: 5 % / 15 %', 'opposites: rose / fell']
>>> find_differences(read_text("The term is 24 months"), read_text("It runs for two years"))
()
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fieldwise.kernels.meaning import lexicon
from fieldwise.kernels.meaning.quantities import TextQuantity, find_quantities, quantities_agree

# Reading: a text as the guards see it

_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?|[$€£¥]|°[cf]", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;\n]\s*$")
_HAN = re.compile(r"[぀-ヿ㐀-鿿]")
_GERMAN = lexicon.parse_words("der die das und ist nicht mit für von ein eine den dem des beträgt wird sind im zum zur innerhalb über")
_ELISION = re.compile(r"(?:[dlnsjcmt]|qu)'(?=[^\W\d_]{2})")
_SINGLE_LETTER = re.compile(r"(?<=[^\W\d_] )(?:[A-Z]|[IVX]{1,4})(?![\w.'-])")
_ENUMERATION = re.compile(
    r"(?<![^\W\d_])\(([a-z]|[ivx]{2,4})\)|(?<![^\W_])(?<!\()([a-z])\)|"
    r"\b(?:lit|letter|buchst|buchstabe|clause|item|point|punkt|lettre|letra|inciso|lettera)\.? ([a-z])(?![\w'’-])",
    re.IGNORECASE,
)
"""A letter or a small Roman numeral that counts: 3(a), b), lit. c. Not the plural of `invoice(s)`."""
_VERSION = re.compile(
    r"(?:\b(?:versions?|ver|release|sections?|clause|chapter|article|paragraph|abschnitt|kapitel|artikel|sección|capítulo|v)\.? ?|§ ?)"
    r"(\d+(?:\.\d+)+)",
    re.IGNORECASE,
)
_MAX_SIGN_LENGTH = 2
_FIRST_IDEOGRAM = "\u2e80"
_TOKEN = re.compile(r"[^\W_]+(?:[.,'][^\W_]+)*|,")

_MARKUP = re.compile(r"<(?=[A-Za-z/!])[^<>]*>")
_COMPARATOR = re.compile(
    r"(?P<most><=|=<|[≤⩽])|(?P<least>>=|=>(?=\s*\d)|[≥⩾])|(?P<not>!=|≠|(?<!\S)!(?=\w))"
    r"|(?P<around>±|\+/?-(?=\s*\d))|(?P<root>√)|(?P<power>\^\s?[-\u2212](?=\d))"
    r"|(?:(?P<below><)|(?<![-=>])(?P<above>>))(?:(?=\s*[-+.$€£¥]?\d)|(?<=\b\w.)\s?(?=\w\b)|(?<=\b\w\s.)\s?(?=\w\b))"
)
"""Signs that compare, not brackets and arrows: `<` and `>` stand before a number or between single letters."""
_SPELLED_COMPARATORS = {
    "most": " at most ",
    "least": " at least ",
    "not": " not ",
    "below": " at most below ",
    "above": " at least above ",
    "around": " plus or minus ",
    "root": " root ",
    "power": " to the minus ",
}

_PhraseIndex = Mapping[str, list[tuple[tuple[str, ...], int, int]]]
"""Phrases with their family and group, by first word, longer ones first."""


@dataclass(frozen=True, slots=True)
class LexiconTerm:
    """A word or phrase of the lexicon that occurs in a text."""

    family: int
    group: int
    text: str


@dataclass(frozen=True, slots=True)
class TextReading:
    """What the guards compare of a text."""

    words: tuple[str, ...]
    tokens: tuple[str, ...]
    """Words, numbers and commas in order."""
    quantities: tuple[TextQuantity, ...]
    opposites: tuple[LexiconTerm, ...]
    alternatives: tuple[LexiconTerm, ...]
    negations: int
    maybe_negative: bool
    """True if a word may negate by itself; then the number of negations proves nothing."""
    names: tuple[str, ...]
    letters: frozenset[str]
    """Single capitals and Roman numerals after a word, and letters that enumerate: plan A, type II, 3(a)."""
    versions: frozenset[str]
    """Numbers in parts behind words such as version and section: 2.1 is not 2.10."""
    sign: str
    """The whole text, where it is too short to mean anything but itself: a grade, a size, a blood group, a language."""


def _index_phrases(table: str) -> _PhraseIndex:
    index: dict[str, list[tuple[tuple[str, ...], int, int]]] = {}
    for family, groups in enumerate(lexicon.parse_groups(table)):
        for group, phrases in enumerate(groups):
            for phrase in phrases:
                parts = tuple(phrase.split())
                index.setdefault(parts[0], []).append((parts, family, group))
    return {first: sorted(entries, key=lambda entry: -len(entry[0])) for first, entries in index.items()}


_OPPOSITES, _ALTERNATIVES = _index_phrases(lexicon.OPPOSITES), _index_phrases(lexicon.ALTERNATIVES)
_NON_NEGATING = _index_phrases(" | ".join(phrase.replace(" ", "_") for phrase in sorted(lexicon.NON_NEGATING_PHRASES)))
_HAN_OPPOSITES = lexicon.parse_groups(lexicon.HAN_OPPOSITES)


def spell_comparators(text: str) -> str:
    """The text with words for signs such as `<`, because neither words nor an embedding have signs.

    >>> spell_comparators("p<0.05"), spell_comparators("≥ 5 mg"), spell_comparators("<b>a</b> -> b")
    ('p at most below 0.05', ' at least  5 mg', '<b>a</b> -> b')
    """
    if _MARKUP.search(text):
        return text
    return _COMPARATOR.sub(lambda match: _SPELLED_COMPARATORS[str(match.lastgroup)], text)


def read_text(text: str) -> TextReading:
    """Read what the guards compare of a text.

    >>> reading = read_text("The CFO did not approve 5 %")
    >>> reading.negations, [str(quantity) for quantity in reading.quantities], [term.text for term in reading.alternatives]
    (1, ['5 %'], ['cfo'])
    """
    text = unicodedata.normalize("NFKC", spell_comparators(text)).replace("’", "'")
    words = tuple(_normalize_word(match[0]) for match in _WORD.finditer(text))
    split_words: list[str] = []
    for word in words:
        in_lexicon = word in _OPPOSITES or word in _ALTERNATIVES
        split_words += [word] if in_lexicon else word.split("-")
    opposites = _find_terms(split_words, _OPPOSITES)
    if _HAN.search(text):
        opposites += _find_han_terms(text)
    return TextReading(
        words=words,
        tokens=tuple(_TOKEN.findall(text.lower())),
        quantities=tuple(find_quantities(text)),
        opposites=opposites,
        alternatives=_find_terms(split_words, _ALTERNATIVES),
        negations=_count_negations(text, split_words) - len(_find_terms(split_words, _NON_NEGATING)),
        maybe_negative=any(_may_negate(word) for word in split_words),
        names=_find_names(text, split_words),
        letters=frozenset(_SINGLE_LETTER.findall(text)) | {"".join(letters).lower() for letters in _ENUMERATION.findall(text)},
        versions=frozenset(_VERSION.findall(text)),
        sign=_read_sign(text),
    )


def _read_sign(text: str) -> str:
    short = text.strip(" .,;:!?").casefold()
    return short if len(short) <= _MAX_SIGN_LENGTH and all(letter < _FIRST_IDEOGRAM for letter in short) else ""


def _normalize_word(word: str) -> str:
    """Return a word in lower case, without the dot of an abbreviation and the French article before a vowel."""
    return _ELISION.sub("", word.lower().rstrip("."))


def _find_terms(words: Sequence[str], index: _PhraseIndex) -> tuple[LexiconTerm, ...]:
    terms: list[LexiconTerm] = []
    position = 0
    while position < len(words):
        step = 1
        for parts, family, group in index.get(words[position], ()):
            if tuple(words[position : position + len(parts)]) == parts:
                terms.append(LexiconTerm(family, group, " ".join(parts)))
                step = max(step, len(parts))
        position += step
    return tuple(terms)


def _find_han_terms(text: str) -> tuple[LexiconTerm, ...]:
    """Find terms anywhere in the text: Chinese and Japanese have no spaces between words."""
    terms: list[LexiconTerm] = []
    for family, groups in enumerate(_HAN_OPPOSITES):
        for group, phrases in enumerate(groups):
            terms += [LexiconTerm(-1 - family, group, phrase) for phrase in phrases if phrase in text]
    return tuple(terms)


def _count_negations(text: str, words: Sequence[str]) -> int:
    count = sum(word in lexicon.NEGATORS or word.endswith("n't") for word in words)
    if words and words[0] == "no" and re.match(r"\s*no\s*[,.;:]", text, re.IGNORECASE):
        count -= len(words) > 1  # the answer `No, …` repeats what the sentence says
    han_count = sum(text.count(sign) for sign in (*lexicon.HAN_NEGATORS, *lexicon.HAN_NEGATING_ENDS))
    return count + han_count


def _may_negate(word: str) -> bool:
    return word in lexicon.IMPLICIT_NEGATORS or word.endswith("less") or (word.startswith(("un", "dis")) and len(word) > 5)


def _find_names(text: str, words: Sequence[str]) -> tuple[str, ...]:
    """Find capitalized words inside sentences and abbreviations in capitals; none where capitals mean nothing (titles, German)."""
    if not _GERMAN.isdisjoint(words):
        return ()
    matches = [(match.start(), match[0].rstrip(".")) for match in _WORD.finditer(text)]
    has_ordinary_words = any(word[0].islower() and len(word) > 3 for _, word in matches)
    if not has_ordinary_words:
        return ()
    names: list[str] = []
    for start, word in matches:
        begins_sentence = not text[:start].strip() or bool(_SENTENCE_END.search(text[:start]))
        abbreviation = word.isupper() and 1 < len(word) < 6
        if abbreviation or (word[0].isupper() and not begins_sentence and len(word) > 2):
            names.append(word)
    return tuple(names)


# Differences between two readings

SIMILARITY_FACTORS: Mapping[str, float] = {
    "number": 0.4,
    "number missing": 0.95,
    "code": 0.4,
    "negation": 0.4,
    "opposite": 0.4,
    "alternative": 0.4,
    "qualifier": 0.4,
    "name": 0.4,
    "order": 0.4,
    "word": 0.4,
}
"""The factor by which each kind of difference multiplies the similarity."""

_PASSIVE_WORDS = lexicon.parse_words("is are was were be been being by has have had")
_LIST_WORDS = lexicon.parse_words("and or & und oder et ou y e o en , /")
_DIRECTION_WORDS = ("to", "than", "into", "before", "after", "→")
_CONTRAST_WORDS = lexicon.parse_words("but than from to")
_FUNCTION_WORDS = lexicon.parse_words("""the a an of is are was were be been has have had to in on at for by with and or it its this that
will shall may must from as per der die das den dem ein eine und ist im le la les un une des du de el los las una y il lo o""")


@dataclass(frozen=True, slots=True)
class MeaningDifference:
    """A reason why two texts do not mean the same."""

    kind: str
    what: str

    @property
    def factor(self) -> float:
        """The factor by which the difference multiplies the similarity."""
        return SIMILARITY_FACTORS[self.kind]

    def __str__(self) -> str:
        return self.what


def find_differences(expected: TextReading, actual: TextReading) -> tuple[MeaningDifference, ...]:
    """Return every reason why two texts do not mean the same."""
    return (
        *_compare_quantities(expected, actual),
        *_compare_letters(expected, actual),
        *_compare_signs(expected, actual),
        *_compare_versions(expected, actual),
        *_compare_polarity(expected, actual),
        *_compare_alternatives(expected, actual),
        *_compare_qualifiers(expected, actual),
        *_compare_names(expected, actual),
        *_compare_order(expected, actual),
    )


def _compare_quantities(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    only_expected, only_actual = list(expected.quantities), list(actual.quantities)
    for quantity in expected.quantities:
        match = next((candidate for candidate in only_actual if quantities_agree(quantity, candidate)), None)
        if match is not None:
            only_expected.remove(quantity)
            only_actual.remove(match)
    differences: list[MeaningDifference] = []
    for kind in ("number", "code"):
        left = [quantity for quantity in only_expected if (quantity.family == "code") == (kind == "code")]
        right = [quantity for quantity in only_actual if (quantity.family == "code") == (kind == "code")]
        has_strong = any(not quantity.weak for quantity in (*left, *right))
        if left and right and has_strong:
            differences.append(MeaningDifference(kind, f"{kind}s differ: {_join_texts(left)} / {_join_texts(right)}"))
        elif kind == "number" and has_strong:
            side = "expected" if left else "actual"
            differences.append(MeaningDifference("number missing", f"only {side} has a number: {_join_texts(left or right)}"))
    return differences


def _join_texts(quantities: Sequence[TextQuantity]) -> str:
    return ", ".join(str(quantity) for quantity in quantities)


def _compare_letters(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    """Plan A is not plan B, nor type I type II; a letter on one side alone is no difference."""
    only_expected, only_actual = _letters_only_in(expected, actual), _letters_only_in(actual, expected)
    if not only_expected or not only_actual:
        return []
    return [MeaningDifference("code", f"letters differ: {', '.join(sorted(only_expected))} / {', '.join(sorted(only_actual))}")]


def _letters_only_in(reading: TextReading, opposite: TextReading) -> set[str]:
    """The letters of one text that the other does not have, letter case aside."""
    folded = {letter.casefold() for letter in opposite.letters}
    return {letter for letter in reading.letters if letter.casefold() not in folded}


def _compare_signs(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    """`A+` is not `A-`: texts this short are either equal or different. The lexicon and numbers take precedence."""
    decided_elsewhere = (expected.alternatives and actual.alternatives) or expected.quantities or actual.quantities
    if decided_elsewhere or not expected.sign or not actual.sign or expected.sign == actual.sign:
        return []
    return [MeaningDifference("code", f"codes differ: {expected.sign} / {actual.sign}")]


def _compare_versions(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    """Versions and sections differ where their digits do, whatever their value as a number."""
    only_expected, only_actual = expected.versions - actual.versions, actual.versions - expected.versions
    if not only_expected or not only_actual:
        return []
    return [MeaningDifference("code", f"versions differ: {', '.join(sorted(only_expected))} / {', '.join(sorted(only_actual))}")]


def _find_conflicts(expected: Sequence[LexiconTerm], actual: Sequence[LexiconTerm]) -> list[tuple[LexiconTerm, LexiconTerm]]:
    """Return the first terms of each family in which the two sides share no group."""
    conflicts: list[tuple[LexiconTerm, LexiconTerm]] = []
    for family in dict.fromkeys(term.family for term in expected):
        expected_terms = [term for term in expected if term.family == family]
        actual_terms = [term for term in actual if term.family == family]
        if actual_terms and {term.group for term in expected_terms}.isdisjoint(term.group for term in actual_terms):
            conflicts.append((expected_terms[0], actual_terms[0]))
    return conflicts


def _compare_polarity(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    """Compare opposites and negation together: `not approved` is `rejected`, and `unpaid` is `not paid`."""
    opposites = [(left.text, right.text) for left, right in _find_conflicts(expected.opposites, actual.opposites)]
    opposites = list(dict.fromkeys([*opposites, *_find_prefix_opposites(expected.words, actual.words)]))
    one_side_negated = (expected.negations - actual.negations) % 2 == 1
    if one_side_negated and opposites:
        return []
    if opposites:
        return [MeaningDifference("opposite", f"opposites: {left} / {right}") for left, right in opposites]
    if one_side_negated and not (expected.maybe_negative or actual.maybe_negative):
        side = "expected" if expected.negations > actual.negations else "actual"
        return [MeaningDifference("negation", f"only {side} is negated")]
    return []


def _find_prefix_opposites(expected: Sequence[str], actual: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of words, each on one side alone, that a prefix makes opposites."""
    only_expected, only_actual = sorted(set(expected) - set(actual)), sorted(set(actual) - set(expected))
    stems = {word: _stem(word) for word in (*only_expected, *only_actual)}
    opposites: list[tuple[str, str]] = []
    for left in only_expected:
        for right in only_actual:
            same_ending = left[-2:] == right[-2:] or stems[left][-2:] == stems[right][-2:]  # cheap, and rules out most pairs
            if same_ending and (_are_prefix_opposites(left, right) or _are_prefix_opposites(stems[left], stems[right])):
                opposites.append((left, right))
    return opposites


def _are_prefix_opposites(left: str, right: str) -> bool:
    for pair in lexicon.OPPOSITE_PREFIXES:
        for left_prefix, right_prefix in (pair, pair[::-1]):
            if len(left) - len(left_prefix) <= 3 or not (left.startswith(left_prefix) and right.startswith(right_prefix)):
                continue
            if left.removeprefix(left_prefix) == right.removeprefix(right_prefix):
                return True
    return False


def _stem(word: str) -> str:
    """Remove the endings of English past and plural: completed and complete are one."""
    ending = next((ending for ending in ("ed", "es", "d", "s", "e") if word.endswith(ending) and len(word) > 5), "")
    return word.removesuffix(ending)


def _compare_alternatives(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    conflicts = _find_conflicts(expected.alternatives, actual.alternatives)
    return [MeaningDifference("alternative", f"not the same: {left.text} / {right.text}") for left, right in conflicts]


def _compare_qualifiers(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    """Find a word such as `former` on one side alone, where the rest is the same."""
    qualifiers = (set(expected.words) ^ set(actual.words)) & lexicon.QUALIFIERS
    in_expected, in_actual = not qualifiers.isdisjoint(expected.words), not qualifiers.isdisjoint(actual.words)
    if in_expected == in_actual:
        return []
    expected_rest, actual_rest = set(expected.words) - qualifiers, set(actual.words) - qualifiers
    rest_is_same = all(any(_are_related(left, right) for right in actual_rest) for left in expected_rest)
    if not expected_rest or not rest_is_same:
        return []
    side = "expected" if in_expected else "actual"
    return [MeaningDifference("qualifier", f"only {side} says {', '.join(sorted(qualifiers))}")]


def _compare_names(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    """Find names that the other side does not have, on both sides."""
    only_expected = [name for name in expected.names if not _occurs_among(name, actual.words)]
    only_actual = [name for name in actual.names if not _occurs_among(name, expected.words)]
    if not only_expected or not only_actual:
        return []
    if any(_are_related(left, right) for left in only_expected for right in only_actual):
        return []
    return [MeaningDifference("name", f"names differ: {' '.join(only_expected)} / {' '.join(only_actual)}")]


def _occurs_among(name: str, words: Sequence[str]) -> bool:
    """Return whether a name is among words, in full, in part, or as the initials of consecutive words."""
    plain = name.lower()
    if any(word == plain or word.startswith(plain) or plain.startswith(word) for word in words if len(word) > 2):
        return True
    initials = "".join(word[0] for word in words)
    return name.isupper() and (plain in words or plain in initials)


def _are_related(left: str, right: str) -> bool:
    """Return whether one name may be a spelling, a part or a form of the other."""
    left, right = left.lower(), right.lower()
    same_beginning = len(left) > 3 and len(right) > 3 and left[:4] == right[:4]
    return left == right or same_beginning or left in right.split("-") or right in left.split("-")


def _compare_order(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    """Find equal words with two of them exchanged: the lender notifies the borrower, or the other way round."""
    for active, passive in ((expected.words, actual.words), (actual.words, expected.words)):
        extra = Counter(passive) - Counter(active)
        if "by" in extra and set(extra) <= _PASSIVE_WORDS and tuple(word for word in passive if word not in extra) == active:
            return [MeaningDifference("order", "active / passive with the same order")]
    swapped = _find_swapped_numbers(expected.tokens, actual.tokens) or _find_swapped_sides(expected.tokens, actual.tokens)
    if swapped:
        return [MeaningDifference("order", f"order differs: {swapped}")]
    positions = _differing_positions(expected.tokens, actual.tokens)
    if positions is None or len(positions) != 2:
        return []
    first, second = positions
    exchanged = expected.tokens[first] == actual.tokens[second] and expected.tokens[second] == actual.tokens[first]
    between = set(expected.tokens[first + 1 : second])
    in_list = between & _LIST_WORDS and not between & _CONTRAST_WORDS
    if not exchanged or not between or in_list:  # neighbours and items of a list may change places
        return []
    expected_order = f"{expected.tokens[first]} … {expected.tokens[second]}"
    actual_order = f"{actual.tokens[first]} … {actual.tokens[second]}"
    return [MeaningDifference("order", f"order differs: {expected_order} / {actual_order}")]


def _find_swapped_numbers(expected: Sequence[str], actual: Sequence[str]) -> str:
    """The numbers of two texts with the same words in the same order, where only the order of the numbers differs."""
    expected_numbers, actual_numbers = ([token for token in tokens if token[0].isdigit()] for tokens in (expected, actual))
    if expected_numbers == actual_numbers or sorted(expected_numbers) != sorted(actual_numbers):
        return ""
    expected_words, actual_words = ([token for token in tokens if not token[0].isdigit()] for tokens in (expected, actual))
    if expected_words != actual_words or not set(expected_words).isdisjoint(_LIST_WORDS - {","}):
        return ""
    return f"{' … '.join(expected_numbers)} / {' … '.join(actual_numbers)}"


def _find_swapped_sides(expected: Sequence[str], actual: Sequence[str]) -> str:
    """What stands on either side of one `to` or `than`, where the other text has it the other way round."""
    for word in _DIRECTION_WORDS:
        if expected.count(word) == actual.count(word) == 1:
            expected_at, actual_at = expected.index(word), actual.index(word)
            left, right = tuple(expected[:expected_at]), tuple(expected[expected_at + 1 :])
            if left != right and left and left == tuple(actual[actual_at + 1 :]) and right == tuple(actual[:actual_at]):
                return f"{' '.join(expected)} / {' '.join(actual)}"
    return ""


def _differing_positions(expected: Sequence[str], actual: Sequence[str]) -> list[int] | None:
    """Return where two sequences differ; None if their lengths do."""
    if len(expected) != len(actual):
        return None
    return [position for position, (left, right) in enumerate(zip(expected, actual, strict=True)) if left != right]


def find_swapped_word(expected: TextReading, actual: TextReading) -> tuple[str, str] | None:
    """Return the only word in which two texts differ, unless one is a form of the other or they share nothing but function words.

    >>> find_swapped_word(read_text("Dog food with chicken"), read_text("Cat food with chicken"))
    ('dog', 'cat')
    """
    positions = _differing_positions(expected.tokens, actual.tokens)
    if positions is None or len(positions) != 1:
        return None
    position = positions[0]
    shared_words = [*expected.tokens[:position], *expected.tokens[position + 1 :]]
    if _FUNCTION_WORDS.issuperset(shared_words):
        return None
    left, right = expected.tokens[position], actual.tokens[position]
    if left in _FUNCTION_WORDS or right in _FUNCTION_WORDS or not (left.isalpha() and right.isalpha()) or _are_related(left, right):
        return None
    return left, right
