"""Expected and actual values side by side, with the characters that differ marked: as pieces for pages, as styled text for terminals.

The pieces are plain text; a page escapes them itself.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from rapidfuzz.distance import Levenshtein
from rich.style import Style
from rich.text import Text

from fieldwise.dataclass import dataclass
from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.comparison import Comparison, Outcome
from fieldwise.report.result_text import ABSENT
from fieldwise.report.terminal_layout import DIM, NOTE
from fieldwise.report.text_format import INVISIBLE_CATEGORIES, dump_json, format_value, make_visible

PieceKind = Literal["same", "differs", "token", "left out"]
_WORDS: Final = re.compile(r"\w+|\W")
_MIN_SHARED: Final = 0.5
"""Texts that share less than this part of the shorter one are marked as a whole, or not at all: marking every letter would be noise."""


def format_both(expected: Any, actual: Any) -> tuple[str, str]:
    """Format two values, with quotes around strings if the quotes are needed to distinguish the values."""
    expected_text, actual_text = format_value(expected), format_value(actual)
    both_strings = isinstance(expected, str) and isinstance(actual, str)
    if both_strings and expected_text == expected and actual_text == actual:
        return expected_text, actual_text
    if not (isinstance(expected, str) or isinstance(actual, str)) or accepted_values(expected) is not None:
        return expected_text, actual_text
    return dump_json(expected, spaced=True), dump_json(actual, spaced=True)


# Pages ---------------------------------------------------------------------------------------------------------------------------------

_PAGE_WORDS_FROM: Final = 160
"""Longer text is compared word by word: letters that two long texts share by chance mean nothing."""
_PAGE_COMPARED: Final = 6_000
_PAGE_SHOWN: Final = 420
_PAGE_CONTEXT: Final = 60
_MIN_GAP: Final = 12
"""Shorter gaps are shown instead of an ellipsis."""
_TOKENS: Final = {"\n": ("⏎", "line break"), "\t": ("⇥", "tab"), "\r": ("␍", "carriage return"), "\u00a0": ("⍽", "no-break space")}
_UNUSUAL_SPACE: Final = re.compile(r"[^\S \n\t\r\u00a0]")


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of one side."""

    text: str
    kind: PieceKind = "same"
    name: str = ""
    """Name of an invisible character, or how much was left out."""
    differs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedSides:
    """Expected and actual with marks; None for a side without a value."""

    expected: tuple[TextPiece, ...] | None
    actual: tuple[TextPiece, ...] | None


def mark_comparison(comparison: Comparison) -> MarkedSides:
    """Mark what differs between the two sides of a comparison."""
    has_expected = comparison.expected_presence != "missing"
    has_actual = comparison.actual_presence != "missing"
    if has_expected and has_actual:
        texts = format_both(comparison.expected, comparison.actual)
        if _is_one_null(comparison):
            return MarkedSides(expected=plain_pieces(texts[0]), actual=plain_pieces(texts[1]))
        expected, actual = mark_texts(*texts)
        return MarkedSides(expected=expected, actual=actual)
    return MarkedSides(
        expected=plain_pieces(format_value(comparison.expected)) if has_expected else None,
        actual=plain_pieces(format_value(comparison.actual)) if has_actual else None,
    )


def _is_one_null(comparison: Comparison) -> bool:
    """True if a value stands against null: letters that it shares with the word null mean nothing."""
    return (comparison.expected is None) != (comparison.actual is None)


def shorten_sides(sides: MarkedSides, limit: int) -> MarkedSides:
    """Cut both sides after `limit` characters, for lists that show more than one comparison."""
    return MarkedSides(
        expected=None if sides.expected is None else tuple(_cut_pieces(sides.expected, limit)),
        actual=None if sides.actual is None else tuple(_cut_pieces(sides.actual, limit)),
    )


def _cut_pieces(pieces: Sequence[TextPiece], limit: int) -> Iterator[TextPiece]:
    room = limit
    for piece in pieces:
        length = len(piece.text)
        if length <= room:
            yield piece
            room -= length
            continue
        if room and piece.kind == "same":
            yield replace(piece, text=piece.text[:room])
        yield TextPiece("…", "left out", "the case shows the rest")
        return


def plain_pieces(text: str) -> tuple[TextPiece, ...]:
    """Split one text into pieces, with tokens for its invisible characters."""
    return tuple(_show_invisible(_shorten_stretches([(text, False)])))


