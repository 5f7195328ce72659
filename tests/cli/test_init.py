"""`fieldwise init`."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from cli_cases import write_coco_files, write_jsonl
from click.testing import CliRunner
from jsonschema import Draft202012Validator

import fieldwise as fw
from fieldwise.cli._starter import infer_suite
from fieldwise.cli.app import app

Run = Callable[..., Any]


def test_the_starter_suite_checks_runs_and_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fieldwise: Run) -> None:
    monkeypatch.chdir(tmp_path)
    assert fieldwise("init").exit_code == 0
    assert fieldwise("check", "invoices.eval.yaml").exit_code == 0
    assert fieldwise("run", "invoices.eval.yaml").exit_code == 0


def test_editors_find_the_schema_beside_the_suite(tmp_path: Path, fieldwise: Run) -> None:
    fieldwise("init", tmp_path)
    suite = (tmp_path / "invoices.eval.yaml").read_text()
    assert suite.startswith("# yaml-language-server: $schema=fieldwise.schema.json\n")
    schema = json.loads((tmp_path / "fieldwise.schema.json").read_text())
    Draft202012Validator(schema).validate(yaml.safe_load(suite))


def test_nothing_is_overwritten_unless_forced(tmp_path: Path, fieldwise: Run) -> None:
    (tmp_path / "invoices.eval.yaml").write_text("mine")
    refused = fieldwise("init", tmp_path)
    assert refused.exit_code == 2
    assert "--force" in refused.stderr
    assert (tmp_path / "invoices.eval.yaml").read_text() == "mine"
    assert not (tmp_path / "invoices.jsonl").exists()
    assert fieldwise("init", tmp_path, "--force").exit_code == 0
    assert (tmp_path / "invoices.eval.yaml").read_text() != "mine"


def test_a_suite_is_inferred_from_cases_with_the_reason_for_each_rule(folder: Path, fieldwise: Run) -> None:
    assert fieldwise("init", "--cases", "cases.jsonl").exit_code == 0
    suite = (folder / "cases.eval.yaml").read_text()
    assert "{path: number, match: code}" in suite
    assert "values read as codes" in suite
    assert fieldwise("run", "cases.eval.yaml").exit_code == 0


def test_a_written_suite_and_its_run_are_never_green_with_planted_errors(folder: Path, fieldwise: Run) -> None:
    """Currencies, times, units and codes that are wrong must fail the rules that `init` itself wrote for the file."""
    right = {
        "total": "EUR {n}00.00",
        "paid_at": "2024-03-0{n}T10:00:00Z",
        "weight": "{n} kg",
        "number": "INV-2024-03{n}",
        "iban": "DE89 3704 0044 0532 0130 0{n}",
        "due": "1{n}/03/2024",
    }
    wrong = {
        "total": "USD {n}00.00",
        "paid_at": "2024-03-0{n}T22:45:00Z",
        "weight": "{n} g",
        "number": "INV-2024-08{n}",
        "iban": "DE89 3704 0044 0532 0131 0{n}",
        "due": "03/1{n}/2025",
    }
    cases = [
        {
            "id": str(n),
            "expected": {key: text.format(n=n) for key, text in right.items()},
            "actual": {key: text.format(n=n) for key, text in wrong.items()},
        }
        for n in range(1, 9)
    ]
    write_jsonl(folder / "planted.jsonl", cases)
    assert fieldwise("init", "--cases", "planted.jsonl").exit_code == 0
    outcome = fieldwise("run", "planted.eval.yaml", "--gate", "fields.score > 0", "--format", "json")
    assert outcome.exit_code == 1
    rules = (folder / "planted.eval.yaml").read_text()
    for match in ("money", "datetime", "quantity", "code", "date"):
        assert f"match: {match}" in rules


PLANTED = {
    "currency_code": ("EUR {n}10.00", "USD {n}10.00"),
    "currency_symbol": ("€{n}5.50", "£{n}5.50"),
    "currency_behind": ("{n}5,50 zł", "{n}5,50 Kč"),
    "currency_ringgit": ("RM{n}7.42", "Rp{n}7.42"),
    "amount_cents": ("$1{n}.20", "$1{n}.02"),
    "amount_sign": ("-{n}4.10", "{n}4.10"),
    "amount_scale": ("$ {n}.2M", "$ {n}.2k"),
    "amount_credit": ("{n}2.50 CR", "{n}2.50 DR"),
    "amount_grouped": ("{n},234.50", "{n},243.50"),
    "amount_comma": ("{n}.234,50", "{n}.234,05"),
    "number_text": ("{n}04", "{n}40"),
    "number": (15, 51),
    "decimal": (1.25, 1.52),
    "percent": ("{n}2 %", "{n}3 %"),
    "time_of_day": ("2024-03-0{n}T10:00:00Z", "2024-03-0{n}T22:00:00Z"),
    "minutes": ("2024-03-0{n} 10:15", "2024-03-0{n} 10:51"),
    "zone": ("2024-03-0{n}T10:00:00+01:00", "2024-03-0{n}T10:00:00+05:00"),
    "afternoon": ("March {n}, 2024 9:30 AM", "March {n}, 2024 9:30 PM"),
    "day": ("2024-03-1{n}", "2024-03-2{n}"),
    "month_name": ("1{n} March 2024", "1{n} May 2024"),
    "german_date": ("1{n}. Januar 2024", "1{n}. Juni 2024"),
    "day_and_month": ("2{n}/03/2024", "03/2{n}/2023"),
    "year": ("1{n}.03.2023", "1{n}.03.2024"),
    "month_only": ("2024-0{n}", "2023-0{n}"),
    "clock": ("0{n}:30", "0{n}:03"),
    "duration": ("PT{n}H", "PT{n}M"),
    "duration_words": ("{n} hours", "{n} minutes"),
    "unit": ("{n} kg", "{n} g"),
    "unit_volume": ("{n}50 ml", "{n}50 cl"),
    "unit_number": ("{n}.5 m", "{n}.6 m"),
    "invoice_number": ("INV-2024-03{n}", "INV-2024-08{n}"),
    "leading_zeros": ("00{n}7", "0{n}7"),
    "letter_of_code": ("AB{n}-77", "AD{n}-77"),
    "iban": ("DE89 3704 0044 0532 0130 0{n}", "DE89 3704 0044 0532 0103 0{n}"),
    "phone": ("+49 30 123456{n}", "+49 30 132456{n}"),
    "email": ("user{n}@example.com", "user{n}@example.org"),
    "url": ("https://example.com/a{n}", "https://example.com/b{n}"),
    "country": (["Slovakia", "Germany", "France"], ["Slovenia", "Austria", "Finland"]),
    "country_code": (["SVK", "DEU", "FRA"], ["SVN", "AUT", "FIN"]),
    "currency_name": (["SEK", "EUR", "USD"], ["NOK", "GBP", "CAD"]),
    "language": (["de", "fr", "en"], ["da", "fi", "es"]),
    "flag": ([True, False, True], [False, True, False]),
    "yes_no": (["yes", "no", "yes"], ["no", "yes", "no"]),
    "street": ("{n} Main Street", "{n} Main Avenue"),
    "name": (["John Smith", "Mary Jones", "Wei Tan"], ["Jane Smith", "Mark Jones", "Mei Tan"]),
    "huge": (2**53 + 1, 2**53),
}
"""By kind, a value and a wrong one; `{n}` is the number of the case."""


def plant(values: Any, n: int) -> Any:
    if isinstance(values, list):
        return values[n % len(values)]
    return values.format(n=n) if isinstance(values, str) else values


def planted_records(wrong_case: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Nine records as expected, and the same with every field of one case wrong."""
    expected = [{kind: plant(right, n) for kind, (right, _) in PLANTED.items()} for n in range(1, 10)]
    actual = [dict(record) for record in expected]
    actual[wrong_case - 1] = {kind: plant(wrong, wrong_case) for kind, (_, wrong) in PLANTED.items()}
    return expected, actual


