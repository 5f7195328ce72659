"""Text as the word pieces an uncased BERT model was trained on.

>>> vocabulary = {"[UNK]": 0, "un": 1, "##paid": 2, "invoice": 3, "!": 4}
>>> pieces("Unpaid  invoice!", vocabulary)
[1, 2, 3, 4]
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping

UNKNOWN = "[UNK]"
LONGEST_WORD = 100  # a longer word is unknown as a whole, as in the tokenizer the model was trained with
_PLAIN = re.compile(r"[A-Za-z0-9 ]*\Z")
_LATIN = re.compile("[a-z0-9]")
_SMALL = 2
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


def pieces(text: str, vocabulary: Mapping[str, int]) -> list[int]:
    """The numbers of the word pieces of a text, without the marks of beginning and end."""
    found: list[int] = []
    for word in words(text):
        found.extend(_pieces_of_word(word, vocabulary))
    return found


def unread(text: str, vocabulary: Mapping[str, int]) -> tuple[str, ...]:
    """The words of a text that no pieces of the vocabulary can spell, in order, each once.

    >>> unread("paid 鑫 paid", {"[UNK]": 0, "paid": 1})
    ('鑫',)
    """
    unknown = [vocabulary[UNKNOWN]]
    return tuple(word for word in dict.fromkeys(words(text)) if _pieces_of_word(word, vocabulary) == unknown)


def blurred(text: str, vocabulary: Mapping[str, int]) -> float:
    """The share of a text's letters and digits that stand in pieces too small to mean anything; 1 where there are none at all.

    A model whose vocabulary spells a script letter by letter puts all texts in it close together. A CJK character is a word.

    >>> vocabulary = {piece: number for number, piece in enumerate(["[UNK]", "п", "##о", "##к", "##а", "paid", "!"])}
    >>> blurred("Пока", vocabulary), blurred("paid", vocabulary), blurred("paid пок", vocabulary), blurred("!", vocabulary)
    (1.0, 0.0, 0.42857142857142855, 1.0)
    """
    if text.isascii() and any(map(str.isalnum, text)):
        return 0.0
    total = lost = 0
    for word in words(text):
        length = sum(map(str.isalnum, word))
        total += length
        if not word.isascii() and not _is_cjk(word[0]):
            lost += _letters_lost(word, vocabulary)
    return lost / total if total else 1.0


def _letters_lost(word: str, vocabulary: Mapping[str, int]) -> int:
    """How many letters of a word are in no piece with a Latin letter or a digit, nor in one longer than two."""
    found = _spelled(word, vocabulary)
    small = (part for part in found if len(part) <= _SMALL and not _LATIN.search(part))
    return sum(map(str.isalnum, "".join(small) if found else word))


def words(text: str) -> list[str]:
    """Words in lower case without accents; every punctuation mark and every CJK character is a word of its own.

    >>> words("Café №5: 合同")
    ['cafe', '№5', ':', '合', '同']
    """
    if _PLAIN.match(text):
        return text.lower().split()
    spaced = "".join(_spaced(char) for char in text)
    plain = (char for char in unicodedata.normalize("NFD", spaced) if unicodedata.category(char) != "Mn")
    return list(_split_punctuation("".join(plain).lower()))


def _spaced(char: str) -> str:
    """A CJK character between blanks, white space as a blank, a control character as nothing, any other as it is."""
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
        for at, char in enumerate(chunk):
            if _is_punctuation(char):
                if start < at:
                    yield chunk[start:at]
                yield char
                start = at + 1
        if start < len(chunk):
            yield chunk[start:]


def _is_punctuation(char: str) -> bool:
    """ASCII symbols such as `$` count too, as they did in training."""
    if char.isascii():
        return not char.isalnum() and char.isprintable()
    return unicodedata.category(char)[0] == "P"


def _pieces_of_word(word: str, vocabulary: Mapping[str, int]) -> list[int]:
    """The numbers of the pieces that spell a word; that of the unknown one where none do."""
    whole = vocabulary.get(word)
    if whole is not None:
        return [whole]
    found = _spelled(word, vocabulary)
    return [vocabulary["##" + part if at else part] for at, part in enumerate(found)] or [vocabulary[UNKNOWN]]


def _spelled(word: str, vocabulary: Mapping[str, int]) -> list[str]:
    """The longest known beginning, then the longest known continuation, and so on; nothing if a rest cannot be covered."""
    found: list[str] = []
    start = 0
    while start < len(word) <= LONGEST_WORD:
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            if prefix + word[start:end] in vocabulary:
                found.append(word[start:end])
                start = end
                break
        else:
            return []
    return found
