"""Expected → actual, with what differs between the two made to stand out."""

import json
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from rich.style import Style
from rich.text import Text

from fieldwise.model.comparison import Comparison
from fieldwise.report.parts import DIM, NOTE
from fieldwise.report.safe import safe, value_text

LOST: Final = Style(color="red", bold=True, underline=True)
ADDED: Final = Style(color="green", bold=True, underline=True)
ARROW: Final = " → "
_LONG: Final = 60
"""Longer text is compared word by word: letters that two long texts share by chance say nothing."""
_LONGEST: Final = 4_000
_CONTEXT: Final = 4
_TOO_MANY: Final = 0.5
"""Where more than this differs, marking it all would be noise."""


class _Piece(NamedTuple):
    """A stretch of one side."""

    text: str
    differs: bool


def change(comparison: Comparison, *, limit: int = 60) -> Text:
    """What was expected and what came instead, each in about `limit` characters."""
    if comparison.expected_presence == "missing":
        return Text.assemble(("not expected: ", NOTE), _whole(value_text(comparison.actual), limit * 2))
    if comparison.actual_presence == "missing":
        return Text.assemble(_whole(value_text(comparison.expected), limit * 2), (ARROW, DIM), ("missing", NOTE))
    return changed(*_both(comparison), limit=limit)


def _both(comparison: Comparison) -> tuple[str, str]:
    """Both values as text, in quotes where quotes tell them apart."""
    expected, actual = comparison.expected, comparison.actual
    told = value_text(expected), value_text(actual)
    if isinstance(expected, str) and isinstance(actual, str):
        quoted = any(text.startswith('"') and text != value for text, value in zip(told, (expected, actual), strict=True))
    else:
        quoted = isinstance(expected, str) or isinstance(actual, str)
    return (_quoted(expected, told[0]), _quoted(actual, told[1])) if quoted else told


def _quoted(value: object, told: str) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else told


def changed(expected: str, actual: str, *, limit: int = 60) -> Text:
    """Two texts with the characters or words that differ marked.

    >>> changed("RB-2024", "RB-2O24").plain
    'RB-2024 → RB-2O24'
    """
    expected, actual = safe(expected), safe(actual)
    if expected == actual or len(expected) + len(actual) > _LONGEST:
        return Text.assemble(_whole(expected, limit), (ARROW, DIM), _whole(actual, limit))
    mine, theirs = _pieces(expected, actual)
    return Text.assemble(_marked(mine, LOST, limit), (ARROW, DIM), _marked(theirs, ADDED, limit))


def _whole(text: str, limit: int) -> Text:
    text = safe(text)
    if len(text) <= limit:
        return Text(text)
    half = max((limit - 3) // 2, 1)
    return Text(f"{text[:half]}…{text[-half:]}")


def _pieces(expected: str, actual: str) -> tuple[list[_Piece], list[_Piece]]:
    by_word = max(len(expected), len(actual)) > _LONG
    mine = re.findall(r"\w+|\W", expected) if by_word else list(expected)
    theirs = re.findall(r"\w+|\W", actual) if by_word else list(actual)
    codes = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
    same = sum(len("".join(mine[start:stop])) for tag, start, stop, _, _ in codes if tag == "equal")
    if same < (1 - _TOO_MANY) * min(len(expected), len(actual)):
        return [_Piece(expected, False)], [_Piece(actual, False)]
    left = [_Piece("".join(mine[code[1] : code[2]]), code[0] != "equal") for code in codes if code[2] > code[1]]
    right = [_Piece("".join(theirs[code[3] : code[4]]), code[0] != "equal") for code in codes if code[4] > code[3]]
    return left, right


def _marked(pieces: Sequence[_Piece], style: Style, limit: int) -> Text:
    """The pieces in about `limit` characters, cutting first what is the same on both sides."""
    if len(pieces) == 1 and not pieces[0].differs:
        return _whole(pieces[0].text, limit)
    length = sum(len(piece.text) for piece in pieces)
    shown = pieces if length <= limit else _around_changes(pieces, limit)
    out = Text()
    for piece in shown:
        out.append(piece.text, style if piece.differs else "")
    if len(out) > limit + 4:
        out.truncate(limit, overflow="ellipsis")
    return out


def _around_changes(pieces: Sequence[_Piece], limit: int) -> list[_Piece]:
    marked = sum(len(piece.text) for piece in pieces if piece.differs)
    edges = sum((place > 0) + (place < len(pieces) - 1) for place, piece in enumerate(pieces) if not piece.differs)
    context = max((limit - marked - edges) // max(edges, 1), _CONTEXT)
    out: list[_Piece] = []
    for place, piece in enumerate(pieces):
        if piece.differs:
            out.append(piece)
            continue
        before, after = place > 0, place < len(pieces) - 1
        if len(piece.text) <= context * (before + after) + 1:
            out.append(piece)
            continue
        start = piece.text[:context] if before else ""
        end = piece.text[-context:] if after else ""
        out.append(_Piece(f"{start}…{end}", False))
    return out
