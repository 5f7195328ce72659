"""COCO files as cases."""

import json
from pathlib import Path
from typing import Any

import pytest

from fieldwise.model.plan import Source
from fieldwise.model.values import MISSING
from fieldwise.read.cases import read_cases
from fieldwise.read.coco import build_coco_cases

TRUTH: dict[str, Any] = {
    "images": [{"id": 9, "file_name": "b.jpg", "width": 640, "height": 480}, {"id": 2, "file_name": "a.jpg"}],
    "categories": [{"id": 1, "name": "dog"}, {"id": 5, "name": "cat"}],
    "annotations": [
        {"id": 1, "image_id": 9, "category_id": 5, "bbox": [0, 0, 4, 4], "area": 9.5, "iscrowd": 1, "segmentation": []},
        {"id": 2, "image_id": 9, "category_id": 1, "bbox": [1, 1, 2, 2]},
    ],
}


def test_cases_come_by_rising_image_id_with_their_boxes_in_the_order_of_the_files() -> None:
    guesses = [{"image_id": 9, "category_id": 1, "bbox": [1, 1, 2, 2], "score": 0.5}]
    cases, problems = build_coco_cases(TRUTH, guesses)
    assert problems == []
    assert cases.id == ["2", "9"]
    assert cases.expected == [
        [],
        [{"category": "cat", "bbox": [0, 0, 4, 4], "iscrowd": 1, "area": 9.5}, {"category": "dog", "bbox": [1, 1, 2, 2]}],
    ]
    assert cases.actual == [[], [{"category": "dog", "bbox": [1, 1, 2, 2], "score": 0.5}]]
    assert cases.metadata == [{"image": "a.jpg"}, {"image": "b.jpg", "width": 640, "height": 480}]
    assert cases.input == ["a.jpg", "b.jpg"]


CAPTIONS: dict[str, Any] = {
    "images": [{"id": 1, "file_name": "a.jpg"}, {"id": 2}, {"id": 3}],
    "annotations": [
        {"id": 1, "image_id": 1, "caption": "a dog"},
        {"id": 2, "image_id": 1, "caption": "a brown dog"},
        {"id": 3, "image_id": 2, "caption": "a cat"},
    ],
}


def test_each_caption_of_an_image_is_accepted() -> None:
    cases, problems = build_coco_cases(CAPTIONS, [{"image_id": 1, "caption": "a dog"}, {"image_id": 3, "caption": "a bird"}])
    assert problems == []
    assert cases.expected == [{"$any": ["a dog", "a brown dog"]}, "a cat", MISSING]
    assert cases.actual == ["a dog", MISSING, "a bird"]


@pytest.mark.parametrize(
    ("predictions", "code"),
    [
        ([{"image_id": 1, "category_id": 1, "bbox": [1, 1, 2, 2]}], "coco-predictions"),
        ([{"image_id": 4, "caption": "a dog"}], "coco-unknown-image-predictions"),
        ([{"image_id": 1, "caption": "a dog"}, {"image_id": 1, "caption": "a cat"}], "coco-captions"),
    ],
)
def test_predictions_that_do_not_fit_captions_are_reported(predictions: list[dict[str, Any]], code: str) -> None:
    assert [problem.code for problem in build_coco_cases(CAPTIONS, predictions)[1]] == [code]


def test_predictions_may_also_come_as_a_whole_coco_file() -> None:
    guesses = {"annotations": [{"image_id": 2, "category_id": 1, "bbox": [1, 1, 2, 2], "score": 0.5}]}
    assert build_coco_cases(TRUTH, guesses)[0].actual[0] == [{"category": "dog", "bbox": [1, 1, 2, 2], "score": 0.5}]


def test_categories_that_share_a_name_are_told_apart_by_their_id() -> None:
    truth = {**TRUTH, "categories": [{"id": 1, "name": "dog"}, {"id": 5, "name": "dog"}]}
    cases, _ = build_coco_cases(truth, [])
    assert [box["category"] for box in cases.expected[1]] == ["dog (5)", "dog (1)"]  # type: ignore[index, union-attr]


