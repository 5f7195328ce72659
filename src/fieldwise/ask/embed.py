"""Texts as vectors, by whatever embedding model there is."""

from fieldwise.model.ask import Embed, Reply
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.ports import embedder


def embed(ask: Embed) -> Reply:
    """The texts as unit vectors, or why there are none."""
    found = embedder()
    if isinstance(found, Diagnostic):
        return Reply(problem=found.what, fix=found.fix, missing=True)
    return Reply(vectors=found(list(ask.texts)).value)
