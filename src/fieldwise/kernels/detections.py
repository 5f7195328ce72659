"""Average precision and recall as COCO defines them: detections matched to objects, and the curves that follow.

All images and categories of a batch are matched at once: the detections of rank r of every group are looked at together,
at ten IoU thresholds and four ranges of area. What came of it fits into 40 bits for each detection.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.boxes import Floats, intersections, ratios

Ints = NDArray[np.int64]
Bits = NDArray[np.uint64]
Flags = NDArray[np.bool_]

THRESHOLDS: Final = np.linspace(0.5, 0.95, 10)
RECALLS: Final = np.linspace(0.0, 1.0, 101)
AREAS: Final = {"all": (0.0, 1e10), "small": (0.0, 32.0**2), "medium": (32.0**2, 96.0**2), "large": (96.0**2, 1e10)}
MOST: Final = (1, 10, 100)
"""How many detections count in each image and category."""
_PAIRS_AT_ONCE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Objects:
    """What there is to be found. `group` tells images and categories apart."""

    group: Ints
    boxes: Floats
    """Corners; see `kernels.boxes`."""
    size: Floats
    """Width times height of the box."""
    area: Floats
    """The area that decides whether it is small, medium or large; COCO gives that of the outline, not of the box."""
    crowd: Flags
    """A crowd takes any number of detections and counts for nothing."""


@dataclass(frozen=True, slots=True)
class Detections:
    """What was found, each with a score."""

    group: Ints
    boxes: Floats
    """Corners; a row of NaN is found nowhere and counts as a false alarm."""
    size: Floats
    score: Floats


@dataclass(frozen=True, slots=True)
class Matches:
    """What became of the detections that count: the 100 best of each group, by group and falling score."""

    row: Ints
    """Which detection this is."""
    rank: Ints
    """Its place in its group, from 0."""
    matched: Bits
    """Bit 10 × area + threshold: it was matched to an object."""
    ignored: Bits
    """The same bits: it counts neither for nor against."""
    partner: Ints
    """The object it was matched to at IoU 0.5, whatever its area; -1 for none."""
    iou: Floats
    """The IoU with `partner`, else 0."""


def match(objects: Objects, detections: Detections) -> Matches:
    """Match detections to objects, best score first; of equal scores and equal overlaps, in COCO's order."""
    order = np.lexsort((-detections.score, detections.group))
    rank = _places(detections.group[order])
    order, rank = order[rank < MOST[-1]], rank[rank < MOST[-1]]
    candidates = _candidates(objects, detections, order, rank)
    matched = np.zeros((len(order), len(AREAS), len(THRESHOLDS)), dtype=np.bool_)
    ignored = np.zeros_like(matched)
    partner, iou = np.full(len(order), -1), np.zeros(len(order))
    for found in _rounds(candidates, _ignored(objects), objects.crowd):
        matched[found.detection] = found.hit
        ignored[found.detection] = found.ignored
        partner[found.detection], iou[found.detection] = found.partner, found.iou
    ignored |= ~matched & _outside(detections.size[order])[:, :, None]
    return Matches(order, rank, _packed(matched), _packed(ignored), partner, iou)


def _places(groups: Ints) -> Ints:
    """The place of each row in its run of equal groups."""
    starts = _starts(groups)
    return np.arange(len(groups)) - np.repeat(starts, np.diff(np.r_[starts, len(groups)]))


def _starts(values: Ints) -> Ints:
    """Where each run of equal values begins."""
    changes = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return np.flatnonzero(changes)


def uncounted(objects: Objects) -> Bits:
    """Objects that do not count, as bits like those of `Matches.ignored`: crowds, and those of another size."""
    return _packed(np.repeat(_ignored(objects)[:, :, None], len(THRESHOLDS), axis=2))


def _ignored(objects: Objects) -> Flags:
    return _outside(objects.area) | objects.crowd[:, None]


