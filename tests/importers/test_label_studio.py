"""Label Studio."""

import json
from pathlib import Path

import pytest
from importer_samples import load_sample, read_sample

import fieldwise as fw
from fieldwise.importers.label_studio import label_studio
from fieldwise.model.values import MISSING


def test_annotations_are_expected_and_predictions_are_actual() -> None:
    first, second = read_sample("label_studio")
    assert (first.id, second.id) == ("41", "42")
    assert first.expected == {"Company": "ACME GmbH", "Total": "12.40", "kind": "receipt"}
    assert first.record == {"Company": "ACME GMBH", "Total": "12.90", "kind": "receipt"}
    assert first.input == {"image": "/data/upload/1/receipt.png"}


def test_scores_and_rectangles_are_evidence() -> None:
    first, _ = read_sample("label_studio")
    assert first.confidence == {"Company": 0.93, "Total": 0.61, "kind": 0.99}
    assert first.box == {"Company": [0.1, 0.05, 0.6, 0.09], "Total": [0.7, 0.8, 0.9, 0.84]}
    assert first.page == {"Company": 1, "Total": 1}


def test_marked_text_is_the_value_of_its_label() -> None:
    _, second = read_sample("label_studio")
    assert second.expected == {"City": "Paris", "Country": "France"}


def test_a_task_without_predictions_has_no_output() -> None:
    _, second = read_sample("label_studio")
    assert second.record is MISSING


def test_tasks_without_predictions_are_omissions_and_no_output_at_all_is_an_error(tmp_path: Path) -> None:
    tasks = load_sample("label_studio")
    suite = {"name": "s", "cases": str(tmp_path / "tasks.json"), "evaluators": [{"type": "field_prf"}]}
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    assert [result.metrics["omission"] for result in fw.run(suite, root=tmp_path / "runs").results()] == [0, 2]
    (tmp_path / "tasks.json").write_text(json.dumps([{**task, "predictions": []} for task in tasks]))
    with pytest.raises(fw.ConfigError, match="no column is actual"):
        fw.run(suite, root=tmp_path / "runs")


def test_annotations_of_two_people_can_be_compared(tmp_path: Path) -> None:
    tasks = [{**task, "predictions": []} for task in load_sample("label_studio")]
    for name in ("one", "two"):
        (tmp_path / f"{name}.json").write_text(json.dumps(tasks, indent=len(name)))
    (tmp_path / "two.json").write_text((tmp_path / "two.json").read_text().replace("Paris", "Lyon"))
    sides = {"expected": str(tmp_path / "one.json"), "actual": str(tmp_path / "two.json")}
    run = fw.run({"name": "s", "cases": sides, "evaluators": [{"type": "field_prf"}]}, root=tmp_path / "runs")
    assert [(mismatch.expected, mismatch.actual) for mismatch in run.mismatches()] == [("Paris", "Lyon")]


def test_a_task_without_annotations_has_nothing_expected() -> None:
    task = load_sample("label_studio")[0] | {"annotations": []}
    [record] = label_studio(task)
    assert record.expected is MISSING


def test_polygons_ellipses_and_key_points_have_the_box_that_they_have() -> None:
    shapes = [
        {"points": [[10, 20], [30, 20], [30, 40]], "polygonlabels": ["Stamp"]},
        {"x": 50, "y": 50, "radiusX": 10, "radiusY": 20, "ellipselabels": ["Seal"]},
        {"x": 5, "y": 6, "width": 0.2, "keypointlabels": ["Corner"]},
    ]
    results = [{"id": str(number), "from_name": "label", "value": value} for number, value in enumerate(shapes)]
    [record] = label_studio([{"id": 1, "data": {"image": "a.png"}, "predictions": [{"result": results}]}])
    assert record.record == {"Stamp": None, "Seal": None, "Corner": None}
    assert record.box == {"Stamp": [0.1, 0.2, 0.3, 0.4], "Seal": [0.4, 0.3, 0.6, 0.7]}
