"""What became of each image of a batch that was matched, in columns."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.evaluators.answers._answer_columns import joined
from fieldwise.evaluators.geometry._images import Images, Ints, Side
from fieldwise.evaluators.geometry._items import Names
from fieldwise.kernels.boxes import Floats
from fieldwise.kernels.detections import Flags
from fieldwise.kernels.ragged import offsets
from fieldwise.model.result import Labels, Result, Results, Status


def image_results(images: Images, names: Sequence[Names], absent: Mapping[int, str], apart: Mapping[int, Result]) -> Results:
    """Results of a batch. `absent` says why an image has no list of detections; `apart` are those that could not be measured."""
    size = len(names)
    measured = np.ones(size, dtype=np.bool_)
    measured[list(apart)] = False
    found = images.finder >= 0
    tp, fp, wanted = (np.bincount(case, minlength=size) for case in _counted(images, found))
    nothing = measured & (wanted == 0) & (fp == 0)
    metrics = _rates(tp, fp, wanted, nothing)
    overlap = np.bincount(images.expected.case[found], weights=images.iou[images.finder[found]], minlength=size)
    if tp.any():
        metrics["mean_iou"] = np.where(tp > 0, overlap / np.maximum(tp, 1), np.nan)
    results = Results(
        score=np.where(measured, metrics["f1"], 0.0),
        status=np.zeros(size, dtype=np.uint8),
        hits=_hits(images, names, nothing & ~_marked(absent, size)),
        misses=_misses(images, names, absent, apart),
        reasoning=_reasoning(tp, fp, wanted, nothing),
        metrics={name: np.where(measured, column, np.nan) for name, column in metrics.items()} if measured.any() else {},
        details=lambda row: apart[row].details if row in apart else _details(images, row),
        pool=images.pool,
        flags=Labels.where(images.flags),
    )
    for row, result in apart.items():
        results.status[row] = Status[result.status.upper()]
    results.reasoning = [apart[row].reasoning if row in apart else text for row, text in enumerate(results.reasoning)]
    return results


def _counted(images: Images, found: Flags) -> tuple[Ints, Ints, Ints]:
    """Whose every object is that was found, every false alarm, and every object that was to be found."""
    return images.expected.case[found], images.actual.case[images.alarm], images.expected.case[~images.crowd]


def _marked(rows: Mapping[int, Any], size: int) -> Flags:
    marks = np.zeros(size, dtype=np.bool_)
    marks[list(rows)] = True
    return marks


def _rates(tp: Ints, fp: Ints, wanted: Ints, nothing: Flags) -> dict[str, Floats]:
    """The numbers of each image; where there is nothing to be found and nothing was, all is well."""
    fn = wanted - tp
    rates = {"precision": tp / np.maximum(tp + fp, 1), "recall": tp / np.maximum(wanted, 1), "f1": 2 * tp / np.maximum(2 * tp + fp + fn, 1)}
    counts = {"true_positives": tp, "false_positives": fp, "false_negatives": fn}
    return {name: np.where(nothing, 1.0, rate) for name, rate in rates.items()} | {
        name: count.astype(np.float64) for name, count in counts.items()
    }


def _reasoning(tp: Ints, fp: Ints, wanted: Ints, nothing: Flags) -> list[str]:
    return [
        "nothing to be found, nothing found" if no else f"{hits} of {objects} objects found, {alarms} false alarms"
        for hits, alarms, objects, no in zip(tp.tolist(), fp.tolist(), wanted.tolist(), nothing.tolist(), strict=True)
    ]


def _hits(images: Images, names: Sequence[Names], right: Flags) -> Labels:
    """The objects that were found; where there was nothing to be found, and nothing was, the whole."""
    objects = _labels(images.expected, images.finder >= 0, names, Names.of)
    return joined([objects, _single(len(names), {row: names[row].whole for row in np.flatnonzero(right).tolist()})])


def _misses(images: Images, names: Sequence[Names], absent: Mapping[int, str], apart: Mapping[int, Result]) -> Labels:
    """Objects that were not found, then false alarms; where there is no list at all, that."""
    whole = {row: f"{names[row].whole} ({why})" for row, why in absent.items()} | {
        row: text for row, result in apart.items() for text in result.misses
    }
    expected, problems = images.expected, images.expected.problems
    lost = (images.finder < 0) & ~images.crowd & ~_marked(absent, len(names))[expected.case]
    lost[list(problems)] = True
    told = {at: f"expected: {problem}" for at, problem in problems.items()}
    return joined(
        [
            _single(len(names), whole),
            _labels(expected, lost, names, Names.of, "required, missing", told),
            _labels(images.actual, images.alarm, names, Names.extra, "extra", images.problems),
        ]
    )


def _single(size: int, texts: Mapping[int, str]) -> Labels:
    """One text for some of the images."""
    return Labels.of([texts[row]] if row in texts else () for row in range(size)) if texts else Labels.of([()] * size)


Write = Callable[[Names, int], str]


def _labels(side: Side, which: Flags, names: Sequence[Names], write: Write, why: str = "", told: Mapping[int, str] | None = None) -> Labels:
    """The names of some boxes, with why they are named; `told` has reasons of single boxes. Equal texts are written once."""
    rows = np.flatnonzero(which)
    case = side.case[rows]
    index = rows - side.offsets[case]
    most = int(index.max(initial=-1)) + 1
    kinds = dict.fromkeys(names)
    codes = {name: at for at, name in enumerate(kinds)}
    own: NDArray[np.int64] = np.array([codes[name] for name in names], dtype=np.int64)[case] * most + index
    end = f" ({why})" if why else ""
    texts = [f"{write(name, at)}{end}" for name in kinds for at in range(most)]
    for at in np.flatnonzero(np.isin(rows, list(told))).tolist() if told else ():
        row = int(rows[at])
        own[at] = len(texts)
        texts.append(f"{write(names[int(case[at])], int(index[at]))} ({(told or {})[row]})")
    return Labels(offsets(np.bincount(case, minlength=len(names))), own.astype(np.int32), texts)


def _details(images: Images, row: int) -> dict[str, Any]:
    objects, found = images.rows(row)
    finder = images.finder[objects.start : objects.stop].tolist()
    pairs = [
        {
            "expected": at,
            "actual": finder_of - found.start,
            "iou": float(images.iou[finder_of]),
            "category": images.expected.category[objects.start + at],
        }
        for at, finder_of in enumerate(finder)
        if finder_of >= 0
    ]
    flags = [name for name, images_with in images.flags.items() if images_with[row]]
    return {"pairs": pairs, "flags": flags} if flags else {"pairs": pairs}
