"""Services that scoring may use beyond the values themselves: an asker, an embedding model, a sink for diagnostics.

Matchers and evaluators do no I/O. They receive a `Services` with every batch (`Pairs.services`, `Batch.services`); `score/` builds it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from fieldwise.dataclass import dataclass
from fieldwise.model.ask import Ask, Asker, Asks, DisabledAsker, Replies, Reply
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.numpy_on_use import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_SPELLED_SHARE: Final = 0.5
"""Largest share of a text that the model may spell letter by letter before its vector is not used."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """Texts as unit vectors, row by row."""

    value: NDArray[np.float32]
    unread: Mapping[int, tuple[str, ...]]
    """By row, the words that are not in the model's vocabulary; they have no influence on the vector."""
    blurred: Mapping[int, float] = field(default_factory=dict)
    """By row, the share of the text that the model spells letter by letter, which makes the vector less distinctive."""

    def spelled(self) -> set[int]:
        """Rows that the model mostly spells letter by letter: it puts all such texts close together."""
        return {row for row, share in self.blurred.items() if share > MAX_SPELLED_SHARE}


class Embedder(Protocol):
    """Turns distinct texts into vectors; the vector of a text never depends on the others."""

    def __call__(self, texts: Sequence[str], /) -> Vectors: ...


LoadEmbedder: TypeAlias = Callable[[], Embedder | Diagnostic]
"""Returns the embedding model, or why there is none and how to install it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """An asker, an embedding model and a sink for diagnostics."""

    asker: Asker
    load_embedder: LoadEmbedder
    report: Callable[[Diagnostic], None]
    """Records a problem that belongs to no single case, such as a plug-in that crashed and was skipped."""

    def ask(self, asks: Sequence[Ask]) -> list[Reply]:
        """Ask independent questions in one round; the replies are in the order of the questions."""
        replies_by_question: dict[int, Reply] = {}

        def collect(question: int, replies: Replies) -> Asks:
            replies_by_question[question] = replies[0]
            return ()

        self.asker.answer({question: (ask,) for question, ask in enumerate(asks)}, collect)
        return [replies_by_question[question] for question in range(len(asks))]


def _no_embedder() -> Diagnostic:
    return Diagnostic(
        code="unavailable", what="there is no embedding model here", fix="score through fieldwise.match or fieldwise.evaluate"
    )


def _ignore_diagnostic(_diagnostic: Diagnostic) -> None:
    pass


NO_SERVICES: Final = Services(asker=DisabledAsker(), load_embedder=_no_embedder, report=_ignore_diagnostic)
"""For matchers that are called directly: questions and embeddings are unavailable."""
