"""Keywords of a text: names with their numbers and codes, numbers, and words that carry meaning.

>>> KeywordReader().read_expected("Territory 118 has a rate change of 0.305%").keywords
('territory 118', 'territory', '118', 'rate', 'change', '0.305')

Texts are read token by token, and what a token holds is cached: answers repeat their words, so most tokens are a dict lookup.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final, NamedTuple, TypeVar

from fieldwise.kernels.numbers_in_text import (
    NumberLocale,
    find_numbers_in_token,
    join_number_spaces,
    negate_parenthesized,
    rewrite_wide_numbers,
)
from fieldwise.kernels.tokens import CODE_SHAPE, PHRASE_SHAPES

T = TypeVar("T")


class TextKeywords(NamedTuple):
    """The distinct keywords of an expected text, in order, case folded."""

    phrases: tuple[str, ...]
    """Capitalized phrases and codes: `territory 118`, `rule c-1`."""
    atoms: tuple[str, ...]
    """Words and numbers."""
    numbers: tuple[str, ...]
    """The numbers among the atoms, by value."""
    search_forms: tuple[str, ...]
    """The phrases as they are searched for; see `KeywordReader.phrase_search_form`."""
    word_count: int
    """The number of words of the text, keywords or not."""

    @property
    def keywords(self) -> tuple[str, ...]:
        return self.phrases + self.atoms

    def __len__(self) -> int:
        return len(self.phrases) + len(self.atoms)


class PreparedAnswer(NamedTuple):
    """A text in which keywords can be searched for."""

    tokens: Sequence[str]
    atoms: Collection[str]
    word_count: int


def _list_characters(*categories: str) -> str:
    """List the characters of some Unicode categories, up to where scripts with marks end, for a regex class."""
    blocks = (range(0x80, 0x2E00), range(0xA640, 0xABFF))
    return "".join(chr(code) for block in blocks for code in block if unicodedata.category(chr(code)) in categories)


WORD: Final = re.compile(r"[^\W\d_]{4,}")
PART: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)*|[^\W\d_]+|[.!?;]")
"""The parts of a search form: words, numbers and marks that end a sentence."""
_MARKED_WORD: Final = re.compile(rf"(?:[^\W\d_]|[{_list_characters('Mn', 'Mc')}])+")
_CJK: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
_CJK_RUN = re.compile(f"[{_CJK}]+")
_CJK_CHARACTER = re.compile(f"[{_CJK}]")
_HANGUL: Final = ("\uac00", "\ud7a3")
_OPTIONAL_MARKS = dict.fromkeys([0x640, *range(0x64B, 0x660), 0x670])
"""Arabic vowel signs and the elongation stroke: written or not, the word is the same."""
_CODE = re.compile(r"[A-Z]{1,5}-?[0-9]\w*(?:-\w+)*")
_OPENING: Final = "([{<\"'“‘«„*_`#"
_CLOSING: Final = ")]}>\"'”’»“*_`"
_ENDING: Final = ".,;:!?)]}"
_ENDING_MARKS: Final = frozenset(_ENDING)
_SHAPE_BEFORE_PUNCTUATION: Final = {"A": "a", "B": "b", "C": "c", "D": "d", "1": "0"}
_MAX_CACHED_TOKENS: Final = 50_000
_MAX_CACHED_TOKEN_LENGTH: Final = 64
_MAX_CACHED_TEXTS: Final = 10_000
_MAX_CACHED_TEXT_LENGTH: Final = 4_000
"""Expected texts are cached too: a question is often answered more than once."""

# Stopwords: words, and CJK characters, that carry no meaning by themselves

_ENGLISH: Final = """
a about above after again against all also although always am an and another any are as at be because been before being below between
both but by can cannot could did do does doing down during each either else ever every few for from further had has have having he hence
her here hers him his how however i if in into is it its itself just least less let like made make many may me might more most much must
my near neither never no none nor not now of off often on once one only onto or other others our out over own per perhaps quite rather
really same see shall she should since so some such than that the their theirs them then there therefore these they this those though
through thus to together too toward towards under until up upon us very via was we well were what whatever when where whether which
while who whom whose why will with within without would yes yet you your yours
"""
_GERMAN: Final = """
aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein dem den denn der des dessen
die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwa für gegen hat hatte hatten hier
ich ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jedoch kann kein keine können mehr mein mit muss nach nein
nicht noch nun nur ob oder ohne sehr sein seine seinem seinen seiner sich sie sind so soll sondern sowie über um und uns unser unter vom
von vor war waren was weil welche welcher welches wenn wer werden wie wird wo wurde wurden zu zum zur zwischen
"""
_FRENCH_SPANISH: Final = """
ainsi alors au aucun aussi autre aux avec avoir car ce ceci cela celle celui ces cet cette chez comme dans de des donc dont du elle elles
en entre est et être ils je la le les leur leurs lors lui mais même nous ou où par pas pendant plus pour pourquoi quand que quel quelle
qui sans ses si son sont sous sur très tous tout toute toutes un une vers votre vous
algo ante antes aquel aquella como con contra cual cuando cuya cuyo desde donde dos el ella ellas ellos entonces era esa ese eso esta
estas este esto estos está están fue ha hasta hay la las lo los más muy nada ni nos o otra otro para pero por porque pues que quien
se según ser si sin sobre son su sus también tanto tiene todas todo todos una uno unas unos y ya
"""
_ARABIC: Final = """
إلى الذي التي الذين اللذين أن إن أو أي بعد بين ثم حتى حول خلال ذلك على عن عند عندما غير في فيها قبل قد كان كانت كما كل لأن لا لقد لكن لم
لها له ما مع من منذ نحو نعم هذا هذه هناك هو هي هؤلاء وفي ولا ومن وهو وهي يكون تكون
"""

STOPWORDS: Final = frozenset(" ".join((_ENGLISH, _GERMAN, _FRENCH_SPANISH, _ARABIC)).split())
STOP_CHARACTERS: Final = frozenset("的了是在和与及或为有于对从被把这那其之而以也都就很吗呢吧啊我你他她它们一不上下中のはがをにでともへや")


def fold_keyword(text: str) -> str:
    """Fold case in composed form, without optional Arabic marks: the form in which keywords are searched for."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).translate(_OPTIONAL_MARKS).casefold())