def unnoticed(run: fw.Run) -> set[str]:
    wrong = {mismatch["field"].rpartition(".")[2] for mismatch in run.mismatches().to_arrow().to_pylist()}
    return PLANTED.keys() - wrong


@pytest.mark.parametrize("shape", ["flat", "nested", "csv"])
def test_one_wrong_value_of_any_kind_is_noticed_by_the_written_rules(shape: str, folder: Path, fieldwise: Run) -> None:
    expected, actual = planted_records(wrong_case=4)
    if shape == "csv":
        for name, records in (("gold", expected), ("output", actual)):
            with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, ["id", *PLANTED])
                writer.writeheader()
                writer.writerows({"id": f"c{n}", **record} for n, record in enumerate(records))
        assert fieldwise("init", ".", "--expected", "gold.csv", "--actual", "output.csv", "--force").exit_code == 0
    else:
        wrap = (lambda record: record) if shape == "flat" else (lambda record: {"order": {"items": [{"sku": "first"}, record]}})
        pairs = zip(expected, actual, strict=True)
        write_jsonl(folder / "kinds.jsonl", [{"id": f"c{n}", "expected": wrap(e), "actual": wrap(a)} for n, (e, a) in enumerate(pairs)])
        assert fieldwise("init", "--cases", "kinds.jsonl", "--force").exit_code == 0
    suite = next(path for path in folder.glob("*.eval.yaml") if path.stat().st_size > 2000)
    assert unnoticed(fw.run(suite)) == set()


