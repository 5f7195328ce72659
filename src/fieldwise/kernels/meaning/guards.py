"""Guards for what an embedding misses: numbers, units, letters, negation, opposites, names, and who does what to whom.

Each difference lowers the similarity and gives the reason.

>>> [str(difference) for difference in find_differences(read_text("Q3 revenue rose 5 %"), read_text("Q3 revenue fell 15 %"))]
['numbers differ: 5 % / 15 %', 'opposites: rose / fell']
>>> find_differences(read_text("The term is 24 months"), read_text("It runs for two years"))
()
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from fieldwise.kernels.meaning import lexicon
from fieldwise.kernels.meaning.marks import compare_marks, find_operators, refuses
from fieldwise.kernels.meaning.quantities import TextQuantity, have_opposite_limits, quantities_agree
from fieldwise.kernels.meaning.quantity_context import is_same_limit
from fieldwise.kernels.meaning.text_reading import LetterPlace, LexiconTerm, TextReading, read_text

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

_MAX_TERM_WORDS = 2
_MAX_NAME_WORDS = 4
_MIN_SLIP_RATIO = 0.75
"""Words less alike than this are other words, not misspelt ones."""
_PASSIVE_WORDS = lexicon.parse_words("is are was were be been being by has have had")
_LIST_WORDS = lexicon.parse_words("and or & und oder et ou y e o en , /")
_DIRECTION_WORDS = ("to", "than", "into", "before", "after", "→")
_OPPOSITE_DIRECTIONS = ({"to", "from"}, {"an", "von"}, {"nach", "von"}, {"zum", "vom"}, {"zur", "von"})
_CONTRAST_WORDS = lexicon.parse_words("but than from to")
_WORDS_OF_ONE_LETTER = frozenset("aeiouy")
_SAME_WORDS_OF_ONE_LETTER = tuple(map(set, ("ey", "ou", "ao", "ai")))
"""Forms of one word, such as Spanish `y` and `e`, the articles of Portuguese, Czech `a` and `i`."""
_FUNCTION_WORDS = lexicon.parse_words("""the a an of is are was were be been has have had to in on at for by with and or it its this that
will shall may must from as per der die das den dem ein eine und ist im le la les un une des du de el los las una y il lo o""")

_NOUN_MARKERS = lexicon.parse_words("a an the by for in on at with from of to into via under upon during against because per")
"""Articles and prepositions, before a noun."""
_MAX_PHRASE_WORDS = 3


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
    paired = _pair_quantities(expected, actual)
    return (
        *_compare_quantities(paired),
        *_compare_letters(expected, actual),
        *_compare_signs(expected, actual),
        *_compare_versions(expected, actual),
        *_compare_marks(expected, actual),
        *_compare_magnitudes(expected, actual),
        *(_compare_polarity(expected, actual) or _compare_limits(paired)),
        *_compare_alternatives(expected, actual),
        *_compare_class_endings(expected, actual),
        *_compare_qualifiers(expected, actual),
        *_compare_names(expected, actual),
        *_compare_known_name(expected, actual),
        *_compare_order(expected, actual),
        *_compare_directions(expected, actual),
    )


@dataclass(frozen=True, slots=True)
class _PairedQuantities:
    """Quantities of two texts: those that agree, and the others of either side."""

    agreeing: list[tuple[TextQuantity, TextQuantity]]
    only_expected: list[TextQuantity]
    only_actual: list[TextQuantity]


def _pair_quantities(expected: TextReading, actual: TextReading) -> _PairedQuantities:
    paired = _PairedQuantities([], [], list(actual.quantities))
    for quantity in expected.quantities:
        candidates = [candidate for candidate in paired.only_actual if quantities_agree(quantity, candidate)]
        if not candidates:
            paired.only_expected.append(quantity)
            continue
        match = next((candidate for candidate in candidates if not have_opposite_limits(quantity, candidate)), candidates[0])
        paired.only_actual.remove(match)
        paired.agreeing.append((quantity, match))
    return paired


def find_symbol_differences(expected: str, actual: str) -> tuple[MeaningDifference, ...]:
    """Differences between two texts with the same words: in signs, units, currencies, limits and marks.

    >>> [str(difference) for difference in find_symbol_differences("Total: $500", "Total: €500")]
    ['numbers differ: 500 USD or 28 others / 500 EUR']
    """
    left, right = read_text(expected), read_text(actual)
    paired = _pair_quantities(left, right)
    numbers = [difference for difference in _compare_quantities(paired) if difference.kind != "number missing"]
    if any(quantity.family == "parts" for quantity in (*paired.only_expected, *paired.only_actual)):
        numbers = []  # the same groups of digits, with points or something else between them: telephone numbers
    refused = _negations_against(left, right) - left.negations != _negations_against(right, left) - right.negations
    negations = [MeaningDifference("negation", "only one side is ticked")] if refused else []
    differences = (*numbers, *negations, *_compare_marks(left, right), *_compare_limits(paired))
    left_operators, right_operators = find_operators(expected), find_operators(actual)
    if not differences and left_operators and right_operators and left_operators != right_operators:
        return (MeaningDifference("code", f"signs differ: {''.join(left_operators)} / {''.join(right_operators)}"),)
    return differences


def _compare_quantities(paired: _PairedQuantities) -> list[MeaningDifference]:
    differences: list[MeaningDifference] = []
    for kind in ("number", "code"):
        left = [quantity for quantity in paired.only_expected if (quantity.family == "code") == (kind == "code")]
        right = [quantity for quantity in paired.only_actual if (quantity.family == "code") == (kind == "code")]
        has_strong = any(not quantity.weak for quantity in (*left, *right))
        if left and right and has_strong:
            differences.append(MeaningDifference(kind, f"{kind}s differ: {_describe_quantities(left, right)}"))
        elif kind == "number" and has_strong:
            side = "expected" if left else "actual"
            shown = ", ".join(map(str, left or right))
            differences.append(MeaningDifference("number missing", f"only {side} has a number: {shown}"))
    return differences


def _describe_quantities(expected: Sequence[TextQuantity], actual: Sequence[TextQuantity]) -> str:
    """The quantities of both sides; where their texts are the same, with sign and currency."""
    left, right = ", ".join(map(str, expected)), ", ".join(map(str, actual))
    if left == right:
        left, right = (", ".join(quantity.describe() for quantity in quantities) for quantities in (expected, actual))
    return f"{left} / {right}"


def _compare_limits(paired: _PairedQuantities) -> list[MeaningDifference]:
    """`up to 5 years` is not `over 5 years`."""
    for left, right in paired.agreeing:
        if have_opposite_limits(left, right):
            return [MeaningDifference("opposite", f"limits differ: {left.describe()} / {right.describe()}")]
    return []


def _compare_letters(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    """Plan A is not plan B, nor type I type II, nor plan a plan b; a letter on one side alone is no difference."""
    only_expected, only_actual = _letters_only_in(expected, actual), _letters_only_in(actual, expected)
    if only_expected and only_actual:
        return [MeaningDifference("code", f"letters differ: {', '.join(sorted(only_expected))} / {', '.join(sorted(only_actual))}")]
    swapped = _find_swapped_letter(expected.tokens, actual.tokens)
    if swapped is not None:
        return [MeaningDifference("code", f"letters differ: {swapped[0]} / {swapped[1]}")]
    if sorted(place.letter.lower() for place in expected.letter_places) == sorted(place.letter.lower() for place in actual.letter_places):
        return []  # `a or b` and `b or a`
    for before in dict.fromkeys(place.before for place in expected.letter_places):
        left, right = ([place for place in reading.letter_places if place.before == before] for reading in (expected, actual))
        if right and all(_are_other_letters(left_place, right_place) for left_place in left for right_place in right):
            return [MeaningDifference("code", f"letters differ: {left[0].letter} / {right[0].letter}")]
    return []


def _find_swapped_letter(expected: Sequence[str], actual: Sequence[str]) -> tuple[str, str] | None:
    """The first letters in which two texts differ, if they differ in single letters behind another one only: plan x y, plan x z."""
    positions = _differing_positions(expected, actual)
    if not positions or sorted(expected) == sorted(actual):
        return None
    for position in positions:
        left, right = expected[position], actual[position]
        if len(left) > 1 or len(right) > 1 or not (left.isalpha() and right.isalpha()) or {left, right} in _SAME_WORDS_OF_ONE_LETTER:
            return None
        if not position or len(expected[position - 1]) > 1:
            return None
    return expected[positions[0]], actual[positions[0]]


def _are_other_letters(left: LetterPlace, right: LetterPlace) -> bool:
    """True if the letters after the same word name different things. A small letter may also be a word: `plan a trip`, `y`, `e`, `o`."""
    letters = {left.letter.lower(), right.letter.lower()}
    if len(letters) == 1 or (left.letter.isupper() and right.letter.isupper()) or letters in _SAME_WORDS_OF_ONE_LETTER:
        return False
    may_be_words = not letters.isdisjoint(_WORDS_OF_ONE_LETTER)
    return not may_be_words or (left.after == right.after and left.before not in _FUNCTION_WORDS)


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


def _compare_marks(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    return [MeaningDifference("code", what) for what in compare_marks(expected.marks, actual.marks)]


def _compare_magnitudes(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    """Revenue in million is not revenue in billion."""
    left, right = expected.lone_magnitudes, actual.lone_magnitudes
    if not left or not right or left & right:
        return []
    return [MeaningDifference("number", f"magnitudes differ: {min(left):,.0f} / {min(right):,.0f}")]


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
    opposites = list(dict.fromkeys([*opposites, *_find_built_opposites(expected.words, actual.words)]))
    expected_negations, actual_negations = _negations_against(expected, actual), _negations_against(actual, expected)
    one_side_negated = (expected_negations - actual_negations) % 2 == 1
    if one_side_negated and opposites:
        return []
    if opposites:
        return [MeaningDifference("opposite", f"opposites: {left} / {right}") for left, right in opposites]
    if one_side_negated and (_is_slightly(expected, actual) or _is_slightly(actual, expected)):
        return []
    may_be_negative_without = expected.maybe_negative or actual.maybe_negative
    if one_side_negated and (not may_be_negative_without or _restricts_what_the_other_denies(expected, actual)):
        side = "expected" if expected_negations > actual_negations else "actual"
        return [MeaningDifference("negation", f"only {side} is negated")]
    return _compare_failures(expected, actual)


def _is_slightly(negated: TextReading, opposite: TextReading) -> bool:
    """True if one side says `barely` and the other one a small degree: `barely grew`, `grew slightly`."""
    return not lexicon.WEAK_NEGATORS.isdisjoint(negated.words) and not lexicon.SMALL_DEGREES.isdisjoint(opposite.words)


def _restricts_what_the_other_denies(expected: TextReading, actual: TextReading) -> bool:
    """True for the same words with `only` on one side and `not` on the other: `Only members may vote`, `Members may not vote`."""
    left, right = set(expected.words), set(actual.words)
    restriction, denial = (left - right, right - left) if "only" in left else (right - left, left - right)
    return restriction == {"only"} and bool(denial) and denial <= lexicon.NEGATORS


def _negations_against(reading: TextReading, opposite: TextReading) -> int:
    """The negations of a text; against one without check marks, a mark that says no is one."""
    return reading.negations + (refuses(reading.marks) and not opposite.marks.check_marks)


def _compare_failures(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    """`fails to deliver` is not `delivers`."""
    for side, reading, opposite in (("expected", expected, actual), ("actual", actual, expected)):
        is_plain = not opposite.failures and not opposite.negations and not opposite.maybe_negative
        if is_plain and any(_are_related(verb, word) for verb in reading.failures for word in opposite.words):
            return [MeaningDifference("negation", f"only {side} is negated")]
    return []


def _find_built_opposites(expected: Sequence[str], actual: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of words, each on one side alone, that a prefix or the ending of a party makes opposites."""
    only_expected, only_actual = sorted(set(expected) - set(actual)), sorted(set(actual) - set(expected))
    stems = {word: _stem(word) for word in (*only_expected, *only_actual)}
    opposites: list[tuple[str, str]] = []
    for left in only_expected:
        for right in only_actual:
            same_ending = left[-2:] == right[-2:] or stems[left][-2:] == stems[right][-2:]  # cheap, and rules out most pairs
            by_prefix = same_ending and (_are_prefix_opposites(left, right) or _are_prefix_opposites(stems[left], stems[right]))
            if by_prefix or (left[:3] == right[:3] and _are_two_parties(left, right)):
                opposites.append((left, right))
    return opposites