# Caches by token: dicts that fill themselves, so that the common case is one lookup at C speed


class _AtomCache(dict[str, tuple[str, ...]]):
    """The words and numbers in a token."""

    def __init__(self, locale: NumberLocale, *, numbers_in_codes: bool) -> None:
        super().__init__()
        self.locale: NumberLocale = locale
        self.numbers_in_codes = numbers_in_codes

    def __missing__(self, token: str) -> tuple[str, ...]:
        numbers = [number.value for number in find_numbers_in_token(token, self.locale) if self.numbers_in_codes or not number.in_code]
        return _store_in_cache(self, token, (*_find_words(fold_keyword(token)), *numbers))


class _ShapeCache(dict[str, str]):
    """What a token can be in a phrase, as one letter: A capitalized, C a code, 1 a number; in lower case (0) if punctuation ends it;
    B and D for A and C after an opening bracket or quote; a dot for anything else."""

    def __missing__(self, token: str) -> str:
        bare = token.lstrip(_OPENING)
        core = bare.rstrip(_ENDING + _CLOSING)
        ended = not _ENDING_MARKS.isdisjoint(bare[len(core) :])
        return _store_in_cache(self, token, _classify_token(core, opened=len(bare) < len(token), ended=ended))


class _CoreCache(dict[str, str]):
    """A token without the marks around it, folded: `(C-01,` is `c-01`."""

    def __missing__(self, token: str) -> str:
        return _store_in_cache(self, token, fold_keyword(token.lstrip(_OPENING).rstrip(_ENDING + _CLOSING)))


class _SearchFormCache(dict[str, str]):
    """A token as phrases are searched for: `(C-01,` is `c 1`."""

    def __missing__(self, token: str) -> str:
        parts = [strip_leading_zeros(part) for part in PART.findall(fold_keyword(token))]
        return _store_in_cache(self, token, " ".join(parts))


def strip_leading_zeros(part: str) -> str:
    """Remove leading zeros from a part that is a whole number.

    >>> strip_leading_zeros("007"), strip_leading_zeros("00"), strip_leading_zeros("0.50")
    ('7', '0', '0.50')
    """
    return part.lstrip("0") or "0" if part[0] == "0" and part.isdigit() else part


def _store_in_cache(cache: dict[str, T], token: str, value: T) -> T:
    if len(token) <= _MAX_CACHED_TOKEN_LENGTH:
        if len(cache) >= _MAX_CACHED_TOKENS:
            cache.clear()
        cache[token] = value
    return value


