"""Columns are recognized by the names that other tools give them."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.model.diagnostic import Where
from fieldwise.model.plan import Source
from fieldwise.read.cases import read_cases
from fieldwise.read.columns import find_roles

ROLES = ("id", "input", "expected", "actual", "contexts")


@pytest.mark.parametrize(
    ("tool", "names"),
    [
        ("DeepEval", (None, "input", "expected_output", "actual_output", "retrieval_context")),
        ("ragas 0.1", (None, "question", "ground_truth", "answer", "contexts")),
        ("ragas 0.1, several", (None, "question", "ground_truths", "answer", "contexts")),
        ("ragas 0.4", (None, "user_input", "reference", "response", "retrieved_contexts")),
        ("promptfoo", (None, "prompt", "__expected", "output", None)),
        ("Langfuse", ("id", "input", "expectedOutput", "output", None)),
        ("LangSmith", (None, "inputs", "reference_outputs", "outputs", None)),
        ("LangSmith, JavaScript", (None, "inputs", "referenceOutputs", "outputs", None)),
        ("MLflow", (None, "inputs", "expectations", "outputs", None)),
        ("MLflow 2", ("request_id", "request", "expected_response", "response", "retrieved_context")),
        ("MLflow, older", (None, "inputs", "targets", "predictions", None)),
        ("Braintrust", ("id", "input", "expected", "output", None)),
        ("Inspect", ("sample_id", "input", "target", "output", None)),
        ("Opik", ("dataset_item_id", "input", "expected_output", "output", "context")),
        ("Azure AI evaluation", (None, "query", "ground_truth", "response", "context")),
        ("AgentV", ("test_id", "question", "reference_answer", "candidate_answer", None)),
        ("AgentV, messages", ("id", "input_messages", "expected_messages", "output_messages", None)),
        ("AgentV, outcome", ("eval_id", "input_messages", "expected_outcome", "candidate_answer", None)),
        ("hand-made", ("question_id", "Question", "Gold Answer", "generated-answer", "Sources")),
        ("receipts", ("key", None, "gt", "extracted", None)),
        ("documents", ("docId", None, "groundTruth", "modelAnswer", None)),
        ("machine translation", ("qid", None, "reference", "hypothesis", None)),
        ("seed", ("id", None, "gt", "aio", None)),
        ("Opik, experiment items", ("dataset_item_id", "input", "expected_output", "evaluation_task_output", None)),
        ("Azure AI evaluation, results", (None, "inputs.query", "inputs.ground_truth", "inputs.response", "inputs.context")),
        ("Azure AI evaluation, target", (None, "inputs.query", "inputs.ground_truth", "outputs.response", None)),
        ("LangSmith, table", ("example_id", "inputs.question", "reference.answer", "outputs.answer", None)),
        ("LangSmith, other names", ("example_id", "inputs.question", "reference.answer", "outputs.output", None)),
        ("MLflow, spread", (None, "inputs/question", "expectations/expected_response", "outputs", None)),
        ("MLflow, assessments", (None, "request", "expected_response/value", "response", None)),
    ],
)
def test_the_names_of_other_tools_are_recognized(tool: str, names: tuple[str | None, ...]) -> None:
    columns = {role: name for role, name in zip(ROLES, names, strict=True) if name is not None}
    roles, problems = find_roles([*columns.values(), "other", "score"], {}, Where())
    assert dict(roles.columns) == columns
    recognized = {role: name for role, name in columns.items() if role != name}
    assert {problem.what for problem in problems} == {f"the column `{name}` is read as {role}" for role, name in recognized.items()}


def test_parts_of_a_container_with_several_fields_in_common_are_records() -> None:
    names = ["inputs.file", "reference.total", "reference.answer", "outputs.total", "outputs.answer", "feedback.score"]
    roles, _ = find_roles(names, {}, Where())
    assert dict(roles.columns) == {"expected": "reference.*", "actual": "outputs.*"}


def test_two_parts_of_a_container_for_one_role_ask_for_columns() -> None:
    _, problems = find_roles(["inputs.reference", "inputs.ground_truth", "outputs.response"], {}, Where())
    [problem] = [problem for problem in problems if problem.level == "error"]
    assert "could both be expected" in problem.what


def test_the_target_of_a_result_of_agentv_is_the_system() -> None:
    roles, _ = find_roles(["test_id", "score", "target", "input", "answer", "reference_answer"], {}, Where())
    assert roles.columns["expected"] == "reference_answer"
    roles, _ = find_roles(["test_id", "score", "target", "input", "answer"], {}, Where())
    assert "expected" not in roles.columns


def test_what_was_retrieved_wins_over_the_ideal_context() -> None:
    roles, problems = find_roles(["input", "expected_output", "actual_output", "context", "retrieval_context"], {}, Where())
    assert roles.columns["contexts"] == "retrieval_context"
    assert all(problem.level == "info" for problem in problems)


@pytest.mark.parametrize("role", ["id", "input", "expected", "actual", "contexts"])
def test_the_name_of_the_role_wins(role: str) -> None:
    others = ["doc_id", "question", "gold", "reference", "answer", "output", "sources"]
    own = {"expected": "expected", "actual": "actual"} | {role: role}
    roles, problems = find_roles([*own.values(), *others], {}, Where())
    assert roles.columns[role] == role
    assert not [problem for problem in problems if problem.level == "error"]


@pytest.mark.parametrize("names", [("answer", "output"), ("Answer", "answer"), ("generated_answer", "modelAnswer")])
def test_two_candidates_ask_for_columns(names: tuple[str, str]) -> None:
    _, problems = find_roles(["expected", *names], {}, Where())
    [error] = [problem for problem in problems if problem.level == "error"]
    assert "could both be actual" in error.what
    assert "columns: {actual:" in str(error.fix)


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.mark.parametrize("name", ["target", "key"])
def test_in_separate_files_these_names_are_data(name: str, tmp_path: Path) -> None:
    expected = write(tmp_path / "gold.jsonl", [{"id": 1, name: "x", "total": 5}])
    actual = write(tmp_path / "out.jsonl", [{"id": 1, name: "y", "total": 5}])
    suite = {"cases": {"expected": expected, "actual": actual}, "evaluators": [{"type": "field_accuracy", "fields": [name, "total"]}]}
    [result] = fw.run(suite, root=tmp_path).results()
    assert (result.result.hits, result.result.misses) == (["total"], [name])


@pytest.mark.parametrize(
    "row",
    [
        {"question": "?", "answer": "Paris", "ground_truths": ["Paris"]},
        {"question": "?", "answer": "Paris", "ground_truths": ["Paris, France", "Paris"]},
        {"inputs": {"question": "?"}, "outputs": "Paris", "expectations": {"expected_response": "Paris"}},
        {"input": "?", "completion": "Paris", "ideal": "Paris"},
    ],
    ids=["ragas 0.0", "ragas 0.0, several references", "MLflow 3", "OpenAI evals"],
)
def test_answers_are_read_out_of_the_wrappers_of_other_tools(row: dict[str, Any], tmp_path: Path) -> None:
    suite = {"cases": write(tmp_path / "rows.jsonl", [row]), "evaluators": [{"type": "answer_quality"}]}
    [result] = fw.run(suite, root=tmp_path).results()
    assert result.result.metrics["exact_match"] is True


def test_expectations_with_other_names_are_a_record(tmp_path: Path) -> None:
    row = {"inputs": "?", "outputs": {"target": 5}, "expectations": {"target": 5}}
    suite = {"cases": write(tmp_path / "rows.jsonl", [row]), "evaluators": [{"type": "field_prf"}]}
    [result] = fw.run(suite, root=tmp_path).results()
    assert result.result.hits == ["target"]


@pytest.mark.parametrize(
    ("names", "patterns"),
    [
        (["doc", "total_gold", "total_pred", "date_gold", "date_pred"], ("*_gold", "*_pred")),
        (["id", "Expected Total", "Actual Total"], ("Expected *", "Actual *")),
        (["gt.vendor.name", "pred.vendor.name", "gt.total", "pred.total"], ("gt.*", "pred.*")),
        (["id", "total_gold", "date_pred"], None),
        (["id", "question", "model_name", "true"], None),
    ],
)
def test_a_record_may_be_spread_over_columns(names: list[str], patterns: tuple[str, str] | None) -> None:
    roles, _ = find_roles(names, {}, Where())
    sides = roles.columns.get("expected"), roles.columns.get("actual")
    assert sides == (patterns or (None, None))
    assert set(roles.fields) == ({"expected", "actual"} if patterns else set())


@pytest.mark.parametrize("columns", [{}, {"expected": "*_gold", "actual": "*_pred"}])
def test_columns_of_a_record_are_read_as_its_fields(tmp_path: Path, columns: dict[str, str]) -> None:
    rows = [{"id": "a", "vendor_gold": "Acme", "vendor_pred": "Beta", "total_gold": 5, "total_pred": 5, "page": 2}]
    suite = {"evaluators": [{"type": "field_accuracy"}], "columns": columns}
    run = fw.run(suite, cases=rows, root=tmp_path)
    assert [(row.field, row.expected, row.actual) for row in run.mismatches()] == [("vendor", "Acme", "Beta")]
    assert run.summary["field_accuracy.score"] < 1


def test_a_pattern_without_columns_is_an_error(tmp_path: Path) -> None:
    suite = {"evaluators": [{"type": "field_accuracy"}], "columns": {"expected": "*_soll", "actual": "*_ist"}}
    with pytest.raises(fw.ConfigError, match="there is no column `\\*_soll`"):
        fw.run(suite, cases=[{"id": "a", "total_gold": 1}], root=tmp_path)


ITEM = {"input": "Capital?", "expected_output": "Rome"}
OPIK = [
    {"id": "e1", "dataset_item_id": "a", "dataset_item_data": ITEM, "evaluation_task_output": {"output": "Rome", "context": ["c"]}},
    {"id": "e2", "dataset_item_id": "b", "dataset_item_data": ITEM, "evaluation_task_output": {"output": "Milan"}},
]


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        for row in rows:
            writer.writerow({name: json.dumps(value) if isinstance(value, dict | list) else value for name, value in row.items()})


@pytest.mark.parametrize("name", ["items.jsonl", "items.json", "export.json", "items.csv"])
def test_items_of_an_opik_experiment_are_read_from_inside_their_columns(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name == "items.csv":
        write_csv(path, OPIK)
    elif name == "items.jsonl":
        path.write_text("\n".join(map(json.dumps, OPIK)))
    else:
        path.write_text(json.dumps({"experiment": {"id": "x"}, "items": OPIK} if name == "export.json" else OPIK))
    reader = read_cases(Source(cases=str(path)))
    [cases] = list(reader)
    assert (cases.id, cases.input, cases.expected) == (["e1", "e2"], ["Capital?", "Capital?"], ["Rome", "Rome"])
    assert cases.actual == ["Rome", "Milan"]
    assert not cases.diagnostics
    assert "the column `dataset_item_data.expected_output` is read as expected" in [note.what for note in reader.diagnostics]


def test_an_answer_of_a_dataset_item_is_the_expected_one() -> None:
    roles, _ = find_roles(["dataset_item_data.question", "dataset_item_data.answer", "evaluation_task_output"], {}, Where())
    assert roles.columns == {
        "input": "dataset_item_data.question",
        "expected": "dataset_item_data.answer",
        "actual": "evaluation_task_output",
    }


def test_an_output_of_promptfoo_in_csv_is_the_actual_side(tmp_path: Path) -> None:
    header = ["question", "answer", "expected", "[openai:gpt-4] Answer: {{question}}", "Status", "Score", "Grader Reason"]
    path = tmp_path / "out.csv"
    write_csv(path, [dict(zip(header, ["q", "x", "Rome", "Milan", "FAIL", "0.00", "no"], strict=True))])
    [cases] = list(read_cases(Source(cases=str(path))))
    assert (cases.input, cases.expected, cases.actual) == (["q"], ["Rome"], ["Milan"])


def test_the_status_that_older_versions_of_promptfoo_write_is_no_part_of_the_output(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    column = "[openai:gpt-4] p"
    write_csv(path, [{"expected": "a", column: "[PASS] (1.00)\n\nRome"}, {"expected": "a", column: "[FAIL] Milan"}])
    [cases] = list(read_cases(Source(cases=str(path))))
    assert cases.actual == ["Rome", "Milan"]


def test_several_outputs_of_promptfoo_need_a_choice(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("expected,[a:1] p,Status,Score,[b:2] p,Status,Score\nRome,Rome,PASS,1,Milan,FAIL,0\n")
    source = Source(cases=str(tmp_path / "out.csv"))
    reader = read_cases(source)
    assert list(reader) == []
    [problem] = [diagnostic for diagnostic in reader.diagnostics if diagnostic.level == "error"]
    assert problem.fix == """say which one: columns: {actual: "[a:1] p"}, or `init --column 'actual=[a:1] p'`"""
    [cases] = list(read_cases(replace(source, columns={"actual": "[b:2] p"})))
    assert cases.actual == ["Milan"]
    assert cases.metadata[0]["Score of [b:2] p"] == "0"


def test_short_names_of_both_sides_are_recognized() -> None:
    roles, problems = find_roles(["id", "gt", "pred"], {}, Where())
    assert (roles.columns["expected"], roles.columns["actual"]) == ("gt", "pred")
    assert not [problem for problem in problems if problem.level == "error"]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"text": ["Paris", "Paris, France"], "answer_start": [3, 3]}, {"$any": ["Paris", "Paris, France"]}),
        ({"text": ["Paris", "Paris"], "answer_start": [3, 90]}, "Paris"),
        ({"text": [], "answer_start": []}, ""),
        ([{"text": "Paris", "answer_start": 3}], "Paris"),
        (["Paris", "Lutetia"], {"$any": ["Paris", "Lutetia"]}),
        ([1, 2], [1, 2]),
        ("Paris", "Paris"),
    ],
)
@pytest.mark.parametrize("is_csv", [False, True])
def test_each_of_the_gold_answers_to_a_question_is_accepted(tmp_path: Path, answers: Any, expected: Any, is_csv: bool) -> None:
    row = {"id": "1", "question": "Which?", "answers": answers, "prediction_text": "Paris"}
    file = tmp_path / ("squad.csv" if is_csv else "squad.jsonl")
    if is_csv:
        cell = answers if isinstance(answers, str) else json.dumps(answers)
        with file.open("w", newline="") as stream:
            csv.writer(stream).writerows([[*row], [*(row | {"answers": cell}).values()]])
        expected = json.dumps(expected) if expected == [1, 2] else expected
    else:
        file.write_text(json.dumps(row) + "\n")
    [cases] = read_cases(Source(cases=str(file)))
    assert (cases.expected, cases.actual) == ([expected], ["Paris"])


def test_a_list_of_answers_beside_a_list_of_outputs_stays_a_list(tmp_path: Path) -> None:
    file = tmp_path / "lists.jsonl"
    file.write_text('{"answers": ["a", "b"], "prediction": ["a", "b"]}\n')
    [cases] = read_cases(Source(cases=str(file)))
    assert cases.expected == [["a", "b"]]


def test_a_column_may_be_a_path(tmp_path: Path) -> None:
    file = tmp_path / "nested.jsonl"
    file.write_text('{"sample": {"meta": {"truth": "Paris"}}, "output": "Paris"}\n')
    [cases] = read_cases(Source(cases=str(file), columns={"expected": "sample.meta.truth"}))
    assert cases.expected == ["Paris"]
    reader = read_cases(Source(cases=str(file), columns={"expected": "sample.meta.label"}))
    assert list(reader) == []
    assert [problem.code for problem in reader.diagnostics if problem.level == "error"] == ["unknown-column"]


@pytest.mark.parametrize(
    "output", ["prediction", "predicted_answer", "llm_answer", "PredAnswer", "answer_gpt4", "llama3_answer", "Response-Claude"]
)
def test_an_answer_beside_another_output_may_be_the_expected_one(output: str) -> None:
    _, problems = find_roles(["id", "question", "answer", output], {}, Where())
    [error] = [problem for problem in problems if problem.level == "error"]
    assert error.what == f"`answer` and `{output}` could both be actual"
    written, options = f"{{expected: answer, actual: {output}}}", f"--column expected=answer --column actual={output}"
    assert error.fix == f"say which is which: columns: {written}, or `init {options}`"
    _, problems = find_roles(["question", "ground_truth", "answer", "prediction"], {}, Where())
    [error] = [problem for problem in problems if problem.level == "error"]
    assert error.fix == "say which one: columns: {actual: answer}, or `init --column actual=answer`"


@pytest.mark.parametrize("other", ["answer_start", "answer_type", "answer_relevancy", "short_answer", "model"])
def test_what_is_said_of_an_answer_is_no_other_output(other: str) -> None:
    roles, problems = find_roles(["id", "question", "answer", other], {}, Where())
    assert roles.columns["actual"] == "answer"
    assert [problem for problem in problems if problem.level == "error"] == []


def test_several_columns_identify_the_cases_of_one_file_together(tmp_path: Path) -> None:
    rows = [{"doc_id": f"d{number // 3}", "line": number % 3, "expected": number, "actual": number} for number in range(9)]
    suite = {"name": "s", "columns": {"id": ["doc_id", "line"]}, "evaluators": [{"type": "equals"}]}
    run = fw.run(suite, cases=rows, root=tmp_path)
    assert [stored.case for stored in run.results()][:4] == ["d0/0", "d0/1", "d0/2", "d1/0"]
    run = fw.run({"name": "s", "evaluators": [{"type": "equals"}]}, cases=rows, root=tmp_path)
    assert all("columns: {id: [doc, line]}" in (note.fix or "") for note in run.diagnostics if note.code == "duplicate-id")
    assert "duplicate-id" in {note.code for note in run.diagnostics}
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"meta": {"doc": row["doc_id"]}, **row}) + "\n" for row in rows))
    run = fw.run({**suite, "cases": str(path), "columns": {"id": ["meta.doc", "line"]}, "group": "metadata.doc_id"}, root=tmp_path)
    assert [stored.case for stored in run.results()][:2] == ["d0/0", "d0/1"]


@pytest.mark.parametrize("id", [["doc", "doc"], [], ["doc", "lines"]])
def test_columns_of_an_id_must_be_there_and_differ(tmp_path: Path, id: list[str]) -> None:
    rows = [{"doc": "a", "line": 1, "expected": 1, "actual": 1}]
    with pytest.raises(fw.ConfigError):
        fw.run({"name": "s", "columns": {"id": id}, "evaluators": [{"type": "equals"}]}, cases=rows, root=tmp_path)


def test_several_columns_of_two_files_are_named_by_join(tmp_path: Path) -> None:
    suite = {"name": "s", "cases": {"expected": "e.jsonl", "actual": "a.jsonl"}, "columns": {"id": ["doc", "line"]}}
    with pytest.raises(fw.ConfigError, match=r"join: \[doc, line\]"):
        fw.check({**suite, "evaluators": [{"type": "equals"}]})
