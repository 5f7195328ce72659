"""detection: COCO's numbers over a dataset, and what went wrong in each image."""

import contextlib
import copy
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import fieldwise as fw
from fieldwise import Result
from fieldwise.kernels.detections import compute_curves
from fieldwise.model.batch import Records
from fieldwise.model.result import Results
from fieldwise.read.coco import build_coco_cases
from fieldwise.registry import EVALUATORS

NAMES = ["ap", "ap50", "ap75", "ap_small", "ap_medium", "ap_large", "ar_1", "ar_10", "ar_100", "ar_small", "ar_medium", "ar_large"]


def dataset(
    seed: int, images: int = 60, categories: int = 4, objects: float = 6, detections: float = 15, crowd: float = 0.1
) -> tuple[Any, Any]:
    """A pair of COCO files with whole-number boxes and scores in tenths, so that ties of overlap and score are common."""
    rng = np.random.default_rng(seed)
    truth: list[dict[str, Any]] = []
    guesses: list[dict[str, Any]] = []
    for image in range(images):
        boxes = [(*rng.integers(0, 400, 2), *np.exp(rng.uniform(1.5, 5.5, 2)).round()) for _ in range(rng.poisson(objects))]
        labels = rng.integers(1, categories + 1, len(boxes))
        for box, label in zip(boxes, labels, strict=True):
            truth.append(
                {
                    "id": len(truth) + 1,
                    "image_id": 3 * image + 1,
                    "category_id": int(label),
                    "bbox": [float(v) for v in box],
                    "area": float(box[2] * box[3] * rng.uniform(0.4, 1)),
                    "iscrowd": int(rng.random() < crowd),
                }
            )
        for _ in range(rng.poisson(detections)):
            near = int(rng.integers(len(boxes))) if boxes and rng.random() < 0.7 else None
            x, y, w, h = boxes[near] if near is not None else (*rng.integers(0, 400, 2), *rng.integers(4, 200, 2))
            shake = rng.choice([0, 0.03, 0.1, 0.3])
            moved = (x + rng.normal() * shake * w, y + rng.normal() * shake * h, w * np.exp(rng.normal() * shake), h)
            label = labels[near] if near is not None and rng.random() < 0.9 else rng.integers(1, categories + 1)
            guess = {"image_id": 3 * image + 1, "category_id": int(label), "bbox": [float(round(v)) for v in moved]}
            guesses.append({**guess, "score": float(rng.integers(0, 11)) / 10})
    pictures = [{"id": 3 * image + 1, "width": 640, "height": 640, "file_name": f"{image}.jpg"} for image in range(images)]
    rng.shuffle(pictures)  # pyright: ignore[reportArgumentType]
    names = [{"id": label, "name": f"kind {label}"} for label in range(1, categories + 2)]
    return {"images": pictures, "annotations": truth, "categories": names}, guesses


