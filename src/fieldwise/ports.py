"""What a matcher may need from the world, without knowing who brings it.

A matcher does no I/O and imports nothing from `ask/`. It calls `embedder()`, which finds the provider by name and imports it then: the
entry point `embedding` in the group `fieldwise.providers` if a package installs one, else the model that fieldwise ships.

A matcher that asks a model calls `answers()`; its questions go to the asker of the run, within what the run may spend.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import entry_points
from typing import Final, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.ask import Ask, Asker, Asks, Replies, Reply
from fieldwise.model.diagnostic import Diagnostic

OWN = "fieldwise.ask.embedding"
MOSTLY: Final = 0.5
"""The share of letters that a model may spell before it should not be asked about a text."""
_ASKER: ContextVar[Asker | None] = ContextVar("asker", default=None)


@dataclass(frozen=True, slots=True)
class Vectors:
    """Texts as unit vectors, row by row."""

    value: NDArray[np.float32]
    unread: Mapping[int, tuple[str, ...]]
    """For some rows, the words that the model has no sign for; they left no trace in the vector."""
    blurred: Mapping[int, float] = field(default_factory=dict[int, float])
    """For some rows, the share of the text that the model spells letter by letter, so that its vector tells little apart."""

    def spelled(self) -> set[int]:
        """The rows that the model knows only letter by letter for the most part: it puts all such texts close together."""
        return {row for row, share in self.blurred.items() if share > MOSTLY}


class Embed(Protocol):
    """Turns distinct texts into vectors; the vector of a text never depends on the others."""

    def __call__(self, texts: Sequence[str], /) -> Vectors: ...


def embedder() -> Embed | Diagnostic:
    """The embedding model, or why there is none and how to get it."""
    for point in entry_points(group="fieldwise.providers", name="embedding"):
        return cast("Embed | Diagnostic", point.load()())
    return cast("Embed | Diagnostic", import_module(OWN).provide())


@contextmanager
def asking(asker: Asker | None) -> Generator[None]:
    """Within this, `answers` asks this asker; None leaves it as it is."""
    before = _ASKER.get()
    token = _ASKER.set(asker or before)
    try:
        yield
    finally:
        _ASKER.reset(token)


def answers(asks: Sequence[Ask]) -> list[Reply]:
    """The replies to many questions at once; outside of a run an asker is opened for them alone."""
    asker = _ASKER.get()
    if asker is not None:
        return _answered(asker, asks)
    with import_module("fieldwise.ask.asker").open_asker() as own:
        return _answered(own, asks)


def _answered(asker: Asker, asks: Sequence[Ask]) -> list[Reply]:
    found: dict[int, Reply] = {}

    def keep(which: int, replies: Replies) -> Asks:
        found[which] = replies[0]
        return ()

    asker.answer({which: (ask,) for which, ask in enumerate(asks)}, keep)
    return [found[which] for which in range(len(asks))]
