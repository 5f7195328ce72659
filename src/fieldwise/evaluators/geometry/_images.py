"""The boxes of a batch of images in rows, read and matched."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.evaluators.geometry._shapes import Format, number_problem, read_shapes
from fieldwise.kernels.boxes import LARGEST, Floats
from fieldwise.kernels.detections import Bits, Detections, Flags, Matches, Objects, match, uncounted
from fieldwise.model.path import Step
from fieldwise.model.values import MISSING, Value, kind

Ints = NDArray[np.int64]

BOXES: Final = "boxes"
"""Where a record that is not itself a list keeps its boxes."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a batch: the boxes of all images, one after the other."""

    items: Sequence[Mapping[str, Any]]
    """The objects; an empty one for whatever is none."""
    offsets: Ints
    """Image i has the rows offsets[i]:offsets[i + 1]."""
    case: Ints
    boxes: Floats
    """Corners; NaN for what cannot be read."""
    size: Floats
    category: Sequence[str]
    problems: Mapping[int, str]
    objects: Flags
    """Whether an item is a JSON object at all."""

    def __len__(self) -> int:
        return len(self.case)


def steps_to_boxes(record: Value, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps that were asked for; without any, down to `boxes` if the record is an object."""
    return steps if steps or kind(record) != "object" else (BOXES,)


def read_side(lists: Sequence[Sequence[Any]], form: Format, box: str, label: str) -> Side:
    """Rows from the items of every image."""
    items: list[Any] = list(chain.from_iterable(lists))
    counts = np.array([len(one) for one in lists], dtype=np.int64)
    objects = np.ones(len(items), dtype=np.bool_)
    if not {dict}.issuperset(map(type, items)):
        objects = np.array([kind(item) == "object" for item in items], dtype=np.bool_)
    plain = bool(objects.all())
    mappings = items if plain else [item if is_object else {} for item, is_object in zip(items, objects.tolist(), strict=True)]
    shapes = read_shapes([item.get(box, MISSING) for item in mappings], form)
    labels = [item.get(label, MISSING) for item in mappings]
    problems = dict(shapes.problems)
    if not plain or not {str}.issuperset(map(type, labels)):
        nameless = [row for row, found in enumerate(labels) if found is MISSING or found is None]
        problems = dict.fromkeys(nameless, f"no category: the key `{label}` is missing") | problems
        problems |= dict.fromkeys(np.flatnonzero(~objects).tolist(), f"not an object with `{box}` and `{label}`")
        labels = ["(none)" if found is MISSING or found is None else str(found) for found in labels]
    assert shapes.area is not None
    size = shapes.area.copy()
    size[list(problems)] = np.nan
    return Side(
        items=mappings,
        offsets=np.r_[0, np.cumsum(counts)],
        case=np.repeat(np.arange(len(lists)), counts),
        boxes=shapes.bounds,
        size=size,
        category=labels,
        problems=problems,
        objects=objects,
    )


def groups(expected: Side, actual: Side) -> tuple[Ints, Ints]:
    """A number for each row that tells images and categories apart, the same on both sides."""
    codes: dict[str, int] = {}
    ours = np.array([codes.setdefault(name, len(codes)) for name in expected.category], dtype=np.int64)
    theirs = np.array([codes.setdefault(name, len(codes)) for name in actual.category], dtype=np.int64)
    return expected.case * len(codes) + ours, actual.case * len(codes) + theirs


def _objects(side: Side, group: Ints) -> tuple[Objects, Ints]:
    """What there is to be found, and which rows these are; what cannot be read is left out."""
    readable = np.ones(len(side), dtype=np.bool_)
    readable[list(side.problems)] = False
    rows = np.flatnonzero(readable)
    items, size = [side.items[row] for row in rows.tolist()], side.size[rows]
    written = _numbers([item.get("area") for item in items])
    crowd = np.array([bool(item.get("iscrowd")) for item in items], dtype=np.bool_)
    return Objects(group[rows], side.boxes[rows], size, np.where(np.isnan(written), size, written), crowd), rows


def _detections(side: Side, group: Ints) -> tuple[Detections, dict[int, str]]:
    """What was found, and what is wrong with some of it; without a score, a detection is certain."""
    found = [item.get("score", 1.0) for item in side.items]
    score = np.where(side.objects, _numbers(found), 0.0)
    wrong = np.flatnonzero(np.isnan(score)).tolist()
    problems = {row: f"score {number_problem(found[row])}" for row in wrong} | dict(side.problems)
    boxes = side.boxes.copy()
    boxes[list(problems)] = np.nan
    return Detections(group, boxes, np.nan_to_num(side.size), np.nan_to_num(score)), problems


def _numbers(values: Sequence[Any]) -> Floats:
    """Values as numbers; NaN for what is none."""
    kinds = set(map(type, values))
    if kinds == {type(None)}:
        return np.full(len(values), np.nan)
    if kinds == {float}:
        numbers = np.array(values, dtype=np.float64)
        numbers[~(np.abs(numbers) <= LARGEST)] = np.nan
        return numbers
    return np.array([np.nan if number_problem(value) else float(value) for value in values], dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Images:
    """A batch of images, matched; `finder`, `iou` and `alarm` at IoU 0.5."""

    expected: Side
    actual: Side
    finder: Ints
    """By object: the detection that found it, -1 for none."""
    crowd: Flags
    """By object: it is a crowd, which need not be found."""
    iou: Floats
    """By detection: the overlap with what it found."""
    alarm: Flags
    """By detection: it counts and found nothing."""
    problems: Mapping[int, str]
    """By detection: why it cannot be read."""
    flags: Mapping[str, Flags]
    """By name: which images carry it."""
    pool: Mapping[str, NDArray[Any]]
    """The columns that `kernels.detections.curves` reads: objects first, then detections."""

    def rows(self, image: int) -> tuple[range, range]:
        """The objects and the detections of one image."""
        ours, theirs = self.expected.offsets, self.actual.offsets
        return range(int(ours[image]), int(ours[image + 1])), range(int(theirs[image]), int(theirs[image + 1]))


def match_images(expected: Side, actual: Side, min_score: float) -> Images:
    """Match all images of a batch at once. Detections below `min_score` find nothing and raise no alarm, but stay in the pool."""
    our_groups, their_groups = groups(expected, actual)
    wanted, rows = _objects(expected, our_groups)
    found, problems = _detections(actual, their_groups)
    matches = match(wanted, found)
    sure = found.score >= min_score
    counts = np.ones(len(actual), dtype=np.bool_)
    counts[matches.row] = (matches.ignored & np.uint64(1)) == 0
    hit = (matches.partner >= 0) & sure[matches.row] & counts[matches.row]
    finder, iou, alarm = np.full(len(expected), -1), np.zeros(len(actual)), sure & counts
    finder[rows[matches.partner[hit]]] = matches.row[hit]
    iou[matches.row] = matches.iou
    alarm[matches.row[hit]] = False
    crowd = np.zeros(len(expected), dtype=np.bool_)
    crowd[rows] = wanted.crowd
    return Images(
        expected=expected,
        actual=actual,
        finder=finder,
        crowd=crowd,
        iou=iou,
        alarm=alarm,
        problems=problems,
        flags=_flags(expected, actual),
        pool=_pool(expected, actual, rows, uncounted(wanted), (matches, found.score)),
    )


def _flags(expected: Side, actual: Side) -> dict[str, Flags]:
    images = len(expected.offsets) - 1
    unscored = np.array(["score" not in item for item in actual.items], dtype=np.bool_) & actual.objects
    marked = {"malformed_expected": expected.case[list(expected.problems)], "unscored_detections": actual.case[unscored]}
    return {name: np.bincount(cases, minlength=images).astype(np.bool_) for name, cases in marked.items()}


def _pool(expected: Side, actual: Side, rows: Ints, ignored: Bits, found: tuple[Matches, Floats]) -> dict[str, NDArray[Any]]:
    matches, score = found
    objects = len(rows)
    ours = [expected.category[row] for row in rows.tolist()]
    theirs = [actual.category[row] for row in matches.row.tolist()]
    return {
        "case": np.r_[expected.case[rows], actual.case[matches.row]],
        "is_object": np.arange(objects + len(matches.row)) < objects,
        "category": np.array(ours + theirs, dtype=np.str_),
        "score": np.r_[np.zeros(objects), score[matches.row]],
        "rank": np.r_[np.zeros(objects, dtype=np.int64), matches.rank],
        "matched": np.r_[np.zeros(objects, dtype=np.uint64), matches.matched],
        "ignored": np.r_[ignored, matches.ignored],
    }