def test_rules_come_from_all_cases(folder: Path, fieldwise: Run) -> None:
    late = {"x": 1, "total": 5}
    cases = [{"id": str(n), "expected": {"x": 1} if n < 300 else late, "actual": {"x": 1, "total": 9}} for n in range(400)]
    write_jsonl(folder / "late.jsonl", cases)
    (folder / "open.eval.yaml").write_text("cases: late.jsonl\nevaluators: [{type: field_accuracy, name: fields}]\n")
    assert fieldwise("init", "--cases", "late.jsonl").exit_code == 0
    assert "{path: total, match: exact}" in (folder / "late.eval.yaml").read_text()
    for suite in ("late.eval.yaml", "open.eval.yaml"):
        assert fieldwise("run", suite, "--gate", "fields.score >= 1").exit_code == 1


def test_an_inferred_suite_finds_its_cases_from_another_folder(folder: Path, fieldwise: Run) -> None:
    assert fieldwise("init", "evals", "--cases", "cases.jsonl").exit_code == 0
    assert "cases: ../cases.jsonl" in (folder / "evals/cases.eval.yaml").read_text().replace('"', "")
    assert fieldwise("run", "evals/cases.eval.yaml").exit_code == 0


def test_the_suite_of_the_current_folder_has_the_name_of_that_folder(folder: Path, fieldwise: Run) -> None:
    (folder / "small.eval.yaml").unlink()
    done = fieldwise("init", "--cases", ".")
    assert done.exit_code == 0, done.output
    assert f"name: {folder.name}\n" in (folder / f"{folder.name}.eval.yaml").read_text()


def test_odd_keys_come_out_as_yaml_that_reads_back(folder: Path, fieldwise: Run) -> None:
    record = {"a.b": "x", "null": "y", "with: colon # and hash": 1, 'q"uote': True, "n": {"0": [{"k": 1.5}]}, "": "empty", "no": None}
    write_jsonl(folder / "odd.jsonl", [{"id": "1", "expected": record, "actual": record}])
    assert fieldwise("init", "--cases", "odd.jsonl").exit_code == 0
    checked = fieldwise("check", "odd.eval.yaml")
    assert checked.exit_code == 0, checked.output
    assert fieldwise("run", "odd.eval.yaml", "--gate", "fields.score >= 1").exit_code == 0


@pytest.mark.parametrize("record", [[{"k": "x"}, {"k": "y"}], ["x", "y"], {"rows": [["x", "y"], ["z"]]}, {"deep": [[[1.5], [2.5]]]}])
def test_lists_that_are_the_record_or_stand_in_lists_are_named_by_their_items(folder: Path, fieldwise: Run, record: Any) -> None:
    turned = {key: [*map(_turned, value)] for key, value in record.items()} if isinstance(record, dict) else record[::-1]
    write_jsonl(folder / "lists.jsonl", [{"id": "1", "expected": record, "actual": turned}])
    assert fieldwise("init", "--cases", "lists.jsonl").exit_code == 0
    actual = fieldwise("run", "lists.eval.yaml", "--gate", "fields.score >= 1", "--gate", "field_prf.score >= 1")
    assert actual.exit_code == 0, actual.output