def _are_two_parties(left: str, right: str) -> bool:
    """True for the two parties of one deal: `licensor` and `licensee`, `Auftraggeber` and `Auftragnehmer`."""
    left, right = (word.removesuffix("s").removesuffix("'") for word in (left, right))
    return any(
        left.endswith(left_ending) and right.endswith(right_ending) and left.removesuffix(left_ending) == right.removesuffix(right_ending)
        for pair in lexicon.PARTY_ENDINGS
        for left_ending, right_ending in (pair, pair[::-1])
    )


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


def _compare_class_endings(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    """Gastritis is not colitis: of words with the ending of one class, the beginning says which."""
    left_words, right_words = ([word for word in reading.words if word.endswith(lexicon.CLASS_ENDINGS)] for reading in (expected, actual))
    for ending in lexicon.CLASS_ENDINGS if left_words and right_words else ():
        left, right = ([word.removesuffix(ending) for word in words if word.endswith(ending)] for words in (left_words, right_words))
        if left and right and not any(_is_spelling(first, second) for first in left for second in right):
            return [MeaningDifference("alternative", f"not the same: {left[0]}{ending} / {right[0]}{ending}")]
    return []


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


def _compare_known_name(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    """Prague is not Brno: a name of one place or make, against another name that is no spelling of it."""
    for left, right in ((expected, actual), (actual, expected)):
        name = " ".join(left.words)
        terms = [term for term in left.alternatives if term.is_name and term.text == name]
        if not terms or not right.words or len(right.words) > _MAX_NAME_WORDS or left.is_title != right.is_title:
            continue
        families = {term.family for term in terms}
        if any(term.family in families for term in right.alternatives):
            return []  # two names of one kind are alternatives
        if _are_initials(name, right.words) or _are_initials(" ".join(right.words), left.words):
            return []
        if not any(_are_alike(word, opposite) for word in left.words for opposite in right.words):
            return [MeaningDifference("name", f"names differ: {' '.join(expected.words)} / {' '.join(actual.words)}")]
    return []


def _are_initials(letters: str, words: Sequence[str]) -> bool:
    """True for `la` and `l.a` of Los Angeles."""
    return letters.replace(".", "") == "".join(word[0] for word in words)


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


def _compare_directions(expected: TextReading, actual: TextReading) -> list[MeaningDifference]:
    """Find texts that differ in one word only, which tells where something goes: delivery to Acme, delivery from Acme."""
    positions = _differing_positions(expected.tokens, actual.tokens)
    if positions is None or len(positions) != 1:
        return []
    left, right = expected.tokens[positions[0]], actual.tokens[positions[0]]
    return [MeaningDifference("order", f"directions differ: {left} / {right}")] if {left, right} in _OPPOSITE_DIRECTIONS else []


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
    if left in _FUNCTION_WORDS or right in _FUNCTION_WORDS or not (left.isalpha() and right.isalpha()) or _are_forms(left, right):
        return None
    if (
        is_same_limit(left, right)
        or _is_initial_of(left, right, expected)
        or _is_initial_of(right, left, actual)
        or _are_in_one_group(left, right, expected, actual)
    ):
        return None
    return left, right


def find_swapped_phrase(expected: TextReading, actual: TextReading) -> tuple[str, str] | None:
    """Return the nouns in which two texts differ, with their adjectives, if the texts are the same but for these.

    These are the words after an article or a preposition on either side, or any words of a term that has neither.

    >>> find_swapped_phrase(read_text("Delayed by bad weather"), read_text("Delayed by a strike"))
    ('bad weather', 'strike')
    >>> find_swapped_phrase(read_text("value added tax"), read_text("income tax"))
    ('value added', 'income')
    """
    before = _count_shared(expected.tokens, actual.tokens)
    behind = _count_shared(expected.tokens[before:][::-1], actual.tokens[before:][::-1])
    left, right = (reading.tokens[before : len(reading.tokens) - behind] for reading in (expected, actual))
    shared_words = expected.tokens[:before] + expected.tokens[len(expected.tokens) - behind :]
    if not left or not right or _FUNCTION_WORDS.issuperset(shared_words) or expected.negations or actual.negations:
        return None
    follows_marker = not _NOUN_MARKERS.isdisjoint((*shared_words[before - 1 : before], left[0], right[0]))
    if not follows_marker and not all(map(_is_content_word, (*expected.tokens, *actual.tokens))):
        return None
    left, right = ([word for word in words if word not in _NOUN_MARKERS] for words in (left, right))
    if not (0 < len(left) <= _MAX_PHRASE_WORDS and 0 < len(right) <= _MAX_PHRASE_WORDS and all(map(_is_content_word, (*left, *right)))):
        return None
    if any(_are_forms(first, second) or _are_in_one_group(first, second, expected, actual) for first in left for second in right):
        return None
    phrases = " ".join(left), " ".join(right)
    return None if _are_initials(phrases[0], right) or _are_initials(phrases[1], left) else phrases


def _count_shared(expected: Sequence[str], actual: Sequence[str]) -> int:
    """How many words two texts, or letters two words, begin with."""
    pairs = enumerate(zip(expected, actual, strict=False))
    return next((position for position, (left, right) in pairs if left != right), min(len(expected), len(actual)))


def _is_content_word(word: str) -> bool:
    return len(word) > 1 and word.isascii() and word.removesuffix("'s").isalpha() and word not in _FUNCTION_WORDS


def are_unshared_terms(expected: TextReading, actual: TextReading) -> bool:
    """True for two terms or names of one or two words that share none: a model finds things of one kind alike, such as two towns.

    >>> are_unshared_terms(read_text("ham sandwich"), read_text("tuna wrap")), are_unshared_terms(read_text("legal"), read_text("legally"))
    (True, False)
    """
    left, right = expected.tokens, actual.tokens
    if len(left) != len(right) or not 1 <= len(left) <= _MAX_TERM_WORDS:
        return False
    words = (*left, *right)
    if not all(word.isascii() and word.isalpha() and word not in _FUNCTION_WORDS for word in words):
        return False
    has_own_reading = expected.negations or actual.negations or expected.failures or actual.failures
    terms = {(term.family, term.group) for term in (*expected.opposites, *expected.alternatives)}
    share_group = any((term.family, term.group) in terms for term in (*actual.opposites, *actual.alternatives))
    return not (has_own_reading or share_group) and not any(_are_alike(first, second) for first in left for second in right)


def _are_alike(left: str, right: str) -> bool:
    """True for forms of one word and for a slip of the pen: `Smith` and `Smtih`."""
    return _are_related(left, right) or _is_spelling(left, right)


def _is_spelling(left: str, right: str) -> bool:
    return SequenceMatcher(None, left, right).ratio() >= _MIN_SLIP_RATIO


def _are_forms(left: str, right: str) -> bool:
    """True for forms of one word: most of the shorter one begins the other. `Construction` is no form of `consulting`."""
    shared = _count_shared(left, right)
    return left == right or (shared > 3 and 2 * shared > min(len(left), len(right)))


def _is_initial_of(letter: str, word: str, reading: TextReading) -> bool:
    """True if a letter is an initial in its text, and the word begins with it: `J. Smith` and `John Smith`."""
    return len(letter) == 1 and letter.upper() in reading.marks.initials and word.startswith(letter)


def _are_in_one_group(left: str, right: str, expected: TextReading, actual: TextReading) -> bool:
    """True if the words are part of terms that mean the same: `plus VAT` and `excluding VAT`, `Jon` and `John`."""
    for term in (*expected.opposites, *expected.alternatives):
        for other_term in (*actual.opposites, *actual.alternatives):
            same_group = (term.family, term.group) == (other_term.family, other_term.group)
            if same_group and left in term.text.split() and right in other_term.text.split():
                return True
    return False
