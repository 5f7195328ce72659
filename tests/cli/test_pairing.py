"""`init` and `diff` of two files with other ids, names and nesting."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fieldwise.cli.app import app

GOLD = [{"key": f"r-{n}", "entities": {"company": f"Company {n}", "total": n}} for n in range(20)]
OUTPUT = [{"doc_id": f"r-{n}", "vendor": f"Company {n}", "total": n if n else 99} for n in reversed(range(15))]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("gold.jsonl", GOLD)
    write("out.jsonl", OUTPUT)
    return tmp_path


def write(name: str, rows: list[Any]) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def invoke(*arguments: str, exit_code: int = 0) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == exit_code, result.output
    return result.output


def test_two_commands_lead_from_two_files_to_a_score() -> None:
    said = invoke("init", "--expected", "gold.jsonl", "--actual", "out.jsonl")
    assert said.startswith("15 of 20 expected rows have an actual one, paired by `key` = `doc_id`")
    assert "company: vendor" in Path("out.eval.yaml").read_text()
    report = json.loads(invoke("run", "out.eval.yaml", "--format", "json"))
    assert report["summary"]["evaluators"]["fields"]["fields"][0]["n"] == 20
    assert {field["field"] for field in report["summary"]["evaluators"]["fields"]["fields"]} == {"vendor", "total"}


def test_given_ids_and_names_are_written_to_the_suite() -> None:
    invoke("init", "suites", "--expected", "gold.jsonl", "--actual", "out.jsonl", "--id", "key=doc_id", "--rename", "company=vendor")
    text = Path("suites/out.eval.yaml").read_text()
    assert "    file: ../gold.jsonl\n    id: key\n    record: entities\n    rename:\n      company: vendor\n" in text
    invoke("check", "suites/out.eval.yaml")


def test_rules_come_from_a_schema_or_a_model(folder: Path) -> None:
    Path("invoice.schema.json").write_text(json.dumps({"properties": {"vendor": {"const": "x"}, "total": {"type": "number"}}}))
    invoke("init", "--schema", "invoice.schema.json")
    assert "{path: total, match: numeric_tolerance}" in Path("invoice.eval.yaml").read_text()
    Path("my_bills.py").write_text("from pydantic import BaseModel\nclass Bill(BaseModel):\n    vendor: str\n    total: float\n")
    invoke("init", "--model", "my_bills:Bill", "--expected", "gold.jsonl", "--actual", "out.jsonl")
    assert "{path: vendor, match: fuzzy}" in Path("out.eval.yaml").read_text()
    invoke("run", "out.eval.yaml")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--expected", "gold.jsonl"],
        ["--expected", "gold.jsonl", "--actual", "out.jsonl", "--cases", "out.jsonl"],
        ["--id", "key=doc_id"],
        ["--expected", "gold.jsonl", "--actual", "out.jsonl", "--id", "=doc_id"],
        ["--expected", "gold.jsonl", "--actual", "out.jsonl", "--rename", "company"],
        ["--expected", "gold.jsonl", "--actual", "none.jsonl"],
        ["--schema", "none.json"],
        ["--model", "nothing"],
    ],
)
def test_options_that_make_no_sense_exit_2(arguments: list[str]) -> None:
    invoke("init", *arguments, exit_code=2)


def test_diff_says_first_how_it_paired() -> None:
    lines = invoke("diff", "gold.jsonl", "out.jsonl", "--format", "plain", exit_code=1).splitlines()
    assert lines[0] == "15 of 20 expected rows have an actual one, paired by `key` = `doc_id`"
    assert lines[2] == "`company` may be `vendor` (equal in 100% of 15 records): --rename company=vendor"


def test_diff_with_renames_compares_the_fields() -> None:
    report = json.loads(
        invoke("diff", "gold.jsonl", "out.jsonl", "--id", "key=doc_id", "--rename", "company=vendor", "--format", "json", exit_code=1)
    )
    assert [(entry["case"], entry["path"]) for entry in report["differences"] if entry["outcome"] != "omission"] == [("r-0", "total")]


def test_diff_compares_names_that_differ_only_in_writing() -> None:
    Path("gold.csv").write_text("Invoice No;Invoice Date;VAT %\nA-1;05.01.2024;19 %\nA-2;17.01.2024;7 %\n", encoding="utf-8")
    fields = [
        {"invoice_no": "A-1", "invoice_date": "2024-01-05", "vat": 0.19},
        {"invoice_no": "A-2", "invoice_date": "2024-01-17", "vat": 0.7},
    ]
    write("out.jsonl", [{"file": f"{number}.pdf", "fields": record} for number, record in enumerate(fields)])
    said = invoke("diff", "gold.csv", "out.jsonl", exit_code=1)
    assert said.startswith("2 of 2 expected rows have an actual one, paired by `Invoice No` = `fields.invoice_no`")
    assert "`VAT %` is compared with `vat`" in said
    assert "✗ 1 difference " in said
    assert "not expected" not in said


def test_no_field_in_common_is_said_before_anything_else() -> None:
    write("other.jsonl", [{"doc_id": row["doc_id"], "z": 1} for row in OUTPUT])
    said = invoke("diff", "gold.jsonl", "other.jsonl", "--format", "plain", exit_code=1)
    assert said.startswith("✗ no field in common\nexpected has entities\nactual has z\n")
    assert "missing" not in said


def test_init_refuses_files_without_a_common_field() -> None:
    write("questions.jsonl", [{"id": n, "question": f"q{n}", "kind": "fact"} for n in range(5)])
    write("answers.jsonl", [{"id": n, "answer": f"a{n}", "papers": []} for n in range(5)])
    refused = invoke("init", "--expected", "questions.jsonl", "--actual", "answers.jsonl", exit_code=2)
    assert "no field in common: expected has `question`, `kind`, actual has `answer`, `papers`" in " ".join(refused.split())
    assert not Path("answers.eval.yaml").exists()


def test_a_list_of_records_in_a_file_is_said_and_one_that_may_be_a_field_is_asked_about() -> None:
    Path("wrapped.json").write_text(json.dumps({"model": "m-2", "results": OUTPUT}))
    output = invoke("init", "--expected", "gold.jsonl", "--actual", "wrapped.json")
    assert "wrapped.json: the records are the list `results` of the file; `model` beside it is not read" in " ".join(output.split())
    Path("named.json").write_text(json.dumps({"name": "night", "results": OUTPUT}))
    refused = invoke("init", "--expected", "gold.jsonl", "--actual", "named.json", exit_code=2)
    assert "if the records are the list `results` of named, save that list as a file of its own" in " ".join(refused.split())


def test_many_records_against_one_says_so() -> None:
    Path("one.json").write_text(json.dumps(OUTPUT[0]))
    said = CliRunner().invoke(app, ["diff", "gold.jsonl", "one.json"])
    assert said.exit_code == 2
    assert "one.json holds one record, gold.jsonl holds 20" in said.output + said.stderr


def test_rows_of_a_csv_without_an_id_are_named_by_row() -> None:
    Path("cases.csv").write_text('expected,actual\n"a\nb","a\nb"\nc,d\n')
    Path("s.eval.yaml").write_text("cases: cases.csv\nevaluators: [{type: answer_quality}]\n")
    report = json.loads(invoke("run", "s.eval.yaml", "--format", "json"))
    assert [result["case"] for result in report["results"]] == ["1", "2"]


QUESTIONS = [{"qid": f"q{n}", "question": f"How much is {n}?", "kind": "lookup", "gold_answer": f"{n}.50"} for n in range(20)]


def test_answers_are_compared_with_answers_and_not_with_the_copy_of_the_expected_ones() -> None:
    write("questions.jsonl", QUESTIONS)
    write("answers.jsonl", [{**row, "model_answer": "no idea", "latency_ms": 3} for row in QUESTIONS])
    said = invoke("init", "--expected", "questions.jsonl", "--actual", "answers.jsonl")
    assert "the expected record is `gold_answer` of each row" in said
    assert "the actual record is `model_answer` of each row" in said
    report = json.loads(invoke("run", "answers.eval.yaml", "--format", "json"))
    assert report["summary"]["evaluators"]["answer_quality"]["metrics"]["exact_match"]["value"] == 0


def test_a_field_named_like_an_answer_stays_a_field_of_the_record() -> None:
    write("orders.jsonl", [{"id": n, "reference": f"R-{n}", "total": n} for n in range(20)])
    write("read.jsonl", [{"id": n, "reference": f"R-{n}", "total": n, "response": "{}"} for n in range(20)])
    said = invoke("init", "--expected", "orders.jsonl", "--actual", "read.jsonl")
    assert "record is" not in said
    assert "path: reference" in Path("read.eval.yaml").read_text()


def test_init_says_how_to_use_a_record_of_confidences() -> None:
    write("sure.jsonl", [{**row, "confidences": {"total": 0.9}} for row in OUTPUT])
    said = invoke("init", "--expected", "gold.jsonl", "--actual", "sure.jsonl")
    assert "if `confidences` has the confidence of each field, add to the suite: `confidence: actual.confidences`" in said


def test_fields_that_no_expected_record_has_are_not_hallucinations() -> None:
    write("verbose.jsonl", [{**row, "cost_usd": 0.01, "raw.text": "…"} for row in OUTPUT])
    said = invoke("init", "--expected", "gold.jsonl", "--actual", "verbose.jsonl")
    assert "2 fields are only in the actual file and not scored: `cost_usd`, `raw.text`" in said
    report = json.loads(invoke("run", "verbose.eval.yaml", "--format", "json"))
    metrics = report["summary"]["evaluators"]["field_prf"]["metrics"]
    assert metrics["hallucination"]["value"] == 0
    assert metrics["precision"]["value"] > 0.7


def test_init_takes_patterns() -> None:
    for side, wrong in (("gold", 0), ("out", 1)):
        Path(side).mkdir()
        for n in range(4):
            Path(side, f"{n}.json").write_text(json.dumps({"total": n + wrong * (n == 3), "name": f"Company {n}"}))
    said = invoke("init", "--expected", "gold/*.json", "--actual", "out/*.json")
    assert said.startswith("4 of 4 expected rows have an actual one, paired by the names of the files\nwrote out.eval.yaml")
    invoke("init", "--expected", "gold/*.json", "--actual", "out/*.csv", exit_code=2)


def test_diff_pairs_lists_in_json_files_by_id() -> None:
    Path("gold.json").write_text(json.dumps([{"key": "a", "n": 1}, {"key": "b", "n": 2}]))
    Path("out.json").write_text(json.dumps([{"doc_id": "b", "n": 2}, {"doc_id": "a", "n": 3}]))
    said = invoke("diff", "gold.json", "out.json", exit_code=1)
    assert said.startswith("2 of 2 expected rows have an actual one, paired by `key` = `doc_id`")
    assert "✗ 1 difference " in said


def test_json_lines_in_a_file_named_json_are_read() -> None:
    Path("gold.json").write_text('{"id": "a", "n": 1}\n\n{"id": "b", "n": 2}\n')
    write("out.jsonl", [{"id": "b", "n": 2}, {"id": "a", "n": 1}])
    assert invoke("diff", "gold.json", "out.jsonl").startswith("2 of 2 expected rows have an actual one, paired by `id`")


def test_lists_and_numbers_of_a_csv_pair_with_those_of_json() -> None:
    rows = [f'E{n},{n * 1000},"[""Spain"", ""Japan""]",note [{n}]' for n in range(3)]
    Path("gold.csv").write_text("\n".join(["submission_id,revenue,countries,remark", *rows]))
    output = [{"submission_id": f"E{n}", "revenue": n * 1000, "countries": ["Japan", "Spain"], "remark": f"note [{n}]"} for n in range(3)]
    write("csv_out.jsonl", [*output[:2], output[2] | {"countries": ["Japan"]}])
    invoke("init", "csv", "--expected", "gold.csv", "--actual", "csv_out.jsonl")
    report = json.loads(invoke("run", "csv/csv_out.eval.yaml", "--format", "json"))
    fields = {field["field"]: (field["n"], field["score"]["value"]) for field in report["summary"]["evaluators"]["fields"]["fields"]}
    assert {name: n for name, (n, _) in fields.items()} == {"revenue": 3, "countries[*]": 6, "remark": 3}
    assert fields["countries[*]"][1] == pytest.approx(5 / 6)
    assert report["summary"]["evaluators"]["field_prf"]["metrics"]["micro_f1"]["value"] == pytest.approx(22 / 23)


def test_a_record_in_json_text_with_evidence_beside_its_values_is_scored() -> None:
    write("ref.jsonl", [{"id": f"S{n}", "reference": {"subject": f"Company {n}", "amount": n}} for n in range(3)])
    answers = [{"subject": {"value": f"Company {n}", "evidence": ["x"]}, "amount": {"value": 0, "evidence": []}} for n in range(3)]
    write("answers.jsonl", [{"id": f"S{n}", "response": json.dumps({"fields": answer})} for n, answer in enumerate(answers)])
    invoke("init", "ref", "--expected", "ref.jsonl", "--actual", "answers.jsonl")
    report = json.loads(invoke("run", "ref/answers.eval.yaml", "--format", "json"))
    fields = {field["field"]: field["score"]["value"] for field in report["summary"]["evaluators"]["fields"]["fields"]}
    assert fields == {"subject": 1.0, "amount": pytest.approx(1 / 3)}


def test_ids_without_a_common_value_are_an_error_that_says_how_to_name_them() -> None:
    write("e.jsonl", [{"id": number, "x": 7 * number} for number in range(1, 21)])
    write("a.jsonl", [{"id": number + 100, "x": number} for number in range(1, 21)])
    said = invoke("init", "--expected", "e.jsonl", "--actual", "a.jsonl", exit_code=2)
    assert "no row pairs: `id` has no value that both sides have" in said
    assert "--id EXPECTED=ACTUAL" in said
    assert not Path("a.eval.yaml").exists()
    assert "nothing pairs" in invoke("diff", "e.jsonl", "a.jsonl", exit_code=2)
    assert "paired by `id` = `x`" in invoke("diff", "e.jsonl", "a.jsonl", "--id", "id=x", exit_code=1)


@pytest.mark.parametrize("files", [("gold.jsonl", "out.jsonl"), ("e.json", "a.json")])
def test_a_rename_of_a_field_that_no_record_has_is_refused(files: tuple[str, str]) -> None:
    Path("e.json").write_text('{"company": "A"}')
    Path("a.json").write_text('{"vendor": "A"}')
    assert "`zzz` cannot be renamed to `vendor`: no record has it" in invoke("diff", *files, "--rename", "zzz=vendor", exit_code=2)


def test_a_prediction_that_is_almost_json_is_compared() -> None:
    Path("e.json").write_text('{"x": 3, "y": 1}')
    Path("a.json").write_text("{'x': 3, 'y': 2,}")
    assert "1 → 2" in invoke("diff", "e.json", "a.json", "--format", "plain", exit_code=1)
    invoke("diff", "a.json", "e.json", exit_code=2)
    Path("b.json").write_text("{; no record")
    assert "b.json:1" in invoke("diff", "e.json", "b.json", exit_code=2)


VENDOR = {"name": "Acme", "street": "Main", "city": "Kiel", "zip": "1", "country": "DE"}


def test_a_part_of_the_record_with_many_fields_does_not_hide_the_rest() -> None:
    write("gold.jsonl", [{"id": f"d{n}", "number": f"INV-{n}", "total": 100.5, "vendor": VENDOR} for n in range(4)])
    write("out.jsonl", [{"id": f"d{n}", "number": "WRONG", "total": 0, "vendor": VENDOR} for n in range(4)])
    said = invoke("diff", "gold.jsonl", "out.jsonl", "--format", "plain", exit_code=1)
    assert "✗ 8 differences" in said
    invoke("init", "--expected", "gold.jsonl", "--actual", "out.jsonl")
    invoke("run", "out.eval.yaml", "--gate", "fields.score >= 0.99", exit_code=1)


def test_what_is_beside_the_record_is_named() -> None:
    write("gold.jsonl", [{"key": f"r-{n}", "lang": "de", "entities": {"total": n}} for n in range(5)])
    said = invoke("diff", "gold.jsonl", "out.jsonl", exit_code=1)
    assert "the expected record is `entities` of each row; not compared: `lang`" in said


def test_rows_in_another_order_are_paired_by_a_column_that_both_have() -> None:
    rows = [{"file": f"scan {n * 7}.png", "total": n % 3} for n in range(9)]
    write("gold.jsonl", rows)
    write("out.jsonl", [{**row, "total": 7} if row["file"] == "scan 14.png" else row for row in reversed(rows)])
    said = invoke("diff", "gold.jsonl", "out.jsonl", exit_code=1)
    assert said.startswith("9 of 9 expected rows have an actual one, paired by `file`")
    assert "✗ 1 difference " in said


def test_init_names_the_fields_that_no_actual_record_has() -> None:
    write("gold.jsonl", [{"id": n, "annotator": "x", "sheet": f"f{n}", "total": n} for n in range(5)])
    write("out.jsonl", [{"id": n, "total": n} for n in range(5)])
    said = invoke("init", "--expected", "gold.jsonl", "--actual", "out.jsonl")
    assert "2 fields are only in the expected file and count as missing in every case: `annotator`, `sheet`" in said
    assert "--rename EXPECTED=ACTUAL" in said
    write("out.jsonl", [{"id": n, "total": n, "annotator": "x", "sheet": "s"} for n in range(5)])
    assert "only in the expected" not in invoke("init", "--force", "--expected", "gold.jsonl", "--actual", "out.jsonl")


def test_a_scalar_column_with_the_name_of_a_side_is_compared() -> None:
    for name, wrong in (("gold.csv", 0), ("out.csv", 1)):
        Path(name).write_text("id,prediction\n" + "".join(f"{n},{n * 1.5 + wrong * (n == 3)}\n" for n in range(6)))
    said = invoke("diff", "gold.csv", "out.csv", "--format", "plain", exit_code=1)
    assert "✗ 1 difference " in said
    assert '3  "4.5" → "5.5"' in said


def read_expense(*totals: int) -> dict[str, Any]:
    documents = [
        {"SummaryFields": [{"Type": {"Text": "TOTAL"}, "ValueDetection": {"Text": str(total), "Confidence": 98}}], "LineItemGroups": []}
        for total in totals
    ]
    return {"DocumentMetadata": {"Pages": 1}, "ExpenseDocuments": documents}


def test_diff_reads_the_file_of_a_service_against_a_record() -> None:
    Path("gold.json").write_text(json.dumps({"total": "5"}))
    Path("reply.json").write_text(json.dumps(read_expense(6)))
    said = invoke("diff", "gold.json", "reply.json", "--format", "plain", exit_code=1)
    assert said.startswith("1 of 1 expected rows have an actual one, paired by the names of the files\n`total` is compared with `TOTAL`")
    assert "✗ 1 difference " in said
    Path("same.json").write_text(json.dumps(read_expense(5)))
    invoke("diff", "gold.json", "same.json")


def test_diff_pairs_records_by_their_ids() -> None:
    Path("gold.json").write_text(json.dumps({"a.pdf": {"x": 1, "y": 2}, "b.pdf": {"x": 1, "y": 2}}))
    Path("out.json").write_text(json.dumps({"b.pdf": {"x": 1, "y": 2}, "a.pdf": {"x": 1, "y": 3}}))
    said = invoke("diff", "gold.json", "out.json", "--format", "plain", exit_code=1)
    assert "2 of 2 expected rows have an actual one, paired by `id`" in said
    assert "a.pdf  2 → 3" in said


def test_a_file_with_two_documents_is_said_and_the_suite_has_only_what_the_files_have() -> None:
    for side in ("gold", "reply"):
        Path(side).mkdir()
    for n in (1, 2, 3):
        Path(f"gold/r{n}.json").write_text(json.dumps({"total": str(n)}))
        Path(f"reply/r{n}.json").write_text(json.dumps(read_expense(*[n] * (1 + (n == 2)))))
    said = invoke("init", "--expected", "gold", "--actual", "reply")
    assert said.startswith("2 of 3 expected rows have an actual one, paired by the names of the files")
    assert "record:" not in Path("reply.eval.yaml").read_text()
    ran = " ".join(invoke("run", "reply.eval.yaml", "--format", "plain").split())
    assert "`r2` has 2 documents in one file, and one expected record" in ran


def test_init_reads_answers_by_their_ids() -> None:
    rows = [{"id": f"q{n}", "question": f"What is {n}?", "answer": f"answer {n}"} for n in range(6)]
    write("questions.jsonl", rows)
    Path("answers.json").write_text(json.dumps({row["id"]: row["answer"] for row in reversed(rows)}))
    said = invoke("init", "--expected", "questions.jsonl", "--actual", "answers.json")
    assert "answers: the file is an object of 6 values by their ids" in said
    assert "6 of 6 expected rows have an actual one, paired by `id` = the ids in the files" in said
    report = json.loads(invoke("run", "answers.eval.yaml", "--format", "json"))
    assert report["summary"]["evaluators"]["answer_quality"]["metrics"]["exact_match"]["value"] == 1


def test_columns_with_a_dot_in_their_name_are_fields_of_objects() -> None:
    rows = [{"doc_id": f"d{n}", "seller": {"name": f"Seller {n}", "place": {"zip": f"{n}0115"}}, "tags": ["a", "b"]} for n in range(5)]
    write("nested.jsonl", rows)
    lines = [f"d{n},{'Wrong' if n == 3 else f'Seller {n}'},{n}0115,\"['a', 'b']\"" for n in range(5)]
    Path("flat.csv").write_text("\n".join(["doc_id,seller.name,seller.place.zip,tags", *lines]) + "\n")
    said = invoke("diff", "nested.jsonl", "flat.csv", "--format", "plain", exit_code=1)
    assert "columns of actual are fields of objects, as on the other side: `seller.name`, `seller.place.zip`" in " ".join(said.split())
    assert "✗ 1 difference " in said
    assert "1 difference " in invoke("diff", "flat.csv", "nested.jsonl", "--format", "plain", exit_code=1)
    invoke("init", "--expected", "nested.jsonl", "--actual", "flat.csv")
    report = json.loads(invoke("run", "flat.eval.yaml", "--format", "json"))
    assert report["summary"]["evaluators"]["field_prf"]["metrics"]["wrong_value"]["value"] == 1 / 5


def test_a_field_is_equal_everywhere_only_if_many_pairs_have_it() -> None:
    rows = [{"id": f"d{n}", "total": n, "kind": "a", **({f"only_{n}": 1} if n > 5 else {})} for n in range(30)]
    write("e.jsonl", rows)
    write("a.jsonl", [{**row, "total": 0} for row in rows])
    said = invoke("init", "--expected", "e.jsonl", "--actual", "a.jsonl")
    assert "equal in every pair: `kind`; " in said


def test_a_record_inside_json_text_is_found_beside_the_id_of_both_files() -> None:
    expected = [
        {"image_id": f"img{n}", "ground_truth": json.dumps({"gt_parse": {"menu": [{"nm": f"Tea {n}"}], "total": n}})} for n in range(5)
    ]
    actual = [{"image_id": f"img{n}", "prediction": {"menu": [{"nm": f"Tea {n}"}], "total": 9 if n == 3 else n}} for n in range(5)]
    write("gold.jsonl", expected)
    write("out.jsonl", actual)
    said = invoke("diff", "gold.jsonl", "out.jsonl", "--format", "plain", exit_code=1)
    assert "the expected record is `ground_truth.gt_parse` of each row" in said
    assert "✗ 1 difference " in said


def list_long_rows(name: str) -> list[dict[str, str]]:
    return [{name: f"d{n // 2}", "field": ("vendor", "total")[n % 2], "value": f"v{n % 5}"} for n in range(12)]


@pytest.mark.parametrize("name", ["doc_id", "part"])
def test_rows_that_only_two_columns_identify_together_pair_by_both(name: str) -> None:
    rows = list_long_rows(name)
    write("long.jsonl", rows)
    write("out.jsonl", [{**row, "value": "x"} if row == rows[8] else row for row in [*rows[4:], *rows[:3]]])
    said = invoke("diff", "long.jsonl", "out.jsonl", "--format", "plain", exit_code=1)
    assert f"11 of 12 expected rows have an actual one, paired by `{name}` and `field`" in said
    assert "✗ 2 differences" in said
    invoke("init", "--expected", "long.jsonl", "--actual", "out.jsonl")
    assert Path("out.eval.yaml").read_text().count(f"id: [{name}, field]") == 2
    report = json.loads(invoke("run", "out.eval.yaml", "--format", "json"))
    assert {result["case"] for result in report["results"] if result["score"] < 1} == {"d1/total", "d4/vendor"}


def test_columns_that_identify_rows_together_may_have_other_names_on_each_side() -> None:
    write("long.jsonl", list_long_rows("part"))
    write("out.jsonl", [{"document": row["part"], "key": row["field"], "value": row["value"]} for row in reversed(list_long_rows("part"))])
    said = invoke("diff", "long.jsonl", "out.jsonl", "--id", "part,field=document,key", "--format", "plain")
    assert "12 of 12 expected rows have an actual one, paired by `part` and `field` = `document` and `key`" in said
    refused = CliRunner().invoke(app, ["diff", "long.jsonl", "out.jsonl", "--id", "part,field=document"])
    assert (refused.exit_code, "--id doc,line=doc_id,row" in refused.output) == (2, True)


def test_ids_that_repeat_are_not_replaced_but_columns_that_identify_the_rows_are_named() -> None:
    rows = [{"id": f"d{n // 2 if n < 4 else n}", "field": ("vendor", "total")[n % 2], "value": f"v{n % 5}"} for n in range(12)]
    write("long.jsonl", rows)
    write("out.jsonl", rows[::-1])
    refused = " ".join(invoke("diff", "long.jsonl", "out.jsonl", exit_code=2).split())
    assert "rows have the same id" in refused
    assert "`id` and `field` together identify the rows of both sides: to pair by them, --id id,field" in refused
    assert "nothing differs" in invoke("diff", "long.jsonl", "out.jsonl", "--id", "id,field")


def test_init_says_that_rows_paired_by_number_may_not_belong_together() -> None:
    rows = [{"kind": "abcdefgh"[n % 8], "total": n // 2} for n in range(48)]
    write("e.jsonl", rows)
    write("a.jsonl", rows[::-1])
    assert "rows of the same number agree no more than by chance" in invoke("init", "--expected", "e.jsonl", "--actual", "a.jsonl")
    write("a.jsonl", rows[:-1])
    assert "expected has 48 rows, actual 47" in invoke("init", "--force", "--expected", "e.jsonl", "--actual", "a.jsonl")
    write("e.jsonl", [{"PartID": f"p{n // 2}", "total": 5} for n in range(12)])
    write("a.jsonl", [{"PartID": f"q{n // 2}", "total": 5} for n in range(12)])
    assert "have another `PartID` in 12 of 12 cases" in invoke("init", "--force", "--expected", "e.jsonl", "--actual", "a.jsonl")


def test_the_score_is_that_of_the_prediction_not_of_the_expected_value_repeated_beside_it() -> None:
    gold = [{"id": n, "category": "ab"[n % 2], "total": n} for n in range(4)]
    write("gold.jsonl", gold)
    write("out.jsonl", [row | {"category_pred": "a"} for row in gold])
    assert "`category` is compared with `category_pred`" in invoke("init", "--expected", "gold.jsonl", "--actual", "out.jsonl")
    results = json.loads(invoke("run", "out.eval.yaml", "--format", "json"))["results"]
    assert {(result["evaluator"], result["case"]): result["score"] for result in results} == {
        (evaluator, case): 1 if case in ("0", "2") else 0.5 for evaluator in ("fields", "field_prf") for case in ("0", "1", "2", "3")
    }


def test_init_says_that_no_output_holds_a_record() -> None:
    write("gold.jsonl", [{"id": f"r{n}", "ground_truth": {"vendor": "Acme", "total": n}} for n in range(3)])
    texts = {f"r{n}": f"ACME LTD\nTOTAL {n}" for n in range(3)}
    Path("ocr.json").write_text(json.dumps(texts))
    said = invoke("init", "--expected", "gold.jsonl", "--actual", "ocr.json")
    assert "all 3 actual values are text without JSON, and records are expected: every field counts as missing" in said
    Path("ocr.json").write_text(json.dumps(texts | {"r1": '{"vendor": "Acme"}'}))
    assert "without JSON" not in invoke("init", "--force", "--expected", "gold.jsonl", "--actual", "ocr.json")
