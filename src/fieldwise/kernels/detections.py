"""Average precision and recall as COCO defines them: detections matched to objects, and precision-recall curves.

All images and categories of a batch are matched at once: the detections of rank r of every group are matched together,
at ten IoU thresholds and four ranges of area. The result takes 40 bits for each detection.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.geometry import Floats, divide_or_zero, intersection_areas
from fieldwise.kernels.ragged import expand_ranges

Ints = NDArray[np.int64]
Bits = NDArray[np.uint64]
Flags = NDArray[np.bool_]

IOU_THRESHOLDS: Final = np.linspace(0.5, 0.95, 10)
RECALL_LEVELS: Final = np.linspace(0.0, 1.0, 101)
AREA_RANGES: Final = {"all": (0.0, 1e10), "small": (0.0, 32.0**2), "medium": (32.0**2, 96.0**2), "large": (96.0**2, 1e10)}
DETECTION_LIMITS: Final = (1, 10, 100)
"""The numbers of best detections of each image and category for which recall is computed; only those of the last count at all."""
_MAX_PAIRS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class ExpectedObjects:
    """Expected objects. `group` identifies an image and a category."""

    group: Ints
    boxes: Floats
    """Corners; see `kernels.geometry`."""
    size: Floats
    """Width times height of the box."""
    area: Floats
    """The area that makes an object small, medium or large; in COCO that of the outline, not of the box."""
    crowd: Flags
    """A crowd matches any number of detections and counts neither for nor against."""


@dataclass(frozen=True, slots=True)
class Detections:
    """Detected boxes with their scores."""

    group: Ints
    boxes: Floats
    """Corners; a row of NaN matches nothing and counts as a false positive."""
    size: Floats
    score: Floats


@dataclass(frozen=True, slots=True)
class DetectionMatches:
    """The detections that count, the 100 best of each group, by group and descending score, with what they matched."""

    row: Ints
    """The position of the detection in the input."""
    rank: Ints
    """Its rank in its group, from 0."""
    matched: Bits
    """Bit 10 × area + threshold: the detection matches an object."""
    ignored: Bits
    """The same bits: the detection counts neither for nor against."""
    partner: Ints
    """The object it matches at IoU 0.5, whatever its area; -1 for none."""
    iou: Floats
    """The IoU with `partner`, else 0."""


def match_detections(objects: ExpectedObjects, detections: Detections) -> DetectionMatches:
    """Match detections to objects, best score first; of equal scores and equal overlaps, in COCO's order."""
    order = np.lexsort((-detections.score, detections.group))
    rank = _rank_in_runs(detections.group[order])
    counted = rank < DETECTION_LIMITS[-1]
    order, rank = order[counted], rank[counted]
    candidates = _find_candidates(objects, detections, order, rank)
    matched = np.zeros((len(order), len(AREA_RANGES), len(IOU_THRESHOLDS)), dtype=np.bool_)
    ignored = np.zeros_like(matched)
    partner, iou = np.full(len(order), -1), np.zeros(len(order))
    for matches in _match_by_rank(candidates, _ignored_by_area(objects), objects.crowd):
        matched[matches.detection] = matches.hit
        ignored[matches.detection] = matches.ignored
        partner[matches.detection], iou[matches.detection] = matches.partner, matches.iou
    ignored |= ~matched & _outside_ranges(detections.size[order])[:, :, None]
    return DetectionMatches(order, rank, _pack_flags(matched), _pack_flags(ignored), partner, iou)


def _rank_in_runs(groups: Ints) -> Ints:
    """Number the rows of each run of equal groups from 0."""
    starts = _run_starts(groups)
    return np.arange(len(groups)) - np.repeat(starts, np.diff(np.r_[starts, len(groups)]))


def _run_starts(values: Ints) -> Ints:
    """Return where each run of equal values begins."""
    changes = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return np.flatnonzero(changes)


def ignored_object_bits(objects: ExpectedObjects) -> Bits:
    """Return the objects that do not count, in bits like those of `DetectionMatches.ignored`: crowds, and objects of another size."""
    return _pack_flags(np.repeat(_ignored_by_area(objects)[:, :, None], len(IOU_THRESHOLDS), axis=2))


def _ignored_by_area(objects: ExpectedObjects) -> Flags:
    return _outside_ranges(objects.area) | objects.crowd[:, None]


