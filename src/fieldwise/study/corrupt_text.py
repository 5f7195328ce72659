"""Corruptions of text: each cause of a text mismatch run backwards.

Every function returns another text, or None where the text has nothing to corrupt. `pick` is a number that chooses among several places,
so that a corruption is the same at every run.

>>> cut_off("Acme Corporation of Ohio", 0), drop_middle_word("John A. Smith", 0), change_digit("INV-7", 0)
('Acme Corporation', 'John Smith', 'INV-8')
"""

import re
import unicodedata
from typing import Final

from fieldwise.kernels.short_forms import SHORT_FORMS

_PUNCTUATION: Final = re.compile(r"[,;:.'\"()\-–/&]")
_WORD: Final = re.compile(r"[^\W\d_]+")
_LOOKALIKES: Final = {
    "0": "O", "O": "0", "o": "0", "1": "l", "l": "1", "I": "1", "5": "S", "S": "5", "s": "5", "8": "B", "B": "8", "2": "Z", "Z": "2",
    "z": "2", "m": "rn", "d": "cl", "w": "vv",
}  # fmt: skip
_NEGATIONS: Final = frozenset(
    {"not", "no", "never", "without", "nicht", "kein", "keine", "keinen", "nie", "ohne", "non", "pas", "sans", "sin", "nunca", "senza"}
)
_PLACEHOLDER: Final = "N/A"
_MIN_CUT_LENGTH, _MIN_KEPT_LETTERS = 8, 5
_MIN_TYPO_LETTERS, _MIN_MISREAD_LETTERS, _MISREAD_LETTERS = 5, 20, 3
_MIN_WORDS_OF_PROSE: Final = 4


def change_case(text: str, pick: int) -> str | None:
    """Upper case, or the opposite case where the text is upper case already."""
    del pick
    changed = text.upper()
    return changed if changed != text else text.lower()


def add_space(text: str, pick: int) -> str | None:
    """A second space between two words, or one behind the text."""
    del pick
    return text.replace(" ", "  ", 1) if " " in text else f"{text} "


def change_punctuation(text: str, pick: int) -> str | None:
    """One punctuation mark less; a final period where there is none."""
    marks = [match.start() for match in _PUNCTUATION.finditer(text)]
    if not marks:
        return f"{text}."
    at = marks[pick % len(marks)]
    changed = f"{text[:at]}{text[at + 1 :]}"
    return changed if changed.strip() else None


def drop_accents(text: str, pick: int) -> str | None:
    """The letters without their accents."""
    del pick
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def abbreviate(text: str, pick: int) -> str | None:
    """A word in its short form, or a first name as its initial."""
    del pick
    for match in _WORD.finditer(text):
        short = SHORT_FORMS.get(match[0].casefold())
        if short is not None:
            return f"{text[: match.start()]}{short.capitalize() if match[0][0].isupper() else short}.{text[match.end() :]}"
    words = text.split()
    if len(words) > 1 and all(word.isalpha() and len(word) > 2 and word[0].isupper() for word in words[:2]):
        return " ".join([f"{words[0][0]}.", *words[1:]])
    return None


def reorder_words(text: str, pick: int) -> str | None:
    """The last word first."""
    del pick
    words = text.split()
    if len(words) < 2 or not any(map(str.isalpha, words)):
        return None
    return " ".join([words[-1], *words[:-1]])


def use_placeholder(text: str, pick: int) -> str | None:
    """`N/A` in place of the text."""
    del pick
    return None if text.strip().casefold() in ("n/a", "na", "none", "null", "", "-") else _PLACEHOLDER


