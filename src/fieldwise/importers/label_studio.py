"""Label Studio: exported tasks (JSON) with annotations and predictions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from fieldwise.importers._leaves import Box, Leaf, bound_points, build_record, collect, make_box
from fieldwise.importers._rows import first_row
from fieldwise.model.imported import ImportedRecord
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


def _recognizes(document: Any) -> bool:
    task = first_row(document) if isinstance(document, list) else document
    return isinstance(task, Mapping) and isinstance(task.get("data"), Mapping) and ("annotations" in task or "predictions" in task)


@importer(label="Label Studio", recognizes=_recognizes)
def label_studio(document: Any) -> Iterator[ImportedRecord]:
    """One record for each task: the last annotation is expected, the last prediction is what the system produced.

    A region's label names the field, its transcription or marked text is the value; a control without regions names the field itself.
    """
    for task in document if isinstance(document, list) else [document]:
        annotations = [entry for entry in task.get("annotations") or () if isinstance(entry, Mapping) and not entry.get("was_cancelled")]
        predictions = [entry for entry in task.get("predictions") or () if isinstance(entry, Mapping)]
        annotated = build_record(_read_results(annotations[-1].get("result") or ())) if annotations else ImportedRecord()
        predicted = build_record(_read_results(predictions[-1].get("result") or ())) if predictions else ImportedRecord()
        id = task.get("id", task["data"].get("id"))
        places = {"expected_pages": annotated.page, "expected_boxes": annotated.box}
        yield replace(
            predicted,
            id=None if id is None else str(id),
            expected=annotated.record,
            input=dict(task["data"]),
            metadata={name: dict(record) for name, record in places.items() if record},
        )


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
    """The fields of the results that share an id: a shape, its label and its transcription are one field."""
    label = next((names[0] for part in parts for kind in _REGION_LABELS if (names := part["value"].get(kind))), None)
    if label is None:
        for part in parts:
            yield str(part.get("from_name")), _make_leaf(_read_control(part), parts)
        return
    texts = [part["value"]["text"] for part in parts if part["value"].get("text") not in (None, [])]
    text = texts[0] if texts else None
    yield str(label), _make_leaf(" ".join(map(str, text)) if isinstance(text, list) else text, parts)


def _read_control(part: Mapping[str, Any]) -> Any:
    """The value of a control: text, choices, number, rating, date."""
    kind, value = str(part.get("type")), part["value"]
    content = value.get("text") if kind == "textarea" else value.get(kind, next(iter(value.values()), None))
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