def _turned(value: Any) -> Any:
    """The innermost lists the other way round: those are the ones whose order does not count."""
    inner = isinstance(value, list) and isinstance(value[0], list)
    return [*map(_turned, value)] if inner else value[::-1]


def test_text_answers_get_a_suite_for_answers(folder: Path, fieldwise: Run) -> None:
    write_jsonl(folder / "qa.jsonl", [{"id": "1", "question": "Which?", "expected": "The 604 rules.", "actual": "604 rules"}])
    assert fieldwise("init", "--cases", "qa.jsonl").exit_code == 0
    assert "type: answer_quality" in (folder / "qa.eval.yaml").read_text()
    assert fieldwise("run", "qa.eval.yaml").exit_code == 0


def test_a_few_answers_that_are_json_do_not_make_the_others_records(folder: Path, fieldwise: Run) -> None:
    answers = ['{"scope": "all"}', "It covers all of it.", "Evaluations of the app."]
    write_jsonl(folder / "qa.jsonl", [{"id": str(n), "expected": answer, "actual": answer} for n, answer in enumerate(answers)])
    assert fieldwise("init", "--cases", "qa.jsonl").exit_code == 0
    assert "type: answer_quality" in (folder / "qa.eval.yaml").read_text()


def test_outputs_without_expected_values_are_refused_with_the_way_to_pair_them(folder: Path, fieldwise: Run) -> None:
    write_jsonl(folder / "outputs.jsonl", [{"id": "1", "input": "8 × 8?", "actual": "64"}])
    refused = fieldwise("init", "--cases", "outputs.jsonl")
    assert refused.exit_code == 2
    assert "no case says what is expected" in refused.stderr
    assert "fieldwise init --expected FILE --actual outputs.jsonl" in " ".join(refused.stderr.split())
    (folder / "o.eval.yaml").write_text("cases: outputs.jsonl\nevaluators: [{type: answer_quality}]\n")
    run = fieldwise("run", "o.eval.yaml")
    assert run.exit_code == 2
    assert "cases: {expected: …, actual: outputs.jsonl}" in " ".join(run.stderr.split())


def test_cases_that_cannot_be_read_exit_2(folder: Path, fieldwise: Run) -> None:
    (folder / "empty.jsonl").write_text("")
    assert fieldwise("init", "--cases", "empty.jsonl").exit_code == 2
    assert fieldwise("init", "--cases", "nowhere.jsonl").exit_code == 2


def test_cases_without_outputs_are_refused_with_the_likeliest_column(folder: Path, fieldwise: Run) -> None:
    (folder / "c.jsonl").write_text('{"id": "a", "expected": {"x": 1}, "gpt-4o": {"x": 1}}\n')
    result = fieldwise("init", folder, "--cases", folder / "c.jsonl")
    assert result.exit_code == 2
    assert "init --column actual=gpt-4o" in result.stderr


@pytest.mark.parametrize("command", ["init", "run"])
def test_a_file_that_cannot_be_read_is_named_before_what_follows_from_it(folder: Path, fieldwise: Run, command: str) -> None:
    (folder / "c.jsonl").write_text('{"id": "a", "expected": {"x": 1}, "actual": {"x": 1}}\n', encoding="utf-16")
    (folder / "s.eval.yaml").write_text("cases: c.jsonl\nevaluators: [{type: field_accuracy}]\n")
    arguments = ("init", folder, "--cases", folder / "c.jsonl") if command == "init" else ("run", folder / "s.eval.yaml")
    result = fieldwise(*arguments)
    assert result.exit_code == 2
    assert "UTF-16" in result.stderr
    assert "no rules can be inferred" not in result.stderr