def by_pycocotools(truth: Any, guesses: Any) -> COCOeval:
    with contextlib.redirect_stdout(io.StringIO()):
        gold = COCO()
        gold.dataset = copy.deepcopy(truth)
        gold.createIndex()
        evaluation = COCOeval(gold, gold.loadRes(copy.deepcopy(guesses)), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation


def by_fieldwise(truth: Any, guesses: Any) -> tuple[Results, dict[str, float]]:
    cases, problems = build_coco_cases(truth, guesses)
    assert problems == []

    class Batch:
        records = Records(cases.expected, cases.actual, {}, {})

        def __len__(self) -> int:
            return len(cases)

    entry = EVALUATORS.find("detection")
    results = entry.function(Batch(), entry.options())
    return results, entry.summarize(results.pool, entry.options())


@pytest.mark.parametrize(
    "options",
    [
        {"seed": 0},
        {"seed": 1, "crowd": 0.5},
        {"seed": 2, "images": 8, "categories": 1, "objects": 40, "detections": 250},
        {"seed": 3, "images": 30, "categories": 30, "objects": 2, "detections": 4},
        {"seed": 4, "images": 6, "objects": 0.5, "detections": 1},
        {"seed": 5, "crowd": 1.0, "images": 5},
    ],
)
def test_every_number_equals_pycocotools_on_the_same_files(options: dict[str, Any]) -> None:
    truth, guesses = dataset(**options)
    theirs, (results, ours) = by_pycocotools(truth, guesses), by_fieldwise(truth, guesses)
    assert [ours.get(name, -1.0) for name in NAMES] == pytest.approx(theirs.stats.tolist(), abs=1e-6)
    curves = compute_curves(results.pool)
    for row, category in enumerate(sorted(theirs.params.catIds)):
        precision = theirs.eval["precision"][:, :, row, :, 2]
        name = f"kind {category}"
        if precision.max() < 0:
            assert f"ap[{name}]" not in ours
            continue
        assert ours[f"ap[{name}]"] == pytest.approx(precision[:, :, 0].mean(), abs=1e-6)
        assert curves.precision[list(curves.categories).index(name), 0] == pytest.approx(precision[:, :, 0], abs=1e-6)


def test_batches_pooled_together_give_the_numbers_of_the_whole() -> None:
    truth, guesses = dataset(7, images=20)
    cases, _ = build_coco_cases(truth, guesses)
    entry = EVALUATORS.find("detection")
    parts: list[dict[str, np.ndarray]] = []
    for start in range(0, len(cases), 6):

        class Batch:
            records = Records(cases.expected[start : start + 6], cases.actual[start : start + 6], {}, {})

            def __len__(self) -> int:
                return len(self.records.expected)

        pool = entry.function(Batch(), entry.options()).pool
        parts.append({**pool, "case": pool["case"] + start})
    shuffled = [parts[index] for index in (2, 0, 3, 1)]
    pooled = {name: np.concatenate([part[name] for part in shuffled]) for name in parts[0]}
    assert entry.summarize(pooled) == by_fieldwise(truth, guesses)[1]


def image(expected: Any, actual: Any, **options: Any) -> Result:
    return fw.evaluate({"type": "detection", **options}, expected=expected, actual=actual)


DOG, CAT = {"bbox": [0, 0, 10, 10], "category": "dog"}, {"bbox": [50, 50, 10, 10], "category": "cat"}


def test_an_image_scores_its_f1_at_iou_one_half() -> None:
    result = image([DOG, CAT], [{**DOG, "score": 0.9}, {**DOG, "bbox": [80, 80, 5, 5], "score": 0.8}])
    assert (result.score, result.hits, result.misses) == (0.5, ["[0]"], ["[1] (required, missing)", "[+1] (extra)"])
    assert (result.metrics["precision"], result.metrics["recall"], result.metrics["mean_iou"]) == (0.5, 0.5, 1.0)
    assert result.details["pairs"] == [{"expected": 0, "actual": 0, "iou": 1.0, "category": "dog"}]
    assert result.reasoning == "1 of 2 objects found, 1 false alarms"


def test_boxes_may_stand_under_the_key_boxes_or_at_a_path() -> None:
    assert image({"boxes": [DOG]}, {"boxes": [{**DOG, "score": 1}]}).hits == ["boxes[0]"]
    assert image({"a": [DOG]}, {"a": [{**DOG, "score": 1}]}, path="a").hits == ["a[0]"]


def test_corners_and_other_keys_are_options() -> None:
    expected, actual = {"box": [5, 5, 10, 10], "name": "dog"}, {"box": [5, 5, 10, 10], "name": "dog", "score": 0.9}
    assert image([expected], [actual], format="xyxy", box="box", label="name").score == 1.0


def test_detections_below_min_score_count_in_ap_only() -> None:
    assert image([DOG], [{**DOG, "score": 0.4}]).misses == ["[0] (required, missing)"]
    assert image([DOG], [{**DOG, "score": 0.4}], min_score=0.4).score == 1.0


def test_the_surest_detection_takes_the_object_and_the_next_is_a_false_alarm() -> None:
    result = image([DOG], [{**DOG, "score": 0.7}, {**DOG, "bbox": [1, 0, 10, 10], "score": 0.9}])
    assert result.misses == ["[+0] (extra)"]
    assert result.details["pairs"][0]["actual"] == 1


def test_the_right_box_in_the_wrong_category_is_no_match() -> None:
    assert image([DOG], [{**DOG, "category": "cat", "score": 0.9}]).score == 0.0


def test_a_crowd_need_not_be_found_and_takes_any_number_of_detections() -> None:
    crowd = {"bbox": [0, 0, 100, 100], "category": "dog", "iscrowd": 1}
    assert image([crowd], []).score == 1.0
    result = image([crowd, CAT], [{**DOG, "score": 0.9}, {**DOG, "score": 0.8}, {**CAT, "score": 0.9}])
    assert (result.score, result.hits, result.misses) == (1.0, ["[1]"], [])


def test_nothing_to_find_and_nothing_found_is_right() -> None:
    result = image([], [])
    assert (result.score, result.verdict, result.hits) == (1.0, "pass", ["(root)"])


def test_a_missing_score_is_certain_and_flagged() -> None:
    result = image([DOG], [DOG])
    assert (result.score, result.details["flags"]) == (1.0, ["unscored_detections"])


def test_a_score_may_be_called_confidence() -> None:
    result = image([DOG, CAT], [{**DOG, "confidence": 0.9}, {**CAT, "confidence": 0.2}])
    assert (result.misses, result.details.get("flags")) == (["[1] (required, missing)"], None)


@pytest.mark.parametrize(
    ("item", "what"),
    [
        ({**DOG, "bbox": [0, 0, -1, 1], "score": 0.9}, "negative width"),
        ({**DOG, "bbox": [0, 0, 1], "score": 0.9}, "wrong length: 3 numbers, a box has 4"),
        ({"category": "dog", "score": 0.9}, "no box: the key `bbox` is missing; there are `category`, `score`"),
        ({"bbox": [0, 0, 1, 1], "score": 0.9}, "no category: the key `category` is missing; there are `bbox`, `score`"),
    ],
)
def test_a_malformed_detection_is_a_false_alarm_that_says_what_is_wrong(item: Any, what: str) -> None:
    result = image([DOG], [{**DOG, "score": 0.9}, item])
    assert result.misses == [f"[+1] ({what})"]
    assert result.score == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("score", "what"),
    [
        (None, "score is not a number: null"),
        (float("nan"), "score is NaN"),
        (float("inf"), "score is infinite"),
        ("0.9", "score is not a number: string"),
        (True, "score is not a number: bool"),
    ],
)
def test_a_detection_whose_score_is_malformed_is_a_false_alarm_that_says_so(score: Any, what: str) -> None:
    result = image([DOG, CAT], [{**DOG, "score": score}, {**CAT, "score": 0.9}])
    assert result.misses == ["[0] (required, missing)", f"[+0] ({what})"]
    assert (result.metrics["false_positives"], result.metrics["precision"]) == (1.0, 0.5)


