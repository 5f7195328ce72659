"""Label Studio: exported tasks (JSON) with annotations and predictions."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from fieldwise.dataclass import dataclass
from fieldwise.importers._leaves import Box, Leaf, bound_points, build_record, collect, make_box
from fieldwise.importers._rows import first_row
from fieldwise.model.imported import ImportedRecord
from fieldwise.model.values import MISSING
from fieldwise.registry import importer

_REGION_LABELS: Final = (
    "rectanglelabels",
    "labels",
    "hypertextlabels",
    "paragraphlabels",
    "polygonlabels",
    "ellipselabels",
    "brushlabels",
    "keypointlabels",
)

_PLACE_KEYS: Final = frozenset(
    (
        *("x", "y", "width", "height", "rotation", "radiusX", "radiusY", "points", "closed", "vertices", "rle", "format", "imageDataURL"),
        *("start", "end", "startOffset", "endOffset", "globalOffsets", "text", "channel", "duration", "sequence", "framesCount"),
    )
)
"""Keys of a value that say where a region is, and what text it covers."""
_REGIONS: Final = "regions"


def _recognizes(document: Any) -> bool:
    task = first_row(document) if isinstance(document, list) else document
    return isinstance(task, Mapping) and isinstance(task.get("data"), Mapping) and ("annotations" in task or "predictions" in task)


@importer(label="Label Studio", recognizes=_recognizes)
def label_studio(document: Any) -> Iterator[ImportedRecord]:
    """One record for each task: the last annotation is expected, the last prediction is what the system produced.

    Each label of a region names a field, whose value is the transcription or marked text; other controls name the field themselves. A
    field with several regions or choices in any task is a list in every task. Regions of a label that has no text in any task are items of
    the list `regions`, with label and box.
    """
    tasks = [_read_task(task) for task in (document if isinstance(document, list) else [document])]
    textless = _find_textless_labels(tree for task in tasks for tree in (task.annotated, task.predicted) if tree is not None)
    if textless:
        tasks = [
            replace(task, annotated=_list_regions(task.annotated, textless), predicted=_list_regions(task.predicted, textless))
            for task in tasks
        ]
    trees = [tree for task in tasks for tree in (task.annotated, task.predicted) if tree is not None]
    repeated = {name for tree in trees for name, node in tree.items() if isinstance(node, list)}
    multiple = {name for tree in trees for name, node in tree.items() if isinstance(node, Leaf) and isinstance(node.value, list)}
    for task in tasks:
        annotated, predicted = (
            ImportedRecord() if tree is None else build_record(_list_single_values(tree, repeated, multiple))
            for tree in (task.annotated, task.predicted)
        )
        places = {"expected_pages": annotated.page, "expected_boxes": annotated.box}
        yield replace(
            predicted,
            id=task.id,
            expected=annotated.record,
            input=task.data,
            metadata={name: dict(record) for name, record in places.items() if record},
            repeatable=True,
        )


@dataclass(frozen=True, slots=True)
class _Task:
    """A task with the trees of its last annotation and prediction; None where there is none."""

    id: str | None
    data: dict[str, Any]
    annotated: dict[str, Any] | None
    predicted: dict[str, Any] | None


def _read_task(task: Mapping[str, Any]) -> _Task:
    annotations = [entry for entry in task.get("annotations") or () if isinstance(entry, Mapping) and not entry.get("was_cancelled")]
    predictions = [entry for entry in task.get("predictions") or () if isinstance(entry, Mapping)]
    annotated, predicted = (_read_results(entries[-1].get("result") or ()) if entries else None for entries in (annotations, predictions))
    id = task.get("id", task["data"].get("id"))
    return _Task(None if id is None else str(id), dict(task["data"]), annotated, predicted)


def _find_textless_labels(trees: Iterable[Mapping[str, Any]]) -> set[str]:
    """The labels whose regions have a box and no text in any task: null would say that they have no value, and pass without an output."""
    leaves: dict[str, list[Leaf]] = {}
    for tree in trees:
        for name, node in tree.items():
            leaves.setdefault(name, []).extend(node if isinstance(node, list) else [node])
    return {name for name, nodes in leaves.items() if all(leaf.value is None and leaf.box is not None for leaf in nodes)}


def _list_regions(tree: Mapping[str, Any] | None, labels: Collection[str]) -> dict[str, Any] | None:
    """The tree with the regions of these labels as a list of labels and boxes.

    >>> _list_regions({"Stamp": Leaf(None, 0.9, 1, (0.1, 0.2, 0.3, 0.4)), "total": Leaf(5)}, {"Stamp"})["regions"][0]["box"].value
    [0.1, 0.2, 0.3, 0.4]
    """
    if tree is None:
        return None
    regions: list[dict[str, Leaf]] = []
    for label in (name for name in tree if name in labels):
        leaves: list[Leaf] = tree[label] if isinstance(tree[label], list) else [tree[label]]
        regions += [{"label": replace(leaf, value=label), "box": Leaf(list(leaf.box or ()))} for leaf in leaves]
    return {_REGIONS: regions, **{name: node for name, node in tree.items() if name not in labels}}


def _list_single_values(tree: Mapping[str, Any], repeated: Collection[str], multiple: Collection[str]) -> dict[str, Any]:
    """The tree with lists for the names that have several regions (`repeated`) or choices (`multiple`) in any task.

    >>> _list_single_values({"ORG": Leaf("Acme"), "kind": Leaf("a"), "total": Leaf(5)}, {"ORG"}, {"kind"})["kind"].value
    ['a']
    """
    listed: dict[str, Any] = {}
    for name, node in tree.items():
        if name in repeated and not isinstance(node, list):
            node = [node]
        elif name in multiple and isinstance(node, Leaf) and node.value is not None and not isinstance(node.value, list):
            node = replace(node, value=[node.value])
        listed[name] = node
    return listed


def _read_results(results: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    regions: dict[str, list[Mapping[str, Any]]] = {}
    for number, result in enumerate(results):
        if "value" in result:
            regions.setdefault(str(result.get("id", f"#{number}")), []).append(result)
    nodes: list[tuple[str, Leaf]] = []
    for parts in regions.values():
        nodes += _read_region(parts)
    return collect(nodes)


def _read_region(parts: list[Mapping[str, Any]]) -> Iterator[tuple[str, Leaf]]:
    """The fields of the results that share an id: its text under each of its labels, and each other control under its own name.

    A shape without a label is no field.
    """
    labels = dict.fromkeys(str(name) for part in parts for name in _read_labels(part))
    text_part = next((part for part in parts if _is_text_source(part)), None) if labels else None
    controls = [part for part in parts if part is not text_part and not _read_labels(part) and _read_control(part) is not MISSING]
    region = [part for part in parts if not any(part is control for control in controls)]
    for label in labels:
        text = None if text_part is None else text_part["value"]["text"]
        yield label, _make_leaf(" ".join(map(str, text)) if isinstance(text, list) else text, region)
    shapes = [part for part in region if part is not text_part and not _read_labels(part)]
    for control in controls:
        yield str(control.get("from_name")), _make_leaf(_read_control(control), [control, *shapes])


def _read_labels(part: Mapping[str, Any]) -> list[Any]:
    return next((names for kind in _REGION_LABELS if isinstance(names := part["value"].get(kind), list) and names), [])


def _is_text_source(part: Mapping[str, Any]) -> bool:
    """Whether a result has the text of its region: marked text with a label, or a transcription."""
    has_text = part["value"].get("text") not in (None, [])
    return has_text and (part.get("type") == "textarea" or _read_control(part) is MISSING or bool(_read_labels(part)))


def _read_control(part: Mapping[str, Any]) -> Any:
    """The value of a control: text, choices, number, rating, date; MISSING for a shape or a span without a label."""
    kind, value = str(part.get("type")), part["value"]
    if kind in _REGION_LABELS:
        return MISSING
    values = {name: content for name, content in value.items() if name not in _PLACE_KEYS and name not in _REGION_LABELS}
    content = value.get("text", MISSING) if kind == "textarea" else value.get(kind, next(iter(values.values()), MISSING))
    return content[0] if isinstance(content, list) and len(content) == 1 else content


def _make_leaf(value: Any, parts: list[Mapping[str, Any]]) -> Leaf:
    scores = [float(part["score"]) for part in parts if isinstance(part.get("score"), int | float)]
    places = [box for part in parts if (box := _read_box(part["value"])) is not None]
    page = next((int(part["item_index"]) + 1 for part in parts if part.get("item_index") is not None), 1 if places else None)
    return Leaf(value, min(scores, default=None), page, places[0] if places else None)


def _read_box(value: Mapping[str, Any]) -> Box | None:
    """The box around a rectangle, ellipse or polygon, whose numbers are percent of the picture; None for other shapes."""
    if isinstance(value.get("points"), list):
        return bound_points(value["points"], 100, 100)
    if {"x", "y", "radiusX", "radiusY"} <= value.keys():
        x, y, width, height = (float(value[name]) / 100 for name in ("x", "y", "radiusX", "radiusY"))
        return make_box(x - width, y - height, x + width, y + height)
    if not {"x", "y", "width", "height"} <= value.keys():  # a key point has no height
        return None
    left, top = float(value["x"]) / 100, float(value["y"]) / 100
    return make_box(left, top, left + float(value["width"]) / 100, top + float(value["height"]) / 100)