class KeywordReader:
    """Reads keywords and caches what it reads, up to a limit. `get_keyword_reader` returns a shared one."""

    def __init__(self, locale: NumberLocale = "en") -> None:
        self.locale: NumberLocale = locale
        self._expected_atoms = _AtomCache(locale, numbers_in_codes=False)
        self._answer_atoms = _AtomCache(locale, numbers_in_codes=True)
        self._shapes = _ShapeCache()
        self._cores, self._search_forms = _CoreCache(), _SearchFormCache()
        self._expected_texts: dict[str, TextKeywords] = {}

    def read_expected(self, text: str) -> TextKeywords:
        """Return the keywords of an expected text.

        >>> KeywordReader().read_expected("Rule C-1 applies in New York").phrases
        ('rule c-1', 'c-1', 'new york')
        >>> KeywordReader().read_expected("保费是604元").atoms
        ('保费', '604')
        """
        keywords = self._expected_texts.get(text)
        if keywords is None:
            keywords = self._extract_keywords(text)
            if len(text) <= _MAX_CACHED_TEXT_LENGTH:
                if len(self._expected_texts) >= _MAX_CACHED_TEXTS:
                    self._expected_texts.clear()
                self._expected_texts[text] = keywords
        return keywords

    def read_answer(self, text: str) -> PreparedAnswer:
        """Prepare a text for `find_missing`."""
        tokens = self._split_tokens(text)
        atoms = set(chain.from_iterable(map(self._answer_atoms.__getitem__, tokens)))
        return PreparedAnswer(tokens, atoms, count_words(text))

    def find_missing(self, expected: TextKeywords, answer: PreparedAnswer) -> list[str]:
        """Return the keywords that an answer does not have: first phrases that do not occur in it as whole words, whatever the markup,
        hyphens and leading zeros, then words and numbers. `CoverageReader` does the same for many texts.

        >>> reader = KeywordReader()
        >>> reader.find_missing(reader.read_expected("Territory 118 rises 0.305%"), reader.read_answer("territory 117 rises 0.305 percent"))
        ['territory 118', '118']
        """
        searched = f" {' '.join(filter(None, map(self._search_forms.__getitem__, answer.tokens)))} "
        phrases = zip(expected.phrases, expected.search_forms, strict=True)
        missing_phrases = [phrase for phrase, search_form in phrases if search_form not in searched]
        return missing_phrases + [atom for atom in expected.atoms if atom not in answer.atoms]

    def to_search_form(self, text: str) -> str:
        """Return the words and numbers of a text with single spaces between and around them, as phrases are searched for.

        >>> KeywordReader().to_search_form("**Rule** C-01,")
        ' rule c 1 '
        """
        return f" {' '.join(filter(None, map(self._search_forms.__getitem__, self._split_tokens(text))))} "

    def prepare_text(self, text: str) -> str:
        """Return a text that can be split at spaces into its tokens."""
        if not self.is_plain_text(text):
            text = negate_parenthesized(join_number_spaces(text, self.locale))
        return rewrite_wide_numbers(text, self.locale)

    def is_plain_text(self, text: str) -> bool:
        """Return whether splitting the text at spaces gives its tokens, and each token counts as a word."""
        return text.isascii() and self.locale != "fr" and not text.startswith("(")

    def answer_atoms(self, token: str) -> tuple[str, ...]:
        """Return the words and numbers of a token of an answer."""
        return self._answer_atoms[token]

    def expected_atoms(self, token: str) -> tuple[str, ...]:
        """Return the words and numbers of a token of an expected text, without numbers that are part of a code."""
        return self._expected_atoms[token]

    def token_shape(self, token: str) -> str:
        """Return what a token can be in a phrase, as one letter; see `_ShapeCache`."""
        return self._shapes[token]

    def token_core(self, token: str) -> str:
        """Return a token without the marks around it, as phrases are written."""
        return self._cores[token]

    def phrase_search_form(self, phrase: str) -> str:
        """Return a phrase as it is searched for, with spaces around it; empty if it has no letters or digits: Ⓐ is a capital.

        >>> KeywordReader().phrase_search_form("rule c-01")
        ' rule c 1 '
        """
        search_form = " ".join(filter(None, map(self._search_forms.__getitem__, phrase.split())))
        return f" {search_form} " if search_form else ""

    def _split_tokens(self, text: str) -> list[str]:
        return self.prepare_text(text).split()

    def _extract_keywords(self, text: str) -> TextKeywords:
        written, text = (
            text,
            rewrite_wide_numbers(text, self.locale),
        )  # phrases have the same numbers as the answers in which they are searched for
        tokens = self._split_tokens(text)
        atoms = tuple(dict.fromkeys(chain.from_iterable(map(self._expected_atoms.__getitem__, tokens))))
        numbers = tuple([atom for atom in atoms if atom[-1].isdecimal()])  # words end in letters
        all_capitals = text.isupper()  # then capitals do not mark names
        search_forms: dict[str, str] = {}
        for line in text.splitlines():
            for phrase in self._find_phrases(line.split(), codes_only=all_capitals):
                if phrase not in search_forms and (search_form := self.phrase_search_form(phrase)):
                    search_forms[phrase] = search_form
        word_count = count_words(written)
        return TextKeywords(tuple(search_forms), atoms, numbers, tuple(search_forms.values()), word_count)

    def _find_phrases(self, tokens: Sequence[str], *, codes_only: bool) -> list[str]:
        shapes = "".join(map(self._shapes.__getitem__, tokens))
        spans = [] if codes_only else [match.span() for match in PHRASE_SHAPES.finditer(shapes)]
        spans += [match.span() for match in CODE_SHAPE.finditer(shapes)]
        return [" ".join(map(self._cores.__getitem__, tokens[start:end])) for start, end in sorted(spans)]