@pytest.mark.parametrize(
    ("item", "what"), [(7, "not an object with `bbox` and `category`"), ({**DOG, "score": float("nan")}, "score is NaN")]
)
def test_a_detection_whose_score_cannot_be_read_is_the_least_sure_of_all(item: Any, what: str) -> None:
    assert image([DOG], [item], min_score=0).misses == ["[0] (required, missing)", f"[+0] ({what})"]


def test_a_malformed_object_is_a_miss_and_flagged_as_a_problem_of_the_data() -> None:
    result = image([DOG, {**CAT, "bbox": [0, 0, 1]}], [{**DOG, "score": 0.9}])
    assert result.misses == ["[1] (expected: wrong length: 3 numbers, a box has 4)"]
    assert result.details["flags"] == ["malformed_expected"]


def test_an_image_whose_objects_are_all_malformed_is_a_fault_of_the_data() -> None:
    result = image([{"bbox": [0, 0, 10, 10]}, {**CAT, "bbox": [0, 0, 1]}], [{**DOG, "score": 0.9}])
    assert (result.status, result.score, result.details["fault"]) == ("error", 0.0, "ours")
    assert result.misses == [
        "[0] (expected: no category: the key `category` is missing; there are `bbox`)",
        "[1] (expected: wrong length: 3 numbers, a box has 4)",
    ]
    assert result.reasoning == "no expected item can be read: no category: the key `category` is missing; there are `bbox`"


