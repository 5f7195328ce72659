"""Label Studio."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from importer_samples import load_sample, read_sample

import fieldwise as fw
from fieldwise.cli.app import app
from fieldwise.importers.label_studio import label_studio
from fieldwise.model.imported import ImportedRecord
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
    stamp, seal = [0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.6, 0.7]
    assert record.record == {"regions": [{"label": "Stamp", "box": stamp}, {"label": "Seal", "box": seal}], "Corner": None}
    assert record.box == {"regions": [{"label": stamp}, {"label": seal}]}


def _read_prediction(*results: dict[str, Any]) -> ImportedRecord:
    [record] = label_studio([{"id": 1, "data": {"image": "a.png"}, "predictions": [{"result": list(results)}]}])
    return record


RECTANGLE = {"x": 10, "y": 10, "width": 5, "height": 5, "rotation": 0}


def test_each_label_of_a_region_is_a_field() -> None:
    span = {"start": 0, "end": 4, "text": "Acme", "labels": ["ORG", "BUYER"]}
    record = _read_prediction({"id": "a", "from_name": "label", "type": "labels", "value": span})
    assert record.record == {"ORG": "Acme", "BUYER": "Acme"}


def test_a_control_of_a_region_is_a_field_beside_its_label() -> None:
    record = _read_prediction(
        {"id": "a", "from_name": "bbox", "type": "rectangle", "value": RECTANGLE},
        {"id": "a", "from_name": "label", "type": "labels", "value": {**RECTANGLE, "labels": ["Total"]}, "score": 0.9},
        {"id": "a", "from_name": "transcription", "type": "textarea", "value": {**RECTANGLE, "text": ["5"]}, "score": 0.8},
        {"id": "a", "from_name": "legible", "type": "choices", "value": {**RECTANGLE, "choices": ["no"]}, "score": 0.4},
        {"id": "a", "from_name": "stars", "type": "rating", "value": {**RECTANGLE, "rating": 3}},
        {"id": "a", "from_name": "comment", "type": "textarea", "value": {**RECTANGLE, "text": ["smudged"]}},
    )
    assert record.record == {"Total": "5", "legible": "no", "stars": 3, "comment": "smudged"}
    assert record.confidence == {"Total": 0.8, "legible": 0.4}
    assert record.box["legible"] == record.box["Total"] == [0.1, 0.1, 0.15, 0.15]


def test_a_control_of_marked_text_does_not_take_its_text() -> None:
    span = {"start": 0, "end": 4, "text": "Acme"}
    record = _read_prediction(
        {"id": "a", "from_name": "sure", "type": "choices", "value": {**span, "choices": ["yes"]}},
        {"id": "a", "from_name": "label", "type": "labels", "value": {**span, "labels": ["ORG"]}},
    )
    assert record.record == {"ORG": "Acme", "sure": "yes"}


def test_a_shape_without_a_label_is_no_field() -> None:
    shape = {"id": "a", "from_name": "bbox", "type": "rectangle", "value": RECTANGLE}
    transcription = {"id": "a", "from_name": "transcription", "type": "textarea", "value": {**RECTANGLE, "text": ["5"]}}
    assert _read_prediction(shape, transcription).record == {"transcription": "5"}
    assert _read_prediction(shape).record == {}
    unlabelled = {"id": "b", "from_name": "label", "type": "rectanglelabels", "value": {**RECTANGLE, "rectanglelabels": []}}
    assert _read_prediction(unlabelled).record == {}


def test_a_control_without_a_region_is_a_field_by_its_name() -> None:
    record = _read_prediction(
        {"id": "a", "from_name": "better", "type": "pairwise", "value": {"selected": "left"}},
        {"id": "b", "from_name": "day", "type": "datetime", "value": {"datetime": "2024-01-02"}},
        {"id": "c", "from_name": "kinds", "type": "choices", "value": {"choices": ["a", "b"]}},
    )
    assert record.record == {"better": "left", "day": "2024-01-02", "kinds": ["a", "b"]}


def _mark(label: str, *texts: str) -> list[dict[str, Any]]:
    return [
        {"id": f"{label}{number}", "from_name": "label", "type": "labels", "value": {"text": text, "labels": [label]}}
        for number, text in enumerate(texts)
    ]


def _make_task(id: int, annotated: list[dict[str, Any]], predicted: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": id, "data": {"text": "…"}, "annotations": [{"result": annotated}], "predictions": [{"result": predicted}]}


def test_a_label_with_several_regions_in_any_task_is_a_list_in_all(tmp_path: Path) -> None:
    tasks = [
        _make_task(1, _mark("ORG", "Acme", "Lang"), _mark("ORG", "Acme")),
        _make_task(2, _mark("ORG", "Noe") + _mark("CITY", "Ulm"), _mark("ORG", "Noe") + _mark("CITY", "Ulm")),
    ]
    first, second = label_studio(tasks)
    assert (first.expected, first.record) == ({"ORG": ["Acme", "Lang"]}, {"ORG": ["Acme"]})
    assert (second.expected, second.record) == ({"ORG": ["Noe"], "CITY": "Ulm"}, {"ORG": ["Noe"], "CITY": "Ulm"})
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    suite = {"name": "s", "cases": str(tmp_path / "tasks.json"), "evaluators": [{"type": "field_prf"}]}
    assert [result.metrics["omission"] for result in fw.run(suite, root=tmp_path / "runs").results()] == [1, 0]


def test_a_control_with_several_choices_in_any_task_is_a_list_in_all() -> None:
    one, two = (
        [{"id": "c", "from_name": "kind", "type": "choices", "value": {"choices": choices}, "score": 0.5}]
        for choices in (["a"], ["a", "b"])
    )
    [record] = label_studio([_make_task(1, two, one)])
    assert (record.expected, record.record, record.confidence) == ({"kind": ["a", "b"]}, {"kind": ["a"]}, {"kind": 0.5})


def test_regions_without_text_are_compared_by_label_and_box(tmp_path: Path) -> None:
    def make_result(label: str, left: int) -> dict[str, Any]:
        return {
            "id": f"{label}{left}",
            "from_name": "label",
            "type": "rectanglelabels",
            "value": {**RECTANGLE, "x": left, "rectanglelabels": [label]},
        }

    annotated = [make_result("Name", 10), make_result("Dose", 30), make_result("Dose", 50)]
    tasks = [
        {"id": 1, "data": {"image": "a.png"}, "annotations": [{"result": annotated}], "predictions": [{"result": annotated[:2]}]},
        {"id": 2, "data": {"image": "b.png"}, "annotations": [{"result": annotated}], "predictions": [{"result": []}]},
    ]
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    result = CliRunner().invoke(app, ["init", str(tmp_path), "--cases", str(tmp_path / "tasks.json")])
    assert result.exit_code == 0, result.output
    run = fw.run(tmp_path / "tasks.eval.yaml", root=tmp_path)
    recalls = {result.case: result.result.metrics["recall"] for result in run.results()}
    assert recalls == {"1": pytest.approx(2 / 3), "2": 0}
