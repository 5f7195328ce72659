"""Evaluators that `init` suggests beside field rules: `iou_score` for lists of boxes, `tool_trajectory` for lists of tool calls."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from fieldwise.model.case import Cases
from fieldwise.model.path import EACH, Step, render_path
from fieldwise.model.services import NO_SERVICES
from fieldwise.model.shape_notation import BOX_KEYS, box_as_list, is_four_numbers
from fieldwise.model.tool_call_keys import ARGUMENT_KEYS, CALL_LIST_KEYS, FUNCTION_KEY, NAME_KEYS, VAGUE_KEYS
from fieldwise.model.values import json_kind
from fieldwise.read.columns import fold_name
from fieldwise.score.batch import ScoringBatch

_MIN_SHARE: Final = 0.9
"""Share of the items of a list that must be boxes or calls."""
_MIN_BOXES_PER_FORMAT: Final = 20
"""Boxes from which the two sides are taken to have different formats."""
_MAX_DEPTH: Final = 6
_BOX_NAMES: Final = frozenset(
    ("bbox", "box", "boundingbox", "bndbox", "rect", "rectangle", "bounds", "coordinates", "coords", "box2d", "bbox2d", "xyxy", "xywh")
)
"""Names of four numbers that are a box, without case and separators; four numbers of another name may be anything."""
_LABEL_NAMES: Final = (
    *("label", "class", "category", "classname", "categoryname", "labelname", "kind", "type", "tag", "name"),
    *("categoryid", "classid", "labelid"),
)
_COORDINATE_NAMES: Final = frozenset(name for forms in BOX_KEYS.values() for names in forms for name in names)


@dataclass(frozen=True, slots=True)
class SuggestedEvaluator:
    """An evaluator for one list of the records."""

    options: Mapping[str, Any]
    reason: str
    left_out: tuple[tuple[Step, ...], ...]
    """Paths of what it compares, so that field rules need not."""


@dataclass(slots=True)
class _SideItems:
    """The items of one side of a list."""

    items: int = 0
    boxes: Counter[str | None] = field(default_factory=Counter[str | None])
    """Key → items with a box there; None: the item itself is the box."""
    number_boxes: Counter[str | None] = field(default_factory=Counter[str | None])
    """Key → boxes that are four numbers, whose format is not written."""
    unordered_boxes: Counter[str | None] = field(default_factory=Counter[str | None])
    """Key → those of them that are not two corners."""
    labels: Counter[str] = field(default_factory=Counter[str])
    keys: dict[str, None] = field(default_factory=dict[str, None])
    calls: int = 0

    def add(self, list_name: str, items: Sequence[Any]) -> None:
        """Count the items of a list."""
        self.items += len(items)
        for item in items:
            self._add_box(None, list_name, item)
            if json_kind(item) != "object":
                continue
            self.calls += is_tool_call(item)
            for key, value in item.items():
                self.keys[key] = None
                self._add_box(key, key, value)
                if fold_name(key) in _LABEL_NAMES and json_kind(value) in ("string", "number"):
                    self.labels[key] += 1

    def _add_box(self, key: str | None, name: str, value: Any) -> None:
        if json_kind(value) == "object":
            self.boxes[key] += is_four_numbers(box_as_list(value, "xyxy"))
        elif is_four_numbers(value) and _is_box_name(name):
            self.boxes[key] += 1
            self.number_boxes[key] += 1
            self.unordered_boxes[key] += value[2] < value[0] or value[3] < value[1]

    def has_mostly(self, count: int) -> bool:
        """True if this many items are nearly all of them."""
        return count >= _MIN_SHARE * self.items > 0


def _is_box_name(name: str) -> bool:
    """
    >>> [_is_box_name(name) for name in ("bbox", "bounding_boxes", "rects", "quarters")]
    [True, True, True, False]
    """
    folded = fold_name(name)
    return not _BOX_NAMES.isdisjoint((folded, folded.removesuffix("s"), folded.removesuffix("es")))


_Sides = tuple[_SideItems, _SideItems]


class ListSurvey:
    """The lists of objects and boxes in records, by path; collected batch by batch."""

    def __init__(self) -> None:
        self._lists: dict[tuple[str, ...], _Sides] = {}

    def add(self, cases: Cases) -> None:
        """Count the lists of a batch of cases."""
        records = ScoringBatch(cases, NO_SERVICES).records
        for side, values in enumerate((records.expected, records.actual)):
            for value in values:
                for steps, items in _walk_lists(value, ()):
                    sides = self._lists.setdefault(steps, (_SideItems(), _SideItems()))
                    sides[side].add(steps[-1] if steps else "", items)

    def suggest(self) -> list[SuggestedEvaluator]:
        """The evaluators for lists of boxes and lists of tool calls."""
        suggested: list[SuggestedEvaluator] = []
        for steps, sides in self._lists.items():
            suggestion = _suggest_trajectory(steps, sides) or _suggest_iou(steps, sides)
            if suggestion is not None:
                suggested.append(suggestion)
        types = Counter(suggestion.options["type"] for suggestion in suggested)
        return [_with_name(suggestion) if types[suggestion.options["type"]] > 1 else suggestion for suggestion in suggested]


def is_tool_call(item: Mapping[str, Any]) -> bool:
    """True for the name of a tool with its arguments, of which at most one has a key that other objects have too.

    >>> is_tool_call({"name": "search", "arguments": '{"query": "x"}'}), is_tool_call({"name": "Paper", "amount": 4})
    (True, False)
    """
    function = item.get(FUNCTION_KEY)
    if json_kind(function) == "object":
        item = cast("Mapping[str, Any]", function)
    names = [key for key in (*NAME_KEYS, FUNCTION_KEY) if isinstance(item.get(key), str)]
    arguments = [key for key in ARGUMENT_KEYS if _are_arguments(item.get(key))]
    is_certain = not VAGUE_KEYS.issuperset(names) or not VAGUE_KEYS.issuperset(arguments)
    return bool(names and arguments) and is_certain


def _are_arguments(value: Any) -> bool:
    """True for an object, or its JSON text."""
    if isinstance(value, str):
        return value.strip().startswith("{") and value.strip().endswith("}")
    return json_kind(value) == "object"


def _walk_lists(value: Any, steps: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Sequence[Any]]]:
    """The lists of objects or lists inside a record, as far as only objects lead to them."""
    if json_kind(value) == "object" and len(steps) < _MAX_DEPTH:
        for key, inner in value.items():
            yield from _walk_lists(inner, (*steps, key))
    elif json_kind(value) == "list" and any(json_kind(item) in ("object", "list") for item in value):
        yield steps, value


def _suggest_trajectory(steps: tuple[str, ...], sides: _Sides) -> SuggestedEvaluator | None:
    expected = sides[0]
    if not expected.has_mostly(expected.calls):
        return None
    options: dict[str, Any] = {"type": "tool_trajectory"}
    if steps and not (len(steps) == 1 and steps[0] in CALL_LIST_KEYS):  # where `tool_trajectory` looks without a path
        options |= {"path": render_path(("actual", *steps)), "expected_path": render_path(("expected", *steps))}
    reason = f"{expected.calls:,} of {expected.items:,} expected items are tool calls; further calls are allowed, unless `mode: exact`"
    return SuggestedEvaluator(options, reason, (steps,))


def _suggest_iou(steps: tuple[str, ...], sides: _Sides) -> SuggestedEvaluator | None:
    expected, actual = sides
    keys = [key for key in expected.boxes if expected.has_mostly(expected.boxes[key]) and actual.has_mostly(actual.boxes[key])]
    if not keys:
        return None
    key = next((key for key in keys if key is not None), None)
    label = _find_label(sides, key)
    options: dict[str, Any] = {"type": "iou_score"}
    if steps:
        options["path"] = render_path(steps)
    options |= _find_formats(sides, key)
    if key is not None:
        options["box"] = key
    if label is not None:
        options["label"] = label
    options |= {"pairing": "best", "threshold": 0.5}
    reason = (
        f"{expected.boxes[key]:,} of {expected.items:,} expected items and {actual.boxes[key]:,} of {actual.items:,} actual ones are boxes"
    )
    return SuggestedEvaluator(options, reason, _list_compared_paths(steps, expected, key, label))


def _find_label(sides: _Sides, box: str | None) -> str | None:
    """The key of the label. A `name` beside other fields, as in a line item, is text to compare and no label."""
    expected, actual = sides
    names_items = any(key != box and fold_name(key) not in (*_LABEL_NAMES, *_COORDINATE_NAMES) for key in expected.keys)
    labels = [
        name
        for name in expected.labels
        if name != box
        and not (names_items and fold_name(name) == "name")
        and expected.has_mostly(expected.labels[name])
        and actual.has_mostly(actual.labels[name])
    ]
    return min(labels, key=lambda name: _LABEL_NAMES.index(fold_name(name)), default=None)


def _find_formats(sides: _Sides, key: str | None) -> dict[str, str]:
    """The options `format` and `actual_format` for boxes of four numbers; the keys of other boxes say their format.

    Two corners have their greater numbers last; a single expected box that does not shows that these are widths and heights.
    """
    expected, actual = sides
    if not expected.number_boxes[key] and not actual.number_boxes[key]:
        return {}
    if key is not None and "xywh" in fold_name(key):
        return {"format": "xywh"}
    if expected.unordered_boxes[key]:
        return {"format": "xywh"}
    if actual.unordered_boxes[key] <= (1 - _MIN_SHARE) * actual.number_boxes[key]:
        return {"format": "xyxy"}
    if expected.number_boxes[key] < _MIN_BOXES_PER_FORMAT:
        return {"format": "xywh"}
    return {"format": "xyxy", "actual_format": "xywh"}


def _list_compared_paths(steps: tuple[str, ...], expected: _SideItems, box: str | None, label: str | None) -> tuple[tuple[Step, ...], ...]:
    """The whole list if its expected items have nothing but a box and a label; else the boxes."""
    box_keys = [box] if box is not None else [key for key in expected.keys if key.lower().replace("_", "") in _COORDINATE_NAMES]
    if expected.keys.keys() <= {*box_keys, label}:
        return (steps,)
    return tuple((*steps, EACH, key) for key in box_keys)


def _with_name(suggestion: SuggestedEvaluator) -> SuggestedEvaluator:
    """The evaluator with the name of its list: names in a suite are unique."""
    options = dict(suggestion.options)
    kind = options.pop("type")
    path = options.get("expected_path", options.get("path", "")).removeprefix("expected.")
    name = re.sub(r"\W+", "_", f"{kind}_{path}").strip("_")
    return SuggestedEvaluator({"type": kind, "name": name, **options}, suggestion.reason, suggestion.left_out)
