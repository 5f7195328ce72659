"""What a matcher may need from the world, without knowing who brings it.

A matcher does no I/O and imports nothing from `ask/`. It calls `embedder()`, which finds the provider by name and imports it then: the
entry point `embedding` in the group `fieldwise.providers` if a package installs one, else the model that fieldwise ships.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.diagnostic import Diagnostic

OWN = "fieldwise.ask.embedding"


@dataclass(frozen=True, slots=True)
class Vectors:
    """Texts as unit vectors, row by row."""

    value: NDArray[np.float32]
    unread: Mapping[int, tuple[str, ...]]
    """For some rows, the words that the model has no sign for; they left no trace in the vector."""


class Embed(Protocol):
    """Turns distinct texts into vectors; the vector of a text never depends on the others."""

    def __call__(self, texts: Sequence[str], /) -> Vectors: ...


def embedder() -> Embed | Diagnostic:
    """The embedding model, or why there is none and how to get it."""
    for point in entry_points(group="fieldwise.providers", name="embedding"):
        return cast("Embed | Diagnostic", point.load()())
    return cast("Embed | Diagnostic", import_module(OWN).provide())
