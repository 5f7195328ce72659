"""What holds for every importer."""

import json
from pathlib import Path
from typing import Any

import pytest
from importer_samples import DATA, load_sample, read_sample

import fieldwise as fw
from fieldwise.read.imported_files import is_importer, read_documents, recognize_format
from fieldwise.registry import IMPORTERS

NAMES = IMPORTERS.names()
ODD_DOCUMENTS: list[Any] = [
    {},
    [],
    None,
    5,
    "text",
    [1],
    [[]],
    [{}],
    {"documents": None},
    {"entities": 3},
    {"results": []},
    {"results": {"results": [1]}},
    {"data": [1, {}]},
    {"columns": 1, "data": 2},
    {"pages": [1]},
    {"Blocks": [1]},
    {"ExpenseDocuments": 1},
    {"samples": [None]},
    {"testCases": [1]},
    {"id": "a", "expected": {"x": 1}, "actual": {"x": 1}},
    [{"id": "a", "expected": {"x": 1}, "actual": {"x": 1}}],
    [{"question": "q", "answer": "a", "ground_truth": "g"}],
    [{"id": 1, "data": {"x": 1}, "expected": 1}],
]


def test_every_importer_has_a_sample() -> None:
    assert {path.stem for path in DATA.glob("*.json")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_recognized_by_its_importer_alone(name: str) -> None:
    document = load_sample(name)
    assert [spec.name for spec in IMPORTERS.all() if spec.recognizes(document)] == [name]
    assert recognize_format(document) == name
    assert is_importer(name)


@pytest.mark.parametrize("document", ODD_DOCUMENTS, ids=repr)
def test_other_documents_are_recognized_by_none(document: Any) -> None:
    assert recognize_format(document) is None
    assert list(read_documents("auto", document)) == []


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_unique_or_left_to_the_file(name: str) -> None:
    ids = [record.id for record in read_sample(name)]
    assert ids
    assert ids.count(None) <= 1 or set(ids) == {None}
    assert len({id for id in ids if id is not None}) == len([id for id in ids if id is not None])


@pytest.mark.parametrize("name", NAMES)
def test_evidence_has_the_shape_of_the_record(name: str) -> None:
    for record in read_sample(name):
        for evidence in (record.confidence, record.page, record.box):
            _assert_inside(evidence, record.record)


def _assert_inside(evidence: Any, value: Any) -> None:
    if isinstance(evidence, dict) and isinstance(value, dict):
        for key, inner in evidence.items():
            _assert_inside(inner, value[key])
    elif isinstance(evidence, list) and isinstance(value, list) and any(isinstance(item, dict) for item in value):
        assert len(evidence) == len(value)
        for inner, item in zip(evidence, value, strict=True):
            if inner is not None:
                _assert_inside(inner, item)


def test_an_unknown_format_is_not_an_importer() -> None:
    assert not is_importer("csv")
    assert not is_importer(None)


REPEATED_KEY = '{"total": 1, "total": 2}'


@pytest.mark.parametrize(
    "document",
    [
        {"results": {"results": [{"vars": {"q": "?", "expected": '{"total": 2}'}, "response": {"output": REPEATED_KEY}}]}},
        {"testCases": [{"name": "a", "input": "?", "actualOutput": REPEATED_KEY, "expectedOutput": '{"total": 2}'}]},
        {"columns": ["inputs", "targets", "outputs"], "data": [["?", '{"total": 2}', REPEATED_KEY]]},
        {"data": [{"id": "a", "traceId": "t", "input": "?", "output": REPEATED_KEY, "expectedOutput": '{"total": 2}'}]},
        {
            "eval": {},
            "samples": [{"id": 1, "input": "?", "target": '{"total": 2}', "output": {"choices": [{"message": {"content": REPEATED_KEY}}]}}],
        },
    ],
    ids=["promptfoo", "deepeval", "mlflow", "langfuse", "inspect"],
)
def test_an_output_with_a_repeated_key_is_a_failed_output(document: Any, tmp_path: Path) -> None:
    [record] = read_documents("auto", document)
    assert record.record == REPEATED_KEY
    assert record.expected == {"total": 2}
    file = tmp_path / "results.json"
    file.write_text(json.dumps(document))
    run = fw.run({"cases": str(file), "evaluators": [{"type": "field_accuracy"}]}, root=tmp_path)
    [result] = run.results()
    assert (result.result.status, result.result.score) == ("error", 0.0)
    assert "the key `total` is there twice" in result.result.reasoning


@pytest.mark.parametrize("text", ['{"é": 1, "e\u0301": 2}', '{"a": "\\ud83d"}', "[" * 100_000 + "]" * 100_000])
def test_json_text_that_cannot_be_read_without_a_loss_stays_text(text: str) -> None:
    [record] = read_documents("deepeval", {"testCases": [{"name": "a", "input": "?", "actualOutput": text, "expectedOutput": "{}"}]})
    assert record.record == text


def test_formats_that_write_a_repeated_field_several_times_are_repeatable() -> None:
    repeatable = {name for name in NAMES if any(record.repeatable for record in read_sample(name))}
    assert repeatable == {"docling", "google_docai", "label_studio", "textract_forms"}
    pair = {"key": {"content": "Phone:"}, "value": {"content": "111-2"}, "confidence": 0.9}
    [record] = read_documents("azure_di", {"modelId": "prebuilt-layout", "apiVersion": "x", "keyValuePairs": [pair]})
    assert record.repeatable