def _outside_ranges(area: Floats) -> Flags:
    """Return whether an area is outside each of `AREA_RANGES`: bool[n, 4]."""
    low, high = np.array(list(AREA_RANGES.values())).T
    return (area[:, None] < low) | (area[:, None] > high)


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Pairs with an IoU of at least 0.5: by rank, detection, and ascending IoU, so that the last pair of a detection is its best."""

    rank: Ints
    detection: Ints
    object: Ints
    iou: Floats


def _find_candidates(objects: ExpectedObjects, detections: Detections, order: Ints, rank: Ints) -> _Candidates:
    by_group = np.argsort(objects.group, kind="stable")
    object_groups, detection_groups = objects.group[by_group], detections.group[order]
    first = np.searchsorted(object_groups, detection_groups, "left")
    pair_counts = np.searchsorted(object_groups, detection_groups, "right") - first
    blocks: list[tuple[Ints, Ints, Floats]] = []
    for rows in _split_by_pairs(pair_counts):
        counts = pair_counts[rows]
        detection = np.repeat(rows, counts)
        object_rows = by_group[expand_ranges(first[rows], counts)]
        iou = _pair_ious(objects, detections, object_rows, order[detection])
        near = iou >= IOU_THRESHOLDS[0]
        blocks.append((detection[near], object_rows[near], iou[near]))
    detection, object_rows, iou = (np.concatenate(parts) for parts in zip(*blocks, strict=True)) if blocks else _NO_PAIRS
    best_last = np.lexsort((object_rows, iou, detection, rank[detection]))
    return _Candidates(rank[detection][best_last], detection[best_last], object_rows[best_last], iou[best_last])


_NO_PAIRS: Final = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))


def _split_by_pairs(pair_counts: Ints) -> Iterator[Ints]:
    """Yield the rows that have pairs, in blocks of about `_MAX_PAIRS` pairs."""
    rows = np.flatnonzero(pair_counts)
    if len(rows):
        block = np.cumsum(pair_counts[rows]) // _MAX_PAIRS
        yield from np.split(rows, np.flatnonzero(np.diff(block)) + 1)


def _pair_ious(objects: ExpectedObjects, detections: Detections, object_rows: Ints, detection_rows: Ints) -> Floats:
    """Return the IoU of each pair; with a crowd, the share of the detection that lies in it."""
    shared = intersection_areas(objects.boxes[object_rows], detections.boxes[detection_rows])
    size = detections.size[detection_rows]
    return divide_or_zero(shared, np.where(objects.crowd[object_rows], size, size + objects.size[object_rows] - shared))


@dataclass(frozen=True, slots=True)
class _RankMatches:
    """The detections of one rank that have candidates, and what they match at every area and threshold."""

    detection: Ints
    hit: Flags
    ignored: Flags
    partner: Ints
    iou: Floats


def _match_by_rank(candidates: _Candidates, ignored: Flags, crowd: Flags) -> Iterator[_RankMatches]:
    """Assign each detection its best free object, at every area and threshold, rank after rank.

    Objects that count are preferred to ignored ones, whatever the overlap: their keys are raised by the number of candidates.
    """
    limits = np.minimum(IOU_THRESHOLDS, 1 - 1e-10)
    taken = np.zeros((len(ignored), len(AREA_RANGES), len(IOU_THRESHOLDS)), dtype=np.bool_)
    edges = np.r_[_run_starts(candidates.rank), len(candidates.rank)]
    for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        objects, detection = candidates.object[start:stop], candidates.detection[start:stop]
        count = stop - start
        free = (candidates.iou[start:stop, None] >= limits)[:, None, :] & ~taken[objects]
        key = np.arange(count, dtype=np.int32)[:, None] + np.int32(count) * ~ignored[objects]
        detection_starts = _run_starts(detection)
        best = np.maximum.reduceat(np.where(free, key[:, :, None], np.int32(-1)), detection_starts, axis=0)
        hit = best >= 0
        chosen = objects[best % count]
        row, area, threshold = np.nonzero(hit)
        hit_objects = chosen[row, area, threshold]
        single = ~crowd[hit_objects]  # a crowd stays free
        taken[hit_objects[single], area[single], threshold[single]] = True
        hit_ignored = np.zeros_like(hit)
        hit_ignored[row, area, threshold] = ignored[hit_objects, area]
        hit_at_first = hit[:, 0, 0]
        iou = np.where(hit_at_first, candidates.iou[start:stop][best[:, 0, 0] % count], 0.0)
        yield _RankMatches(detection[detection_starts], hit, hit_ignored, np.where(hit_at_first, chosen[:, 0, 0], -1), iou)


def _pack_flags(flags: Flags) -> Bits:
    """Pack the 40 flags of each row into the low bits of an integer."""
    packed = np.zeros((len(flags), 8), dtype=np.uint8)
    packed[:, :5] = np.packbits(flags.reshape(len(flags), 40), axis=1, bitorder="little")
    return packed.view("<u8")[:, 0].astype(np.uint64)


def unpack_flags(bits: Bits) -> Flags:
    """Unpack flags: bool[n, area, threshold]."""
    raw = bits.astype("<u8").view(np.uint8).reshape(len(bits), 8)[:, :5]
    return np.unpackbits(raw, axis=1, bitorder="little").astype(np.bool_).reshape(len(bits), len(AREA_RANGES), len(IOU_THRESHOLDS))


@dataclass(frozen=True, slots=True)
class PrecisionRecallCurves:
    """Precision and recall of every category. NaN where a category has no object that counts."""

    categories: Sequence[str]
    precision: Floats
    """float64[category, area, threshold, recall]: the best precision at `RECALL_LEVELS` or beyond."""
    recall: Floats
    """float64[category, area, threshold, limit]: the share of objects matched by at most `DETECTION_LIMITS` detections."""


def compute_curves(pool: Mapping[str, NDArray[Any]]) -> PrecisionRecallCurves:
    """Compute precision and recall from the columns of matched rows.

    `is_object` tells objects from detections, `case` and `category` say whose they are. Objects have `ignored` with bit 10 × area set where
    they do not count; detections have `score`, `rank`, `matched` and `ignored` as `match_detections` returns them.
    """
    columns = _sort_by_case(pool)
    codes: dict[str, int] = {}
    category = np.array([codes.setdefault(name, len(codes)) for name in columns["category"].tolist()], dtype=np.int64)
    is_object = columns["is_object"].astype(np.bool_)
    counted = ~unpack_flags(columns["ignored"][is_object])[:, :, 0]
    totals = np.zeros((len(codes), len(AREA_RANGES)), dtype=np.int64)
    np.add.at(totals, category[is_object], counted)
    detections = {name: columns[name][~is_object] for name in ("score", "rank", "matched", "ignored")}
    ranked = np.lexsort((-detections["score"], category[~is_object]))
    edges = np.searchsorted(category[~is_object][ranked], np.arange(len(codes) + 1))
    precision = np.full((len(codes), len(AREA_RANGES), len(IOU_THRESHOLDS), len(RECALL_LEVELS)), np.nan)
    recall = np.full((len(codes), len(AREA_RANGES), len(IOU_THRESHOLDS), len(DETECTION_LIMITS)), np.nan)
    for code in range(len(codes)):
        rows = ranked[edges[code] : edges[code + 1]]
        in_category = {name: values[rows] for name, values in detections.items()}
        for area in np.flatnonzero(totals[code]).tolist():
            total = int(totals[code, area])
            for threshold in range(len(IOU_THRESHOLDS)):
                bit = np.uint64(1 << (len(IOU_THRESHOLDS) * area + threshold))
                valid = (in_category["ignored"] & bit) == 0
                hit = ((in_category["matched"] & bit) != 0) & valid
                precision[code, area, threshold] = _precision_at_recalls(hit, valid, total)
                recall[code, area, threshold] = [
                    np.count_nonzero(hit & (in_category["rank"] < limit)) / total for limit in DETECTION_LIMITS
                ]
    names = sorted(codes)
    positions = [codes[name] for name in names]
    return PrecisionRecallCurves(names, precision[positions], recall[positions])


def _sort_by_case(pool: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
    """Return the columns in the order of the cases; they are large, so they are not copied if they are in order already."""
    case = pool["case"]
    if bool((case[1:] >= case[:-1]).all()):
        return pool
    order = np.argsort(case, kind="stable")
    return {name: values[order] for name, values in pool.items()}


def _precision_at_recalls(hit: Flags, valid: Flags, total: int) -> Floats:
    """Return the precision at `RECALL_LEVELS`. It peaks only at hits, so only hits are evaluated."""
    positions = np.flatnonzero(hit)
    hits = np.arange(1, len(positions) + 1, dtype=np.float64)
    precision = hits / (np.cumsum(valid)[positions] + np.spacing(1))
    best = np.r_[np.maximum.accumulate(precision[::-1])[::-1], 0.0]
    return best[np.searchsorted(hits / total, RECALL_LEVELS, side="left")]