def test_answers_to_known_questions_get_their_presets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = tmp_path / "answers.jsonl"
    cases.write_text(
        '{"id": "EF_1", "expected": "* Base Rates", "actual": "* Base Rates"}\n{"id": "EF_3", "expected": "$604", "actual": "604"}\n'
    )
    name, text = infer_suite(cases, tmp_path)
    assert name == "answers.eval.yaml"
    assert "{type: list_coverage, name: ef_1, preset: ef_1}" in text
    assert "{type: fact_checks, name: ef_3, preset: ef_3}" in text
    assert "ef_2" not in text
    (tmp_path / name).write_text(text)
    assert not [note for note in fw.run(tmp_path / name).diagnostics if note.code == "unused-preset"]
    bare = fw.run({"cases": str(cases), "evaluators": [{"type": "answer_quality"}]}, root=tmp_path)
    assert [note.code for note in bare.diagnostics if "EF_1, EF_3" in note.what] == ["unused-preset"]


@pytest.mark.parametrize(
    ("header", "expected", "actual", "evaluator"),
    [
        ("id,true_label,predicted_label", ["billing", "sales", "billing", "returns"] * 4, ["billing", "sales"] * 8, "type: equals"),
        (
            "id,Ideal Answer,Bot response",
            ["yes", "no"] * 8,
            ["Yes, because the terms of the contract say so."] * 16,
            "type: answer_quality",
        ),
        ("id,y_true,y_pred", [f"answer {number}" for number in range(16)], ["a"] * 16, "type: answer_quality"),
    ],
)
def test_labels_are_compared_for_equality_and_answers_by_their_quality(
    tmp_path: Path, header: str, expected: list[str], actual: list[str], evaluator: str
) -> None:
    rows = [f'{number},{left},"{right}"' for number, (left, right) in enumerate(zip(expected, actual, strict=True))]
    (tmp_path / "cases.csv").write_text("\n".join([header, *rows]), encoding="utf-8")
    _, text = infer_suite(tmp_path / "cases.csv", tmp_path)
    assert evaluator in text


def test_columns_with_other_names_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cases.csv").write_text("nr,Soll,Ist\n1,a,a\n2,b,c\n", encoding="utf-8")
    refused = CliRunner().invoke(app, ["init", "--cases", "cases.csv"])
    assert refused.exit_code == 2
    assert "--column expected=Soll --column actual=Ist" in refused.output
    written = CliRunner().invoke(app, ["init", "--cases", "cases.csv", "--column", "expected=Soll", "--column", "actual=Ist"])
    assert written.exit_code == 0
    assert "columns:\n  expected: Soll\n  actual: Ist\n" in Path("cases.eval.yaml").read_text(encoding="utf-8")
    assert CliRunner().invoke(app, ["init", "--column", "expected=Soll"]).exit_code == 2


def test_empty_text_is_read_as_null_where_the_other_side_has_nothing(tmp_path: Path, fieldwise: Run) -> None:
    expected = [{"id": f"d{n}", "total": n, "note": "", "due": None, "lines": [{"sku": "a", "unit": ""}]} for n in range(4)]
    actual = [{"id": f"d{n}", "total": n, "due": " ", "lines": [{"sku": "a", "unit": None}], "memo": ""} for n in range(4)]
    write_jsonl(tmp_path / "e.jsonl", expected)
    write_jsonl(tmp_path / "a.jsonl", actual)
    assert fieldwise("init", tmp_path, "--expected", tmp_path / "e.jsonl", "--actual", tmp_path / "a.jsonl").exit_code == 0
    suite = (tmp_path / "a.eval.yaml").read_text()
    assert suite.count('null_values: [""]  # 12 values are empty text on one side, and null or absent on the other') == 2
    run = fw.run(tmp_path / "a.eval.yaml", root=tmp_path)
    assert (run.summary["fields.score"], run.summary["field_prf.score"]) == (1.0, 1.0)
    assert not [note for note in run.diagnostics if note.level == "warning" and "ignore" in note.what]


