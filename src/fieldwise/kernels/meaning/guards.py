"""What an embedding overlooks: numbers, units, letters, negation, opposites, names, who does what to whom. Each lowers the similarity and
says why.

>>> [str(found) for found in differences(read("Q3 revenue rose 5 %"), read("Q3 revenue fell 15 %"))]
['numbers differ: 5 % / 15 %', 'opposites: rose / fell']
>>> differences(read("The term is 24 months"), read("It runs for two years"))
()
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fieldwise.kernels.meaning import lexicon
from fieldwise.kernels.meaning.quantities import agree
from fieldwise.kernels.meaning.reading import Reading, Term, read

__all__ = ["FACTORS", "Difference", "Reading", "differences", "read", "swapped_word"]

FACTORS: Mapping[str, float] = {
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
"""What each kind of difference leaves of the similarity. Several multiply."""

_PASSIVE = lexicon.words("is are was were be been being by has have had")
_LISTING = lexicon.words("and or & und oder et ou y e o en , /")
_CONTRAST = lexicon.words("but than from to")
_FUNCTION = lexicon.words("""the a an of is are was were be been has have had to in on at for by with and or it its this that will
shall may must from as per der die das den dem ein eine und ist im le la les un une des du de el los las una y il lo o""")


@dataclass(frozen=True, slots=True)
class Difference:
    """One reason why two texts do not mean the same."""

    kind: str
    what: str

    @property
    def factor(self) -> float:
        """What it leaves of the similarity."""
        return FACTORS[self.kind]

    def __str__(self) -> str:
        return self.what


def differences(expected: Reading, actual: Reading) -> tuple[Difference, ...]:
    """Every reason found why two texts do not mean the same."""
    found = [
        *_numbers(expected, actual),
        *_letters(expected, actual),
        *_signs(expected, actual),
        *_polarity(expected, actual),
        *_alternatives(expected, actual),
        *_qualifiers(expected, actual),
    ]
    return (*found, *_who(expected, actual), *_order(expected, actual))


def _numbers(expected: Reading, actual: Reading) -> list[Difference]:
    here, there = list(expected.quantities), list(actual.quantities)
    for quantity in expected.quantities:
        match = next((other for other in there if agree(quantity, other)), None)
        if match is not None:
            here.remove(quantity)
            there.remove(match)
    found: list[Difference] = []
    for kind in ("number", "code"):
        left, right = ([quantity for quantity in side if (quantity.family == "code") == (kind == "code")] for side in (here, there))
        if left and right and not all(quantity.weak for quantity in (*left, *right)):
            found.append(Difference(kind, f"{kind}s differ: {_list(left)} / {_list(right)}"))
        elif kind == "number" and any(not quantity.weak for quantity in (*left, *right)):
            side = "expected" if left else "actual"
            found.append(Difference("number missing", f"only {side} has a number: {_list(left or right)}"))
    return found


def _letters(expected: Reading, actual: Reading) -> list[Difference]:
    """Plan A is not plan B, nor type I type II; a letter that only one side has says nothing."""
    here, there = expected.letters - actual.letters, actual.letters - expected.letters
    if not here or not there:
        return []
    return [Difference("code", f"letters differ: {', '.join(sorted(here))} / {', '.join(sorted(there))}")]


def _signs(expected: Reading, actual: Reading) -> list[Difference]:
    """`A+` and `A-`: nothing can be like texts this short. What the lexicon or a number says of them counts for more."""
    known = (expected.alternatives and actual.alternatives) or expected.quantities or actual.quantities
    if known or not expected.sign or not actual.sign or expected.sign == actual.sign:
        return []
    return [Difference("code", f"codes differ: {expected.sign} / {actual.sign}")]


def _list(quantities: Sequence[object]) -> str:
    return ", ".join(str(quantity) for quantity in quantities)


def _conflicts(expected: Sequence[Term], actual: Sequence[Term]) -> list[tuple[Term, Term]]:
    """Terms of one set of which the two sides share no group."""
    found: list[tuple[Term, Term]] = []
    for family in dict.fromkeys(term.family for term in expected):
        here, there = ([term for term in side if term.family == family] for side in (expected, actual))
        if there and {term.group for term in here}.isdisjoint(term.group for term in there):
            found.append((here[0], there[0]))
    return found


def _polarity(expected: Reading, actual: Reading) -> list[Difference]:
    """Opposites and negation together: `not approved` is `rejected`, and `unpaid` is `not paid`."""
    flips = [(one.text, other.text) for one, other in _conflicts(expected.opposites, actual.opposites)]
    flips = list(dict.fromkeys([*flips, *_prefixed(expected.words, actual.words)]))
    negated = (expected.negations - actual.negations) % 2 == 1
    if negated and flips:
        return []
    if flips:
        return [Difference("opposite", f"opposites: {one} / {other}") for one, other in flips]
    if negated and not (expected.maybe_negative or actual.maybe_negative):
        side = "expected" if expected.negations > actual.negations else "actual"
        return [Difference("negation", f"only {side} is negated")]
    return []


def _prefixed(expected: Sequence[str], actual: Sequence[str]) -> list[tuple[str, str]]:
    """Words that only one side has, and that a prefix makes each other's opposite."""
    here, there = sorted(set(expected) - set(actual)), sorted(set(actual) - set(expected))
    stems = {word: _stem(word) for word in (*here, *there)}
    alike = [(one, other) for one in here for other in there if one[-2:] == other[-2:] or stems[one][-2:] == stems[other][-2:]]
    return [(one, other) for one, other in alike if _opposed(one, other) or _opposed(stems[one], stems[other])]