@lru_cache(maxsize=8)  # one reader for each locale; its own caches never change its results
def get_keyword_reader(locale: NumberLocale = "en") -> KeywordReader:
    """Return the reader that this process shares for a locale."""
    return KeywordReader(locale)


def count_words(text: str) -> int:
    """Count the words of a text; in scripts without spaces, the characters.

    >>> count_words("The premium is $604"), count_words("保费是604元")
    (4, 5)
    """
    if text.isascii():
        return len(text.split())
    spaced, characters = _CJK_CHARACTER.subn(" ", text)
    return len(spaced.split()) + characters


def _find_words(folded: str) -> Iterator[str]:
    """Yield words that carry meaning: four letters or more; two syllables of Hangul; pairs of characters in Chinese and Japanese."""
    if folded.isascii():
        yield from (word for word in WORD.findall(folded) if word not in STOPWORDS)
        return
    for word in _MARKED_WORD.findall(_CJK_RUN.sub(" ", folded)):
        min_length = 2 if _HANGUL[0] <= word[0] <= _HANGUL[1] else 4
        if len(word) >= min_length and word not in STOPWORDS:
            yield word
    for run in _CJK_RUN.findall(folded):
        for first, second in pairwise(run):
            if first not in STOP_CHARACTERS and second not in STOP_CHARACTERS:
                yield first + second


def _classify_token(core: str, *, opened: bool, ended: bool) -> str:
    if core[:1].isupper():
        letter = ("D" if opened else "C") if _CODE.fullmatch(core) else ("B" if opened else "A")
    elif core[:1].isdigit() and not opened:
        letter = "1"
    else:
        return "."
    if fold_keyword(core) in STOPWORDS:
        return "."
    return _SHAPE_BEFORE_PUNCTUATION[letter] if ended else letter


# The first framework's keywords, for scores that must stay comparable with it

_V1_PHRASE = re.compile(r"\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)+\b")
_V1_NUMBER = re.compile(r"\d+\.?\d*%?")
_V1_WORD = re.compile(r"\b[a-z]{4,}\b")
_V1_STOPWORDS: Final = frozenset({"this", "that", "the", "and", "for", "with", "from", "are", "was", "were"})
_V1_DIGITS = re.compile(r"[\$]?(\d+\.?\d*)%?")


def extract_keywords_v1(text: str) -> set[str]:
    """Return phrases without folding, numbers as text, and ASCII words.

    >>> sorted(extract_keywords_v1("Rate Order for Territory 118: 0.305%"))
    ['0.305%', '118', 'Rate Order', 'order', 'rate', 'territory']
    """
    words = (word for word in _V1_WORD.findall(text.lower()) if word not in _V1_STOPWORDS)
    return {*_V1_PHRASE.findall(text), *_V1_NUMBER.findall(text), *words}


def extract_digits_v1(text: str) -> set[str]:
    """Return runs of digits as text.

    >>> sorted(extract_digits_v1("$604, -0.133% and 750,000"))
    ['0.133', '000', '604', '750']
    """
    return set(_V1_DIGITS.findall(text))
