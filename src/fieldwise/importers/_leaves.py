"""Records whose leaves carry evidence: a value with its confidence, page and box."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from fieldwise.dataclass import dataclass
from fieldwise.model.imported import ImportedRecord

Box = tuple[float, float, float, float]
_DIGITS: Final = 6
"""Decimals of a box: a millionth of a page."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value with its evidence."""

    value: Any
    confidence: float | None = None
    page: int | None = None
    box: Box | None = None


def build_record(tree: Mapping[str, Any], id: str | None = None, **record_parts: Any) -> ImportedRecord:
    """The imported record of a tree of dicts and lists whose leaves are `Leaf`.

    >>> build_record({"total": Leaf(5, 0.9, 1), "items": [{"sku": Leaf("a")}]}).confidence
    {'total': 0.9}
    """
    return ImportedRecord(
        id=id,
        record=_project(tree, "value", keep_empty=True),
        confidence=_project(tree, "confidence") or {},
        page=_project(tree, "page") or {},
        box=_project(tree, "box") or {},
        **record_parts,
    )


def _project(node: Any, attribute: str, *, keep_empty: bool = False) -> Any:
    """The tree with one attribute of each leaf. Unless `keep_empty`, branches without one are left out; lists keep their length."""
    if isinstance(node, Leaf):
        value = getattr(node, attribute)
        return list(value) if isinstance(value, tuple) else value
    if isinstance(node, Mapping):
        branches = {name: _project(child, attribute, keep_empty=keep_empty) for name, child in node.items()}
        return branches if keep_empty else {name: branch for name, branch in branches.items() if branch not in (None, {}, [])} or None
    if isinstance(node, list):
        items = [_project(child, attribute, keep_empty=keep_empty) for child in node]
        return items if keep_empty or any(item is not None for item in items) else None
    return node if keep_empty else None


def bound_points(points: Iterable[Sequence[float]], width: float = 1.0, height: float = 1.0) -> Box | None:
    """The box around points, as shares of the page.

    >>> bound_points([(1, 2), (3, 2), (3, 4)], 10, 10)
    (0.1, 0.2, 0.3, 0.4)
    """
    corners = list(points)
    if not corners or not width or not height:
        return None
    across = [float(point[0]) / width for point in corners]
    down = [float(point[1]) / height for point in corners]
    return make_box(min(across), min(down), max(across), max(down))


def make_box(left: float, top: float, right: float, bottom: float) -> Box:
    """A box, rounded."""
    return (round(left, _DIGITS), round(top, _DIGITS), round(right, _DIGITS), round(bottom, _DIGITS))


def collect(leaves: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Named nodes as a dict; a name that occurs several times becomes a list.

    >>> collect([("a", 1), ("b", 2), ("a", 3)])
    {'a': [1, 3], 'b': 2}
    """
    grouped: dict[str, list[Any]] = {}
    for name, leaf in leaves:
        grouped.setdefault(name, []).append(leaf)
    return {name: nodes[0] if len(nodes) == 1 else nodes for name, nodes in grouped.items()}


def as_share(percent: Any) -> float | None:
    """A confidence from 0 to 100 as a share.

    >>> as_share(98.5), as_share(None)
    (0.985, None)
    """
    return round(float(percent) / 100, _DIGITS) if isinstance(percent, int | float) else None
