"""What a system says about a value that it produced: how sure it is of it, and where it read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from fieldwise.model.path import EACH, Step


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of one value."""

    confidence: float | None = None
    """From 0 to 1."""
    page: int | None = None
    """The page number, from 1."""
    box: tuple[float, ...] | None = None
    """The place on the page, as in the data; importers give `[left, top, right, bottom]` as shares of the page."""


EvidenceNode: TypeAlias = "Evidence | Mapping[str, Any] | Sequence[Any] | None"
"""Evidence of the shape of a record: objects, lists, and `Evidence` at the leaves; None where there is none."""


def evidence_below(node: EvidenceNode, step: Step) -> EvidenceNode:
    """The evidence one step down. What holds for an object or a list holds for everything in it.

    >>> evidence_below({"total": Evidence(0.9)}, "total"), evidence_below(Evidence(0.5), "total")
    (Evidence(confidence=0.9, page=None, box=None), Evidence(confidence=0.5, page=None, box=None))
    """
    if node is None or isinstance(node, Evidence):
        return node
    if isinstance(node, Mapping):
        return None if step is EACH else node.get(str(step))
    return node[step] if isinstance(step, int) and -len(node) <= step < len(node) else None
