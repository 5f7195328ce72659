"""An answer beside what it rests on: which sentences the contexts support, by which passage, and what stands in none of them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from fieldwise.kernels.numbers_in_text import figures
from fieldwise.kernels.sentences import sentences
from fieldwise.model.case import Case
from fieldwise.model.result import Result
from fieldwise.report.marks import Piece, plain
from fieldwise.report.safe import value_text

_TEXT_KEYS: Final = ("text", "content", "page_content")
_LONGEST: Final = 60_000
_LINE: Final = 400
"""Longer stretches would lose their middle."""
_LOST: Final = re.compile(r"(?:number (?P<number>\S+)|`(?P<name>.+)`) is in no source")
Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of the answer, or one claim made from it."""

    pieces: tuple[Piece, ...]
    """What no source has is marked."""
    supported: bool
    support: float | None
    """Which share of its words the best passage has."""
    context: int | None
    """The context that has the passage, from 1."""
    passage: tuple[Piece, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one evaluator says of the answer, sentence by sentence."""

    evaluator: str
    what: str
    """`sentence` or `claim`."""
    sentences: tuple[Sentence, ...]
    numbers: tuple[str, ...]
    """Those that stand in no source."""
    names: tuple[str, ...]

    @property
    def supported(self) -> int:
        """How many have support."""
        return sum(one.supported for one in self.sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One context with the passages that the answer rests on marked."""

    pieces: tuple[Piece, ...]
    about: str
    """What it says of itself beside its text."""
    used: int
    """How many sentences rest on it."""


def answers_of(case: Case, results: Mapping[str, Result]) -> list[Answer]:
    """What was found about the sentences of the answer, by every evaluator that looked."""
    texts = [text_of(context) for context in case.contexts or ()]
    found: list[Answer] = []
    for name, result in results.items():
        told: Any = result.details.get("sentences")
        if isinstance(told, list) and told and isinstance(told[0], dict) and "grounded" in told[0]:
            lost: Any = result.details.get("unsupported") or {}
            looked = tuple(_sentence(one, texts) for one in cast("list[dict[str, Any]]", told))
            names, numbers = (tuple(map(str, lost.get(kind) or ())) for kind in ("names", "numbers"))
            found.append(Answer(evaluator=name, what="sentence", sentences=looked, numbers=numbers, names=names))
        claims: Any = (
            (result.details.get("faithfulness") or {}).get("claims") if isinstance(result.details.get("faithfulness"), dict) else None
        )
        if claims:
            judged = tuple(_claim(one) for one in claims)
            found.append(Answer(evaluator=f"{name}, faithfulness", what="claim", sentences=judged, numbers=(), names=()))
    return found


def contexts_of(case: Case, answers: Sequence[Answer]) -> list[Context]:
    """The contexts, with the passages that support a sentence marked."""
    found: list[Context] = []
    for number, context in enumerate(case.contexts or (), 1):
        text = text_of(context)
        passages = [one.passage for answer in answers for one in answer.sentences if one.context == number and one.supported]
        spans = [span for passage in passages for span in _where(text, "".join(piece.text for piece in passage))]
        found.append(Context(pieces=_marked(text, spans), about=_about(context), used=len(passages)))
    return found


def text_of(context: Any) -> str:
    """The text of a context: itself, or what stands under `text`, `content` or `page_content`."""
    if isinstance(context, Mapping):
        known = cast("Mapping[str, Any]", context)
        for key in _TEXT_KEYS:
            if isinstance(known.get(key), str):
                return str(known[key])
    return value_text(context)


def _about(context: Any) -> str:
    if not isinstance(context, Mapping):
        return ""
    known = cast("Mapping[str, Any]", context)
    used = next((key for key in _TEXT_KEYS if isinstance(known.get(key), str)), None)
    return ", ".join(f"{key} {value_text(value)}" for key, value in known.items() if key != used) if used else ""


def _sentence(told: Mapping[str, Any], texts: Sequence[str]) -> Sentence:
    text, passage = str(told.get("sentence", "")), str(told.get("passage") or "")
    reasons = tuple(map(str, told.get("reasons") or ()))
    support = told.get("support")
    return Sentence(
        pieces=_marked(text, list(_lost(text, reasons))),
        supported=bool(told.get("grounded")),
        support=float(support) if isinstance(support, int | float) else None,
        context=_context(passage, told.get("source"), texts),
        passage=(Piece(passage),) if passage else (),
        reasons=reasons,
    )


def _claim(told: Mapping[str, Any]) -> Sentence:
    reason = str(told.get("reason") or "")
    return Sentence(
        pieces=plain_long(str(told.get("claim", ""))),
        supported=bool(told.get("supported")),
        support=None,
        context=None,
        passage=(),
        reasons=(reason,) if reason else (),
    )


def _context(passage: str, source: Any, texts: Sequence[str]) -> int | None:
    """Which context has the passage, from 1: the one that was named, if it has it, or the first that does."""
    order = sorted(range(len(texts)), key=lambda at: at != source)
    return next((at + 1 for at in order if passage and _where(texts[at], passage)), None)


def _where(text: str, passage: str) -> list[Span]:
    """Where the sentences of a passage stand in a text."""
    found: list[Span] = []
    for sentence in [passage] if passage in text else sentences(passage):
        at = text.find(sentence)
        if at >= 0:
            found.append((at, at + len(sentence)))
    return found


def _lost(sentence: str, reasons: Sequence[str]) -> Iterator[Span]:
    """Where the numbers and names stand that no source has."""
    for reason in reasons:
        found = _LOST.fullmatch(reason)
        if found is None:
            continue
        if found["number"]:
            yield from ((figure.start, figure.end) for figure in figures(sentence) if figure.value == found["number"])
        else:
            pattern = r"\s+".join(map(re.escape, found["name"].split()))
            yield from (match.span() for match in re.finditer(pattern, sentence, re.IGNORECASE))


def _marked(text: str, spans: Sequence[Span]) -> tuple[Piece, ...]:
    """A text with these stretches marked, and what cannot be seen made visible."""
    pieces: list[Piece] = []
    at = 0
    for start, end in sorted(spans):
        if end > at:
            pieces += plain_long(text[at : max(start, at)]) if start > at else ()
            pieces += _differing(text[max(start, at) : end])
            at = end
    return (*pieces, *plain_long(text[at:]))


def _differing(text: str) -> Iterator[Piece]:
    for piece in plain_long(text):
        yield Piece(piece.text, piece.kind, piece.name, differs=True)


def plain_long(text: str) -> tuple[Piece, ...]:
    """A text with its lines as lines, and what cannot be seen made visible."""
    pieces: list[Piece] = []
    for place, line in enumerate(text[:_LONGEST].split("\n")):
        if place:
            pieces.append(Piece("\n"))
        for start in range(0, len(line), _LINE):
            pieces.extend(plain(line[start : start + _LINE]))
    if len(text) > _LONGEST:
        pieces.append(Piece("…", "left out", f"{len(text) - _LONGEST:,} characters left out"))
    return tuple(pieces)