@pytest.mark.parametrize(
    ("truth", "guesses", "code", "what"),
    [
        (
            TRUTH,
            [{"image_id": 77, "category_id": 1}],
            "coco-unknown-image-predictions",
            "predictions name the image 77, which is not there",
        ),
        (
            TRUTH,
            [{"image_id": 2, "category_id": 8}] * 3,
            "coco-unknown-category-predictions",
            "category 8, which is not there (and 2 more like it)",
        ),
        (TRUTH, [{"category_id": 1}], "coco-predictions", "predictions[0] has no image_id"),
        (TRUTH, [5], "coco-predictions", "predictions[0] has no image_id and no category_id"),
        (TRUTH, {"boxes": []}, "coco-predictions", "`predictions` is object, not a list"),
        ([], [], "coco-annotations", "the annotations are list, not an object"),
        ({**TRUTH, "images": [{"id": 2}, {"id": 2}, {"id": 9}]}, [], "coco-images", "some images share an id, or have none"),
    ],
)
def test_what_does_not_fit_is_reported_once_for_each_kind_of_problem(truth: Any, guesses: Any, code: str, what: str) -> None:
    _, problems = build_coco_cases(truth, guesses)
    assert [problem.code for problem in problems] == [code]
    assert what in problems[0].what
    assert problems[0].fix


def test_a_pair_of_coco_files_is_read_in_chunks(tmp_path: Path) -> None:
    images = [{"id": number, "file_name": f"{number}.png", "width": 10, "height": 10} for number in range(5)]
    boxes = [{"id": number, "image_id": number, "category_id": 1, "bbox": [0, 0, 2, 2]} for number in range(5)]
    truth = {"images": images, "categories": [{"id": 1, "name": "dog"}], "annotations": boxes}
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    (tmp_path / "found.json").write_text("[]")
    source = Source(expected=str(tmp_path / "truth.json"), actual=str(tmp_path / "found.json"), format="coco")
    assert [len(cases) for cases in read_cases(source, chunk=2, limit=3)] == [2, 1]


def test_a_coco_file_that_is_not_there_is_a_diagnostic(tmp_path: Path) -> None:
    reader = read_cases(Source(expected=str(tmp_path / "a.json"), actual=str(tmp_path / "b.json"), format="coco"))
    assert list(reader) == []
    assert "a.json" in str(reader.diagnostics[0])


@pytest.mark.parametrize(
    ("first", "predictions"),
    [
        ({}, "[]"),
        ({"info": {"year": 2017}, "licenses": []}, '[\n  {"image_id": 1, "category_id": 1, "bbox": [0, 0, 2, 2], "score": 0.5}]'),
        ({"licenses": []}, '[{"bbox": [0, 0, 2, 2], "score": 0.5, "category_id": 1, "image_id": 1}]'),
    ],
)
def test_a_pair_of_coco_files_needs_no_format(tmp_path: Path, first: dict[str, Any], predictions: str) -> None:
    boxes = [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 2, 2]}]
    truth = {**first, "images": [{"id": 1}, {"id": 2}], "categories": [{"id": 1, "name": "dog"}], "annotations": boxes}
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    (tmp_path / "found.json").write_text(predictions)
    [cases] = read_cases(Source(expected=str(tmp_path / "truth.json"), actual=str(tmp_path / "found.json")))
    assert cases.id == ["1", "2"]
    assert cases.expected[0] == [{"category": "dog", "bbox": [0, 0, 2, 2]}]


def test_records_that_speak_of_images_are_not_taken_for_coco_files(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text('{"images": [{"id": 1}], "annotations": []}')
    [cases] = read_cases(Source(expected=str(tmp_path / "a.json"), actual=str(tmp_path / "b.json")))
    assert cases.expected == cases.actual == [{"images": [{"id": 1}], "annotations": []}]
