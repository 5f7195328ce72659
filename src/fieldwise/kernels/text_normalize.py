"""Normal forms of a text in which it may agree with another: folded case, letters only, words, look-alike characters.

`fold_case`, `fold_whitespace`, `fold_punctuation` and `fold_accents` each remove what the one before removes, and more.
The functions that end in `_batch` do the same for many texts in one pass over their concatenation.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

_LOWER: Final = bytes(ord(chr(code).lower()) for code in range(128)) + bytes(range(128, 256))
_NOT_ALPHANUMERIC: Final = bytes(code for code in range(128) if not chr(code).isalnum())
_NOT_ALPHANUMERIC_NOR_NUL: Final = _NOT_ALPHANUMERIC.replace(b"\0", b"")
_LOWER_OR_SPACE: Final = bytes(_LOWER[code] if chr(code).isalnum() else 32 for code in range(128)) + bytes(range(128, 256))
_NOT_DIGITS: Final = bytes(code for code in range(256) if not 48 <= code <= 57)
_NOT_DIGITS_NOR_NUL: Final = _NOT_DIGITS.replace(b"\0", b"")
_STROKE_LETTERS: Final = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"}
"""Letters with a stroke or a ligature that Unicode does not decompose."""
_INVISIBLE: Final[dict[int, str | None]] = dict.fromkeys((0x00AD, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF))
_WORD: Final = re.compile(r"[^\W_]+")
_MEANINGFUL_SYMBOLS: Final = "+<>=±≤≥≠×÷%°"
"""Signs that change what a text means, so they are not punctuation."""
_PUNCTUATION: Final = bytes(code for code in range(128) if not chr(code).isalnum() and chr(code) not in f"{_MEANINGFUL_SYMBOLS}$")
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_LOOKALIKES: Final = bytes.maketrans(b"01i582", b"ollsbz")
_LOOKALIKE_PAIRS: Final = (("rn", "m"), ("cl", "d"), ("vv", "w"))


# Folding


def fold_case(text: str) -> str:
    """Fold case, in composed form.

    >>> fold_case("STRASSE") == fold_case("straße")
    True
    """
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def fold_text(text: str) -> str:
    """Fold case and strip outer white space.

    >>> fold_text("  Straße ")
    'strasse'
    """
    return fold_case(text).strip()


def fold_text_batch(texts: Sequence[str]) -> list[str]:
    """Apply `fold_text` to each text.

    >>> fold_text_batch(["  Straße ", "ACME "])
    ['strasse', 'acme']
    """
    joined = "\0".join(texts)
    if joined.isascii() and joined.count("\0") == len(texts) - 1:  # no text holds the separator itself
        return [*map(str.strip, joined.lower().split("\0"))]
    folded = {text: fold_text(text) for text in set(texts)}  # list alignment passes the same texts many times
    return [folded[text] for text in texts]


def fold_whitespace(text: str) -> str:
    """Fold case and remove white space of any kind, zero-width characters and soft hyphens.

    >>> fold_whitespace("Net\\u00a030 \\u200bdays")
    'net30days'
    """
    folded = fold_case(text)
    if not folded.isascii():
        folded = folded.translate(_INVISIBLE)
    return "".join(folded.split())


def fold_punctuation(text: str) -> str:
    """Fold case and remove white space and punctuation; `+ < > = %` and other meaningful symbols stay.

    >>> fold_punctuation("Acme–Corp., “Inc”") == fold_punctuation("acme corp inc")
    True
    """
    if text.isascii():
        return text.encode().translate(_LOWER, _PUNCTUATION).decode()
    return "".join(char for char in fold_whitespace(text) if char in _MEANINGFUL_SYMBOLS or not _is_punctuation(char))


def _is_punctuation(char: str) -> bool:
    return not char.isalnum() and (unicodedata.category(char)[0] == "P" or char in "`´^~|©®™_")


def fold_accents(text: str) -> str:
    """Fold case and remove white space, punctuation and accents; ligatures and wide letters become plain letters.

    >>> fold_accents("Ｃafé ﬁn")
    'cafefin'
    """
    plain = unicodedata.normalize("NFKD", fold_punctuation(text)).casefold()
    return "".join(_STROKE_LETTERS.get(char, char) for char in plain if not _is_accent(char))


def _is_accent(char: str) -> bool:
    return "\u0300" <= char <= "\u036f"


# Letters, digits, words


class _AlphanumericTable(dict[int, str | None]):
    """A table for `str.translate` that computes the entry of a character on first use."""

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        plain = _STROKE_LETTERS.get(char) or str(unicodedata.decimal(char, char))
        replacement = plain if plain.isalnum() or _is_vowel_sign(plain) else None
        self[code] = replacement
        return replacement


def _is_vowel_sign(char: str) -> bool:
    """Return whether a mark spells a vowel, as in Hindi or Thai, and is not an accent."""
    return unicodedata.category(char) in {"Mn", "Mc"} and not _is_accent(char)


_ALPHANUMERIC: Final = _AlphanumericTable()  # a cache that at most holds every Unicode character


def keep_letters_and_digits(text: str) -> str:
    """Keep letters and digits alone, without case and accents; digits of all scripts become 0 to 9.

    >>> keep_letters_and_digits("Café  Müller, Inc."), keep_letters_and_digits("2025-03-04")
    ('cafemullerinc', '20250304')
    """
    if text.isascii():
        return text.encode().translate(_LOWER, _NOT_ALPHANUMERIC).decode()
    return unicodedata.normalize("NFKD", text.casefold()).translate(_ALPHANUMERIC)


def alphanumeric_key(text: str) -> str:
    """Letters with their accents and vowel signs, and digits, without case: the key of an identifier.

    >>> alphanumeric_key("Inv. 2024/031"), alphanumeric_key("É-1"), alphanumeric_key("E-1")
    ('inv2024031', 'é1', 'e1')
    """
    if text.isascii():
        return text.encode().translate(_LOWER, _NOT_ALPHANUMERIC).decode()
    characters: list[str] = []
    for character in unicodedata.normalize("NFKC", text).casefold():
        if character.isdecimal():
            characters.append(str(unicodedata.decimal(character)))  # digits of other scripts
        elif character.isalnum() or unicodedata.category(character) in ("Mn", "Mc"):
            characters.append(character)
    return "".join(characters)


def keep_letters_and_digits_batch(texts: Sequence[str]) -> list[str]:
    """Apply `keep_letters_and_digits` to each text.

    >>> keep_letters_and_digits_batch(["A-1", "é", ""])
    ['a1', 'e', '']
    """
    joined = "\0".join(texts)
    if joined.count("\0") != len(texts) - 1:  # no text, or one that holds the separator itself
        return [keep_letters_and_digits(text) for text in texts]
    if joined.isascii():
        return joined.encode().translate(_LOWER, _NOT_ALPHANUMERIC_NOR_NUL).decode().split("\0")
    ascii_results = keep_letters_and_digits_batch([text if text.isascii() else "" for text in texts])
    return [result or keep_letters_and_digits(text) for result, text in zip(ascii_results, texts, strict=True)]


def keep_digits(text: str) -> str:
    """Keep the digits 0 to 9 alone.

    >>> keep_digits("INV-0042/7")
    '00427'
    """
    return text.encode().translate(None, _NOT_DIGITS).decode()


def keep_digits_batch(texts: Sequence[str]) -> list[str]:
    """Apply `keep_digits` to each text. The texts are results of `keep_letters_and_digits`, which hold no separator.

    >>> keep_digits_batch(["inv00427", "march"])
    ['00427', '']
    """
    return "\0".join(texts).encode().translate(None, _NOT_DIGITS_NOR_NUL).decode().split("\0") if texts else []


def spell_out_umlauts(text: str) -> str:
    """Keep letters and digits alone, with German umlauts written out.

    >>> spell_out_umlauts("Jörg Müller")
    'joergmueller'
    """
    return keep_letters_and_digits(unicodedata.normalize("NFC", text).casefold().translate(_UMLAUTS))


def split_words(text: str) -> list[str]:
    """Split a text into words without case, accents and punctuation.

    >>> split_words("O'Neill & Søn, Ltd.")
    ['o', 'neill', 'son', 'ltd']
    """
    if text.isascii():
        return text.encode().translate(_LOWER_OR_SPACE).decode().split()
    return [keep_letters_and_digits(word) for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold())]


def compile_word_pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Compile a pattern that finds any of the words or phrases as a whole, in any case.

    >>> compile_word_pattern(["hate"]).findall("Hate it, whatever")
    ['Hate']
    """
    longest_first = sorted({unicodedata.normalize("NFC", word).strip() for word in words} - {""}, key=len, reverse=True)
    alternatives = "|".join(r"\s+".join(map(re.escape, word.split())) for word in longest_first)
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)" if alternatives else r"(?!)", re.IGNORECASE)


# Look-alike characters


def normalize_lookalikes(text: str) -> str:
    """Replace characters that look alike in print by one of them: 0 O, 1 I l, 5 S, 8 B, 2 Z, rn m, cl d, vv w.

    The text is a result of `keep_letters_and_digits`.

    >>> normalize_lookalikes("modern") == normalize_lookalikes("modem"), normalize_lookalikes("50") == normalize_lookalikes("60")
    (True, False)
    """
    plain = text.encode().translate(_LOOKALIKES).decode()
    for pair, single in _LOOKALIKE_PAIRS:
        plain = plain.replace(pair, single)
    return plain


def normalize_lookalikes_batch(texts: Sequence[str]) -> list[str]:
    """Apply `normalize_lookalikes` to each text. The texts are results of `keep_letters_and_digits`, which hold no separator.

    >>> normalize_lookalikes_batch(["modern", "c1over"])
    ['modem', 'dover']
    """
    return normalize_lookalikes("\0".join(texts)).split("\0") if texts else []
