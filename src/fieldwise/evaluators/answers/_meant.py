"""Which sentence of the sources means what a sentence of the answer says: by embedding, with guards for what an embedding overlooks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from fieldwise.kernels.meaning.guards import Difference, differences, read
from fieldwise.kernels.sentences import sentences
from fieldwise.ports import MOSTLY, Embed


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """The sentence of the sources that is most like a sentence of the answer."""

    similarity: float
    """In [0, 1], lowered by what the guards found."""
    source: int | None
    passage: str
    reasons: tuple[str, ...]
    """What they found: other numbers, a negation, an opposite, another name."""


def meant(said: Sequence[str], texts: Sequence[str], embed: Embed) -> Iterator[Meant | None]:
    """For each sentence of an answer, what the sources say to it; None for a sentence in a script that the model cannot read.

    The guards look at the most similar sentence alone: among many there is always one that contradicts nothing.
    """
    passages = dict.fromkeys((sentence, source) for source, text in enumerate(texts) for sentence in sentences(text))
    known = list(passages)
    if not known or not said:
        yield from (Meant(similarity=0.0, source=None, passage="", reasons=()) for _ in said)
        return
    read_by_model = embed(said)
    alike = np.clip(read_by_model.value.astype(np.float64) @ embed([sentence for sentence, _ in known]).value.T, 0.0, 1.0)
    illegible = read_by_model.spelled() | {row for row, words in read_by_model.unread.items() if _are_most_of(words, said[row])}
    for which, (sentence, row) in enumerate(zip(said, alike, strict=True)):
        if which in illegible:
            yield None
            continue
        at = int(row.argmax())
        passage, source = known[at]
        found = [one for one in differences(read(passage), read(sentence)) if not _left_out(one)]
        similarity = float(row[at]) * prod(one.factor for one in found)
        yield Meant(similarity=similarity, source=source, passage=passage, reasons=tuple(map(str, found)))


def _are_most_of(words: Sequence[str], sentence: str) -> bool:
    """Whether the model has no sign for most letters of a sentence, as for many of Chinese."""
    return sum(map(len, words)) > MOSTLY * sum(map(str.isalnum, sentence))


def _left_out(found: Difference) -> bool:
    """A number that the answer does not repeat: it need not say everything."""
    return found.kind == "number missing" and "only expected" in found.what