def _opposed(one: str, other: str) -> bool:
    return any(
        one.removeprefix(first) == other.removeprefix(second) and one.startswith(first) and other.startswith(second)
        for pair in lexicon.PREFIXES
        for first, second in (pair, pair[::-1])
        if len(one) - len(first) > 3
    )


def _stem(word: str) -> str:
    """A word without the endings of English past and plural: completed and complete are one."""
    ending = next((ending for ending in ("ed", "es", "d", "s", "e") if word.endswith(ending) and len(word) > 5), "")
    return word.removesuffix(ending)


def _alternatives(expected: Reading, actual: Reading) -> list[Difference]:
    conflicts = _conflicts(expected.alternatives, actual.alternatives)
    return [Difference("alternative", f"not the same: {one.text} / {other.text}") for one, other in conflicts]


def _qualifiers(expected: Reading, actual: Reading) -> list[Difference]:
    """A word such as `former` that only one side has, where the rest is the same."""
    alone = (set(expected.words) ^ set(actual.words)) & lexicon.ONE_SIDED
    here, there = (set(side.words) - alone for side in (expected, actual))
    one_sided = alone.isdisjoint(expected.words) != alone.isdisjoint(actual.words)
    if not one_sided or not all(any(_akin(word, other) for other in there) for word in here) or not here:
        return []
    side = "actual" if alone.isdisjoint(expected.words) else "expected"
    return [Difference("qualifier", f"only {side} says {', '.join(sorted(alone))}")]


def _who(expected: Reading, actual: Reading) -> list[Difference]:
    """Names that only one side has, on both sides."""
    here = [name for name in expected.names if not _echoed(name, actual.words)]
    there = [name for name in actual.names if not _echoed(name, expected.words)]
    if not here or not there or any(_akin(one, other) for one in here for other in there):
        return []
    return [Difference("name", f"names differ: {' '.join(here)} / {' '.join(there)}")]


def _echoed(name: str, words: Sequence[str]) -> bool:
    """Whether a name is among words, in full or as the initials of words in a row."""
    plain = name.lower()
    initials = "".join(word[0] for word in words)
    return any(word == plain or word.startswith(plain) or plain.startswith(word) for word in words if len(word) > 2) or (
        name.isupper() and (plain in words or plain in initials)
    )


def _akin(one: str, other: str) -> bool:
    """Whether one name may be a spelling, a part or a form of the other."""
    a, b = one.lower(), other.lower()
    shared = len(a) > 3 and len(b) > 3 and a[:4] == b[:4]
    return a == b or shared or a in b.split("-") or b in a.split("-")


def _order(expected: Reading, actual: Reading) -> list[Difference]:
    """The same words with two of them exchanged: the lender notifies the borrower, or the other way round."""
    for one, other in ((expected.words, actual.words), (actual.words, expected.words)):
        extra = Counter(other) - Counter(one)
        if "by" in extra and set(extra) <= _PASSIVE and tuple(word for word in other if word not in extra) == one:
            return [Difference("order", "active / passive with the same order")]
    here, there = expected.tokens, actual.tokens
    if len(here) != len(there):
        return []
    places = [place for place, (one, other) in enumerate(zip(here, there, strict=True)) if one != other]
    if len(places) != 2 or here[places[0]] != there[places[1]] or here[places[1]] != there[places[0]]:
        return []
    between = set(here[places[0] + 1 : places[1]])
    if not between or (between & _LISTING and not between & _CONTRAST):
        return []  # neighbours and items of a list may change places
    return [Difference("order", f"order differs: {here[places[0]]} … {here[places[1]]} / {there[places[0]]} … {there[places[1]]}")]


def swapped_word(expected: Reading, actual: Reading) -> tuple[str, str] | None:
    """The one word by which two otherwise equal texts differ, if it is more than a form of the other's word.

    >>> swapped_word(read("Dog food with chicken"), read("Cat food with chicken"))
    ('dog', 'cat')
    """
    here, there = expected.tokens, actual.tokens
    if len(here) != len(there):
        return None
    places = [place for place, (one, other) in enumerate(zip(here, there, strict=True)) if one != other]
    shared = any(here[place] not in _FUNCTION for place in range(len(here)) if place not in places)
    if len(places) != 1 or not shared:
        return None
    one, other = here[places[0]], there[places[0]]
    if one in _FUNCTION or other in _FUNCTION or not (one.isalpha() and other.isalpha()) or _akin(one, other):
        return None
    return one, other
