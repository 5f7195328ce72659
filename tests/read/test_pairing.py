"""How two files pair is proposed from their data."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from fieldwise.model.plan import SideMapping
from fieldwise.read.pairing import FILE_NAME, count_records, propose_pairing

GOLD = [{"key": f"r-{n}", "entities": {"company": f"Company {n}", "total": n, "orderDate": f"2024-01-{n + 1:02d}"}} for n in range(20)]
OUTPUT = [{"doc_id": f"r-{n}", "vendor": f"COMPANY  {n}" if n else "?", "total": n, "order_date": "x"} for n in reversed(range(15))]


def write(path: Path, rows: list[Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_ids_records_and_names_are_found(tmp_path: Path) -> None:
    pairing = propose_pairing(write(tmp_path / "gold.jsonl", GOLD), write(tmp_path / "out.jsonl", OUTPUT))
    assert pairing.expected == SideMapping(id="key", record="entities")
    assert pairing.actual == SideMapping(id="doc_id")
    assert [(rename.expected, rename.actual, rename.evidence) for rename in pairing.renames] == [
        ("company", "vendor", "equal in 93% of 15 records"),
        ("orderDate", "order_date", "the same name, written differently"),
    ]
    assert pairing.common_fields == ["total"]
    assert pairing.with_renames().expected.rename == {"company": "vendor", "orderDate": "order_date"}
    assert pairing.describe(15, 20)[0] == "15 of 20 expected rows have an actual one, paired by `key` = `doc_id`"


def test_another_column_that_identifies_the_rows_is_named(tmp_path: Path) -> None:
    rows = [{"doc_id": f"d-{number}", "question_id": f"q-{number}", "total": number} for number in range(3)]
    files = write(tmp_path / "gold.jsonl", rows), write(tmp_path / "out.jsonl", rows)
    assert "`question_id` could identify the rows too: --id question_id=question_id" in propose_pairing(*files).notes
    assert propose_pairing(*files, ids=("doc_id", "doc_id")).notes == []


def test_what_the_user_says_holds(tmp_path: Path) -> None:
    files = write(tmp_path / "gold.jsonl", GOLD), write(tmp_path / "out.jsonl", OUTPUT)
    pairing = propose_pairing(*files, ids=("key", "doc_id"), renames={"company": "total_due"})
    assert pairing.expected.rename == {"company": "total_due"}
    assert "company" not in [rename.expected for rename in pairing.renames]


def test_an_id_inside_an_object_is_found(tmp_path: Path) -> None:
    nested = [{"meta": {"id": row["doc_id"]}, "fields": row} for row in OUTPUT]
    pairing = propose_pairing(write(tmp_path / "gold.jsonl", GOLD), write(tmp_path / "out.jsonl", nested))
    assert (pairing.expected.id, pairing.actual.id) in {("key", "meta.id"), ("key", "fields.doc_id")}
    assert (pairing.expected.record, pairing.actual.record) == ("entities", "fields")


@pytest.mark.parametrize("name", ["Nr", "No", "Invoice No", "Beleg-Nr", "Document Number", "invoice_no", "invoiceNo"])
def test_a_column_that_is_named_like_a_number_of_a_document_pairs(tmp_path: Path, name: str) -> None:
    rows = [{name: f"R-{n * 7}", "total": n} for n in range(10)]
    pairing = propose_pairing(write(tmp_path / "gold.jsonl", rows), write(tmp_path / "out.jsonl", [*rows[:3], *rows[4:]]))
    assert pairing.keys == (name, name)


def test_a_column_of_data_is_no_id(tmp_path: Path) -> None:
    rows = [{"total": n, "vendor": f"v{n}"} for n in range(10)]
    pairing = propose_pairing(write(tmp_path / "gold.jsonl", rows), write(tmp_path / "out.jsonl", rows))
    assert pairing.keys == (None, None)
    assert "no column identifies them" in pairing.describe(10, 10)[0]


def number_rows(numbers: range, **columns: int) -> list[dict[str, int]]:
    return [{"id": number, **{name: number * factor for name, factor in columns.items()}} for number in numbers]


def test_an_id_that_both_sides_have_wins_over_a_column_with_more_equal_values(tmp_path: Path) -> None:
    gold = number_rows(range(1, 21), qty=1)
    output = [*number_rows(range(1, 11), qty=1), *({"id": number, "qty": number - 10} for number in range(21, 31))]
    for synonym in ("id", "doc_id", "case_id"):
        renamed = [{synonym: row["id"], "qty": row["qty"]} for row in output]
        pairing = propose_pairing(write(tmp_path / "gold.jsonl", gold), write(tmp_path / "out.jsonl", renamed))
        assert pairing.keys == ("id", synonym)


def test_a_column_that_counts_up_is_no_id(tmp_path: Path) -> None:
    gold = number_rows(range(1, 21), x=7)
    output = [{"id": number + 100, "x": number} for number in range(1, 21)]
    pairing = propose_pairing(write(tmp_path / "gold.jsonl", gold), write(tmp_path / "out.jsonl", output))
    assert (pairing.keys, pairing.shares_ids) == (("id", "id"), False)
    without_id = [{"uid": f"u{row['id']}", "x": row["x"]} for row in output]
    pairing = propose_pairing(write(tmp_path / "gold.jsonl", gold), write(tmp_path / "out.jsonl", without_id))
    assert pairing.keys == (None, None)


def test_a_column_that_counts_up_pairs_if_both_are_named_like_an_id(tmp_path: Path) -> None:
    gold = [{"invoice_no": number, "x": 1} for number in range(1, 21)]
    output = [{"doc_id": number, "x": 1} for number in range(1, 21)]
    assert propose_pairing(write(tmp_path / "gold.jsonl", gold), write(tmp_path / "out.jsonl", output)).keys == ("invoice_no", "doc_id")


def test_file_names_pair_with_a_column(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for row in OUTPUT:
        (tmp_path / "out" / f"{row['doc_id']}.json").write_text(json.dumps({"vendor": row["vendor"], "total": row["total"]}))
    pairing = propose_pairing(write(tmp_path / "gold.jsonl", GOLD), str(tmp_path / "out"))
    assert pairing.keys == ("key", FILE_NAME)
    assert pairing.actual == SideMapping()


@pytest.mark.parametrize("around", ["{}", "Here it is:\n```json\n{}\n```", "The invoice: {}"])
def test_a_column_of_records_as_text_pairs_by_the_name_of_the_file(tmp_path: Path, around: str) -> None:
    records = [{"total": n, "vendor": f"v{n}", "date": "2024-05-01"} for n in range(12)]
    for file, template in (("gold.csv", "{}"), ("out.csv", around)):
        with (tmp_path / file).open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["File Name", "Json Data"])
            writer.writerows([f"{n}.pdf", template.replace("{}", json.dumps(record))] for n, record in enumerate(records))
    pairing = propose_pairing(str(tmp_path / "gold.csv"), str(tmp_path / "out.csv"))
    assert pairing.keys == ("File Name", "File Name")
    assert (pairing.expected.record, pairing.actual.record) == ("Json Data", "Json Data")


def test_files_that_cannot_be_read_propose_nothing(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    pairing = propose_pairing(str(tmp_path / "none.jsonl"), str(tmp_path / "broken.json"))
    assert (pairing.expected, pairing.actual, pairing.renames) == (SideMapping(), SideMapping(), [])


def test_one_record_is_told_from_many(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text('{"a": 1}')
    (tmp_path / "list.json").write_text('[{"a": 1}, {"a": 2}]')
    assert count_records(str(tmp_path / "one.json")) is None
    assert count_records(str(tmp_path / "list.json")) == 2
    assert count_records(write(tmp_path / "rows.jsonl", GOLD)) == 20


def test_of_two_files_of_cases_the_expected_and_the_actual_records_are_compared(tmp_path: Path) -> None:
    cases = [{"id": n, "expected": {"a": n, "b": n, "c": n}, "actual": {"a": n, "b": 0, "c": 0}} for n in range(5)]
    pairing = propose_pairing(write(tmp_path / "one.jsonl", cases), write(tmp_path / "two.jsonl", cases[::-1]))
    assert (pairing.expected.record, pairing.actual.record) == ("expected", "actual")


def test_fields_that_are_equal_in_every_pair_are_noticed(tmp_path: Path) -> None:
    gold = [{"id": n, "question": f"q{n}", "answer": n} for n in range(25)]
    output = [{"id": n, "question": f"q{n}", "answer": 0} for n in range(25)]
    assert propose_pairing(write(tmp_path / "gold.jsonl", gold), write(tmp_path / "out.jsonl", output)).equal_fields == ["question"]
    assert propose_pairing(write(tmp_path / "gold.jsonl", gold), write(tmp_path / "same.jsonl", gold)).equal_fields == []


def test_two_single_files_are_one_pair_whatever_they_are_called(tmp_path: Path) -> None:
    (tmp_path / "truth.json").write_text('{"calls": [1]}')
    (tmp_path / "result.json").write_text('{"per_call": [1, 2]}')
    pairing = propose_pairing(str(tmp_path / "truth.json"), str(tmp_path / "result.json"))
    assert pairing.own_fields == (["calls"], ["per_call"])
    assert not pairing.has_common_fields


def test_a_field_that_is_often_omitted_is_not_equal_in_every_pair(tmp_path: Path) -> None:
    expected = [{"id": f"r{number}", "day_count": "ACT/365", "holder": "B", "rate": number} for number in range(30)]
    actual = [{**row, "day_count": None if number % 2 else "ACT/365", "rate": 99} for number, row in enumerate(expected)]
    for name, rows in (("e.jsonl", expected), ("a.jsonl", actual)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)))
    assert propose_pairing(str(tmp_path / "e.jsonl"), str(tmp_path / "a.jsonl")).equal_fields == ["holder"]


def test_a_record_inside_json_text_is_found_by_its_fields(tmp_path: Path) -> None:
    gold = [{"id": f"S{n}", "text": "t", "reference": {"subject": f"s{n}", "amount": n}} for n in range(3)]
    answers = [{"subject": {"value": f"s{n}", "evidence": ["e"]}, "amount": {"value": n, "evidence": []}} for n in range(3)]
    output = [{"id": f"S{n}", "model": "m", "response": json.dumps({"fields": answer})} for n, answer in enumerate(answers)]
    pairing = propose_pairing(write(tmp_path / "gold.jsonl", gold), write(tmp_path / "out.jsonl", output))
    assert pairing.expected == SideMapping(id="id", record="reference")
    assert pairing.actual == SideMapping(id="id", record="response.fields")
    fenced = [{"id": row["id"], "response": f"```json\n{row['response']}\n```"} for row in output]
    pairing = propose_pairing(write(tmp_path / "gold.jsonl", gold), write(tmp_path / "out.jsonl", fenced))
    assert pairing.actual.record == "response.fields"


def test_a_field_inside_an_object_is_the_one_with_the_joined_name(tmp_path: Path) -> None:
    nested = [{"id": f"r{n}", "vendor": {"name": f"Company {n}", "city": "Kiel"}, "total": n} for n in range(5)]
    flat = [{"id": f"r{n}", "vendor_name": f"company no {n}", "total": n} for n in range(5)]
    files = write(tmp_path / "nested.jsonl", nested), write(tmp_path / "flat.jsonl", flat)
    assert propose_pairing(*files).with_renames().expected.rename == {"vendor.name": "vendor_name"}
    assert propose_pairing(*reversed(files)).with_renames().expected.rename == {"vendor_name": "vendor.name"}


def test_rows_are_paired_by_id_although_one_has_none_and_two_have_the_same(tmp_path: Path) -> None:
    gold = [{"id": "a", "x": 1}, {"id": "b", "x": 2}, {"id": "b", "x": 3}, {"id": None, "x": 4}]
    pairing = propose_pairing(write(tmp_path / "gold.jsonl", gold), write(tmp_path / "out.jsonl", gold[:2]))
    assert pairing.describe_ids() == "`id`"


VENDOR = {"name": "Acme", "street": "Main", "city": "Kiel", "zip": "1", "country": "DE"}


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ({"number": "A", "total": 5, "vendor": VENDOR}, {"number": "B", "total": 0, "vendor": VENDOR}),
        ({"total": 5, "vendor": VENDOR}, {"vendor": VENDOR}),
        ({"seller": VENDOR, "buyer": VENDOR}, {"seller": VENDOR, "buyer": VENDOR}),
        ({"seller": VENDOR, "buyer": VENDOR, "invoice": {"no": 1}}, {"seller": VENDOR, "buyer": VENDOR, "invoice": {"no": 2}}),
        ({"data": {"vendor": VENDOR, "total": 5}}, {"data": {"vendor": VENDOR, "total": 0}}),
        ({"model": "X1", "specs": VENDOR}, {"model": "X2", "specs": VENDOR}),
        ({"total": 5, "vendor": VENDOR}, {"total": 0, **VENDOR}),
    ],
)
def test_an_object_with_many_fields_is_a_part_of_the_record(tmp_path: Path, expected: dict[str, Any], actual: dict[str, Any]) -> None:
    files = [write(tmp_path / f"{n}.jsonl", [{"id": f"d{i}", **row} for i in range(3)]) for n, row in enumerate((expected, actual))]
    pairing = propose_pairing(*files)
    left_out = [name for names in pairing.names_beside for name in names]
    assert not {"number", "total", "seller", "buyer", "invoice", "model", "data.total"} & {*left_out}
    assert "vendor" not in str(pairing.expected.record)


@pytest.mark.parametrize(
    ("expected", "actual", "records"),
    [
        ({"file": "a.pdf", "fields": VENDOR}, {"model": "m", "usage": {"tokens": 3}, "fields": VENDOR}, ("fields", "fields")),
        ({"doc_type": "bill", "gold_fields": VENDOR}, {"model": "m", "result": VENDOR}, ("gold_fields", "result")),
        ({"source": "a.pdf", "labels": VENDOR}, VENDOR, ("labels", None)),
    ],
)
def test_a_wrapper_is_no_part_of_the_record_and_what_is_beside_it_is_named(
    tmp_path: Path, expected: dict[str, Any], actual: dict[str, Any], records: tuple[str, str | None]
) -> None:
    files = [write(tmp_path / f"{n}.jsonl", [{"id": f"d{i}", **row} for i in range(3)]) for n, row in enumerate((expected, actual))]
    pairing = propose_pairing(*files)
    assert (pairing.expected.record, pairing.actual.record) == records
    beside = next(iter(expected))
    assert f"the expected record is `{records[0]}` of each row; not compared: `{beside}`" in pairing.describe(3, 3)


def test_ids_that_differ_by_a_file_extension_pair(tmp_path: Path) -> None:
    gold = [{"doc_id": f"x{number}.pdf", "total": number} for number in range(12)]
    output = [{"doc_id": f"x{number}", "amount": number} for number in range(12)]
    pairing = propose_pairing(write(tmp_path / "gold.jsonl", gold), write(tmp_path / "out.jsonl", output))
    assert pairing.keys == ("doc_id", "doc_id")
    assert [(rename.expected, rename.actual) for rename in pairing.renames] == [("total", "amount")]


def test_a_field_that_repeats_the_expected_values_is_not_compared_but_the_prediction_beside_it(tmp_path: Path) -> None:
    gold = [{"id": n, "category": "ab"[n % 2], "total": n} for n in range(4)]
    output = [row | {"predicted_category": "a", "total": 0, "note": "x"} for row in gold]
    pairing = propose_pairing(write(tmp_path / "gold.jsonl", gold), write(tmp_path / "out.jsonl", output))
    assert [tuple(rename) for rename in pairing.renames] == [
        ("category", "predicted_category", "the field of the same name repeats the expected values")
    ]
    assert pairing.common_fields == ["total"]
    assert pairing.with_renames().list_extra_fields() == ["note", "category"]
    assert pairing.with_renames().list_missing_fields() == []


def test_a_field_beside_one_with_a_longer_name_is_compared(tmp_path: Path) -> None:
    gold = [{"id": n, "year": 2020 + n} for n in range(4)]
    output = [row | {"model_year": 2019} for row in gold]
    pairing = propose_pairing(write(tmp_path / "gold.jsonl", gold), write(tmp_path / "out.jsonl", output))
    assert (pairing.common_fields, pairing.renames) == (["year"], [])


@pytest.mark.parametrize("name", ["predicted_category", "category_pred"])
def test_a_field_whose_values_differ_is_compared_whatever_stands_beside_it(tmp_path: Path, name: str) -> None:
    gold = [{"id": n, "category": "ab"[n % 2]} for n in range(4)]
    output = [{"id": n, "category": "b", name: "a"} for n in range(4)]
    pairing = propose_pairing(write(tmp_path / "gold.jsonl", gold), write(tmp_path / "out.jsonl", output))
    assert pairing.common_fields == ["category"]
    assert not pairing.renames


def test_the_predicted_answer_is_compared_where_the_output_file_repeats_the_answer(tmp_path: Path) -> None:
    gold = [{"id": n, "question": f"q{n}", "answer": f"City {n}", "type": "bridge"} for n in range(3)]
    output = [row | {"predicted_answer": "Rome", "score": 0.5} for row in gold]
    pairing = propose_pairing(write(tmp_path / "gold.jsonl", gold), write(tmp_path / "out.jsonl", output))
    assert (pairing.expected.record, pairing.actual.record) == ("answer", "predicted_answer")