def test_an_image_whose_objects_are_all_malformed_is_in_no_mean(tmp_path: Path) -> None:
    rows = [
        {"id": "good", "expected": [DOG], "actual": [{**DOG, "score": 0.9}]},
        {"id": "bad", "expected": [{"bbox": [0, 0, 10, 10]}], "actual": [{**DOG, "score": 0.95}]},
    ]
    run = fw.run({"evaluators": [{"type": "detection"}]}, cases=rows, root=tmp_path)
    assert (run.summary["detection.score"], run.summary["detection.ap"], run.exit_code) == (1.0, pytest.approx(1.0), 3)


def test_absence_is_told_apart() -> None:
    assert image({"boxes": [DOG]}, {}).misses == ["boxes (required, missing)"]
    assert image({"boxes": [DOG]}, {"boxes": None}).misses == ["boxes (null value)"]
    assert image({"boxes": [DOG]}, {"boxes": "none"}).misses == ["boxes (not a list of boxes: string)"]
    assert image({"other": 1}, {"boxes": []}).status == "skipped"
    wrong = image({"boxes": 7}, {"boxes": []})
    assert (wrong.status, wrong.details["fault"]) == ("error", "ours")


SCRAPS = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.sampled_from(["dog", "cat"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.fixed_dictionaries(
            {"bbox": st.lists(st.integers(0, 9), min_size=4, max_size=4) | inner, "category": inner}, optional={"score": inner}
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(SCRAPS, SCRAPS)
def test_no_data_raises_and_the_score_stays_between_0_and_1(expected: Any, actual: Any) -> None:
    """structured-data spec: Never throw exceptions from evaluators."""
    result = image({"boxes": expected}, {"boxes": actual})
    assert 0.0 <= result.score <= 1.0


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.floats() | st.integers(-5, 50) | st.just(10**400), min_size=4, max_size=4), max_size=5), st.booleans())
def test_a_box_is_read_alike_among_plain_boxes_and_among_odd_ones(boxes: list[Any], corners: bool) -> None:
    form = "xyxy" if corners else "xywh"
    expected = [{"bbox": box, "category": "dog"} for box in boxes]
    actual = [{**item, "score": 0.5 + 0.01 * at} for at, item in enumerate(expected)]
    plain, odd = image(expected, actual, format=form), image([*expected, 7], [*actual, "none"], format=form)
    assert list(odd.hits) == [hit for hit in plain.hits if hit != "(root)"]
    added = ["not an object with `bbox` and `category`"]
    assert [miss for miss in odd.misses if not any(text in miss for text in added)] == list(plain.misses)
    assert odd.details["pairs"] == plain.details["pairs"]


def test_the_example_gives_coco_numbers_for_each_category_and_finds_the_worst_image() -> None:
    folder = Path(__file__).parents[3] / "examples" / "detection"
    truth, guesses = (json.loads((folder / name).read_text()) for name in ("annotations.json", "predictions.json"))
    results, ours = by_fieldwise(truth, guesses)
    assert [ours.get(name, -1.0) for name in NAMES] == pytest.approx(by_pycocotools(truth, guesses).stats.tolist(), abs=1e-6)
    assert {"ap[person]", "ap[dog]", "ap[ball]"} < set(ours)
    assert results.score.tolist() == pytest.approx([1.0, 2 / 3, 1.0, 1.0, 0.0, 1 / 3], abs=1e-9)
    assert results.misses.at(4) == ["[+0] (extra)"]