def mark_texts(expected: str, actual: str) -> tuple[tuple[TextPiece, ...], tuple[TextPiece, ...]]:
    """Mark what differs between two texts.

    >>> [(piece.text, piece.differs) for piece in mark_texts("RB-2024", "RB-2O24")[1]]
    [('RB-2', False), ('O', True), ('24', False)]
    >>> mark_texts("a", "a\\u202e")[1][-1].name
    'U+202E right-to-left override'
    """
    left, right = _align_texts(expected[:_PAGE_COMPARED], actual[:_PAGE_COMPARED])
    return tuple(_show_invisible(_shorten_stretches(left))), tuple(_show_invisible(_shorten_stretches(right)))


Stretch: TypeAlias = tuple[str, bool]
"""Text, and whether it differs from the other side."""


def _align_texts(expected: str, actual: str) -> tuple[list[Stretch], list[Stretch]]:
    by_word = max(len(expected), len(actual)) > _PAGE_WORDS_FROM
    expected_units: Sequence[str] = _WORDS.findall(expected) if by_word else expected
    actual_units: Sequence[str] = _WORDS.findall(actual) if by_word else actual
    edits = Levenshtein.opcodes(expected_units, actual_units)
    shared = sum(edit.src_end - edit.src_start for edit in edits if edit.tag == "equal")
    if expected != actual and shared < _MIN_SHARED * min(len(expected_units), len(actual_units)):
        return [(expected, True)], [(actual, True)]
    left, right = list[Stretch](), list[Stretch]()
    for edit in edits:
        differs = edit.tag != "equal"
        _append_stretch(left, "".join(expected_units[edit.src_start : edit.src_end]), differs)
        _append_stretch(right, "".join(actual_units[edit.dest_start : edit.dest_end]), differs)
    return left, right


def _append_stretch(stretches: list[Stretch], text: str, differs: bool) -> None:
    if text and stretches and stretches[-1][1] == differs:
        stretches[-1] = (stretches[-1][0] + text, differs)
    elif text:
        stretches.append((text, differs))


def _shorten_stretches(stretches: Sequence[Stretch]) -> Iterator[TextPiece]:
    """Drop the middle of long stretches; one that differs keeps more text than one that is the same on both sides."""
    if sum(len(text) for text, _ in stretches) <= _PAGE_SHOWN:
        for text, differs in stretches:
            yield TextPiece(text, differs=differs)
        return
    alone = len(stretches) == 1
    for place, (text, differs) in enumerate(stretches):
        context = _PAGE_SHOWN // 3 if alone or differs else _PAGE_CONTEXT
        start = text[:context] if place > 0 or alone or differs else ""
        end = text[-context:] if place < len(stretches) - 1 or differs else ""
        left_out = len(text) - len(start) - len(end)
        if left_out <= _MIN_GAP:
            yield TextPiece(text, differs=differs)
            continue
        if start:
            yield TextPiece(start, differs=differs)
        yield TextPiece("…", "left out", f"{left_out} characters left out")
        if end:
            yield TextPiece(end, differs=differs)


def _show_invisible(pieces: Iterator[TextPiece]) -> Iterator[TextPiece]:
    """Replace characters that draw nothing, control the direction of writing or look like a common space by tokens."""
    for piece in pieces:
        if piece.kind != "same" or (piece.text.isascii() and piece.text.isprintable()):
            yield piece
            continue
        start = 0
        for at, character in enumerate(piece.text):
            token = _find_token(character)
            if token is None:
                continue
            if at > start:
                yield TextPiece(piece.text[start:at], differs=piece.differs)
            yield TextPiece(token[0], "token", token[1], piece.differs)
            start = at + 1
        if start < len(piece.text):
            yield TextPiece(piece.text[start:], differs=piece.differs)


def _find_token(character: str) -> tuple[str, str] | None:
    """Return the sign and the name of a character that is not visible as it is; None for any other."""
    if character in _TOKENS:
        return _TOKENS[character]
    if unicodedata.category(character) not in INVISIBLE_CATEGORIES and not _UNUSUAL_SPACE.match(character):
        return None
    code = f"U+{ord(character):04X}"
    return code, f"{code} {unicodedata.name(character, 'unnamed').lower()}"


# Terminals -----------------------------------------------------------------------------------------------------------------------------

LOST: Final = Style(color="red", bold=True, underline=True)
ADDED: Final = Style(color="green", bold=True, underline=True)
ARROW: Final = " → "
_LINE_WORDS_FROM: Final = 60
_LINE_COMPARED: Final = 4_000
_LINE_CONTEXT: Final = 4