def test_empty_text_stays_a_value_where_both_sides_write_it(tmp_path: Path, fieldwise: Run) -> None:
    for name in ("e.jsonl", "a.jsonl"):
        write_jsonl(tmp_path / name, [{"id": f"d{n}", "total": n + (name == "a.jsonl"), "note": ""} for n in range(4)])
    fieldwise("init", tmp_path, "--expected", tmp_path / "e.jsonl", "--actual", tmp_path / "a.jsonl")
    assert "null_values" not in (tmp_path / "a.eval.yaml").read_text()


def test_a_file_whose_sides_have_no_field_in_common_is_refused(tmp_path: Path, fieldwise: Run) -> None:
    rows: list[dict[str, object]] = [
        {"id": f"c{n}", "expected": {"name": f"N{n}"}, "actual": {"people": [{"name": f"N{n}"}]}, "full": {"name": f"N{n}"}}
        for n in range(3)
    ]
    write_jsonl(tmp_path / "cases.jsonl", rows)
    refused = fieldwise("init", tmp_path, "--cases", tmp_path / "cases.jsonl")
    assert refused.exit_code == 2
    assert "no field in common: expected has `name`, actual has `people`" in " ".join(refused.stderr.split())
    assert not (tmp_path / "cases.eval.yaml").exists()
    assert fieldwise("init", tmp_path, "--cases", tmp_path / "cases.jsonl", "--column", "actual=full").exit_code == 0


def test_a_pair_of_coco_files_gets_a_suite_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fieldwise: Run) -> None:
    monkeypatch.chdir(tmp_path)
    write_coco_files(tmp_path)
    written = fieldwise("init", "suites", "--expected", "instances.json", "--actual", "detections.json")
    assert written.exit_code == 0, written.output
    assert "1 of 2 images have detections" in written.stdout
    suite = yaml.safe_load((tmp_path / "suites" / "detections.eval.yaml").read_text())
    assert suite["evaluators"] == [{"type": "detection"}]
    assert fieldwise("check", "suites/detections.eval.yaml").exit_code == 0
    completed = fieldwise("run", "suites/detections.eval.yaml")
    assert completed.exit_code == 0, completed.output
    assert "ap50" in completed.stdout


