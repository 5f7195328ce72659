"""Files of vendors and other tools as cases."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.read.imported_files import recognize_format

SAMPLES = Path(__file__).parents[1] / "importers" / "data"
FIELDS = ["VendorName", "InvoiceId", "InvoiceTotal"]


def _run(folder: Path, cases: Any, fields: list[str] | None = None, **options: Any) -> fw.Run:
    evaluator = {"type": "field_accuracy", "name": "fields", **({"fields": fields} if fields else {}), **options}
    suite = folder / "s.eval.yaml"
    suite.write_text(json.dumps({"name": "s", "cases": cases, "evaluators": [evaluator]}))
    return fw.run(suite, root=folder / "store")


@pytest.fixture
def invoices(tmp_path: Path) -> Path:
    """Two Azure results in a folder, and the expected records in a JSONL file."""
    (tmp_path / "out").mkdir()
    document = json.loads((SAMPLES / "azure_di.json").read_text())
    (tmp_path / "out" / "a.json").write_text(json.dumps(document))
    document["analyzeResult"]["documents"][0]["fields"]["InvoiceId"]["valueString"] = "INV-200"
    (tmp_path / "out" / "b.json").write_text(json.dumps(document))
    records = [
        {"key": name, "truth": {"vendor": "CONTOSO LTD.", "InvoiceId": number, "InvoiceTotal": 110}}
        for name, number in (("a", "INV-100"), ("b", "INV-201"))
    ]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return tmp_path


@pytest.mark.parametrize("file_format", ["azure_di", "auto", None])
def test_a_folder_of_vendor_results_is_one_side(invoices: Path, file_format: str | None) -> None:
    actual = {"file": "out", "format": file_format} if file_format else {"file": "out/*.json"}
    expected = {"file": "gold.jsonl", "id": "key", "record": "truth", "rename": {"vendor": "VendorName"}}
    run = _run(invoices, {"expected": expected, "actual": actual}, FIELDS)
    assert [(row.case, row.path, row.expected, row.actual) for row in run.mismatches()] == [("b", "InvoiceId", "INV-201", "INV-200")]
    assert run.case("a").metadata["confidences"]["VendorName"] == 0.941
    assert run.case("a").metadata["boxes"]["VendorName"] == [0.1, 0.1, 0.3, 0.15]
    assert "imported" in [diagnostic.code for diagnostic in run.diagnostics]


def test_a_vendor_result_may_be_expected(invoices: Path) -> None:
    shutil.copytree(invoices / "out", invoices / "gold")
    run = _run(invoices, {"expected": {"file": "gold", "format": "azure_di"}, "actual": {"file": "out", "format": "azure_di"}}, FIELDS)
    assert run.summary["fields.score"] == 1.0
    assert list(run.case("a").metadata["confidences"])


@pytest.mark.parametrize(("name", "case", "score"), [("promptfoo", "3", None), ("deepeval", None, None), ("ragas", None, None)])
def test_a_result_file_of_another_tool_has_both_sides(tmp_path: Path, name: str, case: str | None, score: float | None) -> None:
    shutil.copy(SAMPLES / f"{name}.json", tmp_path / "results.json")
    suite = {"name": "s", "cases": str(tmp_path / "results.json"), "evaluators": [{"type": "answer_quality"}]}
    run = fw.run(suite, root=tmp_path / "store")
    assert run.full.cases == len(json.loads(json.dumps([*run.results()], default=str)))
    assert run.exit_code == 0
    assert all(stored.status == "scored" for stored in run.results())


def test_label_studio_tasks_are_cases(tmp_path: Path) -> None:
    shutil.copy(SAMPLES / "label_studio.json", tmp_path / "tasks.json")
    run = _run(tmp_path, "tasks.json", ["Company", "Total", "kind"])
    wrong = [(row.case, row.path, row.expected, row.actual) for row in run.mismatches(case="41")]
    assert wrong == [("41", "Company", "ACME GmbH", "ACME GMBH"), ("41", "Total", "12.40", "12.90")]


def test_a_file_in_another_format_than_written_is_a_configuration_error(invoices: Path) -> None:
    cases = {"expected": {"file": "gold.jsonl", "id": "key", "record": "truth"}, "actual": {"file": "out", "format": "google_docai"}}
    with pytest.raises(fw.ConfigError, match="nothing that Google Document AI writes"):
        _run(invoices, cases, ["InvoiceId"])


def test_a_document_in_which_nothing_was_found_is_an_omission(invoices: Path) -> None:
    document = json.loads((invoices / "out" / "a.json").read_text())
    document["analyzeResult"]["documents"] = []
    (invoices / "out" / "a.json").write_text(json.dumps(document))
    cases = {"expected": {"file": "gold.jsonl", "id": "key", "record": "truth"}, "actual": {"file": "out", "format": "azure_di"}}
    run = _run(invoices, cases, ["InvoiceId"])
    assert [(row.case, row.outcome) for row in run.mismatches()] == [("a", "omission"), ("b", "wrong_value")]


def test_an_unknown_format_suggests_one(invoices: Path) -> None:
    cases = {"expected": {"file": "gold.jsonl", "id": "key", "record": "truth"}, "actual": {"file": "out/a.json", "format": "azure_did"}}
    try:
        diagnostics = list(_run(invoices, cases, ["InvoiceId"]).diagnostics)
    except fw.ConfigError as error:
        diagnostics = list(error.diagnostics)
    assert any(diagnostic.fix == "did you mean `azure_di`?" for diagnostic in diagnostics)


def test_documents_on_the_lines_of_a_file_are_read(invoices: Path) -> None:
    lines = [json.dumps(json.loads((invoices / "out" / f"{name}.json").read_text())) for name in "ab"]
    (invoices / "all.jsonl").write_text("\n".join(lines))
    records = [{"id": f"all:{number}", "InvoiceId": id} for number, id in ((1, "INV-100"), (2, "INV-200"))]
    (invoices / "flat.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    run = _run(invoices, {"expected": "flat.jsonl", "actual": {"file": "all.jsonl", "format": "azure_di"}}, ["InvoiceId"])
    assert run.summary["fields.score"] == 1.0


def test_plain_records_are_no_vendor_format() -> None:
    assert recognize_format([{"id": "a", "expected": {}, "actual": {}}]) is None
    assert recognize_format({"total": {"value": 5, "confidence": 0.9}}) is None


def test_a_run_says_which_format_it_recognized(tmp_path: Path) -> None:
    run = fw.run({"name": "s", "cases": str(SAMPLES / "deepeval.json"), "evaluators": [{"type": "answer_quality"}]}, root=tmp_path)
    assert "the file is read in the format of DeepEval (`format: deepeval`)" in [problem.what for problem in run.diagnostics]


@pytest.mark.parametrize("workers", [1, 2])
def test_lines_that_are_documents_of_a_vendor_are_recognized(tmp_path: Path, workers: int) -> None:
    sample = json.loads((SAMPLES / "inspect.json").read_text())
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(sample) + "\n")
    suite = {"name": "s", "cases": str(path), "evaluators": [{"type": "answer_quality"}]}
    run = fw.run(suite, root=tmp_path / "runs", workers=workers)
    assert len(list(run.results())) == 3


def test_the_only_list_of_cases_in_an_object_is_read(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    rows = [{"inputs.query": "q", "inputs.response": "a", "inputs.ground_truth": "a", "outputs.f1.f1_score": 1.0}] * 2
    path.write_text(json.dumps({"metrics": {"f1": 1.0}, "rows": rows, "studio_url": None}))
    run = fw.run({"name": "s", "cases": str(path), "evaluators": [{"type": "answer_quality"}]}, root=tmp_path / "runs")
    assert run.summary["answer_quality.exact_match"] == 1.0
    assert "the cases are the list `rows` of the file" in [problem.what for problem in run.diagnostics]


def test_metrics_that_are_nan_do_not_hide_the_list_of_cases(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    rows = [{"user_input": "q", "response": "a", "reference": "a", "faithfulness": score} for score in (1.0, float("nan"))]
    path.write_text(json.dumps({"framework": "RAGAS", "averages": {"faithfulness": float("nan")}, "per_question": rows}))
    run = fw.run({"name": "s", "cases": str(path), "evaluators": [{"type": "answer_quality"}]}, root=tmp_path / "runs")
    assert run.summary["answer_quality.exact_match"] == 1.0
    [note] = [problem for problem in run.diagnostics if problem.code == "non-finite-number"]
    assert (note.where.case, note.where.field) == ("2", "faithfulness")


def test_records_of_two_files_are_read_beside_a_metric_that_is_nan(tmp_path: Path) -> None:
    (tmp_path / "gold.json").write_text(json.dumps([{"id": number, "total": number} for number in range(3)]))
    results = [{"id": number, "total": float("nan") if number == 2 else number} for number in range(3)]
    (tmp_path / "out.json").write_text(json.dumps({"model": "m-2", "metrics": {"f1": float("nan")}, "results": results}))
    run = _run(tmp_path, {"expected": "gold.json", "actual": "out.json"}, ["total"])
    assert [row.result.score for row in run.results()] == [1, 1, 0]


FAILED = {"status": "failed", "error": {"code": "InternalServerError", "message": "An unexpected error occurred."}}


@pytest.mark.parametrize("file_format", ["azure_di", "auto", None])
@pytest.mark.parametrize("name", ["0", "c"])
@pytest.mark.parametrize("content", [json.dumps(FAILED), "{oops", '{"total": 5}'])
def test_a_file_that_the_format_cannot_read_is_a_failure_of_its_case(
    invoices: Path, file_format: str | None, name: str, content: str
) -> None:
    (invoices / "out" / f"{name}.json").write_text(content)
    with (invoices / "gold.jsonl").open("a") as gold:
        gold.write(json.dumps({"key": name, "truth": {"vendor": "X", "InvoiceId": "1", "InvoiceTotal": 1}}) + "\n")
    actual = {"file": "out", "format": file_format} if file_format else {"file": "out/*.json"}
    expected = {"file": "gold.jsonl", "id": "key", "record": "truth", "rename": {"vendor": "VendorName"}}
    run = _run(invoices, {"expected": expected, "actual": actual}, FIELDS)
    results = {row.case: row.result for row in run.results()}
    assert {case: result.score for case, result in results.items()} == {"a": 1.0, "b": pytest.approx(2 / 3), name: 0.0}
    assert results[name].status == "error"
    [note] = [diagnostic for diagnostic in run.diagnostics if diagnostic.code == "unreadable-actual"]
    assert note.where.case == name
    assert ("InternalServerError: An unexpected error" in note.what) == (content == json.dumps(FAILED))


def test_a_job_of_textract_that_failed_is_a_failure_of_its_case(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    shutil.copy(SAMPLES / "textract_expense.json", tmp_path / "out" / "a.json")
    (tmp_path / "out" / "b.json").write_text(json.dumps({"JobStatus": "FAILED", "StatusMessage": "INVALID_IMAGE_TYPE"}))
    (tmp_path / "gold.json").write_text(json.dumps([{"id": case, "TOTAL": "$31.07"} for case in "ab"]))
    run = _run(tmp_path, {"expected": "gold.json", "actual": "out"}, ["TOTAL"])
    assert [row.result.score for row in run.results()] == [1, 0]
    [note] = [diagnostic for diagnostic in run.diagnostics if diagnostic.code == "unreadable-actual"]
    assert "the file holds an error instead of a result: FAILED: INVALID_IMAGE_TYPE" in note.what


def test_files_of_which_the_format_can_read_none_are_an_error(invoices: Path) -> None:
    for name in "ab":
        (invoices / "out" / f"{name}.json").write_text(json.dumps(FAILED))
    cases = {"expected": {"file": "gold.jsonl", "id": "key", "record": "truth"}, "actual": {"file": "out", "format": "azure_di"}}
    with pytest.raises(fw.ConfigError, match="InternalServerError"):
        _run(invoices, cases, ["InvoiceId"])


def _write_phones(folder: Path, expected: dict[str, Any], *phones: str) -> dict[str, str]:
    entities = [{"type": "supplier_phone", "mentionText": phone, "confidence": 0.9} for phone in phones]
    items = [{"type": "line_item", "properties": [{"type": "line_item/tag", "mentionText": "x", "confidence": 0.8}]}]
    document = {"mimeType": "application/pdf", "text": "", "pages": [], "entities": [*entities, *items]}
    for side, content in (("gold", {"line_item": [{"tag": "x"}], **expected}), ("out", document)):
        (folder / side).mkdir()
        (folder / side / "a.json").write_text(json.dumps(content))
    return {"expected": "gold/*.json", "actual": "out/*.json"}


@pytest.mark.parametrize(
    ("expected", "hits"),
    [(["111-2", "333-4"], 0.5), (["111-2"], 1.0), (["333-4"], 0.0), ("111-2", 1.0)],
)
def test_a_field_found_once_is_a_list_where_a_list_is_expected(tmp_path: Path, expected: Any, hits: float) -> None:
    cases = _write_phones(tmp_path, {"supplier_phone": expected}, "111-2")
    run = _run(tmp_path, cases, ["supplier_phone[*]" if isinstance(expected, list) else "supplier_phone"], unexpected="ignore")
    assert run.summary["fields.score"] == hits
    notes = [note.what for note in run.diagnostics if note.code == "single-as-list"]
    assert len(notes) == isinstance(expected, list)
    assert run.case("a").metadata["confidences"]["supplier_phone"] == ([0.9] if isinstance(expected, list) else 0.9)


def test_a_field_inside_a_list_is_a_list_where_a_list_is_expected(tmp_path: Path) -> None:
    run = _run(tmp_path, _write_phones(tmp_path, {"line_item": [{"tag": ["x"]}]}), ["line_item[*].tag[*]"])
    assert run.summary["fields.score"] == 1.0
    assert run.case("a").metadata["confidences"]["line_item"] == [{"tag": [0.8]}]


def test_a_single_value_of_a_plain_file_stays_one(tmp_path: Path) -> None:
    cases = _write_phones(tmp_path, {"supplier_phone": ["111-2"]})
    (tmp_path / "out" / "a.json").write_text(json.dumps({"supplier_phone": "111-2"}))
    assert _run(tmp_path, cases, ["supplier_phone[*]"]).summary["fields.score"] == 0.0


def test_an_imported_expected_value_is_a_list_where_the_output_has_a_list(tmp_path: Path) -> None:
    cases = _write_phones(tmp_path, {"supplier_phone": ["111-2"]}, "111-2")
    run = _run(tmp_path, {"expected": cases["actual"], "actual": cases["expected"]}, ["supplier_phone[*]"])
    assert run.summary["fields.score"] == 1.0
