"""Boxes of a batch of images: read, matched as COCO does, and turned into results, in columns."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.evaluators.answers.answer_quality import concatenate_labels
from fieldwise.evaluators.geometry._item_matching import ItemNames, describe_missing_key, describe_unreadable_items
from fieldwise.evaluators.geometry._shapes import Format, describe_number_problem, read_shapes
from fieldwise.kernels.detections import Bits, DetectionMatches, Detections, ExpectedObjects, Flags, ignored_object_bits, match_detections
from fieldwise.kernels.geometry import MAX_COORDINATE, Floats
from fieldwise.kernels.ragged import list_offsets
from fieldwise.kernels.statistics import f1_of_counts
from fieldwise.model.path import Step
from fieldwise.model.result import MALFORMED_EXPECTED, Labels, Result, Results, Status
from fieldwise.model.values import MISSING, Value, json_kind

Integers = NDArray[np.int64]
_BOXES_KEY: Final = "boxes"
"""The key of the boxes in a record that is not itself a list."""


@dataclass(frozen=True, slots=True)
class ImageBoxes:
    """The boxes of one side of a batch, image by image."""

    items: Sequence[Mapping[str, Any]]
    """The JSON objects; an empty one for an item that is not an object."""
    offsets: Integers
    """Image i has the rows offsets[i]:offsets[i + 1]."""
    case: Integers
    boxes: Floats
    """Corners; NaN for a box that cannot be read."""
    size: Floats
    category: Sequence[str]
    problems: Mapping[int, str]
    is_object: Flags
    """True for items that are JSON objects."""

    def __len__(self) -> int:
        return len(self.case)


def locate_boxes(record: Value, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps to the boxes: those of the option `path`, or by default `boxes` if the record is an object."""
    return steps if steps or json_kind(record) != "object" else (_BOXES_KEY,)