def test_several_columns_may_be_the_id_of_one_file(tmp_path: Path, fieldwise: Run) -> None:
    rows = [{"doc_id": f"d{number // 3}", "line": number % 3, "expected": number, "actual": number} for number in range(9)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert fieldwise("init", tmp_path, "--cases", tmp_path / "rows.jsonl", "--column", "id=doc_id,line").exit_code == 0
    assert yaml.safe_load((tmp_path / "rows.eval.yaml").read_text())["columns"] == {"id": ["doc_id", "line"]}
    assert fieldwise("run", tmp_path / "rows.eval.yaml", "--root", tmp_path / "runs").exit_code == 0
    assert fieldwise("init", tmp_path, "--cases", tmp_path / "rows.jsonl", "--column", "id=doc_id,").exit_code == 2


def test_a_pair_of_coco_files_of_captions_gets_a_suite_that_runs(tmp_path: Path, fieldwise: Run) -> None:
    captions = {"images": [{"id": 1}], "annotations": [{"image_id": 1, "caption": text} for text in ("a dog", "a brown dog")]}
    (tmp_path / "captions.json").write_text(json.dumps(captions))
    (tmp_path / "out.json").write_text(json.dumps([{"image_id": 1, "caption": "a brown dog"}]))
    arguments = ("--expected", tmp_path / "captions.json", "--actual", tmp_path / "out.json")
    assert "COCO annotations and captions: 1 of 1 images have captions" in fieldwise("init", tmp_path, *arguments).stdout
    result = fieldwise("run", tmp_path / "out.eval.yaml", "--gate", "answer_quality.token_f1 >= 1", "--root", tmp_path / "runs")
    assert result.exit_code == 0, result.stdout


def test_coco_files_that_do_not_fit_are_refused(tmp_path: Path, fieldwise: Run) -> None:
    annotations, detections = write_coco_files(tmp_path)
    detections.write_text(json.dumps([{"image_id": 99, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 0.5}]))
    refused = fieldwise("init", tmp_path, "--expected", annotations, "--actual", detections)
    assert refused.exit_code == 2
    assert "the image 99, which is not there" in refused.stderr
    annotations.write_text(json.dumps({"images": [], "annotations": [], "categories": []}))
    detections.write_text("[]")
    assert "no images" in fieldwise("init", tmp_path, "--expected", annotations, "--actual", detections).stderr


@pytest.mark.parametrize("column", [(), ("--column", "expected=answers.text")])
def test_questions_with_several_gold_answers_get_a_suite_that_runs(tmp_path: Path, fieldwise: Run, column: tuple[str, ...]) -> None:
    rows: list[dict[str, object]] = []
    for number in range(5):
        answers = {"text": [f"the Broncos of {number}", "Denver Broncos"], "answer_start": [7, 11]}
        rows.append({"id": str(number), "question": "Who won?", "context": "…", "answers": answers, "prediction_text": "Denver Broncos"})
    write_jsonl(tmp_path / "squad.jsonl", rows)
    assert fieldwise("init", tmp_path, "--cases", tmp_path / "squad.jsonl", *column).exit_code == 0
    suite = tmp_path / "squad.eval.yaml"
    [evaluator] = yaml.safe_load(suite.read_text())["evaluators"]
    assert (evaluator["type"], evaluator["exact_match"]) == ("answer_quality", "squad")
    run = fw.run(suite, root=tmp_path)
    assert run.summary["answer_quality.exact_match"] == 1.0


@pytest.mark.parametrize(
    ("row", "evaluators"),
    [
        ({"answer": "Paris is the capital."}, [{"type": "grounding", "by": "words"}]),
        ({"relevant_ids": ["p1"]}, [{"type": "retrieval"}]),
    ],
)
def test_contexts_without_expected_answers_get_a_suite_that_runs(
    folder: Path, fieldwise: Run, row: dict[str, object], evaluators: list[dict[str, str]]
) -> None:
    write_jsonl(folder / "rag.jsonl", [{"id": "1", "question": "Which?", "contexts": ["Paris is the capital of France."], **row}])
    assert fieldwise("init", "--cases", "rag.jsonl").exit_code == 0
    assert yaml.safe_load((folder / "rag.eval.yaml").read_text())["evaluators"] == evaluators
    assert fieldwise("run", "rag.eval.yaml").exit_code == 0


def test_contexts_alone_are_refused(folder: Path, fieldwise: Run) -> None:
    write_jsonl(folder / "rag.jsonl", [{"id": "1", "question": "Which?", "contexts": ["Paris is the capital of France."]}])
    refused = fieldwise("init", "--cases", "rag.jsonl")
    assert refused.exit_code == 2
    assert "no case says what is expected" in refused.stderr


def test_ids_that_repeat_are_one_error_that_names_the_columns_that_identify_the_rows(tmp_path: Path, fieldwise: Run) -> None:
    rows: list[dict[str, object]] = [
        {"qid": f"q{n % 30}", "arm": "ab"[n // 30], "gold_answer": "x", "model_answer": f"y{n}"} for n in range(60)
    ]
    write_jsonl(tmp_path / "runs.jsonl", rows)
    refused = fieldwise("init", tmp_path, "--cases", tmp_path / "runs.jsonl")
    assert refused.exit_code == 2
    assert refused.stderr.count("fix:") == 1
    assert "30 of 60 rows have the `qid` of an earlier one" in refused.stderr
    assert "`qid` and `arm` together identify the rows: init --column id=qid,arm" in refused.stderr
    assert fieldwise("init", tmp_path, "--cases", tmp_path / "runs.jsonl", "--column", "id=qid,arm").exit_code == 0
    assert len(list(fw.run(tmp_path / "runs.eval.yaml", root=tmp_path).results())) == 60


def test_ids_that_repeat_are_reported_one_by_one_where_no_other_column_tells_the_rows_apart(tmp_path: Path, fieldwise: Run) -> None:
    rows: list[dict[str, object]] = [{"id": "a", "expected": "x", "actual": "x"}] * 3
    write_jsonl(tmp_path / "runs.jsonl", rows)
    refused = fieldwise("init", tmp_path, "--cases", tmp_path / "runs.jsonl")
    assert refused.exit_code == 2
    assert refused.stderr.count("has the same id as line 1") == 2