def cut_off(text: str, pick: int) -> str | None:
    """The first two thirds of the text."""
    del pick
    if len(text) < _MIN_CUT_LENGTH or text.isdecimal():
        return None
    kept = text[: max(_MIN_KEPT_LETTERS, len(text) * 2 // 3)].rstrip(" ,;.-")
    return kept if sum(map(str.isalnum, kept)) >= _MIN_KEPT_LETTERS - 1 else None


def drop_first_word(text: str, pick: int) -> str | None:
    """The text without its first word."""
    del pick
    rest = text.partition(" ")[2].strip()
    return rest if sum(map(str.isalnum, rest)) > 1 else None


def add_label(text: str, label: str) -> str:
    """The text behind the name of its field."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[_\-]+", " ", label).strip() or "value"
    return f"{words[0].upper()}{words[1:]}: {text}"


def add_text(text: str, pick: int) -> str | None:
    """A remark behind the text."""
    del pick
    return f"{text} (see below)"


def drop_middle_word(text: str, pick: int) -> str | None:
    """The text without one of its inner words."""
    words = text.split()
    if len(words) < 3:
        return None
    at = 1 + pick % (len(words) - 2)
    return " ".join([*words[:at], *words[at + 1 :]])


def add_middle_word(text: str, pick: int) -> str | None:
    """A word between two words of the text."""
    words = text.split()
    if len(words) < 2:
        return None
    at = 1 + pick % (len(words) - 1)
    return " ".join([*words[:at], "new", *words[at:]])


def misread_lookalike(text: str, pick: int) -> str | None:
    """One character as another that looks alike."""
    places = [at for at, character in enumerate(text) if character in _LOOKALIKES]
    if not places:
        return None
    at = places[pick % len(places)]
    return f"{text[:at]}{_LOOKALIKES[text[at]]}{text[at + 1 :]}"


def change_digit(text: str, pick: int) -> str | None:
    """One digit as another one."""
    places = [at for at, character in enumerate(text) if character in "0123456789"]
    if not places:
        return None
    at = places[pick % len(places)]
    digit = (int(text[at]) + 1 + pick // len(places) % 9) % 10
    return f"{text[:at]}{digit}{text[at + 1 :]}"


def swap_neighbours(text: str, pick: int) -> str | None:
    """Two neighbouring letters or digits that change places."""
    places = [at for at in range(len(text) - 1) if _can_swap(text[at], text[at + 1])]
    if not places:
        return None
    at = places[pick % len(places)]
    return f"{text[:at]}{text[at + 1]}{text[at]}{text[at + 2 :]}"


def _can_swap(left: str, right: str) -> bool:
    both_letters = left.isalpha() and right.isalpha()
    return (both_letters or (left.isdecimal() and right.isdecimal())) and left.casefold() != right.casefold()


def mistype_letter(text: str, pick: int) -> str | None:
    """One letter as another one."""
    places = [at for at, character in enumerate(text) if character.isalpha() and character.isascii()]
    if len(places) < _MIN_TYPO_LETTERS:
        return None
    return _replace_letter(text, places[1 + pick % (len(places) - 1)])


def misread_letters(text: str, pick: int) -> str | None:
    """Three letters of a long text as others."""
    del pick
    places = [at for at, character in enumerate(text) if character.isalpha() and character.isascii()]
    if len(places) < _MIN_MISREAD_LETTERS:
        return None
    for part in range(1, _MISREAD_LETTERS + 1):
        text = _replace_letter(text, places[part * len(places) // (_MISREAD_LETTERS + 1)])
    return text


def _replace_letter(text: str, at: int) -> str:
    first = ord("a") if text[at].islower() else ord("A")
    letter = chr(first + (ord(text[at]) - first + 7) % 26)
    return f"{text[:at]}{letter}{text[at + 1 :]}"


def negate(text: str, pick: int) -> str | None:
    """A negation less, or one more in prose and in a single word that is no name."""
    del pick
    words = text.split()
    kept = [word for word in words if word.casefold().strip(".,;") not in _NEGATIONS]
    if kept and len(kept) < len(words):
        return " ".join(kept)
    is_prose = len(words) >= _MIN_WORDS_OF_PROSE and sum(word.isalpha() and word.islower() for word in words) >= 2
    if is_prose:
        return " ".join([words[0], "not", *words[1:]])
    is_word = len(words) == 1 and text.isalpha() and text.islower() and len(text) >= _MIN_WORDS_OF_PROSE
    return f"not {text}" if is_word else None
