"""Two values beside each other, with the characters that differ marked and those nobody sees made visible.

A page shows pieces as they are and escapes them itself; nothing here is markup.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from rapidfuzz.distance import Levenshtein

from fieldwise.model.comparison import Comparison
from fieldwise.report.safe import json_text, value_text

Kind = Literal["same", "differs", "token", "left out"]
_BY_WORD: Final = 160
"""Longer text is compared word by word: letters that two long texts share by chance say nothing."""
_LONGEST: Final = 6_000
_SHOWN: Final = 420
_CONTEXT: Final = 60
_ALIKE: Final = 0.5
"""Where less than this of the shorter text is in the other, marking the rest would be noise."""
_UNSEEN: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_NAMES: Final = {"\n": ("⏎", "line break"), "\t": ("⇥", "tab"), "\r": ("␍", "carriage return"), "\u00a0": ("⍽", "no-break space")}
_SPACES: Final = re.compile(r"[^\S \n\t\r\u00a0]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one side."""

    text: str
    kind: Kind = "same"
    name: str = ""
    """What a character is that cannot be seen; how much was left out."""
    differs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Expected and actual as they are shown; None where a side has no value."""

    expected: tuple[Piece, ...] | None
    actual: tuple[Piece, ...] | None


def sides(comparison: Comparison) -> Sides:
    """Both sides of a comparison."""
    here, there = comparison.expected_presence != "missing", comparison.actual_presence != "missing"
    if here and there:
        return Sides(**dict(zip(("expected", "actual"), marked(*_both(comparison.expected, comparison.actual)), strict=True)))
    return Sides(
        expected=plain(value_text(comparison.expected)) if here else None, actual=plain(value_text(comparison.actual)) if there else None
    )


def _both(expected: Any, actual: Any) -> tuple[str, str]:
    """Both values as text, in quotes where only quotes tell them apart."""
    one, other = value_text(expected), value_text(actual)
    if isinstance(expected, str) and isinstance(actual, str) and one == expected and other == actual:
        return one, other
    quoted = isinstance(expected, str) or isinstance(actual, str)
    return (json_text(expected, spaced=True), json_text(actual, spaced=True)) if quoted else (one, other)


def plain(text: str) -> tuple[Piece, ...]:
    """One text on its own."""
    return tuple(_visible(_shortened([(text, False)])))


def marked(expected: str, actual: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Two texts with what differs marked.

    >>> [(piece.text, piece.differs) for piece in marked("RB-2024", "RB-2O24")[1]]
    [('RB-2', False), ('O', True), ('24', False)]
    >>> marked("a", "a\\u202e")[1][-1].name
    'U+202E right-to-left override'
    """
    runs = _runs(expected[:_LONGEST], actual[:_LONGEST])
    left, right = (tuple(_visible(_shortened(side))) for side in runs)
    return left, right


Stretch = tuple[str, bool]


def _runs(expected: str, actual: str) -> tuple[list[Stretch], list[Stretch]]:
    by_word = max(len(expected), len(actual)) > _BY_WORD
    mine: Sequence[str] = re.findall(r"\w+|\W", expected) if by_word else expected
    theirs: Sequence[str] = re.findall(r"\w+|\W", actual) if by_word else actual
    codes = Levenshtein.opcodes(mine, theirs)
    same = sum(code.src_end - code.src_start for code in codes if code.tag == "equal")
    if expected != actual and same < _ALIKE * min(len(mine), len(theirs)):
        return [(expected, True)], [(actual, True)]
    left, right = list[Stretch](), list[Stretch]()
    for code in codes:
        differs = code.tag != "equal"
        _add(left, "".join(mine[code.src_start : code.src_end]), differs)
        _add(right, "".join(theirs[code.dest_start : code.dest_end]), differs)
    return left, right


def _add(stretches: list[Stretch], text: str, differs: bool) -> None:
    if text and stretches and stretches[-1][1] == differs:
        stretches[-1] = (stretches[-1][0] + text, differs)
    elif text:
        stretches.append((text, differs))


def _shortened(stretches: Sequence[Stretch]) -> Iterator[Piece]:
    """The stretches, long ones without their middle; what differs keeps more of itself than what is the same."""
    if sum(len(text) for text, _ in stretches) <= _SHOWN:
        yield from (Piece(text, differs=differs) for text, differs in stretches)
        return
    for place, (text, differs) in enumerate(stretches):
        context = _SHOWN // 3 if len(stretches) == 1 or differs else _CONTEXT
        start = text[:context] if place > 0 or len(stretches) == 1 or differs else ""
        end = text[-context:] if place < len(stretches) - 1 or differs else ""
        gone = len(text) - len(start) - len(end)
        if gone <= 12:
            yield Piece(text, differs=differs)
            continue
        yield from (Piece(part, differs=differs) for part in (start,) if part)
        yield Piece("…", "left out", f"{gone} characters left out")
        yield from (Piece(part, differs=differs) for part in (end,) if part)


def _visible(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """The pieces with a token for each character that draws nothing, steers the writing or looks like a common space."""
    for piece in pieces:
        if piece.kind != "same" or (piece.text.isascii() and piece.text.isprintable()):
            yield piece
            continue
        start = 0
        for at, character in enumerate(piece.text):
            token = _token(character)
            if token is not None:
                if at > start:
                    yield Piece(piece.text[start:at], differs=piece.differs)
                yield Piece(token[0], "token", token[1], piece.differs)
                start = at + 1
        if start < len(piece.text):
            yield Piece(piece.text[start:], differs=piece.differs)


def _token(character: str) -> tuple[str, str] | None:
    known = _NAMES.get(character)
    if known is not None:
        return known
    if unicodedata.category(character) not in _UNSEEN and not _SPACES.match(character):
        return None
    code = f"U+{ord(character):04X}"
    return code, f"{code} {unicodedata.name(character, 'unnamed').lower()}"