def _outside(area: Floats) -> Flags:
    """Whether an area lies outside each of the ranges: bool[n, 4]."""
    low, high = np.array(list(AREAS.values())).T
    return (area[:, None] < low) | (area[:, None] > high)


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Pairs that overlap enough to be looked at: by rank, detection, and then overlap, so that the last one is the best."""

    rank: Ints
    detection: Ints
    object: Ints
    iou: Floats


def _candidates(objects: Objects, detections: Detections, order: Ints, rank: Ints) -> _Candidates:
    by_group = np.argsort(objects.group, kind="stable")
    groups, wanted = objects.group[by_group], detections.group[order]
    first, last = np.searchsorted(groups, wanted, "left"), np.searchsorted(groups, wanted, "right")
    found: list[tuple[Ints, Ints, Floats]] = []
    for rows in _shares(last - first):
        counts = (last - first)[rows]
        mine = np.repeat(rows, counts)
        theirs = by_group[np.arange(len(mine)) + np.repeat(first[rows] - np.cumsum(counts) + counts, counts)]
        iou = _overlaps(objects, detections, theirs, order[mine])
        near = iou >= THRESHOLDS[0]
        found.append((mine[near], theirs[near], iou[near]))
    mine, theirs, iou = (np.concatenate(parts) for parts in zip(*found, strict=True)) if found else _NOTHING
    best_last = np.lexsort((theirs, iou, mine, rank[mine]))
    return _Candidates(rank[mine][best_last], mine[best_last], theirs[best_last], iou[best_last])


_NOTHING: Final = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))


def _shares(counts: Ints) -> Iterator[Ints]:
    """Rows in shares of about `_PAIRS_AT_ONCE` pairs, rows without any left out."""
    rows = np.flatnonzero(counts)
    if len(rows):
        share = np.cumsum(counts[rows]) // _PAIRS_AT_ONCE
        yield from np.split(rows, np.flatnonzero(np.diff(share)) + 1)


def _overlaps(objects: Objects, detections: Detections, theirs: Ints, mine: Ints) -> Floats:
    """IoU of each pair; with a crowd, the share of the detection that lies in it."""
    shared = intersections(objects.boxes[theirs], detections.boxes[mine])
    size = detections.size[mine]
    return ratios(shared, np.where(objects.crowd[theirs], size, size + objects.size[theirs] - shared))


@dataclass(frozen=True, slots=True)
class _Round:
    """The detections of one rank that may match something, and what they matched."""

    detection: Ints
    hit: Flags
    ignored: Flags
    partner: Ints
    iou: Floats


def _rounds(candidates: _Candidates, ignored: Flags, crowd: Flags) -> Iterator[_Round]:
    """Give the detections of each rank their best free object, at every area and threshold, rank after rank.

    Objects that count are taken before ignored ones, whatever the overlap: hence the head start in the key.
    """
    limits = np.minimum(THRESHOLDS, 1 - 1e-10)
    taken = np.zeros((len(ignored), len(AREAS), len(THRESHOLDS)), dtype=np.bool_)
    cuts = np.r_[_starts(candidates.rank), len(candidates.rank)]
    for start, stop in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        objects, detection = candidates.object[start:stop], candidates.detection[start:stop]
        count = stop - start
        free = (candidates.iou[start:stop, None] >= limits)[:, None, :] & ~taken[objects]
        key = np.arange(count, dtype=np.int32)[:, None] + np.int32(count) * ~ignored[objects]
        firsts = _starts(detection)
        best = np.maximum.reduceat(np.where(free, key[:, :, None], np.int32(-1)), firsts, axis=0)
        hit = best >= 0
        chosen = objects[best % count]
        row, area, threshold = np.nonzero(hit)
        mine = chosen[row, area, threshold]
        lasting = ~crowd[mine]
        taken[mine[lasting], area[lasting], threshold[lasting]] = True
        passed_over = np.zeros_like(hit)
        passed_over[row, area, threshold] = ignored[mine, area]
        first = hit[:, 0, 0]
        iou = np.where(first, candidates.iou[start:stop][best[:, 0, 0] % count], 0.0)
        yield _Round(detection[firsts], hit, passed_over, np.where(first, chosen[:, 0, 0], -1), iou)


def _packed(flags: Flags) -> Bits:
    """40 flags of each row as the low bits of a number."""
    out = np.zeros((len(flags), 8), dtype=np.uint8)
    out[:, :5] = np.packbits(flags.reshape(len(flags), 40), axis=1, bitorder="little")
    return out.view("<u8")[:, 0].astype(np.uint64)


def unpacked(bits: Bits) -> Flags:
    """The flags again: bool[n, area, threshold]."""
    raw = bits.astype("<u8").view(np.uint8).reshape(len(bits), 8)[:, :5]
    return np.unpackbits(raw, axis=1, bitorder="little").astype(np.bool_).reshape(len(bits), len(AREAS), len(THRESHOLDS))


@dataclass(frozen=True, slots=True)
class Curves:
    """Precision and recall of every category. NaN where a category has no object to be found."""

    categories: Sequence[str]
    precision: Floats
    """float64[category, area, threshold, recall]: the best precision at `RECALLS` or beyond."""
    recall: Floats
    """float64[category, area, threshold, most]: the share of objects found with at most `MOST` detections."""

    def category(self, name: str) -> Floats:
        """The curve of one category at all areas: float64[threshold, recall]."""
        return self.precision[list(self.categories).index(name), 0]


def curves(pool: Mapping[str, NDArray[Any]]) -> Curves:
    """Precision and recall from matched rows, kept in columns.

    `is_object` tells objects from detections, `case` and `category` say whose they are. Objects have `ignored` with bit 10 × area set where
    they do not count; detections have `score`, `rank`, `matched` and `ignored` as `match` gives them.
    """
    columns = _by_case(pool)
    codes: dict[str, int] = {}
    category = np.array([codes.setdefault(name, len(codes)) for name in columns["category"].tolist()], dtype=np.int64)
    is_object = columns["is_object"].astype(np.bool_)
    counted = ~unpacked(columns["ignored"][is_object])[:, :, 0]
    totals = np.zeros((len(codes), len(AREAS)), dtype=np.int64)
    np.add.at(totals, category[is_object], counted)
    found = {name: columns[name][~is_object] for name in ("score", "rank", "matched", "ignored")}
    ranked = np.lexsort((-found["score"], category[~is_object]))
    edges = np.searchsorted(category[~is_object][ranked], np.arange(len(codes) + 1))
    precision = np.full((len(codes), len(AREAS), len(THRESHOLDS), len(RECALLS)), np.nan)
    recall = np.full((len(codes), len(AREAS), len(THRESHOLDS), len(MOST)), np.nan)
    for code in range(len(codes)):
        rows = ranked[edges[code] : edges[code + 1]]
        ours = {name: values[rows] for name, values in found.items()}
        for area in np.flatnonzero(totals[code]).tolist():
            total = int(totals[code, area])
            for at in range(len(THRESHOLDS)):
                bit = np.uint64(1 << (len(THRESHOLDS) * area + at))
                valid = (ours["ignored"] & bit) == 0
                hit = ((ours["matched"] & bit) != 0) & valid
                precision[code, area, at] = _curve(hit, valid, total)
                recall[code, area, at] = [np.count_nonzero(hit & (ours["rank"] < most)) / total for most in MOST]
    names = sorted(codes)
    positions = [codes[name] for name in names]
    return Curves(names, precision[positions], recall[positions])


def _by_case(pool: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
    """The columns in the order of the cases; they are large, and not copied where they stand so already."""
    case = pool["case"]
    if bool((case[1:] >= case[:-1]).all()):
        return pool
    order = np.argsort(case, kind="stable")
    return {name: values[order] for name, values in pool.items()}


def _curve(hit: Flags, valid: Flags, total: int) -> Floats:
    """Precision at the 101 recalls. It only peaks where a hit is, so only hits are looked at."""
    at = np.flatnonzero(hit)
    hits = np.arange(1, len(at) + 1, dtype=np.float64)
    precision = hits / (np.cumsum(valid)[at] + np.spacing(1))
    best = np.r_[np.maximum.accumulate(precision[::-1])[::-1], 0.0]
    return best[np.searchsorted(hits / total, RECALLS, side="left")]
