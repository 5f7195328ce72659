"""What a system says about a value that it produced: how sure it is of it, and where it read it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from fieldwise.dataclass import dataclass
from fieldwise.model.path import EACH, Step
from fieldwise.model.values import json_kind


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


_PAGE_KEYS: Final = ("page", "page_number")
_BOX_KEYS: Final = ("box", "bbox", "bounding_box")


def read_place(value: Any) -> Evidence | None:
    """The page and box beside the value of an object such as `{"value": 107, "page": 1, "box": [0.1, 0.2, 0.3, 0.25]}`.

    None for anything else. A `confidence` or `score` beside it is read too.
    """
    if not isinstance(value, dict) or "value" not in value:
        return None
    members = cast("dict[str, Any]", value)
    box = read_box(next((members[key] for key in _BOX_KEYS if key in members), None))
    if box is None:
        return None
    page = next((members[key] for key in _PAGE_KEYS if key in members), None)
    confidence: Any = members.get("confidence", members.get("score"))
    is_share = isinstance(confidence, int | float) and not isinstance(confidence, bool) and 0 <= confidence <= 1
    return Evidence(float(confidence) if is_share else None, page if type(page) is int else None, box)


def read_box(value: Any) -> tuple[float, float, float, float] | None:
    """A box from left, top, right and bottom, from the corners of a polygon, or from an object; None for anything else.

    >>> read_box([1, 2, 3, 4]), read_box({"x": 1, "y": 2, "width": 2, "height": 2}), read_box([1, 2, 3, 2, 3, 4])
    ((1.0, 2.0, 3.0, 4.0), (1.0, 2.0, 3.0, 4.0), (1.0, 2.0, 3.0, 4.0))
    """
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Any]", value)
        numbers = [mapping.get(key) for key in ("x1", "y1", "x2", "y2")]
        if None in numbers:
            numbers = [mapping.get(key) for key in ("x", "y", "width", "height")]
            if all(json_kind(number) == "number" for number in numbers):
                left, top, width, height = cast("list[float]", numbers)
                numbers = [left, top, left + width, top + height]
    else:
        numbers = list(cast("Sequence[Any]", value)) if isinstance(value, list | tuple) else []
    if len(numbers) < 4 or len(numbers) % 2 or not all(json_kind(number) == "number" for number in numbers):
        return None
    edges = [float(cast("float", number)) for number in numbers]
    if len(edges) > 4:
        across, down = edges[::2], edges[1::2]
        edges = [min(across), min(down), max(across), max(down)]
    left, top, right, bottom = edges
    return (left, top, right, bottom) if left <= right and top <= bottom else None
