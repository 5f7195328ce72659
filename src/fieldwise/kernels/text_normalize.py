"""Forms of a text in which it may agree with another: letters only, words, look-alikes."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

_LOWER: Final = bytes(ord(chr(code).lower()) for code in range(128)) + bytes(range(128, 256))
_NOT_LETTERS: Final = bytes(code for code in range(128) if not chr(code).isalnum())
_WORDS: Final = bytes(_LOWER[code] if chr(code).isalnum() else 32 for code in range(128)) + bytes(range(128, 256))
_NOT_LETTERS_NOR_NUL: Final = _NOT_LETTERS.replace(b"\0", b"")
_NOT_DIGITS: Final = bytes(code for code in range(256) if not 48 <= code <= 57)
_SPELLED: Final = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"}
"""Letters with a stroke or tie, which Unicode does not take apart."""
_INVISIBLE: Final[dict[int, str | None]] = dict.fromkeys((0x00AD, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF))
_WORD: Final = re.compile(r"[^\W_]+")
_KEPT_SYMBOLS: Final = "+<>=±≤≥≠×÷%°"
"""Signs that change what a text means, so they are not punctuation."""
_PUNCTUATION: Final = bytes(code for code in range(128) if not chr(code).isalnum() and chr(code) not in f"{_KEPT_SYMBOLS}$")
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


class _Table(dict[int, str | None]):
    """A translation table that works out a character when it is first met."""

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        plain = _SPELLED.get(char) or str(unicodedata.decimal(char, char))
        found = plain if plain.isalnum() or _is_vowel_sign(plain) else None
        self[code] = found
        return found


def _is_vowel_sign(char: str) -> bool:
    """Marks that spell vowels, as in Hindi or Thai, and not accents."""
    return unicodedata.category(char) in {"Mn", "Mc"} and not "\u0300" <= char <= "\u036f"


_TABLE: Final = _Table()


def letters_and_digits(text: str) -> str:
    """Letters and digits alone, without case, accents, spaces and punctuation; digits of all scripts are 0 to 9.

    >>> letters("Café  Müller, Inc."), letters("2025-03-04")
    ('cafemullerinc', '20250304')
    """
    if text.isascii():
        return text.encode().translate(_LOWER, _NOT_LETTERS).decode()
    return unicodedata.normalize("NFKD", text.casefold()).translate(_TABLE)


def digits(text: str) -> str:
    """The digits 0 to 9 alone.

    >>> digits("INV-0042/7")
    '00427'
    """
    return text.encode().translate(None, _NOT_DIGITS).decode()


def all_letters(texts: Sequence[str]) -> list[str]:
    """`letters` of each text, in one pass over all that are plain.

    >>> all_letters(["A-1", "é", ""])
    ['a1', 'e', '']
    """
    joined = "\0".join(texts)
    if joined.count("\0") != len(texts) - 1:  # no text, or one that holds the separator itself
        return [letters_and_digits(text) for text in texts]
    if joined.isascii():
        return joined.encode().translate(_LOWER, _NOT_LETTERS_NOR_NUL).decode().split("\0")
    plain = all_letters([text if text.isascii() else "" for text in texts])
    return [one or letters_and_digits(text) for one, text in zip(plain, texts, strict=True)]


def words(text: str) -> list[str]:
    """The words in order, without case, accents and punctuation.

    >>> words("O'Neill & Søn, Ltd.")
    ['o', 'neill', 'son', 'ltd']
    """
    if text.isascii():
        return text.encode().translate(_WORDS).decode().split()
    return [letters_and_digits(word) for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold())]


def without_case(text: str) -> str:
    """Composed and without case.

    >>> without_case("STRASSE") == without_case("straße")
    True
    """
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def without_space(text: str) -> str:
    """Without case and white space of any kind, zero-width characters and soft hyphens included.

    >>> without_space("Net\\u00a030 \\u200bdays")
    'net30days'
    """
    folded = without_case(text)
    if not folded.isascii():
        folded = folded.translate(_INVISIBLE)
    return "".join(folded.split())


def without_punctuation(text: str) -> str:
    """Without case, white space and punctuation; `+ < > = %` and other signs of a meaning stay.

    >>> without_punctuation("Acme–Corp., “Inc”") == without_punctuation("acme corp inc")
    True
    """
    if text.isascii():
        return text.encode().translate(_LOWER, _PUNCTUATION).decode()
    return "".join(char for char in without_space(text) if char in _KEPT_SYMBOLS or not _is_punctuation(char))


def _is_punctuation(char: str) -> bool:
    return not char.isalnum() and (unicodedata.category(char)[0] == "P" or char in "`´^~|©®™_")


def without_accents(text: str) -> str:
    """Without case, white space, punctuation and accents; ligatures and wide letters are spelled plainly.

    >>> without_accents("Ｃafé ﬁn")
    'cafefin'
    """
    plain = unicodedata.normalize("NFKD", without_punctuation(text)).casefold()
    return "".join(_SPELLED.get(char, char) for char in plain if not "\u0300" <= char <= "\u036f")


def with_spelled_umlauts(text: str) -> str:
    """Letters alone, with German umlauts written out.

    >>> with_spelled_umlauts("Jörg Müller")
    'joergmueller'
    """
    return letters_and_digits(unicodedata.normalize("NFC", text).casefold().translate(_UMLAUTS))


_LOOKALIKES: Final = bytes.maketrans(b"01i582", b"ollsbz")
_JOINED: Final = (("rn", "m"), ("cl", "d"), ("vv", "w"))


def looks(folded: str) -> str:
    """What `letters` of a text look like in print: 0 like O, 1 and I like l, 5 like S, 8 like B, 2 like Z, rn like m, cl like d, vv like w.

    >>> looks("modern") == looks("modem"), looks("50") == looks("60")
    (True, False)
    """
    plain = folded.encode().translate(_LOOKALIKES).decode()
    for pair, single in _JOINED:
        plain = plain.replace(pair, single)
    return plain


def all_looks(folded: Sequence[str]) -> list[str]:
    """`looks` of each text, in one pass. The texts are `letters` of others, which hold no separator.

    >>> all_looks(["modern", "50"])
    ['modem', 'so']
    """
    return looks("\0".join(folded)).split("\0") if folded else []


def all_without_digits(folded: Sequence[str]) -> list[str]:
    """Each text without the digits 0 to 9, in one pass. The texts are `letters` of others.

    >>> all_without_digits(["4march2025", "7"])
    ['march', '']
    """
    return "\0".join(folded).encode().translate(None, b"0123456789").decode().split("\0") if folded else []
