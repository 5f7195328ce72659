"""Confidences are stored with the comparisons, and only where there are any."""

import json

import pyarrow.parquet as pq
import pytest

import fieldwise as fw

SUITE = {"evaluators": [{"type": "field_prf"}]}
ROWS = [
    {"id": "1", "expected": {"a": 1, "b": "x"}, "actual": {"a": {"value": 1, "confidence": 0.9, "page": 1, "box": [0, 0, 1, 1]}, "b": "x"}},
    {"id": "2", "expected": {"a": 2, "b": "y"}, "actual": {"a": {"value": 3, "confidence": 0.4}, "b": {"value": "y", "confidence": None}}},
    {"id": "3", "expected": {"a": 5, "b": "z"}, "actual": {"a": 5, "b": "z"}},
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return fw.run(SUITE, cases=ROWS, root=tmp_path_factory.mktemp("runs"), chunk=1)


def test_stored_comparisons_have_confidence_page_and_box(run):
    comparisons = {(stored.case, stored.path): stored for stored in run.comparisons()}
    assert comparisons["1", "a"].confidence == 0.9
    assert (comparisons["1", "a"].page, comparisons["1", "a"].box) == (1, (0.0, 0.0, 1.0, 1.0))
    assert comparisons["2", "a"].confidence == 0.4
    assert comparisons["2", "a"].actual == 3
    assert comparisons["2", "b"].confidence is None
    assert comparisons["3", "a"].confidence is None
    assert comparisons["1", "a"].to_json()["confidence"] == 0.9
    assert "confidence" not in comparisons["3", "a"].to_json()


def test_the_table_of_comparisons_has_a_confidence_column(run):
    table = run.comparisons().to_arrow()
    assert table.column("confidence").to_pylist() == [0.9, None, 0.4, None, None, None]


def test_results_and_their_json_carry_the_confidence(run):
    [first, second, _] = run.results()
    assert first.comparisons[0].confidence == 0.9
    assert second.comparisons[0].to_json()["confidence"] == 0.4
    lines = [json.loads(text)["comparisons"] for text in run.result_texts()]
    assert lines[0][0]["box"] == [0.0, 0.0, 1.0, 1.0]
    assert [comparison.get("confidence") for comparison in lines[1]] == [0.4, None]


def test_the_run_says_that_values_were_unwrapped(run):
    assert [note.level for note in run.diagnostics if note.code == "unwrapped-values"] == ["info"]


def test_a_run_without_confidences_stores_no_column_for_them(tmp_path):
    run = fw.run(SUITE, cases=ROWS[2:], root=tmp_path)
    [file] = [file.file for part in run.manifest.parts for file in part.files if file.table == "comparisons"]
    names = pq.read_schema(run.path / "parts" / file).names
    assert not {"confidence", "page", "box"} & {*names}
    assert "confidence" not in run.comparisons().to_arrow().column_names


def test_a_suite_names_a_parallel_record(tmp_path):
    rows = [{"id": "1", "expected": {"a": 1}, "actual": {"a": 1}, "metadata": {"sure": {"a": 0.7}}}]
    run = fw.run({**SUITE, "confidence": "metadata.sure"}, cases=rows, root=tmp_path)
    assert [stored.confidence for stored in run.comparisons()] == [0.7]


def test_a_parallel_record_that_no_case_has_is_a_warning(tmp_path):
    run = fw.run({**SUITE, "confidence": "metadata.sure"}, cases=ROWS[2:], root=tmp_path)
    assert [note.level for note in run.diagnostics if note.code == "no-confidences"] == ["warning"]


def test_a_suite_key_that_names_no_part_of_a_case_is_an_error():
    with pytest.raises(fw.ConfigError, match=r"did you mean `metadata\.confidences`"):
        fw.check({**SUITE, "confidence": "confidences", "cases": "x.jsonl"})


def test_confidences_of_an_importer_keep_the_names_of_the_rules(tmp_path):
    document = {
        "modelId": "prebuilt-invoice",
        "documents": [{"fields": {"VendorName": {"type": "string", "valueString": "Acme", "confidence": 0.8}}}],
    }
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "1.json").write_text(json.dumps(document))
    (tmp_path / "gold.jsonl").write_text('{"id": "1", "expected": {"vendor": "Acme"}}\n')
    actual = {"file": str(tmp_path / "out/*.json"), "format": "azure_di", "rename": {"VendorName": "vendor"}}
    suite = {**SUITE, "cases": {"expected": str(tmp_path / "gold.jsonl"), "actual": actual}}
    run = fw.run(suite, root=tmp_path / "runs")
    assert [(stored.path, stored.confidence) for stored in run.comparisons()] == [("vendor", 0.8)]


def test_redaction_covers_unwrapped_values(tmp_path):
    rows = [{"id": "1", "expected": {"iban": "DE02120300000000202051"}, "actual": {"iban": {"value": "DE9912", "confidence": 0.5}}}]
    run = fw.run({**SUITE, "redact": ["iban"]}, cases=rows, root=tmp_path)
    [stored] = run.comparisons()
    assert stored.confidence == 0.5
    assert "DE9912" not in json.dumps(stored.to_json())
    assert b"DE9912" not in b"".join(path.read_bytes() for path in run.path.rglob("*") if path.is_file() and path.suffix == ".json")
    assert "DE9912" not in str(run.case("1"))
