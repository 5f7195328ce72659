"""WordPiece tokens of an uncased BERT model.

>>> vocabulary = {"[UNK]": 0, "un": 1, "##paid": 2, "invoice": 3, "!": 4}
>>> encode_pieces("Unpaid  invoice!", vocabulary)
[1, 2, 3, 4]
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping

UNKNOWN = "[UNK]"
MAX_WORD_LENGTH = 100  # a longer word is unknown as a whole, as in the tokenizer that the model was trained with
_PLAIN = re.compile(r"[A-Za-z0-9 ]*\Z")
_LATIN = re.compile("[a-z0-9]")
_SHORT_PIECE = 2
_MAX_TERM_SIGNS = 8
_MAX_NAME_SIGNS = 3
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def encode_pieces(text: str, vocabulary: Mapping[str, int]) -> list[int]:
    """Return the ids of the word pieces of a text, without the markers of beginning and end."""
    ids: list[int] = []
    for word in split_model_words(text):
        ids.extend(_encode_word(word, vocabulary))
    return ids


def find_unknown_words(text: str, vocabulary: Mapping[str, int]) -> tuple[str, ...]:
    """Return the distinct words of a text that the vocabulary cannot spell, in order.

    >>> find_unknown_words("paid 鑫 paid", {"[UNK]": 0, "paid": 1})
    ('鑫',)
    """
    unknown = [vocabulary[UNKNOWN]]
    return tuple(word for word in dict.fromkeys(split_model_words(text)) if _encode_word(word, vocabulary) == unknown)


def have_other_signs(expected: str, actual: str) -> bool:
    """True for two short texts in Chinese characters that share some of them and have others in their place: names of one family.

    In a name or a term of a few characters each one counts, and a model that was trained on English puts them all close together.

    >>> have_other_signs("王伟", "王芳"), have_other_signs("田中", "中田"), have_other_signs("上海", "上海市")
    (True, True, False)
    """
    if expected.isascii() or actual.isascii() or max(len(expected), len(actual)) > _MAX_TERM_SIGNS:
        return False
    left, right = (list(filter(str.isalnum, text)) for text in (expected, actual))
    if len(left) != len(right) or left == right or set(left).isdisjoint(right):
        return False
    is_other_order = len(left) > _MAX_NAME_SIGNS and sorted(left) == sorted(right)
    return not is_other_order and any(map(_is_cjk, left)) and any(map(_is_cjk, right))


def unreadable_share(text: str, vocabulary: Mapping[str, int]) -> float:
    """Return the share of a text's letters and digits in pieces too short to carry meaning; 1 if it has no letters or digits.

    A model whose vocabulary spells a script letter by letter gives all texts in it similar embeddings. A CJK character is a word.

    >>> vocabulary = {piece: number for number, piece in enumerate(["[UNK]", "п", "##о", "##к", "##а", "paid", "!"])}
    >>> [unreadable_share(text, vocabulary) for text in ("Пока", "paid", "paid пок", "!")]
    [1.0, 0.0, 0.42857142857142855, 1.0]
    """
    if text.isascii() and any(map(str.isalnum, text)):
        return 0.0
    total = unreadable = 0
    for word in split_model_words(text):
        total += sum(map(str.isalnum, word))
        if not word.isascii() and not _is_cjk(word[0]):
            unreadable += _count_unreadable(word, vocabulary)
    return unreadable / total if total else 1.0


def _count_unreadable(word: str, vocabulary: Mapping[str, int]) -> int:
    """Count the letters of a word in pieces of at most two characters without a Latin letter or a digit; all if it is unknown."""
    pieces = _spell_word(word, vocabulary)
    if not pieces:
        return sum(map(str.isalnum, word))
    short_pieces = [piece for piece in pieces if len(piece) <= _SHORT_PIECE and not _LATIN.search(piece)]
    return sum(map(str.isalnum, "".join(short_pieces)))


def split_model_words(text: str) -> list[str]:
    """Split a text as the model does: lower case, no accents; every punctuation mark and every CJK character is a word of its own.

    >>> split_model_words("Café №5: 合同")
    ['cafe', '№5', ':', '合', '同']
    """
    if _PLAIN.match(text):
        return text.lower().split()
    separated = "".join(_separate_character(char) for char in text)
    without_accents = (char for char in unicodedata.normalize("NFD", separated) if unicodedata.category(char) != "Mn")
    return list(_split_punctuation("".join(without_accents).lower()))


def _separate_character(char: str) -> str:
    """Return a CJK character between spaces, white space as a space, nothing for a control character, any other as it is."""
    if char.isalnum() and char.isascii():
        return char
    if _is_cjk(char):
        return f" {char} "
    if char in "\t\n\r":
        return " "
    category = unicodedata.category(char)
    if category == "Zs":
        return " "
    return "" if category[0] == "C" or char == "\ufffd" else char


def _is_cjk(char: str) -> bool:
    point = ord(char)
    return any(low <= point <= high for low, high in _CJK)


def _split_punctuation(text: str) -> Iterator[str]:
    for chunk in text.split():
        start = 0
        for position, char in enumerate(chunk):
            if _is_punctuation(char):
                if start < position:
                    yield chunk[start:position]
                yield char
                start = position + 1
        if start < len(chunk):
            yield chunk[start:]


def _is_punctuation(char: str) -> bool:
    """Return whether the model treats a character as punctuation; ASCII symbols such as `$` count too."""
    if char.isascii():
        return not char.isalnum() and char.isprintable()
    return unicodedata.category(char)[0] == "P"


def _encode_word(word: str, vocabulary: Mapping[str, int]) -> list[int]:
    """Return the ids of the pieces that spell a word; the id of `UNKNOWN` if none do."""
    whole = vocabulary.get(word)
    if whole is not None:
        return [whole]
    pieces = _spell_word(word, vocabulary)
    if not pieces:
        return [vocabulary[UNKNOWN]]
    return [vocabulary[pieces[0]], *(vocabulary["##" + piece] for piece in pieces[1:])]


def _spell_word(word: str, vocabulary: Mapping[str, int]) -> list[str]:
    """Split a word into the longest piece of the vocabulary at its start, the longest continuation, and so on; empty if impossible."""
    pieces: list[str] = []
    start = 0
    while start < len(word) <= MAX_WORD_LENGTH:
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            if prefix + word[start:end] in vocabulary:
                pieces.append(word[start:end])
                start = end
                break
        else:
            return []
    return pieces