class _Segment(NamedTuple):
    """A stretch of one side."""

    text: str
    differs: bool


def style_comparison(comparison: Comparison, *, limit: int = 60) -> Text:
    """Format expected → actual with what differs marked, each side in about `limit` characters."""
    if comparison.outcome == Outcome.FAULT.label and comparison.expected_presence == "missing":
        return Text("not compared", NOTE)  # such as a malformed path: the note says why
    if comparison.expected_presence == "missing":
        return Text.assemble(("not expected: ", NOTE), _shorten_value(format_value(comparison.actual), limit * 2))
    if comparison.actual_presence == "missing":
        return Text.assemble(_shorten_value(format_value(comparison.expected), limit * 2), (ARROW, DIM), (ABSENT, NOTE))
    expected, actual = format_both(comparison.expected, comparison.actual)
    if _is_one_null(comparison):
        return Text.assemble(_shorten_value(expected, limit), (ARROW, DIM), _shorten_value(actual, limit))
    return style_texts(expected, actual, limit=limit)


def style_texts(expected: str, actual: str, *, limit: int = 60) -> Text:
    """Format two texts with the characters or words that differ marked.

    >>> style_texts("RB-2024", "RB-2O24").plain
    'RB-2024 → RB-2O24'
    """
    expected, actual = make_visible(expected), make_visible(actual)
    if expected == actual or len(expected) + len(actual) > _LINE_COMPARED:
        return Text.assemble(_shorten_value(expected, limit), (ARROW, DIM), _shorten_value(actual, limit))
    left, right = _split_segments(expected, actual)
    return Text.assemble(_style_segments(left, LOST, limit), (ARROW, DIM), _style_segments(right, ADDED, limit))


def _shorten_value(text: str, limit: int) -> Text:
    text = make_visible(text)
    if len(text) <= limit:
        return Text(text)
    half = max((limit - 3) // 2, 1)
    return Text(f"{text[:half]}…{text[-half:]}")


def _split_segments(expected: str, actual: str) -> tuple[list[_Segment], list[_Segment]]:
    by_word = max(len(expected), len(actual)) > _LINE_WORDS_FROM
    expected_units = _WORDS.findall(expected) if by_word else list(expected)
    actual_units = _WORDS.findall(actual) if by_word else list(actual)
    edits = SequenceMatcher(None, expected_units, actual_units, autojunk=False).get_opcodes()
    shared = sum(len("".join(expected_units[start:stop])) for tag, start, stop, _, _ in edits if tag == "equal")
    if shared < _MIN_SHARED * min(len(expected), len(actual)):
        return [_Segment(expected, False)], [_Segment(actual, False)]
    left, right = list[_Segment](), list[_Segment]()
    for tag, expected_start, expected_stop, actual_start, actual_stop in edits:
        if expected_stop > expected_start:
            left.append(_Segment("".join(expected_units[expected_start:expected_stop]), tag != "equal"))
        if actual_stop > actual_start:
            right.append(_Segment("".join(actual_units[actual_start:actual_stop]), tag != "equal"))
    return left, right


def _style_segments(segments: Sequence[_Segment], style: Style, limit: int) -> Text:
    """Join the segments in about `limit` characters, first cutting what is the same on both sides."""
    if len(segments) == 1 and not segments[0].differs:
        return _shorten_value(segments[0].text, limit)
    length = sum(len(segment.text) for segment in segments)
    shown = segments if length <= limit else _cut_shared_segments(segments, limit)
    line = Text()
    for segment in shown:
        line.append(segment.text, style if segment.differs else "")
    if len(line) > limit + 4:
        line.truncate(limit, overflow="ellipsis")
    return line


def _cut_shared_segments(segments: Sequence[_Segment], limit: int) -> list[_Segment]:
    """Leave only a few characters of context beside each difference."""
    last = len(segments) - 1
    marked = sum(len(segment.text) for segment in segments if segment.differs)
    edges = sum((place > 0) + (place < last) for place, segment in enumerate(segments) if not segment.differs)
    context = max((limit - marked - edges) // max(edges, 1), _LINE_CONTEXT)
    shown: list[_Segment] = []
    for place, segment in enumerate(segments):
        has_before, has_after = place > 0, place < last
        if segment.differs or len(segment.text) <= context * (has_before + has_after) + 1:
            shown.append(segment)
            continue
        start = segment.text[:context] if has_before else ""
        end = segment.text[-context:] if has_after else ""
        shown.append(_Segment(f"{start}…{end}", False))
    return shown