def read_image_boxes(lists: Sequence[Sequence[Any]], form: Format, box_key: str, label_key: str) -> ImageBoxes:
    """Read the items of every image into columns."""
    items: list[Any] = list(chain.from_iterable(lists))
    counts = np.array([len(image_items) for image_items in lists], dtype=np.int64)
    is_object = np.ones(len(items), dtype=np.bool_)
    if not {dict}.issuperset(map(type, items)):
        is_object = np.array([json_kind(item) == "object" for item in items], dtype=np.bool_)
    all_objects = bool(is_object.all())
    mappings = items if all_objects else [item if good else {} for item, good in zip(items, is_object.tolist(), strict=True)]
    shapes = read_shapes([item.get(box_key, MISSING) for item in mappings], form)
    labels = [item.get(label_key, MISSING) for item in mappings]
    problems = {
        row: describe_missing_key("box", box_key, mappings[row]) if box_key not in mappings[row] else problem
        for row, problem in shapes.problems.items()
    }
    if not all_objects or not {str}.issuperset(map(type, labels)):
        unlabelled = [row for row, label in enumerate(labels) if label is MISSING or label is None]
        problems = {row: describe_missing_key("category", label_key, mappings[row]) for row in unlabelled} | problems
        problems |= dict.fromkeys(np.flatnonzero(~is_object).tolist(), f"not an object with `{box_key}` and `{label_key}`")
        labels = ["(none)" if label is MISSING or label is None else str(label) for label in labels]
    assert shapes.area is not None
    size = shapes.area.copy()
    size[list(problems)] = np.nan
    return ImageBoxes(
        items=mappings,
        offsets=np.r_[0, np.cumsum(counts)],
        case=np.repeat(np.arange(len(lists)), counts),
        boxes=shapes.bounds,
        size=size,
        category=labels,
        problems=problems,
        is_object=is_object,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedImages:
    """A batch of images, matched; `finder`, `iou` and `false_alarm` are at IoU 0.5."""

    expected: ImageBoxes
    actual: ImageBoxes
    finder: Integers
    """By object: the row of the detection that matched it, -1 for none."""
    is_crowd: Flags
    """By object: a crowd, which need not be found."""
    iou: Floats
    """By detection: the overlap with the object it matched."""
    false_alarm: Flags
    """By detection: it counts and matched no object."""
    problems: Mapping[int, str]
    """By detection: why it cannot be read."""
    flags: Mapping[str, Flags]
    """By name of a flag: the images that have it."""
    pool: Mapping[str, NDArray[Any]]
    """The columns that `kernels.detections.compute_curves` reads: objects first, then detections."""

    def rows_of(self, image: int) -> tuple[range, range]:
        """The rows of the objects and of the detections of one image."""
        expected, actual = self.expected.offsets, self.actual.offsets
        return range(int(expected[image]), int(expected[image + 1])), range(int(actual[image]), int(actual[image + 1]))


def match_images(expected: ImageBoxes, actual: ImageBoxes, min_score: float) -> MatchedImages:
    """Match all images of a batch at once.

    Detections below `min_score` match nothing and are no false alarms, but stay in the pool. A detection whose score cannot be read
    is a false alarm, and the least confident in the pool.
    """
    expected_groups, actual_groups = _group_by_image_and_category(expected, actual)
    objects, object_rows = _build_objects(expected, expected_groups)
    detections, problems, has_unread_score = _build_detections(actual, actual_groups)
    matches = match_detections(objects, detections)
    is_confident = detections.score >= min_score
    counts = np.ones(len(actual), dtype=np.bool_)
    counts[matches.row] = (matches.ignored & np.uint64(1)) == 0  # bit 0 is IoU 0.5 over objects of all sizes
    is_hit = (matches.partner >= 0) & is_confident[matches.row] & counts[matches.row]
    finder, iou, false_alarm = np.full(len(expected), -1), np.zeros(len(actual)), (is_confident | has_unread_score) & counts
    finder[object_rows[matches.partner[is_hit]]] = matches.row[is_hit]
    iou[matches.row] = matches.iou
    false_alarm[matches.row[is_hit]] = False
    is_crowd = np.zeros(len(expected), dtype=np.bool_)
    is_crowd[object_rows] = objects.crowd
    return MatchedImages(
        expected=expected,
        actual=actual,
        finder=finder,
        is_crowd=is_crowd,
        iou=iou,
        false_alarm=false_alarm,
        problems=problems,
        flags=_find_flags(expected, actual),
        pool=_build_pool(expected, actual, object_rows, ignored_object_bits(objects), (matches, detections.score)),
    )


def _group_by_image_and_category(expected: ImageBoxes, actual: ImageBoxes) -> tuple[Integers, Integers]:
    """A number for each row, equal for boxes of the same image and category on either side."""
    codes: dict[str, int] = {}
    expected_codes = np.array([codes.setdefault(name, len(codes)) for name in expected.category], dtype=np.int64)
    actual_codes = np.array([codes.setdefault(name, len(codes)) for name in actual.category], dtype=np.int64)
    return expected.case * len(codes) + expected_codes, actual.case * len(codes) + actual_codes


def _build_objects(side: ImageBoxes, group: Integers) -> tuple[ExpectedObjects, Integers]:
    """The expected objects that can be read, and their rows."""
    is_readable = np.ones(len(side), dtype=np.bool_)
    is_readable[list(side.problems)] = False
    rows = np.flatnonzero(is_readable)
    items, size = [side.items[row] for row in rows.tolist()], side.size[rows]
    stated_area = _read_numbers([item.get("area") for item in items])
    is_crowd = np.array([bool(item.get("iscrowd")) for item in items], dtype=np.bool_)
    area = np.where(np.isnan(stated_area), size, stated_area)
    return ExpectedObjects(group[rows], side.boxes[rows], size, area, is_crowd), rows


def _build_detections(side: ImageBoxes, group: Integers) -> tuple[Detections, dict[int, str], Flags]:
    """The detections, what is wrong with some of them, and which scores cannot be read; the score is 1 where none is given."""
    scores = [_read_score(item, 1.0) for item in side.items]
    score = np.where(side.is_object, _read_numbers(scores), 0.0)
    has_unread_score = np.isnan(score)
    unread = np.flatnonzero(has_unread_score).tolist()
    problems = {row: f"score {describe_number_problem(scores[row])}" for row in unread} | dict(side.problems)
    boxes = side.boxes.copy()
    boxes[list(problems)] = np.nan
    return Detections(group, boxes, np.nan_to_num(side.size), np.nan_to_num(score)), problems, has_unread_score


def _read_score(item: Mapping[str, Any], default: Any) -> Any:
    """The score of a detection, which some detectors call its confidence."""
    return item.get("score", item.get("confidence", default))


def _read_numbers(values: Sequence[Any]) -> Floats:
    """Values as numbers; NaN for a value that is not a number."""
    types = set(map(type, values))
    if types == {type(None)}:
        return np.full(len(values), np.nan)
    if types == {float}:
        numbers = np.array(values, dtype=np.float64)
        numbers[~(np.abs(numbers) <= MAX_COORDINATE)] = np.nan
        return numbers
    return np.array([np.nan if describe_number_problem(value) else float(value) for value in values], dtype=np.float64)


def _find_flags(expected: ImageBoxes, actual: ImageBoxes) -> dict[str, Flags]:
    images = len(expected.offsets) - 1
    has_no_score = np.array([_read_score(item, MISSING) is MISSING for item in actual.items], dtype=np.bool_) & actual.is_object
    flagged = {MALFORMED_EXPECTED: expected.case[list(expected.problems)], "unscored_detections": actual.case[has_no_score]}
    return {name: np.bincount(cases, minlength=images).astype(np.bool_) for name, cases in flagged.items()}


def _build_pool(
    expected: ImageBoxes, actual: ImageBoxes, object_rows: Integers, ignored: Bits, scored_matches: tuple[DetectionMatches, Floats]
) -> dict[str, NDArray[Any]]:
    matches, score = scored_matches
    objects = len(object_rows)
    expected_categories = [expected.category[row] for row in object_rows.tolist()]
    actual_categories = [actual.category[row] for row in matches.row.tolist()]
    return {
        "case": np.r_[expected.case[object_rows], actual.case[matches.row]],
        "is_object": np.arange(objects + len(matches.row)) < objects,
        "category": np.array(expected_categories + actual_categories, dtype=np.str_),
        "score": np.r_[np.zeros(objects), score[matches.row]],
        "rank": np.r_[np.zeros(objects, dtype=np.int64), matches.rank],
        "matched": np.r_[np.zeros(objects, dtype=np.uint64), matches.matched],
        "ignored": np.r_[ignored, matches.ignored],
    }


def build_unreadable_results(images: MatchedImages) -> dict[int, Result]:
    """Results of the images that have expected boxes, none of which can be read: a fault of the data."""
    size = len(images.expected.offsets) - 1
    boxes = np.diff(images.expected.offsets)
    malformed = np.bincount(images.expected.case[list(images.expected.problems)], minlength=size)
    results: dict[int, Result] = {}
    for image in np.flatnonzero((boxes > 0) & (malformed == boxes)).tolist():
        details = _build_details(images, image) | {"fault": "ours"}
        reasoning = describe_unreadable_items(images.expected.problems[int(images.expected.offsets[image])])
        results[image] = Result(status="error", reasoning=reasoning, details=details)
    return results


def build_image_results(
    images: MatchedImages, names: Sequence[ItemNames], absent: Mapping[int, str], unmeasured: Mapping[int, Result]
) -> Results:
    """Results of a batch of images.

    `absent` says why an image has no list of detections; `unmeasured` holds the results of images without readable expected boxes.
    """
    size = len(names)
    is_measured = ~_mask_rows(unmeasured, size)
    is_found = images.finder >= 0
    true_positives = np.bincount(images.expected.case[is_found], minlength=size)
    false_positives = np.bincount(images.actual.case[images.false_alarm], minlength=size)
    objects = np.bincount(images.expected.case[~images.is_crowd], minlength=size)
    is_empty = is_measured & (objects == 0) & (false_positives == 0)
    metrics = _compute_rates(true_positives, false_positives, objects, is_empty)
    overlap = np.bincount(images.expected.case[is_found], weights=images.iou[images.finder[is_found]], minlength=size)
    if true_positives.any():
        metrics["mean_iou"] = np.where(true_positives > 0, overlap / np.maximum(true_positives, 1), np.nan)
    reasoning = _describe_counts(true_positives, false_positives, objects, is_empty)
    status = np.zeros(size, dtype=np.uint8)
    for image, result in unmeasured.items():
        status[image] = Status[result.status.upper()]
        reasoning[image] = result.reasoning
    return Results(
        score=np.where(is_measured, metrics["f1"], 0.0),
        status=status,
        hits=_build_hits(images, names, is_empty & ~_mask_rows(absent, size)),
        misses=_build_misses(images, names, absent, unmeasured),
        reasoning=reasoning,
        metrics={name: np.where(is_measured, column, np.nan) for name, column in metrics.items()} if is_measured.any() else {},
        details=lambda image: unmeasured[image].details if image in unmeasured else _build_details(images, image),
        pool=images.pool,
        flags=Labels.from_masks(images.flags),
    )


def _mask_rows(rows: Mapping[int, Any], size: int) -> Flags:
    mask = np.zeros(size, dtype=np.bool_)
    mask[list(rows)] = True
    return mask


def _compute_rates(true_positives: Integers, false_positives: Integers, objects: Integers, is_empty: Flags) -> dict[str, Floats]:
    """Precision, recall and F1 of each image with their counts; 1.0 for images without objects and false alarms."""
    false_negatives = objects - true_positives
    precision = true_positives / np.maximum(true_positives + false_positives, 1)
    recall = true_positives / np.maximum(objects, 1)
    f1 = f1_of_counts(true_positives, false_positives, false_negatives)
    return {
        "precision": np.where(is_empty, 1.0, precision),
        "recall": np.where(is_empty, 1.0, recall),
        "f1": np.where(is_empty, 1.0, f1),
        "true_positives": true_positives.astype(np.float64),
        "false_positives": false_positives.astype(np.float64),
        "false_negatives": false_negatives.astype(np.float64),
    }


def _describe_counts(true_positives: Integers, false_positives: Integers, objects: Integers, is_empty: Flags) -> list[str]:
    columns = (true_positives.tolist(), false_positives.tolist(), objects.tolist(), is_empty.tolist())
    return [
        "nothing to be found, nothing found" if empty else f"{hits} of {expected} objects found, {alarms} false alarms"
        for hits, alarms, expected, empty in zip(*columns, strict=True)
    ]


def _build_hits(images: MatchedImages, names: Sequence[ItemNames], is_empty: Flags) -> Labels:
    """The objects that were found; the whole path for images without objects and detections."""
    objects = _label_boxes(images.expected, images.finder >= 0, names, ItemNames.expected_item)
    whole = {image: names[image].whole for image in np.flatnonzero(is_empty).tolist()}
    return concatenate_labels([objects, _label_images(len(names), whole)])


def _build_misses(images: MatchedImages, names: Sequence[ItemNames], absent: Mapping[int, str], unmeasured: Mapping[int, Result]) -> Labels:
    """Missing lists, then objects that were not found, then false alarms."""
    whole = {image: f"{names[image].whole} ({reason})" for image, reason in absent.items()}
    whole |= {image: miss for image, result in unmeasured.items() for miss in result.misses}
    expected, problems = images.expected, images.expected.problems
    is_missed = (images.finder < 0) & ~images.is_crowd & ~_mask_rows(absent, len(names))[expected.case]
    is_missed[list(problems)] = True
    reasons = {row: f"expected: {problem}" for row, problem in problems.items()}
    is_false_alarm = images.false_alarm & ~_mask_rows(unmeasured, len(names))[images.actual.case]
    return concatenate_labels(
        [
            _label_images(len(names), whole),
            _label_boxes(expected, is_missed, names, ItemNames.expected_item, "required, missing", reasons),
            _label_boxes(images.actual, is_false_alarm, names, ItemNames.extra_item, "extra", images.problems),
        ]
    )


def _label_images(size: int, texts: Mapping[int, str]) -> Labels:
    """One label for some of the images."""
    return Labels.of([texts[image]] if image in texts else () for image in range(size))


def _label_boxes(
    side: ImageBoxes,
    selected: Flags,
    names: Sequence[ItemNames],
    name_item: Callable[[ItemNames, int], str],
    reason: str = "",
    reasons: Mapping[int, str] | None = None,
) -> Labels:
    """The names of the selected boxes with a reason; `reasons` holds reasons of single rows. Equal texts are built once."""
    rows = np.flatnonzero(selected)
    case = side.case[rows]
    index = rows - side.offsets[case]
    index_count = int(index.max(initial=-1)) + 1
    distinct_names = dict.fromkeys(names)
    position_of = {name: position for position, name in enumerate(distinct_names)}
    # the texts are laid out name by name, index by index
    codes: Integers = np.array([position_of[name] for name in names], dtype=np.int64)[case] * index_count + index
    suffix = f" ({reason})" if reason else ""
    texts = [f"{name_item(name, at)}{suffix}" for name in distinct_names for at in range(index_count)]
    if reasons:
        for position in np.flatnonzero(np.isin(rows, list(reasons))).tolist():
            codes[position] = len(texts)
            name = name_item(names[int(case[position])], int(index[position]))
            texts.append(f"{name} ({reasons[int(rows[position])]})")
    return Labels(list_offsets(np.bincount(case, minlength=len(names))), codes.astype(np.int32), texts)


def _build_details(images: MatchedImages, image: int) -> dict[str, Any]:
    objects, detections = images.rows_of(image)
    pairs: list[dict[str, Any]] = []
    for row in objects:
        finder = int(images.finder[row])
        if finder >= 0:
            indices = {"expected": row - objects.start, "actual": finder - detections.start}
            pairs.append({**indices, "iou": float(images.iou[finder]), "category": images.expected.category[row]})
    flags = [name for name, images_with_flag in images.flags.items() if images_with_flag[image]]
    return {"pairs": pairs, "flags": flags} if flags else {"pairs": pairs}
